(** Flooding: how far its frequencies are off, and what it sends.

    With [flooded] of flooding.v: X has k inputs, listed by bins each once, n >= 1 users hold xs and send Poisson numbers
    of mean m >= 0 of uniform messages; lambda = n m/k.

    - [flooding_counts]: how many messages name v has the law of the number of users who hold v plus a Poisson number of
      mean lambda;
    - [flooding_mean], [flooding_variance]: so this number less lambda is an unbiased estimate of how many hold v, of
      variance lambda;
    - [flooding_tail]: for m > 0 and r > 0 it is off by r or more with probability 2 e^(-r^2/(2 lambda + r)) at most;
    - [flooding_messages]: a user sends 1 + m messages in the mean.

    Idea: whatever of the messages does not depend on their order has the law that the independent Poisson numbers give
    it, and then the same mean, unbounded as it may be. Source: LiLiuFengHuangHuLiuRenQin2020 (of fixed numbers);
    the proofs are this package's. *)

From Coq Require Import Reals List Arith Lra Lia Permutation FinFun.
From Exactdp Require Import reals sums laws privacy masses product_laws infinite_sums hockey_stick shuffler.
From Exactdp Require Import mean_excess countable_programs noise_on_naturals negative_binomial_sums.
From Exactdp Require Import poisson_noise counting_programs bundled_noise poisson_splitting flooding.
Import ListNotations.
Open Scope R_scope.

(** ** Means without bound *)

(** What is 0 outside the image of h. *)
Lemma sum_of_image {A B} (h : A -> B) (f : B -> R) s : Injective h -> zero_outside h f ->
  sum_of (fun a => f (h a)) s -> sum_of f s.
Proof.
  intros I Z S. apply sum_of_intro.
  - intros l N. destruct (pull_back h l N) as [m [Nm [_ H]]]. rewrite (H f Z). apply (sum_of_upper _ _ m S Nm).
  - intros b H. apply (sum_of_least _ _ _ S). intros m Nm. rewrite <- (total_map h m f).
    apply H, Injective_map_NoDup; assumption.
Qed.

Lemma sum_of_minus {A} (f g : A -> R) s t : (forall a, 0 <= f a) -> (forall a, 0 <= g a) ->
  sum_of (fun a => f a + g a) s -> sum_of g t -> sum_of f (s - t).
Proof.
  intros F G S T. destruct (completeness (fun x => exists l, NoDup l /\ x = total l f)) as [r Hr].
  - exists s. intros x [l [N ->]]. eapply Rle_trans; [| apply (sum_of_upper _ _ l S N)].
    apply total_le. intros a _. specialize (G a). lra.
  - exists 0, []. split; [constructor | reflexivity].
  - change (sum_of f r) in Hr. rewrite (sum_of_unique _ _ _ S (sum_of_plus f g r t F G Hr T)).
    replace (r + t - t) with r by ring. exact Hr.
Qed.

(** A mean of what is shown is a mean under its law. *)
Lemma mean_of_shown {A B} (D : A -> R) (W : B -> R) (h : A -> B) (F : B -> R) s : law D -> law W ->
  (forall G, unit_valued G -> expectation D (fun a => G (h a)) = expectation W G) -> (forall b, 0 <= F b) ->
  sum_of (fun b => W b * F b) s -> sum_of (fun a => D a * F (h a)) s.
Proof.
  intros LD LW Same F0. assert (PU : forall (b c : B), 0 <= point b c <= 1) by (intros b; apply law_unit, point_law).
  apply (double_sum (fun a b => D a * (point (h a) b * F b)) (fun a => D a * F (h a)) (fun b => W b * F b)).
  - intros a b. apply Rmult_le_pos; [apply LD | apply Rmult_le_pos; [apply PU | apply F0]].
  - intros a. apply sum_of_scal; [apply LD | apply point_sum, F0].
  - intros b. apply (sum_of_ext (fun a => F b * (D a * point (h a) b))); [intros; ring |].
    rewrite (Rmult_comm (W b)). apply sum_of_scal; [apply F0 |].
    replace (W b) with (expectation D (fun a => point (h a) b)).
    + apply expectation_sum; [exact LD | intros a; apply PU].
    + rewrite (Same (fun c => point c b)) by (intros c; apply PU). apply expectation_is.
      apply (sum_of_ext (fun c => point b c * W c)); [| apply point_sum, LW].
      intros c. unfold point. destruct (same b c), (same c b); try ring; congruence.
Qed.

(** ** The moments of Poisson laws *)

Lemma poisson_moment lambda g s : 0 <= lambda -> sum_of (fun t => poisson lambda t * g (S t)) s ->
  sum_of (fun t => poisson lambda t * (INR t * g t)) (lambda * s).
Proof.
  intros H S. apply (sum_of_image Datatypes.S).
  - intros x y E. congruence.
  - intros [| t] N; [simpl INR; ring | exfalso; apply (N t); reflexivity].
  - apply (sum_of_ext (fun t => lambda * (poisson lambda t * g (Datatypes.S t)))); [| apply sum_of_scal; assumption].
    intros t. rewrite <- Rmult_assoc, <- poisson_step, S_INR. ring.
Qed.

Lemma poisson_sum lambda c : 0 <= lambda -> 0 <= c -> sum_of (fun t => poisson lambda t * c) c.
Proof.
  intros H C. assert (S := sum_of_scal _ c 1 C (proj2 (proj1 (law_sum_of _) (poisson_law lambda H)))).
  rewrite Rmult_1_r in S. apply (sum_of_ext (fun t => c * poisson lambda t)); [intros; ring | exact S].
Qed.

Lemma poisson_mean lambda : 0 <= lambda -> sum_of (fun t => poisson lambda t * INR t) lambda.
Proof.
  intros H. assert (S := poisson_moment lambda (fun _ => 1) 1 H (poisson_sum lambda 1 H ltac:(lra))).
  rewrite Rmult_1_r in S. apply (sum_of_ext (fun t => poisson lambda t * (INR t * 1))); [intros; ring | exact S].
Qed.

Lemma poisson_variance lambda : 0 <= lambda -> sum_of (fun t => poisson lambda t * (INR t - lambda) ^ 2) lambda.
Proof.
  intros H. assert (P := poisson_nonneg lambda). assert (M := poisson_mean lambda H).
  assert (M2 : sum_of (fun t => poisson lambda t * (INR t * (INR t - 1))) (lambda * lambda)).
  { apply (poisson_moment lambda (fun t => INR t - 1) lambda H).
    apply (sum_of_ext (fun t => poisson lambda t * INR t)); [intros t; rewrite S_INR; ring | exact M]. }
  assert (T : forall t, 0 <= INR t * (INR t - 1)).
  { intros [| t]; [simpl INR; lra |]. rewrite S_INR. assert (X := pos_INR t). nra. }
  assert (Q : forall t, 0 <= poisson lambda t * INR t) by (intros t; apply Rmult_le_pos; [apply P, H | apply pos_INR]).
  set (sum := lambda * lambda + lambda + lambda ^ 2 - 2 * lambda * lambda).
  cut (sum_of (fun t => poisson lambda t * (INR t - lambda) ^ 2) sum).
  { replace sum with lambda by (unfold sum; ring). auto. }
  apply (sum_of_minus _ (fun t => 2 * lambda * (poisson lambda t * INR t))).
  - intros t. apply Rmult_le_pos; [apply P, H | apply pow2_ge_0].
  - intros t. apply Rmult_le_pos; [lra | apply Q].
  - apply (sum_of_ext (fun t => poisson lambda t * (INR t * (INR t - 1)) + poisson lambda t * INR t +
      poisson lambda t * lambda ^ 2)); [intros t; ring |].
    assert (Q2 : forall t, 0 <= poisson lambda t * (INR t * (INR t - 1)))
      by (intros t; apply Rmult_le_pos; [apply P, H | apply T]).
    apply sum_of_plus; [| | apply sum_of_plus; assumption | apply poisson_sum; [exact H | apply pow2_ge_0]].
    + intros t. apply Rplus_le_le_0_compat; auto.
    + intros t. apply Rmult_le_pos; [apply P, H | apply pow2_ge_0].
  - apply sum_of_scal; [lra | exact M].
Qed.

Lemma poisson_off lambda r l : 0 < lambda -> 0 < r -> NoDup l ->
  (forall t, In t l -> r <= Rabs (INR t - lambda)) -> total l (poisson lambda) <= 2 * exp (- (r ^ 2 / (2 * lambda + r))).
Proof.
  intros H Hr N A. set (e := exp (- (r ^ 2 / (2 * lambda + r)))). assert (E : 0 < e) by apply exp_pos.
  set (high := fun t => Rleb (lambda + r) (INR t)). replace (2 * e) with (e + e) by ring.
  replace (total l (poisson lambda)) with
    (total (filter high l) (poisson lambda) + total (filter (fun t => negb (high t)) l) (poisson lambda)).
  2:{ rewrite !total_filter, <- total_plus. apply total_ext. intros t _. destruct (high t); simpl; ring. }
  apply Rplus_le_compat.
  - eapply Rle_trans; [apply (upper_tail lambda (r / lambda)); auto |].
    + left. apply Rdiv_lt_0_compat; assumption.
    + apply NoDup_filter, N.
    + intros t I. apply filter_In in I. destruct I as [_ I]. apply Rleb_true in I.
      replace ((1 + r / lambda) * lambda) with (lambda + r) by (field; lra). exact I.
    + apply exp_le. right. field. lra.
  - set (low := filter (fun t => negb (high t)) l).
    assert (Low : forall t, In t low -> INR t <= lambda - r).
    { intros t I. apply filter_In in I. destruct I as [I J]. specialize (A t I).
      assert (B : INR t < lambda + r).
      { apply Rnot_le_lt. intros C. apply Rleb_true in C. unfold high in J. rewrite C in J. discriminate. }
      unfold Rabs in A. destruct (Rcase_abs _) in A; lra. }
    assert (NL : NoDup low) by (apply NoDup_filter, N).
    destruct (Rlt_le_dec r lambda) as [Small | Large].
    + eapply Rle_trans; [apply (lower_tail lambda (r / lambda)); auto |].
      * split; [left; apply Rdiv_lt_0_compat; assumption |].
        apply Rmult_lt_reg_r with lambda; [exact H |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
      * intros t I. replace ((1 - r / lambda) * lambda) with (lambda - r) by (field; lra). apply Low, I.
      * apply exp_le, Ropp_le_contravar.
        replace (lambda * ((r / lambda) ^ 2 / 2)) with (r ^ 2 / (2 * lambda)) by (field; lra).
        apply Rmult_le_compat_l; [apply pow2_ge_0 | apply Rinv_le_contravar; lra].
    + destruct low as [| t0 low'] eqn:L; [simpl; lra |].
      assert (R0 : r = lambda).
      { assert (X := Low t0 ltac:(left; reflexivity)). assert (Y := pos_INR t0). lra. }
      rewrite <- L in *. eapply Rle_trans; [apply (lower_tail lambda (9 / 10)); auto; [lra |] |].
      * intros t I. specialize (Low t I). lra.
      * apply exp_le, Ropp_le_contravar. rewrite R0.
        replace (lambda ^ 2 / (2 * lambda + lambda)) with (lambda / 3) by (field; lra). lra.
Qed.

(** ** What is counted *)

Definition named {X} (v : X) (u : list X) : nat := count_occ same u v.

Lemma named_app {X} (v : X) u w : named v (u ++ w) = (named v u + named v w)%nat.
Proof. apply count_occ_app. Qed.

Lemma named_times {X} (v : X) z : named v (times z [v]) = z.
Proof.
  unfold named. induction z as [| z IH]; [reflexivity |]. change (times (S z) [v]) with (v :: times z [v]).
  rewrite count_occ_cons_eq, IH; reflexivity.
Qed.

Lemma named_other {X} (v w : X) z : w <> v -> named v (times z [w]) = 0%nat.
Proof.
  intros N. unfold named. induction z as [| z IH]; [reflexivity |]. change (times (S z) [w]) with (w :: times z [w]).
  rewrite count_occ_cons_neq; assumption.
Qed.

Lemma named_elsewhere {X} (v : X) lambda bins F c : 0 <= lambda -> ~ In v bins -> unit_valued F ->
  expectation (bundles (letters lambda bins)) (fun u => F (c + named v u)%nat) = F c.
Proof.
  intros H N U. induction bins as [| w rest IH].
  - cbn [letters map bundles]. rewrite expectation_point by apply U. simpl. f_equal. lia.
  - assert (L := poisson_law lambda H). assert (LR := letters_laws lambda rest H).
    change (letters lambda (w :: rest)) with ((poisson lambda, [w]) :: letters lambda rest).
    rewrite bundles_cons by (assumption || (intros u; apply U)).
    rewrite (expectation_ext _ L _ (fun _ => F c)).
    + apply expectation_is, poisson_sum; [exact H | apply U].
    + intros z. apply bundles_unit; [exact LR | intros u; apply U].
    + intros z. rewrite <- IH by (intros I; apply N; right; exact I).
      apply expectation_ext; [apply bundles_law, LR | intros u; apply U |]. intros u.
      rewrite named_app, named_other; [reflexivity | intros E; apply N; left; exact E].
Qed.

Lemma bins_and_noise {X} (bins : list X) (m : R) (n : nat) (v : X) : In v bins -> 0 <= m ->
  bins <> [] /\ 0 <= INR n * m / INR (length bins).
Proof.
  intros I M. assert (NE : bins <> []) by (intros E; rewrite E in I; exact I).
  split; [exact NE | apply (noise_in_bin_nonneg bins m NE M)].
Qed.

Theorem flooding_counts {X} (bins : list X) (m : R) (xs : list X) (v : X) F :
  let lambda := INR (length xs) * m / INR (length bins) in
  NoDup bins -> In v bins -> 0 <= m -> (1 <= length xs)%nat -> unit_valued F ->
  expectation (sent (flooded bins m) xs) (fun u => F (named v u)) =
  expectation (poisson lambda) (fun t => F (named v xs + t)%nat).
Proof.
  intros lambda Once I M Hn U. destruct (bins_and_noise bins m (length xs) v I M) as [NE H]. fold lambda in H.
  assert (L := poisson_law lambda H).
  rewrite flooded_sent; [fold lambda | exact NE | exact M | exact Hn | intros u; apply U |].
  2:{ intros u w P. unfold named. f_equal. apply (Permutation_count_occ same). exact P. }
  destruct (in_split v bins I) as [l1 [l2 E]].
  assert (P : Permutation bins (v :: l1 ++ l2)) by (rewrite E; symmetry; apply Permutation_middle).
  assert (N : ~ In v (l1 ++ l2)) by (rewrite E in Once; apply NoDup_remove_2, Once).
  assert (LR := letters_laws lambda (l1 ++ l2) H).
  rewrite (bundles_permutation _ (letters lambda (v :: l1 ++ l2)));
    [| apply Permutation_map, P | apply letters_laws, H | intros u; apply U |].
  2:{ intros u w Q. f_equal. unfold named. apply (Permutation_count_occ same). apply Permutation_app_head, Q. }
  change (letters lambda (v :: l1 ++ l2)) with ((poisson lambda, [v]) :: letters lambda (l1 ++ l2)).
  rewrite bundles_cons by (assumption || (intros u; apply U)).
  apply expectation_ext; [exact L | intros z; apply bundles_unit; [exact LR | intros u; apply U] |].
  intros z. rewrite <- (named_elsewhere v lambda (l1 ++ l2) F _ H N U).
  apply expectation_ext; [apply bundles_law, LR | intros u; apply U |]. intros u. f_equal.
  rewrite !named_app, named_times. lia.
Qed.

Lemma mean_of_counts {X} (bins : list X) (m : R) (xs : list X) (v : X) (F : nat -> R) s :
  let lambda := INR (length xs) * m / INR (length bins) in
  NoDup bins -> In v bins -> 0 <= m -> (1 <= length xs)%nat -> (forall t, 0 <= F t) ->
  sum_of (fun t => poisson lambda t * F (named v xs + t)%nat) s ->
  sum_of (fun u => sent (flooded bins m) xs u * F (named v u)) s.
Proof.
  intros lambda Once I M Hn F0 S. set (c := named v xs) in *.
  destruct (bins_and_noise bins m (length xs) v I M) as [NE H]. assert (L := poisson_law lambda H).
  apply (mean_of_shown _ (after c (poisson lambda)) (named v) F).
  - apply sent_law, (flooded_law bins m NE M).
  - apply law_after, L.
  - intros G U. rewrite expectation_after by assumption. apply flooding_counts; assumption.
  - exact F0.
  - apply (sum_of_image (Nat.add c)).
    + intros a b E. lia.
    + intros t N. unfold after. destruct (Nat.ltb_spec t c) as [_ | C]; [ring |]. exfalso. apply (N (t - c)%nat). lia.
    + apply (sum_of_ext (fun t => poisson lambda t * F (c + t)%nat)); [| exact S]. intros t. unfold after.
      rewrite (proj2 (Nat.ltb_ge _ _)) by lia. f_equal. f_equal. lia.
Qed.

Theorem flooding_mean {X} (bins : list X) (m : R) (xs : list X) (v : X) :
  let lambda := INR (length xs) * m / INR (length bins) in
  NoDup bins -> In v bins -> 0 <= m -> (1 <= length xs)%nat ->
  sum_of (fun u => sent (flooded bins m) xs u * INR (named v u)) (INR (named v xs) + lambda).
Proof.
  intros lambda Once I M Hn. destruct (bins_and_noise bins m (length xs) v I M) as [_ H]. fold lambda in H.
  apply mean_of_counts; auto using pos_INR. fold lambda.
  apply (sum_of_ext (fun t => poisson lambda t * INR (named v xs) + poisson lambda t * INR t)).
  - intros t. rewrite plus_INR. ring.
  - apply sum_of_plus; [| | apply poisson_sum; [exact H | apply pos_INR] | apply poisson_mean, H];
      intros t; apply Rmult_le_pos; (apply poisson_nonneg, H) || apply pos_INR.
Qed.

Theorem flooding_variance {X} (bins : list X) (m : R) (xs : list X) (v : X) :
  let lambda := INR (length xs) * m / INR (length bins) in
  NoDup bins -> In v bins -> 0 <= m -> (1 <= length xs)%nat ->
  sum_of (fun u => sent (flooded bins m) xs u * (INR (named v u) - lambda - INR (named v xs)) ^ 2) lambda.
Proof.
  intros lambda Once I M Hn. destruct (bins_and_noise bins m (length xs) v I M) as [_ H]. fold lambda in H.
  apply (mean_of_counts bins m xs v (fun t => (INR t - lambda - INR (named v xs)) ^ 2) lambda Once I M Hn);
    [intros t; apply pow2_ge_0 |]. fold lambda.
  apply (sum_of_ext (fun t => poisson lambda t * (INR t - lambda) ^ 2)); [| apply poisson_variance, H].
  intros t. rewrite plus_INR. ring.
Qed.

Theorem flooding_tail {X} (bins : list X) (m : R) (xs : list X) (v : X) (r : R) :
  let lambda := INR (length xs) * m / INR (length bins) in
  NoDup bins -> In v bins -> 0 < m -> (1 <= length xs)%nat -> 0 < r ->
  expectation (sent (flooded bins m) xs)
    (indicator (fun u => Rleb r (Rabs (INR (named v u) - lambda - INR (named v xs))))) <=
  2 * exp (- (r ^ 2 / (2 * lambda + r))).
Proof.
  intros lambda Once I Hm Hn Hr. assert (M : 0 <= m) by lra.
  destruct (bins_and_noise bins m (length xs) v I M) as [NE H]. fold lambda in H.
  set (T := fun t : nat => Rleb r (Rabs (INR t - lambda - INR (named v xs)))).
  rewrite (expectation_ext _ (sent_law _ xs (flooded_law bins m NE M)) _
    (fun u => indicator T (named v u))) by (reflexivity || (intros u; apply indicator_bounds)).
  rewrite (flooding_counts bins m xs v (indicator T) Once I M Hn) by (intros t; apply indicator_bounds). fold lambda.
  assert (K : 0 < INR (length bins)) by (apply lt_0_INR; destruct bins; [congruence | simpl; lia]).
  assert (N : 0 < INR (length xs)) by (apply lt_0_INR; lia).
  assert (P : 0 < lambda) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption | exact K]).
  apply (sum_of_least _ _ _ (expectation_sum _ (poisson_law lambda H)
    (fun t => indicator T (named v xs + t)%nat) (fun t => indicator_bounds T _))).
  intros l Nl. rewrite (total_ext l _ (fun t => if T (named v xs + t)%nat then poisson lambda t else 0)).
  2:{ intros t _. unfold indicator. destruct (T _); ring. }
  rewrite <- total_filter. apply poisson_off; [exact P | exact Hr | apply NoDup_filter, Nl |].
  intros t J. apply filter_In in J. destruct J as [_ J]. apply Rleb_true in J. rewrite plus_INR in J.
  replace (INR (named v xs) + INR t - lambda - INR (named v xs)) with (INR t - lambda) in J by ring. exact J.
Qed.

Theorem flooding_messages {X} (bins : list X) m x : bins <> [] -> 0 <= m ->
  sum_of (fun u => flooded bins m x u * INR (length u)) (1 + m).
Proof.
  intros NE H. assert (L := poisson_law m H).
  assert (MB : forall j (F : nat -> R), mean (copies (uniform bins) j) (fun u => F (length u)) = F j).
  { induction j as [| j IH]; intros F; [apply mean_copies_none |]. rewrite mean_copies_first.
    rewrite (mean_ext _ _ (fun _ => F (S j))); [apply mean_const, proper_uniform, NE |].
    intros b. apply (IH (fun i => F (S i))). }
  apply (mean_of_shown _ (after 1 (poisson m)) (@length X) INR).
  - apply flooded_law; assumption.
  - apply law_after, L.
  - intros G U. rewrite flooded_mean by (assumption || (intros u; apply U)). rewrite expectation_after_1 by assumption.
    apply expectation_ext; [exact L | |].
    + intros j. change (0 <= mean (copies (uniform bins) j) (fun u => G (S (length u))) <= 1).
      rewrite (MB j (fun i => G (S i))). apply U.
    + intros j. apply (MB j (fun i => G (S i))).
  - intros t. apply pos_INR.
  - apply (sum_of_image S).
    + intros a b E. congruence.
    + intros [| t] N; [unfold after; simpl; ring | exfalso; apply (N t); reflexivity].
    + apply (sum_of_ext (fun t => poisson m t * 1 + poisson m t * INR t)).
      * intros t. unfold after. change (Nat.ltb (S t) 1) with false. cbv iota. rewrite S_INR.
        replace (S t - 1)%nat with t by lia. ring.
      * apply sum_of_plus; [| | apply poisson_sum; lra | apply poisson_mean, H];
          intros t; apply Rmult_le_pos; (apply poisson_nonneg, H) || apply pos_INR || lra.
Qed.

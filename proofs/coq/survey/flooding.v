(** Flooding: frequencies beside random numbers of uniform messages, as a program of the shuffle model.

    The inputs are those of a type X with finitely many, which [bins] lists, each once; k is their number. Each of n >= 1
    users sends the own input and a Poisson number of mean m >= 0 of independent uniform ones ([flooded]). Let
    lambda = n m/k, what is expected of such noise in a bin.

    - [flooded_sent]: to whoever does not look at the order all messages are the n inputs and, for each bin, a Poisson
      number of mean lambda of messages more, independently;
    - [flooding_below]: behind a shuffler this is (eps, delta)-DP, under replacement, where for one s >= 0
      s + lambda (e^s + e^(-s e^eps) - 2) <= ln delta;
    - [flooding_private]: hence for eps > 0, t = tanh(eps/2) = (e^eps - 1)/(e^eps + 1) and
      ln(1/delta) + t (1 - t) <= lambda t^2 (1 - t^2/4).

    Proof. Who moves from bin x to bin y takes A + 1 and B messages in these bins to A and B + 1, A and B independent
    Poisson numbers of mean lambda, and all others tell nothing. By the recursion of Poisson masses the chance of (i, j)
    in the first case is i/j times that in the second: more than e^eps times only where i > e^eps j, and this has the
    chance P[A + 1 > e^eps B] <= e^s E[e^(s A)] E[e^(-s e^eps B)] = e^(s + lambda (e^s - 1) + lambda (e^(-s e^eps) -
    1)). For s = t (1 - t) is s e^eps = t (1 + t), and e^s + e^(-s e^eps) = e^(-t^2) (e^t + e^-t) <= 2 e^(-t^2/2).
    Source: LiLiuFengHuangHuLiuRenQin2020 (of fixed numbers); the theorems: this package. *)

From Coq Require Import Reals List Arith Lra Lia Permutation FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses product_laws infinite_sums hockey_stick shuffler hoeffding.
From Exactdp Require Import mean_excess countable_programs noise_on_naturals negative_binomial_sums laplace_accuracy.
From Exactdp Require Import poisson_noise poisson_sums counting_programs bundled_noise poisson_splitting.
Import ListNotations.
Open Scope R_scope.

Definition flooded {X} (bins : list X) (m : R) (x : X) : list X -> R :=
  chain (poisson m) (fun j => chain (mass (copies (uniform bins) j)) (fun noise => point (x :: noise))).

(** ** What is to be seen *)

(** Randomizers that differ in the order alone. *)
Lemma sent_orderless {X M} (R R' : X -> list M -> Rdefinitions.R) xs f :
  (forall x, law (R x)) -> (forall x, law (R' x)) ->
  (forall x g, unit_valued g -> orderless g -> expectation (R x) g = expectation (R' x) g) ->
  unit_valued f -> orderless f -> expectation (sent R xs) f = expectation (sent R' xs) f.
Proof.
  intros L L' H. revert f. induction xs as [| x xs IH]; intros f U O; [reflexivity |].
  assert (S := sent_law R xs L). assert (S' := sent_law R' xs L').
  rewrite !sent_cons by assumption. rewrite <- H.
  - apply expectation_ext; [apply L | intros u; apply expectation_bounds; [exact S | intros v; apply U] |].
    intros u. apply IH; [intros v; apply U | apply orderless_after, O].
  - intros u. apply expectation_bounds; [exact S' | intros v; apply U].
  - intros u w P. apply expectation_ext; [exact S' | intros v; apply U |].
    intros v. apply O, Permutation_app_tail, P.
Qed.

(** The order of the parts does not matter either. *)
Lemma bundles_permutation {M} (parts parts' : list (noise_part M)) f : Permutation parts parts' ->
  part_laws parts -> unit_valued f -> orderless f -> expectation (bundles parts) f = expectation (bundles parts') f.
Proof.
  intros P. revert f. induction P as [| [D m] p p' P IH | [D m] [D' m'] p | p q r P IH Q IH']; intros f L U O.
  - reflexivity.
  - assert (LD : law D) by exact (Forall_inv L). assert (LR := Forall_inv_tail L).
    assert (LR' := Permutation_Forall P LR). rewrite (bundles_cons D m p), (bundles_cons D m p') by assumption.
    apply expectation_ext; [exact LD | |].
    + intros z. apply bundles_unit; [exact LR | intros u; apply U].
    + intros z. apply IH; [exact LR | intros u; apply U | apply orderless_after, O].
  - assert (LD' : law D') by exact (Forall_inv L). assert (LR := Forall_inv_tail L).
    assert (LD : law D) by exact (Forall_inv LR). assert (LP := Forall_inv_tail LR).
    assert (LR' : part_laws ((D', m') :: p)) by (constructor; assumption).
    assert (Inner : forall (E : nat -> R) l l' z, law E ->
      expectation (bundles ((E, l') :: p)) (fun u => f (times z l ++ u)) =
      expectation E (fun z' => expectation (bundles p) (fun u => f (times z l ++ times z' l' ++ u)))).
    { intros E l l' z LE. apply (bundles_cons E l' p (fun u => f (times z l ++ u))); auto. intros u. apply U. }
    assert (B : forall z l z' l', 0 <= expectation (bundles p) (fun u => f (times z l ++ times z' l' ++ u)) <= 1)
      by (intros; apply bundles_unit; [exact LP | intros u; apply U]).
    rewrite (bundles_cons D' m' ((D, m) :: p)), (bundles_cons D m ((D', m') :: p)) by assumption.
    rewrite (expectation_ext D' LD' _ (fun z => expectation D (fun y =>
      expectation (bundles p) (fun u => f (times z m' ++ times y m ++ u)))));
      [| intros z; apply bundles_unit; [exact LR | intros u; apply U] | intros z; apply Inner; assumption].
    rewrite (expectation_ext D LD _ (fun y => expectation D' (fun z =>
      expectation (bundles p) (fun u => f (times y m ++ times z m' ++ u)))));
      [| intros z; apply bundles_unit; [exact LR' | intros u; apply U] | intros z; apply Inner; assumption].
    rewrite expectation_swap by (assumption || (intros z y; apply B)).
    apply expectation_ext; [exact LD | intros y; apply expectation_bounds; [exact LD' | intros z; apply B] |]. intros y.
    apply expectation_ext; [exact LD' | intros z; apply B |]. intros z.
    apply expectation_ext; [apply bundles_law, LP | intros u; apply U |]. intros u.
    apply O. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - rewrite IH by assumption. apply IH'; auto. apply (Permutation_Forall P L).
Qed.

Section Seen.
  Context {X : Type} (bins : list X) (m : R).
  Hypotheses (bins_some : bins <> []) (m_nonneg : 0 <= m).

  Lemma noise_law j : law (mass (copies (uniform bins) j)).
  Proof. apply mass_law, proper_copies, proper_uniform, bins_some. Qed.

  Lemma flooded_law x : law (flooded bins m x).
  Proof.
    apply chain_law; [apply poisson_law, m_nonneg |]. intros j.
    apply chain_law; [apply noise_law | intros; apply point_law].
  Qed.

  Lemma flooded_mean x f : unit_valued f -> expectation (flooded bins m x) f =
    expectation (poisson m) (fun j => mean (copies (uniform bins) j) (fun noise => f (x :: noise))).
  Proof.
    intros U. assert (L := poisson_law m m_nonneg).
    assert (LC : forall j, law (chain (mass (copies (uniform bins) j)) (fun noise => point (x :: noise))))
      by (intros j; apply chain_law; [apply noise_law | intros; apply point_law]).
    unfold flooded. rewrite expectation_chain by assumption. apply expectation_ext; [exact L | |].
    - intros j. apply expectation_bounds; [apply LC | exact U].
    - intros j. etransitivity; [apply (prefixed_mean (mass (copies (uniform bins) j)) [x] f (noise_law j) U) |].
      apply expectation_mass; [apply proper_copies, proper_uniform, bins_some | intros u; apply U].
  Qed.

  Lemma noise_in_bin_nonneg n : 0 <= INR n * m / INR (length bins).
  Proof.
    assert (K : 0 < INR (length bins)) by (apply lt_0_INR; destruct bins; [congruence | simpl; lia]).
    apply Rle_mult_inv_pos; [apply Rmult_le_pos; [apply pos_INR | exact m_nonneg] | exact K].
  Qed.
End Seen.

Theorem flooded_sent {X} (bins : list X) (m : R) xs f :
  bins <> [] -> 0 <= m -> (1 <= length xs)%nat -> unit_valued f -> orderless f ->
  expectation (sent (flooded bins m) xs) f =
  expectation (bundles (letters (INR (length xs) * m / INR (length bins)) bins)) (fun noise => f (xs ++ noise)).
Proof.
  intros NE M Hn U O. set (lambda := INR (length xs) * m / INR (length bins)).
  assert (K : 0 < INR (length bins)) by (apply lt_0_INR; destruct bins; [congruence | simpl; lia]).
  assert (N : INR (length xs) <> 0) by (apply not_0_INR; lia).
  assert (M0 : 0 <= m / INR (length bins)) by (apply Rle_mult_inv_pos; assumption).
  assert (LP := letters_laws (m / INR (length bins)) bins M0). set (parts := letters (m / INR (length bins)) bins) in *.
  rewrite (sent_orderless _ (with_noise (fun x => [x]) parts)).
  - rewrite sent_bundles by assumption.
    replace (flat_map (fun x => [x]) xs) with xs by (clear; induction xs; simpl; congruence).
    replace (pooled (length xs) parts) with (letters lambda bins); [reflexivity |].
    unfold parts, letters, pooled. rewrite map_map. apply map_ext. intros v. cbn [fst snd]. f_equal.
    apply functional_extensionality. intros t. symmetry.
    replace (m / INR (length bins)) with (lambda / INR (length xs)) by (unfold lambda; field; lra).
    apply poisson_divisible, Hn.
  - apply flooded_law; assumption.
  - intros x. apply with_noise_law, LP.
  - intros x g G OG. rewrite flooded_mean by assumption. unfold with_noise.
    rewrite prefixed_mean by (exact G || apply bundles_law, LP).
    apply (poisson_letters m bins (fun u => g (x :: u))); [exact NE | exact M | intros u; apply G |].
    apply (orderless_after g [x] OG).
  - exact U.
  - exact O.
Qed.

(** ** Privacy *)

Lemma expectation_pair {A B} (P : A -> R) (Q : B -> R) (F : A * B -> R) : law P -> law Q -> unit_valued F ->
  expectation (pair_mass P Q) F = expectation P (fun a => expectation Q (fun b => F (a, b))).
Proof.
  intros LP LQ U. assert (LC : forall a : A, law (chain Q (fun b => point (a, b)))) by
    (intros a; apply chain_law; auto using point_law).
  assert (UF : forall a, unit_valued (fun b => F (a, b))) by (intros a b; apply U).
  rewrite (expectation_same _ (chain P (fun a => chain Q (fun b => point (a, b))))).
  - rewrite expectation_chain by assumption. apply expectation_ext; [exact LP | |].
    + intros a. apply expectation_bounds; [apply LC | exact U].
    + intros a. rewrite expectation_chain by (auto using point_law). apply expectation_ext; [exact LQ | |].
      * intros b. apply expectation_bounds; [apply point_law | exact U].
      * intros b. apply expectation_point, U.
  - apply pair_law; assumption.
  - exact U.
  - intros [a b]. unfold pair_mass. cbn [fst snd]. symmetry. apply expectation_is.
    apply (sum_of_ext (fun a' => point a a' * (P a' * Q b))).
    + intros a'. assert (E : chain Q (fun b' => point (a', b')) (a, b) = point a a' * Q b).
      { apply expectation_is. apply (sum_of_ext (fun b' => point b b' * (Q b' * point a a'))).
        - intros b'. unfold point.
          destruct (same (a', b') (a, b)) as [E | N], (same a a'), (same b b'); try ring; congruence.
        - rewrite Rmult_comm. apply (point_sum b (fun b' => Q b' * point a a')).
          apply Rmult_le_pos; [apply LQ | apply (point_law a)]. }
      rewrite E. ring.
    + apply (point_sum a (fun a' => P a' * Q b)). apply Rmult_le_pos; [apply LP | apply LQ].
Qed.

Section Moved.
  Variables (lambda s E delta : R).
  Hypotheses (lambda_nonneg : 0 <= lambda) (s_nonneg : 0 <= s) (E_positive : 0 < E).
  Hypothesis enough : exp (s + lambda * (exp s + exp (- (s * E)) - 2)) <= delta.

  Let p := poisson lambda.

  Lemma tilted_mass a x : poisson lambda a * exp (INR a * x) = exp (lambda * (exp x - 1)) * poisson (lambda * exp x) a.
  Proof.
    unfold poisson. rewrite Rpow_mult_distr, exp_power, (Rmult_comm x).
    replace (- lambda) with (lambda * (exp x - 1) + - (lambda * exp x)) by ring. rewrite exp_plus. ring.
  Qed.

  Lemma moved_message_below : mass_below (pair_mass (after 1 p) p) (pair_mass p (after 1 p)) E delta.
  Proof.
    assert (L : law p) by (apply poisson_law, lambda_nonneg). assert (LA := law_after 1 p L).
    apply (mass_below_but_rare _ _ (fun ij => Rltb (E * INR (snd ij)) (INR (fst ij)))).
    - apply pair_mass_nonneg; [apply L | apply LA].
    - lra.
    - intros [i j] H. cbn [fst snd] in H.
      assert (G : INR i <= E * INR j).
      { apply Rnot_lt_le. intros C. apply Rltb_true in C. congruence. }
      unfold pair_mass. cbn [fst snd]. destruct i as [| i].
      { unfold after at 1. simpl. rewrite Rmult_0_l.
        apply Rmult_le_pos; [lra | apply Rmult_le_pos; [apply L | apply LA]]. }
      destruct j as [| j]; [simpl INR at 2 in G; assert (Z := pos_INR i); rewrite S_INR in G; lra |].
      unfold after. simpl. rewrite !Nat.sub_0_r, !S_INR in *.
      assert (I := pos_INR i). assert (J := pos_INR j).
      assert (A := poisson_step lambda i). assert (B := poisson_step lambda j). fold p in A, B.
      assert (Pij : 0 <= lambda * p i * p j)
        by (apply Rmult_le_pos; [apply Rmult_le_pos; [exact lambda_nonneg |] |]; apply L).
      apply Rmult_le_reg_l with ((INR i + 1) * (INR j + 1)); [apply Rmult_lt_0_compat; lra |].
      replace ((INR i + 1) * (INR j + 1) * (p i * p (S j))) with ((INR i + 1) * p i * ((INR j + 1) * p (S j))) by ring.
      replace ((INR i + 1) * (INR j + 1) * (E * (p (S i) * p j))) with
        (E * (INR j + 1) * ((INR i + 1) * p (S i)) * p j) by ring.
      rewrite A, B. apply (Rmult_le_compat_r _ _ _ Pij) in G. lra.
    - intros l N R.
      set (C := exp (s + lambda * (exp s + exp (- (s * E)) - 2))) in *.
      set (u := poisson (lambda * exp s)). set (v := poisson (lambda * exp (- (s * E)))).
      assert (Lu : law u) by (apply poisson_law, Rmult_le_pos; [exact lambda_nonneg | left; apply exp_pos]).
      assert (Lv : law v) by (apply poisson_law, Rmult_le_pos; [exact lambda_nonneg | left; apply exp_pos]).
      apply Rle_trans with (total l (fun ij => C * pair_mass (after 1 u) v ij)).
      + apply total_le. intros [i j] I. specialize (R _ I). apply Rltb_true in R. cbn [fst snd] in R.
        unfold pair_mass. cbn [fst snd]. destruct i as [| i]; [unfold after; simpl; right; ring |].
        unfold after. change (Nat.ltb (S i) 1) with false. cbv iota. replace (S i - 1)%nat with i by lia.
        assert (TA := tilted_mass i s). assert (TB := tilted_mass j (- (s * E))). fold p u in TA. fold p v in TB.
        assert (Pij : 0 <= p i * p j) by (apply Rmult_le_pos; apply L).
        replace (C * (u i * v j)) with
          (exp s * (exp (lambda * (exp s - 1)) * u i) * (exp (lambda * (exp (- (s * E)) - 1)) * v j)).
        2:{ unfold C. replace (s + lambda * (exp s + exp (- (s * E)) - 2)) with
            (s + lambda * (exp s - 1) + lambda * (exp (- (s * E)) - 1)) by ring. rewrite !exp_plus. ring. }
        rewrite <- TA, <- TB.
        replace (exp s * (p i * exp (INR i * s)) * (p j * exp (INR j * - (s * E)))) with
          (p i * p j * exp (s * (INR (S i) - E * INR j))).
        2:{ replace (s * (INR (S i) - E * INR j)) with (s + INR i * s + INR j * - (s * E)) by (rewrite S_INR; ring).
            rewrite !exp_plus. ring. }
        rewrite <- (Rmult_1_r (p i * p j)) at 1. apply Rmult_le_compat_l; [exact Pij |]. rewrite <- exp_0. apply exp_le.
        apply Rmult_le_pos; lra.
      + rewrite total_scal. apply Rle_trans with (C * 1); [| lra].
        apply Rmult_le_compat_l; [left; apply exp_pos |]. apply law_finite; [| exact N].
        apply pair_law; [apply law_after, Lu | exact Lv].
  Qed.

  Lemma moved_message_mean F : (forall i, unit_valued (F i)) ->
    expectation p (fun i => expectation p (fun j => F (S i) j)) <=
    E * expectation p (fun i => expectation p (fun j => F i (S j))) + delta.
  Proof.
    intros U. assert (L : law p) by (apply poisson_law, lambda_nonneg). assert (LA := law_after 1 p L).
    assert (UF : unit_valued (fun ij => F (fst ij) (snd ij))) by (intros ij; apply U).
    assert (B := expectation_below _ _ E delta _ (pair_law _ _ LA L) (pair_law _ _ L LA) (Rlt_le _ _ E_positive)
      moved_message_below UF).
    rewrite !expectation_pair in B by assumption. cbn [fst snd] in B.
    rewrite expectation_after_1 in B by (exact L || (intros i; apply expectation_bounds; [exact L | apply U])).
    rewrite (expectation_ext p L (fun a => expectation (after 1 p) (fun b => F a b))
      (fun i => expectation p (fun j => F i (S j)))) in B; [exact B | |].
    - intros i. apply expectation_bounds; [exact LA | apply U].
    - intros i. apply expectation_after_1; [exact L | apply U].
  Qed.
End Moved.

Theorem flooding_below {X} (bins : list X) (m : R) (n : nat) (eps delta s : R) :
  (forall x, In x bins) -> 0 <= m -> (1 <= n)%nat -> 0 <= eps -> 0 <= s ->
  exp (s + INR n * m / INR (length bins) * (exp s + exp (- (s * exp eps)) - 2)) <= delta ->
  countable_dp n (flooded bins m) eps delta.
Proof.
  intros bins_all M Hn He Hs Hd xs ys Near Len T Sym. set (lambda := INR n * m / INR (length bins)) in *.
  assert (U : unit_valued (indicator T)) by (intros u; apply indicator_bounds).
  assert (O : orderless (indicator T)) by (intros u v P; unfold indicator; rewrite (Sym u v P); reflexivity).
  assert (D : 0 < delta) by (eapply Rlt_le_trans; [apply exp_pos | exact Hd]).
  destruct Near as [before x y rest].
  assert (NE : bins <> []) by (intros E; specialize (bins_all x); rewrite E in bins_all; exact bins_all).
  assert (Len' : length (before ++ y :: rest) = n) by (rewrite <- Len, !app_length; reflexivity).
  assert (L0 := noise_in_bin_nonneg bins m NE M n : 0 <= lambda).
  rewrite !flooded_sent by (assumption || lia). rewrite Len, Len'. fold lambda.
  assert (LL := letters_laws lambda bins L0).
  destruct (same x y) as [<- | Ne].
  { assert (B := bundles_unit (letters lambda bins) (fun noise => indicator T ((before ++ x :: rest) ++ noise)) LL
      (fun u => U _)). assert (E1 := exp_ge_1 eps He). nra. }
  assert (Two : exists others, Permutation bins (x :: y :: others)).
  { destruct (in_split x bins (bins_all x)) as [l1 [l2 E]].
    assert (I : In y (l1 ++ l2)).
    { specialize (bins_all y). rewrite E in bins_all. apply in_app_or in bins_all. apply in_or_app.
      destruct bins_all as [I | [I | I]]; [auto | congruence | auto]. }
    destruct (in_split y _ I) as [l3 [l4 E']]. exists (l3 ++ l4). rewrite E, <- Permutation_middle, E'.
    apply perm_skip. symmetry. apply Permutation_middle. }
  destruct Two as [others P].
  set (F := fun i j => expectation (bundles (letters lambda others)) (fun u =>
    indicator T ((before ++ rest) ++ times i [x] ++ times j [y] ++ u))).
  assert (LO := letters_laws lambda others L0). assert (L := poisson_law lambda L0).
  assert (LY : part_laws (letters lambda (y :: others))) by (apply letters_laws, L0).
  assert (FU : forall i, unit_valued (F i)) by (intros i j; apply bundles_unit; [exact LO | intros u; apply U]).
  assert (Form : forall z i0 j0, (forall i j, Permutation ([z] ++ times i [x] ++ times j [y])
      (times (i0 + i) [x] ++ times (j0 + j) [y])) ->
    expectation (bundles (letters lambda bins)) (fun noise => indicator T ((before ++ z :: rest) ++ noise)) =
    expectation (poisson lambda) (fun i => expectation (poisson lambda) (fun j => F (i0 + i)%nat (j0 + j)%nat))).
  { intros z i0 j0 Z.
    assert (UZ : unit_valued (fun noise => indicator T ((before ++ z :: rest) ++ noise))) by (intros u; apply U).
    rewrite (bundles_permutation _ (letters lambda (x :: y :: others)));
      [| apply Permutation_map, P | exact LL | exact UZ | apply orderless_after, O].
    change (letters lambda (x :: y :: others)) with ((poisson lambda, [x]) :: letters lambda (y :: others)).
    rewrite bundles_cons by assumption. apply expectation_ext; [exact L | |].
    { intros i. apply bundles_unit; [exact LY | intros u; apply U]. }
    intros i. change (letters lambda (y :: others)) with ((poisson lambda, [y]) :: letters lambda others).
    rewrite bundles_cons by (assumption || (intros u; apply U)). apply expectation_ext; [exact L | |].
    { intros j. apply bundles_unit; [exact LO | intros u; apply U]. }
    intros j. apply expectation_ext; [apply bundles_law, LO | intros u; apply U |]. intros u. apply O.
    transitivity ((before ++ rest) ++ ([z] ++ times i [x] ++ times j [y]) ++ u).
    + rewrite <- !app_assoc. apply Permutation_app_head. apply Permutation_middle.
    + apply Permutation_app_head. rewrite (app_assoc (times (i0 + i) [x])). apply Permutation_app_tail, Z. }
  rewrite (Form x 1%nat 0%nat), (Form y 0%nat 1%nat).
  - apply (moved_message_mean lambda s (exp eps) delta L0 Hs (exp_pos eps) Hd F FU).
  - intros i j. exact (Permutation_middle (times i [x]) (times j [y]) y).
  - intros i j. reflexivity.
Qed.

Theorem flooding_private {X} (bins : list X) (m : R) (n : nat) (eps delta : R) :
  let lambda := INR n * m / INR (length bins) in
  let t := (exp eps - 1) / (exp eps + 1) in
  (forall x, In x bins) -> 0 <= m -> (1 <= n)%nat -> 0 < eps -> 0 < delta ->
  ln (1 / delta) + t * (1 - t) <= lambda * (t ^ 2 * (1 - t ^ 2 / 4)) ->
  countable_dp n (flooded bins m) eps delta.
Proof.
  intros lambda t bins_all M Hn He Hd H.
  assert (Some : bins = [] \/ bins <> []) by (destruct bins; [left | right]; congruence).
  destruct Some as [None | NE].
  { intros xs ys Near. exfalso. destruct Near as [before x y rest]. specialize (bins_all x). rewrite None in bins_all.
    exact bins_all. }
  assert (L0 := noise_in_bin_nonneg bins m NE M n : 0 <= lambda).
  assert (E1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (T1 : 1 - t = 2 / (exp eps + 1)) by (unfold t; field; lra).
  assert (TE : (1 - t) * exp eps = 1 + t) by (unfold t; field; lra).
  assert (T0 : 0 < t) by (unfold t; apply Rdiv_lt_0_compat; lra).
  assert (T2 : 0 < 1 - t) by (rewrite T1; apply Rdiv_lt_0_compat; lra).
  apply (flooding_below bins m n eps delta (t * (1 - t)) bins_all M Hn); [lra | apply Rmult_le_pos; lra |].
  fold lambda. rewrite <- (exp_ln delta Hd). apply exp_le.
  unfold Rdiv in H at 1. rewrite Rmult_1_l, ln_Rinv in H by exact Hd.
  replace (t * (1 - t) * exp eps) with (t * (1 + t)) by (rewrite <- TE; ring).
  assert (Sum : exp (t * (1 - t)) + exp (- (t * (1 + t))) <= 2 * exp (- (t ^ 2 / 2))).
  { assert (W := hoeffding_lemma (1 / 2) (2 * t) ltac:(lra)).
    replace (1 / 2 * (2 * t) + (2 * t) ^ 2 / 8) with (t + t ^ 2 / 2) in W by field.
    replace (t * (1 - t)) with (- (t * (1 + t)) + 2 * t) by ring. rewrite exp_plus.
    replace (- (t ^ 2 / 2)) with (- (t * (1 + t)) + (t + t ^ 2 / 2)) by field. rewrite (exp_plus _ (t + t ^ 2 / 2)).
    assert (P := exp_pos (- (t * (1 + t)))). apply (Rmult_le_compat_l _ _ _ (Rlt_le _ _ P)) in W. lra. }
  assert (Q := exp_below_square (t ^ 2 / 2) ltac:(assert (0 <= t ^ 2) by apply pow2_ge_0; lra)).
  assert (B : exp (t * (1 - t)) + exp (- (t * (1 + t))) - 2 <= - (t ^ 2 * (1 - t ^ 2 / 4))) by lra.
  apply (Rmult_le_compat_l _ _ _ L0) in B. lra.
Qed.

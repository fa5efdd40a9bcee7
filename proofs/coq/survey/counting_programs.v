(** Counting in private by shares of one noise, as programs of the shuffle model.

    Means of laws on 0, 1, 2, ... that are moved ([expectation_after]) or added up ([expectation_convolved]); and the
    protocol of noise/private_counting.v as a program: each of n >= 1 users holds a number, of which at most Delta >= 1
    counts, and sends so many messages of one symbol, and what he draws from D more ([one_sided]). For all n:

    - [negative_binomial_counting]: with D = NB(r/n, p) it is (eps, delta)-DP behind a shuffler for 0 < eps <= 1,
      delta > 0, r >= 3, r >= 3 ln(1/delta) and e^(-eps/(5 Delta)) <= p < 1;
    - [poisson_counting]: with D the Poisson law of mean mu/n it is for eps > 0, delta > 0, mu >= 10 ln(1/delta)/g^2 and
      mu >= 2 Delta/g, g = 1 - e^(-eps/Delta).

    Idea: all that is to be seen is the number of messages, and the shares add up to one noise.
    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the protocol); the proof is this package's. *)

From Coq Require Import Reals List Arith ZArith Lra Lia FinFun Permutation.
From Exactdp Require Import reals sums laws privacy masses infinite_sums post_processing hockey_stick.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_mean negative_binomial_sums.
From Exactdp Require Import negative_binomial_privacy poisson_noise poisson_sums.
Import ListNotations.
Open Scope R_scope.

(** ** Means under moved and shared laws *)

Lemma expectation_same {A} (D E : A -> R) f : law D -> unit_valued f -> (forall a, D a = E a) ->
  expectation D f = expectation E f.
Proof.
  intros L F S. symmetry. apply expectation_is. apply (sum_of_ext (fun a => D a * f a)); [intros a; rewrite S; reflexivity |].
  apply expectation_sum; assumption.
Qed.

Lemma expectation_compare {A} (D E : A -> R) f g c : law D -> law E -> unit_valued f -> unit_valued g -> 0 <= c ->
  (forall a, D a * f a <= c * (E a * g a)) -> expectation D f <= c * expectation E g.
Proof.
  intros LD LE F G C H. apply (sum_of_least _ _ _ (expectation_sum D LD f F)). intros l N.
  apply Rle_trans with (c * total l (fun a => E a * g a)).
  - rewrite <- total_scal. apply total_le. intros a _. apply H.
  - apply Rmult_le_compat_l; [exact C | apply (sum_of_upper _ _ l (expectation_sum E LE g G) N)].
Qed.

Lemma expectation_after_1 D f : law D -> unit_valued f -> expectation (after 1 D) f = expectation D (fun t => f (S t)).
Proof.
  intros L F. assert (F' : unit_valued (fun t => f (S t))) by (intros t; apply F).
  assert (S := expectation_sum D L _ F'). apply expectation_is. apply sum_of_intro.
  - intros l N. set (m := filter (fun t => negb (Nat.eqb t 0)) l).
    replace (total l (fun t => after 1 D t * f t)) with (total (map pred m) (fun t => D t * f (Datatypes.S t))).
    + apply (sum_of_upper _ _ _ S). apply (NoDup_map_inv Datatypes.S). rewrite map_map.
      rewrite (map_ext_in _ (fun t => t)), map_id; [apply NoDup_filter, N |].
      intros t I. apply filter_In in I. destruct I as [_ I]. destruct t; [discriminate | reflexivity].
    + rewrite total_map. unfold m. rewrite total_filter. apply total_ext. intros [| t] _; unfold after; simpl; [ring |].
      rewrite Nat.sub_0_r. reflexivity.
  - intros b H. apply (sum_of_least _ _ _ S). intros l N. specialize (H (map Datatypes.S l)
      ltac:(apply Injective_map_NoDup; [intros x y E; injection E; auto | exact N])).
    rewrite total_map in H. eapply Rle_trans; [| exact H]. right. apply total_ext. intros t _. unfold after. simpl.
    rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma expectation_after i D f : law D -> unit_valued f -> expectation (after i D) f = expectation D (fun t => f (i + t)%nat).
Proof.
  intros L. revert f. induction i as [| i IH]; intros f F.
  - apply expectation_same; [apply law_after, L | exact F |]. intros t. unfold after. simpl. f_equal. lia.
  - rewrite (expectation_same (after (S i) D) (after 1 (after i D))) by
      (exact F || apply law_after, L || (intros [| t]; unfold after; simpl; rewrite ?Nat.sub_0_r; reflexivity)).
    rewrite expectation_after_1 by (exact F || apply law_after, L). apply IH. intros t. apply F.
Qed.

Lemma expectation_convolved u v f : law u -> law v -> unit_valued f ->
  expectation (convolved_masses u v) f = expectation u (fun i => expectation v (fun j => f (i + j)%nat)).
Proof.
  intros Lu Lv F. rewrite (expectation_same _ (chain u (fun i => after i v))).
  - rewrite expectation_chain by (auto using law_after). apply expectation_ext; [exact Lu | |].
    + intros i. apply expectation_bounds; [apply law_after, Lv | exact F].
    + intros i. apply expectation_after; assumption.
  - apply convolved_law; assumption.
  - exact F.
  - intros t. symmetry. apply expectation_is.
    replace (convolved_masses u v t) with (total (seq 0 (S t)) (fun a => u a * after a v t)).
    + apply sum_of_finite; [| apply seq_NoDup |].
      * intros a. apply Rmult_le_pos; [apply Lu | apply (law_after a v Lv)].
      * intros a I. unfold after. rewrite (proj2 (Nat.ltb_lt _ _)); [ring |]. apply Nat.nle_gt. intros K. apply I, in_seq. lia.
    + apply total_ext. intros a I. apply in_seq in I. unfold after. rewrite (proj2 (Nat.ltb_ge _ _)) by lia. reflexivity.
Qed.

Lemma expectation_no_noise f : unit_valued f -> expectation no_noise f = f 0%nat.
Proof.
  intros F. rewrite (expectation_same no_noise (point 0%nat)).
  - apply expectation_point, F.
  - apply law_no_noise.
  - exact F.
  - intros t. unfold point. destruct (same 0%nat t) as [<- | N]; [reflexivity |]. destruct t; [contradiction | reflexivity].
Qed.

Lemma shares_law D n : law D -> law (shares D n).
Proof. intros L. induction n as [| n IH]; cbn [shares]; [apply law_no_noise | apply convolved_law; assumption]. Qed.

Lemma expectation_below {A} (P Q : A -> R) E delta f : law P -> law Q -> 0 <= E -> mass_below P Q E delta -> unit_valued f ->
  expectation P f <= E * expectation Q f + delta.
Proof.
  intros LP LQ HE B F. apply (sum_of_least _ _ _ (expectation_sum P LP f F)). intros l N.
  eapply Rle_trans; [apply (mass_below_mean P Q E delta f l B N F) |].
  apply Rplus_le_compat_r, Rmult_le_compat_l; [exact HE | apply (sum_of_upper _ _ l (expectation_sum Q LQ f F) N)].
Qed.

(** The same law on the integers. *)
Lemma moved_masses D c d E delta :
  mass_below (fun z => on_naturals D (z - Z.of_nat c)) (fun z => on_naturals D (z - Z.of_nat d)) E delta ->
  mass_below (after c D) (after d D) E delta.
Proof.
  intros B l N. specialize (B (map Z.of_nat l) ltac:(apply Injective_map_NoDup; [intros x y; lia | exact N])).
  assert (Same : forall e, total (map Z.of_nat l) (fun z => on_naturals D (z - Z.of_nat e)) = total l (after e D)).
  { intros e. rewrite total_map. apply total_ext. intros t _. unfold on_naturals, after.
    destruct (Z.ltb_spec (Z.of_nat t - Z.of_nat e) 0), (Nat.ltb_spec t e); try lia; [reflexivity |]. f_equal. lia. }
  rewrite !Same in B. exact B.
Qed.

(** ** The protocol *)

Definition one_sided (D : nat -> R) (Delta x : nat) : list unit -> R :=
  chain D (fun z => point (repeat tt (Nat.min x Delta + z))).

Definition clipped_sum (Delta : nat) (xs : list nat) : nat := fold_right (fun x => Nat.add (Nat.min x Delta)) 0%nat xs.

Section OneSided.
  Variables (D : nat -> R) (Delta : nat).
  Hypothesis L : law D.

  Lemma one_sided_law x : law (one_sided D Delta x).
  Proof. apply chain_law; [exact L | intros z; apply point_law]. Qed.

  Lemma one_sided_mean x f : unit_valued f ->
    expectation (one_sided D Delta x) f = expectation D (fun z => f (repeat tt (Nat.min x Delta + z))).
  Proof.
    intros F. unfold one_sided. rewrite expectation_chain; [| exact L | intros; apply point_law | exact F].
    apply expectation_ext; [exact L | intros z; apply expectation_bounds; [apply point_law | exact F] |].
    intros z. apply expectation_point, F.
  Qed.

  Lemma one_sided_count xs f : unit_valued f -> expectation (sent (one_sided D Delta) xs) f =
    expectation (shares D (length xs)) (fun z => f (repeat tt (clipped_sum Delta xs + z))).
  Proof.
    revert f. induction xs as [| x xs IH]; intros f F.
    - cbn [sent length shares]. rewrite expectation_point by apply F.
      rewrite expectation_no_noise by (intros z; apply F). reflexivity.
    - assert (S := shares_law D (length xs) L). rewrite sent_cons by (exact F || apply one_sided_law).
      rewrite one_sided_mean by (intros u; apply expectation_bounds; [apply sent_law, one_sided_law | intros v; apply F]).
      cbn [length shares]. rewrite expectation_convolved by (assumption || (intros z; apply F)).
      apply expectation_ext; [exact L | |].
      + intros z. apply expectation_bounds; [apply sent_law, one_sided_law | intros v; apply F].
      + intros z. rewrite IH by (intros v; apply F). apply expectation_ext; [exact S | intros y; apply F |].
        intros y. rewrite <- repeat_app. f_equal. f_equal. simpl. lia.
  Qed.

  Lemma one_sided_private n E delta N : 0 <= exp E -> law N -> (forall t, shares D n t = N t) ->
    (forall c d, (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
      mass_below (fun z => on_naturals N (z - c)) (fun z => on_naturals N (z - d)) (exp E) delta) ->
    countable_dp n (one_sided D Delta) E delta.
  Proof.
    intros HE LN Same B xs ys Near Len T _.
    assert (Len' : length ys = n) by (rewrite <- Len; inversion Near; rewrite !app_length; reflexivity).
    assert (Form : forall zs, length zs = n -> expectation (sent (one_sided D Delta) zs) (indicator T) =
      expectation (after (clipped_sum Delta zs) N) (fun t => indicator T (repeat tt t))).
    { intros zs Lz. rewrite one_sided_count by (intros u; apply indicator_bounds). rewrite Lz.
      rewrite (expectation_same _ N) by
        (exact Same || apply shares_law, L || (intros t; apply indicator_bounds)).
      symmetry. apply (expectation_after _ N (fun t => indicator T (repeat tt t)) LN). intros t. apply indicator_bounds. }
    rewrite !Form by assumption.
    apply expectation_below; auto using law_after; [| intros t; apply indicator_bounds].
    apply moved_masses, B. inversion Near as [before x y after' E1 E2].
    assert (Sum : forall z, clipped_sum Delta (before ++ z :: after') =
      (clipped_sum Delta before + Nat.min z Delta + clipped_sum Delta after')%nat).
    { intros z. clear. induction before as [| b before IH]; simpl in *; lia. }
    rewrite !Sum. lia.
  Qed.
End OneSided.

Theorem negative_binomial_counting (n Delta : nat) eps delta r p D :
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 -> is_negative_binomial (r / INR n) p D ->
  countable_dp n (one_sided D Delta) eps delta.
Proof.
  intros Hn HD He Pd Hr Hd Hp N. assert (S := negative_binomial_divisible r p D n Hn N).
  apply (one_sided_private D Delta (proj1 N) n eps delta (shares D n)); [left; apply exp_pos | apply S | reflexivity |].
  intros c d. apply (negative_binomial_below eps delta r p Delta); assumption.
Qed.

Theorem poisson_counting (n Delta : nat) eps delta mu :
  let g := 1 - exp (- (eps / INR Delta)) in
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps -> 0 < delta ->
  10 * ln (1 / delta) / g ^ 2 <= mu -> 2 * INR Delta / g <= mu ->
  countable_dp n (one_sided (poisson (mu / INR n)) Delta) eps delta.
Proof.
  intros g Hn HD He Pd M1 M2.
  assert (K : 0 < INR Delta) by (apply lt_0_INR; lia). assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (G : 0 < g).
  { unfold g. assert (exp (- (eps / INR Delta)) < 1); [| lra]. rewrite <- exp_0. apply exp_increasing.
    assert (0 < eps / INR Delta) by (apply Rdiv_lt_0_compat; lra). lra. }
  assert (Mu : 0 <= mu).
  { eapply Rle_trans; [| exact M2]. apply Rle_mult_inv_pos; lra. }
  apply (one_sided_private (poisson (mu / INR n)) Delta) with (N := poisson mu).
  - apply poisson_law. apply Rle_mult_inv_pos; lra.
  - left. apply exp_pos.
  - apply poisson_law, Mu.
  - intros t. apply poisson_divisible, Hn.
  - intros c d. apply (poisson_below eps delta mu Delta); assumption.
Qed.

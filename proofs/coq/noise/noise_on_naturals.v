(** Noise on 0, 1, 2, ...: what its tails say about the privacy of an integer query.

    D gives masses D(t) >= 0 to t = 0, 1, 2, ..., and [on_naturals D] is the same law on all integers. A query
    shows c + W or d + W for neighbours, with W drawn from D and abs(c - d) <= Delta. Proved, for every E1 >= 1,
    delta >= 0, a > 0 and real b, and for all finite sets of outcomes, hence for all events: if

    - D(t+1) <= E1 D(t) wherever t + 1 >= a, and the masses below a + Delta - 1 add up to at most delta,
    - D(t) <= E1 D(t+1) wherever t + 1 <= b, and the masses above b - Delta add up to at most delta,

    then c + W is (E1^Delta, delta)-below d + W, and the other way round ([tails_private]). The second line is for
    the greater of c and d, the first for the smaller; where D(t) <= E1 D(t+1) for all t nothing is lost there
    ([lower_tail_private]).

    Idea: away from the tail each of the at most Delta steps from one mass to the other costs a factor of E1.
    Source: folklore; this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums.
Import ListNotations.
Open Scope R_scope.

Definition on_naturals (f : nat -> R) (t : Z) : R := if Z.ltb t 0 then 0 else f (Z.to_nat t).

Lemma on_naturals_of_nat f n : on_naturals f (Z.of_nat n) = f n.
Proof. unfold on_naturals. rewrite (proj2 (Z.ltb_ge _ _)), Nat2Z.id by lia. reflexivity. Qed.

Lemma on_naturals_nonneg f z : (forall t, 0 <= f t) -> 0 <= on_naturals f z.
Proof. intros P. unfold on_naturals. destruct (Z.ltb z 0); [lra | apply P]. Qed.

(** A finite set of integers has the masses of the naturals in it. *)
Lemma total_on_naturals (f : nat -> R) (c : Z) (l : list Z) : NoDup l ->
  exists m, NoDup m /\ (forall t, In t m <-> In (Z.of_nat t + c)%Z l) /\
  total l (fun z => on_naturals f (z - c)) = total m f.
Proof.
  induction 1 as [| z l Hz N [m [Nm [I E]]]].
  - exists []. split; [constructor |]. split; [tauto | reflexivity].
  - simpl. rewrite E. unfold on_naturals at 1. destruct (Z.ltb_spec (z - c) 0) as [L | L].
    + exists m. split; [exact Nm |]. split; [| ring].
      intros t. rewrite I. split; [auto |]. intros [K | K]; [lia | exact K].
    + exists (Z.to_nat (z - c) :: m). split; [| split; [| reflexivity]].
      * constructor; [| exact Nm]. rewrite I. intros K. apply Hz.
        replace z with (Z.of_nat (Z.to_nat (z - c)) + c)%Z by lia. exact K.
      * intros t. simpl. rewrite I. split; intros [K | K]; auto; left; lia.
Qed.

Lemma law_on_naturals (f : nat -> R) : law f -> law (on_naturals f).
Proof.
  intros H. destruct (proj1 (law_sum_of f) H) as [P S]. apply law_sum_of.
  split; [intros z; apply on_naturals_nonneg, P |]. apply sum_of_intro.
  - intros l N. destruct (total_on_naturals f 0 l N) as [m [Nm [_ E]]].
    rewrite (total_ext l _ (fun z => on_naturals f (z - 0))), E by (intros z _; f_equal; lia).
    apply (sum_of_upper f 1 m S Nm).
  - intros b Hb. apply (sum_of_least f _ _ S). intros m Nm.
    specialize (Hb (map Z.of_nat m)). rewrite total_map in Hb.
    rewrite (total_ext m f (fun t => on_naturals f (Z.of_nat t))).
    + apply Hb. apply FinFun.Injective_map_NoDup; [intros x y; lia | exact Nm].
    + intros t _. symmetry. apply on_naturals_of_nat.
Qed.

(** What is bounded pointwise but on a rare set. *)
Lemma mass_below_but_rare {A} (P Q : A -> R) (rare : A -> bool) E delta :
  (forall a, 0 <= Q a) -> 0 <= E -> (forall a, rare a = false -> P a <= E * Q a) ->
  (forall l, NoDup l -> (forall a, In a l -> rare a = true) -> total l P <= delta) -> mass_below P Q E delta.
Proof.
  intros HQ HE H R l N.
  apply Rle_trans with (total l (fun a => E * Q a + if rare a then P a else 0)).
  - apply total_le. intros a _. destruct (rare a) eqn:B; [| specialize (H a B); lra].
    assert (0 <= E * Q a) by (apply Rmult_le_pos; auto). lra.
  - rewrite total_plus, total_scal, <- total_filter. apply Rplus_le_compat_l, R; [apply NoDup_filter, N |].
    intros a I. apply filter_In in I. apply I.
Qed.

Section noise.

Variables (D : nat -> R) (E1 : R).
Hypothesis nonneg : forall t, 0 <= D t.
Hypothesis E1_at_least_1 : 1 <= E1.

Let shown (c z : Z) : R := on_naturals D (z - c).

Lemma shown_nonneg c z : 0 <= shown c z.
Proof. apply on_naturals_nonneg, nonneg. Qed.

Lemma fewer_factors k n x y : (k <= n)%nat -> 0 <= y -> x <= E1 ^ k * y -> x <= E1 ^ n * y.
Proof.
  intros K Y H. eapply Rle_trans; [exact H |]. apply Rmult_le_compat_r; [exact Y |].
  apply Rle_pow; assumption.
Qed.

(** k steps. *)
Lemma steps_up a k n :
  (forall t, a <= INR (S t) -> D (S t) <= E1 * D t) -> a <= INR (S n) -> D (k + n)%nat <= E1 ^ k * D n.
Proof.
  intros H A. induction k as [| k IH]; [simpl; lra |]. simpl plus. eapply Rle_trans.
  - apply H. eapply Rle_trans; [exact A |]. apply le_INR. lia.
  - simpl pow. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra | exact IH].
Qed.

Lemma steps_down b k n :
  (forall t, INR (S t) <= b -> D t <= E1 * D (S t)) -> INR (k + n) <= b -> D n <= E1 ^ k * D (k + n)%nat.
Proof.
  intros H. induction k as [| k IH]; intros B; [simpl; lra |].
  assert (B' : INR (k + n) <= b) by (eapply Rle_trans; [apply le_INR | exact B]; lia).
  eapply Rle_trans; [apply (IH B') |]. simpl pow. rewrite (Rmult_comm E1), Rmult_assoc.
  apply Rmult_le_compat_l; [apply pow_le; lra | apply H, B].
Qed.

(** The smaller one shows outcomes that the greater one misses. *)
Lemma smaller_below a (Delta : nat) delta c d :
  0 < a -> (forall t, a <= INR (S t) -> D (S t) <= E1 * D t) ->
  (forall l, NoDup l -> (forall t, In t l -> INR t < a + INR Delta - 1) -> total l D <= delta) ->
  (c <= d <= c + Z.of_nat Delta)%Z -> mass_below (shown c) (shown d) (E1 ^ Delta) delta.
Proof.
  intros Ha H Tail Hd. set (k := Z.to_nat (d - c)).
  apply (mass_below_but_rare _ _ (fun z => Rltb (IZR (z - c)) (a + INR Delta - 1))).
  - apply shown_nonneg.
  - apply pow_le. lra.
  - intros z B. destruct (Rlt_dec (IZR (z - c)) (a + INR Delta - 1)) as [L | L];
      [rewrite (proj2 (Rltb_true _ _) L) in B; discriminate |].
    apply Rnot_lt_le in L. unfold shown, on_naturals at 1. destruct (Z.ltb_spec (z - c) 0) as [Z0 | Z0];
      [apply Rmult_le_pos; [apply pow_le; lra | apply shown_nonneg] |].
    assert (K : INR k <= INR Delta) by (apply le_INR; unfold k; lia).
    assert (Zk : IZR (z - d) = IZR (z - c) - INR k).
    { unfold k. rewrite INR_IZR_INZ, Z2Nat.id, <- minus_IZR by lia. f_equal. lia. }
    assert (Zd : (0 <= z - d)%Z) by (cut (-1 < z - d)%Z; [lia | apply lt_IZR; lra]).
    unfold on_naturals. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
    apply (fewer_factors k); [unfold k; lia | apply nonneg |].
    replace (Z.to_nat (z - c)) with (k + Z.to_nat (z - d))%nat by (unfold k; lia).
    apply (steps_up a); [exact H |]. rewrite S_INR, INR_IZR_INZ, Z2Nat.id by lia. lra.
  - intros l N R. destruct (total_on_naturals D c l N) as [m [Nm [I Sum]]].
    unfold shown. rewrite Sum. apply Tail; [exact Nm |].
    intros t It. apply I, R, Rltb_true in It.
    replace (Z.of_nat t + c - c)%Z with (Z.of_nat t) in It by lia. rewrite <- INR_IZR_INZ in It. exact It.
Qed.

(** The greater one has the longer tail. *)
Lemma greater_below b (Delta : nat) delta c d :
  (forall t, INR (S t) <= b -> D t <= E1 * D (S t)) ->
  (forall l, NoDup l -> (forall t, In t l -> b - INR Delta < INR t) -> total l D <= delta) ->
  (d <= c <= d + Z.of_nat Delta)%Z -> mass_below (shown c) (shown d) (E1 ^ Delta) delta.
Proof.
  intros H Tail Hd. set (k := Z.to_nat (c - d)).
  apply (mass_below_but_rare _ _ (fun z => Rltb (b - INR Delta) (IZR (z - c)))).
  - apply shown_nonneg.
  - apply pow_le. lra.
  - intros z B. destruct (Rlt_dec (b - INR Delta) (IZR (z - c))) as [L | L];
      [rewrite (proj2 (Rltb_true _ _) L) in B; discriminate |].
    apply Rnot_lt_le in L. unfold shown, on_naturals at 1. destruct (Z.ltb_spec (z - c) 0) as [Z0 | Z0];
      [apply Rmult_le_pos; [apply pow_le; lra | apply shown_nonneg] |].
    assert (K : INR k <= INR Delta) by (apply le_INR; unfold k; lia).
    unfold on_naturals. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
    apply (fewer_factors k); [unfold k; lia | apply nonneg |].
    replace (Z.to_nat (z - d)) with (k + Z.to_nat (z - c))%nat by (unfold k; lia).
    apply (steps_down b); [exact H |]. rewrite plus_INR, (INR_IZR_INZ (Z.to_nat _)), Z2Nat.id by lia. lra.
  - intros l N R. destruct (total_on_naturals D c l N) as [m [Nm [I Sum]]].
    unfold shown. rewrite Sum. apply Tail; [exact Nm |].
    intros t It. apply I, R, Rltb_true in It.
    replace (Z.of_nat t + c - c)%Z with (Z.of_nat t) in It by lia. rewrite <- INR_IZR_INZ in It. exact It.
Qed.

Theorem tails_private a b (Delta : nat) delta :
  0 < a ->
  (forall t, a <= INR (S t) -> D (S t) <= E1 * D t) ->
  (forall l, NoDup l -> (forall t, In t l -> INR t < a + INR Delta - 1) -> total l D <= delta) ->
  (forall t, INR (S t) <= b -> D t <= E1 * D (S t)) ->
  (forall l, NoDup l -> (forall t, In t l -> b - INR Delta < INR t) -> total l D <= delta) ->
  forall c d, (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - d)) (E1 ^ Delta) delta.
Proof.
  intros Ha U TU Dn TD c d K. destruct (Z_le_gt_dec c d) as [L | L].
  - apply (smaller_below a Delta delta); auto. lia.
  - apply (greater_below b Delta delta); auto. lia.
Qed.

Theorem lower_tail_private a (Delta : nat) delta :
  0 < a ->
  (forall t, a <= INR (S t) -> D (S t) <= E1 * D t) ->
  (forall l, NoDup l -> (forall t, In t l -> INR t < a + INR Delta - 1) -> total l D <= delta) ->
  (forall t, D t <= E1 * D (S t)) ->
  forall c d, (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - d)) (E1 ^ Delta) delta.
Proof.
  intros Ha U TU Dn c d K. destruct (Z_le_gt_dec c d) as [L | L].
  - apply (smaller_below a Delta delta); auto. lia.
  - assert (Pd : 0 <= delta) by (apply (TU []); [constructor | intros t []]).
    apply (mass_below_weaken _ _ (E1 ^ Delta) 0); [apply shown_nonneg | lra | exact Pd |].
    apply mass_below_pointwise. intros z. set (k := Z.to_nat (c - d)).
    unfold on_naturals at 1. destruct (Z.ltb_spec (z - c) 0) as [Z0 | Z0];
      [apply Rmult_le_pos; [apply pow_le; lra | apply (shown_nonneg d)] |].
    unfold on_naturals. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
    apply (fewer_factors k); [unfold k; lia | apply nonneg |].
    replace (Z.to_nat (z - d)) with (k + Z.to_nat (z - c))%nat by (unfold k; lia).
    apply (steps_down (INR (k + Z.to_nat (z - c)))); [intros t _; apply Dn | lra].
Qed.

End noise.

(** A uniform law differs from itself at its ends.

    Let low <= high be integers, N = high - low + 1, and let every integer from low to high have the
    probability 1/N: a law ([uniform_law]), whose weights are log-concave ([uniform_log_concave]). Let
    j >= 1 and m = min(j, N). Then the law and the same moved up by j are (E, delta)-below each other, in
    both orders, if and only if m/N <= delta, for every E >= 1 and every real delta ([uniform_ends]): the
    divergence is m/N, whatever E is.

    Idea: m outcomes are of the first law alone, and of all others the second one has no less.

    The classes Ends of exactdp/checker/finite_laws.py and DiscreteUniformNoise of
    exactdp/checker/noise_laws.py rest on it. Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums masses shifts longer_shift.
Import ListNotations.
Open Scope R_scope.

(** ** Runs of integers *)

Definition integers_from (first : Z) (count : nat) : list Z := map (fun i => first + Z.of_nat i)%Z (seq 0 count).

Lemma run_NoDup first count : NoDup (integers_from first count).
Proof. apply Injective_map_NoDup; [intros i k H; lia | apply seq_NoDup]. Qed.

Lemma in_run first count t : In t (integers_from first count) <-> (first <= t < first + Z.of_nat count)%Z.
Proof.
  unfold integers_from. rewrite in_map_iff. split.
  - intros [i [<- I]]. apply in_seq in I. lia.
  - intros H. exists (Z.to_nat (t - first)). split; [lia | apply in_seq; lia].
Qed.

Lemma total_run_const first count c f :
  (forall t, (first <= t < first + Z.of_nat count)%Z -> f t = c) -> total (integers_from first count) f = INR count * c.
Proof.
  intros H. rewrite (total_ext _ f (fun _ => c)) by (intros t I; apply H, in_run, I).
  rewrite total_const. unfold integers_from. rewrite map_length, seq_length. reflexivity.
Qed.

(** ** Two laws of which one has a run of outcomes of its own *)

Lemma alone_on_a_run (P Q : Z -> R) p first count E delta :
  0 <= p -> 1 <= E -> (forall t, 0 <= Q t) ->
  (forall t, (first <= t < first + Z.of_nat count)%Z -> P t = p /\ Q t = 0) ->
  (forall t, ~ (first <= t < first + Z.of_nat count)%Z -> P t <= Q t) ->
  (mass_below P Q E delta <-> INR count * p <= delta).
Proof.
  intros Hp HE HQ Inside Outside. split.
  - intros H. specialize (H (integers_from first count) (run_NoDup first count)).
    rewrite (total_run_const first count p P), (total_run_const first count 0 Q) in H
      by (intros t I; apply Inside, I). lra.
  - intros Hd l N.
    set (alone := fun t => (Z.leb first t && Z.ltb t (first + Z.of_nat count))%bool).
    assert (A : forall t, alone t = true <-> (first <= t < first + Z.of_nat count)%Z).
    { intros t. unfold alone. rewrite Bool.andb_true_iff, Z.leb_le, Z.ltb_lt. tauto. }
    assert (X : total l (fun t => P t - E * Q t) <= total (filter alone l) (fun _ => p)).
    { rewrite total_filter. apply total_le. intros t _. destruct (alone t) eqn:T.
      - apply A in T. destruct (Inside t T) as [-> ->]. lra.
      - assert (O : P t <= Q t) by (apply Outside; rewrite <- A, T; discriminate).
        assert (1 * Q t <= E * Q t) by (apply Rmult_le_compat_r; [apply HQ | exact HE]). lra. }
    assert (Y : total (filter alone l) (fun _ => p) <= total (integers_from first count) (fun _ => p)).
    { apply total_incl; [apply NoDup_filter, N | | intros; exact Hp].
      intros t I. apply filter_In in I. apply in_run, A, I. }
    rewrite (total_run_const first count p) in Y by reflexivity.
    rewrite total_minus, total_scal in X. lra.
Qed.

(** ** The uniform law *)

Section Uniform.

Variables low high : Z.
Hypothesis ends : (low <= high)%Z.

Definition breadth : Z := (high - low + 1)%Z.

Definition uniform_on (t : Z) : R := if (Z.leb low t && Z.leb t high)%bool then / IZR breadth else 0.

Lemma share_positive : 0 < / IZR breadth.
Proof. apply Rinv_0_lt_compat, (IZR_lt 0). unfold breadth. lia. Qed.

Lemma uniform_inside t : (low <= t <= high)%Z -> uniform_on t = / IZR breadth.
Proof. intros [L H]. unfold uniform_on. rewrite (proj2 (Z.leb_le _ _) L), (proj2 (Z.leb_le _ _) H). reflexivity. Qed.

Lemma uniform_outside t : ~ (low <= t <= high)%Z -> uniform_on t = 0.
Proof.
  intros N. unfold uniform_on. destruct (Z.leb_spec low t), (Z.leb_spec t high); try reflexivity. exfalso. lia.
Qed.

Lemma uniform_nonneg t : 0 <= uniform_on t.
Proof. unfold uniform_on. destruct (_ && _)%bool; [left; exact share_positive | apply Rle_refl]. Qed.

Theorem uniform_law : law uniform_on.
Proof.
  apply (law_of_finite_support Z.eq_dec uniform_on (integers_from low (Z.to_nat breadth))).
  - exact uniform_nonneg.
  - apply run_NoDup.
  - intros t N. apply uniform_outside. intros I. apply N, in_run. unfold breadth. lia.
  - rewrite (total_run_const _ _ (/ IZR breadth)).
    + rewrite INR_IZR_INZ, Z2Nat.id by (unfold breadth; lia). apply Rinv_r, not_0_IZR. unfold breadth. lia.
    + intros t I. apply uniform_inside. unfold breadth in I. lia.
Qed.

Theorem uniform_log_concave : log_concave uniform_on.
Proof.
  split; [exact uniform_nonneg |]. intros s t H.
  assert (D : forall k, (low <= k <= high)%Z \/ ~ (low <= k <= high)%Z) by (intros k; lia).
  assert (Z : 0 <= uniform_on (s + 1) * uniform_on t) by (apply Rmult_le_pos; apply uniform_nonneg).
  destruct (D s) as [S | S]; [| rewrite (uniform_outside s S), Rmult_0_l; exact Z].
  destruct (D (t + 1)%Z) as [T | T]; [| rewrite (uniform_outside (t + 1) T), Rmult_0_r; exact Z].
  rewrite (uniform_inside s S), (uniform_inside (t + 1) T), (uniform_inside (s + 1)), (uniform_inside t) by lia.
  apply Rle_refl.
Qed.

Theorem uniform_ends j E delta :
  (1 <= j)%Z -> 1 <= E ->
  (mass_below uniform_on (shifted uniform_on j) E delta <-> IZR (Z.min j breadth) / IZR breadth <= delta) /\
  (mass_below (shifted uniform_on j) uniform_on E delta <-> IZR (Z.min j breadth) / IZR breadth <= delta).
Proof.
  intros J HE. set (m := Z.to_nat (Z.min j breadth)).
  assert (M : Z.of_nat m = Z.min j breadth) by (unfold m, breadth; lia).
  replace (IZR (Z.min j breadth) / IZR breadth) with (INR m * / IZR breadth)
    by (rewrite INR_IZR_INZ, M; reflexivity).
  assert (Pos : 0 <= / IZR breadth) by (left; exact share_positive).
  assert (Moved : forall t, 0 <= shifted uniform_on j t) by (intros t; apply uniform_nonneg).
  unfold breadth in M. split.
  - apply (alone_on_a_run _ _ _ low); [exact Pos | exact HE | exact Moved | |]; intros t I; unfold shifted.
    + split; [apply uniform_inside | apply uniform_outside]; lia.
    + destruct (Z_le_dec low t) as [L | L]; [destruct (Z_le_dec t high) as [H | H] |].
      * right. rewrite !uniform_inside by lia. reflexivity.
      * rewrite (uniform_outside t) by lia. apply uniform_nonneg.
      * rewrite (uniform_outside t) by lia. apply uniform_nonneg.
  - apply (alone_on_a_run _ _ _ (high + j - Z.of_nat m + 1));
      [exact Pos | exact HE | exact uniform_nonneg | |]; intros t I; unfold shifted.
    + split; [apply uniform_inside | apply uniform_outside]; lia.
    + destruct (Z_le_dec low (t - j)) as [L | L]; [destruct (Z_le_dec (t - j) high) as [H | H] |].
      * right. rewrite !uniform_inside by lia. reflexivity.
      * rewrite (uniform_outside (t - j)) by lia. apply uniform_nonneg.
      * rewrite (uniform_outside (t - j)) by lia. apply uniform_nonneg.
Qed.

End Uniform.

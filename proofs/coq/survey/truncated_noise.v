(** With delta > 0 noise with a bounded error beats the geometric law.

    [truncated_beats_geometric]: the uniform law on {-1, 0, 1} is a law, a shift by 1 in either direction is
    (eps, 1/3)-indistinguishable from it for every eps >= 0, and at e^eps = 3/2 its error is stochastically
    smaller than that of two-sided geometric noise with ratio 2/3: P[abs(z) >= k] is smaller for every k >= 1.

    Idea: only the mass 1/3 at one end shows the shift; 2/3 < 4/5, and 0 is below every tail.

    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses geometric_noise geometric_error.
Import ListNotations.
Open Scope R_scope.

Definition uniform3 (z : Z) : R := if in_dec Z.eq_dec z [-1; 0; 1]%Z then 1 / 3 else 0.

Lemma uniform3_nonneg z : 0 <= uniform3 z.
Proof. unfold uniform3. destruct in_dec; lra. Qed.

Lemma uniform3_support : NoDup [-1; 0; 1]%Z.
Proof. repeat (constructor; [simpl; lia |]). constructor. Qed.

Lemma uniform3_law : law uniform3.
Proof.
  apply (law_of_finite_support Z.eq_dec uniform3 [-1; 0; 1]%Z).
  - apply uniform3_nonneg.
  - apply uniform3_support.
  - intros z H. unfold uniform3. destruct in_dec; [contradiction | reflexivity].
  - cbn [total]. unfold uniform3. repeat (destruct in_dec as [_ | N]; [| exfalso; apply N; simpl; tauto]). lra.
Qed.

(** A shift loses the mass at one end. *)
Lemma uniform3_shift (E : R) (s end_ : Z) :
  1 <= E -> (s = 1 /\ end_ = -1 \/ s = -1 /\ end_ = 1)%Z ->
  mass_below uniform3 (fun z => uniform3 (z - s)) E (1 / 3).
Proof.
  intros HE Hs l N.
  apply Rle_trans with (total l (fun z => E * uniform3 (z - s) + (if Z.eq_dec end_ z then 1 / 3 else 0))).
  - apply total_le. intros z _. assert (P := uniform3_nonneg (z - s)).
    assert (Q : 1 * uniform3 (z - s) <= E * uniform3 (z - s)) by (apply Rmult_le_compat_r; lra).
    destruct (Z.eq_dec end_ z) as [<- | X].
    + unfold uniform3 at 1. destruct (in_dec _ _ _); lra.
    + enough (uniform3 z <= uniform3 (z - s)) by lra. clear P Q. unfold uniform3.
      destruct (in_dec Z.eq_dec z [-1; 0; 1]%Z) as [I | _];
        destruct (in_dec Z.eq_dec (z - s)%Z [-1; 0; 1]%Z) as [_ | J]; try lra.
      exfalso. apply J. simpl in *. lia.
  - rewrite total_plus, total_scal. apply Rplus_le_compat_l.
    destruct (in_dec Z.eq_dec end_ l) as [I | I]; [rewrite total_single by assumption; lra |].
    rewrite (total_ext _ _ (fun _ => 0)), total_zero; [lra |].
    intros z Hz. destruct (Z.eq_dec end_ z) as [<- |]; [contradiction | reflexivity].
Qed.

Theorem truncated_beats_geometric :
  law uniform3 /\
  (forall eps, 0 <= eps ->
     mass_below uniform3 (fun z => uniform3 (z - 1)) (exp eps) (1 / 3) /\
     mass_below uniform3 (fun z => uniform3 (z + 1)) (exp eps) (1 / 3)) /\
  (forall k p q, (1 <= k)%Z ->
     mass_of uniform3 (fun z => (k <= Z.abs z)%Z) p ->
     mass_of (geometric (2 / 3)) (fun z => (k <= Z.abs z)%Z) q -> p < q).
Proof.
  split; [apply uniform3_law |]. split.
  - intros eps He. assert (E := exp_ge_1 eps He). split.
    + apply (uniform3_shift _ 1 (-1)); [exact E | lia].
    + intros l N. rewrite (total_ext l (fun z => uniform3 (z + 1)) (fun z => uniform3 (z - -1)))
        by (intros; f_equal; lia).
      apply (uniform3_shift _ (-1) 1); [exact E | lia | exact N].
  - intros k p q Hk Hp Hq.
    assert (G := geometric_two_tails (2 / 3) k ltac:(lra) Hk).
    assert (Eq : q = 2 * (2 / 3) ^ Z.to_nat k / (1 + 2 / 3)) by (apply (is_lub_u _ _ _ Hq G)).
    assert (Pw : 0 < (2 / 3) ^ Z.to_nat k) by (apply pow_lt; lra).
    assert (B : p <= total (filter (fun z => Z.leb k (Z.abs z)) [-1; 0; 1]%Z) uniform3).
    { apply Req_le, (is_lub_u _ _ _ Hp).
      apply (mass_of_ext _ (fun z => Z.leb k (Z.abs z) = true)); [intros z; rewrite Z.leb_le; reflexivity |].
      apply (mass_of_finite_support Z.eq_dec); [apply uniform3_nonneg | apply uniform3_support |].
      intros z H. unfold uniform3. destruct in_dec; [contradiction | reflexivity]. }
    destruct (Z.eq_dec k 1) as [-> | K].
    + cbn in B. unfold uniform3 in B.
      simpl in Eq. lra.
    + assert (F : filter (fun z => Z.leb k (Z.abs z)) [-1; 0; 1]%Z = []).
      { cbn [filter]. replace (Z.leb k (Z.abs (-1))) with false by (symmetry; apply Z.leb_gt; lia).
        replace (Z.leb k (Z.abs 0)) with false by (symmetry; apply Z.leb_gt; lia).
        replace (Z.leb k (Z.abs 1)) with false by (symmetry; apply Z.leb_gt; lia). reflexivity. }
      rewrite F in B. simpl in B. lra.
Qed.

(** Integers around 2^bits e^(x / 2^bits): the function [exp_bounds] of the checker, and its soundness.

    [exp_bounds bits x] is that function as a program on integers. For x >= 0 it takes y = x / 2^h, at
    most 1/2, with a number h of halvings and [guard] more bits, and sums the Taylor series of e^y in
    integers, each term made from the one before and rounded down, until a term is 0. Then it squares the
    bounds h times with directed rounding, and drops the guard. For x < 0 it takes the inverse of e^-x,
    rounded outward.

    Proved for every integer x and every number of bits ([exp_bounds_sound]):
    low <= 2^bits e^(x / 2^bits) <= high, where (low, high) = exp_bounds bits x. And low > 0 for x >= 0,
    so that no division is by 0. A number that is only known between two such x has its exponential between
    the outer bounds ([exp_enclosed]; the method [Real.enclose]).

    Proof. Each integer term is less than 2 below the exact one, because the error is at least halved and
    grows by less than 1 at each step. When the integer term is 0, the exact one is below 2, and this and
    all later ones together are below 4. Source: this package, docs/certificates.md, "Exponentials and
    logarithms by series". *)

From Coq Require Import Reals ZArith Lra Lia.
From Exactdp Require Import sums reals exponential fixed_point.
Open Scope R_scope.

(** The loop: [term] is the integer term number [terms], [low] the sum of those before. The fuel is a
    bound of the number of rounds, and is not used up. *)
Fixpoint series (fuel : nat) (scale y : Z) (terms : nat) (term low : Z) : Z * nat :=
  match fuel with
  | O => (low, terms)
  | S fuel' =>
      if (term =? 0)%Z then (low, terms)
      else series fuel' scale y (S terms) (term * y / (Z.of_nat (S terms) * scale))%Z (low + term)%Z
  end.

Fixpoint squared (h : nat) (scale : Z) (bounds : Z * Z) : Z * Z :=
  match h with
  | O => bounds
  | S h' =>
      let (low, high) := bounds in
      squared h' scale ((low * low / scale)%Z, ceiling_div (high * high) scale)
  end.

(** Python's bit_length, for x >= 0. *)
Definition bit_length (x : Z) : Z := if (x =? 0)%Z then 0%Z else (Z.log2 x + 1)%Z.

Definition halvings (bits : nat) (x : Z) : nat := Z.to_nat (bit_length x - Z.of_nat bits + 1).

Definition exp_bounds_nonneg (bits : nat) (x : Z) : Z * Z :=
  let h := halvings bits x in
  let guard := (3 * h + 32)%nat in
  let precision := (bits + guard)%nat in
  let y := (x * two (guard - h))%Z in
  let (low, terms) := series (S precision) (two precision) y 0 (two precision) 0 in
  let (low, high) := squared h (two precision) (low, (low + 2 * Z.of_nat terms + 4)%Z) in
  ((low / two guard)%Z, ceiling_div high (two guard)).

Definition exp_bounds (bits : nat) (x : Z) : Z * Z :=
  if (x <? 0)%Z then
    let (low, high) := exp_bounds_nonneg bits (- x) in
    ((two (2 * bits) / high)%Z, ceiling_div (two (2 * bits)) low)
  else exp_bounds_nonneg bits x.

(** ** The series *)

Section series.

Variables (scale y : Z) (z : R).
Hypothesis scale_positive : (0 < scale)%Z.
Hypothesis y_bounds : (0 <= 2 * y <= scale)%Z.
Hypothesis z_is : IZR y = z * IZR scale.

Lemma z_bounds : 0 <= z <= 1 / 2.
Proof.
  assert (Sp := IZR_lt _ _ scale_positive). destruct y_bounds as [L U].
  apply IZR_le in L. apply IZR_le in U. rewrite mult_IZR, z_is in L, U.
  split; apply Rmult_le_reg_r with (IZR scale); lra.
Qed.

(** The next integer term, before it is rounded. *)
Lemma next_term term terms :
  IZR (term * y) / IZR (Z.of_nat (S terms) * scale) = IZR term * (z / INR (S terms)).
Proof.
  rewrite !mult_IZR, z_is, <- INR_IZR_INZ. assert (Sp := IZR_lt _ _ scale_positive).
  assert (INR (S terms) <> 0) by (apply not_0_INR; lia). field. lra.
Qed.

Lemma step_at_most_half terms : 0 <= z / INR (S terms) <= 1 / 2.
Proof.
  destruct z_bounds as [L U]. assert (H : 1 <= INR (S terms))
    by (rewrite S_INR; assert (P := pos_INR terms); lra).
  split.
  - apply Rmult_le_pos; [exact L | left; apply Rinv_0_lt_compat; lra].
  - apply Rmult_le_reg_r with (INR (S terms)); [lra |].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    apply Rle_trans with (1 / 2 * 1); [lra | apply Rmult_le_compat_l; lra].
Qed.

(** What holds after each round. *)
Definition correct (terms : nat) (term low : Z) : Prop :=
  (0 <= term)%Z /\ IZR term <= IZR scale * taylor_term z terms < IZR term + 2 /\
  IZR low <= IZR scale * taylor_sum z terms <= IZR low + 2 * INR terms.

Lemma correct_next terms term low :
  correct terms term low ->
  correct (S terms) (term * y / (Z.of_nat (S terms) * scale)) (low + term).
Proof.
  intros [N [[T0 T1] [L0 L1]]].
  destruct (step_at_most_half terms) as [Q0 Q1].
  assert (D : (0 < Z.of_nat (S terms) * scale)%Z) by lia.
  destruct (floor_div_bounds (term * y) _ D) as [F0 F1]. rewrite next_term in F0, F1.
  unfold correct. rewrite taylor_sum_S, taylor_term_S, plus_IZR, Rmult_plus_distr_l, <- Rmult_assoc.
  set (q := z / INR (S terms)) in *. rewrite S_INR. set (T := IZR scale * taylor_term z terms) in *.
  assert (A : IZR term * q <= T * q) by (apply Rmult_le_compat_r; lra).
  assert (B : (T - IZR term) * q <= (T - IZR term) * (1 / 2)) by (apply Rmult_le_compat_l; lra).
  split; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg |]; lia |]. lra.
Qed.

Lemma next_at_most_half terms term :
  (0 <= term)%Z -> (0 <= 2 * (term * y / (Z.of_nat (S terms) * scale)) <= term)%Z.
Proof.
  intros N. assert (D : (0 < Z.of_nat (S terms) * scale)%Z) by lia. split.
  - apply Z.mul_nonneg_nonneg; [lia |]. apply Z.div_pos; [apply Z.mul_nonneg_nonneg |]; lia.
  - destruct (floor_div_bounds (term * y) _ D) as [F _]. rewrite next_term in F.
    destruct (step_at_most_half terms) as [_ Q]. apply IZR_le in N.
    apply le_IZR. rewrite mult_IZR.
    assert (IZR term * (z / INR (S terms)) <= IZR term * (1 / 2)) by (apply Rmult_le_compat_l; lra).
    lra.
Qed.

(** When the term is 0, the rest of the series is below 4. *)
Lemma correct_at_end terms low :
  correct terms 0 low ->
  IZR low <= IZR scale * exp z <= IZR low + 2 * INR terms + 4.
Proof.
  intros [_ [[_ T] [L U]]]. destruct z_bounds as [Z0 Z1]. assert (Sp := IZR_lt _ _ scale_positive).
  assert (P := pos_INR terms). split.
  - eapply Rle_trans; [exact L |]. apply Rmult_le_compat_l; [lra | apply taylor_sum_below_exp, Z0].
  - assert (E := exp_below_taylor_sum z terms Z0 ltac:(lra)). fold (taylor_term z terms) in E.
    assert (Q := step_at_most_half terms). rewrite S_INR in Q.
    assert (Rest : taylor_term z terms / (1 - z / (INR terms + 1)) <= taylor_term z terms * 2).
    { apply Rmult_le_compat_l; [apply taylor_term_nonneg, Z0 |].
      replace 2 with (/ (1 / 2)) by field. apply Rinv_le_contravar; lra. }
    apply Rle_trans with (IZR scale * (taylor_sum z terms + taylor_term z terms * 2)).
    + apply Rmult_le_compat_l; lra.
    + rewrite Rmult_plus_distr_l. lra.
Qed.

Lemma series_sound fuel terms term low :
  (term < two fuel)%Z -> correct terms term low ->
  let (l, n) := series fuel scale y terms term low in
  (low + term <= l)%Z /\ IZR l <= IZR scale * exp z <= IZR l + 2 * INR n + 4.
Proof.
  revert terms term low. induction fuel as [| fuel IH]; intros terms term low F H; cbn [series].
  - destruct H as [N H]. change (two 0) with 1%Z in F. replace term with 0%Z in * by lia.
    split; [lia | apply correct_at_end; split; [lia | exact H]].
  - destruct (Z.eqb_spec term 0) as [-> | _]; [split; [lia | apply correct_at_end, H] |].
    destruct (next_at_most_half terms term (proj1 H)) as [M0 M1].
    change (S fuel) with (1 + fuel)%nat in F. rewrite two_add in F. change (two 1) with 2%Z in F.
    set (next := (term * y / (Z.of_nat (S terms) * scale))%Z) in *.
    assert (A := IH (S terms) next (low + term)%Z ltac:(lia) (correct_next terms term low H)).
    fold next. destruct (series fuel scale y (S terms) next (low + term)) as [l n].
    split; [lia | apply A].
Qed.

Lemma correct_at_start : correct 0 scale 0.
Proof.
  unfold correct, taylor_sum, taylor_term. simpl. split; [lia |]. lra.
Qed.

End series.

(** ** Squares *)

Lemma squared_sound h scale low high a :
  (0 < scale)%Z -> (scale <= low)%Z -> IZR low <= IZR scale * a <= IZR high ->
  let (l, u) := squared h scale (low, high) in
  (scale <= l)%Z /\ IZR l <= IZR scale * a ^ (2 ^ h) <= IZR u.
Proof.
  intros HS. assert (Sp := IZR_lt _ _ HS).
  revert low high a. induction h as [| h IH]; intros low high a HL [L U].
  - simpl. rewrite Rmult_1_r. auto.
  - cbn [squared]. assert (P := IZR_le _ _ HL).
    specialize (IH (low * low / scale)%Z (ceiling_div (high * high) scale) (a * a)).
    replace (a ^ (2 ^ Datatypes.S h)) with ((a * a) ^ (2 ^ h)).
    2: { replace (a * a) with (a ^ 2) by ring. rewrite <- pow_mult. reflexivity. }
    apply IH.
    + apply Z.div_le_lower_bound; [exact HS |]. apply Z.mul_le_mono_nonneg; lia.
    + split.
      * apply floor_div_below; [exact HS |]. rewrite mult_IZR. apply Rmult_le_reg_r with (IZR scale); [lra |].
        replace (IZR low * IZR low / IZR scale * IZR scale) with (IZR low * IZR low) by (field; lra).
        replace (IZR scale * (a * a) * IZR scale) with (IZR scale * a * (IZR scale * a)) by ring.
        apply Rmult_le_compat; lra.
      * apply ceiling_div_above; [exact HS |]. rewrite mult_IZR.
        apply Rmult_le_reg_r with (IZR scale); [lra |].
        replace (IZR high * IZR high / IZR scale * IZR scale) with (IZR high * IZR high) by (field; lra).
        replace (IZR scale * (a * a) * IZR scale) with (IZR scale * a * (IZR scale * a)) by ring.
        apply Rmult_le_compat; lra.
Qed.

(** ** Both signs *)

(** After the halvings the number is below 1/2. *)
Lemma halvings_enough bits x : (0 <= x)%Z -> (2 * x <= two (bits + halvings bits x))%Z.
Proof.
  intros Hx. unfold halvings, bit_length. destruct (Z.eqb_spec x 0) as [-> | N].
  - assert (P := two_positive (bits + Z.to_nat (0 - Z.of_nat bits + 1))). lia.
  - assert (L := Z.log2_spec x ltac:(lia)). assert (M := Z.log2_nonneg x). unfold two.
    apply Z.le_trans with (2 ^ (1 + Z.succ (Z.log2 x)))%Z.
    + rewrite Z.pow_add_r by lia. change (2 ^ 1)%Z with 2%Z. lia.
    + apply Z.pow_le_mono_r; lia.
Qed.

Lemma exp_bounds_nonneg_sound bits x :
  (0 <= x)%Z ->
  let (low, high) := exp_bounds_nonneg bits x in
  (0 < low)%Z /\ IZR low <= 2 ^ bits * exp (IZR x / 2 ^ bits) <= IZR high.
Proof.
  intros Hx. unfold exp_bounds_nonneg. assert (E := halvings_enough bits x Hx).
  set (h := halvings bits x) in *. set (guard := (3 * h + 32)%nat).
  set (precision := (bits + guard)%nat). set (y := (x * two (guard - h))%Z).
  assert (Split : two precision = (two (bits + h) * two (guard - h))%Z).
  { rewrite <- two_add. f_equal. unfold precision, guard. lia. }
  set (z := IZR x / 2 ^ (bits + h)).
  assert (Y : (0 <= 2 * y <= two precision)%Z).
  { assert (P := two_positive (guard - h)). unfold y. rewrite Split. split; [lia |].
    rewrite Z.mul_assoc. apply Z.mul_le_mono_nonneg_r; lia. }
  assert (Z : IZR y = z * IZR (two precision)).
  { unfold y, z. rewrite Split, !mult_IZR, !IZR_two. assert (P := pow_two_positive (bits + h)). field. lra. }
  assert (HS := two_positive precision).
  assert (A := series_sound _ y z HS Y Z (S precision) 0 (two precision) 0).
  destruct (series (S precision) (two precision) y 0 (two precision) 0) as [l n].
  destruct A as [L0 A].
  { change (S precision) with (1 + precision)%nat. rewrite two_add. change (two 1) with 2%Z. lia. }
  { apply correct_at_start, HS. }
  assert (B := squared_sound h (two precision) l (l + 2 * Z.of_nat n + 4) (exp z) HS ltac:(lia)).
  destruct (squared h (two precision) (l, (l + 2 * Z.of_nat n + 4)%Z)) as [low high].
  destruct B as [M B].
  { rewrite !plus_IZR, mult_IZR, <- INR_IZR_INZ. exact A. }
  assert (V : exp z ^ (2 ^ h) = exp (IZR x / 2 ^ bits)).
  { rewrite exp_power, pow_INR. f_equal. unfold z. rewrite pow_add. replace (INR 2) with 2 by (simpl; ring).
    assert (P := pow_two_positive bits). assert (Q := pow_two_positive h). field. lra. }
  rewrite V in B. unfold precision in B, M. rewrite two_add, mult_IZR, !IZR_two in B.
  assert (G := pow_two_positive guard). split.
  - apply Z.lt_le_trans with (two bits); [apply two_positive |].
    apply Z.div_le_lower_bound; [apply two_positive |]. rewrite two_add in M. lia.
  - split.
    + apply floor_div_below; [apply two_positive |]. rewrite IZR_two.
      apply Rmult_le_reg_r with (2 ^ guard); [exact G |].
      replace (IZR low / 2 ^ guard * 2 ^ guard) with (IZR low) by (field; lra). lra.
    + apply ceiling_div_above; [apply two_positive |]. rewrite IZR_two.
      apply Rmult_le_reg_r with (2 ^ guard); [exact G |].
      replace (IZR high / 2 ^ guard * 2 ^ guard) with (IZR high) by (field; lra). lra.
Qed.

Theorem exp_bounds_sound bits x :
  let (low, high) := exp_bounds bits x in
  IZR low <= 2 ^ bits * exp (IZR x / 2 ^ bits) <= IZR high.
Proof.
  unfold exp_bounds. destruct (Z.ltb_spec x 0) as [H | H].
  - assert (A := exp_bounds_nonneg_sound bits (- x) ltac:(lia)).
    destruct (exp_bounds_nonneg bits (- x)) as [low high]. destruct A as [P [L U]].
    apply IZR_lt in P.
    assert (Sp := pow_two_positive bits). assert (X := exp_pos (IZR (- x) / 2 ^ bits)).
    assert (E : 2 ^ bits * exp (IZR x / 2 ^ bits) =
      IZR (two (2 * bits)) / (2 ^ bits * exp (IZR (- x) / 2 ^ bits))).
    { rewrite IZR_two, opp_IZR. replace (- IZR x / 2 ^ bits) with (- (IZR x / 2 ^ bits)) by (field; lra).
      rewrite exp_Ropp. replace (2 * bits)%nat with (bits + bits)%nat by lia. rewrite pow_add.
      assert (W := exp_pos (IZR x / 2 ^ bits)). field. lra. }
    assert (T : 0 < IZR (two (2 * bits))) by (apply IZR_lt, two_positive).
    rewrite E. split.
    + apply floor_div_below; [apply lt_IZR; lra |].
      apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
    + apply ceiling_div_above; [apply lt_IZR; lra |].
      apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
  - assert (A := exp_bounds_nonneg_sound bits x H).
    destruct (exp_bounds_nonneg bits x) as [low high]. apply A.
Qed.

Theorem exp_enclosed bits low high r :
  IZR low <= 2 ^ bits * r <= IZR high ->
  IZR (fst (exp_bounds bits low)) <= 2 ^ bits * exp r <= IZR (snd (exp_bounds bits high)).
Proof.
  intros [L U]. assert (P := pow_two_positive bits).
  assert (A := exp_bounds_sound bits low). assert (B := exp_bounds_sound bits high).
  destruct (exp_bounds bits low) as [a a'], (exp_bounds bits high) as [b' b]. simpl. split.
  - eapply Rle_trans; [apply A |]. apply Rmult_le_compat_l, exp_le; [lra |].
    apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
    replace (2 ^ bits * (IZR low / 2 ^ bits)) with (IZR low) by (field; lra). exact L.
  - eapply Rle_trans; [| apply B]. apply Rmult_le_compat_l, exp_le; [lra |].
    apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
    replace (2 ^ bits * (IZR high / 2 ^ bits)) with (IZR high) by (field; lra). exact U.
Qed.

(** Integers around 2^bits ln(x / 2^bits): the function [log_bounds] of the checker, and its soundness.

    [log_bounds x bits], for an integer x > 0, takes x = m 2^top with 1 <= m < 2 and
    ln(x / 2^bits) = (top - bits) ln 2 + ln m, where ln m = 2 artanh((m-1)/(m+1)) and ln 2 = 2 artanh(1/3),
    in integers with [guard] more bits (artanh_fixed_point.v). Proved for every x > 0 and every number of
    bits ([log_bounds_sound]): low <= 2^bits ln(x / 2^bits) <= high. A number that is only known between
    two such x has its logarithm between the outer bounds ([log_enclosed]).

    The function log_bounds and the method Real.enclose of exactdp/checker/reals.py rest on it
    (exponentials: exponential_fixed_point.v). Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import fixed_point exponential_fixed_point artanh_fixed_point.
Open Scope R_scope.

Lemma ln_powerRZ x z : 0 < x -> ln (powerRZ x z) = IZR z * ln x.
Proof.
  intros H. destruct (Z_le_gt_dec 0 z) as [L | L].
  - replace z with (Z.of_nat (Z.to_nat z)) by lia. rewrite <- pow_powerRZ, ln_pow, INR_IZR_INZ by exact H.
    reflexivity.
  - replace z with (- Z.of_nat (Z.to_nat (- z)))%Z by lia.
    rewrite powerRZ_neg', <- pow_powerRZ, ln_Rinv, ln_pow, INR_IZR_INZ, opp_IZR; try apply pow_lt;
      try exact H.
    ring.
Qed.

Definition log_bounds (x : Z) (bits : nat) : Z * Z :=
  let top := Z.log2 x in
  let k := (top - Z.of_nat bits)%Z in
  let guard := (32 + Z.to_nat (bit_length (Z.abs k)))%nat in
  let (two_low, two_high) := artanh_bounds 1 3 (bits + guard) in
  let (low, high) := artanh_bounds (x - 2 ^ top) (x + 2 ^ top) (bits + guard) in
  ((2 * (low + Z.min (k * two_low) (k * two_high)) / two guard)%Z,
   ceiling_div (2 * (high + Z.max (k * two_low) (k * two_high))) (two guard)).

(** ln m = 2 artanh z for m = (1 + z) / (1 - z). *)
Lemma twice_artanh z : 0 <= z < 1 -> 2 * artanh z = ln ((1 + z) / (1 - z)).
Proof.
  intros H. unfold Rdiv. rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). unfold artanh. field.
Qed.

Lemma ln_2_artanh : ln 2 = 2 * artanh (1 / 3).
Proof. rewrite twice_artanh by lra. f_equal. field. Qed.

Lemma log_bounds_sound x bits :
  (0 < x)%Z ->
  IZR (fst (log_bounds x bits)) <= 2 ^ bits * ln (IZR x / 2 ^ bits) <= IZR (snd (log_bounds x bits)).
Proof.
  intros Hx. unfold log_bounds. set (top := Z.log2 x). set (k := (top - Z.of_nat bits)%Z).
  set (guard := (32 + Z.to_nat (bit_length (Z.abs k)))%nat).
  destruct (Z.log2_spec x Hx) as [T0 T1]. fold top in T0, T1.
  assert (Tn : (0 <= top)%Z) by apply Z.log2_nonneg. set (power := (2 ^ top)%Z) in *.
  rewrite Z.pow_succ_r in T1 by exact Tn. fold power in T1.
  assert (Pp : (0 < power)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (A := artanh_bounds_sound 1 3 (bits + guard) ltac:(lia) ltac:(lia)).
  assert (B := artanh_bounds_sound (x - power) (x + power) (bits + guard) ltac:(lia) ltac:(lia)).
  destruct (artanh_bounds 1 3 (bits + guard)) as [two_low two_high].
  destruct (artanh_bounds (x - power) (x + power) (bits + guard)) as [low high]. cbn [fst snd].
  set (scale := 2 ^ (bits + guard)) in *. assert (X := IZR_lt _ _ Hx). assert (P := IZR_lt _ _ Pp).
  set (z := IZR (x - power) / IZR (x + power)) in *.
  assert (Bits := pow_two_positive bits). assert (Guard := pow_two_positive guard).
  assert (Z01 : 0 <= z < 1).
  { unfold z. rewrite minus_IZR, plus_IZR. apply IZR_le in T0. split.
    - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    - apply Rmult_lt_reg_r with (IZR x + IZR power); [lra |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Power : IZR power = 2 ^ bits * powerRZ 2 k).
  { replace k with (top + - Z.of_nat bits)%Z by (unfold k; lia).
    rewrite powerRZ_add, powerRZ_neg', <- pow_powerRZ by lra. unfold power.
    replace top with (Z.of_nat (Z.to_nat top)) by lia. rewrite <- pow_IZR, <- pow_powerRZ. field. lra. }
  assert (Log : ln (IZR x / 2 ^ bits) = IZR k * (2 * artanh (1 / 3)) + 2 * artanh z).
  { rewrite <- ln_2_artanh, twice_artanh by exact Z01.
    replace ((1 + z) / (1 - z)) with (IZR x / IZR power).
    - rewrite <- ln_powerRZ by lra. rewrite <- ln_mult.
      + f_equal. rewrite Power. assert (W : 0 < powerRZ 2 k) by (apply powerRZ_lt; lra). field. lra.
      + apply powerRZ_lt. lra.
      + apply Rdiv_lt_0_compat; assumption.
    - unfold z. rewrite minus_IZR, plus_IZR. field. lra. }
  assert (K : IZR (Z.min (k * two_low) (k * two_high)) <= IZR k * (scale * artanh (1 / 3)) <=
    IZR (Z.max (k * two_low) (k * two_high))).
  { destruct (Z_le_gt_dec 0 k) as [L | L].
    - rewrite Z.min_l, Z.max_r by (assert (Q := le_IZR _ _ (Rle_trans _ _ _ (proj1 A) (proj2 A))); nia).
      rewrite !mult_IZR. apply IZR_le in L. split; apply Rmult_le_compat_l; lra.
    - rewrite Z.min_r, Z.max_l by (assert (Q := le_IZR _ _ (Rle_trans _ _ _ (proj1 A) (proj2 A))); nia).
      rewrite !mult_IZR. assert (L' : (k <= 0)%Z) by lia. apply IZR_le in L'.
      split; apply Rmult_le_compat_neg_l; lra. }
  set (value := scale * artanh z + IZR k * (scale * artanh (1 / 3))).
  assert (V : 2 ^ bits * ln (IZR x / 2 ^ bits) = 2 * value / 2 ^ guard).
  { rewrite Log. unfold value, scale. rewrite pow_add. field. lra. }
  assert (G := two_positive guard). rewrite V. split.
  - apply floor_div_below; [exact G |]. rewrite IZR_two, mult_IZR, plus_IZR.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Guard |]. unfold value. lra.
  - apply ceiling_div_above; [exact G |]. rewrite IZR_two, mult_IZR, plus_IZR.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Guard |]. unfold value. lra.
Qed.

Theorem log_enclosed bits low high r :
  (0 < low)%Z -> IZR low <= 2 ^ bits * r <= IZR high ->
  IZR (fst (log_bounds low bits)) <= 2 ^ bits * ln r <= IZR (snd (log_bounds high bits)).
Proof.
  intros H [L U]. assert (P := pow_two_positive bits). assert (Lp := IZR_lt _ _ H).
  assert (Hp : (0 < high)%Z) by (apply lt_IZR; lra).
  destruct (log_bounds_sound low bits H) as [A _]. destruct (log_bounds_sound high bits Hp) as [_ B].
  assert (Q : 0 < IZR low / 2 ^ bits) by (apply Rdiv_lt_0_compat; assumption).
  assert (E1 : IZR low / 2 ^ bits <= r).
  { apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. replace (2 ^ bits * (IZR low / 2 ^ bits)) with (IZR
      low)
      by (field; lra). exact L. }
  assert (E2 : r <= IZR high / 2 ^ bits).
  { apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. replace (2 ^ bits * (IZR high / 2 ^ bits)) with (IZR
      high)
      by (field; lra). exact U. }
  split.
  - eapply Rle_trans; [exact A |]. apply Rmult_le_compat_l, Rcomplements.ln_le; lra.
  - eapply Rle_trans; [| exact B]. apply Rmult_le_compat_l, Rcomplements.ln_le; lra.
Qed.

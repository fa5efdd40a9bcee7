(** The inverse hyperbolic tangent in integers: the function [artanh_bounds] of the checker, and its
    soundness.

    Write artanh z = (ln(1 + z) - ln(1 - z)) / 2. For 0 <= z < 1 and K terms, the sum of z^(2k+1)/(2k+1) over
    k < K is at most artanh z, and artanh z is at most this sum plus z^(2K+1)/(1 - z^2) ([artanh_series]).
    [artanh_bounds n d precision] sums it in integers for z = n/d in [0, 1/3], each power made from the one
    before and rounded down, until a power is 0. Proved for all such n, d and every precision
    ([artanh_bounds_sound]): low <= 2^precision artanh z <= high. Logarithms: logarithm_fixed_point.v.

    Proof. The difference of both sides of the series is 0 at 0 and has a derivative that is not negative.
    Each integer power is less than 9/8 below the exact one, because z^2 <= 1/9; when it is 0, the rest of
    the series is below 81/64. Source: docs/certificates.md, "Exponentials and logarithms by series". *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums fixed_point logarithm.
Open Scope R_scope.

(** ** The series *)

Definition artanh (z : R) : R := (ln (1 + z) - ln (1 - z)) / 2.

Definition odd_sum (K : nat) (z : R) : R := total (seq 0 K) (fun k => z ^ (2 * k + 1) / INR (2 * k + 1)).

Definition even_sum (K : nat) (z : R) : R := total (seq 0 K) (fun k => z ^ (2 * k)).

Lemma odd_sum_S K z : odd_sum (S K) z = odd_sum K z + z ^ (2 * K + 1) / INR (2 * K + 1).
Proof. apply total_seq_S. Qed.

Lemma odd_sum_0 K : odd_sum K 0 = 0.
Proof.
  unfold odd_sum. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
  intros k _. rewrite Nat.add_1_r. simpl. unfold Rdiv. ring.
Qed.

Lemma odd_sum_derive K z : is_derive (odd_sum K) z (even_sum K z).
Proof.
  induction K as [| K IH].
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 z).
  - apply (is_derive_ext (fun t => odd_sum K t + t ^ (2 * K + 1) / INR (2 * K + 1))).
    + intros t. symmetry. apply odd_sum_S.
    + unfold even_sum. rewrite total_seq_S. apply (is_derive_plus (odd_sum K)); [exact IH |].
      assert (N : INR (2 * K + 1) <> 0) by (apply not_0_INR; lia).
      auto_derive; [exact I |]. replace (K + (K + 0) + 1)%nat with (2 * K + 1)%nat by lia.
      replace (Init.Nat.pred (2 * K + 1)) with (2 * K)%nat by lia. field. exact N.
Qed.

Lemma even_sum_closed K z : even_sum K z * (1 - z ^ 2) = 1 - z ^ (2 * K).
Proof.
  unfold even_sum. induction K as [| K IH]; [simpl; ring |].
  rewrite total_seq_S, Rmult_plus_distr_r, IH. replace (2 * S K)%nat with (2 * K + 2)%nat by lia.
  rewrite pow_add. ring.
Qed.

Lemma one_minus_square z : 0 <= z < 1 -> 0 < 1 - z ^ 2.
Proof. intros H. assert (z * z <= z * 1) by (apply Rmult_le_compat_l; lra). simpl. lra. Qed.

Lemma artanh_derive z : 0 <= z < 1 -> is_derive artanh z (/ (1 - z ^ 2)).
Proof.
  intros H. assert (S := one_minus_square z H). unfold artanh. auto_derive; [repeat split; lra |].
  simpl in *. field. repeat split; lra.
Qed.

Lemma artanh_series K z :
  0 <= z < 1 -> odd_sum K z <= artanh z <= odd_sum K z + z ^ (2 * K + 1) / (1 - z ^ 2).
Proof.
  intros H. assert (Zero : artanh 0 = 0) by (unfold artanh; rewrite Rplus_0_r, Rminus_0_r; field).
  split; apply Rminus_le_0.
  - apply (nonneg_by_derivative (fun t => artanh t - odd_sum K t)
      (fun t => / (1 - t ^ 2) - even_sum K t) z (proj1 H)).
    + rewrite Zero, odd_sum_0. ring.
    + intros t Ht. apply (is_derive_minus artanh (odd_sum K));
        [apply artanh_derive; lra | apply odd_sum_derive].
    + intros t Ht. assert (S := one_minus_square t ltac:(lra)).
      replace (/ (1 - t ^ 2) - even_sum K t) with (t ^ (2 * K) / (1 - t ^ 2)).
      * apply Rmult_le_pos; [apply pow_le; lra | left; apply Rinv_0_lt_compat, S].
      * replace (t ^ (2 * K)) with (1 - even_sum K t * (1 - t ^ 2)) by (rewrite even_sum_closed; ring).
        field. lra.
  - apply (nonneg_by_derivative (fun t => odd_sum K t + t ^ (2 * K + 1) / (1 - t ^ 2) - artanh t)
      (fun t => even_sum K t + (INR (2 * K + 1) * t ^ (2 * K) * (1 - t ^ 2) + t ^ (2 * K + 1) * (2 * t)) /
        (1 - t ^ 2) ^ 2 - / (1 - t ^ 2)) z (proj1 H)).
    + rewrite Zero, odd_sum_0, Nat.add_1_r. simpl. unfold Rdiv. ring.
    + intros t Ht. assert (S := one_minus_square t ltac:(lra)).
      apply (is_derive_minus (fun t => odd_sum K t + t ^ (2 * K + 1) / (1 - t ^ 2)) artanh);
        [| apply artanh_derive; lra].
      apply (is_derive_plus (odd_sum K)); [apply odd_sum_derive |].
      auto_derive; [simpl in *; lra |]. replace (K + (K + 0) + 1)%nat with (2 * K + 1)%nat by lia.
      replace (Init.Nat.pred (2 * K + 1)) with (2 * K)%nat by lia.
      set (a := t ^ (2 * K)). set (b := t ^ (2 * K + 1)). set (m := INR (2 * K + 1)).
      simpl in *. field. lra.
    + intros t Ht. assert (S := one_minus_square t ltac:(lra)).
      assert (P : 0 <= t ^ (2 * K)) by (apply pow_le; lra).
      assert (P' : 0 <= t ^ (2 * K + 1) * (2 * t)) by (apply Rmult_le_pos; [apply pow_le |]; lra).
      assert (N : 1 <= INR (2 * K + 1)) by (apply (le_INR 1); lia).
      replace (even_sum K t + _ - _) with
        (((INR (2 * K + 1) - 1) * t ^ (2 * K) * (1 - t ^ 2) + t ^ (2 * K + 1) * (2 * t)) / (1 - t ^ 2) ^ 2).
      * apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, pow_lt, S].
        apply Rplus_le_le_0_compat; [| exact P']. apply Rmult_le_pos; [| lra].
        apply Rmult_le_pos; [lra | exact P].
      * assert (E := even_sum_closed K t). replace (t ^ (2 * K)) with (1 - even_sum K t * (1 - t ^ 2)) by lra.
        field. lra.
Qed.

(** ** In integers *)

Fixpoint artanh_loop (fuel : nat) (factor divisor power : Z) (terms : nat) (low : Z) : Z * Z :=
  match fuel with
  | O => (low, (low + 3 * Z.of_nat terms + 3)%Z)
  | S fuel' =>
      if (power =? 0)%Z then (low, (low + 3 * Z.of_nat terms + 3)%Z)
      else artanh_loop fuel' factor divisor (power * factor / divisor)%Z (S terms)
             (low + power / (2 * Z.of_nat terms + 1))%Z
  end.

Definition artanh_bounds (n d : Z) (precision : nat) : Z * Z :=
  artanh_loop (S precision) (n * n) (d * d) (n * two precision / d)%Z 0 0.

Section loop.

Variables (n d : Z) (precision : nat).
Hypothesis d_positive : (0 < d)%Z.
Hypothesis n_bounds : (0 <= 3 * n <= d)%Z.

Let z : R := IZR n / IZR d.
Let scale : R := 2 ^ precision.

Lemma z_third : 0 <= z <= 1 / 3.
Proof.
  assert (D := IZR_lt _ _ d_positive). destruct n_bounds as [L U]. apply IZR_le in L. apply IZR_le in U.
  rewrite mult_IZR in L, U. assert (E : z * IZR d = IZR n) by (unfold z; field; lra).
  split; apply Rmult_le_reg_r with (IZR d); lra.
Qed.

Lemma square_ninth : 0 <= z * z <= 1 / 9.
Proof.
  assert (H := z_third). split; [apply Rmult_le_pos; lra |].
  assert (z * z <= 1 / 3 * (1 / 3)) by (apply Rmult_le_compat; lra). lra.
Qed.

(** What holds after each round: x is the exact power. *)
Definition good (power : Z) (terms : nat) (low : Z) : Prop :=
  let x := scale * z ^ (2 * terms + 1) in
  (0 <= power)%Z /\ IZR power <= x < IZR power + 9 / 8 /\
  IZR low <= scale * odd_sum terms z <= IZR low + 3 * INR terms.

Lemma good_next power terms low :
  good power terms low ->
  good (power * (n * n) / (d * d)) (S terms) (low + power / (2 * Z.of_nat terms + 1)).
Proof.
  intros [N [[X0 X1] [L0 L1]]]. assert (D := IZR_lt _ _ d_positive).
  assert (DD : (0 < d * d)%Z) by (apply Z.mul_pos_pos; assumption).
  set (x := scale * z ^ (2 * terms + 1)) in *. destruct square_ninth as [Q0 Q1].
  assert (Power : IZR (power * (n * n)) / IZR (d * d) = IZR power * (z * z)).
  { rewrite !mult_IZR. unfold z. field. lra. }
  destruct (floor_div_bounds (power * (n * n)) (d * d) DD) as [F0 F1]. rewrite Power in F0, F1.
  assert (Next : scale * z ^ (2 * S terms + 1) = x * (z * z)).
  { unfold x. replace (2 * S terms + 1)%nat with (2 * terms + 1 + 2)%nat by lia. rewrite pow_add. simpl.
      ring. }
  assert (P0 : 0 <= IZR power) by (apply IZR_le, N).
  assert (A : IZR power * (z * z) <= x * (z * z)) by (apply Rmult_le_compat_r; lra).
  assert (B : (x - IZR power) * (z * z) <= (x - IZR power) * (1 / 9)) by (apply Rmult_le_compat_l; lra).
  assert (M : (0 < 2 * Z.of_nat terms + 1)%Z) by lia.
  destruct (floor_div_bounds power _ M) as [G0 G1].
  assert (Odd : IZR (2 * Z.of_nat terms + 1) = INR (2 * terms + 1)).
  { rewrite INR_IZR_INZ. f_equal. lia. }
  rewrite Odd in G0, G1. assert (One : 1 <= INR (2 * terms + 1)) by (apply (le_INR 1); lia).
  set (m := INR (2 * terms + 1)) in *.
  assert (C0 : IZR power / m <= x / m).
  { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact X0]. }
  assert (C1 : x / m <= IZR power / m + 9 / 8).
  { apply Rmult_le_reg_r with m; [lra |]. replace (x / m * m) with x by (field; lra).
    replace ((IZR power / m + 9 / 8) * m) with (IZR power + 9 / 8 * m) by (field; lra). lra. }
  unfold good. rewrite Next, odd_sum_S, plus_IZR, S_INR. fold m.
  replace (scale * (odd_sum terms z + z ^ (2 * terms + 1) / m)) with (scale * odd_sum terms z + x / m)
    by (unfold x; field; lra).
  split; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg; lia | exact DD] | split; lra].
Qed.

Lemma good_end terms low :
  good 0 terms low -> IZR low <= scale * artanh z <= IZR low + 3 * INR terms + 3.
Proof.
  intros [_ [[X0 X1] [L0 L1]]]. destruct z_third as [Z0 Z1]. destruct square_ninth as [Q0 Q1].
  destruct (artanh_series terms z ltac:(lra)) as [A0 A1].
  assert (S0 : 0 < scale) by apply pow_two_positive.
  apply (Rmult_le_compat_l scale) in A0; [| lra]. apply (Rmult_le_compat_l scale) in A1; [| lra].
  set (x := scale * z ^ (2 * terms + 1)) in *.
  assert (R : scale * (odd_sum terms z + z ^ (2 * terms + 1) / (1 - z ^ 2)) =
    scale * odd_sum terms z + x / (1 - z * z)).
  { unfold x. simpl. field. lra. }
  rewrite R in A1. assert (B : x / (1 - z * z) <= 9 / 8 * (9 / 8)).
  { apply Rmult_le_compat; [lra | left; apply Rinv_0_lt_compat; lra | lra |].
    replace (9 / 8) with (/ (8 / 9)) by field. apply Rinv_le_contravar; lra. }
  lra.
Qed.

Lemma loop_sound fuel power terms low :
  (power < two fuel)%Z -> good power terms low ->
  let (l, u) := artanh_loop fuel (n * n) (d * d) power terms low in IZR l <= scale * artanh z <= IZR u.
Proof.
  assert (End : forall terms low, good 0 terms low ->
    IZR low <= scale * artanh z <= IZR (low + 3 * Z.of_nat terms + 3)).
  { intros t l G. rewrite !plus_IZR, mult_IZR, <- INR_IZR_INZ. apply good_end, G. }
  revert power terms low. induction fuel as [| fuel IH]; intros power terms low F G; cbn [artanh_loop].
  - change (two 0) with 1%Z in F. destruct G as [N G]. replace power with 0%Z in * by lia.
    apply End. split; [lia | exact G].
  - destruct (Z.eqb_spec power 0) as [-> | _]; [apply End, G |]. apply IH; [| apply good_next, G].
    destruct G as [N _]. assert (DD : (0 < d * d)%Z) by (apply Z.mul_pos_pos; assumption).
    change (S fuel) with (1 + fuel)%nat in F. rewrite two_add in F. change (two 1) with 2%Z in F.
    apply Z.div_lt_upper_bound; [exact DD |].
    assert (n * n * 9 <= d * d)%Z by nia. assert (0 <= n * n)%Z by nia. nia.
Qed.

Lemma artanh_bounds_sound :
  let (low, high) := artanh_bounds n d precision in IZR low <= scale * artanh z <= IZR high.
Proof.
  assert (D := IZR_lt _ _ d_positive). unfold artanh_bounds. assert (T := two_positive precision).
  destruct (floor_div_bounds (n * two precision) d d_positive) as [F0 F1].
  apply loop_sound.
  - apply Z.div_lt_upper_bound; [exact d_positive |]. change (S precision) with (1 + precision)%nat.
    rewrite two_add. change (two 1) with 2%Z. nia.
  - assert (E : IZR (n * two precision) / IZR d = scale * z).
    { rewrite mult_IZR, IZR_two. unfold z, scale. field. lra. }
    rewrite E in F0, F1. unfold good, odd_sum. simpl. rewrite !Rmult_1_r, !Rmult_0_r.
    split; [apply Z.div_pos; nia | lra].
Qed.

End loop.

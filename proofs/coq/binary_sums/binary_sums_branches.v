(** Binary sums by randomized response: how large lambda must be for given eps and delta.

    The protocol of binary_sums.v with n >= 1 users. Let 0 < delta < 1 and L = ln(4/delta).
    - [rr_sum_privacy_test]: for eps > 0, 0 <= lambda < n, x = 1 - lambda/n it is (eps, delta)-DP if for
      some t >= 0 with t x <= tanh(eps/2): t + ln(1/delta) <= (n-1) (1-x) t^2/(2 + t^2).
    - [rr_sum_enough_coins]: for 0 < eps <= 1 it is (eps, delta)-DP if 20 L/eps^2 <= lambda < n.
    - [rr_sum_first_branch]: for 0 < eps <= 1 it is (eps, delta)-DP if 64 L/eps^2 <= lambda <= n/3.
    - [rr_sum_second_branch]: for 0 < eps <= 1 with eps <= sqrt(192 L/n) it is (eps, delta)-DP if
      lambda = n - eps n^(3/2)/sqrt(432 L).

    Idea: the test is the theorem of binary_sums_privacy.v with 1 - e^(-y) >= y/(1+y). As tanh(eps/2) is
    at least eps/3 for eps <= 1, t = eps/3 passes the test for any 20 L/eps^2 <= lambda < n: the right side
    is at least L (n-1)/n 20/19 >= L, for n > 20. In the second branch x^2 = eps^2 n/(432 L) <= 4/9, and
    t = eps/(3x) passes the test with t^2 = 48 L/n if n > 48 L; else tanh(eps/2) >= x, and delta is 0.

    Source: Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4 (both branches, where the second one asks
    for eps > sqrt(3456) L/n as well, which is not needed); this package (the test and the constant 20). *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bit_messages binary_sums binary_sums_privacy.
Import ListNotations.
Open Scope R_scope.

(** ** A test without exponentials *)

Lemma one_minus_exp_lower (y : R) : 0 <= y -> y / (1 + y) <= 1 - exp (- y).
Proof.
  intros Hy. rewrite exp_Ropp. assert (E := exp_ineq1_le y).
  assert (I : / exp y <= / (1 + y)) by (apply Rinv_le_contravar; lra).
  replace (y / (1 + y)) with (1 - / (1 + y)) by (field; lra). lra.
Qed.

Lemma rr_sum_privacy_test (n : nat) (eps delta lambda t : R) :
  let x := 1 - lambda / INR n in
  (1 <= n)%nat -> 0 < eps -> 0 < delta -> 0 <= lambda < INR n -> 0 <= t -> t * x <= tanh (eps / 2) ->
  t + ln (1 / delta) <= (INR n - 1) * (1 - x) * (t ^ 2 / (2 + t ^ 2)) ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.
Proof.
  intros x Hn He Hd Hl Ht Hta H. assert (Sh := rr_share lambda n Hn Hl).
  eapply shuffle_dp_weaken; [| apply (rr_sum_privacy_sharp n eps lambda t Hn He Hl Ht Hta)]. fold x.
  assert (N : 1 <= INR n) by (apply (le_INR 1), Hn).
  assert (C : 0 <= (INR n - 1) * (1 - x)) by (apply Rmult_le_pos; unfold x; lra).
  assert (T := pow2_ge_0 t). assert (Y := one_minus_exp_lower (t ^ 2 / 2) ltac:(lra)).
  replace (t ^ 2 / 2 / (1 + t ^ 2 / 2)) with (t ^ 2 / (2 + t ^ 2)) in Y by (field; lra).
  apply (Rmult_le_compat_l _ _ _ C) in Y.
  set (G := _ * (1 - exp _)) in *. rewrite Rmult_assoc, <- exp_plus.
  assert (K : exp (t + - G) <= delta).
  { rewrite <- (exp_ln delta Hd). apply exp_le.
    unfold Rdiv in H. rewrite Rmult_1_l, ln_Rinv in H by exact Hd. lra. }
  assert (P := exp_pos (t + - G)).
  apply Rle_trans with (1 * exp (t + - G)); [| lra]. apply Rmult_le_compat_r; unfold x; lra.
Qed.

(** ** Constants *)

Lemma tanh_half_lower (eps : R) : 0 < eps <= 1 -> eps / 3 <= tanh (eps / 2).
Proof.
  intros He. destruct (tanh_half eps (proj1 He)) as [A E]. set (a := tanh (eps / 2)) in *.
  assert (X := exp_ineq1_le eps).
  assert ((1 + eps) * (1 - a) <= exp eps * (1 - a)) by (apply Rmult_le_compat_r; lra).
  assert (eps * a <= 1 * a) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma log_of_delta (delta : R) : 0 < delta < 1 -> 1 <= ln (4 / delta) /\ ln (1 / delta) <= ln (4 / delta) - 1.
Proof.
  intros Hd. assert (F : 1 <= ln 4).
  { rewrite <- (ln_exp 1). assert (E := exp_le_3). assert (P := exp_pos 1).
    destruct (Req_dec (exp 1) 4) as [-> | N]; [lra |]. left. apply ln_increasing; lra. }
  assert (D : ln delta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  unfold Rdiv. rewrite !ln_mult, ln_1, ln_Rinv by (try apply Rinv_0_lt_compat; lra). lra.
Qed.

(** ** The first branch, and with a smaller constant *)

Theorem rr_sum_enough_coins (n : nat) (eps delta lambda : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> 20 * ln (4 / delta) / eps ^ 2 <= lambda < INR n ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.
Proof.
  intros He Hd [H Hl]. destruct (log_of_delta delta Hd) as [L1 L2]. set (L := ln (4 / delta)) in *.
  assert (E0 : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (E1 : eps ^ 2 <= 1) by (replace 1 with (1 ^ 2) by ring; apply pow_incr; lra).
  (* lambda eps^2 >= 20 L, and so n > lambda >= 20 *)
  assert (A : 20 * L <= lambda * eps ^ 2).
  { apply (Rmult_le_compat_r (eps ^ 2)) in H; [| lra].
    replace (20 * L / eps ^ 2 * eps ^ 2) with (20 * L) in H by (field; lra). exact H. }
  assert (P : 0 <= lambda) by (assert (0 <= 20 * L / eps ^ 2) by (apply Rle_mult_inv_pos; lra); lra).
  assert (B : 20 <= lambda).
  { assert (lambda * eps ^ 2 <= lambda * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (Hn : (1 <= n)%nat) by (apply INR_le; simpl; lra).
  assert (Sh := rr_share lambda n Hn (conj P Hl)). assert (T := tanh_half_lower eps He).
  apply rr_sum_privacy_test with (eps / 3); try lra; try assumption.
  - assert (0 <= eps * (lambda / INR n)) by (apply Rmult_le_pos; lra). lra.
  - replace (1 - (1 - lambda / INR n)) with (lambda / INR n) by ring.
    apply Rle_trans with L; [lra |].
    (* t^2/(2 + t^2) >= eps^2/19 and (n-1)/n >= 19/20 *)
    apply Rle_trans with (19 / 20 * lambda * (eps ^ 2 / 19)); [lra |].
    apply Rmult_le_compat; [lra | apply Rle_mult_inv_pos; lra | |].
    + replace ((INR n - 1) * (lambda / INR n)) with (lambda - lambda / INR n) by (field; lra).
      assert (lambda / INR n <= lambda / 20); [| lra].
      apply Rmult_le_compat_l; [exact P |]. apply Rinv_le_contravar; lra.
    + replace ((eps / 3) ^ 2 / (2 + (eps / 3) ^ 2)) with (eps ^ 2 * / (18 + eps ^ 2)) by (field; lra).
      apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra.
Qed.

Theorem rr_sum_first_branch (n : nat) (eps delta lambda : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> 64 * ln (4 / delta) / eps ^ 2 <= lambda <= INR n / 3 ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.
Proof.
  intros He Hd H. destruct (log_of_delta delta Hd) as [L1 _].
  assert (P : 0 < ln (4 / delta) / eps ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra]).
  apply rr_sum_enough_coins; [exact He | exact Hd |]. unfold Rdiv in *. lra.
Qed.

(** ** The second branch *)

(** The weight x = 1 - lambda/n of the truth in the second branch. *)
Lemma second_branch_weight (n eps L : R) :
  1 <= L -> 1 <= n -> 0 < eps -> eps <= sqrt (192 * L / n) ->
  let x := eps * sqrt n / sqrt (432 * L) in 0 < x <= 2 / 3 /\ x ^ 2 = eps ^ 2 * n / (432 * L).
Proof.
  intros HL N He H x.
  assert (SL : 0 < sqrt (432 * L)) by (apply sqrt_lt_R0; lra).
  assert (SN : 0 < sqrt n) by (apply sqrt_lt_R0; lra).
  assert (X0 : 0 < x) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra).
  assert (X2 : x ^ 2 = eps ^ 2 * n / (432 * L)).
  { unfold x. replace ((eps * sqrt n / sqrt (432 * L)) ^ 2)
      with (eps ^ 2 * (sqrt n * sqrt n) / (sqrt (432 * L) * sqrt (432 * L))) by (field; lra).
    rewrite !sqrt_sqrt by lra. reflexivity. }
  assert (E : eps ^ 2 <= 192 * L / n).
  { rewrite <- (pow2_sqrt (192 * L / n)) by (apply Rle_mult_inv_pos; lra). apply pow_incr. lra. }
  split; [split; [exact X0 |] | exact X2].
  apply Rsqr_incr_0_var; [| lra]. replace (Rsqr x) with (x ^ 2) by (unfold Rsqr; ring).
  rewrite X2. replace (Rsqr (2 / 3)) with (192 * L / n * (n / (432 * L))) by (unfold Rsqr; field; lra).
  replace (eps ^ 2 * n / (432 * L)) with (eps ^ 2 * (n / (432 * L))) by (field; lra).
  apply Rmult_le_compat_r; [apply Rle_mult_inv_pos; lra | exact E].
Qed.

Theorem rr_sum_second_branch (n : nat) (eps delta : R) :
  let L := ln (4 / delta) in
  let lambda := INR n - eps * (INR n * sqrt (INR n)) / sqrt (432 * L) in
  (1 <= n)%nat -> 0 < eps <= 1 -> 0 < delta < 1 -> eps <= sqrt (192 * L / INR n) ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.
Proof.
  intros L lambda Hn He Hd H. destruct (log_of_delta delta Hd) as [L1 L2]. fold L in L1, L2.
  assert (N : 1 <= INR n) by (apply (le_INR 1), Hn).
  destruct (second_branch_weight (INR n) eps L L1 N (proj1 He) H) as [X X2].
  set (x := eps * sqrt (INR n) / sqrt (432 * L)) in *.
  assert (SL : 0 < sqrt (432 * L)) by (apply sqrt_lt_R0; lra).
  assert (W : lambda = INR n - INR n * x) by (unfold lambda, x; field; lra).
  assert (Wx : 1 - lambda / INR n = x) by (rewrite W; field; lra).
  assert (Hl : 0 <= lambda < INR n).
  { assert (0 < INR n * x) by (apply Rmult_lt_0_compat; lra).
    assert (INR n * x <= INR n * 1) by (apply Rmult_le_compat_l; lra). lra. }
  assert (T := tanh_half_lower eps He). set (t := eps / 3 / x).
  assert (T0 : 0 <= t) by (apply Rle_mult_inv_pos; lra).
  assert (Tx : t * x = eps / 3) by (unfold t; field; lra).
  assert (T2 : t ^ 2 * INR n = 48 * L).
  { unfold t. replace ((eps / 3 / x) ^ 2) with (eps ^ 2 / 9 / x ^ 2) by (field; lra).
    rewrite X2. field. split; [lra |]. split; lra. }
  destruct (Rle_lt_dec t 1) as [Ht | Ht].
  - apply rr_sum_privacy_test with t; try lra; try assumption; rewrite Wx; [lra |].
    assert (Q0 := pow2_ge_0 t).
    assert (Q1 : t ^ 2 <= 1) by (replace 1 with (1 ^ 2) by ring; apply pow_incr; lra).
    (* (n-1) t^2 >= 48 L - 1 *)
    apply Rle_trans with ((INR n - 1) * (1 / 3) * (t ^ 2 * (1 / 3))); [lra |].
    apply Rmult_le_compat; [lra | lra | apply Rmult_le_compat_l; lra |].
    apply Rmult_le_compat_l; [lra |]. unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; lra.
  - apply shuffle_dp_weaken with 0; [lra |]. apply rr_sum_privacy_pure; try assumption; [lra |].
    rewrite Wx. assert (1 * x <= t * x) by (apply Rmult_le_compat_r; lra). lra.
Qed.

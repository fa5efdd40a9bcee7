(** The steps of zsum's privacy proof one by one, as the paper has them, true or corrected or refuted.

    With alpha = tanh(eps/2) and gamma n = 50 ln(2/delta)/eps^2:
    - [zsum_one_smooth]: Bin(n, gamma) is smooth at one step, for all n >= 1, gamma in (0, 1/2] and
      alpha in (0, 1) with alpha gamma n >= 2 (Lemma 3 at k = 1);
    - [zsum_one_step_needs]: Lemma 3's hypothesis at k = 1 is alpha gamma n >= 2, and where it fails,
      Lemma 3's delta is above 1;
    - [zsum_noise_level]: alpha gamma n >= (10 sqrt(5)/eps) ln(2/delta) >= 10 sqrt(5) ln 2 > 15.49, for
      eps in (0, 1], delta in (0, 1] and any alpha >= eps/sqrt(5);
    - [zsum_delta_level]: 2 e^(-alpha^2 gamma n/10) <= 2 e^(-eps^2 gamma n/50) = delta, likewise;
    - [zsum_sqrt5_criterion_printed]: 5 is not the smallest integer such that alpha > 0 for all eps in (0, 1],
      as printed: the condition does not depend on the integer, and holds;
    - [zsum_sqrt5_reversed_printed]: eps/sqrt(5) >= alpha, as printed, is false at every eps in (0, 1].

    The proofs are estimates of e^x by its Taylor sums, and field arithmetic. (Source: Balcer and Cheu
    2020, section 3.1; corrections: this package.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums reals smooth binomial binomial_smoothness fixed_point exponential_fixed_point.
From Exactdp Require Import zsum zsum_sqrt5 zsum_privacy.
Open Scope R_scope.

(** ** Lemma 3 at one step *)

Theorem zsum_one_smooth n gamma alpha :
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> 2 <= alpha * gamma * INR n ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) 1.
Proof. intros Hn Hg Ha H. apply lemma3; [exact Hn | exact Hg | exact Ha | lia | lra]. Qed.

(** e^(-u) > 1/2 for u < 1/2. *)
Lemma exp_opp_above_half u : u < 1 / 2 -> 1 / 2 < exp (- u).
Proof. intros H. assert (L := exp_ineq1_le (- u)). lra. Qed.

Theorem zsum_one_step_needs n gamma alpha : (1 <= n)%nat -> 0 < gamma -> 0 < alpha < 1 ->
  (1 <= alpha * gamma * INR n / 2 <-> 2 <= alpha * gamma * INR n) /\
  (alpha * gamma * INR n < 2 -> 1 < exp (- (alpha ^ 2 * gamma * INR n / 8)) +
                                    exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))).
Proof.
  intros Hn Hg Ha. split; [lra |]. intros H.
  assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (M : 0 < alpha * gamma * INR n) by (repeat apply Rmult_lt_0_compat; lra).
  set (m := alpha * gamma * INR n) in *.
  replace (alpha ^ 2 * gamma * INR n) with (alpha * m) by (unfold m; ring).
  assert (B : alpha * m < 2).
  { apply Rlt_trans with (1 * m); [apply Rmult_lt_compat_r |]; lra. }
  assert (E1 := exp_opp_above_half (alpha * m / 8) ltac:(lra)).
  assert (E2 : 1 / 2 < exp (- (alpha * m / (8 + 2 * alpha)))); [apply exp_opp_above_half | lra].
  apply Rle_lt_trans with (alpha * m / 8); [| lra].
  apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat; lra | apply Rinv_le_contravar; lra].
Qed.

(** ** The levels *)

Lemma ln_2_above : 693 / 1000 < ln 2.
Proof.
  rewrite <- (ln_exp (693 / 1000)). apply ln_increasing; [apply exp_pos |].
  assert (H := exp_enclosed 16 45416 45417 (693 / 1000) ltac:(lra)).
  vm_compute (exp_bounds _ _) in H. cbn [fst snd] in H. lra.
Qed.

Lemma sqrt_5_above : 2236 / 1000 < sqrt 5.
Proof.
  replace (2236 / 1000) with (sqrt ((2236 / 1000) ^ 2)) by (rewrite sqrt_pow2; lra).
  apply sqrt_lt_1; lra.
Qed.

Theorem zsum_noise_level n gamma alpha eps delta :
  0 < eps <= 1 -> 0 < delta <= 1 -> gamma * INR n = 50 * ln (2 / delta) / eps ^ 2 ->
  eps / sqrt 5 <= alpha ->
  10 * sqrt 5 / eps * ln (2 / delta) <= INR n * alpha * gamma /\
  10 * sqrt 5 * ln 2 <= 10 * sqrt 5 / eps * ln (2 / delta) /\
  15 + 49 / 100 < 10 * sqrt 5 * ln 2.
Proof.
  intros He Hd Hg Ha. assert (S := sqrt_5_above). assert (L2 := ln_2_above).
  assert (SS : sqrt 5 * sqrt 5 = 5) by (apply sqrt_sqrt; lra).
  assert (L : ln 2 <= ln (2 / delta)).
  { apply Rcomplements.ln_le; [lra |]. apply Rmult_le_reg_r with delta; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  set (l := ln (2 / delta)) in *. set (s := sqrt 5) in *. split; [| split].
  - replace (INR n * alpha * gamma) with (gamma * INR n * alpha) by ring. rewrite Hg.
    replace (10 * s / eps * l) with (50 * l / eps ^ 2 * (eps / s)).
    + apply Rmult_le_compat_l; [| exact Ha].
      apply Rlt_le, Rdiv_lt_0_compat; [lra | apply pow_lt; lra].
    + replace 50 with (10 * (s * s)) by lra. field. lra.
  - replace (10 * s / eps * l) with (10 * s * (l / eps)) by (field; lra).
    apply Rmult_le_compat_l; [lra |]. apply Rmult_le_reg_r with eps; [lra |].
    replace (l / eps * eps) with l by (field; lra).
    assert (ln 2 * eps <= ln 2 * 1) by (apply Rmult_le_compat_l; lra). lra.
  - assert (2236 / 1000 * (693 / 1000) < s * ln 2) by (apply Rmult_le_0_lt_compat; lra). lra.
Qed.

Theorem zsum_delta_level n gamma alpha eps delta :
  0 < eps -> 0 < delta < 2 -> gamma * INR n = 50 * ln (2 / delta) / eps ^ 2 -> eps / sqrt 5 <= alpha ->
  2 * exp (- (alpha ^ 2 * gamma * INR n / 10)) <= 2 * exp (- (eps ^ 2 * gamma * INR n / 50)) /\
  2 * exp (- (eps ^ 2 * gamma * INR n / 50)) = delta.
Proof.
  intros He Hd Hg Ha. assert (E2 : 0 < eps ^ 2) by (apply pow_lt, He).
  assert (S5 := sqrt_5_above).
  assert (A0 : 0 < alpha).
  { apply Rlt_le_trans with (eps / sqrt 5); [apply Rdiv_lt_0_compat; lra | exact Ha]. }
  apply over_sqrt_le in Ha; [| lra | exact He | exact A0].
  assert (X : eps ^ 2 * gamma * INR n / 50 = ln (2 / delta)).
  { replace (eps ^ 2 * gamma * INR n) with (eps ^ 2 * (gamma * INR n)) by ring. rewrite Hg. field. lra. }
  assert (L : 0 < ln (2 / delta)).
  { rewrite <- ln_1. apply ln_increasing; [lra |]. apply Rmult_lt_reg_r with delta; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  split.
  - apply Rmult_le_compat_l; [lra |]. apply exp_le, Ropp_le_contravar.
    assert (G : 0 <= gamma * INR n) by (rewrite Hg; apply Rlt_le, Rdiv_lt_0_compat; lra).
    apply (Rmult_le_compat_r _ _ _ G) in Ha. lra.
  - rewrite X, exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(** ** What is printed about sqrt(5) *)

Theorem zsum_sqrt5_criterion_printed :
  ~ (forall s : nat, (1 <= s)%nat -> (forall eps, 0 < eps <= 1 -> 0 < tanh (eps / 2)) -> (5 <= s)%nat).
Proof.
  intros H. specialize (H 1%nat ltac:(lia)). assert (5 <= 1)%nat; [apply H | lia].
  intros eps He. apply tanh_half_range, He.
Qed.

Theorem zsum_sqrt5_reversed_printed eps : 0 < eps <= 1 -> ~ tanh (eps / 2) <= eps / sqrt 5.
Proof. intros He H. assert (L := zsum_sqrt5 eps He). lra. Qed.

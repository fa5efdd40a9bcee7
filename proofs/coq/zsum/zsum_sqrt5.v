(** Where the constant 5 of zsum's noise comes from, and the sum of Lemma 3's two exponentials.

    With alpha = tanh(eps/2) = (e^eps - 1)/(e^eps + 1) the privacy proof needs alpha >= eps/sqrt(s).

    [zsum_sqrt_threshold]: this holds at every eps in (0, 1] if and only if s >= 1/tanh(1/2)^2.
    [zsum_sqrt5]: with s = 5 it holds at every eps in (0, 1], strictly.
    [zsum_sqrt4]: with any s in (0, 4] it fails, at every eps > 0 (not only below 1).
    So 5 is the least integer, and the inequality is alpha > eps/sqrt(5), not the other way round.

    [zsum_delta_sum]: the two exponentials of Lemma 3 add up to less than 2 e^(-alpha^2 gamma n/10).

    Idea: tanh(x/2)/x falls in x > 0, because sinh x > x, so eps = 1 decides; its limit at 0 is 1/2,
    which is 1/sqrt(4). Each of the two facts is the sign of a derivative. At eps = 1 it is enough that
    e >= (17/16)^16 > 2.63, which is e^x >= 1 + x at x = 1/16.

    (Source: this package; the paper, Balcer and Cheu 2020, section 3.1, has sqrt(5) without this proof.) *)

From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals.
Open Scope R_scope.

(** ** alpha = tanh(eps/2) *)

Lemma tanh_half x : tanh (x / 2) = (exp x - 1) / (exp x + 1).
Proof.
  unfold tanh, sinh, cosh. rewrite exp_Ropp.
  replace (exp x) with (exp (x / 2) * exp (x / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (P := exp_pos (x / 2)). assert (0 < exp (x / 2) * exp (x / 2)) by (apply Rmult_lt_0_compat; lra).
  field. repeat split; lra.
Qed.

Lemma exp_above_1 x : 0 < x -> 1 < exp x.
Proof. intros H. rewrite <- exp_0. apply exp_increasing, H. Qed.

Lemma tanh_half_range x : 0 < x -> 0 < tanh (x / 2) < 1.
Proof.
  intros H. apply exp_above_1 in H. rewrite tanh_half. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_r with (exp x + 1); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** (1 + alpha)/(1 - alpha) = e^eps. *)
Lemma tanh_half_odds x : (1 + tanh (x / 2)) / (1 - tanh (x / 2)) = exp x.
Proof. rewrite tanh_half. assert (P := exp_pos x). field. lra. Qed.

(** ** tanh(x/2)/x falls *)

(** A function with a positive derivative grows. *)
Lemma derivative_positive (f df : R -> R) a b :
  a < b -> (forall t, a <= t <= b -> is_derive f t (df t)) -> (forall t, a < t < b -> 0 < df t) -> f a < f b.
Proof.
  intros L D P. destruct (MVT_cor2 f df a b L) as [c [E I]].
  - intros t Ht. apply is_derive_Reals, D, Ht.
  - assert (0 < df c * (b - a)) by (apply Rmult_lt_0_compat; [apply P, I | lra]). lra.
Qed.

(** sinh x > x, times 2 e^x. *)
Lemma sinh_above_line x : 0 < x -> 2 * x * exp x < exp x ^ 2 - 1.
Proof.
  intros H. assert (exp 0 ^ 2 - 1 - 2 * 0 * exp 0 < exp x ^ 2 - 1 - 2 * x * exp x) as L.
  - apply (derivative_positive (fun t => exp t ^ 2 - 1 - 2 * t * exp t)
             (fun t => 2 * exp t * (exp t - (1 + t)))); [exact H | |].
    + intros t _. auto_derive; [exact I | ring].
    + intros t Ht. assert (1 + t < exp t) by (apply exp_ineq1; lra).
      assert (P := exp_pos t). apply Rmult_lt_0_compat; lra.
  - rewrite exp_0 in L. lra.
Qed.

Lemma tanh_half_falls x y : 0 < x < y -> tanh (y / 2) / y < tanh (x / 2) / x.
Proof.
  intros [Hx Hy]. rewrite !tanh_half. apply Ropp_lt_cancel.
  apply (derivative_positive (fun t => - ((exp t - 1) / (exp t + 1) / t))
           (fun t => (exp t ^ 2 - 1 - 2 * t * exp t) / ((exp t + 1) * t) ^ 2)); [exact Hy | |].
  - intros t Ht. assert (P := exp_pos t). auto_derive; [repeat split; lra | field; lra].
  - intros t Ht. assert (P := exp_pos t). assert (S := sinh_above_line t ltac:(lra)).
    apply Rdiv_lt_0_compat; [lra |]. apply pow_lt, Rmult_lt_0_compat; lra.
Qed.

(** tanh(x/2) < x/2. *)
Lemma tanh_half_below x : 0 < x -> tanh (x / 2) < x / 2.
Proof.
  intros H. assert (P := exp_above_1 x H).
  assert (0 * (exp 0 + 1) - 2 * (exp 0 - 1) < x * (exp x + 1) - 2 * (exp x - 1)) as L.
  - apply (derivative_positive (fun t => t * (exp t + 1) - 2 * (exp t - 1))
             (fun t => exp t * (exp (- t) - (1 - t)))); [exact H | |].
    + intros t _. auto_derive; [exact I |]. rewrite exp_Ropp. field. assert (Q := exp_pos t). lra.
    + intros t Ht. assert (1 + - t < exp (- t)) by (apply exp_ineq1; lra).
      assert (Q := exp_pos t). apply Rmult_lt_0_compat; lra.
  - rewrite exp_0 in L. rewrite tanh_half. apply Rmult_lt_reg_r with (exp x + 1); [lra |].
    replace ((exp x - 1) / (exp x + 1) * (exp x + 1)) with (exp x - 1) by (field; lra). lra.
Qed.

(** ** The constant *)

(** eps/sqrt(s) <= a in terms of squares. *)
Lemma over_sqrt_le s eps a : 0 < s -> 0 < eps -> 0 < a -> eps / sqrt s <= a <-> eps ^ 2 <= s * a ^ 2.
Proof.
  intros Hs He Ha. assert (P := sqrt_lt_R0 s Hs).
  assert (Q : sqrt s * sqrt s = s) by (apply sqrt_sqrt; lra).
  assert (E : eps / sqrt s <= a <-> eps <= a * sqrt s).
  { split; intros H.
    - apply (Rmult_le_compat_r (sqrt s)) in H; [| lra].
      replace (eps / sqrt s * sqrt s) with eps in H by (field; lra). exact H.
    - apply Rmult_le_reg_r with (sqrt s); [exact P |].
      replace (eps / sqrt s * sqrt s) with eps by (field; lra). exact H. }
  rewrite E. replace (s * a ^ 2) with ((a * sqrt s) ^ 2) by (rewrite <- Q at 2; ring). split; intros H.
  - apply pow_incr. lra.
  - apply Rsqr_incr_0_var; [| apply Rmult_le_pos; lra]. rewrite !Rsqr_pow2. exact H.
Qed.

(** The real constant: alpha >= eps/sqrt(s) at every eps in (0, 1] iff s >= 1/tanh(1/2)^2. *)
Theorem zsum_sqrt_threshold s : 0 < s ->
  (forall eps, 0 < eps <= 1 -> eps / sqrt s <= tanh (eps / 2)) <-> 1 / tanh (1 / 2) ^ 2 <= s.
Proof.
  intros Hs. destruct (tanh_half_range 1 Rlt_0_1) as [T0 T1].
  assert (T2 : 0 < tanh (1 / 2) ^ 2) by (apply pow_lt, T0).
  assert (E : 1 / tanh (1 / 2) ^ 2 <= s <-> 1 / sqrt s <= tanh (1 / 2)).
  { rewrite (over_sqrt_le s 1) by lra. split; intros H.
    - apply (Rmult_le_compat_r (tanh (1 / 2) ^ 2)) in H; [| lra].
      replace (1 / tanh (1 / 2) ^ 2 * tanh (1 / 2) ^ 2) with 1 in H by (field; lra). lra.
    - apply Rmult_le_reg_r with (tanh (1 / 2) ^ 2); [exact T2 |].
      replace (1 / tanh (1 / 2) ^ 2 * tanh (1 / 2) ^ 2) with 1 by (field; lra). lra. }
  rewrite E. split; intros H.
  - apply H. lra.
  - intros eps [He [L | ->]]; [| exact H].
    assert (F := tanh_half_falls eps 1 (conj He L)). unfold Rdiv in F at 1. rewrite Rinv_1, Rmult_1_r in F.
    replace (eps / sqrt s) with (1 / sqrt s * eps) by (field; apply Rgt_not_eq, sqrt_lt_R0, Hs).
    apply (Rmult_lt_compat_r eps) in F; [| exact He].
    replace (tanh (eps / 2) / eps * eps) with (tanh (eps / 2)) in F by (field; lra).
    apply (Rmult_le_compat_r eps) in H; lra.
Qed.

Lemma e_above : 263 / 100 < exp 1.
Proof.
  apply Rlt_le_trans with ((17 / 16) ^ 16); [lra |].
  replace (exp 1) with (exp (1 / 16) ^ 16) by (rewrite exp_power; f_equal; simpl INR; field).
  apply pow_incr. assert (H := exp_ineq1_le (1 / 16)). lra.
Qed.

(** 5 is enough, strictly. *)
Theorem zsum_sqrt5 eps : 0 < eps <= 1 -> eps / sqrt 5 < tanh (eps / 2).
Proof.
  intros He. assert (H := e_above). set (s := 499 / 100).
  apply Rlt_le_trans with (eps / sqrt s).
  - apply Rmult_lt_compat_l; [lra |]. apply Rinv_lt_contravar.
    + apply Rmult_lt_0_compat; apply sqrt_lt_R0; unfold s; lra.
    + apply sqrt_lt_1; unfold s; lra.
  - revert eps He. apply zsum_sqrt_threshold; [unfold s; lra |]. rewrite tanh_half. unfold s.
    set (e := exp 1) in *.
    replace (1 / ((e - 1) / (e + 1)) ^ 2) with ((e + 1) ^ 2 / (e - 1) ^ 2) by (field; lra).
    assert (0 < (e - 1) ^ 2) by (apply pow_lt; lra).
    apply Rmult_le_reg_r with ((e - 1) ^ 2); [assumption |].
    replace ((e + 1) ^ 2 / (e - 1) ^ 2 * (e - 1) ^ 2) with ((e + 1) ^ 2) by (field; lra).
    assert (0 < (e - 263 / 100) * (e - 38 / 100)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** No s <= 4 is, at any eps. *)
Theorem zsum_sqrt4 s eps : 0 < s <= 4 -> 0 < eps -> tanh (eps / 2) < eps / sqrt s.
Proof.
  intros Hs He. apply Rlt_le_trans with (eps / 2); [apply tanh_half_below, He |].
  apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; [apply sqrt_lt_R0; lra |].
  replace 2 with (sqrt (2 ^ 2)) by (rewrite sqrt_pow2; lra). apply sqrt_le_1; lra.
Qed.

(** ** The two exponentials of Lemma 3 *)

Theorem zsum_delta_sum alpha gamma n : 0 < alpha < 1 -> 0 < gamma -> (1 <= n)%nat ->
  exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))
  < 2 * exp (- (alpha ^ 2 * gamma * INR n / 10)).
Proof.
  intros Ha Hg Hn. apply le_INR in Hn. simpl INR in Hn.
  assert (M : 0 < alpha ^ 2 * gamma * INR n).
  { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply pow_lt |] |]; lra. }
  set (m := alpha ^ 2 * gamma * INR n) in *.
  assert (exp (- (m / 8)) < exp (- (m / 10))) by (apply exp_increasing; lra).
  assert (exp (- (m / (8 + 2 * alpha))) < exp (- (m / 10))).
  { apply exp_increasing, Ropp_lt_contravar, Rmult_lt_compat_l; [exact M |].
    apply Rinv_lt_contravar; [apply Rmult_lt_0_compat |]; lra. }
  lra.
Qed.

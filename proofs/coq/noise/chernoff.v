(** Chernoff's bounds for the number Y of successes of n coins, in multiplicative form.

    With mu = n p, for every n and every 0 <= p <= 1 (ends included):
    - P[Y >= (1+h) mu] <= e^(-mu ((1+h) ln(1+h) - h)) <= e^(-h^2 mu / (2+h)) for every h >= 0;
    - P[Y <= (1-h) mu] <= e^(-mu ((1-h) ln(1-h) + h)) <= e^(-h^2 mu / 2) for every 0 <= h < 1;
    - with h = alpha/2 the simpler exponents are -alpha^2 mu / (8 + 2 alpha) and -alpha^2 mu / 8.
    The idea: for a real t, Markov's inequality for e^(tY) bounds the probability of tY >= ta by
    e^(-ta) E[e^(tY)], the mean is (1 + p (e^t - 1))^n <= e^(mu (e^t - 1)) because 1 + x <= e^x, and
    t = ln(1+h) or t = ln(1-h) is the best choice. The exponents are simplified in logarithm.v. All of it
    is standard. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws binomial logarithm.
Open Scope R_scope.

Lemma flips_mu_nonneg n p : 0 <= p <= 1 -> 0 <= INR n * p.
Proof. intros H. apply Rmult_le_pos; [apply pos_INR | lra]. Qed.

(** The mean of e^(tY). *)
Lemma flips_exponential_moment n p t :
  0 <= p <= 1 -> mean (flips n p) (fun i => exp t ^ i) <= exp (INR n * p * (exp t - 1)).
Proof.
  intros Hp. rewrite flips_generating_function.
  replace (INR n * p * (exp t - 1)) with (p * (exp t - 1) * INR n) by ring.
  rewrite <- exp_power. apply pow_incr. split.
  - assert (0 <= p * exp t) by (apply Rmult_le_pos; [lra | left; apply exp_pos]). lra.
  - assert (1 + p * (exp t - 1) <= exp (p * (exp t - 1))) by apply exp_ineq1_le. lra.
Qed.

(** Markov's inequality for e^(tY), where t may have either sign. *)
Lemma chernoff_moment n p a t T :
  0 <= p <= 1 -> (forall i, T i = true -> t * a <= t * INR i) ->
  Pr (flips n p) T <= exp (INR n * p * (exp t - 1) - t * a).
Proof.
  intros Hp HT.
  apply Rle_trans with (mean (flips n p) (fun i => exp t ^ i) / exp (t * a)).
  - apply markov; [apply proper_flips, Hp | | apply exp_pos |].
    + intros i. apply pow_le. left. apply exp_pos.
    + intros i Hi. rewrite exp_power. apply exp_le, HT, Hi.
  - unfold Rminus. rewrite exp_plus, exp_Ropp. apply Rmult_le_compat_r.
    + left. apply Rinv_0_lt_compat, exp_pos.
    + apply flips_exponential_moment, Hp.
Qed.

(** The upper tail. *)
Lemma chernoff_general n p h : 0 <= p <= 1 -> 0 <= h ->
  Pr (flips n p) (fun i => Rleb ((1 + h) * (INR n * p)) (INR i))
  <= exp (- (INR n * p) * ((1 + h) * ln (1 + h) - h)).
Proof.
  intros Hp Hh.
  assert (Ht : 0 <= ln (1 + h)).
  { assert (L := ln_lower h Hh). assert (0 <= 2 * h / (2 + h)); [| lra].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. }
  eapply Rle_trans.
  - apply (chernoff_moment n p ((1 + h) * (INR n * p)) (ln (1 + h)) _ Hp).
    intros i Hi. apply Rmult_le_compat_l; [exact Ht | apply Rleb_true, Hi].
  - rewrite exp_ln by lra. apply exp_le. right. ring.
Qed.

(** The lower tail. *)
Lemma chernoff_general_lower n p h : 0 <= p <= 1 -> 0 <= h < 1 ->
  Pr (flips n p) (fun i => Rleb (INR i) ((1 - h) * (INR n * p)))
  <= exp (- (INR n * p) * ((1 - h) * ln (1 - h) + h)).
Proof.
  intros Hp Hh.
  assert (Ht : ln (1 - h) <= 1 - h - 1) by (apply ln_le_minus_1; lra).
  eapply Rle_trans.
  - apply (chernoff_moment n p ((1 - h) * (INR n * p)) (ln (1 - h)) _ Hp).
    intros i Hi. apply Rmult_le_compat_neg_l; [lra | apply Rleb_true, Hi].
  - rewrite exp_ln by lra. apply exp_le. right. ring.
Qed.

(** Both with the simpler exponents. *)

Theorem chernoff_upper n p h : 0 <= p <= 1 -> 0 <= h ->
  Pr (flips n p) (fun i => Rleb ((1 + h) * (INR n * p)) (INR i))
  <= exp (- (h ^ 2 / (2 + h) * (INR n * p))).
Proof.
  intros Hp Hh. eapply Rle_trans; [apply chernoff_general; assumption |]. apply exp_le.
  rewrite Ropp_mult_distr_l_reverse. apply Ropp_le_contravar. rewrite Rmult_comm.
  apply Rmult_le_compat_l; [apply flips_mu_nonneg, Hp | apply chernoff_exponent_upper, Hh].
Qed.

Theorem chernoff_lower n p h : 0 <= p <= 1 -> 0 <= h < 1 ->
  Pr (flips n p) (fun i => Rleb (INR i) ((1 - h) * (INR n * p)))
  <= exp (- (h ^ 2 / 2 * (INR n * p))).
Proof.
  intros Hp Hh. eapply Rle_trans; [apply chernoff_general_lower; assumption |]. apply exp_le.
  rewrite Ropp_mult_distr_l_reverse. apply Ropp_le_contravar. rewrite Rmult_comm.
  apply Rmult_le_compat_l; [apply flips_mu_nonneg, Hp | apply chernoff_exponent_lower, Hh].
Qed.

(** The exponents at h = alpha/2, as Lemma 3 uses them. *)
Theorem chernoff_upper_half n p alpha : 0 <= p <= 1 -> 0 <= alpha ->
  Pr (flips n p) (fun i => Rleb ((1 + alpha / 2) * (INR n * p)) (INR i))
  <= exp (- (alpha ^ 2 * (INR n * p) / (8 + 2 * alpha))).
Proof.
  intros Hp Ha. replace (alpha ^ 2 * (INR n * p) / (8 + 2 * alpha))
    with ((alpha / 2) ^ 2 / (2 + alpha / 2) * (INR n * p)) by (field; lra).
  apply chernoff_upper; [exact Hp | lra].
Qed.

Theorem chernoff_lower_half n p alpha : 0 <= p <= 1 -> 0 <= alpha < 2 ->
  Pr (flips n p) (fun i => Rleb (INR i) ((1 - alpha / 2) * (INR n * p)))
  <= exp (- (alpha ^ 2 * (INR n * p) / 8)).
Proof.
  intros Hp Ha. replace (alpha ^ 2 * (INR n * p) / 8) with ((alpha / 2) ^ 2 / 2 * (INR n * p)) by field.
  apply chernoff_lower; [exact Hp | lra].
Qed.

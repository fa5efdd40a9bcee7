(** Two lower bounds for (1 + x) ln(1 + x) - x, the exponent of Chernoff's bounds.

    Proved: 2 x / (2 + x) <= ln(1 + x) and x^2 / (2 + x) <= (1 + x) ln(1 + x) - x for all x >= 0, and
    x^2 / 2 <= (1 - x) ln(1 - x) + x for all 0 <= x < 1. The idea: the difference of the two sides is 0 at
    x = 0, and its derivative is not negative. Both are standard. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** What starts at 0 and nowhere decreases is not negative. *)
Lemma nonneg_by_derivative (f df : R -> R) (b : R) :
  0 <= b -> f 0 = 0 ->
  (forall t, 0 <= t <= b -> is_derive f t (df t)) -> (forall t, 0 <= t <= b -> 0 <= df t) -> 0 <= f b.
Proof.
  intros Hb H0 Hd Hp. destruct (MVT_gen f 0 b df) as [c [Hc E]].
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra. apply Hd. lra.
  - intros t Ht. rewrite Rmin_left, Rmax_right in Ht by lra.
    apply continuity_pt_filterlim, (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)).
    exists (df t). apply Hd. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra. rewrite H0 in E.
    assert (0 <= df c * (b - 0)) by (apply Rmult_le_pos; [apply Hp |]; lra). lra.
Qed.

(** e^x is above its tangent at 0, and ln below. *)
Lemma ln_le_minus_1 x : 0 < x -> ln x <= x - 1.
Proof.
  intros H. rewrite <- (ln_exp (x - 1)). apply Rcomplements.ln_le; [exact H |].
  assert (1 + (x - 1) <= exp (x - 1)) by apply exp_ineq1_le. lra.
Qed.

(** The derivative of the difference is t^2 / ((1 + t) (2 + t)^2). *)
Lemma ln_lower x : 0 <= x -> 2 * x / (2 + x) <= ln (1 + x).
Proof.
  intros Hx. apply Rminus_le_0.
  apply (nonneg_by_derivative (fun t => ln (1 + t) - 2 * t / (2 + t))
    (fun t => t ^ 2 / ((1 + t) * (2 + t) ^ 2)) x Hx).
  - rewrite Rplus_0_r, ln_1. field.
  - intros t Ht. auto_derive; [repeat split; lra | field; lra].
  - intros t Ht. apply Rdiv_le_0_compat; [apply pow2_ge_0 |].
    apply Rmult_lt_0_compat; [| apply pow_lt]; lra.
Qed.

Lemma chernoff_exponent_upper x : 0 <= x -> x ^ 2 / (2 + x) <= (1 + x) * ln (1 + x) - x.
Proof.
  intros Hx. replace (x ^ 2 / (2 + x)) with ((1 + x) * (2 * x / (2 + x)) - x) by (field; lra).
  apply Rplus_le_compat_r, Rmult_le_compat_l; [lra | apply ln_lower, Hx].
Qed.

(** The derivative of the difference is - ln(1 - t) - t. *)
Lemma chernoff_exponent_lower x : 0 <= x < 1 -> x ^ 2 / 2 <= (1 - x) * ln (1 - x) + x.
Proof.
  intros Hx. apply Rminus_le_0.
  apply (nonneg_by_derivative (fun t => (1 - t) * ln (1 - t) + t - t ^ 2 / 2)
    (fun t => - ln (1 - t) - t) x (proj1 Hx)).
  - rewrite Rminus_0_r, ln_1. field.
  - intros t Ht. auto_derive; [lra | unfold Rminus; field; lra].
  - intros t Ht. assert (ln (1 - t) <= 1 - t - 1) by (apply ln_le_minus_1; lra). lra.
Qed.

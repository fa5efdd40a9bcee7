(** A polynomial below a polynomial times e^(polynomial), on a cube.

    What the checker does on one leaf of a proof of kind [box_inequality] (its functions
    [exponential_bounds] and [check_leaf]): it replaces f = s e^(u0 + u), with polynomials s and u and a
    number u0, by a polynomial that is at most f on [0, 1]^v, ends included.

    - M, the sum of the positive coefficients of u, bounds u on the cube ([positive_coefficients_bound]).
    - With S the Taylor sum of e^u of even K, low <= e^u0 <= high, low >= 0 and e^M <= factor:
      low S <= e^(u0 + u) <= high (S + factor u^K / K!) ([exp_between]).
    - s is the sum of its terms with positive and with other coefficients, which are >= 0 and <= 0 on the
      cube; the first take the lower bound of the exponential, the others the upper one
      ([lower_polynomial_below]).

    Source: this package, docs/certificates.md, "Taylor sums bound e^u on a cube". *)

From Coq Require Import Reals List Bool Lra Lia Arith.
From Exactdp Require Import sums reals exponential multivariate handelman bernstein.
Import ListNotations.
Open Scope R_scope.

(** ** Polynomials on the cube *)

Lemma monomial_in_unit e t : Forall in_unit t -> 0 <= monomial e t <= 1.
Proof.
  revert e. induction t as [| x t IH]; intros [| i e] H; simpl; try lra.
  inversion_clear H as [| ? ? Hx Ht]. destruct Hx as [X0 X1]. destruct (IH e Ht) as [M0 M1].
  assert (P0 := pow_le x i X0).
  assert (P1 : x ^ i <= 1) by (rewrite <- (pow1 i); apply pow_incr; split; assumption).
  split; [apply Rmult_le_pos; assumption |].
  rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; assumption.
Qed.

Definition positive_coefficients (p : poly) : R := total p (fun ce => Rmax 0 (fst ce)).

Lemma positive_coefficients_nonneg p : 0 <= positive_coefficients p.
Proof. apply total_nonneg. intros. apply Rmax_l. Qed.

Lemma positive_coefficients_bound p t : Forall in_unit t -> eval p t <= positive_coefficients p.
Proof.
  intros H. apply total_le. intros ce _. destruct (monomial_in_unit (snd ce) t H) as [M0 M1].
  apply Rle_trans with (Rmax 0 (fst ce) * monomial (snd ce) t).
  - apply Rmult_le_compat_r; [exact M0 | apply Rmax_r].
  - rewrite <- (Rmult_1_r (Rmax 0 (fst ce))) at 2. apply Rmult_le_compat_l; [apply Rmax_l | exact M1].
Qed.

Definition positive_part (p : poly) : poly := filter (fun ce => Rltb 0 (fst ce)) p.
Definition other_part (p : poly) : poly := filter (fun ce => negb (Rltb 0 (fst ce))) p.

Lemma eval_parts p t : eval p t = eval (positive_part p) t + eval (other_part p) t.
Proof.
  unfold eval, positive_part, other_part. rewrite !total_filter, <- total_plus.
  apply total_ext. intros ce _. destruct (Rltb 0 (fst ce)); simpl; ring.
Qed.

Lemma positive_part_nonneg p t : Forall in_unit t -> 0 <= eval (positive_part p) t.
Proof.
  intros H. apply total_nonneg. intros ce I. apply filter_In in I. destruct I as [_ P].
  apply Rltb_true in P. apply Rmult_le_pos; [lra | apply monomial_in_unit, H].
Qed.

Lemma other_part_nonpos p t : Forall in_unit t -> eval (other_part p) t <= 0.
Proof.
  intros H. rewrite <- (total_zero (other_part p)). apply total_le. intros ce I.
  apply filter_In in I. destruct I as [_ P]. destruct (monomial_in_unit (snd ce) t H) as [M0 _].
  assert (fst ce <= 0).
  { apply Rnot_lt_le. intros Q. apply Rltb_true in Q. rewrite Q in P. discriminate. }
  replace (fst ce * monomial (snd ce) t) with (- (- fst ce * monomial (snd ce) t)) by ring.
  apply Ropp_le_cancel. rewrite Ropp_involutive, Ropp_0. apply Rmult_le_pos; lra.
Qed.

(** ** The exponential *)

(** Sum over k < K of u^k / k!, expanded. *)
Definition taylor_polynomial (v : nat) (u : poly) (K : nat) : poly :=
  flat_map (fun k => scale (/ INR (fact k)) (power v u k)) (seq 0 K).

Lemma eval_taylor_polynomial v u K t : eval (taylor_polynomial v u K) t = taylor_sum (eval u t) K.
Proof.
  unfold taylor_polynomial, taylor_sum. rewrite eval_flat_map. apply total_ext. intros k _.
  rewrite eval_scale, eval_power. unfold taylor_term, Rdiv. ring.
Qed.

(** How the exponential e^(constant_part + exponent) is bounded, and the polynomial before it. *)
Record enclosed_term : Type :=
  { shape : poly; constant_part : R; exponent : poly; exp_low : R; exp_high : R; factor : R }.

Definition enclosure_holds (f : enclosed_term) : Prop :=
  0 <= exp_low f <= exp (constant_part f) /\ exp (constant_part f) <= exp_high f /\
  exp (positive_coefficients (exponent f)) <= factor f.

Definition lower_exponential (v K : nat) (f : enclosed_term) : poly :=
  scale (exp_low f) (taylor_polynomial v (exponent f) K).

Definition upper_exponential (v K : nat) (f : enclosed_term) : poly :=
  scale (exp_high f) (taylor_polynomial v (exponent f) K ++
    scale (factor f / INR (fact K)) (power v (exponent f) K)).

Lemma exp_between v K f t :
  Nat.Even K -> enclosure_holds f -> Forall in_unit t ->
  eval (lower_exponential v K f) t <= exp (constant_part f + eval (exponent f) t) <=
  eval (upper_exponential v K f) t.
Proof.
  intros HK [[L0 L] [H F]] T. unfold lower_exponential, upper_exponential.
  rewrite !eval_scale, eval_app, eval_scale, eval_power, eval_taylor_polynomial, exp_plus.
  set (u := eval (exponent f) t).
  assert (B := exp_pos (constant_part f)). assert (Bu := exp_pos u).
  assert (S := taylor_sum_even_below_exp u K HK). split.
  - apply Rle_trans with (exp_low f * exp u); [apply Rmult_le_compat_l; assumption |].
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat; [lra | lra | exact H |].
    replace (factor f / INR (fact K) * u ^ K) with (factor f * (u ^ K / INR (fact K)))
      by (unfold Rdiv; ring).
    apply exp_below_taylor_sum_even with (positive_coefficients (exponent f)); [exact HK | |].
    + apply positive_coefficients_bound, T.
    + rewrite Rmax_right; [exact F | apply positive_coefficients_nonneg].
Qed.

(** ** The polynomial below *)

Definition lower_polynomial (v K : nat) (f : enclosed_term) : poly :=
  mul (positive_part (shape f)) (lower_exponential v K f) ++
  mul (other_part (shape f)) (upper_exponential v K f).

Theorem lower_polynomial_below v K f t :
  Nat.Even K -> enclosure_holds f -> Forall in_unit t ->
  eval (lower_polynomial v K f) t <=
  eval (shape f) t * exp (constant_part f + eval (exponent f) t).
Proof.
  intros HK HF T. unfold lower_polynomial. rewrite eval_app, !eval_mul, (eval_parts (shape f)).
  destruct (exp_between v K f t HK HF T) as [L U].
  assert (P := positive_part_nonneg (shape f) t T). assert (N := other_part_nonpos (shape f) t T).
  rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; assumption.
  - apply Rmult_le_compat_neg_l; assumption.
Qed.

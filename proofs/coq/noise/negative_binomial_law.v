(** Negative binomial laws: their masses, that they exist, and Chernoff's bound below the mean.

    For real r > 0 and 0 <= p < 1 let [negative_binomial r p] have the mass (1 - p)^r p^t r (r+1) ... (r+t-1)/t!
    at t = 0, 1, 2, ..., where (1 - p)^r = e^(r ln(1 - p)). Proved, for all such r and p:

    - [binomial_series]: for real r > 0 and abs(x) < 1 the sum of x^t r (r+1) ... (r+t-1)/t! is (1 - x)^(-r);
    - [negative_binomial_exists]: the masses add up to 1, and satisfy the recursion that defines the law in
      negative_binomial_mean.v; with negative_binomial_sums.v: every law with that recursion has these masses;
    - [negative_binomial_lower_tail]: for 0 < q <= p < 1, with C = e^(r ln((1-p)/(1-q)) + a ln(p/q)), real a, the
      probability of every finite set of outcomes t <= a, hence of all of them, is at most C. It is least, and
      Chernoff's bound, where a is the mean r q/(1 - q) of the law of ratio q.

    Proof. The derivative S' of the series S satisfies S' = r S + x S', so S (1 - x)^r has derivative 0. For t <= a
    the masses of ratio p are at most C times those of ratio q, which add up to 1. Source: standard. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums masses infinite_sums monotone_convergence.
From Exactdp Require Import negative_binomial_mean negative_binomial_sums.
Import ListNotations.
Open Scope R_scope.

Lemma rising_weight_pos r t : 0 < r -> 0 < rising_weight r t.
Proof.
  intros H. induction t as [| t IH]; simpl; [lra |]. assert (P := pos_INR t).
  apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | exact IH].
Qed.

Lemma rising_weight_radius r : 0 < r -> CV_radius (rising_weight r) = Finite 1.
Proof.
  intros H. replace 1 with (/ 1) by apply Rinv_1. apply CV_radius_finite_DAlembert; [| lra |].
  - intros n. apply Rgt_not_eq, rising_weight_pos, H.
  - apply (is_lim_seq_ext (fun n => 1 + (r - 1) * / INR (S n))).
    + intros n. assert (P := pos_INR n). assert (W := rising_weight_pos r n H).
      replace (rising_weight r (S n) / rising_weight r n) with ((r + INR n) / (INR n + 1))
        by (simpl rising_weight; field; lra).
      rewrite Rabs_pos_eq by (apply Rlt_le, Rdiv_lt_0_compat; lra). rewrite S_INR. field. lra.
    + replace (Finite 1) with (Finite (1 + (r - 1) * 0)) by (f_equal; ring).
      apply is_lim_seq_plus'; [apply is_lim_seq_const |].
      apply (is_lim_seq_scal_l (fun n => / INR (S n)) (r - 1) (Finite 0)).
      apply (is_lim_seq_incr_1 (fun n => / INR n)).
      apply (is_lim_seq_inv _ p_infty); [apply is_lim_seq_INR | discriminate].
Qed.

(** S' = r S + x S'. *)
Lemma rising_series_derivative r x : 0 < r -> Rabs x < 1 ->
  PSeries (PS_derive (rising_weight r)) x =
  r * PSeries (rising_weight r) x + x * PSeries (PS_derive (rising_weight r)) x.
Proof.
  intros H Hx. assert (C : Rbar_lt (Rabs x) (CV_radius (rising_weight r))).
  { rewrite rising_weight_radius; [exact Hx | exact H]. }
  rewrite <- PSeries_scal, <- PSeries_incr_1, <- PSeries_plus.
  - apply PSeries_ext. intros n. unfold PS_plus, PS_scal, PS_incr_1, PS_derive. simpl.
    destruct n as [| n].
    + change (1 * ((r + 0) / (0 + 1) * 1) = r * 1 + 0). field.
    + change (INR (S (S n)) * ((r + INR (S n)) / (INR (S n) + 1) * rising_weight r (S n)) =
        r * rising_weight r (S n) + INR (S n) * rising_weight r (S n)).
      rewrite (S_INR (S n)). assert (P := pos_INR (S n)). field. lra.
  - apply ex_pseries_scal; [apply Rmult_comm | apply CV_radius_inside, C].
  - apply ex_pseries_incr_1, CV_radius_inside. rewrite CV_radius_derive. exact C.
Qed.

Lemma rising_series r x : 0 < r -> Rabs x < 1 -> PSeries (rising_weight r) x * exp (r * ln (1 - x)) = 1.
Proof.
  intros H Hx. set (S := PSeries (rising_weight r)). set (dS := PSeries (PS_derive (rising_weight r))).
  set (f := fun y => S y * exp (r * ln (1 - y))).
  assert (D : forall y, Rabs y < 1 -> is_derive f y 0).
  { intros y Hy. assert (Y : 0 < 1 - y) by (assert (Z := Rle_abs y); lra).
    assert (DS : is_derive S y (dS y)).
    { apply is_derive_PSeries. rewrite rising_weight_radius by exact H. exact Hy. }
    assert (DE : is_derive (fun y => exp (r * ln (1 - y))) y (- (r / (1 - y)) * exp (r * ln (1 - y)))).
    { auto_derive; [lra | unfold Rminus, Rdiv; field; lra]. }
    assert (E : 0 = dS y * exp (r * ln (1 - y)) + S y * (- (r / (1 - y)) * exp (r * ln (1 - y)))).
    { assert (R := rising_series_derivative r y H Hy). fold S dS in R.
      assert (Sy : r * S y = (1 - y) * dS y) by lra.
      replace (S y * (- (r / (1 - y)) * exp (r * ln (1 - y)))) with (- (r * S y) / (1 - y) * exp (r * ln (1 - y)))
        by (field; lra).
      rewrite Sy. field. lra. }
    rewrite E. apply (is_derive_mult S (fun y => exp (r * ln (1 - y))) y _ _ DS DE). intros; apply Rmult_comm. }
  assert (F0 : f 0 = 1).
  { unfold f, S. rewrite PSeries_0, Rminus_0_r, ln_1, Rmult_0_r, exp_0. simpl. ring. }
  change (f x = 1). rewrite <- F0. destruct (Rtotal_order x 0) as [L | [-> | L]]; [| reflexivity |].
  - apply (eq_is_derive f x 0); [| exact L]. intros t Ht. apply D.
    rewrite Rabs_left1 in * by lra. lra.
  - symmetry. apply (eq_is_derive f 0 x); [| exact L]. intros t Ht. apply D.
    rewrite Rabs_right in * by lra. lra.
Qed.

Theorem binomial_series r x : 0 < r -> Rabs x < 1 ->
  is_series (fun t => rising_weight r t * x ^ t) (exp (- r * ln (1 - x))).
Proof.
  intros H Hx. assert (E := rising_series r x H Hx).
  assert (X := exp_pos (r * ln (1 - x))). replace (exp (- r * ln (1 - x))) with (PSeries (rising_weight r) x).
  - apply Series_correct. destruct (CV_radius_inside (rising_weight r) x) as [l Hl].
    + rewrite rising_weight_radius by exact H. exact Hx.
    + exists l. exact (proj1 (is_pseries_R _ _ _) Hl).
  - rewrite Ropp_mult_distr_l_reverse, exp_Ropp. apply Rmult_eq_reg_r with (exp (r * ln (1 - x))); [| lra].
    rewrite E. field. lra.
Qed.

Definition negative_binomial (r p : R) (t : nat) : R := exp (r * ln (1 - p)) * (rising_weight r t * p ^ t).

Lemma negative_binomial_nonneg r p t : 0 < r -> 0 <= p -> 0 <= negative_binomial r p t.
Proof.
  intros H Hp. apply Rmult_le_pos; [left; apply exp_pos |].
  apply Rmult_le_pos; [left; apply rising_weight_pos, H | apply pow_le, Hp].
Qed.

Theorem negative_binomial_exists r p : 0 < r -> 0 <= p < 1 -> is_negative_binomial r p (negative_binomial r p).
Proof.
  intros H Hp. split.
  - apply law_sum_of. split; [intros t; apply negative_binomial_nonneg; lra |].
    replace 1 with (exp (r * ln (1 - p)) * exp (- r * ln (1 - p)))
      by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
    apply sum_of_scal; [left; apply exp_pos |]. apply series_is_sum.
    + intros t. apply Rmult_le_pos; [left; apply rising_weight_pos, H | apply pow_le; lra].
    + assert (S := binomial_series r p H ltac:(rewrite Rabs_right; lra)).
      apply is_series_Reals in S. exact S.
  - intros t. unfold negative_binomial. simpl. assert (P := pos_INR t). field. lra.
Qed.

(** ** Chernoff's bound *)

Theorem negative_binomial_lower_tail r p q a l :
  0 < r -> 0 < q <= p -> p < 1 -> NoDup l -> (forall t, In t l -> INR t <= a) ->
  total l (negative_binomial r p) <= exp (r * ln ((1 - p) / (1 - q)) + a * ln (p / q)).
Proof.
  intros Hr Hq Hp N A. set (C := exp _).
  assert (Ratio : 0 <= ln (p / q)).
  { rewrite <- ln_1. apply ln_le; [lra |]. apply Rmult_le_reg_r with q; [lra |]. field_simplify; lra. }
  apply Rle_trans with (total l (fun t => C * negative_binomial r q t)).
  - apply total_le. intros t I. specialize (A t I). unfold negative_binomial.
    assert (W := rising_weight_pos r t Hr).
    replace (p ^ t) with (exp (INR t * ln (p / q)) * q ^ t).
    + replace (exp (r * ln (1 - p))) with (exp (r * ln ((1 - p) / (1 - q))) * exp (r * ln (1 - q))).
      * unfold C. rewrite exp_plus.
        replace (exp (r * ln ((1 - p) / (1 - q))) * exp (r * ln (1 - q)) *
          (rising_weight r t * (exp (INR t * ln (p / q)) * q ^ t))) with
          (exp (INR t * ln (p / q)) * (exp (r * ln ((1 - p) / (1 - q))) * exp (r * ln (1 - q)) *
            (rising_weight r t * q ^ t))) by ring.
        replace (exp (r * ln ((1 - p) / (1 - q))) * exp (a * ln (p / q)) *
          (exp (r * ln (1 - q)) * (rising_weight r t * q ^ t))) with
          (exp (a * ln (p / q)) * (exp (r * ln ((1 - p) / (1 - q))) * exp (r * ln (1 - q)) *
            (rising_weight r t * q ^ t))) by ring.
        apply Rmult_le_compat_r; [| apply exp_le, Rmult_le_compat_r; assumption].
        apply Rmult_le_pos; [left; apply Rmult_lt_0_compat; apply exp_pos |].
        apply Rmult_le_pos; [lra | apply pow_le; lra].
      * rewrite <- exp_plus, <- Rmult_plus_distr_l. f_equal. f_equal. unfold Rdiv.
        rewrite ln_mult, ln_Rinv; [lra | lra | lra | apply Rinv_0_lt_compat; lra].
    + rewrite (Rmult_comm (INR t)), <- exp_power, exp_ln by (apply Rdiv_lt_0_compat; lra).
      rewrite <- Rpow_mult_distr. f_equal. field. lra.
  - rewrite total_scal. rewrite <- (Rmult_1_r C) at 2. apply Rmult_le_compat_l; [left; apply exp_pos |].
    apply law_finite; [| exact N]. apply (negative_binomial_exists r q Hr). lra.
Qed.

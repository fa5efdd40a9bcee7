(** The root mean squared error of the survey, by its eps.

    n users answer by binary randomized response that is eps-DP: truthfully with probability 1/2 + g, where
    (1/2 + g)/(1/2 - g) = e^eps. For every eps > 0, n >= 1 and every data set of n bits:

    - [survey_local_error]: the root mean squared error of the estimate of the sum is at most sqrt(n)/eps,
      and that of the mean at most 1/(eps sqrt(n)); for eps <= 1 both are at least 20/21 of that.

    Idea: with v = e^(eps/2) it is sqrt(n) v/(v^2 - 1) for the sum, and eps v <= v^2 - 1 <= (21/20) eps v, the
    latter for eps <= 1: 1 + x + x^2/2 <= e^x <= 1 + x + x^2/2 + (4/21) x^3 for x = eps/2 <= 1/2.

    Source: Warner 1965, section 2; the proof: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits bit_messages exponential randomized_response.
Import ListNotations.
Open Scope R_scope.

(** ** The hyperbolic sine *)

Lemma sinh_lower x : 0 <= x -> 2 * x * exp x <= exp x ^ 2 - 1.
Proof.
  intros H. assert (T := taylor_sum_below_exp x 3 H). unfold taylor_sum, taylor_term in T. simpl in T.
  assert (V : 1 + x + x ^ 2 / 2 <= exp x) by lra. set (v := exp x) in *.
  assert (S : 0 <= x ^ 2) by apply pow2_ge_0.
  assert (A : (1 + x ^ 2 / 2) ^ 2 <= (v - x) ^ 2) by (apply pow_incr; lra).
  assert (B : 0 <= (x ^ 2) ^ 2) by apply pow2_ge_0.
  lra.
Qed.

Lemma exp_above x : 0 <= x <= 1 / 2 -> exp x <= 1 + x + x ^ 2 / 2 + 4 / 21 * x ^ 3.
Proof.
  intros H. assert (T := exp_below_taylor_sum x 3). simpl INR in T.
  specialize (T (proj1 H) ltac:(lra)). unfold taylor_sum, taylor_term in T. simpl in T.
  assert (P : 0 <= x ^ 3) by (apply pow_le; lra).
  assert (D : 7 / 8 <= 1 - x / (1 + 1 + 1 + 1)) by lra.
  assert (I : / (1 - x / (1 + 1 + 1 + 1)) <= 8 / 7).
  { replace (8 / 7) with (/ (7 / 8)) by field. apply Rinv_le_contravar; lra. }
  apply (Rmult_le_compat_l (x ^ 3 / 6)) in I; [| lra]. simpl in I. unfold Rdiv in *. lra.
Qed.

Lemma sinh_upper x : 0 <= x <= 1 / 2 -> exp x ^ 2 - 1 <= 21 / 20 * (2 * x * exp x).
Proof.
  intros H. assert (V := exp_above x H). assert (L := exp_pos x).
  assert (L1 : 1 + x <= exp x) by apply exp_ineq1_le. set (v := exp x) in *.
  set (w := 1 - 1 / 20 * x + x ^ 2 / 2 + 4 / 21 * x ^ 3).
  assert (A : (v - 21 / 20 * x) ^ 2 <= w ^ 2) by (apply pow_incr; unfold w; lra).
  assert (P2 : 0 <= x ^ 2) by apply pow2_ge_0.
  assert (Q : forall c, 0 <= c -> c * x <= c / 2) 
    by (intros c Hc; destruct H as [_ H]; apply (Rmult_le_compat_l c) in H; lra).
  assert (Q1 := Q x (proj1 H)). assert (Q2 := Q (x ^ 2) P2).
  assert (P3 : 0 <= x ^ 3) by (apply pow_le; lra). assert (Q3 := Q (x ^ 3) P3).
  assert (P4 : 0 <= x ^ 4) by (apply pow_le; lra). assert (Q4 := Q (x ^ 4) P4).
  assert (P5 : 0 <= x ^ 5) by (apply pow_le; lra). assert (Q5 := Q (x ^ 5) P5).
  assert (B : w ^ 2 <= 1 + (21 / 20 * x) ^ 2) by (unfold w; lra).
  lra.
Qed.

(** ** The error *)

(** The g of eps. *)
Definition survey_advantage (eps : R) : R := (exp eps - 1) / (2 * (exp eps + 1)).

Lemma survey_advantage_range eps : 0 < eps ->
  0 < survey_advantage eps < 1 / 2 /\
  (1 / 2 + survey_advantage eps) / (1 / 2 - survey_advantage eps) = exp eps.
Proof.
  intros H. assert (E : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, H).
  unfold survey_advantage. split; [split | field; lra].
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_lt_reg_r with (2 * (exp eps + 1)); [lra |]. field_simplify; lra.
Qed.

(** The mean squared error is (sqrt(n) v/(v^2 - 1))^2. *)
Lemma survey_mean_squared_error (n : nat) (eps : R) (xs : list bool) :
  0 < eps -> length xs = n ->
  let g := survey_advantage eps in
  let v := exp (eps / 2) in
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (survey_estimate g n y - INR (ones xs)) ^ 2) =
  (sqrt (INR n) * (v / (v ^ 2 - 1))) ^ 2.
Proof.
  intros He L g v. destruct (survey_advantage_range eps He) as [G R]. fold g in G, R.
  rewrite (survey_variance n g xs G L), (survey_variance_by_epsilon n g G), R.
  rewrite exp_ln by apply exp_pos.
  assert (V : exp eps = v ^ 2) by (unfold v; simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; field).
  assert (V1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  rewrite Rpow_mult_distr, pow2_sqrt by apply pos_INR. rewrite V. rewrite V in V1. field. lra.
Qed.

Theorem survey_local_error (n : nat) (eps : R) (xs : list bool) :
  0 < eps -> (1 <= n)%nat -> length xs = n ->
  let g := survey_advantage eps in
  let answers := messages (one_message (survey_randomizer g)) xs in
  let of_sum := sqrt (mean answers (fun y => (survey_estimate g n y - INR (ones xs)) ^ 2)) in
  let of_mean :=
    sqrt (mean answers (fun y => (survey_estimate g n y / INR n - INR (ones xs) / INR n) ^ 2)) in
  ln ((1 / 2 + g) / (1 / 2 - g)) = eps /\
  of_sum <= sqrt (INR n) / eps /\ of_mean <= 1 / (eps * sqrt (INR n)) /\
  (eps <= 1 -> 20 / 21 * (sqrt (INR n) / eps) <= of_sum /\ 20 / 21 * (1 / (eps * sqrt (INR n))) <= of_mean).
Proof.
  intros He Hn L g answers of_sum of_mean. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Q : 0 < sqrt (INR n)) by (apply sqrt_lt_R0, N).
  assert (QQ : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra).
  destruct (survey_advantage_range eps He) as [G R]. fold g in G, R.
  set (v := exp (eps / 2)). assert (V : 1 < v) by (unfold v; rewrite <- exp_0; apply exp_increasing; lra).
  assert (W : 0 < v ^ 2 - 1) 
    by (replace (v ^ 2 - 1) with ((v - 1) * (v + 1)) by ring; apply Rmult_lt_0_compat; lra).
  assert (F : 0 < v / (v ^ 2 - 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (S : of_sum = sqrt (INR n) * (v / (v ^ 2 - 1))).
  { unfold of_sum, answers, g. rewrite (survey_mean_squared_error n eps xs He L). fold v.
    apply sqrt_pow2, Rmult_le_pos; lra. }
  assert (M : of_mean = of_sum / INR n).
  { unfold of_mean.
    rewrite (mean_ext _ _ (fun y => (/ INR n) ^ 2 * (survey_estimate g n y - INR (ones xs)) ^ 2))
      by (intros y; field; lra).
    rewrite mean_scal, sqrt_mult_alt by apply pow2_ge_0.
    rewrite sqrt_pow2 by (left; apply Rinv_0_lt_compat, N). unfold of_sum, Rdiv. ring. }
  assert (Sum : forall a, a * (sqrt (INR n) / eps) / INR n = a * (1 / (eps * sqrt (INR n)))).
  { intros a. rewrite <- QQ at 2. field. lra. }
  assert (Lo := sinh_lower (eps / 2) ltac:(lra)). fold v in Lo.
  assert (Up : of_sum <= sqrt (INR n) / eps).
  { rewrite S. unfold Rdiv at 2. apply Rmult_le_compat_l; [lra |].
    apply Rmult_le_reg_r with (eps * (v ^ 2 - 1)); [apply Rmult_lt_0_compat; assumption |].
    replace (v / (v ^ 2 - 1) * (eps * (v ^ 2 - 1))) with (eps * v) by (field; lra).
    replace (/ eps * (eps * (v ^ 2 - 1))) with (v ^ 2 - 1) by (field; lra). lra. }
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat, N).
  split; [rewrite R; apply ln_exp |]. split; [exact Up |]. split.
  - rewrite M, <- (Rmult_1_l (1 / _)), <- Sum, Rmult_1_l. apply Rmult_le_compat_r; lra.
  - intros H1. assert (Hi := sinh_upper (eps / 2) ltac:(lra)). fold v in Hi.
    assert (Low : 20 / 21 * (sqrt (INR n) / eps) <= of_sum).
    { rewrite S.
      replace (20 / 21 * (sqrt (INR n) / eps)) with (sqrt (INR n) * (20 / 21 / eps)) by (field; lra).
      apply Rmult_le_compat_l; [lra |].
      apply Rmult_le_reg_r with (eps * (v ^ 2 - 1)); [apply Rmult_lt_0_compat; assumption |].
      replace (v / (v ^ 2 - 1) * (eps * (v ^ 2 - 1))) with (eps * v) by (field; lra).
      replace (20 / 21 / eps * (eps * (v ^ 2 - 1))) with (20 / 21 * (v ^ 2 - 1)) by (field; lra). lra. }
    split; [exact Low |]. rewrite M, <- Sum. apply Rmult_le_compat_r; lra.
Qed.

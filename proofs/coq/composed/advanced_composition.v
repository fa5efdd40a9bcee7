(** Advanced composition in closed form: T mechanisms cost about sqrt(T) eps, not T eps.

    T mechanisms whose pairs of laws are (e^eps, delta)-below each other, eps >= 0 and 0 <= delta <= 1, each chosen
    with all answers before it in sight, have for every 0 < delta' <= 1 answers that are (e^eps', delta_T)-below with

      eps' = eps sqrt(2 T ln(1/delta')) + T eps (e^eps - 1) / (e^eps + 1),
      delta_T = 1 - (1-delta)^T (1 - delta')

    ([advanced_composition]); every T >= 0. As (e^eps - 1)/(e^eps + 1) <= e^eps - 1 and delta_T <= T delta + delta',
    this is sharper than what Dwork, Rothblum and Vadhan state ([advanced_composition_printed]).

    Idea: of the optimal bound (optimal_composition.v) with x = E r, max(0, 1 - x) <= x^-h for every h >= 0. So the
    finite losses count at most E^-h (E[e^(h loss)])^T, a loss is ln E0 or - ln E0, Hoeffding's lemma bounds its
    moment, and h = sqrt(2 ln(1/delta') / T) / eps is the best choice.

    Source: DworkRothblumVadhan2010, section III; the sharper mean is in KairouzOhViswanath2017, section 3. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws masses hoeffding loss_measures adaptive_composition.
From Exactdp Require Import optimal_composition.
Import ListNotations.
Open Scope R_scope.

(** The mean loss of randomized response, for each of its T runs, and what the finite losses may exceed it by. *)
Definition advanced_eps (T : nat) (eps delta' : R) : R :=
  eps * sqrt (2 * INR T * ln (/ delta')) + INR T * eps * ((exp eps - 1) / (exp eps + 1)).

(** ** The moment of the losses *)

Lemma hinge_moment t h : 0 <= h -> Rmax 0 (1 - exp (- t)) <= exp (h * t).
Proof.
  intros Hh. apply Rmax_lub; [left; apply exp_pos |]. destruct (Rle_or_lt 0 t) as [L | L].
  - assert (X := exp_pos (- t)). assert (Y := exp_ge_1 (h * t) (Rmult_le_pos _ _ Hh L)). lra.
  - assert (X := exp_ge_1 (- t) ltac:(lra)). assert (Y := exp_pos (h * t)). lra.
Qed.

Definition response_moment (eps h : R) : R :=
  exp eps / (1 + exp eps) * exp (h * eps) + / (1 + exp eps) * exp (- (h * eps)).

Lemma finite_part_moment eps T t h :
  0 <= h -> finite_part (exp eps) T (exp t) <= exp (- (h * t)) * response_moment eps h ^ T.
Proof.
  intros Hh. assert (E := exp_pos eps). assert (I : 0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
  revert t. induction T as [| T IH]; intros t; simpl finite_part.
  - rewrite pow_O, Rmult_1_r. assert (X := hinge_moment (- t) h Hh). rewrite Ropp_involutive in X.
    replace (h * - t) with (- (h * t)) in X by ring. exact X.
  - rewrite <- exp_Ropp, <- !exp_plus. assert (A := IH (t + - eps)). assert (B := IH (t + eps)).
    apply Rle_trans with
      (exp eps / (1 + exp eps) * (exp (- (h * (t + - eps))) * response_moment eps h ^ T) +
       / (1 + exp eps) * (exp (- (h * (t + eps))) * response_moment eps h ^ T)).
    + apply Rplus_le_compat; apply Rmult_le_compat_l; try assumption; [| lra]. apply Rmult_le_pos; lra.
    + replace (- (h * (t + - eps))) with (- (h * t) + h * eps) by ring.
      replace (- (h * (t + eps))) with (- (h * t) + - (h * eps)) by ring.
      rewrite !exp_plus. simpl pow. unfold response_moment at 3. apply Req_le. ring.
Qed.

(** Hoeffding's lemma for a loss that is eps or - eps. *)
Lemma response_moment_bound eps h :
  response_moment eps h <= exp (h * eps * ((exp eps - 1) / (exp eps + 1)) + h ^ 2 * eps ^ 2 / 2).
Proof.
  assert (E := exp_pos eps). assert (I : 0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
  set (p := exp eps / (1 + exp eps)).
  assert (Hp : 0 <= p <= 1).
  { assert (Y : 1 - p = / (1 + exp eps)) by (unfold p; field; lra). split; [| lra].
    apply Rmult_le_pos; lra. }
  assert (H := hoeffding_lemma p (2 * (h * eps)) Hp).
  apply (Rmult_le_compat_l (exp (- (h * eps)))) in H; [| left; apply exp_pos].
  rewrite <- exp_plus in H. unfold response_moment. fold p.
  replace (/ (1 + exp eps)) with (1 - p) by (unfold p; field; lra).
  replace (- (h * eps) + (p * (2 * (h * eps)) + (2 * (h * eps)) ^ 2 / 8))
    with (h * eps * ((exp eps - 1) / (exp eps + 1)) + h ^ 2 * eps ^ 2 / 2) in H by (unfold p; field; lra).
  replace (p * exp (h * eps) + (1 - p) * exp (- (h * eps)))
    with (exp (- (h * eps)) * (1 - p + p * exp (2 * (h * eps)))); [exact H |].
  replace (2 * (h * eps)) with (h * eps + h * eps) by ring. rewrite exp_plus, exp_Ropp.
  assert (X := exp_pos (h * eps)). field. lra.
Qed.

(** ** The best choice of h *)

Lemma finite_part_tail eps T delta' :
  0 <= eps -> 0 < delta' <= 1 -> finite_part (exp eps) T (exp (advanced_eps T eps delta')) <= delta'.
Proof.
  intros He Hd. assert (L : 0 <= ln (/ delta')).
  { rewrite <- ln_1. assert (X : 1 <= / delta').
    { apply Rmult_le_reg_l with delta'; [lra |]. rewrite Rinv_r; lra. }
    destruct X as [X | <-]; [left; apply ln_increasing; lra | lra]. }
  unfold advanced_eps. set (m := (exp eps - 1) / (exp eps + 1)).
  destruct (Rle_lt_or_eq_dec 0 eps He) as [P | <-].
  - destruct T as [| T].
    + simpl finite_part. rewrite Rmult_0_r, !Rmult_0_l, sqrt_0, Rmult_0_r, Rplus_0_l, exp_0.
      rewrite Rminus_diag_eq, Rmax_left by lra. lra.
    + assert (N : 0 < INR (S T)) by (apply lt_0_INR; lia). set (n := INR (S T)) in *.
      set (s := sqrt (2 * n * ln (/ delta'))).
      assert (S0 : 0 <= s) by apply sqrt_pos.
      assert (S2 : s * s = 2 * n * ln (/ delta')).
      { apply sqrt_sqrt. apply Rmult_le_pos; [lra | exact L]. }
      set (h := s / (n * eps)).
      assert (NE : 0 < n * eps) by (apply Rmult_lt_0_compat; assumption).
      assert (Hh : 0 <= h) by (apply Rmult_le_pos; [exact S0 | left; apply Rinv_0_lt_compat, NE]).
      eapply Rle_trans; [apply (finite_part_moment eps (S T) _ h Hh) |].
      apply Rle_trans with
        (exp (- (h * (eps * s + n * eps * m))) * exp (h * eps * m + h ^ 2 * eps ^ 2 / 2) ^ S T).
      * apply Rmult_le_compat_l; [left; apply exp_pos |]. apply pow_incr. split.
        -- unfold response_moment. assert (E := exp_pos eps).
           assert (0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
           assert (X := exp_pos (h * eps)). assert (Y := exp_pos (- (h * eps))).
           apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra. apply Rmult_le_pos; lra.
        -- apply response_moment_bound.
      * rewrite exp_power, <- exp_plus. fold n.
        replace (- (h * (eps * s + n * eps * m)) + (h * eps * m + h ^ 2 * eps ^ 2 / 2) * n)
          with (- (s * s / (2 * n))) by (unfold h; field; lra).
        rewrite S2. replace (2 * n * ln (/ delta') / (2 * n)) with (ln (/ delta')) by (field; lra).
        rewrite ln_Rinv, Ropp_involutive, exp_ln by lra. lra.
  - rewrite !Rmult_0_r, !Rmult_0_l, Rplus_0_l, exp_0.
    assert (Z : finite_part 1 T 1 = 0); [| lra]. clear. induction T as [| T IH]; simpl.
    + rewrite Rminus_diag_eq, Rmax_left by lra. reflexivity.
    + rewrite Rinv_1, !Rmult_1_r, IH. ring.
Qed.

Theorem advanced_composition {A} T (mechanisms : list (mechanism A)) P Q eps delta delta' :
  0 <= eps -> 0 <= delta <= 1 -> 0 < delta' <= 1 -> length mechanisms = T ->
  (forall M, In M mechanisms -> forall P Q, M P Q -> private_pairs (exp eps) delta P Q) ->
  played mechanisms P Q ->
  mass_below P Q (exp (advanced_eps T eps delta')) (1 - (1 - delta) ^ T * (1 - delta')).
Proof.
  intros He Hd Hd' HT H HP l N. assert (E1 := exp_ge_1 eps He).
  assert (PE := Rlt_le _ _ (exp_pos (advanced_eps T eps delta'))).
  eapply Rle_trans; [apply (optimal_composition (exp eps) delta E1 Hd T mechanisms P Q _ HT H HP PE l N) |].
  apply Rplus_le_compat_l. rewrite <- product_composed, product_finite_part by assumption.
  assert (X := finite_part_tail eps T delta' He Hd').
  assert (0 <= (1 - delta) ^ T) by (apply pow_le; lra).
  apply (Rmult_le_compat_l ((1 - delta) ^ T)) in X; lra.
Qed.

(** As it is printed. *)
Lemma bernoulli_below T delta : 0 <= delta <= 1 -> 1 - INR T * delta <= (1 - delta) ^ T.
Proof.
  intros H. induction T as [| T IH]; [simpl; lra |]. rewrite S_INR. simpl pow.
  assert (X := pos_INR T). assert (0 <= INR T * delta * delta) by (repeat apply Rmult_le_pos; lra).
  apply (Rmult_le_compat_l (1 - delta)) in IH; lra.
Qed.

Theorem advanced_composition_printed {A} T (mechanisms : list (mechanism A)) P Q eps delta delta' :
  0 <= eps -> 0 <= delta <= 1 -> 0 < delta' <= 1 -> length mechanisms = T ->
  (forall M, In M mechanisms -> forall P Q, M P Q -> private_pairs (exp eps) delta P Q) ->
  played mechanisms P Q ->
  mass_below P Q (exp (sqrt (2 * INR T * ln (/ delta')) * eps + INR T * eps * (exp eps - 1)))
    (INR T * delta + delta').
Proof.
  intros He Hd Hd' HT H HP. assert (E1 := exp_ge_1 eps He).
  apply (mass_below_weaken P Q (exp (advanced_eps T eps delta')) (1 - (1 - delta) ^ T * (1 - delta'))).
  - intros answers. apply (played_nonneg mechanisms P Q); [| exact HP].
    intros M I P' Q' HM. destruct (H M I P' Q' HM) as [LP [LQ _]]. auto.
  - apply exp_le. unfold advanced_eps. rewrite (Rmult_comm (sqrt _)). apply Rplus_le_compat_l.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply pos_INR | exact He] |].
    apply Rmult_le_reg_r with (exp eps + 1); [lra |].
    replace ((exp eps - 1) / (exp eps + 1) * (exp eps + 1)) with (exp eps - 1) by (field; lra).
    assert (0 <= (exp eps - 1) * exp eps) by (apply Rmult_le_pos; lra). lra.
  - assert (B := bernoulli_below T delta Hd).
    assert (U := pow_incr (1 - delta) 1 T ltac:(lra)). rewrite pow1 in U.
    apply (Rmult_le_compat_r (1 - (1 - delta'))) in U; lra.
  - apply (advanced_composition T mechanisms); assumption.
Qed.

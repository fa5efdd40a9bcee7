(** Negative binomial noise makes an integer query private.

    A query has values in the integers and changes by at most Delta between neighbours. W is drawn from NB(r, p).
    Let 0 < eps <= 1, delta > 0, r >= 3 and r >= 3 ln(1/delta), so that r = 3 (1 + ln(1/delta)) will do where
    delta <= 1. [negative_binomial_private]: for all such real numbers, every integer Delta >= 1 and
    e^(-eps/(5 Delta)) <= p < 1 the query plus W is (eps, delta)-DP: all events, infinite ones included.

    Proof. A larger p belongs to a smaller eps: let p = e^(-eps/(5 Delta)), s = eps/Delta, E1 = e^s, v = p/(1 - p).
    As r >= 1, D(t) <= E1 D(t+1) for all t; and D(t+1) <= E1 D(t) from t + 1 = p (r-1)/(E1 - p) on, which is at most
    r v/6 for E1 - p >= 6 (1 - p). So at most P[W < r v/6 + Delta - 1] is lost, and Delta - 1 <= r v/12, because
    v >= 5 Delta - 1. Chernoff's bound at a fourth of the mean r v is e^(r f) with x = 3/(1 + v) and
    f = - ln 4 + (1 + v/4) ln(1 + x) <= - ln 4 + 39/40 <= - 1/3.
    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the mechanism); the proof is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums masses logarithm.
From Exactdp Require Import negative_binomial_mean noise_on_naturals negative_binomial_sums negative_binomial_law.
Import ListNotations.
Open Scope R_scope.

(** ** The tail *)

Lemma ln_upper x : 0 <= x -> ln (1 + x) <= x * (x + 2) / (2 * (1 + x)).
Proof.
  intros Hx. apply Rminus_le_0.
  apply (nonneg_by_derivative (fun t => t * (t + 2) / (2 * (1 + t)) - ln (1 + t))
    (fun t => t ^ 2 / (2 * (1 + t) ^ 2)) x Hx).
  - rewrite Rplus_0_r, ln_1. field.
  - intros t Ht. auto_derive; [repeat split; lra | field; lra].
  - intros t Ht. apply Rdiv_le_0_compat; [apply pow2_ge_0 |]. assert (0 < (1 + t) ^ 2) by (apply pow_lt; lra). lra.
Qed.

Lemma ln_4 : 4 / 3 <= ln 4.
Proof.
  replace 4 with ((1 + 1) * (1 + 1)) at 2 by ring. rewrite ln_mult by lra.
  assert (L := ln_lower 1 ltac:(lra)). lra.
Qed.

(** The exponent of Chernoff's bound. *)
Lemma tail_exponent v : 4 <= v -> ln ((4 + v) / (4 * (1 + v))) + v / 4 * ln ((4 + v) / (1 + v)) <= - (1 / 3).
Proof.
  intros Hv. assert (L4 := ln_4). set (x := 3 / (1 + v)).
  assert (X : 0 <= x) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  replace ((4 + v) / (4 * (1 + v))) with ((1 + x) * / 4) by (unfold x; field; lra).
  replace ((4 + v) / (1 + v)) with (1 + x) by (unfold x; field; lra).
  rewrite ln_mult, ln_Rinv by lra. assert (U := ln_upper x X).
  assert (B : (1 + v / 4) * (x * (x + 2) / (2 * (1 + x))) <= 39 / 40).
  { replace ((1 + v / 4) * (x * (x + 2) / (2 * (1 + x)))) with (3 * (5 + 2 * v) / (8 * (1 + v)))
      by (unfold x; field; lra).
    apply Rmult_le_reg_r with (8 * (1 + v)); [lra |]. field_simplify; lra. }
  apply (Rmult_le_compat_l (1 + v / 4)) in U; [| lra]. lra.
Qed.

Lemma quarter_tail r v delta l :
  3 <= r -> 3 * ln (1 / delta) <= r -> 0 < delta -> 4 <= v -> NoDup l -> (forall t, In t l -> INR t <= r * (v / 4)) ->
  total l (negative_binomial r (v / (1 + v))) <= delta.
Proof.
  intros Hr Hd Pd Hv N A.
  assert (Q : 0 < v / (4 + v)) by (apply Rdiv_lt_0_compat; lra).
  assert (QP : v / (4 + v) <= v / (1 + v)).
  { apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra. }
  assert (P1 : v / (1 + v) < 1) by (apply Rmult_lt_reg_r with (1 + v); [lra |]; field_simplify; lra).
  eapply Rle_trans; [apply (negative_binomial_lower_tail r _ (v / (4 + v)) (r * (v / 4)) l); auto; lra |].
  rewrite <- (exp_ln delta) at 1 by exact Pd. apply exp_le.
  replace ((1 - v / (1 + v)) / (1 - v / (4 + v))) with ((4 + v) / (4 * (1 + v))) by (field; lra).
  replace (v / (1 + v) / (v / (4 + v))) with ((4 + v) / (1 + v)) by (field; lra).
  assert (F := tail_exponent v Hv). apply (Rmult_le_compat_l r) in F; [| lra].
  unfold Rdiv in Hd at 1. rewrite Rmult_1_l, ln_Rinv in Hd by exact Pd. lra.
Qed.

(** ** Privacy *)

Section query.

Variables (eps delta r : R) (Delta : nat) (D : nat -> R).
Hypothesis Delta_positive : (1 <= Delta)%nat.
Hypothesis eps_range : 0 < eps <= 1.
Hypothesis delta_positive : 0 < delta.
Hypothesis r_range : 3 <= r.
Hypothesis r_delta : 3 * ln (1 / delta) <= r.

Let s := eps / INR Delta.
Let p := exp (- (eps / (5 * INR Delta))).
Hypothesis D_law : is_negative_binomial r p D.

Lemma Delta_real : 1 <= INR Delta.
Proof. change 1 with (INR 1). apply le_INR, Delta_positive. Qed.

Lemma step_bounds : 0 < s <= 1 / INR Delta.
Proof.
  assert (H := Delta_real). split; [apply Rdiv_lt_0_compat; lra |].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra].
Qed.

Lemma ratio_bounds : 0 < p < 1 /\ 1 - p <= s / 5.
Proof.
  assert (H := Delta_real). assert (S := step_bounds). unfold p.
  replace (eps / (5 * INR Delta)) with (s / 5) by (unfold s; field; lra).
  assert (X := exp_ineq1_le (- (s / 5))). split; [split; [apply exp_pos |] | lra].
  rewrite <- exp_0. apply exp_increasing. lra.
Qed.

Lemma odds_bound : 5 * INR Delta - 1 <= p / (1 - p).
Proof.
  assert (H := Delta_real). destruct step_bounds as [_ S]. destruct ratio_bounds as [P B].
  assert (W : 1 - p <= / (5 * INR Delta)).
  { replace (/ (5 * INR Delta)) with (1 / INR Delta / 5) by (field; lra). lra. }
  apply Rinv_le_contravar in W; [| lra]. rewrite Rinv_inv in W.
  replace (p / (1 - p)) with (/ (1 - p) - 1) by (field; lra). lra.
Qed.

Lemma masses_below_factor : forall t, 0 <= D t.
Proof. apply D_law. Qed.

(** From here on the masses grow by a factor of at most e^s. *)
Let a := p * (r - 1) / (exp s - p).

Lemma far_apart : 6 * (1 - p) <= exp s - p.
Proof. assert (X := exp_ineq1_le s). destruct ratio_bounds as [_ B]. lra. Qed.

Lemma growth_bounded t : a <= INR (S t) -> D (S t) <= exp s * D t.
Proof.
  intros H. assert (F := far_apart). destruct ratio_bounds as [P _]. assert (T := pos_INR t).
  rewrite S_INR in H. assert (DP := masses_below_factor t).
  apply (Rmult_le_compat_r (exp s - p)) in H; [| lra]. unfold a in H.
  replace (p * (r - 1) / (exp s - p) * (exp s - p)) with (p * (r - 1)) in H by (field; lra).
  apply Rmult_le_reg_l with (INR t + 1); [lra |]. rewrite (proj2 D_law).
  replace ((INR t + 1) * (exp s * D t)) with ((INR t + 1) * exp s * D t) by ring.
  apply Rmult_le_compat_r; [exact DP | lra].
Qed.

Lemma fall_bounded t : D t <= exp s * D (S t).
Proof.
  destruct ratio_bounds as [P _]. assert (T := pos_INR t). assert (DP := masses_below_factor t).
  assert (E : 1 <= exp s * p).
  { unfold p. rewrite <- exp_plus. apply exp_ge_1. assert (H := Delta_real). assert (S := step_bounds).
    replace (eps / (5 * INR Delta)) with (s / 5) by (unfold s; field; lra). lra. }
  apply Rmult_le_reg_l with (INR t + 1); [lra |].
  replace ((INR t + 1) * (exp s * D (S t))) with (exp s * ((INR t + 1) * D (S t))) by ring.
  rewrite (proj2 D_law). replace (exp s * ((r + INR t) * p * D t)) with (exp s * p * ((r + INR t) * D t)) by ring.
  apply Rle_trans with (1 * ((r + INR t) * D t)).
  - rewrite Rmult_1_l. apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact E].
Qed.

Lemma lost_below_quarter : a + INR Delta - 1 <= r * (p / (1 - p) / 4).
Proof.
  assert (F := far_apart). destruct ratio_bounds as [P _]. assert (O := odds_bound). assert (H := Delta_real).
  assert (A : a <= r * (p / (1 - p) / 6)).
  { unfold a. apply Rmult_le_reg_r with (exp s - p); [lra |].
    replace (p * (r - 1) / (exp s - p) * (exp s - p)) with (p * (r - 1)) by (field; lra).
    apply Rle_trans with (r * (p / (1 - p) / 6) * (6 * (1 - p))).
    - replace (r * (p / (1 - p) / 6) * (6 * (1 - p))) with (p * r) by (field; lra). apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_l; [| exact F]. apply Rmult_le_pos; lra. }
  assert (B : 3 * (p / (1 - p)) <= r * (p / (1 - p))) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma negative_binomial_below c d : (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - d)) (exp eps) delta.
Proof.
  assert (H := Delta_real). assert (S := step_bounds).
  replace (exp eps) with (exp s ^ Delta) by (rewrite exp_power; f_equal; unfold s; field; lra).
  apply (lower_tail_private D (exp s) masses_below_factor) with (a := a).
  - apply exp_ge_1. lra.
  - assert (F := far_apart). destruct ratio_bounds as [P _]. apply Rdiv_lt_0_compat; [| lra].
    apply Rmult_lt_0_compat; lra.
  - apply growth_bounded.
  - intros l N A. destruct ratio_bounds as [P _].
    rewrite (total_ext l D (negative_binomial r (p / (1 - p) / (1 + p / (1 - p))))).
    + apply quarter_tail; auto; [assert (O := odds_bound); lra |].
      intros t I. specialize (A t I). assert (L := lost_below_quarter). lra.
    + intros t _. replace (p / (1 - p) / (1 + p / (1 - p))) with p by (field; lra).
      apply (negative_binomial_unique r p); [exact D_law | apply negative_binomial_exists; lra].
  - apply fall_bounded.
Qed.

End query.

(** A larger ratio belongs to a smaller eps. *)
Lemma larger_ratio_below eps delta r p (Delta : nat) D c d :
  (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 -> is_negative_binomial r p D -> (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - d)) (exp eps) delta.
Proof.
  intros HD He Pd Hr Hd Hp L K. assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, HD).
  assert (X := exp_pos (- (eps / (5 * INR Delta)))). set (small := - (ln p * (5 * INR Delta))).
  assert (U : ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (V : - (eps / (5 * INR Delta)) <= ln p) by (rewrite <- ln_exp at 1; apply ln_le; lra).
  assert (S : small <= eps).
  { apply (Rmult_le_compat_r (5 * INR Delta)) in V; [| lra].
    replace (- (eps / (5 * INR Delta)) * (5 * INR Delta)) with (- eps) in V by (field; lra). unfold small. lra. }
  assert (P : 0 < small).
  { unfold small. rewrite Ropp_mult_distr_l. apply Rmult_lt_0_compat; lra. }
  apply (mass_below_weaken _ _ (exp small) delta); [| apply exp_le, S | lra |].
  - intros z. apply on_naturals_nonneg, L.
  - apply (negative_binomial_below small delta r Delta D); auto; [lra |].
    replace (exp (- (small / (5 * INR Delta)))) with p; [exact L |].
    rewrite <- (exp_ln p) at 1 by lra. f_equal. unfold small. field. lra.
Qed.

Theorem negative_binomial_private {X} (f : X -> Z) (neighbor : X -> X -> Prop) eps delta r p (Delta : nat) D :
  (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 -> is_negative_binomial r p D ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) s t,
  mass_of (fun z => on_naturals D (z - f x)) T s -> mass_of (fun z => on_naturals D (z - f y)) T t ->
  s <= exp eps * t + delta.
Proof.
  intros HD He Pd Hr Hd Hp L K x y N T s t. apply (mass_below_all_events _ _ _ _ (Rlt_le _ _ (exp_pos _))).
  apply (larger_ratio_below eps delta r p Delta D); auto.
Qed.

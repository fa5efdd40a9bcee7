(** Negative binomial noise against itself moved, and the privacy of an integer query with it.

    W is drawn from NB(r, p), r >= 3, r >= 3 ln(1/b), b > 0, so that r = 3 (1 + ln(1/b)) will do where b <= 1; h > 0,
    and d >= 1 is an integer. For all integers c1 and c2 with abs(c1 - c2) <= d the law of c1 + W is (e^(d h), b)-below
    that of c2 + W
    - where d h <= 1/2 and e^(-3h/10) <= p < 1 ([negative_binomial_moved]),
    - where d h <= 1 and e^(-h/5) <= p < 1 ([negative_binomial_below], of eps = d h). So a query with values in the
      integers that changes by at most Delta between neighbours is (eps, delta)-DP with W, for 0 < eps <= 1 and
      e^(-eps/(5 Delta)) <= p < 1: all events, infinite ones included ([negative_binomial_private]).

    Proof. Let v = p/(1 - p). As e^h p >= 1 and r >= 1, D(t) <= e^h D(t+1) for all t; and D(t+1) <= e^h D(t) from t + 1 =
    p (r-1)/(e^h - p) on, which is at most r v/k where e^h - p >= k (1 - p). So at most P[W < r v/k + d - 1] is lost,
    at most P[W <= c r v] where d - 1 <= (c - 1/k) r v. Chernoff's bound there is e^(r f) with
    f = ln c + (1 + c v) ln(1 + y) <= ln c + (1 - c) (1 + y/2) and y = (1/c - 1)/(1 + v) ([moved_below]).
    - For 3h/10, k = 13/3: e^h - 13/3 + 10/3 e^(-3h/10) grows from 0 on. And 17 d <= r v, as p >= 17/20 and
      d (1 - p) <= 3/20: c = 3/13 + 1/17, and f <= - 1/3 as v >= 17/3.
    - For h/5, k = 6: 1 - p <= h/5. And d - 1 <= r v/12, as v >= 5 d - 1: c = 1/4, and f <= - ln 4 + 39/40 <= - 1/3.
    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the mechanism); with Sinha 2021, section 3 (the constants of
    the first); the proof is this package's. *)

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

(** The exponent of Chernoff's bound at c times the mean. *)
Lemma tail_exponent c v : 0 < c -> 0 < v ->
  c <= 1 -> ln ((1 + c * v) / (1 + v)) + c * v * ln ((1 + c * v) / (c * (1 + v))) <=
    ln c + (1 - c) * (1 + (1 / c - 1) / (1 + v) / 2).
Proof.
  intros Hc Hv C1. set (y := (1 / c - 1) / (1 + v)). assert (CV : 0 < c * v) by (apply Rmult_lt_0_compat; lra).
  assert (Y : 0 <= y).
  { apply Rdiv_le_0_compat; [| lra]. apply Rle_minus_r. rewrite Rplus_0_l. apply Rmult_le_reg_r with c; [lra |].
    replace (1 / c * c) with 1 by (field; lra). lra. }
  assert (Y1 : 1 + y = (1 + c * v) / (c * (1 + v))) by (unfold y; field; lra). rewrite <- Y1.
  replace ((1 + c * v) / (1 + v)) with ((1 + y) * c) by (rewrite Y1; field; lra).
  rewrite ln_mult by lra. assert (U := ln_upper y Y). apply (Rmult_le_compat_l (1 + c * v)) in U; [| lra].
  replace ((1 + c * v) * (y * (y + 2) / (2 * (1 + y)))) with ((1 - c) * (1 + y / 2)) in U; [lra |].
  rewrite Y1. replace (y * (y + 2)) with (y * (2 * (1 + y / 2))) by field. unfold y at 2. field. lra.
Qed.

Lemma part_of_mean_tail c r v b l : 0 < c <= 1 -> 0 < v ->
  ln c + (1 - c) * (1 + (1 / c - 1) / (1 + v) / 2) <= - (1 / 3) -> 3 <= r -> 3 * ln (1 / b) <= r -> 0 < b ->
  NoDup l -> (forall t, In t l -> INR t <= r * (c * v)) -> total l (negative_binomial r (v / (1 + v))) <= b.
Proof.
  intros Hc Hv F Hr Hd Pd N A. assert (CV : 0 < c * v) by (apply Rmult_lt_0_compat; lra).
  assert (CW : c * v <= v) by (rewrite <- (Rmult_1_l v) at 2; apply Rmult_le_compat_r; lra).
  assert (P1 : v / (1 + v) < 1) by (apply Rmult_lt_reg_r with (1 + v); [lra |]; field_simplify; lra).
  assert (Q : 0 < c * v / (1 + c * v)) by (apply Rdiv_lt_0_compat; lra).
  assert (QP : c * v / (1 + c * v) <= v / (1 + v)).
  { apply Rmult_le_reg_r with ((1 + v) * (1 + c * v)); [apply Rmult_lt_0_compat; lra |].
    replace (c * v / (1 + c * v) * ((1 + v) * (1 + c * v))) with (c * v + v * (c * v)) by (field; lra).
    replace (v / (1 + v) * ((1 + v) * (1 + c * v))) with (v + v * (c * v)) by (field; lra). lra. }
  eapply Rle_trans; [apply (negative_binomial_lower_tail r _ (c * v / (1 + c * v)) (r * (c * v)) l); auto; lra |].
  rewrite <- (exp_ln b) at 1 by exact Pd. apply exp_le.
  replace ((1 - v / (1 + v)) / (1 - c * v / (1 + c * v))) with ((1 + c * v) / (1 + v)) by (field; lra).
  replace (v / (1 + v) / (c * v / (1 + c * v))) with ((1 + c * v) / (c * (1 + v))) by (field; lra).
  assert (G := tail_exponent c v (proj1 Hc) Hv (proj2 Hc)). eapply Rle_trans in F; [| exact G].
  apply (Rmult_le_compat_l r) in F; [| lra].
  unfold Rdiv in Hd at 1. rewrite Rmult_1_l, ln_Rinv in Hd by exact Pd. lra.
Qed.

(** ** The move *)

Section moved.

Variables (h b r p k c : R) (d : nat) (D : nat -> R).
Let v := p / (1 - p).
Hypothesis h_positive : 0 < h.
Hypothesis b_positive : 0 < b.
Hypothesis r_range : 3 <= r.
Hypothesis r_tail : 3 * ln (1 / b) <= r.
Hypothesis p_range : 0 < p < 1.
Hypothesis D_law : is_negative_binomial r p D.
Hypothesis k_positive : 0 < k.
Hypothesis grows : k * (1 - p) <= exp h - p.
Hypothesis falls : 1 <= exp h * p.
Hypothesis c_range : 0 < c <= 1.
Hypothesis moves : INR d - 1 <= (c - / k) * (r * v).
Hypothesis exponent : ln c + (1 - c) * (1 + (1 / c - 1) / (1 + v) / 2) <= - (1 / 3).

(** From here on the masses grow by a factor of at most e^h. *)
Let a := p * (r - 1) / (exp h - p).

Lemma apart : 0 < exp h - p.
Proof. assert (0 < k * (1 - p)) by (apply Rmult_lt_0_compat; lra). lra. Qed.

Lemma growth_bounded t : a <= INR (S t) -> D (S t) <= exp h * D t.
Proof.
  intros H. assert (F := apart). assert (T := pos_INR t). assert (DP : 0 <= D t) by apply D_law.
  rewrite S_INR in H. apply (Rmult_le_compat_r (exp h - p)) in H; [| lra]. unfold a in H.
  replace (p * (r - 1) / (exp h - p) * (exp h - p)) with (p * (r - 1)) in H by (field; lra).
  apply Rmult_le_reg_l with (INR t + 1); [lra |]. rewrite (proj2 D_law).
  replace ((INR t + 1) * (exp h * D t)) with ((INR t + 1) * exp h * D t) by ring.
  apply Rmult_le_compat_r; [exact DP | lra].
Qed.

Lemma fall_bounded t : D t <= exp h * D (S t).
Proof.
  assert (T := pos_INR t). assert (DP : 0 <= D t) by apply D_law.
  apply Rmult_le_reg_l with (INR t + 1); [lra |].
  replace ((INR t + 1) * (exp h * D (S t))) with (exp h * ((INR t + 1) * D (S t))) by ring.
  rewrite (proj2 D_law). replace (exp h * ((r + INR t) * p * D t)) with (exp h * p * ((r + INR t) * D t)) by ring.
  apply Rle_trans with (1 * ((r + INR t) * D t)).
  - rewrite Rmult_1_l. apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact falls].
Qed.

Lemma lost_below : a + INR d - 1 <= r * (c * v).
Proof.
  assert (F := apart). assert (V : 0 < v) by (apply Rdiv_lt_0_compat; lra).
  assert (A : a <= / k * (r * v)); [| lra].
  unfold a. apply Rmult_le_reg_r with (exp h - p); [lra |].
  replace (p * (r - 1) / (exp h - p) * (exp h - p)) with (p * (r - 1)) by (field; lra).
  apply Rle_trans with (/ k * (r * v) * (k * (1 - p))).
  - replace (/ k * (r * v) * (k * (1 - p))) with (p * r) by (unfold v; field; lra). apply Rmult_le_compat_l; lra.
  - apply Rmult_le_compat_l; [| exact grows]. assert (K := Rinv_0_lt_compat _ k_positive).
    apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra].
Qed.

Lemma moved_below c1 c2 : (Z.abs (c1 - c2) <= Z.of_nat d)%Z ->
  mass_below (fun z => on_naturals D (z - c1)) (fun z => on_naturals D (z - c2)) (exp (INR d * h)) b.
Proof.
  assert (V : 0 < v) by (apply Rdiv_lt_0_compat; lra).
  replace (exp (INR d * h)) with (exp h ^ d) by (rewrite exp_power; f_equal; ring).
  apply (lower_tail_private D (exp h) (proj1 (proj1 D_law))) with (a := a).
  - apply exp_ge_1. lra.
  - apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply apart].
  - apply growth_bounded.
  - intros l N A. rewrite (total_ext l D (negative_binomial r (v / (1 + v)))).
    + apply (part_of_mean_tail c); auto.
      intros t I. specialize (A t I). assert (L := lost_below). lra.
    + intros t _. replace (v / (1 + v)) with p by (unfold v; field; lra).
      apply (negative_binomial_unique r p); [exact D_law | apply negative_binomial_exists; lra].
  - apply fall_bounded.
Qed.

End moved.

(** What both moves need of p, at x = - ln of its least value. *)
Lemma ratio_from x p : exp (- x) <= p < 1 -> 0 < p /\ 1 - p <= x /\ 1 <= exp x * p.
Proof.
  intros [P P1]. assert (X := exp_ineq1_le (- x)). assert (E := exp_pos (- x)). repeat split; [lra | lra |].
  replace 1 with (exp x * exp (- x)) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply Rmult_le_compat_l; [left; apply exp_pos | exact P].
Qed.

Lemma falls_from x h p : exp (- x) <= p < 1 -> x <= h -> 1 <= exp h * p.
Proof.
  intros P X. destruct (ratio_from x p P) as [Pp [_ F]]. eapply Rle_trans; [exact F |].
  apply Rmult_le_compat_r; [lra | apply exp_le, X].
Qed.

Lemma ln_kept : ln (64 / 221) <= - (2 / 3 + 186 / 349).
Proof.
  replace (64 / 221) with (/ ((1 + 1) * (1 + 93 / 128))) by field.
  rewrite ln_Rinv, ln_mult by lra.
  assert (A := ln_lower 1 ltac:(lra)). assert (B := ln_lower (93 / 128) ltac:(lra)). lra.
Qed.

Lemma grows_thirteen h : 0 <= h -> 13 / 3 - 10 / 3 * exp (- (3 * h / 10)) <= exp h.
Proof.
  intros H. apply Rminus_le_0.
  apply (nonneg_by_derivative (fun t => exp t - (13 / 3 - 10 / 3 * exp (- (3 * t / 10))))
    (fun t => exp t - exp (- (3 * t / 10))) h H).
  - replace (- (3 * 0 / 10)) with 0 by field. rewrite exp_0. field.
  - intros t Ht. auto_derive; [exact I | unfold Rdiv; field].
  - intros t Ht. assert (E := exp_le (- (3 * t / 10)) t ltac:(lra)). lra.
Qed.

(** y falls as v grows. *)
Lemma exponent_from c w v : 0 < c <= 1 -> 0 < w <= v -> (1 / c - 1) / (1 + v) / 2 <= (1 / c - 1) / (1 + w) / 2.
Proof.
  intros C V. apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_l.
  - apply Rle_minus_r. rewrite Rplus_0_l. apply Rmult_le_reg_r with c; [lra |].
    replace (1 / c * c) with 1 by (field; lra). lra.
  - apply Rinv_le_contravar; lra.
Qed.

Theorem negative_binomial_moved h b r p (d : nat) D c1 c2 :
  (1 <= d)%nat -> 0 < h -> INR d * h <= 1 / 2 -> 0 < b -> 3 <= r -> 3 * ln (1 / b) <= r ->
  exp (- (3 * h / 10)) <= p < 1 -> is_negative_binomial r p D -> (Z.abs (c1 - c2) <= Z.of_nat d)%Z ->
  mass_below (fun z => on_naturals D (z - c1)) (fun z => on_naturals D (z - c2)) (exp (INR d * h)) b.
Proof.
  intros Hd Ph Hh Pb Hr Hb Hp L K. assert (H : 1 <= INR d) by (change 1 with (INR 1); apply le_INR, Hd).
  destruct (ratio_from _ _ Hp) as [P0 [P1 _]]. assert (HH : h <= INR d * h) by nra.
  assert (G := grows_thirteen h ltac:(lra)).
  assert (O : 17 * INR d <= 3 * (p / (1 - p))).
  { apply Rmult_le_reg_r with (1 - p); [lra |]. replace (3 * (p / (1 - p)) * (1 - p)) with (3 * p) by (field; lra).
    assert (INR d * (1 - p) <= INR d * (3 * h / 10)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (V : 3 * (p / (1 - p)) <= r * (p / (1 - p))) by (apply Rmult_le_compat_r; lra).
  apply (moved_below h b r p (13 / 3) (64 / 221) d D); cbv zeta; auto; try lra.
  - apply (falls_from (3 * h / 10)); [exact Hp | lra].
  - assert (E := exponent_from (64 / 221) (17 / 3) (p / (1 - p)) ltac:(lra) ltac:(lra)). assert (N := ln_kept).
    replace ((1 / (64 / 221) - 1) / (1 + 17 / 3) / 2) with (471 / 2560) in E by field. lra.
Qed.

Lemma negative_binomial_below eps delta r p (Delta : nat) D c d :
  (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 -> is_negative_binomial r p D -> (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals D (z - c)) (fun z => on_naturals D (z - d)) (exp eps) delta.
Proof.
  intros HD He Pd Hr Hd Hp L K. assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, HD).
  set (h := eps / INR Delta). assert (Ph : 0 < h) by (apply Rdiv_lt_0_compat; lra).
  assert (E5 : eps / (5 * INR Delta) = h / 5) by (unfold h; field; lra). rewrite E5 in Hp.
  assert (Eh : INR Delta * h = eps) by (unfold h; field; lra). rewrite <- Eh.
  destruct (ratio_from _ _ Hp) as [P0 [P1 _]]. assert (X := exp_ineq1_le h).
  assert (O : 5 * INR Delta - 1 <= p / (1 - p)).
  { apply Rmult_le_reg_r with (1 - p); [lra |]. replace (p / (1 - p) * (1 - p)) with p by (field; lra).
    assert (INR Delta * (1 - p) <= INR Delta * (h / 5)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (V : 3 * (p / (1 - p)) <= r * (p / (1 - p))) by (apply Rmult_le_compat_r; lra).
  apply (moved_below h delta r p 6 (1 / 4) Delta D); cbv zeta; auto; try lra.
  - apply (falls_from (h / 5)); [exact Hp | lra].
  - assert (E := exponent_from (1 / 4) 4 (p / (1 - p)) ltac:(lra) ltac:(lra)).
    replace ((1 / (1 / 4) - 1) / (1 + 4) / 2) with (3 / 10) in E by field.
    assert (L2 := ln_lower 1 ltac:(lra)). replace (1 / 4) with (/ ((1 + 1) * (1 + 1))) at 1 by field.
    rewrite ln_Rinv, ln_mult by lra. lra.
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
  apply (negative_binomial_below eps delta r p Delta D); auto.
Qed.

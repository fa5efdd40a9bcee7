(** Negative binomial noise against itself moved, with a loss that grows with the move.

    Let W be drawn from NB(r, p) with r >= 3, r >= 3 ln(1/b), b > 0, and e^(-3h/10) <= p < 1, h > 0; let d >= 1 be an
    integer with d h <= 1/2. [negative_binomial_moved]: c1 + W is (e^(d h), b)-below c2 + W for all integers c1 and c2
    with abs(c1 - c2) <= d. negative_binomial_privacy.v has e^(-h/5) for 3h/10, and d h <= 1 for 1/2.

    Proof. A larger p belongs to a smaller h: let p = e^-x, x = 3h/10, v = p/(1 - p). As r >= 1, D(t) <= e^h D(t+1) for
    all t; and D(t+1) <= e^h D(t) from t + 1 = p (r-1)/(e^h - p) on, which is at most 3 r v/13, because e^(13x/3) - 1 is
    at least 13 (e^x - 1)/3. And d <= r v/17, because e^x - 1 <= x/(1 - x) <= 20 x/17. Chernoff's bound at c r v,
    c = 3/13 + 1/17, is e^(r f), f = ln c + (1 + c v) ln(1 + y) <= ln c + (1 - c)(1 + y/2) <= - 1/3, where
    y = (1/c - 1)/(1 + v) and v >= 17/3.
    Source: Ghazi, Kumar, Manurangsi, Pagh, Sinha 2021, section 3 (the constants); the proof is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums masses logarithm.
From Exactdp Require Import negative_binomial_mean noise_on_naturals negative_binomial_sums negative_binomial_law.
From Exactdp Require Import negative_binomial_privacy.
Import ListNotations.
Open Scope R_scope.

(** ** The tail *)

(** The part of the mean below which is lost what is lost: 3/13 + 1/17. *)
Definition kept : R := 64 / 221.

Lemma ln_kept : ln kept <= - (2 / 3 + 186 / 349).
Proof.
  unfold kept. replace (64 / 221) with (/ ((1 + 1) * (1 + 93 / 128))) by field.
  rewrite ln_Rinv, ln_mult by lra.
  assert (A := ln_lower 1 ltac:(lra)). assert (B := ln_lower (93 / 128) ltac:(lra)). lra.
Qed.

(** The exponent of Chernoff's bound. *)
Lemma moved_exponent v : 17 / 3 <= v ->
  ln ((1 + kept * v) / (1 + v)) + kept * v * ln ((1 + kept * v) / (kept * (1 + v))) <= - (1 / 3).
Proof.
  intros Hv. assert (L := ln_kept). set (y := 157 / 64 / (1 + v)).
  assert (Y : 0 <= y) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  assert (Y1 : y <= 471 / 1280).
  { unfold y. apply Rmult_le_reg_r with (1 + v); [lra |].
    replace (157 / 64 / (1 + v) * (1 + v)) with (157 / 64) by (field; lra). lra. }
  replace ((1 + kept * v) / (1 + v)) with ((1 + y) * kept) by (unfold y, kept; field; lra).
  replace ((1 + kept * v) / (kept * (1 + v))) with (1 + y) by (unfold y, kept; field; lra).
  assert (K : 0 < kept) by (unfold kept; lra).
  rewrite ln_mult by lra. assert (U := ln_upper y Y).
  assert (B : (1 + kept * v) * (y * (y + 2) / (2 * (1 + y))) = (1 - kept) * (1 + y / 2)).
  { unfold y, kept. field. lra. }
  assert (V : 0 <= 1 + kept * v) by (unfold kept; lra).
  apply (Rmult_le_compat_l (1 + kept * v)) in U; [| exact V]. rewrite B in U.
  assert (C : (1 - kept) * (1 + y / 2) <= 157 / 221 * (1 + 471 / 2560)) by (unfold kept; lra). lra.
Qed.

Lemma moved_tail r v b l :
  3 <= r -> 3 * ln (1 / b) <= r -> 0 < b -> 17 / 3 <= v -> NoDup l -> (forall t, In t l -> INR t <= r * (kept * v)) ->
  total l (negative_binomial r (v / (1 + v))) <= b.
Proof.
  intros Hr Hd Pd Hv N A. assert (K : 0 < kept < 1) by (unfold kept; lra).
  assert (KV : 0 < kept * v) by (apply Rmult_lt_0_compat; lra).
  assert (Q : 0 < kept * v / (1 + kept * v)) by (apply Rdiv_lt_0_compat; lra).
  assert (P1 : v / (1 + v) < 1) by (apply Rmult_lt_reg_r with (1 + v); [lra |]; field_simplify; lra).
  assert (QP : kept * v / (1 + kept * v) <= v / (1 + v)).
  { apply Rmult_le_reg_r with ((1 + v) * (1 + kept * v)); [apply Rmult_lt_0_compat; lra |].
    replace (kept * v / (1 + kept * v) * ((1 + v) * (1 + kept * v))) with (kept * v * (1 + v)) by (field; lra).
    replace (v / (1 + v) * ((1 + v) * (1 + kept * v))) with (v + kept * v * v) by (field; lra).
    assert (kept * v <= 1 * v) by (apply Rmult_le_compat_r; lra). lra. }
  eapply Rle_trans;
    [apply (negative_binomial_lower_tail r _ (kept * v / (1 + kept * v)) (r * (kept * v)) l); auto; lra |].
  rewrite <- (exp_ln b) at 1 by exact Pd. apply exp_le.
  replace ((1 - v / (1 + v)) / (1 - kept * v / (1 + kept * v))) with ((1 + kept * v) / (1 + v)) by (field; lra).
  replace (v / (1 + v) / (kept * v / (1 + kept * v))) with ((1 + kept * v) / (kept * (1 + v))) by (field; lra).
  assert (F := moved_exponent v Hv). apply (Rmult_le_compat_l r) in F; [| lra].
  unfold Rdiv in Hd at 1. rewrite Rmult_1_l, ln_Rinv in Hd by exact Pd. lra.
Qed.

(** ** The move *)

Section Moved.

Variables (h b r : R) (d : nat) (D : nat -> R).
Hypothesis d_positive : (1 <= d)%nat.
Hypothesis h_positive : 0 < h.
Hypothesis h_range : INR d * h <= 1 / 2.
Hypothesis b_positive : 0 < b.
Hypothesis r_range : 3 <= r.
Hypothesis r_tail : 3 * ln (1 / b) <= r.

Let x := 3 * h / 10.
Let p := exp (- x).
Hypothesis D_law : is_negative_binomial r p D.

Lemma d_real : 1 <= INR d.
Proof. change 1 with (INR 1). apply le_INR, d_positive. Qed.

Lemma x_range : 0 < x <= 3 / 20.
Proof.
  assert (H := d_real). assert (1 * h <= INR d * h) by (apply Rmult_le_compat_r; lra). unfold x. lra.
Qed.

Lemma p_range : 0 < p < 1.
Proof.
  assert (X := x_range). split; [apply exp_pos |]. unfold p. rewrite <- exp_0. apply exp_increasing. lra.
Qed.

Lemma grows_thirteen : 13 / 3 * (1 - p) <= exp h - p.
Proof.
  assert (X := x_range).
  assert (G : 0 <= exp (13 / 3 * x) - 1 - 13 / 3 * (exp x - 1)).
  { apply (nonneg_by_derivative (fun t => exp (13 / 3 * t) - 1 - 13 / 3 * (exp t - 1))
      (fun t => 13 / 3 * (exp (13 / 3 * t) - exp t)) x); [lra | | |].
    - rewrite Rmult_0_r, exp_0. ring.
    - intros t Ht. auto_derive; [exact I | ring].
    - intros t Ht. assert (E := exp_le t (13 / 3 * t) ltac:(lra)). lra. }
  assert (E1 : exp h = p * exp (13 / 3 * x)) by (unfold p; rewrite <- exp_plus; f_equal; unfold x; field).
  assert (E2 : p * exp x = 1) by (unfold p; rewrite <- exp_plus, <- exp_0; f_equal; ring).
  destruct p_range as [P _]. rewrite E1. apply (Rmult_le_compat_l p) in G; [| lra]. lra.
Qed.

Lemma odds_seventeen : 17 * INR d <= 3 * (p / (1 - p)).
Proof.
  assert (X := x_range). assert (P := p_range). assert (L := exp_ineq1_le (- x)). fold p in L.
  assert (C : 1 - p <= x) by lra. assert (Q : 17 / 20 <= p) by lra.
  assert (Hx : INR d * x <= 3 / 20) by (unfold x; lra).
  apply Rmult_le_reg_r with (1 - p); [lra |].
  replace (3 * (p / (1 - p)) * (1 - p)) with (3 * p) by (field; lra).
  assert (D0 := d_real). assert (INR d * (1 - p) <= INR d * x) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma D_nonneg : forall t, 0 <= D t.
Proof. apply D_law. Qed.

(** From here on the masses grow by a factor of at most e^h. *)
Let a := p * (r - 1) / (exp h - p).

Lemma growth_from_a t : a <= INR (S t) -> D (S t) <= exp h * D t.
Proof.
  intros H. assert (F := grows_thirteen). destruct p_range as [P _]. assert (T := pos_INR t).
  destruct p_range as [_ P']. rewrite S_INR in H. assert (DP := D_nonneg t).
  apply (Rmult_le_compat_r (exp h - p)) in H; [| lra]. unfold a in H.
  replace (p * (r - 1) / (exp h - p) * (exp h - p)) with (p * (r - 1)) in H by (field; lra).
  apply Rmult_le_reg_l with (INR t + 1); [lra |]. rewrite (proj2 D_law).
  replace ((INR t + 1) * (exp h * D t)) with ((INR t + 1) * exp h * D t) by ring.
  apply Rmult_le_compat_r; [exact DP | lra].
Qed.

Lemma fall_everywhere t : D t <= exp h * D (S t).
Proof.
  destruct p_range as [P _]. assert (T := pos_INR t). assert (DP := D_nonneg t).
  assert (E : 1 <= exp h * p).
  { unfold p. rewrite <- exp_plus. apply exp_ge_1. unfold x. lra. }
  apply Rmult_le_reg_l with (INR t + 1); [lra |].
  replace ((INR t + 1) * (exp h * D (S t))) with (exp h * ((INR t + 1) * D (S t))) by ring.
  rewrite (proj2 D_law). replace (exp h * ((r + INR t) * p * D t)) with (exp h * p * ((r + INR t) * D t)) by ring.
  apply Rle_trans with (1 * ((r + INR t) * D t)).
  - rewrite Rmult_1_l. apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact E].
Qed.

Lemma lost_below_kept : a + INR d - 1 <= r * (kept * (p / (1 - p))).
Proof.
  assert (F := grows_thirteen). destruct p_range as [P P']. assert (O := odds_seventeen). assert (H := d_real).
  assert (V : 0 < p / (1 - p)) by (apply Rdiv_lt_0_compat; lra).
  assert (A : a <= r * (3 / 13 * (p / (1 - p)))).
  { unfold a. apply Rmult_le_reg_r with (exp h - p); [lra |].
    replace (p * (r - 1) / (exp h - p) * (exp h - p)) with (p * (r - 1)) by (field; lra).
    apply Rle_trans with (r * (3 / 13 * (p / (1 - p))) * (13 / 3 * (1 - p))).
    - replace (r * (3 / 13 * (p / (1 - p))) * (13 / 3 * (1 - p))) with (p * r) by (field; lra).
      apply Rmult_le_compat_l; lra.
    - apply Rmult_le_compat_l; [| exact F]. apply Rmult_le_pos; lra. }
  assert (B : 3 * (p / (1 - p)) <= r * (p / (1 - p))) by (apply Rmult_le_compat_r; lra).
  unfold kept. lra.
Qed.

Lemma moved_at_ratio c1 c2 : (Z.abs (c1 - c2) <= Z.of_nat d)%Z ->
  mass_below (fun z => on_naturals D (z - c1)) (fun z => on_naturals D (z - c2)) (exp (INR d * h)) b.
Proof.
  assert (H := d_real). replace (exp (INR d * h)) with (exp h ^ d) by (rewrite exp_power; f_equal; ring).
  assert (P := p_range). apply (lower_tail_private D (exp h) D_nonneg) with (a := a).
  - apply exp_ge_1. lra.
  - assert (F := grows_thirteen). apply Rdiv_lt_0_compat; [| lra]. apply Rmult_lt_0_compat; lra.
  - apply growth_from_a.
  - intros l N A. rewrite (total_ext l D (negative_binomial r (p / (1 - p) / (1 + p / (1 - p))))).
    + apply moved_tail; auto; [assert (O := odds_seventeen); lra |].
      intros t I. specialize (A t I). assert (L := lost_below_kept). lra.
    + intros t _. replace (p / (1 - p) / (1 + p / (1 - p))) with p by (field; lra).
      apply (negative_binomial_unique r p); [exact D_law | apply negative_binomial_exists; lra].
  - apply fall_everywhere.
Qed.

End Moved.

(** A larger ratio belongs to a smaller h. *)
Theorem negative_binomial_moved h b r p (d : nat) D c1 c2 :
  (1 <= d)%nat -> 0 < h -> INR d * h <= 1 / 2 -> 0 < b -> 3 <= r -> 3 * ln (1 / b) <= r ->
  exp (- (3 * h / 10)) <= p < 1 -> is_negative_binomial r p D -> (Z.abs (c1 - c2) <= Z.of_nat d)%Z ->
  mass_below (fun z => on_naturals D (z - c1)) (fun z => on_naturals D (z - c2)) (exp (INR d * h)) b.
Proof.
  intros Hd Ph Hh Pb Hr Hb Hp L K. assert (H : 1 <= INR d) by (change 1 with (INR 1); apply le_INR, Hd).
  assert (X := exp_pos (- (3 * h / 10))). set (small := - (10 / 3 * ln p)).
  assert (U : ln p < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (V : - (3 * h / 10) <= ln p) by (rewrite <- (ln_exp (- (3 * h / 10))); apply ln_le; lra).
  assert (S : small <= h) by (unfold small; lra). assert (P : 0 < small) by (unfold small; lra).
  assert (Le : INR d * small <= INR d * h) by (apply Rmult_le_compat_l; lra).
  apply (mass_below_weaken _ _ (exp (INR d * small)) b); [| apply exp_le, Le | lra |].
  - intros z. apply on_naturals_nonneg, L.
  - apply (moved_at_ratio small b r d D); auto; [lra |].
    replace (exp (- (3 * small / 10))) with p; [exact L |].
    rewrite <- (exp_ln p) at 1 by lra. f_equal. unfold small. field.
Qed.

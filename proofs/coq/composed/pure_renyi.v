(** Pure privacy is concentrated: an eps-DP pair has the Rényi divergences alpha eps^2 / 2.

    Finite laws P and Q that are (e^eps, 0)-below each other, eps >= 0: for every real h > 0 the mean of (P/Q)^h under P
    is at most that of randomized response at eps ([pure_renyi_moment]), so at most e^(h (h+1) eps^2 / 2): the pair is
    (1 + h, (1 + h) eps^2 / 2)-RDP ([pure_is_renyi]). Hence T runs of a program, each eps-DP on n records whatever the
    answers before it were, are for every h > 0 (eps', delta)-DP with
    delta = h^h / (h+1)^(h+1) e^(h (T (1+h) eps^2 / 2 - eps')) ([pure_runs_by_renyi]); every real eps'.

    Idea: a power is below its chord between e^-eps and e^eps, and the ratio has the mean 1 under Q. The moment of
    randomized response is Hoeffding's lemma, and tanh(eps/2) <= eps/2.

    Source: BunSteinke2016, Proposition 3.3. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick logarithm adaptive_programs.
From Exactdp Require Import advanced_composition renyi.
Import ListNotations.
Open Scope R_scope.

(** ** A power is below its chord *)

(** Bernoulli's inequality. *)
Lemma bernoulli u alpha : 0 < u -> 1 < alpha -> 1 + alpha * (u - 1) <= Rpower u alpha.
Proof.
  intros Hu Ha. assert (P := exp_pos (alpha * ln u)). destruct (Rle_or_lt (1 + alpha * (u - 1)) 0) as [N | V].
  - unfold Rpower. lra.
  - set (v := 1 + alpha * (u - 1)) in *. rewrite <- (exp_ln v V). unfold Rpower. apply exp_le.
    assert (X := ln_below (v / u) ltac:(apply Rdiv_lt_0_compat; assumption)).
    assert (Y := ln_below (/ u) ltac:(apply Rinv_0_lt_compat, Hu)).
    unfold Rdiv in X. rewrite ln_mult, ln_Rinv in X; try assumption; [| apply Rinv_0_lt_compat, Hu].
    rewrite ln_Rinv in Y by exact Hu. apply (Rmult_le_compat_l (alpha - 1)) in Y; [| lra].
    assert (Z : v * / u - 1 + (alpha - 1) * (/ u - 1) = 0) by (unfold v; field; lra). lra.
Qed.

Lemma power_chord t x y alpha :
  0 <= t <= 1 -> 0 < x -> 0 < y -> 1 < alpha ->
  Rpower (t * x + (1 - t) * y) alpha <= t * Rpower x alpha + (1 - t) * Rpower y alpha.
Proof.
  intros Ht Hx Hy Ha. set (z := t * x + (1 - t) * y).
  assert (Hz : 0 < z).
  { unfold z. destruct (Rle_lt_or_eq_dec 0 t (proj1 Ht)) as [T0 | <-]; [| lra].
    assert (0 < t * x) by (apply Rmult_lt_0_compat; assumption).
    assert (0 <= (1 - t) * y) by (apply Rmult_le_pos; lra). lra. }
  assert (Tangent : forall u, 0 < u -> Rpower z alpha * (1 + alpha * (u / z - 1)) <= Rpower u alpha).
  { intros u Hu. assert (D : 0 < u / z) by (apply Rdiv_lt_0_compat; assumption).
    replace (Rpower u alpha) with (Rpower z alpha * Rpower (u / z) alpha).
    - apply Rmult_le_compat_l; [left; apply exp_pos | apply bernoulli; assumption].
    - rewrite Rpower_mult_distr by assumption. f_equal. field. lra. }
  assert (X := Tangent x Hx). assert (Y := Tangent y Hy).
  apply (Rmult_le_compat_l t) in X; [| lra]. apply (Rmult_le_compat_l (1 - t)) in Y; [| lra].
  assert (E : t * (Rpower z alpha * (1 + alpha * (x / z - 1))) +
    (1 - t) * (Rpower z alpha * (1 + alpha * (y / z - 1))) = Rpower z alpha).
  { transitivity (Rpower z alpha * (1 - alpha + alpha * ((t * x + (1 - t) * y) / z))); [field; lra |].
    fold z. field. lra. }
  lra.
Qed.

(** ** The moment of a pure pair *)

(** One outcome: with the weights p and q, at the chord between 1/E and E. *)
Lemma outcome_chord eps h p q :
  0 < eps -> 0 < h -> 0 < q -> p <= exp eps * q -> q <= exp eps * p ->
  p * Rpower (p / q) h * (exp eps - exp (- eps)) <=
  (p - exp (- eps) * q) * exp ((h + 1) * eps) + (exp eps * q - p) * exp (- ((h + 1) * eps)).
Proof.
  intros He Hh Hq H1 H2. assert (E1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (Inv : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (E2 : 0 < exp (- eps)) by apply exp_pos.
  assert (E3 : exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (Hp : 0 < p).
  { apply Rmult_lt_reg_l with (exp eps); [lra |]. lra. }
  set (d := exp eps - exp (- eps)). assert (D : 0 < d) by (unfold d; lra).
  assert (L : exp (- eps) <= p / q).
  { apply Rmult_le_reg_r with q; [exact Hq |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply (Rmult_le_compat_l (exp (- eps))) in H2; [| lra]. rewrite <- Rmult_assoc, Inv in H2. lra. }
  assert (U : p / q <= exp eps).
  { apply Rmult_le_reg_r with q; [exact Hq |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
  set (t := (p / q - exp (- eps)) / d).
  assert (T : 0 <= t <= 1).
  { unfold t. split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, D] |].
    apply Rmult_le_reg_r with d; [exact D |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. unfold d. lra. }
  assert (C := power_chord t (exp eps) (exp (- eps)) (h + 1) T (exp_pos _) (exp_pos _) ltac:(lra)).
  replace (t * exp eps + (1 - t) * exp (- eps)) with (p / q) in C by (unfold t, d in *; field; lra).
  rewrite Rpower_plus, Rpower_1 in C by (apply Rdiv_lt_0_compat; assumption).
  unfold Rpower in C at 2 3. rewrite !ln_exp in C.
  replace ((h + 1) * - eps) with (- ((h + 1) * eps)) in C by ring.
  apply (Rmult_le_compat_l (q * d)) in C; [| apply Rmult_le_pos; lra].
  replace (q * d * (Rpower (p / q) h * (p / q))) with (p * Rpower (p / q) h * d) in C by (field; lra).
  eapply Rle_trans; [exact C |]. apply Req_le. unfold t. fold d.
  replace (exp eps * q - p) with (q * d - (p - exp (- eps) * q)) by (unfold d; ring).
  assert (Hd : d <> 0) by lra. clearbody d. field. lra.
Qed.

Theorem pure_renyi_moment {A} (P Q : dist A) eps h :
  proper P -> proper Q -> 0 <= eps -> 0 < h -> below P Q (exp eps) 0 -> below Q P (exp eps) 0 ->
  (forall a, 0 < mass P a -> 0 < mass Q a) /\ renyi_moment P Q h <= response_moment eps h.
Proof.
  intros HP HQ He Hh H1 H2. assert (E := exp_pos eps).
  assert (M1 : forall a, mass P a <= exp eps * mass Q a).
  { intros a. assert (X := H1 (fun b => if same b a then true else false)). fold (mass P a) in X.
    fold (mass Q a) in X. lra. }
  assert (M2 : forall a, mass Q a <= exp eps * mass P a).
  { intros a. assert (X := H2 (fun b => if same b a then true else false)). fold (mass P a) in X.
    fold (mass Q a) in X. lra. }
  assert (AC : forall a, 0 < mass P a -> 0 < mass Q a).
  { intros a Pa. destruct (mass_nonneg Q a HQ) as [X | X]; [exact X |].
    assert (Y := M1 a). rewrite <- X in Y. lra. }
  split; [exact AC |]. unfold renyi_moment.
  destruct (outcomes_cover P Q) as [CP CQ]. assert (N := outcomes_NoDup P Q). set (l := outcomes P Q) in *.
  assert (OP : total l (mass P) = 1).
  { rewrite <- (proj2 HP), (mean_masses P l) by assumption. apply total_ext. intros. ring. }
  assert (OQ : total l (mass Q) = 1).
  { rewrite <- (proj2 HQ), (mean_masses Q l) by assumption. apply total_ext. intros. ring. }
  destruct (Rle_lt_or_eq_dec 0 eps He) as [Pos | <-].
  - rewrite (mean_masses P l) by assumption.
    assert (E1 : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, Pos).
    assert (Inv : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    assert (E3 : exp (- eps) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    set (d := exp eps - exp (- eps)). assert (D : 0 < d) by (unfold d; lra).
    apply Rmult_le_reg_r with d; [exact D |]. rewrite <- total_scal_r.
    apply Rle_trans with (total l (fun a => (exp ((h + 1) * eps) - exp (- ((h + 1) * eps))) * mass P a +
      (exp eps * exp (- ((h + 1) * eps)) - exp (- eps) * exp ((h + 1) * eps)) * mass Q a)).
    + apply total_le. intros a _. destruct (mass_nonneg Q a HQ) as [Qa | Qa].
      * assert (X := outcome_chord eps h _ _ Pos Hh Qa (M1 a) (M2 a)). fold d in X. lra.
      * assert (X := M1 a). assert (Y := mass_nonneg P a HP). rewrite <- Qa in *.
        replace (mass P a) with 0 by lra. lra.
    + rewrite total_plus, !total_scal, OP, OQ. apply Req_le. unfold response_moment, d.
      replace ((h + 1) * eps) with (h * eps + eps) by ring. rewrite Ropp_plus_distr, !exp_plus, !exp_Ropp.
      assert (F := exp_pos (h * eps)). field. repeat split; lra.
  - rewrite exp_0 in *. unfold response_moment. rewrite Rmult_0_r, Ropp_0, exp_0.
    rewrite (mean_masses P l) by assumption. rewrite (total_ext l _ (mass P)); [rewrite OP; lra |].
    intros a _. assert (X := M1 a). assert (Y := M2 a). replace (mass Q a) with (mass P a) by lra.
    destruct (mass_nonneg P a HP) as [Pa | <-]; [| ring].
    unfold Rdiv. rewrite Rinv_r by lra. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. ring.
Qed.

Theorem pure_is_renyi {A} (P Q : dist A) eps h :
  proper P -> proper Q -> 0 <= eps -> 0 < h -> below P Q (exp eps) 0 -> below Q P (exp eps) 0 ->
  renyi_below P Q h ((1 + h) * eps ^ 2 / 2).
Proof.
  intros HP HQ He Hh H1 H2. destruct (pure_renyi_moment P Q eps h HP HQ He Hh H1 H2) as [AC M].
  split; [exact AC |]. eapply Rle_trans; [exact M |]. eapply Rle_trans; [apply response_moment_bound |].
  apply exp_le. assert (E1 := exp_ge_1 eps He).
  assert (X := ln_lower (exp eps - 1) ltac:(lra)). replace (1 + (exp eps - 1)) with (exp eps) in X by ring.
  rewrite ln_exp in X. replace (2 + (exp eps - 1)) with (exp eps + 1) in X by ring.
  assert (Y : h * eps * ((exp eps - 1) / (exp eps + 1)) <= h * eps * (eps / 2)).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | lra]. }
  lra.
Qed.

Theorem pure_runs_by_renyi {X A} (K : list A -> list X -> dist A) n T eps h eps' :
  (forall seen xs, proper (K seen xs)) -> 0 <= eps -> 0 < h ->
  (forall seen, (length seen < T)%nat -> dp n (K seen) eps 0) ->
  dp n (runs K T) eps' (conversion h * exp (h * (INR T * ((1 + h) * eps ^ 2 / 2) - eps'))).
Proof.
  intros HK He Hh H.
  replace (INR T * ((1 + h) * eps ^ 2 / 2)) with (total (seq 0 T) (fun _ => (1 + h) * eps ^ 2 / 2))
    by (rewrite total_const, seq_length; reflexivity).
  apply (renyi_runs_private K (fun _ => (1 + h) * eps ^ 2 / 2) h n T eps' HK Hh).
  intros seen xs ys B N L. apply pure_is_renyi; try apply HK; try assumption; apply (H seen B); try assumption.
  - apply neighbors_sym, N.
  - rewrite <- (neighbors_length xs ys N). exact L.
Qed.

(** Poisson noise makes an integer query private: a mean that is enough, with proof.

    A query has values in the integers and changes by at most Delta between neighbours; W is drawn from the Poisson law
    of mean mu, P[W = t] = e^-mu mu^t/t!. Let g = 1 - e^(-eps/Delta). Proved:

    - [poisson_law]: for mu >= 0 the masses add up to 1;
    - [poisson_tail]: Chernoff's bound for both tails: for mu, nu > 0 a finite set of outcomes t <= nu <= mu, or of
      outcomes t >= nu >= mu, has the probability e^(nu - mu - nu ln(nu/mu)) at most;
    - [poisson_private]: for every integer Delta >= 1, eps > 0, delta > 0 and mu >= 10 ln(1/delta)/g^2 with
      mu >= 2 Delta/g, the query plus W is (eps, delta)-DP: all events, infinite ones included;
    - [poisson_mechanism]: so it is for mu = 16 ln(10/delta)/g^2 + 2 Delta/g and delta <= 1, the mean that
      secondary sources print.

    Proof. Let s = eps/Delta. A step up from t to t + 1 multiplies the mass by mu/(t + 1), which is at most e^s for
    t + 1 >= mu e^-s, and at least e^-s for t + 1 <= mu e^s. So at most P[W < mu e^-s + Delta - 1] is lost in one order
    and P[W > mu e^s - Delta] in the other. By mu >= 2 Delta/g and e^s >= 1 + g these outcomes are off the mean by
    mu g/2 at least, and the two tails are at most e^(-mu g^2/8) and e^(-mu g^2/10).
    Source: the mechanism is that of Ghazi, Kumar, Manurangsi, Pagh 2020, section 3; bound and proof: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums monotone_convergence logarithm noise_on_naturals.
Import ListNotations.
Open Scope R_scope.

Definition poisson (mu : R) (t : nat) : R := exp (- mu) * (/ INR (fact t) * mu ^ t).

Lemma poisson_nonneg mu t : 0 <= mu -> 0 <= poisson mu t.
Proof.
  intros H. apply Rmult_le_pos; [left; apply exp_pos |]. apply Rmult_le_pos; [| apply pow_le, H].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma poisson_step mu t : (INR t + 1) * poisson mu (S t) = mu * poisson mu t.
Proof.
  unfold poisson. rewrite fact_simpl, mult_INR, S_INR. assert (P := pos_INR t). assert (F := INR_fact_neq_0 t).
  simpl. field. split; lra.
Qed.

Theorem poisson_law mu : 0 <= mu -> law (poisson mu).
Proof.
  intros H. apply law_sum_of. split; [intros t; apply poisson_nonneg, H |].
  replace 1 with (exp (- mu) * exp mu) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  apply sum_of_scal; [left; apply exp_pos |]. apply series_is_sum.
  - intros t. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0 | apply pow_le, H].
  - unfold exp. destruct (exist_exp mu) as [l Hl]. exact Hl.
Qed.

(** ** Tails *)

Theorem poisson_tail mu nu l :
  0 < mu -> 0 < nu -> NoDup l -> (forall t, In t l -> INR t <= nu <= mu \/ mu <= nu <= INR t) ->
  total l (poisson mu) <= exp (nu - mu - nu * ln (nu / mu)).
Proof.
  intros Hm Hn N A. set (C := exp _). assert (Q : 0 < nu / mu) by (apply Rdiv_lt_0_compat; assumption).
  apply Rle_trans with (total l (fun t => C * poisson nu t)).
  - apply total_le. intros t I. specialize (A t I). unfold poisson.
    assert (F := INR_fact_lt_0 t). assert (P : 0 < nu ^ t) by (apply pow_lt, Hn).
    replace (mu ^ t) with (exp (- (INR t * ln (nu / mu))) * nu ^ t).
    + replace (exp (- mu) * (/ INR (fact t) * (exp (- (INR t * ln (nu / mu))) * nu ^ t))) with
        (exp (- mu - INR t * ln (nu / mu)) * (/ INR (fact t) * nu ^ t)) by (unfold Rminus; rewrite exp_plus; ring).
      replace (C * (exp (- nu) * (/ INR (fact t) * nu ^ t))) with (C * exp (- nu) * (/ INR (fact t) * nu ^ t)) by ring.
      apply Rmult_le_compat_r.
      * apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, F | lra].
      * unfold C. rewrite <- exp_plus. apply exp_le.
        assert (G : 0 <= (INR t - nu) * ln (nu / mu)); [| lra]. destruct A as [[A B] | [B A]].
        -- assert (L : ln (nu / mu) <= 0).
           { rewrite <- ln_1. apply Rcomplements.ln_le; [exact Q |]. apply Rmult_le_reg_r with mu; [exact Hm |].
             field_simplify; lra. }
           assert (0 <= (nu - INR t) * - ln (nu / mu)) by (apply Rmult_le_pos; lra). lra.
        -- assert (L : 0 <= ln (nu / mu)).
           { rewrite <- ln_1. apply Rcomplements.ln_le; [lra |]. apply Rmult_le_reg_r with mu; [exact Hm |].
             field_simplify; lra. }
           apply Rmult_le_pos; lra.
    + replace (- (INR t * ln (nu / mu))) with (ln (/ (nu / mu)) * INR t) by (rewrite ln_Rinv by exact Q; ring).
      rewrite <- exp_power, exp_ln, <- Rpow_mult_distr by (apply Rinv_0_lt_compat, Q). f_equal. field. lra.
  - rewrite total_scal. rewrite <- (Rmult_1_r C) at 2. apply Rmult_le_compat_l; [left; apply exp_pos |].
    apply law_finite; [apply poisson_law; lra | exact N].
Qed.

Lemma lower_tail mu h l :
  0 < mu -> 0 <= h < 1 -> NoDup l -> (forall t, In t l -> INR t <= (1 - h) * mu) ->
  total l (poisson mu) <= exp (- (mu * (h ^ 2 / 2))).
Proof.
  intros Hm Hh N A. assert (M : (1 - h) * mu <= mu) by (assert (0 <= h * mu) by (apply Rmult_le_pos; lra); lra).
  eapply Rle_trans; [apply (poisson_tail mu ((1 - h) * mu) l Hm); [apply Rmult_lt_0_compat; lra | exact N |] |].
  - intros t I. left. split; [apply A, I | exact M].
  - apply exp_le. replace ((1 - h) * mu / mu) with (1 - h) by (field; lra).
    assert (X := chernoff_exponent_lower h Hh). apply (Rmult_le_compat_l mu) in X; lra.
Qed.

Lemma upper_tail mu h l :
  0 < mu -> 0 <= h -> NoDup l -> (forall t, In t l -> (1 + h) * mu <= INR t) ->
  total l (poisson mu) <= exp (- (mu * (h ^ 2 / (2 + h)))).
Proof.
  intros Hm Hh N A. assert (M : mu <= (1 + h) * mu) by (assert (0 <= h * mu) by (apply Rmult_le_pos; lra); lra).
  eapply Rle_trans; [apply (poisson_tail mu ((1 + h) * mu) l Hm); [lra | exact N |] |].
  - intros t I. right. split; [exact M | apply A, I].
  - apply exp_le. replace ((1 + h) * mu / mu) with (1 + h) by (field; lra).
    assert (X := chernoff_exponent_upper h Hh). apply (Rmult_le_compat_l mu) in X; lra.
Qed.

(** ** Privacy *)

Section query.

Variables (eps delta mu : R) (Delta : nat).
Hypothesis Delta_positive : (1 <= Delta)%nat.
Hypothesis eps_positive : 0 < eps.
Hypothesis delta_positive : 0 < delta.

Let s := eps / INR Delta.
Let g := 1 - exp (- (eps / INR Delta)).
Hypothesis mean_and_delta : 10 * ln (1 / delta) / g ^ 2 <= mu.
Hypothesis mean_and_Delta : 2 * INR Delta / g <= mu.

Lemma gap_bounds : 0 < g < 1 /\ 1 + g <= exp s.
Proof.
  assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, Delta_positive).
  assert (S : 0 < s) by (apply Rdiv_lt_0_compat; lra). unfold g. fold s.
  assert (X := exp_ineq1_le s). assert (Y := exp_ineq1_le (- s)). assert (Z := exp_pos (- s)).
  assert (W : exp (- s) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in W. lra.
Qed.

Lemma mean_bounds : 0 < mu /\ INR Delta <= mu * (g / 2) /\ 10 * ln (1 / delta) <= mu * g ^ 2.
Proof.
  destruct gap_bounds as [G _].
  assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, Delta_positive).
  assert (M : 0 < mu) by (eapply Rlt_le_trans; [| exact mean_and_Delta]; apply Rdiv_lt_0_compat; lra).
  split; [exact M |]. split.
  - assert (X := Rmult_le_compat_r (g / 2) _ _ ltac:(lra) mean_and_Delta).
    replace (2 * INR Delta / g * (g / 2)) with (INR Delta) in X by (field; lra). exact X.
  - assert (G2 : 0 < g ^ 2) by (apply pow_lt; lra).
    assert (X := Rmult_le_compat_r (g ^ 2) _ _ (Rlt_le _ _ G2) mean_and_delta).
    replace (10 * ln (1 / delta) / g ^ 2 * g ^ 2) with (10 * ln (1 / delta)) in X by (field; lra). exact X.
Qed.

(** A tenth of mu g^2 in the exponent is enough. *)
Lemma exponent_enough x : mu * g ^ 2 / 10 <= x -> exp (- x) <= delta.
Proof.
  intros Hx. destruct mean_bounds as [_ [_ L]]. unfold Rdiv in L at 1.
  rewrite Rmult_1_l, ln_Rinv in L by exact delta_positive.
  rewrite <- (exp_ln delta) by exact delta_positive. apply exp_le. lra.
Qed.

Lemma poisson_below c d : (Z.abs (c - d) <= Z.of_nat Delta)%Z ->
  mass_below (fun z => on_naturals (poisson mu) (z - c)) (fun z => on_naturals (poisson mu) (z - d)) (exp eps) delta.
Proof.
  destruct gap_bounds as [G E]. destruct mean_bounds as [M [D L]].
  assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, Delta_positive).
  assert (PN : forall t, 0 <= poisson mu t) by (intros t; apply poisson_nonneg; lra).
  replace (exp eps) with (exp s ^ Delta) by (rewrite exp_power; f_equal; unfold s; field; lra).
  assert (EG : exp s * (1 - g) = 1).
  { unfold g. fold s. replace (1 - (1 - exp (- s))) with (exp (- s)) by ring.
    rewrite <- exp_plus, Rplus_opp_r. apply exp_0. }
  assert (Q : 0 <= mu * g ^ 2) by (apply Rmult_le_pos; [lra | apply pow2_ge_0]).
  apply (tails_private (poisson mu) (exp s) PN) with (a := mu * (1 - g)) (b := mu * exp s); [lra | | | | |].
  - apply Rmult_lt_0_compat; lra.
  - intros t A. rewrite S_INR in A. assert (T := pos_INR t). apply Rmult_le_reg_l with (INR t + 1); [lra |].
    rewrite poisson_step, <- Rmult_assoc. apply Rmult_le_compat_r; [apply PN |].
    apply (Rmult_le_compat_r (exp s)) in A; [| lra].
    replace (mu * (1 - g) * exp s) with (mu * (exp s * (1 - g))) in A by ring. rewrite EG in A. lra.
  - intros l N A. eapply Rle_trans; [apply (lower_tail mu (g / 2) l); auto; [lra |] | apply exponent_enough].
    + intros t I. specialize (A t I). lra.
    + lra.
  - intros t A. rewrite S_INR in A. assert (T := pos_INR t). apply Rmult_le_reg_l with (INR t + 1); [lra |].
    replace ((INR t + 1) * (exp s * poisson mu (S t))) with (exp s * ((INR t + 1) * poisson mu (S t))) by ring.
    rewrite poisson_step, <- Rmult_assoc. apply Rmult_le_compat_r; [apply PN | lra].
  - intros l N A. eapply Rle_trans; [apply (upper_tail mu (g / 2) l); auto; [lra |] | apply exponent_enough].
    + intros t I. specialize (A t I). assert (mu * (1 + g) <= mu * exp s) by (apply Rmult_le_compat_l; lra). lra.
    + replace (mu * ((g / 2) ^ 2 / (2 + g / 2))) with (mu * g ^ 2 * (/ (4 * (2 + g / 2)))) by (field; lra).
      unfold Rdiv. apply Rmult_le_compat_l; [exact Q |]. apply Rinv_le_contravar; lra.
Qed.

End query.

Theorem poisson_private {X} (f : X -> Z) (neighbor : X -> X -> Prop) eps delta mu (Delta : nat) :
  let g := 1 - exp (- (eps / INR Delta)) in
  (1 <= Delta)%nat -> 0 < eps -> 0 < delta -> 10 * ln (1 / delta) / g ^ 2 <= mu -> 2 * INR Delta / g <= mu ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun z => on_naturals (poisson mu) (z - f x)) T p ->
  mass_of (fun z => on_naturals (poisson mu) (z - f y)) T q ->
  p <= exp eps * q + delta.
Proof.
  intros g HD He Pd M1 M2 K x y N T p q. apply (mass_below_all_events _ _ _ _ (Rlt_le _ _ (exp_pos _))).
  apply (poisson_below eps delta mu Delta); auto.
Qed.

Theorem poisson_mechanism {X} (f : X -> Z) (neighbor : X -> X -> Prop) eps delta (Delta : nat) :
  let g := 1 - exp (- (eps / INR Delta)) in
  let mu := 16 * ln (10 / delta) / g ^ 2 + 2 * INR Delta / g in
  (1 <= Delta)%nat -> 0 < eps -> 0 < delta <= 1 ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun z => on_naturals (poisson mu) (z - f x)) T p ->
  mass_of (fun z => on_naturals (poisson mu) (z - f y)) T q ->
  p <= exp eps * q + delta.
Proof.
  intros g mu HD He Hd K. destruct (gap_bounds eps Delta HD He) as [G _]. fold g in G.
  assert (H : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, HD).
  assert (L1 : 0 <= ln (1 / delta)).
  { rewrite <- ln_1. apply Rcomplements.ln_le; [lra |]. apply Rmult_le_reg_r with delta; [lra |]. field_simplify; lra. }
  assert (L10 : ln (1 / delta) <= ln (10 / delta)).
  { apply Rcomplements.ln_le; [apply Rdiv_lt_0_compat; lra |].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat |]; lra. }
  assert (G2 : 0 < / g ^ 2) by (apply Rinv_0_lt_compat, pow_lt; lra).
  assert (A : 0 <= 2 * INR Delta / g) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
  assert (B : 10 * ln (1 / delta) / g ^ 2 <= 16 * ln (10 / delta) / g ^ 2) by (apply Rmult_le_compat_r; lra).
  assert (C : 0 <= 10 * ln (1 / delta) / g ^ 2) by (apply Rmult_le_pos; lra).
  apply (poisson_private f neighbor eps delta mu Delta); auto; unfold mu; fold g; lra.
Qed.

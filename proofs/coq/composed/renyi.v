(** Rényi differential privacy: how it composes, and what it is worth in (eps, delta).

    For finite laws P and Q and a real h > 0 let [renyi_moment] P Q h be the mean of (P(a)/Q(a))^h for a drawn from P:
    a pair is (1 + h, rho)-RDP if this is at most e^(h rho) and every outcome of P is one of Q ([renyi_below]). Proved
    for every real h > 0 and rho:

    - such a pair is (E, delta)-below for every E > 0, with delta = h^h / (h+1)^(h+1) e^(h rho) / E^h
      ([renyi_conversion]); in the order alpha = 1 + h and E = e^eps that is
      delta = e^((alpha-1) (rho - eps)) (1 - 1/alpha)^(alpha-1) / alpha;
    - T runs of a program on the data, each with all answers before it in sight (adaptive_programs.v), the t-th of
      which is (1 + h, rho_t)-RDP for this pair of data sets whatever came before, are (1 + h, sum of the rho_t)-RDP
      ([renyi_runs]);
    - so if they are for all neighbours of n records, the T runs are (eps, delta)-DP with this delta, for every real
      eps ([renyi_runs_private]).

    Idea: x^h (1 - x) is at most h^h / (h+1)^(h+1) on (0, 1], from ln u <= u - 1 twice; the moment of two runs is a
    product, answer by answer.

    Source: CanonneKamathSteinke2020 (the conversion); Mironov2017, Proposition 1 (composition). *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick adaptive_composition adaptive_programs.
Import ListNotations.
Open Scope R_scope.

Definition renyi_moment {A} (P Q : dist A) (h : R) : R := mean P (fun a => Rpower (mass P a / mass Q a) h).

Definition renyi_below {A} (P Q : dist A) (h rho : R) : Prop :=
  (forall a, 0 < mass P a -> 0 < mass Q a) /\ renyi_moment P Q h <= exp (h * rho).

(** h^h / (h+1)^(h+1). *)
Definition conversion (h : R) : R := Rpower h h / Rpower (h + 1) (h + 1).

(** ** The conversion *)

Lemma ln_below u : 0 < u -> ln u <= u - 1.
Proof.
  intros H. assert (X := exp_ineq1_le (ln u)). rewrite exp_ln in X by exact H. lra.
Qed.

Lemma peak x h : 0 < x -> x < 1 -> 0 < h -> 1 - x <= conversion h * Rpower (/ x) h.
Proof.
  intros Hx H1 Hh. unfold conversion, Rpower, Rdiv. rewrite <- exp_Ropp, <- !exp_plus, ln_Rinv by exact Hx.
  rewrite <- (exp_ln (1 - x)) at 1 by lra. apply exp_le.
  assert (A : 0 < x * (h + 1) / h) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra).
  assert (B : 0 < (1 - x) * (h + 1)) by (apply Rmult_lt_0_compat; lra).
  assert (X := ln_below _ A). assert (Y := ln_below _ B).
  unfold Rdiv in X. rewrite !ln_mult, ln_Rinv in X; try lra;
    [| apply Rmult_lt_0_compat; lra | apply Rinv_0_lt_compat, Hh].
  rewrite ln_mult in Y by lra.
  apply (Rmult_le_compat_l h) in X; [| lra].
  replace (h * (x * (h + 1) * / h - 1)) with (x * (h + 1) - h) in X by (field; lra). lra.
Qed.

(** Outcomes without mass do not count. *)
Lemma mean_where_mass {A} (P : dist A) f g :
  proper P -> (forall a, 0 < mass P a -> f a <= g a) -> mean P f <= mean P g.
Proof.
  intros HP H. destruct (outcomes_cover P P) as [C _].
  rewrite !(mean_masses P (outcomes P P)) by (try apply outcomes_NoDup; exact C).
  apply total_le. intros a _. destruct (mass_nonneg P a HP) as [Pos | <-]; [| lra].
  apply Rmult_le_compat_l; [lra | apply H, Pos].
Qed.

Lemma renyi_hockey_stick {A} (P Q : dist A) h E :
  proper P -> proper Q -> 0 < h -> 0 < E -> (forall a, 0 < mass P a -> 0 < mass Q a) ->
  hockey_stick P Q E <= conversion h * Rpower E (- h) * renyi_moment P Q h.
Proof.
  intros HP HQ Hh HE H. assert (Rp : forall x y, 0 < Rpower x y) by (intros; apply exp_pos).
  unfold renyi_moment. destruct (outcomes_cover P Q) as [C _].
  rewrite (mean_masses P (outcomes P Q)) by (try apply outcomes_NoDup; exact C).
  unfold hockey_stick. rewrite <- total_scal. apply total_le. intros a _.
  assert (C0 : 0 < conversion h) by (apply Rdiv_lt_0_compat; apply Rp).
  destruct (mass_nonneg P a HP) as [Pos | <-].
  - assert (Qos := H a Pos). set (p := mass P a) in *. set (q := mass Q a) in *.
    assert (R0 : 0 < conversion h * Rpower E (- h) * (p * Rpower (p / q) h)).
    { apply Rmult_lt_0_compat; (apply Rmult_lt_0_compat; [assumption | apply Rp]). }
    apply Rmax_lub; [lra |]. destruct (Rlt_or_le (E * q) p) as [L | L]; [| lra].
    assert (Eq : 0 < E * q) by (apply Rmult_lt_0_compat; assumption).
    assert (X : 0 < E * q / p) by (apply Rdiv_lt_0_compat; assumption).
    assert (X1 : E * q / p < 1).
    { apply Rmult_lt_reg_r with p; [exact Pos |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (K := peak (E * q / p) h X X1 Hh). apply (Rmult_le_compat_l p) in K; [| lra].
    replace (p * (1 - E * q / p)) with (p - E * q) in K by (field; lra).
    replace (Rpower (/ (E * q / p)) h) with (Rpower E (- h) * Rpower (p / q) h) in K; [lra |].
    unfold Rpower. rewrite <- exp_plus. f_equal.
    replace (/ (E * q / p)) with (/ E * (p / q)) by (field; lra).
    rewrite (ln_mult (/ E)), (ln_Rinv E); try assumption; [ring | apply Rinv_0_lt_compat, HE |].
    apply Rdiv_lt_0_compat; assumption.
  - rewrite Rmult_0_l, Rmult_0_r. apply Req_le, Rmax_left.
    assert (0 <= E * mass Q a) by (apply Rmult_le_pos; [lra | apply mass_nonneg, HQ]). lra.
Qed.

Theorem renyi_conversion {A} (P Q : dist A) h rho E :
  proper P -> proper Q -> 0 < h -> 0 < E -> renyi_below P Q h rho ->
  below P Q E (conversion h * exp (h * rho) * Rpower E (- h)).
Proof.
  intros HP HQ Hh HE [H M]. apply hockey_stick_iff.
  eapply Rle_trans; [apply (renyi_hockey_stick P Q h E); assumption |].
  assert (0 < conversion h * Rpower E (- h)).
  { apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat |]; apply exp_pos. }
  apply (Rmult_le_compat_l (conversion h * Rpower E (- h))) in M; lra.
Qed.

(** In the order alpha of Rényi's divergence. *)
Lemma conversion_of_order alpha :
  1 < alpha -> conversion (alpha - 1) = Rpower (1 - / alpha) (alpha - 1) / alpha.
Proof.
  intros H. unfold conversion. replace (alpha - 1 + 1) with alpha by ring.
  replace (1 - / alpha) with ((alpha - 1) * / alpha) by (field; lra).
  assert (I : 0 < / alpha) by (apply Rinv_0_lt_compat; lra).
  transitivity (exp ((alpha - 1) * ln (alpha - 1)) * / exp (alpha * ln alpha)); [reflexivity |].
  unfold Rpower. rewrite ln_mult, ln_Rinv by lra. unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus.
  transitivity (exp ((alpha - 1) * (ln (alpha - 1) + - ln alpha)) * exp (- ln alpha)).
  - rewrite <- exp_plus. f_equal. ring.
  - rewrite exp_Ropp, exp_ln by lra. reflexivity.
Qed.

(** ** Many runs *)

Lemma mass_joint {A} (P : dist A) (K : A -> dist (list A)) a s :
  mass (bind P (fun a => dmap (cons a) (K a))) (a :: s) = mass P a * mass (K a) s.
Proof. rewrite mass_then_all. reflexivity. Qed.

Lemma renyi_two_steps {A} (P Q : dist A) (K L : A -> dist (list A)) h rho rest :
  proper P -> (forall a, proper (K a)) -> (forall a, proper (L a)) -> proper Q ->
  renyi_below P Q h rho -> (forall a, renyi_below (K a) (L a) h rest) ->
  renyi_below (bind P (fun a => dmap (cons a) (K a))) (bind Q (fun a => dmap (cons a) (L a))) h (rho + rest).
Proof.
  intros HP HK HL HQ [C1 M1] H2. split.
  - intros [| a s]; [rewrite mass_then_all; simpl; lra |]. rewrite !mass_joint. intros Pos.
    assert (X := mass_nonneg P a HP). assert (Y := mass_nonneg (K a) s (HK a)).
    apply Rmult_lt_0_compat.
    + apply C1. destruct X as [X | X]; [exact X | rewrite <- X, Rmult_0_l in Pos; lra].
    + apply (proj1 (H2 a)). destruct Y as [Y | Y]; [exact Y | rewrite <- Y, Rmult_0_r in Pos; lra].
  - unfold renyi_moment. rewrite mean_bind. rewrite Rmult_plus_distr_l, exp_plus.
    apply Rle_trans with (mean P (fun a => Rpower (mass P a / mass Q a) h * exp (h * rest))).
    + apply mean_where_mass; [exact HP |]. intros a Pa. rewrite mean_dmap.
      assert (Qa := C1 a Pa). destruct (H2 a) as [C2 M2]. unfold renyi_moment in M2.
      apply Rle_trans with (Rpower (mass P a / mass Q a) h *
        mean (K a) (fun s => Rpower (mass (K a) s / mass (L a) s) h)).
      * rewrite <- mean_scal. apply mean_where_mass; [apply HK |]. intros s Ks. assert (Ls := C2 s Ks).
        rewrite !mass_joint. apply Req_le. unfold Rpower. rewrite <- exp_plus. f_equal.
        replace (mass P a * mass (K a) s / (mass Q a * mass (L a) s))
          with (mass P a / mass Q a * (mass (K a) s / mass (L a) s)) by (field; lra).
        rewrite ln_mult by (apply Rdiv_lt_0_compat; assumption). ring.
      * apply Rmult_le_compat_l; [left; apply exp_pos | exact M2].
    + rewrite (mean_ext P _ (fun a => exp (h * rest) * Rpower (mass P a / mass Q a) h)) by (intros; ring).
      rewrite mean_scal, Rmult_comm. apply Rmult_le_compat_r; [left; apply exp_pos | exact M1].
Qed.

Theorem renyi_runs {A Y} (K : list A -> Y -> dist A) (rho : nat -> R) h T x y :
  (forall seen z, proper (K seen z)) ->
  (forall seen, (length seen < T)%nat -> renyi_below (K seen x) (K seen y) h (rho (length seen))) ->
  renyi_below (runs K T x) (runs K T y) h (total (seq 0 T) rho).
Proof.
  revert K rho. induction T as [| T IH]; intros K rho HK H.
  - simpl. split; [intros a Ha; exact Ha |]. unfold renyi_moment. rewrite mean_ret.
    rewrite mass_ret_nil. simpl. unfold Rdiv, Rpower. rewrite Rinv_1, Rmult_1_l, ln_1, !Rmult_0_r. lra.
  - rewrite total_seq_shift. simpl runs. apply renyi_two_steps.
    + apply HK.
    + intros a. apply proper_runs. intros seen. apply HK.
    + intros a. apply proper_runs. intros seen. apply HK.
    + apply HK.
    + apply (H []). simpl. lia.
    + intros a. apply (IH (fun seen => K (a :: seen)) (fun t => rho (S t))); [intros seen z; apply HK |].
      intros seen L. apply (H (a :: seen)). simpl. lia.
Qed.

Theorem renyi_runs_private {X A} (K : list A -> list X -> dist A) (rho : nat -> R) h n T eps :
  (forall seen xs, proper (K seen xs)) -> 0 < h ->
  (forall seen xs ys, (length seen < T)%nat -> neighbors xs ys -> length xs = n ->
   renyi_below (K seen xs) (K seen ys) h (rho (length seen))) ->
  dp n (runs K T) eps (conversion h * exp (h * (total (seq 0 T) rho - eps))).
Proof.
  intros HK Hh H xs ys N L.
  assert (B := renyi_runs K rho h T xs ys HK (fun seen C => H seen xs ys C N L)).
  replace (conversion h * exp (h * (total (seq 0 T) rho - eps)))
    with (conversion h * exp (h * total (seq 0 T) rho) * Rpower (exp eps) (- h)).
  - apply renyi_conversion; try assumption; try apply exp_pos; apply proper_runs; intros; apply HK.
  - unfold Rpower. rewrite ln_exp, Rmult_assoc, <- exp_plus. f_equal. f_equal. ring.
Qed.

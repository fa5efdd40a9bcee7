(** Which laws are log-concave, in the sense of longer_shift.v.

    Weights on the integers whose ratio w(t+1)/w(t) never rises, from the start of a support that has no
    gaps, are log-concave ([falling_ratios]), and so are they after multiplication by a number. Hence, with
    the ends of the parameters as given:

    - sums of independent coins with any probabilities in [0, 1] ([coins_log_concave]): binomial laws, and
      sums of two of them; this proves here what Hoggar 1974 shows for all sums;
    - negative binomial laws with r >= 1 and p >= 0, geometric laws being those with r = 1
      ([negative_binomial_log_concave]); for r < 1 the ratios rise;
    - Poisson laws, mu >= 0 ([poisson_log_concave]);
    - discrete Laplace laws of ratio a in (0, 1) ([discrete_laplace_log_concave]);
    - discrete Gaussian laws, sigma^2 > 0 ([discrete_gaussian_log_concave]).

    The field is_log_concave of Noise in exactdp/checker/noise_laws.py rests on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses geometric_noise geometric_tail noise_on_naturals longer_shift.
Import ListNotations.
Open Scope R_scope.

Lemma log_concave_scaled w c : 0 <= c -> log_concave w -> log_concave (fun t => c * w t).
Proof.
  intros Hc [Pos L]. split; [intros t; apply Rmult_le_pos; auto |]. intros s t H.
  replace (c * w s * (c * w (t + 1)%Z)) with (c * c * (w s * w (t + 1)%Z)) by ring.
  replace (c * w (s + 1)%Z * (c * w t)) with (c * c * (w (s + 1)%Z * w t)) by ring.
  apply Rmult_le_compat_l; [apply Rmult_le_pos; exact Hc | apply L, H].
Qed.

(** ** Falling ratios *)

(** On all integers. *)
Lemma falling_ratios_everywhere (w r : Z -> R) :
  (forall t, 0 <= w t) -> (forall t, w (t + 1)%Z = r t * w t) ->
  (forall s t, (s <= t)%Z -> r t <= r s) -> log_concave w.
Proof.
  intros Pos Hr Fall. split; [exact Pos |]. intros s t H. rewrite !Hr.
  replace (w s * (r t * w t)) with (r t * (w s * w t)) by ring.
  replace (r s * w s * w t) with (r s * (w s * w t)) by ring.
  apply Rmult_le_compat_r; [apply Rmult_le_pos; apply Pos | apply Fall, H].
Qed.

(** On 0, 1, 2, ... *)
Lemma falling_ratios (f r : nat -> R) :
  (forall t, 0 <= f t) -> (forall t, f (S t) = r t * f t) ->
  (forall s t, (s <= t)%nat -> f s <> 0 -> f t <> 0 -> r t <= r s) -> log_concave (on_naturals f).
Proof.
  intros Pos Hr Fall.
  assert (Pos' : forall t, 0 <= on_naturals f t).
  { intros t. unfold on_naturals. destruct (Z.ltb t 0); [lra | apply Pos]. }
  split; [exact Pos' |]. intros s t H.
  destruct (Z.ltb_spec s 0) as [L | L].
  - unfold on_naturals at 1. rewrite (proj2 (Z.ltb_lt s 0) L), Rmult_0_l. apply Rmult_le_pos; apply Pos'.
  - unfold on_naturals. rewrite !(proj2 (Z.ltb_ge _ 0)) by lia.
    replace (Z.to_nat (t + 1)) with (S (Z.to_nat t)) by lia.
    replace (Z.to_nat (s + 1)) with (S (Z.to_nat s)) by lia. rewrite !Hr.
    set (m := Z.to_nat s). set (n := Z.to_nat t). assert (Hmn : (m <= n)%nat) by (unfold m, n; lia).
    replace (f m * (r n * f n)) with (r n * (f m * f n)) by ring.
    replace (r m * f m * f n) with (r m * (f m * f n)) by ring.
    destruct (Req_EM_T (f m) 0) as [E | E]; [rewrite E; lra |].
    destruct (Req_EM_T (f n) 0) as [E' | E']; [rewrite E'; lra |].
    apply Rmult_le_compat_r; [apply Rmult_le_pos; apply Pos | apply Fall; assumption].
Qed.

(** The weights that start with 1 and have these ratios. *)
Fixpoint by_ratios (r : nat -> R) (t : nat) : R :=
  match t with
  | O => 1
  | S i => r i * by_ratios r i
  end.

Lemma by_ratios_log_concave (r : nat -> R) :
  (forall t, 0 <= r t) -> (forall s t, (s <= t)%nat -> r t <= r s) -> log_concave (on_naturals (by_ratios r)).
Proof.
  intros Pos Fall. apply (falling_ratios _ r).
  - induction t as [| t IH]; simpl; [lra | apply Rmult_le_pos; [apply Pos | exact IH]].
  - reflexivity.
  - intros s t H _ _. apply Fall, H.
Qed.

Theorem poisson_log_concave mu :
  0 <= mu -> log_concave (on_naturals (by_ratios (fun t => mu / (INR t + 1)))).
Proof.
  intros H. apply by_ratios_log_concave.
  - intros t. assert (P := pos_INR t). apply Rmult_le_pos; [exact H | left; apply Rinv_0_lt_compat; lra].
  - intros s t L. apply le_INR in L. assert (P := pos_INR s). apply poisson_ratio_falls; lra.
Qed.

Theorem negative_binomial_log_concave r p :
  1 <= r -> 0 <= p -> log_concave (on_naturals (by_ratios (fun t => (r + INR t) / (INR t + 1) * p))).
Proof.
  intros Hr Hp. apply by_ratios_log_concave.
  - intros t. assert (P := pos_INR t). apply Rmult_le_pos; [| exact Hp].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - intros s t L. apply le_INR in L. assert (P := pos_INR s). apply negative_binomial_ratio_falls; lra.
Qed.

Theorem discrete_laplace_log_concave a : 0 < a < 1 -> log_concave (geometric a).
Proof.
  intros H. apply (falling_ratios_everywhere _ (fun t => if Z.ltb t 0 then / a else a)).
  - intros t. left. apply geometric_pos, H.
  - intros t. unfold geometric. destruct (Z.ltb_spec t 0) as [L | L].
    + replace (Z.abs_nat t) with (S (Z.abs_nat (t + 1))) by lia. simpl. field. lra.
    + replace (Z.abs_nat (t + 1)) with (S (Z.abs_nat t)) by lia. simpl. ring.
  - assert (A : a <= / a).
    { apply Rmult_le_reg_l with a; [lra |]. rewrite Rinv_r by lra.
      assert (a * a <= 1 * 1) by (apply Rmult_le_compat; lra). lra. }
    intros s t L. destruct (Z.ltb_spec t 0), (Z.ltb_spec s 0); try lia; lra.
Qed.

Theorem discrete_gaussian_log_concave sigma_squared :
  0 < sigma_squared -> log_concave (fun t => exp (- (IZR t * IZR t / (2 * sigma_squared)))).
Proof.
  intros H. apply (falling_ratios_everywhere _ (fun t => exp (- ((2 * IZR t + 1) / (2 * sigma_squared))))).
  - intros t. left. apply exp_pos.
  - intros t. rewrite <- exp_plus, plus_IZR. f_equal. field. lra.
  - intros s t L. apply exp_le, Ropp_le_contravar. apply IZR_le in L.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra].
Qed.

(** ** Sums of coins *)

(** One more coin. *)
Definition with_coin (p : R) (w : Z -> R) (t : Z) : R := (1 - p) * w t + p * w (t - 1)%Z.

(** The law of the number of heads of independent coins. *)
Definition coins (ps : list R) : Z -> R :=
  fold_right with_coin (fun t => if Z.eqb t 0 then 1 else 0) ps.

Lemma with_coin_log_concave p w : 0 <= p <= 1 -> log_concave w -> log_concave (with_coin p w).
Proof.
  intros Hp LC. assert (Pos := proj1 LC). unfold with_coin. split.
  - intros t. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply Pos; lra.
  - intros s t H. replace (s + 1 - 1)%Z with s by lia. replace (t + 1 - 1)%Z with t by lia.
    assert (A := proj2 LC s t H). assert (B := proj2 LC (s - 1)%Z (t - 1)%Z ltac:(lia)).
    replace (s - 1 + 1)%Z with s in B by lia. replace (t - 1 + 1)%Z with t in B by lia.
    assert (C : w (s - 1)%Z * w (t + 1)%Z <= w (s + 1)%Z * w (t - 1)%Z).
    { destruct (Z.eq_dec s t) as [-> | N]; [lra |].
      assert (F := log_concave_far w 2 (s - 1)%Z (t - 1)%Z LC ltac:(lia)).
      replace (t - 1 + Z.of_nat 2)%Z with (t + 1)%Z in F by lia.
      replace (s - 1 + Z.of_nat 2)%Z with (s + 1)%Z in F by lia. exact F. }
    assert (P0 : 0 <= p * p) by (apply Rmult_le_pos; lra).
    assert (P1 : 0 <= (1 - p) * (1 - p)) by (apply Rmult_le_pos; lra).
    assert (P2 : 0 <= (1 - p) * p) by (apply Rmult_le_pos; lra).
    apply (Rmult_le_compat_l _ _ _ P1) in A. apply (Rmult_le_compat_l _ _ _ P0) in B.
    apply (Rmult_le_compat_l _ _ _ P2) in C. lra.
Qed.

Theorem coins_log_concave ps : (forall p, In p ps -> 0 <= p <= 1) -> log_concave (coins ps).
Proof.
  induction ps as [| p ps IH]; intros H.
  - split; [intros t; simpl; destruct (Z.eqb t 0); lra |]. intros s t L. simpl.
    destruct (Z.eqb_spec s 0), (Z.eqb_spec (t + 1) 0), (Z.eqb_spec (s + 1) 0), (Z.eqb_spec t 0);
      try lia; lra.
  - apply with_coin_log_concave; [apply H; left; reflexivity |]. apply IH. intros q I. apply H. right.
      exact I.
Qed.

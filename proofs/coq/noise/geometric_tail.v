(** A falling ratio leaves a geometric remainder.

    Let D 0, D 1, ... be non-negative weights, as they are walked outward from a start. If from t0 on no
    weight is more than rho < 1 times the one before, then what lies beyond t0 adds up to at most
    D(t0) rho / (1 - rho): every partial sum ([geometric_remainder]), and the probability of the whole
    tail ([geometric_tail]). This is the bound of [outward] in the checker
    (exactdp/checker/enclosed_laws.py), which stops at a weight and takes
    rho = max(b / whole, later): b / whole bounds the last ratio, and none after it exceeds rho. The ratios
    of its laws satisfy that:

    - log-concave laws: the ratios fall, so that rho may be the last one ([log_concave_ratios_fall],
      [log_concave_remainder]); the ratios that it uses do fall, upward and downward (the lemmas
      [..._ratio_falls] and [..._ratio_falls_downward], for negative binomial laws with r >= 1);
    - negative binomial laws with r < 1: the ratios rise to p, so that rho may be p
      ([negative_binomial_ratio_rises]).

    Log-concave means D(t+1)^2 >= D(t) D(t+2) and that no weight follows after a 0: without the second
    condition the weights 1, 0, 0, 5 would be log-concave, and their remainder has no bound.

    Proof. D(t+1) + (what lies beyond t+1) <= D(t+1) / (1 - rho) <= D(t) rho / (1 - rho), by induction on
    the length of the sum. Source: this package, docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia Arith.
From Exactdp Require Import sums masses.
Import ListNotations.
Open Scope R_scope.

Lemma remainder_factor_nonneg rho : 0 <= rho < 1 -> 0 <= rho / (1 - rho).
Proof. intros H. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. Qed.

Section weights.

Variable D : nat -> R.
Hypothesis nonneg : forall t, 0 <= D t.

(** ** Ratios at most rho *)

Lemma geometric_remainder rho t0 :
  0 <= rho < 1 -> (forall t, (t0 <= t)%nat -> D (S t) <= rho * D t) ->
  forall m, total (seq (S t0) m) D <= D t0 * (rho / (1 - rho)).
Proof.
  intros Hrho H m. revert t0 H. induction m as [| m IH]; intros t0 H; simpl.
  - apply Rmult_le_pos; [apply nonneg | apply remainder_factor_nonneg, Hrho].
  - apply Rle_trans with (D (S t0) + D (S t0) * (rho / (1 - rho))).
    + apply Rplus_le_compat_l, IH. intros t Ht. apply H. lia.
    + replace (D (S t0) + D (S t0) * (rho / (1 - rho))) with (D (S t0) * / (1 - rho)) by (field; lra).
      replace (D t0 * (rho / (1 - rho))) with (rho * D t0 * / (1 - rho)) by (field; lra).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | apply H; lia].
Qed.

(** The same from any later place. *)
Lemma geometric_remainder_later rho t0 :
  0 <= rho < 1 -> (forall t, (t0 <= t)%nat -> D (S t) <= rho * D t) ->
  forall t m, (t0 <= t)%nat -> total (seq (S t) m) D <= D t * (rho / (1 - rho)).
Proof.
  intros Hrho H t m Ht. apply geometric_remainder; [exact Hrho |]. intros s Hs. apply H. lia.
Qed.

(** The whole tail. *)
Lemma geometric_tail rho t0 p :
  0 <= rho < 1 -> (forall t, (t0 <= t)%nat -> D (S t) <= rho * D t) ->
  mass_of D (fun t => (t0 < t)%nat) p -> p <= D t0 * (rho / (1 - rho)).
Proof.
  intros Hrho H [_ Hp]. apply Hp. intros s [l [N [I ->]]].
  apply Rle_trans with (total (seq (S t0) (list_max l)) D); [| apply geometric_remainder; assumption].
  apply total_incl; [exact N | | intros; apply nonneg]. intros t Ht. apply in_seq.
  assert (M := proj1 (list_max_le l (list_max l)) (le_n _)). rewrite Forall_forall in M.
  specialize (M t Ht). specialize (I t Ht). lia.
Qed.

(** What the checker adds: an upper bound [high] of the last weight, bounds [ratio] of the ratios, and a
    number [later] such that no later ratio exceeds the larger one of [later] and the last. *)
Theorem geometric_tail_of_bounds (ratio : nat -> R) later high t0 p :
  (forall t, (t0 <= t)%nat -> D (S t) <= ratio t * D t) ->
  (forall t, (t0 <= t)%nat -> ratio t <= Rmax (ratio t0) later) ->
  D t0 <= high -> 0 <= ratio t0 < 1 -> later < 1 ->
  mass_of D (fun t => (t0 < t)%nat) p ->
  p <= high * (Rmax (ratio t0) later / (1 - Rmax (ratio t0) later)).
Proof.
  intros HD Hr Hh H0 Hl Hp. set (rho := Rmax (ratio t0) later) in *.
  assert (B : 0 <= rho < 1).
  { unfold rho. split; [eapply Rle_trans; [apply H0 | apply Rmax_l] | apply Rmax_lub_lt; lra]. }
  apply Rle_trans with (D t0 * (rho / (1 - rho))).
  - apply geometric_tail; [exact B | | exact Hp]. intros t Ht.
    eapply Rle_trans; [apply HD, Ht |]. apply Rmult_le_compat_r; [apply nonneg | apply Hr, Ht].
  - apply Rmult_le_compat_r; [apply remainder_factor_nonneg, B | exact Hh].
Qed.

(** ** Log-concave weights *)

Definition log_concave_from (t0 : nat) : Prop :=
  forall t, (t0 <= t)%nat -> D t * D (S (S t)) <= D (S t) * D (S t) /\ (D t = 0 -> D (S t) = 0).

(** No later ratio exceeds one that is known. *)
Lemma log_concave_ratios_fall t0 rho :
  0 <= rho -> log_concave_from t0 -> D (S t0) <= rho * D t0 ->
  forall t, (t0 <= t)%nat -> D (S t) <= rho * D t.
Proof.
  intros Hrho L H t Ht. induction Ht as [| t Ht IH]; [exact H |].
  destruct (L t Ht) as [C _]. destruct (L (S t) ltac:(lia)) as [_ Z].
  assert (P1 := nonneg (S t)). assert (P0 := nonneg t).
  destruct (Req_dec (D (S t)) 0) as [E | E]; [rewrite E, (Z E); lra |].
  assert (0 < D t).
  { destruct P0 as [P0 | P0]; [exact P0 |]. exfalso. apply E, (proj2 (L t Ht)). congruence. }
  apply Rmult_le_reg_l with (D t); [assumption |]. eapply Rle_trans; [exact C |].
  replace (D t * (rho * D (S t))) with (rho * D t * D (S t)) by ring.
  apply Rmult_le_compat_r; assumption.
Qed.

Lemma log_concave_remainder t0 rho :
  0 <= rho < 1 -> log_concave_from t0 -> D (S t0) <= rho * D t0 ->
  forall t m, (t0 <= t)%nat -> total (seq (S t) m) D <= D t * (rho / (1 - rho)).
Proof.
  intros Hrho L H. apply geometric_remainder_later; [exact Hrho |].
  apply log_concave_ratios_fall; [apply Hrho | exact L | exact H].
Qed.

Theorem log_concave_tail t0 rho p :
  0 <= rho < 1 -> log_concave_from t0 -> D (S t0) <= rho * D t0 ->
  mass_of D (fun t => (t0 < t)%nat) p -> p <= D t0 * (rho / (1 - rho)).
Proof.
  intros Hrho L H. apply geometric_tail; [exact Hrho |].
  apply log_concave_ratios_fall; [apply Hrho | exact L | exact H].
Qed.

End weights.

(** ** The ratios of the checker's laws, upward *)

(** (n - t)/(t + 1) x with x = p / (1 - p) falls while it is that of two weights. *)
Lemma binomial_ratio_falls (n s t x : R) :
  0 <= x -> 0 <= s <= t -> t <= n -> (n - t) / (t + 1) * x <= (n - s) / (s + 1) * x.
Proof.
  intros Hx Hs Ht. apply Rmult_le_compat_r; [exact Hx |].
  apply Rmult_le_compat; [lra | left; apply Rinv_0_lt_compat; lra | lra |].
  apply Rinv_le_contravar; lra.
Qed.

Lemma poisson_ratio_falls (mu s t : R) : 0 <= mu -> 0 <= s <= t -> mu / (t + 1) <= mu / (s + 1).
Proof. intros Hmu Hs. apply Rmult_le_compat_l; [exact Hmu | apply Rinv_le_contravar; lra]. Qed.

(** (r + t)/(t + 1) p is p plus a multiple of (r - 1)/(t + 1). *)
Lemma negative_binomial_ratio_falls (r p s t : R) :
  1 <= r -> 0 <= p -> 0 <= s <= t -> (r + t) / (t + 1) * p <= (r + s) / (s + 1) * p.
Proof.
  intros Hr Hp Hs. apply Rmult_le_compat_r; [exact Hp |].
  replace ((r + t) / (t + 1)) with (1 + (r - 1) / (t + 1)) by (field; lra).
  replace ((r + s) / (s + 1)) with (1 + (r - 1) / (s + 1)) by (field; lra).
  apply Rplus_le_compat_l, Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
Qed.

Lemma negative_binomial_ratio_rises (r p t : R) :
  r <= 1 -> 0 <= p -> 0 <= t -> (r + t) / (t + 1) * p <= p.
Proof.
  intros Hr Hp Ht. rewrite <- (Rmult_1_l p) at 2. apply Rmult_le_compat_r; [exact Hp |].
  apply Rmult_le_reg_r with (t + 1); [lra |].
  replace ((r + t) / (t + 1) * (t + 1)) with (r + t) by (field; lra). lra.
Qed.

Lemma discrete_gaussian_ratio_falls (q : R) (s t : nat) :
  0 <= q <= 1 -> (s <= t)%nat -> q ^ (2 * t + 1) <= q ^ (2 * s + 1).
Proof.
  intros Hq Hs. replace (2 * t + 1)%nat with (2 * s + 1 + (2 * (t - s)))%nat by lia. rewrite pow_add.
  rewrite <- (Rmult_1_r (q ^ (2 * s + 1))) at 2. apply Rmult_le_compat_l; [apply pow_le; lra |].
  rewrite <- (pow1 (2 * (t - s))). apply pow_incr. exact Hq.
Qed.

(** ** Downward: from t to t - 1 by the inverse of the ratio at t - 1 *)

Lemma binomial_ratio_falls_downward (n s t x : R) :
  0 < x -> 0 <= s <= t -> t <= n -> s / ((n - s + 1) * x) <= t / ((n - t + 1) * x).
Proof.
  intros Hx Hs Ht. assert (0 < (n - t + 1) * x) by (apply Rmult_lt_0_compat; lra).
  assert ((n - t + 1) * x <= (n - s + 1) * x) by (apply Rmult_le_compat_r; lra).
  apply Rmult_le_compat; [lra | left; apply Rinv_0_lt_compat; lra | lra |].
  apply Rinv_le_contravar; assumption.
Qed.

Lemma poisson_ratio_falls_downward (mu s t : R) : 0 < mu -> s <= t -> s / mu <= t / mu.
Proof. intros Hmu Hs. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat |]; assumption. Qed.

(** t / (r + t - 1) is 1 minus (r - 1) / (r + t - 1). *)
Lemma negative_binomial_ratio_falls_downward (r p s t : R) :
  1 <= r -> 0 < p -> 0 < s <= t -> s / ((r + s - 1) * p) <= t / ((r + t - 1) * p).
Proof.
  intros Hr Hp Hs.
  replace (s / ((r + s - 1) * p)) with ((1 - (r - 1) / (r + s - 1)) * / p) by (field; lra).
  replace (t / ((r + t - 1) * p)) with ((1 - (r - 1) / (r + t - 1)) * / p) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Hp |].
  assert ((r - 1) / (r + t - 1) <= (r - 1) / (r + s - 1)); [| lra].
  apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
Qed.

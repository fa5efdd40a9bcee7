(** Lemma 3: the binomial law is smooth.

    For n >= 1 coins, 0 < gamma <= 1/2, 0 < alpha < 1 (these ends excluded) and every integer k with
    1 <= k <= alpha gamma n / 2 (included), Bin(n, gamma) is (eps, delta, k)-smooth with
      eps = ln((1 + alpha) / (1 - alpha)),
      delta = e^(-alpha^2 gamma n / 8) + e^(-alpha^2 gamma n / (8 + 2 alpha)).

    The idea, with D(y) = P[Y = y] and mu = gamma n: on the good set
    G = [(1 - alpha) mu + k, (1 + alpha) mu - k] each of up to k steps, upwards or downwards, changes D by
    a factor strictly below E = (1 + alpha) / (1 - alpha); the product of j factors is below E^j = e^(j eps).
    So the ratio reaches e^(j eps) only outside G, or where D is 0. G contains
    [(1 - alpha/2) mu, (1 + alpha/2) mu], which Y leaves with probability at most delta by Chernoff's bounds
    with h = alpha/2.

    (Source: Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4, where the condition on k is
    misprinted; the steps from products to alpha are this package's.) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals sums laws masses smooth smooth_is_private binomial chernoff.
Open Scope R_scope.

(** ** The good set *)

Definition lemma3_low (n gamma alpha k : R) : R := (1 - alpha) * (gamma * n) + k.
Definition lemma3_high (n gamma alpha k : R) : R := (1 + alpha) * (gamma * n) - k.
Definition lemma3_good (n gamma alpha k y : R) : Prop :=
  lemma3_low n gamma alpha k <= y <= lemma3_high n gamma alpha k.

(** This is all that the condition on k is for. *)
Theorem lemma3_good_set (n gamma alpha k y : R) :
  k <= alpha * gamma * n / 2 ->
  (1 - alpha / 2) * (gamma * n) <= y <= (1 + alpha / 2) * (gamma * n) ->
  lemma3_good n gamma alpha k y.
Proof. unfold lemma3_good, lemma3_low, lemma3_high. intros. lra. Qed.

(** The window is half as wide as [(1 - alpha) mu, (1 + alpha) mu]. *)
Theorem lemma3_good_set_width (n gamma alpha : R) :
  2 * ((1 + alpha / 2) * (gamma * n) - (1 - alpha / 2) * (gamma * n)) =
  (1 + alpha) * (gamma * n) - (1 - alpha) * (gamma * n).
Proof. field. Qed.

(** ** One step, in multiplied-out form, for real numbers *)

(** The factor ((1-gamma)/gamma) (y+i)/(n-y-i+1) is below (1+alpha) (1-gamma)/(1-gamma-alpha gamma), which is
    at most (1+alpha)/(1-alpha). *)
Theorem lemma3_step_up (n gamma alpha k y i : R) :
  0 < n -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  lemma3_good n gamma alpha k y -> 1 <= i <= k ->
  0 < n - y - i + 1 /\
  (y + i) * (1 - gamma - alpha * gamma) < (1 + alpha) * gamma * (n - y - i + 1) /\
  0 < (1 - alpha) * (1 - gamma) <= 1 - gamma - alpha * gamma /\
  (1 - alpha) * (1 - gamma) * (y + i) < (1 + alpha) * gamma * (n - y - i + 1).
Proof.
  unfold lemma3_good, lemma3_low, lemma3_high. intros Hn Hg Ha Hy Hi.
  assert (P1 : 0 < alpha * gamma) by (apply Rmult_lt_0_compat; lra).
  assert (P2 : 0 < (1 - alpha) * (1 - gamma)) by (apply Rmult_lt_0_compat; lra).
  assert (P3 : 0 < (1 - alpha) * (gamma * n)) by (repeat apply Rmult_lt_0_compat; lra).
  assert (slack : 0 <= alpha * (1 - 2 * gamma)) by (apply Rmult_le_pos; lra).
  assert (sharp : (1 - alpha) * (1 - gamma) <= 1 - gamma - alpha * gamma) by lra.
  assert (V : y + i <= (1 + alpha) * (gamma * n)) by lra.
  assert (rest : 0 <= (1 - gamma - alpha * gamma) * n) by (apply Rmult_le_pos; lra).
  assert (F : (y + i) * (1 - gamma - alpha * gamma) < (1 + alpha) * gamma * (n - y - i + 1)) by lra.
  split; [lra |]. split; [exact F |]. split; [lra |].
  eapply Rle_lt_trans; [| exact F]. rewrite Rmult_comm. apply Rmult_le_compat_l; [lra | exact sharp].
Qed.

(** The factor (gamma/(1-gamma)) (n-y+i+1)/(y-i) is below (1-gamma+alpha gamma)/((1-gamma) (1-alpha)), which
    is at most (1+alpha)/(1-alpha). *)
Theorem lemma3_step_down (n gamma alpha k y i : R) :
  0 < n -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  lemma3_good n gamma alpha k y -> 0 <= i <= k - 1 ->
  0 < y - i /\
  (1 - alpha) * gamma * (n - y + i + 1) < (1 - gamma + alpha * gamma) * (y - i) /\
  1 - gamma + alpha * gamma <= (1 + alpha) * (1 - gamma) /\
  (1 - alpha) * gamma * (n - y + i + 1) < (1 + alpha) * (1 - gamma) * (y - i).
Proof.
  unfold lemma3_good, lemma3_low, lemma3_high. intros Hn Hg Ha Hy Hi.
  assert (P1 : 0 < alpha * gamma) by (apply Rmult_lt_0_compat; lra).
  assert (P2 : 0 < (1 - alpha) * (gamma * n)) by (repeat apply Rmult_lt_0_compat; lra).
  assert (slack : 0 <= alpha * (1 - 2 * gamma)) by (apply Rmult_le_pos; lra).
  assert (V : (1 - alpha) * (gamma * n) + 1 <= y - i) by lra.
  assert (F : (1 - alpha) * gamma * (n - y + i + 1) < (1 - gamma + alpha * gamma) * (y - i)) by lra.
  assert (sharp : 1 - gamma + alpha * gamma <= (1 + alpha) * (1 - gamma)) by lra.
  split; [lra |]. split; [exact F |]. split; [exact sharp |].
  eapply Rlt_le_trans; [exact F |]. apply Rmult_le_compat_r; [lra | exact sharp].
Qed.

(** ** One step of the masses *)

(** From d v = d' u and (1-alpha) u < (1+alpha) v to the ratio d / d'. *)
Lemma ratio_below (alpha d d' u v : R) :
  0 < alpha < 1 -> 0 < d -> 0 <= d' -> 0 < v -> d * v = d' * u ->
  (1 - alpha) * u < (1 + alpha) * v -> d < (1 + alpha) / (1 - alpha) * d'.
Proof.
  intros Ha Hd Hd' Hv E L.
  assert (P : 0 < d * v) by (apply Rmult_lt_0_compat; assumption).
  assert (Q : 0 < d') by (destruct Hd' as [| <-]; [assumption | lra]).
  assert (S : d' * ((1 - alpha) * u) < d' * ((1 + alpha) * v)) by (apply Rmult_lt_compat_l; assumption).
  apply Rmult_lt_reg_l with ((1 - alpha) * v); [apply Rmult_lt_0_compat; lra |].
  replace ((1 - alpha) * v * ((1 + alpha) / (1 - alpha) * d')) with (d' * ((1 + alpha) * v)) by
    (field; lra).
  replace ((1 - alpha) * v * d) with (d' * ((1 - alpha) * u)); [exact S |].
  replace ((1 - alpha) * v * d) with ((1 - alpha) * (d * v)) by ring. rewrite E. ring.
Qed.

Section Masses.

Variables (n : nat) (gamma alpha : R) (k : Z).
Hypotheses (Hn : (1 <= n)%nat) (Hgamma : 0 < gamma <= 1 / 2) (Halpha : 0 < alpha < 1).

Notation D := (binomial n gamma).
Notation E := ((1 + alpha) / (1 - alpha)).
Notation good y := (lemma3_good (INR n) gamma alpha (IZR k) (IZR y)).

Lemma lemma3_users_positive : 0 < INR n.
Proof. apply lt_0_INR. lia. Qed.

Lemma lemma3_mass_up y i :
  good y -> (0 <= i < k)%Z -> 0 < D (y + i)%Z -> D (y + i)%Z < E * D (y + (i + 1))%Z.
Proof.
  intros G Hi P.
  assert (J : 1 <= IZR (i + 1) <= IZR k) by (split; apply IZR_le; lia).
  destruct (lemma3_step_up _ _ _ _ _ _ lemma3_users_positive Hgamma Halpha G J) as [R [_ [_ L]]].
  assert (Q := binomial_ratio n gamma (y + i)).
  replace (y + i + 1)%Z with (y + (i + 1))%Z in Q by ring. rewrite !plus_IZR in *.
  apply ratio_below with (IZR (y + (i + 1)) * (1 - gamma)) ((INR n - IZR (y + i)) * gamma);
    rewrite ?plus_IZR; try assumption.
  - apply binomial_nonneg. lra.
  - apply Rmult_lt_0_compat; lra.
  - lra.
  - lra.
Qed.

Lemma lemma3_mass_down y i :
  good y -> (0 <= i < k)%Z -> 0 < D (y - i)%Z -> D (y - i)%Z < E * D (y - (i + 1))%Z.
Proof.
  intros G Hi P.
  assert (J : 0 <= IZR i <= IZR k - 1) by (rewrite <- minus_IZR; split; apply IZR_le; lia).
  destruct (lemma3_step_down _ _ _ _ _ _ lemma3_users_positive Hgamma Halpha G J) as [R [_ [_ L]]].
  assert (Q := binomial_ratio n gamma (y - (i + 1))).
  replace (y - (i + 1) + 1)%Z with (y - i)%Z in Q by ring. rewrite !minus_IZR, plus_IZR in Q.
  apply ratio_below with ((INR n - (IZR y - (IZR i + 1))) * gamma) ((IZR y - IZR i) * (1 - gamma));
    try assumption.
  - apply binomial_nonneg. lra.
  - apply Rmult_lt_0_compat; lra.
  - lra.
  - lra.
Qed.

(** ** The product of j steps, in the direction s *)

Lemma lemma3_base_positive : 0 < E.
Proof. apply Rdiv_lt_0_compat; lra. Qed.

Lemma lemma3_chain (s y : Z) (j : nat) :
  (forall i, (0 <= i < Z.of_nat (S j))%Z ->
    0 < D (y + s * i)%Z -> D (y + s * i)%Z < E * D (y + s * (i + 1))%Z) ->
  0 < D y -> D y < E ^ S j * D (y + s * Z.of_nat (S j))%Z.
Proof.
  intros H P. induction j as [| j IH].
  - specialize (H 0%Z). rewrite Z.mul_0_r, Z.add_0_r in H. rewrite pow_1. apply H; [lia | exact P].
  - assert (L : D y < E ^ S j * D (y + s * Z.of_nat (S j))%Z) by (apply IH; intros; apply H; [lia | auto]).
    assert (EP : 0 < E ^ S j) by (apply pow_lt, lemma3_base_positive).
    assert (Q : 0 < D (y + s * Z.of_nat (S j))%Z).
    { apply Rmult_lt_reg_l with (E ^ S j); [exact EP | lra]. }
    eapply Rlt_trans; [exact L |].
    replace (Z.of_nat (S (S j))) with (Z.of_nat (S j) + 1)%Z by lia.
    change (E ^ S (S j)) with (E * E ^ S j). rewrite (Rmult_comm E), Rmult_assoc.
    apply Rmult_lt_compat_l; [exact EP |]. apply H; [lia | exact Q].
Qed.

Lemma lemma3_exp_ratio (j : Z) : exp (IZR (Z.abs j) * ln E) = E ^ Z.abs_nat j.
Proof.
  rewrite <- (exp_ln E lemma3_base_positive) at 2.
  rewrite exp_power, INR_IZR_INZ, Zabs2Nat.id_abs. f_equal. ring.
Qed.

(** On the good set the ratio is strictly below e^(|j| eps). *)
Lemma lemma3_ratio_on_good_set y j :
  good y -> j <> 0%Z -> (Z.abs j <= k)%Z -> 0 < D y ->
  D y < exp (IZR (Z.abs j) * ln E) * D (y + j)%Z.
Proof.
  intros G Hj Hk P. rewrite lemma3_exp_ratio.
  destruct (Z.abs_nat j) as [| m] eqn:Em; [lia |].
  destruct (Z_lt_le_dec 0 j) as [Hs | Hs].
  - replace (y + j)%Z with (y + 1 * Z.of_nat (S m))%Z by lia. apply lemma3_chain; [| exact P].
    intros i Hi Q. rewrite !Z.mul_1_l in *. apply lemma3_mass_up; [exact G | lia | exact Q].
  - replace (y + j)%Z with (y + -1 * Z.of_nat (S m))%Z by lia. apply lemma3_chain; [| exact P].
    intros i Hi Q. replace (y + -1 * (i + 1))%Z with (y - (i + 1))%Z by ring.
    replace (y + -1 * i)%Z with (y - i)%Z in * by ring. apply lemma3_mass_down; [exact G | lia | exact Q].
Qed.

(** ** Outside the good set *)

Definition lemma3_bad (y : R) : bool :=
  (Rltb y (lemma3_low (INR n) gamma alpha (IZR k)) || Rltb (lemma3_high (INR n) gamma alpha (IZR k)) y)%bool.

Lemma lemma3_not_good_is_bad (y : Z) : ~ good y -> lemma3_bad (IZR y) = true.
Proof.
  intros H. unfold lemma3_bad. apply orb_true_intro. rewrite !Rltb_true.
  destruct (Rlt_dec (IZR y) (lemma3_low (INR n) gamma alpha (IZR k))); [left; assumption |].
  destruct (Rlt_dec (lemma3_high (INR n) gamma alpha (IZR k)) (IZR y)); [right; assumption |].
  exfalso. apply H. unfold lemma3_good. lra.
Qed.

Theorem lemma3_outside :
  IZR k <= alpha * gamma * INR n / 2 ->
  Pr (flips n gamma) (fun i => lemma3_bad (INR i)) <=
  exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha))).
Proof.
  intros Hk.
  assert (Hp : 0 <= gamma <= 1) by lra.
  assert (proper_D := proper_flips n gamma Hp).
  eapply Rle_trans; [apply Pr_or, proper_D |]. apply Rplus_le_compat.
  - replace (alpha ^ 2 * gamma * INR n / 8) with ((alpha / 2) ^ 2 / 2 * (INR n * gamma)) by field.
    eapply Rle_trans; [| apply chernoff_lower; [exact Hp | lra]]. apply Pr_le; [exact proper_D |].
    intros i Hi. apply Rltb_true in Hi. apply Rleb_true. unfold lemma3_low in Hi. lra.
  - replace (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)) with
      ((alpha / 2) ^ 2 / (2 + alpha / 2) * (INR n * gamma)) by (field; lra).
    eapply Rle_trans; [| apply chernoff_upper; [exact Hp | lra]]. apply Pr_le; [exact proper_D |].
    intros i Hi. apply Rltb_true in Hi. apply Rleb_true. unfold lemma3_high in Hi. lra.
Qed.

End Masses.

(** ** The lemma *)

Section Lemma3.

Variables (n : nat) (gamma alpha : R) (k : Z).
Hypotheses (Hn : (1 <= n)%nat) (Hgamma : 0 < gamma <= 1 / 2) (Halpha : 0 < alpha < 1).
Hypothesis Hk : IZR k <= alpha * gamma * INR n / 2.

Notation D := (binomial n gamma).
Notation eps := (ln ((1 + alpha) / (1 - alpha))).
Notation delta :=
  (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))).
Notation large j := (large_ratio D (fun y => D (y + j)%Z) (exp (IZR (Z.abs j) * eps))).
Notation good y := (lemma3_good (INR n) gamma alpha (IZR k) (IZR y)).

(** Where a good outcome has a large ratio, it has no mass. *)
Lemma lemma3_large_and_good j y :
  j <> 0%Z -> (Z.abs j <= k)%Z -> large j y -> good y -> D y = 0.
Proof.
  intros J K L G. destruct (binomial_nonneg n gamma y) as [P | E]; [lra | | symmetry; exact E].
  assert (S := lemma3_ratio_on_good_set n gamma alpha k Hn Hgamma Halpha y j G J K P).
  unfold large_ratio in L. lra.
Qed.

Lemma lemma3_large_is_outside j l :
  j <> 0%Z -> (Z.abs j <= k)%Z -> NoDup l -> (forall y, In y l -> large j y) ->
  total l D <= Pr (flips n gamma) (fun i => lemma3_bad n gamma alpha k (INR i)).
Proof.
  intros J K N I.
  rewrite (Pr_ext _ _ (fun i => lemma3_bad n gamma alpha k (IZR (Z.of_nat i)))) by
    (intros i; rewrite <- INR_IZR_INZ; reflexivity).
  apply (binomial_total_le n gamma (fun y => lemma3_bad n gamma alpha k (IZR y))); [lra | exact N |].
  intros y Hy NZ. apply lemma3_not_good_is_bad. intros G. apply NZ, (lemma3_large_and_good j); auto.
Qed.

(** No mass lies in G together with a large ratio, so that a large ratio is at most as likely as to be
    outside G. *)
Theorem lemma3_total_probability j :
  j <> 0%Z -> (Z.abs j <= k)%Z ->
  mass_of D (fun y => large j y /\ good y) 0 /\
  forall r, mass_of D (large j) r ->
  r <= Pr (flips n gamma) (fun i => lemma3_bad n gamma alpha k (INR i)) <= delta.
Proof.
  intros J K. split.
  - apply mass_of_zero. intros y [L G]. apply (lemma3_large_and_good j); assumption.
  - intros r [_ Hr]. split; [| apply lemma3_outside; assumption].
    apply Hr. intros s [l [N [I ->]]]. apply (lemma3_large_is_outside j); assumption.
Qed.

End Lemma3.

Theorem lemma3 (n : nat) (gamma alpha : R) (k : Z) :
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) k.
Proof.
  intros Hn Hg Ha _ Hk j J K l N L. eapply Rle_trans; [| apply (lemma3_outside n gamma alpha k Hg Ha Hk)].
  apply (lemma3_large_is_outside n gamma alpha k Hn Hg Ha j); assumption.
Qed.

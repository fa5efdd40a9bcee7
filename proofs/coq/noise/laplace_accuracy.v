(** How often one of k Laplace coordinates is off.

    One coordinate of scale Df/eps is off by more than ln(k/beta) Df/eps with probability beta/k; the k
    coordinates are independent, k >= 1 and 0 < beta < 1.

    - [laplace_one_off]: the tails of one coordinate, as improper integrals of its density, are beta/(2k)
      each;
    - [laplace_some_off]: where each is off with probability beta/k, some one is with 1 - (1 - beta/k)^k. This
      is at most beta, and below it for k >= 2; and at least 1 - e^-beta, at least beta - beta^2/2.

    Idea: Bernoulli's inequality, and 1 - x <= e^-x.
    Source: Dwork and Roth 2014, theorem 3.8. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws exponential laplace_noise.
Import ListNotations.
Open Scope R_scope.

(** Whether some of k coordinates is off, each independently with probability q. *)
Fixpoint some_off (k : nat) (q : R) : dist bool :=
  match k with
  | O => ret false
  | S m => bind (coin q) (fun off => dmap (orb off) (some_off m q))
  end.

Lemma some_off_probability k q : Pr (some_off k q) (fun off => off) = 1 - (1 - q) ^ k.
Proof.
  induction k as [| k IH]; [unfold Pr; simpl; rewrite mean_ret; unfold indicator; ring |].
  cbn [some_off]. rewrite Pr_bind, mean_coin, !Pr_dmap. cbn [orb]. rewrite IH.
  assert (M : mean (some_off k q) (fun _ => 1) = 1).
  { clear. induction k as [| k IH]; [unfold mean; simpl; ring |].
    cbn [some_off]. rewrite mean_bind, mean_coin.
    rewrite !mean_dmap, IH. ring. }
  replace (Pr (some_off k q) (fun _ => true)) with 1 by (symmetry; exact M). simpl. ring.
Qed.

Lemma bernoulli_strict k x : 0 < x < 1 -> (2 <= k)%nat -> 1 - INR k * x < (1 - x) ^ k.
Proof.
  intros Hx H. induction H as [| k H IH].
  { simpl. assert (0 < x * x) by (apply Rmult_lt_0_compat; lra). lra. }
  rewrite S_INR. simpl pow. apply (Rmult_lt_compat_l (1 - x)) in IH; [| lra].
  assert (0 <= INR k * (x * x)).
  { apply Rmult_le_pos; [apply pos_INR | apply Rmult_le_pos; lra]. }
  lra.
Qed.

Lemma exp_below_square beta : 0 <= beta -> exp (- beta) <= 1 - beta + beta ^ 2 / 2.
Proof.
  intros H. assert (X := exp_below_taylor_sum_even (- beta) 0 1 2 ltac:(exists 1%nat; reflexivity)).
  rewrite Rmax_left, exp_0 in X by lra. specialize (X ltac:(lra) ltac:(lra)).
  unfold taylor_sum, taylor_term in X. simpl in X. simpl. lra.
Qed.

(** Ledger row laplace-accuracy, with [laplace_some_off]. *)
Theorem laplace_one_off (k : nat) beta eps Df :
  (1 <= k)%nat -> 0 < beta < 1 -> 0 < eps -> 0 < Df ->
  let r := ln (INR k / beta) * (Df / eps) in
  is_RInt_gen (laplace (Df / eps) 0) (at_point r) (Rbar_locally p_infty) (beta / INR k / 2) /\
  is_RInt_gen (laplace (Df / eps) 0) (Rbar_locally m_infty) (at_point (- r)) (beta / INR k / 2).
Proof.
  intros Hk Hb He HD r. assert (K : 1 <= INR k) by (apply le_INR in Hk; exact Hk).
  assert (B : 0 < Df / eps) by (apply Rdiv_lt_0_compat; assumption).
  assert (L : 0 <= ln (INR k / beta)).
  { rewrite <- ln_1. apply ln_le; [lra |]. apply Rmult_le_reg_r with beta; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  replace (beta / INR k) with (exp (- r / (Df / eps))).
  - apply laplace_tail; [exact B |]. apply Rmult_le_pos; lra.
  - unfold r.
    replace (- (ln (INR k / beta) * (Df / eps)) / (Df / eps)) with (- ln (INR k / beta)) by (field; lra).
    rewrite exp_Ropp, exp_ln; [field; lra |]. apply Rdiv_lt_0_compat; lra.
Qed.

Theorem laplace_some_off (k : nat) beta :
  (1 <= k)%nat -> 0 < beta < 1 ->
  let chance := Pr (some_off k (beta / INR k)) (fun off => off) in
  chance = 1 - (1 - beta / INR k) ^ k /\ chance <= beta /\ ((2 <= k)%nat -> chance < beta) /\
  1 - exp (- beta) <= chance /\ beta - beta ^ 2 / 2 <= 1 - exp (- beta).
Proof.
  intros Hk Hb. assert (K : 1 <= INR k) by (apply le_INR in Hk; exact Hk).
  set (q := beta / INR k). assert (E : INR k * q = beta) by (unfold q; field; lra).
  assert (Q : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  assert (Q1 : q < 1).
  { apply Rmult_lt_reg_l with (INR k); [lra |]. rewrite E. lra. }
  assert (Strict : (2 <= k)%nat -> 1 - beta < (1 - q) ^ k).
  { intros H. rewrite <- E. apply bernoulli_strict; [lra | exact H]. }
  cbv zeta. rewrite some_off_probability. repeat split.
  - destruct (Nat.eq_dec k 1) as [-> | N]; [simpl in *; lra |]. specialize (Strict ltac:(lia)). lra.
  - intros H. specialize (Strict H). lra.
  - assert (P : (1 - q) ^ k <= exp (- q) ^ k).
    { apply pow_incr. split; [lra |]. assert (X := exp_ineq1_le (- q)). lra. }
    rewrite exp_power in P. replace (- q * INR k) with (- beta) in P by lra. lra.
  - assert (X := exp_below_square beta ltac:(lra)). lra.
Qed.

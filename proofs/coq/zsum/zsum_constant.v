(** How much noise zsum needs: the constant 50 of its theorem may be 47, and cannot be 3 or less.

    With the constant c, zsum has gamma = c ln(2/delta)/(eps^2 n), and gamma <= 1/2 asks for
    n >= 2 c ln(2/delta)/eps^2 users. [zsum_constant_enough c] says that this is (eps, delta)-DP for all
    eps in (0, 1], delta in (0, 1] and all such n; at c = 50 it is the theorem [zsum_privacy].

    [zsum_constant_above]: every c >= 10/tanh(1/2)^2 is enough; [zsum_constant_47]: 47 is.
    [zsum_constant_below]: no c in (0, 3] is.
    [zsum_constant_8_users]: a failure to check by hand. With c = 1, eps = 1, delta = 2 e^(-4) and n = 8,
    gamma is 1/2, and P[W <= 2] - e P[W <= 1] = (37 - 9 e)/256 > 0.048 > delta.

    Idea: let delta = 2 e^(-r), so that ln(2/delta) = r and gamma is rational. With n = 2 c r/eps^2 users
    gamma is 1/2, and W is the number of heads of n fair coins. One record shifts the number of messages by
    one, so there is an event that is "at most j + 1 heads" before and "at most j heads" after. Privacy at
    eps = 1 would say A <= e B + 2^n delta for the numbers A and B of such outcomes. With n = 108, r = 18
    and j + 1 = 29 this is false, by integers and 2.7178 < e < 2.7186. Every c in (0, 3] meets this
    instance at eps = sqrt(c/3) <= 1. (Source: this package.) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy binomial zsum zsum_sqrt5 zsum_privacy zsum_ends.
Import ListNotations.
Open Scope R_scope.

Definition zsum_gamma_with (c : R) (n : nat) (eps delta : R) : R := c * ln (2 / delta) / (eps ^ 2 * INR n).

Definition zsum_constant_enough (c : R) : Prop := forall eps delta n,
  0 < eps <= 1 -> 0 < delta <= 1 -> 2 * c * ln (2 / delta) / eps ^ 2 <= INR n ->
  shuffle_dp n (zsum_randomizer (zsum_gamma_with c n eps delta)) eps delta.

(** ** Enough noise *)

Lemma zsum_constant_above c : 10 / tanh (1 / 2) ^ 2 <= c -> zsum_constant_enough c.
Proof.
  intros Hc eps delta n He Hd Hn. assert (L := log_level delta Hd). set (l := ln (2 / delta)) in *.
  assert (T2 : 0 < tanh (1 / 2) ^ 2) by (apply pow_lt; apply (tanh_half_range 1); lra).
  assert (Pc : 0 < c).
  { apply Rlt_le_trans with (10 / tanh (1 / 2) ^ 2); [apply Rdiv_lt_0_compat; lra | exact Hc]. }
  assert (E2 : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (Pcl : 0 < c * l) by (apply Rmult_lt_0_compat; lra).
  assert (N : 0 < INR n).
  { apply Rlt_le_trans with (2 * c * l / eps ^ 2); [apply Rdiv_lt_0_compat; lra | exact Hn]. }
  destruct (tanh_half_range eps (proj1 He)) as [A0 _].
  assert (A : eps ^ 2 <= c / 10 * tanh (eps / 2) ^ 2).
  { apply over_sqrt_le; [lra | lra | exact A0 |]. apply zsum_sqrt_threshold; [lra | | exact He].
    unfold Rdiv in *. lra. }
  assert (A2 : 0 < tanh (eps / 2) ^ 2) by (apply pow_lt, A0).
  unfold zsum_gamma_with. fold l. apply zsum_privacy_refined; [lra | exact Hd | |]; fold l.
  - replace (c * l / (eps ^ 2 * INR n)) with (2 * c * l / eps ^ 2 * (/ (2 * INR n))) by (field; lra).
    replace (1 / 2) with (INR n * (/ (2 * INR n))) by (field; lra).
    apply Rmult_le_compat_r; [| exact Hn]. left. apply Rinv_0_lt_compat. lra.
  - set (a2 := tanh (eps / 2) ^ 2) in *.
    replace (INR n * (c * l / (eps ^ 2 * INR n))) with (c * l / eps ^ 2) by (field; lra).
    apply Rmult_le_reg_r with (a2 * eps ^ 2); [apply Rmult_lt_0_compat; assumption |].
    replace (10 * l / a2 * (a2 * eps ^ 2)) with (10 * l * eps ^ 2) by (field; lra).
    replace (c * l / eps ^ 2 * (a2 * eps ^ 2)) with (10 * l * (c / 10 * a2)) by (field; lra).
    apply Rmult_le_compat_l; lra.
Qed.

(** ** Counting heads *)

(** 2^n P[fewer than j heads] for n fair coins: the number of such outcomes. *)
Definition fewer (n j : nat) : R := 2 ^ n * Pr (flips n (1 / 2)) (fun w => Z.of_nat w <? Z.of_nat j)%Z.

Lemma fewer_none n : fewer n 0 = 0.
Proof.
  unfold fewer. rewrite (Pr_flips_ext n (1 / 2) _ (fun _ => false)), Pr_never; [ring |].
  intros w _. apply Z.ltb_ge. lia.
Qed.

Lemma fewer_nonneg n j : 0 <= fewer n j.
Proof.
  apply Rmult_le_pos; [apply pow_le; lra |]. apply Pr_bounds, proper_flips. lra.
Qed.

(** No coins: no heads. *)
Lemma fewer_start j : fewer 0 (S j) = 1.
Proof.
  unfold fewer. cbn [flips]. rewrite Pr_ret. unfold indicator.
  replace (Z.of_nat 0 <? Z.of_nat (S j))%Z with true; [simpl; ring |].
  symmetry. apply Z.ltb_lt. lia.
Qed.

(** One coin more, heads or not. *)
Lemma fewer_step n j : fewer (S n) (S j) = fewer n j + fewer n (S j).
Proof.
  unfold fewer, Pr. rewrite mean_flips_S.
  rewrite (mean_flips_ext n _ (fun w => indicator _ (S w))
    (indicator (fun w => Z.of_nat w <? Z.of_nat j)%Z)); [simpl pow; field |].
  intros w _. unfold indicator.
  replace (Z.of_nat (S w) <? Z.of_nat (S j))%Z with (Z.of_nat w <? Z.of_nat j)%Z; [reflexivity |].
  apply eq_true_iff_eq. rewrite !Z.ltb_lt. lia.
Qed.

(** The same with integers: [table k n] lists the numbers for j = 1, ..., k. *)
Fixpoint next (before : Z) (u : list Z) : list Z :=
  match u with
  | [] => []
  | a :: u' => (before + a)%Z :: next a u'
  end.

Fixpoint table (k n : nat) : list Z :=
  match n with
  | O => repeat 1%Z k
  | S m => next 0 (table k m)
  end.

(** The list u is right for n coins, from j + 1 on. *)
Fixpoint right_from (n j : nat) (u : list Z) : Prop :=
  match u with
  | [] => True
  | a :: u' => IZR a = fewer n (S j) /\ right_from n (S j) u'
  end.

Lemma right_next n u : forall j before,
  IZR before = fewer n j -> right_from n j u -> right_from (S n) j (next before u).
Proof.
  induction u as [| a u IH]; intros j before Hb H; [exact I |]. destruct H as [Ha H]. split.
  - rewrite plus_IZR, Hb, Ha, fewer_step. reflexivity.
  - apply IH; assumption.
Qed.

Lemma right_start k : forall j, right_from 0 j (repeat 1%Z k).
Proof.
  induction k as [| k IH]; intros j; [exact I |]. split; [symmetry; apply fewer_start | apply IH].
Qed.

Lemma right_table k n : right_from n 0 (table k n).
Proof.
  induction n as [| n IH]; cbn [table].
  - apply right_start.
  - apply right_next; [rewrite fewer_none; reflexivity | exact IH].
Qed.

Lemma next_length u : forall before, length (next before u) = length u.
Proof. induction u as [| a u IH]; intros before; simpl; [| rewrite IH]; reflexivity. Qed.

Lemma table_length k n : length (table k n) = k.
Proof. induction n as [| n IH]; simpl; [apply repeat_length | rewrite next_length; exact IH]. Qed.

Lemma right_nth n u : forall j i,
  right_from n j u -> (i < length u)%nat ->
  IZR (nth i u 0%Z) = fewer n (S (j + i)).
Proof.
  induction u as [| a u IH]; intros j i H L; [simpl in L; lia |]. destruct H as [Ha H].
  destruct i as [| i]; simpl nth.
  - rewrite Nat.add_0_r. exact Ha.
  - rewrite (IH (S j)) by (exact H || (simpl in L; lia)). f_equal. lia.
Qed.

Lemma table_right k n i : (i < k)%nat -> IZR (nth i (table k n) 0%Z) = fewer n (S i).
Proof. intros H. apply (right_nth n _ 0); [apply right_table | rewrite table_length; exact H]. Qed.

(** ** e to three places *)

Lemma e_bounds : 27178 / 10000 < exp 1 < 27186 / 10000.
Proof.
  replace (exp 1) with (exp (1 / 32) ^ 32) by (rewrite exp_power; f_equal; simpl INR; field).
  set (x := exp (1 / 32)).
  assert (L : 1 + 1 / 32 + (1 / 32) ^ 2 / 2 < x).
  { assert (exp 0 - (1 + 0 + 0 ^ 2 / 2) < exp (1 / 32) - (1 + 1 / 32 + (1 / 32) ^ 2 / 2)) as H.
    - apply (derivative_positive (fun t => exp t - (1 + t + t ^ 2 / 2))
               (fun t => exp t - (1 + t))); [lra | |].
      + intros t _. auto_derive; [exact I | field].
      + intros t Ht. assert (1 + t < exp t) by (apply exp_ineq1; lra). lra.
    - rewrite exp_0 in H. unfold x. lra. }
  assert (U : x < 65 / 63).
  { assert (H := tanh_half_below (1 / 32) ltac:(lra)). rewrite tanh_half in H. fold x in H.
    apply (Rmult_lt_compat_r (x + 1)) in H; [| lra].
    replace ((x - 1) / (x + 1) * (x + 1)) with (x - 1) in H by (field; lra). lra. }
  split.
  - apply Rlt_le_trans with ((1 + 1 / 32 + (1 / 32) ^ 2 / 2) ^ 32); [lra | apply pow_incr; lra].
  - apply Rle_lt_trans with ((65 / 63) ^ 32); [apply pow_incr; lra | lra].
Qed.

(** ** Instances with gamma = 1/2 *)

(** A - e B > 2^n 2 e^(-r) with A and B the numbers of outcomes with fewer than j + 2 and j + 1 heads,
    in integers. *)
Definition too_likely (n r j : nat) : bool :=
  let u := table (S (S j)) n in
  (10000 * 2 * 2 ^ Z.of_nat n * 10000 ^ Z.of_nat r
   <? (10000 * nth (S j) u 0 - 27186 * nth j u 0) * 27178 ^ Z.of_nat r)%Z.

Lemma too_likely_real n r j : too_likely n r j = true ->
  2 ^ n * (2 * exp (- INR r)) < fewer n (S (S j)) - exp 1 * fewer n (S j).
Proof.
  unfold too_likely. intros H. apply Z.ltb_lt, IZR_lt in H.
  rewrite !mult_IZR, minus_IZR, !mult_IZR, <- !pow_IZR, !table_right in H by lia.
  assert (B0 := fewer_nonneg n (S j)).
  set (A := fewer n (S (S j))) in *. set (B := fewer n (S j)) in *.
  destruct e_bounds as [E0 E1].
  assert (P2 : 0 < 2 ^ n) by (apply pow_lt; lra). assert (P4 : 0 < 10000 ^ r) by (apply pow_lt; lra).
  set (q := (27178 / 10000) ^ r).
  assert (Pq : 0 < q) by (apply pow_lt; lra).
  assert (Q : 27178 ^ r = 10000 ^ r * q).
  { unfold q. rewrite <- Rpow_mult_distr. f_equal. field. }
  assert (D : 2 * 2 ^ n < (A - 27186 / 10000 * B) * q).
  { apply Rmult_lt_reg_l with (10000 * 10000 ^ r); [lra |]. rewrite Q in H. lra. }
  assert (X : exp (- INR r) * q <= 1).
  { rewrite exp_Ropp, <- (Rmult_1_l (INR r)), <- exp_power. apply Rmult_le_reg_l with (exp 1 ^ r).
    - apply pow_lt. lra.
    - rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r; [apply pow_incr; lra |].
      apply pow_nonzero. lra. }
  assert (Y := exp_pos (- INR r)).
  assert (Z1 : 2 * 2 ^ n * exp (- INR r) < (A - 27186 / 10000 * B) * (exp (- INR r) * q)).
  { apply (Rmult_lt_compat_r (exp (- INR r))) in D; lra. }
  assert (D0 : 0 <= A - 27186 / 10000 * B).
  { left. apply Rmult_lt_reg_r with q; lra. }
  apply (Rmult_le_compat_l _ _ _ D0) in X.
  apply Rlt_le, (Rmult_le_compat_r _ _ _ B0) in E1.
  lra.
Qed.

(** An event that is W < j + 2 on one data set and W < j + 1 on its neighbour refutes privacy at every
    eps <= 1. *)
Lemma fair_coins_not_private n r j eps : (1 <= n)%nat -> eps <= 1 -> too_likely n r j = true ->
  ~ shuffle_dp n (zsum_randomizer (1 / 2)) eps (2 * exp (- INR r)).
Proof.
  intros Hn He H Private. apply too_likely_real in H.
  destruct (zsum_shift n (1 / 2) eps _ (fun z => z <? Z.of_nat (S j))%Z Hn Private) as [_ L].
  rewrite (Pr_flips_ext n (1 / 2) _ (fun w => Z.of_nat w <? Z.of_nat (S (S j)))%Z) in L.
  2: { intros w _. apply eq_true_iff_eq. rewrite !Z.ltb_lt. lia. }
  assert (M : exp eps * fewer n (S j) <= exp 1 * fewer n (S j)).
  { apply Rmult_le_compat_r; [apply fewer_nonneg | apply exp_le, He]. }
  assert (P2 : 0 < 2 ^ n) by (apply pow_lt; lra).
  apply (Rmult_le_compat_l (2 ^ n)) in L; [| lra]. unfold fewer in *. lra.
Qed.

(** ** The constant *)

Lemma log_of_delta r : ln (2 / (2 * exp (- r))) = r.
Proof.
  rewrite exp_Ropp. assert (P := exp_pos r).
  replace (2 / (2 * / exp r)) with (exp r) by (field; lra). apply ln_exp.
Qed.

Theorem zsum_constant_47 : zsum_constant_enough 47.
Proof.
  apply zsum_constant_above. rewrite tanh_half. destruct e_bounds as [E _]. set (e := exp 1) in *.
  assert (P : 0 < (e - 1) ^ 2) by (apply pow_lt; lra).
  replace (10 / ((e - 1) / (e + 1)) ^ 2) with (10 * (e + 1) ^ 2 / (e - 1) ^ 2) by (field; lra).
  apply Rmult_le_reg_r with ((e - 1) ^ 2); [exact P |].
  replace (10 * (e + 1) ^ 2 / (e - 1) ^ 2 * (e - 1) ^ 2) with (10 * (e + 1) ^ 2) by (field; lra).
  assert (0 <= (e - 27178 / 10000) * (e - 37 / 100)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The failure to check by hand. *)
Theorem zsum_constant_8_users :
  let delta := 2 * exp (- 4) in
  zsum_gamma_with 1 8 1 delta = 1 / 2 /\ ~ shuffle_dp 8 (zsum_randomizer (1 / 2)) 1 delta.
Proof.
  intros delta. replace delta with (2 * exp (- INR 4)) by (unfold delta; do 2 f_equal; simpl; ring). split.
  - unfold zsum_gamma_with. rewrite log_of_delta. simpl INR. field.
  - apply (fair_coins_not_private 8 4 1); [lia | lra | vm_compute; reflexivity].
Qed.

(** The one computation: 108 rounds on a list of 30 integers. *)
Lemma too_likely_108 : too_likely 108 18 28 = true.
Proof. vm_compute. reflexivity. Qed.

Theorem zsum_constant_below c : 0 < c <= 3 -> ~ zsum_constant_enough c.
Proof.
  intros Hc H. set (eps := sqrt (c / 3)). set (delta := 2 * exp (- INR 18)).
  assert (E2 : eps ^ 2 = c / 3) by (apply pow2_sqrt; lra).
  assert (E0 : 0 < eps) by (apply sqrt_lt_R0; lra).
  assert (E1 : eps <= 1) by (rewrite <- sqrt_1; apply sqrt_le_1; lra).
  assert (N : INR 108 = 6 * INR 18).
  { rewrite !INR_IZR_INZ. simpl Z.of_nat. ring. }
  assert (R18 : 1 <= INR 18) by (apply (le_INR 1); lia).
  assert (D : 0 < delta <= 1).
  { assert (P := exp_pos (- INR 18)). split; [unfold delta; lra |]. apply delta_level; [lra |].
    replace (2 / 1) with 2 by field. assert (L := exp_ineq1_le 1).
    apply Rle_trans with (ln (exp 1)); [apply Rcomplements.ln_le; lra |]. rewrite ln_exp. exact R18. }
  assert (Ln : ln (2 / delta) = INR 18) by apply log_of_delta.
  specialize (H eps delta 108%nat (conj E0 E1) D). unfold zsum_gamma_with in H.
  rewrite Ln, E2, N in H. replace (c * INR 18 / (c / 3 * (6 * INR 18))) with (1 / 2) in H by (field; lra).
  apply (fair_coins_not_private 108 18 28 eps); [lia | exact E1 | exact too_likely_108 |].
  apply H. right. field. lra.
Qed.

(** The term gamma in the accuracy of zsum cannot go away.

    The estimate of zsum is cut off: it is 0 unless there are more than n messages. With mu = n gamma, a
    true sum k <= mu and w silent coins, either w >= k, the estimate is 0 and the error is k/n, or w < k,
    the error is gamma - w/n > (mu - k)/n. Proved here, for every n >= 1 and gamma in [0, 1]:

    - [zsum_gamma_term]: on every data set of n records with a true sum k <= mu the error is at least
      min(k, mu - k)/n with certainty;
    - [zsum_gamma_term_half]: for k = floor(mu/2) it is at least k/n > gamma/2 - 1/n with certainty, and
      there is such a data set: no alpha <= gamma/2 - 1/n is right for any beta < 1;
    - [zsum_gamma_term_near_the_mean]: if the true sum is (1 - t) mu, t in [0, 1], the error is
      (1 - t) gamma but with probability at most e^(-t^2 mu/2);
    - [zsum_accuracy_order_every_constant]: for the theorem's gamma = 50 ln(2/delta)/(eps^2 n), eps in (0, 1],
      delta in (0, 1), n >= 100 ln(2/delta)/eps^2, and every C with C ln(1/delta) <= 16, there is a data
      set on which the error exceeds C ln(1/delta)/(eps^2 n) with certainty, and so it does on every data
      set with floor(mu/2) ones ([zsum_accuracy_order_every_data_set]). So ln(2/delta) in the accuracy
      theorem may not be replaced by ln(1/delta) as delta comes close to 1;
    - [zsum_accuracy_order_printed_fails]: so no constant C is right for all eps, delta and n.

    Source: this package. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy exponential binomial logarithm chernoff zsum.
From Exactdp Require Import zsum_accuracy zsum_accuracy_theorem.
Import ListNotations.
Open Scope R_scope.

(** ** For every number of silent coins *)

(** A data set of n records with k ones. *)
Definition with_ones (n k : nat) : list bool := repeat true k ++ repeat false (n - k).

Lemma with_ones_length n k : (k <= n)%nat -> length (with_ones n k) = n.
Proof. intros H. unfold with_ones. rewrite app_length, !repeat_length. lia. Qed.

Lemma with_ones_sum n k : ones (with_ones n k) = k.
Proof.
  unfold with_ones. generalize (n - k)%nat. intros m. induction k as [| k IH].
  - apply ones_zeros.
  - cbn [repeat app]. rewrite ones_cons, IH. reflexivity.
Qed.

(** The error is at least min(k, mu - k)/n, whatever w is. *)
Lemma error_at_least n gamma k w : (1 <= n)%nat ->
  Rmin (INR k) (INR n * gamma - INR k) / INR n <= zsum_error n gamma k (repeat tt (n + k - w)).
Proof.
  intros Hn. assert (P := INR_positive n Hn). assert (I : 0 <= / INR n) by (left; apply Rinv_0_lt_compat, P).
  destruct (Nat.lt_ge_cases w k) as [H | H].
  - rewrite zsum_error_above by assumption. apply lt_INR in H.
    apply Rle_trans with (gamma - INR w / INR n); [| apply Rle_abs].
    replace (gamma - INR w / INR n) with ((INR n * gamma - INR w) / INR n) by (field; lra).
    apply Rmult_le_compat_r; [exact I |]. eapply Rle_trans; [apply Rmin_r | lra].
  - rewrite zsum_error_zero by assumption. apply Rmult_le_compat_r; [exact I | apply Rmin_l].
Qed.

(** ** With certainty *)

(** What holds for every number of silent coins holds with certainty. *)
Lemma zsum_certain n gamma xs T : 0 <= gamma <= 1 -> length xs = n ->
  (forall w, T (repeat tt (n + ones xs - w)) = true) ->
  Pr (messages (zsum_randomizer gamma) xs) T = 1.
Proof.
  intros Hg L H. rewrite (zsum_probability n gamma xs T L), (Pr_ext _ _ (fun _ => true)) by exact H.
  apply Pr_all, proper_flips, Hg.
Qed.

(** The error is at least min(k, mu - k)/n with certainty; this says something for k <= mu. *)
Theorem zsum_gamma_term (n : nat) (gamma : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n ->
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rleb (Rmin (INR (ones xs)) (INR n * gamma - INR (ones xs)) / INR n)
                   (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) = 1.
Proof.
  intros Hn Hg L. apply (zsum_certain n); [exact Hg | exact L |]. intros w.
  apply Rleb_true, (error_at_least n gamma (ones xs) w Hn).
Qed.

(** The integer part of a number that is not negative. *)
Lemma natural_part x : 0 <= x -> exists k : nat, INR k <= x < INR k + 1.
Proof.
  intros H. destruct (archimed x) as [A B]. exists (Z.to_nat (up x - 1)).
  assert (U : (0 < up x)%Z) by (apply lt_IZR; lra).
  rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR by lia. lra.
Qed.

(** With floor(mu/2) ones the error is above gamma/2 - 1/n with certainty. *)
Theorem zsum_gamma_term_half (n : nat) (gamma : R) : (1 <= n)%nat -> 0 <= gamma <= 1 ->
  exists xs k, length xs = n /\ ones xs = k /\ INR k <= INR n * gamma / 2 < INR k + 1
  /\ gamma / 2 - 1 / INR n < INR k / INR n
  /\ Pr (messages (zsum_randomizer gamma) xs)
       (fun y => Rleb (INR k / INR n) (Rabs (zsum_estimate n gamma y - INR k / INR n))) = 1.
Proof.
  intros Hn Hg. assert (P := INR_positive n Hn).
  assert (M : 0 <= INR n * gamma <= INR n).
  { split; [apply Rmult_le_pos; lra |]. rewrite <- (Rmult_1_r (INR n)) at 2. apply Rmult_le_compat_l; lra. }
  destruct (natural_part (INR n * gamma / 2)) as [k K]; [lra |].
  assert (N : (k <= n)%nat) by (apply INR_le; lra).
  exists (with_ones n k), k. rewrite with_ones_length, with_ones_sum by exact N.
  split; [reflexivity | split; [reflexivity | split; [exact K | split]]].
  - apply Rmult_lt_reg_r with (INR n); [exact P |].
    replace ((gamma / 2 - 1 / INR n) * INR n) with (INR n * gamma / 2 - 1) by (field; lra).
    replace (INR k / INR n * INR n) with (INR k) by (field; lra). lra.
  - apply (zsum_certain n); [exact Hg | apply with_ones_length, N |]. intros w. rewrite with_ones_sum.
    apply Rleb_true. eapply Rle_trans; [| apply (error_at_least n gamma k w Hn)].
    rewrite Rmin_left by lra. apply Rle_refl.
Qed.

(** ** Close to the mean *)

(** If the true sum is (1 - t) mu, the error is (1 - t) gamma but with probability e^(-t^2 mu/2). *)
Theorem zsum_gamma_term_near_the_mean (n : nat) (gamma t : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= t <= 1 -> length xs = n ->
  INR (ones xs) = (1 - t) * (INR n * gamma) ->
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => if Req_EM_T (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n)) ((1 - t) * gamma)
              then false else true)
  <= exp (- (t ^ 2 / 2 * (INR n * gamma))).
Proof.
  intros Hn Hg Ht L K. assert (P := INR_positive n Hn). rewrite (zsum_probability n gamma xs _ L).
  apply Rle_trans with (Pr (flips n gamma) (fun w => Nat.ltb w (ones xs))).
  - apply Pr_le; [apply proper_flips, Hg |]. intros w. destruct (Req_EM_T _ _) as [_ | E]; [discriminate |].
    intros _. apply Nat.ltb_lt, Nat.nle_gt. intros H. apply E.
    fold (zsum_error n gamma (ones xs) (repeat tt (n + ones xs - w))).
    rewrite zsum_error_zero, K by assumption. field. lra.
  - destruct (Rle_lt_or_eq_dec t 1 (proj2 Ht)) as [H | ->].
    + eapply Rle_trans; [| apply (chernoff_lower n gamma t Hg (conj (proj1 Ht) H))].
      apply Pr_le; [apply proper_flips, Hg |]. intros w W. apply Nat.ltb_lt, lt_INR in W.
      apply Rleb_true. lra.
    + assert (Z : ones xs = 0%nat) by (apply INR_eq; simpl; lra).
      rewrite (Pr_ext _ _ (fun _ => false)) by (intros w; rewrite Z; reflexivity).
      apply Rle_trans with 0; [| left; apply exp_pos]. right. unfold Pr, mean.
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros wa _. unfold indicator. ring.
Qed.

(** ** No constant serves for ln(1/delta) *)

(** e^(-0.02) >= 0.98, and 0.98^34 >= 1/2. *)
Lemma ln_2_above : 68 / 100 <= ln 2.
Proof.
  assert (E : exp (- (68 / 100)) = exp (- (2 / 100)) ^ 34).
  { rewrite exp_power. f_equal. rewrite INR_IZR_INZ. simpl. lra. }
  assert (B : (98 / 100) ^ 34 <= exp (- (2 / 100)) ^ 34)
    by (apply pow_incr; assert (X := exp_ineq1_le (- (2 / 100))); lra).
  assert (H : exp (68 / 100) <= 2).
  { rewrite <- (Rinv_inv 2), <- (Ropp_involutive (68 / 100)), exp_Ropp, E.
    apply Rinv_le_contravar; lra. }
  rewrite <- (ln_exp (68 / 100)). apply ln_monotone; [apply exp_pos | exact H].
Qed.

(** On every data set with floor(mu/2) ones the error exceeds C ln(1/delta)/(eps^2 n) with certainty, if
    C ln(1/delta) <= 16. *)
Theorem zsum_accuracy_order_every_data_set (n : nat) (eps delta C : R) (xs : list bool) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> C * ln (1 / delta) <= 16 ->
  let gamma := zsum_gamma n eps delta in
  length xs = n -> INR (ones xs) <= INR n * gamma / 2 < INR (ones xs) + 1 ->
  Pr (messages (zsum_randomizer gamma) xs)
     (fun y => Rltb (C * ln (1 / delta) / (eps ^ 2 * INR n))
                    (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) = 1.
Proof.
  intros He Hd H HC gamma L K. assert (He' := proj1 He).
  destruct (zsum_least_n n eps delta He' Hd H) as [Hn _]. assert (P := INR_positive n Hn).
  assert (G := zsum_gamma_range n eps delta He' Hd H). fold gamma in G.
  assert (M := zsum_gamma_mean n eps delta Hn He'). fold gamma in M.
  apply (zsum_certain n); [lra | exact L |]. intros w. apply Rltb_true.
  eapply Rlt_le_trans; [| exact (error_at_least n gamma (ones xs) w Hn)].
  rewrite Rmin_left by lra.
  assert (V : 0 < eps ^ 2 <= 1) by (split; [apply pow_lt | rewrite <- (pow1 2); apply pow_incr]; lra).
  apply Rmult_lt_reg_r with (eps ^ 2 * INR n); [apply Rmult_lt_0_compat; lra |].
  replace (C * ln (1 / delta) / (eps ^ 2 * INR n) * (eps ^ 2 * INR n)) with (C * ln (1 / delta))
    by (field; lra).
  replace (INR (ones xs) / INR n * (eps ^ 2 * INR n)) with (INR (ones xs) * eps ^ 2) by (field; lra).
  assert (D : 68 / 100 < ln (2 / delta)).
  { apply Rle_lt_trans with (ln 2); [apply ln_2_above | apply ln_increasing; [lra |]].
    apply Rmult_lt_reg_r with delta; [lra |]. replace (2 / delta * delta) with 2 by (field; lra). lra. }
  assert (Q : (INR n * gamma / 2 - 1) * eps ^ 2 < INR (ones xs) * eps ^ 2) by (apply Rmult_lt_compat_r; lra).
  lra.
Qed.

(** There is such a data set. *)
Theorem zsum_accuracy_order_every_constant (n : nat) (eps delta C : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> C * ln (1 / delta) <= 16 ->
  let gamma := zsum_gamma n eps delta in
  exists xs, length xs = n
  /\ Pr (messages (zsum_randomizer gamma) xs)
       (fun y => Rltb (C * ln (1 / delta) / (eps ^ 2 * INR n))
                      (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) = 1.
Proof.
  intros He Hd H HC gamma. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H).
  destruct (zsum_gamma_term_half n gamma Hn) as [xs [k [L [<- [K _]]]]]; [unfold gamma; lra |].
  exists xs. split; [exact L |]. apply (zsum_accuracy_order_every_data_set n eps delta C xs); assumption.
Qed.

(** No constant in the printed order is right: with eps = 1 and delta = exp (- 16 / (1 + Rabs C)) an error that should
    have a probability of at most beta < 1 has the probability 1. *)
Theorem zsum_accuracy_order_printed_fails :
  ~ (exists C : R, forall (n : nat) (eps delta beta : R) (xs : list bool),
     0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
     delta ^ 25 < beta ->
     let gamma := zsum_gamma n eps delta in
     Pr (messages (zsum_randomizer gamma) xs)
       (fun y => Rltb (C * ln (1 / delta) / (eps ^ 2 * INR n))
                      (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) <= beta).
Proof.
  intros [C H]. assert (A := Rle_abs C). assert (B := Rabs_pos C).
  set (t := 16 / (1 + Rabs C)). assert (T : 0 < t) by (apply Rdiv_lt_0_compat; lra).
  set (delta := exp (- t)).
  assert (D : 0 < delta < 1) by (split; [apply exp_pos | rewrite <- exp_0; apply exp_increasing; lra]).
  assert (L : C * ln (1 / delta) <= 16).
  { unfold delta. rewrite exp_Ropp. replace (1 / / exp t) with (exp t) by (field; apply Rgt_not_eq, exp_pos).
    rewrite ln_exp. unfold t. apply Rmult_le_reg_r with (1 + Rabs C); [lra |]. field_simplify; lra. }
  assert (G : 0 <= 100 * ln (2 / delta) / 1 ^ 2).
  { replace (100 * ln (2 / delta) / 1 ^ 2) with (100 * ln (2 / delta)) by field.
    apply Rmult_le_pos; [lra |]. rewrite <- ln_1. apply ln_monotone; [lra |].
    apply Rmult_le_reg_r with delta; [lra |]. replace (2 / delta * delta) with 2 by (field; lra). lra. }
  destruct (natural_part _ G) as [k [_ K]]. rewrite <- S_INR in K.
  assert (U : delta ^ 25 < 1) by (apply pow_lt_1_compat; [lra | lia]).
  destruct (zsum_accuracy_order_every_constant (S k) 1 delta C ltac:(lra) D (Rlt_le _ _ K) L) as [xs [X E]].
  specialize (H (S k) 1 delta ((delta ^ 25 + 1) / 2) xs ltac:(lra) D (Rlt_le _ _ K) X ltac:(lra)).
  cbv zeta in H, E. rewrite E in H. lra.
Qed.

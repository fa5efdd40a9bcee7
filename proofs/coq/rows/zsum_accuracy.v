(** The rows of proofs/zsum_accuracy.py, each as a proposition, and that it holds. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals laws privacy binomial chernoff zsum zsum_accuracy deviation_root.
From Exactdp Require Import zsum_accuracy_theorem zsum_gamma_term.
Open Scope R_scope.

Definition row_zsum_error_lemma : Prop :=
  (forall n k w gamma h : R, 0 < n -> 0 <= gamma -> 0 <= k -> 0 <= w -> 0 <= h ->
   let estimate := if Rlt_dec w k then gamma + (k - w) / n else 0 in
   (1 + h) * gamma < Rabs (estimate - k / n) -> (1 + h) * (n * gamma) < w /\ (1 + h) * (n * gamma) < k) /\
  (forall (n k w : nat) (gamma : R), (1 <= n)%nat ->
   let estimate := if Rlt_dec (INR w) (INR k) then gamma + (INR k - INR w) / INR n else 0 in
   zsum_estimate n gamma (repeat tt (n + k - w)) = estimate).

Theorem row_zsum_error_lemma_holds : row_zsum_error_lemma.
Proof.
  split; [exact zsum_error_real |]. intros n k w gamma Hn estimate. unfold estimate.
  destruct (Rlt_dec (INR w) (INR k)) as [L | L].
  - apply zsum_estimate_above; [exact Hn | apply INR_lt, L].
  - apply zsum_estimate_few; [exact Hn |]. rewrite repeat_length.
    assert (k <= w)%nat by (apply Nat.nlt_ge; intros X; apply L, lt_INR, X). lia.
Qed.

Definition row_zsum_upper_tail : Prop :=
  forall (n : nat) (gamma h : R), (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h ->
  let mu := INR n * gamma in
  Pr (flips n gamma) (fun w => Rleb ((1 + h) * mu) (INR w)) <= exp (- (h ^ 2 / (2 + h) * mu)).

Theorem row_zsum_upper_tail_holds : row_zsum_upper_tail.
Proof. intros n gamma h _. apply chernoff_upper. Qed.

Definition row_zsum_accuracy : Prop :=
  forall (n : nat) (eps delta : R) (xs : list bool),
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  let mean := INR (ones xs) / INR n in
  Pr (messages (zsum_randomizer gamma) xs) (fun y => Rltb alpha (Rabs (zsum_estimate n gamma y - mean)))
    <= (delta / 2) ^ 25
  /\ (delta / 2) ^ 25 < delta ^ 25
  /\ alpha <= 11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n).

Theorem row_zsum_accuracy_holds : row_zsum_accuracy.
Proof. exact zsum_accuracy. Qed.

Definition row_zsum_accuracy_every_beta : Prop :=
  forall (n : nat) (gamma beta : R), (1 <= n)%nat -> 0 < gamma <= 1 -> 0 < beta < 1 ->
  let L := ln (1 / beta) / (INR n * gamma) in
  exists h, 0 <= h /\ h ^ 2 = L * (2 + h) /\ (forall g, 0 <= g -> g ^ 2 = L * (2 + g) -> g = h) /\
  forall xs, length xs = n ->
  let mean := INR (ones xs) / INR n in
  Pr (messages (zsum_randomizer gamma) xs)
     (fun y => Rltb (gamma * (1 + h)) (Rabs (zsum_estimate n gamma y - mean))) <= beta.

Theorem row_zsum_accuracy_every_beta_holds : row_zsum_accuracy_every_beta.
Proof.
  intros n gamma beta Hn Hg Hb L. assert (HL : 0 <= L).
  { unfold L. left. apply Rdiv_lt_0_compat.
    - apply ln_positive, Rmult_lt_reg_r with beta; [lra |].
      replace (1 / beta * beta) with 1 by (field; lra). lra.
    - apply Rmult_lt_0_compat; [apply INR_positive, Hn | lra]. }
  destruct (deviation_root_unique L HL) as [h [[H0 H1] U]]. exists h. repeat split; try assumption.
  - intros g G0 G1. symmetry. apply U. split; assumption.
  - intros xs X mean. apply (zsum_accuracy_at_root n gamma beta h xs); assumption.
Qed.

Definition row_zsum_accuracy_root : Prop :=
  (forall eps L h : R, 0 < eps <= 1 -> 0 <= L <= eps ^ 2 / 2 ->
   0 <= h -> h ^ 2 = L * (2 + h) -> h <= 12808 / 10000 * eps) /\
  (forall (n : nat) (eps delta beta : R),
   0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> delta ^ 25 <= beta < 1 ->
   let mu := INR n * (50 * ln (2 / delta) / (eps ^ 2 * INR n)) in
   0 <= ln (1 / beta) / mu <= eps ^ 2 / 2).

Theorem row_zsum_accuracy_root_holds : row_zsum_accuracy_root.
Proof.
  split; [exact deviation_root_bound |]. intros n eps delta beta He Hd Hn Hb mu.
  apply (rate_of_beta n eps delta beta); lra || assumption.
Qed.

Definition row_zsum_gamma_term : Prop :=
  forall (n k : nat) (gamma : R), (1 <= n)%nat -> 0 <= gamma <= 1 ->
  INR k <= INR n * gamma / 2 < INR k + 1 ->
  let error (y : list unit) := Rabs (zsum_estimate n gamma y - INR k / INR n) in
  gamma / 2 - 1 / INR n < INR k / INR n /\
  (exists xs, length xs = n /\ ones xs = k) /\
  (forall xs, length xs = n -> ones xs = k ->
   Pr (messages (zsum_randomizer gamma) xs) (fun y => Rleb (INR k / INR n) (error y)) = 1) /\
  (forall xs alpha beta, length xs = n -> ones xs = k -> alpha < INR k / INR n -> beta < 1 ->
   beta < Pr (messages (zsum_randomizer gamma) xs) (fun y => Rltb alpha (error y))).

Theorem row_zsum_gamma_term_holds : row_zsum_gamma_term.
Proof.
  intros n k gamma Hn Hg K error. assert (P := INR_positive n Hn).
  assert (M : INR n * gamma <= INR n).
  { rewrite <- (Rmult_1_r (INR n)) at 2. apply Rmult_le_compat_l; lra. }
  assert (C : forall xs, length xs = n -> ones xs = k ->
    Pr (messages (zsum_randomizer gamma) xs) (fun y => Rleb (INR k / INR n) (error y)) = 1).
  { intros xs L <-. assert (T := zsum_gamma_term n gamma xs Hn Hg L).
    rewrite Rmin_left in T by lra. exact T. }
  split; [| split; [| split; [exact C |]]].
  - apply Rmult_lt_reg_r with (INR n); [exact P |].
    replace ((gamma / 2 - 1 / INR n) * INR n) with (INR n * gamma / 2 - 1) by (field; lra).
    replace (INR k / INR n * INR n) with (INR k) by (field; lra). lra.
  - assert (N : (k <= n)%nat) by (apply INR_le; assert (Q := pos_INR k); lra).
    exists (with_ones n k). split; [apply with_ones_length, N | apply with_ones_sum].
  - intros xs alpha beta L S A B. eapply Rlt_le_trans; [exact B |]. rewrite <- (C xs L S).
    apply Pr_le; [apply proper_messages; intros; apply proper_zsum_randomizer, Hg |].
    intros y H. apply Rleb_true in H. apply Rltb_true. lra.
Qed.

Definition row_zsum_gamma_term_near_the_mean : Prop :=
  forall (n : nat) (gamma t : R) (xs : list bool),
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= t <= 1 -> length xs = n ->
  INR (ones xs) = (1 - t) * (INR n * gamma) ->
  let mean := INR (ones xs) / INR n in
  Pr (messages (zsum_randomizer gamma) xs)
     (fun y => if Req_EM_T (Rabs (zsum_estimate n gamma y - mean)) ((1 - t) * gamma) then false else true)
  <= exp (- (t ^ 2 / 2 * (INR n * gamma))).

Theorem row_zsum_gamma_term_near_the_mean_holds : row_zsum_gamma_term_near_the_mean.
Proof. exact zsum_gamma_term_near_the_mean. Qed.

Definition row_zsum_accuracy_order_printed : Prop :=
  ~ (exists C : R, forall (n : nat) (eps delta beta : R) (xs : list bool),
     0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
     delta ^ 25 < beta ->
     let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
     let alpha := C * ln (1 / delta) / (eps ^ 2 * INR n) in
     let mean := INR (ones xs) / INR n in
     Pr (messages (zsum_randomizer gamma) xs) (fun y => Rltb alpha (Rabs (zsum_estimate n gamma y - mean)))
     <= beta).

Theorem row_zsum_accuracy_order_printed_holds : row_zsum_accuracy_order_printed.
Proof. exact zsum_accuracy_order_printed_fails. Qed.

Definition row_zsum_accuracy_order_every_constant : Prop :=
  forall (n k : nat) (eps delta C : R),
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  0 < C -> C * ln (1 / delta) <= 16 ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  let alpha := C * ln (1 / delta) / (eps ^ 2 * INR n) in
  INR k <= INR n * gamma / 2 < INR k + 1 ->
  (exists xs, length xs = n /\ ones xs = k) /\
  forall xs, length xs = n -> ones xs = k ->
  Pr (messages (zsum_randomizer gamma) xs)
     (fun y => Rltb alpha (Rabs (zsum_estimate n gamma y - INR k / INR n))) = 1.

Theorem row_zsum_accuracy_order_every_constant_holds : row_zsum_accuracy_order_every_constant.
Proof.
  intros n k eps delta C He Hd Hn HC HC16 gamma alpha K.
  destruct (zsum_least_n n eps delta (proj1 He) Hd Hn) as [N _].
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd Hn).
  change (zsum_gamma n eps delta) with gamma in G.
  split; [apply (row_zsum_gamma_term_holds n k gamma N ltac:(lra) K) |].
  intros xs L <-. apply (zsum_accuracy_order_every_data_set n eps delta C xs); assumption.
Qed.

Definition row_zsum_accuracy_order : Prop :=
  forall (n : nat) (eps delta : R),
  0 < eps <= 1 -> 0 < delta <= 1 / 2 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  gamma * (1 + 12808 / 10000 * eps) <= 22808 / 100 * ln (1 / delta) / (eps ^ 2 * INR n).

Theorem row_zsum_accuracy_order_holds : row_zsum_accuracy_order.
Proof. exact zsum_accuracy_order. Qed.

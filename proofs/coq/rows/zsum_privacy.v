(** The rows of proofs/zsum_privacy.py, each as a proposition, and that it holds. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals laws privacy smooth binomial zsum zsum_sqrt5 zsum_sqrt_digits zsum_privacy.
From Exactdp Require Import zsum_steps zsum_ends zsum_accuracy_theorem.
Open Scope R_scope.

Definition row_zsum_privacy : Prop :=
  forall (n : nat) (eps delta : R),
  0 < eps <= 1 -> 0 < delta <= 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  shuffle_dp n (zsum_randomizer gamma) eps delta.

Theorem row_zsum_privacy_holds : row_zsum_privacy.
Proof. intros n eps delta. apply zsum_privacy. Qed.

Definition row_zsum_privacy_refined : Prop :=
  forall (n : nat) (gamma eps delta : R),
  0 < eps -> 0 < delta <= 1 -> INR n * gamma = 10 * (1 / tanh (eps / 2)) ^ 2 * ln (2 / delta) ->
  2 * (INR n * gamma) <= INR n ->
  shuffle_dp n (zsum_randomizer gamma) eps delta.

Theorem row_zsum_privacy_refined_holds : row_zsum_privacy_refined.
Proof.
  intros n gamma eps delta He Hd Hm Hn. destruct (tanh_half_range eps He) as [T _].
  assert (L := log_level delta Hd). assert (T2 : 0 < tanh (eps / 2) ^ 2) by (apply pow_lt, T).
  assert (M : INR n * gamma = 10 * ln (2 / delta) / tanh (eps / 2) ^ 2) by (rewrite Hm; field; lra).
  apply zsum_privacy_refined; [exact He | exact Hd | | rewrite M; apply Rle_refl].
  assert (P : 0 < INR n * gamma) by (rewrite M; apply Rdiv_lt_0_compat; lra).
  apply Rmult_le_reg_l with (INR n); lra.
Qed.

Definition row_zsum_ends : Prop :=
  (forall (n : nat) (gamma delta : R), 0 < delta < 2 ->
   let eps := 0 in gamma * INR n * eps ^ 2 <> 50 * ln (2 / delta)) /\
  (forall (n : nat) (gamma eps delta : R), (1 <= n)%nat -> 0 <= gamma <= 1 ->
   shuffle_dp n (zsum_randomizer gamma) eps delta -> (1 - gamma) ^ n <= delta /\ delta <> 0).

Theorem row_zsum_ends_holds : row_zsum_ends.
Proof.
  split; [exact zsum_eps_zero_gamma |]. intros n gamma eps delta Hn Hg H. split.
  - apply (zsum_delta_least n gamma eps delta Hn H).
  - intros ->. apply (zsum_delta_zero n gamma eps Hn Hg H).
Qed.

Definition row_zsum_one_smooth : Prop :=
  forall (n : nat) (gamma alpha : R),
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> 2 <= alpha * gamma * INR n ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) 1.

Theorem row_zsum_one_smooth_holds : row_zsum_one_smooth.
Proof. exact zsum_one_smooth. Qed.

Definition row_zsum_delta_sum : Prop :=
  forall (n : nat) (gamma alpha : R), (1 <= n)%nat -> 0 < gamma -> 0 < alpha < 1 ->
  exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))
  < 2 * exp (- (alpha ^ 2 * gamma * INR n / 10)).

Theorem row_zsum_delta_sum_holds : row_zsum_delta_sum.
Proof. intros n gamma alpha Hn Hg Ha. apply zsum_delta_sum; assumption. Qed.

Definition row_zsum_sqrt5_criterion_printed : Prop :=
  ~ (forall s : nat, (1 <= s)%nat -> (forall eps : R, 0 < eps <= 1 -> 0 < tanh (eps / 2)) -> (5 <= s)%nat).

Theorem row_zsum_sqrt5_criterion_printed_holds : row_zsum_sqrt5_criterion_printed.
Proof. exact zsum_sqrt5_criterion_printed. Qed.

Definition row_zsum_sqrt4 : Prop := ~ (forall eps : R, 0 < eps <= 1 -> eps / sqrt 4 < tanh (eps / 2)).

Theorem row_zsum_sqrt4_holds : row_zsum_sqrt4.
Proof. intros H. specialize (H 1 ltac:(lra)). assert (L := zsum_sqrt4 4 1 ltac:(lra) ltac:(lra)). lra. Qed.

Definition row_zsum_sqrt5 : Prop :=
  (forall s : nat, (1 <= s)%nat ->
   (forall eps, 0 < eps <= 1 -> eps / sqrt (INR s) <= tanh (eps / 2)) <-> (5 <= s)%nat) /\
  (forall eps, 0 < eps <= 1 -> eps / sqrt 5 < tanh (eps / 2)) /\
  (forall s eps, 0 < s <= 4 -> 0 < eps <= 1 -> ~ eps / sqrt s <= tanh (eps / 2)).

Theorem row_zsum_sqrt5_holds : row_zsum_sqrt5.
Proof.
  assert (Four : forall s eps, 0 < s <= 4 -> 0 < eps <= 1 -> ~ eps / sqrt s <= tanh (eps / 2)).
  { intros s eps Hs He H. assert (L := zsum_sqrt4 s eps Hs (proj1 He)). lra. }
  assert (N4 : INR 4 = 4) by (simpl; ring). assert (N5 : INR 5 = 5) by (simpl; ring).
  split; [| split; [exact zsum_sqrt5 | exact Four]]. intros s Hs. split; intros H.
  - apply Nat.nlt_ge. intros L. apply (Four (INR s) 1); [split | lra | apply H; lra].
    + apply lt_0_INR. lia.
    + rewrite <- N4. apply le_INR. lia.
  - intros eps He. apply Rle_trans with (eps / sqrt 5); [| left; apply zsum_sqrt5, He].
    apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; [apply sqrt_lt_R0; lra |].
    apply sqrt_le_1_alt. rewrite <- N5. apply le_INR, H.
Qed.

Definition row_zsum_sqrt_threshold : Prop :=
  exists least : R, 468269437 / 100000000 < least < 4682694377 / 1000000000 /\
  (forall s, 0 < s -> (forall eps, 0 < eps <= 1 -> eps / sqrt s <= tanh (eps / 2)) <-> least <= s).

Theorem row_zsum_sqrt_threshold_holds : row_zsum_sqrt_threshold.
Proof. exists (1 / tanh (1 / 2) ^ 2). split; [exact zsum_sqrt_digits | exact zsum_sqrt_threshold]. Qed.

Definition row_zsum_sqrt5_reversed_printed : Prop :=
  ~ (forall eps : R, 0 <= eps <= 1 -> tanh (eps / 2) <= eps / sqrt 5).

Theorem row_zsum_sqrt5_reversed_printed_holds : row_zsum_sqrt5_reversed_printed.
Proof. intros H. apply (zsum_sqrt5_reversed_printed 1); [lra |]. apply H. lra. Qed.

Definition row_zsum_sqrt5_direction : Prop := forall eps : R, 0 < eps <= 1 -> eps / sqrt 5 < tanh (eps / 2).

Theorem row_zsum_sqrt5_direction_holds : row_zsum_sqrt5_direction.
Proof. exact zsum_sqrt5. Qed.

Definition row_zsum_delta_level : Prop :=
  forall (n : nat) (gamma alpha eps delta : R),
  0 < eps -> 0 < delta < 2 -> gamma * INR n = 50 * ln (2 / delta) / eps ^ 2 -> eps / sqrt 5 <= alpha ->
  2 * exp (- (alpha ^ 2 * gamma * INR n / 10)) <= 2 * exp (- (eps ^ 2 * gamma * INR n / 50)) /\
  2 * exp (- (eps ^ 2 * gamma * INR n / 50)) = delta.

Theorem row_zsum_delta_level_holds : row_zsum_delta_level.
Proof. exact zsum_delta_level. Qed.

Definition row_zsum_least_users : Prop :=
  forall (n : nat) (eps delta : R), (1 <= n)%nat -> 0 < eps -> 0 < delta < 2 ->
  let gamma := 50 * ln (2 / delta) / (eps ^ 2 * INR n) in
  (100 * ln (2 / delta) / eps ^ 2 <= INR n <-> gamma <= 1 / 2) /\
  INR n * gamma = 50 * ln (2 / delta) / eps ^ 2.

Theorem row_zsum_least_users_holds : row_zsum_least_users.
Proof.
  intros n eps delta Hn He Hd gamma. assert (E2 := pow_lt eps 2 He). split.
  - symmetry. apply zsum_least_users; assumption.
  - rewrite <- (zsum_gamma_mean n eps delta Hn He). unfold gamma, zsum_gamma. field.
    split; [apply not_0_INR; lia | lra].
Qed.

Definition row_zsum_noise_level : Prop :=
  forall (n : nat) (gamma alpha eps delta : R),
  0 < eps <= 1 -> 0 < delta <= 1 -> gamma * INR n = 50 * ln (2 / delta) / eps ^ 2 -> eps / sqrt 5 <= alpha ->
  10 * sqrt 5 / eps * ln (2 / delta) <= INR n * alpha * gamma /\
  10 * sqrt 5 * ln 2 <= 10 * sqrt 5 / eps * ln (2 / delta) /\
  1549 / 100 < 10 * sqrt 5 * ln 2 /\ 2 <= 1549 / 100.

Theorem row_zsum_noise_level_holds : row_zsum_noise_level.
Proof.
  intros n gamma alpha eps delta He Hd Hg Ha.
  destruct (zsum_noise_level n gamma alpha eps delta He Hd Hg Ha) as [A [B D]].
  repeat split; lra || assumption.
Qed.

Definition row_zsum_one_step_needs : Prop :=
  forall (n : nat) (gamma alpha : R), (1 <= n)%nat -> 0 < gamma -> 0 < alpha < 1 ->
  (1 <= alpha * gamma * INR n / 2 <-> 2 <= INR n * alpha * gamma) /\
  (INR n * alpha * gamma < 2 ->
   1 < exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))).

Theorem row_zsum_one_step_needs_holds : row_zsum_one_step_needs.
Proof.
  intros n gamma alpha Hn Hg Ha. replace (INR n * alpha * gamma) with (alpha * gamma * INR n) by ring.
  apply zsum_one_step_needs; assumption.
Qed.

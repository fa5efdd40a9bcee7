(** The rows of proofs/dropped_counts.py that the kernel has: sample-and-threshold. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy bits sample_and_threshold one_report dropped_counts.
From Exactdp Require Import binary_sums equal_error masses waiting_times.
Import ListNotations.
Open Scope R_scope.

(* xs has one holder more than ys: he was added, or replaces one who holds nothing. *)
Definition row_sample_threshold_refined : Prop :=
  forall (eps a : R) (tau : nat), 0 < eps -> 0 < a < 1 -> (1 <= tau)%nat ->
  let q := a * (1 - exp (- eps)) in
  let rho := 1 - (1 - q) * exp (- eps) in
  let KL := rho * ln (rho / q) + (1 - rho) * ln ((1 - rho) / (1 - q)) in
  let delta := exp (- INR tau * (KL / rho)) in
  (forall xs ys : list bool, ones xs = S (ones ys) ->
    below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
    below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta) /\
  delta <= exp (- INR tau * (ln (1 / a) - 1 + a)).

Theorem row_sample_threshold_refined_holds : row_sample_threshold_refined.
Proof.
  intros eps a tau He Ha _ q rho KL delta. split.
  - intros xs ys O. exact (dropped_counts_private eps a tau xs ys He Ha O).
  - apply (proj1 (dropped_counts_simpler eps a tau He Ha)).
Qed.

Definition row_sample_threshold_published : Prop :=
  forall (eps a : R) (tau : nat), 0 < eps -> 0 < a < 1 -> (1 <= tau)%nat ->
  let q := a * (1 - exp (- eps)) in
  let delta := exp (- INR tau * (ln (1 / a) - 1 / (1 + a))) in
  forall xs ys : list bool, ones xs = S (ones ys) ->
  below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
  below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta.

Theorem row_sample_threshold_published_holds : row_sample_threshold_published.
Proof.
  intros eps a tau He Ha _ q delta xs ys O.
  destruct (dropped_counts_private eps a tau xs ys He Ha O) as [A B].
  destruct (dropped_counts_simpler eps a tau He Ha) as [C D].
  split; intros T; [specialize (A T) | specialize (B T)]; unfold delta, q in *; lra.
Qed.

(* C is the binomial coefficient. The noise is below an event's bound if every finite set of outcomes is. *)
Definition row_sample_threshold_waiting_time : Prop :=
  forall (q : R) (tau : nat) (eps delta : R), 0 < q <= 1 -> (1 <= tau)%nat -> 0 <= eps ->
  let W (t : nat) := C (tau + t - 1) t * q ^ tau * (1 - q) ^ t in
  let shown (c z : Z) := if Z.ltb (z - c) 0 then 0 else W (Z.to_nat (z - c)) in
  (forall xs ys : list bool, ones xs = S (ones ys) ->
    below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
    below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta) <->
  (forall c d, (Z.abs (c - d) <= 1)%Z -> mass_below (shown c) (shown d) (exp eps) delta).

Theorem row_sample_threshold_waiting_time_holds : row_sample_threshold_waiting_time.
Proof. exact waiting_time. Qed.

(* f = lambda/n/2 is the probability of a wrong answer; with tau = 1 the release is the number of reports. *)
Definition row_sampling_one_report : Prop :=
  forall (n : nat) (lambda : R), (1 <= n)%nat -> 0 < lambda < INR n ->
  let f := lambda / INR n / 2 in
  let simulates q := exists K : nat -> dist nat, (forall c, proper (K c)) /\ forall xs, length xs = n ->
    same_law (bind (sample_and_threshold q 1 xs) K) (response_count n lambda xs) in
  (forall q, 0 < q <= 1 -> (simulates q <-> 1 - 2 * f <= q * (1 - f))) /\
  1 - lambda / INR n = 1 - 2 * f /\ ~ simulates (1 - lambda / INR n).

Theorem row_sampling_one_report_holds : row_sampling_one_report.
Proof.
  intros n lambda Hn Hl f simulates. split; [| split].
  - intros q Hq. apply response_from_reports; assumption.
  - unfold f. field. apply not_0_INR. lia.
  - apply response_not_from_sampling; assumption.
Qed.

(* Each bit is replaced by a random one with probability 11/16; the estimates are unbiased but for the threshold. *)
Definition row_sampling_equal_error : Prop :=
  let far estimate (xs : list bool) c := Rltb 16 (Rabs (estimate c - INR (ones xs))) in
  let response_far := far (fun c => (INR c - 40 * (11 / 32)) / (1 - 11 / 16)) in
  let release_far := far (fun c => INR c / (1 / 2)) in
  (forall xs, length xs = 40%nat ->
    Pr (response_count 40 (40 * (11 / 16)) xs) (response_far xs) <= 1 / 10 /\
    Pr (sample_and_threshold (1 / 2) 6 xs) (release_far xs) <= 1 / 10) /\
  (forall tau, (7 <= tau)%nat -> exists xs, length xs = 40%nat /\
    1 / 10 < Pr (sample_and_threshold (1 / 2) tau xs) (release_far xs)) /\
  forall eps, 0 <= eps -> exists d,
  shuffle_dp 40 (one_message (rr_randomizer (40 * (11 / 16)) 40)) eps d /\
  forall delta, dp 40 (sample_and_threshold (1 / 2) 6) eps delta -> d < delta.

Theorem row_sampling_equal_error_holds : row_sampling_equal_error.
Proof.
  unfold row_sampling_equal_error. cbv zeta. destruct equal_errors as [Few [Few' Many]].
  split; [intros xs L; split; [apply Few, L | apply Few', L] |]. split; [exact Many | exact less_given_away].
Qed.

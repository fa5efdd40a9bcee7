(** The rows of proofs/survey.py: private sums in the central, the local and the shuffle model. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits bit_messages randomized_response survey_error.
Import ListNotations.
Open Scope R_scope.

Definition row_survey_local_error : Prop :=
  forall (n : nat) (eps : R) (xs : list bool),
  0 < eps -> (1 <= n)%nat -> length xs = n ->
  exists g : R, 0 < g < 1 / 2 /\ ln ((1 / 2 + g) / (1 / 2 - g)) = eps /\
  let answers := messages (one_message (survey_randomizer g)) xs in
  let of_sum := sqrt (mean answers (fun y => (survey_estimate g n y - INR (ones xs)) ^ 2)) in
  let of_mean :=
    sqrt (mean answers (fun y => (survey_estimate g n y / INR n - INR (ones xs) / INR n) ^ 2)) in
  of_sum <= sqrt (INR n) / eps /\ of_mean <= 1 / (eps * sqrt (INR n)) /\
  (eps <= 1 -> 20 / 21 * (sqrt (INR n) / eps) <= of_sum /\ 20 / 21 * (1 / (eps * sqrt (INR n))) <= of_mean).

Theorem row_survey_local_error_holds : row_survey_local_error.
Proof.
  intros n eps xs He Hn L. exists (survey_advantage eps). split.
  - apply survey_advantage_range, He.
  - apply (survey_local_error n eps xs He Hn L).
Qed.

Definition row_survey_privacy : Prop :=
  forall (n : nat) (g eps : R),
  (1 <= n)%nat -> 0 < g < 1 / 2 ->
  (local_dp (survey_randomizer g) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps) /\
  (shuffle_dp n (one_message (survey_randomizer g)) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps).

Theorem row_survey_privacy_holds : row_survey_privacy.
Proof.
  intros n g eps Hn Hg. split; [apply survey_privacy_local | apply survey_privacy]; assumption.
Qed.

Definition row_survey_unbiased_printed : Prop := ~ (
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (INR (ones y) - INR n / 2 - g * INR n) / (2 * g)) = INR (ones xs)).

Theorem row_survey_unbiased_printed_holds : row_survey_unbiased_printed.
Proof.
  intros H. assert (G : 0 < 1 / 4 < 1 / 2) by lra.
  apply (survey_unbiased_printed 1 (1 / 4) [true] G (le_n 1) eq_refl).
  apply H; [lia | exact G | reflexivity].
Qed.

Definition row_survey_unbiased : Prop :=
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g)) = INR (ones xs).

Theorem row_survey_unbiased_holds : row_survey_unbiased.
Proof. intros n g xs _. apply survey_unbiased. Qed.

Definition row_survey_variance : Prop :=
  forall (n : nat) (g eps : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> eps = ln ((1 / 2 + g) / (1 / 2 - g)) ->
  let answers := messages (one_message (survey_randomizer g)) xs in
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  mean answers (fun y => (estimate y - INR (ones xs)) ^ 2) =
    mean answers (fun y => (estimate y - mean answers estimate) ^ 2) /\
  mean answers (fun y => (estimate y - INR (ones xs)) ^ 2) = INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2) /\
  INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2) = INR n * exp eps / (exp eps - 1) ^ 2.

Theorem row_survey_variance_holds : row_survey_variance.
Proof.
  intros n g eps xs _ Hg L -> answers estimate.
  rewrite (survey_unbiased n g xs Hg L : mean answers estimate = _).
  split; [reflexivity |]. split; [apply (survey_variance n g xs Hg L) |].
  apply survey_variance_by_epsilon, Hg.
Qed.

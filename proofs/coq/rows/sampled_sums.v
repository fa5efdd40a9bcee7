(** The rows of proofs/sampled_sums.py: sampling in place of randomized response, with and without a threshold. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial.
From Exactdp Require Import binary_sums binary_sums_privacy binary_sums_branches binary_sums_accuracy.
From Exactdp Require Import binary_sums_printed sample_and_threshold.
Import ListNotations.
Open Scope R_scope.

Definition row_sampling_without_threshold : Prop :=
  forall (n m : nat) (lambda : R),
  (1 <= n)%nat -> (1 <= m)%nat -> 0 < lambda < INR n ->
  (forall eps delta : R, delta < 1 - lambda / INR n ->
     ~ shuffle_dp m (one_message (sampling_randomizer lambda n)) eps delta) /\
  (forall eps : R, shuffle_dp m (one_message (rr_randomizer lambda n)) eps 0 <->
     ln ((2 * INR n - lambda) / lambda) <= eps).

Theorem row_sampling_without_threshold_holds : row_sampling_without_threshold.
Proof.
  intros n m lambda Hn Hm H. split.
  - intros eps delta Hd. apply sampling_never_private; [exact Hn | exact Hm | lra | exact Hd].
  - intros eps. apply rr_sum_pure; assumption.
Qed.

Definition row_sampling_bracket : Prop :=
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  same_law (dmap ones (messages (one_message (sampling_randomizer lambda n)) xs))
           (flips (ones xs) (1 - lambda / INR n)).

Theorem row_sampling_bracket_holds : row_sampling_bracket.
Proof. intros n lambda xs _ _ _. apply sampling_count. Qed.

Definition row_sampling_equivalence : Prop := ~ (
  exists (n : nat) (lambda q : R) (tau : nat),
  (1 <= n)%nat /\ 0 < lambda < INR n /\ 0 < q <= 1 /\ (1 <= tau <= n)%nat /\
  (exists K : nat -> dist nat, (forall c, proper (K c)) /\ forall xs, length xs = n ->
     same_law (bind (response_count n lambda xs) K) (sample_and_threshold q tau xs)) /\
  (exists K : nat -> dist nat, (forall c, proper (K c)) /\ forall xs, length xs = n ->
     same_law (bind (sample_and_threshold q tau xs) K) (response_count n lambda xs))).

Theorem row_sampling_equivalence_holds : row_sampling_equivalence.
Proof.
  intros [n [lambda [q [tau [Hn [Hl [Hq [Ht [H _]]]]]]]]].
  exact (threshold_not_from_response n lambda q tau Hn Hl Hq Ht H).
Qed.

Definition row_sampling_no_simulation : Prop :=
  forall (n : nat) (lambda q : R) (tau : nat),
  (1 <= n)%nat -> 0 < lambda < INR n -> 0 < q <= 1 -> (1 <= tau <= n)%nat ->
  ~ (exists K : nat -> dist nat, (forall c, proper (K c)) /\ forall xs, length xs = n ->
       same_law (bind (response_count n lambda xs) K) (sample_and_threshold q tau xs)) /\
  ((2 <= tau)%nat ->
   ~ exists K : nat -> dist nat, (forall c, proper (K c)) /\ forall xs, length xs = n ->
       same_law (bind (sample_and_threshold q tau xs) K) (response_count n lambda xs)).

Theorem row_sampling_no_simulation_holds : row_sampling_no_simulation.
Proof.
  intros n lambda q tau Hn Hl Hq Ht. split.
  - apply threshold_not_from_response; assumption.
  - apply response_not_from_threshold; assumption.
Qed.

Definition row_sampling_one_law : Prop := ~ (
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  same_law (dmap ones (messages (one_message (rr_randomizer lambda n)) xs))
           (dmap ones (messages (one_message (sampling_randomizer lambda n)) xs))).

Theorem row_sampling_one_law_holds : row_sampling_one_law.
Proof.
  intros H. assert (L : 0 < 1 / 2 < INR 1) by (simpl; lra).
  apply (sampling_equivalence_printed 1 (1 / 2) [true] (le_n 1) L eq_refl).
  apply H; [lia | exact L | reflexivity].
Qed.

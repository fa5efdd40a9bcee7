(** The rows of the ledger on the local model that the kernel has: what each of them states, and that it holds. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bits local_simulation local_randomized_response local_error.
From Exactdp Require Import local_overlap local_least_error.
Import ListNotations.
Open Scope R_scope.

Definition row_local_randomized_response : Prop :=
  forall (M : Type) (R : bool -> dist M) (eps : Rdefinitions.R),
  (forall x, proper (R x)) -> 0 < eps -> local_dp R eps 0 ->
  exists channel : bool -> dist M, (forall answer, proper (channel answer)) /\
  forall x, same_law (R x) (bind (randomized_response (exp eps) x) channel).
Theorem row_local_randomized_response_holds : row_local_randomized_response.
Proof. intros M R eps HR He P. apply (proj1 (randomized_response_is_all R eps HR He) P). Qed.

Definition row_local_squared_error : Prop :=
  forall (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps,
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) ->
  exists xs, length xs = n /\
  INR n * exp eps / (exp eps + 1) ^ 2 <= mean (bind (in_turns R [] xs) estimate) (fun a => (a - INR (ones xs)) ^ 2).
Theorem row_local_squared_error_holds : row_local_squared_error.
Proof. exact @local_squared_error. Qed.

Definition row_local_error_constant : Prop :=
  forall (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps,
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> 36 * (exp eps + 1) ^ 2 / exp eps <= INR n ->
  exists xs, length xs = n /\
  1 / 6 <= Pr (bind (in_turns R [] xs) estimate)
    (fun a => Rleb (sqrt (INR n * exp eps) / (2 * (exp eps + 1))) (Rabs (a - INR (ones xs)))).
Theorem row_local_error_constant_holds : row_local_error_constant.
Proof. exact @local_error_constant. Qed.

(* The total variation distance of two laws is at most 1 - o if no event is likelier by more than that. *)
Definition row_local_overlapping_sums : Prop :=
  forall (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) eps
    (n first D m : nat) (o : nat -> Rdefinitions.R),
  let answers k := dmap ones (reports (randomized_response (exp eps)) (repeat true k ++ repeat false (n - k))) in
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (1 <= D)%nat -> (first + m * D <= n)%nat ->
  (forall j, (j < m)%nat -> forall T,
    Pr (answers (first + j * D)%nat) T <= Pr (answers (first + S j * D)%nat) T + (1 - o j)) ->
  exists xs, length xs = n /\ (exists j, (j <= m)%nat /\ ones xs = (first + j * D)%nat) /\
  total (seq 0 m) o / INR (S m) <=
  Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (INR D / 2) (Rabs (a - INR (ones xs)))).
Theorem row_local_overlapping_sums_holds : row_local_overlapping_sums.
Proof.
  intros M R estimate eps n first D m o answers HR HE He P HD Fit O.
  apply (local_overlap R estimate eps n first D m o); auto.
  intros j J T. rewrite Rmult_1_l. apply O, J.
Qed.

(* The mean error is that of a protocol on one data set. *)
Definition row_local_least_error : Prop :=
  forall eps : R, 0 < eps ->
  let E := exp eps in
  let t := (4 * E + 2) / (E ^ 3 + 5 * E ^ 2 - E + 1) in
  let private (M : Type) (protocol : (list M -> bool -> dist M) * (list M -> dist R)) :=
    (forall said x, proper (fst protocol said x)) /\ (forall said, proper (snd protocol said)) /\
    (forall said, local_dp (fst protocol said) eps 0) in
  let mean_error (M : Type) (protocol : (list M -> bool -> dist M) * (list M -> dist R)) xs :=
    mean (bind (in_turns (fst protocol) [] xs) (snd protocol)) (fun a => Rabs (a - INR (ones xs))) in
  let is_least (n : nat) (least : R) :=
    (forall (M : Type) protocol, private M protocol ->
      exists xs, length xs = n /\ least <= mean_error M protocol xs) /\
    exists protocol, private bool protocol /\ forall xs, length xs = n -> mean_error bool protocol xs <= least in
  is_least 1%nat (1 / (E + 1)) /\ is_least 2%nat (2 / (E + 1)) /\
  is_least 3%nat ((3 * (E + 1) ^ 2 - 3 * E * (E - 1) * t) / (E + 1) ^ 3).
Theorem row_local_least_error_holds : row_local_least_error.
Proof.
  intros eps He E t private mean_error is_least. destruct (local_least_error eps He) as [One [Two Three]].
  assert (Same : forall n least, least_error eps n least -> is_least n least).
  { intros n least [Below [R [estimate [P H]]]]. split.
    - intros M [R' estimate'] P'. exact (Below M R' estimate' P').
    - exists (R, estimate). split; [exact P | exact H]. }
  split; [apply Same, One |]. split; [apply Same, Two | apply Same, Three].
Qed.

(** The rows of the ledger on the local model that the kernel has: what each of them states, and that it holds. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy bits local_simulation local_randomized_response local_error.
From Exactdp Require Import local_overlap local_least_error histogram histogram_bin_error histogram_accuracy masses.
From Exactdp Require Import geometric_noise stability_histogram local_histogram local_histogram_attained.
From Exactdp Require Import histogram_separation.
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

(* Some bin below d errs by t users or more: [some_bin_errs]. *)
Definition row_histogram_local_lower_bound : Prop :=
  forall (M : Type) (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R)) n d eps,
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (2 <= d)%nat ->
  let K := (exp eps - 1) ^ 2 / exp eps in
  ln (INR d) / K + 256 * K / ln (INR d) <= INR n ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (fun a =>
    existsb (fun v => Rleb (sqrt (INR n * ln (INR d) / K) / 4) (Rabs (a v - INR (count_occ Nat.eq_dec xs v)))) (seq 0 d)).
Theorem row_histogram_local_lower_bound_holds : row_histogram_local_lower_bound.
Proof. exact @local_histogram_constant. Qed.

(* The report has a bit for each bin, and the count of bin v is estimated from the sum of the bits v. *)
Definition row_local_histogram_attained : Prop :=
  forall (eps : R) (d : nat), 0 < eps ->
  let F := exp (eps / 2) in
  let report x := reports (fun j => randomized_response F (Nat.eqb x j)) (seq 0 d) in
  let estimate (said : list (list bool)) v :=
    (INR (ones (map (fun bits => nth v bits false) said)) - INR (length said) / (F + 1)) * ((F + 1) / (F - 1)) in
  let error n beta := (F + 1) / (F - 1) * sqrt (INR n * ln (2 * INR d / beta) / 2) in
  local_dp report eps 0 /\
  (forall n beta xs, (1 <= n)%nat -> (1 <= d)%nat -> 0 < beta <= 1 -> length xs = n ->
    Pr (bind (in_turns (fun _ => report) [] xs) (fun said => ret (estimate said))) (fun a =>
      existsb (fun v => Rleb (error n beta) (Rabs (a v - INR (count_occ Nat.eq_dec xs v)))) (seq 0 d)) <= beta) /\
  forall n, (16 <= d)%nat ->
    error n (1 / 8) <= 4 * (F + 1) ^ 2 / F * (sqrt (INR n * ln (INR d) / ((exp eps - 1) ^ 2 / exp eps)) / 4).
Theorem row_local_histogram_attained_holds : row_local_histogram_attained.
Proof.
  intros eps d He F report estimate error. split; [exact (unary_report_private eps d He) |]. split.
  - exact (local_histogram_attained eps d He).
  - exact (local_histogram_factor eps d He).
Qed.

(* The curator's releases are independent; a bin is released as count + noise where that exceeds h and someone holds it. *)
Definition row_separation : Prop :=
  forall eps delta alpha C : R, 0 < eps <= 1 -> 0 < delta <= 1 -> 0 < alpha < 1 / 4 ->
  let errs n d xs (a : nat -> R) :=
    existsb (fun v => Rltb (alpha * INR n) (Rabs (a v - INR (count_occ Nat.eq_dec xs v)))) (seq 0 d) in
  let releases h xs (P : nat -> Z -> R) := forall j v,
    let c := Z.of_nat (count_occ Nat.eq_dec xs j) in
    mass_of (geometric (exp (- (eps / 2)))) (fun z => (if Z.eqb c 0 then 0 else if Z.ltb h (c + z) then c + z else 0)%Z = v)
      (P j v) in
  exists n0 d0 h, (1 <= n0)%nat /\ (2 <= d0)%nat /\
  (forall n d xs P, (n0 <= n)%nat -> length xs = n -> releases h xs P ->
    law (product_mass (map P (seq 0 d))) /\
    (forall ys Q, neighbors xs ys -> releases h ys Q ->
      forall (T : list Z -> Prop) p q,
      mass_of (product_mass (map P (seq 0 d))) T p -> mass_of (product_mass (map Q (seq 0 d))) T q ->
      p <= exp eps * q + delta) /\
    forall p, mass_of (product_mass (map P (seq 0 d)))
      (some_bad (fun j v => alpha * INR n < IZR (Z.abs (v - Z.of_nat (count_occ Nat.eq_dec xs j)))) (seq 0 d)) p ->
    p <= 1 / 10) /\
  (forall n, (n0 <= n)%nat -> exists gamma, 0 < gamma <= 1 / 2 /\ forall d,
    shuffle_dp n (histogram_randomizer d gamma) eps delta /\
    forall xs, length xs = n ->
    Pr (messages (histogram_randomizer d gamma) xs)
      (fun y => existsb (fun j => Rltb alpha (histogram_error n gamma xs y j)) (seq 0 d)) <= 1 / 10) /\
  (forall d n, (d0 <= d)%nat -> (1 <= n)%nat -> INR n <= C * INR n0 ->
    forall (M : Type) (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R)),
    (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) ->
    (forall said, local_dp (R said) eps 0) ->
    exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
    1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (errs n d xs)).
Theorem row_separation_holds : row_separation.
Proof. intros eps delta alpha C He Hd Ha. exact (separation eps delta alpha C He Hd Ha). Qed.

Definition row_separation_local_words : Prop :=
  forall (M : Type) (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R)) n d,
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) ->
  (forall said, local_dp (R said) 1 0) -> INR d = 2 ^ 100 -> INR n = 120000 ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  11 / 100 <= Pr (bind (in_turns R [] xs) estimate) (fun a =>
    existsb (fun v => Rleb (INR n / 100) (Rabs (a v - INR (count_occ Nat.eq_dec xs v)))) (seq 0 d)).
Theorem row_separation_local_words_holds : row_separation_local_words.
Proof. exact @local_histogram_words. Qed.

(** The rows of proofs/binary_sums.py: binary sums by randomized response. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial.
From Exactdp Require Import binary_sums binary_sums_privacy binary_sums_branches binary_sums_accuracy.
From Exactdp Require Import binary_sums_printed likelihood sample_and_threshold.
Import ListNotations.
Open Scope R_scope.

Definition row_rr_sum_equation : Prop := ~ (
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  Pr (messages (one_message (rr_randomizer lambda n)) xs)
    (fun y => Rltb 0 (Rabs (INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) - INR (ones xs)))) = 0).

Theorem row_rr_sum_equation_holds : row_rr_sum_equation.
Proof.
  intros H. assert (L : 0 < 1 / 2 < INR 1) by (simpl; lra).
  assert (P := rr_sum_equation_printed 1 (1 / 2) [true] (le_n 1) L eq_refl).
  unfold rr_estimate in P. rewrite H in P; [lra | lia | lra | reflexivity].
Qed.

Definition row_rr_sum_unbiased : Prop :=
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  mean (messages (one_message (rr_randomizer lambda n)) xs)
    (fun y => INR n / (INR n - lambda) * (INR (ones y) - lambda / 2)) = INR (ones xs).

Theorem row_rr_sum_unbiased_holds : row_rr_sum_unbiased.
Proof. exact rr_sum_unbiased. Qed.

Definition row_rr_sum_variance : Prop :=
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  let answers := messages (one_message (rr_randomizer lambda n)) xs in
  let estimate y := INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) in
  mean answers (fun y => (estimate y - mean answers estimate) ^ 2) =
  (INR n / (INR n - lambda)) ^ 2 * (lambda / 2) * (1 - lambda / (2 * INR n)).

Theorem row_rr_sum_variance_holds : row_rr_sum_variance.
Proof.
  intros n lambda xs Hn H L answers estimate. assert (0 < INR n) by (apply lt_0_INR; lia).
  rewrite (rr_sum_unbiased n lambda xs Hn H L : mean answers estimate = _).
  assert (V := rr_sum_variance n lambda xs Hn H L). cbv zeta in V.
  etransitivity; [exact V | field; lra].
Qed.

Definition row_rr_sum_range : Prop :=
  forall (n : nat) (lambda : R) (xs : list bool),
  (1 <= n)%nat -> 0 < lambda < INR n -> length xs = n ->
  let answers := messages (one_message (rr_randomizer lambda n)) xs in
  let estimate y := INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) in
  0 < Pr answers (fun y => Rltb (estimate y) 0) /\ 0 < Pr answers (fun y => Rltb (INR n) (estimate y)).

Theorem row_rr_sum_range_holds : row_rr_sum_range.
Proof. exact rr_sum_leaves_range. Qed.

(* y are the answers. Of n bits that are drawn alike, of bits that are drawn alike and then sent by randomized response,
   and of fixed bits that are sent so. *)
Definition row_rr_sum_likelihood : Prop :=
  forall (lambda : R) (y : list bool),
  let n := length y in
  (1 <= n)%nat -> 0 < lambda < INR n ->
  let is_y := fun z => if list_eq_dec bool_dec z y then true else false in
  let alike d := messages (one_message (fun _ : unit => d)) (repeat tt n) in
  let estimate := INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) in
  (forall q, 0 <= q <= 1 -> Pr (alike (coin q)) is_y <= Pr (alike (coin (INR (ones y) / INR n))) is_y) /\
  (let sent theta := bind (coin theta) (rr_randomizer lambda n) in
   forall theta, 0 <= theta <= 1 ->
   Pr (alike (sent theta)) is_y <= Pr (alike (sent (Rmax 0 (Rmin 1 (estimate / INR n))))) is_y) /\
  (let answers := messages (one_message (rr_randomizer lambda n)) in
   forall xs, length xs = n -> xs <> y -> Pr (answers xs) is_y < Pr (answers y) is_y) /\
  (estimate = INR (ones y) -> INR (ones y) = INR n / 2).

Theorem row_rr_sum_likelihood_holds : row_rr_sum_likelihood.
Proof.
  intros lambda y n Hn H is_y alike estimate. split; [| split; [| split]].
  - intros q. apply share_most_likely, Hn.
  - intros sent theta. apply (rr_sum_most_likely y lambda theta Hn H).
  - intros answers xs L. apply (rr_sum_most_likely_bits y xs lambda Hn H L).
  - apply (rr_sum_most_likely_bits y y lambda Hn H eq_refl).
Qed.

Definition row_rr_sum_accuracy : Prop :=
  forall (n : nat) (lambda beta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < beta < 1 -> 8 / 9 * ln (2 / beta) <= lambda < INR n -> length xs = n ->
  let estimate y := INR n / (INR n - lambda) * (INR (ones y) - lambda / 2) in
  let bound := INR n / (INR n - lambda) * sqrt (2 * lambda * ln (2 / beta)) in
  1 - beta <= Pr (messages (one_message (rr_randomizer lambda n)) xs)
                (fun y => Rleb (Rabs (estimate y - INR (ones xs))) bound).

Theorem row_rr_sum_accuracy_holds : row_rr_sum_accuracy.
Proof. exact rr_sum_accuracy. Qed.

Definition row_rr_sum_privacy : Prop :=
  forall (n : nat) (eps lambda : R),
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n ->
  let x := 1 - lambda / INR n in
  let t := tanh (eps / 2) / x in
  let delta := 2 * x * exp (2 * t) * exp (- ((INR n - 1) * (1 - x) * (1 - exp (- (t ^ 2 / 2))))) in
  (1 <= t -> shuffle_dp n (one_message (rr_randomizer lambda n)) eps 0) /\
  (t < 1 -> shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta).

Theorem row_rr_sum_privacy_holds : row_rr_sum_privacy.
Proof.
  intros n eps lambda Hn He Hl x t delta. destruct (rr_sum_privacy n eps lambda Hn He Hl) as [A B].
  split; [exact A | intros _; exact B].
Qed.

Definition row_rr_sum_privacy_plain : Prop :=
  forall (n : nat) (eps lambda : R),
  (1 <= n)%nat -> 0 < eps -> 0 <= lambda < INR n ->
  let alpha := tanh (eps / 2) in
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps
    (2 * (1 - lambda / INR n) * exp (2 * alpha) *
     exp (- (lambda * ((INR n - 1) / INR n) * (1 - exp (- (alpha ^ 2 / 2)))))).

Theorem row_rr_sum_privacy_plain_holds : row_rr_sum_privacy_plain.
Proof.
  intros n eps lambda Hn He Hl alpha. assert (0 < INR n) by (apply lt_0_INR; lia).
  assert (P := rr_sum_privacy_plain n eps lambda Hn He Hl). cbv zeta in P. fold alpha in P.
  replace (lambda * ((INR n - 1) / INR n)) with ((INR n - 1) * (1 - (1 - lambda / INR n))) by (field; lra).
  exact P.
Qed.

Definition row_rr_sum_first_branch : Prop :=
  forall (n : nat) (eps delta lambda : R),
  0 < eps <= 1 -> 0 < delta < 1 -> 64 * ln (4 / delta) / eps ^ 2 <= lambda <= INR n / 3 ->
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.

Theorem row_rr_sum_first_branch_holds : row_rr_sum_first_branch.
Proof. exact rr_sum_first_branch. Qed.

Definition row_rr_sum_second_branch : Prop :=
  forall (n : nat) (eps delta : R),
  (1 <= n)%nat -> 0 < delta < 1 -> 0 < eps <= Rmin 1 (sqrt (192 * ln (4 / delta) / INR n)) ->
  let lambda := INR n - eps * (INR n * sqrt (INR n)) / sqrt (432 * ln (4 / delta)) in
  shuffle_dp n (one_message (rr_randomizer lambda n)) eps delta.

Theorem row_rr_sum_second_branch_holds : row_rr_sum_second_branch.
Proof.
  intros n eps delta Hn Hd [He H]. assert (A := Rmin_l 1 (sqrt (192 * ln (4 / delta) / INR n))).
  assert (B := Rmin_r 1 (sqrt (192 * ln (4 / delta) / INR n))).
  apply (rr_sum_second_branch n eps delta Hn); [lra | exact Hd | lra].
Qed.

(** The rows of proofs/hoeffding.py: Hoeffding's inequality, for randomized response. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages hoeffding randomized_response.
Import ListNotations.
Open Scope R_scope.

Definition row_hoeffding_lemma : Prop :=
  forall p s : R, 0 <= p <= 1 -> 1 - p + p * exp s <= exp (p * s + s ^ 2 / 8).

Theorem row_hoeffding_lemma_holds : row_hoeffding_lemma.
Proof. exact hoeffding_lemma. Qed.

Definition row_hoeffding_inequality : Prop :=
  forall (X : Type) (send : X -> dist bool) (xs : list X) (u : R),
  (forall x, proper (send x)) -> (1 <= length xs)%nat -> 0 < u ->
  let sums := messages (one_message send) xs in
  let m := mean sums (fun y => INR (ones y)) in
  Pr sums (fun y => Rleb u (INR (ones y) - m)) <= exp (- (2 * u ^ 2 / INR (length xs))) /\
  Pr sums (fun y => Rleb (INR (ones y) - m) (- u)) <= exp (- (2 * u ^ 2 / INR (length xs))).

Theorem row_hoeffding_inequality_holds : row_hoeffding_inequality.
Proof.
  intros X send xs u P N U sums m. assert (E : m = total xs (fun x => chance (send x))) by (apply mean_ones, P).
  assert (W : proper sums) by (apply proper_messages; intros; apply proper_one_message, P).
  split; (eapply Rle_trans; [apply Pr_le with (1 := W) |]).
  2: apply (hoeffding_inequality_upper send xs u P N (Rlt_le _ _ U)).
  3: apply (hoeffding_inequality_lower send xs u P N (Rlt_le _ _ U)).
  all: intros y; rewrite !Rleb_true, E; lra.
Qed.

Definition row_hoeffding_bound : Prop :=
  forall (n : nat) (g t : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < t ->
  let answers := messages (one_message (survey_randomizer g)) xs in
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  Pr answers (fun y => Rleb t (Rabs (estimate y - INR (ones xs)))) <= 2 * exp (- (8 * g ^ 2 * t ^ 2 / INR n)) /\
  Pr answers (fun y => Rleb t (Rabs (estimate y / INR n - INR (ones xs) / INR n)))
    <= 2 * exp (- (8 * g ^ 2 * INR n * t ^ 2)).

Theorem row_hoeffding_bound_holds : row_hoeffding_bound.
Proof.
  intros n g t xs Hn Hg L Ht. split.
  - apply (hoeffding_bound n g t xs Hg Hn L). lra.
  - apply (hoeffding_bound_mean n g t xs Hg Hn L). lra.
Qed.

Definition row_hoeffding_radius : Prop :=
  forall (n : nat) (g delta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < delta < 1 ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (Rabs (estimate y - INR (ones xs))) (sqrt (INR n * ln (2 / delta) / 8) / g)).

Theorem row_hoeffding_radius_holds : row_hoeffding_radius.
Proof. intros n g delta xs Hn Hg L Hd. apply (hoeffding_radius n g delta xs Hg Hn L Hd). Qed.

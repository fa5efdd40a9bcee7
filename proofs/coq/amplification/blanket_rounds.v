(** T shuffled rounds under the privacy blanket: amplification, then adaptive composition, in numbers.

    n users run randomizers in T shuffled rounds (composed_rounds.v), each the same record in all of them, and the
    randomizer of a round may depend on all earlier rounds. For every round, whatever came before it, and every ordered
    pair of inputs, there is a reference below every row of the randomizer (blanket.v), and d_t(E) is at least the
    bound that it gives, for every E >= 1 and every ordered pair. Measures of losses that are at least d_t at their
    corners, in the sense of [lies_above], multiply to one whose divergence at E bounds all rounds, for every E >= 0
    ([rounds_of_blankets]). So it is enough to compute the blanket's bound at the points of a grid, in both orders: with
    chords between the points it makes such a measure ([polygon_lies_above]).

    Source: this package; the blanket is BalleBellGasconNissim2019's. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user loss_measures.
From Exactdp Require Import mean_excess blanket composed_rounds.
Import ListNotations.
Open Scope R_scope.

Theorem rounds_of_blankets (d : nat -> R -> R) (nu : nat -> measure) {X M} n T
    (R : list (list M) -> X -> dist (list M)) (c : list (list M) -> X -> X -> dist (list M)) :
  (forall seen x, proper (R seen x)) ->
  (forall seen x y v, (length seen < T)%nat -> lies_below (c seen x y) (R seen v)) ->
  (forall seen x y E, (length seen < T)%nat -> 1 <= E ->
   reference_bound n (R seen x) (R seen y) E (c seen x y) <= d (length seen) E) ->
  (forall t, (t < T)%nat -> lies_above (nu t) (d t)) ->
  forall xs ys E, neighbors xs ys -> length xs = n -> 0 <= E ->
  below (rounds R T xs) (rounds R T ys) E (divergence (product (map nu (seq 0 T))) E).
Proof.
  intros HR Hc Hd HN. apply (rounds_of_curves R n T HR d nu); [| exact HN].
  intros seen xs ys E B N L HE S HS. destruct N as [before x y after].
  assert (X1 := blanket_bound_anywhere (R seen) (c seen x y) before x y after E (HR seen)
    (proj1 (Hc seen x y x B)) (fun v _ => Hc seen x y v B) S HS).
  rewrite L in X1. specialize (Hd seen x y E B HE). lra.
Qed.

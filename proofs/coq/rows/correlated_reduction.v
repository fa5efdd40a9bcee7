(** The row of proofs/correlated_reduction.py: what private counting with messages of both signs gives away, exactly. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy masses countable_programs negative_binomial_mean negative_binomial_law.
From Exactdp Require Import negative_binomial_sums correlated_counting correlated_exactly.
Import ListNotations.
Open Scope R_scope.

(* W is the noise of both signs that all users send, H of the ratio p^2 what the noise of each sign has in common. *)
Definition row_correlated_counting_reduction : Prop :=
  forall (n : nat) (p E delta : R) (D1 D2 H : nat -> R),
  (1 <= n)%nat -> 0 < p < 1 -> 1 <= E ->
  is_negative_binomial (1 / INR n) p D1 -> law D2 -> (forall k, H k = (1 - p ^ 2) * (p ^ 2) ^ k) ->
  let send (x : bool) := chain D1 (fun g => chain D1 (fun h => chain D2 (fun w =>
    point (repeat true ((if x then 1 else 0) + g + w) ++ repeat false (h + w))))) in
  let W := shares D2 n in
  let Y t := total (seq 0 (S t)) (fun w => W w * H (t - w)%nat) in
  let moved t := match t with O => 0 | S t => Y t end in
  countable_dp n send (ln E) delta <->
  (forall l, NoDup l -> total l Y <= E * p * total l moved + (1 + p) * delta) /\
  (forall l, NoDup l -> total l moved <= E / p * total l Y + ((1 + p) * delta - Rmax 0 (1 - E * p)) / p).

Theorem row_correlated_counting_reduction_holds : row_correlated_counting_reduction.
Proof.
  intros n p E delta D1 D2 H Hn Hp HE N1 L2 HH send W Y moved.
  assert (S1 := negative_binomial_divisible 1 p D1 n Hn N1).
  assert (G : forall t, shares D1 n t = negative_binomial 1 p t)
    by (intros t; apply (negative_binomial_unique 1 p); [exact S1 | apply negative_binomial_exists; lra]).
  assert (Small : forall k, smaller p k = H k).
  { intros k. rewrite HH. replace (p ^ 2) with (p * p) by ring. apply geometric_mass; [nra | apply negative_binomial_exists; nra]. }
  assert (EY : forall t, convolved_masses W (smaller p) t = Y t)
    by (intros t; apply total_ext; intros w _; rewrite Small; reflexivity).
  assert (EM : forall t, after 1 (convolved_masses W (smaller p)) t = moved t).
  { intros [| t]; [reflexivity |]. unfold after, moved. cbn [Nat.ltb Nat.leb]. rewrite EY. f_equal. lia. }
  rewrite (correlated_exactly n p E delta D1 D2 Hn Hp HE (proj1 N1) L2 G : countable_dp n send (ln E) delta <-> _).
  unfold hidden_counts, mass_below. fold W.
  split; intros [A B]; split; intros l N; specialize (A l N); specialize (B l N);
    rewrite (total_ext l (convolved_masses _ _) Y), (total_ext l (after 1 _) moved) in * by (intros; apply EY || apply EM);
    assumption.
Qed.

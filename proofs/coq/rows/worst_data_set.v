(** The rows of the ledger on worst data sets: what they state, and that it holds. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import laws privacy hockey_stick adding_a_user bit_messages half_line.
From Exactdp Require Import mixture_rows number_of_heads two_messages exchanged_messages.
Open Scope R_scope.

Definition row_mixture_rows : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (V : X -> Prop) (n : nat) (E delta : Rdefinitions.R),
  left_after_drops R V ->
  (forall x y zs, V x -> V y -> Forall V zs -> length (x :: zs) = n -> shuffle_below R (x :: zs) (y :: zs) E delta) ->
  forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta.

Theorem row_mixture_rows_holds : row_mixture_rows.
Proof.
  intros X M R V n E delta D H. assert (L := dropped_one_at_a_time R V D).
  exact (proj2 (mixtures_dropped R V V n E delta L L) H).
Qed.

Definition row_two_messages_worst : Prop :=
  forall (X : Type) (send : X -> dist bool) (lo hi : X) (n : nat) (E delta : R),
  (forall x, proper (send x)) -> (forall x, chance (send lo) <= chance (send x) <= chance (send hi)) ->
  (1 <= n)%nat -> 1 <= E ->
  let a := chance (send lo) in
  let b := chance (send hi) in
  (forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below (one_message send) xs ys E delta) <->
  0 <= delta /\
  forall k m : nat, (k <= n - 1)%nat -> (m <= n - 1)%nat ->
  let G := others a b (n - 1) k in
  (b - E * a) * Pr G (Z.eqb (Z.of_nat m)) - (E - 1) * Pr G (Z.ltb (Z.of_nat m)) <= delta /\
  (E * b - a) * Pr G (Z.eqb (Z.of_nat m)) - (E - 1) * Pr G (at_most (Z.of_nat m)) <= delta.

Theorem row_two_messages_worst_holds : row_two_messages_worst.
Proof.
  intros X send lo hi n E delta HP HE Hn E1 a b. destruct n as [| N]; [lia |].
  replace (S N - 1)%nat with N by lia. rewrite (two_messages_private send lo hi N HP HE E delta) by lra.
  split; [intros [D [_ H]]; split; [exact D | exact H] |]. intros [D H]. split; [exact D | split; [lra | exact H]].
Qed.

Definition row_two_messages_excluded : Prop :=
  forall (X : Type) (send : X -> dist bool) (lo hi : X) (n : nat) (E delta : R),
  (forall x, proper (send x)) -> (forall x, chance (send lo) <= chance (send x) <= chance (send hi)) ->
  (1 <= n)%nat -> 1 <= E -> chance (send lo) = 0 \/ chance (send hi) = 1 ->
  (forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below (one_message send) xs ys E delta) <->
  chance (send hi) - chance (send lo) <= delta.

Theorem row_two_messages_excluded_holds : row_two_messages_excluded.
Proof.
  intros X send lo hi n E delta HP HE Hn E1 H. destruct n as [| N]; [lia |].
  apply (excluded_message send lo hi N E delta HP HE H E1).
Qed.

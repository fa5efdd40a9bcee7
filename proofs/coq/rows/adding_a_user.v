(** The row of the ledger on adding a user: what it states, and that it holds. *)

From Coq Require Import Reals List.
From Exactdp Require Import laws privacy hockey_stick adding_a_user.
Open Scope R_scope.

Definition row_adding_a_user : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (n : nat) (E delta : Rdefinitions.R),
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  ((forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta) ->
   forall xs ys, neighbors xs ys -> length xs = S n -> shuffle_below R xs ys E delta) /\
  ((forall xs ys, more_or_less xs ys -> larger_size xs ys = n -> shuffle_below R xs ys E delta) ->
   forall xs ys, more_or_less xs ys -> larger_size xs ys = S n -> shuffle_below R xs ys E delta).
Theorem row_adding_a_user_holds : row_adding_a_user.
Proof.
  intros X M R n E delta HR Hn.
  destruct (adding_a_user_hockey_stick n R (fun u m => count_occ same u m) E delta complete_view_counts Hn HR)
    as [A B].
  split; intros H xs ys N L; apply (shuffle_below_iff_hockey_stick R _ xs ys E delta complete_view_counts).
  - apply A; [| exact N | exact L]. intros us vs N' L'.
    apply (shuffle_below_iff_hockey_stick R _ us vs E delta complete_view_counts), H; assumption.
  - apply B; [| exact N | exact L]. intros us vs N' L'.
    apply (shuffle_below_iff_hockey_stick R _ us vs E delta complete_view_counts), H; assumption.
Qed.

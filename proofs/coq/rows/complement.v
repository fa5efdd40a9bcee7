(** The rows of the ledger on the complement protocol: what each of them states, and that it holds. *)

From Coq Require Import Reals List Permutation.
From Exactdp Require Import sums laws privacy shuffler complement.
Open Scope R_scope.

Definition row_complement_view : Prop :=
  forall n : nat, shuffle_dp n complement_randomizer 0 0 /\
  forall xs ys : list bool, length xs = n -> length ys = n ->
  same_law (bind (messages complement_randomizer xs) shuffler)
           (bind (messages complement_randomizer ys) shuffler).
Theorem row_complement_view_holds : row_complement_view.
Proof.
  intros n. split; [apply complement_shuffle_dp |]. intros xs ys Lx Ly f.
  rewrite !mean_bind, !mean_complement_messages.
  rewrite (shuffled_permutation _ _ (complement_messages_permutation xs) f).
  rewrite (shuffled_permutation _ _ (complement_messages_permutation ys) f), Lx, Ly. reflexivity.
Qed.

Definition row_complement_local : Prop :=
  forall eps delta : R, delta < 1 -> ~ local_dp complement_randomizer eps delta.
Theorem row_complement_local_holds : row_complement_local.
Proof. exact complement_local. Qed.

Definition row_complement_preshuffle : Prop :=
  local_dp (fun x => bind (complement_randomizer x) shuffler) 0 0.
Theorem row_complement_preshuffle_holds : row_complement_preshuffle.
Proof. exact complement_preshuffle_local_dp. Qed.

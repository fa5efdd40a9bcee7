(** A randomizer of one's own, proved private by the swap bound: a copy of this file with another table is all it takes.

    Three answers, each sent as it is with a probability of its own, for 6 users and more. *)

From Coq Require Import Reals List QArith Qreals Lra Lia.
From Exactdp Require Import laws privacy shuffler table_swap.
Import ListNotations.
Open Scope R_scope.

(** What a user may hold, and the probabilities of the messages 0, 1 and 2 that he then sends. *)
Inductive answer := Yes | No | Unsure.

Definition own (held : answer) : list Q :=
  match held with
  | Yes => [1#2; 1#4; 1#4]
  | No => [1#4; 1#2; 1#4]
  | Unsure => [1#4; 3#8; 3#8]
  end.

Definition answers : list answer := [Yes; No; Unsure].

(** Below every row. *)
Definition shared : list Q := [1#4; 1#4; 1#4].

(** One user alone has delta = 1/8 at this eps. Of 6 users 2 may be seen before the swap, and 4 are left. *)
Example own_is_private users :
  (6 <= users)%nat -> shuffle_dp users (fun held => row_law 3 (own held)) (ln (3 / 2)) (3 / 100).
Proof.
  intros H. replace (3 / 100) with (Q2R (3#100)) by (unfold Q2R; simpl; lra).
  apply (swap_check_dp 3 (3#2) own answers shared 6 2); [vm_compute; reflexivity | | lia | exact H |].
  - intros []; simpl; tauto.
  - rewrite exp_ln by lra. unfold Q2R. simpl. lra.
Qed.

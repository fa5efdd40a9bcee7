(** For proofs about programs on rationals: [simpl] leaves their operations as they are. *)

From Coq Require Import Reals QArith Qreals.

Arguments Qred : simpl never.
Arguments Qplus : simpl never.
Arguments Qmult : simpl never.
Arguments Qminus : simpl never.
Arguments Qdiv : simpl never.
Arguments Q2R : simpl never.
Arguments Qeq_bool : simpl never.
Arguments Qle_bool : simpl never.

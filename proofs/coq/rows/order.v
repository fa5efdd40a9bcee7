(** The rows of the ledger on smaller blankets, more users and the checker's lattice: what they state, and that it
    holds. *)

From Coq Require Import Reals List ZArith QArith Qreals Lia.
From Exactdp Require Import sums laws privacy hockey_stick mean_excess blanket classes mean_excess_order.
From Exactdp Require Import tilted_program tilted_lattice tilted_sound least_values pair_bound.
Import ListNotations.
Open Scope R_scope.

Definition row_smaller_blanket : Prop :=
  forall (A : Type) (P Q c c' : dist A) (E : R) (n : nat),
  sub_law c -> mean c (fun _ => 1) <= 1 -> lies_below c' c -> (1 <= n)%nat ->
  reference_bound n P Q E c <= reference_bound n P Q E c'.

Theorem row_smaller_blanket_holds : row_smaller_blanket.
Proof. intros A P Q c c' E n. apply reference_bound_larger. Qed.

Definition row_blanket_of_fewer_users : Prop :=
  forall (A : Type) (P Q c : dist A) (E : R) (n : nat),
  sub_law c -> mean c (fun _ => 1) <= 1 -> (1 <= n)%nat ->
  reference_bound (S n) P Q E c <= reference_bound n P Q E c.

Theorem row_blanket_of_fewer_users_holds : row_blanket_of_fewer_users.
Proof. intros A P Q c E n H1 H2 H. apply reference_bound_falls; [exact H1 | exact H2 | lia]. Qed.

Definition row_blanket_on_a_lattice : Prop :=
  forall (E : Q) (classes : list rational_class) (step : fraction) (bits limit : nat) (T : Z) (n : positive),
  Forall (fun k => 0 <= Q2R (under_reference k)) classes -> total classes (fun k => Q2R (under_reference k)) <= 1 ->
  (0 < fst step /\ 0 < snd step)%Z -> (1 <= T)%Z ->
  class_bound (Pos.to_nat n) (Q2R E) (map real_class classes) <= Q2R (pair_bound step bits limit T n E classes).

Theorem row_blanket_on_a_lattice_holds : row_blanket_on_a_lattice.
Proof. intros E classes step bits limit T n. apply pair_bound_above. Qed.

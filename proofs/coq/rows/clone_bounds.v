(** The rows on clones: what each states, and that it holds. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import laws privacy hockey_stick adding_a_user label_reduction clones row_sides stronger_clones
  variation_ratio variation_ratio_repaired.
Import ListNotations.
Open Scope R_scope.

Definition row_clones_every_randomizer : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (n : nat) (eps0 eps delta : Rdefinitions.R),
  (forall x, proper (R x)) -> local_dp R eps0 0 ->
  clones_below n (exp eps0) (/ (2 * exp eps0)) (exp eps) delta -> shuffle_dp n R eps delta.
Theorem row_clones_every_randomizer_holds : row_clones_every_randomizer.
Proof. intros X M R n eps0 eps delta. apply clones_2021_dp. Qed.

Definition row_stronger_clones_every_randomizer : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (n : nat) (eps0 eps delta : Rdefinitions.R),
  (forall x, proper (R x)) -> local_dp R eps0 0 -> 0 <= eps ->
  clones_below n (exp eps0) (/ (exp eps0 + 1)) (exp eps) delta -> shuffle_dp n R eps delta.
Theorem row_stronger_clones_every_randomizer_holds : row_stronger_clones_every_randomizer.
Proof. intros X M R n eps0 eps delta. apply stronger_clones_dp. Qed.

Definition row_variation_ratio_repaired : Prop :=
  forall (n k : nat) (p E delta : R), (3 <= k)%nat -> 1 < p -> 1 <= E ->
  let w := / (p + INR k - 1) in
  sides_below_at n p w w ((INR k - 2) * w) E delta -> shuffle_dp n (one_message (k_ary k p)) (ln E) delta.
Theorem row_variation_ratio_repaired_holds : row_variation_ratio_repaired.
Proof.
  intros n k p E delta Hk Hp HE w H xs ys N L. rewrite exp_ln by lra. rewrite <- L in H.
  apply (k_ary_repaired k p E delta xs ys Hk Hp HE N H).
Qed.

(** The rows of the ledger on protocols with one message per user: what each states, and that it holds. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import reals sums laws privacy bits shuffler single_message complement preshuffle local_simulation.
From Exactdp Require Import local_error local_least_error.
Import ListNotations.
Open Scope R_scope.

Definition row_single_message_theorem : Prop :=
  forall (X M : Type) (R : X -> dist M) (n : nat) (eps : Rdefinitions.R),
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 -> local_dp R eps 0.
Theorem row_single_message_theorem_holds : row_single_message_theorem.
Proof. intros X M R n eps. apply single_message_theorem. Qed.

Definition row_single_message_pure_eps : Prop :=
  forall (X M : Type) (R : X -> dist M) (n : nat) (eps : Rdefinitions.R),
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 <-> local_dp R eps 0.
Theorem row_single_message_pure_eps_holds : row_single_message_pure_eps.
Proof. intros X M R n eps. apply single_message_pure_epsilon. Qed.

Definition row_single_message_simulation : Prop :=
  forall (X M B : Type) (R : X -> dist M) (analyzer : list M -> dist B) (n : nat) (eps : Rdefinitions.R),
  (forall x, proper (R x)) -> (1 <= n)%nat -> shuffle_dp n (one_message R) eps 0 ->
  let aggregator := fun received => bind (shuffler received) analyzer in
  local_dp R eps 0 /\
  forall xs, same_law (bind (reports R xs) aggregator)
                      (bind (bind (messages (one_message R) xs) shuffler) analyzer).
Theorem row_single_message_simulation_holds : row_single_message_simulation.
Proof. intros X M B R analyzer n eps. apply equivalent_local_protocol. Qed.

(* E = e^eps; [ones] counts the bits that are 1. *)
Definition row_single_message_error : Prop :=
  forall (M : Type) (R : bool -> dist M) (analyzer : list M -> dist Rdefinitions.R) (n : nat) (eps : Rdefinitions.R),
  let E := exp eps in
  (forall x, proper (R x)) -> (forall received, proper (analyzer received)) -> 0 < eps ->
  36 * (E + 1) ^ 2 / E <= INR n -> shuffle_dp n (one_message R) eps 0 ->
  exists xs, length xs = n /\
  1 / 6 <= Pr (bind (bind (messages (one_message R) xs) shuffler) analyzer)
    (fun a => Rleb (sqrt (INR n * E) / (2 * (E + 1))) (Rabs (a - INR (ones xs)))).
Theorem row_single_message_error_holds : row_single_message_error.
Proof.
  intros M R analyzer n eps E HR HA He Hn H. unfold E in *.
  assert (N : (1 <= n)%nat).
  { destruct n as [| n]; [| apply le_n_S, Nat.le_0_l]. exfalso. simpl (INR 0) in Hn. assert (X := exp_pos eps).
    assert (0 < 36 * (exp eps + 1) ^ 2 / exp eps); [| lra].
    apply Rdiv_lt_0_compat; [| exact X]. apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]. }
  destruct (equivalent_local_protocol R analyzer n eps HR N H) as [L S].
  destruct (local_error_constant (fun _ => R) (fun received => bind (shuffler received) analyzer) n eps)
    as [xs [Len Far]]; auto.
  { intros said. apply proper_bind; [apply proper_shuffler | exact HA]. }
  exists xs. split; [exact Len |]. unfold Pr in *. rewrite <- S, mean_bind.
  rewrite mean_bind, mean_reports_same in Far. exact Far.
Qed.

Definition row_any_messages_simulation : Prop :=
  forall (X M B : Type) (R : X -> dist (list M)) (analyzer : list M -> dist B) (xs : list X),
  let aggregator := fun received => bind (shuffler (concat received)) analyzer in
  same_law (bind (reports R xs) aggregator) (bind (bind (messages R xs) shuffler) analyzer).
Theorem row_any_messages_simulation_holds : row_any_messages_simulation.
Proof. intros X M B R analyzer xs. apply local_simulation. Qed.

Definition row_preshuffle_view : Prop :=
  forall (X M : Type) (R : X -> dist (list M)),
  let first_shuffled := fun x => bind (R x) shuffler in
  (forall xs, same_law (bind (messages first_shuffled xs) shuffler) (bind (messages R xs) shuffler)) /\
  (forall (B : Type) (analyzer : list M -> dist B) xs,
   same_law (bind (bind (messages first_shuffled xs) shuffler) analyzer)
            (bind (bind (messages R xs) shuffler) analyzer)) /\
  forall n eps delta, shuffle_dp n first_shuffled eps delta <-> shuffle_dp n R eps delta.
Theorem row_preshuffle_view_holds : row_preshuffle_view.
Proof.
  intros X M R first_shuffled.
  assert (V : forall xs, same_law (bind (messages first_shuffled xs) shuffler) (bind (messages R xs) shuffler))
    by (intros xs; apply preshuffle_view).
  split; [exact V |]. split; [| intros n eps delta; apply preshuffle_shuffle_dp].
  intros B analyzer xs f. rewrite (mean_bind (bind (messages first_shuffled xs) shuffler)), V.
  symmetry. apply mean_bind.
Qed.

Definition row_two_messages_break_it : Prop :=
  exists R : bool -> dist (list bool),
  (forall x, proper (R x)) /\ (forall x wy, In wy (R x) -> length (snd wy) = 2%nat) /\
  (forall n eps, 0 <= eps -> shuffle_dp n R eps 0) /\ forall eps, ~ local_dp R eps 0.
Theorem row_two_messages_break_it_holds : row_two_messages_break_it.
Proof.
  exists complement_randomizer. split; [intros x; apply proper_ret |].
  split; [intros x wy [<- | []]; reflexivity |]. split.
  - intros n eps He xs ys N L T S. rewrite !complement_view by exact S. rewrite (neighbors_length xs ys N).
    assert (E := reals.exp_ge_1 eps He).
    assert (0 <= indicator T (repeat false (length ys) ++ repeat true (length ys))).
    { unfold indicator. destruct (T _); lra. }
    nra.
  - intros eps. apply complement_local. lra.
Qed.

(** The rows of the ledger on the privacy blanket: what they state, and that it holds. *)

From Coq Require Import Reals List.
From Exactdp Require Import laws privacy hockey_stick adding_a_user mean_excess.
From Exactdp Require Import blanket homogeneous random_others blanket_hoeffding blanket_bennett generic_blanket
  k_ary_blanket.
Import ListNotations.
Open Scope R_scope.

Definition row_blanket_every_data_set : Prop :=
  forall (X M : Type) (R : X -> dist (list M)) (c : dist (list M)) before x y after (E : Rdefinitions.R),
  (forall v, proper (R v)) -> sub_law c -> (forall v, In v (before ++ after) -> lies_below c (R v)) ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E
    (reference_bound (length (before ++ x :: after)) (R x) (R y) E c).

Theorem row_blanket_every_data_set_holds : row_blanket_every_data_set.
Proof. intros X M R c before x y after E. apply blanket_bound_anywhere. Qed.

Definition row_homogeneous_divergence : Prop :=
  forall (X M V : Type) (R : X -> dist M) (view : list M -> V) x y v n (E : Rdefinitions.R),
  (forall u w, view u = view w <-> Permutation.Permutation u w) -> (forall u, proper (R u)) ->
  hockey_stick (dmap view (messages (one_message R) (x :: repeat v n)))
    (dmap view (messages (one_message R) (y :: repeat v n))) E =
  reference_bound (n + 1) (R x) (R y) E (R v).

Theorem row_homogeneous_divergence_holds : row_homogeneous_divergence.
Proof.
  intros X M V R view x y v n E Hv HR. replace (n + 1)%nat with (S n) by (rewrite Nat.add_1_r; reflexivity).
  apply homogeneous_exact; [exact Hv | apply HR].
Qed.

Definition row_random_others : Prop :=
  forall (X M : Type) (R : X -> dist M) (w : dist X) x y n (E delta : Rdefinitions.R),
  (forall v, proper (R v)) -> proper w ->
  (forall others, length others = n -> (forall v, In v others -> In v (map snd w)) ->
   shuffle_below (one_message R) (x :: others) (y :: others) E delta) ->
  reference_bound (n + 1) (R x) (R y) E (bind w R) <= delta.

Theorem row_random_others_holds : row_random_others.
Proof.
  intros X M R w x y n E delta. replace (n + 1)%nat with (S n) by (rewrite Nat.add_1_r; reflexivity).
  apply random_others.
Qed.

Definition row_blanket_closed_forms : Prop :=
  (forall (k n : nat) (eps0 eps : R),
   (2 <= k)%nat -> (1 <= n)%nat -> 0 < eps < eps0 ->
   let E := exp eps in
   let gamma := INR k / (exp eps0 + INR k - 1) in
   shuffle_dp n (one_message (response k eps0)) eps
     (hoeffding_bound n gamma (E - 1) ((1 - gamma) * INR k * (E + 1))) /\
   shuffle_dp n (one_message (response k eps0)) eps
     (bennett_bound n gamma (E - 1) (gamma * (1 - E) + (1 - gamma) * INR k)
       (gamma * (2 - gamma) * (E - 1) ^ 2 + (1 - gamma) ^ 2 * INR k * (E ^ 2 + 1)))) /\
  (forall (X M : Type) (R : X -> dist (list M)) (n : nat) (eps0 eps : Rdefinitions.R),
   (forall x, proper (R x)) -> local_dp R eps0 0 -> (1 <= n)%nat -> 0 < eps < eps0 ->
   let p := exp eps0 in
   let E := exp eps in
   shuffle_dp n R eps (hoeffding_bound n (/ p) (E - 1) ((E + 1) * (p - / p))) /\
   shuffle_dp n R eps (bennett_bound n (/ p) (E - 1) (p * (1 - E / p ^ 2)) (p * (E ^ 2 + 1) - 2 * E / p ^ 3))).

Theorem row_blanket_closed_forms_holds : row_blanket_closed_forms.
Proof.
  split.
  - intros k n eps0 eps Hk Hn He. split; [apply k_ary_hoeffding | apply k_ary_bennett]; assumption.
  - intros X M R n eps0 eps HR HL Hn He. split; [apply generic_hoeffding | apply generic_bennett]; assumption.
Qed.

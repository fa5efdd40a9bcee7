(** The rows of the ledger on the definitions of privacy, as propositions. *)

From Coq Require Import Reals List ZArith Permutation Lra Lia.
From Exactdp Require Import reals sums laws masses privacy hockey_stick shuffler.
From Exactdp Require Import smooth_is_private definitions_printed published_record.
Import ListNotations.
Open Scope R_scope.

(* Read as: the probability is over a random data set as well as over the coins. *)
Definition row_dp_probability : Prop :=
  ~ (forall (X A : Type) (n : nat) (data : dist (list X)) (M : list X -> dist A) (eps delta : R),
     proper data -> (forall wx, In wx data -> length (snd wx) = n) -> (forall xs, proper (M xs)) ->
     0 <= eps -> 0 <= delta < 1 ->
     below (bind data M) (bind data M) (exp eps) delta -> dp n M eps delta).

Theorem row_dp_probability_holds : row_dp_probability.
Proof.
  intros H. destruct average_is_not_private as [A N].
  assert (P : proper (dmap (fun b => [b]) (coin (1 / 2)))) by (apply proper_dmap, proper_coin; lra).
  assert (L : forall wx, In wx (dmap (fun b => [b]) (coin (1 / 2))) -> length (snd wx) = 1%nat)
    by (intros wx [<- | [<- | []]]; reflexivity).
  specialize (N 0 0 (H _ _ 1%nat _ _ 0 0 P L ltac:(intros; apply proper_ret) ltac:(lra) ltac:(lra) A)). lra.
Qed.

Definition row_dp_ratio_printed : Prop :=
  ~ (forall (X A : Type) (n : nat) (M : list X -> dist A) (eps delta : R),
     (forall xs, proper (M xs)) -> 0 <= eps -> 0 <= delta < 1 -> dp n M eps delta ->
     forall xs ys, neighbors xs ys -> length xs = n ->
     1 - delta <= Pr (M xs) (fun a => Rleb (mass (M xs) a) (exp eps * mass (M ys) a))).

Theorem row_dp_ratio_printed_holds : row_dp_ratio_printed.
Proof.
  intros H. destruct dp_ratio_counterexample as [P [_ E]].
  assert (Proper : forall xs, proper (noisy_bit xs)) by (intros; apply proper_dmap, proper_coin; lra).
  assert (L : 0 <= ln 2) by (left; rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H _ _ 1%nat noisy_bit (ln 2) (3 / 4) Proper L ltac:(lra) P [true] [false]
    (one_neighbors _ _) eq_refl).
  set (P1 := noisy_bit [true]) in *. set (P0 := noisy_bit [false]) in *.
  assert (C : Pr P1 (fun a => Rleb (mass P1 a) (exp (ln 2) * mass P0 a)) =
    1 - Pr P1 (fun a => Rltb (exp (ln 2) * mass P0 a) (mass P1 a))).
  { rewrite <- (Pr_all P1 (Proper [true])). unfold Pr at 1 2 3. rewrite <- mean_minus. apply mean_ext.
    intros a. unfold indicator, Rleb, Rltb. destruct (Rle_dec _ _), (Rlt_dec _ _); lra. }
  rewrite C, E in H. lra.
Qed.

Definition row_dp_ratio_counterexample : Prop :=
  let M := fun xs => dmap (fun y => (Z.b2z (hd false xs) + Z.b2z y)%Z) (coin (1 / 4)) in
  dp 1 M (ln 2) (3 / 4) /\ (forall delta, dp 1 M (ln 2) delta -> 3 / 4 <= delta) /\
  Pr (M [true]) (fun a => Rltb (exp (ln 2) * mass (M [false]) a) (mass (M [true]) a)) = 1.

Theorem row_dp_ratio_counterexample_holds : row_dp_ratio_counterexample.
Proof. exact dp_ratio_counterexample. Qed.

Definition row_dp_from_ratio : Prop :=
  forall (A : Type) (P Q : A -> R) (eps delta : R),
  law P -> law Q -> (exists r, mass_of P (fun a => exp eps * Q a < P a) r /\ r <= delta) ->
  forall S p q, mass_of P S p -> mass_of Q S q -> p <= exp eps * q + delta.

Theorem row_dp_from_ratio_holds : row_dp_from_ratio.
Proof. intros A P Q eps delta LP LQ [r [Hr Hd]]. exact (dp_from_ratio P Q eps delta r LP LQ Hr Hd). Qed.

Definition row_dp_near_printed : Prop :=
  ~ (forall (r n : nat) (M : list bool -> dist nat),
     (forall xs, proper (M xs) /\ forall wa, In wa (M xs) -> (snd wa <= 4 * r)%nat) -> dp n M 0 0 ->
     forall xs ys, neighbors xs ys -> length xs = n ->
     1 / 2 <= Pr (independent (M xs) (M ys)) (fun ab => Nat.leb (fst ab - snd ab + (snd ab - fst ab)) r)).

Theorem row_dp_near_printed_holds : row_dp_near_printed.
Proof.
  intros H. destruct (private_outputs_are_far 2 (le_n 2)) as [P F]. cbv zeta in P, F.
  set (U := uniform (seq 0 (4 * 2 + 1))) in *.
  assert (Proper : proper U) by (apply proper_uniform; discriminate).
  assert (Below : forall wa, In wa U -> (snd wa <= 4 * 2)%nat).
  { intros wa I. unfold U, uniform in I. apply in_map_iff in I. destruct I as [a [<- I]].
    apply in_seq in I. simpl snd. lia. }
  specialize (H 2%nat 1%nat (fun _ => U) (fun _ => conj Proper Below)).
  specialize (H (P bool 1%nat) [true] [false] (one_neighbors _ _) eq_refl). cbv beta in H.
  assert (Sum : Pr (independent U U) (far 2) + Pr (independent U U)
    (fun ab => Nat.leb (fst ab - snd ab + (snd ab - fst ab)) 2) = 1).
  { rewrite <- (Pr_all (independent U U)) by (apply proper_independent; exact Proper).
    unfold Pr. rewrite <- mean_plus. apply mean_ext. intros [a b]. unfold indicator, far.
    simpl fst. simpl snd.
    destruct (Nat.ltb_spec 2 (a - b + (b - a))), (Nat.leb_spec (a - b + (b - a)) 2); try lia; lra. }
  lra.
Qed.

Definition row_dp_near : Prop :=
  forall r : nat, (2 <= r)%nat ->
  let M := fun _ : list bool => uniform (seq 0 (4 * r + 1)) in
  (forall n, dp n M 0 0) /\
  forall xs ys,
  1 / 2 < Pr (independent (M xs) (M ys)) (fun ab => Nat.ltb r (fst ab - snd ab + (snd ab - fst ab))).

Theorem row_dp_near_holds : row_dp_near.
Proof.
  intros r H. destruct (private_outputs_are_far r H) as [P F]. split; [intros n; apply P |].
  intros xs ys. exact F.
Qed.

Definition row_dp_near_laws : Prop :=
  forall (X A : Type) (n : nat) (M : list X -> dist A) (eps delta : R),
  (forall xs, proper (M xs)) -> dp n M eps delta ->
  forall xs ys, neighbors xs ys -> length xs = n ->
  forall T, Rabs (Pr (M xs) T - Pr (M ys) T) <= (exp eps - 1 + 2 * delta) / (exp eps + 1).

Theorem row_dp_near_laws_holds : row_dp_near_laws.
Proof. exact @private_laws_are_near. Qed.

Definition row_dp_published_record : Prop :=
  forall (X : Type) (n : nat), (1 <= n)%nat ->
  let publish := fun xs : list X => map (fun x => (/ INR (length xs), x)) xs in
  dp n publish 0 (1 / INR n) /\
  forall (T : X -> bool) (x y : X) (eps delta : R),
  T x = true -> T y = false -> dp n publish eps delta -> 1 / INR n <= delta.

Theorem row_dp_published_record_holds : row_dp_published_record.
Proof.
  intros X n Hn publish. split; [apply published_record_private, Hn |].
  intros T x y eps delta. apply published_record_needs, Hn.
Qed.

Lemma messages_as_they_are {X M} (send : X -> list M) xs f :
  mean (messages (fun x => ret (send x)) xs) f = f (flat_map send xs).
Proof.
  revert f. induction xs as [| x xs IH]; intros f; cbn [messages flat_map]; [apply mean_ret |].
  rewrite mean_bind, mean_ret, mean_bind, IH. apply mean_ret.
Qed.

Definition row_dp_message_vector : Prop :=
  forall (X M : Type) (eq_dec : forall s t : list M, {s = t} + {s <> t}) (send : X -> list M) xs v,
  NoDup (flat_map send xs) -> Permutation (flat_map send xs) v ->
  let shown := bind (messages (fun x => ret (send x)) xs) shuffler in
  let is_v := fun u => if eq_dec u v then true else false in
  Pr shown is_v = / INR (fact (length v)) /\
  (length xs = 3%nat -> (forall x, In x xs -> length (send x) = 2%nat) -> Pr shown is_v = 1 / 720).

Theorem row_dp_message_vector_holds : row_dp_message_vector.
Proof.
  intros X M eq_dec send xs v N P shown is_v.
  assert (E : Pr shown is_v = / INR (fact (length v))).
  { unfold shown. rewrite Pr_bind, messages_as_they_are, <- (Permutation_length P).
    apply shuffler_uniform; assumption. }
  split; [exact E |]. intros L S. rewrite E, <- (Permutation_length P).
  assert (K : length (flat_map send xs) = (2 * length xs)%nat).
  { clear - S. induction xs as [| x xs IH]; [reflexivity |]. simpl flat_map. rewrite app_length, S, IH.
    - simpl. lia.
    - intros y I. apply S. right. exact I.
    - left. reflexivity. }
  rewrite K, L. change (fact (2 * 3)) with 720%nat. rewrite INR_IZR_INZ. simpl. lra.
Qed.

(* Read as: who cannot tell which permutation the shuffler applied learns nothing. *)
Definition row_dp_permutation_printed : Prop :=
  ~ (forall (X M : Type) (n : nat) (R : X -> dist (list M)),
     (forall x, proper (R x)) ->
     (let permutation := fun xs => bind (messages R xs) (fun u => shuffler (seq 0 (length u))) in
      forall xs ys, neighbors xs ys -> length xs = n -> same_law (permutation xs) (permutation ys)) ->
     shuffle_dp n R 0 0).

Theorem row_dp_permutation_printed_holds : row_dp_permutation_printed.
Proof.
  intros H. destruct permutation_is_not_private as [S N]. apply N. apply H; [intros; apply proper_ret |].
  intros permutation xs ys D L. destruct (neighbors_of_one xs ys D L) as [x [y [-> ->]]]. apply S.
Qed.

Definition row_dp_multiset : Prop :=
  forall (M : Type) (P Q : dist (list M)) (E delta : R),
  below (bind P shuffler) (bind Q shuffler) E delta <->
  forall T, (forall u v, Permutation.Permutation u v -> T u = T v) -> Pr P T <= E * Pr Q T + delta.

Theorem row_dp_multiset_holds : row_dp_multiset.
Proof. intros M P Q E delta. apply ordered_output. Qed.

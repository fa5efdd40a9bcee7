(** The rows of proofs/pure_dp_facts.py on pure privacy and on R^gap: what each of them states, and that it holds. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import sums laws privacy bits shuffler single_message local_simulation.
From Exactdp Require Import coefficientwise gap_local gap gap_small_n gap_any_weights sum_of_histogram.
From Exactdp Require histogram.
Import ListNotations.
Open Scope R_scope.

Definition row_pure_product_printed : Prop :=
  ~ (forall (X M : Type) (R : X -> dist M) (T : M -> bool) (x x' : X) (n : nat),
     (forall z, proper (R z)) -> (1 <= n)%nat -> Pr (R x') T < Pr (R x) T ->
     Pr (messages (one_message R) (x' :: repeat x (n - 1))) (forallb T) = Pr (R x') T ^ n).
Theorem row_pure_product_printed_holds : row_pure_product_printed.
Proof.
  intros H. destruct product_event_printed as [_ [P [Q [E N]]]].
  specialize (H bool bool (fun b => if b then coin 1 else coin (1 / 2)) (fun m => m) true false 2%nat).
  assert (HP : forall z : bool, proper (if z then coin 1 else coin (1 / 2))).
  { intros [|]; apply proper_coin; lra. }
  specialize (H HP ltac:(lia)). cbv beta iota in *. rewrite P, Q in H. specialize (H ltac:(lra)).
  apply N. rewrite <- H. symmetry. exact E.
Qed.

Definition row_pure_order_printed : Prop :=
  ~ (forall (X M : Type) (R : X -> dist M) (xs : list X), (forall x, proper (R x)) ->
     same_law (messages (one_message R) xs) (bind (messages (one_message R) xs) shuffler)).
Theorem row_pure_order_printed_holds : row_pure_order_printed.
Proof.
  intros H. destruct (shuffled_order_printed 0) as [_ [_ [_ D]]]. destruct (D ltac:(lra)) as [_ N].
  apply N, H. intros [|]; apply proper_coin; lra.
Qed.

Definition row_pure_order : Prop :=
  forall (X M : Type) (R : X -> dist M) (T : M -> bool) (xs : list X),
  Pr (bind (messages (one_message R) xs) shuffler) (forallb T) =
  Pr (messages (one_message R) xs) (forallb T) /\
  Pr (messages (one_message R) xs) (forallb T) = fold_right (fun x product => Pr (R x) T * product) 1 xs.
Theorem row_pure_order_holds : row_pure_order.
Proof. intros X M R T xs. apply all_messages_in_shuffled. Qed.

Definition row_pure_events_printed : Prop :=
  ~ (forall (X M : Type) (R : X -> dist M) (events : list (M -> bool)) (xs : list X),
     (forall x, proper (R x)) -> length events = length xs ->
     Pr (bind (messages (one_message R) xs) shuffler)
        (fun y => forallb (fun Tm => fst Tm (snd Tm)) (combine events y)) =
     fold_right (fun Tx product => Pr (R (snd Tx)) (fst Tx) * product) 1 (combine events xs)).
Theorem row_pure_events_printed_holds : row_pure_events_printed.
Proof.
  intros H. destruct (shuffled_order_printed 0) as [A [_ [_ D]]]. destruct (D ltac:(lra)) as [N _].
  set (send := fun b : bool => coin (if b then 1 - 0 else 0)) in *.
  specialize (H bool bool send [fun a => a; negb] [true; false]).
  specialize (H ltac:(intros [|]; apply proper_coin; lra) eq_refl). apply N. rewrite A.
  transitivity (Pr (bind (messages (one_message send) [true; false]) shuffler)
    (fun y => forallb (fun Tm : (bool -> bool) * bool => fst Tm (snd Tm)) (combine [fun a => a; negb] y))).
  - unfold Pr. apply mean_ext_in. intros wy I. unfold bind at 1 in I. apply in_flat_map in I.
    destruct I as [wu [J I]]. apply in_map_iff in I. destruct I as [wv [<- I]].
    apply shuffler_permutation in I.
    assert (L : length (snd wu) = 2%nat).
    { simpl in J. repeat (destruct J as [<- | J]; [reflexivity |]). destruct J. }
    apply Permutation.Permutation_length in I. rewrite L in I. cbn [snd].
    destruct (snd wv) as [| a [| b [|]]]; try discriminate.
    unfold indicator. simpl. rewrite andb_true_r. reflexivity.
  - rewrite H. cbn [combine fold_right fst snd]. rewrite Rmult_1_r. reflexivity.
Qed.

Definition row_pure_all_the_time : Prop :=
  let R := fun x : nat => if Nat.ltb x 2 then coin (1 / 2) else coin 1 in
  forall n, (1 <= n)%nat -> (forall x, proper (R x)) /\
  (forall eps, ~ local_dp R eps 0 /\ ~ shuffle_dp n (one_message R) eps 0) /\
  forall xs ys, length xs = n -> length ys = n -> (forall x, In x xs \/ In x ys -> (x < 2)%nat) ->
  same_law (messages (one_message R) xs) (messages (one_message R) ys).
Theorem row_pure_all_the_time_holds : row_pure_all_the_time.
Proof.
  intros n Hn. destruct (single_message_some_pairs n Hn) as [P [A B]].
  split; [exact P |]. split; [exact A |].
  intros xs ys Lx Ly I. apply B; [congruence | exact I].
Qed.

Definition row_pure_bits_printed : Prop :=
  ~ (exists (X M B : Type) (R : X -> dist M) (analyzer : list M -> dist B) (n : nat) (eps : Rdefinitions.R),
     (forall x, proper (R x)) /\ (1 <= n)%nat /\ shuffle_dp n (one_message R) eps 0 /\
     ~ (local_dp R eps 0 /\ exists aggregator, forall xs,
        same_law (bind (reports R xs) aggregator)
                 (bind (bind (messages (one_message R) xs) shuffler) analyzer))).
Theorem row_pure_bits_printed_holds : row_pure_bits_printed.
Proof.
  intros [X [M [B [R [analyzer [n [eps [P [Hn [H N]]]]]]]]]]. apply N.
  destruct (equivalent_local_protocol R analyzer n eps P Hn H) as [L S]. split; [exact L |].
  exists (fun received => bind (shuffler received) analyzer). exact S.
Qed.

Definition row_gap_weights : Prop :=
  length (strings 4) = 16%nat /\ length unbalanced = 10%nat /\
  forall send : bool -> dist (list bool), (forall x, proper (send x)) ->
  Pr (send true) (fun u => Nat.leb 2 (ones u)) = 0 -> 0 < Pr (send true) (fun u => Nat.eqb (ones u) 1) ->
  0 < Pr (send false) (fun u => Nat.eqb (ones u) 4) ->
  forall (n : nat) (eps : R), (1 <= n)%nat -> ~ shuffle_dp n send eps 0.
Theorem row_gap_weights_holds : row_gap_weights.
Proof. split; [reflexivity |]. split; [reflexivity |]. exact gap_at_most_one_one. Qed.

Definition row_gap_never_pure : Prop :=
  forall eps : R, ~ local_dp gap_randomizer eps 0.
Theorem row_gap_never_pure_holds : row_gap_never_pure.
Proof. exact gap_local_pure. Qed.

Definition row_gap_never_printed : Prop :=
  ~ (forall eps delta : R, delta < 1 -> ~ local_dp gap_randomizer eps delta).
Theorem row_gap_never_printed_holds : row_gap_never_printed.
Proof. intros H. apply (H 0 (3 / 8)); [lra | exact gap_total_variation]. Qed.

Definition row_gap_total_variation : Prop :=
  local_dp gap_randomizer 0 (3 / 8) /\ forall delta, delta < 3 / 8 -> ~ local_dp gap_randomizer 0 delta.
Theorem row_gap_total_variation_holds : row_gap_total_variation.
Proof. split; [exact gap_total_variation | intros delta; apply gap_local]. Qed.

Definition row_gap_perfect_printed : Prop :=
  ~ (forall n : nat, (1 <= n)%nat ->
     (forall xs, length xs = n -> forall k, (k <= 4 * n)%nat ->
      0 < Pr (messages gap_randomizer xs) (fun u => Nat.eqb (ones u) k)) ->
     shuffle_dp n gap_randomizer 0 0).
Theorem row_gap_perfect_printed_holds : row_gap_perfect_printed.
Proof.
  intros H. destruct gap_perfect_printed as [_ P]. destruct (P 2%nat (Nat.le_refl 2)) as [A N].
  apply N, H; [lia | exact A].
Qed.

Definition row_gap_finite : Prop :=
  (forall n, (2 <= n)%nat -> shuffle_dp n gap_randomizer (ln (5 / 2)) 0) /\
  exact_epsilon 2 gap_randomizer (ln (5 / 2)).
Theorem row_gap_finite_holds : row_gap_finite.
Proof. split; [exact gap_finite | apply gap_small_n]. Qed.

Definition row_gap_any_weights : Prop :=
  forall send : bool -> dist (list bool), (forall x, proper (send x)) ->
  (forall x wy, In wy (send x) -> length (snd wy) = 4%nat) ->
  (forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (send x) (fun u => Nat.eqb (ones u) i)) ->
  (forall n xs k, (2 <= n)%nat -> length xs = n -> (k <= 4 * n)%nat ->
   0 < Pr (messages send xs) (fun u => Nat.eqb (ones u) k)) /\
  exists eps, forall n, (2 <= n)%nat -> shuffle_dp n send eps 0.
Theorem row_gap_any_weights_holds : row_gap_any_weights.
Proof.
  intros send P F S. split; [| apply gap_any_weights; assumption].
  intros n xs k Hn L K. apply (gap_all_counts send P S n xs Hn L k K).
Qed.

Definition row_pure_histogram_from_sum : Prop :=
  ~ (exists d n : nat, (3 <= d)%nat /\ (2 <= n)%nat /\
     exists f, forall xs, length xs = n -> (forall x, In x xs -> (x < d)%nat) ->
     histogram.counts d xs = f (list_sum xs)).
Theorem row_pure_histogram_from_sum_holds : row_pure_histogram_from_sum.
Proof. intros [d [n [Hd [Hn F]]]]. exact (histogram_not_of_sum d n Hd Hn F). Qed.

Definition row_pure_mean_and_histogram : Prop :=
  forall d : nat, exists sum : list nat -> nat,
  (forall xs, (forall x, In x xs -> (x < d)%nat) -> list_sum xs = sum (histogram.counts d xs)) /\
  forall n (M : list nat -> dist (list nat)) eps delta,
  dp n M eps delta -> dp n (fun xs => dmap sum (M xs)) eps delta.
Theorem row_pure_mean_and_histogram_holds : row_pure_mean_and_histogram.
Proof.
  intros d. exists (sum_from_counts 0). split; [apply sum_of_histogram |].
  intros n M eps delta. apply dp_dmap.
Qed.

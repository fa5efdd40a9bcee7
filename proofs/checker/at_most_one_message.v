(** Users who send at most one message each: the shuffler shows as much as if each sent a message that says what he
    sends, which may be nothing.

    R is any randomizer whose outcomes have at most one message, and [one_message R] sends each outcome as one message.
    If the shuffled messages of R on two data sets of the same length are (E, delta)-below each other, then so are those
    of [one_message R] ([one_message_below]), every real E and delta.

    Idea: the number of users is known, so that the messages tell how many users sent nothing. Source: this package. *)

From Coq Require Import Reals List Lia Permutation.
From Exactdp Require Import sums laws privacy shuffler adding_a_user single_message local_simulation.
Import ListNotations.
Open Scope R_scope.

Definition at_most_one {M} (d : dist (list M)) : Prop := forall wu, In wu d -> (length (snd wu) <= 1)%nat.

(** What n users have sent, if these are the messages. *)
Definition sent_by {M} (n : nat) (v : list M) : list (list M) := map (fun m => [m]) v ++ repeat [] (n - length v).

Lemma short_concat {M} (u : list (list M)) : Forall (fun s => (length s <= 1)%nat) u ->
  (length (concat u) <= length u)%nat.
Proof. induction 1 as [| s u S _ IH]; simpl; [lia |]. rewrite app_length. lia. Qed.

Lemma sent_by_all {M} (u : list (list M)) :
  Forall (fun s => (length s <= 1)%nat) u -> Permutation u (sent_by (length u) (concat u)).
Proof.
  induction 1 as [| s u S F IH]; [reflexivity |]. assert (L := short_concat u F).
  destruct s as [| m [| m' s]]; [| | simpl in S; lia]; cbn [concat app length].
  - unfold sent_by in *. replace (Datatypes.S (length u) - length (concat u))%nat
      with (Datatypes.S (length u - length (concat u)))%nat by lia.
    cbn [repeat]. apply Permutation_cons_app, IH.
  - unfold sent_by in *. cbn [length Nat.sub map app]. apply perm_skip, IH.
Qed.

Lemma sent_by_permutation {M} n (v w : list M) : Permutation v w -> Permutation (sent_by n v) (sent_by n w).
Proof. intros P. unfold sent_by. rewrite (Permutation_length P). apply Permutation_app_tail, Permutation_map, P. Qed.

Lemma reports_short {X M} (R : X -> dist (list M)) xs wu :
  (forall x, at_most_one (R x)) -> In wu (messages (one_message R) xs) ->
  length (snd wu) = length xs /\ Forall (fun s => (length s <= 1)%nat) (snd wu).
Proof.
  intros H. revert wu. induction xs as [| x xs IH]; intros wu I; simpl in I.
  - destruct I as [<- | []]. split; [reflexivity | constructor].
  - apply in_flat_map in I. destruct I as [wa [Ia I]]. apply in_map_iff in I. destruct I as [wb [<- I]].
    apply in_flat_map in I. destruct I as [wc [Ic I]]. apply in_map_iff in I. destruct I as [wd [<- [<- | []]]].
    destruct (IH wc Ic) as [L F]. unfold one_message, dmap, bind in Ia. apply in_flat_map in Ia.
    destruct Ia as [we [Ie Ia]]. apply in_map_iff in Ia. destruct Ia as [wf [<- [<- | []]]]. cbn [snd app length].
    split; [rewrite L; reflexivity | constructor; [apply (H x we Ie) | exact F]].
Qed.

Lemma reports_counted {X M} (R : X -> dist (list M)) xs T :
  (forall x, at_most_one (R x)) -> symmetric T ->
  Pr (messages (one_message R) xs) T = Pr (messages R xs) (fun v => T (sent_by (length xs) v)).
Proof.
  intros H S. unfold Pr at 2. rewrite <- concat_reports. apply mean_ext_in. intros wu I.
  destruct (reports_short R xs wu H I) as [L F]. unfold indicator.
  rewrite <- L, <- (S _ _ (sent_by_all (snd wu) F)). reflexivity.
Qed.

Theorem one_message_below {X M} (R : X -> dist (list M)) xs ys E delta :
  (forall x, at_most_one (R x)) -> length xs = length ys ->
  shuffle_below R xs ys E delta -> shuffle_below (one_message R) xs ys E delta.
Proof.
  intros H L B T S. rewrite !reports_counted, <- L by assumption. apply B.
  intros v w P. apply S, sent_by_permutation, P.
Qed.

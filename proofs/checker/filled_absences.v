(** Users who are away send nothing, or a dummy: hidden they are at least as private as counted.

    [filled_private]: for any randomizer of one message per user, any dummy, every number of users and level. So
      classes of
    counted users bound hidden ones.

    Idea: what is missing of as many messages as there are users are dummies, which an observer can add.
    Source: docs/soundness.md, "Who is away adds a message, a dummy or a name on a list". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import sums laws privacy adding_a_user shuffler hockey_stick equal_rows moved_bystanders channel
  absent_users.
From ExactdpChecker Require Import claims laplace_table.
Import ListNotations.
Open Scope R_scope.

Section filled.

Context {M : Type} (row : nat -> dist M) (q : R) (D : dist (list M)).
Hypothesis dummy_proper : proper D.

Definition counted_users (x : nat) : dist (list M) := away q (sent (row x)) (ret []).

Definition hidden_users (x : nat) : dist (list M) := away q (sent (row x)) D.

(** So many dummies. *)
Definition fill (k : nat) : dist (list M) := messages (fun _ : unit => D) (repeat tt k).

Lemma proper_fill k : proper (fill k).
Proof. apply proper_messages. intros _. exact dummy_proper. Qed.

Definition with_dummies (users : nat) (f : list M -> R) (u : list M) : R := mean (fill (users - length u)) (fun w => f
  (u ++ w)).

Lemma few_messages xs wu : In wu (messages counted_users xs) -> (length (snd wu) <= length xs)%nat.
Proof.
  revert wu. induction xs as [| x xs IH]; intros wu I; [destruct I as [<- | []]; simpl; lia |].
  cbn [messages] in I. apply in_flat_map in I. destruct I as [wa [Ia I]]. apply in_map_iff in I. destruct I as [wb [<-
    I]].
  apply in_flat_map in I. destruct I as [wc [Ic I]]. apply in_map_iff in I. destruct I as [wd [<- [<- | []]]]. cbn
    [snd].
  rewrite app_length. specialize (IH wc Ic).
  assert (La : (length (snd wa) <= 1)%nat); [| simpl; lia].
  unfold counted_users in Ia. apply in_app_or in Ia. destruct Ia as [Ia | Ia]; apply in_map_iff in Ia; destruct Ia as
    [we [<- Ia]].
  - unfold sent in Ia. rewrite laplace_table.each_renamed in Ia. apply in_map_iff in Ia. destruct Ia as [wm [<- _]].
      simpl. lia.
  - destruct Ia as [<- | []]. simpl. lia.
Qed.

Lemma mean_fill_first k f : mean (fill (S k)) f = mean D (fun v => mean (fill k) (fun w => f (v ++ w))).
Proof. unfold fill. cbn [repeat]. apply mean_messages_first. Qed.

Lemma hidden_filled xs : forall f, orderless f ->
  mean (messages hidden_users xs) f = mean (messages counted_users xs) (with_dummies (length xs) f).
Proof.
  induction xs as [| x xs IH]; intros f F.
  - cbn [messages length]. rewrite !mean_ret. unfold with_dummies, fill. simpl. rewrite mean_ret. reflexivity.
  - rewrite !mean_messages_first. unfold hidden_users at 1, counted_users at 1, sent. rewrite !mean_away, !mean_dmap,
      mean_ret.
    f_equal; f_equal.
    + apply mean_ext. intros m. rewrite (IH (fun v => f ([m] ++ v)) (orderless_app f [m] F)). apply mean_ext. intros u.
      unfold with_dummies. cbn [app length]. rewrite Nat.sub_succ. reflexivity.
    + rewrite (mean_ext D _ (fun v => mean (messages counted_users xs) (with_dummies (length xs) (fun w => f (v ++
        w)))))
        by (intros v; apply (IH (fun w => f (v ++ w)) (orderless_app f v F))).
      rewrite mean_swap. apply mean_ext_in. intros wu I. assert (L := few_messages xs wu I). set (u := snd wu) in *.
      unfold with_dummies. cbn [app length]. rewrite Nat.sub_succ_l by exact L. rewrite mean_fill_first.
      apply mean_ext. intros v. apply mean_ext. intros w. apply F. rewrite !app_assoc. apply Permutation_app_tail,
        Permutation_app_comm.
Qed.

Lemma orderless_with_dummies users f : orderless f -> orderless (with_dummies users f).
Proof.
  intros F u v P. unfold with_dummies. rewrite (Permutation_length P). apply mean_ext. intros w.
  apply F, Permutation_app_tail, P.
Qed.

Theorem filled_below xs ys E delta : length xs = length ys ->
  shuffle_below counted_users xs ys E delta -> shuffle_below hidden_users xs ys E delta.
Proof.
  intros L H T S. unfold Pr. rewrite !hidden_filled by (apply orderless_indicator, S). rewrite <- L.
  apply symmetric_below_mean; [exact H | apply orderless_with_dummies, orderless_indicator, S |].
  intros u. unfold with_dummies.
  apply (Pr_bounds (fill (length xs - length u)) (fun w => T (u ++ w)) (proper_fill _)).
Qed.

Theorem filled_private n E delta :
  published_dp (messages counted_users) n E delta -> published_dp (messages hidden_users) n E delta.
Proof.
  intros H xs ys Nb L. apply filled_below; [apply neighbors_length, Nb |]. intros T S. apply (H xs ys Nb L T S).
Qed.

End filled.

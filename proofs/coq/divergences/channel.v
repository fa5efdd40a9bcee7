(** A channel on every message does not raise a divergence.

    [sent_through channel u] puts every message of u through the channel, independently. If for each input x the row of
    the randomizer S is that of R after the channel, for all functions that do not look at the order of the messages,
    then any two data sets that are (E, delta)-below each other with R are so with S ([channel_below]); so S is as
    private as R, under replacement and with a user added or removed ([channel_shuffle_dp], [channel_add_or_remove]).
    Any records, any messages, any number of them per user, every n, E > 0 and delta.

    Idea: what the channel makes of the messages of all users is what it makes of each user's, and an event about the
    result is a function of the messages that went in, from 0 to 1, which does not look at their order either.

    Source: docs/soundness.md, "monotone". *)

From Coq Require Import Reals List Lra Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user shuffler equal_rows moved_bystanders.
Import ListNotations.
Open Scope R_scope.

Section channel.

Context {M : Type} (channel : M -> dist M).

Fixpoint sent_through (u : list M) : dist (list M) :=
  match u with
  | [] => ret []
  | m :: rest => bind (channel m) (fun a => dmap (cons a) (sent_through rest))
  end.

Lemma mean_sent_first m u f :
  mean (sent_through (m :: u)) f = mean (channel m) (fun a => mean (sent_through u) (fun v => f (a :: v))).
Proof. simpl. rewrite mean_bind. apply mean_ext. intros a. apply mean_dmap. Qed.

Lemma mean_sent_app u w f : mean (sent_through (u ++ w)) f =
  mean (sent_through u) (fun v => mean (sent_through w) (fun v' => f (v ++ v'))).
Proof.
  revert f. induction u as [| m u IH]; intros f; [simpl; rewrite mean_ret; reflexivity |].
  simpl app. rewrite !mean_sent_first. apply mean_ext. intros a. apply IH.
Qed.

Lemma orderless_sent f : orderless f -> orderless (fun u => mean (sent_through u) f).
Proof.
  intros F u v P. revert f F. induction P as [| m u v _ IH | m m' u | u v w _ IHu _ IHv]; intros f F.
  - reflexivity.
  - rewrite !mean_sent_first. apply mean_ext. intros a. apply IH, (orderless_app f [a] F).
  - rewrite !mean_sent_first.
    rewrite (mean_ext (channel m') _ (fun a => mean (channel m) (fun b => mean (sent_through u)
      (fun v => f (a :: b :: v))))) by (intros a; apply mean_sent_first).
    rewrite mean_swap. apply mean_ext. intros b. rewrite mean_sent_first. apply mean_ext. intros a. apply mean_ext.
    intros v. apply F, perm_swap.
  - rewrite (IHu f F). apply (IHv f F).
Qed.

Hypothesis channel_proper : forall m, proper (channel m).

Lemma proper_sent u : proper (sent_through u).
Proof.
  induction u as [| m u IH]; [apply proper_ret |]. apply proper_bind; [apply channel_proper |]. intros a.
  apply proper_dmap, IH.
Qed.

Context {X : Type} (R S : X -> dist (list M)).
Hypothesis through : forall x, same_row (S x) (bind (R x) sent_through).

Lemma messages_through xs f :
  orderless f -> mean (messages S xs) f = mean (messages R xs) (fun u => mean (sent_through u) f).
Proof.
  revert f. induction xs as [| x xs IH]; intros f F; [simpl; rewrite !mean_ret; simpl; rewrite mean_ret; reflexivity |].
  rewrite !mean_messages_first.
  rewrite (mean_ext (S x) _ (fun mine => mean (messages R xs) (fun u => mean (sent_through u)
    (fun v => f (mine ++ v))))) by (intros mine; apply IH, orderless_app, F).
  rewrite (through x).
  - rewrite mean_bind. apply mean_ext. intros w. rewrite mean_swap. apply mean_ext. intros u. symmetry.
    apply mean_sent_app.
  - intros u v P. apply mean_ext. intros w. apply mean_ext. intros v'. apply F, Permutation_app_tail, P.
Qed.

Theorem channel_below xs ys E delta : shuffle_below R xs ys E delta -> shuffle_below S xs ys E delta.
Proof.
  intros H T Sym. unfold Pr. rewrite !messages_through by (apply orderless_indicator, Sym).
  apply symmetric_below_mean; [exact H | apply orderless_sent, orderless_indicator, Sym |].
  intros u. apply (Pr_bounds (sent_through u) T (proper_sent u)).
Qed.

Theorem channel_shuffle_dp n eps delta : shuffle_dp n R eps delta -> shuffle_dp n S eps delta.
Proof. intros H xs ys N L. apply channel_below. intros T Sym. apply (H xs ys N L T Sym). Qed.

Theorem channel_add_or_remove n E delta : add_or_remove_below n R E delta -> add_or_remove_below n S E delta.
Proof. intros H xs x zs P L. destruct (H xs x zs P L). split; apply channel_below; assumption. Qed.

End channel.

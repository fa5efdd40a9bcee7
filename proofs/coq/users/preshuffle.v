(** A randomizer may as well shuffle its own messages first.

    A pre-shuffled randomizer puts the messages of its user into a uniformly random order before it sends
    them. Behind the shuffler this changes nothing: for every randomizer, any number of messages and every
    data set the shuffled messages of all users have one law with and without it ([preshuffle_view]). So an
    analyzer computes the same from them, and the two are private with the same eps and delta, for every n
    ([preshuffle_shuffle_dp]). No law needs to be proper.

    Proof. A value that does not depend on the order of all messages does not depend on the order of one
    user's among them. Source: Balcer and Cheu 2020, section 4; the proof is this package's. *)

From Coq Require Import Reals List Permutation.
From Exactdp Require Import sums laws privacy hockey_stick shuffler adding_a_user.
Import ListNotations.
Open Scope R_scope.

Definition preshuffled {X M} (R : X -> dist (list M)) (x : X) : dist (list M) := bind (R x) shuffler.

Lemma mean_shuffler_orderless {M} (f : list M -> R) u : orderless f -> mean (shuffler u) f = f u.
Proof.
  intros S. rewrite (mean_ext_in _ _ (fun _ => f u)).
  - apply mean_const, proper_shuffler.
  - intros wv I. symmetry. apply S, shuffler_permutation, I.
Qed.

Lemma preshuffled_messages {X M} (R : X -> dist (list M)) xs f :
  orderless f -> mean (messages (preshuffled R) xs) f = mean (messages R xs) f.
Proof.
  revert f. induction xs as [| x xs IH]; intros f S; [reflexivity |].
  rewrite !mean_messages_first. unfold preshuffled at 1. rewrite mean_bind.
  apply mean_ext. intros mine.
  rewrite (mean_ext _ _ (fun own => mean (messages R xs) (fun others => f (own ++ others)))).
  - apply (mean_shuffler_orderless (fun own => mean (messages R xs) (fun others => f (own ++ others)))).
    intros u v P. apply mean_ext. intros others. apply S, Permutation_app_tail, P.
  - intros own. apply IH, orderless_app, S.
Qed.

Theorem preshuffle_view {X M} (R : X -> dist (list M)) xs :
  same_law (bind (messages (preshuffled R) xs) shuffler) (bind (messages R xs) shuffler).
Proof.
  intros f. rewrite !mean_bind. apply preshuffled_messages.
  intros u v P. apply (shuffled_permutation u v P).
Qed.

Theorem preshuffle_shuffle_dp {X M} n (R : X -> dist (list M)) eps delta :
  shuffle_dp n (preshuffled R) eps delta <-> shuffle_dp n R eps delta.
Proof.
  split; intros H xs ys N L T S; specialize (H xs ys N L T S); unfold Pr in *;
    rewrite !preshuffled_messages in * by apply orderless_indicator, S; exact H.
Qed.

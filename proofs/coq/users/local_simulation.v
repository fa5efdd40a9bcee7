(** A shuffled protocol is simulated by a local one with the same randomizer.

    In the local model the aggregator sees who sent what: its input is the list of the users' reports, in
    their order, and a report is all that the user's randomizer has drawn ([reports]). Let it put all
    messages into a uniformly random order itself, and then run the analyzer of the shuffled protocol
    ([simulated]). Its output has the law of the shuffled protocol's, for every data set, every analyzer
    and any number of messages ([local_simulation]).

    With one message per user and delta = 0 that local protocol is as private as the shuffled one: a
    shuffled protocol of n >= 1 users that is (eps, 0)-DP has a randomizer that is
    ([equivalent_local_protocol]). With several messages only the second half fails, see complement.v.

    Proof. Drawing, then shuffling, then analyzing is one program, wherever the line between users and
    aggregator is drawn. Source: Balcer and Cheu 2020, Theorem 4.1; the proof is this package's. *)

From Coq Require Import Reals List.
From Exactdp Require Import sums laws privacy shuffler single_message.
Import ListNotations.
Open Scope R_scope.

(** What the aggregator of the local model sees: each user's report, in the order of the users. *)
Definition reports {X A} (R : X -> dist A) (xs : list X) : dist (list A) := messages (one_message R) xs.

(** The aggregator that shuffles the messages itself. *)
Definition simulated {M B} (analyzer : list M -> dist B) (received : list (list M)) : dist B :=
  bind (shuffler (concat received)) analyzer.

Lemma proper_simulated {M B} (analyzer : list M -> dist B) received :
  (forall y, proper (analyzer y)) -> proper (simulated analyzer received).
Proof. intros H. apply proper_bind; [apply proper_shuffler | exact H]. Qed.

Lemma concat_reports {X M} (R : X -> dist (list M)) xs f :
  mean (reports R xs) (fun u => f (concat u)) = mean (messages R xs) f.
Proof.
  unfold reports. revert f. induction xs as [| x xs IH]; intros f; [simpl; rewrite !mean_ret; reflexivity |].
  simpl. rewrite !mean_bind. unfold one_message at 1. rewrite mean_dmap. apply mean_ext. intros mine.
  rewrite !mean_bind.
  rewrite (mean_ext _ _ (fun others => f (mine ++ concat others))) by (intros; rewrite mean_ret; reflexivity).
  rewrite (IH (fun others => f (mine ++ others))). apply mean_ext. intros others.
  rewrite mean_ret. reflexivity.
Qed.

Theorem local_simulation {X M B} (R : X -> dist (list M)) (analyzer : list M -> dist B) xs :
  same_law (bind (reports R xs) (simulated analyzer)) (bind (bind (messages R xs) shuffler) analyzer).
Proof.
  intros f. unfold simulated. rewrite !mean_bind.
  rewrite (mean_ext _ _ (fun u => mean (shuffler (concat u)) (fun y => mean (analyzer y) f)))
    by (intros; apply mean_bind).
  apply (concat_reports R xs (fun u => mean (shuffler u) (fun y => mean (analyzer y) f))).
Qed.

Theorem equivalent_local_protocol {X M B} (R : X -> dist M) (analyzer : list M -> dist B) n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat -> shuffle_dp n (one_message R) eps 0 ->
  local_dp R eps 0 /\
  forall xs, same_law (bind (reports R xs) (fun received => bind (shuffler received) analyzer))
                      (bind (bind (messages (one_message R) xs) shuffler) analyzer).
Proof.
  intros HR Hn H. split; [apply (single_message_theorem R n); assumption |].
  intros xs f. unfold reports. rewrite !mean_bind. apply mean_ext. intros u. rewrite mean_bind. reflexivity.
Qed.

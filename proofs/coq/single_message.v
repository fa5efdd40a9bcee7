(** One message per user and no delta: the shuffler adds nothing.

    If every user sends exactly one message, drawn by R from his record, then for every n >= 1 and every
    real eps the shuffled messages of n users are (eps, 0)-DP if and only if R itself is. So the least
    eps of the shuffled protocol is the least eps of its randomizer, for every n.

    Proof. From the shuffled protocol to R: let T be a set of messages, p and q its probabilities under
    R x and R y. The event "all n messages lie in T" does not depend on their order. With n - 1 users who
    hold x it has the probability p p^(n-1) if the last one holds x as well, and q p^(n-1) if he holds y.
    So p p^(n-1) <= e^eps q p^(n-1), and p <= e^eps q, by division or because p = 0.
    From R to the protocol: what the users do together is a randomized function of one user's messages.
    That direction holds for any number of messages and any delta.
    Source: Balcer and Cheu 2020, Theorem 4.1, with the data sets corrected. *)

From Coq Require Import Reals List Bool Lra Lia Permutation.
From Exactdp Require Import sums laws reals privacy hockey_stick.
Import ListNotations.
Open Scope R_scope.

(** ** From the shuffled protocol to the randomizer *)

Lemma forallb_symmetric {M} (T : M -> bool) : symmetric (forallb T).
Proof.
  intros u v H. apply eq_true_iff_eq. rewrite !forallb_forall.
  split; intros F a Ha; apply F; revert Ha; apply Permutation_in; [apply Permutation_sym |]; exact H.
Qed.

(** All messages lie in T with the product of the users' probabilities. *)
Lemma all_messages_in {X M} (R : X -> dist M) (T : M -> bool) xs :
  Pr (messages (one_message R) xs) (forallb T) =
  fold_right (fun x t => Pr (R x) T * t) 1 xs.
Proof.
  induction xs as [| x xs IH]; simpl.
  - rewrite Pr_ret. reflexivity.
  - unfold one_message at 1. rewrite Pr_bind, mean_dmap.
    rewrite (mean_ext _ _ (fun m => fold_right (fun x t => Pr (R x) T * t) 1 xs * indicator T m)).
    + rewrite mean_scal. unfold Pr. ring.
    + intros m. rewrite Pr_bind, <- IH. unfold Pr at 2.
      rewrite Rmult_comm, <- mean_scal. apply mean_ext. intros others. rewrite Pr_ret.
      unfold indicator. simpl. destruct (T m); simpl; ring.
Qed.

Lemma all_messages_in_repeat {X M} (R : X -> dist M) (T : M -> bool) x y n :
  Pr (messages (one_message R) (y :: repeat x n)) (forallb T) = Pr (R y) T * Pr (R x) T ^ n.
Proof.
  rewrite all_messages_in. simpl. f_equal.
  induction n as [| n IH]; simpl; [| rewrite IH]; reflexivity.
Qed.

Theorem single_message_theorem {X M} (R : X -> dist M) n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 -> local_dp R eps 0.
Proof.
  intros HR Hn H x y T. destruct n as [| n]; [lia |].
  assert (A := H (x :: repeat x n) (y :: repeat x n) (replace_one [] x y (repeat x n))).
  specialize (A ltac:(simpl; rewrite repeat_length; reflexivity) (forallb T) (forallb_symmetric T)).
  rewrite !all_messages_in_repeat in A.
  destruct (Pr_bounds (R x) T (HR x)) as [Px _]. destruct (Pr_bounds (R y) T (HR y)) as [Py _].
  destruct Px as [Px | <-].
  - apply Rmult_le_reg_r with (Pr (R x) T ^ n); [apply pow_lt, Px | lra].
  - rewrite Rplus_0_r. apply Rmult_le_pos; [left; apply exp_pos | exact Py].
Qed.

(** ** From the randomizer to the protocol, with any number of messages and any delta *)

Lemma messages_below {X M} (R : X -> dist (list M)) eps delta before x y after :
  (forall x, proper (R x)) -> local_dp R eps delta ->
  below (messages R (before ++ x :: after)) (messages R (before ++ y :: after)) (exp eps) delta.
Proof.
  intros HR H. induction before as [| b before IH]; intros T; simpl; rewrite !Pr_bind.
  - apply below_mean; [apply H |]. intros mine. apply Pr_bounds.
    apply proper_bind; [apply proper_messages, HR | intros; apply proper_ret].
  - rewrite <- mean_scal, <- (mean_const (R b) delta (HR b)) at 1. rewrite <- mean_plus.
    apply mean_le; [apply HR |]. intros mine. apply (below_dmap (app mine) _ _ _ _ IH).
Qed.

Theorem shuffle_dp_of_local_dp {X M} (R : X -> dist (list M)) n eps delta :
  (forall x, proper (R x)) -> local_dp R eps delta -> shuffle_dp n R eps delta.
Proof. intros HR H xs ys [before x y after] _ T _. apply messages_below; assumption. Qed.

(** ** Together *)

Theorem single_message_pure_epsilon {X M} (R : X -> dist M) n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 <-> local_dp R eps 0.
Proof.
  intros HR Hn. split; [apply single_message_theorem; assumption |].
  intros H. apply shuffle_dp_of_local_dp.
  - intros x. apply proper_dmap, HR.
  - intros x y. apply below_dmap, H.
Qed.

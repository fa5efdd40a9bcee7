(** Users who send one message each, and above all one bit each.

    For every randomizer with one message per user, any records, and any number of users:
    - an expectation over the messages may be taken user by user, in any order of the users if the
      function does not look at the order of the messages;
    - if the messages are bits, then a function that does not look at their order is one of the number of
      ones (for a given number of users), and this number has the mean and the variance that one expects
      of a sum of independent bits. No two users need to have the same law.

    Idea: induction on the list of users. *)

From Coq Require Import Reals List Permutation Lra Lia.
From Exactdp Require Import sums laws privacy bits.
Import ListNotations.
Open Scope R_scope.

(** ** Users one by one *)

Lemma proper_one_message {X M} (send : X -> dist M) x : proper (send x) -> proper (one_message send x).
Proof. apply proper_dmap. Qed.

Lemma mean_messages_nil {X M} (send : X -> dist (list M)) f : mean (messages send []) f = f [].
Proof. apply mean_ret. Qed.

Lemma mean_messages_cons {X M} (send : X -> dist M) x xs f :
  mean (messages (one_message send) (x :: xs)) f =
  mean (send x) (fun m => mean (messages (one_message send) xs) (fun y => f (m :: y))).
Proof.
  simpl. rewrite mean_bind. unfold one_message at 1. rewrite mean_dmap.
  apply mean_ext. intros m. rewrite mean_bind. apply mean_ext. intros y. apply mean_ret.
Qed.

(** Every user sends exactly one message. *)
Lemma mean_messages_length {X M} (send : X -> dist M) xs f g :
  (forall y, length y = length xs -> f y = g y) ->
  mean (messages (one_message send) xs) f = mean (messages (one_message send) xs) g.
Proof.
  revert f g. induction xs as [| x xs IH]; intros f g H.
  - rewrite !mean_messages_nil. apply H. reflexivity.
  - rewrite !mean_messages_cons. apply mean_ext. intros m. apply IH.
    intros y L. apply H. simpl. rewrite L. reflexivity.
Qed.

(** Where the order of the messages does not matter, any user may be taken first. *)
Lemma mean_messages_middle {X M} (send : X -> dist M) before x after (f : list M -> R) :
  (forall u v, Permutation u v -> f u = f v) ->
  mean (messages (one_message send) (before ++ x :: after)) f =
  mean (send x) (fun m => mean (messages (one_message send) (before ++ after)) (fun y => f (m :: y))).
Proof.
  revert f. induction before as [| z before IH]; intros f H; simpl app.
  - apply mean_messages_cons.
  - rewrite mean_messages_cons.
    rewrite mean_ext with (g := fun a => mean (send x) (fun m =>
      mean (messages (one_message send) (before ++ after)) (fun y => f (a :: m :: y)))).
    + rewrite mean_swap. apply mean_ext. intros m. rewrite mean_messages_cons.
      apply mean_ext. intros a. apply mean_ext. intros y. apply H, perm_swap.
    + intros a. apply IH. intros u v P. apply H, perm_skip, P.
Qed.

(** ** Events on bits *)

(** A symmetric function of n bits is a function of the number of ones. *)
Lemma function_of_ones {A} (f : list bool -> A) n :
  (forall u v, Permutation u v -> f u = f v) ->
  exists g : nat -> A, forall y, length y = n -> f y = g (ones y).
Proof.
  intros H. exists (fun k => f (sorted_bits n k)). intros y <-. apply H, permutation_sorted_bits.
Qed.

(** ** Mean and variance of a sum of independent bits *)

(** The probability of the answer 1. *)
Definition chance (d : dist bool) : R := Pr d (fun b => b).

Lemma mean_bit (d : dist bool) f :
  proper d -> mean d f = chance d * f true + (1 - chance d) * f false.
Proof.
  intros H. rewrite (mean_ext d f (fun b => (f true - f false) * indicator (fun b => b) b + f false)).
  - rewrite mean_plus, mean_scal, mean_const by exact H. unfold chance, Pr. ring.
  - intros [|]; unfold indicator; ring.
Qed.

Lemma chance_bounds (d : dist bool) : proper d -> 0 <= chance d <= 1.
Proof. apply Pr_bounds. Qed.

(** The mean of a sum is the sum of the means, and the centred second moment about a. *)

Lemma ones_cons b y : INR (ones (b :: y)) = INR (Nat.b2n b) + INR (ones y).
Proof. destruct b; cbn [ones Nat.b2n]; [rewrite S_INR |]; simpl; ring. Qed.

Lemma mean_ones {X} (send : X -> dist bool) xs :
  (forall x, proper (send x)) ->
  mean (messages (one_message send) xs) (fun y => INR (ones y)) = total xs (fun x => chance (send x)).
Proof.
  intros H. induction xs as [| x xs IH]; [apply mean_messages_nil |].
  rewrite mean_messages_cons.
  rewrite (mean_ext _ _ (fun b => INR (Nat.b2n b) + total xs (fun x => chance (send x)))).
  - rewrite mean_bit by apply H. simpl. ring.
  - intros b. rewrite <- IH, (mean_ext _ _ _ (ones_cons b)).
    rewrite mean_plus, mean_const; [reflexivity |].
    apply proper_messages. intros. apply proper_one_message, H.
Qed.

Lemma variance_ones {X} (send : X -> dist bool) xs a :
  (forall x, proper (send x)) ->
  mean (messages (one_message send) xs) (fun y => (INR (ones y) - a) ^ 2) =
  (total xs (fun x => chance (send x)) - a) ^ 2 + total xs (fun x => chance (send x) * (1 - chance (send x))).
Proof.
  intros H. revert a. induction xs as [| x xs IH]; intros a.
  - rewrite mean_messages_nil. simpl. ring.
  - rewrite mean_messages_cons, mean_bit by apply H.
    rewrite (mean_ext _ (fun y => (INR (ones (true :: y)) - a) ^ 2)
                        (fun y => (INR (ones y) - (a - 1)) ^ 2)).
    + cbn [ones]. rewrite !IH. simpl total. ring.
    + intros y. cbn [ones]. rewrite S_INR. ring.
Qed.

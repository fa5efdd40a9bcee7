(** The complement protocol: privacy that is the shuffler's alone.

    A user with the bit x sends the two messages x and not x, without any randomness. For every n and
    every data set the shuffler shows n zeros and n ones, so the shuffled protocol is (0, 0)-DP
    ([complement_view], [complement_shuffle_dp]). The randomizer alone shows x: it is not
    (eps, delta)-DP for any real eps and any delta < 1 ([complement_local]). If each user first puts his
    own two messages into a random order, what he sends has one law for both bits, so that it is
    (0, 0)-DP even locally ([complement_preshuffle], [complement_preshuffle_local_dp]).

    Proof. {x, not x} is {0, 1} for both x. For the second: the event "first 1, then 0" has the
    probability 1 for x = 1, and 0 for x = 0. Source: Balcer and Cheu 2020, section 4. *)

From Coq Require Import Reals List Bool Lra Permutation.
From Exactdp Require Import sums laws privacy shuffler.
Import ListNotations.
Open Scope R_scope.

Definition complement_randomizer (x : bool) : dist (list bool) := ret [x; negb x].

(** ** The shuffled view *)

(** Without randomness the messages are one list, of n zeros and n ones in some order. *)
Lemma mean_complement_messages xs f :
  mean (messages complement_randomizer xs) f = f (flat_map (fun x => [x; negb x]) xs).
Proof.
  revert f. induction xs as [| x xs IH]; intros f; [apply mean_ret |].
  cbn [messages flat_map]. rewrite mean_bind. unfold complement_randomizer at 1.
  rewrite mean_ret, mean_bind, IH, mean_ret. reflexivity.
Qed.

Lemma complement_messages_permutation xs :
  Permutation (flat_map (fun x => [x; negb x]) xs)
    (repeat false (length xs) ++ repeat true (length xs)).
Proof.
  induction xs as [| x xs IH]; simpl; [constructor |].
  transitivity (false :: true :: flat_map (fun x => [x; negb x]) xs).
  - destruct x; simpl; [apply perm_swap | reflexivity].
  - apply perm_skip. transitivity (true :: repeat false (length xs) ++ repeat true (length xs)).
    + apply perm_skip, IH.
    + apply Permutation_middle.
Qed.

Theorem complement_view xs T :
  symmetric T ->
  Pr (messages complement_randomizer xs) T =
  indicator T (repeat false (length xs) ++ repeat true (length xs)).
Proof.
  intros S. unfold Pr. rewrite mean_complement_messages. unfold indicator.
  rewrite (S _ _ (complement_messages_permutation xs)). reflexivity.
Qed.

Theorem complement_shuffle_dp n : shuffle_dp n complement_randomizer 0 0.
Proof.
  intros xs ys N _ T S. rewrite !complement_view by exact S.
  rewrite (neighbors_length xs ys N), exp_0. lra.
Qed.

(** ** The randomizer alone *)

Definition one_then_zero (u : list bool) : bool :=
  if list_eq_dec bool_dec u [true; false] then true else false.

Theorem complement_local eps delta : delta < 1 -> ~ local_dp complement_randomizer eps delta.
Proof.
  intros Hd H. specialize (H true false one_then_zero).
  unfold complement_randomizer in H. rewrite !Pr_ret in H.
  unfold indicator, one_then_zero in H. simpl in H. lra.
Qed.

(** ** With a random order of one's own messages *)

Lemma complement_preshuffle x y :
  same_law (bind (complement_randomizer x) shuffler) (bind (complement_randomizer y) shuffler).
Proof.
  intros f. unfold complement_randomizer. rewrite !mean_bind, !mean_ret.
  apply shuffled_permutation. destruct x, y; simpl; apply Permutation_refl || apply perm_swap.
Qed.

Theorem complement_preshuffle_local_dp :
  local_dp (fun x => bind (complement_randomizer x) shuffler) 0 0.
Proof.
  intros x y T. unfold Pr. rewrite (complement_preshuffle x y), exp_0. lra.
Qed.

(** Users who send one of two bundles of messages are users who send one of two messages.

    Let every user send one of two lists of messages, [bundle true] or [bundle false], of any lengths and types, or
    whatever the shuffler cannot tell from that: a user with input u sends the first with the probability with which
    [send u] is true. If the two bundles are not the same messages in another order, then for any two data sets of
    equally many users and all real E and delta:

    - they are (E, delta)-below each other if and only if they are so where users send the bit itself
      ([two_bundles]). So for bundles too only the inputs with the least and the greatest probability matter, and
      half-lines of the number of users who sent the first bundle are the events (two_messages.v);
    - the same for privacy of n users, n >= 0 and every real eps ([two_bundles_shuffle_dp]).

    If they are the same messages, the views tell nothing at all, and only "if" is true.

    Idea: the multiset of all messages gives the number of users who sent the first bundle, and that gives it.
    Source: this package. *)

From Coq Require Import Reals List Lra Lia Permutation Classical.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user equal_rows moved_bystanders.
From Exactdp Require Import bits bit_messages.
Import ListNotations.
Open Scope R_scope.

Section bundles.

Context {X M : Type} (R : X -> dist (list M)) (send : X -> dist bool) (bundle : bool -> list M).
Hypothesis two_kinds_of_rows : forall x, same_row (R x) (dmap bundle (send x)).

Lemma mean_bundles xs (f : list M -> Rdefinitions.R) :
  orderless f ->
  mean (messages R xs) f = mean (messages (one_message send) xs) (fun u => f (flat_map bundle u)).
Proof.
  revert f. induction xs as [| x xs IH]; intros f F.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_first, mean_messages_cons.
    rewrite (two_kinds_of_rows x _ (orderless_mean_others (messages R xs) f F)), mean_dmap.
    apply mean_ext. intros b. rewrite (IH (fun others => f (bundle b ++ others))); [reflexivity |].
    apply orderless_app, F.
Qed.

(** How often a message occurs among all. *)
Lemma count_bundles u m :
  count_occ same (flat_map bundle u) m =
  (ones u * count_occ same (bundle true) m + (length u - ones u) * count_occ same (bundle false) m)%nat.
Proof.
  induction u as [| b u IH]; [reflexivity |]. simpl flat_map. rewrite count_occ_app, IH.
  assert (L := ones_le_length u). destruct b; simpl ones; simpl length.
  - replace (S (length u) - S (ones u))%nat with (length u - ones u)%nat by lia. lia.
  - replace (S (length u) - ones u)%nat with (S (length u - ones u)) by lia. lia.
Qed.

Hypothesis different : ~ Permutation (bundle true) (bundle false).

(** So the messages of all tell which bundles were sent, but for their order. *)
Lemma bundles_tell u v :
  length u = length v -> Permutation (flat_map bundle u) (flat_map bundle v) -> Permutation u v.
Proof.
  intros L P. rewrite (Permutation_count_occ same) in P, different.
  apply not_all_ex_not in different. destruct different as [m N].
  specialize (P m). rewrite !count_bundles, L in P.
  assert (A := ones_le_length u). assert (B := ones_le_length v). rewrite L in A.
  assert (O : ones u = ones v) by nia.
  rewrite (permutation_sorted_bits u), (permutation_sorted_bits v), L, O. reflexivity.
Qed.

Theorem two_bundles xs ys E delta :
  length xs = length ys ->
  shuffle_below R xs ys E delta <-> shuffle_below (one_message send) xs ys E delta.
Proof.
  intros L. assert (Bits : forall T zs, symmetric T ->
    Pr (messages R zs) T = Pr (messages (one_message send) zs) (fun u => T (flat_map bundle u))).
  { intros T zs S. apply (mean_bundles zs (indicator T)), orderless_indicator, S. }
  split; intros H T S.
  - set (T' := fun v => if decide (exists u, length u = length xs /\ Permutation v (flat_map bundle u) /\ T u = true)
                        then true else false).
    assert (S' : symmetric T').
    { intros v w P. unfold T'. destruct (decide _) as [[u [Lu [Q Tu]]] | No], (decide _) as [Yes | No'];
        try reflexivity; exfalso.
      - apply No'. exists u. rewrite <- P. auto.
      - destruct Yes as [u [Lu [Q Tu]]]. apply No. exists u. rewrite P. auto. }
    assert (Same : forall u, length u = length xs -> T' (flat_map bundle u) = T u).
    { intros u Lu. unfold T'. destruct (decide _) as [[v [Lv [Q Tv]]] | No].
      - rewrite <- Tv. apply S, Permutation_sym, bundles_tell; [congruence | exact Q].
      - destruct (T u) eqn:Tu; [| reflexivity]. destruct No. exists u. auto. }
    specialize (H T' S'). rewrite !(Bits T' _ S') in H. unfold Pr in *.
    rewrite (mean_messages_length send xs _ (indicator T)) in H
      by (intros u Lu; unfold indicator; rewrite Same; auto).
    rewrite (mean_messages_length send ys _ (indicator T)) in H
      by (intros u Lu; unfold indicator; rewrite Same; [reflexivity | congruence]).
    exact H.
  - rewrite !(Bits T _ S). apply H. intros u v P. apply S, Permutation_flat_map, P.
Qed.

Theorem two_bundles_shuffle_dp n eps delta :
  shuffle_dp n R eps delta <-> shuffle_dp n (one_message send) eps delta.
Proof.
  split; intros H xs ys N L;
    [apply (proj1 (two_bundles xs ys (exp eps) delta (neighbors_length xs ys N)))
    | apply (proj2 (two_bundles xs ys (exp eps) delta (neighbors_length xs ys N)))]; exact (H xs ys N L).
Qed.

End bundles.

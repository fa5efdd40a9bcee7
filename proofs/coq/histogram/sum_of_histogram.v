(** The sum of the records and their histogram: the one is computed from the other, not conversely.

    The bins are 0, 1, ..., d-1. For every d and every data set of records in the bins, the sum of the
    records is the sum of j times the number of users in bin j ([sum_of_histogram]): a private histogram
    gives a private sum, by post-processing. With d >= 3 bins and n >= 2 users no function computes the
    histogram from the sum ([histogram_not_of_sum]): records 0 and 2 have the sum of 1 and 1. So estimating
    a histogram is not the easier task. Elementary; source: this package (pure-mean-and-histogram). *)

From Coq Require Import Reals List Lia.
From Exactdp Require Import sums laws privacy adding_a_user zsum histogram.
Import ListNotations.
Open Scope nat_scope.

(** 0 c_0 + 1 c_1 + 2 c_2 + ..., the first count being that of bin i. *)
Fixpoint sum_from_counts (i : nat) (counted : list nat) : nat :=
  match counted with
  | [] => 0
  | c :: rest => i * c + sum_from_counts (S i) rest
  end.

Lemma sum_from_counts_add i k (f g : nat -> nat) :
  sum_from_counts i (map (fun j => f j + g j) (seq i k)) =
  sum_from_counts i (map f (seq i k)) + sum_from_counts i (map g (seq i k)).
Proof. revert i. induction k as [| k IH]; intros i; simpl; [reflexivity | rewrite IH; lia]. Qed.

Lemma sum_from_counts_one x i k :
  sum_from_counts i (map (fun j => if Nat.eq_dec x j then 1 else 0) (seq i k)) =
  if in_dec Nat.eq_dec x (seq i k) then x else 0.
Proof.
  revert i. induction k as [| k IH]; intros i; [reflexivity |].
  cbn [seq map sum_from_counts]. rewrite IH.
  destruct (Nat.eq_dec x i) as [E | N], (in_dec Nat.eq_dec x (seq (S i) k)) as [I | I],
    (in_dec Nat.eq_dec x (i :: seq (S i) k)) as [J | J]; simpl in J; try rewrite in_seq in *; try lia;
    exfalso; apply J; auto.
Qed.

Lemma sum_from_counts_none i (js : list nat) : sum_from_counts i (map (fun _ => 0) js) = 0.
Proof. revert i. induction js as [| j js IH]; intros i; simpl; [reflexivity | rewrite IH; lia]. Qed.

Theorem sum_of_histogram d xs :
  (forall x, In x xs -> x < d) -> list_sum xs = sum_from_counts 0 (counts d xs).
Proof.
  intros H. unfold counts. induction xs as [| x xs IH].
  - simpl. rewrite sum_from_counts_none. reflexivity.
  - rewrite (map_ext _ (fun j => (if Nat.eq_dec x j then 1 else 0) + count_occ Nat.eq_dec xs j)).
    + rewrite sum_from_counts_add, <- IH by (intros; apply H; right; assumption).
      rewrite sum_from_counts_one. destruct (in_dec Nat.eq_dec x (seq 0 d)) as [I | I]; [reflexivity |].
      exfalso. apply I, in_seq. specialize (H x (or_introl eq_refl)). lia.
    + intros j. simpl. destruct (Nat.eq_dec x j); reflexivity.
Qed.

Theorem histogram_not_of_sum d n : 3 <= d -> 2 <= n ->
  ~ exists f, forall xs, length xs = n -> (forall x, In x xs -> x < d) -> counts d xs = f (list_sum xs).
Proof.
  intros Hd Hn [f H]. destruct d as [| [| d]]; try lia. set (rest := repeat 0 (n - 2)).
  assert (A : counts (S (S d)) (0 :: 2 :: rest) = f (list_sum (0 :: 2 :: rest))).
  { apply H; [simpl; unfold rest; rewrite repeat_length; lia |].
    intros x [<- | [<- | I]]; [lia | lia | apply repeat_spec in I; lia]. }
  assert (B : counts (S (S d)) (1 :: 1 :: rest) = f (list_sum (1 :: 1 :: rest))).
  { apply H; [simpl; unfold rest; rewrite repeat_length; lia |].
    intros x [<- | [<- | I]]; [lia | lia | apply repeat_spec in I; lia]. }
  change (list_sum (1 :: 1 :: rest)) with (list_sum (0 :: 2 :: rest)) in B. rewrite <- A in B.
  apply (f_equal (fun l => nth 1 l 0)) in B. unfold counts in B. cbn [seq map nth] in B. simpl in B. lia.
Qed.

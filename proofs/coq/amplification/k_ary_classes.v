(** The classes of k-ary randomized response.

    k >= 2 inputs and messages 0, ..., k - 1; real E = e^eps0 >= 1. The own input is sent with the probability E / (E
    + k - 1), every other message with 1 / (E + k - 1) ([k_ary_response]). Each message supports one input, so of two
    or three inputs none is supported by k - 2 or k - 3 messages, and each alone by one: the list of families.py
    ([k_ary_blanket], [k_ary_others]). Proved for every n and every real e^eps; no message supports two inputs, so
    the blanket is 1 / (E + k - 1) for every message, and the greatest one. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick mean_excess classes supports.
Import ListNotations.
Open Scope R_scope.

(** The probability of a wrong message. *)
Definition response_low (k : nat) (E : R) : R := / (E + INR k - 1).

Definition k_ary_response (k : nat) (E : R) (x : nat) : dist nat :=
  map (fun m => (if Nat.eqb m x then E * response_low k E else response_low k E, m)) (seq 0 k).

(** Of these inputs, how many messages are in each pattern of supports. *)
Definition one_of (k length : nat) (bits : list bool) : R :=
  match ones bits with
  | O => INR (k - length)
  | S O => 1
  | _ => 0
  end.

(** Each message once. *)
Definition counting {M} (l : list M) : dist M := map (fun m => (1, m)) l.

Lemma mean_counting {M} (l : list M) f : mean (counting l) f = total l f.
Proof. unfold mean, counting. rewrite total_map. apply total_ext. intros. simpl. ring. Qed.

Lemma sub_law_counting {M} (l : list M) : sub_law (counting l).
Proof. intros wa I. apply in_map_iff in I. destruct I as [m [<- _]]. simpl. lra. Qed.

Lemma response_low_positive k E : (1 <= k)%nat -> 1 <= E -> 0 < response_low k E.
Proof. intros K HE. apply (le_INR 1) in K. simpl in K. apply Rinv_0_lt_compat. lra. Qed.

Lemma total_indicator_seq k x c :
  (x < k)%nat -> total (seq 0 k) (fun m => if Nat.eqb m x then c else 0) = c.
Proof.
  intros X. transitivity (total (seq 0 k) (fun m => if Nat.eq_dec x m then c else 0)).
  2: { apply total_single; [apply seq_NoDup | apply in_seq; lia]. }
  apply total_ext. intros m _. destruct (Nat.eqb_spec m x) as [-> | N], (Nat.eq_dec x _); congruence.
Qed.

Lemma k_ary_proper k E x : 1 <= E -> (x < k)%nat -> proper (k_ary_response k E x).
Proof.
  intros HE X. assert (L := response_low_positive k E ltac:(lia) HE). split.
  - intros wa I. apply in_map_iff in I. destruct I as [m [<- _]]. simpl.
    assert (0 <= E * response_low k E) by (apply Rmult_le_pos; lra). destruct (Nat.eqb m x); lra.
  - unfold mean, k_ary_response. rewrite total_map. cbn [fst snd].
    rewrite (total_ext _ _ (fun m => (if Nat.eqb m x then (E - 1) * response_low k E else 0) + response_low k E))
      by (intros m _; destruct (Nat.eqb m x); ring).
    rewrite total_plus, total_indicator_seq, total_const, seq_length by exact X.
    unfold response_low in *. assert (K := le_INR 1 k ltac:(lia)). simpl in K. field. lra.
Qed.

Lemma k_ary_scheme k E :
  (1 <= k)%nat -> 1 <= E ->
  scheme (k_ary_response k E) k (counting (seq 0 k)) (fun v m => Nat.eqb m v) (E * response_low k E) (response_low k E).
Proof.
  intros K HE. assert (L := response_low_positive k E K HE). split; [apply sub_law_counting | split].
  - split; [lra |]. rewrite <- (Rmult_1_l (response_low k E)) at 1. apply Rmult_le_compat_r; lra.
  - intros x _ f. rewrite mean_counting. unfold mean, k_ary_response. rewrite total_map. apply total_ext.
    intros m _. unfold density. simpl. reflexivity.
Qed.

(** Sums over all messages of what tells the messages of some inputs apart. *)
Lemma total_seq_two k x y f (a b c : R) :
  (x < k)%nat -> (y < k)%nat -> x <> y ->
  (forall m, f m = if Nat.eqb m x then a else if Nat.eqb m y then b else c) ->
  total (seq 0 k) f = a + b + INR (k - 2) * c.
Proof.
  intros X Y N H.
  rewrite (total_ext _ _ (fun m => (if Nat.eqb m x then a - c else 0) + ((if Nat.eqb m y then b - c else 0) + c))).
  - rewrite !total_plus, !total_indicator_seq, total_const, seq_length by assumption.
    rewrite minus_INR by lia. simpl. ring.
  - intros m _. rewrite H. destruct (Nat.eqb_spec m x), (Nat.eqb_spec m y); try ring. congruence.
Qed.

Lemma k_ary_pair k x y :
  (x < k)%nat -> (y < k)%nat -> x <> y ->
  patterns (counting (seq 0 k)) (fun v m => Nat.eqb m v) [x; y] (one_of k 2).
Proof.
  intros X Y N. split.
  - intros bits. unfold one_of. destruct (ones bits) as [| [|]]; try lra. apply pos_INR.
  - intros f. rewrite mean_counting.
    rewrite (total_seq_two k x y _ (f [true; false]) (f [false; true]) (f [false; false]) X Y N).
    + simpl. unfold one_of. simpl. ring.
    + intros m. simpl. destruct (Nat.eqb_spec m x), (Nat.eqb_spec m y); try reflexivity. congruence.
Qed.

Lemma k_ary_third k x y z :
  (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y ->
  patterns (counting (seq 0 k)) (fun v m => Nat.eqb m v) [x; y; z] (one_of k 3).
Proof.
  intros X Y Z N1 N2 N3. split.
  - intros bits. unfold one_of. destruct (ones bits) as [| [|]]; try lra. apply pos_INR.
  - intros f. rewrite mean_counting.
    rewrite (total_ext _ _ (fun m => (if Nat.eqb m z then f [false; false; true] - f [false; false; false] else 0) +
      (if Nat.eqb m x then f [true; false; false] else if Nat.eqb m y then f [false; true; false] else
       f [false; false; false]))).
    + rewrite total_plus, total_indicator_seq by exact Z.
      rewrite (total_seq_two k x y _ _ _ _ X Y N1 (fun m => eq_refl)).
      assert (K : (3 <= k)%nat) by lia. simpl. unfold one_of. simpl. rewrite !minus_INR by lia. simpl. ring.
    + intros m _. simpl. destruct (Nat.eqb_spec m x), (Nat.eqb_spec m y), (Nat.eqb_spec m z); try ring; congruence.
Qed.

(** The greatest law below every row: a wrong message's probability for each message. *)
Definition k_ary_reference (k : nat) (E : R) : dist nat :=
  blanket_of (counting (seq 0 k)) (E * response_low k E) (response_low k E) (fun _ => false).

Theorem k_ary_blanket k E :
  (2 <= k)%nat -> 1 <= E ->
  has_blanket (k_ary_response k E) k (k_ary_reference k E) (E * response_low k E) (response_low k E) 0 (one_of k 2).
Proof.
  intros K HE. apply (family_blanket _ k _ _ _ _ (k_ary_scheme k E ltac:(lia) HE) _ (k_ary_pair k) (fun _ => false)).
  - lia.
  - intros v V. apply k_ary_proper; assumption.
  - discriminate.
  - intros [w m] _ _. simpl. destruct m as [| m]; [exists 1%nat | exists 0%nat]; split; auto; lia.
  - rewrite mean_counting. unfold indicator. apply total_zero.
Qed.

Theorem k_ary_others k E :
  (2 <= k)%nat -> 1 <= E ->
  has_pair (k_ary_response k E) k (E * response_low k E) (response_low k E) (one_of k 2) /\
  has_third (k_ary_response k E) k (E * response_low k E) (response_low k E) (fun _ _ _ => True) (one_of k 3).
Proof.
  intros K HE. assert (S := k_ary_scheme k E ltac:(lia) HE). split.
  - apply (family_pair _ k _ _ _ _ S), k_ary_pair.
  - apply (family_third _ k _ _ _ _ S). intros. apply k_ary_third; assumption.
Qed.

(** The classes of unary encoding.

    d >= 2 inputs; a message has a bit for each input, drawn independently: 1 with probability p for the own input
    and with probability q for the others ([unary_encoding]), 0 < q < p < 1. A message supports the inputs whose bit
    is 1. With u the law of d bits that are all 1 with probability q: high = p / q, low = (1 - p) / (1 - q); the bits
    of any inputs are independent under u, and all d of them are 1 with probability q^d. So the classes are those of
    families.py ([unary_blanket], [unary_others]), and without the class of all ones the blanket is smaller and still
    one ([unary_smaller_blanket]), for every n and every real e^eps. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick independence mean_excess blanket classes supports drawn_again.
Import ListNotations.
Open Scope R_scope.

(** Bits that are 1 with these probabilities, one drawn after the other. *)
Definition unary_encoding (d : nat) (p q : R) (x : nat) : dist (list bool) :=
  draws (map (fun i => coin (if Nat.eqb i x then p else q)) (seq 0 d)).

Definition bit_of (v : nat) (m : list bool) : bool := nth v m false.

(** The own bit has another law: a density that looks at it alone. *)
Lemma unary_density p q x d s f :
  0 < q < 1 -> (s <= x < s + d)%nat ->
  mean (draws (map (fun i => coin (if Nat.eqb i x then p else q)) (seq s d))) f =
  mean (copies (coin q) d) (fun m => density (p / q) ((1 - p) / (1 - q)) (bit_of (x - s) m) * f m).
Proof.
  intros Q. revert s f. induction d as [| d IH]; intros s f X; [lia |].
  cbn [seq map]. rewrite mean_draws_first, mean_copies_first, !mean_coin. destruct (Nat.eqb_spec s x) as [<- | N].
  - rewrite Nat.sub_diag. unfold bit_of, density. simpl. rewrite !mean_scal.
    assert (L : forall l, (forall i, In i l -> (s < i)%nat) -> forall g,
      mean (draws (map (fun i => coin (if Nat.eqb i s then p else q)) l)) g = mean (copies (coin q) (length l)) g).
    { clear. intros l. induction l as [| i l IH]; intros H g; [reflexivity |]. cbn [map].
      rewrite mean_draws_first. cbn [length]. rewrite mean_copies_first.
      destruct (Nat.eqb_spec i s) as [-> | _]; [specialize (H s (or_introl eq_refl)); lia |].
      apply mean_ext. intros b. apply IH. intros j J. apply H. right. exact J. }
    rewrite !L by (intros i I; apply in_seq in I; lia). rewrite seq_length. field. lra.
  - rewrite !IH by lia. replace (x - s)%nat with (S (x - S s)) by lia. reflexivity.
Qed.

Section Unary.

  Context (d : nat) (p q : R).
  Hypothesis two : (2 <= d)%nat.
  Hypothesis chances : 0 < q < p.
  Hypothesis below_1 : p < 1.

  Local Notation high := (p / q).
  Local Notation low := ((1 - p) / (1 - q)).

  Lemma unary_scheme : scheme (unary_encoding d p q) d (copies (coin q) d) bit_of high low.
  Proof.
    split; [| split].
    - exact (proj1 (proper_copies (coin q) d (proper_coin q ltac:(lra)))).
    - split; [apply Rle_mult_inv_pos; lra |].
      apply Rle_trans with 1; [apply Rmult_le_reg_r with (1 - q); [lra |] | apply Rmult_le_reg_r with q; [lra |]];
        unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
    - intros x X f. unfold unary_encoding. rewrite (unary_density p q x d 0) by (lra || lia).
      rewrite Nat.sub_0_r. reflexivity.
  Qed.

  Lemma unary_patterns inputs :
    NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
    patterns (copies (coin q) d) bit_of inputs (independent_bits q 1).
  Proof.
    intros N I. apply independent_patterns; try lra.
    - exact (proj2 (proper_copies (coin q) d (proper_coin q ltac:(lra)))).
    - intros v rest f Sub V. assert (Hv := I v (Sub v (or_introl eq_refl))).
      rewrite (copies_drawn_again _ d v) by (exact Hv || apply proper_coin; lra). apply total_ext. intros wm J. f_equal.
      assert (O : forall b, map (fun w => bit_of w (set_value v b (snd wm))) rest =
        map (fun w => bit_of w (snd wm)) rest).
      { intros b. apply map_ext_in. intros w W. apply set_value_other. intros ->. contradiction. }
      assert (L := copies_length _ _ _ J). unfold bit_of at 1. rewrite mean_coin, !O, !set_value_same by lia.
      reflexivity.
    - exact N.
  Qed.

  Lemma unary_pair x y : (x < d)%nat -> (y < d)%nat -> x <> y ->
    patterns (copies (coin q) d) bit_of [x; y] (independent_bits q 1).
  Proof.
    intros X Y N. apply unary_patterns.
    - constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | []]]; assumption.
  Qed.

  Definition all_ones (m : list bool) : bool := forallb (fun v => bit_of v m) (seq 0 d).

  Lemma all_ones_chance e :
    mean (copies (coin q) e) (fun m => if forallb (fun v => bit_of v m) (seq 0 e) then 1 else 0) = q ^ e.
  Proof.
    induction e as [| e IH]; [rewrite mean_copies_none; reflexivity |].
    rewrite mean_copies_first, mean_coin.
    assert (Sh : forall b m, forallb (fun v => bit_of v (b :: m)) (seq 1 e) = forallb (fun v => bit_of v m) (seq 0 e)).
    { clear IH. intros b m. rewrite <- seq_shift. induction (seq 0 e) as [| i l IHl]; [reflexivity |]. simpl.
      rewrite IHl. reflexivity. }
    rewrite (mean_ext _ _ (fun m => if forallb (fun v => bit_of v m) (seq 0 e) then 1 else 0))
      by (intros m; cbn [seq forallb]; rewrite Sh; reflexivity).
    rewrite (mean_ext _ (fun rest => if forallb (fun v => bit_of v (false :: rest)) (seq 0 (S e)) then 1 else 0)
      (fun _ => 0 * 1)) by (intros m; simpl; ring).
    rewrite IH, mean_scal. simpl. ring.
  Qed.

  Lemma unary_proper x : proper (unary_encoding d p q x).
  Proof.
    apply proper_draws, Forall_forall. intros law I. apply in_map_iff in I. destruct I as [i [<- _]].
    apply proper_coin. destruct (Nat.eqb i x); lra.
  Qed.

  Lemma unary_blanket_here :
    has_blanket (unary_encoding d p q) d (blanket_of (copies (coin q) d) high low all_ones) high low (q ^ d)
      (independent_bits q 1).
  Proof.
    apply (family_blanket _ d _ _ _ _ unary_scheme _ unary_pair all_ones).
    - lia.
    - intros v _. apply unary_proper.
    - intros m H v V. unfold all_ones in H. rewrite forallb_forall in H. apply H, in_seq. lia.
    - intros wm _ H. unfold all_ones in H.
      destruct (decide (exists v, (v < d)%nat /\ bit_of v (snd wm) = false)) as [Y | No]; [exact Y |].
      assert (T : forallb (fun v => bit_of v (snd wm)) (seq 0 d) = true); [| congruence].
      apply forallb_forall. intros v V. apply in_seq in V. destruct (bit_of v (snd wm)) eqn:B; [reflexivity |].
      exfalso. apply No. exists v. split; [lia | exact B].
    - apply all_ones_chance.
  Qed.

  Lemma unary_smaller_blanket_here :
    has_smaller_blanket (unary_encoding d p q) d (blanket_of (copies (coin q) d) high low (fun _ => false)) high low
      (independent_bits q 1).
  Proof. apply (family_smaller_blanket _ d _ _ _ _ unary_scheme), unary_pair. Qed.

  Lemma unary_others_here :
    has_pair (unary_encoding d p q) d high low (independent_bits q 1) /\
    has_third (unary_encoding d p q) d high low (fun _ _ _ => True) (independent_bits q 1).
  Proof.
    split; [apply (family_pair _ d _ _ _ _ unary_scheme), unary_pair |].
    apply (family_third _ d _ _ _ _ unary_scheme). intros x y z X Y Z N1 N2 N3 _. apply unary_patterns.
    - constructor; [intros [E | [E | []]]; congruence |].
      constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | [<- | []]]]; assumption.
  Qed.

End Unary.

Theorem unary_blanket d p q :
  (2 <= d)%nat -> 0 < q < p -> p < 1 ->
  has_blanket (unary_encoding d p q) d (blanket_of (copies (coin q) d) (p / q) ((1 - p) / (1 - q)) (all_ones d))
    (p / q) ((1 - p) / (1 - q)) (q ^ d) (independent_bits q 1).
Proof. exact (unary_blanket_here d p q). Qed.

Theorem unary_smaller_blanket d p q :
  (2 <= d)%nat -> 0 < q < p -> p < 1 ->
  has_smaller_blanket (unary_encoding d p q) d
    (blanket_of (copies (coin q) d) (p / q) ((1 - p) / (1 - q)) (fun _ => false))
    (p / q) ((1 - p) / (1 - q)) (independent_bits q 1).
Proof. exact (unary_smaller_blanket_here d p q). Qed.

Theorem unary_others d p q :
  (2 <= d)%nat -> 0 < q < p -> p < 1 ->
  has_pair (unary_encoding d p q) d (p / q) ((1 - p) / (1 - q)) (independent_bits q 1) /\
  has_third (unary_encoding d p q) d (p / q) ((1 - p) / (1 - q)) (fun _ _ _ => True) (independent_bits q 1).
Proof. exact (unary_others_here d p q). Qed.

(** The classes of local hashing.

    d >= 2 inputs and g >= 2 buckets 0, ..., g - 1; real E = e^eps0 >= 1. A user draws a function from inputs to
    buckets, uniformly from all g^d of them, as the list of its values, and sends it with the answer of g-ary
    randomized response to the bucket of the own input ([local_hashing]). A message (h, y) supports the inputs with
    h(x) = y. With u uniform on functions and 1 for each bucket: low = 1 / (E + g - 1) and high = E low; the inputs
    are supported independently, each with probability 1 / g, by messages of the mass g in all; the messages that
    support every input have the mass g^-(d-1). So the classes are those of families.py ([hashing_blanket],
    [hashing_others]), and without the class of messages that support every input the blanket is smaller and still
    one ([hashing_smaller_blanket]), for every n and every real e^eps.

    Idea: drawing the bucket of one input once more changes nothing. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick shuffler independence mean_excess classes supports
  k_ary_classes drawn_again.
Import ListNotations.
Open Scope R_scope.

(** A uniformly random function from d inputs to g buckets, the list of its values. *)
Definition hash_function (d g : nat) : dist (list nat) := copies (uniform (seq 0 g)) d.

Definition local_hashing (d g : nat) (E : R) (x : nat) : dist (list nat * nat) :=
  bind (hash_function d g) (fun h => dmap (fun y => (h, y)) (k_ary_response g E (nth x h 0%nat))).

Definition hash_supports (v : nat) (m : list nat * nat) : bool := Nat.eqb (nth v (fst m) 0%nat) (snd m).

Definition hash_measure (d g : nat) : dist (list nat * nat) :=
  bind (hash_function d g) (fun h => map (fun y => (1, (h, y))) (seq 0 g)).

Lemma mean_hash_measure d g f :
  mean (hash_measure d g) f = mean (hash_function d g) (fun h => total (seq 0 g) (fun y => f (h, y))).
Proof.
  unfold hash_measure. rewrite mean_bind. apply mean_ext. intros h. unfold mean. rewrite total_map.
  apply total_ext. intros y _. simpl. ring.
Qed.

Section Hashing.

  Context (d g : nat) (E : R).
  Hypothesis inputs_2 : (2 <= d)%nat.
  Hypothesis buckets_2 : (2 <= g)%nat.
  Hypothesis E_1 : 1 <= E.

  Local Notation low := (response_low g E).
  Local Notation high := (E * response_low g E).
  Local Notation u := (hash_measure d g).

  Lemma buckets_proper : proper (uniform (seq 0 g)).
  Proof. apply proper_uniform. destruct g; [lia | discriminate]. Qed.

  Lemma hash_function_proper : proper (hash_function d g).
  Proof. apply proper_copies, buckets_proper. Qed.

  (** The buckets of a function that is drawn lie in range. *)
  Lemma hash_function_range wh v : In wh (hash_function d g) -> (v < d)%nat -> (nth v (snd wh) 0%nat < g)%nat.
  Proof.
    intros H V. unfold hash_function in H.
    assert (L := copies_length _ _ _ H). assert (B := copies_entries _ _ _ (nth v (snd wh) 0%nat) H).
    unfold uniform in B. rewrite map_map, map_id, in_seq in B. apply B, nth_In. rewrite L. exact V.
  Qed.

  Lemma hashing_proper v : (v < d)%nat -> proper (local_hashing d g E v).
  Proof.
    intros V. destruct hash_function_proper as [W T]. split.
    - intros wa I. unfold local_hashing, bind at 1 in I. apply in_flat_map in I. destruct I as [wh [H I]].
      apply in_map_iff in I. destruct I as [wb [<- I]]. simpl. apply Rmult_le_pos; [apply W, H |].
      assert (P := proper_dmap (fun y => (snd wh, y)) _ (k_ary_proper g E _ E_1 (hash_function_range wh v H V))).
      apply (proj1 P), I.
    - unfold local_hashing. rewrite mean_bind. transitivity (mean (hash_function d g) (fun _ => 1)); [| exact T].
      apply mean_ext_in. intros wh H.
      rewrite mean_dmap. apply (k_ary_proper g E _ E_1 (hash_function_range wh v H V)).
  Qed.

  Lemma hashing_scheme : scheme (local_hashing d g E) d u hash_supports high low.
  Proof.
    split; [| split].
    - intros wa I. unfold hash_measure, bind in I. apply in_flat_map in I. destruct I as [wh [H I]].
      apply in_map_iff in I. destruct I as [wb [<- I]]. apply in_map_iff in I. destruct I as [y [<- _]]. simpl.
      apply Rmult_le_pos; [apply (proj1 hash_function_proper), H | lra].
    - apply (k_ary_scheme g E); [lia | exact E_1].
    - intros x X f. rewrite mean_hash_measure. unfold local_hashing. rewrite mean_bind. apply mean_ext. intros h.
      rewrite mean_dmap. unfold mean, k_ary_response. rewrite total_map. apply total_ext. intros y _.
      unfold density, hash_supports. simpl. rewrite Nat.eqb_sym. reflexivity.
  Qed.

  Lemma hashing_patterns inputs :
    NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
    patterns u hash_supports inputs (independent_bits (/ INR g) (INR g)).
  Proof.
    assert (G : 1 < INR g) by (apply (lt_INR 1); lia).
    assert (Gi : 0 < / INR g) by (apply Rinv_0_lt_compat; lra).
    assert (G1 : / INR g <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    intros N I. apply independent_patterns; try lra.
    - rewrite mean_hash_measure, (mean_ext _ _ (fun _ => INR g)); [apply mean_const, hash_function_proper |].
      intros h. rewrite total_const, seq_length. ring.
    - intros v rest f Sub V. assert (Hv := I v (Sub v (or_introl eq_refl))). rewrite !mean_hash_measure.
      unfold hash_function. rewrite (copies_drawn_again _ d v) by (exact buckets_proper || exact Hv).
      apply total_ext. intros wh J. f_equal. assert (L := copies_length _ _ _ J).
      rewrite mean_uniform, seq_length, total_swap, <- total_scal. apply total_ext. intros y Y. apply in_seq in Y.
      rewrite (total_ext _ _ (fun b => (if Nat.eqb b y then
        f true (map (fun w => hash_supports w (snd wh, y)) rest) -
        f false (map (fun w => hash_supports w (snd wh, y)) rest)
        else 0) + f false (map (fun w => hash_supports w (snd wh, y)) rest))).
      + rewrite total_plus, total_indicator_seq, total_const, seq_length by lia. field. lra.
      + intros b _.
        assert (O : map (fun w => hash_supports w (set_value v b (snd wh), y)) rest =
          map (fun w => hash_supports w (snd wh, y)) rest).
        { apply map_ext_in. intros w W. unfold hash_supports. simpl. rewrite set_value_other; [reflexivity |].
          intros ->. contradiction. }
        rewrite O. unfold hash_supports at 1. simpl. rewrite set_value_same by lia. destruct (Nat.eqb b y); ring.
    - exact N.
  Qed.

  Lemma hashing_pair x y : (x < d)%nat -> (y < d)%nat -> x <> y ->
    patterns u hash_supports [x; y] (independent_bits (/ INR g) (INR g)).
  Proof.
    intros X Y N. apply hashing_patterns.
    - constructor; [intros [F | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | []]]; assumption.
  Qed.

  Definition all_hashed (m : list nat * nat) : bool := forallb (fun v => hash_supports v m) (seq 0 d).

  Lemma all_hashed_chance y e :
    (y < g)%nat ->
    mean (copies (uniform (seq 0 g)) e) (fun h =>
      if forallb (fun v => Nat.eqb (nth v h 0%nat) y) (seq 0 e) then 1 else 0) =
    (/ INR g) ^ e.
  Proof.
    intros Y. induction e as [| e IH]; [rewrite mean_copies_none; reflexivity |].
    rewrite mean_copies_first, mean_uniform, seq_length.
    rewrite (total_ext _ _ (fun b => if Nat.eqb b y then (/ INR g) ^ e else 0)).
    - rewrite total_indicator_seq by exact Y. reflexivity.
    - intros b _. rewrite <- IH. cbn [seq forallb nth].
      assert (Sh : forall h, forallb (fun v => Nat.eqb (nth v (b :: h) 0%nat) y) (seq 1 e) =
        forallb (fun v => Nat.eqb (nth v h 0%nat) y) (seq 0 e)).
      { clear. intros h. rewrite <- seq_shift. induction (seq 0 e) as [| i l IHl]; [reflexivity |].
        cbn [map forallb]. rewrite IHl. reflexivity. }
      destruct (Nat.eqb b y); simpl.
      + apply mean_ext. intros h. rewrite <- Sh. reflexivity.
      + apply (mean_const _ 0), proper_copies, buckets_proper.
  Qed.

  Lemma all_hashed_mass : mean u (indicator all_hashed) = (/ INR g) ^ (d - 1).
  Proof.
    assert (G : 1 < INR g) by (apply (lt_INR 1); lia).
    rewrite mean_hash_measure. unfold mean.
    rewrite (total_ext _ _ (fun wh => total (seq 0 g) (fun y => fst wh * indicator all_hashed (snd wh, y))))
      by (intros wh _; rewrite total_scal; reflexivity).
    rewrite total_swap, (total_ext _ _ (fun _ => (/ INR g) ^ d)).
    - rewrite total_const, seq_length. replace d with (S (d - 1)) at 1 by lia. simpl. field. lra.
    - intros y Y. apply in_seq in Y. rewrite <- (all_hashed_chance y d) by lia. reflexivity.
  Qed.

  Lemma hashing_blanket_here :
    has_blanket (local_hashing d g E) d (blanket_of u high low all_hashed) high low ((/ INR g) ^ (d - 1))
      (independent_bits (/ INR g) (INR g)).
  Proof.
    apply (family_blanket _ d _ _ _ _ hashing_scheme _ hashing_pair all_hashed).
    - lia.
    - exact hashing_proper.
    - intros m H v V. unfold all_hashed in H. rewrite forallb_forall in H. apply H, in_seq. lia.
    - intros wm _ H.
      destruct (decide (exists v, (v < d)%nat /\ hash_supports v (snd wm) = false)) as [Y | No]; [exact Y |].
      assert (T : all_hashed (snd wm) = true); [| congruence].
      apply forallb_forall. intros v V. apply in_seq in V. destruct (hash_supports v (snd wm)) eqn:B; [reflexivity |].
      exfalso. apply No. exists v. split; [lia | exact B].
    - exact all_hashed_mass.
  Qed.

  Lemma hashing_smaller_blanket_here :
    has_smaller_blanket (local_hashing d g E) d (blanket_of u high low (fun _ => false)) high low
      (independent_bits (/ INR g) (INR g)).
  Proof. apply (family_smaller_blanket _ d _ _ _ _ hashing_scheme), hashing_pair. Qed.

  Lemma hashing_others_here :
    has_pair (local_hashing d g E) d high low (independent_bits (/ INR g) (INR g)) /\
    has_third (local_hashing d g E) d high low (fun _ _ _ => True) (independent_bits (/ INR g) (INR g)).
  Proof.
    split; [apply (family_pair _ d _ _ _ _ hashing_scheme), hashing_pair |].
    apply (family_third _ d _ _ _ _ hashing_scheme). intros x y z X Y Z N1 N2 N3 _. apply hashing_patterns.
    - constructor; [intros [F | [F | []]]; congruence |].
      constructor; [intros [F | []]; congruence | constructor; [intros [] | constructor]].
    - intros v [<- | [<- | [<- | []]]]; assumption.
  Qed.

End Hashing.

Theorem hashing_blanket d g E :
  (2 <= d)%nat -> (2 <= g)%nat -> 1 <= E ->
  has_blanket (local_hashing d g E) d
    (blanket_of (hash_measure d g) (E * response_low g E) (response_low g E) (all_hashed d))
    (E * response_low g E) (response_low g E) ((/ INR g) ^ (d - 1)) (independent_bits (/ INR g) (INR g)).
Proof. exact (hashing_blanket_here d g E). Qed.

Theorem hashing_smaller_blanket d g E :
  (2 <= d)%nat -> (2 <= g)%nat -> 1 <= E ->
  has_smaller_blanket (local_hashing d g E) d
    (blanket_of (hash_measure d g) (E * response_low g E) (response_low g E) (fun _ => false))
    (E * response_low g E) (response_low g E) (independent_bits (/ INR g) (INR g)).
Proof. exact (hashing_smaller_blanket_here d g E). Qed.

Theorem hashing_others d g E :
  (2 <= d)%nat -> (2 <= g)%nat -> 1 <= E ->
  has_pair (local_hashing d g E) d (E * response_low g E) (response_low g E) (independent_bits (/ INR g) (INR g)) /\
  has_third (local_hashing d g E) d (E * response_low g E) (response_low g E) (fun _ _ _ => True)
    (independent_bits (/ INR g) (INR g)).
Proof. exact (hashing_others_here d g E). Qed.

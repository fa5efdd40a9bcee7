(** Products of polynomials with natural coefficients, as one product of long integers.

    [product_of p q] is the polynomial product of two lists of coefficients that are not negative, and not empty
    ([product_of_value]): the coefficients are put into slots of one integer that are wide enough, two such integers
    are multiplied, and the slots are read ([Kronecker's substitution]). [sum_of] and [reversed_map] pass over a list
    without building up calls.

    The function multiply_lists of exactdp/checker/enclosed_laws.py does the same with decimals. *)

From Coq Require Import ZArith List Lia.
From Exactdp Require Import integer_polynomials losses_program.
Import ListNotations.
Open Scope Z_scope.

Fixpoint sum_of (l : list Z) (sum : Z) : Z :=
  match l with
  | [] => sum
  | m :: rest => sum_of rest (sum + m)
  end.

Fixpoint reversed_map (f : Z -> Z) (l done : list Z) : list Z :=
  match l with
  | [] => done
  | m :: rest => reversed_map f rest (f m :: done)
  end.

(** Slots have a width in bits: no division is needed, only shifts. *)
Definition split_at (width x : Z) : Z * Z := let high := Z.shiftr x width in (x - Z.shiftl high width, high).

(** The coefficients with the first one lowest, in slots of this width. *)
Fixpoint packed (width : Z) (l : list Z) : Z :=
  match l with
  | [] => 0
  | m :: rest => m + Z.shiftl (packed width rest) width
  end.

Fixpoint slots (width x : Z) (count : nat) : list Z :=
  match count with
  | O => []
  | S n => let (here, rest) := split_at width x in here :: slots width rest n
  end.

(** Two slots as one that is twice as wide, and back. *)
Fixpoint pairs (width : Z) (l : list Z) : list Z :=
  match l with
  | a :: b :: rest => (a + Z.shiftl b width) :: pairs width rest
  | _ => l
  end.

Fixpoint unpaired (width : Z) (l : list Z) : list Z :=
  match l with
  | [] => []
  | y :: rest => let (low, high) := split_at width y in low :: high :: unpaired width rest
  end.

(** [packed] and [slots] in so many rounds of pairs: all numbers of a round are about as long. *)
Fixpoint packed_by (rounds : nat) (width : Z) (l : list Z) : Z :=
  match rounds with
  | O => packed width l
  | S r => packed_by r (2 * width) (pairs width l)
  end.

Fixpoint slots_by (rounds : nat) (width x : Z) (count : nat) : list Z :=
  match rounds with
  | O => slots width x count
  | S r => firstn count (unpaired width (slots_by r (2 * width) x (Nat.div2 (S count))))
  end.

Definition product_of (p q : list Z) : list Z :=
  let width := Z.log2 (sum_of p 0 * sum_of q 0) + 1 in
  let pack l := packed_by (Nat.log2 (length l)) width l in
  let count := pred (length p + length q) in
  slots_by (Nat.log2 count) width (pack p * pack q) count.

(** Of a list with itself: an integer is squared faster than two are multiplied. *)
Definition square_of (p : list Z) : list Z :=
  let sum := sum_of p 0 in
  let width := Z.log2 (sum * sum) + 1 in
  let x := packed_by (Nat.log2 (length p)) width p in
  let count := pred (length p + length p) in
  slots_by (Nat.log2 count) width (x * x) count.

(** ** What they compute *)

Lemma square_of_product p : square_of p = product_of p p.
Proof. reflexivity. Qed.

Lemma sum_of_value l : forall sum, sum_of l sum = sum + z_sum l.
Proof.
  induction l as [| m l IH]; intros sum; [unfold z_sum; simpl; lia |]. simpl sum_of. rewrite IH.
  change (z_sum (m :: l)) with (m + z_sum l). lia.
Qed.

Lemma reversed_map_value f l : forall done, reversed_map f l done = rev (map f l) ++ done.
Proof.
  induction l as [| m l IH]; intros done; simpl; [reflexivity |]. rewrite IH, <- app_assoc. reflexivity.
Qed.

Section slots.

Variable width : Z.
Hypothesis width_nonneg : 0 <= width.

Let slot := 2 ^ width.

Lemma slot_positive : 0 < slot.
Proof. apply Z.pow_pos_nonneg; [reflexivity | exact width_nonneg]. Qed.

Lemma packed_first m l : packed width (m :: l) = m + slot * packed width l.
Proof. simpl. rewrite Z.shiftl_mul_pow2 by exact width_nonneg. unfold slot. ring. Qed.

Lemma split_value x : split_at width x = (x mod slot, x / slot).
Proof.
  unfold split_at. cbv zeta. rewrite Z.shiftl_mul_pow2, Z.shiftr_div_pow2, Z.mod_eq by
    (assumption || apply Z.pow_nonzero; lia).
  unfold slot. f_equal. ring.
Qed.

Lemma slots_first x n : slots width x (S n) = x mod slot :: slots width (x / slot) n.
Proof. cbn [slots]. rewrite split_value. reflexivity. Qed.

Lemma wider : 2 ^ (2 * width) = slot * slot.
Proof. unfold slot. rewrite <- Z.pow_add_r by exact width_nonneg. f_equal. ring. Qed.

Lemma packed_add p : forall q, packed width (z_add p q) = packed width p + packed width q.
Proof.
  induction p as [| x p IH]; intros [| y q]; cbn [z_add]; rewrite ?packed_first, ?IH;
    change (packed width []) with 0; ring.
Qed.

Lemma packed_scale c q : packed width (z_scale c q) = c * packed width q.
Proof.
  induction q as [| y q IH]; cbn [z_scale map]; rewrite ?packed_first; [cbn; lia |].
  change (map (Z.mul c) q) with (z_scale c q). rewrite IH. ring.
Qed.

Lemma packed_mul p q : packed width (z_mul p q) = packed width p * packed width q.
Proof.
  induction p as [| x p IH]; cbn [z_mul]; [reflexivity |]. rewrite packed_add, packed_scale, !packed_first, IH. ring.
Qed.

Lemma slots_packed l : Forall (fun m => 0 <= m < slot) l -> slots width (packed width l) (length l) = l.
Proof.
  assert (S := slot_positive). intros H. induction H as [| m l Hm _ IH]; cbn [length]; [reflexivity |].
  rewrite slots_first, packed_first, (Z.mul_comm slot), Z.mod_add, Z.div_add, Z.mod_small, Z.div_small by lia.
  simpl Z.add. rewrite IH. reflexivity.
Qed.

End slots.

Lemma packed_pairs width n : 0 <= width -> forall l, (length l <= n)%nat -> packed (2 * width) (pairs width l) =
  packed width l.
Proof.
  intros W. induction n as [| n IH]; intros [| a [| b l]] H; simpl in H; try lia; try reflexivity; cbn [pairs].
  - simpl. rewrite !Z.shiftl_0_l. reflexivity.
  - rewrite !packed_first, wider, IH, Z.shiftl_mul_pow2 by lia. ring.
Qed.

Lemma packed_by_packed rounds : forall width l, 0 <= width -> packed_by rounds width l = packed width l.
Proof.
  induction rounds as [| r IH]; intros width l W; cbn [packed_by]; [reflexivity |].
  rewrite IH by lia. apply (packed_pairs width (length l) W). lia.
Qed.

Lemma slots_pairs width n : 0 <= width -> forall x, slots width x (n + n) = unpaired width (slots (2 * width) x n).
Proof.
  intros W. assert (H := slot_positive width W). induction n as [| n IH]; intros x; [reflexivity |].
  replace (S n + S n)%nat with (S (S (n + n))) by lia.
  rewrite (slots_first (2 * width)), wider by lia. cbn [unpaired].
  rewrite !slots_first, split_value by exact W. set (slot := 2 ^ width) in *.
  rewrite Z.div_div, IH by lia.
  rewrite (Z.rem_mul_r x slot slot) by lia. f_equal; [| f_equal].
  - rewrite (Z.mul_comm slot), Z.mod_add, Z.mod_mod by lia. reflexivity.
  - rewrite (Z.mul_comm slot ((x / slot) mod slot)), Z.div_add by lia.
    rewrite (Z.div_small (x mod slot)) by (apply Z.mod_pos_bound; exact H). reflexivity.
Qed.

Lemma firstn_slots width n : forall k x, (n <= k)%nat -> firstn n (slots width x k) = slots width x n.
Proof.
  induction n as [| n IH]; intros [| k] x H; try reflexivity; [lia |]. cbn [slots].
  destruct (split_at width x). cbn [firstn]. rewrite IH by lia. reflexivity.
Qed.

Lemma slots_by_slots rounds : forall width x count, 0 <= width -> slots_by rounds width x count = slots width x count.
Proof.
  induction rounds as [| r IH]; intros width x count H; cbn [slots_by]; [reflexivity |].
  rewrite IH, <- slots_pairs by lia. apply firstn_slots. assert (D := Nat.div2_odd (S count)).
  destruct (Nat.odd (S count)); simpl Nat.b2n in D; lia.
Qed.

Lemma z_sum_packed l : z_sum l = packed 0 l.
Proof.
  induction l as [| m l IH]; [reflexivity |]. change (z_sum (m :: l)) with (m + z_sum l).
  rewrite packed_first, IH by lia. change (2 ^ 0) with 1. ring.
Qed.

Lemma z_add_length p : forall q, length (z_add p q) = Nat.max (length p) (length q).
Proof. induction p as [| x p IH]; intros [| y q]; simpl; rewrite ?IH; reflexivity. Qed.

Lemma z_mul_length p q : q <> [] -> p <> [] -> length (z_mul p q) = pred (length p + length q).
Proof.
  intros Q. induction p as [| x p IH]; intros P; [congruence |]. simpl z_mul. rewrite z_add_length.
  unfold z_scale. rewrite map_length. simpl length. destruct p as [| y p].
  - simpl. destruct q; [congruence | simpl; lia].
  - rewrite IH by discriminate. destruct q; [congruence | simpl; lia].
Qed.

Lemma entry_below_sum l : Forall (fun m => 0 <= m) l -> Forall (fun m => 0 <= m <= z_sum l) l.
Proof.
  induction 1 as [| m l Hm H IH]; [constructor |]. assert (S := z_sum_nonneg l H).
  change (z_sum (m :: l)) with (m + z_sum l).
  constructor; [lia |]. eapply Forall_impl; [| exact IH]. intros x Hx. cbv beta in *. lia.
Qed.

Theorem product_of_value p q :
  Forall (fun m => 0 <= m) p -> Forall (fun m => 0 <= m) q -> p <> [] -> q <> [] -> product_of p q = z_mul p q.
Proof.
  intros HP HQ NP NQ. unfold product_of. rewrite !sum_of_value, !Z.add_0_l.
  set (k := z_sum p * z_sum q). set (width := Z.log2 k + 1).
  assert (K : z_sum (z_mul p q) = k) by (unfold k; rewrite !z_sum_packed; apply packed_mul; lia).
  assert (L := Z.log2_nonneg k). assert (W : 0 <= width) by (unfold width; lia).
  assert (K0 : 0 <= k) by (apply Z.mul_nonneg_nonneg; apply z_sum_nonneg; assumption).
  assert (B : k < 2 ^ width).
  { unfold width. rewrite Z.add_1_r. destruct (Z.eq_dec k 0) as [-> | N]; [reflexivity |]. apply Z.log2_spec. lia. }
  rewrite slots_by_slots, !packed_by_packed, <- packed_mul, <- z_mul_length by assumption.
  apply slots_packed; [exact W |].
  eapply Forall_impl; [| apply entry_below_sum, z_mul_nonneg; assumption]. intros x Hx. cbv beta in *. lia.
Qed.

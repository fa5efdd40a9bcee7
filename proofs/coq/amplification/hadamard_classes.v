(** The classes of Hadamard response.

    d >= 2 inputs, real E = e^eps0 >= 1. With 2^(b-1) <= d < 2^b (b is the number of binary digits of d) and K = 2^b,
    a message is a column 0, ..., K - 1 of Sylvester's matrix, here the list of its b binary digits, and the input x
    has the row x + 1: the sign of row r in column m is +1 if r and m have an even number of digits 1 in common. The
    own row's columns of sign +1 have the probability 2 E / (K (E + 1)) each, all others 2 / (K (E + 1))
    ([hadamard_response]). A column supports the inputs whose sign is +1. Counting columns, low = 2 / (K (E + 1)) and
    high = E low, and:

    - the signs of two rows are independent and fair, and so are those of three, unless the third row is the product of
      the other two: then the product of all signs is +1. (The rows 1, 2 and 4, for d >= 4, and 1, 2 and 3, for d >= 3.)
    - the column 0 alone supports every input.

    So the classes are those of families.py ([hadamard_blanket], [hadamard_others]), for every n and every real e^eps.

    Idea: the signs of a row that is not 0 add up to 0, by induction on the number of digits; the product of two rows
    is a row, whose number is their bitwise exclusive or; and a function of signs is a sum of products of signs.
    Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick mean_excess classes supports k_ary_classes.
Import ListNotations.
Open Scope R_scope.

(** ** Rows and their signs *)

(** Whether two lists of digits have an odd number of ones in common. *)
Fixpoint odd_in_common (a m : list bool) : bool :=
  match a, m with
  | x :: a, y :: m => xorb (x && y) (odd_in_common a m)
  | _, _ => false
  end.

Definition digits (b r : nat) : list bool := map (Nat.testbit r) (seq 0 b).

Definition sign (b r : nat) (m : list bool) : R := if odd_in_common (digits b r) m then -1 else 1.

Lemma total_bit_patterns_1 b : total (bit_patterns b) (fun _ => 1) = 2 ^ b.
Proof. induction b as [| b IH]; simpl; [ring |]. rewrite total_app, !total_map, IH. ring. Qed.

Lemma odd_signs_add_up a :
  existsb (fun x => x) a = true ->
  total (bit_patterns (length a)) (fun m => if odd_in_common a m then -1 else 1) = 0.
Proof.
  induction a as [| x a IH]; simpl; [discriminate |]. intros H. rewrite total_app, !total_map. destruct x; simpl in *.
  - rewrite <- total_plus, (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros m _.
    destruct (odd_in_common a m); simpl; ring.
  - rewrite (total_ext _ (fun m => if xorb false (odd_in_common a m) then -1 else 1)
      (fun m => if odd_in_common a m then -1 else 1)) by (intros m _; destruct (odd_in_common a m); reflexivity).
    rewrite IH by exact H. ring.
Qed.

Lemma digits_length b r : length (digits b r) = b.
Proof. unfold digits. rewrite map_length. apply seq_length. Qed.

(** A row that is not 0 has as many signs +1 as -1. *)
Lemma signs_add_up b r : r <> 0%nat -> (Nat.log2 r < b)%nat -> total (bit_patterns b) (sign b r) = 0.
Proof.
  intros N L. unfold sign. rewrite <- (digits_length b r) at 1. apply odd_signs_add_up.
  apply existsb_exists. exists true. split; [| reflexivity]. unfold digits. apply in_map_iff. exists (Nat.log2 r).
  split; [apply Nat.bit_log2, N | apply in_seq; lia].
Qed.

(** The product of two rows. *)
Lemma sign_product b r s m : sign b r m * sign b s m = sign b (Nat.lxor r s) m.
Proof.
  assert (H : odd_in_common (digits b (Nat.lxor r s)) m =
    xorb (odd_in_common (digits b r) m) (odd_in_common (digits b s) m)).
  { unfold digits. generalize (seq 0 b) as l. intros l. revert m. induction l as [| i l IH]; intros m; [reflexivity |].
    destruct m as [| y m]; [reflexivity |]. simpl. rewrite IH, Nat.lxor_spec.
    destruct (Nat.testbit r i), (Nat.testbit s i), y, (odd_in_common _ m), (odd_in_common _ m); reflexivity. }
  unfold sign. rewrite H. destruct (odd_in_common (digits b r) m), (odd_in_common (digits b s) m); simpl; ring.
Qed.

Lemma sign_of_0 b m : sign b 0 m = 1.
Proof.
  unfold sign. replace (odd_in_common (digits b 0) m) with false; [reflexivity |]. unfold digits.
  generalize (seq 0 b) as l.
  intros l. revert m. induction l as [| i l IH]; intros m; [reflexivity |].
  destruct m as [| y m]; [reflexivity |]. simpl. rewrite <- IH, Nat.bits_0. reflexivity.
Qed.

Lemma lxor_digits b r s : r <> s -> (Nat.log2 r < b)%nat -> (Nat.log2 s < b)%nat ->
  Nat.lxor r s <> 0%nat /\ (Nat.log2 (Nat.lxor r s) < b)%nat.
Proof.
  intros N R S. split; [intros H; apply N, Nat.lxor_eq, H |].
  eapply Nat.le_lt_trans; [apply Nat.log2_lxor |]. lia.
Qed.

(** ** The randomizer *)

Definition hadamard_digits (d : nat) : nat := S (Nat.log2 d).

Definition hadamard_low (d : nat) (E : R) : R := 2 / (2 ^ hadamard_digits d * (E + 1)).

Definition hadamard_supports (d x : nat) (m : list bool) : bool :=
  negb (odd_in_common (digits (hadamard_digits d) (S x)) m).

Definition hadamard_response (d : nat) (E : R) (x : nat) : dist (list bool) :=
  map (fun m => (density (E * hadamard_low d E) (hadamard_low d E) (hadamard_supports d x m), m))
    (bit_patterns (hadamard_digits d)).

(** Where the third sign is the product of the other two. *)
Definition product_bits (mass : R) (bits : list bool) : R :=
  match bits with
  | [x; y; z] => if Bool.eqb z (negb (xorb x y)) then mass else 0
  | _ => 0
  end.

Section Hadamard.

  Context (d : nat) (E : R).
  Hypothesis inputs_2 : (2 <= d)%nat.
  Hypothesis E_1 : 1 <= E.

  Local Notation b := (hadamard_digits d).
  Local Notation columns := (bit_patterns (hadamard_digits d)).
  Local Notation low := (hadamard_low d E).
  Local Notation high := (E * hadamard_low d E).

  Lemma row_digits x : (x < d)%nat -> (Nat.log2 (S x) < b)%nat.
  Proof.
    intros X. unfold hadamard_digits. assert (Nat.log2 (S x) <= Nat.log2 d)%nat by (apply Nat.log2_le_mono; lia).
    lia.
  Qed.

  Lemma signs_of_support x m : sign b (S x) m = if hadamard_supports d x m then 1 else -1.
  Proof. unfold sign, hadamard_supports. destruct (odd_in_common _ _); reflexivity. Qed.

  Lemma low_positive : 0 < low.
  Proof.
    unfold hadamard_low. apply Rdiv_lt_0_compat; [lra |]. apply Rmult_lt_0_compat; [apply pow_lt |]; lra.
  Qed.

  Lemma hadamard_scheme : scheme (hadamard_response d E) d (counting columns) (hadamard_supports d) high low.
  Proof.
    assert (L := low_positive). split; [apply sub_law_counting | split].
    - split; [lra |]. rewrite <- (Rmult_1_l low) at 1. apply Rmult_le_compat_r; lra.
    - intros x _ f. rewrite mean_counting. unfold mean, hadamard_response. rewrite total_map. reflexivity.
  Qed.

  Lemma total_scaled_sign c r : r <> 0%nat -> (Nat.log2 r < b)%nat -> total columns (fun m => c * sign b r m) = 0.
  Proof. intros N L. rewrite total_scal, signs_add_up by assumption. ring. Qed.

  Lemma total_column_const c : total columns (fun _ => c) = c * 2 ^ b.
  Proof.
    rewrite (total_ext _ _ (fun _ => c * 1)) by (intros; ring). rewrite total_scal, total_bit_patterns_1.
    reflexivity.
  Qed.

  Lemma hadamard_proper x : (x < d)%nat -> proper (hadamard_response d E x).
  Proof.
    intros X. assert (L := low_positive). split.
    - intros wa I. apply in_map_iff in I. destruct I as [m [<- _]]. simpl.
      assert (0 <= high) by (apply Rmult_le_pos; lra). unfold density. destruct (hadamard_supports d x m); lra.
    - unfold mean, hadamard_response. rewrite total_map. cbn [fst snd].
      rewrite (total_ext _ _ (fun m => (high + low) / 2 + (high - low) / 2 * sign b (S x) m)).
      + rewrite total_plus, total_scaled_sign, total_column_const by auto using row_digits.
        unfold hadamard_low. assert (0 < 2 ^ b) by (apply pow_lt; lra). field. split; lra.
      + intros m _. rewrite signs_of_support. unfold density. destruct (hadamard_supports d x m); field.
  Qed.

  Lemma mean_of_two x y f :
    (x < d)%nat -> (y < d)%nat -> x <> y ->
    total columns (fun m => f (hadamard_supports d x m) (hadamard_supports d y m)) =
    2 ^ b / 4 * (f true true + f true false + f false true + f false false).
  Proof.
    intros X Y N. destruct (lxor_digits b (S x) (S y)) as [Z L]; auto using row_digits.
    rewrite (total_ext _ _ (fun m => (f true true + f true false + f false true + f false false) / 4 +
      ((f true true + f true false - f false true - f false false) / 4 * sign b (S x) m +
       ((f true true - f true false + f false true - f false false) / 4 * sign b (S y) m +
        (f true true - f true false - f false true + f false false) / 4 * sign b (Nat.lxor (S x) (S y)) m)))).
    - rewrite !total_plus, !total_scaled_sign, total_column_const by auto using row_digits. field.
    - intros m _. rewrite <- sign_product, !signs_of_support. cbv beta.
      destruct (hadamard_supports d x m), (hadamard_supports d y m); field.
  Qed.

  Lemma hadamard_pair x y : (x < d)%nat -> (y < d)%nat -> x <> y ->
    patterns (counting columns) (hadamard_supports d) [x; y] (independent_bits (/ 2) (2 ^ b)).
  Proof.
    intros X Y N. assert (0 < 2 ^ b) by (apply pow_lt; lra). split.
    - intros bits. unfold independent_bits. apply Rmult_le_pos; [apply Rmult_le_pos |]; try apply pow_le; lra.
    - intros f. rewrite mean_counting. simpl map. rewrite (mean_of_two x y (fun p q => f [p; q]) X Y N).
      unfold independent_bits, ones. simpl. field.
  Qed.

  (** A function of three signs is a sum of products of signs; the product of all three is left. *)
  Lemma mean_of_three x y z f :
    (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y ->
    total columns (fun m => f (hadamard_supports d x m) (hadamard_supports d y m) (hadamard_supports d z m)) =
    2 ^ b / 8 * (f true true true + f true true false + f true false true + f true false false +
                 f false true true + f false true false + f false false true + f false false false) +
    (f true true true - f true true false - f true false true + f true false false -
     f false true true + f false true false + f false false true - f false false false) / 8 *
    total columns (sign b (Nat.lxor (Nat.lxor (S x) (S y)) (S z))).
  Proof.
    intros X Y Z N1 N2 N3.
    destruct (lxor_digits b (S x) (S y)) as [A1 A2]; auto using row_digits.
    destruct (lxor_digits b (S x) (S z)) as [B1 B2]; auto using row_digits.
    destruct (lxor_digits b (S y) (S z)) as [C1 C2]; auto using row_digits.
    rewrite <- total_scal.
    rewrite (total_ext columns (fun m => f _ _ _) (fun m =>
      (f true true true + f true true false + f true false true + f true false false +
       f false true true + f false true false + f false false true + f false false false) / 8 +
      ((f true true true + f true true false + f true false true + f true false false -
        f false true true - f false true false - f false false true - f false false false) / 8 * sign b (S x) m +
      ((f true true true + f true true false - f true false true - f true false false +
        f false true true + f false true false - f false false true - f false false false) / 8 * sign b (S y) m +
      ((f true true true - f true true false + f true false true - f true false false +
        f false true true - f false true false + f false false true - f false false false) / 8 * sign b (S z) m +
      ((f true true true + f true true false - f true false true - f true false false -
        f false true true - f false true false + f false false true + f false false false) / 8 *
        sign b (Nat.lxor (S x) (S y)) m +
      ((f true true true - f true true false + f true false true - f true false false -
        f false true true + f false true false - f false false true + f false false false) / 8 *
        sign b (Nat.lxor (S x) (S z)) m +
      ((f true true true - f true true false - f true false true + f true false false +
        f false true true - f false true false - f false false true + f false false false) / 8 *
        sign b (Nat.lxor (S y) (S z)) m +
      (f true true true - f true true false - f true false true + f true false false -
       f false true true + f false true false + f false false true - f false false false) / 8 *
        sign b (Nat.lxor (Nat.lxor (S x) (S y)) (S z)) m)))))))).
    - rewrite !total_plus, !total_scaled_sign, total_column_const by auto using row_digits. field.
    - intros m _. rewrite <- !sign_product, !signs_of_support. cbv beta.
      destruct (hadamard_supports d x m), (hadamard_supports d y m), (hadamard_supports d z m); lra.
  Qed.

  Lemma hadamard_independent_third x y z :
    (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> S z <> Nat.lxor (S x) (S y) ->
    patterns (counting columns) (hadamard_supports d) [x; y; z] (independent_bits (/ 2) (2 ^ b)).
  Proof.
    intros X Y Z N1 N2 N3 Rel. assert (0 < 2 ^ b) by (apply pow_lt; lra). split.
    - intros bits. unfold independent_bits. apply Rmult_le_pos; [apply Rmult_le_pos |]; try apply pow_le; lra.
    - intros f. rewrite mean_counting. simpl map.
      rewrite (mean_of_three x y z (fun p q r => f [p; q; r]) X Y Z N1 N2 N3).
      destruct (lxor_digits b (S x) (S y)) as [A1 A2]; auto using row_digits.
      destruct (lxor_digits b (Nat.lxor (S x) (S y)) (S z)) as [D1 D2]; auto using row_digits.
      rewrite signs_add_up by assumption. unfold independent_bits, ones. simpl. field.
  Qed.

  Lemma hadamard_product_third x y z :
    (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> S z = Nat.lxor (S x) (S y) ->
    patterns (counting columns) (hadamard_supports d) [x; y; z] (product_bits (2 ^ b / 4)).
  Proof.
    intros X Y Z N1 N2 N3 Rel. assert (0 < 2 ^ b) by (apply pow_lt; lra). split.
    - intros bits. unfold product_bits. destruct bits as [| p [| q [| r [|]]]]; try lra.
      destruct (Bool.eqb r (negb (xorb p q))); lra.
    - intros f. rewrite mean_counting. simpl map.
      rewrite (mean_of_three x y z (fun p q r => f [p; q; r]) X Y Z N1 N2 N3).
      rewrite <- Rel, Nat.lxor_nilpotent, (total_ext _ _ (fun _ => 1)) by (intros; apply sign_of_0).
      rewrite total_column_const. simpl. field.
  Qed.

  (** ** The column that supports every input *)

  Definition is_column_0 (m : list bool) : bool := forallb negb m.

  Lemma column_0_supports x m : is_column_0 m = true -> hadamard_supports d x m = true.
  Proof.
    intros H. unfold hadamard_supports. replace (odd_in_common _ m) with false; [reflexivity |].
    generalize (digits b (S x)) as a. unfold is_column_0 in H. revert H.
    induction m as [| y m IH]; intros H a; destruct a as [| p a]; try reflexivity. simpl in *.
    apply andb_prop in H. destruct H as [Y H]. rewrite <- (IH H a). destruct p, y; simpl in *; congruence.
  Qed.

  Lemma power_of_2_row i m : (i < length m)%nat -> odd_in_common (digits (length m) (2 ^ i)) m = nth i m false.
  Proof.
    assert (No : forall s l, (i < s)%nat -> odd_in_common (map (Nat.testbit (2 ^ i)) (seq s (length l))) l = false).
    { intros s l. revert s. induction l as [| y l IH]; intros s H; [reflexivity |]. simpl. rewrite IH by lia.
      rewrite Nat.pow2_bits_eqb. destruct (Nat.eqb_spec i s); [lia | reflexivity]. }
    assert (H : forall s l, (s <= i < s + length l)%nat ->
      odd_in_common (map (Nat.testbit (2 ^ i)) (seq s (length l))) l = nth (i - s) l false).
    { intros s l. revert s. induction l as [| y l IH]; intros s I; simpl in I; [lia |]. simpl.
      rewrite Nat.pow2_bits_eqb. destruct (Nat.eqb_spec i s) as [<- | N].
      - rewrite No by lia. rewrite Nat.sub_diag. simpl. destruct y; reflexivity.
      - rewrite IH by lia. replace (i - s)%nat with (S (i - S s)) by lia. simpl.
        destruct (nth (i - S s) l false); reflexivity. }
    intros I. unfold digits. rewrite H by lia. rewrite Nat.sub_0_r. reflexivity.
  Qed.

  Lemma other_columns_do_not m :
    length m = b -> is_column_0 m = false -> exists v, (v < d)%nat /\ hadamard_supports d v m = false.
  Proof.
    intros L H. assert (I : exists i, (i < length m)%nat /\ nth i m false = true).
    { clear L. unfold is_column_0 in H. induction m as [| y m IH]; simpl in H; [discriminate |]. destruct y.
      - exists 0%nat. split; [simpl; lia | reflexivity].
      - destruct (IH H) as [i [Hi Ni]]. exists (S i). split; [simpl; lia | exact Ni]. }
    destruct I as [i [Hi Ni]]. exists (2 ^ i - 1)%nat. unfold hadamard_supports.
    assert (P : (1 <= 2 ^ i)%nat) by (apply Nat.le_succ_l, Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    replace (S (2 ^ i - 1))%nat with (2 ^ i)%nat by lia. rewrite <- L, power_of_2_row, Ni by exact Hi.
    split; [| reflexivity].
    assert (2 ^ i <= d)%nat; [| lia]. rewrite L in Hi. unfold hadamard_digits in Hi.
    eapply Nat.le_trans; [apply (Nat.pow_le_mono_r 2 i (Nat.log2 d)); lia |]. apply Nat.log2_spec. lia.
  Qed.

  Lemma one_column_0 n : total (bit_patterns n) (indicator is_column_0) = 1.
  Proof.
    induction n as [| n IH]; simpl; [unfold indicator; simpl; ring |]. rewrite total_app, !total_map.
    rewrite (total_ext _ (fun m => indicator is_column_0 (true :: m)) (fun _ => 0)) by reflexivity.
    rewrite (total_ext _ (fun m => indicator is_column_0 (false :: m)) (indicator is_column_0)) by reflexivity.
    rewrite total_zero, IH. ring.
  Qed.

  Lemma hadamard_blanket_here :
    has_blanket (hadamard_response d E) d (blanket_of (counting columns) high low is_column_0) high low 1
      (independent_bits (/ 2) (2 ^ b)).
  Proof.
    apply (family_blanket _ d _ _ _ _ hadamard_scheme _ hadamard_pair is_column_0).
    - lia.
    - exact hadamard_proper.
    - intros m H v _. apply column_0_supports, H.
    - intros wm I H. apply in_map_iff in I. destruct I as [m [<- I]].
      apply other_columns_do_not; [apply length_bit_patterns, I | exact H].
    - rewrite mean_counting. apply one_column_0.
  Qed.

  Lemma hadamard_others_here :
    has_pair (hadamard_response d E) d high low (independent_bits (/ 2) (2 ^ b)) /\
    has_third (hadamard_response d E) d high low (fun x y z => S z <> Nat.lxor (S x) (S y))
      (independent_bits (/ 2) (2 ^ b)) /\
    has_third (hadamard_response d E) d high low (fun x y z => S z = Nat.lxor (S x) (S y)) (product_bits (2 ^ b / 4)).
  Proof.
    split; [apply (family_pair _ d _ _ _ _ hadamard_scheme), hadamard_pair | split].
    - apply (family_third _ d _ _ _ _ hadamard_scheme). exact hadamard_independent_third.
    - apply (family_third _ d _ _ _ _ hadamard_scheme). exact hadamard_product_third.
  Qed.

End Hadamard.

Theorem hadamard_blanket d E :
  (2 <= d)%nat -> 1 <= E ->
  has_blanket (hadamard_response d E) d
    (blanket_of (counting (bit_patterns (hadamard_digits d))) (E * hadamard_low d E) (hadamard_low d E) is_column_0)
    (E * hadamard_low d E) (hadamard_low d E) 1 (independent_bits (/ 2) (2 ^ hadamard_digits d)).
Proof. exact (hadamard_blanket_here d E). Qed.

(** The third row may be independent of the other two or their product. *)
Theorem hadamard_others d E :
  (2 <= d)%nat -> 1 <= E ->
  has_pair (hadamard_response d E) d (E * hadamard_low d E) (hadamard_low d E)
    (independent_bits (/ 2) (2 ^ hadamard_digits d)) /\
  has_third (hadamard_response d E) d (E * hadamard_low d E) (hadamard_low d E)
    (fun x y z => S z <> Nat.lxor (S x) (S y)) (independent_bits (/ 2) (2 ^ hadamard_digits d)) /\
  has_third (hadamard_response d E) d (E * hadamard_low d E) (hadamard_low d E)
    (fun x y z => S z = Nat.lxor (S x) (S y)) (product_bits (2 ^ hadamard_digits d / 4)).
Proof. exact (hadamard_others_here d E). Qed.

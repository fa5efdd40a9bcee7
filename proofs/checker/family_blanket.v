(** The program of blanket_program.v on families of supports: k-ary response, unary encoding, subset selection,
    Hadamard response and local hashing.

    [supports_right]: the record that [supports_of] makes of a family has the densities of its rows, and the masses
    of the patterns of two and of three inputs, for every k, d, w, g and E0 in the domain of the family. So if the
    program accepts, a reference bounds every ordered pair of inputs of the family: [family_blanketed].

    Idea: supports.v and the files of the families. Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick single_message.
From Exactdp Require Import mean_excess hidden_message blanket classes mean_excess_order supports.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From Exactdp Require Import least_values pair_bound.
From ExactdpChecker Require Import claims blanket_program blanket_sound matrix_blanket.
Import ListNotations.
Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Qplus : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qminus : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments Q2R : simpl never.
Local Arguments Qeq_bool : simpl never.
Local Arguments Qle_bool : simpl never.

(** ** Masses of patterns *)

Lemma Q2R_1 : Q2R 1 = 1.
Proof. apply RMicromega.Q2R_1. Qed.

Lemma Q2R_Z z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z. simpl. field. Qed.

Lemma Z_nat z : (0 <= z)%Z -> IZR z = INR (Z.to_nat z).
Proof. intros H. rewrite INR_IZR_INZ, Z2Nat.id by exact H. reflexivity. Qed.

Lemma not_0 q : Q2R q <> 0 -> ~ (q == 0)%Q.
Proof. intros N Z. apply N. rewrite <- Q2R_0. apply Qeq_eqR, Z. Qed.

Lemma Q2R_divided p q : Q2R q <> 0 -> Q2R (p / q) = Q2R p / Q2R q.
Proof. intros N. apply Q2R_div, not_0, N. Qed.

Lemma independent_value p s bits : Q2R (independent p s bits) = independent_bits (Q2R p) (Q2R s) bits.
Proof.
  induction bits as [| b bits IH]; simpl.
  - unfold independent_bits, ones. simpl. ring.
  - rewrite independent_bits_cons, Q2R_mult, IH. destruct b; [reflexivity | rewrite Q2R_minus, Q2R_1; reflexivity].
Qed.

Lemma one_of_value k length bits :
  (0 <= k)%Z -> (0 <= length)%Z -> Q2R (one_of k length bits) = k_ary_classes.one_of (Z.to_nat k) (Z.to_nat length)
    bits.
Proof.
  intros K L. unfold one_of, k_ary_classes.one_of, ones. destruct (count_occ bool_dec bits true) as [| [| c]].
  - rewrite Q2R_Z, (Z_nat (Z.max 0 (k - length))) by lia. f_equal. lia.
  - apply Q2R_1.
  - apply Q2R_0.
Qed.

Lemma falling_value a i : (0 <= a)%Z -> IZR (falling a i) = subset_classes.falling (Z.to_nat a) i.
Proof.
  revert a. induction i as [| i IH]; intros a H; [reflexivity |]. cbn [falling subset_classes.falling].
    rewrite mult_IZR.
  destruct (Z.eq_dec a 0) as [-> | N]; [simpl; ring |].
  rewrite IH, Z_nat by lia. repeat f_equal. lia.
Qed.

Lemma falling_positive a i : (i <= a)%nat -> 0 < subset_classes.falling a i.
Proof.
  revert a. induction i as [| i IH]; intros a H; simpl; [lra |].
    apply Rmult_lt_0_compat; [apply lt_0_INR; lia | apply IH; lia].
Qed.

Lemma subset_value d w bits :
  (0 <= w <= d)%Z -> (length bits <= Z.to_nat d)%nat ->
  Q2R (subset_mass d w bits) = subset_masses (Z.to_nat d) (Z.to_nat w) bits.
Proof.
  intros H L. unfold subset_mass, subset_masses, ones. assert (P := falling_positive _ _ L).
  rewrite Q2R_divided, !Q2R_Z, mult_IZR, !falling_value by (try rewrite Q2R_Z, falling_value; lia || lra).
  replace (Z.to_nat (d - w)) with (Z.to_nat d - Z.to_nat w)%nat by lia. reflexivity.
Qed.

Lemma product_value mass bits : Q2R (product_mass mass bits) = product_bits (Q2R mass) bits.
Proof.
  destruct bits as [| x [| y [| z [| u bits]]]]; simpl; try apply Q2R_0.
  destruct (Bool.eqb _ _); [reflexivity | apply Q2R_0].
Qed.

(** ** Families *)

Definition of_pairs (f : list bool -> Q) (g : list bool -> R) : Prop :=
  forall bits, (length bits <= 2)%nat -> Q2R (f bits) = g bits.

(** What the record of a family has to be, where [row] are its rows. *)
Definition blanket_right {M} (s : supported) (row : nat -> dist M) (d : nat) : Prop :=
  exists c high low everyone pair,
    (forall v, (v < d)%nat -> proper (row v)) /\ (forall v, (v < d)%nat -> lies_below c (row v)) /\
    (forall x y n E, (x < d)%nat -> (y < d)%nat -> x <> y ->
     reference_bound n (row x) (row y) E c = class_bound n E (blanket_list high low everyone pair)) /\
    Q2R (high_density s) = high /\ Q2R (low_density s) = low /\ Q2R (of_everyone s) = everyone /\
    of_pairs (pair_mass s) pair.

Lemma blanket_has {M} s (row : nat -> dist M) d c high low everyone pair :
  has_blanket row d c high low everyone pair ->
  Q2R (high_density s) = high -> Q2R (low_density s) = low -> Q2R (of_everyone s) = everyone ->
  of_pairs (pair_mass s) pair -> blanket_right s row d.
Proof. intros [P [L [_ B]]] H1 H2 H3 H4. exists c, high, low, everyone, pair. auto 10. Qed.

Lemma blanket_has_smaller {M} s (row : nat -> dist M) d c high low pair :
  (forall v, (v < d)%nat -> proper (row v)) -> has_smaller_blanket row d c high low pair ->
  Q2R (high_density s) = high -> Q2R (low_density s) = low -> Q2R (of_everyone s) = 0 ->
  of_pairs (pair_mass s) pair -> blanket_right s row d.
Proof. intros P [L B] H1 H2 H3 H4. exists c, high, low, 0, pair. auto 10. Qed.

Lemma reduced_value k : real_class (reduced k) = (Q2R (fst (fst k)), Q2R (snd (fst k)), Q2R (snd k)).
Proof.
  unfold real_class, reduced, under_first, under_second, under_reference. cbn [fst snd]. rewrite !Q2R_red. reflexivity.
Qed.

Lemma family_blanketed_right {M} s (row : nat -> dist M) d E bits limit n delta bounds :
  (0 < d)%nat -> blanket_right s row d ->
  forallb (fun k => Qle_bool 0 (under_reference k)) (family_classes s) = true ->
  Qle_bool (sum_of (map under_reference (family_classes s))) 1 = true ->
  all_below (fun classes => least_values E classes) bits limit n delta [family_classes s] [] bounds = true ->
  blanketed row d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros Hd [c [high [low [everyone [pair [P [L [B [<- [<- [<- Hp]]]]]]]]]]] Nonneg Most H.
  exists c. split; [auto |]. intros x y X Y.
    destruct (Nat.eq_dec x y) as [<- | N]; [left; intros f; reflexivity | right].
  rewrite (B x y _ _ X Y N).
  replace (blanket_list _ _ _ _) with (map real_class (family_classes s)).
  - apply bounded_class_bound.
    + apply Forall_forall. intros k I. rewrite forallb_forall in Nonneg. specialize (Nonneg k I).
      apply Qle_bool_R in Nonneg. rewrite Q2R_0 in Nonneg. exact Nonneg.
    + apply Qle_bool_R in Most. rewrite Q2R_sum_of, total_map, Q2R_1 in Most. exact Most.
    + assert (A := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). inversion A. assumption.
  - unfold family_classes, blanket_list. cbn [map]. rewrite !reduced_value. cbn [fst snd].
    rewrite !Q2R_mult, !Q2R_minus, !Hp by (simpl; lia). reflexivity.
Qed.

(** *** Family by family *)

Lemma columns_value d : (1 <= d)%Z -> IZR (2 ^ (Z.log2 d + 1)) = 2 ^ hadamard_digits (Z.to_nat d).
Proof.
  intros H. unfold hadamard_digits. set (b := Nat.log2 (Z.to_nat d)).
  assert (L : Z.log2 d = Z.of_nat b).
  { destruct (Nat.log2_spec (Z.to_nat d) ltac:(lia)) as [L U]. fold b in L, U.
    apply Z.log2_unique; [lia |]. replace (Z.of_nat b + 1)%Z with (Z.of_nat (S b)) by lia.
    change 2%Z with (Z.of_nat 2). rewrite <- ?Nat2Z.inj_succ, <- !Nat2Z.inj_pow. lia. }
  rewrite L. replace (Z.of_nat b + 1)%Z with (Z.of_nat (S b)) by lia. rewrite <- pow_IZR. reflexivity.
Qed.

Lemma response_low_value g E0 :
  (1 <= g)%Z -> 1 <= Q2R E0 -> Q2R (1 / (E0 + inject_Z g - 1)) = response_low (Z.to_nat g) (Q2R E0).
Proof.
  intros G HE. assert (1 <= IZR g) by (apply IZR_le; exact G).
  assert (X : Q2R (E0 + inject_Z g - 1) = Q2R E0 + IZR g - 1) by (rewrite Q2R_minus, Q2R_plus, Q2R_Z, Q2R_1;
    reflexivity).
  rewrite Q2R_divided, Q2R_1, X by (rewrite X; lra). unfold response_low. rewrite <- (Z_nat g) by lia. unfold Rdiv.
    ring.
Qed.

Lemma k_ary_right k E0 s :
  (2 <= k)%Z -> 1 < Q2R E0 -> supports_of (KAry k E0) = Some s ->
  blanket_right s (k_ary_response (Z.to_nat k) (Q2R E0)) (Z.to_nat k).
Proof.
  intros K HE H. injection H as <-. assert (L := response_low_value k E0 ltac:(lia) ltac:(lra)).
  eapply blanket_has; [apply (k_ary_blanket (Z.to_nat k) (Q2R E0)); [lia | lra] | | | |].
  all: cbn [high_density low_density of_everyone pair_mass].
  - rewrite Q2R_mult, L. reflexivity.
  - exact L.
  - apply Q2R_0.
  - intros bits _. apply (one_of_value k 2); lia.
Qed.

Lemma unary_right d p q s :
  (2 <= d)%Z -> 0 < Q2R q < Q2R p -> Q2R p < 1 -> supports_of (UnaryEncoding d p q) = Some s ->
  blanket_right s (unary_encoding (Z.to_nat d) (Q2R p) (Q2R q)) (Z.to_nat d).
Proof.
  intros D Q P H. injection H as <-.
  assert (H1 : Q2R (p / q) = Q2R p / Q2R q) by (apply Q2R_divided; lra).
  assert (H2 : Q2R ((1 - p) / (1 - q)) = (1 - Q2R p) / (1 - Q2R q)).
  { assert (X : Q2R (1 - q) = 1 - Q2R q) by (rewrite Q2R_minus, Q2R_1; reflexivity).
    rewrite Q2R_divided by (rewrite X; lra). rewrite X, Q2R_minus, Q2R_1. reflexivity. }
  assert (H3 : of_pairs (independent q 1) (independent_bits (Q2R q) 1)).
  { intros bits _. rewrite independent_value, Q2R_1. reflexivity. }
  assert (B := unary_blanket (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P).
  destruct (_ || _)%bool.
  - eapply blanket_has; [exact B | exact H1 | exact H2 | apply Q2R_power | exact H3].
  - eapply blanket_has_smaller; [apply B | | exact H1 | exact H2 | apply Q2R_0 | exact H3].
    apply (unary_smaller_blanket (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P).
Qed.

Lemma subset_low_value d w E0 :
  (1 <= w < d)%Z -> 1 < Q2R E0 ->
  Q2R (inject_Z d / (inject_Z w * E0 + inject_Z d - inject_Z w)) = subset_low (Z.to_nat d) (Z.to_nat w) (Q2R E0).
Proof.
  intros H HE. assert (W : 1 <= IZR w) by (apply IZR_le; lia). assert (D : IZR w < IZR d) by (apply IZR_lt; lia).
  assert (X : Q2R (inject_Z w * E0 + inject_Z d - inject_Z w) = IZR w * Q2R E0 + IZR d - IZR w)
    by (rewrite Q2R_minus, Q2R_plus, Q2R_mult, !Q2R_Z; reflexivity).
  rewrite Q2R_divided, Q2R_Z, X by (rewrite X; nra). unfold subset_low. rewrite !(Z_nat w), !(Z_nat d) by lia.
    reflexivity.
Qed.

Lemma subset_right d w E0 s :
  (1 <= w < d)%Z -> 1 < Q2R E0 -> supports_of (SubsetSelection d w E0) = Some s ->
  blanket_right s (subset_selection (Z.to_nat d) (Z.to_nat w) (Q2R E0)) (Z.to_nat d).
Proof.
  intros W HE H. injection H as <-. assert (L := subset_low_value d w E0 W HE).
  eapply blanket_has; [apply (subset_blanket (Z.to_nat d) (Z.to_nat w) (Q2R E0)); [lia | lia | lra] | | | |].
  all: cbn [high_density low_density of_everyone pair_mass].
  - rewrite Q2R_mult, L. reflexivity.
  - exact L.
  - apply Q2R_0.
  - intros bits B. apply subset_value; lia.
Qed.

Lemma hadamard_low_value d E0 :
  (2 <= d)%Z -> 1 < Q2R E0 ->
  Q2R (2 / (inject_Z (2 ^ (Z.log2 d + 1)) * (E0 + 1))) = hadamard_low (Z.to_nat d) (Q2R E0).
Proof.
  intros D HE. set (columns := (2 ^ (Z.log2 d + 1))%Z).
  assert (C : IZR columns = 2 ^ hadamard_digits (Z.to_nat d)) by (apply columns_value; lia).
  assert (X : Q2R (inject_Z columns * (E0 + 1)) = 2 ^ hadamard_digits (Z.to_nat d) * (Q2R E0 + 1))
    by (rewrite Q2R_mult, Q2R_plus, Q2R_Z, C, Q2R_1; reflexivity).
  assert (P : 0 < 2 ^ hadamard_digits (Z.to_nat d)) by (apply pow_lt; lra).
  rewrite Q2R_divided, X by (rewrite X; nra). unfold hadamard_low. f_equal. unfold Q2R. simpl. lra.
Qed.

Lemma half_value : Q2R (1 # 2) = / 2.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma hadamard_right d E0 s :
  (2 <= d)%Z -> 1 < Q2R E0 -> supports_of (Hadamard d E0) = Some s ->
  blanket_right s (hadamard_response (Z.to_nat d) (Q2R E0)) (Z.to_nat d).
Proof.
  intros D HE H. injection H as <-. assert (L := hadamard_low_value d E0 D HE).
  eapply blanket_has; [apply (hadamard_blanket (Z.to_nat d) (Q2R E0)); [lia | lra] | | | |].
  all: cbn [high_density low_density of_everyone pair_mass].
  - rewrite Q2R_mult, L. reflexivity.
  - exact L.
  - apply Q2R_1.
  - intros bits _. rewrite independent_value, half_value, Q2R_Z, columns_value by lia. reflexivity.
Qed.

Lemma bucket_value g : (2 <= g)%Z -> Q2R (1 / inject_Z g) = / INR (Z.to_nat g).
Proof.
  intros G. assert (2 <= IZR g) by (apply IZR_le; exact G).
  rewrite Q2R_divided, Q2R_1, Q2R_Z, <- (Z_nat g) by (lia || (rewrite Q2R_Z; lra)). unfold Rdiv. ring.
Qed.

Lemma hashing_right d g E0 s :
  (2 <= d)%Z -> (2 <= g)%Z -> 1 < Q2R E0 -> supports_of (LocalHashing d g E0) = Some s ->
  blanket_right s (local_hashing (Z.to_nat d) (Z.to_nat g) (Q2R E0)) (Z.to_nat d).
Proof.
  intros D G HE H. injection H as <-. assert (L := response_low_value g E0 ltac:(lia) ltac:(lra)).
  assert (C := bucket_value g G).
  assert (H1 : Q2R (E0 * (1 / (E0 + inject_Z g - 1))) = Q2R E0 * response_low (Z.to_nat g) (Q2R E0))
    by (rewrite Q2R_mult, L; reflexivity).
  assert (H3 : of_pairs (independent (1 / inject_Z g) (inject_Z g))
    (independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g)))).
  { intros bits _. rewrite independent_value, C, Q2R_Z, (Z_nat g) by lia. reflexivity. }
  assert (B := hashing_blanket (Z.to_nat d) (Z.to_nat g) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)).
  destruct (_ || _)%bool.
  - eapply blanket_has; [exact B | exact H1 | exact L | | exact H3].
    cbn [of_everyone]. rewrite Q2R_power, C. f_equal. lia.
  - eapply blanket_has_smaller; [apply B | | exact H1 | exact L | apply Q2R_0 | exact H3].
    apply (hashing_smaller_blanket (Z.to_nat d) (Z.to_nat g) (Q2R E0)); [lia | lia | lra].
Qed.

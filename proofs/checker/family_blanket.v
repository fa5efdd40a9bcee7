(** The numbers that blanket_program.v makes of k-ary response, unary encoding, subset selection, Hadamard response and
    local hashing: masses of patterns and densities are those of the families, for every k, d, w, g and E0 in the domain
    of each. family_rows.v puts them together.

    Source: this package, the files of the families. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick single_message.
From Exactdp Require Import mean_excess hidden_message blanket classes mean_excess_order supports.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From Exactdp Require Import least_values pair_bound.
From ExactdpChecker Require Import claims blanket_program blanket_sound matrix_blanket.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

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

Lemma reduced_value k : real_class (reduced k) = (Q2R (fst (fst k)), Q2R (snd (fst k)), Q2R (snd k)).
Proof.
  unfold real_class, reduced, under_first, under_second, under_reference. cbn [fst snd]. rewrite !Q2R_red. reflexivity.
Qed.

(** ** Family by family *)

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

Lemma bucket_value g : (2 <= g)%Z -> Q2R (1 / inject_Z g) = / INR (Z.to_nat g).
Proof.
  intros G. assert (2 <= IZR g) by (apply IZR_le; exact G).
  rewrite Q2R_divided, Q2R_1, Q2R_Z, <- (Z_nat g) by (lia || (rewrite Q2R_Z; lra)). unfold Rdiv. ring.
Qed.

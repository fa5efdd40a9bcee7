(** The printed width of sums in almost one message, and how far a number is written.

    Gamma = Delta (ceil(ln Delta) + 1) is printed as the width. By printed_width (almost_central.v) it is large enough
    for privacy at every Delta. [width_below_spread]: at Delta = 17 and at every Delta >= 65 the numbers of the
    multisets that write Delta add up to more than Gamma in absolute value.

    Idea: the spread of x >= 2^j is at least x j, and ln 2 <= 7/10, so from 2^9 on ceil(ln x) + 1 is below j. What is
    left is computed. Source: this package. *)

From Coq Require Import Reals List Arith ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums fixed_point exponential_fixed_point zero_sum_multisets.
Import ListNotations.
Open Scope R_scope.

(** What the multisets that write x add up to in absolute value. *)
Definition written_length (Delta x : nat) : Z :=
  sum_to Delta (fun i => i * (Z.abs (coefficient x i) + Z.abs (coefficient x (- i))))%Z.

Lemma written_length_is Delta x : (x <= Delta)%nat -> written_length Delta x = spread x.
Proof.
  intros H. rewrite <- (spread_is Delta x H). apply sum_to_ext. intros i Hi.
  assert (S := coefficient_signs x i ltac:(lia)). f_equal. lia.
Qed.

Lemma spread_at_least j : forall x, (2 ^ j <= x)%nat -> (Z.of_nat (x * j) <= spread x)%Z.
Proof.
  induction j as [| j IH]; intros x Hx; [rewrite Nat.mul_0_r; apply spread_nonneg |].
  rewrite Nat.pow_succ_r' in Hx. assert (P := Nat.pow_nonzero 2 j ltac:(lia)). rewrite spread_step by lia.
  destruct (halves x) as [A B]; [lia |].
  assert (E : (x = 2 * (x / 2) + x mod 2)%nat) by (apply Nat.div_mod; lia).
  assert (M := Nat.mod_upper_bound x 2 ltac:(lia)).
  assert (F := IH (x / 2)%nat ltac:(lia)). assert (G := IH (x - x / 2)%nat ltac:(lia)).
  replace (x * S j)%nat with (x + (x / 2) * j + (x - x / 2) * j)%nat; [lia |].
  rewrite <- Nat.add_assoc, <- Nat.mul_add_distr_r. replace (x / 2 + (x - x / 2))%nat with x by lia. lia.
Qed.

Lemma exp_1_lower : 2718 / 1000 <= exp 1.
Proof.
  assert (H := exp_enclosed 16 (two 16) (two 16) 1 ltac:(rewrite IZR_two; lra)).
  vm_compute (exp_bounds _ _) in H. cbn [fst snd] in H. lra.
Qed.

(** ln x is at most m. *)
Lemma ln_at_most (x m : nat) : (1 <= x)%nat -> INR x <= (2718 / 1000) ^ m -> ln (INR x) <= INR m.
Proof.
  intros Hx H. rewrite <- (ln_exp (INR m)). apply ln_le; [apply lt_0_INR; lia |]. eapply Rle_trans; [exact H |].
  replace (exp (INR m)) with (exp 1 ^ m) by (rewrite exp_power; f_equal; ring).
  apply pow_incr. assert (E := exp_1_lower). lra.
Qed.

(** The least integer that is at least ln x is at most m. *)
Lemma rounded_log (x k m : nat) : (1 <= x)%nat -> INR k - 1 < ln (INR x) -> INR x <= (2718 / 1000) ^ m -> (k <= m)%nat.
Proof.
  intros Hx Hk H. assert (L := ln_at_most x m Hx H). assert (K : INR k < INR (S m)) by (rewrite S_INR; lra).
  apply INR_lt in K. lia.
Qed.

(** At least ceil(ln x) for 17 and from 65 to 511. *)
Definition rounded (x : nat) : nat :=
  if (x <=? 17)%nat then 3 else if (x <=? 148)%nat then 5 else if (x <=? 403)%nat then 6 else 7.

Lemma rounded_enough x : (x <= 511)%nat -> INR x <= (2718 / 1000) ^ rounded x.
Proof.
  intros H. unfold rounded.
  destruct (Nat.leb_spec x 17) as [A | A]; [apply le_INR in A; simpl (INR 17) in A; simpl; lra |].
  destruct (Nat.leb_spec x 148) as [B | B]; [apply le_INR in B; rewrite (INR_IZR_INZ 148) in B; simpl in *; lra |].
  destruct (Nat.leb_spec x 403) as [C | C]; [apply le_INR in C; rewrite (INR_IZR_INZ 403) in C; simpl in *; lra |].
  apply le_INR in H. rewrite (INR_IZR_INZ 511) in H. simpl in *. lra.
Qed.

Lemma computed_widths : forallb (fun x => (Z.of_nat x * (Z.of_nat (rounded x) + 1) <? spread x)%Z)
  (17%nat :: seq 65 447) = true.
Proof. vm_compute. reflexivity. Qed.

Theorem width_below_spread (Delta k : nat) : Delta = 17%nat \/ (65 <= Delta)%nat ->
  INR k - 1 < ln (INR Delta) -> (Z.of_nat (Delta * (k + 1)) < written_length Delta Delta)%Z.
Proof.
  intros H Hk. rewrite written_length_is by lia. destruct (le_lt_dec Delta 511) as [L | L].
  - assert (K := rounded_log Delta k (rounded Delta) ltac:(lia) Hk (rounded_enough Delta L)).
    assert (I : In Delta (17%nat :: seq 65 447)).
    { destruct H as [-> | H]; [left; reflexivity | right; apply in_seq; lia]. }
    assert (C := proj1 (forallb_forall _ _) computed_widths Delta I). apply Z.ltb_lt in C.
    apply Z.le_lt_trans with (Z.of_nat Delta * (Z.of_nat (rounded Delta) + 1))%Z; [| exact C].
    rewrite Nat2Z.inj_mul. apply Z.mul_le_mono_nonneg_l; lia.
  - set (j := Nat.log2 Delta). destruct (Nat.log2_spec Delta ltac:(lia)) as [Low Up]. fold j in Low, Up.
    assert (J : (9 <= j)%nat) by (apply Nat.log2_le_pow2; simpl; lia).
    apply Z.lt_le_trans with (Z.of_nat (Delta * j)); [| apply spread_at_least, Low].
    apply inj_lt, Nat.mul_lt_mono_pos_l; [lia |]. apply INR_lt. rewrite plus_INR. change (INR 1) with 1.
    assert (P : 0 < INR Delta) by (apply lt_0_INR; lia).
    assert (U : ln (INR Delta) <= INR (S j) * ln 2).
    { rewrite <- ln_pow by lra. apply ln_le; [exact P |]. replace 2 with (INR 2) by reflexivity. rewrite <- pow_INR.
      apply le_INR. lia. }
    assert (T : 10 * ln 2 <= 7).
    { replace 10 with (INR 10) by (simpl; ring). rewrite <- ln_pow by lra.
      replace (2 ^ 10) with (INR 1024) by (rewrite INR_IZR_INZ; simpl; ring). replace 7 with (INR 7) by (simpl; ring).
      apply ln_at_most; [lia | rewrite INR_IZR_INZ; simpl; lra]. }
    rewrite S_INR in U. apply le_INR in J. simpl (INR 9) in J. assert (0 <= INR j + 1) by lra.
    assert ((INR j + 1) * ln 2 <= (INR j + 1) * (7 / 10)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

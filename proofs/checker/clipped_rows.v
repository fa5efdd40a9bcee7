(** The rows of the clipped discrete Laplace law sum to 1.

    For every 0 < r < 1, every top >= 1 and every input x from 0 to top, [clipped_laplace top r x] is a law
    ([clipped_laplace_proper]).

    Idea: the probability of 0, ..., y is r^(x-y) / (1 + r) below x, and 1 - r^(y-x+1) / (1 + r) from x on.

    Source: docs/certificates.md, "Families". *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums laws.
From ExactdpChecker Require Import claims.
Import ListNotations.
Open Scope R_scope.

Section row.

Variables (top : nat) (r : R) (x : nat).
Hypothesis ratio : 0 < r < 1.
Hypothesis some : (1 <= top)%nat.
Hypothesis inside : (x <= top)%nat.

Definition weight (y : nat) : R :=
  let distance := Z.abs_nat (Z.of_nat x - Z.of_nat y) in
  if (Nat.eqb y 0 || Nat.eqb y top)%bool then r ^ distance / (1 + r) else r ^ distance * (1 - r) / (1 + r).

Definition up_to (y : nat) : R := if Nat.ltb y x then r ^ (x - y) / (1 + r) else 1 - r ^ (y - x + 1) / (1 + r).

Lemma weights_up_to y : (y < top)%nat -> total (seq 0 (S y)) weight = up_to y.
Proof.
  induction y as [| y IH]; intros H.
  - unfold up_to, weight. simpl. rewrite Rplus_0_r. destruct (Nat.ltb_spec 0 x) as [L | L].
    + replace (Z.abs_nat (Z.of_nat x - 0)) with (x - 0)%nat by lia. reflexivity.
    + replace (Z.abs_nat (Z.of_nat x - 0)) with 0%nat by lia. replace (0 - x + 1)%nat with 1%nat by lia. simpl. field.
      lra.
  - rewrite seq_S, total_app, IH by lia. cbn [total Nat.add]. rewrite Rplus_0_r. unfold weight, up_to.
    replace (Nat.eqb (S y) top) with false by (symmetry; apply Nat.eqb_neq; lia). cbn [Nat.eqb orb].
    destruct (Nat.ltb_spec y x) as [L | L], (Nat.ltb_spec (S y) x) as [M | M]; try lia.
    + replace (Z.abs_nat (Z.of_nat x - Z.of_nat (S y))) with (x - S y)%nat by lia.
      replace (x - y)%nat with (S (x - S y)) by lia. simpl. field. lra.
    + replace (Z.abs_nat (Z.of_nat x - Z.of_nat (S y))) with 0%nat by lia. replace (x - y)%nat with 1%nat by lia.
      replace (S y - x + 1)%nat with 1%nat by lia. simpl. field. lra.
    + replace (Z.abs_nat (Z.of_nat x - Z.of_nat (S y))) with (y - x + 1)%nat by lia.
      replace (S y - x + 1)%nat with (S (y - x + 1)) by lia. simpl. field. lra.
Qed.

Lemma weights_all : total (seq 0 (S top)) weight = 1.
Proof.
  rewrite seq_S, total_app. cbn [total Nat.add]. rewrite Rplus_0_r.
  replace top with (S (top - 1)) at 1 by lia. rewrite weights_up_to by lia. unfold up_to, weight.
  rewrite Nat.eqb_refl, orb_true_r. destruct (Nat.ltb_spec (top - 1) x) as [L | L].
  - replace (Z.abs_nat (Z.of_nat x - Z.of_nat top)) with 0%nat by lia. replace (x - (top - 1))%nat with 1%nat by lia.
    simpl. field. lra.
  - replace (Z.abs_nat (Z.of_nat x - Z.of_nat top)) with (top - 1 - x + 1)%nat by lia. field. lra.
Qed.

Theorem clipped_laplace_proper : proper (clipped_laplace top r x).
Proof.
  split.
  - intros wy I. apply in_map_iff in I. destruct I as [y [<- _]]. cbv zeta. cbn [fst].
    assert (0 < / (1 + r)) by (apply Rinv_0_lt_compat; lra).
    assert (P := pow_le r (Z.abs_nat (Z.of_nat x - Z.of_nat y)) ltac:(lra)). unfold Rdiv.
    destruct (_ || _)%bool; repeat apply Rmult_le_pos; lra.
  - unfold mean, clipped_laplace. rewrite total_map. cbv zeta. cbn [fst snd].
    transitivity (total (seq 0 (S top)) weight); [| apply weights_all]. apply total_ext. intros y _. unfold weight.
    ring.
Qed.

End row.

(** The rows of proofs/smooth_definition.py: what each kernel row says. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses privacy smooth smooth_is_private uniform4 smooth_complement fair_coin.
From Exactdp Require Import binomial smooth_printed smooth_noise_privacy histogram_smooth.
Import ListNotations.
Open Scope R_scope.

Definition row_smooth_definition_printed : Prop :=
  ~ (forall (D : Z -> R) (eps delta : R) (k : Z), law D -> smooth D eps delta k ->
     forall j : Z, (Z.abs j <= k)%Z ->
     forall p, mass_of D (fun y => exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y) p -> p <= delta).

Theorem row_smooth_definition_printed_holds : row_smooth_definition_printed.
Proof. exact smooth_definition_printed_is_false. Qed.

Definition row_smooth_definition : Prop :=
  smooth (binomial 1 (1 / 2)) (ln 2) (1 / 2) 1 /\
  forall (D : Z -> R) (eps : R), law D ->
  mass_of D (fun y => exp (IZR (Z.abs 0) * eps) * D (y + 0)%Z <= D y) 1.

Theorem row_smooth_definition_holds : row_smooth_definition.
Proof. split; [exact fair_coin_smooth | exact smooth_definition]. Qed.

Definition row_smooth_complement_printed : Prop :=
  ~ (forall (D : Z -> R) (eps delta : R) (j : Z) (large small : R), law D -> j <> 0%Z ->
     mass_of D (fun y => exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y) large ->
     mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) small ->
     (large <= delta <-> small > 1 - delta)).

Theorem row_smooth_complement_printed_holds : row_smooth_complement_printed.
Proof.
  intros H. apply smooth_complement_printed_is_false. intros D eps delta k L S j J K p Hp.
  destruct (mass_exists D (fun y => exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y) L) as [r Hr].
  apply (H D eps delta j r p L J Hr Hp). apply (proj1 (smooth_probability D eps delta k L) S j J K). exact Hr.
Qed.

Definition row_smooth_complement : Prop :=
  forall (D : Z -> R) (eps delta : R) (j : Z) (large small : R), law D ->
  mass_of D (fun y => exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y) large ->
  mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) small ->
  (large <= delta <-> small >= 1 - delta).

Theorem row_smooth_complement_holds : row_smooth_complement.
Proof.
  intros D eps delta j large small L Hl Hs.
  assert (E := smooth_complement_each D eps delta j large small L Hl Hs). split; intros H.
  - apply Rle_ge, E, H.
  - apply E, Rge_le, H.
Qed.

Definition row_smooth_window_printed : Prop :=
  ~ (forall (D : Z -> R) (eps : R) (y j : Z) (window : R), law D -> 0 <= eps -> j <> 0%Z -> 0 < D y ->
     D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z ->
     mass_of D (fun z => (y - Z.abs j <= z <= y + Z.abs j)%Z) window ->
     window <= exp (IZR (Z.abs j) * eps) * D y).

Theorem row_smooth_window_printed_holds : row_smooth_window_printed.
Proof.
  intros H. destruct smooth_window_printed as [L [[P R] [W [_ B]]]].
  assert (X : exp (IZR (Z.abs 1) * ln (3 / 2)) = 3 / 2).
  { change (IZR (Z.abs 1)) with 1. rewrite Rmult_1_l. apply exp_ln. lra. }
  assert (E : 0 <= ln (3 / 2)) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  specialize (H uniform2 (ln (3 / 2)) 0%Z 1%Z 1 L E ltac:(lia) P). rewrite X in H.
  specialize (H R W). lra.
Qed.

Definition row_smooth_window_points : Prop :=
  forall (D : Z -> R) (eps delta : R) (k : Z), law D ->
  (smooth D eps delta k <->
   forall j : Z, j <> 0%Z -> (Z.abs j <= k)%Z ->
   forall p, mass_of D (fun y => D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z) p -> 1 - delta <= p).

Theorem row_smooth_window_points_holds : row_smooth_window_points.
Proof. exact smooth_complement. Qed.

Definition row_smooth_two_points : Prop :=
  uniform2 0 = 1 / 2 /\ uniform2 1 = 1 / 2 /\ (forall y, y <> 0%Z -> y <> 1%Z -> uniform2 y = 0) /\
  forall (D : Z -> R) (y j : Z) (T : Z -> Prop) (p : R),
  j <> 0%Z -> 0 < D (y + j)%Z -> T y -> T (y + j)%Z -> mass_of D T p -> D y < p.

Theorem row_smooth_two_points_holds : row_smooth_two_points.
Proof.
  destruct smooth_two_points as [A [B C]]. split; [exact A |]. split; [exact B |]. split; [| exact C].
  intros y H0 H1. apply uniform2_outside. simpl. intuition congruence.
Qed.

Definition row_smooth_converse_printed : Prop :=
  ~ (forall (D : Z -> R) (eps delta : R), law D -> 0 <= eps -> 0 <= delta ->
     (forall (T : Z -> Prop) p q, mass_of D T p -> mass_of (fun y => D (y - 1)%Z) T q ->
        p <= exp eps * q + delta /\ q <= exp eps * p + delta) ->
     smooth D eps delta 1).

Theorem row_smooth_converse_printed_holds : row_smooth_converse_printed.
Proof.
  intros H. destruct smooth_converse_printed as [L [A [B [_ N]]]]. apply (N (2 / 3)); [lra |].
  assert (E : 0 <= ln 2) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  apply H; [exact L | exact E | lra |]. intros T p q Hp Hq. rewrite exp_ln by lra. split.
  - exact (mass_below_all_events _ _ 2 (2 / 3) ltac:(lra) A T p q Hp Hq).
  - exact (mass_below_all_events _ _ 2 (2 / 3) ltac:(lra) B T q p Hq Hp).
Qed.

Definition row_smooth_is_private : Prop :=
  forall (A : Type) (P Q : A -> R) (eps delta r : R), law P -> law Q ->
  mass_of P (fun a => exp eps * Q a <= P a) r -> r <= delta ->
  forall (T : A -> Prop) p q, mass_of P T p -> mass_of Q T q -> p <= exp eps * q + delta.

Theorem row_smooth_is_private_holds : row_smooth_is_private.
Proof. intros A P Q eps delta r. apply smooth_is_private. Qed.

Definition row_smooth_histogram : Prop :=
  let bins (d : nat) (xs : list nat) := map (fun j => Z.of_nat (count_occ Nat.eq_dec xs j)) (seq 0 d) in
  (forall d xs ys, neighbors xs ys ->
     Forall2 (fun a b => (Z.abs (a - b) <= 1)%Z) (bins d xs) (bins d ys) /\
     (l1_distance (bins d xs) (bins d ys) <= 2)%Z) /\
  (forall D eps delta d xs ys, law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta -> neighbors xs ys ->
     forall T p q, mass_of (noisy D (bins d xs)) T p -> mass_of (noisy D (bins d ys)) T q ->
     p <= exp (2 * eps) * q + 2 * delta) /\
  ~ (forall D eps delta d xs ys, law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta -> neighbors xs ys ->
     forall T p q, mass_of (noisy D (bins d xs)) T p -> mass_of (noisy D (bins d ys)) T q ->
     p <= exp eps * q + delta).

Theorem row_smooth_histogram_holds : row_smooth_histogram.
Proof.
  split; [exact histogram_moves |]. split; [exact histogram_noise_private | exact histogram_noise_needs_two].
Qed.

(** The rows of proofs/smooth_noise_privacy.py: what each kernel row says. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import sums laws masses privacy smooth smooth_is_private uniform4 binomial.
From Exactdp Require Import geometric_noise smooth_noise_privacy smooth_noise_norm smooth_noise_union smooth_noise_union_bound smooth_noise_needs.
From Exactdp Require Import zsum zsum_privacy smooth_noise_ratio histogram histogram_smooth.
Import ListNotations.
Open Scope R_scope.

Definition row_lemma2 : Prop :=
  forall (X : Type) (f : X -> list Z) (neighbor : X -> X -> Prop)
    (D : Z -> R) (eps delta : R) (k : Z) (Delta : nat),
  law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
  (forall x y, neighbor x y -> Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) (f x) (f y)) ->
  (forall x y, neighbor x y -> (l1_distance (f x) (f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : list Z -> Prop) p q, mass_of (noisy D (f x)) T p -> mass_of (noisy D (f y)) T q ->
  p <= exp (INR Delta * eps) * q + INR Delta * delta.

Theorem row_lemma2_holds : row_lemma2.
Proof. intros X f neighbor D eps delta k Delta. apply lemma2. Qed.

Definition row_lemma2_norm : Prop :=
  forall a E : R, 0 < a < 1 -> / a < E < / a ^ 2 ->
  let D := fun y => (1 - a) / (1 + a) * a ^ Z.abs_nat y in
  law D /\ smooth D (ln E) 0 1 /\
  exists T p q, mass_of (noisy D [0; 0]%Z) T p /\ mass_of (noisy D [1; 1]%Z) T q /\ exp (ln E) * q < p.

Theorem row_lemma2_norm_holds : row_lemma2_norm.
Proof. intros a E H HE D. destruct (lemma2_norm a E H HE) as [L [S [_ C]]]. exact (conj L (conj S C)). Qed.

Definition row_lemma2_scalar : Prop :=
  forall (X : Type) (f : X -> Z) (neighbor : X -> X -> Prop) (D : Z -> R) (eps delta : R),
  law D -> smooth D eps delta 1 -> 0 <= eps -> 0 <= delta ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= 1)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q, mass_of (fun v => D (v - f x)%Z) T p -> mass_of (fun v => D (v - f y)%Z) T q ->
  p <= exp eps * q + delta.

Theorem row_lemma2_scalar_holds : row_lemma2_scalar.
Proof. intros X f neighbor D eps delta. apply lemma2_scalar. Qed.

Definition row_lemma2_half_step : Prop :=
  let D := uniform4 in
  let spread := fun y => if Z.even y then D (y / 2)%Z else 0 in
  (forall eps, 0 < eps -> smooth D eps (1 / 4) 1) /\
  exists T, mass_of spread T 1 /\ mass_of (fun y => spread (y - 1)%Z) T 0.

Theorem row_lemma2_half_step_holds : row_lemma2_half_step.
Proof. exact (proj2 lemma2_half_step). Qed.

Definition row_lemma2_neighbors : Prop :=
  (forall xs ys : list bool, neighbors xs ys ->
     (Z.abs (Z.of_nat (count_occ bool_dec xs true) - Z.of_nat (count_occ bool_dec ys true)) <= 1)%Z) /\
  exists xs ys : list bool, length xs = 2%nat /\ length ys = 2%nat /\
    ~ (Z.abs (Z.of_nat (count_occ bool_dec xs true) - Z.of_nat (count_occ bool_dec ys true)) <= 1)%Z.

Theorem row_lemma2_neighbors_holds : row_lemma2_neighbors.
Proof. exact (conj ones_neighbors ones_any_pair). Qed.

Definition row_lemma2_coordinates : Prop :=
  let D := binomial 5 (1 / 2) in
  smooth D (ln 6) (1 / 32) 1 /\ (0 - 5 <= 1)%Z /\
  exists T : Z -> Prop,
  mass_of (fun v => D (v - 5)%Z) T (31 / 32) /\ mass_of D T 0 /\ 31 / 32 > exp (5 * ln 6) * 0 + 5 * (1 / 32).

Theorem row_lemma2_coordinates_holds : row_lemma2_coordinates.
Proof.
  split; [exact five_coins_smooth |]. split; [lia |]. destruct five_coins_fall as [T [P Q]].
  exists T. split; [exact P |]. split; [exact Q | lra].
Qed.

Definition row_lemma2_ratio_printed : Prop :=
  ~ (forall (n : nat) (p : R) (eta k : Z), 0 < p < 1 ->
     0 < binomial n p (eta + k)%Z -> 0 < binomial n p (eta - k)%Z ->
     binomial n p eta / binomial n p (eta + k)%Z = binomial n p eta / binomial n p (eta - k)%Z).

Theorem row_lemma2_ratio_printed_holds : row_lemma2_ratio_printed.
Proof. exact lemma2_ratio_printed_fails. Qed.

Definition row_lemma2_ratio : Prop :=
  (forall (p : R) (xs ys : list bool) (eta k : Z), let n := length xs in
   0 <= p <= 1 -> length ys = n -> (Z.of_nat (ones ys) = Z.of_nat (ones xs) + k)%Z ->
   let view_is := fun y : list unit => Z.eqb (Z.of_nat (length y)) (Z.of_nat (ones xs) + eta) in
   Pr (messages (zsum_randomizer (1 - p)) xs) view_is = binomial n p eta /\
   Pr (messages (zsum_randomizer (1 - p)) ys) view_is = binomial n p (eta - k)) /\
  binomial 2 (1 / 3) (1 - 1) = 4 / 9 /\ binomial 2 (1 / 3) (1 + 1) = 1 / 9.

Theorem row_lemma2_ratio_holds : row_lemma2_ratio.
Proof.
  split; [exact lemma2_ratio |]. destruct lemma2_ratio_masses as [A [_ B]]. exact (conj A B).
Qed.

Definition row_lemma2_union_printed : Prop :=
  ~ (forall (D : Z -> R) (eps delta : R) (k : Z) (f g : list Z) (r : R),
     law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
     Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) f g -> f <> g ->
     mass_of (noisy D f) (fun v => exp (IZR (l1_distance f g) * eps) * noisy D g v <= noisy D f v) r ->
     r <= delta).

Theorem row_lemma2_union_printed_holds : row_lemma2_union_printed.
Proof.
  intros H. set (P := noisy uniform4 [0; 0]%Z). set (Q := noisy uniform4 [1; 1]%Z).
  set (E := exp (IZR (l1_distance [0; 0]%Z [1; 1]%Z) * 1)).
  destruct (mass_exists P (large_ratio P Q E) (noisy_law uniform4 [0; 0]%Z uniform4_law)) as [r Hr].
  assert (B := H uniform4 1 (1 / 4) 1%Z [0; 0]%Z [1; 1]%Z r uniform4_law (uniform4_smooth 1 Rlt_0_1)
    ltac:(lra) ltac:(lra) ltac:(repeat constructor; lia) ltac:(discriminate) Hr).
  apply (lemma2_union_no_factor E (1 / 4));
    [left; apply exp_pos | lra |].
  apply large_ratios_mass_below; [left; apply exp_pos | apply (proj1 (noisy_law _ _ uniform4_law)) |].
  intros l N I. apply Rle_trans with r; [| exact B]. apply (proj1 Hr). exists l. auto.
Qed.

Definition row_lemma2_union : Prop :=
  forall (D : Z -> R) (eps delta : R) (k : Z) (f g : list Z) (r : R),
  law D -> smooth D eps delta k ->
  Forall2 (fun a b => (Z.abs (a - b) <= k)%Z) f g -> f <> g ->
  mass_of (noisy D f) (fun v => exp (IZR (l1_distance f g) * eps) * noisy D g v <= noisy D f v) r ->
  r <= INR (moved f g) * delta.

Theorem row_lemma2_union_holds : row_lemma2_union.
Proof. intros D eps delta k f g r L S H N M. exact (lemma2_union D eps delta k L S f g r H N M). Qed.

Definition row_lemma2_instances : Prop :=
  forall (n d : nat) (gamma eps delta : R), 0 <= gamma <= 1 -> 0 <= eps -> 0 <= delta ->
  smooth (binomial n gamma) eps delta 1 ->
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).

Theorem row_lemma2_instances_holds : row_lemma2_instances.
Proof. exact histogram_smooth_private. Qed.

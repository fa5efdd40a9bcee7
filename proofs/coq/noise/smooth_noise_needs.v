(** What Lemma 2 needs besides the sum of the changes: changes of both signs bounded, and integer queries.

    - [lemma2_one_sided_changes_fail]: with f(X')_j - f(X)_j <= k in place of its absolute value the lemma is
      false: Bin(5, 1/2) is (ln 6, 1/32, 1)-smooth ([five_coins_smooth]), and a query that falls by 5 takes
      the outcomes 1, ..., 5 of the noise, of probability 31/32 > 5/32, from where there is no mass after
      ([five_coins_fall]).
    - [lemma2_half_step]: uniform noise on {0, 1, 2, 3} is (eps, 1/4, 1)-smooth for every eps > 0; spread to
      {0, 2, 4, 6}, so that a move by 1 is half a step of the noise, it is told from itself moved with
      certainty.

    (Source: this package; the printed changes are in a reading note on Ghazi, Golowich, Kumar, Pagh,
    Velingker 2021, section 4.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses smooth smooth_noise_privacy binomial uniform4.
Import ListNotations.
Open Scope R_scope.

(** ** Five coins *)

Local Notation five := (binomial 5 (1 / 2)).

Definition sixths (y : Z) : R :=
  match y with
  | 0%Z | 5%Z => 1 / 32
  | 1%Z | 4%Z => 5 / 32
  | 2%Z | 3%Z => 10 / 32
  | _ => 0
  end.

Lemma five_masses y : five y = sixths y.
Proof.
  destruct (Z_lt_le_dec y 0) as [H | H].
  - rewrite binomial_negative by exact H. destruct y; try lia. reflexivity.
  - destruct (Z_lt_le_dec 5 y) as [H' | H'].
    + rewrite binomial_above by (simpl; lia). unfold sixths.
      repeat (match goal with |- context [match ?p with _ => _ end] => destruct p end;
        try reflexivity; try lia).
    + rewrite <- (Z2Nat.id y) by exact H. rewrite binomial_of_nat.
      assert (N : (Z.to_nat y <= 5)%nat) by lia.
      destruct (Z.to_nat y) as [| [| [| [| [| [| i]]]]]]; [.. | lia];
        unfold binom, C; rewrite !INR_IZR_INZ; cbn -[IZR Rmult Rdiv Rplus Rminus]; lra.
Qed.

Theorem five_coins_smooth : smooth five (ln 6) (1 / 32) 1.
Proof.
  intros j J K l N I. assert (E : exp (IZR (Z.abs j) * ln 6) = 6).
  { replace (Z.abs j) with 1%Z by lia. rewrite Rmult_1_l. apply exp_ln. lra. }
  set (last := if Z.ltb 0 j then 5%Z else 0%Z).
  assert (H : forall y, In y l -> five y = if Z.eq_dec last y then 1 / 32 else 0).
  { intros y Hy. specialize (I y Hy). rewrite E, !five_masses in I. rewrite five_masses.
    destruct (Z_lt_le_dec y 0) as [A | A]; [| destruct (Z_lt_le_dec 5 y) as [B | B]].
    - rewrite <- five_masses, binomial_negative by exact A. unfold last.
      destruct (Z.ltb 0 j); destruct (Z.eq_dec _ y); lia || reflexivity.
    - rewrite <- five_masses, binomial_above by (simpl; lia). unfold last.
      destruct (Z.ltb 0 j); destruct (Z.eq_dec _ y); lia || reflexivity.
    - assert (C : (y = 0 \/ y = 1 \/ y = 2 \/ y = 3 \/ y = 4 \/ y = 5)%Z) by lia.
      assert (S : j = 1%Z \/ j = (-1)%Z) by lia. unfold last.
      destruct S as [-> | ->]; destruct C as [-> | [-> | [-> | [-> | [-> | ->]]]]]; simpl in *; lra. }
  rewrite (total_ext l _ _ H). destruct (in_dec Z.eq_dec last l) as [In1 | Out].
  - rewrite (total_single Z.eq_dec l last (1 / 32) N In1). lra.
  - rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |].
    intros y Hy. destruct (Z.eq_dec last y) as [<- | _]; [contradiction | reflexivity].
Qed.

(** An answer that falls by 5, as an event shows it. *)
Theorem five_coins_fall :
  exists T, mass_of (fun v => five (v - 5)%Z) T (31 / 32) /\ mass_of five T 0.
Proof.
  exists (fun v => In v [6; 7; 8; 9; 10]%Z). split.
  - replace (31 / 32) with (total [6; 7; 8; 9; 10]%Z (fun v => five (v - 5)%Z)).
    + apply mass_of_finite; [intros y; apply binomial_nonneg; lra |].
      repeat constructor; simpl; intuition discriminate.
    + cbn [total]. rewrite !five_masses. simpl. lra.
  - apply mass_of_zero. intros y I. apply binomial_above. simpl in *. lia.
Qed.

Theorem lemma2_one_sided_changes_fail :
  ~ (forall (D : Z -> R) (eps delta : R) (k : Z) (Delta : nat) (f g : list Z),
     law D -> smooth D eps delta k -> 0 <= eps -> 0 <= delta ->
     Forall2 (fun a b => (b - a <= k)%Z) f g -> (l1_distance f g <= Z.of_nat Delta)%Z ->
     forall T p q, mass_of (noisy D f) T p -> mass_of (noisy D g) T q ->
     p <= exp (INR Delta * eps) * q + INR Delta * delta).
Proof.
  intros H. assert (L : law five) by (apply binomial_law; lra).
  set (event := [[6]; [7]; [8]; [9]; [10]]%Z).
  assert (N : NoDup event) by (unfold event; repeat constructor; simpl; intuition discriminate).
  assert (E : 0 <= ln 6) by (rewrite <- ln_1; left; apply ln_increasing; lra).
  assert (B := H five (ln 6) (1 / 32) 1%Z 5%nat [5]%Z [0]%Z L five_coins_smooth E ltac:(lra)
    ltac:(repeat constructor; lia) ltac:(simpl; lia) (fun v => In v event) _ _
    (mass_of_finite _ event (proj1 (noisy_law five _ L)) N)
    (mass_of_finite _ event (proj1 (noisy_law five _ L)) N)).
  unfold event in B. cbn [total noisy] in B. rewrite !five_masses in B. simpl in B. lra.
Qed.

(** ** Half a step *)

(** D with its outcomes two apart. *)
Definition spread (D : Z -> R) (y : Z) : R := if Z.even y then D (y / 2)%Z else 0.

Theorem lemma2_half_step :
  law uniform4 /\ (forall eps, 0 < eps -> smooth uniform4 eps (1 / 4) 1) /\
  exists T, mass_of (spread uniform4) T 1 /\ mass_of (fun y => spread uniform4 (y - 1)) T 0.
Proof.
  split; [exact uniform4_law |]. split; [exact uniform4_smooth |].
  exists (fun y => In y [0; 2; 4; 6]%Z). split.
  - replace 1 with (total [0; 2; 4; 6]%Z (spread uniform4)).
    + apply mass_of_finite; [| repeat constructor; simpl; intuition discriminate].
      intros y. unfold spread, uniform4. destruct (Z.even y); [destruct in_dec |]; lra.
    + unfold spread, uniform4. simpl. lra.
  - apply mass_of_zero. intros y [<- | [<- | [<- | [<- | []]]]]; reflexivity.
Qed.

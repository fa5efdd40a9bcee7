(** Three users of any randomizer: the theorem on the five randomizers with numbers.

    Each user runs one (ln 2)-DP randomizer, whichever it is, with one message or more. One of the others may be seen,
    two are left to hide among; the four waves are the fourth roots of unity, h = 1/4 and q = 1/2. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy shuffler hockey_stick local_simulation.
From Exactdp Require Import swapped_stages wave_bounds lattice_waves five_randomizers.
From ExactdpRows Require Import swap_bounds.
Import ListNotations.
Open Scope R_scope.

(** Cosine and sine of so many right angles. *)
Definition cosine (j : Z) : R := match (j mod 4)%Z with 0%Z => 1 | 2%Z => -1 | _ => 0 end.
Definition sine (j : Z) : R := match (j mod 4)%Z with 1%Z => 1 | 3%Z => -1 | _ => 0 end.

Lemma right_angles j : cos (PI / 2 * IZR j) = cosine j /\ sin (PI / 2 * IZR j) = sine j.
Proof.
  unfold cosine, sine. assert (B := Z.mod_pos_bound j 4 ltac:(lia)).
  assert (E : PI / 2 * IZR j = PI / 2 * IZR (j mod 4) + 2 * PI * IZR (j / 4)).
  { rewrite (Z.div_mod j 4) at 1 by lia. rewrite plus_IZR, mult_IZR. field. }
  rewrite E, (proj1 (whole_turns _ _)), (proj2 (whole_turns _ _)).
  assert (C : (j mod 4 = 0 \/ j mod 4 = 1 \/ j mod 4 = 2 \/ j mod 4 = 3)%Z) by lia.
  destruct C as [-> | [-> | [-> | ->]]].
  - rewrite Rmult_0_r, cos_0, sin_0. auto.
  - rewrite Rmult_1_r, cos_PI2, sin_PI2. auto.
  - replace (PI / 2 * 2) with PI by field. rewrite cos_PI, sin_PI. auto.
  - rewrite Rmult_comm, cos_3PI2, sin_3PI2. auto.
Qed.

(** A law of multiples of 1/4. *)
Definition quarters (l : list (R * Z)) : dist R := map (fun pm => (fst pm, IZR (snd pm) / 4)) l.

Definition square (l : list (R * Z)) (k : nat) : R :=
  total l (fun pm => fst pm * powerRZ 2 (snd pm) * cosine (Z.of_nat k * snd pm)) ^ 2 +
  total l (fun pm => fst pm * powerRZ 2 (snd pm) * sine (Z.of_nat k * snd pm)) ^ 2.

Lemma modulus_square l k : modulus (lattice_wave (1 / 4) (1 / 2) 4 1 k) (quarters l) ^ 2 = square l k.
Proof.
  unfold modulus. rewrite pow2_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
  assert (At : forall m, exp (tilt (lattice_wave (1 / 4) (1 / 2) 4 1 k) * (IZR m / 4)) = powerRZ 2 m /\
    frequency (lattice_wave (1 / 4) (1 / 2) 4 1 k) * (IZR m / 4) = PI / 2 * IZR (Z.of_nat k * m)).
  { intros m. simpl. split.
    - rewrite powerRZ_Rpower by lra. unfold Rpower. f_equal.
      replace (1 / 2) with (/ 2) by field. rewrite ln_Rinv by lra. field.
    - unfold turn. rewrite mult_IZR, <- INR_IZR_INZ. simpl. field. }
  unfold real_part, imaginary_part, mean, quarters, square. rewrite !total_map.
  f_equal; f_equal; apply total_ext; intros [p m] _; cbn [fst snd]; destruct (At m) as [-> ->];
    destruct (right_angles (Z.of_nat k * m)) as [C S]; rewrite ?C, ?S; ring.
Qed.

Definition number_of_two (l : list (R * Z)) : R :=
  225 / 8192 * (2 * square l 0 + 2 / 5 * square l 1 + 2 / 9 * square l 2 + 2 / 5 * square l 3).

Lemma wave_bound_of_two l : wave_bound (lattice_waves (1 / 4) (1 / 2) 4) 2 (quarters l) = number_of_two l.
Proof.
  assert (C : forall k, cos (turn 4 k) = cosine (Z.of_nat k)).
  { intros k. replace (turn 4 k) with (PI / 2 * IZR (Z.of_nat k)); [apply right_angles |].
    unfold turn. rewrite <- INR_IZR_INZ. simpl. field. }
  unfold wave_bound, lattice_waves, waves_of_turns. rewrite total_map. cbn [seq total].
  rewrite !lattice_wave_size, !C, !modulus_square by (lra || lia).
  unfold number_of_two, cosine. simpl. field.
Qed.

Ltac law := unfold basic_law, quarters, scale, third; simpl;
  repeat first [reflexivity | apply (f_equal2 cons) | apply (f_equal2 pair)]; field.
Ltac places := intros pm I; simpl in I; repeat (destruct I as [<- | I]; [simpl; lia |]); destruct I.

(** What two others leave is at most 23/150, of each of the five. *)
Lemma five_at_most five : In five (basics 2) ->
  exists l, basic_law (3 / 2) five = quarters l /\ number_of_two l <= 23 / 150 /\ forall pm, In pm l -> (snd pm <= 2)%Z.
Proof.
  assert (Look : forall l, basic_law (3 / 2) five = quarters l -> number_of_two l <= 23 / 150 ->
    (forall pm, In pm l -> (snd pm <= 2)%Z) -> exists l, basic_law (3 / 2) five = quarters l /\
    number_of_two l <= 23 / 150 /\ forall pm, In pm l -> (snd pm <= 2)%Z) by (intros l A B C; exists l; auto).
  unfold number_of_two, square, cosine, sine in *.
  intros [<- | [<- | [<- | [<- | [<- | []]]]]].
  - apply (Look [(1 / 3, 2%Z); (2 / 3, (-4)%Z)]); [law | simpl; lra | places].
  - apply (Look [(1 / 3, (-8)%Z); (2 / 3, 1%Z)]); [law | simpl; lra | places].
  - apply (Look [(2 / 3, (-1)%Z); (1 / 3, (-4)%Z)]); [law | simpl; lra | places].
  - apply (Look [(1 / 4, 2%Z); (1 / 4, (-8)%Z); (1 / 2, (-1)%Z)]); [law | simpl; lra | places].
  - apply (Look [(2 / 5, (-4)%Z); (2 / 5, 1%Z); (1 / 5, (-4)%Z)]); [law | simpl; lra | places].
Qed.

(** One user alone may have 1/6. *)
Example three_users {X M} (R : X -> dist (list M)) :
  (forall v, proper (R v)) -> local_dp R (ln 2) 0 -> shuffle_dp 3 R (ln (3 / 2)) (4 / 25).
Proof.
  intros HR HD. assert (P : exp (ln 2) = 2) by (apply exp_ln; lra).
  apply (proj1 row_five_randomizers_holds X M 3%nat R (ln 2) (3 / 2) (1 / 4) (1 / 2) 2%nat [1%nat]);
    try assumption; try lia; try lra; rewrite ?P.
  - rewrite <- ln_1. apply ln_increasing; lra.
  - rewrite exp_ln by lra. lra.
  - simpl. lia.
  - intros five v F I. destruct (five_at_most five F) as [l [E [_ S]]]. rewrite E in I. unfold quarters in I.
    rewrite map_map in I. apply in_map_iff in I. destruct I as [pm [<- I]]. exists (snd pm).
    split; [simpl; field | exact (S pm I)].
  - intros five F. destruct (five_at_most five F) as [l [E [B _]]]. unfold in_stages. simpl Nat.mul. simpl Nat.sub.
    rewrite E, wave_bound_of_two. rewrite Rmax_right by lra. simpl pow. lra.
Qed.

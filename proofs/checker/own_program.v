(** The bound of a swap with a slot of one's own for one row of the others, in integers of 2^-bits: a program.

    It is what exactdp/checker/swap.py makes of a plan with own stages: numbers of the stages for a row and for the row
    c / gamma of the own slot, with [sizes_above] and the other parts of node_program.v, and chances of the stages.
    [own_row_is_below_sound]: if it accepts, the number of own_slot.v is at most delta, for every plan, table and delta.

    Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws adding_a_user mean_excess fixed_point exponential_fixed_point.
From Exactdp Require Import logarithm_fixed_point increasing_convex_order hidden_message blanket.
From Exactdp Require Import tilted_program tilt_powers tilted_measures least_values pair_bound swapped_messages swapped_stages.
From Exactdp Require Import wave_bounds node_waves node_program node_moduli node_sound.
From Exactdp Require Import hockey_stick generic_blanket classes.
From ExactdpChecker Require Import blanket_program family_rows own_slot.
Import ListNotations.

(** ** The program *)

Open Scope Z_scope.

(** The sums over the nodes for each half of a number of slots: at once where all may be as large as the first. *)
Definition sums_of_row (p : plan) (bits : nat) (nodes : list Z) (rest : Z) (quick : bool) (halves : list nat)
    (values : least_values.table) : list Z :=
  let tilted := map (tilted_value (plan_tilt p) bits) values in
  let square := up (moment_of tilted * moment_of tilted) bits in
  if quick then quick_sums nodes rest halves
  else sums_of_shares bits nodes rest halves
    (map (fun size => Z.min (two bits) (ceiling_div (size * size) square)) (sizes_of_row p bits tilted)).

(** What each stage costs if all who hide have this row; none if a number would be too large. *)
Definition numbers_of_row (p : plan) (bits : nat) (nodes : list Z) (rest : Z) (before : Q) (quick : bool)
    (halves : list nat) (row : Q * least_values.table) : option (list Z) :=
  let tilted := map (tilted_value (plan_tilt p) bits) (snd row) in
  let moment := moment_of tilted in
  let square := up (moment * moment) bits in
  let logarithm := snd (log_bounds square bits) in
  let sums := sums_of_row p bits nodes rest quick halves (snd row) in
  if forallb (fun v => is_short (plan_tilt p * fst v)) (snd row) && square_is_good bits halves square logarithm && (quick || in_limits p bits tilted) &&
    forallb (Z.leb 0) sums
  then Some (map (fun hs : nat * Z =>
    ceiling_shift (fst row + before *
      (exp_above (logarithm * Z.of_nat (fst hs) # Z.to_pos (two bits)) bits * snd hs #
        Z.to_pos (two (2 * bits) * (2 * Z.of_nat (fst hs))))) bits) (combine halves sums))
  else None.

(** In units of 2^-bits the product of s/(s + gamma) over so many numbers s, from this one down, times a number; with
    1 - gamma between low and high. *)
Fixpoint unseen_below (count : nat) (s one low product : Z) : Z :=
  match count with
  | O => product
  | S c => unseen_below c (s - 1) one low (product * (s * one) / ((s + 1) * one - low))
  end.

Fixpoint unseen_above (count : nat) (s one high product : Z) : Z :=
  match count with
  | O => product
  | S c => unseen_above c (s - 1) one high (ceiling_div (product * (s * one)) ((s + 1) * one - high))
  end.

Fixpoint own_weights (bits : nat) (low high : Z) (others passed : nat) (least most before : Z) (ends : list nat) :
    list Z * Z :=
  match ends with
  | [] => ([], before)
  | t :: more =>
    let s := Z.of_nat (others - passed) in
    let least' := unseen_below (t - passed) s (two bits) low least in
    let most' := unseen_above (t - passed) s (two bits) high most in
    let below := match Z.of_nat t with Zpos e => power_below bits low e | _ => two bits end * least' / two bits in
    let (weights, left) := own_weights bits low high others t least' most' (up (power_above bits high t * most') bits)
      more in
    (before - below :: weights, left)
  end.

(** x + max(0, y - x) over the number of slots, twice the half. *)
Definition with_own_number (xy : Z * Z) (half : nat) : Z :=
  fst xy + Z.max 0 (ceiling_div (snd xy - fst xy) (2 * Z.of_nat half)).

Definition own_number (weights : list Z) (halves : list nat) (row own : list Z) : Z :=
  z_total (fun wb => fst wb * snd wb)
    (combine weights (map (fun xyh => with_own_number (fst xyh) (snd xyh)) (combine (combine row own) halves))).

(** The largest at each place, if all are there. *)
Definition largest_numbers (halves : list nat) (l : list (option (list Z))) : option (list Z) :=
  fold_right (fun one all => match one, all with
    | Some x, Some y => Some (map (fun ab => Z.max (fst ab) (snd ab)) (combine x y))
    | _, _ => None
    end) (Some (map (fun _ => 0) halves)) l.

(** The row of the others against those that the own slot may have, quickly or by all nodes. *)
Definition own_row_is_below (p : plan) (bits slots : nat) (nodes : list Z) (rest : Z) (before : Q)
    (gamma alone delta : Q) (owns : list (Q * least_values.table)) (row : Q * least_values.table) : bool :=
  let halves := halves_of p slots in
  let one := two bits in
  let (weights, left) := own_weights bits (floor_shift (Qred (1 - gamma)) bits) (ceiling_shift (Qred (1 - gamma)) bits)
    (slots - 2) 0 one one one (plan_ends p) in
  forallb (Z.leb 0) weights && (ceiling_shift (Qred (1 - gamma)) bits <=? one) &&
  existsb (fun quick =>
    match numbers_of_row p bits nodes rest before quick halves row,
      largest_numbers halves (map (numbers_of_row p bits nodes rest before quick halves) owns) with
    | Some x, Some y =>
        Qle_bool (alone * (left # Z.to_pos one) + (own_number weights halves x y # Z.to_pos (two (2 * bits)))) delta
    | _, _ => false
    end) [true; false].

(** ** Soundness *)

Open Scope R_scope.

Local Arguments two : simpl never.

Lemma value_over z d : (0 < d)%Z -> Q2R (z # Z.to_pos d) = IZR z / IZR d.
Proof. intros D. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by exact D. reflexivity. Qed.

Section numbers.

Context (p : plan) (bits slots : nat) (quick : bool) (row : Q * least_values.table).
Hypothesis good : plan_is_good p bits slots = true.
Hypothesis masses : nonneg_masses (snd row).
Hypothesis is_proper : proper (table_law (snd row)).

Let lam := Q2R (plan_tilt p).
Let waves := node_waves lam (Q2R (plan_smoothing p) / lam) (Q2R (plan_step p) * lam) (plan_nodes p).
Let halves := halves_of p slots.

Lemma numbers_sound numbers :
  numbers_of_row p bits (node_weights p bits) (nodes_beyond p bits) (front p bits) quick halves row = Some numbers ->
  Forall2 (fun e x => wave_bound waves (2 * e) (table_law (snd row)) + Q2R (fst row) <= IZR x / 2 ^ bits) halves numbers.
Proof.
  unfold numbers_of_row. set (tilted := map (tilted_value (plan_tilt p) bits) (snd row)).
  set (square := up (moment_of tilted * moment_of tilted) bits). set (sums := sums_of_row _ _ _ _ _ _ _).
  destruct (_ && _)%bool eqn:H; [| discriminate]. intros [= <-]. rewrite !andb_true_iff in H.
  destruct H as [[[_ Sq] Limits] Hs]. apply all_nonneg_Z in Hs.
  unfold square_is_good in Sq. apply andb_true_iff in Sq. destruct Sq as [Sq _]. apply Z.ltb_lt in Sq.
  destruct (good_plan_parts p bits slots good) as [[G1 [G2 G3]] [G4 [G6 [_ [_ Halves]]]]].
  assert (Sound := row_sums p bits (snd row) G1 G3 G4 G6 masses is_proper (halves_of p slots) quick Sq Limits Halves).
  fold sums in Sound. assert (Front0 := front_nonneg p bits G1).
  assert (Wb := wave_bound_squares p (table_law (snd row))). cbv zeta in Wb. fold lam waves in Wb.
  assert (Ones := proj2 Halves). fold halves in Ones, Sound.
  assert (Sound' : Forall2 (fun e z => wave_bound waves (2 * e) (table_law (snd row)) <= Q2R (front p bits) *
    ((IZR square / 2 ^ bits) ^ e * IZR z) / (2 ^ bits * INR (2 * e))) halves sums)
    by (eapply Forall2_weaken; [| exact Sound]; intros e z X; rewrite Wb; exact X).
  clear Halves Sound Wb Limits. rename Sound' into Sound.
  assert (P := pow_two_positive bits). assert (T := two_positive bits). assert (T2 := two_positive (2 * bits)).
  clearbody sums halves. revert sums Sound Hs Ones. induction halves as [| e l IH]; intros sums Sound Hs Ones;
    inversion Sound as [| ? s ? m X F]; subst; [constructor |].
  inversion Hs as [| ? ? S0 Hs']; subst. cbn [combine map]. constructor.
  - assert (E1 := Ones e (or_introl eq_refl)). assert (R0 : 0 < INR (2 * e)) by (apply lt_0_INR; lia).
    set (q := (fst row + front p bits * (exp_above (snd (log_bounds square bits) * Z.of_nat e # Z.to_pos (two bits)) bits * s #
      Z.to_pos (two (2 * bits) * (2 * Z.of_nat e))))%Q).
    change (wave_bound waves (2 * e) (table_law (snd row)) + Q2R (fst row) <= IZR (ceiling_shift q bits) / 2 ^ bits). assert (C := ceiling_shift_sound q bits).
    assert (Pw := power_of_square bits square e Sq). set (pw := exp_above _ bits) in *.
    assert (V : Q2R q = Q2R (fst row) + Q2R (front p bits) * (IZR pw * IZR s / (2 ^ bits * 2 ^ bits * INR (2 * e)))).
    { unfold q. rewrite Q2R_plus, Q2R_mult, value_over by (apply Z.mul_pos_pos; [exact T2 | lia]). f_equal. f_equal.
      rewrite !mult_IZR, IZR_two. unfold Rdiv. f_equal. f_equal.
      replace (2 * bits)%nat with (bits + bits)%nat by lia. rewrite pow_add.
      rewrite INR_IZR_INZ, Nat2Z.inj_mul, mult_IZR. reflexivity. }
    apply Rle_trans with (Q2R q).
    + rewrite V, Rplus_comm. apply Rplus_le_compat_l. eapply Rle_trans; [exact X |].
      unfold Rdiv at 1. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact Front0 |].
      apply Rmult_le_reg_r with (2 ^ bits * INR (2 * e)); [apply Rmult_lt_0_compat; assumption |].
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, Rmult_lt_0_compat; assumption).
      replace (IZR pw * IZR s / (2 ^ bits * 2 ^ bits * INR (2 * e)) * (2 ^ bits * INR (2 * e)))
        with (IZR pw / 2 ^ bits * IZR s) by (field; lra).
      apply Rmult_le_compat_r; [apply IZR_le, S0 |]. apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
      replace (2 ^ bits * (IZR pw / 2 ^ bits)) with (IZR pw) by (field; lra). exact Pw.
    + apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. eapply Rle_trans; [exact C |]. right. field. lra.
  - apply IH; [exact F | exact Hs' | intros x I; apply Ones; right; exact I].
Qed.

End numbers.

(** *** What is left after each stage *)

Fixpoint share (gamma : R) (n i : nat) : R :=
  match i with
  | O => 1
  | S j => share gamma n j * (INR (n - j) / (INR (n - j) + gamma))
  end.

Lemma share_nonneg gamma n i : 0 < gamma -> 0 <= share gamma n i.
Proof.
  intros G. induction i as [| i IH]; simpl; [lra |]. assert (X := pos_INR (n - i)). apply Rmult_le_pos; [exact IH |].
  apply Rmult_le_pos; [exact X | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma own_left_is {A} (c : dist A) n i : own_left c n i = (1 - weight c) ^ i * share (weight c) n i.
Proof.
  induction i as [| i IH]; [unfold own_left; simpl; ring |]. unfold own_left in *. rewrite goes_on_last, IH.
  unfold own_goes_on. simpl. unfold Rdiv. ring.
Qed.

Section chances.

Context (bits : nat) (gamma : R) (low high : Z) (n : nat).
Hypothesis gamma_0 : 0 < gamma <= 1.
Hypothesis low_0 : (0 <= low)%Z.
Hypothesis low_below : IZR low <= 2 ^ bits * (1 - gamma).
Hypothesis high_above : 2 ^ bits * (1 - gamma) <= IZR high.
Hypothesis high_1 : (high <= two bits)%Z.

Lemma unseen_below_sound count : forall passed least, (passed + count <= n)%nat -> (0 <= least)%Z ->
  IZR least <= 2 ^ bits * share gamma n passed ->
  let r := unseen_below count (Z.of_nat (n - passed)) (two bits) low least in
  (0 <= r)%Z /\ IZR r <= 2 ^ bits * share gamma n (passed + count).
Proof.
  assert (P := pow_two_positive bits). assert (T := two_positive bits).
  induction count as [| count IH]; intros passed least L L0 H; [rewrite Nat.add_0_r; split; assumption |].
  cbn [unseen_below]. set (s := Z.of_nat (n - passed)). assert (S1 : (1 <= s)%Z) by (unfold s; lia).
  replace (s - 1)%Z with (Z.of_nat (n - S passed)) by (unfold s; lia).
  replace (passed + S count)%nat with (S passed + count)%nat by lia.
  assert (D : (0 < (s + 1) * two bits - low)%Z).
  { apply lt_IZR. rewrite minus_IZR, mult_IZR, plus_IZR, IZR_two. apply IZR_le in S1. nra. }
  assert (N0 : (0 <= least * (s * two bits))%Z) by (apply Z.mul_nonneg_nonneg; [exact L0 | apply Z.mul_nonneg_nonneg; lia]).
  apply IH; [lia | apply Z.div_pos; assumption |].
  eapply Rle_trans; [apply (proj1 (floor_div_bounds _ _ D)) |]. cbn [share].
  assert (Sr : IZR s = INR (n - passed)) by (unfold s; rewrite INR_IZR_INZ; reflexivity).
  rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR, IZR_two, Sr. apply IZR_le in S1. rewrite Sr in S1.
  assert (D' : 0 < (INR (n - passed) + 1) * 2 ^ bits - IZR low) by nra.
  assert (Sh := share_nonneg gamma n passed ltac:(lra)). apply (IZR_le 0) in L0.
  apply Rmult_le_reg_r with ((INR (n - passed) + 1) * 2 ^ bits - IZR low); [exact D' |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (2 ^ bits * share gamma n passed * (INR (n - passed) * 2 ^ bits)).
  - apply Rmult_le_compat_r; [nra | exact H].
  - replace (2 ^ bits * share gamma n passed * (INR (n - passed) * 2 ^ bits))
      with (2 ^ bits * (share gamma n passed * (INR (n - passed) * / (INR (n - passed) + gamma))) *
        (2 ^ bits * (INR (n - passed) + gamma))) by (field; lra).
    apply Rmult_le_compat_l; [| nra]. apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [exact Sh |].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma unseen_above_sound count : forall passed most, (passed + count <= n)%nat ->
  2 ^ bits * share gamma n passed <= IZR most ->
  2 ^ bits * share gamma n (passed + count) <= IZR (unseen_above count (Z.of_nat (n - passed)) (two bits) high most).
Proof.
  assert (P := pow_two_positive bits). assert (T := two_positive bits).
  induction count as [| count IH]; intros passed most L H; [rewrite Nat.add_0_r; exact H |].
  cbn [unseen_above]. set (s := Z.of_nat (n - passed)). assert (S1 : (1 <= s)%Z) by (unfold s; lia).
  replace (s - 1)%Z with (Z.of_nat (n - S passed)) by (unfold s; lia).
  replace (passed + S count)%nat with (S passed + count)%nat by lia.
  assert (D : (0 < (s + 1) * two bits - high)%Z) by nia.
  apply IH; [lia |]. apply ceiling_div_above; [exact D |]. cbn [share].
  assert (Sr : IZR s = INR (n - passed)) by (unfold s; rewrite INR_IZR_INZ; reflexivity).
  apply IZR_lt in D. revert D. rewrite !mult_IZR, minus_IZR, mult_IZR, plus_IZR, IZR_two, Sr. intros D.
  apply IZR_le in S1. rewrite Sr in S1. assert (Sh := share_nonneg gamma n passed ltac:(lra)).
  apply Rmult_le_reg_r with ((INR (n - passed) + 1) * 2 ^ bits - IZR high); [exact D |].
  unfold Rdiv. rewrite (Rmult_assoc (IZR most * _)), Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (2 ^ bits * share gamma n passed * (INR (n - passed) * 2 ^ bits)).
  - replace (2 ^ bits * share gamma n passed * (INR (n - passed) * 2 ^ bits))
      with (2 ^ bits * (share gamma n passed * (INR (n - passed) * / (INR (n - passed) + gamma))) *
        (2 ^ bits * (INR (n - passed) + gamma))) by (field; lra).
    apply Rmult_le_compat_l; [| nra]. apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; [exact Sh |].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - apply Rmult_le_compat_r; [nra | exact H].
Qed.

Context {A : Type} (c : dist A).
Hypothesis weight_c : weight c = gamma.

Lemma own_stages_below H (B : nat -> R) : 0 <= H -> forall ends passed least most before numbers,
  rising passed ends n -> (0 <= least)%Z -> IZR least <= 2 ^ bits * share gamma n passed ->
  2 ^ bits * share gamma n passed <= IZR most -> 2 ^ bits * own_left c n passed <= IZR before ->
  Forall2 (fun t x => 0 <= B (S (S n) - t)%nat <= IZR x / 2 ^ bits) ends numbers ->
  stages_with (own_left c n) passed ends n H B <=
  IZR (snd (own_weights bits low high n passed least most before ends)) / 2 ^ bits * H +
  IZR (z_total (fun wb => fst wb * snd wb)%Z
    (combine (fst (own_weights bits low high n passed least most before ends)) numbers)) / 2 ^ (2 * bits).
Proof.
  intros H0. assert (P := pow_two_positive bits). assert (T := two_positive bits).
  assert (P2 : 2 ^ (2 * bits) = 2 ^ bits * 2 ^ bits) by (replace (2 * bits)%nat with (bits + bits)%nat by lia; apply pow_add).
  induction ends as [| t ends IH]; intros passed least most before numbers Hr L0 L M Bf F.
  - inversion F. clear F. cbn [own_weights stages_with fst snd combine z_total fold_right].
    unfold Rdiv at 2. rewrite Rmult_0_l, Rplus_0_r. apply Rmult_le_compat_r; [exact H0 |].
    apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. replace (2 ^ bits * (IZR before / 2 ^ bits)) with (IZR before)
      by (field; lra). exact Bf.
  - destruct Hr as [[H1 H2] Hr]. inversion F as [| t0 x ends0 numbers' [B0 B1] F' Et En]. clear F. subst t0 ends0 numbers. cbn [own_weights stages_with].
    set (least' := unseen_below (t - passed) _ _ _ _). set (most' := unseen_above (t - passed) _ _ _ _).
    assert (Lt : (0 <= least')%Z /\ IZR least' <= 2 ^ bits * share gamma n t).
    { assert (X := unseen_below_sound (t - passed) passed least ltac:(lia) L0 L). cbv zeta in X.
      replace (passed + (t - passed))%nat with t in X by lia. exact X. }
    assert (Mt : 2 ^ bits * share gamma n t <= IZR most').
    { assert (X := unseen_above_sound (t - passed) passed most ltac:(lia) M).
      replace (passed + (t - passed))%nat with t in X by lia. exact X. }
    set (a := 1 - gamma) in *. assert (A0 : 0 <= a) by (unfold a; lra).
    set (power := match Z.of_nat t with Zpos e => power_below bits low e | _ => two bits end).
    assert (Bl : (0 <= power)%Z /\ IZR power <= 2 ^ bits * a ^ t).
    { unfold power. destruct (Z.of_nat t) as [| e | e] eqn:Z; try lia. replace t with (Pos.to_nat e) by lia.
      apply power_below_sound; assumption. }
    assert (Pt := power_above_sound bits high a t A0 high_above).
    assert (Share := share_nonneg gamma n t ltac:(lra)).
    specialize (IH t least' most' (up (power_above bits high t * most') bits) numbers' Hr (proj1 Lt) (proj2 Lt) Mt).
    assert (Up : 2 ^ bits * own_left c n t <= IZR (up (power_above bits high t * most') bits)).
    { rewrite own_left_is, weight_c. fold a. apply up_product; try assumption. apply pow_le, A0. }
    specialize (IH Up F'). destruct (own_weights bits low high n t least' most' _ ends) as [weights left] eqn:W.
    cbn [fst snd] in *. cbn [combine z_total fold_right fst snd].
    set (below := (power * least' / two bits)%Z) in *.
    assert (Below : IZR below <= 2 ^ bits * own_left c n t).
    { unfold below. eapply Rle_trans; [apply (proj1 (floor_div_bounds _ _ T)) |]. rewrite mult_IZR, IZR_two, own_left_is, weight_c.
      fold a. apply Rmult_le_reg_r with (2 ^ bits); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace (2 ^ bits * (a ^ t * share gamma n t) * 2 ^ bits)
        with ((2 ^ bits * a ^ t) * (2 ^ bits * share gamma n t)) by ring.
      apply Rmult_le_compat; try apply Bl; try apply Lt; apply (IZR_le 0); [apply Bl | apply Lt]. }
    assert (Falls : 0 <= own_left c n passed - own_left c n t).
    { assert (Mono : forall k, (passed + k <= n)%nat -> own_left c n (passed + k) <= own_left c n passed).
      { induction k as [| k IHk]; intros K; [rewrite Nat.add_0_r; lra |]. rewrite Nat.add_succ_r.
        eapply Rle_trans; [apply (own_left_falls c); rewrite ?weight_c; lra | apply IHk; lia]. }
      assert (X := Mono (t - passed)%nat ltac:(lia)). replace (passed + (t - passed))%nat with t in X by lia. lra. }
    change (fold_right _ 0%Z (combine weights numbers')) with (z_total (fun wb => fst wb * snd wb)%Z (combine weights numbers')).
    rewrite plus_IZR, mult_IZR. set (rest := IZR (z_total _ _)) in *.
    assert (Stage : (own_left c n passed - own_left c n t) * B (S (S n) - t)%nat <=
      IZR (before - below) * IZR x / 2 ^ (2 * bits)).
    { rewrite P2. replace (IZR (before - below) * IZR x / (2 ^ bits * 2 ^ bits))
        with (IZR (before - below) / 2 ^ bits * (IZR x / 2 ^ bits)) by (field; lra).
      apply Rmult_le_compat; try assumption. apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
      replace (2 ^ bits * (IZR (before - below) / 2 ^ bits)) with (IZR (before - below)) by (field; lra).
      rewrite minus_IZR. lra. }
    unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra.
Qed.

End chances.

Lemma with_own_number_above bits (X Y : R) x y half : (1 <= half)%nat -> 0 <= X -> X <= IZR x / 2 ^ bits ->
  Y <= IZR y / 2 ^ bits ->
  0 <= X + Rmax 0 (Y - X) / INR (2 * half) <= IZR (with_own_number (x, y) half) / 2 ^ bits.
Proof.
  intros H X0 HX HY. assert (P := pow_two_positive bits). assert (M : 2 <= INR (2 * half)) by (apply (le_INR 2); lia).
  assert (I0 : 0 < / INR (2 * half) <= 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  split; [assert (Z := Rmax_l 0 (Y - X)); assert (0 <= Rmax 0 (Y - X) / INR (2 * half)) by (apply Rmult_le_pos; lra); lra |].
  unfold with_own_number. cbn [fst snd]. rewrite plus_IZR. set (top := Z.max 0 _).
  assert (T0 : 0 <= IZR top) by (apply (IZR_le 0); unfold top; lia).
  assert (T1 : (IZR y - IZR x) / INR (2 * half) <= IZR top).
  { eapply Rle_trans; [| apply IZR_le, Z.le_max_r]. apply ceiling_div_above; [lia |].
    rewrite minus_IZR, INR_IZR_INZ, Nat2Z.inj_mul. apply Rle_refl. }
  apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
  replace (2 ^ bits * ((IZR x + IZR top) / 2 ^ bits)) with (IZR x + IZR top) by (field; lra).
  apply (Rmult_le_compat_l (2 ^ bits)) in HX; [| lra]. apply (Rmult_le_compat_l (2 ^ bits)) in HY; [| lra].
  replace (2 ^ bits * (IZR x / 2 ^ bits)) with (IZR x) in HX by (field; lra).
  replace (2 ^ bits * (IZR y / 2 ^ bits)) with (IZR y) in HY by (field; lra).
  destruct (Rle_dec Y X) as [L | L].
  - rewrite Rmax_left by lra. unfold Rdiv. rewrite Rmult_0_l. lra.
  - rewrite Rmax_right by lra. unfold Rdiv in *. set (i := / INR (2 * half)) in *.
    apply Rle_trans with (IZR x + (IZR y - IZR x) * i); [| lra].
    replace (2 ^ bits * (X + (Y - X) * i)) with (2 ^ bits * X * (1 - i) + 2 ^ bits * Y * i) by ring.
    replace (IZR x + (IZR y - IZR x) * i) with (IZR x * (1 - i) + IZR y * i) by ring.
    apply Rplus_le_compat; apply Rmult_le_compat_r; lra.
Qed.

Lemma own_numbers_above bits slots (X Y : nat -> R) : (forall m, 0 <= X m) -> forall ends b x y,
  rises b ends slots = true ->
  Forall2 (fun e z => X (2 * e)%nat <= IZR z / 2 ^ bits) (map (fun t => Nat.div2 (slots - t)) ends) x ->
  Forall2 (fun e z => Y (2 * e)%nat <= IZR z / 2 ^ bits) (map (fun t => Nat.div2 (slots - t)) ends) y ->
  Forall2 (fun t z => 0 <= X (slots - t)%nat + Rmax 0 (Y (slots - t)%nat - X (slots - t)%nat) / INR (slots - t) <=
    IZR z / 2 ^ bits) ends
    (map (fun xyh => with_own_number (fst xyh) (snd xyh))
      (combine (combine x y) (map (fun t => Nat.div2 (slots - t)) ends))).
Proof.
  intros X0. induction ends as [| t ends IH]; intros b x y Rises Nx Ny; [inversion Nx; constructor |].
  inversion Nx as [| e1 x1 l1 xs X1 Xs]. inversion Ny as [| e2 y1 l2 ys Y1 Ys]. subst.
  cbn [rises] in Rises. rewrite !andb_true_iff in Rises. destruct Rises as [[[R1 R2] R3] R4].
  apply Nat.ltb_lt in R1. apply Nat.leb_le in R2. apply Nat.even_spec in R3. destruct R3 as [k K].
  assert (D : (slots - t = 2 * Nat.div2 (slots - t))%nat) by (rewrite K, Nat.div2_double; reflexivity).
  assert (One : (1 <= Nat.div2 (slots - t))%nat) by lia.
  cbn [map combine]. constructor; [| apply (IH t); assumption]. cbn [fst snd]. set (h := Nat.div2 (slots - t)) in *.
  clearbody h. rewrite !D.
  apply with_own_number_above; [exact One | apply X0 | exact X1 | exact Y1].
Qed.

Lemma good_rises p bits n : plan_is_good p bits (S (S n)) = true -> rising 0 (plan_ends p) n.
Proof.
  unfold plan_is_good. rewrite !andb_true_iff. intros [_ G].
  assert (R : rises 0 (plan_ends p) (S (S n)) = true) by (destruct (plan_ends p); [discriminate | exact G]).
  revert R. clear. generalize 0%nat. induction (plan_ends p) as [| t ends IH]; intros b R; [exact I |].
  cbn [rises] in R. rewrite !andb_true_iff in R. destruct R as [[[R1 R2] _] R4]. apply Nat.ltb_lt in R1.
  apply Nat.leb_le in R2. split; [lia | apply IH, R4].
Qed.

Lemma largest_sound {B} (f : B -> option (list Z)) (X : B -> nat -> R) bits halves l :
  (forall b numbers, In b l -> f b = Some numbers -> Forall2 (fun e z => X b e <= IZR z / 2 ^ bits) halves numbers) ->
  forall numbers, largest_numbers halves (map f l) = Some numbers ->
  Forall2 (fun e z => forall b, In b l -> X b e <= IZR z / 2 ^ bits) halves numbers.
Proof.
  assert (P := pow_two_positive bits).
  assert (Up : forall x z z', x <= IZR z / 2 ^ bits -> (z <= z')%Z -> x <= IZR z' / 2 ^ bits).
  { intros x z z' H L. eapply Rle_trans; [exact H |].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P | apply IZR_le, L]. }
  induction l as [| a l IH]; intros F numbers H; unfold largest_numbers in H; cbn [map fold_right] in H.
  - injection H as <-. clear. induction halves; constructor; [intros b [] | assumption].
  - destruct (f a) as [x |] eqn:Fa; [| discriminate]. fold (largest_numbers halves (map f l)) in H.
    destruct (largest_numbers halves (map f l)) as [y |]; [| discriminate]. injection H as <-.
    specialize (IH (fun b n I => F b n (or_intror I)) y eq_refl). specialize (F a x (or_introl eq_refl) Fa).
    clear Fa. revert y IH. induction F as [| e z h x F1 F2 IHF]; intros y G; [constructor |].
    inversion G as [| e' z' h' y' G1 G2]. subst. cbn [combine map fst snd]. constructor; [| apply IHF, G2].
    intros b [<- | I]; [eapply Up; [exact F1 | lia] | eapply Up; [apply G1, I | lia]].
Qed.

Theorem own_row_is_below_sound {A} (c : dist A) p bits n gamma alone delta owns (row : QArith_base.Q * least_values.table)
    (Y : nat -> R) :
  plan_is_good p bits (S (S n)) = true ->
  nonneg_masses (snd row) -> proper (table_law (snd row)) -> 0 <= Q2R (fst row) ->
  (forall own, In own owns -> nonneg_masses (snd own) /\ proper (table_law (snd own))) ->
  0 < Q2R gamma <= 1 -> weight c = Q2R gamma -> 0 <= Q2R alone ->
  own_row_is_below p bits (S (S n)) (node_weights p bits) (nodes_beyond p bits) (front p bits) gamma alone delta owns row
    = true ->
  let lam := Q2R (plan_tilt p) in
  let hidden (r : QArith_base.Q * least_values.table) m :=
    wave_bound (node_waves lam (Q2R (plan_smoothing p) / lam) (Q2R (plan_step p) * lam) (plan_nodes p)) m
      (table_law (snd r)) + Q2R (fst r) in
  (forall m, exists own, In own owns /\ Y m <= hidden own m) ->
  stages_with (own_left c n) 0 (plan_ends p) n (Q2R alone)
    (fun m => hidden row m + Rmax 0 (Y m - hidden row m) / INR m) <= Q2R delta.
Proof.
  intros Good Nr Pr Cr Owns G Wc Al H lam hidden Some. assert (P := pow_two_positive bits). assert (T := two_positive bits).
  assert (Rises : rises 0 (plan_ends p) (S (S n)) = true).
  { unfold plan_is_good in Good. rewrite !andb_true_iff in Good. destruct Good as [_ G9].
    destruct (plan_ends p); [discriminate | exact G9]. }
  unfold own_row_is_below in H. cbv zeta in H. replace (S (S n) - 2)%nat with n in H by lia.
  assert (Qa : Q2R (Qred (1 - gamma)) = 1 - Q2R gamma)
    by (rewrite Q2R_red, Q2R_minus; f_equal; unfold Q2R; simpl; lra).
  assert (Low := floor_shift_sound (Qred (1 - gamma)) bits). assert (High := ceiling_shift_sound (Qred (1 - gamma)) bits).
  rewrite Qa in Low, High. set (low := floor_shift _ bits) in *. set (high := ceiling_shift _ bits) in *.
  destruct (own_weights _ _ _ _ _ _ _ _ _) as [weights left] eqn:W. rewrite !andb_true_iff in H.
  destruct H as [[_ H1] H]. apply Z.leb_le in H1. apply existsb_exists in H. destruct H as [quick [_ H]].
  destruct (numbers_of_row _ _ _ _ _ quick _ row) as [x |] eqn:Nx; [| discriminate].
  destruct (largest_numbers _) as [y |] eqn:Ny; [| discriminate].
  apply numbers_sound in Nx; try assumption.
  apply (largest_sound _ (fun own e => hidden own (2 * e)%nat) bits) in Ny;
    [| intros own numbers I E; destruct (Owns own I); apply numbers_sound in E; assumption].
  assert (Ny' : Forall2 (fun e z => Y (2 * e)%nat <= IZR z / 2 ^ bits) (halves_of p (S (S n))) y).
  { clear -Ny Some. induction Ny as [| e z h y Z _ IH]; constructor; [| exact IH].
    destruct (Some (2 * e)%nat) as [own [I L]]. eapply Rle_trans; [exact L | apply Z, I]. }
  apply Qle_bool_R in H. rewrite Q2R_plus, Q2R_mult, !value_over, !IZR_two in H by apply two_positive.
  assert (Low0 : (0 <= low)%Z).
  { assert (0 <= 2 ^ bits * (1 - Q2R gamma)) by (apply Rmult_le_pos; lra).
    assert (-1 < low)%Z; [| lia]. apply lt_IZR. simpl. lra. }
  assert (Rising := good_rises p bits n Good).
  set (B := fun m => hidden row m + Rmax 0 (Y m - hidden row m) / INR m).
  assert (Low' : IZR low <= 2 ^ bits * (1 - Q2R gamma)) by lra.
  assert (Stages := own_stages_below bits (Q2R gamma) low high n G Low0 Low' High H1 c Wc (Q2R alone) B Al (plan_ends p)
    0%nat (two bits) (two bits) (two bits)
    (map (fun xyh => with_own_number (fst xyh) (snd xyh)) (combine (combine x y) (halves_of p (S (S n))))) Rising).
  rewrite W in Stages. cbn [fst snd] in Stages. eapply Rle_trans; [apply Stages |].
  - apply Z.lt_le_incl, T.
  - rewrite IZR_two. simpl. lra.
  - rewrite IZR_two. simpl. lra.
  - rewrite IZR_two. unfold own_left. simpl. lra.
  - apply (own_numbers_above bits (S (S n)) (hidden row) Y) with 0%nat; try assumption.
    intros m. apply Rplus_le_le_0_compat; [apply wave_bound_nonneg | exact Cr].
  - eapply Rle_trans; [| exact H]. unfold own_number. right. ring.
Qed.

(** ** The classes of the own slot *)

Definition own_classes (gamma : QArith_base.Q) (classes : list rational_class) : list rational_class :=
  map (fun k => (under_first k, under_second k, Qred (under_reference k / gamma)%Q)) classes.

Lemma own_told {A} (P R c : dist A) (gamma : QArith_base.Q) classes :
  tells P R c classes -> 0 < Q2R gamma -> weight c = Q2R gamma ->
  Q2R (sum_of (map under_reference classes)) = Q2R gamma ->
  tells P R (part_of c (/ weight c)) (own_classes gamma classes).
Proof.
  intros T G Wc Sum E. destruct (T E) as [V U]. rewrite Wc. set (g := Q2R gamma) in *.
  assert (Ref : forall k, Q2R (Qred (under_reference k / gamma)) = Q2R (under_reference k) / g).
  { intros k. rewrite Q2R_red. apply Q2R_div. intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. unfold g in G. lra. }
  assert (Mass : forall a, mass (part_of c (/ g)) a = / g * mass c a) by (intros a; apply mean_part_of).
  assert (Same : forall m : Rdefinitions.R, / g * m = 0 <-> m = 0).
  { intros m. split; [intros Z; apply Rmult_integral in Z; destruct Z as [Z | Z]; [| exact Z];
      exfalso; assert (0 < / g) by (apply Rinv_0_lt_compat, G); lra | intros ->; ring]. }
  split.
  - intros f. specialize (V (fun v => f (g * v))). rewrite mean_values_against in V |- *.
    rewrite !mean_part_of. change (mean c (fun _ => 1)) with (weight c) in *. rewrite Wc in *.
    unfold class_values, mean at 2 in V. unfold class_values, mean at 2. cbn [total fst snd] in *.
    unfold own_classes. rewrite !total_map in *. unfold real_class, first_mass, second_mass, reference_mass in *.
    cbn [fst snd under_first under_second under_reference] in *.
    rewrite Q2R_sum_of, total_map in Sum. rewrite Sum in V.
    rewrite (total_ext classes (fun k => Q2R (Qred (under_reference k / gamma))) (fun k => Q2R (under_reference k) * / g))
      by (intros; apply Ref). rewrite total_scal_r, Sum.
    replace (1 - / g * g) with 0 by (field; lra). replace (1 - g * / g) with 0 by (field; lra). rewrite !Rmult_0_l, !Rplus_0_l.
    assert (V' : mean c (fun a => f (g * value_against P R E c a)) = total classes (fun k => Q2R (under_reference k) *
      f (g * ((Q2R (under_first k) - E * Q2R (under_second k)) / Q2R (under_reference k))))) by lra.
    rewrite (mean_ext c (fun a => f (value_against P R E _ a)) (fun a => f (g * value_against P R E c a))), V'.
    + rewrite <- total_scal. apply total_ext. intros k _. rewrite Ref. unfold Rdiv. rewrite <- Rmult_assoc.
      destruct (Req_dec (Q2R (under_reference k)) 0) as [-> | Z]; [ring |].
      replace (/ g * Q2R (under_reference k)) with (Q2R (under_reference k) * / g) by ring. f_equal. f_equal. field. lra.
    + intros a. unfold value_against. rewrite Mass.
      destruct (Req_dec (mass c a) 0) as [-> | Z]; [rewrite Rmult_0_r; unfold Rdiv; rewrite Rinv_0; f_equal; ring |].
      f_equal. field. lra.
  - unfold uncovered, class_uncovered, own_classes in *. rewrite !total_map in *.
    rewrite (total_ext _ _ (fun a => if Req_EM_T (mass c a) 0 then Rmax 0 (mass P a - E * mass R a) else 0)), U.
    + apply total_ext. intros k _. unfold real_class, first_mass, second_mass, reference_mass. cbn [fst snd under_reference].
      rewrite Ref. unfold Rdiv. destruct (Req_EM_T _ 0) as [Z | Z], (Req_EM_T (_ * _) 0) as [Z' | Z']; try reflexivity; exfalso.
      * apply Z'. change (Q2R (under_reference k) = 0) in Z. rewrite Z. ring.
      * apply Z. apply (Same (Q2R (under_reference k))). rewrite Rmult_comm. exact Z'.
    + intros a _. rewrite Mass. destruct (Req_EM_T _ 0) as [Z | Z], (Req_EM_T (mass c a) 0) as [Z' | Z']; try reflexivity; exfalso.
      * apply Z', Same, Z.
      * apply Z, Same, Z'.
Qed.

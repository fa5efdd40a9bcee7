(** The claim [composed], PROVED: many runs, each on data that may depend on the answers before it.

    [check_composed] reads a witness [Curves]: a lattice, and a privacy curve for each run. That the run is private at
    each level of its curve is left to [check_part], the check of the claims shift_dp and shuffle_dp, with the witness
    that the curve names for the level; composition_program.v does the rest. If check_part accepts nothing but what is
    true, then neither does check_composed ([check_composed_sound]), for all claims and witnesses.

    That noise is a law, and each row of a randomizer, is laws_of_noise.v. Source: docs/certificates.md, "composed". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool Permutation.
From Exactdp Require Import sums reals laws privacy masses hockey_stick shuffler adding_a_user product_laws fixed_point.
From Exactdp Require Import shifts smooth_noise_privacy moved_bystanders adaptive_composition curve_program.
From ExactdpChecker Require Import claims witnesses kinds levels posed laws_of_noise absence_laws.
From ExactdpChecker Require Import composition_program composition_equal composition_sound.
Import BinNums.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The run is private at this level. *)
Definition level_claim (r : run) (E delta : Q) : claim :=
  match r with
  | NoiseRun nu shift => ShiftDP nu shift (ExpEps E) delta LeastNothing
  | RandomizerRun rand n nb => ShuffleDP rand n ThisNumber nb (ExpEps E) delta LeastNothing
  | ProductRun of n => ProductDP of n ThisNumber (ExpEps E) delta
  | AnyRun E0 n => AnyShuffleDP E0 n ThisNumber (ExpEps E) delta
  | ParticipationRun rand q a n => ParticipationDP rand q a n ThisNumber (ExpEps E) delta
  | AbsentProductRun of q a n => AbsentProductDP of q a n ThisNumber (ExpEps E) delta
  end.

Definition unit_of (bits : nat) : positive := Z.to_pos (two bits).

Section program.

Variable check_part : claim -> bool -> witness -> bool.

(** The run is private at all numbers of the list of [powers], with the deltas of the curve. *)
Fixpoint levels_hold (r : run) (unit : positive) (numbers curve : list Z) (ws : list witness) : bool :=
  match numbers, curve, ws with
  | [], [], [] => true
  | number :: numbers', d :: curve', w :: ws' =>
      check_part (level_claim r (number # unit_of 64) (d # unit)) true w && levels_hold r unit numbers' curve' ws'
  | _, _, _ => false
  end.

Definition level_witnesses (count : nat) (w : curve_witness) : list witness :=
  match w with
  | ForAllLevels v => repeat v count
  | ForEachLevel ws => ws
  end.

Definition curve_holds (bits : nat) (a b : Z) (r : run) (curve : list Z * curve_witness) : bool :=
  let count := length (fst curve) in
  negb (Nat.eqb count 0) && forallb (Z.leb 0) (fst curve) &&
  levels_hold r (unit_of bits) (powers a b (two 64) count) (fst curve) (level_witnesses count (snd curve)).

Fixpoint curves_hold (bits : nat) (a b : Z) (runs : list (run * positive)) (curves : list (list Z * curve_witness)) :
  bool :=
  match runs, curves with
  | [], [] => true
  | (r, _) :: runs', curve :: curves' => curve_holds bits a b r curve && curves_hold bits a b runs' curves'
  | _, _ => false
  end.

Definition curve_runs (runs : list (run * positive)) (curves : list (list Z * curve_witness)) :
  list (list Z * positive) :=
  map (fun rc => (fst (snd rc), snd (fst rc))) (combine runs curves).

Definition check_composed (runs : list (run * positive)) (l : level) (delta : Q) (proved : bool) (w : witness) : bool :=
  match w with
  | Curves ratio precision curves p =>
      let a := Qnum ratio in
      let b := Zpos (Qden ratio) in
      let bits := Z.to_nat precision in
      match ratio_below l p with
      | Some (X, Y) =>
          proved && level_is_posed l delta && (b <? a) && (0 <? Y) && (Y <=? X) && curves_hold bits a b runs curves &&
          composition_below bits a b X Y delta (curve_runs runs curves)
      | None => false
      end
  | _ => false
  end.

(** Whether there is a program for all runs and all their witnesses, if [has_part] tells it of one. *)
Definition has_composed_program (has_part : claim -> witness -> bool) (runs : list (run * positive)) (proved : bool)
    (w : witness) : bool :=
  match w with
  | Curves _ _ curves _ =>
      proved && forallb (fun rc =>
        forallb (has_part (level_claim (fst (fst rc)) 1%Q 1%Q)) (level_witnesses 1 (snd (snd rc))))
        (combine runs curves)
  | _ => false
  end.

End program.

(** ** Runs at one level *)

Open Scope R_scope.

Lemma number_zero_outside w : zero_outside Number (number_mass w).
Proof. intros a H. destruct a; try reflexivity. exfalso. apply (H t). reflexivity. Qed.

Lemma number_law w : law w -> law (number_mass w).
Proof. intros H. apply (law_on_image Number); [intros a c E; injection E; auto | apply number_zero_outside | exact H].
Qed.

Lemma number_below P Q E delta : mass_below P Q E delta -> mass_below (number_mass P) (number_mass Q) E delta.
Proof. intros H. apply (mass_below_on_image Number); try apply number_zero_outside. exact H. Qed.

(** A statement that follows for every program from three others. *)
Lemma from_program r (S1 S2 S3 : forall M, (list M -> answer) -> (nat -> dist (list M)) -> Prop) (C : Prop) :
  (forall M show R, S1 M show R -> S2 M show R -> S3 M show R -> C) ->
  for_program r S1 -> for_program r S2 -> for_program r S3 -> C.
Proof. intros H. destruct r as [t | []]; simpl; apply H. Qed.

Definition private_pair (P Q : answer -> R) (E delta : R) : Prop :=
  law P /\ law Q /\ mass_below P Q E delta /\ mass_below Q P E delta.

Lemma neighbors_of_sym nb n xs ys : neighbors_of nb n xs ys -> neighbors_of nb n ys xs.
Proof.
  destruct nb; simpl.
  - intros [N L]. split; [apply neighbors_sym, N | rewrite <- (neighbors_length _ _ N); exact L].
  - intros [x [A | A]]; exists x; auto.
Qed.

Lemma private_neighbors {M} (R : nat -> dist (list M)) nb n E delta xs ys :
  1 <= E -> private R nb n E delta -> neighbors_of nb n xs ys -> shuffle_below R xs ys E delta.
Proof.
  intros HE H N. destruct nb; simpl in H, N.
  - destruct N as [N L]. assert (EE : exp (ln E) = E) by (apply exp_ln; lra).
    intros T S. rewrite <- EE. apply (H xs ys N L T S).
  - destruct N as [x [[N L] | [N L]]]; [apply (H xs x ys N L) | apply (H ys x xs N L)].
Qed.

(** What is shown of what all users send is private, if that is. *)
Lemma private_views {M} nb (show : list M -> answer) (V : list nat -> dist (list M)) n E delta P Q :
  (forall xs, proper (V xs)) ->
  (forall xs ys, neighbors_of nb (Z.to_nat n) xs ys -> forall T, symmetric T -> Pr (V xs) T <= E * Pr (V ys) T + delta) ->
  shown_views nb show V n P Q -> private_pair P Q E delta.
Proof.
  intros Pr H [xs [ys [N [-> ->]]]].
  assert (Proper : forall zs, proper (dmap show (bind (V zs) shuffler)))
    by (intros zs; apply proper_dmap, proper_bind; [apply Pr | intros; apply proper_shuffler]).
  split; [apply mass_law, Proper | split; [apply mass_law, Proper |]].
  split; apply mass_below_of_below, below_dmap, ordered_output; [apply (H xs ys N) | apply (H ys xs), neighbors_of_sym, N].
Qed.

Lemma private_messages {M} nb (show : list M -> answer) (R : nat -> dist (list M)) n E delta P Q :
  (forall x, proper (R x)) -> 1 <= E -> private R nb (Z.to_nat n) E delta -> shown_views nb show (messages R) n P Q ->
  private_pair P Q E delta.
Proof.
  intros Pr HE H. apply private_views; [intros xs; apply proper_messages, Pr |].
  intros xs ys. apply (private_neighbors R nb _ E delta xs ys HE H).
Qed.

Lemma private_run r E delta P Q :
  sound (level_claim r E delta) true -> run_mechanism r P Q -> private_pair P Q (Q2R E) (Q2R delta).
Proof.
  intros [Posed Holds] HM.
  assert (Published : forall M (show : list M -> answer) V n, (forall xs, proper (V xs)) ->
    (forall n', in_scope ThisNumber (Z.to_nat n) n' -> published_dp V n' (Q2R E) (Q2R delta)) ->
    shown_views ReplaceOne show V n P Q -> private_pair P Q (Q2R E) (Q2R delta)).
  { intros M show V n Pr H. apply private_views; [exact Pr |]. intros xs ys [N L] T S.
    apply (H (Z.to_nat n) eq_refl xs ys N L T S). }
  destruct r as [nu shift | rand n nb | of n | E0 n | rand q a n | of q a n];
    cbn [level_claim well_posed holds run_mechanism run_posed] in *.
  - destruct Posed as [Nu [_ [HE [Hd _]]]]. simpl in HE. destruct Holds as [H _]. assert (L := noise_law nu Nu).
    destruct HM as [c [d [Hcd [-> ->]]]].
    assert (B := proj1 (shifts_both_orders (noise_mass nu) shift (Q2R E) (Q2R delta) (proj1 L) HE Hd) H).
    split; [apply number_law, shifted_law, L | split; [apply number_law, shifted_law, L |]].
    split; apply number_below, B; lia.
  - destruct Posed as [Rand [_ [HE _]]]. simpl in HE. assert (Pr := proper_randomizer rand Rand).
    revert Pr Holds HM. apply from_program. intros M show R Pr [H _].
    apply private_messages; auto. apply (H (Z.to_nat n) eq_refl).
  - destruct Posed as [Of [_ [HE _]]]. simpl in HE. destruct Holds as [H _]. revert HM.
    apply private_messages; [intros x; apply proper_together, Of | exact HE | apply (H (Z.to_nat n) eq_refl)].
  - destruct Posed as [_ [_ [HE _]]]. simpl in HE. destruct HM as [R [Pr [Local HM]]].
    destruct (Holds nat R Pr Local) as [H _]. revert HM. apply private_messages; auto. apply (H (Z.to_nat n) eq_refl).
  - destruct Posed as [[[Rand [Ab Hq]] _] _]. assert (Pr := proper_absence rand q a Rand Ab Hq).
    revert Pr Holds HM. apply from_absence. intros M show V. apply Published.
  - destruct Posed as [[[Of [Ab Hq]] _] _]. assert (Pr := proper_joint_absence of q a Of Ab Hq).
    revert Pr Holds HM. destruct a; cbn [for_joint_absence]; apply Published.
Qed.

(** ** Curves *)

Lemma unit_value bits : IZR (Zpos (unit_of bits)) = 2 ^ bits.
Proof. unfold unit_of. rewrite Z2Pos.id by apply two_positive. apply IZR_two. Qed.

Lemma Q2R_units z bits : Q2R (z # unit_of bits) = IZR z / 2 ^ bits.
Proof. unfold Q2R. cbn [Qnum Qden]. rewrite unit_value. reflexivity. Qed.

Section soundness.

Variable check_part : claim -> bool -> witness -> bool.
Hypothesis check_part_sound : forall c w, check_part c true w = true -> sound c true.

Lemma levels_hold_sound r unit curve : forall numbers ws,
  levels_hold check_part r unit numbers curve ws = true ->
  length numbers = length curve /\
  forall j, (j < length curve)%nat ->
    sound (level_claim r (nth j numbers 0%Z # unit_of 64) (nth j curve 0%Z # unit)) true.
Proof.
  induction curve as [| d curve IH]; intros [| number numbers] [| w ws] H; simpl in H; try discriminate.
  - split; [reflexivity |]. intros j Hj. simpl in Hj. lia.
  - apply andb_true_iff in H. destruct H as [H1 H2]. destruct (IH numbers ws H2) as [L S]. split; [simpl; lia |].
    intros [| j] Hj; simpl; [apply (check_part_sound _ w H1) |]. apply S. simpl in Hj. lia.
Qed.

Variables (bits : nat) (a b : Z).

Lemma curve_holds_sound r curve : curve_holds check_part bits a b r curve = true ->
  run_posed r /\ has_curve bits a b (fst curve) (run_mechanism r).
Proof.
  unfold curve_holds. intros H. apply andb_true_iff in H. destruct H as [H L]. apply andb_true_iff in H.
  destruct H as [H P].
  rename H into N. apply negb_true_iff, Nat.eqb_neq in N. rewrite forallb_forall in P.
  destruct (levels_hold_sound _ _ _ _ _ L) as [Len S]. split; [| split; [| split]].
  - specialize (S O ltac:(lia)). destruct S as [S _]. destruct r; simpl in *; split; apply S.
  - intros E. apply N. rewrite E. reflexivity.
  - apply Forall_forall. intros d I. apply Z.leb_le, P, I.
  - intros Q1 Q2 HM.
    assert (B : forall j, (j < length (fst curve))%nat ->
      private_pair Q1 Q2 (IZR (power_below a b j) / 2 ^ 64) (IZR (nth j (fst curve) 0%Z) / 2 ^ bits)).
    { intros j Hj. assert (X := private_run r _ _ Q1 Q2 (S j Hj) HM). rewrite !Q2R_units in X.
      assert (E := powers_equal a b (length (fst curve)) 0). change (power_below a b 0) with (two 64) in E.
      rewrite E in X. rewrite (nth_indep _ 0%Z (power_below a b 0)) in X by (rewrite map_length, seq_length; exact Hj).
      rewrite map_nth, seq_nth in X by exact Hj. exact X. }
    destruct (B O ltac:(lia)) as [L1 [L2 _]]. split; [exact L1 | split; [exact L2 |]].
    intros j Hj. apply (B j Hj).
Qed.

Definition entries (runs : list (run * positive)) (curves : list (list Z * curve_witness)) :
  list (entry (A := answer)) :=
  map (fun rc => (fst (snd rc), snd (fst rc), run_mechanism (fst (fst rc)))) (combine runs curves).

Lemma curves_hold_sound runs : forall curves, curves_hold check_part bits a b runs curves = true ->
  each (fun r => run_posed (fst r)) runs /\
  (forall e, In e (entries runs curves) -> has_curve bits a b (fst (fst e)) (snd e)) /\
  map fst (entries runs curves) = curve_runs runs curves /\
  all_runs (entries runs curves) = flat_map (fun r => repeat (run_mechanism (fst r)) (Pos.to_nat (snd r))) runs.
Proof.
  induction runs as [| [r k] runs IH]; intros [| curve curves] H; simpl in H; try discriminate.
  - split; [exact I | split; [intros e [] | split; reflexivity]].
  - apply andb_true_iff in H. destruct H as [H1 H2]. destruct (IH curves H2) as [A [B [C D]]].
    destruct (curve_holds_sound r curve H1) as [Posed Curve]. split; [split; assumption |]. split; [| split].
    + intros e [<- | I]; [exact Curve | apply B, I].
    + unfold entries, curve_runs in *. simpl. rewrite C. reflexivity.
    + unfold all_runs, entries in *. simpl. rewrite D. reflexivity.
Qed.

End soundness.

Theorem check_composed_sound check_part runs l delta proved w :
  (forall c w, check_part c true w = true -> sound c true) ->
  check_composed check_part runs l delta proved w = true -> sound (Composed runs l delta) proved.
Proof.
  intros Part H. unfold check_composed in H. destruct w; try discriminate.
  destruct (ratio_below l p) as [[X Y] |] eqn:R; [| discriminate].
  repeat (apply andb_true_iff in H; destruct H as [H ?]). destruct proved; [| discriminate].
  match goal with
  | C : curves_hold _ _ _ _ _ _ = true, G : (_ <? Qnum ratio)%Z = true, Y0 : (0 <? Y)%Z = true, YX : (Y <=? X)%Z = true,
    D : level_is_posed _ _ = true |- _ => rename C into Holds; rename G into Larger; rename Y0 into HY;
      rename YX into HX; rename D into Level
  end.
  apply Z.ltb_lt in Larger, HY. apply Z.leb_le in HX.
  destruct (curves_hold_sound check_part Part (Z.to_nat bits) _ _ runs curves Holds) as [Posed [Curve [E1 E2]]].
  split; [split; [exact Posed | apply level_is_posed_sound, Level] |].
  simpl. intros P Q HP. rewrite <- E2 in HP. rewrite <- E1 in *.
  assert (M := composition_sound (Z.to_nat bits) (Qnum ratio) (Zpos (Qden ratio)) eq_refl Larger
    (entries runs curves) X Y delta P Q (conj HY HX) Curve ltac:(assumption) HP).
  destruct (ratio_below_sound l p X Y R) as [_ Below]. revert M. apply mass_below_weaken;
    [| exact Below | apply Rle_refl].
  intros answers. apply (played_nonneg _ P Q (fun mech I => mechanisms_are_laws _ _ _ _ mech Curve I) HP answers).
Qed.

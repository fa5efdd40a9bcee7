(** The claim [composed], REFUTED: an event of all answers of independent runs that is too likely.

    [check_composed_refuted] reads a witness [Pairs]: a lattice, and for each run a pair. [run_masses] makes masses of
    it: of noise, exactly or by enclosure (noise_masses.v), of listed views and of summed scores of a table
    (view_masses.v), and of likelihood tests (test_masses.v, tested_runs.v). Those of one run are merged
    (merged_program.v), and the product over all runs is compared with delta. If it accepts, then the claim does not
    hold ([check_composed_refuted_sound]), for all claims and witnesses; a run with a pair of another form is not
    accepted.

    Source: docs/certificates.md, "composed". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses adaptive_composition five_randomizers.
From ExactdpChecker Require Import claims witnesses kinds levels posed noise_windows laplace_table composed_checked.
From ExactdpChecker Require Import merged_program merged_sound drawn_pairs merged_runs merged_refuted known_masses
  noise_masses view_masses
  test_masses tested_runs any_checked product_checked.
Import ListNotations.
Import BinNums.
Open Scope Z_scope.

(** The masses of the pair of a witness, of the views of a randomizer. *)
Definition masses_of_views (bits : nat) (r : randomizer) (n : Z) (nb : neighboring) (w : witness) :
  option (list (Z * Z)) :=
  match w, r with
  | TwoDataSets h k Exactly, Table t => view_masses bits t n nb h k
  | Event test Exactly, Table t => match nb with ReplaceOne => event_masses bits t n test | AddOrRemoveOne => None end
  | Likelihood test Exactly, _ => match nb with ReplaceOne => test_masses bits r n test | AddOrRemoveOne => None end
  | _, _ => None
  end.

(** Of any randomizer: one of the five. *)
Definition any_masses (bits : nat) (E0 : Q) (n : Z) (w : witness) : option (list (Z * Z)) :=
  match w with
  | Likelihood test Exactly =>
      match pair_tested test with
      | Some (0, place) =>
          match nth_error (rational_basics E0) (Z.to_nat place) with
          | Some basic =>
              if less 1 E0 && (1 <=? n) && (0 <=? place) then class_masses bits test (Z.to_pos n) (divided basic) else None
          | None => None
          end
      | _ => None
      end
  | _ => None
  end.

(** The clipped Laplace family is listed as a table. *)
Definition run_masses (bits : nat) (r : run) (w : witness) : option (list (Z * Z)) :=
  match r with
  | NoiseRun nu shift => noise_masses bits nu shift w
  | ProductRun of n => product_masses bits of n w
  | AnyRun E0 n => any_masses bits E0 n w
  | RandomizerRun rand n nb =>
      if randomizer_is_posed rand then masses_of_views bits (listed_randomizer rand) n nb w else None
  | ParticipationRun _ _ _ _ => None
  end.

Fixpoint all_merged (bits : nat) (a b : Z) (runs : list (run * positive)) (ws : list witness) :
  option (list (merged * positive)) :=
  match runs, ws with
  | [], [] => Some []
  | (r, k) :: runs', w :: ws' =>
      match run_masses bits r w, all_merged bits a b runs' ws' with
      | Some masses, Some rest => Some ((merged_of a b masses, k) :: rest)
      | _, _ => None
      end
  | _, _ => None
  end.

Definition check_composed_refuted (runs : list (run * positive)) (l : level) (delta : Q) (proved : bool) (w : witness) :
  bool :=
  match w with
  | Pairs ratio precision pairs p =>
      let bits := Z.to_nat precision in
      match ratio_above l p, all_merged bits (Qnum ratio) (Zpos (Qden ratio)) runs pairs with
      | Some (X, Y), Some all =>
          negb proved && level_is_posed l delta && (0 <=? X) && (0 <? Y) &&
            merged_above bits X Y delta (merged_total bits all)
      | _, _ => false
      end
  | _ => false
  end.

(** Whether there is a program for all runs and their pairs. *)
Definition has_refuting_program (runs : list (run * positive)) (proved : bool) (w : witness) : bool :=
  match w with
  | Pairs _ _ pairs _ =>
      negb proved && forallb (fun rw =>
        match fst (fst rw), snd rw with
        | NoiseRun nu _, ShiftOrder _ _ (Bits _) => has_window nu
        | NoiseRun _ _, _ => true
        | RandomizerRun rand _ _, TwoDataSets _ _ _ | RandomizerRun rand _ _, Event _ _ => is_listed rand
        | RandomizerRun _ _ _, Likelihood _ _ | ProductRun _ _, Likelihood _ _ | AnyRun _ _, Likelihood _ _ => true
        | _, _ => false
        end) (combine runs pairs)
  | _ => false
  end.

Open Scope R_scope.

Lemma known_if_listed bits r n nb masses : randomizer_is_posed r = true ->
  known_run bits (RandomizerRun (listed_randomizer r) n nb) masses -> known_run bits (RandomizerRun r n nb) masses.
Proof.
  intros Posed [[_ Hn] [P [Q [label [[[l [[Drawn One] S]] Laws] B]]]]]. apply randomizer_is_posed_sound in Posed.
  split; [split; assumption |]. exists P, Q, label. split; [| exact B]. split; [| exact Laws].
  exists l. split; [| exact S]. split; [| exact One]. intros e I. destruct (Drawn e I) as [W [M Pos]].
  split; [exact W | split; [| exact Pos]]. cbn [fst] in *. unfold run_mechanism in *. revert M.
  apply for_listed_program, Posed.
Qed.

Lemma any_masses_known bits E0 n w masses : any_masses bits E0 n w = Some masses -> known_run bits (AnyRun E0 n) masses.
Proof.
  unfold any_masses. destruct w; try discriminate. destruct p; try discriminate.
  destruct (pair_tested test) as [[[| |] place] |]; try discriminate.
  destruct (nth_error (rational_basics E0) (Z.to_nat place)) as [basic |] eqn:I; [| discriminate].
  destruct (_ && _)%bool eqn:H; [| discriminate]. rewrite !andb_true_iff in H. destruct H as [[P N] _].
  apply less_sound in P. rewrite RMicromega.Q2R_1 in P. apply Z.leb_le in N. apply nth_error_In in I.
  destruct (basic_rows_alike E0 basic P I) as [Pr Local].
  apply class_masses_known; [split; assumption |]. rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia. intros K L Below.
  apply (told_stands (three_rows (map real_vector basic)) 3 Messages back (divided basic) (Z.to_nat n)); try assumption.
  - reflexivity.
  - apply (basic_rows_told E0 basic P I).
  - lia.
  - intros xs ys A B. exists (basic_rows basic). split; [exact Pr |]. split; [exact Local |].
    exists xs, ys. split; [split; assumption | auto].
Qed.

Theorem run_masses_known bits r w masses : run_masses bits r w = Some masses -> known_run bits r masses.
Proof.
  destruct r as [nu shift | rand n nb | of n | E0 n |];
    [apply noise_masses_known | | apply product_masses_known | apply any_masses_known | discriminate]. simpl.
  destruct (randomizer_is_posed rand) eqn:Posed; [| discriminate]. intros H.
  apply (known_if_listed bits rand n nb masses Posed).
  revert H. generalize (listed_randomizer rand). intros r H.
  destruct w; try discriminate; destruct p; try discriminate; try (destruct r; discriminate); simpl in H.
  - destruct r; [apply view_masses_known in H; exact H | discriminate].
  - destruct nb; [apply test_masses_known in H; exact H | discriminate].
  - destruct r; [| discriminate]. destruct nb; [apply event_masses_known in H; exact H | discriminate].
Qed.

Lemma all_merged_sound bits a b runs : forall ws all, all_merged bits a b runs ws = Some all ->
  each (fun r => run_posed (fst r)) runs /\
  exists entries : list (told (A := answer)), map fst entries = all /\
    (forall e, In e entries -> tells_runs bits (fst (fst e)) [snd e]) /\
    flat_map (fun e => repeat (fst (snd e)) (Pos.to_nat (snd (fst e)))) entries =
    flat_map (fun r => repeat (run_mechanism (fst r)) (Pos.to_nat (snd r))) runs.
Proof.
  induction runs as [| [r k] runs IH]; intros [| w ws] all H; simpl in H; try discriminate.
  - injection H as <-. split; [exact I |]. exists []. split; [reflexivity | split; [intros e [] | reflexivity]].
  - destruct (run_masses bits r w) as [masses |] eqn:M; [| discriminate].
    destruct (all_merged bits a b runs ws) as [rest |] eqn:R; [| discriminate]. injection H as <-.
    destruct (IH ws rest R) as [Posed [entries [E1 [E2 E3]]]].
    destruct (known_run_tells bits r masses a b (run_masses_known bits r w masses M)) as [P1 [P [Q T]]].
    split; [split; assumption |].
    exists ((merged_of a b masses, k, (run_mechanism r, (P, Q))) :: entries). split; [| split].
    + simpl. rewrite E1. reflexivity.
    + intros e [<- | J]; [exact T | apply E2, J].
    + simpl. rewrite E3. reflexivity.
Qed.

Theorem check_composed_refuted_sound runs l delta proved w :
  check_composed_refuted runs l delta proved w = true -> sound (Composed runs l delta) proved.
Proof.
  intros H. unfold check_composed_refuted in H. destruct w; try discriminate.
  destruct (ratio_above l p) as [[X Y] |] eqn:R; [| discriminate].
  destruct (all_merged _ _ _ runs pairs) as [all |] eqn:M; [| discriminate].
  apply andb_true_iff in H. destruct H as [H Above]. apply andb_true_iff in H. destruct H as [H HY].
  apply andb_true_iff in H. destruct H as [H HX]. apply andb_true_iff in H. destruct H as [H Level].
  destruct proved; [discriminate |]. apply Z.leb_le in HX. apply Z.ltb_lt in HY.
  destruct (all_merged_sound _ _ _ _ _ _ M) as [Posed [entries [E1 [E2 E3]]]]. rewrite <- E1 in Above.
  split; [split; [exact Posed | apply level_is_posed_sound, Level] |]. simpl. intros Holds.
  apply (merged_refutes _ entries X Y delta HX HY E2 Above). rewrite E3. intros P Q HP Pos.
  destruct (ratio_above_sound l p X Y R) as [_ Up]. generalize (Holds P Q HP).
  apply mass_below_weaken; [exact Pos | exact Up | apply Rle_refl].
Qed.

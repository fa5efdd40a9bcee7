(** The claim [composed], REFUTED: an event of all answers of independent runs that is too likely.

    [check_composed_refuted] reads a witness [Pairs]: a lattice, and for each run a pair. [run_masses] makes masses of
    it: of noise, exactly or by enclosure (noise_masses.v), of listed views and of summed scores of a table
    (view_masses.v), and of likelihood tests (test_masses.v, tested_runs.v). Those of one run are merged
    (merged_program.v), and the product over all runs is compared with delta. If it accepts, then the claim does not
    hold ([check_composed_refuted_sound]), for all claims and witnesses; a run with a pair of another form is not
    accepted.

    Source: docs/certificates.md, "composed". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses least_values adaptive_composition five_randomizers.
From ExactdpChecker Require Import claims witnesses kinds levels posed noise_windows laplace_table composed_checked.
From ExactdpChecker Require Import merged_program merged_sound drawn_pairs merged_runs merged_refuted known_masses
  noise_masses view_masses
  random_data_sets listed_checked test_masses tested_runs any_checked product_checked participation_checked
  told_kinds absent_product_checked away_runs.
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
Definition any_classes (E0 : Q) (test : likelihood) : option (list rational_class) :=
  match pair_tested test with
  | Some (0, place) =>
      if 0 <=? place then option_map divided (nth_error (rational_basics E0) (Z.to_nat place)) else None
  | _ => None
  end.

(** The clipped Laplace family is listed as a table. *)
Definition masses_of_randomizer (bits : nat) (rand : randomizer) (n : Z) (nb : neighboring) (w : witness) :
  option (list (Z * Z)) :=
  if randomizer_is_posed rand then masses_of_views bits (listed_randomizer rand) n nb w else None.

(** Of the test of the classes of a run, if they are told, which have less than the masses of messages where [fewer]; but
    for the last mass, that of a user who is away, where it is published who takes part. *)
Definition masses_of_test (bits : nat) (n : Z) (is_listed fewer : bool) (classes : likelihood -> option (list rational_class))
    (w : witness) : option (list (Z * Z)) :=
  match w with
  | Likelihood test Exactly =>
      match classes test with
      | Some found =>
          option_map (fun masses => if is_listed then removelast masses else masses)
            ((if fewer then less_masses else class_masses) bits test (Z.to_pos n) found)
      | None => None
      end
  | _ => None
  end.

Definition run_masses (bits : nat) (r : run) (w : witness) : option (list (Z * Z)) :=
  match r with
  | NoiseRun nu shift => noise_masses bits nu shift w
  | ProductRun of n =>
      if together_is_posed of && (1 <=? n) then masses_of_test bits n false false (tested_classes of) w else None
  | AnyRun E0 n => if less 1 E0 && (1 <=? n) then masses_of_test bits n false false (any_classes E0) w else None
  | RandomizerRun rand n nb => masses_of_randomizer bits rand n nb w
  | ParticipationRun rand q a n =>
      if randomizer_is_posed rand && absence_is_posed rand a && (less 0 q && less q 1) && (1 <=? n) then
        match as_one_randomizer rand q a with
        | Some one => masses_of_randomizer bits one n ReplaceOne w
        | None => masses_of_test bits n (is_published a) (tells_fewer (rand, a)) (absence_classes rand q a) w
        end
      else None
  | AbsentProductRun of q a n =>
      if together_is_posed of && joint_absence_is_posed of a && (less 0 q && less q 1) && (1 <=? n) then
        masses_of_test bits n (are_published a) (joint_tells_fewer of a) (joint_classes of q a) w
      else None
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
Definition has_masses_of (r : randomizer) (w : witness) : bool :=
  match w with TwoDataSets _ _ _ | Event _ _ => is_listed r | Likelihood _ _ => true | _ => false end.

Definition has_refuting_program (runs : list (run * positive)) (proved : bool) (w : witness) : bool :=
  match w with
  | Pairs _ _ pairs _ =>
      negb proved && forallb (fun rw =>
        match fst (fst rw), snd rw with
        | NoiseRun nu _, ShiftOrder _ _ (Bits _) => has_window nu
        | NoiseRun _ _, _ => true
        | RandomizerRun rand _ _, w => has_masses_of rand w
        | ProductRun _ _, Likelihood _ _ | AnyRun _ _, Likelihood _ _ => true
        | ParticipationRun rand q a _, w =>
            match as_one_randomizer rand q a with
            | Some one => has_masses_of one w
            | None => has_participation_program rand q a proved w
            end
        | AbsentProductRun of q a _, Likelihood _ _ => has_absent_product_program of q a proved
        | _, _ => false
        end) (combine runs pairs)
  | _ => false
  end.

Open Scope R_scope.

(** What is known of a run is known of another one that shows the same pairs of laws. *)
Lemma known_if_shown bits r s masses : run_posed s -> (forall P Q, run_mechanism r P Q -> run_mechanism s P Q) ->
  known_run bits r masses -> known_run bits s masses.
Proof.
  intros Posed Shows [_ [P [Q [label [[[l [[Drawn One] S]] Laws] B]]]]].
  split; [exact Posed |]. exists P, Q, label. split; [| exact B]. split; [| exact Laws].
  exists l. split; [| exact S]. split; [| exact One]. intros e I. destruct (Drawn e I) as [W [M Pos]].
  split; [exact W | split; [apply Shows, M | exact Pos]].
Qed.

Lemma any_run_tested E0 n test classes : 1 < Q2R E0 -> (1 <= n)%Z -> any_classes E0 test = Some classes ->
  tests_classes (AnyRun E0 n) (Z.to_nat n) classes.
Proof.
  intros P N C K L Below. unfold any_classes in C. destruct (pair_tested test) as [[[| |] place] |]; try discriminate.
  destruct (0 <=? place)%Z; [| discriminate].
  destruct (nth_error (rational_basics E0) (Z.to_nat place)) as [basic |] eqn:I; [| discriminate].
  apply nth_error_In in I. injection C as <-. destruct (basic_rows_alike E0 basic P I) as [Pr Local].
  apply (told_stands (fun x => sent (three_rows (map real_vector basic) x)) 3 Messages (divided basic) (Z.to_nat n));
    try assumption.
  - apply (program_shown (Family (KAry 2 1))).
  - intros x. apply one_of_sent.
  - apply told_sent, (basic_rows_told E0 basic P I).
  - lia.
  - intros xs ys A B. exists (basic_rows basic). split; [exact Pr |]. split; [exact Local |].
    exists xs, ys. split; [split; assumption | auto].
Qed.

Lemma randomizer_masses_known bits r n nb w masses :
  masses_of_randomizer bits r n nb w = Some masses -> known_run bits (RandomizerRun r n nb) masses.
Proof.
  unfold masses_of_randomizer. destruct (randomizer_is_posed r) eqn:Posed; [| discriminate]. intros H.
  apply randomizer_is_posed_sound in Posed.
  assert (K : known_run bits (RandomizerRun (listed_randomizer r) n nb) masses).
  { revert H. generalize (listed_randomizer r). clear r Posed. intros r H.
    destruct w; try discriminate; destruct p; try discriminate; try (destruct r; discriminate); simpl in H.
    - destruct r; [apply view_masses_known in H; exact H | discriminate].
    - destruct nb; [apply test_masses_known in H; exact H | discriminate].
    - destruct r; [| discriminate]. destruct nb; [apply event_masses_known in H; exact H | discriminate]. }
  refine (known_if_shown bits _ (RandomizerRun r n nb) masses (conj Posed (proj2 (proj1 K))) _ K).
  intros P Q. apply for_listed_program, Posed.
Qed.

(** Of fewer events as much is known. *)
Lemma known_but_last bits r masses : known_run bits r masses -> known_run bits r (removelast masses).
Proof.
  intros [Posed [P [Q [label [Pair B]]]]]. split; [exact Posed |]. exists P, Q, label. split; [exact Pair |].
  intros i pq E. apply B. destruct masses as [| m masses]; [exact E |].
  rewrite (app_removelast_last m (l := m :: masses)) by discriminate. rewrite nth_error_app1; [exact E |].
  apply nth_error_Some. congruence.
Qed.

Lemma tested_masses_known bits r n is_listed fewer classes w masses : run_posed r -> (1 <= n)%Z ->
  (forall test found, classes test = Some found -> tests fewer (run_mechanism r) (Z.to_nat n) found) ->
  masses_of_test bits n is_listed fewer classes w = Some masses -> known_run bits r masses.
Proof.
  intros Posed N Tested. unfold masses_of_test. destruct w; try discriminate. destruct p; try discriminate.
  destruct (classes test) as [found |] eqn:C; [| discriminate].
  destruct ((if fewer then less_masses else class_masses) _ _ _ _) as [every |] eqn:M; [| discriminate].
  intros H. injection H as <-. assert (K : known_run bits r every).
  { specialize (Tested test found C). rewrite <- (Z2Pos.id n), Z2Nat.inj_pos in Tested by lia. revert Tested M.
    destruct fewer; [apply less_masses_known | apply class_masses_known]; exact Posed. }
  destruct is_listed; [apply known_but_last, K | exact K].
Qed.

Theorem run_masses_known bits r w masses : run_masses bits r w = Some masses -> known_run bits r masses.
Proof.
  destruct r as [nu shift | rand n nb | of n | E0 n | rand q a n | of q a n]; cbn [run_masses];
    [apply noise_masses_known | apply randomizer_masses_known | ..];
    destruct (_ && _)%bool eqn:H; try discriminate; rewrite !andb_true_iff in H; destruct H as [H N]; apply Z.leb_le in N.
  - apply together_is_posed_sound in H. apply tested_masses_known; [split; assumption | exact N |].
    intros test found. apply product_tested; assumption.
  - apply less_sound in H. rewrite RMicromega.Q2R_1 in H. apply tested_masses_known; [split; assumption | exact N |].
    intros test found. apply any_run_tested; assumption.
  - destruct H as [[P A] [Q0 Q1]]. apply less_sound in Q0, Q1. rewrite RMicromega.Q2R_0 in Q0.
    rewrite RMicromega.Q2R_1 in Q1. apply randomizer_is_posed_sound in P. apply absence_is_posed_sound in A.
    assert (Posed : run_posed (ParticipationRun rand q a n)) by (repeat split; assumption).
    destruct (as_one_randomizer rand q a) as [one |] eqn:One; intros M.
    + apply randomizer_masses_known in M. revert M. apply known_if_shown; [exact Posed |].
      intros P0 P1. apply as_one_mechanism; auto.
    + revert M. apply tested_masses_known; [exact Posed | exact N |].
      intros test found. apply absence_tested; auto.
  - destruct H as [[P A] [Q0 Q1]]. apply less_sound in Q0, Q1. rewrite RMicromega.Q2R_0 in Q0.
    rewrite RMicromega.Q2R_1 in Q1. apply together_is_posed_sound in P.
    assert (Ab : joint_absence_posed of a).
    { destruct a; cbn [joint_absence_posed joint_absence_is_posed] in *; trivial. apply dummies_are_posed_sound, A. }
    apply tested_masses_known; [repeat split; assumption || apply P | exact N |].
    intros test found. apply joint_tested; auto.
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

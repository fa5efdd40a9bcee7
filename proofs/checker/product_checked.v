(** Several randomizers at once: [check_product] accepts only what holds, or does not ([check_product_sound]).

    A blanket or a swap proves the claim, a likelihood test refutes it, as for one family, with the pairs of inputs of
    product_pairs.v: for all tables and families, every number of users or all from it, any level, delta and witness.
    [product_tested]: the same test is one of a run of a composition.

    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy adding_a_user least_values classes.
From ExactdpChecker Require Import claims witnesses kinds levels laws_of_noise.
From ExactdpChecker Require Import blanket_program blanket_sound blanket_checked described_pairs family_rows likelihood_checked.
From ExactdpChecker Require Import swap_checked product_pairs known_masses test_masses random_data_sets listed_checked
  tested_runs.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

(** Of the pair in one place, and the row of the others in one place of it. *)
Definition tested_classes (of : list randomizer) (test : likelihood) : option (list rational_class) :=
  match pair_tested test with
  | Some (i, j) =>
      if (i <? 0)%Z || (j <? 0)%Z then None else
      match nth_error (kinds_chosen of) (Z.to_nat i) with
      | Some ks => option_map (fun r => product_of (map snd r)) (nth_error (rows_chosen ks) (Z.to_nat j))
      | None => None
      end
  | None => None
  end.

Definition product_is_below (of : list randomizer) (E : Q) (n : Z) (delta : Q) (bound : bound_of_all) : bool :=
  match bound with
  | ByBlanket bits limit bounds =>
      let blankets := map blanket_chosen (kinds_chosen of) in
      forallb masses_are_good blankets &&
      blanket_program.all_below (fun classes => least_values E classes) (Z.to_nat bits) (Z.to_nat limit) (Z.to_pos n) delta blankets [] bounds
  | BySwap bits plans places [] => swap_is_below (product_pairs of) E delta (Z.to_nat bits) (Z.to_nat n) plans places
  | _ => false
  end.

Definition check_product (of : list randomizer) (n : Z) (l : claims.level) (delta : Q) (proved : bool) (shown : witness) :
  bool :=
  posed.together_is_posed of && posed.level_is_posed l delta && (1 <=? n)%Z &&
  match proved, shown with
  | true, ForAllDataSets bound p =>
      match ratio_below l p with
      | Some (X, Y) => product_is_below of (Qred (X # Z.to_pos Y)) n delta bound
      | None => false
      end
  | false, Likelihood test p =>
      match ratio_above l p, tested_classes of test with
      | Some (X, Y), Some classes => test_exceeds test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta classes
      | _, _ => false
      end
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma report_inputs_positive of : together_posed of -> (0 < report_inputs of)%nat.
Proof.
  intros [_ P]. induction of as [| r of IH]; [simpl; lia |]. cbn [report_inputs fold_right]. fold (report_inputs of).
  assert (A := input_count_positive r (P r (or_introl eq_refl))). assert (B := IH (fun s I => P s (or_intror I))). nia.
Qed.

Lemma together_places of : together of = fun x => one_message (report of) (Nat.min x (report_inputs of - 1)).
Proof. unfold together, on_inputs. rewrite Nat2Z.id. reflexivity. Qed.

Lemma product_below of E F n delta bound k : together_posed of -> (1 <= n)%Z -> (Z.to_nat n <= k)%nat ->
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> product_is_below of E n delta bound = true ->
  shuffle_dp k (together of) (ln F) (Q2R delta).
Proof.
  intros P N K HE HF Hd H. assert (D := report_inputs_positive of P). assert (Right := product_right of P).
  destruct bound as [bits limit bounds | bits plans places used | |]; try discriminate; cbn [product_is_below] in H.
  - apply andb_true_iff in H. destruct H as [Good H]. rewrite together_places.
    apply (blanketed_dp_one_message (report of) _ (Pos.to_nat (Z.to_pos n)) k (Q2R E)); try assumption.
    + rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia. lia.
    + assert (Blankets : map blanket_chosen (kinds_chosen of) = map of_blanket (product_pairs of))
        by (unfold product_pairs; rewrite map_map; reflexivity).
      rewrite Blankets in *. apply (pairs_blanketed (report of) _ _ _ _ _ _ _ _ Right Good H).
  - destruct used; [| discriminate]. apply (adding_users (Z.to_nat n)); [lia | intros x; apply proper_together, P |]. rewrite together_places.
    apply (one_message_private (report of) _ _ Right D E F delta _ _ _ _ HE HF Hd H).
Qed.

Lemma tested_told of test classes : together_posed of -> tested_classes of test = Some classes ->
  told (report of) (report_inputs of) classes.
Proof.
  intros P. unfold tested_classes. destruct (pair_tested test) as [[i j] |]; [| discriminate].
  destruct (_ || _)%bool; [discriminate |]. destruct (nth_error (kinds_chosen of) _) as [ks |] eqn:I; [| discriminate].
  destruct (nth_error (rows_chosen ks) _) as [row |] eqn:J; [| discriminate]. intros H. injection H as <-.
  destruct (row_attained of ks row P (nth_error_In _ _ I) (nth_error_In _ _ J)) as [x [y [v [[X [Y V]] T]]]].
  exists x, y, v. repeat (split; [assumption |]). split; [intros z _; apply proper_report, (proj2 P) |].
  apply described_tells; [exact (proj1 (proper_report of v (proj2 P))) | exact T].
Qed.

Theorem check_product_sound of n s l delta proved shown :
  check_product of n l delta proved shown = true -> sound (ProductDP of n s l delta) proved.
Proof.
  unfold check_product. rewrite !andb_true_iff. intros [[[P L] N] H].
  apply posed.together_is_posed_sound in P. apply posed.level_is_posed_sound in L. apply Z.leb_le in N.
  split; [cbn [well_posed]; auto |]. destruct L as [L1 L2]. cbn [holds]. destruct proved, shown; try discriminate.
  - destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (ratio_below_sound l p X Y Ratio) as [R1 R2].
    assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
    { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
    split; [| exact I]. intros k K.
    apply (product_below of (Qred (X # Z.to_pos Y)) (ratio l) n delta bound k P N); try assumption; [destruct s; simpl in K; lia | apply L2].
  - destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (tested_classes of test) as [classes |] eqn:C; [| discriminate].
    destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y))).
    { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
    apply test_exceeds_true in H. rewrite <- Z2Nat.inj_pos, Z2Pos.id in H by lia. intros [A _].
    apply (not_private_if_told (report of) (report_inputs of) classes (Z.to_nat n) (ratio l) _ _
      (tested_told of test classes P C) ltac:(lia) (conj L1 E) H).
    rewrite <- together_places. apply (A (Z.to_nat n)). destruct s; simpl; lia.
Qed.

(** ** In a composition *)

Lemma reports_shown : shown_again Reports.
Proof. exists (fun a => match a with Reports u => Some u | _ => None end). intros u. exists u. split; reflexivity. Qed.

Theorem product_tested of n test classes : together_posed of -> (1 <= n)%Z -> tested_classes of test = Some classes ->
  tests_classes (ProductRun of n) (Z.to_nat n) classes.
Proof.
  intros P N C K L Below. unfold run_mechanism. rewrite together_places.
  apply (told_stands (fun x => sent (report of x)) (report_inputs of) Reports classes (Z.to_nat n)); try assumption.
  - apply reports_shown.
  - intros x. apply one_of_sent.
  - apply told_sent, (tested_told of test classes P C).
  - lia.
  - intros xs ys A B. exists xs, ys. split; [split; assumption | auto].
Qed.

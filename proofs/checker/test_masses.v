(** Masses of the likelihood test of a run, of any number of users.

    [class_masses] makes them of classes of messages: at every value of the test lower bounds of both laws, of the
    second one with what all values together lack; and each class that others cannot send, by itself. [less_masses]: the
    same of classes that have less than the masses of messages, with all that the second law may lack. [test_masses]: the
    classes of a run, of a family, or of a table whose users send at most one message. They are known of the run
    ([test_masses_known]): the data sets are random where the inputs of other users are (random_data_sets.v).

    The methods masses of Run in exactdp/checker/composed.py and of BoundedLaws in exactdp/checker/scores.py are these
    programs. Source: docs/certificates.md, "composed". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy masses hockey_stick shuffler adding_a_user single_message.
From Exactdp Require Import independence.
From Exactdp Require Import mean_excess classes homogeneous random_others score_event least_values fixed_point.
From Exactdp Require Import losses_program.
From Exactdp Require Import adaptive_composition integer_polynomials product_laws.
From ExactdpChecker Require Import claims witnesses laws_of_noise blanket_program matrix_blanket family_blanket.
From ExactdpChecker Require Import likelihood_program likelihood_sound likelihood_trees likelihood_bound.
From ExactdpChecker Require Import family_rows likelihood_checked.
From ExactdpChecker Require Import at_most_one_message mixed_others_checked class_tests class_pairs.
From ExactdpChecker Require Import drawn_pairs random_data_sets merged_runs known_masses view_masses.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition all_are_laws (classes : list rational_class) : bool :=
  classes_are_laws classes && Qeq_bool (sum_of (map under_first classes)) 1 &&
  Qeq_bool (sum_of (map under_second classes)) 1.

Definition mass_apart (bits : nat) (k : rational_class) : Z * Z :=
  (lower_units bits (Zpos (Qden (under_first k))) (Qnum (under_first k)),
   upper_units bits (Zpos (Qden (under_second k))) (Qnum (under_second k))).

(** At least the units of 2^-b that the classes of messages which others can send have under the second law. *)
Definition second_units (b : Z) (classes : list rational_class) : Z :=
  let q := sum_of (map under_second (filter covered classes)) in - (- (Qnum q * 2 ^ b) / Zpos (Qden q)).

Definition class_masses (bits : nat) (test : likelihood) (n : positive) (classes : list rational_class) :
  option (list (Z * Z)) :=
  let b := test_bits test in
  if all_are_laws classes && (0 <=? b) then
    let s := fst (reached b (cut_bits test) (Z.to_nat (test_length test))
      (leaf_of b (witnesses.at_ratio test) (test_step test) classes) n) in
    Some (value_masses bits (2 ^ b) (second_units b classes - z_sum (s_second s))
      (values_onto (s_low s) (s_first s) (s_second s) [])
      ++ map (mass_apart bits) (filter (fun k => negb (covered k)) classes))
  else None.

(** Of classes that have less than the masses of messages: at every value with all that the second law may lack, and of no
    message alone. *)
Definition less_masses (bits : nat) (test : likelihood) (n : positive) (classes : list rational_class) :
  option (list (Z * Z)) :=
  let b := test_bits test in
  if 0 <=? b then
    let s := fst (reached b (cut_bits test) (Z.to_nat (test_length test))
      (leaf_of b (witnesses.at_ratio test) (test_step test) classes) n) in
    Some (value_masses bits (2 ^ b) (2 ^ b - z_sum (s_second s)) (values_onto (s_low s) (s_first s) (s_second s) []))
  else None.

Definition mixed_classes_of {A} (l : list A) (W : nat -> A -> Q) (d : nat) (test : likelihood) :
  option (list rational_class) :=
  match pair_tested test, other_users test with
  | Some (x, y), Weighted weights =>
      if (-1 <? x) && (x <? Z.of_nat d) && ((-1 <? y) && (y <? Z.of_nat d)) && Nat.eqb (length weights) d &&
         forallb (Qle_bool 0) weights && Qeq_bool (sum_of weights) 1
      then Some (mixed_classes l W weights (Z.to_nat x) (Z.to_nat y)) else None
  | _, _ => None
  end.

Definition classes_of_run (r : randomizer) (test : likelihood) : option (list rational_class) :=
  if posed.randomizer_is_posed r then
    match r with
    | Table t =>
        if sends_at_most_one t then
          mixed_classes_of (outcomes_of t) (fun x => probability (nth x (rows t) [])) (length (rows t)) test
        else None
    | Family f =>
        match pair_tested test, supports_of f with
        | None, Some s => classes_of_others f s (other_users test)
        | _, _ => None
        end
    end
  else None.

Definition test_masses (bits : nat) (r : randomizer) (n : Z) (test : likelihood) : option (list (Z * Z)) :=
  if 1 <=? n then
    match classes_of_run r test with
    | Some classes => class_masses bits test (Z.to_pos n) classes
    | None => None
    end
  else None.

(** ** Classes *)

Open Scope R_scope.

(** Whatever bound the run obeys, these classes obey. *)
Definition tests_classes (r : run) (n : nat) (classes : list rational_class) : Prop :=
  forall K L, (forall F delta, 0 <= F -> class_bound n F (map real_class classes) <= delta -> mass_below K L F delta) ->
  stands_for (run_mechanism r) K L.

(** Any scores of messages, added up in random order, stand for the mechanism; and the classes have less than the masses of
    messages with their scores. *)
Definition tests_less (mech : mechanism answer) (n : nat) (classes : list rational_class) : Prop :=
  exists (A : Type) (P Q D : dist A), proper P /\ proper Q /\ proper D /\
    (forall at_ratio step, scored_less at_ratio step P Q D classes) /\
    forall t : score_event.tree A Z, leaves t = n ->
    stands_for mech (mass (dmap Number (differs_law P D t))) (mass (dmap Number (differs_law Q D t))).

(** Either of the two. *)
Definition tests (fewer : bool) (mech : mechanism answer) (n : nat) (classes : list rational_class) : Prop :=
  if fewer then tests_less mech n classes
  else forall K L, (forall F delta, 0 <= F -> class_bound n F (map real_class classes) <= delta -> mass_below K L F delta) ->
    stands_for mech K L.

Definition class_cell (a : answer) : option Z :=
  match a with
  | Number z => Some (2 * z)%Z
  | Messages [i] => Some (2 * Z.of_nat i + 1)%Z
  | _ => None
  end.

Lemma one_apart (g : rational_class -> R) l i k : NoDup (map fst l) -> In (i, k) l ->
  total l (fun ik => g (snd ik) * (if Nat.eqb (fst ik) i then 1 else 0)) = g k.
Proof.
  induction l as [| [h m] l IH]; intros N I; [destruct I |]. inversion N as [| ? ? Hh Nl]. subst.
  cbn [total fst snd] in *.
  destruct I as [E | I].
  - injection E as -> ->. rewrite Nat.eqb_refl, (total_ext l _ (fun _ => 0)), total_zero; [ring |]. intros [b m'] J.
    cbn [fst snd].
    destruct (Nat.eqb_spec b i) as [-> | _]; [| ring]. exfalso. apply Hh. apply (in_map fst _ _ J).
  - rewrite (IH Nl I). destruct (Nat.eqb_spec h i) as [-> | _]; [| ring]. exfalso. apply Hh. apply (in_map fst _ _ I).
Qed.

Section known.

Variables (bits : nat) (r : run) (test : likelihood) (n : positive) (classes : list rational_class).
Hypothesis run_is_posed : run_posed r.
Hypothesis tested : tests_classes r (Pos.to_nat n) classes.
Hypothesis nonneg : forall k, In k classes ->
  0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\ 0 <= Q2R (under_reference k).
Hypothesis firsts : total classes (fun k => Q2R (under_first k)) = 1.
Hypothesis seconds : total classes (fun k => Q2R (under_second k)) = 1.
Hypothesis references : total classes (fun k => Q2R (under_reference k)) = 1.
Hypothesis test_bits_nonneg : (0 <= test_bits test)%Z.

Let b := test_bits test.
Let s := fst (reached b (cut_bits test) (Z.to_nat (test_length test))
  (leaf_of b (witnesses.at_ratio test) (test_step test) classes) n).

Lemma second_units_above (t : score_event.tree rational_class Z) :
  IZR (2 ^ b) * mean (differs_law (law_of_covered classes under_second) (law_of_covered classes under_reference) t)
    (fun _ => 1) <=
  IZR (second_units b classes).
Proof.
  rewrite (differs_weight (fun k => Q2R (under_reference k)) covered classes t)
    by (try exact references; apply covered_spec).
  unfold second_units. set (q := sum_of _).
  assert (Q1 : mean (law_of_covered classes under_second) (fun _ => 1) = Q2R q).
  { unfold law_of_covered, law_by, mean, q. rewrite Q2R_sum_of, !total_map. apply total_ext. intros. cbn [fst snd].
    ring. }
  rewrite Q1. assert (D : (0 < Zpos (Qden q))%Z) by reflexivity.
  assert (X := Z.mul_div_le (- (Qnum q * 2 ^ b)) _ D). apply IZR_le in X. rewrite mult_IZR, opp_IZR, mult_IZR in X.
  apply IZR_lt in D. rewrite opp_IZR. unfold Q2R. apply Rmult_le_reg_l with (IZR (Zpos (Qden q))); [exact D |].
  replace (IZR (Zpos (Qden q)) * (IZR (2 ^ b) * (IZR (Qnum q) * / IZR (Zpos (Qden q)))))
    with (IZR (Qnum q) * IZR (2 ^ b))
    by (field; lra). lra.
Qed.

Lemma tree_of_test : exists t, leaves t = Pos.to_nat n /\
  under b (s_low s) (s_first s)
    (differs_law (law_of_covered classes under_first) (law_of_covered classes under_reference) t) /\
  under b (s_low s) (s_second s)
    (differs_law (law_of_covered classes under_second) (law_of_covered classes under_reference) t).
Proof.
  assert (Pos1 := positive_by_mass classes nonneg). 
  assert (G := reached_good (law_of_covered classes under_first) (law_of_covered classes under_second)
    (law_of_covered classes under_reference) b (cut_bits test) (Z.to_nat (test_length test)) test_bits_nonneg
    (Pos1 _ (or_introl eq_refl)) (Pos1 _ (or_intror (or_introl eq_refl))) (Pos1 _ (or_intror (or_intror eq_refl)))
    _ (leaf (score_of (witnesses.at_ratio test) (test_step test))) n eq_refl
    (good_leaf b (witnesses.at_ratio test) (test_step test) classes nonneg)).
  destruct G as [[t [Lt [G1 [G2 _]]]] _]. exists t. auto.
Qed.

Definition entries : list (Z * (Z * Z)) :=
  map (fun e => (2 * fst e, (lower_units bits (2 ^ b) (fst (snd e)),
    upper_units bits (2 ^ b) (snd (snd e) + (second_units b classes - z_sum (s_second s))))))%Z
    (values_onto (s_low s) (s_first s) (s_second s) []) ++
  map (fun ik => (2 * Z.of_nat (fst ik) + 1, mass_apart bits (snd ik))%Z) (apart classes).

Lemma apart_once : NoDup (map fst (apart classes)).
Proof.
  unfold apart. set (l := filter _ classes).
  assert (X : forall from, map fst (combine (seq from (length l)) l) = seq from (length l)).
  { clearbody l. clear. induction l as [| k l IH]; intros from; [reflexivity |]. cbn [length seq combine map fst].
    rewrite IH. reflexivity. }
  rewrite X. apply seq_NoDup.
Qed.

Lemma entries_once : NoDup (map fst entries).
Proof.
  unfold entries. rewrite map_app, !map_map. cbn [fst]. apply disjoint_append.
  - rewrite <- (map_map fst (fun z => 2 * z)%Z). apply FinFun.Injective_map_NoDup;
      [intros u v E; lia | apply values_once].
  - rewrite <- (map_map fst (fun i => 2 * Z.of_nat i + 1)%Z). apply FinFun.Injective_map_NoDup;
      [intros u v E; lia | apply apart_once].
  - intros z I J. apply in_map_iff in I, J. destruct I as [e [<- _]], J as [ik [J _]]. lia.
Qed.

Lemma Pr_class_law t mass k : Pr (class_law classes t mass) (in_cell class_cell k) =
  mean (differs_law (law_of_covered classes mass) (law_of_covered classes under_reference) t) (fun z =>
    if Z.eqb (2 * z) k then 1 else 0) +
  total (apart classes) (fun ik => Q2R (mass (snd ik)) * (if Z.eqb (2 * Z.of_nat (fst ik) + 1) k then 1 else 0)).
Proof. unfold Pr. rewrite mean_class_law. reflexivity. Qed.

Lemma Pr_value t mass z : Pr (class_law classes t mass) (in_cell class_cell (2 * z)) =
  Pr (differs_law (law_of_covered classes mass) (law_of_covered classes under_reference) t) (fun y => Z.eqb y z).
Proof.
  rewrite Pr_class_law. rewrite (total_ext _ _ (fun _ => 0)), total_zero, Rplus_0_r.
  - unfold Pr. apply mean_ext. intros y. unfold indicator. destruct (Z.eqb_spec (2 * y) (2 * z)), (Z.eqb_spec y z);
      try reflexivity; lia.
  - intros ik _. destruct (Z.eqb_spec (2 * Z.of_nat (fst ik) + 1) (2 * z)); [lia | ring].
Qed.

Lemma Pr_apart t mass i k : In (i, k) (apart classes) ->
  Pr (class_law classes t mass) (in_cell class_cell (2 * Z.of_nat i + 1)) = Q2R (mass k).
Proof.
  intros I. rewrite Pr_class_law.
  rewrite (mean_ext _ (fun z => if Z.eqb (2 * z) (2 * Z.of_nat i + 1) then 1 else 0) (fun _ => 0 * 0)).
  2: { intros z. destruct (Z.eqb_spec (2 * z) (2 * Z.of_nat i + 1)); [lia | ring]. }
  rewrite mean_scal, Rmult_0_l, Rplus_0_l. rewrite <- (one_apart (fun k => Q2R (mass k)) _ i k apart_once I).
  apply total_ext. intros ik _. f_equal. destruct (Z.eqb_spec (2 * Z.of_nat (fst ik) + 1) (2 * Z.of_nat i + 1)),
    (Nat.eqb_spec (fst ik) i);
    try reflexivity; lia.
Qed.

Lemma entries_known : known_run bits r (map (fun e => (fst (snd e), snd (snd e))) entries).
Proof.
  destruct tree_of_test as [t [Lt [G1 G2]]].
  assert (N : exists j, leaves t = S j) by (exists (pred (leaves t)); assert (X := leaves_positive t); lia).
  destruct N as [j Lj].
  assert (P1 : proper (class_law classes t under_first)) by (apply proper_class_law; auto).
  assert (P2 : proper (class_law classes t under_second)) by (apply proper_class_law; auto).
  assert (U : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; [lia | exact test_bits_nonneg]).
  apply (known_dists bits r (class_law classes t under_first) (class_law classes t under_second) class_cell entries fst
    (fun e => fst (snd e)) (fun e => snd (snd e)) run_is_posed); [| exact P1 | exact P2 | apply entries_once |].
  - split; [| split; apply mass_law; assumption]. apply tested. intros F delta _ B.
    apply (class_pair_below classes nonneg references t j F delta Lj). rewrite <- Lj, Lt. exact B.
  - intros e I. unfold entries in I. apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I;
      destruct I as [v [<- I]]; cbn [fst snd].
    + apply value_in in I. destruct I as [i ->]. cbn [fst snd]. rewrite !Pr_value.
      assert (V1 := under_value b _ _ _ (s_low s + Z.of_nat i) G1).
      assert (V2 := under_missing b _ _ _ (s_low s + Z.of_nat i) _ G2 (second_units_above t)).
      rewrite (proj2 (Z.leb_le _ _)) in V1, V2 by lia. replace (Z.to_nat (s_low s + Z.of_nat i - s_low s)) with i
        in V1, V2 by lia.
      split; [apply lower_units_nonneg; [exact U | apply nth_nonneg, G1] | split].
      * apply lower_part; [exact U | exact V1].
      * apply upper_part; [exact U | exact V2].
    + destruct v as [i k]. cbn [fst snd mass_apart]. rewrite !(Pr_apart t _ i k I).
      destruct (nonneg k (in_apart classes (i, k) I)) as [A [B _]].
      assert (Over : forall q, IZR (Qnum q) = IZR (Zpos (Qden q)) * Q2R q).
      { intros q. assert (D : 0 < IZR (Zpos (Qden q))) by (apply (IZR_lt 0); lia). unfold Q2R. field. lra. }
      split; [apply lower_units_nonneg; [lia |] | split].
      * apply le_IZR. rewrite Over. apply Rmult_le_pos; [apply (IZR_le 0); lia | exact A].
      * apply lower_part; [lia |]. rewrite Over. apply Rle_refl.
      * apply upper_part; [lia |]. rewrite Over. apply Rle_refl.
Qed.

End known.

Theorem class_masses_known bits r test n classes masses :
  run_posed r -> tests_classes r (Pos.to_nat n) classes -> class_masses bits test n classes = Some masses ->
    known_run bits r masses.
Proof.
  intros Posed Tested. unfold class_masses. destruct (_ && _)%bool eqn:G; [| discriminate]. intros H. injection H as <-.
  apply andb_true_iff in G. destruct G as [G Hb]. apply Z.leb_le in Hb. unfold all_are_laws in G.
  apply andb_true_iff in G. destruct G as [G S2]. apply andb_true_iff in G. destruct G as [G S1].
  unfold classes_are_laws in G. apply andb_true_iff in G. destruct G as [G S0]. rewrite forallb_forall in G.
  apply Qeq_bool_R in S0, S1, S2. rewrite Q2R_sum_of, Q2R_1, total_map in S0, S1, S2.
  assert (N : forall k, In k classes -> 0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\
    0 <= Q2R (under_reference k)).
  { intros k I. specialize (G k I). apply andb_true_iff in G. destruct G as [N1 G]. apply andb_true_iff in G.
    destruct G as [N2 N3].
    apply Qle_bool_R in N1, N2, N3. rewrite Q2R_0 in *. auto. }
  assert (K := entries_known bits r test n classes Posed Tested N S1 S2 S0 Hb). unfold entries in K.
  rewrite map_app, !map_map in K. cbn [fst snd] in K. unfold value_masses.
  rewrite <- (map_map snd (fun k => (fst (mass_apart bits k), snd (mass_apart bits k)))) in K.
  replace (map snd (apart classes)) with (filter (fun k => negb (covered k)) classes) in K.
  - rewrite (map_ext (mass_apart bits) (fun k => (fst (mass_apart bits k), snd (mass_apart bits k)))); [exact K |].
    intros k. apply surjective_pairing.
  - unfold apart. set (l := filter _ classes). generalize 0%nat. clearbody l. clear.
    induction l as [| k l IH]; intros from; [reflexivity |]. cbn [length seq combine map snd]. rewrite <- IH.
    reflexivity.
Qed.

Lemma proper_differs {A S} (P D : dist A) (t : score_event.tree A S) : proper P -> proper D -> proper (differs_law P D t).
Proof.
  intros PP PD. split; [apply sub_law_differs; [exact (proj1 PP) | exact (proj1 PD)] |]. rewrite tree_weight by exact (proj2 PD). exact (proj2 PP).
Qed.

Theorem less_masses_known bits r test n classes masses :
  run_posed r -> tests_less (run_mechanism r) (Pos.to_nat n) classes -> less_masses bits test n classes = Some masses ->
  known_run bits r masses.
Proof.
  intros Posed [A [P [Q [D [PP [PQ [PD [Less Stands]]]]]]]]. unfold less_masses. set (b := test_bits test).
  destruct (Z.leb_spec 0 b) as [Hb |]; [| discriminate]. intros H. injection H as <-. set (s := fst _).
  destruct (tree_of_less P Q D b (cut_bits test) (Z.to_nat (test_length test)) (witnesses.at_ratio test) (test_step test)
    classes n Hb PP PQ PD (Less _ _)) as [t [Lt [G1 G2]]]. fold s in G1, G2.
  assert (U : (0 < 2 ^ b)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (P1 := proper_differs P D t PP PD). assert (P2 := proper_differs Q D t PQ PD).
  assert (Value : forall (L : dist Z) z, Pr (dmap Number L) (in_cell (number_cell (fun z => z)) z) =
    Pr L (fun y => Z.eqb y z)) by (intros L z; unfold Pr; rewrite mean_dmap; reflexivity).
  unfold value_masses.
  apply (known_dists bits r (dmap Number (differs_law P D t)) (dmap Number (differs_law Q D t)) (number_cell (fun z => z))
    _ fst (fun e => lower_units bits (2 ^ b) (fst (snd e)))
    (fun e => upper_units bits (2 ^ b) (snd (snd e) + (2 ^ b - z_sum (s_second s)))) Posed).
  - split; [exact (Stands t Lt) | split; apply mass_law, proper_dmap; assumption].
  - apply proper_dmap, P1.
  - apply proper_dmap, P2.
  - apply values_once.
  - intros e I. apply value_in in I. destruct I as [i ->]. cbn [fst snd]. rewrite !Value.
    assert (V1 := under_value b _ _ _ (s_low s + Z.of_nat i) G1).
    assert (V2 := under_missing b _ _ _ (s_low s + Z.of_nat i) (2 ^ b) G2).
    rewrite (proj2 P2), Rmult_1_r in V2. specialize (V2 (Rle_refl _)).
    rewrite (proj2 (Z.leb_le _ _)) in V1, V2 by lia.
    replace (Z.to_nat (s_low s + Z.of_nat i - s_low s)) with i in V1, V2 by lia. split; [| split].
    + apply lower_units_nonneg; [exact U |]. apply nth_nonneg, G1.
    + apply lower_part; [exact U | exact V1].
    + apply upper_part; [exact U | exact V2].
Qed.

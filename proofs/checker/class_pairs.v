(** The pair of laws that a likelihood test sees: the value of its tree, or a class that others cannot send.

    The classes of a pair have rational masses p, q and r that are not negative, each of which sums to 1. Of a tree over
    scores of classes whose leaf is another class at a uniformly random place, [class_law t mass] is the law of its
    root, as a number, where that class has r > 0, and of that class alone, by its place in the list, where r = 0.
    Proved:

    - it is a law ([proper_class_law]);
    - for every real F the law by p is (F, delta)-below the one by q where delta is at least [class_bound] of so many
      users as there are leaves ([class_pair_below]).

    Idea: class_tests.v, with the event of the numbers as the function, and the positive part of p - F q where r = 0.

    Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws masses hockey_stick mean_excess classes score_event least_values.
From ExactdpChecker Require Import claims laws_of_noise class_tests.
Import ListNotations.
Open Scope R_scope.

Section classes.

Variable classes : list rational_class.
Hypothesis nonneg : forall k, In k classes ->
  0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\ 0 <= Q2R (under_reference k).
Hypothesis all_reference : total classes (fun k => Q2R (under_reference k)) = 1.

Definition law_of_covered (mass : rational_class -> Q) : dist rational_class :=
  law_by (fun k => Q2R (mass k)) (filter covered classes).

(** What others cannot send, with numbers. *)
Definition apart : list (nat * rational_class) :=
  combine (seq 0 (length (filter (fun k => negb (covered k)) classes))) (filter (fun k => negb (covered k)) classes).

Definition class_law (t : tree rational_class Z) (mass : rational_class -> Q) : dist answer :=
  dmap Number (differs_law (law_of_covered mass) (law_of_covered under_reference) t) ++
  map (fun ik => (Q2R (mass (snd ik)), Messages [fst ik])) apart.

Lemma mean_app {A} (d e : dist A) f : mean (d ++ e) f = mean d f + mean e f.
Proof. unfold mean. apply total_app. Qed.

Lemma mean_class_law t mass f :
  mean (class_law t mass) f =
  mean (differs_law (law_of_covered mass) (law_of_covered under_reference) t) (fun z => f (Number z)) +
  total apart (fun ik => Q2R (mass (snd ik)) * f (Messages [fst ik])).
Proof. unfold class_law. rewrite mean_app, mean_dmap. f_equal. unfold mean. rewrite total_map. reflexivity. Qed.

Lemma total_apart (f : rational_class -> R) :
  total apart (fun ik => f (snd ik)) = total classes (fun k => if covered k then 0 else f k).
Proof.
  unfold apart. set (l := filter _ classes).
  assert (X : forall from, total (combine (seq from (length l)) l) (fun ik => f (snd ik)) = total l f).
  { clearbody l. clear. induction l as [| k l IH]; intros from; [reflexivity |]. cbn [length seq combine total snd].
    rewrite IH. reflexivity. }
  rewrite X. unfold l. rewrite total_filter. apply total_ext. intros k _. destruct (covered k); reflexivity.
Qed.

Lemma in_apart ik : In ik apart -> In (snd ik) classes.
Proof. intros I. destruct ik as [i k]. apply in_combine_r in I. apply filter_In in I. apply I. Qed.

Lemma sub_law_bound {A B} (d : dist A) (K : A -> dist B) : sub_law d -> (forall a, sub_law (K a)) -> sub_law (bind d K).
Proof.
  intros H HK wb I. unfold bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]]. apply in_map_iff in I.
  destruct I as [wc [<- Ic]]. cbn [fst]. apply Rmult_le_pos; [apply H, Ia | apply (HK _ _ Ic)].
Qed.

Lemma sub_law_mapped {A B} (f : A -> B) (d : dist A) : sub_law d -> sub_law (dmap f d).
Proof. intros H. apply sub_law_bound; [exact H |]. intros a wb [<- | []]. simpl. lra. Qed.

Lemma sub_law_differs {A S} (P C : dist A) (t : tree A S) : sub_law P -> sub_law C -> sub_law (differs_law P C t).
Proof.
  intros HP HC. assert (O : forall u : tree A S, sub_law (others_law C u)).
  { induction u as [v | l IHl r IHr f]; cbn [others_law]; [apply sub_law_mapped, HC |].
    apply sub_law_bound; [exact IHl |]. intros a. apply sub_law_mapped, IHr. }
  induction t as [v | l IHl r IHr f]; cbn [differs_law]; [apply sub_law_mapped, HP |].
  apply sub_law_bound.
  - assert (L := leaves_positive l). assert (L' := leaves_positive r).
    assert (N : 0 < INR (leaves l + leaves r)) by (apply lt_0_INR; lia).
    assert (N1 := pos_INR (leaves l)). assert (N2 := pos_INR (leaves r)). rewrite plus_INR in *.
    intros wb [<- | [<- | []]]; cbn [fst].
    + apply Rmult_le_pos; [exact N1 | left; apply Rinv_0_lt_compat, N].
    + replace (1 - INR (leaves l) / (INR (leaves l) + INR (leaves r)))
        with (INR (leaves r) * / (INR (leaves l) + INR (leaves r))) by (field; lra).
      apply Rmult_le_pos; [exact N2 | left; apply Rinv_0_lt_compat, N].
  - intros []; apply sub_law_bound; auto; intros a; apply sub_law_mapped; auto.
Qed.

Lemma sub_law_of_covered mass :
  mass = under_first \/ mass = under_second \/ mass = under_reference -> sub_law (law_of_covered mass).
Proof.
  intros M wk I. apply in_map_iff in I. destruct I as [k [<- I]]. apply filter_In in I. destruct I as [I _].
  destruct (nonneg k I) as [A [B C]]. destruct M as [-> | [-> | ->]]; assumption.
Qed.

Theorem proper_class_law t mass : mass = under_first \/ mass = under_second ->
  total classes (fun k => Q2R (mass k)) = 1 -> proper (class_law t mass).
Proof.
  intros M One. assert (M' : mass = under_first \/ mass = under_second \/ mass = under_reference) by tauto. split.
  - intros wa I. unfold class_law in I. apply in_app_or in I. destruct I as [I | I].
    + revert I. apply sub_law_mapped, sub_law_differs; apply sub_law_of_covered; auto.
    + apply in_map_iff in I. destruct I as [ik [<- I]]. apply in_apart in I. destruct (nonneg _ I) as [A [B _]].
      destruct M as [-> | ->]; assumption.
  - rewrite mean_class_law.
    rewrite (differs_weight (fun k => Q2R (under_reference k)) covered classes t)
      by (try exact all_reference; apply covered_spec).
    rewrite (total_ext apart _ (fun ik => Q2R (mass (snd ik)))) by (intros; apply Rmult_1_r).
    rewrite (total_apart (fun k => Q2R (mass k))). unfold law_of_covered, law_by, mean.
    rewrite total_map, total_filter, <- total_plus.
    transitivity (total classes (fun k => Q2R (mass k))); [| exact One]. apply total_ext. intros k _. cbn [fst snd].
    destruct (covered k); ring.
Qed.

Theorem class_pair_below (t : tree rational_class Z) j F delta :
  leaves t = S j -> class_bound (S j) F (map real_class classes) <= delta ->
  mass_below (mass (class_law t under_first)) (mass (class_law t under_second)) F delta.
Proof.
  intros Leaves Bound m N. rewrite !mass_total by exact N. unfold Pr. rewrite !mean_class_law.
  set (T := fun a : answer => if in_dec same a m then true else false).
  set (differs := fun mass => mean (differs_law (law_of_covered mass) (law_of_covered under_reference) t) (fun z =>
    indicator T (Number z))).
  assert (C : class_uncovered F (map real_class classes) + (differs under_first - F * differs under_second) <=
      class_bound (S j) F (map real_class classes)).
  { exact (class_test (fun k => Q2R (under_first k)) (fun k => Q2R (under_second k)) (fun k => Q2R (under_reference k))
      covered classes F 0%Z t j (fun z => indicator T (Number z)) covered_spec (fun k I => proj2 (proj2 (nonneg k I)))
      all_reference Leaves (fun z => indicator_bounds T (Number z))). }
  assert (A : total apart (fun ik => Q2R (under_first (snd ik)) * indicator T (Messages [fst ik])) -
    F * total apart (fun ik => Q2R (under_second (snd ik)) * indicator T (Messages [fst ik])) <=
    class_uncovered F (map real_class classes)).
  { rewrite <- total_scal, <- total_minus. unfold class_uncovered. rewrite total_map.
    apply Rle_trans with (total apart (fun ik =>
      Rmax 0 (Q2R (under_first (snd ik)) - F * Q2R (under_second (snd ik))))).
    - apply total_le. intros ik _. assert (B := indicator_bounds T (Messages [fst ik])).
      unfold indicator in *. destruct (T (Messages [fst ik])).
      + eapply Rle_trans; [| apply Rmax_r]. lra.
      + eapply Rle_trans; [| apply Rmax_l]. lra.
    - rewrite (total_apart (fun k => Rmax 0 (Q2R (under_first k) - F * Q2R (under_second k)))).
      apply Req_le, total_ext. intros k _. unfold real_class, first_mass, second_mass, reference_mass. cbn [fst snd].
      assert (Cv := covered_spec k). destruct (Req_EM_T (Q2R (under_reference k)) 0) as [Z | NZ]; destruct (covered k);
        try reflexivity.
      + exfalso. apply (proj1 Cv eq_refl), Z.
      + apply Cv in NZ. discriminate. }
  change (differs under_first + total apart (fun ik => Q2R (under_first (snd ik)) * indicator T (Messages [fst ik])) <=
    F * (differs under_second + total apart (fun ik => Q2R (under_second (snd ik)) * indicator T (Messages [fst ik]))) +
      delta).
  lra.
Qed.

End classes.

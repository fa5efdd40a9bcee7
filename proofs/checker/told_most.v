(** Classes that tell at most what a pair of laws shows, beside a third one.

    [tells_most P Q D classes]: at every E and t, the mean of max(0, value - t) under D and what D never sends are at most
    those of the classes, if these have no negative masses. So the classes bound the divergence ([divergence_most]), what
    D hides ([hidden_most]), and what a part of D hides ([own_told_most]); classes that [tells] of do so
    ([tells_is_most]), and those that [describes_most] of, mixed with a dummy ([mixed_tells_most]).

    Idea: max(0, p - E q - t d) is sublinear in the masses p, q, d of a message. Source: docs/soundness.md, "Fewer numbers of
    ones may tell more". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick events independence adding_a_user.
From Exactdp Require Import mean_excess hidden_message blanket classes least_values generic_blanket wave_bounds.
From ExactdpChecker Require Import blanket_program matrix_blanket described_pairs family_blanket family_rows.
From ExactdpChecker Require Import described_beside described_bounds charged_spreads own_program.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

Definition good_references (classes : list rational_class) : Prop := Forall (fun k => 0 <= Q2R (under_reference k)) classes.

Definition tells_most {A} (P Q D : dist A) (classes : list rational_class) : Prop := good_references classes ->
  forall E t,
  mean (values_against P Q E D) (fun v => Rmax 0 (v - t)) + uncovered P Q E D <=
  mean (class_values E (map real_class classes)) (fun v => Rmax 0 (v - t)) + class_uncovered E (map real_class classes).

Lemma tells_is_most {A} (P Q D : dist A) classes : tells P Q D classes -> tells_most P Q D classes.
Proof. intros T _ E t. destruct (T E) as [V U]. rewrite V, U. apply Rle_refl. Qed.

(** Of a measure with the same masses. *)
Lemma tells_most_same_law {A} (P Q D D' : dist A) classes : same_law D D' -> tells_most P Q D classes -> tells_most P Q D' classes.
Proof.
  intros S T G E t. specialize (T G E t). rewrite !mean_values_against in *.
  assert (Ma : forall a, mass D' a = mass D a) by (intros a; symmetry; apply (same_mass _ _ a S)).
  rewrite <- !S. rewrite (mean_ext D (fun a => Rmax 0 (value_against P Q E D' a - t)) (fun a => Rmax 0 (value_against P Q E D a - t)))
    by (intros a; unfold value_against; rewrite Ma; reflexivity).
  replace (uncovered P Q E D') with (uncovered P Q E D); [exact T |].
  unfold uncovered. apply total_ext. intros a _. rewrite Ma. reflexivity.
Qed.

Lemma divergence_most {A} (E : Q) classes (P Q D : dist A) : sub_law D -> tells_most P Q D classes -> good_references classes ->
  hockey_stick P Q (Q2R E) <= Q2R (divergence_listed E classes).
Proof.
  intros S T G. rewrite <- (divergence_classes E classes G), <- (divergence_by_values (Q2R E) P Q D S).
  specialize (T G (Q2R E) 0).
  rewrite (mean_ext (values_against P Q (Q2R E) D) _ (Rmax 0)),
    (mean_ext (class_values (Q2R E) (map real_class classes)) _ (fun v => Rmax 0 v)) in T
    by (intros v; rewrite Rminus_0_r; reflexivity). lra.
Qed.

Lemma hidden_most {A} n E (P Q D : dist A) classes : (1 <= n)%nat -> sub_law D -> weight D <= 1 ->
  proper (class_values E (map real_class classes)) -> tells_most P Q D classes -> good_references classes ->
  reference_bound n P Q E D <= class_bound n E (map real_class classes).
Proof.
  intros N S W Pr T G.
  apply (excess_charged P Q E (fun _ => class_values E (map real_class classes))
    (fun _ => class_uncovered E (map real_class classes)) D n); [| exact N].
  split; [split; assumption |]. split; [exact Pr |]. apply T, G.
Qed.

(** ** By functions of masses *)

Lemma values_by_masses {A} (P Q D : dist A) E t l : NoDup l -> covers l P -> covers l Q -> covers l D -> sub_law D ->
  mean (values_against P Q E D) (fun v => Rmax 0 (v - t)) + uncovered P Q E D =
  (1 - weight D) * Rmax 0 (- t) + total l (fun a => Rmax 0 (mass P a - E * mass Q a - t * mass D a)).
Proof.
  intros N CP CQ CD S. rewrite mean_values_against. change (mean D (fun _ => 1)) with (weight D).
  rewrite (mean_masses D l) by assumption.
  assert (U : uncovered P Q E D = total l (fun a => if Req_EM_T (mass D a) 0 then Rmax 0 (mass P a - E * mass Q a) else 0)).
  { unfold uncovered. destruct (outcomes_cover P Q) as [OP OQ].
    symmetry. apply total_longer; [apply outcomes_NoDup | exact N | |].
    - intros a I. unfold outcomes in I. apply nodup_In, in_map_iff in I. destruct I as [wa [<- I]]. apply in_app_or in I.
      destruct I as [I | I]; [apply CP, I | apply CQ, I].
    - intros a I. rewrite (mass_outside P _ a OP I), (mass_outside Q _ a OQ I). destruct (Req_EM_T _ _); [| reflexivity].
      apply Rmax_left. lra. }
  rewrite U, Rminus_0_l, Rplus_assoc, <- total_plus. f_equal. apply total_ext. intros a _. unfold value_against.
  assert (M := mass_of_sub_law D a S). destruct (Req_EM_T _ 0) as [-> | Z].
  - rewrite Rmult_0_l, Rplus_0_l. f_equal. ring.
  - rewrite <- RmaxRmult by exact M. rewrite Rmult_0_r, Rplus_0_r. f_equal. field. exact Z.
Qed.

Lemma class_values_by_masses classes E t : good_references classes ->
  mean (class_values E (map real_class classes)) (fun v => Rmax 0 (v - t)) + class_uncovered E (map real_class classes) =
  (1 - total (map real_class classes) reference_mass) * Rmax 0 (- t) +
    total (map real_class classes) (fun k => Rmax 0 (first_mass k - E * second_mass k - t * reference_mass k)).
Proof.
  intros G. unfold class_values, class_uncovered, mean. cbn [total fst snd]. rewrite Rminus_0_l, !total_map.
  rewrite Rplus_assoc, <- total_plus. f_equal. apply total_ext. intros k I. unfold good_references in G.
  rewrite Forall_forall in G. specialize (G k I). change (reference_mass (real_class k)) with (Q2R (under_reference k)).
  destruct (Req_EM_T _ 0) as [-> | Z].
  - rewrite Rmult_0_l, Rplus_0_l. f_equal. ring.
  - rewrite <- RmaxRmult by exact G. rewrite Rmult_0_r, Rplus_0_r. f_equal. cbn [fst snd]. field. exact Z.
Qed.

(** What a part of D, all of it, shows. *)
Lemma own_told_most {A} (P Q c : dist A) (gamma : QArith_base.Q) classes : sub_law c ->
  tells_most P Q c classes -> 0 < Q2R gamma -> weight c = Q2R gamma ->
  Q2R (sum_of (map under_reference classes)) = Q2R gamma ->
  tells_most P Q (part_of c (/ weight c)) (own_classes gamma classes).
Proof.
  intros Sc T G Wc Sum Gr E t. rewrite Wc. set (g := Q2R gamma) in *.
  assert (I0 : 0 < / g) by (apply Rinv_0_lt_compat, G).
  assert (Ref : forall k, Q2R (Qred (under_reference k / gamma)) = Q2R (under_reference k) / g).
  { intros k. rewrite Q2R_red. apply Q2R_div. intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. unfold g in G. lra. }
  assert (Good : good_references classes).
  { unfold good_references in *. rewrite Forall_forall in *. intros k I.
    specialize (Gr _ (in_map (fun k => (under_first k, under_second k, Qred (under_reference k / gamma)%Q)) classes k I)).
    unfold under_reference at 1 in Gr. cbn [snd] in Gr. rewrite Ref in Gr.
    replace (Q2R (under_reference k)) with (g * (Q2R (under_reference k) / g)) by (field; lra).
    apply Rmult_le_pos; lra. }
  assert (Sb : sub_law (part_of c (/ g))).
  { intros wa I. apply in_map_iff in I. destruct I as [vb [<- I]]. simpl. apply Rmult_le_pos; [lra | apply Sc, I]. }
  specialize (T Good E (t / g)).
  set (l := nodup same (map snd (P ++ Q ++ c))).
  assert (N : NoDup l) by apply NoDup_nodup.
  assert (C : covers l P /\ covers l Q /\ covers l c).
  { repeat split; intros wa I; apply nodup_In, in_map; rewrite !in_app_iff; tauto. }
  destruct C as [CP [CQ Cc]].
  assert (Cb : covers l (part_of c (/ g))).
  { intros wa I. apply in_map_iff in I. destruct I as [vb [<- I]]. exact (Cc vb I). }
  rewrite (values_by_masses P Q c E (t / g) l N CP CQ Cc Sc), (class_values_by_masses classes E (t / g) Good) in T.
  rewrite (values_by_masses P Q _ E t l N CP CQ Cb Sb), (class_values_by_masses _ E t Gr).
  rewrite Wc in T. rewrite Q2R_sum_of, total_map in Sum.
  assert (Wb : weight (part_of c (/ g)) = 1)
    by (unfold weight; rewrite mean_part_of; change (mean c (fun _ => 1)) with (weight c); rewrite Wc; fold g; field; lra).
  rewrite Wb. unfold own_classes. rewrite !total_map in *.
  assert (Ct : total classes (fun a => reference_mass (real_class a)) = g) by (rewrite <- Sum; reflexivity).
  rewrite Ct in T. fold g in T.
  rewrite (total_ext classes (fun a => reference_mass _) (fun k => Q2R (under_reference k) * / g))
    by (intros k _; unfold reference_mass, real_class, under_reference; cbn [fst snd]; apply Ref).
  rewrite total_scal_r. change (total classes (fun k => Q2R (under_reference k))) with (total classes (fun a => reference_mass (real_class a))).
  rewrite Ct, Rinv_r by lra.
  rewrite (total_ext l _ (fun a => Rmax 0 (mass P a - E * mass Q a - t / g * mass c a)))
    by (intros a _; rewrite mass_part_of; f_equal; unfold Rdiv; ring).
  rewrite (total_ext classes (fun a => Rmax 0 (first_mass _ - _ - _))
    (fun a => Rmax 0 (first_mass (real_class a) - E * second_mass (real_class a) - t / g * reference_mass (real_class a)))).
  2: { intros k _. f_equal. unfold first_mass, second_mass, reference_mass, real_class, under_first, under_second, under_reference.
    cbn [fst snd]. fold (under_reference k). rewrite Ref. unfold Rdiv. ring. }
  lra.
Qed.

(** ** Users who take part, and else send a dummy *)

Section mixed.

Context {A : Type} (q : Q) (P Q D U P' Q' D' : dist A) (classes : list beside).
Hypothesis mixed_first : forall f, mean P' f = Q2R q * mean P f + (1 - Q2R q) * mean U f.
Hypothesis mixed_second : forall f, mean Q' f = Q2R q * mean Q f + (1 - Q2R q) * mean U f.
Hypothesis mixed_reference : forall f, mean D' f = Q2R q * mean D f + (1 - Q2R q) * mean U f.
Hypothesis told : describes_most P Q D U classes.

Definition mixed_masses (k : class * R) : class :=
  (Q2R q * first_mass (fst k) + (1 - Q2R q) * snd k, Q2R q * second_mass (fst k) + (1 - Q2R q) * snd k,
   Q2R q * reference_mass (fst k) + (1 - Q2R q) * snd k).

Let l := nodup same (map snd ((P ++ Q ++ D ++ U) ++ (P' ++ Q' ++ D'))).

Lemma all_covered d : incl d ((P ++ Q ++ D ++ U) ++ (P' ++ Q' ++ D')) -> covers l d.
Proof. intros I wa J. apply nodup_In, in_map, I, J. Qed.

Lemma mixed_at a : masses_at P' Q' D' a = mixed_masses (four_masses P Q D U a).
Proof.
  unfold masses_at, mixed_masses, four_masses, masses_at, first_mass, second_mass, reference_mass. cbn [fst snd].
  unfold mass, Pr. rewrite mixed_first, mixed_second, mixed_reference. reflexivity.
Qed.

Lemma mixed_most (f : class -> R) : homogeneous f ->
  (forall k k', f (first_mass k + first_mass k', second_mass k + second_mass k', reference_mass k + reference_mass k') <= f k + f k') ->
  total l (fun a => f (masses_at P' Q' D' a)) <= total (map real_class (map (mixed_class q) classes)) f.
Proof.
  intros F S. rewrite (total_ext l _ (fun a => f (mixed_masses (four_masses P Q D U a)))) by (intros a _; rewrite mixed_at; reflexivity).
  rewrite map_map, total_map, (total_ext classes _ (fun k => f (mixed_masses (real_beside k))))
    by (intros k _; rewrite mixed_real; reflexivity).
  rewrite <- (total_map real_beside classes (fun k => f (mixed_masses k))).
  apply (told l (fun k => f (mixed_masses k))); [apply NoDup_nodup | apply all_covered, incl_appl, incl_refl |]. split.
  - intros c k C. rewrite <- (F c _ C). f_equal. unfold mixed_masses, times_beside, times, first_mass, second_mass, reference_mass.
    cbn [fst snd]. f_equal; [f_equal |]; ring.
  - intros k k'. eapply Rle_trans; [| apply S]. apply Req_le. f_equal.
    unfold mixed_masses, plus_beside, first_mass, second_mass, reference_mass. cbn [fst snd]. f_equal; [f_equal |]; ring.
Qed.

Lemma mixed_weight : weight D' = Q2R (sum_of (map under_reference (map (mixed_class q) classes))).
Proof.
  assert (W : weight D' = total l (fun a => reference_mass (masses_at P' Q' D' a))).
  { unfold weight. rewrite (mean_masses D' l) by (try apply NoDup_nodup; apply all_covered; intros wa I; rewrite !in_app_iff; tauto).
    apply total_ext. intros a _. unfold masses_at, reference_mass. cbn [fst snd]. ring. }
  assert (Le := mixed_most reference_mass ltac:(intros c k _; reflexivity) ltac:(intros k k'; apply Rle_refl)).
  assert (Ge := mixed_most (fun k => - reference_mass k) ltac:(intros c k _; unfold times, reference_mass; cbn [fst snd]; ring)
    ltac:(intros k k'; unfold reference_mass; cbn [fst snd]; lra)).
  rewrite Q2R_sum_of, total_map, W.
  assert (E : total (map real_class (map (mixed_class q) classes)) reference_mass =
    total (map (mixed_class q) classes) (fun k => Q2R (under_reference k))) by (rewrite total_map; reflexivity).
  assert (Neg : forall (B : Type) (m : list B) g, total m (fun b => - g b) = - total m g).
  { intros B m g. induction m as [| b m IH]; simpl; [ring | rewrite IH; ring]. }
  rewrite !Neg in Ge. lra.
Qed.

Theorem mixed_tells_most : sub_law D' -> tells_most P' Q' D' (map (mixed_class q) classes).
Proof.
  intros S G E t.
  rewrite (values_by_masses P' Q' D' E t l) by (try exact S; try apply NoDup_nodup; apply all_covered; intros wa I; rewrite !in_app_iff; tauto).
  rewrite (class_values_by_masses _ E t G).
  assert (W := mixed_weight). rewrite Q2R_sum_of, total_map in W. rewrite W.
  change (total (map (mixed_class q) classes) (fun a => Q2R (under_reference a))) with
    (total (map (mixed_class q) classes) (fun a => reference_mass (real_class a))).
  rewrite <- (total_map real_class).
  apply Rplus_le_compat_l.
  apply (mixed_most (fun k => Rmax 0 (first_mass k - E * second_mass k - t * reference_mass k))).
  - intros c k C. unfold times, first_mass, second_mass, reference_mass. cbn [fst snd]. rewrite <- RmaxRmult by exact C.
    f_equal; ring.
  - intros k k'. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
    set (x := fst (fst k) - E * snd (fst k) - t * snd k). set (y := fst (fst k') - E * snd (fst k') - t * snd k').
    replace (_ - _ - _) with (x + y) by (unfold x, y; ring).
    assert (X := Rmax_l 0 x). assert (X' := Rmax_r 0 x). assert (Y := Rmax_l 0 y). assert (Y' := Rmax_r 0 y).
    apply Rmax_lub; lra.
Qed.

End mixed.

(** ** The pairs of inputs of a randomizer *)

Definition pairs_most {A} (row : nat -> dist A) (d : nat) (pairs : list input_pair) : Prop :=
  (forall v, (v < d)%nat -> proper (row v)) /\
  exists c, (forall v, (v < d)%nat -> lies_below c (row v)) /\
    forall x y, (x < d)%nat -> (y < d)%nat -> same_law (row x) (row y) \/
      exists pair, In pair pairs /\ weight c = Q2R (sum_of (map under_reference (of_blanket pair))) /\
      tells_most (row x) (row y) c (of_blanket pair) /\
      forall v, (v < d)%nat -> exists classes, In classes (of_others pair) /\ tells_most (row x) (row y) (row v) classes.

Lemma right_is_most {A} (row : nat -> dist A) d pairs : pairs_right row d pairs -> pairs_most row d pairs.
Proof.
  intros [Pr [c [Below Each]]]. split; [exact Pr |]. exists c. split; [exact Below |]. intros x y X Y.
  destruct (Each x y X Y) as [Same | [pair [I [W [B O]]]]]; [left; exact Same | right]. exists pair.
  repeat (split; [assumption || apply tells_is_most, B |]). intros v V. destruct (O v V) as [classes [J T]].
  exists classes. split; [exact J | apply tells_is_most, T].
Qed.

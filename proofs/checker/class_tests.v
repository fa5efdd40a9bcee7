(** A test of sums bounds the divergence of a pair from below, by its classes alone.

    The classes of a pair have masses p, q and r under the first input, the second one and the others, whose r sum to
    1. With P, Q and C the laws of a class by p, q and r, over classes with r > 0, a tree of n leaves whose leaf is
    another class at a uniformly random place tells the two inputs apart: for every function f of its root from 0 to 1,
    what classes with r = 0 add and mean f under P - E mean f under Q are at most [class_bound] n E, which is the
    divergence where all others are drawn from C ([class_test]). All n >= 1 and real E.

    Idea: the positive part of a sum of values is at least the sum times f, and a value times r is p - E q at one
    place. Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws independence hockey_stick.
From Exactdp Require Import mean_excess classes label_divergence score_event.
Import ListNotations.
Open Scope R_scope.

(** Each of these with its mass. *)
Definition law_by {K} (mass_of : K -> R) (kinds : list K) : dist K := map (fun k => (mass_of k, k)) kinds.

Section tests.

Context {K : Type}.
Variables (first_mass second_mass reference_mass : K -> R) (T : K -> bool) (kinds : list K) (E : R).
Hypothesis covered : forall k, T k = true <-> reference_mass k <> 0.
Hypothesis nonneg : forall k, In k kinds -> 0 <= reference_mass k.
Hypothesis all : total kinds reference_mass = 1.

Let some := filter T kinds.
Let classes : list class := map (fun k => (first_mass k, second_mass k, reference_mass k)) kinds.

Lemma mean_law_by (mass_of : K -> R) (l : list K) f : mean (law_by mass_of l) f = total l (fun k => mass_of k * f k).
Proof. unfold mean, law_by. rewrite total_map. reflexivity. Qed.

Let value_of (k : K) : R := (first_mass k - E * second_mass k) / reference_mass k.
Let C := law_by reference_mass some.
Let P := law_by first_mass some.
Let Q := law_by second_mass some.
Let V := law_by (fun k => first_mass k - E * second_mass k) some.

Lemma values_covered : same_law (class_values E classes) (dmap value_of C).
Proof.
  intros f. rewrite mean_dmap. unfold C. rewrite mean_law_by. unfold some. rewrite total_filter.
  unfold class_values, mean, classes. cbn [total]. rewrite map_map, !total_map. cbn [fst snd].
  change (total kinds (fun a => classes.reference_mass (first_mass a, second_mass a, reference_mass a))) with
    (total kinds reference_mass). rewrite all, Rminus_eq_0, Rmult_0_l, Rplus_0_l.
  apply total_ext. intros k _. unfold classes.first_mass, classes.second_mass, classes.reference_mass. cbn [fst snd].
  fold (value_of k). specialize (covered k). destruct (T k); [reflexivity |].
  destruct (Req_dec (reference_mass k) 0) as [-> | N]; [ring |]. apply covered in N. discriminate.
Qed.

Lemma mean_C_value h : mean C (fun k => value_of k * h k) = mean V h.
Proof.
  unfold C, V. rewrite !mean_law_by. apply total_ext. intros k I. unfold some in I. apply filter_In in I.
    destruct I as [_ I].
  apply covered in I. unfold value_of. field. exact I.
Qed.

Lemma weighed_places n g :
  mean (copies C n) (fun l => total l value_of * g l) = at_each_place V C n g.
Proof.
  revert g. induction n as [| n IH]; intros g; [rewrite mean_copies_none; simpl; ring |].
  rewrite mean_copies_first. cbn [at_each_place].
  rewrite (mean_ext C _ (fun a => value_of a * mean (copies C n) (fun l => g (a :: l)) +
    at_each_place V C n (fun l => g (a :: l)))).
  - rewrite mean_plus, mean_C_value. reflexivity.
  - intros a. rewrite <- IH, <- mean_scal, <- mean_plus. apply mean_ext. intros l. simpl. ring.
Qed.

Lemma places_linear n g : at_each_place V C n g = at_each_place P C n g - E * at_each_place Q C n g.
Proof.
  revert g. induction n as [| n IH]; intros g; simpl; [ring |].
  rewrite (mean_ext C (fun b => at_each_place V C n _) (fun b => at_each_place P C n (fun l => g (b :: l)) -
    E * at_each_place Q C n (fun l => g (b :: l)))) by (intros; apply IH).
  rewrite mean_minus, mean_scal.
  enough (X : forall h, mean V h = mean P h - E * mean Q h) by (rewrite X; ring).
  intros h. unfold V, P, Q. rewrite !mean_law_by, <- total_scal, <- total_minus. apply total_ext. intros. ring.
Qed.

Lemma sub_law_C : sub_law C.
Proof.
  intros wk I. apply in_map_iff in I. destruct I as [k [<- I]]. apply filter_In in I. apply nonneg, I.
Qed.

Lemma total_C : mean C (fun _ => 1) = 1.
Proof.
  unfold C. rewrite mean_law_by. etransitivity; [| exact all]. unfold some. rewrite total_filter. apply total_ext.
    intros k _.
  specialize (covered k). destruct (T k); [ring |].
  destruct (Req_dec (reference_mass k) 0) as [-> | N]; [ring |]. apply covered in N. discriminate.
Qed.

Lemma proper_C : proper C.
Proof. split; [exact sub_law_C | exact total_C]. Qed.

Lemma class_test_here {S} (none : S) (t : tree K S) j f :
  leaves t = Datatypes.S j -> (forall s, 0 <= f s <= 1) ->
  class_uncovered E classes + (mean (differs_law P C t) f - E * mean (differs_law Q C t) f) <=
  class_bound (Datatypes.S j) E classes.
Proof.
  intros L F. unfold class_bound. apply Rplus_le_compat_l.
  rewrite (mean_excess_same_law _ _ _ values_covered). unfold mean_excess. rewrite mean_copies_dmap.
  assert (N : 0 < INR (Datatypes.S j)) by (apply lt_0_INR; lia).
  apply Rmult_le_reg_r with (INR (Datatypes.S j)); [exact N |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace ((mean (differs_law P C t) f - E * mean (differs_law Q C t) f) * INR (Datatypes.S j)) with
    (mean (copies C (Datatypes.S j)) (fun l => total l value_of * f (root none t l))).
  - apply mean_le; [apply proper_copies, proper_C |]. intros l. rewrite total_map. specialize (F (root none t l)).
    change (total l (fun a => value_of a)) with (total l value_of).
    unfold Rmax. destruct (Rle_dec 0 (total l value_of)); nra.
  - rewrite weighed_places, places_linear, <- L, !root_at_each_place. ring.
Qed.

(** The law with the second input weighs what its classes with r > 0 do. *)
Lemma differs_total {S} (t : tree K S) (D : dist K) :
  mean (differs_law D C t) (fun _ => 1) = mean D (fun _ => 1).
Proof.
  assert (O : forall u : tree K S, mean (others_law C u) (fun _ => 1) = 1).
  { induction u as [v | l IHl r IHr join]; cbn [others_law].
    - rewrite mean_dmap. exact total_C.
    - rewrite mean_bind, (mean_ext _ _ (fun _ => 1)); [exact IHl |]. intros a. rewrite mean_dmap. exact IHr. }
  induction t as [v | l IHl r IHr join]; cbn [differs_law]; [rewrite mean_dmap; reflexivity |].
  rewrite mean_bind, mean_coin, !mean_bind.
  rewrite (mean_ext (differs_law D C l) _ (fun _ => 1)) by (intros a; rewrite mean_dmap; apply O).
  rewrite (mean_ext (others_law C l) _ (fun _ => mean D (fun _ => 1) * 1)) by (intros a; rewrite mean_dmap, IHr; ring).
  rewrite mean_scal, IHl, O. ring.
Qed.

End tests.

Theorem class_test {K S} (p q r : K -> R) T (kinds : list K) E (none : S) (t : tree K S) j f :
  (forall k, T k = true <-> r k <> 0) -> (forall k, In k kinds -> 0 <= r k) ->
  total kinds r = 1 -> leaves t = Datatypes.S j -> (forall s, 0 <= f s <= 1) ->
  let C := law_by r (filter T kinds) in
  let classes := map (fun k => (p k, q k, r k)) kinds in
  class_uncovered E classes + (mean (differs_law (law_by p (filter T kinds)) C t) f -
    E * mean (differs_law (law_by q (filter T kinds)) C t) f) <=
  class_bound (Datatypes.S j) E classes.
Proof. intros H1 H2 H3. apply class_test_here; assumption. Qed.

Theorem differs_weight {K S} (r : K -> R) T (kinds : list K) (t : tree K S) (D : dist K) :
  (forall k, T k = true <-> r k <> 0) -> total kinds r = 1 ->
  mean (differs_law D (law_by r (filter T kinds)) t) (fun _ => 1) = mean D (fun _ => 1).
Proof. intros H1 H2. apply (differs_total r T kinds H1 H2). Qed.

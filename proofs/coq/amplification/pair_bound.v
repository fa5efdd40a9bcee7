(** The number that the checker compares with delta for one pair of inputs, as a program, and that it is a bound.

    [pair_bound] is what the method Lattice.check of exactdp/checker/blanket.py makes of the classes of an ordered pair:
    the charge of least_values.v, and the result of the integer program of tilted_program.v where a value is positive.
    Proved ([pair_bound_above]): for all rational classes with reference masses >= 0 that sum to at most 1, rational E
    of either sign, n >= 1, every step > 0 and tilt T >= 1, any bits and length, it is at least the bound of the classes
    for n users (classes.v). So numbers of at most delta for all ordered pairs prove that a randomizer with a shuffler
    is (eps, delta)-DP with n users, and with more ([pair_bound_dp]), if the classes bound what a reference below every
    row bounds (classes.reference_bound_classes, table_classes.v) and the rational E is at most e^eps.

    Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Permutation Sorted.
From Exactdp Require Import reals sums laws privacy mean_excess hidden_message blanket classes.
From Exactdp Require Import increasing_convex_order mean_excess_order least_values.
From Exactdp Require Import tilted_program tilted_lattice tilted_sound.
Import ListNotations.

Open Scope Q_scope.

Definition fraction_of (q : Q) : fraction := (Qnum q, Zpos (Qden q)).
Definition atom_of (vm : Q * Q) : atom := (fraction_of (fst vm), fraction_of (snd vm)).
Definition atoms_of (l : table) : list atom := map atom_of l.

Definition pair_bound (step : fraction) (bits limit : nat) (T : Z) (n : positive) (E : Q)
  (classes : list rational_class) : Q :=
  let (charge, l) := least_values E classes in
  if Qle_bool (fst (last l (0, 0))) 0 then charge
  else let (a, b) := mean_positive_part step bits limit (atoms_of l) T n in
    Qred (charge + (a # Z.to_pos b)).

Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Qplus : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qminus : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments Q2R : simpl never.
Local Arguments Qeq_bool : simpl never.
Local Arguments Qle_bool : simpl never.

Section bound.

Variables (E : Q) (classes : list rational_class).
Hypothesis reference_nonneg : Forall (fun k => 0 <= Q2R (under_reference k)) classes.
Hypothesis reference_at_most_1 : total classes (fun k => Q2R (under_reference k)) <= 1.

Let reals := map real_class classes.

Definition nonneg_masses (l : table) : Prop := Forall (fun vm => 0 <= Q2R (snd vm)) l.

Lemma merged_nonneg v m l : 0 <= Q2R m -> nonneg_masses l -> nonneg_masses (merged v m l).
Proof.
  intros M. induction 1 as [| [u k] l K N IH]; simpl; [constructor; [exact M | constructor] |].
  destruct (Qeq_bool u v); constructor; try assumption. simpl in *. rewrite Q2R_red, Q2R_plus. lra.
Qed.

Lemma value_table_nonneg : nonneg_masses (value_table E classes).
Proof.
  clear reference_at_most_1 reals. unfold value_table.
  induction reference_nonneg as [| k l K N IH]; simpl; [constructor |].
  destruct (covered k); simpl; [apply merged_nonneg; [exact K | apply IH, N] | apply IH, N].
Qed.

Lemma filter_at_most (keep : Q * Q -> bool) l :
  nonneg_masses l -> total (map snd (filter keep l)) Q2R <= total (map snd l) Q2R.
Proof.
  induction 1 as [| vm l K N IH]; simpl; [lra |]. destruct (keep vm); simpl; lra.
Qed.

Lemma with_rest_nonneg : nonneg_masses (with_rest (value_table E classes)).
Proof.
  assert (N := value_table_nonneg). unfold with_rest. set (law := filter _ _).
  assert (F : nonneg_masses law).
  { apply Forall_forall. intros vm I. apply filter_In in I. unfold nonneg_masses in N. rewrite Forall_forall in N.
    apply N, I. }
  destruct (Qeq_bool (Qred _) 0); [exact F |]. constructor; [| exact F]. cbn [snd].
  rewrite Q2R_red, Q2R_minus, Q2R_sum_of. replace (Q2R 1) with 1 by (unfold Q2R; simpl; lra).
  assert (A := filter_at_most (fun vm => negb (Qeq_bool (fst vm) 0)) _ N). fold law in A.
  assert (B := mean_value_table E classes (fun _ => 1)). rewrite mean_table in B.
  rewrite total_map in A. rewrite (total_map snd (value_table E classes)) in A.
  rewrite (total_ext (value_table E classes) (fun vm => Q2R (snd vm) * 1) (fun vm => Q2R (snd vm))) in B
    by (intros; ring).
  rewrite (total_ext classes (fun k => Q2R (under_reference k) * 1) (fun k => Q2R (under_reference k))) in B
    by (intros; ring).
  rewrite total_map. lra.
Qed.

Lemma ascending_nonneg l : nonneg_masses l -> nonneg_masses (ascending_table l).
Proof. intros H. eapply Permutation_Forall; [apply ascending_permutation | exact H]. Qed.

Lemma least_values_good :
  nonneg_masses (snd (least_values E classes)) /\ StronglySorted before (snd (least_values E classes)).
Proof.
  assert (N := with_rest_nonneg). unfold least_values.
  destruct (Qle_bool _ 0); cbn [snd]; (split; [| apply ascending_sorted]); apply ascending_nonneg; [exact N |].
  apply Forall_map. exact N.
Qed.

Lemma real_fraction q : real (fraction_of q) = Q2R q.
Proof. reflexivity. Qed.

Lemma law_of_atoms l : law_of (atoms_of l) = table_law l.
Proof. unfold law_of, atoms_of, table_law. rewrite map_map. reflexivity. Qed.

Lemma good_atoms l : nonneg_masses l -> Forall good_atom (atoms_of l).
Proof.
  intros H. apply Forall_map. revert H. apply Forall_impl. intros [v m] H. unfold good_atom, atom_of. simpl in *.
  repeat split; try apply Pos2Z.is_pos. rewrite <- Q2R_0 in H. apply Rle_Qle in H. unfold Qle in H. simpl in H. lia.
Qed.

Lemma last_map {A B} (g : A -> B) l d : last (map g l) (g d) = g (last l d).
Proof.
  induction l as [| a l IH]; [reflexivity |]. destruct l as [| b l]; [reflexivity |].
  change (last (map g (a :: b :: l)) (g d)) with (last (map g (b :: l)) (g d)). rewrite IH. reflexivity.
Qed.

Lemma ends_of_atoms l : StronglySorted before l -> between_ends (atoms_of l).
Proof.
  intros S. destruct l as [| a l]; [exact I |]. assert (B := sorted_last (a :: l) a S). rewrite Forall_forall in B.
  change (Forall (fun b => real (fst (atom_of a)) <= real (fst b) <=
    real (fst (last (map atom_of (a :: l)) (atom_of a)))) (map atom_of (a :: l))). rewrite last_map.
  apply Forall_map, Forall_forall. intros b Ib.
  unfold atom_of. cbn [fst]. rewrite !real_fraction. split; [| apply B, Ib]. inversion_clear S as [| ? ? S1 S2].
  rewrite Forall_forall in S2. destruct Ib as [-> | Ib]; [lra | apply S2, Ib].
Qed.

(** Values that are not positive have no positive part. *)
Lemma no_excess n l :
  nonneg_masses l -> Forall (fun a => Q2R (fst a) <= 0) l -> mean_excess n (table_law l) <= 0.
Proof.
  intros N V. eapply Rle_trans; [apply (mean_excess_increasing n _ (map (fun vm => (Q2R (snd vm), 0)) l)) |].
  - intros wa I. apply in_map_iff in I. destruct I as [x [<- I]]. unfold nonneg_masses in N.
    rewrite Forall_forall in N. apply N, I.
  - intros wa I. apply in_map_iff in I. destruct I as [x [<- I]]. unfold nonneg_masses in N.
    rewrite Forall_forall in N. apply N, I.
  - intros t. unfold stop_loss, mean, table_law. rewrite !total_map. apply total_le. intros x I. cbn [fst snd].
    unfold nonneg_masses in N. rewrite Forall_forall in N, V. apply Rmult_le_compat_l; [apply N, I |].
    specialize (V x I). apply Rle_max_compat_l. lra.
  - unfold mean_excess. set (d := map _ l).
    assert (Z : forall k f, mean (copies d k) (fun vs => f (added vs)) = mean (copies d k) (fun _ => f 0)).
    { induction k as [| k IH]; intros f; [rewrite !mean_copies_none; reflexivity |]. rewrite !mean_copies_first.
      unfold d at 1 3, mean at 1 3. rewrite !total_map. apply total_ext. intros x _. cbn [fst snd]. f_equal.
      rewrite <- (IH f). apply mean_ext. intros vs. f_equal. unfold added. simpl. ring. }
    change (fun values : list R => Rmax 0 (total values (fun v => v))) with (fun vs => Rmax 0 (added vs)).
    rewrite (Z n (Rmax 0)). rewrite Rmax_left by lra.
    rewrite (mean_ext _ _ (fun _ => 0 * 0)) by (intros; ring). rewrite mean_scal. lra.
Qed.

Lemma number_above step bits limit T n :
  (0 < fst step /\ 0 < snd step)%Z -> (1 <= T)%Z ->
  class_bound (Pos.to_nat n) (Q2R E) reals <= Q2R (pair_bound step bits limit T n E classes).
Proof.
  intros HS HT. unfold reals.
  rewrite <- (least_values_exact E classes _ reference_nonneg reference_at_most_1) by lia.
  unfold pair_bound. destruct least_values_good as [N S].
  destruct (least_values E classes) as [charge l]. cbn [fst snd] in *.
  destruct (Qle_bool (fst (last l (0%Q, 0%Q))) 0) eqn:P.
  - apply Qle_bool_R in P. rewrite Q2R_0 in P. enough (mean_excess (Pos.to_nat n) (table_law l) <= 0) by lra.
    apply no_excess; [exact N |]. assert (B := sorted_last l (0%Q, 0%Q) S). revert B. apply Forall_impl.
    intros a A. unfold before in A. lra.
  - assert (A := mean_positive_part_above step bits limit (atoms_of l) T n HS HT (good_atoms l N) (ends_of_atoms l S)).
    rewrite law_of_atoms in A. destruct (mean_positive_part _ _ _ _ _ _) as [a b]. cbn [snd] in A.
    destruct A as [B A]. rewrite Q2R_red, Q2R_plus. apply Rplus_le_compat_l. eapply Rle_trans; [exact A |].
    unfold real, Q2R. cbn [fst snd Qnum Qden]. rewrite Z2Pos.id by exact B. apply Rle_refl.
Qed.

End bound.

Theorem pair_bound_above (E : Q) (classes : list rational_class) step bits limit T n :
  Forall (fun k => 0 <= Q2R (under_reference k)) classes -> total classes (fun k => Q2R (under_reference k)) <= 1 ->
  (0 < fst step /\ 0 < snd step)%Z -> (1 <= T)%Z ->
  class_bound (Pos.to_nat n) (Q2R E) (map real_class classes) <= Q2R (pair_bound step bits limit T n E classes).
Proof. intros H1 H2. apply number_above; assumption. Qed.

(** A randomizer whose references and classes are known, by the numbers that the checker computes: they prove its
    privacy for n users and for every larger number. *)
Theorem pair_bound_dp {X M} (R : X -> dist (list M)) (c : X -> X -> dist (list M))
  (classes : X -> X -> list rational_class) (E : Q) (n : positive) (k : nat) eps delta :
  (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> Q2R E <= exp eps ->
  (forall x y, Forall (fun one => 0 <= Q2R (under_reference one)) (classes x y)) ->
  (forall x y, total (classes x y) (fun one => Q2R (under_reference one)) <= 1) ->
  (forall x y, reference_bound (Pos.to_nat n) (R x) (R y) (Q2R E) (c x y) <=
    class_bound (Pos.to_nat n) (Q2R E) (map real_class (classes x y))) ->
  (forall x y, exists step bits limit T, (0 < fst step /\ 0 < snd step /\ 1 <= T)%Z /\
    Q2R (pair_bound step bits limit T n E (classes x y)) <= delta) ->
  (Pos.to_nat n <= k)%nat -> shuffle_dp k R eps delta.
Proof.
  intros HR Hc HE H1 H2 H3 H4 Hk. apply (blanket_dp k R c (Q2R E)); [exact HR | exact Hc | exact HE |]. intros x y.
  destruct (H4 x y) as [step [bits [limit [T [[S1 [S2 HT]] B]]]]].
  eapply Rle_trans; [apply (reference_bound_falls (Pos.to_nat n) k) |].
  - apply (Hc x y x).
  - apply (weight_below (c x y) (R x)); [apply HR | apply Hc].
  - lia.
  - eapply Rle_trans; [apply H3 |].
    eapply Rle_trans; [apply (pair_bound_above E _ step bits limit T n (H1 x y) (H2 x y) (conj S1 S2) HT) | exact B].
Qed.

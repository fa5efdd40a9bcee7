(** From the classes of a pair to a law of values, as the checker does it, as a program on rationals.

    [least_values] is the function least_values of exactdp/checker/blanket.py with law_of_values of pair_classes.py: of
    the classes of a pair, each with its masses under P, Q and the reference, it makes what is charged and an ascending
    law of values, values merged where they agree and what the reference lacks to 1 put at 0; where the mean is
    positive it is charged and all values change their sign.

    Proved, for all rational classes with reference masses >= 0 that sum to at most 1, rational E of either sign and
    n >= 1: the charge and the mean excess of n copies of the law are the bound of the classes, exactly
    ([least_values_exact]).

    Idea: means over copies depend on the law alone; E[max(0, S)] = E[S] + E[max(0, -S)]. Source: this package. *)

From Coq Require Import Reals List QArith Qreals Lra Permutation Sorted.
From Exactdp Require Import reals sums laws mean_excess classes.
From Exactdp Require Import mean_excess_order.
Import ListNotations.

(** ** The program *)

Open Scope Q_scope.

Definition rational_class : Type := (Q * Q * Q)%type.
Definition under_first (k : rational_class) : Q := fst (fst k).
Definition under_second (k : rational_class) : Q := snd (fst k).
Definition under_reference (k : rational_class) : Q := snd k.

Definition excess_of (E : Q) (k : rational_class) : Q := under_first k - E * under_second k.

(** Values with their masses. *)
Definition table : Type := list (Q * Q).

Fixpoint merged (value mass : Q) (l : table) : table :=
  match l with
  | [] => [(value, mass)]
  | (v, m) :: rest => if Qeq_bool v value then (v, Qred (m + mass)) :: rest else (v, m) :: merged value mass rest
  end.

Definition sum_of (l : list Q) : Q := fold_right (fun x y => Qred (x + y)) 0 l.

Definition covered (k : rational_class) : bool := negb (Qeq_bool (under_reference k) 0).

Definition uncovered_charge (E : Q) (classes : list rational_class) : Q :=
  sum_of (map (fun k => if Qle_bool (excess_of E k) 0 then 0 else excess_of E k)
    (filter (fun k => negb (covered k)) classes)).

Definition value_table (E : Q) (classes : list rational_class) : table :=
  fold_right (fun k => merged (Qred (excess_of E k / under_reference k)) (under_reference k)) []
    (filter covered classes).

Definition with_rest (l : table) : table :=
  let law := filter (fun vm => negb (Qeq_bool (fst vm) 0)) l in
  let rest := Qred (1 - sum_of (map snd law)) in
  if Qeq_bool rest 0 then law else (0, rest) :: law.

Fixpoint inserted (vm : Q * Q) (l : table) : table :=
  match l with
  | [] => [vm]
  | other :: rest => if Qle_bool (fst vm) (fst other) then vm :: l else other :: inserted vm rest
  end.

Definition ascending_table (l : table) : table := fold_right inserted [] l.

Definition least_values (E : Q) (classes : list rational_class) : Q * table :=
  let charge := uncovered_charge E classes in
  let law := with_rest (value_table E classes) in
  let mean := sum_of (map (excess_of E) (filter covered classes)) in
  if Qle_bool mean 0 then (charge, ascending_table law)
  else (Qred (charge + mean), ascending_table (map (fun vm => (- fst vm, snd vm)) law)).

(** ** What it means *)

Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Qplus : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qminus : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments Q2R : simpl never.
Local Arguments Qeq_bool : simpl never.
Local Arguments Qle_bool : simpl never.

Definition table_law (l : table) : dist R := map (fun vm => (Q2R (snd vm), Q2R (fst vm))) l.

Definition real_class (k : rational_class) : class :=
  (Q2R (under_first k), Q2R (under_second k), Q2R (under_reference k)).

Lemma mean_table l f : mean (table_law l) f = total l (fun vm => Q2R (snd vm) * f (Q2R (fst vm))).
Proof. unfold mean, table_law. rewrite total_map. reflexivity. Qed.

Lemma Q2R_red q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R. simpl. lra. Qed.

Lemma Q2R_sum_of l : Q2R (sum_of l) = total l Q2R.
Proof. induction l as [| x l IH]; simpl; [apply Q2R_0 |]. rewrite Q2R_red, Q2R_plus, IH. reflexivity. Qed.

Lemma Qeq_bool_R a b : Qeq_bool a b = true <-> Q2R a = Q2R b.
Proof. rewrite Qeq_bool_iff. split; [apply Qeq_eqR | apply eqR_Qeq]. Qed.

Lemma Qle_bool_R a b : Qle_bool a b = true <-> Q2R a <= Q2R b.
Proof. rewrite Qle_bool_iff. split; [apply Qle_Rle | apply Rle_Qle]. Qed.

Lemma Qeq_bool_R_false a b : Qeq_bool a b = false -> Q2R a <> Q2R b.
Proof. intros H E. apply Qeq_bool_R in E. congruence. Qed.

Lemma Qle_bool_R_false a b : Qle_bool a b = false -> Q2R b < Q2R a.
Proof. intros H. apply Rnot_le_lt. intros L. apply Qle_bool_R in L. congruence. Qed.

Lemma mean_merged v m l f :
  mean (table_law (merged v m l)) f = Q2R m * f (Q2R v) + mean (table_law l) f.
Proof.
  rewrite !mean_table. induction l as [| [u k] l IH]; simpl; [ring |].
  destruct (Qeq_bool u v) eqn:E; simpl.
  - apply Qeq_bool_R in E. rewrite Q2R_red, Q2R_plus, E. ring.
  - rewrite IH. ring.
Qed.

Lemma Q2R_excess E k : Q2R (excess_of E k) = Q2R (under_first k) - Q2R E * Q2R (under_second k).
Proof. unfold excess_of. rewrite Q2R_minus, Q2R_mult. reflexivity. Qed.

Section classes.

Variables (E : Q) (classes : list rational_class).

Let reals := map real_class classes.

Lemma covered_spec k : covered k = true <-> Q2R (under_reference k) <> 0.
Proof.
  unfold covered. rewrite <- Q2R_0. destruct (Qeq_bool _ 0) eqn:H; simpl.
  - apply Qeq_bool_R in H. split; [discriminate | contradiction].
  - apply Qeq_bool_R_false in H. tauto.
Qed.

Lemma mean_value_table f :
  mean (table_law (value_table E classes)) f =
  total classes (fun k => Q2R (under_reference k) * f (Q2R (excess_of E k) / Q2R (under_reference k))).
Proof.
  unfold value_table. induction classes as [| k l IH]; simpl; [unfold mean; reflexivity |].
  destruct (covered k) eqn:C; simpl.
  - apply covered_spec in C. rewrite mean_merged, IH, Q2R_red, Q2R_div; [reflexivity |].
    intros Z. apply C. rewrite <- Q2R_0. apply Qeq_eqR, Z.
  - rewrite IH. destruct (Req_dec (Q2R (under_reference k)) 0) as [Z | N]; [rewrite Z; ring |].
    apply covered_spec in N. congruence.
Qed.

Lemma mean_with_rest l f :
  mean (table_law (with_rest l)) f = (1 - mean (table_law l) (fun _ => 1)) * f 0 + mean (table_law l) f.
Proof.
  unfold with_rest. set (law := filter _ l).
  assert (A : forall g, mean (table_law l) g - mean (table_law law) g =
    g 0 * (mean (table_law l) (fun _ => 1) - mean (table_law law) (fun _ => 1))).
  { intros g. unfold law. rewrite !mean_table, !total_filter, <- !total_minus, <- total_scal. apply total_ext.
    intros [v m] _. simpl. destruct (Qeq_bool v 0) eqn:Z; simpl; [| ring].
    apply Qeq_bool_R in Z. rewrite Z, Q2R_0. ring. }
  assert (R : Q2R (Qred (1 - sum_of (map snd law))) = 1 - mean (table_law law) (fun _ => 1)).
  { rewrite Q2R_red, Q2R_minus, Q2R_sum_of, total_map, mean_table. unfold Q2R at 1. simpl. rewrite Rinv_1, Rmult_1_r.
    f_equal. apply total_ext. intros. ring. }
  specialize (A f). destruct (Qeq_bool (Qred (1 - sum_of (map snd law))) 0) eqn:Z.
  - apply Qeq_bool_R in Z. rewrite R, Q2R_0 in Z. replace (mean (table_law law) (fun _ => 1)) with 1 in A by lra. lra.
  - unfold mean at 1. cbn [table_law map total fst snd]. fold (mean (table_law law) f).
    change (total (map (fun vm : Q * Q => (Q2R (snd vm), Q2R (fst vm))) law) (fun wa => fst wa * f (snd wa)))
      with (mean (table_law law) f). rewrite R, Q2R_0. lra.
Qed.

Lemma values_of_classes : same_law (table_law (with_rest (value_table E classes))) (class_values (Q2R E) reals).
Proof.
  intros f. rewrite mean_with_rest, !mean_value_table. unfold class_values, mean, reals. simpl.
  rewrite !total_map. f_equal.
  - do 2 f_equal. apply total_ext. intros k _. unfold reference_mass. simpl. ring.
  - apply total_ext. intros k _. unfold first_mass, second_mass, reference_mass. simpl. rewrite Q2R_excess. reflexivity.
Qed.

Lemma charge_of_classes : Q2R (uncovered_charge E classes) = class_uncovered (Q2R E) reals.
Proof.
  unfold uncovered_charge, class_uncovered, reals. rewrite Q2R_sum_of, !total_map, total_filter. apply total_ext.
  intros k _. unfold first_mass, second_mass, reference_mass. simpl. rewrite <- Q2R_excess.
  destruct (Req_EM_T (Q2R (under_reference k)) 0) as [Z | N].
  - destruct (covered k) eqn:C; [apply covered_spec in C; contradiction |]. simpl.
    destruct (Qle_bool (excess_of E k) 0) eqn:L.
    + apply Qle_bool_R in L. rewrite Q2R_0 in *. rewrite Rmax_left; lra.
    + apply Qle_bool_R_false in L. rewrite Q2R_0 in L. rewrite Rmax_right; lra.
  - apply covered_spec in N. rewrite N. reflexivity.
Qed.

Lemma mean_of_classes :
  Q2R (sum_of (map (excess_of E) (filter covered classes))) = mean (class_values (Q2R E) reals) (fun v => v).
Proof.
  rewrite <- values_of_classes, mean_with_rest, Rmult_0_r, Rplus_0_l, mean_value_table, Q2R_sum_of, total_map,
    total_filter. apply total_ext. intros k _. destruct (covered k) eqn:C.
  - apply covered_spec in C. field. exact C.
  - destruct (Req_dec (Q2R (under_reference k)) 0) as [Z | N]; [rewrite Z; ring |].
    apply covered_spec in N. congruence.
Qed.

(** ** Ascending *)

Lemma inserted_permutation vm l : Permutation (vm :: l) (inserted vm l).
Proof.
  induction l as [| other l IH]; simpl; [reflexivity |]. destruct (Qle_bool _ _); [reflexivity |].
  rewrite perm_swap. apply perm_skip, IH.
Qed.

Lemma ascending_permutation l : Permutation l (ascending_table l).
Proof.
  induction l as [| vm l IH]; simpl; [reflexivity |]. rewrite <- inserted_permutation. apply perm_skip, IH.
Qed.

Definition before (a b : Q * Q) : Prop := Q2R (fst a) <= Q2R (fst b).

Lemma inserted_sorted vm l : StronglySorted before l -> StronglySorted before (inserted vm l).
Proof.
  induction 1 as [| other l S IH F]; simpl; [constructor; constructor |].
  destruct (Qle_bool (fst vm) (fst other)) eqn:L.
  - apply Qle_bool_R in L. constructor; [constructor; assumption |]. constructor; [exact L |].
    revert F. apply Forall_impl. intros a. unfold before. lra.
  - apply Qle_bool_R_false in L. constructor; [exact IH |].
    eapply Permutation_Forall; [apply inserted_permutation |]. constructor; [unfold before; lra | exact F].
Qed.

Lemma ascending_sorted l : StronglySorted before (ascending_table l).
Proof. induction l as [| vm l IH]; simpl; [constructor | apply inserted_sorted, IH]. Qed.

Lemma sorted_last l d : StronglySorted before l -> Forall (fun a => before a (last l d)) l.
Proof.
  induction 1 as [| a l S IH F]; [constructor |]. destruct l as [| b l].
  - constructor; [unfold before; simpl; lra | constructor].
  - change (last (a :: b :: l) d) with (last (b :: l) d). constructor; [| exact IH].
    inversion_clear F as [| ? ? F1 _]. inversion_clear IH as [| ? ? I1 _]. unfold before in *. lra.
Qed.

Lemma same_law_ascending l : same_law (table_law l) (table_law (ascending_table l)).
Proof. intros f. rewrite !mean_table. apply total_permutation, ascending_permutation. Qed.

End classes.

Lemma mean_opposite l f :
  mean (table_law (map (fun vm => (Qopp (fst vm), snd vm)) l)) f = mean (negated (table_law l)) f.
Proof.
  rewrite mean_negated, !mean_table, total_map. apply total_ext. intros [v m] _. simpl. rewrite Q2R_opp. reflexivity.
Qed.

Section bound.

Variables (E : Q) (classes : list rational_class).
Hypothesis reference_nonneg : Forall (fun k => 0 <= Q2R (under_reference k)) classes.
Hypothesis reference_at_most_1 : total classes (fun k => Q2R (under_reference k)) <= 1.

Let reals := map real_class classes.

Lemma proper_values : proper (class_values (Q2R E) reals).
Proof.
  assert (T : total reals reference_mass = total classes (fun k => Q2R (under_reference k)))
    by (unfold reals; rewrite total_map; reflexivity).
  split.
  - intros wa [<- | I]; [simpl; lra |]. apply in_map_iff in I. destruct I as [k [<- I]].
    apply in_map_iff in I. destruct I as [k' [<- I]]. rewrite Forall_forall in reference_nonneg.
    apply reference_nonneg, I.
  - unfold class_values, mean. simpl. rewrite total_map. simpl.
    rewrite (total_ext reals (fun k => reference_mass k * 1) reference_mass) by (intros; ring). ring.
Qed.

Lemma charge_and_excess n :
  (1 <= n)%nat ->
  Q2R (fst (least_values E classes)) + mean_excess n (table_law (snd (least_values E classes))) =
  class_bound n (Q2R E) reals.
Proof.
  intros Hn. unfold least_values, class_bound. set (law := with_rest (value_table E classes)).
  assert (V := values_of_classes E classes). fold law reals in V.
  assert (C := charge_of_classes E classes). fold reals in C. rewrite <- C.
  destruct (Qle_bool _ 0) eqn:L; cbn [fst snd].
  - f_equal. apply mean_excess_same_law. intros f. rewrite <- same_law_ascending. apply V.
  - rewrite Q2R_red, Q2R_plus, mean_of_classes. fold reals.
    rewrite (mean_excess_other_sign n (class_values (Q2R E) reals) proper_values Hn), Rplus_assoc. do 2 f_equal.
    apply mean_excess_same_law. intros f. rewrite <- same_law_ascending, mean_opposite, !mean_negated. apply V.
Qed.

End bound.

Theorem least_values_exact (E : Q) (classes : list rational_class) n :
  Forall (fun k => 0 <= Q2R (under_reference k)) classes -> total classes (fun k => Q2R (under_reference k)) <= 1 ->
  (1 <= n)%nat ->
  Q2R (fst (least_values E classes)) + mean_excess n (table_law (snd (least_values E classes))) =
  class_bound n (Q2R E) (map real_class classes).
Proof. intros H1 H2. apply charge_and_excess; assumption. Qed.

(** The program of blanket_program.v on randomizers whose probabilities are listed, tables and the clipped Laplace law.

    If the outcomes of d >= 1 proper rows are listed once, with their rational probabilities, and the program accepts,
    then the least probabilities are a reference that bounds every ordered pair of inputs: [matrix_blanketed]. So it is
    for the rows of a table ([table_blanketed]) and for the clipped Laplace law ([laplace_blanketed]).

    Idea: every outcome is a class of its own; outcomes with one value become one in the law of values. Source: this
    package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user single_message events.
From Exactdp Require Import mean_excess hidden_message blanket classes table_classes mean_excess_order.
From Exactdp Require Import least_values pair_bound.
From ExactdpChecker Require Import claims blanket_program blanket_sound.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** Listed laws *)

Definition listed {A} (l : list A) (w : A -> R) : dist A := map (fun a => (w a, a)) l.

Lemma mean_listed {A} (l : list A) w f : mean (listed l w) f = total l (fun a => w a * f a).
Proof. unfold listed, mean. rewrite total_map. reflexivity. Qed.

Lemma mass_listed {A} (l : list A) w a : NoDup l -> In a l -> mass (listed l w) a = w a.
Proof.
  intros N. unfold mass, Pr. rewrite mean_listed. unfold indicator.
  induction N as [| b l B N IH]; intros I; [destruct I |]. simpl. destruct (same b a) as [<- | D].
  - rewrite (total_ext l _ (fun _ => 0)); [rewrite total_zero; ring |]. intros c J.
    destruct (same c b) as [-> | _]; [contradiction | ring].
  - destruct I as [-> | I]; [contradiction |]. rewrite (IH I). ring.
Qed.

Lemma mass_not_listed {A} (l : list A) w a : ~ In a l -> mass (listed l w) a = 0.
Proof.
  intros N. apply (mass_outside (listed l w) l a); [| exact N]. intros wa I. apply in_map_iff in I.
  destruct I as [b [<- I]]. exact I.
Qed.

Lemma combine_maps {A B C} (f : A -> B) (g : A -> C) l : combine (map f l) (map g l) = map (fun a => (f a, g a)) l.
Proof. induction l as [| a l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma least_row_spec {A} (l : list A) (fs : list (A -> Q)) :
  fs <> [] -> exists g, least_row (map (fun f => map f l) fs) = map g l /\
  (forall f a, In f fs -> Q2R (g a) <= Q2R (f a)) /\ forall a, exists f, In f fs /\ g a = f a.
Proof.
  induction fs as [| f fs IH]; intros N; [congruence |]. destruct fs as [| h fs].
  - exists f. split; [reflexivity |]. split; [intros k a [<- | []]; lra |]. intros a. exists f. simpl. auto.
  - destruct IH as [g [E [L X]]]; [discriminate |].
    exists (fun a => least_number (f a) (g a)). split; [| split].
    + change (least_row (map (fun f0 => map f0 l) (f :: h :: fs))) with
        (map (fun pq => least_number (fst pq) (snd pq)) (combine (map f l) (least_row (map (fun f0 => map f0 l) (h ::
          fs))))).
      rewrite E, combine_maps, map_map. reflexivity.
    + intros k a I. unfold least_number. destruct (Qle_bool (f a) (g a)) eqn:Q.
      * apply Qle_bool_R in Q. destruct I as [<- | I]; [lra |]. specialize (L k a I). lra.
      * apply Qle_bool_R_false in Q. destruct I as [<- | I]; [lra | apply L, I].
    + intros a. unfold least_number. destruct (Qle_bool (f a) (g a)); [exists f; simpl; auto |].
      destruct (X a) as [k [I K]]. exists k. simpl. auto.
Qed.

Lemma same_row_maps {A} (f g : A -> Q) l :
  same_row (map f l) (map g l) = true -> forall a, In a l -> Q2R (f a) = Q2R (g a).
Proof.
  induction l as [| b l IH]; simpl; intros H a I; [destruct I |]. apply andb_true_iff in H. destruct H as [H1 H2].
  apply Qeq_bool_R in H1. destruct I as [<- | I]; [exact H1 | apply IH; assumption].
Qed.

(** ** Matrices *)

Section matrix.

Context {A : Type} (R : nat -> dist A) (d : nat) (l : list A) (W : nat -> A -> Q).
Hypothesis inputs : (0 < d)%nat.
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, (x < d)%nat -> proper (R x).
Hypothesis rows_covered : forall x, (x < d)%nat -> covers l (R x).
Hypothesis rows_listed : forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a).

Lemma matrix_blanketed_here E bits limit n delta bounds :
  matrix_is_below (map (fun x => map (W x) l) (seq 0 d)) E bits limit n delta bounds = true ->
  blanketed R d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros H. unfold matrix_is_below in H. rewrite <- (map_map W (fun f => map f l) (seq 0 d)) in H.
  set (fs := map W (seq 0 d)) in H.
  assert (Mem : forall x, (x < d)%nat -> In (W x) fs) by (intros x X; apply in_map, in_seq; lia).
  destruct (least_row_spec l fs) as [g [G [Least Attained]]]; [intros Z; specialize (Mem 0%nat inputs);
    rewrite Z in Mem; exact Mem |].
  rewrite G in H. set (c := listed l (fun a => Q2R (g a))).
  assert (Nonneg : forall a, In a l -> 0 <= Q2R (g a)).
  { intros a I. destruct (Attained a) as [f [F ->]]. apply in_map_iff in F. destruct F as [x [<- X]]. apply in_seq in X.
    rewrite <- rows_listed by (lia || assumption). apply mass_nonneg, rows_proper. lia. }
  assert (Below : forall x, (x < d)%nat -> lies_below c (R x)).
  { intros x X. split.
    - intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply Nonneg, I.
    - intros a. destruct (in_dec same a l) as [I | I].
      + unfold c. rewrite mass_listed, rows_listed by assumption. apply Least, Mem, X.
      + unfold c. rewrite mass_not_listed by exact I. apply mass_nonneg, rows_proper, X. }
  exists c. split; [intros x X; split; [apply rows_proper, X | apply Below, X] |]. intros x y X Y.
  assert (Same := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). rewrite Forall_forall in Same.
  destruct (same_row (map (W x) l) (map (W y) l)) eqn:D.
  - left. intros f. rewrite !(mean_masses _ l f) by (try assumption; apply rows_covered; assumption).
    apply total_ext. intros a I. rewrite !rows_listed by assumption. rewrite (same_row_maps _ _ _ D a I). reflexivity.
  - right. specialize (Same (map (W x) l, map (W y) l)).
    set (classes := map (fun a => (W x a, W y a, g a)) l).
    assert (C : classes_of_rows (map g l) (map (W x) l, map (W y) l) = classes).
    { unfold classes_of_rows. cbn [fst snd]. rewrite !combine_maps. reflexivity. }
    rewrite C in Same.
    assert (B := bounded_class_bound n delta E classes).
    eapply Rle_trans; [| apply B].
    + apply Req_le. rewrite (table_classes (Pos.to_nat n) (R x) (R y) c l (map (fun a => (kind_of (R x) (R y) c a,
      1%nat)) l));
        try assumption; try (apply rows_covered; assumption).
      * f_equal. unfold counted_classes, classes. rewrite !map_map. apply map_ext_in. intros a I.
        unfold real_class, kind_of, first_mass, second_mass, reference_mass, under_first, under_second, under_reference.
        cbn [fst snd]. rewrite !rows_listed by assumption. unfold c. rewrite mass_listed by assumption.
        change (INR 1) with 1. rewrite !Rmult_1_l. reflexivity.
      * intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. exact I.
      * intros f. rewrite total_map. apply total_ext. intros a _. cbn [fst snd]. change (INR 1) with 1. ring.
    + apply Forall_map, Forall_forall. intros a I. apply Nonneg, I.
    + unfold classes. rewrite total_map. assert (M := weight_below c (R x) (rows_proper x X) (Below x X)).
      unfold weight, c in M.
      rewrite mean_listed in M. erewrite total_ext; [exact M |]. intros a _. unfold under_reference. simpl. ring.
    + apply Same. unfold different_pairs. apply filter_In. cbn [fst snd]. rewrite D. split; [| reflexivity].
      apply in_prod; apply (in_map (fun f => map f l)), Mem; assumption.
Qed.

End matrix.

Theorem matrix_blanketed {A} (R : nat -> dist A) d l W E bits limit n delta bounds :
  (0 < d)%nat -> NoDup l -> (forall x, (x < d)%nat -> proper (R x)) -> (forall x, (x < d)%nat -> covers l (R x)) ->
  (forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a)) ->
  matrix_is_below (map (fun x => map (W x) l) (seq 0 d)) E bits limit n delta bounds = true ->
  blanketed R d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof. intros. eapply matrix_blanketed_here; eassumption. Qed.

(** ** Tables *)

Lemma proper_row messages row : row_posed messages row -> proper (row_law row).
Proof.
  intros [P S]. split.
  - intros wa I. apply in_map_iff in I. destruct I as [o [<- I]]. cbn [fst]. rewrite <- Q2R_0.
    apply Qle_Rle, Qlt_le_weak, P, I.
  - apply Qeq_eqR in S. rewrite posed.real_sum_Q, RMicromega.Q2R_1 in S. rename S into T.
    transitivity (posed.real_sum (map fst row)); [clear | exact T].
    unfold mean, row_law. rewrite total_map. induction row as [| o row IH]; [reflexivity |]. simpl in *. rewrite IH.
      ring.
Qed.

Lemma mass_row row u : mass (row_law row) u = Q2R (probability row u).
Proof.
  unfold probability. rewrite Q2R_sum_of, total_map, total_filter. unfold mass, Pr, mean, row_law. rewrite total_map.
  apply total_ext. intros o _. unfold indicator. cbn [fst snd].
  destruct (same (snd o) u) as [E | N], (same_outcome (snd o) u) as [E' | N']; try contradiction; ring.
Qed.

Lemma rows_by_place {A B} (f : A -> B) l none : map f l = map (fun x => f (nth x l none)) (seq 0 (length l)).
Proof.
  induction l as [| a l IH]; simpl; [reflexivity |]. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma last_is_nth {A} (l : list A) none : last l none = nth (length l - 1) l none.
Proof.
  induction l as [| a l IH]; [reflexivity |]. destruct l as [| b l]; [reflexivity |].
  change (last (a :: b :: l) none) with (last (b :: l) none). rewrite IH. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma entry_place {A} (l : list A) none x : l <> [] -> entry l none x = nth (Nat.min x (length l - 1)) l none.
Proof.
  intros N. assert (0 < length l)%nat by (destruct l; [congruence | simpl; lia]). unfold entry.
  destruct (Nat.le_gt_cases (length l) x) as [L | L].
  - rewrite nth_overflow by exact L. rewrite Nat.min_r by lia. apply last_is_nth.
  - rewrite Nat.min_l by lia. apply nth_indep, L.
Qed.

Definition row_in (t : claims.table) (x : nat) : dist (list nat) := row_law (nth x (rows t) []).

Lemma table_law_place t x : table_posed t -> table_law t x = row_in t (Nat.min x (length (rows t) - 1)).
Proof. intros [N _]. unfold table_law, row_in. rewrite entry_place by exact N. reflexivity. Qed.

Lemma table_inputs t : table_posed t -> (0 < length (rows t))%nat.
Proof. intros [N _]. destruct (rows t); [congruence | simpl; lia]. Qed.

Lemma proper_row_in t x : table_posed t -> (x < length (rows t))%nat -> proper (row_in t x).
Proof. intros [_ H] X. apply (proper_row (message_types t)), H, nth_In, X. Qed.

(** *** The order of messages *)

Lemma in_order_permutation u : Permutation u (in_order u).
Proof.
  induction u as [| m u IH]; simpl; [reflexivity |]. transitivity (m :: in_order u); [apply perm_skip, IH |]. clear IH.
  generalize (in_order u). intros v. induction v as [| o v IH]; simpl; [reflexivity |].
  destruct (Nat.leb m o); [reflexivity |]. rewrite perm_swap. apply perm_skip, IH.
Qed.

Lemma ordered_posed t : table_posed t -> table_posed (ordered_table t).
Proof.
  intros [N H]. split; [simpl; destruct (rows t); [congruence | discriminate] |]. intros row I. simpl in I.
  apply in_map_iff in I. destruct I as [row' [<- I]]. destruct (H row' I) as [P S]. split.
  - intros o J. apply in_map_iff in J. destruct J as [o' [<- J]]. cbn [fst snd]. destruct (P o' J) as [P1 P2].
    split; [exact P1 |]. intros m M. apply P2.
      apply (Permutation_in m (Permutation_sym (in_order_permutation (snd o'))) M).
  - rewrite map_map. exact S.
Qed.

Lemma ordered_row t x f : mean (table_law (ordered_table t) x) f = mean (table_law t x) (fun u => f (in_order u)).
Proof.
  unfold table_law, ordered_table. cbn [rows]. unfold entry.
  set (order := map (fun o : Q * list nat => (fst o, in_order (snd o)))).
  assert (L : forall l, last (map order l) [] = order (last l [])).
  { induction l as [| a l IH]; [reflexivity |]. destruct l as [| b l]; [reflexivity |]. exact IH. }
  rewrite L, map_nth. unfold row_law, order, mean. rewrite !map_map, !total_map. reflexivity.
Qed.

(** Nothing that does not look at the order sees the difference. *)
Lemma ordered_messages t xs : forall f,
  (forall u v, Permutation u v -> f u = f v) ->
  mean (messages (table_law (ordered_table t)) xs) f = mean (messages (table_law t) xs) f.
Proof.
  induction xs as [| x xs IH]; intros f F; [reflexivity |]. rewrite !mean_messages_first, ordered_row. apply mean_ext.
  intros u. rewrite IH.
  - apply mean_ext. intros v. apply F. apply Permutation_app_tail. symmetry. apply in_order_permutation.
  - intros v w P. apply F, Permutation_app_head, P.
Qed.

Theorem table_blanketed t E bits limit n delta bounds :
  table_posed t -> matrix_is_below (matrix_of_table t) E bits limit n delta bounds = true ->
  blanketed (row_in t) (length (rows t)) (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros Posed H. unfold matrix_of_table in H. rewrite (rows_by_place _ (rows t) []) in H.
  apply (matrix_blanketed (row_in t) _ (outcomes_of t) (fun x => probability (nth x (rows t) [])) E bits limit n
    delta bounds);
    try exact H.
  - apply table_inputs, Posed.
  - apply NoDup_nodup.
  - intros x X. apply proper_row_in; assumption.
  - intros x X wa I. apply in_map_iff in I. destruct I as [o [<- I]]. apply nodup_In.
    change (In (snd o) (map snd (concat (rows t)))). apply in_map, in_concat.
    exists (nth x (rows t) []). split; [apply nth_In, X | exact I].
  - intros x a _ _. apply mass_row.
Qed.

(** ** The clipped Laplace law *)

Lemma Q2R_power q k : Q2R (power_of q k) = Q2R q ^ k.
Proof. induction k as [| k IH]; simpl; [apply RMicromega.Q2R_1 | rewrite Q2R_mult, IH; reflexivity]. Qed.

Lemma laplace_listed top r x :
  0 < Q2R r < 1 -> clipped_laplace top (Q2R r) x = listed (seq 0 (S top)) (fun y => Q2R (laplace_probability top r x
    y)).
Proof.
  intros Hr. unfold clipped_laplace, listed. apply map_ext. intros y. f_equal. unfold laplace_probability.
  assert (N : ~ (1 + r == 0)%Q).
  { intros Z. apply Qeq_eqR in Z. rewrite Q2R_plus, RMicromega.Q2R_1, Q2R_0 in Z. lra. }
  assert (P : Z.to_nat (Z.abs (Z.of_nat x - Z.of_nat y)) = Z.abs_nat (Z.of_nat x - Z.of_nat y)) by lia. rewrite P.
    clear P.
  rewrite Q2R_red. destruct (_ || _)%bool; rewrite Q2R_div by exact N;
    rewrite ?Q2R_mult, ?Q2R_minus, Q2R_plus, Q2R_power, RMicromega.Q2R_1;
    reflexivity.
Qed.

Lemma proper_laplace top r x :
  0 < Q2R r < 1 -> rows_sum_to_1 (matrix_of_laplace top r) = true -> (x < S top)%nat ->
  proper (clipped_laplace top (Q2R r) x).
Proof.
  intros Hr Sums X. split.
  - intros wa I. apply in_map_iff in I. destruct I as [y [<- _]]. cbn [fst].
    assert (P := pow_le (Q2R r) (Z.abs_nat (Z.of_nat x - Z.of_nat y)) ltac:(lra)).
    assert (I : 0 < / (1 + Q2R r)) by (apply Rinv_0_lt_compat; lra).
    unfold Rdiv. destruct (_ || _)%bool; repeat apply Rmult_le_pos; lra.
  - rewrite laplace_listed, mean_listed by exact Hr.
    unfold rows_sum_to_1 in Sums. rewrite forallb_forall in Sums.
    specialize (Sums (map (laplace_probability top r x) (seq 0 (S top)))).
    assert (B : Qeq_bool (sum_of (map (laplace_probability top r x) (seq 0 (S top)))) 1 = true).
    { apply Sums, (in_map (fun x => map (laplace_probability top r x) (seq 0 (S top)))), in_seq. lia. }
    apply Qeq_bool_R in B. rewrite Q2R_sum_of, RMicromega.Q2R_1, total_map in B. etransitivity; [| exact B].
    apply total_ext. intros. ring.
Qed.

Theorem laplace_blanketed top r E bits limit n delta bounds :
  0 < Q2R r < 1 -> rows_sum_to_1 (matrix_of_laplace top r) = true ->
  matrix_is_below (matrix_of_laplace top r) E bits limit n delta bounds = true ->
  blanketed (clipped_laplace top (Q2R r)) (S top) (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros Hr Sums H.
  apply (matrix_blanketed _ _ (seq 0 (S top)) (laplace_probability top r) E bits limit n delta bounds);
    try exact H; try lia; try apply seq_NoDup.
  - intros x X. apply proper_laplace; assumption.
  - intros x X wa I. apply in_map_iff in I. destruct I as [y [<- I]]. exact I.
  - intros x y X I. rewrite laplace_listed by exact Hr.
    apply (mass_listed (seq 0 (S top)) (fun y => Q2R (laplace_probability top r x y)) y); [apply seq_NoDup | exact I].
Qed.

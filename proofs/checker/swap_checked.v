(** The kind shuffle_dp, proved by a swap: [check_swap] accepts only what holds ([check_swap_sound]).

    The program goes through the ordered pairs of inputs with different rows, each with the plan of its place, and for
    each pair through the rows that the others may have; one row is bounded by node_program.v. For every table, one
    number of users of 3 or more or all from it, any level, delta and witness whose plans have stages.

    Idea: swap_bound of swapped_stages.v, and of the rows of the others the worst alone (swap_vertices.v), with the waves
    of node_waves.v. Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess hidden_message blanket.
From Exactdp Require Import classes table_classes mean_excess_order least_values pair_bound.
From Exactdp Require Import swapped_stages wave_bounds swap_vertices node_waves node_program node_sound.
From ExactdpChecker Require Import claims witnesses kinds levels.
From ExactdpChecker Require Import blanket_program blanket_sound matrix_blanket blanket_checked.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition plan_of (s : swap_plan) : plan :=
  {| plan_tilt := swap_tilt s; plan_smoothing := swap_smoothing s; plan_step := swap_step s;
     plan_nodes := Z.to_nat (swap_nodes s); plan_ends := map Z.to_nat (swap_stages s) |}.

Definition row_program : Type := Q -> Q -> Q -> Q -> least_values.table -> bool.

Definition rows_of_plan (bits n : nat) (s : swap_plan) : bool * row_program :=
  let p := plan_of s in
  (plan_is_good p bits n, let nodes := node_weights p bits in let rest := nodes_beyond p bits in
    let before := front p bits in row_is_below_with p bits n nodes rest before).

Definition alone_of (E : Q) (pair : list Q * list Q) : Q :=
  sum_of (map (fun pq => let e := (fst pq - E * snd pq)%Q in if Qle_bool e 0 then 0%Q else e)
    (combine (fst pair) (snd pair))).

Definition pair_is_below (matrix : list (list Q)) (E gamma delta : Q) (pair : list Q * list Q)
    (run : bool * row_program) : bool :=
  fst run && forallb (fun row =>
    let classes := classes_of_rows row pair in
    snd run gamma (alone_of E pair) delta (uncovered_charge E classes) (with_rest (value_table E classes))) matrix.

Fixpoint pairs_are_below (matrix : list (list Q)) (E gamma delta : Q) (pairs : list (list Q * list Q))
    (runs : list (option (bool * row_program))) : bool :=
  match pairs, runs with
  | [], [] => true
  | one :: pairs', Some run :: runs' =>
      pair_is_below matrix E gamma delta one run && pairs_are_below matrix E gamma delta pairs' runs'
  | _, _ => false
  end.

Definition swap_is_below (matrix : list (list Q)) (E delta : Q) (bits n : nat) (plans : list swap_plan)
    (places : list Z) : bool :=
  let runs := map (rows_of_plan bits n) plans in
  pairs_are_below matrix E (sum_of (least_row matrix)) delta (different_pairs matrix)
    (map (fun i => if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) places).

Definition check_swap (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, proved, shown with
  | Table t, ReplaceOne, LeastNothing, true, ForAllDataSets (BySwap bits plans places) p =>
      match ratio_below l p with
      | Some (X, Y) =>
          posed.randomizer_is_posed r && posed.level_is_posed l delta && (1 <=? n)%Z &&
          swap_is_below (matrix_of_table (ordered_table t)) (Qred (X # Z.to_pos Y)) delta (Z.to_nat bits) (Z.to_nat n)
            plans places
      | None => false
      end
  | _, _, _, _, _ => false
  end.

(** Whether all plans that are used have stages, of a table. *)
Definition has_swap_program (r : randomizer) (plans : list swap_plan) (places : list Z) : bool :=
  match r with
  | Table _ => forallb (fun i => match nth_error plans (Z.to_nat i) with
      | Some {| swap_stages := [] |} => false
      | _ => true
      end) places
  | Family _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Q2R : simpl never.

Section matrix.

Context {M : Type} (R : nat -> dist (list M)) (d : nat) (l : list (list M)) (W : nat -> list M -> Q).
Hypothesis some : (0 < d)%nat.
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, (x < d)%nat -> proper (R x).
Hypothesis rows_covered : forall x, (x < d)%nat -> covers l (R x).
Hypothesis rows_listed : forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a).

Let matrix := map (fun x => map (W x) l) (seq 0 d).

Definition classes_at (x y v : nat) : list rational_class := map (fun a => (W x a, W y a, W v a)) l.

Lemma classes_are x y v : classes_of_rows (map (W v) l) (map (W x) l, map (W y) l) = classes_at x y v.
Proof. unfold classes_of_rows, classes_at. cbn [fst snd]. rewrite !combine_maps. reflexivity. Qed.

Lemma listed_are x y v : (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
  listed_classes first_mass second_mass reference_mass (map (fun a => (kind_of (R x) (R y) (R v) a, 1)) l) =
  map real_class (classes_at x y v).
Proof.
  intros X Y V. unfold listed_classes, classes_at. rewrite !map_map. apply map_ext_in. intros a I.
  unfold real_class, kind_of, first_mass, second_mass, reference_mass, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite !rows_listed, !Rmult_1_l by assumption. reflexivity.
Qed.

Lemma density x y v (r : class -> Rdefinitions.R) (P : dist (list M)) :
  covers l P -> (forall a, r (kind_of (R x) (R y) (R v) a) = mass P a) ->
  forall f, mean P f = mean (each_once l) (fun a => r (kind_of (R x) (R y) (R v) a) * f a).
Proof.
  intros C H f. rewrite mean_each_once, (mean_masses P l f once C). apply total_ext. intros a _. rewrite H. reflexivity.
Qed.

Lemma kinds_counted x y v (f : class -> Rdefinitions.R) :
  mean (each_once l) (fun a => f (kind_of (R x) (R y) (R v) a)) =
  total (map (fun a => (kind_of (R x) (R y) (R v) a, 1)) l) (fun kw => snd kw * f (fst kw)).
Proof. rewrite mean_each_once, total_map. apply total_ext. intros a _. simpl. ring. Qed.

Lemma values_at E x y v : (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
  same_law (values_against (R x) (R y) (Q2R E) (R v))
    (least_values.table_law (with_rest (value_table E (classes_at x y v)))).
Proof.
  intros X Y V f. rewrite (values_of_classes E (classes_at x y v) f), <- (listed_are x y v X Y V).
  apply (values_same_law (R x) (R y) (R v) (each_once l) (kind_of (R x) (R y) (R v)) first_mass second_mass
    reference_mass).
  - apply density; [apply rows_covered, X | reflexivity].
  - apply density; [apply rows_covered, Y | reflexivity].
  - apply density; [apply rows_covered, V | reflexivity].
  - intros g. apply kinds_counted.
Qed.

Lemma charge_at E x y v : (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
  uncovered (R x) (R y) (Q2R E) (R v) = Q2R (uncovered_charge E (classes_at x y v)).
Proof.
  intros X Y V. rewrite (charge_of_classes E (classes_at x y v)), <- (listed_are x y v X Y V).
  apply (uncovered_classes (R x) (R y) (R v) (each_once l) (kind_of (R x) (R y) (R v)) first_mass second_mass
    reference_mass).
  - apply density; [apply rows_covered, X | reflexivity].
  - apply density; [apply rows_covered, Y | reflexivity].
  - apply density; [apply rows_covered, V | reflexivity].
  - intros kw I. apply in_map_iff in I. destruct I as [a [<- _]]. simpl. lra.
  - intros g. apply kinds_counted.
  - intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. simpl. lra.
Qed.

Lemma alone_at E x y : (x < d)%nat -> (y < d)%nat ->
  hockey_stick (R x) (R y) (Q2R E) = Q2R (alone_of E (map (W x) l, map (W y) l)).
Proof.
  intros X Y. rewrite (hockey_stick_listed _ _ _ l) by (try apply rows_covered; assumption).
  unfold alone_of. cbn [fst snd]. rewrite combine_maps, map_map, Q2R_sum_of, total_map. apply total_ext.
  intros a I. cbn [fst snd]. rewrite !rows_listed by assumption. destruct (Qle_bool _ 0) eqn:B.
  - apply Qle_bool_R in B. rewrite Q2R_minus, Q2R_mult, Q2R_0 in B. rewrite Q2R_0. apply Rmax_left. lra.
  - apply Qle_bool_R_false in B. rewrite Q2R_0 in B. rewrite Q2R_minus, Q2R_mult in *. apply Rmax_right. lra.
Qed.

Lemma in_matrix x : (x < d)%nat -> In (map (W x) l) matrix.
Proof. intros X. apply (in_map (fun x => map (W x) l)), in_seq. lia. Qed.

Lemma pairs_below_sound E gamma delta (runs : list (bool * row_program)) places pairs :
  pairs_are_below matrix E gamma delta pairs
    (map (fun i => if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) places) = true ->
  forall pair, In pair pairs -> exists run, In run runs /\ pair_is_below matrix E gamma delta pair run = true.
Proof.
  revert places. induction pairs as [| a pairs IH]; intros places H pair I; [destruct I |].
  destruct places as [| i places]; simpl in H; [discriminate |].
  destruct (if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) as [run |] eqn:N; [| discriminate].
  apply andb_true_iff in H. destruct H as [H1 H2]. destruct I as [<- | I]; [| apply (IH places H2 pair I)].
  exists run. split; [| exact H1]. destruct (i <? 0)%Z; [discriminate |]. apply (nth_error_In _ _ N).
Qed.

Theorem matrix_swapped E F delta bits n plans places :
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta ->
  swap_is_below matrix E delta bits n plans places = true ->
  shuffle_dp n (fun x => R (Nat.min x (d - 1))) (ln F) (Q2R delta).
Proof.
  intros HE HF Hd H. assert (Pl := fun x => place_below d x some).
  apply (dp_of_pairs n _ (Q2R E) F (Q2R delta)); try assumption; [intros v; apply rows_proper, Pl |].
  intros x' y' others L. set (x := Nat.min x' (d - 1)). set (y := Nat.min y' (d - 1)).
  assert (X := Pl x'). assert (Y := Pl y'). fold x in X. fold y in Y.
  destruct (same_row (map (W x) l) (map (W y) l)) eqn:Same.
  { left. intros f. rewrite !(mean_masses _ l f) by (try assumption; apply rows_covered; assumption). apply total_ext.
    intros a I. rewrite !rows_listed by assumption. rewrite (same_row_maps _ _ _ Same a I). reflexivity. }
  right. unfold swap_is_below in H.
  assert (Pair : In (map (W x) l, map (W y) l) (different_pairs matrix)).
  { unfold different_pairs. apply filter_In. cbn [fst snd]. rewrite Same. split; [| reflexivity].
    apply in_prod; apply in_matrix; assumption. }
  destruct (pairs_below_sound _ _ _ _ _ _ H _ Pair) as [run [Run B]]. clear H Pair Same.
  apply in_map_iff in Run. destruct Run as [s [<- _]]. unfold pair_is_below in B. apply andb_true_iff in B.
  destruct B as [Good B]. cbn [fst snd rows_of_plan] in Good, B. set (p := plan_of s) in *. rewrite forallb_forall in B.
  (* what all rows have in common *)
  set (fs := map W (seq 0 d)).
  assert (Same : matrix = map (fun f => map f l) fs) by (unfold matrix, fs; rewrite map_map; reflexivity).
  destruct (least_row_spec l fs) as [g [G [Least Attained]]].
  { unfold fs. destruct d; [lia | discriminate]. }
  rewrite <- Same in G. set (c := listed l (fun a => Q2R (g a))).
  assert (Nonneg : forall a, In a l -> 0 <= Q2R (g a)).
  { intros a I. destruct (Attained a) as [f [Fi ->]]. apply in_map_iff in Fi. destruct Fi as [z [<- Z0]].
    apply in_seq in Z0. rewrite <- rows_listed by (lia || assumption). apply mass_nonneg, rows_proper. lia. }
  assert (Below : forall v, (v < d)%nat -> lies_below c (R v)).
  { intros v V. split.
    - intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply Nonneg, I.
    - intros a. destruct (in_dec same a l) as [I | I].
      + unfold c. rewrite mass_listed, rows_listed by assumption. apply Least, in_map, in_seq. lia.
      + unfold c. rewrite mass_not_listed by exact I. apply mass_nonneg, rows_proper, V. }
  assert (Gamma : weight c = Q2R (sum_of (least_row matrix))).
  { unfold weight, c. rewrite mean_listed, G, Q2R_sum_of, total_map. apply total_ext. intros. ring. }
  assert (Wc : 0 <= weight c <= 1).
  { split; [apply weight_nonneg, (Below x X) | apply (weight_below c (R x)); [apply rows_proper, X | apply Below, X]]. }
  (* the plan *)
  assert (Good' := Good). unfold plan_is_good in Good'. rewrite !andb_true_iff in Good'.
  destruct Good' as [[[[[[[[G1 G2] G3] G4] G5] G6] G7] _] G9]. apply Nat.leb_le in G4. apply Nat.leb_le in G7.
  apply positive_Q in G1. apply positive_Q in G3.
  assert (Ends : rises 0 (plan_ends p) n = true) by (destruct (plan_ends p); [discriminate | exact G9]).
  assert (Rising : forall ends b, rises b ends n = true -> rising b ends (n - 1)).
  { clear. induction ends as [| t ends IH]; intros b H; [exact I |]. cbn [rises] in H. rewrite !andb_true_iff in H.
    destruct H as [[[R1 R2] _] R4]. apply Nat.ltb_lt in R1. apply Nat.leb_le in R2. split; [lia | apply IH, R4]. }
  set (lam := Q2R (plan_tilt p)) in *. set (h := Q2R (plan_step p) * lam).
  set (waves := node_waves lam (Q2R (plan_smoothing p) / lam) h (plan_nodes p)).
  set (E' := Q2R E) in *. set (Ro := fun z : nat => R (Nat.min z (d - 1))).
  assert (Len : length (map Ro others) = (n - 1)%nat) by (rewrite map_length; lia).
  intros T Sy. assert (Sb := swap_bound Ro c x' y' others E' (plan_ends p) (fun v _ => rows_proper _ (Pl v))
    (proj1 (Below x X)) (fun v _ => Below _ (Pl v))). assert (Lo : length others = (n - 1)%nat) by lia.
  rewrite Lo in Sb.
  specialize (Sb (Rising _ _ Ends) T Sy).
  enough (in_stages_of (R x) (R y) c E' (plan_ends p) (map Ro others) <= Q2R delta)
    by (eapply Rle_trans; [exact Sb |]; apply Rplus_le_compat_l; assumption).
  apply (swap_vertices (R x) (R y) c E' (values_against (R x) (R y) E') (plan_ends p) (map Ro others)
    (fun _ _ => True) (fun _ => waves)).
  - apply (Below x X).
  - apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as [v [<- _]]. apply Below, Pl.
  - apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as [v [<- _]].
    apply spreads_itself, rows_proper, Pl.
  - intros Z. rewrite Z in Len. simpl in Len. lia.
  - rewrite Len. apply Rising, Ends.
  - intros t _. split; [| intros s0 _ _ wl _; exact I]. apply nodes_majorant; [exact G1 | | exact G4].
    apply Rmult_lt_0_compat; assumption.
  - intros row I. rewrite Len. apply in_map_iff in I. destruct I as [v' [<- _]]. unfold Ro. set (v := Nat.min v' (d -
    1)).
    assert (V := Pl v'). fold v in V.
    specialize (B (map (W v) l) (in_matrix v V)). rewrite classes_are in B.
    set (classes := classes_at x y v) in *.
    assert (RefN : Forall (fun k => 0 <= Q2R (under_reference k)) classes).
    { apply Forall_forall. intros k Ik. apply in_map_iff in Ik. destruct Ik as [a [<- Ia]]. unfold under_reference.
      simpl.
      rewrite <- rows_listed by assumption. apply mass_nonneg, rows_proper, V. }
    assert (Sum : total classes (fun k => Q2R (under_reference k)) <= 1).
    { unfold classes, classes_at. rewrite total_map. unfold under_reference. simpl.
      rewrite (total_ext l _ (fun a => mass (R v) a * 1)) by (intros a Ia; rewrite rows_listed by assumption; ring).
      rewrite <- (mean_masses (R v) l (fun _ => 1) once (rows_covered v V)), (proj2 (rows_proper v V)). lra. }
    assert (Same' := values_at E x y v X Y V). fold classes in Same'.
    assert (Nn : nonneg_masses (with_rest (value_table E classes))) by (apply with_rest_nonneg; assumption).
    assert (Pv : proper (least_values.table_law (with_rest (value_table E classes)))).
    { split.
      - intros wa Ia. unfold least_values.table_law in Ia. apply in_map_iff in Ia. destruct Ia as [vm [<- Ia]].
        unfold nonneg_masses in Nn. rewrite Forall_forall in Nn. apply Nn, Ia.
      - rewrite <- (Same' (fun _ => 1)). apply proper_values_against; [exact (proj1 (rows_proper v V)) |].
        rewrite (proj2 (rows_proper v V)). apply Rle_refl. }
    assert (C0 : 0 <= Q2R (uncovered_charge E classes)).
    { unfold classes. rewrite <- (charge_at E x y v X Y V). unfold uncovered. apply total_nonneg. intros a _.
      destruct (Req_EM_T _ _); [apply Rmax_l | lra]. }
    assert (A0 : 0 <= Q2R (alone_of E (map (W x) l, map (W y) l))).
    { rewrite <- (alone_at E x y X Y). unfold hockey_stick. apply total_nonneg. intros. apply Rmax_l. }
    assert (G0 : 0 <= Q2R (sum_of (least_row matrix)) <= 1) by (rewrite <- Gamma; exact Wc).
    assert (Z := row_is_below_sound p bits n (sum_of (least_row matrix)) (alone_of E (map (W x) l, map (W y) l)) delta
      (uncovered_charge E classes) (with_rest (value_table E classes)) Good Nn Pv G0 A0 C0 B). cbv zeta in Z.
    unfold vertex_stages. rewrite Gamma. unfold E'. rewrite (alone_at E x y X Y).
    eapply Rle_trans; [right | exact Z].
    rewrite (charge_at E x y v X Y V). fold classes lam h waves.
    assert (Wb : forall r, wave_bound waves r (values_against (R x) (R y) (Q2R E) (R v)) =
      wave_bound waves r (least_values.table_law (with_rest (value_table E classes)))).
    { intros r. unfold wave_bound. f_equal. apply total_ext. intros w _. f_equal. f_equal.
      unfold modulus, real_part, imaginary_part. rewrite !Same'. reflexivity. }
    clear -Wb. generalize (n - 1)%nat. intros N. generalize 0%nat. induction (plan_ends p) as [| t ends IH]; intros b;
      [reflexivity |].
    cbn [in_stages]. rewrite Wb, IH. reflexivity.
Qed.

End matrix.

Theorem check_swap_sound r n s nb l delta w proved shown :
  check_swap r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_swap. destruct r as [t |], nb, w, proved,
    shown as [| | | | [| bits plans places] p | | | | | | | | | | | | | | | | |]; try discriminate.
  destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate]. intros H.
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.randomizer_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 L2]. assert (R := ratio_below_sound l p X Y Ratio). destruct R as [R1 R2].
  assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  assert (P' := ordered_posed t P). set (o := ordered_table t) in *.
  assert (D : shuffle_dp (Z.to_nat n) (fun x => row_in o (Nat.min x (length (rows o) - 1))) (ln (ratio l)) (Q2R delta)).
  { unfold matrix_of_table in B. rewrite (rows_by_place _ (rows o) []) in B.
    refine (matrix_swapped (row_in o) (length (rows o)) (outcomes_of o) (fun x => probability (nth x (rows o) []))
      (table_inputs o P') (NoDup_nodup _ _) _ _ _ (Qred (X # Z.to_pos Y)) (ratio l) delta (Z.to_nat bits) (Z.to_nat n)
      plans places E L1 (proj1 L2) B).
    - intros x Hx. apply proper_row_in; assumption.
    - intros x Hx wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply nodup_In.
      change (In (snd a) (map snd (concat (rows o)))). apply in_map, in_concat.
      exists (nth x (rows o) []). split; [apply nth_In, Hx | exact I].
    - intros x a _ _. apply mass_row. }
  cbn [holds]. unfold shuffle_dp_holds, private, nothing_smaller. split; [| trivial].
  intros k I. cbn [for_program].
  assert (More : shuffle_dp k (fun x => row_in o (Nat.min x (length (rows o) - 1))) (ln (ratio l)) (Q2R delta)).
  { apply (adding_users (Z.to_nat n)); [destruct s; simpl in I; lia | | exact D].
    intros x. apply proper_row_in; [exact P' |]. assert (Y1 := table_inputs o P'). lia. }
  exact (ordered_private t k (ratio l) (Q2R delta) P More).
Qed.

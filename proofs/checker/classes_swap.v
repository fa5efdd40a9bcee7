(** The kind shuffle_dp of classes of users, proved by a swap: [classes_are_below] accepts only what holds
    ([members_private_if_below]).

    For each class that may have the user who differs the witness says whose users are counted on. If it is that class
    alone, it is the check of its randomizer. Else these classes run tables: for each pair of inputs of his class every
    choice of an input for each of them is bounded, by mixed_rows.v, with a common law below all their rows. For every
    list of classes, level, delta and witness.

    Idea: stages_of_classes of class_vertices.v. Source: docs/certificates.md, "By the swap bound", "Classes of users". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation PeanoNat.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess hidden_message blanket events.
From Exactdp Require Import classes independence least_values pair_bound increasing_convex_order uniform_subsets.
From Exactdp Require Import swapped_messages swapped_stages wave_bounds swap_vertices class_vertices node_waves node_program node_sound.
From ExactdpChecker Require Import claims witnesses blanket_program blanket_sound matrix_blanket family_blanket family_rows.
From ExactdpChecker Require Import laws_of_noise blanket_checked told_most swap_checked mixed_rows classes_of_users members_of_classes
  laplace_table opaque_rationals.
From ExactdpChecker Require posed table_laws.
Import ListNotations.

(** ** The program *)

(** Of a pair of inputs: its classes against the common law, and against the rows that each class of others may have. *)
Definition mixed_pair : Type := list rational_class * list (list (list rational_class)).

Definition all_rows (tables : list claims.table) : list (list (Q * list nat)) := flat_map rows tables.

Definition places_of (tables : list claims.table) : list (list nat) :=
  outcomes_of {| message_types := 0; rows := all_rows tables |}.

Definition probabilities (places : list (list nat)) (row : list (Q * list nat)) : list Q := map (probability row) places.

(** The common law lies below all tables that are together; of these [used] have some users each. *)
Definition mixed_pairs (t : claims.table) (together used : list claims.table) : list mixed_pair :=
  let places := places_of (t :: together) in
  let lists t := map (probabilities places) (rows t) in
  let least := least_row (map (probabilities places) (all_rows together)) in
  map (fun pair => (classes_of_rows least pair, map (fun u => map (fun row => classes_of_rows row pair) (lists u)) used))
    (different_pairs (lists t)).

Definition mixed_run (E delta : Q) (bits : nat) (users : list nat) (s : swap_plan) : mixed_pair -> bool :=
  let n := S (fold_right Init.Nat.add 0%nat users) in
  let p := plan_of s in
  match swap_stages s with
  | [] => let r := run_of_plan bits n s in fun pair => pair_is_below E delta {| of_blanket := fst pair; of_others := [] |} r
  | _ =>
      let shares := map (fun k => Z.of_nat k # Z.to_pos (Z.of_nat (n - 1))) users in
      let nodes := node_weights p bits in let rest := nodes_beyond p bits in let before := front p bits in
      fun pair =>
        negb (swap_own s) && plan_is_good p bits n && masses_are_good (fst pair) &&
        forallb (forallb (fun classes => masses_are_good classes && Qle_bool 0 (uncovered_charge E classes))) (snd pair) &&
        choices_below p bits n nodes rest before (sum_of (map under_reference (fst pair))) (divergence_listed E (fst pair))
          delta shares (map (map (charged_values E)) (snd pair))
  end.

Fixpoint mixed_are_below (pairs : list mixed_pair) (runs : list (option (mixed_pair -> bool))) : bool :=
  match pairs, runs with
  | [], [] => true
  | one :: pairs', Some run :: runs' => run one && mixed_are_below pairs' runs'
  | _, _ => false
  end.

Definition plan_at {A} (runs : list A) (place : Z) : option A := if (place <? 0)%Z then None else nth_error runs (Z.to_nat place).

(** The tables of these classes, with the numbers of their users but the one who differs. *)
Fixpoint tables_at (classes : list (member * Z)) (own : nat) (used : list nat) : option (list (claims.table * nat)) :=
  match used with
  | [] => Some []
  | j :: more =>
      match nth_error classes j, tables_at classes own more with
      | Some (Always (Table t), _), Some tables => Some ((ordered_table t, others_in (map snd classes) own j) :: tables)
      | _, _ => None
      end
  end.

Definition is_alone (own : nat) (used : list nat) : bool := match used with [j] => Nat.eqb j own | _ => false end.

(** How many pairs there are, with those users looked at who are counted on, and whether all are below delta. *)
Definition class_is_below (classes : list (member * Z)) (E delta : Q) (bits : nat) (plans : list swap_plan)
    (own : nat) (used : list nat) (places : list Z) : option (list Z) :=
  match nth_error classes own with
  | Some (m, n) =>
      if is_alone own used then
        match pairs_of_member m with
        | Some pairs =>
            if swap_is_below pairs E delta bits (Z.to_nat n) plans (firstn (length pairs) places)
            then Some (skipn (length pairs) places) else None
        | None => None
        end
      else
        match m, tables_at classes own used with
        | Always (Table t), Some tables =>
            let some := filter (fun tk : claims.table * nat => negb (Nat.eqb (snd tk) 0)) tables in
            let pairs := mixed_pairs (ordered_table t) (map fst tables) (map fst some) in
            let runs := map (mixed_run E delta bits (map snd some)) plans in
            if negb (Nat.eqb (length some) 0) && mixed_are_below pairs (map (plan_at runs) (firstn (length pairs) places))
            then Some (skipn (length pairs) places) else None
        | _, _ => None
        end
  | None => None
  end.

Fixpoint all_different (l : list nat) : bool :=
  match l with
  | [] => true
  | j :: more => negb (existsb (Nat.eqb j) more) && all_different more
  end.

(** Every class that may have the user who differs. *)
Definition differing {A} (classes : list A) (who : option Z) : list nat :=
  match who with
  | Some j => [Z.to_nat j]
  | None => seq 0 (length classes)
  end.

Fixpoint classes_are_below (classes : list (member * Z)) (E delta : Q) (bits : nat) (plans : list swap_plan)
    (owns : list nat) (used : list (list Z)) (places : list Z) : bool :=
  match owns, used with
  | [], [] => match places with [] => true | _ => false end
  | own :: owns', one :: used' =>
      all_different (map Z.to_nat one) &&
      match class_is_below classes E delta bits plans own (map Z.to_nat one) places with
      | Some places' => classes_are_below classes E delta bits plans owns' used' places'
      | None => false
      end
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma all_different_sound l : all_different l = true -> NoDup l.
Proof.
  induction l as [| j l IH]; intros H; constructor; simpl in H; apply andb_true_iff in H; destruct H as [H1 H2]; [| apply IH, H2].
  intros I. apply negb_true_iff in H1. rewrite <- not_true_iff_false in H1. apply H1, existsb_exists.
  exists j. split; [exact I | apply Nat.eqb_refl].
Qed.

(** *** One row against others *)

Lemma told_rows (l : list (list nat)) (r1 r2 : list (Q * list nat)) (D : dist (list nat)) (g : list nat -> Q) :
  NoDup l -> covers l (row_law r1) -> covers l (row_law r2) -> covers l D ->
  (forall a, In a l -> mass D a = Q2R (g a)) -> sub_law D ->
  tells (row_law r1) (row_law r2) D (map (fun a => (probability r1 a, probability r2 a, g a)) l).
Proof.
  intros N C1 C2 C G S. set (R := fun x : nat => match x with O => row_law r1 | _ => row_law r2 end).
  set (W := fun x : nat => match x with O => probability r1 | _ => probability r2 end).
  apply (told_listed R 2 l W) with (x := 0%nat) (y := 1%nat); try assumption; try lia.
  - intros [| x] _; assumption.
  - intros [| x] a _ _; apply mass_row.
Qed.

Lemma classes_of_probabilities places r1 r2 (g : list nat -> Q) :
  classes_of_rows (map g places) (probabilities places r1, probabilities places r2) =
  map (fun a => (probability r1 a, probability r2 a, g a)) places.
Proof. unfold classes_of_rows, probabilities. cbn [fst snd]. rewrite !combine_maps. reflexivity. Qed.

Section mixed.

(** Rows of the two inputs, and of tables that others run, with places for all outcomes. *)
Context (places : list (list nat)) (r1 r2 : list (Q * list nat)) (together used : list claims.table) (users : list nat).
Context (E delta : Q) (bits : nat) (s : swap_plan).
Hypothesis once : NoDup places.
Hypothesis covered_1 : covers places (row_law r1).
Hypothesis covered_2 : covers places (row_law r2).
Hypothesis used_listed : incl used together.
Hypothesis used_good : forall t row, In t together -> In row (rows t) -> proper (row_law row) /\ covers places (row_law row).
Hypothesis some_users : Forall (fun k => (1 <= k)%nat) users.
Hypothesis as_many : length users = length used.
Hypothesis used_some : used <> [].
Hypothesis rows_some : forall t, In t used -> rows t <> [].

Let least := least_row (map (probabilities places) (all_rows together)).
Let pair : mixed_pair := (classes_of_rows least (probabilities places r1, probabilities places r2),
  map (fun u => map (fun row => classes_of_rows row (probabilities places r1, probabilities places r2))
    (map (probabilities places) (rows u))) used).
Hypothesis accepted : mixed_run E delta bits users s pair = true.

Let P := row_law r1.
Let Q' := row_law r2.

(** The rows of the others, class by class. *)
Variable held : list (list (dist (list nat))).
Hypothesis held_sizes : map (fun rows => length rows) held = users.
Hypothesis held_rows : Forall2 (fun rows t => Forall (fun d => exists row, In row (claims.rows t) /\ d = row_law row) rows) held used.

Lemma common_law : exists c, sub_law c /\ weight c = Q2R (sum_of (map under_reference (fst pair))) /\
  tells P Q' c (fst pair) /\ forall t row, In t used -> In row (rows t) -> lies_below c (row_law row).
Proof.
  assert (In_all : forall t row, In t used -> In row (rows t) -> In row (all_rows together))
    by (intros t row T I; apply in_flat_map; exists t; split; [apply used_listed, T | exact I]).
  destruct (least_row_spec places (map probability (all_rows together))) as [g [G [Least Attained]]].
  { intros Z. apply map_eq_nil in Z. assert (X : exists t, In t used) by (destruct used as [| t l]; [congruence | exists t; left; reflexivity]).
    destruct X as [t T]. assert (X : exists row, In row (rows t)).
    { specialize (rows_some t T). destruct (rows t) as [| row l]; [congruence | exists row; left; reflexivity]. }
    destruct X as [row I]. specialize (In_all t row T I). rewrite Z in In_all. exact In_all. }
  rewrite map_map in G. change (fun x => map (probability x) places) with (probabilities places) in G.
  set (c := listed places (fun a => Q2R (g a))). exists c.
  assert (Mc : forall a, In a places -> mass c a = Q2R (g a)) by (intros a I; exact (mass_listed places (fun a => Q2R (g a)) a once I)).
  assert (Nonneg : forall a, 0 <= Q2R (g a)).
  { intros a. destruct (Attained a) as [f [F ->]]. apply in_map_iff in F. destruct F as [row [<- F]]. unfold all_rows in F.
    apply in_flat_map in F. destruct F as [t [T I]]. rewrite <- mass_row. apply mass_nonneg, (used_good t row T I). }
  assert (Sub : sub_law c).
  { intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. apply Nonneg. }
  assert (Fst : fst pair = map (fun a => (probability r1 a, probability r2 a, g a)) places).
  { unfold pair, least. cbn [fst]. rewrite G. apply classes_of_probabilities. }
  split; [exact Sub |]. split; [| split].
  - rewrite Fst, map_map, Q2R_sum_of, total_map. unfold weight, c. rewrite mean_listed. apply total_ext. intros.
    unfold under_reference. simpl. ring.
  - rewrite Fst. apply told_rows; try assumption. intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. exact I.
  - intros t row T I. split; [exact Sub |]. intros a. destruct (in_dec same a places) as [J | J].
    + rewrite (Mc a J), mass_row. apply Least, in_map, (In_all t row T I).
    + unfold c. rewrite mass_not_listed by exact J. apply mass_nonneg, (used_good t row (used_listed t T) I).
Qed.

Lemma row_told t row : In t used -> In row (rows t) ->
  tells P Q' (row_law row) (classes_of_rows (probabilities places row) (probabilities places r1, probabilities places r2)).
Proof.
  intros T I. assert (H := classes_of_probabilities places r1 r2 (probability row)).
  change (map (probability row) places) with (probabilities places row) in H. rewrite H. destruct (used_good t row (used_listed t T) I) as [Pr C].
  apply told_rows; try assumption; [intros a _; apply mass_row | exact (proj1 Pr)].
Qed.

Let N := fold_right Init.Nat.add 0%nat users.

Lemma held_length : length (concat held) = N.
Proof.
  unfold N. rewrite <- held_sizes. clear. induction held as [| rows l IH]; [reflexivity |]. simpl. rewrite app_length, IH. reflexivity.
Qed.

Lemma held_good d : In d (concat held) -> exists t row, In t used /\ In row (rows t) /\ d = row_law row.
Proof.
  intros I. apply in_concat in I. destruct I as [class [C I]]. clear -held_rows C I. revert C.
  induction held_rows as [| class' t l m F H IH]; intros C; [destruct C |]. destruct C as [-> | C].
  - rewrite Forall_forall in F. destruct (F d I) as [row [J ->]]. exists t, row. simpl. auto.
  - destruct (IH H C) as [t' [row [T [J X]]]]. exists t', row. simpl. auto.
Qed.

(** What is chosen of each class for its row. *)
Lemma chosen_told (rows : list (dist (list nat))) :
  Forall2 (fun class v => In v class) held rows ->
  exists chosen, Forall2 (fun row first => In row first) chosen (map (map (charged_values E)) (snd pair)) /\
    Forall2 (fun v row => same_law (values_against P Q' (Q2R E) v) (least_values.table_law (snd row)) /\
      uncovered P Q' (Q2R E) v = Q2R (fst row)) rows chosen.
Proof.
  intros F. unfold pair. cbn [snd]. assert (Told := row_told). revert rows F.
  assert (G : forall l, Forall2 (fun rows t => Forall (fun d => exists row, In row (claims.rows t) /\ d = row_law row) rows) held l ->
    incl l used -> forall rows, Forall2 (fun class v => In v class) held rows ->
    exists chosen, Forall2 (fun row first => In row first) chosen (map (map (charged_values E)) (map (fun u =>
        map (fun row => classes_of_rows row (probabilities places r1, probabilities places r2)) (map (probabilities places) (claims.rows u))) l)) /\
      Forall2 (fun v row => same_law (values_against P Q' (Q2R E) v) (least_values.table_law (snd row)) /\
        uncovered P Q' (Q2R E) v = Q2R (fst row)) rows chosen); [| exact (G used held_rows (incl_refl used))].
  clear accepted held_sizes held_rows. intros l H. induction H as [| class t hs l C H IH]; intros Incl rows F; inversion F as [| ? v ? rows' I F']; subst.
  - exists []. split; constructor.
  - destruct (IH (fun u J => Incl u (or_intror J)) rows' F') as [chosen [A B]]. rewrite Forall_forall in C.
    destruct (C v I) as [row [J ->]]. assert (T := Told t row (Incl t (or_introl eq_refl)) J (Q2R E)). destruct T as [V U].
    set (classes := classes_of_rows (probabilities places row) (probabilities places r1, probabilities places r2)) in *. exists (charged_values E classes :: chosen). cbn [map]. split; constructor; try assumption.
    + apply in_map, in_map_iff. exists (probabilities places row). split; [reflexivity | apply in_map, J].
    + unfold charged_values. cbn [fst snd]. split; [intros f; rewrite V; symmetry; apply (values_of_classes E classes) |].
      rewrite U. symmetry. apply (charge_of_classes E classes).
Qed.

Lemma mean_alike (f : dist (list nat) -> R) (h : Q * least_values.table -> R) rows chosen :
  (1 <= N)%nat -> length rows = length held -> Forall2 (fun v row => f v = h row) rows chosen ->
  average (alike_classes held rows) f =
  total (combine (map (fun k => Z.of_nat k # Z.to_pos (Z.of_nat N)) users) chosen) (fun sr => Q2R (fst sr) * h (snd sr)).
Proof.
  intros N1 L F. unfold average.
  assert (Len : length (alike_classes held rows) = N).
  { rewrite <- held_length. clear -L. unfold alike_classes. revert rows L. induction held as [| class l IH]; intros [| v rows] L;
      try discriminate; [reflexivity |]. cbn [combine map concat fst snd]. rewrite !app_length, repeat_length, IH by (simpl in L; lia).
    reflexivity. }
  rewrite Len, total_alike by exact L. assert (N0 : 0 < INR N) by (apply lt_0_INR; lia).
  rewrite <- held_sizes. clear -L F N0 N1. unfold Rdiv. rewrite <- total_scal_r. revert held L.
  induction F as [| v row rows chosen E0 F IH]; intros [| class l] L; try discriminate; [reflexivity |].
  cbn [map combine total fst snd]. rewrite (IH l) by (simpl in L; lia). f_equal. rewrite E0. unfold Q2R. cbn [Qnum Qden].
  rewrite <- INR_IZR_INZ, Z2Pos.id, <- INR_IZR_INZ by lia. ring.
Qed.

Lemma in_stages_ext before ends n gamma H F G : (forall r, F r = G r) ->
  in_stages before ends n gamma H F = in_stages before ends n gamma H G.
Proof. intros E0. revert before. induction ends as [| t ends IH]; intros before; [reflexivity |]. cbn [in_stages]. rewrite E0, IH. reflexivity. Qed.

Theorem mixed_below g : orderless g -> (forall l, 0 <= g l <= 1) ->
  mean (draws (P :: concat held)) g - Q2R E * mean (draws (Q' :: concat held)) g <= Q2R delta.
Proof.
  intros O G1. destruct common_law as [c [Sub [Weight [Told Below]]]].
  assert (Rows : Forall (fun d => proper d /\ lies_below c d) (concat held)).
  { apply Forall_forall. intros d I. destruct (held_good d I) as [t [row [T [J ->]]]].
    split; [apply (used_good t row (used_listed t T) J) | apply (Below t row T J)]. }
  assert (Light : weight c <= 1).
  { assert (X : exists t, In t used) by (destruct used as [| t l]; [congruence | exists t; left; reflexivity]).
    destruct X as [t T]. assert (X : exists row, In row (rows t)).
    { specialize (rows_some t T). destruct (rows t) as [| row l]; [congruence | exists row; left; reflexivity]. }
    destruct X as [row I]. apply (weight_below c (row_law row)); [apply (used_good t row (used_listed t T) I) | apply (Below t row T I)]. }
  assert (Wc : 0 <= weight c <= 1) by (split; [apply weight_nonneg, Sub | exact Light]).
  unfold mixed_run in accepted. fold N in accepted. destruct (swap_stages s) as [| t0 ends0] eqn:Stages.
  - eapply Rle_trans; [apply (blanket_of_laws P Q' c (Q2R E) (concat held) g Sub Rows O G1) |]. rewrite held_length.
    exact (hidden_below P Q' c E delta _ bits (S N) s accepted Sub Light (tells_is_most _ _ _ _ Told) Stages).
  - cbv zeta in accepted. rewrite !andb_true_iff in accepted. destruct accepted as [[[[_ Good] Masses] All] B].
    destruct (good_masses _ Masses) as [Nn _]. set (p := plan_of s) in *.
    destruct (good_plan p bits (S N) Good) as [Maj Rise]. replace (S N - 1)%nat with N in * by lia.
    assert (Alone := divergence_of_classes E _ P Q' c Sub (tells_bounds _ _ _ _ Told) Nn).
    assert (Alone0 : 0 <= Q2R (divergence_listed E (fst pair))).
    { rewrite <- Alone. unfold hockey_stick. apply total_nonneg. intros. apply Rmax_l. }
    assert (Some : Forall (fun class => class <> []) held).
    { clear -held_sizes some_users. revert users held_sizes some_users. induction held as [| class l IH]; intros [| k ks] Hs F;
        try discriminate; constructor; inversion F; injection Hs as Hs1 Hs2; [intros Z; rewrite Z in Hs1; simpl in *; lia |].
      apply (IH ks); assumption. }
    destruct (good_plan_parts p bits (S N) Good) as [_ [_ [_ [_ [Rises _]]]]].
    destruct (stages_of_classes P Q' c (Q2R E) (values_against P Q' (Q2R E)) (waves_of p) (plan_ends p) N Rise Wc
      (fun _ => True) held) as [chosen_rows [F Le]]; try assumption.
    + symmetry. exact held_length.
    + clear -Rises. revert Rises. generalize 0%nat. induction (plan_ends p) as [| t l IH]; intros b H u I; [destruct I |].
      cbn [rises] in H. rewrite !andb_true_iff in H. destruct H as [[_ Ev] H]. destruct I as [<- | I]; [| apply (IH t H u I)].
      apply Nat.even_spec, Ev.
    + apply Forall_forall. intros d I. apply spreads_itself. rewrite Forall_forall in Rows. apply (Rows d I).
    + intros r t _ _ wl _. trivial.
    + eapply Rle_trans; [apply (swap_in_stages P Q' (Q2R E) c (plan_ends p) (concat held) g Sub Rows); try assumption; rewrite held_length; exact Rise |].
      eapply Rle_trans; [exact Le |]. clear Le.
      destruct (chosen_told chosen_rows F) as [chosen [In_chosen Values]].
      set (shares := map (fun k => Z.of_nat k # Z.to_pos (Z.of_nat N)) users) in *.
      assert (N0 : (1 <= N)%nat).
      { unfold plan_is_good in Good. rewrite !andb_true_iff in Good. destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. lia. }
      assert (Stage := choices_below_sound p bits (S N) Good (sum_of (map under_reference (fst pair)))
        (divergence_listed E (fst pair)) delta shares (map (map (charged_values E)) (snd pair)) chosen).
      rewrite <- Weight, <- Alone in Stage. eapply Rle_trans; [| apply Stage; try assumption].
      * right. replace (S N - 1)%nat with N by lia. unfold class_stages.
        assert (Lr : length chosen_rows = length held) by (clear -F; induction F; simpl; congruence).
        apply in_stages_ext. intros r. unfold squares, at_power.
        rewrite (mean_alike (uncovered P Q' (Q2R E)) (fun row => Q2R (fst row)) chosen_rows chosen N0 Lr)
          by (revert Values; apply Forall2_weaken; intros v row [_ U]; exact U).
        f_equal. f_equal. apply total_ext. intros w _. f_equal. f_equal. unfold mean_squared. rewrite total_map. cbn [fst snd].
        apply (mean_alike (fun row => modulus w (values_against P Q' (Q2R E) row) ^ 2)
          (fun row => modulus w (least_values.table_law (snd row)) ^ 2) chosen_rows chosen N0 Lr).
        revert Values. apply Forall2_weaken. intros v row [V _]. unfold modulus, real_part, imaginary_part. rewrite !V. reflexivity.
      * rewrite Alone. exact Alone0.
      * unfold shares, pair. cbn [snd]. rewrite !map_length. exact as_many.
      * intros q I. apply in_map_iff in I. destruct I as [k [<- _]]. unfold Q2R. cbn [Qnum Qden].
        apply Rmult_le_pos; [apply IZR_le; lia | left; apply Rinv_0_lt_compat, IZR_lt; lia].
      * intros first row I J. apply in_map_iff in I. destruct I as [l [<- I]]. apply in_map_iff in J. destruct J as [classes [<- J]].
        rewrite forallb_forall in All. specialize (All l I). rewrite forallb_forall in All. specialize (All classes J).
        apply andb_true_iff in All. destruct All as [G C]. apply Qle_bool_R in C. rewrite Q2R_0 in C.
        destruct (proper_table E classes G) as [Pv Nv]. split; [exact C | split; assumption].
Qed.

End mixed.

Lemma mixed_runs_sound pairs runs places : mixed_are_below pairs (map (plan_at runs) places) = true ->
  forall one, In one pairs -> exists run, In run runs /\ run one = true.
Proof.
  revert places. induction pairs as [| a pairs IH]; intros places H one I; [destruct I |].
  destruct places as [| i places]; simpl in H; [discriminate |]. destruct (plan_at runs i) as [run |] eqn:Pl; [| discriminate].
  apply andb_true_iff in H. destruct H as [H1 H2]. destruct I as [<- | I]; [| apply (IH places H2 one I)].
  exists run. split; [| exact H1]. unfold plan_at in Pl. destruct (i <? 0)%Z; [discriminate | apply (nth_error_In _ _ Pl)].
Qed.

(** *** Users of tables *)

Section tables.

Context (named : nat -> bool) (classes : list (member * Z)).
Hypothesis posed : forall c, In c classes -> member_posed (fst c).

Let K := member_law named classes.

Definition of_table (m : nat) : option nat * answer := (None, Messages [m]).

(** What a user of a table sends, in order. *)
Definition sent_in_order (u : nat * nat) : dist (list nat) :=
  match nth_error classes (fst u) with
  | Some (Always (Table t), _) => table_law (ordered_table t) (snd u)
  | _ => ret []
  end.

Definition runs_table (j : nat) : Prop := exists t n, nth_error classes j = Some (Always (Table t), n).

Lemma ordered_users us : (forall u, In u us -> runs_table (fst u)) -> forall f, orderless f ->
  mean (messages K us) f = mean (messages sent_in_order us) (fun u => f (map of_table u)).
Proof.
  induction us as [| [j v] us IH]; intros H f O; [reflexivity |]. rewrite !mean_messages_first.
  destruct (H (j, v) (or_introl eq_refl)) as [t [n Nth]]. cbn [fst] in Nth. unfold K, member_law, sent_by, sent_in_order. cbn [fst snd].
  rewrite Nth. cbn [for_program]. rewrite mean_dmap, ordered_row. apply mean_ext. intros u.
  fold K. rewrite IH by (try (intros w I; apply H; right; exact I); intros a b Pm; apply O, Permutation_app_head, Pm).
  apply mean_ext. intros w. apply O. rewrite map_app. apply Permutation_app_tail.
  apply (Permutation_map of_table). apply in_order_permutation.
Qed.

Lemma tables_at_sound own used : forall tables held,
  tables_at classes own used = Some tables ->
  map (fun vs => length vs) held = map (others_in (map snd classes) own) used ->
  let some := filter (fun tk : claims.table * nat => negb (Nat.eqb (snd tk) 0)) tables in
  let others := concat (map (fun jv => map (pair (fst jv)) (snd jv)) (combine used held)) in
  (forall u, In u others -> runs_table (fst u)) /\
  (forall tk, In tk tables -> table_posed (fst tk)) /\ (forall tk, In tk some -> (1 <= snd tk)%nat) /\
  exists rows, map sent_in_order others = concat rows /\ map (fun l => length l) rows = map snd some /\
    Forall2 (fun l t => Forall (fun d => exists row, In row (claims.rows t) /\ d = row_law row) l) rows (map fst some).
Proof.
  induction used as [| j used IH]; intros tables held T L; cbn [tables_at] in T.
  - injection T as <-. destruct held; [| discriminate]. cbn. split; [intros u [] |]. split; [intros tk [] |]. split; [intros tk [] |].
    exists []. split; [reflexivity | split; [reflexivity | constructor]].
  - destruct (nth_error classes j) as [[[[t |] | | |] n] |] eqn:Nth; try discriminate.
    destruct (tables_at classes own used) as [tables' |] eqn:T'; [| discriminate]. injection T as <-.
    destruct held as [| vs held]; [discriminate |]. cbn [map] in L. injection L as L0 L.
    destruct (IH tables' held eq_refl L) as [Run [Po [Good [rows [Eq [Len F]]]]]]. clear IH.
    assert (Pt : table_posed (ordered_table t)) by (apply ordered_posed, (posed (Always (Table t), n)), (nth_error_In _ _ Nth)).
    cbn [combine map concat fst snd filter]. split; [| split; [| split]].
    + intros u I. apply in_app_or in I. destruct I as [I | I]; [| apply Run, I]. apply in_map_iff in I.
      destruct I as [v [<- _]]. exists t, n. exact Nth.
    + intros tk [<- | I]; [exact Pt | apply Po, I].
    + intros tk I. destruct (negb (others_in (map snd classes) own j =? 0)%nat) eqn:Z0; [| apply Good, I].
      destruct I as [<- | I]; [| apply Good, I]. cbn [fst snd]. apply negb_true_iff, Nat.eqb_neq in Z0. lia.
    + assert (Mine : map sent_in_order (map (pair j) vs) = map (table_law (ordered_table t)) vs).
      { rewrite map_map. apply map_ext. intros v. unfold sent_in_order. cbn [fst snd]. rewrite Nth. reflexivity. }
      rewrite map_app, Mine, Eq. destruct (Nat.eqb_spec (others_in (map snd classes) own j) 0) as [Z0 | NZ]; cbn [negb].
      * rewrite Z0 in L0. destruct vs; [| discriminate]. exists rows. split; [reflexivity | split; assumption].
      * exists (map (table_law (ordered_table t)) vs :: rows). cbn [map concat fst snd]. rewrite map_length, L0, Len.
        split; [reflexivity | split; [reflexivity |]]. constructor; [| exact F]. apply Forall_forall. intros d I.
        apply in_map_iff in I. destruct I as [v [<- _]]. unfold table_law. exists (entry (claims.rows (ordered_table t)) [] v).
        split; [| reflexivity]. rewrite entry_place by apply Pt. apply nth_In. assert (X := table_inputs _ Pt). lia.
Qed.

Lemma entry_in_rows t v : table_posed t -> In (entry (claims.rows t) [] v) (claims.rows t).
Proof. intros Pt. rewrite entry_place by apply Pt. apply nth_In. assert (X := table_inputs t Pt). lia. Qed.

Lemma row_covered tables t row : In t tables -> In row (claims.rows t) -> covers (places_of tables) (row_law row).
Proof.
  intros T I wa J. apply in_map_iff in J. destruct J as [a [<- J]]. apply nodup_In. cbn [claims.rows].
  change (In (snd a) (map snd (concat (all_rows tables)))). apply in_map, in_concat. exists row. split; [| exact J].
  apply in_flat_map. exists t. split; assumption.
Qed.

Theorem tables_below own used tables t n (E delta : Q) F bits plans places x y held :
  nth_error classes own = Some (Always (Table t), n) -> tables_at classes own used = Some tables ->
  map (fun vs => length vs) held = map (others_in (map snd classes) own) used ->
  let some := filter (fun tk : claims.table * nat => negb (Nat.eqb (snd tk) 0)) tables in
  some <> [] -> Q2R E <= F -> 1 <= F -> 0 <= Q2R delta ->
  mixed_are_below (mixed_pairs (ordered_table t) (map fst tables) (map fst some))
    (map (plan_at (map (mixed_run E delta bits (map snd some)) plans)) places) = true ->
  let others := concat (map (fun jv => map (pair (fst jv)) (snd jv)) (combine used held)) in
  shuffle_below K ((own, x) :: others) ((own, y) :: others) F (Q2R delta).
Proof.
  intros Nth T L some Some HE HF Hd H others. destruct (tables_at_sound own used tables held T L) as [Run [Posed [Good [rows [Eq [Len F2]]]]]].
  fold some in Good, Len, F2. fold others in Run, Eq.
  assert (Po : table_posed (ordered_table t)) by (apply ordered_posed, (posed (Always (Table t), n)), (nth_error_In _ _ Nth)).
  set (o := ordered_table t) in *. set (together := map fst tables) in *. set (tables' := map fst some) in *.
  set (places' := places_of (o :: together)) in *.
  assert (Listed : incl tables' together).
  { intros u U. apply in_map_iff in U. destruct U as [tk [<- U]]. apply filter_In in U. apply in_map, U. }
  set (r1 := entry (claims.rows o) [] x). set (r2 := entry (claims.rows o) [] y).
  assert (I1 : In r1 (claims.rows o)) by (apply entry_in_rows, Po). assert (I2 : In r2 (claims.rows o)) by (apply entry_in_rows, Po).
  assert (C1 : covers places' (row_law r1)) by (apply (row_covered (o :: together) o); [left; reflexivity | exact I1]).
  assert (C2 : covers places' (row_law r2)) by (apply (row_covered (o :: together) o); [left; reflexivity | exact I2]).
  assert (Once : NoDup places') by apply NoDup_nodup.
  assert (Pk : forall us, (forall u, In u us -> runs_table (fst u)) -> forall S, symmetric S ->
    Pr (messages K us) S = Pr (messages sent_in_order us) (fun u => S (map of_table u))).
  { intros us R0 S HS. exact (ordered_users us R0 (indicator S) (orderless_indicator S HS)). }
  assert (Table_x : forall z u, In u ((own, z) :: others) -> runs_table (fst u)).
  { intros z u [<- | I]; [exists t, n; exact Nth | apply Run, I]. }
  intros S HS. rewrite !Pk by (try exact HS; apply Table_x).
  set (S' := fun u => S (map of_table u)). assert (HS' : symmetric S') by (intros u v Pm; apply HS, Permutation_map, Pm).
  assert (B0 : forall us, 0 <= Pr (messages sent_in_order us) S').
  { intros us. apply Pr_bounds, proper_messages. intros [j v]. unfold sent_in_order. cbn [fst snd].
    destruct (nth_error classes j) as [[[[tj |] | | |] nj] |] eqn:Nj; try apply proper_ret.
    apply table_laws.proper_table, ordered_posed, (posed (Always (Table tj), nj)), (nth_error_In _ _ Nj). }
  assert (Sx : forall z, sent_in_order (own, z) = row_law (entry (claims.rows o) [] z))
    by (intros z; unfold sent_in_order; cbn [fst snd]; rewrite Nth; reflexivity).
  destruct (same_row (probabilities places' r1) (probabilities places' r2)) eqn:Same.
  - assert (Law : same_law (sent_in_order (own, x)) (sent_in_order (own, y))).
    { rewrite !Sx. fold r1 r2. intros f. rewrite (mean_masses _ places' f Once C1), (mean_masses _ places' f Once C2). apply total_ext.
      intros a I. rewrite !mass_row, (same_row_maps _ _ _ Same a I). reflexivity. }
    assert (Eq2 : Pr (messages sent_in_order ((own, x) :: others)) S' = Pr (messages sent_in_order ((own, y) :: others)) S').
    { unfold Pr. rewrite !mean_messages_first. apply Law. }
    rewrite Eq2. assert (X := B0 ((own, y) :: others)). nra.
  - assert (In_pairs : In (classes_of_rows (least_row (map (probabilities places') (all_rows together)))
        (probabilities places' r1, probabilities places' r2),
        map (fun u => map (fun row => classes_of_rows row (probabilities places' r1, probabilities places' r2))
          (map (probabilities places') (claims.rows u))) tables') (mixed_pairs o together tables')).
    { unfold mixed_pairs. fold places'. apply in_map_iff. exists (probabilities places' r1, probabilities places' r2).
      split; [reflexivity |]. unfold different_pairs. apply filter_In. cbn [fst snd]. rewrite Same. split; [| reflexivity].
      apply in_prod; apply in_map; assumption. }
    destruct (mixed_runs_sound _ _ _ H _ In_pairs) as [run [J Acc]]. apply in_map_iff in J. destruct J as [s [<- _]].
    assert (G := mixed_below places' r1 r2 together tables' (map snd some) E delta bits s Once C1 C2).
    assert (Below : shuffle_below sent_in_order ((own, x) :: others) ((own, y) :: others) (Q2R E) (Q2R delta)).
    { apply view_below. intros g O G1. rewrite Eq, !Sx. fold r1 r2. apply G; try assumption.
      - intros u row U I. assert (In u (o :: together)) by (right; exact U). apply in_map_iff in U. destruct U as [tk [<- U]].
        split; [apply (proper_row (message_types (fst tk))), (Posed tk U), I |].
        apply (row_covered (o :: together) (fst tk)); assumption.
      - apply Forall_forall. intros k I. apply in_map_iff in I. destruct I as [tk [<- I]]. apply Good, I.
      - unfold tables'. rewrite !map_length. reflexivity.
      - unfold tables'. intros Z0. apply map_eq_nil in Z0. contradiction.
      - intros u U. apply Listed, in_map_iff in U. destruct U as [tk [<- U]]. apply (proj1 (Posed tk U)). }
    specialize (Below S' HS'). assert (X := B0 ((own, y) :: others)). assert (Q2R E * Pr (messages sent_in_order ((own, y) :: others)) S' <=
      F * Pr (messages sent_in_order ((own, y) :: others)) S') by (apply Rmult_le_compat_r; assumption). lra.
Qed.

End tables.

(** *** Every class *)

Lemma class_is_below_sound named classes own used (E delta : Q) F bits plans places places' :
  (forall c, In c classes -> member_posed (fst c) /\ (1 <= snd c)%Z) ->
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> NoDup used ->
  class_is_below classes E delta bits plans own used places = Some places' ->
  forall before x y after, map fst (before ++ (own, x) :: after) = data_set (map snd classes) ->
  shuffle_below (member_law named classes) (before ++ (own, x) :: after) (before ++ (own, y) :: after) F (Q2R delta).
Proof.
  intros Posed HE HF Hd Nd H. assert (P := fun c I => proj1 (Posed c I)).
  apply (some_looked_at (member_law named classes) (map snd classes) own used); [intros u; apply member_law_proper, P | exact Nd |].
  intros x y held L others. unfold class_is_below in H. destruct (nth_error classes own) as [[m n] |] eqn:Nth; [| discriminate].
  destruct (Posed _ (nth_error_In _ _ Nth)) as [Pm N1]. cbn [fst snd] in Pm, N1.
  destruct (is_alone own used) eqn:Alone.
  - destruct used as [| j [|]]; try discriminate. cbn [is_alone] in Alone. apply Nat.eqb_eq in Alone. subst j.
    destruct held as [| vs [|]]; try discriminate. unfold others. cbn [combine map concat fst snd]. rewrite app_nil_r.
    injection L as L. unfold others_in in L. rewrite Nat.eqb_refl in L.
    assert (Cn : nth own (map snd classes) 0%Z = n) by (apply nth_error_nth; rewrite nth_error_map, Nth; reflexivity).
    rewrite Cn in L. destruct (pairs_of_member m) as [pairs |] eqn:Pairs; [| discriminate].
    destruct (swap_is_below _ _ _ _ _ _ _) eqn:B; [| discriminate].
    apply (member_alone named classes own m n pairs E F delta bits plans _ x y vs Nth Pm HE HF Hd Pairs B). lia.
  - destruct m as [[t |] | | |]; try discriminate. destruct (tables_at classes own used) as [tables |] eqn:T; [| discriminate].
    cbv zeta in H. destruct (_ && _)%bool eqn:B; [| discriminate]. apply andb_true_iff in B. destruct B as [B1 B].
    eapply (tables_below named classes P own used tables t n E delta F bits plans); try eassumption.
    intros Z0. rewrite Z0 in B1. discriminate.
Qed.

Theorem members_private_if_below classes who (E delta : Q) F bits plans used places :
  (forall c, In c classes -> member_posed (fst c) /\ (1 <= snd c)%Z) ->
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta ->
  classes_are_below classes E delta bits plans (differing classes who) used places = true ->
  members_private classes who F (Q2R delta).
Proof.
  intros Posed HE HF Hd H named before place x y after D Who.
  assert (I : In place (differing classes who)).
  { destruct who as [j |]; cbn [differing].
    - left. rewrite <- (Who j eq_refl). apply Nat2Z.id.
    - apply in_seq. assert (X : In place (data_set (map snd classes))) by (rewrite <- D, map_app; apply in_or_app; right; left; reflexivity).
      apply (count_occ_In Nat.eq_dec) in X. rewrite count_data_set in X.
      destruct (Nat.lt_ge_cases place (length classes)) as [Lt | Ge]; [lia |].
      rewrite nth_overflow in X by (rewrite map_length; exact Ge). simpl in X. lia. }
  assert (G : forall owns used places, In place owns -> classes_are_below classes E delta bits plans owns used places = true ->
    exists one from left, NoDup one /\ class_is_below classes E delta bits plans place one from = Some left).
  { clear. induction owns as [| own owns IH]; intros used places I H; [destruct I |].
    destruct used as [| one used]; [discriminate |]. cbn [classes_are_below] in H. apply andb_true_iff in H. destruct H as [H1 H2].
    destruct (class_is_below classes E delta bits plans own (map Z.to_nat one) places) as [left |] eqn:C; [| discriminate].
    destruct I as [-> | I]; [| apply (IH used left I H2)].
    exists (map Z.to_nat one), places, left. split; [apply all_different_sound, H1 | exact C]. }
  destruct (G _ _ _ I H) as [one [from [left [Nd C]]]].
  apply (class_is_below_sound named classes place one E delta F bits plans from left Posed HE HF Hd Nd C before x y after D).
Qed.

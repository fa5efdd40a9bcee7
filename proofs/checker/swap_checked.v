(** The kind shuffle_dp, proved by a swap: [check_swap] accepts only what holds ([check_swap_sound]).

    The program goes through the ordered pairs of inputs with different rows, each with the plan of its place, and for
    each pair through the rows that the others may have; one row is bounded by node_program.v. A plan without stages
    bounds what the blanket hides, by the same program. For every table and family, one number of users or all from it,
    any level, delta and witness.

    Idea: swap_bound of swapped_stages.v, and of the rows of the others the worst alone (swap_vertices.v), with a slot
    of one's own own_slot.v, or blanket.v, with the waves of node_waves.v. Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess hidden_message blanket.
From Exactdp Require Import generic_blanket classes table_classes mean_excess_order least_values pair_bound independence uniform_subsets increasing_convex_order.
From Exactdp Require Import swapped_messages swapped_stages wave_bounds swap_vertices node_waves node_program node_sound.
From ExactdpChecker Require Import claims witnesses kinds levels likelihood_checked.
From ExactdpChecker Require Import blanket_program blanket_sound matrix_blanket blanket_checked described_pairs family_rows own_slot own_program
  charged_spreads told_most.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition pairs_of_matrix (matrix : list (list Q)) : list input_pair :=
  let least := least_row matrix in
  map (fun pair => {| of_blanket := classes_of_rows least pair;
                      of_others := map (fun row => classes_of_rows row pair) matrix |}) (different_pairs matrix).

Definition pairs_of (r : randomizer) : option (list input_pair) :=
  match r with
  | Table t => Some (pairs_of_matrix (matrix_of_table (ordered_table t)))
  | Family f => option_map (fun s => [family_pair f s]) (supports_of f)
  end.

(** Without stages an even number of users hide by the blanket: as in one stage, of 2, that each swap reaches. *)
Definition ends_of (s : swap_plan) : list nat :=
  match swap_stages s with [] => [2%nat] | ends => map Z.to_nat ends end.

Definition users_of (s : swap_plan) (n : nat) : nat :=
  match swap_stages s with
  | [] => (2 + if Nat.even n then n else n - 1)%nat
  | _ => if swap_own s then S n else n
  end.

Definition plan_of (s : swap_plan) : plan :=
  {| plan_tilt := swap_tilt s; plan_smoothing := swap_smoothing s; plan_step := swap_step s;
     plan_nodes := Z.to_nat (swap_nodes s); plan_ends := ends_of s |}.

Record run : Type := {
  swaps : bool; is_good : bool; row_below : Q -> Q -> Q -> Q -> least_values.table -> bool;
  own_below : option (Q -> Q -> Q -> list (Q * least_values.table) -> Q * least_values.table -> bool) }.

Definition run_of_plan (bits n : nat) (s : swap_plan) : run :=
  let p := plan_of s in
  {| swaps := match swap_stages s with [] => false | _ => true end;
     is_good := plan_is_good p bits (users_of s n);
     row_below := let nodes := node_weights p bits in let rest := nodes_beyond p bits in let before := front p bits in
       row_is_below_with p bits (users_of s n) nodes rest before;
     own_below := match swap_stages s, swap_own s with
       | _ :: _, true => Some (own_row_is_below p bits (users_of s n) (node_weights p bits) (nodes_beyond p bits) (front p bits))
       | _, _ => None
       end |}.

Definition charged_values (E : Q) (classes : list rational_class) : Q * least_values.table :=
  (uncovered_charge E classes, with_rest (value_table E classes)).

(** What his own slot shows: the common law. *)
Definition own_of (pair : input_pair) : list rational_class :=
  own_classes (sum_of (map under_reference (of_blanket pair))) (of_blanket pair).

(** The row of the own slot is among these. *)
Definition pair_is_below_own (E delta : Q) (pair : input_pair) (owns : list (list rational_class))
    (below : Q -> Q -> Q -> list (Q * least_values.table) -> Q * least_values.table -> bool) : bool :=
  let gamma := sum_of (map under_reference (of_blanket pair)) in
  let alone := divergence_listed E (of_blanket pair) in
  let own_values := map (charged_values E) owns in
  negb (Qle_bool gamma 0) && forallb masses_are_good owns &&
  forallb (fun classes => masses_are_good classes && Qle_bool 0 (uncovered_charge E classes) &&
    below gamma alone delta own_values (charged_values E classes)) (of_others pair).

Definition pair_is_below (E delta : Q) (pair : input_pair) (r : run) : bool :=
  is_good r && masses_are_good (of_blanket pair) &&
  match own_below r with Some below => pair_is_below_own E delta pair [own_of pair] below | None =>
  if swaps r then
    let gamma := sum_of (map under_reference (of_blanket pair)) in
    let alone := divergence_listed E (of_blanket pair) in
    forallb (fun classes => masses_are_good classes && Qle_bool 0 (uncovered_charge E classes) &&
      row_below r gamma alone delta (uncovered_charge E classes) (with_rest (value_table E classes))) (of_others pair)
  else
    let (charge, law) := least_values E (of_blanket pair) in Qle_bool 0 charge && row_below r 1 0 delta charge law
  end.

Fixpoint pairs_are_below (E delta : Q) (pairs : list input_pair) (runs : list (option run)) : bool :=
  match pairs, runs with
  | [], [] => true
  | one :: pairs', Some r :: runs' => pair_is_below E delta one r && pairs_are_below E delta pairs' runs'
  | _, _ => false
  end.

Definition swap_is_below (pairs : list input_pair) (E delta : Q) (bits n : nat) (plans : list swap_plan)
    (places : list Z) : bool :=
  let runs := map (run_of_plan bits n) plans in
  pairs_are_below E delta pairs (map (fun i => if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) places).

Definition check_swap (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match nb, w, proved, shown with
  | ReplaceOne, LeastNothing, true, ForAllDataSets (BySwap bits plans places []) p =>
      match ratio_below l p, pairs_of r with
      | Some (X, Y), Some pairs =>
          posed.randomizer_is_posed r && posed.level_is_posed l delta && (1 <=? n)%Z &&
          swap_is_below pairs (Qred (X # Z.to_pos Y)) delta (Z.to_nat bits) (Z.to_nat n) plans places
      | _, _ => false
      end
  | _, _, _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma good_masses classes : masses_are_good classes = true ->
  Forall (fun k => 0 <= Q2R (under_reference k)) classes /\ total classes (fun k => Q2R (under_reference k)) <= 1.
Proof.
  unfold masses_are_good. intros H. apply andb_true_iff in H. destruct H as [N S]. rewrite forallb_forall in N. split.
  - apply Forall_forall. intros k I. rewrite <- Q2R_0. apply Qle_bool_R, N, I.
  - apply Qle_bool_R in S. rewrite Q2R_sum_of, total_map in S. eapply Rle_trans; [exact S |].
    unfold Q2R. simpl. lra.
Qed.

Lemma proper_of_table l : nonneg_masses l -> forall wa, In wa (least_values.table_law l) -> 0 <= fst wa.
Proof.
  intros N wa I. apply in_map_iff in I. destruct I as [vm [<- I]]. unfold nonneg_masses in N.
  rewrite Forall_forall in N. apply N, I.
Qed.

Lemma proper_table (E : Q) classes : masses_are_good classes = true ->
  proper (least_values.table_law (with_rest (value_table E classes))) /\
  nonneg_masses (with_rest (value_table E classes)).
Proof.
  intros G. destruct (good_masses _ G) as [N S]. assert (Nn := with_rest_nonneg E classes N S). split; [| exact Nn].
  split; [apply proper_of_table, Nn |]. rewrite (values_of_classes E classes).
  exact (proj2 (proper_values E classes N S)).
Qed.

(** More than the length of each. *)
Fixpoint longer {B} (lists : list (list B)) : nat :=
  match lists with
  | [] => 1
  | l :: rest => length l + longer rest
  end.

Lemma longer_than_all {B} (lists : list (list B)) l : In l lists -> (length l < longer lists)%nat.
Proof.
  assert (One : forall m : list (list B), (1 <= longer m)%nat) by (induction m; simpl; lia).
  induction lists as [| m lists IH]; intros I; [destruct I |]. cbn [longer]. specialize (One lists).
  destruct I as [<- | I]; [lia | specialize (IH I); lia].
Qed.

(** The waves of a plan. *)
Definition waves_of (p : plan) : list wave :=
  let lam := Q2R (plan_tilt p) in
  node_waves lam (Q2R (plan_smoothing p) / lam) (Q2R (plan_step p) * lam) (plan_nodes p).

Lemma good_plan p bits n : plan_is_good p bits n = true ->
  majorant (fun _ => True) (waves_of p) /\ rising 0 (plan_ends p) (n - 1).
Proof.
  unfold plan_is_good. rewrite !andb_true_iff. intros [[[[[[[[G1 G2] G3] G4] G5] G6] G7] _] G9].
  apply Nat.leb_le in G4. apply positive_Q in G1. apply positive_Q in G3. split.
  - apply nodes_majorant; [exact G1 | | exact G4]. apply Rmult_lt_0_compat; assumption.
  - assert (Ends : rises 0 (plan_ends p) n = true) by (destruct (plan_ends p); [discriminate | exact G9]).
    revert Ends. clear. set (m := (n - 1)%nat). assert (Hm : m = (n - 1)%nat) by reflexivity. clearbody m.
    generalize 0%nat. induction (plan_ends p) as [| t ends IH]; intros b H; [exact I |].
    cbn [rises] in H. rewrite !andb_true_iff in H. destruct H as [[[R1 R2] _] R4]. apply Nat.ltb_lt in R1.
    apply Nat.leb_le in R2. split; [lia | apply IH, R4].
Qed.

Section pair.

Context {A : Type} (P Q c : dist A) (E delta : QArith_base.Q) (pair : input_pair) (bits n : nat) (s : swap_plan).
Let p := plan_of s.
Hypothesis accepted : pair_is_below E delta pair (run_of_plan bits n s) = true.
Hypothesis c_weights : sub_law c.
Hypothesis c_most : weight c <= 1.
Hypothesis blanket_told : tells_most P Q c (of_blanket pair).

Lemma accepted_parts : plan_is_good p bits (users_of s n) = true /\ masses_are_good (of_blanket pair) = true.
Proof.
  unfold pair_is_below in accepted. apply andb_true_iff in accepted. destruct accepted as [H _].
  apply andb_true_iff in H. exact H.
Qed.

(** The classes that are listed for a row. *)
Definition told_of (row : dist A) : list rational_class :=
  match find (fun classes => if decide (tells_most P Q row classes) then true else false) (of_others pair) with
  | Some classes => classes
  | None => []
  end.

Lemma told_found row : (exists classes, In classes (of_others pair) /\ tells_most P Q row classes) ->
  In (told_of row) (of_others pair) /\ tells_most P Q row (told_of row).
Proof.
  intros [classes [I T]]. unfold told_of. destruct (find _ _) as [k |] eqn:F.
  - apply find_some in F. destruct F as [J F]. destruct (decide _) as [K |]; [split; assumption | discriminate].
  - apply (find_none _ _ F) in I. destruct (decide _); [discriminate | contradiction].
Qed.

Definition values_of (classes : list rational_class) : dist Rdefinitions.R := class_values (Q2R E) (map real_class classes).

Definition charge_of (classes : list rational_class) : Rdefinitions.R := class_uncovered (Q2R E) (map real_class classes).

Lemma spreads_told (law_of : dist A -> dist Rdefinitions.R) (charge : dist A -> Rdefinitions.R) row classes :
  sub_law row -> weight row <= 1 -> masses_are_good classes = true -> tells_most P Q row classes ->
  law_of row = values_of classes -> charge row = charge_of classes -> spreads_most P Q (Q2R E) law_of charge row.
Proof.
  intros Su W G T EL EC. destruct (good_masses _ G) as [N S]. split; [split; assumption |]. rewrite EL, EC. split.
  - apply proper_values; assumption.
  - apply (T N).
Qed.

(** The waves of the values of classes are those of their table. *)
Lemma waves_told classes r : wave_bound (waves_of p) r (values_of classes) =
  wave_bound (waves_of p) r (least_values.table_law (with_rest (value_table E classes))).
Proof.
  unfold wave_bound. f_equal. apply total_ext. intros w _. f_equal. f_equal.
  unfold modulus, real_part, imaginary_part, values_of. rewrite <- !(values_of_classes E classes). reflexivity.
Qed.

Lemma in_stages_alone before ends m gamma H K F : 0 <= gamma <= 1 -> H <= K ->
  in_stages before ends m gamma H F <= in_stages before ends m gamma K F.
Proof.
  intros G HK. revert before. induction ends as [| t ends IH]; intros before; cbn [in_stages].
  - apply Rmult_le_compat_l; [apply pow_le; lra | exact HK].
  - apply Rplus_le_compat_l, IH.
Qed.

Lemma swap_below (rows : list (dist A)) :
  swap_stages s <> [] -> swap_own s = false -> S (length rows) = n -> Forall (fun d => proper d /\ lies_below c d) rows ->
  weight c = Q2R (sum_of (map under_reference (of_blanket pair))) ->
  (forall row, In row rows -> exists classes, In classes (of_others pair) /\ tells_most P Q row classes) ->
  rising 0 (plan_ends p) (length rows) /\ in_stages_of P Q c (Q2R E) (plan_ends p) rows <= Q2R delta.
Proof.
  intros Stages Own L H Weight T. destruct accepted_parts as [Good Masses]. destruct (good_masses _ Masses) as [N _].
  unfold pair_is_below in accepted. apply andb_true_iff in accepted. destruct accepted as [_ B].
  assert (Users : users_of s n = n) by (unfold users_of; destruct (swap_stages s); [congruence | rewrite Own; reflexivity]).
  cbn [swaps run_of_plan row_below own_below] in B. rewrite Users in *.
  assert (B' : forallb (fun classes => masses_are_good classes && Qle_bool 0 (uncovered_charge E classes) &&
      row_is_below p bits n (sum_of (map under_reference (of_blanket pair))) (divergence_listed E (of_blanket pair))
        delta (uncovered_charge E classes) (with_rest (value_table E classes)))%bool (of_others pair) = true)
    by (destruct (swap_stages s); [congruence | rewrite Own in B; exact B]).
  clear B. rewrite forallb_forall in B'. destruct (good_plan p bits n Good) as [Maj Rise].
  assert (Ln : length rows = (n - 1)%nat) by lia. rewrite <- Ln in Rise. split; [exact Rise |].
  assert (Some : rows <> []).
  { intros Z. rewrite Z in L. simpl in L. unfold plan_is_good in Good. rewrite !andb_true_iff in Good.
    destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. lia. }
  assert (Wc : 0 <= weight c <= 1).
  { split; [apply weight_nonneg, c_weights | exact c_most]. }
  assert (Alone := divergence_most E _ P Q c c_weights blanket_told N).
  assert (Alone0 : 0 <= Q2R (divergence_listed E (of_blanket pair))).
  { eapply Rle_trans; [| exact Alone]. apply total_nonneg. intros. apply Rmax_l. }
  apply (charged_vertices P Q (Q2R E) (fun row => values_of (told_of row)) (fun row => charge_of (told_of row))
    c (plan_ends p) rows (waves_of p)); try assumption.
  - apply Forall_forall. intros row I. destruct (told_found row (T row I)) as [J Told]. specialize (B' _ J).
    rewrite !andb_true_iff in B'. destruct B' as [[G _] _]. rewrite Forall_forall in H. destruct (H row I) as [Pr _].
    apply (spreads_told _ _ row (told_of row)); try assumption; try reflexivity; [exact (proj1 Pr) |].
    unfold weight. rewrite (proj2 Pr). apply Rle_refl.
  - intros row I. destruct (told_found row (T row I)) as [J _]. set (classes := told_of row) in *. specialize (B' classes J).
    apply andb_true_iff in B'. destruct B' as [B' B]. apply andb_true_iff in B'. destruct B' as [G C].
    apply Qle_bool_R in C. rewrite Q2R_0 in C. destruct (proper_table E classes G) as [Pv Nn].
    assert (Z := row_is_below_sound p bits n _ _ delta _ _ Good Nn Pv
      ltac:(rewrite <- Weight; exact Wc) Alone0 C B). cbv zeta in Z.
    eapply Rle_trans; [apply (in_stages_alone _ _ _ _ _ _ _ Wc Alone) |].
    rewrite Weight, Ln. eapply Rle_trans; [right | exact Z].
    assert (Charge : charge_of classes = Q2R (uncovered_charge E classes)) by (symmetry; apply charge_of_classes).
    rewrite Charge. clear -p. generalize (n - 1)%nat. intros m. generalize 0%nat.
    induction (plan_ends p) as [| t ends IH]; intros b; [reflexivity |]. cbn [in_stages].
    rewrite waves_told, IH. reflexivity.
Qed.

(** With a slot of his own, of a measure that is no part of a row as it is written. *)
Lemma own_below_by (b : dist A) (rows : list (dist A)) g :
  sub_law b -> same_law c b -> ~ In (part_of b (/ weight b)) rows ->
  swap_stages s <> [] -> swap_own s = true -> S (length rows) = n -> Forall (fun d => proper d /\ lies_below c d) rows ->
  weight c = Q2R (sum_of (map under_reference (of_blanket pair))) ->
  (forall row, In row rows -> exists classes, In classes (of_others pair) /\ tells_most P Q row classes) ->
  orderless g -> (forall l, 0 <= g l <= 1) ->
  mean (draws (P :: rows)) g - Q2R E * mean (draws (Q :: rows)) g <= Q2R delta.
Proof.
  intros Sub SameLaw Apart Stages Own L H Weight T O G1. destruct accepted_parts as [Good Masses].
  destruct (good_masses _ Masses) as [N _].
  unfold pair_is_below in accepted. apply andb_true_iff in accepted. destruct accepted as [_ B].
  assert (Users : users_of s n = S (S (length rows)))
    by (unfold users_of; destruct (swap_stages s); [congruence | rewrite Own, L; reflexivity]).
  cbn [run_of_plan own_below] in B. rewrite Users in *.
  assert (B' : pair_is_below_own E delta pair [own_of pair] (own_row_is_below p bits (S (S (length rows))) (node_weights p bits)
    (nodes_beyond p bits) (front p bits)) = true) by (destruct (swap_stages s); [congruence | rewrite Own in B; exact B]).
  clear B. unfold pair_is_below_own, own_of in B'. cbv zeta in B'. set (gamma := sum_of (map under_reference (of_blanket pair))) in *.
  cbn [map forallb] in B'. rewrite !andb_true_iff in B'. destruct B' as [[Gamma [OwnMasses _]] B].
  rewrite forallb_forall in B. apply negb_true_iff, Qle_bool_R_false in Gamma. rewrite Q2R_0 in Gamma.
  destruct (good_plan p bits _ Good) as [Maj _].
  assert (Some : rows <> []).
  { intros Z. rewrite Z in Good. unfold plan_is_good in Good. rewrite !andb_true_iff in Good.
    destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. simpl in G7. lia. }
  assert (Wc := c_most).
  assert (Weight' : weight b = Q2R gamma) by (rewrite <- Weight; symmetry; apply SameLaw).
  assert (Told' := tells_most_same_law P Q c b _ SameLaw blanket_told).
  assert (Alone := divergence_most E _ P Q b Sub Told' N).
  assert (Alone0 : 0 <= Q2R (divergence_listed E (of_blanket pair))).
  { eapply Rle_trans; [| exact Alone]. apply total_nonneg. intros. apply Rmax_l. }
  assert (Rise := good_rises p bits _ Good).
  set (base := part_of b (/ weight b)) in *.
  set (own_list := own_classes gamma (of_blanket pair)) in *.
  assert (OwnTold : tells_most P Q base own_list) by (apply own_told_most; assumption || reflexivity).
  destruct (proper_table E _ OwnMasses) as [Po No].
  set (told := fun row => if decide (row = base) then own_list else told_of row).
  assert (ToldBase : told base = own_list) by (unfold told; destruct (decide _); [reflexivity | congruence]).
  assert (ToldRow : forall row, In row rows -> told row = told_of row).
  { intros row I. unfold told. destruct (decide _) as [-> |]; [contradiction | reflexivity]. }
  assert (Pb := base_proper b Sub ltac:(rewrite Weight'; exact Gamma)). fold base in Pb.
  assert (Proper1 : forall d : dist A, proper d -> sub_law d /\ weight d <= 1)
    by (intros d Pd; split; [exact (proj1 Pd) | unfold weight; rewrite (proj2 Pd); apply Rle_refl]).
  apply (own_slot_below P Q b (Q2R E) Sub ltac:(rewrite Weight'; exact Gamma) (waves_of p) Maj
    (fun row => values_of (told row)) (fun row => charge_of (told row)) (plan_ends p) rows g); try assumption.
  { revert H. apply Forall_impl. intros d [X [_ Y]]. split; [exact X |]. split; [exact Sub |]. intros a.
    rewrite <- (same_mass _ _ a SameLaw). apply Y. }
  { constructor.
    - fold base. destruct (Proper1 base Pb). apply (spreads_told _ _ base own_list); try assumption; rewrite ToldBase; reflexivity.
    - apply Forall_forall. intros row I. destruct (told_found row (T row I)) as [J K]. specialize (B _ J).
      rewrite !andb_true_iff in B. destruct B as [[G _] _]. rewrite Forall_forall in H. destruct (H row I) as [Pr _].
      destruct (Proper1 row Pr). apply (spreads_told _ _ row (told_of row)); try assumption; rewrite (ToldRow row I); reflexivity. }
  intros row I. destruct (told_found row (T row I)) as [J _]. set (classes := told_of row) in *. specialize (B classes J).
  rewrite !andb_true_iff in B.
  destruct B as [[G C] B]. apply Qle_bool_R in C. rewrite Q2R_0 in C. destruct (proper_table E classes G) as [Pv Nn].
  set (own := charged_values E own_list).
  assert (Z := own_row_is_below_sound b p bits (length rows) gamma _ delta [own] (charged_values E classes)
    (fun m => wave_bound (waves_of p) m (least_values.table_law (snd own)) + Q2R (fst own)) Good Nn Pv C
    ltac:(intros o [<- | []]; split; [exact No | exact Po])
    ltac:(rewrite <- Weight; split; [rewrite Weight; exact Gamma | exact Wc]) Weight' Alone0 B
    (fun m => ex_intro _ own (conj (or_introl eq_refl) (Rle_refl _)))). cbv zeta in Z.
  assert (Wb : weight b <= 1) by (rewrite Weight', <- Weight; exact Wc).
  assert (Left := fun i => own_left_falls b ltac:(rewrite Weight'; exact Gamma) (length rows) i Wb).
  eapply Rle_trans; [| exact Z]. fold (waves_of p) in Z |- *.
  assert (Hidden : forall d k m, told d = k ->
    hidden_in (waves_of p) (fun row => values_of (told row)) (fun row => charge_of (told row)) m d =
    wave_bound (waves_of p) m (least_values.table_law (snd (charged_values E k))) + Q2R (fst (charged_values E k))).
  { intros d k m <-. unfold hidden_in. rewrite waves_told. f_equal. symmetry. apply charge_of_classes. }
  apply stages_with_le; try assumption; try lia; [intros i _; apply (Left i) | apply (Left (length rows)) |].
  intros m. unfold with_own. fold base. rewrite (Hidden row classes m (ToldRow row I)), (Hidden base own_list m ToldBase).
  apply Rle_refl.
Qed.

(** Any measure is written in a way that is no part of some rows. *)
Lemma own_below_sound (rows : list (dist A)) g :
  swap_stages s <> [] -> swap_own s = true -> S (length rows) = n -> Forall (fun d => proper d /\ lies_below c d) rows ->
  weight c = Q2R (sum_of (map under_reference (of_blanket pair))) ->
  (forall row, In row rows -> exists classes, In classes (of_others pair) /\ tells_most P Q row classes) ->
  orderless g -> (forall l, 0 <= g l <= 1) ->
  mean (draws (P :: rows)) g - Q2R E * mean (draws (Q :: rows)) g <= Q2R delta.
Proof.
  intros Stages Own L H Weight T O G1.
  destruct rows as [| d0 rest] eqn:Rows.
  { exfalso. destruct accepted_parts as [Good _]. unfold plan_is_good in Good. rewrite !andb_true_iff in Good.
    destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. unfold users_of in G7.
    destruct (swap_stages s); [congruence |]. rewrite Own, <- L in G7. simpl in G7. lia. }
  rewrite <- Rows in *.
  assert (Some : exists a : A, True).
  { destruct d0 as [| [w a] d0]; [| exists a; exact I].
    rewrite Forall_forall in H. destruct (H [] ltac:(rewrite Rows; left; reflexivity)) as [[_ W] _].
    unfold mean in W. simpl in W. lra. }
  destruct Some as [a _]. set (long := longer rows). set (b := c ++ repeat (0, a) long).
  assert (Zeros : forall k f, total (repeat (0, a) k) (fun wa : Rdefinitions.R * A => fst wa * f (snd wa)) = 0).
  { intros k f. induction k as [| k IH]; [reflexivity |]. cbn [repeat total fst]. rewrite IH. ring. }
  apply (own_below_by b rows g); try assumption.
  - intros wa I. apply in_app_or in I. destruct I as [I | I]; [apply c_weights, I |].
    apply repeat_spec in I. subst wa. apply Rle_refl.
  - intros f. unfold b, mean. rewrite total_app, Zeros. ring.
  - intros I. assert (Len : forall d, In d rows -> (length d < long)%nat).
    { intros d. apply longer_than_all. }
    specialize (Len _ I). unfold part_of, b in Len. rewrite map_length, app_length, repeat_length in Len. lia.
Qed.

(** Without stages: what the blanket hides. *)
Lemma hidden_below : swap_stages s = [] -> reference_bound n P Q (Q2R E) c <= Q2R delta.
Proof.
  intros Stages. destruct accepted_parts as [Good Masses]. destruct (good_masses _ Masses) as [N S1].
  unfold pair_is_below in accepted. apply andb_true_iff in accepted. destruct accepted as [_ B].
  cbn [swaps run_of_plan row_below own_below] in B. rewrite Stages in B. unfold users_of in *. rewrite Stages in *.
  set (k := if Nat.even n then n else (n - 1)%nat) in *.
  destruct (good_plan p bits (2 + k) Good) as [Maj Rise].
  assert (Ends : plan_ends p = [2%nat]) by (unfold p, plan_of, ends_of; rewrite Stages; reflexivity).
  assert (K : (2 <= k)%nat).
  { unfold plan_is_good in Good. rewrite Ends, !andb_true_iff in Good. destruct Good as [_ G9]. cbn [rises] in G9.
    rewrite !andb_true_iff in G9. destruct G9 as [[[_ X] _] _]. apply Nat.leb_le in X. lia. }
  assert (Kn : (k <= n)%nat) by (unfold k; destruct (Nat.even n); lia).
  eapply Rle_trans; [apply (reference_bound_falls k n); [exact c_weights | exact c_most | lia] |].
  eapply Rle_trans; [apply (hidden_most k (Q2R E) P Q c (of_blanket pair)); try assumption; [lia | apply proper_values; assumption] |].
  rewrite <- (least_values_exact E _ k N S1) by lia.
  destruct (least_values_good E _ N S1) as [Nn _].
  assert (Pl : proper (least_values.table_law (snd (least_values E (of_blanket pair))))).
  { split; [apply proper_of_table, Nn |].
    unfold least_values. destruct (Qle_bool _ 0); cbn [snd]; rewrite <- same_law_ascending, ?mean_opposite, ?mean_negated;
      exact (proj2 (proj1 (proper_table E _ Masses))). }
  destruct (least_values E (of_blanket pair)) as [charge law]. cbn [fst snd] in *.
  apply andb_true_iff in B. destruct B as [C B]. apply Qle_bool_R in C. rewrite Q2R_0 in C.
  assert (One : Q2R 1 = 1) by (unfold Q2R; simpl; lra).
  assert (Z := row_is_below_sound p bits (2 + k) 1 0 delta charge law Good Nn Pl
    ltac:(rewrite One; lra) ltac:(rewrite Q2R_0; lra) C B). cbv zeta in Z.
  rewrite Ends, One, Q2R_0 in Z. cbn [in_stages] in Z. fold (waves_of p) in Z.
  replace (S (2 + k - 1) - 2)%nat with k in Z by lia. simpl pow in Z.
  assert (M : mean_excess k (least_values.table_law law) <= wave_bound (waves_of p) k (least_values.table_law law)).
  { unfold mean_excess, wave_bound, Rdiv. apply Rmult_le_compat_r; [apply inverse_INR_nonneg |].
    eapply Rle_trans; [apply (Maj (repeat (least_values.table_law law) k)) |].
    - apply Forall_forall. intros d I. apply repeat_spec in I. subst d. exact Pl.
    - intros wl _. exact I.
    - right. apply total_ext. intros w _. f_equal. apply product_over_repeat. }
  lra.
Qed.

(** Whatever rows the others have, if the classes of the pair are told of each. *)
Lemma pair_views_below (rows : list (dist A)) g :
  S (length rows) = n -> Forall (fun d => proper d /\ lies_below c d) rows ->
  weight c = Q2R (sum_of (map under_reference (of_blanket pair))) ->
  (forall row, In row rows -> exists classes, In classes (of_others pair) /\ tells_most P Q row classes) ->
  orderless g -> (forall l, 0 <= g l <= 1) ->
  mean (draws (P :: rows)) g - Q2R E * mean (draws (Q :: rows)) g <= Q2R delta.
Proof.
  intros L Rows Weight Told O G1. destruct (swap_stages s) as [| t ends] eqn:Stages.
  - eapply Rle_trans; [apply (blanket_of_laws _ _ c); assumption |]. rewrite L. apply hidden_below, Stages.
  - destruct (swap_own s) eqn:Own; [apply own_below_sound; try assumption; rewrite Stages; discriminate |].
    destruct (swap_below rows) as [Rise F]; try assumption; [rewrite Stages; discriminate |].
    eapply Rle_trans; [apply (swap_in_stages _ _ _ c (plan_ends p)); assumption |]. exact F.
Qed.

End pair.

Section accepted.

Context {A : Type} (R : nat -> dist A) (d : nat) (pairs : list input_pair).
Hypothesis right : pairs_most R d pairs.

Lemma pairs_below_sound E delta (runs : list run) places some :
  pairs_are_below E delta some
    (map (fun i => if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) places) = true ->
  forall pair, In pair some -> exists r, In r runs /\ pair_is_below E delta pair r = true.
Proof.
  revert places. induction some as [| a some IH]; intros places H pair I; [destruct I |].
  destruct places as [| i places]; simpl in H; [discriminate |].
  destruct (if (i <? 0)%Z then None else nth_error runs (Z.to_nat i)) as [r |] eqn:N; [| discriminate].
  apply andb_true_iff in H. destruct H as [H1 H2]. destruct I as [<- | I]; [| apply (IH places H2 pair I)].
  exists r. split; [| exact H1]. destruct (i <? 0)%Z; [discriminate |]. apply (nth_error_In _ _ N).
Qed.

Lemma views_below E delta bits n plans places x y others :
  swap_is_below pairs E delta bits n plans places = true ->
  (x < d)%nat -> (y < d)%nat -> (forall v, In v others -> (v < d)%nat) -> S (length others) = n ->
  same_law (R x) (R y) \/
  forall g, orderless g -> (forall l, 0 <= g l <= 1) ->
    mean (draws (R x :: map R others)) g - Q2R E * mean (draws (R y :: map R others)) g <= Q2R delta.
Proof.
  intros H X Y O L. destruct right as [Proper [c [Below Each]]].
  destruct (Each x y X Y) as [Same | [pair [I [Weight [Bounds Others]]]]]; [left; exact Same | right].
  destruct (pairs_below_sound _ _ _ _ _ H pair I) as [r [J B]]. apply in_map_iff in J. destruct J as [s [<- _]].
  intros g G G1. apply (pair_views_below _ _ c E delta pair bits n s B (proj1 (Below x X))); try assumption.
  - apply (weight_below c (R x)); auto.
  - rewrite map_length. exact L.
  - apply Forall_forall. intros e K. apply in_map_iff in K. destruct K as [v [<- K]]. auto.
  - intros row K. apply in_map_iff in K. destruct K as [v [<- K]]. apply Others, O, K.
Qed.

Hypothesis some : (0 < d)%nat.
Let place (x : nat) : nat := Nat.min x (d - 1).

Lemma all_below E F delta bits n plans places x y others :
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> swap_is_below pairs E delta bits n plans places = true ->
  S (length others) = n ->
  same_law (R (place x)) (R (place y)) \/
  forall g, orderless g -> (forall l, 0 <= g l <= 1) ->
    mean (draws (map (fun x => R (place x)) (x :: others))) g -
      Q2R E * mean (draws (map (fun x => R (place x)) (y :: others))) g <= Q2R delta.
Proof.
  intros HE HF Hd H L. simpl map. rewrite <- (map_map place R).
  apply (views_below E delta bits n plans places _ _ _ H); try (apply place_below, some).
  - intros v I. apply in_map_iff in I. destruct I as [w [<- _]]. apply place_below, some.
  - rewrite map_length. exact L.
Qed.

Theorem one_message_private E F delta bits n plans places :
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> swap_is_below pairs E delta bits n plans places = true ->
  shuffle_dp n (fun x => one_message R (place x)) (ln F) (Q2R delta).
Proof.
  intros HE HF Hd H.
  apply (dp_of_pairs n _ (Q2R E) F); try assumption.
  { intros v. apply proper_dmap, (proj1 right), place_below, some. }
  intros x y others L. destruct (all_below E F delta bits n plans places x y others HE HF Hd H L) as [Same | B].
  - left. intros f. unfold one_message. rewrite !mean_dmap. apply Same.
  - right. intros T S. change (fun x => one_message R (place x)) with (one_message (fun x => R (place x))).
    unfold Pr. rewrite !messages_drawn.
    specialize (B (indicator T) (orderless_indicator T S) (fun l => indicator_bounds T l)). lra.
Qed.

End accepted.

Theorem bundles_private {M} (R : nat -> dist (list M)) d pairs E F delta bits n plans places :
  pairs_most R d pairs -> (0 < d)%nat ->
  Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> swap_is_below pairs E delta bits n plans places = true ->
  shuffle_dp n (fun x => R (Nat.min x (d - 1))) (ln F) (Q2R delta).
Proof.
  intros Right Some HE HF Hd H.
  apply (dp_of_pairs n _ (Q2R E) F); try assumption; [intros v; apply (proj1 Right), place_below, Some |].
  intros x y others L. destruct (all_below R d pairs Right Some E F delta bits n plans places x y others HE HF Hd H L)
    as [Same | B]; [left; exact Same | right].
  apply view_below. exact B.
Qed.

(** *** Tables *)

Section matrix.

Context {M : Type} (R : nat -> dist M) (d : nat) (l : list M) (W : nat -> M -> Q).
Hypothesis some : (0 < d)%nat.
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, (x < d)%nat -> proper (R x).
Hypothesis rows_covered : forall x, (x < d)%nat -> covers l (R x).
Hypothesis rows_listed : forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a).

Let matrix := map (fun x => map (W x) l) (seq 0 d).

Lemma told_listed x y (D : dist M) (g : M -> Q) : (x < d)%nat -> (y < d)%nat -> covers l D ->
  (forall a, In a l -> mass D a = Q2R (g a)) -> sub_law D -> tells (R x) (R y) D (map (fun a => (W x a, W y a, g a)) l).
Proof.
  intros X Y C G S. apply described_tells; [exact S |]. apply described_listed; auto.
Qed.

Theorem matrix_right : pairs_right R d (pairs_of_matrix matrix).
Proof.
  split; [exact rows_proper |]. set (fs := map W (seq 0 d)).
  assert (Rows : matrix = map (fun f => map f l) fs) by (unfold matrix, fs; rewrite map_map; reflexivity).
  destruct (least_row_spec l fs) as [g [G [Least Attained]]]; [unfold fs; destruct d; [lia | discriminate] |].
  rewrite <- Rows in G. set (c := listed l (fun a => Q2R (g a))). exists c.
  assert (Mc : forall a, In a l -> mass c a = Q2R (g a)) by (intros a I; exact (mass_listed l (fun a => Q2R (g a)) a once I)).
  assert (Sc : sub_law c).
  { intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. cbn [fst].
    destruct (Attained a) as [f [Fi ->]]. apply in_map_iff in Fi. destruct Fi as [z [<- Z0]]. apply in_seq in Z0.
    rewrite <- rows_listed by (lia || assumption). apply mass_nonneg, rows_proper. lia. }
  split; [| intros x y X Y].
  - intros v V. split; [exact Sc |]. intros a. destruct (in_dec same a l) as [I | I].
    + rewrite (Mc a I), rows_listed by assumption. apply Least, in_map, in_seq. lia.
    + unfold c. rewrite mass_not_listed by exact I. apply mass_nonneg, rows_proper, V.
  - destruct (same_row (map (W x) l) (map (W y) l)) eqn:Same.
    { left. intros f. rewrite !(mean_masses _ l f) by (try assumption; apply rows_covered; assumption). apply total_ext.
      intros a I. rewrite !rows_listed by assumption. rewrite (same_row_maps _ _ _ Same a I). reflexivity. }
    right. assert (In_matrix : forall v, (v < d)%nat -> In (map (W v) l) matrix).
    { intros v V. apply (in_map (fun x => map (W x) l)), in_seq. lia. }
    assert (Classes : forall h, classes_of_rows (map h l) (map (W x) l, map (W y) l) =
      map (fun a => (W x a, W y a, h a)) l)
      by (intros h; unfold classes_of_rows; cbn [fst snd]; rewrite !combine_maps; reflexivity).
    exists {| of_blanket := classes_of_rows (map g l) (map (W x) l, map (W y) l);
              of_others := map (fun row => classes_of_rows row (map (W x) l, map (W y) l)) matrix |}.
    cbn [of_blanket of_others]. rewrite Classes. split; [| split; [| split]].
    + unfold pairs_of_matrix. rewrite G, <- Classes.
      apply (in_map (fun pair => {| of_blanket := classes_of_rows (map g l) pair;
        of_others := map (fun row => classes_of_rows row pair) matrix |})).
      unfold different_pairs. apply filter_In. cbn [fst snd]. rewrite Same. split; [| reflexivity].
      apply in_prod; apply In_matrix; assumption.
    + rewrite map_map, Q2R_sum_of, total_map. unfold weight, c. rewrite mean_listed. apply total_ext. intros.
      unfold under_reference. simpl. ring.
    + apply told_listed; try assumption. intros wa I. apply in_map_iff in I. destruct I as [a [<- I]].
      exact I.
    + intros v V. exists (map (fun a => (W x a, W y a, W v a)) l). split.
      * rewrite <- Classes. apply (in_map (fun row => classes_of_rows row (map (W x) l, map (W y) l))), In_matrix, V.
      * apply told_listed; try assumption; [apply rows_covered, V | intros a I; apply rows_listed; assumption | exact (proj1 (rows_proper v V))].
Qed.

Theorem matrix_attained pair : In pair (pairs_of_matrix matrix) -> others_attained R d pair.
Proof.
  intros I classes J. unfold pairs_of_matrix in I. apply in_map_iff in I. destruct I as [[a b] [<- I]].
  cbn [of_others] in J. apply in_map_iff in J. destruct J as [row [<- J]]. unfold different_pairs in I.
  apply filter_In in I. destruct I as [I _]. apply in_prod_iff in I. destruct I as [A B].
  apply in_map_iff in A, B, J. destruct A as [x [<- X]], B as [y [<- Y]], J as [v [<- V]]. apply in_seq in X, Y, V.
  exists x, y, v. repeat (split; [lia |]). unfold classes_of_rows. cbn [fst snd]. rewrite !combine_maps.
  apply told_listed; try lia; [apply rows_covered; lia | | exact (proj1 (rows_proper v ltac:(lia)))].
  intros a0 I0. apply rows_listed; [lia | exact I0].
Qed.

End matrix.

(** What the program shows of a randomizer, for its program. *)
Lemma randomizer_swapped r pairs E delta bits n plans places F :
  randomizer_posed r -> Q2R E <= F -> 1 <= F -> 0 <= Q2R delta -> pairs_of r = Some pairs ->
  swap_is_below pairs E delta bits n plans places = true ->
  for_program r (fun _ _ R => (forall x, proper (R x)) /\ shuffle_dp n R (ln F) (Q2R delta)).
Proof.
  intros P HE HF Hd S H. destruct r as [t | f]; cbn [pairs_of for_program randomizer_posed] in *.
  - injection S as <-. split.
    { intros x. rewrite table_law_place by exact P. apply proper_row_in; [exact P |].
      assert (Y := table_inputs t P). lia. }
    assert (P' := ordered_posed t P). apply (ordered_private t n F (Q2R delta) P). set (o := ordered_table t) in *.
    unfold matrix_of_table in H. rewrite (rows_by_place _ (rows o) []) in H.
    refine (bundles_private (row_in o) (length (rows o)) _ E F delta bits n plans places _ (table_inputs o P') HE HF Hd H).
    apply right_is_most, matrix_right.
    + apply table_inputs, P'.
    + apply NoDup_nodup.
    + intros x Hx. apply proper_row_in; assumption.
    + intros x Hx wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply nodup_In.
      change (In (snd a) (map snd (concat (rows o)))). apply in_map, in_concat.
      exists (nth x (rows o) []). split; [apply nth_In, Hx | exact I].
    + intros x a _ _. apply mass_row.
  - destruct (supports_of f) as [s |] eqn:Supports; [| discriminate]. injection S as <-.
    assert (Rows := family_rows f s P Supports).
    assert (D : (0 < Z.to_nat (inputs_of f))%nat) by (destruct f; cbn [family_posed inputs_of] in *; lia).
    destruct f; cbn [for_program] in *; try discriminate; destruct Rows as [row [-> [Right _]]];
      (split; [intros x; apply proper_dmap, (proj1 Right); cbn [inputs_of] in *; lia |
        exact (one_message_private row _ _ (right_is_most _ _ _ Right) D E F delta bits n plans places HE HF Hd H)]).
Qed.

Theorem check_swap_sound r n s nb l delta w proved shown :
  check_swap r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_swap. destruct nb, w, proved,
    shown as [| | | | [| bits plans places used | |] p | | | | | | | | | | | | | | | | | |]; try discriminate.
  destruct used; [| discriminate]. destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (pairs_of r) as [pairs |] eqn:Pairs; [| discriminate]. intros H.
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.randomizer_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 L2]. assert (R := ratio_below_sound l p X Y Ratio). destruct R as [R1 R2].
  assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  assert (D := randomizer_swapped r pairs _ _ _ _ _ _ (ratio l) P E L1 (proj1 L2) Pairs B).
  assert (More : forall M (R : nat -> dist (list M)),
    (forall x, proper (R x)) /\ shuffle_dp (Z.to_nat n) R (ln (ratio l)) (Q2R delta) ->
    shuffle_dp_holds R ReplaceOne (Z.to_nat n) s LeastNothing (ratio l) (Q2R delta)).
  { intros M R [Pr Dp]. split; [| exact I]. intros k K.
    apply (adding_users (Z.to_nat n)); [destruct s; simpl in K; lia | exact Pr | exact Dp]. }
  cbn [holds]. destruct r as [t | f]; [| destruct f]; cbn [for_program] in *; apply More, D.
Qed.

(** The kind shuffle_dp of any randomizer, proved by a swap and refuted by a likelihood test: [check_any] accepts only
    what holds, or does not ([check_any_sound]).

    Whatever the users run, if all rows of all of them lie within the factor E0 of each other: the program bounds the
    five randomizers that bound every one, as those of a pair of inputs. For every E0 > 1, one number of users or all
    from it, any level, delta and witness of one plan with stages, without a slot of its own.

    It is refuted by a test of one of the five, where all others hold the third input.

    Idea: every_randomizer and basic_attains of five_randomizers.v, with the waves of node_waves.v. Source:
    docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess classes least_values pair_bound.
From Exactdp Require Import swapped_stages wave_bounds swap_vertices node_waves node_program node_sound five_randomizers.
From Exactdp Require Import shuffler independence single_message homogeneous.
From ExactdpChecker Require Import claims witnesses kinds levels family_blanket likelihood_checked family_rows swap_checked.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition rational_basics (e : Q) : list (list (Q * Q * Q)) :=
  [[(e, 1, 1); (1, e, e)];
   [(1, e, 1); (e, 1, e)];
   [(1, 1, e); (e, e, 1)];
   [(e, 1, 1); (1, e, 1); (1, 1, e)];
   [(1, e, e); (e, 1, e); (e, e, 1)]]%Q.

(** Divided by the sum of a coordinate. *)
Definition divided (basic : list (Q * Q * Q)) : list rational_class :=
  let whole := sum_of (map snd basic) in
  map (fun v => (Qred (fst (fst v) / whole), Qred (snd (fst v) / whole), Qred (snd v / whole))) basic.

(** The largest divergence is that of the class against the blanket. *)
Definition any_pair (e : Q) : input_pair :=
  {| of_blanket := [(Qred (e / (e + 1)), Qred (1 / (e + 1)), Qred (1 / e))]; of_others := map divided (rational_basics e) |}.

Definition check_any (E0 : Q) (n : Z) (l : claims.level) (delta : Q) (proved : bool) (shown : witness) : bool :=
  match proved, shown with
  | true, ForAllDataSets (BySwap bits plans [place] []) p =>
      match ratio_below l p, nth_error plans (Z.to_nat place) with
      | Some (X, Y), Some s =>
          let E := Qred (X # Z.to_pos Y) in
          let r := run_of_plan (Z.to_nat bits) (Z.to_nat n) s in
          posed.less 1 E0 && posed.level_is_posed l delta && (1 <=? n)%Z && (0 <=? place)%Z && Qle_bool 1 E &&
          swaps r && negb (swap_own s) && pair_is_below E delta (any_pair E0) r
      | _, _ => false
      end
  | false, Likelihood test p =>  (* the places of the pair, of which there is one, and of what the others run *)
      match ratio_above l p, pair_tested test with
      | Some (X, Y), Some (ordered, place) =>
          match nth_error (rational_basics E0) (Z.to_nat place) with
          | Some basic =>
              posed.less 1 E0 && posed.level_is_posed l delta && (1 <=? n)%Z && (ordered =? 0)%Z && (0 <=? place)%Z &&
              test_exceeds test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta (divided basic)
          | None => false
          end
      | _, _ => false
      end
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Definition real_vector (v : Q * Q * Q) : vector := (Q2R (fst (fst v)), Q2R (snd (fst v)), Q2R (snd v)).

Lemma whole_positive (l : list (Q * Q * Q)) (whole := sum_of (map snd l)) :
  l <> [] -> (forall v, In v l -> 0 < Q2R (snd v)) ->
  0 < Q2R whole /\ Q2R whole = total l (fun v => Q2R (snd v)) /\ forall q, Q2R (Qred (q / whole)) = Q2R q / Q2R whole.
Proof.
  intros Some Pos.
  assert (W : Q2R whole = total l (fun v => Q2R (snd v))) by (unfold whole; rewrite Q2R_sum_of, total_map; reflexivity).
  assert (W0 : 0 < Q2R whole).
  { rewrite W. destruct l as [| v l]; [congruence |]. simpl.
    assert (0 < Q2R (snd v)) by (apply Pos; left; reflexivity).
    assert (0 <= total l (fun v => Q2R (snd v))) by (apply total_nonneg; intros u J; left; apply Pos; right; exact J).
    lra. }
  split; [exact W0 |]. split; [exact W |].
  intros q. rewrite Q2R_red, Q2R_div; [reflexivity |]. intros Z. apply Qeq_eqR in Z. rewrite Q2R_0 in Z. lra.
Qed.

Lemma divided_law E l : l <> [] -> (forall v, In v l -> 0 < Q2R (snd v)) ->
  same_law (basic_law E (map real_vector l)) (class_values E (map real_class (divided l))).
Proof.
  intros Some Pos f. destruct (whole_positive l Some Pos) as [W0 [W Div]]. unfold divided. cbv zeta.
  set (whole := sum_of (map snd l)) in *. unfold class_values, mean. cbn [total fst snd]. rewrite !total_map.
  rewrite (total_ext l (fun a => reference_mass _) (fun v => Q2R (snd v) * / Q2R whole)).
  2: { intros v _. unfold reference_mass, real_class, under_reference. cbn [fst snd]. apply Div. }
  rewrite total_scal_r, <- W, Rinv_r, Rminus_diag_eq, Rmult_0_l, Rplus_0_l by (lra || reflexivity).
  unfold basic_law. rewrite !total_map.
  assert (S : scale (map real_vector l) = Q2R whole) by (unfold scale, third; rewrite total_map, W; reflexivity).
  rewrite S. apply total_ext. intros v J. specialize (Pos _ J).
  unfold real_vector, first_mass, second_mass, reference_mass, real_class, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite !Div. f_equal. f_equal. field. lra.
Qed.

Lemma basics_are (e : Q) : basics (Q2R e) = map (map real_vector) (rational_basics e).
Proof. unfold basics, rational_basics, real_vector. cbn [map fst snd]. rewrite Q2R_1. reflexivity. Qed.

Lemma basics_positive (e : Q) l : 1 < Q2R e -> In l (rational_basics e) ->
  l <> [] /\ forall v, In v l -> 0 < Q2R (snd v).
Proof.
  intros P I. assert (O := Q2R_1). split; destruct I as [<- | [<- | [<- | [<- | [<- | []]]]]]; try discriminate;
    intros v J; repeat (destruct J as [<- | J]; [cbn [snd]; lra |]); destruct J.
Qed.

(** The law of each of the five is that of its classes. *)
Lemma basics_told (e : Q) E b : 1 < Q2R e -> In b (basics (Q2R e)) ->
  exists classes, In classes (map divided (rational_basics e)) /\
    same_law (basic_law E b) (class_values E (map real_class classes)).
Proof.
  intros P I. rewrite basics_are in I. apply in_map_iff in I. destruct I as [l [<- I]]. exists (divided l).
  split; [apply in_map, I |]. destruct (basics_positive e l P I). apply divided_law; assumption.
Qed.

Theorem any_private {M} (R : nat -> dist (list M)) (e E delta : Q) F bits n s :
  1 < Q2R e -> 1 <= Q2R E <= F -> (forall x, proper (R x)) -> local_dp R (ln (Q2R e)) 0 ->
  swaps (run_of_plan bits n s) = true -> swap_own s = false -> pair_is_below E delta (any_pair e) (run_of_plan bits n s) = true ->
  shuffle_dp n R (ln F) (Q2R delta).
Proof.
  intros He HE Pr Local Swaps Own H. set (p := plan_of s).
  unfold pair_is_below in H. cbn [own_below run_of_plan] in H. rewrite Own in H.
  replace (match swap_stages s with [] | _ => None end) with
    (@None (Q -> Q -> Q -> Q * least_values.table -> Q * least_values.table -> bool)) in H by (destruct (swap_stages s); reflexivity).
  fold (run_of_plan bits n s) in H. rewrite Swaps in H. rewrite !andb_true_iff in H. destruct H as [[Good Masses] B].
  assert (Users : users_of s n = n) by (unfold users_of; cbn [swaps run_of_plan] in Swaps; destruct (swap_stages s);
    [discriminate | rewrite Own; reflexivity]).
  cbn [is_good run_of_plan row_below] in Good, B. rewrite Users in *. fold p in Good, B.
  rewrite forallb_forall in B. destruct (good_plan p bits n Good) as [Maj Rise].
  assert (O := Q2R_1).
  assert (Nz : ~ (e == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
  assert (Ne : Q2R (e + 1) = Q2R e + 1) by (rewrite Q2R_plus, O; reflexivity).
  assert (Nz1 : ~ (e + 1 == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0, Ne in Z; lra).
  assert (Gamma : Q2R (sum_of (map under_reference (of_blanket (any_pair e)))) = / Q2R e).
  { rewrite Q2R_sum_of. cbn [map total any_pair of_blanket under_reference snd]. rewrite Q2R_red, Q2R_div, O by exact Nz.
    field. lra. }
  assert (Alone : Q2R (divergence_listed E (of_blanket (any_pair e))) = Rmax 0 ((Q2R e - Q2R E) / (Q2R e + 1))).
  { unfold divergence_listed. rewrite Q2R_sum_of. cbn [map total any_pair of_blanket]. rewrite Rplus_0_r.
    set (k := (_, _, _)). assert (X : Q2R (excess_of E k) = (Q2R e - Q2R E) / (Q2R e + 1)).
    { rewrite Q2R_excess. unfold k, under_first, under_second. cbn [fst snd].
      rewrite !Q2R_red, !Q2R_div, O, Ne by exact Nz1. field. lra. }
    destruct (Qle_bool _ 0) eqn:L.
    - apply Qle_bool_R in L. rewrite X, Q2R_0 in *. rewrite Rmax_left by exact L. reflexivity.
    - apply Qle_bool_R_false in L. rewrite X, Q2R_0 in *. rewrite Rmax_right by lra. reflexivity. }
  assert (G01 : 0 <= / Q2R e <= 1).
  { split; [left; apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (L0 : 0 < ln (Q2R e)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Xe : exp (ln (Q2R e)) = Q2R e) by (apply exp_ln; lra).
  assert (N2 : (2 <= n)%nat).
  { unfold plan_is_good in Good. rewrite !andb_true_iff in Good. destruct Good as [[[_ G7] _] _].
    apply Nat.leb_le in G7. lia. }
  apply (every_randomizer n R (ln (Q2R e)) (Q2R E) (plan_ends p) (fun _ _ => True) (fun _ => waves_of p));
    try assumption.
  - rewrite exp_ln by lra. exact HE.
  - intros t _. split; [exact Maj | intros values _ _; exact I].
  - rewrite Xe. intros b Ib. destruct (basics_told e (Q2R E) b He Ib) as [classes [J Same]]. specialize (B classes J).
    rewrite !andb_true_iff in B. destruct B as [[G C] B]. apply Qle_bool_R in C. rewrite Q2R_0 in C.
    destruct (proper_table E classes G) as [Pv Nn].
    assert (Z := row_is_below_sound p bits n _ _ delta _ _ Good Nn Pv ltac:(rewrite Gamma; exact G01)
      ltac:(rewrite Alone; apply Rmax_l) C B). cbv zeta in Z. rewrite Gamma, Alone in Z. fold (waves_of p) in Z.
    eapply Rle_trans; [| exact Z]. apply in_stages_le; [exact G01 | exact Rise |]. intros t _.
    assert (Wb : forall r, wave_bound (waves_of p) r (basic_law (Q2R E) b) =
      wave_bound (waves_of p) r (least_values.table_law (with_rest (value_table E classes)))).
    { intros r. unfold wave_bound. f_equal. apply total_ext. intros w _. f_equal. f_equal.
      unfold modulus, real_part, imaginary_part. rewrite !Same, <- !(values_of_classes E classes). reflexivity. }
    rewrite Wb. lra.
Qed.

(** *** Refuted *)

Lemma nothing_uncovered {A} (P R D : dist A) E :
  (forall a, mass D a = 0 -> mass P a = 0 /\ mass R a = 0) -> uncovered P R E D = 0.
Proof.
  intros H. unfold uncovered. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _.
  destruct (Req_EM_T _ 0) as [Z | _]; [| reflexivity]. destruct (H a Z) as [-> ->]. apply Rmax_left. lra.
Qed.

Lemma basic_rows_told (e : Q) l : 1 < Q2R e -> In l (rational_basics e) ->
  told (three_rows (map real_vector l)) 3 (divided l) /\ local_dp (three_rows (map real_vector l)) (ln (Q2R e)) 0.
Proof.
  intros He I. destruct (basics_positive e l He I) as [Some Pos]. set (b := map real_vector l).
  assert (Ib : In b (basics (Q2R e))) by (rewrite basics_are; apply in_map, I).
  assert (Pr := fun i => proper_three_rows (Q2R e) He b i Ib).
  split; [| apply (basic_attains (Q2R e) He (fun u m => count_occ same u m) 0 b 1 Ib complete_view_counts); lia].
  exists 0%nat, 1%nat, 2%nat. split; [lia |]. split; [lia |]. split; [lia |]. split; [intros z _; apply Pr |].
  apply tells_bounds. intros E. split.
  - intros f. rewrite (basic_values (Q2R e) He E b f Ib). apply (divided_law E l Some Pos).
  - rewrite nothing_uncovered.
    + destruct (whole_positive l Some Pos) as [W0 [_ Div]]. unfold class_uncovered, divided. cbv zeta.
      rewrite !total_map. symmetry. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros v J.
      destruct (Req_EM_T _ 0) as [Z | _]; [exfalso | reflexivity]. revert Z.
      unfold reference_mass, real_class, under_reference. cbn [snd]. rewrite Div. specialize (Pos v J).
      assert (0 < Q2R (snd v) / Q2R (sum_of (map snd l))) by (apply Rdiv_lt_0_compat; assumption). lra.
    + intros a Z. assert (M := fun i => basics_alike (Q2R e) He b i 2 a Ib).
      assert (N : forall i, 0 <= mass (three_rows b i) a) by (intros i; apply mass_nonneg, Pr).
      assert (M0 := M 0%nat). assert (M1 := M 1%nat). assert (N0 := N 0%nat). assert (N1 := N 1%nat).
      rewrite Z, Rmult_0_r in M0, M1. lra.
Qed.

Theorem any_not_private (e : Q) l n F E delta :
  1 < Q2R e -> In l (rational_basics e) -> (1 <= n)%nat -> 1 <= F <= E ->
  delta < class_bound n E (map real_class (divided l)) ->
  exists R : nat -> dist (list nat), (forall x, proper (R x)) /\ local_dp R (ln (Q2R e)) 0 /\
    ~ shuffle_dp n R (ln F) delta.
Proof.
  intros He I N HF B. destruct (basic_rows_told e l He I) as [T L].
  exists (fun x => one_message (three_rows (map real_vector l)) (Nat.min x 2)). split; [| split].
  - intros x. apply proper_dmap, (proper_three_rows (Q2R e) He). rewrite basics_are. apply in_map, I.
  - intros x y S. unfold one_message, Pr. rewrite !mean_dmap. apply (L _ _ (fun a => S [a])).
  - exact (not_private_if_told _ 3 (divided l) n F E delta T N HF B).
Qed.

Theorem check_any_sound E0 n s l delta proved shown :
  check_any E0 n l delta proved shown = true -> sound (AnyShuffleDP E0 n s l delta) proved.
Proof.
  unfold check_any. destruct proved.
  2: { destruct shown; try discriminate. destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (pair_tested test) as [[ordered place] |]; [| discriminate].
    destruct (nth_error (rational_basics E0) (Z.to_nat place)) as [basic |] eqn:Basic; [| discriminate]. intros H.
    rewrite !andb_true_iff in H. destruct H as [[[[[P L] N] _] _] B]. apply Z.leb_le in N.
    apply posed.less_sound in P. rewrite Q2R_1 in P. apply posed.level_is_posed_sound in L.
    split; [simpl; auto |]. destruct L as [L1 _]. destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y))).
    { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
    apply test_exceeds_true in B. rewrite <- Z2Nat.inj_pos, Z2Pos.id in B by lia.
    destruct (any_not_private E0 basic (Z.to_nat n) (ratio l) _ _ P (nth_error_In _ _ Basic) ltac:(lia) (conj L1 E) B)
      as [R [Pr [Local Not]]].
    cbn [holds]. intros H. destruct (H nat R Pr Local) as [D _]. apply Not, D. destruct s; simpl; lia. }
  destruct shown as [| | | | [| bits plans places used | |] p | | | | | | | | | | | | | | | | | |];
    try discriminate. destruct places as [| place [|]], used; try discriminate.
  destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (nth_error plans (Z.to_nat place)) as [plan |]; [| discriminate]. cbv zeta. intros H.
  rewrite !andb_true_iff in H. destruct H as [[[[[[[P L] N] _] One] Sw] Own] B]. apply Z.leb_le in N.
  apply posed.less_sound in P. rewrite Q2R_1 in P. apply posed.level_is_posed_sound in L. apply negb_true_iff in Own.
  split; [simpl; auto |]. destruct L as [L1 L2]. destruct (ratio_below_sound l p X Y Ratio) as [R1 R2].
  apply Qle_bool_R in One. rewrite Q2R_1 in One.
  assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  cbn [holds]. intros M R Pr Local. split; [| exact I]. intros k K.
  apply (adding_users (Z.to_nat n)); [destruct s; simpl in K; lia | exact Pr |].
  apply (any_private R E0 _ delta (ratio l) _ _ plan P (conj One E) Pr Local Sw Own B).
Qed.

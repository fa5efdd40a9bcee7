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
From Exactdp Require Import shuffler independence single_message homogeneous generic_blanket hidden_message swapped_messages.
From ExactdpChecker Require Import claims witnesses kinds levels family_blanket likelihood_checked blanket_sound blanket_checked family_rows own_slot own_program swap_checked.
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

(** With a slot of one's own it may have any of the five. *)
Definition any_is_below (e E delta : Q) (r : run) : bool :=
  match own_below r with
  | Some below => is_good r && pair_is_below_own E delta (any_pair e) (of_others (any_pair e)) below
  | None => pair_is_below E delta (any_pair e) r
  end.

Definition check_any (E0 : Q) (n : Z) (l : claims.level) (delta : Q) (proved : bool) (shown : witness) : bool :=
  match proved, shown with
  | true, ForAllDataSets (BySwap bits plans [place] []) p =>
      match ratio_below l p, nth_error plans (Z.to_nat place) with
      | Some (X, Y), Some s =>
          let E := Qred (X # Z.to_pos Y) in
          let r := run_of_plan (Z.to_nat bits) (Z.to_nat n) s in
          posed.less 1 E0 && posed.level_is_posed l delta && (1 <=? n)%Z && (0 <=? place)%Z && Qle_bool 1 E &&
          swaps r && any_is_below E0 E delta r
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

Lemma any_numbers (e E : Q) : 1 < Q2R e ->
  Q2R (sum_of (map under_reference (of_blanket (any_pair e)))) = / Q2R e /\
  Q2R (divergence_listed E (of_blanket (any_pair e))) = Rmax 0 ((Q2R e - Q2R E) / (Q2R e + 1)).
Proof.
  intros He. assert (O := Q2R_1).
  assert (Nz : ~ (e == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0 in Z; lra).
  assert (Ne : Q2R (e + 1) = Q2R e + 1) by (rewrite Q2R_plus, O; reflexivity).
  assert (Nz1 : ~ (e + 1 == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite Q2R_0, Ne in Z; lra).
  split.
  { rewrite Q2R_sum_of. cbn [map total any_pair of_blanket under_reference snd]. rewrite Q2R_red, Q2R_div, O by exact Nz.
    field. lra. }
  unfold divergence_listed. rewrite Q2R_sum_of. cbn [map total any_pair of_blanket]. rewrite Rplus_0_r.
  set (k := (_, _, _)). assert (X : Q2R (excess_of E k) = (Q2R e - Q2R E) / (Q2R e + 1)).
  { rewrite Q2R_excess. unfold k, under_first, under_second. cbn [fst snd].
    rewrite !Q2R_red, !Q2R_div, O, Ne by exact Nz1. field. lra. }
  destruct (Qle_bool _ 0) eqn:L.
  - apply Qle_bool_R in L. rewrite X, Q2R_0 in *. rewrite Rmax_left by exact L. reflexivity.
  - apply Qle_bool_R_false in L. rewrite X, Q2R_0 in *. rewrite Rmax_right by lra. reflexivity.
Qed.

Lemma same_waves L K waves r : same_law L K -> wave_bound waves r L = wave_bound waves r K.
Proof.
  intros S. unfold wave_bound. f_equal. apply total_ext. intros w _. f_equal. f_equal.
  unfold modulus, real_part, imaginary_part. rewrite !S. reflexivity.
Qed.

Theorem any_private {M} (R : nat -> dist (list M)) (e E delta : Q) F bits n s :
  1 < Q2R e -> 1 <= Q2R E <= F -> (forall x, proper (R x)) -> local_dp R (ln (Q2R e)) 0 ->
  swaps (run_of_plan bits n s) = true -> swap_own s = false -> pair_is_below E delta (any_pair e) (run_of_plan bits n s) = true ->
  shuffle_dp n R (ln F) (Q2R delta).
Proof.
  intros He HE Pr Local Swaps Own H. set (p := plan_of s).
  unfold pair_is_below in H. cbn [own_below run_of_plan] in H. rewrite Own in H.
  replace (match swap_stages s with [] | _ => None end) with
    (@None (Q -> Q -> Q -> list (Q * least_values.table) -> Q * least_values.table -> bool)) in H by (destruct (swap_stages s); reflexivity).
  fold (run_of_plan bits n s) in H. rewrite Swaps in H. rewrite !andb_true_iff in H. destruct H as [[Good Masses] B].
  assert (Users : users_of s n = n) by (unfold users_of; cbn [swaps run_of_plan] in Swaps; destruct (swap_stages s);
    [discriminate | rewrite Own; reflexivity]).
  cbn [is_good run_of_plan row_below] in Good, B. rewrite Users in *. fold p in Good, B.
  rewrite forallb_forall in B. destruct (good_plan p bits n Good) as [Maj Rise].
  destruct (any_numbers e E He) as [Gamma Alone].
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
    rewrite (same_waves _ (least_values.table_law (with_rest (value_table E classes))));
      [lra | intros f; rewrite Same; symmetry; apply values_of_classes].
Qed.

(** *** With a slot of one's own *)

Fixpoint greatest (l : list R) : R :=
  match l with
  | [] => 0
  | [x] => x
  | x :: rest => Rmax x (greatest rest)
  end.

Lemma greatest_above l x : In x l -> x <= greatest l.
Proof.
  induction l as [| y l IH]; intros I; [destruct I |]. destruct l as [| z l]; [destruct I as [<- | []]; apply Rle_refl |].
  change (x <= Rmax y (greatest (z :: l))).
  destruct I as [<- | I]; [apply Rmax_l | eapply Rle_trans; [apply IH, I | apply Rmax_r]].
Qed.

Lemma greatest_is l : l <> [] -> In (greatest l) l.
Proof.
  induction l as [| y l IH]; intros N; [congruence |]. destruct l as [| z l]; [left; reflexivity |].
  change (In (Rmax y (greatest (z :: l))) (y :: z :: l)). unfold Rmax. destruct (Rle_dec _ _); [right; apply IH; discriminate | left; reflexivity].
Qed.

(** X + max(0, Y - X)/m is monotone in both, and convex in X. *)
Definition with_slot (X Y : R) (m : nat) : R := X + Rmax 0 (Y - X) / INR m.

Lemma slot_share m : 0 <= / INR m <= 1.
Proof.
  destruct m as [| m]; [simpl; rewrite Rinv_0; lra |]. assert (P := pos_INR m). rewrite S_INR.
  split; [left; apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Lemma with_slot_le X X' Y Y' m : X <= X' -> Y <= Y' -> with_slot X Y m <= with_slot X' Y' m.
Proof.
  intros HX HY. unfold with_slot, Rdiv. assert (S := slot_share m). set (i := / INR m) in *.
  assert (A : Rmax 0 (Y - X) <= Rmax 0 (Y' - X') + (X' - X)).
  { apply Rmax_lub; [assert (B := Rmax_l 0 (Y' - X')); lra | assert (B := Rmax_r 0 (Y' - X')); lra]. }
  apply (Rmult_le_compat_r i) in A; [| lra]. assert ((X' - X) * i <= (X' - X) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma with_slot_mean {B} (lam : dist B) (X : B -> R) Y m : proper lam ->
  with_slot (mean lam X) Y m <= mean lam (fun b => with_slot (X b) Y m).
Proof.
  intros P. unfold with_slot, Rdiv. rewrite mean_plus. apply Rplus_le_compat_l. rewrite mean_scal_r.
  apply Rmult_le_compat_r; [apply slot_share |]. apply Rmax_lub; [apply mean_nonneg; [exact P | intros; apply Rmax_l] |].
  rewrite <- (mean_const lam Y P) at 1. rewrite <- mean_minus. apply mean_le; [exact P | intros; apply Rmax_r].
Qed.

Lemma proper_mixture e E (lam : dist (list vector)) : 1 < e -> proper lam ->
  (forall wb, In wb lam -> In (snd wb) (basics e)) -> proper (bind lam (basic_law E)).
Proof.
  intros He P I. split.
  - intros wa J. unfold bind in J. apply in_flat_map in J. destruct J as [wb [J1 J2]].
    apply in_map_iff in J2. destruct J2 as [vb [<- J2]]. simpl. apply Rmult_le_pos; [apply (proj1 P), J1 |].
    apply (proj1 (proper_basic e He E (snd wb) (I wb J1))), J2.
  - rewrite mean_bind. transitivity (mean lam (fun _ => 1)); [| exact (proj2 P)]. unfold mean at 1 3.
    apply total_ext. intros wb J. f_equal. apply (proj2 (proper_basic e He E (snd wb) (I wb J))).
Qed.

Theorem any_private_own {M} (R : nat -> dist (list M)) (e E delta : Q) F bits n s :
  1 < Q2R e -> 1 <= Q2R E <= F -> 0 <= Q2R delta -> (forall x, proper (R x)) -> local_dp R (ln (Q2R e)) 0 ->
  swap_stages s <> [] -> swap_own s = true ->
  any_is_below e E delta (run_of_plan bits n s) = true -> shuffle_dp n R (ln F) (Q2R delta).
Proof.
  intros He HE Hd Pr Local Stages Own H. set (p := plan_of s). destruct (any_numbers e E He) as [Gamma Alone].
  unfold any_is_below in H. cbn [own_below run_of_plan is_good] in H. rewrite Own in H.
  assert (Users : users_of s n = S n) by (unfold users_of; destruct (swap_stages s); [congruence | rewrite Own; reflexivity]).
  rewrite Users in H. fold p in H. destruct (swap_stages s) as [| t0 ends0]; [congruence |]. clear Stages.
  apply andb_true_iff in H. destruct H as [Good H]. unfold pair_is_below_own in H. cbv zeta in H.
  set (gamma := sum_of (map under_reference (of_blanket (any_pair e)))) in *.
  rewrite !andb_true_iff in H. destruct H as [[_ Owns] B]. rewrite forallb_forall in B, Owns.
  assert (Ie : 0 < / Q2R e <= 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (N2 : (1 <= n)%nat).
  { unfold plan_is_good in Good. rewrite !andb_true_iff in Good. destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. lia. }
  destruct n as [| n]; [lia |].
  destruct (good_plan p bits (S (S n)) Good) as [Maj _]. assert (Rise := good_rises p bits n Good).
  assert (Ratio : forall x y a, mass (R x) a <= Q2R e * mass (R y) a).
  { intros x y a. assert (Y := Local x y (fun b => if hockey_stick.same b a then true else false)). rewrite exp_ln in Y by lra.
    unfold mass. lra. }
  apply (dp_of_pairs (S n) R (Q2R E) F); try assumption; try lra. intros x y others L. right.
  assert (Ln : length (map R others) = n) by (rewrite map_length; lia).
  assert (Some : map R others <> []).
  { intros Z. rewrite Z in Ln. simpl in Ln. rewrite <- Ln in Good. unfold plan_is_good in Good.
    rewrite !andb_true_iff in Good. destruct Good as [[[_ G7] _] _]. apply Nat.leb_le in G7. simpl in G7. lia. }
  set (c := part_of (R x) (/ Q2R e)). assert (Wc : weight c = / Q2R e) by (apply weight_part_of, Pr).
  assert (Sc : sub_law c) by (apply sub_law_part_of; [apply Pr | lra]).
  set (base := part_of c (/ weight c)).
  assert (Pb : proper base) by (apply base_proper; [exact Sc | rewrite Wc; lra]).
  assert (Mb : forall a, mass base a = mass (R x) a).
  { intros a. unfold base, c. rewrite !mass_part_of. fold c. rewrite Wc. field. lra. }
  assert (Alike : Forall (fun row => proper row /\ alike (Q2R e) (R x) (R y) row) (base :: map R others)).
  { constructor; [split; [exact Pb | intros a; rewrite Mb; repeat split; apply Ratio] |].
    apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. split; [apply Pr |].
    intros a. repeat split; apply Ratio. }
  destruct (mixtures_of_rows (Q2R e) He (R x) (R y) (base :: map R others) (Pr x) (Pr y) Alike) as [lam_of Lam].
  set (law_of := fun row => bind (lam_of row) (basic_law (Q2R E))).
  assert (Sp : Forall (spreads (R x) (R y) (Q2R E) law_of) (base :: map R others)).
  { apply Forall_forall. intros row I. destruct (Lam row I) as (L1 & L2 & L3). rewrite Forall_forall in Alike.
    split; [apply (Alike row I) |]. split; [apply (proper_mixture (Q2R e)); assumption | apply L3]. }
  set (X := fun b m => wave_bound (waves_of p) m (basic_law (Q2R E) b)).
  set (Y := fun m => greatest (map (fun b => X b m) (basics (Q2R e)))).
  assert (Hidden : forall row m, In row (base :: map R others) ->
    hidden_in (R x) (R y) (Q2R E) (waves_of p) law_of m row <= mean (lam_of row) (fun b => X b m)).
  { intros row m I. destruct (Lam row I) as (L1 & _ & _). rewrite Forall_forall in Alike. unfold hidden_in.
    rewrite (alike_uncovered (Q2R e) (R x) (R y) row (Q2R E) (Pr x) (Pr y) (proj2 (Alike row I))), Rplus_0_r.
    apply mixed_wave_bound, L1. }
  apply view_below. intros g Og G.
  apply (own_slot_below (R x) (R y) c (Q2R E) Sc ltac:(rewrite Wc; lra) (waves_of p) Maj law_of (plan_ends p)
    (map R others) g (Q2R delta)); try assumption.
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. split; [apply Pr |].
    split; [exact Sc |]. intros a. unfold c. rewrite mass_part_of. assert (Z := Ratio x v a).
    apply (Rmult_le_compat_l (/ Q2R e)) in Z; [| lra]. rewrite <- Rmult_assoc, Rinv_l in Z by lra. lra.
  - rewrite Ln. exact Rise.
  - intros row I. rewrite Ln. assert (I' : In row (base :: map R others)) by (right; exact I).
    destruct (Lam row I') as (L1 & L2 & _). assert (Left := fun i => own_left_falls c ltac:(rewrite Wc; lra) n i ltac:(rewrite Wc; lra)).
    apply Rle_trans with (stages_with (own_left c n) 0 (plan_ends p) n (Rmax 0 ((Q2R e - Q2R E) / (Q2R e + 1)))
      (fun m => mean (lam_of row) (fun b => with_slot (X b m) (Y m) m))).
    + apply stages_with_le; try lia; try exact Rise; [intros i _; apply (Left i) | apply (Left n) | |].
      * apply divergence_at_most; auto; lra.
      * intros m. eapply Rle_trans; [| apply with_slot_mean, L1]. apply (with_slot_le _ _ _ _ m (Hidden row m I')).
        eapply Rle_trans; [apply (Hidden base m (or_introl eq_refl)) |].
        destruct (Lam base (or_introl eq_refl)) as (B1 & B2 & _). rewrite <- (mean_const (lam_of base) (Y m) B1).
        apply mean_le_drawn; [apply B1 |]. intros wb J. apply greatest_above, (in_map (fun b => X b m)), B2, J.
    + rewrite stages_with_mean by exact L1. rewrite <- (mean_const (lam_of row) (Q2R delta) L1).
      apply mean_le_drawn; [apply L1 |]. intros wb J. destruct (basics_told e (Q2R E) (snd wb) He (L2 wb J)) as [classes [K Same]].
      assert (Charge : forall cl, In cl (of_others (any_pair e)) -> 0 <= Q2R (fst (charged_values E cl))).
      { intros cl I2. specialize (B cl I2). rewrite !andb_true_iff in B. destruct B as [[_ C] _].
        apply Qle_bool_R in C. rewrite Q2R_0 in C. exact C. }
      assert (C := Charge classes K). specialize (B classes K). rewrite !andb_true_iff in B. destruct B as [[G1 _] B].
      destruct (proper_table E classes G1) as [Pv Nn].
      assert (Is : forall b cl m, same_law (basic_law (Q2R E) b) (class_values (Q2R E) (map real_class cl)) ->
        X b m = wave_bound (waves_of p) m (least_values.table_law (snd (charged_values E cl)))).
      { intros b cl m S. apply same_waves. intros f. rewrite S. symmetry. apply values_of_classes. }
      assert (Z := own_row_is_below_sound c p bits n gamma _ delta (map (charged_values E) (of_others (any_pair e)))
        (charged_values E classes) Y Good Nn Pv C
        ltac:(intros o Io; apply in_map_iff in Io; destruct Io as [cl [<- Io]]; destruct (proper_table E cl (Owns cl Io)); split; assumption)
        ltac:(rewrite Gamma; exact Ie) ltac:(rewrite Wc, Gamma; reflexivity) ltac:(rewrite Alone; apply Rmax_l) B). cbv zeta in Z.
      rewrite Alone in Z. fold (waves_of p) in Z. eapply Rle_trans; [| apply Z].
      * apply stages_with_le; try lia; try exact Rise; [intros i _; apply (Left i) | apply (Left n) | apply Rle_refl |].
        intros m. apply with_slot_le; [| apply Rle_refl]. rewrite (Is _ _ m Same). lra.
      * intros m. assert (Gm : In (Y m) (map (fun b => X b m) (basics (Q2R e)))) by (apply greatest_is; discriminate).
        apply in_map_iff in Gm. destruct Gm as [b [Eb Ib]]. destruct (basics_told e (Q2R E) b He Ib) as [cl [Icl Scl]].
        exists (charged_values E cl). split; [apply in_map, Icl |]. rewrite <- Eb, (Is _ _ m Scl). specialize (Charge cl Icl). lra.
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
  intros E. split.
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

(** One message of each user. *)
Definition basic_rows (l : list (Q * Q * Q)) (x : nat) : dist (list nat) :=
  one_message (three_rows (map real_vector l)) (Nat.min x 2).

Lemma basic_rows_alike (e : Q) l : 1 < Q2R e -> In l (rational_basics e) ->
  (forall x, proper (basic_rows l x)) /\ local_dp (basic_rows l) (ln (Q2R e)) 0.
Proof.
  intros He I. destruct (basic_rows_told e l He I) as [_ L]. split.
  - intros x. apply proper_dmap, (proper_three_rows (Q2R e) He). rewrite basics_are. apply in_map, I.
  - intros x y S. unfold basic_rows, one_message, Pr. rewrite !mean_dmap. apply (L _ _ (fun a => S [a])).
Qed.

Theorem any_not_private (e : Q) l n F E delta :
  1 < Q2R e -> In l (rational_basics e) -> (1 <= n)%nat -> 1 <= F <= E ->
  delta < class_bound n E (map real_class (divided l)) -> ~ shuffle_dp n (basic_rows l) (ln F) delta.
Proof. intros He I N. apply (not_private_if_told _ 3 (divided l)); [apply (basic_rows_told e l He I) | exact N]. Qed.

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
    assert (I := nth_error_In _ _ Basic). destruct (basic_rows_alike E0 basic P I) as [Pr Local].
    cbn [holds]. intros H. destruct (H nat (basic_rows basic) Pr Local) as [D _].
    apply (any_not_private E0 basic (Z.to_nat n) (ratio l) _ _ P I ltac:(lia) (conj L1 E) B), D. destruct s; simpl; lia. }
  destruct shown as [| | | | [| bits plans places used | |] p | | | | | | | | | | | | | | | | | |];
    try discriminate. destruct places as [| place [|]], used; try discriminate.
  destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (nth_error plans (Z.to_nat place)) as [plan |]; [| discriminate]. cbv zeta. intros H.
  rewrite !andb_true_iff in H. destruct H as [[[[[[P L] N] _] One] Sw] B]. apply Z.leb_le in N.
  apply posed.less_sound in P. rewrite Q2R_1 in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 L2]. destruct (ratio_below_sound l p X Y Ratio) as [R1 R2].
  apply Qle_bool_R in One. rewrite Q2R_1 in One.
  assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  cbn [holds]. intros M R Pr Local. split; [| exact I]. intros k K.
  apply (adding_users (Z.to_nat n)); [destruct s; simpl in K; lia | exact Pr |].
  assert (Stages : swap_stages plan <> []) by (intros Z; cbn [swaps run_of_plan] in Sw; rewrite Z in Sw; discriminate).
  destruct (swap_own plan) eqn:Own.
  - apply (any_private_own R E0 _ delta (ratio l) _ _ plan P (conj One E) (proj1 L2) Pr Local Stages Own B).
  - apply (any_private R E0 _ delta (ratio l) _ _ plan P (conj One E) Pr Local Sw Own).
    unfold any_is_below in B. cbn [own_below run_of_plan] in B. rewrite Own in B. destruct (swap_stages plan); exact B.
Qed.

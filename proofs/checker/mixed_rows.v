(** The bound of a swap for users of several classes, each of which holds one row, in integers of 2^-bits: a program.

    The others are of classes with shares of them; each class has one row of several. [choices_below] bounds every
    choice: first with all nodes as large as the first, and then by what they are, with the sizes of each row made once.
    [choices_below_sound]: if it accepts, the numbers of class_vertices.v, in all stages together, are at most delta for
    every choice, for every plan, share, row and delta.

    Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws mean_excess fixed_point logarithm_fixed_point tilt_powers tilted_measures.
From Exactdp Require Import tilted_program least_values pair_bound increasing_convex_order swapped_stages wave_bounds.
From Exactdp Require Import node_waves node_program node_moduli node_sound.
From ExactdpChecker Require Import blanket_program opaque_rationals.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** Every list of one entry of each list passes. *)
Fixpoint all_choices {A} (test : list A -> bool) (l : list (list A)) : bool :=
  match l with
  | [] => test []
  | first :: rest => forallb (fun a => all_choices (fun chosen => test (a :: chosen)) rest) first
  end.

(** A row: its charge, the sum of its tilted masses, and their sizes at all nodes, if these are made. *)
Definition measured_row : Type := Q * (Z * list Z).

(** At least the share of a number's square. *)
Definition share_of (share : Q) (size : Z) : Z := ceiling_div (Qnum share * (size * size)) (Zpos (Qden share)).

Definition squares_added (rows : list (Q * list Z)) (none : list Z) : list Z :=
  fold_right (fun row sums => map (fun xy => share_of (fst row) (fst xy) + snd xy) (combine (snd row) sums)) none rows.

Definition choice_is_below (p : plan) (bits : nat) (halves : list nat) (nodes : list Z) (rest : Z) (before : Q)
    (chances : list Z * Z) (alone delta : Q) (quick : bool) (shares : list Q) (rows : list measured_row) : bool :=
  let with_shares := combine shares rows in
  let square := up (z_total (fun sr => share_of (fst sr) (fst (snd (snd sr)))) with_shares) bits in
  let logarithm := snd (log_bounds square bits) in
  let charge := sum_of (map (fun sr => fst sr * fst (snd sr))%Q with_shares) in
  square_is_good bits halves square logarithm &&
  stages_within bits halves chances before alone delta charge logarithm
    (if quick then quick_sums nodes rest halves
     else sums_of_shares bits nodes rest halves (map (fun sum => Z.min (two bits) (ceiling_div sum square))
       (squares_added (map (fun sr => (fst sr, snd (snd (snd sr)))) with_shares) (map (fun _ => 0) nodes)))).

Definition measured (p : plan) (bits : nat) (quick : bool) (row : Q * least_values.table) : measured_row :=
  let tilted := map (tilted_value (plan_tilt p) bits) (snd row) in
  (fst row, (moment_of tilted, if quick then [] else sizes_of_row p bits tilted)).

Definition choices_below (p : plan) (bits n : nat) (nodes : list Z) (rest : Z) (before : Q) (gamma alone delta : Q)
    (shares : list Q) (rows : list (list (Q * least_values.table))) : bool :=
  let halves := halves_of p n in
  let chances := chances_of p bits gamma in
  let test quick := all_choices (choice_is_below p bits halves nodes rest before chances alone delta quick shares)
    (map (map (measured p bits quick)) rows) in
  forallb (fun row => forallb (fun v => is_short (plan_tilt p * fst v)) (snd row)) (concat rows) &&
  forallb (Z.leb 0) (fst chances) &&
  (test true ||
   forallb (fun row => in_limits p bits (map (tilted_value (plan_tilt p) bits) (snd row))) (concat rows) && test false).

(** ** Soundness *)

Open Scope R_scope.

Local Arguments two : simpl never.

Lemma all_choices_true {A} (test : list A -> bool) l : all_choices test l = true ->
  forall chosen, Forall2 (fun a first => In a first) chosen l -> test chosen = true.
Proof.
  revert test. induction l as [| first rest IH]; intros test H chosen F; inversion F as [| a ? chosen' ? I F']; subst; [exact H |].
  cbn [all_choices] in H. rewrite forallb_forall in H. apply (IH _ (H a I) chosen' F').
Qed.

Section choice.

Context (p : plan) (bits n : nat).
Hypothesis good : plan_is_good p bits n = true.

Let lam := Q2R (plan_tilt p).
Let h := Q2R (plan_step p) * lam.

(** The mean of the squares over the shares. *)
Definition mean_squared (chosen : list (Q * least_values.table)) (w : wave) : R :=
  total chosen (fun sv => Q2R (fst sv) * modulus w (least_values.table_law (snd sv)) ^ 2).

Lemma share_above share size m : 0 <= Q2R share -> 0 <= m -> 2 ^ bits * m <= IZR size ->
  2 ^ bits * 2 ^ bits * (Q2R share * m ^ 2) <= IZR (share_of share size).
Proof.
  intros S M H. assert (P := pow_two_positive bits). eapply Rle_trans; [| apply ceiling_div_above; [reflexivity | apply Rle_refl]].
  unfold Q2R in *. rewrite !mult_IZR. assert (D := den_pos share).
  replace (2 ^ bits * 2 ^ bits * (IZR (Qnum share) * / IZR (Zpos (Qden share)) * m ^ 2))
    with (IZR (Qnum share) * / IZR (Zpos (Qden share)) * ((2 ^ bits * m) * (2 ^ bits * m))) by (simpl; ring).
  replace (IZR (Qnum share) * (IZR size * IZR size) / IZR (Zpos (Qden share)))
    with (IZR (Qnum share) * / IZR (Zpos (Qden share)) * (IZR size * IZR size)) by (unfold Rdiv; ring).
  apply Rmult_le_compat_l; [exact S |]. assert (0 <= 2 ^ bits * m) by (apply Rmult_le_pos; lra).
  apply Rmult_le_compat; assumption.
Qed.

(** A row with its share. *)
Definition row_good (sv : Q * least_values.table) : Prop :=
  0 <= Q2R (fst sv) /\ nonneg_masses (snd sv) /\ proper (least_values.table_law (snd sv)).

Lemma mean_squared_nonneg chosen w : Forall row_good chosen -> 0 <= mean_squared chosen w.
Proof.
  intros H. apply total_nonneg. intros sv I. rewrite Forall_forall in H. apply Rmult_le_pos; [apply H, I | apply pow2_ge_0].
Qed.

Section chosen.

Variable chosen : list (Q * least_values.table).
Hypothesis rows_good : Forall row_good chosen.

Let tilted (sv : Q * least_values.table) := map (tilted_value (plan_tilt p) bits) (snd sv).
Let square := up (z_total (fun sv => share_of (fst sv) (moment_of (tilted sv))) chosen) bits.
Let size_at (sv : Q * least_values.table) (k : nat) : Z :=
  let moment := moment_of (tilted sv) in
  size_above bits moment (excess_of_masses (tilted sv) + up moment bits + 1)%Z (rotors_at p bits (snd sv) k).
Let share_at (k : nat) : Z := Z.min (two bits) (ceiling_div (z_total (fun sv => share_of (fst sv) (size_at sv k)) chosen) square).

Lemma total_shares_above (size : Q * least_values.table -> Z) (m : Q * least_values.table -> R) :
  (forall sv, In sv chosen -> 0 <= m sv /\ 2 ^ bits * m sv <= IZR (size sv)) ->
  2 ^ bits * 2 ^ bits * total chosen (fun sv => Q2R (fst sv) * m sv ^ 2) <=
  IZR (z_total (fun sv => share_of (fst sv) (size sv)) chosen).
Proof.
  intros H. rewrite IZR_z_total, <- total_scal. apply total_le. intros sv I. rewrite Forall_forall in rows_good.
  apply share_above; [apply rows_good, I | apply H, I | apply H, I].
Qed.

Lemma mean_squared_above y : mean_squared chosen (at_frequency lam y) <= scale2 bits square.
Proof.
  destruct (good_plan_parts p bits n good) as [[G1 [G2 G3]] [G4 [G6 _]]]. assert (P := pow_two_positive bits).
  apply Rle_trans with (mean_squared chosen (at_frequency lam 0)).
  - apply total_le. intros sv I. rewrite Forall_forall in rows_good. destruct (rows_good sv I) as [S [_ Pr]].
    apply Rmult_le_compat_l; [exact S |]. apply pow_incr. split; [apply modulus_nonneg | apply modulus_at_most, Pr].
  - assert (T := total_shares_above (fun sv => moment_of (tilted sv))
      (fun sv => modulus (at_frequency lam 0) (least_values.table_law (snd sv)))).
    unfold scale2, square. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
    replace (IZR (up _ bits) / 2 ^ bits * 2 ^ bits) with
      (IZR (up (z_total (fun sv => share_of (fst sv) (moment_of (tilted sv))) chosen) bits))
      by (match goal with |- ?a = ?b / _ * _ => change b with a; generalize a end; intros; field; lra).
    eapply Rle_trans; [| apply up_above]. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
    unfold Rdiv. rewrite (Rmult_assoc (IZR _)), Rinv_l, Rmult_1_r by lra.
    eapply Rle_trans; [right | apply T].
    + unfold mean_squared. ring.
    + intros sv I. rewrite Forall_forall in rows_good. destruct (rows_good sv I) as [_ [Nn Pr]].
      split; [apply modulus_nonneg |]. apply (moment_true p bits (snd sv)); assumption.
Qed.

Lemma shares_are_good : (0 < square)%Z ->
  (forall sv, In sv chosen -> in_limits p bits (tilted sv) = true) ->
  shares_good p bits (mean_squared chosen) square share_at.
Proof.
  intros Sq Limits k K. assert (P := pow_two_positive bits). assert (T2 := two_positive bits). assert (Sr := IZR_lt _ _ Sq).
  destruct (good_plan_parts p bits n good) as [[G1 [G2 G3]] [G4 [G6 _]]].
  assert (T := total_shares_above (fun sv => size_at sv k)
    (fun sv => modulus (at_frequency lam (INR k * h)) (least_values.table_law (snd sv)))).
  set (sum := z_total (fun sv => share_of (fst sv) (size_at sv k)) chosen) in *.
  assert (T' : 2 ^ bits * 2 ^ bits * mean_squared chosen (at_frequency lam (INR k * h)) <= IZR sum).
  { apply T. intros sv I. rewrite Forall_forall in rows_good. destruct (rows_good sv I) as [_ [Nn Pr]].
    split; [apply modulus_nonneg |]. apply (size_sound p bits (snd sv)); try assumption.
    intros vm J. specialize (Limits sv I). unfold in_limits in Limits. rewrite forallb_forall in Limits.
    specialize (Limits (tilted_value (plan_tilt p) bits vm) (in_map _ _ _ J)). apply Nat.leb_le in Limits.
    rewrite value_of in Limits. exact Limits. }
  clear T. assert (M0 := mean_squared_nonneg chosen (at_frequency lam (INR k * h)) rows_good).
  set (m := mean_squared chosen (at_frequency lam (INR k * h))) in *.
  assert (C : IZR sum / IZR square <= IZR (ceiling_div sum square)) by (apply ceiling_div_above; [exact Sq | apply Rle_refl]).
  assert (S0 : 0 <= IZR sum) by (eapply Rle_trans; [| exact T']; apply Rmult_le_pos; [apply Rmult_le_pos |]; lra).
  assert (C0 : (0 <= ceiling_div sum square)%Z).
  { apply le_IZR. eapply Rle_trans; [| exact C]. apply Rmult_le_pos; [exact S0 | left; apply Rinv_0_lt_compat, Sr]. }
  unfold share_at. fold sum. fold h. fold m. split; [split; [apply Z.min_glb; lia | apply Z.le_min_l] |]. apply Z.min_case.
  - rewrite IZR_two. replace (2 ^ bits / 2 ^ bits) with 1 by (field; lra). rewrite Rmult_1_r. apply mean_squared_above.
  - unfold scale2.
    replace (IZR square / 2 ^ bits * (IZR (ceiling_div sum square) / 2 ^ bits))
      with (IZR square * IZR (ceiling_div sum square) / (2 ^ bits * 2 ^ bits)) by (field; lra).
    apply Rmult_le_reg_l with (2 ^ bits * 2 ^ bits); [apply Rmult_lt_0_compat; exact P |].
    replace (2 ^ bits * 2 ^ bits * (IZR square * IZR (ceiling_div sum square) / (2 ^ bits * 2 ^ bits)))
      with (IZR square * IZR (ceiling_div sum square)) by (field; lra).
    eapply Rle_trans; [exact T' |]. apply Rmult_le_reg_r with (/ IZR square); [apply Rinv_0_lt_compat, Sr |].
    replace (IZR square * IZR (ceiling_div sum square) * / IZR square) with (IZR (ceiling_div sum square)) by (field; lra).
    exact C.
Qed.

Lemma squares_added_are :
  squares_added (map (fun sv => (fst sv, sizes_of_row p bits (tilted sv))) chosen) (map (fun _ => 0%Z) (node_weights p bits)) =
  map (fun k => z_total (fun sv => share_of (fst sv) (size_at sv k)) chosen) (seq 0 (S (plan_nodes p))).
Proof.
  clear rows_good square share_at. induction chosen as [| sv l IH].
  - cbn [squares_added map fold_right z_total]. unfold node_weights. rewrite map_map. reflexivity.
  - unfold squares_added in *. cbn [map fold_right fst snd]. rewrite IH.
    assert (X := sizes_of_row_are p bits (snd sv)). cbv zeta in X.
    change (sizes_of_row p bits (tilted sv)) with (sizes_of_row p bits (map (tilted_value (plan_tilt p) bits) (snd sv))).
    rewrite X.
    rewrite combine_map2, map_map. reflexivity.
Qed.

Lemma chosen_sums quick : (0 < square)%Z -> (quick = false -> forall sv, In sv chosen -> in_limits p bits (tilted sv) = true) ->
  sums_bound p bits (mean_squared chosen) square (halves_of p n)
    (if quick : bool then quick_sums (node_weights p bits) (nodes_beyond p bits) (halves_of p n)
     else sums_of_shares bits (node_weights p bits) (nodes_beyond p bits) (halves_of p n)
       (map (fun sum => Z.min (two bits) (ceiling_div sum square))
         (squares_added (map (fun sv => (fst sv, sizes_of_row p bits (tilted sv))) chosen) (map (fun _ => 0%Z) (node_weights p bits))))).
Proof.
  intros Sq Limits. destruct (good_plan_parts p bits n good) as [[G1 [G2 G3]] [G4 [G6 [_ [_ Halves]]]]].
  assert (N := fun w => mean_squared_nonneg chosen w rows_good). destruct quick.
  - apply (quick_bound p bits) with (squared := mean_squared chosen) (square := square); try assumption;
      [reflexivity | exact mean_squared_above | apply Halves].
  - rewrite squares_added_are, map_map. fold (share_at).
    apply (shares_bound p bits) with (squared := mean_squared chosen) (square := square) (share_at := share_at); try assumption;
      [reflexivity | exact mean_squared_above | apply shares_are_good; [exact Sq | apply Limits; reflexivity]].
Qed.

End chosen.

Lemma Forall2_map_in {A B C} (f : A -> B) (g : C -> list B) (of : C -> list A) l m :
  (forall c, g c = map f (of c)) -> Forall2 (fun a c => In a (of c)) l m -> Forall2 (fun b c => In b c) (map f l) (map g m).
Proof. intros E F. induction F; simpl; constructor; [rewrite E; apply in_map; assumption | assumption]. Qed.

Theorem choices_below_sound gamma alone delta shares (rows : list (list (Q * least_values.table))) chosen :
  0 <= Q2R gamma <= 1 -> 0 <= Q2R alone -> length shares = length rows -> (forall q, In q shares -> 0 <= Q2R q) ->
  (forall first row, In first rows -> In row first ->
    0 <= Q2R (fst row) /\ nonneg_masses (snd row) /\ proper (least_values.table_law (snd row))) ->
  choices_below p bits n (node_weights p bits) (nodes_beyond p bits) (front p bits) gamma alone delta shares rows = true ->
  Forall2 (fun row first => In row first) chosen rows ->
  in_stages 0 (plan_ends p) (n - 1) (Q2R gamma) (Q2R alone) (fun r =>
    at_power p (mean_squared (map (fun sr => (fst sr, snd (snd sr))) (combine shares chosen))) (Nat.div2 r) +
    total (combine shares chosen) (fun sr => Q2R (fst sr) * Q2R (fst (snd sr)))) <= Q2R delta.
Proof.
  intros Gamma Alone Len Shares Rows H F. unfold choices_below in H. rewrite !andb_true_iff in H. destruct H as [[_ Hw] H].
  assert (Lc : length chosen = length rows) by (clear -F; induction F; simpl; congruence).
  assert (In_rows : forall row, In row chosen -> exists first, In first rows /\ In row first).
  { clear -F. induction F as [| a b l m I F IH]; intros row J; [destruct J |].
    destruct J as [<- | J]; [exists b; simpl; auto |]. destruct (IH row J) as [first [X Y]]. exists first. simpl. auto. }
  set (pairs := combine shares chosen). set (cs := map (fun sr => (fst sr, snd (snd sr))) pairs).
  assert (Good : Forall row_good cs).
  { apply Forall_forall. intros sv I. apply in_map_iff in I. destruct I as [sr [<- I]]. destruct sr as [q row].
    destruct (In_rows row (in_combine_r _ _ _ _ I)) as [first [X Y]]. destruct (Rows first row X Y) as [_ [Nn Pr]].
    split; [apply Shares, (in_combine_l _ _ _ _ I) | split; assumption]. }
  set (q := sum_of (map (fun sr => fst sr * fst (snd sr))%Q pairs)).
  assert (Q0 : Q2R q = total pairs (fun sr => Q2R (fst sr) * Q2R (fst (snd sr)))).
  { unfold q. rewrite Q2R_sum_of, total_map. apply total_ext. intros sr _. apply Q2R_mult. }
  assert (Charge : 0 <= Q2R q).
  { rewrite Q0. apply total_nonneg. intros [s row] I. destruct (In_rows row (in_combine_r _ _ _ _ I)) as [first [X Y]].
    apply Rmult_le_pos; [apply Shares, (in_combine_l _ _ _ _ I) | apply (Rows first row X Y)]. }
  assert (Test : exists quick, choice_is_below p bits (halves_of p n) (node_weights p bits) (nodes_beyond p bits) (front p bits)
      (chances_of p bits gamma) alone delta quick shares (map (measured p bits quick) chosen) = true /\
    (quick = false -> forall sv, In sv cs -> in_limits p bits (map (tilted_value (plan_tilt p) bits) (snd sv)) = true)).
  { apply orb_true_iff in H. destruct H as [H | H]; [exists true | exists false; apply andb_true_iff in H; destruct H as [Limits H]].
    - split; [| discriminate]. apply (all_choices_true _ _ H). apply (Forall2_map_in _ _ (fun c => c)); [reflexivity | exact F].
    - split.
      + apply (all_choices_true _ _ H). apply (Forall2_map_in _ _ (fun c => c)); [reflexivity | exact F].
      + intros _ sv I. apply in_map_iff in I. destruct I as [[s row] [<- I]].
        destruct (In_rows row (in_combine_r _ _ _ _ I)) as [first [X Y]]. rewrite forallb_forall in Limits.
        apply (Limits row). apply in_concat. exists first. split; assumption. }
  destruct Test as [quick [T Limits]]. unfold choice_is_below in T.
  assert (With : combine shares (map (measured p bits quick) chosen) =
    map (fun sr => (fst sr, measured p bits quick (snd sr))) pairs).
  { unfold pairs. clear. revert chosen. induction shares as [| s l IH]; intros [| c m]; simpl; [reflexivity .. |].
    rewrite IH. reflexivity. }
  rewrite With, !map_map in T. cbn [fst snd measured] in T. rewrite z_total_map in T. cbn [fst snd measured] in T.
  fold q in T.
  assert (Sq1 : z_total (fun sr : Q * (Q * least_values.table) => share_of (fst sr) (moment_of (map (tilted_value (plan_tilt p) bits) (snd (snd sr))))) pairs =
    z_total (fun sv : Q * least_values.table => share_of (fst sv) (moment_of (map (tilted_value (plan_tilt p) bits) (snd sv)))) cs)
    by (unfold cs; rewrite z_total_map; reflexivity).
  rewrite Sq1 in T. set (square := up (z_total _ cs) bits) in *. apply andb_true_iff in T. destruct T as [Sq T].
  unfold square_is_good in Sq. apply andb_true_iff in Sq. destruct Sq as [Sq _]. apply Z.ltb_lt in Sq.
  assert (Sums := chosen_sums cs Good quick Sq Limits).
  refine (stages_within_sound p bits n gamma alone delta q _ square _ _ good Gamma Alone Charge Sq
    (fun w => mean_squared_nonneg cs w Good) Sums _ Hw _).
  - intros e. rewrite Nat.div2_double, Q0. reflexivity.
  - destruct quick; [exact T |]. rewrite <- T. unfold cs. rewrite !map_map. reflexivity.
Qed.

End choice.

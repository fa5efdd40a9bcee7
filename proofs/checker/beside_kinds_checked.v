(** What beside_kinds.v lists is right: for all tables, and for the families whose dummy is what a user with one input
    sends, or uniform, but no uniform bits beside others.

    [kinds_beside_right]: every pair of inputs and every row is there, and nothing else is. *)

From Coq Require Import Reals List Qreals Lra Lia.
From Exactdp Require Import sums laws hockey_stick mean_excess shuffler absent_users supports hadamard_classes.
From Exactdp Require Import k_ary_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket described_pairs.
From ExactdpChecker Require Import described_beside family_rows laplace_table product_pairs absence_laws.
From ExactdpChecker Require Import participation_rows beside_kinds kinds_of_supports kinds_of_signs.
Import ListNotations.
Open Scope R_scope.

Lemma row_covers places row : (forall o, In o row -> In (snd o) places) -> covers places (row_law row).
Proof. intros H wa I. apply in_map_iff in I. destruct I as [o [<- I]]. apply H, I. Qed.

Lemma in_outcomes t row o : In row (rows t) -> In o row -> In (snd o) (outcomes_of t).
Proof.
  intros R O. apply nodup_In. change (In (snd o) (map snd (concat (rows t)))). apply in_map, in_concat. exists row.
    auto.
Qed.

Lemma table_beside_right t instead full : table_posed t ->
  beside_right (row_in t) (length (rows t)) (row_law instead) (kinds_of_table t instead) full.
Proof.
  intros P. unfold kinds_of_table. set (places := outcomes_of (with_dummy t instead)).
  rewrite (rows_by_place (fun row => map (probability row) places) (rows t) []).
  apply (matrix_beside_right (row_in t) (row_law instead) (length (rows t)) places (fun x => probability (nth x (rows
    t) []))).
  - apply table_inputs, P.
  - apply NoDup_nodup.
  - intros x Hx. apply proper_row_in; assumption.
  - intros x Hx. apply row_covers. intros o I. apply (in_outcomes (with_dummy t instead) (nth x (rows t) [])); [| exact
      I].
    right. apply nth_In, Hx.
  - apply row_covers. intros o I. apply (in_outcomes (with_dummy t instead) instead); [left; reflexivity | exact I].
  - intros x a _ _. apply mass_row.
  - intros a _. apply mass_row.
Qed.

(** What is seen of a table's dummy, of one message. *)
Lemma dummy_of_table t a instead : sent_instead (message_types t) a = Some instead ->
  (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) -> hides a ->
  same_law (dmap Messages (row_law instead)) (dummy (Table t) a).
Proof.
  intros S N H f. rewrite mean_dmap, (sent_instead_law _ _ _ S N).
  destruct a as [| | | chances | z]; try contradiction; try discriminate; cbn [instead_law dummy uniform_message].
  - unfold sent. rewrite !mean_dmap. reflexivity.
  - rewrite mean_dmap. reflexivity.
Qed.

Lemma family_beside_right {M} f s a kinds full (row : nat -> dist M) (u : dist M) (show : list M -> answer) :
  (forall b c, seen (show [b]) = seen (show [c]) -> b = c) -> (2 <= Z.to_nat (inputs_of f))%nat -> family_posed f ->
    hides a ->
  is_free f = true -> measured u row (Z.to_nat (inputs_of f)) s (participation_rows.pattern_mass f) -> uniform_seen u f
    show ->
  (forall v, outcome (Family f) v = dmap (fun u => seen (show u)) (on_inputs (inputs_of f) row v)) ->
  family_beside f s a = Some kinds ->
  beside_right (outcome (Family f)) (Z.to_nat (inputs_of f)) (dummy (Family f) a) kinds full.
Proof.
  intros Inj D P Hi Free Me Un Is H. unfold family_beside in H. rewrite Free in H. cbv zeta in H.
  replace (Z.to_nat (Z.min 4 (inputs_of f))) with (Nat.min 4 (Z.to_nat (inputs_of f))) in H by lia.
  assert (Sub : forall v, (v < Z.to_nat (inputs_of f))%nat -> sub_law (row v))
    by (intros v V; destruct Me as [_ [_ [_ [Pr _]]]]; exact (proj1 (Pr v V))).
  assert (Shown : forall v, (v < Z.to_nat (inputs_of f))%nat ->
    same_law (dmap (fun m => seen (show [m])) (row v)) (outcome (Family f) v))
    by (intros v V; rewrite Is; apply shown_alone, V).
  destruct a as [| | | chances | z]; try contradiction; try discriminate.
  - destruct (message_mass f) as [W |] eqn:HW; [| discriminate]. injection H as <-. destruct (Un W HW) as [unif [Mu
      Us]].
    assert (W0 : 0 < Q2R W).
    { destruct f; try discriminate; cbn [message_mass family_posed] in *;
        try (destruct (Qeq_bool _ _); [| discriminate]); injection HW as <-; rewrite ?Q2R_1, ?Q2R_Z; try lra; apply
          IZR_lt; lia. }
    apply (beside_right_renamed (fun m => seen (show [m])) row _ _ unif); try assumption.
    apply (uniform_right u); assumption.
  - injection H as <-. set (z' := Nat.min (Z.to_nat z) (Z.to_nat (inputs_of f) - 1)). assert (Z' : (z' < Z.to_nat
      (inputs_of f))%nat) by (unfold z'; lia).
    apply (beside_right_renamed (fun m => seen (show [m])) row _ _ (row z')); try assumption.
    + intros F. rewrite (Shown z' Z' F). cbn [dummy]. rewrite !Is. unfold on_inputs.
      replace (Nat.min z' (Z.to_nat (inputs_of f) - 1)) with z' by lia. reflexivity.
    + apply (by_input_right u); assumption.
Qed.

(** Of columns as they are sent. *)
Definition column_dummy (d : Z) (E0 : Q) (a : absence) : dist (list bool) :=
  match a with
  | HiddenByInput z => hadamard_response (Z.to_nat d) (Q2R E0) (Nat.min (Z.to_nat z) (Z.to_nat d - 1))
  | _ => uniform (bit_patterns (hadamard_digits (Z.to_nat d)))
  end.

Lemma hadamard_kinds_right d E0 s a kinds : family_posed (Hadamard d E0) -> supports_of (Hadamard d E0) = Some s ->
  family_beside (Hadamard d E0) s a = Some kinds ->
  beside_right (hadamard_response (Z.to_nat d) (Q2R E0)) (Z.to_nat d) (column_dummy d E0 a) kinds
    (is_full (Family (Hadamard d E0), a)).
Proof.
  intros [D HE] S H. unfold family_beside in H. cbn [is_free] in H. cbv zeta in H.
  set (columns := inject_Z (2 ^ (Z.log2 d + 1))) in *.
  assert (L := hadamard_low_value d E0 D HE). fold columns in L.
  assert (Cv : Q2R columns = 2 ^ hadamard_digits (Z.to_nat d)) by (unfold columns; rewrite Q2R_Z; apply columns_value;
    lia).
  assert (Few : Z.to_nat (Z.min 4 (Z.log2 d + 1)) = Nat.min 4 (hadamard_digits (Z.to_nat d))).
  { unfold hadamard_digits. set (b := Nat.log2 (Z.to_nat d)). assert (Lg : Z.log2 d = Z.of_nat b).
    { destruct (Nat.log2_spec (Z.to_nat d) ltac:(lia)) as [Lo Up]. fold b in Lo, Up.
      apply Z.log2_unique; [lia |]. replace (Z.of_nat b + 1)%Z with (Z.of_nat (Datatypes.S b)) by lia.
      change 2%Z with (Z.of_nat 2). rewrite <- ?Nat2Z.inj_succ, <- !Nat2Z.inj_pow. lia. }
    rewrite Lg. lia. }
  assert (Hp : (3 <=? d)%Z = (3 <=? Z.to_nat d)%nat) by (destruct (Z.leb_spec 3 d), (Nat.leb_spec 3 (Z.to_nat d)); lia
    || reflexivity).
  injection S as Hs. assert (High : Q2R (high_density s) = Q2R E0 * hadamard_low (Z.to_nat d) (Q2R E0))
    by (rewrite <- Hs; cbn [high_density]; rewrite Q2R_mult; fold columns; rewrite L; reflexivity).
  assert (Low : Q2R (low_density s) = hadamard_low (Z.to_nat d) (Q2R E0)) by (rewrite <- Hs; exact L).
  assert (One : Q2R (of_everyone s) = 1) by (rewrite <- Hs; apply Q2R_1). clear Hs.
  assert (D2 : (2 <= Z.to_nat d)%nat) by lia. assert (E1 : 1 <= Q2R E0) by lra.
  destruct a as [| | | chances | z]; try discriminate; injection H as <-; cbn [column_dummy].
  - apply signs_uniform; try assumption. intros F. rewrite Cv, mean_uniform, mean_counting. do 2 f_equal.
    rewrite <- total_bit_patterns_1, total_const. ring.
  - apply signs_by_input; try assumption; [lia |]. intros F. cbn [is_full] in F. apply orb_true_iff in F.
    destruct F as [F | F]; apply Z.eqb_eq in F; [left; lia | right]. apply INR_eq. rewrite S_INR, pow_INR, INR_IZR_INZ.
    change (INR 2) with 2. rewrite <- Cv. unfold columns. rewrite Q2R_Z, <- F, plus_IZR, Z2Nat.id by lia. reflexivity.
Qed.

Lemma hadamard_beside_right d E0 a kinds : family_posed (Hadamard d E0) -> hides a ->
  kinds_beside (Family (Hadamard d E0), a) = Some kinds ->
  beside_right (outcome (Family (Hadamard d E0))) (Z.to_nat d) (dummy (Family (Hadamard d E0)) a) kinds
    (is_full (Family (Hadamard d E0), a)).
Proof.
  intros P Hi H. unfold kinds_beside in H. cbn [fst snd listed_randomizer] in H.
  destruct (supports_of (Hadamard d E0)) as [s |] eqn:S; [| discriminate]. assert (R := hadamard_kinds_right d E0 s a
    kinds P S H).
  destruct P as [D HE]. set (row := hadamard_response (Z.to_nat d) (Q2R E0)) in *.
  assert (Shown : forall v, (v < Z.to_nat d)%nat -> same_law (dmap (fun m => seen (Patterns [m])) (row v)) (outcome
    (Family (Hadamard d E0)) v))
    by (intros v V; exact (shown_alone Patterns d row v V)).
  apply (beside_right_renamed (fun m => seen (Patterns [m])) row _ _ (column_dummy d E0 a)); try assumption.
  - intros b c E. injection E. auto.
  - intros v V. exact (proj1 (hadamard_proper (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra) v V)).
  - destruct a as [| | | chances | z]; try contradiction; try discriminate; intros F; cbn [column_dummy dummy
      uniform_message].
    + rewrite !mean_dmap. reflexivity.
    + set (z' := Nat.min (Z.to_nat z) (Z.to_nat d - 1)). fold row. rewrite (Shown z' ltac:(unfold z'; lia) F).
      unfold outcome. cbn [for_program]. unfold on_inputs. replace (Nat.min z' (Z.to_nat d - 1)) with z' by (unfold z';
        lia). reflexivity.
Qed.

Theorem kinds_beside_right r a kinds : randomizer_posed r -> randomizer_posed (listed_randomizer r) -> absence_posed r
  a -> hides a ->
  kinds_beside (r, a) = Some kinds -> beside_right (outcome r) (input_count r) (dummy r a) kinds (is_full (r, a)).
Proof.
  intros P Pl Ab Hi H.
  assert (OfTable : forall t instead, table_posed t -> sent_instead (message_types t) a = Some instead ->
    (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) ->
    beside_right (outcome (Table t)) (length (rows t)) (dummy (Table t) a) (kinds_of_table (ordered_table t) instead)
      true).
  { intros t instead Pt S N. assert (P' := ordered_posed t Pt). set (o := ordered_table t) in *.
    assert (L : length (rows o) = length (rows t)) by apply map_length. rewrite <- L.
    apply (beside_right_renamed Messages (row_in o) _ _ (row_law instead)).
    - intros b c E. injection E. auto.
    - intros v V. exact (proj1 (proper_row_in o v P' V)).
    - intros v V f. unfold outcome. cbn [for_program seen]. rewrite !mean_dmap.
      rewrite <- (ordered_row t v (fun u => f (Messages u))). fold o. rewrite table_law_place by exact P'.
      replace (Nat.min v (length (rows o) - 1)) with v by lia. reflexivity.
    - apply (dummy_of_table t a instead S N Hi).
    - apply table_beside_right, P'. }
  unfold kinds_beside in H. cbn [fst snd] in H. destruct r as [t | f].
  - cbn [listed_randomizer] in H. destruct (sent_instead (message_types t) a) as [instead |] eqn:S; [| discriminate].
      injection H as <-.
    apply OfTable; [exact P | exact S |]. intros chances ->. exact (proj1 Ab).
  - destruct f as [k E0 | d p c | d w E0 | d E0 | d g E0 | top c].
    6: { cbn [listed_randomizer] in *. destruct (sent_instead _ a) as [instead |] eqn:S; [| discriminate]. injection H
      as <-.
      assert (Na : forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) by (intros chances ->;
        exact (proj1 Ab)).
      assert (T := OfTable (laplace_table top c) instead Pl S Na).
      assert (Len : length (rows (laplace_table top c)) = input_count (Family (ClippedLaplace top c))).
      { unfold laplace_table. cbn [rows input_count inputs_of]. rewrite map_length, seq_length.
        cbn [randomizer_posed family_posed] in P. lia. }
      rewrite Len in T.
      assert (Eo : outcome (Table (laplace_table top c)) = outcome (Family (ClippedLaplace top c))).
      { unfold outcome. cbn [for_program]. rewrite laplace_table_law by exact P. reflexivity. }
      rewrite Eo in T. destruct a; try contradiction; try discriminate; exact T. }
    4: exact (hadamard_beside_right d E0 a kinds P Hi H).
    all: cbn [listed_randomizer] in H;
      match type of H with match supports_of ?f with _ => _ end = _ => destruct (supports_of f) as [s |] eqn:S; [|
        discriminate] end;
      (assert (Me := family_measures _ s P S eq_refl)); cbn [for_program] in Me; destruct Me as [row [u [E [Me Un]]]];
      cbn [input_count];
      first [apply (family_beside_right _ s a kinds _ row u Messages) | apply (family_beside_right _ s a kinds _ row u
        Patterns)
            | apply (family_beside_right _ s a kinds _ row u Hashes)]; try assumption; try reflexivity;
      try (intros b c0 E'; injection E'; auto); try (cbn [randomizer_posed family_posed inputs_of] in *; lia);
      intros v; unfold outcome; cbn [for_program]; rewrite E; reflexivity.
Qed.

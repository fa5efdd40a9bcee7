(** The kind shuffle_dp, refuted by a likelihood test, for families of supports: [check_family_test] accepts only what
    does not hold ([check_family_test_sound]). All other users hold one input: the first or second of those compared, a
    third one, or, in Hadamard response, the one whose row is their product. For every n >= 1, any level and delta.

    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy shuffler adding_a_user single_message.
From Exactdp Require Import mean_excess classes supports homogeneous least_values.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims witnesses kinds levels.
From ExactdpChecker Require Import blanket_program matrix_blanket family_blanket likelihood_program likelihood_bound.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

Local Arguments Qred : simpl never.
Local Arguments Qplus : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qminus : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments Q2R : simpl never.
Local Arguments Qeq_bool : simpl never.
Local Arguments Qle_bool : simpl never.

(** ** The program *)

Definition density_of (s : supported) (bit : bool) : Q := if bit then high_density s else low_density s.

(** The classes of two inputs against the input in place [held]. *)
Definition others_classes (s : supported) (held length : nat) (masses : list bool -> Q) : list rational_class :=
  map (fun bits => reduced (masses bits * density_of s (nth 0 bits false),
    masses bits * density_of s (nth 1 bits false),
                            masses bits * density_of s (nth held bits false))%Q) (bit_patterns length).

Definition third_inputs (f : family) : Z :=
  match f with
  | Hadamard _ _ => 4
  | _ => 3
  end.

Definition inputs_of (f : family) : Z :=
  match f with
  | KAry d _ | UnaryEncoding d _ _ | SubsetSelection d _ _ | Hadamard d _ | LocalHashing d _ _ => d
  | ClippedLaplace top _ => top + 1
  end.

Definition classes_of_others (f : family) (s : supported) (who : others) : option (list rational_class) :=
  match who with
  | OfFirst => Some (others_classes s 0 2 (pair_mass s))
  | OfSecond => Some (others_classes s 1 2 (pair_mass s))
  | OfThird => if (third_inputs f <=? inputs_of f)%Z then Some (others_classes s 2 3 (third_mass s)) else None
  | OfXor =>
      match f with
      | Hadamard d _ =>
          if (3 <=? d)%Z then
            Some (others_classes s 2 3 (product_mass (inject_Z (2 ^ (Z.log2 d + 1)) / inject_Z 4))) else None
      | _ => None
      end
  | Weighted _ => None
  end.

Definition classes_are_laws (classes : list rational_class) : bool :=
  forallb (fun k => Qle_bool 0 (under_first k) && (Qle_bool 0 (under_second k) && Qle_bool 0 (under_reference
    k)))%bool classes &&
  Qeq_bool (sum_of (map under_reference classes)) 1.

(** The test of the witness tells these classes apart by more than delta. *)
Definition test_exceeds (test : likelihood) (ratio : Q) (n : positive) (delta : Q) (classes : list rational_class) :
  bool :=
  match test_threshold test with
  | None => false
  | Some threshold =>
      classes_are_laws classes && Z.leb 0 (test_bits test) && Qle_bool 0 ratio &&
      negb (Qle_bool (likelihood_bound (test_bits test) (cut_bits test) (Z.to_nat (test_length test))
        (witnesses.at_ratio test)
        (test_step test) ratio threshold n classes) delta)
  end.

Definition check_family_test (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, proved, shown with
  | Family f, ReplaceOne, LeastNothing, false, Likelihood test p =>
      match ratio_above l p, supports_of f with
      | Some (X, Y), Some s =>
          match pair_tested test, classes_of_others f s (other_users test) with
          | None, Some classes =>
              posed.family_is_posed f && posed.level_is_posed l delta && (1 <=? n)%Z &&
              test_exceeds test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta classes
          | _, _ => false
          end
      | _, _ => false
      end
  | _, _, _, _, _ => false
  end.

(** ** Soundness *)

Lemma test_exceeds_true test ratio n delta classes :
  test_exceeds test ratio n delta classes = true ->
  Q2R delta < class_bound (Pos.to_nat n) (Q2R ratio) (map real_class classes).
Proof.
  unfold test_exceeds. destruct (test_threshold test) as [threshold |]; [| discriminate]. intros H.
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H Hr].
  apply andb_true_iff in H. destruct H as [Laws Hb]. apply Z.leb_le in Hb. apply Qle_bool_R in Hr. rewrite Q2R_0 in Hr.
  apply negb_true_iff in B. apply Qle_bool_R_false in B. eapply Rlt_le_trans; [exact B |].
  unfold classes_are_laws in Laws. apply andb_true_iff in Laws. destruct Laws as [N S]. rewrite forallb_forall in N.
  apply likelihood_below; [exact Hb | exact Hr | |].
  - intros k I. specialize (N k I). apply andb_true_iff in N. destruct N as [N1 N]. apply andb_true_iff in N.
    destruct N as [N2 N3]. apply Qle_bool_R in N1, N2, N3. rewrite Q2R_0 in *. auto.
  - apply Qeq_bool_R in S. rewrite Q2R_sum_of, Q2R_1, total_map in S. exact S.
Qed.

(** The divergence of two inputs where all others hold a third one is that of these classes. *)
Definition told {M} (row : nat -> dist M) (d : nat) (classes : list rational_class) : Prop :=
  exists x y v, (x < d)%nat /\ (y < d)%nat /\ (v < d)%nat /\
  (forall z, (z < d)%nat -> proper (row z)) /\
  forall n E, reference_bound n (row x) (row y) E (row v) = class_bound n E (map real_class classes).

Lemma others_classes_value s held length masses high low real_masses :
  Q2R (high_density s) = high -> Q2R (low_density s) = low ->
  (forall bits, List.length bits = length -> Q2R (masses bits) = real_masses bits) ->
  map real_class (others_classes s held length masses) = others_list high low held length real_masses.
Proof.
  intros H L M. unfold others_classes, others_list. rewrite map_map. apply map_ext_in. intros bits I.
  rewrite reduced_value. cbn [fst snd]. rewrite !Q2R_mult, (M bits (length_bit_patterns _ _ I)).
  assert (D : forall b, Q2R (density_of s b) = density high low b) by (intros [|]; assumption). rewrite !D. reflexivity.
Qed.

Section family.

Context {M : Type} (row : nat -> dist M) (d : nat) (s : supported) (high low : R) (pair third : list bool -> R).
Hypothesis inputs : (2 <= d)%nat.
Hypothesis rows_proper : forall v, (v < d)%nat -> proper (row v).
Hypothesis high_value : Q2R (high_density s) = high.
Hypothesis low_value : Q2R (low_density s) = low.
Hypothesis pair_value : forall bits, length bits = 2%nat -> Q2R (pair_mass s bits) = pair bits.

Lemma told_pair held :
  has_pair row d high low pair -> (held < 2)%nat -> told row d (others_classes s held 2 (pair_mass s)).
Proof.
  intros H L. exists 0%nat, 1%nat, held. split; [lia |]. split; [lia |]. split; [lia |].
    split; [exact rows_proper |]. intros n E.
  rewrite (others_classes_value s held 2 _ high low pair) by assumption.
  destruct (H 0%nat 1%nat n E ltac:(lia) ltac:(lia) ltac:(lia)) as [H0 H1].
  destruct held as [| [| held]]; [exact H0 | exact H1 | lia].
Qed.

Lemma told_third related masses v :
  has_third row d high low related third -> (2 <= v < d)%nat -> related 0%nat 1%nat v ->
  (forall bits, length bits = 3%nat -> Q2R (masses bits) = third bits) ->
  told row d (others_classes s 2 3 masses).
Proof.
  intros H V Rel Hm. exists 0%nat, 1%nat, v. split; [lia |]. split; [lia |]. split; [lia |].
    split; [exact rows_proper |]. intros n E.
  rewrite (others_classes_value s 2 3 _ high low third) by assumption. apply H; try lia. exact Rel.
Qed.

End family.

Lemma not_private_if_told {M} (row : nat -> dist M) d classes n F E delta :
  told row d classes -> (1 <= n)%nat -> 1 <= F <= E -> delta < class_bound n E (map real_class classes) ->
  ~ shuffle_dp n (fun x => one_message row (Nat.min x (d - 1))) (ln F) delta.
Proof.
  intros [x [y [v [X [Y [V [P B]]]]]]] N HF H D. rewrite <- B in H. destruct n as [| j]; [lia |].
  enough (U : reference_bound (S j) (row x) (row y) E (row v) <= delta) by lra.
  set (R := fun x => row (Nat.min x (d - 1))).
  assert (Same : forall z, (z < d)%nat -> R z = row z) by (intros z Z; unfold R; f_equal; lia).
  rewrite <- (Same x X), <- (Same y Y), <- (Same v V). apply (homogeneous_below R x y v j E delta); [apply P; lia |].
  intros T S. assert (L : length (x :: repeat v j) = Datatypes.S j) by (simpl; rewrite repeat_length; reflexivity).
  assert (K := proj1 (shuffle_dp_iff_pairs (Datatypes.S j) (fun x => one_message row (Nat.min x (d - 1))) (ln F)
    delta) D
    (x :: repeat v j) (y :: repeat v j) (replace_one [] x y (repeat v j)) L T S).
  rewrite exp_ln in K by lra. change (fun x => one_message row (Nat.min x (d - 1))) with (one_message R) in K.
  enough (0 <= Pr (messages (one_message R) (y :: repeat v j)) T) by nra.
  apply Pr_bounds, proper_messages. intros z. apply proper_dmap, P. lia.
Qed.

(** What a witness names as the other users' input, for a family with these patterns. *)
Lemma told_others {M} f s who classes (row : nat -> dist M) high low pair third related z :
  let d := Z.to_nat (inputs_of f) in
  (2 <= inputs_of f)%Z -> (forall v, (v < d)%nat -> proper (row v)) ->
  Q2R (high_density s) = high -> Q2R (low_density s) = low ->
  (forall bits, length bits = 2%nat -> Q2R (pair_mass s bits) = pair bits) ->
  ((third_inputs f <= inputs_of f)%Z -> forall bits, length bits = 3%nat -> Q2R (third_mass s bits) = third bits) ->
  has_pair row d high low pair -> has_third row d high low related third ->
  ((third_inputs f <= inputs_of f)%Z -> (2 <= z < d)%nat /\ related 0%nat 1%nat z) ->
  (who = OfXor -> told row d classes) ->
  classes_of_others f s who = Some classes -> told row d classes.
Proof.
  intros d D Pr H L V2 V3 Two Three Z Xor W.
  destruct who; unfold classes_of_others in W; try discriminate.
  - injection W as <-. apply (told_pair row d s high low pair ltac:(lia) Pr H L V2 0 Two). lia.
  - injection W as <-. apply (told_pair row d s high low pair ltac:(lia) Pr H L V2 1 Two). lia.
  - destruct (Z.leb_spec (third_inputs f) (inputs_of f)) as [K | K]; [| discriminate]. injection W as <-.
    destruct (Z K) as [Z1 Z2]. apply (told_third row d s high low third ltac:(lia) Pr H L related _ z Three Z1 Z2 (V3
      K)).
  - apply Xor. reflexivity.
Qed.

(** The rows of a family that these classes are told of. *)
Lemma family_told f s who classes :
  family_posed f -> supports_of f = Some s -> classes_of_others f s who = Some classes ->
  for_program (Family f) (fun M _ R => exists row : nat -> dist M,
    R = on_inputs (inputs_of f) row /\ told row (Z.to_nat (inputs_of f)) classes).
Proof.
  intros P S W.
  assert (Last : forall M d (row : nat -> dist M), told row (Z.to_nat d) classes ->
    exists row', on_inputs d row = on_inputs d row' /\ told row' (Z.to_nat d) classes)
    by (intros M d row T; exists row; auto).
  destruct f as [d E0 | d p q | d w E0 | d E0 | d g E0 | top r]; cbn [for_program family_posed] in *;
    [| | | | | discriminate];
    apply (Last _ _ _).
  - destruct P as [D HE]. assert (L := response_low_value d E0 ltac:(lia) ltac:(lra)). injection S as <-.
    destruct (k_ary_others (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra)) as [Two Three].
    eapply (told_others (KAry d E0) _ who classes _ _ _ _ _ _ 2%nat); try exact W; try exact Two; try exact Three.
    + exact D.
    + apply (k_ary_blanket (Z.to_nat d) (Q2R E0)); [lia | lra].
    + cbn [high_density]. rewrite Q2R_mult, L. reflexivity.
    + exact L.
    + intros bits _. apply (one_of_value d 2); lia.
    + intros _ bits _. apply (one_of_value d 3); lia.
    + cbn [third_inputs inputs_of]. intros. split; [lia | exact I].
    + intros ->. discriminate W.
  - destruct P as [D [Q P]].
    assert (H1 : Q2R (p / q) = Q2R p / Q2R q) by (apply Q2R_divided; lra).
    assert (H2 : Q2R ((1 - p) / (1 - q)) = (1 - Q2R p) / (1 - Q2R q)).
    { assert (X : Q2R (1 - q) = 1 - Q2R q) by (rewrite Q2R_minus, Q2R_1; reflexivity).
      rewrite Q2R_divided by (rewrite X; lra). rewrite X, Q2R_minus, Q2R_1. reflexivity. }
    assert (H3 : forall bits, Q2R (independent q 1 bits) = independent_bits (Q2R q) 1 bits)
      by (intros bits; rewrite independent_value, Q2R_1; reflexivity).
    injection S as <-. destruct (unary_others (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P) as [Two Three].
    eapply (told_others (UnaryEncoding d p q) _ who classes _ _ _ _ _ _ 2%nat); try exact W; try exact Two;
      try exact Three.
    + exact D.
    + apply (unary_blanket (Z.to_nat d) (Q2R p) (Q2R q) ltac:(lia) Q P).
    + exact H1.
    + exact H2.
    + intros bits _. apply H3.
    + intros _ bits _. apply H3.
    + cbn [third_inputs inputs_of]. intros. split; [lia | exact I].
    + intros ->. discriminate W.
  - destruct P as [D HE]. assert (L := subset_low_value d w E0 D HE). injection S as <-.
    destruct (subset_others (Z.to_nat d) (Z.to_nat w) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra)) as [Two Three].
    eapply (told_others (SubsetSelection d w E0) _ who classes _ _ _ _ _ _ 2%nat); try exact W; try exact Two;
      try exact Three.
    + cbn [inputs_of]. lia.
    + apply (subset_blanket (Z.to_nat d) (Z.to_nat w) (Q2R E0)); [lia | lia | lra].
    + cbn [high_density]. rewrite Q2R_mult, L. reflexivity.
    + exact L.
    + intros bits Hl. apply subset_value; [lia |]. rewrite Hl. lia.
    + cbn [third_inputs inputs_of]. intros K bits Hl. apply subset_value; [lia |]. rewrite Hl. lia.
    + cbn [third_inputs inputs_of]. intros. split; [lia | exact I].
    + intros ->. discriminate W.
  - destruct P as [D HE]. assert (L := hadamard_low_value d E0 D HE). injection S as <-.
    destruct (hadamard_others (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra)) as [Two [Three Product]].
    assert (Pr := proj1 (hadamard_blanket (Z.to_nat d) (Q2R E0) ltac:(lia) ltac:(lra))).
    assert (H3 : forall bits, Q2R (independent (1 # 2) (inject_Z (2 ^ (Z.log2 d + 1))) bits) =
      independent_bits (/ 2) (2 ^ hadamard_digits (Z.to_nat d)) bits)
      by (intros bits; rewrite independent_value, half_value, Q2R_Z, columns_value by lia; reflexivity).
    assert (H1 : Q2R (E0 * (2 / (inject_Z (2 ^ (Z.log2 d + 1)) * (E0 + 1)))) = Q2R E0 * hadamard_low (Z.to_nat d)
      (Q2R E0))
      by (rewrite Q2R_mult, L; reflexivity).
    eapply (told_others (Hadamard d E0) _ who classes _ _ _ _ _ _ 3%nat); try exact W; try exact Two; try exact Three.
    + exact D.
    + exact Pr.
    + exact H1.
    + exact L.
    + intros bits _. apply H3.
    + intros _ bits _. apply H3.
    + cbn [third_inputs inputs_of]. intros. split; [lia | discriminate].
    + intros ->. unfold classes_of_others in W. destruct (Z.leb_spec 3 d) as [K | K]; [| discriminate W].
      injection W as <-.
      match goal with |- told _ _ (others_classes ?s _ _ _) =>
        apply (told_third (hadamard_response (Z.to_nat d) (Q2R E0)) (Z.to_nat d) s _ _ _ ltac:(lia) Pr H1 L _ _ 2%nat
          Product) end;
        [cbn [inputs_of]; lia | reflexivity |].
      intros bits _. rewrite product_value, Q2R_divided, !Q2R_Z, columns_value by (lia || (rewrite Q2R_Z; lra)).
        reflexivity.
  - destruct P as [D [G HE]]. assert (L := response_low_value g E0 ltac:(lia) ltac:(lra)).
    assert (C := bucket_value g G).
    injection S as <-. destruct (hashing_others (Z.to_nat d) (Z.to_nat g) (Q2R E0) ltac:(lia) ltac:(lia) ltac:(lra))
      as [Two Three].
    assert (H3 : forall bits, Q2R (independent (1 / inject_Z g) (inject_Z g) bits) =
      independent_bits (/ INR (Z.to_nat g)) (INR (Z.to_nat g)) bits)
      by (intros bits; rewrite independent_value, C, Q2R_Z, (Z_nat g) by lia; reflexivity).
    eapply (told_others (LocalHashing d g E0) _ who classes _ _ _ _ _ _ 2%nat); try exact W; try exact Two;
      try exact Three.
    + exact D.
    + apply (hashing_blanket (Z.to_nat d) (Z.to_nat g) (Q2R E0)); [lia | lia | lra].
    + cbn [high_density]. rewrite Q2R_mult, L. reflexivity.
    + exact L.
    + intros bits _. apply H3.
    + intros _ bits _. apply H3.
    + cbn [third_inputs inputs_of]. intros. split; [lia | exact I].
    + intros ->. discriminate W.
Qed.

Lemma family_not_private f s who classes n F E delta :
  family_posed f -> supports_of f = Some s -> classes_of_others f s who = Some classes ->
  (1 <= n)%nat -> 1 <= F <= E -> delta < class_bound n E (map real_class classes) ->
  for_program (Family f) (fun _ _ R => ~ shuffle_dp n R (ln F) delta).
Proof.
  intros P S W N HF B. assert (T := family_told f s who classes P S W).
  destruct f; cbn [for_program] in *; destruct T as [row [-> T]];
    exact (not_private_if_told row _ classes n F E delta T N HF B).
Qed.

Theorem check_family_test_sound r n s nb l delta w proved shown :
  check_family_test r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_family_test. intros H. destruct r as [t | f]; [discriminate |].
  destruct nb, w, proved; try discriminate. destruct shown; try discriminate.
  destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (supports_of f) as [u |] eqn:U; [| discriminate].
  destruct (pair_tested test); [discriminate |].
    destruct (classes_of_others f u (other_users test)) as [classes |] eqn:W; [| discriminate].
  apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H. destruct H as [H N].
  apply andb_true_iff in H. destruct H as [P L]. apply Z.leb_le in N.
  apply posed.family_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  split; [simpl; auto |]. destruct L as [L1 _]. destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
  assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y))).
  { rewrite Q2R_red. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by (apply lt_IZR; exact R1). exact R2. }
  apply test_exceeds_true in B. rewrite <- Z2Nat.inj_pos, Z2Pos.id in B by lia.
  assert (K := family_not_private f u _ classes (Z.to_nat n) (ratio l) _ _ P U W ltac:(lia) (conj L1 E) B).
  assert (Scope : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia).
  cbn [holds]. unfold shuffle_dp_holds, private. destruct f; cbn [for_program] in *; intros [H _]; apply K, (H _ Scope).
Qed.

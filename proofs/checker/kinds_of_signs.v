(** Hadamard response: what beside_kinds.v lists is right, with up to four independent rows of signs.

    [masks_right] is of any dummy that some lists of rows tell; [signs_by_input] and [signs_uniform] are of what a user
    with one input sends, and of a uniform one. *)

From Coq Require Import Reals List Qreals Lra Lia.
From Exactdp Require Import sums laws hockey_stick classes least_values supports hadamard_classes k_ary_classes.
From ExactdpChecker Require Import blanket_program matrix_blanket family_blanket described_pairs described_beside.
From ExactdpChecker Require Import family_rows away_rows rows_of_signs beside_kinds.
Import ListNotations.
Open Scope R_scope.

Section signs.

Context (d : nat) (E : R) (s : supported) (columns : Q) (share : nat -> list bool -> Q) (starts : list nat -> Prop)
  (few : nat).
Context (has_products wide full : bool) (entries : list (nat * nat * nat)) (U : dist (list bool)).
Hypothesis some_inputs : (2 <= d)%nat.
Hypothesis E_1 : 1 <= E.
Let b := hadamard_digits d.
Let row := hadamard_response d E.
Let u := counting (bit_patterns b).
Let high := E * hadamard_low d E.
Let low := hadamard_low d E.
Hypothesis high_value : Q2R (high_density s) = high.
Hypothesis low_value : Q2R (low_density s) = low.
Hypothesis everyone_value : Q2R (of_everyone s) = 1.
Hypothesis columns_are : Q2R columns = 2 ^ b.
Hypothesis few_digits : few = Nat.min 4 b.
Hypothesis products_are : has_products = (3 <=? d)%nat.

Definition told_rows (rows : list nat) : Prop := independent_rows rows /\ (forall w, In w rows -> small b w) /\ starts
  rows.

Let bits_of (rows : list nat) (m : list bool) : list bool := map (fun w => bit b w m) rows.

Hypothesis dummy_told : forall rows, told_rows rows -> (1 <= length rows)%nat -> forall F,
  mean U F = mean u (fun m => Q2R (share (length rows) (bits_of rows m)) * F m).
Hypothesis starts_longer : forall rows v, (1 <= length rows)%nat -> starts rows -> starts (v :: rows).
Hypothesis entries_few : forall lac, In lac entries -> (1 <= fst (fst lac) <= 3)%nat.
(** Masks of so many rows that an entry may name: of one of them, or of a product. *)
Definition is_reached (n a : nat) : bool :=
  Nat.ltb a (2 ^ n) && (existsb (Nat.eqb a) [1; 2; 4; 8]%nat || (has_products && Nat.leb 1 a && (Nat.leb n 2 || wide))).

Definition entry_reached (lac : nat * nat * nat) : bool :=
  let '(n, a, c) := lac in
  forallb (is_reached n) (a :: c :: single_masks n ++ if has_products then product_masks n else []) &&
  forallb (is_reached (S n)) [2 * a; 2 * c; 1]%nat.

Hypothesis entries_reached : full = true -> forall lac, In lac entries ->
  (has_products || Nat.leb (snd lac) 2)%bool = true -> entry_reached lac = true.
Hypothesis some_rows : full = true -> forall n, (1 <= n <= few)%nat -> exists rows, told_rows rows /\ length rows = n /\
  forall a, is_reached n a = true -> (1 <= xor_mask a rows <= d)%nat.

Hypothesis pair_masked : forall x y, (x < d)%nat -> (y < d)%nat -> exists lac rows, In lac entries /\ told_rows rows /\
  length rows = fst (fst lac) /\ xor_mask (snd (fst lac)) rows = S x /\ xor_mask (snd lac) rows = S y /\
  (snd (fst lac) = snd lac -> x = y) /\ (has_products = true \/ (snd lac <= 2)%nat) /\
  forall w, In w rows -> (1 <= w <= d)%nat.

Lemma signs_scheme : scheme row d u (hadamard_supports d) high low.
Proof. apply hadamard_scheme. exact E_1. Qed.

Lemma sign_density k : Q2R (density_of s k) = density high low k.
Proof. destruct k; assumption. Qed.

Lemma sign_mass_value n : Q2R (sign_mass columns n) = 2 ^ b / 2 ^ n.
Proof.
  unfold sign_mass. rewrite Q2R_mult, Q2R_power, half_value, columns_are. unfold Rdiv. f_equal. apply pow_inv.
Qed.

Lemma masked_row rows a x F : (x < d)%nat -> xor_mask a rows = S x ->
  mean (row x) F = mean u (fun m => density high low (told_mask a (bits_of rows m)) * F m).
Proof.
  intros X Ex. destruct signs_scheme as [_ [_ D]]. rewrite D by exact X. apply mean_ext. intros m.
  unfold bits_of. rewrite mask_told, Ex. reflexivity.
Qed.

Lemma signs_patterns rows : told_rows rows ->
  patterns u (fun w m => bit b w m) rows (fun _ => 2 ^ b / 2 ^ length rows).
Proof.
  intros [Ind [Sm _]]. split.
  - intros _. apply Rmult_le_pos; [apply pow_le; lra | left; apply Rinv_0_lt_compat, pow_lt; lra].
  - intros F. unfold u. rewrite mean_counting, (proj1 (independent_signs b rows Sm Ind)), <- total_scal. reflexivity.
Qed.

Lemma masks_told rows a c h x y v : told_rows rows -> (1 <= length rows)%nat -> (x < d)%nat -> (y < d)%nat -> (v <
  d)%nat ->
  xor_mask a rows = S x -> xor_mask c rows = S y -> xor_mask h rows = S v ->
  describes_beside (row x) (row y) (row v) U (mask_classes s columns share (length rows) a c h).
Proof.
  intros T L X Y V Ex Ey Ev. destruct (signs_patterns rows T) as [W S].
  apply (described_beside_by_kinds _ _ _ _ u (bits_of rows)
    (fun bits => density high low (told_mask a bits)) (fun bits => density high low (told_mask c bits))
    (fun bits => density high low (told_mask h bits)) (fun bits => Q2R (share (length rows) bits))
    (map (fun bits => (bits, 2 ^ b / 2 ^ length rows)) (bit_patterns (length rows)))).
  - apply signs_scheme.
  - intros F. apply masked_row; assumption.
  - intros F. apply masked_row; assumption.
  - intros F. apply masked_row; assumption.
  - apply dummy_told; assumption.
  - intros kw J. apply in_map_iff in J. destruct J as [bits [<- _]]. apply (W bits).
  - intros F. rewrite total_map. apply S.
  - unfold mask_classes. rewrite !map_map. apply map_ext. intros bits. unfold real_beside, times_beside, times.
    cbn [fst snd]. rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
    rewrite !Q2R_mult, !sign_density, sign_mass_value. reflexivity.
Qed.

Lemma told_of_ones n : forall k, told_mask k (repeat true n) = true.
Proof.
  induction n as [| n IH]; intros k; [reflexivity |]. cbn [repeat told_mask]. rewrite IH. destruct (Nat.odd k);
    reflexivity.
Qed.

Lemma mask_blanket_told rows a c x y : told_rows rows -> (1 <= length rows)%nat -> (x < d)%nat -> (y < d)%nat ->
  xor_mask a rows = S x -> xor_mask c rows = S y ->
  describes_beside (row x) (row y) (blanket_of u high low is_column_0) U (mask_blanket s columns share (length rows) a
    c).
Proof.
  intros T L X Y Ex Ey. assert (Pat := signs_patterns rows T). set (real := fun _ : list bool => 2 ^ b / 2 ^ length
    rows) in *.
  set (e := mean u (indicator is_column_0)).
  assert (Ev : e = 1) by (unfold e, u; rewrite mean_counting; apply one_column_0).
  set (D := S (Nat.max d (fold_right Nat.max 0%nat rows))).
  assert (In_D : forall w, In w rows -> (w < D)%nat).
  { intros w I. unfold D. assert (w <= fold_right Nat.max 0%nat rows)%nat; [| lia]. clear -I.
    induction rows as [| v rest IH]; [destruct I |]. simpl. destruct I as [<- | I]; [lia | specialize (IH I); lia]. }
  assert (All : forall m, is_column_0 m = true -> forall w, (w < D)%nat -> bit b w m = true) by (intros m H w _; apply
    column_0_all, H).
  assert (Few : e <= real (repeat true (length rows))).
  { rewrite Ev. unfold real. assert (Lb := few_rows b rows (proj1 (proj2 T)) (proj1 T)).
    apply Rmult_le_reg_r with (2 ^ length rows); [apply pow_lt; lra |]. unfold Rdiv.
    rewrite Rmult_assoc, Rinv_l, Rmult_1_l, Rmult_1_r by (apply pow_nonzero; lra). apply Rle_pow; [lra | exact Lb]. }
  apply (described_beside_by_kinds _ _ _ _ u (fun m => (is_column_0 m, bits_of rows m))
    (fun eb => density high low (told_mask a (snd eb))) (fun eb => density high low (told_mask c (snd eb)))
    (fun eb => density high low (fst eb)) (fun eb => Q2R (share (length rows) (snd eb)))
    (map (fun bits => ((false, bits), real bits - if forallb (fun b => b) bits then e else 0)) (bit_patterns (length
      rows)) ++
      [((true, repeat true (length rows)), e)])).
  - apply signs_scheme.
  - intros F. apply masked_row; assumption.
  - intros F. apply masked_row; assumption.
  - apply mean_blanket_of.
  - apply dummy_told; assumption.
  - intros kw J. apply in_app_or in J. destruct J as [J | [<- | []]].
    + apply in_map_iff in J. destruct J as [bits [<- B]]. cbn [snd]. unfold real in *.
      destruct (forallb _ bits); [lra |]. assert (W := proj1 Pat bits). lra.
    + cbn [snd]. lra.
  - intros F. unfold bits_of. rewrite (mass_of_ones D u (fun w m => bit b w m) is_column_0 All rows (fun e bits => F
      (e, bits)) real In_D Pat).
    rewrite total_app, total_map. cbn [total fst snd]. fold e. ring.
  - unfold mask_blanket. rewrite !map_app, !map_map. f_equal.
    + apply map_ext. intros bits. unfold real_beside, times_beside, times. cbn [fst snd].
      rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite !Q2R_mult, !sign_density, Q2R_minus, sign_mass_value.
      replace (Q2R (if forallb (fun b => b) bits then of_everyone s else 0)) with
        (if forallb (fun b => b) bits then e else 0) by (destruct (forallb _ bits); [rewrite Ev; symmetry; exact
          everyone_value | symmetry; apply Q2R_0]).
      reflexivity.
    + cbn [map]. cbv zeta. unfold real_beside, times_beside, times. cbn [fst snd].
      rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite !Q2R_mult, sign_density, everyone_value, Ev, !told_of_ones. reflexivity.
Qed.

Lemma some_digits : (0 < b)%nat.
Proof. unfold b, hadamard_digits. lia. Qed.

Lemma mask_attained n a c h : full = true -> (1 <= n <= few)%nat -> forallb (is_reached n) [a; c; h] = true ->
  exists x y v, ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\
    describes_beside (row x) (row y) (row v) U (mask_classes s columns share n a c h).
Proof.
  intros Full N Re. destruct (some_rows Full n N) as [rows [T [L In_d]]]. rewrite forallb_forall in Re.
  assert (A := In_d a (Re a ltac:(simpl; auto))). assert (C := In_d c (Re c ltac:(simpl; auto))).
  assert (Hh := In_d h (Re h ltac:(simpl; auto))).
  exists (xor_mask a rows - 1)%nat, (xor_mask c rows - 1)%nat, (xor_mask h rows - 1)%nat. split; [lia |].
  rewrite <- L. apply masks_told; try assumption; lia.
Qed.

Lemma masks_attained k o : full = true -> In k (mask_kinds s columns share few has_products entries) ->
  In o (snd (fst k)) -> exists x y v, ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\
    describes_beside (row x) (row y) (row v) U o.
Proof.
  intros Full K O. apply in_map_iff in K. destruct K as [[[n a] c] [<- K]]. apply filter_In in K. destruct K as [J K].
  cbn [fst snd] in K. apply andb_true_iff in K. destruct K as [Nf P]. apply Nat.leb_le in Nf.
  assert (Re := entries_reached Full _ J P). assert (F := entries_few _ J). cbn [fst] in F. unfold entry_reached in Re.
  apply andb_true_iff in Re. destruct Re as [R1 R2]. rewrite forallb_forall in R1, R2.
  assert (Here : forall h, In h (single_masks n ++ if has_products then product_masks n else []) ->
    exists x y v, ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\
      describes_beside (row x) (row y) (row v) U (mask_classes s columns share n a c h)).
  { intros h I. apply mask_attained; [exact Full | lia |]. cbn [forallb].
    rewrite !R1 by (simpl; auto). reflexivity. }
  unfold mask_kind in O. cbn [fst snd] in O. apply in_app_or in O. destruct O as [O | O]; [| apply in_app_or in O; destruct O as [O | O]].
  - apply in_map_iff in O. destruct O as [h [<- I]]. apply Here, in_or_app. left. exact I.
  - destruct (Nat.leb_spec (S n) few); [| contradiction]. destruct O as [<- | []]. apply mask_attained; [exact Full | lia |].
    apply forallb_forall. exact R2.
  - destruct has_products eqn:Hp; [| contradiction]. apply in_map_iff in O. destruct O as [h [<- I]].
    apply Here, in_or_app. right. exact I.
Qed.

Theorem masks_right : beside_right row d U (mask_kinds s columns share few has_products entries) full.
Proof.
  split; [| intros Full k o; apply (masks_attained k o Full)]. exists (blanket_of u high low is_column_0).
  split; [intros v; apply (blanket_lies_below row d u (hadamard_supports d) high low signs_scheme is_column_0);
    intros m H w _; apply column_0_supports, H |].
  intros x y X Y. destruct (pair_masked x y X Y) as [[[n a] c] [rows [J [T [L [Ex [Ey [Eq [Pr Real]]]]]]]]]. cbn [fst
    snd] in *.
  assert (F := entries_few _ J). cbn [fst] in F. assert (Lb := few_rows b rows (proj1 (proj2 T)) (proj1 T)).
  exists (mask_kind s columns share few has_products (n, a, c)). split; [| split; [| split]].
  - apply in_map, filter_In. split; [exact J |]. cbn [fst snd]. apply andb_true_iff. split; [apply Nat.leb_le; lia |].
    apply orb_true_iff. destruct Pr as [-> | Pr]; [left; reflexivity | right; apply Nat.leb_le, Pr].
  - unfold mask_kind. cbn [snd]. intros H. apply Nat.eqb_eq in H. rewrite (Eq H). intros f. reflexivity.
  - unfold mask_kind. cbn [fst snd]. rewrite <- L. apply mask_blanket_told; try assumption. lia.
  - intros v V. unfold mask_kind. cbn [fst snd]. rewrite <- L in *.
    destruct (decide (spans rows (S v))) as [Sp | Sp].
    + destruct (made_of rows (S v) Sp) as [h [Hh Ev]]. exists (mask_classes s columns share (length rows) a c h).
      split; [| apply masks_told; try assumption; lia].
      assert (Nz : h <> 0%nat) by (intros ->; rewrite xor_of_none in Ev; discriminate).
      assert (Known : In h (single_masks (length rows)) \/ (In h (product_masks (length rows)) /\ has_products = true)).
      { destruct has_products eqn:Hp.
        - destruct (length rows) as [| [| [| [| n']]]]; try lia; simpl in Hh;
            do 8 (destruct h as [| h]; [simpl; auto 10; lia |]); lia.
        - (* two inputs alone: no row is a product of rows *)
          left. symmetry in products_are. apply Nat.leb_gt in products_are. assert (D2 : d = 2%nat) by lia.
          assert (B2 : b = 2%nat) by (unfold b; rewrite D2; reflexivity). rewrite B2 in Lb.
          destruct rows as [| w [| z [|]]]; simpl in Lb, F; try lia.
          + simpl in Hh. destruct h as [| [| h]]; try lia. simpl. auto.
          + simpl in Hh. destruct h as [| [| [| [| h]]]]; try lia; simpl; auto. exfalso.
            destruct T as [[N1 _] _]. assert (Rw := Real w (or_introl eq_refl)). assert (Rz := Real z (or_intror
              (or_introl eq_refl))).
            rewrite D2 in V, Rw, Rz. cbn [spans] in N1.
            destruct w as [| [| [| w]]], z as [| [| [| z]]]; try lia;
              first [apply N1; right; reflexivity | cbv in Ev; lia]. }
      apply in_or_app. destruct Known as [K | [K Hp]]; [left; apply in_map, K | right; apply in_or_app; right; rewrite
        Hp; apply in_map, K].
    + assert (T' : told_rows (S v :: rows)).
      { destruct T as [Ind [Sm St]]. split; [split; assumption |]. split; [| apply starts_longer; [lia | exact St]].
        intros w [<- | I]; [apply (row_digits d some_inputs v V) | apply Sm, I]. }
      assert (Lb' := few_rows b _ (proj1 (proj2 T')) (proj1 T')). cbn [length] in Lb'.
      exists (mask_classes s columns share (S (length rows)) (2 * a) (2 * c) 1). split.
      * apply in_or_app. right. apply in_or_app. left. destruct (Nat.leb_spec (S (length rows)) few); [left;
          reflexivity | lia].
      * apply (masks_told (S v :: rows)); try assumption; [simpl; lia | rewrite xor_double; exact Ex | rewrite
          xor_double; exact Ey | apply xor_first].
Qed.

End signs.

Lemma last_row rows : (1 <= length rows)%nat -> xor_mask (last_mask (length rows)) rows = last rows 0%nat.
Proof.
  unfold last_mask. induction rows as [| w [| v rest] IH]; intros L; [simpl in L; lia | apply xor_first |].
  specialize (IH ltac:(simpl; lia)). replace (length (w :: v :: rest) - 1)%nat with (S (length (v :: rest) - 1)) by
    (simpl; lia).
  cbn [Nat.pow]. replace (2 * 2 ^ (length (v :: rest) - 1))%nat with (2 * 2 ^ (length (v :: rest) - 1))%nat by lia.
  rewrite xor_double, IH. reflexivity.
Qed.

(** Rows of which each has one digit. *)
Definition powers (n : nat) : list nat := skipn (4 - n) [8; 4; 2; 1]%nat.

Lemma powers_known hp n : (1 <= n <= 4)%nat ->
  independent_rows (powers n) /\ length (powers n) = n /\ (forall w, In w (powers n) -> (1 <= w <= 2 ^ (n - 1))%nat) /\
  forall a, is_reached hp false n a = true -> (1 <= xor_mask a (powers n) <= Nat.max (2 ^ (n - 1)) (if hp then 3 else 0))%nat.
Proof.
  intros N. set (in_range := fun a => (negb (is_reached hp false n a) || (Nat.leb 1 (xor_mask a (powers n)) &&
    Nat.leb (xor_mask a (powers n)) (Nat.max (2 ^ (n - 1)) (if hp then 3 else 0))))%bool).
  assert (All : forallb in_range (seq 0 (2 ^ n)) = true).
  { unfold in_range. destruct N as [N1 N4]. destruct n as [| [| [| [| [| n]]]]]; try (exfalso; lia); destruct hp; reflexivity. }
  split; [| split; [| split]].
  - clear All in_range. destruct N as [N1 N4]. destruct n as [| [| [| [| [| n]]]]]; try (exfalso; lia);
      cbn [powers Nat.sub skipn independent_rows]; repeat (split; [apply apart_by_masks; reflexivity |]); exact I.
  - clear All in_range. destruct n as [| [| [| [| [| n]]]]]; try (exfalso; lia); reflexivity.
  - clear All in_range. intros w W. destruct n as [| [| [| [| [| n]]]]]; try (exfalso; lia); cbn in W; cbn; lia.
  - intros a H. assert (L : (a < 2 ^ n)%nat) by (apply andb_true_iff in H; apply Nat.ltb_lt, H).
    rewrite forallb_forall in All. specialize (All a ltac:(apply in_seq; lia)). unfold in_range in All. rewrite H in All.
    cbn [negb orb] in All. apply andb_true_iff in All. rewrite !Nat.leb_le in All. exact All.
Qed.

Section hadamard.

Context (d : nat) (E : R) (s : supported) (columns : Q) (few : nat) (has_products : bool).
Hypothesis some_inputs : (2 <= d)%nat.
Hypothesis E_1 : 1 <= E.
Hypothesis high_value : Q2R (high_density s) = E * hadamard_low d E.
Hypothesis low_value : Q2R (low_density s) = hadamard_low d E.
Hypothesis everyone_value : Q2R (of_everyone s) = 1.
Hypothesis columns_are : Q2R columns = 2 ^ hadamard_digits d.
Hypothesis few_digits : few = Nat.min 4 (hadamard_digits d).
Hypothesis products_are : has_products = (3 <=? d)%nat.

Lemma one_row x : (x < d)%nat -> independent_rows [S x] /\ (forall w, In w [S x] -> small (hadamard_digits d) w) /\
  forall w, In w [S x] -> (1 <= w <= d)%nat.
Proof.
  intros X. split; [split; [intros H; discriminate H | exact I] |]. split; intros w [<- | []]; [apply (row_digits d
    some_inputs x X) | lia].
Qed.

Lemma two_rows x y : (x < d)%nat -> (y < d)%nat -> x <> y ->
  independent_rows [S x; S y] /\ (forall w, In w [S x; S y] -> small (hadamard_digits d) w) /\
  forall w, In w [S x; S y] -> (1 <= w <= d)%nat.
Proof.
  intros X Y N. destruct (one_row y Y) as [A [B C]]. split; [split; [| exact A] |].
  - intros [H | H]; [discriminate H |]. apply Nat.lxor_eq in H. congruence.
  - split; intros w [<- | I]; auto; [apply (row_digits d some_inputs x X) | lia].
Qed.

Lemma three_rows x y z : (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> Nat.lxor (S x) (S
  z) <> S y ->
  independent_rows [S y; S x; S z] /\ (forall w, In w [S y; S x; S z] -> small (hadamard_digits d) w) /\
  forall w, In w [S y; S x; S z] -> (1 <= w <= d)%nat.
Proof.
  intros X Y Z N1 N2 N3 Rel. destruct (two_rows x z X Z ltac:(congruence)) as [A [B C]]. split; [split; [| exact A] |].
  - intros [[H | H] | [H | H]].
    + discriminate H.
    + apply Nat.lxor_eq in H. congruence.
    + apply Nat.lxor_eq in H. congruence.
    + apply Nat.lxor_eq in H. apply Rel. rewrite <- H, (Nat.lxor_comm (S y)), <- Nat.lxor_assoc, Nat.lxor_nilpotent.
      apply Nat.lxor_0_l.
  - split; intros w [<- | I]; auto; [apply (row_digits d some_inputs y Y) | lia].
Qed.

Lemma three_inputs x y z : (x < d)%nat -> (y < d)%nat -> (z < d)%nat -> x <> y -> z <> x -> z <> y -> has_products =
  true.
Proof. intros. rewrite products_are. apply Nat.leb_le. lia. Qed.

(** Rows of inputs where every product of them is that of an input too, or where there are two inputs; the last one is
    given. *)
Lemma rows_of_dummy z : (z < d)%nat -> d = 2%nat \/ S d = (2 ^ hadamard_digits d)%nat -> forall n, (1 <= n <= few)%nat ->
  exists rows, told_rows d (fun rows => last rows 0%nat = S z) rows /\ length rows = n /\
    forall a, is_reached has_products true n a = true -> (1 <= xor_mask a rows <= d)%nat.
Proof.
  intros Z [D2 | All] n N.
  - assert (Hp : has_products = false) by (rewrite products_are, D2; reflexivity).
    assert (Two : forall a, is_reached has_products true n a = true -> (a = 1 \/ (a = 2 /\ n = 2))%nat).
    { intros a H. rewrite Hp in H. unfold is_reached in H. cbn [andb orb] in H. rewrite orb_false_r in H.
      apply andb_true_iff in H. destruct H as [L H]. apply Nat.ltb_lt in L. rewrite few_digits, D2 in N. cbn in N.
      assert (n = 1 \/ n = 2)%nat as [-> | ->] by lia; cbn in L; destruct a as [| [| [| [| a]]]]; try discriminate; lia. }
    assert (n = 1 \/ n = 2)%nat as [-> | ->] by (rewrite few_digits, D2 in N; cbn in N; lia).
    + exists [S z]. destruct (one_row z Z) as [A [B C]]. split; [split; [exact A | split; [exact B | reflexivity]] |].
      split; [reflexivity |]. intros a H. destruct (Two a H) as [-> | [_ E2]]; [| discriminate]. rewrite xor_first. lia.
    + assert (O : (1 - z < d)%nat /\ (1 - z)%nat <> z) by lia. destruct O as [O Nz]. destruct (two_rows (1 - z)%nat z O Z Nz) as [A [B C]].
      exists [S (1 - z)%nat; S z]. split; [split; [exact A | split; [exact B | reflexivity]] |]. split; [reflexivity |].
      intros a H. destruct (Two a H) as [-> | [-> _]]; [rewrite xor_first | rewrite (xor_double 1), xor_first]; lia.
  - assert (B0 : (0 < hadamard_digits d)%nat) by (unfold hadamard_digits; lia).
    destruct (one_row z Z) as [A [B _]]. destruct (more_rows _ n [S z] B0 A B ltac:(cbn [length]; lia)) as [more [L [Ind Sm]]].
    exists (more ++ [S z]). split; [split; [exact Ind | split; [exact Sm | apply last_last]] |]. split; [exact L |].
    intros a H. unfold is_reached in H. apply andb_true_iff in H. destruct H as [Small Some]. apply Nat.ltb_lt in Small.
    assert (Na : a <> 0%nat) by (intros ->; destruct has_products; discriminate).
    assert (X := proj2 (small_below _ _ B0) (small_mask _ _ B0 Sm a)).
    assert (xor_mask a (more ++ [S z]) <> 0%nat); [| lia].
    intros E0. apply Na, (made_apart _ Ind a); [rewrite L; exact Small | exact E0].
Qed.

Lemma rows_of_powers n : (1 <= n <= few)%nat ->
  exists rows, told_rows d (fun _ => True) rows /\ length rows = n /\
    forall a, is_reached has_products false n a = true -> (1 <= xor_mask a rows <= d)%nat.
Proof.
  intros N. rewrite few_digits in N. assert (Four : (1 <= n <= 4)%nat) by lia. assert (P : (2 ^ (n - 1) <= d)%nat).
  { assert (L := Nat.log2_spec d ltac:(lia)). unfold hadamard_digits in N.
    apply Nat.le_trans with (2 ^ Nat.log2 d)%nat; [apply Nat.pow_le_mono_r; lia | lia]. }
  destruct (powers_known has_products n Four) as [Ind [L [Most Re]]]. exists (powers n). split; [split; [exact Ind | split; [| exact I]] |].
  - intros w W. specialize (Most w W). assert (X := row_digits d some_inputs (w - 1) ltac:(lia)).
    replace (S (w - 1)) with w in X by lia. exact X.
  - split; [exact L |]. intros a H. specialize (Re a H).
    assert (T : has_products = true -> (3 <= d)%nat) by (rewrite products_are; apply Nat.leb_le).
    clear H. revert Re T. generalize has_products. intros [|] Re T; [specialize (T eq_refl) |]; lia.
Qed.

Theorem signs_by_input z full : (z < d)%nat -> (full = true -> d = 2%nat \/ S d = (2 ^ hadamard_digits d)%nat) ->
  beside_right (hadamard_response d E) d (hadamard_response d E z)
  (mask_kinds s columns (fun length bits => density_of s (told_mask (last_mask length) bits)) few has_products
    masks_of_dummy) full.
Proof.
  intros Z Full. apply (masks_right d E s columns _ (fun rows => last rows 0%nat = S z) few has_products true full
    masks_of_dummy _); try assumption.
  - intros rows [_ [_ St]] L F. rewrite (masked_row d E E_1 rows (last_mask (length rows)) z) by (try exact Z; rewrite
      last_row; assumption).
    apply mean_ext. intros m. rewrite (sign_density d E s high_value low_value). reflexivity.
  - intros rows v L St. destruct rows as [| w rest]; [simpl in L; lia | exact St].
  - intros lac [<- | [<- | [<- | [<- | [<- | [<- | []]]]]]]; simpl; lia.
  - intros _ lac I. generalize has_products. intros hp.
    repeat destruct I as [<- | I]; try contradiction I; destruct hp; intros H; reflexivity || discriminate H.
  - intros F n N. apply (rows_of_dummy z Z (Full F) n N).
  - intros x y X Y. destruct (Nat.eq_dec x y) as [<- | N]; [destruct (Nat.eq_dec x z) as [-> | Nx] | destruct
      (Nat.eq_dec x z) as [-> | Nx]].
    + exists (1, 1, 1)%nat, [S z]. destruct (one_row z Z) as [A [B C]]. unfold told_rows. cbn [fst snd]. rewrite
        xor_first.
      repeat split; auto; simpl; auto 10; apply C; auto.
    + exists (2, 1, 1)%nat, [S x; S z]. destruct (two_rows x z X Z Nx) as [A [B C]]. unfold told_rows. cbn [fst snd].
        rewrite xor_first.
      split; [simpl; auto 10 |]. split; [auto |]. repeat (split; [auto; fail |]). exact C.
    + exists (2, 2, 1)%nat, [S y; S z]. destruct (two_rows y z Y Z ltac:(congruence)) as [A [B C]]. unfold told_rows.
        cbn [fst snd].
      rewrite (xor_double 1), !xor_first. split; [simpl; auto 10 |]. split; [auto |].
      repeat (split; [auto; fail || discriminate |]). exact C.
    + destruct (Nat.eq_dec y z) as [-> | Ny]; [| destruct (Nat.eq_dec (Nat.lxor (S x) (S z)) (S y)) as [Rel | Rel]].
      * exists (2, 1, 2)%nat, [S x; S z]. destruct (two_rows x z X Z Nx) as [A [B C]]. unfold told_rows. cbn [fst snd].
        rewrite (xor_double 1), !xor_first. split; [simpl; auto 10 |]. split; [auto |].
        repeat (split; [auto; fail || discriminate |]). exact C.
      * exists (2, 1, 3)%nat, [S x; S z]. destruct (two_rows x z X Z Nx) as [A [B C]]. unfold told_rows. cbn [fst snd].
        assert (E3 : xor_mask 3 [S x; S z] = S y) by (cbn [xor_mask]; simpl Nat.odd; simpl Nat.div2; rewrite
          Nat.lxor_0_r; exact Rel).
        rewrite xor_first, E3. split; [simpl; auto 10 |]. split; [auto |].
        assert (Hp := three_inputs x y z X Y Z N ltac:(congruence) ltac:(congruence)).
        repeat (split; [auto; fail || discriminate |]). exact C.
      * exists (3, 2, 1)%nat, [S y; S x; S z].
        destruct (three_rows x y z X Y Z N ltac:(congruence) ltac:(congruence) Rel) as [A [B C]]. unfold told_rows. cbn
          [fst snd].
        rewrite (xor_double 1), !xor_first. split; [simpl; auto 10 |]. split; [auto |].
        repeat (split; [auto; fail || discriminate |]). exact C.
Qed.

Theorem signs_uniform (U : dist (list bool)) : (forall F, mean U F = / Q2R columns * mean (counting (bit_patterns
  (hadamard_digits d))) F) ->
  beside_right (hadamard_response d E) d U (mask_kinds s columns (fun _ _ => (1 / columns)%Q) few has_products
    masks_alone) true.
Proof.
  intros HU. apply (masks_right d E s columns _ (fun _ => True) few has_products false true masks_alone _); try assumption;
    try trivial.
  - intros rows _ _ F. rewrite HU, <- mean_scal. apply mean_ext. intros m.
    assert (C : 0 < Q2R columns) by (rewrite columns_are; apply pow_lt; lra).
    rewrite Q2R_divided, Q2R_1 by lra. unfold Rdiv. rewrite Rmult_1_l. reflexivity.
  - intros lac [<- | [<- | []]]; simpl; lia.
  - intros _ lac I. generalize has_products. intros hp.
    repeat destruct I as [<- | I]; try contradiction I; destruct hp; intros H; reflexivity || discriminate H.
  - intros _ n N. apply (rows_of_powers n N).
  - intros x y X Y. destruct (Nat.eq_dec x y) as [<- | N].
    + exists (1, 1, 1)%nat, [S x]. destruct (one_row x X) as [A [B C]]. unfold told_rows. cbn [fst snd]. rewrite
        xor_first.
      split; [simpl; auto |]. split; [auto |]. repeat (split; [auto; fail |]). exact C.
    + exists (2, 2, 1)%nat, [S y; S x]. destruct (two_rows y x Y X ltac:(congruence)) as [A [B C]]. unfold told_rows.
        cbn [fst snd].
      rewrite (xor_double 1), !xor_first. split; [simpl; auto |]. split; [auto |].
      repeat (split; [auto; fail || discriminate |]). exact C.
Qed.

End hadamard.

(** Families of supports: what beside_kinds.v lists is right where the patterns of up to four inputs have one law.

    [patterns_right] is of any dummy that some lists of inputs tell; [uniform_right] and [by_input_right] are of a
    uniform one, and of what a user with one input sends. *)

From Coq Require Import Reals List Qreals Lra Lia.
From Exactdp Require Import sums laws hockey_stick classes least_values supports.
From ExactdpChecker Require Import blanket_program family_blanket described_pairs described_beside family_rows.
From ExactdpChecker Require Import away_rows participation_rows beside_kinds.
Import ListNotations.
Open Scope R_scope.

Lemma nth_repeat_true k n : (k < n)%nat -> nth k (repeat true n) false = true.
Proof. revert k. induction n as [| n IH]; intros k H; [lia |]. destruct k; [reflexivity |]. simpl. apply IH. lia. Qed.

Lemma all_true bits : forallb (fun b => b) bits = true -> bits = repeat true (length bits).
Proof.
  induction bits as [| b bits IH]; intros H; [reflexivity |]. simpl in *. apply andb_true_iff in H. destruct H as [->
    H].
  f_equal. apply IH, H.
Qed.

Section family.

Context {M : Type} (row : nat -> dist M) (d : nat) (u U : dist M) (supports : nat -> M -> bool) (s : supported).
Context (everyone : M -> bool) (masses : nat -> list bool -> Q) (share : list bool -> Q) (starts : list nat -> Prop)
  (few : nat).
Context (places : list (nat * nat)).
Let high := Q2R (high_density s).
Let low := Q2R (low_density s).
Hypothesis row_scheme : scheme row d u supports high low.
Hypothesis everyone_supported : forall m, everyone m = true -> forall v, (v < d)%nat -> supports v m = true.
Hypothesis everyone_mass : mean u (indicator everyone) = Q2R (of_everyone s).
Hypothesis listed_patterns : forall inputs, NoDup inputs -> (forall v, In v inputs -> (v < d)%nat) ->
  (length inputs <= 4)%nat -> counts u supports inputs (masses (length inputs)).
Hypothesis few_inputs : few = Nat.min 4 d.

(** Lists of inputs that tell of the dummy. *)
Definition told_inputs (inputs : list nat) : Prop := NoDup inputs /\ (forall v, In v inputs -> (v < d)%nat) /\ starts
  inputs.

Hypothesis dummy_told : forall inputs, told_inputs inputs -> (1 <= length inputs)%nat -> forall F,
  mean U F = mean u (fun m => Q2R (share (map (fun v => supports v m) inputs)) * F m).
Hypothesis starts_longer : forall inputs v, (1 <= length inputs)%nat -> starts inputs -> starts (inputs ++ [v]).
Hypothesis places_few : forall ij, In ij places -> (Nat.max (fst ij) (snd ij) <= 2)%nat.
Hypothesis pair_placed : forall x y, (x < d)%nat -> (y < d)%nat -> exists ij inputs, In ij places /\ told_inputs inputs
  /\
  length inputs = S (Nat.max (fst ij) (snd ij)) /\ nth (fst ij) inputs 0%nat = x /\ nth (snd ij) inputs 0%nat = y.
Hypothesis some_told : forall n, (1 <= n <= d)%nat -> exists inputs, told_inputs inputs /\ length inputs = n.

Lemma density_value b : Q2R (density_of s b) = density high low b.
Proof. destruct b; reflexivity. Qed.

Lemma row_told inputs k F : (forall v, In v inputs -> (v < d)%nat) -> (k < length inputs)%nat ->
  mean (row (nth k inputs 0%nat)) F =
  mean u (fun m => density high low (nth k (map (fun v => supports v m) inputs) false) * F m).
Proof.
  intros I K. destruct row_scheme as [_ [_ D]]. rewrite D by (apply I, nth_In, K). apply mean_ext. intros m.
  rewrite (nth_indep _ false (supports 0%nat m)) by (rewrite map_length; exact K).
  rewrite (map_nth (fun v => supports v m)). reflexivity.
Qed.

Lemma classes_told inputs i j h : told_inputs inputs -> (length inputs <= 4)%nat ->
  (i < length inputs)%nat -> (j < length inputs)%nat -> (h < length inputs)%nat ->
  describes_beside (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) (row (nth h inputs 0%nat)) U
    (pattern_classes s masses share (length inputs) i j h).
Proof.
  intros T L Hi Hj Hh. destruct T as [N [I St]]. destruct (listed_patterns inputs N I L) as [real [[W S] Same]].
  apply (described_beside_by_kinds _ _ _ _ u (fun m => map (fun v => supports v m) inputs)
    (fun bits => density high low (nth i bits false)) (fun bits => density high low (nth j bits false))
    (fun bits => density high low (nth h bits false)) (fun bits => Q2R (share bits))
    (map (fun bits => (bits, real bits)) (bit_patterns (length inputs)))).
  - apply row_scheme.
  - intros F. apply row_told; assumption.
  - intros F. apply row_told; assumption.
  - intros F. apply row_told; assumption.
  - apply dummy_told; [repeat split; assumption | lia].
  - intros kw J. apply in_map_iff in J. destruct J as [bits [<- _]]. apply W.
  - intros F. rewrite total_map. apply S.
  - unfold pattern_classes. rewrite !map_map. apply map_ext_in. intros bits B. unfold real_beside, times_beside, times.
    cbn [fst snd]. rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
    rewrite !Q2R_mult, !density_value, (Same bits (length_bit_patterns _ _ B)). reflexivity.
Qed.

Lemma blanket_told inputs i j : told_inputs inputs -> (length inputs <= 4)%nat ->
  (i < length inputs)%nat -> (j < length inputs)%nat ->
  describes_beside (row (nth i inputs 0%nat)) (row (nth j inputs 0%nat)) (blanket_of u high low everyone) U
    (pattern_blanket s masses share (length inputs) i j).
Proof.
  intros T L Hi Hj. assert (T' := T). destruct T as [N [I St]]. destruct (listed_patterns inputs N I L) as [real [Pat
    Same]].
  set (e := mean u (indicator everyone)).
  apply (described_beside_by_kinds _ _ _ _ u (fun m => (everyone m, map (fun v => supports v m) inputs))
    (fun eb => density high low (nth i (snd eb) false)) (fun eb => density high low (nth j (snd eb) false))
    (fun eb => density high low (fst eb)) (fun eb => Q2R (share (snd eb)))
    (map (fun bits => ((false, bits), real bits - if forallb (fun b => b) bits then e else 0)) (bit_patterns (length
      inputs)) ++
      [((true, repeat true (length inputs)), e)])).
  - apply row_scheme.
  - intros F. apply row_told; assumption.
  - intros F. apply row_told; assumption.
  - apply mean_blanket_of.
  - apply dummy_told; [exact T' | lia].
  - intros kw J. apply in_app_or in J. destruct J as [J | [<- | []]].
    + apply in_map_iff in J. destruct J as [bits [<- B]]. cbn [snd].
      assert (X := everyone_at_most row d u supports s everyone row_scheme everyone_supported inputs real I Pat). fold
        e in X.
      destruct Pat as [W _]. destruct (forallb _ bits) eqn:H; [| specialize (W bits); lra].
      apply all_true in H. rewrite (length_bit_patterns _ _ B) in H. rewrite H. lra.
    + cbn [snd]. apply total_nonneg. intros wm J. destruct row_scheme as [Su _].
      apply Rmult_le_pos; [apply Su, J | apply indicator_bounds].
  - intros F. rewrite (mass_of_ones d u supports everyone everyone_supported inputs (fun e bits => F (e, bits)) real I
      Pat).
    rewrite total_app, total_map. cbn [total fst snd]. fold e. ring.
  - unfold pattern_blanket. rewrite !map_app, !map_map. f_equal.
    + apply map_ext_in. intros bits B. unfold real_beside, times_beside, times. cbn [fst snd].
      rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite !Q2R_mult, !density_value, Q2R_minus, (Same bits (length_bit_patterns _ _ B)).
      replace (Q2R (if forallb (fun b => b) bits then of_everyone s else 0)) with
        (if forallb (fun b => b) bits then e else 0) by (destruct (forallb _ bits); [exact everyone_mass | symmetry;
          apply Q2R_0]).
      reflexivity.
    + cbn [map]. cbv zeta. unfold real_beside, times_beside, times. cbn [fst snd].
      rewrite reduced_value, Q2R_red. unfold first_mass, second_mass, reference_mass. cbn [fst snd].
      rewrite !Q2R_mult, density_value, <- everyone_mass. fold e. rewrite !nth_repeat_true by assumption. reflexivity.
Qed.

Lemma length_told inputs : told_inputs inputs -> (length inputs <= d)%nat.
Proof.
  intros [N [I _]]. rewrite <- (seq_length d 0). apply NoDup_incl_length; [exact N |].
  intros w J. apply in_seq. specialize (I w J). lia.
Qed.

Theorem patterns_right full : beside_right row d U (pattern_kinds s masses share few places) full.
Proof.
  split.
  - exists (blanket_of u high low everyone).
    split; [intros v; apply (blanket_lies_below row d u supports high low row_scheme everyone everyone_supported) |].
    intros x y X Y. destruct (pair_placed x y X Y) as [[i j] [inputs [J [T [L [Ex Ey]]]]]]. cbn [fst snd] in *.
    assert (F := places_few _ J). cbn [fst snd] in F. assert (Ld := length_told inputs T).
    exists (pattern_kind s masses share few (i, j)). split; [| split; [| split]].
    + apply in_map, filter_In. split; [exact J |]. cbn [fst snd]. apply Nat.leb_le. lia.
    + unfold pattern_kind. cbn [fst snd]. intros E. apply Nat.eqb_eq in E. intros f. congruence.
    + unfold pattern_kind. cbn [fst snd]. rewrite <- L, <- Ex, <- Ey. apply blanket_told; [exact T | lia ..].
    + intros v V. unfold pattern_kind. cbn [fst snd]. rewrite <- L, <- Ex, <- Ey.
      destruct (in_dec Nat.eq_dec v inputs) as [Iv | Iv].
      * destruct (In_nth inputs v 0%nat Iv) as [h [Hh <-]]. exists (pattern_classes s masses share (length inputs) i j
          h).
        split; [| apply classes_told; [exact T | lia ..]].
        replace (length inputs) with (Nat.max (S h) (length inputs)) at 1 by lia.
        apply (in_map (fun h => pattern_classes s masses share (Nat.max (S h) (length inputs)) i j h)). apply in_seq.
          lia.
      * set (longer := inputs ++ [v]). assert (Ll : length longer = S (length inputs))
          by (unfold longer; rewrite app_length; simpl; lia).
        assert (T' : told_inputs longer).
        { destruct T as [N [I St]]. split; [apply NoDup_app_one; assumption |]. split; [| apply starts_longer; [lia |
            exact St]].
          intros w Jw. apply in_app_or in Jw. destruct Jw as [Jw | [<- | []]]; [apply I, Jw | exact V]. }
        assert (Ld' := length_told longer T'). exists (pattern_classes s masses share (length longer) i j (length
          inputs)). split.
        -- replace (length longer) with (Nat.max (S (length inputs)) (length inputs)) by lia.
           apply (in_map (fun h => pattern_classes s masses share (Nat.max (S h) (length inputs)) i j h)). apply
             in_seq. lia.
        -- assert (C := classes_told longer i j (length inputs) T' ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)).
           unfold longer in C at 1 2 3. rewrite !app_nth1 in C by lia. rewrite app_nth2, Nat.sub_diag in C by lia.
             exact C.
  - intros _ k o K O. apply in_map_iff in K. destruct K as [[i j] [<- K]]. apply filter_In in K. destruct K as [J K].
    apply Nat.leb_le in K. assert (F := places_few _ J). unfold pattern_kind in O. cbn [fst snd] in *.
    apply in_map_iff in O. destruct O as [h [<- H]]. apply in_seq in H. set (n := Nat.max (S h) (S (Nat.max i j))).
    destruct (some_told n ltac:(lia)) as [inputs [T L]].
    exists (nth i inputs 0%nat), (nth j inputs 0%nat), (nth h inputs 0%nat). assert (T' := T). destruct T' as [_ [I _]].
    split; [repeat split; apply I, nth_In; lia |]. rewrite <- L. apply classes_told; [exact T | lia ..].
Qed.

End family.

(** *** Where the dummy is uniform, or of an input *)

Lemma filtered_seq z d : NoDup (z :: filter (fun v => negb (Nat.eqb v z)) (seq 0 d)).
Proof.
  constructor; [| apply NoDup_filter, seq_NoDup]. intros I. apply filter_In in I. destruct I as [_ I].
  rewrite Nat.eqb_refl in I. discriminate.
Qed.

Lemma inputs_from z d n : (z < d)%nat -> (1 <= n <= d)%nat -> exists rest, NoDup (z :: rest) /\
  (forall v, In v (z :: rest) -> (v < d)%nat) /\ length (z :: rest) = n.
Proof.
  intros Z [N1 Nd]. set (all := filter (fun v => negb (Nat.eqb v z)) (seq 0 d)).
  assert (Few : (d <= length (z :: all))%nat).
  { rewrite <- (seq_length d 0) at 1. apply NoDup_incl_length; [apply seq_NoDup |]. intros v I.
    destruct (Nat.eq_dec v z) as [-> | Nz]; [left; reflexivity | right].
    apply filter_In. split; [exact I | apply negb_true_iff, Nat.eqb_neq, Nz]. }
  exists (firstn (n - 1) all). assert (Nd' := filtered_seq z d). fold all in Nd'. inversion Nd' as [| ? ? Nz Na]. subst.
  assert (Sub : forall v, In v (firstn (n - 1) all) -> In v all)
    by (intros v I; rewrite <- (firstn_skipn (n - 1) all); apply in_or_app; left; exact I).
  split; [| split].
  - constructor; [intros I; apply Nz, Sub, I |]. rewrite <- (firstn_skipn (n - 1) all) in Na. apply (NoDup_first _ _
      Na).
  - intros v [<- | I]; [exact Z |]. apply Sub, filter_In in I. destruct I as [I _]. apply in_seq in I. lia.
  - cbn [length] in *. rewrite firstn_length. lia.
Qed.

Section measured.

Context {M : Type} (u : dist M) (row : nat -> dist M) (d : nat) (s : supported) (masses : nat -> list bool -> Q).
Hypothesis with_measure : measured u row d s masses.
Hypothesis some_inputs : (2 <= d)%nat.

Lemma one_input x : (x < d)%nat -> NoDup [x] /\ forall v, In v [x] -> (v < d)%nat.
Proof. intros X. split; [constructor; [intros [] | constructor] | intros v [<- | []]; exact X]. Qed.

Lemma two_inputs x y : (x < d)%nat -> (y < d)%nat -> x <> y -> NoDup [x; y] /\ forall v, In v [x; y] -> (v < d)%nat.
Proof.
  intros X Y N. split; [constructor; [intros [E | []]; congruence | constructor; [intros [] | constructor]] |].
  intros v [<- | [<- | []]]; assumption.
Qed.

Theorem uniform_right (U : dist M) W full : (forall F, mean U F = / Q2R W * mean u F) -> 0 < Q2R W ->
  beside_right row d U (pattern_kinds s masses (fun _ => (1 / W)%Q) (Nat.min 4 d) places_alone) full.
Proof.
  intros HU HW. destruct with_measure as [supports [everyone [Sch [Pr [Ev [Em Pat]]]]]].
  apply (patterns_right row d u U supports s everyone masses _ (fun _ => True) (Nat.min 4 d) places_alone Sch Ev Em Pat
    eq_refl).
  - intros inputs _ _ F. rewrite HU, <- mean_scal. apply mean_ext. intros m.
    rewrite Q2R_divided, Q2R_1 by lra. unfold Rdiv. rewrite Rmult_1_l. reflexivity.
  - trivial.
  - intros ij [<- | [<- | []]]; simpl; lia.
  - intros x y X Y. destruct (Nat.eq_dec x y) as [<- | N].
    + exists (0, 0)%nat, [x]. destruct (one_input x X) as [A B]. simpl. unfold told_inputs. auto 10.
    + exists (0, 1)%nat, [x; y]. destruct (two_inputs x y X Y N) as [A B]. simpl. unfold told_inputs. auto 10.
  - intros n N. destruct (inputs_from 0 d n ltac:(lia) N) as [rest [A [B C]]]. exists (0%nat :: rest). unfold
      told_inputs. auto.
Qed.

Theorem by_input_right z full : (z < d)%nat ->
  beside_right row d (row z) (pattern_kinds s masses (fun bits => density_of s (nth 0 bits false)) (Nat.min 4 d)
    places_of_dummy) full.
Proof.
  intros Z. destruct with_measure as [supports [everyone [Sch [Pr [Ev [Em Pat]]]]]].
  apply (patterns_right row d u (row z) supports s everyone masses _ (fun inputs => hd z inputs = z) (Nat.min 4 d)
    places_of_dummy Sch Ev Em Pat eq_refl).
  - intros inputs [_ [I St]] L F. destruct inputs as [| z' rest]; [simpl in L; lia |]. simpl in St. subst z'.
    destruct Sch as [_ [_ D]]. rewrite D by exact Z. apply mean_ext. intros m. cbn [map nth]. rewrite <- (density_value
      s). reflexivity.
  - intros [| z' rest] v L St; [simpl in L; lia | exact St].
  - intros ij [<- | [<- | [<- | [<- | [<- | []]]]]]; simpl; lia.
  - intros x y X Y. unfold told_inputs. destruct (Nat.eq_dec x y) as [<- | N]; [destruct (Nat.eq_dec x z) as [-> | Nx]
      | destruct (Nat.eq_dec x z) as [-> | Nx]].
    + exists (0, 0)%nat, [z]. destruct (one_input z Z) as [A B]. simpl. auto 10.
    + exists (1, 1)%nat, [z; x]. destruct (two_inputs z x Z X ltac:(congruence)) as [A B]. simpl. auto 10.
    + exists (0, 1)%nat, [z; y]. destruct (two_inputs z y Z Y N) as [A B]. simpl. auto 10.
    + destruct (Nat.eq_dec y z) as [-> | Ny].
      * exists (1, 0)%nat, [z; x]. destruct (two_inputs z x Z X ltac:(congruence)) as [A B]. simpl. auto 10.
      * exists (1, 2)%nat, [z; x; y]. assert (A : NoDup [z; x; y]) by (apply distinct_3; congruence).
        assert (B := below_3 d z x y Z X Y). simpl. auto 12.
  - intros n N. destruct (inputs_from z d n Z N) as [rest [A [B C]]]. exists (z :: rest). unfold told_inputs. auto.
Qed.

End measured.

(** The pairs of inputs of one randomizer, and what the others may hold beside each, with a dummy: a program.

    As the kinds of product_pairs.v, with the mass of the dummy in each class. [kinds_beside_right]: every pair of
      inputs
    and every row is there, and nothing else is, for all tables, and for the families whose patterns of up to four
      inputs
    have one law, where the dummy is what a user with one input sends, or uniform, but no uniform bits beside others.

    Idea: the input of the dummy is one of those whose pattern is told.
    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick events adding_a_user mean_excess hidden_message
  blanket classes.
From Exactdp Require Import shuffler absent_users least_values supports swap_vertices tilted_program hadamard_classes
  k_ary_classes.
From ExactdpChecker Require Import claims witnesses blanket_program matrix_blanket family_blanket described_pairs
  described_beside.
From ExactdpChecker Require Import family_rows laws_of_noise laplace_table product_pairs away_rows absence_laws
  participation_rows.
From ExactdpChecker Require Import rows_of_signs.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope nat_scope.

(** ** The program *)

(** A pair of inputs: its classes against the blanket and against each row of others, and whether it is one input. *)
Definition kind_beside : Type := (list beside * list (list beside) * bool)%type.

(** *** Of a table *)

Definition kinds_of_rows (matrix : list (list Q)) (dummy : list Q) : list kind_beside :=
  let least := least_row matrix in
  map (fun xy => let pair := (snd (fst xy), snd (snd xy)) in
      ((combine (classes_of_rows least pair) dummy, map (fun row => combine (classes_of_rows row pair) dummy) matrix),
       Nat.eqb (fst (fst xy)) (fst (snd xy))))
    (filter (fun xy => Nat.eqb (fst (fst xy)) (fst (snd xy)) || negb (same_row (snd (fst xy)) (snd (snd xy))))
      (list_prod (numbered 0 matrix) (numbered 0 matrix))).

Definition with_dummy (t : claims.table) (instead : list (Q * list nat)) : claims.table :=
  {| message_types := message_types t; rows := instead :: rows t |}.

Definition kinds_of_table (t : claims.table) (instead : list (Q * list nat)) : list kind_beside :=
  let places := outcomes_of (with_dummy t instead) in
  kinds_of_rows (map (fun row => map (probability row) places) (rows t)) (map (probability instead) places).

(** *** Of a family *)

Section family_program.

Variables (s : supported) (masses : nat -> list bool -> Q) (share : list bool -> Q) (few : nat).

Definition pattern_classes (length i j h : nat) : list beside :=
  map (fun bits => let density k := density_of s (nth k bits false) in let m := masses length bits in
    (reduced (m * density i, m * density j, m * density h)%Q, Qred (m * share bits))) (bit_patterns length).

Definition pattern_blanket (length i j : nat) : list beside :=
  map (fun bits => let density k := density_of s (nth k bits false) in
    let m := (masses length bits - if forallb (fun b => b) bits then of_everyone s else 0)%Q in
    (reduced (m * density i, m * density j, m * density_of s false)%Q, Qred (m * share bits))) (bit_patterns length) ++
  [let e := (of_everyone s * density_of s true)%Q in
   (reduced (e, e, e), Qred (of_everyone s * share (repeat true length)))].

Definition pattern_kind (ij : nat * nat) : kind_beside :=
  let length := S (Nat.max (fst ij) (snd ij)) in
  ((pattern_blanket length (fst ij) (snd ij),
    map (fun h => pattern_classes (Nat.max (S h) length) (fst ij) (snd ij) h) (seq 0 (Nat.min (S length) few))),
   Nat.eqb (fst ij) (snd ij)).

Definition pattern_kinds (places : list (nat * nat)) : list kind_beside :=
  map pattern_kind (filter (fun ij => Nat.leb (S (Nat.max (fst ij) (snd ij))) few) places).

End family_program.

(** *** Of Hadamard response: rows are masks of a list of independent ones *)

Section masks_program.

Variables (s : supported) (columns : Q) (share : nat -> list bool -> Q) (few : nat) (has_products : bool).

Definition sign_mass (length : nat) : Q := columns * power_of (1 # 2) length.

Definition mask_classes (length a c h : nat) : list beside :=
  map (fun bits => let density k := density_of s (told_mask k bits) in let m := sign_mass length in
    (reduced (m * density a, m * density c, m * density h)%Q, Qred (m * share length bits))) (bit_patterns length).

Definition mask_blanket (length a c : nat) : list beside :=
  map (fun bits => let density k := density_of s (told_mask k bits) in
    let m := (sign_mass length - if forallb (fun b => b) bits then of_everyone s else 0)%Q in
    (reduced (m * density a, m * density c, m * density_of s false)%Q, Qred (m * share length bits))) (bit_patterns
      length) ++
  [let e := (of_everyone s * density_of s true)%Q in
   (reduced (e, e, e), Qred (of_everyone s * share length (repeat true length)))].

(** The rows of the list, of which the first one was added last; and their products. *)
Definition single_masks (length : nat) : list nat :=
  match length with 1%nat => [1] | 2%nat => [2; 1] | 3%nat => [4; 2; 1] | _ => [] end%nat.

Definition product_masks (length : nat) : list nat :=
  match length with 2%nat => [3] | 3%nat => [6; 5; 3; 7] | _ => [] end%nat.

Definition mask_kind (lac : nat * nat * nat) : kind_beside :=
  let '(length, a, c) := lac in
  ((mask_blanket length a c,
    map (mask_classes length a c) (single_masks length) ++
    (if Nat.leb (S length) few then [mask_classes (S length) (2 * a) (2 * c) 1] else []) ++
    (if has_products then map (mask_classes length a c) (product_masks length) else [])),
   Nat.eqb a c).

Definition mask_kinds (entries : list (nat * nat * nat)) : list kind_beside :=
  map mask_kind (filter (fun lac => Nat.leb (fst (fst lac)) few && (has_products || Nat.leb (snd lac) 2)) entries).

End masks_program.

Definition masks_alone : list (nat * nat * nat) := [(2, 2, 1); (1, 1, 1)]%nat.

(** The dummy's row is the last one. *)
Definition masks_of_dummy : list (nat * nat * nat) := [(2, 2, 1); (2, 1, 2); (3, 2, 1); (2, 1, 3); (1, 1, 1); (2, 1,
  1)]%nat.

Definition last_mask (length : nat) : nat := (2 ^ (length - 1))%nat.

(** Inputs by their places in a list, which begins with that of the dummy if it is what a user sends. *)
Definition places_alone : list (nat * nat) := [(0, 1); (0, 0)]%nat.

Definition places_of_dummy : list (nat * nat) := [(0, 1); (1, 0); (1, 2); (0, 0); (1, 1)]%nat.

Definition family_beside (f : family) (s : supported) (a : absence) : option (list kind_beside) :=
  let few := Z.to_nat (Z.min 4 (inputs_of f)) in
  let kinds share places := Some (pattern_kinds s (participation_rows.pattern_mass f) share few places) in
  if is_free f then
    match a with
    | HiddenByInput _ => kinds (fun bits => density_of s (nth 0 bits false)) places_of_dummy
    | HiddenUniformly => match message_mass f with Some W => kinds (fun _ => (1 / W)%Q) places_alone | None => None end
    | _ => None
    end
  else
    match f, a with
    | Hadamard d _, HiddenByInput _ =>
        let columns := inject_Z (2 ^ (Z.log2 d + 1)) in
        Some (mask_kinds s columns (fun length bits => density_of s (told_mask (last_mask length) bits))
          (Z.to_nat (Z.min 4 (Z.log2 d + 1))) (3 <=? d)%Z masks_of_dummy)
    | Hadamard d _, HiddenUniformly =>
        let columns := inject_Z (2 ^ (Z.log2 d + 1)) in
        Some (mask_kinds s columns (fun _ _ => (1 / columns)%Q)
          (Z.to_nat (Z.min 4 (Z.log2 d + 1))) (3 <=? d)%Z masks_alone)
    | _, _ => None
    end.

(** Whether each of the classes beside others is one of inputs that there are: of Hadamard response beside a dummy of one
    input, where every product of rows is the row of an input, or none is. *)
Definition is_full (ra : randomizer * absence) : bool :=
  match ra with
  | (Family (Hadamard d _), HiddenByInput _) => (d =? 2)%Z || (d + 1 =? 2 ^ (Z.log2 d + 1))%Z
  | _ => true
  end.

Definition kinds_beside (ra : randomizer * absence) : option (list kind_beside) :=
  match listed_randomizer (fst ra) with
  | Table t => option_map (kinds_of_table (ordered_table t)) (sent_instead (message_types t) (snd ra))
  | Family f => match supports_of f with Some s => family_beside f s (snd ra) | None => None end
  end.

(** The pairs of different inputs of users who take part with probability q, and else send the dummy. *)
Definition kinds_pairs (q : Q) (kinds : list kind_beside) : list input_pair :=
  map (fun k => {| of_blanket := map (mixed_class q) (fst (fst k)); of_others := map (map (mixed_class q)) (snd (fst
    k)) |})
    (filter (fun k => negb (snd k)) kinds).

Open Scope R_scope.

(** ** What is right *)

(** Each of the classes beside others is one of inputs that there are, if [full]. *)
Definition beside_right {A} (row : nat -> dist A) (d : nat) (U : dist A) (kinds : list kind_beside) (full : bool) :
  Prop :=
  (exists c, (forall v, (v < d)%nat -> lies_below c (row v)) /\
    forall x y, (x < d)%nat -> (y < d)%nat -> exists k, In k kinds /\ (snd k = true -> same_law (row x) (row y)) /\
      describes_beside (row x) (row y) c U (fst (fst k)) /\
      forall v, (v < d)%nat -> exists o, In o (snd (fst k)) /\ describes_beside (row x) (row y) (row v) U o) /\
  (full = true -> forall k o, In k kinds -> In o (snd (fst k)) ->
    exists x y v, ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\ describes_beside (row x) (row y) (row v) U o).

Lemma beside_right_renamed {A B} (h : A -> B) row row' d U U' kinds full :
  (forall a b, h a = h b -> a = b) -> (forall v, (v < d)%nat -> sub_law (row v)) ->
  (forall v, (v < d)%nat -> same_law (dmap h (row v)) (row' v)) -> same_law (dmap h U) U' ->
  beside_right row d U kinds full -> beside_right row' d U' kinds full.
Proof.
  intros I S E EU [[c [Below Each]] Attained].
  assert (Told : forall x y D classes, (x < d)%nat -> (y < d)%nat -> describes_beside (row x) (row y) D U classes ->
    describes_beside (row' x) (row' y) (dmap h D) U' classes).
  { intros x y D classes X Y T. apply (describes_beside_same_law (dmap h (row x)) (dmap h (row y)) (dmap h D) (dmap h
      U));
      try apply E; try assumption; [intros f; reflexivity | apply describes_beside_renamed; assumption]. }
  assert (Row : forall x y v classes, (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
    describes_beside (row x) (row y) (row v) U classes -> describes_beside (row' x) (row' y) (row' v) U' classes).
  { intros x y v classes X Y V T. apply (describes_beside_same_law (row' x) (row' y) (dmap h (row v)) U');
      try (intros f; reflexivity); [exact (E v V) | apply Told; assumption]. }
  split.
  - exists (dmap h c). split.
    + intros v V. destruct (below_renamed h c (row v) I (S v V) (Below v V)) as [S1 L]. split; [exact S1 |].
      intros b. rewrite <- (same_mass _ _ b (E v V)). apply L.
    + intros x y X Y. destruct (Each x y X Y) as [k [K [Same [D O]]]]. exists k. split; [exact K |]. split; [| split].
      * intros T f. rewrite <- (E x X), <- (E y Y), !mean_dmap. apply Same, T.
      * apply Told; assumption.
      * intros v V. destruct (O v V) as [o [J T]]. exists o. split; [exact J | apply Row; assumption].
  - intros Full k o K J. destruct (Attained Full k o K J) as [x [y [v [[X [Y V]] T]]]]. exists x, y, v. split; [auto |
      apply Row; assumption].
Qed.

Section matrix.

Context {M : Type} (R : nat -> dist M) (U : dist M) (d : nat) (l : list M) (W : nat -> M -> Q) (w : M -> Q).
Hypothesis some : (0 < d)%nat.
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, (x < d)%nat -> proper (R x).
Hypothesis rows_covered : forall x, (x < d)%nat -> covers l (R x).
Hypothesis dummy_covered : covers l U.
Hypothesis rows_listed : forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a).
Hypothesis dummy_listed : forall a, In a l -> mass U a = Q2R (w a).

Let matrix := map (fun x => map (W x) l) (seq 0 d).

Lemma beside_row x row : In (x, row) (numbered 0 matrix) <-> (x < d)%nat /\ row = map (W x) l.
Proof.
  assert (N : forall x, (x < d)%nat -> nth_error matrix x = Some (map (W x) l)).
  { intros z Z. unfold matrix. apply (map_nth_error (fun x => map (W x) l) z (seq 0 d)). rewrite (nth_error_nth' _
      0%nat) by (rewrite seq_length; exact Z).
    rewrite seq_nth by exact Z. reflexivity. }
  split.
  - intros I. apply numbered_in in I. destruct I as [_ I]. rewrite Nat.sub_0_r in I.
    assert (X : (x < d)%nat).
    { assert (L : nth_error matrix x <> None) by congruence. apply nth_error_Some in L. unfold matrix in L.
      rewrite map_length, seq_length in L. exact L. }
    split; [exact X |]. rewrite N in I by exact X. congruence.
  - intros [X ->]. apply (numbered_nth _ 0), N, X.
Qed.

Lemma matrix_beside_right full : beside_right R d U (kinds_of_rows matrix (map w l)) full.
Proof.
  set (fs := map W (seq 0 d)).
  assert (Rows : matrix = map (fun f => map f l) fs) by (unfold matrix, fs; rewrite map_map; reflexivity).
  destruct (least_row_spec l fs) as [g [G [Least Attained]]]; [unfold fs; destruct d; [lia | discriminate] |].
  rewrite <- Rows in G. set (c := listed l (fun a => Q2R (g a))).
  assert (Mc : forall a, In a l -> mass c a = Q2R (g a)) by (intros a I; exact (mass_listed l (fun a => Q2R (g a)) a
    once I)).
  assert (Cc : covers l c) by (intros wa I; apply in_map_iff in I; destruct I as [a [<- I]]; exact I).
  assert (Classes : forall x y h, combine (classes_of_rows (map h l) (map (W x) l, map (W y) l)) (map w l) =
    map (fun a => ((W x a, W y a, h a), w a)) l)
    by (intros x y h; unfold classes_of_rows; cbn [fst snd]; rewrite !combine_maps; reflexivity).
  assert (Covered : forall P Q D, covers l P -> covers l Q -> covers l D -> covers l (P ++ Q ++ D ++ U))
    by (intros P Q D CP CQ CD wa I; rewrite !in_app_iff in I; destruct I as [I | [I | [I | I]]]; auto).
  assert (Others : forall x y v, (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
    describes_beside (R x) (R y) (R v) U (combine (classes_of_rows (map (W v) l) (map (W x) l, map (W y) l)) (map w
      l))).
  { intros x y v X Y V. rewrite Classes. apply described_beside_listed; [exact once | auto | intros a I; repeat split;
      auto]. }
  split.
  - exists c. split.
    + intros v V. split.
      * intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. cbn [fst].
        destruct (Attained a) as [f [Fi ->]]. apply in_map_iff in Fi. destruct Fi as [z [<- Z0]]. apply in_seq in Z0.
        rewrite <- rows_listed by (lia || assumption). apply mass_nonneg, rows_proper. lia.
      * intros a. destruct (in_dec hockey_stick.same a l) as [I | I].
        -- rewrite (Mc a I), rows_listed by assumption. apply Least, in_map, in_seq. lia.
        -- unfold c. rewrite mass_not_listed by exact I. apply mass_nonneg, rows_proper, V.
    + intros x y X Y. assert (Here : forall y', (y' < d)%nat -> x = y' \/ same_row (map (W x) l) (map (W y') l) = false
        ->
        In ((combine (classes_of_rows (least_row matrix) (map (W x) l, map (W y') l)) (map w l),
             map (fun row => combine (classes_of_rows row (map (W x) l, map (W y') l)) (map w l)) matrix), Nat.eqb x y')
          (kinds_of_rows matrix (map w l))).
      { intros y' Y' H. unfold kinds_of_rows. apply in_map_iff. exists ((x, map (W x) l), (y', map (W y') l)).
        split; [reflexivity |]. apply filter_In. split.
        - apply in_prod; apply beside_row; auto.
        - cbn [fst snd]. destruct H as [<- | H]; [rewrite Nat.eqb_refl; reflexivity | rewrite H; apply orb_true_r]. }
      assert (Say : forall y', (y' < d)%nat -> same_law (R y') (R y) -> (x = y' -> same_law (R x) (R y)) ->
          x = y' \/ same_row (map (W x) l) (map (W y') l) = false ->
          exists k, In k (kinds_of_rows matrix (map w l)) /\ (snd k = true -> same_law (R x) (R y)) /\
          describes_beside (R x) (R y) c U (fst (fst k)) /\
          forall v, (v < d)%nat -> exists o, In o (snd (fst k)) /\ describes_beside (R x) (R y) (R v) U o).
      { intros y' Y' S E H. eexists. split; [exact (Here y' Y' H) |]. cbn [fst snd].
        split; [intros T; apply Nat.eqb_eq in T; auto |]. split.
        - rewrite G, Classes. apply (describes_beside_same_law (R x) (R y') c U); try assumption; try (intros f;
            reflexivity).
          apply described_beside_listed; [exact once | auto | intros a I; repeat split; auto].
        - intros v V. exists (combine (classes_of_rows (map (W v) l) (map (W x) l, map (W y') l)) (map w l)). split.
          + apply (in_map (fun row => combine (classes_of_rows row _) _)), (in_map (fun x => map (W x) l)), in_seq. lia.
          + apply (describes_beside_same_law (R x) (R y') (R v) U); try assumption; try (intros f; reflexivity). auto. }
      destruct (same_row (map (W x) l) (map (W y) l)) eqn:Same.
      * assert (S : same_law (R x) (R y)).
        { intros f. rewrite !(mean_masses _ l f) by (try assumption; apply rows_covered; assumption). apply total_ext.
          intros a I. rewrite !rows_listed by assumption. rewrite (same_row_maps _ _ _ Same a I). reflexivity. }
        apply (Say x X S); auto.
      * apply (Say y Y); auto; [intros f; reflexivity | intros ->; intros f; reflexivity].
  - intros _ k o K J. unfold kinds_of_rows in K. apply in_map_iff in K.
    destruct K as [[[x rx] [y ry]] [<- I]]. apply filter_In in I. destruct I as [I _]. apply in_prod_iff in I.
    destruct I as [Ix Iy]. apply beside_row in Ix, Iy. destruct Ix as [X ->], Iy as [Y ->]. cbn [fst snd] in J.
    apply in_map_iff in J. destruct J as [row [<- J]]. unfold matrix in J. apply in_map_iff in J.
    destruct J as [v [<- J]]. apply in_seq in J. exists x, y, v. split; [lia | apply Others; lia].
Qed.

End matrix.

(** ** Families of supports *)

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

(** *** Hadamard response *)

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

(** ** The kinds of one randomizer are right *)

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

(** ** Of one randomizer *)

Theorem kinds_pairs_right {A} (row : nat -> dist A) d U kinds full q : 0 < Q2R q < 1 ->
  (forall v, (v < d)%nat -> proper (row v)) -> proper U -> beside_right row d U kinds full ->
  pairs_right (fun x => away (Q2R q) (sent (row x)) (sent U)) d (kinds_pairs q kinds).
Proof.
  intros Hq Pr PU [[c [Below Each]] _].
  assert (Pr' : forall v, (v < d)%nat -> proper (away (Q2R q) (sent (row v)) (sent U)))
    by (intros v V; apply proper_away; [lra | apply proper_sent, Pr, V | apply proper_sent, PU]).
  assert (Mixed : forall x y (D : dist A) classes, describes_beside (row x) (row y) D U classes ->
    describes (away (Q2R q) (sent (row x)) (sent U)) (away (Q2R q) (sent (row y)) (sent U)) (away (Q2R q) (sent D)
      (sent U))
      (map (mixed_class q) classes)).
  { intros x y D classes H. apply (mixed_describes q (sent (row x)) (sent (row y)) (sent D) (sent U)); try (intros f;
      apply mean_away).
    apply describes_beside_renamed; [apply single_injective | exact H]. }
  split; [exact Pr' |]. exists (away (Q2R q) (sent c) (sent U)).
  assert (Below' : forall v, (v < d)%nat -> lies_below (away (Q2R q) (sent c) (sent U)) (away (Q2R q) (sent (row v))
    (sent U)))
    by (intros v V; apply away_below; [lra | apply below_sent, Below, V | apply proper_sent, PU]).
  split; [exact Below' |]. intros x y X Y. destruct (Each x y X Y) as [k [K [Same [B O]]]].
  destruct (snd k) eqn:Eq.
  - left. intros f. unfold sent. rewrite !mean_away, !mean_dmap, (Same eq_refl). reflexivity.
  - right. eexists. split; [apply in_map, filter_In; split; [exact K | rewrite Eq; reflexivity] |]. cbn [of_blanket
      of_others].
    assert (B' := Mixed x y c _ B). split; [apply (described_weight _ _ _ _ B') |].
    split; [apply described_tells; [exact (proj1 (Below' x X)) | exact B'] |].
    intros v V. destruct (O v V) as [o [J T]]. exists (map (mixed_class q) o). split; [apply in_map, J |].
    apply described_tells; [exact (proj1 (Pr' v V)) | apply Mixed, T].
Qed.

Theorem kinds_pairs_attained {A} (row : nat -> dist A) d U kinds q pair : 0 < Q2R q < 1 ->
  (forall v, (v < d)%nat -> proper (row v)) -> proper U -> beside_right row d U kinds true -> In pair (kinds_pairs q kinds) ->
  others_attained (fun x => away (Q2R q) (sent (row x)) (sent U)) d pair.
Proof.
  intros Hq Pr PU [_ Attained] I classes J. apply in_map_iff in I. destruct I as [k [<- I]]. apply filter_In in I.
  cbn [of_others] in J. apply in_map_iff in J. destruct J as [o [<- J]].
  destruct (Attained eq_refl k o (proj1 I) J) as [x [y [v [[X [Y V]] T]]]]. exists x, y, v. repeat (split; [assumption |]).
  assert (Pr' : proper (away (Q2R q) (sent (row v)) (sent U)))
    by (apply proper_away; [lra | apply proper_sent, Pr, V | apply proper_sent, PU]).
  apply described_tells; [exact (proj1 Pr') |].
  apply (mixed_describes q (sent (row x)) (sent (row y)) (sent (row v)) (sent U)); try (intros f; apply mean_away).
  apply describes_beside_renamed; [apply single_injective | exact T].
Qed.

(** Of Hadamard response, hidden by what a user with one input sends. *)
Theorem hadamard_pairs_right d E0 s z q pairs : family_posed (Hadamard d E0) -> 0 < Q2R q < 1 ->
  supports_of (Hadamard d E0) = Some s -> option_map (kinds_pairs q) (family_beside (Hadamard d E0) s (HiddenByInput
    z)) = Some pairs ->
  let row := hadamard_response (Z.to_nat d) (Q2R E0) in
  let hidden := fun x => away (Q2R q) (sent (row x)) (sent (row (Nat.min (Z.to_nat z) (Z.to_nat d - 1)))) in
  pairs_right hidden (Z.to_nat d) pairs /\
  (is_full (Family (Hadamard d E0), HiddenByInput z) = true ->
    forall pair, In pair pairs -> others_attained hidden (Z.to_nat d) pair).
Proof.
  intros P Hq S H row hidden. assert (D := proj1 P). assert (HE := proj2 P).
  destruct (family_beside (Hadamard d E0) s (HiddenByInput z)) as [kinds |] eqn:K; [| discriminate]. injection H as <-.
  assert (Pr : forall v, (v < Z.to_nat d)%nat -> proper (row v)) by (intros v V; apply hadamard_proper; lia || lra).
  assert (Z' : (Nat.min (Z.to_nat z) (Z.to_nat d - 1) < Z.to_nat d)%nat) by lia.
  assert (R := hadamard_kinds_right d E0 s (HiddenByInput z) kinds P S K). cbn [column_dummy] in R. split.
  - exact (kinds_pairs_right row (Z.to_nat d) _ kinds _ q Hq Pr (Pr _ Z') R).
  - intros F pair. rewrite F in R. exact (kinds_pairs_attained row (Z.to_nat d) _ kinds q pair Hq Pr (Pr _ Z') R).
Qed.

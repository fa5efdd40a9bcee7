(** The pairs of inputs of one randomizer, and what the others may hold beside each, with a dummy: a program.

    As the kinds of product_pairs.v, with the mass of the dummy in each class. [beside_right]: every pair of inputs and
    every row is there; of tables it is shown here, of all in beside_kinds_checked.v.

    Idea: the input of the dummy is one of those whose pattern is told.
    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List QArith Lia.
From Exactdp Require Import sums laws hockey_stick mean_excess supports.
From ExactdpChecker Require Import claims blanket_program matrix_blanket described_pairs described_beside described_bounds.
From ExactdpChecker Require Import family_rows.
From ExactdpChecker Require Import laplace_table product_pairs absence_laws participation_rows rows_of_signs.
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

Definition description : Type := forall A : Type, dist A -> dist A -> dist A -> dist A -> list beside -> Prop.

Definition told_right (T : description) {A} (row : nat -> dist A) (d : nat) (U : dist A) (kinds : list kind_beside) : Prop :=
  exists c, (forall v, (v < d)%nat -> lies_below c (row v)) /\
    forall x y, (x < d)%nat -> (y < d)%nat -> exists k, In k kinds /\ (snd k = true -> same_law (row x) (row y)) /\
      T A (row x) (row y) c U (fst (fst k)) /\
      forall v, (v < d)%nat -> exists o, In o (snd (fst k)) /\ T A (row x) (row y) (row v) U o.

Definition told_attained (T : description) {A} (row : nat -> dist A) (d : nat) (U : dist A) (kinds : list kind_beside) : Prop :=
  forall k o, In k kinds -> In o (snd (fst k)) ->
    exists x y v, ((x < d)%nat /\ (y < d)%nat /\ (v < d)%nat) /\ T A (row x) (row y) (row v) U o.

Lemma told_right_renamed (T : description) {A B} (h : A -> B) row row' d U U' kinds : describing T ->
  (forall a b, h a = h b -> a = b) -> (forall v, (v < d)%nat -> sub_law (row v)) ->
  (forall v, (v < d)%nat -> same_law (dmap h (row v)) (row' v)) -> same_law (dmap h U) U' ->
  told_right T row d U kinds -> told_right T row' d U' kinds.
Proof.
  intros De I S E EU [c [Below Each]]. exists (dmap h c). split.
  - intros v V. destruct (below_renamed h c (row v) I (S v V) (Below v V)) as [S1 L]. split; [exact S1 |].
    intros b. rewrite <- (same_mass _ _ b (E v V)). apply L.
  - intros x y X Y. destruct (Each x y X Y) as [k [K [Same [D O]]]]. exists k. split; [exact K |]. split; [| split].
    + intros H f. rewrite <- (E x X), <- (E y Y), !mean_dmap. apply Same, H.
    + eapply (of_same_laws T De); [apply E, X | apply E, Y | intros f; reflexivity | exact EU |].
      apply (of_renamed T De); assumption.
    + intros v V. destruct (O v V) as [o [J H]]. exists o. split; [exact J |].
      eapply (of_same_laws T De); [apply E, X | apply E, Y | apply E, V | exact EU |]. apply (of_renamed T De); assumption.
Qed.

Lemma told_attained_renamed (T : description) {A B} (h : A -> B) row row' d U U' kinds : describing T ->
  (forall a b, h a = h b -> a = b) ->
  (forall v, (v < d)%nat -> same_law (dmap h (row v)) (row' v)) -> same_law (dmap h U) U' ->
  told_attained T row d U kinds -> told_attained T row' d U' kinds.
Proof.
  intros De I E EU At k o K J. destruct (At k o K J) as [x [y [v [[X [Y V]] H]]]]. exists x, y, v. split; [auto |].
  eapply (of_same_laws T De); [apply E, X | apply E, Y | apply E, V | exact EU |]. apply (of_renamed T De); assumption.
Qed.

(** What is listed is right exactly, and each of the classes beside others is one of inputs that there are, if [full]. *)
Definition beside_right {A} (row : nat -> dist A) (d : nat) (U : dist A) (kinds : list kind_beside) (full : bool) : Prop :=
  told_right (@describes_beside) row d U kinds /\ (full = true -> told_attained (@describes_beside) row d U kinds).

Lemma beside_right_renamed {A B} (h : A -> B) row row' d U U' kinds full :
  (forall a b, h a = h b -> a = b) -> (forall v, (v < d)%nat -> sub_law (row v)) ->
  (forall v, (v < d)%nat -> same_law (dmap h (row v)) (row' v)) -> same_law (dmap h U) U' ->
  beside_right row d U kinds full -> beside_right row' d U' kinds full.
Proof.
  intros I S E EU [Right At]. split.
  - apply (told_right_renamed _ h row row' d U U' kinds describing_exactly); assumption.
  - intros Full. apply (told_attained_renamed _ h row row' d U U' kinds describing_exactly); auto.
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

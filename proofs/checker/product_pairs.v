(** The pairs of inputs of several randomizers at once, and what the others may hold beside each: a program.

    Each randomizer has its kinds of pairs, equal inputs among them; a pair of the product is a kind for each, not all of
    equal inputs, and a row of the others one of that kind for each. Neighbours that are the same randomizer are taken in
    one order only. [product_right]: every pair of inputs and every row is there, with its classes, for all randomizers
    that are posed; [product_attained]: and nothing else is.

    Idea: classes of independent outcomes are products of classes, in any order (described_pairs.v).
    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick events adding_a_user mean_excess hidden_message blanket classes least_values swap_vertices.
From ExactdpChecker Require Import claims witnesses blanket_program matrix_blanket family_blanket described_pairs.
From ExactdpChecker Require Import family_rows laws_of_noise laplace_table.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope nat_scope.

(** ** The program *)

(** A pair of inputs of one randomizer, and whether they are equal. *)
Definition kind : Type := (input_pair * bool)%type.

Fixpoint numbered {A} (place : nat) (l : list A) : list (nat * A) :=
  match l with
  | [] => []
  | a :: rest => (place, a) :: numbered (S place) rest
  end.

Definition kinds_of_matrix (matrix : list (list Q)) : list kind :=
  let least := least_row matrix in
  map (fun xy => let pair := (snd (fst xy), snd (snd xy)) in
      ({| of_blanket := classes_of_rows least pair; of_others := map (fun row => classes_of_rows row pair) matrix |},
       Nat.eqb (fst (fst xy)) (fst (snd xy))))
    (filter (fun xy => Nat.eqb (fst (fst xy)) (fst (snd xy)) || negb (same_row (snd (fst xy)) (snd (snd xy))))
      (list_prod (numbered 0 matrix) (numbered 0 matrix))).

Definition equal_kind (s : supported) : kind :=
  ({| of_blanket := map against_itself (family_classes s);
      of_others := [map against_itself (others_classes s 0 2 (pair_mass s));
                    map against_itself (others_classes s 1 2 (pair_mass s))] |}, true).

Definition kinds_of (r : randomizer) : list kind :=
  match r with
  | Table t => kinds_of_matrix (matrix_of_table (ordered_table t))
  | Family (ClippedLaplace top q) => kinds_of_matrix (matrix_of_laplace (Z.to_nat top) q)
  | Family f => match supports_of f with Some s => [(family_pair f s, false); equal_kind s] | None => [] end
  end.

(** A place in each list, in lexicographic order; where a key is the one before it, the place does not fall. *)
Section choices.

Context {K B : Type} (same : K -> K -> bool).

Definition least_place (before : option (K * nat)) (k : K) : nat :=
  match before with Some (k', i) => if same k' k then i else O | None => O end.

Fixpoint choices (before : option (K * nat)) (parts : list (K * list B)) : list (list (K * nat * B)) :=
  match parts with
  | [] => [[]]
  | (k, l) :: rest =>
      flat_map (fun ib => map (cons (k, fst ib, snd ib)) (choices (Some (k, fst ib)) rest))
        (filter (fun ib => Nat.leb (least_place before k) (fst ib)) (numbered 0 l))
  end.

End choices.

Definition rational_eq_dec : forall p q : Q, {p = q} + {p <> q}.
Proof. decide equality; [apply Pos.eq_dec | apply Z.eq_dec]. Defined.

Definition randomizer_eq_dec : forall r s : randomizer, {r = s} + {r <> s}.
Proof.
  repeat first [apply rational_eq_dec | apply Z.eq_dec | apply Nat.eq_dec | apply list_eq_dec | decide equality].
Defined.

Definition same_randomizer (r s : randomizer) : bool := if randomizer_eq_dec r s then true else false.

Definition same_kind (a b : randomizer * nat) : bool := Nat.eqb (snd a) (snd b) && same_randomizer (fst a) (fst b).

Definition chosen_kinds : Type := list (randomizer * nat * kind).

Definition kinds_chosen (of : list randomizer) : list chosen_kinds :=
  filter (fun chosen => negb (forallb (fun c => snd (snd c)) chosen))
    (choices same_randomizer None (map (fun r => (r, kinds_of r)) of)).

Definition blanket_chosen (chosen : chosen_kinds) : list rational_class :=
  product_of (map (fun c => of_blanket (fst (snd c))) chosen).

Definition rows_chosen (chosen : chosen_kinds) : list (list (randomizer * nat * nat * list rational_class)) :=
  choices same_kind None (map (fun c => (fst c, of_others (fst (snd c)))) chosen).

Definition pair_chosen (chosen : chosen_kinds) : input_pair :=
  {| of_blanket := blanket_chosen chosen; of_others := map (fun row => product_of (map snd row)) (rows_chosen chosen) |}.

Definition product_pairs (of : list randomizer) : list input_pair := map pair_chosen (kinds_chosen of).

(** ** Choices *)

Lemma numbered_nth {A} (l : list A) : forall i j b, nth_error l j = Some b -> In (i + j, b) (numbered i l).
Proof.
  induction l as [| a l IH]; intros i [| j] b H; simpl in H; try discriminate.
  - injection H as ->. left. f_equal. lia.
  - right. replace (i + S j) with (S i + j) by lia. apply IH, H.
Qed.

Lemma numbered_in {A} (l : list A) : forall i j b, In (j, b) (numbered i l) -> i <= j /\ nth_error l (j - i) = Some b.
Proof.
  induction l as [| a l IH]; intros i j b H; [destruct H |]. destruct H as [H | H].
  - injection H as <- <-. rewrite Nat.sub_diag. auto.
  - apply IH in H. destruct H as [L N]. split; [lia |]. replace (j - i) with (S (j - S i)) by lia. exact N.
Qed.

Section chosen.

Context {K B : Type} (same : K -> K -> bool) (F : K -> list B).
Hypothesis same_is : forall k k', same k k' = true <-> k = k'.

Definition key (c : K * nat * B) : K := fst (fst c).
Definition listed_there (c : K * nat * B) : Prop := nth_error (F (key c)) (snd (fst c)) = Some (snd c).

Fixpoint ordered (before : option (K * nat)) (l : list (K * nat * B)) : Prop :=
  match l with
  | [] => True
  | c :: rest => least_place same before (key c) <= snd (fst c) /\ ordered (Some (fst c)) rest
  end.

Lemma ordered_from_0 k l : ordered None l <-> ordered (Some (k, 0)) l.
Proof. destruct l as [| c l]; simpl; [tauto |]. destruct (same k (key c)); tauto. Qed.

Lemma put_ordered l : forall c bound, bound <= snd (fst c) -> ordered (Some (key c, bound)) l ->
  exists l', Permutation (c :: l) l' /\ map key l' = key c :: map key l /\ ordered (Some (key c, bound)) l'.
Proof.
  induction l as [| c' m IH]; intros c bound H O.
  - exists [c]. split; [reflexivity |]. split; [reflexivity |]. split; [| exact I]. simpl.
    destruct (same (key c) (key c)); lia.
  - destruct O as [O1 O2]. destruct (same (key c) (key c') && (snd (fst c') <? snd (fst c)))%bool eqn:E.
    + apply andb_true_iff in E. destruct E as [E L]. apply Nat.ltb_lt in L. assert (E' := E). apply same_is in E'.
      simpl in O1. rewrite E in O1.
      destruct (IH c (snd (fst c')) ltac:(lia)) as [m' [P [Q R]]].
      { rewrite E'. destruct c' as [[k' i'] b']. exact O2. }
      exists (c' :: m'). split; [rewrite perm_swap; apply perm_skip, P |]. split; [simpl; rewrite Q; congruence |].
      split; [simpl; rewrite E; exact O1 |]. destruct c' as [[k' i'] b']. unfold key in *. cbn [fst snd] in *.
      rewrite <- E'. exact R.
    + exists (c :: c' :: m). split; [reflexivity |]. split; [reflexivity |]. split.
      * simpl. destruct (same (key c) (key c)); lia.
      * split; [| exact O2]. destruct c as [[k i] b]. unfold least_place, key in *. cbn [fst snd] in *.
        destruct (same k (fst (fst c'))); [| lia]. cbn [andb] in E. apply Nat.ltb_ge in E. exact E.
Qed.

Lemma in_one_order l : exists l', Permutation l l' /\ map key l' = map key l /\ ordered None l'.
Proof.
  induction l as [| c l [m [P [Q O]]]]; [exists []; simpl; auto |].
  destruct (put_ordered m c 0 ltac:(lia) (proj1 (ordered_from_0 _ _) O)) as [l' [P' [Q' O']]].
  exists l'. split; [rewrite <- P'; apply perm_skip, P |]. split; [rewrite Q'; simpl; rewrite Q; reflexivity |].
  apply (ordered_from_0 (key c)), O'.
Qed.

Lemma choices_complete l : forall before, Forall listed_there l -> ordered before l ->
  In l (choices same before (map (fun k => (k, F k)) (map key l))).
Proof.
  induction l as [| c l IH]; intros before V O; [left; reflexivity |]. inversion V as [| ? ? V1 V2]. subst.
  destruct O as [O1 O2]. cbn [map choices]. apply in_flat_map. exists (snd (fst c), snd c). split.
  - apply filter_In. split; [apply (numbered_nth _ 0), V1 | apply Nat.leb_le, O1].
  - cbn [fst snd]. destruct c as [[k i] b]. unfold key at 1 3. cbn [fst snd]. apply in_map, IH; assumption.
Qed.

Lemma choices_listed keys : forall before l, In l (choices same before (map (fun k => (k, F k)) keys)) ->
  map key l = keys /\ Forall listed_there l.
Proof.
  induction keys as [| k keys IH]; intros before l H.
  - destruct H as [<- | []]. auto.
  - cbn [map choices] in H. apply in_flat_map in H. destruct H as [[i b] [I H]]. apply filter_In in I.
    destruct I as [I _]. apply numbered_in in I. destruct I as [_ I]. rewrite Nat.sub_0_r in I.
    apply in_map_iff in H. destruct H as [m [<- H]]. destruct (IH _ m H) as [M V]. split; [simpl; rewrite M; reflexivity |].
    constructor; [exact I | exact V].
Qed.

End chosen.

(** ** The kinds of one randomizer are right *)

Definition kinds_right {A} (row : nat -> dist A) (d : nat) (kinds : list kind) : Prop :=
  (exists c, (forall v, v < d -> lies_below c (row v)) /\
    forall x y, x < d -> y < d -> exists k, In k kinds /\ (snd k = true -> same_law (row x) (row y)) /\
      describes (row x) (row y) c (of_blanket (fst k)) /\
      forall v, v < d -> exists o, In o (of_others (fst k)) /\ describes (row x) (row y) (row v) o) /\
  forall k o, In k kinds -> In o (of_others (fst k)) ->
    exists x y v, (x < d /\ y < d /\ v < d) /\ describes (row x) (row y) (row v) o.

Lemma sub_law_renamed {A B} (h : A -> B) (c : dist A) : sub_law c -> sub_law (dmap h c).
Proof.
  intros S wb I. rewrite each_renamed in I. apply in_map_iff in I. destruct I as [wa [<- I]]. apply S, I.
Qed.

Lemma below_renamed {A B} (h : A -> B) (c d : dist A) :
  (forall a b, h a = h b -> a = b) -> sub_law d -> lies_below c d -> lies_below (dmap h c) (dmap h d).
Proof.
  intros I Sd [S L]. split; [apply sub_law_renamed, S |]. intros b.
  destruct (decide (exists a, h a = b)) as [[a <-] | N]; [rewrite !mass_renamed by exact I; apply L |].
  assert (Z : forall e : dist A, mass (dmap h e) b = 0%R).
  { intros e. unfold mass, Pr. rewrite mean_dmap. unfold mean. rewrite (total_ext e _ (fun _ => 0%R)); [apply total_zero |].
    intros wa _. unfold indicator. destruct (hockey_stick.same (h (snd wa)) b) as [E | _]; [exfalso; apply N; eauto | ring]. }
  rewrite !Z. apply Rle_refl.
Qed.

Lemma kinds_right_renamed {A B} (h : A -> B) row row' d kinds :
  (forall a b, h a = h b -> a = b) -> (forall v, v < d -> sub_law (row v)) ->
  (forall v, v < d -> same_law (dmap h (row v)) (row' v)) -> kinds_right row d kinds -> kinds_right row' d kinds.
Proof.
  intros I S E [[c [Below Each]] Attained]. split.
  - exists (dmap h c). split.
    + intros v V. destruct (below_renamed h c (row v) I (S v V) (Below v V)) as [S1 L]. split; [exact S1 |].
      intros b. rewrite <- (same_mass _ _ b (E v V)). apply L.
    + intros x y X Y. destruct (Each x y X Y) as [k [K [Same [D O]]]]. exists k. split; [exact K |]. split; [| split].
      * intros T f. rewrite <- (E x X), <- (E y Y), !mean_dmap. apply Same, T.
      * apply (describes_same_law (dmap h (row x)) (dmap h (row y)) (dmap h c)); try apply E; try assumption;
          [intros f; reflexivity | apply describes_renamed; assumption].
      * intros v V. destruct (O v V) as [o [J T]]. exists o. split; [exact J |].
        apply (describes_same_law (dmap h (row x)) (dmap h (row y)) (dmap h (row v))); try apply E; try assumption.
        apply describes_renamed; assumption.
  - intros k o K J. destruct (Attained k o K J) as [x [y [v [[X [Y V]] T]]]]. exists x, y, v. split; [auto |].
    apply (describes_same_law (dmap h (row x)) (dmap h (row y)) (dmap h (row v))); try apply E; try assumption.
    apply describes_renamed; assumption.
Qed.

Section matrix.

Context {M : Type} (R : nat -> dist M) (d : nat) (l : list M) (W : nat -> M -> Q).
Hypothesis some : 0 < d.
Hypothesis once : NoDup l.
Hypothesis rows_proper : forall x, x < d -> proper (R x).
Hypothesis rows_covered : forall x, x < d -> covers l (R x).
Hypothesis rows_listed : forall x a, x < d -> In a l -> mass (R x) a = Q2R (W x a).

Let matrix := map (fun x => map (W x) l) (seq 0 d).

Lemma matrix_row x row : In (x, row) (numbered 0 matrix) <-> x < d /\ row = map (W x) l.
Proof.
  assert (N : forall x, x < d -> nth_error matrix x = Some (map (W x) l)).
  { intros z Z. unfold matrix. apply (map_nth_error (fun x => map (W x) l) z (seq 0 d)). rewrite (nth_error_nth' _ 0) by (rewrite seq_length; exact Z).
    rewrite seq_nth by exact Z. reflexivity. }
  split.
  - intros I. apply numbered_in in I. destruct I as [_ I]. rewrite Nat.sub_0_r in I.
    assert (X : x < d).
    { assert (L : nth_error matrix x <> None) by congruence. apply nth_error_Some in L. unfold matrix in L.
      rewrite map_length, seq_length in L. exact L. }
    split; [exact X |]. rewrite N in I by exact X. congruence.
  - intros [X ->]. apply (numbered_nth _ 0), N, X.
Qed.

Lemma matrix_kinds_right : kinds_right R d (kinds_of_matrix matrix).
Proof.
  set (fs := map W (seq 0 d)).
  assert (Rows : matrix = map (fun f => map f l) fs) by (unfold matrix, fs; rewrite map_map; reflexivity).
  destruct (least_row_spec l fs) as [g [G [Least Attained]]]; [unfold fs; destruct d; [lia | discriminate] |].
  rewrite <- Rows in G. set (c := listed l (fun a => Q2R (g a))).
  assert (Mc : forall a, In a l -> mass c a = Q2R (g a)) by (intros a I; exact (mass_listed l (fun a => Q2R (g a)) a once I)).
  assert (Cc : covers l c) by (intros wa I; apply in_map_iff in I; destruct I as [a [<- I]]; exact I).
  assert (Classes : forall x y h, classes_of_rows (map h l) (map (W x) l, map (W y) l) =
    map (fun a => (W x a, W y a, h a)) l)
    by (intros x y h; unfold classes_of_rows; cbn [fst snd]; rewrite !combine_maps; reflexivity).
  assert (Others : forall x y v, x < d -> y < d -> v < d ->
    describes (R x) (R y) (R v) (classes_of_rows (map (W v) l) (map (W x) l, map (W y) l))).
  { intros x y v X Y V. rewrite Classes. apply described_listed; auto. }
  split.
  - exists c. split.
    + intros v V. split.
      * intros wa I. apply in_map_iff in I. destruct I as [a [<- I]]. cbn [fst].
        destruct (Attained a) as [f [Fi ->]]. apply in_map_iff in Fi. destruct Fi as [z [<- Z0]]. apply in_seq in Z0.
        rewrite <- rows_listed by (lia || assumption). apply mass_nonneg, rows_proper. lia.
      * intros a. destruct (in_dec hockey_stick.same a l) as [I | I].
        -- rewrite (Mc a I), rows_listed by assumption. apply Least, in_map, in_seq. lia.
        -- unfold c. rewrite mass_not_listed by exact I. apply mass_nonneg, rows_proper, V.
    + intros x y X Y. assert (Here : forall y', y' < d -> x = y' \/ same_row (map (W x) l) (map (W y') l) = false ->
        In ({| of_blanket := classes_of_rows (least_row matrix) (map (W x) l, map (W y') l);
               of_others := map (fun row => classes_of_rows row (map (W x) l, map (W y') l)) matrix |}, Nat.eqb x y')
          (kinds_of_matrix matrix)).
      { intros y' Y' H. unfold kinds_of_matrix. apply in_map_iff. exists ((x, map (W x) l), (y', map (W y') l)).
        split; [reflexivity |]. apply filter_In. split.
        - apply in_prod; apply matrix_row; auto.
        - cbn [fst snd]. destruct H as [<- | H]; [rewrite Nat.eqb_refl; reflexivity | rewrite H; apply orb_true_r]. }
      assert (Say : forall y', y' < d -> same_law (R y') (R y) -> (x = y' -> same_law (R x) (R y)) ->
          x = y' \/ same_row (map (W x) l) (map (W y') l) = false ->
          exists k, In k (kinds_of_matrix matrix) /\ (snd k = true -> same_law (R x) (R y)) /\
          describes (R x) (R y) c (of_blanket (fst k)) /\
          forall v, v < d -> exists o, In o (of_others (fst k)) /\ describes (R x) (R y) (R v) o).
      { intros y' Y' S E H. eexists. split; [exact (Here y' Y' H) |]. cbn [fst snd of_blanket of_others].
        split; [intros T; apply Nat.eqb_eq in T; auto |]. split.
        - rewrite G, Classes. apply (describes_same_law (R x) (R y') c); try assumption; try (intros f; reflexivity).
          apply described_listed; auto.
        - intros v V. exists (classes_of_rows (map (W v) l) (map (W x) l, map (W y') l)). split.
          + apply (in_map (fun row => classes_of_rows row _)), (in_map (fun x => map (W x) l)), in_seq. lia.
          + apply (describes_same_law (R x) (R y') (R v)); try assumption; try (intros f; reflexivity). auto. }
      destruct (same_row (map (W x) l) (map (W y) l)) eqn:Same.
      * assert (S : same_law (R x) (R y)).
        { intros f. rewrite !(mean_masses _ l f) by (try assumption; apply rows_covered; assumption). apply total_ext.
          intros a I. rewrite !rows_listed by assumption. rewrite (same_row_maps _ _ _ Same a I). reflexivity. }
        apply (Say x X S); auto.
      * apply (Say y Y); auto; [intros f; reflexivity | intros ->; intros f; reflexivity].
  - intros k o K J. unfold kinds_of_matrix in K. apply in_map_iff in K.
    destruct K as [[[x rx] [y ry]] [<- I]]. apply filter_In in I. destruct I as [I _]. apply in_prod_iff in I.
    destruct I as [Ix Iy]. apply matrix_row in Ix, Iy. destruct Ix as [X ->], Iy as [Y ->]. cbn [fst snd of_others] in J.
    apply in_map_iff in J. destruct J as [row [<- J]]. unfold matrix in J. apply in_map_iff in J.
    destruct J as [v [<- J]]. apply in_seq in J. exists x, y, v. split; [lia | apply Others; lia].
Qed.

End matrix.

Open Scope R_scope.

Lemma family_kinds_right {M} (row : nat -> dist M) d s pair : (2 <= d)%nat ->
  of_blanket pair = family_classes s -> family_described row d s pair ->
  kinds_right row d [(pair, false); equal_kind s].
Proof.
  intros Two Blanket [Pr [c [Below [Each Attained]]]]. split.
  - exists c. split; [exact Below |]. intros x y X Y. destruct (Nat.eq_dec x y) as [<- | N].
    + exists (equal_kind s). split; [right; left; reflexivity |]. cbn [fst snd equal_kind of_blanket of_others].
      split; [intros _ f; reflexivity |].
      assert (Other : exists z, (z < d)%nat /\ x <> z)
        by (destruct x; [exists 1%nat | exists 0%nat]; lia).
      destruct Other as [z [Z Nz]]. destruct (Each x z X Z Nz) as [B [First _]]. split.
      * rewrite <- Blanket. exact (describes_equal _ _ _ _ B).
      * intros v V. destruct (Nat.eq_dec x v) as [<- | Nv].
        -- eexists. split; [left; reflexivity | exact (describes_equal _ _ _ _ First)].
        -- destruct (Each x v X V Nv) as [_ [_ [Second _]]].
           eexists. split; [right; left; reflexivity | exact (describes_equal _ _ _ _ Second)].
    + exists (pair, false). split; [left; reflexivity |]. cbn [fst snd]. split; [discriminate |].
      destruct (Each x y X Y N) as [B [_ [_ O]]]. split; [exact B | exact O].
  - destruct (Each 0%nat 1%nat ltac:(lia) ltac:(lia) ltac:(lia)) as [_ [First [Second _]]].
    intros k o [<- | [<- | []]] J; cbn [fst equal_kind of_others] in J.
    + destruct (Attained o J) as [v [V T]]. exists 0%nat, 1%nat, v. split; [lia | exact T].
    + destruct J as [<- | [<- | []]].
      * exists 0%nat, 0%nat, 0%nat. split; [lia | exact (describes_equal _ _ _ _ First)].
      * exists 0%nat, 0%nat, 1%nat. split; [lia | exact (describes_equal _ _ _ _ Second)].
Qed.

Lemma input_count_positive r : randomizer_posed r -> (0 < input_count r)%nat.
Proof.
  destruct r as [t | f]; intros P; [apply table_inputs, P |].
  destruct f; cbn [randomizer_posed family_posed input_count inputs_of] in *; lia.
Qed.

Lemma shown_alone {M} (show : list M -> answer) d (row : nat -> dist M) v : (v < Z.to_nat d)%nat ->
  same_law (dmap (fun m => seen (show [m])) (row v)) (dmap (fun u => seen (show u)) (on_inputs d row v)).
Proof.
  intros V f. unfold on_inputs, one_message. rewrite !mean_dmap. replace (Nat.min v (Z.to_nat d - 1)) with v by lia. reflexivity.
Qed.

Theorem kinds_are_right r : randomizer_posed r -> kinds_right (outcome r) (input_count r) (kinds_of r).
Proof.
  intros P. destruct r as [t | f].
  - assert (P' := ordered_posed t P). set (o := ordered_table t) in *.
    assert (L : length (rows o) = length (rows t)) by apply map_length.
    cbn [kinds_of input_count]. fold o. rewrite <- L. unfold matrix_of_table. rewrite (rows_by_place _ (rows o) []).
    apply (kinds_right_renamed Messages (row_in o)).
    + intros a b E. injection E. auto.
    + intros v V. exact (proj1 (proper_row_in o v P' V)).
    + intros v V f. unfold outcome. cbn [for_program seen]. rewrite !mean_dmap.
      rewrite <- (ordered_row t v (fun u => f (Messages u))). fold o. rewrite table_law_place by exact P'.
      replace (Nat.min v (length (rows o) - 1)) with v by lia. reflexivity.
    + apply matrix_kinds_right.
      * apply table_inputs, P'.
      * apply NoDup_nodup.
      * intros x Hx. apply proper_row_in; assumption.
      * intros x Hx wa I. apply in_map_iff in I. destruct I as [a [<- I]]. apply nodup_In.
        change (In (snd a) (map snd (concat (rows o)))). apply in_map, in_concat.
        exists (nth x (rows o) []). split; [apply nth_In, Hx | exact I].
      * intros x a _ _. apply mass_row.
  - assert (Listed : forall s, supports_of f = Some s ->
      kinds_right (outcome (Family f)) (input_count (Family f)) [(family_pair f s, false); equal_kind s]).
    { intros s S. assert (D := described_rows f s P S). cbn [input_count].
      assert (Two : (2 <= Z.to_nat (inputs_of f))%nat)
        by (destruct f; cbn [supports_of randomizer_posed family_posed inputs_of] in *; (lia || discriminate)).
      assert (Right : forall M (row : nat -> dist M) (show : list M -> answer),
        (forall a b, seen (show [a]) = seen (show [b]) -> a = b) ->
        family_described row (Z.to_nat (inputs_of f)) s (family_pair f s) ->
        (forall v, outcome (Family f) v = dmap (fun u => seen (show u)) (on_inputs (inputs_of f) row v)) ->
        kinds_right (outcome (Family f)) (Z.to_nat (inputs_of f)) [(family_pair f s, false); equal_kind s]).
      { intros M row show Inj Desc Is. apply (kinds_right_renamed (fun m => seen (show [m])) row); try assumption.
        - intros v V. exact (proj1 (proj1 Desc v V)).
        - intros v V. rewrite Is. apply shown_alone, V.
        - apply family_kinds_right; [exact Two | reflexivity | exact Desc]. }
      destruct f; cbn [for_program] in D; destruct D as [row [E D]];
        first [apply (Right _ row Messages) | apply (Right _ row Patterns) | apply (Right _ row Hashes)];
        try exact D; try (intros a b E'; injection E'; auto); intros v; unfold outcome; cbn [for_program]; rewrite E; reflexivity. }
    destruct f as [| | | | | top q]; try (cbn [kinds_of]; destruct (supports_of _) as [s |] eqn:S; [apply Listed; reflexivity | discriminate S]).
    cbn [kinds_of randomizer_posed family_posed input_count inputs_of] in *. destruct P as [T Hq].
    replace (Z.to_nat (top + 1)) with (S (Z.to_nat top)) by lia.
    apply (kinds_right_renamed (fun m => Messages [m]) (clipped_laplace (Z.to_nat top) (Q2R q))).
    + intros a b E. injection E. auto.
    + intros v V. exact (proj1 (clipped_rows.clipped_laplace_proper (Z.to_nat top) (Q2R q) v Hq ltac:(lia) ltac:(lia))).
    + intros v V. unfold outcome. cbn [for_program].
      apply (shown_alone Messages). lia.
    + apply matrix_kinds_right; try lia; try apply seq_NoDup.
      * intros x X. apply clipped_rows.clipped_laplace_proper; lia || assumption.
      * intros x X wa I. apply in_map_iff in I. destruct I as [y [<- I]]. exact I.
      * intros x y X I. rewrite laplace_listed by exact Hq.
        apply (mass_listed (seq 0 (S (Z.to_nat top))) (fun y => Q2R (laplace_probability (Z.to_nat top) q x y)) y);
          [apply seq_NoDup | exact I].
Qed.

(** ** All of them together *)

Local Notation independent := hockey_stick.independent.

Definition listed_kind (c : randomizer * nat * kind) : Prop := nth_error (kinds_of (fst (fst c))) (snd (fst c)) = Some (snd c).

Definition pushed (ab : answer * list answer) : list answer := fst ab :: snd ab.

Lemma pushed_once a b : pushed a = pushed b -> a = b.
Proof. destruct a, b. unfold pushed. simpl. congruence. Qed.

Lemma report_first r of x : same_law
  (dmap pushed (independent (outcome r (x mod input_count r)) (report of (x / input_count r)))) (report (r :: of) x).
Proof.
  intros f. cbn [report]. unfold independent. rewrite mean_dmap, !mean_bind. apply mean_ext. intros a.
  rewrite !mean_dmap. reflexivity.
Qed.

Lemma describes_report r of x y (D : dist answer) (D' : dist (list answer)) (D'' : dist (list answer)) a b :
  same_law (dmap pushed (independent D D')) D'' ->
  describes (outcome r (x mod input_count r)) (outcome r (y mod input_count r)) D a ->
  describes (report of (x / input_count r)) (report of (y / input_count r)) D' b ->
  describes (report (r :: of) x) (report (r :: of) y) D'' (products a b).
Proof.
  intros S H H'. eapply describes_same_law; [apply report_first | apply report_first | exact S |].
  apply describes_renamed; [apply pushed_once | apply describes_product; assumption].
Qed.

Lemma report_right of : (forall r, In r of -> randomizer_posed r) ->
  exists c, (forall x, lies_below c (report of x)) /\
    forall x y, exists ks, map key ks = of /\ Forall listed_kind ks /\
      (Forall (fun k => snd (snd k) = true) ks -> same_law (report of x) (report of y)) /\
      describes (report of x) (report of y) c (blanket_chosen ks) /\
      forall v, exists os, Forall2 (fun k o => In o (of_others (fst (snd k)))) ks os /\
        describes (report of x) (report of y) (report of v) (product_of os).
Proof.
  induction of as [| r of IH]; intros P.
  - assert (Alone : forall P Q D : dist (list answer), P = ret [] -> Q = ret [] -> D = ret [] -> describes P Q D (product_of [])).
    { intros P0 Q0 D0 -> -> ->. apply (described_on _ _ _ _ [[]]); try (intros wa [<- | []]; left; reflexivity).
      - constructor; [intros [] | constructor].
      - assert (One : mass (ret (@nil answer)) [] = 1).
        { unfold mass. rewrite Pr_ret. unfold indicator. destruct (hockey_stick.same [] []) as [_ | N]; [reflexivity | congruence]. }
        intros f F. cbn [total map product_of fold_right]. unfold masses_at, real_class. rewrite One.
        unfold under_first, under_second, under_reference. cbn [fst snd]. rewrite Q2R_1. reflexivity. }
    exists (ret []). split; [intros x; split; [exact (proj1 (proper_ret [])) | intros a; apply Rle_refl] |]. intros x y. exists [].
    split; [reflexivity |]. split; [constructor |]. split; [intros _ f; reflexivity |].
    split; [apply Alone; reflexivity |]. intros v. exists []. split; [constructor | apply Alone; reflexivity].
  - destruct IH as [c' [Below' Each']]; [intros s I; apply P; right; exact I |].
    assert (Pr := P r ltac:(left; reflexivity)). assert (Dr := input_count_positive r Pr).
    destruct (kinds_are_right r Pr) as [[c [Below Each]] _].
    assert (M : forall x, (x mod input_count r < input_count r)%nat) by (intros x; apply Nat.mod_upper_bound; lia).
    exists (dmap pushed (independent c c')). split.
    + intros x. assert (L := below_renamed pushed _ _ pushed_once
        (proj1 (proper_independent _ _ (proper_outcome r (x mod input_count r) Pr)
          (proper_report of (x / input_count r) (fun s I => P s (or_intror I)))))
        (product_below _ _ _ _ (Below _ (M x)) (Below' (x / input_count r)%nat))).
      destruct L as [S L]. split; [exact S |]. intros a. rewrite <- (same_mass _ _ a (report_first r of x)). apply L.
    + intros x y. destruct (Each _ _ (M x) (M y)) as [k [K [Same [B O]]]].
      destruct (Each' (x / input_count r)%nat (y / input_count r)%nat) as [ks [Keys [Listed [Same' [B' O']]]]].
      destruct (In_nth_error _ _ K) as [i Hi]. exists ((r, i, k) :: ks).
      split; [simpl; rewrite Keys; reflexivity |]. split; [constructor; [exact Hi | exact Listed] |]. split; [| split].
      * intros All. inversion_clear All as [| ? ? A1 A2]. intros f. rewrite <- (report_first r of x f), <- (report_first r of y f).
        unfold independent. rewrite !mean_dmap, !mean_bind. rewrite (Same A1). apply mean_ext. intros a.
        rewrite !mean_dmap. apply (Same' A2).
      * eapply describes_report; [intros f; reflexivity | exact B | exact B'].
      * intros v. destruct (O _ (M v)) as [o [Io To]]. destruct (O' (v / input_count r)%nat) as [os [Ios Tos]].
        exists (o :: os). split; [constructor; assumption |].
        eapply describes_report; [apply report_first | exact To | exact Tos].
Qed.

Theorem product_attained ks : forall os, (forall r, In r (map key ks) -> randomizer_posed r) -> Forall listed_kind ks ->
  Forall2 (fun k o => In o (of_others (fst (snd k)))) ks os ->
  exists x y v, (x < report_inputs (map key ks) /\ y < report_inputs (map key ks) /\ v < report_inputs (map key ks))%nat /\
    describes (report (map key ks) x) (report (map key ks) y) (report (map key ks) v) (product_of os).
Proof.
  induction ks as [| [[r i] k] ks IH]; intros os P L H; inversion H as [| ? o ? os' H1 H2]; subst.
  - exists 0%nat, 0%nat, 0%nat. split; [simpl; lia |]. destruct (report_right [] ltac:(intros r [])) as [c [_ E]].
    destruct (E 0%nat 0%nat) as [ks [K [_ [_ [_ O]]]]]. destruct (O 0%nat) as [os [Q D]].
    destruct ks; [| discriminate]. inversion Q. subst. exact D.
  - inversion L as [| ? ? L1 L2]. subst. cbn [map] in *. change (key (r, i, k)) with r in *.
    destruct (IH os' (fun s I => P s (or_intror I)) L2 H2) as [x [y [v [[X [Y V]] D]]]].
    assert (Pr := P r (or_introl eq_refl)). destruct (kinds_are_right r Pr) as [_ Attained].
    destruct (Attained k o (nth_error_In _ _ L1) H1) as [x0 [y0 [v0 [[X0 [Y0 V0]] D0]]]].
    set (d := input_count r) in *. set (D1 := report_inputs (map key ks)) in *.
    assert (Digit : forall a b, (a < d)%nat -> ((a + d * b) mod d = a /\ (a + d * b) / d = b)%nat).
    { intros a b A. rewrite (Nat.mul_comm d b), Nat.mod_add, Nat.div_add, Nat.mod_small, Nat.div_small by lia. lia. }
    assert (Less : forall a b, (a < d)%nat -> (b < D1)%nat -> (a + d * b < d * D1)%nat) by (intros; nia).
    exists (x0 + d * x)%nat, (y0 + d * y)%nat, (v0 + d * v)%nat. split; [auto |].
    destruct (Digit x0 x X0) as [Ex1 Ex2], (Digit y0 y Y0) as [Ey1 Ey2], (Digit v0 v V0) as [Ev1 Ev2].
    eapply (describes_report r (map key ks)); [apply report_first | |]; fold d; rewrite ?Ex1, ?Ey1, ?Ev1, ?Ex2, ?Ey2, ?Ev2; assumption.
Qed.

(** *** In one order *)

Lemma same_randomizer_is r s : same_randomizer r s = true <-> r = s.
Proof. unfold same_randomizer. destruct (randomizer_eq_dec r s); split; congruence. Qed.

Lemma same_kind_is a b : same_kind a b = true <-> a = b.
Proof.
  unfold same_kind. rewrite andb_true_iff, Nat.eqb_eq, same_randomizer_is. destruct a, b. simpl. split.
  - intros [-> ->]. reflexivity.
  - intros E. injection E as -> ->. auto.
Qed.

Definition rows_of_kind (ri : randomizer * nat) : list (list rational_class) :=
  match nth_error (kinds_of (fst ri)) (snd ri) with Some k => of_others (fst k) | None => [] end.

Lemma rows_chosen_by_key ks : Forall listed_kind ks ->
  rows_chosen ks = choices same_kind None (map (fun ri => (ri, rows_of_kind ri)) (map fst ks)).
Proof.
  intros L. unfold rows_chosen. f_equal. rewrite map_map. apply map_ext_in. intros c I. rewrite Forall_forall in L.
  unfold rows_of_kind. rewrite (L c I). reflexivity.
Qed.

Lemma chosen_in_order of ks : map key ks = of -> Forall listed_kind ks ->
  exists ks', Permutation ks ks' /\ Forall listed_kind ks' /\
    In ks' (choices same_randomizer None (map (fun r => (r, kinds_of r)) of)).
Proof.
  intros K L. destruct (in_one_order same_randomizer kinds_of same_randomizer_is ks) as [ks' [P [Q O]]].
  assert (L' : Forall listed_kind ks') by (rewrite <- P; exact L). exists ks'. split; [exact P |]. split; [exact L' |].
  rewrite <- K, <- Q. apply (choices_complete same_randomizer kinds_of); assumption.
Qed.

Lemma row_in_order ks ks' os : Permutation ks ks' -> Forall listed_kind ks' ->
  Forall2 (fun k o => In o (of_others (fst (snd k)))) ks os ->
  exists row, In row (rows_chosen ks') /\ Permutation os (map snd row).
Proof.
  intros P L H.
  assert (Ls : exists l, map fst l = ks /\ map snd l = os /\ Forall (fun ko => In (snd ko) (of_others (fst (snd (fst ko))))) l).
  { clear -H. induction H as [| k o ks os H _ [l [E1 [E2 A]]]]; [exists []; auto |]. exists ((k, o) :: l).
    simpl. rewrite E1, E2. auto. }
  destruct Ls as [l [E1 [E2 A]]]. rewrite <- E1 in P. apply Permutation_sym, Permutation_map_inv in P.
  destruct P as [l' [E P]]. assert (A' : Forall (fun ko => In (snd ko) (of_others (fst (snd (fst ko))))) l') by (rewrite <- P; exact A).
  assert (Ms : exists m : list (randomizer * nat * nat * list rational_class), map key m = map fst ks' /\
    map snd m = map snd l' /\ Forall (listed_there rows_of_kind) m).
  { rewrite E in L |- *. clear -L A'. induction l' as [| [c o] l IH]; [exists []; auto |].
    inversion L as [| ? ? L1 L2]. inversion A' as [| ? ? A1 A2]. subst. destruct (IH L2 A2) as [m [M1 [M2 M3]]].
    destruct (In_nth_error _ _ A1) as [j J]. exists ((fst c, j, o) :: m). split; [simpl; rewrite M1; reflexivity |].
    split; [simpl; rewrite M2; reflexivity |]. constructor; [| exact M3].
    unfold listed_there, rows_of_kind, key. cbn [fst snd]. cbn [map fst] in L1. rewrite L1. exact J. }
  destruct Ms as [m [M1 [M2 M3]]]. destruct (in_one_order same_kind rows_of_kind same_kind_is m) as [m' [Pm [Qm Om]]].
  exists m'. split.
  - rewrite (rows_chosen_by_key ks' L), <- M1, <- Qm. apply (choices_complete same_kind rows_of_kind); [| exact Om].
    rewrite <- Pm. exact M3.
  - rewrite <- E2, <- Pm, M2, P. reflexivity.
Qed.

Theorem product_right of : together_posed of -> pairs_right (report of) (report_inputs of) (product_pairs of).
Proof.
  intros [_ P]. split; [intros v _; apply proper_report, P |]. destruct (report_right of P) as [c [Below Each]].
  exists c. split; [intros v _; apply Below |]. intros x y _ _. destruct (Each x y) as [ks [K [L [Same [B O]]]]].
  destruct (chosen_in_order of ks K L) as [ks' [Pm [L' I]]].
  destruct (forallb (fun c => snd (snd c)) ks') eqn:All.
  { left. apply Same. rewrite Pm. rewrite forallb_forall in All. apply Forall_forall, All. }
  right. exists (pair_chosen ks').
  assert (B' : describes (report of x) (report of y) c (of_blanket (pair_chosen ks'))).
  { apply (alike_describes _ _ _ (blanket_chosen ks)); [| exact B]. apply in_any_order, Permutation_map, Pm. }
  split; [apply in_map, filter_In; rewrite All; auto |]. split; [apply (described_weight _ _ _ _ B') |].
  split; [apply described_tells; [exact (proj1 (Below x)) | exact B'] |].
  intros v _. destruct (O v) as [os [Q D]]. destruct (row_in_order ks ks' os Pm L' Q) as [row [R Pr]].
  exists (product_of (map snd row)). split; [apply (in_map (fun row => product_of (map snd row))), R |].
  apply described_tells; [exact (proj1 (proper_report of v P)) |].
  apply (alike_describes _ _ _ (product_of os)); [apply in_any_order, Pr | exact D].
Qed.

Theorem row_attained of ks row : together_posed of -> In ks (kinds_chosen of) -> In row (rows_chosen ks) ->
  exists x y v, (x < report_inputs of /\ y < report_inputs of /\ v < report_inputs of)%nat /\
    describes (report of x) (report of y) (report of v) (product_of (map snd row)).
Proof.
  intros [_ P] I J. apply filter_In in I. destruct I as [I _].
  apply (choices_listed same_randomizer kinds_of) in I. destruct I as [K L]. rewrite <- K in *.
  apply product_attained; [exact P | exact L |].
  rewrite (rows_chosen_by_key ks L) in J. apply (choices_listed same_kind rows_of_kind) in J. destruct J as [E V].
  clear -L V E. revert row V E. induction ks as [| c ks IH]; intros row V E; destruct row as [| m row]; try discriminate; [constructor |].
  inversion L as [| ? ? L1 L2]. inversion V as [| ? ? V1 V2]. subst. injection E as E1 E2. constructor; [| apply IH; assumption].
  unfold listed_there, rows_of_kind in V1. rewrite E1, L1 in V1. apply (nth_error_In _ _ V1).
Qed.

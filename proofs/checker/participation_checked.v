(** The kind shuffle_dp of users who may be away: [check_participation] accepts only what holds, or does not
    ([check_participation_sound]).

    Counted or hidden users of a table run a table, and those of a family of supports whose dummy is uniform the same
    family with another e^eps0 (but for unary encoding): what is proved, or refuted, of that one is so of them. Of other
    families, and beside uniform bits of unary encoding (told_kinds.v), the ordered pairs of inputs have classes of their own ([away_pairs]), and of users with a list of who takes part all have
    ([listed_pair]): a blanket or a swap bounds them, and a likelihood test tells them apart. For every number of users or all from it, any level, delta and witness.

    Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler single_message adding_a_user mean_excess hidden_message.
From Exactdp Require Import blanket classes least_values pair_bound absent_users supports homogeneous tilted_program
  unary_classes k_ary_classes hadamard_classes.
From ExactdpChecker Require Import blanket_checked.
From ExactdpChecker Require Import claims witnesses kinds levels blanket_program blanket_sound family_blanket family_rows.
From ExactdpChecker Require Import likelihood_checked at_most_one_message swap_checked closed_bracket_checked laplace_table.
From ExactdpChecker Require Import described_beside described_bounds told_most beside_kinds kinds_of_supports beside_kinds_checked
  absence_laws away_rows
  participation_rows hidden_uniformly fair_bits told_kinds likelihood_bound listed_users listed_checked shuffle_dp_checked.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

(** The randomizer that users run who may be away, where it is one of those that are known. *)
Definition as_one_randomizer (r : randomizer) (q : Q) (a : absence) : option randomizer :=
  match listed_randomizer r, a with
  | Table t, _ => option_map Table (taking_part t q a)
  | Family f, HiddenUniformly => option_map Family (hidden_family f q)
  | _, _ => None
  end.

Definition as_one_claim (c : claim) : claim :=
  match c with
  | ParticipationDP r q a n s l delta =>
      match as_one_randomizer r q a with
      | Some r' => ShuffleDP r' n s ReplaceOne l delta LeastNothing
      | None => c
      end
  | _ => c
  end.

(** The ordered pairs of inputs of a family, and what others may hold beside them; where numbers of ones are merged, with less
    than the masses of messages, or with classes that tell more. *)
Definition away_pairs (f : family) (q : Q) (a : absence) (less : bool) : option (list input_pair) :=
  match a, f, supports_of f with
  | Counted, _, Some s => Some [counted_pair q (family_pair f s)]
  | HiddenByInput _, _, Some s =>
      if is_free f then Some (hidden_pairs s q (pattern_mass f) (Z.to_nat (Z.min 4 (inputs_of f))))
      else option_map (kinds_pairs q) (family_beside f s a)
  | HiddenUniformly, UnaryEncoding _ _ _, _ => option_map (kinds_pairs q) (kinds_told less (Family f, a))
  | _, _, _ => None
  end.

Definition pairs_of_away (r : randomizer) (q : Q) (a : absence) (less : bool) : option (list input_pair) :=
  match a, r with
  | Listed, _ =>
      if posed.randomizer_is_posed (listed_randomizer r) then option_map (map (listed_pair q)) (pairs_of (listed_randomizer r))
      else None
  | _, Family f => away_pairs f q a less
  | _, Table _ => None
  end.

Definition blankets_are_below (pairs : list input_pair) (E : Q) (bits limit : nat) (n : positive) (delta : Q)
    (bounds : list (Q * Z)) : bool :=
  forallb (fun pair => masses_are_good (of_blanket pair)) pairs &&
  blanket_program.all_below (fun classes => least_values E classes) bits limit n delta (map of_blanket pairs) [] bounds.

(** The classes of the pair in one place beside the row in one place. *)
Definition classes_beside (pairs : list input_pair) (pair : option (Z * Z)) : option (list rational_class) :=
  match pair with
  | Some (i, j) =>
      match nth_error pairs (Z.to_nat i) with
      | Some beside => nth_error (of_others beside) (Z.to_nat j)
      | None => None
      end
  | None => None
  end.

(** A test refutes by the masses of messages, or by less than these where some numbers of ones are merged. *)
Definition check_pairs (pairs : list input_pair) (fewer : bool) (n : Z) (l : claims.level) (delta : Q) (proved : bool)
    (shown : witness) : bool :=
  match proved, shown with
  | true, ForAllDataSets (BySwap bits plans places []) p =>
      match ratio_below l p with
      | Some (X, Y) => swap_is_below pairs (Qred (X # Z.to_pos Y)) delta (Z.to_nat bits) (Z.to_nat n) plans places
      | None => false
      end
  | true, ForAllDataSets (ByBlanket bits limit bounds) p =>
      match ratio_below l p with
      | Some (X, Y) =>
          blankets_are_below pairs (Qred (X # Z.to_pos Y)) (Z.to_nat bits) (Z.to_nat limit) (Z.to_pos n) delta bounds
      | None => false
      end
  | false, Likelihood test p =>
      match ratio_above l p, classes_beside pairs (pair_tested test) with
      | Some (X, Y), Some classes =>
          (if fewer then test_exceeds_less else test_exceeds) test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta classes
      | _, _ => false
      end
  | _, _ => false
  end.

Definition absence_is_posed (r : randomizer) (a : absence) : bool :=
  match a, r with
  | HiddenUniformly, Table t => Nat.leb 1 (message_types t)
  | Hidden chances, Table _ | Hidden chances, Family (ClippedLaplace _ _) =>
      forallb posed.at_least_0 chances && posed.sums_to_1 chances
  | Hidden _, _ => false
  | HiddenByInput z, _ => (0 <=? z)%Z
  | _, _ => true
  end.

Definition check_participation (r : randomizer) (q : Q) (a : absence) (n : Z) (s : scope) (l : level) (delta : Q)
    (proved : bool) (shown : witness) : bool :=
  posed.randomizer_is_posed r && absence_is_posed r a && (posed.less 0 q && posed.less q 1) && (1 <=? n)%Z &&
  posed.level_is_posed l delta &&
  match as_one_randomizer r q a, pairs_of_away r q a (negb proved) with
  | Some r', _ => check_shuffle_dp r' n s ReplaceOne l delta LeastNothing proved shown
  | None, Some pairs =>
      (proved || (is_full (r, a) && match a with Listed => send_at_most_one r | _ => true end)) &&
      check_pairs pairs (tells_fewer (r, a)) n l delta proved shown
  | None, None => false
  end.

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_participation_program (r : randomizer) (q : Q) (a : absence) (proved : bool) (shown : witness) : bool :=
  match as_one_randomizer r q a, pairs_of_away r q a (negb proved) with
  | Some r', _ => has_shuffle_dp_program r' proved shown
  | None, Some _ => proved || is_full (r, a)
  | None, None => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma absence_is_posed_sound r a : absence_is_posed r a = true -> absence_posed r a.
Proof.
  assert (C : forall chances, (forallb posed.at_least_0 chances && posed.sums_to_1 chances)%bool = true ->
    (forall c, In c chances -> 0 <= c)%Q /\ (fold_right Qplus 0 chances == 1)%Q).
  { intros chances H. apply andb_true_iff in H. destruct H as [N S]. split; [| apply posed.sums_to_1_sound, S].
    rewrite forallb_forall in N. intros c I. specialize (N c I). unfold posed.at_least_0 in N. apply Z.leb_le in N.
    unfold Qle. simpl. lia. }
  destruct a, r as [t | []]; cbn [absence_is_posed absence_posed]; try discriminate; auto;
    try apply Nat.leb_le; try apply Z.leb_le.
Qed.

Lemma published_iff {M} (R : nat -> dist (list M)) n E delta : 0 < E ->
  private R ReplaceOne n E delta <-> published_dp (messages R) n E delta.
Proof.
  intros HE. unfold private, shuffle_dp, published_dp. rewrite exp_ln by exact HE. reflexivity.
Qed.

Lemma published_same_law {M} (V V' : list nat -> dist (list M)) n E delta :
  (forall xs, same_law (V xs) (V' xs)) -> published_dp V n E delta -> published_dp V' n E delta.
Proof.
  intros H D xs ys N L T S. specialize (D xs ys N L T S). unfold Pr in *. rewrite !H in D. exact D.
Qed.

Definition published {M} (V : list nat -> dist (list M)) (n : Z) (s : scope) (E delta : Rdefinitions.R) : Prop :=
  forall n', in_scope s (Z.to_nat n) n' -> published_dp V n' E delta.

Lemma published_holds {M} (R : nat -> dist (list M)) n s E delta : 0 < E ->
  shuffle_dp_holds R ReplaceOne (Z.to_nat n) s LeastNothing E delta <-> published (messages R) n s E delta.
Proof.
  intros HE. unfold shuffle_dp_holds, published, nothing_smaller.
  split; [intros [H _] k K | intros H; split; [intros k K | exact I]]; apply published_iff; auto.
Qed.

Lemma for_program_iff r (S1 S2 : forall M, (list M -> answer) -> (nat -> dist (list M)) -> Prop) :
  (forall M show R, S1 M show R <-> S2 M show R) -> (for_program r S1 <-> for_program r S2).
Proof. intros H. destruct r as [t | []]; apply H. Qed.

(** What is said of who may be away is what is said of this randomizer. *)
Theorem as_one_randomizer_sound r q a r' (S : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) :
  (forall M show (V V' : list nat -> dist (list M)), (forall xs, same_law (V xs) (V' xs)) -> S M show V -> S M show V') ->
  randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 -> as_one_randomizer r q a = Some r' ->
  for_program r' (fun M show R => S M show (messages R)) <-> for_absence r q a S.
Proof.
  intros Same Posed Ab Hq H.
  assert (Rows : forall t t', rows t <> [] -> taking_part t q a = Some t' ->
    (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) ->
    S nat Messages (messages (table_law t')) <->
    S nat Messages (messages (fun x => away (Q2R q) (table_law t x) (instead_law (message_types t) a)))).
  { intros t t' Some T N. assert (L := fun x => taking_part_law t q a t' x Some T N).
    split; apply Same; intros xs f; [| symmetry]; apply messages_same_law, L. }
  destruct r as [t | f]; cbn [as_one_randomizer listed_randomizer] in H.
  - destruct (taking_part t q a) as [t' |] eqn:T; [| discriminate]. injection H as <-. cbn [for_program].
    rewrite (Rows t t' (proj1 Posed) T).
    + destruct a; try discriminate; reflexivity.
    + intros chances ->. exact (proj1 Ab).
  - destruct f as [| | | | | top c].
    6: { unfold as_one_randomizer in H. cbn [listed_randomizer] in H.
      destruct (taking_part (laplace_table top c) q a) as [t' |] eqn:T; [| discriminate]. injection H as <-.
      assert (Some : rows (laplace_table top c) <> []) by (unfold laplace_table; cbn [rows seq map]; discriminate).
      cbn [for_program]. rewrite (Rows _ t' Some T).
      - rewrite laplace_table_law by exact Posed. cbn [message_types laplace_table].
        destruct a; try discriminate; reflexivity.
      - intros chances ->. exact (proj1 Ab). }
    all: unfold as_one_randomizer in H; cbn [listed_randomizer] in H; destruct a; try discriminate;
      match type of H with option_map Family ?h = _ => destruct h as [f' |] eqn:F; [| discriminate] end;
      injection H as <-; exact (proj2 (hidden_uniformly _ f' q S Posed Hq F Same)).
Qed.

Lemma as_one_published r q a r' n s E delta :
  randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 -> 0 < E -> as_one_randomizer r q a = Some r' ->
  for_program r' (fun _ _ R => shuffle_dp_holds R ReplaceOne (Z.to_nat n) s LeastNothing E delta) <->
  for_absence r q a (fun M _ V => published V n s E delta).
Proof.
  intros Posed Ab Hq HE H.
  rewrite (for_program_iff r' _ (fun M _ R => published (messages R) n s E delta))
    by (intros; apply published_holds, HE).
  apply (as_one_randomizer_sound r q a r' (fun M _ V => published V n s E delta)); try assumption.
  intros M show V V' L D k K. apply (published_same_law V V' k E delta L), D, K.
Qed.

(** ** Pairs *)

(** To prove, the classes bound what the rows show; to refute, each beside others is one of inputs that there are, or has
    less than the masses of one. *)
Definition rows_of {M} (V : list nat -> dist (list M)) (pairs : list input_pair) (fewer proved : bool) : Prop :=
  exists (row : nat -> dist (list M)) d, (0 < d)%nat /\ V = messages (fun x => row (Nat.min x (d - 1))) /\
    (forall v, (v < d)%nat -> proper (row v)) /\ (forall x, at_most_one (row x)) /\
    if proved then pairs_most row d pairs
    else forall pair, In pair pairs -> if fewer then others_less row d pair else others_attained row d pair.

Lemma exact_rows {M} (V : list nat -> dist (list M)) pairs (row : nat -> dist (list M)) d proved :
  (0 < d)%nat -> V = messages (fun x => row (Nat.min x (d - 1))) -> pairs_right row d pairs ->
  (proved = false -> forall pair, In pair pairs -> others_attained row d pair) -> (forall x, at_most_one (row x)) ->
  rows_of V pairs false proved.
Proof.
  intros D E Right At One. exists row, d. split; [exact D |]. split; [exact E |]. split; [exact (proj1 Right) |].
  split; [exact One |]. destruct proved; [apply right_is_most, Right | exact (At eq_refl)].
Qed.

Lemma one_if_sent {M} q (d : dist M) D : at_most_one D -> at_most_one (away q (sent d) D).
Proof.
  intros H wu I. apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as [wv [<- I]]; [| exact (H wv I)].
  unfold sent in I. rewrite each_renamed in I. apply in_map_iff in I. destruct I as [wm [<- _]]. simpl. lia.
Qed.

(** Where the dummy is what a user with one input sends. *)
Lemma hidden_rows {M} (row : nat -> dist M) d s masses q z proved : (2 <= Z.to_nat d)%nat -> 0 < Q2R q < 1 ->
  free_scheme row (Z.to_nat d) s masses ->
  rows_of (messages (fun x => away (Q2R q) (on_inputs d row x) (on_inputs d row z))) (hidden_pairs s q masses (Z.to_nat
    d)) false proved.
Proof.
  intros D Hq [u [supports [everyone [[U [HL Dens]] [Pr [Ev [Em Pat]]]]]]]. set (z' := Nat.min z (Z.to_nat d - 1)).
  set (lift := fun {B : Type} (none : B) (f : M -> B) (l : list M) => match l with [m] => f m | _ => none end).
  set (row' := fun x => sent (row x)). set (supports' := fun v => lift bool false (supports v)).
  assert (Sch : scheme row' (Z.to_nat d) (sent u) supports' (Q2R (high_density s)) (Q2R (low_density s))).
  { split; [intros wa I; unfold sent in I; rewrite each_renamed in I; apply in_map_iff in I; destruct I as [wb [<- I]];
      apply U, I |]. split; [exact HL |]. intros x X f. unfold row', sent. rewrite !mean_dmap. apply (Dens x X). }
  assert (Right := hidden_pairs_right row' (Z.to_nat d) (sent u) supports' s (lift bool false everyone) q z' masses Sch).
  assert (Attained := hidden_pairs_attained row' (Z.to_nat d) (sent u) supports' s q z' masses Sch).
  assert (Counts : forall inputs, NoDup inputs -> (forall v, In v inputs -> (v < Z.to_nat d)%nat) -> (length inputs <= 4)%nat ->
    counts (sent u) supports' inputs (masses (length inputs))).
  { intros inputs N I L. destruct (Pat inputs N I L) as [real [[W S] Same]]. exists real. split; [| exact Same].
    split; [exact W |]. intros f. unfold sent. rewrite mean_dmap. apply S. }
  assert (Z' : (z' < Z.to_nat d)%nat) by (unfold z'; lia).
  assert (Rp : forall v, (v < Z.to_nat d)%nat -> proper (row' v)) by (intros v V; apply proper_sent, Pr, V).
  apply (exact_rows _ _ (hidden_row row' q z') (Z.to_nat d)); [lia | reflexivity | | |].
  - apply Right; try assumption.
    + intros m Hm v V. destruct m as [| m [|]]; try discriminate. apply (Ev m Hm v V).
    + unfold sent. rewrite mean_dmap. exact Em.
  - intros _. apply Attained; assumption.
  - intros x. apply one_if_sent, one_of_sent.
Qed.

(** Where what is listed is right exactly. *)
Lemma exactly_told_rows {M} (V : list nat -> dist (list M)) (row : nat -> dist M) d U kinds full q proved :
  (0 < d)%nat -> 0 < Q2R q < 1 -> V = messages (fun x => away (Q2R q) (sent (row (Nat.min x (d - 1)))) (sent U)) ->
  (forall v, (v < d)%nat -> proper (row v)) -> proper U -> beside_right row d U kinds full -> (proved = false -> full = true) ->
  rows_of V (kinds_pairs q kinds) false proved.
Proof.
  intros D Hq E Pr Pu Right Full. exists (fun x => away (Q2R q) (sent (row x)) (sent U)), d. split; [exact D |].
  split; [exact E |]. split; [intros v V0; apply (mixed_proper U q Hq Pu), Pr, V0 |].
  split; [intros x; apply one_if_sent, one_of_sent |]. destruct proved.
  - apply kinds_pairs_most; try assumption. apply (exactly_told_right _ _ _ _ _ full describing_most); assumption.
  - intros pair I. exact (kinds_pairs_attained row d U kinds q Hq Pr Pu pair (proj2 Right (Full eq_refl)) I).
Qed.

(** Beside uniform bits of unary encoding. *)
Lemma uniform_rows d p c q pairs proved : family_posed (UnaryEncoding d p c) -> 0 < Q2R q < 1 ->
  option_map (kinds_pairs q) (kinds_told (negb proved) (Family (UnaryEncoding d p c), HiddenUniformly)) = Some pairs ->
  rows_of (messages (fun x => away (Q2R q) (on_inputs d (unary_encoding (Z.to_nat d) (Q2R p) (Q2R c)) x)
    (sent (uniform (bit_patterns (Z.to_nat d)))))) pairs (tells_fewer (Family (UnaryEncoding d p c), HiddenUniformly)) proved.
Proof.
  intros Posed Hq H. assert (Pd := Posed). destruct Posed as [D [C P]]. set (n := Z.to_nat d) in *.
  assert (Pu : proper (uniform (bit_patterns n))) by apply proper_uniform, some_patterns.
  unfold kinds_told, tells_fewer, fair_encoding in *. destruct (Qeq_bool c (1 # 2)) eqn:Half.
  - unfold kinds_beside in H. cbn [fst snd listed_randomizer] in H.
    destruct (supports_of (UnaryEncoding d p c)) as [s |] eqn:S; [| discriminate].
    assert (Me := family_measures (UnaryEncoding d p c) s Pd S eq_refl). cbn [for_program inputs_of] in Me.
    destruct Me as [row [u [E [Me Un]]]]. fold n in E, Me. rewrite E.
    unfold family_beside in H. cbn [is_free message_mass] in H. rewrite Half in H. cbn [option_map inputs_of] in H.
    injection H as <-. replace (Z.to_nat (Z.min 4 d)) with (Nat.min 4 n) by (unfold n; lia).
    assert (Pr : forall v, (v < n)%nat -> proper (row v)) by (destruct Me as [_ [_ [_ [Pr _]]]]; exact Pr).
    assert (Uniform : forall F, mean (uniform (bit_patterns n)) F = / Q2R 1 * mean u F).
    { destruct (Un 1%Q) as [unif [Mu Us]]; [cbn [message_mass]; rewrite Half; reflexivity |].
      intros F. rewrite <- Mu. specialize (Us (fun answer => match answer with Patterns [m] => F m | _ => 0 end)).
      cbn [uniform_message] in Us. rewrite !mean_dmap in Us. symmetry. exact Us. }
    assert (B := uniform_right u row n s _ Me ltac:(unfold n; lia) (uniform (bit_patterns n)) 1 true Uniform ltac:(rewrite Q2R_1; lra)).
    apply (exactly_told_rows _ row n _ _ true q proved) with (6 := B); try assumption; [unfold n; lia | reflexivity | auto].
  - set (row := unary_encoding n (Q2R p) (Q2R c)).
    assert (Pr : forall v, (v < n)%nat -> proper (row v)) by (intros v _; apply unary_proper; lra).
    exists (fun x => away (Q2R q) (sent (row x)) (sent (uniform (bit_patterns n)))), n.
    split; [unfold n; lia |]. split; [reflexivity |].
    split; [intros v V; apply (mixed_proper (uniform (bit_patterns n)) q Hq Pu), Pr, V |].
    split; [intros x; apply one_if_sent, one_of_sent |].
    rewrite fair_kinds_few in H. rewrite all_ones_few. injection H as <-. destruct proved; cbn [negb].
    + fold n. apply kinds_pairs_most; try assumption. apply fair_right; tauto || (unfold n; lia).
    + fold n. intros pair I. destruct (all_ones_told c n) eqn:All; cbn [negb].
      * apply (kinds_pairs_attained row n (uniform (bit_patterns n)) (fair_kinds p c n true) q Hq Pr Pu); [| exact I].
        refine (fair_attained p c n ltac:(unfold n; lia) (@describes_beside (list bool)) true _). intros.
        apply (exact_classes_told p c n (conj C P) ltac:(unfold n; lia) true); assumption.
      * apply (kinds_pairs_less row n (uniform (bit_patterns n)) (fair_kinds p c n true) q Hq); [| exact I].
        refine (fair_attained p c n ltac:(unfold n; lia) (@describes_less (list bool)) true _). intros.
        apply (classes_told p c n (conj C P) ltac:(unfold n; lia) true); assumption.
Qed.

Theorem away_pairs_right f q a pairs proved : family_posed f -> absence_posed (Family f) a -> 0 < Q2R q < 1 ->
  (proved = false -> is_full (Family f, a) = true) -> a <> Listed ->
  away_pairs f q a (negb proved) = Some pairs ->
  for_absence (Family f) q a (fun M _ V => rows_of V pairs (tells_fewer (Family f, a)) proved).
Proof.
  intros Posed Ab Hq Full Na H.
  assert (D : (2 <= Z.to_nat (inputs_of f))%nat) by (destruct f; cbn [family_posed inputs_of] in *; lia).
  destruct a as [| | | chances | z]; try (destruct f; discriminate); try congruence.
  - unfold away_pairs in H. destruct (supports_of f) as [s |] eqn:S; [| discriminate]. injection H as <-.
    assert (Rows := family_rows f s Posed S).
    destruct f; cbn [for_absence for_program] in *; destruct Rows as [row [-> [Right Att]]];
      (apply (exact_rows _ _ (counted_row row q) (Z.to_nat (inputs_of (ltac:(match goal with S : supports_of ?g = _ |- _ => exact g end)))));
      [lia | reflexivity | exact (counted_right row _ q Hq _ Right) |
        intros _ pair [<- | []]; exact (counted_attained row _ q Hq _ Att) |
         intros x; apply one_if_sent; intros wu [<- | []]; simpl; lia]).
  - destruct f as [| d p c | | | |]; try (simpl in H; discriminate); cbn [for_absence]. apply uniform_rows; assumption.
  - unfold away_pairs in H. destruct (supports_of f) as [s |] eqn:S; [| destruct f; discriminate].
    assert (H' : (if is_free f then Some (hidden_pairs s q (pattern_mass f) (Z.to_nat (Z.min 4 (inputs_of f))))
      else option_map (kinds_pairs q) (family_beside f s (HiddenByInput z))) = Some pairs)
      by (destruct f; exact H). clear H. destruct (is_free f) eqn:Free.
    2: { destruct f as [| | | d E0 | |]; try discriminate.
      destruct (family_beside (Hadamard d E0) s (HiddenByInput z)) as [kinds |] eqn:K; [| discriminate].
      injection H' as <-. cbn [inputs_of] in D. assert (E1 := proj2 Posed).
      assert (Pr : forall v, (v < Z.to_nat d)%nat -> proper (hadamard_response (Z.to_nat d) (Q2R E0) v))
        by (intros v V; apply hadamard_proper; lia || lra).
      apply (exactly_told_rows _ _ (Z.to_nat d) _ kinds _ q proved) with (6 := hadamard_kinds_right d E0 s _ kinds Posed S K);
        [lia | exact Hq | reflexivity | exact Pr | apply Pr; lia | exact Full]. }
    injection H' as <-.
    assert (Few : hidden_pairs s q (pattern_mass f) (Z.to_nat (Z.min 4 (inputs_of f))) =
      hidden_pairs s q (pattern_mass f) (Z.to_nat (inputs_of f))).
    { unfold hidden_pairs. replace (3 <=? Z.to_nat (Z.min 4 (inputs_of f)))%nat with (3 <=? Z.to_nat (inputs_of f))%nat.
      - apply map_ext_in. intros [i j] I. cbn [fst snd]. f_equal. f_equal. f_equal. apply in_app_or in I.
        destruct I as [I | I]; [destruct I as [K | [K | []]] | destruct (3 <=? _)%nat; [destruct I as [K | []] | destruct I]];
          injection K as <- <-; lia.
      - destruct (Nat.leb_spec 3 (Z.to_nat (inputs_of f))), (Nat.leb_spec 3 (Z.to_nat (Z.min 4 (inputs_of f)))); lia || reflexivity. }
    rewrite Few. clear Few. assert (Sch := family_schemes f s Posed S Free).
    destruct f; try discriminate; cbn [for_absence for_program] in *; destruct Sch as [row [-> Sch]];
      apply hidden_rows; assumption.
Qed.

Lemma pairs_blanketed {A} (row : nat -> dist A) d pairs E bits limit n delta bounds :
  pairs_most row d pairs -> blankets_are_below pairs E bits limit n delta bounds = true ->
  blanketed row d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros [Pr [c [L Each]]] H. apply andb_true_iff in H. destruct H as [Good H]. rewrite forallb_forall in Good.
  exists c. split; [auto |]. intros x y X Y.
  destruct (Each x y X Y) as [Same | [pair [I [_ [B _]]]]]; [left; exact Same | right].
  destruct (good_masses _ (Good pair I)) as [N S].
  eapply Rle_trans; [apply (hidden_most _ _ _ _ c (of_blanket pair)); try assumption |].
  - apply Pos2Nat.is_pos.
  - exact (proj1 (L x X)).
  - apply (weight_below c (row x)); auto.
  - apply proper_values; assumption.
  - apply bounded_class_bound; [exact N | exact S |].
    assert (A0 := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). rewrite Forall_forall in A0.
    apply A0, in_map, I.
Qed.

(** What all users send is private, or is not. *)
Lemma pairs_decide {M} (V : list nat -> dist (list M)) pairs fewer n s l delta proved shown :
  (1 <= n)%Z -> level_posed l delta -> rows_of V pairs fewer proved ->
  check_pairs pairs fewer n l delta proved shown = true ->
  if proved then published V n s (ratio l) (Q2R delta) else ~ published V n s (ratio l) (Q2R delta).
Proof.
  intros N [L1 L2] [row [d [D [-> [Pr [One Right]]]]]] H. assert (E0 : 0 < ratio l) by lra. unfold check_pairs in
    H.
  assert (More : private (fun x => row (Nat.min x (d - 1))) ReplaceOne (Z.to_nat n) (ratio l) (Q2R delta) ->
    published (messages (fun x => row (Nat.min x (d - 1)))) n s (ratio l) (Q2R delta)).
  { intros Dp k K. apply published_iff; [exact E0 |]. apply (adding_users (Z.to_nat n)); [destruct s; simpl in K; lia |
      | exact Dp].
    intros x. apply Pr, place_below, D. }
  destruct proved, shown; try discriminate.
  - destruct bound as [bits limit bounds | bits plans places [|] | |]; try discriminate;
      destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; try discriminate;
      destruct (ratio_below_sound l p X Y Ratio) as [R1 R2];
      assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l)
        by (rewrite Q2R_red; unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id by (apply lt_IZR; exact R1); exact R2);
      apply More.
    + apply (blanketed_dp row d (Pos.to_nat (Z.to_pos n)) (Z.to_nat n) (Q2R (Qred (X # Z.to_pos Y)))); try assumption;
        try apply L2.
      * rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia. lia.
      * apply (pairs_blanketed row d pairs _ _ _ _ _ _ Right H).
    + apply (bundles_private row d pairs _ _ _ _ _ _ _ Right D E L1 (proj1 L2) H).
  - destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (classes_beside pairs (pair_tested test)) as [classes |] eqn:C; [| discriminate].
    destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y)))
      by (rewrite Q2R_red; unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id by (apply lt_IZR; exact R1); exact R2).
    assert (Refuted : ~ shuffle_dp (Z.to_nat n) (fun x => one_message row (Nat.min x (d - 1))) (ln (ratio l)) (Q2R delta)).
    { unfold classes_beside in C. destruct (pair_tested test) as [[i j] |]; [| discriminate].
      destruct (nth_error pairs (Z.to_nat i)) as [pair |] eqn:Pi; [| discriminate].
      specialize (Right pair (nth_error_In _ _ Pi)). apply nth_error_In in C.
      assert (Nn : Z.to_nat n = Pos.to_nat (Z.to_pos n)) by (rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia; reflexivity).
      destruct fewer.
      - destruct (Right classes C) as [x [y [v [X0 [Y0 [V0 T]]]]]]. rewrite Nn.
        apply (not_private_if_less row d test classes _ _ _ delta x y v X0 Y0 V0 Pr (T _ _) (conj L1 E) H).
      - apply test_exceeds_true in H. rewrite <- Nn in H.
        destruct (Right classes C) as [x [y [v [X0 [Y0 [V0 T]]]]]].
        apply (not_private_if_told row d classes (Z.to_nat n) (ratio l) (Q2R (Qred (X # Z.to_pos Y)))); try assumption;
          [| lia | split; assumption].
        exists x, y, v. repeat (split; [assumption |]). exact T. }
    intros Hp. assert (Here : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia). apply Refuted.
    assert (Dp := proj2 (published_iff (fun x => row (Nat.min x (d - 1))) (Z.to_nat n) _ _ E0) (Hp _ Here)).
    intros xs ys Nb Ln T0 S0.
    apply (one_message_below (fun x => row (Nat.min x (d - 1))) xs ys _ _ ltac:(intros x; apply One)
      (neighbors_length _ _ Nb)); [| exact S0]. intros T1 S1. apply (Dp xs ys Nb Ln T1 S1).
Qed.

Lemma check_pairs_sound pairs fewer r q a n s l delta proved shown :
  randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 -> (1 <= n)%Z -> level_posed l delta ->
  for_absence r q a (fun M _ V => rows_of V pairs fewer proved) ->
  check_pairs pairs fewer n l delta proved shown = true ->
  sound (ParticipationDP r q a n s l delta) proved.
Proof.
  intros Posed Ab Hq N L Rows H. split; [repeat split; try assumption; apply Hq || apply L |].
  assert (Each := fun M V R => @pairs_decide M V pairs fewer n s l delta proved shown N L R H). cbn [holds]. destruct
    proved.
  - revert Rows. apply for_absence_imp. intros M show V R. apply (Each M V R).
  - intros Hold. revert Rows Hold Hold. apply from_absence. intros M show V R D _. exact (Each M V R D).
Qed.

(** Where it is published who takes part. *)
Lemma listed_decide {M} (R : nat -> dist (list M)) pairs (one : Prop) q n s l delta proved shown :
  let V := fun xs => messages (with_name q R) (numbered xs) in
  0 < Q2R q < 1 -> (1 <= n)%Z -> level_posed l delta -> (proved = false -> one) -> rows_beside R pairs one ->
  check_pairs (map (listed_pair q) pairs) false n l delta proved shown = true ->
  if proved then published V n s (ratio l) (Q2R delta) else ~ published V n s (ratio l) (Q2R delta).
Proof.
  intros V.
  intros Hq N [L1 L2] One [row [d [D [Same [Right [Att Ones]]]]]] H. assert (E0 : 0 < ratio l) by lra. unfold
    check_pairs in H.
  set (program := fun x => row (Nat.min x (d - 1))).
  assert (Back : forall x, alike (R x) (program x)) by (intros x f O; symmetry; apply (Same x f O)).
  assert (Pr : forall x, proper (program x)) by (intros x; apply (proj1 Right), place_below, D).
  destruct proved, shown; try discriminate.
  - assert (More : published_dp (fun xs => messages (with_name q program) (numbered xs)) (Z.to_nat n) (ratio l) (Q2R
      delta) ->
      published V n s (ratio l) (Q2R delta)).
    { intros Dp k K. apply (published_alike q program R); [exact Same |].
      apply (listed_from q program _ _ Hq Pr (Z.to_nat n)); [destruct s; simpl in K; lia | exact Dp]. }
    destruct bound as [bits limit bounds | bits plans places [|] | |]; try discriminate;
      destruct (ratio_below l p) as [[X Y] |] eqn:Ratio; try discriminate;
      destruct (ratio_below_sound l p X Y Ratio) as [R1 R2];
      assert (E : Q2R (Qred (X # Z.to_pos Y)) <= ratio l)
        by (rewrite Q2R_red; unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id by (apply lt_IZR; exact R1); exact R2);
      apply More, (published_if_drawn row d q pairs Hq D Right (Z.to_nat n) _ (ratio l) (Q2R delta) E L1 (proj1 L2));
      intros x y others g X0 Y0 Lo;
      destruct (listed_right row d q pairs Hq D Right x y others X0 Y0) as
        [Eq | [pair [c [I [Sub [Most [W [B [Rows' Told]]]]]]]]]; [left; exact Eq | right; intros O G | left; exact Eq |
          right; intros O G].
    + apply andb_true_iff in H. destruct H as [Good H]. rewrite forallb_forall in Good. destruct (good_masses _ (Good
        pair I)) as [Nn S1].
      eapply Rle_trans; [apply (blanket_of_laws _ _ c); assumption |]. rewrite map_length, Lo, (tells_bounds _ _ _ _ B).
      replace (Z.to_nat n) with (Pos.to_nat (Z.to_pos n)) by (rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia; reflexivity).
      apply bounded_class_bound; [exact Nn | exact S1 |].
      assert (A0 := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). rewrite Forall_forall in A0. apply A0, in_map, I.
    + destruct (pairs_below_sound _ _ _ _ _ H pair I) as [r0 [J Bl]]. apply in_map_iff in J. destruct J as [s0 [<- _]].
      apply (pair_views_below _ _ c _ _ pair _ _ s0 Bl Sub Most (tells_is_most _ _ _ _ B)); try assumption;
        [rewrite map_length; exact Lo |].
      intros row0 I0. destruct (Told row0 I0) as [classes [J0 T0]]. exists classes. split; [exact J0 | apply tells_is_most, T0].
  - destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
    destruct (classes_beside (map (listed_pair q) pairs) (pair_tested test)) as [classes |] eqn:C; [| discriminate].
    destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
    assert (E : ratio l <= Q2R (Qred (X # Z.to_pos Y)))
      by (rewrite Q2R_red; unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id by (apply lt_IZR; exact R1); exact R2).
    apply test_exceeds_true in H. rewrite <- Z2Nat.inj_pos, Z2Pos.id in H by lia.
    unfold classes_beside in C. destruct (pair_tested test) as [[i j] |]; [| discriminate].
    destruct (nth_error (map (listed_pair q) pairs) (Z.to_nat i)) as [pair' |] eqn:Pi; [| discriminate].
    apply nth_error_In, in_map_iff in Pi. destruct Pi as [pair [<- Pi]]. apply nth_error_In, in_map_iff in C.
    destruct C as [base [<- C]]. destruct (Att pair Pi base C) as [x [y [v [X0 [Y0 [V0 T]]]]]].
    intros Hp. assert (Here : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia). specialize (Hp _ Here).
    apply (published_alike q R program _ _ _ Back) in Hp.
    assert (Sm : forall z, (z < d)%nat -> program z = row z) by (intros z Z0; unfold program; f_equal; lia).
    rewrite <- (Sm x X0), <- (Sm y Y0), <- (Sm v V0) in T.
    assert (Nj : Z.to_nat n = S (Z.to_nat n - 1)) by lia. rewrite Nj in Hp, H.
    assert (Prog : forall zs, proper (messages (with_name q program) (numbered zs)))
      by (intros zs; apply proper_messages; intros [k z]; apply proper_away; [lra | apply proper_dmap, Pr | apply proper_ret]).
    assert (Bound := listed_refuted program q Hq x y v (Z.to_nat n - 1) (Q2R (Qred (X # Z.to_pos Y))) (Q2R delta) base (Pr v)
      (Ones (One eq_refl)) T). rewrite and_away_bound in Bound.
    match type of Bound with ?D -> _ => assert (Below : D) end.
    { intros T0 S0. assert (Hq0 := Hp (x :: repeat v (Z.to_nat n - 1)) (y :: repeat v (Z.to_nat n - 1)) (replace_one [] x y _)
        ltac:(simpl; rewrite repeat_length; reflexivity) T0 S0). cbv beta in Hq0.
      assert (B := proj1 (Pr_bounds _ T0 (Prog (y :: repeat v (Z.to_nat n - 1))))). nra. }
    specialize (Bound Below). match type of Bound with _ + ?m <= _ => assert (0 <= m) by apply Rmax_l end. lra.
Qed.

Lemma check_listed_sound pairs r q n s l delta proved shown :
  randomizer_posed r -> randomizer_posed (listed_randomizer r) -> 0 < Q2R q < 1 -> (1 <= n)%Z -> level_posed l delta ->
  pairs_of (listed_randomizer r) = Some pairs -> (proved = false -> send_at_most_one r = true) ->
  check_pairs (map (listed_pair q) pairs) false n l delta proved shown = true -> sound (ParticipationDP r q Listed n s l delta) proved.
Proof.
  intros Posed Of_list Hq N L Pairs One H. split; [repeat split; try assumption; apply Hq || apply L |].
  assert (Rows := all_rows_beside r pairs Posed Of_list Pairs).
  assert (Each := fun M R B => @listed_decide M R pairs _ q n s l delta proved shown Hq N L One B H).
  cbn [holds for_absence]. destruct proved.
  - revert Rows. destruct r as [t | []]; cbn [for_program]; apply Each.
  - intros Hold. revert Rows Hold. destruct r as [t | []]; cbn [for_program]; intros Rows Hold; exact (Each _ _ Rows Hold).
Qed.

Theorem check_participation_sound r q a n s l delta proved shown :
  check_participation r q a n s l delta proved shown = true -> sound (ParticipationDP r q a n s l delta) proved.
Proof.
  unfold check_participation. rewrite !andb_true_iff. intros [[[[[P A] [Q0 Q1]] N] L] H].
  apply posed.randomizer_is_posed_sound in P. apply absence_is_posed_sound in A. apply posed.less_sound in Q0, Q1.
  rewrite Q2R_0 in Q0. rewrite Q2R_1 in Q1. apply Z.leb_le in N. apply posed.level_is_posed_sound in L.
  assert (E0 : 0 < ratio l) by (destruct L; lra).
  destruct (as_one_randomizer r q a) as [r' |] eqn:One.
  - apply check_shuffle_dp_sound in H. destruct H as [_ H]. split; [repeat split; assumption || apply L |]. cbn [holds] in *.
    assert (Same := as_one_published r q a r' n s (ratio l) (Q2R delta) P A (conj Q0 Q1) E0 One).
    destruct proved; [exact (proj1 Same H) | intros K; exact (H (proj2 Same K))].
  - destruct (pairs_of_away r q a (negb proved)) as [pairs |] eqn:Pairs; [| discriminate]. apply andb_true_iff in H. destruct
      H as [Ones H].
    assert (Family_alone : a <> Listed -> sound (ParticipationDP r q a n s l delta) proved).
    { intros Na. destruct r as [t | f]; [destruct a; discriminate || congruence |].
      assert (Pairs' : away_pairs f q a (negb proved) = Some pairs) by (destruct a; exact Pairs || congruence).
      apply (check_pairs_sound pairs (tells_fewer (Family f, a)) _ q a n s l delta proved shown P A (conj Q0 Q1) N L); [| exact H].
      apply away_pairs_right; auto. intros ->. cbn [orb] in Ones. apply andb_true_iff in Ones. apply Ones. }
    destruct a; try (apply Family_alone; discriminate). clear Family_alone. unfold pairs_of_away in Pairs.
    assert (All : tells_fewer (r, Listed) = false) by (destruct r as [| []]; reflexivity). rewrite All in H.
    destruct (posed.randomizer_is_posed (listed_randomizer r)) eqn:Li; [| discriminate].
    apply posed.randomizer_is_posed_sound in Li. destruct (pairs_of (listed_randomizer r)) as [base |] eqn:Base; [| discriminate].
    injection Pairs as <-. apply (check_listed_sound base r q n s l delta proved shown); auto.
    intros ->. cbn [orb] in Ones. apply andb_true_iff in Ones. apply Ones.
Qed.

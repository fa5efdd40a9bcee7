(** The kind shuffle_dp of users who may be away: [check_participation] accepts only what holds, or does not
    ([check_participation_sound]).

    Counted or hidden users of a table run a table, and those of a family of supports whose dummy is uniform the same
    family with another e^eps0 (but for unary encoding): what is proved, or refuted, of that one is so of them. Of other
    families the ordered pairs of inputs have classes of their own ([away_pairs]), and of users with a list of who takes part all have
    ([listed_pair]): a blanket or a swap bounds them, and a likelihood test tells them apart. For every number of users or all from it, any level, delta and witness.

    Source: docs/certificates.md, "By the swap bound". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler single_message adding_a_user mean_excess hidden_message.
From Exactdp Require Import blanket classes least_values pair_bound absent_users supports homogeneous tilted_program.
From ExactdpChecker Require Import blanket_checked.
From ExactdpChecker Require Import claims witnesses kinds levels blanket_program blanket_sound family_blanket family_rows.
From ExactdpChecker Require Import likelihood_checked at_most_one_message swap_checked closed_bracket_checked laplace_table.
From ExactdpChecker Require Import described_beside beside_kinds filled_absences absence_laws away_rows
  participation_rows hidden_uniformly fair_bits listed_users listed_checked shuffle_dp_checked.
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

(** So many bits: all numbers of ones are told. *)
Definition tells_all_ones (d : Z) (c : Q) : bool :=
  (d <=? 256)%Z && (d * bit_length (Zpos (Qden c)) <=? split_bits)%Z.

(** Of more bits the dummies are told apart from what users send, where a bound is asked for. *)
Definition most_fair_bits : Z := 16387.

Definition tells_who_sends (r : randomizer) (a : absence) : bool :=
  match a, r with
  | HiddenUniformly, Family (UnaryEncoding d _ c) => (most_fair_bits <? d)%Z && negb (Qeq_bool c (1 # 2))
  | _, _ => false
  end.

(** The ordered pairs of inputs of a family, and what others may hold beside them. *)
Definition away_pairs (f : family) (q : Q) (a : absence) : option (list input_pair) :=
  match a, f, supports_of f with
  | Counted, _, Some s => Some [counted_pair q (family_pair f s)]
  | HiddenByInput _, _, Some s =>
      if is_free f then Some (hidden_pairs s q (pattern_mass f) (Z.to_nat (Z.min 4 (inputs_of f))))
      else option_map (kinds_pairs q) (family_beside f s a)
  | HiddenUniformly, UnaryEncoding d p c, _ =>
      if tells_all_ones d c then Some [fair_pair p c q (Z.to_nat d)] else None
  | _, _, _ => None
  end.

Definition pairs_of_away (r : randomizer) (q : Q) (a : absence) : option (list input_pair) :=
  match a, r with
  | Listed, _ =>
      if posed.randomizer_is_posed (listed_randomizer r) then option_map (map (listed_pair q)) (pairs_of (listed_randomizer r))
      else None
  | _, Family f => away_pairs f q a
  | _, Table _ => None
  end.

(** The pairs whose classes bound those of users who may be away. *)
Definition bounding_pairs (r : randomizer) (q : Q) (a : absence) (proved : bool) : option (list input_pair) :=
  if proved && tells_who_sends r a then pairs_of_away r q Counted else pairs_of_away r q a.

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

Definition check_pairs (pairs : list input_pair) (n : Z) (l : claims.level) (delta : Q) (proved : bool) (shown : witness) : bool :=
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
      | Some (X, Y), Some classes => test_exceeds test (Qred (X # Z.to_pos Y)) (Z.to_pos n) delta classes
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
  match as_one_randomizer r q a, bounding_pairs r q a proved with
  | Some r', _ => check_shuffle_dp r' n s ReplaceOne l delta LeastNothing proved shown
  | None, Some pairs =>
      (proved || (is_full (r, a) && match a with Listed => send_at_most_one r | _ => true end)) && check_pairs pairs n
        l delta proved shown
  | None, None => false
  end.

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_participation_program (r : randomizer) (q : Q) (a : absence) (proved : bool) (shown : witness) : bool :=
  match as_one_randomizer r q a, bounding_pairs r q a proved with
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

(** Each of the classes beside others is one of inputs that there are, if [full]. *)
Definition rows_of {M} (V : list nat -> dist (list M)) (pairs : list input_pair) (full : bool) : Prop :=
  exists (row : nat -> dist (list M)) d, (0 < d)%nat /\ V = messages (fun x => row (Nat.min x (d - 1))) /\
    pairs_right row d pairs /\ (full = true -> forall pair, In pair pairs -> others_attained row d pair) /\
    forall x, at_most_one (row x).

Lemma one_if_sent {M} q (d : dist M) D : at_most_one D -> at_most_one (away q (sent d) D).
Proof.
  intros H wu I. apply in_app_or in I. destruct I as [I | I]; apply in_map_iff in I; destruct I as [wv [<- I]]; [| exact (H wv I)].
  unfold sent in I. rewrite each_renamed in I. apply in_map_iff in I. destruct I as [wm [<- _]]. simpl. lia.
Qed.

(** Where the dummy is what a user with one input sends. *)
Lemma hidden_rows {M} (row : nat -> dist M) d s masses q z : (2 <= Z.to_nat d)%nat -> 0 < Q2R q < 1 ->
  free_scheme row (Z.to_nat d) s masses ->
  rows_of (messages (fun x => away (Q2R q) (on_inputs d row x) (on_inputs d row z))) (hidden_pairs s q masses (Z.to_nat
    d)) true.
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
  exists (hidden_row row' q z'), (Z.to_nat d). split; [lia |]. split; [reflexivity |].
  assert (Rp : forall v, (v < Z.to_nat d)%nat -> proper (row' v)) by (intros v V; apply proper_sent, Pr, V).
  split; [| split].
  - apply Right; try assumption.
    + intros m Hm v V. destruct m as [| m [|]]; try discriminate. apply (Ev m Hm v V).
    + unfold sent. rewrite mean_dmap. exact Em.
  - intros _. apply Attained; assumption.
  - intros x. apply one_if_sent, one_of_sent.
Qed.

Theorem away_pairs_right f q a pairs : family_posed f -> absence_posed (Family f) a -> 0 < Q2R q < 1 ->
  away_pairs f q a = Some pairs -> for_absence (Family f) q a (fun M _ V => rows_of V pairs (is_full (Family f, a))).
Proof.
  intros Posed Ab Hq H.
  assert (D : (2 <= Z.to_nat (inputs_of f))%nat) by (destruct f; cbn [family_posed inputs_of] in *; lia).
  destruct a as [| | | chances | z]; try (destruct f; discriminate).
  - unfold away_pairs in H. destruct (supports_of f) as [s |] eqn:S; [| discriminate]. injection H as <-.
    assert (Rows := family_rows f s Posed S).
    destruct f; cbn [for_absence for_program] in *; destruct Rows as [row [-> [Right Att]]];
      exists (counted_row row q), (Z.to_nat (inputs_of (ltac:(match goal with S : supports_of ?g = _ |- _ => exact g end))));
      (split; [lia |]; split; [reflexivity |]; split; [exact (counted_right row _ q Hq _ Right) |]; split;
        [intros _ pair [<- | []]; exact (counted_attained row _ q Hq _ Att) |
         intros x; apply one_if_sent; intros wu [<- | []]; simpl; lia]).
  - destruct f as [| d p c | | | |]; try (simpl in H; discriminate); cbn [away_pairs supports_of for_absence family_posed inputs_of] in *.
    destruct (tells_all_ones d c); [| discriminate]. injection H as <-.
    exists (fair_row p c q (Z.to_nat d)), (Z.to_nat d). destruct Posed as [D2 [C P]]. split; [lia |]. split; [reflexivity |].
    split; [apply fair_right; tauto || lia |]. split; [intros _ pair [<- | []]; apply fair_attained; tauto || lia |].
    intros x. apply one_if_sent, one_of_sent.
  - unfold away_pairs in H. destruct (supports_of f) as [s |] eqn:S; [| destruct f; discriminate].
    assert (H' : (if is_free f then Some (hidden_pairs s q (pattern_mass f) (Z.to_nat (Z.min 4 (inputs_of f))))
      else option_map (kinds_pairs q) (family_beside f s (HiddenByInput z))) = Some pairs)
      by (destruct f; exact H). clear H. destruct (is_free f) eqn:Free.
    2: { destruct f as [| | | d E0 | |]; try discriminate.
      assert (R := hadamard_pairs_right d E0 s z q pairs Posed Hq S H').
      cbn [for_absence for_program]. eexists _, (Z.to_nat d). split; [exact (Nat.lt_le_trans _ _ _
        Nat.lt_0_2 D) |].
      split; [| split; [exact (proj1 R) | split; [exact (proj2 R) |]]]; [reflexivity |].
      intros x. apply one_if_sent, one_of_sent. }
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
  pairs_right row d pairs -> blankets_are_below pairs E bits limit n delta bounds = true ->
  blanketed row d (Pos.to_nat n) (Q2R E) (Q2R delta).
Proof.
  intros [Pr [c [L Each]]] H. apply andb_true_iff in H. destruct H as [Good H]. rewrite forallb_forall in Good.
  exists c. split; [auto |]. intros x y X Y.
  destruct (Each x y X Y) as [Same | [pair [I [_ [B _]]]]]; [left; exact Same | right].
  rewrite (tells_bounds _ _ _ _ B). destruct (good_masses _ (Good pair I)) as [N S].
  apply bounded_class_bound; [exact N | exact S |].
  assert (A0 := all_below_sound _ _ _ _ _ _ _ _ H (Forall_nil _)). rewrite Forall_forall in A0.
  apply A0, in_map, I.
Qed.

(** What all users send is private, or is not. *)
Lemma pairs_decide {M} (V : list nat -> dist (list M)) pairs full n s l delta proved shown :
  (1 <= n)%Z -> level_posed l delta -> (proved = false -> full = true) -> rows_of V pairs full -> check_pairs pairs n l
    delta proved shown = true ->
  if proved then published V n s (ratio l) (Q2R delta) else ~ published V n s (ratio l) (Q2R delta).
Proof.
  intros N [L1 L2] Full [row [d [D [-> [Right [Att One]]]]]] H. assert (E0 : 0 < ratio l) by lra. unfold check_pairs in
    H.
  assert (More : private (fun x => row (Nat.min x (d - 1))) ReplaceOne (Z.to_nat n) (ratio l) (Q2R delta) ->
    published (messages (fun x => row (Nat.min x (d - 1)))) n s (ratio l) (Q2R delta)).
  { intros Dp k K. apply published_iff; [exact E0 |]. apply (adding_users (Z.to_nat n)); [destruct s; simpl in K; lia |
      | exact Dp].
    intros x. apply (proj1 Right), place_below, D. }
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
    apply test_exceeds_true in H. rewrite <- Z2Nat.inj_pos, Z2Pos.id in H by lia.
    assert (T : told row d classes).
    { unfold classes_beside in C. destruct (pair_tested test) as [[i j] |]; [| discriminate].
      destruct (nth_error pairs (Z.to_nat i)) as [pair |] eqn:Pi; [| discriminate].
      destruct (Att (Full eq_refl) pair (nth_error_In _ _ Pi) classes (nth_error_In _ _ C)) as [x [y [v [X0 [Y0 [V0
        T]]]]]].
      exists x, y, v. repeat (split; [assumption |]). split; [apply Right | exact T]. }
    intros Hp. assert (Here : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia).
    apply (not_private_if_told row d classes (Z.to_nat n) (ratio l) _ _ T ltac:(lia) (conj L1 E) H).
    assert (Dp := proj2 (published_iff (fun x => row (Nat.min x (d - 1))) (Z.to_nat n) _ _ E0) (Hp _ Here)).
    intros xs ys Nb Ln T0 S0.
    apply (one_message_below (fun x => row (Nat.min x (d - 1))) xs ys _ _ ltac:(intros x; apply One)
      (neighbors_length _ _ Nb)); [| exact S0]. intros T1 S1. apply (Dp xs ys Nb Ln T1 S1).
Qed.

Lemma check_pairs_sound pairs r q a n s l delta proved shown :
  randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 -> (1 <= n)%Z -> level_posed l delta ->
  (proved = false -> is_full (r, a) = true) ->
  for_absence r q a (fun M _ V => rows_of V pairs (is_full (r, a))) -> check_pairs pairs n l delta proved shown = true
    ->
  sound (ParticipationDP r q a n s l delta) proved.
Proof.
  intros Posed Ab Hq N L Full Rows H. split; [repeat split; try assumption; apply Hq || apply L |].
  assert (Each := fun M V R => @pairs_decide M V pairs _ n s l delta proved shown N L Full R H). cbn [holds]. destruct
    proved.
  - revert Rows. apply for_absence_imp. intros M show V R. apply (Each M V R).
  - intros Hold. revert Rows Hold Hold. apply from_absence. intros M show V R D _. exact (Each M V R D).
Qed.

(** Where it is published who takes part. *)
Lemma listed_decide {M} (R : nat -> dist (list M)) pairs (one : Prop) q n s l delta proved shown :
  let V := fun xs => messages (with_name q R) (numbered xs) in
  0 < Q2R q < 1 -> (1 <= n)%Z -> level_posed l delta -> (proved = false -> one) -> rows_beside R pairs one ->
  check_pairs (map (listed_pair q) pairs) n l delta proved shown = true ->
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
      apply (pair_views_below _ _ c _ _ pair _ _ s0 Bl Sub Most B); try assumption. rewrite map_length. exact Lo.
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
  check_pairs (map (listed_pair q) pairs) n l delta proved shown = true -> sound (ParticipationDP r q Listed n s l delta) proved.
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
  - destruct (bounding_pairs r q a proved) as [pairs |] eqn:Pairs; [| discriminate]. apply andb_true_iff in H. destruct
      H as [Ones H].
    unfold bounding_pairs in Pairs. destruct (proved && tells_who_sends r a)%bool eqn:Many.
    { apply andb_true_iff in Many. destruct Many as [-> Many]. destruct a; try discriminate Many. destruct r as [t |
        []]; try discriminate Many.
      cbn [pairs_of_away] in Pairs. assert (Rows := away_pairs_right _ q Counted pairs P I (conj Q0 Q1) Pairs).
      cbn [for_absence for_program] in Rows.
      assert (D := pairs_decide _ pairs _ n s l delta true shown N L (fun K => False_ind _ (diff_true_false K)) Rows
        H). cbv iota in D.
      split; [exact (conj (conj (conj P (conj A (conj Q0 Q1))) N) L) |]. cbn [holds for_absence]. intros k K.
      apply (filled_private (fun x => unary_classes.unary_encoding (Z.to_nat inputs) (Q2R one) (Q2R other) (Nat.min x
        (Z.to_nat inputs - 1))) (Q2R q));
        [apply proper_sent, proper_uniform, some_patterns | exact (D k K)]. }
    assert (Family_alone : a <> Listed -> sound (ParticipationDP r q a n s l delta) proved).
    { intros Na. destruct r as [t | f]; [destruct a; discriminate || congruence |].
      assert (Pairs' : away_pairs f q a = Some pairs) by (destruct a; exact Pairs || congruence).
      apply (check_pairs_sound pairs _ q a n s l delta proved shown P A (conj Q0 Q1) N L); [| | exact H].
      - intros ->. cbn [orb] in Ones. apply andb_true_iff in Ones. apply Ones.
      - apply away_pairs_right; auto. }
    destruct a; try (apply Family_alone; discriminate). clear Family_alone. unfold pairs_of_away in Pairs.
    destruct (posed.randomizer_is_posed (listed_randomizer r)) eqn:Li; [| discriminate].
    apply posed.randomizer_is_posed_sound in Li. destruct (pairs_of (listed_randomizer r)) as [base |] eqn:Base; [| discriminate].
    injection Pairs as <-. apply (check_listed_sound base r q n s l delta proved shown); auto.
    intros ->. cbn [orb] in Ones. apply andb_true_iff in Ones. apply Ones.
Qed.

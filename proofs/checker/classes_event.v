(** The kind shuffle_dp of classes of users, refuted by an event: [classes_event_refutes] accepts only what does not hold
    ([classes_event_sound]).

    All classes run tables. The event is that the summed scores of all messages reach a threshold, on two data sets that
    differ in one user of a class that the claim speaks of. It holds whatever is told of the classes of messages: the scores
    do not look at that. Source: docs/certificates.md, "By an event". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation PeanoNat.
From Exactdp Require Import reals sums laws privacy adding_a_user integer_polynomials losses_program.
From ExactdpChecker Require Import claims witnesses views likelihood_sound likelihood_trees scored_sums event_checked classes_of_users laws_of_noise.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The score of a message, and the lower bound of the law of one user's summed score, of each of so many inputs. *)
Record scored_class : Type := { inputs_scored : nat; input_of : nat -> nat; one_scored : nat -> scored_law }.

Definition table_scored (bits : Z) (keys : list Z) (t : claims.table) : scored_class :=
  {| inputs_scored := length (rows t); input_of := fun x => x; one_scored := one_user bits t keys |}.

Definition held_by_class (c : scored_class) (j : nat) (counts : list Z) : list (scored_law * (nat * nat) * Z) :=
  map (fun xc => (one_scored c (fst xc), (j, input_of c (fst xc)), snd xc)) (combine (seq 0 (inputs_scored c)) counts).

Definition score_of_answer (keys : list Z) (m : option nat * answer) : Z :=
  match snd m with
  | Messages [k] => nth k keys 0
  | _ => 0
  end.

Fixpoint tables_scored (bits : Z) (keys : list Z) (classes : list (randomizer * Z)) : option (list scored_class) :=
  match classes with
  | [] => Some []
  | (Table t, _) :: more => option_map (cons (table_scored bits keys t)) (tables_scored bits keys more)
  | _ => None
  end.

Definition count_of (counts : list Z) : Z := fold_right Z.add 0 counts.

(** So many others of each class, as many as there are. *)
Fixpoint others_are_right (own from : nat) (classes : list (randomizer * Z)) (scored : list scored_class) (others : list (list Z)) :
    bool :=
  match classes, scored, others with
  | [], [], [] => true
  | (_, n) :: classes', c :: scored', counts :: others' =>
      Nat.eqb (length counts) (inputs_scored c) && forallb (Z.leb 0) counts &&
      (count_of counts =? n - if Nat.eqb from own then 1 else 0) && others_are_right own (S from) classes' scored' others'
  | _, _, _ => false
  end.

Fixpoint all_held (from : nat) (scored : list scored_class) (others : list (list Z)) : list (scored_law * (nat * nat) * Z) :=
  match scored, others with
  | c :: scored', counts :: others' => held_by_class c from counts ++ all_held (S from) scored' others'
  | _, _ => []
  end.

Definition event_refutes_classes (bits threshold : Z) (scored : list scored_class) (classes : list (randomizer * Z))
    (own first second : nat) (others : list (list Z)) (X Y : Z) (delta : Q) : bool :=
  match nth_error scored own with
  | Some c =>
      let held := all_held 0 scored others in
      let law := with_users bits (map (fun sx => (fst (fst sx), snd sx)) held) (nobody bits) in
      Nat.ltb first (inputs_scored c) && Nat.ltb second (inputs_scored c) && others_are_right own 0 classes scored others &&
      event_exceeds bits (reaching (plus bits law (one_scored c first)) threshold)
        (2 ^ bits - not_reaching (plus bits law (one_scored c second)) threshold) X Y delta
  | None => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Section scored.

Context (bits : Z) (named : nat -> bool) (classes : list (randomizer * Z)) (value : option nat * answer -> Z).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis posed : forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z.

Let K := class_law named classes.

Definition score_all (u : list (option nat * answer)) : Z := fold_right (fun m => Z.add (value m)) 0%Z u.

Lemma score_all_app u v : score_all (u ++ v) = (score_all u + score_all v)%Z.
Proof. induction u as [| m u IH]; [reflexivity |]. unfold score_all in *. cbn [app fold_right]. rewrite IH. lia. Qed.

Lemma score_all_permutation u v : Permutation u v -> score_all u = score_all v.
Proof. unfold score_all. induction 1; simpl; lia. Qed.

Lemma K_proper u : proper (K u).
Proof. apply class_law_proper. intros c I. apply posed, I. Qed.

(** The program's laws of one user are right. *)
Definition class_scored (j : nat) (c : scored_class) : Prop :=
  forall x, (x < inputs_scored c)%nat -> sums bits K score_all (one_scored c x) [(j, input_of c x)].

Definition all_scored (scored : list scored_class) : Prop :=
  length scored = length classes /\ forall j c, nth_error scored j = Some c -> class_scored j c.

Definition users_held (held : list (scored_law * (nat * nat) * Z)) : list (nat * nat) :=
  flat_map (fun sx => repeat (snd (fst sx)) (Z.to_nat (snd sx))) held.

Lemma count_class c from j counts : length counts = inputs_scored c -> forallb (Z.leb 0) counts = true ->
  count_occ Nat.eq_dec (map fst (users_held (held_by_class c from counts))) j =
  if Nat.eqb from j then Z.to_nat (count_of counts) else 0%nat.
Proof.
  unfold held_by_class. intros <-. assert (G : forall start, forallb (Z.leb 0) counts = true ->
    count_occ Nat.eq_dec (map fst (users_held (map (fun xc : nat * Z => (one_scored c (fst xc), (from, input_of c (fst xc)), snd xc))
      (combine (seq start (length counts)) counts)))) j = if Nat.eqb from j then Z.to_nat (count_of counts) else 0%nat);
    [| exact (G 0%nat)].
  induction counts as [| n counts IH]; intros start H.
  - cbn. destruct (Nat.eqb from j); reflexivity.
  - cbn [forallb] in H. apply andb_true_iff in H. destruct H as [N H]. apply Z.leb_le in N.
    cbn [length seq combine map users_held flat_map fst snd]. rewrite map_app, count_occ_app. fold (users_held (map (fun xc : nat * Z =>
      (one_scored c (fst xc), (from, input_of c (fst xc)), snd xc)) (combine (seq (S start) (length counts)) counts))).
    rewrite IH by exact H. assert (S0 : (0 <= count_of counts)%Z).
    { clear -H. induction counts as [| m l IH]; [simpl; lia |]. cbn [forallb] in H. apply andb_true_iff in H. destruct H as [M H].
      apply Z.leb_le in M. specialize (IH H). unfold count_of in *. simpl. lia. }
    assert (R0 : forall a k, map fst (repeat a k) = repeat (@fst nat nat a) k)
      by (intros a k; induction k as [| k IHk]; simpl; [| rewrite IHk]; reflexivity).
    rewrite R0. cbn [fst]. unfold count_of. cbn [fold_right]. fold (count_of counts). destruct (Nat.eqb_spec from j) as [-> | Ne].
    + rewrite count_occ_repeat_eq by reflexivity. lia.
    + rewrite count_occ_repeat_neq by congruence. reflexivity.
Qed.

Lemma count_held own j cl : forall from scored others, others_are_right own from cl scored others = true ->
  (forall c, In c cl -> (1 <= snd c)%Z) ->
  count_occ Nat.eq_dec (map fst (users_held (all_held from scored others))) j =
  if Nat.ltb j from then 0%nat else (Z.to_nat (nth (j - from) (map snd cl) 0%Z) - if Nat.eqb j own then 1 else 0)%nat.
Proof.
  induction cl as [| [r n] cl IH]; intros from scored others H P; destruct scored as [| c scored], others as [| counts others];
    try discriminate.
  - cbn [all_held users_held flat_map map count_occ]. destruct (Nat.ltb j from); [reflexivity |].
    destruct (j - from)%nat; cbn [nth Z.to_nat]; destruct (Nat.eqb j own); reflexivity.
  - cbn [others_are_right] in H. rewrite !andb_true_iff in H. destruct H as [[[L Nn] C] H]. apply Nat.eqb_eq in L. apply Z.eqb_eq in C.
    assert (N1 := P _ (or_introl eq_refl)). cbn [snd] in N1.
    cbn [all_held]. unfold users_held. rewrite flat_map_app, map_app, count_occ_app. fold (users_held (held_by_class c from counts)).
    fold (users_held (all_held (S from) scored others)).
    rewrite count_class, (IH (S from) scored others H (fun c' I => P c' (or_intror I))) by assumption.
    rewrite C. destruct (Nat.eqb_spec from j) as [-> | Ne].
    + rewrite (proj2 (Nat.ltb_lt j (S j)) ltac:(lia)), Nat.ltb_irrefl, Nat.sub_diag. cbn [map nth snd].
      destruct (Nat.eqb j own); lia.
    + destruct (Nat.ltb_spec j from), (Nat.ltb_spec j (S from)); try lia.
      replace (j - from)%nat with (S (j - S from)) by lia. reflexivity.
Qed.

Theorem classes_event_sound scored own first second others threshold X Y delta F who :
  all_scored scored -> 0 <= F -> 0 < IZR Y -> F <= IZR X / IZR Y -> (0 <= X)%Z ->
  (forall j, who = Some j -> Z.of_nat own = j) ->
  event_refutes_classes bits threshold scored classes own first second others X Y delta = true ->
  ~ classes_private classes who F (Q2R delta).
Proof.
  intros [Len Scored] F0 Y0 FX X0 Who H Priv. unfold event_refutes_classes in H.
  destruct (nth_error scored own) as [c |] eqn:Nth; [| discriminate]. cbv zeta in H. rewrite !andb_true_iff in H.
  destruct H as [[[H1 H2] Right] H]. apply Nat.ltb_lt in H1, H2.
  set (held := all_held 0 scored others) in H. set (law := with_users _ _ _) in H. set (us := users_held held).
  assert (Each : forall sx, In sx held -> sums bits K score_all (fst (fst sx)) [snd (fst sx)]).
  { assert (G : forall sc os from, (forall j cj, nth_error sc j = Some cj -> class_scored (from + j) cj) ->
      forall sx, In sx (all_held from sc os) -> sums bits K score_all (fst (fst sx)) [snd (fst sx)]).
    { induction sc as [| a sc IH]; intros [| counts os] from S0 sx I; try (destruct I; fail). cbn [all_held] in I.
      apply in_app_or in I. destruct I as [I | I].
      - unfold held_by_class in I. apply in_map_iff in I. destruct I as [[x n] [<- I]]. cbn [fst snd].
        apply in_combine_l in I. apply in_seq in I. assert (Z0 := S0 0%nat a eq_refl). rewrite Nat.add_0_r in Z0. apply Z0. lia.
      - apply (IH os (S from)); [| exact I]. intros j cj Nj. replace (S from + j)%nat with (from + S j)%nat by lia. apply S0, Nj. }
    apply (G scored others 0%nat). exact Scored. }
  assert (Law : sums bits K score_all law us).
  { assert (G := sums_users bits K score_all bits_nonneg K_proper score_all_app held (nobody bits) [] Each
      (sums_nobody bits K score_all eq_refl)). exact G. }
  assert (One : forall x, (x < inputs_scored c)%nat -> sums bits K score_all (plus bits law (one_scored c x)) (us ++ [(own, input_of c x)])).
  { intros x Hx. apply (sums_plus bits K score_all bits_nonneg K_proper score_all_app); [exact Law | apply (Scored own c Nth x Hx)]. }
  assert (Not := event_refutes bits K score_all threshold bits_nonneg K_proper _ _ (us ++ [(own, input_of c first)])
    (us ++ [(own, input_of c second)]) X Y delta F score_all_permutation (One first H1) (One second H2) F0 Y0 FX X0 H).
  apply Not. clear Not H.
  (* A data set class by class. *)
  assert (Split : exists before after, Permutation us (before ++ after) /\
    forall x, map fst (before ++ (own, x) :: after) = data_set (map snd classes)).
  { assert (Count : forall j, count_occ Nat.eq_dec (map fst us) j = others_in (map snd classes) own j).
    { intros j. unfold us, held. rewrite (count_held own j classes 0 scored others Right (fun d I => proj2 (posed d I))).
      rewrite Nat.sub_0_r. reflexivity. }
    assert (Own : In own (data_set (map snd classes))).
    { apply (count_occ_In Nat.eq_dec). rewrite count_data_set.
      assert (B : (own < length classes)%nat) by (rewrite <- Len; apply nth_error_Some; congruence).
      destruct (nth_error classes own) as [[r n] |] eqn:E; [| apply nth_error_None in E; lia].
      rewrite (nth_error_nth (map snd classes) own 0%Z (x := n)) by (rewrite nth_error_map, E; reflexivity).
      assert (X1 := proj2 (posed _ (nth_error_In _ _ E))). cbn [snd] in X1. lia. }
    apply in_split in Own. destruct Own as [d1 [d2 D]].
    assert (Pm : Permutation (map fst us) (d1 ++ d2)).
    { apply (Permutation_count_occ Nat.eq_dec). intros j. rewrite Count. unfold others_in.
      assert (X1 := count_data_set (map snd classes) j). rewrite D, count_occ_app in X1. cbn [count_occ] in X1. rewrite count_occ_app.
      destruct (Nat.eq_dec own j) as [-> | Ne].
      - rewrite Nat.eqb_refl. lia.
      - rewrite (proj2 (Nat.eqb_neq j own)) by congruence. lia. }
    apply Permutation_sym in Pm. apply Permutation_map_inv in Pm. destruct Pm as [vs [E Pm]].
    symmetry in E. apply map_eq_app in E. destruct E as [before [after [-> [E1 E2]]]].
    exists before, after. split; [exact Pm |]. intros x. rewrite map_app. cbn [map fst]. rewrite E1, E2, D. reflexivity. }
  destruct Split as [before [after [Pm Fst]]].
  apply (shuffle_below_permutation K _ _ (before ++ (own, input_of c first) :: after) (before ++ (own, input_of c second) :: after)).
  - rewrite <- Permutation_cons_append, Pm. apply Permutation_middle.
  - rewrite <- Permutation_cons_append, Pm. apply Permutation_middle.
  - apply Priv; [apply Fst | exact Who].
Qed.

End scored.

(** ** What users of one class send *)

Lemma sums_named {M} bits named classes value (R : nat -> dist (list M)) (name : M -> option nat * answer) score j s x :
  (forall v, class_law named classes (j, v) = dmap (map name) (R v)) ->
  (forall u, score_all value (map name u) = score u) -> sums bits R score s [x] ->
  sums bits (class_law named classes) (score_all value) s [(j, x)].
Proof.
  intros Law Score [N U]. split; [exact N |]. intros f F. eapply Rle_trans; [apply (U f F) |]. right. f_equal.
  rewrite !mean_sum. change [(j, x)] with (map (pair j) [x]). rewrite (named_messages R (class_law named classes) name j [x] _
    (fun v h => f_equal (fun d => mean d h) (Law v))).
  apply mean_ext. intros u. rewrite Score. reflexivity.
Qed.

Lemma tables_are_scored bits keys named classes :
  (0 <= bits)%Z -> (forall c, In c classes -> randomizer_posed (fst c) /\ (1 <= snd c)%Z) ->
  forall scored, tables_scored bits keys classes = Some scored ->
  all_scored bits named classes (score_of_answer keys) scored.
Proof.
  intros B P scored H.
  assert (G : forall cl scored, tables_scored bits keys cl = Some scored -> length scored = length cl /\
    forall j c, nth_error scored j = Some c -> exists t n, nth_error cl j = Some (Table t, n) /\ c = table_scored bits keys t).
  { clear. induction cl as [| [r n] cl IH]; intros scored H; cbn [tables_scored] in H.
    - injection H as <-. split; [reflexivity |]. intros [| j] c E; discriminate.
    - destruct r as [t |]; [| discriminate]. destruct (tables_scored bits keys cl) as [l |]; [| discriminate]. injection H as <-.
      destruct (IH l eq_refl) as [L E]. split; [simpl; rewrite L; reflexivity |]. intros [| j] c X; [| apply E, X].
      injection X as <-. exists t, n. auto. }
  destruct (G classes scored H) as [Len Each]. split; [exact Len |]. intros j c Nj. destruct (Each j c Nj) as [t [n [E ->]]].
  intros x _. cbn [one_scored input_of table_scored]. assert (Pt := proj1 (P _ (nth_error_In _ _ E))). cbn [fst randomizer_posed] in Pt.
  apply (sums_named bits named classes (score_of_answer keys) (table_law t) (fun m => (None, Messages [m])) (sum_of keys)).
  - intros v. unfold class_law, sent_by. cbn [fst snd]. rewrite E. reflexivity.
  - intros u. unfold score_all. induction u as [| m u IH]; [reflexivity |]. cbn [map fold_right]. rewrite IH. reflexivity.
  - apply scored_one, table_laws.proper_table, Pt.
Qed.

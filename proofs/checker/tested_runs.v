(** The likelihood tests of runs of families and of tables.

    [test_masses_known]: the masses that test_masses.v makes are known of the run, for the families of supports, where
    all other users hold one input, and for tables whose users send at most one message, where the inputs of all other
    users are drawn at random; every number of users, and replacement of one.

    Source: docs/certificates.md, "composed". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy masses hockey_stick shuffler adding_a_user single_message.
From Exactdp Require Import independence.
From Exactdp Require Import mean_excess hidden_message classes homogeneous random_others score_event least_values.
From Exactdp Require Import adaptive_composition.
From ExactdpChecker Require Import claims witnesses blanket_program matrix_blanket family_blanket family_rows.
From ExactdpChecker Require Import likelihood_program likelihood_bound likelihood_checked at_most_one_message mixed_others_checked.
From ExactdpChecker Require Import drawn_pairs random_data_sets merged_runs known_masses test_masses.
From ExactdpChecker Require Import laws_of_noise absence_laws listed_checked.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope R_scope.

(** ** All others hold one input *)

Lemma mean_copies_of_one {X} (v : X) j f : mean (copies (ret v) j) f = f (repeat v j).
Proof.
  revert f. induction j as [| j IH]; intros f; [apply mean_copies_none |]. rewrite mean_copies_first, mean_ret.
  apply IH.
Qed.

Lemma told_sent {M} (row : nat -> dist M) d classes : told row d classes -> told (fun x => sent (row x)) d classes.
Proof.
  intros [x [y [v [X [Y [V [P T]]]]]]]. exists x, y, v. repeat (split; [assumption |]).
  split; [intros z Z; apply proper_sent, P, Z | apply tells_sent, T].
Qed.

Lemma told_stands {M} (row : nat -> dist (list M)) d show classes n (mech : mechanism answer) K L :
  let V := messages (fun x => row (Nat.min x (d - 1))) in
  shown_again show -> (forall x, at_most_one (row x)) -> told row d classes -> (1 <= n)%nat ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mech (mass (shown_set V show xs)) (mass (shown_set V show ys))) ->
  (forall F delta, 0 <= F -> class_bound n F (map real_class classes) <= delta -> mass_below K L F delta) ->
  stands_for mech K L.
Proof.
  intros V Back One [x [y [v [X [Y [Z [P B]]]]]]] N HM H. destruct n as [| j]; [lia |].
  set (R := fun x => row (Nat.min x (d - 1))).
  apply (random_sets_stand_for V show (ret v) j x y Back).
  - intros xs. apply proper_messages. intros z. apply P. lia.
  - apply proper_ret.
  - intros o Lo. apply HM; [apply (replace_one [] x y o) | simpl; rewrite Lo; reflexivity].
  - intros F delta HF All. apply (H F delta HF). rewrite <- (tells_bounds _ _ _ _ B).
    assert (Same : forall z, (z < d)%nat -> R z = row z) by (intros z Hz; unfold R; f_equal; lia).
    rewrite <- (Same x X), <- (Same y Y), <- (Same v Z). apply (homogeneous_below R x y v j F delta); [apply P; lia |].
    apply one_message_below; [intros z; apply One | reflexivity |].
    intros T S. specialize (All T S). rewrite !mean_copies_of_one in All. exact All.
Qed.

(** The same where classes have less than the masses of messages. *)
Lemma less_stands {M} (row : nat -> dist (list M)) d show classes n (mech : mechanism answer) x y v :
  let V := messages (fun x => row (Nat.min x (d - 1))) in
  shown_again show -> (forall x, at_most_one (row x)) -> (x < d)%nat -> (y < d)%nat -> (v < d)%nat ->
  (forall z, (z < d)%nat -> proper (row z)) -> (1 <= n)%nat ->
  (forall at_ratio step, scored_less at_ratio step (row x) (row y) (row v) classes) ->
  (forall xs ys, neighbors xs ys -> length xs = n -> mech (mass (shown_set V show xs)) (mass (shown_set V show ys))) ->
  tests_less mech n classes.
Proof.
  intros V Back One X Y Z Pr N Less HM. exists (list M), (row x), (row y), (row v).
  split; [exact (Pr x X) | split; [exact (Pr y Y) | split; [exact (Pr v Z) | split; [exact Less |]]]]. intros t Lt.
  destruct n as [| j]; [lia |]. apply (random_sets_stand_for V show (ret v) j x y Back).
  - intros xs. apply proper_messages. intros z. apply Pr. lia.
  - apply proper_ret.
  - intros o Lo. apply HM; [apply (replace_one [] x y o) | simpl; rewrite Lo; reflexivity].
  - intros F delta HF All m Nm. rewrite !mass_total by exact Nm. unfold laws.Pr. rewrite !mean_dmap.
    apply (tree_below row d x y v t j F delta _ X Y Z Lt); [| intros z; apply indicator_bounds].
    apply one_message_below; [intros z; apply One | reflexivity |].
    intros T S. specialize (All T S). rewrite !mean_copies_of_one in All. exact All.
Qed.

(** ** Random others *)

Lemma mixed_classes_of_sound {A} (l : list A) W d test classes : mixed_classes_of l W d test = Some classes ->
  exists x y weights, (x < d)%nat /\ (y < d)%nat /\ length weights = d /\ (forall q, In q weights -> 0 <= Q2R q) /\
    total weights Q2R = 1 /\ classes = mixed_classes l W weights x y.
Proof.
  unfold mixed_classes_of. destruct (pair_tested test) as [[x y] |]; [| discriminate].
  destruct (other_users test) as [weights | | | |]; try discriminate. destruct (_ && _)%bool eqn:H; [| discriminate].
  intros E. injection E as <-. repeat (apply andb_true_iff in H; destruct H as [H ?]).
  repeat match goal with K : (_ && _)%bool = true |- _ => apply andb_true_iff in K; destruct K end.
  repeat match goal with K : Z.ltb _ _ = true |- _ => apply Z.ltb_lt in K end.
  match goal with K : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in K; rename K into Len end.
  match goal with K : Qeq_bool _ _ = true |- _ => apply Qeq_bool_R in K; rewrite Q2R_sum_of, Q2R_1 in K;
    rename K into Sum end.
  match goal with K : forallb _ _ = true |- _ => rewrite forallb_forall in K; rename K into Nonneg end.
  exists (Z.to_nat x), (Z.to_nat y), weights.
  split; [lia | split; [lia | split; [exact Len | split; [| split; [exact Sum | reflexivity]]]]].
  intros q I. specialize (Nonneg q I). apply Qle_bool_R in Nonneg. rewrite Q2R_0 in Nonneg. exact Nonneg.
Qed.

Lemma mixed_stands {A M} (R : nat -> dist A) (send : nat -> dist (list M)) show d l W test classes n
    (mech : mechanism answer) K L :
  shown_again show -> (forall x, proper (send x)) ->
  NoDup l -> (forall x, proper (R x)) -> (forall x, (x < d)%nat -> covers l (R x)) ->
  (forall x a, (x < d)%nat -> In a l -> mass (R x) a = Q2R (W x a)) ->
  (forall w j x T, symmetric T -> exists T', symmetric T' /\
    mean (copies w j) (fun o => Pr (messages (one_message R) (x :: o)) T) =
    mean (copies w j) (fun o => Pr (messages send (x :: o)) T') /\
    forall y, mean (copies w j) (fun o => Pr (messages (one_message R) (y :: o)) T) =
    mean (copies w j) (fun o => Pr (messages send (y :: o)) T')) ->
  mixed_classes_of l W d test = Some classes -> (1 <= n)%nat ->
  (forall xs ys, neighbors xs ys -> length xs = n ->
    mech (mass (shown_set (messages send) show xs)) (mass (shown_set (messages send) show ys))) ->
  (forall F delta, 0 <= F -> class_bound n F (map real_class classes) <= delta -> mass_below K L F delta) ->
  stands_for mech K L.
Proof.
  intros Back P N PR C Lm Seen Cl Hn HM H. apply mixed_classes_of_sound in Cl.
  destruct Cl as [x [y [weights [X [Y [Len [Nonneg [Sum ->]]]]]]]]. destruct n as [| j]; [lia |].
  set (w := random_input d weights). assert (Hw : proper w) by (apply proper_random_input; assumption).
  apply (random_sets_stand_for (messages send) show w j x y Back (fun xs => proper_messages send xs P) Hw).
  - intros o Lo. apply HM; [apply (replace_one [] x y o) | simpl; rewrite Lo; reflexivity].
  - intros F delta HF All. apply (H F delta HF).
    rewrite <- (mixed_bound R d l W weights N C Lm Len x y (Datatypes.S j) F X Y). fold w.
    rewrite <- (best_attains (R x) (R y) (bind w R) F (proper_bind w R Hw PR) j).
    set (T := shows_more (R x) (R y) (bind w R) F).
    assert (S : symmetric T) by apply shows_more_symmetric.
    destruct (Seen w j x T S) as [T' [S' [Ex Ey]]]. specialize (All T' S'). rewrite <- Ex, <- Ey in All.
    assert (Draw : forall u, Pr (draws (R u :: repeat (bind w R) j)) T =
      mean (copies w j) (fun o => Pr (messages (one_message R) (u :: o)) T)).
    { intros u. exact (random_others_mixture R w u j (indicator T)). }
    rewrite !Draw. lra.
Qed.

Lemma seen_by_table t : sends_at_most_one t = true -> forall w j x T, symmetric T -> exists T', symmetric T' /\
    mean (copies w j) (fun o => Pr (messages (one_message (table_law t)) (x :: o)) T) =
    mean (copies w j) (fun o => Pr (messages (table_law t) (x :: o)) T') /\
    forall y, mean (copies w j) (fun o => Pr (messages (one_message (table_law t)) (y :: o)) T) =
    mean (copies w j) (fun o => Pr (messages (table_law t) (y :: o)) T').
Proof.
  intros One w j x T S. exists (fun v => T (sent_by (Datatypes.S j) v)).
  assert (E : forall z, mean (copies w j) (fun o => Pr (messages (one_message (table_law t)) (z :: o)) T) =
    mean (copies w j) (fun o => Pr (messages (table_law t) (z :: o)) (fun v => T (sent_by (Datatypes.S j) v)))).
  { intros z. apply mean_ext_in. intros wl I. destruct (copies_drawn w j wl I) as [was [Len [_ [-> _]]]].
    rewrite (reports_counted (table_law t) _ T (table_at_most_one t One) S). simpl length. rewrite map_length, Len.
    reflexivity. }
  split; [| split; [apply E | intros y; apply E]]. intros u v K. apply S, sent_by_permutation, K.
Qed.

(** ** All of them *)

Theorem classes_of_run_tested r n test classes : (1 <= n)%Z -> classes_of_run r test = Some classes ->
  randomizer_posed r /\ tests_classes (RandomizerRun r n ReplaceOne) (Z.to_nat n) classes.
Proof.
  intros Hn. unfold classes_of_run. destruct (posed.randomizer_is_posed r) eqn:Posed; [| discriminate].
  apply posed.randomizer_is_posed_sound in Posed. intros H. split; [exact Posed |]. intros K L Below.
  assert (N : (1 <= Z.to_nat n)%nat) by lia.
  assert (Near : forall xs ys : list nat, neighbors xs ys -> length xs = Z.to_nat n ->
    neighbors_of ReplaceOne (Z.to_nat n) xs ys)
    by (intros xs ys A B; split; assumption).
  assert (Supports : forall f s, supports_of f = Some s -> classes_of_others f s (other_users test) = Some classes ->
    family_posed f -> stands_for (run_mechanism (RandomizerRun (Family f) n ReplaceOne)) K L).
  { intros f s S W Pf. assert (T := family_told f s _ classes Pf S W). assert (Shown := program_shown (Family f)).
    assert (Each : forall M (show : list M -> answer) R, shown_again show ->
      (exists row : nat -> dist M, R = on_inputs (inputs_of f) row /\ told row (Z.to_nat (inputs_of f)) classes) ->
      stands_for (fun P Q => shown_views ReplaceOne show (messages R) n P Q) K L).
    { intros M show R Back [row [-> D]]. apply (told_stands _ _ show classes (Z.to_nat n) _ K L Back
        (fun x => one_of_sent (row x)) (told_sent row _ classes D) N); [| exact Below].
      intros xs ys A B. exists xs, ys. split; auto. }
    destruct f; cbn [for_program] in *; unfold run_mechanism; cbn [for_program]; exact (Each _ _ _ Shown T). }
  destruct r as [t | f].
  - destruct (sends_at_most_one t) eqn:One; [| discriminate]. unfold run_mechanism. cbn [for_program].
    apply (mixed_stands (table_law t) (table_law t) Messages (length (rows t)) (outcomes_of t)
      (fun x => probability (nth x (rows t) [])) test classes (Z.to_nat n)); try assumption; try reflexivity.
    + apply (program_shown (Table t)).
    + apply table_laws.proper_table, Posed.
    + apply NoDup_nodup.
    + apply table_laws.proper_table, Posed.
    + intros x X wa I. unfold table_law in I. rewrite entry_place in I by apply Posed.
      replace (Nat.min x (length (rows t) - 1)) with x in I by lia.
      apply in_map_iff in I. destruct I as [o [<- I]]. apply nodup_In.
      change (In (snd o) (map snd (concat (rows t)))). apply in_map, in_concat.
      exists (nth x (rows t) []). split; [apply nth_In, X | exact I].
    + intros x a X _. unfold table_law. rewrite entry_place by apply Posed.
      replace (Nat.min x (length (rows t) - 1)) with x by lia. apply mass_row.
    + apply seen_by_table, One.
    + intros xs ys A B. exists xs, ys. split; auto.
  - destruct (pair_tested test); [discriminate |]. destruct (supports_of f) as [s |] eqn:S; [| discriminate].
    apply (Supports f s S H Posed).
Qed.

Theorem test_masses_known bits r n test masses :
  test_masses bits r n test = Some masses -> known_run bits (RandomizerRun r n ReplaceOne) masses.
Proof.
  unfold test_masses. destruct (Z.leb_spec 1 n) as [Hn |]; [| discriminate].
  destruct (classes_of_run r test) as [classes |] eqn:C; [| discriminate].
  destruct (classes_of_run_tested r n test classes Hn C) as [Posed T].
  apply class_masses_known; [split; assumption |]. rewrite <- Z2Nat.inj_pos, Z2Pos.id by lia. exact T.
Qed.

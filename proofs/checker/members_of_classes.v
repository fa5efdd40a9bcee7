(** What users of a class send who may be away, or run several randomizers at once.

    [listed_member_law]: where what is sent is what users of one randomizer send who are never away, they are these.
    [member_alone]: a swap of the pairs of inputs of a class bounds two data sets of its users, whatever it runs: one
    randomizer, a product of some, and either with users who may be away. Source: docs/certificates.md, "Classes of
    users". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy shuffler adding_a_user absent_users least_values.
From ExactdpChecker Require Import claims witnesses kinds laws_of_noise laplace_table classes_of_users.
From ExactdpChecker Require Import blanket_program family_rows absence_laws hidden_uniformly told_most swap_checked
  product_pairs product_checked hidden_products participation_checked absent_product_checked.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition as_never_away (m : member) : member :=
  match m with
  | Always r => Always (listed_randomizer r)
  | Sometimes r q a => match as_one_randomizer r q a with Some r' => Always r' | None => m end
  | _ => m
  end.

Definition listed_members (classes : list (member * Z)) : list (member * Z) :=
  map (fun c => (as_never_away (fst c), snd c)) classes.

Definition never_away (classes : list (randomizer * Z)) : list (member * Z) := map (fun c => (Always (fst c), snd c)) classes.

Fixpoint plain_classes (classes : list (member * Z)) : option (list (randomizer * Z)) :=
  match classes with
  | [] => Some []
  | (Always r, n) :: rest => option_map (cons (r, n)) (plain_classes rest)
  | _ => None
  end.

(** The pairs of inputs of those who are as listed. *)
Definition pairs_of_member (m : member) : option (list input_pair) :=
  match m with
  | Always r => pairs_of r
  | Sometimes r q a => pairs_of_away r q a false
  | AlwaysAll of => Some (product_pairs of)
  | SometimesAll of q a => absent_pairs of q a None
  end.

(** Whether there are some. No theorem depends on it. *)
Definition has_pairs (m : member) : bool :=
  match m with
  | Sometimes r q a => match pairs_of_away r q a false with Some _ => true | None => false end
  | SometimesAll of q a => has_absent_product_program of q a true
  | _ => true
  end.

Definition member_is_posed (m : member) : bool :=
  match m with
  | Always r => posed.randomizer_is_posed r
  | Sometimes r q a =>
      posed.randomizer_is_posed r && absence_is_posed r a && match a with Listed => false | _ => true end &&
      (posed.less 0 q && posed.less q 1)
  | AlwaysAll of => posed.together_is_posed of
  | SometimesAll of q a =>
      posed.together_is_posed of && joint_absence_is_posed of a && match a with AllListed => false | _ => true end &&
      (posed.less 0 q && posed.less q 1)
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma member_is_posed_sound m : member_is_posed m = true -> member_posed m.
Proof.
  assert (Chance : forall q, (posed.less 0 q && posed.less q 1)%bool = true -> 0 < Q2R q < 1).
  { intros q H. apply andb_true_iff in H. destruct H as [Q0 Q1]. apply posed.less_sound in Q0, Q1.
    rewrite least_values.Q2R_0 in Q0. rewrite family_blanket.Q2R_1 in Q1. split; assumption. }
  destruct m as [r | r q a | of | of q a]; cbn [member_is_posed member_posed]; rewrite ?andb_true_iff.
  - apply posed.randomizer_is_posed_sound.
  - intros [[[P A] N] Q]. split; [apply posed.randomizer_is_posed_sound, P |].
    split; [apply absence_is_posed_sound, A |]. split; [destruct a; congruence |].
    apply Chance, andb_true_iff, Q.
  - apply posed.together_is_posed_sound.
  - intros [[[P A] N] Q]. split; [apply posed.together_is_posed_sound, P |].
    split; [| split; [destruct a; congruence | apply Chance, andb_true_iff, Q]].
    destruct a; cbn [joint_absence_posed joint_absence_is_posed] in *; trivial. apply dummies_are_posed_sound, A.
Qed.

Lemma mean_messages_of_one {M} (R : nat -> dist (list M)) x f : mean (messages R [x]) f = mean (R x) f.
Proof.
  rewrite mean_messages_first. apply mean_ext. intros u. cbn [messages]. rewrite mean_ret, app_nil_r. reflexivity.
Qed.

(** A table whose users are away sometimes. *)
Lemma table_sent named place t q a t' x : rows t <> [] ->
  (forall chances, a = Hidden chances -> forall c, In c chances -> (0 <= c)%Q) -> taking_part t q a = Some t' ->
  same_law (sent_by named place (Table t') x)
    (away (Q2R q) (sent_by named place (Table t) x) (sent_instead_of named place (Table t) a)).
Proof.
  intros Some N T f. unfold sent_by. cbn [for_program class_name]. rewrite mean_away, !mean_dmap.
  rewrite (taking_part_law t q a t' x Some T), mean_away by exact N. do 2 f_equal.
  destruct a as [| | | chances | z]; try discriminate; cbn [instead_law sent_instead_of dummy uniform_message
    class_name].
  - rewrite !mean_ret. reflexivity.
  - unfold sent. rewrite !mean_dmap. reflexivity.
  - unfold by_chances, sent. rewrite !mean_dmap. reflexivity.
Qed.

Theorem as_one_sent named place r q a r' x : randomizer_posed r -> absence_posed r a -> 0 < Q2R q < 1 ->
  as_one_randomizer r q a = Some r' ->
  same_law (sent_by named place r' x) (away (Q2R q) (sent_by named place r x) (sent_instead_of named place r a)).
Proof.
  intros P Ab Hq H. unfold as_one_randomizer in H. destruct r as [t | f].
  - cbn [listed_randomizer] in H. destruct (taking_part t q a) as [t' |] eqn:T; [| discriminate]. injection H as <-.
    apply table_sent; [exact (proj1 P) | intros chances ->; exact (proj1 Ab) | exact T].
  - destruct f as [| | | | | top c].
    6: { cbn [listed_randomizer] in H. destruct (taking_part (laplace_table top c) q a) as [t' |] eqn:T; [|
      discriminate]. injection H as <-. rewrite <- (listed_sent_by named place (Family (ClippedLaplace top c)) x P).
      replace (sent_instead_of named place (Family (ClippedLaplace top c)) a) with
        (sent_instead_of named place (Table (laplace_table top c)) a) by (destruct a; discriminate || reflexivity).
      apply table_sent; [discriminate | intros chances ->; exact (proj1 Ab) | exact T]. }
    all: cbn [listed_randomizer] in H; destruct a; try discriminate;
      match type of H with option_map Family ?h = _ => destruct h as [f' |] eqn:F; [| discriminate] end;
      injection H as <-.
    all: match type of F with hidden_family ?f _ = _ => set (name := class_name named place (Family f)) end.
    all: assert (Name : class_name named place (Family f') = name)
      by (unfold hidden_family in F; cbn [supports_of all_mass with_ratio] in F; try discriminate; injection F as <-;
        reflexivity).
    all: intros g;
      assert (Laws := proj1 (proj2 (hidden_uniformly _ f' q (fun M show V => forall g, mean (V [x]) (fun u =>
        g (map (fun m => (name, show [m])) u)) = mean (sent_by named place (Family f') x) g) P Hq F
        ltac:(intros M show V V' L D h; rewrite <- L; apply D))));
      cbv beta in Laws.
    all: assert (Here : for_program (Family f') (fun M show R => forall g, mean (messages R [x]) (fun u =>
        g (map (fun m => (name, show [m])) u)) = mean (sent_by named place (Family f') x) g))
      by (unfold sent_by; rewrite Name; destruct f'; cbn [for_program]; intros h; rewrite mean_messages_of_one,
        mean_dmap; reflexivity).
    all: specialize (Laws Here); cbn [for_absence] in Laws; rewrite <- (Laws g), mean_messages_of_one, !mean_away;
      unfold sent_by, sent; cbn [for_program sent_instead_of dummy uniform_message]; fold name; rewrite ?mean_dmap,
        ?mean_bind;
      do 2 f_equal; try reflexivity; apply mean_ext; intros h; rewrite !mean_dmap; reflexivity.
Qed.

Theorem listed_member_law classes named u : (forall c, In c classes -> member_posed (fst c)) ->
  same_law (member_law named (listed_members classes) u) (member_law named classes u).
Proof.
  intros P f. destruct u as [j x]. unfold member_law, listed_members. rewrite nth_error_map.
  destruct (nth_error classes j) as [[m n] |] eqn:E; [| reflexivity]. assert (Pm := P _ (nth_error_In _ _ E)).
  cbn [option_map fst snd] in *. destruct m as [r | r q a | of | of q a]; cbn [as_never_away]; try reflexivity.
  - rewrite listed_sent_by by exact Pm. reflexivity.
  - destruct (as_one_randomizer r q a) as [r' |] eqn:One; [| reflexivity]. destruct Pm as [Pr [Ab [_ Hq]]].
    apply (as_one_sent named j r q a r' x Pr Ab Hq One).
Qed.

Lemma listed_members_private classes who E delta : (forall c, In c classes -> member_posed (fst c)) ->
  members_private (listed_members classes) who E delta <-> members_private classes who E delta.
Proof.
  intros P. unfold members_private.
  replace (map snd (listed_members classes)) with (map snd classes) by (unfold listed_members; rewrite map_map; reflexivity).
  split; apply users_same_law; intros named u f; rewrite (listed_member_law classes named u P); reflexivity.
Qed.

Lemma plain_classes_sound classes : forall plain, plain_classes classes = Some plain -> classes = never_away plain.
Proof.
  induction classes as [| [m n] rest IH]; intros plain H; cbn [plain_classes] in H; [injection H as <-; reflexivity |].
  destruct m as [r | | |]; try discriminate. destruct (plain_classes rest) as [l |]; [| discriminate].
  injection H as <-. cbn [never_away map fst snd]. f_equal. apply IH. reflexivity.
Qed.

Lemma never_away_private classes who E delta :
  members_private (never_away classes) who E delta <-> classes_private classes who E delta.
Proof.
  unfold members_private, classes_private.
  replace (map snd (never_away classes)) with (map snd classes) by (unfold never_away; rewrite map_map; reflexivity).
  assert (Same : forall named u, member_law named (never_away classes) u = class_law named classes u).
  { intros named [j x]. unfold member_law, class_law, never_away. cbn [fst snd]. rewrite nth_error_map.
    destruct (nth_error classes j) as [[r n] |]; reflexivity. }
  split; apply users_same_law; intros named u f; rewrite Same; reflexivity.
Qed.

Lemma member_law_proper named classes u :
  (forall c, In c classes -> member_posed (fst c)) -> proper (member_law named classes u).
Proof.
  intros P. destruct u as [j x]. unfold member_law. destruct (nth_error classes j) as [[m n] |] eqn:E; [| apply proper_ret].
  assert (Pm := P _ (nth_error_In _ _ E)). cbn [fst] in Pm. destruct m as [r | r q a | of | of q a]; cbn [member_posed] in Pm.
  - apply proper_sent_by, Pm.
  - destruct Pm as [Pr [Ab [_ Hq]]]. apply proper_away; [lra | apply proper_sent_by, Pr |].
    destruct a; cbn [sent_instead_of]; try apply proper_ret; apply proper_dmap, proper_dummy; (exact Pr || exact Ab || exact I).
  - apply proper_dmap, proper_together, Pm.
  - destruct Pm as [Po [Ab [_ Hq]]]. apply proper_dmap, proper_away; [lra | apply proper_together, Po |].
    destruct a as [| | dummies]; cbn [reports_instead]; try apply proper_ret. apply proper_sent.
    apply proper_dummy_report; [exact (proj2 Po) | exact Ab].
Qed.

(** *** One class alone *)

(** What users of a family send who may be away is what a program sends, whose messages are named. *)
Lemma sometimes_program named place f q a (statement : forall M, (list nat -> dist (list M)) -> Prop) :
  absence_posed (Family f) a -> a <> Listed -> for_absence (Family f) q a (fun M _ V => statement M V) ->
  exists M (R : nat -> dist (list M)) (name : M -> option nat * answer),
    statement M (messages R) /\
    forall x, same_law (away (Q2R q) (sent_by named place (Family f) x) (sent_instead_of named place (Family f) a))
      (dmap (map name) (R x)).
Proof.
  intros Ab NL S. destruct a as [| | | chances | z]; [| congruence | | |]; destruct f;
    try (cbn [absence_posed] in Ab; contradiction); cbn [for_absence for_program] in S;
    match type of S with statement ?M (messages ?R) => exists M, R; eexists; split; [exact S |] end;
    intros x g; unfold sent_by; cbn [for_program]; rewrite mean_dmap, !mean_away, mean_dmap;
    (apply (f_equal2 Rplus); apply (f_equal (Rmult _)); [reflexivity |]);
    unfold sent_instead_of; cbn [dummy uniform_message]; unfold outcome; cbn [for_program];
    unfold by_chances, sent, on_inputs, one_message;
    rewrite ?mean_ret, ?mean_dmap, ?mean_bind; try reflexivity; apply mean_ext; intros h; rewrite !mean_dmap; reflexivity.
Qed.

Theorem member_alone named classes j m n pairs E F delta bits plans places x y vs :
  nth_error classes j = Some (m, n) -> member_posed m -> Q2R E <= F -> 1 <= F -> 0 <= Q2R delta ->
  pairs_of_member m = Some pairs -> swap_is_below pairs E delta bits (Z.to_nat n) plans places = true ->
  S (length vs) = Z.to_nat n ->
  shuffle_below (member_law named classes) (map (pair j) (x :: vs)) (map (pair j) (y :: vs)) F (Q2R delta).
Proof.
  intros Nth P HE HF Hd Pairs B L.
  assert (Published : forall M (R : nat -> dist (list M)) (name : M -> option nat * answer),
    published_dp (messages R) (Z.to_nat n) F (Q2R delta) ->
    (forall x, same_law (member_law named classes (j, x)) (dmap (map name) (R x))) ->
    shuffle_below (member_law named classes) (map (pair j) (x :: vs)) (map (pair j) (y :: vs)) F (Q2R delta)).
  { intros M R name D Law. apply (of_one_class R _ name j _ _ _ _ Law). intros S HS.
    apply (D (x :: vs) (y :: vs) (replace_one [] x y vs)); [exact L | exact HS]. }
  assert (Rows : forall M (V : list nat -> dist (list M)) fewer, rows_of V pairs fewer true ->
    published_dp V (Z.to_nat n) F (Q2R delta)).
  { intros M V fewer [row [d [D [-> [_ [_ Right]]]]]]. apply published_iff; [lra |].
    exact (bundles_private row d pairs E F delta bits _ plans places Right D HE HF Hd B). }
  unfold member_law in *. destruct m as [r | r q a | of | of q a]; cbn [member_posed pairs_of_member] in P, Pairs.
  - destruct (sent_by_program named j r _ (randomizer_swapped r pairs E delta bits _ plans places F P HE HF Hd Pairs B))
      as [M [R [name [[_ D] Law]]]].
    apply (Published M R name); [apply published_iff; [lra | exact D] |]. intros z f. rewrite Nth, Law. reflexivity.
  - destruct P as [Pr [Ab [NL Hq]]]. destruct r as [t | f]; [destruct a; discriminate || congruence |].
    assert (Pairs' : away_pairs f q a false = Some pairs) by (destruct a; exact Pairs || congruence).
    assert (All : for_absence (Family f) q a (fun M _ V => published_dp V (Z.to_nat n) F (Q2R delta))).
    { assert (A := away_pairs_right f q a pairs true Pr Ab Hq (fun K => False_ind _ (diff_true_false K)) NL Pairs').
      revert A. apply for_absence_imp. intros M show V. apply Rows. }
    destruct (sometimes_program named j f q a _ Ab NL All) as [M [R [name [D Law]]]].
    apply (Published M R name D). intros z. rewrite Nth. apply Law.
  - injection Pairs as <-. apply (Published _ (together of) (fun m => (if named j then Some j else None, Reports [m])));
      [| intros z f; rewrite Nth; reflexivity].
    apply published_iff; [lra |]. rewrite together_places.
    exact (one_message_private (report of) _ _ (right_is_most _ _ _ (product_right of P)) (report_inputs_positive of P) E F delta bits _ plans places
      HE HF Hd B).
  - destruct P as [Po [Ab [NL Hq]]].
    apply (Published _ (fun x => away (Q2R q) (together of x) (reports_instead of a))
      (fun m => (if named j then Some j else None, Reports [m]))); [| intros z f; rewrite Nth; reflexivity].
    destruct a as [| | dummies]; [| congruence |].
    + injection Pairs as <-. exact (Rows _ _ _ (counted_reports of q true Po Hq)).
    + exact (Rows _ _ _ (hidden_reports_rows of dummies q pairs true Pure Po Ab Hq Pairs
        (fun K => False_ind _ (diff_true_false K)))).
Qed.

(** The claim shuffle_dp of classes of users who may be away: where what each class sends is what users of one
  randomizer
    send who are never away, the check is that of classes of these.

    [check_members_sound]: what is accepted holds, or does not, for every list of classes, level and witness. Source:
    docs/certificates.md, "Classes of users". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import sums laws privacy shuffler adding_a_user absent_users.
From ExactdpChecker Require Import claims witnesses kinds laws_of_noise laplace_table classes_of_users classes_checked.
From ExactdpChecker Require Import blanket_program family_rows absence_laws hidden_uniformly participation_checked
  absent_product_checked.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition as_never_away (m : member) : option randomizer :=
  match m with
  | Always r => Some r
  | Sometimes r q a => as_one_randomizer r q a
  end.

Fixpoint never_away (classes : list (member * Z)) : option (list (randomizer * Z)) :=
  match classes with
  | [] => Some []
  | (m, n) :: rest =>
      match as_never_away m, never_away rest with
      | Some r, Some plain => Some ((r, n) :: plain)
      | _, _ => None
      end
  end.

Definition member_is_posed (m : member) : bool :=
  match m with
  | Always r => posed.randomizer_is_posed r
  | Sometimes r q a =>
      posed.randomizer_is_posed r && absence_is_posed r a && match a with Listed => false | _ => true end &&
      (posed.less 0 q && posed.less q 1)
  end.

Definition members_are_posed (classes : list (member * Z)) (who : option Z) : bool :=
  negb (Nat.eqb (length classes) 0) && forallb (fun c => member_is_posed (fst c) && (1 <=? snd c)%Z) classes &&
  match who with Some j => (0 <=? j)%Z && (j <? Z.of_nat (length classes))%Z | None => true end.

Definition check_members (classes : list (member * Z)) (who : option Z) (l : level) (delta : Q) (proved : bool)
    (shown : witness) : bool :=
  members_are_posed classes who &&
  match never_away classes with
  | Some plain => check_classes plain who l delta proved shown
  | None => false
  end.

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_members_program (classes : list (member * Z)) (proved : bool) (shown : witness) : bool :=
  match never_away classes with
  | Some _ => has_classes_program proved shown
  | None => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma member_is_posed_sound m : member_is_posed m = true -> member_posed m.
Proof.
  destruct m as [r | r q a]; cbn [member_is_posed member_posed]; [apply posed.randomizer_is_posed_sound |].
  rewrite !andb_true_iff. intros [[[P A] N] [Q0 Q1]]. apply posed.less_sound in Q0, Q1.
  rewrite least_values.Q2R_0 in Q0. rewrite family_blanket.Q2R_1 in Q1.
  split; [apply posed.randomizer_is_posed_sound, P |]. split; [apply absence_is_posed_sound, A |].
  split; [destruct a; congruence | split; assumption].
Qed.

Lemma members_are_posed_sound classes who : members_are_posed classes who = true ->
  classes <> [] /\ (forall c, In c classes -> member_posed (fst c) /\ (1 <= snd c)%Z) /\
  forall j, who = Some j -> (0 <= j < Z.of_nat (length classes))%Z.
Proof.
  unfold members_are_posed. rewrite !andb_true_iff. intros [[S P] W]. split; [| split].
  - intros Z0. rewrite Z0 in S. discriminate.
  - intros c I. rewrite forallb_forall in P. specialize (P c I). apply andb_true_iff in P. destruct P as [P N].
    split; [apply member_is_posed_sound, P | apply Z.leb_le, N].
  - intros j ->. apply andb_true_iff in W. destruct W as [W1 W2]. apply Z.leb_le in W1. apply Z.ltb_lt in W2. lia.
Qed.

(** What one user sends, of the class in this place. *)
Definition sent_by (named : nat -> bool) (place : nat) (r : randomizer) (x : nat) : dist (list (option nat * answer)) :=
  for_program r (fun _ show R => dmap (map (fun m => (class_name named place r, show [m]))) (R x)).

Lemma mean_messages_of_one {M} (R : nat -> dist (list M)) x f : mean (messages R [x]) f = mean (R x) f.
Proof.
  rewrite mean_messages_first. apply mean_ext. intros u. cbn [messages]. rewrite mean_ret, app_nil_r. reflexivity.
Qed.

(** A table whose users are away sometimes. *)
Lemma table_sent named place t q a t' x : table_posed t -> absence_posed (Table t) a -> taking_part t q a = Some t' ->
  same_law (sent_by named place (Table t') x)
    (away (Q2R q) (sent_by named place (Table t) x) (sent_instead_of named place (Table t) a)).
Proof.
  intros P Ab T f. unfold sent_by. cbn [for_program class_name]. rewrite mean_away, !mean_dmap.
  rewrite (taking_part_law t q a t' x (proj1 P) T), mean_away by (intros chances ->; exact (proj1 Ab)). do 2 f_equal.
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
  intros P Ab Hq H. destruct r as [t | f].
  - cbn [as_one_randomizer listed_randomizer] in H. unfold as_one_randomizer in H. cbn [listed_randomizer] in H.
    destruct (taking_part t q a) as [t' |] eqn:T; [| discriminate]. injection H as <-. apply table_sent; assumption.
  - unfold as_one_randomizer in H. destruct f as [| | | | | top c].
    6: { cbn [listed_randomizer] in H. destruct (taking_part (laplace_table top c) q a) as [t' |] eqn:T; [|
      discriminate]. injection H as <-.
      assert (Same : forall x, sent_by named place (Table (laplace_table top c)) x = sent_by named place (Family
        (ClippedLaplace top c)) x).
      { intros y. unfold sent_by. cbn [for_program class_name]. rewrite laplace_table_law by exact P. reflexivity. }
      assert (Inst : sent_instead_of named place (Table (laplace_table top c)) a = sent_instead_of named place (Family
        (ClippedLaplace top c)) a)
        by (destruct a; try discriminate; reflexivity).
      rewrite <- Same, <- Inst. intros f. unfold sent_by. cbn [for_program class_name]. rewrite mean_away, !mean_dmap.
      assert (Some : rows (laplace_table top c) <> []) by (unfold laplace_table; cbn [rows seq map]; discriminate).
      rewrite (taking_part_law _ q a t' x Some T), mean_away by (intros chances ->; exact (proj1 Ab)). do 2 f_equal.
      destruct a as [| | | chances | z]; try discriminate; cbn [instead_law sent_instead_of dummy uniform_message
        class_name].
      - rewrite !mean_ret. reflexivity.
      - unfold sent. rewrite !mean_dmap. reflexivity.
      - unfold by_chances, sent. rewrite !mean_dmap. reflexivity. }
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

Lemma class_law_sent named classes u : class_law named classes u =
  match nth_error classes (fst u) with Some (r, _) => sent_by named (fst u) r (snd u) | None => ret [] end.
Proof. reflexivity. Qed.

Lemma never_away_nth classes : forall plain j, never_away classes = Some plain ->
  match nth_error classes j with
  | Some (m, n) => exists r, as_never_away m = Some r /\ nth_error plain j = Some (r, n)
  | None => nth_error plain j = None
  end.
Proof.
  induction classes as [| [m n] rest IH]; intros plain j H.
  - injection H as <-. destruct j; reflexivity.
  - cbn [never_away] in H. destruct (as_never_away m) as [r |] eqn:R; [| discriminate].
    destruct (never_away rest) as [l |]; [| discriminate]. injection H as <-.
    destruct j as [| j]; cbn [nth_error]; [exists r; auto | apply (IH l j eq_refl)].
Qed.

Lemma never_away_counts classes : forall plain, never_away classes = Some plain -> map snd plain = map snd classes.
Proof.
  induction classes as [| [m n] rest IH]; intros plain H; [injection H as <-; reflexivity |]. cbn [never_away] in H.
  destruct (as_never_away m); [| discriminate]. destruct (never_away rest) as [l |]; [| discriminate]. injection H as
    <-.
  simpl. f_equal. apply IH. reflexivity.
Qed.

Theorem members_same_law classes plain named u : (forall c, In c classes -> member_posed (fst c)) ->
  never_away classes = Some plain -> same_law (class_law named plain u) (member_law named classes u).
Proof.
  intros P H. assert (N := never_away_nth classes plain (fst u) H). unfold member_law. rewrite !class_law_sent,
    nth_error_map.
  destruct (nth_error classes (fst u)) as [[m n] |] eqn:E; cbn [option_map].
  - destruct N as [r [R ->]]. assert (Pm := P _ (nth_error_In _ _ E)). cbn [fst snd] in Pm |- *.
    destruct m as [s | s q a]; cbn [as_never_away run_by member_posed] in *.
    + injection R as ->. intros f. reflexivity.
    + destruct Pm as [Ps [Ab [_ Hq]]]. apply as_one_sent; assumption.
  - rewrite N. intros f. reflexivity.
Qed.

Theorem check_members_sound classes who l delta proved shown :
  check_members classes who l delta proved shown = true -> sound (MembersDP classes who l delta) proved.
Proof.
  unfold check_members. rewrite andb_true_iff. intros [P H]. apply members_are_posed_sound in P.
  destruct (never_away classes) as [plain |] eqn:N; [| discriminate]. apply check_classes_sound in H.
  destruct H as [[_ L] H]. split; [split; [exact P | exact L] |]. cbn [holds] in *.
  assert (Posed : forall c, In c classes -> member_posed (fst c)) by (intros c I; apply (proj1 (proj2 P) c I)).
  assert (Same : classes_private plain who (ratio l) (Q2R delta) <-> members_private classes who (ratio l) (Q2R delta)).
  { unfold classes_private, members_private. rewrite (never_away_counts classes plain N).
    split; apply users_same_law; intros named u f; [| symmetry]; apply (members_same_law classes plain named u Posed
      N). }
  destruct proved; [exact (proj1 Same H) | intros K; exact (H (proj2 Same K))].
Qed.

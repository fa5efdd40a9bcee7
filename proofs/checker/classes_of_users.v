(** Classes of users: what bounds, or tells apart, two data sets of users who run different randomizers.

    - [sent_by_program]: a user's messages are those of the program of his class, in the type of all classes, whatever is
      told of the classes of messages;
    - [some_looked_at]: for data sets of any classes it is enough to look at the users of some classes beside the one who
      differs, class by class; the messages of all others may be known;
    - [of_one_class]: the users of his own class are those of its randomizer.

    Idea: an event of all messages is one of some messages where the others are known. Source: docs/certificates.md,
    "Classes of users". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation PeanoNat.
From Exactdp Require Import reals sums laws privacy adding_a_user.
From ExactdpChecker Require Import claims laws_of_noise laplace_table.
Import ListNotations.
Open Scope R_scope.

(** ** One user *)

Lemma sent_by_program named place r (statement : forall M, (nat -> dist (list M)) -> Prop) :
  for_program r (fun M _ R => statement M R) ->
  exists M (R : nat -> dist (list M)) (name : M -> option nat * answer),
    statement M R /\ forall x, sent_by named place r x = dmap (map name) (R x).
Proof.
  intros S. unfold sent_by. destruct r as [t | f]; [| destruct f]; cbn [for_program] in *;
    match goal with S : statement ?M ?R |- _ => exists M, R end; eexists; (split; [exact S | intros x; reflexivity]).
Qed.

Lemma proper_sent_by named place r x : randomizer_posed r -> proper (sent_by named place r x).
Proof.
  intros P. destruct (sent_by_program named place r (fun _ R => forall x, proper (R x)) (proper_randomizer r P))
    as [M [R [name [H ->]]]]. apply proper_dmap, H.
Qed.

Lemma class_law_proper named classes u :
  (forall c, In c classes -> randomizer_posed (fst c)) -> proper (class_law named classes u).
Proof.
  intros P. unfold class_law. destruct (nth_error classes (fst u)) as [[r n] |] eqn:E; [| apply proper_ret].
  apply proper_sent_by, (P _ (nth_error_In _ _ E)).
Qed.

(** What is listed as a table is one. *)
Lemma listed_sent_by named place r x : randomizer_posed r ->
  sent_by named place (listed_randomizer r) x = sent_by named place r x.
Proof.
  intros P. destruct r as [t | []]; try reflexivity. unfold sent_by. cbn [listed_randomizer for_program].
  rewrite laplace_table_law by exact P. reflexivity.
Qed.

Lemma users_same_law (S S' : (nat -> bool) -> nat * nat -> dist (list (option nat * answer))) counts who E delta :
  (forall named u, same_law (S named u) (S' named u)) ->
  users_private S counts who E delta -> users_private S' counts who E delta.
Proof.
  intros L H named before place x y after D W T Sy. specialize (H named before place x y after D W T Sy).
  assert (Law : forall us f, mean (messages (S named) us) f = mean (messages (S' named) us) f).
  { intros us. induction us as [| u us IH]; intros f; [reflexivity |]. rewrite !mean_messages_first, L.
    apply mean_ext. intros mine. apply IH. }
  unfold Pr in *. rewrite !Law in H. exact H.
Qed.

(** ** Some of the users *)

Lemma bystanders {X M} (R : X -> dist (list M)) zs xs ys E delta :
  (forall z, proper (R z)) -> shuffle_below R xs ys E delta -> shuffle_below R (zs ++ xs) (zs ++ ys) E delta.
Proof. intros P H. induction zs as [| z zs IH]; [exact H | apply bystander; [apply P | exact IH]]. Qed.

Lemma bystanders_after {X M} (R : X -> dist (list M)) zs xs ys E delta :
  (forall z, proper (R z)) -> shuffle_below R xs ys E delta -> shuffle_below R (xs ++ zs) (ys ++ zs) E delta.
Proof.
  intros P H. apply (shuffle_below_permutation R (xs ++ zs) (ys ++ zs) (zs ++ xs) (zs ++ ys));
    [apply Permutation_app_comm .. |]. apply bystanders; assumption.
Qed.

Definition in_class {X} (j : nat) (u : nat * X) : bool := Nat.eqb (fst u) j.

Lemma parted {X} (used : list nat) (l : list (nat * X)) : NoDup used ->
  exists rest, Permutation l (concat (map (fun j => filter (in_class j) l) used) ++ rest).
Proof.
  intros N. induction N as [| j used J N IH]; [exists l; reflexivity |]. destruct IH as [rest P].
  assert (Split : forall m : list (nat * X), Permutation m (filter (in_class j) m ++ filter (fun u => negb (in_class j u)) m)).
  { clear. induction m as [| u m IH]; [reflexivity |]. simpl. destruct (in_class j u); simpl; [apply perm_skip, IH |].
    rewrite IH at 1. apply Permutation_middle. }
  exists (filter (fun u => negb (in_class j u)) rest).
  assert (Mine : Permutation (filter (in_class j) l) (filter (in_class j) rest)).
  { assert (F : forall m k : list (nat * X), Permutation m k -> Permutation (filter (in_class j) m) (filter (in_class j) k)).
    { clear. intros m k P. induction P; simpl; [reflexivity | | | etransitivity; eassumption].
      - destruct (in_class j x); [apply perm_skip |]; assumption.
      - destruct (in_class j x), (in_class j y); try reflexivity. apply perm_swap. }
    assert (G := F _ _ P). rewrite filter_app in G.
    assert (None : filter (in_class j) (concat (map (fun i => filter (in_class i) l) used)) = []).
    { clear -J. induction used as [| i used IH]; [reflexivity |]. simpl. rewrite filter_app, IH by (intros K; apply J; right; exact K).
      rewrite app_nil_r. assert (Ne : i <> j) by (intros K; apply J; left; exact K). clear -Ne.
      induction l as [| u l IH]; [reflexivity |]. simpl. unfold in_class in *. destruct (Nat.eqb_spec (fst u) i) as [E | _]; [| exact IH].
      simpl. destruct (Nat.eqb_spec (fst u) j); [congruence | exact IH]. }
    rewrite None in G. exact G. }
  rewrite P at 1. rewrite (Split rest) at 1. cbn [map concat]. rewrite Mine, <- app_assoc, !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.

(** How many users there are in a class. *)
Lemma count_data_set counts j : count_occ Nat.eq_dec (data_set counts) j = Z.to_nat (nth j counts 0%Z).
Proof.
  unfold data_set. assert (G : forall first, count_occ Nat.eq_dec (data_set_from first counts) j =
    if (j <? first)%nat then 0%nat else Z.to_nat (nth (j - first) counts 0%Z)); [| rewrite G, Nat.sub_0_r; reflexivity].
  induction counts as [| c counts IH]; intros first; cbn [data_set_from].
  - destruct (j <? first)%nat; [reflexivity |]. destruct (j - first)%nat; reflexivity.
  - rewrite count_occ_app, IH. destruct (Nat.eq_dec first j) as [-> | N].
    + rewrite count_occ_repeat_eq by reflexivity. rewrite (proj2 (Nat.ltb_lt j (S j)) ltac:(lia)), Nat.ltb_irrefl, Nat.sub_diag.
      cbn [nth]. lia.
    + rewrite count_occ_repeat_neq by congruence. destruct (Nat.ltb_spec j first), (Nat.ltb_spec j (S first)); try lia.
      replace (j - first)%nat with (S (j - S first)) by lia. reflexivity.
Qed.

Lemma class_size {X} (l : list (nat * X)) j : length (filter (in_class j) l) = count_occ Nat.eq_dec (map fst l) j.
Proof.
  induction l as [| u l IH]; [reflexivity |]. simpl. unfold in_class at 1.
  destruct (Nat.eqb_spec (fst u) j) as [-> | N]; destruct (Nat.eq_dec _ _); simpl; congruence.
Qed.

Definition others_in (counts : list Z) (place j : nat) : nat :=
  (Z.to_nat (nth j counts 0%Z) - if Nat.eqb j place then 1 else 0)%nat.

Lemma others_size counts before place (x : nat) after j :
  map fst (before ++ (place, x) :: after) = data_set counts ->
  length (filter (in_class j) (before ++ after)) = others_in counts place j.
Proof.
  intros E. assert (C := count_data_set counts j). rewrite <- E in C. unfold others_in. rewrite <- C, class_size, !map_app, !count_occ_app.
  cbn [map fst count_occ]. destruct (Nat.eq_dec place j) as [-> | N].
  - rewrite Nat.eqb_refl. lia.
  - rewrite (proj2 (Nat.eqb_neq j place)) by congruence. lia.
Qed.

Lemma of_class {X} (l : list (nat * X)) j : filter (in_class j) l = map (pair j) (map snd (filter (in_class j) l)).
Proof.
  rewrite map_map. rewrite <- (map_id (filter (in_class j) l)) at 1. apply map_ext_in. intros [i v] I. apply filter_In in I.
  destruct I as [_ I]. unfold in_class in I. apply Nat.eqb_eq in I. cbn [fst snd] in *. congruence.
Qed.

(** Those of the classes [used] are looked at beside the user who differs. *)
Theorem some_looked_at {M} (R : nat * nat -> dist (list M)) counts place used E delta :
  (forall u, proper (R u)) -> NoDup used ->
  (forall x y held, map (fun vs => length vs) held = map (others_in counts place) used ->
    let others := concat (map (fun jv => map (pair (fst jv)) (snd jv)) (combine used held)) in
    shuffle_below R ((place, x) :: others) ((place, y) :: others) E delta) ->
  forall before x y after, map fst (before ++ (place, x) :: after) = data_set counts ->
  shuffle_below R (before ++ (place, x) :: after) (before ++ (place, y) :: after) E delta.
Proof.
  intros P N H before x y after D. destruct (parted used (before ++ after) N) as [rest Q].
  set (held := map (fun j => map snd (filter (in_class j) (before ++ after))) used).
  assert (Others : concat (map (fun j => filter (in_class j) (before ++ after)) used) =
    concat (map (fun jv => map (pair (fst jv)) (snd jv)) (combine used held))).
  { unfold held. f_equal. clear. induction used as [| j used IH]; [reflexivity |]. cbn [map combine fst snd].
    rewrite <- IH. f_equal. apply of_class. }
  rewrite Others in Q. set (others := concat _) in Q.
  assert (Move : forall z : nat, Permutation (before ++ (place, z) :: after) (((place, z) :: others) ++ rest)).
  { intros z. rewrite <- Permutation_middle. simpl. apply perm_skip, Q. }
  apply (shuffle_below_permutation R _ _ _ _ E delta (Move x) (Move y)). apply bystanders_after; [exact P |].
  apply (H x y held). unfold held. rewrite map_map. apply map_ext. intros j. rewrite map_length.
  apply (others_size counts before place x after j D).
Qed.

(** ** Those of one class *)

Lemma named_messages {M N} (R : nat -> dist (list M)) (K : nat * nat -> dist (list N)) (name : M -> N) j xs f :
  (forall x, same_law (K (j, x)) (dmap (map name) (R x))) ->
  mean (messages K (map (pair j) xs)) f = mean (messages R xs) (fun u => f (map name u)).
Proof.
  intros H. revert f. induction xs as [| x xs IH]; intros f; [reflexivity |]. cbn [map]. rewrite !mean_messages_first, H, mean_dmap.
  apply mean_ext. intros u. rewrite IH. apply mean_ext. intros v. rewrite map_app. reflexivity.
Qed.

Theorem of_one_class {M N} (R : nat -> dist (list M)) (K : nat * nat -> dist (list N)) (name : M -> N) j xs ys E delta :
  (forall x, same_law (K (j, x)) (dmap (map name) (R x))) -> shuffle_below R xs ys E delta ->
  shuffle_below K (map (pair j) xs) (map (pair j) ys) E delta.
Proof.
  intros H B T S. unfold Pr. rewrite !(named_messages R K name j _ _ H). apply (B (fun u => T (map name u))).
  intros u v P. apply S, Permutation_map, P.
Qed.

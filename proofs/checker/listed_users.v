(** Users of whom a list of those who take part is published: what is seen of them, as draws from rows with names.

    Of a user with the name k who is away the name is drawn, in place of a message: so the rows of the others tell who
    is on the list, and the order of what is drawn does not matter. For every randomizer, data set and number of users:

    - [listed_view]: an event of what is published is one of the draws ([names_and_messages]) where the user who differs
      takes part, and else the same for both data sets;
    - [listed_rows]: classes of two inputs are those of these rows, times q, with one more for who is away;
    - [listed_private]: so a swap or a blanket of these classes bounds what is published.

    Source: docs/soundness.md, "Who is away adds a message, a dummy or a name on a list". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy shuffler single_message adding_a_user.
From Exactdp Require Import mean_excess hidden_message blanket generic_blanket classes least_values absent_users supports pair_bound swapped_stages.
From ExactdpChecker Require Import claims witnesses blanket_program blanket_sound family_blanket family_rows swap_checked.
From ExactdpChecker Require Import laplace_table absence_laws away_rows participation_rows.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

(** ** What is published, from what is drawn *)

Section views.

Context {M : Type} (R : nat -> dist (list M)) (q : Q).

Definition is_away (k : nat) (a : list M + nat) : bool := match a with inr j => Nat.eqb j k | inl _ => false end.

Definition messages_drawn_by (l : list (list M + nat)) : list M := flat_map (fun a => match a with inl u => u | inr _ => [] end) l.

(** Of users with these names. *)
Definition names_and_messages (names : list nat) (l : list (list M + nat)) : list (nat + M) :=
  map inl (filter (fun k => negb (existsb (is_away k) l)) names) ++ map inr (messages_drawn_by l).

Definition named_row (user : nat * nat) : dist (list M + nat) := away (Q2R q) (dmap inl (R (snd user))) (ret (inr (fst user))).

Lemma names_and_messages_permuted names l m : Permutation l m ->
  Permutation (names_and_messages names l) (names_and_messages names m).
Proof.
  intros P. unfold names_and_messages. apply Permutation_app.
  - erewrite filter_ext; [reflexivity |]. intros k. cbv beta. f_equal.
    destruct (existsb (is_away k) m) eqn:E.
    + apply existsb_exists in E. destruct E as [a [I H]]. apply existsb_exists. exists a.
      split; [apply (Permutation_in a (Permutation_sym P) I) | exact H].
    + destruct (existsb (is_away k) l) eqn:F; [| reflexivity]. apply existsb_exists in F. destruct F as [a [I H]].
      rewrite <- E. symmetry. apply existsb_exists. exists a. split; [apply (Permutation_in a P I) | exact H].
  - apply Permutation_map. unfold messages_drawn_by. apply Permutation_flat_map, P.
Qed.

Lemma names_of_drawn others wl k : In wl (draws (map named_row others)) -> In (inr k) (snd wl) -> In k (map fst others).
Proof.
  revert wl. induction others as [| [j x] others IH]; intros wl I J.
  - destruct I as [<- | []]. destruct J.
  - simpl in I. apply in_flat_map in I. destruct I as [wa [Ia I]]. apply in_map_iff in I. destruct I as [wb [<- I]].
    cbn [snd] in J. apply in_flat_map in I. destruct I as [wc [Ic I]]. apply in_map_iff in I. destruct I as [wd [<- [<- | []]]].
    cbn [snd] in J. destruct J as [E | J]; [| right; apply (IH wc Ic J)].
    left. unfold named_row in Ia. apply in_app_or in Ia. cbn [fst].
    destruct Ia as [Ia | Ia]; apply in_map_iff in Ia; destruct Ia as [we [<- Ia]]; cbn [snd] in E.
    + rewrite each_renamed in Ia. apply in_map_iff in Ia. destruct Ia as [wf [<- _]]. discriminate.
    + destruct Ia as [<- | []]. injection E as <-. reflexivity.
Qed.

Lemma no_name k l : (forall j, In (inr j) l -> j <> k) -> existsb (is_away k) l = false.
Proof.
  intros H. destruct (existsb (is_away k) l) eqn:E; [| reflexivity]. apply existsb_exists in E.
  destruct E as [[u | j] [I A]]; [discriminate |]. apply Nat.eqb_eq in A. destruct (H j I A).
Qed.

Lemma with_first_present k u ks l : (forall j, In (inr j) l -> j <> k) ->
  Permutation (names_and_messages (k :: ks) (inl u :: l)) ((inl k :: map inr u) ++ names_and_messages ks l).
Proof.
  intros H. unfold names_and_messages. cbn [filter messages_drawn_by flat_map existsb is_away orb].
  rewrite (no_name k l H). cbn [negb map app]. apply perm_skip. rewrite map_app, !app_assoc.
  apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma with_first_away k ks l : ~ In k ks -> names_and_messages (k :: ks) (inr k :: l) = names_and_messages ks l.
Proof.
  intros N. unfold names_and_messages. cbn [filter existsb is_away orb messages_drawn_by flat_map app].
  rewrite Nat.eqb_refl. cbn [orb negb]. f_equal. f_equal. apply filter_ext_in. intros j I. cbn [existsb is_away].
  destruct (Nat.eqb_spec k j) as [-> |]; [contradiction | reflexivity].
Qed.

Lemma mean_with_name k x f : mean (with_name q R (k, x)) f =
  Q2R q * mean (R x) (fun u => f (inl k :: map inr u)) + (1 - Q2R q) * f [].
Proof. unfold with_name. cbn [fst snd]. rewrite mean_away, mean_dmap, mean_ret. reflexivity. Qed.

Lemma mean_named_row k x f : mean (named_row (k, x)) f =
  Q2R q * mean (R x) (fun u => f (inl u)) + (1 - Q2R q) * f (inr k).
Proof. unfold named_row. cbn [fst snd]. rewrite mean_away, mean_dmap, mean_ret. reflexivity. Qed.

Lemma mean_messages_first (S : nat * nat -> dist (list (nat + M))) user others f :
  mean (messages S (user :: others)) f = mean (S user) (fun u => mean (messages S others) (fun v => f (u ++ v))).
Proof.
  cbn [messages]. rewrite mean_bind. apply mean_ext. intros u. rewrite mean_bind. apply mean_ext. intros v.
  apply mean_ret.
Qed.

Lemma published_drawn others F w : NoDup (map fst others) -> orderless F ->
  mean (messages (with_name q R) others) (fun v => F (w ++ v)) =
  mean (draws (map named_row others)) (fun l => F (w ++ names_and_messages (map fst others) l)).
Proof.
  intros N O. revert w. induction others as [| [k x] others IH]; intros w.
  - cbn [messages map draws]. rewrite !mean_ret. reflexivity.
  - cbn [map fst] in *. inversion N as [| ? ? Nk No]. subst.
    rewrite mean_messages_first, mean_with_name. cbn [map]. rewrite mean_draws_first, mean_named_row. f_equal; f_equal.
    + apply mean_ext. intros u.
      rewrite (mean_ext _ _ (fun v => F ((w ++ inl k :: map inr u) ++ v))) by (intros v; rewrite <- app_assoc; reflexivity).
      rewrite (IH No). apply mean_ext_in. intros wl I. apply O. rewrite <- app_assoc. apply Permutation_app_head.
      symmetry. apply with_first_present. intros j J. apply (names_of_drawn others wl j I) in J. congruence.
    + cbn [app]. rewrite (IH No). apply mean_ext. intros l. rewrite with_first_away by exact Nk. reflexivity.
Qed.

Definition present (x : nat) : dist (list M + nat) := part_of (dmap inl (R x)) (Q2R q).

Theorem listed_view k x others T : NoDup (k :: map fst others) -> symmetric T ->
  Pr (messages (with_name q R) ((k, x) :: others)) T =
  (1 - Q2R q) * Pr (messages (with_name q R) others) T +
  mean (draws (present x :: map named_row others)) (fun l => indicator T (names_and_messages (k :: map fst others) l)).
Proof.
  intros N S. inversion N as [| ? ? Nk No]. subst. unfold Pr at 1. rewrite mean_messages_first, mean_with_name.
  rewrite mean_draws_first. unfold present. rewrite mean_part_of, mean_dmap, Rplus_comm. f_equal. f_equal.
  apply mean_ext. intros u. rewrite (published_drawn others (indicator T) _ No (orderless_indicator T S)).
  apply mean_ext_in. intros wl I. apply orderless_indicator; [exact S |]. symmetry. apply with_first_present.
  intros j J. apply (names_of_drawn others wl j I) in J. congruence.
Qed.

End views.

(** ** Rows with names *)

Definition listed_pair (q : Q) (pair : input_pair) : input_pair :=
  {| of_blanket := scaled q (of_blanket pair);
     of_others := map (fun classes => scaled q classes ++ [(0%Q, 0%Q, Qred (1 - q))]) (of_others pair) |}.

Section rows.

Context {M : Type} (R : nat -> dist (list M)) (q : Q).
Hypothesis often : 0 < Q2R q < 1.

Lemma inl_injective {A B} (a b : A) : @inl A B a = inl b -> a = b.
Proof. congruence. Qed.

Definition shown_part (d : dist (list M)) : dist (list M + nat) := part_of (dmap inl d) (Q2R q).

Lemma shown_mixes (d : dist (list M)) k : mixes inl (inr k : list M + nat) (Q2R q) (shown_part d) d 0.
Proof. intros f. unfold shown_part. rewrite mean_part_of, mean_dmap. ring. Qed.

Lemma named_mixes k x : mixes inl (inr k : list M + nat) (Q2R q) (named_row R q (k, x)) (R x) (1 - Q2R q).
Proof. intros f. apply mean_named_row. Qed.

Lemma apart_from_names {A} (k : nat) (a : A) : inl a <> inr k.
Proof. discriminate. Qed.

Lemma listed_told P P' k x classes : tells P P' (R x) classes ->
  tells (shown_part P) (shown_part P') (named_row R q (k, x)) (scaled q classes ++ [(0%Q, 0%Q, Qred (1 - q))]).
Proof.
  intros T. apply (tells_mixed inl (inr k : list M + nat) (Q2R q) inl_injective (apart_from_names k) (proj1 often)
    _ _ _ P P' (R x) 0 (1 - Q2R q) classes); try apply shown_mixes; [apply named_mixes | exact T |].
  left. split; [| lra]. rewrite map_app, scaled_value. f_equal. cbn [map]. unfold real_class, under_first, under_second, under_reference.
  cbn [fst snd]. rewrite rest_value, Q2R_0. reflexivity.
Qed.

Lemma listed_blanket_told P P' c classes : tells P P' c classes ->
  tells (shown_part P) (shown_part P') (shown_part c) (scaled q classes).
Proof.
  intros T. apply (tells_mixed inl (inr 0%nat : list M + nat) (Q2R q) inl_injective (apart_from_names 0) (proj1 often)
    _ _ _ P P' c 0 0 classes); try apply shown_mixes; [exact T |]. right. split; [apply scaled_value | split; reflexivity].
Qed.

Lemma shown_below c k x : lies_below c (R x) -> lies_below (shown_part c) (named_row R q (k, x)).
Proof.
  intros [S B]. assert (Sc : sub_law (shown_part c)).
  { intros wa I. apply in_map_iff in I. destruct I as [wb [<- I]]. rewrite each_renamed in I. apply in_map_iff in I.
    destruct I as [wc [<- I]]. simpl. apply Rmult_le_pos; [lra | apply S, I]. }
  split; [exact Sc |]. intros [u | j].
  - rewrite (mixed_mass inl (inr 0%nat) (Q2R q) inl_injective (apart_from_names 0) _ c 0 u (shown_mixes c 0)).
    rewrite (mixed_mass inl (inr k) (Q2R q) inl_injective (apart_from_names k) _ (R x) _ u (named_mixes k x)).
    apply Rmult_le_compat_l; [lra | apply B].
  - rewrite (mixed_nothing inl (inr j) (Q2R q) (apart_from_names j) _ c 0 (shown_mixes c j)).
    destruct (Nat.eq_dec j k) as [-> | N].
    + rewrite (mixed_nothing inl (inr k) (Q2R q) (apart_from_names k) _ (R x) _ (named_mixes k x)). lra.
    + right. symmetry. apply (mixed_outside inl (inr k) (Q2R q) _ (R x) (1 - Q2R q) (inr j) (named_mixes k x)); congruence.
Qed.

Lemma proper_named k x : proper (R x) -> proper (named_row R q (k, x)).
Proof. intros P. apply proper_away; [lra | apply proper_dmap, P | apply proper_ret]. Qed.

Lemma weight_shown c : weight (shown_part c) = Q2R q * weight c.
Proof. unfold weight, shown_part. rewrite mean_part_of, mean_dmap. reflexivity. Qed.

End rows.

(** ** Privacy of what is published *)

Section published.

Context {M : Type} (R : nat -> dist (list M)) (d : nat) (q : Q) (pairs : list input_pair).
Hypothesis often : 0 < Q2R q < 1.
Hypothesis some : (0 < d)%nat.
Hypothesis right : pairs_right R d pairs.

Let program (x : nat) : dist (list M) := R (Nat.min x (d - 1)).

(** Whatever bounds the draws of the rows of two inputs with others of any rows and names bounds what is published. *)
Lemma published_if_drawn n E F delta : E <= F -> 1 <= F -> 0 <= delta ->
  (forall x y (others : list (nat * nat)) g, (x < d)%nat -> (y < d)%nat -> S (length others) = n ->
    same_law (R x) (R y) \/ (orderless g -> (forall l, 0 <= g l <= 1) ->
      mean (draws (shown_part q (R x) :: map (named_row program q) others)) g -
        E * mean (draws (shown_part q (R y) :: map (named_row program q) others)) g <= delta)) ->
  published_dp (fun xs => messages (with_name q program) (numbered xs)) n F delta.
Proof.
  intros HE HF Hd H xs ys Nb L T S. destruct Nb as [before x y after].
  set (i := length before). set (others := combine (seq 0 i) before ++ combine (seq (Datatypes.S i) (length after)) after).
  assert (Split : forall z, Permutation (numbered (before ++ z :: after)) ((i, z) :: others)).
  { intros z. unfold numbered. rewrite app_length. cbn [length].
    replace (seq 0 (length before + Datatypes.S (length after))) with (seq 0 i ++ i :: seq (Datatypes.S i) (length after))
      by (rewrite seq_app; reflexivity).
    assert (App : forall (a b : list nat) (c e : list nat), length a = length c -> combine (a ++ b) (c ++ e) = combine a c ++ combine b e).
    { induction a as [| a0 a IH]; intros b [| c0 c] e Q; try discriminate; [reflexivity |]. simpl. f_equal. apply IH.
      injection Q. auto. }
    rewrite App by (rewrite seq_length; reflexivity). cbn [combine]. symmetry. apply Permutation_middle. }
  assert (Names : NoDup (i :: map fst others)).
  { assert (Fst : forall (a b : list nat), length a = length b -> map fst (combine a b) = a).
    { induction a as [| a0 a IH]; intros [| b0 b] Q; try discriminate; [reflexivity |]. simpl. f_equal. apply IH.
      injection Q. auto. }
    unfold others. rewrite map_app, !Fst by apply seq_length.
    apply (Permutation_NoDup (l := seq 0 (i + Datatypes.S (length after)))); [| apply seq_NoDup].
    rewrite seq_app. symmetry. apply Permutation_middle. }
  assert (View : forall z, Pr (messages (with_name q program) (numbered (before ++ z :: after))) T =
    (1 - Q2R q) * Pr (messages (with_name q program) others) T +
    mean (draws (present program q z :: map (named_row program q) others))
      (fun l => indicator T (names_and_messages (i :: map fst others) l))).
  { intros z. rewrite <- (listed_view program q i z others T Names S). unfold Pr.
    apply messages_permutation; [apply Split | apply orderless_indicator, S]. }
  assert (Proper : forall z, proper (program z)) by (intros z; apply (proj1 right); unfold program; lia).
  rewrite !View. set (g := fun l => indicator T (names_and_messages (i :: map fst others) l)).
  assert (Rest : 0 <= Pr (messages (with_name q program) others) T).
  { apply Pr_bounds, proper_messages. intros [k z]. apply proper_away; [lra | apply proper_dmap, Proper | apply proper_ret]. }
  assert (G : orderless g) by (intros l m P; unfold g; apply (orderless_indicator T S), names_and_messages_permuted, P).
  assert (G1 : forall l, 0 <= g l <= 1) by (intros l; apply indicator_bounds).
  assert (Lo : Datatypes.S (length others) = n).
  { rewrite <- L, app_length. unfold others. rewrite app_length, !combine_length, !seq_length. simpl. unfold i. lia. }
  assert (Gy : 0 <= mean (draws (present program q y :: map (named_row program q) others)) g).
  { rewrite mean_draws_first. unfold present. rewrite mean_part_of, mean_dmap. apply Rmult_le_pos; [lra |].
    apply mean_nonneg; [apply Proper |]. intros u. apply mean_nonneg; [| intros l; apply G1]. apply proper_draws.
    apply Forall_forall. intros e I. apply in_map_iff in I. destruct I as [[k z] [<- _]]. apply proper_named, Proper. exact often. }
  destruct (H (Nat.min x (d - 1)) (Nat.min y (d - 1)) others g ltac:(lia) ltac:(lia) Lo) as [Same | B].
  - assert (Eq : mean (draws (present program q x :: map (named_row program q) others)) g =
      mean (draws (present program q y :: map (named_row program q) others)) g).
    { rewrite !mean_draws_first. unfold present. rewrite !mean_part_of, !mean_dmap. f_equal. apply Same. }
    rewrite Eq. revert Gy. generalize (mean (draws (present program q y :: map (named_row program q) others)) g).
    revert Rest. generalize (Pr (messages (with_name q program) others) T). intros a A b B0.
    assert (X := Rmult_le_pos _ _ (Rlt_le _ _ (Rlt_Rminus _ _ (proj2 often))) A).
    assert (Y := Rmult_le_pos (F - 1) ((1 - Q2R q) * a + b) ltac:(lra) ltac:(lra)). lra.
  - specialize (B G G1). change (shown_part q (R (Nat.min x (d - 1)))) with (present program q x) in B.
    change (shown_part q (R (Nat.min y (d - 1)))) with (present program q y) in B.
    revert Gy B. generalize (mean (draws (present program q y :: map (named_row program q) others)) g).
    generalize (mean (draws (present program q x :: map (named_row program q) others)) g).
    revert Rest. generalize (Pr (messages (with_name q program) others) T). intros a A b b' B0 B1.
    assert (X := Rmult_le_pos _ _ (Rlt_le _ _ (Rlt_Rminus _ _ (proj2 often))) A).
    assert (Y := Rmult_le_pos (F - 1) ((1 - Q2R q) * a) ltac:(lra) X).
    assert (Z := Rmult_le_compat_r b' E F B0 HE). lra.
Qed.

(** The pair of two inputs, with what the others may draw. *)
Lemma listed_right x y (others : list (nat * nat)) : (x < d)%nat -> (y < d)%nat ->
  same_law (R x) (R y) \/ exists pair c, In pair (map (listed_pair q) pairs) /\ sub_law c /\ weight c <= 1 /\
    weight c = Q2R (sum_of (map under_reference (of_blanket pair))) /\
    tells (shown_part q (R x)) (shown_part q (R y)) c (of_blanket pair) /\
    Forall (fun e => proper e /\ lies_below c e) (map (named_row program q) others) /\
    forall row, In row (map (named_row program q) others) ->
      exists classes, In classes (of_others pair) /\ tells (shown_part q (R x)) (shown_part q (R y)) row classes.
Proof.
  intros X Y. destruct right as [Proper [c [Below Each]]].
  destruct (Each x y X Y) as [Same | [pair [I [W [B Others]]]]]; [left; exact Same | right].
  assert (Place : forall z, (Nat.min z (d - 1) < d)%nat) by (intros z; lia).
  exists (listed_pair q pair), (shown_part q c). split; [apply in_map, I |]. cbn [of_blanket of_others listed_pair].
  assert (Sc := shown_below program q often c 0 x (Below _ (Place x))).
  split; [apply Sc |]. split; [| split; [| split; [| split]]].
  - rewrite weight_shown. assert (X1 := weight_below c (R x) (Proper x X) (Below x X)).
    assert (X0 := swapped_stages.weight_nonneg c (proj1 (Below x X))). nra.
  - rewrite weight_shown, scaled_total, W. reflexivity.
  - apply listed_blanket_told; assumption.
  - apply Forall_forall. intros e J. apply in_map_iff in J. destruct J as [[k z] [<- _]].
    split; [apply proper_named; [exact often | apply Proper, Place] | apply shown_below; [exact often | apply Below, Place]].
  - intros row J. apply in_map_iff in J. destruct J as [[k z] [<- _]]. destruct (Others _ (Place z)) as [classes [K T]].
    exists (scaled q classes ++ [(0%Q, 0%Q, Qred (1 - q))]). split; [apply in_map_iff; exists classes; auto |].
    apply (listed_told program q often _ _ k z classes T).
Qed.

End published.

(** Moving both views leaves their divergence, and what a proof of shuffle privacy has to sweep over.

    A bystander is a user with the same input in both data sets. Let the rows of two inputs z and z' be one
    law of messages and, besides, fixed messages: m for z, m' for z'. Then a pair of data sets with z as a
    bystander is (E, delta)-below in the same cases as the pair with z' in his place
    ([moved_bystander]); all real E and delta. The checker moves each row so that the least value of each
    count is 0: then every outcome of the row has these least counts as fixed messages, and rows that
    become equal are such rows.

    So the sweep of the checker proves privacy, for records of any type, any number of messages, every
    n >= 1, E >= 1 and delta >= 0: over one order of each multiset of n - 1 bystanders, taken from a list of
    inputs that has every row up to fixed messages, and over any two different inputs of a list that has
    every row ([sweep]); or one of these inputs against nobody, in both orders ([sweep_add_or_remove]).
    What is proved at n for added or removed users holds for all n' >= n ([adding_users_add_or_remove]; for
    replaced ones that is adding_a_user.v).

    Idea: an event T for data sets with z' is, for those with z, the event "the messages are m and others
    which with m' are in T". It is symmetric, because fixed messages can be taken out of a multiset.

    The functions View.pairs, at_zero and bystander_laws of exactdp/checker/ rest on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user equal_rows.
Import ListNotations.
Open Scope R_scope.

(** The row of z is the law [base] and the messages [fixed]. *)
Definition row_with {M} (P base : dist (list M)) (fixed : list M) : Prop :=
  same_row P (dmap (app fixed) base).

(** Rows that are equal up to fixed messages. *)
Definition moved_row {M} (P Q : dist (list M)) : Prop :=
  exists base m m', row_with P base m /\ row_with Q base m'.

Lemma moved_row_of_same {M} (P Q : dist (list M)) : same_row P Q -> moved_row P Q.
Proof.
  intros H. exists Q, [], []. split; intros f F; [rewrite (H f F) |]; rewrite mean_dmap; reflexivity.
Qed.

Lemma moved_row_sym {M} (P Q : dist (list M)) : moved_row P Q -> moved_row Q P.
Proof. intros [base [m [m' [H K]]]]. exists base, m', m. auto. Qed.

(** Take out m, put in m'. *)
Definition exchange {M} (m m' : list M) (T : list M -> bool) (u : list M) : bool :=
  if decide (exists w, Permutation u (m ++ w) /\ T (m' ++ w) = true) then true else false.

Lemma exchange_symmetric {M} (m m' : list M) T : symmetric (exchange m m' T).
Proof.
  intros u v P. unfold exchange.
  destruct (decide _) as [[w [W TW]] | N], (decide _) as [Y' | N']; try reflexivity; exfalso.
  - apply N'. exists w. split; [rewrite <- P; exact W | exact TW].
  - destruct Y' as [w [W TW]]. apply N. exists w. split; [rewrite P; exact W | exact TW].
Qed.

Lemma exchange_with {M} (m m' : list M) T w : symmetric T -> exchange m m' T (m ++ w) = T (m' ++ w).
Proof.
  intros S. unfold exchange. destruct (decide _) as [[w' [W TW]] | N].
  - rewrite <- TW. apply S, Permutation_app_head, Permutation_sym, (Permutation_app_inv_l m _ _ W).
  - destruct (T (m' ++ w)) eqn:E; [| reflexivity]. destruct N. exists w. auto.
Qed.

Lemma orderless_mean_others {M} (D : dist (list M)) (f : list M -> R) :
  orderless f -> orderless (fun mine => mean D (fun others => f (mine ++ others))).
Proof. intros F u v P. apply mean_ext. intros others. apply F, Permutation_app_tail, P. Qed.

(** The fixed messages may be taken to be another part of the event. *)
Lemma bystander_with {X M} (R : X -> dist (list M)) z base m xs T :
  row_with (R z) base m -> symmetric T ->
  Pr (messages R (z :: xs)) T =
  mean base (fun u => Pr (messages R xs) (fun others => T (m ++ u ++ others))).
Proof.
  intros H S. unfold Pr. rewrite mean_messages_first.
  rewrite (H (fun mine => mean (messages R xs) (fun others => indicator T (mine ++ others)))).
  - rewrite mean_dmap. apply mean_ext. intros u. apply mean_ext. intros others.
    unfold indicator. rewrite app_assoc. reflexivity.
  - apply orderless_mean_others, orderless_indicator, S.
Qed.

Theorem moved_bystander {X M} (R : X -> dist (list M)) z z' xs ys E delta :
  moved_row (R z) (R z') ->
  (shuffle_below R (z :: xs) (z :: ys) E delta <-> shuffle_below R (z' :: xs) (z' :: ys) E delta).
Proof.
  assert (One : forall z z', moved_row (R z) (R z') ->
    shuffle_below R (z :: xs) (z :: ys) E delta -> shuffle_below R (z' :: xs) (z' :: ys) E delta).
  { clear z z'. intros z z' [base [m [m' [H K]]]] B T S.
    assert (S' := exchange_symmetric m m' T). specialize (B (exchange m m' T) S').
    rewrite !(bystander_with R z' base m' _ T K S).
    rewrite !(bystander_with R z base m _ _ H S') in B.
    assert (Same : forall us u,
      Pr (messages R us) (fun others => exchange m m' T (m ++ u ++ others)) =
      Pr (messages R us) (fun others => T (m' ++ u ++ others))).
    { intros us u. apply Pr_ext. intros others. apply exchange_with, S. }
    rewrite (mean_ext base _ _ (Same xs)), (mean_ext base _ _ (Same ys)) in B. exact B. }
  intros H. split; apply One; [exact H | apply moved_row_sym, H].
Qed.

(** All bystanders at once. *)
Lemma moved_bystanders {X M} (R : X -> dist (list M)) zs us xs ys E delta :
  Forall2 (fun z u => moved_row (R z) (R u)) zs us ->
  shuffle_below R (us ++ xs) (us ++ ys) E delta -> shuffle_below R (zs ++ xs) (zs ++ ys) E delta.
Proof.
  intros H. revert xs ys. induction H as [| z u zs us H _ IH]; intros xs ys B; [exact B |].
  simpl in *. apply (moved_bystander R z u _ _ E delta H).
  apply (shuffle_below_permutation R _ _ (zs ++ u :: xs) (zs ++ u :: ys)).
  - apply Permutation_middle.
  - apply Permutation_middle.
  - apply IH. apply (shuffle_below_permutation R _ _ (u :: us ++ xs) (u :: us ++ ys)).
    + symmetry. apply Permutation_middle.
    + symmetry. apply Permutation_middle.
    + exact B.
Qed.

(** ** What has to be checked *)

(** Every input has an equal row among those of the list; or one that is equal up to fixed messages. *)
Definition has_all_rows {X M} (R : X -> dist (list M)) (rows : list X) : Prop :=
  forall x, exists y, In y rows /\ same_row (R x) (R y).

Definition has_all_classes {X M} (R : X -> dist (list M)) (rows : list X) : Prop :=
  forall x, exists y, In y rows /\ moved_row (R x) (R y).

Lemma classes_exist {X M} (R : X -> dist (list M)) rows xs :
  has_all_classes R rows ->
  exists ys, Forall2 (fun x y => moved_row (R x) (R y)) xs ys /\ incl ys rows /\ length ys = length xs.
Proof.
  intros H. induction xs as [| x xs [ys [HE [HI HL]]]].
  - exists []. split; [constructor | split; [intros y [] | reflexivity]].
  - destruct (H x) as [y [I S]]. exists (y :: ys). split; [constructor; assumption |].
    split; [intros z [<- | J]; [exact I | apply HI, J] | simpl; rewrite HL; reflexivity].
Qed.

(** Every multiset of m inputs of the list stands in one order at least among the swept lists. *)
Definition sweeps {X} (m : nat) (rows : list X) (swept : list X -> Prop) : Prop :=
  forall zs, incl zs rows -> length zs = m -> exists us, swept us /\ Permutation zs us.

(** The bystanders of a pair may be taken from the sweep. *)
Lemma swept_pair {X M} (R : X -> dist (list M)) rows swept m zs ends ends' E delta :
  has_all_classes R rows -> sweeps m rows swept -> length zs = m ->
  (forall us, swept us -> shuffle_below R (ends ++ us) (ends' ++ us) E delta) ->
  shuffle_below R (ends ++ zs) (ends' ++ zs) E delta.
Proof.
  intros HR HS L H. destruct (classes_exist R rows zs HR) as [ys [HE [HI HL]]].
  destruct (HS ys HI ltac:(lia)) as [us [SW P]].
  apply (shuffle_below_permutation R _ _ (zs ++ ends) (zs ++ ends')); try apply Permutation_app_comm.
  apply (moved_bystanders R zs ys); [exact HE |].
  apply (shuffle_below_permutation R _ _ (ends ++ us) (ends' ++ us)).
  - rewrite P. apply Permutation_app_comm.
  - rewrite P. apply Permutation_app_comm.
  - apply H, SW.
Qed.

(** The user who is replaced may be taken to stand first. *)
Lemma replaced_first {X} (xs ys : list X) :
  neighbors xs ys -> exists zs x y, Permutation xs (x :: zs) /\ Permutation ys (y :: zs) /\
  length zs = pred (length xs).
Proof.
  intros [before x y after]. exists (before ++ after), x, y.
  split; [symmetry; apply Permutation_middle |]. split; [symmetry; apply Permutation_middle |].
  rewrite !app_length. simpl. lia.
Qed.

(** Replace one: all neighbouring data sets of n users. *)
Lemma sweep {X M} (R : X -> dist (list M)) (ends rows : list X) swept n E delta :
  (forall x, proper (R x)) -> has_all_rows R ends -> has_all_classes R rows ->
  sweeps (pred n) rows swept -> 1 <= E -> 0 <= delta ->
  (forall us x y, swept us -> In x ends -> In y ends -> x <> y ->
   shuffle_below R (x :: us) (y :: us) E delta) ->
  forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys E delta.
Proof.
  intros HP HE HR HS E1 D0 H xs ys N L.
  destruct (replaced_first xs ys N) as [zs [x [y [PX [PY LZ]]]]].
  destruct (HE x) as [x' [Ix Sx]]. destruct (HE y) as [y' [Iy Sy]].
  apply (equal_rows_below R xs (x' :: zs) (x :: zs) ys (y' :: zs) (y :: zs)).
  - exact PX.
  - constructor; [exact Sx | apply equal_users_refl].
  - exact PY.
  - constructor; [exact Sy | apply equal_users_refl].
  - destruct (decide (x' = y')) as [<- | D].
    + apply (equal_rows_private R (x' :: zs) (x' :: zs)); auto. apply equal_users_refl.
    + apply (swept_pair R rows swept (pred n) zs [x'] [y']); auto; [lia |].
      intros us SW. apply H; assumption.
Qed.

(** In the words of privacy.v. *)
Theorem sweep_shuffle_dp {X M} (R : X -> dist (list M)) (ends rows : list X) swept n eps delta :
  (forall x, proper (R x)) -> has_all_rows R ends -> has_all_classes R rows ->
  sweeps (pred n) rows swept -> 0 <= eps -> 0 <= delta ->
  (forall us x y, swept us -> In x ends -> In y ends -> x <> y ->
   shuffle_below R (x :: us) (y :: us) (exp eps) delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros HP HE HR HS E0 D0 H. apply shuffle_dp_iff_pairs.
  apply (sweep R ends rows swept); auto. apply exp_ge_1, E0.
Qed.

(** Add or remove one: a data set of n users, and the same without one of them. *)
Definition add_or_remove_below {X M} n (R : X -> dist (list M)) (E delta : Rdefinitions.R) : Prop :=
  forall xs x zs, Permutation xs (x :: zs) -> length xs = n ->
  shuffle_below R xs zs E delta /\ shuffle_below R zs xs E delta.

Theorem sweep_add_or_remove {X M} (R : X -> dist (list M)) (ends rows : list X) swept n E delta :
  has_all_rows R ends -> has_all_classes R rows -> sweeps (pred n) rows swept ->
  (forall us x, swept us -> In x ends ->
   shuffle_below R (x :: us) us E delta /\ shuffle_below R us (x :: us) E delta) ->
  add_or_remove_below n R E delta.
Proof.
  intros HE HR HS H xs x zs P L. destruct (HE x) as [x' [Ix Sx]].
  assert (LZ : length zs = pred n) by (apply Permutation_length in P; simpl in P; lia).
  assert (EX : equal_users R (x :: zs) (x' :: zs))
    by (constructor; [exact Sx | apply equal_users_refl]).
  split.
  - apply (equal_rows_below R xs (x' :: zs) (x :: zs) zs zs zs); auto using equal_users_refl.
    apply (swept_pair R rows swept (pred n) zs [x'] []); auto. intros us SW. apply H; assumption.
  - apply (equal_rows_below R zs zs zs xs (x' :: zs) (x :: zs)); auto using equal_users_refl.
    apply (swept_pair R rows swept (pred n) zs [] [x']); auto. intros us SW. apply H; assumption.
Qed.

(** The two data sets share n' - 1 >= n - 1 users; leave out all but n - 1 of them. *)
Theorem adding_users_add_or_remove {X M} n0 n (R : X -> dist (list M)) E delta :
  (1 <= n0 <= n)%nat -> (forall x, proper (R x)) ->
  add_or_remove_below n0 R E delta -> add_or_remove_below n R E delta.
Proof.
  intros [H1 H2] HR H xs x zs P L.
  assert (LZ : length zs = pred n) by (apply Permutation_length in P; simpl in P; lia).
  set (more := skipn (pred n0) zs). set (few := firstn (pred n0) zs).
  assert (Q : Permutation zs (more ++ few)).
  { rewrite <- (firstn_skipn (pred n0) zs) at 1. apply Permutation_app_comm. }
  assert (Q' : Permutation xs (more ++ x :: few)) by (rewrite P, Q; apply Permutation_middle).
  assert (LF : length few = pred n0) by (apply firstn_length_le; lia).
  destruct (H (x :: few) x few (Permutation_refl _)) as [A B]; [simpl; lia |]. split.
  - apply (bystanders R more (x :: few) few); auto.
  - apply (bystanders R more few (x :: few)); auto.
Qed.

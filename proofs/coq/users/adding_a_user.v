(** Adding a user never hurts.

    1. For any two laws P and Q on a type with an operation (the sum of two numbers, the concatenation
       of two lists of messages), and a law N that is drawn independently: if P is (E, delta)-below Q,
       then P + N is (E, delta)-below Q + N. So the hockey-stick of a convolution is at most that of
       its factor. Every real E and delta.

    2. In the shuffle model the order of the users does not matter, and a bystander, a user with the
       same record in both data sets, never increases the hockey-stick of a pair of data sets.

    3. So a randomizer that does not depend on n and is (eps, delta)-DP with n >= 1 users is so with
       n + 1, and with every larger number: neighbouring data sets of n + 1 >= 2 records agree in some
       record. Without it they are neighbouring data sets of n records.

    4. The same where neighbours differ by an added or a removed record, both under the same randomizer:
       then the larger of the two data sets has n records, against n - 1 of the other.

    5. So the largest hockey-stick over all pairs of neighbours does not grow with n, at every real E,
       under replacement and under adding or removing a record ([adding_a_user_hockey_stick]).

    With n = 0 there is nothing to show privacy of, and step 3 is false: hence n >= 1. The records may
    be of any type, and a user may send any number of messages.

    Idea: whatever the bystander has drawn, what the others must do to make the event true is again an
    event. Average over the bystander.

    Source: folklore; this form is this package's (adding-a-user). *)

From Coq Require Import Reals List Lra Lia Permutation FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy hockey_stick.
Import ListNotations.
Open Scope R_scope.

(** ** Convolution *)

(** The law of [op a b] for a drawn from P and b from N independently. *)
Definition convolution {A B C} (op : A -> B -> C) (P : dist A) (N : dist B) : dist C :=
  bind P (fun a => bind N (fun b => ret (op a b))).

(** The independent part may be drawn first. *)
Lemma mean_convolution {A B C} (op : A -> B -> C) (P : dist A) (N : dist B) f :
  mean (convolution op P N) f = mean N (fun b => mean P (fun a => f (op a b))).
Proof.
  unfold convolution. rewrite mean_bind.
  rewrite (mean_ext P _ (fun a => mean N (fun b => f (op a b)))).
  - apply mean_swap.
  - intros a. apply (mean_dmap (op a) N f).
Qed.

(** An average of inequalities. *)
Lemma mean_below {B} (N : dist B) (p q : B -> R) E delta :
  proper N -> (forall b, p b <= E * q b + delta) -> mean N p <= E * mean N q + delta.
Proof.
  intros HN H. rewrite <- mean_scal. rewrite <- (mean_const N delta HN) at 1.
  rewrite <- mean_plus. apply mean_le; assumption.
Qed.

Lemma convolution_below {A B C} (op : A -> B -> C) (P Q : dist A) (N : dist B) E delta :
  proper N -> below P Q E delta -> below (convolution op P N) (convolution op Q N) E delta.
Proof.
  intros HN H T. unfold Pr. rewrite !mean_convolution.
  apply mean_below; [exact HN |]. intros b. apply (H (fun a => T (op a b))).
Qed.

Theorem convolution_hockey_stick {A B C} (op : A -> B -> C) (P Q : dist A) (N : dist B) E :
  proper N ->
  hockey_stick (convolution op P N) (convolution op Q N) E <= hockey_stick P Q E.
Proof.
  intros HN. apply hockey_stick_iff, convolution_below; [exact HN | apply below_hockey_stick].
Qed.

(** ** The users' order does not matter *)

Lemma mean_messages_first {X M} (R : X -> dist (list M)) x xs f :
  mean (messages R (x :: xs)) f =
  mean (R x) (fun mine => mean (messages R xs) (fun others => f (mine ++ others))).
Proof.
  simpl. rewrite mean_bind. apply mean_ext. intros mine.
  apply (mean_dmap (app mine) (messages R xs) f).
Qed.

(** A value that does not look at the order of the messages. *)
Definition orderless {M V} (f : list M -> V) : Prop := forall u v, Permutation u v -> f u = f v.

Lemma orderless_app {M V} (f : list M -> V) mine : orderless f -> orderless (fun u => f (mine ++ u)).
Proof. intros H u v P. apply H, Permutation_app_head, P. Qed.

(** An event is symmetric if and only if its indicator is. *)
Lemma orderless_indicator {M} (T : list M -> bool) : symmetric T -> orderless (indicator T).
Proof. intros H u v P. unfold indicator. rewrite (H u v P). reflexivity. Qed.

Lemma messages_permutation {X M} (R : X -> dist (list M)) xs ys :
  Permutation xs ys -> forall f : list M -> Rdefinitions.R,
  orderless f -> mean (messages R xs) f = mean (messages R ys) f.
Proof.
  induction 1 as [| z us vs H IH | y x us | us vs ws H1 IH1 H2 IH2]; intros f S.
  - reflexivity.
  - rewrite !mean_messages_first. apply mean_ext. intros mine.
    apply IH, orderless_app, S.
  - rewrite !mean_messages_first.
    rewrite (mean_ext (R y) _ (fun a => mean (R x) (fun b =>
      mean (messages R us) (fun others => f (a ++ b ++ others))))).
    2: { intros a. apply (mean_messages_first R x us (fun others => f (a ++ others))). }
    rewrite (mean_ext (R x) _ (fun b => mean (R y) (fun a =>
      mean (messages R us) (fun others => f (b ++ a ++ others))))).
    2: { intros b. apply (mean_messages_first R y us (fun others => f (b ++ others))). }
    rewrite mean_swap. apply mean_ext. intros b. apply mean_ext. intros a. apply mean_ext. intros others.
    apply S. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - rewrite IH1, IH2; auto.
Qed.

(** ** Bystanders *)

(** What [shuffle_dp] demands of one pair of data sets. *)
Definition shuffle_below {X M} (R : X -> dist (list M)) (xs ys : list X)
    (E delta : Rdefinitions.R) : Prop :=
  forall T, symmetric T -> Pr (messages R xs) T <= E * Pr (messages R ys) T + delta.

Lemma shuffle_dp_iff_pairs {X M} n (R : X -> dist (list M)) eps delta :
  shuffle_dp n R eps delta <->
  forall xs ys, neighbors xs ys -> length xs = n -> shuffle_below R xs ys (exp eps) delta.
Proof. reflexivity. Qed.

Lemma shuffle_below_permutation {X M} (R : X -> dist (list M)) xs ys us vs E delta :
  Permutation xs us -> Permutation ys vs -> shuffle_below R us vs E delta ->
  shuffle_below R xs ys E delta.
Proof.
  intros PX PY H T S. unfold Pr.
  rewrite (messages_permutation R xs us PX), (messages_permutation R ys vs PY);
    [apply H, S | apply orderless_indicator, S | apply orderless_indicator, S].
Qed.

(** A bystander never increases the hockey-stick of a pair of data sets: the pair with him is private
    with every E and delta with which the pair without him is. *)
Lemma bystander {X M} (R : X -> dist (list M)) z xs ys E delta :
  proper (R z) -> shuffle_below R xs ys E delta -> shuffle_below R (z :: xs) (z :: ys) E delta.
Proof.
  intros HR H T S. unfold Pr. rewrite !mean_messages_first.
  apply mean_below; [exact HR |]. intros mine. apply (H (fun others => T (mine ++ others))).
  intros u v P. apply S, Permutation_app_head, P.
Qed.

(** The same for any number of them, wherever they stand. *)
Lemma bystanders {X M} (R : X -> dist (list M)) zs xs ys us vs E delta :
  (forall z, proper (R z)) -> Permutation us (zs ++ xs) -> Permutation vs (zs ++ ys) ->
  shuffle_below R xs ys E delta -> shuffle_below R us vs E delta.
Proof.
  intros HR PU PV H. apply (shuffle_below_permutation _ _ _ _ _ _ _ PU PV).
  clear PU PV. induction zs as [| z zs IH]; simpl; [exact H |]. apply bystander; auto.
Qed.

(** In terms of the hockey-stick of a view that has all of the multiset of the messages and nothing
    of their order. The count of each symbol is one, for messages of any type. *)
Definition complete_view {M A} (view : list M -> A) : Prop :=
  forall u v, view u = view v <-> Permutation u v.

Lemma complete_view_counts {M} : complete_view (fun (u : list M) (m : M) => count_occ same u m).
Proof.
  intros u v. rewrite (Permutation_count_occ same). split.
  - intros H m. exact (f_equal (fun count => count m) H).
  - intros H. extensionality m. apply H.
Qed.

Lemma shuffle_below_iff_hockey_stick {X M A} (R : X -> dist (list M)) (view : list M -> A) xs ys E delta :
  complete_view view ->
  (shuffle_below R xs ys E delta <->
   hockey_stick (dmap view (messages R xs)) (dmap view (messages R ys)) E <= delta).
Proof.
  intros V. rewrite <- hockey_stick_iff. split.
  - intros H T. rewrite !Pr_dmap. apply H. intros u v P. apply V in P. rewrite P. reflexivity.
  - intros H T S.
    pose (seen := fun a => if decide (exists u, view u = a /\ T u = true) then true else false).
    assert (same_event : forall u, seen (view u) = T u).
    { intros u. unfold seen. destruct (decide _) as [[v [W Tv]] | no].
      - rewrite <- Tv. apply S, V, W.
      - destruct (T u) eqn:Tu; [| reflexivity]. destruct no. exists u. auto. }
    specialize (H seen). rewrite !Pr_dmap in H.
    rewrite !(Pr_ext _ (fun a => seen (view a)) T same_event) in H. exact H.
Qed.

(** So privacy in the shuffle model is a statement about hockey-sticks of finite laws. *)
Theorem shuffle_dp_iff_hockey_stick {X M A} n (R : X -> dist (list M)) (view : list M -> A) eps delta :
  complete_view view ->
  (shuffle_dp n R eps delta <->
   forall xs ys, neighbors xs ys -> length xs = n ->
   hockey_stick (dmap view (messages R xs)) (dmap view (messages R ys)) (exp eps) <= delta).
Proof.
  intros V. rewrite shuffle_dp_iff_pairs.
  split; intros H xs ys N L; apply (shuffle_below_iff_hockey_stick R view); auto.
Qed.

Lemma bystander_hockey_stick {X M A} (R : X -> dist (list M)) (view : list M -> A) z xs ys E :
  complete_view view -> proper (R z) ->
  hockey_stick (dmap view (messages R (z :: xs))) (dmap view (messages R (z :: ys))) E <=
  hockey_stick (dmap view (messages R xs)) (dmap view (messages R ys)) E.
Proof.
  intros V HR. apply (shuffle_below_iff_hockey_stick R view); [exact V |].
  apply bystander; [exact HR |]. apply (shuffle_below_iff_hockey_stick R view); [exact V |].
  apply Rle_refl.
Qed.

(** ** From n users to n + 1 *)

(** One pair of n + 1 records is one of n records and a bystander. *)
Lemma replaced_record_without {X} (before : list X) x y after :
  (2 <= length (before ++ x :: after))%nat ->
  exists z us vs, neighbors us vs /\ S (length us) = length (before ++ x :: after) /\
    Permutation (before ++ x :: after) (z :: us) /\ Permutation (before ++ y :: after) (z :: vs).
Proof.
  intros L. rewrite app_length in *. simpl in *. destruct before as [| z before].
  - destruct after as [| z after]; simpl in *; [lia |]. exists z, (x :: after), (y :: after).
    split; [apply (replace_one []) |]. split; [reflexivity | split; apply perm_swap].
  - exists z, (before ++ x :: after), (before ++ y :: after).
    split; [apply replace_one |]. rewrite app_length. simpl. split; [lia | split; reflexivity].
Qed.

Theorem adding_a_user {X M} n (R : X -> dist (list M)) eps delta :
  (1 <= n)%nat -> (forall x, proper (R x)) ->
  shuffle_dp n R eps delta -> shuffle_dp (S n) R eps delta.
Proof.
  rewrite !shuffle_dp_iff_pairs. intros Hn HR H xs ys [before x y after] L.
  destruct (replaced_record_without before x y after) as [z [us [vs [N [Lu [PU PV]]]]]]; [lia |].
  apply (bystanders R [z] us vs); [exact HR | exact PU | exact PV |]. apply H; [exact N | lia].
Qed.

(** Privacy with n0 users is privacy with every larger number of them. *)
Theorem adding_users {X M} n0 n (R : X -> dist (list M)) eps delta :
  (1 <= n0 <= n)%nat -> (forall x, proper (R x)) ->
  shuffle_dp n0 R eps delta -> shuffle_dp n R eps delta.
Proof.
  intros [H1 H2] HR H. induction H2 as [| n H2 IH]; [exact H |].
  apply adding_a_user; [lia | exact HR | exact IH].
Qed.

(** ** One record more or less *)

(** Neighbours by adding or removing a record. *)
Inductive more_or_less {X} : list X -> list X -> Prop :=
  | remove_one : forall before x after, more_or_less (before ++ x :: after) (before ++ after)
  | add_one : forall before x after, more_or_less (before ++ after) (before ++ x :: after).

(** How many records the larger data set has. *)
Definition larger_size {X} (xs ys : list X) : nat := Nat.max (length xs) (length ys).

(** R with a shuffler is (eps, delta)-DP where the larger data set has n records. *)
Definition shuffle_dp_more_or_less {X M} (n : nat) (R : X -> dist (list M))
    (eps delta : Rdefinitions.R) : Prop :=
  forall xs ys, more_or_less xs ys -> larger_size xs ys = n -> shuffle_below R xs ys (exp eps) delta.

(** One such pair, the larger with n + 1 >= 2 records, is one with n records and a bystander. *)
Lemma more_or_less_without {X} (xs ys : list X) :
  more_or_less xs ys -> (2 <= larger_size xs ys)%nat ->
  exists z us vs, more_or_less us vs /\ S (larger_size us vs) = larger_size xs ys /\
    Permutation xs (z :: us) /\ Permutation ys (z :: vs).
Proof.
  unfold larger_size. intros [before x after | before x after] L; rewrite !app_length in *; simpl in *.
  - destruct before as [| z before].
    + destruct after as [| z after]; simpl in *; [lia |]. exists z, (x :: after), after.
      split; [apply (remove_one []) |]. split; [simpl; lia | split; [apply perm_swap | reflexivity]].
    + exists z, (before ++ x :: after), (before ++ after). split; [apply remove_one |].
      rewrite !app_length. simpl. split; [lia | split; reflexivity].
  - destruct before as [| z before].
    + destruct after as [| z after]; simpl in *; [lia |]. exists z, after, (x :: after).
      split; [apply (add_one []) |]. split; [simpl; lia | split; [reflexivity | apply perm_swap]].
    + exists z, (before ++ after), (before ++ x :: after). split; [apply add_one |].
      rewrite !app_length. simpl. split; [lia | split; reflexivity].
Qed.

Theorem adding_a_user_more_or_less {X M} n (R : X -> dist (list M)) eps delta :
  (1 <= n)%nat -> (forall x, proper (R x)) ->
  shuffle_dp_more_or_less n R eps delta -> shuffle_dp_more_or_less (S n) R eps delta.
Proof.
  intros Hn HR H xs ys N L.
  destruct (more_or_less_without xs ys N) as [z [us [vs [N' [Lu [PU PV]]]]]]; [lia |].
  apply (bystanders R [z] us vs); [exact HR | exact PU | exact PV |]. apply H; [exact N' | lia].
Qed.

Theorem adding_users_more_or_less {X M} n0 n (R : X -> dist (list M)) eps delta :
  (1 <= n0 <= n)%nat -> (forall x, proper (R x)) ->
  shuffle_dp_more_or_less n0 R eps delta -> shuffle_dp_more_or_less n R eps delta.
Proof.
  intros [H1 H2] HR H. induction H2 as [| n H2 IH]; [exact H |].
  apply adding_a_user_more_or_less; [lia | exact HR | exact IH].
Qed.

(** ** The largest hockey-stick *)

(** All pairs of neighbours of n records have a hockey-stick of the views of at most delta at E. *)
Definition replacing_at_most {X M A} (n : nat) (R : X -> dist (list M)) (view : list M -> A)
    (E delta : Rdefinitions.R) : Prop :=
  forall xs ys, neighbors xs ys -> length xs = n ->
  hockey_stick (dmap view (messages R xs)) (dmap view (messages R ys)) E <= delta.

Definition more_or_less_at_most {X M A} (n : nat) (R : X -> dist (list M)) (view : list M -> A)
    (E delta : Rdefinitions.R) : Prop :=
  forall xs ys, more_or_less xs ys -> larger_size xs ys = n ->
  hockey_stick (dmap view (messages R xs)) (dmap view (messages R ys)) E <= delta.

(** delta(n + 1) <= delta(n) at every E, under both relations: every bound of the hockey-sticks of n users is
    one of those of n + 1. *)
Theorem adding_a_user_hockey_stick {X M A} n (R : X -> dist (list M)) (view : list M -> A) E delta :
  complete_view view -> (1 <= n)%nat -> (forall x, proper (R x)) ->
  (replacing_at_most n R view E delta -> replacing_at_most (S n) R view E delta) /\
  (more_or_less_at_most n R view E delta -> more_or_less_at_most (S n) R view E delta).
Proof.
  intros V Hn HR. split; intros H xs ys N L; apply (shuffle_below_iff_hockey_stick R view _ _ _ _ V).
  - destruct N as [before x y after].
    destruct (replaced_record_without before x y after) as [z [us [vs [N [Lu [PU PV]]]]]]; [lia |].
    apply (bystanders R [z] us vs); [exact HR | exact PU | exact PV |].
    apply (shuffle_below_iff_hockey_stick R view _ _ _ _ V). apply H; [exact N | lia].
  - destruct (more_or_less_without xs ys N) as [z [us [vs [N' [Lu [PU PV]]]]]]; [lia |].
    apply (bystanders R [z] us vs); [exact HR | exact PU | exact PV |].
    apply (shuffle_below_iff_hockey_stick R view _ _ _ _ V). apply H; [exact N' | lia].
Qed.

(** The privacy blanket: what all rows have in common hides the user who differs.

    R is any randomizer that sends a list of messages, of any type, with proper rows; there are n >= 1 users, of whom
    one holds x or y and the others anything; c is a reference of lists of messages whose weights are not negative, of
    any sum, that lies below the row of each of the others: no outcome has a larger weight in c. E is any real number.

    - [blanket_bound]: for every event T that the order of the messages does not change,
      P[T] - E Q[T] <= [reference_bound] n (R x) (R y) E c, where P and Q are the laws of the messages of all users
      if the first user holds x and if he holds y. Outcomes of R x and R y that c never draws are charged in full, as
      the part [uncovered] of that bound. No hypothesis is made of the relation of c to R x and R y;
    - [blanket_bound_anywhere]: the same wherever the user who differs stands; [blanket_bound_one_message]: the same for
      users who send one message each, with a reference of messages;
    - [blanket_dp]: so R with a shuffler is (eps, delta)-DP with n users, if for every ordered pair of inputs there is
      a reference below every row, and its bound at some E <= e^eps is at most delta. The reference may depend on the
      pair. [blanket_dp_one_message] for users who send one message each.

    Idea: P - E Q is a law of what the one user sends. Its part that c covers is c times the value (P - E Q) / c, and
    the one draw of c is hidden among those of the others ([hidden_among_others]).

    Source: BalleBellGasconNissim2019, Theorem 5.1, for c the least of all rows and for one message. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import adding_a_user local_simulation events mean_excess hidden_message.
Import ListNotations.
Open Scope R_scope.

(** ** What the reference covers *)

Lemma total_outside {A} (l m : list A) f :
  NoDup l -> NoDup m -> incl l m -> (forall a, ~ In a l -> f a = 0) -> total l f = total m f.
Proof.
  intros Nl Nm I Z. pose (T := fun a => if in_dec same a l then true else false).
  rewrite (total_permutation l (filter T m)).
  - rewrite total_filter. apply total_ext. intros a _. unfold T.
    destruct (in_dec same a l) as [_ | no]; [reflexivity | symmetry; apply Z, no].
  - apply NoDup_Permutation; [exact Nl | apply NoDup_filter, Nm |]. intros a. rewrite filter_In. unfold T.
    destruct (in_dec same a l) as [yes | no]; split; try tauto; [auto | intros [_ H]; discriminate].
Qed.

Lemma not_an_outcome {A} (P Q : dist A) E a : ~ In a (outcomes P Q) -> mass P a - E * mass Q a = 0.
Proof.
  intros H. destruct (outcomes_cover P Q) as [CP CQ].
  rewrite (mass_outside P _ a CP H), (mass_outside Q _ a CQ H). ring.
Qed.

(** The excess of g is that on what c covers and that on what it does not. *)
Lemma excess_split {A} (P Q : dist A) E c g :
  mean P g - E * mean Q g =
  total (outcomes P Q) (fun a => if Req_EM_T (mass c a) 0 then (mass P a - E * mass Q a) * g a else 0) +
  mean c (fun a => value_against P Q E c a * g a).
Proof.
  destruct (outcomes_cover P Q) as [CP CQ]. set (l := outcomes P Q) in *.
  rewrite (excess_masses P Q E l (outcomes_NoDup P Q) CP CQ).
  pose (m := nodup same (l ++ map snd c)).
  rewrite (mean_masses c m); [| apply NoDup_nodup |
    intros wa I; apply nodup_In, in_or_app; right; apply in_map, I].
  rewrite <- (total_outside l m); [| apply outcomes_NoDup | apply NoDup_nodup |
    intros a I; apply nodup_In, in_or_app; auto |
    intros a N; unfold value_against; rewrite (not_an_outcome P Q E a N); unfold Rdiv; ring].
  rewrite <- total_plus. apply total_ext. intros a _. unfold value_against.
  destruct (Req_EM_T (mass c a) 0) as [-> | no]; [ring | field; exact no].
Qed.

Lemma uncovered_part_le {A} (P Q : dist A) E c g :
  (forall a, 0 <= g a <= 1) ->
  total (outcomes P Q) (fun a => if Req_EM_T (mass c a) 0 then (mass P a - E * mass Q a) * g a else 0) <=
  uncovered P Q E c.
Proof.
  intros G. apply total_le. intros a _. destruct (Req_EM_T (mass c a) 0); [| lra]. specialize (G a).
  unfold Rmax. destruct (Rle_dec 0 (mass P a - E * mass Q a)); nra.
Qed.

(** ** The bound for lists of outcomes *)

Lemma mean_draws_first {A} (d : dist A) ds f :
  mean (draws (d :: ds)) f = mean d (fun a => mean (draws ds) (fun o => f (a :: o))).
Proof. simpl. rewrite mean_bind. apply mean_ext. intros a. apply (mean_dmap (cons a) (draws ds)). Qed.

Lemma proper_draws {A} (ds : list (dist A)) : Forall proper ds -> proper (draws ds).
Proof.
  induction 1 as [| d ds H _ IH]; simpl; [apply proper_ret |].
  apply proper_bind; [exact H |]. intros a. apply proper_bind; [exact IH |]. intros. apply proper_ret.
Qed.

(** One user draws from P or Q, the others from laws above c; what is seen is the list of outcomes without its order. *)
Theorem blanket_of_laws {A} (P Q c : dist A) E ds f :
  sub_law c -> Forall (fun d => proper d /\ lies_below c d) ds -> orderless f -> (forall l, 0 <= f l <= 1) ->
  mean (draws (P :: ds)) f - E * mean (draws (Q :: ds)) f <= reference_bound (S (length ds)) P Q E c.
Proof.
  intros Hc Hds Of F. rewrite !mean_draws_first, (excess_split P Q E c). apply Rplus_le_compat.
  - apply uncovered_part_le. intros a.
    assert (Pd : proper (draws ds)) by (apply proper_draws; revert Hds; apply Forall_impl; tauto).
    split; [apply mean_nonneg; [exact Pd | intros; apply F] |].
    rewrite <- (mean_const (draws ds) 1 Pd). apply mean_le; [exact Pd | intros; apply F].
  - exact (hidden_among_others c (value_against P Q E c) ds f Hc Hds Of F).
Qed.

(** ** The bound for messages *)

(** Where each user sends one message, the messages are one draw from each row. *)
Lemma messages_drawn {X A} (R : X -> dist A) xs f :
  mean (messages (one_message R) xs) f = mean (draws (map R xs)) f.
Proof.
  revert f. induction xs as [| x xs IH]; intros f; [reflexivity |].
  rewrite mean_messages_first. unfold one_message at 1. rewrite mean_dmap. simpl map. rewrite mean_draws_first.
  apply mean_ext. intros a. apply (IH (fun u => f (a :: u))).
Qed.

(** The messages of all users are those of a list of bundles. *)
Lemma messages_of_bundles {X M} (R : X -> dist (list M)) xs f :
  mean (messages R xs) f = mean (draws (map R xs)) (fun l => f (concat l)).
Proof. rewrite <- (concat_reports R xs f). apply messages_drawn. Qed.

Lemma concat_permutation {M} (l m : list (list M)) : Permutation l m -> Permutation (concat l) (concat m).
Proof.
  induction 1; simpl; [constructor | apply Permutation_app_head; assumption | | eapply perm_trans; eassumption].
  rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

Theorem blanket_bound {X M} (R : X -> dist (list M)) (c : dist (list M)) x y others E :
  (forall v, proper (R v)) -> sub_law c -> (forall v, In v others -> lies_below c (R v)) ->
  shuffle_below R (x :: others) (y :: others) E (reference_bound (S (length others)) (R x) (R y) E c).
Proof.
  intros HR Hc Hb T S. unfold Pr. rewrite !messages_of_bundles. simpl map.
  enough (mean (draws (R x :: map R others)) (fun l => indicator T (concat l)) -
    E * mean (draws (R y :: map R others)) (fun l => indicator T (concat l)) <=
    reference_bound (Datatypes.S (length others)) (R x) (R y) E c) by lra.
  rewrite <- (map_length R others). apply blanket_of_laws; [exact Hc | | |].
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- I]].
    split; [apply HR | apply Hb, I].
  - intros l m P. apply orderless_indicator; [exact S | apply concat_permutation, P].
  - intros l. apply indicator_bounds.
Qed.

Theorem blanket_bound_anywhere {X M} (R : X -> dist (list M)) (c : dist (list M)) before x y after E :
  (forall v, proper (R v)) -> sub_law c -> (forall v, In v (before ++ after) -> lies_below c (R v)) ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E
    (reference_bound (length (before ++ x :: after)) (R x) (R y) E c).
Proof.
  intros HR Hc Hb.
  apply (shuffle_below_permutation R _ _ (x :: before ++ after) (y :: before ++ after));
    [symmetry; apply Permutation_middle | symmetry; apply Permutation_middle |].
  rewrite <- (Permutation_length (Permutation_middle before after x)). apply blanket_bound; assumption.
Qed.

(** The same where each user sends one message, and c is a reference of messages. *)
Theorem blanket_bound_one_message {X A} (R : X -> dist A) (c : dist A) x y others E :
  (forall v, proper (R v)) -> sub_law c -> (forall v, In v others -> lies_below c (R v)) ->
  shuffle_below (one_message R) (x :: others) (y :: others) E
    (reference_bound (S (length others)) (R x) (R y) E c).
Proof.
  intros HR Hc Hb T S. unfold Pr. rewrite !messages_drawn. simpl map.
  enough (mean (draws (R x :: map R others)) (indicator T) - E * mean (draws (R y :: map R others)) (indicator T) <=
    reference_bound (Datatypes.S (length others)) (R x) (R y) E c) by lra.
  rewrite <- (map_length R others). apply blanket_of_laws; [exact Hc | | |].
  - apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- I]].
    split; [apply HR | apply Hb, I].
  - apply orderless_indicator, S.
  - intros l. apply indicator_bounds.
Qed.

(** ** Privacy *)

(** The user who differs may be taken to be the first. *)
Lemma shuffle_dp_first {X M} n (R : X -> dist (list M)) E eps delta :
  (forall v, proper (R v)) -> E <= exp eps ->
  (forall x y others, S (length others) = n -> shuffle_below R (x :: others) (y :: others) E delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros HR HE H xs ys [before x y after] L T S.
  assert (B : shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta).
  { apply (shuffle_below_permutation R _ _ (x :: before ++ after) (y :: before ++ after));
      [symmetry; apply Permutation_middle | symmetry; apply Permutation_middle |].
    apply H. rewrite <- L, <- (Permutation_length (Permutation_middle before after x)). reflexivity. }
  specialize (B T S).
  assert (0 <= Pr (messages R (before ++ y :: after)) T) by (apply Pr_bounds, proper_messages, HR). nra.
Qed.

Theorem blanket_dp {X M} n (R : X -> dist (list M)) (c : X -> X -> dist (list M)) E eps delta :
  (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> E <= exp eps ->
  (forall x y, reference_bound n (R x) (R y) E (c x y) <= delta) ->
  shuffle_dp n R eps delta.
Proof.
  intros HR Hc HE H. apply (shuffle_dp_first n R E); [exact HR | exact HE |]. intros x y others L T S.
  assert (B := blanket_bound R (c x y) x y others E HR (proj1 (Hc x y x)) (fun v _ => Hc x y v) T S).
  rewrite L in B. specialize (H x y). lra.
Qed.

Theorem blanket_dp_one_message {X A} n (R : X -> dist A) (c : X -> X -> dist A) E eps delta :
  (forall v, proper (R v)) -> (forall x y v, lies_below (c x y) (R v)) -> E <= exp eps ->
  (forall x y, reference_bound n (R x) (R y) E (c x y) <= delta) ->
  shuffle_dp n (one_message R) eps delta.
Proof.
  intros HR Hc HE H. apply (shuffle_dp_first n (one_message R) E); [intros v; apply proper_dmap, HR | exact HE |].
  intros x y others L T S.
  assert (B := blanket_bound_one_message R (c x y) x y others E HR (proj1 (Hc x y x)) (fun v _ => Hc x y v) T S).
  rewrite L in B. specialize (H x y). lra.
Qed.

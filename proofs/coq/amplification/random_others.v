(** Other users whose inputs are drawn at random bound the worst data set from below.

    R sends one message of any type; n = j + 1 >= 1 users; w is a finite law of inputs. A user whose input is drawn from
    w sends from the mixture R_w of the rows.

    - [random_others_mixture]: the law of the messages of one user and of j such others is the mixture, over the data
      sets of others, of the laws of their messages; every function of the messages, also of their order;
    - [random_others_test]: let w and all rows be proper. If for every data set of j others with inputs that occur in
      w the shuffled messages of x and the others are (E, delta)-below those of y and the others, then so are those with
      random others, for every test with values in [0, 1] that ignores the order of the messages: an event of the
      multiset, or a test that first puts the messages in a random order. Every real E and delta;
    - [random_others]: then [reference_bound] n (R x) (R y) E R_w <= delta.

    In other words: where a test, or that number, exceeds delta, some data set of others with inputs that occur in w
    breaks (E, delta)-indistinguishability; which one, and its composition, is not named. So it is a lower end for the
    worst data set, for every w ([random_others_dp]).

    Idea: with inputs that are drawn independently from w the others' messages are independent draws of R_w, and a
    mixture of pairs is (E, delta)-below if each of them is. The last statement is then [best_attains].

    Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous.
Import ListNotations.
Open Scope R_scope.

(** Independent draws of a mixture are a mixture of draws. *)
Lemma copies_of_mixture {X A} (w : dist X) (R : X -> dist A) j f :
  mean (copies (bind w R) j) f = mean (copies w j) (fun vs => mean (draws (map R vs)) f).
Proof.
  revert f. induction j as [| j IH]; intros f.
  - rewrite !mean_copies_none. simpl. rewrite mean_ret. reflexivity.
  - rewrite !mean_copies_first, mean_bind. apply mean_ext. intros v.
    rewrite (mean_ext (R v) _ (fun a => mean (copies w j) (fun vs => mean (draws (map R vs)) (fun l => f (a :: l))))).
    + rewrite mean_swap. apply mean_ext. intros vs. simpl map. rewrite mean_draws_first. reflexivity.
    + intros a. apply (IH (fun l => f (a :: l))).
Qed.

Lemma mean_at_most_drawn {A} (d : dist A) f t :
  proper d -> (forall wa, In wa d -> f (snd wa) <= t) -> mean d f <= t.
Proof.
  intros H L. rewrite <- (mean_const d t H). apply total_le. intros wa I.
  apply Rmult_le_compat_l; [apply (proj1 H), I | apply L, I].
Qed.

(** One user of the law P, and j others with random inputs. *)
Definition with_random_others {X A} (P : dist A) (R : X -> dist A) (w : dist X) (j : nat) : dist (list A) :=
  draws (P :: repeat (bind w R) j).

Theorem random_others_mixture {X A} (R : X -> dist A) (w : dist X) u j f :
  mean (with_random_others (R u) R w j) f =
  mean (copies w j) (fun others => mean (messages (one_message R) (u :: others)) f).
Proof.
  unfold with_random_others. rewrite mean_draws_first. fold (copies (bind w R) j).
  rewrite (mean_ext (R u) _
    (fun a => mean (copies w j) (fun vs => mean (draws (map R vs)) (fun l => f (a :: l)))))
    by (intros; apply copies_of_mixture).
  rewrite mean_swap. apply mean_ext. intros vs. rewrite messages_drawn. simpl map. rewrite mean_draws_first.
  reflexivity.
Qed.

Theorem random_others_test {X A} (R : X -> dist A) (w : dist X) x y j E delta f :
  proper w ->
  (forall others, length others = j -> (forall v, In v others -> In v (map snd w)) ->
   shuffle_below (one_message R) (x :: others) (y :: others) E delta) ->
  orderless f -> (forall l, 0 <= f l <= 1) ->
  mean (with_random_others (R x) R w j) f <= E * mean (with_random_others (R y) R w j) f + delta.
Proof.
  intros Hw H Of F. rewrite !random_others_mixture.
  enough (mean (copies w j) (fun others => mean (messages (one_message R) (x :: others)) f -
    E * mean (messages (one_message R) (y :: others)) f) <= delta) by (rewrite mean_minus, mean_scal in *; lra).
  apply mean_at_most_drawn; [apply proper_copies, Hw |]. intros wl I.
  destruct (copies_drawn w j wl I) as [was [L [C [D _]]]].
  enough (mean (messages (one_message R) (x :: snd wl)) f <=
    E * mean (messages (one_message R) (y :: snd wl)) f + delta) by lra.
  apply symmetric_below_mean; [| exact Of | exact F].
  apply H; rewrite D; [rewrite map_length; exact L | apply incl_map, C].
Qed.

Theorem random_others {X A} (R : X -> dist A) (w : dist X) x y j E delta :
  (forall v, proper (R v)) -> proper w ->
  (forall others, length others = j -> (forall v, In v others -> In v (map snd w)) ->
   shuffle_below (one_message R) (x :: others) (y :: others) E delta) ->
  reference_bound (S j) (R x) (R y) E (bind w R) <= delta.
Proof.
  intros HR Hw H. rewrite <- (best_attains (R x) (R y) (bind w R) E (proper_bind w R Hw HR) j).
  set (T := shows_more (R x) (R y) (bind w R) E).
  assert (B := random_others_test R w x y j E delta (indicator T) Hw H
    (orderless_indicator T (shows_more_symmetric (R x) (R y) (bind w R) E)) (indicator_bounds T)).
  unfold with_random_others in B. unfold Pr. lra.
Qed.

Theorem random_others_dp {X A} n (R : X -> dist A) (w : dist X) eps delta x y :
  (1 <= n)%nat -> (forall v, proper (R v)) -> proper w -> shuffle_dp n (one_message R) eps delta ->
  reference_bound n (R x) (R y) (exp eps) (bind w R) <= delta.
Proof.
  intros Hn HR Hw H. destruct n as [| j]; [lia |]. apply random_others; [exact HR | exact Hw |].
  intros others L _.
  apply (proj1 (shuffle_dp_iff_pairs (S j) (one_message R) eps delta) H); [apply (replace_one []) |].
  simpl. rewrite L. reflexivity.
Qed.

(** One message per user and no delta: the shuffler adds nothing.

    If every user sends exactly one message, drawn by R from his record, then for every n >= 1 and every
    real eps the shuffled messages of n users are (eps, 0)-DP if and only if R itself is. So the least
    eps of the shuffled protocol is the least eps of its randomizer, for every n.

    Proof. From the shuffled protocol to R: let T be a set of messages, p and q its probabilities under
    R x and R y. The event "all n messages lie in T" does not depend on their order. With n - 1 users who
    hold x it has the probability p p^(n-1) if the last one holds x as well, and q p^(n-1) if he holds y.
    So p p^(n-1) <= e^eps q p^(n-1), and p <= e^eps q, by division or because p = 0.
    From R to the protocol: what the users do together is a randomized function of one user's messages.
    That direction holds for any number of messages and any delta.

    The steps of that proof by themselves, for all n >= 1, randomizers, records and sets T:
    - [all_messages_in_repeat], [single_message_event]: the two probabilities, and that the event breaks
      (eps, 0)-DP where T does;
    - [product_event_printed]: the second one is q p^(n-1), and not the printed q^n, for n >= 2 and
      0 < q < p;
    - [all_messages_in_shuffled]: the shuffler does not change the probability that all messages lie in T,
      which is the product of the users' probabilities;
    - [shuffled_order_printed]: it does change that of other events, which are then no products: with
      randomized response of two users who hold 1 and 0, "the first message is 1 and the second is 0";
    - [single_message_some_pairs]: where R is not (eps, 0)-DP, some pairs of data sets may hide it.

    Source: Balcer and Cheu 2020, Theorem 4.1, with the data sets corrected. *)

From Coq Require Import Reals List Bool Lra Lia Permutation.
From Exactdp Require Import sums laws reals privacy hockey_stick shuffler.
Import ListNotations.
Open Scope R_scope.

(** ** From the shuffled protocol to the randomizer *)

Lemma forallb_symmetric {M} (T : M -> bool) : symmetric (forallb T).
Proof.
  intros u v H. apply eq_true_iff_eq. rewrite !forallb_forall.
  split; intros F a Ha; apply F; revert Ha; apply Permutation_in; [apply Permutation_sym |]; exact H.
Qed.

(** All messages lie in T with the product of the users' probabilities. *)
Lemma all_messages_in {X M} (R : X -> dist M) (T : M -> bool) xs :
  Pr (messages (one_message R) xs) (forallb T) =
  fold_right (fun x t => Pr (R x) T * t) 1 xs.
Proof.
  induction xs as [| x xs IH]; simpl.
  - rewrite Pr_ret. reflexivity.
  - unfold one_message at 1. rewrite Pr_bind, mean_dmap.
    rewrite (mean_ext _ _ (fun m => fold_right (fun x t => Pr (R x) T * t) 1 xs * indicator T m)).
    + rewrite mean_scal. unfold Pr. ring.
    + intros m. rewrite Pr_bind, <- IH. unfold Pr at 2.
      rewrite Rmult_comm, <- mean_scal. apply mean_ext. intros others. rewrite Pr_ret.
      unfold indicator. simpl. destruct (T m); simpl; ring.
Qed.

(** n users who hold x, and one who holds y. *)
Lemma all_messages_in_repeat {X M} (R : X -> dist M) (T : M -> bool) x y n :
  Pr (messages (one_message R) (y :: repeat x n)) (forallb T) = Pr (R y) T * Pr (R x) T ^ n.
Proof.
  rewrite all_messages_in. simpl. f_equal.
  induction n as [| n IH]; simpl; [| rewrite IH]; reflexivity.
Qed.

Theorem single_message_theorem {X M} (R : X -> dist M) n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 -> local_dp R eps 0.
Proof.
  intros HR Hn H x y T. destruct n as [| n]; [lia |].
  assert (A := H (x :: repeat x n) (y :: repeat x n) (replace_one [] x y (repeat x n))).
  specialize (A ltac:(simpl; rewrite repeat_length; reflexivity) (forallb T) (forallb_symmetric T)).
  rewrite !all_messages_in_repeat in A.
  destruct (Pr_bounds (R x) T (HR x)) as [Px _]. destruct (Pr_bounds (R y) T (HR y)) as [Py _].
  destruct Px as [Px | <-].
  - apply Rmult_le_reg_r with (Pr (R x) T ^ n); [apply pow_lt, Px | lra].
  - rewrite Rplus_0_r. apply Rmult_le_pos; [left; apply exp_pos | exact Py].
Qed.

(** The step of the proof as an inequality, ... *)
Theorem single_message_step (p q t E : R) : E * q < p -> 0 < t -> E * (q * t) < p * t.
Proof. intros H Ht. rewrite <- Rmult_assoc. apply Rmult_lt_compat_r; assumption. Qed.

(** ... and as an event: where T breaks (eps, 0)-DP of R, "all n messages in T" breaks that of n users. *)
Theorem single_message_event {X M} (R : X -> dist M) (T : M -> bool) x y n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat -> exp eps * Pr (R y) T < Pr (R x) T ->
  let t := Pr (R x) T ^ (n - 1) in
  let xs := x :: repeat x (n - 1) in
  let ys := y :: repeat x (n - 1) in
  neighbors xs ys /\ length xs = n /\ symmetric (forallb T) /\ 0 < t /\
  Pr (messages (one_message R) xs) (forallb T) = Pr (R x) T * t /\
  Pr (messages (one_message R) ys) (forallb T) = Pr (R y) T * t /\
  exp eps * Pr (messages (one_message R) ys) (forallb T) < Pr (messages (one_message R) xs) (forallb T).
Proof.
  intros HR Hn H t xs ys.
  assert (P : 0 < Pr (R x) T).
  { eapply Rle_lt_trans; [| exact H]. apply Rmult_le_pos; [left; apply exp_pos | apply Pr_bounds, HR]. }
  assert (Ht : 0 < t) by (apply pow_lt, P).
  split; [exact (replace_one [] x y (repeat x (n - 1))) |].
  split; [unfold xs; simpl; rewrite repeat_length; lia |].
  split; [apply forallb_symmetric |]. split; [exact Ht |].
  unfold xs, ys. rewrite !all_messages_in_repeat. fold t. split; [reflexivity |]. split; [reflexivity |].
  apply single_message_step; assumption.
Qed.

(** The printed q^n is wrong for all n >= 2 and 0 < q < p; for example for n = 2, p = 1 and q = 1/2. *)
Theorem product_event_printed :
  (forall X M (R : X -> dist M) (T : M -> bool) x y n, (2 <= n)%nat -> 0 < Pr (R y) T < Pr (R x) T ->
   Pr (R y) T ^ n < Pr (messages (one_message R) (y :: repeat x (n - 1))) (forallb T)) /\
  let R := fun b : bool => if b then coin 1 else coin (1 / 2) in
  let T := fun m : bool => m in
  Pr (R true) T = 1 /\ Pr (R false) T = 1 / 2 /\
  Pr (messages (one_message R) [false; true]) (forallb T) = 1 / 2 /\ 1 / 2 <> (1 / 2) ^ 2.
Proof.
  split.
  - intros X M R T x y n Hn [Hq Hp]. rewrite all_messages_in_repeat.
    destruct n as [| [| n]]; try lia. replace (S (S n) - 1)%nat with (S n) by lia.
    change (Pr (R y) T ^ S (S n)) with (Pr (R y) T * Pr (R y) T ^ S n). apply Rmult_lt_compat_l; [exact Hq |].
    assert (A : Pr (R y) T ^ n <= Pr (R x) T ^ n) by (apply pow_incr; lra).
    assert (B : 0 < Pr (R x) T ^ n) by (apply pow_lt; lra).
    simpl. apply Rle_lt_trans with (Pr (R y) T * Pr (R x) T ^ n).
    + apply Rmult_le_compat_l; lra.
    + apply Rmult_lt_compat_r; lra.
  - cbv zeta.
    assert (P : forall p, Pr (coin p) (fun m => m) = p) by (intros; rewrite Pr_coin; unfold indicator; ring).
    split; [apply P |]. split; [apply P |]. rewrite all_messages_in. cbn [fold_right].
    split; [rewrite !P; ring | lra].
Qed.

(** ** With and without the shuffler *)

(** "All messages in T" has one probability before and after the shuffler: the product of the users'. *)
Theorem all_messages_in_shuffled {X M} (R : X -> dist M) (T : M -> bool) xs :
  Pr (bind (messages (one_message R) xs) shuffler) (forallb T) =
  Pr (messages (one_message R) xs) (forallb T) /\
  Pr (messages (one_message R) xs) (forallb T) = fold_right (fun x t => Pr (R x) T * t) 1 xs.
Proof.
  split; [| apply all_messages_in]. rewrite Pr_bind. apply mean_ext. intros u.
  apply symmetric_event_shuffled, forallb_symmetric.
Qed.

(** Other events: the first message is 1, the second is 0, where one user holds 1 and the other 0 and a user
    lies with probability f. The ordered messages keep their law only for f = 1/2. *)
Theorem shuffled_order_printed (f : R) :
  let send := fun b : bool => coin (if b then 1 - f else f) in
  let before := messages (one_message send) [true; false] in
  let after := bind before shuffler in
  let T := fun y => match y with [a; b] => a && negb b | _ => false end in
  Pr before T = Pr (send true) (fun a => a) * Pr (send false) negb /\
  Pr before T = (1 - f) ^ 2 /\ Pr after T = ((1 - f) ^ 2 + f ^ 2) / 2 /\
  (f <> 1 / 2 -> Pr after T <> Pr before T /\ ~ same_law before after).
Proof.
  intros send before after T.
  assert (A : Pr before T = (1 - f) ^ 2) by (unfold Pr, mean, indicator; simpl; ring).
  assert (B : Pr after T = ((1 - f) ^ 2 + f ^ 2) / 2) by (unfold Pr, mean, indicator; simpl; field).
  split; [rewrite A; unfold send; rewrite !Pr_coin; unfold indicator; simpl; ring |].
  split; [exact A |]. split; [exact B |]. intros Hf.
  assert (D : Pr after T <> Pr before T); [| split; [exact D |]].
  - rewrite A, B. intros E. apply Hf. assert (Q : (1 - f) ^ 2 - f ^ 2 = 1 - 2 * f) by ring. lra.
  - intros S. apply D. symmetry. apply (S (indicator T)).
Qed.

(** ** From the randomizer to the protocol, with any number of messages and any delta *)

Lemma messages_below {X M} (R : X -> dist (list M)) eps delta before x y after :
  (forall x, proper (R x)) -> local_dp R eps delta ->
  below (messages R (before ++ x :: after)) (messages R (before ++ y :: after)) (exp eps) delta.
Proof.
  intros HR H. induction before as [| b before IH]; intros T; simpl; rewrite !Pr_bind.
  - apply below_mean; [apply H |]. intros mine. apply Pr_bounds.
    apply proper_bind; [apply proper_messages, HR | intros; apply proper_ret].
  - rewrite <- mean_scal, <- (mean_const (R b) delta (HR b)) at 1. rewrite <- mean_plus.
    apply mean_le; [apply HR |]. intros mine. apply (below_dmap (app mine) _ _ _ _ IH).
Qed.

Theorem shuffle_dp_of_local_dp {X M} (R : X -> dist (list M)) n eps delta :
  (forall x, proper (R x)) -> local_dp R eps delta -> shuffle_dp n R eps delta.
Proof. intros HR H xs ys [before x y after] _ T _. apply messages_below; assumption. Qed.

(** ** Together *)

Theorem single_message_pure_epsilon {X M} (R : X -> dist M) n eps :
  (forall x, proper (R x)) -> (1 <= n)%nat ->
  shuffle_dp n (one_message R) eps 0 <-> local_dp R eps 0.
Proof.
  intros HR Hn. split; [apply single_message_theorem; assumption |].
  intros H. apply shuffle_dp_of_local_dp.
  - intros x. apply proper_dmap, HR.
  - intros x y. apply below_dmap, H.
Qed.

(** ** Not every pair of data sets shows it *)

(** Records with one law of reports are the same to the users' messages. *)
Lemma messages_of_laws {X M} (R : X -> dist (list M)) xs ys :
  map R xs = map R ys -> messages R xs = messages R ys.
Proof.
  revert ys. induction xs as [| x xs IH]; intros [| y ys] H; try discriminate; [reflexivity |].
  injection H as E H. simpl. rewrite E, (IH ys H). reflexivity.
Qed.

(** A fair bit on the records 0 and 1, always true on 2: not eps-DP for any eps, alone or shuffled; and yet no
    pair of data sets of the records 0 and 1 can be told apart. *)
Definition fair_below_2 (x : nat) : dist bool := if Nat.ltb x 2 then coin (1 / 2) else coin 1.

Theorem single_message_some_pairs n : (1 <= n)%nat ->
  (forall x, proper (fair_below_2 x)) /\
  (forall eps, ~ local_dp fair_below_2 eps 0 /\ ~ shuffle_dp n (one_message fair_below_2) eps 0) /\
  forall xs ys, length xs = length ys -> (forall x, In x xs \/ In x ys -> (x < 2)%nat) ->
  same_law (messages (one_message fair_below_2) xs) (messages (one_message fair_below_2) ys).
Proof.
  intros Hn. assert (P : forall x, proper (fair_below_2 x)).
  { intros x. unfold fair_below_2. destruct (Nat.ltb x 2); apply proper_coin; lra. }
  assert (L : forall eps, ~ local_dp fair_below_2 eps 0).
  { intros eps H. specialize (H 0%nat 2%nat negb). unfold fair_below_2 in H. simpl in H.
    rewrite !Pr_coin in H. unfold indicator in H. simpl in H. lra. }
  split; [exact P |]. split.
  - intros eps. split; [apply L |]. intros H. apply (L eps), (single_message_theorem _ n); assumption.
  - intros xs ys E I f. f_equal. apply messages_of_laws. revert ys E I.
    induction xs as [| x xs IH]; intros [| y ys] E I; try discriminate; [reflexivity |].
    simpl. f_equal.
    + unfold one_message, fair_below_2.
      rewrite (proj2 (Nat.ltb_lt x 2)), (proj2 (Nat.ltb_lt y 2)); [reflexivity | |]; apply I; simpl; auto.
    + apply IH; [injection E as E; exact E |]. intros z [J | J]; apply I; simpl; auto.
Qed.

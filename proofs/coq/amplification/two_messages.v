(** Two messages: the worst data sets hold the inputs with the least and the greatest chance, and half-lines are the
    events.

    Each of n = N + 1 >= 1 users sends one of two messages, 1 with a probability p(u) that depends on his input u.
    Let lo and hi be inputs with the least and the greatest of these, a = p(lo) <= b = p(hi). Records of any type,
    every E >= 0 (for e^eps, every real eps) and every real delta; replacement. For k = 0, ..., N let
    [others a b N k] be the number of ones of k users with chance b and N - k users with chance a.

    - [two_messages_private]: all neighbouring data sets of n users are (E, delta)-below each other if and only if
      delta >= 0, delta >= 1 - E, and for all k and m in 0, ..., N both

          [up]   (b - E a) P[others = m] - (E - 1) P[others > m] <= delta
          [down] (E b - a) P[others = m] - (E - 1) P[others <= m] <= delta,

      which are the excesses of the events "more than m ones", with the user who differs at hi against lo, and "at
      most m ones", with lo against hi. For E >= 1 the condition delta >= 1 - E says nothing more.
    - [two_messages_attained]: each of these excesses is one of a symmetric event of two neighbouring data sets of n
      users, so that a single one above delta refutes.
    - [two_messages_adding_users]: for E = e^eps, the conditions at n give privacy for every larger number of users.

    Idea: every row is a mixture of the two (mixture_rows.v), and for the number of ones half-lines are the worst
    events (number_of_heads.v).

    The class TwoMessageScan of exactdp/engines/two_messages.py rests on it. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user equal_rows bits bit_messages.
From Exactdp Require Import half_line mixture_rows number_of_heads.
Import ListNotations.
Open Scope R_scope.

(** The number of ones of k users with chance b and N - k with chance a. *)
Definition others (a b : R) (N k : nat) : dist Z := number_of_heads (repeat b k ++ repeat a (N - k)).

(** What users show: the number of ones of their messages. *)
Lemma mean_ones_heads {X} (send : X -> dist bool) xs (f : Z -> R) :
  (forall x, proper (send x)) ->
  mean (messages (one_message send) xs) (fun u => f (Z.of_nat (ones u))) =
  mean (number_of_heads (map (fun x => chance (send x)) xs)) f.
Proof.
  intros H. revert f. induction xs as [| x xs IH]; intros f.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_cons, mean_bit by apply H. cbn [map]. rewrite mean_heads_first, <- !IH.
    f_equal. f_equal. apply mean_ext. intros u. f_equal. cbn [ones]. lia.
Qed.

(** The excesses of the two half-lines. *)
Definition up_excess (a b E : R) (N k : nat) (m : Z) : R :=
  (b - E * a) * Pr (others a b N k) (Z.eqb m) - (E - 1) * Pr (others a b N k) (Z.ltb m).

Definition down_excess (a b E : R) (N k : nat) (m : Z) : R :=
  (E * b - a) * Pr (others a b N k) (Z.eqb m) - (E - 1) * Pr (others a b N k) (at_most m).

(** The view of the shuffled bits is their number of ones. *)
Lemma shuffle_below_heads {X} (send : X -> dist bool) xs ys E delta :
  (forall x, proper (send x)) -> length xs = length ys ->
  shuffle_below (one_message send) xs ys E delta <->
  below (number_of_heads (map (fun x => chance (send x)) xs))
        (number_of_heads (map (fun x => chance (send x)) ys)) E delta.
Proof.
  intros HS L. split.
  - intros H T. specialize (H (fun u => T (Z.of_nat (ones u)))).
    unfold Pr in *. rewrite <- !mean_ones_heads by exact HS. apply H.
    exact (counts_symmetric (fun c => T (Z.of_nat c))).
  - intros H T S. set (T' := fun t => T (sorted_bits (length xs) (Z.to_nat t))). specialize (H T').
    unfold Pr in *. rewrite <- !mean_ones_heads in H by exact HS.
    assert (Same : forall zs, length zs = length xs ->
      mean (messages (one_message send) zs) (indicator T) =
      mean (messages (one_message send) zs) (fun u => indicator T' (Z.of_nat (ones u)))).
    { intros zs LZ. apply mean_messages_length. intros u LU. unfold indicator, T'.
      rewrite Nat2Z.id, (symmetric_counts T u S), LU, LZ. reflexivity. }
    rewrite (Same xs eq_refl), (Same ys (eq_sym L)). exact H.
Qed.

(** Two inputs in any order: those of the one kind may be put first. *)
Lemma two_kinds {X} (lo hi : X) zs :
  Forall (fun u => u = lo \/ u = hi) zs ->
  exists k, (k <= length zs)%nat /\ Permutation zs (repeat hi k ++ repeat lo (length zs - k)).
Proof.
  induction 1 as [| z zs [-> | ->] _ [k [L P]]].
  - exists 0%nat. split; [simpl; lia | constructor].
  - exists k. split; [simpl; lia |]. simpl length. replace (S (length zs) - k)%nat with (S (length zs - k)) by lia.
    simpl. apply Permutation_cons_app, P.
  - exists (S k). split; [simpl; lia |]. simpl. constructor. exact P.
Qed.

Section two_inputs.

Context {X : Type} (send : X -> dist bool) (lo hi : X) (N : nat).
Hypothesis all_proper : forall x, proper (send x).
Hypothesis extreme : forall x, chance (send lo) <= chance (send x) <= chance (send hi).

Let a := chance (send lo).
Let b := chance (send hi).

Lemma extreme_chances : 0 <= a <= b /\ b <= 1.
Proof.
  assert (A := chance_bounds _ (all_proper lo)). assert (B := chance_bounds _ (all_proper hi)).
  assert (E := extreme lo). unfold a, b. lra.
Qed.

(** Every row is a mixture of the two. *)
Lemma two_inputs_mix x : row_mixture (one_message send) (fun u => u = lo \/ u = hi) x.
Proof.
  set (p := chance (send x)). assert (E : a <= p <= b) by apply extreme.
  assert (W : exists theta, 0 <= theta <= 1 /\ p = theta * b + (1 - theta) * a).
  { destruct (Req_dec a b) as [Q | Q].
    - exists 1. split; lra.
    - exists ((p - a) / (b - a)). split; [| field; lra].
      split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra] |].
      apply Rmult_le_reg_r with (b - a); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct W as [theta [Ht Hp]]. exists (dmap (fun high : bool => if high then hi else lo) (coin theta)).
  split; [apply proper_dmap, proper_coin, Ht | split].
  - intros wa [<- | [<- | []]]; [right | left]; reflexivity.
  - intros f _. rewrite mean_bind, mean_dmap, mean_coin. unfold one_message. rewrite !mean_dmap.
    rewrite !mean_bit by apply all_proper. fold a b p. rewrite Hp. ring.
Qed.

Lemma heads_of_kinds x k :
  map (fun x => chance (send x)) (x :: repeat hi k ++ repeat lo (N - k)) =
  chance (send x) :: repeat b k ++ repeat a (N - k).
Proof.
  assert (M : forall u j, map (fun x => chance (send x)) (repeat u j) = repeat (chance (send u)) j).
  { intros u j. induction j as [| j IH]; simpl; [| rewrite IH]; reflexivity. }
  simpl. rewrite map_app, !M. reflexivity.
Qed.

Lemma others_chances k p : In p (repeat b k ++ repeat a (N - k)) -> 0 <= p <= 1.
Proof.
  assert (C := extreme_chances). intros I. apply in_app_or in I.
  destruct I as [I | I]; apply repeat_spec in I; subst p; lra.
Qed.

Lemma kinds_below x y k E delta :
  shuffle_below (one_message send)
    (x :: repeat hi k ++ repeat lo (N - k)) (y :: repeat hi k ++ repeat lo (N - k)) E delta <->
  below (number_of_heads (chance (send x) :: repeat b k ++ repeat a (N - k)))
        (number_of_heads (chance (send y) :: repeat b k ++ repeat a (N - k))) E delta.
Proof. rewrite shuffle_below_heads, !heads_of_kinds by auto. reflexivity. Qed.

(** Outside 0, ..., N the excesses are 0 or 1 - E. *)
Lemma excesses_outside k m E delta :
  (k <= N)%nat -> 0 <= delta -> 1 - E <= delta -> (m < 0 \/ Z.of_nat N < m)%Z ->
  up_excess a b E N k m <= delta /\ down_excess a b E N k m <= delta.
Proof.
  intros Hk D0 D1 Hm. unfold up_excess, down_excess, others, at_most.
  assert (L : length (repeat b k ++ repeat a (N - k)) = N) by (rewrite app_length, !repeat_length; lia).
  rewrite (Pr_heads_never _ (Z.eqb m)).
  2: { intros t Ht. rewrite L in Ht. apply Z.eqb_neq. lia. }
  destruct Hm as [Hm | Hm].
  - rewrite (Pr_heads_always _ (Z.ltb m)), (Pr_heads_never _ (fun t => Z.leb t m)); [lra | | apply others_chances |];
      intros t Ht; rewrite L in Ht; [apply Z.leb_gt | apply Z.ltb_lt]; lia.
  - rewrite (Pr_heads_never _ (Z.ltb m)), (Pr_heads_always _ (fun t => Z.leb t m)); [lra | apply others_chances | |];
      intros t Ht; rewrite L in Ht; [apply Z.leb_le | apply Z.ltb_ge]; lia.
Qed.

(** Every excess is one of an event of two neighbouring data sets. *)
Theorem two_messages_attained k m E :
  (k <= N)%nat ->
  let zs := repeat hi k ++ repeat lo (N - k) in
  let more := fun u => Z.ltb m (Z.of_nat (ones u)) in
  let few := fun u => at_most m (Z.of_nat (ones u)) in
  neighbors (hi :: zs) (lo :: zs) /\ length (hi :: zs) = S N /\ symmetric more /\ symmetric few /\
  Pr (messages (one_message send) (hi :: zs)) more - E * Pr (messages (one_message send) (lo :: zs)) more =
  up_excess a b E N k m /\
  Pr (messages (one_message send) (lo :: zs)) few - E * Pr (messages (one_message send) (hi :: zs)) few =
  down_excess a b E N k m.
Proof.
  intros Hk zs more few. split; [apply (replace_one []) |]. split.
  { unfold zs. simpl. rewrite app_length, !repeat_length. lia. }
  split; [exact (counts_symmetric (fun c => Z.ltb m (Z.of_nat c))) |].
  split; [exact (counts_symmetric (fun c => at_most m (Z.of_nat c))) |].
  assert (View : forall x T, Pr (messages (one_message send) (x :: zs)) (fun u => T (Z.of_nat (ones u))) =
    Pr (number_of_heads (chance (send x) :: repeat b k ++ repeat a (N - k))) T).
  { intros x T. unfold Pr. rewrite <- heads_of_kinds, <- mean_ones_heads by exact all_proper. reflexivity. }
  unfold more, few. rewrite !View. split; [apply excess_up | apply excess_down].
Qed.

Theorem two_messages_private E delta :
  0 <= E ->
  (forall xs ys, neighbors xs ys -> length xs = S N -> shuffle_below (one_message send) xs ys E delta) <->
  0 <= delta /\ 1 - E <= delta /\
  forall k m, (k <= N)%nat -> (m <= N)%nat ->
  up_excess a b E N k (Z.of_nat m) <= delta /\ down_excess a b E N k (Z.of_nat m) <= delta.
Proof.
  intros HE. split.
  - intros H. assert (P : forall xs, proper (messages (one_message send) xs)).
    { intros xs. apply proper_messages. intros x. apply proper_one_message, all_proper. }
    split; [| split].
    + specialize (H (hi :: repeat lo N) (hi :: repeat lo N) (replace_one [] _ _ _)).
      specialize (H ltac:(simpl; rewrite repeat_length; reflexivity)).
      specialize (H (fun _ => false) ltac:(intros u v _; reflexivity)).
      assert (Z : forall d : dist (list bool), Pr d (fun _ => false) = 0).
      { intros d. unfold Pr. rewrite (mean_ext d _ (fun _ => 0 * 0)) by (intros; unfold indicator; ring).
        rewrite mean_scal. ring. }
      rewrite !Z in H. lra.
    + specialize (H (hi :: repeat lo N) (hi :: repeat lo N) (replace_one [] _ _ _)).
      specialize (H ltac:(simpl; rewrite repeat_length; reflexivity)).
      specialize (H (fun _ => true) ltac:(intros u v _; reflexivity)).
      rewrite !Pr_all in H by apply P. lra.
    + intros k m Hk Hm. destruct (two_messages_attained k (Z.of_nat m) E Hk) as [NB [L [SU [SD [<- <-]]]]].
      assert (U := H _ _ NB L _ SU). assert (L' := L). rewrite (neighbors_length _ _ NB) in L'.
      assert (D := H _ _ (neighbors_sym _ _ NB) L' _ SD). lra.
  - intros [D0 [D1 H]]. apply (mixtures_dropped _ _ _ (S N) E delta two_inputs_mix two_inputs_mix).
    intros x y zs Vx Vy Bz L. injection L as L. destruct (two_kinds lo hi zs Bz) as [k [Hk P]]. rewrite L in Hk, P.
    set (rest := repeat hi k ++ repeat lo (N - k)) in *.
    apply (shuffle_below_permutation _ _ _ (x :: rest) (y :: rest)); [constructor; exact P | constructor; exact P |].
    unfold rest. apply kinds_below. assert (C := extreme_chances). assert (O := others_chances k).
    assert (In01 : forall m, up_excess a b E N k m <= delta /\ down_excess a b E N k m <= delta).
    { intros m. destruct (Z_lt_le_dec m 0) as [M | M]; [apply excesses_outside; auto |].
      destruct (Z_lt_le_dec (Z.of_nat N) m) as [M' | M']; [apply excesses_outside; auto |].
      specialize (H k (Z.to_nat m) Hk ltac:(lia)). rewrite Z2Nat.id in H by lia. exact H. }
    assert (Same : forall p, 0 <= p <= 1 ->
      let d := number_of_heads (p :: repeat b k ++ repeat a (N - k)) in below d d E delta).
    { intros p Hp d T. assert (PT := Pr_bounds d T ltac:(apply proper_one_more; assumption)).
      destruct (Rle_lt_dec 1 E) as [G | G].
      - assert (0 <= (E - 1) * Pr d T) by (apply Rmult_le_pos; lra). lra.
      - assert ((1 - E) * Pr d T <= (1 - E) * 1) by (apply Rmult_le_compat_l; lra). lra. }
    destruct Vx as [-> | ->], Vy as [-> | ->]; fold a b.
    + apply Same. lra.
    + apply two_rows_down; auto. intros m. apply In01.
    + apply two_rows_up; auto. intros m. apply In01.
    + apply Same. lra.
Qed.

(** At every eps, and for every larger number of users. *)
Theorem two_messages_adding_users n eps delta :
  (S N <= n)%nat -> 0 <= delta -> 1 - exp eps <= delta ->
  (forall k m, (k <= N)%nat -> (m <= N)%nat ->
   up_excess a b (exp eps) N k (Z.of_nat m) <= delta /\ down_excess a b (exp eps) N k (Z.of_nat m) <= delta) ->
  shuffle_dp n (one_message send) eps delta.
Proof.
  intros Hn D0 D1 H. apply (adding_users (S N)); [lia | |].
  - intros x. apply proper_one_message, all_proper.
  - apply shuffle_dp_iff_pairs, two_messages_private; [left; apply exp_pos | auto].
Qed.

End two_inputs.

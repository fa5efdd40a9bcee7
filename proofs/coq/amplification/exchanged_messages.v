(** Both messages in each other's place, and a message that some input never sends.

    Two messages as in two_messages.v: [up_excess a b E N k m] and [down_excess a b E N k m] are the excesses of "more
    than m ones" and of "at most m ones" beside k users of chance b and N - k of chance a; k <= N, all real a, b, E.

    - [down_is_up]: the second is the first for the chances 1 - b <= 1 - a of the other message, N - k in place of k
      and N - m in place of m: both orders of a pair are one computation.
    - [excluded_message]: if an input never sends 1, or another never sends 0 (a = 0 or b = 1), then for every n >= 1,
      real E >= 1 and delta all neighbouring data sets of n users, under replacement, are (E, delta)-below each other
      if and only if b - a <= delta. So n users are not more private than one.

    Idea: no excess is above b - a, that of one user's message; beside users who never send 1, the event that some
    user sends it has this excess. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user bits bit_messages half_line.
From Exactdp Require Import number_of_heads two_messages.
Import ListNotations.
Open Scope R_scope.

(** ** The other order *)

Lemma mean_heads_permutation ps qs f :
  Permutation ps qs -> mean (number_of_heads ps) f = mean (number_of_heads qs) f.
Proof.
  intros P. revert f. induction P as [| p ps qs P IH | p q ps | ps qs rs P IH P' IH']; intros f.
  - reflexivity.
  - rewrite !mean_heads_first, !IH. reflexivity.
  - rewrite !mean_heads_first. ring.
  - rewrite IH. apply IH'.
Qed.

(** Tails for heads. *)
Lemma mean_heads_exchanged ps f :
  mean (number_of_heads ps) f =
  mean (number_of_heads (map (fun p => 1 - p) ps)) (fun t => f (Z.of_nat (length ps) - t)%Z).
Proof.
  revert f. induction ps as [| p ps IH]; intros f; [simpl; rewrite !mean_ret; reflexivity |].
  cbn [map]. rewrite !mean_heads_first. rewrite (IH f), (IH (fun t => f (t + 1)%Z)).
  rewrite (mean_ext _ (fun t => f (Z.of_nat (length (p :: ps)) - (t + 1))%Z)
                      (fun t => f (Z.of_nat (length ps) - t)%Z)) by (intros t; f_equal; simpl length; lia).
  rewrite (mean_ext _ (fun t => f (Z.of_nat (length (p :: ps)) - t)%Z)
                      (fun t => f (Z.of_nat (length ps) - t + 1)%Z)) by (intros t; f_equal; simpl length; lia).
  ring.
Qed.

Lemma Pr_others_exchanged a b N k T :
  (k <= N)%nat ->
  Pr (others a b N k) T = Pr (others (1 - b) (1 - a) N (N - k)) (fun t => T (Z.of_nat N - t)%Z).
Proof.
  intros H. unfold Pr, others. rewrite mean_heads_exchanged, app_length, !repeat_length.
  replace (k + (N - k))%nat with N by lia. replace (N - (N - k))%nat with k by lia.
  rewrite (mean_heads_permutation _ (repeat (1 - a) (N - k) ++ repeat (1 - b) k)).
  - reflexivity.
  - assert (M : forall p j, map (fun p => 1 - p) (repeat p j) = repeat (1 - p) j).
    { intros p j. induction j as [| j IH]; simpl; [| rewrite IH]; reflexivity. }
    rewrite map_app, !M. apply Permutation_app_comm.
Qed.

Theorem down_is_up a b E N k m :
  (k <= N)%nat ->
  down_excess a b E N k m = up_excess (1 - b) (1 - a) E N (N - k) (Z.of_nat N - m).
Proof.
  intros H. unfold down_excess, up_excess. rewrite !(Pr_others_exchanged a b N k _ H).
  set (G := others (1 - b) (1 - a) N (N - k)).
  assert (Q : Pr G (fun t => at_most m (Z.of_nat N - t)%Z) =
              Pr G (Z.eqb (Z.of_nat N - m)) + Pr G (Z.ltb (Z.of_nat N - m))).
  { unfold Pr. rewrite <- mean_plus. apply mean_ext. intros t. unfold indicator, at_most.
    destruct (Z.leb_spec (Z.of_nat N - t) m), (Z.eqb_spec (Z.of_nat N - m) t), (Z.ltb_spec (Z.of_nat N - m) t);
      try lia; ring. }
  rewrite Q. rewrite (Pr_ext G (fun t => Z.eqb m (Z.of_nat N - t)) (Z.eqb (Z.of_nat N - m))); [ring |].
  intros t. destruct (Z.eqb_spec m (Z.of_nat N - t)), (Z.eqb_spec (Z.of_nat N - m) t); try reflexivity; lia.
Qed.

(** ** What no excess is above *)

Lemma proper_others a b N k : 0 <= a <= 1 -> 0 <= b <= 1 -> proper (others a b N k).
Proof.
  intros Ha Hb. apply proper_heads. intros p I. apply in_app_or in I.
  destruct I as [I | I]; apply repeat_spec in I; subst p; assumption.
Qed.

(** No excess is above b - a, and none is positive if b <= E a. *)
Lemma up_excess_bound a b E N k m :
  0 <= a <= b -> b <= 1 -> 1 <= E -> up_excess a b E N k m <= Rmax 0 (b - E * a) <= b - a.
Proof.
  intros Ha Hb HE. unfold up_excess. assert (P := proper_others a b N k ltac:(lra) ltac:(lra)).
  assert (P1 := Pr_bounds _ (Z.eqb m) P). assert (P2 := Pr_bounds _ (Z.ltb m) P).
  set (g := Pr _ (Z.eqb m)) in *. set (t := Pr _ (Z.ltb m)) in *.
  assert (0 <= (E - 1) * t) by (apply Rmult_le_pos; lra).
  assert (0 <= (E - 1) * a) by (apply Rmult_le_pos; lra).
  split; [| apply Rmax_lub; lra].
  destruct (Rle_lt_dec (b - E * a) 0) as [L | L].
  - rewrite Rmax_left by exact L. assert (0 <= (E * a - b) * g) by (apply Rmult_le_pos; lra). lra.
  - rewrite Rmax_right by lra. assert ((b - E * a) * g <= (b - E * a) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Users who never send 1. *)
Lemma up_excess_never b E N : up_excess 0 b E N 0 0 = b.
Proof.
  assert (Z : forall f, mean (others 0 b N 0) f = f 0%Z).
  { unfold others. rewrite Nat.sub_0_r. simpl repeat at 1. simpl app.
    induction N as [| n IH]; intros f; [apply mean_ret |]. simpl repeat. rewrite mean_heads_first, !IH. ring. }
  unfold up_excess, Pr. rewrite !Z. unfold indicator. simpl. ring.
Qed.

(** With such an input n users are as private as one. *)
Theorem excluded_message {X} (send : X -> dist bool) (lo hi : X) (N : nat) E delta :
  (forall x, proper (send x)) -> (forall x, chance (send lo) <= chance (send x) <= chance (send hi)) ->
  chance (send lo) = 0 \/ chance (send hi) = 1 -> 1 <= E ->
  (forall xs ys, neighbors xs ys -> length xs = S N -> shuffle_below (one_message send) xs ys E delta) <->
  chance (send hi) - chance (send lo) <= delta.
Proof.
  intros HP HE H E1. assert (C := extreme_chances send lo hi HP HE).
  rewrite (two_messages_private send lo hi N HP HE E delta) by lra.
  set (a := chance (send lo)) in *. set (b := chance (send hi)) in *. split.
  - intros [_ [_ L]]. destruct H as [H | H].
    + destruct (L 0%nat 0%nat ltac:(lia) ltac:(lia)) as [U _]. rewrite H in U |- *.
      change (Z.of_nat 0) with 0%Z in U. rewrite up_excess_never in U. lra.
    + destruct (L N N (le_n N) (le_n N)) as [_ U]. rewrite down_is_up in U by lia.
      replace (N - N)%nat with 0%nat in U by lia. replace (Z.of_nat N - Z.of_nat N)%Z with 0%Z in U by lia.
      rewrite H in U |- *. replace (1 - 1) with 0 in U by ring. rewrite up_excess_never in U. exact U.
  - intros L. split; [lra | split; [lra |]]. intros k m Hk Hm. rewrite down_is_up by exact Hk.
    destruct (up_excess_bound a b E N k (Z.of_nat m)) as [U1 U2]; try lra.
    destruct (up_excess_bound (1 - b) (1 - a) E N (N - k) (Z.of_nat N - Z.of_nat m)) as [V1 V2]; lra.
Qed.

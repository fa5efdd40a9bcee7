(** One event of two data sets refutes a claim on two messages: its excess, computed in integers.

    As in two_message_checked.v: n = N + 1 >= 1 users, least and greatest probability of a message A/D and B/D with
    integers 0 <= A <= B <= D, D > 0, and integers X >= Y >= 1, d1 >= 0, d2 > 0. The program [event_above] takes the
    event "the message is sent more than m times", where k <= N of the other users hold the input that sends it most
    and the others the one that sends it least; it starts at 0 times and goes to m times with one product and one
    exact division a step, without a search. Where the k holders always send it (B = D) it counts the rest, and
    answers false where the event is then certain, m < k, or A = D.

    - [two_message_event]: if it answers true and e^eps <= X/Y, the shuffled messages of n users are not
      (eps, d1/d2)-DP under replacement; any integer m >= 0;
    - [two_message_event_other]: the same for the other message, with (D - B, D - A) in place of (A, B).

    The method refute of TwoMessages in exactdp/checker/two_messages.py rests on it. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user bit_messages half_line.
From Exactdp Require Import number_of_heads two_messages exchanged_messages head_weights two_message_program.
From Exactdp Require Import two_message_checked.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** At 0 times: the weights of 0 and 1 and D times the sum of those above 0, for k of N holders. *)
Definition none_sent (A B D : Z) (N k : nat) : Z * Z * Z :=
  let at_0 := (D - B) ^ Z.of_nat k * (D - A) ^ Z.of_nat (N - k) in
  let of_holders := if Nat.eqb k 0 then 0 else at_0 / (D - B) * Z.of_nat k * B in
  let of_rest := if Nat.eqb (N - k) 0 then 0 else at_0 / (D - A) * Z.of_nat (N - k) * A in
  (at_0, of_holders + of_rest, D * (D ^ Z.of_nat N - at_0)).

(** At m times. *)
Fixpoint sent (A B D : Z) (N k m : nat) : Z * Z * Z :=
  match m with
  | O => none_sent A B D N k
  | S before =>
      let '(G0, G1, U) := sent A B D N k before in
      let t := Z.of_nat m in
      let G2 := ((Z.of_nat k * B * (D - A) + Z.of_nat (N - k) * A * (D - B) - ((D - A) * B + (D - B) * A) * t) * G1
                 + A * B * (Z.of_nat N - Z.of_nat before) * G0) / ((D - A) * (D - B) * (t + 1)) in
      (G1, G2, U - D * G1)
  end.

Definition above_bound (gain A B D X Y d1 d2 : Z) (N k m : nat) : bool :=
  let '(G0, _, U) := sent A B D N k m in
  d1 * Y * D ^ Z.of_nat (S N) / d2 <? gain * G0 - (X - Y) * U.

Definition event_above (A B D X Y d1 d2 : Z) (N k m : nat) : bool :=
  if B =? D then (A <? D) && Nat.leb k m && above_bound (gain A B X Y) A A D X Y d1 d2 (N - k) 0 (m - k)
  else above_bound (gain A B X Y) A B D X Y d1 d2 N k m.

(** ** What it computes *)

Lemma weights_none_sent A B D k j :
  weight D (kinds A B k j) 0 = (D - B) ^ Z.of_nat k * (D - A) ^ Z.of_nat j /\
  weight D (kinds A B k j) 1 =
  Z.of_nat k * B * (D - B) ^ (Z.of_nat k - 1) * (D - A) ^ Z.of_nat j +
  Z.of_nat j * A * (D - B) ^ Z.of_nat k * (D - A) ^ (Z.of_nat j - 1).
Proof.
  induction k as [| k [IH0 IH1]].
  - destruct (weights_at_start A B D j) as [W0 W1]. rewrite Nat.sub_0_r in W0, W1. rewrite W0, W1.
    change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. split; ring.
  - unfold kinds in *. cbn [repeat app weight]. change (0 - 1) with (-1). change (1 - 1) with 0.
    rewrite IH0, IH1, (weight_outside D _ (-1)) by lia.
    replace (Z.of_nat (S k) - 1) with (Z.of_nat k) by lia. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia.
    split; [ring |]. destruct k as [| k].
    + change (Z.of_nat 0) with 0. rewrite Z.pow_0_r. unfold Z.succ. ring.
    + replace (Z.of_nat (S k)) with (Z.succ (Z.of_nat k)) by lia.
      replace (Z.succ (Z.of_nat k) - 1) with (Z.of_nat k) by lia. rewrite Z.pow_succ_r by lia. unfold Z.succ. ring.
Qed.

Section events.

Variables (A B D : Z) (N k : nat).
Hypothesis chances : 0 <= A <= B /\ B < D.
Hypothesis holders : (k <= N)%nat.

Let G : Z -> Z := weight D (kinds A B k (N - k)).
Let U (m : Z) : Z := D * weight_above D (kinds A B k (N - k)) m.

Lemma none_sent_means : none_sent A B D N k = (G 0, G 1, U 0).
Proof.
  unfold none_sent. destruct (weights_none_sent A B D k (N - k)) as [W0 W1]. fold (G 0) in W0. fold (G 1) in W1.
  rewrite <- W0. assert (UE : D * (D ^ Z.of_nat N - G 0) = U 0).
  { unfold U. assert (S := weight_above_step D (kinds A B k (N - k)) 0).
    rewrite weight_above_all, kinds_length in S by lia. fold (G 0) in S. rewrite S. ring. }
  rewrite UE, W1, W0. set (j := (N - k)%nat). f_equal. f_equal. f_equal.
  - destruct k as [| i]; [simpl Nat.eqb; cbn [Z.of_nat]; ring |]. simpl Nat.eqb. cbv iota.
    rewrite (exact_quotient _ (D - B) ((D - B) ^ (Z.of_nat (S i) - 1) * (D - A) ^ Z.of_nat j)); [ring | lia |].
    replace (Z.of_nat (S i)) with (Z.succ (Z.of_nat i)) by lia.
    replace (Z.succ (Z.of_nat i) - 1) with (Z.of_nat i) by lia. rewrite Z.pow_succ_r by lia. ring.
  - destruct j as [| i]; [simpl Nat.eqb; cbn [Z.of_nat]; ring |]. simpl Nat.eqb. cbv iota.
    rewrite (exact_quotient _ (D - A) ((D - B) ^ Z.of_nat k * (D - A) ^ (Z.of_nat (S i) - 1))); [ring | lia |].
    replace (Z.of_nat (S i)) with (Z.succ (Z.of_nat i)) by lia.
    replace (Z.succ (Z.of_nat i) - 1) with (Z.of_nat i) by lia. rewrite Z.pow_succ_r by lia. ring.
Qed.

Lemma sent_means m : sent A B D N k m = (G (Z.of_nat m), G (Z.of_nat m + 1), U (Z.of_nat m)).
Proof.
  induction m as [| m IH]; [exact none_sent_means |]. cbn [sent]. rewrite IH.
  rewrite (exact_quotient _ _ (G (Z.of_nat (S m) + 1))).
  - assert (E : U (Z.of_nat (S m)) = U (Z.of_nat m) - D * G (Z.of_nat m + 1)).
    { assert (W := weight_above_step D (kinds A B k (N - k)) (Z.of_nat (S m))).
      replace (Z.of_nat (S m) - 1) with (Z.of_nat m) in W by lia. unfold U, G. rewrite W.
      replace (Z.of_nat m + 1) with (Z.of_nat (S m)) by lia. ring. }
    rewrite E. replace (Z.of_nat m + 1) with (Z.of_nat (S m)) by lia. reflexivity.
  - assert (0 < (D - A) * (D - B) * (Z.of_nat (S m) + 1)) by (repeat apply Z.mul_pos_pos; lia). lia.
  - assert (E := one_place_further A B D k (N - k) (Z.of_nat (S m))). cbv zeta in E. fold G in E.
    replace (k + (N - k))%nat with N in E by lia.
    replace (Z.of_nat (S m) - 1) with (Z.of_nat m) in E by lia.
    replace (Z.of_nat m + 1) with (Z.of_nat (S m)) by lia.
    replace (Z.of_nat N - Z.of_nat (S m) + 1) with (Z.of_nat N - Z.of_nat m) in E by lia. lia.
Qed.

End events.

Open Scope R_scope.

(** Holders who always send the message. *)
Lemma mean_others_certain a N k f :
  mean (others a 1 N k) f = mean (others a a (N - k) 0) (fun t => f (t + Z.of_nat k)%Z).
Proof.
  unfold others. rewrite Nat.sub_0_r. simpl repeat at 3. simpl app.
  generalize (repeat a (N - k)) as ps. intros ps. revert f.
  induction k as [| k IH]; intros f.
  - apply mean_ext. intros t. f_equal. simpl. lia.
  - cbn [repeat app]. rewrite mean_heads_first, !IH.
    rewrite (mean_ext _ (fun t => f (t + Z.of_nat k + 1)%Z) (fun t => f (t + Z.of_nat (S k))%Z))
      by (intros t; f_equal; lia). ring.
Qed.

Lemma up_excess_certain a E N k m :
  up_excess a 1 E N k m =
  (1 - E * a) * Pr (others a a (N - k) 0) (Z.eqb (m - Z.of_nat k)) -
  (E - 1) * Pr (others a a (N - k) 0) (Z.ltb (m - Z.of_nat k)).
Proof.
  unfold up_excess, Pr. rewrite !mean_others_certain. f_equal; f_equal; apply mean_ext; intros t; unfold indicator.
  - destruct (Z.eqb_spec m (t + Z.of_nat k)), (Z.eqb_spec (m - Z.of_nat k) t); try reflexivity; lia.
  - destruct (Z.ltb_spec m (t + Z.of_nat k)), (Z.ltb_spec (m - Z.of_nat k) t); try reflexivity; lia.
Qed.

Section users.

Variables (A B D X Y d1 d2 : Z) (N k m : nat).
Hypothesis chances : (0 <= A <= B /\ B <= D)%Z.
Hypothesis D_positive : (0 < D)%Z.
Hypothesis ratio : (1 <= Y <= X)%Z.
Hypothesis delta_whole : (0 < d2)%Z.
Hypothesis holders : (k <= N)%nat.

Let a := IZR A / IZR D.
Let b := IZR B / IZR D.
Let E := IZR X / IZR Y.
Let delta := IZR d1 / IZR d2.

Lemma event_excess : event_above A B D X Y d1 d2 N k m = true -> delta < up_excess a b E N k (Z.of_nat m).
Proof.
  assert (DP := IZR_lt _ _ D_positive). assert (YP := proj1 ratio). apply IZR_le in YP.
  unfold event_above, above_bound. intros H. apply Rnot_le_lt. intros L. destruct (Z.eqb_spec B D) as [Q | Q].
  - apply andb_true_iff in H. destruct H as [H H2]. apply andb_true_iff in H. destruct H as [H0 H1].
    apply Z.ltb_lt in H0. apply Nat.leb_le in H1. rewrite sent_means in H2 by lia. apply Z.ltb_lt in H2.
    assert (O : b = 1) by (unfold b; rewrite Q; field; lra). rewrite O, up_excess_certain in L.
    replace (Z.of_nat m - Z.of_nat k)%Z with (Z.of_nat (m - k)) in L by lia.
    set (i := Z.of_nat (m - k)) in *. set (j := (N - k)%nat) in *. apply Zlt_not_le in H2. apply H2.
    refine (proj2 (bound_iff D X Y d1 d2 j D_positive ratio delta_whole _ _ _) L).
    rewrite minus_IZR, !mult_IZR, weight_means, weight_above_means, kinds_length, minus_IZR by lia.
    unfold a. rewrite (others_weights A A D j 0). unfold gain, E. rewrite Q, minus_IZR, !mult_IZR.
    simpl pow. field. lra.
  - rewrite sent_means in H by lia. apply Z.ltb_lt in H. apply Zlt_not_le in H. apply H.
    refine (proj2 (bound_iff D X Y d1 d2 N D_positive ratio delta_whole _ _ _) L).
    exact (eq_sym (excess_means A B D X Y N D_positive ratio k (Z.of_nat m) holders)).
Qed.

End users.

Section refuted.

Variables (A B D X Y d1 d2 : Z) (N k m : nat).
Hypothesis chances : (0 <= A <= B /\ B <= D)%Z.
Hypothesis D_positive : (0 < D)%Z.
Hypothesis ratio : (1 <= Y <= X)%Z.
Hypothesis delta_whole : (0 < d2)%Z.
Hypothesis holders : (k <= N)%nat.

Context {I : Type} (send : I -> dist bool) (lo hi : I) (eps : R).
Hypothesis all_proper : forall u, proper (send u).
Hypothesis extreme : forall u, chance (send lo) <= chance (send u) <= chance (send hi).
Hypothesis least : chance (send lo) = IZR A / IZR D.
Hypothesis greatest : chance (send hi) = IZR B / IZR D.
Hypothesis level : exp eps <= IZR X / IZR Y.

(** A pair of data sets with an event above delta at X/Y. *)
Lemma event_refutes xs ys T delta :
  neighbors xs ys -> length xs = S N -> symmetric T ->
  delta < Pr (messages (one_message send) xs) T - IZR X / IZR Y * Pr (messages (one_message send) ys) T ->
  ~ shuffle_dp (S N) (one_message send) eps delta.
Proof.
  intros NB L S H Private. specialize (Private xs ys NB L T S).
  assert (P : 0 <= Pr (messages (one_message send) ys) T).
  { apply Pr_bounds, proper_messages. intros u. apply proper_one_message, all_proper. }
  apply (Rmult_le_compat_r _ _ _ P) in level. lra.
Qed.

Theorem two_message_event :
  event_above A B D X Y d1 d2 N k m = true -> ~ shuffle_dp (S N) (one_message send) eps (IZR d1 / IZR d2).
Proof.
  intros H. apply event_excess in H; try assumption.
  destruct (two_messages_attained send lo hi N all_proper k (Z.of_nat m) (IZR X / IZR Y) holders)
    as [NB [L [SU [_ [EU _]]]]].
  apply (event_refutes _ _ _ _ NB L SU). rewrite EU, least, greatest. exact H.
Qed.

(** Holders of the other message have the least probability of the first. *)
Theorem two_message_event_other :
  event_above (D - B) (D - A) D X Y d1 d2 N k m = true -> ~ shuffle_dp (S N) (one_message send) eps (IZR d1 / IZR d2).
Proof.
  intros H. assert (DP := IZR_lt _ _ D_positive). apply event_excess in H; try assumption; try lia.
  replace (IZR (D - B) / IZR D) with (1 - IZR B / IZR D) in H by (rewrite minus_IZR; field; lra).
  replace (IZR (D - A) / IZR D) with (1 - IZR A / IZR D) in H by (rewrite minus_IZR; field; lra).
  destruct (two_messages_attained send lo hi N all_proper (N - k) (Z.of_nat N - Z.of_nat m) (IZR X / IZR Y)
    ltac:(lia)) as [NB [L [_ [SD [_ ED]]]]].
  rewrite down_is_up in ED by lia. replace (N - (N - k))%nat with k in * by lia.
  replace (Z.of_nat N - (Z.of_nat N - Z.of_nat m))%Z with (Z.of_nat m) in ED by lia.
  rewrite least, greatest in ED. rewrite <- ED in H.
  rewrite (neighbors_length _ _ NB) in L. apply (event_refutes _ _ _ _ (neighbors_sym _ _ NB) L SD H).
Qed.

End refuted.

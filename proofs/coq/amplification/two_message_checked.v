(** A claim on two messages is decided by one run of a program on integers for each order.

    Each of n = N + 1 >= 1 users sends one of two messages; the least and the greatest probability of message 1 over
    all inputs are A/D and B/D with integers 0 <= A <= B <= D, D > 0. For integers X >= Y >= 1 and delta = d1/d2 with
    integers d1 >= 0, d2 > 0, [decided] is a program on integers:

    - [two_message_decided]: it answers true if and only if all neighbouring data sets of n users, under
      replacement, are (X/Y, delta)-below each other;
    - [two_message_proved]: if it does and X/Y <= e^eps, the shuffled messages of every number n' >= n of users are
      (eps, delta)-DP;
    - [two_message_refuted]: if it does not and e^eps <= X/Y, those of n users are not.

    Idea: the second order is the first with the messages exchanged, and an input that excludes a message needs no
    search (exchanged_messages.v). Everything else is two_message_program.v.

    The class TwoMessages of exactdp/checker/two_messages.py rests on it. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user bits bit_messages half_line.
From Exactdp Require Import number_of_heads two_messages exchanged_messages head_weights two_message_program.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

Definition one_order (A B D X Y bound : Z) (N : nat) : bool :=
  if (gain A B X Y <=? 0)%Z then true else scan_all A B D X Y bound N.

Definition decided (A B D X Y d1 d2 : Z) (N : nat) : bool :=
  if ((A =? 0) || (B =? D))%Z%bool then ((B - A) * d2 <=? d1 * D)%Z
  else let bound := (d1 * Y * D ^ Z.of_nat (S N) / d2)%Z in
       one_order A B D X Y bound N && one_order (D - B) (D - A) D X Y bound N.

Section numbers.

Variables (A B D X Y d1 d2 : Z) (N : nat).
Hypothesis chances : (0 <= A <= B /\ B <= D)%Z.
Hypothesis D_positive : (0 < D)%Z.
Hypothesis ratio : (1 <= Y <= X)%Z.
Hypothesis delta_nonneg : (0 <= d1)%Z.
Hypothesis delta_whole : (0 < d2)%Z.

Let a := IZR A / IZR D.
Let b := IZR B / IZR D.
Let E := IZR X / IZR Y.
Let delta := IZR d1 / IZR d2.
Let bound := (d1 * Y * D ^ Z.of_nat (S N) / d2)%Z.

Lemma ratio_real : 1 <= E.
Proof.
  destruct ratio as [HY HX]. apply IZR_le in HY, HX. unfold E.
  apply Rmult_le_reg_r with (IZR Y); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma delta_real : 0 <= delta.
Proof.
  apply IZR_le in delta_nonneg. apply IZR_lt in delta_whole. unfold delta.
  apply Rmult_le_pos; [exact delta_nonneg | left; apply Rinv_0_lt_compat, delta_whole].
Qed.

Lemma chances_real : 0 <= a <= b /\ b <= 1.
Proof.
  assert (DP := IZR_lt _ _ D_positive). destruct chances as [[HA HAB] HBD]. apply IZR_le in HA, HAB, HBD.
  assert (I : 0 < / IZR D) by (apply Rinv_0_lt_compat, DP). unfold a, b, Rdiv. repeat split.
  - apply Rmult_le_pos; lra.
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_le_reg_r with (IZR D); [exact DP |]. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma others_weights k :
  others a b N k = number_of_heads (map (fun c => IZR c / IZR D) (kinds A B k (N - k))).
Proof.
  assert (M : forall c j, map (fun c => IZR c / IZR D) (repeat c j) = repeat (IZR c / IZR D) j).
  { intros c j. induction j as [| j IH]; simpl; [| rewrite IH]; reflexivity. }
  unfold kinds. rewrite map_app, !M. reflexivity.
Qed.

(** An excess in integers. *)
Lemma excess_means k m :
  (k <= N)%nat ->
  IZR (excess A B D X Y N k m) = up_excess a b E N k m * (IZR Y * IZR D ^ S N).
Proof.
  intros H. assert (DP := IZR_lt _ _ D_positive). destruct ratio as [HY HX]. apply IZR_le in HY.
  unfold excess, gain, up_excess. rewrite others_weights.
  rewrite !minus_IZR, !mult_IZR, !minus_IZR, !mult_IZR, weight_means, weight_above_means, kinds_length by assumption.
  unfold a, b, E. simpl pow. field. lra.
Qed.

Lemma bound_iff z r : r * (IZR Y * IZR D ^ S N) = IZR z -> ((z <= bound)%Z <-> r <= delta).
Proof.
  intros H. assert (DP := IZR_lt _ _ D_positive). assert (d2P := IZR_lt _ _ delta_whole).
  destruct ratio as [HY HX]. assert (YP := IZR_le _ _ HY).
  assert (P : 0 < IZR Y * IZR D ^ S N) by (apply Rmult_lt_0_compat; [lra | apply pow_lt, DP]).
  assert (Q : (z <= bound)%Z <-> (z * d2 <= d1 * Y * D ^ Z.of_nat (S N))%Z).
  { unfold bound. split; intros L.
    - assert (M := Z.mul_div_le (d1 * Y * D ^ Z.of_nat (S N)) d2 delta_whole). nia.
    - apply Z.div_le_lower_bound; [exact delta_whole | lia]. }
  rewrite Q. assert (S : r <= delta <-> r * (IZR Y * IZR D ^ S N) * IZR d2 <= IZR d1 * (IZR Y * IZR D ^ S N)).
  { unfold delta. split; intros L.
    - apply (Rmult_le_compat_r (IZR Y * IZR D ^ S N * IZR d2)) in L.
      + replace (IZR d1 / IZR d2 * (IZR Y * IZR D ^ S N * IZR d2)) with (IZR d1 * (IZR Y * IZR D ^ S N)) in L
          by (field; lra). lra.
      + apply Rmult_le_pos; lra.
    - apply Rmult_le_reg_r with (IZR Y * IZR D ^ S N * IZR d2); [apply Rmult_lt_0_compat; lra |].
      replace (IZR d1 / IZR d2 * (IZR Y * IZR D ^ S N * IZR d2)) with (IZR d1 * (IZR Y * IZR D ^ S N))
        by (field; lra). lra. }
  rewrite S, H. rewrite pow_IZR. split; intros L.
  - apply IZR_le in L. rewrite !mult_IZR in L. lra.
  - apply le_IZR. rewrite !mult_IZR. lra.
Qed.

Lemma one_order_decides :
  (0 < A)%Z -> (B < D)%Z ->
  one_order A B D X Y bound N = true <->
  forall k m, (k <= N)%nat -> (m <= N)%nat -> up_excess a b E N k (Z.of_nat m) <= delta.
Proof.
  intros HA HB. assert (DP := IZR_lt _ _ D_positive). assert (R1 := ratio_real). assert (D0 := delta_real).
  unfold one_order. destruct (Z.leb_spec (gain A B X Y) 0) as [L | L].
  - split; [intros _ k m Hk Hm | reflexivity].
    assert (C := chances_real). destruct (up_excess_bound a b E N k (Z.of_nat m)) as [U _]; try apply C; [exact R1 |].
    eapply Rle_trans; [exact U |]. apply Rmax_lub; [exact D0 |]. apply Rle_trans with 0; [| exact D0].
    destruct ratio as [HY HX]. apply IZR_le in HY, L. unfold gain in L.
    rewrite minus_IZR, !mult_IZR in L. unfold a, b, E.
    replace (IZR B / IZR D - IZR X / IZR Y * (IZR A / IZR D))
      with ((IZR Y * IZR B - IZR X * IZR A) * / (IZR Y * IZR D)) by (field; lra).
    assert (I : 0 < / (IZR Y * IZR D)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    apply Rle_trans with (0 * / (IZR Y * IZR D)); [apply Rmult_le_compat_r; lra | lra].
  - assert (AB : (A < B)%Z) by (unfold gain in L; nia).
    rewrite scan_decides by assumption. split; intros H k m Hk Hm.
    + apply (bound_iff (excess A B D X Y N k (Z.of_nat m))); [symmetry; apply excess_means, Hk | apply H; lia].
    + apply (bound_iff _ (up_excess a b E N k m)); [symmetry; apply excess_means, Hk |].
      specialize (H k (Z.to_nat m) Hk ltac:(lia)). rewrite Z2Nat.id in H by lia. exact H.
Qed.

End numbers.

Section users.

Variables (A B D X Y d1 d2 : Z) (N : nat).
Hypothesis chances : (0 <= A <= B /\ B <= D)%Z.
Hypothesis D_positive : (0 < D)%Z.
Hypothesis ratio : (1 <= Y <= X)%Z.
Hypothesis delta_nonneg : (0 <= d1)%Z.
Hypothesis delta_whole : (0 < d2)%Z.

Let a := IZR A / IZR D.
Let b := IZR B / IZR D.
Let E := IZR X / IZR Y.
Let delta := IZR d1 / IZR d2.

Context {I : Type} (send : I -> dist bool) (lo hi : I).
Hypothesis all_proper : forall u, proper (send u).
Hypothesis extreme : forall u, chance (send lo) <= chance (send u) <= chance (send hi).
Hypothesis least : chance (send lo) = a.
Hypothesis greatest : chance (send hi) = b.

Lemma difference_iff : ((B - A) * d2 <= d1 * D)%Z <-> b - a <= delta.
Proof.
  assert (DP := IZR_lt _ _ D_positive). assert (d2P := IZR_lt _ _ delta_whole).
  assert (P : 0 < IZR D * IZR d2) by (apply Rmult_lt_0_compat; assumption).
  assert (L : (b - a) * (IZR D * IZR d2) = IZR ((B - A) * d2)).
  { unfold a, b. rewrite mult_IZR, minus_IZR. field. lra. }
  assert (R : delta * (IZR D * IZR d2) = IZR (d1 * D)) by (unfold delta; rewrite mult_IZR; field; lra).
  split; intros H.
  - apply Rmult_le_reg_r with (IZR D * IZR d2); [exact P |]. rewrite L, R. apply IZR_le, H.
  - apply le_IZR. rewrite <- L, <- R. apply Rmult_le_compat_r; [lra | exact H].
Qed.

Theorem two_message_decided :
  decided A B D X Y d1 d2 N = true <->
  forall xs ys, neighbors xs ys -> length xs = S N -> shuffle_below (one_message send) xs ys E delta.
Proof.
  assert (R1 := ratio_real X Y ratio). assert (D0 := delta_real d1 d2 delta_nonneg delta_whole).
  fold E in R1. fold delta in D0. assert (DP := IZR_lt _ _ D_positive).
  unfold decided. destruct ((A =? 0) || (B =? D))%Z%bool eqn:S.
  - apply orb_true_iff in S. rewrite !Z.eqb_eq in S. rewrite Z.leb_le, difference_iff.
    rewrite (excluded_message send lo hi N E delta all_proper extreme); rewrite ?least, ?greatest;
      [reflexivity | | exact R1].
    destruct S as [-> | ->]; [left; unfold a, Rdiv; ring | right; unfold b; field; lra].
  - apply orb_false_iff in S. rewrite !Z.eqb_neq in S. cbv zeta. rewrite andb_true_iff.
    rewrite (two_messages_private send lo hi N all_proper extreme E delta) by lra. rewrite least, greatest.
    rewrite (one_order_decides A B D X Y d1 d2 N) by lia.
    rewrite (one_order_decides (D - B) (D - A) D X Y d1 d2 N) by lia.
    replace (IZR (D - B) / IZR D) with (1 - b) by (unfold b; rewrite minus_IZR; field; lra).
    replace (IZR (D - A) / IZR D) with (1 - a) by (unfold a; rewrite minus_IZR; field; lra).
    fold a b E delta. split.
    + intros [U V]. split; [exact D0 | split; [lra |]]. intros k m Hk Hm. split; [apply U; assumption |].
      rewrite down_is_up by exact Hk. rewrite <- Nat2Z.inj_sub by exact Hm. apply V; lia.
    + intros [_ [_ H]]. split; intros k m Hk Hm; [apply H; assumption |].
      destruct (H (N - k)%nat (N - m)%nat ltac:(lia) ltac:(lia)) as [_ V]. rewrite down_is_up in V by lia.
      replace (N - (N - k))%nat with k in V by lia.
      replace (Z.of_nat N - Z.of_nat (N - m))%Z with (Z.of_nat m) in V by lia. exact V.
Qed.

(** A larger E is weaker. *)
Lemma shuffle_below_weaken xs ys F :
  E <= F -> shuffle_below (one_message send) xs ys E delta -> shuffle_below (one_message send) xs ys F delta.
Proof.
  intros L H T S. specialize (H T S).
  assert (P : 0 <= Pr (messages (one_message send) ys) T).
  { apply Pr_bounds, proper_messages. intros u. apply proper_one_message, all_proper. }
  apply (Rmult_le_compat_r _ _ _ P) in L. lra.
Qed.

Theorem two_message_proved n eps :
  decided A B D X Y d1 d2 N = true -> E <= exp eps -> (S N <= n)%nat ->
  shuffle_dp n (one_message send) eps delta.
Proof.
  intros H L Hn. apply (adding_users (S N)); [lia | |].
  - intros u. apply proper_one_message, all_proper.
  - intros xs ys NB LX. apply (shuffle_below_weaken xs ys (exp eps) L).
    apply two_message_decided; assumption.
Qed.

Theorem two_message_refuted eps :
  decided A B D X Y d1 d2 N = false -> exp eps <= E -> ~ shuffle_dp (S N) (one_message send) eps delta.
Proof.
  intros H L Private. apply diff_false_true. rewrite <- H. apply two_message_decided. intros xs ys NB LX T S.
  assert (P : 0 <= Pr (messages (one_message send) ys) T).
  { apply Pr_bounds, proper_messages. intros u. apply proper_one_message, all_proper. }
  apply (Rmult_le_compat_r _ _ _ P) in L. specialize (Private xs ys NB LX T S). lra.
Qed.

End users.

(** Where the published pair of a few users of 3-ary response has a smaller delta than the protocol, at e^eps = 3/2.

    The delta of the pair is a mean excess (telling_pair.v) of few values: the terms that are not negative become so one
    after the other as p = e^eps0 grows, so that it is the largest of some polynomials over one denominator
    ([pair_of_two], [pair_of_three]). Where that is below another such number ([numbers_of_two], [numbers_of_three]) is
    left to polynomials. For all p from 1 to 8. Source: this package. Only rows/ needs it. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy mean_excess variation_ratio telling_pair.
From ExactdpChecker Require Import least_of_functions.
Import ListNotations.
Open Scope R_scope.

(** The positive part of y and n draws of three values. *)
Fixpoint excess_of (w a b s c : R) (n : nat) (y : R) : R :=
  match n with
  | O => Rmax 0 y
  | S m => w * excess_of w a b s c m (y + a) + w * excess_of w a b s c m (y + b) + s * excess_of w a b s c m (y + c)
  end.

Lemma mean_excess_of_three w a b s c n :
  mean_excess n [(w, a); (w, b); (s, c)] = excess_of w a b s c n 0 / INR n.
Proof.
  unfold mean_excess. f_equal.
  assert (X : forall y, mean (copies [(w, a); (w, b); (s, c)] n) (fun l => Rmax 0 (y + total l (fun v => v))) =
    excess_of w a b s c n y).
  { induction n as [| n IH]; intros y.
    - rewrite mean_copies_none. simpl total. rewrite Rplus_0_r. reflexivity.
    - assert (Y : forall d, mean (copies [(w, a); (w, b); (s, c)] n) (fun rest => Rmax 0 (y + total (d :: rest) (fun
      v => v))) =
        excess_of w a b s c n (y + d)).
      { intros d. rewrite <- IH. apply mean_ext. intros rest. f_equal. simpl total. ring. }
      rewrite mean_copies_first. unfold mean at 1. cbn [total fst snd excess_of]. cbn [total] in Y. rewrite !Y. ring.
        }
  rewrite <- X. apply mean_ext. intros l. rewrite Rplus_0_l. reflexivity.
Qed.

(** Terms of which each is negative where the one before is. *)
Lemma sums_of_rising t1 t2 t3 t4 :
  (0 <= t2 -> 0 <= t1) -> (0 <= t3 -> 0 <= t2) -> (0 <= t4 -> 0 <= t3) ->
  largest [t1; t1 + t2; t1 + t2 + t3; t1 + t2 + t3 + t4] = Rmax 0 t1 + Rmax 0 t4 + Rmax 0 t2 + Rmax 0 t3.
Proof.
  intros H1 H2 H3.
  assert (Q : forall t, 0 <= Rmax 0 t /\ t <= Rmax 0 t) by (intros; split; [apply Rmax_l | apply Rmax_r]).
  destruct (Q t1), (Q t2), (Q t3), (Q t4). unfold largest. cbn [fold_right]. apply Rle_antisym.
  - repeat apply Rmax_lub; lra.
  - set (L := Rmax t1 _). assert (L1 : t1 <= L) by apply Rmax_l.
    assert (L2 : t1 + t2 <= L) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]).
    assert (L3 : t1 + t2 + t3 <= L) by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; apply Rmax_r]).
    assert (L5 : Rmax (t1 + t2 + t3 + t4) 0 <= L) by (eapply Rle_trans; [apply Rmax_r | eapply Rle_trans; apply
      Rmax_r]).
    assert (L4 := Rmax_l (t1 + t2 + t3 + t4) 0). assert (L0 := Rmax_r (t1 + t2 + t3 + t4) 0).
    unfold Rmax at 1 2 3 4.
    destruct (Rle_dec 0 t1), (Rle_dec 0 t4), (Rle_dec 0 t2), (Rle_dec 0 t3); lra.
Qed.

Section At.

Context (p : R).
Hypothesis p_inside : 1 <= p <= 8.

(** ** The pair *)

Lemma pair_by_excess n delta : (1 <= n)%nat ->
  (reduced_dp n 3 p (3 / 2) delta <->
   mean_excess n [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] <= delta).
Proof.
  intros N. assert (W : 0 < / (p + 2)) by (apply Rinv_0_lt_compat; lra).
  assert (W3 : / (p + 2) <= / 3) by (apply Rinv_le_contravar; lra).
  assert (U : (p + 2) * / (p + 2) = 1) by (apply Rinv_r; lra).
  rewrite reduced_pair_iff. replace (p + INR 3 - 1) with (p + 2) by (simpl; lra).
  apply (pair_dp_iff n (/ (p + 2)) p (3 / 2) delta (- / (2 * p)) N); [split; lra |].
  set (w := / (p + 2)) in *. replace (1 - 2 * w) with (p * w) by lra. replace (1 - p * w - w) with w by lra. field.
    lra.
Qed.

Lemma pair_of_two delta :
  reduced_dp 2 3 p (3 / 2) delta <-> largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta.
Proof.
  rewrite pair_by_excess by lia.
  enough (E : mean_excess 2 [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] =
    largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2)) by (rewrite E; reflexivity).
  rewrite mean_excess_of_three. cbn [excess_of]. set (c := - / (2 * p)).
  assert (PC : p * c = - / 2) by (unfold c; field; lra). assert (C : c < 0) by nra.
  repeat match goal with |- context [Rmax 0 ?e] => rewrite (Rmax_left 0 e) by lra end.
  repeat match goal with |- context [Rmax 0 (0 + ?x + ?y)] =>
    first [replace (0 + x + y) with (2 * p - 3) by lra | replace (0 + x + y) with (p - 3 / 2 + c) by lra] end.
  assert (B : 2 * p * Rmax 0 (p - 3 / 2 + c) = Rmax 0 (2 * p ^ 2 - 3 * p - 1)).
  { rewrite <- RmaxRmult by lra. f_equal; [ring |].
    replace (2 * p * (p - 3 / 2 + c)) with (2 * p ^ 2 - 3 * p + 2 * (p * c)) by field. rewrite PC. field. }
  set (w := / (p + 2)). assert (W : 1 - 2 * w = p * w) by (unfold w; field; lra). rewrite W.
  transitivity (w * w * (Rmax 0 (2 * p - 3) + 2 * p * Rmax 0 (p - 3 / 2 + c)) / 2); [simpl INR; field |]. rewrite B.
  transitivity (w * w * largest [2 * p - 3; 2 * p ^ 2 - p - 4] / 2); [| unfold w; field; lra]. do 2 f_equal.
  unfold largest, Rmax. cbn [fold_right]. repeat destruct (Rle_dec _ _); nra.
Qed.

Lemma pair_of_three delta :
  reduced_dp 3 3 p (3 / 2) delta <->
  largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] /
    (2 * (p + 2) ^ 3) <= delta.
Proof.
  rewrite pair_by_excess by lia. set (L := largest _).
  enough (E : mean_excess 3 [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] =
    L / (2 * (p + 2) ^ 3)) by (rewrite E; reflexivity).
  rewrite mean_excess_of_three. cbn [excess_of]. set (c := - / (2 * p)).
  assert (PC : p * c = - / 2) by (unfold c; field; lra). assert (C : c < 0) by nra.
  repeat match goal with |- context [Rmax 0 ?e] => rewrite (Rmax_left 0 e) by lra end.
  repeat match goal with |- context [Rmax 0 (0 + ?x + ?y + ?z)] =>
    first [replace (0 + x + y + z) with (3 * p - 9 / 2) by lra | replace (0 + x + y + z) with (p / 2 - 2) by lra |
      replace (0 + x + y + z) with (2 * p - 3 + c) by lra | replace (0 + x + y + z) with (p - 3 / 2 + 2 * c) by lra]
        end.
  set (w := / (p + 2)). assert (W : 1 - 2 * w = p * w) by (unfold w; field; lra). rewrite W.
  assert (A : 2 / 3 * Rmax 0 (3 * p - 9 / 2) = Rmax 0 (2 * p - 3)) by (rewrite <- RmaxRmult by lra; f_equal; field).
  assert (D : 2 * Rmax 0 (p / 2 - 2) = Rmax 0 (p - 4)) by (rewrite <- RmaxRmult by lra; f_equal; field).
  assert (B : 2 * p * Rmax 0 (2 * p - 3 + c) = Rmax 0 (4 * p ^ 2 - 6 * p - 1)).
  { rewrite <- RmaxRmult by lra. f_equal; [ring |].
    replace (2 * p * (2 * p - 3 + c)) with (4 * p ^ 2 - 6 * p + 2 * (p * c)) by field. rewrite PC. field. }
  assert (G : 2 * p ^ 2 * Rmax 0 (p - 3 / 2 + 2 * c) = Rmax 0 (2 * p ^ 3 - 3 * p ^ 2 - 2 * p)).
  { rewrite <- RmaxRmult by nra. f_equal; [ring |].
    replace (2 * p ^ 2 * (p - 3 / 2 + 2 * c)) with (2 * p ^ 3 - 3 * p ^ 2 + 4 * p * (p * c)) by field. rewrite PC.
      field. }
  transitivity (w * w * w * (2 / 3 * Rmax 0 (3 * p - 9 / 2) + 2 * Rmax 0 (p / 2 - 2) + 2 * p * Rmax 0 (2 * p - 3 + c)
    +
    2 * p ^ 2 * Rmax 0 (p - 3 / 2 + 2 * c)) / 2); [simpl INR; field |]. rewrite A, D, B, G.
  transitivity (w * w * w * L / 2); [| unfold w; field; lra]. do 2 f_equal.
  assert (H1 : 0 <= 4 * p ^ 2 - 6 * p - 1 -> 0 <= 2 * p - 3) by nra.
  assert (H2 : 0 <= 2 * p ^ 3 - 3 * p ^ 2 - 2 * p -> 0 <= 4 * p ^ 2 - 6 * p - 1).
  { intros H. assert (2 <= p); [| nra]. apply Rnot_lt_le. intros X. nra. }
  assert (H3 : 0 <= p - 4 -> 0 <= 2 * p ^ 3 - 3 * p ^ 2 - 2 * p) by nra.
  set (t1 := 2 * p - 3) in *. set (t2 := 4 * p ^ 2 - 6 * p - 1) in *. set (t3 := 2 * p ^ 3 - 3 * p ^ 2 - 2 * p) in *.
  set (t4 := p - 4) in *.
  assert (Sums : L = largest [t1; t1 + t2; t1 + t2 + t3; t1 + t2 + t3 + t4])
    by (unfold L, t1, t2, t3, t4; f_equal; f_equal; f_equal; [ring | f_equal; [ring | f_equal; ring]]).
  rewrite Sums. clear - H1 H2 H3. symmetry. apply sums_of_rising; assumption.
Qed.

(** ** Where the pair's is less *)

Lemma below_another d P X (pair protocol : R -> Prop) :
  0 < d -> (forall delta, pair delta <-> P / d <= delta) -> (forall delta, protocol delta <-> X / d <= delta) ->
  (exists delta, pair delta /\ ~ protocol delta) <-> P < X.
Proof.
  intros D HP HX. assert (I := Rinv_0_lt_compat _ D). split.
  - intros [delta [A B]]. apply HP in A. rewrite HX in B. apply Rnot_le_lt in B.
    apply Rmult_lt_reg_r with (/ d); [exact I |]. fold (P / d) (X / d). lra.
  - intros L. exists (P / d). split; [apply HP; lra |]. rewrite HX. apply Rlt_not_le.
    apply Rmult_lt_compat_r; assumption.
Qed.

Lemma numbers_of_two :
  largest [2 * p - 3; 2 * p ^ 2 - p - 4] < largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] <-> 3 / 2 < p < 2.
Proof.
  set (P := largest [2 * p - 3; _]). assert (P0 : 0 <= P) by apply largest_nonneg.
  assert (P2 : 2 * p ^ 2 - p - 4 <= P) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]). split.
  - intros L. assert (X : ~ largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] <= P) by lra.
    destruct (Rlt_dec (3 / 2) p) as [A | A], (Rlt_dec p 2) as [B | B]; try (split; assumption); exfalso; apply X;
      unfold largest; cbn [fold_right]; repeat apply Rmax_lub; try assumption; nra.
  - intros [A B]. apply Rlt_le_trans with (p * (2 * p - 3)); [| apply Rmax_l].
    unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; nra.
Qed.

Lemma numbers_of_three :
  largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] <
  largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 *
    p - 8] <->
  3 / 2 < p /\ 2 * p ^ 2 - 4 * p - 1 < 0.
Proof.
  set (P := largest [2 * p - 3; _; _; _]). assert (P0 : 0 <= P) by apply largest_nonneg.
  assert (P3 : 2 * p ^ 3 + p ^ 2 - 6 * p - 4 <= P)
    by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; apply Rmax_r]).
  assert (P4 : 2 * p ^ 3 + p ^ 2 - 5 * p - 8 <= P)
    by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; [| apply Rmax_r]; eapply Rle_trans; apply Rmax_r]). split.
  - intros L.
    assert (X : ~ largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4;
      2 * p ^ 3 + p ^ 2 - 5 * p - 8] <= P) by lra.
    destruct (Rlt_dec (3 / 2) p) as [A | A].
    + split; [exact A |]. apply Rnot_le_lt. intros B. apply X. unfold largest. cbn [fold_right].
      assert (2 <= p) by nra. repeat apply Rmax_lub; try assumption; eapply Rle_trans; try exact P3; nra.
    + exfalso. apply X. unfold largest. cbn [fold_right].
      assert (0 <= p * (3 / 2 - p)) by (apply Rmult_le_pos; lra). repeat apply Rmax_lub; try assumption; nra.
  - intros [A B]. destruct (Rlt_dec p 2) as [C | C].
    + apply Rlt_le_trans with (p ^ 2 * (2 * p - 3)); [| apply Rmax_l].
      assert (0 < (2 - p) * (2 - p) * (2 * p + 1)) by (repeat apply Rmult_lt_0_compat; lra).
      assert (0 < (p - 1) * (p + 1) * (2 * p - 3)) by (repeat apply Rmult_lt_0_compat; lra).
      assert (0 < (2 - p) * (4 * p + 2)) by (apply Rmult_lt_0_compat; lra).
      unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; lra || nra.
    + apply Rlt_le_trans with (2 * p ^ 3 - p ^ 2 - 2 * p - 3); [| eapply Rle_trans; [apply Rmax_l | apply Rmax_r]].
      assert (p < 5 / 2) by nra. assert (0 <= (p - 2) * (5 / 2 - p)) by (apply Rmult_le_pos; lra).
      assert (0 <= (p - 2) * (p - 2) * p) by (repeat apply Rmult_le_pos; lra).
      unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; nra.
Qed.

End At.

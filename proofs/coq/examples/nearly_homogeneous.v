(** Ten billion users of binary randomized response: the worst data set is homogeneous, up to one per cent.

    At e^eps = 1 + 29/600000, which is 4.2 standard deviations, the divergence is at most 1.01 times that of a
    homogeneous data set, and 2^-100 times that of one user, whatever the others hold. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy shuffler hockey_stick adding_a_user.
From Exactdp Require Import mean_excess hidden_message node_waves main_lobe vertex_loss near_vertex.
Import ListNotations.
Open Scope R_scope.

Definition answer (x : bool) : dist (list bool) :=
  [((if x then 3 / 4 else 1 / 4), [true]); ((if x then 1 / 4 else 3 / 4), [false])].

Definition order : R := 1 + 29 / 600000.
Definition tilt_of : R := 4 / 100000.
Definition lattice : R := / 1800000.
Definition falling : R := exp (- (tilt_of * lattice)).
Definition half : nat := Z.to_nat 4999999950.

Lemma half_is : INR half = 4999999950.
Proof. unfold half. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. Qed.

Lemma falling_bounds :
  1 - tilt_of * lattice <= falling <= 1 - tilt_of * lattice + (tilt_of * lattice) ^ 2 /\ falling < 1.
Proof.
  unfold falling. set (x := tilt_of * lattice). assert (X : 0 < x <= 1 / 1000) by (unfold x, tilt_of, lattice; lra).
  assert (A := exp_ineq1_le (- x)). assert (B := exp_ineq1_le x). split; [split; [lra |] |].
  - rewrite exp_Ropp. apply Rle_trans with (/ (1 + x)); [apply Rinv_le_contravar; lra |].
    apply Rmult_le_reg_l with (1 + x); [lra |]. rewrite Rinv_r by lra. nra.
  - rewrite <- exp_0. apply exp_increasing. lra.
Qed.

Lemma tilt_is : - ln falling / lattice = tilt_of.
Proof. unfold falling. rewrite ln_exp. unfold lattice. field. Qed.

Lemma quotient_at_most a b c : 0 < b -> a <= c * b -> a / b <= c.
Proof. intros B H. apply Rmult_le_reg_r with b; [exact B |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

Lemma quotient_at_least a b c : 0 < b -> c * b <= a -> c <= a / b.
Proof. intros B H. apply Rmult_le_reg_r with b; [exact B |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

(** A law of two values. *)
Definition two_values (L : dist R) (p v1 v2 : R) : Prop := forall f, mean L f = p * f v1 + (1 - p) * f v2.

Lemma values_are x :
  two_values (values_against (answer true) (answer false) order (answer x)) (if x then 3 / 4 else 1 / 4)
    (if x then 2 / 3 - 29 / 1800000 else 2 - 29 / 600000) (if x then -2 - 29 / 200000 else - (2 / 3) - 29 / 600000).
Proof.
  assert (M : forall y b, mass (answer y) [b] = if Bool.eqb y b then 3 / 4 else 1 / 4).
  { intros y b. unfold mass, Pr, mean, answer, indicator. simpl.
    destruct y, b; repeat (destruct (same _ _); try congruence); simpl; field. }
  assert (Mean : forall y g, mean (answer y) g =
    (if y then 3 / 4 else 1 / 4) * g [true] + (if y then 1 / 4 else 3 / 4) * g [false]).
  { intros y g. unfold mean, answer. simpl. ring. }
  intros f. rewrite mean_values_against, !Mean. unfold value_against. rewrite !M. unfold order.
  destruct x; cbn [Bool.eqb].
  - replace ((3 / 4 - (1 + 29 / 600000) * (1 / 4)) / (3 / 4)) with (2 / 3 - 29 / 1800000) by field.
    replace ((1 / 4 - (1 + 29 / 600000) * (3 / 4)) / (1 / 4)) with (-2 - 29 / 200000) by field. lra.
  - replace ((3 / 4 - (1 + 29 / 600000) * (1 / 4)) / (1 / 4)) with (2 - 29 / 600000) by field.
    replace ((1 / 4 - (1 + 29 / 600000) * (3 / 4)) / (3 / 4)) with (- (2 / 3) - 29 / 600000) by field. lra.
Qed.

Section Row.

Context (L : dist R) (p v1 v2 : R).
Hypothesis L_proper : proper L.
Hypothesis values : two_values L p v1 v2.
Hypothesis apart : 8 / 3 <= v1 - v2 <= 26668 / 10000.
Hypothesis shares : p * (1 - p) = 3 / 16 /\ 1 / 4 <= p <= 3 / 4.
Hypothesis middle : p * v1 + (1 - p) * v2 = - (29 / 600000).

Let K := tilted tilt_of L.
Let mass := tilted_mass tilt_of L.
Let d := v1 - v2.
Let e := exp (tilt_of * d).
(* the tilted share of the larger value *)
Let P := p * e / (p * e + (1 - p)).

Lemma e_bounds : 1 + tilt_of * d <= e <= 1 + tilt_of * d + 2 * (tilt_of * d) ^ 2.
Proof.
  unfold e. set (x := tilt_of * d). assert (X : 0 < x <= 1 / 2) by (unfold x, tilt_of; fold d in apart; lra).
  split; [assert (A := exp_ineq1_le x); lra |].
  assert (B := exp_ineq1_le (- x)). rewrite exp_Ropp in B. assert (Ep := exp_pos x).
  assert (Up : exp x * (1 - x) <= 1).
  { assert (U : exp x * (1 + - x) <= exp x * / exp x) by (apply Rmult_le_compat_l; lra).
    rewrite Rinv_r in U by lra. lra. }
  assert (0 <= x * x * (1 - 2 * x)) by (apply Rmult_le_pos; [nra | lra]).
  assert (1 <= (1 + x + 2 * x ^ 2) * (1 - x)) by (ring_simplify; lra). apply Rmult_le_reg_r with (1 - x); lra.
Qed.

Lemma K_values : two_values K P v1 v2.
Proof.
  intros f. unfold K. rewrite mean_tilted, values. unfold tilted_mass. rewrite values.
  assert (E : exp (tilt_of * v1) = e * exp (tilt_of * v2)) by (unfold e, d; rewrite <- exp_plus; f_equal; ring).
  rewrite E. assert (X := exp_pos (tilt_of * v2)). assert (Y : 0 < e) by apply exp_pos. unfold P. field.
  split; [nra |]. apply Rgt_not_eq. assert (0 < p * e) by nra. nra.
Qed.

(** How far the share is tilted. *)
Lemma P_near :
  3 / 16 * (tilt_of * d) * (1 - 2 * (tilt_of * d)) <= P - p <= 3 / 16 * (tilt_of * d) * (1 + 2 * (tilt_of * d)).
Proof.
  destruct e_bounds as [E1 E2]. set (x := tilt_of * d) in *.
  assert (X : 0 < x <= 1 / 1000) by (unfold x, tilt_of; fold d in apart; lra).
  assert (D : 1 <= p * e + (1 - p) <= 1 + x + 2 * x ^ 2) by (split; nra).
  assert (Eq : P - p = 3 / 16 * (e - 1) / (p * e + (1 - p))).
  { destruct shares as [S _]. rewrite <- S. unfold P. field. lra. }
  rewrite Eq. split.
  - apply quotient_at_least; [lra |].
    apply Rle_trans with (3 / 16 * x * (1 - 2 * x) * (1 + x + 2 * x ^ 2)); [apply Rmult_le_compat_l; nra | nra].
  - apply quotient_at_most; [lra |].
    apply Rle_trans with (3 / 16 * x * (1 + 2 * x) * 1); [nra | apply Rmult_le_compat_l; nra].
Qed.

Lemma drift_near : Rabs (drift K - (- (29 / 600000) + 4 / 3 * tilt_of)) <= 3 / 100000000.
Proof.
  assert (N := P_near). unfold drift. rewrite K_values.
  replace (P * v1 + (1 - P) * v2) with (p * v1 + (1 - p) * v2 + (P - p) * d) by (unfold d; ring). rewrite middle.
  fold d in apart. assert (D2 : 64 / 9 <= d * d <= 26668 / 10000 * (26668 / 10000)) by nra.
  unfold tilt_of in *. apply Rabs_le. split.
  - assert (3 / 16 * (4 / 100000 * d) * (1 - 2 * (4 / 100000 * d)) * d <= (P - p) * d)
      by (apply Rmult_le_compat_r; lra). nra.
  - assert ((P - p) * d <= 3 / 16 * (4 / 100000 * d) * (1 + 2 * (4 / 100000 * d)) * d)
      by (apply Rmult_le_compat_r; lra). nra.
Qed.

Lemma P_range : 18749 / 100000 - 2 / 100000 <= P * (1 - P) <= 18751 / 100000 + 2 / 100000 /\ 0 <= P <= 1.
Proof.
  assert (N := P_near). fold d in apart. unfold tilt_of in *. destruct shares as [S1 S2].
  assert (Small : 0 <= P - p <= 3 / 100000) by nra. clear - S1 S2 Small. split; [split |]; nra.
Qed.

Lemma variance_is : variance K = P * (1 - P) * d ^ 2.
Proof. unfold variance, drift. rewrite !K_values. unfold d. ring. Qed.

Lemma variance_range : 1333 / 1000 <= variance K <= 1334 / 1000.
Proof.
  rewrite variance_is. destruct P_range as [Q _]. fold d in apart. set (u := P * (1 - P)) in *. simpl. split; nra.
Qed.

Lemma fourth_at_most : fourth K <= 19.
Proof.
  assert (E : fourth K = 2 * (P * (1 - P)) * d ^ 4) by (unfold fourth; rewrite K_values, !K_values; unfold d; ring).
  rewrite E. destruct P_range as [Q _]. fold d in apart. set (u := P * (1 - P)) in *.
  assert (D4 : 0 <= d ^ 4 <= (26668 / 10000) ^ 4) by (split; [apply pow_le; lra | apply pow_incr; lra]). nra.
Qed.

Lemma third_at_most : third K <= 36 / 10.
Proof.
  destruct P_range as [Q [Q1 Q2]]. fold d in apart.
  assert (E : third K = P * (1 - P) * ((1 - P) ^ 2 + P ^ 2) * d ^ 3).
  { unfold third, drift. rewrite !K_values.
    replace (v1 - (P * v1 + (1 - P) * v2)) with ((1 - P) * d) by (unfold d; ring).
    replace (v2 - (P * v1 + (1 - P) * v2)) with (- (P * d)) by (unfold d; ring).
    rewrite Rabs_Ropp, !Rabs_pos_eq by nra. ring. }
  rewrite E. set (u := P * (1 - P)) in *.
  assert (D3 : 0 <= d ^ 3 <= (26668 / 10000) ^ 3) by (split; [apply pow_le; lra | apply pow_incr; lra]).
  assert ((1 - P) ^ 2 + P ^ 2 <= 1) by nra. assert (0 <= (1 - P) ^ 2 + P ^ 2) by nra.
  apply Rle_trans with (u * 1 * d ^ 3); [apply Rmult_le_compat_r; nra | nra].
Qed.

Lemma mass_near : 1 - 2 / 1000000000 <= mass.
Proof.
  unfold mass, tilted_mass. rewrite values. assert (A := exp_ineq1_le (tilt_of * v1)).
  assert (B := exp_ineq1_le (tilt_of * v2)). destruct shares as [_ S].
  apply Rle_trans with (p * (1 + tilt_of * v1) + (1 - p) * (1 + tilt_of * v2)); [| nra].
  replace (p * (1 + tilt_of * v1) + (1 - p) * (1 + tilt_of * v2)) with (1 + tilt_of * (p * v1 + (1 - p) * v2)) by ring.
  rewrite middle. unfold tilt_of. lra.
Qed.

Lemma row_in_lobe : in_lobe lattice falling (1 / 2) (8 / 1000000) 1 L half.
Proof.
  unfold in_lobe. rewrite tilt_is. fold K. assert (V := variance_range). assert (F := fourth_at_most).
  rewrite half_is. unfold lattice. repeat split; try lra; try nra.
  intros y _. apply square_modulus_at_most, proper_tilted, L_proper.
Qed.

Lemma row_loss : loss lattice falling (1 / 2) (8 / 1000000) 1 L half 100 <= 97 / 10000.
Proof.
  assert (V := variance_range). assert (F := fourth_at_most). assert (T := third_at_most).
  assert (T0 := third_nonneg K (proper_tilted _ _ L_proper)).
  assert (F0 := fourth_nonneg K (proper_tilted _ _ L_proper)).
  assert (Dn := drift_near). destruct falling_bounds as [[Q1 Q2] Q3].
  unfold loss. rewrite tilt_is. fold K. rewrite pow1.
  set (x := tilt_of * lattice) in *. assert (X : x = / 45000000000) by (unfold x, tilt_of, lattice; field).
  set (q := falling) in *.
  assert (Lt : 3999999 / 100000000000 <= lattice_tilt lattice q <= 4000001 / 100000000000).
  { unfold lattice_tilt, lattice.
    replace (2 * (1 - q) / (/ 1800000 * (1 + q))) with (3600000 * (1 - q) / (1 + q)) by (field; lra).
    rewrite X in *. split.
    - apply quotient_at_least; lra.
    - apply quotient_at_most; lra. }
  assert (Up : 0 <= lattice_tilt_above lattice q <= 17 / 10000000000).
  { unfold lattice_tilt_above, lattice. split.
    - apply Rmult_le_pos; [apply pow2_ge_0 |]. left. apply Rinv_0_lt_compat. nra.
    - rewrite X in *. apply quotient_at_most; nra. }
  assert (N : INR (2 * half + 100) = 10000000000) by (rewrite plus_INR, mult_INR, half_is; simpl; lra).
  assert (I100 : INR 100 = 100) by (simpl; lra).
  rewrite N, I100, half_is. set (l := lattice_tilt lattice q) in *. set (up := lattice_tilt_above lattice q) in *.
  assert (Il : 24999990 / 1000 <= / l <= 25000010 / 1000).
  { split; [rewrite <- (Rinv_inv (24999990 / 1000)) | rewrite <- (Rinv_inv (25000010 / 1000))];
      apply Rinv_le_contravar; lra. }
  set (D := Rabs _). assert (Db : 0 <= D <= 400).
  { split; [apply Rabs_pos |]. unfold D. apply Rabs_le_between in Dn. unfold tilt_of in Dn. unfold Rdiv at 1.
    apply Rabs_le. split; lra. }
  set (A := 2 / 3 / l ^ 3 + 10000000000 * (third K / 3)).
  assert (Ab : 0 <= A <= 1044 / 100 * 1000000000000).
  { assert (C : 2 / 3 / l ^ 3 = 2 / 3 * (/ l) ^ 3) by (rewrite pow_inv; reflexivity).
    assert (C3 : 0 <= (/ l) ^ 3 <= (25000010 / 1000) ^ 3) by (split; [apply pow_le; lra | apply pow_incr; lra]).
    unfold A. rewrite C. split; nra. }
  set (s := variance K - fourth K * (1 / 2) ^ 2 / 12). assert (Sb : 937 / 1000 <= s) by (unfold s; nra).
  set (a := 2 * 4999999950 * s). assert (Hb : 93 / 10 * 1000000000 <= a) by (unfold a; lra).
  assert (T1 : (100 * variance K + D ^ 2) / a <= 2 / 100000).
  { assert (D ^ 2 <= 400 ^ 2) by (apply pow_incr; lra). apply quotient_at_most; lra. }
  assert (T2 : 15 * A ^ 2 / a ^ 3 <= 25 / 10000).
  { assert (A2 : A ^ 2 <= (1044 / 100 * 1000000000000) ^ 2) by (apply pow_incr; lra).
    assert (A3 : (93 / 10 * 1000000000) ^ 3 <= a ^ 3) by (apply pow_incr; lra).
    apply quotient_at_most; lra. }
  assert (T3 : 2 * (8 * 1 * ((up + (8 / 1000000) ^ 2) / (1 / 2 * (8 / 1000000)))) <= 71 / 10000) by (simpl; lra).
  lra.
Qed.

Lemma row_factor : near_factor lattice falling (1 / 2) (8 / 1000000) 1 L half 100 <= 101 / 100.
Proof.
  unfold near_factor. apply Rmax_lub; [lra |]. rewrite tilt_is. fold mass. assert (Lo := row_loss).
  assert (M := mass_near). set (lo := loss _ _ _ _ _ _ _ _) in *.
  assert (N : INR (2 * half + 100) = 10000000000) by (rewrite plus_INR, mult_INR, half_is; simpl; lra).
  assert (N2 : INR (2 * half) = 9999999900) by (rewrite mult_INR, half_is; simpl; lra). rewrite N, N2.
  assert (Pw : 1 - 100 * (2 / 1000000000) <= mass ^ 100).
  { assert (B := bernoulli (2 / 1000000000) 100 ltac:(lra)). replace (INR 100) with 100 in B by (simpl; lra).
    eapply Rle_trans; [exact B | apply pow_incr; lra]. }
  set (m := mass ^ 100) in *. assert (F : 99029 / 100000 <= m * (1 - lo)) by nra.
  apply quotient_at_most; nra.
Qed.

End Row.

Definition both_below : dist (list bool) := [(1 / 4, [true]); (1 / 4, [false])].

Lemma answer_proper x : proper (answer x).
Proof.
  split; [intros wa [<- | [<- | []]]; destruct x; simpl; lra | unfold mean, answer; simpl; destruct x; lra].
Qed.

Lemma below_both x : lies_below both_below (answer x).
Proof.
  split; [intros wa [<- | [<- | []]]; simpl; lra |]. intros a.
  unfold mass, Pr, mean, both_below, answer, indicator. simpl.
  destruct x, (same [true] a), (same [false] a); lra.
Qed.

Lemma ten_billion :
  exists v, forall others, S (length others) = (2 * half + 100)%nat ->
    shuffle_below answer (true :: others) (false :: others) order
      ((1 - (1 / 2) ^ 100) *
         (101 / 100 * reference_bound (2 * half + 100) (answer true) (answer false) order (answer v)) +
       (1 / 2) ^ 100 * hockey_stick (answer true) (answer false) order).
Proof.
  destruct falling_bounds as [[Q1 Q2] Q3].
  destruct (near_vertex answer both_below [true; false] true false order lattice falling half 100) as [v [_ H]].
  - discriminate.
  - intros v _. apply answer_proper.
  - apply (below_both true).
  - intros v _. apply below_both.
  - unfold lattice. lra.
  - unfold tilt_of, lattice in *. lra.
  - unfold half. lia.
  - lia.
  - intros v _ wa I. unfold values_against in I. destruct I as [<- | I].
    + exists 0%Z. unfold answer, mean. destruct v; simpl; field.
    + apply in_map_iff in I. destruct I as [wb [<- I]]. cbn [snd].
      assert (M : forall y b, mass (answer y) [b] = if Bool.eqb y b then 3 / 4 else 1 / 4).
      { intros y b. unfold mass, Pr, mean, answer, indicator. simpl.
        destruct y, b; repeat (destruct (same _ _); try congruence); simpl; field. }
      unfold value_against. unfold lattice, order.
      destruct v, I as [<- | [<- | []]]; cbn [snd]; rewrite !M; cbn [Bool.eqb];
        [exists 1199971%Z | exists (-3600261)%Z | exists 3599913%Z | exists (-1200087)%Z]; field.
  - exists v. intros others Len. set (L := values_against (answer true) (answer false) order (answer v)) in *.
    assert (Lp : proper L).
    { apply proper_values_against; [exact (proj1 (answer_proper v)) |].
      rewrite (proj2 (answer_proper v)). apply Rle_refl. }
    assert (Two := values_are v). fold L in Two.
    assert (Row : in_lobe lattice falling (1 / 2) (8 / 1000000) 1 L half /\
      loss lattice falling (1 / 2) (8 / 1000000) 1 L half 100 <= 97 / 10000 /\
      near_factor lattice falling (1 / 2) (8 / 1000000) 1 L half 100 <= 101 / 100).
    { destruct v; (split; [| split];
        [apply (row_in_lobe L _ _ _ Lp Two) | apply (row_loss L _ _ _ Lp Two) | apply (row_factor L _ _ _ Lp Two)];
        repeat split; lra). }
    destruct Row as [Row [Loss Factor]].
    assert (Inc : incl others [true; false]) by (intros [] _; simpl; auto).
    assert (B := H (1 / 2) (8 / 1000000) 1 others Row ltac:(lra) Inc Len). clear H.
    intros T Sy. eapply Rle_trans; [apply (B T Sy) |]. apply Rplus_le_compat_l.
    assert (W : weight both_below = 1 / 2) by (unfold weight, mean, both_below; simpl; lra). rewrite W.
    replace (1 - 1 / 2) with (1 / 2) by lra. apply Rplus_le_compat_r, Rmult_le_compat_l.
    + assert (P := pow_incr (1 / 2) 1 100 ltac:(lra)). rewrite pow1 in P. lra.
    + apply Rmult_le_compat_r; [| exact Factor]. unfold reference_bound. apply Rplus_le_le_0_compat.
      * unfold uncovered. apply total_nonneg. intros a _. destruct (Req_EM_T _ _); [apply Rmax_l | lra].
      * unfold mean_excess. apply Rmult_le_pos; [| apply increasing_convex_order.inverse_INR_nonneg].
        apply mean_nonneg; [apply proper_copies, Lp | intros; apply Rmax_l].
Qed.

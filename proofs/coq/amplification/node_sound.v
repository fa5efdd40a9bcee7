(** The program of node_program.v is sound, for every plan and every table of values.

    - [wave_bound_below]: weight, power and nodes are at least what the waves of node_waves.v give for one stage;
    - [row_is_below_sound]: if the program accepts a row, then the number of swap_vertices.v for it is at most delta,
      for
      every plan, number of users, delta and table of rational values with masses of the sum 1.

    Source: this package. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Coq Require Machin.
From Exactdp Require Import reals sums laws mean_excess fixed_point exponential_fixed_point logarithm_fixed_point.
From Exactdp Require Import phases_fixed_point tilted_program tilt_powers tilted_measures least_values pair_bound.
From Exactdp Require Import swapped_stages wave_bounds node_waves node_program node_moduli.
Import ListNotations.
Open Scope R_scope.

Local Arguments Q2R : simpl never.
Local Arguments Qred : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments two : simpl never.

Lemma twice_pi_below : 314159265358979 / 50000000000000 <= 2 * PI.
Proof.
  assert (Term : forall n, tg_alt Machin.PI_2_3_7_tg n = let odd := Z.of_nat (2 * n + 1) in
    IZR ((-1) ^ Z.of_nat n) * (2 * / IZR (3 ^ odd * odd) + / IZR (7 ^ odd * odd))).
  { intros n. unfold tg_alt, Machin.PI_2_3_7_tg, Ratan_seq, Rdiv. cbv zeta.
    rewrite !pow_inv, !mult_IZR, !Rinv_mult, !pow_IZR, INR_IZR_INZ. ring. }
  destruct (Machin.PI_2_3_7_ineq 7) as [L _]. rewrite (sum_eq _ _ _ (fun n _ => Term n)) in L.
  cbv -[IZR Rmult Rplus Rinv Rdiv Rle PI] in L. lra.
Qed.

Lemma divided_back x y : 0 < x -> x * (y / x) = y.
Proof. intros X. field. lra. Qed.

Lemma Forall2_map_const {A B} (f : A -> B) (R : A -> B -> Prop) l :
  (forall a, In a l -> R a (f a)) -> Forall2 R l (map f l).
Proof. induction l as [| a l IH]; intros H; constructor; [apply H; left; reflexivity | apply IH; intros; apply H;
  right; assumption]. Qed.

Lemma Forall2_reversed {A B} (R : A -> B -> Prop) l m : Forall2 R l m -> Forall2 R (rev l) (rev m).
Proof.
  induction 1 as [| a b l m H F IH]; [constructor |]. simpl. apply Forall2_app; [exact IH | constructor; [exact H |
    constructor]].
Qed.

Lemma Forall2_weaken {A B} (R R' : A -> B -> Prop) l m : (forall a b, R a b -> R' a b) -> Forall2 R l m -> Forall2 R' l m.
Proof. intros H F. induction F; constructor; auto. Qed.

Lemma Forall2_where {A B} (R : A -> B -> Prop) l m : Forall2 (fun a b => In a l -> R a b) l m -> Forall2 R l m.
Proof.
  intros F. assert (X : forall k, incl l k -> Forall2 (fun a b => In a k -> R a b) l m -> Forall2 R l m); [| apply (X l); [intros a; auto | exact F]].
  clear F. intros k I F. revert I. induction F as [| a b l m H F IH]; intros I; constructor.
  - apply H, I. left. reflexivity.
  - apply IH. intros x J. apply I. right. exact J.
Qed.

(** *** The nodes, of any squares *)

Section Nodes.

Context (p : plan) (bits : nat).
Hypothesis tilt_pos : 0 < Q2R (plan_tilt p).
Hypothesis smoothing_pos : 0 < Q2R (plan_smoothing p).
Hypothesis step_pos : 0 < Q2R (plan_step p).
Hypothesis some_nodes : (1 <= plan_nodes p <= most_nodes)%nat.
Hypothesis enough : (8 <= bits)%nat.

Let lam := Q2R (plan_tilt p).
Let h := Q2R (plan_step p) * lam.
Let tau := Q2R (plan_smoothing p) / lam.

(** *** Weights of the nodes *)

Lemma front_above : exp (Q2R (plan_smoothing p) ^ 2 / 2) / (2 * PI * lam) <= Q2R (front p bits).
Proof.
  assert (P := pow_two_positive bits). assert (T := two_positive bits). assert (Pi0 := PI_RGT_0). assert (Lp : 0 <
    lam) by exact tilt_pos.
  unfold front. rewrite Q2R_red.
  set (s := exp_above _ bits). assert (E : 2 ^ bits * exp (Q2R (plan_smoothing p) ^ 2 / 2) <= IZR s).
  { unfold s. eapply Rle_trans; [right | apply exp_above_sound]. rewrite Q2R_red, Q2R_div, Q2R_mult by discriminate.
    f_equal. f_equal. replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra). field. }
  assert (W : Q2R twice_pi = 314159265358979 / 50000000000000) by reflexivity.
  assert (Near : Q2R twice_pi <= 2 * PI) by (rewrite W; exact twice_pi_below).
  assert (W0 : 0 < Q2R twice_pi) by (rewrite W; lra).
  assert (N : ~ (twice_pi * plan_tilt p == 0)%Q).
  { intros Z. apply Qeq_eqR in Z. rewrite Q2R_mult, Q2R_0 in Z. fold lam in Z.
    assert (0 < Q2R twice_pi * lam) by (apply Rmult_lt_0_compat; assumption). lra. }
  rewrite Q2R_div, Q2R_mult by exact N. fold lam.
  replace (Q2R (s # Z.to_pos (two bits))) with (IZR s / 2 ^ bits).
  - assert (X := exp_pos (Q2R (plan_smoothing p) ^ 2 / 2)).
    apply Rmult_le_compat; [lra | left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra | |].
    + apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. replace (2 ^ bits * (IZR s / 2 ^ bits)) with (IZR s)
        by (field; lra). exact E.
    + apply Rinv_le_contravar; [apply Rmult_lt_0_compat; assumption |]. apply Rmult_le_compat_r; [|exact Near].
      left. exact tilt_pos.
  - unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id, IZR_two by exact T. reflexivity.
Qed.

Lemma fall_above k : 2 ^ bits * exp (- (Q2R (plan_smoothing p) * Q2R (plan_step p) * INR k) ^ 2 / 2) <=
  IZR (fall_at p bits k).
Proof.
  unfold fall_at. eapply Rle_trans; [right | apply exp_above_sound]. f_equal. f_equal.
  rewrite Q2R_red, Q2R_opp, Q2R_mult, Q2R_red, Q2R_div, Q2R_mult, Q2R_red, Q2R_mult by discriminate.
  replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra).
  replace (Q2R (inject_Z (squared_number k))) with (INR k * INR k).
  - field.
  - unfold inject_Z, Q2R, squared_number. cbn [Qnum Qden]. rewrite mult_IZR, <- INR_IZR_INZ. field.
Qed.

Lemma step_is : Q2R (plan_step p) = IZR (Qnum (plan_step p)) / IZR (Zpos (Qden (plan_step p))) /\
  0 < IZR (Qnum (plan_step p)) /\ (0 < Qnum (plan_step p))%Z.
Proof.
  split; [reflexivity |]. assert (D := den_pos (plan_step p)). assert (X := step_pos). unfold Q2R in X.
  enough (0 < IZR (Qnum (plan_step p))) by (split; [assumption | apply lt_IZR; assumption]).
  apply Rmult_lt_reg_r with (/ IZR (Zpos (Qden (plan_step p)))); [apply Rinv_0_lt_compat, D | rewrite Rmult_0_l; exact
    X].
Qed.

Lemma node_weight_above k :
  match k with O => 1 | _ => 2 end * node_size lam tau h k <= Q2R (front p bits) * (IZR (node_weight p bits k) / 2 ^
    bits).
Proof.
  assert (P := pow_two_positive bits). assert (Pi0 := PI_RGT_0). assert (Lp : 0 < lam) by exact tilt_pos. assert (F :=
    front_above).
  destruct step_is as [St [A0 A]]. assert (B0 := den_pos (plan_step p)). assert (E := fall_above k).
  set (a := Qnum (plan_step p)) in *. set (b := Zpos (Qden (plan_step p))) in *.
  set (c := match k with O => 1 | _ => 2 end). assert (C0 : 0 < c) by (unfold c; destruct k; lra).
  assert (C1 : IZR (match k with O => 1 | _ => 2 end) = c) by (unfold c; destruct k; reflexivity).
  set (fall := exp (- (Q2R (plan_smoothing p) * Q2R (plan_step p) * INR k) ^ 2 / 2)) in *.
  assert (K0 := pos_INR k). assert (K2 : 0 <= INR k * INR k) by (apply Rmult_le_pos; exact K0).
  assert (D0 : 0 < IZR b * IZR b + IZR a * IZR a * (INR k * INR k)).
  { assert (0 < IZR b * IZR b) by (apply Rmult_lt_0_compat; exact B0).
    assert (0 <= IZR a * IZR a * (INR k * INR k)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (W : 2 ^ bits * fall * (IZR a * IZR b) * c / (IZR b * IZR b + IZR a * IZR a * (INR k * INR k)) <=
    IZR (node_weight p bits k)).
  { unfold node_weight. fold a b. apply ceiling_div_above.
    - apply lt_IZR. rewrite plus_IZR, !mult_IZR. unfold squared_number. rewrite mult_IZR, <- INR_IZR_INZ. exact D0.
    - rewrite plus_IZR, !mult_IZR. unfold squared_number. rewrite mult_IZR, <- INR_IZR_INZ, C1. unfold Rdiv.
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, D0 |]. apply Rmult_le_compat_r; [lra |].
      apply Rmult_le_compat_r; [left; apply Rmult_lt_0_compat; assumption | exact E]. }
  set (X := IZR a * IZR b / (IZR b * IZR b + IZR a * IZR a * (INR k * INR k))).
  assert (X0 : 0 < X) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; assumption | exact D0]).
  assert (Fall0 : 0 < fall) by apply exp_pos.
  replace (c * node_size lam tau h k)
    with (exp (Q2R (plan_smoothing p) ^ 2 / 2) / (2 * PI * lam) * (c * fall * X)).
  - apply Rmult_le_compat; [| apply Rmult_le_pos; [apply Rmult_le_pos |]; lra | exact F |].
    + left. apply Rdiv_lt_0_compat; [apply exp_pos | apply Rmult_lt_0_compat; lra].
    + apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
      rewrite (divided_back (2 ^ bits)) by exact P.
      eapply Rle_trans; [right | exact W]. unfold X. field. lra.
  - unfold node_size. replace (tau ^ 2 * (lam ^ 2 - (INR k * h) ^ 2) / 2)
      with (Q2R (plan_smoothing p) ^ 2 / 2 + - (Q2R (plan_smoothing p) * Q2R (plan_step p) * INR k) ^ 2 / 2)
      by (unfold tau, h; field; apply Rgt_not_eq, tilt_pos).
    rewrite exp_plus. fold fall.
    replace (h / (2 * PI) / (lam ^ 2 + (INR k * h) ^ 2)) with (X / (2 * PI * lam)); [field; split;
      apply Rgt_not_eq; [exact tilt_pos | exact Pi0] |].
    assert (D1 : 0 < (lam * IZR b) ^ 2 + (INR k * (IZR a * lam)) ^ 2).
    { assert (0 < (lam * IZR b) ^ 2) by (apply pow_lt, Rmult_lt_0_compat; assumption).
      assert (0 <= (INR k * (IZR a * lam)) ^ 2) by apply pow2_ge_0. lra. }
    unfold X, h. rewrite St. fold a b. field. repeat split; apply Rgt_not_eq; assumption || lra.
Qed.

Lemma beyond_above :
  beyond lam tau h (plan_nodes p) <= Q2R (front p bits) * (IZR (nodes_beyond p bits) / 2 ^ bits).
Proof.
  assert (P := pow_two_positive bits). assert (Pi0 := PI_RGT_0). assert (Lp : 0 < lam) by exact tilt_pos. assert (F :=
    front_above).
  destruct step_is as [St [A0 A]]. assert (B0 := den_pos (plan_step p)). assert (E := fall_above (plan_nodes p)).
  assert (K0 : 0 < INR (plan_nodes p)) by (apply lt_0_INR; lia).
  set (a := Qnum (plan_step p)) in *. set (b := Zpos (Qden (plan_step p))) in *. set (K := plan_nodes p) in *.
  set (fall := exp (- (Q2R (plan_smoothing p) * Q2R (plan_step p) * INR K) ^ 2 / 2)) in *.
  assert (D0 : 0 < IZR a * INR K) by (apply Rmult_lt_0_compat; assumption).
  assert (W : 2 * (2 ^ bits * fall) * IZR b / (IZR a * INR K) <= IZR (nodes_beyond p bits)).
  { unfold nodes_beyond. fold a b K. apply ceiling_div_above; [apply Z.mul_pos_pos; lia |].
    rewrite !mult_IZR, <- INR_IZR_INZ. unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, D0 |].
    apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_l; [lra | exact E]. }
  assert (Fall0 : 0 < fall) by apply exp_pos.
  replace (beyond lam tau h K) with
    (exp (Q2R (plan_smoothing p) ^ 2 / 2) / (2 * PI * lam) * (2 * fall * IZR b / (IZR a * INR K))).
  - assert (X0 : 0 < 2 * fall * IZR b / (IZR a * INR K)).
    { apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat |]; lra | exact D0]. }
    apply Rmult_le_compat; [| lra | exact F |].
    + left. apply Rdiv_lt_0_compat; [apply exp_pos | apply Rmult_lt_0_compat; lra].
    + apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
      rewrite (divided_back (2 ^ bits)) by exact P.
      eapply Rle_trans; [right | exact W]. field. lra.
  - unfold beyond. replace (tau ^ 2 * lam ^ 2 / 2) with (Q2R (plan_smoothing p) ^ 2 / 2)
      by (unfold tau; field; apply Rgt_not_eq, tilt_pos).
    replace (- (tau * (INR K * h)) ^ 2 / 2) with (- (Q2R (plan_smoothing p) * Q2R (plan_step p) * INR K) ^ 2 / 2)
      by (unfold tau, h; field; apply Rgt_not_eq, tilt_pos).
    fold fall. unfold h. rewrite St. fold a b. field. repeat split; apply Rgt_not_eq; assumption || lra.
Qed.

(** *** One stage *)

Local Opaque node_weight nodes_beyond front.

Lemma node_weight_nonneg k : 0 <= IZR (node_weight p bits k).
Proof.
  assert (P := pow_two_positive bits). assert (W := node_weight_above k). assert (F := front_above).
  assert (F0 : 0 < Q2R (front p bits)).
  { eapply Rlt_le_trans; [| exact F]. assert (Pi0 := PI_RGT_0). apply Rdiv_lt_0_compat; [apply exp_pos |].
    apply Rmult_lt_0_compat; [lra | exact tilt_pos]. }
  assert (N : 0 <= node_size lam tau h k) by (apply node_size_nonneg; [exact tilt_pos | apply Rmult_lt_0_compat;
    [exact step_pos | exact tilt_pos]]).
  assert (C : 0 <= match k with O => 1 | _ => 2 end * node_size lam tau h k) by (apply Rmult_le_pos; [destruct k; lra |
    exact N]).
  apply Rmult_le_reg_l with (Q2R (front p bits)); [exact F0 |]. rewrite Rmult_0_r.
  apply Rmult_le_reg_r with (/ 2 ^ bits); [apply Rinv_0_lt_compat, P |]. rewrite Rmult_0_l, Rmult_assoc.
  fold (IZR (node_weight p bits k) / 2 ^ bits). lra.
Qed.

(** What the program adds up. *)
Fixpoint climbs (done : nat) (halves : list nat) : Prop :=
  match halves with
  | [] => True
  | e :: more => (done <= e)%nat /\ climbs e more
  end.

Lemma z_total_map {A B} (f : B -> Z) (g : A -> B) l : z_total f (map g l) = z_total (fun a => f (g a)) l.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; reflexivity. Qed.

Lemma combine_map2 {A B C} (f : A -> B) (g : A -> C) l : combine (map f l) (map g l) = map (fun a => (f a, g a)) l.
Proof. induction l as [| a l IH]; simpl; [| rewrite IH]; reflexivity. Qed.

(** The square of a wave, whatever it is, is at most S = square/2^bits, and at the node k at most the share of it. *)
Section Squares.

Variables (squared : wave -> R) (square : Z) (share_at : nat -> Z).
Hypothesis squared_nonneg : forall w, 0 <= squared w.
Hypothesis squared_same : forall a b y, squared (Wave a b lam y) = squared (at_frequency lam y).

Definition scale2 : R := IZR square / 2 ^ bits.

Hypothesis squared_above : forall y, squared (at_frequency lam y) <= scale2.

Definition shares_good : Prop := forall k, (k <= plan_nodes p)%nat ->
  (0 <= share_at k <= two bits)%Z /\ squared (at_frequency lam (INR k * h)) <= scale2 * (IZR (share_at k) / 2 ^ bits).

(** What the waves say of 2 e users, by their squares. *)
Definition at_power (e : nat) : R :=
  total (node_waves lam tau h (plan_nodes p)) (fun w => size w * squared w ^ e) / INR (2 * e).

Lemma at_power_nonneg e : 0 <= at_power e.
Proof.
  unfold at_power. apply Rmult_le_pos; [| apply increasing_convex_order.inverse_INR_nonneg].
  apply total_nonneg. intros w _. apply Rmult_le_pos; [apply size_nonneg | apply pow_le, squared_nonneg].
Qed.

Local Opaque scale2.

Definition normal_sum (e : nat) : R :=
  total (seq 0 (S (plan_nodes p))) (fun k => IZR (node_weight p bits k) * (IZR (share_at k) / 2 ^ bits) ^ e) +
  IZR (nodes_beyond p bits).

Lemma scale2_nonneg : 0 <= scale2.
Proof. eapply Rle_trans; [apply squared_nonneg | apply (squared_above 0)]. Qed.

Lemma squares_below e : (1 <= e)%nat -> shares_good ->
  at_power e <= Q2R (front p bits) * (scale2 ^ e * normal_sum e) / (2 ^ bits * INR (2 * e)).
Proof.
  intros E A. assert (P := pow_two_positive bits). assert (R0 : 0 < INR (2 * e)) by (apply lt_0_INR; lia).
  assert (H0 : 0 < h) by (apply Rmult_lt_0_compat; [exact step_pos | exact tilt_pos]).
  assert (Sc := scale2_nonneg).
  assert (Se : 0 <= scale2 ^ e) by (apply pow_le, Sc).
  unfold at_power. replace (Q2R (front p bits) * (scale2 ^ e * normal_sum e) / (2 ^ bits * INR (2 * e)))
    with (Q2R (front p bits) * (scale2 ^ e * normal_sum e) / 2 ^ bits / INR (2 * e)) by (generalize (Q2R (front p
      bits)) (scale2 ^ e) (normal_sum e); intros; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, R0 |].
  unfold node_waves. cbn [total]. rewrite total_map, size_real by (apply beyond_nonneg; [lia | exact H0]).
  replace (Q2R (front p bits) * (scale2 ^ e * normal_sum e) / 2 ^ bits) with
    (Q2R (front p bits) * (IZR (nodes_beyond p bits) / 2 ^ bits) * scale2 ^ e +
     total (seq 0 (S (plan_nodes p))) (fun k => Q2R (front p bits) * (IZR (node_weight p bits k) / 2 ^ bits) *
       (scale2 ^ e * (IZR (share_at k) / 2 ^ bits) ^ e))).
  - apply Rplus_le_compat.
    + apply Rmult_le_compat; [apply beyond_nonneg; [lia | exact H0] | apply pow_le, squared_nonneg | apply
      beyond_above |].
      rewrite squared_same. apply pow_incr. split; [apply squared_nonneg | apply squared_above].
    + apply total_le. intros k I. apply in_seq in I. destruct (A k ltac:(lia)) as [_ M].
      assert (N : 0 <= match k with O => 1 | _ => 2 end * node_size lam tau h k).
      { apply Rmult_le_pos; [destruct k; lra | apply node_size_nonneg; [exact tilt_pos | exact H0]]. }
      unfold node. rewrite size_real by exact N.
      apply Rmult_le_compat; [exact N | apply pow_le, squared_nonneg | apply node_weight_above |].
      rewrite squared_same, <- Rpow_mult_distr. apply pow_incr. split; [apply squared_nonneg | exact M].
  - unfold normal_sum.
    rewrite (total_ext _ _ (fun k => (Q2R (front p bits) * scale2 ^ e / 2 ^ bits) *
      (IZR (node_weight p bits k) * (IZR (share_at k) / 2 ^ bits) ^ e))).
    + rewrite total_scal. generalize (Q2R (front p bits)) (scale2 ^ e) (IZR (nodes_beyond p bits)). intros f x y.
      match goal with |- context [total ?l ?g] => generalize (total l g) end. intros t. field. lra.
    + intros k _. generalize (Q2R (front p bits)) (scale2 ^ e) (IZR (node_weight p bits k))
        ((IZR (share_at k) / 2 ^ bits) ^ e). intros. field. lra.
Qed.

Lemma share_unit k : shares_good -> (k <= plan_nodes p)%nat -> 0 <= IZR (share_at k) / 2 ^ bits
  <= 1.
Proof.
  intros A K. destruct (A k K) as [[S0 S1] _]. assert (P := pow_two_positive bits).
  apply IZR_le in S0. apply IZR_le in S1. rewrite IZR_two in S1. split.
  - apply Rmult_le_pos; [exact S0 | left; apply Rinv_0_lt_compat, P].
  - apply Rmult_le_reg_r with (2 ^ bits); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma sums_above halves : shares_good -> forall done term, climbs done halves ->
  (forall k, (k <= plan_nodes p)%nat -> 2 ^ bits * (IZR (share_at k) / 2 ^ bits) ^ done <= IZR (term k)) ->
  Forall2 (fun e s => normal_sum e <= IZR s) halves
    (sums_of_nodes bits (node_weights p bits) (nodes_beyond p bits) (map share_at (seq 0 (S (plan_nodes p)))) (map term (seq 0 (S (plan_nodes p)))) done
      halves).
Proof.
  intros A. assert (P := pow_two_positive bits). induction halves as [| e more IH]; intros done term C T;
    [constructor |].
  destruct C as [C1 C2]. cbn [sums_of_nodes].
  set (term' := fun k => if (term k =? 1)%Z then 1%Z else up (term k * power_above bits (share_at k) (e - done)) bits).
  assert (Same : map (fun ts => if (fst ts =? 1)%Z then 1%Z else up (fst ts * power_above bits (snd ts) (e - done))
    bits)
    (combine (map term (seq 0 (S (plan_nodes p)))) (map share_at (seq 0 (S (plan_nodes p))))) = map term' (seq 0 (S (plan_nodes p)))).
  { rewrite combine_map2, map_map. reflexivity. }
  rewrite Same. clear Same.
  assert (T' : forall k, (k <= plan_nodes p)%nat -> 2 ^ bits * (IZR (share_at k) / 2 ^ bits) ^ e <= IZR (term' k)).
  { intros k K. specialize (T k K). destruct (share_unit k A K) as [X0 X1].
    set (x := IZR (share_at k) / 2 ^ bits) in *. assert (D0 := pow_le x done X0).
    replace e with (done + (e - done))%nat by lia. rewrite pow_add. unfold term'. destruct (Z.eqb_spec (term k) 1) as
      [W | _].
    - rewrite W in T. assert (pow x (e - done) <= 1) by (rewrite <- (pow1 (e - done)); apply pow_incr; lra).
      assert (0 <= pow x (e - done)) by (apply pow_le, X0).
      apply Rle_trans with (2 ^ bits * (x ^ done * 1)); [| lra]. apply Rmult_le_compat_l; [lra |].
      apply Rmult_le_compat_l; assumption.
    - replace (done + (e - done) - done)%nat with (e - done)%nat by lia.
      apply up_product; [exact D0 | apply pow_le, X0 | exact T |]. apply power_above_sound; [exact X0 |].
      unfold x. right. field. lra. }
  constructor; [| apply IH; assumption].
  rewrite plus_IZR. unfold normal_sum. apply Rplus_le_compat_r. eapply Rle_trans; [| apply up_above].
  unfold node_weights. rewrite combine_map2, z_total_map, IZR_z_total. unfold Rdiv at 2. rewrite <- total_scal_r.
  apply total_le. intros k I. apply in_seq in I. cbn [fst snd]. rewrite mult_IZR.
  replace (IZR (node_weight p bits k) * (IZR (share_at k) / 2 ^ bits) ^ e)
    with (IZR (node_weight p bits k) * (2 ^ bits * (IZR (share_at k) / 2 ^ bits) ^ e) * / 2 ^ bits)
    by (generalize (IZR (node_weight p bits k)) ((IZR (share_at k) / 2 ^ bits) ^ e); intros; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P |]. apply Rmult_le_compat_l; [apply node_weight_nonneg |].
  apply T'. lia.
Qed.

Definition halves_good (halves : list nat) : Prop := climbs 0 (rev halves) /\ forall e, In e halves -> (1 <= e)%nat.

(** Sums that bound what the waves say, for each half of a number of users. *)
Definition sums_bound (halves : list nat) (sums : list Z) : Prop :=
  Forall2 (fun e s => at_power e <= Q2R (front p bits) * (scale2 ^ e * IZR s) / (2 ^ bits * INR (2 * e))) halves sums.

Lemma front_nonneg : 0 <= Q2R (front p bits).
Proof.
  assert (F := front_above). assert (Pi0 := PI_RGT_0). eapply Rle_trans; [| exact F].
  left. apply Rdiv_lt_0_compat; [apply exp_pos | apply Rmult_lt_0_compat; [lra | exact tilt_pos]].
Qed.

Lemma shares_bound halves : halves_good halves -> shares_good ->
  sums_bound halves (sums_of_shares bits (node_weights p bits) (nodes_beyond p bits) halves
    (map share_at (seq 0 (S (plan_nodes p))))).
Proof.
  intros [Climbs Ones] A. assert (P := pow_two_positive bits). unfold sums_of_shares.
  replace (map (fun _ : Z => two bits) (node_weights p bits)) with (map (fun _ => two bits) (seq 0 (S (plan_nodes p))))
    by (unfold node_weights; rewrite map_map; reflexivity).
  assert (F2 : Forall2 (fun e s => In e halves -> at_power e <= Q2R (front p bits) * (scale2 ^ e * IZR s) /
    (2 ^ bits * INR (2 * e))) (rev halves) (sums_of_nodes bits (node_weights p bits) (nodes_beyond p bits)
      (map share_at (seq 0 (S (plan_nodes p)))) (map (fun _ => two bits) (seq 0 (S (plan_nodes p)))) 0 (rev halves))).
  { eapply Forall2_weaken; [| apply (sums_above (rev halves) A 0%nat (fun _ => two bits) Climbs)].
    - intros e s X I. assert (E1 := Ones e I). eapply Rle_trans; [apply (squares_below e E1 A) |].
      assert (0 < INR (2 * e)) by (apply lt_0_INR; lia).
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption |].
      apply Rmult_le_compat_l; [exact front_nonneg |]. apply Rmult_le_compat_l; [apply pow_le, scale2_nonneg | exact X].
    - intros k _. rewrite pow_O, IZR_two. lra. }
  apply Forall2_reversed in F2. rewrite rev_involutive in F2. apply (Forall2_where _ _ _ F2).
Qed.

(** Where all nodes may have the size of the first no phase is needed. *)
Lemma quick_bound halves : (forall e, In e halves -> (1 <= e)%nat) ->
  sums_bound halves (quick_sums (node_weights p bits) (nodes_beyond p bits) halves).
Proof.
  intros Ones. apply Forall2_map_const. intros e I. assert (E := Ones e I).
  assert (P := pow_two_positive bits). assert (R0 : 0 < INR (2 * e)) by (apply lt_0_INR; lia).
  assert (H0 : 0 < h) by (apply Rmult_lt_0_compat; [exact step_pos | exact tilt_pos]).
  assert (M : forall a b y, squared (Wave a b lam y) ^ e <= scale2 ^ e).
  { intros a b y. rewrite squared_same. apply pow_incr. split; [apply squared_nonneg | apply squared_above]. }
  unfold at_power. set (S0 := IZR _). replace (Q2R (front p bits) * (scale2 ^ e * S0) / (2 ^ bits * INR (2 * e)))
    with (Q2R (front p bits) * (scale2 ^ e * S0) / 2 ^ bits / INR (2 * e))
    by (generalize (Q2R (front p bits)) (scale2 ^ e) S0; intros; field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, R0 |].
  unfold node_waves. cbn [total]. rewrite total_map, size_real by (apply beyond_nonneg; [lia | exact H0]).
  apply Rle_trans with (Q2R (front p bits) * (IZR (nodes_beyond p bits) / 2 ^ bits) * scale2 ^ e +
     total (seq 0 (S (plan_nodes p))) (fun k => Q2R (front p bits) * (IZR (node_weight p bits k) / 2 ^ bits) * scale2
       ^ e)).
  - apply Rplus_le_compat.
    + apply Rmult_le_compat; [apply beyond_nonneg; [lia | exact H0] | apply pow_le, squared_nonneg | apply
      beyond_above |].
      apply M.
    + apply total_le. intros k J.
      assert (N : 0 <= match k with O => 1 | _ => 2 end * node_size lam tau h k).
      { apply Rmult_le_pos; [destruct k; lra | apply node_size_nonneg; [exact tilt_pos | exact H0]]. }
      unfold node. rewrite size_real by exact N.
      apply Rmult_le_compat; [exact N | apply pow_le, squared_nonneg | apply node_weight_above | apply M].
  - right. unfold S0, node_weights. rewrite plus_IZR, z_total_map, IZR_z_total.
    rewrite (total_ext _ (fun k => Q2R (front p bits) * _ * _) (fun k => (Q2R (front p bits) * scale2 ^ e / 2 ^ bits) *
      IZR (node_weight p bits k))).
    + rewrite total_scal. generalize (Q2R (front p bits)) (scale2 ^ e) (IZR (nodes_beyond p bits)). intros f x y.
      match goal with |- context [total ?l ?g] => generalize (total l g) end. intros t. field. lra.
    + intros k _. generalize (Q2R (front p bits)) (scale2 ^ e) (IZR (node_weight p bits k)). intros. field. lra.
Qed.

End Squares.

End Nodes.

(** *** One row *)

Section OneRow.

Context (p : plan) (bits : nat) (values : least_values.table).
Hypothesis tilt_pos : 0 < Q2R (plan_tilt p).
Hypothesis smoothing_pos : 0 < Q2R (plan_smoothing p).
Hypothesis step_pos : 0 < Q2R (plan_step p).
Hypothesis some_nodes : (1 <= plan_nodes p <= most_nodes)%nat.
Hypothesis enough : (8 <= bits)%nat.
Hypothesis masses : nonneg_masses values.
Hypothesis is_proper : proper (table_law values).

Let lam := Q2R (plan_tilt p).
Let h := Q2R (plan_step p) * lam.
Let tau := Q2R (plan_smoothing p) / lam.
Let L := table_law values.
Let tilted := map (tilted_value (plan_tilt p) bits) values.
Let moment := moment_of tilted.
Let fine := (bits + phase_bits)%nat.
Let square := up (moment * moment) bits.
Let slack := (excess_of_masses tilted + up moment bits + 1)%Z.

Definition rotors_at (k : nat) : list rotor :=
  map (fun t => (snd (snd t), unit_number fine (Qred (plan_step p * plan_tilt p * fst t)),
    rotated_often k fine (unit_number fine (Qred (plan_step p * plan_tilt p * fst t))) (two fine, 0%Z))) tilted.

Lemma sizes_are count k :
  sizes_above count bits moment slack (rotors_at k) =
  map (fun i => size_above bits moment slack (rotors_at i)) (seq k count).
Proof.
  revert k. induction count as [| c IH]; intros k; [reflexivity |]. cbn [sizes_above seq map]. f_equal.
  rewrite <- IH. f_equal. unfold rotors_at. rewrite map_map. reflexivity.
Qed.

Definition share_at (k : nat) : Z :=
  let size := size_above bits moment slack (rotors_at k) in Z.min (two bits) (ceiling_div (size * size) square).

Lemma sizes_of_row_are : sizes_of_row p bits tilted =
  map (fun k => size_above bits moment slack (rotors_at k)) (seq 0 (S (plan_nodes p))).
Proof. unfold sizes_of_row. rewrite <- (sizes_are _ 0). reflexivity. Qed.

Lemma moment_true : 0 <= 2 ^ bits * modulus (at_frequency lam 0) L <= IZR moment.
Proof.
  unfold L. rewrite (true_moment_is lam values is_proper).
  apply (moment_above lam (plan_tilt p) bits values eq_refl enough masses).
Qed.

Lemma square_above : modulus (at_frequency lam 0) L ^ 2 <= scale2 bits square.
Proof.
  assert (P := pow_two_positive bits). destruct moment_true as [M0 M1]. unfold scale2, square.
  apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
  replace (IZR (up (moment * moment) bits) / 2 ^ bits * 2 ^ bits) with (IZR (up (moment * moment) bits))
    by (generalize (IZR (up (moment * moment) bits)); intros; field; lra).
  eapply Rle_trans; [| apply up_above]. rewrite mult_IZR. set (m := modulus (at_frequency lam 0) L) in *.
  replace (m ^ 2 * 2 ^ bits) with ((2 ^ bits * m) * (2 ^ bits * m) / 2 ^ bits) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P |]. apply Rmult_le_compat; assumption.
Qed.

Definition angles_in_limits : Prop :=
  forall vm, In vm values -> (angle_bits (Qred (plan_step p * plan_tilt p * fst vm)) <= fine)%nat.

Lemma size_sound k : angles_in_limits -> (k <= plan_nodes p)%nat ->
  2 ^ bits * modulus (at_frequency lam (INR k * h)) L <= IZR (size_above bits moment slack (rotors_at k)).
Proof.
  intros A K. apply (size_above_sound lam (plan_tilt p) bits values eq_refl enough masses is_proper h (plan_step p * plan_tilt
    p) k).
  - unfold h, lam. rewrite Q2R_mult. reflexivity.
  - exact A.
  - lia.
  - unfold rotors_at, tilted. rewrite !map_map. apply map_ext. intros vm. unfold high_of, phase_of. cbn [fst snd].
    rewrite value_of. reflexivity.
  - apply Z.le_refl.
Qed.

Lemma share_sound k : (0 < square)%Z -> angles_in_limits -> (k <= plan_nodes p)%nat ->
  (0 <= share_at k <= two bits)%Z /\
  modulus (at_frequency lam (INR k * h)) L ^ 2 <= scale2 bits square * (IZR (share_at k) / 2 ^ bits).
Proof.
  intros Sq A K. assert (P := pow_two_positive bits). assert (T := two_positive bits). assert (Sr := IZR_lt _ _ Sq).
  assert (S := size_sound k A K).
  assert (M := modulus_at_most lam (INR k * h) L is_proper). assert (M0 := modulus_nonneg (at_frequency lam (INR k *
    h)) L).
  unfold share_at. set (size := size_above bits moment slack (rotors_at k)) in *.
  set (m := modulus (at_frequency lam (INR k * h)) L) in *.
  assert (C : IZR (size * size) / IZR square <= IZR (ceiling_div (size * size) square)) by (apply ceiling_div_above;
    [exact Sq | apply Rle_refl]).
  assert (S2 : (2 ^ bits * m) * (2 ^ bits * m) <= IZR (size * size)).
  { rewrite mult_IZR. assert (0 <= 2 ^ bits * m) by (apply Rmult_le_pos; lra). apply Rmult_le_compat; assumption. }
  assert (C0 : (0 <= ceiling_div (size * size) square)%Z).
  { apply le_IZR. eapply Rle_trans; [| exact C]. apply Rmult_le_pos; [apply IZR_le, Z.square_nonneg |].
    left. apply Rinv_0_lt_compat, Sr. }
  split; [split; [apply Z.min_glb; lia | apply Z.le_min_l] |]. apply Z.min_case.
  - rewrite IZR_two. replace (2 ^ bits / 2 ^ bits) with 1 by (field; lra). rewrite Rmult_1_r.
    eapply Rle_trans; [| apply square_above]. apply pow_incr. split; assumption.
  - unfold scale2. replace (m ^ 2) with ((2 ^ bits * m * (2 ^ bits * m)) / (2 ^ bits * 2 ^ bits)) by (field; lra).
    replace (IZR square / 2 ^ bits * (IZR (ceiling_div (size * size) square) / 2 ^ bits))
      with (IZR square * IZR (ceiling_div (size * size) square) / (2 ^ bits * 2 ^ bits)) by (field; lra).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; exact P |].
    eapply Rle_trans; [exact S2 |]. apply Rmult_le_reg_r with (/ IZR square); [apply Rinv_0_lt_compat, Sr |].
    replace (IZR square * IZR (ceiling_div (size * size) square) * / IZR square)
      with (IZR (ceiling_div (size * size) square)) by (field; lra). exact C.
Qed.

Lemma row_sums halves quick : (0 < square)%Z -> (quick || in_limits p bits tilted)%bool = true -> halves_good halves ->
  sums_bound p bits (fun w => modulus w L ^ 2) square halves
    (if quick then quick_sums (node_weights p bits) (nodes_beyond p bits) halves
     else sums_of_shares bits (node_weights p bits) (nodes_beyond p bits) halves
       (map (fun size => Z.min (two bits) (ceiling_div (size * size) square)) (sizes_of_row p bits tilted))).
Proof.
  intros Sq Limits Good. assert (Above : forall y, modulus (at_frequency lam y) L ^ 2 <= scale2 bits square).
  { intros y. eapply Rle_trans; [| apply square_above]. apply pow_incr.
    split; [apply modulus_nonneg | apply modulus_at_most, is_proper]. }
  destruct quick.
  - apply (quick_bound p bits); try assumption; try (intros; apply pow2_ge_0); [reflexivity | apply Good].
  - rewrite sizes_of_row_are, map_map. apply (shares_bound p bits) with (squared := fun w => modulus w L ^ 2) (square := square)
      (share_at := share_at); try assumption; try (intros; apply pow2_ge_0); [reflexivity |].
    intros k K. apply share_sound; [exact Sq | | exact K].
    intros vm I. simpl in Limits. unfold in_limits in Limits. rewrite forallb_forall in Limits.
    specialize (Limits (tilted_value (plan_tilt p) bits vm) (in_map _ _ _ I)). apply Nat.leb_le in Limits.
    rewrite value_of in Limits. exact Limits.
Qed.

End OneRow.

(** ** All stages *)

Lemma power_of_square bits square e : (0 < square)%Z ->
  2 ^ bits * (IZR square / 2 ^ bits) ^ e <=
  IZR (exp_above (snd (log_bounds square bits) * Z.of_nat e # Z.to_pos (two bits)) bits).
Proof.
  intros Sq. assert (P := pow_two_positive bits). assert (T := two_positive bits). assert (Sr := IZR_lt _ _ Sq).
  eapply Rle_trans; [| apply exp_above_sound]. apply Rmult_le_compat_l; [lra |].
  assert (X : 0 < IZR square / 2 ^ bits) by (apply Rdiv_lt_0_compat; assumption).
  rewrite <- (exp_ln _ X) at 1. rewrite exp_power. apply exp_le. unfold Q2R. cbn [Qnum Qden].
  rewrite Z2Pos.id, mult_IZR, IZR_two, <- INR_IZR_INZ by exact T. destruct (log_bounds_sound square bits Sq) as [_ H].
  apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
  replace (2 ^ bits * (IZR (snd (log_bounds square bits)) * INR e * / 2 ^ bits))
    with (IZR (snd (log_bounds square bits)) * INR e) by (field; lra).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply pos_INR | exact H].
Qed.

(** The chances of the stages. *)
Lemma in_stages_below bits a low high (alone charge delta0 : R) (F : nat -> R) (cost : nat -> Z -> R) n :
  0 <= a <= 1 -> 0 <= alone -> (0 <= low)%Z -> IZR low <= 2 ^ bits * a -> 2 ^ bits * a <= IZR high ->
  forall ends before_t before halves values,
  rises before_t ends n = true -> 2 ^ bits * a ^ before_t <= IZR before ->
  halves = map (fun t => Nat.div2 (n - t)) ends -> length values = length ends ->
  Forall2 (fun e v => F (2 * e)%nat <= charge + cost e v) halves values ->
  0 <= charge -> (forall e v, In (e, v) (combine halves values) -> 0 <= cost e v) ->
  in_stages before_t ends (n - 1) (1 - a) alone F <=
  IZR (snd (stage_weights bits low high before ends)) / 2 ^ bits * alone +
  total (combine (fst (stage_weights bits low high before ends)) (combine halves values))
    (fun x => IZR (fst x) / 2 ^ bits * (charge + cost (fst (snd x)) (snd (snd x)))).
Proof.
  intros A0 AL Low0 Low High. assert (P := pow_two_positive bits).
  induction ends as [| t ends IH]; intros b before halves values Hr B E Len Hf C0 Cost.
  - cbn [in_stages stage_weights fst snd combine total]. rewrite Rplus_0_r. replace (1 - (1 - a)) with a by ring.
    apply Rmult_le_compat_r; [exact AL |]. apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
    replace (2 ^ bits * (IZR before / 2 ^ bits)) with (IZR before) by (field; lra). exact B.
  - cbn [rises] in Hr. rewrite !andb_true_iff in Hr. destruct Hr as [[[R1 R2] R3] R4].
    apply Nat.ltb_lt in R1. apply Nat.leb_le in R2. apply Nat.even_spec in R3.
    subst halves. destruct values as [| v values]; [discriminate |]. cbn [map] in Hf, Cost |- *.
    inversion Hf as [| ? ? ? ? H1 H2]; subst. cbn [in_stages stage_weights].
    assert (Pt := power_above_sound bits high a t (proj1 A0) High).
    assert (Bl : IZR (match Z.of_nat t with Zpos e => power_below bits low e | _ => two bits end) <= 2 ^ bits * a ^ t).
    { destruct (Z.of_nat t) as [| e | e] eqn:Z; try lia. replace t with (Pos.to_nat e) by lia.
      apply power_below_sound; assumption. }
    set (below := match Z.of_nat t with Zpos e => power_below bits low e | _ => two bits end) in *.
    specialize (IH t (power_above bits high t) _ values R4 Pt eq_refl ltac:(simpl in Len; lia) H2 C0
      (fun e w I => Cost e w (or_intror I))).
    destruct (stage_weights bits low high (power_above bits high t) ends) as [weights left] eqn:W.
    cbn [fst snd combine total] in *. replace (1 - (1 - a)) with a by ring.
    replace (S (n - 1) - t)%nat with (2 * Nat.div2 (n - t))%nat.
    2: { destruct R3 as [m M]. rewrite M, Nat.div2_double. lia. }
    assert (Wt : a ^ b - a ^ t <= IZR (before - below) / 2 ^ bits).
    { apply Rmult_le_reg_l with (2 ^ bits); [exact P |].
      replace (2 ^ bits * (IZR (before - below) / 2 ^ bits)) with (IZR (before - below)) by (field; lra).
      rewrite minus_IZR. lra. }
    assert (Nn : 0 <= a ^ b - a ^ t).
    { replace t with (b + (t - b))%nat by lia. rewrite pow_add. assert (X := pow_le a b (proj1 A0)).
      assert (Y := pow_incr a 1 (t - b) A0). rewrite pow1 in Y. assert (Z0 := pow_le a (t - b) (proj1 A0)). nra. }
    assert (Cv := Cost _ _ (or_introl eq_refl)).
    apply Rle_trans with (IZR (before - below) / 2 ^ bits * (charge + cost (Nat.div2 (n - t)) v) +
      in_stages t ends (n - 1) (1 - a) alone F); [| lra].
    apply Rplus_le_compat_r. apply Rle_trans with ((a ^ b - a ^ t) * (charge + cost (Nat.div2 (n - t)) v)).
    + apply Rmult_le_compat_l; [exact Nn |]. exact H1.
    + apply Rmult_le_compat_r; lra.
Qed.

Lemma rises_climbs ends n : forall before, rises before ends n = true -> (1 <= n)%nat ->
  let halves := map (fun t => Nat.div2 (n - t)) ends in
  climbs 0 (rev halves) /\ Forall (fun e => (1 <= e <= Nat.div2 (n - before))%nat) halves.
Proof.
  assert (Snoc : forall l d e, climbs d l -> (d <= e)%nat -> Forall (fun x => (x <= e)%nat) l -> climbs d (l ++ [e])).
  { induction l as [| x l IH]; intros d e C D F; simpl; [split; [exact D | exact I] |]. destruct C as [C1 C2].
    inversion F; subst. split; [exact C1 | apply IH; assumption]. }
  assert (Mono : forall a b, (a <= b)%nat -> (Nat.div2 a <= Nat.div2 b)%nat).
  { intros a b H. rewrite !Nat.div2_div. apply Nat.div_le_mono; lia. }
  induction ends as [| t ends IH]; intros before Hr Hn; [split; [exact I | constructor] |].
  cbn [rises] in Hr. rewrite !andb_true_iff in Hr. destruct Hr as [[[R1 R2] R3] R4].
  apply Nat.ltb_lt in R1. apply Nat.leb_le in R2. destruct (IH t R4 Hn) as [C F]. cbn [map rev].
  assert (One : (1 <= Nat.div2 (n - t))%nat).
  { apply Nat.even_spec in R3. destruct R3 as [m M]. rewrite M, Nat.div2_double. lia. }
  split.
  - apply Snoc; [exact C | lia |]. apply Forall_rev. revert F. apply Forall_impl. intros x. lia.
  - constructor; [split; [exact One | apply Mono; lia] |]. revert F. apply Forall_impl. intros x [X1 X2].
    split; [exact X1 |]. eapply Nat.le_trans; [exact X2 |]. apply Mono. lia.
Qed.

Lemma moved_above bits S charge front (pw : nat -> Z) : 0 <= front -> 0 <= S -> forall halves weights sums,
  Forall (fun w => (0 <= w)%Z) weights -> Forall (fun s => (0 <= s)%Z) sums ->
  (forall e, In e halves -> (1 <= e)%nat /\ 2 ^ bits * S ^ e <= IZR (pw e)) ->
  length weights = length halves -> length sums = length halves ->
  total (combine weights (combine halves sums)) (fun x => IZR (fst x) / 2 ^ bits *
    (charge + front * (S ^ fst (snd x) * IZR (snd (snd x))) / (2 ^ bits * INR (2 * fst (snd x))))) <=
  charge * (IZR (z_total (fun w => w) weights) / 2 ^ bits) +
  front * (IZR (moved bits halves weights (map pw halves) sums) / 2 ^ (3 * bits)).
Proof.
  intros F0 S0. assert (P := pow_two_positive bits).
  assert (W3 : 2 ^ (3 * bits) = 2 ^ bits * 2 ^ bits * 2 ^ bits).
  { replace (3 * bits)%nat with (bits + bits + bits)%nat by lia. rewrite !pow_add. reflexivity. }
  induction halves as [| e halves IH]; intros weights sums Hw Hs He Lw Ls; destruct weights as [| w weights],
    sums as [| s sums]; try discriminate.
  - unfold moved. cbn [combine map z_total fold_right total]. right. unfold Rdiv. ring.
  - inversion Hw as [| ? ? W0 Hw']; subst. inversion Hs as [| ? ? S1 Hs']; subst.
    destruct (He e (or_introl eq_refl)) as [E1 E2].
    specialize (IH weights sums Hw' Hs' (fun x I => He x (or_intror I)) (eq_add_S _ _ Lw) (eq_add_S _ _ Ls)).
    set (c := ceiling_div (w * pw e * s) (2 * Z.of_nat e)).
    change (moved bits (e :: halves) (w :: weights) (map pw (e :: halves)) (s :: sums))
      with (c + moved bits halves weights (map pw halves) sums)%Z.
    change (z_total (fun w => w) (w :: weights)) with (w + z_total (fun w => w) weights)%Z.
    cbn [combine total]. cbn [fst snd]. rewrite !plus_IZR.
    match type of IH with ?t <= _ => set (rest := t) in * end.
    change (total (combine weights (combine halves sums)) _) with rest.
    assert (R0 : 0 < INR (2 * e)) by (apply lt_0_INR; lia).
    assert (C : IZR w * IZR (pw e) * IZR s / INR (2 * e) <= IZR c).
    { unfold c. apply ceiling_div_above; [lia |]. rewrite !mult_IZR, INR_IZR_INZ, Nat2Z.inj_mul, mult_IZR. apply
      Rle_refl. }
    apply IZR_le in W0. apply IZR_le in S1.
    assert (X : IZR w * (2 ^ bits * S ^ e) * IZR s / INR (2 * e) <= IZR c).
    { eapply Rle_trans; [| exact C]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, R0 |].
      apply Rmult_le_compat_r; [exact S1 |]. apply Rmult_le_compat_l; [exact W0 | exact E2]. }
    assert (Y : front * (IZR w * (2 ^ bits * S ^ e) * IZR s / INR (2 * e) / 2 ^ (3 * bits)) <=
      front * (IZR c / 2 ^ (3 * bits))).
    { apply Rmult_le_compat_l; [exact F0 |]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_two_positive
      | exact X]. }
    replace (IZR w / 2 ^ bits * (charge + front * (S ^ e * IZR s) / (2 ^ bits * INR (2 * e))))
      with (charge * (IZR w / 2 ^ bits) + front * (IZR w * (2 ^ bits * S ^ e) * IZR s / INR (2 * e) / 2 ^ (3 * bits)))
      by (rewrite W3; generalize (S ^ e); intros; field; repeat split; apply Rgt_not_eq; assumption).
    unfold Rdiv in *. rewrite !Rmult_plus_distr_r, !Rmult_plus_distr_l. lra.
Qed.

Lemma stage_weights_length bits low high ends : forall before,
  length (fst (stage_weights bits low high before ends)) = length ends.
Proof.
  induction ends as [| t ends IH]; intros before; [reflexivity |]. cbn [stage_weights].
  specialize (IH (power_above bits high t)). destruct (stage_weights _ _ _ _ ends). simpl in *. rewrite IH. reflexivity.
Qed.

Lemma all_nonneg_Z l : forallb (Z.leb 0) l = true -> Forall (fun w => (0 <= w)%Z) l.
Proof. intros H. rewrite forallb_forall in H. apply Forall_forall. intros x I. apply Z.leb_le, H, I. Qed.

Lemma positive_Q q : (0 <? Qnum q)%Z = true -> 0 < Q2R q.
Proof. intros H. apply Z.ltb_lt in H. apply Rdiv_lt_0_compat; [apply IZR_lt, H | apply den_pos]. Qed.

(** A plan that is good. *)
Lemma good_plan_parts p bits n : plan_is_good p bits n = true ->
  (0 < Q2R (plan_tilt p) /\ 0 < Q2R (plan_smoothing p) /\ 0 < Q2R (plan_step p)) /\
  (1 <= plan_nodes p <= most_nodes)%nat /\ (8 <= bits)%nat /\ (3 <= n)%nat /\ rises 0 (plan_ends p) n = true /\
  halves_good (halves_of p n).
Proof.
  intros Good. unfold plan_is_good in Good. rewrite !andb_true_iff in Good.
  destruct Good as [[[[[[[[G1 G2] G3] G4] G5] G6] G7] _] G9].
  apply positive_Q in G1. apply positive_Q in G2. apply positive_Q in G3. apply Nat.leb_le in G4. apply Nat.leb_le in
    G5. apply Nat.leb_le in G6. apply Nat.leb_le in G7.
  assert (Rises : rises 0 (plan_ends p) n = true) by (destruct (plan_ends p); [discriminate | exact G9]).
  destruct (rises_climbs (plan_ends p) n 0 Rises ltac:(lia)) as [Climbs Ones]. rewrite Forall_forall in Ones.
  do 2 (split; [auto |]). split; [exact G6 |]. split; [exact G7 |]. split; [exact Rises |]. split; [exact Climbs |].
  intros e I. apply (Ones e I).
Qed.

(** Of any squares with sums that bound what the waves say of them. *)
Theorem stages_within_sound p bits n gamma alone delta charge squared square sums (F : nat -> R) :
  plan_is_good p bits n = true -> 0 <= Q2R gamma <= 1 -> 0 <= Q2R alone -> 0 <= Q2R charge -> (0 < square)%Z ->
  (forall w, 0 <= squared w) -> sums_bound p bits squared square (halves_of p n) sums ->
  (forall e, F (2 * e)%nat = at_power p squared e + Q2R charge) ->
  forallb (Z.leb 0) (fst (chances_of p bits gamma)) = true ->
  stages_within bits (halves_of p n) (chances_of p bits gamma) (front p bits) alone delta charge
    (snd (log_bounds square bits)) sums = true ->
  in_stages 0 (plan_ends p) (n - 1) (Q2R gamma) (Q2R alone) F <= Q2R delta.
Proof.
  intros Good Gamma Alone Charge Sq Sq0 Sound HF Hw B. assert (P := pow_two_positive bits). assert (T := two_positive bits).
  destruct (good_plan_parts p bits n Good) as [[G1 [G2 G3]] [G4 [G6 [G7 [Rises [_ Ones]]]]]].
  set (halves := halves_of p n) in *. unfold chances_of in *.
  set (low := floor_shift (Qred (1 - gamma)) bits) in *. set (high := ceiling_shift (Qred (1 - gamma)) bits) in *.
  set (a := 1 - Q2R gamma).
  assert (Qa : Q2R (Qred (1 - gamma)) = a) by (rewrite Q2R_red, Q2R_minus; unfold a; f_equal; unfold Q2R; simpl; lra).
  assert (Low : IZR low <= 2 ^ bits * a) by (rewrite <- Qa; apply floor_shift_sound).
  assert (High : 2 ^ bits * a <= IZR high) by (rewrite <- Qa; apply ceiling_shift_sound).
  assert (Low0 : (0 <= low)%Z).
  { assert (L2 := floor_shift_sound (Qred (1 - gamma)) bits). fold low in L2. rewrite Qa in L2.
    assert (0 <= 2 ^ bits * a) by (apply Rmult_le_pos; unfold a; lra).
    assert (-1 < low)%Z; [| lia]. apply lt_IZR. simpl. lra. }
  assert (Length := stage_weights_length bits low high (plan_ends p) (two bits)).
  assert (Below := in_stages_below bits a low high (Q2R alone) (Q2R charge) 0 F).
  destruct (stage_weights bits low high (two bits) (plan_ends p)) as [weights left] eqn:Weights. cbn [fst] in Length, Hw.
  apply all_nonneg_Z in Hw. set (Sc := IZR square / 2 ^ bits) in *.
  assert (Sc0 : 0 <= Sc) by (apply Rmult_le_pos; [apply IZR_le; lia | left; apply Rinv_0_lt_compat, P]).
  assert (Front0 := front_nonneg p bits G1).
  unfold stages_within in B. apply andb_true_iff in B. destruct B as [Hs B]. apply all_nonneg_Z in Hs. apply Qle_bool_R in B.
  unfold sums_bound in Sound. change (scale2 bits square) with Sc in Sound.
  assert (Ls : length halves = length sums) by (clear -Sound; induction Sound; simpl; congruence).
  specialize (Below (fun e s => Q2R (front p bits) * (Sc ^ e * IZR s) / (2 ^ bits * INR (2 * e))) n
    ltac:(unfold a; lra) Alone Low0 Low High (plan_ends p) 0%nat (two bits) halves sums Rises).
  rewrite Weights in Below. cbn [fst snd] in Below. replace (1 - a) with (Q2R gamma) in Below by (unfold a; ring).
  eapply Rle_trans; [apply Below |].
  - rewrite IZR_two. simpl. lra.
  - reflexivity.
  - rewrite <- Ls. unfold halves, halves_of. apply map_length.
  - clear -Sound HF. induction Sound as [| e s l m X Fo IH]; constructor; [rewrite HF; lra | exact IH].
  - exact Charge.
  - intros e s I. clear -Sound I Sq0. induction Sound as [| e' s' l m X Fo IH]; [destruct I |].
    destruct I as [[= -> ->] | I]; [| apply IH, I]. eapply Rle_trans; [apply at_power_nonneg, Sq0 | exact X].
  - eapply Rle_trans; [| exact B]. rewrite !Q2R_plus, !Q2R_mult.
    assert (V : forall z k, Q2R (z # Z.to_pos (two k)) = IZR z / 2 ^ k).
    { intros z k. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id, IZR_two by apply two_positive. reflexivity. }
    rewrite !V.
    assert (M := moved_above bits Sc (Q2R charge) (Q2R (front p bits))
      (fun h => exp_above (snd (log_bounds square bits) * Z.of_nat h # Z.to_pos (two bits)) bits) Front0 Sc0
      halves weights sums Hw Hs).
    rewrite Rplus_assoc. apply Rplus_le_compat; [right; ring |]. apply M.
    + intros e I. split; [apply (Ones e I) | apply power_of_square, Sq].
    + rewrite Length. unfold halves, halves_of. rewrite map_length. reflexivity.
    + symmetry. exact Ls.
Qed.

Lemma wave_bound_squares p L e : let lam := Q2R (plan_tilt p) in
  wave_bound (node_waves lam (Q2R (plan_smoothing p) / lam) (Q2R (plan_step p) * lam) (plan_nodes p)) (2 * e) L =
  at_power p (fun w => modulus w L ^ 2) e.
Proof. unfold wave_bound, at_power. f_equal. apply total_ext. intros w _. rewrite pow_mult. reflexivity. Qed.

Lemma wave_bound_nonneg waves r K : 0 <= wave_bound waves r K.
Proof.
  unfold wave_bound. apply Rmult_le_pos; [| apply increasing_convex_order.inverse_INR_nonneg].
  apply total_nonneg. intros w _. apply Rmult_le_pos; [apply size_nonneg | apply pow_le, modulus_nonneg].
Qed.

Theorem row_is_below_sound p bits n gamma alone delta charge values :
  plan_is_good p bits n = true -> nonneg_masses values -> proper (table_law values) ->
  0 <= Q2R gamma <= 1 -> 0 <= Q2R alone -> 0 <= Q2R charge ->
  row_is_below p bits n gamma alone delta charge values = true ->
  let lam := Q2R (plan_tilt p) in
  in_stages 0 (plan_ends p) (n - 1) (Q2R gamma) (Q2R alone) (fun r =>
    wave_bound (node_waves lam (Q2R (plan_smoothing p) / lam) (Q2R (plan_step p) * lam) (plan_nodes p)) r
      (table_law values) + Q2R charge) <= Q2R delta.
Proof.
  intros Good Masses Proper Gamma Alone Charge H lam.
  destruct (good_plan_parts p bits n Good) as [[G1 [G2 G3]] [G4 [G6 [_ [_ Halves]]]]].
  unfold row_is_below, row_is_below_with in H. rewrite !andb_true_iff in H. destruct H as [[[_ Hw] Sq] H].
  unfold square_is_good in Sq. apply andb_true_iff in Sq. destruct Sq as [Sq _]. apply Z.ltb_lt in Sq.
  assert (Sums := fun quick => row_sums p bits values G1 G3 G4 G6 Masses Proper (halves_of p n) quick Sq).
  apply orb_true_iff in H. destruct H as [H | H]; [specialize (Sums true eq_refl Halves) |
    apply andb_true_iff in H; destruct H as [Limits H]; specialize (Sums false Limits Halves)];
    refine (stages_within_sound p bits n gamma alone delta charge _ _ _ _ Good Gamma Alone Charge Sq
      (fun w => pow2_ge_0 _) Sums _ Hw H); intros e; f_equal; apply wave_bound_squares.
Qed.

(** Laplace noise on k coordinates: the probabilities of events, and of all coordinates at once.

    A box is a list of k intervals. [box_probability b z box] is the probability that z plus independent Laplace noise of
    scale b > 0 on each coordinate lies in it: the product of the integrals of the coordinates' densities.

    - [laplace_boxes_private]: for a query of l1 sensitivity Df > 0 and noise of scale Df/eps, eps > 0, and every finite
      list of boxes of any k >= 0 coordinates, the sum of their probabilities is at most e^eps times that for a neighbour.
      Cut at all ends of its boxes a finite union of boxes is one of boxes that meet in edges alone, so the sum is the
      probability of the union; and what holds for all finite unions of boxes holds for all events that have a
      probability, because these are approached by such unions;
    - [laplace_all_near]: all k coordinates are within ln(k/beta) Df/eps with probability (1 - beta/k)^k, k >= 1,
      0 < beta < 1.

    Idea: an integral of what is below is below, and the exponents add up.
    Source: Dwork and Roth 2014, theorems 3.6 and 3.8. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laplace_noise.
Import ListNotations.
Open Scope R_scope.

Definition interval : Type := R * R.
Definition box : Type := list interval.
Definition is_box (intervals : box) : Prop := forall s, In s intervals -> fst s <= snd s.

Fixpoint box_probability (b : R) (z : list R) (intervals : box) : R :=
  match z, intervals with
  | [], [] => 1
  | z1 :: z', (low, high) :: rest => RInt (laplace b z1) low high * box_probability b z' rest
  | _, _ => 0
  end.

Lemma laplace_integrable b z low high : ex_RInt (laplace b z) low high.
Proof.
  apply (ex_RInt_continuous (laplace b z)). intros t _. unfold laplace, Rdiv.
  apply (continuous_mult (fun t => exp (- Rabs (t - z) * / b)) (fun _ => / (2 * b))); [| apply continuous_const].
  apply continuous_comp; [| apply (ex_derive_continuous exp); exists (exp (- Rabs (t - z) * / b)); apply is_derive_exp].
  apply (continuous_mult (fun t => - Rabs (t - z)) (fun _ => / b)); [| apply continuous_const].
  apply (continuous_opp (fun t => Rabs (t - z))).
  apply (continuous_comp (fun t => t - z) Rabs); [| apply continuous_Rabs].
  apply (ex_derive_continuous (fun t => t - z)). auto_derive. exact I.
Qed.

Lemma interval_nonneg b z low high : 0 < b -> low <= high -> 0 <= RInt (laplace b z) low high.
Proof.
  intros B H. apply RInt_ge_0; [exact H | apply laplace_integrable | intros t _; left; apply laplace_pos, B].
Qed.

Lemma interval_ratio b y z low high : 0 < b -> low <= high ->
  RInt (laplace b y) low high <= exp (Rabs (y - z) / b) * RInt (laplace b z) low high.
Proof.
  intros B H. set (F := exp (Rabs (y - z) / b)).
  assert (S : is_RInt (fun t => F * laplace b z t) low high (F * RInt (laplace b z) low high)).
  { apply (is_RInt_scal (V := R_NormedModule) (laplace b z)), (RInt_correct (V := R_CompleteNormedModule)), laplace_integrable. }
  rewrite <- (is_RInt_unique _ _ _ _ S). apply RInt_le; [exact H | apply laplace_integrable | eexists; exact S |].
  intros t _. apply laplace_ratio, B.
Qed.

Lemma box_nonneg b z intervals : 0 < b -> is_box intervals -> 0 <= box_probability b z intervals.
Proof.
  intros B. revert z. induction intervals as [| [low high] rest IH]; intros [| z1 z] H; simpl; try lra.
  apply Rmult_le_pos; [apply (interval_nonneg b z1 low high B), (H (low, high)); left; reflexivity |].
  apply IH. intros s I. apply H. right. exact I.
Qed.

Lemma box_ratio b y z intervals : 0 < b -> length y = length z -> is_box intervals ->
  box_probability b y intervals <= exp (l1_norm y z / b) * box_probability b z intervals.
Proof.
  intros B. revert y z. induction intervals as [| [low high] rest IH]; intros [| y1 y] [| z1 z] L H;
    try discriminate; simpl; try lra.
  - unfold Rdiv. rewrite Rmult_0_l, exp_0. lra.
  - injection L as L. assert (O : low <= high) by (apply (H (low, high)); left; reflexivity).
    assert (Rest : is_box rest) by (intros s I; apply H; right; exact I).
    replace ((Rabs (y1 - z1) + l1_norm y z) / b) with (Rabs (y1 - z1) / b + l1_norm y z / b) by (field; lra).
    rewrite exp_plus. eapply Rle_trans; [apply Rmult_le_compat |].
    + apply interval_nonneg; assumption.
    + apply box_nonneg; assumption.
    + apply (interval_ratio b y1 z1); assumption.
    + apply (IH y z L Rest).
    + right. ring.
Qed.

Theorem laplace_boxes_private {X} (neighbor : X -> X -> Prop) (f : X -> list R) eps Df :
  0 < eps -> 0 < Df ->
  (forall x y, neighbor x y -> length (f x) = length (f y) /\ l1_norm (f x) (f y) <= Df) ->
  forall x y, neighbor x y -> forall boxes, (forall intervals, In intervals boxes -> is_box intervals) ->
  total boxes (box_probability (Df / eps) (f x)) <= exp eps * total boxes (box_probability (Df / eps) (f y)).
Proof.
  intros He HD S x y N boxes Are. destruct (S x y N) as [L D].
  assert (B : 0 < Df / eps) by (apply Rdiv_lt_0_compat; assumption).
  rewrite <- total_scal. apply total_le. intros intervals I.
  eapply Rle_trans; [apply (box_ratio _ _ (f y)); auto |].
  apply Rmult_le_compat_r; [apply box_nonneg; auto |]. apply exp_le.
  replace eps with (Df / (Df / eps)) at 2 by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | exact D].
Qed.

Lemma within b z r : 0 < b -> 0 <= r -> RInt (laplace b z) (z - r) (z + r) = 1 - exp (- r / b).
Proof.
  intros B Hr. apply is_RInt_unique.
  assert (U := laplace_upper_integral b 0 r B ltac:(lra)). assert (L := laplace_lower_integral b 0 r B ltac:(lra)).
  replace (- 0 / b) with 0 in U, L by (field; lra). rewrite exp_0 in U, L. rewrite Ropp_0 in L.
  assert (C := is_RInt_Chasles _ _ _ _ _ _ L U).
  change (is_RInt (laplace b 0) (- r) r (1 / 2 - exp (- r / b) / 2 + (1 / 2 - exp (- r / b) / 2))) in C.
  replace (1 / 2 - exp (- r / b) / 2 + (1 / 2 - exp (- r / b) / 2)) with (1 - exp (- r / b)) in C by lra.
  assert (Low : 1 * (z - r) + - z = - r) by lra. assert (High : 1 * (z + r) + - z = r) by lra.
  assert (M : is_RInt (laplace b 0) (1 * (z - r) + - z) (1 * (z + r) + - z) (1 - exp (- r / b)))
    by (rewrite Low, High; exact C).
  apply is_RInt_comp_lin in M. revert M. apply is_RInt_ext. intros t _. unfold scal. simpl. unfold mult. simpl.
  unfold laplace. rewrite !Rmult_1_l. replace (t + - z - 0) with (t - z) by lra. reflexivity.
Qed.

Theorem laplace_all_near (z : list R) beta eps Df :
  z <> [] -> 0 < beta < 1 -> 0 < eps -> 0 < Df ->
  let k := INR (length z) in
  let r := ln (k / beta) * (Df / eps) in
  box_probability (Df / eps) z (map (fun c => (c - r, c + r)) z) = (1 - beta / k) ^ length z.
Proof.
  intros Z Hb He HD k r. assert (B : 0 < Df / eps) by (apply Rdiv_lt_0_compat; assumption).
  assert (K : 1 <= k) by (unfold k; destruct z as [| c z]; [contradiction |]; simpl length; rewrite S_INR;
    assert (P := pos_INR (length z)); lra).
  assert (L : 0 <= ln (k / beta)).
  { rewrite <- ln_1. apply ln_le; [lra |]. apply Rmult_le_reg_r with beta; [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (R0 : 0 <= r) by (apply Rmult_le_pos; lra).
  assert (E : exp (- r / (Df / eps)) = beta / k).
  { unfold r. replace (- (ln (k / beta) * (Df / eps)) / (Df / eps)) with (- ln (k / beta)) by (field; lra).
    rewrite exp_Ropp, exp_ln; [field; lra |]. apply Rdiv_lt_0_compat; lra. }
  clearbody r k. clear Z. induction z as [| c z IH]; [reflexivity |]. cbn [map box_probability length pow].
  rewrite IH, within, E by assumption. reflexivity.
Qed.

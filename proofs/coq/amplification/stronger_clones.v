(** The stronger clones bound holds for every eps0-DP randomizer.

    The pair [clones_below] of clones.v: of n users one sends 1 with probability p/(p + 1) and else 0, or the other
    way round, and each of the others 1 and 0 with probability r each, and else nothing that tells.

    - [stronger_clones]: R eps0-DP, any eps0, records of any type, bundles of any length, p = e^eps0, r = 1/(p + 1):
      where that pair is (E, delta)-below, all neighbouring data sets of n users are. Every n >= 1, E >= 1, real
      delta. [stronger_clones_dp]: so they are (eps, delta)-DP, eps >= 0, if it is (e^eps, delta)-below.
    - [clones_of_ratio]: two rows P, Q within a factor p of each other, and every other row at least max(P, Q)/q, with
      2p <= (p + 1) q: the same with r = p/((p + 1) q), E >= 1. It is the variation-ratio reduction with the largest
      total variation distance, (p - 1)/(p + 1), in place of that of P and Q.
    - [clones_divergence]: the pair with any p > 0 and 0 < r <= 1/2 is (E, delta)-below if and only if
      (1/n) E[max(0, L_1 + ... + L_n)] <= delta, L = (p - E)/((p + 1) r) and (1 - E p)/((p + 1) r) with
      probability r each, else 0, independent; all n >= 1, real E, delta.
    No assumption is made on the distance of two rows: that no smaller distance is worse is the last step below.

    Idea. By row_sides.v the labels of P and Q have the values p - E, 1 - E p and -p(E - 1), times q/p, with
    probability al p/q, al p/q and rho/q, rho = 1 - (p + 1) al, and no label has 0. Let F(v) = max(0, s + v). As
      p F(p - E) + p F(1 - E p) >= (p + 1) F(-p(E - 1)) + (p - 1) F(0),    1 <= E <= p,
    for every s (both sides have one mean, and the left one lies outside), E[F(L)] does not fall when al grows to its
    largest value 1/(p + 1), where the third label disappears. So one copy of L after the other may be replaced.

    Source: the bound: Feldman, McMillan, Talwar 2023, Theorem 3.2 (as printed in secondary sources); this proof:
    this package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess increasing_convex_order
  label_reduction label_divergence clones row_sides.
Import ListNotations.
Open Scope R_scope.

(** ** The number of a pair of clones *)

Definition clone_values (p r E : R) : dist R :=
  [(1 - (r + r), 0); (r, (p - E) / ((p + 1) * r)); (r, (1 - E * p) / ((p + 1) * r))].

Theorem clones_divergence n p r E delta :
  (1 <= n)%nat -> 0 < p -> 0 < r <= 1 / 2 ->
  clones_below n p r E delta <-> mean_excess n (clone_values p r E) <= delta.
Proof.
  intros Hn Hp Hr. pose (h := fun b : bool => (if b then p else 1) / ((p + 1) * r)).
  assert (X := label_divergence (coin (p / (p + 1))) (coin (1 / (p + 1))) (clone_labels r) h (fun b => h (negb b)) E).
  unfold clones_below. rewrite X; clear X; [| | | | exact Hn].
  - replace (label_values (clone_labels r) h (fun b => h (negb b)) E) with (clone_values p r E); [reflexivity |].
    assert (G : forall a b c d e a' b' c' d' e' : R, a = a' -> b = b' -> c = c' -> d = d' -> e = e' ->
      [(a, 0); (b, c); (d, e)] = [(a', 0); (b', c'); (d', e')]) by (intros; subst; reflexivity).
    unfold label_values, clone_values. simpl. unfold mean, h. simpl. apply G; field; lra.
  - split; [apply sub_law_clones; lra |]. rewrite mean_clones. lra.
  - intros f. rewrite mean_coin, mean_tilted, mean_clones. unfold h. field. lra.
  - intros f. rewrite mean_coin, mean_tilted, mean_clones. unfold h. simpl. field. lra.
Qed.

(** The step that compares distances. *)
Lemma outer_values p E s :
  1 <= E <= p ->
  (p + 1) * Rmax 0 (s + - (p * (E - 1))) + (p - 1) * Rmax 0 (s + 0) <=
  p * Rmax 0 (s + (p - E)) + p * Rmax 0 (s + (1 - E * p)).
Proof.
  intros HE.
  assert (A := Rmult_le_compat_l p _ _ ltac:(lra) (Rmax_r 0 (s + (p - E)))).
  assert (A' := Rmult_le_compat_l p _ _ ltac:(lra) (Rmax_l 0 (s + (p - E)))).
  assert (B := Rmult_le_compat_l p _ _ ltac:(lra) (Rmax_r 0 (s + (1 - E * p)))).
  assert (B' := Rmult_le_compat_l p _ _ ltac:(lra) (Rmax_l 0 (s + (1 - E * p)))).
  assert (C : 0 <= p * (p - E)) by (apply Rmult_le_pos; lra).
  assert (D : 0 <= p * (E - 1)) by (apply Rmult_le_pos; lra).
  set (u := p * Rmax 0 (s + (p - E))) in *. set (v := p * Rmax 0 (s + (1 - E * p))) in *.
  unfold Rmax. destruct (Rle_dec 0 (s + - (p * (E - 1)))), (Rle_dec 0 (s + 0)); lra.
Qed.

(** How much more likely a label is than for the others, where they have the share q of the larger row. *)
Definition of_larger (p q : R) (i : side) : R := match i with smaller => q / p | _ => q end.
Definition of_smaller (p q : R) (i : side) : R := match i with larger => q / p | _ => q end.

Lemma sides_at_most_1 al p q :
  1 <= p -> 0 < q -> 2 * p <= (p + 1) * q -> 0 <= al -> 0 <= 1 - (p + 1) * al ->
  let c := other_sides (al * p / q) ((1 - (p + 1) * al) / q) in sub_law c /\ mean c (fun _ => 1) <= 1.
Proof.
  intros Hp Hq Hpq Ha Hr c. split.
  { apply sub_law_other_sides; apply Rle_mult_inv_pos; try assumption. apply Rmult_le_pos; lra. }
  unfold c. rewrite mean_other_sides.
  apply Rmult_le_reg_r with ((p + 1) * q); [apply Rmult_lt_0_compat; lra |].
  replace ((_ + _) * ((p + 1) * q)) with ((p + 1) * (1 + al * (p - 1))) by (field; lra).
  assert ((p - 1) * ((p + 1) * al) <= (p - 1) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma share_of_the_others p q : 0 < p -> 0 < q -> 2 * p <= (p + 1) * q -> 0 < p / ((p + 1) * q) <= 1 / 2.
Proof.
  intros Hp Hq Hpq. assert (Dq : 0 < (p + 1) * q) by (apply Rmult_lt_0_compat; lra).
  split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with ((p + 1) * q); [exact Dq |].
  replace (p / ((p + 1) * q) * ((p + 1) * q)) with p by (field; lra). lra.
Qed.

Lemma nearer_rows n al p q E :
  1 <= E <= p -> 0 < q -> 2 * p <= (p + 1) * q -> 0 <= al -> 0 <= 1 - (p + 1) * al ->
  mean_excess n (label_values (other_sides (al * p / q) ((1 - (p + 1) * al) / q)) (of_larger p q) (of_smaller p q) E)
  <=
  mean_excess n (clone_values p (p / ((p + 1) * q)) E).
Proof.
  intros HE Hq Hpq Ha Hr. destruct (share_of_the_others p q ltac:(lra) Hq Hpq) as [Q Q'].
  apply mean_excess_increasing.
  - destruct (sides_at_most_1 al p q) as [S W]; try assumption; try lra.
    exact (proj1 (proper_label_values _ (of_larger p q) (of_smaller p q) E S W)).
  - intros wa [<- | [<- | [<- | []]]]; simpl; lra.
  - intros t. unfold stop_loss. pose (s := - t).
    rewrite !(mean_ext _ (fun v => Rmax 0 (v - t)) (fun v => Rmax 0 (s + v))) by (intros; f_equal; unfold s; ring).
    assert (X := outer_values p E (s * p / q) HE).
    apply (Rmult_le_compat_l ((1 - (p + 1) * al) / (p * (p + 1)))) in X.
    2: { apply Rle_mult_inv_pos; [exact Hr | apply Rmult_lt_0_compat; lra]. }
    assert (scale : forall v, Rmax 0 (s + q / p * v) = q / p * Rmax 0 (s * p / q + v)).
    { intros v. replace (s + q / p * v) with (q / p * (s * p / q + v)) by (field; lra).
      rewrite <- (Rmult_0_r (q / p)) at 1. apply RmaxRmult.
      left. apply Rdiv_lt_0_compat; lra. }
    rewrite mean_label_values, !mean_other_sides.
    unfold mean, clone_values. simpl total. cbn [fst snd of_larger of_smaller].
    replace ((p - E) / ((p + 1) * (p / ((p + 1) * q)))) with (q / p * (p - E)) by (field; lra).
    replace ((1 - E * p) / ((p + 1) * (p / ((p + 1) * q)))) with (q / p * (1 - E * p)) by (field; lra).
    replace (q - E * (q / p)) with (q / p * (p - E)) by (field; lra).
    replace (q / p - E * q) with (q / p * (1 - E * p)) by (field; lra).
    replace (q - E * q) with (q / p * - (p * (E - 1))) by (field; lra).
    replace (s + 0) with (s + q / p * 0) by ring. rewrite !scale.
    set (Fa := Rmax 0 (_ + (p - E))) in *. set (Fb := Rmax 0 (_ + (1 - E * p))) in *.
    set (Fv := Rmax 0 (_ + - (p * (E - 1)))) in *. set (F0 := Rmax 0 (_ + 0)) in *.
    apply Rminus_le. apply Rle_minus in X. eapply Rle_trans; [| exact X]. right. field. lra.
Qed.

(** ** The theorems *)

Lemma Pr_none {A} (d : dist A) : Pr d (fun _ => false) = 0.
Proof.
  unfold Pr. rewrite (mean_ext d _ (fun _ => 0 * 0)) by (intros; unfold indicator; ring).
  rewrite mean_scal. ring.
Qed.

Lemma shuffle_below_delta {X M} (R : X -> dist (list M)) xs ys (E delta : Rdefinitions.R) :
  shuffle_below R xs ys E delta -> 0 <= delta.
Proof. intros H. specialize (H (fun _ => false) (fun u v _ => eq_refl)). rewrite !Pr_none in H. lra. Qed.

(** Where E is at least the factor between the rows nothing is to be shown. *)
Lemma beyond_the_factor {X M} (R : X -> dist (list M)) p x y before after (E delta : Rdefinitions.R) :
  (forall z, proper (R z)) -> below (R x) (R y) p 0 -> p <= E -> 0 <= delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros HR H HE Hd. apply (bystanders R (before ++ after) [x] [y]); [exact HR | | |].
  - rewrite <- app_assoc. apply Permutation_app_head, Permutation_cons_append.
  - rewrite <- app_assoc. apply Permutation_app_head, Permutation_cons_append.
  - intros T _. unfold Pr. rewrite !mean_messages_first.
    assert (B := below_weaken _ _ _ _ _ _ (HR y) HE Hd H). apply (below_mean _ _ _ _ _ B).
    intros u. simpl. rewrite mean_ret. apply indicator_bounds.
Qed.

Theorem clones_of_ratio {X M} (R : X -> dist (list M)) p q x y before after (E delta : Rdefinitions.R) :
  (forall z, proper (R z)) -> below (R x) (R y) p 0 -> below (R y) (R x) p 0 ->
  0 < q -> 2 * p <= (p + 1) * q -> 1 <= E ->
  (forall z, In z (before ++ after) ->
   forall m, mass (R x) m <= q * mass (R z) m /\ mass (R y) m <= q * mass (R z) m) ->
  clones_below (length (before ++ x :: after)) p (p / ((p + 1) * q)) E delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros HR XY YX Hq Hpq HE Hz H. assert (Hp := factor_at_least_1 _ _ _ (HR x) (HR y) XY).
  destruct (Rle_lt_dec p E) as [B | B].
  { apply (beyond_the_factor R p); auto. apply (shuffle_below_delta _ _ _ _ _ H). }
  assert (Hn : (1 <= length (before ++ x :: after))%nat) by (rewrite app_length; simpl; lia).
  apply (clones_divergence _ _ _ _ _ Hn) in H; [| lra | apply share_of_the_others; lra].
  destruct (share_bounds _ _ _ (HR x) (HR y) XY YX ltac:(lra)) as [S1 S2].
  set (al := share (R x) (R y) p) in *.
  apply (sides_reduction R p q); auto; try lra. fold al.
  apply (label_divergence _ _ _ (of_larger p q) (of_smaller p q)); [| | | exact Hn |].
  - apply sides_at_most_1; lra.
  - intros f. rewrite mean_own_sides, mean_tilted, mean_other_sides. unfold of_larger. field. lra.
  - intros f. rewrite mean_own_sides, mean_tilted, mean_other_sides. unfold of_smaller. field. lra.
  - eapply Rle_trans; [apply nearer_rows; assumption || lra | exact H].
Qed.

Theorem stronger_clones {X M} (R : X -> dist (list M)) eps0 xs ys (E delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> local_dp R eps0 0 -> neighbors xs ys -> 1 <= E ->
  clones_below (length xs) (exp eps0) (/ (exp eps0 + 1)) E delta -> shuffle_below R xs ys E delta.
Proof.
  intros HR L [before x y after] HE H. assert (Pe := exp_pos eps0).
  assert (G := factor_at_least_1 _ _ _ (HR x) (HR y) (L x y)). set (p := exp eps0) in *.
  apply (clones_of_ratio R p p x y before after E delta); auto.
  - assert (0 <= p * (p - 1)) by (apply Rmult_le_pos; lra). lra.
  - intros z _ m. split; apply below_masses, L.
  - replace (p / ((p + 1) * p)) with (/ (p + 1)) by (field; lra). exact H.
Qed.

Theorem stronger_clones_dp {X M} (R : X -> dist (list M)) n eps0 eps (delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> local_dp R eps0 0 -> 0 <= eps ->
  clones_below n (exp eps0) (/ (exp eps0 + 1)) (exp eps) delta -> shuffle_dp n R eps delta.
Proof.
  intros HR L He H xs ys N <-. apply (stronger_clones R eps0); auto.
  rewrite <- exp_0. destruct He as [He | <-]; [left; apply exp_increasing, He | apply Rle_refl].
Qed.

(** Privacy amplification by shuffling, from clones (2021): every eps0-DP randomizer.

    The reduced pair ([clones_below]): with p = e^eps0 the user who differs sends 1 with probability p/(p + 1), else
    0, and his neighbour 0 with probability p/(p + 1), else 1; each of the other n - 1 users sends 1 and 0 with
    probability r each, and else nothing that tells. All are shuffled.

    - [clones_of_share]: let the rows P and Q of the two inputs be within a factor p of each other at all events,
      and let every other user's row be at least r (P + Q) at every bundle. Then what the reduced pair of n users
      is, the shuffled messages of the two data sets are: (E, delta)-below. Every n >= 1, all real E, delta, r and
      p = e^eps0; bundles of any length.
    - [clones_2021]: in an eps0-DP randomizer every row is at least (P + Q)/(2p), so this holds for all data sets of
      all neighbours with r = 1/(2p); [clones_2021_dp]: so it is (eps, delta)-DP in the shuffle model if the
      reduced pair is (e^eps, delta)-below.
    - [clones_two_rows]: if all other rows are mixtures of P and Q, as for a randomizer of two inputs, it holds with
      r = 1/(p + 1).
    The reduced pair of the other order is its mirror image, so that one order is enough.

    Idea: A = (pP - Q)/(p - 1) and B = (pQ - P)/(p - 1) are laws, P = (pA + B)/(p + 1), Q = (A + pB)/(p + 1)
    and P + Q = A + B: the label 1 or 0 is which of them is drawn. For p = 1 the rows are equal.

    Source: Feldman, McMillan, Talwar 2021, Theorem 3.1 (r = 1/(2p)); the pair of two rows: folklore, that binary
    randomized response simulates every eps0-DP randomizer of two inputs. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess increasing_convex_order
  label_reduction.
Import ListNotations.
Open Scope R_scope.

Definition clone_labels (r : R) : dist bool := [(r, true); (r, false)].

Definition clones_below (n : nat) (p r E delta : R) : Prop :=
  labels_below n (coin (p / (p + 1))) (coin (1 / (p + 1))) (clone_labels r) E delta.

(** ** Laws by their masses *)

Definition of_masses {A} (l : list A) (f : A -> R) : dist A := map (fun a => (f a, a)) l.

Lemma mean_of_masses {A} (l : list A) f g : mean (of_masses l f) g = total l (fun a => f a * g a).
Proof. unfold mean, of_masses. rewrite total_map. reflexivity. Qed.

Lemma proper_of_masses {A} (l : list A) f :
  (forall a, 0 <= f a) -> total l f = 1 -> proper (of_masses l f).
Proof.
  intros H S. split.
  - intros wa J. apply in_map_iff in J. destruct J as [a [<- _]]. apply H.
  - rewrite mean_of_masses. transitivity (total l f); [apply total_ext; intros; ring | exact S].
Qed.

(** A law is below another if it is at every outcome of a list that has all of its own. *)
Lemma below_by_masses {A} (c d : dist A) (l : list A) f :
  proper d -> sub_law c -> NoDup l -> (forall g, mean c g = total l (fun a => f a * g a)) ->
  (forall a, f a <= mass d a) -> lies_below c d.
Proof.
  intros Hd Hc N H L. split; [exact Hc |]. intros a. unfold mass at 1, Pr. rewrite H.
  rewrite (total_ext _ _ (fun b => if same a b then f a else 0)).
  - destruct (In_dec same a l) as [J | J]; [rewrite total_single; auto |].
    rewrite (total_ext _ _ (fun _ => 0)), total_zero; [apply mass_nonneg, Hd |].
    intros b K. destruct (same a b) as [<- |]; [contradiction | reflexivity].
  - intros b _. unfold indicator. destruct (same b a) as [e | D], (same a b) as [e' | D']; try congruence;
      [rewrite e |]; ring.
Qed.

Lemma sub_law_clones r : 0 <= r -> sub_law (clone_labels r).
Proof. intros H wa [<- | [<- | []]]; exact H. Qed.

Lemma mean_clones r f : mean (clone_labels r) f = r * (f true + f false).
Proof. unfold mean, clone_labels. simpl. ring. Qed.

Lemma below_masses {A} (P Q : dist A) E a : below P Q E 0 -> mass P a <= E * mass Q a.
Proof. intros H. specialize (H (fun b => if same b a then true else false)). unfold mass. lra. Qed.

(** A law that is within a factor of another has a factor of at least 1. *)
Lemma factor_at_least_1 {A} (P Q : dist A) E : proper P -> proper Q -> below P Q E 0 -> 1 <= E.
Proof. intros HP HQ H. specialize (H (fun _ => true)). rewrite !Pr_all in H by assumption. lra. Qed.

(** ** The two parts of the rows *)

Section Rows.

  Context {A : Type} (P Q : dist A) (p : R).
  Hypotheses (HP : proper P) (HQ : proper Q) (PQ : below P Q p 0) (QP : below Q P p 0).

  Let l := outcomes P Q.

  Definition part (b : bool) : dist A :=
    if Req_EM_T p 1 then P
    else of_masses l (fun a => (if b then p * mass P a - mass Q a else p * mass Q a - mass P a) / (p - 1)).

  Lemma total_P g : mean P g = total l (fun a => mass P a * g a).
  Proof. apply mean_masses; apply outcomes_NoDup || apply outcomes_cover. Qed.

  Lemma total_Q g : mean Q g = total l (fun a => mass Q a * g a).
  Proof. apply mean_masses; apply outcomes_NoDup || apply outcomes_cover. Qed.

  Lemma factor : 1 <= p.
  Proof. exact (factor_at_least_1 P Q p HP HQ PQ). Qed.

  Lemma mean_part b g :
    (p - 1) * mean (part b) g = if b then p * mean P g - mean Q g else p * mean Q g - mean P g.
  Proof.
    unfold part. destruct (Req_EM_T p 1) as [-> | N].
    - assert (H : mean P g = mean Q g); [| rewrite H; destruct b; ring].
      rewrite total_P, total_Q. apply total_ext. intros a _. f_equal.
      assert (X := below_masses P Q 1 a PQ). assert (Y := below_masses Q P 1 a QP). lra.
    - rewrite mean_of_masses, total_P, total_Q, <- total_scal.
      destruct b; rewrite <- total_scal, <- total_minus; apply total_ext; intros a _; field; lra.
  Qed.

  Lemma proper_part b : proper (part b).
  Proof.
    assert (F := factor). assert (S := mean_part b (fun _ => 1)). revert S. unfold part.
    destruct (Req_EM_T p 1) as [_ | N]; intros S; [exact HP |].
    apply proper_of_masses.
    - intros a. assert (X := below_masses P Q p a PQ). assert (Y := below_masses Q P p a QP).
      apply Rle_mult_inv_pos; [destruct b |]; lra.
    - rewrite mean_of_masses, !(proj2 HP), !(proj2 HQ) in S.
      apply Rmult_eq_reg_l with (p - 1); [| lra]. rewrite Rmult_1_r.
      rewrite (total_ext _ _ _ (fun a _ => eq_sym (Rmult_1_r _))), S. destruct b; ring.
  Qed.

  Lemma rows_of_parts :
    same_law P (bind (coin (p / (p + 1))) part) /\ same_law Q (bind (coin (1 / (p + 1))) part).
  Proof.
    assert (F := factor). assert (X : forall g, mean P g = (p * mean (part true) g + mean (part false) g) / (p + 1) /\
      mean Q g = (mean (part true) g + p * mean (part false) g) / (p + 1)).
    { intros g. assert (T := mean_part true g). assert (U := mean_part false g). revert T U. unfold part.
      destruct (Req_EM_T p 1) as [-> | N]; intros T U; [split; lra |].
      set (s := mean (of_masses _ _) g) in T |- *. set (t := mean (of_masses _ _) g) in U |- *.
      assert (s = (p * mean P g - mean Q g) / (p - 1)) by (rewrite <- T; field; lra).
      assert (t = (p * mean Q g - mean P g) / (p - 1)) by (rewrite <- U; field; lra).
      subst s t. rewrite H, H0. split; field; lra. }
    split; intros g; rewrite mean_bind, mean_coin; destruct (X g) as [X1 X2]; [rewrite X1 | rewrite X2]; field; lra.
  Qed.

  Lemma sum_of_parts g : mean (part true) g + mean (part false) g = mean P g + mean Q g.
  Proof.
    assert (F := factor). destruct rows_of_parts as [X Y]. rewrite X, Y, !mean_bind, !mean_coin. field. lra.
  Qed.

End Rows.

(** ** The theorems *)

Theorem clones_of_share {X M} (R : X -> dist (list M)) p r x y before after (E delta : Rdefinitions.R) :
  proper (R x) -> proper (R y) -> below (R x) (R y) p 0 -> below (R y) (R x) p 0 -> 0 <= r ->
  (forall z, In z (before ++ after) ->
   proper (R z) /\ forall m, r * (mass (R x) m + mass (R y) m) <= mass (R z) m) ->
  clones_below (length (before ++ x :: after)) p r E delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros Hx Hy XY YX Hr Hz H. destruct (rows_of_parts _ _ p Hx Hy XY YX) as [S1 S2].
  assert (HK := proper_part _ _ p Hx Hy XY YX).
  apply (label_reduction R (part (R x) (R y) p) _ _ (clone_labels r) x y before after E delta HK S1 S2);
    [| exact H].
  intros z J. destruct (Hz z J) as [Pz Lz]. split; [exact Pz |].
  apply (below_by_masses _ _ (outcomes (R x) (R y)) (fun m => r * (mass (R x) m + mass (R y) m)));
    [exact Pz | apply sub_law_bind; [apply sub_law_clones, Hr | exact HK] | apply outcomes_NoDup | | exact Lz].
  intros g. rewrite mean_bind, mean_clones, (sum_of_parts _ _ p Hx Hy XY YX),
    (total_P (R x) (R y)), (total_Q (R x) (R y)), <- total_plus.
  rewrite <- total_scal. apply total_ext. intros. ring.
Qed.

Theorem clones_2021 {X M} (R : X -> dist (list M)) eps0 xs ys (E delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> local_dp R eps0 0 -> neighbors xs ys ->
  clones_below (length xs) (exp eps0) (/ (2 * exp eps0)) E delta -> shuffle_below R xs ys E delta.
Proof.
  intros HR L [before x y after] H. assert (Pe := exp_pos eps0).
  apply (clones_of_share R (exp eps0) (/ (2 * exp eps0))); auto.
  - left. apply Rinv_0_lt_compat. lra.
  - intros z _. split; [apply HR |]. intros m.
    assert (A := below_masses _ _ _ m (L x z)). assert (B := below_masses _ _ _ m (L y z)).
    apply Rmult_le_reg_l with (2 * exp eps0); [lra |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l; lra.
Qed.

Theorem clones_2021_dp {X M} (R : X -> dist (list M)) n eps0 eps (delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> local_dp R eps0 0 ->
  clones_below n (exp eps0) (/ (2 * exp eps0)) (exp eps) delta -> shuffle_dp n R eps delta.
Proof. intros HR L H xs ys N <-. apply (clones_2021 R eps0); assumption. Qed.

Theorem clones_two_rows {X M} (R : X -> dist (list M)) eps0 x y before after (E delta : Rdefinitions.R) :
  (forall x, proper (R x)) -> local_dp R eps0 0 ->
  (forall z, In z (before ++ after) ->
   exists t, 0 <= t <= 1 /\ forall m, mass (R z) m = t * mass (R x) m + (1 - t) * mass (R y) m) ->
  clones_below (length (before ++ x :: after)) (exp eps0) (/ (exp eps0 + 1)) E delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros HR L Hz H. assert (Pe := exp_pos eps0).
  apply (clones_of_share R (exp eps0) (/ (exp eps0 + 1))); auto.
  - left. apply Rinv_0_lt_compat. lra.
  - intros z J. split; [apply HR |]. intros m. destruct (Hz z J) as [t [Ht Mz]]. rewrite Mz.
    assert (A := below_masses _ _ _ m (L x y)). assert (B := below_masses _ _ _ m (L y x)).
    apply Rmult_le_reg_l with (exp eps0 + 1); [lra |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    assert (C := Rmult_le_compat_l t _ _ (proj1 Ht) B).
    assert (D := Rmult_le_compat_l (1 - t) _ _ ltac:(lra) A). lra.
Qed.

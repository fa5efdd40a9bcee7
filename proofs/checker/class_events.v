(** Events of outcomes with one likelihood ratio.

    Let P and Q be laws, and let a map h put the outcomes into classes, of probabilities P' and Q', such that P a Q b =
    P b Q a for any two outcomes of one class. Then

    - [far_classes]: all events on which P >= R Q have at most the probability delta under P if and only if this is so
      of P' and Q', for every R and delta;
    - [classes_pairs]: pairs of weights that decide privacy and smoothness of P' and Q' decide them of P and Q.

    Idea: where P has mass, P >= R Q on an outcome if and only if it is so on its class. Privacy is steps.v.

    Source: docs/certificates.md, "Constant ratios are one outcome". *)

From Coq Require Import ZArith Reals List Lra Lia.
From Exactdp Require Import sums masses hockey_stick steps.
From ExactdpChecker Require Import exact_program aligned_pairs.
Import ListNotations.
Open Scope R_scope.

Lemma mass_of_scaled {A} (D : A -> R) S k p : 0 <= k -> mass_of D S p -> mass_of (fun a => k * D a) S (k * p).
Proof.
  intros [Hk | <-] [U L].
  - split.
    + intros s [l [N [I ->]]]. rewrite total_scal. apply Rmult_le_compat_l; [lra |]. apply U. exists l. auto.
    + intros b Hb. apply Rmult_le_reg_l with (/ k); [apply Rinv_0_lt_compat, Hk |].
      rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. apply L. intros s [l [N [I ->]]].
      apply Rmult_le_reg_l with k; [exact Hk |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      apply Hb. exists l. rewrite total_scal. auto.
  - rewrite Rmult_0_l. apply mass_of_zero. intros. ring.
Qed.

Lemma mass_of_same {A} (D D' : A -> R) (S : A -> Prop) p q :
  (forall a, S a -> D a = D' a) -> mass_of D S p -> mass_of D' S q -> p = q.
Proof.
  intros E [U L] [U' L']. apply Rle_antisym.
  - apply L. intros s [l [N [I ->]]]. apply U'. exists l. split; [exact N | split; [exact I |]]. apply total_ext. auto.
  - apply L'. intros s [l [N [I ->]]]. apply U. exists l. split; [exact N | split; [exact I |]].
    apply total_ext. intros a Ia. symmetry. auto.
Qed.

Section classes.

Context {A B : Type} (h : A -> B) (P Q : A -> R) (P' Q' : B -> R).
Hypothesis P_law : law P.
Hypothesis Q_law : law Q.
Hypothesis P_classes : forall b, mass_of P (fun a => h a = b) (P' b).
Hypothesis Q_classes : forall b, mass_of Q (fun a => h a = b) (Q' b).
Hypothesis ratios : forall a c, h a = h c -> P a * Q c = P c * Q a.

Lemma class_ratio R0 a : 0 < P a -> (R0 * Q a <= P a <-> R0 * Q' (h a) <= P' (h a)).
Proof.
  intros Pos. assert (E : Q a * P' (h a) = P a * Q' (h a)).
  { apply (mass_of_same (fun c => Q a * P c) (fun c => P a * Q c) (fun c => h c = h a)).
    - intros c H. rewrite (ratios a c); [ring | congruence].
    - apply mass_of_scaled; [apply Q_law | apply P_classes].
    - apply mass_of_scaled; [lra | apply Q_classes]. }
  assert (Pos' : 0 < P' (h a)).
  { apply Rlt_le_trans with (P a); [exact Pos |]. destruct (P_classes (h a)) as [U _]. apply U. exists [a].
    split; [repeat constructor; intros [] | split; [intros c [<- | []]; reflexivity | simpl; ring]]. }
  split; intros H.
  - apply Rmult_le_reg_l with (P a); [exact Pos |].
    replace (P a * (R0 * Q' (h a))) with (R0 * Q a * P' (h a)) by (rewrite Rmult_assoc, E; ring).
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_reg_r with (P' (h a)); [exact Pos' |].
    replace (R0 * Q a * P' (h a)) with (P a * (R0 * Q' (h a))) by (rewrite (Rmult_assoc R0), E; ring).
    apply Rmult_le_compat_l; lra.
Qed.

Definition has_mass (a : A) : bool := if Rlt_dec 0 (P a) then true else false.

Lemma total_with_mass l : total l P = total (filter has_mass l) P.
Proof.
  rewrite total_filter. apply total_ext. intros a _. unfold has_mass.
  destruct (Rlt_dec 0 (P a)); [reflexivity |]. assert (X := proj1 P_law a). lra.
Qed.

Lemma with_mass l a : In a (filter has_mass l) -> In a l /\ 0 < P a.
Proof.
  intros I. apply filter_In in I. destruct I as [I M]. unfold has_mass in M.
  destruct (Rlt_dec 0 (P a)); [auto | discriminate].
Qed.

Theorem far_classes R0 delta : far_below P Q R0 delta <-> far_below P' Q' R0 delta.
Proof.
  split; intros H l N I.
  - assert (M := mass_of_classes h P P' l (proj1 P_law) P_classes N). destruct M as [_ L]. apply L.
    intros s [m [Nm [Im ->]]]. rewrite total_with_mass. apply H; [apply NoDup_filter, Nm |].
    intros a Ia. apply with_mass in Ia. destruct Ia as [Ia Pos]. apply class_ratio; [exact Pos |]. apply I, Im, Ia.
  - rewrite total_with_mass. set (m := filter has_mass l).
    assert (Nm : NoDup m) by (apply NoDup_filter, N). set (bs := nodup same (map h m)).
    apply Rle_trans with (total bs P').
    + assert (M := mass_of_classes h P P' bs (proj1 P_law) P_classes (NoDup_nodup same _)). apply M.
      exists m. split; [exact Nm | split; [| reflexivity]]. intros a Ia. apply nodup_In, in_map, Ia.
    + apply H; [apply NoDup_nodup |]. intros b Ib. apply nodup_In, in_map_iff in Ib. destruct Ib as [a [<- Ia]].
      apply with_mass in Ia. destruct Ia as [Ia Pos]. apply class_ratio; [exact Pos |]. apply I, Ia.
Qed.

Lemma classes_pairs pairs T :
  measured pairs T P' Q' /\ located pairs T P' Q' -> measured pairs T P Q /\ located pairs T P Q.
Proof.
  intros [[HT [C M]] [_ [_ L]]]. split; (split; [exact HT | split; [exact C |]]).
  - intros E delta HE Hd. rewrite <- M by assumption. apply (constant_ratios h); try assumption. lra.
  - intros R0 delta HR Hd. rewrite <- L by assumption. apply far_classes.
Qed.

End classes.

(** ** Weights of disjoint events *)

Definition classed (pairs : list (Z * Z)) (T : Z) (P Q : Z -> R) : Prop :=
  (0 < T)%Z /\ exists (h : Z -> Z) (ks : list Z) (f g : Z -> Z),
    NoDup ks /\ pairs = map (fun k => (f k, g k)) ks /\
    forall k, In k ks ->
      mass_of P (fun t => h t = k) (IZR (f k) / IZR T) /\ mass_of Q (fun t => h t = k) (IZR (g k) / IZR T).

Lemma classed_in_order forward pairs T P Q :
  classed pairs T P Q -> classed (ordered forward pairs) T (if forward then P else Q) (if forward then Q else P).
Proof.
  intros [HT [h [ks [f [g [N [-> H]]]]]]]. split; [exact HT |]. destruct forward; [exists h, ks, f, g; auto |].
  exists h, ks, g, f. split; [exact N | split; [apply swap_map |]]. intros k I. destruct (H k I). auto.
Qed.

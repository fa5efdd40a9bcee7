(** One pair of rows that bounds all pairs.

    For finite weighted lists P, Q, P', Q' of any outcomes, a reference c with weights >= 0 and a sum of at most 1, real
    E >= 0 and every n: if no outcome has a smaller mass in P' than in P, or a larger mass in Q' than in Q, then
    [reference_bound] n P Q E c <= [reference_bound] n P' Q' E c ([widest_pair]). P' and Q' need not be laws: for the
    largest of all rows as P' and the least as Q' one number bounds every ordered pair of inputs of a table
    ([widest_pair_dp]).

    Idea: P - E Q grows entry by entry, and both terms of the bound grow with it.

    Source: this package; exactdp/engines/input_pairs.py bounds a table of too many inputs so. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import mean_excess hidden_message blanket homogeneous blanket_moments.
Import ListNotations.
Open Scope R_scope.

Lemma excess_le_covered {A} (c : dist A) value larger j :
  sub_law c -> (forall a, covered c a -> value a <= larger a) -> excess c value j <= excess c larger j.
Proof.
  intros Hc H. apply total_le. intros wl I. assert (W := sub_law_copies c j Hc wl I).
  destruct (copies_covered c j wl Hc I) as [-> | F]; [lra |]. apply Rmult_le_compat_l; [exact W |].
  apply Rle_max_compat_l, total_le. intros a Ia. apply H. revert a Ia. apply Forall_forall, F.
Qed.

Lemma mean_excess_le_covered {A} (c : dist A) value larger n :
  sub_law c -> weight c <= 1 -> (forall a, covered c a -> value a <= larger a) ->
  mean_excess n (values c value) <= mean_excess n (values c larger).
Proof.
  intros Hc W H. rewrite !mean_excess_undecided. apply Rmult_le_compat_r.
  - destruct n; [change (INR 0) with 0; rewrite Rinv_0; lra | left; apply Rinv_0_lt_compat, lt_0_INR; lia].
  - apply undecided_le; [lra |]. intros j. apply excess_le_covered; assumption.
Qed.

Lemma uncovered_le {A} (P Q P' Q' : dist A) E c :
  (forall a, mass P a - E * mass Q a <= mass P' a - E * mass Q' a) -> uncovered P Q E c <= uncovered P' Q' E c.
Proof.
  intros H. unfold uncovered. set (m := nodup same (outcomes P Q ++ outcomes P' Q')).
  assert (Z : forall X Y : dist A, forall a, ~ In a (outcomes X Y) ->
    (if Req_EM_T (mass c a) 0 then Rmax 0 (mass X a - E * mass Y a) else 0) = 0).
  { intros X Y a N. rewrite (not_an_outcome X Y E a N), Rmax_left by lra. destruct (Req_EM_T _ _); reflexivity. }
  rewrite (total_outside (outcomes P Q) m), (total_outside (outcomes P' Q') m);
    try (apply outcomes_NoDup || apply NoDup_nodup || apply Z).
  - apply total_le. intros a _. destruct (Req_EM_T (mass c a) 0); [apply Rle_max_compat_l, H | lra].
  - intros a I. apply nodup_In, in_or_app. right. exact I.
  - intros a I. apply nodup_In, in_or_app. left. exact I.
Qed.

Theorem widest_pair {A} (P Q P' Q' c : dist A) n E :
  sub_law c -> weight c <= 1 -> 0 <= E ->
  (forall a, mass P a <= mass P' a) -> (forall a, mass Q' a <= mass Q a) ->
  reference_bound n P Q E c <= reference_bound n P' Q' E c.
Proof.
  intros Hc W HE HP HQ.
  assert (H : forall a, mass P a - E * mass Q a <= mass P' a - E * mass Q' a).
  { intros a. assert (E * mass Q' a <= E * mass Q a) by (apply Rmult_le_compat_l; auto). specialize (HP a). lra. }
  apply Rplus_le_compat; [apply uncovered_le, H |].
  apply (mean_excess_le_covered c (value_against P Q E c) (value_against P' Q' E c)); [exact Hc | exact W |].
  intros a C. unfold value_against, Rdiv. apply Rmult_le_compat_r; [| apply H].
  assert (N : 0 <= mass c a).
  { apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply Hc, I | apply indicator_bounds]. }
  left. apply Rinv_0_lt_compat. unfold covered in C. lra.
Qed.

Theorem widest_pair_dp {X M} n (R : X -> dist (list M)) (c largest : dist (list M)) E eps delta :
  (forall v, proper (R v)) -> (forall v, lies_below c (R v)) -> (forall v a, mass (R v) a <= mass largest a) ->
  0 <= E <= exp eps -> reference_bound n largest c E c <= delta ->
  shuffle_dp n R eps delta.
Proof.
  intros HR Hc HL HE H. apply (blanket_dp n R (fun _ _ => c) E); [exact HR | auto | apply HE |].
  intros x y. eapply Rle_trans; [apply (widest_pair _ _ largest c c) | exact H].
  - apply (Hc x).
  - apply (weight_below c (R x)); auto.
  - apply HE.
  - apply HL.
  - apply (Hc y).
Qed.

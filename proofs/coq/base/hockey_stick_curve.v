(** The hockey-stick as a function of E, on a finite set of outcomes.

    For laws P and Q, finite or infinite, and a finite set of outcomes let g(E) be the sum of
    max(0, P a - E Q a) over the set. Proved, for all real numbers where nothing else is said: g does not
    grow ([stick_falls]); it is convex, that is, below each of its chords ([stick_convex]); g(0) <= 1
    ([stick_at_0]); and if Q is (E, d)-below P, for E > 0, then g(1/E) <= 1 - (1 - d)/E ([stick_inverse]).

    Idea of the last: E g(1/E) is the excess E P[T] - Q[T] of an event T, and 1 - E more than the excess
    Q - E P of all other outcomes. Source: docs/certificates.md, "A privacy curve on a lattice composes",
    which rests on it (privacy_curve.v). *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses hockey_stick product_laws.
Import ListNotations.
Open Scope R_scope.

Section pair.

Context {A : Type} (P Q : A -> R) (l : list A).
Hypothesis law_P : law P.
Hypothesis law_Q : law Q.
Hypothesis once : NoDup l.

Definition stick (E : R) : R := total l (fun a => Rmax 0 (P a - E * Q a)).

Lemma stick_falls E F : E <= F -> stick F <= stick E.
Proof.
  intros H. apply total_le. intros a _. apply Rle_max_compat_l. assert (X := proj1 law_Q a).
  assert (E * Q a <= F * Q a) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** Below each chord. *)
Theorem stick_convex E F x : E <= x <= F -> (F - E) * stick x <= (F - x) * stick E + (x - E) * stick F.
Proof.
  intros H. unfold stick. rewrite <- !total_scal, <- total_plus. apply total_le. intros a _.
  assert (X := Rmax_l 0 (P a - E * Q a)). assert (X' := Rmax_r 0 (P a - E * Q a)).
  assert (Y := Rmax_l 0 (P a - F * Q a)). assert (Y' := Rmax_r 0 (P a - F * Q a)).
  assert (0 <= (F - x) * Rmax 0 (P a - E * Q a)) by (apply Rmult_le_pos; lra).
  assert (0 <= (x - E) * Rmax 0 (P a - F * Q a)) by (apply Rmult_le_pos; lra).
  assert ((F - x) * (P a - E * Q a) <= (F - x) * Rmax 0 (P a - E * Q a))
    by (apply Rmult_le_compat_l; lra).
  assert ((x - E) * (P a - F * Q a) <= (x - E) * Rmax 0 (P a - F * Q a))
    by (apply Rmult_le_compat_l; lra).
  unfold Rmax at 1. destruct (Rle_dec 0 (P a - x * Q a)).
  - replace ((F - E) * (P a - x * Q a)) with ((F - x) * (P a - E * Q a) + (x - E) * (P a - F * Q a)) by ring.
    lra.
  - lra.
Qed.

Lemma stick_at_0 : stick 0 <= 1.
Proof.
  unfold stick. rewrite (total_ext l _ P); [apply law_finite; assumption |].
  intros a _. rewrite Rmult_0_l, Rminus_0_r. apply Rmax_right, law_P.
Qed.

(** The other order at E is this one at 1/E. *)
Lemma stick_inverse E d : 0 < E -> mass_below Q P E d -> stick (/ E) <= 1 - / E * (1 - d).
Proof.
  intros HE H. set (T := fun a => Rltb 0 (P a - / E * Q a)).
  assert (S : stick (/ E) = total (filter T l) P - / E * total (filter T l) Q).
  { unfold stick. rewrite <- total_scal, <- total_minus, total_filter. apply total_ext. intros a _.
    unfold T, Rltb. destruct (Rlt_dec 0 (P a - / E * Q a)); [apply Rmax_right | apply Rmax_left]; lra. }
  set (t := filter T l) in *. assert (Nt : NoDup t) by (apply NoDup_filter, once).
  assert (Least : 1 <= E * (1 - total t P) + d + total t Q).
  { apply (proj2 (proj2 law_Q)). intros s [m [Nm [_ ->]]].
    set (out := fun a => if in_dec same a t then false else true).
    assert (Nr : NoDup (filter out m)) by (apply NoDup_filter, Nm).
    assert (Split : total m Q <= total (filter out m) Q + total t Q).
    { rewrite <- total_app. apply total_incl; [exact Nm | | intros a _; apply law_Q].
      intros a I. apply in_or_app. destruct (in_dec same a t) as [J | J]; [right; exact J | left].
      apply filter_In. split; [exact I |]. unfold out. destruct (in_dec same a t); [contradiction | easy]. }
    assert (Both : total (filter out m) P + total t P <= 1).
    { rewrite <- total_app. apply law_finite; [exact law_P |].
      apply disjoint_append; [exact Nr | exact Nt |]. intros a I J. apply filter_In in I. destruct I as [_ O].
      unfold out in O. destruct (in_dec same a t); [discriminate | contradiction]. }
    specialize (H (filter out m) Nr).
    assert (E * (total (filter out m) P + total t P) <= E * 1) by (apply Rmult_le_compat_l; lra). lra. }
  rewrite S. apply Rmult_le_reg_l with E; [exact HE |].
  replace (E * (total t P - / E * total t Q)) with (E * total t P - total t Q) by (field; lra).
  replace (E * (1 - / E * (1 - d))) with (E - 1 + d) by (field; lra). lra.
Qed.

End pair.

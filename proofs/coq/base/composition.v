(** Basic composition: two releases, independent or one after the other.

    If P1 is (E1, d1)-below Q1 and P2 is (E2, d2)-below Q2, then the law of an independent pair of draws
    from P1 and P2 is (E1 E2, d1 + d2)-below that of a pair from Q1 and Q2. For all laws on all types,
    with finitely or infinitely many outcomes, and all E1, E2 >= 0, d1, d2; with E = e^eps: the eps and
    the delta add up. The same holds where the second release depends on the outcome of the first
    ([adaptive_releases]; for programs: [below_bind] of hockey_stick.v).

    Idea: P is (E, d)-below Q if and only if the positive parts of P a - E * Q a add up to at most d over
    every finite set of outcomes: the worst event is the set of the a with P a > E * Q a. The positive
    part of a product is bounded by those of the factors, one outcome at a time ([excess_of_product]), and
    a finite set of pairs lies in a box. (Source: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import reals sums masses product_laws.
Import ListNotations.
Open Scope R_scope.

(** By how much p is above E times q. *)
Definition excess (E p q : R) : R := Rmax 0 (p - E * q).

Lemma excess_nonneg E p q : 0 <= excess E p q.
Proof. apply Rmax_l. Qed.

(** ** Events and positive parts *)

(** The excesses add up to at most delta ... *)
Lemma mass_below_excess {A} (P Q : A -> R) E delta l :
  mass_below P Q E delta -> NoDup l -> total l (fun a => excess E (P a) (Q a)) <= delta.
Proof.
  intros H N. set (worse := fun a => Rltb (E * Q a) (P a)).
  assert (B := H (filter worse l) (NoDup_filter worse N)).
  apply Rle_trans with (total (filter worse l) (fun a => P a - E * Q a)).
  - rewrite total_filter. apply total_le. intros a _. unfold excess, worse, Rltb.
    destruct (Rlt_dec (E * Q a) (P a)); [rewrite Rmax_right | rewrite Rmax_left]; lra.
  - rewrite total_minus, total_scal. lra.
Qed.

(** ... and if they do, no finite event is worse. *)
Lemma excess_mass_below {A} (P Q : A -> R) E delta :
  (forall l, NoDup l -> total l (fun a => excess E (P a) (Q a)) <= delta) -> mass_below P Q E delta.
Proof.
  intros H l N. specialize (H l N).
  assert (total l (fun a => P a - E * Q a) <= total l (fun a => excess E (P a) (Q a))) as B.
  { apply total_le. intros a _. apply Rmax_r. }
  rewrite total_minus, total_scal in B. lra.
Qed.

(** ** One outcome *)

(** With m = min(p, E q) <= p: p1 p2 - m1 m2 = (p1 - m1) p2 + m1 (p2 - m2). *)
Lemma excess_of_product p1 q1 p2 q2 E1 E2 :
  0 <= p1 -> 0 <= E1 * q1 -> 0 <= p2 -> 0 <= E2 * q2 ->
  excess (E1 * E2) (p1 * p2) (q1 * q2) <= excess E1 p1 q1 * p2 + p1 * excess E2 p2 q2.
Proof.
  intros Hp1 Hq1 Hp2 Hq2.
  set (m1 := p1 - excess E1 p1 q1). set (m2 := p2 - excess E2 p2 q2).
  assert (M1 : 0 <= m1 <= E1 * q1) by (unfold m1, excess, Rmax; destruct (Rle_dec 0 _); lra).
  assert (M2 : 0 <= m2 <= E2 * q2) by (unfold m2, excess, Rmax; destruct (Rle_dec 0 _); lra).
  assert (X1 := excess_nonneg E1 p1 q1). assert (X2 := excess_nonneg E2 p2 q2).
  assert (m1 * m2 <= E1 * q1 * (E2 * q2)) by (apply Rmult_le_compat; lra).
  assert (m1 * excess E2 p2 q2 <= p1 * excess E2 p2 q2) by (apply Rmult_le_compat_r; unfold m1; lra).
  assert (0 <= excess E1 p1 q1 * p2) by (apply Rmult_le_pos; lra).
  assert (0 <= p1 * excess E2 p2 q2) by (apply Rmult_le_pos; lra).
  assert (p1 * p2 = m1 * m2 + excess E1 p1 q1 * p2 + m1 * excess E2 p2 q2) by (unfold m1, m2; ring).
  apply Rmax_lub; lra.
Qed.

(** ** Pairs *)

Theorem composition {A B} (P1 Q1 : A -> R) (P2 Q2 : B -> R) E1 E2 d1 d2 :
  law P1 -> law Q1 -> law P2 -> law Q2 -> 0 <= E1 -> 0 <= E2 ->
  mass_below P1 Q1 E1 d1 -> mass_below P2 Q2 E2 d2 ->
  mass_below (pair_mass P1 P2) (pair_mass Q1 Q2) (E1 * E2) (d1 + d2).
Proof.
  intros L1 K1 L2 K2 HE1 HE2 H1 H2. apply excess_mass_below. intros l N.
  set (e1 := fun a => excess E1 (P1 a) (Q1 a)). set (e2 := fun b => excess E2 (P2 b) (Q2 b)).
  apply Rle_trans with (total l (fun x => pair_mass e1 P2 x + pair_mass P1 e2 x)).
  - apply total_le. intros [a b] _. apply excess_of_product; simpl.
    + apply (proj1 L1).
    + apply Rmult_le_pos; [exact HE1 | apply (proj1 K1)].
    + apply (proj1 L2).
    + apply Rmult_le_pos; [exact HE2 | apply (proj1 K2)].
  - apply total_pairs_le; try assumption.
    + intros a. apply excess_nonneg.
    + intros b. apply excess_nonneg.
    + intros u Nu. apply mass_below_excess; assumption.
    + intros v Nv. apply mass_below_excess; assumption.
Qed.

(** The second release may depend on the outcome of the first: whatever that is, K is (E2, d2)-below L. *)
Theorem adaptive_releases {A B} (P Q : A -> R) (K L : A -> B -> R) E1 E2 d1 d2 :
  law P -> law Q -> (forall a, law (K a)) -> (forall a, law (L a)) -> 0 <= E1 -> 0 <= E2 -> 0 <= d2 ->
  mass_below P Q E1 d1 -> (forall a, mass_below (K a) (L a) E2 d2) ->
  mass_below (fun ab => P (fst ab) * K (fst ab) (snd ab)) (fun ab => Q (fst ab) * L (fst ab) (snd ab))
    (E1 * E2) (d1 + d2).
Proof.
  intros LP LQ LK LL HE1 HE2 Hd2 H1 H2. apply excess_mass_below. intros l N.
  set (e1 := fun a => excess E1 (P a) (Q a)). set (e2 := fun a b => excess E2 (K a b) (L a b)).
  set (bound := fun ab => e1 (fst ab) * K (fst ab) (snd ab) + P (fst ab) * e2 (fst ab) (snd ab)).
  assert (Pos : forall ab, 0 <= bound ab).
  { intros [a b]. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply excess_nonneg.
    - apply (proj1 (LK a)).
    - apply (proj1 LP). }
  apply Rle_trans with (total l bound).
  - apply total_le. intros [a b] _. apply excess_of_product; simpl.
    + apply (proj1 LP).
    + apply Rmult_le_pos; [exact HE1 | apply (proj1 LQ)].
    + apply (proj1 (LK a)).
    + apply Rmult_le_pos; [exact HE2 | apply (proj1 (LL a))].
  - destruct (inside_box l) as [u [v [Nu [Nv I]]]].
    apply Rle_trans with (total (list_prod u v) bound); [apply total_incl; auto |].
    rewrite total_prod. apply Rle_trans with (total u (fun a => e1 a + P a * d2)).
    + apply total_le. intros a _. unfold bound. simpl. rewrite total_plus, !total_scal.
      apply Rplus_le_compat.
      * rewrite <- (Rmult_1_r (e1 a)) at 2. apply Rmult_le_compat_l; [apply excess_nonneg |].
        apply law_finite; [apply LK | exact Nv].
      * apply Rmult_le_compat_l; [apply (proj1 LP) |]. apply mass_below_excess; [apply H2 | exact Nv].
    + rewrite total_plus, total_scal_r. apply Rplus_le_compat; [apply mass_below_excess; assumption |].
      rewrite <- (Rmult_1_l d2) at 2. apply Rmult_le_compat_r; [exact Hd2 | apply law_finite; assumption].
Qed.

(** For all events of pairs, finite or not, as probabilities. *)
Lemma composition_all_events {A B} (P1 Q1 : A -> R) (P2 Q2 : B -> R) eps1 eps2 d1 d2 :
  law P1 -> law Q1 -> law P2 -> law Q2 ->
  mass_below P1 Q1 (exp eps1) d1 -> mass_below P2 Q2 (exp eps2) d2 ->
  forall T p q, mass_of (pair_mass P1 P2) T p -> mass_of (pair_mass Q1 Q2) T q ->
  p <= exp (eps1 + eps2) * q + (d1 + d2).
Proof.
  intros L1 K1 L2 K2 H1 H2. apply mass_below_all_events; [left; apply exp_pos |].
  rewrite exp_plus. apply composition; try assumption; left; apply exp_pos.
Qed.

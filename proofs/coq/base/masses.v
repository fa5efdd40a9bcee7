(** Laws with infinitely many outcomes, by their masses, and the one passage to the limit.

    A law on a type A, finite or infinite, is given by its mass function D : A -> R. The probability of
    an event is the least upper bound of the sums over its finite parts, so that privacy may be stated
    and proved for finite sets of outcomes, and holds for all events by one argument about bounds. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums.
Import ListNotations.
Open Scope R_scope.

(** [mass_of D T p]: the event T has the probability p under D. *)
Definition mass_of {A} (D : A -> R) (T : A -> Prop) (p : R) : Prop :=
  is_lub (fun s => exists l, NoDup l /\ (forall a, In a l -> T a) /\ s = total l D) p.

(** D is a law: no mass is negative, and the masses of all outcomes add up to 1. *)
Definition law {A} (D : A -> R) : Prop :=
  (forall a, 0 <= D a) /\ mass_of D (fun _ => True) 1.

(** P is (E, delta)-below Q on every finite set of outcomes. *)
Definition mass_below {A} (P Q : A -> R) (E delta : R) : Prop :=
  forall l, NoDup l -> total l P <= E * total l Q + delta.

Lemma law_finite {A} (D : A -> R) l : law D -> NoDup l -> total l D <= 1.
Proof. intros [_ [H _]] N. apply H. exists l. auto. Qed.

(** Every event has a probability. *)
Lemma mass_exists {A} (D : A -> R) T : law D -> exists p, mass_of D T p.
Proof.
  intros H. destruct (completeness (fun s => exists l, NoDup l /\ (forall a, In a l -> T a) /\ s = total l D))
    as [p Hp].
  - exists 1. intros s [l [N [_ ->]]]. apply law_finite; assumption.
  - exists 0, []. split; [constructor | split; [intros a [] | reflexivity]].
  - exists p. exact Hp.
Qed.

(** The passage to the limit: what holds for finite sets of outcomes holds for every event. *)
Theorem mass_below_all_events {A} (P Q : A -> R) E delta :
  0 <= E -> mass_below P Q E delta ->
  forall T p q, mass_of P T p -> mass_of Q T q -> p <= E * q + delta.
Proof.
  intros HE H T p q [_ Hp] [Hq _]. apply Hp. intros s [l [N [I ->]]].
  eapply Rle_trans; [apply H, N |]. apply Rplus_le_compat_r, Rmult_le_compat_l; [exact HE |].
  apply Hq. exists l. auto.
Qed.

(** ** Rules for [mass_below] *)

(** It holds if it holds for every single outcome. *)
Lemma mass_below_pointwise {A} (P Q : A -> R) E : (forall a, P a <= E * Q a) -> mass_below P Q E 0.
Proof.
  intros H l _. rewrite Rplus_0_r, <- total_scal. apply total_le. intros a _. apply H.
Qed.

(** E and delta may be replaced by larger ones. *)
Lemma mass_below_weaken {A} (P Q : A -> R) E delta E' delta' :
  (forall a, 0 <= Q a) -> E <= E' -> delta <= delta' ->
  mass_below P Q E delta -> mass_below P Q E' delta'.
Proof.
  intros HQ HE Hd H l N. eapply Rle_trans; [apply H, N |].
  apply Rplus_le_compat; [| exact Hd].
  apply Rmult_le_compat_r; [apply total_nonneg; intros a _; apply HQ | exact HE].
Qed.

(** An event of which every finite part has the mass 0 has the probability 0. *)
Lemma mass_of_zero {A} (D : A -> R) (T : A -> Prop) : (forall a, T a -> D a = 0) -> mass_of D T 0.
Proof.
  intros H. split.
  - intros s [l [_ [I ->]]]. rewrite (total_ext l D (fun _ => 0)), total_zero; [apply Rle_refl |].
    intros a Ha. apply H, I, Ha.
  - intros b Hb. apply Hb. exists []. split; [constructor | split; [intros a [] | reflexivity]].
Qed.

(** A finite event has the sum of its masses. *)
Lemma mass_of_finite {A} (D : A -> R) (l : list A) :
  (forall a, 0 <= D a) -> NoDup l -> mass_of D (fun a => In a l) (total l D).
Proof.
  intros H N. split.
  - intros s [m [Nm [I ->]]]. apply total_incl; [exact Nm | exact I | intros a _; apply H].
  - intros b Hb. apply Hb. exists l. auto.
Qed.

(** Events with the same outcomes have the same probability. *)
Lemma mass_of_ext {A} (D : A -> R) (S T : A -> Prop) p :
  (forall a, S a <-> T a) -> mass_of D S p -> mass_of D T p.
Proof.
  intros H [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists l. split; [exact N |]. split; [| reflexivity].
    intros a Ha. apply H, I, Ha.
  - intros b Hb. apply L. intros s [l [N [I ->]]]. apply Hb. exists l. split; [exact N |].
    split; [| reflexivity]. intros a Ha. apply H, I, Ha.
Qed.

(** Where all outcomes with a mass stand in a finite list, an event has the sum over its part of it. *)
Lemma mass_of_finite_support {A} (eq_dec : forall a b : A, {a = b} + {a <> b})
    (D : A -> R) (support : list A) (T : A -> bool) :
  (forall a, 0 <= D a) -> NoDup support -> (forall a, ~ In a support -> D a = 0) ->
  mass_of D (fun a => T a = true) (total (filter T support) D).
Proof.
  intros H N Z. split.
  - intros s [l [Nl [I ->]]]. set (inside := fun a => if in_dec eq_dec a support then true else false).
    replace (total l D) with (total (filter inside l) D).
    + apply total_incl; [apply NoDup_filter, Nl | | intros a _; apply H].
      intros a Ha. apply filter_In in Ha. destruct Ha as [Ha J]. apply filter_In. split; [| apply I, Ha].
      unfold inside in J. destruct (in_dec eq_dec a support); [assumption | discriminate].
    + rewrite total_filter. apply total_ext. intros a _. unfold inside.
      destruct (in_dec eq_dec a support) as [_ | J]; [reflexivity | symmetry; apply Z, J].
  - intros b Hb. apply Hb. exists (filter T support). split; [apply NoDup_filter, N |].
    split; [intros a Ha; apply filter_In in Ha; apply Ha | reflexivity].
Qed.

Lemma law_of_finite_support {A} (eq_dec : forall a b : A, {a = b} + {a <> b})
    (D : A -> R) (support : list A) :
  (forall a, 0 <= D a) -> NoDup support -> (forall a, ~ In a support -> D a = 0) ->
  total support D = 1 -> law D.
Proof.
  intros H N Z E. split; [exact H |]. apply (mass_of_ext D (fun _ => true = true)); [tauto |].
  replace 1 with (total (filter (fun _ => true) support) D).
  - exact (mass_of_finite_support eq_dec D support (fun _ => true) H N Z).
  - rewrite total_filter. exact E.
Qed.

(** Outcomes without mass may be left out of an event. *)
Lemma mass_of_without_zeros {A} (D : A -> R) (T S : A -> Prop) p :
  (forall a, {S a} + {~ S a}) -> (forall a, ~ S a -> D a = 0) ->
  mass_of D T p -> mass_of D (fun a => T a /\ S a) p.
Proof.
  intros dec Z [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists l. split; [exact N |]. split; [apply I | reflexivity].
  - intros b Hb. apply L. intros s [l [N [I ->]]]. set (inside := fun a => if dec a then true else false).
    apply Hb. exists (filter inside l). split; [apply NoDup_filter, N |]. split.
    + intros a Ha. apply filter_In in Ha. destruct Ha as [Ha J]. split; [apply I, Ha |].
      unfold inside in J. destruct (dec a); [assumption | discriminate].
    + rewrite total_filter. apply total_ext. intros a _. unfold inside.
      destruct (dec a) as [_ | J]; [reflexivity | apply Z, J].
Qed.

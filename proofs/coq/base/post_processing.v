(** Post-processing, with coins of its own, does not raise a divergence.

    If P is (E, delta)-below Q, then so are the laws of what a randomized function K makes of a draw from P
    and from Q:
    - [post_processing] for finite laws, K any program; all real E, delta;
    - [post_processing_hockey_stick], the same as divergences: that of the results is at most that of P
      and Q;
    - [post_processing_masses] for laws with finitely or infinitely many outcomes, K a likewise; E >= 0.
      That the results have laws is [image_law].
    Idea: given the draw a, an event of the result has a probability in [0, 1], and what holds for all
    events of a holds for all functions with values in [0, 1]. (Source: folklore.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums laws privacy masses hockey_stick infinite_sums.
Import ListNotations.
Open Scope R_scope.

Theorem post_processing {A B} (P Q : dist A) (K : A -> dist B) E delta :
  (forall a, proper (K a)) -> below P Q E delta -> below (bind P K) (bind Q K) E delta.
Proof.
  intros HK H T. rewrite !Pr_bind. apply below_mean; [exact H |]. intros a. apply Pr_bounds, HK.
Qed.

Theorem post_processing_hockey_stick {A B} (P Q : dist A) (K : A -> dist B) E :
  (forall a, proper (K a)) -> hockey_stick (bind P K) (bind Q K) E <= hockey_stick P Q E.
Proof.
  intros HK. apply hockey_stick_iff, post_processing; [exact HK | apply below_hockey_stick].
Qed.

(** A mechanism. *)
Theorem dp_post_processing {X A B} n (M : list X -> dist A) (K : A -> dist B) eps delta :
  (forall a, proper (K a)) -> dp n M eps delta -> dp n (fun xs => bind (M xs) K) eps delta.
Proof. intros HK H xs ys N L. apply post_processing; [exact HK | apply H; assumption]. Qed.

(** ** Laws given by masses *)

(** The result b has the mass R b: the sum over all a of P a K(a, b). *)
Definition image {A B} (P : A -> R) (K : A -> B -> R) (R : B -> Rdefinitions.R) : Prop :=
  forall b, sum_of (fun a => P a * K a b) (R b).

(** The results have a law. *)
Lemma image_law {A B} (P : A -> R) (K : A -> B -> R) R :
  law P -> (forall a, law (K a)) -> image P K R -> law R.
Proof.
  intros LP LK I. assert (N : forall a b, 0 <= P a * K a b).
  { intros a b. apply Rmult_le_pos; [apply (proj1 LP) | apply (proj1 (LK a))]. }
  apply law_sum_of. split; [intros b; apply (sum_of_nonneg _ _ (I b)) |].
  apply (double_sum (fun a b => P a * K a b) P R 1 N); [| exact I | apply law_sum_of, LP].
  intros a. assert (S : sum_of (fun b => P a * K a b) (P a * 1)).
  { apply sum_of_scal; [apply (proj1 LP) | apply law_sum_of, LK]. }
  rewrite Rmult_1_r in S. exact S.
Qed.

(** From finite events to functions with values in [0, 1]. *)
Lemma mass_below_mean {A} (P Q : A -> R) E delta f l :
  mass_below P Q E delta -> NoDup l -> (forall a, 0 <= f a <= 1) ->
  total l (fun a => P a * f a) <= E * total l (fun a => Q a * f a) + delta.
Proof.
  intros H N F. assert (B := proj1 (mass_hockey_stick_iff P Q E delta) H l N).
  assert (total l (fun a => P a * f a - E * (Q a * f a)) <= total l (fun a => Rmax 0 (P a - E * Q a))) as L.
  { apply total_le. intros a _. replace (P a * f a - E * (Q a * f a)) with ((P a - E * Q a) * f a) by ring.
    specialize (F a). apply Rle_trans with (Rmax 0 (P a - E * Q a) * f a).
    - apply Rmult_le_compat_r; [lra | apply Rmax_r].
    - rewrite <- (Rmult_1_r (Rmax 0 _)) at 2. apply Rmult_le_compat_l; [apply Rmax_l | lra]. }
  rewrite total_minus, total_scal in L. lra.
Qed.

Theorem post_processing_masses {A B} (P Q : A -> R) (K : A -> B -> R) PK QK E delta :
  law P -> law Q -> (forall a, law (K a)) -> 0 <= E -> image P K PK -> image Q K QK ->
  mass_below P Q E delta -> mass_below PK QK E delta.
Proof.
  intros LP LQ LK HE IP IQ H m Nm. set (f := fun a => total m (K a)).
  assert (F : forall a, 0 <= f a <= 1).
  { intros a. split; [| apply law_finite; [apply LK | exact Nm]].
    apply total_nonneg. intros b _. apply (proj1 (LK a)). }
  assert (S : forall D DK, law D -> image D K DK -> sum_of (fun a => D a * f a) (total m DK)).
  { intros D DK LD I. apply (sum_of_ext (fun a => total m (fun b => D a * K a b))).
    - intros a. apply total_scal.
    - apply (sum_of_total (fun b a => D a * K a b)); [| exact I].
      intros b a. apply Rmult_le_pos; [apply (proj1 LD) | apply (proj1 (LK a))]. }
  apply (sum_of_least _ _ _ (S P PK LP IP)). intros l Nl.
  eapply Rle_trans; [apply (mass_below_mean P Q E delta f l H Nl F) |].
  apply Rplus_le_compat_r, Rmult_le_compat_l; [exact HE |].
  apply (sum_of_upper _ _ l (S Q QK LQ IQ) Nl).
Qed.

(** The hockey-stick is jointly convex and jointly quasi-convex in the two laws.

    Mix pairs of laws (P_i, Q_i), with the same finite law W of i on both sides. The hockey-stick of the two
    mixtures is at most the mean of the hockey-sticks of the pairs (mixtures.v, mixture_hockey_stick), so:

    - for two pairs and a weight t in [0, 1] it is at most t H(P, Q) + (1 - t) H(P', Q') ([joint_convexity]);
    - it is at most that of some pair that has a positive weight ([joint_quasi_convexity]): a mixture of data sets is
      no worse than the worst of them.
    - Mixtures of laws that are given by their masses, with infinitely many outcomes perhaps, are (E, delta)-below
      each other if every pair is with a delta_i of its own, and delta is the mean of the delta_i
      ([joint_convexity_masses]).

    Every real E. Idea: an event has in a mixture the mean of its probabilities.

    Source: folklore. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import reals sums laws privacy masses hockey_stick mixtures.
Import ListNotations.
Open Scope R_scope.

(** Draw from P with probability t, else from P'. *)
Definition mixture {A} (t : R) (P P' : dist A) : dist A := bind (coin t) (fun first => if first then P else P').

Theorem joint_convexity {A} t (P Q P' Q' : dist A) E :
  0 <= t <= 1 ->
  hockey_stick (mixture t P P') (mixture t Q Q') E <= t * hockey_stick P Q E + (1 - t) * hockey_stick P' Q' E.
Proof.
  intros Ht. unfold mixture.
  eapply Rle_trans; [apply mixture_hockey_stick, proper_coin, Ht | rewrite mean_coin; apply Rle_refl].
Qed.

(** A mean is at most a value that is drawn. *)
Lemma total_below_values {I} (V : list (R * I)) (f : I -> R) m :
  (forall wi, In wi V -> 0 <= fst wi) -> (forall wi, In wi V -> 0 < fst wi -> f (snd wi) < m) ->
  total V (fun wi => fst wi * (m - f (snd wi))) <= 0 -> total V fst <= 0.
Proof.
  induction V as [| wi V IH]; intros HV B; simpl; [lra |]. intros H.
  assert (Rest : 0 <= total V (fun wi => fst wi * (m - f (snd wi)))).
  { apply total_nonneg. intros vj J. destruct (HV vj (or_intror J)) as [P | <-]; [| lra].
    apply Rmult_le_pos; [lra |]. assert (X := B vj (or_intror J) P). lra. }
  destruct (HV wi (or_introl eq_refl)) as [P | Z].
  - assert (X := B wi (or_introl eq_refl) P).
    assert (0 < fst wi * (m - f (snd wi))) by (apply Rmult_lt_0_compat; lra). lra.
  - rewrite <- Z, Rmult_0_l, Rplus_0_l in *. apply IH; [| | exact H]; intros vj J; [apply HV | apply B]; right; exact J.
Qed.

Lemma mean_attained {I} (W : dist I) (f : I -> R) :
  proper W -> exists wi, In wi W /\ 0 < fst wi /\ mean W f <= f (snd wi).
Proof.
  intros [HW One].
  destruct (Classical_Prop.classic (exists wi, In wi W /\ 0 < fst wi /\ mean W f <= f (snd wi)))
    as [Y | N]; [exact Y | exfalso].
  assert (One' : total W fst = 1).
  { rewrite <- One. apply total_ext. intros. ring. }
  assert (total W fst <= 0); [| lra]. apply (total_below_values W f (mean W f) HW).
  - intros wi J H. apply Rnot_le_lt. intros L. apply N. exists wi. auto.
  - right. transitivity (total W (fun wi => mean W f * fst wi - fst wi * f (snd wi))).
    + apply total_ext. intros. ring.
    + rewrite total_minus, total_scal, One'. unfold mean. ring.
Qed.

Theorem joint_quasi_convexity {I A} (W : dist I) (P Q : I -> dist A) E :
  proper W -> exists wi, In wi W /\ 0 < fst wi /\
  hockey_stick (bind W P) (bind W Q) E <= hockey_stick (P (snd wi)) (Q (snd wi)) E.
Proof.
  intros HW. destruct (mean_attained W (fun i => hockey_stick (P i) (Q i) E) HW) as [wi [J [Pos H]]].
  exists wi. split; [exact J | split; [exact Pos |]].
  eapply Rle_trans; [apply mixture_hockey_stick, HW | exact H].
Qed.

Theorem joint_convexity_masses {I A} (W : dist I) (P Q : I -> A -> R) (delta : I -> R) E :
  proper W -> (forall i, mass_below (P i) (Q i) E (delta i)) ->
  mass_below (fun a => mean W (fun i => P i a)) (fun a => mean W (fun i => Q i a)) E (mean W delta).
Proof.
  intros HW H l N.
  assert (Swap : forall D : I -> A -> R, total l (fun a => mean W (fun i => D i a)) = mean W (fun i => total l (D i))).
  { intros D. unfold mean. rewrite total_swap. apply total_ext. intros wi _. apply total_scal. }
  rewrite !Swap, <- mean_scal, <- mean_plus. apply mean_le; [exact HW |]. intros i. apply H, N.
Qed.

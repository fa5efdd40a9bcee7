(** The hockey-stick divergence, and what a certificate says.

    For finite laws P and Q (an outcome may stand in a law more than once, its weights add up) and a
    real number E,

      [hockey_stick P Q E] = sum over the outcomes a of max(0, P(a) - E Q(a)).

    It is the largest excess P[T] - E Q[T] over all events T, attained at the outcomes a with
    P(a) > E Q(a). So P is (E, delta)-below Q if and only if the hockey-stick is at most delta. It does
    not grow with E, so a number on the right side of e^eps decides privacy at eps: a lower bound of
    e^eps where it is to be proved, an upper bound where it is to be refuted.

    Nothing is assumed of P, Q, E and delta but what the statements say: E of either sign, delta too.

    Consequences: events may be replaced by functions with values in [0, 1]; two steps, the second with
    its own coins and depending on the outcome of the first, compose (E1 E2, delta1 + delta2).

    Source: folklore; the certificates are this package's. *)

From Coq Require Import Reals List Lra Classical_Prop ClassicalDedekindReals.
From Exactdp Require Import reals sums laws privacy masses.
Import ListNotations.
Open Scope R_scope.

(** ** Masses of outcomes *)

(** Whether a proposition holds, by excluded middle: outcomes may be of any type. *)
Definition decide (H : Prop) : {H} + {~ H} :=
  match sig_not_dec H with
  | left not_not => left (NNPP H not_not)
  | right no => right no
  end.

Definition same {A} (a b : A) : {a = b} + {a <> b} := decide (a = b).

(** The probability of the outcome a. *)
Definition mass {A} (d : dist A) (a : A) : R := Pr d (fun b => if same b a then true else false).

(** The outcomes of two laws, each once. *)
Definition outcomes {A} (P Q : dist A) : list A := nodup same (map snd (P ++ Q)).

Definition hockey_stick {A} (P Q : dist A) (E : R) : R :=
  total (outcomes P Q) (fun a => Rmax 0 (mass P a - E * mass Q a)).

Lemma mass_nonneg {A} (d : dist A) a : proper d -> 0 <= mass d a.
Proof. intros H. apply Pr_bounds, H. Qed.

(** A list covers a law if each of its outcomes is in it. *)
Definition covers {A} (l : list A) (d : dist A) : Prop := forall wa, In wa d -> In (snd wa) l.

Lemma outcomes_NoDup {A} (P Q : dist A) : NoDup (outcomes P Q).
Proof. apply NoDup_nodup. Qed.

Lemma outcomes_cover {A} (P Q : dist A) : covers (outcomes P Q) P /\ covers (outcomes P Q) Q.
Proof.
  split; intros wa I; apply nodup_In, in_map, in_or_app; auto.
Qed.

(** A mean is the sum of masses times values. *)
Lemma mean_masses {A} (d : dist A) (l : list A) f :
  NoDup l -> covers l d -> mean d f = total l (fun a => mass d a * f a).
Proof.
  intros N C. unfold mass, Pr, mean.
  rewrite (total_ext l _
    (fun a => total d (fun wa => if same (snd wa) a then fst wa * f (snd wa) else 0))).
  - rewrite total_swap. apply total_ext. intros wa I.
    symmetry. apply (total_single same); [exact N | apply C, I].
  - intros a _. rewrite <- total_scal_r. apply total_ext. intros wa _. unfold indicator.
    destruct (same (snd wa) a) as [-> |]; ring.
Qed.

(** ** The largest excess of an event *)

Section ListedOutcomes.

  Context {A : Type} (P Q : dist A) (E : R) (l : list A).
  Hypothesis l_once : NoDup l.
  Hypothesis l_covers_P : covers l P.
  Hypothesis l_covers_Q : covers l Q.

  Lemma excess_masses f : mean P f - E * mean Q f = total l (fun a => (mass P a - E * mass Q a) * f a).
  Proof.
    rewrite (mean_masses P l), (mean_masses Q l) by assumption.
    rewrite <- total_scal, <- total_minus. apply total_ext. intros. ring.
  Qed.

  (** No function with values in [0, 1], so no event, has a larger excess than the hockey-stick. *)
  Lemma excess_le f :
    (forall a, 0 <= f a <= 1) ->
    mean P f - E * mean Q f <= total l (fun a => Rmax 0 (mass P a - E * mass Q a)).
  Proof.
    intros F. rewrite excess_masses. apply total_le. intros a _. specialize (F a).
    apply Rle_trans with (Rmax 0 (mass P a - E * mass Q a) * f a).
    - apply Rmult_le_compat_r; [lra | apply Rmax_r].
    - rewrite <- (Rmult_1_r (Rmax 0 _)) at 2. apply Rmult_le_compat_l; [apply Rmax_l | lra].
  Qed.

  (** One event has this excess. *)
  Definition best_event (a : A) : bool := Rltb 0 (mass P a - E * mass Q a).

  Lemma excess_best :
    Pr P best_event - E * Pr Q best_event = total l (fun a => Rmax 0 (mass P a - E * mass Q a)).
  Proof.
    unfold Pr. rewrite excess_masses. apply total_ext. intros a _. unfold indicator, best_event, Rltb.
    destruct (Rlt_dec 0 (mass P a - E * mass Q a)) as [H | H].
    - rewrite Rmax_right; lra.
    - rewrite Rmax_left; lra.
  Qed.

End ListedOutcomes.

(** The hockey-stick may be computed over any list of outcomes that has all of them. *)
Lemma hockey_stick_listed {A} (P Q : dist A) E (l : list A) :
  NoDup l -> covers l P -> covers l Q ->
  hockey_stick P Q E = total l (fun a => Rmax 0 (mass P a - E * mass Q a)).
Proof.
  intros N CP CQ. destruct (outcomes_cover P Q) as [OP OQ].
  rewrite <- (excess_best P Q E l) by assumption. symmetry.
  apply excess_best; [apply outcomes_NoDup | assumption | assumption].
Qed.

Lemma hockey_stick_best {A} (P Q : dist A) E :
  Pr P (best_event P Q E) - E * Pr Q (best_event P Q E) = hockey_stick P Q E.
Proof. apply excess_best; [apply outcomes_NoDup | apply outcomes_cover | apply outcomes_cover]. Qed.

Lemma mean_le_hockey_stick {A} (P Q : dist A) E f :
  (forall a, 0 <= f a <= 1) -> mean P f - E * mean Q f <= hockey_stick P Q E.
Proof. apply excess_le; [apply outcomes_NoDup | apply outcomes_cover | apply outcomes_cover]. Qed.

Lemma indicator_bounds {A} (T : A -> bool) a : 0 <= indicator T a <= 1.
Proof. unfold indicator. destruct (T a); lra. Qed.

(** All events at once: the hockey-stick is the least delta. *)
Theorem hockey_stick_iff {A} (P Q : dist A) E delta :
  below P Q E delta <-> hockey_stick P Q E <= delta.
Proof.
  split.
  - intros H. rewrite <- hockey_stick_best. specialize (H (best_event P Q E)). lra.
  - intros H T. assert (X := mean_le_hockey_stick P Q E (indicator T) (indicator_bounds T)).
    unfold Pr. lra.
Qed.

Lemma hockey_stick_nonneg {A} (P Q : dist A) E : 0 <= hockey_stick P Q E.
Proof. apply total_nonneg. intros a _. apply Rmax_l. Qed.

Lemma below_hockey_stick {A} (P Q : dist A) E : below P Q E (hockey_stick P Q E).
Proof. apply hockey_stick_iff, Rle_refl. Qed.

(** From events to functions with values in [0, 1]. *)
Lemma below_mean {A} (P Q : dist A) E delta f :
  below P Q E delta -> (forall a, 0 <= f a <= 1) -> mean P f <= E * mean Q f + delta.
Proof.
  intros H F. apply hockey_stick_iff in H. assert (X := mean_le_hockey_stick P Q E f F). lra.
Qed.

(** ** Trivial cases *)

(** The empty event shows that delta is not negative. *)
Lemma below_delta_nonneg {A} (P Q : dist A) E delta : below P Q E delta -> 0 <= delta.
Proof. intros H. apply hockey_stick_iff in H. assert (X := hockey_stick_nonneg P Q E). lra. Qed.

Lemma below_refl {A} (P : dist A) E delta : proper P -> 1 <= E -> 0 <= delta -> below P P E delta.
Proof.
  intros HP HE Hd T. assert (X := Pr_bounds P T HP).
  assert (0 <= (E - 1) * Pr P T) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma below_weaken {A} (P Q : dist A) E F delta eta :
  proper Q -> E <= F -> delta <= eta -> below P Q E delta -> below P Q F eta.
Proof.
  intros HQ HE Hd H T. specialize (H T). assert (X := Pr_bounds Q T HQ).
  assert (E * Pr Q T <= F * Pr Q T) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** Laws with the same means may replace each other. *)
Lemma below_same_law {A} (P P' Q Q' : dist A) E delta :
  same_law P P' -> same_law Q Q' -> below P Q E delta -> below P' Q' E delta.
Proof. intros HP HQ H T. unfold Pr. rewrite <- HP, <- HQ. apply H. Qed.

(** ** Certificates *)

Theorem hockey_stick_monotone {A} (P Q : dist A) E F :
  proper Q -> E <= F -> hockey_stick P Q F <= hockey_stick P Q E.
Proof.
  intros HQ HE. apply hockey_stick_iff, below_weaken with (E := E) (delta := hockey_stick P Q E).
  - exact HQ.
  - exact HE.
  - apply Rle_refl.
  - apply below_hockey_stick.
Qed.

(** A bound of the hockey-stick at a number L that is at most e^eps proves privacy at eps. *)
Theorem certificate_proves {A} (P Q : dist A) L eps delta :
  proper Q -> L <= exp eps -> hockey_stick P Q L <= delta -> below P Q (exp eps) delta.
Proof.
  intros HQ HL H. apply hockey_stick_iff.
  apply Rle_trans with (hockey_stick P Q L); [apply hockey_stick_monotone; assumption | exact H].
Qed.

(** A hockey-stick above delta at a number U that is at least e^eps refutes it: an event violates it. *)
Theorem certificate_refutes {A} (P Q : dist A) U eps delta :
  proper Q -> exp eps <= U -> delta < hockey_stick P Q U ->
  exists T, exp eps * Pr Q T + delta < Pr P T.
Proof.
  intros HQ HU H. exists (best_event P Q (exp eps)).
  assert (X := hockey_stick_best P Q (exp eps)).
  assert (Y := hockey_stick_monotone P Q (exp eps) U HQ HU). lra.
Qed.

(** The same for laws that are given by their masses, with finitely or infinitely many outcomes. *)
Lemma mass_hockey_stick_iff {A} (P Q : A -> R) E delta :
  mass_below P Q E delta <->
  forall l, NoDup l -> total l (fun a => Rmax 0 (P a - E * Q a)) <= delta.
Proof.
  split; intros H l N.
  - pose (T := fun a => Rltb 0 (P a - E * Q a)).
    assert (X := H (filter T l) (NoDup_filter T N)).
    enough (Y : total l (fun a => Rmax 0 (P a - E * Q a)) = total (filter T l) P - E * total (filter T l) Q)
      by lra.
    rewrite <- total_scal, <- total_minus, total_filter. apply total_ext. intros a _.
    unfold T, Rltb. destruct (Rlt_dec 0 (P a - E * Q a)); [apply Rmax_right | apply Rmax_left]; lra.
  - specialize (H l N).
    enough (total l (fun a => P a - E * Q a) <= total l (fun a => Rmax 0 (P a - E * Q a)))
      by (rewrite total_minus, total_scal in *; lra).
    apply total_le. intros a _. apply Rmax_r.
Qed.

(** ** Basic composition *)

(** A second step K, that may depend on the outcome of the first: if its laws are below those of L by
    (E2, d2) whatever the first outcome is, both steps are by (E1 E2, d1 + d2). Of the excess of the
    second step d2 is put aside; what remains is at most min(1, E2 L(T)), a function with values in
    [0, 1], to which the first step applies. *)
Theorem below_bind {A B} (P Q : dist A) (K L : A -> dist B) E1 E2 d1 d2 :
  proper P -> proper Q -> (forall a, proper (K a)) -> (forall a, proper (L a)) -> 0 <= E1 -> 0 <= E2 ->
  below P Q E1 d1 -> (forall a, below (K a) (L a) E2 d2) ->
  below (bind P K) (bind Q L) (E1 * E2) (d1 + d2).
Proof.
  intros HP HQ HK HL HE1 HE2 H1 H2 T. rewrite !Pr_bind.
  pose (g := fun a => Rmin 1 (E2 * Pr (L a) T)).
  assert (G : forall a, 0 <= g a <= 1).
  { intros a. split; [| apply Rmin_l]. apply Rmin_glb; [lra |].
    apply Rmult_le_pos; [exact HE2 | apply Pr_bounds, HL]. }
  assert (X : mean P (fun a => Pr (K a) T) <= mean P (fun a => g a + d2)).
  { apply mean_le; [exact HP |]. intros a.
    assert (D := below_delta_nonneg _ _ _ _ (H2 a)). assert (S := H2 a T).
    assert (O := Pr_bounds (K a) T (HK a)). unfold g. apply Rmin_case; lra. }
  rewrite mean_plus, (mean_const P d2 HP) in X.
  assert (Y := below_mean P Q E1 d1 g H1 G).
  assert (Z : mean Q g <= E2 * mean Q (fun a => Pr (L a) T)).
  { rewrite <- mean_scal. apply mean_le; [exact HQ |]. intros a. apply Rmin_r. }
  apply (Rmult_le_compat_l E1) in Z; [lra | exact HE1].
Qed.

(** Two draws that do not depend on each other. *)
Definition independent {A B} (P : dist A) (Q : dist B) : dist (A * B) :=
  bind P (fun a => dmap (fun b => (a, b)) Q).

Lemma proper_independent {A B} (P : dist A) (Q : dist B) :
  proper P -> proper Q -> proper (independent P Q).
Proof. intros HP HQ. apply proper_bind; [exact HP |]. intros a. apply proper_dmap, HQ. Qed.

Theorem below_product {A B} (P1 Q1 : dist A) (P2 Q2 : dist B) E1 E2 d1 d2 :
  proper P1 -> proper Q1 -> proper P2 -> proper Q2 -> 0 <= E1 -> 0 <= E2 ->
  below P1 Q1 E1 d1 -> below P2 Q2 E2 d2 ->
  below (independent P1 P2) (independent Q1 Q2) (E1 * E2) (d1 + d2).
Proof.
  intros HP1 HQ1 HP2 HQ2 HE1 HE2 H1 H2.
  apply below_bind; auto; intros a; [apply proper_dmap, HP2 | apply proper_dmap, HQ2 |].
  apply below_dmap, H2.
Qed.

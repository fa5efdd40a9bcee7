(** What one event, or what Q cannot show, says about smaller e^eps and about every e^eps.

    1. An event below forbids smaller e^eps. Let S be the event {P >= E Q} and H_E the hockey-stick. Then
       P[S] - E Q[S] = H_E ([event_attains]); and if Q[S] > 0, every E' < E has a hockey-stick above H_E
       ([event_forbids_smaller]), E' of either sign. For laws with infinitely many outcomes: an event with
       P[S] - E Q[S] = delta and Q[S] > 0 refutes (E', delta) for every 0 <= E' < E
       ([event_forbids_smaller_infinite]). If Q[S] = 0, a smaller E may do.

    2. What Q cannot show is lost at every e^eps. The outcomes without mass under Q have at most the
       probability H_E under P, for every real E ([lost]); exactly H_E, if P <= E Q at every other outcome
       ([lost_exactly]), which holds for all large E ([ratios_are_bounded]). So for a finite family of
       pairs: "for no eps >= 0 and no delta below delta_below are all pairs (e^eps, delta)-below" if and
       only if some pair has P[Q = 0] >= delta_below ([never_private]; every delta_below).

    The functions compare_divergence, Privacy.check_attained and NeverDP of
    exactdp/checker/ rest on it. Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick.
Import ListNotations.
Open Scope R_scope.

(** ** The event {P >= E Q} *)

Definition at_least_ratio {A} (P Q : dist A) (E : R) (a : A) : bool := Rleb (E * mass Q a) (mass P a).

Lemma event_attains {A} (P Q : dist A) E :
  Pr P (at_least_ratio P Q E) - E * Pr Q (at_least_ratio P Q E) = hockey_stick P Q E.
Proof.
  unfold Pr. rewrite (excess_masses P Q E (outcomes P Q)); try apply outcomes_cover.
  - unfold hockey_stick. apply total_ext. intros a _. unfold indicator, at_least_ratio, Rleb.
    destruct (Rle_dec _ _); [rewrite Rmax_right | rewrite Rmax_left]; lra.
  - apply outcomes_NoDup.
Qed.

Theorem event_forbids_smaller {A} (P Q : dist A) E E' :
  0 < Pr Q (at_least_ratio P Q E) -> E' < E -> hockey_stick P Q E < hockey_stick P Q E'.
Proof.
  intros HQ L. rewrite <- event_attains. set (S := at_least_ratio P Q E) in *.
  assert (X := proj2 (hockey_stick_iff P Q E' _) (Rle_refl _) S).
  assert (E' * Pr Q S < E * Pr Q S) by (apply Rmult_lt_compat_r; assumption). lra.
Qed.

Theorem event_forbids_smaller_infinite {A} (P Q : A -> R) (S : A -> Prop) p q E E' delta :
  mass_of P S p -> mass_of Q S q -> p - E * q = delta -> 0 < q -> 0 <= E' < E ->
  ~ mass_below P Q E' delta.
Proof.
  intros HP HQ HD Hq [H0 H1] B. assert (X := mass_below_all_events P Q E' delta H0 B S p q HP HQ).
  assert (E' * q < E * q) by (apply Rmult_lt_compat_r; assumption). lra.
Qed.

(** ** What Q cannot show *)

Definition not_shown {A} (Q : dist A) (a : A) : bool := if Req_EM_T (mass Q a) 0 then true else false.

Lemma not_shown_Q {A} (P Q : dist A) : Pr Q (not_shown Q) = 0.
Proof.
  unfold Pr. rewrite (mean_masses Q (outcomes P Q)); [| apply outcomes_NoDup | apply outcomes_cover].
  rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
  intros a _. unfold indicator, not_shown. destruct (Req_EM_T _ _) as [-> |]; ring.
Qed.

Theorem lost {A} (P Q : dist A) E : Pr P (not_shown Q) <= hockey_stick P Q E.
Proof.
  assert (X := proj2 (hockey_stick_iff P Q E _) (Rle_refl _) (not_shown Q)).
  rewrite (not_shown_Q P Q) in X. lra.
Qed.

Theorem lost_exactly {A} (P Q : dist A) E :
  proper P -> (forall a, mass Q a <> 0 -> mass P a <= E * mass Q a) ->
  hockey_stick P Q E = Pr P (not_shown Q).
Proof.
  intros HP H. apply Rle_antisym; [| apply lost].
  replace (Pr P (not_shown Q)) with (Pr P (not_shown Q) - E * Pr Q (not_shown Q))
    by (rewrite (not_shown_Q P Q); ring).
  unfold Pr. rewrite (excess_masses P Q E (outcomes P Q));
    [| apply outcomes_NoDup | apply outcomes_cover | apply outcomes_cover].
  apply total_le. intros a _. unfold indicator, not_shown. destruct (Req_EM_T _ _) as [Z | N].
  - assert (X := mass_nonneg P a HP). rewrite Z. rewrite Rmax_right; lra.
  - specialize (H a N). rewrite Rmax_left; lra.
Qed.

(** Beyond some number every E is as large as all ratios. *)
Lemma ratios_are_bounded_on {A} (P Q : dist A) (l : list A) :
  proper Q -> exists B, forall E, B <= E -> forall a, In a l -> mass Q a <> 0 -> mass P a <= E * mass Q a.
Proof.
  intros HQ. induction l as [| b l [B H]]; [exists 0; intros E _ a [] |].
  exists (Rmax B (mass P b / mass Q b)). intros E L a [<- | I] N.
  - assert (X := mass_nonneg Q b HQ). assert (Y := Rmax_r B (mass P b / mass Q b)).
    replace (mass P b) with (mass P b / mass Q b * mass Q b) by (field; exact N).
    apply Rmult_le_compat_r; lra.
  - apply H; [| exact I | exact N]. eapply Rle_trans; [apply Rmax_l | exact L].
Qed.

Lemma mass_outside {A} (d : dist A) (l : list A) a : covers l d -> ~ In a l -> mass d a = 0.
Proof.
  intros C N. unfold mass, Pr, mean. rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |].
  intros wa I. unfold indicator. destruct (same (snd wa) a) as [<- |]; [| ring].
  exfalso. apply N, C, I.
Qed.

Lemma ratios_are_bounded {A} (P Q : dist A) :
  proper Q -> exists B, forall E, B <= E -> forall a, mass Q a <> 0 -> mass P a <= E * mass Q a.
Proof.
  intros HQ. destruct (ratios_are_bounded_on P Q (outcomes P Q) HQ) as [B H]. exists B.
  intros E L a N. apply (H E L a); [| exact N].
  destruct (in_dec same a (outcomes P Q)) as [I | I]; [exact I | exfalso; apply N].
  revert I. apply mass_outside, outcomes_cover.
Qed.

(** Finitely many pairs: one E for which each has lost exactly what its Q cannot show. *)
Lemma all_lost_exactly {A} (pairs : list (dist A * dist A)) :
  (forall PQ, In PQ pairs -> proper (fst PQ) /\ proper (snd PQ)) ->
  exists B, forall E, B <= E -> forall PQ, In PQ pairs ->
  hockey_stick (fst PQ) (snd PQ) E = Pr (fst PQ) (not_shown (snd PQ)).
Proof.
  induction pairs as [| [P Q] pairs IH]; intros H; [exists 0; intros E _ PQ [] |].
  destruct IH as [B HB]; [intros PQ I; apply H; right; exact I |].
  destruct (H (P, Q) (or_introl eq_refl)) as [HP HQ]. destruct (ratios_are_bounded P Q HQ) as [C HC].
  exists (Rmax B C). intros E L PQ [<- | I].
  - apply lost_exactly; [exact HP |]. apply HC. eapply Rle_trans; [apply Rmax_r | exact L].
  - apply HB; [| exact I]. eapply Rle_trans; [apply Rmax_l | exact L].
Qed.

(** The largest of finitely many numbers below d is below d. *)
Lemma largest_below {A} (l : list A) (f : A -> R) d :
  (forall a, In a l -> f a < d) -> exists c, c < d /\ forall a, In a l -> f a <= c.
Proof.
  induction l as [| b l IH]; intros H; [exists (d - 1); split; [lra | intros a []] |].
  destruct IH as [c [Hc HL]]; [intros a I; apply H; right; exact I |].
  exists (Rmax (f b) c). split.
  - apply Rmax_lub_lt; [apply H; left; reflexivity | exact Hc].
  - intros a [<- | I]; [apply Rmax_l |]. eapply Rle_trans; [apply HL, I | apply Rmax_r].
Qed.

(** For no eps >= 0 and no delta < delta_below is every pair (e^eps, delta)-below. *)
Theorem never_private {A} (pairs : list (dist A * dist A)) delta_below :
  (forall PQ, In PQ pairs -> proper (fst PQ) /\ proper (snd PQ)) ->
  ((exists PQ, In PQ pairs /\ delta_below <= Pr (fst PQ) (not_shown (snd PQ))) <->
   forall eps delta, 0 <= eps -> delta < delta_below ->
   exists PQ, In PQ pairs /\ ~ below (fst PQ) (snd PQ) (exp eps) delta).
Proof.
  intros HP. split.
  - intros [PQ [I L]] eps delta _ D. exists PQ. split; [exact I |]. rewrite hockey_stick_iff.
    assert (X := lost (fst PQ) (snd PQ) (exp eps)). lra.
  - intros H. destruct (all_lost_exactly pairs HP) as [B HB].
    destruct (Classical_Prop.classic
      (exists PQ, In PQ pairs /\ delta_below <= Pr (fst PQ) (not_shown (snd PQ)))) as [Y | N]; [exact Y |].
    exfalso. destruct (largest_below pairs (fun PQ => Pr (fst PQ) (not_shown (snd PQ))) delta_below)
      as [c [Hc HL]].
    + intros PQ I. apply Rnot_le_lt. intros L. apply N. exists PQ. auto.
    + destruct (H (Rmax 0 B) c (Rmax_l 0 B) Hc) as [PQ [I J]]. apply J, hockey_stick_iff. rewrite HB;
        [apply HL, I | | exact I].
      assert (X := exp_ineq1_le (Rmax 0 B)). assert (Y := Rmax_r 0 B). lra.
Qed.

(** Monotone likelihood ratio: one threshold is the worst event.

    Let p and q be masses on the integers, none negative, with finitely or infinitely many that are not
    0. The ratio p/q grows if p(s) q(t) <= p(t) q(s) for all s <= t (a form without denominators, so that
    masses may be 0), and falls if p(t) q(s) <= p(s) q(t). Let E >= 0. Then the event with the largest
    excess p - E q is a half-line, upwards where the ratio grows and downwards where it falls:

    - on every finite set of integers, in particular on every window of consecutive ones;
    - for finite laws, where the hockey-stick is the excess of one half-line, so that privacy has to be
      checked for half-lines only;
    - for infinite laws (half_line_infinite.v), where again only half-lines have to be checked.

    Idea: if p(s) > E q(s) and the ratio grows, then p(t) >= E q(t) for every t >= s. So let the
    half-line start at the least s with a positive excess: no outcome above has a negative excess, and
    no outcome below a positive one.

    Source: folklore (Neyman and Pearson); this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick.
Import ListNotations.
Open Scope R_scope.

Definition rising (p q : Z -> R) : Prop := forall s t, (s <= t)%Z -> p s * q t <= p t * q s.

Definition falling (p q : Z -> R) : Prop := forall s t, (s <= t)%Z -> p t * q s <= p s * q t.

(** The event "at least a" is [Z.leb a]; this is "at most a". *)
Definition at_most (a t : Z) : bool := Z.leb t a.

(** ** The threshold *)

(** Above an outcome with a positive excess no excess is negative. *)
Lemma excess_stays (p q : Z -> R) E s t :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> p s * q t <= p t * q s ->
  0 < p s - E * q s -> 0 <= p t - E * q t.
Proof.
  intros Hp Hq HE H Hs. specialize (Hp t). assert (Hqs := Hq s). assert (Hqt := Hq t).
  destruct (Rle_lt_or_eq_dec 0 (q t) Hqt) as [Qt | Qt]; [| rewrite <- Qt; lra].
  assert (A : E * q s * q t < p s * q t) by (apply Rmult_lt_compat_r; lra).
  destruct (Rle_lt_or_eq_dec 0 (q s) Hqs) as [Qs | Qs].
  - assert (B : E * q t < p t); [| lra].
    apply Rmult_lt_reg_r with (q s); lra.
  - rewrite <- Qs in *. lra.
Qed.

(** The least outcome of a list with a positive excess, if there is one. *)
Lemma least_positive (e : Z -> R) w :
  (forall t, In t w -> e t <= 0) \/
  exists a, In a w /\ 0 < e a /\ forall t, In t w -> (t < a)%Z -> e t <= 0.
Proof.
  induction w as [| b w IH]; [left; intros t [] |].
  destruct (Rle_or_lt (e b) 0) as [Hb | Hb].
  - destruct IH as [None | [a [I [Ha Below]]]].
    + left. intros t [<- | I]; auto.
    + right. exists a. split; [right; exact I | split; [exact Ha |]]. intros t [<- | It] L; auto.
  - right. destruct IH as [None | [a [I [Ha Below]]]].
    + exists b. split; [left; reflexivity | split; [exact Hb |]].
      intros t [<- | It] L; [lia | auto].
    + destruct (Z_lt_le_dec b a) as [L | L].
      * exists b. split; [left; reflexivity | split; [exact Hb |]].
        intros t [<- | It] Lt; [lia | apply Below; [exact It | lia]].
      * exists a. split; [right; exact I | split; [exact Ha |]].
        intros t [<- | It] Lt; [lia | auto].
Qed.

(** For a list w of outcomes: either none has a positive excess, or a half-line has no negative excess
    anywhere, and outside it none of w is positive. *)
Lemma rising_threshold (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> rising p q ->
  (forall t, In t w -> p t - E * q t <= 0) \/
  exists a, (forall t, Z.leb a t = true -> 0 <= p t - E * q t) /\
            (forall t, In t w -> Z.leb a t = false -> p t - E * q t <= 0).
Proof.
  intros Hp Hq HE H.
  destruct (least_positive (fun t => p t - E * q t) w) as [None | [a [_ [Ha Below]]]]; [auto |].
  right. exists a. split.
  - intros t L. apply Z.leb_le in L. apply (excess_stays p q E a t); auto.
  - intros t I L. apply Z.leb_gt in L. apply Below; assumption.
Qed.

(** The mirror image. *)
Lemma falling_threshold (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> falling p q ->
  (forall t, In t w -> p t - E * q t <= 0) \/
  exists a, (forall t, at_most a t = true -> 0 <= p t - E * q t) /\
            (forall t, In t w -> at_most a t = false -> p t - E * q t <= 0).
Proof.
  intros Hp Hq HE H.
  destruct (rising_threshold (fun t => p (- t)%Z) (fun t => q (- t)%Z) E (map Z.opp w))
    as [None | [a [Above Below]]]; auto.
  - intros s t L. apply H. lia.
  - left. intros t I. specialize (None (- t)%Z (in_map Z.opp w t I)). simpl in None.
    rewrite Z.opp_involutive in None. exact None.
  - right. unfold at_most. exists (- a)%Z. split.
    + intros t L. apply Z.leb_le in L. specialize (Above (- t)%Z). simpl in Above.
      rewrite Z.opp_involutive in Above. apply Above, Z.leb_le. lia.
    + intros t I L. apply Z.leb_gt in L. specialize (Below (- t)%Z (in_map Z.opp w t I)).
      simpl in Below. rewrite Z.opp_involutive in Below. apply Below, Z.leb_gt. lia.
Qed.

(** Outside every threshold: half-lines that miss a list. *)
Lemma above_all w : exists a, forall t, In t w -> Z.leb a t = false.
Proof.
  induction w as [| b w [a H]]; [exists 0%Z; intros t [] |].
  exists (Z.max a (b + 1)). intros t [<- | I]; apply Z.leb_gt; [lia |].
  specialize (H t I). apply Z.leb_gt in H. lia.
Qed.

Lemma below_all w : exists a, forall t, In t w -> at_most a t = false.
Proof.
  destruct (above_all (map Z.opp w)) as [a H]. exists (- a)%Z. intros t I. apply Z.leb_gt.
  specialize (H (- t)%Z (in_map Z.opp w t I)). apply Z.leb_gt in H. lia.
Qed.

(** ** Finite sets of outcomes *)

(** [part] separates the terms e of w by their sign. *)
Definition separates {A} (part : A -> bool) (e : A -> R) (w : list A) : Prop :=
  (forall t, In t w -> part t = true -> 0 <= e t) /\ (forall t, In t w -> part t = false -> e t <= 0).

Lemma separates_largest {A} (part : A -> bool) e w l :
  separates part e w -> NoDup l -> incl l w -> total l e <= total (filter part w) e.
Proof.
  intros [Pos Neg] N I. apply Rle_trans with (total (filter part l) e).
  - rewrite total_filter. apply total_le. intros t It. specialize (Neg t (I t It)).
    destruct (part t); [lra | auto].
  - apply total_incl; [apply NoDup_filter, N | |].
    + intros t It. apply filter_In in It. apply filter_In. split; [apply I |]; apply It.
    + intros t It. apply filter_In in It. apply Pos; apply It.
Qed.

Lemma separates_positive {A} (part : A -> bool) e w :
  separates part e w -> total w (fun t => Rmax 0 (e t)) = total (filter part w) e.
Proof.
  intros [Pos Neg]. rewrite total_filter. apply total_ext. intros t It.
  specialize (Pos t It). specialize (Neg t It).
  destruct (part t); [apply Rmax_right | apply Rmax_left]; auto.
Qed.

Lemma rising_separates (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> rising p q ->
  exists a, separates (Z.leb a) (fun t => p t - E * q t) w.
Proof.
  intros Hp Hq HE H. destruct (rising_threshold p q E w) as [None | [a [Pos Neg]]]; auto.
  - destruct (above_all w) as [a Ha]. exists a. split; [| auto].
    intros t I T. rewrite (Ha t I) in T. discriminate.
  - exists a. split; auto.
Qed.

Lemma falling_separates (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> falling p q ->
  exists a, separates (at_most a) (fun t => p t - E * q t) w.
Proof.
  intros Hp Hq HE H. destruct (falling_threshold p q E w) as [None | [a [Pos Neg]]]; auto.
  - destruct (below_all w) as [a Ha]. exists a. split; [| auto].
    intros t I T. rewrite (Ha t I) in T. discriminate.
  - exists a. split; auto.
Qed.

(** On every finite set w of integers one upper half-line has the largest excess, which is the
    hockey-stick on w. *)
Lemma half_line_rising (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> rising p q ->
  exists a,
  (forall l, NoDup l -> incl l w ->
   total l (fun t => p t - E * q t) <= total (filter (Z.leb a) w) (fun t => p t - E * q t)) /\
  total w (fun t => Rmax 0 (p t - E * q t)) = total (filter (Z.leb a) w) (fun t => p t - E * q t).
Proof.
  intros Hp Hq HE H. destruct (rising_separates p q E w) as [a S]; auto. exists a. split.
  - intros l N I. apply separates_largest; assumption.
  - apply (separates_positive (Z.leb a) _ w S).
Qed.

Lemma half_line_falling (p q : Z -> R) E w :
  (forall i, 0 <= p i) -> (forall i, 0 <= q i) -> 0 <= E -> falling p q ->
  exists a,
  (forall l, NoDup l -> incl l w ->
   total l (fun t => p t - E * q t) <= total (filter (at_most a) w) (fun t => p t - E * q t)) /\
  total w (fun t => Rmax 0 (p t - E * q t)) = total (filter (at_most a) w) (fun t => p t - E * q t).
Proof.
  intros Hp Hq HE H. destruct (falling_separates p q E w) as [a S]; auto. exists a. split.
  - intros l N I. apply separates_largest; assumption.
  - apply (separates_positive (at_most a) _ w S).
Qed.

(** ** Finite laws *)

(** If an event separates the excesses of all outcomes, the hockey-stick is its excess. *)
Lemma separates_hockey_stick {A} (P Q : dist A) E (part : A -> bool) :
  separates part (fun a => mass P a - E * mass Q a) (outcomes P Q) ->
  hockey_stick P Q E = Pr P part - E * Pr Q part.
Proof.
  intros S. unfold hockey_stick. rewrite (separates_positive part _ _ S), total_filter.
  unfold Pr. rewrite (excess_masses P Q E (outcomes P Q)); try apply outcomes_cover.
  - apply total_ext. intros a _. unfold indicator. destruct (part a); ring.
  - apply outcomes_NoDup.
Qed.

Theorem half_line_hockey_stick (P Q : dist Z) E :
  proper P -> proper Q -> 0 <= E -> rising (mass P) (mass Q) ->
  exists a, hockey_stick P Q E = Pr P (Z.leb a) - E * Pr Q (Z.leb a).
Proof.
  intros HP HQ HE H. destruct (rising_separates (mass P) (mass Q) E (outcomes P Q)) as [a S]; auto.
  - intros i. apply mass_nonneg, HP.
  - intros i. apply mass_nonneg, HQ.
  - exists a. apply separates_hockey_stick, S.
Qed.

Lemma half_line_hockey_stick_falling (P Q : dist Z) E :
  proper P -> proper Q -> 0 <= E -> falling (mass P) (mass Q) ->
  exists a, hockey_stick P Q E = Pr P (at_most a) - E * Pr Q (at_most a).
Proof.
  intros HP HQ HE H. destruct (falling_separates (mass P) (mass Q) E (outcomes P Q)) as [a S]; auto.
  - intros i. apply mass_nonneg, HP.
  - intros i. apply mass_nonneg, HQ.
  - exists a. apply separates_hockey_stick, S.
Qed.

(** So privacy has to be checked for half-lines only. *)
Theorem half_lines_suffice (P Q : dist Z) E delta :
  proper P -> proper Q -> 0 <= E -> rising (mass P) (mass Q) ->
  (below P Q E delta <-> forall a, Pr P (Z.leb a) <= E * Pr Q (Z.leb a) + delta).
Proof.
  intros HP HQ HE H. split; [intros B a; apply B |]. intros B. apply hockey_stick_iff.
  destruct (half_line_hockey_stick P Q E) as [a ->]; auto. specialize (B a). lra.
Qed.

Theorem half_lines_suffice_falling (P Q : dist Z) E delta :
  proper P -> proper Q -> 0 <= E -> falling (mass P) (mass Q) ->
  (below P Q E delta <-> forall a, Pr P (at_most a) <= E * Pr Q (at_most a) + delta).
Proof.
  intros HP HQ HE H. split; [intros B a; apply B |]. intros B. apply hockey_stick_iff.
  destruct (half_line_hockey_stick_falling P Q E) as [a ->]; auto. specialize (B a). lra.
Qed.

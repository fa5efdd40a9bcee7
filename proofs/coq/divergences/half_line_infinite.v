(** Monotone likelihood ratio: half-lines suffice for laws with infinitely many outcomes.

    Let p and q be laws on the integers, such as the geometric or the Poisson law shifted in two ways,
    whose ratio p/q grows (half_line.v), and E, delta >= 0. If p[t >= a] <= E q[t >= a] + delta for
    every integer a, then the same holds for every event, and conversely. The same with t <= a where the
    ratio falls.

    Idea: a finite set of outcomes has at most the excess of its part in a half-line in which no outcome
    has a negative excess. More and more outcomes of this half-line increase it further, and the
    probabilities of the half-line are the least upper bounds.

    Source: folklore (Neyman and Pearson); this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses hockey_stick half_line.
Import ListNotations.
Open Scope R_scope.

(** In an event without negative excess no finite set has a larger excess than the event. *)
Lemma excess_in_event {A} (p q : A -> R) E (T : A -> Prop) pT qT l :
  law p -> law q -> 0 <= E -> (forall a, T a -> 0 <= p a - E * q a) ->
  mass_of p T pT -> mass_of q T qT -> NoDup l -> (forall a, In a l -> T a) ->
  total l (fun a => p a - E * q a) <= pT - E * qT.
Proof.
  intros Hp Hq HE Pos [Up _] [_ Least] N I. set (x := total l (fun a => p a - E * q a)).
  assert (Finite : forall m, NoDup m -> (forall a, In a m -> T a) -> E * total m q <= pT - x).
  { intros m Nm Im. pose (u := nodup same (l ++ m)).
    assert (Nu : NoDup u) by apply NoDup_nodup.
    assert (Iu : forall a, In a u -> T a).
    { intros a Ia. apply nodup_In, in_app_or in Ia. destruct Ia; auto. }
    assert (X : x <= total u (fun a => p a - E * q a)).
    { apply total_incl; [exact N | intros a Ia; apply nodup_In, in_or_app; auto | auto]. }
    rewrite total_minus, total_scal in X.
    assert (Y : total m q <= total u q).
    { apply total_incl; [exact Nm | intros a Ia; apply nodup_In, in_or_app; auto |].
      intros a _. apply Hq. }
    apply (Rmult_le_compat_l E) in Y; [| exact HE].
    assert (Z : total u p <= pT) by (apply Up; exists u; auto). lra. }
  enough (E * qT <= pT - x) by lra. destruct (Rle_lt_or_eq_dec 0 E HE) as [HE' | <-].
  - replace (pT - x) with (E * ((pT - x) / E)) by (field; lra).
    apply Rmult_le_compat_l; [exact HE |]. apply Least. intros s [m [Nm [Im ->]]].
    apply Rmult_le_reg_l with E; [exact HE' |]. replace (E * ((pT - x) / E)) with (pT - x) by (field; lra).
    apply Finite; assumption.
  - assert (F := Finite [] (NoDup_nil A) (fun a (I0 : In a []) => False_ind (T a) I0)). simpl in F. lra.
Qed.

(** A family of events that has, for every finite set of outcomes, one without negative excess and
    with no positive excess outside: then only the events of the family have to be checked. *)
Lemma family_suffices {A I} (p q : A -> R) E delta (event : I -> A -> bool) :
  law p -> law q -> 0 <= E -> 0 <= delta ->
  (forall w, (forall t, In t w -> p t - E * q t <= 0) \/
   exists i, (forall t, event i t = true -> 0 <= p t - E * q t) /\
             (forall t, In t w -> event i t = false -> p t - E * q t <= 0)) ->
  (forall i pT qT, mass_of p (fun t => event i t = true) pT -> mass_of q (fun t => event i t = true) qT ->
   pT <= E * qT + delta) ->
  mass_below p q E delta.
Proof.
  intros Hp Hq HE Hd Family H l N.
  enough (total l (fun t => p t - E * q t) <= delta) by (rewrite total_minus, total_scal in *; lra).
  destruct (Family l) as [None | [i [Pos Neg]]].
  - apply Rle_trans with (total l (fun _ => 0)); [apply total_le; exact None |].
    rewrite total_zero. exact Hd.
  - destruct (mass_exists p (fun t => event i t = true) Hp) as [pT HpT].
    destruct (mass_exists q (fun t => event i t = true) Hq) as [qT HqT].
    apply Rle_trans with (total (filter (event i) l) (fun t => p t - E * q t)).
    + apply separates_largest; [split; auto | exact N | apply incl_refl].
    + apply Rle_trans with (pT - E * qT); [| specialize (H i pT qT HpT HqT); lra].
      apply (excess_in_event p q E (fun t => event i t = true)); auto using NoDup_filter.
      intros t It. apply filter_In in It. apply It.
Qed.

Theorem half_lines_suffice_infinite (p q : Z -> R) E delta :
  law p -> law q -> 0 <= E -> 0 <= delta -> rising p q ->
  (mass_below p q E delta <->
   forall a pT qT, mass_of p (fun t => Z.leb a t = true) pT -> mass_of q (fun t => Z.leb a t = true) qT ->
   pT <= E * qT + delta).
Proof.
  intros Hp Hq HE Hd H. split.
  - intros B a pT qT. apply (mass_below_all_events p q E delta HE B).
  - apply family_suffices; auto. intros w. apply rising_threshold; auto; [apply Hp | apply Hq].
Qed.

Theorem half_lines_suffice_infinite_falling (p q : Z -> R) E delta :
  law p -> law q -> 0 <= E -> 0 <= delta -> falling p q ->
  (mass_below p q E delta <->
   forall a pT qT, mass_of p (fun t => at_most a t = true) pT -> mass_of q (fun t => at_most a t = true) qT ->
   pT <= E * qT + delta).
Proof.
  intros Hp Hq HE Hd H. split.
  - intros B a pT qT. apply (mass_below_all_events p q E delta HE B).
  - apply family_suffices; auto. intros w. apply falling_threshold; auto; [apply Hp | apply Hq].
Qed.

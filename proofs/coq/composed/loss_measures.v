(** Losses at infinity and at finitely many finite places: a measure, its divergence, its products.

    A measure has a mass at the loss infinity and masses m at finite losses, each given as r = e^-loss. Its
    divergence at E >= 0 is

      [divergence nu E] = (mass at infinity) + sum of m max(0, 1 - E r),

    which for the losses of a pair of laws is the hockey-stick; but a measure need not be that of a pair.
    Losses of a product add up: the r are multiplied, and what is infinite in one of two factors is
    infinite. Proved, for masses and r that are not negative:

    - a larger measure in each factor makes the divergence of the product larger, where "larger" is a
      divergence at least as large at every E >= 0 ([divergence_product_monotone]); so it may be enlarged
      in any way at any time: larger masses ([divergence_enlarged]), or masses moved to smaller r, which
      is a larger loss, or to infinity ([divergence_raised], [divergence_to_infinity]).

    Every real E >= 0. The composition of mechanisms is in adaptive_composition.v.

    Idea: the divergence of a product at E is a sum of divergences of one factor at the numbers E r.

    The class Losses of exactdp/checker/composed.py rests on it (the integers: lattice_losses.v).
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums masses hockey_stick product_laws.
Import ListNotations.
Open Scope R_scope.

(** ** Measures *)

Record measure : Type := { infinite : R; atoms : list (R * R) }.

Definition hinge (E : R) (mr : R * R) : R := fst mr * Rmax 0 (1 - E * snd mr).

Definition divergence (nu : measure) (E : R) : R := infinite nu + total (atoms nu) (hinge E).

Definition nonnegative (nu : measure) : Prop :=
  0 <= infinite nu /\ forall mr, In mr (atoms nu) -> 0 <= fst mr /\ 0 <= snd mr.

(** No loss, with certainty: what no runs at all show. *)
Definition no_loss : measure := {| infinite := 0; atoms := [(1, 1)] |}.

Definition finite_mass (nu : measure) : R := total (atoms nu) fst.

Definition times (mu nu : measure) : measure :=
  {| infinite := infinite mu * (finite_mass nu + infinite nu) + finite_mass mu * infinite nu;
     atoms := map (fun xy => (fst (fst xy) * fst (snd xy), snd (fst xy) * snd (snd xy)))
                (list_prod (atoms mu) (atoms nu)) |}.

Definition product (nus : list measure) : measure := fold_right times no_loss nus.

Lemma hinge_nonneg E mr : 0 <= fst mr -> 0 <= hinge E mr.
Proof. intros H. apply Rmult_le_pos; [exact H | apply Rmax_l]. Qed.

Lemma divergence_nonneg nu E : nonnegative nu -> 0 <= divergence nu E.
Proof.
  intros [HI HA]. apply Rplus_le_le_0_compat; [exact HI |]. apply total_nonneg. intros mr I.
  apply hinge_nonneg, (HA mr I).
Qed.

(** At E = 0 all mass counts. *)
Lemma divergence_at_0 nu : divergence nu 0 = finite_mass nu + infinite nu.
Proof.
  unfold divergence, finite_mass. rewrite (total_ext _ (hinge 0) fst); [ring |]. intros mr _.
  unfold hinge. rewrite Rmult_0_l, Rminus_0_r, Rmax_right by lra. ring.
Qed.

Lemma nonnegative_times mu nu : nonnegative mu -> nonnegative nu -> nonnegative (times mu nu).
Proof.
  intros [IM AM] [IN AN]. assert (FM : 0 <= finite_mass mu) by (apply total_nonneg; intros; apply AM;
    assumption).
  assert (FN : 0 <= finite_mass nu) by (apply total_nonneg; intros; apply AN; assumption).
  split; simpl.
  - apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
  - intros mr I. apply in_map_iff in I. destruct I as [[x y] [<- I]]. apply in_prod_iff in I.
    destruct I as [Ix Iy]. destruct (AM x Ix), (AN y Iy). split; apply Rmult_le_pos; assumption.
Qed.

Lemma nonnegative_no_loss : nonnegative no_loss.
Proof. split; simpl; [lra |]. intros mr [<- | []]. simpl. lra. Qed.

Lemma nonnegative_product nus : Forall nonnegative nus -> nonnegative (product nus).
Proof.
  induction 1 as [| nu nus H _ IH]; [apply nonnegative_no_loss | apply nonnegative_times; assumption].
Qed.

(** ** Products *)

(** The divergence of a product, by the losses of the first factor. *)
Lemma divergence_times mu nu E :
  divergence (times mu nu) E =
  infinite mu * divergence nu 0 + total (atoms mu) (fun x => fst x * divergence nu (E * snd x)).
Proof.
  rewrite divergence_at_0. unfold divergence at 1. simpl. rewrite total_map, total_prod.
  rewrite (total_ext (atoms mu) (fun x => fst x * divergence nu (E * snd x))
    (fun x => fst x * infinite nu + fst x * total (atoms nu) (hinge (E * snd x)))).
  - rewrite total_plus, total_scal_r. fold (finite_mass mu). rewrite Rplus_assoc. f_equal. f_equal.
    apply total_ext. intros x _. rewrite <- total_scal. apply total_ext. intros y _.
    unfold hinge. simpl. rewrite <- (Rmult_assoc E). ring.
  - intros x _. unfold divergence. ring.
Qed.

(** The order of the factors does not matter. *)
Lemma divergence_exchange a b c E :
  divergence (times a (times b c)) E = divergence (times b (times a c)) E.
Proof.
  assert (Half : forall a b, divergence (times a (times b c)) E =
    infinite a * infinite b * divergence c 0 + infinite a * finite_mass b * divergence c 0 +
    finite_mass a * infinite b * divergence c 0 +
    total (atoms a) (fun x => total (atoms b) (fun y => fst x * fst y * divergence c (E * snd x * snd y)))).
  { clear a b. intros a b. rewrite divergence_times, divergence_times.
    rewrite (total_ext (atoms b) (fun x => fst x * divergence c (0 * snd x))
      (fun x => fst x * divergence c 0)) by (intros; rewrite Rmult_0_l; reflexivity).
    rewrite total_scal_r. fold (finite_mass b).
    rewrite (total_ext (atoms a) _ (fun x => fst x * (infinite b * divergence c 0) +
      total (atoms b) (fun y => fst x * fst y * divergence c (E * snd x * snd y)))).
    - rewrite total_plus, total_scal_r. fold (finite_mass a). ring.
    - intros x _. rewrite divergence_times, Rmult_plus_distr_l, <- total_scal. f_equal.
      apply total_ext. intros. ring. }
  rewrite !Half, total_swap. f_equal; [ring |]. apply total_ext. intros y _. apply total_ext. intros x _.
  replace (E * snd x * snd y) with (E * snd y * snd x) by ring. ring.
Qed.

(** The measure nu is at least mu. *)
Definition at_most (mu nu : measure) : Prop := forall E, 0 <= E -> divergence mu E <= divergence nu E.

Lemma times_at_most_r mu nu nu' : nonnegative mu -> at_most nu nu' -> at_most (times mu nu) (times mu nu').
Proof.
  intros [HI HA] H E HE. rewrite !divergence_times. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [exact HI |]. apply H. lra.
  - apply total_le. intros x I. destruct (HA x I). apply Rmult_le_compat_l; [assumption |].
    apply H, Rmult_le_pos; assumption.
Qed.

Lemma times_commutes mu nu E : divergence (times mu nu) E = divergence (times nu mu) E.
Proof.
  unfold divergence. simpl. rewrite !total_map, !total_prod, total_swap. f_equal; [ring |].
  apply total_ext. intros y _. apply total_ext. intros x _. unfold hinge. simpl.
  rewrite (Rmult_comm (snd x)), (Rmult_comm (fst x)). reflexivity.
Qed.

Lemma divergence_product_monotone mu mu' nu nu' :
  nonnegative mu -> nonnegative nu' -> at_most mu mu' -> at_most nu nu' ->
  at_most (times mu nu) (times mu' nu').
Proof.
  intros HM HN H K E HE. eapply Rle_trans; [apply (times_at_most_r mu nu nu' HM K E HE) |].
  rewrite (times_commutes mu nu'), (times_commutes mu' nu'). apply times_at_most_r; assumption.
Qed.

(** ** Enlarging a measure *)

(** Larger masses, and an atom moved to a larger loss; and the same with infinity. *)
Lemma divergence_enlarged i i' l l' :
  i <= i' -> Forall2 (fun x y => 0 <= fst x <= fst y /\ 0 <= snd y <= snd x) l l' ->
  at_most {| infinite := i; atoms := l |} {| infinite := i'; atoms := l' |}.
Proof.
  intros HI H E HE. apply Rplus_le_compat; [exact HI |]. simpl.
  induction H as [| x y l l' [H1 H2] _ IH]; simpl; [lra |]. apply Rplus_le_compat; [| exact IH].
  unfold hinge. apply Rmult_le_compat; [apply H1 | apply Rmax_l | apply H1 |].
  apply Rle_max_compat_l. assert (E * snd y <= E * snd x) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma divergence_raised i m r r' l :
  0 <= m -> r' <= r ->
  at_most {| infinite := i; atoms := (m, r) :: l |} {| infinite := i; atoms := (m, r') :: l |}.
Proof.
  intros Hm Hr E HE. unfold divergence. simpl. apply Rplus_le_compat_l, Rplus_le_compat_r.
  unfold hinge. simpl. apply Rmult_le_compat_l; [exact Hm |]. apply Rle_max_compat_l.
  assert (E * r' <= E * r) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma divergence_to_infinity i m r l :
  0 <= m -> 0 <= r ->
  at_most {| infinite := i; atoms := (m, r) :: l |} {| infinite := i + m; atoms := l |}.
Proof.
  intros Hm Hr E HE. unfold divergence. simpl.
  enough (hinge E (m, r) <= m) by lra. unfold hinge. simpl. rewrite <- (Rmult_1_r m) at 2.
  apply Rmult_le_compat_l; [exact Hm |]. apply Rmax_lub; [lra |].
  assert (0 <= E * r) by (apply Rmult_le_pos; assumption). lra.
Qed.

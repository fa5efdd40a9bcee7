(** Two independent draws, and laws that are carried over by a map.

    For laws P on A and Q on B, finite or infinite, the law of an independent pair has the mass
    P a * Q b at (a, b). Proved here: it is a law (its masses add up to 1), and an injective map carries
    laws, and the comparison [mass_below] of two of them, over to its image. Both are needed to build the
    law of a vector coordinate by coordinate.

    Idea: a finite set of pairs lies in the product of two finite sets, and on such a box the sum of the
    products is the product of the sums. (Source: folklore.) *)

From Coq Require Import Reals List Lra FinFun Classical.
From Exactdp Require Import sums masses.
Import ListNotations.
Open Scope R_scope.

(** The mass at x = (a, b) of a pair of independent draws. *)
Definition pair_mass {A B} (P : A -> R) (Q : B -> R) (x : A * B) : R := P (fst x) * Q (snd x).

(** ** Boxes *)

(** Every list has the same entries as one without repetitions. *)
Lemma without_repetitions {A} (l : list A) : exists m, NoDup m /\ forall a, In a l <-> In a m.
Proof.
  induction l as [| a l [m [N H]]].
  - exists []. split; [constructor | tauto].
  - destruct (classic (In a m)) as [I | I].
    + exists m. split; [exact N |]. intros b. rewrite <- H. simpl. split; [| tauto].
      intros [<- | J]; [apply H, I | exact J].
    + exists (a :: m). split; [constructor; assumption |]. intros b. simpl. rewrite H. tauto.
Qed.

(** A finite set of pairs lies in a box. *)
Lemma inside_box {A B} (l : list (A * B)) :
  exists u v, NoDup u /\ NoDup v /\ incl l (list_prod u v).
Proof.
  destruct (without_repetitions (map fst l)) as [u [Nu Hu]].
  destruct (without_repetitions (map snd l)) as [v [Nv Hv]].
  exists u, v. split; [exact Nu |]. split; [exact Nv |]. intros [a b] I. apply in_prod.
  - apply Hu. apply (in_map fst) in I. exact I.
  - apply Hv. apply (in_map snd) in I. exact I.
Qed.

Lemma disjoint_append {A} (u v : list A) :
  NoDup u -> NoDup v -> (forall a, In a u -> ~ In a v) -> NoDup (u ++ v).
Proof.
  intros Nu Nv H. induction Nu as [| a u Ha Nu IH]; simpl; [exact Nv |]. constructor.
  - intros I. apply in_app_or in I. destruct I as [I | I]; [contradiction |].
    apply (H a); [left; reflexivity | exact I].
  - apply IH. intros b Hb. apply H. right. exact Hb.
Qed.

Lemma box_without_repetitions {A B} (u : list A) (v : list B) :
  NoDup u -> NoDup v -> NoDup (list_prod u v).
Proof.
  intros Nu Nv. induction Nu as [| a u Ha Nu IH]; simpl; [constructor |]. apply disjoint_append.
  - apply Injective_map_NoDup; [| exact Nv]. intros b c E. congruence.
  - exact IH.
  - intros [a' b] I J. apply in_map_iff in I. destruct I as [c [E _]]. injection E as <- <-.
    apply in_prod_iff in J. apply Ha, J.
Qed.

Lemma total_box {A B} (u : list A) (v : list B) P Q :
  total (list_prod u v) (pair_mass P Q) = total u P * total v Q.
Proof.
  rewrite total_prod. unfold pair_mass. simpl. rewrite <- total_scal_r. apply total_ext. intros a _.
  apply total_scal.
Qed.

(** ** Independent pairs *)

Lemma pair_mass_nonneg {A B} (P : A -> R) (Q : B -> R) :
  (forall a, 0 <= P a) -> (forall b, 0 <= Q b) -> forall x, 0 <= pair_mass P Q x.
Proof. intros HP HQ x. apply Rmult_le_pos; [apply HP | apply HQ]. Qed.

(** What is at least every multiple s t, t a finite part of the law Q, is at least s. *)
Lemma bound_by_parts {B} (Q : B -> R) s b :
  law Q -> 0 <= s -> (forall v, NoDup v -> s * total v Q <= b) -> s <= b.
Proof.
  intros [_ [_ L]] [Hs | <-] H.
  - apply Rmult_le_reg_l with (/ s); [apply Rinv_0_lt_compat, Hs |].
    rewrite Rinv_l by lra. apply L. intros t [v [N [_ ->]]].
    apply Rmult_le_reg_l with s; [exact Hs |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    apply H, N.
  - rewrite <- (Rmult_0_l (total [] Q)). apply H. constructor.
Qed.

(** A pair of independent draws has a law. *)
Lemma pair_law {A B} (P : A -> R) (Q : B -> R) : law P -> law Q -> law (pair_mass P Q).
Proof.
  intros LP LQ. assert (Pos := pair_mass_nonneg P Q (proj1 LP) (proj1 LQ)).
  split; [exact Pos | split].
  - intros s [l [N [_ ->]]]. destruct (inside_box l) as [u [v [Nu [Nv I]]]].
    apply Rle_trans with (total (list_prod u v) (pair_mass P Q)).
    + apply total_incl; [exact N | exact I | intros x _; apply Pos].
    + rewrite total_box, <- (Rmult_1_r 1). apply Rmult_le_compat.
      * apply total_nonneg. intros a _. apply (proj1 LP).
      * apply total_nonneg. intros b _. apply (proj1 LQ).
      * apply law_finite; assumption.
      * apply law_finite; assumption.
  - intros b Hb. apply (proj2 (proj2 LP)). intros s [u [Nu [_ ->]]].
    apply (bound_by_parts Q); [exact LQ | apply total_nonneg; intros a _; apply (proj1 LP) |].
    intros v Nv. apply Hb. exists (list_prod u v). rewrite total_box.
    split; [apply box_without_repetitions; assumption | auto].
Qed.

(** Parts of the masses: if those of B1 add up to at most d1 and those of B2 to at most d2, then those
    that are in the first part of a pair, and those that are in the second, to at most d1 + d2 together. *)
Lemma total_pairs_le {A B} (P1 B1 : A -> R) (P2 B2 : B -> R) d1 d2 l :
  law P1 -> law P2 -> (forall a, 0 <= B1 a) -> (forall b, 0 <= B2 b) ->
  (forall u, NoDup u -> total u B1 <= d1) -> (forall v, NoDup v -> total v B2 <= d2) -> NoDup l ->
  total l (fun x => pair_mass B1 P2 x + pair_mass P1 B2 x) <= d1 + d2.
Proof.
  intros L1 L2 Pos1 Pos2 H1 H2 N. destruct (inside_box l) as [u [v [Nu [Nv I]]]].
  apply Rle_trans with (total (list_prod u v) (fun x => pair_mass B1 P2 x + pair_mass P1 B2 x)).
  - apply total_incl; [exact N | exact I |]. intros x _. apply Rplus_le_le_0_compat.
    + apply pair_mass_nonneg; [exact Pos1 | apply (proj1 L2)].
    + apply pair_mass_nonneg; [apply (proj1 L1) | exact Pos2].
  - rewrite total_plus, !total_box. specialize (H1 u Nu). specialize (H2 v Nv).
    assert (0 <= total u B1) by (apply total_nonneg; auto).
    assert (0 <= total v B2) by (apply total_nonneg; auto).
    assert (S1 := law_finite P1 u L1 Nu). assert (S2 := law_finite P2 v L2 Nv).
    assert (total u B1 * total v P2 <= total u B1 * 1) by (apply Rmult_le_compat_l; assumption).
    assert (total u P1 * total v B2 <= 1 * total v B2) by (apply Rmult_le_compat_r; assumption).
    lra.
Qed.

(** ** Laws on the image of a map *)

Definition zero_outside {A B} (h : A -> B) (P : B -> R) : Prop :=
  forall b, (forall a, h a <> b) -> P b = 0.

(** What a sum over points of B takes from the image of h is a sum over points of A. *)
Lemma pull_back {A B} (h : A -> B) (l : list B) :
  NoDup l ->
  exists m, NoDup m /\ (forall a, In a m -> In (h a) l) /\
    forall P, zero_outside h P -> total l P = total m (fun a => P (h a)).
Proof.
  intros N. induction N as [| b l Hb N [m [Nm [I H]]]].
  - exists []. split; [constructor |]. split; [intros a [] | reflexivity].
  - destruct (classic (exists a, h a = b)) as [[a <-] | No].
    + exists (a :: m). split; [constructor; [intros J; apply Hb, I, J | exact Nm] |]. split.
      * intros c [<- | J]; [left; reflexivity | right; apply I, J].
      * intros P Z. simpl. rewrite (H P Z). reflexivity.
    + exists m. split; [exact Nm |]. split; [intros a J; right; apply I, J |].
      intros P Z. simpl. rewrite (H P Z), (Z b); [ring |]. intros a E. apply No. exists a. exact E.
Qed.

Lemma law_on_image {A B} (h : A -> B) (P : B -> R) :
  (forall a c, h a = h c -> a = c) -> zero_outside h P -> law (fun a => P (h a)) -> law P.
Proof.
  intros Inj Z [Pos [U L]]. split; [| split].
  - intros b. destruct (classic (exists a, h a = b)) as [[a <-] | No]; [apply Pos |].
    right. symmetry. apply Z. intros a E. apply No. exists a. exact E.
  - intros s [l [N [_ ->]]]. destruct (pull_back h l N) as [m [Nm [_ H]]]. rewrite (H P Z).
    apply U. exists m. auto.
  - intros b Hb. apply L. intros s [m [N [_ ->]]]. apply Hb. exists (map h m).
    split; [apply Injective_map_NoDup; [exact Inj | exact N] |]. rewrite total_map. auto.
Qed.

Lemma mass_below_on_image {A B} (h : A -> B) (P Q : B -> R) E delta :
  zero_outside h P -> zero_outside h Q ->
  mass_below (fun a => P (h a)) (fun a => Q (h a)) E delta -> mass_below P Q E delta.
Proof.
  intros ZP ZQ H l N. destruct (pull_back h l N) as [m [Nm [_ T]]].
  rewrite (T P ZP), (T Q ZQ). apply H, Nm.
Qed.

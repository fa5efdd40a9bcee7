(** The classes of a table, as the checker makes them: outcomes with the same three probabilities are one class.

    P and Q are the rows of two inputs and c a reference, finite laws of any outcomes. List every outcome once, and let
    kinds be the triples (P(a), Q(a), c(a)) with the number of outcomes that have them. Proved ([table_classes]): for
    all n, every real E and finite laws of any weights, the reference bound of c is the bound of the classes
    (k p, k q, k r), one for each triple (p, q, r) and its number k. This is what the method Columns.classes of
    exactdp/checker/pair_classes.py counts.

    Idea: classes.v, with the counting measure in the place of u. Source: this package. *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums laws hockey_stick mean_excess classes.
Import ListNotations.
Open Scope R_scope.

Definition kind_of {A} (P Q c : dist A) (a : A) : class := (mass P a, mass Q a, mass c a).

Definition counted_classes (counted : list (class * nat)) : list class :=
  map (fun kn => (INR (snd kn) * first_mass (fst kn), INR (snd kn) * second_mass (fst kn),
                  INR (snd kn) * reference_mass (fst kn))) counted.

(** The counting measure of a list. *)
Definition each_once {A} (l : list A) : dist A := map (fun a => (1, a)) l.

Lemma mean_each_once {A} (l : list A) f : mean (each_once l) f = total l f.
Proof. unfold each_once, mean. rewrite total_map. apply total_ext. intros. simpl. ring. Qed.

(** Each triple is counted as often as outcomes of the list l have it. *)
Theorem table_classes {A} n (P Q c : dist A) (l : list A) (counted : list (class * nat)) E :
  NoDup l -> covers l P -> covers l Q -> covers l c ->
  (forall f, total l (fun a => f (kind_of P Q c a)) = total counted (fun kn => INR (snd kn) * f (fst kn))) ->
  reference_bound n P Q E c = class_bound n E (counted_classes counted).
Proof.
  intros N CP CQ Cc counts.
  rewrite (reference_bound_classes n P Q c (each_once l) (kind_of P Q c) first_mass second_mass reference_mass
    (map (fun kn => (fst kn, INR (snd kn))) counted) E).
  - unfold listed_classes, counted_classes. rewrite map_map. reflexivity.
  - intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. simpl. lra.
  - intros f. rewrite mean_each_once. apply (mean_masses _ l); assumption.
  - intros f. rewrite mean_each_once. apply (mean_masses _ l); assumption.
  - intros f. rewrite mean_each_once. apply (mean_masses _ l); assumption.
  - intros kw I. apply in_map_iff in I. destruct I as [kn [<- _]]. apply pos_INR.
  - intros f. rewrite mean_each_once, counts, total_map. reflexivity.
Qed.

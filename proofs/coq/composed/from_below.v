(** Runs on one pair of data sets from below: a measure that no hockey-stick falls below composes, too.

    A measure of losses lies below a pair of finite laws (P, Q) if its divergence is at most the hockey-stick of the
    pair at every E >= 0. Measures with masses >= 0 that lie below the pairs of T independent runs multiply to one that
    lies below the pair of all T answers ([runs_from_below]), for every T: so what is known of every single run's
    hockey-stick from below, such as a polygon below it, bounds from below what all runs lose together.

    Idea: for a first answer with the masses p and q, what follows has an excess of p D(E q / p), D the hockey-stick
    of the other runs; sum over the first answers, as in adaptive_composition.v, with the inequalities turned round.

    Source: this package, exactdp/composition/polygons.py; folklore. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick product_laws independence.
From Exactdp Require Import loss_measures adaptive_composition adaptive_programs.
Import ListNotations.
Open Scope R_scope.

Definition lies_under {A} (nu : measure) (P Q : dist A) : Prop :=
  forall E, 0 <= E -> divergence nu E <= hockey_stick P Q E.

(** What follows an answer that has the masses p and q. *)
Lemma excess_after_below {B} p q (K L : dist B) nu E :
  0 <= p -> 0 <= q -> 0 <= E -> lies_under nu K L ->
  infinite nu * p + total (atoms nu) (fun y => fst y * Rmax 0 (p - E * snd y * q)) <=
  total (outcomes K L) (fun b => Rmax 0 (p * mass K b - E * (q * mass L b))) \/ p = 0.
Proof.
  intros Hp Hq HE H. destruct Hp as [Hp | <-]; [left | right; reflexivity].
  assert (HF : 0 <= E * q / p).
  { apply Rmult_le_pos; [apply Rmult_le_pos; assumption | left; apply Rinv_0_lt_compat, Hp]. }
  specialize (H (E * q / p) HF). apply (Rmult_le_compat_l p) in H; [| lra].
  apply Rle_trans with (p * divergence nu (E * q / p)).
  - unfold divergence. rewrite Rmult_plus_distr_l, (Rmult_comm p), <- total_scal. apply Req_le. f_equal.
    apply total_ext. intros y _. unfold hinge.
    replace (p - E * snd y * q) with (p * (1 - E * q / p * snd y)) by (field; lra).
    rewrite <- (Rmult_0_r p) at 1. rewrite RmaxRmult by lra. ring.
  - eapply Rle_trans; [exact H |]. unfold hockey_stick. rewrite <- total_scal. apply Req_le, total_ext.
    intros b _. replace (p * mass K b - E * (q * mass L b)) with (p * (mass K b - E * q / p * mass L b))
      by (field; lra).
    rewrite <- (Rmult_0_r p) at 2. rewrite RmaxRmult by lra. reflexivity.
Qed.

Lemma two_runs_from_below {A} (P Q : dist A) (K L : dist (list A)) mu nu :
  proper P -> proper Q -> nonnegative nu -> lies_under mu P Q -> lies_under nu K L ->
  lies_under (times nu mu) (bind P (fun a => dmap (cons a) K)) (bind Q (fun a => dmap (cons a) L)).
Proof.
  intros HP HQ [NI NA] H1 H2 E HE. destruct (outcomes_cover P Q) as [CP CQ]. destruct (outcomes_cover K L) as [CK CL].
  set (u := outcomes P Q) in *. set (v := outcomes K L) in *.
  set (put := fun x : A * list A => fst x :: snd x).
  assert (Cover : forall (D : dist A) (F : dist (list A)), covers u D -> covers v F ->
    covers (map put (list_prod u v)) (bind D (fun a => dmap (cons a) F))).
  { intros D F CD CF ws I. unfold dmap, bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]].
    apply in_map_iff in I. destruct I as [wt [<- I]]. apply in_flat_map in I. destruct I as [wb [Ib I]].
    destruct I as [<- | []]. simpl. apply in_map_iff. exists (snd wa, snd wb). split; [reflexivity |].
    apply in_prod; [apply CD, Ia | apply CF, Ib]. }
  rewrite (hockey_stick_listed _ _ E (map put (list_prod u v))).
  - rewrite total_map, total_prod, divergence_times.
    apply Rle_trans with (total u (fun a =>
      infinite nu * mass P a + total (atoms nu) (fun y => fst y * Rmax 0 (mass P a - E * snd y * mass Q a)))).
    + rewrite total_plus, total_scal, total_swap. apply Rplus_le_compat.
      * apply Rmult_le_compat_l; [exact NI |]. eapply Rle_trans; [apply H1; lra |].
        unfold hockey_stick. fold u. apply Req_le, total_ext. intros a _.
        rewrite Rmult_0_l, Rminus_0_r. apply Rmax_right, mass_nonneg, HP.
      * apply total_le. intros y I. destruct (NA y I) as [Y1 Y2]. rewrite total_scal.
        apply Rmult_le_compat_l; [exact Y1 |]. apply H1, Rmult_le_pos; assumption.
    + apply total_le. intros a _. unfold put. cbn [fst snd].
      rewrite (total_ext v _ (fun b => Rmax 0 (mass P a * mass K b - E * (mass Q a * mass L b))))
        by (intros b _; rewrite !mass_then_all; reflexivity).
      destruct (excess_after_below (mass P a) (mass Q a) K L nu E) as [X | Z]; try assumption.
      * apply mass_nonneg, HP.
      * apply mass_nonneg, HQ.
      * rewrite Z, Rmult_0_r, Rplus_0_l, (total_ext (atoms nu) _ (fun _ => 0)), total_zero.
        -- apply total_nonneg. intros b _. apply Rmax_l.
        -- intros y I. destruct (NA y I) as [_ Y2]. rewrite Rmax_left; [ring |].
           assert (0 <= E * snd y * mass Q a); [| lra].
           apply Rmult_le_pos; [apply Rmult_le_pos; assumption | apply mass_nonneg, HQ].
  - apply FinFun.Injective_map_NoDup; [| apply box_without_repetitions; apply outcomes_NoDup].
    intros [a s] [b t] X. unfold put in X. simpl in X. congruence.
  - apply Cover; assumption.
  - apply Cover; assumption.
Qed.

(** A run: its pair of laws, and a measure under it. *)
Definition run_under {A} (run : dist A * dist A * measure) : Prop :=
  proper (fst (fst run)) /\ proper (snd (fst run)) /\ nonnegative (snd run) /\
  lies_under (snd run) (fst (fst run)) (snd (fst run)).

Theorem runs_from_below {A} (all : list (dist A * dist A * measure)) :
  Forall run_under all ->
  lies_under (product (map snd all)) (draws (map (fun r => fst (fst r)) all)) (draws (map (fun r => snd (fst r)) all)).
Proof.
  induction 1 as [| [[P Q] nu] rest [HP [HQ [HN HU]]] HR IH]; intros E HE.
  - simpl. unfold divergence, hinge. simpl.
    rewrite (hockey_stick_listed _ _ E [[]]).
    + simpl. rewrite mass_ret_nil. simpl. rewrite Rmult_1_r. lra.
    + repeat constructor. intros [].
    + intros wa [<- | []]. left. reflexivity.
    + intros wa [<- | []]. left. reflexivity.
  - simpl in *. rewrite times_commutes. apply two_runs_from_below; try assumption.
    apply nonnegative_product, Forall_forall. intros mu I. apply in_map_iff in I. destruct I as [r [<- I]].
    rewrite Forall_forall in HR. apply (HR r I).
Qed.

(** So no smaller delta holds for all runs together. *)
Theorem runs_need {A} (all : list (dist A * dist A * measure)) E delta :
  Forall run_under all -> 0 <= E ->
  below (draws (map (fun r => fst (fst r)) all)) (draws (map (fun r => snd (fst r)) all)) E delta ->
  divergence (product (map snd all)) E <= delta.
Proof.
  intros H HE B. apply hockey_stick_iff in B. eapply Rle_trans; [apply (runs_from_below all H E HE) | exact B].
Qed.

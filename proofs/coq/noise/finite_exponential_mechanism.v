(** The exponential mechanism of a finite score table, as a program.

    [choose answers score] draws an answer of the list with a probability proportional to e^score; an answer may stand
    in the list more than once. Proved, for every non-empty list of m answers of any type, scores u x r of them on data
    sets x of any type, and Du > 0 that bounds the change of u x r over the answers of the list and all neighbours:

    - [finite_exponential_private]: with the score eps u/(2 Du) it is (eps, 0)-DP, for every eps >= 0, all events;
    - [finite_exponential_useful]: with that score, for eps > 0, every real c and every answer best of the list, the
      answer has u <= u best - (2 Du/eps)(ln m + c) with probability at most e^-c.

    Proof. Each weight changes by a factor of at most e^(eps/2), and so does their sum. Each of the at most m bad
    answers has at most e^-c/m times the weight of the best. The same for infinitely many answers, and why the 2 is
    there: exponential_mechanism.v. Source: McSherry and Talwar 2007; Dwork and Roth 2014, theorems 3.10 and 3.11. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy exponential_mechanism.
Import ListNotations.
Open Scope R_scope.

Definition weight_of_all {A} (answers : list A) (score : A -> R) : R := total answers (fun r => exp (score r)).

Definition choose {A} (answers : list A) (score : A -> R) : dist A :=
  map (fun r => (proportional score (weight_of_all answers score) r, r)) answers.

Lemma weight_of_all_above {A} (answers : list A) (score : A -> R) best :
  In best answers -> exp (score best) <= weight_of_all answers score.
Proof.
  intros I. unfold weight_of_all. induction answers as [| r answers IH]; [destruct I |]. simpl.
  assert (P : 0 <= total answers (fun r => exp (score r))) by (apply total_nonneg; intros; left; apply exp_pos).
  assert (Q := exp_pos (score r)). destruct I as [-> | I]; [lra | specialize (IH I); unfold weight_of_all in IH; lra].
Qed.

Lemma weight_of_all_positive {A} (answers : list A) (score : A -> R) : answers <> [] -> 0 < weight_of_all answers score.
Proof.
  intros H. destruct answers as [| r answers]; [congruence |].
  eapply Rlt_le_trans; [apply (exp_pos (score r)) | apply weight_of_all_above; left; reflexivity].
Qed.

Lemma mean_choose {A} (answers : list A) (score : A -> R) f :
  mean (choose answers score) f = total answers (fun r => proportional score (weight_of_all answers score) r * f r).
Proof. unfold mean, choose. rewrite total_map. reflexivity. Qed.

Lemma proper_choose {A} (answers : list A) (score : A -> R) : answers <> [] -> proper (choose answers score).
Proof.
  intros H. assert (P := weight_of_all_positive answers score H). split.
  - intros wa I. apply in_map_iff in I. destruct I as [r [<- _]]. left.
    apply Rdiv_lt_0_compat; [apply exp_pos | exact P].
  - rewrite mean_choose. unfold proportional, Rdiv.
    rewrite (total_ext _ _ (fun r => exp (score r) * / weight_of_all answers score)) by (intros; ring).
    rewrite total_scal_r. fold (weight_of_all answers score). field. lra.
Qed.

(** Scores that are at most h apart. *)
Lemma choose_below {A} (answers : list A) (s t : A -> R) h : answers <> [] ->
  (forall r, In r answers -> Rabs (s r - t r) <= h) -> below (choose answers s) (choose answers t) (exp (2 * h)) 0.
Proof.
  intros NE H T. unfold Pr. rewrite !mean_choose, Rplus_0_r, <- total_scal. apply total_le. intros r I.
  assert (Ps := weight_of_all_positive answers s NE). assert (Pt := weight_of_all_positive answers t NE).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [unfold indicator; destruct (T r); lra |].
  apply ratio_of_weights; [exact Ps | exact Pt | apply (near_weights s t), H, I |].
  unfold weight_of_all. rewrite <- total_scal. apply total_le. intros a J. apply (near_weights s t), H, J.
Qed.

Theorem finite_exponential_private {X A} (neighbor : X -> X -> Prop) (answers : list A) (u : X -> A -> R) eps Du :
  answers <> [] -> 0 <= eps -> 0 < Du ->
  (forall x y r, neighbor x y -> In r answers -> Rabs (u x r - u y r) <= Du) ->
  forall x y, neighbor x y ->
  below (choose answers (fun r => eps * u x r / (2 * Du))) (choose answers (fun r => eps * u y r / (2 * Du)))
    (exp eps) 0.
Proof.
  intros NE He HD HU x y N. replace (exp eps) with (exp (2 * (eps / 2))) by (f_equal; field).
  apply choose_below; [exact NE |]. intros r I. apply half_eps_apart; auto.
Qed.

Theorem finite_exponential_useful {A} (answers : list A) (u : A -> R) (best : A) eps Du c :
  In best answers -> 0 < eps -> 0 < Du ->
  Pr (choose answers (fun r => eps * u r / (2 * Du)))
    (fun r => Rleb (u r) (u best - 2 * Du / eps * (ln (INR (length answers)) + c))) <= exp (- c).
Proof.
  intros I He HD. set (score := fun r => eps * u r / (2 * Du)). set (m := INR (length answers)).
  assert (Hm : 0 < m) by (apply lt_0_INR; destruct answers; [destruct I | simpl; lia]).
  assert (B := weight_of_all_above answers score best I). assert (P := exp_pos (score best)).
  unfold Pr. rewrite mean_choose. apply Rle_trans with (total answers (fun _ => exp (- c) / m)).
  - apply total_le. intros r _. assert (E := exp_pos (- c)).
    assert (Q : 0 <= exp (- c) / m) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
    unfold indicator. destruct (Rleb _ _) eqn:L; [| rewrite Rmult_0_r; exact Q].
    apply Rleb_true in L. rewrite Rmult_1_r.
    unfold proportional. apply Rmult_le_reg_r with (weight_of_all answers score); [lra |].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (exp (- c) / m * exp (score best)); [| apply Rmult_le_compat_l; [exact Q | exact B]].
    apply weight_of_bad; assumption.
  - rewrite total_const. fold m. right. field. lra.
Qed.

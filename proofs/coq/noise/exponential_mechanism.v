(** The exponential mechanism: its privacy, its utility, and why the weights have a 2.

    Answers are of any type A, finitely or infinitely many. On the data set x the answer r has the score
    u x r, and is drawn with a probability proportional to e^(eps u(x, r)/(2 Du)), where Du > 0 bounds the
    change of u over all answers and neighbours. Z x is the sum of all weights, which must be finite.

    - [exponential_mechanism_private]: the mechanism is (eps, 0)-DP, for every eps >= 0 and all events;
    - [exponential_mechanism_useful]: with m answers, eps > 0 and every real c, the probability of an answer
      with u <= OPT - (2 Du/eps)(ln m + c) is at most e^-c, where OPT is the score of some answer: the best;
    - [exponential_mechanism_half]: with e^(eps u/Du) in place of it the mechanism is not eps-DP: three
      answers, e^eps = 2, one against all others.

    Idea: each weight changes by a factor of at most e^(eps/2), and so does their sum. Each of the at most m
    bad answers has at most e^-c/m times the weight of the best.
    Source: McSherry and Talwar 2007; Dwork and Roth 2014, theorems 3.10 and 3.11. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums.
Import ListNotations.
Open Scope R_scope.

(** Probabilities proportional to e^score, where the weights add up to Z. *)
Definition proportional {A} (score : A -> R) (Z : R) (r : A) : R := exp (score r) / Z.

(** A sum of positive terms is positive. *)
Lemma weights_positive {A} (score : A -> R) (Z : R) (r : A) : sum_of (fun r => exp (score r)) Z -> 0 < Z.
Proof.
  intros H. apply Rlt_le_trans with (total [r] (fun r => exp (score r))).
  - simpl. assert (X := exp_pos (score r)). lra.
  - apply sum_of_upper; [exact H | constructor; [intros [] | constructor]].
Qed.

Lemma proportional_nonneg {A} (score : A -> R) (Z : R) r :
  sum_of (fun r => exp (score r)) Z -> 0 <= proportional score Z r.
Proof.
  intros H. left. apply Rdiv_lt_0_compat; [apply exp_pos |]. exact (weights_positive score Z r H).
Qed.

Lemma proportional_law {A} (score : A -> R) (Z : R) (r : A) :
  sum_of (fun r => exp (score r)) Z -> law (proportional score Z).
Proof.
  intros H. assert (P := weights_positive score Z r H). apply law_sum_of. split.
  - intros a. apply proportional_nonneg, H.
  - replace 1 with (/ Z * Z) by (field; lra).
    apply (sum_of_ext (fun r => / Z * exp (score r))); [intros a; unfold proportional, Rdiv; ring |].
    apply sum_of_scal; [| exact H]. left. apply Rinv_0_lt_compat, P.
Qed.

(** The weight of an answer, and the sum of all weights, change by a factor of at most e^h. *)
Lemma ratio_of_weights {A} (s t : A -> R) (Zs Zt h : R) r :
  0 < Zs -> 0 < Zt -> exp (s r) <= exp h * exp (t r) -> Zt <= exp h * Zs ->
  proportional s Zs r <= exp (2 * h) * proportional t Zt r.
Proof.
  intros Ps Pt W ZZ. unfold proportional. replace (2 * h) with (h + h) by ring. rewrite exp_plus.
  apply Rmult_le_reg_r with (Zs * Zt); [apply Rmult_lt_0_compat; assumption |].
  replace (exp (s r) / Zs * (Zs * Zt)) with (exp (s r) * Zt) by (field; lra).
  replace (exp h * exp h * (exp (t r) / Zt) * (Zs * Zt)) with (exp h * exp (t r) * (exp h * Zs))
    by (field; lra).
  apply Rmult_le_compat; [left; apply exp_pos | lra | exact W | exact ZZ].
Qed.

(** Scores that are at most h apart. *)
Lemma near_weights {A} (s t : A -> R) h r :
  Rabs (s r - t r) <= h -> exp (s r) <= exp h * exp (t r) /\ exp (t r) <= exp h * exp (s r).
Proof.
  intros H. assert (X := Rle_abs (s r - t r)). assert (Y := Rle_abs (- (s r - t r))).
  rewrite Rabs_Ropp in Y. rewrite <- !exp_plus. split; apply exp_le; lra.
Qed.

Lemma proportional_ratio {A} (s t : A -> R) (Zs Zt h : R) r :
  sum_of (fun r => exp (s r)) Zs -> sum_of (fun r => exp (t r)) Zt ->
  (forall r, Rabs (s r - t r) <= h) ->
  proportional s Zs r <= exp (2 * h) * proportional t Zt r.
Proof.
  intros Hs Ht H. assert (Ps := weights_positive s Zs r Hs). assert (Pt := weights_positive t Zt r Ht).
  apply ratio_of_weights; [assumption | assumption | apply (near_weights s t), H |].
  apply (sum_of_least _ _ _ Ht). intros l N. apply Rle_trans with (exp h * total l (fun r => exp (s r))).
  - rewrite <- total_scal. apply total_le. intros a _. apply (near_weights s t), H.
  - apply Rmult_le_compat_l; [left; apply exp_pos | apply sum_of_upper; assumption].
Qed.

(** The scores in the exponent. *)
Lemma half_eps_apart u v eps Du : 0 <= eps -> 0 < Du -> Rabs (u - v) <= Du ->
  Rabs (eps * u / (2 * Du) - eps * v / (2 * Du)) <= eps / 2.
Proof.
  intros He HD H. replace (eps * u / (2 * Du) - eps * v / (2 * Du)) with (eps / (2 * Du) * (u - v)) by (field; lra).
  assert (C : 0 <= eps / (2 * Du)) by (apply Rmult_le_pos; [exact He | left; apply Rinv_0_lt_compat; lra]).
  rewrite Rabs_mult, (Rabs_right (eps / (2 * Du))) by lra.
  replace (eps / 2) with (eps / (2 * Du) * Du) by (field; lra). apply Rmult_le_compat_l; assumption.
Qed.

(** A bad answer has at most e^-c/m times the weight of the best. *)
Lemma weight_of_bad u best eps Du m c : 0 < eps -> 0 < Du -> 0 < m -> u <= best - 2 * Du / eps * (ln m + c) ->
  exp (eps * u / (2 * Du)) <= exp (- c) / m * exp (eps * best / (2 * Du)).
Proof.
  intros He HD Hm H.
  replace (exp (- c) / m * exp (eps * best / (2 * Du))) with (exp (- c + - ln m + eps * best / (2 * Du)))
    by (rewrite !exp_plus, (exp_Ropp (ln m)), exp_ln by exact Hm; field; lra).
  apply exp_le. apply (Rmult_le_compat_l (eps / (2 * Du))) in H; [| left; apply Rdiv_lt_0_compat; lra].
  replace (eps / (2 * Du) * (best - 2 * Du / eps * (ln m + c))) with (- c + - ln m + eps * best / (2 * Du)) in H
    by (field; lra).
  replace (eps * u / (2 * Du)) with (eps / (2 * Du) * u) by (field; lra). exact H.
Qed.

(** Ledger row exponential-mechanism-privacy. *)
Theorem exponential_mechanism_private {X A} (neighbor : X -> X -> Prop)
    (u : X -> A -> R) (Z : X -> R) eps Du :
  0 <= eps -> 0 < Du -> (forall x y r, neighbor x y -> Rabs (u x r - u y r) <= Du) ->
  (forall x, sum_of (fun r => exp (eps * u x r / (2 * Du))) (Z x)) ->
  forall x y, neighbor x y -> forall (T : A -> Prop) p q,
  mass_of (proportional (fun r => eps * u x r / (2 * Du)) (Z x)) T p ->
  mass_of (proportional (fun r => eps * u y r / (2 * Du)) (Z y)) T q -> p <= exp eps * q.
Proof.
  intros He HD HU HZ x y N T p q Hp Hq. rewrite <- (Rplus_0_r (_ * q)).
  refine (mass_below_all_events _ _ _ _ (Rlt_le _ _ (exp_pos _)) _ T p q Hp Hq).
  apply mass_below_pointwise. intros r. replace (exp eps) with (exp (2 * (eps / 2))) by (f_equal; field).
  apply proportional_ratio; [apply HZ | apply HZ |]. intros a. apply (half_eps_apart (u x a) (u y a)); auto.
Qed.

(** Ledger row exponential-mechanism-utility. *)
Theorem exponential_mechanism_useful {A} (answers : list A) (u : A -> R) (best : A) (Z eps Du c p : R) :
  (forall r, In r answers) -> 0 < eps -> 0 < Du ->
  sum_of (fun r => exp (eps * u r / (2 * Du))) Z ->
  mass_of (proportional (fun r => eps * u r / (2 * Du)) Z)
    (fun r => u r <= u best - 2 * Du / eps * (ln (INR (length answers)) + c)) p ->
  p <= exp (- c).
Proof.
  intros All He HD HZ [_ L]. set (m := INR (length answers)) in *.
  assert (Hm : 0 < m).
  { apply lt_0_INR. destruct answers; [destruct (All best) | simpl; lia]. }
  assert (P := weights_positive _ Z best HZ). set (b := exp (eps * u best / (2 * Du))).
  assert (B : b <= Z).
  { replace b with (total [best] (fun r => exp (eps * u r / (2 * Du)))) by (simpl; unfold b; ring).
    apply sum_of_upper; [exact HZ | constructor; [intros [] | constructor]]. }
  apply L. intros s [l [N [I ->]]].
  apply Rle_trans with (total l (fun _ => exp (- c) / m)).
  - apply total_le. intros r Ir. specialize (I r Ir). cbv beta in I.
    apply Rle_trans with (exp (- c) / m * b / Z).
    + unfold proportional. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P |].
      apply weight_of_bad; assumption.
    + apply Rmult_le_reg_r with Z; [exact P |].
      replace (exp (- c) / m * b / Z * Z) with (exp (- c) / m * b) by (field; lra).
      apply Rmult_le_compat_l; [| exact B]. left. apply Rdiv_lt_0_compat; [apply exp_pos | exact Hm].
  - rewrite total_const. apply Rle_trans with (m * (exp (- c) / m)); [| right; field; lra].
    apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; [apply exp_pos | exact Hm] |].
    apply le_INR, NoDup_incl_length; [exact N |]. intros r _. apply All.
Qed.

(** The sum over a type whose elements a list has, each once. *)
Lemma sum_of_listed {A} (f : A -> R) (answers : list A) :
  NoDup answers -> (forall r, In r answers) -> (forall r, 0 <= f r) -> sum_of f (total answers f).
Proof.
  intros N All P. apply sum_of_intro.
  - intros l Nl. apply total_incl; [exact Nl | intros r _; apply All | intros r _; apply P].
  - intros b Hb. apply Hb, N.
Qed.

(** One answer against two: the first data set likes the first, its neighbour the others. *)
Definition one_against_two (x : bool) (r : option bool) : R :=
  match r with None => if x then 1 else 0 | Some _ => if x then 0 else 1 end.

(** Ledger row exponential-mechanism-half. *)
Theorem exponential_mechanism_half :
  exists (u : bool -> option bool -> R) (Z : bool -> R),
  (forall x y r, Rabs (u x r - u y r) <= 1) /\
  (forall x, sum_of (fun r => exp (ln 2 * u x r)) (Z x)) /\
  exp (ln 2) * proportional (fun r => ln 2 * u false r) (Z false) None <
    proportional (fun r => ln 2 * u true r) (Z true) None.
Proof.
  set (answers := [None; Some true; Some false]).
  exists one_against_two, (fun x => total answers (fun r => exp (ln 2 * one_against_two x r))).
  split; [| split].
  - intros [] [] [[] |]; simpl; apply Rabs_le; lra.
  - intros x. apply sum_of_listed.
    + repeat constructor; simpl; intuition discriminate.
    + intros [[] |]; simpl; auto.
    + intros r. left. apply exp_pos.
  - unfold proportional. simpl. rewrite !Rmult_1_r, !Rmult_0_r, exp_0, exp_ln by lra. lra.
Qed.

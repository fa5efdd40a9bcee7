(** A mean is at most the largest term.

    1. Let each message have a real weight, let all n users hold the input x, and let no outcome of the
       row of x that has a probability exceed t in its summed weight. Then the mean over the users of
       their summed weights exceeds t with probability 0, for every n >= 1; and only then: one user
       contradicts it otherwise ([mean_at_most], both directions). Weights and t of either sign; any
       number of messages per user.

    2. The same for divergences: a mixture of pairs of laws, with the same law of which pair it is on both
       sides, has at most the mean of their hockey-sticks ([mixture_hockey_stick]), so at most the largest
       of them: it is (E, delta)-below if each of its pairs is ([mixture_below]); every real E and delta.

    Idea: a sum of n + 1 terms exceeds (n + 1) t only if the first exceeds t or the rest exceed n t. An
    excess of a mixture is the mean of the excesses.

    The class ZeroEstimate of exactdp/checker/accuracy.py rests on 1. Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** ** Means over users *)

(** An event of two independent parts is impossible if it needs one of two that are. *)
Lemma mean_of_impossible {A} (d : dist A) (f : A -> R) S :
  proper d -> (forall a, 0 <= f a <= indicator S a) -> Pr d S = 0 -> mean d f = 0.
Proof.
  intros H B Z. apply Rle_antisym.
  - rewrite <- Z. apply mean_le; [exact H |]. intros a. apply B.
  - apply mean_nonneg; [exact H |]. intros a. apply B.
Qed.

(** The event that the summed weights of the messages exceed a number. *)
Definition exceeds {M} (weight : M -> R) (t : R) (u : list M) : bool := Rltb t (total u weight).

Lemma exceeds_app {M} (weight : M -> R) s t u v :
  exceeds weight (s + t) (u ++ v) = true -> exceeds weight s u = true \/ exceeds weight t v = true.
Proof.
  unfold exceeds. rewrite !Rltb_true, total_app. intros H.
  destruct (Rlt_dec s (total u weight)); [left; assumption | right; lra].
Qed.

Lemma sum_at_most {X M} (R : X -> dist (list M)) (weight : M -> Rdefinitions.R) x t n :
  (forall x, proper (R x)) -> Pr (R x) (exceeds weight t) = 0 ->
  Pr (messages R (repeat x n)) (exceeds weight (INR n * t)) = 0.
Proof.
  intros HR H. induction n as [| n IH].
  - simpl. rewrite Pr_ret. unfold indicator, exceeds, Rltb. simpl.
    destruct (Rlt_dec _ _); [exfalso; lra | reflexivity].
  - change (repeat x (S n)) with (x :: repeat x n). unfold Pr. rewrite mean_messages_first.
    apply (mean_of_impossible (R x) _ (exceeds weight t)); [apply HR | | exact H].
    intros mine. set (D := messages R (repeat x n)) in *. assert (PD : proper D)
      by (apply proper_messages, HR).
    assert (B : 0 <= mean D (fun others => indicator (exceeds weight (INR (S n) * t)) (mine ++ others))).
    { apply mean_nonneg; [exact PD |]. intros a. apply indicator_bounds. }
    split; [exact B |]. unfold indicator at 2. destruct (exceeds weight t mine) eqn:Mine.
    + rewrite <- (mean_const D 1 PD). apply mean_le; [exact PD |]. intros a. apply indicator_bounds.
    + apply Req_le. apply (mean_of_impossible D _ (exceeds weight (INR n * t))); [exact PD | | exact IH].
      intros others. split; [apply indicator_bounds |]. unfold indicator.
      destruct (exceeds weight (INR (S n) * t) (mine ++ others)) eqn:Both.
      * rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, Rplus_comm in Both.
        apply exceeds_app in Both. destruct Both as [Both | ->]; [congruence | lra].
      * destruct (exceeds weight (INR n * t) others); lra.
Qed.

(** The mean over users of the summed weights. *)
Definition mean_exceeds {M} (weight : M -> R) (n : nat) (t : R) (u : list M) : bool :=
  Rltb t (total u weight / INR n).

Lemma mean_exceeds_sum {M} (weight : M -> R) n t u :
  (1 <= n)%nat -> mean_exceeds weight n t u = exceeds weight (INR n * t) u.
Proof.
  intros Hn. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  unfold mean_exceeds, exceeds, Rltb. set (s := total u weight).
  assert (E : s = INR n * (s / INR n)) by (field; lra).
  destruct (Rlt_dec t (s / INR n)) as [L | L], (Rlt_dec (INR n * t) s) as [K | K]; try reflexivity; exfalso.
  - apply K. rewrite E. apply Rmult_lt_compat_l; assumption.
  - apply L. rewrite E in K. apply Rmult_lt_reg_l in K; assumption.
Qed.

Theorem mean_at_most {X M} (R : X -> dist (list M)) (weight : M -> Rdefinitions.R) x t :
  (forall x, proper (R x)) ->
  (Pr (R x) (exceeds weight t) = 0 <->
   forall n, (1 <= n)%nat -> Pr (messages R (repeat x n)) (mean_exceeds weight n t) = 0).
Proof.
  intros HR. split.
  - intros H n Hn. rewrite (Pr_ext _ _ _ (fun u => mean_exceeds_sum weight n t u Hn)).
    apply sum_at_most; assumption.
  - intros H. rewrite <- (H 1%nat (le_n 1)). change (repeat x 1) with [x].
    unfold Pr. rewrite mean_messages_first. apply mean_ext. intros mine.
    change (messages R []) with (ret (@nil M)). rewrite mean_ret, app_nil_r. unfold indicator.
    rewrite (mean_exceeds_sum weight 1 t mine (le_n 1)). simpl. rewrite Rmult_1_l. reflexivity.
Qed.

(** ** Mixtures of pairs *)

Theorem mixture_hockey_stick {I A} (W : dist I) (P Q : I -> dist A) E :
  proper W ->
  hockey_stick (bind W P) (bind W Q) E <= mean W (fun i => hockey_stick (P i) (Q i) E).
Proof.
  intros HW. apply hockey_stick_iff. intros T. rewrite !Pr_bind, <- mean_scal, <- mean_plus.
  apply mean_le; [exact HW |]. intros i. apply below_hockey_stick.
Qed.

Lemma mixture_below {I A} (W : dist I) (P Q : I -> dist A) E delta :
  proper W -> (forall i, below (P i) (Q i) E delta) -> below (bind W P) (bind W Q) E delta.
Proof.
  intros HW H. apply hockey_stick_iff. eapply Rle_trans; [apply mixture_hockey_stick, HW |].
  rewrite <- (mean_const W delta HW). apply mean_le; [exact HW |]. intros i.
  apply hockey_stick_iff, H.
Qed.

(** Taylor sums around e^x.

    [taylor_sum x K] is the sum of x^k / k! over k < K: K terms, as in the function [taylor_sum] of the
    checker (exactdp/checker/divergences.py).

    - Its method [Level.below] takes [taylor_sum eps K] for a number at most e^eps: here
      [taylor_sum_below_exp], for every K and every x >= 0.
    - [Level.above] adds (x^K / K!) / (1 - x / (K + 1)), where K + 1 > x, and takes that for a number at
      least e^eps: here [exp_below_taylor_sum], for every K and every x with 0 <= x < K + 1.
    - [exponential_bounds] uses, for a polynomial u at most M on a cube and even K, that e^u lies between
      the Taylor sum and the Taylor sum plus C u^K / K! for any C >= e^max(0, M): here
      [taylor_sum_even_below_exp] and [exp_below_taylor_sum_even], for every real u.

    Proof. Lagrange's remainder: e^x is the sum plus e^y x^K / K! for some y between 0 and x, which is not
    negative if x >= 0 or K is even, and where y <= max(0, x). For the geometric remainder: each term
    beyond the K-th is at most r = x / (K + 1) times the one before, so that the sum of K + m terms with
    its next term over 1 - r falls in m, and the sums tend to e^x. Source: this package,
    docs/certificates.md, "Taylor sums bound e^eps" and "Taylor sums bound e^u on a cube". *)

From Coq Require Import Reals List Lra Lia Arith.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums reals.
Import ListNotations.
Open Scope R_scope.

Definition taylor_term (x : R) (k : nat) : R := x ^ k / INR (fact k).

Definition taylor_sum (x : R) (K : nat) : R := total (seq 0 K) (taylor_term x).

Lemma taylor_sum_S x K : taylor_sum x (S K) = taylor_sum x K + taylor_term x K.
Proof. apply total_seq_S. Qed.

Lemma taylor_term_nonneg x k : 0 <= x -> 0 <= taylor_term x k.
Proof.
  intros Hx. apply Rmult_le_pos; [apply pow_le, Hx |].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma taylor_term_S x k : taylor_term x (S k) = taylor_term x k * (x / INR (S k)).
Proof.
  unfold taylor_term. change (fact (S k)) with (S k * fact k)%nat. rewrite mult_INR. simpl pow.
  assert (INR (S k) <> 0) by (apply not_0_INR; lia).
  assert (INR (fact k) <> 0) by apply INR_fact_neq_0.
  field. split; assumption.
Qed.

(** ** Lagrange's remainder *)

(** The function t -> e^(t x) has the k-th derivative x^k e^(t x). *)
Lemma exp_scaled_derivatives x k t : is_derive_n (fun t => exp (t * x)) k t (x ^ k * exp (t * x)).
Proof.
  revert t. induction k as [| k IH]; intros t; simpl; [ring |].
  apply is_derive_ext with (f := fun t => x ^ k * exp (t * x)).
  - intros s. symmetry. apply is_derive_n_unique, IH.
  - auto_derive; [exact I | ring].
Qed.

Lemma taylor_lagrange x K :
  exists y, Rmin 0 x <= y <= Rmax 0 x /\ exp x = taylor_sum x K + exp y * taylor_term x K.
Proof.
  destruct K as [| n].
  - exists x. unfold taylor_sum, taylor_term, Rmin, Rmax. simpl.
    destruct (Rle_dec 0 x); (split; [lra | field]).
  - destruct (Taylor_Lagrange (fun t => exp (t * x)) n 0 1) as [z [Hz E]]; [lra | |].
    { intros t _ k _. destruct k; [exact I |]. eexists. apply (exp_scaled_derivatives x (S k)). }
    exists (z * x). split.
    + unfold Rmin, Rmax. destruct (Rle_dec 0 x) as [H | H]; split.
      * apply Rmult_le_pos; lra.
      * rewrite <- (Rmult_1_l x) at 2. apply Rmult_le_compat_r; lra.
      * apply Ropp_le_cancel. replace (- (z * x)) with (z * - x) by ring.
        rewrite <- (Rmult_1_l (- x)) at 2. apply Rmult_le_compat_r; lra.
      * apply Ropp_le_cancel. replace (- (z * x)) with (z * - x) by ring.
        rewrite Ropp_0. apply Rmult_le_pos; lra.
    + rewrite Rmult_1_l in E. rewrite E. unfold taylor_sum. rewrite total_sum_f_R0. f_equal.
      * apply sum_eq. intros k _.
        rewrite (is_derive_n_unique _ _ _ _ (exp_scaled_derivatives x k 0)).
        rewrite Rminus_0_r, pow1, Rmult_0_l, exp_0. unfold taylor_term, Rdiv. ring.
      * rewrite (is_derive_n_unique _ _ _ _ (exp_scaled_derivatives x (S n) z)).
        rewrite Rminus_0_r, pow1. unfold taylor_term, Rdiv. ring.
Qed.

(** ** Below *)

Theorem taylor_sum_below_exp x K : 0 <= x -> taylor_sum x K <= exp x.
Proof.
  intros Hx. destruct (taylor_lagrange x K) as [y [_ ->]].
  assert (0 <= exp y * taylor_term x K); [| lra].
  apply Rmult_le_pos; [left; apply exp_pos | apply taylor_term_nonneg, Hx].
Qed.

(** ** On both sides, with a factor for the remainder *)

Lemma taylor_term_even_nonneg x K : Nat.Even K -> 0 <= taylor_term x K.
Proof.
  intros [j ->]. unfold taylor_term. rewrite pow_mult.
  apply Rmult_le_pos; [apply pow_le, pow2_ge_0 |]. left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Theorem taylor_sum_even_below_exp u K : Nat.Even K -> taylor_sum u K <= exp u.
Proof.
  intros HK. destruct (taylor_lagrange u K) as [y [_ ->]].
  assert (0 <= exp y * taylor_term u K); [| lra].
  apply Rmult_le_pos; [left; apply exp_pos | apply taylor_term_even_nonneg, HK].
Qed.

Theorem exp_below_taylor_sum_even u M C K :
  Nat.Even K -> u <= M -> exp (Rmax 0 M) <= C ->
  exp u <= taylor_sum u K + C * (u ^ K / INR (fact K)).
Proof.
  intros HK HM HC. destruct (taylor_lagrange u K) as [y [[_ Hy] ->]].
  apply Rplus_le_compat_l, Rmult_le_compat_r; [apply taylor_term_even_nonneg, HK |].
  eapply Rle_trans; [| exact HC]. apply exp_le. eapply Rle_trans; [exact Hy |].
  apply Rle_max_compat_l, HM.
Qed.

(** ** Above, with a geometric remainder *)

(** A sum with its next term over 1 - r does not grow with the number of terms. *)
Lemma taylor_sum_with_remainder_falls x K m :
  0 <= x -> x < INR K + 1 ->
  taylor_sum x (K + m) + taylor_term x (K + m) / (1 - x / (INR K + 1)) <=
  taylor_sum x K + taylor_term x K / (1 - x / (INR K + 1)).
Proof.
  intros Hx HK. set (r := x / (INR K + 1)). assert (Hr : r < 1).
  { apply Rmult_lt_reg_r with (INR K + 1); [lra |]. unfold r. field_simplify; lra. }
  induction m as [| m IH]; [rewrite Nat.add_0_r; lra |].
  eapply Rle_trans; [| exact IH]. rewrite Nat.add_succ_r, taylor_sum_S, taylor_term_S.
  assert (Ht := taylor_term_nonneg x (K + m) Hx).
  assert (Hq : x / INR (S (K + m)) <= r).
  { apply Rmult_le_compat_l; [exact Hx |]. apply Rinv_le_contravar; [lra |].
    rewrite <- S_INR. apply le_INR. lia. }
  set (t := taylor_term x (K + m)) in *. set (q := x / INR (S (K + m))) in *.
  rewrite Rplus_assoc. apply Rplus_le_compat_l.
  apply Rmult_le_reg_r with (1 - r); [lra |].
  replace ((t + t * q / (1 - r)) * (1 - r)) with (t * (1 - r) + t * q) by (field; lra).
  replace (t / (1 - r) * (1 - r)) with t by (field; lra).
  assert (t * q <= t * r) by (apply Rmult_le_compat_l; assumption). lra.
Qed.

Lemma taylor_sums_tend_to_exp x : Un_cv (fun K => taylor_sum x (S K)) (exp x).
Proof.
  unfold exp. destruct (exist_exp x) as [l H]. simpl. intros e He.
  destruct (H e He) as [N HN]. exists N. intros n Hn. specialize (HN n Hn).
  replace (taylor_sum x (S n)) with (sum_f_R0 (fun i => / INR (fact i) * x ^ i) n); [exact HN |].
  unfold taylor_sum. rewrite total_sum_f_R0. apply sum_eq.
  intros i _. unfold taylor_term, Rdiv. ring.
Qed.

Theorem exp_below_taylor_sum x K :
  0 <= x -> x < INR K + 1 ->
  exp x <= taylor_sum x K + x ^ K / INR (fact K) / (1 - x / (INR K + 1)).
Proof.
  intros Hx HK. fold (taylor_term x K).
  assert (Hr : 0 < 1 - x / (INR K + 1)).
  { apply Rmult_lt_reg_r with (INR K + 1); [lra |]. field_simplify; lra. }
  set (U := taylor_sum x K + taylor_term x K / (1 - x / (INR K + 1))).
  destruct (Rle_or_lt (exp x) U) as [H | H]; [exact H | exfalso].
  destruct (taylor_sums_tend_to_exp x (exp x - U)) as [N HN]; [lra |].
  specialize (HN (K + N)%nat ltac:(lia)). unfold R_dist in HN. apply Rabs_def2 in HN.
  assert (F := taylor_sum_with_remainder_falls x K (S N) Hx HK).
  rewrite Nat.add_succ_r in F. fold U in F.
  assert (0 <= taylor_term x (S (K + N)) / (1 - x / (INR K + 1))).
  { apply Rmult_le_pos; [apply taylor_term_nonneg, Hx | left; apply Rinv_0_lt_compat, Hr]. }
  lra.
Qed.

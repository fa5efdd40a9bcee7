(** The least real s with tanh(eps/2) >= eps/sqrt(s) on (0, 1], to nine digits.

    [zsum_sqrt_digits]: 4.68269437 < 1/tanh(1/2)^2 < 4.682694377. By [zsum_sqrt_threshold] this number is
    that least s.

    Idea: 1/tanh(1/2) = (e + 1)/(e - 1), and e is enclosed by the Taylor sum of 14 terms at 1.
    (Source: this package.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums reals exponential zsum_sqrt5.
Open Scope R_scope.

Lemma taylor_sum_14 : taylor_sum 1 14 = 8463398743 / 3113510400.
Proof.
  rewrite !taylor_sum_S, !taylor_term_S. unfold taylor_sum, taylor_term. simpl. field.
Qed.

Lemma taylor_term_14 : taylor_term 1 14 = 1 / 87178291200.
Proof. rewrite !taylor_term_S. unfold taylor_term. simpl. field. Qed.

Lemma e_enclosed : 271828182844 / 100000000000 < exp 1 < 27182818285 / 10000000000.
Proof.
  assert (L := taylor_sum_below_exp 1 14 ltac:(lra)).
  assert (N : INR 14 + 1 = 15) by (simpl; ring).
  assert (U := exp_below_taylor_sum 1 14 ltac:(lra) ltac:(lra)). rewrite N in U.
  fold (taylor_term 1 14) in U. rewrite taylor_term_14, taylor_sum_14 in U.
  rewrite taylor_sum_14 in L. lra.
Qed.

Theorem zsum_sqrt_digits : 468269437 / 100000000 < 1 / tanh (1 / 2) ^ 2 < 4682694377 / 1000000000.
Proof.
  rewrite tanh_half. destruct e_enclosed as [L U]. set (e := exp 1) in *.
  assert (P : 0 < (e - 1) ^ 2) by (apply pow_lt; lra).
  replace (1 / ((e - 1) / (e + 1)) ^ 2) with ((e + 1) ^ 2 / (e - 1) ^ 2) by (field; lra).
  assert (Q : (e + 1) ^ 2 / (e - 1) ^ 2 * (e - 1) ^ 2 = (e + 1) ^ 2) by (field; lra).
  split; apply Rmult_lt_reg_r with ((e - 1) ^ 2); try exact P; rewrite Q.
  - assert (0 < (27182818285 / 10000000000 - e) * (e - 36 / 100)) by (apply Rmult_lt_0_compat; lra). lra.
  - assert (0 < (e - 271828182844 / 100000000000) * (e - 36 / 100)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** The least real s with tanh(eps/2) >= eps/sqrt(s) on (0, 1], to nine digits.

    [zsum_sqrt_digits]: 4.68269437 < 1/tanh(1/2)^2 < 4.682694377. By [zsum_sqrt_threshold] this number is
    that least s.

    Idea: 1/tanh(1/2) = (e + 1)/(e - 1), and e is enclosed by the program of exponential_fixed_point.v.
    (Source: this package.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import reals fixed_point exponential_fixed_point zsum_sqrt5.
Open Scope R_scope.

Lemma e_enclosed : 271828182844 / 100000000000 < exp 1 < 27182818285 / 10000000000.
Proof.
  assert (H := exp_enclosed 40 (two 40) (two 40) 1 ltac:(rewrite IZR_two; lra)).
  assert (C : exp_bounds 40 (two 40) = (2988782477962, 2988782477963)%Z) by (vm_compute; reflexivity).
  rewrite C in H. cbn [fst snd] in H. lra.
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

(** Poisson laws are infinitely divisible: n shares add up to the whole noise.

    With [convolved_masses] and [shares] of negative_binomial_sums.v:
    - [poisson_convolved]: independent draws from the Poisson laws of means mu and nu add up to that of mean mu + nu,
      for all real mu and nu, mass by mass;
    - [poisson_divisible]: n independent draws of mean mu/n add up to mean mu, for n >= 1 and real mu.

    Proof. The masses have (t + 1) w(t + 1) = mu w(t). In (t + 1) times the mass of the sum at t + 1 write
    t + 1 = i + (t + 1 - i) in the i-th term: it is (mu + nu) times the mass at t. Source: standard. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums negative_binomial_sums poisson_noise.
Import ListNotations.
Open Scope R_scope.

Lemma poisson_recursion_convolved mu nu t :
  (INR t + 1) * convolved_masses (poisson mu) (poisson nu) (S t) =
  (mu + nu) * convolved_masses (poisson mu) (poisson nu) t.
Proof.
  unfold convolved_masses. set (u := poisson mu). set (v := poisson nu).
  assert (A : total (seq 0 (S (S t))) (fun i => INR i * u i * v (S t - i)%nat) =
    total (seq 0 (S t)) (fun i => mu * u i * v (t - i)%nat)).
  { rewrite total_seq_shift. simpl INR at 1. rewrite !Rmult_0_l, Rplus_0_l. apply total_ext. intros i _.
    unfold u. rewrite S_INR, poisson_step. reflexivity. }
  assert (B : total (seq 0 (S (S t))) (fun i => u i * (INR (S t - i) * v (S t - i)%nat)) =
    total (seq 0 (S t)) (fun i => u i * (nu * v (t - i)%nat))).
  { rewrite total_seq_S, Nat.sub_diag. simpl INR at 2. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r.
    apply total_ext. intros i I. apply in_seq in I. replace (S t - i)%nat with (S (t - i)) by lia.
    unfold v. rewrite S_INR, poisson_step. reflexivity. }
  transitivity (total (seq 0 (S (S t))) (fun i => INR i * u i * v (S t - i)%nat) +
    total (seq 0 (S (S t))) (fun i => u i * (INR (S t - i) * v (S t - i)%nat))).
  - rewrite <- total_plus, <- total_scal. apply total_ext. intros i I. apply in_seq in I.
    rewrite minus_INR, S_INR by lia. ring.
  - rewrite A, B, <- total_plus, <- total_scal. apply total_ext. intros i _. ring.
Qed.

Theorem poisson_convolved mu nu t : convolved_masses (poisson mu) (poisson nu) t = poisson (mu + nu) t.
Proof.
  induction t as [| t IH].
  - unfold convolved_masses, poisson. simpl. replace (- (mu + nu)) with (- mu + - nu) by ring.
    rewrite exp_plus. field.
  - assert (P := pos_INR t). apply Rmult_eq_reg_l with (INR t + 1); [| lra].
    rewrite poisson_recursion_convolved, IH, poisson_step. reflexivity.
Qed.

Theorem poisson_divisible mu n t : (1 <= n)%nat -> shares (poisson (mu / INR n)) n t = poisson mu t.
Proof.
  intros Hn. assert (N : INR n <> 0) by (apply not_0_INR; lia).
  replace mu with (INR n * (mu / INR n)) at 2 by (field; exact N). generalize (mu / INR n) as share. clear Hn N.
  intros share. revert t. induction n as [| n IH]; intros t; cbn [shares].
  - simpl INR. rewrite Rmult_0_l. unfold poisson. rewrite Ropp_0, exp_0. destruct t as [| t]; [simpl; field |].
    rewrite pow_i by lia. simpl no_noise. ring.
  - rewrite S_INR. replace ((INR n + 1) * share) with (share + INR n * share) by ring. rewrite <- poisson_convolved.
    apply total_ext. intros i _. rewrite IH. reflexivity.
Qed.

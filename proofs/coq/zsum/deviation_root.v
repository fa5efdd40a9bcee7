(** The deviation h for a probability beta of failure, as the root of its equation.

    For L >= 0 the equation h^2 = L (2 + h) has exactly one root h >= 0 ([deviation_root_unique]). So the
    accuracy of zsum for any beta, and the bound h <= 1.2808 eps, hold for this root, however it is found:
    [zsum_accuracy_at_root] and [deviation_root_bound]. Idea: h^2 - L (2 + h) is negative between 0 and the
    root and positive above. (Source: this package.) *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals laws privacy zsum zsum_accuracy zsum_accuracy_theorem.
Open Scope R_scope.

Lemma deviation_roots_equal L g h : 0 <= L -> 0 <= g -> 0 <= h ->
  g ^ 2 = L * (2 + g) -> h ^ 2 = L * (2 + h) -> g = h.
Proof.
  intros HL Hg Hh G H. destruct (Req_dec g h) as [E | N]; [exact E | exfalso].
  assert (S : (g - h) * (g + h - L) = 0) by lra. apply Rmult_integral in S. destruct S as [S | S]; [lra |].
  assert (GH : g * h = - (2 * L)) by (replace h with (L - g) by lra; lra).
  assert (0 <= g * h) by (apply Rmult_le_pos; assumption). assert (L = 0) by lra. lra.
Qed.

Theorem deviation_root_unique L : 0 <= L -> exists! h, 0 <= h /\ h ^ 2 = L * (2 + h).
Proof.
  intros HL. exists ((L + sqrt (L ^ 2 + 8 * L)) / 2).
  destruct (deviation_root_equation L HL) as [R0 R1].
  split; [split; assumption |]. intros h [H0 H1]. apply (deviation_roots_equal L); assumption.
Qed.

(** A root h >= 0 is the one that zsum_accuracy_theorem.v spells out. *)
Lemma deviation_root_is L h : 0 <= L -> 0 <= h -> h ^ 2 = L * (2 + h) -> h = (L + sqrt (L ^ 2 + 8 * L)) / 2.
Proof.
  intros HL H0 H1. destruct (deviation_root_equation L HL) as [R0 R1].
  apply (deviation_roots_equal L); assumption.
Qed.

(** Ledger row zsum-accuracy-every-beta. *)
Theorem zsum_accuracy_at_root (n : nat) (gamma beta h : R) (xs : list bool) :
  (1 <= n)%nat -> 0 < gamma <= 1 -> 0 < beta < 1 -> length xs = n ->
  let L := ln (1 / beta) / (INR n * gamma) in
  0 <= h -> h ^ 2 = L * (2 + h) ->
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb (gamma * (1 + h)) (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) <= beta.
Proof.
  intros Hn Hg Hb Hl L H0 H1. assert (HL : 0 <= L).
  { unfold L. left. apply Rdiv_lt_0_compat.
    - apply ln_positive. apply Rmult_lt_reg_r with beta; [lra |].
      replace (1 / beta * beta) with 1 by (field; lra). lra.
    - apply Rmult_lt_0_compat; [apply INR_positive, Hn | lra]. }
  rewrite (deviation_root_is L h HL H0 H1). apply zsum_accuracy_every_beta; assumption.
Qed.

(** Ledger row zsum-accuracy-root. *)
Theorem deviation_root_bound eps L h :
  0 < eps <= 1 -> 0 <= L <= eps ^ 2 / 2 -> 0 <= h -> h ^ 2 = L * (2 + h) -> h <= 12808 / 10000 * eps.
Proof.
  intros He HL H0 H1. rewrite (deviation_root_is L h (proj1 HL) H0 H1). apply zsum_accuracy_root; assumption.
Qed.

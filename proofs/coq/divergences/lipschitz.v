(** A Lipschitz law is pure.

    Let w be masses on the integers, none negative, and X >= 1, such that neighbouring masses differ by a
    factor of at most X: w (t+1) <= X w t and w t <= X w (t+1) for all t. Then w t <= X^j w (t - j) and
    w (t - j) <= X^j w t, so that Y and Y + j are (E, 0)-below each other, in both orders, for every j from
    1 to [most] and every E >= X^most ([lipschitz_private]; with e^eps and e^x, where eps >= most x,
    [lipschitz_private_exp]): the divergence is 0, and at most every delta >= 0. The two-sided geometric
    (discrete Laplace) law of ratio a = 1/X is such a law ([discrete_laplace_lipschitz]).

    The method ShiftPrivacy.prove_pure of exactdp/checker/noise_privacy.py rests on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses geometric_noise shifts.
Import ListNotations.
Open Scope R_scope.

Definition lipschitz (w : Z -> R) (X : R) : Prop :=
  (forall t, 0 <= w t) /\ forall t, w (t + 1)%Z <= X * w t /\ w t <= X * w (t + 1)%Z.

Lemma lipschitz_far (w : Z -> R) X (j : nat) t :
  0 <= X -> lipschitz w X ->
  w t <= X ^ j * w (t - Z.of_nat j)%Z /\ w (t - Z.of_nat j)%Z <= X ^ j * w t.
Proof.
  intros HX [_ L]. induction j as [| j [IH1 IH2]].
  - simpl. replace (t - 0)%Z with t by lia. lra.
  - destruct (L (t - Z.of_nat (S j))%Z) as [A B].
    replace (t - Z.of_nat (S j) + 1)%Z with (t - Z.of_nat j)%Z in A, B by lia.
    assert (P : 0 <= X ^ j) by (apply pow_le; exact HX). simpl pow. split.
    + eapply Rle_trans; [exact IH1 |].
      replace (X * X ^ j * w (t - Z.of_nat (S j))%Z) with (X ^ j * (X * w (t - Z.of_nat (S j))%Z)) by ring.
      apply Rmult_le_compat_l; assumption.
    + eapply Rle_trans; [exact B |]. rewrite Rmult_assoc. apply Rmult_le_compat_l; assumption.
Qed.

Theorem lipschitz_private (w : Z -> R) X (most : nat) E j :
  1 <= X -> lipschitz w X -> X ^ most <= E -> (1 <= j <= Z.of_nat most)%Z ->
  mass_below w (shifted w j) E 0 /\ mass_below (shifted w j) w E 0.
Proof.
  intros HX L HE [J1 J2]. assert (F : X ^ Z.to_nat j <= E).
  { eapply Rle_trans; [| exact HE]. apply Rle_pow; [exact HX | lia]. }
  assert (Far := fun t => lipschitz_far w X (Z.to_nat j) t ltac:(lra) L).
  rewrite Z2Nat.id in Far by lia.
  split; apply mass_below_pointwise; intros t; unfold shifted; destruct (Far t) as [A B].
  - eapply Rle_trans; [exact A |]. apply Rmult_le_compat_r; [apply L | exact F].
  - eapply Rle_trans; [exact B |]. apply Rmult_le_compat_r; [apply L | exact F].
Qed.

Lemma lipschitz_private_exp (w : Z -> R) x (most : nat) eps j :
  0 <= x -> lipschitz w (exp x) -> INR most * x <= eps -> (1 <= j <= Z.of_nat most)%Z ->
  mass_below w (shifted w j) (exp eps) 0 /\ mass_below (shifted w j) w (exp eps) 0.
Proof.
  intros Hx L H J. apply (lipschitz_private w (exp x) most); [apply exp_ge_1, Hx | exact L | | exact J].
  rewrite exp_power. apply exp_le. lra.
Qed.

Theorem discrete_laplace_lipschitz X : 1 < X -> lipschitz (geometric (/ X)) X.
Proof.
  intros HX. assert (A : 0 < / X < 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  split; [intros t; left; apply geometric_pos, A |]. intros t.
  assert (M := fun y z => geometric_move (/ X) y z 1 A). rewrite pow_1, Rinv_inv in M.
  split; apply M; lia.
Qed.

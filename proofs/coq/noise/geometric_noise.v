(** Discrete Laplace noise: a law with infinitely many outcomes, and its privacy.

    The two-sided geometric law with ratio a, 0 < a < 1, has the mass (1 - a)/(1 + a) a^abs(z) at the
    integer z. Proved here: it is a law, for all such a; a query f with values in the integers and
    abs(f x - f y) <= 1 for all neighbours x, y is (eps, 0)-DP with the noise of ratio a = e^-eps, for all
    eps > 0 and all events, infinite ones included; more generally it is (Delta eps, 0)-DP for a query that
    moves by at most Delta >= 0.

    Idea: the masses in the window [-n, n] add up to 1 - 2 a^(n+1)/(1 + a), which tends to 1, and each
    finite set lies in a window. A move by 1 changes a mass by a factor of at most 1/a = e^eps.
    (Source: Ghosh, Roughgarden, Sundararajan 2012.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses.
Import ListNotations.
Open Scope R_scope.

Definition geometric (a : R) (z : Z) : R := (1 - a) / (1 + a) * a ^ Z.abs_nat z.

Lemma geometric_pos a z : 0 < a < 1 -> 0 < geometric a z.
Proof.
  intros H. unfold geometric. apply Rmult_lt_0_compat; [| apply pow_lt; lra].
  apply Rdiv_lt_0_compat; lra.
Qed.

(** ** The masses add up to 1 *)

(** The integers z with abs(z) <= n. *)
Fixpoint window (n : nat) : list Z :=
  match n with
  | O => [0%Z]
  | S m => Z.of_nat n :: (- Z.of_nat n)%Z :: window m
  end.

Lemma in_window n z : In z (window n) <-> (Z.abs z <= Z.of_nat n)%Z.
Proof.
  induction n as [| n IH].
  - simpl. split; [intros [<- | []] | intros H; left]; lia.
  - cbn [window In]. rewrite IH. lia.
Qed.

Lemma window_distinct n : NoDup (window n).
Proof.
  induction n as [| n IH]; [repeat constructor; simpl; tauto |].
  cbn [window]. constructor; [| constructor; [| exact IH]].
  - intros [H | H]; [lia |]. apply in_window in H. lia.
  - rewrite in_window. lia.
Qed.

(** A finite set of integers lies in a window. *)
Lemma inside_window (l : list Z) : exists n, incl l (window n).
Proof.
  induction l as [| z l [n H]]; [exists O; intros z [] |].
  exists (Nat.max (Z.abs_nat z) n). intros y [<- | I]; apply in_window.
  - lia.
  - apply H, in_window in I. lia.
Qed.

Lemma total_window a n : 0 < a < 1 -> total (window n) (geometric a) = 1 - 2 * a ^ S n / (1 + a).
Proof.
  intros H. induction n as [| n IH].
  - unfold geometric. simpl. field. lra.
  - cbn [window total]. rewrite IH. unfold geometric.
    replace (Z.abs_nat (Z.of_nat (S n))) with (S n) by lia.
    replace (Z.abs_nat (- Z.of_nat (S n))) with (S n) by lia.
    simpl pow. field. lra.
Qed.

Lemma geometric_law a : 0 < a < 1 -> law (geometric a).
Proof.
  intros H. assert (Pos : forall z, 0 <= geometric a z) by (intros z; left; apply geometric_pos, H).
  split; [exact Pos | split].
  - intros s [l [N [_ ->]]]. destruct (inside_window l) as [n I].
    apply Rle_trans with (total (window n) (geometric a)).
    + apply total_incl; [exact N | exact I | intros z _; apply Pos].
    + rewrite total_window by exact H.
      assert (0 < 2 * a ^ S n / (1 + a)); [| lra].
      apply Rdiv_lt_0_compat; [| lra]. assert (0 < a ^ S n) by (apply pow_lt; lra). lra.
  - intros b Hb. destruct (Rle_or_lt 1 b) as [B | B]; [exact B | exfalso].
    destruct (pow_lt_1_zero a) with (y := (1 - b) / 2) as [n Hn]; [rewrite Rabs_right; lra | lra |].
    specialize (Hn (S n) (le_S _ _ (le_n n))).
    assert (P : 0 < a ^ S n) by (apply pow_lt; lra). rewrite Rabs_right in Hn by lra.
    assert (W : total (window n) (geometric a) <= b).
    { apply Hb. exists (window n). split; [apply window_distinct | auto]. }
    rewrite total_window in W by exact H.
    assert (2 * a ^ S n / (1 + a) <= 2 * a ^ S n); [| lra].
    apply Rmult_le_reg_r with (1 + a); [lra |].
    replace (2 * a ^ S n / (1 + a) * (1 + a)) with (2 * a ^ S n) by (field; lra).
    assert (0 <= a ^ S n * a) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** Privacy *)

Lemma power_falls a m n : 0 < a < 1 -> (m <= n)%nat -> a ^ n <= a ^ m.
Proof.
  intros H. induction 1 as [| n L IH]; [apply Rle_refl |].
  assert (P : 0 < a ^ n) by (apply pow_lt; lra). simpl.
  assert (a * a ^ n <= 1 * a ^ n) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** A move by at most s changes a mass by a factor of at most (1/a)^s. *)
Lemma geometric_move a (y z : Z) s :
  0 < a < 1 -> (Z.abs (y - z) <= Z.of_nat s)%Z -> geometric a y <= (/ a) ^ s * geometric a z.
Proof.
  intros H K. unfold geometric. assert (P : 0 < a ^ s) by (apply pow_lt; lra).
  apply Rmult_le_reg_l with (a ^ s); [exact P |]. rewrite pow_inv.
  replace (a ^ s * (/ a ^ s * ((1 - a) / (1 + a) * a ^ Z.abs_nat z)))
    with ((1 - a) / (1 + a) * a ^ Z.abs_nat z) by (field; lra).
  replace (a ^ s * ((1 - a) / (1 + a) * a ^ Z.abs_nat y))
    with ((1 - a) / (1 + a) * a ^ (s + Z.abs_nat y)) by (rewrite pow_add; ring).
  apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra |].
  apply power_falls; [exact H | lia].
Qed.

(** The ratio a = e^-eps. *)
Lemma ratio_of_eps eps : 0 < eps -> 0 < exp (- eps) < 1.
Proof.
  intros H. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. lra.
Qed.

Lemma factor_of_eps eps s : (/ exp (- eps)) ^ s = exp (INR s * eps).
Proof. rewrite <- exp_Ropp, Ropp_involutive, exp_power. f_equal. ring. Qed.

(** A query that moves by at most Delta. *)
Lemma geometric_noise_sensitivity {X} (f : X -> Z) (neighbor : X -> X -> Prop) eps (Delta : nat) :
  0 < eps ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun v => geometric (exp (- eps)) (v - f x)) T p ->
  mass_of (fun v => geometric (exp (- eps)) (v - f y)) T q ->
  p <= exp (INR Delta * eps) * q.
Proof.
  intros He K x y N T p q Hp Hq. rewrite <- (Rplus_0_r (_ * q)).
  refine (mass_below_all_events _ _ _ _ (Rlt_le _ _ (exp_pos _)) _ T p q Hp Hq).
  apply mass_below_pointwise. intros v. rewrite <- factor_of_eps.
  apply geometric_move; [apply ratio_of_eps, He |]. specialize (K x y N). lia.
Qed.

(** A query that moves by at most 1. *)
Theorem geometric_noise_private {X} (f : X -> Z) (neighbor : X -> X -> Prop) eps :
  0 < eps ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= 1)%Z) ->
  forall x y, neighbor x y ->
  forall (T : Z -> Prop) p q,
  mass_of (fun v => geometric (exp (- eps)) (v - f x)) T p ->
  mass_of (fun v => geometric (exp (- eps)) (v - f y)) T q ->
  p <= exp eps * q.
Proof.
  intros He K x y N T p q Hp Hq. replace eps with (INR 1 * eps) at 1 by (simpl; ring).
  apply (geometric_noise_sensitivity f neighbor eps 1 He K x y N T); assumption.
Qed.

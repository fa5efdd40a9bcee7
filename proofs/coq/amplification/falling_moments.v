(** Moments of a sequence that falls as e^(-a y^2/2) or faster: those of the normal law bound them.

    Numbers F_0, F_1, ..., F_K >= 0 stand at the places y_k = k eta, and F_(k+1) (1 + a eta y_k) <= F_k. Proved:

    - [moment_step]: a times the sum of y_k^(d+2) F_(k+1) is at most d + 1 times the sum of y_(k+1)^d F_(k+1), k < K;
    - [second_moment], [sixth_moment]: where eta^2 a <= kappa^4, kappa <= 1/100, the sums of y_k^2 F_k and of y_k^6 F_k
      over
      1 <= k <= K are at most (1 + 30 kappa)/a and 15 (1 + 30 kappa)/a^3 times the sum of the F_k.

    Idea: y e^(-a y^2/2) is the derivative of -e^(-a y^2/2)/a, and the sums are summed by parts. Source: this package.
    *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums.
Import ListNotations.
Open Scope R_scope.

Lemma power_growth y e d : 0 <= y -> 0 <= e -> (y + e) ^ S d - y ^ S d <= INR (S d) * e * (y + e) ^ d.
Proof.
  intros Y E. induction d as [| d IH]; [simpl; lra |].
  assert (P : 0 <= (y + e) ^ S d) by (apply pow_le; lra).
  assert (Q : y ^ S d <= (y + e) ^ S d) by (apply pow_incr; lra).
  rewrite (S_INR (S d)). change ((y + e) ^ S (S d)) with ((y + e) * (y + e) ^ S d).
  change (y ^ S (S d)) with (y * y ^ S d).
  assert (X : (y + e) * ((y + e) ^ S d - y ^ S d) <= (y + e) * (INR (S d) * e * (y + e) ^ d))
    by (apply Rmult_le_compat_l; [lra | exact IH]).
  change ((y + e) ^ S d) with ((y + e) * (y + e) ^ d) in *. nra.
Qed.

Section Falling.

Context (F : nat -> R) (a eta : R) (K : nat).
Hypothesis a_pos : 0 < a.
Hypothesis eta_pos : 0 < eta.
Hypothesis F_nonneg : forall k, 0 <= F k.
Hypothesis F_falls : forall k, (k < K)%nat -> F (S k) * (1 + a * eta * (INR k * eta)) <= F k.

Let y (k : nat) : R := INR k * eta.

Definition moment (d : nat) : R := total (seq 0 K) (fun k => y (S k) ^ d * F (S k)).
Definition lagged_moment (d : nat) : R := total (seq 0 K) (fun k => y k ^ d * F (S k)).

Lemma y_nonneg k : 0 <= y k.
Proof. apply Rmult_le_pos; [apply pos_INR | lra]. Qed.

Lemma y_next k : y (S k) = y k + eta.
Proof. unfold y. rewrite S_INR. ring. Qed.

Lemma moment_nonneg d : 0 <= moment d.
Proof. apply total_nonneg. intros k _. apply Rmult_le_pos; [apply pow_le, y_nonneg | apply F_nonneg]. Qed.

Lemma moment_step d : a * lagged_moment (S (S d)) <= INR (S d) * moment d.
Proof.
  assert (X : forall L, (L <= K)%nat -> a * eta * total (seq 0 L) (fun k => y k ^ S (S d) * F (S k)) + y L ^ S d * F L
    <=
    INR (S d) * eta * total (seq 0 L) (fun k => y (S k) ^ d * F (S k))).
  { induction L as [| L IH]; intros HL.
    - simpl. unfold y. simpl. rewrite !Rmult_0_l. lra.
    - rewrite !total_seq_S. specialize (IH ltac:(lia)). assert (Fa := F_falls L ltac:(lia)). fold (y L) in Fa.
      rewrite y_next. assert (G := power_growth (y L) eta d (y_nonneg L) ltac:(lra)).
      assert (Fn := F_nonneg (S L)). assert (Yn := pow_le (y L) (S d) (y_nonneg L)).
      assert (A : y L ^ S d * (F (S L) * (1 + a * eta * y L)) <= y L ^ S d * F L) by (apply Rmult_le_compat_l;
        assumption).
      assert (B : ((y L + eta) ^ S d - y L ^ S d) * F (S L) <= INR (S d) * eta * (y L + eta) ^ d * F (S L))
        by (apply Rmult_le_compat_r; assumption).
      change (y L ^ S (S d)) with (y L * y L ^ S d). nra. }
  specialize (X K (Nat.le_refl K)). assert (P : 0 <= y K ^ S d * F K)
    by (apply Rmult_le_pos; [apply pow_le, y_nonneg | apply F_nonneg]).
  apply Rmult_le_reg_l with eta; [exact eta_pos |]. unfold lagged_moment, moment. nra.
Qed.

Section Fine.

Context (kappa : R).
Hypothesis kappa_small : 0 < kappa <= 1 / 100.
Hypothesis fine : eta ^ 2 * a <= kappa ^ 4.

Let A := (1 + kappa) ^ 2.
Let B := 4 * kappa ^ 2 / a.

Lemma one_place k : y (S k) ^ 2 <= Rmax (A * y k ^ 2) B.
Proof.
  rewrite y_next. assert (Y := y_nonneg k). destruct (Rle_lt_dec eta (kappa * y k)) as [L | L].
  - eapply Rle_trans; [| apply Rmax_l]. unfold A. rewrite <- Rpow_mult_distr. apply pow_incr. lra.
  - eapply Rle_trans; [| apply Rmax_r]. unfold B. apply Rmult_le_reg_r with (kappa ^ 2 * a).
    { apply Rmult_lt_0_compat; [apply pow_lt; lra | exact a_pos]. }
    replace (4 * kappa ^ 2 / a * (kappa ^ 2 * a)) with (4 * kappa ^ 4) by (field; lra).
    assert (S : (kappa * (y k + eta)) ^ 2 <= (2 * eta) ^ 2) by (apply pow_incr; nra).
    replace ((y k + eta) ^ 2 * (kappa ^ 2 * a)) with ((kappa * (y k + eta)) ^ 2 * a) by ring.
    apply Rle_trans with ((2 * eta) ^ 2 * a); [apply Rmult_le_compat_r; lra | nra].
Qed.

Lemma moment_lagged p : moment (2 * p) <= A ^ p * lagged_moment (2 * p) + B ^ p * moment 0.
Proof.
  unfold moment, lagged_moment. rewrite <- !total_scal, <- total_plus. apply total_le. intros k _.
  assert (Fn := F_nonneg (S k)). assert (Y := y_nonneg k).
  assert (Ap : 0 <= A) by apply pow2_ge_0.
  assert (Bp : 0 <= B) by (unfold B; apply Rmult_le_pos; [assert (X := pow2_ge_0 kappa); lra |];
    left; apply Rinv_0_lt_compat, a_pos).
  assert (P : y (S k) ^ (2 * p) <= A ^ p * y k ^ (2 * p) + B ^ p).
  { rewrite !pow_mult, <- Rpow_mult_distr.
    assert (X := pow_le _ p (Rmult_le_pos _ _ Ap (pow2_ge_0 (y k)))). assert (Z := pow_le _ p Bp).
    eapply Rle_trans; [apply pow_incr; split; [apply pow2_ge_0 | apply one_place] |].
    unfold Rmax. destruct (Rle_dec _ _); lra. }
  rewrite pow_O. nra.
Qed.

Lemma first_powers : A <= 1 + 21 / 10 * kappa /\ A ^ 2 <= 1 + 43 / 10 * kappa /\ A ^ 3 <= 1 + 65 / 10 * kappa.
Proof.
  assert (H1 : A <= 1 + 21 / 10 * kappa) by (unfold A; nra). assert (A1 : 1 <= A) by (unfold A; nra).
  assert (H2 : A ^ 2 <= 1 + 43 / 10 * kappa).
  { apply Rle_trans with ((1 + 21 / 10 * kappa) ^ 2); [apply pow_incr; lra | nra]. }
  split; [exact H1 | split; [exact H2 |]]. simpl in H2 |- *. nra.
Qed.

Theorem second_moment : a * moment 2 <= (1 + 30 * kappa) * moment 0.
Proof.
  assert (M := moment_lagged 1). assert (S := moment_step 0). simpl (2 * 1)%nat in M. rewrite !pow_1 in M. simpl INR in
    S.
  rewrite Rmult_1_l in S. destruct first_powers as [H _]. assert (N := moment_nonneg 0).
  assert (Ap : 0 < A) by (unfold A; nra).
  assert (X : a * (A * lagged_moment 2) <= A * moment 0) by nra.
  assert (Y : a * (B * moment 0) = 4 * kappa ^ 2 * moment 0) by (unfold B; field; lra).
  assert (Z : a * moment 2 <= (A + 4 * kappa ^ 2) * moment 0) by nra.
  eapply Rle_trans; [exact Z |]. apply Rmult_le_compat_r; [exact N | nra].
Qed.

Theorem sixth_moment : a ^ 3 * moment 6 <= 15 * (1 + 30 * kappa) * moment 0.
Proof.
  assert (M1 := moment_lagged 1). assert (S1 := moment_step 0). simpl (2 * 1)%nat in M1. rewrite !pow_1 in M1.
  assert (M2 := moment_lagged 2). assert (S2 := moment_step 2). simpl (2 * 2)%nat in M2.
  assert (M3 := moment_lagged 3). assert (S3 := moment_step 4). simpl (2 * 3)%nat in M3.
  replace (INR 1) with 1 in S1 by reflexivity. replace (INR 3) with 3 in S2 by (simpl; ring).
  replace (INR 5) with 5 in S3 by (simpl; ring).
  destruct first_powers as [H1 [H2 H3]]. assert (N := moment_nonneg 0).
  assert (A1 : 1 <= A) by (unfold A; nra). assert (A2 : 1 <= A ^ 2) by (rewrite <- (pow1 2); apply pow_incr; lra).
  assert (A3 : 1 <= A ^ 3) by (rewrite <- (pow1 3); apply pow_incr; lra).
  assert (E1 : a * moment 2 <= (1 + 215 / 100 * kappa) * moment 0).
  { assert (a * (A * lagged_moment 2) <= A * moment 0) by nra.
    assert (a * (B * moment 0) = 4 * kappa ^ 2 * moment 0) by (unfold B; field; lra).
    apply Rle_trans with ((A + 4 * kappa ^ 2) * moment 0); [nra | apply Rmult_le_compat_r; [exact N | unfold A; nra]]. }
  assert (E2 : a ^ 2 * moment 4 <= 3 * (1 + 7 * kappa) * moment 0).
  { assert (T : a ^ 2 * (A ^ 2 * lagged_moment 4) <= A ^ 2 * (3 * ((1 + 215 / 100 * kappa) * moment 0))).
    { replace (a ^ 2 * (A ^ 2 * lagged_moment 4)) with (A ^ 2 * (a * (a * lagged_moment 4))) by ring.
      apply Rmult_le_compat_l; [lra |]. apply Rle_trans with (a * (3 * moment 2)); [apply Rmult_le_compat_l; lra |
        lra]. }
    assert (U : a ^ 2 * (B ^ 2 * moment 0) = 16 * kappa ^ 4 * moment 0) by (unfold B; field; lra).
    apply Rle_trans with ((A ^ 2 * (3 * (1 + 215 / 100 * kappa)) + 16 * kappa ^ 4) * moment 0).
    - apply Rle_trans with (a ^ 2 * (A ^ 2 * lagged_moment 4 + B ^ 2 * moment 0));
        [apply Rmult_le_compat_l; [apply pow2_ge_0 | exact M2] |].
      rewrite Rmult_plus_distr_l, U, Rmult_plus_distr_r. apply Rplus_le_compat_r. eapply Rle_trans; [exact T |]. lra.
    - apply Rmult_le_compat_r; [exact N |].
      assert (16 * kappa ^ 4 <= kappa / 100) by (replace (16 * kappa ^ 4) with (kappa * (16 * kappa ^ 3)) by ring;
        assert (kappa ^ 3 <= (1 / 100) ^ 3) by (apply pow_incr; lra); nra).
      assert (A ^ 2 * (3 * (1 + 215 / 100 * kappa)) <= (1 + 43 / 10 * kappa) * (3 * (1 + 215 / 100 * kappa)))
        by (apply Rmult_le_compat_r; lra). nra. }
  assert (T : a ^ 3 * (A ^ 3 * lagged_moment 6) <= A ^ 3 * (5 * (3 * (1 + 7 * kappa) * moment 0))).
  { replace (a ^ 3 * (A ^ 3 * lagged_moment 6)) with (A ^ 3 * (a ^ 2 * (a * lagged_moment 6))) by ring.
    apply Rmult_le_compat_l; [lra |]. apply Rle_trans with (a ^ 2 * (5 * moment 4)); [| lra].
    apply Rmult_le_compat_l; [apply pow2_ge_0 | exact S3]. }
  assert (U : a ^ 3 * (B ^ 3 * moment 0) = 64 * kappa ^ 6 * moment 0) by (unfold B; field; lra).
  apply Rle_trans with ((A ^ 3 * (5 * (3 * (1 + 7 * kappa))) + 64 * kappa ^ 6) * moment 0).
  - apply Rle_trans with (a ^ 3 * (A ^ 3 * lagged_moment 6 + B ^ 3 * moment 0));
      [apply Rmult_le_compat_l; [apply pow_le; lra | exact M3] |].
    rewrite Rmult_plus_distr_l, U, Rmult_plus_distr_r. apply Rplus_le_compat_r. eapply Rle_trans; [exact T |]. lra.
  - apply Rmult_le_compat_r; [exact N |].
    assert (64 * kappa ^ 6 <= kappa / 100) by (replace (64 * kappa ^ 6) with (kappa * (64 * kappa ^ 5)) by ring;
      assert (kappa ^ 5 <= (1 / 100) ^ 5) by (apply pow_incr; lra); nra).
    assert (A ^ 3 * (5 * (3 * (1 + 7 * kappa))) <= (1 + 65 / 10 * kappa) * (5 * (3 * (1 + 7 * kappa))))
      by (apply Rmult_le_compat_r; lra). nra.
Qed.

End Fine.

End Falling.

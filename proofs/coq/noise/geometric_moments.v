(** The mean and the variance of the one-sided geometric law.

    Y has the law P[Y = t] = (1 - p) p^t, t = 0, 1, 2, ..., 0 <= p < 1. Its mean m is p/(1 - p), its variance
    p/(1 - p)^2 ([geometric_moments]); both are sums over all t, as least upper bounds of finite sums.

    Idea: beyond n the law is n + Y with the weight p^n, so that what the first n terms lack is p^n (n + m),
    and p^n (n^2 + v) for the variance v. Both tend to 0, as n^2 p^n does: n r^n is bounded, r^4 = p.
    Source: folklore. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums.
Import ListNotations.
Open Scope R_scope.

Definition geometric_mass (p : R) (t : nat) : R := (1 - p) * p ^ t.

(** What the first n terms lack of the mean, and of the variance. *)
Lemma mean_partial p n : p < 1 ->
  total (seq 0 n) (fun t => INR t * geometric_mass p t) = p / (1 - p) - p ^ n * (INR n + p / (1 - p)).
Proof.
  intros H. induction n as [| n IH]; [simpl; ring |].
  rewrite total_seq_S, IH, S_INR. unfold geometric_mass. simpl. field. lra.
Qed.

Lemma variance_partial p n : p < 1 ->
  total (seq 0 n) (fun t => (INR t - p / (1 - p)) ^ 2 * geometric_mass p t) =
  p / (1 - p) ^ 2 - p ^ n * (INR n ^ 2 + p / (1 - p) ^ 2).
Proof.
  intros H. induction n as [| n IH]; [simpl; field; lra |].
  rewrite total_seq_S, IH, S_INR. unfold geometric_mass. simpl. field. lra.
Qed.

(** n r^n is bounded. *)
Lemma linear_times_power r n : 0 < r < 1 -> INR n * r ^ n <= r / (1 - r).
Proof.
  intros H. assert (B := poly n (/ r - 1)).
  assert (I : 0 < / r - 1). { assert (1 < / r); [| lra]. rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  specialize (B I). replace (1 + (/ r - 1)) with (/ r) in B by ring. rewrite pow_inv in B.
  assert (P : 0 < r ^ n) by (apply pow_lt; lra).
  apply (Rmult_le_compat_r (r ^ n)) in B; [| lra]. rewrite Rinv_l in B by lra.
  apply Rmult_le_reg_r with (/ r - 1); [exact I |].
  replace (r / (1 - r) * (/ r - 1)) with 1 by (field; lra). lra.
Qed.

(** n^2 p^n, and with it every p^n (n^2 + c), is small somewhere. *)
Lemma square_times_power p c eta :
  0 <= p < 1 -> 0 <= c -> 0 < eta -> exists n, p ^ n * (INR n ^ 2 + c) < eta /\ (1 <= n)%nat.
Proof.
  intros [[Hp | <-] Hp1] Hc He.
  2: { exists 1%nat. simpl. split; [lra | lia]. }
  set (r := sqrt (sqrt p)).
  assert (S0 : 0 < sqrt p) by (apply sqrt_lt_R0, Hp).
  assert (S1 : sqrt p < 1) by (rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  assert (R0 : 0 < r) by (apply sqrt_lt_R0, S0).
  assert (R1 : r < 1) by (unfold r; rewrite <- sqrt_1; apply sqrt_lt_1; lra).
  assert (E : p = r * r * (r * r)). { unfold r. rewrite sqrt_sqrt by lra. symmetry. apply sqrt_sqrt. lra. }
  set (b := (r / (1 - r)) ^ 2 + c).
  assert (B0 : 0 < r / (1 - r)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hb : 0 < b). { unfold b. assert (0 < (r / (1 - r)) ^ 2) by (apply pow_lt, B0). lra. }
  destruct (pow_lt_1_zero r) with (y := eta / b) as [N HN];
    [rewrite Rabs_right; lra | apply Rdiv_lt_0_compat; assumption |].
  exists (S N). split; [| lia]. set (n := S N). specialize (HN n ltac:(unfold n; lia)).
  assert (P : 0 < r ^ n) by (apply pow_lt, R0). rewrite Rabs_right in HN by lra.
  assert (P1 : r ^ n <= 1). { rewrite <- (pow1 n). apply pow_incr. lra. }
  apply Rle_lt_trans with (r ^ n * b).
  - rewrite E, !Rpow_mult_distr. assert (L := linear_times_power r n (conj R0 R1)).
    assert (0 <= INR n) by apply pos_INR.
    assert (Q : (INR n * r ^ n) ^ 2 <= (r / (1 - r)) ^ 2).
    { apply pow_incr. split; [apply Rmult_le_pos; lra | exact L]. }
    assert (Q2 : r ^ n * r ^ n <= 1).
    { rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra. }
    assert (K : r ^ n * (r ^ n * r ^ n * c) <= 1 * (1 * c)).
    { apply Rmult_le_compat; [lra | apply Rmult_le_pos; [apply Rmult_le_pos; lra | exact Hc] | exact P1 |].
      apply Rmult_le_compat_r; assumption. }
    assert (K2 : r ^ n * (INR n * r ^ n) ^ 2 <= 1 * (r / (1 - r)) ^ 2).
    { apply Rmult_le_compat; [lra | apply pow2_ge_0 | exact P1 | exact Q]. }
    replace (r ^ n * r ^ n * (r ^ n * r ^ n) * (INR n ^ 2 + c))
      with (r ^ n * (r ^ n * (INR n * r ^ n) ^ 2 + r ^ n * (r ^ n * r ^ n * c) * 1)) by (simpl; ring).
    apply Rmult_le_compat_l; [lra |]. unfold b. lra.
  - apply (Rmult_lt_compat_r b) in HN; [| exact Hb]. replace (eta / b * b) with eta in HN by (field; lra).
    exact HN.
Qed.

(** A sum over the natural numbers from its first n terms. *)
Lemma sum_of_partial (f : nat -> R) s (rest : nat -> R) :
  (forall t, 0 <= f t) -> (forall n, total (seq 0 n) f = s - rest n) -> (forall n, 0 <= rest n) ->
  (forall eta, 0 < eta -> exists n, rest n < eta) -> sum_of f s.
Proof.
  intros P H Pos Small. apply sum_of_intro.
  - intros l N. apply Rle_trans with (total (seq 0 (S (list_max l))) f).
    + apply total_incl; [exact N | | intros t _; apply P]. intros t I. apply in_seq.
      assert (M := proj1 (list_max_le _ _) (le_n (list_max l))). rewrite Forall_forall in M.
      specialize (M t I). lia.
    + rewrite H. specialize (Pos (S (list_max l))). lra.
  - intros b Hb. apply Rnot_lt_le. intros L. destruct (Small (s - b)) as [n Hn]; [lra |].
    specialize (Hb (seq 0 n) (seq_NoDup n 0)). rewrite H in Hb. lra.
Qed.

(** Ledger row one-sided-moments. *)
Theorem geometric_moments p :
  0 <= p < 1 ->
  sum_of (fun t => INR t * geometric_mass p t) (p / (1 - p)) /\
  sum_of (fun t => (INR t - p / (1 - p)) ^ 2 * geometric_mass p t) (p / (1 - p) ^ 2).
Proof.
  intros H.
  assert (G : forall t, 0 <= geometric_mass p t).
  { intros t. apply Rmult_le_pos; [lra | apply pow_le; lra]. }
  assert (M : 0 <= p / (1 - p)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (V : 0 <= p / (1 - p) ^ 2).
  { apply Rmult_le_pos; [lra |]. left. apply Rinv_0_lt_compat, pow_lt. lra. }
  assert (W : forall n, 0 <= p ^ n) by (intros n; apply pow_le; lra).
  split.
  - apply (sum_of_partial _ _ (fun n => p ^ n * (INR n + p / (1 - p)))).
    + intros t. apply Rmult_le_pos; [apply pos_INR | apply G].
    + intros n. apply mean_partial. lra.
    + intros n. apply Rmult_le_pos; [apply W |]. assert (X := pos_INR n). lra.
    + intros eta He. destruct (square_times_power p (p / (1 - p)) eta H M He) as [n [L N1]]. exists n.
      eapply Rle_lt_trans; [| exact L]. apply Rmult_le_compat_l; [apply W |].
      apply le_INR in N1. simpl in N1. assert (0 <= (INR n - 1) * INR n) by (apply Rmult_le_pos; lra).
      simpl. lra.
  - apply (sum_of_partial _ _ (fun n => p ^ n * (INR n ^ 2 + p / (1 - p) ^ 2))).
    + intros t. apply Rmult_le_pos; [apply pow2_ge_0 | apply G].
    + intros n. apply variance_partial. lra.
    + intros n. apply Rmult_le_pos; [apply W |]. assert (X := pow2_ge_0 (INR n)). lra.
    + intros eta He. destruct (square_times_power p (p / (1 - p) ^ 2) eta H V He) as [n [L _]].
      exists n. exact L.
Qed.

(** What Lemma 3 needs: weaker statements are false or void.

    - [lemma3_reach_is_void]: no k >= 1 satisfies the printed condition k <= alpha gamma / 2; the lemma has
      k <= alpha gamma n / 2, which does not imply it ([lemma3_reach_printed_fails]).
    - [lemma3_ends]: at alpha = 1 there is no eps, at alpha = 0 and at gamma = 0 no k, and delta = 2.
    - [lemma3_step_up_printed_fails]: the printed D(y) / D(y+j) <= (1+alpha)^j on the good set is false at
      n = 100, gamma = 1/2, alpha = 1/5, y = 59, j = k = 1, where the ratio is 60/41 > 6/5.
    - [lemma3_twice_the_reach_fails]: with k <= alpha gamma n in place of its half the lemma is false, at
      n = 31, gamma = 1/2, alpha = 499/500, k = 15.
    - [lemma3_gamma_above_half_fails]: without gamma <= 1/2 it is false, at n = 18, gamma = 3/4,
      alpha = 9/10, k = 6.

    The idea of the last two: D(y + k) = 0 for y > n - k, so that a law that is (eps, delta, k)-smooth, for
    whatever eps, has P[Y > n - k] <= delta; but this probability is 1/2 - C(31,16)/2^31 = 0.3600... against
    delta = 0.3586..., and 0.71... against 0.58... . (Source: this package; the printed statements are in
    Ghazi, Golowich, Kumar, Pagh, Velingker 2021, section 4.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws masses smooth binomial binomial_row exponential binomial_smoothness.
Import ListNotations.
Open Scope R_scope.

(** ** The printed reach *)

Theorem lemma3_reach_is_void (gamma alpha k : R) :
  0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> 1 <= k -> ~ k <= alpha * gamma / 2.
Proof.
  intros Hg Ha Hk H. assert (alpha * gamma <= 1 * gamma) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** The lemma's condition does not imply the printed one: n = 5, k = 1, gamma = 1/2, alpha = 4/5. *)
Theorem lemma3_reach_printed_fails :
  ~ (forall (n : nat) (gamma alpha : R) (k : Z), (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
     (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 -> IZR k <= alpha * gamma / 2).
Proof.
  intros H. assert (L : 1 <= 4 / 5 * (1 / 2) / 2); [| lra].
  apply (H 5%nat (1 / 2) (4 / 5) 1%Z); [lia | lra | lra | lia |]. rewrite INR_IZR_INZ. simpl. lra.
Qed.

(** ** The ends of the parameters *)

(** At alpha = 1 the denominator of e^eps is 0; at alpha = 0 or gamma = 0 no k >= 1 is allowed, and delta is
    2. *)
Theorem lemma3_ends (n gamma alpha k : R) :
  (alpha = 1 -> 1 - alpha = 0) /\
  (alpha = 0 \/ gamma = 0 -> 1 <= k -> ~ k <= alpha * gamma * n / 2) /\
  (alpha = 0 \/ gamma = 0 ->
   exp (- (alpha ^ 2 * gamma * n / 8)) + exp (- (alpha ^ 2 * gamma * n / (8 + 2 * alpha))) = 2).
Proof.
  split; [lra |]. split; [intros [-> | ->] H L; lra |].
  assert (Z : forall x y, x = 0 -> exp (- (x / y)) = 1).
  { intros x y ->. unfold Rdiv. rewrite Rmult_0_l, Ropp_0. apply exp_0. }
  intros [-> | ->]; rewrite !Z by ring; ring.
Qed.

(** ** The printed step upwards *)

Definition lemma3_step_up_printed : Prop :=
  forall (n : nat) (gamma alpha : R) (k y : Z) (j : nat),
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  lemma3_good (INR n) gamma alpha (IZR k) (IZR y) -> (1 <= Z.of_nat j <= k)%Z ->
  binomial n gamma y <= (1 + alpha) ^ j * binomial n gamma (y + Z.of_nat j).

Theorem lemma3_step_up_printed_fails : ~ lemma3_step_up_printed.
Proof.
  intros H. specialize (H 100%nat (1 / 2) (1 / 5) 1%Z 59%Z 1%nat).
  assert (N : INR 100 = 100) by (rewrite INR_IZR_INZ; reflexivity).
  rewrite N in H. change (Z.of_nat 1) with 1%Z in H. unfold lemma3_good, lemma3_low, lemma3_high in H.
  assert (P : 0 < binomial 100 (1 / 2) 59) by (apply binomial_pos; [lra | lia]).
  assert (Q := binomial_ratio 100 (1 / 2) 59). rewrite N in Q. change (59 + 1)%Z with 60%Z in *.
  assert (L : binomial 100 (1 / 2) 59 <= (1 + 1 / 5) ^ 1 * binomial 100 (1 / 2) 60) by
    (apply H; lia || lra).
  lra.
Qed.

(** ** The lemma under another condition on gamma, alpha, n and k *)

Definition lemma3_if (condition : nat -> R -> R -> Z -> Prop) : Prop :=
  forall (n : nat) (gamma alpha : R) (k : Z),
  (1 <= n)%nat -> 0 < alpha < 1 -> (1 <= k)%Z -> condition n gamma alpha k ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) k.

(** Under its own condition it holds. *)
Lemma lemma3_if_half_the_reach :
  lemma3_if (fun n gamma alpha k => 0 < gamma <= 1 / 2 /\ IZR k <= alpha * gamma * INR n / 2).
Proof. intros n gamma alpha k Hn Ha Hk [Hg Hr]. apply lemma3; assumption. Qed.

(** What a smooth law has on the last k outcomes. *)
Lemma smooth_last_outcomes n p eps delta k :
  0 <= p <= 1 -> (1 <= k <= n)%nat -> smooth (binomial n p) eps delta (Z.of_nat k) ->
  total (seq (n - k + 1) k) (binom n p) <= delta.
Proof.
  intros Hp Hk H.
  rewrite (total_ext _ _ (fun i => binomial n p (Z.of_nat i))) by
    (intros; symmetry; apply binomial_of_nat).
  rewrite <- total_map. apply (H (Z.of_nat k)); [lia | lia | |].
  - apply FinFun.Injective_map_NoDup, seq_NoDup. exact Nat2Z.inj.
  - intros y Hy. apply in_map_iff in Hy. destruct Hy as [i [<- Hi]]. apply in_seq in Hi.
    rewrite (binomial_above n p (Z.of_nat i + Z.of_nat k)) by lia. rewrite Rmult_0_r.
    apply binomial_nonneg, Hp.
Qed.

(** An upper bound of e^(-x) by a Taylor sum at a smaller number. *)
Lemma exp_minus_below x z K c :
  0 <= z <= x -> 0 < c -> c <= taylor_sum z K -> exp (- x) <= / c.
Proof.
  intros Hz Hc L. rewrite exp_Ropp. apply Rinv_le_contravar; [exact Hc |].
  eapply Rle_trans; [exact L |]. eapply Rle_trans; [apply taylor_sum_below_exp; lra |].
  apply reals.exp_le. lra.
Qed.

(** Taylor sums, factored for computing: 1 + x/j (1 + x/(j+1) (1 + ...)), K brackets deep. *)
Fixpoint horner (x : R) (j : R) (K : nat) : R :=
  match K with
  | O => 0
  | S m => 1 + x / j * horner x (j + 1) m
  end.

Lemma taylor_terms_horner x K j :
  total (seq j K) (taylor_term x) = taylor_term x j * horner x (INR j + 1) K.
Proof.
  revert j. induction K as [| K IH]; intros j; simpl; [ring |].
  rewrite IH, taylor_term_S, S_INR. ring.
Qed.

Lemma taylor_sum_horner x K : taylor_sum x K = horner x 1 K.
Proof.
  unfold taylor_sum. rewrite taylor_terms_horner. unfold taylor_term. simpl. rewrite Rplus_0_l. field.
Qed.

(** ** Twice the reach *)

Theorem lemma3_twice_the_reach_fails :
  ~ lemma3_if (fun n gamma alpha k => 0 < gamma <= 1 / 2 /\ IZR k <= alpha * gamma * INR n).
Proof.
  intros H. specialize (H 31%nat (1 / 2) (499 / 500) (Z.of_nat 15)).
  assert (N : INR 31 = 31) by (rewrite INR_IZR_INZ; reflexivity). cbv beta in H. rewrite N in H.
  assert (S : total (seq 17 15) (binom 31 (1 / 2)) <=
    exp (- ((499 / 500) ^ 2 * (1 / 2) * 31 / 8)) +
    exp (- ((499 / 500) ^ 2 * (1 / 2) * 31 / (8 + 2 * (499 / 500))))).
  { eapply (smooth_last_outcomes 31 _ _ _ 15); [lra | lia |]. apply H; [lia | lra | lia |].
    change (IZR (Z.of_nat 15)) with 15. lra. }
  change (1 / 2) with (IZR 1 / IZR (1 + 1)) in S at 1.
  rewrite total_binom_by_row in S by lia.
  assert (A : exp (- ((499 / 500) ^ 2 * (1 / 2) * 31 / 8)) <= / (688 / 100)).
  { apply exp_minus_below with (1929 / 1000) 10%nat; [lra | lra |].
    rewrite taylor_sum_horner. simpl. lra. }
  assert (B : exp (- ((499 / 500) ^ 2 * (1 / 2) * 31 / (8 + 2 * (499 / 500)))) <= / (468 / 100)).
  { apply exp_minus_below with (1544 / 1000) 10%nat; [lra | lra |].
    rewrite taylor_sum_horner. simpl. lra. }
  assert (M : 360 / 1000 <= IZR (fold_right Z.add 0%Z
    (map (fun i => nth i (row 1 1 31) 0%Z) (seq 17 15))) / IZR (1 + 1) ^ 31).
  { rewrite pow_IZR. set (s := fold_right _ _ _). set (w := Z.pow _ _).
    vm_compute in s, w. subst s w. lra. }
  lra.
Qed.

(** ** gamma above 1/2 *)

Theorem lemma3_gamma_above_half_fails :
  ~ lemma3_if (fun n gamma alpha k => 0 < gamma < 1 /\ IZR k <= alpha * gamma * INR n / 2).
Proof.
  intros H. specialize (H 18%nat (3 / 4) (9 / 10) (Z.of_nat 6)).
  assert (N : INR 18 = 18) by (rewrite INR_IZR_INZ; reflexivity). cbv beta in H. rewrite N in H.
  assert (S : total (seq 13 6) (binom 18 (3 / 4)) <=
    exp (- ((9 / 10) ^ 2 * (3 / 4) * 18 / 8)) + exp (- ((9 / 10) ^ 2 * (3 / 4) * 18 / (8 + 2 * (9 / 10))))).
  { eapply (smooth_last_outcomes 18 _ _ _ 6); [lra | lia |]. apply H; [lia | lra | lia |].
    change (IZR (Z.of_nat 6)) with 6. lra. }
  change (3 / 4) with (IZR 3 / IZR (3 + 1)) in S at 1.
  rewrite total_binom_by_row in S by lia.
  assert (A : exp (- ((9 / 10) ^ 2 * (3 / 4) * 18 / 8)) <= / 3).
  { apply exp_minus_below with (13 / 10) 4%nat; [lra | lra |].
    rewrite taylor_sum_horner. simpl. lra. }
  assert (B : exp (- ((9 / 10) ^ 2 * (3 / 4) * 18 / (8 + 2 * (9 / 10)))) <= / (29 / 10)).
  { apply exp_minus_below with (11 / 10) 5%nat; [lra | lra |].
    rewrite taylor_sum_horner. simpl. lra. }
  assert (M : 7 / 10 <= IZR (fold_right Z.add 0%Z
    (map (fun i => nth i (row 3 1 18) 0%Z) (seq 13 6))) / IZR (3 + 1) ^ 18).
  { rewrite pow_IZR. set (s := fold_right _ _ _). set (w := Z.pow _ _).
    vm_compute in s, w. subst s w. lra. }
  lra.
Qed.

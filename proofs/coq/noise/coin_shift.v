(** One coin more or less: how far a biased bit in front of s fair coins can be told from the opposite bit.

    Let B be the number of heads of s >= 0 fair coins, 0 < x <= 1, 0 <= a <= 1, t >= 0 with t x <= a. For
    every function g with values in [0, 1]
      E[(x - a) g(B + 1) - (x + a) g(B)] <= x (1 - a) e^(t - t^2 s/2),
    and the same with B + 1 and B exchanged. If a >= x, then both are at most 0.

    Idea: let w be the masses of B. The mean is at most the sum of g(i+1) ((x-a) w(i) - (x+a) w(i+1)). As
    (i+1) w(i+1) = (s-i) w(i), a bracket is negative unless i >= s/2 + u, where u = ts/2 - 1/2; it is
    never above x (1-a) w(i), for x <= 1. And P[B - s/2 >= u] <= e^(t - t^2 s/2) by Markov's inequality
    for e^(2t (B - s/2)), whatever the sign of u. The other order is the mirror image: heads and tails.

    Source: this package; the window follows Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws binomial hoeffding.
Import ListNotations.
Open Scope R_scope.

(** ** The tail *)

Lemma half_coins_tail (s : nat) (t : R) :
  0 <= t ->
  Pr (flips s (1 / 2)) (fun i => Rleb (t * INR s / 2 - 1 / 2) (INR i - INR s / 2))
  <= exp (t - t ^ 2 * INR s / 2).
Proof.
  intros Ht.
  replace (t - t ^ 2 * INR s / 2) with
    (INR s * ((2 * t) ^ 2 / 8) - 2 * t * (t * INR s / 2 - 1 / 2)) by field.
  apply exponential_markov with (z := fun i => INR i - INR s * (1 / 2)) (h := 2 * t).
  - apply proper_flips. lra.
  - apply flips_moment. lra.
  - intros i Hi. apply Rleb_true in Hi. apply Rmult_le_compat_l; lra.
Qed.

(** ** The window *)

(** Below s/2 + u heads, one head more is not much less likely. *)
Lemma inside_the_window (s i : nat) (x a t : R) :
  0 < x -> 0 <= a -> t * x <= a -> INR i - INR s / 2 < t * INR s / 2 - 1 / 2 ->
  (x - a) * binom s (1 / 2) i <= (x + a) * binom s (1 / 2) (S i).
Proof.
  intros Hx Ha Ht H. assert (W := binom_nonneg s (1 / 2) i ltac:(lra)).
  assert (E := binom_ratio s (1 / 2) i). assert (P : 0 < INR (S i)) by (apply lt_0_INR; lia).
  apply Rmult_le_reg_l with (INR (S i)); [exact P |].
  replace (INR (S i) * ((x + a) * binom s (1 / 2) (S i)))
    with ((x + a) * (2 * (binom s (1 / 2) (S i) * INR (S i) * (1 - 1 / 2)))) by field.
  rewrite E. replace ((x + a) * (2 * (binom s (1 / 2) i * (INR s - INR i) * (1 / 2))))
    with ((x + a) * (INR s - INR i) * binom s (1 / 2) i) by field.
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [exact W |]. rewrite S_INR.
  apply (Rmult_lt_compat_l (2 * x)) in H; [| lra].
  apply (Rmult_le_compat_r (INR s)) in Ht; [| apply pos_INR]. lra.
Qed.

(** The bracket at i, inside the window and outside. *)
Lemma bracket (s i : nat) (x a t : R) :
  0 < x <= 1 -> 0 <= a <= 1 -> t * x <= a ->
  (x - a) * binom s (1 / 2) i - (x + a) * binom s (1 / 2) (S i) <=
  x * (1 - a) * (if Rleb (t * INR s / 2 - 1 / 2) (INR i - INR s / 2) then binom s (1 / 2) i else 0).
Proof.
  intros Hx Ha Ht. assert (W := binom_nonneg s (1 / 2) i ltac:(lra)).
  assert (W1 := binom_nonneg s (1 / 2) (S i) ltac:(lra)).
  destruct (Rleb _ _) eqn:E.
  - assert (0 <= (x + a) * binom s (1 / 2) (S i)) by (apply Rmult_le_pos; lra).
    assert ((x - a) * binom s (1 / 2) i <= x * (1 - a) * binom s (1 / 2) i); [| lra].
    apply Rmult_le_compat_r; [exact W |]. assert (0 <= a * (1 - x)) by (apply Rmult_le_pos; lra). lra.
  - assert (H : INR i - INR s / 2 < t * INR s / 2 - 1 / 2)
      by (apply Rnot_le_lt; intros H; apply Rleb_true in H; congruence).
    assert (K := inside_the_window s i x a t ltac:(lra) ltac:(lra) Ht H). lra.
Qed.

(** ** One order *)

(** The masses where there is a head more. *)
Lemma shifted_sum (s : nat) (g : nat -> R) :
  (forall j, 0 <= g j) ->
  total (seq 0 (S s)) (fun i => binom s (1 / 2) (S i) * g (S i)) <= mean (flips s (1 / 2)) g.
Proof.
  intros H. rewrite total_seq_S, (binom_outside s (1 / 2) (S s)), mean_flips by lia.
  rewrite (total_seq_shift s (fun i => binom s (1 / 2) i * g i)).
  assert (0 <= binom s (1 / 2) 0 * g O) by (apply Rmult_le_pos; [apply binom_nonneg; lra | apply H]).
  lra.
Qed.

Lemma coin_shift_sum (s : nat) (x a : R) (g : nat -> R) :
  0 <= x + a -> (forall j, 0 <= g j) ->
  mean (flips s (1 / 2)) (fun i => (x - a) * g (S i) - (x + a) * g i) <=
  total (seq 0 (S s)) (fun i => g (S i) * ((x - a) * binom s (1 / 2) i - (x + a) * binom s (1 / 2) (S i))).
Proof.
  intros H G. rewrite mean_minus, !mean_scal. assert (K := shifted_sum s g G).
  rewrite (total_ext _ _ (fun i => (x - a) * (binom s (1 / 2) i * g (S i)) -
                                   (x + a) * (binom s (1 / 2) (S i) * g (S i)))) by (intros; ring).
  rewrite total_minus, !total_scal, mean_flips.
  apply (Rmult_le_compat_l (x + a)) in K; lra.
Qed.

Lemma coin_shift (s : nat) (x a t : R) (g : nat -> R) :
  0 < x <= 1 -> 0 <= a <= 1 -> 0 <= t -> t * x <= a -> (forall j, 0 <= g j <= 1) ->
  mean (flips s (1 / 2)) (fun i => (x - a) * g (S i) - (x + a) * g i)
  <= x * (1 - a) * exp (t - t ^ 2 * INR s / 2).
Proof.
  intros Hx Ha Ht Hta G. assert (C : 0 <= x * (1 - a)) by (apply Rmult_le_pos; lra).
  eapply Rle_trans; [apply coin_shift_sum; [lra | intros; apply G] |].
  eapply Rle_trans; [| apply Rmult_le_compat_l; [exact C | apply half_coins_tail, Ht]].
  rewrite Pr_flips, <- total_scal. apply total_le. intros i _. cbv beta.
  assert (B := bracket s i x a t Hx Ha Hta). set (T := Rleb _ _) in *. set (v := (x - a) * _ - _) in *.
  assert (N : 0 <= x * (1 - a) * (if T then binom s (1 / 2) i else 0)).
  { apply Rmult_le_pos; [exact C |]. destruct T; [apply binom_nonneg |]; lra. }
  destruct (Rle_lt_dec v 0) as [V | V].
  - assert (0 <= g (S i) * - v) by (apply Rmult_le_pos; [apply G | lra]). lra.
  - assert (g (S i) * v <= 1 * v) by (apply Rmult_le_compat_r; [lra | apply G]). lra.
Qed.

(** Where a is at least x there is no excess. *)
Lemma coin_shift_none (s : nat) (x a : R) (g : nat -> R) :
  0 < x <= a -> (forall j, 0 <= g j) ->
  mean (flips s (1 / 2)) (fun i => (x - a) * g (S i) - (x + a) * g i) <= 0.
Proof.
  intros Hx G. rewrite <- (mean_flips_const s (1 / 2) 0). apply mean_le; [apply proper_flips; lra |].
  intros i. assert (0 <= (a - x) * g (S i)) by (apply Rmult_le_pos; [lra | apply G]).
  assert (0 <= (x + a) * g i) by (apply Rmult_le_pos; [lra | apply G]). lra.
Qed.

(** ** The other order *)

(** Heads and tails may change places. *)
Lemma flips_mirror (s : nat) (f : nat -> R) :
  mean (flips s (1 / 2)) f = mean (flips s (1 / 2)) (fun i => f (s - i)%nat).
Proof.
  revert f. induction s as [| s IH]; intros f; [rewrite !mean_flips_0; reflexivity |].
  rewrite !mean_flips_S, (IH f), (IH (fun c => f (S c))).
  rewrite (mean_flips s (1 / 2) (fun i => f (S s - i)%nat)).
  rewrite (total_ext _ _ (fun i => binom s (1 / 2) i * f (S (s - i)))).
  - rewrite <- (mean_flips s (1 / 2) (fun i => f (S (s - i)))). cbn [Nat.sub]. lra.
  - intros i Hi. apply in_seq in Hi. rewrite Nat.sub_succ_l by lia. reflexivity.
Qed.

(** So a head less is a head more, for the mirrored function. *)
Lemma coin_shift_mirrored (s : nat) (c d : R) (g : nat -> R) :
  mean (flips s (1 / 2)) (fun i => c * g i - d * g (S i)) =
  mean (flips s (1 / 2)) (fun i => c * g (S s - S i)%nat - d * g (S s - i)%nat).
Proof.
  rewrite flips_mirror, !mean_flips. apply total_ext. intros i Hi. apply in_seq in Hi.
  rewrite (Nat.sub_succ_l i s) by lia. reflexivity.
Qed.

Lemma coin_shift_back (s : nat) (x a t : R) (g : nat -> R) :
  0 < x <= 1 -> 0 <= a <= 1 -> 0 <= t -> t * x <= a -> (forall j, 0 <= g j <= 1) ->
  mean (flips s (1 / 2)) (fun i => (x - a) * g i - (x + a) * g (S i))
  <= x * (1 - a) * exp (t - t ^ 2 * INR s / 2).
Proof.
  intros Hx Ha Ht Hta G. rewrite coin_shift_mirrored.
  apply (coin_shift s x a t (fun j => g (S s - j)%nat)); auto.
Qed.

Lemma coin_shift_back_none (s : nat) (x a : R) (g : nat -> R) :
  0 < x <= a -> (forall j, 0 <= g j) ->
  mean (flips s (1 / 2)) (fun i => (x - a) * g i - (x + a) * g (S i)) <= 0.
Proof.
  intros Hx G. rewrite coin_shift_mirrored.
  apply (coin_shift_none s x a (fun j => g (S s - j)%nat)); auto.
Qed.

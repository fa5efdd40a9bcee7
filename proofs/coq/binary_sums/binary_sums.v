(** Binary sums by randomized response: the estimate of the sum is unbiased, and its variance.

    n users hold a bit each. With probability lambda/n a user sends a fair coin, else his bit. From the
    messages y the analyzer estimates the sum of the bits as T = (n/(n - lambda)) (sum y - lambda/2).
    For every n >= 1, every real lambda with 0 <= lambda < n (0 included, n not) and every data set of
    n bits with the sum s:
    - E[T] = s;
    - E[(T - s)^2] = (n/(n - lambda))^2 n f (1 - f), where f = lambda/(2n), whatever the data.

    Idea: a user with the bit b sends a 1 with the probability f + (1 - 2f) b. Add up the means. A bit
    with the mean f or 1 - f has the variance f (1 - f), and variances of independent bits add up.

    Source: Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits bit_messages.
Import ListNotations.
Open Scope R_scope.

(** One of n users: with probability lambda/n a fair coin, else the truth. *)
Definition rr_randomizer (lambda : R) (n : nat) (x : bool) : dist bool :=
  bind (coin (lambda / INR n)) (fun toss : bool => if toss then coin (1 / 2) else ret x).

(** The analyzer. *)
Definition rr_estimate (lambda : R) (n : nat) (y : list bool) : R :=
  INR n / (INR n - lambda) * (INR (ones y) - lambda / 2).

Lemma rr_share (lambda : R) (n : nat) :
  (1 <= n)%nat -> 0 <= lambda < INR n -> 0 <= lambda / INR n < 1.
Proof.
  intros Hn H. assert (0 < INR n) by (apply lt_0_INR; lia). split.
  - apply Rle_mult_inv_pos; lra.
  - apply Rmult_lt_reg_r with (INR n); [lra |]. field_simplify; lra.
Qed.

Lemma proper_rr_randomizer lambda n x :
  (1 <= n)%nat -> 0 <= lambda < INR n -> proper (rr_randomizer lambda n x).
Proof.
  intros Hn H. apply proper_bind.
  - assert (S := rr_share lambda n Hn H). apply proper_coin. lra.
  - intros [|]; [apply proper_coin; lra | apply proper_ret].
Qed.

(** The probability of a message 1. *)
Lemma chance_rr_randomizer lambda n x :
  chance (rr_randomizer lambda n x) = lambda / INR n / 2 + (1 - lambda / INR n) * INR (Nat.b2n x).
Proof.
  unfold chance, rr_randomizer. rewrite Pr_bind, mean_coin, Pr_coin, Pr_ret.
  set (q := lambda / INR n). destruct x; unfold indicator; simpl; field.
Qed.

(** The mean of the sum of n messages, by the true sum. *)
Lemma rr_mean_messages lambda n xs :
  total xs (fun x => chance (rr_randomizer lambda n x)) =
  INR (length xs) * (lambda / INR n / 2) + (1 - lambda / INR n) * INR (ones xs).
Proof.
  induction xs as [| x xs IH]; [simpl; ring |].
  cbn [total length]. rewrite IH, chance_rr_randomizer, S_INR, ones_cons. ring.
Qed.

(** The estimate of a sum of messages with the right mean is right. *)
Lemma rr_estimate_of_mean lambda n s :
  (1 <= n)%nat -> 0 <= lambda < INR n ->
  INR n / (INR n - lambda) * (INR n * (lambda / INR n / 2) + (1 - lambda / INR n) * s - lambda / 2) = s.
Proof. intros Hn H. assert (0 < INR n) by (apply lt_0_INR; lia). field. lra. Qed.

Theorem rr_sum_unbiased (n : nat) (lambda : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  mean (messages (one_message (rr_randomizer lambda n)) xs) (rr_estimate lambda n) = INR (ones xs).
Proof.
  intros Hn H L. assert (P : forall x, proper (rr_randomizer lambda n x))
    by (intros; apply proper_rr_randomizer; assumption).
  unfold rr_estimate. rewrite mean_scal, mean_minus, mean_const.
  - rewrite mean_ones, rr_mean_messages, L by exact P. apply rr_estimate_of_mean; assumption.
  - apply proper_messages. intros. apply proper_one_message, P.
Qed.

(** The variance of one message is the same for both bits. *)
Lemma rr_variance_message lambda n x :
  let f := lambda / (2 * INR n) in
  (1 <= n)%nat -> chance (rr_randomizer lambda n x) * (1 - chance (rr_randomizer lambda n x)) = f * (1 - f).
Proof.
  intros f Hn. assert (0 < INR n) by (apply lt_0_INR; lia).
  rewrite chance_rr_randomizer. unfold f. destruct x; simpl; field; lra.
Qed.

Theorem rr_sum_variance (n : nat) (lambda : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  let f := lambda / (2 * INR n) in
  mean (messages (one_message (rr_randomizer lambda n)) xs)
    (fun y => (rr_estimate lambda n y - INR (ones xs)) ^ 2) =
  (INR n / (INR n - lambda)) ^ 2 * (INR n * (f * (1 - f))).
Proof.
  intros Hn H L f. assert (P : forall x, proper (rr_randomizer lambda n x))
    by (intros; apply proper_rr_randomizer; assumption).
  set (m := total xs (fun x => chance (rr_randomizer lambda n x))).
  assert (E : INR n / (INR n - lambda) * (m - lambda / 2) = INR (ones xs)).
  { unfold m. rewrite rr_mean_messages, L. apply rr_estimate_of_mean; assumption. }
  rewrite (mean_ext _ _ (fun y => (INR n / (INR n - lambda)) ^ 2 * (INR (ones y) - m) ^ 2)).
  - rewrite mean_scal, variance_ones by exact P. fold m.
    rewrite (total_ext xs _ (fun _ => f * (1 - f))) by (intros; apply rr_variance_message; exact Hn).
    rewrite total_const, L. ring.
  - intros y. rewrite <- E. unfold rr_estimate. ring.
Qed.

(** The error of zsum: what it takes for it to be large, and how unlikely that is.

    There are n >= 1 users, k of whom hold a 1, and the target is the mean k/n. The view is the number
    n + k - w of messages, where w is the number of silent coins, W ~ Bin(n, gamma), with the mean
    mu = n gamma. Proved here:

    - [zsum_error_lemma]: for every gamma >= 0 and h >= 0, whatever k and w are, an error above
      (1 + h) gamma implies w > (1 + h) mu and k > (1 + h) mu ([zsum_error_real] is this for real numbers);
    - [zsum_accuracy_general]: for every n >= 1, gamma in [0, 1] and h >= 0, and on every data set of n
      records, the error exceeds (1 + h) gamma with probability at most e^(-mu h^2/(2 + h));
    - [zsum_small_sum_no_error]: with probability 0 where k <= (1 + h) mu.

    Idea: where w < k the estimate is gamma + (k - w)/n, so that the error is abs(gamma - w/n). It can
    exceed (1 + h) gamma only from above, for gamma - w/n <= gamma; and k > w. Where w >= k the estimate
    is 0 and the error is k/n. So every large error is an event of one tail of W, the upper one, and
    Chernoff's bound for it is all that is needed.

    Source: the protocol is from Balcer and Cheu 2020, section 3.1; this proof is this package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy binomial chernoff zsum.
Import ListNotations.
Open Scope R_scope.

(** The distance between the estimate of n users and the mean k/n, where the messages are y. *)
Definition zsum_error (n : nat) (gamma : R) (k : nat) (y : list unit) : R :=
  Rabs (zsum_estimate n gamma y - INR k / INR n).

(** ** The estimate and its error as functions of the number w of silent coins *)

Lemma INR_positive n : (1 <= n)%nat -> 0 < INR n.
Proof. intros H. apply lt_0_INR. lia. Qed.

Lemma share_nonneg n w : (1 <= n)%nat -> 0 <= INR w / INR n.
Proof.
  intros Hn. apply Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, INR_positive, Hn].
Qed.

(** If fewer coins are silent than users hold a 1, the estimate is not cut off. *)
Lemma zsum_estimate_above n gamma k w : (1 <= n)%nat -> (w < k)%nat ->
  zsum_estimate n gamma (repeat tt (n + k - w)) = gamma + (INR k - INR w) / INR n.
Proof.
  intros Hn H. assert (P := INR_positive n Hn). assert (L := lt_INR _ _ H).
  unfold zsum_estimate. rewrite repeat_length, minus_INR, plus_INR by lia.
  replace ((INR n + INR k - INR w) / INR n) with (1 + (INR k - INR w) / INR n) by (field; lra).
  assert (D : 0 < (INR k - INR w) / INR n) by (apply Rdiv_lt_0_compat; lra).
  destruct (Rlt_dec 1 _); lra.
Qed.

Lemma zsum_error_above n gamma k w : (1 <= n)%nat -> (w < k)%nat ->
  zsum_error n gamma k (repeat tt (n + k - w)) = Rabs (gamma - INR w / INR n).
Proof.
  intros Hn H. assert (P := INR_positive n Hn). unfold zsum_error.
  rewrite zsum_estimate_above by assumption. f_equal. field. lra.
Qed.

(** Otherwise there are at most n messages, and it is. *)
Lemma zsum_error_zero n gamma k w : (1 <= n)%nat -> (k <= w)%nat ->
  zsum_error n gamma k (repeat tt (n + k - w)) = INR k / INR n.
Proof.
  intros Hn H. assert (S := share_nonneg n k Hn). unfold zsum_error.
  rewrite zsum_estimate_few by (rewrite ?repeat_length; lia).
  rewrite Rabs_left1; lra.
Qed.

(** ** What a large error implies *)

(** From a comparison with count/n to one with the count. *)
Lemma above_times_n n a c : 0 < n -> a < c / n -> a * n < c.
Proof.
  intros P H. apply (Rmult_lt_compat_r n) in H; [| exact P].
  replace (c / n * n) with c in H by (field; lra). exact H.
Qed.

(** An error above (1 + h) gamma implies w > (1 + h) mu and k > (1 + h) mu. *)
Theorem zsum_error_lemma (n k w : nat) (gamma h : R) :
  (1 <= n)%nat -> 0 <= gamma -> 0 <= h ->
  (1 + h) * gamma < Rabs (zsum_estimate n gamma (repeat tt (n + k - w)) - INR k / INR n) ->
  (1 + h) * (INR n * gamma) < INR w /\ (1 + h) * (INR n * gamma) < INR k.
Proof.
  intros Hn Hg Hh H. assert (P := INR_positive n Hn).
  assert (G : 0 <= h * gamma) by (apply Rmult_le_pos; assumption).
  fold (zsum_error n gamma k (repeat tt (n + k - w))) in H.
  replace ((1 + h) * (INR n * gamma)) with ((1 + h) * gamma * INR n) by ring.
  destruct (Nat.lt_ge_cases w k) as [L | L].
  - rewrite zsum_error_above in H by assumption.
    assert (W : (1 + h) * gamma < INR w / INR n).
    { assert (S := share_nonneg n w Hn). revert H. unfold Rabs. destruct (Rcase_abs _); lra. }
    apply (above_times_n _ _ _ P) in W. apply lt_INR in L. lra.
  - rewrite zsum_error_zero in H by assumption.
    apply (above_times_n _ _ _ P) in H. apply le_INR in L. lra.
Qed.

(** The same for real numbers n, k and w; the estimate is gamma + (k - w)/n where w < k, and 0 elsewhere. *)
Theorem zsum_error_real (n k w gamma h : R) :
  0 < n -> 0 <= gamma -> 0 <= k -> 0 <= w -> 0 <= h ->
  let estimate := if Rlt_dec w k then gamma + (k - w) / n else 0 in
  (1 + h) * gamma < Rabs (estimate - k / n) ->
  (1 + h) * (n * gamma) < w /\ (1 + h) * (n * gamma) < k.
Proof.
  intros Hn Hg Hk Hw Hh estimate H.
  assert (G : 0 <= h * gamma) by (apply Rmult_le_pos; assumption).
  assert (W : 0 <= w / n) by (apply Rmult_le_pos; [exact Hw | left; apply Rinv_0_lt_compat, Hn]).
  assert (K : 0 <= k / n) by (apply Rmult_le_pos; [exact Hk | left; apply Rinv_0_lt_compat, Hn]).
  replace ((1 + h) * (n * gamma)) with ((1 + h) * gamma * n) by ring.
  unfold estimate in H. destruct (Rlt_dec w k) as [L | L].
  - replace (gamma + (k - w) / n - k / n) with (gamma - w / n) in H by (field; lra).
    assert (B : (1 + h) * gamma < w / n) by (revert H; unfold Rabs; destruct (Rcase_abs _); lra).
    apply (above_times_n n _ _ Hn) in B. lra.
  - rewrite Rabs_left1 in H by lra.
    assert (B : (1 + h) * gamma < k / n) by lra. apply (above_times_n n _ _ Hn) in B. lra.
Qed.

(** ** The probability of a large error *)

(** The probability of an event of the messages, by the number of silent coins. *)
Lemma zsum_probability n gamma xs T : length xs = n ->
  Pr (messages (zsum_randomizer gamma) xs) T =
  Pr (flips n gamma) (fun w => T (repeat tt (n + ones xs - w))).
Proof. intros <-. apply zsum_view. Qed.

(** P[error > (1 + h) gamma] <= e^(-mu h^2/(2 + h)). *)
Lemma zsum_accuracy_general (n : nat) (gamma h : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n ->
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb ((1 + h) * gamma) (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n)))
  <= exp (- (h ^ 2 / (2 + h) * (INR n * gamma))).
Proof.
  intros Hn Hg Hh L. rewrite (zsum_probability n gamma xs _ L).
  eapply Rle_trans; [| apply (chernoff_upper n gamma h Hg Hh)].
  apply Pr_le; [apply proper_flips, Hg |]. intros w H. apply Rltb_true in H. apply Rleb_true, Rlt_le.
  apply (zsum_error_lemma n (ones xs) w gamma h); lra || assumption.
Qed.

(** Where few users hold a 1 there is nothing to bound: no error exceeds (1 + h) gamma. *)
Lemma zsum_small_sum_no_error (n : nat) (gamma h : R) (xs : list bool) :
  (1 <= n)%nat -> 0 <= gamma -> 0 <= h -> length xs = n ->
  INR (ones xs) <= (1 + h) * (INR n * gamma) ->
  Pr (messages (zsum_randomizer gamma) xs)
    (fun y => Rltb ((1 + h) * gamma) (Rabs (zsum_estimate n gamma y - INR (ones xs) / INR n))) = 0.
Proof.
  intros Hn Hg Hh L K. rewrite (zsum_probability n gamma xs _ L).
  rewrite (Pr_ext _ _ (fun _ => false)).
  - unfold Pr, mean. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |].
    intros wa _. unfold indicator. ring.
  - intros w. destruct (Rltb _ _) eqn:H; [exfalso | reflexivity]. apply Rltb_true in H.
    apply (zsum_error_lemma n (ones xs) w gamma h) in H; lra || assumption.
Qed.

(** Binary randomized response, the survey of private bits: its exact privacy, its estimate and its error.

    Each of n users holds a bit and answers truthfully with probability 1/2 + g, else with the opposite
    bit, 0 < g < 1/2 (both ends excluded). With s the number of ones among the bits and K that among the
    answers, the estimate of s is f = (K - (1/2 - g) n)/(2 g).
    - [survey_privacy_local], [survey_privacy]: a user's answer is (eps, 0)-DP if and only if
      eps >= ln((1/2 + g)/(1/2 - g)); the shuffled answers of n users are for the same eps, for n >= 1.
    - [survey_unbiased]: E[f] = s, for every data set (even an empty one).
    - [survey_unbiased_printed]: with the printed - n/2 - g n for - (1/2 - g) n its mean is s - n.
    - [survey_variance]: E[(f - s)^2] = n (1/4 - g^2)/(4 g^2) = n e^eps/(e^eps - 1)^2 with the least eps.
    - [hoeffding_bound]: P[|f - s| >= t] <= 2 exp(-8 g^2 t^2/n) for n >= 1, t >= 0;
      [hoeffding_bound_mean]: for the mean f/n of the bits, 2 exp(-8 g^2 n t^2).
    - [hoeffding_radius]: |f - s| < sqrt(n ln(2/delta)/8)/g with probability at least 1 - delta, for
      n >= 1 and 0 < delta < 1.

    Idea: the answer "1" has the probabilities 1/2 + g and 1/2 - g, no event has a larger ratio, and a
    shuffler adds nothing to one message per user (single_message.v). The rest is about sums of
    independent bits: K has the mean (1/2 - g) n + 2 g s.

    Source: Warner 1965, section 2; Hoeffding 1963, Theorem 2, with the constants corrected. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy single_message bits bit_messages hoeffding.
Import ListNotations.
Open Scope R_scope.

(** One user. *)
Definition survey_randomizer (g : R) (x : bool) : dist bool :=
  dmap (fun truth : bool => if truth then x else negb x) (coin (1 / 2 + g)).

(** The analyzer of n users. *)
Definition survey_estimate (g : R) (n : nat) (y : list bool) : R :=
  (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g).

Lemma proper_survey_randomizer g x : 0 < g < 1 / 2 -> proper (survey_randomizer g x).
Proof. intros H. apply proper_dmap, proper_coin. lra. Qed.

Lemma Pr_survey_randomizer g x T :
  Pr (survey_randomizer g x) T = (1 / 2 + g) * indicator T x + (1 / 2 - g) * indicator T (negb x).
Proof. unfold survey_randomizer. rewrite Pr_dmap, Pr_coin. unfold indicator. field. Qed.

(** ** Privacy *)

(** A ratio is at most e^eps if its logarithm is at most eps. *)
Lemma log_ratio_le p q eps : 0 < p -> 0 < q -> ln (p / q) <= eps <-> p <= exp eps * q.
Proof.
  intros Hp Hq. assert (P : 0 < p / q) by (apply Rdiv_lt_0_compat; assumption). split; intros H.
  - apply exp_le in H. rewrite exp_ln in H by exact P.
    apply (Rmult_le_compat_r q) in H; [| lra]. replace (p / q * q) with p in H by (field; lra). exact H.
  - rewrite <- (ln_exp eps). assert (L : p / q <= exp eps).
    { apply Rmult_le_reg_r with q; [exact Hq |]. replace (p / q * q) with p by (field; lra). exact H. }
    destruct L as [L | ->]; [left; apply ln_increasing; assumption | right; reflexivity].
Qed.

Theorem survey_privacy_local (g eps : R) :
  0 < g < 1 / 2 ->
  local_dp (survey_randomizer g) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps.
Proof.
  intros Hg. rewrite log_ratio_le by lra. split.
  - intros H. specialize (H true false (fun b => b)). rewrite !Pr_survey_randomizer in H.
    unfold indicator in H. simpl in H. lra.
  - intros H x y T. rewrite !Pr_survey_randomizer.
    assert (E : 0 < exp eps) by apply exp_pos.
    assert (H' : 1 / 2 - g <= exp eps * (1 / 2 + g)).
    { apply Rle_trans with (exp eps * (1 / 2 - g)); [lra |]. apply Rmult_le_compat_l; lra. }
    assert (H1 : 1 <= exp eps) by (apply Rmult_le_reg_r with (1 / 2 - g); lra).
    assert (D : 1 / 2 + g <= exp eps * (1 / 2 + g)) by (apply (Rmult_le_compat_r (1 / 2 + g)) in H1; lra).
    assert (D' : 1 / 2 - g <= exp eps * (1 / 2 - g)) by lra.
    unfold indicator. destruct x, y; cbn [negb]; destruct (T true), (T false); lra.
Qed.

Theorem survey_privacy (n : nat) (g eps : R) :
  (1 <= n)%nat -> 0 < g < 1 / 2 ->
  shuffle_dp n (one_message (survey_randomizer g)) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps.
Proof.
  intros Hn Hg. rewrite single_message_pure_epsilon; [| | exact Hn].
  - apply survey_privacy_local, Hg.
  - intros x. apply proper_survey_randomizer, Hg.
Qed.

(** ** The estimate *)

Lemma chance_survey_randomizer g x :
  chance (survey_randomizer g x) = 1 / 2 - g + 2 * g * INR (Nat.b2n x).
Proof.
  unfold chance. rewrite Pr_survey_randomizer. unfold indicator. destruct x; simpl; field.
Qed.

(** The mean of K. *)
Lemma survey_mean_answers g xs :
  total xs (fun x => chance (survey_randomizer g x)) =
  (1 / 2 - g) * INR (length xs) + 2 * g * INR (ones xs).
Proof.
  induction xs as [| x xs IH]; [simpl; ring |].
  cbn [total length]. rewrite IH, chance_survey_randomizer, S_INR, ones_cons. ring.
Qed.

(** The error of the estimate is that of K, divided by 2 g. *)
Lemma survey_error g xs y :
  0 < g ->
  survey_estimate g (length xs) y - INR (ones xs) =
  (INR (ones y) - total xs (fun x => chance (survey_randomizer g x))) / (2 * g).
Proof. intros Hg. unfold survey_estimate. rewrite survey_mean_answers. field. lra. Qed.

Theorem survey_unbiased (n : nat) (g : R) (xs : list bool) :
  0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs) (survey_estimate g n) = INR (ones xs).
Proof.
  intros Hg <-. assert (P : forall x, proper (survey_randomizer g x))
    by (intros; apply proper_survey_randomizer, Hg).
  rewrite (mean_ext _ _ (fun y => / (2 * g) * (INR (ones y) - (1 / 2 - g) * INR (length xs)))).
  - rewrite mean_scal, mean_minus, mean_const, mean_ones, survey_mean_answers by
      (exact P || (apply proper_messages; intros; apply proper_one_message, P)).
    field. lra.
  - intros y. unfold survey_estimate. field. lra.
Qed.

(** With the printed sign the estimate is biased by n, for every n >= 1. *)
Theorem survey_unbiased_printed (n : nat) (g : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n ->
  let m := mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (INR (ones y) - INR n / 2 - g * INR n) / (2 * g)) in
  m = INR (ones xs) - INR n /\ m <> INR (ones xs).
Proof.
  intros Hg Hn L m. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (E : m = INR (ones xs) - INR n); [| split; lra].
  unfold m. rewrite <- (survey_unbiased n g xs Hg L).
  rewrite (mean_ext _ _ (fun y => survey_estimate g n y - INR n))
    by (intros y; unfold survey_estimate; field; lra).
  rewrite mean_minus, mean_const; [reflexivity |].
  apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer, Hg.
Qed.

Theorem survey_variance (n : nat) (g : R) (xs : list bool) :
  0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (survey_estimate g n y - INR (ones xs)) ^ 2) =
  INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2).
Proof.
  intros Hg <-. set (m := total xs (fun x => chance (survey_randomizer g x))).
  rewrite (mean_ext _ _ (fun y => / (4 * g ^ 2) * (INR (ones y) - m) ^ 2)).
  - rewrite mean_scal, variance_ones by (intros; apply proper_survey_randomizer, Hg). fold m.
    rewrite (total_ext xs _ (fun _ => 1 / 4 - g ^ 2)).
    + rewrite total_const. field. lra.
    + intros x _. rewrite chance_survey_randomizer. destruct x; simpl; field.
  - intros y. rewrite survey_error by lra. fold m. field. lra.
Qed.

(** The same by the least eps of the randomizer. *)
Theorem survey_variance_by_epsilon (n : nat) (g : R) :
  0 < g < 1 / 2 -> let E := exp (ln ((1 / 2 + g) / (1 / 2 - g))) in
  INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2) = INR n * E / (E - 1) ^ 2.
Proof.
  intros Hg E. unfold E. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

(** ** Large errors are rare *)

Theorem hoeffding_bound (n : nat) (g t : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n -> 0 <= t ->
  Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rleb t (Rabs (survey_estimate g n y - INR (ones xs))))
  <= 2 * exp (- (8 * g ^ 2 * t ^ 2 / INR n)).
Proof.
  intros Hg Hn <- Ht. assert (P : forall x, proper (survey_randomizer g x))
    by (intros; apply proper_survey_randomizer, Hg).
  replace (8 * g ^ 2 * t ^ 2 / INR (length xs)) with (2 * (2 * g * t) ^ 2 / INR (length xs))
    by (field; apply not_0_INR; lia).
  assert (U : 0 <= 2 * g * t) by (apply Rmult_le_pos; lra).
  eapply Rle_trans; [| apply (hoeffding_inequality (survey_randomizer g) xs (2 * g * t) P Hn U)].
  apply Pr_le; [apply proper_messages; intros; apply proper_one_message, P |].
  intros y Hy. apply Rleb_true in Hy. apply Rleb_true. rewrite survey_error in Hy by lra.
  set (z := INR (ones y) - _) in *. unfold Rdiv in Hy. rewrite Rabs_mult in Hy.
  rewrite (Rabs_pos_eq (/ (2 * g))) in Hy by (left; apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_compat_l (2 * g)) in Hy; [| lra].
  replace (2 * g * (Rabs z * / (2 * g))) with (Rabs z) in Hy by (field; lra). exact Hy.
Qed.

(** For the mean of the bits. *)
Theorem hoeffding_bound_mean (n : nat) (g t : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n -> 0 <= t ->
  Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rleb t (Rabs (survey_estimate g n y / INR n - INR (ones xs) / INR n)))
  <= 2 * exp (- (8 * g ^ 2 * INR n * t ^ 2)).
Proof.
  intros Hg Hn L Ht. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (U : 0 <= INR n * t) by (apply Rmult_le_pos; lra).
  assert (B := hoeffding_bound n g (INR n * t) xs Hg Hn L U).
  replace (8 * g ^ 2 * (INR n * t) ^ 2 / INR n) with (8 * g ^ 2 * INR n * t ^ 2) in B by (field; lra).
  eapply Rle_trans; [| exact B].
  apply Pr_le; [apply proper_messages; intros; apply proper_one_message, proper_survey_randomizer, Hg |].
  intros y Hy. apply Rleb_true in Hy. apply Rleb_true.
  replace (survey_estimate g n y - INR (ones xs))
    with (INR n * (survey_estimate g n y / INR n - INR (ones xs) / INR n)) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (INR n)) by lra. apply Rmult_le_compat_l; lra.
Qed.

Theorem hoeffding_radius (n : nat) (g delta : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n -> 0 < delta < 1 ->
  1 - delta <=
  Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (Rabs (survey_estimate g n y - INR (ones xs))) (sqrt (INR n * ln (2 / delta) / 8) / g)).
Proof.
  intros Hg Hn Hxs Hd. set (t := sqrt (INR n * ln (2 / delta) / 8) / g).
  assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (F : 1 <= 2 / delta) by (apply Rmult_le_reg_r with delta; [lra |]; field_simplify; lra).
  assert (L : 0 <= ln (2 / delta)).
  { rewrite <- ln_1. destruct F as [F | <-]; [left; apply ln_increasing; lra | lra]. }
  assert (Q : 0 <= INR n * ln (2 / delta)) by (apply Rmult_le_pos; lra).
  assert (T : 0 <= t) by (apply Rle_mult_inv_pos; [apply sqrt_pos | lra]).
  assert (B := hoeffding_bound n g t xs Hg Hn Hxs T).
  (* the exponent is ln(2/delta) *)
  replace (8 * g ^ 2 * t ^ 2 / INR n) with (ln (2 / delta)) in B.
  - rewrite exp_Ropp, exp_ln in B by lra. replace (2 * / (2 / delta)) with delta in B by (field; lra).
    eapply Rle_trans; [| apply Pr_one_of_two with
      (S := fun y => Rleb t (Rabs (survey_estimate g n y - INR (ones xs))))].
    + lra.
    + apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer, Hg.
    + intros y. rewrite Rleb_true, Rltb_true. lra.
  - replace (8 * g ^ 2 * t ^ 2) with (8 * sqrt (INR n * ln (2 / delta) / 8) ^ 2) by (unfold t; field; lra).
    rewrite pow2_sqrt by lra. field. lra.
Qed.

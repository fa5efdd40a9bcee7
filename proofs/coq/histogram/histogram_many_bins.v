(** Why a bound of all bins' errors must know how many they are: with a fixed alpha n they fail.

    Let the mean mu = n gamma of zsum's silent coins not depend on n. Then, for every real c and every
    beta < 1, if n is large, there are a number d of bins and a data set of n records in them on which some
    bin of the histogram errs by more than c/n with a probability above beta ([histogram_bins_fail]). So no
    constant C makes C ln(1/delta)/(eps^2 n) a bound of the errors of all bins at once, at any eps, delta
    and beta < 1 ([histogram_every_constant_fails]); and what is right for one bin is wrong for all of
    them: gamma (1 + 1.2808 eps) is such an alpha at every beta >= delta^25 ([histogram_right_for_one_bin]).

    Idea: K > c users in each of floor(n/K) bins. A bin errs by K/n where at least K coins are silent,
    which has a probability of at least q = (mu/K)^K e^(-2 mu), whatever n is. The bins are independent:
    none errs with a probability of at most (1 - q)^floor(n/K), and this tends to 0.

    Source: the protocol and the claim with a fixed constant are from Balcer and Cheu 2020, section 3.2, as
    the reading notes have it; the counterexample is this package's (histogram-every-constant-fails). *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy adding_a_user binomial single_message zsum zsum_accuracy.
From Exactdp Require Import zsum_accuracy_theorem zsum_gamma_term zsum_privacy histogram.
From Exactdp Require Import histogram_bin_error histogram_accuracy.
Import ListNotations.
Open Scope R_scope.

(** ** One bin of K users *)

(** C(n, k) >= (n/k)^k. *)
Lemma choose_at_least n k : (k <= n)%nat -> (INR n / INR k) ^ k <= C n k.
Proof.
  revert n. induction k as [| k IH]; intros n H; [rewrite choose_0; simpl; lra |].
  destruct n as [| n]; [lia |]. assert (Hk : (k <= n)%nat) by lia. specialize (IH n Hk).
  assert (Pn := pos_INR n). assert (Pk := pos_INR k). assert (L := le_INR _ _ Hk).
  replace (C (S n) (S k)) with (INR (S n) / INR (S k) * C n k).
  2: { unfold C. replace (S n - S k)%nat with (n - k)%nat by lia.
       change (fact (S n)) with (S n * fact n)%nat. change (fact (S k)) with (S k * fact k)%nat.
       rewrite !mult_INR. field. repeat split; try apply INR_fact_neq_0. rewrite S_INR. lra. }
  change ((INR (S n) / INR (S k)) ^ S k) with (INR (S n) / INR (S k) * (INR (S n) / INR (S k)) ^ k).
  rewrite !S_INR. assert (0 < / (INR k + 1)) by (apply Rinv_0_lt_compat; lra).
  apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |]. eapply Rle_trans; [| exact IH].
  destruct k as [| k]; [simpl; lra |]. apply pow_incr. rewrite S_INR in *. split; [apply Rmult_le_pos; lra |].
  apply Rmult_le_reg_r with ((INR k + 1 + 1) * (INR k + 1));
    [apply Rmult_lt_0_compat; assert (P := pos_INR k); lra |].
  assert (P := pos_INR k). field_simplify; [| lra | lra]. nra.
Qed.

(** 1 - gamma >= e^(-2 gamma) up to gamma = 1/2. *)
Lemma silence_at_least gamma : 0 <= gamma <= 1 / 2 -> exp (- (2 * gamma)) <= 1 - gamma.
Proof.
  intros H. assert (E := exp_ineq1_le (2 * gamma)). rewrite exp_Ropp.
  apply Rmult_le_reg_l with (exp (2 * gamma)); [apply exp_pos |].
  rewrite Rinv_r; [| apply Rgt_not_eq, exp_pos].
  apply Rle_trans with ((1 + 2 * gamma) * (1 - gamma)); [nra |]. apply Rmult_le_compat_r; lra.
Qed.

Lemma pow_decreasing x i j : 0 <= x <= 1 -> (i <= j)%nat -> x ^ j <= x ^ i.
Proof.
  intros H L. replace j with (j - i + i)%nat by lia. rewrite pow_add. rewrite <- (Rmult_1_l (x ^ i)) at 2.
  apply Rmult_le_compat_r; [apply pow_le; lra |]. rewrite <- (pow1 (j - i)). apply pow_incr. lra.
Qed.

(** What is left of the probability that exactly K of n coins are silent, if the mean is mu. *)
Definition least_failure (mu : R) (K : nat) : R := (mu / INR K) ^ K * exp (- (2 * mu)).

Lemma least_failure_below n gamma K :
  (1 <= K <= n)%nat -> 0 <= gamma <= 1 / 2 -> least_failure (INR n * gamma) K <= binom n gamma K.
Proof.
  intros HK Hg. rewrite binom_inside by lia. unfold least_failure.
  replace (INR n * gamma / INR K) with (INR n / INR K * gamma) by (unfold Rdiv; ring).
  rewrite Rpow_mult_distr.
  assert (G : 0 <= gamma ^ K) by (apply pow_le; lra).
  assert (P : 0 <= (INR n / INR K) ^ K).
  { apply pow_le, Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, INR_positive; lia]. }
  apply Rmult_le_compat; [apply Rmult_le_pos; assumption | left; apply exp_pos | |].
  - apply Rmult_le_compat_r; [exact G | apply choose_at_least; lia].
  - replace (exp (- (2 * (INR n * gamma)))) with (exp (- (2 * gamma)) ^ n)
      by (rewrite exp_power; f_equal; ring).
    apply Rle_trans with ((1 - gamma) ^ n).
    + apply pow_incr. split; [left; apply exp_pos | apply silence_at_least, Hg].
    + apply pow_decreasing; [lra | lia].
Qed.

(** A bin of K users has more than n messages where fewer than K coins are silent. *)
Lemma bin_not_cut_off n gamma K xs j :
  (1 <= K <= n)%nat -> 0 <= gamma <= 1 / 2 -> length xs = n -> count j xs = K ->
  Pr (bin_count gamma xs j) (Nat.ltb n) <= 1 - least_failure (INR n * gamma) K.
Proof.
  intros HK Hg L HC. assert (F := least_failure_below n gamma K HK Hg).
  assert (HP : proper (flips n gamma)) by (apply proper_flips; lra).
  unfold bin_count. rewrite Pr_dmap.
  rewrite (zsum_probability n gamma (bin_bits j xs)) by (unfold bin_bits; rewrite map_length; exact L).
  rewrite ones_bin_bits, HC.
  assert (Exactly : Pr (flips n gamma) (Nat.eqb K) = binom n gamma K).
  { rewrite Pr_flips. rewrite (total_ext _ _ (fun i => if Nat.eq_dec K i then binom n gamma K else 0)).
    - apply total_single; [apply seq_NoDup | apply in_seq; lia].
    - intros i _. destruct (Nat.eqb_spec K i) as [E | N], (Nat.eq_dec K i); congruence. }
  assert (Both : Pr (flips n gamma) (fun w => Nat.ltb n (length (repeat tt (n + K - w)))) +
                 Pr (flips n gamma) (Nat.eqb K) <= 1).
  { unfold Pr. rewrite <- mean_plus, <- (mean_const (flips n gamma) 1 HP). apply mean_le; [exact HP |].
    intros w. unfold indicator. rewrite repeat_length.
    destruct (Nat.ltb_spec n (n + K - w)), (Nat.eqb_spec K w); try lra. lia. }
  lra.
Qed.

(** ** Many such bins *)

(** K users in each of the bins 1, ..., m, and the others in bin 0. *)
Definition crowded (n K m : nat) : list nat :=
  repeat 0%nat (n - m * K) ++ flat_map (fun j => repeat j K) (seq 1 m).

Lemma crowd_length K a m : length (flat_map (fun j => repeat j K) (seq a m)) = (m * K)%nat.
Proof.
  revert a. induction m as [| m IH]; intros a; [reflexivity |].
  cbn [seq flat_map]. rewrite app_length, repeat_length, IH. lia.
Qed.

Lemma crowded_length n K m : (m * K <= n)%nat -> length (crowded n K m) = n.
Proof. intros H. unfold crowded. rewrite app_length, repeat_length, crowd_length. lia. Qed.

Lemma count_repeat i j k : count j (repeat i k) = if Nat.eq_dec i j then k else 0%nat.
Proof.
  unfold count. induction k as [| k IH]; simpl; [destruct (Nat.eq_dec i j); reflexivity |].
  rewrite IH. destruct (Nat.eq_dec i j); reflexivity.
Qed.

Lemma crowd_count K j a m :
  count j (flat_map (fun i => repeat i K) (seq a m)) = if in_dec Nat.eq_dec j (seq a m) then K else 0%nat.
Proof.
  revert a. induction m as [| m IH]; intros a; [reflexivity |].
  cbn [seq flat_map]. unfold count in *. rewrite count_occ_app, IH.
  assert (R := count_repeat a j K). unfold count in R. rewrite R.
  destruct (Nat.eq_dec a j) as [-> | N], (in_dec Nat.eq_dec j (seq (S _) m)) as [I | I],
    (in_dec Nat.eq_dec j (_ :: seq (S _) m)) as [J | J]; simpl in J; try rewrite in_seq in *; try lia; tauto.
Qed.

Lemma crowded_count n K m j : (1 <= j <= m)%nat -> count j (crowded n K m) = K.
Proof.
  intros H. unfold crowded, count. rewrite count_occ_app. fold (count j (repeat 0%nat (n - m * K))).
  rewrite count_repeat. fold (count j (flat_map (fun i => repeat i K) (seq 1 m))). rewrite crowd_count.
  destruct (Nat.eq_dec 0 j), (in_dec Nat.eq_dec j (seq 1 m)) as [I | I]; try rewrite in_seq in I; lia.
Qed.

Lemma crowded_in_bins n K m x : In x (crowded n K m) -> (x < S m)%nat.
Proof.
  intros I. apply in_app_or in I. destruct I as [I | I].
  - apply repeat_spec in I. lia.
  - apply in_flat_map in I. destruct I as [j [J I]]. apply repeat_spec in I. apply in_seq in J. lia.
Qed.

(** All of them have more than n messages with probability at most (1 - q)^m. *)
Lemma bins_not_cut_off n gamma K m xs :
  (1 <= K <= n)%nat -> 0 <= gamma <= 1 / 2 -> length xs = n ->
  (forall j, (1 <= j <= m)%nat -> count j xs = K) ->
  Pr (messages (histogram_randomizer (S m) gamma) xs)
     (fun y => forallb (fun j => Nat.ltb n (count j y)) (seq 1 m))
  <= (1 - least_failure (INR n * gamma) K) ^ m.
Proof.
  intros HK Hg L HC. set (q := least_failure (INR n * gamma) K).
  assert (PB : forall j, proper (bin_count gamma xs j)).
  { intros j. apply proper_dmap, proper_messages. intros. apply proper_zsum_randomizer. lra. }
  set (T := fun cs => forallb (Nat.ltb n) (tl cs)).
  assert (E : Pr (messages (histogram_randomizer (S m) gamma) xs)
      (fun y => forallb (fun j => Nat.ltb n (count j y)) (seq 1 m)) =
    Pr (messages (one_message (bin_count gamma xs)) (seq 1 m)) (forallb (Nat.ltb n))).
  { rewrite (Pr_ext _ _ (fun y => T (counts (S m) y))).
    - rewrite <- Pr_dmap. unfold Pr. rewrite (histogram_bin_is_zsum (S m) gamma xs (indicator T)).
      cbn [seq]. rewrite mean_messages_first. unfold one_message at 1. rewrite mean_dmap.
      apply (mean_const _ (mean (messages (one_message (bin_count gamma xs)) (seq 1 m))
        (indicator (forallb (Nat.ltb n)))) (PB 0%nat)).
    - intros y. unfold T, counts. cbn [seq map tl]. generalize (seq 1 m). intros js.
      induction js as [| j js IH]; simpl; [reflexivity | rewrite IH; reflexivity]. }
  rewrite E, all_messages_in. clear E T.
  assert (B : forall a k, (1 <= a)%nat -> (a + k <= S m)%nat ->
    fold_right (fun j t => Pr (bin_count gamma xs j) (Nat.ltb n) * t) 1 (seq a k) <= (1 - q) ^ k /\
    0 <= fold_right (fun j t => Pr (bin_count gamma xs j) (Nat.ltb n) * t) 1 (seq a k)).
  { intros a k. revert a. induction k as [| k IH]; intros a Ha Hk; [simpl; lra |].
    cbn [seq fold_right pow]. destruct (IH (S a)) as [U P]; [lia | lia |].
    destruct (Pr_bounds (bin_count gamma xs a) (Nat.ltb n) (PB a)) as [P' _]. split.
    - apply Rmult_le_compat; [exact P' | exact P | | exact U].
      apply bin_not_cut_off; try assumption. apply HC. lia.
    - apply Rmult_le_pos; assumption. }
  apply (B 1%nat m); lia.
Qed.

(** Where no bin errs by K/n, none of them is cut off. *)
Lemma some_bin_errs n gamma a K m xs y :
  (1 <= n)%nat -> a < INR K / INR n -> (forall j, (1 <= j <= m)%nat -> count j xs = K) ->
  some_error_above n (S m) gamma a xs y = false ->
  forallb (fun j => Nat.ltb n (count j y)) (seq 1 m) = true.
Proof.
  intros Hn Ha HC H. apply forallb_forall. intros j J. apply in_seq in J. apply Nat.ltb_lt.
  destruct (Nat.lt_ge_cases n (count j y)) as [G | G]; [exact G | exfalso].
  assert (E : some_error_above n (S m) gamma a xs y = true); [| congruence].
  apply existsb_exists. exists j. split; [apply in_seq; lia |]. apply Rltb_true.
  unfold histogram_error, histogram_estimate. rewrite zsum_estimate_few by (rewrite ?repeat_length; lia).
  rewrite HC by lia. assert (S := share_nonneg n K Hn). rewrite Rabs_left1; lra.
Qed.

Lemma all_bins_fail n gamma a K m :
  (1 <= K <= n)%nat -> (m * K <= n)%nat -> 0 <= gamma <= 1 / 2 -> a < INR K / INR n ->
  1 - (1 - least_failure (INR n * gamma) K) ^ m <=
  Pr (messages (histogram_randomizer (S m) gamma) (crowded n K m))
     (some_error_above n (S m) gamma a (crowded n K m)).
Proof.
  intros HK Hm Hg Ha. assert (L := crowded_length n K m Hm). assert (HC := crowded_count n K m).
  assert (B := bins_not_cut_off n gamma K m (crowded n K m) HK Hg L HC).
  assert (HP : proper (messages (histogram_randomizer (S m) gamma) (crowded n K m))).
  { apply proper_messages. intros. apply proper_histogram_randomizer. lra. }
  set (D := messages _ _) in *. set (fails := some_error_above n (S m) gamma a (crowded n K m)).
  set (many := fun y => _) in B.
  assert (1 <= Pr D fails + Pr D many); [| lra].
  unfold Pr. rewrite <- mean_plus. rewrite <- (mean_const D 1 HP) at 1. apply mean_le; [exact HP |]. intros y.
  unfold indicator. destruct (fails y) eqn:Y; [destruct (many y); lra |].
  unfold many. rewrite (some_bin_errs n gamma a K m (crowded n K m) y); try assumption; [lra | lia].
Qed.

(** ** For all large n *)

Theorem histogram_bins_fail (mu c beta : R) : 0 < mu -> beta < 1 ->
  exists n0, forall n, (n0 <= n)%nat -> exists d xs,
  length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  beta < Pr (messages (histogram_randomizer d (mu / INR n)) xs)
            (some_error_above n d (mu / INR n) (c / INR n) xs).
Proof.
  intros Hmu Hb. destruct (natural_part (Rmax 0 c)) as [k Hk]; [apply Rmax_l |].
  assert (HK : c < INR (S k)) by (rewrite S_INR; assert (X := Rmax_r 0 c); lra).
  assert (P : 0 < INR (S k)) by (apply lt_0_INR; lia).
  set (q := least_failure mu (S k)).
  assert (Q : 0 < q).
  { apply Rmult_lt_0_compat; [apply pow_lt, Rdiv_lt_0_compat; assumption | apply exp_pos]. }
  destruct (natural_part (2 * mu)) as [b Hb2]; [lra |].
  assert (Small : forall n, (S b + S k <= n)%nat ->
    0 < INR n /\ 0 <= mu / INR n <= 1 / 2 /\ INR n * (mu / INR n) = mu).
  { intros n H. assert (X : INR (S b) <= INR n) by (apply le_INR; lia). rewrite S_INR in X.
    assert (X0 : 0 < INR n) by lra. split; [exact X0 |]. split; [| field; lra].
    split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, X0] |].
    apply Rmult_le_reg_r with (INR n); [exact X0 |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Q1 : q <= 1).
  { destruct (Small (S b + S k)%nat) as [_ [G E]]; [lia |].
    unfold q. rewrite <- E. eapply Rle_trans; [apply least_failure_below; [lia | exact G] |].
    rewrite <- (binom_total (S b + S k) (mu / INR (S b + S k))).
    set (h := mu / INR (S b + S k)) in *. eapply Rle_trans;
      [| apply (total_incl [S k] _ (binom (S b + S k) h)); [repeat constructor; intros [] | |]].
    - simpl. lra.
    - intros i [<- | []]. apply in_seq. lia.
    - intros i _. apply binom_nonneg. lra. }
  destruct (pow_lt_1_zero (1 - q)) with (y := 1 - beta) as [m0 M]; [rewrite Rabs_pos_eq; lra | lra |].
  exists (S b + S k + m0 * S k)%nat. intros n Hn. destruct (Small n) as [N [G E]]; [lia |].
  set (m := (n / S k)%nat).
  assert (Hm : (m * S k <= n)%nat) by (unfold m; rewrite Nat.mul_comm; apply Nat.mul_div_le; lia).
  assert (Hm0 : (m0 <= m)%nat) by (apply Nat.div_le_lower_bound; lia).
  exists (S m), (crowded n (S k) m). split; [apply crowded_length, Hm |].
  split; [apply crowded_in_bins |].
  eapply Rlt_le_trans; [| apply (all_bins_fail n (mu / INR n) (c / INR n) (S k) m)];
    try assumption; [| lia |].
  - rewrite E. fold q. specialize (M m Hm0). rewrite Rabs_pos_eq in M; [lra | apply pow_le; lra].
  - unfold Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, N | exact HK].
Qed.

Theorem histogram_every_constant_fails (C eps delta beta : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> beta < 1 ->
  exists n0, forall n, (n0 <= n)%nat -> 100 * ln (2 / delta) / eps ^ 2 <= INR n /\ exists d xs,
  let gamma := zsum_gamma n eps delta in
  length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  beta < Pr (messages (histogram_randomizer d gamma) xs)
            (some_error_above n d gamma (C * ln (1 / delta) / (eps ^ 2 * INR n)) xs).
Proof.
  intros He Hd Hb. assert (E2 : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (L := log_level delta ltac:(lra)).
  set (mu := 50 * ln (2 / delta) / eps ^ 2).
  assert (Hmu : 0 < mu) by (apply Rdiv_lt_0_compat; lra).
  destruct (histogram_bins_fail mu (C * ln (1 / delta) / eps ^ 2) beta Hmu Hb) as [n0 H].
  destruct (natural_part (2 * mu)) as [b Hb2]; [lra |].
  exists (n0 + S b)%nat. intros n Hn.
  assert (X : INR (S b) <= INR n) by (apply le_INR; lia). rewrite S_INR in X.
  split; [replace (100 * ln (2 / delta) / eps ^ 2) with (2 * mu) by (unfold mu; field; lra); lra |].
  destruct (H n) as [d [xs [Lx [I F]]]]; [lia |]. exists d, xs. cbv zeta.
  split; [exact Lx |]. split; [exact I |].
  replace (zsum_gamma n eps delta) with (mu / INR n) by (unfold zsum_gamma, mu; field; lra).
  replace (C * ln (1 / delta) / (eps ^ 2 * INR n)) with (C * ln (1 / delta) / eps ^ 2 / INR n)
    by (field; lra).
  exact F.
Qed.

(** The alpha of the theorem: right for each bin at every beta >= delta^25, wrong for all of them. *)
Theorem histogram_right_for_one_bin (eps delta beta : R) :
  0 < eps <= 1 -> 0 < delta < 1 -> beta < 1 ->
  exists n0, forall n, (n0 <= n)%nat -> 100 * ln (2 / delta) / eps ^ 2 <= INR n /\
  let gamma := zsum_gamma n eps delta in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  (forall d xs j, length xs = n -> (j < d)%nat ->
   Pr (messages (histogram_randomizer d gamma) xs)
      (fun y => Rltb alpha (histogram_error n gamma xs y j)) <= delta ^ 25) /\
  exists d xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  beta < Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs).
Proof.
  intros He Hd Hb. assert (E2 : 0 < eps ^ 2) by (apply pow_lt; lra).
  assert (L : ln (1 / delta) <> 0).
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. assert (X := ln_increasing delta 1 (proj1 Hd) (proj2 Hd)).
    rewrite ln_1 in X. lra. }
  set (C := 50 * ln (2 / delta) * (1 + 12808 / 10000 * eps) / ln (1 / delta)).
  destruct (histogram_every_constant_fails C eps delta beta He Hd Hb) as [n0 H].
  exists n0. intros n Hn. destruct (H n Hn) as [Hl [d [xs F]]]. split; [exact Hl |].
  intros gamma alpha. split.
  - intros d' ys j Ly Hj. destruct (zsum_accuracy n eps delta (bin_bits j ys) He Hd Hl) as [A [B _]].
    + unfold bin_bits. rewrite map_length. exact Ly.
    + assert (G := zsum_gamma_range n eps delta (proj1 He) ltac:(lra) Hl).
      unfold alpha, gamma. rewrite histogram_error_event by (assumption || lra). lra.
  - exists d, xs. cbv zeta in F. destruct (zsum_least_n n eps delta (proj1 He) Hd Hl) as [N _].
    apply INR_positive in N.
    replace alpha with (C * ln (1 / delta) / (eps ^ 2 * INR n)); [exact F |].
    unfold alpha, gamma, C, zsum_gamma. field. repeat split; lra.
Qed.

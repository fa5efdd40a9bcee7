(** A histogram of many bins: how many users the local model needs grows without bound, those of the shuffle model do not.

    [separation]: let 0 < eps <= 1, 0 < delta < 1, 0 < alpha < 1/4 and C be any real numbers. There are a number n0 of
    users and a number d0 of bins such that

    - for every n >= n0 and every number d of bins a histogram protocol of the shuffle model (histogram.v, with a gamma
      that d does not enter) is (eps, delta)-DP for n users, and on every data set all bins at once are within alpha of
      the shares of the users with probability 9/10 or more;
    - for every d >= d0, every n >= 1 up to C n0 and every (eps, 0)-DP local protocol of n users in turns, whatever is
      made of its messages, some data set has a bin that errs by more than alpha n users with probability 1/8 or more.

    Proof. Locally: local_histogram.v, where (1 + K)^(C n0) <= 6 (d - 1). Shuffled: mu = n gamma silent coins in a bin
    in the mean are enough for privacy, whatever n; a bin errs by more than (1 + h) mu users with probability at most
    e^(-(h - 2) mu), an empty one never, and n e^(3 mu - alpha n) <= 1/10 for large n.
    Source: the gap is that of Balcer and Cheu 2020; this statement and its proof: this package. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy single_message local_randomized_response.
From Exactdp Require Import zsum zsum_privacy zsum_accuracy_theorem histogram histogram_bin_error histogram_accuracy.
From Exactdp Require Import histogram_privacy_theorem local_histogram masses geometric_noise steps_geometric.
From Exactdp Require Import stability_histogram.
Import ListNotations.
Open Scope R_scope.

(** ** The shuffle model *)

(** Some natural number is at least x. *)
Lemma natural_above x : exists n, x <= INR n.
Proof. exists (Z.to_nat (up x)). destruct (archimed x) as [A _]. rewrite INR_IZR_INZ.
  destruct (Z_le_gt_dec 0 (up x)) as [P | N]; [rewrite Z2Nat.id by exact P; lra |].
  apply Rle_trans with (IZR (up x)); [lra |]. apply IZR_le. lia.
Qed.

(** n e^(c - alpha n) <= 1/10 for large n. *)
Lemma failure_vanishes c alpha n : 0 < alpha -> 40 * exp c / alpha ^ 2 <= INR n ->
  INR n * exp (c - alpha * INR n) <= 1 / 10.
Proof.
  intros A H. assert (P := exp_pos c). set (x := alpha * INR n).
  assert (N : 0 < INR n).
  { eapply Rlt_le_trans; [| exact H]. apply Rdiv_lt_0_compat; [lra | apply pow_lt, A]. }
  assert (X : 0 < x) by (apply Rmult_lt_0_compat; assumption).
  assert (Sq : x ^ 2 / 4 <= exp x).
  { assert (Y := exp_ineq1_le (x / 2)). replace (exp x) with (exp (x / 2) * exp (x / 2)) by
      (rewrite <- exp_plus; f_equal; field). apply Rle_trans with ((1 + x / 2) * (1 + x / 2)); [nra |].
    apply Rmult_le_compat; lra. }
  unfold Rminus. rewrite exp_plus, exp_Ropp. apply Rmult_le_reg_r with (exp x); [apply exp_pos |].
  replace (INR n * (exp c * / exp x) * exp x) with (INR n * exp c) by
    (field; apply Rgt_not_eq, exp_pos).
  apply Rle_trans with (1 / 10 * (x ^ 2 / 4)); [| lra].
  replace (1 / 10 * (x ^ 2 / 4)) with (INR n * (alpha ^ 2 * INR n / 40)) by (unfold x; field).
  apply Rmult_le_compat_l; [lra |]. apply Rmult_le_reg_r with (40 / alpha ^ 2);
    [apply Rdiv_lt_0_compat; [lra | apply pow_lt, A] |].
  replace (alpha ^ 2 * INR n / 40 * (40 / alpha ^ 2)) with (INR n) by (field; lra).
  replace (exp c * (40 / alpha ^ 2)) with (40 * exp c / alpha ^ 2) by (field; lra). exact H.
Qed.

Theorem shuffled_histogram eps delta alpha : 0 < eps <= 1 -> 0 < delta <= 1 -> 0 < alpha ->
  exists n0, (1 <= n0)%nat /\ forall n, (n0 <= n)%nat -> exists gamma, 0 < gamma <= 1 / 2 /\ forall d,
  shuffle_dp n (histogram_randomizer d gamma) eps delta /\
  forall xs, length xs = n ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) <= 1 / 10.
Proof.
  intros He Hd Ha. set (mu := 50 * ln (2 / (delta / 2)) / (eps / 2) ^ 2).
  assert (E2 : 0 < (eps / 2) ^ 2) by (apply pow_lt; lra). assert (L := log_level (delta / 2) ltac:(lra)).
  assert (Hmu : 0 < mu) by (apply Rdiv_lt_0_compat; lra).
  destruct (natural_above (40 * exp (3 * mu) / alpha ^ 2 + 2 * mu + mu / alpha + 1)) as [n0 H0].
  assert (T1 : 0 < 40 * exp (3 * mu) / alpha ^ 2).
  { apply Rdiv_lt_0_compat; [assert (X := exp_pos (3 * mu)); lra | apply pow_lt, Ha]. }
  assert (T2 : 0 < mu / alpha) by (apply Rdiv_lt_0_compat; assumption).
  exists n0. split; [apply INR_le; simpl; lra |]. intros n Hn. apply le_INR in Hn.
  assert (N : 0 < INR n) by lra.
  assert (Users : 100 * ln (2 / (delta / 2)) / (eps / 2) ^ 2 <= INR n).
  { replace (100 * ln (2 / (delta / 2)) / (eps / 2) ^ 2) with (2 * mu) by (unfold mu; field; lra). lra. }
  assert (G := zsum_gamma_range n (eps / 2) (delta / 2) ltac:(lra) ltac:(lra) Users).
  exists (zsum_gamma n (eps / 2) (delta / 2)). split; [exact G |]. intros d. split.
  - replace eps with (2 * (eps / 2)) at 2 by field. replace delta with (2 * (delta / 2)) at 2 by field.
    apply histogram_privacy_theorem; lra || assumption.
  - intros xs Len. set (gamma := zsum_gamma _ _ _) in *.
    assert (NG : INR n * gamma = mu) by (unfold gamma, zsum_gamma, mu; field; lra).
    assert (Hn1 : (1 <= n)%nat) by (apply INR_le; simpl; lra).
    set (h := alpha * INR n / mu - 1).
    assert (Hh : 0 <= h).
    { unfold h. assert (1 <= alpha * INR n / mu); [| lra]. apply Rmult_le_reg_r with (mu / alpha); [exact T2 |].
      replace (alpha * INR n / mu * (mu / alpha)) with (INR n) by (field; lra). lra. }
    replace alpha with ((1 + h) * gamma).
    2: { unfold h. replace gamma with (mu / INR n) by (rewrite <- NG; field; lra). field. lra. }
    destruct (histogram_accuracy_general n d gamma h xs Hn1 ltac:(lra) Hh Len) as [F Q].
    eapply Rle_trans; [exact F |]. rewrite NG. apply Rle_trans with (INR n * exp (3 * mu - alpha * INR n)).
    + apply Rmult_le_compat; [apply pos_INR | left; apply exp_pos | apply le_INR, Q |]. apply exp_le.
      assert (B : h - 2 <= h ^ 2 / (2 + h)).
      { apply Rmult_le_reg_r with (2 + h); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
      apply Rmult_le_compat_r with (r := mu) in B; [| lra].
      replace ((h - 2) * mu) with (alpha * INR n - 3 * mu) in B by (unfold h; field; lra). lra.
    + apply failure_vanishes; lra.
Qed.

(** ** The central model *)

(** Some released count is more than alpha n users off. *)
Definition some_release_errs (n d : nat) (alpha : R) (xs : list nat) : list Z -> Prop :=
  some_bad (fun j v => alpha * INR n < IZR (Z.abs (v - Z.of_nat (count j xs)))) (seq 0 d).

(** The laws of what is released of each bin: with noise of ratio e^(-eps/2), above the threshold h. *)
Definition stable_releases (eps : R) (h : Z) (xs : list nat) (P : nat -> Z -> R) : Prop :=
  forall j, is_released (exp (- (eps / 2))) h (Z.of_nat (count j xs)) (P j).

Theorem central_histogram eps delta alpha : 0 < eps -> 0 < delta -> 0 < alpha ->
  exists h n0, (1 <= n0)%nat /\ forall n d xs P, (n0 <= n)%nat -> length xs = n -> stable_releases eps h xs P ->
  law (product_mass (map P (seq 0 d))) /\
  (forall ys Q, neighbors xs ys -> stable_releases eps h ys Q ->
    forall (T : list Z -> Prop) p q,
    mass_of (product_mass (map P (seq 0 d))) T p -> mass_of (product_mass (map Q (seq 0 d))) T q ->
    p <= exp eps * q + delta) /\
  forall p, mass_of (product_mass (map P (seq 0 d))) (some_release_errs n d alpha xs) p -> p <= 1 / 10.
Proof.
  intros He Hd Ha. set (a := exp (- (eps / 2))). assert (A1 : 0 < a < 1) by (apply ratio_of_eps; lra).
  destruct (stability_threshold a delta A1 Hd) as [h [H1 [Hs1 Hs2]]]. exists h.
  set (c := eps / 2 * IZR h + ln 2). set (alpha' := eps / 2 * alpha).
  assert (A' : 0 < alpha') by (apply Rmult_lt_0_compat; lra).
  destruct (natural_above (40 * exp c / alpha' ^ 2 + (IZR h + 1) / alpha + 1)) as [n0 H0].
  assert (T1 : 0 < 40 * exp c / alpha' ^ 2).
  { apply Rdiv_lt_0_compat; [assert (X := exp_pos c); lra | apply pow_lt, A']. }
  assert (Hh := IZR_le _ _ H1). assert (T2 : 0 < (IZR h + 1) / alpha) by (apply Rdiv_lt_0_compat; lra).
  exists n0. split; [apply INR_le; simpl; lra |]. intros n d xs P Hn L HP. apply le_INR in Hn.
  split; [apply product_law, Forall_map, Forall_forall; intros j _; exact (bin_law a h A1 _ _ (HP j)) |]. split.
  - intros ys Q N HQ T p q Hp Hq.
    destruct (stability_histogram_private eps h d xs ys P Q He H1 Hs2 N HP HQ) as [_ B].
    assert (X := B T p q Hp Hq). fold a in X. lra.
  - intros p Hp. set (A := (up (alpha * INR n) - 1)%Z). destruct (archimed (alpha * INR n)) as [U1 U2].
    assert (LA : IZR A <= alpha * INR n < IZR A + 1) by (unfold A; rewrite minus_IZR; lra).
    assert (Big : IZR h + 1 <= alpha * INR n).
    { apply Rmult_le_reg_r with (/ alpha); [apply Rinv_0_lt_compat, Ha |].
      replace (alpha * INR n * / alpha) with (INR n) by (field; lra). unfold Rdiv in T2. unfold Rdiv in H0. lra. }
    assert (HA : (1 <= h <= A)%Z) by (split; [exact H1 | apply le_IZR; lra || (apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra)]).
    destruct (mass_exists (product_mass (map P (seq 0 d)))
      (some_bad (fun j v => (A < Z.abs (v - Z.of_nat (count_occ Nat.eq_dec xs j)))%Z) (seq 0 d))) as [r Hr].
    { apply product_law, Forall_map, Forall_forall. intros j _. exact (bin_law a h A1 _ _ (HP j)). }
    assert (E := stability_histogram_errors a h A d xs P r A1 HA HP Hr).
    apply Rle_trans with r.
    { destruct Hp as [_ Least], Hr as [Upper _]. apply Least. intros x [l [N [B ->]]]. apply Upper.
      exists l. split; [exact N |]. split; [| reflexivity]. intros v I. assert (Y := B v I). unfold some_release_errs in Y.
      clear - Y LA. revert v Y. induction (seq 0 d) as [| j bins IH]; intros v Y; destruct v as [| z v]; try exact Y.
      destruct Y as [Y | Y]; [left | right; apply IH, Y]. apply lt_IZR. unfold count in Y. lra. }
    eapply Rle_trans; [exact E |]. rewrite L.
    apply Rle_trans with (INR n * exp (c - alpha' * INR n)); [| apply failure_vanishes; [exact A' | lra]].
    apply Rmult_le_compat_l; [apply pos_INR |]. apply Rle_trans with (2 * a ^ Z.to_nat (A + 1 - h)).
    { unfold Rdiv. rewrite <- (Rmult_1_r (2 * _)) at 2. apply Rmult_le_compat_l.
      - assert (0 < a ^ Z.to_nat (A + 1 - h)) by (apply pow_lt; lra). lra.
      - rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    unfold a. rewrite exp_power, INR_IZR_INZ, Z2Nat.id by lia. rewrite !minus_IZR, plus_IZR.
    replace (exp (c - alpha' * INR n)) with (2 * exp (- (eps / 2) * (alpha * INR n - IZR h))).
    + apply Rmult_le_compat_l; [lra |]. apply exp_le. apply Rmult_le_compat_neg_l; lra.
    + rewrite <- (exp_ln 2) at 1 by lra. rewrite <- exp_plus. f_equal. unfold c, alpha'. ring.
Qed.

(** ** The local model, and all three *)

(** Some bin's estimate is more than alpha n users off. *)
Definition some_share_errs (n d : nat) (alpha : R) (xs : list nat) (a : nat -> R) : bool :=
  existsb (fun v => Rltb (alpha * INR n) (Rabs (a v - INR (count v xs)))) (seq 0 d).

Theorem local_needs_many eps alpha N : 0 < eps -> alpha < 1 / 4 ->
  exists d0, (2 <= d0)%nat /\ forall d n, (d0 <= d)%nat -> (1 <= n)%nat -> INR n <= N ->
  forall M (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R)),
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) ->
  (forall said, local_dp (R said) eps 0) ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (some_share_errs n d alpha xs).
Proof.
  intros He Ha. set (K := (exp eps - 1) ^ 2 / exp eps). destruct (natural_above N) as [m Hm].
  assert (HE : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (HK : 0 < K) by (apply told_positive, HE).
  destruct (natural_above ((1 + K) ^ m)) as [k Hk]. exists (S (S k)). split; [lia |].
  intros d n Hd Hn HN M R estimate HR HA P. assert (Hnm : (n <= m)%nat) by (apply INR_le; lra).
  destruct (local_histogram_few_users R estimate n d eps HR HA He P ltac:(lia) Hn) as [xs [L [F B]]].
  - fold K. apply Rle_trans with ((1 + K) ^ m); [apply Rle_pow; [lra | exact Hnm] |].
    assert (D : INR k <= INR (d - 1)) by (apply le_INR; lia). assert (P0 := pos_INR (d - 1)). lra.
  - exists xs. split; [exact L |]. split; [exact F |]. eapply Rle_trans; [exact B |].
    apply Pr_le; [apply proper_bind; [apply proper_in_turns, HR | exact HA] |]. intros a.
    unfold some_bin_errs, some_share_errs. intros X. apply existsb_exists in X. destruct X as [v [I Y]].
    apply existsb_exists. exists v. split; [exact I |]. apply Rleb_true in Y. apply Rltb_true.
    assert (0 < INR n) by (apply lt_0_INR; lia). assert (alpha * INR n < 1 / 4 * INR n) by
      (apply Rmult_lt_compat_r; assumption). lra.
Qed.

Theorem separation eps delta alpha C : 0 < eps <= 1 -> 0 < delta <= 1 -> 0 < alpha < 1 / 4 ->
  exists n0 d0 h, (1 <= n0)%nat /\ (2 <= d0)%nat /\
  (forall n d xs P, (n0 <= n)%nat -> length xs = n -> stable_releases eps h xs P ->
    law (product_mass (map P (seq 0 d))) /\
    (forall ys Q, neighbors xs ys -> stable_releases eps h ys Q ->
      forall (T : list Z -> Prop) p q,
      mass_of (product_mass (map P (seq 0 d))) T p -> mass_of (product_mass (map Q (seq 0 d))) T q ->
      p <= exp eps * q + delta) /\
    forall p, mass_of (product_mass (map P (seq 0 d))) (some_release_errs n d alpha xs) p -> p <= 1 / 10) /\
  (forall n, (n0 <= n)%nat -> exists gamma, 0 < gamma <= 1 / 2 /\ forall d,
    shuffle_dp n (histogram_randomizer d gamma) eps delta /\
    forall xs, length xs = n ->
    Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) <= 1 / 10) /\
  (forall d n, (d0 <= d)%nat -> (1 <= n)%nat -> INR n <= C * INR n0 ->
    forall M (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R)),
    (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) ->
    (forall said, local_dp (R said) eps 0) ->
    exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
    1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (some_share_errs n d alpha xs)).
Proof.
  intros He Hd Ha. destruct (shuffled_histogram eps delta alpha He Hd (proj1 Ha)) as [m0 [M0 S]].
  destruct (central_histogram eps delta alpha (proj1 He) (proj1 Hd) (proj1 Ha)) as [h [m1 [M1 Z]]].
  set (n0 := Nat.max m0 m1). destruct (local_needs_many eps alpha (C * INR n0) (proj1 He) (proj2 Ha)) as [d0 [D0 L]].
  exists n0, d0, h. split; [unfold n0; lia |]. split; [exact D0 |]. split; [| split; [| exact L]].
  - intros n d xs P Hn. apply Z. unfold n0 in Hn. lia.
  - intros n Hn. apply S. unfold n0 in Hn. lia.
Qed.

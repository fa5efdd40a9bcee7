(** Steps of Lemma 3 that are false as printed, each at an instance with its numbers.

    D = Bin(n, gamma), mu = gamma n, G = [(1 - alpha) mu + k, (1 + alpha) mu - k]:
    - G is not inside the window [(1 - alpha/2) mu, (1 + alpha/2) mu]: n = 6, gamma = 5/11, alpha = 5/6,
      k = 1, y = 4;
    - to be outside a subset is not less likely than to be outside the set: a fair coin, {0} and {0, 1};
    - the printed ratios of D(y) to D(y + k') and to D(y - k'), and the latter with gamma for the base y,
      at gamma = 1/2, k' = 1 and (n, y) = (2, 1), (2, 2), (3, 3); binomial_steps.v has the right ones;
    - ((1 + alpha)/(1 - alpha))^abs(k') is not e^(eps abs(k)), at k = 2 and k' = 1, for every alpha.
    (Source: this package; the printed statements are in Ghazi, Golowich, Kumar, Pagh, Velingker 2021,
    section 4.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws binomial binomial_steps binomial_smoothness.
Open Scope R_scope.

(** ** The good set *)

(** Ledger row lemma3-good-set-printed. *)
Theorem lemma3_good_set_printed_fails :
  ~ (forall (n : nat) (gamma alpha : R) (k y : Z),
     (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
     (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
     lemma3_good (INR n) gamma alpha (IZR k) (IZR y) ->
     (1 - alpha / 2) * (gamma * INR n) <= IZR y <= (1 + alpha / 2) * (gamma * INR n)).
Proof.
  intros H. specialize (H 6%nat (5 / 11) (5 / 6) 1%Z 4%Z).
  assert (N : INR 6 = 6) by (rewrite INR_IZR_INZ; reflexivity).
  rewrite N in H. unfold lemma3_good, lemma3_low, lemma3_high in H.
  assert (4 <= (1 + 5 / 6 / 2) * (5 / 11 * 6)); [apply H; lia || lra | lra].
Qed.

(** The probability of being outside [low, high]. *)
Definition outside (n : nat) (p : R) (low high : nat) : R :=
  Pr (flips n p) (fun i => negb (Nat.leb low i && Nat.leb i high)%bool).

(** Ledger row lemma3-inference-printed. *)
Theorem lemma3_inference_printed_fails :
  ~ (forall (n : nat) (p : R) (a b c d : nat),
     0 <= p <= 1 -> (c <= a)%nat -> (a <= b)%nat -> (b <= d)%nat -> outside n p a b <= outside n p c d).
Proof.
  intros H. specialize (H 1%nat (1 / 2) 0%nat 0%nat 0%nat 1%nat ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)).
  unfold outside in H. rewrite !Pr_flips in H. simpl in H. rewrite binom_inside, choose_n in H by lia.
  simpl in H. lra.
Qed.

(** ** The ratios *)

(** Ledger row lemma3-ratio-up-printed: the base y in place of gamma. *)
Theorem lemma3_ratio_up_printed_fails :
  ~ (forall (n y j : nat) (gamma : R),
     0 < gamma <= 1 / 2 -> (1 <= y)%nat -> (1 <= j)%nat -> (y + j <= n)%nat ->
     binom n gamma y / binom n gamma (y + j) =
     (1 - gamma) ^ j / INR y ^ j *
     (prod j (fun i => INR y + INR (S i)) / prod j (fun i => INR n - INR y - INR i))).
Proof.
  intros H. specialize (H 2%nat 1%nat 1%nat (1 / 2) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)).
  rewrite lemma3_quotient_up in H by (lra || lia). simpl in H. field_simplify in H; lra.
Qed.

(** Ledger row lemma3-ratio-down-printed: the base y in place of gamma, and a factor too many. *)
Theorem lemma3_ratio_down_printed_fails :
  ~ (forall (n y j : nat) (gamma : R), 0 < gamma <= 1 / 2 -> (1 <= j)%nat -> (j < y)%nat -> (y <= n)%nat ->
     binom n gamma y / binom n gamma (y - j) =
     (INR y / (1 - gamma)) ^ j *
     (prod j (fun i => INR n - INR y + INR (S i)) / prod (S j) (fun i => INR y - INR i))).
Proof.
  intros H. specialize (H 2%nat 2%nat 1%nat (1 / 2) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)).
  rewrite lemma3_quotient_down in H by (lra || lia). simpl in H. field_simplify in H; lra.
Qed.

(** Ledger row lemma3-ratio-down-factor: with the base gamma there is still a factor too many. *)
Theorem lemma3_ratio_down_factor_fails :
  ~ (forall (n y j : nat) (gamma : R), 0 < gamma <= 1 / 2 -> (1 <= j)%nat -> (j < y)%nat -> (y <= n)%nat ->
     binom n gamma y / binom n gamma (y - j) =
     (gamma / (1 - gamma)) ^ j *
     (prod j (fun i => INR n - INR y + INR (S i)) / prod (S j) (fun i => INR y - INR i))).
Proof.
  intros H. specialize (H 3%nat 3%nat 1%nat (1 / 2) ltac:(lra) ltac:(lia) ltac:(lia) ltac:(lia)).
  rewrite lemma3_quotient_down in H by (lra || lia). simpl in H. field_simplify in H; lra.
Qed.

(** ** The exponent *)

(** Ledger row lemma3-exponent-printed. *)
Theorem lemma3_exponent_printed_fails alpha : 0 < alpha < 1 ->
  ~ (forall k step : Z, (1 <= step)%Z -> (Z.abs step <= k)%Z ->
     ((1 + alpha) / (1 - alpha)) ^ Z.abs_nat step = exp (ln ((1 + alpha) / (1 - alpha)) * IZR (Z.abs k))).
Proof.
  intros Ha H. specialize (H 2%Z 1%Z ltac:(lia) ltac:(lia)). set (E := (1 + alpha) / (1 - alpha)) in *.
  assert (E1 : 1 < E).
  { unfold E. apply Rmult_lt_reg_r with (1 - alpha); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  change (Z.abs_nat 1) with 1%nat in H. change (Z.abs 2) with 2%Z in H.
  replace (ln E * 2) with (ln E + ln E) in H by ring. rewrite exp_plus, exp_ln in H by lra.
  assert (1 * E < E * E) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

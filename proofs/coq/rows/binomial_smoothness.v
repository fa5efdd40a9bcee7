(** The rows of proofs/binomial_smoothness.py: what each kernel row says. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws masses smooth smooth_is_private binomial.
From Exactdp Require Import binomial_steps chernoff binomial_smoothness binomial_smoothness_needs.
Import ListNotations.
Open Scope R_scope.

Definition row_lemma3 : Prop :=
  forall (n : nat) (gamma alpha : R) (k : Z),
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) k.

Theorem row_lemma3_holds : row_lemma3.
Proof. exact lemma3. Qed.

Definition row_lemma3_reach_is_void : Prop :=
  forall gamma alpha k : R, 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> 1 <= k -> ~ k <= alpha * gamma / 2.

Theorem row_lemma3_reach_is_void_holds : row_lemma3_reach_is_void.
Proof. exact lemma3_reach_is_void. Qed.

Definition row_lemma3_as_printed : Prop :=
  forall (n : nat) (gamma alpha : R) (k : Z),
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> IZR k <= alpha * gamma / 2 ->
  smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
    (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) k.

Theorem row_lemma3_as_printed_holds : row_lemma3_as_printed.
Proof.
  intros n gamma alpha k _ Hg Ha Hk j J K. exfalso.
  apply (lemma3_reach_is_void gamma alpha (IZR k)); try assumption. apply IZR_le. lia.
Qed.

Definition row_lemma3_ends : Prop :=
  (forall n gamma alpha k : R,
     (alpha = 1 -> 1 - alpha = 0) /\
     (alpha = 0 \/ gamma = 0 -> 1 <= k -> ~ k <= alpha * gamma * n / 2) /\
     (alpha = 0 \/ gamma = 0 ->
      exp (- (alpha ^ 2 * gamma * n / 8)) + exp (- (alpha ^ 2 * gamma * n / (8 + 2 * alpha))) = 2)) /\
  ~ (forall (n : nat) (gamma alpha : R) (k : Z),
     (1 <= n)%nat -> 0 < gamma < 1 -> 0 < alpha < 1 -> (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
     smooth (binomial n gamma) (ln ((1 + alpha) / (1 - alpha)))
       (exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha)))) k).

Theorem row_lemma3_ends_holds : row_lemma3_ends.
Proof.
  split; [exact lemma3_ends |]. intros H. apply lemma3_gamma_above_half_fails.
  intros n gamma alpha k Hn Ha Hk [Hg Hr]. apply H; assumption.
Qed.

Definition row_lemma3_good_set : Prop :=
  forall n gamma alpha k : R, k <= alpha * gamma * n / 2 ->
  let mu := gamma * n in
  (forall y, (1 - alpha / 2) * mu <= y <= (1 + alpha / 2) * mu ->
     (1 - alpha) * mu + k <= y <= (1 + alpha) * mu - k) /\
  2 * ((1 + alpha / 2) * mu - (1 - alpha / 2) * mu) = (1 + alpha) * mu - (1 - alpha) * mu.

Theorem row_lemma3_good_set_holds : row_lemma3_good_set.
Proof.
  intros n gamma alpha k H mu. split; [| apply lemma3_good_set_width].
  intros y. exact (lemma3_good_set n gamma alpha k y H).
Qed.

(** The probability of being outside G, by masses. *)
Lemma outside_by_masses (n : nat) (gamma alpha : R) (k : Z) p :
  0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> IZR k <= alpha * gamma * INR n / 2 ->
  mass_of (binomial n gamma) (fun y => ~ lemma3_good (INR n) gamma alpha (IZR k) (IZR y)) p ->
  p <= exp (- (alpha ^ 2 * gamma * INR n / 8)) + exp (- (alpha ^ 2 * gamma * INR n / (8 + 2 * alpha))).
Proof.
  intros Hg Ha Hk [_ Least]. eapply Rle_trans; [| exact (lemma3_outside n gamma alpha k Hg Ha Hk)].
  rewrite (Pr_ext _ _ (fun i => lemma3_bad n gamma alpha k (IZR (Z.of_nat i)))) by
    (intros i; rewrite <- INR_IZR_INZ; reflexivity).
  apply Least. intros s [l [N [I ->]]].
  apply (binomial_total_le n gamma (fun y => lemma3_bad n gamma alpha k (IZR y))); [lra | exact N |].
  intros y Hy _. apply lemma3_not_good_is_bad, I, Hy.
Qed.

Definition row_lemma3_outside : Prop :=
  forall (n : nat) (gamma alpha : R) (k : Z) (outside : R), let mu := gamma * INR n in
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  mass_of (binomial n gamma)
    (fun y => ~ ((1 - alpha) * mu + IZR k <= IZR y <= (1 + alpha) * mu - IZR k)) outside ->
  outside <= exp (- (alpha ^ 2 * mu / 8)) + exp (- (alpha ^ 2 * mu / (8 + 2 * alpha))).

Theorem row_lemma3_outside_holds : row_lemma3_outside.
Proof.
  intros n gamma alpha k p mu _ Hg Ha _ Hk Hp.
  replace (alpha ^ 2 * mu) with (alpha ^ 2 * gamma * INR n) by (unfold mu; ring).
  exact (outside_by_masses n gamma alpha k p Hg Ha Hk Hp).
Qed.

Definition row_chernoff_upper : Prop :=
  (forall (n : nat) (gamma h : R), let mu := INR n * gamma in 0 <= gamma <= 1 -> 0 <= h ->
     Pr (flips n gamma) (fun i => Rleb ((1 + h) * mu) (INR i)) <= exp (- (h ^ 2 / (2 + h) * mu))) /\
  forall alpha mu : R, 0 <= alpha ->
  (alpha / 2) ^ 2 / (2 + alpha / 2) * mu = alpha ^ 2 * mu / (8 + 2 * alpha).

Theorem row_chernoff_upper_holds : row_chernoff_upper.
Proof. split; [exact chernoff_upper |]. intros alpha mu H. field. lra. Qed.

Definition row_chernoff_lower : Prop :=
  (forall (n : nat) (gamma h : R), let mu := INR n * gamma in 0 <= gamma <= 1 -> 0 <= h < 1 ->
     Pr (flips n gamma) (fun i => Rleb (INR i) ((1 - h) * mu)) <= exp (- (h ^ 2 / 2 * mu))) /\
  forall alpha mu : R, (alpha / 2) ^ 2 / 2 * mu = alpha ^ 2 * mu / 8.

Theorem row_chernoff_lower_holds : row_chernoff_lower.
Proof. split; [exact chernoff_lower |]. intros alpha mu. field. Qed.

Definition row_lemma3_total_probability : Prop :=
  forall (n : nat) (gamma alpha : R) (k j : Z), let D := binomial n gamma in let mu := gamma * INR n in
  (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  j <> 0%Z -> (Z.abs j <= k)%Z ->
  let large := fun y => exp (IZR (Z.abs j) * ln ((1 + alpha) / (1 - alpha))) * D (y + j)%Z <= D y in
  let in_G := fun y => (1 - alpha) * mu + IZR k <= IZR y <= (1 + alpha) * mu - IZR k in
  mass_of D (fun y => large y /\ in_G y) 0 /\
  (forall p, mass_of D in_G p -> 0 < p) /\
  (forall p outside, mass_of D large p -> mass_of D (fun y => ~ in_G y) outside ->
     p <= outside <= exp (- (alpha ^ 2 * mu / 8)) + exp (- (alpha ^ 2 * mu / (8 + 2 * alpha)))).

(** G holds an outcome. *)
Lemma good_outcome (n : nat) (gamma alpha : R) (k : Z) :
  0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z -> IZR k <= alpha * gamma * INR n / 2 ->
  exists y, (0 <= y <= Z.of_nat n)%Z /\ lemma3_good (INR n) gamma alpha (IZR k) (IZR y).
Proof.
  intros Hg Ha Hk Hr. set (mu := gamma * INR n). set (low := (1 - alpha / 2) * mu).
  assert (K : 1 <= IZR k) by (apply IZR_le; lia). assert (N := pos_INR n).
  assert (Mu : 0 <= mu) by (apply Rmult_le_pos; lra).
  assert (A : alpha * mu <= mu) by (rewrite <- (Rmult_1_l mu) at 2; apply Rmult_le_compat_r; lra).
  assert (W : 2 <= alpha * mu) by (unfold mu; lra).
  assert (M : mu <= INR n / 2).
  { unfold mu. apply Rle_trans with (1 / 2 * INR n); [apply Rmult_le_compat_r |]; lra. }
  destruct (archimed low) as [U V]. exists (up low). split.
  - split.
    + apply le_IZR. assert (0 <= low) by (unfold low; lra). lra.
    + apply le_IZR. rewrite <- INR_IZR_INZ. unfold low in *. lra.
  - apply lemma3_good_set; [lra |]. fold mu. unfold low in *. lra.
Qed.

Theorem row_lemma3_total_probability_holds : row_lemma3_total_probability.
Proof.
  intros n gamma alpha k j D mu Hn Hg Ha Hk Hr J K large in_G.
  destruct (lemma3_total_probability n gamma alpha k Hn Hg Ha Hr j J K) as [Joint _].
  split; [exact Joint |]. split.
  - intros p [Upper _]. destruct (good_outcome n gamma alpha k Hg Ha Hk Hr) as [y [In G]].
    assert (P : 0 < D y) by (apply binomial_pos; [lra | exact In]).
    assert (total [y] D <= p); [| simpl in *; lra].
    apply Upper. exists [y]. split; [repeat constructor; simpl; tauto |].
    split; [intros a [<- | []]; exact G | reflexivity].
  - intros p outside Hp Ho. split.
    + apply (proj2 Hp). intros s [l [N [I ->]]].
      set (bad := fun y => lemma3_bad n gamma alpha k (IZR y)).
      rewrite (total_ext l D (fun y => if bad y then D y else 0)).
      * rewrite <- total_filter. apply (proj1 Ho). exists (filter bad l). split; [apply NoDup_filter, N |].
        split; [| reflexivity]. intros y Hy G. apply filter_In in Hy. destruct Hy as [_ B].
        unfold bad, lemma3_bad in B. apply Bool.orb_true_iff in B. rewrite !Rltb_true in B.
        destruct G as [G1 G2]. unfold lemma3_low, lemma3_high in B. fold mu in B. lra.
      * intros y Hy. destruct (bad y) eqn:B; [reflexivity |].
        apply (lemma3_large_and_good n gamma alpha k Hn Hg Ha j y J K (I y Hy)).
        destruct (Rle_dec (lemma3_low (INR n) gamma alpha (IZR k)) (IZR y));
          [destruct (Rle_dec (IZR y) (lemma3_high (INR n) gamma alpha (IZR k))); [split; assumption |] |];
          exfalso; unfold bad in B; rewrite lemma3_not_good_is_bad in B; try discriminate;
          unfold lemma3_good; lra.
    + replace (alpha ^ 2 * mu) with (alpha ^ 2 * gamma * INR n) by (unfold mu; ring).
      exact (outside_by_masses n gamma alpha k outside Hg Ha Hr Ho).
Qed.

Definition row_lemma3_ratio : Prop :=
  forall (n : nat) (gamma : R) (y j : nat),
  binom n gamma y * gamma * (INR n - INR y) = binom n gamma (S y) * (1 - gamma) * INR (S y) /\
  (0 < gamma < 1 -> (y + j <= n)%nat ->
   binom n gamma y / binom n gamma (y + j) = ((1 - gamma) / gamma) ^ j *
   (prod j (fun i => INR y + INR (S i)) / prod j (fun i => INR n - INR y - INR i))) /\
  (0 < gamma < 1 -> (j <= y <= n)%nat ->
   binom n gamma y / binom n gamma (y - j) = (gamma / (1 - gamma)) ^ j *
   (prod j (fun i => INR n - INR y + INR (S i)) / prod j (fun i => INR y - INR i))).

Theorem row_lemma3_ratio_holds : row_lemma3_ratio.
Proof.
  intros n gamma y j. split; [assert (Q := binom_ratio n gamma y); lra |].
  split; intros Hg H; [apply lemma3_quotient_up | apply lemma3_quotient_down]; assumption.
Qed.

(** Fractions are compared by multiplying out. *)
Lemma fraction_lt a b c d : 0 < b -> 0 < d -> a * d < c * b -> a / b < c / d.
Proof.
  intros Hb Hd H. apply Rmult_lt_reg_r with (b * d); [apply Rmult_lt_0_compat; assumption |].
  replace (a / b * (b * d)) with (a * d) by (field; lra).
  replace (c / d * (b * d)) with (c * b) by (field; lra). exact H.
Qed.

Lemma fraction_le a b c d : 0 < b -> 0 < d -> a * d <= c * b -> a / b <= c / d.
Proof.
  intros Hb Hd H. apply Rmult_le_reg_r with (b * d); [apply Rmult_lt_0_compat; assumption |].
  replace (a / b * (b * d)) with (a * d) by (field; lra).
  replace (c / d * (b * d)) with (c * b) by (field; lra). exact H.
Qed.

Definition row_lemma3_step_down : Prop :=
  forall n gamma alpha k y i : R, let mu := gamma * n in
  0 < n -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  (1 - alpha) * mu + k <= y <= (1 + alpha) * mu - k -> 0 <= i <= k - 1 ->
  0 < y - i /\
  gamma * (n - y + i + 1) / ((1 - gamma) * (y - i)) <
    (1 - gamma + alpha * gamma) / ((1 - gamma) * (1 - alpha)) <= (1 + alpha) / (1 - alpha).

Theorem row_lemma3_step_down_holds : row_lemma3_step_down.
Proof.
  intros n gamma alpha k y i mu Hn Hg Ha Hy Hi.
  destruct (lemma3_step_down n gamma alpha k y i Hn Hg Ha Hy Hi) as [P [L [M _]]]. split; [exact P |].
  assert (B : 0 < (1 - gamma) * (y - i)) by (apply Rmult_lt_0_compat; lra).
  assert (A : 0 < (1 - gamma) * (1 - alpha)) by (apply Rmult_lt_0_compat; lra). split.
  - apply fraction_lt; [exact B | exact A |].
    apply (Rmult_lt_compat_l (1 - gamma)) in L; [| lra]. lra.
  - apply fraction_le; [exact A | lra |]. apply (Rmult_le_compat_r (1 - alpha)) in M; lra.
Qed.

Definition row_lemma3_step_up : Prop :=
  forall n gamma alpha k y i : R, let mu := gamma * n in
  0 < n -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 ->
  (1 - alpha) * mu + k <= y <= (1 + alpha) * mu - k -> 1 <= i <= k ->
  0 < n - y - i + 1 /\
  (1 - gamma) * (y + i) / (gamma * (n - y - i + 1)) <
    (1 + alpha) * (1 - gamma) / (1 - gamma - alpha * gamma) <= (1 + alpha) / (1 - alpha).

Theorem row_lemma3_step_up_holds : row_lemma3_step_up.
Proof.
  intros n gamma alpha k y i mu Hn Hg Ha Hy Hi.
  destruct (lemma3_step_up n gamma alpha k y i Hn Hg Ha Hy Hi) as [P [L [M _]]]. split; [exact P |].
  assert (B : 0 < gamma * (n - y - i + 1)) by (apply Rmult_lt_0_compat; lra). split.
  - apply fraction_lt; [exact B | lra |]. apply (Rmult_lt_compat_l (1 - gamma)) in L; lra.
  - apply fraction_le; [lra | lra |].
    destruct M as [_ M]. apply (Rmult_le_compat_l (1 + alpha)) in M; lra.
Qed.

(** Binary sums by randomized response: the error of the estimate.

    The protocol of binary_sums.v with the sum s of the bits and the estimate T. For every n >= 1,
    0 < beta < 1 and real lambda with (8/9) ln(2/beta) <= lambda < n, and every data set of n bits,
      |T - s| <= (n/(n - lambda)) sqrt(2 lambda ln(2/beta)) with probability at least 1 - beta.

    Idea: Bernstein's inequality. With f = lambda/(2n) a message is 1 with probability f or 1 - f, so the
    centred message or its opposite has the moment generating function e^(-hf) (1 + f (e^h - 1)) at h or
    -h, which is at most exp(f (e^h - 1 - h)); and (e^h - 1 - h) (1 - h/3) <= h^2/2 for all real h, as the
    second derivative of the difference is (1 - (1-h) e^h)/3 >= 0. With v = n f = lambda/2 and
    h = w/(v + w/3) Markov's inequality gives exp(-w^2/(2 (v + w/3))) for either tail of the sum at w. For
    w^2 = 4 v ln(2/beta) this is at most beta/2 if w <= 3 v, that is lambda >= (8/9) ln(2/beta).

    Source: Cheu, Smith, Ullman, Zeber, Zhilyaev 2019, section 4, with the constant of this package. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy bits bit_messages hoeffding binary_sums.
Import ListNotations.
Open Scope R_scope.

(** ** Bernstein's bound for one bit *)

Lemma exp_two_terms (h : R) : (exp h - 1 - h) * (1 - h / 3) <= h ^ 2 / 2.
Proof.
  assert (P : 0 <= h ^ 2 / 2 - (exp h - 1 - h) * (1 - h / 3)); [| lra]. revert h.
  apply nonneg_from_second_derivative with
    (f := fun h => h ^ 2 / 2 - (exp h - 1 - h) * (1 - h / 3))
    (f1 := fun h => h - (exp h - 1) * (1 - h / 3) + (exp h - 1 - h) / 3)
    (f2 := fun h => (1 - (1 - h) * exp h) / 3).
  - intros h. auto_derive; [exact I | field].
  - intros h. auto_derive; [exact I | field].
  - rewrite exp_0. field.
  - rewrite exp_0. field.
  - intros h. assert (E := exp_ineq1_le (- h)). assert (X := exp_pos h).
    assert (L : (1 - h) * exp h <= exp (- h) * exp h) by (apply Rmult_le_compat_r; lra).
    rewrite <- exp_plus, Rplus_opp_l, exp_0 in L. lra.
Qed.

(** e^h - 1 - h is at most b = h^2/(2 (1 - h/3)), at h and at -h, for 0 <= h < 3. *)
Lemma exp_remainder (h : R) :
  0 <= h < 3 -> let b := h ^ 2 / (2 * (1 - h / 3)) in exp h - 1 - h <= b /\ exp (- h) - 1 + h <= b.
Proof.
  intros Hh b. assert (B : b * (1 - h / 3) = h ^ 2 / 2) by (unfold b; field; lra).
  assert (Q := pow2_ge_0 h). assert (B0 : 0 <= b) by (apply Rle_mult_inv_pos; lra). split.
  - apply Rmult_le_reg_r with (1 - h / 3); [lra |]. rewrite B. apply exp_two_terms.
  - apply Rmult_le_reg_r with (1 + h / 3); [lra |].
    assert (E := exp_two_terms (- h)). replace ((- h) ^ 2) with (h ^ 2) in E by ring.
    assert (0 <= b * h) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The centred bit, by its mean q, and by the mean 1 - q of its opposite. *)
Lemma bit_moment_by_mean (q h : R) :
  q * exp (h * (1 - q)) + (1 - q) * exp (- (h * q)) <= exp (q * (exp h - 1 - h)).
Proof.
  replace (h * (1 - q)) with (h + - (h * q)) by ring. rewrite exp_plus.
  replace (q * (exp h - 1 - h)) with (q * (exp h - 1) + - (h * q)) by ring. rewrite exp_plus.
  rewrite <- Rmult_assoc, <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; apply exp_pos |].
  assert (E := exp_ineq1_le (q * (exp h - 1))). lra.
Qed.

Lemma bit_moment_by_opposite (q h : R) :
  q * exp (h * (1 - q)) + (1 - q) * exp (- (h * q)) <= exp ((1 - q) * (exp (- h) - 1 + h)).
Proof.
  assert (E := bit_moment_by_mean (1 - q) (- h)).
  replace (- h * (1 - (1 - q))) with (- (h * q)) in E by ring.
  replace (- (- h * (1 - q))) with (h * (1 - q)) in E by ring.
  replace (exp (- h) - 1 - - h) with (exp (- h) - 1 + h) in E by ring. lra.
Qed.

(** ** The tails of the sum of the messages *)

Section Tails.

Variables (n : nat) (lambda h : R).
Hypotheses (Hn : (1 <= n)%nat) (Hl : 0 <= lambda < INR n) (Hh : 0 <= h < 3).

Let send := rr_randomizer lambda n.
Let b := h ^ 2 / (2 * (1 - h / 3)).

(** One message, at k = h and at k = -h. *)
Lemma rr_bit_moment (x : bool) (k : R) :
  k = h \/ k = - h ->
  let q := chance (send x) in
  q * exp (k * (1 - q)) + (1 - q) * exp (- (k * q)) <= exp (lambda / (2 * INR n) * b).
Proof.
  intros Hk q. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (F : 0 <= lambda / (2 * INR n)) by (apply Rle_mult_inv_pos; lra).
  destruct (exp_remainder h Hh) as [B1 B2]. fold b in B1, B2.
  assert (B : exp k - 1 - k <= b /\ exp (- k) - 1 + k <= b).
  { destruct Hk as [-> | ->]; [| rewrite Ropp_involutive]; split; lra. }
  assert (Q : q = lambda / (2 * INR n) \/ 1 - q = lambda / (2 * INR n)).
  { unfold q, send. rewrite chance_rr_randomizer. destruct x; simpl; [right | left]; field; lra. }
  destruct Q as [Q | Q]; rewrite <- Q in *.
  - eapply Rle_trans; [apply bit_moment_by_mean |]. apply exp_le, Rmult_le_compat_l; lra.
  - eapply Rle_trans; [apply bit_moment_by_opposite |]. apply exp_le, Rmult_le_compat_l; lra.
Qed.

(** The sum is at least w away from its mean m. *)
Lemma rr_sum_tails (xs : list bool) (w : R) :
  length xs = n -> let m := total xs (fun x => chance (send x)) in
  Pr (messages (one_message send) xs) (fun y => Rleb w (Rabs (INR (ones y) - m)))
  <= 2 * exp (lambda / 2 * b - h * w).
Proof.
  intros L m. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (P : forall x, proper (send x)) by (intros; apply proper_rr_randomizer; assumption).
  assert (PM : proper (messages (one_message send) xs))
    by (apply proper_messages; intros; apply proper_one_message, P).
  replace (lambda / 2 * b) with (INR (length xs) * (lambda / (2 * INR n) * b)) by (rewrite L; field; lra).
  set (c := _ * (_ * b)).
  assert (T : forall k, k = h \/ k = - h ->
    Pr (messages (one_message send) xs) (fun y => Rleb (h * w) (k * (INR (ones y) - m))) <= exp (c - h * w)).
  { intros k Hk. apply exponential_markov with (z := fun y => INR (ones y) - m) (h := k); [exact PM | |].
    - apply ones_moment_from_bits; [exact P |]. intros x. apply rr_bit_moment, Hk.
    - intros y. apply Rleb_true. }
  set (up := fun y => Rleb (h * w) (h * (INR (ones y) - m))).
  set (down := fun y => Rleb (h * w) (- h * (INR (ones y) - m))).
  assert (T1 : Pr (messages (one_message send) xs) up <= exp (c - h * w)) by (apply T; auto).
  assert (T2 : Pr (messages (one_message send) xs) down <= exp (c - h * w)) by (apply T; auto).
  assert (U := Pr_or _ up down PM). eapply Rle_trans; [| apply (Rle_trans _ _ _ U); lra].
  apply Pr_le; [exact PM |]. intros y Hy. apply Rleb_true in Hy. apply Bool.orb_true_iff.
  unfold up, down. rewrite !Rleb_true. apply (Rmult_le_compat_l h) in Hy; [| lra].
  unfold Rabs in Hy. destruct (Rcase_abs _); [right | left]; lra.
Qed.

End Tails.

(** ** The theorem *)

(** The exponent for the best h. *)
Lemma bernstein_exponent (v w l : R) :
  0 < v -> 0 <= w -> w ^ 2 = 4 * v * l -> w <= 3 * v -> 0 <= l ->
  let h := w / (v + w / 3) in
  0 <= h < 3 /\ v * (h ^ 2 / (2 * (1 - h / 3))) - h * w <= - l.
Proof.
  intros Hv Hw E Hwv Hl h. assert (D : 0 < v + w / 3) by lra. split; [split |].
  - apply Rle_mult_inv_pos; lra.
  - apply Rmult_lt_reg_r with (v + w / 3); [exact D |]. unfold h. field_simplify; lra.
  - replace (v * (h ^ 2 / (2 * (1 - h / 3))) - h * w) with (- (w ^ 2 / (2 * (v + w / 3))))
      by (unfold h; field; repeat split; lra).
    rewrite E. apply Ropp_le_contravar, Rmult_le_reg_r with (2 * (v + w / 3)); [lra |].
    replace (4 * v * l / (2 * (v + w / 3)) * (2 * (v + w / 3))) with (4 * v * l) by (field; lra).
    assert (l * w <= l * (3 * v)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** The error of the estimate is that of the sum of the messages, times n/(n - lambda). *)
Lemma rr_error (n : nat) (lambda : R) (xs y : list bool) :
  (1 <= n)%nat -> 0 <= lambda < INR n -> length xs = n ->
  rr_estimate lambda n y - INR (ones xs) =
  INR n / (INR n - lambda) * (INR (ones y) - total xs (fun x => chance (rr_randomizer lambda n x))).
Proof.
  intros Hn Hl L. rewrite <- (rr_estimate_of_mean lambda n (INR (ones xs)) Hn Hl).
  rewrite rr_mean_messages, L. unfold rr_estimate. ring.
Qed.

Theorem rr_sum_accuracy (n : nat) (lambda beta : R) (xs : list bool) :
  (1 <= n)%nat -> 0 < beta < 1 -> 8 / 9 * ln (2 / beta) <= lambda < INR n -> length xs = n ->
  1 - beta <=
  Pr (messages (one_message (rr_randomizer lambda n)) xs) (fun y =>
    Rleb (Rabs (rr_estimate lambda n y - INR (ones xs)))
         (INR n / (INR n - lambda) * sqrt (2 * lambda * ln (2 / beta)))).
Proof.
  intros Hn Hb Hl L. set (l := ln (2 / beta)) in *.
  assert (F : 1 < 2 / beta) by (apply Rmult_lt_reg_r with beta; [lra |]; field_simplify; lra).
  assert (Hl0 : 0 < l) by (unfold l; rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hl' : 0 <= lambda < INR n) by lra.
  set (w := sqrt (2 * lambda * l)). set (v := lambda / 2).
  assert (V : 0 < v) by (unfold v; lra).
  assert (P2 : 0 <= 2 * lambda * l) by (apply Rmult_le_pos; lra).
  assert (W2 : w ^ 2 = 4 * v * l) by (unfold w, v; rewrite pow2_sqrt by exact P2; field).
  assert (W3 : w <= 3 * v).
  { apply Rsqr_incr_0_var; [| lra]. replace (Rsqr w) with (w ^ 2) by (unfold Rsqr; ring).
    rewrite W2. assert (v * (4 * l) <= v * (9 * v)) by (apply Rmult_le_compat_l; unfold v; lra).
    unfold Rsqr. lra. }
  destruct (bernstein_exponent v w l V (sqrt_pos _) W2 W3 ltac:(lra)) as [Hh X].
  set (h := w / (v + w / 3)) in *.
  assert (T := rr_sum_tails n lambda h Hn Hl' Hh xs w L). cbv zeta in T. fold v in T.
  assert (C : 0 < INR n / (INR n - lambda)) by (apply Rdiv_lt_0_compat; lra).
  apply Rle_trans with (1 - 2 * exp (- l)).
  - unfold l. rewrite exp_Ropp, exp_ln by lra. right. field. lra.
  - apply exp_le in X.
    eapply Rle_trans; [| apply Pr_one_of_two with (S := fun y =>
      Rleb w (Rabs (INR (ones y) - total xs (fun x => chance (rr_randomizer lambda n x)))))].
    + lra.
    + apply proper_messages. intros. apply proper_one_message, proper_rr_randomizer; assumption.
    + intros y. rewrite !Rleb_true, (rr_error n lambda xs y Hn Hl' L), Rabs_mult.
      rewrite (Rabs_pos_eq (INR n / (INR n - lambda))) by lra.
      destruct (Rle_lt_dec w (Rabs (INR (ones y) -
        total xs (fun x => chance (rr_randomizer lambda n x))))) as [A | A]; [left; exact A | right].
      apply Rmult_le_compat_l; lra.
Qed.

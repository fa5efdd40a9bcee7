(** No error of order 1/sqrt(n) for the sum, and the printed tail bounds, for the survey of private bits.

    n users answer truthfully with probability 1/2 + g, 0 < g < 1/2; f is the estimate of the sum s of
    their bits (randomized_response.v). For every n >= 1 and every data set of n bits:
    - [one_count_at_most]: no number of ones among the answers has a probability above 1/2 + g;
    - [no_faster_rate]: for every C > 0 with n > (4 g C)^2, |f - s| > C/sqrt(n) with probability at least
      1/2 - g. So for no constant C is |f - s| <= C/sqrt(n) with a larger probability than 1/2 + g at all n.
    - [mean_radius]: the mean f/n of the bits is within sqrt(ln(2/delta)/(8n))/g of s/n with probability at
      least 1 - delta, for 0 < delta < 1: what is of the order 1/sqrt(n) is the error of the mean.
    - [hoeffding_bound_fails], [hoeffding_radius_fails]: one user, g = 1/8, whichever bit he holds. The error
      is at least 3/2 always; so P[|f - s| >= t] <= 2 e^(-2 n t^2) fails at t = 3/2, and
      |f - s| <= sqrt(ln(1/delta)/(2n)) has the probability 0 for delta in [1/2, 1), and so has
      |f - s| <= sqrt(n ln(1/delta)/8)/g at delta = 7/8.

    Idea: given the answers of the other users there is one answer of the first that gives the count k. Two
    counts are 1 apart, so |f - s| <= C/sqrt(n) < 1/(4g) leaves at most one of them.

    Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages randomized_response hoeffding.
Import ListNotations.
Open Scope R_scope.

(** ** One count *)

Definition is_count (k : nat) (y : list bool) : bool := Nat.eqb (ones y) k.

Theorem one_count_at_most (g : R) (xs : list bool) (k : nat) :
  0 < g < 1 / 2 -> (1 <= length xs)%nat ->
  Pr (messages (one_message (survey_randomizer g)) xs) (is_count k) <= 1 / 2 + g.
Proof.
  intros Hg. destruct xs as [| x xs]; [simpl; lia | intros _].
  assert (P : proper (messages (one_message (survey_randomizer g)) xs)).
  { apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer, Hg. }
  set (others := messages (one_message (survey_randomizer g)) xs) in *.
  unfold Pr at 1. rewrite mean_messages_cons. fold others.
  rewrite mean_bit by (apply proper_survey_randomizer, Hg).
  set (up := mean others (fun y => indicator (is_count k) (true :: y))).
  set (down := mean others (fun y => indicator (is_count k) (false :: y))).
  assert (U : 0 <= up) by (apply mean_nonneg; [exact P | intros y; unfold indicator; destruct is_count; lra]).
  assert (D : 0 <= down) by (apply mean_nonneg; [exact P | intros y; unfold indicator; destruct is_count; lra]).
  assert (T : up + down <= 1).
  { unfold up, down. rewrite <- mean_plus, <- (mean_const others 1 P). apply mean_le; [exact P |].
    intros y. unfold indicator, is_count. cbn [ones].
    destruct (Nat.eqb_spec (S (ones y)) k), (Nat.eqb_spec (ones y) k); lra || lia. }
  assert (Q : 0 <= g * up) by (apply Rmult_le_pos; lra).
  assert (Q' : 0 <= g * down) by (apply Rmult_le_pos; lra).
  assert (C : chance (survey_randomizer g x) = 1 / 2 + g \/ chance (survey_randomizer g x) = 1 / 2 - g).
  { rewrite chance_survey_randomizer. destruct x; simpl; [left | right]; ring. }
  assert (G : (1 / 2 + g) * (up + down) <= (1 / 2 + g) * 1) by (apply Rmult_le_compat_l; lra).
  destruct C as [-> | ->]; lra.
Qed.

(** An event whose outcomes all have one number of ones. *)
Lemma one_count_event (g : R) (xs : list bool) (T : list bool -> bool) :
  0 < g < 1 / 2 -> (1 <= length xs)%nat ->
  (forall y z, T y = true -> T z = true -> ones y = ones z) ->
  Pr (messages (one_message (survey_randomizer g)) xs) T <= 1 / 2 + g.
Proof.
  intros Hg N H. assert (P : proper (messages (one_message (survey_randomizer g)) xs)).
  { apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer, Hg. }
  destruct (Classical_Prop.classic (exists y, T y = true)) as [[y Hy] | None].
  - eapply Rle_trans; [| apply (one_count_at_most g xs (ones y) Hg N)].
    apply Pr_le; [exact P |]. intros z Hz. apply Nat.eqb_eq, H; assumption.
  - eapply Rle_trans; [apply (Pr_le _ T (fun _ => false) P) |].
    + intros y Hy. exfalso. apply None. exists y. exact Hy.
    + unfold Pr, indicator. rewrite mean_const by exact P. lra.
Qed.

Theorem no_faster_rate (n : nat) (g C : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n -> 0 < C -> (4 * g * C) ^ 2 < INR n ->
  1 / 2 - g <= Pr (messages (one_message (survey_randomizer g)) xs)
                 (fun y => Rltb (C / sqrt (INR n)) (Rabs (survey_estimate g n y - INR (ones xs)))).
Proof.
  intros Hg Hn L HC H. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Q : 0 < sqrt (INR n)) by (apply sqrt_lt_R0, N).
  assert (R : 4 * g * C < sqrt (INR n)).
  { assert (0 < 4 * g * C) by (apply Rmult_lt_0_compat; lra). rewrite <- (sqrt_pow2 (4 * g * C)) by lra.
    apply sqrt_lt_1; [apply pow2_ge_0 | lra | exact H]. }
  set (r := C / sqrt (INR n)) in *.
  assert (R' : 4 * g * r < 1).
  { unfold r. apply Rmult_lt_reg_r with (sqrt (INR n)); [exact Q |]. field_simplify; lra. }
  set (near := fun y => Rleb (Rabs (survey_estimate g n y - INR (ones xs))) r).
  assert (A : Pr (messages (one_message (survey_randomizer g)) xs) near <= 1 / 2 + g).
  { apply one_count_event; [exact Hg | lia |]. intros y z Hy Hz. unfold near in Hy, Hz.
    apply Rleb_true in Hy. apply Rleb_true in Hz.
    assert (B : Rabs (survey_estimate g n y - survey_estimate g n z) <= 2 * r).
    { replace (survey_estimate g n y - survey_estimate g n z) with
        (survey_estimate g n y - INR (ones xs) + - (survey_estimate g n z - INR (ones xs))) by ring.
      eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_Ropp. lra. }
    assert (E : survey_estimate g n y - survey_estimate g n z = (INR (ones y) - INR (ones z)) / (2 * g))
      by (unfold survey_estimate; field; lra).
    rewrite E in B. unfold Rdiv in B. rewrite Rabs_mult, (Rabs_pos_eq (/ _)) in B
      by (left; apply Rinv_0_lt_compat; lra).
    apply (Rmult_le_compat_r (2 * g)) in B; [| lra].
    replace (Rabs (INR (ones y) - INR (ones z)) * / (2 * g) * (2 * g)) with
      (Rabs (INR (ones y) - INR (ones z))) in B by (field; lra).
    assert (B' : Rabs (INR (ones y) - INR (ones z)) < 1) by lra. apply Rabs_def2 in B'.
    rewrite !INR_IZR_INZ, <- minus_IZR in B'. destruct B' as [B1 B2].
    replace (- (1)) with (IZR (-1)) in B2 by lra. apply lt_IZR in B1. apply lt_IZR in B2. lia. }
  eapply Rle_trans; [| apply Pr_one_of_two with (S := near)].
  - lra.
  - apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer, Hg.
  - intros y. unfold near. rewrite Rleb_true, Rltb_true.
    destruct (Rle_lt_dec (Rabs (survey_estimate g n y - INR (ones xs))) r); [left | right]; assumption.
Qed.

(** ** The mean *)

Theorem mean_radius (n : nat) (g delta : R) (xs : list bool) :
  0 < g < 1 / 2 -> (1 <= n)%nat -> length xs = n -> 0 < delta < 1 ->
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (Rabs (survey_estimate g n y / INR n - INR (ones xs) / INR n))
                   (sqrt (ln (2 / delta) / (8 * INR n)) / g)).
Proof.
  intros Hg Hn L Hd. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  eapply Rle_trans; [apply (hoeffding_radius n g delta xs Hg Hn L Hd) |].
  apply Pr_le; [apply proper_messages; intros; apply proper_one_message, proper_survey_randomizer, Hg |].
  intros y Hy. apply Rltb_true in Hy. apply Rltb_true.
  replace (INR n * ln (2 / delta) / 8) with (INR n ^ 2 * (ln (2 / delta) / (8 * INR n))) in Hy by (field; lra).
  rewrite sqrt_mult_alt, sqrt_pow2 in Hy by (apply pow2_ge_0 || lra).
  replace (survey_estimate g n y / INR n - INR (ones xs) / INR n)
    with ((survey_estimate g n y - INR (ones xs)) * / INR n) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ INR n)) by (left; apply Rinv_0_lt_compat, N).
  apply Rmult_lt_reg_r with (INR n); [exact N |].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. unfold Rdiv in *. lra.
Qed.

(** ** One user with g = 1/8 *)

Lemma one_user_error (x : bool) (y : list bool) :
  (ones y <= 1)%nat -> 3 / 2 <= Rabs (survey_estimate (1 / 8) 1 y - INR (ones [x])).
Proof.
  intros H. unfold survey_estimate.
  assert (E : ones y = 0%nat \/ ones y = 1%nat) by lia.
  destruct E as [-> | ->]; destruct x; cbn [ones]; simpl;
    (rewrite Rabs_right by lra; lra) || (rewrite Rabs_left by lra; lra).
Qed.

Lemma in_one_user (g : R) (x : bool) wy :
  In wy (messages (one_message (survey_randomizer g)) [x]) -> (ones (snd wy) <= 1)%nat.
Proof.
  destruct x; cbn; intros H; repeat (destruct H as [<- | H]; [cbn; lia |]); contradiction.
Qed.

(** What always holds of the one answer has the probability 1, what never holds 0. *)
Lemma one_user_certain (x : bool) (T : list bool -> bool) (b : bool) :
  (forall y, (ones y <= 1)%nat -> T y = b) ->
  Pr (messages (one_message (survey_randomizer (1 / 8))) [x]) T = if b then 1 else 0.
Proof.
  intros H. unfold Pr, mean. rewrite (total_ext _ _ (fun wy => fst wy * (if b then 1 else 0))).
  - apply (mean_const (messages (one_message (survey_randomizer (1 / 8))) [x]) (if b then 1 else 0)).
    apply proper_messages. intros. apply proper_one_message, proper_survey_randomizer. lra.
  - intros wy I. unfold indicator. rewrite (H _ (in_one_user _ _ _ I)). reflexivity.
Qed.

Theorem hoeffding_bound_fails (x : bool) :
  2 * exp (-2 * INR 1 * (3 / 2) ^ 2) <
  Pr (messages (one_message (survey_randomizer (1 / 8))) [x])
    (fun y => Rleb (3 / 2) (Rabs (survey_estimate (1 / 8) 1 y - INR (ones [x])))).
Proof.
  rewrite (one_user_certain x _ true) by (intros y Y; apply Rleb_true, one_user_error, Y).
  replace (-2 * INR 1 * (3 / 2) ^ 2) with (- (9 / 2)) by (simpl; field).
  rewrite exp_Ropp. assert (E := exp_ineq1_le (9 / 2)).
  assert (I : / exp (9 / 2) <= / (1 + 9 / 2)) by (apply Rinv_le_contravar; lra). lra.
Qed.

(** A logarithm from above: ln(1/delta) <= 1/delta - 1. *)
Lemma log_upper (d : R) : 0 < d -> ln (1 / d) <= 1 / d - 1.
Proof.
  intros H. assert (P : 0 < 1 / d) by (apply Rdiv_lt_0_compat; lra).
  assert (E := exp_ineq1_le (ln (1 / d))). rewrite exp_ln in E by exact P. lra.
Qed.

Lemma never_within (x : bool) (radius : R) :
  radius < 3 / 2 ->
  Pr (messages (one_message (survey_randomizer (1 / 8))) [x])
    (fun y => Rleb (Rabs (survey_estimate (1 / 8) 1 y - INR (ones [x]))) radius) = 0.
Proof.
  intros H. apply (one_user_certain x _ false). intros y Y. apply Bool.not_true_is_false.
  rewrite Rleb_true. assert (E := one_user_error x y Y). lra.
Qed.

Theorem hoeffding_radius_fails (x : bool) :
  let within radius := Pr (messages (one_message (survey_randomizer (1 / 8))) [x])
    (fun y => Rleb (Rabs (survey_estimate (1 / 8) 1 y - INR (ones [x]))) radius) in
  (forall delta, 1 / 2 <= delta < 1 -> within (sqrt (ln (1 / delta) / (2 * INR 1))) = 0) /\
  within (sqrt (INR 1 * ln (1 / (7 / 8)) / 8) / (1 / 8)) = 0.
Proof.
  cbv zeta. split.
  - intros delta Hd. apply never_within. assert (L := log_upper delta ltac:(lra)).
    assert (I : 1 / delta <= 2) by (apply Rmult_le_reg_r with delta; [lra |]; field_simplify; lra).
    apply Rle_lt_trans with (sqrt 1); [apply sqrt_le_1_alt; simpl; lra | rewrite sqrt_1; lra].
  - apply never_within. assert (L := log_upper (7 / 8) ltac:(lra)).
    replace (1 / (7 / 8)) with (8 / 7) in * by field.
    apply Rle_lt_trans with (sqrt ((3 / 20) ^ 2) / (1 / 8)).
    + unfold Rdiv. apply Rmult_le_compat_r; [lra |]. apply sqrt_le_1_alt. simpl. lra.
    + rewrite sqrt_pow2 by lra. lra.
Qed.

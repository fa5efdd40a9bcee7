(** The rows of proofs/survey.py: private sums in the central, the local and the shuffle model. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy masses infinite_sums bits bit_messages binomial randomized_response.
From Exactdp Require Import survey_error survey_count geometric_noise geometric_error negative_binomial_mean.
From Exactdp Require Import local_randomized_response local_error laplace_noise laplace_rounded.
From Exactdp Require Import countable_programs correlated_counting.
Import ListNotations.
Open Scope R_scope.

Definition row_survey_local_error : Prop :=
  forall (n : nat) (eps : R) (xs : list bool),
  0 < eps -> (1 <= n)%nat -> length xs = n ->
  exists g : R, 0 < g < 1 / 2 /\ ln ((1 / 2 + g) / (1 / 2 - g)) = eps /\
  let answers := messages (one_message (survey_randomizer g)) xs in
  let of_sum := sqrt (mean answers (fun y => (survey_estimate g n y - INR (ones xs)) ^ 2)) in
  let of_mean :=
    sqrt (mean answers (fun y => (survey_estimate g n y / INR n - INR (ones xs) / INR n) ^ 2)) in
  of_sum <= sqrt (INR n) / eps /\ of_mean <= 1 / (eps * sqrt (INR n)) /\
  (eps <= 1 -> 20 / 21 * (sqrt (INR n) / eps) <= of_sum /\ 20 / 21 * (1 / (eps * sqrt (INR n))) <= of_mean).

Theorem row_survey_local_error_holds : row_survey_local_error.
Proof.
  intros n eps xs He Hn L. exists (survey_advantage eps). split.
  - apply survey_advantage_range, He.
  - apply (survey_local_error n eps xs He Hn L).
Qed.

Definition row_survey_privacy : Prop :=
  forall (n : nat) (g eps : R),
  (1 <= n)%nat -> 0 < g < 1 / 2 ->
  (local_dp (survey_randomizer g) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps) /\
  (shuffle_dp n (one_message (survey_randomizer g)) eps 0 <-> ln ((1 / 2 + g) / (1 / 2 - g)) <= eps).

Theorem row_survey_privacy_holds : row_survey_privacy.
Proof.
  intros n g eps Hn Hg. split; [apply survey_privacy_local | apply survey_privacy]; assumption.
Qed.

Definition row_survey_unbiased_printed : Prop := ~ (
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (INR (ones y) - INR n / 2 - g * INR n) / (2 * g)) = INR (ones xs)).

Theorem row_survey_unbiased_printed_holds : row_survey_unbiased_printed.
Proof.
  intros H. assert (G : 0 < 1 / 4 < 1 / 2) by lra.
  apply (survey_unbiased_printed 1 (1 / 4) [true] G (le_n 1) eq_refl).
  apply H; [lia | exact G | reflexivity].
Qed.

Definition row_survey_unbiased : Prop :=
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs)
    (fun y => (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g)) = INR (ones xs).

Theorem row_survey_unbiased_holds : row_survey_unbiased.
Proof. intros n g xs _. apply survey_unbiased. Qed.

Definition row_survey_variance : Prop :=
  forall (n : nat) (g eps : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> eps = ln ((1 / 2 + g) / (1 / 2 - g)) ->
  let answers := messages (one_message (survey_randomizer g)) xs in
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  mean answers (fun y => (estimate y - INR (ones xs)) ^ 2) =
    mean answers (fun y => (estimate y - mean answers estimate) ^ 2) /\
  mean answers (fun y => (estimate y - INR (ones xs)) ^ 2) = INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2) /\
  INR n * (1 / 4 - g ^ 2) / (4 * g ^ 2) = INR n * exp eps / (exp eps - 1) ^ 2.

Theorem row_survey_variance_holds : row_survey_variance.
Proof.
  intros n g eps xs _ Hg L -> answers estimate.
  rewrite (survey_unbiased n g xs Hg L : mean answers estimate = _).
  split; [reflexivity |]. split; [apply (survey_variance n g xs Hg L) |].
  apply survey_variance_by_epsilon, Hg.
Qed.

Definition row_survey_two_meanings_of_k : Prop := ~ (
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  let answers := messages (one_message (survey_randomizer g)) xs in
  mean answers (fun y => INR (ones y)) =
  mean answers (fun y => (1 / 2 + g) * INR (ones y) + (1 / 2 - g) * (INR n - INR (ones y)))).

Theorem row_survey_two_meanings_of_k_holds : row_survey_two_meanings_of_k.
Proof.
  intros H. assert (G : 0 < 1 / 4 < 1 / 2) by lra.
  assert (P : forall x, proper (survey_randomizer (1 / 4) x)) by (intros; apply proper_survey_randomizer, G).
  specialize (H 1%nat (1 / 4) [true] (le_n 1) G eq_refl). cbv zeta in H.
  rewrite (mean_ext _ (fun y => (1 / 2 + 1 / 4) * INR (ones y) + (1 / 2 - 1 / 4) * (INR 1 - INR (ones y)))
    (fun y => 1 / 2 * INR (ones y) + 1 / 4)) in H by (intros y; change (INR 1) with 1; field).
  rewrite mean_plus, mean_scal, mean_const in H by (apply proper_messages; intros; apply proper_one_message, P).
  rewrite mean_ones, survey_mean_answers in H by exact P. simpl in H. lra.
Qed.

Definition row_survey_mean_of_answers : Prop :=
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  mean (messages (one_message (survey_randomizer g)) xs) (fun y => INR (ones y)) =
  (1 / 2 + g) * INR (ones xs) + (1 / 2 - g) * (INR n - INR (ones xs)).

Theorem row_survey_mean_of_answers_holds : row_survey_mean_of_answers.
Proof.
  intros n g xs _ Hg <-. rewrite mean_ones, survey_mean_answers by (intros; apply proper_survey_randomizer, Hg). ring.
Qed.

Definition row_survey_central_error : Prop :=
  forall eps : R, 0 < eps ->
  let a := exp (- eps) in
  (forall (X : Type) (neighbor : X -> X -> Prop) (f : X -> Z),
   (forall x y, neighbor x y -> (Z.abs (f x - f y) <= 1)%Z) ->
   forall x y, neighbor x y -> forall (T : Z -> Prop) p q,
   mass_of (fun v => geometric a (v - f x)) T p -> mass_of (fun v => geometric a (v - f y)) T q -> p <= exp eps * q) /\
  law (geometric a) /\
  sum_of (fun z => geometric a z * IZR (Z.abs z)) (2 * a / (1 - a ^ 2)) /\
  2 * a / (1 - a ^ 2) = 1 / sinh eps /\ 1 / sinh eps <= 1 / eps.

Theorem row_survey_central_error_holds : row_survey_central_error.
Proof.
  intros eps He a. split; [| split; [apply geometric_law, ratio_of_eps, He | apply central_error, He]].
  intros X neighbor f S. apply geometric_noise_private; assumption.
Qed.

(* The event has the indicator g; the nearest integer is k where the output is between k - 1/2 and k + 1/2. *)
Definition row_survey_laplace_integers : Prop :=
  forall (X : Type) (neighbor : X -> X -> Prop) (f : X -> Z) (eps : R),
  0 < eps -> (forall x y, neighbor x y -> (Z.abs (f x - f y) <= 1)%Z) ->
  let density x t := laplace (1 / eps) (IZR (f x)) t in
  (forall x y, neighbor x y ->
    (forall t, density x t <= exp eps * density y t) /\
    forall (g : R -> R) p q, (forall t, 0 <= g t) ->
    is_RInt_gen (fun t => g t * density x t) (Rbar_locally m_infty) (Rbar_locally p_infty) p ->
    is_RInt_gen (fun t => g t * density y t) (Rbar_locally m_infty) (Rbar_locally p_infty) q ->
    p <= exp eps * q) /\
  exists nearest : X -> Z -> R,
  (forall x k, is_RInt (density x) (IZR k - / 2) (IZR k + / 2) (nearest x k)) /\ (forall x, law (nearest x)) /\
  forall x y, neighbor x y -> forall (T : Z -> Prop) p q,
  mass_of (nearest x) T p -> mass_of (nearest y) T q -> p <= exp eps * q.

Theorem row_survey_laplace_integers_holds : row_survey_laplace_integers.
Proof.
  intros X neighbor f eps He H density. split.
  - intros x y N. split; [intros t; apply laplace_integer_ratio; auto |].
    intros g p q G. apply laplace_events; auto.
  - exists (fun x => laplace_rounded eps (f x)). split; [intros x k; apply rounded_integral, He |].
    split; [intros x; apply rounded_law, He |]. intros x y N T p q. apply laplace_rounded_private; auto.
Qed.

(* w is the probability that the noise is beyond 1/2, where the bit is rounded to the wrong one. *)
Definition row_survey_laplace_integers_rounded : Prop :=
  ~ (forall eps w : R, 0 < eps ->
     is_RInt_gen (laplace (1 / eps) 0) (at_point (1 / 2)) (Rbar_locally p_infty) w ->
     ~ local_dp (fun x : bool => coin (if x then 1 - w else w)) eps 0).

Theorem row_survey_laplace_integers_rounded_holds : row_survey_laplace_integers_rounded.
Proof.
  intros H. assert (L : 0 < ln 4) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (B : 0 < 1 / ln 4) by (apply Rdiv_lt_0_compat; lra).
  assert (W := proj1 (laplace_tail (1 / ln 4) (1 / 2) B ltac:(lra))).
  exact (H _ _ L W (rounded_bit_private _ _ L W)).
Qed.

Definition row_survey_messages : Prop :=
  forall (n : nat) (e1 e2 delta m1 m2 : R) (D1 D2 : nat -> R),
  (1 <= n)%nat -> 0 < e1 -> 0 < e2 -> 0 < delta <= 1 ->
  is_negative_binomial (1 / INR n) (exp (- e1)) D1 ->
  is_negative_binomial (3 * (1 + ln (1 / delta)) / INR n) (exp (- (e2 / 5))) D2 ->
  sum_of (fun t => D1 t * INR t) m1 -> sum_of (fun t => D2 t * INR t) m2 ->
  2 * m1 + 2 * m2 <= (2 / e1 + 30 * (1 + ln (1 / delta)) / e2) / INR n.

Theorem row_survey_messages_holds : row_survey_messages.
Proof. exact correlated_messages. Qed.

(* One message true more for the bit 1; the estimate is the number of true less that of false messages. *)
Definition row_correlated_counting : Prop :=
  forall (n : nat) (e1 e2 delta m1 m2 : R) (D1 D2 : nat -> R),
  (1 <= n)%nat -> 0 < e1 -> 0 < e2 <= 1 -> 0 < delta <= 1 ->
  is_negative_binomial (1 / INR n) (exp (- e1)) D1 ->
  is_negative_binomial (3 * (1 + ln (1 / delta)) / INR n) (exp (- (e2 / 5))) D2 ->
  sum_of (fun t => D1 t * INR t) m1 -> sum_of (fun t => D2 t * INR t) m2 ->
  let send (x : bool) := chain D1 (fun g => chain D1 (fun h => chain D2 (fun w =>
    point (repeat true ((if x then 1 else 0) + g + w) ++ repeat false (h + w))))) in
  let estimate u := (Z.of_nat (ones u) - Z.of_nat (length u - ones u))%Z in
  countable_dp n send (e1 + e2) delta /\
  (forall xs k, length xs = n -> (1 <= k)%nat ->
    expectation (sent send xs) (indicator (fun u => Z.leb (Z.of_nat k) (Z.abs (estimate u - Z.of_nat (ones xs))))) =
    2 * exp (- e1) ^ k / (1 + exp (- e1))) /\
  2 * m1 + 2 * m2 <= (2 / e1 + 30 * (1 + ln (1 / delta)) / e2) / INR n.

Theorem row_correlated_counting_holds : row_correlated_counting.
Proof.
  intros n e1 e2 delta m1 m2 D1 D2 Hn H1 H2 Hd N1 N2 M1 M2 send estimate.
  assert (L := log_of_inverse delta Hd). split; [| split].
  - apply (correlated_private n e1 e2 delta (3 * (1 + ln (1 / delta))) (exp (- (e2 / 5))) D1 D2); try assumption; try lra.
    split; [lra | rewrite <- exp_0; apply exp_increasing; lra].
  - intros xs k Len K. exact (correlated_error n e1 D1 D2 xs k H1 Len Hn K N1 (proj1 N2)).
  - apply (correlated_messages n e1 e2 delta m1 m2 D1 D2 Hn H1 (proj1 H2) Hd N1 N2 M1 M2).
Qed.

Definition row_survey_messages_one_sided : Prop :=
  forall (n : nat) (eps delta m : R) (D : nat -> R),
  (1 <= n)%nat -> 0 < eps -> 0 < delta <= 1 ->
  is_negative_binomial (3 * (1 + ln (1 / delta)) / INR n) (exp (- (eps / 5))) D ->
  sum_of (fun t => D t * INR t) m ->
  m <= 15 * (1 + ln (1 / delta)) / (eps * INR n).

Theorem row_survey_messages_one_sided_holds : row_survey_messages_one_sided.
Proof. exact one_sided_messages. Qed.

Definition row_survey_affine : Prop :=
  forall (n : nat) (g : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  same_law (dmap ones (messages (one_message (survey_randomizer g)) xs))
    (bind (flips (ones xs) (1 / 2 + g)) (fun i =>
     bind (flips (n - ones xs) (1 / 2 - g)) (fun j => ret (i + j)%nat))) /\
  forall y z : list bool,
  estimate y = / (2 * g) * INR (ones y) - (1 / 2 - g) * INR n / (2 * g) /\
  (ones z = S (ones y) -> estimate z - estimate y = 1 / (2 * g)).

Theorem row_survey_affine_holds : row_survey_affine.
Proof.
  intros n g xs _ Hg <- estimate. split; [apply survey_count |]. intros y z.
  destruct (survey_affine g (length xs) y Hg) as [A B]. split; [exact A | apply B].
Qed.

(* The users answer in turns, and each may look at what was said before; a protocol of one round does not look. *)
Definition row_survey_lower_bound : Prop :=
  forall (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps,
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> 36 * (exp eps + 1) ^ 2 / exp eps <= INR n ->
  exists xs, length xs = n /\
  1 / 6 <= Pr (bind (in_turns R [] xs) estimate)
    (fun a => Rleb (sqrt (exp eps) / (2 * (exp eps + 1)) / sqrt (INR n)) (Rabs (a - INR (ones xs) / INR n))).

Theorem row_survey_lower_bound_holds : row_survey_lower_bound.
Proof.
  intros M R estimate n eps HR HE He P Hn. assert (X := exp_pos eps).
  assert (N : 0 < INR n).
  { eapply Rlt_le_trans; [| exact Hn]. apply Rdiv_lt_0_compat; [| exact X].
    apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]. }
  destruct (local_error_constant R (fun said => dmap (fun a => INR n * a) (estimate said)) n eps) as [xs [L B]];
    [exact HR | intros; apply proper_dmap, HE | exact He | exact P | exact Hn |].
  exists xs. split; [exact L |]. eapply Rle_trans; [exact B |]. rewrite !Pr_bind.
  apply mean_le; [apply proper_in_turns, HR |]. intros said. rewrite Pr_dmap. apply Pr_le; [apply HE |].
  intros a. rewrite !Rleb_true, sqrt_mult by lra. intros K.
  assert (Q : 0 < sqrt (INR n)) by (apply sqrt_lt_R0, N). assert (S := sqrt_sqrt (INR n) ltac:(lra)).
  apply Rmult_le_reg_l with (INR n); [exact N |]. rewrite <- (Rabs_right (INR n)) at 3 by lra. rewrite <- Rabs_mult.
  replace (INR n * (a - INR (ones xs) / INR n)) with (INR n * a - INR (ones xs)) by (field; lra).
  eapply Rle_trans; [| exact K]. right. rewrite <- S at 1. field. split; lra.
Qed.

(** The rows of proofs/hoeffding.py: Hoeffding's inequality, for randomized response. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Rcomplements.
From Exactdp Require Import reals sums laws privacy bits bit_messages hoeffding randomized_response.
From Exactdp Require Import survey_rate.
Import ListNotations.
Open Scope R_scope.

Definition row_hoeffding_lemma : Prop :=
  forall p s : R, 0 <= p <= 1 -> 1 - p + p * exp s <= exp (p * s + s ^ 2 / 8).

Theorem row_hoeffding_lemma_holds : row_hoeffding_lemma.
Proof. exact hoeffding_lemma. Qed.

Definition row_hoeffding_inequality : Prop :=
  forall (X : Type) (send : X -> dist bool) (xs : list X) (u : R),
  (forall x, proper (send x)) -> (1 <= length xs)%nat -> 0 < u ->
  let sums := messages (one_message send) xs in
  let m := mean sums (fun y => INR (ones y)) in
  Pr sums (fun y => Rleb u (INR (ones y) - m)) <= exp (- (2 * u ^ 2 / INR (length xs))) /\
  Pr sums (fun y => Rleb (INR (ones y) - m) (- u)) <= exp (- (2 * u ^ 2 / INR (length xs))).

Theorem row_hoeffding_inequality_holds : row_hoeffding_inequality.
Proof.
  intros X send xs u P N U sums m. assert (E : m = total xs (fun x => chance (send x))) by (apply mean_ones, P).
  assert (W : proper sums) by (apply proper_messages; intros; apply proper_one_message, P).
  split; (eapply Rle_trans; [apply Pr_le with (1 := W) |]).
  2: apply (hoeffding_inequality_upper send xs u P N (Rlt_le _ _ U)).
  3: apply (hoeffding_inequality_lower send xs u P N (Rlt_le _ _ U)).
  all: intros y; rewrite !Rleb_true, E; lra.
Qed.

Definition row_hoeffding_bound : Prop :=
  forall (n : nat) (g t : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < t ->
  let answers := messages (one_message (survey_randomizer g)) xs in
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  Pr answers (fun y => Rleb t (Rabs (estimate y - INR (ones xs)))) <= 2 * exp (- (8 * g ^ 2 * t ^ 2 / INR n)) /\
  Pr answers (fun y => Rleb t (Rabs (estimate y / INR n - INR (ones xs) / INR n)))
    <= 2 * exp (- (8 * g ^ 2 * INR n * t ^ 2)).

Theorem row_hoeffding_bound_holds : row_hoeffding_bound.
Proof.
  intros n g t xs Hn Hg L Ht. split.
  - apply (hoeffding_bound n g t xs Hg Hn L). lra.
  - apply (hoeffding_bound_mean n g t xs Hg Hn L). lra.
Qed.

Definition row_hoeffding_radius : Prop :=
  forall (n : nat) (g delta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < delta < 1 ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (Rabs (estimate y - INR (ones xs))) (sqrt (INR n * ln (2 / delta) / 8) / g)).

Theorem row_hoeffding_radius_holds : row_hoeffding_radius.
Proof. intros n g delta xs Hn Hg L Hd. apply (hoeffding_radius n g delta xs Hg Hn L Hd). Qed.

Definition row_hoeffding_bound_printed : Prop := ~ (
  forall (n : nat) (g t : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < t ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  Pr (messages (one_message (survey_randomizer g)) xs) (fun y => Rleb t (Rabs (estimate y - INR (ones xs))))
  <= 2 * exp (-2 * INR n * t ^ 2)).

Theorem row_hoeffding_bound_printed_holds : row_hoeffding_bound_printed.
Proof.
  intros H. assert (F := hoeffding_bound_fails false).
  specialize (H 1%nat (1 / 8) (3 / 2) [false] (le_n 1) ltac:(lra) eq_refl ltac:(lra)). cbv zeta beta in H.
  apply Rle_not_lt in H. apply H, F.
Qed.

Definition row_hoeffding_radius_printed : Prop := ~ (
  forall (n : nat) (g delta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < delta < 1 ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rleb (Rabs (estimate y - INR (ones xs))) (sqrt (ln (1 / delta) / (2 * INR n))))).

Theorem row_hoeffding_radius_printed_holds : row_hoeffding_radius_printed.
Proof.
  intros H. assert (F := proj1 (hoeffding_radius_fails false) (1 / 2) ltac:(lra)).
  specialize (H 1%nat (1 / 8) (1 / 2) [false] (le_n 1) ltac:(lra) eq_refl ltac:(lra)). cbv zeta beta in H.
  cbv zeta beta in F. unfold survey_estimate in F. rewrite F in H. lra.
Qed.

Definition row_hoeffding_radius_printed_logarithm : Prop := ~ (
  forall (n : nat) (g delta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < delta < 1 ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rleb (Rabs (estimate y - INR (ones xs))) (sqrt (INR n * ln (1 / delta) / 8) / g))).

Theorem row_hoeffding_radius_printed_logarithm_holds : row_hoeffding_radius_printed_logarithm.
Proof.
  intros H. assert (F := proj2 (hoeffding_radius_fails false)).
  specialize (H 1%nat (1 / 8) (7 / 8) [false] (le_n 1) ltac:(lra) eq_refl ltac:(lra)). cbv zeta beta in H.
  cbv zeta beta in F. unfold survey_estimate in F. rewrite F in H. lra.
Qed.

Definition row_hoeffding_rate_printed : Prop := ~ (
  forall g : R, 0 < g < 1 / 2 ->
  exists C : R, forall (n : nat) (xs : list bool), (1 <= n)%nat -> length xs = n ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  9 / 10 <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rleb (Rabs (estimate y - INR (ones xs))) (C / sqrt (INR n)))).

Theorem row_hoeffding_rate_printed_holds : row_hoeffding_rate_printed.
Proof.
  intros H. assert (G : 0 < 1 / 4 < 1 / 2) by lra. destruct (H (1 / 4) G) as [C HC]. clear H.
  set (D := Rmax 1 C). assert (D1 := Rmax_l 1 C). assert (D2 := Rmax_r 1 C). fold D in D1, D2.
  destruct (Rcomplements.nfloor_ex ((4 * (1 / 4) * D) ^ 2) (pow2_ge_0 _)) as [m [_ Hn]].
  rewrite <- S_INR in Hn. set (n := S m) in *.
  assert (N : (1 <= n)%nat) by (unfold n; lia).
  set (xs := repeat false n). assert (L : length xs = n) by apply repeat_length.
  specialize (HC n xs N L). cbv zeta beta in HC.
  assert (F := no_faster_rate n (1 / 4) D xs G N L ltac:(lra) Hn).
  assert (W : proper (messages (one_message (survey_randomizer (1 / 4))) xs))
    by (apply proper_messages; intros; apply proper_one_message, proper_survey_randomizer, G).
  assert (Q : 0 < sqrt (INR n)) by (apply sqrt_lt_R0, lt_0_INR; lia).
  set (answers := messages _ xs) in *.
  set (near := fun y => Rleb _ (C / sqrt (INR n))) in HC. set (far := fun y => Rltb (D / sqrt (INR n)) _) in F.
  assert (X : Pr answers near <= Pr answers (fun y => negb (far y))).
  { apply Pr_le; [exact W |]. intros y Hy. unfold near in Hy. apply Rleb_true in Hy. unfold far.
    apply Bool.negb_true_iff, Bool.not_true_is_false. rewrite Rltb_true. unfold survey_estimate.
    assert (C / sqrt (INR n) <= D / sqrt (INR n))
      by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Q | exact D2]). lra. }
  assert (Y : Pr answers (fun y => negb (far y)) = 1 - Pr answers far).
  { rewrite <- (Pr_all answers W). unfold Pr. rewrite <- mean_minus. apply mean_ext. intros y.
    unfold indicator. destruct (far y); simpl; ring. }
  lra.
Qed.

Definition row_hoeffding_rate_mean : Prop :=
  forall (n : nat) (g delta : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < delta < 1 ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 - delta <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (Rabs (estimate y / INR n - INR (ones xs) / INR n))
                   (sqrt (ln (2 / delta) / (8 * INR n)) / g)).

Theorem row_hoeffding_rate_mean_holds : row_hoeffding_rate_mean.
Proof. intros n g delta xs Hn Hg L Hd. apply (mean_radius n g delta xs Hg Hn L Hd). Qed.

Definition row_hoeffding_no_faster_rate : Prop :=
  forall (n : nat) (g C : R) (xs : list bool),
  (1 <= n)%nat -> 0 < g < 1 / 2 -> length xs = n -> 0 < C -> (4 * g * C) ^ 2 < INR n ->
  let estimate y := (INR (ones y) - (1 / 2 - g) * INR n) / (2 * g) in
  1 / 2 - g <= Pr (messages (one_message (survey_randomizer g)) xs)
    (fun y => Rltb (C / sqrt (INR n)) (Rabs (estimate y - INR (ones xs)))).

Theorem row_hoeffding_no_faster_rate_holds : row_hoeffding_no_faster_rate.
Proof. intros n g C xs Hn Hg L HC H. apply (no_faster_rate n g C xs Hg Hn L HC H). Qed.

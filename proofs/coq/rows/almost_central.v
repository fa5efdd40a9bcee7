(** The rows of proofs/almost_central.py: sums of integers in almost one message. *)

From Coq Require Import Reals List Arith ZArith Lra Lia FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses infinite_sums countable_programs geometric_noise.
From Exactdp Require Import negative_binomial_mean logarithm fixed_point exponential_fixed_point.
From Exactdp Require Import bundled_noise zero_sum_multisets almost_central almost_central_messages.
From Exactdp Require Import almost_central_width.
Import ListNotations.
Open Scope R_scope.

(** The same protocol with a larger eps and delta. *)
Lemma countable_dp_weaken {X M} n (R : X -> list M -> Rdefinitions.R) (eps delta eps' delta' : Rdefinitions.R) :
  (forall x, law (R x)) -> eps <= eps' -> delta <= delta' -> countable_dp n R eps delta -> countable_dp n R eps' delta'.
Proof.
  intros L E D H xs ys Near Len T Sym. eapply Rle_trans; [apply (H xs ys Near Len T Sym) |].
  apply Rplus_le_compat; [| exact D]. apply Rmult_le_compat_r; [| apply exp_le, E].
  apply (expectation_bounds (sent R ys) (sent_law R ys L)). intros u. unfold indicator. destruct (T u); lra.
Qed.

(** Every width that is wide enough. *)
Lemma enough_width (n Delta Gamma : nat) (eps delta share p r1 q1 : R) (r q : nat -> R) (G W1 W2 : nat -> R)
  (V : nat -> nat -> R) :
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps -> 0 < delta <= 1 -> 0 < share < 1 ->
  (forall x, (x <= Delta)%nat -> (2 * spread x <= 3 * Z.of_nat Gamma)%Z) ->
  let each := Rmin 1 (share * eps) / 2 in
  exp (- ((1 - share) * eps / INR Delta)) <= p < 1 ->
  3 * (1 + ln (2 / delta)) <= r1 -> exp (- (each / (5 * INR Delta))) <= q1 < 1 ->
  (forall i, (2 <= i <= Delta)%nat -> 3 * (1 + ln (2 * (2 * INR Delta - 1) / delta)) <= r i) ->
  (forall i, (2 <= i <= Delta)%nat -> exp (- (each / (10 * INR (sides Gamma i)))) <= q i < 1) ->
  is_negative_binomial (1 / INR n) p G -> is_negative_binomial (r1 / INR n) q1 W1 -> law W2 ->
  (forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r i / INR n) (q i) (V i)) ->
  countable_dp n (almost_central Delta G W1 W2 V) eps delta.
Proof.
  intros Hn HD He Hd Hs Wide each Hp Hr1 Hq1 Hr Hq NG N1 L2 NV.
  assert (D1 : 1 <= INR Delta) by (change 1 with (INR 1); apply le_INR, HD).
  assert (SE : 0 < share * eps) by (apply Rmult_lt_0_compat; lra).
  assert (Each : 0 < each <= 1 / 2 /\ 2 * each <= share * eps).
  { unfold each. assert (A := Rmin_l 1 (share * eps)). assert (B := Rmin_r 1 (share * eps)).
    assert (C : 0 < Rmin 1 (share * eps)) by (apply Rmin_glb_lt; lra). lra. }
  set (b1 := delta / 2). set (b2 := delta / (2 * (2 * INR Delta - 1))).
  assert (B1 : 0 < b1 <= 1) by (unfold b1; lra).
  assert (B2 : 0 < b2 <= 1).
  { unfold b2. split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_reg_r with (2 * (2 * INR Delta - 1)); [lra |].
    replace (delta / (2 * (2 * INR Delta - 1)) * (2 * (2 * INR Delta - 1))) with delta by (field; lra). lra. }
  replace (2 / delta) with (1 / b1) in Hr1 by (unfold b1; field; lra).
  assert (R2 : forall i, (2 <= i <= Delta)%nat -> 3 * (1 + ln (1 / b2)) <= r i).
  { intros i Hi. specialize (Hr i Hi). replace (1 / b2) with (2 * (2 * INR Delta - 1) / delta)
      by (unfold b2; field; lra).
    exact Hr. }
  assert (K1 := log_of_inverse b1 B1). assert (K2 := log_of_inverse b2 B2).
  assert (LV : forall i, (2 <= i <= Delta)%nat -> law (V i)) by (intros i Hi; apply (NV i Hi)).
  apply (countable_dp_weaken n _ ((1 - share) * eps + each + each) (b1 + 2 * INR (Delta - 1) * b2)).
  - intros x. apply with_noise_law. constructor; [apply NG | constructor; [apply NG |]].
    apply cancelling_laws; [apply N1 | exact L2 | exact LV].
  - lra.
  - rewrite minus_INR by exact HD. change (INR 1) with 1. unfold b1, b2.
    apply Rmult_le_reg_r with (2 * (2 * INR Delta - 1)); [lra |].
    replace ((delta / 2 + 2 * (INR Delta - 1) * (delta / (2 * (2 * INR Delta - 1)))) * (2 * (2 * INR Delta - 1))) with
      (delta * (4 * INR Delta - 3)) by (field; lra).
    apply Rmult_le_compat_l; lra.
  - apply (almost_central_private n Delta Gamma ((1 - share) * eps) each each b1 b2 p r1 q1 r q (sides Gamma));
      try assumption; try lra.
    + apply Rmult_lt_0_compat; lra.
    + intros i Hi. specialize (R2 i Hi). lra.
    + intros i Hi. apply sides_enough. lia.
Qed.

(* W1 and W2 are both numbers of pairs 1, -1; p, r1, r2 and all q are the constants, or larger, as rounding up makes
   them; ceil is the least integer that is at least ln Delta, and a width of at least Delta (ceil + 1) is the
   printed one, or larger. *)
Definition row_almost_central_privacy : Prop :=
  forall (n Delta Gamma ceil : nat) (eps delta share p r1 r2 q1 q2 : R) (q : nat -> R) (G W1 W2 : nat -> R)
    (V : nat -> nat -> R),
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps -> 0 < delta <= 1 -> 0 < share < 1 ->
  INR ceil - 1 < ln (INR Delta) <= INR ceil -> (Delta * (ceil + 1) <= Gamma)%nat ->
  let each := Rmin 1 (share * eps) / 2 in
  let t i := ((Gamma + i - 1) / i)%nat in
  exp (- ((1 - share) * eps / INR Delta)) <= p < 1 ->
  3 * (1 + ln (2 / delta)) <= r1 -> exp (- (each / (5 * INR Delta))) <= q1 < 1 ->
  3 * (1 + ln (2 * (2 * INR Delta - 1) / delta)) <= r2 -> exp (- (each / (10 * INR (t 1%nat)))) <= q2 < 1 ->
  (forall i, (2 <= i <= Delta)%nat -> exp (- (each / (10 * INR (t i)))) <= q i < 1) ->
  is_negative_binomial (1 / INR n) p G ->
  is_negative_binomial (r1 / INR n) q1 W1 -> is_negative_binomial (r2 / INR n) q2 W2 ->
  (forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r2 / INR n) (q i) (V i)) ->
  countable_dp n (almost_central Delta G W1 W2 V) eps delta.

Theorem row_almost_central_privacy_holds : row_almost_central_privacy.
Proof.
  intros n Delta Gamma ceil eps delta share p r1 r2 q1 q2 q G W1 W2 V Hn HD He Hd Hs Hc HG each t Hp Hr1 Hq1 Hr2 Hq2 Hq
    NG N1 N2 NV.
  apply (enough_width n Delta Gamma eps delta share p r1 q1 (fun _ => r2) q); try assumption.
  - intros x Hx. apply (printed_width Delta ceil); try assumption. apply Hc.
  - intros i _. exact Hr2.
  - apply N2.
Qed.

(* Of the multisets that write x there are coefficient x i of i, or so many less than none. *)
Definition row_almost_central_printed_width : Prop :=
  forall (Delta ceil : nat), (1 <= Delta)%nat -> INR ceil - 1 < ln (INR Delta) <= INR ceil ->
  let Gamma := (Delta * (ceil + 1))%nat in
  (forall (n : nat) (eps delta share p r1 r2 q1 q2 : R) (q : nat -> R) (G W1 W2 : nat -> R) (V : nat -> nat -> R),
    (1 <= n)%nat -> 0 < eps -> 0 < delta <= 1 -> 0 < share < 1 ->
    let each := Rmin 1 (share * eps) / 2 in
    let t i := ((Gamma + i - 1) / i)%nat in
    exp (- ((1 - share) * eps / INR Delta)) <= p < 1 ->
    3 * (1 + ln (2 / delta)) <= r1 -> exp (- (each / (5 * INR Delta))) <= q1 < 1 ->
    3 * (1 + ln (2 * (2 * INR Delta - 1) / delta)) <= r2 -> exp (- (each / (10 * INR (t 1%nat)))) <= q2 < 1 ->
    (forall i, (2 <= i <= Delta)%nat -> exp (- (each / (10 * INR (t i)))) <= q i < 1) ->
    is_negative_binomial (1 / INR n) p G ->
    is_negative_binomial (r1 / INR n) q1 W1 -> is_negative_binomial (r2 / INR n) q2 W2 ->
    (forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r2 / INR n) (q i) (V i)) ->
    countable_dp n (almost_central Delta G W1 W2 V) eps delta) /\
  (forall x m, (x <= Delta)%nat -> combined Delta (coefficient x) m = counts (own x) m) /\
  (Delta = 17%nat \/ (65 <= Delta)%nat -> exists x, (x <= Delta)%nat /\
    (Z.of_nat Gamma < sum_to Delta (fun i => i * (Z.abs (coefficient x i) + Z.abs (coefficient x (- i)))))%Z).

Theorem row_almost_central_printed_width_holds : row_almost_central_printed_width.
Proof.
  intros Delta ceil HD Hc Gamma. split; [| split].
  - intros n eps delta share p r1 r2 q1 q2 q G W1 W2 V Hn He Hd Hs each t Hp Hr1 Hq1 Hr2 Hq2 Hq NG N1 N2 NV.
    apply (row_almost_central_privacy_holds n Delta Gamma ceil eps delta share p r1 r2 q1 q2 q); auto.
  - intros x m. apply written.
  - intros H. exists Delta. split; [lia |]. apply width_below_spread; [exact H | apply Hc].
Qed.

(* p, r1, r2, q1 and q2 are the constants for eps = 1 and half of it for the noise that cancels, or larger. *)
Definition row_almost_central_bits : Prop :=
  forall (n : nat) (p r1 r2 q1 q2 : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R),
  let delta := 1 / 10 ^ 6 in
  (1 <= n)%nat -> exp (- (1 / 2)) <= p < 1 ->
  3 * (1 + ln (2 / delta)) <= r1 -> exp (- (1 / 20)) <= q1 < 1 ->
  3 * (1 + ln (2 / delta)) <= r2 -> exp (- (1 / 40)) <= q2 < 1 ->
  is_negative_binomial (1 / INR n) p G ->
  is_negative_binomial (r1 / INR n) q1 W1 -> is_negative_binomial (r2 / INR n) q2 W2 ->
  countable_dp n (almost_central 1 G W1 W2 V) 1 delta.

Theorem row_almost_central_bits_holds : row_almost_central_bits.
Proof.
  intros n p r1 r2 q1 q2 G W1 W2 V delta Hn Hp Hr1 Hq1 Hr2 Hq2 NG N1 N2.
  assert (M : Rmin 1 (1 / 2 * 1) = 1 / 2) by (rewrite Rmin_right; lra).
  apply (enough_width n 1 1 1 delta (1 / 2) p r1 q1 (fun _ => r2) (fun _ => q2)); try assumption; try lia; try lra.
  - unfold delta. split; [apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra] | simpl; lra].
  - intros x Hx. rewrite spread_small by exact Hx. lia.
  - change (INR 1) with 1. replace ((1 - 1 / 2) * 1 / 1) with (1 / 2) by field. exact Hp.
  - change (INR 1) with 1. rewrite M. replace (1 / 2 / 2 / (5 * 1)) with (1 / 20) by field. exact Hq1.
  - apply N2.
Qed.

(* The number z of the error of the sum of all messages has the mass of discrete Laplace noise of e^eps = 1/p. *)
Definition row_almost_central_error : Prop :=
  forall (n Delta : nat) (p : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R) (xs : list nat),
  (1 <= n)%nat -> 0 < p < 1 -> length xs = n -> (forall x, In x xs -> (x <= Delta)%nat) ->
  is_negative_binomial (1 / INR n) p G -> law W1 -> law W2 -> (forall i, (2 <= i <= Delta)%nat -> law (V i)) ->
  let error u := (fold_right Z.add 0 u - Z.of_nat (list_sum xs))%Z in
  let P T := expectation (sent (almost_central Delta G W1 W2 V) xs) (indicator T) in
  (forall z, P (fun u => Z.eqb (error u) z) = (1 - p) / (1 + p) * p ^ Z.abs_nat z) /\
  (exp (- (1 / 2)) <= p <= exp (- (1 / 2)) + 1 / 2 ^ 53 ->
    P (fun u => Z.ltb 6 (Z.abs (error u))) <= 1 / 20 < P (fun u => Z.ltb 5 (Z.abs (error u)))).

Lemma half_power : 6 / 10 <= exp (- (1 / 2)) <= 608 / 1000.
Proof.
  assert (H := exp_enclosed 16 (- two 15) (- two 15) (- (1 / 2)) ltac:(rewrite opp_IZR, IZR_two; lra)).
  vm_compute (exp_bounds _ _) in H. cbn [fst snd] in H. lra.
Qed.

Lemma sum_not_clipped Delta xs : (forall x, In x xs -> (x <= Delta)%nat) ->
  counting_programs.clipped_sum Delta xs = list_sum xs.
Proof.
  intros H. induction xs as [| x xs IH]; [reflexivity |]. assert (X := H x (or_introl eq_refl)).
  change (Nat.min x Delta + counting_programs.clipped_sum Delta xs = x + list_sum xs)%nat.
  rewrite IH by (intros y Y; apply H; right; exact Y). lia.
Qed.

Theorem row_almost_central_error_holds : row_almost_central_error.
Proof.
  intros n Delta p G W1 W2 V xs Hn Hp Len Hx NG L1 L2 LV error P. unfold P, error.
  rewrite <- (sum_not_clipped Delta xs Hx).
  split.
  - intros z. apply (almost_central_error n Delta p G W1 W2 V xs z); assumption.
  - intros [Lo Up]. destruct half_power as [A B]. assert (Q : p <= 61 / 100).
    { eapply Rle_trans; [exact Up |]. replace (1 / 2 ^ 53) with (/ 2 ^ 53) by (unfold Rdiv; ring).
      assert (/ 2 ^ 53 <= / 2 ^ 10); [| assert (/ 2 ^ 10 <= 2 / 1000) by (simpl; lra); lra].
      apply Rinv_le_contravar; [apply pow_lt; lra | apply Rle_pow; [lra | lia]]. }
    assert (Tail : forall k : nat, (1 <= k)%nat -> expectation (sent (almost_central Delta G W1 W2 V) xs)
      (indicator (fun u =>
        Z.ltb (Z.of_nat k - 1) (Z.abs (added u - Z.of_nat (counting_programs.clipped_sum Delta xs))))) =
      2 * p ^ k / (1 + p)).
    { intros k Hk. rewrite <- (almost_central_tail n Delta p G W1 W2 V xs k Hn Hp Len NG L1 L2 LV Hk). f_equal.
      apply functional_extensionality. intros u. unfold indicator.
      destruct (Z.ltb_spec (Z.of_nat k - 1) (Z.abs (added u - Z.of_nat (counting_programs.clipped_sum Delta xs)))),
        (Z.leb_spec (Z.of_nat k) (Z.abs (added u - Z.of_nat (counting_programs.clipped_sum Delta xs))));
          lia || reflexivity. }
    assert (T7 := Tail 7%nat ltac:(lia)). assert (T6 := Tail 6%nat ltac:(lia)).
    change (Z.of_nat 7 - 1)%Z with 6%Z in T7. change (Z.of_nat 6 - 1)%Z with 5%Z in T6. unfold added in T6, T7.
    rewrite T6, T7. assert (P7 : p ^ 7 <= (61 / 100) ^ 7) by (apply pow_incr; lra).
    assert (P6 : (6 / 10) ^ 6 <= p ^ 6) by (apply pow_incr; lra). split.
    + apply Rmult_le_reg_r with (1 + p); [lra |]. replace (2 * p ^ 7 / (1 + p) * (1 + p)) with (2 * p ^ 7)
        by (field; lra).
      assert ((61 / 100) ^ 7 <= 4 / 100) by (simpl; lra). lra.
    + apply Rmult_lt_reg_r with (1 + p); [lra |]. replace (2 * p ^ 6 / (1 + p) * (1 + p)) with (2 * p ^ 6)
        by (field; lra).
      assert (45 / 1000 <= (6 / 10) ^ 6) by (simpl; lra). lra.
Qed.

(* m is the mean number of messages of a user with the number x. *)
Definition row_almost_central_messages : Prop :=
  forall (n Delta Gamma x : nat) (e0 e1 e2 r1 r2 : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R),
  let t i := ((Gamma + i - 1) / i)%nat in
  (1 <= n)%nat -> (1 <= Delta)%nat -> (1 <= Gamma)%nat -> 0 < e0 -> 0 < e1 -> 0 < e2 -> 0 < r1 -> 0 < r2 ->
  is_negative_binomial (1 / INR n) (exp (- (e0 / INR Delta))) G ->
  is_negative_binomial (r1 / INR n) (exp (- (e1 / (5 * INR Delta)))) W1 ->
  is_negative_binomial (r2 / INR n) (exp (- (e2 / (10 * INR (t 1%nat))))) W2 ->
  (forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r2 / INR n) (exp (- (e2 / (10 * INR (t i))))) (V i)) ->
  exists m, sum_of (fun u => almost_central Delta G W1 W2 V x u * INR (length u)) m /\
  m <= 1 + (2 * INR Delta / e0 + 10 * r1 * INR Delta / e1 +
    20 * r2 * (INR Gamma * (1 + 3 * ln (INR Delta)) + 3 * INR Delta) / e2) / INR n.

Theorem row_almost_central_messages_holds : row_almost_central_messages.
Proof.
  intros n Delta Gamma x e0 e1 e2 r1 r2 G W1 W2 V t Hn HD HG He0 He1 He2 Hr1 Hr2 NG N1 N2 NV.
  replace (t 1%nat) with Gamma in N2 by (unfold t; rewrite Nat.add_sub, Nat.div_1_r; reflexivity).
  apply (almost_central_few_messages n Delta Gamma x e0 e1 e2 r1 r2 G W1 W2 V); assumption.
Qed.

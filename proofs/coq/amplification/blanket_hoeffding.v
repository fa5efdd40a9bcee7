(** Hoeffding's closed form of the bound of a blanket.

    Let c be a reference with weights >= 0 and the sum gamma, 0 < gamma <= 1, with the law omega = c / gamma; V a real
    value of its outcomes, and L = gamma V. If E_omega[L] = -a with a > 0 and all values of L that have a probability
    lie in [lo, hi], b = hi - lo > 0, then for every integer n >= 1 the [mean_excess] of n independent values, V of a
    draw of c, or 0 with what c lacks to 1, is at most 1/e times

      [hoeffding_bound] n gamma a b = (b^2 / (4a)) / (gamma n) (1 - gamma (1 - e^(-2 a^2 / b^2)))^n

    ([values_hoeffding]); the factor 1/e is not in the published form. For gamma = 1, a law of real numbers, it is
    [mean_excess_hoeffding]. For proper laws P and Q of what a user sends, a reference c that draws every outcome of
    both, and real E > 1, the values L = gamma (P - E Q) / c have a = E - 1; with their range the [reference_bound] of
    blanket.v is at most [hoeffding_bound] ([reference_hoeffding]).

    Idea: e^(rx) lies below its chord over [lo, hi], so the moment is at most e^(-r a + r^2 b^2 / 8); r = 4a / b^2.

    Source: BalleBellGasconNissim2019, section 5; Hoeffding 1963. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick independence hoeffding.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous blanket_moments.
Import ListNotations.
Open Scope R_scope.

(** ** The moment *)

Lemma exp_below_tangent x y : exp x * (1 + (y - x)) <= exp y.
Proof.
  replace y with (x + (y - x)) at 2 by ring. rewrite exp_plus.
  apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
Qed.

Lemma exp_below_chord r lo hi x :
  lo <= x <= hi -> (hi - lo) * exp (r * x) <= (hi - x) * exp (r * lo) + (x - lo) * exp (r * hi).
Proof.
  intros [H1 H2]. assert (A := exp_below_tangent (r * x) (r * lo)). assert (B := exp_below_tangent (r * x) (r * hi)).
  apply (Rmult_le_compat_l (hi - x)) in A; [| lra]. apply (Rmult_le_compat_l (x - lo)) in B; [| lra].
  eapply Rle_trans; [| apply (Rplus_le_compat _ _ _ _ A B)]. right. ring.
Qed.

Lemma hoeffding_moment {A} (d : dist A) (L : A -> R) lo hi r :
  proper d -> lo < hi -> (forall a, covered d a -> lo <= L a <= hi) ->
  mean d (fun a => exp (r * L a)) <= exp (r * mean d L + r ^ 2 * (hi - lo) ^ 2 / 8).
Proof.
  intros Hd Hb HL. set (m := mean d L). set (b := hi - lo). assert (Pb : 0 < b) by (unfold b; lra).
  assert (Lo : lo <= m).
  { rewrite <- (mean_const d lo Hd). apply (mean_le_covered d _ _ (proj1 Hd)). intros a Ca. apply HL, Ca. }
  assert (Hi : m <= hi).
  { rewrite <- (mean_const d hi Hd). apply (mean_le_covered d _ _ (proj1 Hd)). intros a Ca. apply HL, Ca. }
  assert (C : b * mean d (fun a => exp (r * L a)) <= (hi - m) * exp (r * lo) + (m - lo) * exp (r * hi)).
  { rewrite <- mean_scal.
    assert (Sum : mean d (fun a => (hi - L a) * exp (r * lo) + (L a - lo) * exp (r * hi)) =
      (hi - m) * exp (r * lo) + (m - lo) * exp (r * hi)).
    { rewrite mean_plus, !mean_scal_r, !mean_minus, !mean_const by exact Hd. reflexivity. }
    rewrite <- Sum. apply (mean_le_covered d _ _ (proj1 Hd)). intros a Ca. apply exp_below_chord, HL, Ca. }
  assert (P : 0 <= (m - lo) / b <= 1).
  { split; [apply Rle_mult_inv_pos; lra |]. apply Rmult_le_reg_r with b; [exact Pb |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold b. lra. }
  assert (H := hoeffding_lemma ((m - lo) / b) (r * b) P).
  apply (Rmult_le_compat_l (exp (r * lo))) in H; [| left; apply exp_pos].
  apply Rmult_le_reg_l with b; [exact Pb |]. eapply Rle_trans; [exact C |].
  replace ((hi - m) * exp (r * lo) + (m - lo) * exp (r * hi)) with
    (b * (exp (r * lo) * (1 - (m - lo) / b + (m - lo) / b * exp (r * b)))).
  - apply Rmult_le_compat_l; [lra |]. eapply Rle_trans; [exact H |]. right. rewrite <- exp_plus. f_equal. field. lra.
  - replace (r * hi) with (r * lo + r * b) by (unfold b; ring). rewrite exp_plus. unfold b in *. field. lra.
Qed.

(** At r = 4a / b^2. *)
Lemma hoeffding_best_moment {A} (d : dist A) (L : A -> R) lo hi a :
  proper d -> lo < hi -> (forall v, covered d v -> lo <= L v <= hi) -> mean d L = - a ->
  mean d (fun v => exp (4 * a / (hi - lo) ^ 2 * L v)) <= exp (-2 * a ^ 2 / (hi - lo) ^ 2).
Proof.
  intros Hd Hb HL Ha. eapply Rle_trans; [apply (hoeffding_moment d L lo hi _ Hd Hb HL) |].
  right. f_equal. rewrite Ha. field. lra.
Qed.

(** ** The closed form *)

Definition hoeffding_bound (n : nat) (gamma a b : R) : R :=
  b ^ 2 / (4 * a) / (gamma * INR n) * (1 - gamma * (1 - exp (-2 * a ^ 2 / b ^ 2))) ^ n.

Theorem mean_excess_hoeffding (d : dist R) n lo hi a :
  proper d -> (1 <= n)%nat -> lo < hi -> (forall v, covered d v -> lo <= v <= hi) ->
  mean d (fun v => v) = - a -> 0 < a ->
  mean_excess n d <= (hi - lo) ^ 2 / (4 * a) / INR n * exp (-2 * a ^ 2 / (hi - lo) ^ 2) ^ n / exp 1.
Proof.
  intros Hd Hn Hb HL Ha Pa. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia). assert (Pe := exp_pos 1).
  assert (Pr : 0 < 4 * a / (hi - lo) ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra]).
  eapply Rle_trans; [apply (mean_excess_moment d n _ Hd Pr) |].
  assert (M := hoeffding_best_moment d (fun v => v) lo hi a Hd Hb HL Ha).
  assert (M0 : 0 <= mean d (fun v => exp (4 * a / (hi - lo) ^ 2 * v)))
    by (apply mean_nonneg; [exact Hd | intros; left; apply exp_pos]).
  assert (Q := pow_incr _ _ n (conj M0 M)).
  replace ((hi - lo) ^ 2 / (4 * a) / INR n * exp (-2 * a ^ 2 / (hi - lo) ^ 2) ^ n / exp 1) with
    (exp (-2 * a ^ 2 / (hi - lo) ^ 2) ^ n / (exp 1 * (4 * a / (hi - lo) ^ 2)) / INR n) by (field; repeat split; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pn |].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption | exact Q].
Qed.

Theorem values_hoeffding {A} (c : dist A) value n lo hi a :
  sub_law c -> 0 < weight c <= 1 -> (1 <= n)%nat -> lo < hi ->
  (forall v, covered c v -> lo <= weight c * value v <= hi) -> mean c value = - a -> 0 < a ->
  mean_excess n (values c value) <= hoeffding_bound n (weight c) a (hi - lo) / exp 1.
Proof.
  intros Hc W Hn Hb HL Ha Pa. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia). assert (Pe := exp_pos 1).
  assert (Pr : 0 < 4 * a / (hi - lo) ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt; lra]).
  assert (M : mean (blanket_law c) (fun v => exp (4 * a / (hi - lo) ^ 2 * (weight c * value v))) <=
    exp (-2 * a ^ 2 / (hi - lo) ^ 2)).
  { apply (hoeffding_best_moment (blanket_law c) (fun v => weight c * value v) lo hi a).
    - apply proper_blanket_law; [exact Hc | apply W].
    - exact Hb.
    - intros v C. apply HL, covered_blanket_law, C.
    - rewrite mean_blanket_law, mean_scal, Ha. field. lra. }
  eapply Rle_trans; [apply (moment_bound c value n _ _ Hc W Hn Pr M) |]. unfold hoeffding_bound.
  set (t := exp (-2 * a ^ 2 / (hi - lo) ^ 2)).
  replace ((hi - lo) ^ 2 / (4 * a) / (weight c * INR n) * (1 - weight c * (1 - t)) ^ n / exp 1) with
    ((1 - weight c * (1 - t)) ^ n / (exp 1 * (4 * a / (hi - lo) ^ 2) * weight c * INR n))
    by (field; repeat split; lra).
  apply Rmult_le_compat_r.
  - left. apply Rinv_0_lt_compat. repeat (apply Rmult_lt_0_compat; [| lra]). exact Pe.
  - assert (0 <= (1 - weight c) ^ n) by (apply pow_le; lra). lra.
Qed.

(** What is not negative is also at most e times such a bound. *)
Lemma times_e x bound : 0 <= x -> x <= bound / exp 1 -> x <= bound.
Proof.
  intros H L. assert (E := exp_ineq1_le 1). assert (P := exp_pos 1). apply (Rmult_le_compat_r (exp 1)) in L; [| lra].
  unfold Rdiv in L. rewrite Rmult_assoc, Rinv_l in L by lra. nra.
Qed.

Theorem reference_hoeffding {A} (P Q c : dist A) n E lo hi :
  proper P -> proper Q -> sub_law c -> weight c <= 1 -> covers_rows c P Q -> (1 <= n)%nat -> 1 < E -> lo < hi ->
  (forall m, covered c m -> lo <= weight c * value_against P Q E c m <= hi) ->
  reference_bound n P Q E c <= hoeffding_bound n (weight c) (E - 1) (hi - lo).
Proof.
  intros HP HQ Hc W1 C Hn HE Hb HL. destruct (covering_reference P Q c E HP HQ Hc C) as [U [M0 W]].
  assert (V := values_hoeffding c (value_against P Q E c) n lo hi (E - 1) Hc (conj W W1) Hn Hb HL
    ltac:(lra) ltac:(lra)).
  apply times_e in V; [| apply mean_excess_nonneg; assumption].
  unfold reference_bound. rewrite U, Rplus_0_l. exact V.
Qed.

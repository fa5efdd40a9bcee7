(** Bennett's closed form of the bound of a blanket.

    Let c be a reference with weights >= 0 and the sum gamma, 0 < gamma <= 1, with the law omega = c / gamma; V a real
    value of its outcomes, and L = gamma V. If E_omega[L] = -a with a > 0, no value of L that has a probability
    exceeds b > 0, and E_omega[L^2] <= s with s > 0, then for every integer n >= 1 the [mean_excess] of n independent
    values, V of a draw of c, or 0 with what c lacks to 1, is at most 1/e times

      [bennett_bound] n gamma a b s = (b / ln(1 + u)) / (gamma n) ((1 - gamma (1 - t))^n - (1 - gamma)^n),
      u = a b / s,    t = e^(-(s / b^2) ((1 + u) ln(1 + u) - u))

    ([values_bennett]); the factor 1/e is not in the published form. For gamma = 1, a law of real numbers, it is
    [mean_excess_bennett]. For proper laws P and Q of what a user sends, a reference c that draws every outcome of
    both, and real E > 1, the values L = gamma (P - E Q) / c have a = E - 1; with their bound and second moment the
    [reference_bound] of blanket.v is at most [bennett_bound] ([reference_bennett]).

    Idea: (e^y - 1 - y) / y^2 grows with y, so e^(r L) <= 1 + r L + (L / b)^2 (e^(rb) - 1 - rb); r = ln(1 + u) / b.

    Source: BalleBellGasconNissim2019, section 5; Bennett 1962. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous blanket_moments
  blanket_hoeffding.
Import ListNotations.
Open Scope R_scope.

(** ** The moment *)

Lemma nonneg_right_of_0 (f f1 f2 : R -> R) :
  (forall x, is_derive f x (f1 x)) -> (forall x, is_derive f1 x (f2 x)) ->
  f 0 = 0 -> f1 0 = 0 -> (forall x, 0 <= x -> 0 <= f2 x) -> forall x, 0 <= x -> 0 <= f x.
Proof.
  intros D1 D2 H H1 H2 x Hx.
  destruct (MVT_gen f 0 x f1) as [c [Hc E]].
  - intros; apply D1.
  - intros; apply continuity_pt_filterlim, (ex_derive_continuous f). eexists. apply D1.
  - rewrite Rmin_left, Rmax_right in Hc by exact Hx. destruct (MVT_gen f1 0 c f2) as [d [Hd E1]].
    + intros; apply D2.
    + intros; apply continuity_pt_filterlim, (ex_derive_continuous f1). eexists. apply D2.
    + rewrite Rmin_left, Rmax_right in Hd by lra.
      replace (f x) with (f2 d * (c * x)); [apply Rmult_le_pos; [apply H2; lra | apply Rmult_le_pos; lra] |].
      replace (f1 c) with (f2 d * c) in E by lra. lra.
Qed.

(** The remainder of e^y after its linear part. *)
Definition exp_remainder (y : R) : R := exp y - 1 - y.

Lemma exp_remainder_nonneg y : 0 <= exp_remainder y.
Proof. unfold exp_remainder. assert (X := exp_ineq1_le y). lra. Qed.

(** It grows at least like a square. *)
Lemma exp_remainder_scaled v z : v <= 1 -> 0 <= z -> exp_remainder (v * z) <= v ^ 2 * exp_remainder z.
Proof.
  intros Hv Hz.
  enough (0 <= v ^ 2 * (exp z - 1 - z) - (exp (v * z) - 1 - v * z)) by (unfold exp_remainder; lra).
  apply nonneg_right_of_0 with
    (f := fun z => v ^ 2 * (exp z - 1 - z) - (exp (v * z) - 1 - v * z))
    (f1 := fun z => v ^ 2 * (exp z - 1) - (v * exp (v * z) - v))
    (f2 := fun z => v ^ 2 * (exp z - exp (v * z))).
  - intros w. auto_derive; [exact I | ring].
  - intros w. auto_derive; [exact I | ring].
  - rewrite !Rmult_0_r, exp_0. ring.
  - rewrite !Rmult_0_r, exp_0. ring.
  - intros w Hw. apply Rmult_le_pos; [apply pow2_ge_0 |].
    assert (exp (v * w) <= exp w) by (apply exp_le; nra). lra.
  - exact Hz.
Qed.

Lemma bennett_moment {A} (d : dist A) (L : A -> R) b s r :
  proper d -> 0 < b -> 0 <= r -> (forall a, covered d a -> L a <= b) -> mean d (fun a => L a ^ 2) <= s ->
  mean d (fun a => exp (r * L a)) <= exp (r * mean d L + s / b ^ 2 * exp_remainder (r * b)).
Proof.
  intros Hd Hb Hr HL Hs. set (K := exp_remainder (r * b)). assert (PK : 0 <= K) by apply exp_remainder_nonneg.
  assert (Pb : 0 < b ^ 2) by (apply pow_lt, Hb).
  assert (Sum : mean d (fun a => 1 + (r * L a + K / b ^ 2 * L a ^ 2)) =
    1 + (r * mean d L + K / b ^ 2 * mean d (fun a => L a ^ 2))).
  { rewrite mean_plus, (mean_const d 1 Hd), mean_plus, !mean_scal. reflexivity. }
  apply Rle_trans with (mean d (fun a => 1 + (r * L a + K / b ^ 2 * L a ^ 2))).
  - apply (mean_le_covered d _ _ (proj1 Hd)). intros a Ca. specialize (HL a Ca).
    assert (V : L a / b <= 1).
    { apply Rmult_le_reg_r with b; [exact Hb |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (X := exp_remainder_scaled (L a / b) (r * b) V ltac:(apply Rmult_le_pos; lra)).
    replace (L a / b * (r * b)) with (r * L a) in X by (field; lra). fold K in X.
    replace ((L a / b) ^ 2 * K) with (K / b ^ 2 * L a ^ 2) in X by (field; lra).
    unfold exp_remainder in X. lra.
  - rewrite Sum. eapply Rle_trans; [| apply exp_ineq1_le].
    assert (K / b ^ 2 * mean d (fun a => L a ^ 2) <= K / b ^ 2 * s)
      by (apply Rmult_le_compat_l; [apply Rle_mult_inv_pos; assumption | exact Hs]).
    replace (s / b ^ 2 * K) with (K / b ^ 2 * s) by (field; lra). lra.
Qed.

(** At r = ln(1 + u) / b. *)
Lemma bennett_best_moment {A} (d : dist A) (L : A -> R) a b s :
  proper d -> 0 < a -> 0 < b -> 0 < s -> (forall v, covered d v -> L v <= b) ->
  mean d L = - a -> mean d (fun v => L v ^ 2) <= s ->
  let u := a * b / s in
  0 < ln (1 + u) / b /\
  mean d (fun v => exp (ln (1 + u) / b * L v)) <= exp (- (s / b ^ 2) * ((1 + u) * ln (1 + u) - u)).
Proof.
  intros Hd Pa Pb Ps HL Ha Hs u.
  assert (Pu : 0 < u) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption).
  assert (Pl : 0 < ln (1 + u)) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Pr : 0 < ln (1 + u) / b) by (apply Rdiv_lt_0_compat; assumption).
  split; [exact Pr |].
  eapply Rle_trans; [apply (bennett_moment d L b s _ Hd Pb (Rlt_le _ _ Pr) HL Hs) |].
  right. f_equal. unfold exp_remainder. replace (ln (1 + u) / b * b) with (ln (1 + u)) by (field; lra).
  rewrite exp_ln, Ha by lra. replace (- a) with (- (u * s / b)) by (unfold u; field; split; lra). field. lra.
Qed.

(** ** The closed form *)

Definition bennett_bound (n : nat) (gamma a b s : R) : R :=
  let u := a * b / s in
  let t := exp (- (s / b ^ 2) * ((1 + u) * ln (1 + u) - u)) in
  b / ln (1 + u) / (gamma * INR n) * ((1 - gamma * (1 - t)) ^ n - (1 - gamma) ^ n).

Theorem mean_excess_bennett (d : dist R) n a b s :
  proper d -> (1 <= n)%nat -> 0 < a -> 0 < b -> 0 < s -> (forall v, covered d v -> v <= b) ->
  mean d (fun v => v) = - a -> mean d (fun v => v ^ 2) <= s ->
  let u := a * b / s in
  mean_excess n d <= b / ln (1 + u) / INR n * exp (- (s / b ^ 2) * ((1 + u) * ln (1 + u) - u)) ^ n / exp 1.
Proof.
  intros Hd Hn Pa Pb Ps HL Ha Hs u. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia). assert (Pe := exp_pos 1).
  destruct (bennett_best_moment d (fun v => v) a b s Hd Pa Pb Ps HL Ha Hs) as [Pr M]. fold u in Pr, M.
  assert (Pl : 0 < ln (1 + u)) by (apply (Rmult_lt_compat_r b) in Pr; [| exact Pb];
    replace (ln (1 + u) / b * b) with (ln (1 + u)) in Pr by (field; lra); lra).
  eapply Rle_trans; [apply (mean_excess_moment d n _ Hd Pr) |].
  assert (M0 : 0 <= mean d (fun v => exp (ln (1 + u) / b * v)))
    by (apply mean_nonneg; [exact Hd | intros; left; apply exp_pos]).
  assert (Q := pow_incr _ _ n (conj M0 M)).
  set (t := exp (- (s / b ^ 2) * ((1 + u) * ln (1 + u) - u))) in *.
  replace (b / ln (1 + u) / INR n * t ^ n / exp 1) with (t ^ n / (exp 1 * (ln (1 + u) / b)) / INR n)
    by (field; repeat split; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pn |].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption | exact Q].
Qed.

Theorem values_bennett {A} (c : dist A) value n a b s :
  sub_law c -> 0 < weight c <= 1 -> (1 <= n)%nat -> 0 < a -> 0 < b -> 0 < s ->
  (forall v, covered c v -> weight c * value v <= b) -> mean c value = - a ->
  weight c * mean c (fun v => value v ^ 2) <= s ->
  mean_excess n (values c value) <= bennett_bound n (weight c) a b s / exp 1.
Proof.
  intros Hc W Hn Pa Pb Ps HL Ha Hs. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia). assert (Pe := exp_pos 1).
  destruct (bennett_best_moment (blanket_law c) (fun v => weight c * value v) a b s) as [Pr M].
  - apply proper_blanket_law; [exact Hc | apply W].
  - exact Pa.
  - exact Pb.
  - exact Ps.
  - intros v C. apply HL, covered_blanket_law, C.
  - rewrite mean_blanket_law, mean_scal, Ha. field. lra.
  - rewrite mean_blanket_law.
    rewrite (mean_ext c _ (fun v => weight c * weight c * value v ^ 2)) by (intros; ring). rewrite mean_scal.
    eapply Rle_trans; [right | exact Hs]. field. lra.
  - assert (Pl : 0 < ln (1 + a * b / s)) by (apply (Rmult_lt_compat_r b) in Pr; [| exact Pb];
      replace (ln (1 + a * b / s) / b * b) with (ln (1 + a * b / s)) in Pr by (field; lra); lra).
    eapply Rle_trans; [apply (moment_bound c value n _ _ Hc W Hn Pr M) |]. unfold bennett_bound. cbv zeta.
    right. field. repeat split; lra.
Qed.

Theorem reference_bennett {A} (P Q c : dist A) n E b s :
  proper P -> proper Q -> sub_law c -> weight c <= 1 -> covers_rows c P Q -> (1 <= n)%nat -> 1 < E -> 0 < b -> 0 < s ->
  (forall m, covered c m -> weight c * value_against P Q E c m <= b) ->
  weight c * mean c (fun m => value_against P Q E c m ^ 2) <= s ->
  reference_bound n P Q E c <= bennett_bound n (weight c) (E - 1) b s.
Proof.
  intros HP HQ Hc W1 C Hn HE Pb Ps HL Hs. destruct (covering_reference P Q c E HP HQ Hc C) as [U [M0 W]].
  assert (V := values_bennett c (value_against P Q E c) n (E - 1) b s Hc (conj W W1) Hn ltac:(lra) Pb Ps HL
    ltac:(lra) Hs).
  apply times_e in V; [| apply mean_excess_nonneg; assumption].
  unfold reference_bound. rewrite U, Rplus_0_l. exact V.
Qed.

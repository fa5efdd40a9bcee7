(** One-sided exponential noise: its least delta does not depend on eps; its mean and its variance.

    Y has the law Exp(lam), lam > 0, and c + Y the density lam e^(-lam (t - c)) at t >= c, and 0 below. A
    real query of sensitivity Df > 0 shows c + Y or d + Y for neighbours, abs(c - d) <= Df. The hockey-stick
    divergence at e^eps is the integral of max(0, p - e^eps q) over the line, p and q the densities: the least
    delta. All integrals are improper ones of Riemann.

    - [exponential_least_delta]: at every eps >= 0 it is 1 - e^(-lam Df) for c = 0, d = Df, and at most that
      for every c and d;
    - [exponential_moments]: the mean is 1/lam, the variance 1/lam^2.

    Idea: against d + Y, c < d, what is shown below d is lost, and beyond d the density is e^(-lam (d - c)),
    at most 1, times the other. In the other order the density is max(0, 1 - e^(eps - lam (c - d))) times
    that of c + Y. Both moments have antiderivatives, in which e^x >= x^3/6 bounds what is left.
    Source: this package. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums reals exponential.
Open Scope R_scope.

Definition exponential_density (lam c t : R) : R := if Rlt_dec t c then 0 else lam * exp (- lam * (t - c)).

Definition excess_density (lam eps c d t : R) : R :=
  Rmax 0 (exponential_density lam c t - exp eps * exponential_density lam d t).

(** ** Integrals by pieces *)

Lemma integral_of_nothing (f : R -> R) s t : s <= t -> (forall x, s < x < t -> f x = 0) -> is_RInt f s t 0.
Proof.
  intros L H. apply (is_RInt_ext (fun _ => 0)).
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by exact L. symmetry. apply H, Hx.
  - assert (I := is_RInt_const s t (zero : R)). unfold scal in I. simpl in I.
    unfold mult, zero in I. simpl in I. rewrite Rmult_0_r in I. exact I.
Qed.

(** A multiple of the density, from c on. *)
Lemma integral_of_density (f : R -> R) lam c k t :
  c <= t -> (forall x, c < x < t -> f x = k * exponential_density lam c x) ->
  is_RInt f c t (k * (1 - exp (- lam * (t - c)))).
Proof.
  intros L H. apply (is_RInt_ext (fun x => k * (lam * exp (- lam * (x - c))))).
  - intros x Hx. rewrite Rmin_left, Rmax_right in Hx by exact L. rewrite H by exact Hx.
    unfold exponential_density.
    destruct (Rlt_dec x c); lra.
  - replace (k * (1 - exp (- lam * (t - c))))
      with (minus (- k * exp (- lam * (t - c))) (- k * exp (- lam * (c - c)))).
    + apply (is_RInt_derive (fun x => - k * exp (- lam * (x - c)))).
      * intros x _. auto_derive; [exact I |]. unfold Rminus. ring.
      * intros x _. apply (ex_derive_continuous (fun x => k * (lam * exp (- lam * (x - c))))).
        auto_derive. exact I.
    + unfold minus, plus, opp. simpl. replace (- lam * (c - c)) with 0 by ring. rewrite exp_0. ring.
Qed.

(** Up to b and no further. *)
Lemma line_integral_up_to (f : R -> R) lam c b k :
  c <= b -> (forall x, x < c -> f x = 0) -> (forall x, c < x < b -> f x = k * exponential_density lam c x) ->
  (forall x, b < x -> f x = 0) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) (k * (1 - exp (- lam * (b - c)))).
Proof.
  intros L Z H W P HP.
  apply (Filter_prod _ _ _ (fun s => s < c) (fun t => b < t)); [exists c; auto | exists b; auto |].
  intros s t Hs Ht. simpl. exists (k * (1 - exp (- lam * (b - c)))). split; [| apply locally_singleton, HP].
  replace (k * (1 - exp (- lam * (b - c)))) with (plus (plus 0 (k * (1 - exp (- lam * (b - c))))) 0)
    by (unfold plus; simpl; ring).
  apply (is_RInt_Chasles f s b t).
  - apply (is_RInt_Chasles f s c b).
    + apply integral_of_nothing; [lra |]. intros x Hx. apply Z. lra.
    + apply integral_of_density; assumption.
  - apply integral_of_nothing; [lra |]. intros x Hx. apply W. lra.
Qed.

(** Without end. *)
Lemma line_integral_from (f : R -> R) lam c k :
  0 < lam -> 0 <= k <= 1 -> (forall x, x < c -> f x = 0) ->
  (forall x, c < x -> f x = k * exponential_density lam c x) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) k.
Proof.
  intros Hl Hk Z H P [eta HP].
  apply (Filter_prod _ _ _ (fun s => s < c) (fun t => c + Rmax 0 (- ln eta / lam) < t));
    [exists c; auto | exists (c + Rmax 0 (- ln eta / lam)); auto |].
  intros s t Hs Ht. simpl. assert (M := Rmax_l 0 (- ln eta / lam)). assert (N := Rmax_r 0 (- ln eta / lam)).
  exists (k * (1 - exp (- lam * (t - c)))). split.
  - replace (k * (1 - exp (- lam * (t - c)))) with (plus 0 (k * (1 - exp (- lam * (t - c)))))
      by (unfold plus; simpl; ring).
    apply (is_RInt_Chasles f s c t).
    + apply integral_of_nothing; [lra |]. intros x Hx. apply Z. lra.
    + apply integral_of_density; [lra |]. intros x Hx. apply H. lra.
  - apply HP. unfold ball. simpl. unfold AbsRing_ball, abs, minus, plus, opp. simpl.
    replace (k * (1 - exp (- lam * (t - c))) + - k) with (- (k * exp (- lam * (t - c)))) by ring.
    assert (E := exp_pos (- lam * (t - c))).
    assert (Small : exp (- lam * (t - c)) < eta).
    { rewrite <- (exp_ln eta) by apply cond_pos. apply exp_increasing.
      assert (X : - ln eta / lam < t - c) by lra. apply (Rmult_lt_compat_l lam) in X; [| exact Hl].
      replace (lam * (- ln eta / lam)) with (- ln eta) in X by (field; lra). lra. }
    assert (k * exp (- lam * (t - c)) <= 1 * exp (- lam * (t - c))) by (apply Rmult_le_compat_r; lra).
    assert (0 <= k * exp (- lam * (t - c))) by (apply Rmult_le_pos; lra).
    rewrite Rabs_Ropp, Rabs_right; lra.
Qed.

(** ** The divergence of two shifts *)

Lemma exponential_below lam c x : x < c -> exponential_density lam c x = 0.
Proof. intros H. unfold exponential_density. destruct (Rlt_dec x c); [reflexivity | contradiction]. Qed.

Lemma exponential_moved lam c d x :
  c <= x -> d <= x -> exponential_density lam d x = exp (- lam * (c - d)) * exponential_density lam c x.
Proof.
  intros C D. unfold exponential_density. destruct (Rlt_dec x d), (Rlt_dec x c); try lra.
  replace (- lam * (x - d)) with (- lam * (c - d) + - lam * (x - c)) by ring. rewrite exp_plus. ring.
Qed.

Lemma exponential_nonneg lam c x : 0 < lam -> 0 <= exponential_density lam c x.
Proof.
  intros H. unfold exponential_density. destruct (Rlt_dec x c); [lra |].
  apply Rmult_le_pos; [lra | left; apply exp_pos].
Qed.

Lemma divergence_upward lam eps c d :
  0 < lam -> 0 <= eps -> c <= d ->
  is_RInt_gen (excess_density lam eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (1 - exp (- lam * (d - c))).
Proof.
  intros Hl He L. assert (E := exp_ge_1 eps He).
  replace (1 - exp (- lam * (d - c))) with (1 * (1 - exp (- lam * (d - c)))) by ring.
  apply line_integral_up_to; [exact L | | |]; intros x Hx; unfold excess_density.
  - rewrite !exponential_below by lra. rewrite Rmult_0_r, Rminus_0_r. apply Rmax_left. lra.
  - rewrite (exponential_below lam d) by lra. rewrite Rmult_0_r, Rminus_0_r, Rmult_1_l.
    apply Rmax_right, exponential_nonneg, Hl.
  - apply Rmax_left. rewrite (exponential_moved lam d c x) by lra.
    assert (N := exponential_nonneg lam d x Hl).
    assert (R : exp (- lam * (d - c)) <= 1).
    { rewrite <- exp_0. apply exp_le. assert (0 <= lam * (d - c)) by (apply Rmult_le_pos; lra). lra. }
    assert (exp (- lam * (d - c)) * exponential_density lam d x <= exp eps * exponential_density lam d x)
      by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma divergence_downward lam eps c d :
  0 < lam -> 0 <= eps -> d <= c ->
  is_RInt_gen (excess_density lam eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (Rmax 0 (1 - exp eps * exp (- lam * (c - d)))).
Proof.
  intros Hl He L. assert (E := exp_pos eps). assert (R := exp_pos (- lam * (c - d))).
  assert (ER : 0 < exp eps * exp (- lam * (c - d))) by (apply Rmult_lt_0_compat; assumption).
  apply (line_integral_from _ lam c); [exact Hl | | |].
  - split; [apply Rmax_l | apply Rmax_lub; lra].
  - intros x Hx. unfold excess_density. rewrite (exponential_below lam c) by lra. apply Rmax_left.
    assert (0 <= exp eps * exponential_density lam d x)
      by (apply Rmult_le_pos; [lra | apply exponential_nonneg, Hl]). lra.
  - intros x Hx. unfold excess_density. rewrite (exponential_moved lam c d x) by lra.
    assert (N := exponential_nonneg lam c x Hl).
    replace (exponential_density lam c x - exp eps * (exp (- lam * (c - d)) * exponential_density lam c x))
      with ((1 - exp eps * exp (- lam * (c - d))) * exponential_density lam c x) by ring.
    rewrite Rmax_mult by exact N. rewrite Rmult_0_l. reflexivity.
Qed.

(** Ledger row one-sided-exponential. *)
Theorem exponential_least_delta lam Df eps :
  0 < lam -> 0 < Df -> 0 <= eps ->
  is_RInt_gen (excess_density lam eps 0 Df) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (1 - exp (- lam * Df)) /\
  forall c d, Rabs (c - d) <= Df -> exists delta,
  is_RInt_gen (excess_density lam eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty) delta /\
  delta <= 1 - exp (- lam * Df).
Proof.
  intros Hl HD He. split.
  - replace (- lam * Df) with (- lam * (Df - 0)) by ring. apply divergence_upward; lra.
  - intros c d S. assert (X := Rle_abs (c - d)). assert (Y := Rle_abs (- (c - d))). rewrite Rabs_Ropp in Y.
    assert (M : forall s, 0 <= s <= Df -> exp (- lam * Df) <= exp (- lam * s) <= 1).
    { intros s Hs. rewrite <- exp_0.
      assert (0 <= lam * s) by (apply Rmult_le_pos; lra).
      assert (lam * s <= lam * Df) by (apply Rmult_le_compat_l; lra). split; apply exp_le; lra. }
    destruct (Rle_or_lt c d) as [L | L].
    + exists (1 - exp (- lam * (d - c))). split; [apply divergence_upward; lra |].
      specialize (M (d - c)). lra.
    + exists (Rmax 0 (1 - exp eps * exp (- lam * (c - d)))). split; [apply divergence_downward; lra |].
      specialize (M (c - d) ltac:(lra)). assert (E := exp_ge_1 eps He).
      assert (P := exp_pos (- lam * (c - d))).
      assert (1 * exp (- lam * (c - d)) <= exp eps * exp (- lam * (c - d))) by (apply Rmult_le_compat_r; lra).
      apply Rmax_lub; lra.
Qed.

(** ** Mean and variance *)

(** (x^2 + 1) e^-x is at most 12/x for x >= 1. *)
Lemma square_over_exp x : 1 <= x -> (x ^ 2 + 1) * exp (- x) <= 12 / x.
Proof.
  intros H. assert (T := taylor_sum_below_exp x 4 ltac:(lra)). unfold taylor_sum, taylor_term in T.
  simpl in T. assert (E := exp_pos x). rewrite exp_Ropp.
  apply Rmult_le_reg_r with (exp x * x); [apply Rmult_lt_0_compat; lra |].
  replace ((x ^ 2 + 1) * / exp x * (exp x * x)) with ((x ^ 2 + 1) * x) by (field; lra).
  replace (12 / x * (exp x * x)) with (12 * exp x) by (field; lra).
  assert (x * 1 <= x * (x * x)) by (apply Rmult_le_compat_l; nra). simpl. nra.
Qed.

Lemma integral_from_antiderivative (f F : R -> R) v C lam :
  0 < lam -> 0 < C -> (forall t, is_derive F t (f t)) -> (forall t, continuous f t) -> F 0 = - v ->
  (forall t, 0 <= t -> Rabs (F t) <= C * (((lam * t) ^ 2 + 1) * exp (- (lam * t)))) ->
  is_RInt_gen f (at_point 0) (Rbar_locally p_infty) v.
Proof.
  intros Hl HC D K V B P [eta HP]. set (M := Rmax 1 (12 * C / eta)).
  assert (M1 := Rmax_l 1 (12 * C / eta)). assert (M2 := Rmax_r 1 (12 * C / eta)). fold M in M1, M2.
  apply (Filter_prod _ _ _ (fun s => s = 0) (fun t => M / lam < t)); [reflexivity | exists (M / lam); auto |].
  intros s t -> Ht. simpl. exists (minus (F t) (F 0)). split.
  - apply (is_RInt_derive F f); intros x _; [apply D | apply K].
  - apply HP. unfold ball. simpl. unfold AbsRing_ball, abs, minus, plus, opp. simpl.
    rewrite V. replace (F t + - - v + - v) with (F t) by ring.
    assert (X : M < lam * t).
    { apply (Rmult_lt_compat_l lam) in Ht; [| exact Hl].
      replace (lam * (M / lam)) with M in Ht by (field; lra). exact Ht. }
    assert (T : 0 <= t).
    { left. apply Rmult_lt_reg_l with lam; [exact Hl |]. lra. }
    eapply Rle_lt_trans; [apply B, T |]. assert (S := square_over_exp (lam * t) ltac:(lra)).
    apply Rle_lt_trans with (C * (12 / (lam * t))); [apply Rmult_le_compat_l; lra |].
    assert (E := cond_pos eta). set (x := lam * t) in *. assert (X0 : 0 < x) by lra.
    apply Rmult_lt_reg_r with (x / eta); [apply Rdiv_lt_0_compat; lra |].
    replace (C * (12 / x) * (x / eta)) with (12 * C / eta) by (field; split; lra).
    replace (eta * (x / eta)) with x by (field; lra). lra.
Qed.

(** Ledger row one-sided-exponential-moments. *)
Theorem exponential_moments lam :
  0 < lam ->
  is_RInt_gen (fun t => t * (lam * exp (- lam * t))) (at_point 0) (Rbar_locally p_infty) (1 / lam) /\
  is_RInt_gen (fun t => (t - 1 / lam) ^ 2 * (lam * exp (- lam * t))) (at_point 0) (Rbar_locally p_infty)
    (1 / lam ^ 2).
Proof.
  intros Hl. assert (I : 0 < 1 / lam) by (apply Rdiv_lt_0_compat; lra).
  assert (I2 : 0 < 1 / lam ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt, Hl]). split.
  - apply (integral_from_antiderivative _ (fun t => - (t + 1 / lam) * exp (- lam * t)) _ (2 * (1 / lam))
      lam Hl).
    + lra.
    + intros t. auto_derive; [exact Logic.I |]. field. lra.
    + intros t. apply (ex_derive_continuous (fun t => t * (lam * exp (- lam * t)))).
      auto_derive. exact Logic.I.
    + replace (- lam * 0) with 0 by ring. rewrite exp_0. ring.
    + intros t Ht. replace (- lam * t) with (- (lam * t)) by ring. assert (E := exp_pos (- (lam * t))).
      rewrite Rabs_mult, Rabs_Ropp, !Rabs_right by lra. rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; [lra |]. replace (t + 1 / lam) with (1 / lam * (lam * t + 1)) by (field; lra).
      rewrite (Rmult_comm 2), Rmult_assoc. apply Rmult_le_compat_l; [lra |]. nra.
  - apply (integral_from_antiderivative _ (fun t => - (t ^ 2 + 1 / lam ^ 2) * exp (- lam * t)) _ (1 / lam ^ 2)
      lam Hl I2).
    + intros t. auto_derive; [exact Logic.I |]. field. lra.
    + intros t. apply (ex_derive_continuous (fun t => (t - 1 / lam) ^ 2 * (lam * exp (- lam * t)))).
      auto_derive. exact Logic.I.
    + replace (- lam * 0) with 0 by ring. rewrite exp_0. field. lra.
    + intros t Ht. replace (- lam * t) with (- (lam * t)) by ring. assert (E := exp_pos (- (lam * t))).
      assert (S := pow2_ge_0 t). rewrite Rabs_mult, Rabs_Ropp, !Rabs_right by lra. rewrite <- Rmult_assoc.
      apply Rmult_le_compat_r; [lra |]. right. field. lra.
Qed.

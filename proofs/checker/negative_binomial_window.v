(** The windows of negative binomial laws, r > 0 real and 0 <= p < 1, and of geometric laws, r = 1.

    [negative_binomial_window bits r p] encloses the weights r (r+1) ... (r+t-1) / t! p^t from the mode outward
    ([negative_binomial_window_sound]): for r >= 1 the ratios fall, and for r < 1 they rise to p, which bounds what is
    not reached. The masses add up to 1 ([negative_binomial_law]), for every real r > 0 and 0 <= p < 1: the binomial
    series f(x) = 1 + r x + ... has (1 - x) f'(x) = r f(x), so that f(x) (1 - x)^r is constant. Geometric laws are those
    of r = 1 ([geometric_masses]).

    The programs are the classes NegativeBinomialNoise and GeometricNoise of exactdp/checker/noise_laws.py.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import sums masses geometric_tail longer_shift noise_on_naturals log_concave_laws fixed_point.
From ExactdpChecker Require Import claims outward windows walked_naturals enclosed_reals binomial_window.
From ExactdpChecker Require Import laws_on_naturals.
Import ListNotations.
Open Scope R_scope.

(** ** The masses *)

Definition coefficient (r : R) (t : nat) : R := rising_factorial r t / INR (fact t).

Lemma coefficient_next r t : coefficient r (S t) * INR (S t) = coefficient r t * (r + INR t).
Proof.
  unfold coefficient. cbn [rising_factorial]. rewrite fact_simpl, mult_INR. field.
  split; [apply INR_fact_neq_0 | apply not_0_INR; lia].
Qed.

Lemma coefficient_positive r t : 0 < r -> 0 < coefficient r t.
Proof.
  intros H. apply Rdiv_lt_0_compat; [| apply INR_fact_lt_0].
  induction t as [| t IH]; simpl; [lra |]. assert (P := pos_INR t). apply Rmult_lt_0_compat; lra.
Qed.

(** Below any x < 1 the series converges. *)
Lemma coefficient_radius r x : 0 < r -> 0 <= x < 1 -> Rbar_lt (Rbar.Finite (Rabs x)) (CV_radius (coefficient r)).
Proof.
  intros Hr Hx. rewrite (CV_radius_finite_DAlembert (coefficient r) 1).
  - rewrite Rabs_right by lra. simpl. lra.
  - intros n. assert (P := coefficient_positive r n Hr). lra.
  - lra.
  - apply is_lim_seq_ext with (fun n => 1 + (r - 1) * / INR (S n)).
    + intros n. assert (P := coefficient_positive r n Hr). assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia).
      replace (coefficient r (S n)) with (coefficient r n * (r + INR n) / INR (S n)).
      2: { rewrite <- coefficient_next. field. lra. }
      replace (coefficient r n * (r + INR n) / INR (S n) / coefficient r n) with ((r + INR n) / INR (S n))
        by (field; lra).
      assert (0 <= INR n) by apply pos_INR. rewrite Rabs_right.
      * rewrite S_INR in *. field. lra.
      * apply Rle_ge, Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
    + replace (Rbar.Finite 1) with (Rbar.Finite (1 + (r - 1) * 0)) by (f_equal; ring).
      apply (is_lim_seq_plus' _ _ 1 ((r - 1) * 0)); [apply is_lim_seq_const |].
      apply (is_lim_seq_scal_l _ (r - 1) 0).
      apply (is_lim_seq_inv _ p_infty); [apply (proj1 (is_lim_seq_incr_1 INR p_infty)), is_lim_seq_INR | discriminate].
Qed.

Lemma coefficient_sum r p : 0 < r -> 0 <= p < 1 -> PSeries (coefficient r) p * Rpower (1 - p) r = 1.
Proof.
  intros Hr Hp. set (g := fun x => PSeries (coefficient r) x * exp (r * ln (1 - x))).
  assert (D : forall x, 0 <= x <= p -> is_derive g x 0).
  { intros x Hx. assert (C := coefficient_radius r x Hr ltac:(lra)).
    set (f := PSeries (coefficient r) x). set (f' := PSeries (PS_derive (coefficient r)) x).
    assert (ODE : (1 - x) * f' = r * f).
    { assert (C' : ex_pseries (PS_derive (coefficient r)) x) by (apply CV_radius_inside; rewrite CV_radius_derive;
        exact C).
      assert (E0 : ex_pseries (coefficient r) x) by (apply CV_radius_inside, C).
      assert (X : PSeries (PS_incr_1 (PS_derive (coefficient r))) x = x * f') by apply PSeries_incr_1.
      assert (Y : f' = PSeries (PS_plus (PS_incr_1 (PS_derive (coefficient r))) (PS_scal r (coefficient r))) x).
      { apply PSeries_ext. intros n. unfold PS_plus, PS_scal, PS_derive, PS_incr_1. change plus with Rplus.
        change scal with Rmult.
        assert (N := coefficient_next r n). destruct n as [| n].
        - simpl in *. change zero with 0. lra.
        - change (INR (S n) * coefficient r (S n) + r * coefficient r (S n))
            with (INR (S n) * coefficient r (S n) + r * coefficient r (S n)).
          lra. }
      rewrite PSeries_plus, PSeries_scal, X in Y.
      - fold f in Y. lra.
      - apply ex_pseries_incr_1, C'.
      - apply ex_pseries_scal; [apply Rmult_comm | exact E0]. }
    unfold g. auto_derive.
    - split; [exists f'; apply is_derive_PSeries, C |]. split; [lra | trivial].
    - change (Derive (fun y => PSeries (coefficient r) y) x) with (Derive (PSeries (coefficient r)) x).
      rewrite (Derive_PSeries _ _ C). fold f f'. replace (1 + - x) with (1 - x) by ring. set (e := exp _).
      transitivity (e / (1 - x) * ((1 - x) * f' - r * f)); [field; lra |]. rewrite ODE. ring. }
  assert (G : g p = g 0).
  { destruct (Req_dec p 0) as [-> | N]; [reflexivity |]. symmetry. apply (eq_is_derive g 0 p); [| lra].
    intros x Hx. apply D. lra. }
  unfold g in G. unfold Rpower. rewrite G, Rminus_0_r, ln_1, Rmult_0_r, exp_0, PSeries_0. unfold coefficient. simpl.
  field.
Qed.

Definition nb (r p : R) : Z -> R :=
  on_naturals (fun t => rising_factorial r t / INR (fact t) * p ^ t * Rpower (1 - p) r).

Lemma nb_nonneg r p t : 0 < r -> 0 <= p -> 0 <= rising_factorial r t / INR (fact t) * p ^ t * Rpower (1 - p) r.
Proof.
  intros Hr Hp. apply Rmult_le_pos; [| left; apply exp_pos]. apply Rmult_le_pos; [| apply pow_le, Hp].
  left. apply (coefficient_positive r t Hr).
Qed.

Theorem negative_binomial_law r p : 0 < r -> 0 <= p < 1 -> law (nb r p).
Proof.
  intros Hr Hp. apply law_on_naturals; [intros t; apply nb_nonneg; lra |].
  apply is_series_Reals. assert (C := coefficient_radius r p Hr Hp).
  assert (E : ex_pseries (coefficient r) p) by (apply CV_radius_inside, C).
  cut (is_series (fun t => rising_factorial r t / INR (fact t) * p ^ t * Rpower (1 - p) r)
    (Rpower (1 - p) r * PSeries (coefficient r) p)); [rewrite Rmult_comm, (coefficient_sum r p Hr Hp); trivial |].
  apply is_series_ext with (fun n => scal (Rpower (1 - p) r) (scal (pow_n p n) (coefficient r n))).
  - intros n. change (Rpower (1 - p) r * (pow_n p n * coefficient r n) = coefficient r n * p ^ n * Rpower (1 - p) r).
    rewrite pow_n_pow. ring.
  - apply PSeries_correct in E.
    exact (is_series_scal (K := R_AbsRing) (V := R_NormedModule) (Rpower (1 - p) r) _ _ E).
Qed.

Lemma nb_next r p t : (0 <= t)%Z -> nb r p (t + 1) * IZR (t + 1) = nb r p t * ((r + IZR t) * p).
Proof.
  intros H. unfold nb, on_naturals. rewrite !(proj2 (Z.ltb_ge _ _)) by lia.
  replace (Z.to_nat (t + 1)) with (S (Z.to_nat t)) by lia.
  replace (IZR (t + 1)) with (INR (S (Z.to_nat t))) by (rewrite INR_IZR_INZ; f_equal; lia).
  replace (IZR t) with (INR (Z.to_nat t)) by (rewrite INR_IZR_INZ; f_equal; lia).
  change (rising_factorial r (S (Z.to_nat t)) / INR (fact (S (Z.to_nat t)))) with (coefficient r (S (Z.to_nat t))).
  change (rising_factorial r (Z.to_nat t) / INR (fact (Z.to_nat t))) with (coefficient r (Z.to_nat t)).
  simpl pow. assert (N := coefficient_next r (Z.to_nat t)).
  transitivity (coefficient r (S (Z.to_nat t)) * INR (S (Z.to_nat t)) * (p * p ^ Z.to_nat t * Rpower (1 - p) r));
    [ring |].
  rewrite N. ring.
Qed.

Lemma nb_below r p t : (t < 0)%Z -> nb r p t = 0.
Proof. intros H. unfold nb, on_naturals. rewrite (proj2 (Z.ltb_lt _ _) H). reflexivity. Qed.

Lemma nb_log_concave r p : 1 <= r -> 0 <= p -> log_concave (nb r p).
Proof.
  intros Hr Hp. apply (log_concave_ext (fun t => Rpower (1 - p) r *
    on_naturals (by_ratios (fun t => (r + INR t) / (INR t + 1) * p)) t)).
  - intros t. unfold nb, on_naturals. destruct (Z.ltb t 0); [ring |]. rewrite Rmult_comm. f_equal.
    induction (Z.to_nat t) as [| n IH]; [simpl; field |]. cbn [by_ratios]. rewrite IH.
    change (rising_factorial r (S n) / INR (fact (S n))) with (coefficient r (S n)).
    change (rising_factorial r n / INR (fact n)) with (coefficient r n).
    assert (N := coefficient_next r n). rewrite S_INR in N. assert (P := pos_INR n).
    replace (coefficient r (S n)) with (coefficient r n * (r + INR n) / (INR n + 1)) by (rewrite <- N; field; lra).
    simpl pow. field. lra.
  - apply log_concave_scaled; [left; apply exp_pos | apply negative_binomial_log_concave; assumption].
Qed.

(** ** The programs *)

Open Scope Z_scope.

Definition nb_ratio (rl rh rd l h d t : Z) : Z * Z * Z := ((rl + t * rd) * l, (rh + t * rd) * h, rd * d * (t + 1)).

(** Whether p = l / d, h / d is shown to be at least 0 and below 1, for a rational, or inside. *)
Definition is_below_1 (x : real) (l h d : Z) : bool := (if is_rational x then 0 <=? l else 0 <? l) && (h <? d).

Definition negative_binomial_window (bits : nat) (r p : real) : option window :=
  match parameter bits r, parameter bits p with
  | Some (rl, rh, rd), Some (l, h, d) =>
      if (0 <? rl) && is_below_1 p l h d then
        walked_naturals (nb_ratio rl rh rd l h d) None h d (Z.max 0 ((rl - rd) * l / (rd * (d - l)))) bits
      else None
  | _, _ => None
  end.

Definition geometric_window (bits : nat) (p : real) : option window := negative_binomial_window bits (Rational 1) p.

Open Scope R_scope.

Theorem negative_binomial_window_sound bits r p v :
  negative_binomial_window bits r p = Some v ->
  noise_posed (NegativeBinomial r p) /\ exists c, encloses v (noise_mass (NegativeBinomial r p)) c.
Proof.
  unfold negative_binomial_window. destruct (parameter bits r) as [[[rl rh] rd] |] eqn:ER; [| discriminate].
  destruct (parameter bits p) as [[[l h] d] |] eqn:EP; [| discriminate].
  destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G1 G2]. apply Z.ltb_lt in G1.
  unfold is_below_1 in G2. apply andb_true_iff in G2. destruct G2 as [G2 G3]. apply Z.ltb_lt in G3.
  destruct (parameter_sound _ _ _ _ _ ER) as [NR [DR [[LR UR] _]]].
  destruct (parameter_sound _ _ _ _ _ EP) as [NP [DP [[LP UP] _]]]. clear ER EP.
  assert (HL : (0 <= l)%Z) by (destruct (is_rational p); [apply Z.leb_le in G2 | apply Z.ltb_lt in G2]; lia). clear G2.
  set (R := value r) in *. set (P := value p) in *.
  assert (D1 := IZR_lt _ _ DR). assert (D2 := IZR_lt _ _ DP). assert (L1 := IZR_lt _ _ G1).
  assert (L2 := IZR_le _ _ HL).
  assert (H3 := IZR_lt _ _ G3).
  assert (R0 : 0 < R) by (apply Rmult_lt_reg_l with (IZR rd); lra).
  assert (P01 : 0 <= P < 1) by (split; [apply Rmult_le_reg_l with (IZR d) | apply Rmult_lt_reg_l with (IZR d)]; lra).
  assert (Hh : (0 <= h)%Z) by (apply le_IZR; lra).
  intros W. split; [cbn [noise_posed]; fold R P; auto |]. cbn [noise_mass]. fold R P. fold (nb R P).
  set (start := Z.max 0 ((rl - rd) * l / (rd * (d - l)))) in *. exists (2 ^ bits / nb R P start).
  assert (LH : (l <= h)%Z) by (apply le_IZR; lra).
  assert (S0 : (0 <= start)%Z) by (unfold start; lia).
  assert (Low : 1 <= R \/ (R < 1 /\ start = 0%Z)).
  { destruct (Rle_or_lt 1 R) as [B | B]; [left; exact B | right; split; [exact B |]].
    assert (rl < rd)%Z.
    { apply lt_IZR. apply Rle_lt_trans with (IZR rd * R); [exact LR |]. rewrite <- (Rmult_1_r (IZR rd)) at 2.
      apply Rmult_lt_compat_l; lra. }
    unfold start. apply Z.max_l. apply Z.lt_succ_r, Z.div_lt_upper_bound; nia. }
  assert (Start : 0 < nb R P start).
  { unfold nb, on_naturals. rewrite (proj2 (Z.ltb_ge _ _)) by lia. apply Rmult_lt_0_compat; [| apply exp_pos].
    apply Rmult_lt_0_compat; [apply (coefficient_positive R _ R0) |].
    destruct (Rle_lt_or_eq_dec 0 P (proj1 P01)) as [Pp | Z0]; [apply pow_lt, Pp |].
    assert (l = 0)%Z as -> by (apply eq_IZR; rewrite <- Z0, Rmult_0_r in LP; lra).
    unfold start. rewrite Z.mul_0_r, Z.div_0_l by nia. simpl. lra. }
  assert (Pos := proj1 (negative_binomial_law R P R0 P01)).
  assert (Falls : falling_after (above (nb R P) start) (IZR h / IZR d) /\
    falling_after (below (nb R P) start) (IZR h / IZR d)).
  { destruct Low as [B | [B St]].
    - apply log_concave_falls; [apply nb_log_concave; lra | exact Start].
    - rewrite St. split; intros i rho Hr Hi t Ht.
      + apply Rle_trans with (P * above (nb R P) 0 t).
        * unfold above. replace (0 + Z.of_nat (1 + t))%Z with (0 + Z.of_nat t + 1)%Z by lia.
          set (s := (0 + Z.of_nat t)%Z). assert (Hs : (0 <= s)%Z) by (unfold s; lia). assert (X := nb_next R P s Hs).
          rewrite plus_IZR in X. assert (Rs := IZR_le _ _ Hs).
          apply Rmult_le_reg_r with (IZR s + 1); [lra |]. rewrite X.
          replace (nb R P s * ((R + IZR s) * P)) with (P * nb R P s * (R + IZR s)) by ring.
          apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | apply Pos] | lra].
        * apply Rmult_le_compat_r; [apply Pos |]. eapply Rle_trans; [| apply Rmax_r].
          apply Rmult_le_reg_l with (IZR d); [lra |]. replace (IZR d * (IZR h / IZR d)) with (IZR h) by (field; lra).
          exact UP.
      + unfold below. rewrite (nb_below R P (0 - Z.of_nat (1 + t))) by lia. apply Rmult_le_pos; [| apply Pos].
        eapply Rle_trans; [exact Hr | apply Rmax_l]. }
  destruct Falls as [F1 F2].
  apply (walked_naturals_sound (nb R P) (nb_ratio rl rh rd l h d) None h d start); auto.
  - apply nb_below.
  - discriminate.
  - intros t a b e Ht _ E. injection E as <- <- <-. assert (Rt := IZR_le _ _ Ht).
    assert (Rhp : 0 < IZR rh) by lra. apply lt_IZR in Rhp. assert (Q := Pos t).
    split; [apply Z.mul_nonneg_nonneg; [nia | exact HL] |]. split; [apply Z.mul_nonneg_nonneg; [nia | exact Hh] |].
    rewrite !mult_IZR.
    replace (IZR rd * IZR d * IZR (t + 1) * nb R P (t + 1))
      with ((IZR rd * R + IZR t * IZR rd) * (IZR d * P) * nb R P t).
    2: { transitivity (IZR rd * IZR d * (nb R P (t + 1) * IZR (t + 1))); [rewrite (nb_next R P t Ht); ring | ring]. }
    rewrite !plus_IZR, !mult_IZR.
    assert (T0 : 0 <= IZR t * IZR rd) by (apply Rmult_le_pos; lra).
    split; apply Rmult_le_compat_r; try exact Q; apply Rmult_le_compat; lra.
  - split; [exact S0 | discriminate].
  - apply negative_binomial_law; assumption.
Qed.

(** Geometric laws are those of r = 1. *)
Lemma geometric_masses p t : 0 <= p < 1 ->
  on_naturals (fun t => (1 - p) * p ^ t) t = nb 1 p t.
Proof.
  intros H. unfold nb, on_naturals. destruct (Z.ltb t 0); [reflexivity |]. rewrite Rpower_1 by lra.
  assert (X : forall n, rising_factorial 1 n / INR (fact n) = 1).
  { induction n as [| n IH]; [simpl; field |].
    change (coefficient 1 (S n) = 1). assert (N := coefficient_next 1 n). fold (coefficient 1 n) in IH. rewrite IH in N.
    rewrite S_INR in N. assert (P := pos_INR n). apply Rmult_eq_reg_r with (INR n + 1); lra. }
  rewrite X. ring.
Qed.

Lemma encloses_ext v w u c : (forall t, w t = u t) -> encloses v w c -> encloses v u c.
Proof.
  intros E [C [L [B [U [O [SU SO]]]]]]. assert (T : forall l, total l u = total l w) by (intros; apply total_ext; auto).
  split; [exact C |]. split; [| split; [intros t Ht; rewrite <- E; auto |]].
  - destruct L as [Pos [Up Le]]. split; [intros t; rewrite <- E; apply Pos |]. split.
    + intros s [l [N [I ->]]]. apply Up. exists l. rewrite T. auto.
    + intros b Hb. apply Le. intros s [l [N [I ->]]]. apply Hb. exists l. rewrite T. auto.
  - split; [exact U |]. split; [exact O |]. split; intros l N I; rewrite T; auto.
Qed.

Theorem geometric_window_sound bits p v :
  geometric_window bits p = Some v ->
  noise_posed (Geometric p) /\ exists c, encloses v (noise_mass (Geometric p)) c.
Proof.
  intros H. destruct (negative_binomial_window_sound bits (Rational 1) p v H) as [[_ N] [c C]]. split; [exact N |].
  exists c. revert C. apply encloses_ext. intros t. cbn [noise_mass value]. rewrite RMicromega.Q2R_1. symmetry.
  apply geometric_masses, N.
Qed.

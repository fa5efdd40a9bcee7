(** Sample-and-threshold: what one holder more or less gives away, by the published bound and a smaller one.

    Each of N holders reports with probability q, and the number of reports is released if it is at least tau, else
    0 (sample_and_threshold.v). Let eps > 0, v = e^-eps, 0 < a < 1, q = a (1 - v), rho = 1 - (1-q) v, and KL the
    divergence of coins with the chances rho and q. Between N + 1 and N holders, in both orders, for all N and
    tau:

    - [dropped_counts_private]: (eps, delta)-DP with delta = e^(-tau KL/rho);
    - [dropped_counts_simpler]: which is at most e^(-tau (ln(1/a) - 1 + a)), and that at most the published
      e^(-tau (ln(1/a) - 1/(1 + a))).

    Idea: with m = N + 1 holders t reports have the ratio m (1-q) / (m - t), at most e^eps up to t = m rho; what is
    dropped only grows when a holder leaves. So s reports and more are lost, s the larger of m rho and tau. With
    q y = e^eps rho the mean of y^reports is e^(eps m), and by Markov's inequality at most e^(eps m - s ln y) is lost.
    In the other order the ratio is at most 1 / (1-q) <= e^eps.
    Source: this package; the published bound: Bharadwaj and Cormode 2022, section 3. *)

From Coq Require Import Reals List Arith Lra Lia.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial logarithm sample_and_threshold.
Import ListNotations.
Open Scope R_scope.

(** The divergence of two coins. *)
Definition coin_divergence (p q : R) : R := p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)).

(** One coin more. *)
Lemma binom_one_more n p i : (INR (S n) - INR i) * binom (S n) p i = INR (S n) * (1 - p) * binom n p i.
Proof.
  destruct i as [| j].
  - rewrite binom_S_0. simpl (INR 0). ring.
  - rewrite binom_S_S, !S_INR. assert (X := binom_ratio n p j). rewrite S_INR in X.
    replace ((INR n + 1 - (INR j + 1)) * (p * binom n p j + (1 - p) * binom n p (S j)))
      with (binom n p j * (INR n - INR j) * p + (INR n - INR j) * (1 - p) * binom n p (S j)) by ring.
    rewrite <- X. ring.
Qed.

Lemma mean_flips_more n p f : mean (flips n p) f = total (seq 0 (S (S n))) (fun i => binom n p i * f i).
Proof.
  rewrite mean_flips, (seq_S (S n)), total_app. cbn [total].
  rewrite (binom_outside n p (0 + S n)) by lia. ring.
Qed.

Section Released.
  Variables (eps a : R) (tau : nat).
  Hypotheses (He : 0 < eps) (Ha : 0 < a < 1).
  Let v := exp (- eps).
  Let q := a * (1 - v).
  Let rho := 1 - (1 - q) * v.

  Lemma v_bounds : 0 < v < 1.
  Proof. split; [apply exp_pos |]. unfold v. rewrite <- exp_0. apply exp_increasing. lra. Qed.

  Lemma q_bounds : 0 < q < 1.
  Proof. assert (V := v_bounds). unfold q. nra. Qed.

  Lemma exp_v : exp eps * v = 1.
  Proof. unfold v. rewrite <- exp_plus, Rplus_opp_r. apply exp_0. Qed.

  Lemma rho_bounds : q < rho < 1.
  Proof. assert (V := v_bounds). assert (Q := q_bounds). unfold rho. nra. Qed.

  Let y := exp eps * rho / q.

  Lemma y_above_1 : 1 < y.
  Proof.
    assert (Q := q_bounds). assert (R := rho_bounds). assert (E := exp_increasing 0 eps He). rewrite exp_0 in E.
    unfold y. apply Rmult_lt_reg_r with q; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
  Qed.

  Lemma ln_y : ln y = eps + ln (rho / q).
  Proof.
    assert (Q := q_bounds). assert (R := rho_bounds). unfold y, Rdiv. rewrite Rmult_assoc, ln_mult, ln_exp.
    - reflexivity.
    - apply exp_pos.
    - apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra].
  Qed.

  (** KL, by the logarithm of y. *)
  Lemma divergence_by_y : coin_divergence rho q = rho * ln y - eps.
  Proof.
    assert (Q := q_bounds). unfold coin_divergence. rewrite ln_y.
    replace ((1 - rho) / (1 - q)) with v by (unfold rho; field; lra). unfold v at 1. rewrite ln_exp. ring.
  Qed.

  Lemma divergence_nonneg : 0 <= coin_divergence rho q.
  Proof.
    assert (Q := q_bounds). assert (R := rho_bounds). assert (V := v_bounds).
    rewrite divergence_by_y, ln_y.
    assert (L : ln (q / rho) <= q / rho - 1) by (apply ln_le_minus_1, Rdiv_lt_0_compat; lra).
    assert (I : ln (rho / q) = - ln (q / rho)).
    { rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
    rewrite I. apply (Rmult_le_compat_l rho) in L; [| lra].
    replace (rho * (q / rho - 1)) with (q - rho) in L by (field; lra).
    assert (B : (1 - rho) * eps <= rho - q).
    { replace (1 - rho) with ((1 - q) * v) by (unfold rho; ring).
      replace (rho - q) with ((1 - q) * (1 - v)) by (unfold rho; ring).
      rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
      assert (X := exp_ineq1_le eps). assert (E := exp_v). nra. }
    lra.
  Qed.

  Let released (n : nat) : dist nat := dmap (fun c => if Nat.leb tau c then c else 0%nat) (flips n q).
  Let kept (c : nat) : R := if Nat.leb tau c then 1 else 0.
  Let delta := exp (- INR tau * (coin_divergence rho q / rho)).

  Lemma dropped_grows n : mean (flips (S n) q) (fun c => 1 - kept c) <= mean (flips n q) (fun c => 1 - kept c).
  Proof.
    assert (Q := q_bounds). rewrite mean_flips_S.
    assert (M : mean (flips n q) (fun c => 1 - kept (S c)) <= mean (flips n q) (fun c => 1 - kept c)).
    { apply mean_le; [apply proper_flips; lra |]. intros c. unfold kept.
      destruct (Nat.leb_spec tau c), (Nat.leb_spec tau (S c)); lra || lia. }
    nra.
  Qed.

  (** What is lost: so many reports that their ratio is above e^eps. *)
  Let lost (m c : nat) : R := if Rle_dec (INR c) (INR m * rho) then 0 else kept c.

  Lemma lost_is_rare n : mean (flips (S n) q) (lost (S n)) <= delta.
  Proof.
    assert (Q := q_bounds). assert (R := rho_bounds). assert (Y := y_above_1). assert (K := divergence_nonneg).
    set (m := S n). set (s := Rmax (INR m * rho) (INR tau)).
    assert (L0 : 0 < ln y) by (rewrite <- ln_1; apply ln_increasing; lra).
    apply Rle_trans with (mean (flips m q) (fun c => exp (- (s * ln y)) * exp (ln y) ^ c)).
    - apply mean_le; [apply proper_flips; lra |]. intros c. rewrite exp_power, <- exp_plus. unfold lost, kept.
      assert (P := exp_pos (- (s * ln y) + ln y * INR c)).
      destruct (Rle_dec (INR c) (INR m * rho)) as [N | N]; [lra |].
      destruct (Nat.leb_spec tau c) as [T | T]; [| lra]. rewrite <- exp_0. apply exp_le.
      assert (S : s <= INR c) by (apply Rmax_lub; [lra | apply le_INR, T]). nra.
    - rewrite mean_scal, flips_generating_function, exp_ln by lra.
      replace (q * y + (1 - q)) with (exp eps).
      2:{ unfold y. replace (q * (exp eps * rho / q)) with (exp eps * rho) by (field; lra). unfold rho.
          assert (E := exp_v). nra. }
      rewrite exp_power, <- exp_plus. unfold delta. apply exp_le. rewrite divergence_by_y in *.
      assert (M := pos_INR m). assert (T := pos_INR tau).
      unfold s. destruct (Rle_or_lt (INR tau) (INR m * rho)) as [H | H].
      + rewrite Rmax_left by exact H.
        replace (- (INR m * rho * ln y) + eps * INR m) with (- ((INR m * rho) * ((rho * ln y - eps) / rho)))
          by (field; lra).
        assert (D : 0 <= (rho * ln y - eps) / rho) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
        nra.
      + rewrite Rmax_right by lra.
        replace (- INR tau * ((rho * ln y - eps) / rho)) with (- (INR tau * ln y) + eps * (INR tau / rho)) by (field; lra).
        assert (B : INR m <= INR tau / rho).
        { apply Rmult_le_reg_r with rho; [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
        apply Rplus_le_compat_l, Rmult_le_compat_l; lra.
  Qed.

  Lemma kept_is_near n (g : nat -> R) :
    (forall c, 0 <= g c <= 1) ->
    mean (flips (S n) q) (fun c => kept c * g c) <= exp eps * mean (flips n q) (fun c => kept c * g c) + delta.
  Proof.
    intros G. assert (Q := q_bounds). assert (R := rho_bounds). assert (E := exp_pos eps).
    eapply Rle_trans; [| apply Rplus_le_compat_l, (lost_is_rare n)].
    rewrite (mean_flips_more n), !(mean_flips (S n)), <- total_scal, <- total_plus. apply total_le. intros i _.
    assert (P := binom_nonneg (S n) q i ltac:(lra)). assert (P' := binom_nonneg n q i ltac:(lra)).
    assert (K : 0 <= kept i <= 1) by (unfold kept; destruct (Nat.leb tau i); lra). specialize (G i).
    assert (KG : 0 <= kept i * g i <= kept i) by nra.
    unfold lost. destruct (Rle_dec (INR i) (INR (S n) * rho)) as [B | B].
    - assert (F : binom (S n) q i <= exp eps * binom n q i).
      { assert (M : 0 < INR (S n)) by (apply lt_0_INR; lia). assert (X := binom_one_more n q i).
        assert (W : INR (S n) * (1 - rho) * binom (S n) q i <= INR (S n) * (1 - q) * binom n q i).
        { rewrite <- X. apply Rmult_le_compat_r; lra. }
        replace (1 - rho) with ((1 - q) * v) in W by (unfold rho; ring).
        apply Rmult_le_reg_l with (INR (S n) * (1 - q) * v).
        - apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply v_bounds].
        - replace (INR (S n) * (1 - q) * v * (exp eps * binom n q i))
            with (INR (S n) * (1 - q) * binom n q i * (exp eps * v)) by ring.
          rewrite exp_v. lra. }
      rewrite Rmult_0_r, Rplus_0_r.
      replace (exp eps * (binom n q i * (kept i * g i))) with (exp eps * binom n q i * (kept i * g i)) by ring.
      apply Rmult_le_compat_r; lra.
    - assert (binom (S n) q i * (kept i * g i) <= binom (S n) q i * kept i) by (apply Rmult_le_compat_l; lra).
      assert (0 <= exp eps * (binom n q i * (kept i * g i))); [| lra].
      apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra].
  Qed.

  Lemma shown_or_dropped n g :
    mean (flips n q) (fun c => g (if Nat.leb tau c then c else 0%nat)) =
    mean (flips n q) (fun c => kept c * g c) + g 0%nat * mean (flips n q) (fun c => 1 - kept c).
  Proof.
    rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros c. unfold kept. destruct (Nat.leb tau c); ring.
  Qed.

  Lemma released_private (xs ys : list bool) :
    ones xs = S (ones ys) ->
    below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
    below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta.
  Proof.
    intros O. assert (Q := q_bounds). assert (V := v_bounds).
    assert (D : 0 < delta) by apply exp_pos. assert (E1 := exp_increasing 0 eps He). rewrite exp_0 in E1.
    assert (I : forall T (c : nat), 0 <= indicator T c <= 1) by (intros T c; unfold indicator; destruct (T c); lra).
    assert (Drop : forall n, 0 <= mean (flips n q) (fun c => 1 - kept c)).
    { intros n. apply mean_nonneg; [apply proper_flips; lra |]. intros c. unfold kept. destruct (Nat.leb tau c); lra. }
    split; intros T; unfold Pr; rewrite !mean_sample_and_threshold, O, !shown_or_dropped.
    - assert (K := kept_is_near (ones ys) (indicator T) (I T)). assert (G := dropped_grows (ones ys)).
      specialize (Drop (ones ys)). specialize (I T 0%nat).
      set (d := mean (flips (ones ys) q) (fun c => 1 - kept c)) in *.
      set (d' := mean (flips (S (ones ys)) q) (fun c => 1 - kept c)) in *.
      assert (indicator T 0%nat * d' <= exp eps * (indicator T 0%nat * d)); [| lra].
      assert (indicator T 0%nat * d' <= indicator T 0%nat * d) by (apply Rmult_le_compat_l; lra).
      assert (0 <= indicator T 0%nat * d) by (apply Rmult_le_pos; lra). nra.
    - rewrite <- !shown_or_dropped. rewrite mean_flips_S.
      set (g := fun c => indicator T (if Nat.leb tau c then c else 0%nat)).
      assert (P : 0 <= mean (flips (ones ys) q) g) by (apply mean_nonneg; [apply proper_flips; lra | intros c; apply I]).
      assert (P' : 0 <= mean (flips (ones ys) q) (fun c => g (S c)))
        by (apply mean_nonneg; [apply proper_flips; lra | intros c; apply I]).
      assert (W : 1 <= exp eps * (1 - q)).
      { assert (E := exp_v). assert (0 <= (exp eps - 1) * (1 - a)) by (apply Rmult_le_pos; lra).
        replace (exp eps * (1 - q)) with (1 + (exp eps - 1) * (1 - a) + a * (exp eps * v - 1)) by (unfold q; ring).
        rewrite E. lra. }
      change (mean (flips (ones ys) q) g <=
        exp eps * (q * mean (flips (ones ys) q) (fun c => g (S c)) + (1 - q) * mean (flips (ones ys) q) g) + delta).
      set (u := mean (flips (ones ys) q) g) in *. set (w := mean (flips (ones ys) q) (fun c => g (S c))) in *.
      assert (0 <= exp eps * (q * w)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
      assert (1 * u <= exp eps * (1 - q) * u) by (apply Rmult_le_compat_r; lra).
      replace (exp eps * (q * w + (1 - q) * u)) with (exp eps * (q * w) + exp eps * (1 - q) * u) by ring. lra.
  Qed.

  Lemma released_simpler :
    delta <= exp (- INR tau * (ln (1 / a) - 1 + a)) /\
    exp (- INR tau * (ln (1 / a) - 1 + a)) <= exp (- INR tau * (ln (1 / a) - 1 / (1 + a))).
  Proof.
    assert (Q := q_bounds). assert (V := v_bounds). assert (R := rho_bounds). assert (T := pos_INR tau).
    assert (Factor : rho = (1 - v) * (1 + a * v)) by (unfold rho, q; ring).
    assert (AV : 0 < a * v) by (apply Rmult_lt_0_compat; lra).
    split; apply exp_le; rewrite <- !Ropp_mult_distr_l; apply Ropp_le_contravar, Rmult_le_compat_l;
      try exact T.
    - unfold delta. rewrite divergence_by_y, ln_y.
      replace (rho / q) with (1 / a * (1 + a * v)) by (rewrite Factor; unfold q; field; lra).
      rewrite ln_mult; [| apply Rdiv_lt_0_compat; lra | lra]. set (h := ln (1 + a * v)).
      assert (H : a * v <= (1 + a * v) * h).
      { assert (L : ln (/ (1 + a * v)) <= / (1 + a * v) - 1)
          by (apply ln_le_minus_1, Rinv_0_lt_compat; lra).
        rewrite ln_Rinv in L by lra. fold h in L. apply (Rmult_le_compat_l (1 + a * v)) in L; [| lra].
        replace ((1 + a * v) * (/ (1 + a * v) - 1)) with (- (a * v)) in L by (field; lra). lra. }
      apply Rmult_le_reg_r with rho; [lra |].
      replace ((rho * (eps + (ln (1 / a) + h)) - eps) / rho * rho)
        with (rho * ln (1 / a) + (rho * h - (1 - rho) * eps)) by (field; lra).
      assert (B : (1 - rho) * eps <= (1 - q) * (1 - v)).
      { replace (1 - rho) with ((1 - q) * v) by (unfold rho; ring). rewrite Rmult_assoc.
        apply Rmult_le_compat_l; [lra |]. assert (X := exp_ineq1_le eps). assert (E := exp_v). nra. }
      assert (S : (1 - q) * (1 - v) <= rho * (h - a + 1)).
      { rewrite Factor, (Rmult_comm (1 - q)), Rmult_assoc. apply Rmult_le_compat_l; [lra |].
        unfold q. replace ((1 + a * v) * (h - a + 1)) with ((1 + a * v) * h + (1 + a * v) * (1 - a)) by ring.
        assert (0 <= a * v * (1 - a)) by (apply Rmult_le_pos; lra). nra. }
      nra.
    - assert (1 / (1 + a) >= 1 - a); [| lra]. apply Rle_ge.
      apply Rmult_le_reg_r with (1 + a); [lra |]. unfold Rdiv. rewrite Rmult_1_l, Rinv_l by lra. nra.
  Qed.
End Released.

Theorem dropped_counts_private (eps a : R) (tau : nat) (xs ys : list bool) :
  0 < eps -> 0 < a < 1 -> ones xs = S (ones ys) ->
  let q := a * (1 - exp (- eps)) in
  let rho := 1 - (1 - q) * exp (- eps) in
  let delta := exp (- INR tau * (coin_divergence rho q / rho)) in
  below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) (exp eps) delta /\
  below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) (exp eps) delta.
Proof. intros He Ha O. exact (released_private eps a tau He Ha xs ys O). Qed.

Theorem dropped_counts_simpler (eps a : R) (tau : nat) :
  0 < eps -> 0 < a < 1 ->
  let q := a * (1 - exp (- eps)) in
  let rho := 1 - (1 - q) * exp (- eps) in
  exp (- INR tau * (coin_divergence rho q / rho)) <= exp (- INR tau * (ln (1 / a) - 1 + a)) /\
  exp (- INR tau * (ln (1 / a) - 1 + a)) <= exp (- INR tau * (ln (1 / a) - 1 / (1 + a))).
Proof. intros He Ha. exact (released_simpler eps a tau He Ha). Qed.

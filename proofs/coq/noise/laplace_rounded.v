(** Laplace noise on an integer, and its rounding to the nearest integer.

    An integer query that changes by at most 1 between neighbours is shown with Laplace noise of scale 1/eps,
    eps > 0: its density at t is laplace (1/eps) z t (laplace_noise.v), z the answer.

    - [laplace_events]: every event whose two probabilities are improper integrals of Riemann has at most e^eps
      times the probability that it has for a neighbour;
    - [rounded_integral]: the mass of the nearest integer k, [laplace_rounded] eps z k, is the integral of the
      density over k - 1/2 to k + 1/2; [rounded_law]: these masses are a law on the integers;
    - [laplace_rounded_private]: every set of integers has at most e^eps times its probability for a neighbour.
    - [rounded_bit_private]: one bit with such noise, rounded to the nearest of 0 and 1, is eps-DP.

    Idea: with h = e^(-eps/2) the mass at distance 0 is 1 - h, at distance m + 1 it is h (h^2)^m (1 - h^2)/2, so
    that the sum over a window of width 2 n + 1 is 1 - h (h^2)^n; and an integral of what is below is below.
    Source: Dwork and Roth 2014, theorem 3.6 and proposition 2.1. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy masses geometric_noise smooth_noise_privacy laplace_noise laplace_delta.
Import ListNotations.
Open Scope R_scope.

Lemma line_integral_le (f g : R -> R) p q :
  (forall t, f t <= g t) ->
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) p ->
  is_RInt_gen g (Rbar_locally m_infty) (Rbar_locally p_infty) q -> p <= q.
Proof.
  intros L Hf Hg. destruct (Rle_or_lt p q) as [H | H]; [exact H | exfalso].
  assert (E : 0 < (p - q) / 2) by lra. set (eta := mkposreal _ E).
  destruct (Hf (ball p eta) (locally_ball p eta)) as [Q1 S1 [M1 HM1] [N1 HN1] H1].
  destruct (Hg (ball q eta) (locally_ball q eta)) as [Q2 S2 [M2 HM2] [N2 HN2] H2].
  set (s := Rmin 0 (Rmin M1 M2) - 1). set (t := Rmax 0 (Rmax N1 N2) + 1).
  assert (A := Rmin_l 0 (Rmin M1 M2)). assert (B := Rmin_r 0 (Rmin M1 M2)).
  assert (A1 := Rmin_l M1 M2). assert (B1 := Rmin_r M1 M2).
  assert (C := Rmax_l 0 (Rmax N1 N2)). assert (D := Rmax_r 0 (Rmax N1 N2)).
  assert (C1 := Rmax_l N1 N2). assert (D1 := Rmax_r N1 N2).
  destruct (H1 s t) as [I1 [R1 P1]]; [apply HM1; unfold s; lra | apply HN1; unfold t; lra |].
  destruct (H2 s t) as [I2 [R2 P2]]; [apply HM2; unfold s; lra | apply HN2; unfold t; lra |].
  simpl in R1, R2. assert (X : I1 <= I2).
  { apply (is_RInt_le f g s t); [unfold s, t; lra | exact R1 | exact R2 | intros x _; apply L]. }
  unfold ball in P1, P2. simpl in P1, P2. unfold AbsRing_ball, abs, minus, plus, opp in P1, P2. simpl in P1, P2.
  apply Rabs_def2 in P1. apply Rabs_def2 in P2. simpl in P1, P2. lra.
Qed.

Lemma laplace_integer_ratio eps (y z : Z) t :
  0 < eps -> (Z.abs (y - z) <= 1)%Z -> laplace (1 / eps) (IZR y) t <= exp eps * laplace (1 / eps) (IZR z) t.
Proof.
  intros He H. assert (B : 0 < 1 / eps) by (apply Rdiv_lt_0_compat; lra).
  eapply Rle_trans; [apply (laplace_ratio _ _ (IZR z)), B |].
  apply Rmult_le_compat_r; [left; apply laplace_pos, B |]. apply exp_le.
  rewrite <- minus_IZR, <- abs_IZR. apply IZR_le in H. replace (IZR (Z.abs (y - z)) / (1 / eps))
    with (IZR (Z.abs (y - z)) * eps) by (field; lra).
  assert (X : IZR (Z.abs (y - z)) * eps <= 1 * eps) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Theorem laplace_events eps (y z : Z) (g : R -> R) p q :
  0 < eps -> (Z.abs (y - z) <= 1)%Z -> (forall t, 0 <= g t) ->
  is_RInt_gen (fun t => g t * laplace (1 / eps) (IZR y) t) (Rbar_locally m_infty) (Rbar_locally p_infty) p ->
  is_RInt_gen (fun t => g t * laplace (1 / eps) (IZR z) t) (Rbar_locally m_infty) (Rbar_locally p_infty) q ->
  p <= exp eps * q.
Proof.
  intros He H G Hp Hq. apply (is_RInt_gen_scal _ (exp eps)) in Hq.
  eapply line_integral_le; [| exact Hp | exact Hq].
  intros t. unfold scal. simpl. unfold mult. simpl.
  assert (R := laplace_integer_ratio eps y z t He H).
  replace (exp eps * (g t * laplace (1 / eps) (IZR z) t)) with (g t * (exp eps * laplace (1 / eps) (IZR z) t)) by ring.
  apply Rmult_le_compat_l; [apply G | exact R].
Qed.

(** ** Rounding *)

Definition rounded_mass (h : R) (z : Z) : R :=
  match Z.abs_nat z with O => 1 - h | S m => h * (h * h) ^ m * (1 - h * h) / 2 end.

Definition laplace_rounded (eps : R) (z k : Z) : R := rounded_mass (exp (- eps / 2)) (k - z).

Lemma total_rounded h n : total (window n) (rounded_mass h) = 1 - h * (h * h) ^ n.
Proof.
  induction n as [| n IH]; [unfold rounded_mass; simpl; ring |].
  cbn [window total]. rewrite IH. unfold rounded_mass.
  replace (Z.abs_nat (Z.of_nat (S n))) with (S n) by lia.
  replace (Z.abs_nat (- Z.of_nat (S n))) with (S n) by lia.
  simpl pow. field.
Qed.

Lemma rounded_mass_nonneg h z : 0 < h < 1 -> 0 <= rounded_mass h z.
Proof.
  intros H. unfold rounded_mass. destruct (Z.abs_nat z) as [| m]; [lra |].
  assert (0 <= (h * h) ^ m) by (apply pow_le; nra).
  assert (0 <= h * (h * h) ^ m) by (apply Rmult_le_pos; lra).
  assert (0 <= h * (h * h) ^ m * (1 - h * h)) by (apply Rmult_le_pos; nra). lra.
Qed.

Lemma rounded_mass_law h : 0 < h < 1 -> law (rounded_mass h).
Proof.
  intros H. assert (Pos := fun z => rounded_mass_nonneg h z H). assert (A : 0 < h * h < 1) by nra.
  split; [exact Pos | split].
  - intros s [l [N [_ ->]]]. destruct (inside_window l) as [n I].
    apply Rle_trans with (total (window n) (rounded_mass h)).
    + apply total_incl; [exact N | exact I | intros z _; apply Pos].
    + rewrite total_rounded. assert (0 < h * (h * h) ^ n); [| lra].
      apply Rmult_lt_0_compat; [lra | apply pow_lt; lra].
  - intros b Hb. destruct (Rle_or_lt 1 b) as [B | B]; [exact B | exfalso].
    destruct (pow_lt_1_zero (h * h)) with (y := 1 - b) as [n Hn]; [rewrite Rabs_right; lra | lra |].
    specialize (Hn n (le_n n)). assert (P : 0 < (h * h) ^ n) by (apply pow_lt; lra). rewrite Rabs_right in Hn by lra.
    assert (W : total (window n) (rounded_mass h) <= b).
    { apply Hb. exists (window n). split; [apply window_distinct | auto]. }
    rewrite total_rounded in W.
    assert (h * (h * h) ^ n <= 1 * (h * h) ^ n) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma half_ratio eps : 0 < eps -> 0 < exp (- eps / 2) < 1.
Proof. intros H. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Theorem rounded_law eps z : 0 < eps -> law (laplace_rounded eps z).
Proof. intros H. apply (shifted_law (rounded_mass (exp (- eps / 2)))), rounded_mass_law, half_ratio, H. Qed.

Lemma exp_of_distance eps m :
  0 < eps -> exp (- (INR m + / 2) / (1 / eps)) = exp (- eps / 2) * (exp (- eps / 2) * exp (- eps / 2)) ^ m.
Proof.
  intros H. rewrite <- exp_plus, exp_power, <- exp_plus. f_equal. field. lra.
Qed.

Lemma centred_integral eps (j : Z) :
  0 < eps -> is_RInt (laplace (1 / eps) 0) (IZR j - / 2) (IZR j + / 2) (rounded_mass (exp (- eps / 2)) j).
Proof.
  intros H. assert (B : 0 < 1 / eps) by (apply Rdiv_lt_0_compat; lra). set (h := exp (- eps / 2)).
  unfold rounded_mass. destruct (Z.abs_nat j) as [| m] eqn:J.
  - replace j with 0%Z by lia. simpl IZR.
    replace (1 - h) with (plus (exp (- 0 / (1 / eps)) / 2 - exp (- / 2 / (1 / eps)) / 2)
                               (exp (- 0 / (1 / eps)) / 2 - exp (- / 2 / (1 / eps)) / 2)).
    + apply (is_RInt_Chasles (laplace (1 / eps) 0) (0 - / 2) 0 (0 + / 2)).
      * replace (0 - / 2) with (- / 2) by ring. replace 0 with (- 0) at 2 by ring.
        apply laplace_lower_integral; [exact B | lra].
      * replace (0 + / 2) with (/ 2) by ring. apply laplace_upper_integral; [exact B | lra].
    + unfold plus. simpl. replace (- 0 / (1 / eps)) with 0 by (field; lra). rewrite exp_0.
      replace (- / 2 / (1 / eps)) with (- eps / 2) by (field; lra). fold h. field.
  - assert (Near := exp_of_distance eps m H). assert (Far := exp_of_distance eps (S m) H). fold h in Near, Far.
    rewrite S_INR in Far. simpl pow in Far. assert (P := pos_INR m).
    replace (h * (h * h) ^ m * (1 - h * h) / 2)
      with (exp (- (INR m + / 2) / (1 / eps)) / 2 - exp (- (INR m + 1 + / 2) / (1 / eps)) / 2)
      by (rewrite Near, Far; field).
    destruct (Z_lt_le_dec j 0) as [N | N].
    + replace (IZR j) with (- (INR m + 1)).
      * replace (- (INR m + 1) - / 2) with (- (INR m + 1 + / 2)) by ring.
        replace (- (INR m + 1) + / 2) with (- (INR m + / 2)) by field.
        apply laplace_lower_integral; [exact B | lra].
      * rewrite <- S_INR, INR_IZR_INZ, <- opp_IZR. f_equal. lia.
    + replace (IZR j) with (INR m + 1).
      * replace (INR m + 1 - / 2) with (INR m + / 2) by field.
        apply laplace_upper_integral; [exact B | lra].
      * rewrite <- S_INR, INR_IZR_INZ. f_equal. lia.
Qed.

Theorem rounded_integral eps (z k : Z) :
  0 < eps -> is_RInt (laplace (1 / eps) (IZR z)) (IZR k - / 2) (IZR k + / 2) (laplace_rounded eps z k).
Proof.
  intros H. assert (C := centred_integral eps (k - z) H). rewrite minus_IZR in C.
  replace (IZR k - IZR z - / 2) with (1 * (IZR k - / 2) + - IZR z) in C by ring.
  replace (IZR k - IZR z + / 2) with (1 * (IZR k + / 2) + - IZR z) in C by ring.
  apply (is_RInt_comp_lin (laplace (1 / eps) 0)) in C. eapply is_RInt_ext; [| exact C].
  intros t _. unfold scal, laplace. simpl. unfold mult. simpl. rewrite Rmult_1_l. f_equal. f_equal. f_equal. f_equal.
  f_equal. ring.
Qed.

Theorem laplace_rounded_private eps (y z : Z) (T : Z -> Prop) p q :
  0 < eps -> (Z.abs (y - z) <= 1)%Z ->
  mass_of (laplace_rounded eps y) T p -> mass_of (laplace_rounded eps z) T q -> p <= exp eps * q.
Proof.
  intros He H Hp Hq. assert (E := exp_pos eps).
  rewrite <- (Rplus_0_r (exp eps * q)).
  apply (mass_below_all_events (laplace_rounded eps y) (laplace_rounded eps z) (exp eps) 0 (Rlt_le _ _ E))
    with (T := T); [| exact Hp | exact Hq].
  apply mass_below_pointwise. intros k.
  assert (Y := rounded_integral eps y k He). assert (Z := rounded_integral eps z k He).
  apply (is_RInt_scal _ _ _ (exp eps)) in Z.
  apply (is_RInt_le (laplace (1 / eps) (IZR y)) (fun t => scal (exp eps) (laplace (1 / eps) (IZR z) t))
           (IZR k - / 2) (IZR k + / 2)); [lra | exact Y | exact Z |].
  intros t _. apply laplace_integer_ratio; assumption.
Qed.

(** ** One bit, rounded to the nearest bit *)

(** A bit with noise is rounded to the wrong one where the noise is beyond 1/2: with probability w. *)
Definition rounded_bit (w : R) (x : bool) : dist bool := coin (if x then 1 - w else w).

Theorem rounded_bit_private eps w :
  0 < eps -> is_RInt_gen (laplace (1 / eps) 0) (at_point (1 / 2)) (Rbar_locally p_infty) w ->
  local_dp (rounded_bit w) eps 0.
Proof.
  intros He Hw. assert (B : 0 < 1 / eps) by (apply Rdiv_lt_0_compat; lra).
  destruct (laplace_tail (1 / eps) (1 / 2) B ltac:(lra)) as [Tail _].
  assert (W : w = exp (- (1 / 2) / (1 / eps)) / 2).
  { rewrite <- (is_RInt_gen_unique _ _ Hw). apply is_RInt_gen_unique, Tail. }
  replace (- (1 / 2) / (1 / eps)) with (- (eps / 2)) in W by (field; lra). rewrite exp_Ropp in W.
  assert (H := exp_increasing 0 (eps / 2) ltac:(lra)). rewrite exp_0 in H.
  assert (E : exp eps = exp (eps / 2) * exp (eps / 2)) by (rewrite <- exp_plus; f_equal; field).
  set (h := exp (eps / 2)) in *. assert (I : h * / h = 1) by (apply Rinv_r; lra).
  assert (P : 0 < / h) by (apply Rinv_0_lt_compat; lra). assert (L : / h < 1) by nra.
  assert (V : 0 < w < 1 / 2) by lra. assert (EW : exp eps * w = h / 2) by (rewrite E, W; nra).
  intros x y T. rewrite E in EW |- *. unfold Pr, rounded_bit. rewrite !mean_coin.
  assert (I1 : forall b, 0 <= indicator T b <= 1) by (intros b; unfold indicator; destruct (T b); lra).
  assert (A := I1 true). assert (C := I1 false).
  assert (R : 1 - w <= h * h * w) by nra. assert (R' : w <= h * h * (1 - w)) by nra.
  assert (S : 0 <= (h * h - 1) * w) by (apply Rmult_le_pos; nra).
  assert (S' : 0 <= (h * h - 1) * (1 - w)) by (apply Rmult_le_pos; nra).
  set (t := indicator T true) in *. set (f := indicator T false) in *.
  assert (Same : forall v u, 0 <= v -> 0 <= u -> v * t + u * f <= h * h * (v * t + u * f)).
  { intros v u Hv Hu. assert (0 <= v * t) by (apply Rmult_le_pos; lra).
    assert (0 <= u * f) by (apply Rmult_le_pos; lra). nra. }
  assert (Other : (1 - w) * t + w * f <= h * h * (w * t + (1 - w) * f)).
  { assert ((1 - w) * t <= h * h * w * t) by (apply Rmult_le_compat_r; lra).
    assert (w * f <= h * h * (1 - w) * f) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Back : w * t + (1 - w) * f <= h * h * ((1 - w) * t + w * f)).
  { assert ((1 - w) * f <= h * h * w * f) by (apply Rmult_le_compat_r; lra).
    assert (w * t <= h * h * (1 - w) * t) by (apply Rmult_le_compat_r; lra). lra. }
  assert (One := Same (1 - w) w ltac:(lra) ltac:(lra)). assert (Zero := Same w (1 - w) ltac:(lra) ltac:(lra)).
  rewrite Rplus_0_r. destruct x, y; cbv beta iota; lra.
Qed.

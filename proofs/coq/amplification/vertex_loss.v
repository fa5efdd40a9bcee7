(** How much the absolute values of Theorem V lose: the bound of one row is near what that row attains.

    L is a law of finitely many values that are multiples of h; n = 2 j + t users hold it. The waves are those of
    lattice_waves.v, of the tilt lam = - ln q/h, and K is the law tilted, with the weights e^(lam v). Its moments are
    named in
    main_lobe.v. With r = 2 j, s = variance - fourth y0^2/12 and

        c = (t variance + D^2)/(r s) + 15 A^2/(r s)^3 + 16 b^j (u + y1^2)/(y0 y1),
        l = 2 (1 - q)/(h (1 + q)),  u = (1 - q)^2/(q h^2),  D = |n drift - 2/l|,  A = 2/(3 l^3) + n third/3:

    - [near_at]: if the frequencies are fine enough for kappa, (E e^(lam L))^n (1 - c (1 + 30 kappa)) times the sum of
      the
      sizes and the moduli of K to the power r is at most E max(0, L_1 + ... + L_n) + h M q^M.

    For h -> 0 both l and u^(1/2) are the tilt. Where the drift is 2/(lam n), D is 0; with w = n lam^2 variance, near
    z^2 at z
    standard deviations, the first two terms are t/n + 20/(3 w^3) in the limit of many users, and the third is of the
    order
    w/sqrt(n), times b^j: b bounds the squares of the moduli beyond y0, and 1 is always such a bound.

    Idea: a wave's mean is its bound times a cosine of an angle; the angle's linear part is D y, the cubic one A y^3,
    and
    the weights fall as a normal density. Source: this package. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import reals sums laws independence blanket wave_bounds lattice_waves node_waves.
From Exactdp Require Import swapped_messages wave_angles main_lobe falling_moments.
Import ListNotations.
Open Scope R_scope.

(** ** The tilted law *)

Definition tilted_mass (lam : R) (L : dist R) : R := mean L (fun v => exp (lam * v)).

Definition tilted (lam : R) (L : dist R) : dist R :=
  map (fun wa => (fst wa * exp (lam * snd wa) / tilted_mass lam L, snd wa)) L.

Lemma tilted_mass_positive lam L : proper L -> 0 < tilted_mass lam L.
Proof.
  intros H. destruct L as [| wa L].
  - destruct H as [_ H]. unfold mean in H. simpl in H. lra.
  - assert (Low : exists low, forall wb, In wb (wa :: L) -> low <= exp (lam * snd wb) /\ 0 < low).
    { clear H. induction (wa :: L) as [| wb l [low IH]]; [exists 1; intros wb [] |].
      exists (Rmin (exp (lam * snd wb)) (if Rlt_dec 0 low then low else 1)). intros wc [<- | I].
      - split; [apply Rmin_l |]. apply Rmin_glb_lt; [apply exp_pos | destruct (Rlt_dec 0 low); lra].
      - destruct (IH wc I) as [A B]. destruct (Rlt_dec 0 low); [| lra].
        split; [eapply Rle_trans; [apply Rmin_r | exact A] | apply Rmin_glb_lt; [apply exp_pos | exact B]]. }
    destruct Low as [low Hl]. destruct (Hl wa (or_introl eq_refl)) as [_ Lp].
    apply Rlt_le_trans with low; [exact Lp |]. rewrite <- (Rmult_1_r low). unfold tilted_mass.
    replace 1 with (mean (wa :: L) (fun _ => 1)) by (apply mean_const, H). rewrite <- mean_scal.
    apply total_le. intros wb I. assert (0 <= fst wb) by (apply (proj1 H), I). destruct (Hl wb I). nra.
Qed.

Lemma mean_tilted lam L f : mean (tilted lam L) f = mean L (fun v => exp (lam * v) * f v) / tilted_mass lam L.
Proof.
  unfold tilted, mean at 1. rewrite total_map. cbn [fst snd]. unfold mean, Rdiv. rewrite <- total_scal_r.
  apply total_ext. intros wa _. ring.
Qed.

Lemma proper_tilted lam L : proper L -> proper (tilted lam L).
Proof.
  intros H. assert (P := tilted_mass_positive lam L H). split.
  - intros wa I. apply in_map_iff in I. destruct I as [wb [<- I]]. simpl. unfold Rdiv.
    apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, P]. apply Rmult_le_pos; [apply (proj1 H), I | left; apply
      exp_pos].
  - rewrite mean_tilted. rewrite (mean_ext L _ (fun v => exp (lam * v))) by (intros; ring).
    fold (tilted_mass lam L). field. lra.
Qed.

Lemma floor_of x : 0 <= x -> exists k, INR k <= x < INR k + 1.
Proof.
  intros H. exists (Z.to_nat (up x - 1)). destruct (archimed x) as [A B].
  rewrite INR_IZR_INZ, Z2Nat.id, minus_IZR; [lra |].
  assert (0 < up x)%Z by (apply lt_IZR; lra). lia.
Qed.

Lemma bernoulli x j : 0 <= x <= 1 -> 1 - INR j * x <= (1 - x) ^ j.
Proof.
  intros H. induction j as [| j IH]; [simpl; lra |]. rewrite S_INR. simpl pow.
  assert (0 <= INR j) by apply pos_INR.
  apply Rle_trans with ((1 - x) * (1 - INR j * x)); [nra | apply Rmult_le_compat_l; lra].
Qed.

(** Of 1/k^2 beyond K. *)
Lemma inverse_squares K m :
  (1 <= K)%nat -> total (seq (S K) m) (fun k => / INR k ^ 2) <= / INR K - / INR (K + m).
Proof.
  intros H. induction m as [| m IH]; [rewrite Nat.add_0_r; simpl; lra |].
  rewrite seq_S, total_app. cbn [total]. rewrite Rplus_0_r.
  replace (S K + m)%nat with (S (K + m)) by lia. replace (K + S m)%nat with (S (K + m)) by lia.
  assert (P : 0 < INR (K + m)) by (apply lt_0_INR; lia). rewrite S_INR in *.
  set (x := INR (K + m)) in *.
  assert (E : / (x + 1) ^ 2 <= / x - / (x + 1)).
  { replace (/ x - / (x + 1)) with (/ (x * (x + 1))) by (field; lra). apply Rinv_le_contravar; nra. }
  lra.
Qed.

Section Vertex.

Context (h q y0 y1 b : R) (L : dist R) (j t : nat).
Hypothesis h_pos : 0 < h.
Hypothesis q_range : 1 / 3 <= q < 1.
Hypothesis L_proper : proper L.
Hypothesis L_multiples : multiples h L.
Hypothesis some : (1 <= j)%nat.

Let lam := - ln q / h.
Let K := tilted lam L.
Let n := (2 * j + t)%nat.
Let s := variance K - fourth K * y0 ^ 2 / 12.

Hypothesis s_pos : 0 < s.
Hypothesis y1_range : 0 < y1 <= y0.
Hypothesis lobe : y0 * h <= 2.
Hypothesis lobe_variance : variance K * y0 ^ 2 <= 1.
Hypothesis core : 2 * INR j * (variance K * y1 ^ 2) <= 1.
Hypothesis b_range : 0 <= b.
Hypothesis beyond : forall y, y0 <= y <= PI / h -> square_modulus K y <= b.

Definition lattice_tilt : R := 2 * (1 - q) / (h * (1 + q)).
Definition lattice_tilt_above : R := (1 - q) ^ 2 / (q * h ^ 2).

Let a := 2 * INR j * s.
Let D := Rabs (INR n * drift K - 2 / lattice_tilt).
Let A := 2 / 3 / lattice_tilt ^ 3 + INR n * (third K / 3).
Let out := 8 * b ^ j * ((lattice_tilt_above + y1 ^ 2) / (y0 * y1)).

Definition loss : R := (INR t * variance K + D ^ 2) / a + 15 * A ^ 2 / a ^ 3 + 2 * out.

Let K_proper : proper K := proper_tilted lam L L_proper.
Let mass_pos : 0 < tilted_mass lam L := tilted_mass_positive lam L L_proper.

(** ** One wave *)

Section Fixed.

Context (N : nat).
Let M := places_of N.
Let eta := spacing h N.
Let w (k : nat) : wave := lattice_wave h q M 1 k.
Let y (k : nat) : R := INR k * eta.

Let M_positive : 0 < INR M := M_above N.
Let eta_positive : 0 < eta := eta_pos h N h_pos.

Lemma M_some : (1 <= M)%nat.
Proof. unfold M, places_of. lia. Qed.

Lemma falls : 0 < q < 1.
Proof. lra. Qed.

Lemma turn_is k : turn M k = y k * h.
Proof.
  unfold y, eta, spacing, turn. fold M. assert (P := PI_RGT_0). field. split; apply Rgt_not_eq; assumption.
Qed.

Lemma frequency_is k : frequency (w k) = y k.
Proof. unfold w, lattice_wave. cbn [frequency]. rewrite turn_is. field. lra. Qed.

Lemma tilt_is k : tilt (w k) = lam.
Proof. reflexivity. Qed.

Lemma real_part_is k : real_part (w k) L = tilted_mass lam L * mean K (fun v => cos (y k * v)).
Proof. unfold real_part, K. rewrite mean_tilted, frequency_is, tilt_is. field. lra. Qed.

Lemma imaginary_part_is k : imaginary_part (w k) L = tilted_mass lam L * mean K (fun v => sin (y k * v)).
Proof. unfold imaginary_part, K. rewrite mean_tilted, frequency_is, tilt_is. field. lra. Qed.

Lemma modulus_is k : modulus (w k) L = tilted_mass lam L * sqrt (square_modulus K (y k)).
Proof.
  unfold modulus. rewrite real_part_is, imaginary_part_is, (square_modulus_parts K 0).
  rewrite <- (sqrt_pow2 (tilted_mass lam L)) at 3 by lra. rewrite <- sqrt_mult_alt by apply pow2_ge_0. f_equal.
  rewrite (mean_ext K (fun v => cos (y k * (v - 0))) (fun v => cos (y k * v))),
    (mean_ext K (fun v => sin (y k * (v - 0))) (fun v => sin (y k * v))) by (intros v; f_equal; ring). ring.
Qed.

Definition strength (k : nat) : R := size (w k) * square_modulus K (y k) ^ j.

Lemma strength_nonneg k : 0 <= strength k.
Proof. apply Rmult_le_pos; [apply size_nonneg | apply pow_le, square_modulus_nonneg]. Qed.

Lemma sqrt_power k : sqrt (square_modulus K (y k)) ^ (2 * j) = square_modulus K (y k) ^ j.
Proof. rewrite pow_mult, pow2_sqrt by apply square_modulus_nonneg. reflexivity. Qed.

Lemma power_is k : size (w k) * modulus (w k) L ^ (2 * j) = tilted_mass lam L ^ (2 * j) * strength k.
Proof. rewrite modulus_is, Rpow_mult_distr, sqrt_power. unfold strength. ring. Qed.

Definition wave_mean (k : nat) : R := mean (draws (repeat L n)) (fun l => height (w k) (sum_of_values l)).

Lemma root_range k : 0 <= sqrt (square_modulus K (y k)) <= 1.
Proof.
  split; [apply sqrt_pos |]. rewrite <- sqrt_1. apply sqrt_le_1_alt, square_modulus_at_most, K_proper.
Qed.

Lemma wave_mean_beyond k : - (tilted_mass lam L ^ n * strength k) <= wave_mean k.
Proof.
  set (v := Wave (- in_phase (w k)) (- out_of_phase (w k)) (tilt (w k)) (frequency (w k))).
  assert (B := mean_of_wave_le v (repeat L n)).
  rewrite product_over_repeat in B. replace (modulus v L) with (modulus (w k) L) in B by reflexivity.
  replace (size v) with (size (w k)) in B by (unfold size, v; cbn [in_phase out_of_phase]; f_equal; ring).
  rewrite (mean_ext _ _ (fun l => -1 * height (w k) (sum_of_values l))), mean_scal in B
    by (intros l; unfold height, v; cbn [in_phase out_of_phase tilt frequency]; ring).
  fold (wave_mean k) in B. rewrite modulus_is, Rpow_mult_distr in B. unfold n in B at 2.
  rewrite pow_add, sqrt_power in B. unfold strength.
  assert (R0 := root_range k). assert (P := pow_incr _ 1 t R0). rewrite pow1 in P.
  assert (0 <= size (w k) * (tilted_mass lam L ^ n * square_modulus K (y k) ^ j)).
  { apply Rmult_le_pos; [apply size_nonneg |]. apply Rmult_le_pos; [apply pow_le; lra | apply pow_le,
    square_modulus_nonneg]. }
  nra.
Qed.

Lemma y_nonneg k : 0 <= y k.
Proof. apply Rmult_le_pos; [apply pos_INR | lra]. Qed.

Lemma lattice_tilt_positive : 0 < lattice_tilt.
Proof. unfold lattice_tilt. apply Rdiv_lt_0_compat; [lra | apply Rmult_lt_0_compat; lra]. Qed.

Lemma wave_mean_in_lobe k :
  y k <= y0 ->
  tilted_mass lam L ^ n * (strength k * (1 - (INR t * variance K + D ^ 2) * y k ^ 2 - A ^ 2 * y k ^ 6)) <= wave_mean k.
Proof.
  intros Hk. assert (Y := y_nonneg k). set (z := y k) in *. assert (P3 := PI2_3_2).
  assert (V : variance K * z ^ 2 <= 1).
  { eapply Rle_trans; [| exact lobe_variance]. apply Rmult_le_compat_l; [apply variance_nonneg, K_proper |].
    apply pow_incr. lra. }
  destruct (angle_of_law K K_proper z Y V) as [al [A1 [A2 A3]]].
  assert (0 <= z * h) by (apply Rmult_le_pos; lra). assert (z * h <= y0 * h) by (apply Rmult_le_compat_r; lra).
  assert (X : 0 <= z * h / 2 <= 1) by lra.
  assert (Ang : has_angle (w k) L (tilted_mass lam L * sqrt (square_modulus K z)) al).
  { split; [rewrite real_part_is | rewrite imaginary_part_is]; fold z; [rewrite A1 | rewrite A2]; ring. }
  destruct (wave_parts h q M h_pos falls M_some k) as [W1 W2]; [rewrite turn_is; fold z; nra |].
  assert (E := mean_of_sum (w k) L _ al n _ Ang W1 W2). fold (wave_mean k) in E. rewrite E. clear E.
  set (th := INR n * al - 2 * half_angle q M k). set (g := square_modulus K z) in *.
  assert (Th : Rabs th <= D * z + A * z ^ 3).
  { assert (L0 := lattice_tilt_positive). set (c := (1 + q) / (1 - q)).
    assert (C2 : 2 <= c).
    { unfold c. apply Rmult_le_reg_r with (1 - q); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (T := twice_atan c (z * h / 2) C2 X).
    assert (S : c * (z * h / 2) = z / lattice_tilt) by (unfold c, lattice_tilt; field; lra).
    rewrite S in T. set (be := 2 * atan (c * tan (z * h / 2))) in *.
    assert (Eth : th = INR n * al - be) by (unfold th, half_angle; rewrite turn_is; reflexivity).
    replace th with ((INR n * drift K - 2 / lattice_tilt) * z + (INR n * (al - z * drift K) - (be - 2 * (z /
      lattice_tilt)))) by (rewrite Eth; field; lra).
    eapply Rle_trans; [apply Rabs_triang |]. rewrite Rabs_mult, (Rabs_pos_eq z Y). fold D.
    apply Rplus_le_compat_l. unfold Rminus at 1. eapply Rle_trans; [apply Rabs_triang |].
    rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (INR n)) by apply pos_INR.
    assert (INR n * Rabs (al - z * drift K) <= INR n * (z ^ 3 * third K / 3))
      by (apply Rmult_le_compat_l; [apply pos_INR | exact A3]).
    replace (A * z ^ 3) with (INR n * (z ^ 3 * third K / 3) + 2 / 3 * (z / lattice_tilt) ^ 3)
      by (unfold A; field; lra). lra. }
  assert (Cos : 1 - D ^ 2 * z ^ 2 - A ^ 2 * z ^ 6 <= cos th).
  { assert (C := cosine_above th). assert (th ^ 2 <= (D * z + A * z ^ 3) ^ 2).
    { rewrite <- (pow2_abs th). apply pow_incr. split; [apply Rabs_pos | exact Th]. }
    assert (0 <= (D * z - A * z ^ 3) ^ 2) by apply pow2_ge_0.
    replace (A ^ 2 * z ^ 6) with ((A * z ^ 3) ^ 2) by ring. replace (D ^ 2 * z ^ 2) with ((D * z) ^ 2) by ring. lra. }
  assert (G0 := square_modulus_nonneg K z). assert (G1 := square_modulus_at_most K K_proper z). fold g in G0, G1.
  assert (R0 := root_range k). fold z g in R0. set (ro := sqrt g) in *.
  assert (Ro : g <= ro).
  { assert (ro * ro = g) by (apply sqrt_sqrt, G0). assert (ro * ro <= 1 * ro) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Pt : 1 - INR t * variance K * z ^ 2 <= ro ^ t).
  { assert (Ab := square_modulus_above K K_proper z). fold g in Ab.
    eapply Rle_trans; [| apply pow_incr; split; [| exact Ro]; exact G0].
    eapply Rle_trans; [| apply Rle_trans with ((1 - (1 - g)) ^ t); [apply bernoulli; lra | right; f_equal; ring]].
    assert (INR t * (1 - g) <= INR t * (variance K * z ^ 2)) by (apply Rmult_le_compat_l; [apply pos_INR | lra]). lra. }
  rewrite Rpow_mult_distr.
  assert (Split : ro ^ n = square_modulus K (y k) ^ j * ro ^ t)
    by (unfold n; rewrite pow_add; f_equal; exact (sqrt_power k)).
  rewrite Split.
  assert (St := strength_nonneg k). assert (Mp := pow_lt _ n mass_pos).
  replace (size (w k) * (tilted_mass lam L ^ n * (square_modulus K (y k) ^ j * ro ^ t)) * cos th)
    with (tilted_mass lam L ^ n * (strength k * (ro ^ t * cos th))) by (unfold strength; ring).
  apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; [exact St |].
  assert (CB := COS_bound th). assert (Rt : 0 <= ro ^ t <= 1).
  { split; [apply pow_le; lra |]. rewrite <- (pow1 t). apply pow_incr. lra. }
  assert (0 <= (1 - ro ^ t) * (1 - cos th)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** All waves *)

Let Z : R := h / INR M * (q * (1 - q ^ M) ^ 2).

Lemma Z_nonneg : 0 <= Z.
Proof.
  unfold Z. apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; lra |]. apply Rmult_le_pos; [lra | apply pow2_ge_0].
Qed.

Definition spread_out (k : nat) : R := 1 - 2 * q * cos (y k * h) + q ^ 2.

Lemma size_is k : size (w k) = Z / spread_out k.
Proof.
  unfold w. rewrite (wave_of_turns_size h q M 1 h_pos falls M_some), turn_is, Nat.mul_1_l.
  unfold Z, spread_out, Rdiv. ring.
Qed.

Lemma spread_out_is k : spread_out k = (1 - q) ^ 2 + 4 * q * sin (y k * h / 2) ^ 2.
Proof. unfold spread_out. rewrite cosine_of_half. ring. Qed.

Lemma spread_out_positive k : 0 < spread_out k.
Proof.
  rewrite spread_out_is. assert (0 < (1 - q) ^ 2) by (apply pow_lt; lra).
  assert (X := pow2_ge_0 (sin (y k * h / 2))). nra.
Qed.

Lemma spread_out_at_most k : spread_out k <= q * h ^ 2 * (lattice_tilt_above + y k ^ 2).
Proof.
  unfold spread_out, lattice_tilt_above. assert (C := cosine_above (y k * h)).
  replace (q * h ^ 2 * ((1 - q) ^ 2 / (q * h ^ 2) + y k ^ 2)) with ((1 - q) ^ 2 + q * (y k * h) ^ 2) by (field; lra).
    nra.
Qed.

Lemma spread_out_at_least k : y k * h <= PI -> q * (y k * h) ^ 2 / 4 <= spread_out k.
Proof.
  intros H. rewrite spread_out_is. assert (Y := y_nonneg k). set (x := y k * h / 2).
  assert (X : 0 <= x) by (unfold x; nra). assert (S := sine_above_all x X).
  assert (X2 : x <= 5 / 3).
  { apply Rle_trans with (PI / 2); [unfold x; lra |]. destruct (Rle_lt_dec (PI / 2) (5 / 3)) as [Le | Lt]; [exact Le |].
    assert (C := cosine_falls 1 0 (5 / 3) ltac:(lra)). rewrite !Rmult_1_r, cos_0 in C.
    assert (G := cos_gt_0 (5 / 3) ltac:(lra) Lt). lra. }
  assert (Hs : x / 2 <= sin x) by nra. assert (Sq : (x / 2) ^ 2 <= sin x ^ 2) by (apply pow_incr; lra).
  replace (q * (y k * h) ^ 2 / 4) with (4 * q * (x / 2) ^ 2) by (unfold x; field).
  assert (0 <= (1 - q) ^ 2) by apply pow2_ge_0. nra.
Qed.

Lemma strength_falls k :
  y (S k) <= y0 -> strength (S k) * (1 + a * eta * (INR k * eta)) <= strength k.
Proof.
  intros Hk. fold (y k). assert (Y := y_nonneg k). assert (Next : y (S k) = y k + eta) by (unfold y; rewrite S_INR;
    ring).
  assert (G := square_modulus_falls K K_proper (y k) (y (S k)) y0 ltac:(lra) Hk). fold s in G.
  assert (G1 := square_modulus_at_most K K_proper (y (S k))). assert (G0 := square_modulus_nonneg K (y (S k))).
  set (g' := square_modulus K (y (S k))) in *. set (x := (y (S k) ^ 2 - y k ^ 2) * s) in *.
  assert (X : 0 < x).
  { unfold x. rewrite Next. replace ((y k + eta) ^ 2 - y k ^ 2) with (eta * (2 * y k + eta)) by ring.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | exact s_pos]. }
  assert (B := poly j x X).
  assert (Pw : g' ^ j * (1 + INR j * x) <= square_modulus K (y k) ^ j).
  { apply Rle_trans with ((g' * (1 + x)) ^ j).
    - rewrite Rpow_mult_distr. apply Rmult_le_compat_l; [apply pow_le, G0 | exact B].
    - apply pow_incr. split; [apply Rmult_le_pos; lra | nra]. }
  assert (Le : a * eta * y k <= INR j * x).
  { unfold a, x. rewrite Next. assert (1 <= INR j) by (apply (le_INR 1), some).
    replace (INR j * (((y k + eta) ^ 2 - y k ^ 2) * s)) with (2 * INR j * s * eta * y k + INR j * s * eta ^ 2) by ring.
    assert (0 <= INR j * s * eta ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply pow2_ge_0]). lra. }
  assert (Sz : size (w (S k)) <= size (w k)).
  { rewrite !size_is. unfold Rdiv. apply Rmult_le_compat_l; [apply Z_nonneg |].
    apply Rinv_le_contravar; [apply spread_out_positive |]. unfold spread_out.
    assert (cos (y (S k) * h) <= cos (y k * h)).
    { assert (P := PI2_3_2). destruct (Req_dec (y (S k) * h) (y k * h)) as [-> | No]; [apply Rle_refl |].
      assert (0 <= y k * h) by (apply Rmult_le_pos; lra). assert (y k * h < y (S k) * h) by (rewrite Next; apply Rmult_lt_compat_r; lra).
      assert (y (S k) * h <= 2) by (apply Rle_trans with (y0 * h); [apply Rmult_le_compat_r; lra | exact lobe]).
      left. apply cos_decreasing_1; lra. }
    apply Rplus_le_compat_r, Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; lra. }
  unfold strength. fold g'. assert (S0 := size_nonneg (w (S k))). assert (S1 := size_nonneg (w k)).
  assert (P0 := pow_le g' j G0).
  apply Rle_trans with (size (w k) * (g' ^ j * (1 + INR j * x))); [| apply Rmult_le_compat_l; assumption].
  rewrite Rmult_assoc. apply Rmult_le_compat; [exact S0 | | exact Sz |].
  - apply Rmult_le_pos; [exact P0 |]. assert (0 <= a * eta * y k); [| lra].
    apply Rmult_le_pos; [| exact Y]. apply Rmult_le_pos; [| lra]. unfold a.
    assert (1 <= INR j) by (apply (le_INR 1), some). apply Rmult_le_pos; lra.
  - apply Rmult_le_compat_l; [exact P0 | lra].
Qed.

Lemma strength_at_least k : y k <= y1 -> Z / (2 * (q * h ^ 2 * (lattice_tilt_above + y1 ^ 2))) <= strength k.
Proof.
  intros Hk. assert (Y := y_nonneg k). unfold strength. rewrite size_is.
  assert (Y2 : y k ^ 2 <= y1 ^ 2) by (apply pow_incr; lra). assert (V := variance_nonneg K K_proper).
  assert (J : 1 <= INR j) by (apply (le_INR 1), some).
  assert (Half : 1 / 2 <= square_modulus K (y k) ^ j).
  { assert (G := square_modulus_above K K_proper (y k)).
    assert (Vy : 0 <= variance K * y k ^ 2 <= variance K * y1 ^ 2)
      by (split; [apply Rmult_le_pos; [exact V | apply pow2_ge_0] | apply Rmult_le_compat_l; assumption]).
    assert (1 * (variance K * y1 ^ 2) <= INR j * (variance K * y1 ^ 2)) by (apply Rmult_le_compat_r; lra).
    assert (INR j * (variance K * y k ^ 2) <= INR j * (variance K * y1 ^ 2)) by (apply Rmult_le_compat_l; lra).
    apply Rle_trans with ((1 - variance K * y k ^ 2) ^ j); [| apply pow_incr; lra].
    eapply Rle_trans; [| apply bernoulli; lra]. lra. }
  assert (U := spread_out_at_most k). assert (Sp := spread_out_positive k). assert (Zn := Z_nonneg).
  assert (Up : 0 < q * h ^ 2) by (apply Rmult_lt_0_compat; [lra | apply pow_lt, h_pos]).
  assert (U' : spread_out k <= q * h ^ 2 * (lattice_tilt_above + y1 ^ 2))
    by (eapply Rle_trans; [exact U | apply Rmult_le_compat_l; lra]).
  set (big := q * h ^ 2 * (lattice_tilt_above + y1 ^ 2)) in *.
  apply Rle_trans with (Z / big * (1 / 2)); [right; field; lra |].
  apply Rmult_le_compat; [| lra | | exact Half].
  - apply Rmult_le_pos; [exact Zn | left; apply Rinv_0_lt_compat; lra].
  - apply Rmult_le_compat_l; [exact Zn | apply Rinv_le_contravar; assumption].
Qed.

Lemma strength_beyond k :
  y0 <= y k -> (k <= N)%nat -> (1 <= k)%nat -> strength k <= b ^ j * (4 * Z / (q * h ^ 2 * eta ^ 2)) * / INR k ^ 2.
Proof.
  intros Hk L1 L2. assert (Yk : y k * h <= PI).
  { rewrite <- turn_is. unfold turn. assert (Q := PI_RGT_0). apply Rmult_le_reg_r with (INR M); [exact M_positive |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    assert (2 * INR k <= INR M) by (replace 2 with (INR 2) by reflexivity; rewrite <- mult_INR; apply le_INR;
      unfold M, places_of; lia). nra. }
  assert (B := beyond (y k)). assert (G0 := square_modulus_nonneg K (y k)). assert (Zn := Z_nonneg).
  assert (Bk : square_modulus K (y k) <= b).
  { apply B. split; [exact Hk |]. apply Rmult_le_reg_r with h; [exact h_pos |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. exact Yk. }
  assert (Pj := pow_incr _ _ j (conj G0 Bk)). assert (Low := spread_out_at_least k Yk).
  assert (Kp : 0 < INR k) by (apply lt_0_INR; lia). assert (Yp : 0 < y k * h) by (apply Rmult_lt_0_compat; lra).
  unfold strength. rewrite size_is, (Rmult_comm (Z / _)), Rmult_assoc.
  apply Rmult_le_compat; [apply pow_le, G0 | | exact Pj |].
  - apply Rmult_le_pos; [exact Zn | left; apply Rinv_0_lt_compat, spread_out_positive].
  - replace (4 * Z / (q * h ^ 2 * eta ^ 2) * / INR k ^ 2) with (Z / (q * (y k * h) ^ 2 / 4))
      by (unfold y; field; repeat split; lra).
    apply Rmult_le_compat_l; [exact Zn |]. apply Rinv_le_contravar; [| exact Low].
    apply Rmult_lt_0_compat; [| lra]. apply Rmult_lt_0_compat; [lra | apply pow_lt, Yp].
Qed.

(** Frequencies come in pairs. *)
Lemma turned_back k z : (1 <= k <= N)%nat -> cos (turn M (2 * N + 1 - k) * IZR z) = cos (turn M k * IZR z).
Proof.
  intros H. unfold turn. rewrite minus_INR by lia. fold (places_of N) M.
  replace (2 * PI * (INR M - INR k) / INR M * IZR z) with (- (2 * PI * INR k / INR M * IZR z) + 2 * PI * IZR z)
    by (field; lra).
  rewrite (proj1 (whole_turns _ z)). apply cos_neg.
Qed.

Lemma strength_back k : (1 <= k <= N)%nat -> strength (2 * N + 1 - k) = strength k.
Proof.
  intros H. unfold strength. rewrite !size_is. f_equal.
  - unfold spread_out. rewrite <- !turn_is. assert (T := turned_back k 1 H). rewrite !Rmult_1_r in T. rewrite T.
      reflexivity.
  - f_equal. unfold square_modulus. apply total_ext. intros wa Ia. f_equal. apply total_ext. intros wb Ib. f_equal.
    apply in_map_iff in Ia. destruct Ia as [va [<- Ia]]. apply in_map_iff in Ib. destruct Ib as [vb [<- Ib]]. cbn [snd].
    destruct (L_multiples va Ia) as [za ->]. destruct (L_multiples vb Ib) as [zb ->].
    replace (IZR za * h - IZR zb * h) with (h * IZR (za - zb)) by (rewrite minus_IZR; ring).
    rewrite <- !Rmult_assoc, <- !turn_is. apply turned_back, H.
Qed.

Lemma sums_are_multiples wl : In wl (draws (repeat L n)) -> exists z, sum_of_values (snd wl) = IZR z * h.
Proof.
  intros I. destruct (sums_of_multiples h (repeat L n)) as [top T].
  - apply Forall_forall. intros d J. apply repeat_spec in J. subst d. exact L_multiples.
  - destruct (T top (Nat.le_refl top) wl I) as [z [E _]]. exists z. exact E.
Qed.

Lemma wave_mean_back k : (1 <= k <= N)%nat -> wave_mean (2 * N + 1 - k) = wave_mean k.
Proof.
  intros H. unfold wave_mean. apply total_ext. intros wl I. f_equal.
  destruct (sums_are_multiples wl I) as [z ->]. unfold w. rewrite !height_on_lattice by exact h_pos. f_equal.
  apply total_ext. intros p _. f_equal. apply turned_back, H.
Qed.

(** ** Their sum *)

Section Sum.

Context (kappa : R).
Hypothesis kappa_small : 0 < kappa <= 1 / 100.
Hypothesis fine : eta ^ 2 * a <= kappa ^ 4.
Hypothesis finer : eta <= kappa * y1.
Hypothesis top_M : forall wl z, In wl (draws (repeat L n)) -> sum_of_values (snd wl) = IZR z * h -> (z <= Z.of_nat M)%Z.

Lemma lobe_ends : exists K0 K1, (1 <= K1 <= K0)%nat /\ (K0 <= N)%nat /\ INR K0 * eta <= y0 /\ y0 < INR (S K0) * eta /\
  INR K1 * eta <= y1 /\ (1 - kappa) * y0 <= INR K0 * eta /\ (1 - kappa) * y1 <= INR K1 * eta.
Proof.
  destruct (floor_of (y0 / eta)) as [K0 [A1 A2]].
  { unfold Rdiv. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, eta_positive]. }
  destruct (floor_of (y1 / eta)) as [K1 [B1 B2]].
  { unfold Rdiv. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, eta_positive]. }
  assert (T : forall x, x / eta * eta = x) by (intros x; field; lra).
  assert (A1' : INR K0 * eta <= y0) by (rewrite <- (T y0); apply Rmult_le_compat_r; lra).
  assert (A2' : y0 < INR (S K0) * eta) by (rewrite S_INR, <- (T y0) at 1; apply Rmult_lt_compat_r; lra).
  assert (B1' : INR K1 * eta <= y1) by (rewrite <- (T y1); apply Rmult_le_compat_r; lra).
  assert (B2' : y1 < (INR K1 + 1) * eta) by (rewrite <- (T y1) at 1; apply Rmult_lt_compat_r; lra).
  assert (kappa * y1 <= kappa * y0) by (apply Rmult_le_compat_l; lra).
  exists K0, K1. rewrite S_INR in *. repeat split; try assumption; try lra.
  - destruct K1 as [| K1]; [| lia]. simpl in B2'. assert (kappa * y1 <= 1 / 100 * y1) by (apply Rmult_le_compat_r; lra). lra.
  - apply INR_le. apply Rmult_le_reg_r with eta; [exact eta_positive |].
    destruct (Rle_lt_dec (INR K1) (INR K0)) as [Le | Lt]; [apply Rmult_le_compat_r; lra |]. exfalso.
    apply INR_lt in Lt. assert (Q : INR (S K0) <= INR K1) by (apply le_INR; lia). rewrite S_INR in Q.
    apply (Rmult_le_compat_r eta) in Q; lra.
  - apply INR_le. destruct (Rle_lt_dec (INR K0) (INR N)) as [Le | Lt]; [exact Le |]. exfalso. apply INR_lt in Lt.
    assert (Q : INR (S N) <= INR K0) by (apply le_INR; lia). rewrite S_INR in Q.
    assert (E : eta * (h * INR M) = 2 * PI).
    { unfold eta, spacing. fold M. field. split; apply Rgt_not_eq; assumption. }
    assert (Mn : INR M <= 2 * (INR N + 1)) by (unfold M, places_of; rewrite plus_INR, mult_INR; simpl; lra).
    assert (P := PI2_3_2). assert (X : INR M * eta <= 2 * INR K0 * eta) by (apply Rmult_le_compat_r; lra).
    assert (h * (INR M * eta) <= h * (2 * y0)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma beyond_small K0 K1 :
  (1 <= K1 <= K0)%nat -> (K0 <= N)%nat -> y0 < INR (S K0) * eta -> INR K1 * eta <= y1 ->
  (1 - kappa) * y0 <= INR K0 * eta -> (1 - kappa) * y1 <= INR K1 * eta ->
  total (seq (S K0) (N - K0)) strength <= out * (1 + 30 * kappa) * total (seq 1 K0) strength.
Proof.
  intros H1 H2 E1 E2 E3 E4. assert (Zn := Z_nonneg). assert (Bj := pow_le b j b_range).
  assert (P0 : 0 < INR K0) by (apply lt_0_INR; lia). assert (P1 : 0 < INR K1) by (apply lt_0_INR; lia).
  assert (Pe := Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ P0 eta_positive) (Rmult_lt_0_compat _ _ P1 eta_positive)).
  assert (Qh : 0 < q * h ^ 2) by (apply Rmult_lt_0_compat; [lra | apply pow_lt, h_pos]).
  assert (Le : 0 < eta ^ 2) by (apply pow_lt, eta_positive).
  assert (Lt0 : 0 <= lattice_tilt_above).
  { unfold lattice_tilt_above. apply Rmult_le_pos; [apply pow2_ge_0 | left; apply Rinv_0_lt_compat, Qh]. }
  assert (Y1 : 0 < y1 ^ 2) by (apply pow_lt; lra).
  set (u := lattice_tilt_above + y1 ^ 2) in *. assert (U : 0 < u) by (unfold u; lra).
  set (v := Z / (2 * (q * h ^ 2 * u))).
  assert (V : 0 <= v) by (unfold v, Rdiv; apply Rmult_le_pos; [exact Zn | left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; [lra |];
    apply Rmult_lt_0_compat; assumption]).
  assert (T0 : INR K1 * v <= total (seq 1 K0) strength).
  { replace K0 with (K1 + (K0 - K1))%nat by lia. rewrite seq_app, total_app.
    assert (0 <= total (seq (1 + K1) (K0 - K1)) strength) by (apply total_nonneg; intros; apply strength_nonneg).
    assert (INR K1 * v <= total (seq 1 K1) strength); [| lra].
    rewrite <- (seq_length K1 1) at 1. rewrite <- total_const. apply total_le. intros k I. apply in_seq in I.
    apply strength_at_least. unfold y. assert (INR k <= INR K1) by (apply le_INR; lia).
    apply Rle_trans with (INR K1 * eta); [apply Rmult_le_compat_r; lra | exact E2]. }
  assert (To : total (seq (S K0) (N - K0)) strength <= b ^ j * (4 * Z / (q * h ^ 2 * eta ^ 2)) * / INR K0).
  { apply Rle_trans with (total (seq (S K0) (N - K0)) (fun k => b ^ j * (4 * Z / (q * h ^ 2 * eta ^ 2)) * / INR k ^ 2)).
    - apply total_le. intros k I. apply in_seq in I. apply strength_beyond; try lia.
      assert (INR (S K0) <= INR k) by (apply le_INR; lia). unfold y.
      apply Rle_trans with (INR (S K0) * eta); [lra | apply Rmult_le_compat_r; lra].
    - rewrite total_scal. apply Rmult_le_compat_l.
      + apply Rmult_le_pos; [exact Bj |]. unfold Rdiv. apply Rmult_le_pos; [lra |]. left.
        apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption.
      + assert (S := inverse_squares K0 (N - K0) ltac:(lia)).
        assert (0 < / INR (K0 + (N - K0))) by (apply Rinv_0_lt_compat, lt_0_INR; lia). lra. }
  eapply Rle_trans; [exact To |].
  assert (R1 : b ^ j * (4 * Z / (q * h ^ 2 * eta ^ 2)) * / INR K0 =
    8 * b ^ j * (u / (INR K0 * eta * (INR K1 * eta))) * (INR K1 * v)) by (unfold v; field; repeat split; lra).
  rewrite R1. apply Rmult_le_compat; [| apply Rmult_le_pos; lra | | exact T0].
  - apply Rmult_le_pos; [lra |]. left. apply Rdiv_lt_0_compat; [exact U | exact Pe].
  - unfold out. fold u. rewrite (Rmult_assoc (8 * b ^ j) (u / (y0 * y1))). apply Rmult_le_compat_l; [lra |].
    apply Rmult_le_reg_r with (INR K0 * eta * (INR K1 * eta) * (y0 * y1));
      [apply Rmult_lt_0_compat; [exact Pe | apply Rmult_lt_0_compat; lra] |].
    replace (u / (INR K0 * eta * (INR K1 * eta)) * (INR K0 * eta * (INR K1 * eta) * (y0 * y1))) with (u * (y0 * y1))
      by (field; repeat split; lra).
    replace (u / (y0 * y1) * (1 + 30 * kappa) * (INR K0 * eta * (INR K1 * eta) * (y0 * y1)))
      with (u * ((1 + 30 * kappa) * (INR K0 * eta * (INR K1 * eta)))) by (field; split; lra).
    apply Rmult_le_compat_l; [lra |].
    apply Rle_trans with ((1 + 30 * kappa) * ((1 - kappa) * y0 * ((1 - kappa) * y1))).
    + replace ((1 + 30 * kappa) * ((1 - kappa) * y0 * ((1 - kappa) * y1)))
        with ((1 + 30 * kappa) * (1 - kappa) ^ 2 * (y0 * y1)) by ring.
      rewrite <- (Rmult_1_l (y0 * y1)) at 1. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra |].
      clear - kappa_small. nra.
    + apply Rmult_le_compat_l; [lra |].
      apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
Qed.

Lemma a_positive : 0 < a.
Proof. unfold a. assert (1 <= INR j) by (apply (le_INR 1), some). nra. Qed.

Theorem near_at :
  tilted_mass lam L ^ n * ((1 - loss * (1 + 30 * kappa)) * total (seq 0 M) strength) <=
  mean (draws (repeat L n)) (fun l => Rmax 0 (sum_of_values l)) + h * INR M * q ^ M.
Proof.
  destruct lobe_ends as [K0 [K1 [H1 [H2 [E0 [E1 [E2 [E3 E4]]]]]]]].
  assert (Out := beyond_small K0 K1 H1 H2 E1 E2 E3 E4). assert (Ap := a_positive).
  assert (Mp := pow_lt _ n mass_pos).
  assert (Falls : forall k, (k < K0)%nat -> strength (S k) * (1 + a * eta * (INR k * eta)) <= strength k).
  { intros k Hk. apply strength_falls. unfold y. assert (INR (S k) <= INR K0) by (apply le_INR; lia).
    apply Rle_trans with (INR K0 * eta); [apply Rmult_le_compat_r; lra | exact E0]. }
  assert (M2 := second_moment strength a eta K0 Ap eta_positive strength_nonneg Falls kappa kappa_small fine).
  assert (M6 := sixth_moment strength a eta K0 Ap eta_positive strength_nonneg Falls kappa kappa_small fine).
  assert (T0 : total (seq 1 K0) strength = moment strength eta K0 0).
  { unfold moment. rewrite <- seq_shift, total_map. apply total_ext. intros k _. rewrite pow_O. ring. }
  set (T := total (seq 1 K0) strength) in *. rewrite <- T0 in M2, M6.
  assert (Tn : 0 <= T) by (apply total_nonneg; intros; apply strength_nonneg).
  set (R2 := INR t * variance K + D ^ 2) in *.
  assert (R2n : 0 <= R2).
  { apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pos_INR | apply variance_nonneg, K_proper] | apply
    pow2_ge_0]. }
  assert (A2n : 0 <= A ^ 2) by apply pow2_ge_0.
  (* the lobe *)
  assert (Lobe : tilted_mass lam L ^ n * (T - R2 * moment strength eta K0 2 - A ^ 2 * moment strength eta K0 6) <=
    total (seq 1 K0) wave_mean).
  { unfold T, moment. rewrite <- seq_shift, !total_map, <- !total_scal, <- !total_minus, <- total_scal.
    apply total_le. intros k I. apply in_seq in I.
    assert (Q := wave_mean_in_lobe (S k)). cbv beta. eapply Rle_trans; [| apply Q].
    - right. fold (y (S k)). fold R2. ring.
    - unfold y. assert (INR (S k) <= INR K0) by (apply le_INR; lia).
      apply Rle_trans with (INR K0 * eta); [apply Rmult_le_compat_r; lra | exact E0]. }
  assert (Far : - (tilted_mass lam L ^ n * total (seq (S K0) (N - K0)) strength) <=
    total (seq (S K0) (N - K0)) wave_mean).
  { rewrite <- total_scal. replace (- _) with (total (seq (S K0) (N - K0)) (fun k => - (tilted_mass lam L ^ n *
    strength k))).
    - apply total_le. intros k _. apply wave_mean_beyond.
    - rewrite (total_ext _ _ (fun k => -1 * (tilted_mass lam L ^ n * strength k))) by (intros; ring).
      rewrite total_scal. ring. }
  assert (Zero : tilted_mass lam L ^ n * strength 0 <= wave_mean 0).
  { assert (Q := wave_mean_in_lobe 0). replace (y 0) with 0 in Q by (unfold y; simpl; ring).
    eapply Rle_trans; [| apply Q; lra]. right. ring. }
  set (O := total (seq (S K0) (N - K0)) strength) in *.
  assert (On : 0 <= O) by (apply total_nonneg; intros; apply strength_nonneg).
  assert (S0 := strength_nonneg 0).
  assert (Fold : forall f, total (seq 1 N) f = total (seq 1 K0) f + total (seq (S K0) (N - K0)) f).
  { intros f. replace N with (K0 + (N - K0))%nat at 1 by lia. rewrite seq_app, total_app. reflexivity. }
  assert (Sum : total (seq 0 M) strength = strength 0 + 2 * (T + O)).
  { unfold M, places_of. rewrite total_pairs_of_ends by apply strength_back. rewrite Fold. reflexivity. }
  assert (Means : total (seq 0 M) wave_mean = wave_mean 0 + 2 * (total (seq 1 K0) wave_mean + total (seq (S K0) (N -
    K0))
    wave_mean)).
  { unfold M, places_of. rewrite total_pairs_of_ends by apply wave_mean_back. rewrite Fold. reflexivity. }
  assert (Above : total (seq 0 M) wave_mean <=
    mean (draws (repeat L n)) (fun l => Rmax 0 (sum_of_values l)) + h * INR M * q ^ M).
  { assert (Pd : proper (draws (repeat L n))).
    { apply proper_draws, Forall_forall. intros d I. apply repeat_spec in I. subst d. exact L_proper. }
    rewrite <- (mean_const (draws (repeat L n)) (h * INR M * q ^ M) Pd), <- mean_plus.
    unfold wave_mean. rewrite total_of_means. apply total_le. intros wl I.
    apply Rmult_le_compat_l; [apply (proj1 Pd), I |].
    destruct (sums_are_multiples wl I) as [z Ez]. rewrite Ez.
    assert (Ex := lattice_exact h q M h_pos falls M_some z (top_M wl z I Ez)).
    unfold lattice_waves, waves_of_turns in Ex. rewrite total_map in Ex. exact Ex. }
  eapply Rle_trans; [| exact Above]. rewrite Sum, Means.
  assert (C2 : R2 * moment strength eta K0 2 <= R2 / a * (1 + 30 * kappa) * T).
  { apply Rmult_le_reg_l with a; [exact Ap |].
    replace (a * (R2 / a * (1 + 30 * kappa) * T)) with (R2 * ((1 + 30 * kappa) * T)) by (field; lra).
    apply (Rmult_le_compat_l R2) in M2; lra. }
  assert (C6 : A ^ 2 * moment strength eta K0 6 <= 15 * A ^ 2 / a ^ 3 * (1 + 30 * kappa) * T).
  { apply Rmult_le_reg_l with (a ^ 3); [apply pow_lt, Ap |].
    replace (a ^ 3 * (15 * A ^ 2 / a ^ 3 * (1 + 30 * kappa) * T)) with (A ^ 2 * (15 * (1 + 30 * kappa) * T))
      by (field; lra).
    replace (a ^ 3 * (A ^ 2 * moment strength eta K0 6)) with (A ^ 2 * (a ^ 3 * moment strength eta K0 6)) by ring.
    apply Rmult_le_compat_l; assumption. }
  assert (Total : strength 0 + 2 * (T + O) - loss * (1 + 30 * kappa) * (strength 0 + 2 * (T + O)) <=
    strength 0 + 2 * (T - R2 * moment strength eta K0 2 - A ^ 2 * moment strength eta K0 6) - 2 * O).
  { assert (Ln : 0 <= loss * (1 + 30 * kappa) * (strength 0 + 2 * O)).
    { apply Rmult_le_pos; [| lra]. apply Rmult_le_pos; [| lra]. unfold loss. fold R2.
      assert (0 <= R2 / a) by (apply Rmult_le_pos; [exact R2n | left; apply Rinv_0_lt_compat, Ap]).
      assert (0 <= 15 * A ^ 2 / a ^ 3)
        by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, pow_lt, Ap]).
      assert (0 <= out); [| lra]. unfold out. apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le, b_range] |].
      assert (0 <= lattice_tilt_above).
      { unfold lattice_tilt_above. apply Rmult_le_pos; [apply pow2_ge_0 |]. left. apply Rinv_0_lt_compat.
        apply Rmult_lt_0_compat; [lra | apply pow_lt, h_pos]. }
      apply Rmult_le_pos; [assert (0 <= y1 ^ 2) by apply pow2_ge_0; lra |]. left.
      apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra. }
    assert (Lt : loss * (1 + 30 * kappa) * T = R2 / a * (1 + 30 * kappa) * T + 15 * A ^ 2 / a ^ 3 * (1 + 30 * kappa) *
      T +
      2 * (out * (1 + 30 * kappa) * T)) by (unfold loss; fold R2; ring).
    lra. }
  replace ((1 - loss * (1 + 30 * kappa)) * (strength 0 + 2 * (T + O))) with
    (strength 0 + 2 * (T + O) - loss * (1 + 30 * kappa) * (strength 0 + 2 * (T + O))) by ring.
  eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact Total] |].
  rewrite (Rmult_plus_distr_l 2 (total (seq 1 K0) wave_mean)). lra.
Qed.

End Sum.

End Fixed.

End Vertex.

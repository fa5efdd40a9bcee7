(** The waves of a lattice one by one: their angles, and how little more than max(0, s) they add up to.

    Let h > 0, 0 < q < 1, M >= 1, and the M waves of lattice_waves.v. Proved:

    - [lattice_exact]: their sum is at most max(0, s) + 2 h M q^M at every s = m h, m an integer between -M and M;
    - [wave_parts]: with w = 2 pi k/M < pi the k-th wave has the angle
      2 atan((1 + q)/(1 - q) tan(w/2)), beside its size;
    - [mean_of_sum]: so the mean of the wave at a sum of n independent values whose E e^((lam + i y) L) has the modulus
      m
      and the angle al is the size times m^n cos(n al - angle).

    Source: this package. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import reals sums laws independence wave_bounds lattice_waves.
Import ListNotations.
Open Scope R_scope.

(** ** The sum *)

Section Lattice.

Context (h q : R) (M : nat).
Hypothesis step : 0 < h.
Hypothesis falls : 0 < q < 1.
Hypothesis some : (1 <= M)%nat.

(** Over all M-th roots of unity to the power d, unless they are all 1. *)
Lemma cosines_vanish d :
  (d mod Z.of_nat M <> 0)%Z -> total (seq 0 M) (fun k => cos (2 * PI * INR k / INR M * IZR d)) = 0.
Proof.
  intros D. assert (P : 0 < INR M) by (apply lt_0_INR; lia). set (al := 2 * PI * IZR d / INR M).
  rewrite (total_ext _ _ (fun k => cos (INR k * al))) by (intros k _; f_equal; unfold al; field; lra).
  destruct (Req_dec (sin (al / 2)) 0) as [Z | N].
  - destruct (sin_eq_0_0 _ Z) as [n Hn]. exfalso. apply D.
    assert (Q := PI_RGT_0). assert (E : IZR d = IZR (n * Z.of_nat M)).
    { rewrite mult_IZR, <- INR_IZR_INZ. apply Rmult_eq_reg_l with (PI / INR M); [| apply Rgt_not_eq, Rdiv_lt_0_compat;
      lra].
      transitivity (al / 2); [unfold al; field; lra |]. rewrite Hn. field. lra. }
    apply eq_IZR in E. rewrite E. apply Z.mod_mul. lia.
  - apply Rmult_eq_reg_l with (2 * sin (al / 2)); [| lra]. rewrite telescoped_cosines, Rmult_0_r.
    replace ((INR M - 1 / 2) * al) with (- (al / 2) + 2 * PI * IZR d) by (unfold al; field; lra).
    rewrite (proj2 (whole_turns _ d)), sin_neg. ring.
Qed.

Lemma cosines_at_most d : total (seq 0 M) (fun k => cos (2 * PI * INR k / INR M * IZR d)) <= INR M.
Proof.
  rewrite <- (Rmult_1_r (INR M)). rewrite <- (seq_length M 0) at 2. rewrite <- total_const.
  apply total_le. intros k _. apply COS_bound.
Qed.

Lemma power_of_falls n : q ^ n = exp (ln q * INR n).
Proof. rewrite <- (exp_ln q) at 1 by lra. apply exp_power. Qed.

Lemma first_ones m v : 0 <= v -> (m <= M)%nat ->
  total (seq 0 M) (fun i => if (i <? m)%nat then v else 0) = INR m * v.
Proof.
  intros V L. replace M with (m + (M - m))%nat by lia. rewrite seq_app, total_app.
  rewrite (total_ext (seq 0 m) _ (fun _ => v)), total_const, seq_length.
  - rewrite (total_ext (seq (0 + m) (M - m)) _ (fun _ => 0)), total_zero; [ring |].
    intros i I. apply in_seq in I. destruct (Nat.ltb_spec i m); [lia | reflexivity].
  - intros i I. apply in_seq in I. destruct (Nat.ltb_spec i m); [reflexivity | lia].
Qed.

Lemma ln_falls : ln q < 0.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(** The place of the second step, of those after the first one that lead to m. *)
Definition residue (m : Z) (i : nat) : nat := Z.to_nat ((m - Z.of_nat i - 1) mod Z.of_nat M).

Lemma one_pair m i j :
  (m <= Z.of_nat M)%Z -> (j < M)%nat ->
  q ^ (i + S j) * total (seq 0 M) (fun k => cos (2 * PI * INR k / INR M * IZR (m - Z.of_nat (i + S j)))) <=
  (if Nat.eq_dec (Z.to_nat (m - Z.of_nat i - 1)) j then
     if (Z.of_nat i <? m)%Z then exp (ln q * IZR m) * INR M else 0 else 0) +
  (if Nat.eq_dec (residue m i) j then exp (ln q * (IZR m + INR M)) * INR M else 0).
Proof.
  intros Hm Hj. assert (P : 0 < INR M) by (apply lt_0_INR; lia).
  assert (Top := cosines_at_most (m - Z.of_nat (i + S j))). assert (W := power_of_falls (i + S j)).
  assert (Pos := exp_pos (ln q * INR (i + S j))). rewrite <- W in Pos.
  assert (X1 := exp_pos (ln q * IZR m)). assert (X2 := exp_pos (ln q * (IZR m + INR M))).
  destruct (Z.eq_dec m (Z.of_nat (i + S j))) as [E | N].
  - destruct (Nat.eq_dec (Z.to_nat (m - Z.of_nat i - 1)) j) as [_ | no]; [| destruct no; lia].
    destruct (Z.ltb_spec (Z.of_nat i) m) as [_ | no]; [| lia].
    assert (0 <= (if Nat.eq_dec (residue m i) j then exp (ln q * (IZR m + INR M)) * INR M else 0))
      by (destruct (Nat.eq_dec _ _); nra).
    assert (A : exp (ln q * IZR m) = q ^ (i + S j)) by (rewrite W, INR_IZR_INZ, <- E; reflexivity).
    rewrite A. nra.
  - assert (First : 0 <= (if Nat.eq_dec (Z.to_nat (m - Z.of_nat i - 1)) j then
      if (Z.of_nat i <? m)%Z then exp (ln q * IZR m) * INR M else 0 else 0))
      by (destruct (Nat.eq_dec _ _); [destruct (Z.of_nat i <? m)%Z |]; nra).
    destruct (Z.eq_dec ((m - Z.of_nat (i + S j)) mod Z.of_nat M) 0) as [Z0 | NZ].
    + assert (D := Z.div_mod (m - Z.of_nat (i + S j)) (Z.of_nat M) ltac:(lia)). rewrite Z0 in D.
      set (t := (_ / _)%Z) in D. assert (T1 : (t < 1)%Z) by nia.
      assert (T : (t <= -1)%Z) by (destruct (Z.eq_dec t 0) as [-> |]; lia).
      destruct (Nat.eq_dec (residue m i) j) as [_ | no].
      * assert (q ^ (i + S j) <= exp (ln q * (IZR m + INR M))).
        { rewrite W. apply exp_le. assert (L := ln_falls).
          assert (IZR m + INR M <= INR (i + S j))
            by (rewrite !INR_IZR_INZ, <- plus_IZR; apply IZR_le; nia). nra. }
        nra.
      * destruct no. unfold residue. replace (m - Z.of_nat i - 1)%Z with (Z.of_nat j + t * Z.of_nat M)%Z by nia.
        rewrite Z.mod_add, Z.mod_small by lia. lia.
    + rewrite (cosines_vanish _ NZ), Rmult_0_r.
      destruct (Nat.eq_dec (residue m i) j); nra.
Qed.

Theorem lattice_exact m :
  (m <= Z.of_nat M)%Z ->
  total (lattice_waves h q M) (fun w => height w (IZR m * h)) <= Rmax 0 (IZR m * h) + h * INR M * q ^ M.
Proof.
  intros Hm. assert (P : 0 < INR M) by (apply lt_0_INR; lia).
  unfold lattice_waves, waves_of_turns. rewrite total_map.
  rewrite (total_ext _ _ (fun k => h / INR M * exp (- ln q * IZR m) *
    total (pairs M 1) (fun p => q ^ added_up p * cos (turn M k * IZR (m - Z.of_nat (added_up p))))))
    by (intros k _; apply height_on_lattice, step).
  rewrite total_scal, total_swap. set (x := exp (- ln q * IZR m)). assert (X : 0 < x) by apply exp_pos.
  assert (Inv : x * exp (ln q * IZR m) = 1) by (unfold x; rewrite <- exp_plus, <- exp_0; f_equal; ring).
  assert (Sum : total (pairs M 1) (fun p => total (seq 0 M) (fun k =>
      q ^ added_up p * cos (turn M k * IZR (m - Z.of_nat (added_up p))))) <=
    Rmax 0 (IZR m) * (exp (ln q * IZR m) * INR M) + INR M * (exp (ln q * (IZR m + INR M)) * INR M)).
  { unfold added_up. rewrite (total_pairs M 1 (fun i j => total (seq 0 M) (fun k =>
      q ^ (i + j) * cos (turn M k * IZR (m - Z.of_nat (i + j)))))). rewrite Nat.mul_1_l.
    assert (X1 := exp_pos (ln q * IZR m)). assert (X2 := exp_pos (ln q * (IZR m + INR M))).
    apply Rle_trans with (total (seq 0 M) (fun i => (if (i <? Z.to_nat m)%nat then exp (ln q * IZR m) * INR M else 0) +
      exp (ln q * (IZR m + INR M)) * INR M)).
    - apply total_le. intros i I. apply in_seq in I.
      apply Rle_trans with (total (seq 0 M) (fun j =>
        (if Nat.eq_dec (Z.to_nat (m - Z.of_nat i - 1)) j then
           if (Z.of_nat i <? m)%Z then exp (ln q * IZR m) * INR M else 0 else 0) +
        (if Nat.eq_dec (residue m i) j then exp (ln q * (IZR m + INR M)) * INR M else 0))).
      + apply total_le. intros j J. apply in_seq in J. rewrite total_scal. apply one_pair; lia.
      + rewrite total_plus. apply Rplus_le_compat.
        * destruct (Z.ltb_spec (Z.of_nat i) m) as [L | L].
          -- rewrite total_single; [| apply seq_NoDup | apply in_seq; lia].
             destruct (Nat.ltb_spec i (Z.to_nat m)); [lra | lia].
          -- rewrite (total_ext _ _ (fun _ => 0)), total_zero by (intros j _; destruct (Nat.eq_dec _ _); reflexivity).
             destruct (Nat.ltb_spec i (Z.to_nat m)); nra.
        * right. apply total_single; [apply seq_NoDup | apply in_seq].
          assert (B := Z.mod_pos_bound (m - Z.of_nat i - 1) (Z.of_nat M) ltac:(lia)). unfold residue. lia.
    - rewrite total_plus, first_ones, total_const, seq_length by (try nra; lia).
      apply Rplus_le_compat_r, Rmult_le_compat_r; [nra |].
      destruct (Z.le_gt_cases m 0) as [N | N].
      + replace (Z.to_nat m) with 0%nat by lia. simpl. apply Rmax_l.
      + rewrite INR_IZR_INZ, Z2Nat.id by lia. apply Rmax_r. }
  apply Rle_trans with (h / INR M * x * (Rmax 0 (IZR m) * (exp (ln q * IZR m) * INR M) +
    INR M * (exp (ln q * (IZR m + INR M)) * INR M))).
  - apply Rmult_le_compat_l; [| exact Sum]. left. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | exact X].
  - right. rewrite Rmult_plus_distr_l with (r1 := ln q), exp_plus, <- power_of_falls.
    replace (Rmax 0 (IZR m * h)) with (h * Rmax 0 (IZR m)) by (rewrite <- RmaxRmult by lra; f_equal; ring).
    transitivity (x * exp (ln q * IZR m) * (h * Rmax 0 (IZR m) + h * INR M * q ^ M)); [field; lra |].
    rewrite Inv. ring.
Qed.

(** ** Angles *)

(** Half the angle is atan((1 + q)/(1 - q) tan(w/2)). *)
Definition half_angle (k : nat) : R := atan ((1 + q) / (1 - q) * tan (turn M k / 2)).

(** cos and sin of twice the angle whose tangent is b/a. *)
Lemma twice_an_angle a b :
  0 < a -> cos (2 * atan (b / a)) = (a ^ 2 - b ^ 2) / (a ^ 2 + b ^ 2) /\
  sin (2 * atan (b / a)) = 2 * a * b / (a ^ 2 + b ^ 2).
Proof.
  intros A. set (t := b / a). assert (R0 : 0 < 1 + t²) by (assert (X := Rle_0_sqr t); lra).
  assert (R1 : sqrt (1 + t²) <> 0) by (apply Rgt_not_eq, sqrt_lt_R0, R0).
  assert (S : sqrt (1 + t²) * sqrt (1 + t²) = 1 + t²) by (apply sqrt_sqrt; lra).
  assert (D : 0 < a ^ 2 + b ^ 2) by (assert (0 < a ^ 2) by (apply pow_lt, A); assert (X := pow2_ge_0 b); lra).
  assert (E : 1 + t² = (a ^ 2 + b ^ 2) / a ^ 2) by (unfold t, Rsqr; field; lra).
  rewrite cos_2a, sin_2a, cos_atan, sin_atan. split.
  - transitivity ((1 - t²) / (sqrt (1 + t²) * sqrt (1 + t²))); [unfold Rsqr; field; exact R1 |].
    rewrite S, E. unfold t, Rsqr. field. split; lra.
  - transitivity (2 * t / (sqrt (1 + t²) * sqrt (1 + t²))); [field; exact R1 |].
    rewrite S, E. unfold t. field. split; lra.
Qed.

Lemma wave_parts k :
  turn M k < PI ->
  in_phase (lattice_wave h q M 1 k) = size (lattice_wave h q M 1 k) * cos (2 * half_angle k) /\
  out_of_phase (lattice_wave h q M 1 k) = - (size (lattice_wave h q M 1 k) * sin (2 * half_angle k)).
Proof.
  intros Hk. assert (P : 0 < INR M) by (apply lt_0_INR; lia). set (w := turn M k) in *.
  assert (W0 : 0 <= w).
  { unfold w, turn, Rdiv. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, P].
    assert (Q := PI_RGT_0). assert (K := pos_INR k). nra. }
  set (ch := cos (w / 2)). set (sh := sin (w / 2)).
  assert (Ch : 0 < ch) by (apply cos_gt_0; lra).
  assert (C : cos w = ch * ch - sh * sh) by (replace w with (2 * (w / 2)) by field; apply cos_2a).
  assert (S : sin w = 2 * sh * ch) by (replace w with (2 * (w / 2)) at 1 by field; apply sin_2a).
  assert (U : sh * sh + ch * ch = 1) by exact (sin2_cos2 (w / 2)).
  assert (U' : ch * ch = 1 - sh * sh) by lra.
  set (a := (1 - q) * ch). set (b := (1 + q) * sh).
  assert (A : 0 < a) by (apply Rmult_lt_0_compat; lra).
  assert (E : half_angle k = atan (b / a)).
  { unfold half_angle. fold w. unfold tan. fold ch sh. f_equal. unfold a, b. field. split; lra. }
  assert (D : a ^ 2 + b ^ 2 = 1 - 2 * q * cos w + q ^ 2).
  { rewrite C. unfold a, b. transitivity ((1 + q ^ 2) * (ch * ch + sh * sh) - 2 * q * (ch * ch - sh * sh)); [ring |].
    rewrite U'. ring. }
  assert (Dp : 0 < a ^ 2 + b ^ 2) by (assert (0 < a ^ 2) by (apply pow_lt, A); assert (X := pow2_ge_0 b); lra).
  destruct (twice_an_angle a b A) as [E1 E2]. rewrite E, E1, E2.
  rewrite (wave_of_turns_size h q M 1 step falls some k). fold w. rewrite <- D.
  destruct (sums_of_pairs q M 1 k) as [P1 P2]. destruct (geometric_cosines q (turn M k) (1 * M)) as [G1 G2].
  assert (Wh : turn M k * INR (1 * M) = 0 + 2 * PI * IZR (Z.of_nat k))
    by (unfold turn; rewrite Nat.mul_1_l, <- INR_IZR_INZ; field; lra).
  rewrite Wh, (proj1 (whole_turns 0 _)), cos_0 in G1. rewrite Wh, (proj2 (whole_turns 0 _)), sin_0 in G2.
  fold w in P1, P2, G1, G2. set (X := cosines q w (1 * M)) in *. set (Y := sines q w (1 * M)) in *.
  set (z := 1 - q ^ (1 * M)). set (u := 1 - q * cos w) in *. set (v := q * sin w) in *.
  assert (UV : u ^ 2 + v ^ 2 = a ^ 2 + b ^ 2).
  { rewrite D. unfold u, v. assert (Y1 : sin w * sin w + cos w * cos w = 1) by exact (sin2_cos2 w).
    transitivity (1 - 2 * q * cos w + q ^ 2 * (sin w * sin w + cos w * cos w)); [ring | rewrite Y1; ring]. }
  assert (EX : X = z * u / (a ^ 2 + b ^ 2)).
  { rewrite <- UV. apply Rmult_eq_reg_r with (u ^ 2 + v ^ 2); [| lra].
    transitivity (z * u); [| field; lra]. unfold z.
    transitivity ((X * u + Y * v) * u - (Y * u - X * v) * v); [ring |]. rewrite G1, G2. ring. }
  assert (EY : Y = z * v / (a ^ 2 + b ^ 2)).
  { rewrite <- UV. apply Rmult_eq_reg_r with (u ^ 2 + v ^ 2); [| lra].
    transitivity (z * v); [| field; lra]. unfold z.
    transitivity ((X * u + Y * v) * v + (Y * u - X * v) * u); [ring |]. rewrite G1, G2. ring. }
  unfold lattice_wave. cbn [in_phase out_of_phase]. fold w. rewrite P1, P2, EX, EY.
  assert (I1 : cos w * (u ^ 2 - v ^ 2) - sin w * (2 * u * v) = a ^ 2 - b ^ 2).
  { unfold u, v, a, b. rewrite C, S. ring_simplify.
    replace (ch ^ 2) with (1 - sh * sh) by (rewrite <- U'; ring).
    replace (ch ^ 4) with ((1 - sh * sh) ^ 2) by (rewrite <- U'; ring).
    replace (ch ^ 6) with ((1 - sh * sh) ^ 3) by (rewrite <- U'; ring). ring. }
  assert (I2 : sin w * (u ^ 2 - v ^ 2) + cos w * (2 * u * v) = 2 * a * b).
  { unfold u, v, a, b. rewrite C, S. ring_simplify.
    replace (ch ^ 3) with ((1 - sh * sh) * ch) by (rewrite <- U'; ring).
    replace (ch ^ 5) with ((1 - sh * sh) ^ 2 * ch) by (rewrite <- U'; ring). ring. }
  rewrite <- I1, <- I2. split; field; (split; [| lra]); try lra.
Qed.

End Lattice.

(** ** Means of waves at sums *)

(** E e^((lam + i y) L) has this modulus and this angle. *)
Definition has_angle (w : wave) (L : dist R) (m al : R) : Prop :=
  real_part w L = m * cos al /\ imaginary_part w L = m * sin al.

Lemma parts_of_copies w L m al n :
  has_angle w L m al ->
  product_parts w (repeat L n) = (m ^ n * cos (INR n * al), m ^ n * sin (INR n * al)).
Proof.
  intros [A B]. induction n as [| n IH].
  - simpl. rewrite Rmult_0_l, cos_0, sin_0. f_equal; ring.
  - rewrite S_INR. cbn [repeat product_parts]. rewrite IH, A, B, Rmult_plus_distr_r, Rmult_1_l, cos_plus, sin_plus.
    cbn [fst snd pow]. f_equal; ring.
Qed.

Lemma mean_of_sum w L m al n be :
  has_angle w L m al -> in_phase w = size w * cos be -> out_of_phase w = - (size w * sin be) ->
  mean (draws (repeat L n)) (fun l => height w (sum_of_values l)) = size w * m ^ n * cos (INR n * al - be).
Proof.
  intros A B C. unfold height. rewrite mean_of_wave, (parts_of_copies w L m al n A). cbn [fst snd].
  rewrite B, C, cos_minus. ring.
Qed.

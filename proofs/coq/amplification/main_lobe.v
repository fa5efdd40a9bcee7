(** The characteristic function of finitely many values near 0: its modulus falls, and its angle is known.

    K is a law of finitely many real values with the mean [drift], [variance], the third absolute moment [third] about
    the mean, and [fourth], the mean of (v - w)^4 for two independent values; [square_modulus] y is |E e^(i y v)|^2.
    Proved for 0 <= y:

    - [square_modulus_above]: it is at least 1 - variance y^2;
    - [square_modulus_falls]: for y <= z <= top it falls by at least (z^2 - y^2) (variance - fourth top^2/12);
    - [angle_of_law]: where variance y^2 <= 1, E e^(i y v) has an angle of at most third y^3/3 from y drift.

    And of elementary functions, what wave_angles.v needs: [twice_atan]. Source: this package. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws node_waves.
Import ListNotations.
Open Scope R_scope.

(** ** Sines, cosines, arcs *)

Lemma grows (f f' : R -> R) a b :
  a <= b -> (forall x, is_derive f x (f' x)) -> (forall x, a <= x <= b -> 0 <= f' x) -> f a <= f b.
Proof.
  intros L D P. destruct (MVT_gen f a b f') as [c [C E]].
  - intros x _. apply D.
  - intros x _. apply continuity_pt_filterlim, (ex_derive_continuous f). exists (f' x). apply D.
  - rewrite Rmin_left, Rmax_right in C by lra. specialize (P c C). nra.
Qed.

Lemma sine_below x : 0 <= x -> sin x <= x.
Proof. intros [H | <-]; [left; apply sin_lt_x, H | rewrite sin_0; lra]. Qed.

Lemma sine_above_all x : 0 <= x -> x - x ^ 3 / 6 <= sin x.
Proof.
  intros H. destruct (Rle_lt_dec x PI) as [L | L].
  - assert (S := sine_above x (conj H L)). nra.
  - assert (P := PI2_3_2). assert (S := SIN_bound x). assert (3 < x) by lra. nra.
Qed.

Lemma cosine_above x : 1 - x ^ 2 / 2 <= cos x.
Proof.
  rewrite cosine_of_half. assert (S : sin (x / 2) ^ 2 <= (x / 2) ^ 2); [| lra].
  destruct (Rle_lt_dec 0 x) as [H | H].
  - assert (A := sine_below (x / 2) ltac:(lra)). assert (B := sine_above_all (x / 2) ltac:(lra)).
    assert (C := SIN_bound (x / 2)).
    destruct (Rle_lt_dec (x / 2) 1) as [L | L]; [| nra].
    apply pow_incr. split; [nra | exact A].
  - replace (sin (x / 2)) with (- sin (- (x / 2))) by (rewrite sin_neg; ring).
    set (y := - (x / 2)). assert (Y : 0 <= y) by (unfold y; lra).
    replace ((x / 2) ^ 2) with (y ^ 2) by (unfold y; ring). replace ((- sin y) ^ 2) with (sin y ^ 2) by ring.
    assert (A := sine_below y Y). assert (B := sine_above_all y Y). assert (C := SIN_bound y).
    destruct (Rle_lt_dec y 1) as [L | L]; [| nra]. apply pow_incr. split; [nra | exact A].
Qed.

(** How much a cosine falls, for any d. *)
Lemma cosine_falls d y z :
  0 <= y <= z -> d ^ 2 * (z ^ 2 - y ^ 2) / 2 - d ^ 4 * (z ^ 4 - y ^ 4) / 24 <= cos (y * d) - cos (z * d).
Proof.
  intros [Y L].
  assert (G := grows (fun x => - (cos (x * d) + d ^ 2 * x ^ 2 / 2 - d ^ 4 * x ^ 4 / 24))
    (fun x => d * sin (x * d) - d ^ 2 * x + d ^ 4 * x ^ 3 / 6) y z L).
  cbv beta in G. enough (G' : - (cos (y * d) + d ^ 2 * y ^ 2 / 2 - d ^ 4 * y ^ 4 / 24) <=
    - (cos (z * d) + d ^ 2 * z ^ 2 / 2 - d ^ 4 * z ^ 4 / 24)) by lra.
  apply G.
  - intros x. auto_derive; [trivial |]. field.
  - intros x [X _]. assert (X0 : 0 <= x) by lra. clear G.
    assert (M : forall e, 0 <= e -> 0 <= e * sin (x * e) - e ^ 2 * x + e ^ 4 * x ^ 3 / 6).
    { intros e He. assert (S := sine_above_all (x * e) ltac:(nra)).
      replace (e * sin (x * e) - e ^ 2 * x + e ^ 4 * x ^ 3 / 6)
        with (e * (sin (x * e) - (x * e - (x * e) ^ 3 / 6))) by field. nra. }
    destruct (Rle_lt_dec 0 d) as [Hd | Hd]; [apply M, Hd |].
    specialize (M (- d) ltac:(lra)). replace (x * - d) with (- (x * d)) in M by ring. rewrite sin_neg in M. lra.
Qed.

Lemma atan_at_most t : 0 <= t -> 0 <= atan t <= t.
Proof.
  intros H. rewrite <- atan_0 at 1. split.
  - apply (grows atan (fun x => / (1 + x ^ 2)) 0 t H).
    + intros x. auto_derive; [trivial |]. field. assert (0 <= x * x) by nra. lra.
    + intros x _. left. apply Rinv_0_lt_compat. assert (X := pow2_ge_0 x). lra.
  - assert (G := grows (fun x => x - atan x) (fun x => x ^ 2 / (1 + x ^ 2)) 0 t H). cbv beta in G.
    rewrite atan_0 in G. enough (0 - 0 <= t - atan t) by lra. apply G.
    + intros x. auto_derive; [trivial |]. field. assert (0 <= x * x) by nra. lra.
    + intros x _. assert (X := pow2_ge_0 x). apply Rmult_le_pos; [exact X |]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma atan_size t : Rabs (atan t) <= Rabs t.
Proof.
  destruct (Rle_lt_dec 0 t) as [H | H].
  - destruct (atan_at_most t H). rewrite !Rabs_pos_eq; assumption.
  - rewrite <- (Rabs_Ropp t), <- (Rabs_Ropp (atan t)), <- atan_opp. destruct (atan_at_most (- t) ltac:(lra)).
    rewrite !Rabs_pos_eq by lra. assumption.
Qed.

Lemma atan_above t : 0 <= t -> t - t ^ 3 / 3 <= atan t.
Proof.
  intros H. assert (G := grows (fun x => atan x - x + x ^ 3 / 3) (fun x => x ^ 4 / (1 + x ^ 2)) 0 t H). cbv beta in G.
  rewrite atan_0 in G. enough (0 - 0 + 0 ^ 3 / 3 <= atan t - t + t ^ 3 / 3) by lra. apply G.
  - intros x. auto_derive; [trivial |]. field. assert (0 <= x * x) by nra. lra.
  - intros x _. assert (X := pow2_ge_0 x). apply Rmult_le_pos; [replace (x ^ 4) with ((x ^ 2) ^ 2) by ring;
      apply pow2_ge_0 |]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma tangent_bounds x : 0 <= x <= 1 -> x <= tan x <= x * (1 + x ^ 2).
Proof.
  intros [H L]. assert (C := cosine_above x). assert (S1 := sine_below x H). assert (S2 := sine_above_all x H).
  assert (C2 := cosine_falls 1 0 x (conj (Rle_refl 0) H)). rewrite !Rmult_1_r, cos_0 in C2.
  assert (Cp : 1 / 2 <= cos x) by nra. unfold tan.
  assert (X2 : 0 <= x ^ 2 <= 1) by (split; [apply pow2_ge_0 | nra]). set (k := x ^ 2) in *.
  replace (x ^ 3) with (x * k) in S2 by (unfold k; ring). split.
  - apply Rmult_le_reg_r with (cos x); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    eapply Rle_trans; [| exact S2].
    apply Rle_trans with (x * (1 - k / 2 + k ^ 2 / 24)); [apply Rmult_le_compat_l; [exact H |]; unfold k in *; lra |].
    nra.
  - apply Rmult_le_reg_r with (cos x); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    eapply Rle_trans; [exact S1 |]. rewrite Rmult_assoc.
    assert (1 <= (1 + k) * cos x) by nra. nra.
Qed.

(** 2 atan(c tan x) is near 2 c x, for c >= 2. *)
Lemma twice_atan c x :
  2 <= c -> 0 <= x <= 1 -> Rabs (2 * atan (c * tan x) - 2 * (c * x)) <= 2 / 3 * (c * x) ^ 3.
Proof.
  intros Hc Hx. destruct (tangent_bounds x Hx) as [T1 T2]. destruct Hx as [X1 X2]. set (s := c * x).
  assert (S : 0 <= s) by (unfold s; nra).
  assert (Lo : atan s <= atan (c * tan x)).
  { destruct (Req_dec s (c * tan x)) as [-> | N]; [apply Rle_refl |]. left. apply atan_increasing.
    unfold s in *. assert (c * x <= c * tan x) by nra. lra. }
  assert (L := atan_above s S). destruct (atan_at_most (c * tan x)) as [_ U]; [nra |].
  assert (Up : c * tan x <= s + s ^ 3 / 4).
  { apply Rle_trans with (c * (x * (1 + x ^ 2))); [apply Rmult_le_compat_l; lra |].
    assert (4 * (x ^ 2 * x) <= c ^ 2 * (x ^ 2 * x)).
    { apply Rmult_le_compat_r; [| nra]. apply Rmult_le_pos; [apply pow2_ge_0 | exact X1]. }
    unfold s. nra. }
  assert (0 <= s ^ 3) by (apply pow_le, S). apply Rabs_le. lra.
Qed.

(** ** A law of values *)

Definition drift (K : dist R) : R := mean K (fun v => v).
Definition variance (K : dist R) : R := mean K (fun v => (v - drift K) ^ 2).
Definition third (K : dist R) : R := mean K (fun v => Rabs (v - drift K) ^ 3).
Definition fourth (K : dist R) : R := mean K (fun v => mean K (fun w => (v - w) ^ 4)).
Definition square_modulus (K : dist R) (y : R) : R := mean K (fun v => mean K (fun w => cos (y * (v - w)))).

Section Law.

Context (K : dist R).
Hypothesis K_proper : proper K.

Let m := drift K.
Let cosine (y : R) : R := mean K (fun v => cos (y * (v - m))).
Let sine (y : R) : R := mean K (fun v => sin (y * (v - m))).

Lemma variance_nonneg : 0 <= variance K.
Proof. apply mean_nonneg; [exact K_proper |]. intros v. apply pow2_ge_0. Qed.

Lemma third_nonneg : 0 <= third K.
Proof. apply mean_nonneg; [exact K_proper |]. intros v. apply pow_le, Rabs_pos. Qed.

Lemma fourth_nonneg : 0 <= fourth K.
Proof.
  apply mean_nonneg; [exact K_proper |]. intros v. apply mean_nonneg; [exact K_proper |]. intros w.
  replace ((v - w) ^ 4) with (((v - w) ^ 2) ^ 2) by ring. apply pow2_ge_0.
Qed.

Lemma about_the_mean : mean K (fun v => v - m) = 0.
Proof. rewrite mean_minus, mean_const by exact K_proper. unfold m, drift. ring. Qed.

Lemma differences : mean K (fun v => mean K (fun w => (v - w) ^ 2)) = 2 * variance K.
Proof.
  rewrite (mean_ext K _ (fun v => (v - m) ^ 2 + variance K)).
  - rewrite mean_plus, mean_const by exact K_proper. unfold variance. fold m. ring.
  - intros v. rewrite (mean_ext K _ (fun w => (v - m) ^ 2 + ((w - m) ^ 2 - 2 * (v - m) * (w - m)))) by (intros w; ring).
    rewrite mean_plus, mean_const, mean_minus, mean_scal, about_the_mean by exact K_proper.
    unfold variance. fold m. ring.
Qed.

Lemma square_modulus_above y : 1 - variance K * y ^ 2 <= square_modulus K y.
Proof.
  replace (1 - variance K * y ^ 2) with (mean K (fun v => mean K (fun w => 1 - y ^ 2 / 2 * (v - w) ^ 2))).
  - apply mean_le; [exact K_proper |]. intros v. apply mean_le; [exact K_proper |]. intros w.
    assert (C := cosine_above (y * (v - w))). replace ((y * (v - w)) ^ 2) with (y ^ 2 * (v - w) ^ 2) in C by ring. lra.
  - rewrite (mean_ext K _ (fun v => 1 - y ^ 2 / 2 * mean K (fun w => (v - w) ^ 2)))
      by (intros v; rewrite mean_minus, mean_scal, mean_const by exact K_proper; reflexivity).
    rewrite mean_minus, mean_scal, mean_const, differences by exact K_proper. field.
Qed.

Lemma square_modulus_at_most y : square_modulus K y <= 1.
Proof.
  rewrite <- (mean_const K 1 K_proper). apply mean_le; [exact K_proper |]. intros v.
  rewrite <- (mean_const K 1 K_proper). apply mean_le; [exact K_proper |]. intros w. apply COS_bound.
Qed.

Lemma square_modulus_parts z y :
  square_modulus K y = mean K (fun v => cos (y * (v - z))) ^ 2 + mean K (fun v => sin (y * (v - z))) ^ 2.
Proof.
  set (c := mean K (fun v => cos _)). set (s := mean K (fun v => sin _)).
  unfold square_modulus. rewrite (mean_ext K _ (fun v => c * cos (y * (v - z)) + s * sin (y * (v - z)))).
  - rewrite mean_plus, !mean_scal. fold c s. ring.
  - intros v. rewrite (mean_ext K _ (fun w => cos (y * (v - z)) * cos (y * (w - z)) + sin (y * (v - z)) * sin (y * (w -
      z)))).
    + rewrite mean_plus, !mean_scal. fold c s. ring.
    + intros w. rewrite <- cos_minus. f_equal. ring.
Qed.

Lemma square_modulus_nonneg y : 0 <= square_modulus K y.
Proof. rewrite (square_modulus_parts 0). apply Rplus_le_le_0_compat; apply pow2_ge_0. Qed.

Theorem square_modulus_falls y z top :
  0 <= y <= z -> z <= top ->
  square_modulus K z + (z ^ 2 - y ^ 2) * (variance K - fourth K * top ^ 2 / 12) <= square_modulus K y.
Proof.
  intros Y Z. assert (F := fourth_nonneg).
  assert (S : (z ^ 2 - y ^ 2) * variance K - (z ^ 4 - y ^ 4) / 24 * fourth K <= square_modulus K y - square_modulus K
    z).
  { unfold square_modulus. rewrite <- mean_minus.
    replace ((z ^ 2 - y ^ 2) * variance K - (z ^ 4 - y ^ 4) / 24 * fourth K) with
      (mean K (fun v => (z ^ 2 - y ^ 2) / 2 * mean K (fun w => (v - w) ^ 2) -
        (z ^ 4 - y ^ 4) / 24 * mean K (fun w => (v - w) ^ 4))).
    - apply mean_le; [exact K_proper |]. intros v. rewrite <- !mean_scal, <- !mean_minus.
      apply mean_le; [exact K_proper |]. intros w. assert (C := cosine_falls (v - w) y z Y). lra.
    - rewrite mean_minus, !mean_scal, differences. unfold fourth. field. }
  assert (P : (z ^ 2 + y ^ 2) / 24 <= top ^ 2 / 12).
  { assert (z ^ 2 <= top ^ 2) by (apply pow_incr; lra). assert (y ^ 2 <= top ^ 2) by (apply pow_incr; lra). lra. }
  assert (N : 0 <= z ^ 2 - y ^ 2) by (assert (y ^ 2 <= z ^ 2) by (apply pow_incr; lra); lra).
  assert (T : (z ^ 4 - y ^ 4) / 24 * fourth K <= (z ^ 2 - y ^ 2) * (fourth K * top ^ 2 / 12)).
  { replace ((z ^ 4 - y ^ 4) / 24 * fourth K) with ((z ^ 2 - y ^ 2) * (fourth K * ((z ^ 2 + y ^ 2) / 24))) by field.
    apply Rmult_le_compat_l; [exact N |]. unfold Rdiv at 2. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact F |].
    exact P. }
  lra.
Qed.

Lemma sine_small y : 0 <= y -> Rabs (sine y) <= y ^ 3 * third K / 6.
Proof.
  intros Y.
  assert (B : forall t, Rabs (sin t - t) <= Rabs t ^ 3 / 6).
  { intros t. destruct (Rle_lt_dec 0 t) as [H | H].
    - rewrite (Rabs_pos_eq t H). assert (A := sine_below t H). assert (A' := sine_above_all t H).
      rewrite Rabs_left1 by lra. lra.
    - replace (sin t - t) with (- (sin (- t) - - t)) by (rewrite sin_neg; ring). rewrite Rabs_Ropp, <- (Rabs_Ropp t).
      assert (A := sine_below (- t) ltac:(lra)). assert (A' := sine_above_all (- t) ltac:(lra)).
      rewrite (Rabs_pos_eq (- t)) by lra. rewrite Rabs_left1 by lra. lra. }
  assert (E : sine y = mean K (fun v => sin (y * (v - m)) - y * (v - m)))
    by (rewrite mean_minus, mean_scal, about_the_mean; unfold sine; ring).
  assert (T : y ^ 3 * third K / 6 = mean K (fun v => Rabs (y * (v - m)) ^ 3 / 6)).
  { rewrite (mean_ext K _ (fun v => y ^ 3 / 6 * Rabs (v - m) ^ 3)).
    - rewrite mean_scal. unfold third. fold m. field.
    - intros v. rewrite Rabs_mult, (Rabs_pos_eq y Y). field. }
  rewrite E, T. apply Rabs_le. rewrite <- (Rmult_1_l (mean K (fun v => Rabs _ ^ 3 / 6))). split.
  - rewrite Ropp_mult_distr_l, <- mean_scal. apply mean_le; [exact K_proper |]. intros v.
    destruct (proj1 (Rabs_le_between _ _) (B (y * (v - m)))). lra.
  - rewrite Rmult_1_l. apply mean_le; [exact K_proper |]. intros v. destruct (proj1 (Rabs_le_between _ _) (B (y * (v -
      m)))). lra.
Qed.

Lemma cosine_large y : 1 - y ^ 2 * variance K / 2 <= cosine y.
Proof.
  replace (1 - y ^ 2 * variance K / 2) with (mean K (fun v => 1 - y ^ 2 / 2 * (v - m) ^ 2)).
  - apply mean_le; [exact K_proper |]. intros v. assert (C := cosine_above (y * (v - m))).
    replace ((y * (v - m)) ^ 2) with (y ^ 2 * (v - m) ^ 2) in C by ring. lra.
  - rewrite mean_minus, mean_const, mean_scal by exact K_proper. unfold variance. fold m. field.
Qed.

Theorem angle_of_law y :
  0 <= y -> variance K * y ^ 2 <= 1 ->
  exists al, mean K (fun v => cos (y * v)) = sqrt (square_modulus K y) * cos al /\
    mean K (fun v => sin (y * v)) = sqrt (square_modulus K y) * sin al /\
    Rabs (al - y * drift K) <= y ^ 3 * third K / 3.
Proof.
  intros Y V. assert (C := cosine_large y). assert (S := sine_small y Y).
  set (c := cosine y) in *. set (s := sine y) in *. assert (Cp : 1 / 2 <= c) by lra.
  set (psi := atan (s / c)). assert (Psi : sqrt (square_modulus K y) * cos psi = c /\
    sqrt (square_modulus K y) * sin psi = s).
  { rewrite (square_modulus_parts m). fold (cosine y) (sine y). fold c s. unfold psi. rewrite cos_atan, sin_atan.
    assert (E : sqrt (1 + (s / c)²) = sqrt (c ^ 2 + s ^ 2) / c).
    { rewrite <- (sqrt_pow2 c) at 3 by lra. rewrite <- sqrt_div_alt by nra. f_equal. unfold Rsqr. field. lra. }
    assert (N : 0 < sqrt (c ^ 2 + s ^ 2)) by (apply sqrt_lt_R0; assert (X := pow2_ge_0 s); nra).
    rewrite E. split; field; split; lra. }
  exists (y * m + psi). destruct Psi as [P1 P2]. split; [| split].
  - rewrite cos_plus. transitivity (cos (y * m) * (sqrt (square_modulus K y) * cos psi) -
      sin (y * m) * (sqrt (square_modulus K y) * sin psi)); [| ring]. rewrite P1, P2. unfold c, s, cosine, sine.
    rewrite <- !mean_scal, <- mean_minus. apply mean_ext. intros v. rewrite <- cos_plus. f_equal. ring.
  - rewrite sin_plus. transitivity (sin (y * m) * (sqrt (square_modulus K y) * cos psi) +
      cos (y * m) * (sqrt (square_modulus K y) * sin psi)); [| ring]. rewrite P1, P2. unfold c, s, cosine, sine.
    rewrite <- !mean_scal, <- mean_plus. apply mean_ext. intros v. rewrite <- sin_plus. f_equal. ring.
  - fold m. replace (y * m + psi - y * m) with psi by ring. eapply Rle_trans; [apply atan_size |].
    unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ c)) by (left; apply Rinv_0_lt_compat; lra).
    apply Rle_trans with (Rabs s * 2); [| lra]. apply Rmult_le_compat_l; [apply Rabs_pos |].
    rewrite <- (Rinv_inv 2). apply Rinv_le_contravar; lra.
Qed.

End Law.

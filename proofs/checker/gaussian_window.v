(** The windows of discrete Gaussian laws, sigma^2 > 0 a rational.

    [gaussian_window bits s] encloses the weights e^(-t^2 / (2 s)) from 0 outward to both sides: the ratio at t is
    q^(2t+1) with q = e^(-1 / (2 s)), whose bounds are multiplied up with 64 more bits ([gaussian_window_sound]). The
    masses add up to 1 ([gaussian_law]), for every s > 0.

    The program is the class DiscreteGaussianNoise of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums masses geometric_noise longer_shift noise_on_naturals log_concave_laws.
From Exactdp Require Import fixed_point.
From ExactdpChecker Require Import claims outward windows walked_naturals enclosed_reals binomial_window.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Section program.

Variables (unit square_low square_high : Z).

Definition gaussian_ratio (s : Z * Z) : option (Z * Z * Z) := Some (fst s, snd s, unit).

Definition gaussian_next (s : Z * Z) : Z * Z :=
  (fst s * square_low / unit, ceiling_div (snd s * square_high) unit).

End program.

(** -1 / (2 s) *)
Definition exponent (s : Q) : Q :=
  match Qnum s with Zpos n => Qmake (- Zpos (Qden s)) (2 * n) | _ => 0 end.

Definition gaussian_window (bits : nat) (s : Q) : option window :=
  if Qnum s <=? 0 then None else
  let unit := two (bits + 64) in
  match enclose (bits + 64) (Exponential (Rational (exponent s))) with
  | Some (low, high) =>
      if low <? 0 then None else
      let next := gaussian_next unit (low * low / unit) (ceiling_div (high * high) unit) in
      walked_window (gaussian_ratio unit) (gaussian_ratio unit) next next 0 1 0 (low, high) (low, high) bits
  | None => None
  end.

Open Scope R_scope.

(** ** The law *)

Lemma weight_even s t : gaussian_weight s (- t) = gaussian_weight s t.
Proof. unfold gaussian_weight. rewrite opp_IZR. do 2 f_equal. ring. Qed.

Definition base (s : R) : R := exp (- 1 / (2 * s)).

Lemma base_range s : 0 < s -> 0 < base s < 1.
Proof.
  intros H. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing.
  assert (X : 0 < / (2 * s)) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. lra.
Qed.

Lemma weight_next s (i : nat) : 0 < s ->
  gaussian_weight s (Z.of_nat (1 + i)) = base s ^ (2 * i + 1) * gaussian_weight s (Z.of_nat i).
Proof.
  intros H. unfold gaussian_weight, base. rewrite exp_power, <- exp_plus. f_equal.
  rewrite <- !INR_IZR_INZ, plus_INR, plus_INR, mult_INR. simpl INR. field. lra.
Qed.

Lemma weight_at_most s (k : nat) : 0 < s -> gaussian_weight s (Z.of_nat (S k)) <= base s ^ S k.
Proof.
  intros H. assert (B := base_range s H). induction k as [| k IH].
  - change 1%nat with (1 + 0)%nat at 1. rewrite (weight_next s 0 H). unfold gaussian_weight. simpl.
    replace (- (0 * (0 * 1)) / (2 * s)) with 0 by (field; lra).
    rewrite exp_0. lra.
  - change (S (S k)) with (1 + S k)%nat. rewrite (weight_next s (S k) H).
    change (base s ^ (1 + S k)) with (base s * base s ^ S k).
    rewrite (pow_add _ (2 * S k) 1), pow_1.
    replace (2 * S k)%nat with (S k + S k)%nat by lia. rewrite (pow_add _ (S k) (S k)).
    assert (P : 0 < base s ^ S k <= 1). { split; [apply pow_lt; lra |]. rewrite <- (pow1 (S k)). apply pow_incr. lra. }
    assert (W := exp_pos (- IZR (Z.of_nat (S k)) ^ 2 / (2 * s))). fold (gaussian_weight s (Z.of_nat (S k))) in W.
    assert (X : base s ^ S k * base s ^ S k <= 1 * 1) by (apply Rmult_le_compat; lra).
    assert (Y : 0 < base s ^ S k * base s ^ S k) by (apply Rmult_lt_0_compat; lra).
    replace (base s ^ S k * base s ^ S k * base s * gaussian_weight s (Z.of_nat (S k)))
      with (base s * (base s ^ S k * base s ^ S k * gaussian_weight s (Z.of_nat (S k)))) by ring.
    apply Rmult_le_compat_l; [lra |]. apply Rle_trans with (1 * gaussian_weight s (Z.of_nat (S k))); [| lra].
    apply Rmult_le_compat_r; lra.
Qed.

Lemma weights_converge s : 0 < s -> ex_series (fun k => gaussian_weight s (Z.of_nat (S k))).
Proof.
  intros H. assert (B := base_range s H).
  apply (ex_series_le (K := R_AbsRing) (V := R_CompleteNormedModule) _ (fun k => base s * base s ^ k)).
  - intros k. change (Rabs (gaussian_weight s (Z.of_nat (S k))) <= base s * base s ^ k).
    assert (W := exp_pos (- IZR (Z.of_nat (S k)) ^ 2 / (2 * s))). fold (gaussian_weight s (Z.of_nat (S k))) in W.
    rewrite Rabs_right by lra. apply (weight_at_most s k H).
  - apply (ex_series_scal (K := R_AbsRing) (V := R_NormedModule) (base s) (fun k => base s ^ k)). apply ex_series_geom.
    rewrite Rabs_right; lra.
Qed.

Definition gaussian (s : R) (t : Z) : R :=
  gaussian_weight s t / (1 + 2 * Series (fun k => gaussian_weight s (Z.of_nat (S k)))).

Lemma window_weights s n : 0 < s ->
  total (geometric_noise.window n) (gaussian_weight s) =
    1 + 2 * total (seq 0 n) (fun k => gaussian_weight s (Z.of_nat (S k))).
Proof.
  intros H. induction n as [| n IH].
  - simpl. unfold gaussian_weight. simpl. replace (- (0 * (0 * 1)) / (2 * s)) with 0 by (field; lra). rewrite exp_0.
    ring.
  - cbn [geometric_noise.window total]. rewrite IH, weight_even, total_seq_S. ring.
Qed.

Theorem gaussian_law s : 0 < s -> law (gaussian s).
Proof.
  intros H. set (f := fun k => gaussian_weight s (Z.of_nat (S k))). set (S0 := Series f).
  assert (Pf : forall t, 0 < gaussian_weight s t) by (intros; apply exp_pos).
  assert (L : is_lim_seq (fun n => total (seq 0 (S n)) f) S0).
  { apply is_lim_seq_ext with (sum_n f); [intros n; rewrite sum_n_Reals; symmetry; apply total_sum_f_R0 |].
    apply Series_correct, weights_converge, H. }
  assert (Up : forall n, total (seq 0 n) f <= S0).
  { intros n. assert (X : Rbar_le (total (seq 0 n) f) S0); [| exact X].
    apply (is_lim_seq_le_loc (fun _ => total (seq 0 n) f) (fun m => total (seq 0 (S m)) f));
      [| apply is_lim_seq_const | exact L].
    exists n. intros m Hm. apply total_incl; [apply seq_NoDup | | intros; left; apply Pf].
    intros i I. apply in_seq in I. apply in_seq. lia. }
  assert (N0 : 0 <= S0) by (apply (Up 0%nat)). set (W := 1 + 2 * S0). assert (W0 : 0 < W) by (unfold W; lra).
  assert (Sum : forall l, total l (gaussian s) = total l (gaussian_weight s) / W).
  { intros l. unfold gaussian. fold f S0 W. unfold Rdiv. apply total_scal_r. }
  assert (Pos : forall t, 0 <= gaussian s t).
  { intros t. apply Rmult_le_pos; [left; apply Pf | left; apply Rinv_0_lt_compat, W0]. }
  split; [exact Pos | split].
  - intros x [l [N [_ ->]]]. destruct (inside_window l) as [n I].
    apply Rle_trans with (total (geometric_noise.window n) (gaussian s));
      [apply total_incl; [exact N | exact I | auto] |].
    rewrite Sum, (window_weights s n H). fold f. apply Rmult_le_reg_r with W; [exact W0 |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. specialize (Up n). unfold W. lra.
  - intros b Hb. assert (X : Rbar_le S0 ((b * W - 1) / 2)).
    { apply (is_lim_seq_le (fun n => total (seq 0 (S n)) f) (fun _ => (b * W - 1) / 2));
        [| exact L | apply is_lim_seq_const].
      intros n. assert (Y : total (geometric_noise.window (S n)) (gaussian s) <= b).
      { apply Hb. exists (geometric_noise.window (S n)). split; [apply window_distinct | auto]. }
      rewrite Sum, (window_weights s (S n) H) in Y. fold f in Y.
      apply (Rmult_le_compat_r W) in Y; [| lra]. unfold Rdiv in Y at 1. rewrite Rmult_assoc, Rinv_l in Y by lra. lra. }
    simpl in X. apply Rmult_le_reg_r with W; [exact W0 |]. unfold W in *. lra.
Qed.

Lemma gaussian_log_concave s : 0 < s -> log_concave (gaussian s).
Proof.
  intros H. apply (log_concave_ext (fun t => / (1 + 2 * Series (fun k => gaussian_weight s (Z.of_nat (S k)))) *
    exp (- (IZR t * IZR t / (2 * s))))).
  - intros t. unfold gaussian, Rdiv. rewrite Rmult_comm. f_equal. unfold gaussian_weight. f_equal. field. lra.
  - apply log_concave_scaled; [| apply discrete_gaussian_log_concave, H].
    left. apply Rinv_0_lt_compat. assert (P := proj1 (gaussian_law s H) 0%Z). unfold gaussian in P.
    assert (Q : 0 < gaussian_weight s 0) by apply exp_pos.
    assert (N : 0 <= Series (fun k => gaussian_weight s (Z.of_nat (S k)))); [| lra].
    assert (X : Series (fun _ : nat => 0) <= Series (fun k => gaussian_weight s (Z.of_nat (S k)))).
    { apply Series_le; [| apply weights_converge, H]. intros n. split; [lra | left; apply exp_pos]. }
    replace (Series (fun _ : nat => 0)) with 0 in X; [exact X |].
    symmetry. apply is_series_unique. apply is_series_Reals. intros e He. exists O. intros n _.
    rewrite sum_cte. unfold R_dist. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. exact He.
Qed.

(** ** Soundness *)

Lemma gaussian_next_weight s i : 0 < s ->
  above (gaussian s) 0 (1 + i) = base s ^ (2 * i + 1) * above (gaussian s) 0 i /\
  below (gaussian s) 0 (1 + i) = base s ^ (2 * i + 1) * below (gaussian s) 0 i.
Proof.
  intros H. unfold above, below, gaussian, Rdiv.
  replace (0 - Z.of_nat (1 + i))%Z with (- Z.of_nat (1 + i))%Z by lia.
  replace (0 - Z.of_nat i)%Z with (- Z.of_nat i)%Z by lia.
  rewrite !Z.add_0_l, !weight_even, (weight_next s i H). split; ring.
Qed.

(** The state after i steps is around q^(2i+1). *)
Lemma gaussian_state bits low high q i :
  (0 <= low)%Z -> 0 <= q -> encloses_number bits (low, high) q ->
  let st := state (gaussian_next (two bits) (low * low / two bits) (ceiling_div (high * high) (two bits))) (low, high) i
    in
  (0 <= fst st)%Z /\ encloses_number bits st (q ^ (2 * i + 1)).
Proof.
  intros L0 Hq [L U]. cbn [fst snd] in L, U. assert (T := two_positive bits). assert (P := pow_two_positive bits).
  assert (L0' := IZR_le _ _ L0). assert (Hh : (0 <= high)%Z) by (apply le_IZR; lra). apply IZR_le in Hh as Hh'.
  assert (Step : forall a b x a' b' y, (0 <= a)%Z -> (0 <= a')%Z -> 0 <= x -> 0 <= y ->
    encloses_number bits (a, b) x -> encloses_number bits (a', b') y ->
    (0 <= a * a' / two bits)%Z /\ encloses_number bits (a * a' / two bits, ceiling_div (b * b') (two bits))%Z (x * y)).
  { intros a b x a' b' y A A' X Y [E1 E2] [E3 E4]. cbn [fst snd] in *. split; [apply Z.div_pos; nia |].
    apply IZR_le in A. apply IZR_le in A'. assert (Px : 0 <= 2 ^ bits * x) by (apply Rmult_le_pos; lra).
    assert (Py : 0 <= 2 ^ bits * y) by (apply Rmult_le_pos; lra). split; cbn [fst snd].
    - apply floor_div_below; [exact T |]. rewrite mult_IZR, IZR_two. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      apply Rle_trans with ((2 ^ bits * x) * (2 ^ bits * y)); [| apply Req_le; ring]. rewrite Rmult_1_r.
      apply Rmult_le_compat; lra.
    - apply ceiling_div_above; [exact T |]. rewrite mult_IZR, IZR_two. apply Rmult_le_reg_r with (2 ^ bits);
        [exact P |].
      unfold Rdiv. rewrite (Rmult_assoc _ (/ _)), Rinv_l by lra. rewrite Rmult_1_r.
      apply Rle_trans with ((2 ^ bits * x) * (2 ^ bits * y)); [apply Req_le; ring |]. apply Rmult_le_compat; lra. }
  destruct (Step low high q low high q L0 L0 Hq Hq) as [S1 S2]; [split; assumption | split; assumption |].
  cbv zeta. set (next := gaussian_next _ _ _). induction i as [| i IH].
  - change (state next (low, high) 0) with (low, high). replace (q ^ (2 * 0 + 1)) with q by (simpl; ring).
    split; [exact L0 | split; assumption].
  - change (state next (low, high) (S i)) with (next (state next (low, high) i)).
    destruct IH as [I1 I2]. destruct (state next (low, high) i) as [a b]. unfold next, gaussian_next.
    cbn [fst snd] in *.
    replace (q ^ (2 * S i + 1)) with (q ^ (2 * i + 1) * (q * q)).
    2: { replace (2 * S i + 1)%nat with (2 * i + 1 + 2)%nat by lia. rewrite (pow_add q (2 * i + 1) 2). simpl. ring. }
    apply Step; auto; [apply pow_le, Hq | apply Rmult_le_pos; exact Hq].
Qed.

Lemma exponent_value s : (0 < Qnum s)%Z -> Q2R (exponent s) = - 1 / (2 * Q2R s).
Proof.
  destruct s as [[| n | n] d]; simpl; try lia. intros _. unfold exponent, Q2R. cbn [Qnum Qden].
  change (Zpos (2 * n)) with (2 * Zpos n)%Z. change (Zneg d) with (- Zpos d)%Z.
  rewrite opp_IZR, mult_IZR. assert (N := IZR_lt 0 (Zpos n) ltac:(lia)). assert (D := IZR_lt 0 (Zpos d) ltac:(lia)).
  field. lra.
Qed.

Theorem gaussian_window_sound bits s v :
  gaussian_window bits s = Some v ->
  noise_posed (DiscreteGaussian s) /\ exists c, encloses v (noise_mass (DiscreteGaussian s)) c.
Proof.
  unfold gaussian_window. destruct (Z.leb_spec (Qnum s) 0) as [| Hs]; [discriminate |]. cbv zeta.
  destruct (enclose (bits + 64) _) as [[low high] |] eqn:E; [| discriminate].
  destruct (Z.ltb_spec low 0) as [| L0]; [discriminate |]. intros W.
  assert (S0 : 0 < Q2R s).
  { unfold Q2R. apply Rmult_lt_0_compat; [apply IZR_lt, Hs | apply Rinv_0_lt_compat, (IZR_lt 0); lia]. }
  split; [exact S0 |]. change (noise_mass (DiscreteGaussian s)) with (gaussian (Q2R s)). set (r := Q2R s) in *.
  destruct (enclose_sound _ _ _ E) as [_ Q]. cbn [value] in Q. rewrite (exponent_value s Hs) in Q. fold r in Q.
  fold (base r) in Q. assert (B := base_range r S0).
  assert (LC := gaussian_log_concave r S0). assert (Law := gaussian_law r S0).
  assert (P : 0 < gaussian r 0).
  { destruct (proj1 Law 0%Z) as [P | P]; [exact P |]. exfalso. unfold gaussian in P.
    assert (X := exp_pos (- IZR 0 ^ 2 / (2 * r))). fold (gaussian_weight r 0) in X.
    set (d := 1 + 2 * _) in P. assert (D0 : d = 0 \/ d <> 0) by (destruct (Req_dec d 0); auto).
    destruct D0 as [D0 | D0].
    - destruct Law as [_ [_ Le]]. assert (Z1 : 1 <= 0); [| lra]. apply Le. intros y [l [_ [_ ->]]]. apply Req_le.
      rewrite (total_ext l _ (fun _ => 0)), total_zero; [reflexivity |]. intros t _. unfold gaussian. fold d.
      rewrite D0.
      unfold Rdiv. rewrite Rinv_0. ring.
    - apply (Rmult_eq_compat_r d) in P. unfold Rdiv in P. rewrite Rmult_assoc, Rinv_l in P by exact D0. lra. }
  destruct (log_concave_falls _ 0 (IZR 0 / IZR 1) LC P) as [F1 F2].
  exists (2 ^ bits / gaussian r 0). revert W.
  assert (Main : forall D : nat -> R, (forall i, 0 <= D i) -> (forall i, D (1 + i)%nat = base r ^ (2 * i + 1) * D i) ->
    forall i a b c, gaussian_ratio (two (bits + 64))
      (state (gaussian_next (two (bits + 64)) (low * low / two (bits + 64))
      (ceiling_div (high * high) (two (bits + 64)))) (low, high) i) = Some (a, b, c) ->
    IZR a * D i <= IZR c * D (1 + i)%nat <= IZR b * D i).
  { intros D Pos Next i a b c I. injection I as <- <- <-.
    destruct (gaussian_state (bits + 64) low high (base r) i L0 (Rlt_le _ _ (proj1 B)) Q) as [_ [X Y]].
    rewrite Next, IZR_two.
    replace (2 ^ (bits + 64) * (base r ^ (2 * i + 1) * D i)) with (2 ^ (bits + 64) * base r ^ (2 * i + 1) * D i)
      by ring.
    split; apply Rmult_le_compat_r; auto. }
  apply (walked_window_sound _ _ _ _ 0 1 (gaussian r) 0 (low, high) (low, high) bits Law P ltac:(lia)).
  - split; [| split; [discriminate | exact F1]].
    apply (Main _ (fun i => proj1 LC _) (fun i => proj1 (gaussian_next_weight r i S0))).
  - split; [| split; [discriminate | exact F2]].
    apply (Main _ (fun i => proj1 LC _) (fun i => proj2 (gaussian_next_weight r i S0))).
Qed.

(** Waves whose sum is at least max(0, s) on a lattice, with explicit sizes: finite characters, no integral.

    Let h > 0, 0 < q < 1 and M >= 1 an integer. The M waves [lattice_waves] have the tilt -ln q / h and the frequencies
    2 pi k/(M h), k = 0..M-1. Proved:

    - [lattice_majorant]: their sum is at least max(0, s) at every s = m h, m an integer of at most M;
    - [lattice_wave_size]: the size of the k-th is (h/M) q (1 - q^M)^2 / (1 - 2 q cos(2 pi k/M) + q^2).

    Idea: q^m times the sum is the convolution on Z/M of q^j, j = 0..M-1, and q^j, j = 1..M, which has the m pairs of
    the sum m; its Fourier coefficients are products of geometric sums, and their absolute values are taken where the
    waves are used. Source: this package. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import reals sums laws wave_bounds.
Import ListNotations.
Open Scope R_scope.

(** ** Sums of cosines *)

Lemma whole_turns x d : cos (x + 2 * PI * IZR d) = cos x /\ sin (x + 2 * PI * IZR d) = sin x.
Proof.
  destruct (Z_le_gt_dec 0 d) as [H | H].
  - replace (2 * PI * IZR d) with (2 * INR (Z.to_nat d) * PI) by (rewrite INR_IZR_INZ, Z2Nat.id by lia; ring).
    split; [apply cos_period | apply sin_period].
  - set (k := Z.to_nat (- d)).
    assert (E : 2 * PI * IZR d = - (2 * INR k * PI))
      by (unfold k; rewrite INR_IZR_INZ, Z2Nat.id, opp_IZR by lia; ring).
    rewrite E. split; [rewrite <- (cos_period (x + _) k) | rewrite <- (sin_period (x + _) k)]; f_equal; ring.
Qed.

Lemma telescoped_cosines al n :
  2 * sin (al / 2) * total (seq 0 n) (fun k => cos (INR k * al)) = sin ((INR n - 1 / 2) * al) + sin (al / 2).
Proof.
  induction n as [| n IH].
  - simpl. replace ((0 - 1 / 2) * al) with (- (al / 2)) by field. rewrite sin_neg. ring.
  - rewrite total_seq_S, Rmult_plus_distr_l, IH, S_INR.
    replace ((INR n + 1 - 1 / 2) * al) with (INR n * al + al / 2) by field.
    replace ((INR n - 1 / 2) * al) with (INR n * al - al / 2) by field. rewrite sin_plus, sin_minus. ring.
Qed.

(** Over all M-th roots of unity to the power d: M or 0. *)
Lemma cosines_nonneg M d :
  (1 <= M)%nat -> 0 <= total (seq 0 M) (fun k => cos (2 * PI * INR k / INR M * IZR d)).
Proof.
  intros H. assert (P : 0 < INR M) by (apply lt_0_INR; lia). set (al := 2 * PI * IZR d / INR M).
  rewrite (total_ext _ _ (fun k => cos (INR k * al))) by (intros k _; f_equal; unfold al; field; lra).
  destruct (Req_dec (sin (al / 2)) 0) as [Z | N].
  - destruct (sin_eq_0_0 _ Z) as [n Hn]. apply total_nonneg. intros k _.
    replace (INR k * al) with (0 + 2 * PI * IZR (n * Z.of_nat k))
      by (rewrite mult_IZR, <- INR_IZR_INZ; replace al with (2 * (al / 2)) by field; rewrite Hn; ring).
    rewrite (proj1 (whole_turns 0 _)), cos_0. lra.
  - right. symmetry. apply Rmult_eq_reg_l with (2 * sin (al / 2)); [| lra]. rewrite telescoped_cosines, Rmult_0_r.
    replace ((INR M - 1 / 2) * al) with (- (al / 2) + 2 * PI * IZR d) by (unfold al; field; lra).
    rewrite (proj2 (whole_turns _ d)), sin_neg. ring.
Qed.

(** ** The waves *)

Section Lattice.

(** M characters, and sums of at most T steps, which is a multiple of M. *)
Context (h q : R) (M turns : nat).
Hypothesis step : 0 < h.
Hypothesis falls : 0 < q < 1.
Hypothesis some : (1 <= M)%nat.

Let T := (turns * M)%nat.

Definition turn (k : nat) : R := 2 * PI * INR k / INR M.

Definition pairs : list (nat * nat) := list_prod (seq 0 T) (seq 1 T).
Definition added_up (p : nat * nat) : nat := (fst p + snd p)%nat.

Definition lattice_wave (k : nat) : wave :=
  Wave (h / INR M * total pairs (fun p => q ^ added_up p * cos (turn k * INR (added_up p))))
    (- (h / INR M * total pairs (fun p => q ^ added_up p * sin (turn k * INR (added_up p)))))
    (- ln q / h) (turn k / h).

Definition waves_of_turns : list wave := map lattice_wave (seq 0 M).

Definition on_lattice (top : nat) (s : R) : Prop := exists m, s = IZR m * h /\ (m <= Z.of_nat top)%Z.

Lemma M_pos : 0 < INR M.
Proof. apply lt_0_INR. lia. Qed.

Lemma height_on_lattice k m :
  height (lattice_wave k) (IZR m * h) =
  h / INR M * exp (- ln q * IZR m) *
  total pairs (fun p => q ^ added_up p * cos (turn k * IZR (m - Z.of_nat (added_up p)))).
Proof.
  unfold height. simpl. replace (- ln q / h * (IZR m * h)) with (- ln q * IZR m) by (field; lra).
  replace (turn k / h * (IZR m * h)) with (turn k * IZR m) by (field; lra).
  rewrite (total_ext pairs (fun p => q ^ added_up p * cos (turn k * IZR (m - Z.of_nat (added_up p))))
    (fun p => cos (turn k * IZR m) * (q ^ added_up p * cos (turn k * INR (added_up p))) +
      sin (turn k * IZR m) * (q ^ added_up p * sin (turn k * INR (added_up p))))).
  - rewrite total_plus, !total_scal. ring.
  - intros p _. rewrite minus_IZR, <- INR_IZR_INZ.
    replace (turn k * (IZR m - INR (added_up p))) with (turn k * IZR m - turn k * INR (added_up p)) by ring.
    rewrite cos_minus. ring.
Qed.

Theorem turns_majorant : majorant (on_lattice T) waves_of_turns.
Proof.
  apply pointwise_majorant. assert (P0 := M_pos).
  intros s [m [-> Hm]]. unfold waves_of_turns. rewrite total_map.
  rewrite (total_ext _ _ (fun k => h / INR M * exp (- ln q * IZR m) *
    total pairs (fun p => q ^ added_up p * cos (turn k * IZR (m - Z.of_nat (added_up p))))))
    by (intros k _; apply height_on_lattice).
  rewrite total_scal, total_swap. assert (X := exp_pos (- ln q * IZR m)).
  assert (Pos : forall p, 0 <= total (seq 0 M) (fun k =>
    q ^ added_up p * cos (turn k * IZR (m - Z.of_nat (added_up p))))).
  { intros p. rewrite total_scal. apply Rmult_le_pos; [apply pow_le; lra | apply cosines_nonneg, some]. }
  assert (C : 0 < h / INR M * exp (- ln q * IZR m))
    by (apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; [exact step | exact M_pos] | exact X]).
  apply Rmax_lub; [apply Rmult_le_pos; [lra | apply total_nonneg; intros p _; apply Pos] |].
  destruct (Z_le_gt_dec m 0) as [Neg | Big].
  { apply Rle_trans with 0; [apply IZR_le in Neg; nra |].
    apply Rmult_le_pos; [lra | apply total_nonneg; intros p _; apply Pos]. }
  set (n := Z.to_nat m). assert (Em : m = Z.of_nat n) by (unfold n; lia).
  assert (L : (n <= T)%nat) by lia.
  set (those := map (fun j => ((n - j)%nat, j)) (seq 1 n)).
  apply Rle_trans with (h / INR M * exp (- ln q * IZR m) * total those (fun p => total (seq 0 M) (fun k =>
    q ^ added_up p * cos (turn k * IZR (m - Z.of_nat (added_up p)))))).
  - unfold those. rewrite total_map.
    rewrite (total_ext _ _ (fun _ => q ^ n * INR M)).
    + rewrite total_const, seq_length. rewrite Em, <- INR_IZR_INZ. right.
      replace (exp (- ln q * INR n)) with (/ q ^ n).
      * field. split; [apply pow_nonzero; lra | lra].
      * rewrite <- (exp_ln q) at 1 by lra. rewrite exp_power, <- exp_Ropp. f_equal. ring.
    + intros j I. apply in_seq in I. rewrite total_scal. unfold added_up. simpl fst. simpl snd.
      replace (n - j + j)%nat with n by lia. f_equal. rewrite Em, Z.sub_diag.
      rewrite (total_ext _ _ (fun _ => 1)) by (intros k _; rewrite Rmult_0_r; apply cos_0).
      rewrite total_const, seq_length. ring.
  - apply Rmult_le_compat_l; [lra |]. apply total_incl.
    + unfold those. apply FinFun.Injective_map_NoDup; [| apply seq_NoDup]. intros i j E. congruence.
    + intros p I. apply in_map_iff in I. destruct I as [j [<- I]]. apply in_seq in I.
      apply in_prod; apply in_seq; lia.
    + intros p _. apply Pos.
Qed.

(** ** Their sizes *)

Definition cosines (al : R) (n : nat) : R := total (seq 0 n) (fun j => q ^ j * cos (al * INR j)).
Definition sines (al : R) (n : nat) : R := total (seq 0 n) (fun j => q ^ j * sin (al * INR j)).

Lemma geometric_cosines al n :
  cosines al n * (1 - q * cos al) + sines al n * (q * sin al) = 1 - q ^ n * cos (al * INR n) /\
  sines al n * (1 - q * cos al) - cosines al n * (q * sin al) = - (q ^ n * sin (al * INR n)).
Proof.
  unfold cosines, sines. induction n as [| n [I1 I2]].
  - simpl. rewrite Rmult_0_r, cos_0, sin_0. lra.
  - rewrite !total_seq_S, S_INR. replace (al * (INR n + 1)) with (al * INR n + al) by ring.
    rewrite cos_plus, sin_plus. simpl pow. split; [transitivity (1 - q ^ n * cos (al * INR n) +
      (q ^ n * cos (al * INR n) * (1 - q * cos al) + q ^ n * sin (al * INR n) * (q * sin al)));
      [rewrite <- I1; ring | ring] | transitivity (- (q ^ n * sin (al * INR n)) +
      (q ^ n * sin (al * INR n) * (1 - q * cos al) - q ^ n * cos (al * INR n) * (q * sin al)));
      [rewrite <- I2; ring | ring]].
Qed.

Lemma geometric_modulus k :
  (cosines (turn k) T ^ 2 + sines (turn k) T ^ 2) * (1 - 2 * q * cos (turn k) + q ^ 2) = (1 - q ^ T) ^ 2.
Proof.
  assert (P0 := M_pos). destruct (geometric_cosines (turn k) T) as [A B].
  assert (W : turn k * INR T = 0 + 2 * PI * IZR (Z.of_nat (k * turns)))
    by (unfold turn, T; rewrite <- INR_IZR_INZ, !mult_INR; field; lra).
  rewrite W, (proj1 (whole_turns 0 _)), cos_0 in A. rewrite W, (proj2 (whole_turns 0 _)), sin_0 in B.
  set (c := cos (turn k)) in *. set (s := sin (turn k)) in *.
  assert (U : s * s + c * c = 1) by (unfold s, c; exact (sin2_cos2 (turn k))).
  set (X := cosines (turn k) T) in *. set (Y := sines (turn k) T) in *.
  replace ((X ^ 2 + Y ^ 2) * (1 - 2 * q * c + q ^ 2))
    with ((X * (1 - q * c) + Y * (q * s)) ^ 2 + (Y * (1 - q * c) - X * (q * s)) ^ 2).
  - rewrite A, B. ring.
  - transitivity ((X ^ 2 + Y ^ 2) * (1 - 2 * q * c + q ^ 2 * (s * s + c * c))); [ring | rewrite U; ring].
Qed.

Lemma total_pairs (f : nat -> nat -> R) :
  total pairs (fun p => f (fst p) (snd p)) = total (seq 0 T) (fun i => total (seq 0 T) (fun j => f i (S j))).
Proof.
  unfold pairs. rewrite total_prod. apply total_ext. intros i _. simpl. rewrite <- seq_shift, total_map. reflexivity.
Qed.

(** The square of the geometric sum, a step later. *)
Lemma sums_of_pairs k :
  let X := cosines (turn k) T in let Y := sines (turn k) T in
  total pairs (fun p => q ^ added_up p * cos (turn k * INR (added_up p))) =
    q * (cos (turn k) * (X ^ 2 - Y ^ 2) - sin (turn k) * (2 * X * Y)) /\
  total pairs (fun p => q ^ added_up p * sin (turn k * INR (added_up p))) =
    q * (sin (turn k) * (X ^ 2 - Y ^ 2) + cos (turn k) * (2 * X * Y)).
Proof.
  intros X Y. set (c := cos (turn k)). set (s := sin (turn k)). unfold added_up. split.
  - rewrite (total_pairs (fun i j => q ^ (i + j) * cos (turn k * INR (i + j)))).
    rewrite (total_ext _ _ (fun i => q ^ i * cos (turn k * INR i) * (q * (c * X - s * Y)) -
      q ^ i * sin (turn k * INR i) * (q * (s * X + c * Y)))).
    + rewrite total_minus, !total_scal_r. fold (cosines (turn k) T) (sines (turn k) T). fold X Y. ring.
    + intros i _. unfold X, Y, cosines, sines.
      rewrite (total_ext _ _ (fun j =>
        (q ^ i * cos (turn k * INR i) * (q * c) - q ^ i * sin (turn k * INR i) * (q * s)) *
          (q ^ j * cos (turn k * INR j)) -
        (q ^ i * cos (turn k * INR i) * (q * s) + q ^ i * sin (turn k * INR i) * (q * c)) *
          (q ^ j * sin (turn k * INR j)))).
      * rewrite total_minus, !total_scal. ring.
      * intros j _. rewrite plus_INR, S_INR, pow_add.
        replace (turn k * (INR i + (INR j + 1))) with (turn k * INR i + (turn k * INR j + turn k)) by ring.
        rewrite !cos_plus, !sin_plus. fold c s. simpl pow. ring.
  - rewrite (total_pairs (fun i j => q ^ (i + j) * sin (turn k * INR (i + j)))).
    rewrite (total_ext _ _ (fun i => q ^ i * sin (turn k * INR i) * (q * (c * X - s * Y)) +
      q ^ i * cos (turn k * INR i) * (q * (s * X + c * Y)))).
    + rewrite total_plus, !total_scal_r. fold (cosines (turn k) T) (sines (turn k) T). fold X Y. ring.
    + intros i _. unfold X, Y, cosines, sines.
      rewrite (total_ext _ _ (fun j =>
        (q ^ i * sin (turn k * INR i) * (q * c) + q ^ i * cos (turn k * INR i) * (q * s)) *
          (q ^ j * cos (turn k * INR j)) +
        (q ^ i * cos (turn k * INR i) * (q * c) - q ^ i * sin (turn k * INR i) * (q * s)) *
          (q ^ j * sin (turn k * INR j)))).
      * rewrite total_plus, !total_scal. ring.
      * intros j _. rewrite plus_INR, S_INR, pow_add.
        replace (turn k * (INR i + (INR j + 1))) with (turn k * INR i + (turn k * INR j + turn k)) by ring.
        rewrite !sin_plus, !cos_plus. fold c s. simpl pow. ring.
Qed.

Theorem wave_of_turns_size k :
  size (lattice_wave k) = h / INR M * (q * (1 - q ^ T) ^ 2 / (1 - 2 * q * cos (turn k) + q ^ 2)).
Proof.
  assert (P0 := M_pos). set (c := cos (turn k)). set (s := sin (turn k)). assert (G := geometric_modulus k).
  fold c in G. set (X := cosines (turn k) T) in *. set (Y := sines (turn k) T) in *.
  assert (D : 0 < 1 - 2 * q * c + q ^ 2).
  { assert (U : s * s + c * c = 1) by (unfold s, c; exact (sin2_cos2 (turn k))).
    replace (1 - 2 * q * c + q ^ 2) with ((1 - q * c) ^ 2 + (q * s) ^ 2)
      by (transitivity (1 - 2 * q * c + q ^ 2 * (s * s + c * c)); [ring | rewrite U; ring]).
    assert (0 < 1 - q * c).
    { assert (c <= 1) by (unfold c; apply COS_bound). assert (-1 <= c) by (unfold c; apply COS_bound). nra. }
    assert (0 < (1 - q * c) ^ 2) by (apply pow_lt; assumption). assert (0 <= (q * s) ^ 2) by apply pow2_ge_0. lra. }
  destruct (sums_of_pairs k) as [Cos Sin]. fold c s X Y in Cos, Sin.
  unfold size, lattice_wave. cbn [in_phase out_of_phase]. rewrite Cos, Sin.
  assert (U : s * s + c * c = 1) by (unfold s, c; exact (sin2_cos2 (turn k))).
  assert (N : 0 <= h / INR M * (q * (X ^ 2 + Y ^ 2))).
  { apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat; [exact step | exact M_pos] |]. apply Rmult_le_pos; [lra |].
    apply Rplus_le_le_0_compat; apply pow2_ge_0. }
  replace (_ ^ 2 + _ ^ 2) with ((h / INR M * (q * (X ^ 2 + Y ^ 2))) ^ 2).
  - rewrite sqrt_pow2 by exact N. rewrite <- G. field. split; lra.
  - transitivity ((h / INR M * q) ^ 2 * (X ^ 2 + Y ^ 2) ^ 2 * (s * s + c * c)); [rewrite U; ring | ring].
Qed.

End Lattice.

(** With one turn. *)
Definition lattice_waves (h q : R) (M : nat) : list wave := waves_of_turns h q M 1.

Theorem lattice_majorant h q M :
  0 < h -> 0 < q < 1 -> (1 <= M)%nat -> majorant (on_lattice h M) (lattice_waves h q M).
Proof. intros A B C. assert (H := turns_majorant h q M 1 A B C). rewrite Nat.mul_1_l in H. exact H. Qed.

Theorem lattice_wave_size h q M k :
  0 < h -> 0 < q < 1 -> (1 <= M)%nat ->
  size (lattice_wave h q M 1 k) = h / INR M * (q * (1 - q ^ M) ^ 2 / (1 - 2 * q * cos (turn M k) + q ^ 2)).
Proof. intros A B C. rewrite (wave_of_turns_size h q M 1) by assumption. rewrite Nat.mul_1_l. reflexivity. Qed.

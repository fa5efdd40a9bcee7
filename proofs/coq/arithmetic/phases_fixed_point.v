(** Integers near 2^bits times the cosine and the sine of a rational angle, and near those of its multiples.

    [unit_number bits q] halves the angle j times, where it takes 1 + i q/2^j for e^(i q/2^j), and squares j times, in
    integers of more bits. [rotated] multiplies two such numbers, rounding down. Proved, for every number of bits of 8
      or
    more and every rational angle below 2^bits:

    - [unit_number_near]: it is at most 4 of 2^-bits away from e^(iq);
    - [rotated_near]: k products later the number is at most 8 k of these away from e^(ikq), if 16 k <= 2^bits.

    Idea: on the unit circle the errors of factors add up, but for a product of them. Source: this package
    (docs/certificates.md, "By the swap bound"). *)

From Coq Require Import Reals ZArith QArith Qreals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals fixed_point.
Open Scope R_scope.

(** The integers stand for a complex number in units of 2^-p. *)
Definition rotated (p : nat) (z w : Z * Z) : Z * Z :=
  (shifted_down (fst z * fst w - snd z * snd w) p, shifted_down (fst z * snd w + snd z * fst w) p)%Z.

(** With half of the products. *)
Definition squared (p : nat) (z : Z * Z) : Z * Z :=
  (shifted_down ((fst z - snd z) * (fst z + snd z)) p, shifted_down (2 * (fst z * snd z)) p)%Z.

Lemma squared_rotated p z : squared p z = rotated p z z.
Proof. unfold squared, rotated. f_equal; f_equal; ring. Qed.

Fixpoint squared_often (j p : nat) (z : Z * Z) : Z * Z :=
  match j with
  | O => z
  | S j' => squared_often j' p (squared p z)
  end.

(** The bits of the angle before the point. *)
Definition angle_bits (q : Q) : nat := Z.to_nat (Z.log2_up (Z.abs (Qnum q) / Zpos (Qden q) + 1)).

Definition unit_number (bits : nat) (q : Q) : Z * Z :=
  let j := (bits + 2 * angle_bits q)%nat in
  let p := (bits + 2 * j)%nat in
  let z := squared_often j p (two p, (Qnum q * two (bits + j) / Zpos (Qden q))%Z) in
  (shifted_down (fst z) (2 * j), shifted_down (snd z) (2 * j)).

(** ** Complex numbers *)

Definition circle (x : R) : C := (cos x, sin x).
Definition scaled (p : nat) (z : Z * Z) : C := (IZR (fst z) / 2 ^ p, IZR (snd z) / 2 ^ p).

Lemma Cmod_circle x : Cmod (circle x) = 1.
Proof.
  unfold Cmod, circle. simpl fst. simpl snd. assert (U := sin2_cos2 x). unfold Rsqr in U.
  replace (cos x ^ 2 + sin x ^ 2) with 1 by (simpl; lra). apply sqrt_1.
Qed.

Lemma circle_plus x y : circle (x + y) = (circle x * circle y)%C.
Proof. unfold circle, Cmult. simpl. rewrite cos_plus, sin_plus. f_equal; ring. Qed.

Lemma Cmod_at_most (z : C) a b : Rabs (fst z) <= a -> Rabs (snd z) <= b -> Cmod z <= a + b.
Proof.
  intros A B. assert (A0 := Rabs_pos (fst z)). assert (B0 := Rabs_pos (snd z)).
  apply Rsqr_incr_0_var; [| lra]. unfold Cmod.
  rewrite Rsqr_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
  rewrite <- (pow2_abs (fst z)), <- (pow2_abs (snd z)). unfold Rsqr. nra.
Qed.

Lemma Cmod_of_product (z w u v : C) e e' :
  Cmod (z - u)%C <= e -> Cmod (w - v)%C <= e' -> Cmod u = 1 -> Cmod v = 1 -> Cmod (z * w - u * v)%C <= e + e' + e * e'.
Proof.
  intros A B U V.
  replace (z * w - u * v)%C with ((z - u) * v + u * (w - v) + (z - u) * (w - v))%C by ring.
  eapply Rle_trans; [apply Cmod_triangle |]. eapply Rle_trans; [apply Rplus_le_compat_r, Cmod_triangle |].
  rewrite !Cmod_mult, U, V. assert (A0 := Cmod_ge_0 (z - u)%C). assert (B0 := Cmod_ge_0 (w - v)%C).
  assert (Cmod (z - u)%C * Cmod (w - v)%C <= e * e') by (apply Rmult_le_compat; assumption). lra.
Qed.

Lemma floor_near a p : Rabs (IZR (shifted_down a p) - IZR a / 2 ^ p) <= 1.
Proof.
  rewrite shifted_down_div. destruct (floor_div_bounds a (two p) (two_positive p)) as [A B]. rewrite IZR_two in A, B. apply Rabs_le. lra.
Qed.

Definition over (p : nat) (w : R * R) : C := (fst w / 2 ^ p, snd w / 2 ^ p).

Lemma scaled_near p z (w : R * R) (u : C) e :
  Rabs (IZR (fst z) - fst w) <= 1 -> Rabs (IZR (snd z) - snd w) <= 1 ->
  Cmod (over p w - u)%C <= e -> Cmod (scaled p z - u)%C <= e + 2 / 2 ^ p.
Proof.
  intros A B H. assert (P := pow_two_positive p).
  replace (scaled p z - u)%C with (over p w - u + (scaled p z - over p w))%C by ring.
  eapply Rle_trans; [apply Cmod_triangle |]. apply Rplus_le_compat; [exact H |].
  replace (2 / 2 ^ p) with (1 / 2 ^ p + 1 / 2 ^ p) by (field; lra).
  assert (X : forall a b, Rabs (a - b) <= 1 -> Rabs (a / 2 ^ p + - (b / 2 ^ p)) <= 1 / 2 ^ p).
  { intros a b D. replace (a / 2 ^ p + - (b / 2 ^ p)) with ((a - b) * / 2 ^ p) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ 2 ^ p)) by (left; apply Rinv_0_lt_compat, P).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P | exact D]. }
  apply Cmod_at_most; simpl; apply X; assumption.
Qed.

Lemma rotated_error p z w (u v : C) e e' :
  Cmod (scaled p z - u)%C <= e -> Cmod (scaled p w - v)%C <= e' -> Cmod u = 1 -> Cmod v = 1 ->
  Cmod (scaled p (rotated p z w) - u * v)%C <= e + e' + e * e' + 2 / 2 ^ p.
Proof.
  intros A B U V. assert (P := pow_two_positive p).
  apply (scaled_near p _ (IZR (fst z * fst w - snd z * snd w) / 2 ^ p, IZR (fst z * snd w + snd z * fst w) / 2 ^ p));
    [apply floor_near | apply floor_near |].
  eapply Rle_trans; [right | apply (Cmod_of_product _ _ _ _ _ _ A B U V)]. f_equal. f_equal.
  unfold over, scaled, Cmult. simpl. rewrite minus_IZR, plus_IZR, !mult_IZR. f_equal; field; lra.
Qed.

(** ** Squares *)

Section Squares.

Context (bits j p : nat) (theta : R).
Hypothesis some : (8 <= bits)%nat.
Hypothesis enough : (8 <= j <= 3 * bits)%nat.
Hypothesis precision : p = (bits + 2 * j)%nat.
Hypothesis theta_small : theta ^ 2 <= / (2 ^ bits * 2 ^ j).

Let d := / 2 ^ p.
Let each := 4 / (2 ^ j * (2 ^ bits * 2 ^ bits)) + d.
Let first := theta ^ 2 + d.

Lemma counted_below n : (8 <= n)%nat -> 2 * (1 + INR n) <= 2 ^ n /\ 24 * INR n <= 2 ^ n.
Proof.
  intros H. induction H as [| n H [A B]]; [simpl; lra |]. rewrite S_INR. assert (L := le_INR _ _ H). simpl in L.
  simpl pow. lra.
Qed.

Lemma all_small i : (i <= j)%nat -> first + INR i * each <= 2 / (2 ^ bits * 2 ^ j).
Proof.
  intros I. assert (Pb := pow_two_positive bits). assert (Pj := pow_two_positive j).
  assert (D : d = / (2 ^ bits * 2 ^ j * 2 ^ j)).
  { unfold d. rewrite precision. replace (bits + 2 * j)%nat with (bits + j + j)%nat by lia. rewrite !pow_add.
    f_equal. }
  destruct (counted_below j ltac:(lia)) as [J1 _]. destruct (counted_below bits some) as [_ B1].
  assert (I1 := le_INR _ _ I). assert (J3 := le_INR _ _ (proj2 enough)). rewrite mult_INR in J3. simpl in J3.
  assert (I0 := pos_INR i). unfold first, each. rewrite D.
  set (b := 2 ^ bits) in *. set (k := 2 ^ j) in *.
  assert (M : 0 < b * k) by (apply Rmult_lt_0_compat; assumption).
  enough (/ (b * k * k) + INR i * (4 / (k * (b * b)) + / (b * k * k)) <= / (b * k)) by lra.
  apply Rmult_le_reg_l with (b * k); [exact M |]. rewrite Rinv_r by lra.
  replace (b * k * (/ (b * k * k) + INR i * (4 / (k * (b * b)) + / (b * k * k))))
    with ((1 + INR i) * / k + 4 * INR i * / b) by (field; lra).
  assert (X : (1 + INR i) * / k <= / 2).
  { apply Rmult_le_reg_r with k; [lra |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Y : 4 * INR i * / b <= / 2).
  { apply Rmult_le_reg_r with b; [lra |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  lra.
Qed.

Lemma squares_error n : forall i z a, (i + n = j)%nat ->
  Cmod (scaled p z - circle a)%C <= 2 ^ i * (first + INR i * each) ->
  Cmod (scaled p (squared_often n p z) - circle (2 ^ n * a))%C <= 2 / 2 ^ bits.
Proof.
  assert (Pb := pow_two_positive bits). assert (Pj := pow_two_positive j).
  assert (D0 : 0 < d) by (apply Rinv_0_lt_compat, pow_two_positive).
  induction n as [| n IH]; intros i z a E H.
  - simpl. rewrite Rmult_1_l. eapply Rle_trans; [exact H |]. assert (i = j) as -> by lia.
    eapply Rle_trans; [apply Rmult_le_compat_l; [lra | apply all_small; lia] |]. right. field. split; lra.
  - cbn [squared_often]. rewrite squared_rotated. replace (2 ^ S n * a) with (2 ^ n * (a + a)) by (simpl; ring).
    apply (IH (S i)); [lia |]. rewrite circle_plus.
    assert (R' := rotated_error p z z _ _ _ _ H H (Cmod_circle a) (Cmod_circle a)).
    eapply Rle_trans; [exact R' |]. clear R' IH.
    assert (Small := all_small i ltac:(lia)). assert (Pi := pow_two_positive i).
    assert (F0 : 0 <= first + INR i * each).
    { assert (0 <= theta ^ 2) by apply pow2_ge_0.
      assert (0 < 4 / (2 ^ j * (2 ^ bits * 2 ^ bits))).
      { apply Rdiv_lt_0_compat; [lra |]. repeat apply Rmult_lt_0_compat; lra. }
      assert (0 <= INR i * each) by (apply Rmult_le_pos; [apply pos_INR | unfold each; lra]). unfold first in *. lra. }
    set (u := first + INR i * each) in *.
    assert (Q : u * u <= 2 / (2 ^ bits * 2 ^ j) * (2 / (2 ^ bits * 2 ^ j))) by (apply Rmult_le_compat; assumption).
    assert (Ij : 2 ^ i <= 2 ^ j) by (apply Rle_pow; [lra | lia]).
    assert (I1 : 1 <= 2 ^ i) by (apply pow_R1_Rle; lra).
    replace (2 ^ S i * (first + INR (S i) * each)) with (2 * 2 ^ i * u + 2 * 2 ^ i * each)
      by (rewrite S_INR; unfold u; simpl; ring).
    replace (2 ^ i * u + 2 ^ i * u + 2 ^ i * u * (2 ^ i * u) + 2 / 2 ^ p)
      with (2 * 2 ^ i * u + (2 ^ i * (2 ^ i * (u * u)) + 2 * d)) by (unfold d, Rdiv; ring).
    apply Rplus_le_compat_l. unfold each. rewrite Rmult_plus_distr_l. apply Rplus_le_compat.
    + apply Rle_trans with (2 ^ i * (2 ^ j * (2 / (2 ^ bits * 2 ^ j) * (2 / (2 ^ bits * 2 ^ j))))).
      * apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat; try lra. nra.
      * apply Rle_trans with (2 ^ i * (4 / (2 ^ j * (2 ^ bits * 2 ^ bits)))); [right; field; split; lra |].
        apply Rmult_le_compat_r; [| lra]. left. apply Rdiv_lt_0_compat; [lra |].
        repeat apply Rmult_lt_0_compat; lra.
    + nra.
Qed.

End Squares.

(** ** The start *)

Lemma sine_near x : Rabs x <= 1 -> Rabs (x - sin x) <= x ^ 2 / 2.
Proof.
  assert (P : forall y, 0 <= y <= 1 -> Rabs (y - sin y) <= y ^ 2 / 2).
  { intros y [H0 H1]. assert (P2 := PI2_1). unfold PI2 in *.
    destruct (sin_bound y 0 H0 ltac:(lra)) as [L _]. unfold sin_approx, sin_term in L. simpl in L.
    assert (U : sin y <= y) by (destruct H0 as [H0 | <-]; [left; apply sin_lt_x, H0 | rewrite sin_0; lra]).
    rewrite Rabs_pos_eq by lra. nra. }
  intros H. destruct (Rle_lt_dec 0 x) as [N | N].
  - apply P. rewrite Rabs_pos_eq in H; lra.
  - rewrite Rabs_left in H by exact N. specialize (P (- x) ltac:(lra)). rewrite sin_neg in P.
    rewrite <- Rabs_Ropp. replace (- (x - sin x)) with (- x - - sin x) by ring.
    replace (x ^ 2) with ((- x) ^ 2) by ring. exact P.
Qed.

Lemma cosine_near x : Rabs (1 - cos x) <= x ^ 2 / 2.
Proof.
  replace x with (2 * (x / 2)) at 1 by field. rewrite cos_2a_sin.
  assert (S : sin (x / 2) ^ 2 <= (x / 2) ^ 2).
  { rewrite <- (pow2_abs (sin (x / 2))), <- (pow2_abs (x / 2)). apply pow_incr. split; [apply Rabs_pos |].
    assert (P : forall y, 0 <= y -> Rabs (sin y) <= y).
    { intros y [Y | <-]; [| rewrite sin_0, Rabs_R0; lra]. destruct (Rle_lt_dec y 1) as [L | L].
      - assert (P2 := PI2_1). rewrite Rabs_pos_eq by (apply sin_ge_0; lra). left. apply sin_lt_x, Y.
      - assert (B := SIN_bound y). apply Rabs_le. lra. }
    destruct (Rle_lt_dec 0 (x / 2)) as [N | N]; [rewrite (Rabs_pos_eq (x / 2)) by exact N; apply P, N |].
    rewrite <- Rabs_Ropp, <- sin_neg, (Rabs_left (x / 2)) by exact N. apply P. lra. }
  assert (0 <= sin (x / 2) ^ 2) by apply pow2_ge_0.
  rewrite Rabs_pos_eq by (simpl in *; lra). simpl in *. lra.
Qed.

Lemma angle_below q : Rabs (Q2R q) <= 2 ^ angle_bits q.
Proof.
  unfold angle_bits, Q2R. destruct q as [a b]. cbn [Qnum Qden].
  assert (B : (0 < Zpos b)%Z) by lia. assert (Br := IZR_lt _ _ B).
  assert (D := floor_div_bounds (Z.abs a) (Zpos b) B). set (f := (Z.abs a / Zpos b)%Z) in *.
  assert (F0 : (0 <= f)%Z) by (apply Z.div_pos; lia).
  assert (L : (f + 1 <= 2 ^ Z.log2_up (f + 1))%Z).
  { destruct (Z.eq_dec f 0) as [-> | N]; [simpl; lia |]. apply Z.log2_up_spec. lia. }
  rewrite Rabs_mult, (Rabs_pos_eq (/ IZR (Zpos b))) by (left; apply Rinv_0_lt_compat, Br).
  rewrite <- abs_IZR. fold (IZR (Z.abs a) / IZR (Zpos b)).
  apply Rle_trans with (IZR (f + 1)); [rewrite plus_IZR; lra |].
  eapply Rle_trans; [apply IZR_le, L |]. rewrite pow_IZR. apply IZR_le. rewrite Z2Nat.id by apply Z.log2_up_nonneg. lia.
Qed.

Theorem unit_number_near bits q :
  (8 <= bits)%nat -> (angle_bits q <= bits)%nat ->
  Cmod (scaled bits (unit_number bits q) - circle (Q2R q))%C <= 4 / 2 ^ bits.
Proof.
  intros Hb Ha. unfold unit_number. set (h := angle_bits q) in *. set (j := (bits + 2 * h)%nat).
  set (p := (bits + 2 * j)%nat). set (x := (Qnum q * two (bits + j) / Zpos (Qden q))%Z).
  assert (Pb := pow_two_positive bits). assert (Pj := pow_two_positive j). assert (Pp := pow_two_positive p).
  assert (Ph := pow_two_positive h).
  assert (Wj : 2 ^ j = 2 ^ bits * (2 ^ h * 2 ^ h)).
  { unfold j. replace (bits + 2 * h)%nat with (bits + (h + h))%nat by lia. rewrite !pow_add. reflexivity. }
  assert (Wp : 2 ^ p = 2 ^ bits * 2 ^ j * 2 ^ j).
  { unfold p. replace (bits + 2 * j)%nat with (bits + j + j)%nat by lia. rewrite !pow_add. reflexivity. }
  set (t := Q2R q / 2 ^ j).
  assert (T : Rabs t <= 2 ^ h / 2 ^ j).
  { unfold t, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ 2 ^ j)) by (left; apply Rinv_0_lt_compat, Pj).
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pj | apply angle_below]. }
  assert (T2 : t ^ 2 <= / (2 ^ bits * 2 ^ j)).
  { rewrite <- pow2_abs. apply Rle_trans with ((2 ^ h / 2 ^ j) ^ 2); [apply pow_incr; split; [apply Rabs_pos | exact
    T] |].
    right. rewrite Wj. field. split; lra. }
  assert (One : 1 <= 2 ^ bits) by (apply pow_R1_Rle; lra).
  assert (OneJ : 1 <= 2 ^ j) by (apply pow_R1_Rle; lra).
  assert (T1 : Rabs t <= 1).
  { eapply Rle_trans; [exact T |]. apply Rmult_le_reg_r with (2 ^ j); [exact Pj |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l, Wj by lra.
    assert (1 <= 2 ^ h) by (apply pow_R1_Rle; lra). nra. }
  assert (X : Rabs (IZR x / 2 ^ p - t) <= / 2 ^ p).
  { destruct (floor_div_bounds (Qnum q * two (bits + j)) (Zpos (Qden q)) ltac:(lia)) as [X1 X2]. fold x in X1, X2.
    assert (Dq : 0 < IZR (Zpos (Qden q))) by (apply IZR_lt; lia).
    assert (V : IZR (Qnum q * two (bits + j)) / IZR (Zpos (Qden q)) = t * 2 ^ p).
    { unfold t, Q2R. rewrite mult_IZR, IZR_two, Wp, pow_add. field. split; lra. }
    rewrite V in X1, X2. replace (IZR x / 2 ^ p - t) with ((IZR x - t * 2 ^ p) * / 2 ^ p) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ 2 ^ p)) by (left; apply Rinv_0_lt_compat, Pp).
    rewrite <- (Rmult_1_l (/ 2 ^ p)) at 2. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pp |].
    apply Rabs_le. lra. }
  assert (Start : Cmod (scaled p (two p, x) - circle t)%C <= 2 ^ 0 * (t ^ 2 + / 2 ^ p + INR 0 *
    (4 / (2 ^ j * (2 ^ bits * 2 ^ bits)) + / 2 ^ p))).
  { simpl (2 ^ 0). simpl (INR 0). rewrite Rmult_0_l, Rplus_0_r, Rmult_1_l.
    replace (t ^ 2 + / 2 ^ p) with (t ^ 2 / 2 + (/ 2 ^ p + t ^ 2 / 2)) by (field; lra). apply Cmod_at_most; simpl fst;
      simpl snd.
    - rewrite IZR_two. replace (2 ^ p / 2 ^ p + - cos t) with (1 - cos t) by (field; lra). apply cosine_near.
    - replace (IZR x / 2 ^ p + - sin t) with ((IZR x / 2 ^ p - t) + (t - sin t)) by ring.
      eapply Rle_trans; [apply Rabs_triang |]. apply Rplus_le_compat; [exact X | apply sine_near, T1]. }
  assert (S := squares_error bits j p t Hb ltac:(unfold j; lia) eq_refl T2 j 0 (two p, x) t ltac:(lia) Start).
  replace (2 ^ j * t) with (Q2R q) in S by (unfold t; field; lra).
  set (z := squared_often j p (two p, x)) in *.
  replace (4 / 2 ^ bits) with (2 / 2 ^ bits + 2 / 2 ^ bits) by (field; lra).
  apply (scaled_near bits _ (IZR (fst z) / 2 ^ (2 * j), IZR (snd z) / 2 ^ (2 * j))); try apply floor_near.
  eapply Rle_trans; [right | exact S]. f_equal. f_equal. unfold over, scaled. cbn [fst snd].
  assert (W : 2 ^ p = 2 ^ bits * 2 ^ (2 * j)) by (unfold p; apply pow_add). rewrite W.
  assert (0 < 2 ^ (2 * j)) by apply pow_two_positive. f_equal; field; split; lra.
Qed.

(** ** Multiples *)

Fixpoint rotated_often (k p : nat) (w z : Z * Z) : Z * Z :=
  match k with
  | O => z
  | S k' => rotated p (rotated_often k' p w z) w
  end.

Theorem rotated_near bits k w x :
  16 * INR k <= 2 ^ bits -> Cmod (scaled bits w - circle x)%C <= 4 / 2 ^ bits ->
  Cmod (scaled bits (rotated_often k bits w (two bits, 0%Z)) - circle (INR k * x))%C <= 8 * INR k / 2 ^ bits.
Proof.
  intros H W. assert (P := pow_two_positive bits). induction k as [| k IH].
  - cbn [rotated_often]. replace (8 * INR 0 / 2 ^ bits) with 0 by (simpl; field; lra).
    replace (scaled bits (two bits, 0%Z) - circle (INR 0 * x))%C with (RtoC 0); [rewrite Cmod_0; lra |].
    unfold scaled, circle, Cminus, Cplus, Copp, RtoC. simpl. rewrite IZR_two, Rmult_0_l, cos_0, sin_0.
    f_equal; field; lra.
  - rewrite S_INR in H. specialize (IH ltac:(lra)). cbn [rotated_often].
    replace (INR (S k) * x) with (INR k * x + x) by (rewrite S_INR; ring). rewrite circle_plus.
    eapply Rle_trans; [apply (rotated_error bits _ _ _ _ _ _ IH W (Cmod_circle _) (Cmod_circle _)) |].
    rewrite S_INR. assert (K := pos_INR k).
    assert (Z : 8 * INR k / 2 ^ bits <= / 2).
    { apply Rmult_le_reg_r with (2 ^ bits); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Y : 8 * INR k / 2 ^ bits * (4 / 2 ^ bits) <= / 2 * (4 / 2 ^ bits)).
    { apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra | exact Z]. }
    replace (8 * (INR k + 1) / 2 ^ bits) with (8 * INR k / 2 ^ bits + 4 / 2 ^ bits + / 2 * (4 / 2 ^ bits) + 2 / 2 ^
      bits)
      by (field; lra). lra.
Qed.

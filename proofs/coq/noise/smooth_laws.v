(** Which laws are smooth, and at which eps for each unit of the shift.

    Let D be a law on the integers, k >= 1 and eps real.

    - [smooth_every_k]: if D is (eps, 0, 1)-smooth, it is (eps, 0, k)-smooth for every k.
    - [geometric_smooth_iff]: the two-sided geometric law with ratio a in (0, 1) is (eps, 0, k)-smooth if and
      only if eps > ln(1/a): one eps for each unit, however large k is.
    - [gaussian_smooth_iff]: a law with masses proportional to e^(-y^2/(2 s)), s > 0, is
      (eps, delta, k)-smooth if and only if P[Y >= s eps - k/2] <= delta. So at a fixed delta the eps for
      each unit grows with k as k/(2 s).
    - [bounded_smooth]: a law without mass below m is (eps, delta, k)-smooth, for whatever eps, only if
      P[Y < m + k] <= delta. So at a fixed delta < 1 there is no eps where k is large.
    - [bounded_never_smooth]: such a law is not (eps, 0, k)-smooth for any eps and k >= 1. The same holds of
      laws without mass above m, and so of every law with finitely many outcomes.

    Ideas: at delta = 0 no point with mass has a large ratio, and ratios of single steps multiply. A shift
    by k takes the k lowest points to points without mass. The logarithm of e^(-y^2/(2 s)) changes by
    (2 y k + k^2)/(2 s). (Source: this package; the definition is in Ghazi, Golowich, Kumar, Pagh,
    Velingker 2021, section 4.) *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums masses smooth geometric_noise.
Import ListNotations.
Open Scope R_scope.

(** At delta = 0 the ratio is small at every point with mass. *)
Lemma smooth_zero_iff (D : Z -> R) eps k :
  (forall y, 0 <= D y) ->
  (smooth D eps 0 k <->
   forall j y, j <> 0%Z -> (Z.abs j <= k)%Z -> 0 < D y -> D y < exp (IZR (Z.abs j) * eps) * D (y + j)%Z).
Proof.
  intros Pos. split.
  - intros S j y J K P. apply Rnot_le_lt. intros L.
    assert (B : total [y] D <= 0); [| simpl in B; lra].
    apply (S j J K); [repeat constructor; simpl; tauto |]. intros a [<- | []]. exact L.
  - intros H j J K l _ I. rewrite (total_ext l D (fun _ => 0)), total_zero; [apply Rle_refl |].
    intros y Hy. destruct (Pos y) as [P | E]; [| symmetry; exact E].
    specialize (H j y J K P). specialize (I y Hy). lra.
Qed.

Theorem smooth_every_k (D : Z -> R) eps :
  (forall y, 0 <= D y) -> smooth D eps 0 1 -> forall k, smooth D eps 0 k.
Proof.
  intros Pos One0 k. apply (smooth_zero_iff D eps k Pos). intros j y J _ P.
  assert (One : forall s z, Z.abs s = 1%Z -> 0 < D z -> D z < exp eps * D (z + s)%Z).
  { intros s z A Pz. assert (L := proj1 (smooth_zero_iff D eps 1 Pos) One0 s z ltac:(lia) ltac:(lia) Pz).
    rewrite A, Rmult_1_l in L. exact L. }
  set (s := Z.sgn j). assert (A : Z.abs s = 1%Z) by (unfold s; lia).
  assert (Chain : forall m : nat, (1 <= m)%nat ->
    D y < exp (INR m * eps) * D (y + s * Z.of_nat m)%Z).
  { induction m as [| [| m] IH]; intros Hm; [lia | |].
    - change (INR 1) with 1. rewrite Rmult_1_l, Z.mul_1_r. apply One; assumption.
    - specialize (IH ltac:(lia)). assert (X := exp_pos (INR (S m) * eps)).
      assert (Q : 0 < D (y + s * Z.of_nat (S m))%Z).
      { apply Rmult_lt_reg_l with (exp (INR (S m) * eps)); [exact X | lra]. }
      assert (L := One s _ A Q).
      replace (y + s * Z.of_nat (S m) + s)%Z with (y + s * Z.of_nat (S (S m)))%Z in L by lia.
      rewrite (S_INR (S m)), Rmult_plus_distr_r, Rmult_1_l, exp_plus.
      eapply Rlt_trans; [exact IH |]. rewrite Rmult_assoc. apply Rmult_lt_compat_l; assumption. }
  specialize (Chain (Z.abs_nat j) ltac:(lia)). rewrite INR_IZR_INZ, Zabs2Nat.id_abs in Chain.
  replace (y + s * Z.abs j)%Z with (y + j)%Z in Chain by (unfold s; lia). exact Chain.
Qed.

(** ** Two-sided geometric tails *)

Theorem geometric_smooth_iff (a eps : R) (k : Z) :
  0 < a < 1 -> (1 <= k)%Z -> (smooth (geometric a) eps 0 k <-> ln (/ a) < eps).
Proof.
  intros H K. assert (Pos : forall y, 0 <= geometric a y) by (intros; left; apply geometric_pos, H).
  assert (A : 0 < / a) by (apply Rinv_0_lt_compat; lra). split.
  - intros S. apply (smooth_zero_iff _ _ _ Pos) with (j := 1%Z) (y := 0%Z) in S;
      [| lia | lia | apply geometric_pos, H].
    apply exp_lt_inv. rewrite exp_ln by exact A.
    change (IZR (Z.abs 1)) with 1 in S. rewrite Rmult_1_l in S. unfold geometric in S. simpl in S.
    assert (C : 0 < (1 - a) / (1 + a)) by (apply Rdiv_lt_0_compat; lra).
    apply Rmult_lt_reg_l with ((1 - a) / (1 + a) * a); [apply Rmult_lt_0_compat; lra |].
    replace ((1 - a) / (1 + a) * a * / a) with ((1 - a) / (1 + a)) by (field; lra). lra.
  - intros L. apply smooth_every_k; [exact Pos |]. apply (smooth_zero_iff _ _ _ Pos). intros j y J K1 _.
    replace (Z.abs j) with 1%Z by lia. rewrite Rmult_1_l.
    eapply Rle_lt_trans; [apply (geometric_move a y (y + j) 1 H); lia |]. rewrite pow_1.
    apply Rmult_lt_compat_r; [apply geometric_pos, H |]. rewrite <- (exp_ln (/ a) A) at 1.
    apply exp_increasing, L.
Qed.

(** ** Gaussian tails *)

(** Where the ratio is large. *)
Lemma gaussian_ratio (D : Z -> R) (s c eps : R) (j y : Z) :
  0 < s -> 0 < c -> (forall z, D z = c * exp (- (IZR z ^ 2 / (2 * s)))) -> j <> 0%Z ->
  (exp (IZR (Z.abs j) * eps) * D (y + j)%Z <= D y <->
   s * eps - IZR (Z.abs j) / 2 <= IZR (Z.sgn j * y)).
Proof.
  intros Hs Hc HD J. rewrite !HD. set (m := IZR (Z.abs j)). set (t := IZR (Z.sgn j * y)).
  assert (M : 0 < m) by (apply IZR_lt; lia).
  assert (Sq : IZR (y + j) ^ 2 = IZR y ^ 2 + (2 * m * t + m ^ 2)).
  { unfold m, t. rewrite !pow_IZR, <- !mult_IZR, <- !plus_IZR. f_equal. simpl Z.of_nat.
    rewrite !Z.pow_2_r. nia. }
  replace (exp (m * eps) * (c * exp (- (IZR (y + j) ^ 2 / (2 * s)))))
    with (c * exp (- (IZR y ^ 2 / (2 * s)) + m / s * (s * eps - m / 2 - t))).
  2: { rewrite Sq, (Rmult_comm (exp (m * eps))), Rmult_assoc, <- exp_plus. f_equal. f_equal. field. lra. }
  assert (Q : 0 < m / s) by (apply Rdiv_lt_0_compat; assumption). split; intros L.
  - apply Rmult_le_reg_l in L; [| exact Hc]. apply Rnot_lt_le. intros G. apply (Rle_not_lt _ _ L).
    apply exp_increasing. assert (0 < m / s * (s * eps - m / 2 - t)) by (apply Rmult_lt_0_compat; lra). lra.
  - apply Rmult_le_compat_l; [lra |]. apply reals.exp_le.
    assert (0 <= m / s * (t - (s * eps - m / 2))) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem gaussian_smooth_iff (D : Z -> R) (s c eps delta : R) (k : Z) (p : R) :
  0 < s -> 0 < c -> (forall y, D y = c * exp (- (IZR y ^ 2 / (2 * s)))) -> (1 <= k)%Z ->
  mass_of D (fun y => s * eps - IZR k / 2 <= IZR y) p ->
  (smooth D eps delta k <-> p <= delta).
Proof.
  intros Hs Hc HD K [Upper Least]. split.
  - intros S. apply Least. intros q [l [N [I ->]]]. apply (S k); [lia | lia | exact N |].
    intros y Hy. apply (gaussian_ratio D s c); [assumption .. | lia |].
    replace (Z.sgn k * y)%Z with y by lia. replace (Z.abs k) with k by lia. apply I, Hy.
  - intros L j J Kj l N I. apply Rle_trans with p; [| exact L].
    assert (Reach : IZR (Z.abs j) <= IZR k) by (apply IZR_le, Kj).
    replace (total l D) with (total (map (Z.mul (Z.sgn j)) l) D).
    + apply Upper. eexists. split; [| split; [| reflexivity]].
      * apply Injective_map_NoDup; [intros x y; nia | exact N].
      * intros y Hy. apply in_map_iff in Hy. destruct Hy as [z [<- Hz]].
        assert (G := proj1 (gaussian_ratio D s c eps j z Hs Hc HD J) (I z Hz)). lra.
    + rewrite total_map. apply total_ext. intros y _. rewrite !HD, !pow_IZR. simpl Z.of_nat.
      replace ((Z.sgn j * y) ^ 2)%Z with (y ^ 2)%Z; [reflexivity |]. rewrite !Z.pow_2_r. nia.
Qed.

(** ** Laws that end *)

(** D has no mass below m, or none above. *)
Definition ends_at (D : Z -> R) (m : Z) : Prop :=
  (forall y, (y < m)%Z -> D y = 0) \/ (forall y, (m < y)%Z -> D y = 0).

Theorem bounded_smooth (D : Z -> R) (m : Z) eps delta k p :
  (forall y, 0 <= D y) -> (forall y, (y < m)%Z -> D y = 0) -> (1 <= k)%Z -> smooth D eps delta k ->
  mass_of D (fun y => (y < m + k)%Z) p -> p <= delta.
Proof.
  intros Pos Z K S [_ Least]. apply Least. intros s [l [N [I ->]]].
  apply (S (- k)%Z); [lia | lia | exact N |]. intros y Hy. specialize (I y Hy). cbv beta in I.
  rewrite (Z (y + - k)%Z) by lia. rewrite Rmult_0_r. apply Pos.
Qed.

(** A law has a point with mass. *)
Lemma not_all_zero (D : Z -> R) : law D -> ~ (forall y, D y = 0).
Proof.
  intros [_ [_ Least]] H. assert (1 <= 0); [| lra]. apply Least. intros s [l [_ [_ ->]]].
  rewrite (total_ext l D (fun _ => 0)), total_zero; [lra |]. intros y _. apply H.
Qed.

Theorem bounded_never_smooth (D : Z -> R) (m : Z) eps k :
  law D -> ends_at D m -> (1 <= k)%Z -> ~ smooth D eps 0 k.
Proof.
  intros L B K S. apply (not_all_zero D L). assert (Pos := proj1 L).
  assert (Next : forall s y, Z.abs s = 1%Z -> D (y + s)%Z = 0 -> D y = 0).
  { intros s y A E. destruct (Pos y) as [P | Q]; [exfalso | symmetry; exact Q].
    assert (G := proj1 (smooth_zero_iff D eps k Pos) S s y ltac:(lia) ltac:(lia) P).
    rewrite E, Rmult_0_r in G. lra. }
  assert (Walk : forall s, Z.abs s = 1%Z -> (forall y, (s * (y - m) < 0)%Z -> D y = 0) ->
    forall (i : nat) y, (s * (y - m) < Z.of_nat i)%Z -> D y = 0).
  { intros s A Out. induction i as [| i IH]; intros y Hy; [apply Out; lia |].
    apply (Next (- s)%Z); [lia |]. apply IH. nia. }
  destruct B as [B | B]; intros y.
  - apply (Walk 1%Z eq_refl) with (i := Z.to_nat (y - m + 1)); [intros z Hz; apply B |]; lia.
  - apply (Walk (-1)%Z eq_refl) with (i := Z.to_nat (m - y + 1)); [intros z Hz; apply B |]; lia.
Qed.

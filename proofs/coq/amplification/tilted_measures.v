(** What a tilted measure says of a law: its tests, and that sums, rounding and cutting keep it.

    Fix theta > 0. The tests are the functions max(0, v - t) for real t, with the charge e^(-theta t) / (e theta), and
    c e^(theta v) for c >= 0, with the charge c. A tilted measure m on the lattice of step H, of the weights w_j at the
    places j H in units of 2^-units, [covers] a law L if for every test f the mean E[f(L)] is at most the sum of
    w_j e^(-theta j H) f(j H) and of the charge of f for what was cut. Proved, on weights >= 0:

    - [test_at_most]: a test is at most its charge times e^(theta v), since x <= e^(x-1); so what is cut is charged;
    - [covers_normalised]: rounding up and cutting keep this, wherever is cut;
    - [covers_times]: the product of two measures covers the sum of independent values.

    Idea: a test shifted by a is a test, with the charge times e^(theta a). With copies of a law no decomposition of
    the law into what is kept and what is cut is needed. Source: this package; exactdp/checker/blanket.py. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws fixed_point polynomials integer_polynomials losses_program.
From Exactdp Require Import mean_excess hidden_message increasing_convex_order tilted_program.
Import ListNotations.
Open Scope R_scope.

Definition all_nonneg (l : list Z) : Prop := Forall (fun w => (0 <= w)%Z) l.

Lemma up_above v bits : IZR v / 2 ^ bits <= IZR (up v bits).
Proof. unfold up. rewrite shifted_up_div, <- IZR_two. apply ceiling_div_above; [apply two_positive | apply Rle_refl]. Qed.

Lemma ceiling_div_nonneg x d : (0 <= x)%Z -> (0 < d)%Z -> (0 <= ceiling_div x d)%Z.
Proof. intros H D. unfold ceiling_div. assert (- x / d <= 0)%Z; [apply Z.div_le_upper_bound; lia | lia]. Qed.

Lemma up_nonneg v bits : (0 <= v)%Z -> (0 <= up v bits)%Z.
Proof. intros H. unfold up. rewrite shifted_up_div. apply ceiling_div_nonneg; [exact H | apply two_positive]. Qed.

Lemma against_at_most (p : list Z) f g :
  all_nonneg p -> (forall i, f i <= g i) -> against (of_integers p) f <= against (of_integers p) g.
Proof.
  intros H. revert f g. induction H as [| w p Hw _ IH]; intros f g L; simpl; [lra |].
  apply Rplus_le_compat; [apply Rmult_le_compat_l; [apply IZR_le, Hw | apply L] | apply IH; intros; apply L].
Qed.

Lemma against_const (p : list Z) c : against (of_integers p) (fun _ => c) = IZR (z_sum p) * c.
Proof.
  induction p as [| w p IH]; simpl; [ring |].
  change (of_integers p) with (map IZR p) in IH. unfold of_integers in *. rewrite IH, plus_IZR. ring.
Qed.

Section tests.

Variable theta : R.
Hypothesis theta_positive : 0 < theta.

Definition test (f : R -> R) (charge : R) : Prop :=
  (exists t, (forall v, f v = Rmax 0 (v - t)) /\ charge = exp (- theta * t) * (exp (-1) / theta)) \/
  (0 <= charge /\ forall v, f v = charge * exp (theta * v)).

Lemma test_shifted f charge a : test f charge -> test (fun v => f (a + v)) (charge * exp (theta * a)).
Proof.
  intros [[t [H ->]] | [H0 H]].
  - left. exists (t - a). split; [intros v; rewrite H; f_equal; ring |].
    replace (- theta * (t - a)) with (- theta * t + theta * a) by ring. rewrite exp_plus. ring.
  - right. split; [apply Rmult_le_pos; [exact H0 | left; apply exp_pos] |].
    intros v. rewrite H, Rmult_plus_distr_l, exp_plus. ring.
Qed.

Lemma charge_nonneg f charge : test f charge -> 0 <= charge.
Proof.
  intros [[t [_ ->]] | [H _]]; [| exact H]. left. apply Rmult_lt_0_compat; [apply exp_pos |].
  apply Rdiv_lt_0_compat; [apply exp_pos | exact theta_positive].
Qed.

Lemma test_nonneg f charge v : test f charge -> 0 <= f v.
Proof.
  intros [[t [H _]] | [H0 H]]; rewrite H; [apply Rmax_l |].
  apply Rmult_le_pos; [exact H0 | left; apply exp_pos].
Qed.

Theorem test_at_most f charge v : test f charge -> exp (- theta * v) * f v <= charge.
Proof.
  intros [[t [H ->]] | [H0 H]]; rewrite H.
  - assert (P := exp_pos (- theta * t)). assert (P1 := exp_pos (-1)). assert (Pv := exp_pos (- theta * v)).
    rewrite <- RmaxRmult by lra. rewrite Rmult_0_r. apply Rmax_lub.
    + apply Rmult_le_pos; [lra |]. left. apply Rdiv_lt_0_compat; lra.
    + assert (X := exp_ineq1_le (theta * (v - t) - 1)).
      apply Rmult_le_reg_l with (theta * exp (theta * v)); [apply Rmult_lt_0_compat; [lra | apply exp_pos] |].
      replace (theta * exp (theta * v) * (exp (- theta * v) * (v - t))) with
        (theta * (v - t) * (exp (theta * v) * exp (- theta * v))) by ring.
      rewrite <- exp_plus. replace (theta * v + - theta * v) with 0 by ring. rewrite exp_0, Rmult_1_r.
      replace (theta * exp (theta * v) * (exp (- theta * t) * (exp (-1) / theta))) with
        (exp (theta * v) * exp (- theta * t) * exp (-1)) by (field; lra).
      rewrite <- !exp_plus. replace (theta * v + - theta * t + -1) with (theta * (v - t) - 1) by ring. lra.
  - replace (exp (- theta * v) * (charge * exp (theta * v))) with (charge * (exp (- theta * v) * exp (theta * v)))
      by ring.
    rewrite <- exp_plus. replace (- theta * v + theta * v) with 0 by ring. rewrite exp_0. lra.
Qed.

Lemma exp_convex a b s : 0 <= s <= 1 -> exp ((1 - s) * a + s * b) <= (1 - s) * exp a + s * exp b.
Proof.
  intros H. set (m := (1 - s) * a + s * b).
  assert (X : forall x, exp m * (1 + (x - m)) <= exp x).
  { intros x. replace (exp x) with (exp m * exp (x - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le]. }
  assert (A := X a). assert (B := X b).
  apply (Rmult_le_compat_l (1 - s)) in A; [| lra]. apply (Rmult_le_compat_l s) in B; [| lra].
  replace (exp m) with ((1 - s) * (exp m * (1 + (a - m))) + s * (exp m * (1 + (b - m)))) by (unfold m; ring). lra.
Qed.

Lemma test_convex f charge a b s :
  test f charge -> 0 <= s <= 1 -> f ((1 - s) * a + s * b) <= (1 - s) * f a + s * f b.
Proof.
  intros T H. assert (A := test_nonneg f charge a T). assert (B := test_nonneg f charge b T).
  destruct T as [[t [E _]] | [H0 E]].
  - rewrite !E in *. apply Rmax_lub.
    + apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
    + assert (X := Rmax_r 0 (a - t)). assert (Y := Rmax_r 0 (b - t)).
      apply (Rmult_le_compat_l (1 - s)) in X; [| lra]. apply (Rmult_le_compat_l s) in Y; [| lra]. lra.
  - rewrite !E. replace (theta * ((1 - s) * a + s * b)) with ((1 - s) * (theta * a) + s * (theta * b)) by ring.
    assert (X := exp_convex (theta * a) (theta * b) s H). apply (Rmult_le_compat_l charge) in X; [lra | exact H0].
Qed.

(** ** Covering *)

Definition unit_of (m : measure) : R := powerRZ 2 (- units m).

Lemma unit_positive m : 0 < unit_of m.
Proof. apply powerRZ_lt. lra. Qed.

(** f at the value of a place, without its tilt. *)
Definition untilted (H : R) (f : R -> R) (z : Z) : R := exp (- theta * (IZR z * H)) * f (IZR z * H).

Definition weighed (H : R) (f : R -> R) (low : Z) (l : list Z) : R :=
  against (of_integers l) (fun i => untilted H f (low + Z.of_nat i)).

Definition bound (H : R) (m : measure) (f : R -> R) (charge : R) : R :=
  unit_of m * (weighed H f (start m) (weights m) + IZR (lost m) * charge).

Definition sound (m : measure) : Prop := all_nonneg (weights m) /\ (0 <= lost m)%Z.

Definition covers (H : R) (m : measure) (L : dist R) : Prop :=
  sound m /\ forall f charge, test f charge -> mean L f <= bound H m f charge.

Lemma covers_same_law H m L K : same_law L K -> covers H m L -> covers H m K.
Proof. intros E [S C]. split; [exact S |]. intros f charge T. rewrite <- E. apply C, T. Qed.

Lemma untilted_bounds H f charge z : test f charge -> 0 <= untilted H f z <= charge.
Proof.
  intros T. split; [| apply test_at_most, T].
  apply Rmult_le_pos; [left; apply exp_pos | apply (test_nonneg f charge), T].
Qed.

Lemma weighed_app H f low l k :
  weighed H f low (l ++ k) = weighed H f low l + weighed H f (low + Z.of_nat (length l)) k.
Proof.
  unfold weighed, of_integers. rewrite map_app, against_app, map_length. f_equal. apply against_ext.
  intros i. f_equal. lia.
Qed.

Lemma weighed_cut H f charge low l :
  test f charge -> all_nonneg l -> weighed H f low l <= IZR (z_sum l) * charge.
Proof.
  intros T N. rewrite <- against_const. apply against_at_most; [exact N |]. intros i. apply untilted_bounds, T.
Qed.

(** ** Rounding up and cutting *)

Lemma all_nonneg_up l extra : all_nonneg l -> all_nonneg (map (fun w => up w extra) l).
Proof. intros H. apply Forall_map. revert H. apply Forall_impl. intros w. apply up_nonneg. Qed.

Lemma weighed_up H f charge low l extra :
  test f charge -> weighed H f low l <= 2 ^ extra * weighed H f low (map (fun w => up w extra) l).
Proof.
  intros T. unfold weighed. assert (P := pow_two_positive extra).
  set (g := fun i : nat => untilted H f (low + Z.of_nat i)).
  assert (G : forall i, 0 <= g i) by (intros i; apply (untilted_bounds H f charge), T).
  clearbody g. revert g G. induction l as [| w l IH]; intros g G; simpl; [lra |].
  specialize (IH (fun i => g (S i)) (fun i => G (S i))). assert (U := up_above w extra).
  assert (IZR w * g O <= 2 ^ extra * IZR (up w extra) * g O); [| unfold of_integers in *; lra].
  apply Rmult_le_compat_r; [apply G |]. apply (Rmult_le_compat_l (2 ^ extra)) in U; [| lra].
  replace (2 ^ extra * (IZR w / 2 ^ extra)) with (IZR w) in U by (field; lra). exact U.
Qed.

Theorem covers_normalised H bits m L : covers H m L -> covers H (normalised bits m) L.
Proof.
  intros [[N N0] C]. unfold normalised. set (extra := Z.to_nat _). set (l := map _ _).
  assert (NL : all_nonneg l) by apply all_nonneg_up, N.
  destruct (kept l _) as [first many]. set (rest := skipn first l).
  assert (NR : all_nonneg rest) by apply skipn_nonneg, NL.
  assert (F := z_sum_nonneg _ (firstn_nonneg first l NL)).
  assert (R := z_sum_nonneg _ (skipn_nonneg many rest NR)).
  assert (U := up_nonneg _ extra N0). split.
  - split; cbn [weights lost]; [apply firstn_nonneg, NR | lia].
  - intros f charge T. eapply Rle_trans; [apply C, T |]. unfold bound, unit_of. cbn [start weights lost units].
    replace (- (units m - Z.of_nat extra))%Z with (- units m + Z.of_nat extra)%Z by lia.
    rewrite powerRZ_add, <- pow_powerRZ by lra. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [left; apply (unit_positive m) |].
    assert (Q := charge_nonneg f charge T). assert (P := pow_two_positive extra).
    assert (W := weighed_up H f charge (start m) (weights m) extra T). fold l in W.
    assert (V := up_above (lost m) extra). apply (Rmult_le_compat_l (2 ^ extra)) in V; [| lra].
    replace (2 ^ extra * (IZR (lost m) / 2 ^ extra)) with (IZR (lost m)) in V by (field; lra).
    apply (Rmult_le_compat_r charge) in V; [| exact Q].
    enough (weighed H f (start m) l <= weighed H f (start m + Z.of_nat first) (firstn many rest) +
      IZR (z_sum (firstn first l)) * charge + IZR (z_sum (skipn many rest)) * charge) as X.
    { apply (Rmult_le_compat_l (2 ^ extra)) in X; [| lra]. rewrite !plus_IZR. lra. }
    assert (E1 : weighed H f (start m) l =
      weighed H f (start m) (firstn first l) + weighed H f (start m + Z.of_nat first) rest).
    { destruct (Nat.le_gt_cases first (length l)) as [G | G].
      - rewrite <- (firstn_skipn first l) at 1. rewrite weighed_app, firstn_length_le by exact G. reflexivity.
      - unfold rest. rewrite skipn_all2, firstn_all2 by lia. unfold weighed at 3. simpl. lra. }
    assert (A := weighed_cut H f charge (start m) _ T (firstn_nonneg first l NL)).
    assert (E2 := weighed_app H f (start m + Z.of_nat first) (firstn many rest) (skipn many rest)).
    rewrite firstn_skipn in E2.
    assert (B := weighed_cut H f charge (start m + Z.of_nat first + Z.of_nat (length (firstn many rest))) _ T
      (skipn_nonneg many rest NR)). lra.
Qed.

(** ** Sums of independent values *)

Definition sum_law (L K : dist R) : dist R := bind L (fun a => dmap (Rplus a) K).

Lemma mean_sum_law L K f : mean (sum_law L K) f = mean L (fun a => mean K (fun b => f (a + b))).
Proof. unfold sum_law. rewrite mean_bind. apply mean_ext. intros a. apply mean_dmap. Qed.

Lemma mean_against {A} (L : dist A) (p : polynomial) (f : A -> nat -> R) :
  mean L (fun a => against p (f a)) = against p (fun i => mean L (fun a => f a i)).
Proof.
  revert f. induction p as [| w p IH]; intros f; simpl.
  - rewrite (mean_ext L _ (fun _ => 0 * 0)) by (intros; ring). rewrite mean_scal. ring.
  - rewrite mean_plus, mean_scal. f_equal. apply (IH (fun a i => f a (S i))).
Qed.

Lemma untilted_sum H f i j :
  untilted H f (i + j) = exp (- theta * (IZR j * H)) * untilted H (fun v => f (IZR j * H + v)) i.
Proof.
  unfold untilted. rewrite plus_IZR.
  replace (- theta * ((IZR i + IZR j) * H)) with (- theta * (IZR j * H) + - theta * (IZR i * H)) by ring.
  rewrite exp_plus. replace ((IZR i + IZR j) * H) with (IZR j * H + IZR i * H) by ring. ring.
Qed.

Lemma test_exp : test (fun v => exp (theta * v)) 1.
Proof. right. split; [lra |]. intros v. ring. Qed.

Lemma weighed_exp H low l : weighed H (fun v => exp (theta * v)) low l = IZR (z_sum l).
Proof.
  unfold weighed. rewrite (against_ext _ _ (fun _ => 1)); [rewrite against_const; ring |].
  intros i. unfold untilted. rewrite <- exp_plus. set (x := IZR _ * H).
  replace (- theta * x + theta * x) with 0 by ring. apply exp_0.
Qed.

Lemma covers_product H a b L K :
  sub_law L -> covers H a L -> covers H b K ->
  covers H {| start := start a + start b; weights := z_mul (weights a) (weights b);
              lost := z_sum (weights a) * lost b + lost a * z_sum (weights b) + lost a * lost b;
              units := units a + units b |} (sum_law L K).
Proof.
  intros HL [[NA LA] CA] [[NB LB] CB].
  assert (SA := z_sum_nonneg _ NA). assert (SB := z_sum_nonneg _ NB). split.
  - split; cbn [weights lost]; [apply z_mul_nonneg; assumption |].
    assert (0 <= z_sum (weights a) * lost b)%Z by (apply Z.mul_nonneg_nonneg; assumption).
    assert (0 <= lost a * z_sum (weights b))%Z by (apply Z.mul_nonneg_nonneg; assumption).
    assert (0 <= lost a * lost b)%Z by (apply Z.mul_nonneg_nonneg; assumption). lia.
  - intros f charge T. rewrite mean_sum_law. assert (Q := charge_nonneg f charge T).
    assert (UA := unit_positive a). assert (UB := unit_positive b).
    unfold bound. cbn [start weights lost units]. unfold unit_of at 1. cbn [units].
    replace (- (units a + units b))%Z with (- units b + - units a)%Z by lia. rewrite powerRZ_add by lra.
    fold (unit_of a) (unit_of b). rewrite Rmult_assoc.
    apply Rle_trans with (mean L (fun x => unit_of b * (weighed H (fun v => f (x + v)) (start b) (weights b) +
      IZR (lost b) * charge * exp (theta * x)))).
    { apply mean_le_sub_law; [exact HL |]. intros x. rewrite (Rmult_assoc (IZR (lost b))).
      apply (CB (fun v => f (x + v))), test_shifted, T. }
    rewrite mean_scal, mean_plus, mean_scal. apply Rmult_le_compat_l; [lra |].
    assert (X := CA _ 1 test_exp). unfold bound in X. rewrite weighed_exp in X.
    apply (Rmult_le_compat_l (IZR (lost b) * charge)) in X; [| apply Rmult_le_pos; [apply IZR_le, LB | exact Q]].
    unfold weighed at 1. rewrite mean_against.
    assert (Y : against (of_integers (weights b)) (fun j => mean L (fun x => untilted H (fun v => f (x + v))
        (start b + Z.of_nat j))) <=
      unit_of a * (weighed H f (start a + start b) (z_mul (weights a) (weights b)) +
        IZR (lost a) * charge * IZR (z_sum (weights b)))).
    { unfold weighed. rewrite of_integers_mul, against_mul, against_swap.
      rewrite (Rmult_comm (IZR (lost a) * charge)), <- against_const, <- against_plus, <- against_times.
      apply against_at_most; [exact NB |]. intros j. set (z := (start b + Z.of_nat j)%Z).
      unfold untilted at 1. rewrite mean_scal.
      rewrite (mean_ext L _ (fun x => f (IZR z * H + x))) by (intros x; f_equal; ring).
      assert (Z0 := CA _ _ (test_shifted f charge (IZR z * H) T)). unfold bound in Z0.
      apply (Rmult_le_compat_l (exp (- theta * (IZR z * H)))) in Z0; [| left; apply exp_pos].
      eapply Rle_trans; [exact Z0 |]. apply Req_le.
      rewrite (against_ext (of_integers (weights a)) (fun i => untilted H f (start a + start b + Z.of_nat (i + j)))
        (fun i => exp (- theta * (IZR z * H)) * untilted H (fun v => f (IZR z * H + v)) (start a + Z.of_nat i))).
      - rewrite against_times. unfold weighed.
        replace (IZR (lost a) * charge) with (IZR (lost a) * charge *
          (exp (- theta * (IZR z * H)) * exp (theta * (IZR z * H)))); [ring |].
        rewrite <- exp_plus. replace (- theta * (IZR z * H) + theta * (IZR z * H)) with 0 by ring.
        rewrite exp_0. ring.
      - intros i. rewrite <- untilted_sum. f_equal. unfold z. lia. }
    rewrite !plus_IZR, !mult_IZR. lra.
Qed.

Theorem covers_times H bits a b L K :
  sub_law L -> covers H a L -> covers H b K -> covers H (times bits a b) (sum_law L K).
Proof. intros HL CA CB. unfold times. apply covers_normalised, covers_product; assumption. Qed.

End tests.

(** Moduli at the nodes, by the program of node_program.v: integers that are no smaller.

    - [exp_around_sound], [power_above_sound], [power_below_sound]: the roundings;
    - [size_above_sound]: at each node the program's integer is at least the modulus, in units of 2^-bits, whatever the
      values, the masses and the precision.

    Source: this package. *)

From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Coq Require Machin.
From Exactdp Require Import reals sums laws mean_excess fixed_point exponential_fixed_point logarithm_fixed_point.
From Exactdp Require Import phases_fixed_point tilted_program tilt_powers tilted_measures least_values pair_bound.
From Exactdp Require Import swapped_stages wave_bounds node_waves node_program.
Import ListNotations.
Open Scope R_scope.

Local Arguments Q2R : simpl never.
Local Arguments Qred : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qdiv : simpl never.
Local Arguments two : simpl never.

(** ** Roundings *)

Lemma den_pos q : 0 < IZR (Zpos (Qden q)).
Proof. apply IZR_lt. lia. Qed.

Lemma shift_is q bits : IZR (Qnum q * two bits) / IZR (Zpos (Qden q)) = 2 ^ bits * Q2R q.
Proof. unfold Q2R. rewrite mult_IZR, IZR_two. unfold Rdiv. ring. Qed.

Lemma floor_shift_sound q bits : IZR (floor_shift q bits) <= 2 ^ bits * Q2R q < IZR (floor_shift q bits) + 1.
Proof. rewrite <- shift_is. apply floor_div_bounds. lia. Qed.

Lemma ceiling_shift_sound q bits : 2 ^ bits * Q2R q <= IZR (ceiling_shift q bits).
Proof. apply ceiling_div_above; [lia |]. rewrite shift_is. apply Rle_refl. Qed.

Lemma exp_above_sound q bits : 2 ^ bits * exp (Q2R q) <= IZR (exp_above q bits).
Proof.
  unfold exp_above. set (x := Z.max _ _). assert (E := exp_bounds_sound bits x).
  destruct (exp_bounds bits x) as [low high]. cbn [snd]. destruct E as [_ E]. assert (P := pow_two_positive bits).
  eapply Rle_trans; [| exact E]. apply Rmult_le_compat_l, exp_le; [lra |].
  apply Rmult_le_reg_l with (2 ^ bits); [exact P |]. replace (2 ^ bits * (IZR x / 2 ^ bits)) with (IZR x) by (field;
    lra).
  eapply Rle_trans; [apply ceiling_shift_sound | apply IZR_le, Z.le_max_l].
Qed.

Lemma exp_above_pos q bits : (0 < exp_above q bits)%Z.
Proof.
  apply lt_IZR. eapply Rlt_le_trans; [| apply exp_above_sound].
  apply Rmult_lt_0_compat; [apply pow_two_positive | apply exp_pos].
Qed.

Lemma exp_little x : 0 <= x <= / 2 -> exp x <= 1 + 2 * x.
Proof.
  intros H. assert (E := exp_ineq1_le (- x)). rewrite exp_Ropp in E. assert (P := exp_pos x).
  apply Rmult_le_reg_l with (/ exp x); [apply Rinv_0_lt_compat, P |]. rewrite Rinv_l by lra.
  apply Rle_trans with ((1 + - x) * (1 + 2 * x)); [nra |]. apply Rmult_le_compat_r; lra.
Qed.

Lemma exp_around_sound q bits : (2 <= bits)%nat ->
  IZR (fst (exp_around q bits)) <= 2 ^ bits * exp (Q2R q) <= IZR (snd (exp_around q bits)).
Proof.
  intros Hb. assert (P := pow_two_positive bits). unfold exp_around. destruct (_ <? _)%Z.
  - cbn [fst snd]. split; [| apply exp_above_sound]. left. apply Rmult_lt_0_compat; [exact P | apply exp_pos].
  - set (f := floor_shift q bits). assert (E := exp_bounds_sound bits f). assert (F := floor_shift_sound q bits). fold
    f in F.
    destruct (exp_bounds bits f) as [low high]. cbn [fst snd]. destruct E as [E1 E2].
    assert (Q1 : IZR f / 2 ^ bits <= Q2R q <= IZR f / 2 ^ bits + / 2 ^ bits).
    { split; apply Rmult_le_reg_l with (2 ^ bits); try exact P.
      - replace (2 ^ bits * (IZR f / 2 ^ bits)) with (IZR f) by (field; lra). lra.
      - replace (2 ^ bits * (IZR f / 2 ^ bits + / 2 ^ bits)) with (IZR f + 1) by (field; lra). lra. }
    split.
    + eapply Rle_trans; [exact E1 |]. apply Rmult_le_compat_l, exp_le; lra.
    + assert (Half : 0 <= / 2 ^ bits <= / 2).
      { split; [left; apply Rinv_0_lt_compat, P |]. apply Rinv_le_contravar; [lra |].
        rewrite <- (pow_1 2) at 1. apply Rle_pow; [lra | lia]. }
      apply Rle_trans with (IZR high * (1 + 2 * / 2 ^ bits)).
      * apply Rle_trans with (2 ^ bits * exp (IZR f / 2 ^ bits) * exp (/ 2 ^ bits)).
        { rewrite Rmult_assoc, <- exp_plus. apply Rmult_le_compat_l, exp_le; lra. }
        apply Rmult_le_compat; [left; apply Rmult_lt_0_compat; [exact P | apply exp_pos] | left; apply exp_pos |
          exact E2 | apply exp_little, Half].
      * rewrite !plus_IZR. destruct (floor_div_bounds high (two (bits - 1)) (two_positive _)) as [_ D].
        rewrite IZR_two in D. assert (W : 2 ^ bits = 2 * 2 ^ (bits - 1)).
        { replace bits with (S (bits - 1)) at 1 by lia. reflexivity. }
        assert (P1 := pow_two_positive (bits - 1)).
        replace (IZR high * (1 + 2 * / 2 ^ bits)) with (IZR high + IZR high / 2 ^ (bits - 1)) by (rewrite W; field;
          lra).
        lra.
Qed.

Lemma power_of_sound bits base a e :
  0 <= a -> 2 ^ bits * a <= IZR base -> 2 ^ bits * a ^ Pos.to_nat e <= IZR (power_of bits base e).
Proof.
  intros A H. induction e as [e IH | e IH |]; cbn [power_of].
  - replace (Pos.to_nat e~1) with (Pos.to_nat e + Pos.to_nat e + 1)%nat by lia. rewrite !pow_add, pow_1.
    assert (P := pow_le a (Pos.to_nat e) A).
    apply up_product; [apply Rmult_le_pos; exact P | exact A | | exact H]. apply up_product; assumption.
  - replace (Pos.to_nat e~0) with (Pos.to_nat e + Pos.to_nat e)%nat by lia. rewrite !pow_add.
    assert (P := pow_le a (Pos.to_nat e) A). apply up_product; assumption.
  - change (Pos.to_nat 1) with 1%nat. rewrite pow_1. exact H.
Qed.

Theorem power_above_sound bits base a e :
  0 <= a -> 2 ^ bits * a <= IZR base -> 2 ^ bits * a ^ e <= IZR (power_above bits base e).
Proof.
  intros A H. unfold power_above. destruct (Z.of_nat e) as [| p | p] eqn:E.
  - replace e with 0%nat by lia. rewrite IZR_two. simpl. lra.
  - replace e with (Pos.to_nat p) by lia. apply power_of_sound; assumption.
  - lia.
Qed.

Theorem power_below_sound bits base a e :
  (0 <= base)%Z -> IZR base <= 2 ^ bits * a ->
  (0 <= power_below bits base e)%Z /\ IZR (power_below bits base e) <= 2 ^ bits * a ^ Pos.to_nat e.
Proof.
  intros B H. assert (P := pow_two_positive bits). assert (T := two_positive bits).
  assert (Step : forall x y u v, (0 <= x)%Z -> (0 <= y)%Z -> IZR x <= 2 ^ bits * u -> IZR y <= 2 ^ bits * v ->
    (0 <= shifted_down (x * y) bits)%Z /\ IZR (shifted_down (x * y) bits) <= 2 ^ bits * (u * v)).
  { intros x y u v X Y U V. rewrite shifted_down_div. split; [apply Z.div_pos; [apply Z.mul_nonneg_nonneg |]; assumption |].
    apply floor_div_below; [exact T |]. rewrite mult_IZR, IZR_two.
    apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
    replace (IZR x * IZR y / 2 ^ bits * 2 ^ bits) with (IZR x * IZR y) by (field; lra).
    replace (2 ^ bits * (u * v) * 2 ^ bits) with (2 ^ bits * u * (2 ^ bits * v)) by ring.
    apply IZR_le in X. apply IZR_le in Y. apply Rmult_le_compat; assumption. }
  induction e as [e [I1 I2] | e [I1 I2] |]; cbn [power_below].
  - destruct (Step _ _ _ _ I1 I1 I2 I2) as [J1 J2].
    replace (Pos.to_nat e~1) with (Pos.to_nat e + Pos.to_nat e + 1)%nat by lia. rewrite !pow_add, pow_1.
    apply Step; assumption.
  - replace (Pos.to_nat e~0) with (Pos.to_nat e + Pos.to_nat e)%nat by lia. rewrite !pow_add. apply Step; assumption.
  - change (Pos.to_nat 1) with 1%nat. rewrite pow_1. split; assumption.
Qed.

(** ** Moduli *)

Lemma IZR_z_total {A} (f : A -> Z) l : IZR (z_total f l) = total l (fun a => IZR (f a)).
Proof. induction l as [| a l IH]; simpl; [reflexivity |]. rewrite plus_IZR, IH. reflexivity. Qed.

Section Row.

Context (lam : R) (tilt : Q) (bits : nat) (values : least_values.table).
Hypothesis lam_is : lam = Q2R tilt.
Hypothesis enough : (8 <= bits)%nat.
Hypothesis masses : nonneg_masses values.
Hypothesis is_proper : proper (table_law values).

Let L := table_law values.
Let tilted := map (tilted_value tilt bits) values.
Let moment := moment_of tilted.
Let fine := (bits + phase_bits)%nat.

Definition tilted_mass (vm : Q * Q) : R := Q2R (snd vm) * exp (lam * Q2R (fst vm)).
Definition low_of (vm : Q * Q) : Z := fst (snd (tilted_value tilt bits vm)).
Definition high_of (vm : Q * Q) : Z := snd (snd (tilted_value tilt bits vm)).

Lemma value_of vm : fst (tilted_value tilt bits vm) = fst vm.
Proof. unfold tilted_value. destruct (exp_around _ _). reflexivity. Qed.

Lemma tilted_bounds vm : In vm values ->
  IZR (low_of vm) <= 2 ^ bits * tilted_mass vm <= IZR (high_of vm) /\ 0 <= tilted_mass vm.
Proof.
  intros I. assert (M : 0 <= Q2R (snd vm)) by (unfold nonneg_masses in masses; rewrite Forall_forall in masses; apply
    masses, I).
  assert (X := exp_around_sound (Qred (tilt * fst vm)) bits ltac:(lia)). rewrite Q2R_red, Q2R_mult, <- lam_is in X.
  unfold low_of, high_of, tilted_value, tilted_mass. destruct (exp_around _ _) as [low high]. cbn [fst snd] in *.
  set (a := Qnum (snd vm)). set (b := Zpos (Qden (snd vm))). assert (B : (0 < b)%Z) by (unfold b; lia).
  assert (Br := IZR_lt _ _ B). assert (E0 := exp_pos (lam * Q2R (fst vm))). set (e := exp (lam * Q2R (fst vm))) in *.
  assert (Qv : Q2R (snd vm) = IZR a / IZR b) by reflexivity.
  assert (A0 : 0 <= IZR a) by (rewrite Qv in M; apply Rmult_le_reg_r with (/ IZR b);
    [apply Rinv_0_lt_compat, Br | unfold Rdiv in M; lra]).
  assert (Y : 2 ^ bits * (Q2R (snd vm) * e) = IZR a * (2 ^ bits * e) / IZR b) by (rewrite Qv; field; lra).
  split; [split |].
  - apply floor_div_below; [exact B |]. rewrite mult_IZR, Y. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat,
    Br |].
    apply Rmult_le_compat_l; [exact A0 | apply X].
  - apply ceiling_div_above; [exact B |]. rewrite mult_IZR, Y.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Br |]. apply Rmult_le_compat_l; [exact A0 | apply X].
  - apply Rmult_le_pos; lra.
Qed.

Lemma moment_is : IZR moment = total values (fun vm => IZR (high_of vm)).
Proof. unfold moment, moment_of, tilted. rewrite IZR_z_total, total_map. reflexivity. Qed.

Definition true_moment : R := total values tilted_mass.

Lemma true_moment_is : modulus (at_frequency lam 0) L = true_moment.
Proof. unfold L. rewrite modulus_at_0 by exact is_proper. rewrite mean_table. reflexivity. Qed.

Lemma moment_above : 0 <= 2 ^ bits * true_moment <= IZR moment.
Proof.
  assert (P := pow_two_positive bits). split.
  - apply Rmult_le_pos; [lra |]. apply total_nonneg. intros vm I. apply (tilted_bounds vm I).
  - rewrite moment_is. unfold true_moment. rewrite <- total_scal. apply total_le. intros vm I. apply (tilted_bounds vm
    I).
Qed.

Lemma excess_above : IZR moment - 2 ^ bits * true_moment <= IZR (excess_of_masses tilted).
Proof.
  unfold excess_of_masses. fold moment. rewrite minus_IZR, IZR_z_total.
  enough (total tilted (fun t => IZR (fst (snd t))) <= 2 ^ bits * true_moment) by lra.
  unfold tilted, true_moment. rewrite total_map, <- total_scal. apply total_le. intros vm I. apply (tilted_bounds vm I).
Qed.

(** *** At a node *)

Context (h : R) (angle : Q) (k : nat).
Hypothesis h_is : h = Q2R angle.
Hypothesis angles : forall vm, In vm values -> (angle_bits (Qred (angle * fst vm)) <= fine)%nat.
Hypothesis not_far : (k <= most_nodes)%nat.

Definition phase_of (vm : Q * Q) : Z * Z :=
  rotated_often k fine (unit_number fine (Qred (angle * fst vm))) (two fine, 0%Z).

Lemma most_nodes_are : INR most_nodes = 16384.
Proof. unfold most_nodes. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. Qed.

Lemma fine_is : 2 ^ fine = 2 ^ bits * 2 ^ 64.
Proof. unfold fine, phase_bits. apply pow_add. Qed.

Lemma phase_near vm : In vm values ->
  Cmod (scaled fine (phase_of vm) - circle (INR k * h * Q2R (fst vm)))%C <= 8 * INR k / 2 ^ fine.
Proof.
  intros I. replace (INR k * h * Q2R (fst vm)) with (INR k * Q2R (Qred (angle * fst vm)))
    by (rewrite Q2R_red, Q2R_mult, h_is; ring).
  apply rotated_near.
  - rewrite fine_is. assert (B : 1 <= 2 ^ bits) by (apply pow_R1_Rle; lra). assert (N := le_INR _ _ not_far).
    rewrite most_nodes_are in N. apply Rle_trans with (1 * 2 ^ 64); [simpl; lra |]. apply Rmult_le_compat_r; [| exact
      B].
    left. apply pow_two_positive.
  - apply unit_number_near; [unfold fine, phase_bits; lia | apply angles, I].
Qed.

Definition sum_x : Z := z_total (fun vm => high_of vm * fst (phase_of vm))%Z values.
Definition sum_y : Z := z_total (fun vm => high_of vm * snd (phase_of vm))%Z values.

Definition true_point (l : least_values.table) : Complex.C :=
  (total l (fun vm => 2 ^ bits * (tilted_mass vm * cos (INR k * h * Q2R (fst vm)))),
   total l (fun vm => 2 ^ bits * (tilted_mass vm * sin (INR k * h * Q2R (fst vm))))).

Definition seen_point (l : least_values.table) : Complex.C :=
  (total l (fun vm => IZR (high_of vm) * (IZR (fst (phase_of vm)) / 2 ^ fine)),
   total l (fun vm => IZR (high_of vm) * (IZR (snd (phase_of vm)) / 2 ^ fine))).

Lemma sums_near (l : least_values.table) : incl l values ->
  Cmod (true_point l - seen_point l)%C <=
  total l (fun vm => IZR (high_of vm) - 2 ^ bits * tilted_mass vm) +
  total l (fun vm => IZR (high_of vm)) * (8 * INR k / 2 ^ fine).
Proof.
  induction l as [| vm l IH]; intros I.
  - simpl. match goal with |- Cmod ?z <= _ => replace z with (RtoC 0) end; [rewrite Cmod_0; lra |].
    unfold Cminus, Cplus, Copp, RtoC. simpl. f_equal; ring.
  - specialize (IH (fun a J => I a (or_intror J))). assert (Iv := I vm (or_introl eq_refl)).
    destruct (tilted_bounds vm Iv) as [[_ B] T0]. assert (N := phase_near vm Iv). assert (P := pow_two_positive bits).
    set (x := INR k * h * Q2R (fst vm)) in *. set (a := 2 ^ bits * tilted_mass vm) in *. set (hi := IZR (high_of vm))
      in *.
    assert (A0 : 0 <= a) by (apply Rmult_le_pos; lra).
    cbn [total]. fold a hi.
    replace (true_point (vm :: l) - seen_point (vm :: l))%C with
      (RtoC (a - hi) * circle x + RtoC (- hi) * (scaled fine (phase_of vm) - circle x) +
        (true_point l - seen_point l))%C.
    + eapply Rle_trans; [apply Cmod_triangle |]. eapply Rle_trans; [apply Rplus_le_compat_r, Cmod_triangle |].
      rewrite !Cmod_mult, Cmod_circle, !Cmod_R, Rabs_Ropp, (Rabs_pos_eq hi), (Rabs_left1 (a - hi)) by lra.
      assert (X : hi * Cmod (scaled fine (phase_of vm) - circle x)%C <= hi * (8 * INR k / 2 ^ fine))
        by (apply Rmult_le_compat_l; [lra | exact N]). lra.
    + unfold true_point, seen_point, Cminus, Cplus, Copp, Cmult, RtoC, scaled, circle. simpl. fold x. unfold a, hi.
      f_equal; ring.
Qed.

Lemma modulus_is : 2 ^ bits * modulus (at_frequency lam (INR k * h)) L = Cmod (true_point values).
Proof.
  assert (P := pow_two_positive bits). unfold modulus, real_part, imaginary_part, Cmod, true_point. cbn
    [wave_bounds.tilt frequency
    at_frequency fst snd]. unfold L. rewrite !mean_table, !total_scal.
  rewrite (total_ext values (fun vm => tilted_mass vm * cos _) (fun vm => Q2R (snd vm) * (exp (lam * Q2R (fst vm)) *
    cos (INR k * h * Q2R (fst vm))))) by (intros; unfold tilted_mass; ring).
  rewrite (total_ext values (fun vm => tilted_mass vm * sin _) (fun vm => Q2R (snd vm) * (exp (lam * Q2R (fst vm)) *
    sin (INR k * h * Q2R (fst vm))))) by (intros; unfold tilted_mass; ring).
  set (x := total _ _). set (y := total _ _). rewrite <- (sqrt_pow2 (2 ^ bits)) at 1 by lra.
  rewrite <- sqrt_mult by (try apply Rplus_le_le_0_compat; apply pow2_ge_0). f_equal. ring.
Qed.

Theorem size_above_sound (rotors : list rotor) slack :
  map (fun r : rotor => (fst (fst r), snd r)) rotors = map (fun vm => (high_of vm, phase_of vm)) values ->
  (excess_of_masses tilted + up moment bits + 1 <= slack)%Z ->
  2 ^ bits * modulus (at_frequency lam (INR k * h)) L <= IZR (size_above bits moment slack rotors).
Proof.
  intros R S. assert (P := pow_two_positive bits). assert (Pf := pow_two_positive fine). unfold size_above.
  assert (Sx : z_total (fun r => fst (fst r) * fst (snd r))%Z rotors = sum_x).
  { transitivity (z_total (fun hz => fst hz * fst (snd hz))%Z (map (fun r : rotor => (fst (fst r), snd r)) rotors)).
    - clear. induction rotors as [| r l IH]; simpl; [| rewrite IH]; reflexivity.
    - rewrite R. unfold sum_x. clear. induction values as [| r l IH]; simpl; [| rewrite IH]; reflexivity. }
  assert (Sy : z_total (fun r => fst (fst r) * snd (snd r))%Z rotors = sum_y).
  { transitivity (z_total (fun hz => fst hz * snd (snd hz))%Z (map (fun r : rotor => (fst (fst r), snd r)) rotors)).
    - clear. induction rotors as [| r l IH]; simpl; [| rewrite IH]; reflexivity.
    - rewrite R. unfold sum_y. clear. induction values as [| r l IH]; simpl; [| rewrite IH]; reflexivity. }
  rewrite Sx, Sy. fold fine. apply Z.min_case.
  - eapply Rle_trans; [| apply moment_above]. apply Rmult_le_compat_l; [lra |]. rewrite <- true_moment_is.
    apply modulus_at_most, is_proper.
  - assert (N := sums_near values (incl_refl values)). rewrite modulus_is.
    assert (T : Cmod (true_point values) <= Cmod (true_point values - seen_point values)%C + Cmod (seen_point values)).
    { replace (true_point values) with ((true_point values - seen_point values) + seen_point values)%C at 1 by ring.
      apply Cmod_triangle. }
    assert (V : Cmod (seen_point values) = sqrt (IZR (sum_x * sum_x + sum_y * sum_y)) / 2 ^ fine).
    { unfold seen_point, Cmod. cbn [fst snd].
      rewrite (total_ext values (fun vm => IZR (high_of vm) * (IZR (fst (phase_of vm)) / 2 ^ fine))
        (fun vm => IZR (high_of vm * fst (phase_of vm)) * / 2 ^ fine)) by (intros; rewrite mult_IZR; unfold Rdiv; ring).
      rewrite (total_ext values (fun vm => IZR (high_of vm) * (IZR (snd (phase_of vm)) / 2 ^ fine))
        (fun vm => IZR (high_of vm * snd (phase_of vm)) * / 2 ^ fine)) by (intros; rewrite mult_IZR; unfold Rdiv; ring).
      rewrite !total_scal_r, <- !IZR_z_total. fold sum_x sum_y. rewrite plus_IZR, !mult_IZR.
      replace ((IZR sum_x * / 2 ^ fine) ^ 2 + (IZR sum_y * / 2 ^ fine) ^ 2)
        with ((IZR sum_x * IZR sum_x + IZR sum_y * IZR sum_y) * (/ 2 ^ fine) ^ 2) by ring.
      rewrite sqrt_mult; [| apply Rplus_le_le_0_compat; apply Rle_0_sqr | apply pow2_ge_0].
      rewrite sqrt_pow2 by (left; apply Rinv_0_lt_compat, Pf). reflexivity. }
    set (s := (sum_x * sum_x + sum_y * sum_y)%Z) in *.
    assert (S0 : (0 <= s)%Z) by (unfold s; assert (Z1 := Z.square_nonneg sum_x); assert (Z2 := Z.square_nonneg sum_y);
      lia).
    assert (Root : sqrt (IZR s) <= IZR (Z.sqrt s + 1)).
    { apply Rsqr_incr_0_var; [| apply IZR_le; assert (Y := Z.sqrt_nonneg s); lia].
      rewrite Rsqr_sqrt by (apply IZR_le, S0). unfold Rsqr. rewrite <- mult_IZR. apply IZR_le.
      destruct (Z.sqrt_spec s S0) as [_ Y]. unfold Z.succ in Y. lia. }
    assert (Up : sqrt (IZR s) / 2 ^ fine <= IZR (up (Z.sqrt s + 1) fine)).
    { eapply Rle_trans; [| apply up_above]. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pf | exact Root]. }
    rewrite total_minus, total_scal, <- moment_is in N. fold true_moment in N. assert (X := excess_above).
    assert (M0 := moment_above). assert (Mu := up_above moment bits).
    assert (Small : IZR moment * (8 * INR k / 2 ^ fine) <= IZR moment / 2 ^ bits).
    { rewrite fine_is. unfold Rdiv. apply Rmult_le_compat_l; [lra |]. assert (K := le_INR _ _ not_far).
      rewrite most_nodes_are in K. assert (K0 := pos_INR k).
      apply Rmult_le_reg_r with (2 ^ bits); [exact P |]. rewrite Rinv_l by lra.
      replace (8 * INR k * / (2 ^ bits * 2 ^ 64) * 2 ^ bits) with (8 * INR k / 2 ^ 64).
      - apply Rmult_le_reg_r with (2 ^ 64); [apply pow_two_positive |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l,
        Rmult_1_r
          by (apply Rgt_not_eq, pow_two_positive). simpl. lra.
      - field. apply Rgt_not_eq, P. }
    apply IZR_le in S. rewrite !plus_IZR in *. lra.
Qed.

End Row.

(** The integer program of the checker never goes below the mean excess of n copies of a law.

    [mean_positive_part_above]: let the values be fractions with masses >= 0, given so that all lie between the first
    and the last, as they do in ascending order. Then whatever the step h > 0, the tilt T >= 1, the bits, the length
    beyond which a measure is halved, and n >= 1, the fraction that the program of tilted_program.v computes is at least
    mean_excess n L, L the law of the values. Masses need not sum to 1. [mean_positive_part_bounds_more]: if they do,
    it bounds every larger number of copies.

    Idea: each measure covers a sum of copies in the sense of tilted_measures.v, with theta = ln(1 + T/2^64) / h; at the
    end the test is max(0, v), and its charge is 1/(e theta), where theta is at least (1 - 1/rho)/H for the tilt
    rho = e^(theta H) of the last level, and 1/e is below 10^9 / 2718281828. Source: this package;
    Lattice.mean_positive_part of exactdp/checker/blanket.py. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws fixed_point polynomials integer_polynomials losses_program exponential.
From Exactdp Require Import exponential_fixed_point.
From Exactdp Require Import mean_excess hidden_message classes increasing_convex_order mean_excess_order.
From Exactdp Require Import tilted_program tilted_measures tilted_halving tilt_powers tilted_lattice.
Import ListNotations.
Open Scope R_scope.

(** ** Sums of copies *)

Definition sums_of (n : nat) (L : dist R) : dist R := dmap added (copies L n).

Lemma mean_sums_of n L f : mean (sums_of n L) f = mean (copies L n) (fun vs => f (added vs)).
Proof. apply mean_dmap. Qed.

Lemma sums_of_one L : same_law L (sums_of 1 L).
Proof.
  intros f. rewrite mean_sums_of, mean_copies_first. apply mean_ext. intros v. rewrite mean_copies_none.
  unfold added. simpl. rewrite Rplus_0_r. reflexivity.
Qed.

Lemma sums_of_more n m L : same_law (sum_law (sums_of n L) (sums_of m L)) (sums_of (n + m) L).
Proof.
  intros f. rewrite mean_sum_law. revert f. induction n as [| n IH]; intros f.
  - rewrite mean_sums_of, mean_copies_none. apply mean_ext. intros v. unfold added. simpl. f_equal. ring.
  - rewrite !mean_sums_of. simpl Nat.add. rewrite !mean_copies_first. apply mean_ext. intros a.
    specialize (IH (fun v => f (a + v))). rewrite !mean_sums_of in IH.
    eapply eq_trans; [| eapply eq_trans; [exact IH |]].
    + apply mean_ext. intros vs. apply mean_ext. intros b. f_equal. unfold added. simpl. ring.
    + apply mean_ext. intros vs. reflexivity.
Qed.

Lemma sub_law_sums_of n L : sub_law L -> sub_law (sums_of n L).
Proof. intros H. apply sub_law_bind; [apply sub_law_copies, H | intros; apply proper_ret]. Qed.

(** ** 1/e *)

Lemma inverse_of_e_above : exp (-1) <= 10 ^ 9 / 2718281828.
Proof.
  assert (H := exp_enclosed 40 (- two 40) (- two 40) (-1) ltac:(rewrite opp_IZR, IZR_two; lra)).
  assert (C : exp_bounds 40 (- two 40) = (404487723187, 404487723188)%Z) by (vm_compute; reflexivity).
  rewrite C in H. cbn [fst snd] in H. lra.
Qed.

(** ** The program *)

Section program.

Variables (step : fraction) (bits limit : nat) (values : list atom) (T : Z).
Hypothesis step_positive : (0 < fst step /\ 0 < snd step)%Z.
Hypothesis T_positive : (1 <= T)%Z.
Hypothesis atoms_good : Forall good_atom values.
Hypothesis ascending : between_ends values.

Let h := real step.
Let L := law_of values.
Let rho := 1 + IZR T / 2 ^ tilt_bits.
Let theta := ln rho / h.

Lemma h_positive : 0 < h.
Proof. apply Rdiv_lt_0_compat; apply (IZR_lt 0); apply step_positive. Qed.

Lemma rho_above : 1 < rho.
Proof.
  unfold rho. assert (0 < IZR T / 2 ^ tilt_bits); [| lra].
  apply Rdiv_lt_0_compat; [apply (IZR_lt 0); lia | apply pow_two_positive].
Qed.

Lemma theta_above : 0 < theta.
Proof.
  apply Rdiv_lt_0_compat; [| apply h_positive]. rewrite <- ln_1. apply ln_increasing; [lra | apply rho_above].
Qed.

(** What holds of the tilt that the program has at any time. *)
Definition good_tilt (t : tilt) : Prop := known theta h t /\ fine t = (bits + tilt_bits)%nat.

Lemma good_first : good_tilt (first_tilt T bits).
Proof.
  split; [| reflexivity]. unfold known, tilt_known, first_tilt, step_at. cbn [fine level tilt_low tilt_high].
  assert (H := h_positive). assert (R := rho_above).
  replace (theta * (h * 2 ^ 0)) with (ln rho) by (unfold theta; simpl; field; lra).
  rewrite exp_ln by lra. assert (B := two_positive bits).
  assert (E : IZR (two (bits + tilt_bits) + T * two bits) = 2 ^ (bits + tilt_bits) * rho).
  { rewrite plus_IZR, mult_IZR, !IZR_two, pow_add. unfold rho. field. apply Rgt_not_eq, pow_two_positive. }
  rewrite E. split; [| lra]. assert (0 < T * two bits)%Z by (apply Z.mul_pos_pos; lia). lia.
Qed.

Lemma good_next t : good_tilt t -> good_tilt (next t).
Proof. intros [K F]. split; [apply known_next, K | exact F]. Qed.

Definition good (mt : measure * tilt) (n : nat) : Prop :=
  good_tilt (snd mt) /\ covers theta (step_at h (level (snd mt))) (fst mt) (sums_of n L).

Lemma good_shortened m t n : good (m, t) n -> good (shortened limit m t) n.
Proof.
  unfold shortened. generalize (length (weights m)). intros steps. revert m t.
  induction steps as [| steps IH]; intros m t G; [exact G |]. cbn [shortened_in].
  destruct (Nat.leb _ limit); [exact G |]. apply IH. destruct G as [G C]. cbn [fst snd] in *.
  split; cbn [fst snd]; [apply good_next, G |]. simpl level. rewrite twice_step.
  apply covers_halved; [apply G | exact C].
Qed.

Lemma good_values t : good_tilt t -> good (of_values step bits values t, t) 1.
Proof.
  intros G. split; [exact G |]. cbn [fst snd]. eapply covers_same_law; [apply sums_of_one |].
  apply covers_of_values; [apply theta_above | exact step_positive | apply G | apply G | exact atoms_good |
    exact ascending].
Qed.

Lemma good_times a b t n m : good (a, t) n -> good (b, t) m -> good (times bits a b, t) (n + m).
Proof.
  intros [G A] [_ B]. split; [exact G |]. cbn [fst snd] in *. eapply covers_same_law; [apply sums_of_more |].
  apply covers_times; [apply theta_above | apply sub_law_sums_of, sub_law_of, atoms_good | exact A | exact B].
Qed.

Lemma good_reached n : good (reached step bits limit values T n) (Pos.to_nat n).
Proof.
  induction n as [n IH | n IH |]; cbn [reached].
  - destruct (reached step bits limit values T n) as [m t].
    assert (S := good_shortened _ _ _ (good_times _ _ _ _ _ IH IH)).
    destruct (shortened limit (times bits m m) t) as [m' t'].
    assert (V := good_values t' (proj1 S)). assert (X := good_shortened _ _ _ (good_times _ _ _ _ _ S V)).
    replace (Pos.to_nat n~1) with (Pos.to_nat n + Pos.to_nat n + 1)%nat by lia. exact X.
  - destruct (reached step bits limit values T n) as [m t].
    assert (X := good_shortened _ _ _ (good_times _ _ _ _ _ IH IH)).
    replace (Pos.to_nat n~0) with (Pos.to_nat n + Pos.to_nat n)%nat by lia. exact X.
  - apply good_shortened, good_values, good_first.
Qed.

(** ** The last sum *)

Lemma weighted_above t l : known theta h t -> all_nonneg l -> forall (z w : Z), (0 <= z)%Z ->
  2 ^ fine t * exp (- theta * (IZR z * step_at h (level t))) <= IZR w ->
  2 ^ fine t * weighed theta (step_at h (level t)) (fun v => v) z l <=
  step_at h (level t) * IZR (weighted t z w l).
Proof.
  intros K. assert (Hp : 0 < step_at h (level t)).
  { apply Rmult_lt_0_compat; [apply h_positive | apply pow_two_positive]. }
  induction 1 as [| x l X _ IH]; intros z w Z0 W.
  - unfold weighed. simpl. lra.
  - rewrite weighed_cons. cbn [weighted]. rewrite plus_IZR, !mult_IZR.
    specialize (IH (z + 1)%Z (up (w * inverse t) (fine t)) ltac:(lia)).
    assert (I := inverse_above theta h t K). set (H := step_at h (level t)) in *.
    assert (N : 2 ^ fine t * exp (- theta * (IZR (z + 1) * H)) <= IZR (up (w * inverse t) (fine t))).
    { replace (- theta * (IZR (z + 1) * H)) with (- theta * (IZR z * H) + - (theta * H))
        by (rewrite plus_IZR; ring).
      rewrite exp_plus. apply up_product; try (left; apply exp_pos); assumption. }
    specialize (IH N). unfold untilted. apply (IZR_le 0) in X. apply (IZR_le 0) in Z0.
    assert (Y : IZR x * (IZR z * H) * (2 ^ fine t * exp (- theta * (IZR z * H))) <= IZR x * (IZR z * H) * IZR w).
    { apply Rmult_le_compat_l; [| exact W]. apply Rmult_le_pos; [exact X |]. apply Rmult_le_pos; lra. }
    lra.
Qed.

Lemma weighed_positive_part t m :
  let H := step_at h (level t) in let from := Z.max 1 (start m) in
  0 < H ->
  weighed theta H (fun v => Rmax 0 (v - 0)) (start m) (weights m) =
  weighed theta H (fun v => v) from (skipn (Z.to_nat (from - start m)) (weights m)).
Proof.
  intros H from HP.
  assert (Pos : forall l z, (0 <= z)%Z ->
    weighed theta H (fun v => Rmax 0 (v - 0)) z l = weighed theta H (fun v => v) z l).
  { intros l z Z0. unfold weighed. apply against_ext. intros i. unfold untilted.
    rewrite Rminus_0_r, Rmax_right; [reflexivity |]. apply Rmult_le_pos; [apply IZR_le; lia | lra]. }
  assert (Neg : forall k l z, (k <> 0%nat -> z + Z.of_nat k <= 1)%Z ->
    weighed theta H (fun v => Rmax 0 (v - 0)) z l =
    weighed theta H (fun v => Rmax 0 (v - 0)) (z + Z.of_nat k) (skipn k l)).
  { induction k as [| k IH]; intros l z Z0; [rewrite Z.add_0_r; reflexivity |].
    destruct l as [| w l]; [unfold weighed; reflexivity |]. rewrite weighed_cons, (IH l (z + 1)%Z) by lia.
    replace (z + 1 + Z.of_nat k)%Z with (z + Z.of_nat (S k))%Z by lia. cbn [skipn].
    unfold untilted. rewrite Rmax_left; [ring |]. assert (Z1 : (z <= 0)%Z) by lia. apply IZR_le in Z1.
    assert (0 <= - IZR z * H) by (apply Rmult_le_pos; lra). lra. }
  rewrite (Neg (Z.to_nat (from - start m))) by lia.
  replace (start m + Z.of_nat (Z.to_nat (from - start m)))%Z with from by lia. apply Pos. lia.
Qed.

Lemma charge_above t :
  good_tilt t ->
  exp (-1) / theta <= 10 ^ 9 / 2718281828 * (IZR (tilt_low t) / (IZR (tilt_low t) - 2 ^ fine t)) * step_at h (level t).
Proof.
  intros [[K1 [K2 _]] _]. set (H := step_at h (level t)) in *. apply IZR_lt in K1. rewrite IZR_two in K1.
  assert (P := pow_two_positive (fine t)). set (one := 2 ^ fine t) in *. set (low := IZR (tilt_low t)) in *.
  assert (Hp : 0 < H) by (apply Rmult_lt_0_compat; [apply h_positive | apply pow_two_positive]).
  assert (Th := theta_above).
  assert (X : 1 - one / low <= theta * H).
  { assert (E := exp_ineq1_le (- (theta * H))). rewrite exp_Ropp in E.
    assert (Pe := exp_pos (theta * H)). set (e := exp (theta * H)) in *.
    assert (one / low >= / e); [| lra]. apply Rle_ge, Rmult_le_reg_r with (low * e); [apply Rmult_lt_0_compat; lra |].
    replace (/ e * (low * e)) with low by (field; lra). replace (one / low * (low * e)) with (one * e) by (field; lra).
    exact K2. }
  assert (Y : 0 < 1 - one / low).
  { apply Rmult_lt_reg_r with low; [lra |]. replace ((1 - one / low) * low) with (low - one) by (field; lra). lra. }
  apply Rle_trans with (10 ^ 9 / 2718281828 * / theta).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Th | apply inverse_of_e_above].
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra |].
    apply Rmult_le_reg_l with (theta * (1 - one / low)); [apply Rmult_lt_0_compat; lra |].
    replace (theta * (1 - one / low) * / theta) with (1 - one / low) by (field; lra).
    replace (theta * (1 - one / low) * (low / (low - one) * H)) with (theta * H) by (field; lra). exact X.
Qed.

Lemma positive_part_above t m n :
  good_tilt t -> covers theta (step_at h (level t)) m (sums_of n L) ->
  (0 < snd (positive_part step t m))%Z /\
  mean (copies L n) (fun vs => Rmax 0 (added vs)) <= real (positive_part step t m).
Proof.
  intros G [[N N0] C]. assert (Q := charge_above t G). destruct G as [K F].
  set (H := step_at h (level t)) in *.
  assert (Hp : 0 < H) by (apply Rmult_lt_0_compat; [apply h_positive | apply pow_two_positive]).
  assert (P := pow_two_positive (fine t)). assert (P' := two_positive (fine t)).
  assert (K1 := proj1 K). assert (K1' := IZR_lt _ _ K1). rewrite IZR_two in K1'.
  assert (S1 := IZR_lt _ _ (proj1 step_positive)). assert (S2 := IZR_lt _ _ (proj2 step_positive)).
  assert (T0 : test theta (fun v => Rmax 0 (v - 0)) (exp (-1) / theta)).
  { left. exists 0. split; [reflexivity |]. rewrite Rmult_0_r, exp_0. ring. }
  specialize (C _ _ T0). rewrite mean_sums_of in C.
  rewrite (mean_ext _ _ (fun vs => Rmax 0 (added vs))) in C by (intros; rewrite Rminus_0_r; reflexivity).
  unfold bound in C. assert (E := weighed_positive_part t m Hp). cbv zeta in E. fold H in E. rewrite E in C. clear E.
  set (from := Z.max 1 (start m)) in *. set (l := skipn _ _) in *.
  assert (W := power_above theta h t (- from) K). fold H in W.
  replace (theta * (IZR (- from) * H)) with (- theta * (IZR from * H)) in W by (rewrite opp_IZR; ring).
  assert (X := weighted_above t l K (skipn_nonneg _ _ N) from (power t (- from)) ltac:(lia) W). fold H in X.
  unfold positive_part. fold from l. set (sum := weighted _ _ _ _) in *.
  set (margin := ((tilt_low t - two (fine t)) * 2718281828)%Z). cbn [fst snd].
  assert (M : (0 < margin)%Z) by (unfold margin; lia).
  assert (Mr : IZR margin = (IZR (tilt_low t) - 2 ^ fine t) * 2718281828)
    by (unfold margin; rewrite mult_IZR, minus_IZR, IZR_two; reflexivity).
  assert (U1 : (0 < 2 ^ Z.max 0 (units m))%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (U2 : (0 < 2 ^ Z.max 0 (- units m))%Z) by (apply Z.pow_pos_nonneg; lia).
  split.
  { apply Z.mul_pos_pos; [| exact U1]. apply Z.mul_pos_pos; [| apply step_positive]. apply Z.mul_pos_pos; assumption. }
  eapply Rle_trans; [exact C |].
  assert (U : unit_of m = IZR (2 ^ Z.max 0 (- units m)) / IZR (2 ^ Z.max 0 (units m))).
  { unfold unit_of. assert (E : forall z, (0 <= z)%Z -> IZR (2 ^ z) = powerRZ 2 z).
    { intros z Hz. rewrite <- (Z2Nat.id z Hz), <- pow_powerRZ, <- pow_IZR. reflexivity. }
    rewrite !E by lia. destruct (Z.le_gt_cases 0 (units m)) as [A | A].
    - rewrite (Z.max_l 0 (- units m)), (Z.max_r 0 (units m)), powerRZ_neg' by lia. simpl powerRZ. unfold Rdiv. ring.
    - rewrite (Z.max_r 0 (- units m)), (Z.max_l 0 (units m)) by lia. simpl (powerRZ 2 0). field. }
  apply (IZR_lt 0) in U1. apply (IZR_lt 0) in U2. apply (IZR_le 0) in N0.
  apply Rle_trans with (unit_of m * (H * IZR sum / 2 ^ fine t + IZR (lost m) *
    (10 ^ 9 / 2718281828 * (IZR (tilt_low t) / (IZR (tilt_low t) - 2 ^ fine t)) * H))).
  - apply Rmult_le_compat_l; [left; apply unit_positive |]. apply Rplus_le_compat.
    + apply Rmult_le_reg_l with (2 ^ fine t); [exact P |].
      replace (2 ^ fine t * (H * IZR sum / 2 ^ fine t)) with (H * IZR sum) by (field; lra). exact X.
    + apply Rmult_le_compat_l; assumption.
  - apply Req_le. rewrite U. unfold real. cbn [fst snd].
    rewrite !mult_IZR, plus_IZR, !mult_IZR, !IZR_two, Mr.
    replace (IZR (10 ^ 9)) with (10 ^ 9) by (change (10 ^ 9)%Z with 1000000000%Z; lra).
    unfold H, step_at, h, real. field. repeat split; lra.
Qed.

Lemma program_above (n : positive) :
  (0 < snd (mean_positive_part step bits limit values T n))%Z /\
  mean_excess (Pos.to_nat n) L <= real (mean_positive_part step bits limit values T n).
Proof.
  unfold mean_positive_part. assert (G := good_reached n).
  destruct (reached step bits limit values T n) as [m t]. destruct G as [G C]. cbn [fst snd] in *.
  assert (X := positive_part_above t m _ G C). destruct (positive_part step t m) as [a b]. cbn [fst snd] in *.
  destruct X as [B X]. split; [lia |]. unfold mean_excess, real in *. cbn [fst snd] in *.
  apply (IZR_lt 0) in B. rewrite mult_IZR, INR_IPR. change (IPR n) with (IZR (Zpos n)).
  assert (N := IZR_lt _ _ (Pos2Z.is_pos n)).
  replace (IZR a / (IZR b * IZR (Zpos n))) with (IZR a / IZR b / IZR (Zpos n)) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, N |]. exact X.
Qed.

Lemma program_above_more (n : positive) (k : nat) :
  mean L (fun _ => 1) = 1 -> (Pos.to_nat n <= k)%nat ->
  mean_excess k L <= real (mean_positive_part step bits limit values T n).
Proof.
  intros E H. eapply Rle_trans; [| apply program_above].
  apply mean_excess_falls_from; [| lia]. split; [apply sub_law_of, atoms_good | exact E].
Qed.

End program.

Theorem mean_positive_part_above step bits limit values T (n : positive) :
  (0 < fst step /\ 0 < snd step)%Z -> (1 <= T)%Z -> Forall good_atom values -> between_ends values ->
  (0 < snd (mean_positive_part step bits limit values T n))%Z /\
  mean_excess (Pos.to_nat n) (law_of values) <= real (mean_positive_part step bits limit values T n).
Proof. intros H1 H2 H3 H4. apply program_above; assumption. Qed.

Theorem mean_positive_part_bounds_more step bits limit values T (n : positive) (k : nat) :
  (0 < fst step /\ 0 < snd step)%Z -> (1 <= T)%Z -> Forall good_atom values -> between_ends values ->
  mean (law_of values) (fun _ => 1) = 1 -> (Pos.to_nat n <= k)%nat ->
  mean_excess k (law_of values) <= real (mean_positive_part step bits limit values T n).
Proof. intros H1 H2 H3 H4. apply program_above_more; assumption. Qed.

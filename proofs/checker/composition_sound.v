(** A composition that the program accepts is private.

    Let a > b > 0 be integers, rho = a / b. For each entry of a list let [curve] be a privacy curve of its mechanism:
    all its pairs are laws, and (E_j, d_j)-below each other for the numbers 2^64 E_j of [powers], which are at most
    2^64 rho^j, and the deltas d_j >= 0 of the curve, in units of 2^-bits ([has_curve]). If [composition_below] answers
    true for the curves, the numbers of times, integers X >= Y > 0 and a rational delta, then the laws of all answers,
    each mechanism being run as often as it says in any order and adaptively, are (X / Y, delta)-below each other
    ([composition_sound]). For every number of bits and all curves that are not empty.

    Idea: composed_program.v, for the same programs (composition_equal.v).
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses fixed_point losses_program adaptive_composition curve_program composed_program.
From ExactdpChecker Require Import kronecker composition_program composition_equal.
Import ListNotations.
Open Scope R_scope.

Section composition.

Context {A : Type}.
Variables (bits : nat) (a b : Z).
Hypothesis b_positive : (0 < b)%Z.
Hypothesis a_larger : (b < a)%Z.

Definition has_curve (curve : list Z) (M : mechanism A) : Prop :=
  curve <> [] /\ Forall (fun d => (0 <= d)%Z) curve /\
  forall P Q, M P Q -> law P /\ law Q /\ forall j, (j < length curve)%nat ->
    mass_below P Q (IZR (power_below a b j) / 2 ^ 64) (IZR (nth j curve 0%Z) / 2 ^ bits) /\
    mass_below Q P (IZR (power_below a b j) / 2 ^ 64) (IZR (nth j curve 0%Z) / 2 ^ bits).

Definition entry : Type := list Z * positive * mechanism A.

Definition all_runs (entries : list entry) : list (mechanism A) :=
  flat_map (fun e => repeat (snd e) (Pos.to_nat (snd (fst e)))) entries.

Definition with_losses (e : entry) : run :=
  (losses_of_curve bits a b (fst (fst e)), snd (fst e), snd e).

Lemma filled_curve curve : curve <> [] -> Forall (fun d => (0 <= d)%Z) curve ->
  filled (losses_of_curve bits a b curve).
Proof.
  intros N P. split; [apply losses_of_curve_nonneg; assumption |]. unfold losses_of_curve. cbn [masses].
  destruct (rev _); discriminate.
Qed.

Lemma has_curve_run curve k M : has_curve curve M -> sound_run bits a b (losses_of_curve bits a b curve, k, M).
Proof.
  intros [N [Pos H]]. apply (curve_run bits a b b_positive a_larger curve k M (fun j =>
    IZR (power_below a b j) / 2 ^ 64));
    [exact N | exact Pos | |].
  - intros j _. assert (B := power_below_bound a b [] b_positive a_larger j). assert (T := pow_two_positive 64).
    apply Rmult_le_reg_r with (2 ^ 64); [exact T |].
    replace (IZR (power_below a b j) / 2 ^ 64 * 2 ^ 64) with (IZR (power_below a b j)) by (field; lra). lra.
  - intros P Q HM. destruct (H P Q HM) as [LP [LQ C]]. split; [exact LP | split; [exact LQ |]].
    intros j Hj. assert (Len : (j < length curve)%nat) by (destruct curve; [congruence | simpl in *; lia]).
    unfold curve_program.entry. rewrite (nth_indep curve _ 0%Z Len). apply C, Len.
Qed.

Lemma total_losses_equal entries :
  (forall e, In e entries -> has_curve (fst (fst e)) (snd e)) ->
  total_losses bits a b (map fst entries) = all_losses bits (map with_losses entries).
Proof.
  unfold total_losses, all_losses. set (none := {| low := 0; masses := [two bits]; at_infinity := 0 |}).
  assert (F : filled none).
  { split; [split |]; cbn [none masses at_infinity]; [| apply Z.le_refl | discriminate].
    apply Forall_cons; [apply Z.lt_le_incl, two_positive | apply Forall_nil]. }
  revert F. generalize none. induction entries as [| [[curve k] M] entries IH]; intros so_far F H; [reflexivity |].
  cbn [map fold_left fst snd with_losses run_losses run_times].
  destruct (H _ (or_introl eq_refl)) as [N [Pos _]]. cbn [fst] in N, Pos.
  rewrite curve_losses_equal by exact N. destruct (power_equal bits _ k (filled_curve curve N Pos)) as [E FP].
  unfold run_losses, run_times. cbn [fst snd]. rewrite E, times_equal by assumption.
  apply IH; [apply losses_times_filled; assumption |]. intros e I. apply H. right. exact I.
Qed.

Lemma all_runs_equal entries : all_mechanisms (map with_losses entries) = all_runs entries.
Proof.
  unfold all_mechanisms, all_runs. induction entries as [| e entries IH]; [reflexivity |]. simpl. rewrite IH.
  reflexivity.
Qed.

Lemma mechanisms_are_laws entries M : (forall e, In e entries -> has_curve (fst (fst e)) (snd e)) ->
  In M (all_runs entries) -> forall P Q, M P Q -> law P /\ law Q.
Proof.
  intros H I P Q HM. apply in_flat_map in I. destruct I as [e [I R]]. apply repeat_spec in R. subst M.
  destruct (H e I) as [_ [_ C]]. destruct (C P Q HM) as [LP [LQ _]]. auto.
Qed.

Lemma quotient_by_divisor X Y :
  (0 < Y)%Z -> let g := Z.gcd X Y in
  (0 < Y / g)%Z /\ IZR (X / g) / IZR (Y / g) = IZR X / IZR Y.
Proof.
  intros HY g. destruct (Z.gcd_divide_l X Y) as [x Hx]. destruct (Z.gcd_divide_r X Y) as [y Hy]. fold g in Hx, Hy.
  assert (G : (0 < g)%Z).
  { assert (X0 := Z.gcd_nonneg X Y). fold g in X0. assert (g <> 0)%Z; [| lia]. intros E. rewrite E in Hy. lia. }
  assert (Dx : (X / g = x)%Z) by (rewrite Hx, Z.div_mul; lia).
  assert (Dy : (Y / g = y)%Z) by (rewrite Hy, Z.div_mul; lia).
  rewrite Dx, Dy. assert (Y0 : (0 < y)%Z) by nia. split; [exact Y0 |]. rewrite Hx, Hy, !mult_IZR.
  apply IZR_lt in G. apply IZR_lt in Y0. field. lra.
Qed.

Theorem composition_sound entries X Y delta P Q :
  (0 < Y <= X)%Z -> (forall e, In e entries -> has_curve (fst (fst e)) (snd e)) ->
  composition_below bits a b X Y delta (map fst entries) = true -> played (all_runs entries) P Q ->
  mass_below P Q (IZR X / IZR Y) (Q2R delta).
Proof.
  intros [HY HX] H C HP. assert (Y' := IZR_lt _ _ HY). assert (X' := IZR_le _ _ HX).
  assert (E1 : 1 <= IZR X / IZR Y).
  { apply Rmult_le_reg_r with (IZR Y); [exact Y' |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (D : 0 < IZR (Zpos (Qden delta))) by (apply (IZR_lt 0); lia).
  unfold composition_below in C. apply orb_true_iff in C. destruct C as [C | C]; apply Z.leb_le, IZR_le in C.
  - assert (One : 1 <= Q2R delta).
    { apply Rmult_le_reg_r with (IZR (Zpos (Qden delta))); [exact D |]. unfold Q2R. rewrite Rmult_assoc, Rinv_l; lra. }
    intros l N. eapply Rle_trans; [| apply Rplus_le_compat_l, One].
    apply (composition_at_most_1 (all_runs entries)); [| exact HP | lra | exact N].
    intros M I. apply (mechanisms_are_laws entries M H I).
  - set (fine := (bits + 64)%nat) in *. rewrite total_losses_equal, bound_equal in C by exact H.
    destruct (quotient_by_divisor X Y HY) as [Y0 Same]. set (x := (X / Z.gcd X Y)%Z) in *.
    set (y := (Y / Z.gcd X Y)%Z) in *. rewrite divergence_bound_equal in C. set (number := (x * two fine / y)%Z) in *.
    assert (B := composed_private bits a b b_positive a_larger (map with_losses entries) fine number
      (known_equal a b fine x y) P Q (IZR X / IZR Y)).
    assert (T := pow_two_positive (bits + 2 * fine)).
    assert (Y0' := IZR_lt _ _ Y0).
    intros l N. eapply Rle_trans; [apply B; try assumption |].
    + intros r I. apply in_map_iff in I. destruct I as [[[curve k] M] [<- I]]. apply has_curve_run, (H _ I).
    + rewrite all_runs_equal. exact HP.
    + apply Z.div_pos; [| exact Y0]. apply Z.mul_nonneg_nonneg; [| apply Z.lt_le_incl, two_positive].
      apply le_IZR. rewrite <- Same in E1. apply Rle_trans with (1 * IZR y); [simpl; lra |].
      replace (IZR x) with (IZR x / IZR y * IZR y) by (field; lra). apply Rmult_le_compat_r; lra.
    + rewrite <- Same. apply floor_div_below; [exact Y0 |]. rewrite mult_IZR, IZR_two. apply Req_le. field. lra.
    + intros j K. unfold known_equal in K. apply andb_true_iff in K. destruct K as [_ K]. rewrite <- Same.
      destruct (Z_lt_le_dec j 0) as [J | J].
      * exfalso. unfold is_power in K. destruct (_ && _) eqn:G in K; [| discriminate]. apply andb_true_iff in G.
        destruct G as [_ G]. clear K. rename G into K. apply Z.leb_le in K. assert (L1 := Z.log2_nonneg x).
        assert (L2 := Z.log2_nonneg a). nia.
      * apply is_power_right; assumption.
    + apply Rplus_le_compat_l. rewrite !mult_IZR, IZR_two in C. unfold Q2R.
      set (z := IZR (bound_above _ _ _ _ _ _)) in *.
      apply Rmult_le_reg_r with (IZR (Zpos (Qden delta)) * 2 ^ (bits + 2 * fine));
        [apply Rmult_lt_0_compat; assumption |].
      replace (z / 2 ^ (bits + 2 * fine) * (IZR (Zpos (Qden delta)) * 2 ^ (bits + 2 * fine)))
        with (z * IZR (Zpos (Qden delta))) by (field; lra).
      replace (IZR (Qnum delta) * / IZR (Zpos (Qden delta)) * (IZR (Zpos (Qden delta)) * 2 ^ (bits + 2 * fine)))
        with (IZR (Qnum delta) * 2 ^ (bits + 2 * fine)) by (field; lra).
      exact C.
Qed.

End composition.

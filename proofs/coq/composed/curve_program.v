(** From a privacy curve in integers to losses, as the checker does it.

    The curve is a list of integers d_0, ..., d_J in units of 2^-bits, and rho = a/b with integers
    a > b > 0. [losses_of_curve] is the function Losses.of_curve of the checker as a program on integers,
    [power_below] the function powers_below: numbers E_j with E_j <= rho^j ([power_below_bound]).

    Proved: if all pairs of a mechanism are, in both orders, (E_j, d_j)-below for numbers E_j <= rho^j,
    0 <= j <= J, and no d_j is negative, then the losses of the program are at least a measure that
    dominates the mechanism ([losses_of_curve_dominate]): the one to which adaptive_composition.v applies.
    No d_j need be convex, fall or be at most 2^bits.

    Idea: the program rounds the bends of privacy_curve.v up, and the powers rho^-j too.

    The methods Run.check_curve and Losses.of_curve of exactdp/checker/composed.py rest on it.
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import sums masses fixed_point polynomials integer_polynomials.
From Exactdp Require Import loss_measures adaptive_composition privacy_curve losses_program lattice_losses.
From Exactdp Require Import lattice_sums.
Import ListNotations.
Open Scope R_scope.

(** ** The programs *)

Section program.

Variables (bits : nat) (a b : Z) (curve : list Z).

(** d_j, which is d_J beyond the end. *)
Definition entry (j : nat) : Z := nth j curve (last curve 0%Z).

Definition z_bend (j : nat) : Z := (b * (entry (S j) - entry j) - a * (entry j - entry (pred j)))%Z.

Definition z_zero : Z := ((a - b) * two bits + 2 * b * entry 1 - (a + b) * entry 0)%Z.

Definition mass_above (j : nat) : Z := ceiling_div (Z.max 0 (z_bend j)) (a - b).

Definition mass_at_0 : Z := ceiling_div (Z.max 0 z_zero) (a - b).

Fixpoint inverse_power (j : nat) : Z :=
  match j with
  | O => two bits
  | S i => ceiling_div (inverse_power i * b) a
  end.

Definition mass_below_0 (j : nat) : Z := ceiling_div (mass_above j * inverse_power j) (two bits).

Definition losses_of_curve : losses :=
  let J := pred (length curve) in
  {| low := - Z.of_nat J;
     masses := rev (map mass_below_0 (seq 1 J)) ++ mass_at_0 :: map mass_above (seq 1 J);
     at_infinity := last curve 0%Z |}.

(** 2^64 times a number that is at most rho^j. *)
Fixpoint power_below (j : nat) : Z :=
  match j with
  | O => two 64
  | S i => (power_below i * a / b)%Z
  end.

End program.

(** ** Rounding up *)

Section meaning.

Variables (bits : nat) (a b : Z) (curve : list Z).
Hypothesis b_positive : (0 < b)%Z.
Hypothesis a_larger : (b < a)%Z.
Hypothesis not_empty : curve <> [].
Hypothesis not_negative : Forall (fun d => (0 <= d)%Z) curve.

Let rho := IZR a / IZR b.
Let J := pred (length curve).
Let d (j : nat) : R := IZR (entry curve j) / 2 ^ bits.

Lemma rho_above_1 : 1 < rho.
Proof.
  apply IZR_lt in b_positive. apply IZR_lt in a_larger. unfold rho.
  apply Rmult_lt_reg_r with (IZR b); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma entry_last j : (J <= j)%nat -> entry curve j = last curve 0%Z.
Proof.
  intros H. unfold entry. destruct (Nat.eq_dec j J) as [-> | N].
  - destruct (exists_last not_empty) as [l [x E]]. unfold J. rewrite E, app_length. simpl.
    rewrite Nat.add_1_r. simpl. rewrite last_last, app_nth2, Nat.sub_diag by lia. reflexivity.
  - apply nth_overflow. unfold J in *. destruct curve; [congruence |]. simpl in *. lia.
Qed.

Lemma constant_end : d (S J) = d J.
Proof. unfold d. rewrite !entry_last by lia. reflexivity. Qed.

Lemma entry_nonneg j : (0 <= entry curve j)%Z.
Proof.
  unfold entry. destruct (nth_in_or_default j curve (last curve 0%Z)) as [I | ->].
  - rewrite Forall_forall in not_negative. apply not_negative, I.
  - destruct (exists_last not_empty) as [l [x E]]. rewrite E, last_last.
    rewrite Forall_forall in not_negative. apply not_negative. rewrite E. apply in_or_app. right. left.
    reflexivity.
Qed.

Lemma ceiling_above x y : (0 < y)%Z -> IZR x / IZR y <= IZR (ceiling_div x y).
Proof. intros H. apply ceiling_div_above; [exact H | apply Rle_refl]. Qed.

Lemma max_ceiling x y : (0 < y)%Z -> Rmax 0 (IZR x / IZR y) <= IZR (ceiling_div (Z.max 0 x) y).
Proof.
  intros H. assert (Y := IZR_lt _ _ H). eapply Rle_trans; [| apply ceiling_above, H]. apply Rmax_lub.
  - apply Rmult_le_pos; [apply IZR_le; lia | left; apply Rinv_0_lt_compat, Y].
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Y | apply IZR_le; lia].
Qed.

Lemma max_scaled x c : 0 < c -> Rmax 0 (x / c) = Rmax 0 x / c.
Proof.
  intros H. unfold Rdiv. rewrite (Rmult_comm x), (Rmult_comm (Rmax 0 x)).
  rewrite <- RmaxRmult by (left; apply Rinv_0_lt_compat, H). rewrite Rmult_0_r. reflexivity.
Qed.

Lemma above_bend j : Rmax 0 (positive_bend rho d j) <= IZR (mass_above a b curve j) / 2 ^ bits.
Proof.
  assert (P := pow_two_positive bits). assert (B := IZR_lt _ _ b_positive). assert (A := IZR_lt _ _ a_larger).
  replace (positive_bend rho d j) with (IZR (z_bend a b curve j) / IZR (a - b) / 2 ^ bits).
  - rewrite max_scaled by exact P. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P |].
    apply max_ceiling. lia.
  - unfold positive_bend, z_bend, d, rho. rewrite !minus_IZR, !mult_IZR, !minus_IZR. field. lra.
Qed.

Lemma zero_bend : Rmax 0 (bend_at_0 rho d) <= IZR (mass_at_0 bits a b curve) / 2 ^ bits.
Proof.
  assert (P := pow_two_positive bits). assert (B := IZR_lt _ _ b_positive). assert (A := IZR_lt _ _ a_larger).
  replace (bend_at_0 rho d) with (IZR (z_zero bits a b curve) / IZR (a - b) / 2 ^ bits).
  - rewrite max_scaled by exact P. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, P |].
    apply max_ceiling. lia.
  - unfold bend_at_0, z_zero, d, rho. rewrite minus_IZR, plus_IZR, !mult_IZR, plus_IZR, !minus_IZR, IZR_two.
    field. lra.
Qed.

Lemma inverse_power_bound j : 2 ^ bits * powerRZ rho (- Z.of_nat j) <= IZR (inverse_power bits a b j).
Proof.
  assert (R1 := rho_above_1). assert (B := IZR_lt _ _ b_positive). assert (A := IZR_lt _ _ a_larger).
  induction j as [| j IH]; [simpl; rewrite IZR_two; lra |].
  replace (- Z.of_nat (S j))%Z with (- Z.of_nat j + -1)%Z by lia. rewrite powerRZ_add by lra.
  simpl inverse_power. eapply Rle_trans; [| apply ceiling_above; lia]. rewrite mult_IZR.
  replace (powerRZ rho (-1)) with (IZR b / IZR a) by (unfold rho; simpl; rewrite Rmult_1_r; field; lra).
  replace (IZR (inverse_power bits a b j) * IZR b / IZR a)
    with (IZR (inverse_power bits a b j) * (IZR b / IZR a)) by (field; lra).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra | exact IH].
Qed.

(** The masses at the places of the lattice. *)
Definition mass_at (z : Z) : R :=
  IZR (if Z.ltb 0 z then mass_above a b curve (Z.to_nat z)
       else if Z.eqb z 0 then mass_at_0 bits a b curve
       else mass_below_0 bits a b curve (Z.to_nat (- z))) / 2 ^ bits.

Lemma mass_above_nonneg j : (0 <= mass_above a b curve j)%Z.
Proof.
  unfold mass_above, ceiling_div. assert (- Z.max 0 (z_bend a b curve j) / (a - b) <= 0)%Z; [| lia].
  apply Z.div_le_upper_bound; lia.
Qed.

Lemma losses_of_curve_nonneg : losses_nonneg (losses_of_curve bits a b curve).
Proof.
  assert (Z0 : (0 <= mass_at_0 bits a b curve)%Z).
  { unfold mass_at_0, ceiling_div. assert (- Z.max 0 (z_zero bits a b curve) / (a - b) <= 0)%Z; [| lia].
    apply Z.div_le_upper_bound; lia. }
  assert (Inv : forall j, (0 <= inverse_power bits a b j)%Z).
  { induction j as [| j IH]; simpl; [assert (Q := two_positive bits); lia |]. unfold ceiling_div.
    assert (- (inverse_power bits a b j * b) / a <= 0)%Z; [| lia].
    apply Z.div_le_upper_bound; [lia |]. assert (0 <= inverse_power bits a b j * b)%Z
      by (apply Z.mul_nonneg_nonneg; lia). lia. }
  split; cbn [losses_of_curve masses at_infinity].
  - apply Forall_app. split; [apply Forall_rev | constructor; [exact Z0 |]]; apply Forall_map, Forall_forall.
    + intros j _. apply ceiling_nonneg, Z.mul_nonneg_nonneg; [apply mass_above_nonneg | apply Inv].
    + intros j _. apply mass_above_nonneg.
  - rewrite <- (entry_last J (le_n J)). apply entry_nonneg.
Qed.

Lemma mass_at_least z : Rmax 0 (bend rho d z) <= mass_at z.
Proof.
  assert (R1 := rho_above_1). assert (P := pow_two_positive bits). unfold mass_at.
  destruct (Z.ltb_spec 0 z) as [L | L]; [| destruct (Z.eqb_spec z 0) as [-> | N]].
  - destruct (bends rho d R1 (pred (Z.to_nat z))) as [B _].
    replace (S (pred (Z.to_nat z))) with (Z.to_nat z) in B by lia. rewrite Z2Nat.id in B by lia.
    rewrite B. apply above_bend.
  - destruct (bends rho d R1 0) as [_ [_ B]]. rewrite B. apply zero_bend.
  - destruct (bends rho d R1 (pred (Z.to_nat (- z)))) as [_ [B _]].
    replace (S (pred (Z.to_nat (- z)))) with (Z.to_nat (- z)) in B by lia.
    replace (- Z.of_nat (Z.to_nat (- z)))%Z with z in B by lia. rewrite B.
    set (j := Z.to_nat (- z)) in *. assert (W := place_positive rho R1 z).
    rewrite <- (Rmult_0_r (place rho z)) at 1. rewrite RmaxRmult by lra.
    eapply Rle_trans; [apply Rmult_le_compat_l; [lra | apply above_bend] |].
    assert (I := inverse_power_bound j). replace (- Z.of_nat j)%Z with z in I by (unfold j; lia).
    fold (place rho z) in I. assert (M := IZR_le _ _ (mass_above_nonneg j)).
    unfold mass_below_0. assert (C := ceiling_above (mass_above a b curve j * inverse_power bits a b j)
      (two bits) (two_positive bits)).
    rewrite mult_IZR, IZR_two in C.
    set (X := IZR (mass_above a b curve j)) in *. assert (V : 0 <= / 2 ^ bits)
      by (left; apply Rinv_0_lt_compat, P).
    replace (place rho z * (X / 2 ^ bits)) with (X * (2 ^ bits * place rho z) / 2 ^ bits / 2 ^ bits)
      by (field; lra).
    apply Rmult_le_compat_r; [exact V |]. eapply Rle_trans; [| exact C].
    apply Rmult_le_compat_r; [exact V |]. apply Rmult_le_compat_l; [exact M | exact I].
Qed.

Lemma same_divergence E :
  divergence (lattice rho J (d J) mass_at) E = divergence (meaning rho bits (losses_of_curve bits a b
    curve)) E.
Proof.
  assert (P := pow_two_positive bits). rewrite divergence_meaning by apply rho_above_1.
  unfold divergence, lattice. cbn [infinite atoms]. rewrite total_map.
  rewrite (total_lattice J (fun z => hinge E (mass_at z, place rho (- z)))).
  unfold losses_of_curve. cbn [low masses at_infinity]. fold J.
  unfold of_integers at 1. rewrite map_app, against_app, map_length, rev_length, map_length, seq_length.
  fold (of_integers (rev (map (mass_below_0 bits a b curve) (seq 1 J)))).
  fold (of_integers (mass_at_0 bits a b curve :: map (mass_above a b curve) (seq 1 J))).
  rewrite against_rev_map_seq.
  change (against (of_integers (mass_at_0 bits a b curve :: map (mass_above a b curve) (seq 1 J))) ?f) with
    (IZR (mass_at_0 bits a b curve) * f O +
     against (of_integers (map (mass_above a b curve) (seq 1 J))) (fun i => f (S i))).
  rewrite against_map_seq. unfold Rdiv. rewrite !Rmult_plus_distr_r.
  rewrite <- !total_scal_r. f_equal; [| f_equal; [| f_equal]].
  - unfold d. rewrite entry_last by lia. reflexivity.
  - apply total_ext. intros j I. apply in_seq in I. unfold hinge, mass_at. cbn [fst snd].
    rewrite (proj2 (Z.ltb_ge _ _)) by lia. rewrite (proj2 (Z.eqb_neq _ _)) by lia.
    replace (Z.to_nat (- - Z.of_nat j)) with j by lia. unfold weight, place, Rdiv.
    replace (- (- Z.of_nat J + Z.of_nat (J - j)))%Z with (- - Z.of_nat j)%Z by lia. 
    rewrite !Rmult_assoc. f_equal. apply Rmult_comm.
  - unfold hinge, mass_at, weight, place, Rdiv. cbn [fst snd]. simpl Z.ltb. simpl Z.eqb. cbv iota.
    replace (- (- Z.of_nat J + Z.of_nat (J + 0)))%Z with (- 0)%Z by lia. 
    rewrite !Rmult_assoc. f_equal. apply Rmult_comm.
  - apply total_ext. intros j I. apply in_seq in I. unfold hinge, mass_at. cbn [fst snd].
    rewrite (proj2 (Z.ltb_lt _ _)) by lia. rewrite Nat2Z.id. unfold weight, place, Rdiv.
    replace (- (- Z.of_nat J + Z.of_nat (J + S (j - 1))))%Z with (- Z.of_nat j)%Z by lia. 
    rewrite !Rmult_assoc. f_equal. apply Rmult_comm.
Qed.

Theorem losses_of_curve_dominate {A} (M : mechanism A) (E : nat -> R) :
  (forall j, (j <= J)%nat -> E j <= rho ^ j) ->
  (forall P Q, M P Q -> law P /\ law Q /\ forall j, (j <= J)%nat ->
   mass_below P Q (E j) (d j) /\ mass_below Q P (E j) (d j)) ->
  exists nu, dominates nu M /\
    forall F, 0 <= F -> divergence nu F <= divergence (meaning rho bits (losses_of_curve bits a b curve)) F.
Proof.
  intros HE HM. exists (lattice rho J (d J) mass_at). split.
  - apply (curve_dominates rho J d).
    + apply rho_above_1.
    + apply constant_end.
    + intros P Q H. destruct (HM P Q H) as [LP [LQ C]]. split; [exact LP | split; [exact LQ |]].
      intros j Hj. destruct (C j Hj) as [C1 C2]. specialize (HE j Hj).
      split; eapply mass_below_weaken; try eassumption; try apply Rle_refl; [apply LQ | apply LP].
    + split; [| apply Rle_refl]. apply Rmult_le_pos; [apply IZR_le, entry_nonneg |].
      left. apply Rinv_0_lt_compat, pow_two_positive.
    + apply mass_at_least.
  - intros F _. rewrite same_divergence. apply Rle_refl.
Qed.

Theorem power_below_bound j : IZR (power_below a b j) <= 2 ^ 64 * rho ^ j.
Proof.
  assert (R1 := rho_above_1). assert (B := IZR_lt _ _ b_positive). assert (A := IZR_lt _ _ a_larger).
  induction j as [| j IH]; [simpl power_below; rewrite IZR_two; simpl; lra |].
  change (power_below a b (S j)) with (power_below a b j * a / b)%Z.
  apply floor_div_below; [lia |]. rewrite mult_IZR. simpl pow at 2.
  replace (2 ^ 64 * (rho * rho ^ j)) with (2 ^ 64 * rho ^ j * rho) by ring. unfold rho at 2.
  unfold Rdiv. rewrite (Rmult_assoc (IZR _)). apply Rmult_le_compat_r; [| exact IH].
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.

End meaning.

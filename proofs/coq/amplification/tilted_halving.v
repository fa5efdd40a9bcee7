(** A tilted measure on the lattice of twice the step covers what the measure covered.

    The method Measure.halved of exactdp/checker/blanket.py divides a weight at an odd place between its neighbours:
    half of it over the tilt goes down, half of it times the tilt goes up, rounded up with an enclosure of the tilt.
    Proved ([covers_halved]): if the measure covers a law in the sense of tilted_measures.v on the lattice of step H,
    the result covers it on that of step 2H, for every measure of weights >= 0, real theta, and every tilt e^(theta H)
    between its integers, the lower above 2^fine ([tilt_known]). What was cut is kept: its charge is the same on all
    lattices.

    Idea: tests are convex, so a value is at most the mean of those at the two places beside it. Source: this
    package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws fixed_point polynomials integer_polynomials losses_program.
From Exactdp Require Import mean_excess hidden_message increasing_convex_order tilted_program tilted_measures.
Import ListNotations.
Open Scope R_scope.

Section halving.

Variable theta : R.

Lemma halves_nonneg t l :
  (0 < tilt_low t)%Z -> (0 <= tilt_high t)%Z -> all_nonneg l ->
  forall carry, (0 <= carry)%Z -> all_nonneg (halves t carry l).
Proof.
  intros PL PH. assert (F := two_positive (fine t)).
  remember (length l) as n eqn:E. revert l E. induction n as [n IH] using (well_founded_induction Wf_nat.lt_wf).
  intros [| e [| o l]] E N carry C; cbn [halves]; try (inversion_clear N as [| ? ? N1 N2]).
  - constructor; [exact C | constructor].
  - constructor; [lia | constructor].
  - inversion_clear N2 as [| ? ? N3 N4]. constructor.
    + assert (0 <= ceiling_div (o * two (fine t)) (2 * tilt_low t))%Z; [| lia].
      apply ceiling_div_nonneg; [apply Z.mul_nonneg_nonneg; lia | lia].
    + apply (IH (length l)); [simpl in E; lia | reflexivity | exact N4 |].
      apply up_nonneg, Z.mul_nonneg_nonneg; assumption.
Qed.

(** The tilt of the lattice of step H is between the integers. *)
Definition tilt_known (H : R) (t : tilt) : Prop :=
  (two (fine t) < tilt_low t)%Z /\
  IZR (tilt_low t) <= 2 ^ fine t * exp (theta * H) <= IZR (tilt_high t).

Lemma halved_place H t f charge (q o : Z) :
  tilt_known H t -> test theta f charge -> (0 <= o)%Z ->
  IZR o * untilted theta H f (2 * q + 1) <=
  IZR (ceiling_div (o * two (fine t)) (2 * tilt_low t)) * untilted theta (2 * H) f q +
  IZR (up (o * tilt_high t) (fine t + 1)) * untilted theta (2 * H) f (q + 1).
Proof.
  intros [TL [T1 T2]] T O. assert (F := pow_two_positive (fine t)). assert (F' := two_positive (fine t)).
  apply IZR_le in O. assert (TL' := IZR_lt _ _ TL). rewrite IZR_two in TL'.
  set (a := IZR q * (2 * H)). set (b := IZR (q + 1) * (2 * H)).
  assert (M : IZR (2 * q + 1) * H = (1 - / 2) * a + / 2 * b)
    by (unfold a, b; rewrite !plus_IZR, mult_IZR; field).
  assert (V := test_convex theta f charge a b (/ 2) T ltac:(lra)). rewrite <- M in V.
  assert (A := test_nonneg theta f charge a T). assert (B := test_nonneg theta f charge b T).
  assert (X : IZR o * exp (- (theta * H)) / 2 <= IZR (ceiling_div (o * two (fine t)) (2 * tilt_low t))).
  { apply ceiling_div_above; [lia |]. rewrite !mult_IZR, IZR_two.
    apply Rmult_le_reg_r with (2 * IZR (tilt_low t)); [lra |].
    replace (IZR o * 2 ^ fine t / (2 * IZR (tilt_low t)) * (2 * IZR (tilt_low t))) with (IZR o * 2 ^ fine t)
      by (field; lra).
    replace (IZR o * exp (- (theta * H)) / 2 * (2 * IZR (tilt_low t))) with
      (IZR o * (exp (- (theta * H)) * IZR (tilt_low t))) by field.
    apply Rmult_le_compat_l; [exact O |].
    replace (2 ^ fine t) with (exp (- (theta * H)) * (2 ^ fine t * exp (theta * H))).
    - apply Rmult_le_compat_l; [left; apply exp_pos | exact T1].
    - rewrite exp_Ropp. field. assert (P := exp_pos (theta * H)). lra. }
  assert (Y : IZR o * exp (theta * H) / 2 <= IZR (up (o * tilt_high t) (fine t + 1))).
  { eapply Rle_trans; [| apply up_above]. rewrite mult_IZR, pow_add, pow_1.
    replace (IZR o * IZR (tilt_high t) / (2 ^ fine t * 2)) with (IZR o * (IZR (tilt_high t) / 2 ^ fine t) / 2)
      by (field; lra).
    apply Rmult_le_compat_r; [lra |]. apply Rmult_le_compat_l; [exact O |].
    apply Rmult_le_reg_r with (2 ^ fine t); [exact F |].
    replace (IZR (tilt_high t) / 2 ^ fine t * 2 ^ fine t) with (IZR (tilt_high t)) by (field; lra). lra. }
  unfold untilted. fold a b.
  set (ea := exp (- theta * a)). set (eb := exp (- theta * b)).
  assert (Ea : exp (- theta * (IZR (2 * q + 1) * H)) = exp (- (theta * H)) * ea).
  { unfold ea. rewrite <- exp_plus. f_equal. unfold a. rewrite plus_IZR, mult_IZR. ring. }
  assert (Eb : exp (- theta * (IZR (2 * q + 1) * H)) = exp (theta * H) * eb).
  { unfold eb. rewrite <- exp_plus. f_equal. unfold b. rewrite !plus_IZR, mult_IZR. ring. }
  assert (Pa : 0 < ea) by apply exp_pos. assert (Pb : 0 < eb) by apply exp_pos.
  assert (Pm := exp_pos (- theta * (IZR (2 * q + 1) * H))). set (em := exp (- theta * (IZR (2 * q + 1) * H))) in *.
  apply Rle_trans with (IZR o * (em * ((1 - / 2) * f a + / 2 * f b))).
  - apply Rmult_le_compat_l; [exact O |]. apply Rmult_le_compat_l; [lra | exact V].
  - replace (IZR o * (em * ((1 - / 2) * f a + / 2 * f b))) with (IZR o * em / 2 * f a + IZR o * em / 2 * f b) by field.
    apply Rplus_le_compat.
    + rewrite Ea. replace (IZR o * (exp (- (theta * H)) * ea) / 2 * f a) with
        (IZR o * exp (- (theta * H)) / 2 * (ea * f a)) by field.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact X].
    + rewrite Eb. replace (IZR o * (exp (theta * H) * eb) / 2 * f b) with
        (IZR o * exp (theta * H) / 2 * (eb * f b)) by field.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact Y].
Qed.

Lemma untilted_even H f q : untilted theta H f (2 * q) = untilted theta (2 * H) f q.
Proof. unfold untilted. rewrite mult_IZR. replace (2 * IZR q * H) with (IZR q * (2 * H)) by ring. reflexivity. Qed.

Lemma weighed_cons H f low w l :
  weighed theta H f low (w :: l) = IZR w * untilted theta H f low + weighed theta H f (low + 1) l.
Proof.
  unfold weighed. simpl. rewrite Z.add_0_r. f_equal. apply against_ext. intros i. f_equal. lia.
Qed.

Lemma weighed_halves H t f charge l :
  tilt_known H t -> test theta f charge -> all_nonneg l -> forall (q carry : Z),
  IZR carry * untilted theta (2 * H) f q + weighed theta H f (2 * q) l <= weighed theta (2 * H) f q (halves t carry l).
Proof.
  intros K T. remember (length l) as n eqn:E. revert l E.
  induction n as [n IH] using (well_founded_induction Wf_nat.lt_wf).
  intros [| e [| o l]] E N q carry; cbn [halves]; rewrite !weighed_cons.
  - unfold weighed. simpl. lra.
  - rewrite untilted_even, plus_IZR. unfold weighed. simpl. lra.
  - inversion_clear N as [| ? ? N1 N2]. inversion_clear N2 as [| ? ? N3 N4].
    assert (X := halved_place H t f charge q o K T N3).
    assert (Y := IH (length l) ltac:(simpl in E; lia) l eq_refl N4 (q + 1)%Z (up (o * tilt_high t) (fine t + 1))).
    replace (2 * q + 1 + 1)%Z with (2 * (q + 1))%Z by lia. rewrite untilted_even, !plus_IZR. lra.
Qed.

Theorem covers_halved H t m L : tilt_known H t -> covers theta H m L -> covers theta (2 * H) (halved t m) L.
Proof.
  intros K [[N N0] C]. unfold halved. set (odd := (start m mod 2)%Z). set (l := if Z.eqb odd 0 then _ else _).
  assert (NL : all_nonneg l) by (unfold l; destruct (Z.eqb odd 0); [exact N | constructor; [lia | exact N]]).
  assert (F := two_positive (fine t)). destruct K as [TL [T1 T2]]. assert (K : tilt_known H t) by (split; auto).
  assert (TH : (0 <= tilt_high t)%Z).
  { apply le_IZR. eapply Rle_trans; [| apply T2]. left.
    apply Rmult_lt_0_compat; [apply pow_two_positive | apply exp_pos]. }
  split.
  - split; cbn [weights lost]; [apply halves_nonneg; [lia | exact TH | exact NL | lia] | exact N0].
  - intros f charge T. eapply Rle_trans; [apply C, T |]. unfold bound. cbn [start weights lost].
    apply Rmult_le_compat_l; [left; apply (unit_positive m) |]. apply Rplus_le_compat_r.
    assert (D := Z.div_mod (start m) 2 ltac:(lia)). fold odd in D.
    assert (B := Z.mod_pos_bound (start m) 2 ltac:(lia)). fold odd in B.
    set (q := ((start m - odd) / 2)%Z).
    assert (E : (2 * q = start m - odd)%Z).
    { unfold q. replace (start m - odd)%Z with (start m / 2 * 2)%Z by lia. rewrite Z.div_mul by lia. lia. }
    assert (X := weighed_halves H t f charge l K T NL q 0). rewrite Rmult_0_l, Rplus_0_l, E in X.
    eapply Rle_trans; [| exact X]. unfold l. destruct (Z.eqb_spec odd 0) as [Z0 | NZ].
    + rewrite Z0, Z.sub_0_r. apply Rle_refl.
    + replace odd with 1%Z by lia. rewrite weighed_cons, Rmult_0_l, Rplus_0_l.
      replace (start m - 1 + 1)%Z with (start m) by lia. apply Rle_refl.
Qed.

End halving.

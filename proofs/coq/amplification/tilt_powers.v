(** The tilts of the levels of the checker's lattice, and their powers in fixed point.

    For real theta and h the tilt of the level i is e^(theta h 2^i). Proved: if it lies between the two integers of a
    tilt, the lower of which is above 2^fine, then so does that of the next level between the next integers, squared and
    rounded outwards ([known_next]); and [power] is at least 2^fine times the power of the tilt at a place of either
    sign ([power_above]). Auxiliary to tilted_lattice.v. Source: this package; the class Tilt of
    exactdp/checker/blanket.py. *)

From Coq Require Import Reals ZArith Lra Lia.
From Exactdp Require Import fixed_point tilted_program tilted_measures tilted_halving.
Open Scope R_scope.

Section tilts.

Variables (theta h : R).

(** The step of a level, and a tilt between its integers. *)
Definition step_at (i : nat) : R := h * 2 ^ i.

Definition known (t : tilt) : Prop := tilt_known theta (step_at (level t)) t.

Lemma twice_step i : step_at (S i) = 2 * step_at i.
Proof. unfold step_at. simpl. ring. Qed.

Lemma known_next t : known t -> known (next t).
Proof.
  intros [L [T1 T2]]. unfold known, tilt_known, next. cbn [fine level tilt_low tilt_high]. rewrite twice_step.
  assert (F := two_positive (fine t)). assert (P := pow_two_positive (fine t)).
  set (e := exp (theta * step_at (level t))) in *.
  assert (E : exp (theta * (2 * step_at (level t))) = e * e) by (unfold e; rewrite <- exp_plus; f_equal; ring).
  assert (L1 : 2 ^ fine t < IZR (tilt_low t)) by (rewrite <- IZR_two; apply IZR_lt, L).
  rewrite E. split; [| split].
  - apply Z.lt_le_trans with (tilt_low t); [exact L |]. apply Z.div_le_lower_bound; [exact F |].
    apply Z.mul_le_mono_nonneg_r; lia.
  - apply floor_div_below; [exact F |]. rewrite mult_IZR, IZR_two.
    apply Rmult_le_reg_r with (2 ^ fine t); [exact P |].
    replace (IZR (tilt_low t) * IZR (tilt_low t) / 2 ^ fine t * 2 ^ fine t) with
      (IZR (tilt_low t) * IZR (tilt_low t)) by (field; lra).
    replace (2 ^ fine t * (e * e) * 2 ^ fine t) with (2 ^ fine t * e * (2 ^ fine t * e)) by ring.
    apply Rmult_le_compat; lra.
  - eapply Rle_trans; [| apply up_above]. rewrite mult_IZR. apply Rmult_le_reg_r with (2 ^ fine t); [exact P |].
    replace (IZR (tilt_high t) * IZR (tilt_high t) / 2 ^ fine t * 2 ^ fine t) with
      (IZR (tilt_high t) * IZR (tilt_high t)) by (field; lra).
    replace (2 ^ fine t * (e * e) * 2 ^ fine t) with (2 ^ fine t * e * (2 ^ fine t * e)) by ring.
    apply Rmult_le_compat; lra.
Qed.

(** x and y at least 2^p times a and b, rounded up: at least 2^p times a b. *)
Lemma up_product p x y a b :
  0 <= a -> 0 <= b -> 2 ^ p * a <= IZR x -> 2 ^ p * b <= IZR y -> 2 ^ p * (a * b) <= IZR (up (x * y) p).
Proof.
  intros A B X Y. assert (P := pow_two_positive p). eapply Rle_trans; [| apply up_above]. rewrite mult_IZR.
  apply Rmult_le_reg_r with (2 ^ p); [exact P |].
  replace (IZR x * IZR y / 2 ^ p * 2 ^ p) with (IZR x * IZR y) by (field; lra).
  replace (2 ^ p * (a * b) * 2 ^ p) with (2 ^ p * a * (2 ^ p * b)) by ring.
  apply Rmult_le_compat; try assumption; apply Rmult_le_pos; lra.
Qed.

Lemma power_of_above p factor x k :
  2 ^ p * exp x <= IZR factor -> 2 ^ p * exp (IZR (Zpos k) * x) <= IZR (power_of p factor k).
Proof.
  intros H. induction k as [k IH | k IH |]; simpl power_of.
  - replace (IZR (Zpos k~1) * x) with (IZR (Zpos k) * x + IZR (Zpos k) * x + x)
      by (rewrite (Pos2Z.inj_xI k), plus_IZR, mult_IZR; ring).
    rewrite !exp_plus. apply up_product; try (left; apply exp_pos); [| | exact H].
    + left. apply Rmult_lt_0_compat; apply exp_pos.
    + apply up_product; try (left; apply exp_pos); exact IH.
  - replace (IZR (Zpos k~0) * x) with (IZR (Zpos k) * x + IZR (Zpos k) * x)
      by (rewrite (Pos2Z.inj_xO k), mult_IZR; ring).
    rewrite exp_plus. apply up_product; try (left; apply exp_pos); exact IH.
  - rewrite Rmult_1_l. exact H.
Qed.

Lemma inverse_above t : known t -> 2 ^ fine t * exp (- (theta * step_at (level t))) <= IZR (inverse t).
Proof.
  intros [L [T1 T2]]. unfold inverse. assert (F := two_positive (fine t)). assert (P := pow_two_positive (fine t)).
  apply ceiling_div_above; [lia |]. rewrite IZR_two. replace (2 * fine t)%nat with (fine t + fine t)%nat by lia.
  rewrite pow_add, exp_Ropp. set (e := exp _) in *. assert (0 < e) by apply exp_pos.
  assert (L1 : 0 < IZR (tilt_low t)) by (apply (IZR_lt 0); lia).
  apply Rmult_le_reg_r with (IZR (tilt_low t) * e); [apply Rmult_lt_0_compat; lra |].
  replace (2 ^ fine t * / e * (IZR (tilt_low t) * e)) with (2 ^ fine t * IZR (tilt_low t)) by (field; lra).
  replace (2 ^ fine t * 2 ^ fine t / IZR (tilt_low t) * (IZR (tilt_low t) * e)) with
    (2 ^ fine t * (2 ^ fine t * e)) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma power_above t z : known t -> 2 ^ fine t * exp (theta * (IZR z * step_at (level t))) <= IZR (power t z).
Proof.
  intros K. destruct z as [| k | k]; simpl power.
  - rewrite Rmult_0_l, Rmult_0_r, exp_0, IZR_two. lra.
  - replace (theta * (IZR (Zpos k) * step_at (level t))) with (IZR (Zpos k) * (theta * step_at (level t))) by ring.
    apply power_of_above, K.
  - replace (theta * (IZR (Zneg k) * step_at (level t))) with (IZR (Zpos k) * - (theta * step_at (level t)))
      by (rewrite <- (Pos2Z.opp_pos k), opp_IZR; ring).
    apply power_of_above, inverse_above, K.
Qed.

End tilts.

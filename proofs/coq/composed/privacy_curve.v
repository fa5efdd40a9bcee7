(** A privacy curve on a lattice dominates all pairs of a mechanism.

    Let rho > 1, J >= 0 and d_0, ..., d_J be real numbers, and let P and Q be laws, finite or infinite, of
    which P is (rho^j, d_j)-below Q and Q is (rho^j, d_j)-below P for every 0 <= j <= J. With d_{J+1} = d_J
    put, for 1 <= j <= J,

      m_j = ((d_{j+1} - d_j) - rho (d_j - d_{j-1})) / (rho - 1),       m_{-j} = rho^-j m_j,
      m_0 = ((rho - 1) + 2 d_1 - (rho + 1) d_0) / (rho - 1).

    Then P is (E, F(E))-below Q for every E >= 0, where F(E) = d_J + sum over abs(j) <= J of
    m_j max(0, 1 - E rho^-j) ([privacy_curve]); so the measure with masses nu_j >= max(0, m_j) at the
    losses ln rho^j and nu_inf >= d_J at infinity dominates a mechanism all of whose pairs are so
    ([curve_dominates]). The d_j need not be convex, nor fall.

    Idea: on a finite set of outcomes the hockey-stick g(E) is convex and does not grow. It is at most 1 at
    0, at most d_j at rho^j, and at most 1 - rho^-j (1 - d_j) at rho^-j, because the excess of Q over P at
    rho^j is that of P over Q at rho^-j but for a factor. F has these values there and is linear in
    between; the m_j are its bends.

    The methods Run.check_curve and Losses.of_curve of exactdp/checker/composed.py rest on it (of_curve
    with rho = a/b, both sides of m_j times b). Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums masses hockey_stick hockey_stick_curve loss_measures
  adaptive_composition.
Import ListNotations.
Open Scope R_scope.

(** ** The function through the points *)

Section curve.

Variables (rho : R) (J : nat) (d : nat -> R).
Hypothesis above_1 : 1 < rho.
Hypothesis constant_end : d (S J) = d J.

(** rho^z, and the value there: by the curve, or by symmetry. *)
Definition place (z : Z) : R := powerRZ rho z.

Definition value (z : Z) : R :=
  if Z.leb 0 z then d (Z.to_nat z) else 1 - place z * (1 - d (Z.to_nat (- z))).

Definition slope (z : Z) : R := (value z - value (z - 1)) / (place z - place (z - 1)).

Definition bend (z : Z) : R := place z * (slope (z + 1) - slope z).

Lemma place_positive z : 0 < place z.
Proof. apply powerRZ_lt. lra. Qed.

Lemma place_next z : place (z + 1) = rho * place z.
Proof. unfold place. rewrite powerRZ_add by lra. rewrite powerRZ_1. ring. Qed.

Lemma place_before z : place z = rho * place (z - 1).
Proof. rewrite <- place_next. f_equal. lia. Qed.

Lemma place_rises z : place (z - 1) < place z.
Proof.
  rewrite (place_before z). assert (P := place_positive (z - 1)).
  assert (1 * place (z - 1) < rho * place (z - 1)) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

Lemma place_opp z : place (- z) = / place z.
Proof.
  assert (P := place_positive z). apply Rmult_eq_reg_l with (place z); [| lra].
  rewrite Rinv_r by lra. unfold place. rewrite <- powerRZ_add by lra.
  replace (z + - z)%Z with 0%Z by lia. reflexivity.
Qed.

Lemma place_nat j : place (Z.of_nat j) = rho ^ j.
Proof. symmetry. apply pow_powerRZ. Qed.

Lemma slope_times z : slope z * (place z - place (z - 1)) = value z - value (z - 1).
Proof. unfold slope. assert (P := place_rises z). field. lra. Qed.

(** The bends at the n uppermost places, J, J - 1, ... *)
Definition upper (n : nat) (E : R) : R :=
  d J + total (seq 0 n) (fun i => bend (Z.of_nat J - Z.of_nat i) *
    Rmax 0 (1 - E * place (- (Z.of_nat J - Z.of_nat i)))).

(** What one more bend adds. *)
Lemma hinge_below z E : E <= place z ->
  bend z * Rmax 0 (1 - E * place (- z)) = (slope (z + 1) - slope z) * (place z - E).
Proof.
  intros H. assert (P := place_positive z). rewrite place_opp. rewrite Rmax_right.
  - unfold bend. field. lra.
  - apply Rmult_le_reg_l with (place z); [exact P |].
    replace (place z * (1 - E * / place z)) with (place z - E) by (field; lra). lra.
Qed.

Lemma hinge_above z E : place z <= E -> bend z * Rmax 0 (1 - E * place (- z)) = 0.
Proof.
  intros H. assert (P := place_positive z). rewrite place_opp. rewrite Rmax_left; [ring |].
  apply Rmult_le_reg_l with (place z); [exact P |].
  replace (place z * (1 - E * / place z)) with (place z - E) by (field; lra). lra.
Qed.

Lemma slope_end : slope (Z.of_nat J + 1) = 0.
Proof.
  unfold slope, value. replace (Z.of_nat J + 1 - 1)%Z with (Z.of_nat J) by lia.
  rewrite !(proj2 (Z.leb_le 0 _)) by lia. rewrite Nat2Z.id.
  replace (Z.to_nat (Z.of_nat J + 1)) with (S J) by lia. rewrite constant_end. unfold Rdiv. ring.
Qed.

(** Below the lowest of these bends the sum is one line. *)
Lemma upper_line n E :
  E <= place (Z.of_nat J - Z.of_nat n + 1) ->
  upper n E = value (Z.of_nat J - Z.of_nat n) +
    slope (Z.of_nat J - Z.of_nat n + 1) * (E - place (Z.of_nat J - Z.of_nat n)).
Proof.
  revert E. induction n as [| n IH]; intros E H.
  - unfold upper. simpl. rewrite Z.sub_0_r, slope_end. unfold value.
    rewrite (proj2 (Z.leb_le 0 _)) by lia. rewrite Nat2Z.id. ring.
  - set (z := (Z.of_nat J - Z.of_nat n)%Z) in *.
    replace (Z.of_nat J - Z.of_nat (S n))%Z with (z - 1)%Z in * by (unfold z; lia).
    replace (z - 1 + 1)%Z with z in * by lia.
    unfold upper in *. rewrite total_seq_S, <- Rplus_assoc. fold z. rewrite IH, hinge_below.
    + assert (S := slope_times z). lra.
    + exact H.
    + replace z with (z + 1 - 1)%Z in H by lia. assert (R := place_rises (z + 1)). lra.
Qed.

(** The lowest piece, from 0 to rho^-J. *)
Lemma value_lowest j : (j <= 1)%nat ->
  value (- Z.of_nat (J + j)) = 1 - place (- Z.of_nat (J + j)) * (1 - d J).
Proof.
  intros Hj. unfold value. destruct (Z.leb_spec 0 (- Z.of_nat (J + j))) as [L | L].
  - replace (- Z.of_nat (J + j))%Z with 0%Z by lia. replace (Z.to_nat 0) with J by lia.
    unfold place. simpl. ring.
  - rewrite Z.opp_involutive, Nat2Z.id. destruct j as [| [| j]]; [| | lia].
    + rewrite Nat.add_0_r. reflexivity.
    + rewrite Nat.add_1_r, constant_end. reflexivity.
Qed.

Lemma lowest_line E : E <= place (- Z.of_nat J) -> upper (2 * J + 1) E = 1 - E * (1 - d J).
Proof.
  intros H. set (z := (- Z.of_nat J)%Z) in *.
  assert (V : value z = 1 - place z * (1 - d J)).
  { assert (X := value_lowest 0 (le_S _ _ (le_n 0))). rewrite Nat.add_0_r in X. exact X. }
  assert (V1 : value (z - 1) = 1 - place (z - 1) * (1 - d J)).
  { assert (X := value_lowest 1 (le_n 1)). replace (- Z.of_nat (J + 1))%Z with (z - 1)%Z in X
      by (unfold z; lia). exact X. }
  assert (Sl : slope z = - (1 - d J)).
  { unfold slope. rewrite V, V1. assert (R := place_rises z). field. lra. }
  rewrite upper_line.
  - replace (Z.of_nat J - Z.of_nat (2 * J + 1))%Z with (z - 1)%Z by (unfold z; lia).
    replace (z - 1 + 1)%Z with z by lia. rewrite Sl, V1. ring.
  - replace (Z.of_nat J - Z.of_nat (2 * J + 1) + 1)%Z with z by (unfold z; lia). exact H.
Qed.

(** ** Above the hockey-stick *)

Section dominated.

Context {A : Type} (P Q : A -> R) (l : list A).
Hypothesis law_P : law P.
Hypothesis law_Q : law Q.
Hypothesis once : NoDup l.
Hypothesis curve : forall j, (j <= J)%nat ->
  mass_below P Q (rho ^ j) (d j) /\ mass_below Q P (rho ^ j) (d j).

Lemma stick_at_place z : (Z.abs z <= Z.of_nat J)%Z -> stick P Q l (place z) <= value z.
Proof.
  intros H. unfold value. destruct (Z.leb_spec 0 z) as [L | L].
  - rewrite <- (Z2Nat.id z L) at 1. rewrite place_nat. destruct (curve (Z.to_nat z)) as [C _]; [lia |].
    apply (mass_hockey_stick_iff P Q _ _); assumption.
  - replace z with (- Z.of_nat (Z.to_nat (- z)))%Z at 1 2 by lia. rewrite !place_opp, place_nat.
    destruct (curve (Z.to_nat (- z))) as [_ C]; [lia |].
    apply stick_inverse; try assumption. apply pow_lt. lra.
Qed.

Lemma stick_below_upper n E :
  (n <= 2 * J)%nat -> place (Z.of_nat J - Z.of_nat n) <= E -> stick P Q l E <= upper n E.
Proof.
  revert E. induction n as [| n IH]; intros E Hn H.
  - unfold upper. simpl. rewrite Rplus_0_r. rewrite Z.sub_0_r in H.
    eapply Rle_trans; [apply (stick_falls P Q l law_Q _ _ H) |].
    assert (X := stick_at_place (Z.of_nat J) ltac:(lia)). unfold value in X.
    rewrite (proj2 (Z.leb_le 0 _)), Nat2Z.id in X by lia. exact X.
  - set (z := (Z.of_nat J - Z.of_nat n)%Z) in *.
    replace (Z.of_nat J - Z.of_nat (S n))%Z with (z - 1)%Z in H by (unfold z; lia).
    destruct (Rle_or_lt (place z) E) as [U | L].
    + unfold upper in *. rewrite total_seq_S, <- Rplus_assoc. fold z. rewrite hinge_above by exact U.
      rewrite Rplus_0_r. apply IH; [lia | exact U].
    + rewrite upper_line.
      * replace (Z.of_nat J - Z.of_nat (S n))%Z with (z - 1)%Z by (unfold z; lia).
        replace (z - 1 + 1)%Z with z by lia.
        assert (W := place_rises z). apply Rmult_le_reg_l with (place z - place (z - 1)); [lra |].
        eapply Rle_trans; [apply (stick_convex P Q l (place (z - 1)) (place z) E); lra |].
        assert (V0 := stick_at_place (z - 1) ltac:(unfold z; lia)).
        assert (V1 := stick_at_place z ltac:(unfold z; lia)).
        apply (Rmult_le_compat_l (place z - E)) in V0; [| lra].
        apply (Rmult_le_compat_l (E - place (z - 1))) in V1; [| lra].
        assert (S := slope_times z). set (W0 := place (z - 1)) in *. set (W1 := place z) in *.
        replace ((W1 - W0) * (value (z - 1) + slope z * (E - W0)))
          with ((W1 - W0) * value (z - 1) + (E - W0) * (slope z * (W1 - W0))) by ring.
        rewrite S. lra.
      * replace (Z.of_nat J - Z.of_nat (S n) + 1)%Z with z by (unfold z; lia). lra.
Qed.

Lemma stick_below_all E : 0 <= E -> stick P Q l E <= upper (2 * J + 1) E.
Proof.
  intros HE. set (z := (- Z.of_nat J)%Z). assert (W := place_positive z).
  assert (Ez : (Z.of_nat J - Z.of_nat (2 * J))%Z = z) by (unfold z; lia).
  destruct (Rle_or_lt (place z) E) as [U | L].
  - unfold upper. rewrite Nat.add_1_r, total_seq_S, <- Rplus_assoc, Ez.
    rewrite hinge_above by exact U. rewrite Rplus_0_r.
    apply (stick_below_upper (2 * J)); [lia | rewrite Ez; exact U].
  - rewrite lowest_line by (unfold z in *; lra).
    assert (V := stick_at_place z ltac:(unfold z; lia)).
    assert (X := value_lowest 0 (le_S _ _ (le_n 0))). rewrite Nat.add_0_r in X. fold z in X.
    rewrite X in V. apply Rmult_le_reg_l with (place z); [exact W |].
    assert (C := stick_convex P Q l 0 (place z) E ltac:(lra)). rewrite !Rminus_0_r in C.
    assert (Z0 := stick_at_0 P Q l law_P once).
    apply (Rmult_le_compat_l (place z - E)) in Z0; [| lra]. apply (Rmult_le_compat_l E) in V; [| lra].
    lra.
Qed.

End dominated.

Theorem privacy_curve {A} (P Q : A -> R) :
  law P -> law Q ->
  (forall j, (j <= J)%nat -> mass_below P Q (rho ^ j) (d j) /\ mass_below Q P (rho ^ j) (d j)) ->
  forall E, 0 <= E -> mass_below P Q E (upper (2 * J + 1) E).
Proof.
  intros LP LQ H E HE. apply mass_hockey_stick_iff. intros l N. apply stick_below_all; assumption.
Qed.

(** ** The bends *)

Definition positive_bend (j : nat) : R := ((d (S j) - d j) - rho * (d j - d (pred j))) / (rho - 1).

Definition bend_at_0 : R := ((rho - 1) + 2 * d 1%nat - (rho + 1) * d O) / (rho - 1).

Lemma value_nat j : value (Z.of_nat j) = d j.
Proof. unfold value. rewrite (proj2 (Z.leb_le 0 _)), Nat2Z.id by lia. reflexivity. Qed.

Lemma value_opp j : value (- Z.of_nat j) = 1 - place (- Z.of_nat j) * (1 - d j).
Proof.
  unfold value. destruct (Z.leb_spec 0 (- Z.of_nat j)) as [L | L].
  - destruct j as [| j]; [simpl; ring | lia].
  - rewrite Z.opp_involutive, Nat2Z.id. reflexivity.
Qed.

(** The bend at a place, times rho - 1. *)
Lemma bend_values z :
  bend z = ((value (z + 1) - value z) - rho * (value z - value (z - 1))) / (rho - 1).
Proof.
  unfold bend, slope. replace (z + 1 - 1)%Z with z by lia. rewrite place_next, (place_before z).
  assert (W := place_positive (z - 1)). set (w := place (z - 1)) in *.
  assert (0 < w * (rho - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < rho * (w * (rho - 1))) by (apply Rmult_lt_0_compat; lra).
  field. repeat split; lra.
Qed.

Lemma bends j :
  bend (Z.of_nat (S j)) = positive_bend (S j) /\
  bend (- Z.of_nat (S j)) = place (- Z.of_nat (S j)) * positive_bend (S j) /\
  bend 0 = bend_at_0.
Proof.
  unfold positive_bend, bend_at_0. rewrite !bend_values. split; [| split].
  - replace (Z.of_nat (S j) + 1)%Z with (Z.of_nat (S (S j))) by lia.
    replace (Z.of_nat (S j) - 1)%Z with (Z.of_nat j) by lia. rewrite !value_nat. reflexivity.
  - replace (- Z.of_nat (S j) + 1)%Z with (- Z.of_nat j)%Z by lia.
    replace (- Z.of_nat (S j) - 1)%Z with (- Z.of_nat (S (S j)))%Z by lia. rewrite !value_opp.
    replace (- Z.of_nat j)%Z with (- Z.of_nat (S (S j)) + 1 + 1)%Z by lia.
    replace (- Z.of_nat (S j))%Z with (- Z.of_nat (S (S j)) + 1)%Z by lia.
    rewrite !place_next. simpl pred. field. lra.
  - replace (0 + 1)%Z with (Z.of_nat 1) by lia. replace (0 - 1)%Z with (- Z.of_nat 1)%Z by lia.
    change 0%Z with (Z.of_nat 0). rewrite !value_nat, value_opp, place_opp, place_nat, pow_1. field. lra.
Qed.

(** A measure on the lattice that is nowhere below the bends. *)
Definition lattice (inf : R) (mass : Z -> R) : measure :=
  {| infinite := inf;
     atoms := map (fun i => (mass (Z.of_nat J - Z.of_nat i)%Z, place (- (Z.of_nat J - Z.of_nat i))))
                (seq 0 (2 * J + 1)) |}.

Theorem curve_dominates {A} (M : mechanism A) inf mass :
  (forall P Q, M P Q -> law P /\ law Q /\ forall j, (j <= J)%nat ->
   mass_below P Q (rho ^ j) (d j) /\ mass_below Q P (rho ^ j) (d j)) ->
  0 <= d J <= inf -> (forall z, Rmax 0 (bend z) <= mass z) ->
  dominates (lattice inf mass) M.
Proof.
  intros H HI HM.
  assert (Above : forall E, upper (2 * J + 1) E <= divergence (lattice inf mass) E).
  { intros E. unfold upper, divergence. simpl. rewrite total_map.
    apply Rplus_le_compat; [lra |]. apply total_le. intros i _. unfold hinge. simpl.
    apply Rmult_le_compat_r; [apply Rmax_l |]. eapply Rle_trans; [apply Rmax_r | apply HM]. }
  split; [split; [simpl; lra |] | split].
  - intros mr I. apply in_map_iff in I. destruct I as [i [<- _]]. simpl. split.
    + eapply Rle_trans; [apply Rmax_l | apply HM].
    + left. apply place_positive.
  - assert (X := Above 0). assert (W := place_positive (- Z.of_nat J)).
    rewrite lowest_line in X by lra. lra.
  - intros P Q HPQ. destruct (H P Q HPQ) as [LP [LQ C]]. split; [exact LP | split; [exact LQ |]].
    intros E HE l N. eapply Rle_trans; [apply (privacy_curve P Q LP LQ C E HE l N) |].
    apply Rplus_le_compat_l, Above.
Qed.

End curve.

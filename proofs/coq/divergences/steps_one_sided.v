(** The finite pair that stands for a shifted one-sided geometric law.

    Let j >= 1 and 0 <= x < 1. For the law with the mass (1 - x) x^t at t >= 0 and the same moved up by j,
    the likelihood ratio is x^j for all t >= j, and below j the moved law has no mass. So the pair is
    private in the same cases as a pair with the outcomes 0, 1, ..., j, whose probabilities are
    ([one_sided_steps], both orders, all E, delta >= 0): (1 - x) x^t and 0 at 0 <= t < j, and x^j and 1
    at j.

    Idea: as steps_geometric.v. The method Steps.pairs of exactdp/checker/finite_laws.py has these numbers,
    times one number. Source: docs/certificates.md, "Constant ratios are one outcome". *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import sums masses shifts smooth_noise_privacy steps steps_geometric.
Import ListNotations.
Open Scope R_scope.

Section one_sided.

Variables (x : R) (j : Z).
Hypothesis x_bounds : 0 <= x < 1.
Hypothesis j_positive : (1 <= j)%Z.

Definition one_sided (t : Z) : R := if Z.ltb t 0 then 0 else (1 - x) * x ^ Z.to_nat t.

(** The class of t: -1 for all t < 0, j for all t >= j. *)
Definition one_sided_step (t : Z) : Z := Z.max (-1) (Z.min t j).

Definition one_sided_P (b : Z) : R :=
  if Z.eqb b j then x ^ Z.to_nat j else if Z.ltb b j then one_sided b else 0.

Definition one_sided_Q (b : Z) : R := if Z.eqb b j then 1 else 0.

Lemma one_sided_nonneg t : 0 <= one_sided t.
Proof.
  unfold one_sided. destruct (Z.ltb t 0); [lra |]. apply Rmult_le_pos; [lra | apply pow_le; lra].
Qed.

Lemma one_sided_ray m : (0 <= m)%Z -> mass_of one_sided (fun t => (m <= t)%Z) (x ^ Z.to_nat m).
Proof.
  intros H. replace (x ^ Z.to_nat m) with ((1 - x) * x ^ Z.to_nat m / (1 - x)) by (field; lra).
  apply geometric_half_line; [exact x_bounds | |].
  - apply Rmult_le_pos; [lra | apply pow_le; lra].
  - intros i. unfold one_sided. destruct (Z.ltb_spec (m + Z.of_nat i) 0); [lia |].
    replace (Z.to_nat (m + Z.of_nat i)) with (Z.to_nat m + i)%nat by lia. rewrite pow_add. ring.
Qed.

Lemma one_sided_law : law one_sided.
Proof.
  split; [apply one_sided_nonneg |]. destruct (one_sided_ray 0 (Z.le_refl 0)) as [U L]. simpl in U, L. split.
  - intros s [l [N [_ ->]]]. apply U. exists (filter (Z.leb 0) l). split; [apply NoDup_filter, N |]. split.
    + intros t It. apply filter_In in It. apply Z.leb_le, It.
    + rewrite total_filter. apply total_ext. intros t _. unfold one_sided.
      destruct (Z.leb_spec 0 t), (Z.ltb_spec t 0); try lia; reflexivity.
  - intros b Hb. apply L. intros s [l [N [_ ->]]]. apply Hb. exists l. auto.
Qed.

Lemma one_sided_classes_P b : mass_of one_sided (fun t => one_sided_step t = b) (one_sided_P b).
Proof.
  unfold one_sided_P. destruct (Z.eqb_spec b j) as [-> | N].
  - apply (mass_of_ext _ (fun t => (j <= t)%Z)); [intros t; unfold one_sided_step; lia |].
    apply one_sided_ray. lia.
  - destruct (Z.ltb_spec b j) as [L | L].
    + destruct (Z_lt_le_dec b 0) as [L0 | L0].
      * replace (one_sided b) with 0 by (unfold one_sided; rewrite (proj2 (Z.ltb_lt b 0) L0); reflexivity).
        apply mass_of_zero. intros t E. unfold one_sided. unfold one_sided_step in E.
        rewrite (proj2 (Z.ltb_lt t 0)) by lia. reflexivity.
      * apply mass_of_one; [apply one_sided_nonneg | intros t; unfold one_sided_step; lia].
    + apply mass_of_zero. intros t E. unfold one_sided_step in E. lia.
Qed.

Lemma one_sided_classes_Q b : mass_of (shifted one_sided j) (fun t => one_sided_step t = b) (one_sided_Q b).
Proof.
  unfold one_sided_Q. destruct (Z.eqb_spec b j) as [-> | N].
  - apply mass_of_shifted, (mass_of_ext _ (fun t => (0 <= t)%Z)); [intros t; unfold one_sided_step; lia |].
    apply (one_sided_ray 0). lia.
  - apply mass_of_zero. intros t E. unfold shifted, one_sided. unfold one_sided_step in E.
    rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
Qed.

Lemma one_sided_ratios a c :
  one_sided_step a = one_sided_step c ->
  one_sided a * shifted one_sided j c = one_sided c * shifted one_sided j a.
Proof.
  unfold one_sided_step. intros H. destruct (Z.eq_dec a c) as [-> | N]; [reflexivity |].
  unfold shifted, one_sided. destruct (Z.ltb_spec a 0) as [A | A], (Z.ltb_spec c 0) as [C | C]; try lia;
    try ring.
  rewrite !(proj2 (Z.ltb_ge _ _)) by lia.
  assert (Same : (Z.to_nat a + Z.to_nat (c - j) = Z.to_nat c + Z.to_nat (a - j))%nat) by lia.
  replace ((1 - x) * x ^ Z.to_nat a * ((1 - x) * x ^ Z.to_nat (c - j)))
    with ((1 - x) * (1 - x) * (x ^ Z.to_nat a * x ^ Z.to_nat (c - j))) by ring.
  rewrite <- pow_add, Same, pow_add. ring.
Qed.

Theorem one_sided_steps E delta :
  0 <= E -> 0 <= delta ->
  (mass_below one_sided (shifted one_sided j) E delta <-> mass_below one_sided_P one_sided_Q E delta) /\
  (mass_below (shifted one_sided j) one_sided E delta <-> mass_below one_sided_Q one_sided_P E delta).
Proof.
  intros HE Hd. assert (L := one_sided_law). assert (L' := shifted_law one_sided j L).
  split; apply (constant_ratios one_sided_step); auto using one_sided_classes_P, one_sided_classes_Q.
  - apply one_sided_ratios.
  - intros a c H. assert (R := one_sided_ratios a c H). lra.
Qed.

End one_sided.

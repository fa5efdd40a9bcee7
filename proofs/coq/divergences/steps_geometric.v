(** The finite pair that stands for a shifted two-sided geometric law.

    Let j >= 1 and 0 < x < 1. For the law with the mass (1 - x)/(1 + x) x^abs(t) and the same moved up by
    j, the likelihood ratio is x^-j for all t <= 0 and x^j for all t >= j. So the pair is private in the
    same cases as a pair with the outcomes 0, 1, ..., j, whose probabilities are ([two_sided_steps], both
    orders, all E, delta >= 0): 1/(1+x) and x^j/(1+x) at 0, those of the laws themselves at 0 < t < j, and
    x^j/(1+x) and 1/(1+x) at j. The one-sided law: steps_one_sided.v.

    Idea: the geometric series, and steps.v. The method Steps.pairs of exactdp/checker/finite_laws.py has
    these numbers, times one number. Source: docs/certificates.md, "Constant ratios are one outcome". *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import sums masses geometric_noise shifts smooth_noise_privacy product_laws steps.
Import ListNotations.
Open Scope R_scope.

(** ** Half-lines *)

(** Masses c x^i at m, m + 1, ...: their sum is c / (1 - x). *)
Lemma geometric_half_line (D : Z -> R) (x c : R) (m : Z) :
  0 <= x < 1 -> 0 <= c -> (forall i : nat, D (m + Z.of_nat i)%Z = c * x ^ i) ->
  mass_of D (fun t => (m <= t)%Z) (c / (1 - x)).
Proof.
  intros Hx Hc HD. set (ray := fun n => map (fun i => (m + Z.of_nat i)%Z) (seq 0 n)).
  assert (Once : forall n, NoDup (ray n)).
  { intros n. apply Injective_map_NoDup; [intros a b E; lia | apply seq_NoDup]. }
  assert (Sum : forall n, total (ray n) D = c / (1 - x) * (1 - x ^ n)).
  { intros n. unfold ray. rewrite total_map. rewrite (total_ext _ _ (fun i => c * x ^ i)) by (intros;
      apply HD).
    rewrite total_scal. induction n as [| n IH]; [simpl; ring |].
    rewrite total_seq_S, Rmult_plus_distr_l, IH. simpl. field. lra. }
  assert (C : 0 <= c / (1 - x)) by (apply Rmult_le_pos; [exact Hc | left; apply Rinv_0_lt_compat; lra]).
  split.
  - intros s [l [N [I ->]]]. set (n := S (list_max (map (fun t => Z.to_nat (t - m)) l))).
    apply Rle_trans with (total (ray n) D).
    + apply total_incl; [exact N | |].
      * intros t It. apply in_map_iff. exists (Z.to_nat (t - m)). specialize (I t It). split; [lia |].
        apply in_seq. assert (M := proj1 (list_max_le _ _) (le_n (list_max (map (fun t => Z.to_nat (t - m))
          l)))).
        rewrite Forall_forall in M. specialize (M (Z.to_nat (t - m)) (in_map (fun t => Z.to_nat (t - m)) l
          t It)).
        unfold n. lia.
      * intros t It. apply in_map_iff in It. destruct It as [i [<- _]]. rewrite HD.
        apply Rmult_le_pos; [exact Hc | apply pow_le; lra].
    + rewrite Sum. assert (P : 0 <= x ^ n) by (apply pow_le; lra).
      assert (0 <= c / (1 - x) * x ^ n) by (apply Rmult_le_pos; assumption). lra.
  - intros b Hb. apply Rnot_lt_le. intros L.
    assert (C' : 0 < c / (1 - x)).
    { destruct C as [C | C]; [exact C |]. exfalso.
      assert (B := Hb (total (ray 0%nat) D) (ex_intro _ (ray 0%nat) (conj (Once _) (conj (fun t (F : In t
        []) =>
        False_ind _ F) eq_refl)))). unfold ray in B. simpl in B. lra. }
    destruct (pow_lt_1_zero x) with (y := (c / (1 - x) - b) / (c / (1 - x))) as [n Hn].
    + rewrite Rabs_right; lra.
    + apply Rdiv_lt_0_compat; lra.
    + specialize (Hn n (le_n n)). assert (P : 0 <= x ^ n) by (apply pow_le; lra).
      rewrite Rabs_right in Hn by lra. assert (B : total (ray n) D <= b).
      { apply Hb. exists (ray n). split; [apply Once | split; [| reflexivity]].
        intros t It. apply in_map_iff in It. destruct It as [i [<- _]]. lia. }
      rewrite Sum in B. apply (Rmult_lt_compat_l (c / (1 - x))) in Hn; [| exact C'].
      replace (c / (1 - x) * ((c / (1 - x) - b) / (c / (1 - x)))) with (c / (1 - x) - b) in Hn
        by (field; split; [lra | intros Z; rewrite Z in C'; unfold Rdiv in C'; lra]).
      lra.
Qed.

Lemma mass_of_mirror (D : Z -> R) m p :
  mass_of (fun t => D (- t)%Z) (fun t => (m <= t)%Z) p -> mass_of D (fun t => (t <= - m)%Z) p.
Proof.
  intros [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists (map Z.opp l). split; [| split].
    + apply Injective_map_NoDup; [intros a b E; lia | exact N].
    + intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. specialize (I u Iu). simpl in I. lia.
    + rewrite total_map. apply total_ext. intros t _. rewrite Z.opp_involutive. reflexivity.
  - intros b Hb. apply L. intros s [l [N [I ->]]]. apply Hb. exists (map Z.opp l). split; [| split].
    + apply Injective_map_NoDup; [intros a c E; lia | exact N].
    + intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. specialize (I u Iu). simpl in I. lia.
    + rewrite total_map. reflexivity.
Qed.

(** A class with one outcome, and one with none. *)
Lemma mass_of_one (D : Z -> R) (T : Z -> Prop) t :
  (forall a, 0 <= D a) -> (forall a, T a <-> a = t) -> mass_of D T (D t).
Proof.
  intros Pos H. apply (mass_of_ext D (fun a => In a [t])).
  - intros a. rewrite H. simpl. intuition congruence.
  - replace (D t) with (total [t] D) by (simpl; ring).
    apply mass_of_finite; [exact Pos | constructor; [intros [] | constructor]].
Qed.

(** A half-line of the moved law. *)
Lemma mass_of_shifted (D : Z -> R) j (T : Z -> Prop) p :
  mass_of D (fun t => T (t + j)%Z) p -> mass_of (shifted D j) T p.
Proof.
  intros [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists (map (fun t => t - j)%Z l). split; [| split].
    + apply Injective_map_NoDup; [intros a b E; lia | exact N].
    + intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]].
      replace (u - j + j)%Z with u by lia. apply I, Iu.
    + rewrite total_map. reflexivity.
  - intros b Hb. apply L. intros s [l [N [I ->]]]. apply Hb. exists (map (fun t => t + j)%Z l). split; [|
      split].
    + apply Injective_map_NoDup; [intros a c E; lia | exact N].
    + intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. apply I, Iu.
    + rewrite total_map. apply total_ext. intros t _. unfold shifted. f_equal. lia.
Qed.

(** ** Two-sided *)

Section steps.

Variables (x : R) (j : Z).
Hypothesis x_bounds : 0 < x < 1.
Hypothesis j_positive : (1 <= j)%Z.

(** The class of t: 0 for all t <= 0, j for all t >= j. *)
Definition step (t : Z) : Z := Z.max 0 (Z.min t j).

Definition top : R := x ^ Z.to_nat j / (1 + x).

Definition two_sided_P (b : Z) : R :=
  if Z.eqb b 0 then 1 / (1 + x) else if Z.eqb b j then top
  else if (Z.ltb 0 b && Z.ltb b j)%bool then geometric x b else 0.

Definition two_sided_Q (b : Z) : R :=
  if Z.eqb b 0 then top else if Z.eqb b j then 1 / (1 + x)
  else if (Z.ltb 0 b && Z.ltb b j)%bool then geometric x (b - j) else 0.

Lemma geometric_mirror t : geometric x (- t) = geometric x t.
Proof. unfold geometric. replace (Z.abs_nat (- t)) with (Z.abs_nat t) by lia. reflexivity. Qed.

Lemma geometric_from (m : Z) (n : nat) :
  (0 <= m)%Z -> geometric x (m + Z.of_nat n) = (1 - x) / (1 + x) * x ^ Z.to_nat m * x ^ n.
Proof.
  intros H. unfold geometric. replace (Z.abs_nat (m + Z.of_nat n)) with (Z.to_nat m + n)%nat by lia.
  rewrite pow_add. ring.
Qed.

Lemma coefficient_nonneg m : 0 <= (1 - x) / (1 + x) * x ^ m.
Proof. apply Rmult_le_pos; [left; apply Rdiv_lt_0_compat | apply pow_le]; lra. Qed.

Lemma ray_above m : (0 <= m)%Z ->
  mass_of (geometric x) (fun t => (m <= t)%Z) (x ^ Z.to_nat m / (1 + x)).
Proof.
  intros H. replace (x ^ Z.to_nat m / (1 + x)) with ((1 - x) / (1 + x) * x ^ Z.to_nat m / (1 - x))
    by (field; lra).
  apply geometric_half_line; [lra | apply coefficient_nonneg | intros i; apply geometric_from, H].
Qed.

Lemma ray_below m : (0 <= m)%Z ->
  mass_of (geometric x) (fun t => (t <= - m)%Z) (x ^ Z.to_nat m / (1 + x)).
Proof.
  intros H. apply mass_of_mirror. destruct (ray_above m H) as [U L]. split.
  - intros s [l [N [I ->]]]. apply U. exists l. split; [exact N | split; [exact I |]].
    apply total_ext. intros t _. apply geometric_mirror.
  - intros b Hb. apply L. intros s [l [N [I ->]]]. apply Hb. exists l. split; [exact N | split; [exact I |]].
    apply total_ext. intros t _. symmetry. apply geometric_mirror.
Qed.

Lemma geometric_nonneg t : 0 <= geometric x t.
Proof. left. apply geometric_pos, x_bounds. Qed.
Lemma two_sided_classes_P b : mass_of (geometric x) (fun t => step t = b) (two_sided_P b).
Proof.
  unfold two_sided_P, top. destruct (Z.eqb_spec b 0) as [-> | N0].
  - apply (mass_of_ext _ (fun t => (t <= - 0)%Z)); [intros t; unfold step; lia |].
    apply (ray_below 0). lia.
  - destruct (Z.eqb_spec b j) as [-> | Nj].
    + apply (mass_of_ext _ (fun t => (j <= t)%Z)); [intros t; unfold step; lia |]. apply ray_above. lia.
    + destruct (Z.ltb_spec 0 b), (Z.ltb_spec b j); simpl andb; cbv iota.
      1: apply mass_of_one; [apply geometric_nonneg | intros t; unfold step; lia].
      all: apply mass_of_zero; intros t E; unfold step in E; lia.
Qed.

Lemma two_sided_classes_Q b : mass_of (shifted (geometric x) j) (fun t => step t = b) (two_sided_Q b).
Proof.
  unfold two_sided_Q, top. destruct (Z.eqb_spec b 0) as [-> | N0].
  - apply mass_of_shifted, (mass_of_ext _ (fun t => (t <= - j)%Z)); [intros t; unfold step; lia |].
    apply ray_below. lia.
  - destruct (Z.eqb_spec b j) as [-> | Nj].
    + apply mass_of_shifted, (mass_of_ext _ (fun t => (0 <= t)%Z)); [intros t; unfold step; lia |].
      apply (ray_above 0). lia.
    + destruct (Z.ltb_spec 0 b), (Z.ltb_spec b j); simpl andb; cbv iota.
      1: apply (mass_of_one (shifted (geometric x) j)); [intros t; apply geometric_nonneg | intros t;
        unfold step; lia].
      all: apply mass_of_zero; intros t E; unfold step in E; lia.
Qed.

Lemma two_sided_ratios a c :
  step a = step c ->
  geometric x a * shifted (geometric x) j c = geometric x c * shifted (geometric x) j a.
Proof.
  unfold step, shifted. intros H. destruct (Z.eq_dec a c) as [-> | N]; [reflexivity |].
  assert (Same : (Z.abs_nat a + Z.abs_nat (c - j) = Z.abs_nat c + Z.abs_nat (a - j))%nat) by lia.
  unfold geometric. set (k := (1 - x) / (1 + x)).
  replace (k * x ^ Z.abs_nat a * (k * x ^ Z.abs_nat (c - j))) with (k * k * (x ^ Z.abs_nat a * x ^
    Z.abs_nat (c - j))) by ring.
  rewrite <- pow_add, Same, pow_add. ring.
Qed.

Theorem two_sided_steps E delta :
  0 <= E -> 0 <= delta ->
  (mass_below (geometric x) (shifted (geometric x) j) E delta <->
    mass_below two_sided_P two_sided_Q E delta) /\
  (mass_below (shifted (geometric x) j) (geometric x) E delta <-> mass_below two_sided_Q two_sided_P E delta).
Proof.
  intros HE Hd. assert (L := geometric_law x x_bounds). assert (L' := shifted_law (geometric x) j L).
  split; apply (constant_ratios step); auto using two_sided_classes_P, two_sided_classes_Q.
  - apply two_sided_ratios.
  - intros a c H. assert (R := two_sided_ratios a c H). lra.
Qed.

End steps.

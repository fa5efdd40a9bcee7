(** How often the largest noisy count names the wrong one of two, beside the exponential mechanism.

    The first of two candidates has m >= 1 votes more than the other. One-sided geometric noise of ratio a = e^(-eps/2)
    is added to both counts, and the first of the largest is named (noisy_maximum.v: (eps, 0)-DP, as one vote moves a
    count by at most 1). Proved for every eps > 0 and m >= 1, whatever the number of votes
    ([noisy_maximum_errs]):

    - it names the wrong one with the probability a^(m+1)/(1 + a) if ties go to the one with more votes, and
      a^m/(1 + a) if they go to the other;
    - the exponential mechanism with the votes as scores, which is (eps, 0)-DP as well, does with the probability
      a^m/(1 + a^m): that is at least as much, and the same as a^m/(1 + a) for m = 1.

    Proof. The noise of the wrong one is m or more above that of the right one, i + m + j against i, with the mass
    (1 - a)^2 a^(2i + m + j): the mass a^m/(1 + a) times that of two independent geometric numbers, i of ratio a^2 and j
    of ratio a. With ties to the right one it is m + 1. And a^m <= a.
    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws masses product_laws smooth_noise_privacy geometric_noise geometric_moments.
From Exactdp Require Import noise_on_naturals exponential_mechanism finite_exponential_mechanism noisy_maximum.
Import ListNotations.
Open Scope R_scope.

(** An event whose outcomes are images of those of a law Q, or have no mass. *)
Lemma mass_of_image {A B} (h : A -> B) (P : B -> R) (Q : A -> R) (T : B -> Prop) r :
  (forall a b, h a = h b -> a = b) -> law Q -> 0 <= r -> (forall a, P (h a) = r * Q a) -> (forall a, T (h a)) ->
  (forall b, T b -> P b = 0 \/ exists a, h a = b) -> mass_of P T r.
Proof.
  intros Inj LQ Hr E TH Outside. split.
  - intros s [l [N [I ->]]].
    assert (M : exists m, NoDup m /\ (forall a, In a m -> In (h a) l) /\ total l P = r * total m Q).
    { induction N as [| b l Hb N IH]; [exists []; split; [constructor | split; [intros a [] | simpl; ring]] |].
      destruct IH as [m [Nm [J S]]]; [intros c Hc; apply I; right; exact Hc |].
      destruct (Outside b (I b (or_introl eq_refl))) as [Z | [a Ha]].
      - exists m. split; [exact Nm |]. split; [intros a Ha; right; apply J, Ha |]. simpl. rewrite Z, S. ring.
      - exists (a :: m). split; [constructor; [| exact Nm]; intros K; apply Hb; rewrite <- Ha; apply J, K |]. split.
        + intros c [<- | Hc]; [left; symmetry; exact Ha | right; apply J, Hc].
        + simpl. rewrite S, <- Ha, E. ring. }
    destruct M as [m [Nm [_ ->]]]. rewrite <- (Rmult_1_r r) at 2.
    apply Rmult_le_compat_l; [exact Hr | apply law_finite; assumption].
  - intros b Hb. apply (bound_by_parts Q); [exact LQ | exact Hr |]. intros m Nm. apply Hb. exists (map h m).
    split; [apply images_once; [intros; apply Inj; assumption | exact Nm] |]. split.
    + intros c Hc. apply in_map_iff in Hc. destruct Hc as [a [<- _]]. apply TH.
    + rewrite total_map, <- total_scal. apply total_ext. intros a _. symmetry. apply E.
Qed.

(** Noise that is m or more above other noise: i for the other, and j above i + m. *)
Lemma two_noises a i j m : 0 < a < 1 ->
  geometric_mass a i * geometric_mass a (i + m + j) =
  a ^ m / (1 + a) * pair_mass (geometric_mass (a ^ 2)) (geometric_mass a) (i, j).
Proof.
  intros H. unfold pair_mass, geometric_mass. cbn [fst snd]. rewrite !pow_add, <- pow_mult.
  replace (2 * i)%nat with (i + i)%nat by lia. rewrite pow_add. simpl pow. field. lra.
Qed.

Lemma one_sided_at a g t : one_sided_geometric a (g + Z.of_nat t - g) = geometric_mass a t.
Proof. replace (g + Z.of_nat t - g)%Z with (Z.of_nat t) by ring. apply on_naturals_of_nat. Qed.

Lemma one_sided_outside a g x : one_sided_geometric a (x - g) = 0 \/ exists t, x = (g + Z.of_nat t)%Z.
Proof.
  unfold one_sided_geometric, on_naturals. destruct (Z.ltb_spec (x - g) 0); [left; reflexivity |].
  right. exists (Z.to_nat (x - g)). lia.
Qed.

Lemma first_of_two x y : first_largest [x; y] = if Z.leb y x then 0%nat else 1%nat.
Proof. simpl. destruct (Z.leb y x); reflexivity. Qed.

Lemma noisy_two D f g x y : noisy D [f; g] [x; y] = D (x - f)%Z * D (y - g)%Z.
Proof. simpl. ring. Qed.

(** The first of two has m more votes, and is not named: the other has m + 1 or more noise beyond his. *)
Lemma ahead_and_first a (g : Z) (m : nat) : 0 < a < 1 ->
  mass_of (noisy (one_sided_geometric a) [g + Z.of_nat m; g]%Z) (fun v => first_largest v = 1%nat)
    (a ^ (m + 1) / (1 + a)).
Proof.
  intros H. assert (R : 0 <= a ^ (m + 1) / (1 + a)) by (apply Rle_mult_inv_pos; [apply pow_le |]; lra).
  apply (mass_of_image (fun ij => [g + Z.of_nat m + Z.of_nat (fst ij); g + Z.of_nat (fst ij + (m + 1) + snd ij)]%Z)
    _ (pair_mass (geometric_mass (a ^ 2)) (geometric_mass a))); [| | exact R | | |].
  - intros [i j] [i' j'] E. cbn [fst snd] in E. injection E as E F. f_equal; lia.
  - apply pair_law; apply geometric_mass_law; simpl; nra.
  - intros [i j]. cbn [fst snd]. rewrite noisy_two, !one_sided_at. apply two_noises, H.
  - intros [i j]. rewrite first_of_two. cbn [fst snd].
    destruct (Z.leb_spec (g + Z.of_nat (i + (m + 1) + j)) (g + Z.of_nat m + Z.of_nat i)); lia.
  - intros [| x [| y [| z v]]] E; try (left; simpl; ring). rewrite first_of_two in E. rewrite noisy_two.
    destruct (one_sided_outside a (g + Z.of_nat m) x) as [-> | [i ->]]; [left; ring |].
    destruct (one_sided_outside a g y) as [-> | [t ->]]; [left; ring | right].
    destruct (Z.leb_spec (g + Z.of_nat t) (g + Z.of_nat m + Z.of_nat i)) as [L | L]; [discriminate |].
    exists (i, t - i - (m + 1))%nat. cbn [fst snd]. repeat f_equal; lia.
Qed.

(** The second of two has m more votes, and is not named: the other has m or more noise beyond his. *)
Lemma ahead_and_second a (g : Z) (m : nat) : 0 < a < 1 ->
  mass_of (noisy (one_sided_geometric a) [g; g + Z.of_nat m]%Z) (fun v => first_largest v = 0%nat) (a ^ m / (1 + a)).
Proof.
  intros H. assert (R : 0 <= a ^ m / (1 + a)) by (apply Rle_mult_inv_pos; [apply pow_le |]; lra).
  apply (mass_of_image (fun ij => [g + Z.of_nat (fst ij + m + snd ij); g + Z.of_nat m + Z.of_nat (fst ij)]%Z)
    _ (pair_mass (geometric_mass (a ^ 2)) (geometric_mass a))); [| | exact R | | |].
  - intros [i j] [i' j'] E. cbn [fst snd] in E. injection E as E F. f_equal; lia.
  - apply pair_law; apply geometric_mass_law; simpl; nra.
  - intros [i j]. cbn [fst snd]. rewrite noisy_two, !one_sided_at, Rmult_comm. apply two_noises, H.
  - intros [i j]. rewrite first_of_two. cbn [fst snd].
    destruct (Z.leb_spec (g + Z.of_nat m + Z.of_nat i) (g + Z.of_nat (i + m + j))); lia.
  - intros [| x [| y [| z v]]] E; try (left; simpl; ring). rewrite first_of_two in E. rewrite noisy_two.
    destruct (one_sided_outside a g x) as [-> | [t ->]]; [left; ring |].
    destruct (one_sided_outside a (g + Z.of_nat m) y) as [-> | [i ->]]; [left; ring | right].
    destruct (Z.leb_spec (g + Z.of_nat m + Z.of_nat i) (g + Z.of_nat t)) as [L | L]; [| discriminate].
    exists (i, t - i - m)%nat. cbn [fst snd]. repeat f_equal; lia.
Qed.

Theorem noisy_maximum_errs eps (g : Z) (m : nat) : 0 < eps -> (1 <= m)%nat ->
  let a := exp (- (eps / 2)) in
  let votes := [g + Z.of_nat m; g]%Z in
  mass_of (noisy (one_sided_geometric a) votes) (fun v => first_largest v = 1%nat) (a ^ (m + 1) / (1 + a)) /\
  mass_of (noisy (one_sided_geometric a) (rev votes)) (fun v => first_largest v = 0%nat) (a ^ m / (1 + a)) /\
  Pr (choose [0; 1]%nat (fun i => eps * IZR (nth i votes 0%Z) / (2 * 1))) (Nat.eqb 1) = a ^ m / (1 + a ^ m) /\
  a ^ (m + 1) / (1 + a) < a ^ m / (1 + a) <= a ^ m / (1 + a ^ m).
Proof.
  intros He Hm a votes. assert (H := ratio_of_eps (eps / 2) ltac:(lra) : 0 < a < 1).
  assert (P : 0 < a ^ m) by (apply pow_lt; lra). assert (F := power_falls a 1 m H Hm). rewrite pow_1 in F.
  split; [apply ahead_and_first, H |]. split; [apply ahead_and_second, H |]. split; [| split].
  - unfold Pr. rewrite mean_choose. unfold proportional, weight_of_all, votes, indicator. cbn [total nth Nat.eqb].
    rewrite plus_IZR, <- INR_IZR_INZ. set (b := exp (eps * IZR g / (2 * 1))). assert (B : 0 < b) by apply exp_pos.
    replace (exp (eps * (IZR g + INR m) / (2 * 1))) with (b * / a ^ m).
    + field. split; [| split]; nra.
    + unfold b, a. rewrite exp_power, <- exp_Ropp, <- exp_plus. f_equal. field.
  - unfold Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra |]. rewrite pow_add, pow_1. nra.
  - unfold Rdiv. apply Rmult_le_compat_l; [lra |]. apply Rinv_le_contravar; lra.
Qed.

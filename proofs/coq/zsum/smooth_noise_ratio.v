(** The likelihood ratio of a noisy answer: D(eta) to D(eta - k), not to D(eta + k).

    [lemma2_ratio]: under zsum with gamma = 1 - p the view is the sum plus noise from D = Bin(n, p). So the
    view sum + eta has the probability D(eta), and D(eta - k) on every data set of n bits whose sum is larger
    by the integer k; all integers eta, k, and p in [0, 1].
    [lemma2_ratio_masses], [lemma2_ratio_printed_fails]: D(eta + k) is another number than D(eta - k), at
    n = 2, p = 1/3, eta = k = 1: 1/9 against 4/9. (Source: this package; the printed ratio is in Ghazi,
    Golowich, Kumar, Pagh, Velingker 2021, section 4.) *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import sums laws masses privacy binomial zsum zsum_count.
Import ListNotations.
Open Scope R_scope.

(** The probability of one integer. *)
Lemma flips_at n p (t : Z) : 0 <= p <= 1 -> Pr (flips n p) (fun i => Z.eqb (Z.of_nat i) t) = binomial n p t.
Proof.
  intros Hp. apply (is_lub_u _ _ _ (binomial_mass_of n p (fun y => Z.eqb y t) Hp)).
  apply (mass_of_ext _ (fun y => In y [t])).
  - intros y. rewrite Z.eqb_eq. simpl. intuition.
  - replace (binomial n p t) with (total [t] (binomial n p)) by (simpl; ring).
    apply mass_of_finite; [intros y; apply binomial_nonneg, Hp | repeat constructor; intros []].
Qed.

(** The probability that the number of messages is s. *)
Lemma zsum_count_is p xs (s : Z) : 0 <= p <= 1 ->
  Pr (messages (zsum_randomizer (1 - p)) xs) (fun y => Z.eqb (Z.of_nat (length y)) s) =
  binomial (length xs) p (s - Z.of_nat (ones xs)).
Proof.
  intros Hp. rewrite <- flips_at by exact Hp. unfold Pr at 1. rewrite zsum_view_sum.
  replace (1 - (1 - p)) with p by ring. apply mean_ext. intros z. unfold indicator.
  rewrite repeat_length.
  replace (Z.eqb (Z.of_nat (ones xs + z)) s) with (Z.eqb (Z.of_nat z) (s - Z.of_nat (ones xs)));
    [reflexivity |].
  apply eq_true_iff_eq. rewrite !Z.eqb_eq. lia.
Qed.

(** Ledger row lemma2-ratio. *)
Theorem lemma2_ratio p xs ys (eta k : Z) :
  0 <= p <= 1 -> length ys = length xs -> (Z.of_nat (ones ys) = Z.of_nat (ones xs) + k)%Z ->
  let view_is := fun y : list unit => Z.eqb (Z.of_nat (length y)) (Z.of_nat (ones xs) + eta) in
  Pr (messages (zsum_randomizer (1 - p)) xs) view_is = binomial (length xs) p eta /\
  Pr (messages (zsum_randomizer (1 - p)) ys) view_is = binomial (length xs) p (eta - k).
Proof.
  intros Hp L K view_is. unfold view_is. rewrite !zsum_count_is, L by exact Hp. split; f_equal; lia.
Qed.

(** D(0) and D(2) for two coins of probability 1/3. *)
Theorem lemma2_ratio_masses :
  binomial 2 (1 / 3) (1 - 1) = 4 / 9 /\ binomial 2 (1 / 3) 1 = 4 / 9 /\ binomial 2 (1 / 3) (1 + 1) = 1 / 9.
Proof.
  assert (B : forall i, binomial 2 (1 / 3) (Z.of_nat i) = binom 2 (1 / 3) i)
    by (intros; apply binomial_of_nat).
  change (1 - 1)%Z with (Z.of_nat 0). change (1 + 1)%Z with (Z.of_nat 2). rewrite !B.
  change 1%Z with (Z.of_nat 1). rewrite B, !binom_inside by lia. unfold C. simpl. repeat split; field.
Qed.

(** Ledger row lemma2-ratio-printed. *)
Theorem lemma2_ratio_printed_fails :
  ~ (forall (n : nat) p (eta k : Z), let D := binomial n p in
     0 < p < 1 -> 0 < D (eta + k)%Z -> 0 < D (eta - k)%Z -> D eta / D (eta + k)%Z = D eta / D (eta - k)%Z).
Proof.
  intros H. specialize (H 2%nat (1 / 3) 1%Z 1%Z ltac:(lra)). cbv zeta in H.
  destruct lemma2_ratio_masses as [A [B C]]. rewrite A, B, C in H.
  assert (E : 4 / 9 / (1 / 9) = 4 / 9 / (4 / 9)) by (apply H; lra).
  replace (4 / 9 / (1 / 9)) with 4 in E by field. replace (4 / 9 / (4 / 9)) with 1 in E by field. lra.
Qed.

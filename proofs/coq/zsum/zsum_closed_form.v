(** The exact privacy of zsum, in closed form.

    W ~ Bin(n, gamma) counts the silent coins, a = floor((n+1) gamma / (gamma + E (1 - gamma))) and
    b = ceil((n+1) gamma E / (1 - gamma + gamma E)). [zsum_closed_form]: for every n >= 1, gamma in (0, 1),
    E >= 1 and real delta, zsum with its shuffler is (ln E, delta)-DP if and only if delta is at least

      max(P[W <= a] - E P[W <= a-1], P[W >= b-1] - E P[W >= b]).

    So this number is the least delta; neighbours by replacement of one bit, all events. Proof: neighbours see
    W and W + 1, up to a common shift. The excess of an event of W over one of W + 1 is the sum over its
    outcomes of w(t) - E w(t-1), which is not negative exactly for t <= a (zsum_half_lines.v): no event has
    more than the half-line up to a. The other order is the same with w(t-1) - E w(t) and t >= b.

    [zsum_delta_not_monotone]: the least delta does not fall as gamma grows to 1/2. With n = 2 and E = 1 it is
    4/9 at gamma = 1/3, and 1/2 at gamma = 1/2. (Source: this package, proofs/zsum.py.) *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy binomial zsum zsum_half_lines zsum_privacy zsum_ends.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over the outcomes of W and of W + 1 *)

(** The mass of i under W + 1. *)
Definition moved_up (n : nat) (gamma : R) (i : nat) : R :=
  match i with O => 0 | S j => binom n gamma j end.

Lemma mean_here n gamma g :
  mean (flips n gamma) g = total (seq 0 (S (S n))) (fun i => binom n gamma i * g i).
Proof. rewrite mean_flips, (total_seq_S (S n)), (binom_outside n gamma (S n)) by lia. ring. Qed.

Lemma mean_moved n gamma g :
  mean (flips n gamma) (fun w => g (S w)) = total (seq 0 (S (S n))) (fun i => moved_up n gamma i * g i).
Proof.
  rewrite mean_flips, (total_seq_shift (S n)). simpl (moved_up n gamma 0). rewrite Rmult_0_l, Rplus_0_l.
  reflexivity.
Qed.

(** ** The two half-lines *)

Section HalfLines.

Variables (n : nat) (gamma E : R).
Hypothesis gamma_inside : 0 < gamma < 1.
Hypothesis E_large : 1 <= E.

Notation w := (binom n gamma).
Let A := (INR n + 1) * gamma / (gamma + E * (1 - gamma)).
Let B := (INR n + 1) * gamma * E / (1 - gamma + gamma * E).

Lemma half_line_ends : 0 <= A /\ 0 < B < INR n + 1.
Proof.
  assert (N : 0 < INR n + 1) by (assert (H := pos_INR n); lra).
  assert (EG : 0 < E * (1 - gamma)) by (apply Rmult_lt_0_compat; lra).
  assert (GE : 0 < gamma * E) by (apply Rmult_lt_0_compat; lra).
  assert (NG : 0 < (INR n + 1) * gamma) by (apply Rmult_lt_0_compat; lra).
  split; [left; apply Rdiv_lt_0_compat; lra |]. split.
  - apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; lra.
  - apply Rmult_lt_reg_r with (1 - gamma + gamma * E); [lra |]. unfold B.
    replace ((INR n + 1) * gamma * E / (1 - gamma + gamma * E) * (1 - gamma + gamma * E))
      with ((INR n + 1) * (gamma * E)) by (field; lra).
    apply Rmult_lt_compat_l; lra.
Qed.

(** The sign of w(i) - E w(i-1), for every i. *)
Lemma up_to_a i : INR i <= A -> 0 <= w i - E * moved_up n gamma i.
Proof.
  intros H. destruct i as [| j].
  - simpl. assert (P := binom_nonneg n gamma 0 ltac:(lra)). lra.
  - simpl. destruct (Nat.le_gt_cases (S j) n) as [L | L].
    + destruct (zsum_half_lines n (S j) gamma E ltac:(lia) gamma_inside E_large) as [[_ Q] _].
      rewrite Nat.sub_succ, Nat.sub_0_r in Q. specialize (Q H). lra.
    + exfalso. assert (X : A < INR n + 1).
      { assert (EG : 0 <= (E - 1) * (1 - gamma)) by (apply Rmult_le_pos; lra).
        assert (N : 0 < INR n + 1) by (assert (Y := pos_INR n); lra).
        apply Rmult_lt_reg_r with (gamma + E * (1 - gamma)); [lra |]. unfold A.
        replace ((INR n + 1) * gamma / (gamma + E * (1 - gamma)) * (gamma + E * (1 - gamma)))
          with ((INR n + 1) * gamma) by (field; lra).
        apply Rmult_lt_compat_l; lra. }
      apply (le_INR (S n)) in L. rewrite S_INR in L. lra.
Qed.

Lemma above_a i : A < INR i -> w i - E * moved_up n gamma i <= 0.
Proof.
  intros H. destruct half_line_ends as [A0 _]. destruct i as [| j]; [simpl in H; lra |]. simpl.
  destruct (Nat.le_gt_cases (S j) n) as [L | L].
  - destruct (zsum_half_lines n (S j) gamma E ltac:(lia) gamma_inside E_large) as [[Q _] _].
    rewrite Nat.sub_succ, Nat.sub_0_r in Q.
    destruct (Rle_or_lt (w (S j) - E * w j) 0) as [X | X]; [exact X | exfalso].
    specialize (Q ltac:(lra)). fold A in Q. lra.
  - rewrite binom_outside by lia. assert (P := binom_nonneg n gamma j ltac:(lra)).
    assert (0 <= E * w j) by (apply Rmult_le_pos; lra). lra.
Qed.

(** The sign of w(i-1) - E w(i), for every i. *)
Lemma from_b i : B <= INR i -> 0 <= moved_up n gamma i - E * w i.
Proof.
  intros H. destruct half_line_ends as [_ B0]. destruct i as [| j]; [simpl in H; lra |]. simpl.
  destruct (Nat.le_gt_cases (S j) n) as [L | L].
  - destruct (zsum_half_lines n (S j) gamma E ltac:(lia) gamma_inside E_large) as [_ [_ Q]].
    rewrite Nat.sub_succ, Nat.sub_0_r in Q. specialize (Q H). lra.
  - rewrite (binom_outside n gamma (S j)) by lia. assert (P := binom_nonneg n gamma j ltac:(lra)). lra.
Qed.

Lemma below_b i : INR i < B -> moved_up n gamma i - E * w i <= 0.
Proof.
  intros H. destruct half_line_ends as [_ B0]. destruct i as [| j].
  - simpl. assert (P := binom_nonneg n gamma 0 ltac:(lra)).
    assert (0 <= E * w 0) by (apply Rmult_le_pos; lra). lra.
  - simpl. assert (L : (S j <= n)%nat).
    { apply Nat.lt_succ_r, INR_lt. rewrite (S_INR n). lra. }
    destruct (zsum_half_lines n (S j) gamma E ltac:(lia) gamma_inside E_large) as [_ [Q _]].
    rewrite Nat.sub_succ, Nat.sub_0_r in Q.
    destruct (Rle_or_lt (w j - E * w (S j)) 0) as [X | X]; [exact X | exfalso].
    specialize (Q ltac:(lra)). fold B in Q. lra.
Qed.

(** No event has more than these half-lines. *)
Lemma largest_excess (p q : nat -> R) (half : nat -> bool) g :
  (forall i, half i = true -> 0 <= p i - E * q i) -> (forall i, half i = false -> p i - E * q i <= 0) ->
  (forall i, 0 <= g i <= 1) ->
  forall l, total l (fun i => p i * g i) - E * total l (fun i => q i * g i)
         <= total l (fun i => p i * indicator half i) - E * total l (fun i => q i * indicator half i).
Proof.
  intros Inside Outside G l. rewrite <- !total_scal, <- !total_minus. apply total_le. intros i _.
  specialize (Inside i). specialize (Outside i). specialize (G i). unfold indicator.
  destruct (half i); [specialize (Inside eq_refl) | specialize (Outside eq_refl)].
  - assert (0 <= (p i - E * q i) * (1 - g i)) by (apply Rmult_le_pos; lra). lra.
  - assert (0 <= - (p i - E * q i) * g i) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma excess_of_here (a : nat) g : INR a <= A < INR a + 1 -> (forall i, 0 <= g i <= 1) ->
  mean (flips n gamma) g - E * mean (flips n gamma) (fun i => g (S i)) <=
  Pr (flips n gamma) (fun i => Nat.leb i a) - E * Pr (flips n gamma) (fun i => Nat.leb (S i) a).
Proof.
  intros Ha G. unfold Pr. change (indicator (fun i => Nat.leb (S i) a)) with
    (fun i => indicator (fun j => Nat.leb j a) (S i)).
  rewrite !mean_moved, !mean_here. apply largest_excess; [| | exact G]; intros i H.
  - apply Nat.leb_le, le_INR in H. apply up_to_a. lra.
  - apply Nat.leb_gt, (le_INR (S a)) in H. rewrite S_INR in H. apply above_a. lra.
Qed.

Lemma excess_of_moved (b : nat) g : B <= INR b < B + 1 -> (forall i, 0 <= g i <= 1) ->
  mean (flips n gamma) (fun i => g (S i)) - E * mean (flips n gamma) g <=
  Pr (flips n gamma) (fun i => Nat.leb b (S i)) - E * Pr (flips n gamma) (fun i => Nat.leb b i).
Proof.
  intros Hb G. unfold Pr. change (indicator (fun i => Nat.leb b (S i))) with
    (fun i => indicator (fun j => Nat.leb b j) (S i)).
  rewrite !mean_moved, !mean_here. apply largest_excess; [| | exact G]; intros i H.
  - apply Nat.leb_le, le_INR in H. apply from_b. lra.
  - apply Nat.leb_gt, (le_INR (S i)) in H. rewrite S_INR in H. apply below_b. lra.
Qed.

(** ** The least delta *)

Lemma closed_form_at (a b : nat) delta : (1 <= n)%nat -> INR a <= A < INR a + 1 -> B <= INR b < B + 1 ->
  shuffle_dp n (zsum_randomizer gamma) (ln E) delta <->
  Rmax (Pr (flips n gamma) (fun i => Nat.leb i a) - E * Pr (flips n gamma) (fun i => Nat.leb (S i) a))
       (Pr (flips n gamma) (fun i => Nat.leb b (S i)) - E * Pr (flips n gamma) (fun i => Nat.leb b i)) <= delta.
Proof.
  intros Hn Ha Hb. destruct half_line_ends as [_ B0].
  assert (Here := fun g => excess_of_here a g Ha). assert (Moved := fun g => excess_of_moved b g Hb).
  set (first := Pr _ (fun i => Nat.leb i a) - _) in *. set (second := Pr _ (fun i => Nat.leb b (S i)) - _) in *.
  split; intros H.
  - apply Rmax_lub.
    + destruct (zsum_shift n gamma (ln E) delta (fun z => z <? Z.of_nat a)%Z Hn H) as [_ M].
      rewrite exp_ln in M by lra. unfold first.
      rewrite (Pr_flips_ext n gamma (fun i => Nat.leb i a) (fun i => Z.of_nat i - 1 <? Z.of_nat a)%Z),
        (Pr_flips_ext n gamma (fun i => Nat.leb (S i) a) (fun i => Z.of_nat i <? Z.of_nat a)%Z); [lra | |];
        intros i _; apply eq_true_iff_eq; rewrite Nat.leb_le, Z.ltb_lt; lia.
    + destruct (zsum_shift n gamma (ln E) delta (fun z => Z.of_nat b - 1 <=? z)%Z Hn H) as [M _].
      rewrite exp_ln in M by lra. unfold second.
      rewrite (Pr_flips_ext n gamma (fun i => Nat.leb b (S i)) (fun i => Z.of_nat b - 1 <=? Z.of_nat i)%Z),
        (Pr_flips_ext n gamma (fun i => Nat.leb b i) (fun i => Z.of_nat b - 1 <=? Z.of_nat i - 1)%Z); [lra | |];
        intros i _; apply eq_true_iff_eq; rewrite Nat.leb_le, Z.leb_le; lia.
  - intros xs ys N L T _. rewrite exp_ln by lra. assert (O := ones_neighbors xs ys N).
    unfold Pr at 1 2. rewrite !zsum_view, <- (neighbors_length xs ys N), L.
    assert (first <= delta) by (eapply Rle_trans; [apply Rmax_l | exact H]).
    assert (second <= delta) by (eapply Rle_trans; [apply Rmax_r | exact H]).
    assert (I : forall s i, 0 <= indicator T (repeat tt (n + s - i)) <= 1)
      by (intros; unfold indicator; destruct (T _); lra).
    assert (ones xs = ones ys \/ ones xs = S (ones ys) \/ ones ys = S (ones xs)) as [Same | [More | More]]
      by lia.
    + rewrite Same. set (m := mean _ _).
      assert (0 <= m) by (apply mean_nonneg; [apply proper_flips; lra | apply I]).
      assert (0 <= (E - 1) * m) by (apply Rmult_le_pos; lra).
      specialize (Here (fun _ => 0) ltac:(intros; lra)). cbv beta in Here.
      rewrite mean_flips_const in Here. lra.
    + specialize (Here _ (I (ones xs))). cbv beta in Here.
      rewrite (mean_flips_ext n gamma (fun i => _ (repeat tt (n + ones ys - i)))
        (fun i => indicator T (repeat tt (n + ones xs - S i)))); [lra |].
      intros i _. do 2 f_equal. lia.
    + specialize (Moved _ (I (ones ys))). cbv beta in Moved.
      rewrite (mean_flips_ext n gamma (fun i => _ (repeat tt (n + ones xs - i)))
        (fun i => indicator T (repeat tt (n + ones ys - S i)))); [lra |].
      intros i _. do 2 f_equal. lia.
Qed.

End HalfLines.

(** [Int_part] rounds down. *)
Lemma natural_floor x : 0 <= x -> INR (Z.to_nat (Int_part x)) <= x < INR (Z.to_nat (Int_part x)) + 1.
Proof.
  intros H. destruct (base_Int_part x) as [L U]. assert (P : (-1 < Int_part x)%Z) by (apply lt_IZR; lra).
  rewrite INR_IZR_INZ, Z2Nat.id by lia. lra.
Qed.

Lemma natural_ceiling x : 0 < x -> x <= INR (Z.to_nat (- Int_part (- x))) < x + 1.
Proof.
  intros H. destruct (base_Int_part (- x)) as [L U]. assert (P : (Int_part (- x) < 0)%Z) by (apply lt_IZR; lra).
  rewrite INR_IZR_INZ, Z2Nat.id, opp_IZR by lia. lra.
Qed.

(** Ledger row zsum-closed-form: the least delta of zsum, for both orders of neighbours. *)
Theorem zsum_closed_form (n : nat) (gamma E delta : R) : (1 <= n)%nat -> 0 < gamma < 1 -> 1 <= E ->
  let W := flips n gamma in
  let a := Z.to_nat (Int_part ((INR n + 1) * gamma / (gamma + E * (1 - gamma)))) in
  let b := Z.to_nat (- Int_part (- ((INR n + 1) * gamma * E / (1 - gamma + gamma * E)))) in
  shuffle_dp n (zsum_randomizer gamma) (ln E) delta <->
  Rmax (Pr W (fun w => Nat.leb w a) - E * Pr W (fun w => Nat.leb (w + 1) a))
       (Pr W (fun w => Nat.leb b (w + 1)) - E * Pr W (fun w => Nat.leb b w)) <= delta.
Proof.
  intros Hn Hg HE W a b. destruct (half_line_ends n gamma E Hg HE) as [A0 [B0 _]].
  rewrite (Pr_ext W (fun w => Nat.leb (w + 1) a) (fun w => Nat.leb (S w) a)),
    (Pr_ext W (fun w => Nat.leb b (w + 1)) (fun w => Nat.leb b (S w))) by (intros; f_equal; lia).
  apply closed_form_at; try assumption; [apply natural_floor, A0 | apply natural_ceiling, B0].
Qed.

(** ** The least delta does not fall as gamma grows *)

Theorem zsum_delta_not_monotone :
  shuffle_dp 2 (zsum_randomizer (1 / 3)) 0 (4 / 9) /\ ~ shuffle_dp 2 (zsum_randomizer (1 / 2)) 0 (4 / 9).
Proof.
  rewrite <- ln_1. split.
  - apply (closed_form_at 2 (1 / 3) 1 ltac:(lra) ltac:(lra) 1 1); [lia | simpl; lra | simpl; lra |].
    rewrite !Pr_flips. simpl. rewrite !binom_inside by lia. unfold C. simpl. apply Rmax_lub; lra.
  - intros H. apply (closed_form_at 2 (1 / 2) 1 ltac:(lra) ltac:(lra) 1 2) in H;
      [| lia | simpl; lra | simpl; lra].
    rewrite !Pr_flips in H. simpl in H. rewrite !binom_inside in H by lia. unfold C in H. simpl in H.
    assert (X := Rle_trans _ _ _ (Rmax_l _ _) H). lra.
Qed.

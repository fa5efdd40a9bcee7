(** The bound of a blanket from an exponential moment.

    A reference c with weights >= 0 and the sum gamma, 0 < gamma <= 1, has the law omega = c / gamma; its outcomes have
    a real value V, and L = gamma V. For all real r > 0 and t with E_omega[e^(r L)] <= t, and all integers n >= 1
    ([moment_bound]):

      U_n <= ((1 - gamma (1 - t))^n - (1 - gamma)^n) / (e r gamma n),

    where U_n is the [mean_excess] of n independent values: V of a draw of c, or 0 with what c lacks to 1. For a law d
    of real numbers that is proper, [mean_excess] n d <= E_d[e^(r .)]^n / (e r n) ([mean_excess_moment]).

    For the blanket: where c lies below every row and no outcome of the rows P and Q has the mass 0 in c,
    nothing is uncovered and the mean of V under c is 1 - E, for every real E ([covering_reference]).

    Idea: max(0, x) <= e^(r x - 1) / r, and exponentials of sums are products. If m of the n values come from draws of
    c, the mean is at most (E e^(rL))^m / (e r gamma), and it is 0 for m = 0; m is binomial.

    Source: the use of exponential moments is folklore (Chernoff); BalleBellGasconNissim2019, section 5, integrates
    Hoeffding's and Bennett's tails, which gives e times as much. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous.
Import ListNotations.
Open Scope R_scope.

Lemma positive_part_below_exp r x : 0 < r -> Rmax 0 x <= exp (r * x) / (exp 1 * r).
Proof.
  intros Hr. assert (P := exp_pos 1). assert (X := exp_ineq1_le (r * x - 1)).
  assert (Y := exp_pos (r * x - 1)).
  replace (exp (r * x) / (exp 1 * r)) with (exp (r * x - 1) / r).
  - apply Rmax_lub; [apply Rlt_le, Rdiv_lt_0_compat; assumption |].
    apply Rmult_le_reg_l with r; [exact Hr |]. replace (r * (exp (r * x - 1) / r)) with (exp (r * x - 1)); [lra |].
    field. lra.
  - unfold Rminus. rewrite exp_plus, exp_Ropp. field. split; lra.
Qed.

Lemma mean_exp_copies {A} (c : dist A) value r j :
  mean (copies c j) (fun l => exp (r * total l value)) = mean c (fun a => exp (r * value a)) ^ j.
Proof.
  induction j as [| j IH].
  - rewrite mean_copies_none. simpl. rewrite Rmult_0_r. apply exp_0.
  - rewrite mean_copies_first. simpl pow. rewrite <- IH, <- mean_scal_r. apply mean_ext. intros a.
    rewrite <- mean_scal. apply mean_ext. intros l. rewrite <- exp_plus. f_equal. simpl. ring.
Qed.

Lemma excess_moment {A} (c : dist A) value r j :
  sub_law c -> 0 < r -> excess c value j <= mean c (fun a => exp (r * value a)) ^ j / (exp 1 * r).
Proof.
  intros Hc Hr. unfold Rdiv. rewrite <- mean_exp_copies, <- mean_scal_r.
  apply mean_le_sub_law; [apply sub_law_copies, Hc |]. intros l. apply (positive_part_below_exp r _ Hr).
Qed.

Theorem mean_excess_moment (d : dist R) n r :
  proper d -> 0 < r -> mean_excess n d <= mean d (fun v => exp (r * v)) ^ n / (exp 1 * r) / INR n.
Proof.
  intros Hd Hr. unfold mean_excess. apply Rmult_le_compat_r.
  - destruct n; [change (INR 0) with 0; rewrite Rinv_0; lra | left; apply Rinv_0_lt_compat, lt_0_INR; lia].
  - apply (excess_moment d (fun v => v) r n (proj1 Hd) Hr).
Qed.

(** ** A number of draws that is binomial *)

Lemma undecided_le q f g k a : 0 <= q -> (forall j, f j <= g j) -> undecided q f k a <= undecided q g k a.
Proof.
  intros Hq H. revert a. induction k as [| k IH]; intros a; cbn [undecided]; [apply H |].
  apply Rplus_le_compat; [apply Rmult_le_compat_l |]; auto.
Qed.

Definition power_but_none (x s : R) (j : nat) : R := match j with O => 0 | S _ => x ^ j * s end.

Lemma undecided_powers q x s k a : undecided q (power_but_none x s) k (S a) = x ^ S a * (q + x) ^ k * s.
Proof.
  revert a. induction k as [| k IH]; intros a; cbn [undecided]; [simpl; ring |].
  rewrite !IH. simpl. ring.
Qed.

Lemma undecided_powers_none q x s k : undecided q (power_but_none x s) k 0 = ((q + x) ^ k - q ^ k) * s.
Proof.
  induction k as [| k IH]; cbn [undecided]; [simpl; ring |].
  rewrite IH, undecided_powers. simpl. ring.
Qed.

(** ** The law of the blanket *)

Definition blanket_law {A} (c : dist A) : dist A := map (fun wa => (fst wa / weight c, snd wa)) c.

Lemma mean_blanket_law {A} (c : dist A) f : mean (blanket_law c) f = mean c f / weight c.
Proof.
  unfold blanket_law, mean at 1, Rdiv. rewrite total_map. unfold mean at 1. rewrite <- total_scal_r.
  apply total_ext. intros wa _. simpl. ring.
Qed.

Lemma proper_blanket_law {A} (c : dist A) : sub_law c -> 0 < weight c -> proper (blanket_law c).
Proof.
  intros H W. split.
  - intros wa I. apply in_map_iff in I. destruct I as [vb [<- I]]. simpl.
    apply Rle_mult_inv_pos; [apply H, I | exact W].
  - rewrite mean_blanket_law. fold (weight c). field. lra.
Qed.

(** A bound of the values that have a positive probability is one of the mean. *)
Lemma mean_le_covered {A} (d : dist A) f g :
  sub_law d -> (forall a, covered d a -> f a <= g a) -> mean d f <= mean d g.
Proof.
  intros H L. apply total_le. intros wa I. assert (W := H wa I). assert (M := weight_at_most_mass d wa H I).
  destruct (Req_EM_T (mass d (snd wa)) 0) as [Z | N].
  - replace (fst wa) with 0 by lra. lra.
  - apply Rmult_le_compat_l; [exact W | apply L, N].
Qed.

Lemma covered_blanket_law {A} (c : dist A) a : covered (blanket_law c) a -> covered c a.
Proof. unfold covered, mass, Pr. rewrite mean_blanket_law. intros H Z. apply H. rewrite Z. unfold Rdiv. ring. Qed.

Lemma mean_excess_nonneg {A} (c : dist A) value n :
  sub_law c -> weight c <= 1 -> 0 <= mean_excess n (values c value).
Proof.
  intros Hc W. assert (P : proper (values c value)).
  { split; [| rewrite mean_values; unfold weight; ring].
    intros wa [<- | I]; simpl; [lra |]. apply in_map_iff in I. destruct I as [vb [<- I]]. apply Hc, I. }
  apply Rmult_le_pos; [apply mean_nonneg; [apply proper_copies, P | intros; apply Rmax_l] |].
  destruct n; [change (INR 0) with 0; rewrite Rinv_0; lra | left; apply Rinv_0_lt_compat, lt_0_INR; lia].
Qed.

Theorem moment_bound {A} (c : dist A) value n r t :
  sub_law c -> 0 < weight c <= 1 -> (1 <= n)%nat -> 0 < r ->
  mean (blanket_law c) (fun a => exp (r * (weight c * value a))) <= t ->
  mean_excess n (values c value) <=
  ((1 - weight c * (1 - t)) ^ n - (1 - weight c) ^ n) / (exp 1 * r * weight c * INR n).
Proof.
  intros Hc [W0 W1] Hn Hr Ht. assert (Pn : 0 < INR n) by (apply lt_0_INR; lia). assert (Pe := exp_pos 1).
  set (g := weight c) in *. assert (Prg : 0 < r * g) by (apply Rmult_lt_0_compat; assumption).
  assert (M : mean c (fun a => exp (r * g * value a)) <= g * t).
  { rewrite mean_blanket_law in Ht. fold g in Ht. apply (Rmult_le_compat_l g) in Ht; [| lra].
    replace (mean c (fun a => exp (r * g * value a))) with (g * (mean c (fun a => exp (r * (g * value a))) / g));
      [exact Ht |].
    rewrite (mean_ext c _ (fun a => exp (r * g * value a))) by (intros; f_equal; ring). field. lra. }
  assert (M0 : 0 <= mean c (fun a => exp (r * g * value a))).
  { rewrite <- (Rmult_0_l (mean c (fun _ => 1))), <- mean_scal. apply mean_le_sub_law; [exact Hc |].
    intros a. rewrite Rmult_0_l. left. apply exp_pos. }
  rewrite mean_excess_undecided. fold g.
  replace (((1 - g * (1 - t)) ^ n - (1 - g) ^ n) / (exp 1 * r * g * INR n)) with
    (((1 - g + g * t) ^ n - (1 - g) ^ n) * / (exp 1 * (r * g)) / INR n).
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pn |].
    rewrite <- undecided_powers_none. apply undecided_le; [lra |].
    intros [| j]; [rewrite excess_none; simpl; lra |]. cbn [power_but_none].
    eapply Rle_trans; [apply (excess_moment c value (r * g) (S j) Hc Prg) |].
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption |]. apply pow_incr.
    split; assumption.
  - replace (1 - g * (1 - t)) with (1 - g + g * t) by ring. field. repeat split; lra.
Qed.

(** ** References that cover a pair of rows *)

Definition covers_rows {A} (c P Q : dist A) : Prop := forall a, mass c a = 0 -> mass P a = 0 /\ mass Q a = 0.

Theorem covering_reference {A} (P Q c : dist A) E :
  proper P -> proper Q -> sub_law c -> covers_rows c P Q ->
  uncovered P Q E c = 0 /\ mean c (value_against P Q E c) = 1 - E /\ 0 < weight c.
Proof.
  intros HP HQ Hc C. assert (S := excess_split P Q E c (fun _ => 1)).
  assert (Z : forall g, total (outcomes P Q) (fun a =>
      if Req_EM_T (mass c a) 0 then (mass P a - E * mass Q a) * g a else 0) = 0).
  { intros g. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _.
    destruct (Req_EM_T (mass c a) 0) as [N | _]; [| reflexivity]. destruct (C a N) as [-> ->]. ring. }
  cbv beta in S. rewrite (Z (fun _ => 1)), (proj2 HP), (proj2 HQ) in S. split; [| split].
  - unfold uncovered. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _.
    destruct (Req_EM_T (mass c a) 0) as [N | _]; [| reflexivity]. destruct (C a N) as [-> ->].
    rewrite Rmax_left; lra.
  - rewrite <- (Rmult_1_r (mean c _)), <- mean_scal_r. lra.
  - assert (W : 0 <= weight c).
    { unfold weight. rewrite <- (Rmult_0_l (mean c (fun _ => 1))), <- mean_scal. apply mean_le_sub_law; [exact Hc |].
      intros. lra. }
    destruct W as [W | W]; [exact W | exfalso]. clear S Z.
    assert (M : forall a, mass c a = 0).
    { intros a. apply Rle_antisym; [| apply total_nonneg; intros wa I; apply Rmult_le_pos;
        [apply Hc, I | apply indicator_bounds]].
      rewrite W. apply mean_le_sub_law; [exact Hc |]. intros b. apply indicator_bounds. }
    assert (N : mean P (fun _ => 1) = 0).
    { rewrite (mean_masses P (outcomes P Q)); [| apply outcomes_NoDup | apply outcomes_cover].
      rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |]. intros a _. rewrite (proj1 (C a (M a))). ring. }
    rewrite (proj2 HP) in N. lra.
Qed.

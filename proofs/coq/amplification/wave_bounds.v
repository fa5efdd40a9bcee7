(** Sums of independent values, bounded by waves: the worst rows are equal ones.

    A wave of a tilt lam and a frequency y is the function e^(lam s) (a cos(y s) - b sin(y s)), and its size is the
    root of a^2 + b^2. For a law L of real numbers [modulus] is the absolute value of E e^((lam + i y) L). A finite list
    of waves is a [majorant] where E max(0, L_1 + ... + L_r) is at most the sum over the waves of the size times the
    product of the moduli, for all independent values whose sum lies in a range; nothing else is asked of the waves.
    Proved, for independent values with the laws L_1, ..., L_r:

    - [pointwise_majorant]: so it is if the sum of the waves is at least max(0, s) in the range (lattice_waves.v;
      another majorant is in node_waves.v);
    - [subsets_below_waves]: for rows of N users, of whom a uniform subset of r hides a message (swapped_messages.v),
      the mean of [shared_excess] is at most that with the r-th power of the mean of the moduli, over r, and the mean
      of what the rows never send. In place of the values of a row there may be any law that is as spread;
    - [vertex_mean]: so it is at most the mean over the N users of the number with r equal laws, [wave_bound]: the
      largest over the rows bounds it;
    - [classes_bound]: and for even r at most that with the power r/2 of the mean of the squares.

    Idea: the mean of a wave of a sum is the real part of a product, at most the product of the absolute values;
    Maclaurin's inequality; and a power of a mean is at most the mean of the powers. No integral and no complex number
    is needed.

    Source: this package (docs/soundness.md, "Of sums of one user's values each the worst has equal ones", "Means over
    subsets are at most powers of the mean"). *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message increasing_convex_order blanket
  uniform_subsets swapped_messages swapped_stages.
Import ListNotations.
Open Scope R_scope.

Record wave : Type := Wave { in_phase : R; out_of_phase : R; tilt : R; frequency : R }.

Definition height (w : wave) (s : R) : R :=
  exp (tilt w * s) * (in_phase w * cos (frequency w * s) - out_of_phase w * sin (frequency w * s)).

Definition size (w : wave) : R := sqrt (in_phase w ^ 2 + out_of_phase w ^ 2).

(** The real and the imaginary part of E e^((lam + i y) L). *)
Definition real_part (w : wave) (L : dist R) : R := mean L (fun v => exp (tilt w * v) * cos (frequency w * v)).
Definition imaginary_part (w : wave) (L : dist R) : R := mean L (fun v => exp (tilt w * v) * sin (frequency w * v)).

Definition modulus (w : wave) (L : dist R) : R := sqrt (real_part w L ^ 2 + imaginary_part w L ^ 2).

Lemma size_nonneg w : 0 <= size w.
Proof. apply sqrt_pos. Qed.

Lemma modulus_nonneg w L : 0 <= modulus w L.
Proof. apply sqrt_pos. Qed.

(** ** Sums *)

Definition sum_of_values (l : list R) : R := total l (fun v => v).

(** The real and the imaginary part of the product of the E e^((lam + i y) L_j). *)
Fixpoint product_parts (w : wave) (laws : list (dist R)) : R * R :=
  match laws with
  | [] => (1, 0)
  | L :: rest =>
    let (x, y) := product_parts w rest in
    (real_part w L * x - imaginary_part w L * y, imaginary_part w L * x + real_part w L * y)
  end.

Lemma mean_of_wave w laws a b :
  mean (draws laws) (fun l => exp (tilt w * sum_of_values l) *
    (a * cos (frequency w * sum_of_values l) - b * sin (frequency w * sum_of_values l))) =
  a * fst (product_parts w laws) - b * snd (product_parts w laws).
Proof.
  revert a b. induction laws as [| L laws IH]; intros a b.
  - simpl. rewrite mean_ret. unfold sum_of_values. simpl. rewrite !Rmult_0_r, exp_0, cos_0, sin_0. ring.
  - rewrite mean_draws_first.
    rewrite (mean_ext L _ (fun v =>
      (a * fst (product_parts w laws) - b * snd (product_parts w laws)) *
        (exp (tilt w * v) * cos (frequency w * v)) +
      - (b * fst (product_parts w laws) + a * snd (product_parts w laws)) *
        (exp (tilt w * v) * sin (frequency w * v)))).
    + rewrite mean_plus, !mean_scal. fold (real_part w L) (imaginary_part w L). simpl.
      destruct (product_parts w laws) as [x y]. simpl. ring.
    + intros v. set (c := cos (frequency w * v)). set (d := sin (frequency w * v)).
      rewrite (mean_ext (draws laws) _ (fun l => exp (tilt w * v) * (exp (tilt w * sum_of_values l) *
        ((a * c - b * d) * cos (frequency w * sum_of_values l) -
         (b * c + a * d) * sin (frequency w * sum_of_values l))))).
      * rewrite mean_scal, IH. ring.
      * intros l. unfold sum_of_values. simpl total. rewrite <- Rmult_assoc, <- exp_plus.
        rewrite !Rmult_plus_distr_l, cos_plus, sin_plus. fold c d. f_equal. ring.
Qed.

Lemma size_of_product w laws :
  fst (product_parts w laws) ^ 2 + snd (product_parts w laws) ^ 2 = product_over laws (modulus w) ^ 2.
Proof.
  induction laws as [| L laws IH]; [simpl; ring |]. simpl product_over. rewrite Rpow_mult_distr, <- IH.
  unfold modulus. rewrite pow2_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
  simpl product_parts. destruct (product_parts w laws) as [x y]. simpl. ring.
Qed.

Lemma product_over_nonneg {A} (l : list A) f : (forall a, In a l -> 0 <= f a) -> 0 <= product_over l f.
Proof.
  induction l as [| a l IH]; simpl; intros H; [lra |].
  apply Rmult_le_pos; [apply H; left; reflexivity | apply IH; intros; apply H; right; assumption].
Qed.

Lemma mean_of_wave_le w laws :
  mean (draws laws) (fun l => height w (sum_of_values l)) <= size w * product_over laws (modulus w).
Proof.
  unfold height. rewrite mean_of_wave. assert (S := size_of_product w laws).
  assert (N : 0 <= size w * product_over laws (modulus w)).
  { apply Rmult_le_pos; [apply size_nonneg | apply product_over_nonneg; intros; apply modulus_nonneg]. }
  apply Rsqr_incr_0_var; [| exact N].
  set (x := fst _) in *. set (y := snd _) in *. set (a := in_phase w) in *. set (b := out_of_phase w) in *.
  replace (Rsqr (size w * product_over laws (modulus w))) with ((a ^ 2 + b ^ 2) * (x ^ 2 + y ^ 2)).
  - assert (0 <= (a * y + b * x) ^ 2) by apply pow2_ge_0. unfold Rsqr. simpl in *. nra.
  - rewrite S. unfold size. fold a b. rewrite Rsqr_mult, Rsqr_sqrt by (apply Rplus_le_le_0_compat; apply pow2_ge_0).
    unfold Rsqr. ring.
Qed.

(** The sum of the values lies in the range. *)
Definition sums_within (range : R -> Prop) (laws : list (dist R)) : Prop :=
  forall wl, In wl (draws laws) -> range (sum_of_values (snd wl)).

Definition majorant (range : R -> Prop) (waves : list wave) : Prop :=
  forall laws, Forall proper laws -> sums_within range laws ->
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l)) <=
  total waves (fun w => size w * product_over laws (modulus w)).

Theorem pointwise_majorant (range : R -> Prop) waves :
  (forall s, range s -> Rmax 0 s <= total waves (fun w => height w s)) -> majorant range waves.
Proof.
  intros M laws H Hr.
  apply Rle_trans with (mean (draws laws) (fun l => total waves (fun w => height w (sum_of_values l)))).
  - apply total_le. intros wl I. apply Rmult_le_compat_l; [apply (proj1 (proper_draws laws H)), I | apply M, Hr, I].
  - rewrite <- total_of_means. apply total_le. intros w I. apply mean_of_wave_le.
Qed.

(** ** Powers of means *)

Lemma power_of_average {A} (l : list A) f r :
  l <> [] -> (forall a, In a l -> 0 <= f a) -> average l f ^ r <= average l (fun a => f a ^ r).
Proof.
  intros N F. assert (L : 0 < INR (length l)) by (destruct l; [congruence | apply lt_0_INR; simpl; lia]).
  destruct r as [| k].
  { unfold average. simpl. rewrite total_const, Rmult_1_r. right. field. lra. }
  set (m := average l f). assert (M : 0 <= m).
  { unfold m, average, Rdiv. apply Rmult_le_pos; [apply total_nonneg, F | left; apply Rinv_0_lt_compat, L]. }
  unfold average. apply Rmult_le_reg_l with (INR (length l)); [exact L |].
  replace (INR (length l) * (total l (fun a => f a ^ S k) / INR (length l))) with (total l (fun a => f a ^ S k))
    by (field; lra).
  apply Rle_trans with (total l (fun a => m ^ S k + INR (S k) * m ^ k * (f a - m))).
  - rewrite total_plus, total_const, total_scal, total_minus, total_const.
    replace (total l f) with (INR (length l) * m) by (unfold m, average; field; lra). right. ring.
  - apply total_le. intros a I. eapply Rle_trans; [apply tangent_of_power; [exact M |] |].
    + replace (m + (f a - m)) with (f a) by ring. apply F, I.
    + right. f_equal. ring.
Qed.

(** ** Rows *)

Section Rows.

Context {A : Type} (P Q : dist A) (E : R).

(** For each row a law of values that is at least as spread: that of its own values, or a simpler one. *)
Variable law_of : dist A -> dist R.

Definition spreads (row : dist A) : Prop :=
  proper row /\ proper (law_of row) /\ increasing_convex (values_against P Q E row) (law_of row).

(** The number with r equal laws. *)
Definition wave_bound (waves : list wave) (r : nat) (L : dist R) : R :=
  total waves (fun w => size w * modulus w L ^ r) / INR r.

(** Whatever r of these users are left, the sum of their values lies in the range. *)
Definition values_within (range : R -> Prop) (r : nat) (rows : list (dist A)) : Prop :=
  forall s, length s = r -> incl s rows -> sums_within range (map law_of s).

Lemma sums_increasing (laws more : list (dist R)) t :
  Forall2 (fun L K => proper L /\ proper K /\ increasing_convex L K) laws more ->
  mean (draws laws) (fun l => Rmax 0 (sum_of_values l - t)) <= mean (draws more) (fun l => Rmax 0 (sum_of_values l -
    t)).
Proof.
  intros H. revert t. induction H as [| L K laws more [HL [HK O]] F IH]; intros t; [apply Rle_refl |].
  rewrite !mean_draws_first.
  apply Rle_trans with (mean L (fun a => mean (draws more) (fun l => Rmax 0 (sum_of_values (a :: l) - t)))).
  - apply mean_le; [exact HL |]. intros a. specialize (IH (t - a)).
    rewrite (mean_ext (draws laws) _ (fun l => Rmax 0 (sum_of_values l - (t - a)))),
      (mean_ext (draws more) _ (fun l => Rmax 0 (sum_of_values l - (t - a)))); [exact IH | |];
      intros l; f_equal; unfold sum_of_values; simpl; ring.
  - rewrite (mean_swap L), (mean_swap K). apply mean_le.
    + apply proper_draws. clear -F. induction F as [| ? ? ? ? [_ [X _]] _ IH]; constructor; assumption.
    + intros l. rewrite (mean_ext L _ (fun a => Rmax 0 (a - (t - sum_of_values l)))),
        (mean_ext K _ (fun a => Rmax 0 (a - (t - sum_of_values l)))); [apply O | |];
        intros a; f_equal; unfold sum_of_values; simpl; ring.
Qed.

Lemma product_over_map {B C} (h : B -> C) l f : product_over (map h l) f = product_over l (fun b => f (h b)).
Proof. induction l as [| b l IH]; simpl; [| rewrite IH]; reflexivity. Qed.

Theorem subsets_below_waves range waves r rows :
  majorant range waves -> Forall spreads rows -> values_within range r rows -> (1 <= r <= length rows)%nat ->
  over_subsets r rows (shared_excess P Q E) <=
  total waves (fun w => size w * average rows (fun row => modulus w (law_of row)) ^ r) / INR r +
  average rows (uncovered P Q E).
Proof.
  intros M H V [R1 R2]. assert (K : 0 < INR r) by (apply lt_0_INR; lia).
  apply Rle_trans with (over_subsets r rows (fun s =>
    total waves (fun w => size w * product_over s (fun row => modulus w (law_of row))) / INR r +
    average s (uncovered P Q E))).
  - apply over_subsets_le. intros s L I. unfold shared_excess, average. rewrite L. unfold Rdiv.
    rewrite Rmult_plus_distr_r. apply Rplus_le_compat_r, Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |].
    assert (Ps : Forall spreads s) by (apply Forall_forall; intros d J; apply (proj1 (Forall_forall _ _) H d), I, J).
    assert (More : mean (draws (map (values_against P Q E) s)) (fun l => Rmax 0 (sum_of_values l - 0)) <=
      mean (draws (map law_of s)) (fun l => Rmax 0 (sum_of_values l - 0))).
    { apply sums_increasing. clear -Ps. induction Ps as [| row s [X [Y Z]] _ IH]; constructor; [| exact IH].
      split; [| split; assumption].
      apply proper_values_against; [exact (proj1 X) | rewrite (proj2 X); apply Rle_refl]. }
    eapply Rle_trans; [| eapply Rle_trans; [exact More |]].
    + right. apply mean_ext. intros l. rewrite Rminus_0_r. reflexivity.
    + rewrite (mean_ext _ _ (fun l => Rmax 0 (sum_of_values l))) by (intros l; rewrite Rminus_0_r; reflexivity).
      eapply Rle_trans; [apply (M (map law_of s)); [| apply V; assumption] |].
      * apply Forall_forall. intros K0 J. apply in_map_iff in J. destruct J as [row [<- J]].
        apply (proj1 (Forall_forall _ _) Ps row J).
      * right. apply total_ext. intros w _. f_equal. exact (product_over_map law_of s (modulus w)).
  - rewrite over_subsets_total, total_plus. unfold Rdiv at 1. rewrite Rmult_plus_distr_r.
    fold (total (sublists r rows) (fun s => average s (uncovered P Q E)) / count r rows).
    rewrite <- (over_subsets_total r rows (fun s => average s (uncovered P Q E))), sublists_mean by lia.
    apply Rplus_le_compat_r. unfold Rdiv at 1. rewrite total_scal_r, total_swap. unfold Rdiv.
    rewrite Rmult_assoc, (Rmult_comm (/ INR r)), <- Rmult_assoc.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |]. rewrite <- total_scal_r. apply total_le.
    intros w I. rewrite total_scal, Rmult_assoc. apply Rmult_le_compat_l; [apply size_nonneg |].
    fold (total (sublists r rows) (fun s => product_over s (fun row => modulus w (law_of row))) / count r rows).
    rewrite <- over_subsets_total. apply maclaurin; [exact R2 | intros; apply modulus_nonneg].
Qed.

Theorem vertex_mean range waves r rows :
  majorant range waves -> Forall spreads rows -> values_within range r rows -> (1 <= r <= length rows)%nat ->
  over_subsets r rows (shared_excess P Q E) <=
  average rows (fun row => wave_bound waves r (law_of row) + uncovered P Q E row).
Proof.
  intros M H V R1. eapply Rle_trans; [apply (subsets_below_waves range waves); eassumption |].
  assert (N : rows <> []) by (destruct rows; [simpl in R1; lia | discriminate]).
  assert (K : 0 < INR r) by (apply lt_0_INR; lia).
  replace (average rows (fun row => wave_bound waves r (law_of row) + uncovered P Q E row))
    with (total waves (fun w => size w * average rows (fun row => modulus w (law_of row) ^ r)) / INR r +
          average rows (uncovered P Q E)).
  - apply Rplus_le_compat_r, Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |]. apply total_le. intros w I.
    apply Rmult_le_compat_l; [apply size_nonneg |].
    apply (power_of_average rows (fun row => modulus w (law_of row)) r N). intros; apply modulus_nonneg.
  - unfold average, wave_bound. rewrite total_plus. unfold Rdiv. rewrite Rmult_plus_distr_r. f_equal.
    rewrite total_scal_r, total_swap, Rmult_assoc, (Rmult_comm (/ INR r)), <- Rmult_assoc. f_equal.
    rewrite <- total_scal_r. apply total_ext. intros w _. rewrite total_scal. ring.
Qed.

(** The same for classes, with squares. *)
Theorem classes_bound range waves h rows :
  majorant range waves -> Forall spreads rows -> values_within range (2 * h) rows -> (1 <= 2 * h <= length rows)%nat ->
  over_subsets (2 * h) rows (shared_excess P Q E) <=
  total waves (fun w => size w * average rows (fun row => modulus w (law_of row) ^ 2) ^ h) / INR (2 * h) +
  average rows (uncovered P Q E).
Proof.
  intros M H V R1. eapply Rle_trans; [apply (subsets_below_waves range waves); eassumption |].
  assert (N : rows <> []) by (destruct rows; [simpl in R1; lia | discriminate]).
  apply Rplus_le_compat_r, Rmult_le_compat_r; [apply inverse_INR_nonneg |]. apply total_le. intros w I.
  apply Rmult_le_compat_l; [apply size_nonneg |]. rewrite pow_mult. apply pow_incr. split; [apply pow2_ge_0 |].
  apply power_of_average; [exact N | intros; apply modulus_nonneg].
Qed.

End Rows.

(** The waves of laws that are at least as spread as values, with what is charged besides.

    Each row of the others has a law and a charge, for which at every t the mean of max(0, value - t) and what the row
    never sends are at most that of the law and the charge ([spreads_most]). Then the bounds of wave_bounds.v and
    swap_vertices.v hold with these ([charged_mean], [charged_vertices]), any ends and numbers of users.

    Idea: one summand after the other, the sum of the rest being -t. Source: docs/soundness.md, "Fewer numbers of ones may
    tell more". *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws independence hockey_stick mean_excess hidden_message blanket increasing_convex_order.
From Exactdp Require Import uniform_subsets swapped_messages swapped_stages wave_bounds swap_vertices.
Import ListNotations.
Open Scope R_scope.

Section rows.

Context {A : Type} (P Q : dist A) (E : R).
Variables (law_of : dist A -> dist R) (charge_of : dist A -> R).

Definition spreads_most (row : dist A) : Prop :=
  (sub_law row /\ weight row <= 1) /\ proper (law_of row) /\ forall t,
    mean (values_against P Q E row) (fun v => Rmax 0 (v - t)) + uncovered P Q E row <=
    mean (law_of row) (fun v => Rmax 0 (v - t)) + charge_of row.

Lemma sums_charged rows t : Forall spreads_most rows ->
  mean (draws (map (values_against P Q E) rows)) (fun l => Rmax 0 (sum_of_values l - t)) + total rows (uncovered P Q E) <=
  mean (draws (map law_of rows)) (fun l => Rmax 0 (sum_of_values l - t)) + total rows charge_of.
Proof.
  intros H. revert t. induction H as [| row rows [HR [HK O]] F IH]; intros t; [apply Rle_refl |].
  cbn [map total]. rewrite !mean_draws_first.
  assert (HL : proper (values_against P Q E row))
    by (apply proper_values_against; [exact (proj1 HR) | exact (proj2 HR)]).
  assert (First : mean (values_against P Q E row) (fun a =>
      mean (draws (map (values_against P Q E) rows)) (fun l => Rmax 0 (sum_of_values (a :: l) - t))) + total rows (uncovered P Q E) <=
    mean (values_against P Q E row) (fun a =>
      mean (draws (map law_of rows)) (fun l => Rmax 0 (sum_of_values (a :: l) - t))) + total rows charge_of).
  { rewrite <- (mean_const (values_against P Q E row) (total rows (uncovered P Q E)) HL),
      <- (mean_const (values_against P Q E row) (total rows charge_of) HL), <- !mean_plus.
    apply mean_le; [exact HL |]. intros a. specialize (IH (t - a)).
    rewrite (mean_ext (draws (map (values_against P Q E) rows)) _ (fun l => Rmax 0 (sum_of_values l - (t - a)))),
      (mean_ext (draws (map law_of rows)) _ (fun l => Rmax 0 (sum_of_values l - (t - a)))); [exact IH | |];
      intros l; f_equal; unfold sum_of_values; simpl; ring. }
  assert (Pd : proper (draws (map law_of rows))).
  { apply proper_draws. clear -F. induction F as [| ? ? [_ [X _]] _ IH]; constructor; assumption. }
  assert (Then : mean (draws (map law_of rows)) (fun l => mean (values_against P Q E row) (fun a =>
      Rmax 0 (sum_of_values (a :: l) - t))) + uncovered P Q E row <=
    mean (draws (map law_of rows)) (fun l => mean (law_of row) (fun a => Rmax 0 (sum_of_values (a :: l) - t))) + charge_of row).
  { rewrite <- (mean_const (draws (map law_of rows)) (uncovered P Q E row) Pd),
      <- (mean_const (draws (map law_of rows)) (charge_of row) Pd), <- !mean_plus.
    apply mean_le; [exact Pd |]. intros l. specialize (O (t - sum_of_values l)).
    rewrite (mean_ext (values_against P Q E row) _ (fun a => Rmax 0 (a - (t - sum_of_values l)))),
      (mean_ext (law_of row) _ (fun a => Rmax 0 (a - (t - sum_of_values l)))); [exact O | |];
      intros a; f_equal; unfold sum_of_values; simpl; ring. }
  rewrite (mean_swap (values_against P Q E row) (draws (map law_of rows))) in First.
  rewrite (mean_swap (law_of row)). lra.
Qed.

(** All users with this law. *)
Lemma excess_charged row n : spreads_most row -> (1 <= n)%nat ->
  uncovered P Q E row + mean_excess n (values_against P Q E row) <= charge_of row + mean_excess n (law_of row).
Proof.
  intros H N. assert (S := sums_charged (repeat row n) 0 ltac:(apply Forall_forall; intros d I; apply repeat_spec in I; subst d; exact H)).
  assert (N0 : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Rep : forall g : dist A -> R, total (repeat row n) g = INR n * g row).
  { intros g. clear. induction n as [| n IH]; [simpl; ring |]. cbn [repeat total]. rewrite IH, S_INR. ring. }
  assert (Map : forall (X : Type) (g : dist A -> X), map g (repeat row n) = repeat (g row) n).
  { intros X g. clear. induction n as [| n IH]; [reflexivity |]. cbn [repeat map]. rewrite IH. reflexivity. }
  rewrite !Rep, !Map in S. unfold mean_excess. fold (copies (values_against P Q E row) n) (copies (law_of row) n) in S.
  rewrite (mean_ext (copies (values_against P Q E row) n) _ (fun l => Rmax 0 (total l (fun v => v)))),
    (mean_ext (copies (law_of row) n) _ (fun l => Rmax 0 (total l (fun v => v)))) in S
    by (intros l; f_equal; unfold sum_of_values; ring).
  apply Rmult_le_reg_l with (INR n); [exact N0 |].
  rewrite !Rmult_plus_distr_l. unfold Rdiv.
  replace (INR n * (mean (copies (values_against P Q E row) n) (fun l => Rmax 0 (total l (fun v => v))) * / INR n))
    with (mean (copies (values_against P Q E row) n) (fun l => Rmax 0 (total l (fun v => v)))) by (field; lra).
  replace (INR n * (mean (copies (law_of row) n) (fun l => Rmax 0 (total l (fun v => v))) * / INR n))
    with (mean (copies (law_of row) n) (fun l => Rmax 0 (total l (fun v => v)))) by (field; lra).
  lra.
Qed.

Theorem charged_mean range waves r rows :
  majorant range waves -> Forall spreads_most rows -> values_within law_of range r rows -> (1 <= r <= length rows)%nat ->
  over_subsets r rows (shared_excess P Q E) <=
  average rows (fun row => wave_bound waves r (law_of row) + charge_of row).
Proof.
  intros M H V [R1 R2]. assert (K : 0 < INR r) by (apply lt_0_INR; lia).
  apply Rle_trans with (over_subsets r rows (fun s =>
    total waves (fun w => size w * product_over s (fun row => modulus w (law_of row))) / INR r +
    average s charge_of)).
  - apply over_subsets_le. intros s L I. unfold shared_excess, average. rewrite L. unfold Rdiv.
    rewrite <- !Rmult_plus_distr_r. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |].
    assert (Ps : Forall spreads_most s) by (apply Forall_forall; intros d J; apply (proj1 (Forall_forall _ _) H d), I, J).
    assert (More := sums_charged s 0 Ps).
    rewrite (mean_ext (draws (map (values_against P Q E) s)) _ (fun l => Rmax 0 (sum_of_values l))),
      (mean_ext (draws (map law_of s)) _ (fun l => Rmax 0 (sum_of_values l))) in More by (intros l; rewrite Rminus_0_r; reflexivity).
    eapply Rle_trans; [exact More |]. apply Rplus_le_compat_r.
    eapply Rle_trans; [apply (M (map law_of s)); [| apply V; assumption] |].
    + apply Forall_forall. intros K0 J. apply in_map_iff in J. destruct J as [row [<- J]].
      apply (proj1 (Forall_forall _ _) Ps row J).
    + right. apply total_ext. intros w _. f_equal. exact (product_over_map law_of s (modulus w)).
  - rewrite over_subsets_total, total_plus. unfold Rdiv at 1. rewrite Rmult_plus_distr_r.
    fold (total (sublists r rows) (fun s => average s charge_of) / count r rows).
    rewrite <- (over_subsets_total r rows (fun s => average s charge_of)), sublists_mean by lia.
    assert (N : rows <> []) by (destruct rows; [simpl in R2; lia | discriminate]).
    apply Rle_trans with (total waves (fun w => size w * average rows (fun row => modulus w (law_of row)) ^ r) / INR r +
      average rows charge_of).
    { apply Rplus_le_compat_r. unfold Rdiv at 1. rewrite total_scal_r, total_swap. unfold Rdiv.
      rewrite Rmult_assoc, (Rmult_comm (/ INR r)), <- Rmult_assoc.
      apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |]. rewrite <- total_scal_r. apply total_le.
      intros w I. rewrite total_scal, Rmult_assoc. apply Rmult_le_compat_l; [apply size_nonneg |].
      fold (total (sublists r rows) (fun s => product_over s (fun row => modulus w (law_of row))) / count r rows).
      rewrite <- over_subsets_total. apply maclaurin; [exact R2 | intros; apply modulus_nonneg]. }
    replace (average rows (fun row => wave_bound waves r (law_of row) + charge_of row))
      with (total waves (fun w => size w * average rows (fun row => modulus w (law_of row) ^ r)) / INR r +
            average rows charge_of).
    + apply Rplus_le_compat_r, Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, K |]. apply total_le. intros w I.
      apply Rmult_le_compat_l; [apply size_nonneg |].
      apply (power_of_average rows (fun row => modulus w (law_of row)) r N). intros; apply modulus_nonneg.
    + unfold average, wave_bound. rewrite total_plus. unfold Rdiv. rewrite Rmult_plus_distr_r. f_equal.
      rewrite total_scal_r, total_swap, Rmult_assoc, (Rmult_comm (/ INR r)), <- Rmult_assoc. f_equal.
      rewrite <- total_scal_r. apply total_ext. intros w _. rewrite total_scal. ring.
Qed.

Theorem charged_vertices (c : dist A) ends rows waves delta :
  sub_law c -> weight c <= 1 -> rows <> [] -> Forall spreads_most rows -> rising 0 ends (length rows) ->
  majorant (fun _ => True) waves ->
  (forall row, In row rows -> in_stages 0 ends (length rows) (weight c) (hockey_stick P Q E)
    (fun r => wave_bound waves r (law_of row) + charge_of row) <= delta) ->
  in_stages_of P Q c E ends rows <= delta.
Proof.
  intros Hc Most N Sp Hr M B.
  assert (W : 0 <= weight c <= 1) by (split; [apply weight_nonneg, Hc | exact Most]).
  assert (Low : forall before, rising before ends (length rows) -> forall t, In t ends -> (1 <= t <= length rows)%nat).
  { clear. induction ends as [| t ends IH]; intros before Hr u I; [destruct I |].
    destruct Hr as [H1 H2]. destruct I as [<- | I]; [lia | apply (IH t H2 u I)]. }
  unfold in_stages_of. eapply Rle_trans; [apply (in_stages_le 0 ends (length rows) _ _ _
    (fun r => average rows (fun row => wave_bound waves r (law_of row) + charge_of row)) W Hr) |].
  - intros t I. assert (T := Low 0%nat Hr t I). apply (charged_mean (fun _ => True)); [exact M | exact Sp | | lia].
    intros s _ _ wl _. trivial.
  - cbv beta.
    rewrite (in_stages_average rows 0 ends (length rows) (weight c) (hockey_stick P Q E)
      (fun r row => wave_bound waves r (law_of row) + charge_of row) N).
    apply average_at_most; [exact N | exact B].
Qed.

End rows.

(** A law that is at least as spread, with what the row never sends. *)
Lemma spreads_charged {A} (P Q : dist A) E law_of row :
  spreads P Q E law_of row -> spreads_most P Q E law_of (uncovered P Q E) row.
Proof.
  intros [PR [PL O]]. split; [split; [exact (proj1 PR) | unfold weight; rewrite (proj2 PR); apply Rle_refl] |].
  split; [exact PL |]. intros t. apply Rplus_le_compat_r. apply O. Qed.

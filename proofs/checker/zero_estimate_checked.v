(** The claim [zero_estimate]: if all users hold one input, the mean of the summed weights is at most a threshold.

    The program adds up the weights of the messages of each outcome of the row, as integers over one denominator. It
    accepts PROVED if no sum exceeds the threshold, and REFUTED for an outcome of the row, given by its counts of
    messages, whose sum does. [check_zero_estimate_sound]: then the claim holds, or does not, for every n >= 1.

    Idea: a mean is at most the largest term; one user shows every outcome of his row with a positive probability.
    Source: users/mixtures.v ([mean_at_most]); exactdp/checker/accuracy.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy mixtures.
From ExactdpChecker Require Import claims witnesses kinds posed table_laws.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition sum_of_weights (weights : list Z) (u : list nat) : Z := fold_left (fun s m => s + nth m weights 0) u 0.

Definition counts_of (messages : nat) (u : list nat) : list Z :=
  map (fun m => Z.of_nat (count_occ Nat.eq_dec u m)) (seq 0 messages).

Definition same_counts (a b : list Z) : bool := if list_eq_dec Z.eq_dec a b then true else false.

Definition check_zero_estimate (t : table) (weights : list Q) (threshold : Q) (x : nat) (proved : bool) (w : witness) :
  bool :=
  let d := common_denominator (threshold :: weights) in
  let integers := map (over d) weights in
  let is_above := fun u => over d threshold <? sum_of_weights integers u in
  let row := entry (rows t) [] x in
  table_is_posed t && Nat.eqb (length weights) (message_types t) && Nat.ltb x (length (rows t)) &&
  match proved, w with
  | true, Simple Exactly => forallb (fun o => negb (is_above (snd o))) row
  | false, Counts outcome =>
      existsb (fun o => same_counts (counts_of (message_types t) (snd o)) outcome && is_above (snd o)) row
  | _, _ => false
  end.

(** ** Soundness *)

Definition real_weight (weights : list Q) (m : nat) : R := Q2R (nth m weights 0%Q).

Lemma sum_of_weights_value d weights u :
  0 < d -> (forall q, In q weights -> (Zpos (Qden q) | d)) ->
  IZR (sum_of_weights (map (over d) weights) u) = (total u (real_weight weights) * IZR d)%R.
Proof.
  intros D H. unfold sum_of_weights.
  assert (E : forall m, IZR (nth m (map (over d) weights) 0) = (real_weight weights m * IZR d)%R).
  { intros m. unfold real_weight. destruct (Nat.lt_ge_cases m (length weights)) as [L | G].
    - rewrite (nth_indep _ 0 (over d 0%Q)) by (rewrite map_length; exact L). rewrite map_nth.
      apply over_value; [exact D | apply H, nth_In, L].
    - rewrite !nth_overflow by (rewrite ?map_length; exact G). rewrite RMicromega.Q2R_0. ring. }
  assert (X : forall s, IZR (fold_left (fun s m => s + nth m (map (over d) weights) 0) u s) =
    (IZR s + total u (real_weight weights) * IZR d)%R).
  { induction u as [| m u IH]; intros s; simpl; [ring |]. rewrite IH, plus_IZR, E. ring. }
  rewrite X. ring.
Qed.

Lemma is_above_exceeds threshold weights u :
  let d := common_denominator (threshold :: weights) in
  (over d threshold <? sum_of_weights (map (over d) weights) u) = exceeds (real_weight weights) (Q2R threshold) u.
Proof.
  intros d. assert (D : 0 < d) by apply common_denominator_positive.
  assert (C : forall q, In q (threshold :: weights) -> (Zpos (Qden q) | d)) by apply common_denominator_divides.
  assert (A := over_value d threshold D (C _ (or_introl eq_refl))).
  assert (B := sum_of_weights_value d weights u D (fun q I => C q (or_intror I))). apply IZR_lt in D.
  apply eq_true_iff_eq. unfold exceeds. rewrite Z.ltb_lt, Rltb_true. split; intros H.
  - apply IZR_lt in H. rewrite A, B in H. apply Rmult_lt_reg_r in H; assumption.
  - apply lt_IZR. rewrite A, B. apply Rmult_lt_compat_r; assumption.
Qed.

Theorem check_zero_estimate_sound t weights threshold x proved w :
  check_zero_estimate t weights threshold x proved w = true -> sound (ZeroEstimate t weights threshold x) proved.
Proof.
  unfold check_zero_estimate, sound. intros H. repeat (apply andb_true_iff in H; destruct H as [H ?]).
  match goal with T : table_is_posed t = true |- _ => apply table_is_posed_sound in T; rename T into P end.
  match goal with L : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in L; rename L into W end.
  match goal with L : Nat.ltb _ _ = true |- _ => apply Nat.ltb_lt in L; rename L into X end.
  split; [simpl; auto |].
  assert (M := mean_at_most (table_law t) (real_weight weights) x (Q2R threshold) (proper_table t P)).
  assert (I := impossible_in_row _ _ (exceeds (real_weight weights) (Q2R threshold)) (row_of_table t x P)).
  assert (E : holds (ZeroEstimate t weights threshold x) <->
    forall o, In o (entry (rows t) [] x) -> exceeds (real_weight weights) (Q2R threshold) (snd o) = false).
  { simpl. rewrite <- I. symmetry. exact M. }
  destruct proved, w as [[| |] | | | | | | | | | | | | | | outcome | | | | | | | |]; try discriminate.
  - apply E. intros o J. rewrite forallb_forall in H0. specialize (H0 o J). rewrite is_above_exceeds in H0.
    apply negb_true_iff, H0.
  - intros C. apply existsb_exists in H0. destruct H0 as [o [J K]]. apply andb_true_iff in K. destruct K as [_ K].
    rewrite is_above_exceeds in K. rewrite (proj1 E C o J) in K. discriminate.
Qed.

(** The rows of proofs/published_bounds.py: published amplification bounds against real pairs of data sets. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy variation_ratio.
Import ListNotations.
Open Scope R_scope.

Definition row_variation_ratio_as_published : Prop := ~ (
  forall (n k : nat) (p E delta : R),
  (1 <= n)%nat -> (2 <= k)%nat -> 1 < p -> 1 <= E ->
  reduced_dp n k p E delta -> shuffle_dp n (one_message (k_ary k p)) (ln E) delta).

Theorem row_variation_ratio_as_published_holds : row_variation_ratio_as_published.
Proof.
  intros H. assert (R : (4 + 1) / 2 < 3 < 4) by lra.
  apply (variation_ratio_fails 3 4 3 (le_n 3) ltac:(lra) R).
  apply H; [lia | lia | lra | lra |]. apply reduced_pair; [lia | lra | exact R].
Qed.

Definition row_variation_ratio_every_size : Prop :=
  forall (k : nat) (p E : R),
  (3 <= k)%nat -> 1 < p -> (p + 1) / 2 < E < p ->
  let published :=
    ((p - E) + Rmax 0 ((p + INR k - 3) * (p - E) - (INR k - 2) * (E - 1))) / (p + INR k - 1) ^ 2 in
  let real := p * (p - E) / (p + INR k - 1) ^ 2 in
  reduced_dp 2 k p E published /\ published < real /\
  forall delta : R, shuffle_dp 2 (one_message (k_ary k p)) (ln E) delta -> real <= delta.

Theorem row_variation_ratio_every_size_holds : row_variation_ratio_every_size.
Proof.
  intros k p E Hk Hp HE published real. destruct (kept_symbols k p E Hk Hp HE) as [K [D L]].
  split; [apply reduced_pair; assumption |]. split.
  - unfold published, real, Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, pow_lt, D | exact L].
  - intros delta. apply real_pair; [exact Hk | exact Hp | lra].
Qed.

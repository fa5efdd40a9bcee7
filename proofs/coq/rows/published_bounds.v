(** The rows of proofs/published_bounds.py: published amplification bounds against real pairs of data sets. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy label_reduction clones stronger_clones variation_ratio
  variation_ratio_near.
Import ListNotations.
Open Scope R_scope.

Definition row_variation_ratio_as_quoted : Prop := ~ (
  forall (n k : nat) (p E delta : R),
  (1 <= n)%nat -> (2 <= k)%nat -> 1 < p -> 1 <= E ->
  reduced_dp n k p E delta -> shuffle_dp n (one_message (k_ary k p)) (ln E) delta).

Theorem row_variation_ratio_as_quoted_holds : row_variation_ratio_as_quoted.
Proof.
  intros H. assert (R : (4 + 1) / 2 < 3 < 4) by lra.
  apply (variation_ratio_fails 3 4 3 (le_n 3) ltac:(lra) R).
  apply H; [lia | lia | lra | lra |]. apply reduced_pair; [lia | lra | exact R].
Qed.

Definition row_variation_ratio_two_users : Prop :=
  forall (k : nat) (p E : R),
  (3 <= k)%nat -> 1 < p -> (p + 1) / 2 < E < p ->
  let published :=
    ((p - E) + Rmax 0 ((p + INR k - 3) * (p - E) - (INR k - 2) * (E - 1))) / (p + INR k - 1) ^ 2 in
  let real := p * (p - E) / (p + INR k - 1) ^ 2 in
  reduced_dp 2 k p E published /\ published < real /\
  forall delta : R, shuffle_dp 2 (one_message (k_ary k p)) (ln E) delta -> real <= delta.

Theorem row_variation_ratio_two_users_holds : row_variation_ratio_two_users.
Proof.
  intros k p E Hk Hp HE published real. destruct (kept_symbols k p E Hk Hp HE) as [K [D L]].
  split; [apply reduced_pair; assumption |]. split.
  - unfold published, real, Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat, pow_lt, D | exact L].
  - intros delta. apply real_pair; [exact Hk | exact Hp | lra].
Qed.

Definition row_variation_ratio_factor : Prop :=
  forall (n k : nat) (p E : R),
  (1 <= n)%nat -> (3 <= k)%nat -> 1 < p -> 1 <= E <= p ->
  (INR n - 1) * (p - E) * (p + INR k - 3) <= (E - 1) * (INR k - 2) ->
  let published := (p - E) / (p + INR k - 1) ^ n in
  forall delta : R, (reduced_dp n k p E delta <-> published <= delta) /\
  (shuffle_dp n (one_message (k_ary k p)) (ln E) delta <-> p ^ (n - 1) * published <= delta).

Theorem row_variation_ratio_factor_holds : row_variation_ratio_factor.
Proof.
  intros n k p E Hn Hk Hp HE HN published delta. split; [apply published_near; assumption |].
  rewrite (k_ary_near n k p E Hn Hk Hp HE delta (near_is_weaker n k p E Hn Hk Hp HE HN)).
  unfold published, Rdiv. rewrite Rmult_assoc. reflexivity.
Qed.

Definition row_clones_response : Prop :=
  forall (n k : nat) (p E delta : R), (2 <= k)%nat -> 1 < p -> 1 <= E ->
  (clones_below n p (/ (2 * p)) E delta -> shuffle_dp n (one_message (k_ary k p)) (ln E) delta) /\
  (clones_below n p (/ (p + 1)) E delta -> shuffle_dp n (one_message (k_ary k p)) (ln E) delta).

Theorem row_clones_response_holds : row_clones_response.
Proof.
  intros n k p E delta Hk Hp HE. assert (L := k_ary_local k p Hk Hp).
  assert (P : forall x, proper (one_message (k_ary k p) x)) by (intros x; apply proper_dmap, proper_k_ary; assumption).
  split; intros H.
  - apply (clones_2021_dp _ n (ln p)); [exact P | exact L |]. rewrite !exp_ln by lra. exact H.
  - apply (stronger_clones_dp _ n (ln p)); [exact P | exact L | | rewrite !exp_ln by lra; exact H].
    rewrite <- ln_1. destruct HE as [HE | <-]; [left; apply ln_increasing; lra | apply Rle_refl].
Qed.

Definition row_clones_interior : Prop :=
  forall (n : nat) (p E delta : R), 1 < p -> 1 <= E ->
  clones_below n p (/ (p + 1)) E delta -> shuffle_dp n (one_message (k_ary 2 p)) (ln E) delta.

Theorem row_clones_interior_holds : row_clones_interior.
Proof. intros n p E delta Hp HE. apply (row_clones_response_holds n 2%nat p E delta (le_n 2) Hp HE). Qed.

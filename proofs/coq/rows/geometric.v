(** The rows of proofs/geometric.py: the geometric mechanism for one count. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws privacy masses geometric_noise geometric_one_user truncated_noise.
Import ListNotations.
Open Scope R_scope.

Definition row_geometric_one_user : Prop :=
  forall (A : Type) (M : bool -> dist A) (eps : R),
  0 < eps -> (forall count, proper (M count)) -> local_dp M eps 0 ->
  (forall count : bool, mass_of (fun v => geometric (exp (- eps)) (v - (if count then 1 else 0)))
     (fun v => (1 <= v)%Z) (Pr (clamped_geometric (exp (- eps)) count) (fun b => b))) /\
  exists K : bool -> dist A, (forall b, proper (K b)) /\
  let remapped count := bind (clamped_geometric (exp (- eps)) count) K in
  (forall count, same_law (remapped count) (M count)) /\
  forall (prior : bool -> R) (loss : bool -> A -> R),
  total [false; true] (fun count => prior count * mean (remapped count) (loss count)) =
  total [false; true] (fun count => prior count * mean (M count) (loss count)).

Theorem row_geometric_one_user_holds : row_geometric_one_user.
Proof.
  intros A M eps He P D. split.
  { intros count. unfold clamped_geometric. rewrite Pr_coin. unfold indicator.
    rewrite Rmult_1_r, Rmult_0_r, Rplus_0_r. apply clamped_geometric_masses, ratio_of_eps, He. }
  destruct (geometric_one_user M eps He P D) as [K [PK H]].
  exists K. split; [exact PK |]. split; [exact H |]. intros prior loss.
  apply total_ext. intros count _. rewrite (H count). reflexivity.
Qed.

Definition row_geometric_without_remapping_printed : Prop := ~ (
  forall (eps w : R) (M : bool -> dist bool),
  0 < eps -> 0 <= w <= 1 -> (forall count, proper (M count)) -> local_dp M eps 0 ->
  let error (N : bool -> dist bool) := w * Pr (N true) negb + (1 - w) * Pr (N false) (fun b => b) in
  error (clamped_geometric (exp (- eps))) <= error M).

Theorem row_geometric_without_remapping_printed_holds : row_geometric_without_remapping_printed.
Proof.
  intros H. destruct geometric_without_remapping_fails as [L D].
  assert (P : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  specialize (H (ln 2) (1 / 10) (fun _ => ret false) P ltac:(lra) (fun _ => proper_ret false)).
  specialize (H (D (ln 2) (Rlt_le _ _ P))). cbv zeta in H.
  rewrite exp_Ropp, exp_ln in H by lra. replace (/ 2) with (1 / 2) in H by field.
  unfold error_probability in L. lra.
Qed.

Definition row_geometric_delta_printed : Prop := ~ (
  forall (eps delta : R) (D : Z -> R),
  0 < eps -> 0 < delta < 1 -> law D ->
  mass_below D (fun z => D (z - 1)%Z) (exp eps) delta ->
  mass_below D (fun z => D (z + 1)%Z) (exp eps) delta ->
  ~ forall (k : Z) (p q : R), (1 <= k)%Z ->
      mass_of D (fun z => (k <= Z.abs z)%Z) p ->
      mass_of (geometric (exp (- eps))) (fun z => (k <= Z.abs z)%Z) q -> p < q).

Theorem row_geometric_delta_printed_holds : row_geometric_delta_printed.
Proof.
  intros H. destruct truncated_beats_geometric as [L [B T]].
  assert (P : 0 < ln (3 / 2)) by (rewrite <- ln_1; apply ln_increasing; lra).
  destruct (B (ln (3 / 2)) (Rlt_le _ _ P)) as [B1 B2].
  apply (H (ln (3 / 2)) (1 / 3) uniform3 P ltac:(lra) L B1 B2). intros k p q.
  rewrite exp_Ropp, exp_ln by lra. replace (/ (3 / 2)) with (2 / 3) by field. apply T.
Qed.

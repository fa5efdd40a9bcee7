(** The rows of proofs/geometric.py: the geometric mechanism for one count. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws privacy masses geometric_noise geometric_one_user truncated_noise.
From Exactdp Require Import clamped_counts geometric_optimal.
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

(* K does not depend on prior and loss. *)
Definition row_geometric_optimal : Prop :=
  forall (n : nat) (M : nat -> dist Z) (eps : R),
  (1 <= n)%nat -> 0 < eps -> (forall i, (i <= n)%nat -> proper (M i)) -> count_dp n M eps ->
  let G := clamped_counts n (exp (- eps)) in
  (forall i r, (i <= n)%nat -> (r <= n)%nat -> mass_of (fun v => geometric (exp (- eps)) (v - Z.of_nat i))
    (fun v => Nat.min (Z.to_nat v) n = r) (Pr (G i) (Nat.eqb r))) /\
  exists K : nat -> dist Z, (forall j, proper (K j)) /\
  let remapped i := bind (G i) K in
  let far i k r := Z.leb k (Z.abs (r - Z.of_nat i)) in
  (forall i k, (i <= n)%nat -> Pr (remapped i) (far i k) <= Pr (M i) (far i k)) /\
  forall loss : nat -> Z -> R,
  (forall i r s, (Z.abs (r - Z.of_nat i) <= Z.abs (s - Z.of_nat i))%Z -> loss i r <= loss i s) ->
  (forall prior, (forall i, 0 <= prior i) ->
    total (seq 0 (S n)) (fun i => prior i * mean (remapped i) (loss i)) <=
    total (seq 0 (S n)) (fun i => prior i * mean (M i) (loss i))) /\
  (forall worst, (forall i, (i <= n)%nat -> mean (M i) (loss i) <= worst) ->
    forall i, (i <= n)%nat -> mean (remapped i) (loss i) <= worst).
Theorem row_geometric_optimal_holds : row_geometric_optimal.
Proof.
  intros n M eps N He P D G. split; [intros i r; apply clamped_counts_masses; [apply ratio_of_eps, He | exact N] |].
  destruct (geometric_optimal n M eps N He P D) as [K [PK H]]. exists K. split; [exact PK |]. intros remapped far. split.
  - intros i k I. apply H; [exact I |]. intros r s L. unfold indicator, far.
    destruct (Z.leb_spec k (Z.abs (r - Z.of_nat i))), (Z.leb_spec k (Z.abs (s - Z.of_nat i))); lra || lia.
  - intros loss Grows. split.
    + intros prior Np. apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l; [apply Np |].
      apply H; [lia | exact (Grows i)].
    + intros worst W i I. eapply Rle_trans; [apply H; [exact I | exact (Grows i)] | apply W, I].
Qed.

Definition row_geometric_two_users : Prop :=
  forall (M : nat -> dist Z) (eps : R),
  0 < eps -> (forall i, (i <= 2)%nat -> proper (M i)) -> count_dp 2 M eps ->
  let G := clamped_counts 2 (exp (- eps)) in
  (forall i r, (i <= 2)%nat -> (r <= 2)%nat -> mass_of (fun v => geometric (exp (- eps)) (v - Z.of_nat i))
    (fun v => Nat.min (Z.to_nat v) 2 = r) (Pr (G i) (Nat.eqb r))) /\
  exists K : nat -> dist Z, (forall j, proper (K j)) /\
  let remapped i := bind (G i) K in
  let far i k r := Z.leb k (Z.abs (r - Z.of_nat i)) in
  (forall i k, (i <= 2)%nat -> Pr (remapped i) (far i k) <= Pr (M i) (far i k)) /\
  forall loss : nat -> Z -> R,
  (forall i r s, (Z.abs (r - Z.of_nat i) <= Z.abs (s - Z.of_nat i))%Z -> loss i r <= loss i s) ->
  (forall prior, (forall i, 0 <= prior i) ->
    total [0; 1; 2]%nat (fun i => prior i * mean (remapped i) (loss i)) <=
    total [0; 1; 2]%nat (fun i => prior i * mean (M i) (loss i))) /\
  (forall worst, (forall i, (i <= 2)%nat -> mean (M i) (loss i) <= worst) ->
    forall i, (i <= 2)%nat -> mean (remapped i) (loss i) <= worst).
Theorem row_geometric_two_users_holds : row_geometric_two_users.
Proof. intros M eps. apply (row_geometric_optimal_holds 2%nat M eps). lia. Qed.

(* The expected loss under a prior that need not sum to 1. *)
Definition row_geometric_three_users : Prop :=
  forall (eps : R) (prior : list R) (loss : nat -> R), 0 < eps ->
  In (exp (- eps)) [1 / 4; 1 / 2; 2 / 3] -> In prior [[1; 1; 1; 1]; [4; 3; 2; 1]; [1; 0; 0; 1]] ->
  In loss [INR; fun d => INR d ^ 2; fun d => if Nat.eqb d 0 then 0 else 1] ->
  let G := clamped_counts 3 (exp (- eps)) in
  let expected_loss (M : nat -> dist Z) := total (seq 0 4) (fun i =>
    nth i prior 0 * mean (M i) (fun r => loss (Z.abs_nat (r - Z.of_nat i)))) in
  (forall i r, (i <= 3)%nat -> (r <= 3)%nat -> mass_of (fun v => geometric (exp (- eps)) (v - Z.of_nat i))
    (fun v => Nat.min (Z.to_nat v) 3 = r) (Pr (G i) (Nat.eqb r))) /\
  count_dp 3 G eps /\
  exists remapping : list nat, forall M : nat -> dist Z, (forall i, (i <= 3)%nat -> proper (M i)) -> count_dp 3 M eps ->
  expected_loss (fun i => dmap (fun r => Z.of_nat (nth r remapping 0%nat)) (G i)) <= expected_loss M.
Theorem row_geometric_three_users_holds : row_geometric_three_users.
Proof.
  intros eps prior loss He Ia Ip Il G expected_loss.
  split; [intros i r; apply clamped_counts_masses; [apply ratio_of_eps, He | lia] |].
  split; [apply clamped_counts_private, He |]. apply (geometric_remapping 3 eps (fun i => nth i prior 0) loss); try easy.
  - lia.
  - intros i. destruct Ip as [<- | [<- | [<- | []]]]; destruct i as [| [| [| [| i]]]]; simpl; lra || (destruct i; lra).
  - intros d e H. assert (L := le_INR d e H). assert (N := pos_INR d).
    destruct Il as [<- | [<- | [<- | []]]]; [exact L | simpl; nra |].
    destruct (Nat.eqb_spec d 0), (Nat.eqb_spec e 0); lra || lia.
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

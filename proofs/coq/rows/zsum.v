(** The rows of proofs/zsum.py, each as a proposition, and that it holds; [number] counts messages. *)

From Coq Require Import Reals List Bool ZArith Lra Lia.
From Exactdp Require Import laws privacy binomial shifts.
From Exactdp Require Import zsum zsum_count zsum_half_lines zsum_closed_form.
Import ListNotations.
Open Scope R_scope.

Definition row_zsum_view : Prop :=
  forall (n : nat) (gamma : R), (1 <= n)%nat -> 0 <= gamma <= 1 ->
  let view (xs : list bool) := dmap number (messages (zsum_randomizer gamma) xs) in
  (forall xs, length xs = n ->
   same_law (view xs) (dmap (fun z => Z.of_nat (ones xs) + Z.of_nat z)%Z (flips n (1 - gamma)))) /\
  (forall xs ys, length xs = n -> neighbors xs ys ->
   same_law (view xs) (view ys) \/ same_law (view xs) (dmap (Z.add 1) (view ys)) \/
   same_law (view ys) (dmap (Z.add 1) (view xs))).

Theorem row_zsum_view_holds : row_zsum_view.
Proof.
  intros n gamma Hn Hg view. split.
  - intros xs L f. unfold view. rewrite !mean_dmap, zsum_view_sum, L. apply mean_ext. intros z.
    unfold number. rewrite repeat_length, Nat2Z.inj_add. reflexivity.
  - assert (Shift : forall us vs,
      same_law (messages (zsum_randomizer gamma) us) (dmap (cons tt) (messages (zsum_randomizer gamma) vs)) ->
      same_law (view us) (dmap (Z.add 1) (view vs))).
    { intros us vs S f. unfold view. rewrite !mean_dmap, S, mean_dmap. apply mean_ext. intros y.
      unfold number. cbn [length]. f_equal. lia. }
    intros xs ys _ N. destruct (zsum_view_neighbors gamma xs ys N) as [S | [S | S]].
    + left. intros f. unfold view. rewrite !mean_dmap. apply S.
    + right; left. apply Shift, S.
    + right; right. apply Shift, S.
Qed.

Definition row_zsum_view_every_gamma : Prop :=
  forall (n : nat) (gamma : R) (xs : list bool), (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n ->
  let view := dmap number (messages (zsum_randomizer gamma) xs) in
  let sum := Z.of_nat (ones xs) in
  same_law view (dmap (fun z => sum + Z.of_nat z)%Z (flips n (1 - gamma))) /\
  same_law view (dmap (fun w => Z.of_nat n - (Z.of_nat w - sum))%Z (flips n gamma)).

Theorem row_zsum_view_every_gamma_holds : row_zsum_view_every_gamma.
Proof.
  intros n gamma xs Hn Hg L view sum. split; [apply (row_zsum_view_holds n gamma Hn Hg), L |].
  intros f. unfold view. rewrite !mean_dmap, zsum_view, L. apply mean_flips_ext. intros w Hw.
  unfold number, sum. rewrite repeat_length. f_equal. lia.
Qed.

Definition row_zsum_half_lines : Prop :=
  forall (n t : nat) (gamma E : R), (1 <= t <= n)%nat -> 0 < gamma < 1 -> 1 <= E ->
  let w := binom n gamma in
  (E * w (t - 1)%nat <= w t <-> INR t <= (INR n + 1) * gamma / (gamma + E * (1 - gamma))) /\
  (E * w t <= w (t - 1)%nat <-> (INR n + 1) * gamma * E / (1 - gamma + gamma * E) <= INR t).

Theorem row_zsum_half_lines_holds : row_zsum_half_lines.
Proof. exact zsum_half_lines. Qed.

Definition row_zsum_closed_form : Prop :=
  forall (n : nat) (gamma E delta : R), (1 <= n)%nat -> 0 < gamma < 1 -> 1 <= E ->
  let W := flips n gamma in
  let a := Z.to_nat (Int_part ((INR n + 1) * gamma / (gamma + E * (1 - gamma)))) in
  let b := Z.to_nat (- Int_part (- ((INR n + 1) * gamma * E / (1 - gamma + gamma * E)))) in
  shuffle_dp n (zsum_randomizer gamma) (ln E) delta <->
  Rmax (Pr W (fun w => Nat.leb w a) - E * Pr W (fun w => Nat.leb (w + 1) a))
       (Pr W (fun w => Nat.leb b (w + 1)) - E * Pr W (fun w => Nat.leb b w)) <= delta.

Theorem row_zsum_closed_form_holds : row_zsum_closed_form.
Proof. exact zsum_closed_form. Qed.

Definition row_zsum_delta_falls : Prop :=
  ~ (forall (n : nat) (gamma gamma' eps delta : R),
     (1 <= n)%nat -> 0 < gamma <= gamma' -> gamma' <= 1 / 2 -> 0 <= eps ->
     shuffle_dp n (zsum_randomizer gamma) eps delta -> shuffle_dp n (zsum_randomizer gamma') eps delta).

Theorem row_zsum_delta_falls_holds : row_zsum_delta_falls.
Proof.
  intros H. destruct zsum_delta_not_monotone as [Private Not]. apply Not.
  apply (H 2%nat (1 / 3)); [lia | lra | lra | lra | exact Private].
Qed.

Definition row_zsum_zero : Prop :=
  forall (n : nat) (gamma : R), (1 <= n)%nat -> 0 <= gamma <= 1 ->
  Pr (messages (zsum_randomizer gamma) (repeat false n))
     (fun y => if Req_EM_T (zsum_estimate n gamma y) 0 then true else false) = 1.

Theorem row_zsum_zero_holds : row_zsum_zero.
Proof. exact zsum_zero. Qed.

Definition row_zsum_zero_every_gamma : Prop :=
  forall (n : nat) (gamma : R), (1 <= n)%nat -> 0 <= gamma <= 1 ->
  let view := messages (zsum_randomizer gamma) (repeat false n) in
  Pr view (fun y => Nat.leb (length y) n) = 1 /\
  Pr view (fun y => if Req_EM_T (zsum_estimate n gamma y) 0 then true else false) = 1.

Theorem row_zsum_zero_every_gamma_holds : row_zsum_zero_every_gamma.
Proof.
  intros n gamma Hn Hg view. split; [| apply zsum_zero; assumption].
  unfold Pr, view. rewrite zsum_view, (mean_ext _ _ (fun _ => 1)).
  - apply mean_const, proper_flips, Hg.
  - intros w. unfold indicator. rewrite !repeat_length, ones_zeros, (proj2 (Nat.leb_le _ _)) by lia.
    reflexivity.
Qed.

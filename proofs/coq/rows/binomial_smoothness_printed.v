(** The rows of proofs/binomial_smoothness_printed.py: what each kernel row says. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws masses binomial binomial_steps binomial_smoothness binomial_smoothness_needs binomial_smoothness_printed.
Open Scope R_scope.

Definition row_lemma3_reach_printed : Prop :=
  ~ (forall (n : nat) (gamma alpha : R) (k : Z),
     (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z ->
     IZR k <= alpha * gamma * INR n / 2 -> IZR k <= alpha * gamma / 2).

Theorem row_lemma3_reach_printed_holds : row_lemma3_reach_printed.
Proof. exact lemma3_reach_printed_fails. Qed.

Definition row_lemma3_good_set_printed : Prop :=
  ~ (forall (n : nat) (gamma alpha : R) (k y : Z), let mu := gamma * INR n in
     (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z ->
     IZR k <= alpha * gamma * INR n / 2 ->
     (1 - alpha) * mu + IZR k <= IZR y <= (1 + alpha) * mu - IZR k ->
     (1 - alpha / 2) * mu <= IZR y <= (1 + alpha / 2) * mu).

Theorem row_lemma3_good_set_printed_holds : row_lemma3_good_set_printed.
Proof. exact lemma3_good_set_printed_fails. Qed.

Definition row_lemma3_inference_printed : Prop :=
  ~ (forall (n : nat) (gamma : R) (a b c d : nat),
     0 <= gamma <= 1 -> (c <= a)%nat -> (a <= b)%nat -> (b <= d)%nat ->
     Pr (flips n gamma) (fun i => negb (Nat.leb a i && Nat.leb i b)) <=
     Pr (flips n gamma) (fun i => negb (Nat.leb c i && Nat.leb i d))).

Theorem row_lemma3_inference_printed_holds : row_lemma3_inference_printed.
Proof. exact lemma3_inference_printed_fails. Qed.

Definition row_lemma3_ratio_up_printed : Prop :=
  ~ (forall (n y j : nat) (gamma : R),
     0 < gamma <= 1 / 2 -> (1 <= y)%nat -> (1 <= j)%nat -> (y + j <= n)%nat ->
     binom n gamma y / binom n gamma (y + j) = (1 - gamma) ^ j / INR y ^ j *
     (prod j (fun i => INR y + INR (S i)) / prod j (fun i => INR n - INR y - INR i))).

Theorem row_lemma3_ratio_up_printed_holds : row_lemma3_ratio_up_printed.
Proof. exact lemma3_ratio_up_printed_fails. Qed.

Definition row_lemma3_ratio_down_printed : Prop :=
  ~ (forall (n y j : nat) (gamma : R), 0 < gamma <= 1 / 2 -> (1 <= j)%nat -> (j < y)%nat -> (y <= n)%nat ->
     binom n gamma y / binom n gamma (y - j) = (INR y / (1 - gamma)) ^ j *
     (prod j (fun i => INR n - INR y + INR (S i)) / prod (S j) (fun i => INR y - INR i))).

Theorem row_lemma3_ratio_down_printed_holds : row_lemma3_ratio_down_printed.
Proof. exact lemma3_ratio_down_printed_fails. Qed.

Definition row_lemma3_ratio_down_factor : Prop :=
  ~ (forall (n y j : nat) (gamma : R), 0 < gamma <= 1 / 2 -> (1 <= j)%nat -> (j < y)%nat -> (y <= n)%nat ->
     binom n gamma y / binom n gamma (y - j) = (gamma / (1 - gamma)) ^ j *
     (prod j (fun i => INR n - INR y + INR (S i)) / prod (S j) (fun i => INR y - INR i))).

Theorem row_lemma3_ratio_down_factor_holds : row_lemma3_ratio_down_factor.
Proof. exact lemma3_ratio_down_factor_fails. Qed.

Definition row_lemma3_exponent_printed : Prop :=
  ~ (exists alpha : R, 0 < alpha < 1 /\
     forall k j : Z, (1 <= j)%Z -> (Z.abs j <= k)%Z ->
     ((1 + alpha) / (1 - alpha)) ^ Z.abs_nat j = exp (ln ((1 + alpha) / (1 - alpha)) * IZR (Z.abs k))).

Theorem row_lemma3_exponent_printed_holds : row_lemma3_exponent_printed.
Proof. intros [alpha [Ha H]]. exact (lemma3_exponent_printed_fails alpha Ha H). Qed.

Definition row_lemma3_step_up_printed : Prop :=
  ~ (forall (n : nat) (gamma alpha : R) (k y : Z) (j : nat), let mu := gamma * INR n in
     (1 <= n)%nat -> 0 < gamma <= 1 / 2 -> 0 < alpha < 1 -> (1 <= k)%Z ->
     IZR k <= alpha * gamma * INR n / 2 ->
     (1 - alpha) * mu + IZR k <= IZR y <= (1 + alpha) * mu - IZR k -> (1 <= Z.of_nat j <= k)%Z ->
     binomial n gamma y <= (1 + alpha) ^ j * binomial n gamma (y + Z.of_nat j)).

Theorem row_lemma3_step_up_printed_holds : row_lemma3_step_up_printed.
Proof. exact lemma3_step_up_printed_fails. Qed.

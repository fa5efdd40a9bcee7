(** The rows of the ledger on noise that users share for a count: what each of them states, and that it holds. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick shuffler mean_excess.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_mean.
From Exactdp Require Import negative_binomial_sums negative_binomial_law negative_binomial_privacy private_counting.
From Exactdp Require Import poisson_noise poisson_sums flooding flooding_error.
Open Scope R_scope.

Definition row_negative_binomial_shares : Prop :=
  forall (n : nat) (r p : R), (1 <= n)%nat -> 0 < r -> 0 <= p < 1 ->
  law (negative_binomial (r / INR n) p) /\ law (negative_binomial r p) /\
  forall t, shares (negative_binomial (r / INR n) p) n t = negative_binomial r p t.
Theorem row_negative_binomial_shares_holds : row_negative_binomial_shares.
Proof.
  intros n r p Hn Hr Hp. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (S := negative_binomial_exists (r / INR n) p (Rdiv_lt_0_compat _ _ Hr N) Hp).
  assert (W := negative_binomial_exists r p Hr Hp).
  split; [apply S |]. split; [apply W |].
  apply (negative_binomial_unique r p); [apply negative_binomial_divisible; assumption | exact W].
Qed.

Definition row_negative_binomial_mechanism : Prop :=
  forall (X : Type) (f : X -> Z) (neighbor : X -> X -> Prop) (eps delta r p : R) (Delta : nat),
  (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y -> forall (T : Z -> Prop) s t,
  mass_of (fun z => on_naturals (negative_binomial r p) (z - f x)) T s ->
  mass_of (fun z => on_naturals (negative_binomial r p) (z - f y)) T t ->
  s <= exp eps * t + delta.
Theorem row_negative_binomial_mechanism_holds : row_negative_binomial_mechanism.
Proof.
  intros X f neighbor eps delta r p Delta HD He Pd Hr Hd Hp.
  apply (negative_binomial_private f neighbor eps delta r p); auto. assert (P := exp_pos (- (eps / (5 * INR Delta)))).
  apply negative_binomial_exists; lra.
Qed.

Definition row_counting_one_sided : Prop :=
  forall (n Delta : nat) (eps delta r p : R),
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (eps / (5 * INR Delta))) <= p < 1 ->
  forall xs ys, neighbors xs ys -> length xs = n -> (forall x, In x xs \/ In x ys -> (x <= Delta)%nat) ->
  forall (T : nat -> Prop) s t,
  mass_of (received (negative_binomial (r / INR n) p) xs) T s ->
  mass_of (received (negative_binomial (r / INR n) p) ys) T t ->
  s <= exp eps * t + delta.
Theorem row_counting_one_sided_holds : row_counting_one_sided.
Proof.
  intros n Delta eps delta r p Hn HD He Pd Hr Hd Hp. apply (counting_private n Delta eps delta r p); auto.
  assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (P := exp_pos (- (eps / (5 * INR Delta)))).
  apply negative_binomial_exists; [apply Rdiv_lt_0_compat; lra | lra].
Qed.

Definition row_counting_poisson : Prop :=
  forall (n Delta : nat) (eps delta mu : R),
  let g := 1 - exp (- (eps / INR Delta)) in
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < eps -> 0 < delta ->
  10 * ln (1 / delta) / g ^ 2 <= mu -> 2 * INR Delta / g <= mu ->
  (forall t, shares (poisson (mu / INR n)) n t = poisson mu t) /\
  forall xs ys, neighbors xs ys -> length xs = n -> (forall x, In x xs \/ In x ys -> (x <= Delta)%nat) ->
  forall (T : nat -> Prop) s t,
  mass_of (received (poisson (mu / INR n)) xs) T s -> mass_of (received (poisson (mu / INR n)) ys) T t ->
  s <= exp eps * t + delta.
Theorem row_counting_poisson_holds : row_counting_poisson.
Proof.
  intros n Delta eps delta mu g Hn HD He Pd M1 M2. split.
  - intros t. apply poisson_divisible, Hn.
  - apply poisson_counting_private; assumption.
Qed.

Definition row_poisson_mechanism : Prop :=
  forall (X : Type) (f : X -> Z) (neighbor : X -> X -> Prop) (eps delta mu : R) (Delta : nat),
  let g := 1 - exp (- (eps / INR Delta)) in
  (1 <= Delta)%nat -> 0 < eps -> 0 < delta ->
  (10 * ln (1 / delta) / g ^ 2 <= mu /\ 2 * INR Delta / g <= mu \/
   delta <= 1 /\ mu = 16 * ln (10 / delta) / g ^ 2 + 2 * INR Delta / g) ->
  (forall x y, neighbor x y -> (Z.abs (f x - f y) <= Z.of_nat Delta)%Z) ->
  forall x y, neighbor x y -> forall (T : Z -> Prop) s t,
  mass_of (fun z => on_naturals (poisson mu) (z - f x)) T s ->
  mass_of (fun z => on_naturals (poisson mu) (z - f y)) T t ->
  s <= exp eps * t + delta.
Theorem row_poisson_mechanism_holds : row_poisson_mechanism.
Proof.
  intros X f neighbor eps delta mu Delta g HD He Pd [[A B] | [D ->]].
  - apply poisson_private; assumption.
  - apply poisson_mechanism; auto.
Qed.

(* bins lists the k inputs, each once; j messages beside the own one are independent, uniform over them. *)
Definition row_flooding_frequencies : Prop :=
  forall (X : Type) (bins : list X) (n : nat) (m eps delta : R),
  NoDup bins -> (forall x, In x bins) -> (1 <= n)%nat -> 0 < m -> 0 < eps -> 0 < delta ->
  let send x := chain (poisson m) (fun j => chain (mass (copies (uniform bins) j)) (fun noise => point (x :: noise))) in
  let lambda := INR n * m / INR (length bins) in
  let t := (exp eps - 1) / (exp eps + 1) in
  (ln (1 / delta) + t * (1 - t) <= lambda * (t ^ 2 * (1 - t ^ 2 / 4)) -> countable_dp n send eps delta) /\
  (forall x, sum_of (fun u => send x u * INR (length u)) (1 + m)) /\
  forall xs v, length xs = n ->
  let named u := INR (count_occ same u v) in
  sum_of (fun u => sent send xs u * named u) (named xs + lambda) /\
  sum_of (fun u => sent send xs u * (named u - lambda - named xs) ^ 2) lambda /\
  forall r, 0 < r ->
  expectation (sent send xs) (indicator (fun u => Rleb r (Rabs (named u - lambda - named xs)))) <=
  2 * exp (- (r ^ 2 / (2 * lambda + r))).
Theorem row_flooding_frequencies_holds : row_flooding_frequencies.
Proof.
  intros X bins n m eps delta Once All Hn Hm He Hd send lambda t. assert (M : 0 <= m) by lra. split; [| split].
  - exact (flooding_private bins m n eps delta All M Hn He Hd).
  - intros x. apply (flooding_messages bins m x); [| exact M]. intros E. specialize (All x). rewrite E in All. exact All.
  - intros xs v Len. subst n. split; [| split].
    + apply (flooding_mean bins m xs v Once (All v) M Hn).
    + apply (flooding_variance bins m xs v Once (All v) M Hn).
    + intros r Hr. apply (flooding_tail bins m xs v r Once (All v) Hm Hn Hr).
Qed.

(** The rows of proofs/split_and_mix.py: what split and mix shows beside a sum. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import sums laws privacy masses hockey_stick countable_programs geometric_noise.
From Exactdp Require Import negative_binomial_mean words split_and_mix random_graph components noisy_sum.
From Exactdp Require Import split_and_mix_laplace average_case.
Import ListNotations.
Open Scope R_scope.

(* 1/q times the mean number of colourings with q colours, less 1; what is summed is S(z)^q. *)
Definition mixing_excess (m n q : nat) : R :=
  let s k := INR (fact (m * k)) / INR (fact k) ^ 2 in convolved q (fun _ => s) n / s n / INR q - 1.

Definition row_split_and_mix_average_case : Prop :=
  let n := 174%nat in
  exists T, symmetric T /\
  sqrt 2 * exp 1 / INR n < Pr (messages (split 2 3) (repeat 0%nat n)) T - Pr (messages (split 2 3) (repeat 1%nat n)) T.

Theorem row_split_and_mix_average_case_holds : row_split_and_mix_average_case.
Proof. exact average_case_apart. Qed.

Definition row_split_and_mix_security : Prop :=
  forall (n m q : nat) (xs ys : list nat) (T : list nat -> bool),
  (1 <= n)%nat -> (1 <= m)%nat -> (1 <= q)%nat -> length xs = n -> length ys = n ->
  (Z.of_nat (list_sum xs) mod Z.of_nat q = Z.of_nat (list_sum ys) mod Z.of_nat q)%Z -> symmetric T ->
  Rabs (Pr (messages (split q m) xs) T - Pr (messages (split q m) ys) T) <=
    sqrt ((mixing_excess m n q + mixing_excess m n 2) / 2).

Theorem row_split_and_mix_security_holds : row_split_and_mix_security.
Proof.
  intros n m q xs ys T Hn Hm Hq Lx Ly E S.
  apply (components_bound m n Hm Hn q Hq xs ys Lx Ly); [| exact S]. unfold is_multiple, sum_of. apply Z.eqb_eq.
  rewrite Zminus_mod, E, Z.sub_diag. apply Z.mod_0_l. lia.
Qed.

(* Each user adds noise of her own before she splits; [draws] is the law of the sum of the noise. *)
Definition row_split_and_mix_noisy_sum : Prop :=
  forall (X : Type) (value : X -> Z) (n m q : nat) (noise : Z -> R) (eps delta : R),
  (1 <= n)%nat -> (1 <= m)%nat -> (1 <= q)%nat -> law noise ->
  let modulo_q z := Z.to_nat (z mod Z.of_nat q) in
  let send x := chain noise (fun z => mass (split q m (modulo_q (value x + z)%Z))) in
  let curator xs :=
    chain (draws noise (length xs)) (fun z => point (modulo_q (fold_right (fun x => Z.add (value x)) 0 xs + z)%Z)) in
  ((forall xs ys, neighbors xs ys -> length xs = n -> mass_below (curator xs) (curator ys) (exp eps) delta) ->
    countable_dp n send eps
      (delta + (1 + exp eps) * (sqrt (mixing_excess m n q) / 2))) /\
  (forall xs F, length xs = n -> unit_valued F ->
    expectation (sent send xs) (fun u => F (modulo_q (Z.of_nat (list_sum u)))) = expectation (curator xs) F).

Theorem row_split_and_mix_noisy_sum_holds : row_split_and_mix_noisy_sum.
Proof.
  intros X value n m q noise eps delta Hn Hm Hq L modulo_q send curator. split.
  - exact (noisy_split_private value q m noise Hq Hm L n eps delta Hn).
  - intros xs F Len U. exact (noisy_split_exact value q m noise Hq Hm L n xs F Hn Len U).
Qed.

(* A user draws twice from [share], and splits her number with the difference of the two. *)
Definition row_split_and_mix_laplace : Prop :=
  forall (n m q Delta : nat) (eps : R) (share : nat -> R),
  (1 <= n)%nat -> (1 <= m)%nat -> (1 <= q)%nat -> (1 <= Delta)%nat -> 0 < eps ->
  let p := exp (- (eps / INR Delta)) in
  is_negative_binomial (1 / INR n) p share ->
  let noise := chain share (fun g => chain share (fun h => point (Z.of_nat g - Z.of_nat h)%Z)) in
  let send x := chain noise (fun z =>
    mass (split q m (Z.to_nat ((Z.of_nat (Nat.min x Delta) + z) mod Z.of_nat q)))) in
  countable_dp n send eps ((1 + exp eps) * (sqrt (mixing_excess m n q) / 2)) /\
  forall (h k l : nat) (xs : list nat), length xs = n ->
  (1 <= k <= l)%nat -> (l <= h + 1)%nat -> (l + h + n * Delta <= q)%nat ->
  let estimate u := ((Z.of_nat (list_sum u) + Z.of_nat h) mod Z.of_nat q - Z.of_nat h)%Z in
  let sum := fold_right (fun x => Nat.add (Nat.min x Delta)) 0%nat xs in
  let far u := Z.leb (Z.of_nat k) (Z.abs (estimate u - Z.of_nat sum)) in
  2 * (p ^ k - p ^ l) / (1 + p) <= expectation (sent send xs) (indicator far) <= 2 * p ^ k / (1 + p).

Theorem row_split_and_mix_laplace_holds : row_split_and_mix_laplace.
Proof.
  intros n m q Delta eps share Hn Hm Hq HD He p N noise send. split.
  - exact (laplace_split_private n m q Delta eps share Hn Hm Hq HD He N).
  - intros h k l xs Len Hk Hl Room.
    assert (Hp : 0 < p < 1) by (apply ratio_of_eps, Rdiv_lt_0_compat; [exact He | apply lt_0_INR; lia]).
    exact (laplace_split_error n m q Delta h k l p share xs Hn Hm Hp N Len Hk Hl Room).
Qed.

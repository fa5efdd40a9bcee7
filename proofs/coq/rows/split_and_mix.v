(** The rows of proofs/split_and_mix.py that hold for all parameters: what split and mix shows beside a sum. *)

From Coq Require Import Reals List Lra Lia ZArith.
From Exactdp Require Import sums laws privacy words split_and_mix random_graph components noisy_sum.
Import ListNotations.
Open Scope R_scope.

(* 1/q times the mean number of colourings with q colours, less 1; what is summed is S(z)^q. *)
Definition mixing_excess (m n q : nat) : R :=
  let s k := INR (fact (m * k)) / INR (fact k) ^ 2 in convolved q (fun _ => s) n / s n / INR q - 1.

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

(* Each user adds noise of her own before she splits; [noisy] lists what the users split. *)
Definition row_split_and_mix_noisy_sum : Prop :=
  forall (n m q : nat) (noise : dist nat) (eps delta : R),
  (1 <= n)%nat -> (1 <= m)%nat -> (1 <= q)%nat -> proper noise ->
  let send x := bind noise (fun z => split q m (x + z)) in
  let modulo_q u := Z.to_nat (Z.of_nat (list_sum u) mod Z.of_nat q) in
  let curator xs := dmap modulo_q (noisy noise xs) in
  (dp n curator eps delta -> shuffle_dp n send eps
    (delta + (1 + exp eps) * sqrt ((mixing_excess m n q + mixing_excess m n 2) / 2))) /\
  (forall xs F, length xs = n -> mean (messages send xs) (fun u => F (modulo_q u)) = mean (curator xs) F).

Theorem row_split_and_mix_noisy_sum_holds : row_split_and_mix_noisy_sum.
Proof.
  intros n m q noise eps delta Hn Hm Hq Hp send modulo_q curator. split.
  - exact (noisy_split_private q m noise Hq Hm Hp n eps delta Hn).
  - intros xs F L. exact (noisy_split_exact q m noise Hq Hm n xs F Hn L).
Qed.

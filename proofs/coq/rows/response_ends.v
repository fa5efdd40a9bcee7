(** The rows of proofs/response_ends.py: k-ary randomized response between its two ends. *)

From Coq Require Import Reals Lra Lia.
From Exactdp Require Import reals laws privacy k_ary_classes k_ary_ends closing closing_exactly
  k_ary_worst.
Open Scope R_scope.

(** Inputs of [k_ary_records] are taken modulo k. *)
Definition row_k_ary_ends : Prop :=
  forall (k n : nat) (eps0 eps delta : R),
  (2 <= k)%nat -> (1 <= n)%nat -> 0 <= eps0 -> 0 <= eps ->
  (k_ary_upper_sum n k (exp eps0) (exp eps) <= delta ->
   shuffle_dp n (one_message (k_ary_records k (exp eps0))) eps delta) /\
  ((3 <= k)%nat -> shuffle_dp n (one_message (k_ary_records k (exp eps0))) eps delta ->
   k_ary_lower_sum n k (exp eps0) (exp eps) <= delta).

Theorem row_k_ary_ends_holds : row_k_ary_ends.
Proof.
  intros k n eps0 eps delta K Hn H0 He. assert (E := exp_ge_1 eps0 H0). split.
  - apply k_ary_upper; assumption.
  - intros K3. apply k_ary_lower; assumption.
Qed.

Definition row_k_ary_closes : Prop :=
  forall (k n : nat) (eps0 eps : R),
  (3 <= k)%nat -> (1 <= n)%nat -> 0 <= eps0 -> 0 <= eps ->
  let none_between := forall a b : nat, (a + b <= n)%nat ->
    ~ (0 < INR a * (exp eps0 - exp eps) - INR b * (exp eps * exp eps0 - 1) < (exp eps - 1) * INR (n - a - b)) in
  (k_ary_upper_sum n k (exp eps0) (exp eps) = k_ary_lower_sum n k (exp eps0) (exp eps) <-> none_between) /\
  (none_between -> forall delta : R,
   shuffle_dp n (one_message (k_ary_records k (exp eps0))) eps delta <->
   k_ary_lower_sum n k (exp eps0) (exp eps) <= delta).

Theorem row_k_ary_closes_holds : row_k_ary_closes.
Proof.
  intros k n eps0 eps K Hn H0 He none_between. assert (E := exp_ge_1 eps0 H0). assert (E' := exp_ge_1 eps He). split.
  - rewrite <- (k_ary_upper_end k (exp eps0) n (exp eps) 0 1) by (assumption || lia).
    rewrite <- (k_ary_lower_end k (exp eps0) n (exp eps) 0 1 2) by (assumption || lia).
    apply k_ary_closes_exactly; assumption || lia.
  - intros C delta. apply k_ary_worst; assumption.
Qed.

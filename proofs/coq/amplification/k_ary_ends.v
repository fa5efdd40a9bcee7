(** Both ends of k-ary randomized response, in closed form.

    E = e^eps0 >= 1, e = e^eps any real number, q = 1 / (E + k - 1) the probability of a wrong message, n users, x
    and y different inputs. Against the blanket, k >= 2 ([k_ary_upper_end]), and where all others hold a third input
    z, k >= 3 ([k_ary_lower_end]), the bound is

      (1/n) sum over a, b, r >= 0 with a + b + r <= n of
      n! / (a! b! r! s!) w(a, b, r) max(0, a (E - e) - b (e E - 1) - rest),

    s = n - a - b - r, the multinomial coefficient written as C(n, a) C(n - a, b) C(n - a - b, r), with
    - for the blanket w = q^(a+b) ((k-2) q)^r (1 - k q)^s and rest = r (e - 1);
    - for all others z w = q^(a+b) (E q)^r ((k-3) q)^s and rest = r (e - 1) / E + s (e - 1).

    Before that: the laws of the values as four atoms. Source: this package. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat.
From Exactdp Require Import reals sums laws hockey_stick mean_excess classes supports k_ary_classes atom_counts.
Import ListNotations.
Open Scope R_scope.

Definition k_ary_upper_law (k : nat) (E e : R) : dist R :=
  let q := response_low k E in
  [(q, E - e); (q, 1 - e * E); (INR (k - 2) * q, 1 - e); (1 - INR k * q, 0)].

Definition k_ary_lower_law (k : nat) (E e : R) : dist R :=
  let q := response_low k E in
  [(q, E - e); (q, 1 - e * E); (E * q, (1 - e) / E); (INR (k - 3) * q, 1 - e)].

(** How often n draws are a, b and r times the first three of four atoms. *)
Definition sum_over_counts (n : nat) (w : nat -> nat -> nat -> nat -> R) : R :=
  total (seq 0 (S n)) (fun a => total (seq 0 (S (n - a))) (fun b => total (seq 0 (S (n - a - b))) (fun r =>
    C n a * C (n - a) b * C (n - a - b) r * w a b r (n - a - b - r)%nat))).

Definition k_ary_upper_sum (n k : nat) (E e : R) : R :=
  let q := response_low k E in
  sum_over_counts n (fun a b r s => q ^ a * q ^ b * (INR (k - 2) * q) ^ r * (1 - INR k * q) ^ s *
    Rmax 0 (INR a * (E - e) - INR b * (e * E - 1) - INR r * (e - 1))) / INR n.

Definition k_ary_lower_sum (n k : nat) (E e : R) : R :=
  let q := response_low k E in
  sum_over_counts n (fun a b r s => q ^ a * q ^ b * (E * q) ^ r * (INR (k - 3) * q) ^ s *
    Rmax 0 (INR a * (E - e) - INR b * (e * E - 1) - INR r * ((e - 1) / E) - INR s * (e - 1))) / INR n.

Section Ends.

  Context (k : nat) (E : R).
  Hypothesis E_1 : 1 <= E.

  Local Notation q := (response_low k E).

  Lemma k_ary_upper_values n e x y :
    (2 <= k)%nat -> (x < k)%nat -> (y < k)%nat -> x <> y ->
    reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E) =
    mean_excess n (k_ary_upper_law k E e).
  Proof.
    intros K X Y N. assert (L := response_low_positive k E ltac:(lia) E_1).
    destruct (k_ary_blanket k E K E_1) as [_ [_ [_ B]]]. rewrite (B x y n e X Y N).
    assert (S := class_bound_scaled n e [(0, (E * q, E * q, q)); (1, (E * q, q, q)); (1, (q, E * q, q));
      (INR (k - 2), (q, q, q)); (0, (E * q, E * q, E * q))]).
    unfold blanket_list, one_of. simpl in S |- *. unfold first_mass, second_mass, reference_mass in S. simpl in S.
    rewrite !Rminus_0_r. rewrite S; clear S.
    - apply mean_excess_same_law. intros f. unfold k_ary_upper_law, mean. simpl.
      replace ((E * q - e * q) / q) with (E - e) by (field; lra).
      replace ((q - e * (E * q)) / q) with (1 - e * E) by (field; lra).
      replace ((q - e * q) / q) with (1 - e) by (field; lra).
      rewrite minus_INR by lia. simpl. ring.
    - assert (0 < E * q) by (apply Rmult_lt_0_compat; lra).
      intros wk [<- | [<- | [<- | [<- | [<- | []]]]]]; simpl; assumption.
  Qed.

  Lemma k_ary_lower_values n e x y z :
    (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y ->
    reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z) =
    mean_excess n (k_ary_lower_law k E e).
  Proof.
    intros X Y Z N1 N2 N3. assert (K : (3 <= k)%nat) by lia.
    assert (L := response_low_positive k E ltac:(lia) E_1).
    destruct (k_ary_others k E ltac:(lia) E_1) as [_ T]. rewrite (T x y z n e X Y Z N1 N2 N3 I).
    assert (S := class_bound_scaled n e [(0, (E * q, E * q, E * q)); (0, (E * q, E * q, q)); (0, (E * q, q, E * q));
      (1, (E * q, q, q)); (0, (q, E * q, E * q)); (1, (q, E * q, q)); (1, (q, q, E * q)); (INR (k - 3), (q, q, q))]).
    unfold others_list, one_of. simpl in S |- *. unfold first_mass, second_mass, reference_mass in S. simpl in S.
    rewrite S; clear S.
    - apply mean_excess_same_law. intros f. unfold k_ary_lower_law, mean. simpl.
      replace ((E * q - e * q) / q) with (E - e) by (field; lra).
      replace ((q - e * (E * q)) / q) with (1 - e * E) by (field; lra).
      replace ((q - e * q) / (E * q)) with ((1 - e) / E) by (field; lra).
      replace ((q - e * q) / q) with (1 - e) by (field; lra).
      rewrite minus_INR by lia. simpl.
      assert (M : (E + INR k - 1) * q = 1).
      { unfold response_low. apply Rinv_r. assert (A := le_INR 1 k ltac:(lia)). simpl in A. lra. }
      replace (INR k * q) with (1 + q - E * q) by lra.
      replace ((INR k - (1 + 1 + 1)) * q) with (1 + q - E * q - 3 * q) by lra. ring.
    - assert (0 < E * q) by (apply Rmult_lt_0_compat; lra).
      intros wk J. simpl in J. repeat (destruct J as [<- | J]; [assumption |]). contradiction.
  Qed.

  Lemma upper_end_here n e x y :
    (2 <= k)%nat -> (x < k)%nat -> (y < k)%nat -> x <> y ->
    reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E) = k_ary_upper_sum n k E e.
  Proof.
    intros K X Y N. rewrite k_ary_upper_values by assumption. unfold mean_excess, k_ary_upper_sum. cbv zeta. f_equal.
    unfold k_ary_upper_law. rewrite (copies_of_four_atoms _ _ _ _ _ _ _ _ n (Rmax 0)).
    unfold sum_over_counts. do 3 (apply total_ext; intros ? _). rewrite Rmult_assoc. do 3 f_equal. ring.
  Qed.

  Lemma lower_end_here n e x y z :
    (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y ->
    reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z) = k_ary_lower_sum n k E e.
  Proof.
    intros X Y Z N1 N2 N3. rewrite k_ary_lower_values by assumption. unfold mean_excess, k_ary_lower_sum. cbv zeta.
    f_equal. unfold k_ary_lower_law. rewrite (copies_of_four_atoms _ _ _ _ _ _ _ _ n (Rmax 0)).
    unfold sum_over_counts. do 3 (apply total_ext; intros ? _). rewrite Rmult_assoc. do 3 f_equal. field. lra.
  Qed.

End Ends.

Theorem k_ary_upper_end k E n e x y :
  1 <= E -> (2 <= k)%nat -> (x < k)%nat -> (y < k)%nat -> x <> y ->
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_reference k E) = k_ary_upper_sum n k E e.
Proof. intros HE. apply (upper_end_here k E HE). Qed.

Theorem k_ary_lower_end k E n e x y z :
  1 <= E -> (x < k)%nat -> (y < k)%nat -> (z < k)%nat -> x <> y -> z <> x -> z <> y ->
  reference_bound n (k_ary_response k E x) (k_ary_response k E y) e (k_ary_response k E z) = k_ary_lower_sum n k E e.
Proof. intros HE. apply (lower_end_here k E HE). Qed.

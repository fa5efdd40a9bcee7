(** The coefficientwise argument as a computation with integers.

    [checked inputs row k u v] computes, for all inputs x and y and all k bystanders, the coefficients of
    (u row(y) - v row(x)) G, where G is the product of the bystanders' rows, and looks whether one is
    negative. If none is, then n users are eps-DP with e^eps = u / v for every n >= k + 1
    ([checked_privacy]). That u / v cannot be smaller for n users is seen from one coefficient
    ([checked_attained]).

    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws privacy polynomials integer_polynomials coefficientwise.
Import ListNotations.
Open Scope R_scope.

(** All lists of k inputs. *)
Fixpoint lists_of {X} (inputs : list X) (k : nat) : list (list X) :=
  match k with
  | O => [[]]
  | S m => flat_map (fun x => map (cons x) (lists_of inputs m)) inputs
  end.

Lemma lists_of_all {X} (inputs : list X) zs :
  (forall x, In x inputs) -> In zs (lists_of inputs (length zs)).
Proof.
  intros H. induction zs as [| z zs IH]; simpl; [auto |].
  apply in_flat_map. exists z. split; [apply H | apply in_map, IH].
Qed.

Definition z_count {X} (row : X -> list Z) (xs : list X) : list Z := z_product (map row xs).

Definition checked {X} (inputs : list X) (row : X -> list Z) (k : nat) (u v : Z) : bool :=
  forallb (fun x => forallb (fun y => forallb (fun zs =>
      z_nonneg (z_mul (z_excess u v (row y) (row x)) (z_count row zs)))
    (lists_of inputs k)) inputs) inputs.

(** What is checked. *)
Lemma checked_nonneg {X} (inputs : list X) row k u v x y zs :
  (forall x, In x inputs) -> checked inputs row k u v = true -> length zs = k ->
  z_nonneg (z_mul (z_excess u v (row y) (row x)) (z_count row zs)) = true.
Proof.
  intros all H E. unfold checked in H. rewrite forallb_forall in H. specialize (H x (all x)).
  rewrite forallb_forall in H. specialize (H y (all y)). rewrite forallb_forall in H.
  apply H. rewrite <- E. apply lists_of_all, all.
Qed.

Lemma of_integers_count {X} (row : X -> list Z) xs :
  product (map (fun x => of_integers (row x)) xs) = of_integers (z_count row xs).
Proof. unfold z_count. rewrite of_integers_product, map_map. reflexivity. Qed.

(** Integers u and v in place of the real number c = u / v. *)
Lemma nonneg_ratio (u v : Z) (A B G : list Z) :
  (0 < v)%Z -> z_nonneg (z_mul (z_excess u v B A) G) = true ->
  nonneg (mul (excess (IZR u / IZR v) (of_integers B) (of_integers A)) (of_integers G)).
Proof.
  intros Hv H. apply IZR_lt in Hv. apply nonneg_of_integers in H.
  rewrite of_integers_mul, of_integers_excess in H.
  apply nonneg_coefficient. intros i. rewrite nonneg_coefficient in H. specialize (H i).
  rewrite coefficient_against, against_mul in H. rewrite coefficient_against, against_mul.
  rewrite against_add, !against_scale in H. rewrite against_excess.
  apply Rmult_le_reg_l with (IZR v); [exact Hv |]. rewrite Rmult_0_r.
  eapply Rle_trans; [exact H |]. right. field. lra.
Qed.

Section bit_protocols.

Context {X : Type} (send : X -> dist (list bool)) (L : nat) (D : R) (row : X -> list Z).
Hypothesis rows : bit_rows send L D (fun x => of_integers (row x)).

Lemma checked_privacy : forall inputs k u v,
  (0 < u)%Z -> (0 < v)%Z -> (forall x, In x inputs) -> checked inputs row k u v = true ->
  forall n, (k < n)%nat -> shuffle_dp n send (ln (IZR u / IZR v)) 0.
Proof.
  intros inputs k u v Hu Hv all H n Hn.
  apply (coefficientwise_privacy send L D _ rows (IZR u / IZR v) k); [| | exact Hn].
  - apply Rdiv_lt_0_compat; apply IZR_lt; assumption.
  - intros x y zs E. rewrite of_integers_count. apply nonneg_ratio; [exact Hv |].
    apply (checked_nonneg inputs row k); assumption.
Qed.

Lemma checked_attained : forall u v xs ys i,
  (0 < u)%Z -> (0 < v)%Z -> neighbors xs ys ->
  (0 < nth i (z_count row ys) 0 /\ u * nth i (z_count row ys) 0 <= v * nth i (z_count row xs) 0)%Z ->
  forall eps, eps < ln (IZR u / IZR v) -> ~ shuffle_dp (length xs) send eps 0.
Proof.
  intros u v xs ys i Hu Hv N [P A]. apply IZR_lt in Hu. apply IZR_lt in Hv.
  apply (coefficientwise_attained send L D _ rows _ (IZR u / IZR v) xs ys i);
    [apply Rdiv_lt_0_compat; assumption | exact N | reflexivity | |];
    rewrite !of_integers_count, !coefficient_of_integers; [apply IZR_lt, P |].
  apply IZR_le in A. rewrite !mult_IZR in A. apply Rmult_le_reg_l with (IZR v); [exact Hv |].
  eapply Rle_trans; [| exact A]. right. field. lra.
Qed.

End bit_protocols.

(** Sums over the places -J, ..., J of a lattice, as the checker lists them.

    The losses of a curve are listed in ascending order: those of the places -J, ..., -1, which the checker
    makes by reversing a list over 1, ..., J, then 0, then 1, ..., J. Here are the sums over such lists
    ([against_rev_map_seq], [against_map_seq]), and over the same places in descending order
    ([total_lattice]), for any terms. Auxiliary to curve_program.v. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import sums polynomials integer_polynomials product_laws.
Import ListNotations.
Open Scope R_scope.

Lemma against_map_seq (u : nat -> Z) s n f :
  against (of_integers (map u (seq s n))) f = total (seq s n) (fun j => IZR (u j) * f (j - s)%nat).
Proof.
  revert s f. induction n as [| n IH]; intros s f; [reflexivity |].
  change (seq s (S n)) with (s :: seq (S s) n).
  change (against (of_integers (map u (s :: seq (S s) n))) f) with
    (IZR (u s) * f O + against (of_integers (map u (seq (S s) n))) (fun i => f (S i))).
  rewrite IH. simpl total. rewrite Nat.sub_diag. f_equal. apply total_ext. intros j I.
  apply in_seq in I. do 2 f_equal. lia.
Qed.

Lemma against_rev_map_seq (u : nat -> Z) n f :
  against (of_integers (rev (map u (seq 1 n)))) f = total (seq 1 n) (fun j => IZR (u j) * f (n - j)%nat).
Proof.
  revert f. induction n as [| n IH]; intros f; [reflexivity |].
  rewrite seq_S, map_app, rev_app_distr, total_app.
  change (against (of_integers (rev (map u [(1 + n)%nat]) ++ rev (map u (seq 1 n)))) f) with
    (IZR (u (S n)) * f O + against (of_integers (rev (map u (seq 1 n)))) (fun i => f (S i))).
  rewrite IH. rewrite (total_ext (seq 1 n) _ (fun j => IZR (u j) * f (S n - j)%nat)).
  - cbn [total]. change (1 + n)%nat with (S n). rewrite Nat.sub_diag. ring.
  - intros j I. apply in_seq in I. do 2 f_equal. lia.
Qed.

(** The places J, J - 1, ..., -J. *)
Lemma total_lattice J (g : Z -> R) :
  total (seq 0 (2 * J + 1)) (fun i => g (Z.of_nat J - Z.of_nat i)%Z) =
  total (seq 1 J) (fun j => g (- Z.of_nat j)%Z) + (g 0%Z + total (seq 1 J) (fun j => g (Z.of_nat j))).
Proof.
  rewrite <- (total_map (fun i => (Z.of_nat J - Z.of_nat i)%Z) (seq 0 (2 * J + 1)) g).
  rewrite <- (total_map (fun j => (- Z.of_nat j)%Z) (seq 1 J) g), <- (total_map Z.of_nat (seq 1 J) g).
  change (g 0%Z + total (map Z.of_nat (seq 1 J)) g) with (total (0%Z :: map Z.of_nat (seq 1 J)) g).
  rewrite <- total_app. apply total_permutation, NoDup_Permutation.
  - apply FinFun.Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup].
  - apply product_laws.disjoint_append.
    + apply FinFun.Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup].
    + constructor.
      * intros I. apply in_map_iff in I. destruct I as [j [E I]]. apply in_seq in I. lia.
      * apply FinFun.Injective_map_NoDup; [intros x y E; lia | apply seq_NoDup].
    + intros z I K. apply in_map_iff in I. destruct I as [j [E I]]. apply in_seq in I.
      destruct K as [K | K]; [lia |]. apply in_map_iff in K. destruct K as [k [E' K]]. apply in_seq in K. lia.
  - intros z. rewrite in_app_iff. simpl. rewrite !in_map_iff. split.
    + intros [i [<- I]]. apply in_seq in I.
      destruct (Z.lt_trichotomy (Z.of_nat J - Z.of_nat i) 0) as [L | [L | L]].
      * left. exists (i - J)%nat. rewrite in_seq. lia.
      * right. left. lia.
      * right. right. exists (J - i)%nat. rewrite in_seq. lia.
    + intros [[j [<- I]] | [<- | [j [<- I]]]]; [apply in_seq in I | | apply in_seq in I].
      * exists (J + j)%nat. rewrite in_seq. lia.
      * exists J. rewrite in_seq. lia.
      * exists (J - j)%nat. rewrite in_seq. lia.
Qed.

(** A mean over copies of a law with few atoms, as a sum over how often each atom is drawn.

    For a finite law that lists the atom v with weight w and then D, every n and every function f of the sum of the
    draws: the mean over n copies is the sum over a = 0, ..., n of C(n, a) w^a times the mean over n - a copies of D
    of f(a v + their sum) ([copies_atom]); one atom alone gives w^n f(n v) ([copies_last_atom]). The weights may be
    any real numbers. Idea: induction on n with Pascal's rule. (Standard.) *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws independence binomial mean_excess.
Import ListNotations.
Open Scope R_scope.

(** The sum of what was drawn. *)
Definition sum_of_draws (values : list R) : R := total values (fun v => v).

Lemma pascal_sum n (G : nat -> R) :
  total (seq 0 (S (S n))) (fun a => C (S n) a * G a) =
  total (seq 0 (S n)) (fun a => C n a * G (S a)) + total (seq 0 (S n)) (fun a => C n a * G a).
Proof.
  rewrite total_seq_shift, (total_seq_shift n (fun a => C n a * G a)), !total_seq_S, !choose_0, !choose_n.
  rewrite (total_ext (seq 0 n) (fun i => C (S n) (S i) * G (S i)) (fun i => C n i * G (S i) + C n (S i) * G (S i))).
  - rewrite total_plus. ring.
  - intros i I. apply in_seq in I. rewrite <- pascal by lia. ring.
Qed.

Lemma copies_atom w v (D : dist R) n f :
  mean (copies ((w, v) :: D) n) (fun l => f (sum_of_draws l)) =
  total (seq 0 (S n)) (fun a => C n a * (w ^ a * mean (copies D (n - a)) (fun l => f (INR a * v + sum_of_draws l)))).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - simpl seq. cbn [total]. rewrite choose_0, !mean_copies_none. unfold sum_of_draws. simpl.
    replace (0 * v + 0) with 0 by ring. ring.
  - set (G := fun a => w ^ a * mean (copies D (S n - a)) (fun l => f (INR a * v + sum_of_draws l))).
    change (mean (copies ((w, v) :: D) (S n)) (fun l => f (sum_of_draws l)) =
      total (seq 0 (S (S n))) (fun a => C (S n) a * G a)).
    rewrite pascal_sum, mean_copies_first.
    change (mean ((w, v) :: D) (fun a => mean (copies ((w, v) :: D) n) (fun rest => f (sum_of_draws (a :: rest))))) with
      (w * mean (copies ((w, v) :: D) n) (fun rest => f (v + sum_of_draws rest)) +
       mean D (fun a => mean (copies ((w, v) :: D) n) (fun rest => f (a + sum_of_draws rest)))).
    f_equal.
    + rewrite (IH (fun s => f (v + s))), <- total_scal. apply total_ext. intros a _. unfold G.
      rewrite (mean_ext _ (fun l => f (v + (INR a * v + sum_of_draws l))) (fun l => f (INR (S a) * v + sum_of_draws l)))
        by (intros l; f_equal; rewrite S_INR; ring).
      replace (S n - S a)%nat with (n - a)%nat by lia. simpl pow. ring.
    + rewrite (mean_ext D _ (fun b => total (seq 0 (S n)) (fun a => C n a * (w ^ a * mean (copies D (n - a))
        (fun l => f (b + (INR a * v + sum_of_draws l))))))) by (intros b; apply (IH (fun s => f (b + s)))).
      unfold mean at 1.
      rewrite (total_ext D _ (fun wb => total (seq 0 (S n)) (fun a => fst wb * (C n a * (w ^ a * mean (copies D (n - a))
        (fun l => f (snd wb + (INR a * v + sum_of_draws l)))))))) by (intros wb _; rewrite total_scal; reflexivity).
      rewrite total_swap. apply total_ext. intros a A. apply in_seq in A. unfold G.
      replace (S n - a)%nat with (S (n - a)) by lia. rewrite mean_copies_first. unfold mean at 2.
      rewrite <- !total_scal. apply total_ext. intros wb _.
      rewrite (mean_ext _ (fun l => f (snd wb + (INR a * v + sum_of_draws l)))
        (fun l => f (INR a * v + sum_of_draws (snd wb :: l)))).
      * ring.
      * intros l. f_equal. unfold sum_of_draws. simpl. ring.
Qed.

Lemma copies_last_atom w v n f :
  mean (copies [(w, v)] n) (fun l => f (sum_of_draws l)) = w ^ n * f (INR n * v).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - rewrite mean_copies_none. unfold sum_of_draws. simpl. rewrite Rmult_0_l. ring.
  - rewrite mean_copies_first.
    change (w * mean (copies [(w, v)] n) (fun l => f (v + sum_of_draws l)) + 0 = w ^ S n * f (INR (S n) * v)).
    rewrite (IH (fun s => f (v + s))), S_INR. simpl pow.
    replace ((INR n + 1) * v) with (v + INR n * v) by ring. ring.
Qed.

(** Four atoms: the sum over the numbers a, b and r of the first three. *)
Theorem copies_of_four_atoms w1 v1 w2 v2 w3 v3 w4 v4 n f :
  mean (copies [(w1, v1); (w2, v2); (w3, v3); (w4, v4)] n) (fun l => f (sum_of_draws l)) =
  total (seq 0 (S n)) (fun a => total (seq 0 (S (n - a))) (fun b => total (seq 0 (S (n - a - b))) (fun r =>
    C n a * C (n - a) b * C (n - a - b) r * (w1 ^ a * w2 ^ b * w3 ^ r * w4 ^ (n - a - b - r)) *
    f (INR a * v1 + INR b * v2 + INR r * v3 + INR (n - a - b - r) * v4)))).
Proof.
  rewrite copies_atom. apply total_ext. intros a _.
  rewrite (copies_atom w2 v2 _ _ (fun s => f (INR a * v1 + s))), <- !total_scal. apply total_ext. intros b _.
  rewrite (copies_atom w3 v3 _ _ (fun s => f (INR a * v1 + (INR b * v2 + s)))), <- !total_scal. apply total_ext.
  intros r _.
  rewrite (copies_last_atom w4 v4 _ (fun s => f (INR a * v1 + (INR b * v2 + (INR r * v3 + s))))).
  replace (INR a * v1 + (INR b * v2 + (INR r * v3 + INR (n - a - b - r) * v4))) with
    (INR a * v1 + INR b * v2 + INR r * v3 + INR (n - a - b - r) * v4) by ring.
  ring.
Qed.

(** Binomial masses by integers.

    For integers a, b with a + b <> 0 and p = a / (a + b), the mass of i under Bin(n, p) is
    [nth i (row a b n) 0 / (a + b)^n], where the list [row a b n] of integers comes from Pascal's rule with the
    weights a and b. So a single mass, or a sum of masses, is found by computing with integers. Proved for
    every n and every i. (Elementary.) *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums binomial.
Import ListNotations.
Open Scope R_scope.

(** One more coin: the entry i becomes a (entry i - 1) + b (entry i); [carry] is the entry before. *)
Fixpoint next_row (a b carry : Z) (entries : list Z) : list Z :=
  match entries with
  | [] => [(a * carry)%Z]
  | x :: rest => (a * carry + b * x)%Z :: next_row a b x rest
  end.

Fixpoint row (a b : Z) (n : nat) : list Z :=
  match n with
  | O => [1%Z]
  | S m => next_row a b 0 (row a b m)
  end.

Lemma next_row_first a b carry entries :
  nth 0 (next_row a b carry entries) 0%Z = (a * carry + b * nth 0 entries 0)%Z.
Proof. destruct entries; simpl; ring. Qed.

Lemma next_row_later a b carry entries i :
  nth (S i) (next_row a b carry entries) 0%Z = (a * nth i entries 0 + b * nth (S i) entries 0)%Z.
Proof.
  revert carry i. induction entries as [| x rest IH]; intros carry i.
  - simpl. destruct i; ring.
  - change (nth (S i) (next_row a b carry (x :: rest)) 0%Z) with (nth i (next_row a b x rest) 0%Z).
    destruct i as [| i]; [apply next_row_first | apply IH].
Qed.

Section Row.

Variables a b : Z.
Hypothesis weights : (a + b <> 0)%Z.

Notation p := (IZR a / IZR (a + b)).

Lemma row_weights : IZR (a + b) * p = IZR a /\ IZR (a + b) * (1 - p) = IZR b.
Proof.
  assert (H := not_0_IZR _ weights). rewrite plus_IZR in *. split; field; exact H.
Qed.

Lemma row_entry n i : IZR (nth i (row a b n) 0%Z) = IZR (a + b) ^ n * binom n p i.
Proof.
  destruct row_weights as [A B]. revert i. induction n as [| n IH]; intros i.
  - destruct i as [| i].
    + rewrite binom_inside, choose_0 by lia. simpl. ring.
    + rewrite binom_outside by lia. simpl. destruct i; ring.
  - cbn [row]. destruct i as [| i].
    + rewrite next_row_first, plus_IZR, !mult_IZR, IH, binom_S_0, <- B. simpl pow. ring.
    + rewrite next_row_later, plus_IZR, !mult_IZR, !IH, binom_S_S, <- A at 1. rewrite <- B at 1.
      simpl pow. ring.
Qed.

(** The mass of i. *)
Lemma binom_by_row n i : binom n p i = IZR (nth i (row a b n) 0%Z) / IZR (a + b) ^ n.
Proof.
  rewrite row_entry. field. apply pow_nonzero, not_0_IZR, weights.
Qed.

Lemma total_IZR {A} (l : list A) f : total l (fun x => IZR (f x)) = IZR (fold_right Z.add 0%Z (map f l)).
Proof. induction l as [| x l IH]; simpl; [reflexivity |]. rewrite IH, plus_IZR. reflexivity. Qed.

(** The mass of a finite set. *)
Lemma total_binom_by_row n l :
  total l (binom n p) =
  IZR (fold_right Z.add 0%Z (map (fun i => nth i (row a b n) 0%Z) l)) / IZR (a + b) ^ n.
Proof.
  rewrite (total_ext l _ (fun i => IZR (nth i (row a b n) 0%Z) * / IZR (a + b) ^ n)).
  2: { intros i _. apply binom_by_row. }
  rewrite total_scal_r, total_IZR. reflexivity.
Qed.

End Row.

(** Strings of bits, and what is left of them once the order is lost: the number of ones.

    For messages that are bits, a symmetric event on strings of a fixed length is an event about the
    number of ones ([symmetric_counts]): a string of L bits is a permutation of its ones followed by its
    zeros. Also here: the list of all strings of L bits, and the uniform law on a list. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws privacy.
Import ListNotations.
Open Scope R_scope.

(** The number of ones. *)
Fixpoint ones (u : list bool) : nat :=
  match u with
  | [] => O
  | b :: rest => if b then S (ones rest) else ones rest
  end.

(** The ones first: c ones, then L - c zeros. *)
Definition sorted_bits (L c : nat) : list bool := repeat true c ++ repeat false (L - c).

Lemma ones_app u v : ones (u ++ v) = (ones u + ones v)%nat.
Proof. induction u as [| [|] u IH]; simpl; rewrite ?IH; reflexivity. Qed.

Lemma ones_le_length u : (ones u <= length u)%nat.
Proof. induction u as [| [|] u IH]; simpl; lia. Qed.

Lemma ones_permutation u v : Permutation u v -> ones u = ones v.
Proof.
  induction 1 as [| [|] u v _ IH | [|] [|] u | u v w _ IH _ IH']; simpl; congruence.
Qed.

Lemma permutation_sorted_bits u : Permutation u (sorted_bits (length u) (ones u)).
Proof.
  unfold sorted_bits. induction u as [| [|] u IH]; simpl; [constructor | |].
  - constructor. exact IH.
  - assert (L := ones_le_length u).
    replace (match ones u with O => S (length u) | S l => (length u - l)%nat end)
      with (S (length u - ones u)) by (destruct (ones u); lia).
    simpl. apply Permutation_cons_app, IH.
Qed.

(** A symmetric event on L bits looks at the number of ones only. *)
Lemma symmetric_counts (T : list bool -> bool) u :
  symmetric T -> T u = T (sorted_bits (length u) (ones u)).
Proof. intros H. apply H, permutation_sorted_bits. Qed.

(** The other way round: an event about the number of ones is symmetric. *)
Lemma counts_symmetric (S : nat -> bool) : symmetric (fun u => S (ones u)).
Proof. intros u v P. rewrite (ones_permutation u v P). reflexivity. Qed.

(** All strings of L bits. *)
Fixpoint strings (L : nat) : list (list bool) :=
  match L with
  | O => [[]]
  | S m => map (cons false) (strings m) ++ map (cons true) (strings m)
  end.

Lemma strings_length L u : In u (strings L) -> length u = L.
Proof.
  revert u. induction L as [| L IH]; simpl; intros u H.
  - destruct H as [<- | []]. reflexivity.
  - apply in_app_or in H. destruct H as [H | H]; apply in_map_iff in H; destruct H as [v [<- H]];
      simpl; rewrite (IH v H); reflexivity.
Qed.

Lemma strings_all u : In u (strings (length u)).
Proof.
  induction u as [| [|] u IH]; simpl; [auto | |]; apply in_or_app; [right | left]; apply in_map, IH.
Qed.

(** The uniform law on the entries of a list. *)
Definition uniform {A} (l : list A) : dist A := map (fun a => (/ INR (length l), a)) l.

Lemma mean_uniform {A} (l : list A) f : mean (uniform l) f = total l f / INR (length l).
Proof.
  unfold mean, uniform. rewrite total_map. simpl. rewrite total_scal. unfold Rdiv. ring.
Qed.

Lemma proper_uniform {A} (l : list A) : l <> [] -> proper (uniform l).
Proof.
  intros H. assert (P : 0 < INR (length l)).
  { apply lt_0_INR. destruct l; [congruence | simpl; lia]. }
  split.
  - intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. simpl.
    left. apply Rinv_0_lt_compat, P.
  - rewrite mean_uniform, total_const. field. lra.
Qed.

Lemma in_uniform {A} (l : list A) wa : In wa (uniform l) -> In (snd wa) l.
Proof. intros I. apply in_map_iff in I. destruct I as [a [<- I]]. exact I. Qed.

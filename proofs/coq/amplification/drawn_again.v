(** Of d independent draws of a law, drawing one once more changes nothing.

    For every finite law, every d and every place v < d the list of d draws has the same law if its entry v is
    replaced by one more draw ([copies_drawn_again]). (Standard.) *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws independence mean_excess hidden_message.
Import ListNotations.
Open Scope R_scope.

(** The list with the entry b in place v. *)
Fixpoint set_value {A} (v : nat) (b : A) (l : list A) {struct l} : list A :=
  match l, v with
  | [], _ => []
  | _ :: rest, O => b :: rest
  | a :: rest, S v' => a :: set_value v' b rest
  end.

Lemma set_value_same {A} v (b a : A) l : (v < length l)%nat -> nth v (set_value v b l) a = b.
Proof.
  revert v. induction l as [| c l IH]; intros v L; simpl in L; [lia |].
  destruct v as [| v]; [reflexivity |]. apply IH. lia.
Qed.

Lemma set_value_other {A} v w (b a : A) l : v <> w -> nth w (set_value v b l) a = nth w l a.
Proof.
  revert v w. induction l as [| c l IH]; intros v w N; [reflexivity |].
  destruct v as [| v], w as [| w]; simpl; try reflexivity; try contradiction. apply IH. congruence.
Qed.

(** Drawing the value in place v once more changes nothing. *)
Lemma copies_drawn_again {A} (law : dist A) d v f :
  proper law -> (v < d)%nat ->
  mean (copies law d) f = mean (copies law d) (fun l => mean law (fun b => f (set_value v b l))).
Proof.
  intros L. revert v f. induction d as [| d IH]; intros v f V; [lia |]. rewrite !mean_copies_first.
  destruct v as [| v]; simpl.
  - rewrite (mean_const law _ L). rewrite mean_swap. apply mean_ext. intros b. reflexivity.
  - apply mean_ext. intros a. apply (IH v (fun rest => f (a :: rest))). lia.
Qed.

Lemma copies_length {A} (law : dist A) d wl : In wl (copies law d) -> length (snd wl) = d.
Proof. intros I. destruct (copies_drawn law d wl I) as [was [<- [_ [-> _]]]]. apply map_length. Qed.

(** All entries of what is drawn can be drawn. *)
Lemma copies_entries {A} (law : dist A) d wl a : In wl (copies law d) -> In a (snd wl) -> In a (map snd law).
Proof.
  intros I J. destruct (copies_drawn law d wl I) as [was [_ [C [E _]]]]. rewrite E in J.
  apply in_map_iff in J. destruct J as [wa [<- K]]. apply in_map, C, K.
Qed.

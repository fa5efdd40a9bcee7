(** What a checker of one kind has to show, and how conjunctions and negations follow from their parts.

    [sound c proved]: what the claim c speaks of exists, and c holds, or does not where [proved] is false. Every kind
    proves this of its programs. [established c proved] is the same for conjunctions and negations: all parts of a
    conjunction are established or, to refute it, one of them is refuted. [established_true]: then c holds, or does not.

    Source: docs/certificates.md, "conjunction and not". *)

From Coq Require Import ZArith QArith Reals List Bool.
From ExactdpChecker Require Import claims.
Import ListNotations.

Definition sound (c : claim) (proved : bool) : Prop := well_posed c /\ if proved then holds c else ~ holds c.

Definition some {A} (P : A -> Prop) : list A -> Prop :=
  fix go l := match l with [] => False | a :: rest => P a \/ go rest end.

Fixpoint established (c : claim) (proved : bool) : Prop :=
  match c with
  | Conjunction parts _ =>
      if proved then each (fun part => established part true) parts else some (fun part => established part false) parts
  | Not inner => established inner (negb proved)
  | _ => sound c proved
  end.

Definition is_simple (c : claim) : Prop :=
  match c with
  | Conjunction _ _ | Not _ => False
  | _ => True
  end.

Lemma established_simple c proved : is_simple c -> sound c proved -> established c proved.
Proof. destruct c; simpl; try contradiction; trivial. Qed.

(** Induction on claims, with all parts of a conjunction. *)
Section induction.

Variable P : claim -> Prop.
Hypothesis simple : forall c, is_simple c -> P c.
Hypothesis conjunction : forall parts assumed, Forall P parts -> P (Conjunction parts assumed).
Hypothesis negation : forall c, P c -> P (Not c).

Fixpoint claim_with_parts (c : claim) : P c :=
  match c with
  | Conjunction parts assumed =>
      conjunction parts assumed
        ((fix all l : Forall P l :=
            match l with
            | [] => Forall_nil P
            | part :: rest => Forall_cons part (claim_with_parts part) (all rest)
            end) parts)
  | Not inner => negation inner (claim_with_parts inner)
  | c => simple c I
  end.

End induction.

Lemma established_true c : forall proved, established c proved -> if proved then holds c else ~ holds c.
Proof.
  pattern c. apply claim_with_parts; clear c.
  - intros c S proved H. assert (X : sound c proved) by (destruct c; try exact H; contradiction). apply X.
  - intros parts assumed IH [|]; simpl.
    + induction IH as [| part parts HP _ IH]; simpl; [trivial |].
      intros [H1 H2]. split; [apply (HP true H1) | apply IH, H2].
    + induction IH as [| part parts HP _ IH]; simpl; [contradiction |].
      intros [H1 | H2] [A B]; [apply (HP false H1 A) | apply (IH H2 B)].
  - intros c IH [|] H; simpl in *; [apply (IH false H) |].
    intros N. apply N, (IH true H).
Qed.

(** Where one of two programs accepts. *)
Lemma sound_either c proved a b :
  (a = true -> sound c proved) -> (b = true -> sound c proved) -> a || b = true -> sound c proved.
Proof. intros HA HB H. apply orb_true_iff in H. destruct H; auto. Qed.

(** Claims that the kernel computes.

    [holds_by w]: a claim holds if the proved checker accepts it with the witness w. The kernel's virtual machine
    computes that: a proof ends with [vm_cast_no_check (eq_refl true)], and [Qed] computes. It evaluates all programs
    for a kind, also those whose answer is not needed. [each_by]: claims hold where [one_program] for their kind
    accepts each of them. Source: checked.v. *)

From Coq Require Import ZArith QArith List Bool.
From ExactdpChecker Require Import claims witnesses kinds box_program box_sound inequality_program inequality_sound.
From ExactdpChecker Require Import smooth_enclosed tail_enclosed any_checked checked.
Import ListNotations.

Lemma holds_by (w : witness) (c : claim) : check {| claimed := c; verdict := true; shown := w |} = true -> holds c.
Proof. exact (check_sound {| claimed := c; verdict := true; shown := w |}). Qed.

(** One program for a claim, or for its negation. *)
Definition one_program (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Smooth nu k l delta => check_smooth_enclosed nu k l delta proved w
  | Tail nu first last at_most p => check_tail_enclosed nu first last at_most p proved w
  | Inequality variables hypotheses conclusion => check_inequality variables hypotheses conclusion proved w
  | BoxInequality variables box terms is_strict => check_box variables box terms is_strict proved w
  | AnyShuffleDP E0 n _ l delta => check_any E0 n l delta proved w
  | _ => false
  end.

Lemma one_program_sound c proved w : one_program c proved w = true -> if proved then holds c else ~ holds c.
Proof.
  intros H. assert (S : sound c proved); [| exact (proj2 S)].
  destruct c; try discriminate;
    [apply (check_any_sound _ _ _ _ _ _ w)
    | apply (check_smooth_enclosed_sound _ _ _ _ _ w) | apply (check_tail_enclosed_sound _ _ _ _ _ _ w)
    | apply (check_inequality_sound _ _ _ _ w) | apply (check_box_sound _ _ _ _ _ w)]; exact H.
Qed.

Definition accepted (shown : claim * witness) : bool :=
  match fst shown with
  | Not c => one_program c false (snd shown)
  | c => one_program c true (snd shown)
  end.

Lemma each_by (shown : list (claim * witness)) : forallb accepted shown = true -> each holds (map fst shown).
Proof.
  induction shown as [| [c w] shown IH]; [exact (fun _ => I) |]. simpl. intros H. apply andb_true_iff in H.
  split; [| apply IH, H]. destruct H as [H _]. assert (S := one_program_sound c true w). unfold accepted in H.
  destruct c; first [exact (S H) | exact (one_program_sound c false w H)].
Qed.

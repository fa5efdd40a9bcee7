(** Loops of a bounded number of rounds, with an early end, that take no memory for the rounds not made.

    [run p f s] makes at most p rounds: from the state s the function f goes on to another state, or ends with a result.
    What holds of the first state and is kept by each round holds of every state that is reached ([run_kept]), and the
    result is the one of such a state ([run_ended]), for every p and f. The number p is binary, so that a bound of
    millions of rounds costs nothing.

    Source: this package. *)

From Coq Require Import PArith.

Fixpoint run {S T} (p : positive) (f : S -> S + T) (s : S) : S + T :=
  match p with
  | xH => f s
  | xO q =>
      match run q f s with
      | inl s' => run q f s'
      | inr t => inr t
      end
  | xI q =>
      match f s with
      | inl s' =>
          match run q f s' with
          | inl s'' => run q f s''
          | inr t => inr t
          end
      | inr t => inr t
      end
  end.

Section kept.

Context {S T : Type}.
Variables (f : S -> S + T) (kept : S -> Prop).
Hypothesis round : forall s s', kept s -> f s = inl s' -> kept s'.

Lemma run_kept p : forall s s', kept s -> run p f s = inl s' -> kept s'.
Proof.
  induction p as [q IH | q IH |]; simpl; intros s s' H E.
  - destruct (f s) as [s1 |] eqn:E1; [| discriminate]. destruct (run q f s1) as [s2 |] eqn:E2; [| discriminate].
    apply (IH s2 s'); [apply (IH s1 s2); [apply (round s s1) |] |]; assumption.
  - destruct (run q f s) as [s1 |] eqn:E1; [| discriminate]. apply (IH s1 s'); [apply (IH s s1) |]; assumption.
  - apply (round s s'); assumption.
Qed.

Lemma run_ended p : forall s t, kept s -> run p f s = inr t -> exists s', kept s' /\ f s' = inr t.
Proof.
  induction p as [q IH | q IH |]; simpl; intros s t H E.
  - destruct (f s) as [s1 | t1] eqn:E1.
    + assert (K1 := round s s1 H E1). destruct (run q f s1) as [s2 | t2] eqn:E2.
      * apply (IH s2 t); [apply (run_kept q s1 s2) |]; assumption.
      * injection E as <-. apply (IH s1 t2); assumption.
    + injection E as <-. exists s. auto.
  - destruct (run q f s) as [s1 | t1] eqn:E1.
    + apply (IH s1 t); [apply (run_kept q s s1) |]; assumption.
    + injection E as <-. apply (IH s t1); assumption.
  - exists s. auto.
Qed.

End kept.

(** Markov's inequality and the union bound for laws with finitely or infinitely many outcomes.

    For a law D on any type, given by its masses: P[T] <= E[f]/t for f >= 0, t > 0 and every event T on
    which f >= t; and P[S or T] <= P[S] + P[T] for all events S and T. (For finite laws these are [markov]
    and [Pr_or] of laws.v.) Idea: both hold for finite sets of outcomes. (Standard.) *)

From Coq Require Import Reals List Lra.
From Exactdp Require Import sums masses smooth_complement infinite_sums.
Open Scope R_scope.

(** E[f] is the sum m of all D a * f a. *)
Theorem markov_masses {A} (D : A -> R) (f : A -> R) (T : A -> Prop) t m p :
  law D -> (forall a, 0 <= f a) -> 0 < t -> (forall a, T a -> t <= f a) ->
  sum_of (fun a => D a * f a) m -> mass_of D T p -> p <= m / t.
Proof.
  intros L P Ht H Hm [_ Hp]. apply Hp. intros s [l [N [I ->]]].
  apply Rmult_le_reg_l with t; [exact Ht |]. replace (t * (m / t)) with m by (field; lra).
  eapply Rle_trans; [| apply (sum_of_upper _ _ l Hm N)]. rewrite <- total_scal. apply total_le.
  intros a Ha. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply (proj1 L) | apply H, I, Ha].
Qed.

Theorem union_masses {A} (D : A -> R) (S T : A -> Prop) p q r :
  mass_of D S p -> mass_of D T q -> mass_of D (fun a => S a \/ T a) r -> r <= p + q.
Proof.
  intros [HS _] [HT _] [_ H]. apply H. intros s [l [N [I ->]]].
  destruct (split_by_event D S l N) as [u [v [Nu [Nv [U [V ->]]]]]]. apply Rplus_le_compat.
  - apply HS. exists u. split; [exact Nu |]. split; [apply U | reflexivity].
  - apply HT. exists v. split; [exact Nv |]. split; [| reflexivity].
    intros a Ha. destruct (V a Ha) as [La Sa]. destruct (I a La); [contradiction | assumption].
Qed.

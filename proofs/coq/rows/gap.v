(** The rows of proofs/gap.py on R^gap: what each of them states, and that it holds. *)

From Coq Require Import Reals Lra.
From Exactdp Require Import sums laws privacy bits shuffler coefficientwise gap_local gap gap_small_n gap_curve.
Open Scope R_scope.

Definition row_gap_local : Prop :=
  forall eps delta : R, delta < 3 / 8 ->
  ~ local_dp gap_randomizer eps delta /\
  ~ local_dp (fun x => bind (gap_randomizer x) shuffler) eps delta.
Theorem row_gap_local_holds : row_gap_local.
Proof.
  intros eps delta Hd. split; [apply gap_local, Hd |]. intros H.
  assert (E : forall x, Pr (bind (gap_randomizer x) shuffler) balanced = Pr (gap_randomizer x) balanced).
  { intros x. rewrite Pr_bind. apply mean_ext. intros u.
    apply symmetric_event_shuffled, (counts_symmetric (fun c => Nat.eqb c 2)). }
  specialize (H false true balanced). cbv beta in H. rewrite !E, gap_balanced_0, gap_balanced_1 in H. lra.
Qed.

Definition row_gap_small_n : Prop :=
  exact_epsilon 2 gap_randomizer (ln (5 / 2)) /\ exact_epsilon 3 gap_randomizer (ln (125 / 64)).
Theorem row_gap_small_n_holds : row_gap_small_n.
Proof. exact gap_small_n. Qed.

Definition row_gap_all_n : Prop :=
  forall n : nat, (4 <= n)%nat -> exact_epsilon n gap_randomizer (ln (8 / 5)).
Theorem row_gap_all_n_holds : row_gap_all_n.
Proof. exact gap_all_n. Qed.

(* [gap_curve n] lists points (e^eps, delta), [polygon] joins them by straight lines and is 0 beyond the last. *)
Definition row_gap_whole_curve : Prop :=
  forall (n : nat) (eps delta : R), (2 <= n <= 12)%nat -> 0 <= eps ->
  (shuffle_dp n gap_randomizer eps delta <-> polygon (gap_curve n) (exp eps) <= delta).
Theorem row_gap_whole_curve_holds : row_gap_whole_curve.
Proof. exact gap_whole_curve. Qed.

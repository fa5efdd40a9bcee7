(** Masses on the naturals that are not negative and whose series has the sum 1 are a law on the integers.

    For every such series ([law_on_naturals]). The ratios of weights that are made by [by_ratios] fall
    (log_concave_laws.v). Source: this package. *)

From Coq Require Import ZArith Reals List Lra Lia FinFun.
From Exactdp Require Import sums masses noise_on_naturals log_concave_laws.
Import ListNotations.
Open Scope R_scope.

Lemma total_naturals (f : nat -> R) n : total (map Z.of_nat (seq 0 (S n))) (on_naturals f) = sum_f_R0 f n.
Proof.
  rewrite total_map, <- total_sum_f_R0. apply total_ext. intros i _. unfold on_naturals.
  rewrite (proj2 (Z.ltb_ge _ _)), Nat2Z.id by lia. reflexivity.
Qed.

Lemma law_on_naturals (f : nat -> R) : (forall t, 0 <= f t) -> infinite_sum f 1 -> law (on_naturals f).
Proof.
  intros Pos S. assert (Pos' : forall t, 0 <= on_naturals f t).
  { intros t. unfold on_naturals. destruct (Z.ltb t 0); [lra | apply Pos]. }
  assert (Below : forall n, sum_f_R0 f n <= 1).
  { intros n. apply Rnot_lt_le. intros L. destruct (S (sum_f_R0 f n - 1) ltac:(lra)) as [N HN].
    specialize (HN (Nat.max n N) ltac:(lia)). unfold R_dist in HN.
    assert (M : sum_f_R0 f n <= sum_f_R0 f (Nat.max n N)).
    { rewrite <- !total_sum_f_R0. apply total_incl; [apply seq_NoDup | | auto].
      intros i I. apply in_seq in I. apply in_seq. lia. }
    rewrite Rabs_right in HN by lra. lra. }
  split; [exact Pos' | split].
  - intros s [l [N [_ ->]]]. set (n := list_max (map Z.abs_nat l)).
    apply Rle_trans with (total (map Z.of_nat (seq 0 (Datatypes.S n))) (on_naturals f));
      [| rewrite total_naturals; apply Below].
    replace (total l (on_naturals f)) with (total (filter (Z.leb 0) l) (on_naturals f)).
    + apply total_incl; [apply NoDup_filter, N | | auto]. intros t I. apply filter_In in I. destruct I as [I P].
      apply Z.leb_le in P. apply in_map_iff. exists (Z.to_nat t). split; [lia |]. apply in_seq.
      assert (M := proj1 (list_max_le (map Z.abs_nat l) n) (le_n _)). rewrite Forall_forall in M.
      specialize (M (Z.abs_nat t) (in_map _ _ _ I)). lia.
    + rewrite total_filter. apply total_ext. intros t _. unfold on_naturals.
      destruct (Z.leb_spec 0 t), (Z.ltb_spec t 0); try lia; reflexivity.
  - intros b Hb. apply Rnot_lt_le. intros L. destruct (S (1 - b) ltac:(lra)) as [N HN].
    specialize (HN N (le_n _)). unfold R_dist in HN. apply Rabs_def2 in HN.
    assert (X : total (map Z.of_nat (seq 0 (Datatypes.S N))) (on_naturals f) <= b).
    { apply Hb. exists (map Z.of_nat (seq 0 (Datatypes.S N))). split; [| split; [trivial | reflexivity]].
      apply Injective_map_NoDup; [intros x y H; lia | apply seq_NoDup]. }
    rewrite total_naturals in X. lra.
Qed.

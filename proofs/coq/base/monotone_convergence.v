(** Limits of increasing sequences pass into sums of non-negative terms.

    [monotone_convergence]: let f_n a >= 0 increase with n to g a, for every outcome a, and let s_n be the
    sum of all f_n a. Then s_n tends to t if and only if t is the sum of all g a. The outcomes are of any
    type, finitely or infinitely many. [series_is_sum]: over the natural numbers the sum of terms that are
    not negative is the limit of the partial sums, so that a series may be taken for such a sum.

    Idea: a finite part of the sum of g is the limit of that part of the sums of f_n, and no f_n is above
    g. (Source: Beppo Levi 1906; here for sums only, so that no measure theory is needed.) *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums infinite_sums.
Open Scope R_scope.

Lemma total_limit {A} (f : nat -> A -> R) (g : A -> R) l :
  (forall a, Un_cv (fun n => f n a) (g a)) -> Un_cv (fun n => total l (f n)) (total l g).
Proof.
  intros H. induction l as [| a l IH]; simpl.
  - intros e He. exists 0%nat. intros n _. rewrite R_dist_eq. exact He.
  - apply (CV_plus (fun n => f n a) (fun n => total l (f n))); [apply H | exact IH].
Qed.

(** A bound of the terms of a sequence bounds its limit. *)
Lemma limit_le (u : nat -> R) t b : Un_cv u t -> (forall n, u n <= b) -> t <= b.
Proof.
  intros H B. destruct (Rle_lt_dec t b) as [L | L]; [exact L | exfalso].
  destruct (H (t - b)) as [N HN]; [lra |]. specialize (HN N (le_n N)). specialize (B N).
  unfold R_dist in HN. rewrite Rabs_left1 in HN; lra.
Qed.

(** Below its sum there is a finite part of it. *)
Lemma finite_part_above {A} (g : A -> R) t b :
  sum_of g t -> b < t -> exists l, NoDup l /\ b < total l g.
Proof.
  intros H L. apply Classical_Prop.NNPP. intros No. assert (t <= b); [| lra].
  apply (sum_of_least g t b H). intros l N. apply Rnot_lt_le. intros B. apply No. exists l. auto.
Qed.

Theorem monotone_convergence {A} (f : nat -> A -> R) (g : A -> R) (s : nat -> R) t :
  (forall n a, 0 <= f n a) -> (forall n a, f n a <= f (S n) a) -> (forall a, Un_cv (fun n => f n a) (g a)) ->
  (forall n, sum_of (f n) (s n)) ->
  (Un_cv s t <-> sum_of g t).
Proof.
  intros _ Up Lim Sum.
  assert (Below : forall n a, f n a <= g a).
  { intros n a. apply (growing_ineq (fun n => f n a)); [intros m; apply Up | apply Lim]. }
  assert (Grow : Un_growing s).
  { intros n. apply (sum_of_least _ _ _ (Sum n)). intros l N.
    apply Rle_trans with (total l (f (S n))); [apply total_le; auto | apply sum_of_upper; auto]. }
  split; intros H.
  - apply sum_of_intro.
    + intros l N. apply (limit_le _ _ _ (total_limit f g l Lim)). intros n.
      apply Rle_trans with (s n); [apply sum_of_upper; auto | apply growing_ineq; assumption].
    + intros b Hb. apply (limit_le s t b H). intros n. apply (sum_of_least _ _ _ (Sum n)). intros l N.
      apply Rle_trans with (total l g); [apply total_le; auto | apply Hb, N].
  - intros e He. destruct (finite_part_above g t (t - e / 2) H) as [l [N L]]; [lra |].
    destruct (total_limit f g l Lim (e / 2)) as [m Hm]; [lra |]. exists m. intros n Hn.
    specialize (Hm n Hn). unfold R_dist in *. apply Rabs_def2 in Hm.
    assert (A1 := sum_of_upper _ _ l (Sum n) N).
    assert (A2 : s n <= t).
    { apply (sum_of_least _ _ _ (Sum n)). intros k Nk.
      apply Rle_trans with (total k g); [apply total_le; auto | apply sum_of_upper; assumption]. }
    rewrite Rabs_left1; lra.
Qed.

(** ** Series *)

Lemma inside_range (l : list nat) : exists n, forall m, (n <= m)%nat -> incl l (seq 0 (S m)).
Proof.
  exists (list_max l). intros m H i I. apply in_seq. split; [lia |].
  assert (M := proj1 (list_max_le l (list_max l)) (le_n _)). rewrite Forall_forall in M.
  specialize (M i I). lia.
Qed.

Lemma series_is_sum (f : nat -> R) t : (forall i, 0 <= f i) -> (Un_cv (sum_f_R0 f) t <-> sum_of f t).
Proof.
  intros P.
  assert (Grow : Un_growing (sum_f_R0 f)) by (intros n; simpl; specialize (P (S n)); lra).
  split; intros H.
  - apply sum_of_intro.
    + intros l N. destruct (inside_range l) as [n I]. apply Rle_trans with (sum_f_R0 f n).
      * rewrite <- total_sum_f_R0. apply total_incl; auto.
      * apply growing_ineq; assumption.
    + intros b Hb. apply (limit_le _ _ _ H). intros n. rewrite <- total_sum_f_R0. apply Hb, seq_NoDup.
  - intros e He. destruct (finite_part_above f t (t - e) H) as [l [N L]]; [lra |].
    destruct (inside_range l) as [m I]. exists m. intros n Hn. unfold R_dist.
    assert (A1 : total l f <= sum_f_R0 f n) by (rewrite <- total_sum_f_R0; apply total_incl; auto).
    assert (A2 : sum_f_R0 f n <= t).
    { rewrite <- total_sum_f_R0. apply sum_of_upper; [exact H | apply seq_NoDup]. }
    rewrite Rabs_left1; lra.
Qed.

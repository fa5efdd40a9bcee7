(** The claim [additive_view]: the number of messages is the sum of shifts plus one copy of a base law for each user.

    The program compares, for each input, the law of the number of messages of its row with the base moved by the
    shift of the input, as integers over one denominator: their difference is summed up by outcomes, and PROVED is
    accepted if nothing is left for any input. REFUTED is accepted for one input where something is left; the program
    then adds up both laws at that one outcome, and looks whether they differ.
    [check_additive_view_sound]: then the claim holds, or does not, for every n >= 1 and every data set.

    Idea: shifts add up; a data set of one user shows his row. Source: divergences/shifts.v ([shifts_add]);
    exactdp/checker/equal_laws.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws privacy shifts.
From ExactdpChecker Require Import claims witnesses kinds posed table_laws keyed_sums.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** The law of the number of messages less the base moved by the shift, times their common denominator. *)
Definition difference (row : list (Q * list nat)) (base : list (Z * Q)) (shift : Z) : list (Z * Z) :=
  let d := common_denominator (rev_append (fast_map fst row) (fast_map snd base)) in
  rev_append (fast_map (fun o => (over d (fst o), Z.of_nat (length (snd o)))) row)
    (fast_map (fun kq => (- over d (snd kq), fst kq + shift)) base).

Definition by_outcomes (l : list (Z * Z)) : list (Z * Z) := sum Z.compare (fast_map (fun ck => [ck]) l).

(** All that is listed at k. *)
Definition sum_at (l : list (Z * Z)) (k : Z) : Z := fold_left (fun s ck => if snd ck =? k then s + fst ck else s) l 0.

Definition is_shifted (row : list (Q * list nat)) (base : list (Z * Q)) (shift : Z) : bool :=
  is_zero (by_outcomes (difference row base shift)).

Definition is_not_shifted (row : list (Q * list nat)) (base : list (Z * Q)) (shift : Z) : bool :=
  let l := difference row base shift in
  match find (fun ck => negb (fst ck =? 0)) (by_outcomes l) with
  | Some ck => negb (sum_at l (snd ck) =? 0)
  | None => false
  end.

Definition check_additive_view (t : table) (base : list (Z * Q)) (shifts : list Z) (proved : bool) (w : witness) :
  bool :=
  table_is_posed t && finite_is_posed base && Nat.eqb (length shifts) (length (rows t)) &&
  match proved, w with
  | true, Simple Exactly => forallb (fun rs => is_shifted (fst rs) base (snd rs)) (combine (rows t) shifts)
  | false, OfInput x =>
      (0 <=? x) && is_not_shifted (entry (rows t) [] (Z.to_nat x)) base (entry shifts 0 (Z.to_nat x))
  | _, _ => false
  end.

(** ** Soundness *)

Definition base_law (base : list (Z * Q)) : dist Z := map (fun kq => (Q2R (snd kq), fst kq)) base.

Lemma mean_base base f : mean (base_law base) f = total base (fun kq => (Q2R (snd kq) * f (fst kq))%R).
Proof. unfold mean, base_law. apply total_map. Qed.

Lemma difference_weight row base shift f : exists d, (0 < d)%R /\
  weight (difference row base shift) f =
  (d * (mean (dmap number (row_law row)) f - mean (dmap (Z.add shift) (base_law base)) f))%R.
Proof.
  unfold difference. rewrite !fast_map_map, !rev_append_rev. set (l := rev (map fst row) ++ map snd base).
  set (d := common_denominator l). exists (IZR d). split; [apply IZR_lt, common_denominator_positive |].
  assert (D := common_denominator_positive l). fold d in D.
  assert (V : forall q, In q l -> (Zpos (Qden q) | d)) by apply common_denominator_divides.
  unfold weight. rewrite total_app, <- (total_permutation _ _ _ (Permutation.Permutation_rev _)), !total_map,
    !mean_dmap.
  rewrite mean_row, mean_base, Rmult_minus_distr_l. unfold Rminus. rewrite Ropp_mult_distr_l, <- !total_scal. f_equal.
  - apply total_ext. intros o I. simpl. rewrite over_value; [unfold number; ring | exact D |].
    apply V, in_or_app. left. rewrite <- in_rev. apply in_map, I.
  - apply total_ext. intros kq I. simpl. rewrite opp_IZR, over_value; [| exact D |].
    + rewrite (Z.add_comm shift). ring.
    + apply V, in_or_app. right. apply in_map, I.
Qed.

Lemma by_outcomes_weight l f : weight (by_outcomes l) f = weight l f.
Proof.
  unfold by_outcomes. rewrite weight_sum by apply Z.compare_eq. rewrite fast_map_map, total_map. unfold weight.
  apply total_ext. intros ck _. simpl. ring.
Qed.

Lemma sum_at_weight l k : IZR (sum_at l k) = weight l (fun e => if e =? k then 1%R else 0%R).
Proof.
  unfold sum_at, weight.
  assert (X : forall s, IZR (fold_left (fun s ck => if snd ck =? k then s + fst ck else s) l s) =
    (IZR s + total l (fun ck => IZR (fst ck) * (if snd ck =? k then 1 else 0)))%R).
  { induction l as [| ck l IH]; intros s; simpl; [ring |]. rewrite IH.
    destruct (snd ck =? k); [rewrite plus_IZR |]; ring. }
  rewrite X. ring.
Qed.

Lemma is_shifted_sound row base shift :
  is_shifted row base shift = true -> same_law (dmap number (row_law row)) (dmap (Z.add shift) (base_law base)).
Proof.
  intros H f. apply (is_zero_sound f _) in H. rewrite by_outcomes_weight in H.
  destruct (difference_weight row base shift f) as [d [D E]]. rewrite E in H. apply Rmult_integral in H. lra.
Qed.

Lemma is_not_shifted_sound row base shift :
  is_not_shifted row base shift = true -> ~ same_law (dmap number (row_law row)) (dmap (Z.add shift) (base_law base)).
Proof.
  unfold is_not_shifted. destruct (find _ _) as [ck |]; [| discriminate]. intros H S.
  set (f := fun e => if e =? snd ck then 1%R else 0%R). specialize (S f).
  destruct (difference_weight row base shift f) as [d [D E]].
  assert (Z : IZR (sum_at (difference row base shift) (snd ck)) = 0%R).
  { rewrite sum_at_weight. fold f. rewrite E, S. ring. }
  apply eq_IZR in Z. rewrite Z in H. discriminate.
Qed.

Theorem check_additive_view_sound t base shifts proved w :
  check_additive_view t base shifts proved w = true -> sound (AdditiveView t base shifts) proved.
Proof.
  unfold check_additive_view, sound. intros H. apply andb_true_iff in H. destruct H as [H C].
  apply andb_true_iff in H. destruct H as [H L]. apply andb_true_iff in H. destruct H as [T B].
  apply table_is_posed_sound in T. apply finite_is_posed_sound in B. apply Nat.eqb_eq in L.
  split; [simpl; auto |].
  assert (A := shifts_add (table_law t) (base_law base) (entry shifts 0)).
  destruct proved, w as [[| |] | | | | | | | | | | | | | x | | | | | | | | |]; try discriminate.
  - refine (proj1 A _). intros x. apply is_shifted_sound. rewrite forallb_forall in C.
    apply (C (entry (rows t) [] x, entry shifts 0 x)).
    assert (X : forall (l : list (list (Q * list nat))) (m : list Z) i, length m = length l -> l <> [] ->
      In (entry l [] i, entry m 0 i) (combine l m)).
    { clear. intros l m i L N. revert m i L N. induction l as [| a l IH]; intros [| b m] i L N; try congruence;
        try discriminate.
      injection L as L. destruct l as [| a' l], m as [| b' m]; try discriminate.
      - left. destruct i as [| [|]]; reflexivity.
      - destruct i as [| i]; [left; reflexivity |]. right. apply (IH (b' :: m) i L). discriminate. }
    apply X; [exact L | apply T].
  - apply andb_true_iff in C. destruct C as [_ C]. intros Hx. simpl in Hx.
    apply (is_not_shifted_sound _ _ _ C). exact (proj2 A Hx _).
Qed.

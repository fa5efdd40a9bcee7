(** Sums of weighted keys: polynomials by their exponents, laws by their outcomes.

    A list of integers, each with a key, is merged with another one, both in the order of their keys ([merge]); [sum]
    adds a list of them, in rounds, each with one of about its length. Everything is in constant space on the stack but
    for the number of rounds. [weight l f] is the sum of the weights times a function f of their keys.

    Shown here: sums add up the weights of every function ([weight_merge], [weight_sum]), and where no integer is left
    every weight is 0 ([is_zero_sound]). No order of the keys is needed for that: out of order, like keys would stay
    apart, and less would be accepted.

    Source: the dictionaries of exactdp/checker/. *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums.
Import ListNotations.
Open Scope Z_scope.

(** [map], in constant space on the stack. *)
Definition fast_map {A B} (f : A -> B) (l : list A) : list B := rev' (fold_left (fun s a => f a :: s) l []).

Lemma fast_map_map {A B} (f : A -> B) (l : list A) : fast_map f l = map f l.
Proof.
  unfold fast_map, rev'. rewrite <- rev_alt.
  assert (X : forall s, fold_left (fun s a => f a :: s) l s = rev (map f l) ++ s).
  { induction l as [| a l IH]; intros s; simpl; [reflexivity |]. rewrite IH, <- app_assoc. reflexivity. }
  rewrite X, app_nil_r. apply rev_involutive.
Qed.

Section keys.

Variable K : Type.
Variable compare : K -> K -> comparison.

Definition weighted : Type := list (Z * K).

(** The sum, backwards in front of [done]. *)
Fixpoint merge_onto (done p : weighted) {struct p} : weighted -> weighted :=
  match p with
  | [] => fun q => rev_append q done
  | (a, e) :: p' =>
      (fix with_rest (done q : weighted) {struct q} : weighted :=
        match q with
        | [] => rev_append ((a, e) :: p') done
        | (b, f) :: q' =>
            match compare e f with
            | Eq => merge_onto ((a + b, e) :: done) p' q'
            | Lt => merge_onto ((a, e) :: done) p' q
            | Gt => with_rest ((b, f) :: done) q'
            end
        end) done
  end.

Definition merge (p q : weighted) : weighted := rev' (merge_onto [] p q).

(** Sums of 1, 2, 4, ... lists wait for another one of their kind. *)
Fixpoint push (waiting : list (option weighted)) (p : weighted) : list (option weighted) :=
  match waiting with
  | [] => [Some p]
  | None :: rest => Some p :: rest
  | Some q :: rest => None :: push rest (merge q p)
  end.

Definition sum (ps : list weighted) : weighted :=
  fold_left (fun s w => match w with Some p => merge s p | None => s end) (fold_left push ps []) [].

Definition is_zero (p : weighted) : bool := forallb (fun ce => fst ce =? 0) p.

(** ** Their weights *)

Definition weight (p : weighted) (f : K -> R) : R := total p (fun ce => (IZR (fst ce) * f (snd ce))%R).

Lemma weight_cons c e p f : weight ((c, e) :: p) f = (IZR c * f e + weight p f)%R.
Proof. reflexivity. Qed.

Hypothesis compare_eq : forall e f, compare e f = Eq -> e = f.
Variable h : K -> R.

Lemma weight_rev_append p q : weight (rev_append p q) h = (weight p h + weight q h)%R.
Proof.
  unfold weight. rewrite rev_append_rev, total_app. f_equal. apply total_permutation, Permutation.Permutation_sym,
    Permutation.Permutation_rev.
Qed.

Lemma weight_merge_onto p : forall done q, weight (merge_onto done p q) h = (weight done h + weight p h + weight q h)%R.
Proof.
  induction p as [| [a e] p IH]; intros done q.
  - simpl. rewrite weight_rev_append. change (weight [] h) with 0%R. ring.
  - revert done. induction q as [| [b f] q IHq]; intros done.
    + simpl merge_onto. rewrite !weight_rev_append, !weight_cons. change (weight [] h) with 0%R. ring.
    + simpl merge_onto. destruct (compare e f) eqn:C.
      * apply compare_eq in C. subst f. rewrite IH, !weight_cons, plus_IZR. ring.
      * rewrite IH, !weight_cons. ring.
      * simpl in IHq. rewrite IHq, !weight_cons. ring.
Qed.

Lemma weight_merge p q : weight (merge p q) h = (weight p h + weight q h)%R.
Proof.
  unfold merge, rev'. rewrite weight_rev_append, weight_merge_onto. change (weight [] h) with 0%R. ring.
Qed.

Definition waiting_value (waiting : list (option weighted)) : R :=
  total waiting (fun w => match w with Some p => weight p h | None => 0%R end).

Lemma weight_push waiting p : waiting_value (push waiting p) = (waiting_value waiting + weight p h)%R.
Proof.
  revert p. induction waiting as [| [q |] rest IH]; intros p; unfold waiting_value in *; simpl; [ring | | ring].
  rewrite IH, weight_merge. ring.
Qed.

Lemma weight_sum ps : weight (sum ps) h = total ps (fun p => weight p h).
Proof.
  unfold sum.
  assert (F : forall waiting s, weight (fold_left
    (fun s w => match w with Some p => merge s p | None => s end) waiting s) h =
      (weight s h + waiting_value waiting)%R).
  { induction waiting as [| [q |] rest IH]; intros s; unfold waiting_value in *; simpl; [ring | |].
    - rewrite IH, weight_merge. ring.
    - rewrite IH. ring. }
  assert (G : forall waiting, waiting_value (fold_left push ps waiting) =
    (waiting_value waiting + total ps (fun p => weight p h))%R).
  { induction ps as [| p ps IH]; intros waiting; simpl; [ring |]. rewrite IH, weight_push. ring. }
  rewrite F, G. unfold waiting_value. simpl. change (weight [] h) with 0%R. ring.
Qed.

Lemma is_zero_sound p : is_zero p = true -> weight p h = 0%R.
Proof.
  unfold is_zero, weight. rewrite forallb_forall. intros H.
  rewrite (total_ext p _ (fun _ => 0%R)), total_zero; [reflexivity |]. intros ce I. specialize (H ce I).
  apply Z.eqb_eq in H. rewrite H. ring.
Qed.

End keys.

Arguments merge {K}.
Arguments sum {K}.
Arguments is_zero {K}.
Arguments weight {K}.
Arguments weight_merge {K}.
Arguments weight_sum {K}.
Arguments is_zero_sound {K}.

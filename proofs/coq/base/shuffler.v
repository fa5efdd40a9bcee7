(** The shuffler as a program, and why events that ignore the order are enough.

    [shuffler u] puts the messages of the list u into a uniformly random order, by insertion: each
    message goes to a uniformly random place among those already there. Proved of it:

    - every outcome is a permutation of u ([shuffler_permutation]), and if the messages of u are distinct,
      each of the n! orders has the probability 1 / n! ([shuffler_uniform]);
    - lists that are permutations of each other have the same law after it ([shuffled_permutation]): it
      shows the multiset of the messages and nothing else;
    - hence two laws of messages are (E, delta)-below in their shuffled order, under all events, if and only
      if they are under the events that the order does not change ([ordered_output]), all E and delta;
    - so privacy of the program "every user runs R, then the shuffler", under all events, is the [shuffle_dp]
      of privacy.v ([shuffle_dp_iff_shuffled]), for all n, eps and delta.

    Proof of the last two. From left to right: a symmetric event has the same probability before
    and after the shuffler. From right to left: for any event T let f u be the probability that the shuffled
    u lies in T. It does not depend on the order of u, so neither does any event about the number f u: the law
    of that number is (eps, delta)-indistinguishable, and so is its mean, the probability of T.
    Source: this package; the note's "the shuffler's output is equivalent to the multiset". *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws reals privacy hockey_stick.
Import ListNotations.
Open Scope R_scope.

(** Each entry of the list with the same probability. *)
Definition uniform {A} (l : list A) : dist A := map (fun a => (/ INR (length l), a)) l.

(** The lists that arise if a is inserted at each of the places of l. *)
Fixpoint insertions {A} (a : A) (l : list A) : list (list A) :=
  match l with
  | [] => [[a]]
  | b :: rest => (a :: b :: rest) :: map (cons b) (insertions a rest)
  end.

Fixpoint shuffler {A} (u : list A) : dist (list A) :=
  match u with
  | [] => ret []
  | a :: rest => bind (shuffler rest) (fun s => uniform (insertions a s))
  end.

(** ** Insertions *)

Lemma mean_uniform {A} (l : list A) f : mean (uniform l) f = / INR (length l) * total l f.
Proof.
  unfold mean, uniform. rewrite total_map. simpl. apply (total_scal l (/ INR (length l)) f).
Qed.

Lemma proper_uniform {A} (l : list A) : l <> [] -> proper (uniform l).
Proof.
  intros H. assert (0 < INR (length l)) by (destruct l; [congruence | apply lt_0_INR; simpl; lia]).
  split.
  - intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. left. apply Rinv_0_lt_compat. assumption.
  - rewrite mean_uniform, total_const. field. lra.
Qed.

Lemma insertions_length {A} (a : A) l : length (insertions a l) = S (length l).
Proof. induction l as [| b l IH]; simpl; [| rewrite map_length, IH]; reflexivity. Qed.

Lemma insertions_permutation {A} (a : A) l s : In s (insertions a l) -> Permutation (a :: l) s.
Proof.
  revert s. induction l as [| b l IH]; simpl; intros s; [intros [<- | []]; reflexivity |].
  intros [<- | I]; [reflexivity |]. apply in_map_iff in I. destruct I as [t [<- I]].
  eapply perm_trans; [apply perm_swap |]. apply perm_skip, IH, I.
Qed.

Lemma proper_insertions {A} (a : A) l : proper (uniform (insertions a l)).
Proof. apply proper_uniform. destruct l; discriminate. Qed.

(** Two insertions may change places. *)
Lemma insertions_swap {A} (a b : A) l f :
  total (insertions b l) (fun s => total (insertions a s) f) =
  total (insertions a l) (fun s => total (insertions b s) f).
Proof.
  revert f. induction l as [| c l IH]; intros f; simpl; [ring |].
  rewrite !total_map. simpl. rewrite !total_plus.
  assert (E : forall x y, total (insertions y l) (fun s => total (map (cons c) (insertions x s)) f) =
    total (insertions y l) (fun s => total (insertions x s) (fun t => f (c :: t)))).
  { intros x y. apply total_ext. intros s _. apply total_map. }
  rewrite !E, (IH (fun t => f (c :: t))). ring.
Qed.

Lemma insertion_laws_swap {A} (a b : A) l f :
  mean (uniform (insertions b l)) (fun s => mean (uniform (insertions a s)) f) =
  mean (uniform (insertions a l)) (fun s => mean (uniform (insertions b s)) f).
Proof.
  assert (E : forall a b : A,
    mean (uniform (insertions b l)) (fun s => mean (uniform (insertions a s)) f) =
    / INR (S (length l)) * / INR (S (S (length l))) *
    total (insertions b l) (fun s => total (insertions a s) f)).
  { clear a b. intros a b. rewrite mean_uniform, insertions_length, Rmult_assoc. f_equal.
    rewrite <- total_scal. apply total_ext. intros s I. rewrite mean_uniform, insertions_length.
    rewrite <- (Permutation_length (insertions_permutation b l s I)). reflexivity. }
  rewrite !E, insertions_swap. reflexivity.
Qed.

(** ** What the shuffler does *)

Lemma proper_shuffler {A} (u : list A) : proper (shuffler u).
Proof.
  induction u as [| a u IH]; [apply proper_ret |].
  apply proper_bind; [exact IH | intros; apply proper_insertions].
Qed.

Lemma shuffler_permutation {A} (u : list A) wv : In wv (shuffler u) -> Permutation u (snd wv).
Proof.
  revert wv. induction u as [| a u IH]; simpl; intros wv; [intros [<- | []]; constructor |].
  unfold bind. rewrite in_flat_map. intros [ws [I J]].
  apply in_map_iff in J. destruct J as [wt [<- J]].
  apply in_map_iff in J. destruct J as [t [<- J]]. simpl.
  eapply perm_trans; [apply perm_skip, IH, I |]. apply insertions_permutation, J.
Qed.

Lemma shuffled_permutation {A} (u v : list A) :
  Permutation u v -> same_law (shuffler u) (shuffler v).
Proof.
  induction 1 as [| a u v _ IH | a b u | u v w _ IHu _ IHv]; intros f.
  - reflexivity.
  - simpl. rewrite !mean_bind. apply IH.
  - simpl. rewrite !mean_bind. apply mean_ext. intros s. apply insertion_laws_swap.
  - rewrite IHu. apply IHv.
Qed.

(** A mean only looks at what can be drawn. *)
Lemma mean_ext_in {A} (d : dist A) f g :
  (forall wa, In wa d -> f (snd wa) = g (snd wa)) -> mean d f = mean d g.
Proof. intros H. apply total_ext. intros wa I. rewrite (H wa I). reflexivity. Qed.

(** Inserting a new a gives a :: l from l alone, at one place. *)
Lemma insert_in_front {A} (eq_dec : forall s t : list A, {s = t} + {s <> t}) a (l s : list A) :
  ~ In a s ->
  total (insertions a s) (fun t => if eq_dec t (a :: l) then 1 else 0) = if eq_dec s l then 1 else 0.
Proof.
  intros Ha. destruct s as [| b s]; simpl.
  - destruct (eq_dec [a] (a :: l)) as [E | N], (eq_dec [] l) as [E' | N']; try congruence; ring.
  - rewrite total_map, (total_ext _ _ (fun _ => 0)), total_zero.
    + destruct (eq_dec (a :: b :: s) (a :: l)), (eq_dec (b :: s) l); try congruence; ring.
    + intros t _. destruct (eq_dec (b :: t) (a :: l)) as [E | _]; [| reflexivity].
      exfalso. apply Ha. injection E as -> _. left. reflexivity.
Qed.

Lemma shuffler_same_order {A} (eq_dec : forall s t : list A, {s = t} + {s <> t}) (u : list A) :
  NoDup u -> Pr (shuffler u) (fun t => if eq_dec t u then true else false) = / INR (fact (length u)).
Proof.
  intros H. unfold Pr.
  rewrite (mean_ext _ _ (fun t => if eq_dec t u then 1 else 0))
    by (intros t; unfold indicator; destruct (eq_dec t u); reflexivity).
  induction H as [| a u Ha Hu IH].
  - simpl. rewrite mean_ret. destruct (eq_dec [] []); [field | congruence].
  - simpl shuffler. rewrite mean_bind.
    rewrite (mean_ext_in _ _ (fun s => / INR (S (length u)) * (if eq_dec s u then 1 else 0))).
    + rewrite mean_scal, IH. change (fact (length (a :: u))) with (S (length u) * fact (length u))%nat.
      rewrite mult_INR, Rinv_mult. reflexivity.
    + intros ws I. assert (P := shuffler_permutation u ws I).
      rewrite mean_uniform, insertions_length, <- (Permutation_length P), insert_in_front; [reflexivity |].
      intros J. apply Ha. revert J. apply Permutation_in, Permutation_sym, P.
Qed.

Theorem shuffler_uniform {A} (eq_dec : forall s t : list A, {s = t} + {s <> t}) (u v : list A) :
  NoDup u -> Permutation u v ->
  Pr (shuffler u) (fun t => if eq_dec t v then true else false) = / INR (fact (length u)).
Proof.
  intros H P. unfold Pr. rewrite (shuffled_permutation u v P). rewrite (Permutation_length P).
  apply shuffler_same_order. revert H. apply Permutation_NoDup, P.
Qed.

(** ** Privacy of the shuffled messages *)

(** A symmetric event cannot tell whether the shuffler was there. *)
Lemma symmetric_event_shuffled {A} (T : list A -> bool) u : symmetric T -> Pr (shuffler u) T = indicator T u.
Proof.
  intros H. unfold Pr. rewrite (mean_ext_in _ _ (fun _ => indicator T u)).
  - apply mean_const, proper_shuffler.
  - intros wv I. unfold indicator. rewrite (H _ _ (shuffler_permutation u wv I)). reflexivity.
Qed.

(** From symmetric events to functions with values in [0, 1] that do not depend on the order. *)
Lemma symmetric_below_mean {M} (P Q : dist (list M)) E delta (f : list M -> R) :
  (forall T, symmetric T -> Pr P T <= E * Pr Q T + delta) ->
  (forall u v, Permutation u v -> f u = f v) -> (forall u, 0 <= f u <= 1) ->
  mean P f <= E * mean Q f + delta.
Proof.
  intros H S B.
  assert (D : below (dmap f P) (dmap f Q) E delta).
  { intros T. rewrite !Pr_dmap. apply H. intros u v L. rewrite (S u v L). reflexivity. }
  apply (below_mean _ _ _ _ (fun r => Rmax 0 (Rmin 1 r))) in D.
  - rewrite !mean_dmap in D. rewrite !(mean_ext _ (fun u => Rmax 0 (Rmin 1 (f u))) f) in D; [exact D | |];
      intros u; specialize (B u); unfold Rmax, Rmin; destruct (Rle_dec 1 (f u)), (Rle_dec 0 _); lra.
  - intros r. unfold Rmax, Rmin. destruct (Rle_dec 1 r), (Rle_dec 0 _); lra.
Qed.

(** Ledger row dp-multiset: all events of the ordered output, or those that the order does not change. *)
Theorem ordered_output {M} (P Q : dist (list M)) E delta :
  below (bind P shuffler) (bind Q shuffler) E delta <->
  forall T, symmetric T -> Pr P T <= E * Pr Q T + delta.
Proof.
  split; intros H T.
  - intros S. specialize (H T). rewrite !Pr_bind in H.
    rewrite !(mean_ext _ (fun u => Pr (shuffler u) T) (indicator T)) in H
      by (intros; apply symmetric_event_shuffled, S).
    exact H.
  - rewrite !Pr_bind. apply symmetric_below_mean; [exact H | |].
    + intros u v P'. apply (shuffled_permutation u v P').
    + intros u. apply Pr_bounds, proper_shuffler.
Qed.

Theorem shuffle_dp_iff_shuffled {X M} n (R : X -> dist (list M)) eps delta :
  shuffle_dp n R eps delta <-> dp n (fun xs => bind (messages R xs) shuffler) eps delta.
Proof.
  split; intros H xs ys N L; apply ordered_output, (H xs ys N L).
Qed.

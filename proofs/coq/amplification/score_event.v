(** A sum of scores is an event, and sums of scores in random order are a test.

    1. Each message has a real score. That the scores of all messages add up to at least t is an event that the order
       does not change ([score_event]): for real E >= 0 and delta, if the shuffled messages on one data set are
       (E, delta)-below those on another, numbers p <= P[sum >= t] and q <= Q[sum < t] satisfy p - E (1 - q) <= delta.
       The sum of the scores has the law of a sum of independent terms, one for each user ([score_law]). Any randomizer
       with proper rows, any number of messages.

    2. A test is a function of the ordered output of the shuffler with values in [0, 1]; its means satisfy the
       inequality of events, every real E and delta ([random_order_test]). A tree of joins adds up a list of outcomes:
       a leaf reads one, with a value of any type, a node joins the values of its two parts by a function of its own.
       If n - 1 outcomes are independent draws of R and one is a draw of P, all in a uniformly random order, the value
       of the root has the law [differs_law], given by a recursion: at a leaf the value of a draw of P; at a node of
       i + j leaves, with probability i/(i + j) the join of the law of the left part with him and of the right part
       without him, else the other way round ([tree_in_random_order]). P and R any finite laws, every n >= 1.

    Idea of the last: putting one outcome at a uniformly random place among independent draws, whose order is random
    anyway, puts him into a part with the probability of its share of the leaves.

    Source: this package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket.
Import ListNotations.
Open Scope R_scope.

(** ** Sums of scores *)

Theorem score_law {X M} (R : X -> dist (list M)) (score : M -> Rdefinitions.R) x xs (f : Rdefinitions.R ->
    Rdefinitions.R) :
  mean (messages R (x :: xs)) (fun u => f (total u score)) =
  mean (R x) (fun mine => mean (messages R xs) (fun others => f (total mine score + total others score))).
Proof.
  rewrite mean_messages_first. apply mean_ext. intros mine. apply mean_ext. intros others. rewrite total_app.
  reflexivity.
Qed.

Definition reaches {M} (score : M -> R) (t : R) (u : list M) : bool := Rleb t (total u score).

Theorem score_event {X M} (R : X -> dist (list M)) (score : M -> Rdefinitions.R) xs ys t E delta p q :
  (forall x, proper (R x)) -> 0 <= E -> shuffle_below R xs ys E delta ->
  p <= Pr (messages R xs) (reaches score t) -> q <= Pr (messages R ys) (fun u => negb (reaches score t u)) ->
  p - E * (1 - q) <= delta.
Proof.
  intros HR HE H Hp Hq.
  assert (S : symmetric (reaches score t)).
  { intros u v P. unfold reaches. rewrite (total_permutation u v score P). reflexivity. }
  specialize (H _ S). set (Q := messages R ys) in *.
  assert (C : Pr Q (reaches score t) + Pr Q (fun u => negb (reaches score t u)) = 1).
  { unfold Pr. rewrite <- mean_plus, (mean_ext Q _ (fun _ => 1)).
    - apply (proper_messages R ys HR).
    - intros u. unfold indicator. destruct (reaches score t u); simpl; ring. }
  assert (E * Pr Q (reaches score t) <= E * (1 - q)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Tests of the ordered output *)

Theorem random_order_test {M} (P Q : dist (list M)) E delta (f : list M -> R) :
  (forall T, symmetric T -> Pr P T <= E * Pr Q T + delta) -> (forall u, 0 <= f u <= 1) ->
  mean (bind P shuffler) f <= E * mean (bind Q shuffler) f + delta.
Proof. intros H F. apply below_mean; [apply ordered_output, H | exact F]. Qed.

(** The sum over all places of the mean where the outcome at this place is a draw of P and the others are draws of R. *)
Fixpoint at_each_place {A} (P R : dist A) (m : nat) (g : list A -> Rdefinitions.R) : Rdefinitions.R :=
  match m with
  | O => 0
  | S k => mean P (fun a => mean (copies R k) (fun l => g (a :: l))) +
           mean R (fun b => at_each_place P R k (fun l => g (b :: l)))
  end.

Lemma at_each_place_ext {A} (P R : dist A) m g h : (forall l,
    g l = h l) -> at_each_place P R m g = at_each_place P R m h.
Proof.
  revert g h. induction m as [| m IH]; intros g h H; simpl; [reflexivity |]. f_equal; apply mean_ext; intros a.
  - apply mean_ext. intros l. apply H.
  - apply IH. intros l. apply H.
Qed.

Lemma at_each_place_insertions {A} (P R : dist A) m g :
  mean P (fun a => mean (copies R m) (fun l => total (insertions a l) g)) = at_each_place P R (S m) g.
Proof.
  revert g. induction m as [| m IH]; intros g.
  - simpl at_each_place. rewrite (mean_ext R _ (fun _ => 0 * 0)) by (intros; ring).
  rewrite mean_scal, Rmult_0_l, Rplus_0_r.
    apply mean_ext. intros a. rewrite !mean_copies_none. simpl. ring.
  - change (at_each_place P R (S (S m)) g) with (mean P (fun a => mean (copies R (S m)) (fun l => g (a :: l))) +
      mean R (fun b => at_each_place P R (S m) (fun l => g (b :: l)))).
    rewrite (mean_ext R _ (fun b =>
      mean P (fun a => mean (copies R m) (fun l => total (insertions a l) (fun s => g (b :: s))))))
      by (intros; symmetry; apply IH).
    rewrite (mean_swap R P), <- mean_plus. apply mean_ext. intros a. rewrite !mean_copies_first, <- mean_plus.
    apply mean_ext. intros b. rewrite <- mean_plus. apply mean_ext. intros l. simpl. rewrite total_map. reflexivity.
Qed.

Lemma at_each_place_alike {A} (R : dist A) m g : at_each_place R R m g = INR m * mean (copies R m) g.
Proof.
  revert g. induction m as [| m IH]; intros g; [simpl; ring |].
  cbn [at_each_place].
  rewrite (mean_ext R (fun b => at_each_place R R m _) (fun b => INR m * mean (copies R m) (fun l => g (b :: l))))
    by (intros; apply IH).
  rewrite mean_scal, S_INR, mean_copies_first. ring.
Qed.

Lemma mean_insertions {A} (a : A) l g : mean (uniform (insertions a l)) g = / INR (S (length l)) * total (insertions a
    l) g.
Proof. rewrite mean_uniform, insertions_length. reflexivity. Qed.

Lemma copies_length {A} (d : dist A) j wl : In wl (copies d j) -> length (snd wl) = j.
Proof. intros I. destruct (copies_drawn d j wl I) as [was [L [_ [-> _]]]]. rewrite map_length. exact L. Qed.

(** The order of independent draws of one law is random anyway. *)
Lemma shuffled_copies {A} (R : dist A) j g : mean (copies R j) (fun l => mean (shuffler l) g) = mean (copies R j) g.
Proof.
  revert g. induction j as [| j IH]; intros g.
  - rewrite !mean_copies_none. simpl. apply mean_ret.
  - assert (0 < INR (S j)) by (apply lt_0_INR; lia). rewrite mean_copies_first.
    rewrite (mean_ext R _ (fun a => / INR (S j) * mean (copies R j) (fun l => total (insertions a l) g))).
    + rewrite mean_scal, at_each_place_insertions, at_each_place_alike. field. lra.
    + intros a.
      rewrite (mean_ext (copies R j) _ (fun l => mean (shuffler l) (fun s => mean (uniform (insertions a s)) g)))
        by (intros l; simpl; apply mean_bind).
      rewrite IH, <- mean_scal. apply mean_ext_in. intros wl I. rewrite mean_insertions, (copies_length R j wl I).
      reflexivity.
Qed.

Lemma one_in_random_order {A} (P R : dist A) j g :
  mean (bind (draws (P :: repeat R j)) shuffler) g = at_each_place P R (S j) g / INR (S j).
Proof.
  rewrite mean_bind, mean_draws_first. fold (copies R j). unfold Rdiv.
  rewrite <- at_each_place_insertions, <- mean_scal_r. apply mean_ext. intros a.
  rewrite (mean_ext (copies R j) _ (fun l => mean (shuffler l) (fun s => mean (uniform (insertions a s)) g)))
    by (intros l; simpl; apply mean_bind).
  rewrite shuffled_copies, <- mean_scal_r. apply mean_ext_in. intros wl I.
  rewrite mean_insertions, (copies_length R j wl I). ring.
Qed.

(** ** Trees *)

Inductive tree (A S : Type) : Type :=
  | leaf : (A -> S) -> tree A S
  | node : tree A S -> tree A S -> (S -> S -> S) -> tree A S.
Arguments leaf {A S}.
Arguments node {A S}.

Fixpoint leaves {A S} (t : tree A S) : nat :=
  match t with leaf _ => 1 | node l r _ => leaves l + leaves r end.

(** The value of the root; [none] is that of a leaf for which the list has no outcome. *)
Fixpoint root {A S} (none : S) (t : tree A S) (u : list A) : S :=
  match t with
  | leaf value => match u with a :: _ => value a | [] => none end
  | node l r join => join (root none l (firstn (leaves l) u)) (root none r (skipn (leaves l) u))
  end.

(** The law of the root if all outcomes are draws of R, ... *)
Fixpoint others_law {A S} (R : dist A) (t : tree A S) : dist S :=
  match t with
  | leaf value => dmap value R
  | node l r join => bind (others_law R l) (fun a => dmap (join a) (others_law R r))
  end.

(** ... and if the one at a uniformly random leaf is a draw of P. *)
Fixpoint differs_law {A S} (P R : dist A) (t : tree A S) : dist S :=
  match t with
  | leaf value => dmap value P
  | node l r join =>
    bind (coin (INR (leaves l) / INR (leaves l + leaves r))) (fun in_left =>
      if in_left then bind (differs_law P R l) (fun a => dmap (join a) (others_law R r))
      else bind (others_law R l) (fun a => dmap (join a) (differs_law P R r)))
  end.

Lemma leaves_positive {A S} (t : tree A S) : (1 <= leaves t)%nat.
Proof. induction t as [value | l IHl r IHr join]; simpl; lia. Qed.

Lemma copies_of_parts {A} (R : dist A) i j g :
  mean (copies R (i + j)) g = mean (copies R i) (fun u => mean (copies R j) (fun v => g (u ++ v))).
Proof.
  revert g. induction i as [| i IH]; intros g; [rewrite mean_copies_none; reflexivity |].
  cbn [Nat.add]. rewrite !mean_copies_first. apply mean_ext. intros a. apply IH.
Qed.

Lemma at_each_place_of_parts {A} (P R : dist A) i j g :
  at_each_place P R (i + j) g =
  mean (copies R j) (fun v => at_each_place P R i (fun u => g (u ++ v))) +
  mean (copies R i) (fun u => at_each_place P R j (fun v => g (u ++ v))).
Proof.
  revert g. induction i as [| i IH]; intros g.
  - rewrite mean_copies_none. simpl. rewrite (mean_ext (copies R j) _ (fun _ => 0 * 0)) by (intros; ring).
    rewrite mean_scal, Rmult_0_l, Rplus_0_l. reflexivity.
  - cbn [Nat.add at_each_place]. rewrite mean_copies_first.
    rewrite (mean_ext R (fun b => at_each_place P R (i + j) _) (fun b =>
      mean (copies R j) (fun v => at_each_place P R i (fun u => g (b :: u ++ v))) +
      mean (copies R i) (fun u => at_each_place P R j (fun v => g (b :: u ++ v))))) by (intros b; apply IH).
    rewrite !mean_plus, <- Rplus_assoc. f_equal. f_equal.
    + rewrite (mean_swap (copies R j) P). apply mean_ext. intros a. rewrite copies_of_parts. apply mean_swap.
    + apply mean_swap.
Qed.

Lemma firstn_copies {A} (u v : list A) : firstn (length u) (u ++ v) = u /\ skipn (length u) (u ++ v) = v.
Proof.
  split; [rewrite firstn_app, Nat.sub_diag, firstn_all, firstn_O, app_nil_r | rewrite skipn_app, Nat.sub_diag,
      skipn_all];
    reflexivity.
Qed.

(** What is summed has the length of the number of places. *)
Lemma at_each_place_ext_length {A} (P R : dist A) m g h :
  (forall l, length l = m -> g l = h l) -> at_each_place P R m g = at_each_place P R m h.
Proof.
  revert g h. induction m as [| m IH]; intros g h H; simpl; [reflexivity |]. f_equal; apply mean_ext; intros a.
  - apply mean_ext_in. intros wl I. apply H. simpl. rewrite (copies_length R m wl I). reflexivity.
  - apply IH. intros l L. apply H. simpl. rewrite L. reflexivity.
Qed.

Lemma root_of_others {A S} (R : dist A) none (t : tree A S) f :
  mean (copies R (leaves t)) (fun u => f (root none t u)) = mean (others_law R t) f.
Proof.
  revert f. induction t as [value | l IHl r IHr join]; intros f.
  - cbn [leaves others_law]. rewrite mean_copies_first, mean_dmap. apply mean_ext. intros a. apply mean_copies_none.
  - cbn [leaves others_law]. rewrite copies_of_parts, mean_bind, <- IHl. apply mean_ext_in. intros wu I.
    rewrite mean_dmap, <- IHr. apply mean_ext. intros v. simpl root.
    rewrite <- (copies_length R _ wu I). destruct (firstn_copies (snd wu) v) as [-> ->]. reflexivity.
Qed.

Lemma root_at_each_place {A S} (P R : dist A) none (t : tree A S) f :
  at_each_place P R (leaves t) (fun u => f (root none t u)) = INR (leaves t) * mean (differs_law P R t) f.
Proof.
  revert f. induction t as [value | l IHl r IHr join]; intros f.
  - cbn [leaves differs_law at_each_place]. rewrite mean_dmap. simpl INR.
    rewrite (mean_ext R _ (fun _ => 0 * 0)) by (intros; ring). rewrite mean_scal.
    rewrite (mean_ext P _ (fun a => f (value a))) by (intros a; apply mean_copies_none). ring.
  - cbn [leaves differs_law]. assert (Pl := leaves_positive l). assert (Pr := leaves_positive r).
    assert (N : INR (leaves l + leaves r) <> 0) by (apply not_0_INR; lia).
    rewrite at_each_place_of_parts, mean_bind, mean_coin, !mean_bind.
    set (value := fun u v => f (root none (node l r join) (u ++ v))).
    assert (Left : mean (copies R (leaves r)) (fun v => at_each_place P R (leaves l) (fun u => value u v)) =
      INR (leaves l) * mean (differs_law P R l) (fun a => mean (dmap (join a) (others_law R r)) f)).
    { rewrite (mean_ext (copies R (leaves r)) _ (fun v =>
        INR (leaves l) * mean (differs_law P R l) (fun a => f (join a (root none r v))))).
      - rewrite mean_scal, mean_swap. f_equal. apply mean_ext. intros a. rewrite mean_dmap.
        apply (root_of_others R none r (fun b => f (join a b))).
      - intros v. rewrite <- (IHl (fun a => f (join a (root none r v)))). apply at_each_place_ext_length.
        intros u L. unfold value. simpl root. rewrite <- L. destruct (firstn_copies u v) as [-> ->]. reflexivity. }
    assert (Right : mean (copies R (leaves l)) (fun u => at_each_place P R (leaves r) (fun v => value u v)) =
      INR (leaves r) * mean (others_law R l) (fun a => mean (dmap (join a) (differs_law P R r)) f)).
    { rewrite <- mean_scal, <- (root_of_others R none l). apply mean_ext_in. intros wu I.
      rewrite mean_dmap, <- IHr. apply at_each_place_ext. intros v. unfold value. simpl root.
      rewrite <- (copies_length R _ wu I). destruct (firstn_copies (snd wu) v) as [-> ->]. reflexivity. }
    unfold value in Left, Right. rewrite Left, Right, plus_INR. rewrite plus_INR in N. field. exact N.
Qed.

Theorem tree_in_random_order {A S} (P R : dist A) none (t : tree A S) j f :
  leaves t = Datatypes.S j ->
  mean (bind (draws (P :: repeat R j)) shuffler) (fun u => f (root none t u)) = mean (differs_law P R t) f.
Proof.
  intros L. assert (0 < INR (Datatypes.S j)) by (apply lt_0_INR; lia).
  rewrite one_in_random_order, <- L, root_at_each_place, L. field. lra.
Qed.

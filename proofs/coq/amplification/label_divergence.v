(** How far the labels of two data sets can be told apart, exactly.

    Let the user who differs draw a label with h times the weight that it has in c, or with k times for the
    neighbour, and let the n - 1 others draw theirs from c, a law that may weigh less than 1, or else none.
    [label_divergence]: for every n >= 1, all real E and delta and functions h, k of the label (of either sign),
    the shuffled labels are (E, delta)-below if and only if

      (1/n) E[max(0, L_1 + ... + L_n)] <= delta,

    where the L_i are independent and L = h - E k of a label from c, 0 of none ([label_values]). So this number is
    the largest excess of an event that the shuffler leaves.

    Idea: for an event that ignores the order it does not matter which of n users is the one who differs: the
    excess is the mean over n users like the others of T times the mean of their values L; the best event is that
    the values add up to more than 0.

    Source: the functional is that of Balle, Bell, Gascon, Nissim 2019, section 5; that it is exact here: this
    package. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user mean_excess hidden_message classes
  label_reduction.
Import ListNotations.
Open Scope R_scope.

(** The law with h times the weights of c. *)
Definition tilted {A} (c : dist A) (h : A -> R) : dist A := map (fun wa => (fst wa * h (snd wa), snd wa)) c.

Lemma mean_tilted {A} (c : dist A) h f : mean (tilted c h) f = mean c (fun a => h a * f a).
Proof.
  unfold mean, tilted. rewrite total_map. apply total_ext. intros wa _. simpl. ring.
Qed.

(** The values of a label of the others. *)
Definition label_values {I} (c : dist I) (h k : I -> R) (E : R) : dist R :=
  (1 - mean c (fun _ => 1), 0) :: dmap (fun i => h i - E * k i) c.

Lemma mean_label_values {I} (c : dist I) h k E f :
  mean (label_values c h k E) f = (1 - mean c (fun _ => 1)) * f 0 + mean c (fun i => f (h i - E * k i)).
Proof. rewrite <- (mean_dmap (fun i => h i - E * k i) c f). reflexivity. Qed.

Lemma proper_label_values {I} (c : dist I) h k E :
  sub_law c -> mean c (fun _ => 1) <= 1 -> proper (label_values c h k E).
Proof.
  intros S W. split; [| rewrite mean_label_values; ring]. intros wa [<- | J]; simpl; [lra |].
  apply in_flat_map in J. destruct J as [vb [J [<- | []]]]. simpl. rewrite Rmult_1_r. apply S, J.
Qed.

(** The value h of a label, none has 0. *)
Definition or_0 {I} (h : I -> R) (a : option I) : R := match a with Some i => h i | None => 0 end.

(** ** Copies *)

Lemma mean_copies_dmap {A B} (g : A -> B) (d : dist A) n f :
  mean (copies (dmap g d) n) f = mean (copies d n) (fun u => f (map g u)).
Proof.
  revert f. induction n as [| n IH]; intros f; [rewrite !mean_copies_none; reflexivity |].
  rewrite !mean_copies_first, mean_dmap. apply mean_ext. intros a. rewrite IH. reflexivity.
Qed.

(** ** The excess of an event *)

Section Labels.

  Context {I : Type} (P Q c : dist I) (h k : I -> R) (E : R).
  Hypothesis c_below_1 : sub_law c /\ mean c (fun _ => 1) <= 1.
  Hypothesis P_tilted : same_law P (tilted c h).
  Hypothesis Q_tilted : same_law Q (tilted c k).

  Let other : dist (option I) := labels P Q c bystander.

  Lemma mean_other f : mean other f = (1 - mean c (fun _ => 1)) * f None + mean c (fun i => f (Some i)).
  Proof.
    change other with ([(1 - mean c (fun _ => 1), @None I)] ++ dmap Some c).
    rewrite mean_app, mean_dmap. unfold mean at 1. cbn [total fst snd]. ring.
  Qed.

  Lemma proper_other : proper other.
  Proof.
    split; [| rewrite mean_other; ring]. destruct c_below_1 as [S W]. intros wa [<- | J]; simpl; [lra |].
    apply in_flat_map in J. destruct J as [vb [J [<- | []]]]. simpl. rewrite Rmult_1_r. apply S, J.
  Qed.

  Lemma sent_others n f :
    mean (messages (one_message (labels P Q c)) (repeat bystander n)) f = mean (copies other n) f.
  Proof.
    revert f. induction n as [| n IH]; intros f; [simpl; rewrite mean_ret, mean_copies_none; reflexivity |].
    cbn [repeat]. rewrite mean_messages_first, mean_copies_first. unfold one_message at 1. rewrite mean_dmap.
    apply mean_ext. intros a. apply (IH (fun u => f (a :: u))).
  Qed.

  Lemma excess_of_event n f :
    orderless f ->
    mean (messages (one_message (labels P Q c)) (differs :: repeat bystander n)) f -
    E * mean (messages (one_message (labels P Q c)) (neighbour :: repeat bystander n)) f =
    mean (copies other (S n)) (fun u => total u (or_0 (fun i => h i - E * k i)) * f u) / INR (S n).
  Proof.
    intros S. assert (N : INR (Datatypes.S n) <> 0) by (apply not_0_INR; discriminate).
    rewrite hidden_message by exact S. unfold with_value. rewrite !mean_messages_first. unfold one_message at 1 3.
    rewrite !mean_dmap. cbn [labels app]. rewrite !mean_dmap, P_tilted, Q_tilted, !mean_tilted, mean_other.
    cbn [or_0]. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_l, <- mean_scal, <- mean_minus.
    unfold Rdiv. rewrite Rmult_comm, <- Rmult_assoc, Rinv_l, Rmult_1_l by exact N.
    apply mean_ext. intros i. rewrite !sent_others. ring.
  Qed.

  Lemma mean_excess_labels n :
    mean_excess n (label_values c h k E) =
    mean (copies other n) (fun u => Rmax 0 (total u (or_0 (fun i => h i - E * k i)))) / INR n.
  Proof.
    rewrite (mean_excess_same_law n _ (dmap (or_0 (fun i => h i - E * k i)) other)).
    - unfold mean_excess. rewrite mean_copies_dmap. f_equal. apply mean_ext. intros u. rewrite total_map. reflexivity.
    - intros f. rewrite mean_dmap, mean_other. apply mean_label_values.
  Qed.

Theorem label_divergence n delta :
  (1 <= n)%nat -> labels_below n P Q c E delta <-> mean_excess n (label_values c h k E) <= delta.
Proof.
  intros Hn. destruct n as [| n]; [lia |]. rewrite mean_excess_labels. unfold labels_below.
  rewrite Nat.sub_succ, Nat.sub_0_r. set (L := or_0 (fun i => h i - E * k i)).
  assert (N : 0 < INR (S n)) by (apply lt_0_INR; lia). split; intros H.
  - assert (S : symmetric (fun u => Rltb 0 (total u L)))
      by (intros u v J; rewrite (total_permutation u v L J); reflexivity).
    specialize (H _ S). apply orderless_indicator in S. assert (X := excess_of_event n _ S). fold L in X.
    unfold Pr in H. rewrite (mean_ext _ (fun u => Rmax 0 (total u L))
      (fun u => total u L * indicator (fun u => Rltb 0 (total u L)) u)); [lra |].
    intros u. unfold indicator, Rltb. destruct (Rlt_dec 0 (total u L)); [rewrite Rmax_right | rewrite Rmax_left]; lra.
  - intros T S. apply orderless_indicator in S. assert (X := excess_of_event n _ S). fold L in X.
    unfold Pr. assert (Y : mean (copies other (Datatypes.S n)) (fun u => total u L * indicator T u) <=
      mean (copies other (Datatypes.S n)) (fun u => Rmax 0 (total u L))).
    { apply mean_le; [apply proper_copies, proper_other |]. intros u. unfold indicator.
      destruct (T u); [rewrite Rmult_1_r; apply Rmax_r | rewrite Rmult_0_r; apply Rmax_l]. }
    apply (Rmult_le_compat_r (/ INR (Datatypes.S n))) in Y; [| left; apply Rinv_0_lt_compat, N].
    unfold Rdiv in *. lra.
Qed.

End Labels.

(** What every user sends from some label: the shuffled messages are no easier to tell apart than the labels.

    Let I be a type of labels and K a program that makes a bundle of messages of a label. The user who differs
    draws a label from the law P, or from Q for the neighbour, and sends what K makes of it. Every other user's row
    is at least what K makes of c, a law that may weigh less than 1: he can be thought to draw a label from c, and
    otherwise, with what c lacks to 1, no label (None) but something of his own.

    [label_reduction]: let the labels themselves, in the order of the shuffler, be (E, delta)-below at n users
    ([labels_below]: P against Q, the n - 1 others from c or None). Then so are the shuffled messages of all data
    sets of n users, the user who differs in any place. Every n >= 1, all real E and delta, labels of any type,
    bundles of any length, laws P and Q with weights that only have to add up to the rows.

    Idea: publish which of the others draw no label, and what they send. They are bystanders; those who are left
    send K of their labels, and K does not know more than the labels. How many are left is independent of P and
    Q, and the labels show it, so that the best events for each number of them are one event of the labels.

    Source: the data-processing step of Feldman, McMillan, Talwar 2021, Theorem 3.1, and of
    Balle, Bell, Gascon, Nissim 2019, section 5; this form is this package's. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick shuffler adding_a_user mean_excess hidden_message.
Import ListNotations.
Open Scope R_scope.

(** ** The labels as a protocol *)

(** The three kinds of users of a pair of data sets of labels. *)
Inductive role : Type := differs | neighbour | bystander.

Definition labels {I} (P Q c : dist I) (r : role) : dist (option I) :=
  match r with
  | differs => dmap Some P
  | neighbour => dmap Some Q
  | bystander => (1 - mean c (fun _ => 1), None) :: dmap Some c
  end.

(** The shuffled labels of n users are (E, delta)-below. *)
Definition labels_below {I} (n : nat) (P Q c : dist I) (E delta : R) : Prop :=
  shuffle_below (one_message (labels P Q c)) (differs :: repeat bystander (n - 1))
    (neighbour :: repeat bystander (n - 1)) E delta.

(** ** Users by their laws *)

Lemma map_of_repeat {A B} (h : A -> B) a n : map h (repeat a n) = repeat (h a) n.
Proof. induction n as [| n IH]; simpl; [| rewrite IH]; reflexivity. Qed.

(** The messages of users each of whom has his law of bundles; a law need not weigh 1 here. *)
Definition sent {M} (users : list (dist (list M))) : dist (list M) := messages (fun d => d) users.

Lemma messages_sent {X M} (R : X -> dist (list M)) xs : messages R xs = sent (map R xs).
Proof. induction xs as [| x xs IH]; [reflexivity |]. unfold sent in *. simpl. rewrite IH. reflexivity. Qed.

Definition alone {I} (d : dist I) : dist (list I) := dmap (fun i => [i]) d.

Lemma mean_sent {M} (d : dist (list M)) users f :
  mean (sent (d :: users)) f = mean d (fun mine => mean (sent users) (fun others => f (mine ++ others))).
Proof. apply (mean_messages_first (fun d => d)). Qed.

Lemma sent_permutation {M} (us vs : list (dist (list M))) f :
  Permutation us vs -> orderless f -> mean (sent us) f = mean (sent vs) f.
Proof. intros H. apply (messages_permutation (fun d => d) us vs H). Qed.

Lemma mean_app {A} (d e : dist A) f : mean (d ++ e) f = mean d f + mean e f.
Proof. apply total_app. Qed.

(** What f gains under the one user's law against E times the other, beside the same users. *)
Definition gain {M} (P Q : dist (list M)) (E : R) (users : list (dist (list M))) (f : list M -> R) : R :=
  mean (sent (P :: users)) f - E * mean (sent (Q :: users)) f.

Lemma gain_permutation {M} (P Q : dist (list M)) E us vs f :
  Permutation us vs -> orderless f -> gain P Q E us f = gain P Q E vs f.
Proof. intros H S. unfold gain. rewrite !(sent_permutation _ (_ :: vs) f (perm_skip _ H) S). reflexivity. Qed.

Lemma gain_same {M} (P Q P' Q' : dist (list M)) E us f :
  same_law P P' -> same_law Q Q' -> gain P Q E us f = gain P' Q' E us f.
Proof. intros HP HQ. unfold gain. rewrite !mean_sent, HP, HQ. reflexivity. Qed.

Lemma gain_first {M} (P Q : dist (list M)) E d us f :
  orderless f -> gain P Q E (d :: us) f = mean d (fun mine => gain P Q E us (fun v => f (mine ++ v))).
Proof.
  intros S. unfold gain. rewrite mean_minus, mean_scal.
  rewrite (sent_permutation (P :: d :: us) (d :: P :: us) f (perm_swap _ _ _) S).
  rewrite (sent_permutation (Q :: d :: us) (d :: Q :: us) f (perm_swap _ _ _) S).
  rewrite !(mean_sent d). reflexivity.
Qed.

Lemma gain_ext {M} (P Q : dist (list M)) E us f g :
  (forall u, f u = g u) -> gain P Q E us f = gain P Q E us g.
Proof. intros H. unfold gain. rewrite !(mean_ext _ f g H). reflexivity. Qed.

(** ** From labels to messages *)

Section Labels.

  Context {M I : Type} (K : I -> dist (list M)) (P Q c : dist I) (E : R).

  Lemma sent_labels ds f :
    mean (sent (map (fun d => bind d K) ds)) f = mean (sent (map alone ds)) (fun u => mean (messages K u) f).
  Proof.
    revert f. induction ds as [| d ds IH]; intros f.
    - unfold sent. simpl. rewrite !mean_ret. simpl. rewrite mean_ret. reflexivity.
    - cbn [map]. rewrite !mean_sent, mean_bind. unfold alone at 1. rewrite mean_dmap.
      apply mean_ext. intros i. cbn [app].
      rewrite (mean_ext (K i) _ _ (fun mine => IH (fun v => f (mine ++ v)))), mean_swap.
      apply mean_ext. intros u. symmetry. apply mean_messages_first.
  Qed.

  Lemma gain_labels ds f :
    gain (bind P K) (bind Q K) E (map (fun d => bind d K) ds) f =
    gain (alone P) (alone Q) E (map alone ds) (fun u => mean (messages K u) f).
  Proof. unfold gain. rewrite <- (sent_labels (P :: ds)), <- (sent_labels (Q :: ds)). reflexivity. Qed.

  (** The counts of a list of labels, its view. *)
  Definition counts (u : list I) (i : I) : nat := count_occ same u i.

  Definition with_copies (d : dist I) (m : nat) : list (dist (list I)) := alone d :: repeat (alone c) m.

  (** The largest gain of an event beside m others who all draw a label. *)
  Definition peak (m : nat) : R :=
    hockey_stick (dmap counts (sent (with_copies P m))) (dmap counts (sent (with_copies Q m))) E.

  Definition peak_event (m : nat) (u : list I) : bool :=
    best_event (dmap counts (sent (with_copies P m))) (dmap counts (sent (with_copies Q m))) E (counts u).

  Lemma gain_le_peak m g :
    orderless g -> (forall u, 0 <= g u <= 1) -> gain (alone P) (alone Q) E (repeat (alone c) m) g <= peak m.
  Proof.
    intros S B.
    assert (H : shuffle_below (fun d => d) (with_copies P m) (with_copies Q m) E (peak m)).
    { apply (shuffle_below_iff_hockey_stick _ counts); [exact complete_view_counts | apply Rle_refl]. }
    apply (symmetric_below_mean _ _ _ _ g H S) in B. unfold gain, sent in *. unfold with_copies in B. lra.
  Qed.

  Lemma peak_attained m : gain (alone P) (alone Q) E (repeat (alone c) m) (indicator (peak_event m)) = peak m.
  Proof. unfold peak. rewrite <- hockey_stick_best, !Pr_dmap. reflexivity. Qed.

  Lemma peak_event_symmetric m : symmetric (peak_event m).
  Proof. intros u v H. unfold peak_event, counts. apply complete_view_counts in H. rewrite H. reflexivity. Qed.

  (** k others who may draw no label, and m who do. *)
  Fixpoint bound (k m : nat) : R :=
    match k with
    | O => peak m
    | S k => bound k (S m) + (1 - mean c (fun _ => 1)) * bound k m
    end.

  (** ** The messages gain no more *)

  Hypothesis K_proper : forall i, proper (K i).

  Lemma gain_le_bound (ys : list (dist (list M))) m f :
    (forall d, In d ys -> proper d /\ lies_below (bind c K) d) ->
    orderless f -> (forall u, 0 <= f u <= 1) ->
    gain (bind P K) (bind Q K) E (ys ++ repeat (bind c K) m) f <= bound (length ys) m.
  Proof.
    revert m f. induction ys as [| d ys IH]; intros m f H S B.
    - cbn [app length bound]. rewrite <- (map_of_repeat (fun d => bind d K)), gain_labels, map_of_repeat.
      apply gain_le_peak.
      + intros u v L. apply messages_permutation; assumption.
      + intros u. assert (X := proper_messages K u K_proper). split.
        * apply mean_nonneg; [exact X |]. intros v. apply B.
        * rewrite <- (mean_const _ 1 X). apply mean_le; [exact X |]. intros v. apply B.
    - destruct (H d (or_introl eq_refl)) as [PD L].
      assert (H' : forall e, In e ys -> proper e /\ lies_below (bind c K) e)
        by (intros e I'; apply H; right; exact I').
      cbn [app length bound]. rewrite (gain_first _ _ _ d _ _ S).
      set (g := fun mine => gain (bind P K) (bind Q K) E (ys ++ repeat (bind c K) m) (fun v => f (mine ++ v))).
      destruct (rest_above _ _ L) as [rest [S' D]]. rewrite D. apply Rplus_le_compat.
      + unfold g. rewrite <- (gain_first _ _ _ (bind c K) _ _ S).
        rewrite (gain_permutation _ _ _ _ (ys ++ repeat (bind c K) (Datatypes.S m)) f);
          [apply IH; assumption | | exact S].
        simpl. apply Permutation_middle.
      + assert (W : 1 - mean c (fun _ => 1) = mean rest (fun _ => 1)).
        { assert (O := proj2 PD). rewrite D, mean_bind in O.
          rewrite (mean_ext c (fun i => mean (K i) (fun _ => 1)) (fun _ => 1)) in O
            by (intros i; apply K_proper). lra. }
        rewrite W, Rmult_comm, <- mean_scal. apply mean_le_sub_law; [exact S' |]. intros mine. rewrite Rmult_1_r.
        apply IH; [exact H' | apply orderless_app, S | intros u; apply B].
  Qed.

End Labels.

(** ** The labels gain as much *)

(** The labels among the users who drew one. *)
Fixpoint drawn {I} (u : list (option I)) : list I :=
  match u with
  | [] => []
  | Some i :: u => i :: drawn u
  | None :: u => drawn u
  end.

Lemma drawn_permutation {I} (u v : list (option I)) : Permutation u v -> Permutation (drawn u) (drawn v).
Proof.
  induction 1 as [| [i |] u v _ IH | [i |] [j |] u | u v w _ IH1 _ IH2]; simpl; auto using perm_swap.
  eapply perm_trans; eassumption.
Qed.

(** As many labels are sent as users draw one. *)
Lemma sent_length {I} (ds : list (dist I)) (g : nat -> list I -> R) :
  mean (sent (map alone ds)) (fun u => g (length u) u) = mean (sent (map alone ds)) (g (length ds)).
Proof.
  revert g. induction ds as [| d ds IH]; intros g.
  - unfold sent. simpl. rewrite !mean_ret. reflexivity.
  - cbn [map]. rewrite !mean_sent. unfold alone at 1 3. rewrite !mean_dmap. apply mean_ext. intros i.
    apply (IH (fun l u => g (S l) (i :: u))).
Qed.

Lemma sent_drawn {I} (ds : list (dist I)) (f : list I -> R) :
  mean (sent (map (fun d => alone (dmap Some d)) ds)) (fun u => f (drawn u)) = mean (sent (map alone ds)) f.
Proof.
  revert f. induction ds as [| d ds IH]; intros f.
  - unfold sent. simpl. rewrite !mean_ret. reflexivity.
  - cbn [map]. rewrite !mean_sent. unfold alone at 1 3. rewrite !mean_dmap. apply mean_ext. intros i.
    apply (IH (fun u => f (i :: u))).
Qed.

Section Attained.

  Context {I : Type} (P Q c : dist I) (E : R).

  Let from (r : role) : dist (list (option I)) := alone (labels P Q c r).
  Let copy : dist (list (option I)) := alone (dmap Some c).

  Definition labels_event (u : list (option I)) : bool :=
    peak_event P Q c E (length (drawn u) - 1) (drawn u).

  Lemma labels_event_symmetric : symmetric labels_event.
  Proof.
    intros u v H. unfold labels_event. apply drawn_permutation in H. rewrite (Permutation_length H).
    apply peak_event_symmetric, H.
  Qed.

  Lemma gain_all_drawn m :
    gain (from differs) (from neighbour) E (repeat copy m) (indicator labels_event) = peak P Q c E m.
  Proof.
    rewrite <- peak_attained. unfold gain.
    assert (H : forall d, mean (sent (alone (dmap Some d) :: repeat copy m)) (indicator labels_event) =
      mean (sent (alone d :: repeat (alone c) m)) (indicator (peak_event P Q c E m))).
    { intros d.
      rewrite (mean_ext _ _ (fun u => indicator (peak_event P Q c E (length (drawn u) - 1)) (drawn u)))
        by reflexivity.
      unfold copy. rewrite <- (map_of_repeat (fun d => alone (dmap Some d)) c m).
      assert (A := sent_drawn (d :: repeat c m) (fun u => indicator (peak_event P Q c E (length u - 1)) u)).
      assert (B := sent_length (d :: repeat c m) (fun l u => indicator (peak_event P Q c E (l - 1)) u)).
      cbn [map length] in A, B. rewrite A, B, map_of_repeat, repeat_length, Nat.sub_succ, Nat.sub_0_r. reflexivity. }
    unfold from, labels. rewrite !H. reflexivity.
  Qed.

  Lemma mean_bystander g : mean (from bystander) g = mean copy g + (1 - mean c (fun _ => 1)) * g [None].
  Proof.
    unfold from, copy, alone. rewrite (mean_dmap _ (labels P Q c bystander)).
    change (labels P Q c bystander) with ([(1 - mean c (fun _ => 1), @None I)] ++ dmap Some c).
    rewrite mean_app, (mean_dmap (fun i => [i])). unfold mean at 1. cbn [total fst snd]. ring.
  Qed.

  Lemma gain_labels_event k m :
    gain (from differs) (from neighbour) E (repeat (from bystander) k ++ repeat copy m) (indicator labels_event) =
    bound P Q c E k m.
  Proof.
    revert m. induction k as [| k IH]; intros m; [apply gain_all_drawn |].
    assert (S := orderless_indicator _ labels_event_symmetric).
    cbn [repeat app bound]. rewrite (gain_first _ _ _ (from bystander) _ _ S).
    rewrite mean_bystander. f_equal.
    - rewrite <- IH, (gain_permutation _ _ _ _ (copy :: repeat (from bystander) k ++ repeat copy m) _).
      + symmetry. apply gain_first, S.
      + symmetry. apply Permutation_middle.
      + exact S.
    - rewrite <- IH. reflexivity.
  Qed.

  Lemma bound_le_labels k delta : labels_below (S k) P Q c E delta -> bound P Q c E k 0 <= delta.
  Proof.
    intros H. specialize (H labels_event labels_event_symmetric).
    rewrite <- gain_labels_event. cbn [repeat]. rewrite app_nil_r. unfold gain.
    rewrite !messages_sent in H. cbn [Nat.sub map] in H. rewrite Nat.sub_0_r, map_of_repeat in H.
    unfold Pr, one_message in H. unfold from, alone. lra.
  Qed.

End Attained.

(** ** The theorem *)

Theorem label_reduction {X M I} (R : X -> dist (list M)) (K : I -> dist (list M)) (P Q c : dist I)
    x y before after (E delta : Rdefinitions.R) :
  (forall i, proper (K i)) -> same_law (R x) (bind P K) -> same_law (R y) (bind Q K) ->
  (forall z, In z (before ++ after) -> proper (R z) /\ lies_below (bind c K) (R z)) ->
  labels_below (length (before ++ x :: after)) P Q c E delta ->
  shuffle_below R (before ++ x :: after) (before ++ y :: after) E delta.
Proof.
  intros HK HP HQ Hc H.
  apply (shuffle_below_permutation _ _ _ (x :: before ++ after) (y :: before ++ after));
    [symmetry; apply Permutation_middle | symmetry; apply Permutation_middle |].
  assert (L : length (before ++ x :: after) = S (length (before ++ after)))
    by (rewrite !app_length; simpl; lia).
  rewrite L in H. apply bound_le_labels in H. set (others := before ++ after) in *. intros T S.
  assert (G : gain (R x) (R y) E (map R others) (indicator T) <= bound P Q c E (length others) 0).
  { rewrite (gain_same _ _ _ _ _ _ _ HP HQ), <- (app_nil_r (map R others)), <- (map_length R others).
    apply (gain_le_bound K P Q c E HK (map R others) 0).
    - intros d J. apply in_map_iff in J. destruct J as [z [<- J]]. apply Hc, J.
    - apply orderless_indicator, S.
    - apply indicator_bounds. }
  unfold Pr. rewrite !messages_sent. cbn [map]. unfold gain in G. lra.
Qed.

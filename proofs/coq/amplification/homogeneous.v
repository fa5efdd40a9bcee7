(** Where all other users hold one input, the divergence of the shuffled messages is known.

    R sends one message of any type, n >= 1 users; one user holds x or y, and the n - 1 others all hold v, whose row
    is proper. E is any real number. Then the hockey-stick divergence at E of what the shuffler shows, the multiset of
    the messages, is exactly [reference_bound] n (R x) (R y) E (R v) ([homogeneous_exact]): outcomes of R x and R y
    that v never sends are counted in full, and the rest is (1 / n) E[max(0, L_1 + ... + L_n)] for independent values
    L = (P - E Q) / R v of draws of R v. x, y and v need not be different, and the rows of x and y may be any finite
    laws.

    Where users send several messages, this is the divergence for an observer who sees which messages come from one
    user, if a message is read as all that a user sends; for what the shuffler shows it is an upper bound then.

    So a bound of the divergences of all pairs of data sets is at least this number: with [blanket_bound], which gives
    the upper end, it is the lower end of a bracket ([homogeneous_at_most]).

    Idea: the bound of a blanket holds with R v as the blanket. It is attained by the event that a message shows that v
    cannot send and that is likelier from x, or that all can be sent by v and the sum of the values is positive.

    Source: this package; the formula is that of BalleBellGasconNissim2019, Lemma 5.3, with equality. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket.
Import ListNotations.
Open Scope R_scope.

(** ** What can be drawn *)

Lemma mean_ext_drawn {A} (d : dist A) f g :
  (forall wa, In wa d -> fst wa = 0 \/ f (snd wa) = g (snd wa)) -> mean d f = mean d g.
Proof.
  intros H. apply total_ext. intros wa I. destruct (H wa I) as [-> | ->]; ring.
Qed.

Lemma weight_at_most_mass {A} (c : dist A) wa : sub_law c -> In wa c -> fst wa <= mass c (snd wa).
Proof.
  intros H I. unfold mass, Pr, mean.
  replace (fst wa) with
    (total [wa] (fun vb => fst vb * indicator (fun b => if same b (snd wa) then true else false) (snd vb))).
  - apply total_incl; [repeat constructor; intros [] | intros b [<- | []]; exact I |].
    intros vb J. specialize (H vb J). unfold indicator. destruct (same (snd vb) (snd wa)); lra.
  - simpl. unfold indicator. destruct (same (snd wa) (snd wa)) as [_ | no]; [ring | destruct no; reflexivity].
Qed.

(** The outcome is drawn with a positive probability. *)
Definition covered {A} (c : dist A) (a : A) : Prop := mass c a <> 0.

Lemma copies_covered {A} (c : dist A) j wl :
  sub_law c -> In wl (copies c j) -> fst wl = 0 \/ Forall (covered c) (snd wl).
Proof.
  intros H I. destruct (copies_drawn c j wl I) as [was [_ [C [-> ->]]]]. clear I.
  induction was as [| wa was IH]; simpl; [right; constructor |].
  destruct IH as [-> | F]; [intros vb J; apply C; right; exact J | left; ring |].
  assert (Ia : In wa c) by (apply C; left; reflexivity).
  destruct (Req_EM_T (fst wa) 0) as [-> | no]; [left; ring |]. right. constructor; [| exact F].
  assert (X := weight_at_most_mass c wa H Ia). specialize (H wa Ia). unfold covered. lra.
Qed.

(** ** The best event *)

Section Best.

  Context {A : Type} (P Q c : dist A) (E : R).
  Hypothesis c_proper : proper c.

  Let value := value_against P Q E c.
  Let excess_of (a : A) : R := mass P a - E * mass Q a.

  Definition shows_more (l : list A) : bool :=
    if decide (Forall (covered c) l) then Rltb 0 (total l value)
    else if decide (exists a, In a l /\ ~ covered c a /\ 0 < excess_of a) then true else false.

  Lemma shows_more_symmetric : symmetric shows_more.
  Proof.
    intros l m H. unfold shows_more. rewrite (total_permutation l m value H).
    destruct (decide (Forall (covered c) l)) as [y | n], (decide (Forall (covered c) m)) as [y' | n'].
    - reflexivity.
    - destruct n'. revert y. apply Permutation_Forall, H.
    - destruct n. revert y'. apply Permutation_Forall. symmetry. exact H.
    - destruct (decide (exists a, In a l /\ _)) as [[a [I X]] | y2],
        (decide (exists a, In a m /\ _)) as [[b [J Y]] | n2];
        try reflexivity.
      + destruct n2. exists a. split; [revert I; apply Permutation_in, H | exact X].
      + destruct y2. exists b. split; [revert J; apply Permutation_in; symmetry; exact H | exact Y].
  Qed.

  Lemma shows_uncovered a l :
    ~ covered c a -> Forall (covered c) l -> shows_more (a :: l) = Rltb 0 (excess_of a).
  Proof.
    intros N F. unfold shows_more. destruct (decide (Forall (covered c) (a :: l))) as [y | _].
    - destruct N. inversion y. assumption.
    - unfold Rltb. destruct (decide _) as [[b [[<- | I] [M X]]] | no], (Rlt_dec 0 (excess_of a)); try reflexivity;
        try lra.
      + destruct M. apply (proj1 (Forall_forall _ _) F b I).
      + destruct no. exists a. split; [left; reflexivity | split; assumption].
  Qed.

  Lemma best_covered j :
    with_value c value j (indicator shows_more) = mean_excess (S j) (values_against P Q E c).
  Proof.
    assert (0 < INR (S j)) by (apply lt_0_INR; lia).
    change (values_against P Q E c) with (values c value). rewrite mean_excess_values.
    replace (1 - weight c) with 0 by (unfold weight; rewrite (proj2 c_proper); ring).
    assert (U : forall k a, undecided 0 (fun i => excess c value i / INR i) k a = excess c value (k + a) / INR (k + a)).
    { induction k as [| k IH]; intros a; cbn [undecided]; [reflexivity |].
      rewrite (IH (S a)). replace (k + S a)%nat with (S k + a)%nat by lia. ring. }
    rewrite U. replace (j + 1)%nat with (S j) by lia.
    apply Rmult_eq_reg_l with (INR (S j)); [| lra].
    rewrite <- first_of_many by (apply orderless_indicator, shows_more_symmetric).
    replace (INR (S j) * (excess c value (S j) / INR (S j))) with (excess c value (S j)) by (field; lra).
    apply mean_ext_drawn. intros wl I.
    destruct (copies_covered c (S j) wl (proj1 c_proper) I) as [Z | F]; [left; exact Z |].
    right. unfold indicator, shows_more, Rltb.
    destruct (decide (Forall (covered c) (snd wl))) as [_ | no]; [| destruct (no F)].
    destruct (Rlt_dec 0 (total (snd wl) value)); [rewrite Rmax_right | rewrite Rmax_left]; lra.
  Qed.

  (** The event attains the bound. *)
  Lemma best_attains j :
    Pr (draws (P :: repeat c j)) shows_more - E * Pr (draws (Q :: repeat c j)) shows_more =
    reference_bound (S j) P Q E c.
  Proof.
    unfold Pr. rewrite !mean_draws_first. fold (copies c j). rewrite (excess_split P Q E c).
    unfold reference_bound. f_equal; [| apply best_covered].
    apply total_ext. intros a _. destruct (Req_EM_T (mass c a) 0) as [Z | _]; [| reflexivity].
    rewrite (mean_ext_drawn _ _ (fun _ => if Rltb 0 (excess_of a) then 1 else 0)).
    - rewrite mean_const by (apply proper_copies, c_proper). unfold Rltb, excess_of.
      destruct (Rlt_dec 0 (mass P a - E * mass Q a)); [rewrite Rmax_right | rewrite Rmax_left]; lra.
    - intros wl I. destruct (copies_covered c j wl (proj1 c_proper) I) as [W | F]; [left; exact W |].
      right. unfold indicator. rewrite shows_uncovered; [reflexivity | unfold covered; lra | exact F].
  Qed.

End Best.

(** ** The divergence *)

Lemma lies_below_itself {A} (c : dist A) : proper c -> lies_below c c.
Proof. intros H. split; [exact (proj1 H) | intros; apply Rle_refl]. Qed.

Lemma rows_of_repeat {X A} (R : X -> A) v j : map R (repeat v j) = repeat (R v) j.
Proof. induction j as [| j IH]; simpl; [| rewrite IH]; reflexivity. Qed.

(** Any bound of the pair of data sets is at least the reference bound, and it is one. *)
Theorem homogeneous_below {X A} (R : X -> dist A) x y v j E delta :
  proper (R v) ->
  shuffle_below (one_message R) (x :: repeat v j) (y :: repeat v j) E delta <->
  reference_bound (S j) (R x) (R y) E (R v) <= delta.
Proof.
  intros Hv. split.
  - intros H. specialize (H _ (shows_more_symmetric (R x) (R y) (R v) E)). unfold Pr in H.
    rewrite !messages_drawn in H. simpl map in H. rewrite !rows_of_repeat in H.
    rewrite <- (best_attains (R x) (R y) (R v) E Hv j). unfold Pr. lra.
  - intros H T S. unfold Pr. rewrite !messages_drawn. simpl map. rewrite !rows_of_repeat.
    assert (B := blanket_of_laws (R x) (R y) (R v) E (repeat (R v) j) (indicator T) (proj1 Hv)).
    rewrite repeat_length in B.
    enough (mean (draws (R x :: repeat (R v) j)) (indicator T) -
      E * mean (draws (R y :: repeat (R v) j)) (indicator T) <=
      reference_bound (Datatypes.S j) (R x) (R y) E (R v)) by lra.
    apply B.
    + apply Forall_forall. intros d I. apply repeat_spec in I. subst d. split; [exact Hv | apply lies_below_itself, Hv].
    + apply orderless_indicator, S.
    + intros l. apply indicator_bounds.
Qed.

Theorem homogeneous_exact {X A V} (R : X -> dist A) (view : list A -> V) x y v j E :
  complete_view view -> proper (R v) ->
  hockey_stick (dmap view (messages (one_message R) (x :: repeat v j)))
    (dmap view (messages (one_message R) (y :: repeat v j))) E =
  reference_bound (S j) (R x) (R y) E (R v).
Proof.
  intros V' Hv. apply Rle_antisym.
  - apply (shuffle_below_iff_hockey_stick (one_message R) view); [exact V' |].
    apply homogeneous_below; [exact Hv | apply Rle_refl].
  - apply homogeneous_below; [exact Hv |].
    apply (shuffle_below_iff_hockey_stick (one_message R) view); [exact V' | apply Rle_refl].
Qed.

(** So privacy of n users implies that the number of every v is at most delta. *)
Theorem homogeneous_at_most {X A} n (R : X -> dist A) eps delta x y v :
  (1 <= n)%nat -> proper (R v) -> shuffle_dp n (one_message R) eps delta ->
  reference_bound n (R x) (R y) (exp eps) (R v) <= delta.
Proof.
  intros Hn Hv H. destruct n as [| j]; [lia |]. apply homogeneous_below; [exact Hv |].
  apply (proj1 (shuffle_dp_iff_pairs (S j) (one_message R) eps delta) H); [apply (replace_one []) |].
  simpl. rewrite repeat_length. reflexivity.
Qed.

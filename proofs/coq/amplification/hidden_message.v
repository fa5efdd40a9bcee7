(** A message that is hidden among independent draws of one reference.

    For a reference c on any type, with weights that are not negative and add up to any number, and a real value of
    every outcome:

    - [hidden_message]: let f be a function of a list that ignores its order. The mean over j + 1 draws of c of
      (value of the first draw) f(all draws) is 1 / (j + 1) times the mean of (sum of all values) f(all draws): the
      first draw could be any of them. With 0 <= f <= 1 it is at most 1 / (j + 1) times the mean of the positive part
      of the sum ([hidden_message_excess]);
    - [hidden_among_others]: let c lie below the laws of N others, each proper. Where the first is drawn from c and
      the others from their own laws, the same mean is at most 1 / (N + 1) times the mean of the positive part of a
      sum of N + 1 independent values: of a draw of c, or 0 with what c lacks to 1. Every N >= 0.

    Idea of the second: each law is c and a rest. If b of the others drew from c, the first statement applies to
    b + 1 draws, whatever the rests gave: (1 / (b + 1)) C(N, b) = (1 / (N + 1)) C(N + 1, b + 1) turns the number of
    those who drew from c among N into that among N + 1. The sum over b is written as a recursion in N, [undecided].

    Source: BalleBellGasconNissim2019, Theorem 5.1 and Lemma 5.3, here for a reference that need not be the least of
    the rows and for messages of any type. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws hockey_stick independence adding_a_user mean_excess.
Import ListNotations.
Open Scope R_scope.

Definition weight {A} (c : dist A) : R := mean c (fun _ => 1).

Lemma mean_le_sub_law {A} (c : dist A) f g : sub_law c -> (forall a, f a <= g a) -> mean c f <= mean c g.
Proof. intros H L. apply total_le. intros wa I. apply Rmult_le_compat_l; [apply H, I | apply L]. Qed.

(** A list of copies is a list of draws, and its weight is the product of theirs. *)
Lemma copies_drawn {A} (c : dist A) j wl :
  In wl (copies c j) -> exists was, length was = j /\ incl was c /\ snd wl = map snd was /\
    fst wl = fold_right (fun wa p => fst wa * p) 1 was.
Proof.
  revert wl. unfold copies. induction j as [| j IH]; simpl; intros wl I.
  - destruct I as [<- | []]. exists []. repeat split. intros wa [].
  - unfold bind in I. apply in_flat_map in I. destruct I as [wa [Ia I]].
    apply in_map_iff in I. destruct I as [wr [<- I]]. apply in_flat_map in I. destruct I as [ws [Is I]].
    apply in_map_iff in I. destruct I as [wt [<- [<- | []]]].
    destruct (IH ws Is) as [was [L [C [S F]]]]. exists (wa :: was). simpl. rewrite L, S, F.
    split; [reflexivity |]. split; [intros vb [<- | J]; auto |]. split; [reflexivity | ring].
Qed.

Lemma sub_law_copies {A} (c : dist A) j : sub_law c -> sub_law (copies c j).
Proof.
  intros H wl I. destruct (copies_drawn c j wl I) as [was [_ [C [_ ->]]]]. clear I.
  induction was as [| wa was IH]; simpl; [lra |].
  apply Rmult_le_pos; [apply H, C; left; reflexivity | apply IH; intros vb J; apply C; right; exact J].
Qed.

(** A law above c is c and a rest. *)
Lemma rest_above {A} (c d : dist A) :
  lies_below c d -> exists rest, sub_law rest /\ forall f, mean d f = mean c f + mean rest f.
Proof.
  intros [_ B]. exists (map (fun a => (mass d a - mass c a, a)) (outcomes d c)). split.
  - intros wa I. apply in_map_iff in I. destruct I as [a [<- _]]. simpl. specialize (B a). lra.
  - intros f. destruct (outcomes_cover d c) as [Cd Cc].
    rewrite (mean_masses d _ f (outcomes_NoDup d c) Cd), (mean_masses c _ f (outcomes_NoDup d c) Cc).
    unfold mean. rewrite total_map, <- total_plus. apply total_ext. intros a _. simpl. ring.
Qed.

Lemma weight_below {A} (c d : dist A) : proper d -> lies_below c d -> weight c <= 1.
Proof.
  intros [_ Hd] B. destruct (rest_above c d B) as [rest [S H]]. specialize (H (fun _ => 1)). fold (weight c) in H.
  assert (0 <= mean rest (fun _ => 1)).
  { rewrite <- (Rmult_0_l (mean rest (fun _ => 1))), <- mean_scal. apply mean_le_sub_law; [exact S | intros; lra]. }
  lra.
Qed.

(** ** All from one reference *)

Section Reference.

  Context {A : Type} (c : dist A) (value : A -> R).

  (** The mean where the first draw has its value. *)
  Definition with_value (j : nat) (f : list A -> R) : R :=
    mean c (fun a => value a * mean (copies c j) (fun l => f (a :: l))).

  Lemma first_of_many j f :
    orderless f -> mean (copies c (S j)) (fun l => total l value * f l) = INR (S j) * with_value j f.
  Proof.
    revert f. induction j as [| j IH]; intros f Of; rewrite mean_copies_first.
    - unfold with_value. rewrite <- mean_scal. apply mean_ext. intros a. rewrite !mean_copies_none. simpl. ring.
    - rewrite (mean_ext c _ (fun a => value a * mean (copies c (S j)) (fun l => f (a :: l)) +
        INR (S j) * with_value j (fun l => f (a :: l)))).
      + rewrite mean_plus, mean_scal. fold (with_value (S j) f). rewrite (S_INR (S j)).
        enough (mean c (fun a => with_value j (fun l => f (a :: l))) = with_value (S j) f) as -> by ring.
        unfold with_value at 1. rewrite mean_swap. apply mean_ext. intros b. rewrite mean_scal. f_equal.
        rewrite mean_copies_first. apply mean_ext. intros a. apply mean_ext. intros l. apply Of, perm_swap.
      + intros a. rewrite <- IH by apply (orderless_app f [a] Of).
        rewrite <- mean_scal, <- mean_plus. apply mean_ext. intros l. simpl. ring.
  Qed.

  (** The mean of the positive part of the sum over j draws. *)
  Definition excess (j : nat) : R := mean (copies c j) (fun l => Rmax 0 (total l value)).

  Hypothesis c_weights : sub_law c.

  Lemma hidden_message_excess j f :
    orderless f -> (forall l, 0 <= f l <= 1) -> with_value j f <= excess (S j) / INR (S j).
  Proof.
    intros Of F. assert (0 < INR (S j)) by (apply lt_0_INR; lia).
    apply Rmult_le_reg_l with (INR (S j)); [assumption |]. rewrite <- first_of_many by exact Of.
    replace (INR (S j) * (excess (S j) / INR (S j))) with (excess (S j)) by (field; lra).
    apply mean_le_sub_law; [apply sub_law_copies, c_weights |]. intros l. specialize (F l).
    unfold Rmax. destruct (Rle_dec 0 (total l value)); nra.
  Qed.

  (** ** Others with laws of their own *)

  (** k others are undecided: each draws from c, which makes one draw of c more, or not, with the weight q. *)
  Fixpoint undecided (q : R) (reached : nat -> R) (k a : nat) : R :=
    match k with
    | O => reached a
    | S k => q * undecided q reached k a + undecided q reached k (S a)
    end.

  (** The sum over b of b C(k, b) ... is k times that over b of C(k - 1, b - 1) ... *)
  Lemma undecided_count q reached k a :
    undecided q (fun j => INR j * reached j) (S k) a =
    INR a * undecided q reached (S k) a + INR (S k) * undecided q reached k (S a).
  Proof.
    revert a. induction k as [| k IH]; intros a.
    - cbn [undecided]. rewrite (S_INR a). change (INR 1) with 1. ring.
    - change (undecided q (fun j => INR j * reached j) (S (S k)) a) with
        (q * undecided q (fun j => INR j * reached j) (S k) a +
         undecided q (fun j => INR j * reached j) (S k) (S a)).
      rewrite !IH, (S_INR a), (S_INR (S k)). cbn [undecided]. ring.
  Qed.

  Lemma undecided_ext q f g k a : (forall j, f j = g j) -> undecided q f k a = undecided q g k a.
  Proof. intros H. revert a. induction k as [| k IH]; intros a; simpl; [apply H | rewrite !IH; reflexivity]. Qed.

  (** A user's value: of a draw of c, or 0 with what c lacks to 1. *)
  Definition values : dist R := (1 - weight c, 0) :: map (fun wa => (fst wa, value (snd wa))) c.

  Lemma mean_values f : mean values f = (1 - weight c) * f 0 + mean c (fun a => f (value a)).
  Proof. unfold values, mean. simpl. rewrite total_map. reflexivity. Qed.

  Lemma excess_of_values k j :
    mean (copies c j) (fun l => mean (copies values k) (fun vs => Rmax 0 (total l value + total vs (fun v => v)))) =
    undecided (1 - weight c) excess k j.
  Proof.
    revert j. induction k as [| k IH]; intros j; simpl undecided.
    - apply mean_ext. intros l. rewrite mean_copies_none. simpl. f_equal. ring.
    - rewrite <- !IH, mean_copies_first, <- mean_scal.
      rewrite (mean_swap c (copies c j)), <- mean_plus. apply mean_ext. intros l.
      rewrite mean_copies_first, mean_values. f_equal.
      + f_equal. apply mean_ext. intros vs. f_equal. simpl. ring.
      + apply mean_ext. intros a. apply mean_ext. intros vs. f_equal. simpl. ring.
  Qed.

  Lemma excess_none : excess 0 = 0.
  Proof. unfold excess. rewrite mean_copies_none. simpl. apply Rmax_left. lra. Qed.

  Lemma mean_excess_undecided n : mean_excess n values = undecided (1 - weight c) excess n 0 / INR n.
  Proof.
    unfold mean_excess. rewrite <- excess_of_values, mean_copies_none. f_equal.
    apply mean_ext. intros vs. f_equal. simpl. ring.
  Qed.

  Lemma mean_excess_values k :
    mean_excess (S k) values = undecided (1 - weight c) (fun j => excess j / INR j) k 1.
  Proof.
    assert (0 < INR (S k)) by (apply lt_0_INR; lia).
    rewrite mean_excess_undecided, (undecided_ext _ excess (fun j => INR j * (excess j / INR j))), undecided_count.
    - simpl INR at 1. field. lra.
    - intros [| j]; [rewrite excess_none; simpl; ring |]. field. apply not_0_INR. lia.
  Qed.

  Lemma hidden_among_undecided ds j f :
    Forall (fun d => proper d /\ lies_below c d) ds -> orderless f -> (forall l, 0 <= f l <= 1) ->
    mean c (fun a => value a * mean (copies c j) (fun l => mean (draws ds) (fun o => f (a :: l ++ o)))) <=
    undecided (1 - weight c) (fun j => excess j / INR j) (length ds) (S j).
  Proof.
    intros Hds. revert j f. induction Hds as [| d ds [Pd Bd] _ IH]; intros j f Of F.
    - simpl length. simpl undecided. eapply Rle_trans; [right | apply (hidden_message_excess j f Of F)].
      unfold with_value. apply mean_ext. intros a. f_equal. apply mean_ext. intros l.
      simpl. rewrite mean_ret, app_nil_r. reflexivity.
    - destruct (rest_above c d Bd) as [rest [Sr Hr]].
      assert (W : mean rest (fun _ => 1) = 1 - weight c).
      { assert (X := Hr (fun _ => 1)). destruct Pd as [_ Pd]. unfold weight. lra. }
      cbn [length undecided].
      assert (Split : mean c (fun a => value a * mean (copies c j) (fun l =>
          mean (draws (d :: ds)) (fun o => f (a :: l ++ o)))) =
        mean rest (fun b => mean c (fun a => value a * mean (copies c j) (fun l =>
          mean (draws ds) (fun o => f (b :: a :: l ++ o))))) +
        mean c (fun a => value a * mean (copies c (S j)) (fun l => mean (draws ds) (fun o => f (a :: l ++ o))))).
      { rewrite (mean_swap rest), <- mean_plus. apply mean_ext. intros a.
        rewrite mean_scal, <- Rmult_plus_distr_l. f_equal.
        rewrite mean_copies_first, (mean_swap rest), (mean_swap c), <- mean_plus. apply mean_ext. intros l.
        simpl draws. rewrite mean_bind, Hr, Rplus_comm. f_equal; apply mean_ext; intros b;
          rewrite (mean_dmap (cons b) (draws ds)); apply mean_ext; intros o; apply Of.
        - symmetry. change (a :: l ++ b :: o) with ((a :: l) ++ b :: o).
          apply (Permutation_middle (a :: l) o b).
        - simpl. apply perm_skip. symmetry. apply Permutation_middle. }
      rewrite Split. apply Rplus_le_compat; [| apply IH; assumption].
      rewrite <- W, Rmult_comm, <- mean_scal.
      rewrite (mean_ext rest (fun _ => _ * 1) (fun _ => undecided (1 - weight c) (fun j => excess j / INR j)
        (length ds) (S j))) by (intros; rewrite W; ring).
      apply mean_le_sub_law; [exact Sr |]. intros b.
      apply (IH j (fun l => f (b :: l))); [apply (orderless_app f [b] Of) | intros; apply F].
  Qed.

  Lemma first_among_others ds f :
    Forall (fun d => proper d /\ lies_below c d) ds -> orderless f -> (forall l, 0 <= f l <= 1) ->
    mean c (fun a => value a * mean (draws ds) (fun o => f (a :: o))) <= mean_excess (S (length ds)) values.
  Proof.
    intros Hds Of F. rewrite mean_excess_values. eapply Rle_trans; [right | apply hidden_among_undecided].
    - apply mean_ext. intros a. f_equal. rewrite mean_copies_none. reflexivity.
    - exact Hds.
    - exact Of.
    - exact F.
  Qed.

End Reference.

Theorem hidden_message {A} (c : dist A) (value : A -> R) j (f : list A -> R) :
  orderless f ->
  mean (copies c (S j)) (fun l => total l value * f l) = INR (S j) * with_value c value j f.
Proof. exact (first_of_many c value j f). Qed.

Theorem hidden_among_others {A} (c : dist A) (value : A -> R) (ds : list (dist A)) (f : list A -> R) :
  sub_law c -> Forall (fun d => proper d /\ lies_below c d) ds -> orderless f -> (forall l, 0 <= f l <= 1) ->
  mean c (fun a => value a * mean (draws ds) (fun o => f (a :: o))) <= mean_excess (S (length ds)) (values c value).
Proof. intros Hc. apply (first_among_others c value Hc). Qed.

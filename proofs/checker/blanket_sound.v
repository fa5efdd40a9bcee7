(** The program of blanket_program.v proves privacy.

    - [blanketed]: a reference below the rows of the inputs 0, ..., d - 1, with a bound of at most delta for every
      ordered pair of them, or equal rows. Then a randomizer whose rows these are, with a shuffler, is private for n
      users and for every larger number ([blanketed_dp], [blanketed_dp_one_message]);
    - [all_below_sound]: every law of values that the program goes through has a bound of at most delta;
    - [matrix_blanketed]: so it is for listed probabilities, [family_blanketed]: and for classes of a family.

    Idea: blanket.v, least_values.v and pair_bound.v put together; a bound falls as users join. Source: this package. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user single_message events.
From Exactdp Require Import mean_excess hidden_message blanket classes table_classes supports.
From Exactdp Require Import mean_excess_order least_values tilted_program pair_bound.
From ExactdpChecker Require Import blanket_program.
From ExactdpChecker Require Import opaque_rationals.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** Privacy from a reference *)

Definition blanketed {A} (R : nat -> dist A) (d n : nat) (E delta : Rdefinitions.R) : Prop :=
  exists c, (forall v, (v < d)%nat -> proper (R v) /\ lies_below c (R v)) /\
  forall x y, (x < d)%nat -> (y < d)%nat -> same_law (R x) (R y) \/ reference_bound n (R x) (R y) E c <= delta.

Lemma dp_of_pairs {X M} k (R : X -> dist (list M)) E F delta :
  (forall v, proper (R v)) -> E <= F -> 1 <= F -> 0 <= delta ->
  (forall x y others, S (length others) = k ->
   same_law (R x) (R y) \/ shuffle_below R (x :: others) (y :: others) E delta) ->
  shuffle_dp k R (ln F) delta.
Proof.
  intros HR HE HF Hd H. apply (shuffle_dp_first k R F); [exact HR | rewrite exp_ln by lra; lra |].
  intros x y others L T S. assert (P : forall xs, 0 <= Pr (messages R xs) T) by (intros;
    apply Pr_bounds, proper_messages, HR).
  destruct (H x y others L) as [Same | B].
  - assert (Q : Pr (messages R (x :: others)) T = Pr (messages R (y :: others)) T).
    { unfold Pr. simpl. rewrite !mean_bind. apply Same. }
    rewrite Q. assert (X1 := P (y :: others)). nra.
  - specialize (B T S). assert (X1 := P (y :: others)). nra.
Qed.

Lemma place_below d x : (0 < d)%nat -> (Nat.min x (d - 1) < d)%nat.
Proof. lia. Qed.

Lemma bound_for_more {A} (P Q : dist A) c n k E delta :
  (1 <= n <= k)%nat -> lies_below c P -> proper P -> reference_bound n P Q E c <= delta ->
  reference_bound k P Q E c <= delta.
Proof.
  intros users L Pr B. eapply Rle_trans; [apply (reference_bound_falls n k) | exact B]; [apply L | | lia].
  apply (weight_below c P); assumption.
Qed.

Theorem blanketed_dp {M} (R : nat -> dist (list M)) d n k E F delta :
  (0 < d)%nat -> (1 <= n <= k)%nat -> E <= F -> 1 <= F -> 0 <= delta -> blanketed R d n E delta ->
  shuffle_dp k (fun x => R (Nat.min x (d - 1))) (ln F) delta.
Proof.
  intros Hd Hn HE HF H0 [c [HR H]]. assert (P := fun x => place_below d x Hd).
  apply (dp_of_pairs k _ E F delta); try assumption; [intros v; apply HR, P |]. intros x y others L.
  destruct (H _ _ (P x) (P y)) as [Same | B]; [left; exact Same | right].
  intros T S. assert (X := blanket_bound (fun x => R (Nat.min x (d - 1))) c x y others E
    (fun v => proj1 (HR _ (P v))) (proj1 (proj2 (HR _ (P x)))) (fun v _ => proj2 (HR _ (P v))) T S).
  rewrite L in X.
  assert (B' := bound_for_more _ _ c n k E delta Hn (proj2 (HR _ (P x))) (proj1 (HR _ (P x))) B). lra.
Qed.

Theorem blanketed_dp_one_message {A} (R : nat -> dist A) d n k E F delta :
  (0 < d)%nat -> (1 <= n <= k)%nat -> E <= F -> 1 <= F -> 0 <= delta -> blanketed R d n E delta ->
  shuffle_dp k (fun x => one_message R (Nat.min x (d - 1))) (ln F) delta.
Proof.
  intros Hd Hn HE HF H0 [c [HR H]]. assert (P := fun x => place_below d x Hd).
  apply (dp_of_pairs k _ E F delta); try assumption; [intros v; apply proper_dmap, HR, P |]. intros x y others L.
  destruct (H _ _ (P x) (P y)) as [Same | B]; [left | right].
  - intros f. unfold one_message. rewrite !mean_dmap. apply Same.
  - intros T S. assert (X := blanket_bound_one_message (fun x => R (Nat.min x (d - 1))) c x y others E
      (fun v => proj1 (HR _ (P v))) (proj1 (proj2 (HR _ (P x)))) (fun v _ => proj2 (HR _ (P v))) T S).
    rewrite L in X.
    assert (B' := bound_for_more _ _ c n k E delta Hn (proj2 (HR _ (P x))) (proj1 (HR _ (P x))) B).
    unfold one_message in *. lra.
Qed.

(** ** Laws of values *)

(** The number of pair_bound.v, of a law of values. *)
Definition number step bits limit T (n : positive) (law : charged_law) : Q :=
  let (charge, l) := law in
  if Qle_bool (fst (last l (0%Q, 0%Q))) 0 then charge
  else let (a, b) := mean_positive_part step bits limit (atoms_of l) T n in Qred (charge + (a # Z.to_pos b))%Q.

Definition law_bounded (n : positive) (delta : Q) (law : charged_law) : Prop :=
  exists step bits limit T, (0 < fst step /\ 0 < snd step)%Z /\ (1 <= T)%Z /\
  Q2R (number step bits limit T n law) <= Q2R delta.

Lemma same_number_true p q : same_number p q = true -> p = q.
Proof.
  unfold same_number. intros H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1.
  apply Pos.eqb_eq in H2. destruct p, q. simpl in *. congruence.
Qed.

Lemma same_table_true l m : same_table l m = true -> l = m.
Proof.
  revert m. induction l as [| [v w] l IH]; intros [| [v' w'] m] H; simpl in H; try discriminate; [reflexivity |].
  apply andb_true_iff in H. destruct H as [H H3]. apply andb_true_iff in H. destruct H as [H1 H2].
  rewrite (same_number_true _ _ H1), (same_number_true _ _ H2), (IH _ H3). reflexivity.
Qed.

Lemma same_charged_true a b : same_charged a b = true -> a = b.
Proof.
  destruct a, b. unfold same_charged. simpl. intros H. apply andb_true_iff in H. destruct H as [H1 H2].
  rewrite (same_number_true _ _ H1), (same_table_true _ _ H2). reflexivity.
Qed.

Lemma law_is_below_true bits limit n delta law step T :
  Qle_bool (fst (last (snd law) (0%Q, 0%Q))) 0 = false ->
  law_is_below bits limit n delta law step T = true -> law_bounded n delta law.
Proof.
  intros P H. unfold law_is_below in H. apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H.
  destruct H as [S HT]. apply Z.leb_le in HT. apply posed.positive_sound in S. unfold Qlt in S. simpl in S.
  exists (fraction_of step), bits, limit, T. unfold number. destruct law as [charge l]. simpl in *. rewrite P.
  destruct (mean_positive_part _ _ _ _ _ _) as [a b]. apply Qle_bool_R in B. rewrite Q2R_red. split; [lia |]. auto.
Qed.

Lemma all_below_sound {P} (law_of : P -> charged_law) bits limit n delta pairs : forall known bounds,
  all_below law_of bits limit n delta pairs known bounds = true -> Forall (law_bounded n delta) known ->
  Forall (fun one => law_bounded n delta (law_of one)) pairs.
Proof.
  induction pairs as [| one more IH]; intros known bounds H K; [constructor |]. simpl in H.
  destruct (existsb (same_charged (law_of one)) known) eqn:X.
  - apply existsb_exists in X. destruct X as [law [I S]]. apply same_charged_true in S. rewrite <- S in I.
    constructor; [| apply (IH _ _ H K)]. rewrite Forall_forall in K. apply K, I.
  - destruct (Qle_bool (fst (last (snd (law_of one)) (0%Q, 0%Q))) 0) eqn:L.
    + apply andb_true_iff in H. destruct H as [B H].
      assert (G : law_bounded n delta (law_of one)).
      { exists (1, 1)%Z, 0%nat, 0%nat, 1%Z. unfold number. destruct (law_of one) as [charge l]. simpl in *. rewrite L.
        apply Qle_bool_R in B. repeat split; try lia. exact B. }
      constructor; [exact G |]. apply (IH _ _ H). constructor; assumption.
    + destruct bounds as [| [step T] others]; [discriminate |]. apply andb_true_iff in H. destruct H as [B H].
      assert (G := law_is_below_true _ _ _ _ _ _ _ L B).
      constructor; [exact G |]. apply (IH _ _ H). constructor; assumption.
Qed.

Lemma bounded_class_bound n delta (E : Q) (classes : list rational_class) :
  Forall (fun k => 0 <= Q2R (under_reference k)) classes -> total classes (fun k => Q2R (under_reference k)) <= 1 ->
  law_bounded n delta (least_values E classes) ->
  class_bound (Pos.to_nat n) (Q2R E) (map real_class classes) <= Q2R delta.
Proof.
  intros H1 H2 [step [bits [limit [T [S [HT B]]]]]].
  eapply Rle_trans; [apply (pair_bound_above E classes step bits limit T n H1 H2 S HT) | exact B].
Qed.

(** The privacy of shuffled k-ary randomized response, between its two ends, and exactly where they are equal.

    k >= 2 inputs and messages 0, ..., k - 1, an input above stands for its remainder; real E = e^eps0 >= 1; n >= 1
    users who send one message each. With the sums over three counts of k_ary_ends.v, for all real delta:

    - [k_ary_upper]: if the sum of the blanket at e^eps >= 1 is at most delta, the shuffled messages are (eps,
      delta)-DP;
    - [k_ary_lower]: if they are, the sum for a third input is at most delta, for k >= 3 and every real eps;
    - [k_ary_worst]: for k >= 3 and e = e^eps >= 1, if no a, b >= 0 with a + b <= n have
      0 < a (E - e) - b (e E - 1) < (e - 1) (n - a - b), they are (eps, delta)-DP if and only if the second sum is at
      most delta: data sets whose other users all hold a third input are worst.

    Source: this package. The blanket is that of BalleBellGasconNissim2019. *)

From Coq Require Import Reals List Lra Lia Bool PeanoNat Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick independence adding_a_user mean_excess blanket
  homogeneous classes supports k_ary_classes k_ary_ends closing.
Import ListNotations.
Open Scope R_scope.

Definition k_ary_records (k : nat) (E : R) (x : nat) : dist nat := k_ary_response k E (x mod k).

Section Worst.

  Context (k n : nat) (E : R).
  Hypothesis n_1 : (1 <= n)%nat.
  Hypothesis E_1 : 1 <= E.

  Lemma k_ary_records_proper x : (2 <= k)%nat -> proper (k_ary_records k E x).
  Proof. intros K. apply k_ary_proper; [exact E_1 | apply Nat.mod_upper_bound; lia]. Qed.

  Lemma k_ary_reference_below x : (2 <= k)%nat -> lies_below (k_ary_reference k E) (k_ary_records k E x).
  Proof.
    intros K. destruct (k_ary_blanket k E K E_1) as [_ [B _]]. apply B, Nat.mod_upper_bound. lia.
  Qed.

  (** The first user differs: x and y with other remainders, or with the same one. *)
  Lemma k_ary_upper_first x y others e :
    (2 <= k)%nat -> 1 <= e -> S (length others) = n ->
    shuffle_below (one_message (k_ary_records k E)) (x :: others) (y :: others) e (k_ary_upper_sum n k E e).
  Proof.
    intros K He L. assert (B : forall x y, shuffle_below (one_message (k_ary_records k E)) (x :: others) (y :: others) e
      (reference_bound n (k_ary_records k E x) (k_ary_records k E y) e (k_ary_reference k E))).
    { intros v w. rewrite <- L. apply blanket_bound_one_message.
      - intros z. apply k_ary_records_proper, K.
      - apply (k_ary_reference_below 0 K).
      - intros z _. apply k_ary_reference_below, K. }
    assert (M : forall z, (z mod k < k)%nat) by (intros z; apply Nat.mod_upper_bound; lia).
    destruct (Nat.eq_dec (x mod k) (y mod k)) as [Same | N].
    - assert (Z : 0 <= k_ary_upper_sum n k E e).
      { specialize (B 0%nat 1%nat (fun _ => false) (fun _ _ _ => eq_refl)).
        assert (Empty : forall d : dist (list nat), Pr d (fun _ => false) = 0).
        { intros d. unfold Pr, mean, indicator.
          rewrite (total_ext d _ (fun _ => 0)); [apply total_zero | intros; ring]. }
        rewrite !Empty in B. unfold k_ary_records in B. rewrite Nat.mod_0_l, Nat.mod_1_l in B by lia.
        rewrite k_ary_upper_end in B by (assumption || lia). lra. }
      intros T S. unfold Pr. rewrite !messages_drawn. simpl map. unfold k_ary_records at 1 3. rewrite Same.
      enough (0 <= mean (draws (k_ary_response k E (y mod k) :: map (k_ary_records k E) others)) (indicator T)) by nra.
      apply (Pr_bounds _ T), proper_draws. constructor; [apply k_ary_proper; [exact E_1 | apply M] |].
      apply Forall_forall. intros d I. apply in_map_iff in I. destruct I as [v [<- _]]. apply k_ary_records_proper, K.
    - rewrite <- (k_ary_upper_end k E n e (x mod k) (y mod k) E_1 K (M x) (M y) N). apply B.
  Qed.

  Lemma upper_here eps delta :
    (2 <= k)%nat -> 0 <= eps -> k_ary_upper_sum n k E (exp eps) <= delta ->
    shuffle_dp n (one_message (k_ary_records k E)) eps delta.
  Proof.
    intros K He H. apply (shuffle_dp_first n _ (exp eps)); [| apply Rle_refl |].
    - intros v. apply proper_dmap, k_ary_records_proper, K.
    - intros x y others L T S. eapply Rle_trans; [apply (k_ary_upper_first x y others (exp eps) K) |].
      + apply exp_ge_1, He.
      + exact L.
      + exact S.
      + lra.
  Qed.

  Lemma lower_here eps delta :
    (3 <= k)%nat -> shuffle_dp n (one_message (k_ary_records k E)) eps delta ->
    k_ary_lower_sum n k E (exp eps) <= delta.
  Proof.
    intros K H. rewrite <- (k_ary_lower_end k E n (exp eps) 0 1 2) by (exact E_1 || lia).
    assert (A := homogeneous_at_most n (k_ary_records k E) eps delta 0%nat 1%nat 2%nat n_1
      (k_ary_records_proper 2 ltac:(lia)) H).
    unfold k_ary_records in A. rewrite !Nat.mod_small in A by (exact E_1 || lia). exact A.
  Qed.

  Lemma worst_here eps delta :
    (3 <= k)%nat -> 0 <= eps -> no_pair_between n E (exp eps) ->
    (shuffle_dp n (one_message (k_ary_records k E)) eps delta <-> k_ary_lower_sum n k E (exp eps) <= delta).
  Proof.
    intros K He C. split; [apply lower_here, K |]. intros H. apply upper_here; [lia | exact He |].
    rewrite <- (k_ary_upper_end k E n (exp eps) 0 1) by (exact E_1 || lia).
    rewrite (k_ary_closes k E (exp eps) n 0 1 2) by (try apply exp_ge_1; assumption || lia).
    rewrite k_ary_lower_end by (assumption || lia). exact H.
  Qed.

End Worst.

Theorem k_ary_upper k n E eps delta :
  (2 <= k)%nat -> (1 <= n)%nat -> 1 <= E -> 0 <= eps -> k_ary_upper_sum n k E (exp eps) <= delta ->
  shuffle_dp n (one_message (k_ary_records k E)) eps delta.
Proof. intros K Hn HE. apply (upper_here k n E Hn HE eps delta K). Qed.

Theorem k_ary_lower k n E eps delta :
  (3 <= k)%nat -> (1 <= n)%nat -> 1 <= E -> shuffle_dp n (one_message (k_ary_records k E)) eps delta ->
  k_ary_lower_sum n k E (exp eps) <= delta.
Proof. intros K Hn HE. apply (lower_here k n E Hn HE eps delta K). Qed.

Theorem k_ary_worst k n E eps delta :
  (3 <= k)%nat -> (1 <= n)%nat -> 1 <= E -> 0 <= eps -> no_pair_between n E (exp eps) ->
  (shuffle_dp n (one_message (k_ary_records k E)) eps delta <-> k_ary_lower_sum n k E (exp eps) <= delta).
Proof. intros K Hn HE. apply (worst_here k n E Hn HE eps delta K). Qed.

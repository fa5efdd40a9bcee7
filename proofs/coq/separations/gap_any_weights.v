(** R^gap with any weights: behind a shuffler it is eps-DP for a finite eps from two users on.

    Each user sends four bits, by a randomizer of which no more is asked than this: with both inputs, 0,
    1, 3 and 4 ones have positive probabilities. Then there is one real eps with which the shuffled
    protocol is eps-DP, delta = 0, for all n >= 2 ([gap_any_weights]). If moreover exactly two ones have
    probability w > 0 with input 0 and probability 0 with input 1, as in R^gap, then the randomizer itself,
    and the shuffled protocol of one user, is not (eps, delta)-DP for any real eps and any delta < w
    ([gap_any_weights_local], [gap_any_weights_one_user]).

    Of two users or more, all numbers of ones are possible whatever the inputs are ([gap_all_counts]). For
    the uniform weights of gap_local.v as well: and yet the privacy is not perfect
    ([gap_perfect_printed]). One user with input 1 never sends two ones. If he sent at most one, no number of
    users would have a finite eps ([gap_at_most_one_one]).

    Idea: of two users, all nine numbers of ones are possible whatever the inputs are, for each of
    0, ..., 8 is a sum of two numbers out of 0, 1, 3, 4. A further user adds 0 or 4. So with one bystander
    the finitely many ratios are finite; c is their sum, and the coefficientwise argument takes c to every
    larger n.

    Source: Balcer and Cheu 2020, section 4, which does not give the weights; the proof: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import sums laws privacy bits polynomials coefficientwise gap_local gap.
Import ListNotations.
Open Scope R_scope.

Lemma total_ge_term {A} (l : list A) f a : In a l -> (forall b, In b l -> 0 <= f b) -> f a <= total l f.
Proof.
  intros I H. destruct (in_split a l I) as [u [v ->]]. rewrite total_app. simpl.
  assert (0 <= total u f) by (apply total_nonneg; intros b J; apply H, in_or_app; auto).
  assert (0 <= total v f) by (apply total_nonneg; intros b J; apply H, in_or_app; simpl; auto).
  lra.
Qed.

(** Where p has the term z^i and q has z^j, the product has z^(i + j). *)
Lemma coefficient_mul_positive p q i j :
  nonneg p -> nonneg q -> 0 < coefficient p i -> 0 < coefficient q j ->
  0 < coefficient (mul p q) (i + j).
Proof.
  intros Hp Hq Pi Pj. rewrite nonneg_coefficient in Hp, Hq. rewrite coefficient_mul.
  eapply Rlt_le_trans; [apply (Rmult_lt_0_compat _ _ Pi Pj) |].
  replace (coefficient q j) with (coefficient q (i + j - i)) by (f_equal; lia).
  apply (total_ge_term _ (fun l => coefficient p l * coefficient q (i + j - l))).
  - apply in_seq. lia.
  - intros l _. apply Rmult_le_pos; [apply Hp | apply Hq].
Qed.

(** Each number up to 8 is a sum of two numbers out of 0, 1, 3, 4. *)
Lemma sums_of_two k : (k < 9)%nat ->
  exists i j, In i [0; 1; 3; 4]%nat /\ In j [0; 1; 3; 4]%nat /\ k = (i + j)%nat.
Proof.
  intros H.
  assert (S : In k (map (fun ij => fst ij + snd ij) (list_prod [0; 1; 3; 4] [0; 1; 3; 4]))%nat).
  { do 9 (destruct k as [| k]; [simpl; tauto |]). lia. }
  apply in_map_iff in S. destruct S as [[i j] [<- I]]. apply in_prod_iff in I.
  exists i, j. tauto.
Qed.

Section any_weights.

Variable send : bool -> dist (list bool).
Hypothesis send_proper : forall x, proper (send x).
Hypothesis four_bits : forall x wa, In wa (send x) -> length (snd wa) = 4%nat.
Hypothesis possible : forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (send x) (fun u => Nat.eqb (ones u) i).

Let row : bool -> polynomial := count_row send 4.

Let rows : bit_rows send 4 1 row := count_rows bool send 4 send_proper four_bits.

Lemma row_positive x i : In i [0; 1; 3; 4]%nat -> 0 < coefficient (row x) i.
Proof.
  intros I. assert (P := possible x i I).
  simpl in I. destruct I as [<- | [<- | [<- | [<- | []]]]]; exact P.
Qed.

Lemma row_nonneg x : nonneg (row x).
Proof. apply rows. Qed.

(** The weight of k ones of two users. *)
Let two (x z : bool) (k : nat) : R := coefficient (mul (row x) (row z)) k.

Lemma two_nonneg x z k : 0 <= two x z k.
Proof. apply nonneg_coefficient, nonneg_mul; apply row_nonneg. Qed.

(** None is 0. *)
Lemma two_positive x z k : (k < 9)%nat -> 0 < two x z k.
Proof.
  intros H. destruct (sums_of_two k H) as [i [j [I [J ->]]]].
  apply coefficient_mul_positive; try apply row_nonneg; apply row_positive; assumption.
Qed.

Lemma two_beyond x z k : (9 <= k)%nat -> two x z k = 0.
Proof. intros H. apply nth_overflow. simpl. exact H. Qed.

(** A bound for all ratios with one bystander: 1 more than their sum. *)
Let cases := list_prod (list_prod [false; true] [false; true]) (list_prod [false; true] (seq 0 9)).

Let ratio (a : (bool * bool) * (bool * nat)) : R :=
  two (fst (fst a)) (fst (snd a)) (snd (snd a)) / two (snd (fst a)) (fst (snd a)) (snd (snd a)).

Let bound : R := 1 + total cases ratio.

Lemma ratio_nonneg a : In a cases -> 0 <= ratio a.
Proof.
  destruct a as [[x y] [z k]]. intros I. apply in_prod_iff in I. destruct I as [_ I].
  apply in_prod_iff in I. destruct I as [_ I]. apply in_seq in I.
  apply Rmult_le_pos; [apply two_nonneg |].
  left. apply Rinv_0_lt_compat, two_positive. simpl. lia.
Qed.

Lemma bound_positive : 0 < bound.
Proof. assert (P := total_nonneg cases ratio ratio_nonneg). unfold bound. lra. Qed.

Lemma bound_right x y z k : two x z k <= bound * two y z k.
Proof.
  destruct (Nat.lt_ge_cases k 9) as [H | H].
  2: { rewrite !two_beyond by exact H. lra. }
  assert (P := two_positive y z k H).
  assert (B : ratio ((x, y), (z, k)) <= bound).
  { unfold bound. assert (I : In ((x, y), (z, k)) cases).
    { assert (b : forall w : bool, In w [false; true]) by (intros [|]; simpl; auto).
      apply in_prod; apply in_prod; try apply b. apply in_seq. lia. }
    assert (T := total_ge_term cases ratio _ I ratio_nonneg). lra. }
  apply (Rmult_le_compat_r (two y z k)) in B; [| lra]. eapply Rle_trans; [| exact B].
  unfold ratio. simpl. right. field. lra.
Qed.

Lemma any_weights_private n : (2 <= n)%nat -> shuffle_dp n send (ln bound) 0.
Proof.
  intros Hn. apply (coefficientwise_privacy send 4 1 row rows bound 1 bound_positive); [| lia].
  intros x y zs E. destruct zs as [| z [| z' zs]]; try discriminate. clear E.
  apply nonneg_coefficient. intros k. assert (B := bound_right x y z k). unfold two in B.
  rewrite !coefficient_against, !against_mul in B. rewrite coefficient_against, against_mul, against_excess.
  assert (one : forall f, against (product (map row [z])) f = against (row z) f).
  { intros f. cbn [map]. rewrite against_product_cons. apply against_ext. intros i. simpl.
    rewrite Nat.add_0_r. ring. }
  rewrite !(against_ext _ _ _ (fun i => one _)). lra.
Qed.

End any_weights.

Theorem gap_any_weights : forall send : bool -> dist (list bool),
  (forall x, proper (send x)) ->
  (forall x wa, In wa (send x) -> length (snd wa) = 4%nat) ->
  (forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (send x) (fun u => Nat.eqb (ones u) i)) ->
  exists eps, forall n, (2 <= n)%nat -> shuffle_dp n send eps 0.
Proof.
  intros send P F S. eexists. intros n Hn. apply (any_weights_private send P F S n Hn).
Qed.

(** ** All counts are possible *)

Lemma one_user (send : bool -> dist (list bool)) x T : Pr (messages send [x]) T = Pr (send x) T.
Proof.
  unfold Pr. rewrite mean_messages_cons. apply mean_ext. intros mine.
  cbn [messages]. rewrite mean_ret, app_nil_r. reflexivity.
Qed.

(** One user with i ones and the others with j. *)
Lemma possible_sum (send : bool -> dist (list bool)) x xs i j :
  (forall x, proper (send x)) ->
  Pr (send x) (fun u => Nat.eqb (ones u) i) * Pr (messages send xs) (fun u => Nat.eqb (ones u) j)
  <= Pr (messages send (x :: xs)) (fun u => Nat.eqb (ones u) (i + j)).
Proof.
  intros HS. unfold Pr at 3. rewrite mean_messages_cons.
  set (q := Pr (messages send xs) (fun u => Nat.eqb (ones u) j)).
  rewrite Rmult_comm. unfold Pr at 1. rewrite <- mean_scal. apply mean_le; [apply HS |]. intros mine.
  unfold indicator at 1. destruct (Nat.eqb_spec (ones mine) i) as [<- | _].
  - rewrite Rmult_1_r. apply Pr_le; [apply proper_messages, HS |]. intros others H.
    apply Nat.eqb_eq in H. apply Nat.eqb_eq. rewrite ones_app. lia.
  - rewrite Rmult_0_r. apply mean_nonneg; [apply proper_messages, HS |].
    intros others. unfold indicator. destruct (Nat.eqb _ _); lra.
Qed.

(** With n >= 2 users each number of ones from 0 to 4 n has a positive probability, on every data set. *)
Lemma gap_all_counts : forall send : bool -> dist (list bool),
  (forall x, proper (send x)) ->
  (forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (send x) (fun u => Nat.eqb (ones u) i)) ->
  forall n xs, (2 <= n)%nat -> length xs = n ->
  forall k, (k <= 4 * n)%nat -> 0 < Pr (messages send xs) (fun u => Nat.eqb (ones u) k).
Proof.
  intros send HS H n xs Hn L.
  revert xs L. induction Hn as [| n Hn IH]; intros xs L k Hk.
  - destruct xs as [| x [| z [|]]]; try discriminate.
    destruct (sums_of_two k) as [i [j [I [J ->]]]]; [lia |].
    eapply Rlt_le_trans; [| apply possible_sum, HS].
    apply Rmult_lt_0_compat; [| rewrite one_user]; apply H; assumption.
  - destruct xs as [| x xs]; try discriminate. injection L as L.
    destruct (Nat.le_gt_cases k (4 * n)) as [B | B].
    + replace k with (0 + k)%nat by lia. eapply Rlt_le_trans; [| apply possible_sum, HS].
      apply Rmult_lt_0_compat; [apply H; simpl; tauto | apply IH; assumption].
    + replace k with (4 + (k - 4))%nat by lia. eapply Rlt_le_trans; [| apply possible_sum, HS].
      apply Rmult_lt_0_compat; [apply H; simpl; tauto | apply IH; [exact L | lia]].
Qed.

(** In particular with two users, and then the protocol is private with a finite eps. *)
Theorem gap_two_users_all_counts : forall send : bool -> dist (list bool),
  (forall x, proper (send x)) ->
  (forall x wa, In wa (send x) -> length (snd wa) = 4%nat) ->
  (forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (send x) (fun u => Nat.eqb (ones u) i)) ->
  (forall x z k, (k <= 8)%nat -> 0 < Pr (messages send [x; z]) (fun u => Nat.eqb (ones u) k)) /\
  exists eps, forall n, (2 <= n)%nat -> shuffle_dp n send eps 0.
Proof.
  intros send P F S. split; [| apply gap_any_weights; assumption].
  intros x z k K. apply (gap_all_counts send P S 2); [lia | reflexivity | lia].
Qed.

(** The uniform weights of gap_local.v are an instance. *)
Lemma gap_uniform_weights :
  (forall x i, In i [0; 1; 3; 4]%nat -> 0 < Pr (gap_randomizer x) (fun u => Nat.eqb (ones u) i)) /\
  Pr (gap_randomizer true) (fun u => Nat.eqb (ones u) 2) = 0 /\
  Pr (gap_randomizer false) (fun u => Nat.eqb (ones u) 2) = 3 / 8.
Proof.
  split; [| split; [exact gap_balanced_1 | exact gap_balanced_0]].
  intros x i I. unfold Pr. destruct x; rewrite ?gap_mean_0, ?gap_mean_1;
    destruct I as [<- | [<- | [<- | [<- | []]]]]; unfold indicator; simpl; lra.
Qed.

(** As printed, that all counts are possible would make the privacy perfect. With the uniform weights they
    are for every n >= 2, not for n = 1, and n users are not (0, 0)-DP. *)
Theorem gap_perfect_printed :
  Pr (messages gap_randomizer [true]) (fun u => Nat.eqb (ones u) 2) = 0 /\
  forall n, (2 <= n)%nat ->
  (forall xs, length xs = n -> forall k, (k <= 4 * n)%nat ->
   0 < Pr (messages gap_randomizer xs) (fun u => Nat.eqb (ones u) k)) /\
  ~ shuffle_dp n gap_randomizer 0 0.
Proof.
  split.
  - rewrite one_user. exact gap_balanced_1.
  - intros n Hn. split; [| apply gap_not_perfect; lia]. intros xs L k K.
    apply (gap_all_counts gap_randomizer gap_proper (proj1 gap_uniform_weights) n); assumption.
Qed.

(** ** One user *)

(** What input 0 risks by itself is the probability of the strings that input 1 never sends. *)
Theorem gap_any_weights_local : forall send : bool -> dist (list bool),
  Pr (send true) (fun u => Nat.eqb (ones u) 2) = 0 ->
  forall eps delta, delta < Pr (send false) (fun u => Nat.eqb (ones u) 2) -> ~ local_dp send eps delta.
Proof.
  intros send Z eps delta Hd H. specialize (H false true (fun u => Nat.eqb (ones u) 2)).
  rewrite Z in H. lra.
Qed.

Lemma gap_any_weights_one_user : forall send : bool -> dist (list bool),
  Pr (send true) (fun u => Nat.eqb (ones u) 2) = 0 ->
  forall eps delta, delta < Pr (send false) (fun u => Nat.eqb (ones u) 2) -> ~ shuffle_dp 1 send eps delta.
Proof.
  intros send Z eps delta Hd H.
  specialize (H [false] [true] (replace_one [] false true []) eq_refl _
                (counts_symmetric (fun c => Nat.eqb c 2))).
  cbv beta in H. rewrite !one_user, Z in H. lra.
Qed.

(** ** Another reading of the supports *)

Lemma at_most_one_one_each (send : bool -> dist (list bool)) n :
  (forall x, proper (send x)) -> Pr (send true) (fun u => Nat.leb 2 (ones u)) = 0 ->
  Pr (messages send (repeat true n)) (fun u => Nat.ltb n (ones u)) = 0.
Proof.
  intros P Z. induction n as [| n IH].
  - simpl. rewrite Pr_ret. reflexivity.
  - assert (Q := proper_messages send (repeat true (S n)) P).
    apply Rle_antisym; [| apply (proj1 (Pr_bounds _ (fun u => Nat.ltb (S n) (ones u)) Q))].
    cbn [repeat]. unfold Pr at 1. rewrite mean_messages_cons.
    apply Rle_trans with (mean (send true) (fun mine => indicator (fun u => Nat.leb 2 (ones u)) mine +
      Pr (messages send (repeat true n)) (fun u => Nat.ltb n (ones u)))).
    + apply mean_le; [apply P |]. intros mine. unfold indicator at 2.
      destruct (Nat.leb_spec 2 (ones mine)) as [L | L].
      * rewrite IH, Rplus_0_r.
        apply (proj2 (Pr_bounds _ (fun others => Nat.ltb (S n) (ones (mine ++ others)))
          (proper_messages _ _ P))).
      * rewrite Rplus_0_l. apply (Pr_le _ (fun others => Nat.ltb (S n) (ones (mine ++ others)))).
        -- apply proper_messages, P.
        -- intros others H. rewrite ones_app in H. apply Nat.ltb_lt in H. apply Nat.ltb_lt. lia.
    + rewrite mean_plus, IH. unfold Pr in Z. rewrite Z, (mean_const _ _ (P true)). lra.
Qed.

(** If input 1 sent at most one 1, and sometimes one, and input 0 sometimes four, no number of users would
    have a finite eps: so "no two ones" cannot mean "at most one". *)
Theorem gap_at_most_one_one : forall send : bool -> dist (list bool),
  (forall x, proper (send x)) ->
  Pr (send true) (fun u => Nat.leb 2 (ones u)) = 0 -> 0 < Pr (send true) (fun u => Nat.eqb (ones u) 1) ->
  0 < Pr (send false) (fun u => Nat.eqb (ones u) 4) ->
  forall n eps, (1 <= n)%nat -> ~ shuffle_dp n send eps 0.
Proof.
  intros send P Z One Four n eps Hn H. destruct n as [| n]; [lia |].
  set (T := fun u => Nat.eqb (ones u) (4 + n)).
  specialize (H (false :: repeat true n) (true :: repeat true n) (replace_one [] false true (repeat true n))).
  specialize (H ltac:(simpl; rewrite repeat_length; reflexivity) T
    (counts_symmetric (fun c => Nat.eqb c (4 + n)))).
  assert (Zero : Pr (messages send (true :: repeat true n)) T = 0).
  { apply Rle_antisym; [| apply (Pr_bounds _ T (proper_messages send _ P))].
    rewrite <- (at_most_one_one_each send (S n) P Z). apply (Pr_le _ T); [apply proper_messages, P |].
    intros u U. apply Nat.eqb_eq in U. apply Nat.ltb_lt. lia. }
  assert (Some : forall m, 0 < Pr (messages send (repeat true m)) (fun u => Nat.eqb (ones u) m)).
  { intros m. induction m as [| m IH]; [simpl; rewrite Pr_ret; unfold indicator; simpl; lra |].
    eapply Rlt_le_trans; [| apply (possible_sum send true (repeat true m) 1 m P)].
    apply Rmult_lt_0_compat; assumption. }
  assert (Pos : 0 < Pr (messages send (false :: repeat true n)) T).
  { eapply Rlt_le_trans; [| apply (possible_sum send false (repeat true n) 4 n P)].
    apply Rmult_lt_0_compat; [exact Four | apply Some]. }
  rewrite Zero in H. lra.
Qed.

(** No private local protocol learns all d bins of a histogram with an error below the order of sqrt(n ln d).

    n users hold one of d >= 2 bins each and answer in turns as in local_randomized_response.v, each by a randomizer
    that is (eps, 0)-DP for eps > 0 and may depend on what was said. Any program estimates the counts of all bins from
    the list of all messages. Let E = e^eps and K = (E - 1)^2/E. Whatever the protocol and the estimate:

    - [local_histogram_error]: let theta in [0, 1], 2 t < n theta, n theta (1 - theta) <= c (n theta - 2 t)^2 and
      (1 + theta^2 K)^n b <= (d - 1) (1 - b - c)^2 with b + c <= 1: on some data set some bin's estimate errs by t or
      more with probability b or more;
    - [local_histogram_constant]: for n >= ln d/K + 256 K/ln d it errs by sqrt(n ln d/K)/4 or more with probability 1/8
      or more;
    - [local_histogram_error_of_more]: what t is for n users it is for every larger number of them;
    - [local_histogram_few_users]: where (1 + K)^n <= 6 (d - 1), so many users are too few for any accuracy: it errs by
      n/4 or more with probability 1/8 or more;
    - [local_histogram_words]: 120,000 users with words of 100 bits, eps = 1: some word's count errs by a hundredth of
      the users or more with probability 11/100 or more.

    Proof. Each user holds bin v with probability theta, by a coin of his own, and else bin 0. Let f be a function of
    all messages, and P_v and P_0 the means over the messages where users hold this, and where all hold bin 0. One
    answer has (mean f)^2 <= (1 + theta^2 K) mean_0 f^2, by Cauchy and Schwarz and as no message is E times likelier for
    one bin than for another; so in turns (P_v f)^2 <= (1 + theta^2 K)^n P_0 f^2. Let D_v be the event that v is the
    first of the bins 1, ..., d - 1 whose estimate is at least t. These events exclude each other, so the squares of
    P_v(D_v) sum to at most (1 + theta^2 K)^n times the probability that one of them happens where all hold bin 0, which
    is an error of t. And where bin v has 2 t users or more, which fails with probability at most c, no error of t or
    more means D_v. If all errors were rarer than b, the sum would be at least (d - 1) (1 - b - c)^2. And n users can
    run a protocol of more: who makes the estimate answers for the others, as if they held bin 0.
    Source: this package; that the order is sqrt(n ln d) is Duchi, Jordan and Wainwright 2013 and Bassily and Smith 2015,
    by Fano's inequality, in whose place stands the second moment here. *)

From Coq Require Import Reals List Bool Lra Lia Classical_Prop.
From Exactdp Require Import reals sums laws privacy hockey_stick single_message local_simulation.
From Exactdp Require Import local_randomized_response histogram_bin_error.
Import ListNotations.
Open Scope R_scope.

(** ** One answer *)

Lemma cauchy_schwarz {A} (l : list A) p u g : (forall a, In a l -> 0 <= p a) ->
  (total l (fun a => p a * (u a * g a))) ^ 2 <= total l (fun a => p a * u a ^ 2) * total l (fun a => p a * g a ^ 2).
Proof.
  intros H. set (U := total l (fun a => p a * u a ^ 2)). set (G := total l (fun a => p a * g a ^ 2)).
  set (S := total l (fun a => p a * (u a * g a))).
  assert (Q : forall x, 0 <= x ^ 2 * U - 2 * x * S + G).
  { intros x. unfold U, S, G. rewrite <- !total_scal, <- total_minus, <- total_plus. apply total_nonneg.
    intros a I. replace (_ + _) with (p a * (x * u a - g a) ^ 2) by ring.
    apply Rmult_le_pos; [apply H, I | apply pow2_ge_0]. }
  assert (U0 : 0 <= U) by (apply total_nonneg; intros a I; apply Rmult_le_pos; [apply H, I | apply pow2_ge_0]).
  destruct (Req_dec U 0) as [Z | Z].
  - rewrite Z in *. assert (S = 0) as ->; [| lra]. destruct (Req_dec S 0) as [| N]; [assumption |].
    exfalso. assert (X := Q ((G + 1) / (2 * S))).
    replace (((G + 1) / (2 * S)) ^ 2 * 0 - 2 * ((G + 1) / (2 * S)) * S + G) with (- 1) in X by (field; exact N). lra.
  - assert (X := Q (S / U)). replace ((S / U) ^ 2 * U - 2 * (S / U) * S + G) with (G - S ^ 2 / U) in X by (field; exact Z).
    apply Rmult_le_reg_l with (/ U); [apply Rinv_0_lt_compat; lra |].
    replace (/ U * (U * G)) with G by (field; exact Z). unfold Rdiv in X. lra.
Qed.

(** What one answer can tell, at most: K of the header. *)
Definition told (E : R) : R := (E - 1) ^ 2 / E.

Lemma told_positive E : 1 < E -> 0 < told E.
Proof. intros H. apply Rdiv_lt_0_compat; [apply pow_lt; lra | lra]. Qed.

Lemma one_answer {M} (P Q : dist M) E theta g : proper P -> proper Q -> 1 < E -> below P Q E 0 -> below Q P E 0 ->
  (theta * mean P g + (1 - theta) * mean Q g) ^ 2 <= (1 + theta ^ 2 * told E) * mean Q (fun m => g m ^ 2).
Proof.
  intros HP HQ HE PQ QP. destruct (outcomes_cover P Q) as [CP CQ]. assert (N := outcomes_NoDup P Q).
  set (l := outcomes P Q) in *. set (r := fun m => mass P m / mass Q m).
  assert (B : forall m, mass P m <= E * mass Q m /\ mass Q m <= E * mass P m).
  { intros m. assert (X := PQ (fun b => if same b m then true else false)).
    assert (Y := QP (fun b => if same b m then true else false)). fold (mass P m) (mass Q m) in X, Y. lra. }
  assert (Z : forall m, 0 <= mass Q m) by (intros m; apply mass_nonneg, HQ).
  assert (Rat : forall m, mass Q m * r m = mass P m).
  { intros m. unfold r. destruct (Req_dec (mass Q m) 0) as [Y |]; [| field; assumption].
    assert (X := B m). assert (X' := mass_nonneg P m HP). rewrite Y in *. lra. }
  assert (One : total l (mass Q) = 1 /\ total l (mass P) = 1).
  { assert (MP := mean_const P 1 HP). assert (MQ := mean_const Q 1 HQ).
    rewrite (mean_masses P l _ N CP) in MP. rewrite (mean_masses Q l _ N CQ) in MQ.
    split; [eapply eq_trans; [| exact MQ] | eapply eq_trans; [| exact MP]]; apply total_ext; intros; ring. }
  rewrite (mean_masses P l g N CP), !(mean_masses Q l _ N CQ), <- !total_scal, <- total_plus.
  rewrite (total_ext l _ (fun m => mass Q m * ((1 + theta * (r m - 1)) * g m))).
  2: { intros m _. rewrite <- (Rat m). ring. }
  eapply Rle_trans; [apply cauchy_schwarz; intros; apply Z |]. rewrite (total_scal l (1 + _)). apply Rmult_le_compat_r.
  { apply total_nonneg. intros m _. apply Rmult_le_pos; [apply Z | apply pow2_ge_0]. }
  apply Rle_trans with (total l (fun m =>
    (1 - 2 * theta + theta ^ 2) * mass Q m + (2 * theta - 2 * theta ^ 2) * mass P m +
    theta ^ 2 * ((E + / E) * mass P m - mass Q m))).
  - apply total_le. intros m _. assert (X := B m). assert (Zm := Z m).
    assert (T : 0 <= theta ^ 2) by apply pow2_ge_0. assert (Y := Rat m).
    assert (Rel : mass Q m * r m ^ 2 <= (E + / E) * mass P m - mass Q m).
    { destruct (Req_dec (mass Q m) 0) as [V | V].
      - rewrite V in *. rewrite Rmult_0_l in Y. rewrite <- Y. lra.
      - assert (0 < mass Q m) as V' by lra.
        assert (R1 : r m <= E).
        { apply Rmult_le_reg_l with (mass Q m); [exact V' |]. rewrite Y. lra. }
        assert (R2 : / E <= r m).
        { apply Rmult_le_reg_l with (E * mass Q m); [apply Rmult_lt_0_compat; lra |].
          replace (E * mass Q m * / E) with (mass Q m) by (field; lra). rewrite Rmult_assoc, Y. lra. }
        assert (F : 0 <= (E - r m) * (r m - / E)) by (apply Rmult_le_pos; lra).
        rewrite <- Y. replace ((E - r m) * (r m - / E)) with ((E + / E) * r m - 1 - r m ^ 2) in F by (field; lra).
        replace ((E + / E) * (mass Q m * r m) - mass Q m) with (mass Q m * ((E + / E) * r m - 1)) by ring.
        apply Rmult_le_compat_l; lra. }
    apply Rmult_le_compat_l with (r := theta ^ 2) in Rel; [| exact T].
    replace (mass Q m * (1 + theta * (r m - 1)) ^ 2) with
      ((1 - 2 * theta + theta ^ 2) * mass Q m + (2 * theta - 2 * theta ^ 2) * (mass Q m * r m) +
       theta ^ 2 * (mass Q m * r m ^ 2)) by ring.
    rewrite Y. lra.
  - rewrite !total_plus, !total_scal, total_minus, !total_scal. destruct One as [-> ->]. right.
    unfold told. field. lra.
Qed.

(** ** The data *)

(** n users, of whom each holds bin v with probability theta, and else bin 0. *)
Fixpoint drawn (theta : R) (v n : nat) : dist (list nat) :=
  match n with
  | O => ret []
  | S n => bind [(theta, v); (1 - theta, 0%nat)] (fun x => dmap (cons x) (drawn theta v n))
  end.

Lemma mean_drawn theta v n f :
  mean (drawn theta v (S n)) f =
  theta * mean (drawn theta v n) (fun xs => f (v :: xs)) + (1 - theta) * mean (drawn theta v n) (fun xs => f (0%nat :: xs)).
Proof. cbn [drawn]. rewrite mean_bind. unfold mean at 1. simpl. rewrite !mean_dmap. ring. Qed.

Lemma proper_drawn theta v n : 0 <= theta <= 1 -> proper (drawn theta v n).
Proof.
  intros H. induction n as [| n IH]; [apply proper_ret |]. apply proper_bind.
  - split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; ring].
  - intros x. apply proper_dmap, IH.
Qed.

Definition holds_or_0 (v n : nat) (xs : list nat) : Prop := length xs = n /\ Forall (fun x => x = v \/ x = 0%nat) xs.

Lemma drawn_holds theta v n wa : In wa (drawn theta v n) -> holds_or_0 v n (snd wa).
Proof.
  revert wa. induction n as [| n IH]; intros wa I.
  - destruct I as [<- | []]. split; [reflexivity | constructor].
  - unfold drawn in I. fold drawn in I. apply in_flat_map in I. destruct I as [c [C I]].
    apply in_map_iff in I. destruct I as [w [<- I]]. apply in_flat_map in I. destruct I as [u [U [<- | []]]].
    destruct (IH u U) as [L F]. cbn [snd fst]. split; [simpl; congruence |]. constructor; [| exact F].
    destruct C as [<- | [<- | []]]; simpl; auto.
Qed.

Lemma count_cons v x xs : count v (x :: xs) = ((if Nat.eq_dec x v then 1 else 0) + count v xs)%nat.
Proof. unfold count. simpl. destruct (Nat.eq_dec x v); reflexivity. Qed.

Lemma count_other v u n xs : holds_or_0 v n xs -> u <> v -> u <> 0%nat -> count u xs = 0%nat.
Proof.
  intros [_ F] V Z. apply count_occ_not_In. intros I. apply (proj1 (Forall_forall _ _) F) in I. destruct I; auto.
Qed.

(** The variance of the number of those who hold v. *)
Lemma drawn_square theta v n c : v <> 0%nat -> 0 <= theta <= 1 ->
  mean (drawn theta v n) (fun xs => (INR (count v xs) + c) ^ 2) =
  (INR n * theta + c) ^ 2 + INR n * (theta * (1 - theta)).
Proof.
  intros V H. revert c. induction n as [| n IH]; intros c; [simpl; rewrite mean_ret; simpl; ring |].
  rewrite mean_drawn.
  rewrite (mean_ext _ _ (fun xs => (INR (count v xs) + (1 + c)) ^ 2)).
  2: { intros xs. rewrite count_cons. destruct (Nat.eq_dec v v); [| congruence]. rewrite plus_INR. simpl. ring. }
  rewrite (mean_ext _ (fun xs => (INR (count v (0%nat :: xs)) + c) ^ 2) (fun xs => (INR (count v xs) + c) ^ 2)).
  2: { intros xs. rewrite count_cons. destruct (Nat.eq_dec 0 v); [congruence | reflexivity]. }
  rewrite !IH, S_INR. ring.
Qed.

(** Of n users in turns: how far a mean over the messages can be from what it is where all hold bin 0. *)
Lemma turns_square {M} (R : list M -> nat -> dist M) eps theta v n said f :
  (forall said x, proper (R said x)) -> 0 < eps -> (forall said, local_dp (R said) eps 0) -> 0 <= theta <= 1 ->
  (mean (drawn theta v n) (fun xs => mean (in_turns R said xs) f)) ^ 2 <=
  (1 + theta ^ 2 * told (exp eps)) ^ n * mean (in_turns R said (repeat 0%nat n)) (fun ms => f ms ^ 2).
Proof.
  intros HR He P H. assert (HE : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  set (X := 1 + theta ^ 2 * told (exp eps)).
  assert (HX : 0 <= X).
  { assert (Y := Rmult_le_pos _ _ (pow2_ge_0 theta) (Rlt_le _ _ (told_positive _ HE))). unfold X. lra. }
  revert said. induction n as [| n IH]; intros said.
  - simpl repeat. cbn [drawn in_turns]. rewrite mean_ret. cbn [in_turns]. rewrite !mean_ret. simpl. lra.
  - rewrite mean_drawn. cbn [in_turns repeat].
    set (G := fun m => mean (drawn theta v n) (fun xs => mean (in_turns R (said ++ [m]) xs) f)).
    assert (D : forall x, mean (drawn theta v n) (fun xs => mean (bind (R said x)
      (fun m => in_turns R (said ++ [m]) xs)) f) = mean (R said x) G).
    { intros x. unfold G. rewrite mean_swap. apply mean_ext. intros xs. apply mean_bind. }
    rewrite !D, mean_bind. eapply Rle_trans; [apply (one_answer _ _ (exp eps)); auto; apply P |].
    fold X. rewrite <- tech_pow_Rmult, Rmult_assoc. apply Rmult_le_compat_l; [exact HX |].
    rewrite <- mean_scal. apply mean_le; [apply HR |]. intros m. apply IH.
Qed.

(** ** Which bin the estimate names *)

(** Some bin below d errs by t or more. *)
Definition some_bin_errs (d : nat) (t : R) (xs : list nat) (a : nat -> R) : bool :=
  existsb (fun v => Rleb t (Rabs (a v - INR (count v xs)))) (seq 0 d).

Lemma Rleb_false x y : Rleb x y = false <-> y < x.
Proof.
  destruct (Rleb x y) eqn:B.
  - apply Rleb_true in B. split; [discriminate | lra].
  - split; [intros _ | reflexivity]. apply Rnot_le_lt. intros L. apply Rleb_true in L. congruence.
Qed.

Definition is_named (t : R) (m v : nat) (a : nat -> R) : bool :=
  match find (fun u => Rleb t (a u)) (seq 1 m) with Some u => Nat.eqb u v | None => false end.

Definition one_is_named (t : R) (m : nat) (a : nat -> R) : bool := existsb (fun u => Rleb t (a u)) (seq 1 m).

Lemma named_once t m a : total (seq 1 m) (fun v => indicator (is_named t m v) a) <= indicator (one_is_named t m) a.
Proof.
  unfold indicator, is_named, one_is_named. destruct (find _ _) as [u |] eqn:F.
  - apply find_some in F. destruct F as [I B].
    assert (existsb (fun u => Rleb t (a u)) (seq 1 m) = true) as -> by (apply existsb_exists; eauto).
    right. rewrite (total_ext _ _ (fun v => if Nat.eq_dec u v then 1 else 0)).
    + apply (total_single Nat.eq_dec); [apply seq_NoDup | exact I].
    + intros v _. destruct (Nat.eqb_spec u v), (Nat.eq_dec u v); congruence.
  - rewrite total_zero. destruct (existsb _ _); lra.
Qed.

Lemma find_only {A} (T : A -> bool) l v : In v l -> T v = true -> (forall u, In u l -> u <> v -> T u = false) ->
  find T l = Some v.
Proof.
  intros I V O. induction l as [| u l IH]; [destruct I |]. simpl. destruct (T u) eqn:B.
  - destruct (classic (u = v)) as [-> | N]; [reflexivity |]. rewrite O in B; [discriminate | left; reflexivity | exact N].
  - destruct I as [-> | I]; [congruence |]. apply IH; [exact I |]. intros w J. apply O. right. exact J.
Qed.

(** Bin v has 2 t users or more and no bin errs by t: then v is named. *)
Lemma right_is_named t m v n xs a : 0 < t -> In v (seq 1 m) -> holds_or_0 v n xs -> 2 * t <= INR (count v xs) ->
  some_bin_errs (S m) t xs a = false -> is_named t m v a = true.
Proof.
  intros Ht I H C N. assert (B : forall u, In u (seq 1 m) -> Rabs (a u - INR (count u xs)) < t).
  { intros u J. apply Rleb_false. destruct (Rleb _ _) eqn:L; [| reflexivity]. rewrite <- N. symmetry.
    apply existsb_exists. exists u. split; [| exact L]. apply in_seq in J. apply in_seq. lia. }
  unfold is_named. rewrite (find_only _ _ v); [apply Nat.eqb_refl | exact I | |].
  - apply Rleb_true. assert (X := Rabs_def2 _ _ (B v I)). lra.
  - intros u J D. apply Rleb_false. assert (X := Rabs_def2 _ _ (B u J)). apply in_seq in J.
    rewrite (count_other v u n xs H D) in X by lia. simpl in X. lra.
Qed.

(** ** The theorems *)

(** What is below c wherever it is drawn is so in the mean. *)
Lemma mean_at_most {A} (d : dist A) f c : proper d -> (forall wa, In wa d -> f (snd wa) <= c) -> mean d f <= c.
Proof.
  intros H B. rewrite <- (mean_const d c H). apply total_le. intros wa I.
  apply Rmult_le_compat_l; [apply (proj1 H), I | apply B, I].
Qed.

Theorem local_histogram_error {M} (R : list M -> nat -> dist M) (estimate : list M -> dist (nat -> Rdefinitions.R))
    n d eps theta t b c :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (2 <= d)%nat -> 0 <= theta <= 1 -> 0 < t -> 2 * t < INR n * theta ->
  INR n * (theta * (1 - theta)) <= c * (INR n * theta - 2 * t) ^ 2 -> b + c <= 1 ->
  (1 + theta ^ 2 * ((exp eps - 1) ^ 2 / exp eps)) ^ n * b <= INR (d - 1) * (1 - b - c) ^ 2 ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  b <= Pr (bind (in_turns R [] xs) estimate) (some_bin_errs d t xs).
Proof.
  intros HR HA He P Hd Ht T0 Tn Var BC Few. fold (told (exp eps)) in Few.
  destruct d as [| m]; [lia |]. replace (S m - 1)%nat with m in Few by lia.
  assert (HE : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  set (X := (1 + theta ^ 2 * told (exp eps)) ^ n) in *.
  assert (HX : 0 < X).
  { apply pow_lt. assert (Y := Rmult_le_pos _ _ (pow2_ge_0 theta) (Rlt_le _ _ (told_positive _ HE))). lra. }
  apply NNPP. intros No.
  assert (Rare : forall xs, length xs = n -> (forall x, In x xs -> (x < S m)%nat) ->
    Pr (bind (in_turns R [] xs) estimate) (some_bin_errs (S m) t xs) < b).
  { intros xs L F. apply Rnot_le_lt. intros B. apply No. exists xs. auto. }
  clear No. set (zeros := repeat 0%nat n).
  assert (HT : forall xs, proper (in_turns R [] xs)) by (intros xs; apply proper_in_turns, HR).
  assert (HB : forall xs, proper (bind (in_turns R [] xs) estimate)) by (intros xs; apply proper_bind; auto).
  (* all hold bin 0 *)
  set (p0 := Pr (bind (in_turns R [] zeros) estimate) (one_is_named t m)).
  assert (P0 : p0 < b).
  { eapply Rle_lt_trans; [| apply (Rare zeros); [apply repeat_length |]].
    - apply Pr_le; [apply HB |]. intros a N. apply existsb_exists in N. destruct N as [u [I L]].
      apply existsb_exists. exists u. apply in_seq in I. split; [apply in_seq; lia |].
      apply Rleb_true in L. apply Rleb_true. assert (count u zeros = 0%nat) as ->.
      { apply count_occ_not_In. intros J. apply repeat_spec in J. lia. }
      simpl INR. rewrite Rminus_0_r. assert (Y := Rle_abs (a u)). lra.
    - intros x I. apply repeat_spec in I. lia. }
  (* the sum of the squares of the probabilities that the right bin is named *)
  set (named := fun v => mean (drawn theta v n) (fun xs => Pr (bind (in_turns R [] xs) estimate) (is_named t m v))).
  assert (Squares : total (seq 1 m) (fun v => named v ^ 2) <= X * p0).
  { apply Rle_trans with (total (seq 1 m) (fun v => X * Pr (bind (in_turns R [] zeros) estimate) (is_named t m v))).
    - apply total_le. intros v _. unfold named.
      rewrite (mean_ext _ _ (fun xs => mean (in_turns R [] xs) (fun said => Pr (estimate said) (is_named t m v))))
        by (intros xs; apply Pr_bind).
      eapply Rle_trans; [apply (turns_square R eps); assumption |]. fold X zeros.
      apply Rmult_le_compat_l; [lra |]. rewrite Pr_bind. apply mean_le; [apply HT |]. intros said.
      assert (Y := Pr_bounds (estimate said) (is_named t m v) (HA said)). simpl. rewrite Rmult_1_r.
      rewrite <- (Rmult_1_l (Pr _ _)) at 3. apply Rmult_le_compat_r; lra.
    - rewrite total_scal. apply Rmult_le_compat_l; [lra |]. unfold p0, Pr, mean. rewrite total_swap. apply total_le.
      intros wa I. rewrite total_scal. apply Rmult_le_compat_l; [apply (proj1 (HB zeros)), I | apply named_once]. }
  (* each of them is at least 1 - b - c *)
  assert (Each : forall v, In v (seq 1 m) -> 1 - b - c <= named v).
  { intros v I. assert (V : v <> 0%nat /\ (v <= m)%nat) by (apply in_seq in I; lia).
    assert (HD := proper_drawn theta v n Ht). set (gap := INR n * theta - 2 * t) in *.
    assert (G0 : 0 < gap) by (unfold gap; lra).
    set (few := fun xs => Rltb (INR (count v xs)) (2 * t)).
    assert (Fw : Pr (drawn theta v n) few <= c).
    { eapply Rle_trans; [apply (markov _ (fun xs => (INR (count v xs) + - (INR n * theta)) ^ 2) few (gap ^ 2) HD) |].
      - intros xs. apply pow2_ge_0.
      - apply pow_lt, G0.
      - intros xs L. apply Rltb_true in L.
        replace ((INR (count v xs) + - (INR n * theta)) ^ 2) with ((INR n * theta - INR (count v xs)) ^ 2) by ring.
        apply pow_incr. unfold gap in *. lra.
      - rewrite drawn_square by (try apply Ht; apply V).
        apply Rmult_le_reg_r with (gap ^ 2); [apply pow_lt, G0 |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by
          (apply Rgt_not_eq, pow_lt, G0).
        replace (INR n * theta + - (INR n * theta)) with 0 by ring. simpl in *. lra. }
    assert (Er : mean (drawn theta v n) (fun xs =>
      Pr (bind (in_turns R [] xs) estimate) (some_bin_errs (S m) t xs)) <= b).
    { apply mean_at_most; [exact HD |]. intros wa J. apply Rlt_le, Rare.
      - apply (drawn_holds _ _ _ _ J).
      - intros x K. destruct (drawn_holds _ _ _ _ J) as [_ F].
        apply (proj1 (Forall_forall _ _) F) in K. destruct K; subst; lia. }
    assert (Sum : 1 <= mean (drawn theta v n) (fun xs =>
      Pr (bind (in_turns R [] xs) estimate) (some_bin_errs (S m) t xs) +
      Pr (bind (in_turns R [] xs) estimate) (is_named t m v) + indicator few xs)).
    { rewrite <- (mean_const _ 1 HD). apply total_le. intros wa J.
      apply Rmult_le_compat_l; [apply (proj1 HD), J |]. set (xs := snd wa).
      assert (H := drawn_holds _ _ _ _ J : holds_or_0 v n xs).
      unfold Pr. rewrite <- mean_plus, <- (mean_const _ (indicator few xs) (HB xs)), <- mean_plus,
        <- (mean_const _ 1 (HB xs)). apply mean_le; [apply HB |]. intros a. unfold indicator.
      destruct (few xs) eqn:Fx; [destruct (some_bin_errs _ _ _ _), (is_named _ _ _ _); lra |].
      destruct (some_bin_errs _ _ _ _) eqn:Sx; [destruct (is_named _ _ _ _); lra |].
      rewrite (right_is_named t m v n xs a T0 I H); [lra | | exact Sx].
      apply Rnot_lt_le. intros Y. apply Rltb_true in Y. unfold few in Fx. congruence. }
    rewrite !mean_plus in Sum. fold (named v) in Sum. fold (Pr (drawn theta v n) few) in Sum. lra. }
  assert (Sum : INR m * (1 - b - c) ^ 2 <= total (seq 1 m) (fun v => named v ^ 2)).
  { rewrite <- (seq_length m 1) at 1. rewrite <- total_const. apply total_le. intros v I. apply pow_incr.
    split; [lra | apply Each, I]. }
  assert (X * p0 < X * b) by (apply Rmult_lt_compat_l; assumption). lra.
Qed.

(** ** More users *)

Lemma turns_in_parts {X M} (R : list M -> X -> dist M) said xs ys f :
  mean (in_turns R said (xs ++ ys)) f = mean (in_turns R said xs) (fun ms => mean (in_turns R ms ys) f).
Proof.
  revert said. induction xs as [| x xs IH]; intros said; [cbn [in_turns app]; rewrite mean_ret; reflexivity |].
  cbn [in_turns app]. rewrite !mean_bind. apply mean_ext. intros m. apply IH.
Qed.

(** The estimate without k users of bin 0. *)
Definition without (k : nat) (a : nat -> R) (v : nat) : R := a v - INR (count v (repeat 0%nat k)).

Lemma errs_without d t k xs a : some_bin_errs d t xs (without k a) = some_bin_errs d t (xs ++ repeat 0%nat k) a.
Proof.
  unfold some_bin_errs, without. induction (seq 0 d) as [| v bins IH]; [reflexivity |]. cbn [existsb]. rewrite IH.
  do 3 f_equal. unfold count. rewrite count_occ_app, plus_INR. ring.
Qed.

Theorem local_histogram_error_of_more {M} (R : list M -> nat -> dist M)
    (estimate : list M -> dist (nat -> Rdefinitions.R)) n k d eps theta t b c :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (2 <= d)%nat -> 0 <= theta <= 1 -> 0 < t -> 2 * t < INR n * theta ->
  INR n * (theta * (1 - theta)) <= c * (INR n * theta - 2 * t) ^ 2 -> b + c <= 1 ->
  (1 + theta ^ 2 * ((exp eps - 1) ^ 2 / exp eps)) ^ n * b <= INR (d - 1) * (1 - b - c) ^ 2 ->
  exists xs, length xs = (n + k)%nat /\ (forall x, In x xs -> (x < d)%nat) /\
  b <= Pr (bind (in_turns R [] xs) estimate) (some_bin_errs d t xs).
Proof.
  intros HR HA He P Hd Ht T0 Tn Var BC Few.
  set (for_all := fun said => bind (in_turns R said (repeat 0%nat k)) (fun ms => dmap (without k) (estimate ms))).
  destruct (local_histogram_error R for_all n d eps theta t b c) as [xs [L [F B]]]; try assumption.
  - intros said. apply proper_bind; [apply proper_in_turns, HR | intros ms; apply proper_dmap, HA].
  - exists (xs ++ repeat 0%nat k). rewrite app_length, repeat_length. split; [lia |]. split.
    + intros x I. apply in_app_or in I. destruct I as [I | I]; [apply F, I | apply repeat_spec in I; lia].
    + eapply Rle_trans; [exact B |]. right. rewrite !Pr_bind, turns_in_parts. apply mean_ext. intros said.
      unfold for_all. rewrite Pr_bind. apply mean_ext. intros ms. rewrite Pr_dmap. apply Pr_ext.
      intros a. apply errs_without.
Qed.

(** With few users, and many bins, no accuracy can be had: all hold one bin, and which is not learned. *)
Theorem local_histogram_few_users {M} (R : list M -> nat -> dist M)
    (estimate : list M -> dist (nat -> Rdefinitions.R)) n d eps :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (2 <= d)%nat -> (1 <= n)%nat ->
  (1 + (exp eps - 1) ^ 2 / exp eps) ^ n <= 6 * INR (d - 1) ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (some_bin_errs d (INR n / 4) xs).
Proof.
  intros HR HA He P Hd Hn Few. assert (N := le_INR _ _ Hn). simpl (INR 1) in N.
  apply (local_histogram_error R estimate n d eps 1 (INR n / 4) (1 / 8) 0); try assumption; try lra.
  replace (1 ^ 2 * ((exp eps - 1) ^ 2 / exp eps)) with ((exp eps - 1) ^ 2 / exp eps) by (simpl; ring).
  assert (D := pos_INR (d - 1)). lra.
Qed.

Lemma power_below_exp x n : 0 <= x -> (1 + x) ^ n <= exp (INR n * x).
Proof.
  intros H. replace (exp (INR n * x)) with (exp x ^ n) by (rewrite exp_power; f_equal; ring).
  apply pow_incr. assert (X := exp_ineq1_le x). lra.
Qed.

Theorem local_histogram_constant {M} (R : list M -> nat -> dist M)
    (estimate : list M -> dist (nat -> Rdefinitions.R)) n d eps :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (2 <= d)%nat ->
  let K := (exp eps - 1) ^ 2 / exp eps in
  ln (INR d) / K + 256 * K / ln (INR d) <= INR n ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  1 / 8 <= Pr (bind (in_turns R [] xs) estimate) (some_bin_errs d (sqrt (INR n * ln (INR d) / K) / 4) xs).
Proof.
  intros HR HA He P Hd K Hn. assert (HE : 1 < exp eps) by (rewrite <- exp_0; apply exp_increasing, He).
  assert (HK : 0 < K) by (apply told_positive, HE). set (L := ln (INR d)) in *.
  assert (D2 := le_INR _ _ Hd). simpl (INR 2) in D2.
  assert (HL : 0 < L) by (unfold L; rewrite <- ln_1; apply ln_increasing; lra).
  assert (Q1 : 0 < L / K) by (apply Rdiv_lt_0_compat; assumption).
  assert (Q2 : 0 < 256 * K / L) by (apply Rdiv_lt_0_compat; lra).
  assert (N0 : 0 < INR n) by lra. set (s := sqrt (INR n * L / K)). set (theta := s / INR n).
  assert (S2 : s * s = INR n * L / K).
  { apply sqrt_sqrt. left. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat |]; assumption. }
  assert (S0 : 0 <= s) by apply sqrt_pos.
  assert (NT : INR n * theta = s) by (unfold theta; field; lra).
  assert (S16 : 16 <= s).
  { apply Rsqr_incr_0_var; [| exact S0]. unfold Rsqr. rewrite S2.
    replace (16 * 16) with (256 * K / L * L / K) by (field; lra). unfold Rdiv at 1 3.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, HK |]. apply Rmult_le_compat_r; lra. }
  assert (SN : s <= INR n).
  { apply Rsqr_incr_0_var; [| lra]. unfold Rsqr. rewrite S2. replace (INR n * L / K) with (INR n * (L / K)) by (field; lra).
    apply Rmult_le_compat_l; lra. }
  assert (T : 0 <= theta <= 1).
  { split; [apply Rmult_le_pos; [exact S0 | left; apply Rinv_0_lt_compat, N0] |].
    apply Rmult_le_reg_l with (INR n); [exact N0 |]. rewrite NT. lra. }
  apply (local_histogram_error R estimate n d eps theta (s / 4) (1 / 8) (1 / 4)); try assumption; try lra.
  - replace (INR n * (theta * (1 - theta))) with (s * (1 - theta)) by (rewrite <- NT; ring). rewrite NT.
    replace (s - 2 * (s / 4)) with (s / 2) by field. apply Rle_trans with (s * 1); [apply Rmult_le_compat_l; lra |].
    replace (1 / 4 * (s / 2) ^ 2) with (s * (s / 16)) by field. apply Rmult_le_compat_l; lra.
  - fold K. assert (Y : (1 + theta ^ 2 * K) ^ n <= INR d).
    { eapply Rle_trans; [apply power_below_exp, Rmult_le_pos; [apply pow2_ge_0 | lra] |].
      replace (INR n * (theta ^ 2 * K)) with L; [unfold L; rewrite exp_ln; lra |].
      replace (INR n * (theta ^ 2 * K)) with (INR n * theta * (INR n * theta) * K / INR n) by (field; lra).
      rewrite NT, S2. field. split; lra. }
    rewrite minus_INR by lia. simpl (INR 1). lra.
Qed.

(** ** One case in numbers *)

Lemma exp_1_below : exp 1 <= 11 / 4.
Proof.
  assert (H : exp (1 / 64) <= 64 / 63).
  { assert (X := exp_ineq1_le (- (1 / 64))). rewrite exp_Ropp in X. assert (P := exp_pos (1 / 64)).
    apply Rmult_le_reg_l with (63 / 64); [lra |]. replace (63 / 64 * (64 / 63)) with 1 by field.
    apply Rmult_le_compat_r with (r := exp (1 / 64)) in X; [| lra]. rewrite Rinv_l in X by lra. lra. }
  replace 1 with (1 / 64 * INR 64) by (simpl; field). rewrite <- exp_power.
  apply Rle_trans with ((64 / 63) ^ 64); [apply pow_incr; assert (P := exp_pos (1 / 64)); lra | lra].
Qed.

(** 120,000 users with words of 100 bits, eps = 1: some word's count is a hundredth of the users off. *)
Theorem local_histogram_words {M} (R : list M -> nat -> dist M)
    (estimate : list M -> dist (nat -> Rdefinitions.R)) n d :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) ->
  (forall said, local_dp (R said) 1 0) -> INR d = 2 ^ 100 -> INR n = 120000 ->
  exists xs, length xs = n /\ (forall x, In x xs -> (x < d)%nat) /\
  11 / 100 <= Pr (bind (in_turns R [] xs) estimate) (some_bin_errs d (INR n / 100) xs).
Proof.
  intros HR HA P Hd Hn. assert (D2 : (2 <= d)%nat) by (apply INR_le; rewrite Hd; simpl (INR 2); lra).
  apply (local_histogram_error R estimate n d 1 (22 / 1000) (INR n / 100) (11 / 100) (1 / 20)); try assumption; try lra;
    rewrite ?Hn; try lra.
  rewrite minus_INR, Hd by lia. simpl (INR 1). assert (E := exp_1_below).
  assert (E2 : 2 <= exp 1) by (assert (X := exp_ineq1_le 1); lra).
  assert (K : (exp 1 - 1) ^ 2 / exp 1 <= 1114 / 1000).
  { apply Rmult_le_reg_r with (exp 1); [lra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (K0 : 0 <= (exp 1 - 1) ^ 2 / exp 1) by (left; apply told_positive; lra).
  set (x := (22 / 1000) ^ 2 * ((exp 1 - 1) ^ 2 / exp 1)) in *.
  assert (X0 : 0 <= x) by (apply Rmult_le_pos; [apply pow2_ge_0 | exact K0]).
  assert (X1 : x <= (22 / 1000) ^ 2 * (1114 / 1000)) by (apply Rmult_le_compat_l; [apply pow2_ge_0 | exact K]).
  assert (Y : (1 + x) ^ n <= (11 / 4) ^ 65).
  { eapply Rle_trans; [apply power_below_exp, X0 |]. rewrite Hn. apply Rle_trans with (exp (1 * INR 65)).
    - apply exp_le. simpl (INR 65). lra.
    - rewrite <- exp_power. apply pow_incr. assert (Q := exp_pos 1). lra. }
  lra.
Qed.

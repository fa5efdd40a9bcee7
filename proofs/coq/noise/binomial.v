(** The binomial law, from the coins up.

    [flips n p] throws n coins with probability p of success each and counts the successes;
    [binom n p i] is the mass C(n, i) p^i (1-p)^(n-i), and 0 for i > n. Proved, for all n and all real p
    unless 0 <= p <= 1 is asked for (ends included):
    - the program [flips n p] has the masses [binom n p] ([mean_flips], [Pr_flips]);
    - neighbouring masses: P[i+1] (i+1) (1-p) = P[i] (n-i) p for every i ([binom_ratio]);
    - E[x^Y] = (p x + 1 - p)^n, E[Y] = n p, and the variance of Y is n p (1-p);
    - on the integers, [binomial n p] is a law, and its events have the probabilities of the program
      ([binomial_law], [binomial_mass_of]).
    The idea: Pascal's rule says that one more coin turns the masses of n coins into those of n + 1. All of
    it is standard. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws masses.
Import ListNotations.
Open Scope R_scope.

(** The number of successes of n coins. *)
Fixpoint flips (n : nat) (p : R) : dist nat :=
  match n with
  | O => ret O
  | S m => bind (coin p) (fun b => dmap (fun c => if b then S c else c) (flips m p))
  end.

(** P[Bin(n, p) = i]. *)
Definition binom (n : nat) (p : R) (i : nat) : R :=
  if Nat.leb i n then C n i * p ^ i * (1 - p) ^ (n - i) else 0.

(** The same as a law on the integers. *)
Definition binomial (n : nat) (p : R) (y : Z) : R :=
  if Z.leb 0 y then binom n p (Z.to_nat y) else 0.

(** ** The masses *)

Lemma binom_inside n p i : (i <= n)%nat -> binom n p i = C n i * p ^ i * (1 - p) ^ (n - i).
Proof. intros H. unfold binom. rewrite (proj2 (Nat.leb_le i n) H). reflexivity. Qed.

Lemma binom_outside n p i : (n < i)%nat -> binom n p i = 0.
Proof. intros H. unfold binom. rewrite (proj2 (Nat.leb_gt i n) H). reflexivity. Qed.

Lemma choose_pos n i : 0 < C n i.
Proof.
  unfold C. apply Rdiv_lt_0_compat; [| apply Rmult_lt_0_compat]; apply INR_fact_lt_0.
Qed.

Lemma choose_0 n : C n 0 = 1.
Proof. unfold C. rewrite Nat.sub_0_r. simpl fact. simpl INR. field. apply INR_fact_neq_0. Qed.

Lemma choose_n n : C n n = 1.
Proof. rewrite pascal_step1, Nat.sub_diag by lia. apply choose_0. Qed.

Lemma binom_nonneg n p i : 0 <= p <= 1 -> 0 <= binom n p i.
Proof.
  intros H. unfold binom. destruct (Nat.leb i n); [| lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; [left; apply choose_pos |] |]; apply pow_le; lra.
Qed.

Lemma binom_pos n p i : 0 < p < 1 -> (i <= n)%nat -> 0 < binom n p i.
Proof.
  intros H Hi. rewrite binom_inside by exact Hi.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply choose_pos |] |]; apply pow_lt; lra.
Qed.

(** Neighbouring masses. *)
Theorem binom_ratio n p i :
  binom n p (S i) * INR (S i) * (1 - p) = binom n p i * (INR n - INR i) * p.
Proof.
  destruct (lt_eq_lt_dec i n) as [[H | ->] | H].
  - rewrite !binom_inside, pascal_step3, minus_INR by lia.
    replace (n - i)%nat with (S (n - S i)) by lia. simpl pow. field. apply not_0_INR. lia.
  - rewrite binom_outside by lia. ring.
  - rewrite !binom_outside by lia. ring.
Qed.

(** Successes and failures change places. *)
Lemma binom_symmetry n p i : (i <= n)%nat -> binom n p i = binom n (1 - p) (n - i).
Proof.
  intros H. rewrite !binom_inside, <- (pascal_step1 n i H) by lia.
  replace (n - (n - i))%nat with i by lia. replace (1 - (1 - p)) with p by ring. ring.
Qed.

(** One more coin: Pascal's rule. *)

Lemma binom_S_0 n p : binom (S n) p 0 = (1 - p) * binom n p 0.
Proof.
  rewrite !binom_inside, !choose_0, !Nat.sub_0_r by lia. simpl. ring.
Qed.

Lemma binom_S_S n p i : binom (S n) p (S i) = p * binom n p i + (1 - p) * binom n p (S i).
Proof.
  destruct (lt_eq_lt_dec i n) as [[H | ->] | H].
  - rewrite !binom_inside, <- pascal by lia. change (S n - S i)%nat with (n - i)%nat.
    replace (n - i)%nat with (S (n - S i)) by lia. simpl pow. ring.
  - rewrite (binom_outside n p (S n)), !binom_inside, !choose_n, !Nat.sub_diag by lia. simpl. ring.
  - rewrite !binom_outside by lia. ring.
Qed.

(** ** The program has these masses *)

Lemma mean_flips_0 p f : mean (flips 0 p) f = f 0%nat.
Proof. apply mean_ret. Qed.

Lemma mean_flips_S n p f :
  mean (flips (S n) p) f = p * mean (flips n p) (fun c => f (S c)) + (1 - p) * mean (flips n p) f.
Proof. cbn [flips]. rewrite mean_bind, mean_coin, !mean_dmap. reflexivity. Qed.

Lemma mean_flips_const n p c : mean (flips n p) (fun _ => c) = c.
Proof. induction n as [| n IH]; [apply mean_flips_0 |]. rewrite mean_flips_S, IH. ring. Qed.

Lemma proper_flips n p : 0 <= p <= 1 -> proper (flips n p).
Proof.
  intros H. induction n as [| n IH]; cbn [flips]; [apply proper_ret |].
  apply proper_bind; [apply proper_coin, H |]. intros b. apply proper_dmap, IH.
Qed.

Lemma mean_flips n p f :
  mean (flips n p) f = total (seq 0 (S n)) (fun i => binom n p i * f i).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - rewrite mean_flips_0. simpl. rewrite binom_inside, choose_0 by lia. simpl. ring.
  - rewrite mean_flips_S, !IH, (total_seq_shift (S n)), binom_S_0.
    rewrite (total_ext _ (fun i => binom (S n) p (S i) * f (S i))
      (fun i => p * (binom n p i * f (S i)) + (1 - p) * (binom n p (S i) * f (S i)))).
    2: { intros i _. rewrite binom_S_S. ring. }
    rewrite total_plus, !total_scal.
    assert (E := total_seq_S (S n) (fun i => binom n p i * f i)).
    rewrite (total_seq_shift (S n)), (binom_outside n p (S n)) in E by lia.
    replace (total (seq 0 (S n)) (fun i => binom n p i * f i)) with
      (binom n p 0 * f 0%nat + total (seq 0 (S n)) (fun i => binom n p (S i) * f (S i))) by lra.
    ring.
Qed.

Theorem Pr_flips n p T :
  Pr (flips n p) T = total (seq 0 (S n)) (fun i => if T i then binom n p i else 0).
Proof.
  unfold Pr. rewrite mean_flips. apply total_ext. intros i _. unfold indicator.
  destruct (T i); ring.
Qed.

(** The masses add up to 1, for every real p. *)
Lemma binom_total n p : total (seq 0 (S n)) (binom n p) = 1.
Proof.
  rewrite (total_ext _ _ (fun i => binom n p i * 1)) by (intros; ring).
  rewrite <- (mean_flips n p (fun _ => 1)). apply mean_flips_const.
Qed.

(** ** Moments *)

(** E[x^Y] for Y ~ Bin(n, p). *)
Lemma flips_generating_function n p x : mean (flips n p) (fun i => x ^ i) = (p * x + (1 - p)) ^ n.
Proof.
  induction n as [| n IH]; [rewrite mean_flips_0; reflexivity |].
  rewrite mean_flips_S, IH, (mean_scal _ x (fun i => x ^ i)), IH. simpl. ring.
Qed.

Lemma flips_mean n p : mean (flips n p) INR = INR n * p.
Proof.
  induction n as [| n IH]; [simpl; rewrite mean_ret; simpl; ring |].
  rewrite mean_flips_S, IH, (mean_ext _ (fun c => INR (S c)) (fun c => INR c + 1)) by exact S_INR.
  rewrite mean_plus, IH, mean_flips_const, S_INR. ring.
Qed.

Lemma flips_second_moment n p :
  mean (flips n p) (fun c => INR c ^ 2) = INR n * p * (1 - p) + (INR n * p) ^ 2.
Proof.
  induction n as [| n IH]; [rewrite mean_flips_0; simpl; ring |].
  rewrite mean_flips_S, IH.
  rewrite (mean_ext _ (fun c => INR (S c) ^ 2) (fun c => INR c ^ 2 + (2 * INR c + 1))) by
    (intros; rewrite S_INR; ring).
  rewrite !mean_plus, IH, mean_scal, flips_mean, mean_flips_const, S_INR. ring.
Qed.

Lemma flips_variance n p :
  mean (flips n p) (fun c => (INR c - INR n * p) ^ 2) = INR n * p * (1 - p).
Proof.
  rewrite (mean_ext _ _ (fun c => INR c ^ 2 + (- (2 * (INR n * p)) * INR c + (INR n * p) ^ 2))) by
    (intros; ring).
  rewrite !mean_plus, mean_scal, flips_second_moment, flips_mean, mean_flips_const. ring.
Qed.

(** ** The law on the integers *)

Lemma binomial_of_nat n p i : binomial n p (Z.of_nat i) = binom n p i.
Proof.
  unfold binomial. rewrite (proj2 (Z.leb_le 0 (Z.of_nat i)) (Nat2Z.is_nonneg i)), Nat2Z.id.
  reflexivity.
Qed.

Lemma binomial_negative n p y : (y < 0)%Z -> binomial n p y = 0.
Proof. intros H. unfold binomial. rewrite (proj2 (Z.leb_gt 0 y) H). reflexivity. Qed.

Lemma binomial_above n p y : (Z.of_nat n < y)%Z -> binomial n p y = 0.
Proof.
  intros H. unfold binomial. destruct (Z.leb 0 y); [apply binom_outside; lia | reflexivity].
Qed.

Lemma binomial_nonneg n p y : 0 <= p <= 1 -> 0 <= binomial n p y.
Proof.
  intros H. unfold binomial. destruct (Z.leb 0 y); [apply binom_nonneg, H | lra].
Qed.

Lemma binomial_pos n p y : 0 < p < 1 -> (0 <= y <= Z.of_nat n)%Z -> 0 < binomial n p y.
Proof.
  intros H Hy. rewrite <- (Z2Nat.id y), binomial_of_nat by lia. apply binom_pos; [exact H | lia].
Qed.

(** Where the mass is not 0. *)
Lemma binomial_support n p y : binomial n p y <> 0 -> (0 <= y <= Z.of_nat n)%Z.
Proof.
  intros H. destruct (Z_lt_le_dec y 0); [rewrite binomial_negative in H by lia; lra |].
  destruct (Z_lt_le_dec (Z.of_nat n) y); [rewrite binomial_above in H by lia; lra | lia].
Qed.

(** Neighbouring masses, at every integer. *)
Lemma binomial_ratio n p y :
  binomial n p (y + 1) * IZR (y + 1) * (1 - p) = binomial n p y * (INR n - IZR y) * p.
Proof.
  destruct (Z_lt_le_dec y 0) as [H | H].
  - rewrite (binomial_negative n p y H). destruct (Z.eq_dec y (-1)) as [-> | N]; [simpl; ring |].
    rewrite binomial_negative by lia. ring.
  - rewrite <- (Z2Nat.id y) by lia. set (i := Z.to_nat y).
    replace (Z.of_nat i + 1)%Z with (Z.of_nat (S i)) by lia.
    rewrite !binomial_of_nat, <- !INR_IZR_INZ. apply binom_ratio.
Qed.

(** The probability of an event is not exceeded by its finite parts, nor by sets that differ from them
    by integers of mass 0. *)
Lemma binomial_total_le n p T l :
  0 <= p <= 1 -> NoDup l -> (forall y, In y l -> binomial n p y <> 0 -> T y = true) ->
  total l (binomial n p) <= Pr (flips n p) (fun i => T (Z.of_nat i)).
Proof.
  intros Hp N H. set (D := fun y => if T y then binomial n p y else 0).
  assert (D0 : forall y, 0 <= D y) by
    (intros y; unfold D; destruct (T y); [apply binomial_nonneg, Hp | lra]).
  set (inside := fun y : Z => andb (Z.leb 0 y) (Z.leb y (Z.of_nat n))).
  apply Rle_trans with (total (filter inside l) D).
  - rewrite total_filter. apply total_le. intros y Hy. unfold D.
    destruct (Req_dec (binomial n p y) 0) as [-> | Z].
    + destruct (inside y), (T y); lra.
    + rewrite (H y Hy Z). destruct (binomial_support n p y Z) as [A B]. unfold inside.
      rewrite (proj2 (Z.leb_le _ _) A), (proj2 (Z.leb_le _ _) B). simpl. lra.
  - apply Rle_trans with (total (map Z.of_nat (seq 0 (S n))) D).
    + apply total_incl; [apply NoDup_filter, N | | intros; apply D0].
      intros y Hy. apply filter_In in Hy. destruct Hy as [_ Hy]. unfold inside in Hy.
      apply andb_prop in Hy. destruct Hy as [A B]. apply Z.leb_le in A. apply Z.leb_le in B.
      apply in_map_iff. exists (Z.to_nat y). rewrite in_seq. split; lia.
    + rewrite total_map, Pr_flips. right. apply total_ext. intros i _. unfold D.
      rewrite binomial_of_nat. reflexivity.
Qed.

(** The probability of an event on the integers is that of the program. *)
Lemma binomial_mass_of n p T :
  0 <= p <= 1 ->
  mass_of (binomial n p) (fun y => T y = true) (Pr (flips n p) (fun i => T (Z.of_nat i))).
Proof.
  intros Hp. split.
  - intros s [l [N [I ->]]]. apply binomial_total_le; auto.
  - intros b Hb. apply Hb. exists (filter T (map Z.of_nat (seq 0 (S n)))). split; [| split].
    + apply NoDup_filter, FinFun.Injective_map_NoDup, seq_NoDup. exact Nat2Z.inj.
    + intros y Hy. apply filter_In in Hy. apply Hy.
    + rewrite total_filter, total_map, Pr_flips. apply total_ext. intros i _.
      rewrite binomial_of_nat. reflexivity.
Qed.

Lemma binomial_law n p : 0 <= p <= 1 -> law (binomial n p).
Proof.
  intros Hp. split; [intros y; apply binomial_nonneg, Hp |].
  assert (M := binomial_mass_of n p (fun _ => true) Hp).
  cbv beta in M. rewrite (Pr_all _ (proper_flips n p Hp)) in M. destruct M as [U L]. split.
  - intros s [l [N [_ E]]]. apply U. exists l. auto.
  - intros b Hb. apply L. intros s [l [N [_ E]]]. apply Hb. exists l. auto.
Qed.

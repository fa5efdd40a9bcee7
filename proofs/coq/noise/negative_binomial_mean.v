(** The mean of a negative binomial law, and what the noise of private counting costs in messages.

    A negative binomial law with real r > 0 and 0 < p < 1 is a law D on the naturals with
    (t + 1) D(t + 1) = (r + t) p D(t) for all t >= 0 ([is_negative_binomial]; there is one at most).
    - [negative_binomial_mean]: its mean is r p/(1 - p), for every r > 0, integer or not.
    - [correlated_messages]: n users; each of them sends, beyond his own bit, twice as many messages as he
      draws from NB(1/n, e^-e1), with fresh draws for the two signs, and twice what he draws from
      NB(3 (1 + ln(1/delta))/n, e^(-e2/5)). For n >= 1, e1, e2 > 0 and 0 < delta <= 1 the mean of that number
      is at most (2/e1 + 30 (1 + ln(1/delta))/e2)/n.
    - [one_sided_messages]: the one-sided variant, with messages of one symbol only: each of n users sends,
      beyond his own bit, what he draws from NB(3 (1 + ln(1/delta))/n, e^(-eps/5)). For n >= 1, eps > 0 and
      0 < delta <= 1 the mean of that number is at most 15 (1 + ln(1/delta))/(eps n).

    Idea: by the recursion the mean M up to t + 1 is p (r F + M up to t), F the mass up to t; so M = p (r + M)
    in the limit. And 1/(e^y - 1) <= 1/y.

    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the protocol); the constants: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums masses infinite_sums.
Import ListNotations.
Open Scope R_scope.

Definition is_negative_binomial (r p : R) (D : nat -> R) : Prop :=
  law D /\ forall t, (INR t + 1) * D (S t) = (r + INR t) * p * D t.

(** Sums up to n are as good as all sums. *)
Lemma inside_seq (l : list nat) : exists n, forall m, (n <= m)%nat -> incl l (seq 0 m).
Proof.
  induction l as [| a l [n H]]; [exists O; intros m _ a [] |].
  exists (Nat.max (S a) n). intros m Hm b [<- | I]; [apply in_seq; lia | apply H; [lia | exact I]].
Qed.

Lemma sum_of_seq_near (f : nat -> R) s e : (forall t, 0 <= f t) -> sum_of f s -> 0 < e ->
  exists n, forall m, (n <= m)%nat -> s - e < total (seq 0 m) f.
Proof.
  intros P H He. destruct (Classical_Prop.classic (exists l, NoDup l /\ s - e < total l f)) as [[l [N L]] | None].
  - destruct (inside_seq l) as [n I]. exists n. intros m Hm.
    eapply Rlt_le_trans; [exact L |]. apply total_incl; [exact N | apply I, Hm | auto].
  - exfalso. assert (s <= s - e); [| lra]. apply (sum_of_least f s _ H). intros l N.
    apply Rnot_lt_le. intros L. apply None. exists l. auto.
Qed.

Lemma moment_recursion (r p : R) (D : nat -> R) n :
  (forall t, (INR t + 1) * D (S t) = (r + INR t) * p * D t) ->
  total (seq 0 (S n)) (fun t => D t * INR t) =
  p * (r * total (seq 0 n) D + total (seq 0 n) (fun t => D t * INR t)).
Proof.
  intros H. rewrite total_seq_shift. simpl INR at 1.
  rewrite (total_ext _ (fun i => D (S i) * INR (S i)) (fun i => p * (r * D i + D i * INR i))).
  - rewrite total_scal, total_plus, total_scal. ring.
  - intros t _. rewrite S_INR. specialize (H t). lra.
Qed.

Theorem negative_binomial_mean (r p : R) (D : nat -> R) :
  0 < r -> 0 < p < 1 -> is_negative_binomial r p D -> sum_of (fun t => D t * INR t) (r * p / (1 - p)).
Proof.
  intros Hr Hp [LD Rec]. destruct (proj1 (law_sum_of D) LD) as [Pos One].
  assert (PosM : forall t, 0 <= D t * INR t) by (intros t; apply Rmult_le_pos; [apply Pos | apply pos_INR]).
  set (M := r * p / (1 - p)). assert (HM : M = p * (r + M)) by (unfold M; field; lra).
  assert (PM : 0 < M) by (unfold M; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra]).
  assert (F1 : forall n, total (seq 0 n) D <= 1) by (intros n; apply (law_finite D _ LD), seq_NoDup).
  assert (F0 : forall n, 0 <= total (seq 0 n) D) by (intros n; apply total_nonneg; intros; apply Pos).
  assert (Up : forall n, total (seq 0 n) (fun t => D t * INR t) <= M).
  { induction n as [| n IH]; [simpl; lra |]. rewrite (moment_recursion r p D n Rec), HM.
    apply Rmult_le_compat_l; [lra |]. specialize (F1 n). apply (Rmult_le_compat_l r) in F1; lra. }
  assert (L : exists s, sum_of (fun t => D t * INR t) s /\ s <= M).
  { destruct (completeness (fun t => exists l, NoDup l /\ t = total l (fun t => D t * INR t))) as [s Hs].
    - exists M. intros x [l [N ->]]. destruct (inside_seq l) as [n I].
      eapply Rle_trans; [| apply (Up n)]. apply total_incl; [exact N | apply I, le_n | auto].
    - exists 0, []. split; [constructor | reflexivity].
    - exists s. split; [exact Hs |]. destruct Hs as [_ Least]. apply Least. intros x [l [N ->]].
      destruct (inside_seq l) as [n I]. eapply Rle_trans; [| apply (Up n)].
      apply total_incl; [exact N | apply I, le_n | auto]. }
  destruct L as [s [Hs Le]].
  assert (G : p * (r + s) <= s).
  { apply Rnot_lt_le. intros C. set (e := (p * (r + s) - s) / (2 * p * (r + 1))).
    assert (Q : 0 < 2 * p * (r + 1)) by (apply Rmult_lt_0_compat; lra).
    assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
    destruct (sum_of_seq_near D 1 e Pos One He) as [n1 H1].
    destruct (sum_of_seq_near _ s e PosM Hs He) as [n2 H2].
    set (n := Nat.max n1 n2). specialize (H1 n ltac:(lia)). specialize (H2 n ltac:(lia)).
    assert (X : total (seq 0 (S n)) (fun t => D t * INR t) <= s) by (apply (sum_of_upper _ _ _ Hs), seq_NoDup).
    rewrite (moment_recursion r p D n Rec) in X.
    assert (Y : p * (r * (1 - e) + (s - e)) <= s).
    { eapply Rle_trans; [| exact X]. apply Rmult_le_compat_l; [lra |].
      assert (r * (1 - e) <= r * total (seq 0 n) D) by (apply Rmult_le_compat_l; lra). lra. }
    assert (Z : e * (2 * p * (r + 1)) = p * (r + s) - s) by (unfold e; field; lra). lra. }
  assert (E : s = M).
  { apply Rle_antisym; [exact Le |]. assert ((1 - p) * M <= (1 - p) * s) by lra.
    apply Rmult_le_reg_l with (1 - p); lra. }
  rewrite E in Hs. exact Hs.
Qed.

(** The mean with p = e^-y is at most r/y. *)
Lemma mean_by_exponent r y : 0 < r -> 0 < y -> r * exp (- y) / (1 - exp (- y)) <= r / y.
Proof.
  intros Hr Hy. assert (E := exp_ineq1_le y). assert (P := exp_pos (- y)).
  assert (I : exp (- y) * exp y = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (B : exp (- y) * (1 + y) <= 1) by (rewrite <- I; apply Rmult_le_compat_l; lra).
  assert (C : exp (- y) * y <= 1 - exp (- y)) by lra.
  assert (D : 0 < exp (- y) * y) by (apply Rmult_lt_0_compat; assumption).
  apply Rmult_le_reg_r with ((1 - exp (- y)) * y); [apply Rmult_lt_0_compat; lra |].
  replace (r * exp (- y) / (1 - exp (- y)) * ((1 - exp (- y)) * y)) with (r * (exp (- y) * y)) by (field; lra).
  replace (r / y * ((1 - exp (- y)) * y)) with (r * (1 - exp (- y))) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma log_of_inverse delta : 0 < delta <= 1 -> 0 <= ln (1 / delta).
Proof.
  intros Hd. assert (F : 1 <= 1 / delta) by (apply Rmult_le_reg_r with delta; [lra |]; field_simplify; lra).
  rewrite <- ln_1. destruct F as [F | <-]; [left; apply ln_increasing; lra | lra].
Qed.

Lemma ratio_range y : 0 < y -> 0 < exp (- y) < 1.
Proof. intros Hy. split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Theorem one_sided_messages (n : nat) (eps delta m : R) (D : nat -> R) :
  (1 <= n)%nat -> 0 < eps -> 0 < delta <= 1 ->
  is_negative_binomial (3 * (1 + ln (1 / delta)) / INR n) (exp (- (eps / 5))) D ->
  sum_of (fun t => D t * INR t) m ->
  m <= 15 * (1 + ln (1 / delta)) / (eps * INR n).
Proof.
  intros Hn He Hd ND M. assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (L := log_of_inverse delta Hd).
  assert (R0 : 0 < 3 * (1 + ln (1 / delta)) / INR n) by (apply Rdiv_lt_0_compat; lra).
  rewrite (sum_of_unique _ _ _ M (negative_binomial_mean _ _ D R0 (ratio_range (eps / 5) ltac:(lra)) ND)).
  eapply Rle_trans; [apply (mean_by_exponent _ (eps / 5) R0); lra |]. right. field. lra.
Qed.

Theorem correlated_messages (n : nat) (e1 e2 delta m1 m2 : R) (D1 D2 : nat -> R) :
  (1 <= n)%nat -> 0 < e1 -> 0 < e2 -> 0 < delta <= 1 ->
  is_negative_binomial (1 / INR n) (exp (- e1)) D1 ->
  is_negative_binomial (3 * (1 + ln (1 / delta)) / INR n) (exp (- (e2 / 5))) D2 ->
  sum_of (fun t => D1 t * INR t) m1 -> sum_of (fun t => D2 t * INR t) m2 ->
  2 * m1 + 2 * m2 <= (2 / e1 + 30 * (1 + ln (1 / delta)) / e2) / INR n.
Proof.
  intros Hn H1 H2 Hd N1 N2 M1 M2. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (L := log_of_inverse delta Hd). assert (range := ratio_range).
  assert (R1 : 0 < 1 / INR n) by (apply Rdiv_lt_0_compat; lra).
  assert (R2 : 0 < 3 * (1 + ln (1 / delta)) / INR n) by (apply Rdiv_lt_0_compat; lra).
  rewrite (sum_of_unique _ _ _ M1 (negative_binomial_mean _ _ D1 R1 (range e1 H1) N1)).
  rewrite (sum_of_unique _ _ _ M2 (negative_binomial_mean _ _ D2 R2 (range (e2 / 5) ltac:(lra)) N2)).
  assert (A := mean_by_exponent _ e1 R1 H1). assert (B := mean_by_exponent _ (e2 / 5) R2 ltac:(lra)).
  replace ((2 / e1 + 30 * (1 + ln (1 / delta)) / e2) / INR n) with
    (2 * (1 / INR n / e1) + 2 * (3 * (1 + ln (1 / delta)) / INR n / (e2 / 5))) by (field; lra).
  lra.
Qed.

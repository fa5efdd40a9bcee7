(** Hoeffding's inequality for sums of independent bits.

    - [hoeffding_lemma]: (1 - p) + p e^s <= e^(p s + s^2/8) for all real s and all p in [0, 1], both ends
      included. (For p = 1/2 this says cosh(s/2) <= e^(s^2/8).)
    - [hoeffding_inequality_upper], [hoeffding_inequality_lower]: N >= 1 users send a bit each,
      independently, with any means; K is the sum of the bits. For all u >= 0,
      P[K >= E K + u] <= e^(-2 u^2/N) and P[K <= E K - u] <= e^(-2 u^2/N).
    - [hoeffding_fair_coins]: for s >= 1 fair coins, P[|B - s/2| >= u] <= 2 e^(-2 u^2/s), and so for > u.

    Idea: the difference of the exponents in the lemma is 0 at s = 0 and so is its derivative; its second
    derivative is 1/4 - v (1 - v) >= 0, where v = p e^s / (1 - p + p e^s). The mean of e^(h (K - E K)) is
    a product of such terms, so it is at most e^(N h^2/8), and Markov's inequality at h = 4u/N is the bound.

    Source: Hoeffding 1963, section 4 and Theorem 2. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals sums laws privacy bits bit_messages binomial.
Import ListNotations.
Open Scope R_scope.

(** ** The lemma *)

(** A function that is 0 with its derivative at 0, with a second derivative that is never negative. *)
Lemma nonneg_from_second_derivative (f f1 f2 : R -> R) :
  (forall x, is_derive f x (f1 x)) -> (forall x, is_derive f1 x (f2 x)) ->
  f 0 = 0 -> f1 0 = 0 -> (forall x, 0 <= f2 x) -> forall x, 0 <= f x.
Proof.
  intros D1 D2 H H1 H2 x.
  destruct (MVT_gen f 0 x f1) as [c [Hc E]].
  - intros; apply D1.
  - intros; apply continuity_pt_filterlim, (ex_derive_continuous f). eexists. apply D1.
  - destruct (MVT_gen f1 0 c f2) as [d [Hd E1]].
    + intros; apply D2.
    + intros; apply continuity_pt_filterlim, (ex_derive_continuous f1). eexists. apply D2.
    + assert (C : 0 <= c * x).
      { unfold Rmin, Rmax in Hc. destruct (Rle_dec 0 x) as [Hx | Hx].
        - apply Rmult_le_pos; lra.
        - replace (c * x) with (- c * - x) by ring. apply Rmult_le_pos; lra. }
      replace (f x) with (f2 d * (c * x)); [apply Rmult_le_pos; [apply H2 | exact C] |].
      replace (f1 c) with (f2 d * c) in E by lra. lra.
Qed.

(** The mean of e^(s z) for a bit z that is 1 with probability p. *)
Lemma bit_moment_positive p s : 0 <= p <= 1 -> 0 < 1 - p + p * exp s.
Proof.
  intros H. assert (E := exp_pos s). assert (0 <= p * exp s) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_dec p (1 / 2)); [lra |].
  assert (0 < p * exp s) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** Its logarithm is at most p s + s^2/8. *)
Lemma bit_log_moment p s : 0 <= p <= 1 -> 0 <= p * s + s ^ 2 / 8 - ln (1 - p + p * exp s).
Proof.
  intros H. revert s.
  apply nonneg_from_second_derivative with
    (f := fun s => p * s + s ^ 2 / 8 - ln (1 - p + p * exp s))
    (f1 := fun s => p + s / 4 - p * exp s / (1 - p + p * exp s))
    (f2 := fun s => ((1 - p - p * exp s) / (2 * (1 - p + p * exp s))) ^ 2).
  - intros s. assert (P := bit_moment_positive p s H). auto_derive; [lra | field; lra].
  - intros s. assert (P := bit_moment_positive p s H). auto_derive; [lra | field; lra].
  - rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. rewrite ln_1. lra.
  - rewrite exp_0. field. lra.
  - intros s. apply pow2_ge_0.
Qed.

Theorem hoeffding_lemma (p s : R) : 0 <= p <= 1 -> 1 - p + p * exp s <= exp (p * s + s ^ 2 / 8).
Proof.
  intros H. assert (P := bit_moment_positive p s H). assert (L := bit_log_moment p s H).
  rewrite <- (exp_ln _ P) at 1. apply exp_le. lra.
Qed.

(** The same for the centred bit. *)
Lemma hoeffding_lemma_centred (p s : R) :
  0 <= p <= 1 -> p * exp (s * (1 - p)) + (1 - p) * exp (- (s * p)) <= exp (s ^ 2 / 8).
Proof.
  intros H. apply Rmult_le_reg_l with (exp (p * s)); [apply exp_pos |].
  rewrite <- exp_plus, Rmult_plus_distr_l.
  replace (exp (p * s) * (p * exp (s * (1 - p)))) with (p * (exp (p * s) * exp (s * (1 - p)))) by ring.
  replace (exp (p * s) * ((1 - p) * exp (- (s * p)))) with
    ((1 - p) * (exp (p * s) * exp (- (s * p)))) by ring.
  rewrite <- !exp_plus.
  replace (p * s + s * (1 - p)) with s by ring. replace (p * s + - (s * p)) with 0 by ring.
  rewrite exp_0. assert (L := hoeffding_lemma p s H). lra.
Qed.

(** ** Sums of independent bits *)

(** A bound for the moment generating function of every centred bit is one for that of their sum. *)
Lemma ones_moment_from_bits {X} (send : X -> dist bool) xs h c :
  (forall x, proper (send x)) ->
  (forall x, let q := chance (send x) in q * exp (h * (1 - q)) + (1 - q) * exp (- (h * q)) <= exp c) ->
  mean (messages (one_message send) xs)
    (fun y => exp (h * (INR (ones y) - total xs (fun x => chance (send x)))))
  <= exp (INR (length xs) * c).
Proof.
  intros H L. induction xs as [| x xs IH].
  - rewrite mean_messages_nil. simpl. apply exp_le. lra.
  - set (q := chance (send x)). set (m := total xs (fun x => chance (send x))) in IH.
    rewrite mean_messages_cons.
    rewrite (mean_ext _ _ (fun b => exp (h * (INR (Nat.b2n b) - q)) *
      mean (messages (one_message send) xs) (fun y => exp (h * (INR (ones y) - m))))).
    + rewrite mean_bit by apply H. fold q.
      change (INR (Nat.b2n true)) with 1. change (INR (Nat.b2n false)) with 0.
      set (M := mean _ _) in *. change (length (x :: xs)) with (S (length xs)). rewrite S_INR.
      replace ((INR (length xs) + 1) * c) with (c + INR (length xs) * c) by ring.
      rewrite exp_plus. assert (L' := L x). cbv zeta in L'. fold q in L'.
      replace (- (h * q)) with (h * (0 - q)) in L' by ring.
      rewrite <- !Rmult_assoc, <- Rmult_plus_distr_r. apply Rmult_le_compat; [| | exact L' | exact IH].
      * assert (B := chance_bounds _ (H x)). fold q in B.
        apply Rplus_le_le_0_compat; (apply Rmult_le_pos; [lra | left; apply exp_pos]).
      * apply mean_nonneg; [| intros; left; apply exp_pos].
        apply proper_messages. intros. apply proper_one_message, H.
    + intros b. rewrite <- mean_scal. apply mean_ext. intros y. rewrite <- exp_plus. f_equal.
      rewrite ones_cons. cbn [total]. fold q m. ring.
Qed.

Lemma ones_moment {X} (send : X -> dist bool) xs h :
  (forall x, proper (send x)) ->
  mean (messages (one_message send) xs)
    (fun y => exp (h * (INR (ones y) - total xs (fun x => chance (send x)))))
  <= exp (INR (length xs) * (h ^ 2 / 8)).
Proof.
  intros H. apply ones_moment_from_bits; [exact H |].
  intros x. apply hoeffding_lemma_centred, chance_bounds, H.
Qed.

(** Markov's inequality for e^(h z). *)
Lemma exponential_markov {A} (d : dist A) (z : A -> R) T c v h :
  proper d -> mean d (fun a => exp (h * z a)) <= exp c ->
  (forall a, T a = true -> v <= h * z a) -> Pr d T <= exp (c - v).
Proof.
  intros P M H. unfold Rminus. rewrite exp_plus, exp_Ropp.
  eapply Rle_trans.
  - apply (markov d (fun a => exp (h * z a)) T (exp v) P).
    + intros; left; apply exp_pos.
    + apply exp_pos.
    + intros a Ha. apply exp_le, H, Ha.
  - apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, exp_pos | exact M].
Qed.

(** If one of two events must happen, the one is as likely as the other is not. *)
Lemma Pr_one_of_two {A} (d : dist A) S T :
  proper d -> (forall a, S a = true \/ T a = true) -> 1 - Pr d S <= Pr d T.
Proof.
  intros P H. assert (U := Pr_or d S T P). rewrite (Pr_ext d _ (fun _ => true)) in U.
  - rewrite (Pr_all d P) in U. lra.
  - intros a. apply Bool.orb_true_iff, H.
Qed.

Theorem hoeffding_inequality_upper {X} (send : X -> dist bool) (xs : list X) (u : R) :
  (forall x, proper (send x)) -> (1 <= length xs)%nat -> 0 <= u ->
  Pr (messages (one_message send) xs)
    (fun y => Rleb (total xs (fun x => chance (send x)) + u) (INR (ones y)))
  <= exp (- (2 * u ^ 2 / INR (length xs))).
Proof.
  intros H N U. assert (0 < INR (length xs)) by (apply lt_0_INR; lia).
  set (n := INR (length xs)) in *. set (h := 4 * u / n).
  assert (0 <= h) by (apply Rle_mult_inv_pos; lra).
  replace (- (2 * u ^ 2 / n)) with (n * (h ^ 2 / 8) - h * u) by (unfold h; field; lra).
  apply exponential_markov with
    (z := fun y => INR (ones y) - total xs (fun x => chance (send x))) (h := h).
  - apply proper_messages. intros. apply proper_one_message, H.
  - apply ones_moment, H.
  - intros y Hy. apply Rleb_true in Hy. apply Rmult_le_compat_l; lra.
Qed.

Theorem hoeffding_inequality_lower {X} (send : X -> dist bool) (xs : list X) (u : R) :
  (forall x, proper (send x)) -> (1 <= length xs)%nat -> 0 <= u ->
  Pr (messages (one_message send) xs)
    (fun y => Rleb (INR (ones y)) (total xs (fun x => chance (send x)) - u))
  <= exp (- (2 * u ^ 2 / INR (length xs))).
Proof.
  intros H N U. assert (0 < INR (length xs)) by (apply lt_0_INR; lia).
  set (n := INR (length xs)) in *. set (h := 4 * u / n).
  assert (0 <= h) by (apply Rle_mult_inv_pos; lra).
  replace (- (2 * u ^ 2 / n)) with (n * ((- h) ^ 2 / 8) - h * u) by (unfold h; field; lra).
  apply exponential_markov with
    (z := fun y => INR (ones y) - total xs (fun x => chance (send x))) (h := - h).
  - apply proper_messages. intros. apply proper_one_message, H.
  - apply ones_moment, H.
  - intros y Hy. apply Rleb_true in Hy.
    set (z := INR (ones y) - _). replace (- h * z) with (h * - z) by ring.
    unfold z. apply Rmult_le_compat_l; lra.
Qed.

(** Both tails. *)
Theorem hoeffding_inequality {X} (send : X -> dist bool) (xs : list X) (u : R) :
  (forall x, proper (send x)) -> (1 <= length xs)%nat -> 0 <= u ->
  Pr (messages (one_message send) xs)
    (fun y => Rleb u (Rabs (INR (ones y) - total xs (fun x => chance (send x)))))
  <= 2 * exp (- (2 * u ^ 2 / INR (length xs))).
Proof.
  intros H N U. set (m := total xs (fun x => chance (send x))).
  assert (P : proper (messages (one_message send) xs))
    by (apply proper_messages; intros; apply proper_one_message, H).
  eapply Rle_trans.
  - apply Pr_le with (T := fun y => orb (Rleb (m + u) (INR (ones y))) (Rleb (INR (ones y)) (m - u)));
      [exact P |].
    intros y Hy. apply Rleb_true in Hy. apply Bool.orb_true_iff. rewrite !Rleb_true.
    unfold Rabs in Hy. destruct (Rcase_abs _); lra.
  - eapply Rle_trans; [apply Pr_or, P |].
    assert (A := hoeffding_inequality_upper send xs u H N U).
    assert (B := hoeffding_inequality_lower send xs u H N U). fold m in A, B. lra.
Qed.

(** ** Coins *)

(** Coins are users without a record who send a bit each. *)
Lemma flips_as_messages n p f :
  mean (flips n p) f =
  mean (messages (one_message (fun _ : unit => coin p)) (repeat tt n)) (fun y => f (ones y)).
Proof.
  revert f. induction n as [| n IH]; intros f; cbn [flips repeat].
  - rewrite mean_messages_nil. apply mean_ret.
  - rewrite mean_messages_cons, mean_bind. apply mean_ext. intros b.
    rewrite mean_dmap, IH. apply mean_ext. intros y. destruct b; reflexivity.
Qed.

Lemma chances_of_coins n p : total (repeat tt n) (fun _ => chance (coin p)) = INR n * p.
Proof. rewrite total_const, repeat_length. unfold chance. rewrite Pr_coin. unfold indicator. ring. Qed.

Lemma flips_moment n p h :
  0 <= p <= 1 -> mean (flips n p) (fun i => exp (h * (INR i - INR n * p))) <= exp (INR n * (h ^ 2 / 8)).
Proof.
  intros H. assert (M := ones_moment (fun _ => coin p) (repeat tt n) h (fun _ => proper_coin p H)).
  cbv beta in M. rewrite chances_of_coins, repeat_length in M. rewrite flips_as_messages. exact M.
Qed.

Lemma hoeffding_flips (n : nat) (p u : R) :
  0 <= p <= 1 -> (1 <= n)%nat -> 0 <= u ->
  Pr (flips n p) (fun i => Rleb u (Rabs (INR i - INR n * p))) <= 2 * exp (- (2 * u ^ 2 / INR n)).
Proof.
  intros H N U. rewrite <- (repeat_length tt n) in N.
  assert (M := hoeffding_inequality (fun _ => coin p) (repeat tt n) u (fun _ => proper_coin p H) N U).
  cbv beta in M. rewrite chances_of_coins, repeat_length in M. unfold Pr. rewrite flips_as_messages. exact M.
Qed.

Lemma hoeffding_fair_coins (s : nat) (u : R) :
  (1 <= s)%nat -> 0 <= u ->
  Pr (flips s (1 / 2)) (fun i => Rleb u (Rabs (INR i - INR s / 2))) <= 2 * exp (- (2 * u ^ 2 / INR s)).
Proof.
  intros S U. assert (H : 0 <= 1 / 2 <= 1) by lra.
  rewrite (Pr_ext _ _ (fun i => Rleb u (Rabs (INR i - INR s * (1 / 2))))).
  - apply hoeffding_flips; assumption.
  - intros i. f_equal. f_equal. field.
Qed.

(** With > u in place of >= u. *)
Lemma hoeffding_fair_coins_strict (s : nat) (u : R) :
  (1 <= s)%nat -> 0 <= u ->
  Pr (flips s (1 / 2)) (fun i => Rltb u (Rabs (INR i - INR s / 2))) <= 2 * exp (- (2 * u ^ 2 / INR s)).
Proof.
  intros S U. eapply Rle_trans; [| apply (hoeffding_fair_coins s u S U)].
  apply Pr_le; [apply proper_flips; lra |].
  intros i Hi. apply Rltb_true in Hi. apply Rleb_true. lra.
Qed.

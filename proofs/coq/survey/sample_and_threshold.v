(** Randomized response and sample-and-threshold: neither gives the other.

    n users hold a bit each. Sample-and-threshold: every user who holds a 1 reports with probability q, and
    the number of reports is released if it is at least tau, else 0. Randomized response: binary_sums.v, with
    the share lambda/n of coins. For every n >= 1, 0 < lambda < n, 0 < q <= 1 and 1 <= tau <= n:
    - [sample_and_threshold_count]: without the threshold the release is Bin(s, q), s the number of ones;
    - [threshold_not_from_response]: no randomized function of the number of ones that randomized response
      sends has the law of the release on all data sets of n bits;
    - [response_not_from_threshold]: for tau >= 2 no randomized function of the release has the law of the
      number of ones that randomized response sends, on all data sets of n bits.

    Idea: a release of tau or more has the probability 0 with tau - 1 ones in the data and at least q^tau > 0
    with tau, while randomized response has a finite eps with delta = 0. With no one and with a single one in
    the data the release is 0, but the means of randomized response differ.

    Source: Bharadwaj and Cormode 2022, section 3 (the mechanism); the theorems: this package. *)

From Coq Require Import Reals List Arith Lra Lia.
From Exactdp Require Import sums laws privacy post_processing bits bit_messages binomial.
From Exactdp Require Import binary_sums binary_sums_printed.
Import ListNotations.
Open Scope R_scope.

(** One user's report. *)
Definition report (q : R) (x : bool) : dist bool := if x then coin q else ret false.

Definition sample_and_threshold (q : R) (tau : nat) (xs : list bool) : dist nat :=
  dmap (fun y => if Nat.leb tau (ones y) then ones y else 0%nat) (messages (one_message (report q)) xs).

(** The number of ones that n users of randomized response send. *)
Definition response_count (n : nat) (lambda : R) (xs : list bool) : dist nat :=
  dmap ones (messages (one_message (rr_randomizer lambda n)) xs).

Lemma reports_count (q : R) (xs : list bool) f :
  mean (messages (one_message (report q)) xs) (fun y => f (ones y)) = mean (flips (ones xs) q) f.
Proof.
  revert f. induction xs as [| x xs IH]; intros f.
  - rewrite mean_messages_nil. cbn [ones]. rewrite mean_flips_0. reflexivity.
  - rewrite mean_messages_cons. destruct x; cbn [ones report].
    + rewrite mean_coin, mean_flips_S, <- (IH (fun c => f (S c))), <- (IH f). reflexivity.
    + rewrite mean_ret, <- (IH f). reflexivity.
Qed.

Theorem sample_and_threshold_count (q : R) (xs : list bool) :
  same_law (sample_and_threshold q 0 xs) (flips (ones xs) q).
Proof. intros f. unfold sample_and_threshold. rewrite mean_dmap. apply (reports_count q xs f). Qed.

Lemma mean_sample_and_threshold (q : R) (tau : nat) (xs : list bool) f :
  mean (sample_and_threshold q tau xs) f = mean (flips (ones xs) q) (fun c => f (if Nat.leb tau c then c else 0%nat)).
Proof.
  unfold sample_and_threshold. rewrite mean_dmap.
  apply (reports_count q xs (fun c => f (if Nat.leb tau c then c else 0%nat))).
Qed.

(** With fewer than tau ones nothing but 0 is released. *)
Lemma below_threshold (q : R) (tau s : nat) f :
  (s < tau)%nat -> mean (flips s q) (fun c => f (if Nat.leb tau c then c else 0%nat)) = f 0%nat.
Proof.
  intros H. rewrite <- (mean_flips_const s q (f 0%nat)), !mean_flips. apply total_ext. intros i I.
  apply in_seq in I. destruct (Nat.leb_spec tau i); [lia | reflexivity].
Qed.

(** All report. *)
Lemma all_report (q : R) (s : nat) : 0 < q <= 1 -> 0 < Pr (flips s q) (fun c => Nat.leb s c).
Proof.
  intros H. induction s as [| s IH].
  - rewrite Pr_all by (apply proper_flips; lra). lra.
  - unfold Pr. rewrite mean_flips_S.
    apply Rplus_lt_le_0_compat.
    + apply Rmult_lt_0_compat; [lra |]. exact IH.
    + apply Rmult_le_pos; [lra |]. apply (Pr_bounds (flips s q)). apply proper_flips. lra.
Qed.

(** The ones first, then the zeros. *)
Definition with_ones (n s : nat) : list bool := repeat true s ++ repeat false (n - s).

Lemma with_ones_length n s : (s <= n)%nat -> length (with_ones n s) = n.
Proof. intros H. unfold with_ones. rewrite app_length, !repeat_length. lia. Qed.

Lemma ones_with_ones n s : ones (with_ones n s) = s.
Proof.
  unfold with_ones. rewrite ones_app. replace (ones (repeat false (n - s))) with 0%nat.
  - rewrite Nat.add_0_r. induction s as [| s IH]; simpl; [reflexivity | rewrite IH; reflexivity].
  - induction (n - s)%nat as [| m IH]; simpl; congruence.
Qed.

Lemma with_ones_neighbors n s : (s < n)%nat -> neighbors (with_ones n (S s)) (with_ones n s).
Proof.
  intros H. unfold with_ones. replace (repeat true (S s)) with (repeat true s ++ [true]).
  - replace (n - s)%nat with (S (n - S s)) by lia. rewrite <- app_assoc. apply replace_one.
  - induction s as [| s IH]; [reflexivity |]. simpl in *. rewrite IH by lia. reflexivity.
Qed.

Theorem threshold_not_from_response (n : nat) (lambda q : R) (tau : nat) :
  (1 <= n)%nat -> 0 < lambda < INR n -> 0 < q <= 1 -> (1 <= tau <= n)%nat ->
  ~ exists K : nat -> dist nat, (forall c, proper (K c)) /\
    forall xs, length xs = n -> same_law (bind (response_count n lambda xs) K) (sample_and_threshold q tau xs).
Proof.
  intros Hn Hl Hq Ht [K [PK HK]].
  set (eps := ln ((2 * INR n - lambda) / lambda)).
  assert (D := proj2 (rr_sum_pure n n lambda eps Hn Hn Hl) (Rle_refl _)).
  apply (shuffle_dp_view n _ ones eps 0 ones_permutation) in D.
  apply (dp_post_processing n _ K eps 0 PK) in D.
  destruct tau as [| s]; [lia |].
  specialize (D (with_ones n (S s)) (with_ones n s) (with_ones_neighbors n s ltac:(lia))).
  specialize (D (with_ones_length n (S s) ltac:(lia)) (fun c => Nat.leb (S s) c)). cbv beta in D.
  unfold Pr in D. fold (response_count n lambda (with_ones n (S s))) (response_count n lambda (with_ones n s)) in D.
  rewrite !HK in D by (apply with_ones_length; lia). rewrite !mean_sample_and_threshold, !ones_with_ones in D.
  rewrite (below_threshold q (S s) s) in D by lia. change (indicator _ 0%nat) with 0 in D.
  assert (P := all_report q (S s) Hq). unfold Pr in P.
  rewrite (mean_ext _ _ (indicator (fun c => Nat.leb (S s) c))) in D; [lra |].
  intros c. unfold indicator. destruct (Nat.leb (S s) c) eqn:E; [rewrite E | simpl]; reflexivity.
Qed.

Theorem response_not_from_threshold (n : nat) (lambda q : R) (tau : nat) :
  (1 <= n)%nat -> 0 < lambda < INR n -> (2 <= tau)%nat ->
  ~ exists K : nat -> dist nat, (forall c, proper (K c)) /\
    forall xs, length xs = n -> same_law (bind (sample_and_threshold q tau xs) K) (response_count n lambda xs).
Proof.
  intros Hn Hl Ht [K [_ HK]]. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (A : forall s, (s <= 1)%nat -> (s <= n)%nat ->
    mean (K 0%nat) INR = INR n * (lambda / INR n / 2) + (1 - lambda / INR n) * INR s).
  { intros s Hs Hsn. specialize (HK (with_ones n s) (with_ones_length n s Hsn) INR).
    rewrite mean_bind, mean_sample_and_threshold, ones_with_ones in HK.
    rewrite (below_threshold q tau s (fun c => mean (K c) INR)) in HK by lia. rewrite HK.
    unfold response_count. rewrite mean_dmap, mean_ones, rr_mean_messages, ones_with_ones.
    - rewrite with_ones_length by exact Hsn. reflexivity.
    - intros x. apply proper_rr_randomizer; [exact Hn | lra]. }
  assert (A0 := A 0%nat ltac:(lia) ltac:(lia)). assert (A1 := A 1%nat ltac:(lia) ltac:(lia)). simpl INR in A0, A1.
  assert (S := rr_share lambda n Hn ltac:(lra)). lra.
Qed.

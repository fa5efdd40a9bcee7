(** Sample-and-threshold with the threshold 1, and randomized response: when the first gives the second.

    n users hold a bit each; reports and answers are those of sample_and_threshold.v, with the rate q and the share
    lambda/n of coins, so that an answer is wrong with probability f = lambda/n/2.

    - [response_count_law]: with s ones among n users the ones sent are Bin(s, 1-f) + Bin(n-s, f);
    - [response_from_reports]: a randomized function of the number of reports has the law of the number of ones that
      randomized response sends, on all data sets of n bits, if and only if 1 - 2 f <= q (1 - f);
    - [response_not_from_sampling]: at the rate 1 - lambda/n = 1 - 2 f there is none.

    Idea: each report becomes a one with probability b, each missing one with probability f, where
    q b + (1-q) f = 1-f; the condition is b <= 1. The other way: one holder who reports or not leaves 1-q of every
    event of none, while nobody sends a one with (1-f)^n and with f (1-f)^(n-1).
    Source: this package. *)

From Coq Require Import Reals List Arith Lra Lia.
From Exactdp Require Import sums laws privacy post_processing bits bit_messages binomial.
From Exactdp Require Import binary_sums sample_and_threshold.
Import ListNotations.
Open Scope R_scope.

(** Bin(c, b) + Bin(m, f). *)
Definition two_flips (c : nat) (b : R) (m : nat) (f : R) : dist nat :=
  bind (flips c b) (fun u => dmap (fun v => (u + v)%nat) (flips m f)).

Lemma mean_two_flips c b m f g :
  mean (two_flips c b m f) g = mean (flips c b) (fun u => mean (flips m f) (fun v => g (u + v)%nat)).
Proof. unfold two_flips. rewrite mean_bind. apply mean_ext. intros u. apply mean_dmap. Qed.

Lemma proper_two_flips c b m f : 0 <= b <= 1 -> 0 <= f <= 1 -> proper (two_flips c b m f).
Proof.
  intros Hb Hf. apply proper_bind; [apply proper_flips, Hb |]. intros u. apply proper_dmap, proper_flips, Hf.
Qed.

Lemma two_flips_first c b m f g :
  mean (two_flips (S c) b m f) g =
  b * mean (two_flips c b m f) (fun t => g (S t)) + (1 - b) * mean (two_flips c b m f) g.
Proof. rewrite !mean_two_flips, mean_flips_S. reflexivity. Qed.

Lemma two_flips_second c b m f g :
  mean (two_flips c b (S m) f) g =
  f * mean (two_flips c b m f) (fun t => g (S t)) + (1 - f) * mean (two_flips c b m f) g.
Proof.
  rewrite !mean_two_flips, <- !mean_scal, <- mean_plus. apply mean_ext. intros u. rewrite mean_flips_S.
  f_equal. f_equal. apply mean_ext. intros v. f_equal. lia.
Qed.

Theorem response_count_law (n : nat) (lambda : R) (xs : list bool) g :
  let f := lambda / INR n / 2 in
  mean (response_count n lambda xs) g = mean (two_flips (ones xs) (1 - f) (length xs - ones xs) f) g.
Proof.
  intros f. unfold response_count. rewrite mean_dmap. revert g.
  assert (Fewer : forall ys, (ones ys <= length ys)%nat).
  { induction ys as [| [|] ys IH]; simpl; lia. }
  assert (Step : forall x h, mean (rr_randomizer lambda n x) h = (1 - f) * h x + f * h (negb x)).
  { intros x h. unfold rr_randomizer. rewrite mean_bind, mean_coin. cbv beta iota. rewrite mean_coin, mean_ret.
    unfold f. generalize (lambda / INR n). intros a. destruct x; simpl; field. }
  induction xs as [| x xs IH]; intros g.
  - rewrite mean_messages_nil, mean_two_flips. simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_cons, Step. destruct x; cbn [negb ones length].
    + rewrite (IH (fun t => g (S t))), (IH g), two_flips_first.
      replace (S (length xs) - S (ones xs))%nat with (length xs - ones xs)%nat by lia.
      ring.
    + rewrite (IH g), (IH (fun t => g (S t))).
      replace (S (length xs) - ones xs)%nat with (S (length xs - ones xs)) by (specialize (Fewer xs); lia).
      rewrite two_flips_second. ring.
Qed.

(** The release with the threshold 1 is the number of reports. *)
Lemma mean_reports (q : R) (xs : list bool) g : mean (sample_and_threshold q 1 xs) g = mean (flips (ones xs) q) g.
Proof.
  rewrite mean_sample_and_threshold. apply mean_ext. intros [| c]; reflexivity.
Qed.

Lemma thinned_flips (q b f : R) (s : nat) :
  q * b + (1 - q) * f = 1 - f ->
  forall n g, (s <= n)%nat ->
  mean (flips s q) (fun c => mean (two_flips c b (n - c) f) g) = mean (two_flips s (1 - f) (n - s) f) g.
Proof.
  intros B. induction s as [| s IH]; intros n g L.
  - rewrite mean_flips_0, !mean_two_flips, !mean_flips_0. reflexivity.
  - destruct n as [| n]; [lia |]. rewrite mean_flips_S.
    rewrite (mean_ext _ (fun c => mean (two_flips (S c) b (S n - S c) f) g)
      (fun c => b * mean (two_flips c b (n - c) f) (fun t => g (S t)) + (1 - b) * mean (two_flips c b (n - c) f) g))
      by (intros c; apply two_flips_first).
    replace (mean (flips s q) (fun c => mean (two_flips c b (S n - c) f) g))
      with (mean (flips s q) (fun c => f * mean (two_flips c b (n - c) f) (fun t => g (S t)) +
                                       (1 - f) * mean (two_flips c b (n - c) f) g)).
    + rewrite !mean_plus, !mean_scal, !IH by lia. rewrite two_flips_first.
      change (S n - S s)%nat with (n - s)%nat.
      set (up := mean (two_flips s (1 - f) (n - s) f) (fun t => g (S t))).
      set (same := mean (two_flips s (1 - f) (n - s) f) g).
      replace (q * (b * up + (1 - b) * same) + (1 - q) * (f * up + (1 - f) * same))
        with ((q * b + (1 - q) * f) * up + (1 - (q * b + (1 - q) * f)) * same) by ring.
      rewrite B. reflexivity.
    + rewrite !mean_flips. apply total_ext. intros c I. apply in_seq in I. f_equal.
      replace (S n - c)%nat with (S (n - c)) by lia. symmetry. apply two_flips_second.
Qed.

Lemma nobody_sends s b m f :
  mean (two_flips s b m f) (fun t => if Nat.eqb t 0 then 1 else 0) = (1 - b) ^ s * (1 - f) ^ m.
Proof.
  assert (One : forall k p, mean (flips k p) (fun v => if Nat.eqb v 0 then 1 else 0) = (1 - p) ^ k).
  { intros k p. induction k as [| k IH]; [rewrite mean_flips_0; reflexivity |].
    rewrite mean_flips_S, IH. rewrite (mean_ext _ _ (fun _ => 0)) by (intros; reflexivity).
    rewrite mean_flips_const. simpl. ring. }
  rewrite mean_two_flips.
  rewrite (mean_ext _ _ (fun u => (1 - f) ^ m * (if Nat.eqb u 0 then 1 else 0))).
  - rewrite mean_scal, One. ring.
  - intros [| u]; [rewrite <- (One m f); simpl; ring |].
    rewrite (mean_ext _ _ (fun _ => 0)) by (intros; reflexivity). rewrite mean_flips_const. simpl. ring.
Qed.

Theorem response_from_reports (n : nat) (lambda q : R) :
  (1 <= n)%nat -> 0 < lambda < INR n -> 0 < q <= 1 ->
  let f := lambda / INR n / 2 in
  (exists K : nat -> dist nat, (forall c, proper (K c)) /\
    forall xs, length xs = n -> same_law (bind (sample_and_threshold q 1 xs) K) (response_count n lambda xs)) <->
  1 - 2 * f <= q * (1 - f).
Proof.
  intros Hn Hl Hq f. assert (Share := rr_share lambda n Hn ltac:(lra)).
  assert (F : 0 < f < 1 / 2).
  { assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
    unfold f. lra. }
  split.
  - intros [K [PK HK]]. set (none := fun t : nat => if Nat.eqb t 0 then 1 else 0).
    assert (Zero := HK (with_ones n 0) (with_ones_length n 0 ltac:(lia)) none).
    assert (One := HK (with_ones n 1) (with_ones_length n 1 Hn) none).
    rewrite mean_bind, mean_reports, response_count_law in Zero, One. fold f in Zero, One. unfold none in Zero, One.
    rewrite nobody_sends in Zero, One.
    rewrite !ones_with_ones, !with_ones_length in Zero, One by lia. fold none in Zero, One.
    rewrite mean_flips_S, !mean_flips_0 in One. rewrite mean_flips_0 in Zero.
    assert (P : 0 <= mean (K 1%nat) none).
    { apply mean_nonneg; [apply PK |]. intros t. unfold none. destruct (Nat.eqb t 0); lra. }
    rewrite Nat.sub_0_r in Zero. replace n with (S (n - 1)) in Zero by lia. simpl pow in Zero, One.
    assert (W : 0 < (1 - f) ^ (n - 1)) by (apply pow_lt; lra).
    assert (QP : 0 <= q * mean (K 1%nat) none) by (apply Rmult_le_pos; lra).
    rewrite Zero in One. replace (1 - (1 - f)) with f in One by ring.
    apply Rmult_le_reg_r with ((1 - f) ^ (n - 1)); [exact W |]. nra.
  - intros C. set (b := (1 - f - (1 - q) * f) / q).
    assert (B : q * b + (1 - q) * f = 1 - f) by (unfold b; field; lra).
    assert (Q : 0 <= (1 - q) * f <= f) by (split; [apply Rmult_le_pos; lra | nra]).
    assert (Hb : 0 <= b <= 1).
    { split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra] |].
      apply Rmult_le_reg_l with q; [lra |]. lra. }
    exists (fun c => two_flips c b (n - c) f). split.
    + intros c. apply proper_two_flips; lra.
    + intros xs L g. rewrite mean_bind, mean_reports, response_count_law. fold f. rewrite L.
      apply thinned_flips; [exact B |]. rewrite <- L. clear. induction xs as [| [|] xs IH]; simpl; lia.
Qed.

Theorem response_not_from_sampling (n : nat) (lambda : R) :
  (1 <= n)%nat -> 0 < lambda < INR n ->
  ~ exists K : nat -> dist nat, (forall c, proper (K c)) /\
    forall xs, length xs = n ->
    same_law (bind (sample_and_threshold (1 - lambda / INR n) 1 xs) K) (response_count n lambda xs).
Proof.
  intros Hn Hl H. assert (Share := rr_share lambda n Hn ltac:(lra)).
  assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (0 < lambda / INR n) by (apply Rdiv_lt_0_compat; lra).
  apply response_from_reports in H; [| exact Hn | exact Hl | lra]. nra.
Qed.

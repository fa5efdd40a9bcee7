(** zsum and the histogram protocol at single numbers: what the noise of one count is enough for.

    - [zsum_of_shift]: n >= 1 users run zsum with gamma in [0, 1]. If noise Bin(n, 1 - gamma) makes a count that moves by
      one (ln E, delta)-DP, E >= 1, so is zsum;
    - [histogram_of_tail]: if more than (1 + h) n gamma of n coins with chance gamma show 1 with probability p at most,
      h >= 0, some bin of d errs by more than (1 + h) gamma of the users with probability n p at most, for every d.

    Idea: the number of messages is the count and noise; an empty bin does not err, and at most n are not empty.
    (Source: Balcer and Cheu 2020, section 3, the protocols; this package.) *)

From Coq Require Import Reals List Arith ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy masses hockey_stick binomial chernoff shifts zsum zsum_count zsum_privacy zsum_accuracy.
From Exactdp Require Import histogram histogram_bin_error histogram_accuracy.
Import ListNotations.
Open Scope R_scope.

Theorem zsum_of_shift n gamma E delta : 0 <= gamma <= 1 -> 1 <= E -> 0 <= delta ->
  mass_below (binomial n (1 - gamma)) (shifted (binomial n (1 - gamma)) 1) E delta ->
  mass_below (shifted (binomial n (1 - gamma)) 1) (binomial n (1 - gamma)) E delta ->
  shuffle_dp n (zsum_randomizer gamma) (ln E) delta.
Proof.
  intros G HE HD Up Down xs ys N L T _. rewrite exp_ln by lra. set (b := binomial n (1 - gamma)) in *.
  set (shown := fun c => filter (fun y => T (repeat tt (c + Z.to_nat y))) (map Z.of_nat (seq 0 (n + 2)))).
  assert (Once : forall c, NoDup (shown c))
    by (intros c; apply NoDup_filter, FinFun.Injective_map_NoDup, seq_NoDup; exact Nat2Z.inj).
  assert (At : forall zs, length zs = n -> Pr (messages (zsum_randomizer gamma) zs) T =
    total (seq 0 (S n)) (fun z => b (Z.of_nat z) * indicator T (repeat tt (ones zs + z)))).
  { intros zs Lz. unfold Pr. rewrite zsum_view_sum, Lz, mean_flips. apply total_ext. intros z _.
    unfold b. rewrite binomial_of_nat. reflexivity. }
  assert (Plain : forall c, total (shown c) b = total (seq 0 (S n)) (fun z => b (Z.of_nat z) * indicator T (repeat tt (c + z)))).
  { intros c. unfold shown. rewrite total_filter, total_map. replace (n + 2)%nat with (S (S n)) by lia.
    rewrite total_seq_S. unfold b at 2. rewrite binomial_above by lia.
    replace (if T _ then 0 else 0) with 0 by (destruct (T _); reflexivity). rewrite Rplus_0_r.
    apply total_ext. intros z _. rewrite Nat2Z.id. unfold indicator. destruct (T _); ring. }
  assert (Moved : forall c, total (shown c) (shifted b 1) =
    total (seq 0 (S n)) (fun z => b (Z.of_nat z) * indicator T (repeat tt (S c + z)))).
  { intros c. unfold shown. rewrite total_filter, total_map. replace (n + 2)%nat with (S (S n)) by lia.
    rewrite total_seq_shift. unfold shifted, b at 1. rewrite binomial_negative by lia.
    replace (if T _ then 0 else 0) with 0 by (destruct (T _); reflexivity). rewrite Rplus_0_l.
    apply total_ext. intros z _. rewrite Nat2Z.id. replace (Z.of_nat (S z) - 1)%Z with (Z.of_nat z) by lia.
    replace (c + S z)%nat with (S c + z)%nat by lia. unfold indicator. destruct (T _); ring. }
  assert (Ly : length ys = n) by (rewrite <- L; symmetry; apply (neighbors_length xs ys N)).
  rewrite !At by assumption.
  assert (O := ones_neighbors xs ys N).
  assert (C : ones xs = ones ys \/ ones ys = S (ones xs) \/ ones xs = S (ones ys)) by lia.
  destruct C as [-> | [-> | ->]].
  - set (p := total _ _). assert (0 <= p); [| nra]. apply total_nonneg. intros z _.
    apply Rmult_le_pos; [apply binomial_nonneg; lra | apply indicator_bounds].
  - rewrite <- (Plain (ones xs)), <- (Moved (ones xs)). apply Up, Once.
  - rewrite <- (Plain (ones ys)), <- (Moved (ones ys)). apply Down, Once.
Qed.

Theorem histogram_of_tail n d gamma h p xs : (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n ->
  Pr (flips n gamma) (fun w => Rltb ((1 + h) * (INR n * gamma)) (INR w)) <= p ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma ((1 + h) * gamma) xs) <= INR n * p.
Proof.
  intros Hn Hg Hh L Tail.
  assert (P0 : 0 <= p) by (eapply Rle_trans; [| exact Tail]; apply Pr_bounds, proper_flips, Hg).
  eapply Rle_trans; [apply Pr_exists, proper_messages; intros; apply proper_histogram_randomizer, Hg |].
  apply Rle_trans with (INR (length (nonempty_bins d xs)) * p).
  2: { apply Rmult_le_compat_r; [exact P0 |]. apply le_INR. rewrite <- L. apply nonempty_bins_count. }
  rewrite <- total_const. unfold nonempty_bins. rewrite total_filter. apply total_le. intros j J. apply in_seq in J.
  destruct (Nat.ltb_spec 0 (count j xs)) as [K | K].
  - rewrite histogram_error_event, (zsum_probability n) by (assumption || lia || unfold bin_bits; rewrite map_length; exact L).
    eapply Rle_trans; [| exact Tail]. apply Pr_le; [apply proper_flips, Hg |]. intros w H. apply Rltb_true in H.
    apply Rltb_true. exact (proj1 (zsum_error_lemma n _ w gamma h Hn (proj1 Hg) Hh H)).
  - right. apply histogram_few_users_error; try assumption; [lia |]. replace (count j xs) with 0%nat by lia. simpl.
    repeat apply Rmult_le_pos; lra || apply pos_INR.
Qed.

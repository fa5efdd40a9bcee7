(** From the error of one bin of the histogram to that of all bins, for any bounds; and the printed chain.

    For every n >= 1, any number d of bins, gamma in [0, 1], every real alpha, and every data set of n
    records:

    - [histogram_chain]: let Q be a list of at most n bins. If no other bin errs by more than alpha, and each
      bin of Q with probability at most beta/n, beta >= 0, then some bin errs by more than alpha with
      probability at most (number of bins in Q) (beta/n) <= beta;
    - [histogram_chain_nonempty]: for alpha >= 0 the bins that some user holds are such a Q;
    - [histogram_chain_printed]: that some j < d has (estimate of j) - (frequency of j) <= alpha, without the
      absolute value and with <= in place of >, has probability 1, not beta/n, nor beta, for beta < 1:
      wherever a bin is empty and alpha >= 0.

    Idea: the union bound. An empty bin has the estimate 0, which is exact.

    Source: the protocol is from Balcer and Cheu 2020, section 3.2; the proofs are this package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum histogram.
From Exactdp Require Import zsum_accuracy histogram_bin_error histogram_accuracy.
Import ListNotations.
Open Scope R_scope.

(** What excludes a certain event is impossible, what follows from it is certain. *)
Lemma excluded_by_certain {A} (D : dist A) S T :
  proper D -> Pr D S = 1 -> (forall a, S a = true -> T a = false) -> Pr D T = 0.
Proof.
  intros P H F. apply Rle_antisym; [| apply Pr_bounds, P].
  assert (Z : Pr D (fun _ => true) - Pr D S = 0) by (rewrite Pr_all, H by exact P; lra). rewrite <- Z.
  unfold Pr. rewrite <- mean_minus. apply mean_le; [exact P |]. intros a. specialize (F a).
  unfold indicator. destruct (S a), (T a); try lra; discriminate (F eq_refl).
Qed.

Lemma implied_by_certain {A} (D : dist A) S T :
  proper D -> Pr D S = 1 -> (forall a, S a = true -> T a = true) -> Pr D T = 1.
Proof. intros P H F. apply Rle_antisym; [apply Pr_bounds, P |]. rewrite <- H. apply Pr_le; assumption. Qed.

Lemma proper_histogram_messages d gamma xs :
  0 <= gamma <= 1 -> proper (messages (histogram_randomizer d gamma) xs).
Proof. intros H. apply proper_messages. intros. apply proper_histogram_randomizer, H. Qed.

(** The chain for any Q. *)
Theorem histogram_chain (n d : nat) (gamma alpha beta : R) (xs Q : list nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= beta -> (length Q <= n)%nat ->
  (forall j, (j < d)%nat -> ~ In j Q ->
   Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb alpha (histogram_error n gamma xs y j))
   = 0) ->
  (forall j, (j < d)%nat -> In j Q ->
   Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb alpha (histogram_error n gamma xs y j))
   <= beta / INR n) ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs)
  <= total Q (fun _ => beta / INR n) /\ total Q (fun _ => beta / INR n) <= beta.
Proof.
  intros Hn Hg Hb HQ Out In_Q. assert (P := INR_positive n Hn).
  assert (B : 0 <= beta / INR n) by (apply Rmult_le_pos; [exact Hb | left; apply Rinv_0_lt_compat, P]).
  rewrite total_const. split.
  - eapply Rle_trans; [apply Pr_exists, proper_histogram_messages, Hg |].
    set (in_Q := fun j => if in_dec Nat.eq_dec j Q then true else false).
    apply Rle_trans with (total (filter in_Q (seq 0 d)) (fun _ => beta / INR n)).
    + rewrite total_filter. apply total_le. intros j J. apply in_seq in J. unfold in_Q.
      destruct (in_dec Nat.eq_dec j Q) as [I | I]; [apply In_Q | right; apply Out]; assumption || lia.
    + rewrite total_const. apply Rmult_le_compat_r; [exact B |]. apply le_INR, NoDup_incl_length.
      * apply NoDup_filter, seq_NoDup.
      * intros j J. apply filter_In in J. destruct J as [_ J]. unfold in_Q in J.
        destruct (in_dec Nat.eq_dec j Q) as [I | I]; [exact I | discriminate].
  - apply Rle_trans with (INR n * (beta / INR n)); [| right; field; lra].
    apply Rmult_le_compat_r; [exact B | apply le_INR, HQ].
Qed.

(** An empty bin never errs by more than alpha >= 0. *)
Lemma histogram_empty_bin_no_error (n d : nat) (gamma alpha : R) (xs : list nat) (j : nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n -> (j < d)%nat -> ~ In j xs -> 0 <= alpha ->
  Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb alpha (histogram_error n gamma xs y j)) = 0.
Proof.
  intros Hn Hg L Hj E Ha.
  apply (excluded_by_certain _ _ _ (proper_histogram_messages d gamma xs Hg)
    (histogram_empty_bins n d gamma xs j Hn Hg L Hj E)).
  intros y. destruct (Req_EM_T _ 0) as [Z | _]; [intros _ | discriminate].
  apply not_true_is_false. intros H. apply Rltb_true in H. revert H. unfold histogram_error.
  rewrite Z, count_zero by exact E. simpl INR. unfold Rdiv. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
Qed.

(** The chain for the bins that some user holds. *)
Theorem histogram_chain_nonempty (n d : nat) (gamma alpha beta : R) (xs : list nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= beta -> length xs = n -> 0 <= alpha ->
  (forall j, (j < d)%nat -> In j xs ->
   Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb alpha (histogram_error n gamma xs y j))
   <= beta / INR n) ->
  let Q := nonempty_bins d xs in
  (length Q <= n)%nat /\
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs)
  <= total Q (fun _ => beta / INR n) /\ total Q (fun _ => beta / INR n) <= beta.
Proof.
  intros Hn Hg Hb L Ha H Q. assert (HQ : (length Q <= n)%nat) by (rewrite <- L; apply nonempty_bins_count).
  split; [exact HQ |]. apply histogram_chain; try assumption.
  - intros j Hj I. apply histogram_empty_bin_no_error; try assumption. intros J. apply I, filter_In.
    split; [apply in_seq; lia |]. apply Nat.ltb_lt. apply (count_occ_In Nat.eq_dec), J.
  - intros j Hj I. apply H; [exact Hj |]. apply filter_In in I. destruct I as [_ I].
    apply Nat.ltb_lt in I. apply (count_occ_In Nat.eq_dec), I.
Qed.

(** The printed event is certain where a bin is empty. *)
Theorem histogram_chain_printed (n d : nat) (gamma alpha : R) (xs : list nat) (j : nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n -> (j < d)%nat -> ~ In j xs -> 0 <= alpha ->
  let p := Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => existsb (fun i => Rleb (histogram_estimate n gamma y i - INR (count i xs) / INR n) alpha)
                      (seq 0 d)) in
  p = 1 /\ forall beta, 0 < beta < 1 -> beta / INR n < p /\ beta < p.
Proof.
  intros Hn Hg L Hj E Ha p. assert (One : p = 1); [| split; [exact One |]].
  - apply (implied_by_certain _ _ _ (proper_histogram_messages d gamma xs Hg)
      (histogram_empty_bins n d gamma xs j Hn Hg L Hj E)).
    intros y. destruct (Req_EM_T _ 0) as [Z | _]; [intros _ | discriminate].
    apply existsb_exists. exists j. split; [apply in_seq; lia |]. apply Rleb_true.
    rewrite Z, count_zero by exact E. simpl INR. unfold Rdiv. rewrite Rmult_0_l. lra.
  - intros beta Hb. rewrite One. split; [| lra]. assert (N := le_INR _ _ Hn). simpl (INR 1) in N.
    apply Rmult_lt_reg_r with (INR n); [lra |]. replace (beta / INR n * INR n) with beta by (field; lra). lra.
Qed.

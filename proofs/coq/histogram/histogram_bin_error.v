(** The error of one bin of the histogram: it is that of zsum, and an empty bin has none.

    The analyzer estimates the frequency of each j < d among the n records as zsum does, from the number
    of messages j. For every n >= 1, d, j < d, gamma in [0, 1] (ends included), h >= 0 and mu = n gamma, on
    every data set of n records:

    - [histogram_empty_bins]: if no user holds j, the estimate of bin j is 0, which is exact, with
      certainty;
    - [histogram_one_bin_error]: the error of bin j exceeds (1 + h) gamma with probability at most
      e^(-mu h^2/(2 + h));
    - [histogram_few_users_error]: it does so with probability 0 if at most (1 + h) mu users hold j.

    Idea: the number of messages j has the law of zsum's number of messages on the bits 1[x = j]
    ([histogram_one_bin] of histogram.v), so that events of it are events of zsum.

    Source: the protocol is from Balcer and Cheu 2020, section 3.2; the proof is this package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum histogram.
From Exactdp Require Import zsum_accuracy zsum_gamma_term.
Import ListNotations.
Open Scope R_scope.

(** The number of copies of j in a list: of records, the users in bin j; of messages, the count of j. *)
Definition count (j : nat) (l : list nat) : nat := count_occ Nat.eq_dec l j.

(** The estimate of bin j from all messages, and its distance from the frequency of j. *)
Definition histogram_estimate (n : nat) (gamma : R) (y : list nat) (j : nat) : R :=
  zsum_estimate n gamma (repeat tt (count j y)).

Definition histogram_error (n : nat) (gamma : R) (xs y : list nat) (j : nat) : R :=
  Rabs (histogram_estimate n gamma y j - INR (count j xs) / INR n).

(** ** From a bin to zsum *)

Lemma count_zero j l : ~ In j l -> count j l = 0%nat.
Proof. apply count_occ_not_In. Qed.

(** The true sum of the bits of bin j is the number of users in it. *)
Lemma ones_bin_bits j xs : ones (bin_bits j xs) = count j xs.
Proof.
  unfold bin_bits, count. induction xs as [| x xs IH]; [reflexivity |].
  cbn [map count_occ]. rewrite ones_cons, IH. destruct (Nat.eq_dec x j) as [E | E].
  - apply Nat.eqb_eq in E. rewrite E. reflexivity.
  - apply Nat.eqb_neq in E. rewrite E. reflexivity.
Qed.

Lemma symbols_by_length (u : list unit) : repeat tt (length u) = u.
Proof. induction u as [| [] u IH]; simpl; congruence. Qed.

(** Events of the number of messages j are events of zsum. *)
Lemma histogram_bin_event d gamma xs j (T : list unit -> bool) : 0 <= gamma <= 1 -> (j < d)%nat ->
  Pr (messages (histogram_randomizer d gamma) xs) (fun y => T (repeat tt (count j y))) =
  Pr (messages (zsum_randomizer gamma) (bin_bits j xs)) T.
Proof.
  intros Hg Hj. assert (H := histogram_one_bin d gamma xs j Hg Hj (fun c => indicator T (repeat tt c))).
  unfold bin_count in H. rewrite !mean_dmap in H. etransitivity; [exact H |].
  apply mean_ext. intros u. rewrite symbols_by_length. reflexivity.
Qed.

(** ** The error of one bin *)

(** If no user holds j, the estimate of bin j is 0 with certainty. *)
Theorem histogram_empty_bins (n d : nat) (gamma : R) (xs : list nat) (j : nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> length xs = n -> (j < d)%nat -> ~ In j xs ->
  Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => if Req_EM_T (histogram_estimate n gamma y j) 0 then true else false) = 1.
Proof.
  intros Hn Hg L Hj E. unfold histogram_estimate.
  rewrite (histogram_bin_event d gamma xs j
    (fun u => if Req_EM_T (zsum_estimate n gamma u) 0 then true else false) Hg Hj).
  apply (zsum_certain n); [exact Hg | unfold bin_bits; rewrite map_length; exact L |]. intros w.
  rewrite ones_bin_bits, count_zero by exact E. rewrite zsum_estimate_few by (rewrite ?repeat_length; lia).
  destruct (Req_EM_T 0 0) as [_ | N]; [reflexivity | congruence].
Qed.

(** A large error of bin j, as an event of zsum. *)
Lemma histogram_error_event n d gamma a xs j : 0 <= gamma <= 1 -> (j < d)%nat ->
  Pr (messages (histogram_randomizer d gamma) xs) (fun y => Rltb a (histogram_error n gamma xs y j)) =
  Pr (messages (zsum_randomizer gamma) (bin_bits j xs))
    (fun u => Rltb a (Rabs (zsum_estimate n gamma u - INR (ones (bin_bits j xs)) / INR n))).
Proof.
  intros Hg Hj. rewrite ones_bin_bits.
  apply (histogram_bin_event d gamma xs j
    (fun u => Rltb a (Rabs (zsum_estimate n gamma u - INR (count j xs) / INR n))) Hg Hj).
Qed.

(** The error of bin j exceeds (1 + h) gamma with probability at most e^(-mu h^2/(2 + h)). *)
Theorem histogram_one_bin_error (n d : nat) (gamma h : R) (xs : list nat) (j : nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n -> (j < d)%nat ->
  Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb ((1 + h) * gamma) (histogram_error n gamma xs y j))
  <= exp (- (h ^ 2 / (2 + h) * (INR n * gamma))).
Proof.
  intros Hn Hg Hh L Hj. rewrite histogram_error_event by assumption.
  apply zsum_accuracy_general; try assumption. unfold bin_bits. rewrite map_length. exact L.
Qed.

(** In a bin of at most (1 + h) mu users, an empty one for instance, no error exceeds it. *)
Lemma histogram_few_users_error (n d : nat) (gamma h : R) (xs : list nat) (j : nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n -> (j < d)%nat ->
  INR (count j xs) <= (1 + h) * (INR n * gamma) ->
  Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb ((1 + h) * gamma) (histogram_error n gamma xs y j)) = 0.
Proof.
  intros Hn Hg Hh L Hj K. rewrite histogram_error_event by assumption.
  apply zsum_small_sum_no_error; try lra; try assumption.
  - unfold bin_bits. rewrite map_length. exact L.
  - rewrite ones_bin_bits. exact K.
Qed.

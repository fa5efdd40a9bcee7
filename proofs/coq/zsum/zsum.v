(** The protocol zsum for binary sums: the program, its view, and no error on the data set of zeros.

    A user with the bit x sends x copies of one symbol, and one more with probability 1 - gamma. The
    analyzer turns the number of messages into an estimate of the mean, and answers 0 where that number
    does not exceed n. All messages are copies of one symbol, so the number of messages is all that the
    analyzer, or anyone after the shuffler, sees.

    [zsum_view]: with W ~ Bin(n, gamma) the number of users who leave out the extra message, there are
    n + sum - W messages, for every data set of n >= 0 users and every real gamma (which is a
    probability where it lies in [0, 1]). Proof by induction on the users.

    [zsum_zero]: if all users hold 0, there are at most n messages, whatever the coins are, so the
    estimate is 0 with probability 1. For all n >= 1 and gamma in [0, 1], both ends included.

    (Source: Balcer and Cheu 2020, section 3.1.) *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy binomial.
Import ListNotations.
Open Scope R_scope.

(** One user: with the record x and a coin z that is 1 with probability 1 - gamma, send x + z copies of
    the one symbol. *)
Definition zsum_randomizer (gamma : R) (x : bool) : dist (list unit) :=
  dmap (fun z : bool => repeat tt (Nat.b2n x + Nat.b2n z)) (coin (1 - gamma)).

(** The true sum. *)
Definition ones (xs : list bool) : nat := count_occ bool_dec xs true.

(** The analyzer of n users: the estimate of the mean from the messages, c - (1 - gamma) where
    c = (number of messages) / n is above 1, and 0 elsewhere. *)
Definition zsum_estimate (n : nat) (gamma : R) (y : list unit) : R :=
  let c := INR (length y) / INR n in if Rlt_dec 1 c then c - (1 - gamma) else 0.

(** The noise of the theorem. *)
Definition zsum_gamma (n : nat) (eps delta : R) : R := 50 * ln (2 / delta) / (eps ^ 2 * INR n).

Lemma proper_zsum_randomizer gamma x : 0 <= gamma <= 1 -> proper (zsum_randomizer gamma x).
Proof. intros H. apply proper_dmap, proper_coin. lra. Qed.

(** Only the values up to n matter under the mean over n coins. *)
Lemma mean_flips_ext n p f g :
  (forall w, (w <= n)%nat -> f w = g w) -> mean (flips n p) f = mean (flips n p) g.
Proof.
  intros H. rewrite !mean_flips. apply total_ext. intros i I. apply in_seq in I.
  rewrite H by lia. reflexivity.
Qed.

(** One user more. *)
Lemma mean_messages_cons gamma x xs f :
  mean (messages (zsum_randomizer gamma) (x :: xs)) f =
  gamma * mean (messages (zsum_randomizer gamma) xs) (fun y => f (repeat tt (Nat.b2n x) ++ y)) +
  (1 - gamma) * mean (messages (zsum_randomizer gamma) xs) (fun y => f (repeat tt (S (Nat.b2n x)) ++ y)).
Proof.
  assert (E : forall u, mean (bind (messages (zsum_randomizer gamma) xs) (fun y => ret (u ++ y))) f
                        = mean (messages (zsum_randomizer gamma) xs) (fun y => f (u ++ y))).
  { intros u. apply mean_dmap. }
  cbn [messages]. rewrite mean_bind. unfold zsum_randomizer at 1. rewrite mean_dmap, mean_coin, !E.
  replace (Nat.b2n x + Nat.b2n true)%nat with (S (Nat.b2n x)) by (simpl; lia).
  replace (Nat.b2n x + Nat.b2n false)%nat with (Nat.b2n x) by (simpl; lia).
  ring.
Qed.

Lemma ones_cons x xs : ones (x :: xs) = (Nat.b2n x + ones xs)%nat.
Proof. destruct x; reflexivity. Qed.

(** The view: with W ~ Bin(n, gamma) the number of users whose coin is 0, there are n + sum - W messages. *)
Theorem zsum_view gamma xs f :
  mean (messages (zsum_randomizer gamma) xs) f =
  mean (flips (length xs) gamma) (fun w => f (repeat tt (length xs + ones xs - w))).
Proof.
  revert f. induction xs as [| x xs IH]; intros f.
  - simpl. rewrite !mean_ret. reflexivity.
  - rewrite mean_messages_cons, !IH. cbn [length]. rewrite mean_flips_S, ones_cons.
    f_equal; f_equal; apply mean_flips_ext; intros w Hw; f_equal; rewrite <- repeat_app; f_equal; lia.
Qed.

(** The data set of zeros. *)
Lemma ones_zeros n : ones (repeat false n) = 0%nat.
Proof. induction n as [| n IH]; simpl; [reflexivity | exact IH]. Qed.

(** At most n messages mean the estimate 0. *)
Lemma zsum_estimate_few n gamma y :
  (1 <= n)%nat -> (length y <= n)%nat -> zsum_estimate n gamma y = 0.
Proof.
  intros Hn Hy. apply le_INR in Hn, Hy. simpl INR in Hn. unfold zsum_estimate.
  destruct (Rlt_dec 1 (INR (length y) / INR n)) as [H | _]; [exfalso | reflexivity].
  apply (Rmult_lt_compat_r (INR n)) in H; [| lra].
  replace (INR (length y) / INR n * INR n) with (INR (length y)) in H by (field; lra).
  lra.
Qed.

(** On the data set of zeros the estimate is 0 with certainty. *)
Theorem zsum_zero n gamma : (1 <= n)%nat -> 0 <= gamma <= 1 ->
  Pr (messages (zsum_randomizer gamma) (repeat false n))
     (fun y => if Req_EM_T (zsum_estimate n gamma y) 0 then true else false) = 1.
Proof.
  intros Hn Hg. unfold Pr. rewrite zsum_view, repeat_length, ones_zeros.
  rewrite (mean_ext _ _ (fun _ => 1)).
  - apply mean_const, proper_flips, Hg.
  - intros w. unfold indicator.
    rewrite zsum_estimate_few by (rewrite ?repeat_length; lia).
    destruct (Req_EM_T 0 0) as [_ | N]; [reflexivity | congruence].
Qed.

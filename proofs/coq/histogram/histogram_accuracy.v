(** The errors of all bins of the histogram at once, and why their number d does not matter.

    For every n >= 1, every d, gamma in [0, 1] (ends included), h >= 0, and on every data set of n
    records, the probability that some bin's estimate is off by more than (1 + h) gamma is at most
    Q e^(-mu h^2/(2 + h)), where mu = n gamma and Q <= n is the number of bins that some user holds; also
    with Q the number of bins with more than (1 + h) mu users, for which Q (1 + h) mu <= n.

    Idea: a large error of zsum implies a large true sum, so a bin with few users never errs by so much.
    The union bound is over the others, and n users hold at most n bins, whatever d is.

    Source: the protocol is from Balcer and Cheu 2020, section 3.2; the proof is this package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum histogram.
From Exactdp Require Import zsum_accuracy histogram_bin_error.
Import ListNotations.
Open Scope R_scope.

(** Some bin errs by more than a. *)
Definition some_error_above (n d : nat) (gamma a : R) (xs y : list nat) : bool :=
  existsb (fun j => Rltb a (histogram_error n gamma xs y j)) (seq 0 d).

(** The bins that some user holds, and the bins of more than r users. *)
Definition nonempty_bins (d : nat) (xs : list nat) : list nat :=
  filter (fun j => Nat.ltb 0 (count j xs)) (seq 0 d).

Definition bins_above (d : nat) (r : R) (xs : list nat) : list nat :=
  filter (fun j => Rltb r (INR (count j xs))) (seq 0 d).

(** ** Few bins have many users *)

(** The bins together have at most as many users as there are records. *)
Lemma total_count bins xs : NoDup bins -> total bins (fun j => INR (count j xs)) <= INR (length xs).
Proof.
  intros D. induction xs as [| x xs IH].
  - rewrite (total_ext _ _ (fun _ => 0)), total_zero by reflexivity. simpl. lra.
  - cbn [length]. rewrite S_INR.
    rewrite (total_ext _ _ (fun j => (if Nat.eq_dec x j then 1 else 0) + INR (count j xs))).
    + rewrite total_plus. assert (S : total bins (fun j => if Nat.eq_dec x j then 1 else 0) <= 1); [| lra].
      destruct (in_dec Nat.eq_dec x bins) as [I | N].
      * right. apply (total_single Nat.eq_dec); assumption.
      * rewrite (total_ext _ _ (fun _ => 0)), total_zero; [lra |]. intros j J.
        destruct (Nat.eq_dec x j) as [<- | _]; [contradiction | reflexivity].
    + intros j _. unfold count. cbn [count_occ]. destruct (Nat.eq_dec x j); [rewrite S_INR |]; ring.
Qed.

(** Q bins of more than r users each have more than Q r users together. *)
Lemma bins_above_count d r xs : INR (length (bins_above d r xs)) * r <= INR (length xs).
Proof.
  assert (D : NoDup (bins_above d r xs)) by apply NoDup_filter, seq_NoDup.
  eapply Rle_trans; [| apply (total_count _ xs D)]. rewrite <- total_const. apply total_le.
  intros j I. apply filter_In in I. left. apply Rltb_true, I.
Qed.

Lemma nonempty_bins_count d xs : (length (nonempty_bins d xs) <= length xs)%nat.
Proof.
  apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup |]. intros j I. apply filter_In in I.
  destruct I as [_ I]. apply Nat.ltb_lt in I. apply (count_occ_In Nat.eq_dec). exact I.
Qed.

(** Of the bins with more than r >= 0 users none is empty. *)
Lemma bins_above_nonempty d r xs : 0 <= r -> (length (bins_above d r xs) <= length (nonempty_bins d xs))%nat.
Proof.
  intros H. apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup |]. intros j I.
  apply filter_In in I. destruct I as [I J]. apply filter_In. split; [exact I |].
  apply Rltb_true in J. apply Nat.ltb_lt, INR_lt. simpl (INR 0). lra.
Qed.

(** ** The union bound *)

Lemma Pr_nothing {A} (D : dist A) : Pr D (fun _ => false) = 0.
Proof.
  unfold Pr, mean. rewrite (total_ext _ _ (fun _ => 0)); [apply total_zero |].
  intros wa _. unfold indicator. ring.
Qed.

Lemma Pr_exists {A B} (D : dist A) (T : B -> A -> bool) (l : list B) : proper D ->
  Pr D (fun a => existsb (fun b => T b a) l) <= total l (fun b => Pr D (T b)).
Proof.
  intros H. induction l as [| b l IH]; simpl; [right; apply Pr_nothing |].
  eapply Rle_trans; [apply Pr_or, H | apply Rplus_le_compat_l, IH].
Qed.

(** A bin errs by more than (1 + h) gamma only if it has more than (1 + h) mu users. *)
Lemma histogram_error_of_bin n d gamma h xs j :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n -> (j < d)%nat ->
  Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb ((1 + h) * gamma) (histogram_error n gamma xs y j))
  <= if Rltb ((1 + h) * (INR n * gamma)) (INR (count j xs))
     then exp (- (h ^ 2 / (2 + h) * (INR n * gamma))) else 0.
Proof.
  intros Hn Hg Hh L Hj. destruct (Rltb _ (INR (count j xs))) eqn:E.
  - apply histogram_one_bin_error; assumption.
  - right. apply histogram_few_users_error; try assumption.
    apply Rnot_lt_le. intros H. apply Rltb_true in H. congruence.
Qed.

(** P[some error > (1 + h) gamma] <= Q e^(-mu h^2/(2 + h)), Q bins having more than (1 + h) mu users. *)
Lemma histogram_accuracy_large_bins (n d : nat) (gamma h : R) (xs : list nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n ->
  let r := (1 + h) * (INR n * gamma) in
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma ((1 + h) * gamma) xs)
  <= INR (length (bins_above d r xs)) * exp (- (h ^ 2 / (2 + h) * (INR n * gamma)))
  /\ INR (length (bins_above d r xs)) * r <= INR n.
Proof.
  intros Hn Hg Hh L r. split; [| rewrite <- L; apply bins_above_count].
  eapply Rle_trans; [apply Pr_exists, proper_messages; intros; apply proper_histogram_randomizer, Hg |].
  rewrite <- total_const. unfold bins_above. rewrite total_filter. apply total_le. intros j J.
  apply in_seq in J. apply histogram_error_of_bin; assumption || lia.
Qed.

(** P[some error > (1 + h) gamma] <= Q e^(-mu h^2/(2 + h)), Q <= n bins being held by some user. *)
Theorem histogram_accuracy_general (n d : nat) (gamma h : R) (xs : list nat) :
  (1 <= n)%nat -> 0 <= gamma <= 1 -> 0 <= h -> length xs = n ->
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma ((1 + h) * gamma) xs)
  <= INR (length (nonempty_bins d xs)) * exp (- (h ^ 2 / (2 + h) * (INR n * gamma)))
  /\ (length (nonempty_bins d xs) <= n)%nat.
Proof.
  intros Hn Hg Hh L. split; [| rewrite <- L; apply nonempty_bins_count].
  eapply Rle_trans; [apply (histogram_accuracy_large_bins n d gamma h xs Hn Hg Hh L) |].
  apply Rmult_le_compat_r; [left; apply exp_pos |]. apply le_INR, bins_above_nonempty.
  repeat apply Rmult_le_pos; lra || apply pos_INR.
Qed.

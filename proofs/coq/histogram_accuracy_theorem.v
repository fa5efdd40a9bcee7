(** The accuracy of the histogram, with its constants: each bin, and all bins at once.

    The estimates are of the frequencies of the bins 0, ..., d-1 among n records. For eps in (0, 1], delta
    in (0, 1), n >= 100 ln(2/delta)/eps^2, the theorem's gamma = 50 ln(2/delta)/(eps^2 n),
    alpha = gamma (1 + 1.2808 eps), every d, and every data set of n records:

    - [histogram_index]: in each bin the error exceeds alpha with probability at most (delta/2)^25, and so
      at most beta/n for every beta >= n delta^25;
    - [histogram_simultaneous]: some bin's error exceeds alpha with probability at most n (delta/2)^25,
      and so at most beta for every beta >= n delta^25; alpha <= 114.04 ln(2/delta)/(eps^2 n).

    For every n >= 1, gamma in (0, 1], beta in (0, 1), every d, and every data set of n records:

    - [histogram_simultaneous_every_beta]: some bin's error exceeds gamma (1 + h) with probability at most
      beta, where h is the root of h^2 = L (2 + h), L = ln(n/beta)/mu, mu = n gamma.

    None of these bounds depends on d. For delta^25 < beta < n delta^25 the simultaneous bound is not
    claimed: the union bound is over up to n bins.

    Idea: the bound of one bin times the number of nonempty bins, which is at most n.

    Source: the protocol is from Balcer and Cheu 2020, section 3.2; the constants and the proof are this
    package's. *)

From Coq Require Import Reals List Bool Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum histogram.
From Exactdp Require Import zsum_accuracy zsum_accuracy_theorem histogram_bin_error histogram_accuracy.
Open Scope R_scope.

(** (delta/2)^25 is at most beta/n for beta >= n delta^25. *)
Lemma share_of_beta n delta beta : (1 <= n)%nat -> 0 < delta -> INR n * delta ^ 25 <= beta ->
  INR n * (delta / 2) ^ 25 <= beta.
Proof.
  intros Hn Hd H. assert (P := INR_positive n Hn). assert (D := half_delta_power delta Hd).
  apply (Rmult_lt_compat_l (INR n)) in D; [lra | exact P].
Qed.

(** ** The theorem *)

(** Each bin. *)
Theorem histogram_index (n d : nat) (eps delta : R) (xs : list nat) (j : nat) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  (j < d)%nat ->
  let gamma := zsum_gamma n eps delta in
  let failure := Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb (gamma * (1 + 12808 / 10000 * eps)) (histogram_error n gamma xs y j)) in
  failure <= (delta / 2) ^ 25
  /\ (delta / 2) ^ 25 < delta ^ 25
  /\ forall beta, INR n * delta ^ 25 <= beta -> failure <= beta / INR n.
Proof.
  intros He Hd H L Hj gamma failure. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (P := INR_positive n Hn).
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). fold gamma in G.
  assert (F : failure <= (delta / 2) ^ 25).
  { eapply Rle_trans; [| apply (theorem_tail n eps delta He Hd H)].
    unfold failure. rewrite (Rmult_comm gamma).
    apply (histogram_one_bin_error n d gamma); lra || assumption. }
  split; [exact F | split; [apply half_delta_power; lra |]]. intros beta B.
  apply share_of_beta in B; [| exact Hn | lra].
  eapply Rle_trans; [exact F |]. apply Rmult_le_reg_l with (INR n); [exact P |].
  replace (INR n * (beta / INR n)) with beta by (field; lra). exact B.
Qed.

(** All bins at once. *)
Theorem histogram_simultaneous (n d : nat) (eps delta : R) (xs : list nat) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  let gamma := zsum_gamma n eps delta in
  let alpha := gamma * (1 + 12808 / 10000 * eps) in
  let failure := Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) in
  failure <= INR n * (delta / 2) ^ 25
  /\ (forall beta, INR n * delta ^ 25 <= beta -> failure <= beta)
  /\ alpha <= 11404 / 100 * ln (2 / delta) / (eps ^ 2 * INR n).
Proof.
  intros He Hd H L gamma alpha failure. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). fold gamma in G.
  assert (F : failure <= INR n * (delta / 2) ^ 25).
  { unfold failure, alpha. rewrite (Rmult_comm gamma).
    destruct (histogram_accuracy_general n d gamma (12808 / 10000 * eps) xs) as [A Q];
      try lra; try assumption.
    eapply Rle_trans; [exact A |].
    apply Rmult_le_compat; [apply pos_INR | left; apply exp_pos | apply le_INR, Q |].
    apply (theorem_tail n eps delta He Hd H). }
  split; [exact F | split].
  - intros beta B. apply share_of_beta in B; [lra | exact Hn | lra].
  - apply (zsum_accuracy n eps delta (List.repeat true n) He Hd H), repeat_length.
Qed.

(** ** Any probability of failure *)

Theorem histogram_simultaneous_every_beta (n d : nat) (gamma beta : R) (xs : list nat) :
  (1 <= n)%nat -> 0 < gamma <= 1 -> 0 < beta < 1 -> length xs = n ->
  let L := ln (INR n / beta) / (INR n * gamma) in
  let h := (L + sqrt (L ^ 2 + 8 * L)) / 2 in
  Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma (gamma * (1 + h)) xs) <= beta.
Proof.
  intros Hn Hg Hb Hl L h. assert (P := INR_positive n Hn). assert (N := le_INR _ _ Hn). simpl (INR 1) in N.
  assert (M : 0 < INR n * gamma) by (apply Rmult_lt_0_compat; lra).
  assert (B : 1 < INR n / beta).
  { apply Rmult_lt_reg_r with beta; [lra |].
    replace (INR n / beta * beta) with (INR n) by (field; lra). lra. }
  destruct (root_tail _ _ M B) as [H0 E]. fold L in H0, E. change (deviation_root L) with h in H0, E.
  destruct (histogram_accuracy_general n d gamma h xs) as [A Q]; try lra; try assumption.
  rewrite (Rmult_comm gamma). eapply Rle_trans; [exact A |]. rewrite E.
  apply Rle_trans with (INR n * (1 / (INR n / beta))); [| right; field; lra].
  apply Rmult_le_compat_r; [| apply le_INR, Q]. left. apply Rdiv_lt_0_compat; lra.
Qed.

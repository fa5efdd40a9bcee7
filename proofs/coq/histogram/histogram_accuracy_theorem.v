(** The accuracy of the histogram, with its constants: each bin, and all bins at once.

    The estimates are of the frequencies of the bins 0, ..., d-1 among n records. For eps in (0, 1], delta
    in (0, 1), n >= 100 ln(2/delta)/eps^2, the theorem's gamma = 50 ln(2/delta)/(eps^2 n) or any larger one
    up to 1, alpha = gamma (1 + (1 + sqrt 17)/4 eps), every d, and every data set of n records:

    - [histogram_index_sharp]: in each bin the error exceeds alpha with probability at most (delta/2)^25,
      and so at most beta/n for every beta >= n delta^25;
    - [histogram_simultaneous_sharp]: some bin's error exceeds alpha with probability at most
      n (delta/2)^25, and so at most beta for every beta >= n delta^25;
    - [histogram_index] and [histogram_simultaneous]: for the theorem's gamma the same with
      alpha = gamma (1 + 1.2808 eps), which is at most 114.04 ln(2/delta)/(eps^2 n).

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

(** An error above the larger of two bounds is one above the smaller. *)
Lemma some_error_above_le n d gamma a b xs y : a <= b ->
  some_error_above n d gamma b xs y = true -> some_error_above n d gamma a xs y = true.
Proof.
  intros H. unfold some_error_above. rewrite !existsb_exists. intros [j [J Y]]. exists j.
  split; [exact J |]. apply Rltb_true in Y. apply Rltb_true. lra.
Qed.

(** ** The theorem *)

(** Each bin, with the theorem's gamma, or a larger one. *)
Lemma histogram_index_sharp (n d : nat) (eps delta gamma : R) (xs : list nat) (j : nat) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  (j < d)%nat -> zsum_gamma n eps delta <= gamma <= 1 ->
  let failure := Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb (gamma * (1 + (1 + sqrt 17) / 4 * eps)) (histogram_error n gamma xs y j)) in
  failure <= (delta / 2) ^ 25 /\ forall beta, INR n * delta ^ 25 <= beta -> failure <= beta / INR n.
Proof.
  intros He Hd H L Hj Hg failure. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (P := INR_positive n Hn). assert (B := accuracy_constant_bounds).
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H).
  assert (F : failure <= (delta / 2) ^ 25).
  { eapply Rle_trans; [| apply (theorem_tail n eps delta gamma He Hd H (proj1 Hg))].
    unfold failure. fold accuracy_constant. rewrite (Rmult_comm gamma).
    apply (histogram_one_bin_error n d gamma); try assumption; [lra | apply Rmult_le_pos; lra]. }
  split; [exact F |]. intros beta Hb. apply share_of_beta in Hb; [| exact Hn | lra].
  eapply Rle_trans; [exact F |]. apply Rmult_le_reg_l with (INR n); [exact P |].
  replace (INR n * (beta / INR n)) with beta by (field; lra). exact Hb.
Qed.

(** All bins at once, with the theorem's gamma, or a larger one. *)
Theorem histogram_simultaneous_sharp (n d : nat) (eps delta gamma : R) (xs : list nat) :
  0 < eps <= 1 -> 0 < delta < 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n -> length xs = n ->
  zsum_gamma n eps delta <= gamma <= 1 ->
  let alpha := gamma * (1 + (1 + sqrt 17) / 4 * eps) in
  let failure := Pr (messages (histogram_randomizer d gamma) xs) (some_error_above n d gamma alpha xs) in
  failure <= INR n * (delta / 2) ^ 25 /\ forall beta, INR n * delta ^ 25 <= beta -> failure <= beta.
Proof.
  intros He Hd H L Hg alpha failure. destruct (zsum_least_n n eps delta (proj1 He) Hd H) as [Hn _].
  assert (P := INR_positive n Hn). assert (B := accuracy_constant_bounds).
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H).
  assert (F : failure <= INR n * (delta / 2) ^ 25).
  { unfold failure, alpha. fold accuracy_constant. rewrite (Rmult_comm gamma).
    destruct (histogram_accuracy_general n d gamma (accuracy_constant * eps) xs) as [A Q];
      try lra; try assumption; [apply Rmult_le_pos; lra |].
    eapply Rle_trans; [exact A |].
    apply Rmult_le_compat; [apply pos_INR | left; apply exp_pos | apply le_INR, Q |].
    apply (theorem_tail n eps delta gamma He Hd H (proj1 Hg)). }
  split; [exact F |]. intros beta Hb. apply share_of_beta in Hb; [lra | exact Hn | lra].
Qed.

(** ** With 1.2808 for (1 + sqrt 17)/4 *)

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
  intros He Hd H L Hj gamma failure.
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). fold gamma in G.
  destruct (histogram_index_sharp n d eps delta gamma xs j He Hd H L Hj) as [S S'].
  { split; [apply Rle_refl | lra]. }
  assert (M : failure <= Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => Rltb (gamma * (1 + (1 + sqrt 17) / 4 * eps)) (histogram_error n gamma xs y j))).
  { apply Pr_le; [apply proper_messages; intros; apply proper_histogram_randomizer; lra |].
    intros y Y. apply Rltb_true in Y. apply Rltb_true. assert (A := accuracy_alpha_le gamma eps). lra. }
  split; [lra | split; [apply half_delta_power; lra |]].
  intros beta Hb. eapply Rle_trans; [exact M | apply S', Hb].
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
  intros He Hd H L gamma alpha failure.
  assert (G := zsum_gamma_range n eps delta (proj1 He) Hd H). fold gamma in G.
  destruct (histogram_simultaneous_sharp n d eps delta gamma xs He Hd H L) as [S S'].
  { split; [apply Rle_refl | lra]. }
  assert (M : failure <= Pr (messages (histogram_randomizer d gamma) xs)
    (some_error_above n d gamma (gamma * (1 + (1 + sqrt 17) / 4 * eps)) xs)).
  { apply Pr_le; [apply proper_messages; intros; apply proper_histogram_randomizer; lra |].
    intros y. apply some_error_above_le. apply accuracy_alpha_le; lra. }
  split; [lra | split].
  - intros beta Hb. eapply Rle_trans; [exact M | apply S', Hb].
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

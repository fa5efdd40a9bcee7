(** The privacy of the histogram protocol with the noise of zsum's theorem.

    [histogram_privacy_theorem]: for eps in (0, 1], delta in (0, 1], n >= 100 ln(2/delta)/eps^2 users and
    gamma = 50 ln(2/delta)/(eps^2 n), the histogram protocol with d bins is (2 eps, 2 delta)-DP in the
    shuffle model under replacement, for every d >= 0; records outside of the bins are allowed.

    [histogram_privacy_refined]: for every eps > 0, delta in (0, 1] and gamma in [0, 1/2] it is enough
    that n gamma >= 10 ln(2/delta)/tanh(eps/2)^2.

    The theorem on histograms (histogram.v) doubles what zsum has (zsum_privacy.v).

    Source: Balcer and Cheu 2020, section 3.2; this proof is this package's (histogram-privacy). *)

From Coq Require Import Reals Lra Lia.
From Exactdp Require Import reals sums laws privacy zsum zsum_privacy histogram.
Open Scope R_scope.

Theorem histogram_privacy_refined n d gamma eps delta :
  0 < eps -> 0 < delta <= 1 -> 0 <= gamma <= 1 / 2 ->
  10 * ln (2 / delta) / tanh (eps / 2) ^ 2 <= INR n * gamma ->
  shuffle_dp n (histogram_randomizer d gamma) (2 * eps) (2 * delta).
Proof.
  intros He Hd Hg H. apply histogram_privacy; [lra | lra | lra |].
  apply zsum_privacy_refined; tauto || lra.
Qed.

(** The noise of the theorem is a probability, at most 1/2. *)
Lemma zsum_gamma_range n eps delta :
  0 < eps -> 0 < delta <= 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  0 < zsum_gamma n eps delta <= 1 / 2.
Proof.
  intros He Hd Hn. assert (L := log_level delta Hd).
  assert (E2 : 0 < eps ^ 2) by (apply pow_lt, He).
  assert (N : 0 < INR n).
  { apply Rlt_le_trans with (100 * ln (2 / delta) / eps ^ 2); [apply Rdiv_lt_0_compat; lra | exact Hn]. }
  split.
  - apply Rdiv_lt_0_compat; [lra | apply Rmult_lt_0_compat; assumption].
  - apply zsum_least_users; [| exact He | exact Hn].
    apply INR_lt with (n := 0%nat) in N. lia.
Qed.

Theorem histogram_privacy_theorem eps delta n d :
  0 < eps <= 1 -> 0 < delta <= 1 -> 100 * ln (2 / delta) / eps ^ 2 <= INR n ->
  shuffle_dp n (histogram_randomizer d (zsum_gamma n eps delta)) (2 * eps) (2 * delta).
Proof.
  intros He Hd Hn. assert (G := zsum_gamma_range n eps delta (proj1 He) Hd Hn).
  apply histogram_privacy; [lra | lra | lra | apply zsum_privacy; assumption].
Qed.

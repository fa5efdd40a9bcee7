(** Where one mass of a binomial law is E times the next: half-lines.

    W ~ Bin(n, gamma), w(t) = P[W = t]. For 1 <= t <= n, gamma in (0, 1) and E >= 1,
      w(t) >= E w(t-1) if and only if t <= (n+1) gamma / (gamma + E (1 - gamma)), and
      w(t-1) >= E w(t) if and only if t >= (n+1) gamma E / (1 - gamma + gamma E).
    So the events that distinguish the views of neighbours under zsum best, a law and the same law shifted
    by one, are half-lines: they stand in the closed form of zsum's delta. Idea: the ratio of the two masses
    is (n - t + 1) gamma / (t (1 - gamma)), which falls in t. (Source: this package, proofs/zsum.py.) *)

From Coq Require Import Reals Lra Lia.
From Exactdp Require Import binomial.
Open Scope R_scope.

Theorem zsum_half_lines (n t : nat) (gamma E : R) :
  (1 <= t <= n)%nat -> 0 < gamma < 1 -> 1 <= E ->
  (E * binom n gamma (t - 1) <= binom n gamma t <->
   INR t <= (INR n + 1) * gamma / (gamma + E * (1 - gamma))) /\
  (E * binom n gamma t <= binom n gamma (t - 1) <->
   (INR n + 1) * gamma * E / (1 - gamma + gamma * E) <= INR t).
Proof.
  intros Ht Hg HE. destruct t as [| t]; [lia |]. rewrite Nat.sub_succ, Nat.sub_0_r.
  assert (Q := binom_ratio n gamma t). assert (P := binom_pos n gamma t Hg ltac:(lia)).
  assert (P' := binom_pos n gamma (S t) Hg ltac:(lia)).
  set (w := binom n gamma t) in *. set (w' := binom n gamma (S t)) in *. set (s := INR (S t)) in *.
  assert (S0 : 0 < s) by (apply lt_0_INR; lia).
  assert (T : INR t = s - 1) by (unfold s; rewrite S_INR; ring). rewrite T in Q.
  assert (EG : 0 < E * (1 - gamma)) by (apply Rmult_lt_0_compat; lra).
  assert (GE : 0 < gamma * E) by (apply Rmult_lt_0_compat; lra).
  assert (A : 0 < s * (1 - gamma)) by (apply Rmult_lt_0_compat; lra).
  assert (F : forall x y c, 0 < c -> (x * c <= y * c <-> x <= y)).
  { intros x y c Hc. split; intros H; [apply Rmult_le_reg_r with c | apply Rmult_le_compat_r]; lra. }
  assert (X : w' * (s * (1 - gamma)) = ((INR n - (s - 1)) * gamma) * w) by lra.
  split.
  - rewrite <- (F _ _ _ A), X. replace (E * w * (s * (1 - gamma))) with (E * (s * (1 - gamma)) * w) by ring.
    rewrite (F _ _ w P). rewrite <- (F s _ (gamma + E * (1 - gamma))) by lra.
    replace ((INR n + 1) * gamma / (gamma + E * (1 - gamma)) * (gamma + E * (1 - gamma)))
      with ((INR n + 1) * gamma) by (field; lra). lra.
  - rewrite <- (F _ _ _ A). replace (E * w' * (s * (1 - gamma))) with (E * (w' * (s * (1 - gamma)))) by ring.
    rewrite X.
    replace (E * ((INR n - (s - 1)) * gamma * w)) with (E * ((INR n - (s - 1)) * gamma) * w) by ring.
    rewrite (Rmult_comm w), (F _ _ w P). rewrite <- (F _ s (1 - gamma + gamma * E)) by lra.
    replace ((INR n + 1) * gamma * E / (1 - gamma + gamma * E) * (1 - gamma + gamma * E))
      with ((INR n + 1) * gamma * E) by (field; lra). lra.
Qed.

(** The program that finds the largest excess of a half-line for two kinds of coins, and that it is right.

    Integers 0 < A < B < D, X >= Y >= 1 and N >= 0, any integer bound. With the weights of head_weights.v, k coins of
    chance B/D and N - k of chance A/D, and al = Y B - X A > 0, the number

        excess k m = al G_k(m) - (X - Y) D T_k(m)

    is Y D^(N+1) times the excess of "more than m heads" at E = X/Y (number_of_heads.v). The program [scan] goes
    through k = 0, ..., N and, for each, only to the one m with the largest excess; it carries G_k(m), G_k(m+1) and
    D T_k(m) along. [scan_decides]: it answers true if and only if excess k m <= bound for all k, m in 0, ..., N.

    Idea: G_k(t)/G_k(t+1) grows in t, so that excess k grows up to a place and falls from there; and that place does
    not move down from k to k + 1.

    The functions worst_counts and check_order of exactdp/checker/two_messages.py are this program. Source: this package. *)

From Coq Require Import List ZArith Lia Bool.
From Exactdp Require Import head_weights.
Import ListNotations.
Open Scope Z_scope.

Section program.

Variables (A B D X Y bound : Z) (N : nat).

Definition gain : Z := Y * B - X * A.
Definition cost : Z := X * (D - A) - Y * (D - B).

(** To the right as long as the excess grows: G0, G1, U are G_k(m), G_k(m+1) and D T_k(m). *)
Fixpoint move (steps : nat) (k m G0 G1 U : Z) : Z * Z * Z * Z :=
  match steps with
  | O => (m, G0, G1, U)
  | S rest =>
      if gain * G0 <? cost * G1 then
        let G2 := ((k * B * (D - A) + (Z.of_nat N - k) * A * (D - B) - ((D - A) * B + (D - B) * A) * (m + 1)) * G1
                   + A * B * (Z.of_nat N - m) * G0) / ((D - A) * (D - B) * (m + 2)) in
        move rest k (m + 1) G1 G2 (U - D * G1)
      else (m, G0, G1, U)
  end.

(** For k and the [left] numbers after it. *)
Fixpoint scan (left : nat) (k m G0 G1 U : Z) : bool :=
  let '(m, G0, G1, U) := move (S N) k m G0 G1 U in
  if bound <? gain * G0 - (X - Y) * U then false
  else match left with
  | O => true
  | S rest =>
      let W := (B * (Z.of_nat N - m) * G0 - (D - B) * (m + 1) * G1) / (Z.of_nat N - k) in
      scan rest (k + 1) m ((B * G0 - W) / A) (((D - B) * G1 + W) / (D - A)) (U + W)
  end.

(** From k = 0 and m = 0. *)
Definition scan_all : bool :=
  let n := Z.of_nat N in
  let G0 := (D - A) ^ n in
  scan N 0 0 G0 (n * A * (D - A) ^ (n - 1)) (D * D ^ n - D * G0).

(** ** What it computes *)

Hypothesis A_positive : 0 < A.
Hypothesis A_below_B : A < B.
Hypothesis B_below_D : B < D.
Hypothesis ratio : 1 <= Y <= X.
Hypothesis gain_positive : 0 < gain.

Let G (k : nat) : Z -> Z := weight D (kinds A B k (N - k)).
Let U (k : nat) (m : Z) : Z := D * weight_above D (kinds A B k (N - k)) m.

Definition excess (k : nat) (m : Z) : Z := gain * G k m - (X - Y) * U k m.

Lemma kinds_length k : (k <= N)%nat -> length (kinds A B k (N - k)) = N.
Proof. intros H. unfold kinds. rewrite app_length, !repeat_length. lia. Qed.

Lemma kinds_inside k j c : In c (kinds A B k j) -> 0 < c < D.
Proof. intros I. apply in_app_or in I. destruct I as [I | I]; apply repeat_spec in I; lia. Qed.

Lemma G_positive k t : (k <= N)%nat -> 0 <= t <= Z.of_nat N -> 0 < G k t.
Proof.
  intros H T. apply weight_positive; [intros c; apply kinds_inside | rewrite kinds_length by exact H; exact T].
Qed.

Lemma G_nonneg k t : 0 <= G k t.
Proof. apply weight_nonneg. intros c. apply kinds_inside. Qed.

Lemma U_step k m : U k (m + 1) = U k m - D * G k (m + 1).
Proof.
  unfold U, G. assert (S := weight_above_step D (kinds A B k (N - k)) (m + 1)).
  replace (m + 1 - 1) with m in S by ring. rewrite S. ring.
Qed.

Lemma cost_gain : cost - gain = (X - Y) * D.
Proof. unfold cost, gain. ring. Qed.

Lemma cost_nonneg : 0 <= cost.
Proof. assert (E := cost_gain). assert (0 <= (X - Y) * D) by (apply Z.mul_nonneg_nonneg; lia). lia. Qed.

Lemma excess_step k m : excess k m - excess k (m + 1) = gain * G k m - cost * G k (m + 1).
Proof.
  unfold excess. rewrite U_step. assert (E := cost_gain).
  replace cost with (gain + (X - Y) * D) by lia. ring.
Qed.

(** The excess grows up to m. *)
Definition grows_to (k : nat) (m : Z) : Prop := forall t, 0 <= t < m -> gain * G k t < cost * G k (t + 1).

(** Where it does not grow at m, it does not grow later. *)
Lemma falls_from k m t :
  (k <= N)%nat -> 0 <= m <= t -> m <= Z.of_nat N -> cost * G k (m + 1) <= gain * G k m ->
  cost * G k (t + 1) <= gain * G k t.
Proof.
  intros Hk Hm HN H. assert (P : 0 < G k m) by (apply G_positive; lia).
  assert (L : G k m * G k (t + 1) <= G k (m + 1) * G k t).
  { apply weights_log_concave; [lia | intros c; apply kinds_inside | lia]. }
  assert (C := cost_nonneg). assert (T := G_nonneg k t).
  apply (Z.mul_le_mono_nonneg_r _ _ _ T) in H. apply (Z.mul_le_mono_nonneg_l _ _ _ C) in L.
  apply (Z.mul_le_mono_pos_r _ _ (G k m)); [exact P |]. lia.
Qed.

(** So the excess is largest there. *)
Lemma largest k m t :
  (k <= N)%nat -> 0 <= m <= Z.of_nat N -> grows_to k m -> cost * G k (m + 1) <= gain * G k m -> 0 <= t ->
  excess k t <= excess k m.
Proof.
  intros Hk Hm Up Down Ht. destruct (Z_le_gt_dec t m) as [L | L].
  - assert (W : forall i : nat, Z.of_nat i <= m -> excess k (m - Z.of_nat i) <= excess k m).
    { induction i as [| i IH]; intros Hi; [replace (m - Z.of_nat 0) with m by lia; lia |].
      specialize (IH ltac:(lia)). specialize (Up (m - Z.of_nat (S i)) ltac:(lia)).
      assert (E := excess_step k (m - Z.of_nat (S i))).
      replace (m - Z.of_nat (S i) + 1) with (m - Z.of_nat i) in * by lia. lia. }
    specialize (W (Z.to_nat (m - t)) ltac:(lia)). rewrite Z2Nat.id in W by lia.
    replace (m - (m - t)) with t in W by lia. exact W.
  - assert (W : forall i : nat, excess k (m + Z.of_nat i) <= excess k m).
    { induction i as [| i IH]; [replace (m + Z.of_nat 0) with m by lia; lia |].
      assert (F := falls_from k m (m + Z.of_nat i) Hk ltac:(lia) ltac:(lia) Down).
      assert (E := excess_step k (m + Z.of_nat i)).
      replace (m + Z.of_nat (S i)) with (m + Z.of_nat i + 1) by lia. lia. }
    specialize (W (Z.to_nat (t - m))). rewrite Z2Nat.id in W by lia.
    replace (m + (t - m)) with t in W by lia. exact W.
Qed.

(** The place of the largest excess does not move down. *)
Lemma grows_to_next k m : (S k <= N)%nat -> m <= Z.of_nat N -> grows_to k m -> grows_to (S k) m.
Proof.
  intros Hk HN Up t Ht. specialize (Up t Ht).
  assert (C : G (S k) t * G k (t + 1) <= G (S k) (t + 1) * G k t).
  { unfold G. replace (N - k)%nat with (S (N - S k)) by lia. apply changed_coin_moves_up; lia. }
  assert (P : 0 < G k t) by (apply G_positive; lia).
  assert (P' : 0 < G (S k) t) by (apply G_positive; lia).
  apply (Z.mul_lt_mono_pos_r _ _ _ P') in Up. apply (Z.mul_le_mono_nonneg_l _ _ _ cost_nonneg) in C.
  apply (Z.mul_lt_mono_pos_r (G k t)); [exact P |]. lia.
Qed.

(** ** The program does so *)

Lemma exact_quotient a b q : b <> 0 -> a = q * b -> a / b = q.
Proof. intros H ->. apply Z.div_mul, H. Qed.

Lemma move_right steps k m :
  (k <= N)%nat -> 0 <= m <= Z.of_nat N -> Z.of_nat N < m + Z.of_nat steps -> grows_to k m ->
  exists m', m <= m' <= Z.of_nat N /\ grows_to k m' /\ cost * G k (m' + 1) <= gain * G k m' /\
  move steps (Z.of_nat k) m (G k m) (G k (m + 1)) (U k m) = (m', G k m', G k (m' + 1), U k m').
Proof.
  intros Hk. revert m. induction steps as [| steps IH]; intros m Hm F Up; [lia |].
  cbn [move]. destruct (Z.ltb_spec (gain * G k m) (cost * G k (m + 1))) as [L | L].
  - assert (m <> Z.of_nat N).
    { intros ->. replace (G k (Z.of_nat N + 1)) with 0 in L.
      - assert (P := G_positive k (Z.of_nat N) Hk ltac:(lia)). assert (0 < gain * G k (Z.of_nat N))
          by (apply Z.mul_pos_pos; assumption). lia.
      - symmetry. apply weight_outside. rewrite kinds_length by exact Hk. lia. }
    rewrite (exact_quotient _ _ (G k (m + 1 + 1))).
    + rewrite <- U_step. destruct (IH (m + 1)) as [m' [H1 [H2 [H3 H4]]]]; [lia | lia | |].
      * intros t Ht. destruct (Z.eq_dec t m) as [-> | T]; [exact L | apply Up; lia].
      * exists m'. rewrite H4. split; [lia | auto].
    + assert (0 < (D - A) * (D - B) * (m + 2)) by (repeat apply Z.mul_pos_pos; lia). lia.
    + assert (E := one_place_further A B D k (N - k) (m + 1)). cbv zeta in E. fold (G k) in E.
      replace (Z.of_nat (N - k)) with (Z.of_nat N - Z.of_nat k) in E by lia.
      replace (Z.of_nat (k + (N - k))) with (Z.of_nat N) in E by lia.
      replace (m + 1 - 1) with m in E by lia. lia.
  - exists m. split; [lia | auto].
Qed.

Lemma scan_from left k m :
  N = (k + left)%nat -> 0 <= m <= Z.of_nat N -> grows_to k m ->
  scan left (Z.of_nat k) m (G k m) (G k (m + 1)) (U k m) = true <->
  forall i t, (k <= i <= N)%nat -> 0 <= t <= Z.of_nat N -> excess i t <= bound.
Proof.
  revert k m. induction left as [| left IH]; intros k m HN Hm Up; cbn [scan];
    destruct (move_right (S N) k m ltac:(lia) Hm ltac:(lia) Up) as [m' [Hm' [Up' [Down ->]]]];
    change (gain * G k m' - (X - Y) * U k m') with (excess k m');
    assert (Top := fun t => largest k m' t ltac:(lia) ltac:(lia) Up' Down);
    destruct (Z.ltb_spec bound (excess k m')) as [L | L].
  - split; [discriminate |]. intros H. specialize (H k m' ltac:(lia) ltac:(lia)). lia.
  - split; [intros _ i t Hi Ht | reflexivity]. replace i with k by lia. specialize (Top t ltac:(lia)). lia.
  - split; [discriminate |]. intros H. specialize (H k m' ltac:(lia) ltac:(lia)). lia.
  - destruct (one_coin_changed A B D k left m') as [E1 [E2 [E3 E4]]].
    set (V := D * (B - A) * weight D (kinds A B k left) m') in *.
    replace (S left) with (N - k)%nat in E1, E2, E3, E4 by lia.
    assert (EL : left = (N - S k)%nat) by lia. clearbody V. rewrite EL in E2, E3, E4.
    fold (G k) in E1, E2, E3. fold (G (S k)) in E2, E3. fold (U k m') in E4. fold (U (S k) m') in E4.
    replace (k + (N - k))%nat with N in E1 by lia.
    rewrite (exact_quotient _ (Z.of_nat N - Z.of_nat k) V) by lia.
    rewrite (exact_quotient _ A (G (S k) m')) by lia.
    rewrite (exact_quotient _ (D - A) (G (S k) (m' + 1))) by lia. rewrite E4.
    replace (Z.of_nat k + 1) with (Z.of_nat (S k)) by lia.
    rewrite IH; [| lia | lia | apply grows_to_next; [lia | lia | exact Up']].
    split; intros H i t Hi Ht; [| apply H; lia].
    destruct (Nat.eq_dec i k) as [-> | I]; [| apply H; lia]. specialize (Top t ltac:(lia)). lia.
Qed.

Lemma weights_at_start :
  G 0 0 = (D - A) ^ Z.of_nat N /\ G 0 1 = Z.of_nat N * A * (D - A) ^ (Z.of_nat N - 1).
Proof.
  unfold G. rewrite Nat.sub_0_r. unfold kinds. simpl repeat. simpl app. clear. induction N as [| n [IH0 IH1]].
  - split; reflexivity.
  - cbn [repeat weight]. rewrite IH1. simpl (0 - 1). simpl (1 - 1). rewrite IH0.
    rewrite weight_outside by lia. replace (Z.of_nat (S n) - 1) with (Z.of_nat n) by lia.
    rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. split; [ring |]. destruct n as [| n].
    { change (Z.of_nat 0) with 0. set (p := (D - A) ^ (0 - 1)). rewrite Z.pow_0_r. unfold Z.succ. ring. }
    replace (Z.of_nat (S n)) with (Z.succ (Z.of_nat n)) by lia.
    replace (Z.succ (Z.of_nat n) - 1) with (Z.of_nat n) by lia. rewrite Z.pow_succ_r by lia. unfold Z.succ. ring.
Qed.

Theorem scan_decides :
  scan_all = true <->
  forall k t, (k <= N)%nat -> 0 <= t <= Z.of_nat N -> excess k t <= bound.
Proof.
  unfold scan_all. destruct weights_at_start as [<- <-].
  assert (E : D * D ^ Z.of_nat N - D * G 0 0 = U 0 0).
  { unfold U. assert (S := weight_above_step D (kinds A B 0 (N - 0)) 0). rewrite weight_above_all in S by lia.
    rewrite kinds_length in S by lia. fold (G 0 0) in S. rewrite S. ring. }
  rewrite E. change 0 with (Z.of_nat 0) at 1. change 1 with (0 + 1).
  rewrite scan_from; [| reflexivity | lia | intros t Ht; lia].
  split; intros H k t Hk Ht; apply H; lia.
Qed.

End program.

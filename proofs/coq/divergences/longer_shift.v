(** A longer shift moves a log-concave law further.

    Masses w on the integers, none negative, are log-concave if w(t+1)/w(t) never rises, in a form without
    denominators: w s w(t+1) <= w(s+1) w t for all s <= t. This excludes gaps in the support as well. For
    such laws, finite or infinite, and all E, delta >= 0:

    - if Y + k is (E, delta)-below Y, so is Y + j for every 0 <= j <= k, and likewise in the other order,
      Y below Y + k ([longer_shift]): of the shifts 1, ..., k the longest is the worst;
    - Y is (eps, delta, k)-smooth (smooth.v), k >= 1, eps real, if and only if the condition holds for the
      two shifts k and -k ([longer_smooth]).

    Which laws are log-concave: log_concave_laws.v.

    Idea: w(t-j)/w(t) never falls in t, so that the worst event of Y + j is an upper half-line, of which
    Y + k has more; the worst event of Y against Y + j is a lower half-line. For smoothness: if a product of
    j ratios that do not fall is at least E^j, the last is at least E, and so is the next one.

    The method Noise.worst_shifts of exactdp/checker/noise_laws.py rests on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums masses smooth smooth_noise_privacy half_line half_line_infinite shifts.
Import ListNotations.
Open Scope R_scope.

Definition log_concave (w : Z -> R) : Prop :=
  (forall t, 0 <= w t) /\ forall s t, (s <= t)%Z -> w s * w (t + 1)%Z <= w (s + 1)%Z * w t.

(** ** Ratios at a distance *)

(** No gaps: between two outcomes with a mass every outcome has one. *)
Lemma positive_between w (n : nat) s t :
  log_concave w -> 0 < w s -> 0 < w (s + Z.of_nat n)%Z -> (s <= t <= s + Z.of_nat n)%Z -> 0 < w t.
Proof.
  intros [Pos L]. revert n s. induction n as [n IH] using lt_wf_ind. intros s Hs Hu H.
  destruct (Z.eq_dec t s) as [-> | Ns]; [exact Hs |].
  destruct (Z.eq_dec t (s + Z.of_nat n)) as [-> | Nu]; [exact Hu |].
  assert (C := L s (s + Z.of_nat n - 1)%Z ltac:(lia)).
  replace (s + Z.of_nat n - 1 + 1)%Z with (s + Z.of_nat n)%Z in C by lia.
  assert (P : 0 < w s * w (s + Z.of_nat n)%Z) by (apply Rmult_lt_0_compat; assumption).
  assert (A := Pos (s + 1)%Z). assert (B := Pos (s + Z.of_nat n - 1)%Z).
  assert (A' : 0 < w (s + 1)%Z).
  { destruct A as [A | A]; [exact A | rewrite <- A, Rmult_0_l in C; lra]. }
  assert (B' : 0 < w (s + Z.of_nat n - 1)%Z).
  { destruct B as [B | B]; [exact B | rewrite <- B, Rmult_0_r in C; lra]. }
  apply (IH (n - 2)%nat ltac:(lia) (s + 1)%Z A').
  - replace (s + 1 + Z.of_nat (n - 2))%Z with (s + Z.of_nat n - 1)%Z by lia. exact B'.
  - lia.
Qed.

Lemma log_concave_far w (j : nat) s t :
  log_concave w -> (s <= t)%Z ->
  w s * w (t + Z.of_nat j)%Z <= w (s + Z.of_nat j)%Z * w t.
Proof.
  intros LC H. assert (Pos := proj1 LC). induction j as [| j IH].
  - simpl. replace (t + 0)%Z with t by lia. replace (s + 0)%Z with s by lia. apply Rle_refl.
  - set (a := (s + Z.of_nat j)%Z) in *. set (b := (t + Z.of_nat j)%Z) in *.
    replace (s + Z.of_nat (S j))%Z with (a + 1)%Z by (unfold a; lia).
    replace (t + Z.of_nat (S j))%Z with (b + 1)%Z by (unfold b; lia).
    assert (P := Pos). assert (G : 0 <= w (a + 1)%Z * w t) by (apply Rmult_le_pos; apply Pos).
    destruct (Pos s) as [Hs | Z]; [| rewrite <- Z; lra].
    destruct (Pos (b + 1)%Z) as [Hb | Z]; [| rewrite <- Z; lra].
    assert (Between : forall u, (s <= u <= b + 1)%Z -> 0 < w u).
    { intros u Hu. apply (positive_between w (Z.to_nat (b + 1 - s)) s u LC Hs).
      - rewrite Z2Nat.id by (unfold b; lia). replace (s + (b + 1 - s))%Z with (b + 1)%Z by lia. exact Hb.
      - rewrite Z2Nat.id by (unfold b; lia). lia. }
    assert (Wa := Between a ltac:(unfold a, b; lia)). assert (Wb := Between b ltac:(unfold b; lia)).
    assert (C := proj2 LC a b ltac:(unfold a, b; lia)).
    assert (Q : 0 < w a * w b) by (apply Rmult_lt_0_compat; assumption).
    apply Rmult_le_reg_l with (w a * w b); [exact Q |].
    replace (w a * w b * (w s * w (b + 1)%Z)) with (w s * w b * (w a * w (b + 1)%Z)) by ring.
    replace (w a * w b * (w (a + 1)%Z * w t)) with (w a * w t * (w (a + 1)%Z * w b)) by ring.
    apply Rmult_le_compat; try exact IH; try exact C; apply Rmult_le_pos; left; assumption.
Qed.

Lemma log_concave_rising w j : log_concave w -> (0 <= j)%Z -> rising (shifted w j) w.
Proof.
  intros LC J s t H. unfold shifted.
  assert (F := log_concave_far w (Z.to_nat j) (s - j)%Z (t - j)%Z LC ltac:(lia)).
  rewrite Z2Nat.id in F by lia. replace (t - j + j)%Z with t in F by lia.
  replace (s - j + j)%Z with s in F by lia. lra.
Qed.

Lemma log_concave_falling w j : log_concave w -> (0 <= j)%Z -> falling w (shifted w j).
Proof. intros LC J s t H. assert (R := log_concave_rising w j LC J s t H). lra. Qed.

(** ** Half-lines of a longer shift *)

(** An event that a move by j keeps has a larger probability after it. *)
Lemma moved_event w j k (T : Z -> Prop) p q :
  (forall t, T t -> T (t + (k - j))%Z) ->
  mass_of (shifted w j) T p -> mass_of (shifted w k) T q -> p <= q.
Proof.
  intros H [_ Least] [Up _]. apply Least. intros s [l [N [I ->]]]. apply Up.
  exists (map (fun t => t + (k - j))%Z l). split; [| split].
  - apply Injective_map_NoDup; [intros x y E; lia | exact N].
  - intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. apply H, I, Iu.
  - rewrite total_map. apply total_ext. intros t _. unfold shifted. f_equal. lia.
Qed.

Lemma law_shifted w j : law w -> law (shifted w j).
Proof. apply (shifted_law w j). Qed.

Theorem longer_shift w j k E delta :
  law w -> log_concave w -> (0 <= j <= k)%Z -> 0 <= E -> 0 <= delta ->
  (mass_below (shifted w k) w E delta -> mass_below (shifted w j) w E delta) /\
  (mass_below w (shifted w k) E delta -> mass_below w (shifted w j) E delta).
Proof.
  intros LW LC J HE Hd. split; intros H.
  - apply half_lines_suffice_infinite; auto using law_shifted; [apply log_concave_rising; [exact LC | lia] |].
    intros a p q Hp Hq.
    destruct (mass_exists (shifted w k) (fun t => Z.leb a t = true) (law_shifted w k LW)) as [p' Hp'].
    apply Rle_trans with p'.
    + apply (moved_event w j k (fun t => Z.leb a t = true)); [| exact Hp | exact Hp'].
      intros t Ht. apply Z.leb_le in Ht. apply Z.leb_le. lia.
    + apply (mass_below_all_events _ _ _ _ HE H _ _ _ Hp' Hq).
  - apply half_lines_suffice_infinite_falling; auto using law_shifted;
      [apply log_concave_falling; [exact LC | lia] |].
    intros a p q Hp Hq.
    destruct (mass_exists (shifted w k) (fun t => at_most a t = true) (law_shifted w k LW)) as [q' Hq'].
    assert (X := mass_below_all_events _ _ _ _ HE H _ _ _ Hp Hq').
    assert (Y : q' <= q).
    { apply (moved_event w k j (fun t => at_most a t = true)); [| exact Hq' | exact Hq].
      intros t Ht. apply Z.leb_le in Ht. apply Z.leb_le. lia. }
    apply (Rmult_le_compat_l E) in Y; lra.
Qed.

(** ** Smoothness *)

Definition smooth_at (w : Z -> R) (E delta : R) (j : Z) : Prop :=
  forall l, NoDup l -> (forall y, In y l -> E ^ Z.abs_nat j * w (y + j)%Z <= w y) -> total l w <= delta.

(** If E^j w(y+j) is at most w y > 0, the next ratio is at least E. *)
Lemma next_ratio w E (j : nat) y :
  log_concave w -> 0 < E -> (1 <= j)%nat -> 0 < w y -> E ^ j * w (y + Z.of_nat j)%Z <= w y ->
  E ^ S j * w (y + Z.of_nat (S j))%Z <= w y.
Proof.
  intros LC HE Hj Hy H. assert (Pos := proj1 LC). set (top := w (y + Z.of_nat (S j))%Z).
  assert (Pt : 0 <= top) by apply Pos. destruct Pt as [Pt | Z]; [| rewrite <- Z; lra].
  destruct (Rle_or_lt (E * top) (w (y + Z.of_nat j)%Z)) as [Good | Bad].
  - eapply Rle_trans; [| exact H]. simpl. rewrite (Rmult_comm E), Rmult_assoc.
    apply Rmult_le_compat_l; [apply pow_le; lra | exact Good].
  - exfalso. assert (All : forall i, (i <= j)%nat -> w (y + Z.of_nat i)%Z < E * w (y + Z.of_nat (S i))%Z).
    { intros i Hi. apply Rmult_lt_reg_r with top; [exact Pt |].
      assert (C := proj2 LC (y + Z.of_nat i)%Z (y + Z.of_nat j)%Z ltac:(lia)).
      replace (y + Z.of_nat j + 1)%Z with (y + Z.of_nat (S j))%Z in C by lia. fold top in C.
      replace (y + Z.of_nat i + 1)%Z with (y + Z.of_nat (S i))%Z in C by lia.
      eapply Rle_lt_trans; [exact C |].
      replace (E * w (y + Z.of_nat (S i))%Z * top) with (w (y + Z.of_nat (S i))%Z * (E * top)) by ring.
      apply Rmult_lt_compat_l; [| exact Bad].
      apply (positive_between w (S j) y _ LC Hy Pt). lia. }
    assert (Far : forall i, (1 <= i <= j)%nat -> w y < E ^ i * w (y + Z.of_nat i)%Z).
    { induction i as [| i IH]; [lia |]. intros Hi. assert (A := All i ltac:(lia)).
      assert (P : 0 < E ^ i) by (apply pow_lt; exact HE).
      apply (Rmult_lt_compat_l (E ^ i)) in A; [| exact P].
      replace (E ^ S i * w (y + Z.of_nat (S i))%Z) with (E ^ i * (E * w (y + Z.of_nat (S i))%Z))
        by (simpl; ring).
      destruct i as [| i]; [simpl in *; replace (y + 0)%Z with y in A by lia; lra |].
      specialize (IH ltac:(lia)). lra. }
    specialize (Far j ltac:(lia)). lra.
Qed.

Lemma later_ratio w E (j k : nat) y :
  log_concave w -> 0 < E -> (1 <= j <= k)%nat -> 0 < w y ->
  E ^ j * w (y + Z.of_nat j)%Z <= w y -> E ^ k * w (y + Z.of_nat k)%Z <= w y.
Proof.
  intros LC HE [H1 H2] Hy H. induction H2 as [| k H2 IH]; [exact H |].
  apply next_ratio; try assumption. lia.
Qed.

Lemma longer_smooth_up w E delta j k :
  log_concave w -> 0 < E -> (1 <= j <= k)%Z -> smooth_at w E delta k -> smooth_at w E delta j.
Proof.
  intros LC HE J H l N I. set (seen := fun y => Rltb 0 (w y)).
  replace (total l w) with (total (filter seen l) w).
  - apply H; [apply NoDup_filter, N |]. intros y Iy. apply filter_In in Iy. destruct Iy as [Iy S].
    apply Rltb_true in S. specialize (I y Iy).
    replace (y + k)%Z with (y + Z.of_nat (Z.abs_nat k))%Z by lia.
    replace (y + j)%Z with (y + Z.of_nat (Z.abs_nat j))%Z in I by lia.
    apply (later_ratio w E (Z.abs_nat j)); auto. lia.
  - rewrite total_filter. apply total_ext. intros y _. unfold seen, Rltb.
    destruct (Rlt_dec 0 (w y)) as [| X]; [reflexivity |]. assert (P := proj1 LC y). lra.
Qed.

(** The mirror image. *)
Lemma log_concave_mirror w : log_concave w -> log_concave (fun t => w (- t)%Z).
Proof.
  intros [Pos L]. split; [intros t; apply Pos |]. intros s t H.
  assert (C := L (- (t + 1))%Z (- (s + 1))%Z ltac:(lia)).
  replace (- (t + 1) + 1)%Z with (- t)%Z in C by lia. replace (- (s + 1) + 1)%Z with (- s)%Z in C by lia.
  lra.
Qed.

Lemma smooth_at_mirror w E delta j : smooth_at w E delta j -> smooth_at (fun t => w (- t)%Z) E delta (- j).
Proof.
  intros H l N I. rewrite <- (total_map Z.opp l w). apply H.
  - apply Injective_map_NoDup; [intros x y X; lia | exact N].
  - intros y Iy. apply in_map_iff in Iy. destruct Iy as [t [<- It]]. specialize (I t It).
    replace (Z.abs_nat (- j)) with (Z.abs_nat j) in I by lia.
    replace (- (t + - j))%Z with (- t + j)%Z in I by lia. exact I.
Qed.

Lemma longer_smooth_down w E delta j k :
  log_concave w -> 0 < E -> (1 <= j <= k)%Z -> smooth_at w E delta (- k) -> smooth_at w E delta (- j).
Proof.
  intros LC HE J H. apply smooth_at_mirror in H. rewrite Z.opp_involutive in H.
  apply (longer_smooth_up _ _ _ j k (log_concave_mirror w LC) HE J) in H. apply smooth_at_mirror in H.
  intros l N I. specialize (H l N). cbv beta in H.
  rewrite (total_ext l w (fun t => w (- - t)%Z)) by (intros; rewrite Z.opp_involutive; reflexivity).
  apply H. intros y Iy. rewrite !Z.opp_involutive. apply I, Iy.
Qed.

Theorem longer_smooth w eps delta k :
  log_concave w -> (1 <= k)%Z ->
  (smooth w eps delta k <-> smooth_at w (exp eps) delta k /\ smooth_at w (exp eps) delta (- k)).
Proof.
  intros LC K. assert (Power : forall j, exp (IZR (Z.abs j) * eps) = exp eps ^ Z.abs_nat j).
  { intros j. rewrite exp_power, INR_IZR_INZ, Zabs2Nat.id_abs. f_equal. ring. }
  split.
  - intros H. split; intros l N I.
    + apply (H k ltac:(lia) ltac:(lia) l N). intros y Iy. rewrite Power. apply I, Iy.
    + apply (H (- k)%Z ltac:(lia) ltac:(lia) l N). intros y Iy. rewrite Power. apply I, Iy.
  - intros [Hu Hd] j J0 JK l N I. assert (HE := exp_pos eps).
    assert (B : smooth_at w (exp eps) delta j).
    { destruct (Z_lt_le_dec j 0) as [L | L].
      - replace j with (- - j)%Z by lia. apply (longer_smooth_down w _ _ (- j) k); auto. lia.
      - apply (longer_smooth_up w _ _ j k); auto. lia. }
    apply B; [exact N |]. intros y Iy. rewrite <- Power. apply I, Iy.
Qed.

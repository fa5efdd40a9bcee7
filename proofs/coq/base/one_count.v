(** One count is worst for every outcome of the noise.

    A count c, an integer in [least, most] with least >= 0, is shown as c + Y, where Y is integer noise. It
    is estimated as w (c + Y) + offset, or as 0 if there is a threshold tau and w (c + Y) does not exceed
    it; the truth is w c; w > 0, and offset, tau and alpha are real numbers, alpha >= 0. Let k be the least
    integer with w k > alpha, and [worst] = k moved into [least, most]. Proved:

    - every outcome Y for which the error exceeds alpha at some count of the interval is one for which it
      does so at [worst] ([one_count]); so for every law of the noise, finite or infinite, the probability
      of such an error is largest at [worst] ([one_count_probability]);
    - at [worst] the error exceeds alpha exactly if either there is a threshold, Y <= floor(tau / w) - worst
      and w worst > alpha, or not (threshold and Y so small) and Y is not in
      [ceil((-alpha - offset) / w), floor((alpha - offset) / w)] ([is_wrong_correct]; floors and ceilings
      as integers next to these numbers).

    Idea: above the threshold the error is abs(w Y + offset) whatever c is, below it is w c.

    The method NoisyCount.check of exactdp/checker/accuracy.py rests on it.
    Source: docs/certificates.md. *)

From Coq Require Import Reals ZArith List Lra Lia.
From Exactdp Require Import reals sums masses.
Open Scope R_scope.

Section count.

Variables (w offset alpha : R) (threshold : option R) (least most : Z).
Hypothesis w_positive : 0 < w.
Hypothesis alpha_nonneg : 0 <= alpha.
Hypothesis counts : (0 <= least <= most)%Z.

(** The estimate is 0 unless this exceeds the threshold. *)
Definition is_cut (c y : Z) : Prop :=
  match threshold with
  | Some tau => w * IZR (c + y) <= tau
  | None => False
  end.

(** The error at the count c exceeds alpha. *)
Definition wrong (c y : Z) : Prop :=
  (is_cut c y /\ alpha < Rabs (0 - w * IZR c)) \/
  (~ is_cut c y /\ alpha < Rabs (w * IZR (c + y) + offset - w * IZR c)).

(** The least integer k with w k > alpha. *)
Variable k : Z.
Hypothesis k_least : w * IZR (k - 1) <= alpha < w * IZR k.

Definition worst : Z := Z.min (Z.max k least) most.

Lemma is_cut_dec c y : is_cut c y \/ ~ is_cut c y.
Proof. apply Classical_Prop.classic. Qed.

(** Above the threshold the count does not matter, below the noise does not. *)
Lemma error_above c y : w * IZR (c + y) + offset - w * IZR c = w * IZR y + offset.
Proof. rewrite plus_IZR. ring. Qed.

Lemma error_below c : (0 <= c)%Z -> Rabs (0 - w * IZR c) = w * IZR c.
Proof.
  intros H. apply IZR_le in H. rewrite Rminus_0_l, Rabs_Ropp. apply Rabs_right, Rle_ge.
  apply Rmult_le_pos; lra.
Qed.

Lemma large_count c : alpha < w * IZR c <-> (k <= c)%Z.
Proof.
  split; intros H.
  - apply Z.nlt_ge. intros L. assert (c <= k - 1)%Z as L' by lia. apply IZR_le in L'.
    assert (w * IZR c <= w * IZR (k - 1)) by (apply Rmult_le_compat_l; lra). lra.
  - apply IZR_le in H. assert (w * IZR k <= w * IZR c) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma cut_falls c d y : (c <= d)%Z -> is_cut d y -> is_cut c y.
Proof.
  unfold is_cut. destruct threshold as [tau |]; [| tauto]. intros H T. eapply Rle_trans; [| exact T].
  apply Rmult_le_compat_l; [lra | apply IZR_le; lia].
Qed.

Theorem one_count c y : (least <= c <= most)%Z -> wrong c y -> wrong worst y.
Proof.
  intros Hc [[T E] | [T E]].
  - rewrite error_below in E by lia. apply large_count in E.
    assert (W : (k <= worst <= c)%Z) by (unfold worst; lia). left. split.
    + apply (cut_falls worst c y); [apply W | exact T].
    + rewrite error_below by (unfold worst; lia). apply large_count, W.
  - rewrite error_above in E. destruct (is_cut_dec worst y) as [D | D].
    + left. split; [exact D |]. rewrite error_below by (unfold worst; lia). apply large_count.
      assert (~ (c <= worst)%Z) by (intros L; apply T, (cut_falls c worst y L D)). unfold worst in *. lia.
    + right. split; [exact D |]. rewrite error_above. exact E.
Qed.

Lemma one_count_probability (D : Z -> R) c p q :
  (least <= c <= most)%Z -> mass_of D (wrong c) p -> mass_of D (wrong worst) q -> p <= q.
Proof.
  intros Hc [_ Least] [Up _]. apply Least. intros s [l [N [I ->]]]. apply Up. exists l.
  split; [exact N | split; [| reflexivity]]. intros y Iy. apply (one_count c y Hc), I, Iy.
Qed.

(** ** The event at the worst count *)

(** low = ceil((-alpha - offset) / w), high = floor((alpha - offset) / w), zero = floor(tau / w) - worst. *)
Variables low high : Z.
Hypothesis low_ceiling : IZR low - 1 < (- alpha - offset) / w <= IZR low.
Hypothesis high_floor : IZR high <= (alpha - offset) / w < IZR high + 1.

Definition is_wrong (zero : option Z) (y : Z) : Prop :=
  match zero with
  | Some z => if Z.leb y z then alpha < w * IZR worst else ~ (low <= y <= high)%Z
  | None => ~ (low <= y <= high)%Z
  end.

(** An integer is at most a number if and only if it is at most its floor. *)
Lemma at_most_floor (z y : Z) x : IZR z <= x < IZR z + 1 -> (IZR y <= x <-> (y <= z)%Z).
Proof.
  intros H. split; intros L.
  - apply Z.lt_succ_r, lt_IZR. unfold Z.succ. rewrite plus_IZR. lra.
  - apply IZR_le in L. lra.
Qed.

Lemma at_least_ceiling (z y : Z) x : IZR z - 1 < x <= IZR z -> (x <= IZR y <-> (z <= y)%Z).
Proof.
  intros H. split; intros L.
  - assert (z - 1 < y)%Z; [| lia]. apply lt_IZR. rewrite minus_IZR. lra.
  - apply IZR_le in L. lra.
Qed.

Lemma times_w x y : x / w <= y <-> x <= w * y.
Proof.
  split; intros H.
  - apply (Rmult_le_compat_l w) in H; [| lra]. replace (w * (x / w)) with x in H by (field; lra). exact H.
  - apply Rmult_le_reg_l with w; [exact w_positive |]. replace (w * (x / w)) with x by (field; lra). exact H.
Qed.

Lemma times_w' x y : y <= x / w <-> w * y <= x.
Proof.
  split; intros H.
  - apply (Rmult_le_compat_l w) in H; [| lra]. replace (w * (x / w)) with x in H by (field; lra). exact H.
  - apply Rmult_le_reg_l with w; [exact w_positive |]. replace (w * (x / w)) with x by (field; lra). exact H.
Qed.

Lemma error_within y : alpha < Rabs (w * IZR y + offset) <-> ~ (low <= y <= high)%Z.
Proof.
  rewrite <- (at_least_ceiling low y _ low_ceiling), <- (at_most_floor high y _ high_floor), times_w,
    times_w'.
  split.
  - intros H [L U]. unfold Rabs in H. destruct (Rcase_abs _); lra.
  - intros H. apply Rnot_le_lt. intros L. apply H. unfold Rabs in L. destruct (Rcase_abs _); lra.
Qed.

Theorem is_wrong_correct zero y :
  match threshold, zero with
  | Some tau, Some z => IZR (z + worst) <= tau / w < IZR (z + worst) + 1
  | None, None => True
  | _, _ => False
  end ->
  (wrong worst y <-> is_wrong zero y).
Proof.
  intros Hz. assert (Above : wrong worst y <->
    (is_cut worst y /\ alpha < w * IZR worst) \/ (~ is_cut worst y /\ ~ (low <= y <= high)%Z)).
  { unfold wrong. rewrite error_below by (unfold worst; lia). rewrite error_above, error_within.
      reflexivity. }
  rewrite Above. clear Above. unfold is_cut, is_wrong. destruct threshold as [tau |], zero as [z |];
    try tauto.
  assert (C : w * IZR (worst + y) <= tau <-> (y <= z)%Z).
  { rewrite <- times_w', (at_most_floor _ _ _ Hz). lia. }
  destruct (Z.leb_spec y z) as [L | L]; rewrite C; split; intros H; intuition lia.
Qed.

End count.

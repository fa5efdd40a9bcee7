(** shift_dp of enclosed laws, both verdicts: the programs and their soundness.

    With bits as the witness, [check_shift_enclosed] bounds the divergence of the law and its shifts from above to prove
    the claim (for the longest shift alone where the law is log-concave), or from below, for the shift and the order of
    the witness, to refute it. For every noise law that has a window (noise_windows.v), every level, shift and delta:
    what it accepts is [sound] ([check_shift_enclosed_sound]). Claims that something is least are not enclosed.

    The programs are the class ShiftPrivacy of exactdp/checker/noise_privacy.py.
    It rests on longer_shift.longer_shift and enclosed_divergences.v. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses reals shifts longer_shift.
From ExactdpChecker Require Import claims witnesses kinds levels posed outward windows enclosed_divergences.
From ExactdpChecker Require Import noise_windows.
Import ListNotations.
Open Scope Z_scope.

(** x / (b t) <= delta, and its opposite. *)
Definition within (x b t : Z) (delta : Q) : bool := x * Zpos (Qden delta) <=? Qnum delta * (b * t).
Definition beyond (x b t : Z) (delta : Q) : bool := Qnum delta * (b * t) <? x * Zpos (Qden delta).

Definition shift_within (v : window) (a b : Z) (delta : Q) (j : Z) : bool :=
  let '(f, g, t) := divergences true a b v (Z.to_nat j) in
  (0 <? t) && (within f b t delta && within g b t delta).

Definition shift_beyond (v : window) (a b : Z) (delta : Q) (j : Z) (forward : bool) : bool :=
  let '(f, g, t) := divergences false a b v (Z.to_nat j) in
  (0 <? t) && beyond (if forward then f else g) b t delta.

(** 1, ..., n *)
Definition up_to (n : Z) : list Z := map Z.of_nat (seq 1 (Z.to_nat n)).

Definition worst_shifts (nu : noise) (most : Z) : list Z := if longest_suffices nu then [most] else up_to most.

Definition nothing_is_least (w : least) : bool := match w with LeastNothing => true | _ => false end.

Definition check_shift_enclosed (nu : noise) (most : Z) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  nothing_is_least w && level_is_posed l delta && (1 <=? most) &&
  match proved, shown with
  | true, Simple (Bits bits) =>
      match noise_window (Z.to_nat bits) nu, ratio_below l (Bits bits) with
      | Some v, Some (a, b) => (0 <=? a) && forallb (shift_within v a b delta) (worst_shifts nu most)
      | _, _ => false
      end
  | false, ShiftOrder j forward (Bits bits) =>
      match noise_window (Z.to_nat bits) nu, ratio_above l (Bits bits) with
      | Some v, Some (a, b) => (1 <=? j) && (j <=? most) && shift_beyond v a b delta j forward
      | _, _ => false
      end
  | _, _ => false
  end.

(** Whether a witness is for these programs. *)
Definition asks_for_bits (shown : witness) : bool :=
  match shown with Simple (Bits _) | ShiftOrder _ _ (Bits _) => true | _ => false end.

(** ** Soundness *)

Open Scope R_scope.

Lemma Q2R_ratio q : Q2R q = IZR (Qnum q) / IZR (Zpos (Qden q)).
Proof. reflexivity. Qed.

Lemma within_sound x b t delta :
  (0 < b)%Z -> (0 < t)%Z -> within x b t delta = true -> IZR x / (IZR b * IZR t) <= Q2R delta.
Proof.
  intros Hb Ht H. apply Z.leb_le, IZR_le in H. rewrite !mult_IZR in H. rewrite Q2R_ratio.
  assert (B := IZR_lt _ _ Hb). assert (T := IZR_lt _ _ Ht). assert (D := IZR_lt 0 (Zpos (Qden delta)) ltac:(lia)).
  assert (P : 0 < IZR b * IZR t) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_le_reg_r with (IZR b * IZR t * IZR (Zpos (Qden delta))); [apply Rmult_lt_0_compat; lra |].
  replace (IZR x / (IZR b * IZR t) * (IZR b * IZR t * IZR (Zpos (Qden delta)))) with (IZR x * IZR (Zpos (Qden delta)))
    by (field; lra).
  replace (IZR (Qnum delta) / IZR (Zpos (Qden delta)) * (IZR b * IZR t * IZR (Zpos (Qden delta))))
    with (IZR (Qnum delta) * (IZR b * IZR t)) by (field; lra). exact H.
Qed.

Lemma beyond_sound x b t delta :
  (0 < b)%Z -> (0 < t)%Z -> beyond x b t delta = true -> Q2R delta < IZR x / (IZR b * IZR t).
Proof.
  intros Hb Ht H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR in H. rewrite Q2R_ratio.
  assert (B := IZR_lt _ _ Hb). assert (T := IZR_lt _ _ Ht). assert (D := IZR_lt 0 (Zpos (Qden delta)) ltac:(lia)).
  assert (P : 0 < IZR b * IZR t) by (apply Rmult_lt_0_compat; lra).
  apply Rmult_lt_reg_r with (IZR b * IZR t * IZR (Zpos (Qden delta))); [apply Rmult_lt_0_compat; lra |].
  replace (IZR x / (IZR b * IZR t) * (IZR b * IZR t * IZR (Zpos (Qden delta)))) with (IZR x * IZR (Zpos (Qden delta)))
    by (field; lra).
  replace (IZR (Qnum delta) / IZR (Zpos (Qden delta)) * (IZR b * IZR t * IZR (Zpos (Qden delta))))
    with (IZR (Qnum delta) * (IZR b * IZR t)) by (field; lra). exact H.
Qed.

Lemma in_up_to n j : In j (up_to n) <-> (1 <= j <= n)%Z.
Proof.
  unfold up_to. rewrite in_map_iff. split.
  - intros [i [<- I]]. apply in_seq in I. lia.
  - intros H. exists (Z.to_nat j). rewrite in_seq. lia.
Qed.

Section shift.

Variables (v : window) (w : Z -> R) (c : R) (delta : Q).
Hypothesis enclosed : encloses v w c.

Lemma shift_within_sound a b E j :
  shift_within v a b delta j = true -> (0 <= j)%Z -> (0 <= a)%Z -> (0 < b)%Z -> IZR a / IZR b <= E ->
  mass_below w (shifted w j) E (Q2R delta) /\ mass_below (shifted w j) w E (Q2R delta).
Proof.
  unfold shift_within. destruct (divergences true a b v (Z.to_nat j)) as [[f g] t] eqn:D. intros H Hj Ha Hb HE.
  rewrite !andb_true_iff in H. destruct H as [T [F G]]. apply Z.ltb_lt in T.
  destruct (divergences_above v w c (Z.to_nat j) enclosed a b E f g t D Ha Hb HE T) as [A B].
  rewrite Z2Nat.id in A, B by exact Hj. assert (Pos := weights_nonneg v w c enclosed).
  split; [revert A | revert B]; apply mass_below_weaken;
    try (apply Rle_refl); try (apply within_sound; assumption); intros y; apply Pos.
Qed.

Lemma shift_beyond_sound a b E j forward :
  shift_beyond v a b delta j forward = true -> (0 <= j)%Z -> (0 < b)%Z -> 0 <= E <= IZR a / IZR b ->
  ~ (mass_below w (shifted w j) E (Q2R delta) /\ mass_below (shifted w j) w E (Q2R delta)).
Proof.
  unfold shift_beyond. destruct (divergences false a b v (Z.to_nat j)) as [[f g] t] eqn:D. intros H Hj Hb HE [A B].
  apply andb_true_iff in H. destruct H as [T H]. apply Z.ltb_lt in T.
  destruct (divergences_below v w c (Z.to_nat j) enclosed a b E f g t (Q2R delta) D Hb HE) as [X Y].
  rewrite Z2Nat.id in X, Y by exact Hj. specialize (X A). specialize (Y B).
  destruct forward; apply beyond_sound in H; try assumption; lra.
Qed.

End shift.

Theorem check_shift_enclosed_sound nu most l delta w proved shown :
  check_shift_enclosed nu most l delta w proved shown = true -> sound (ShiftDP nu most l delta w) proved.
Proof.
  unfold check_shift_enclosed. intros H. rewrite !andb_true_iff in H. destruct H as [[[Hw Hl] Reach] H].
  apply Z.leb_le in Reach. apply level_is_posed_sound in Hl. destruct w; try discriminate Hw. clear Hw. unfold sound. cbn [well_posed holds].
  destruct Hl as [E1 D]. destruct proved.
  - destruct shown as [[| |bits] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate H.
    destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate H].
    destruct (ratio_below l (Bits bits)) as [[a b] |] eqn:R; [| discriminate H].
    destruct (noise_window_sound _ _ _ W) as [N [c C]]. destruct (ratio_below_sound _ _ _ _ R) as [B RB].
    apply lt_IZR in B. apply andb_true_iff in H. destruct H as [Ha H]. apply Z.leb_le in Ha.
    rewrite forallb_forall in H.
    split; [exact (conj N (conj Reach (conj E1 D))) |]. split; [| exact I]. intros j Hj. unfold worst_shifts in H.
    destruct (longest_suffices nu) eqn:LS.
    + assert (X := shift_within_sound v _ c delta C a b (ratio l) most (H most (or_introl eq_refl)) ltac:(lia) Ha B RB).
      destruct (longer_shift (noise_mass nu) j most (ratio l) (Q2R delta) (law_enclosed _ _ _ C)
        (longest_suffices_sound nu LS N) ltac:(lia) ltac:(lra) (proj1 D)) as [L1 L2].
      split; [apply L2 | apply L1]; apply X.
    + apply (shift_within_sound v _ c delta C a b); auto; [apply H, in_up_to, Hj | lia].
  - destruct shown as [| | | | | | | j forward [| |bits] | | | | | | | | | | | | | | |]; try discriminate H.
    destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate H].
    destruct (ratio_above l (Bits bits)) as [[a b] |] eqn:R; [| discriminate H].
    destruct (noise_window_sound _ _ _ W) as [N [c C]]. destruct (ratio_above_sound _ _ _ _ R) as [B RB].
    apply lt_IZR in B. rewrite !andb_true_iff in H. destruct H as [[J1 J2] H]. apply Z.leb_le in J1, J2.
    split; [exact (conj N (conj Reach (conj E1 D))) |]. intros [S _].
    apply (shift_beyond_sound v _ c delta C a b (ratio l) j forward H ltac:(lia) B ltac:(lra)). apply S. lia.
Qed.

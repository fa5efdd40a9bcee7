(** Bounds of the divergence of an enclosed law and its shift, in both orders: the program and its soundness.

    [divergences is_above a b v j] goes over the places of the window v of a law w and of the window moved by j, side by
    side, and adds up integers (f, g, t). For L = a / b, 0 <= a, 0 < b, and every j:
    - from above, where a / b <= E and 0 < t: w is (E, f / (b t))-below its shift by j, and the shift is
      (E, g / (b t))-below w ([divergences_above]);
    - from below, where 0 <= E <= a / b and 0 < t: whatever delta the first (the second) holds for is at least f / (b t)
      (g / (b t)) ([divergences_below]).

    The program is the function [bound_divergences] of exactdp/checker/noise_privacy.py with the same sums.
    It rests on enclosed_divergence.v. Source: docs/certificates.md, the kind shift_dp. *)

From Coq Require Import ZArith Reals List Lra Lia Bool FinFun.
From Exactdp Require Import sums masses shifts enclosed_divergence.
From ExactdpChecker Require Import outward windows.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition append {A} (l m : list A) : list A := rev_append (reversed l) m.

(** The bounds at the places from before the first to after the last one of both laws. *)
Definition here (v : window) (j : nat) : list (Z * Z) := (0, under v) :: append (cells v) (repeat (0, over v) (S j)).
Definition moved (v : window) (j : nat) : list (Z * Z) :=
  append (repeat (0, under v) (S j)) (append (cells v) [(0, over v)]).

Fixpoint divergence_sums (is_above : bool) (a b : Z) (ps qs : list (Z * Z)) (f g t : Z) : Z * Z * Z :=
  match ps, qs with
  | (p, p') :: ps', (q, q') :: qs' =>
      if is_above then
        divergence_sums is_above a b ps' qs' (f + Z.max 0 (b * p' - a * q)) (g + Z.max 0 (b * q' - a * p)) (t + p)
      else
        divergence_sums is_above a b ps' qs' (f + Z.max 0 (b * p - a * q')) (g + Z.max 0 (b * q - a * p')) (t + p')
  | _, _ => (f, g, t)
  end.

Definition divergences (is_above : bool) (a b : Z) (v : window) (j : nat) : Z * Z * Z :=
  divergence_sums is_above a b (here v j) (moved v j) 0 0 0.

(** ** The lists and the places *)

Open Scope R_scope.

Definition places (v : window) (j : nat) : list Z :=
  map (fun i => (first v - 1 + Z.of_nat i)%Z) (seq 0 (length (cells v) + j + 2)).

Lemma list_ext {A} (l m : list A) : (forall i, nth_error l i = nth_error m i) -> l = m.
Proof.
  revert m. induction l as [| a l IH]; intros [| b m] H; try reflexivity; try (specialize (H 0%nat); discriminate H).
  assert (H0 := H 0%nat). injection H0 as ->. f_equal. apply IH. intros i. apply (H (S i)).
Qed.

Lemma append_app {A} (l m : list A) : append l m = l ++ m.
Proof. unfold append. rewrite reversed_rev, rev_append_rev, rev_involutive. reflexivity. Qed.

Lemma nth_places {A} (f : Z -> A) v j i :
  nth_error (map f (places v j)) i =
  if (i <? length (cells v) + j + 2)%nat then Some (f (first v - 1 + Z.of_nat i)%Z) else None.
Proof.
  unfold places. rewrite map_map. destruct (Nat.ltb_spec i (length (cells v) + j + 2)) as [H | H].
  - rewrite nth_error_map. erewrite (nth_error_nth' (seq 0 _) 0%nat) by (rewrite seq_length; exact H).
    rewrite seq_nth by exact H. reflexivity.
  - apply nth_error_None. rewrite map_length, seq_length. exact H.
Qed.

Lemma nth_repeat_error {A} (a : A) n i : nth_error (repeat a n) i = if (i <? n)%nat then Some a else None.
Proof.
  destruct (Nat.ltb_spec i n) as [H | H].
  - revert i H. induction n as [| n IH]; intros [| i] H; simpl; try lia; [reflexivity | apply IH; lia].
  - apply nth_error_None. rewrite repeat_length. exact H.
Qed.

Lemma bounds_at_cell v i :
  bounds_at v (first v + Z.of_nat i)%Z =
  match nth_error (cells v) i with Some c => c | None => (0%Z, over v) end.
Proof.
  unfold bounds_at. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
  replace (Z.to_nat (first v + Z.of_nat i - first v)) with i by lia. reflexivity.
Qed.

Lemma here_places v j : here v j = map (bounds_at v) (places v j).
Proof.
  apply list_ext. intros i. rewrite nth_places. unfold here. rewrite append_app. destruct i as [| i].
  - rewrite (proj2 (Nat.ltb_lt _ _)) by lia. rewrite bounds_below by lia. reflexivity.
  - cbn [nth_error]. replace (first v - 1 + Z.of_nat (S i))%Z with (first v + Z.of_nat i)%Z by lia.
    rewrite bounds_at_cell. destruct (Nat.lt_ge_cases i (length (cells v))) as [H | H].
    + rewrite nth_error_app1 by exact H. rewrite (proj2 (Nat.ltb_lt _ _)) by lia.
      destruct (nth_error (cells v) i) eqn:E; [reflexivity |]. apply nth_error_None in E. lia.
    + rewrite nth_error_app2, nth_repeat_error by exact H. rewrite (proj2 (nth_error_None (cells v) i) H).
      destruct (Nat.ltb_spec (i - length (cells v)) (S j)), (Nat.ltb_spec (S i) (length (cells v) + j + 2)); auto; lia.
Qed.

Lemma moved_places v j : moved v j = map (fun t => bounds_at v (t - Z.of_nat j)) (places v j).
Proof.
  apply list_ext. intros i. rewrite nth_places. unfold moved. rewrite !append_app.
  destruct (Nat.lt_ge_cases i (S j)) as [H | H].
  - rewrite nth_error_app1, nth_repeat_error by (rewrite repeat_length; exact H).
    rewrite !(proj2 (Nat.ltb_lt _ _)) by lia. rewrite bounds_below by lia. reflexivity.
  - rewrite nth_error_app2 by (rewrite repeat_length; exact H). rewrite repeat_length.
    set (k := (i - S j)%nat). replace (first v - 1 + Z.of_nat i - Z.of_nat j)%Z with (first v + Z.of_nat k)%Z
      by (unfold k; lia).
    rewrite bounds_at_cell. destruct (Nat.lt_ge_cases k (length (cells v))) as [K | K].
    + rewrite nth_error_app1 by exact K. rewrite (proj2 (Nat.ltb_lt _ _)) by (unfold k in K; lia).
      destruct (nth_error (cells v) k) eqn:E; [reflexivity |]. apply nth_error_None in E. lia.
    + rewrite nth_error_app2 by exact K. rewrite (proj2 (nth_error_None (cells v) k) K).
      destruct (Nat.ltb_spec i (length (cells v) + j + 2)) as [B | B].
      * replace (k - length (cells v))%nat with 0%nat by (unfold k in *; lia). reflexivity.
      * apply nth_error_None. simpl. unfold k. lia.
Qed.

Lemma in_places v j t : In t (places v j) <-> (first v - 1 <= t <= last_place v + 1 + Z.of_nat j)%Z.
Proof.
  unfold places, last_place. rewrite count_length, in_map_iff. split.
  - intros [i [<- I]]. apply in_seq in I. lia.
  - intros H. exists (Z.to_nat (t - first v + 1)). rewrite in_seq. lia.
Qed.

Lemma places_once v j : NoDup (places v j).
Proof. apply Injective_map_NoDup; [intros i k H; lia | apply seq_NoDup]. Qed.

(** ** The sums *)

Lemma IZR_max_0 x : IZR (Z.max 0 x) = Rmax 0 (IZR x).
Proof.
  destruct (Z.max_spec 0 x) as [[H ->] | [H ->]].
  - rewrite Rmax_right; [reflexivity | apply IZR_le; lia].
  - rewrite Rmax_left; [reflexivity | apply IZR_le; lia].
Qed.

Lemma scaled_excess a b x y :
  (0 < b)%Z -> IZR (Z.max 0 (b * x - a * y)) = IZR b * Rmax 0 (IZR x - IZR a / IZR b * IZR y).
Proof.
  intros H. apply IZR_lt in H. rewrite IZR_max_0, minus_IZR, !mult_IZR.
  rewrite <- (Rmult_0_r (IZR b)) at 1. rewrite <- RmaxRmult by lra.
  replace (IZR b * (IZR x - IZR a / IZR b * IZR y)) with (IZR b * IZR x - IZR a * IZR y) by (field; lra).
  rewrite Rmult_0_r. reflexivity.
Qed.

Definition excess (L : R) (x y : Z) : R := Rmax 0 (IZR x - L * IZR y).

Lemma sums_total is_above a b (P Q : Z -> Z * Z) l : (0 < b)%Z -> forall f g t,
  let '(f', g', t') := divergence_sums is_above a b (map P l) (map Q l) f g t in
  let L := IZR a / IZR b in
  if is_above then
    IZR f' = IZR f + IZR b * total l (fun s => excess L (snd (P s)) (fst (Q s))) /\
    IZR g' = IZR g + IZR b * total l (fun s => excess L (snd (Q s)) (fst (P s))) /\
    IZR t' = IZR t + total l (fun s => IZR (fst (P s)))
  else
    IZR f' = IZR f + IZR b * total l (fun s => excess L (fst (P s)) (snd (Q s))) /\
    IZR g' = IZR g + IZR b * total l (fun s => excess L (fst (Q s)) (snd (P s))) /\
    IZR t' = IZR t + total l (fun s => IZR (snd (P s))).
Proof.
  intros Hb. induction l as [| s l IH]; intros f g t; cbn [map divergence_sums total].
  - destruct is_above; simpl; repeat split; ring.
  - destruct (P s) as [p p'] eqn:EP, (Q s) as [q q'] eqn:EQ. unfold excess. destruct is_above;
    match goal with |- context [divergence_sums ?x a b ?y ?z ?f' ?g' ?t'] =>
      specialize (IH f' g' t'); destruct (divergence_sums x a b y z f' g' t') as [[f1 g1] t1] end;
    destruct IH as [-> [-> ->]]; rewrite !plus_IZR, !scaled_excess by exact Hb; rewrite ?EP, ?EQ; cbn [fst snd];
      unfold excess;
    repeat split; ring.
Qed.

(** ** Soundness *)

Section sound.

Variables (v : window) (w : Z -> R) (c : R) (j : nat).
Hypothesis enclosed : encloses v w c.

(** All places on a side as one. *)
Definition clip (t : Z) : Z := Z.max (first v - 1) (Z.min (last_place v + 1 + Z.of_nat j) t).

Lemma moved_sum s l : total l (shifted w s) = total (map (fun t => t - s)%Z l) w.
Proof. rewrite total_map. reflexivity. Qed.

Lemma clip_bounds s s' b :
  (0 <= s <= Z.of_nat j)%Z -> (0 <= s' <= Z.of_nat j)%Z -> In b (places v j) ->
  cell_bounds clip (shifted w s) (shifted w s') (fun b => IZR (snd (bounds_at v (b - s))) / c)
    (fun b => IZR (fst (bounds_at v (b - s'))) / c) b.
Proof.
  intros S1 S2 I. apply in_places in I. assert (C := unit_positive v w c enclosed).
  assert (F := first_after_last v). assert (B := bounds_everywhere v w c enclosed).
  assert (Up : forall x y, c * x <= y -> x <= y / c).
  { intros x y H. apply Rmult_le_reg_l with c; [exact C |]. replace (c * (y / c)) with y by (field; lra). exact H. }
  assert (Nm : forall l, NoDup l -> NoDup (map (fun t => t - s)%Z l)).
  { intros l. apply Injective_map_NoDup. intros x y H. lia. }
  split; [| split].
  - apply Up. rewrite Rmult_0_r. destruct (B (b - s)%Z) as [B1 B2]. lra.
  - intros l N H. rewrite moved_sum. apply Up.
    destruct (Z.eq_dec b (first v - 1)) as [-> | N1];
      [| destruct (Z.eq_dec b (last_place v + 1 + Z.of_nat j)) as [-> | N2]].
    + rewrite bounds_below by lia. apply (sum_below v w c enclosed); [apply Nm, N |].
      intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. specialize (H u Iu). unfold clip in H. lia.
    + rewrite bounds_above by lia. apply (sum_above v w c enclosed); [apply Nm, N |].
      intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. specialize (H u Iu). unfold clip in H. lia.
    + assert (L : incl (map (fun t => t - s)%Z l) [(b - s)%Z]).
      { intros t It. apply in_map_iff in It. destruct It as [u [<- Iu]]. specialize (H u Iu). unfold clip in H. left.
        lia. }
      apply Rle_trans with (c * total [(b - s)%Z] w).
      * apply Rmult_le_compat_l; [lra |]. apply total_incl; [apply Nm, N | exact L |].
        intros t _. apply (weights_nonneg v w c enclosed).
      * simpl. rewrite Rplus_0_r. apply B.
  - destruct (Z.eq_dec b (first v - 1)) as [-> | N1];
      [| destruct (Z.eq_dec b (last_place v + 1 + Z.of_nat j)) as [-> | N2]].
    + left. rewrite bounds_below by lia. simpl. field. lra.
    + left. rewrite bounds_above by lia. simpl. field. lra.
    + right. exists b. split; [intros t H; unfold clip in H; lia |]. unfold shifted.
      apply Rmult_le_reg_l with c; [exact C |]. replace (c * (IZR (fst (bounds_at v (b - s'))) / c))
        with (IZR (fst (bounds_at v (b - s')))) by (field; lra). apply B.
Qed.

Lemma clip_in_places t : In (clip t) (places v j).
Proof. apply in_places. assert (F := first_after_last v). unfold clip. lia. Qed.

Lemma low_total : total (places v j) (fun t => IZR (fst (bounds_at v t))) <= c.
Proof.
  assert (C := unit_positive v w c enclosed). apply Rle_trans with (c * total (places v j) w).
  - rewrite <- total_scal. apply total_le. intros t _. apply (bounds_everywhere v w c enclosed).
  - rewrite <- (Rmult_1_r c) at 2. apply Rmult_le_compat_l; [lra |].
    apply law_finite; [apply (law_enclosed v w c enclosed) | apply places_once].
Qed.

(** Upper bounds of all weights add up to no less than the whole. *)
Lemma high_total : c <= total (places v j) (fun t => IZR (snd (bounds_at v t))).
Proof.
  assert (C := unit_positive v w c enclosed). assert (F := first_after_last v).
  assert (L := law_enclosed v w c enclosed). assert (B := bounds_everywhere v w c enclosed).
  apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, C |]. rewrite Rinv_l by lra.
  destruct L as [_ [_ Least]]. apply Least. intros s [l [N [_ ->]]].
  apply Rmult_le_reg_l with c; [exact C |]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  assert (Cell : forall b, In b (places v j) -> forall m, NoDup m -> (forall a, In a m -> clip a = b) ->
    total m w <= IZR (snd (bounds_at v b)) / c).
  { intros b I m Nm Im. destruct (clip_bounds 0 0 b ltac:(lia) ltac:(lia) I) as [_ [U _]].
    replace (b - 0)%Z with b in U by lia. specialize (U m Nm Im).
    rewrite (total_ext m w (shifted w 0)) by (intros; symmetry; apply not_shifted). exact U. }
  rewrite (steps.total_by_class clip). apply Rle_trans with
    (c * total (nodup hockey_stick.same (map clip l)) (fun b => IZR (snd (bounds_at v b)) / c)).
  - apply Rmult_le_compat_l; [lra |]. apply total_le. intros b I. apply nodup_In, in_map_iff in I.
    destruct I as [a [<- _]]. apply Cell; [apply clip_in_places | apply NoDup_filter, N |].
    intros x I. apply filter_In in I. destruct I as [_ E]. unfold steps.in_class in E.
    destruct (hockey_stick.same (clip x) (clip a)); [assumption | discriminate].
  - rewrite <- total_scal. rewrite (total_ext _ _ (fun b => IZR (snd (bounds_at v b)))) by (intros; field; lra).
    apply total_incl; [apply NoDup_nodup | |].
    + intros b I. apply nodup_In, in_map_iff in I. destruct I as [a [<- _]]. apply clip_in_places.
    + intros b _. destruct (B b) as [B1 B2]. lra.
Qed.

Lemma divergences_are is_above a b : divergences is_above a b v j =
  divergence_sums is_above a b (map (bounds_at v) (places v j))
    (map (fun t => bounds_at v (t - Z.of_nat j)) (places v j)) 0 0 0.
Proof. unfold divergences. rewrite here_places, moved_places. reflexivity. Qed.

Lemma unmoved t : bounds_at v (t - 0) = bounds_at v t.
Proof. f_equal. lia. Qed.

Theorem divergences_above a b E f g t :
  divergences true a b v j = (f, g, t) -> (0 <= a)%Z -> (0 < b)%Z -> IZR a / IZR b <= E -> (0 < t)%Z ->
  mass_below w (shifted w (Z.of_nat j)) E (IZR f / (IZR b * IZR t)) /\
  mass_below (shifted w (Z.of_nat j)) w E (IZR g / (IZR b * IZR t)).
Proof.
  intros D Ha Hb HE Ht. rewrite divergences_are in D.
  assert (X := sums_total true a b (bounds_at v) (fun t => bounds_at v (t - Z.of_nat j)) (places v j) Hb 0 0 0).
  rewrite D in X. cbv zeta in X. destruct X as [Xf [Xg Xt]]. rewrite Rplus_0_l in Xf, Xg, Xt.
  apply IZR_le in Ha. assert (Rb := IZR_lt _ _ Hb). assert (Rt := IZR_lt _ _ Ht). set (L := IZR a / IZR b) in *.
  assert (L0 : 0 <= L) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (W := low_total). rewrite <- Xt in W. assert (Pos := weights_nonneg v w c enclosed).
  assert (Main : forall s s', (0 <= s <= Z.of_nat j)%Z -> (0 <= s' <= Z.of_nat j)%Z ->
    mass_below (shifted w s) (shifted w s') E
      (total (places v j) (fun b => Rmax 0 (IZR (snd (bounds_at v (b - s))) - L * IZR (fst (bounds_at v (b - s'))))) /
        IZR t)).
  { intros s s' S1 S2. apply (enclosed_above_total clip (places v j) (shifted w s) (shifted w s')
      (fun b => IZR (snd (bounds_at v (b - s)))) (fun b => IZR (fst (bounds_at v (b - s')))) E L c (IZR t)).
    - intros x. apply Pos.
    - intros x. apply Pos.
    - lra.
    - exact HE.
    - apply places_once.
    - intros x. apply clip_in_places.
    - intros x. apply (bounds_everywhere v w c enclosed).
    - lra.
    - intros x I. apply clip_bounds; assumption. }
  split.
  - apply below_shifted. replace (IZR f / (IZR b * IZR t)) with
      (total (places v j) (fun b =>
        Rmax 0 (IZR (snd (bounds_at v (b - 0))) - L * IZR (fst (bounds_at v (b - Z.of_nat j))))) / IZR t).
    + apply Main; lia.
    + rewrite Xf. unfold excess. erewrite total_ext; [| intros x _; rewrite unmoved; reflexivity]. field. lra.
  - apply shifted_below. replace (IZR g / (IZR b * IZR t)) with
      (total (places v j) (fun b =>
        Rmax 0 (IZR (snd (bounds_at v (b - Z.of_nat j))) - L * IZR (fst (bounds_at v (b - 0))))) / IZR t).
    + apply Main; lia.
    + rewrite Xg. unfold excess. erewrite total_ext; [| intros x _; rewrite unmoved; reflexivity]. field. lra.
Qed.

Theorem divergences_below a b E f g t delta :
  divergences false a b v j = (f, g, t) -> (0 < b)%Z -> 0 <= E <= IZR a / IZR b ->
  (mass_below w (shifted w (Z.of_nat j)) E delta -> IZR f / (IZR b * IZR t) <= delta) /\
  (mass_below (shifted w (Z.of_nat j)) w E delta -> IZR g / (IZR b * IZR t) <= delta).
Proof.
  intros D Hb HE. rewrite divergences_are in D.
  assert (X := sums_total false a b (bounds_at v) (fun t => bounds_at v (t - Z.of_nat j)) (places v j) Hb 0 0 0).
  rewrite D in X. cbv zeta in X. destruct X as [Xf [Xg Xt]]. rewrite Rplus_0_l in Xf, Xg, Xt.
  assert (Rb := IZR_lt _ _ Hb). set (L := IZR a / IZR b) in *.
  assert (W := high_total). rewrite <- Xt in W. assert (C := unit_positive v w c enclosed).
  assert (B := bounds_everywhere v w c enclosed).
  assert (Main : forall s s', mass_below (shifted w s) (shifted w s') E delta ->
      total (places v j) (fun b => Rmax 0 (IZR (fst (bounds_at v (b - s))) - L * IZR (snd (bounds_at v (b - s'))))) /
        IZR t
      <= delta).
  { intros s s' M. apply (enclosed_below_total (places v j) (shifted w s) (shifted w s')
      (fun b => IZR (fst (bounds_at v (b - s)))) (fun b => IZR (snd (bounds_at v (b - s')))) E L c (IZR t)); auto.
    - apply places_once.
    - intros x. destruct (B (x - s')%Z) as [B1 B2]. lra.
    - intros x _. unfold shifted. destruct (B (x - s)%Z) as [B1 B2], (B (x - s')%Z) as [B3 B4].
      split; apply Rmult_le_reg_l with c; try exact C.
      + replace (c * (IZR (fst (bounds_at v (x - s))) / c)) with (IZR (fst (bounds_at v (x - s)))) by (field; lra). lra.
      + replace (c * (IZR (snd (bounds_at v (x - s'))) / c)) with (IZR (snd (bounds_at v (x - s')))) by (field; lra).
        lra. }
  assert (Rt : 0 < IZR t) by lra. split; intros M.
  - apply below_shifted in M. apply Main in M. rewrite Xf. unfold excess.
    erewrite total_ext in M; [| intros x _; rewrite unmoved; reflexivity].
    eapply Rle_trans; [| exact M]. apply Req_le. field. lra.
  - apply shifted_below in M. apply Main in M. rewrite Xg. unfold excess.
    erewrite total_ext in M; [| intros x _; rewrite unmoved; reflexivity].
    eapply Rle_trans; [| exact M]. apply Req_le. field. lra.
Qed.

End sound.

(** The swap with a slot of one's own, in stages, by the rows one at a time.

    As in swapped_messages.v, for N others, c below every row, of the mass gamma > 0, and waves that are a majorant: with
    the ends t_1 < ... < t_J <= N the stage j hides in m = N + 2 - t_j slots, one of which may be the own one, of the
    law c / gamma. With X(row) for what [wave_bound] and [uncovered] say of m equal rows and Y for that of c / gamma, a
    stage costs at most X + max(0, Y - X)/m for the worst row, over all stages together ([own_slot_below]).

    Idea: m of the slots are a uniform set of all, in which the own one has a share of at most 1/m; fewer slots hide
    less. Source: docs/soundness.md, "Who differs may keep a slot of his own". *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws shuffler hockey_stick independence adding_a_user mean_excess hidden_message blanket.
From Exactdp Require Import generic_blanket increasing_convex_order uniform_subsets swapped_messages swapped_stages wave_bounds
  swap_vertices.
From ExactdpChecker Require Import charged_spreads.
Import ListNotations.
Open Scope R_scope.

(** ** Stages, with what is left after each step *)

Fixpoint stages_with (left : nat -> R) (before : nat) (ends : list nat) (n : nat) (H : R) (F : nat -> R) : R :=
  match ends with
  | [] => left before * H
  | t :: rest => (left before - left t) * F (S (S n) - t)%nat + stages_with left t rest n H F
  end.

Lemma telescopes (left : nat -> R) a k : total (seq a k) (fun i => left i - left (S i)) = left a - left (a + k)%nat.
Proof.
  revert a. induction k as [| k IH]; intros a; simpl; [rewrite Nat.add_0_r; ring |].
  rewrite IH. replace (S a + k)%nat with (a + S k)%nat by lia. ring.
Qed.

Lemma stages_with_above left before ends n H (F B : nat -> R) :
  (forall i, (i < n)%nat -> left (S i) <= left i) -> rising before ends n ->
  (forall s m, (1 <= s <= n)%nat -> (1 <= m <= S s)%nat -> F s <= B m) ->
  left (last_end before ends) * H +
    total (seq before (last_end before ends - before)) (fun i => (left i - left (S i)) * F (n - i)%nat) <=
  stages_with left before ends n H B.
Proof.
  intros L. revert before. induction ends as [| t rest IH]; intros before Hr HB.
  - simpl. rewrite Nat.sub_diag. simpl. lra.
  - destruct Hr as [H1 H2]. assert (Bd := last_end_bounds t rest n H2). cbn [stages_with last_end].
    replace (last_end t rest - before)%nat with ((t - before) + (last_end t rest - t))%nat by lia.
    rewrite seq_app, total_app. replace (before + (t - before))%nat with t by lia. specialize (IH t H2 HB).
    assert (First : total (seq before (t - before)) (fun i => (left i - left (S i)) * F (n - i)%nat) <=
      (left before - left t) * B (S (S n) - t)%nat).
    { assert (T := telescopes left before (t - before)). replace (before + (t - before))%nat with t in T by lia.
      rewrite <- T, <- total_scal_r. apply total_le. intros i I. apply in_seq in I. apply Rmult_le_compat_l.
      - assert (X := L i ltac:(lia)). lra.
      - apply HB; lia. }
    lra.
Qed.

Lemma stages_with_average {A} (rows : list A) left before ends n H (f : nat -> A -> R) :
  rows <> [] ->
  stages_with left before ends n H (fun r => average rows (f r)) =
  average rows (fun row => stages_with left before ends n H (fun r => f r row)).
Proof.
  intros N. assert (L : 0 < INR (length rows)) by (destruct rows; [congruence | apply lt_0_INR; simpl; lia]).
  revert before. induction ends as [| t ends IH]; intros before; simpl.
  - unfold average. rewrite total_const. field. lra.
  - rewrite IH. unfold average. rewrite total_plus, total_scal. field. lra.
Qed.

Lemma stages_with_mean {A} (lam : dist A) left before ends n H (f : nat -> A -> R) :
  proper lam ->
  stages_with left before ends n H (fun r => mean lam (f r)) = mean lam (fun b => stages_with left before ends n H (fun r => f r b)).
Proof.
  intros P. revert before. induction ends as [| t ends IH]; intros before; simpl.
  - rewrite mean_const by exact P. reflexivity.
  - rewrite IH, mean_plus, mean_scal. reflexivity.
Qed.

Lemma stages_with_le (left : nat -> R) ends n H K (F G : nat -> R) :
  (forall i, (i < n)%nat -> left (S i) <= left i) -> 0 <= left n -> H <= K -> (forall m, F m <= G m) ->
  forall before, (before <= n)%nat -> rising before ends n ->
  stages_with left before ends n H F <= stages_with left before ends n K G.
Proof.
  intros L L0 HK FG. assert (Mono : forall a b, (a <= b <= n)%nat -> left b <= left a).
  { intros a b [A B]. induction A as [| b A IH]; [lra |]. assert (X := L b ltac:(lia)). specialize (IH ltac:(lia)). lra. }
  induction ends as [| t ends IH]; intros before Hb Hr; cbn [stages_with].
  - apply Rmult_le_compat_l; [| exact HK]. assert (X := Mono before n ltac:(lia)). lra.
  - destruct Hr as [[H1 H2] Hr]. apply Rplus_le_compat; [| apply IH; [lia | exact Hr]].
    apply Rmult_le_compat_l; [| apply FG]. assert (X := Mono before t ltac:(lia)). lra.
Qed.

(** ** The slots *)

Lemma goes_on_last go n i : goes_on go n (S i) = goes_on go n i * go (n - i)%nat.
Proof.
  revert n. induction i as [| i IH]; intros n; [simpl; rewrite Nat.sub_0_r; ring |].
  change (goes_on go n (S (S i))) with (go n * goes_on go (n - 1) (S i)). rewrite IH. cbn [goes_on].
  replace (n - 1 - i)%nat with (n - S i)%nat by lia. ring.
Qed.

Section Own.

Context {A : Type} (P Q c : dist A) (E : R).
Hypothesis c_weights : sub_law c.
Let gamma := weight c.
Hypothesis gamma_0 : 0 < gamma.
Let base := part_of c (/ gamma).

Definition own_left (n i : nat) : R := goes_on (own_goes_on c) n i.

Lemma base_proper : proper base.
Proof.
  split.
  - intros wa I. apply in_map_iff in I. destruct I as [vb [<- I]]. simpl. apply Rmult_le_pos; [| apply c_weights, I].
    left. apply Rinv_0_lt_compat, gamma_0.
  - unfold base. rewrite mean_part_of. fold gamma. change (mean c (fun _ => 1)) with gamma. field. lra.
Qed.

Variable waves : list wave.
Hypothesis waves_above : majorant (fun _ => True) waves.

(** A law that is at least as spread as the values of a row, and what is charged besides. *)
Variables (law_of : dist A -> dist R) (charge_of : dist A -> R).

Definition hidden_in (m : nat) (row : dist A) : R := wave_bound waves m (law_of row) + charge_of row.

Definition with_own (m : nat) (row : dist A) : R := hidden_in m row + Rmax 0 (hidden_in m base - hidden_in m row) / INR m.

Lemma own_slot_hides rows s m : Forall proper rows ->
  Forall (spreads_most P Q E law_of charge_of) (base :: rows) -> (1 <= s <= length rows)%nat -> (1 <= m <= S s)%nat ->
  over_subsets s rows (fun t => shared_excess P Q E (base :: t)) <= average rows (with_own m).
Proof.
  intros Proper H Hs Hm. assert (M0 : 0 < INR m) by (apply lt_0_INR; lia).
  assert (S0 : 0 < INR s) by (apply lt_0_INR; lia). assert (MS : INR m <= INR s + 1) by (rewrite <- S_INR; apply le_INR; lia).
  apply Rle_trans with (over_subsets s rows (fun t => / (INR s + 1) * hidden_in m base +
    INR s / (INR s + 1) * average t (hidden_in m))).
  - apply over_subsets_le. intros t L I.
    rewrite Forall_forall in H.
    assert (St : Forall (spreads_most P Q E law_of charge_of) (base :: t)).
    { apply Forall_forall. intros d [<- | J]; apply H; [left; reflexivity | right; apply I, J]. }
    assert (Pt : Forall proper (base :: t)).
    { constructor; [exact base_proper |]. apply Forall_forall. intros d J. apply (proj1 (Forall_forall _ _) Proper d), I, J. }
    rewrite <- (over_all (base :: t) (shared_excess P Q E)).
    eapply Rle_trans; [apply (fewer_hide_less P Q E (base :: t) m (length (base :: t)) Pt); simpl; lia |].
    eapply Rle_trans; [apply (charged_mean P Q E law_of charge_of (fun _ => True) waves m (base :: t) waves_above) |].
    + exact St.
    + intros u _ _ wl _. trivial.
    + simpl. lia.
    + right. transitivity (average (base :: t) (hidden_in m)); [reflexivity |]. unfold average. cbn [total length].
      rewrite L, S_INR. field. lra.
  - assert (K1 := over_subsets_const s rows (/ (INR s + 1) * hidden_in m base) ltac:(lia)).
    assert (K2 := sublists_mean s rows (hidden_in m) ltac:(lia)).
    unfold over_subsets in *. rewrite mean_plus, K1, mean_scal, K2.
    set (Y := hidden_in m base). set (X := average rows (hidden_in m)).
    assert (L0 : 0 < INR (length rows)) by (apply lt_0_INR; lia).
    set (Z := average rows (fun row => Rmax 0 (Y - hidden_in m row))).
    assert (Z0 : 0 <= Z).
    { unfold Z, average. apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat, L0]. apply total_nonneg. intros. apply Rmax_l. }
    assert (ZY : Y - X <= Z).
    { unfold Z, X, average. apply Rmult_le_reg_r with (INR (length rows)); [exact L0 |]. unfold Rdiv.
      rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l, !Rmult_1_r by lra. rewrite Rmult_comm, <- total_const, <- total_minus.
      apply total_le. intros. apply Rmax_r. }
    assert (Av : average rows (with_own m) = X + Z / INR m).
    { unfold with_own, average, X, Z, average, Rdiv. fold Y. rewrite total_plus, total_scal_r. field. lra. }
    rewrite Av. apply Rle_trans with (X + Z / (INR s + 1)).
    + replace (/ (INR s + 1) * Y + INR s / (INR s + 1) * X) with (X + (Y - X) / (INR s + 1)) by (field; lra).
      apply Rplus_le_compat_l. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact ZY].
    + apply Rplus_le_compat_l, Rmult_le_compat_l; [exact Z0 |]. apply Rinv_le_contravar; assumption.
Qed.

Lemma own_left_falls n i : gamma <= 1 -> own_left n (S i) <= own_left n i /\ 0 <= own_left n i.
Proof.
  intros G. unfold own_left. rewrite goes_on_last.
  assert (Go : forall k, 0 <= own_goes_on c k <= 1).
  { intros k. unfold own_goes_on. fold gamma. assert (K := pos_INR k). assert (D : 0 < INR k + gamma) by lra.
    split; [apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; apply Rinv_0_lt_compat, D] |].
    apply Rmult_le_reg_r with (INR k + gamma); [exact D |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (N : 0 <= goes_on (own_goes_on c) n i).
  { revert n. induction i as [| i IH]; intros n; simpl; [lra |]. apply Rmult_le_pos; [apply Go | apply IH]. }
  assert (X := Go (n - i)%nat). split; [nra | exact N].
Qed.

Theorem own_slot_below ends rows g delta :
  Forall (fun d => proper d /\ lies_below c d) rows -> Forall (spreads_most P Q E law_of charge_of) (base :: rows) -> rows <> [] ->
  rising 0 ends (length rows) ->
  orderless g -> (forall l, 0 <= g l <= 1) ->
  (forall row, In row rows ->
    stages_with (own_left (length rows)) 0 ends (length rows) (hockey_stick P Q E) (fun m => with_own m row) <= delta) ->
  mean (draws (P :: rows)) g - E * mean (draws (Q :: rows)) g <= delta.
Proof.
  intros H Sp Some Hr O G B. assert (Bd := last_end_bounds 0 ends (length rows) Hr).
  assert (W1 : gamma <= 1).
  { destruct rows as [| d rows]; [congruence |]. inversion H as [| ? ? [X Y] _]. apply (weight_below c d); assumption. }
  eapply Rle_trans; [apply (swap_with_own_slot P Q E c c_weights (last_end 0 ends) rows g gamma_0); [lia | exact H | split; assumption] |].
  eapply Rle_trans; [| apply (average_at_most rows _ delta Some B)].
  rewrite <- (stages_with_average rows (own_left (length rows)) 0 ends (length rows) (hockey_stick P Q E)
    (fun m row => with_own m row) Some).
  eapply Rle_trans; [| apply (stages_with_above (own_left (length rows)) 0 ends (length rows) _
    (fun s => over_subsets s rows (fun t => shared_excess P Q E (base :: t))))].
  - unfold in_steps. rewrite Nat.sub_0_r. apply Rplus_le_compat_l. right. apply total_ext. intros i I.
    fold base. fold (own_left (length rows) i). f_equal. unfold own_left. rewrite goes_on_last.
    unfold own_stops, own_goes_on. fold gamma. set (k := (length rows - i)%nat). assert (K := pos_INR k). rewrite S_INR.
    field. lra.
  - intros i _. apply own_left_falls, W1.
  - exact Hr.
  - intros s m Hs Hm. apply own_slot_hides; try assumption.
    revert H. apply Forall_impl. intros d [X _]. exact X.
Qed.

End Own.

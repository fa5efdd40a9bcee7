(** Uniform subsets of r of the entries of a list, and means over them.

    [sublists r l] lists every way to keep r of the entries of l, in their order: a uniform subset of r users is a
    uniform entry of it. [picks l] lists every way to take one entry out. Proved, for lists of any entries, repeated
    ones counted apart, and real functions F:

    - [sublists_step]: of n + 1 entries the first is in a uniform subset of r + 1 with the probability (r + 1)/(n + 1),
      and the others of the subset are a uniform one of the other entries;
    - [sublists_pick]: a uniform subset of r entries of what is left when a uniform entry was taken out is a uniform
      subset of r entries, for r <= n of n + 1 entries;
    - [pick_sublists]: what is left of a uniform subset of r + 1 entries when a uniform one of them was taken out is a
      uniform subset of r entries;
    - [sublists_mean]: the mean over uniform subsets S of r >= 1 entries of (1/r) sum of f over S is the mean of f;
    - [maclaurin]: for f >= 0 the mean over uniform subsets S of r entries of the product of f over S is at most the
      r-th power of the mean of f (Maclaurin's inequality, between the first and the r-th symmetric mean).

    Idea of the last: by induction the mean is at most (r/n) a m^(r-1) + (1 - r/n) m^r, a the first number and m the
    mean of the others; this is the tangent at m of the r-th power of the mean of all. Source: folklore. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import sums laws shuffler.
Import ListNotations.
Open Scope R_scope.

Fixpoint sublists {A} (r : nat) (l : list A) : list (list A) :=
  match r, l with
  | O, _ => [[]]
  | S _, [] => []
  | S k, a :: rest => map (cons a) (sublists k rest) ++ sublists r rest
  end.

Fixpoint picks {A} (l : list A) : list (A * list A) :=
  match l with
  | [] => []
  | a :: rest => (a, rest) :: map (fun p => (fst p, a :: snd p)) (picks rest)
  end.

(** The mean over uniform subsets of r entries. *)
Definition over_subsets {A} (r : nat) (l : list A) (F : list A -> R) : R := mean (uniform (sublists r l)) F.

(** ** How many there are *)

Lemma sublists_length {A} r (l s : list A) : In s (sublists r l) -> length s = r.
Proof.
  revert r s. induction l as [| a l IH]; intros [| r] s; simpl; try (intros [<- | []]; reflexivity); [tauto |].
  intros I. apply in_app_or in I. destruct I as [I | I]; [| apply IH, I].
  apply in_map_iff in I. destruct I as [t [<- I]]. simpl. f_equal. apply IH, I.
Qed.

Lemma sublists_incl {A} r (l s : list A) : In s (sublists r l) -> incl s l.
Proof.
  revert r s. induction l as [| a l IH]; intros [| r] s; simpl; try (intros [<- | []] b []); [tauto |].
  intros I. apply in_app_or in I. destruct I as [I | I].
  - apply in_map_iff in I. destruct I as [t [<- I]]. intros b [<- | J]; [left; reflexivity | right].
    apply (IH r t I), J.
  - intros b J. right. apply (IH (S r) s I), J.
Qed.

Lemma picks_length {A} (l : list A) : length (picks l) = length l.
Proof. induction l as [| a l IH]; simpl; [| rewrite map_length, IH]; reflexivity. Qed.

Lemma pick_length {A} (l : list A) p : In p (picks l) -> length l = S (length (snd p)).
Proof.
  revert p. induction l as [| a l IH]; simpl; [tauto |]. intros p [<- | I]; [reflexivity |].
  apply in_map_iff in I. destruct I as [q [<- I]]. simpl. rewrite (IH q I). reflexivity.
Qed.

Lemma pick_permutation {A} (l : list A) p : In p (picks l) -> Permutation (fst p :: snd p) l.
Proof.
  revert p. induction l as [| a l IH]; simpl; [tauto |]. intros p [<- | I]; [reflexivity |].
  apply in_map_iff in I. destruct I as [q [<- I]]. simpl.
  eapply perm_trans; [apply perm_swap |]. apply perm_skip, IH, I.
Qed.

Lemma total_sublists {A} k a (l : list A) F :
  total (sublists (S k) (a :: l)) F = total (sublists k l) (fun s => F (a :: s)) + total (sublists (S k) l) F.
Proof. simpl. rewrite total_app, total_map. reflexivity. Qed.

Lemma total_picks {A} a (l : list A) F :
  total (picks (a :: l)) F = F (a, l) + total (picks l) (fun p => F (fst p, a :: snd p)).
Proof. simpl. rewrite total_map. reflexivity. Qed.

Definition count {A} (r : nat) (l : list A) : R := INR (length (sublists r l)).

Lemma count_step {A} k a (l : list A) : count (S k) (a :: l) = count k l + count (S k) l.
Proof. unfold count. simpl. rewrite app_length, map_length, plus_INR. reflexivity. Qed.

Lemma count_none {A} (l : list A) : count 0 l = 1.
Proof. unfold count. destruct l; reflexivity. Qed.

Lemma count_more {A} k (l : list A) : INR (S k) * count (S k) l = (INR (length l) - INR k) * count k l.
Proof.
  revert k. induction l as [| a l IH]; intros k.
  - destruct k; unfold count; simpl; ring.
  - rewrite count_step, Rmult_plus_distr_l, IH. simpl length. rewrite (S_INR (length l)).
    destruct k as [| k]; [rewrite !count_none; simpl; ring |].
    rewrite (count_step k). specialize (IH k). rewrite (S_INR (S k)).
    replace ((INR (S k) + 1) * count (S k) l) with (INR (S k) * count (S k) l + count (S k) l) by ring.
    rewrite IH, (S_INR k). lra.
Qed.

Lemma count_first {A} k a (l : list A) : INR (S k) * count (S k) (a :: l) = INR (S (length l)) * count k l.
Proof. rewrite count_step, Rmult_plus_distr_l, count_more, !S_INR. ring. Qed.

Lemma count_pos {A} r (l : list A) : (r <= length l)%nat -> 0 < count r l.
Proof.
  revert r. induction l as [| a l IH]; intros [| r] H; simpl in H; try lia; try (rewrite count_none; lra).
  rewrite count_step. assert (X := IH r ltac:(lia)). assert (0 <= count (S r) l) by (apply pos_INR). lra.
Qed.

Lemma over_subsets_total {A} r (l : list A) F : over_subsets r l F = total (sublists r l) F / count r l.
Proof. unfold over_subsets. rewrite mean_uniform. unfold count, Rdiv. ring. Qed.

Lemma over_none {A} (l : list A) F : over_subsets 0 l F = F [].
Proof. rewrite over_subsets_total, count_none. destruct l; simpl; field. Qed.

Lemma over_subsets_ext {A} r (l : list A) F G :
  (forall s, length s = r -> incl s l -> F s = G s) -> over_subsets r l F = over_subsets r l G.
Proof.
  intros H. rewrite !over_subsets_total. f_equal. apply total_ext. intros s I.
  apply H; [apply (sublists_length r l), I | apply (sublists_incl r l), I].
Qed.

Lemma over_subsets_le {A} r (l : list A) F G :
  (forall s, length s = r -> incl s l -> F s <= G s) -> over_subsets r l F <= over_subsets r l G.
Proof.
  intros H. rewrite !over_subsets_total. unfold Rdiv. apply Rmult_le_compat_r.
  - destruct (Req_dec (count r l) 0) as [-> | N]; [rewrite Rinv_0; lra |].
    left. apply Rinv_0_lt_compat. assert (0 <= count r l) by apply pos_INR. lra.
  - apply total_le. intros s I. apply H; [apply (sublists_length r l), I | apply (sublists_incl r l), I].
Qed.

Lemma over_subsets_const {A} r (l : list A) c : (r <= length l)%nat -> over_subsets r l (fun _ => c) = c.
Proof.
  intros H. rewrite over_subsets_total, total_const. fold (count r l). assert (X := count_pos r l H). field. lra.
Qed.

(** ** Steps *)

Lemma sublists_step {A} k a (l : list A) F :
  (k < length l)%nat ->
  over_subsets (S k) (a :: l) F =
  INR (S k) / INR (S (length l)) * over_subsets k l (fun s => F (a :: s)) +
  (1 - INR (S k) / INR (S (length l))) * over_subsets (S k) l F.
Proof.
  intros H. rewrite !over_subsets_total, total_sublists.
  assert (P := count_pos k l ltac:(lia)). assert (P1 := count_pos (S k) l ltac:(lia)).
  assert (P2 := count_pos (S k) (a :: l) ltac:(simpl; lia)).
  assert (M := count_more k l). assert (C := count_first k a l).
  assert (0 < INR (S (length l))) by (apply lt_0_INR; lia). assert (0 < INR (S k)) by (apply lt_0_INR; lia).
  set (w := INR (S k) / INR (S (length l))).
  assert (0 < w) by (apply Rdiv_lt_0_compat; assumption).
  assert (E0 : count k l = w * count (S k) (a :: l)).
  { unfold w, Rdiv. rewrite Rmult_assoc, (Rmult_comm (/ _)), <- Rmult_assoc, C. field. lra. }
  assert (E1 : count (S k) l = (1 - w) * count (S k) (a :: l)).
  { assert (D := count_step k a l). rewrite E0 in D. rewrite Rmult_minus_distr_r. lra. }
  assert (W : 0 < 1 - w).
  { apply Rmult_lt_reg_r with (count (S k) (a :: l)); [exact P2 | rewrite Rmult_0_l, <- E1; exact P1]. }
  rewrite E0, E1. clearbody w. field. repeat split; lra.
Qed.

(** All entries. *)
Lemma over_all {A} (l : list A) F : over_subsets (length l) l F = F l.
Proof.
  rewrite over_subsets_total.
  assert (H : forall l : list A, sublists (length l) l = [l]).
  { clear l F. assert (Z : forall k (l : list A), (length l < k)%nat -> sublists k l = []).
    { intros k l. revert k. induction l as [| a l IH]; intros [| k] H; simpl in *; try lia; [reflexivity |].
      rewrite (IH k) by lia. simpl. apply IH. lia. }
    induction l as [| a l IH]; [reflexivity |]. simpl. rewrite IH, Z by lia. reflexivity. }
  unfold count. rewrite H. simpl. field.
Qed.

Lemma sublists_of_picks {A} r (l : list A) F :
  total (picks l) (fun p => total (sublists r (snd p)) F) = (INR (length l) - INR r) * total (sublists r l) F.
Proof.
  revert r F. induction l as [| a l IH]; intros r F; [destruct r; simpl; ring |].
  rewrite total_picks. simpl snd. destruct r as [| k].
  - rewrite (total_ext (picks l) _ (fun p => F [])) by (intros p _; simpl; ring).
    rewrite total_const, picks_length. simpl length. rewrite S_INR.
    replace (total (sublists 0 l) F) with (F [] + 0) by (destruct l; reflexivity). simpl. ring.
  - rewrite (total_ext (picks l) _ (fun p => total (sublists k (snd p)) (fun s => F (a :: s)) +
      total (sublists (S k) (snd p)) F)) by (intros p _; apply total_sublists).
    rewrite total_plus, !IH, total_sublists. simpl length. rewrite (S_INR (length l)), (S_INR k). ring.
Qed.

Lemma picks_of_sublists {A} r (l : list A) F :
  total (sublists (S r) l) (fun s => total (picks s) (fun p => F (snd p))) =
  (INR (length l) - INR r) * total (sublists r l) F.
Proof.
  revert r F. induction l as [| a l IH]; intros r F; [destruct r; simpl; ring |].
  rewrite total_sublists, IH.
  rewrite (total_ext (sublists r l) _ (fun s => F s + total (picks s) (fun p => F (a :: snd p))))
    by (intros s _; rewrite total_picks; reflexivity).
  rewrite total_plus. simpl length. rewrite S_INR. destruct r as [| k].
  - replace (total (sublists 0 l) (fun s => total (picks s) _)) with 0 by (destruct l; simpl; ring).
    replace (total (sublists 0 (a :: l)) F) with (total (sublists 0 l) F) by (destruct l; reflexivity). simpl. ring.
  - rewrite (IH k (fun s => F (a :: s))), total_sublists, (S_INR k). ring.
Qed.

Theorem sublists_pick {A} r (l : list A) F :
  (r < length l)%nat ->
  mean (uniform (picks l)) (fun p => over_subsets r (snd p) F) = over_subsets r l F.
Proof.
  intros H. rewrite mean_uniform, picks_length, over_subsets_total.
  assert (P := count_pos r l ltac:(lia)). assert (L : 0 < INR (length l)) by (apply lt_0_INR; lia).
  assert (G : 0 < INR (length l) - INR r) by (apply lt_INR in H; lra).
  assert (C : forall p, In p (picks l) -> count r (snd p) = (INR (length l) - INR r) * count r l / INR (length l)).
  { assert (Same : forall u v : list A, length u = length v -> count r u = count r v).
    { intros u. clear. revert r. induction u as [| a u IH]; intros r [| b v] E; try discriminate; [reflexivity |].
      destruct r as [| k]; [reflexivity |]. injection E as E. rewrite !count_step, (IH k v E), (IH (S k) v E).
      reflexivity. }
    assert (X := sublists_of_picks r l (fun _ => 1)). intros p I.
    rewrite (total_ext (picks l) _ (fun _ => count r (snd p))) in X.
    - rewrite !total_const, picks_length in X. fold (count r l) in X. rewrite Rmult_1_r in X. rewrite <- X. field. lra.
    - intros q J. rewrite total_const. fold (count r (snd q)). rewrite Rmult_1_r. apply Same.
      assert (A1 := pick_length l p I). assert (A2 := pick_length l q J). congruence. }
  rewrite (total_ext (picks l) _ (fun p => total (sublists r (snd p)) F *
    (INR (length l) / ((INR (length l) - INR r) * count r l)))).
  - rewrite total_scal_r, sublists_of_picks. field. repeat split; lra.
  - intros p I. rewrite over_subsets_total, (C p I). field. repeat split; lra.
Qed.

Lemma pick_sublists {A} r (l : list A) F :
  (r < length l)%nat ->
  over_subsets (S r) l (fun s => mean (uniform (picks s)) (fun p => F (snd p))) = over_subsets r l F.
Proof.
  intros H. rewrite (over_subsets_ext _ _ _ (fun s => / INR (S r) * total (picks s) (fun p => F (snd p)))).
  - rewrite !over_subsets_total, total_scal, picks_of_sublists.
    assert (P := count_pos r l ltac:(lia)). assert (P1 := count_pos (S r) l ltac:(lia)). assert (M := count_more r l).
    assert (0 < INR (S r)) by (apply lt_0_INR; lia).
    assert (G : 0 < INR (length l) - INR r) by (apply lt_INR in H; lra).
    apply Rmult_eq_reg_r with (INR (S r) * count (S r) l); [| nra]. rewrite M at 2. field. lra.
  - intros s L _. rewrite mean_uniform, picks_length, L. reflexivity.
Qed.

(** ** Means and products *)

Definition average {A} (l : list A) (f : A -> R) : R := total l f / INR (length l).

Lemma sublists_mean {A} r (l : list A) f :
  (1 <= r <= length l)%nat -> over_subsets r l (fun s => average s f) = average l f.
Proof.
  intros H. revert r H. induction l as [| a l IH]; intros [| k] H; simpl in H; try lia.
  destruct (Nat.eq_dec k (length l)) as [-> | N].
  { exact (over_all (a :: l) (fun s => average s f)). }
  rewrite sublists_step by lia. rewrite IH by lia.
  assert (L : 0 < INR (length l)) by (apply lt_0_INR; lia). assert (0 < INR (S k)) by (apply lt_0_INR; lia).
  rewrite (over_subsets_ext k l _ (fun s => f a / INR (S k) + INR k / INR (S k) * average s f)).
  2: { intros s E _. unfold average. simpl length. simpl total. rewrite E. destruct k as [| k].
    - destruct s; [| discriminate]. simpl. unfold Rdiv. rewrite Rinv_1. ring.
    - field. split; apply not_0_INR; lia. }
  assert (Split : over_subsets k l (fun s => f a / INR (S k) + INR k / INR (S k) * average s f) =
    f a / INR (S k) + INR k / INR (S k) * average l f).
  { destruct k as [| k]; [rewrite over_none; change (INR 0) with 0; unfold Rdiv; ring |].
    rewrite <- (IH (S k)) by lia. set (c := f a / _). set (d := _ / _).
    apply eq_trans with (over_subsets (S k) l (fun _ => c) + d * over_subsets (S k) l (fun s => average s f));
      [| rewrite over_subsets_const by lia; reflexivity].
    rewrite !over_subsets_total, total_plus, total_scal. unfold Rdiv. ring. }
  rewrite Split. unfold average. simpl length. simpl total. rewrite (S_INR (length l)), (S_INR k). rewrite S_INR in H0.
  field. lra.
Qed.

Definition product_over {A} (l : list A) (f : A -> R) : R := fold_right (fun a p => f a * p) 1 l.

(** Bernoulli's inequality: a power lies above its tangent. *)
Lemma tangent_of_power m d k : 0 <= m -> 0 <= m + d -> m ^ S k + INR (S k) * m ^ k * d <= (m + d) ^ S k.
Proof.
  intros M D. induction k as [| k IH]; [simpl; lra |].
  assert (X := Rmult_le_compat_l (m + d) _ _ D IH). rewrite S_INR.
  assert (0 <= m ^ k) by (apply pow_le, M). assert (0 <= INR (S k)) by apply pos_INR.
  assert (0 <= INR (S k) * m ^ k * (d * d)) 
    by (apply Rmult_le_pos; [apply Rmult_le_pos; assumption | apply Rle_0_sqr]).
  simpl in *. nra.
Qed.

Theorem maclaurin {A} r (l : list A) (f : A -> R) :
  (r <= length l)%nat -> (forall a, In a l -> 0 <= f a) ->
  over_subsets r l (fun s => product_over s f) <= average l f ^ r.
Proof.
  revert r. induction l as [| a l IH]; intros r H F.
  { destruct r; [rewrite over_none; simpl; lra | simpl in H; lia]. }
  destruct r as [| k]; [rewrite over_none; simpl; lra |]. simpl in H.
  assert (Fa : 0 <= f a) by (apply F; left; reflexivity).
  assert (Fl : forall b, In b l -> 0 <= f b) by (intros; apply F; right; assumption).
  assert (M : 0 <= average l f).
  { unfold average, Rdiv. apply Rmult_le_pos; [apply total_nonneg, Fl |].
    destruct l as [| b l]; [simpl; rewrite Rinv_0; lra |]. left. apply Rinv_0_lt_compat, lt_0_INR. simpl. lia. }
  set (m := average l f) in *. assert (L1 : 0 < INR (S (length l))) by (apply lt_0_INR; lia).
  assert (Whole : average (a :: l) f = m + (f a - m) / INR (S (length l))).
  { unfold m, average. simpl total. simpl length. destruct l as [| b l]; [simpl; unfold Rdiv; rewrite Rinv_1; ring |].
    simpl length in *. rewrite !S_INR in *. field. assert (Y := pos_INR (length l)). lra. }
  assert (D : 0 <= m + (f a - m) / INR (S (length l))).
  { rewrite <- Whole. unfold average, Rdiv. apply Rmult_le_pos; [apply total_nonneg, F |].
    left. apply Rinv_0_lt_compat, L1. }
  rewrite Whole. eapply Rle_trans; [| apply tangent_of_power; assumption].
  assert (Step : forall s, product_over (a :: s) f = f a * product_over s f) by reflexivity.
  assert (First : over_subsets k l (fun s => product_over (a :: s) f) <= f a * m ^ k).
  { rewrite over_subsets_total. rewrite (total_ext _ _ (fun s => f a * product_over s f)) by (intros; apply Step).
    rewrite total_scal. unfold Rdiv. rewrite Rmult_assoc. apply Rmult_le_compat_l; [exact Fa |].
    fold (total (sublists k l) (fun s => product_over s f) / count k l). rewrite <- over_subsets_total.
    apply IH; [lia | exact Fl]. }
  destruct (Nat.eq_dec k (length l)) as [-> | N].
  - change (S (length l)) with (length (a :: l)) at 1. rewrite over_all, Step.
    rewrite over_all, Step in First. eapply Rle_trans; [exact First |]. right. simpl pow. field. lra.
  - rewrite sublists_step by lia. specialize (IH (S k) ltac:(lia) Fl).
    set (w := INR (S k) / INR (S (length l))).
    assert (0 <= w) by (apply Rmult_le_pos; [apply pos_INR | left; apply Rinv_0_lt_compat, L1]).
    assert (w <= 1).
    { unfold w. apply Rmult_le_reg_r with (INR (S (length l))); [exact L1 |]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply le_INR. lia. }
    apply (Rmult_le_compat_l w) in First; [| assumption]. apply (Rmult_le_compat_l (1 - w)) in IH; [| lra].
    replace (INR (S k) * m ^ k * ((f a - m) / INR (S (length l)))) with (w * (f a * m ^ k) - w * (m * m ^ k))
      by (unfold w; field; lra).
    simpl pow in *. lra.
Qed.

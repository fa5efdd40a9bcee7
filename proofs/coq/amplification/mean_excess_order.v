(** The mean excess of copies of a law: it falls in their number, and with a larger reference.

    - [mean_excess_falls]: for every finite law L of real numbers with weights that are not negative and sum to 1, and
      every n >= 1, mean_excess (n+1) L <= mean_excess n L; and so for every larger number ([mean_excess_falls_from]).
      No moment of L need vanish.
    - [mean_excess_other_sign]: for n >= 1, mean_excess n L = E[L] + mean_excess n (-L), exactly.
    - [reference_bound_larger]: if c' lies below c (no weight is negative and no outcome is drawn more often) and c
      weighs at most 1, then reference_bound n P Q E c <= reference_bound n P Q E c', for all finite laws P and Q, real
      E and every n >= 1. So a smaller blanket is safe, and the bound of a blanket is at least the value of every
      reference row above it; c' may miss outcomes of c, which are then paid in full.
    - [reference_bound_falls]: reference_bound n P Q E c falls in n >= 1. So a blanket that is used at n0 users bounds
      all larger numbers of users.

    Idea: n times the sum of n+1 values is the sum of all sums that leave one out, of which the positive parts are
    taken; a value under c is the mean of a value under c' and of 0, but where c' has no mass: such a value exceeds
    0 by no more than what it is charged.
    Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws hockey_stick independence events.
From Exactdp Require Import mean_excess hidden_message classes increasing_convex_order.
Import ListNotations.
Open Scope R_scope.

(** ** One copy more *)

Lemma copies_length {A} (d : dist A) n wa : In wa (copies d n) -> length (snd wa) = n.
Proof.
  unfold copies. revert wa. induction n as [| n IH]; intros wa I.
  - destruct I as [<- | []]. reflexivity.
  - simpl in I. unfold bind in I. apply in_flat_map in I. destruct I as [va [_ J]].
    apply in_map_iff in J. destruct J as [vb [<- J]]. apply in_flat_map in J. destruct J as [vc [J K]].
    destruct K as [<- | []]. simpl. f_equal. apply IH, J.
Qed.

(** The sum over all copies of what the others sum to. *)
Lemma leaving_one_out L n (g : R -> R) :
  proper L ->
  mean (copies L (S n)) (fun vs => total vs (fun v => g (added vs - v))) =
  INR (S n) * mean (copies L n) (fun vs => g (added vs)).
Proof.
  intros HL. revert g. induction n as [| n IH]; intros g.
  - rewrite mean_copies_first, mean_copies_none.
    rewrite (mean_ext L _ (fun _ => g 0)), mean_const by
      (exact HL || (intros v; rewrite mean_copies_none; unfold added; simpl; rewrite Rplus_0_r; f_equal; ring)).
    unfold added. simpl. ring.
  - rewrite mean_copies_first.
    rewrite (mean_ext L _ (fun a => mean (copies L (S n)) (fun vs => g (added vs)) +
      INR (S n) * mean (copies L n) (fun vs => g (a + added vs)))).
    + rewrite mean_plus, mean_const by exact HL. rewrite mean_scal.
      rewrite (mean_copies_first L n (fun vs => g (added vs))).
      rewrite (S_INR (S n)). unfold added. simpl total. ring.
    + intros a. rewrite <- (IH (fun v => g (a + v))), <- mean_plus. apply mean_ext. intros vs.
      unfold added at 1. simpl total. f_equal.
      * f_equal. unfold added. simpl. ring.
      * apply total_ext. intros v _. f_equal. unfold added. simpl. ring.
Qed.

Lemma convex_in_leaving_out n (vs : list R) :
  length vs = S n -> INR n * Rmax 0 (added vs) <= total vs (fun v => Rmax 0 (added vs - v)).
Proof.
  intros H. rewrite <- RmaxRmult by apply pos_INR. rewrite Rmult_0_r.
  apply Rmax_lub; [apply total_nonneg; intros; apply Rmax_l |].
  apply Rle_trans with (total vs (fun v => added vs - v)); [| apply total_le; intros; apply Rmax_r].
  rewrite total_minus, total_const, H, S_INR. fold (added vs). lra.
Qed.

Theorem mean_excess_falls n L : proper L -> (1 <= n)%nat -> mean_excess (S n) L <= mean_excess n L.
Proof.
  intros HL Hn. assert (N := lt_0_INR n ltac:(lia)). assert (N1 := lt_0_INR (S n) ltac:(lia)).
  assert (H : INR n * mean (copies L (S n)) (fun vs => Rmax 0 (added vs)) <=
    INR (S n) * mean (copies L n) (fun vs => Rmax 0 (added vs))).
  { rewrite <- (leaving_one_out L n (Rmax 0) HL), <- mean_scal. apply total_le. intros wa I.
    apply Rmult_le_compat_l; [apply (proper_copies L (S n) HL), I |].
    apply convex_in_leaving_out, (copies_length L (S n) wa I). }
  unfold mean_excess. fold added. apply Rmult_le_reg_l with (INR n * INR (S n)); [apply Rmult_lt_0_compat; lra |].
  unfold added in H. field_simplify; lra.
Qed.

Theorem mean_excess_falls_from n0 n L : proper L -> (1 <= n0 <= n)%nat -> mean_excess n L <= mean_excess n0 L.
Proof.
  intros HL [H1 H2]. induction H2 as [| n H2 IH]; [apply Rle_refl |].
  eapply Rle_trans; [apply mean_excess_falls; [exact HL | lia] | exact IH].
Qed.

(** ** The other sign *)

Definition negated (L : dist R) : dist R := map (fun wv => (fst wv, - snd wv)) L.

Lemma mean_negated L f : mean (negated L) f = mean L (fun v => f (- v)).
Proof. unfold negated, mean. rewrite total_map. reflexivity. Qed.

Lemma proper_negated L : proper L -> proper (negated L).
Proof.
  intros [H1 H2]. split.
  - intros wv I. apply in_map_iff in I. destruct I as [x [<- I]]. simpl. apply H1, I.
  - rewrite mean_negated. exact H2.
Qed.

Lemma copies_negated L n (f : R -> R) :
  mean (copies (negated L) n) (fun vs => f (added vs)) = mean (copies L n) (fun vs => f (- added vs)).
Proof.
  revert f. induction n as [| n IH]; intros f.
  - rewrite !mean_copies_none. unfold added. simpl. rewrite Ropp_0. reflexivity.
  - rewrite !mean_copies_first, mean_negated. apply mean_ext. intros a.
    rewrite (mean_ext _ _ (fun rest => f (- a + added rest))) by reflexivity.
    rewrite (IH (fun v => f (- a + v))). apply mean_ext. intros rest. f_equal. unfold added. simpl. ring.
Qed.

Lemma mean_of_copies L n : proper L -> mean (copies L n) added = INR n * mean L (fun v => v).
Proof.
  intros HL. induction n as [| n IH]; [rewrite mean_copies_none; unfold added; simpl; ring |].
  rewrite mean_copies_first, S_INR.
  rewrite (mean_ext L _ (fun a => a + INR n * mean L (fun v => v))).
  - rewrite mean_plus, mean_const by exact HL. ring.
  - intros a. rewrite <- IH, <- (mean_const (copies L n) a (proper_copies L n HL)) at 1.
    rewrite <- mean_plus. reflexivity.
Qed.

Theorem mean_excess_other_sign n L :
  proper L -> (1 <= n)%nat -> mean_excess n L = mean L (fun v => v) + mean_excess n (negated L).
Proof.
  intros HL Hn. assert (N := lt_0_INR n ltac:(lia)). unfold mean_excess.
  change (fun values : list R => Rmax 0 (total values (fun v => v))) with (fun vs => Rmax 0 (added vs)).
  rewrite (copies_negated L n (Rmax 0)).
  replace (mean L (fun v => v)) with (mean (copies L n) added / INR n) by
    (rewrite mean_of_copies by exact HL; field; lra).
  unfold Rdiv. rewrite <- Rmult_plus_distr_r, <- mean_plus. f_equal. apply mean_ext. intros vs.
  unfold Rmax. destruct (Rle_dec 0 (added vs)), (Rle_dec 0 (- added vs)); lra.
Qed.

(** ** A larger reference *)

(** Values that are 0 in one of two laws, on the same draws: the second is charged in full. *)
Lemma copies_split {A} (d : dist A) (v u w : A -> R) n t :
  sub_law d -> (forall a, v a <= u a + w a) -> (forall a, 0 <= w a) -> mean d (fun _ => 1) = 1 ->
  mean (copies (dmap v d) n) (fun vs => Rmax 0 (added vs - t)) <=
  mean (copies (dmap u d) n) (fun vs => Rmax 0 (added vs - t)) + INR n * mean d w.
Proof.
  intros Hd H W T. assert (P : proper d) by (split; assumption).
  revert t. induction n as [| n IH]; intros t.
  - rewrite !mean_copies_none. unfold added. simpl. lra.
  - rewrite !mean_copies_first, !mean_dmap, S_INR.
    apply Rle_trans with (mean d (fun a => (mean (copies (dmap u d) n) (fun rest => Rmax 0 (added (u a :: rest) - t)) +
      INR n * mean d w) + w a)).
    + apply mean_le; [exact P |]. intros a.
      apply Rle_trans with (mean (copies (dmap v d) n) (fun rest => Rmax 0 (added rest - (t - u a)) + w a)).
      * apply mean_le; [apply proper_copies, proper_dmap, P |]. intros rest. unfold added. simpl. fold (added rest).
        specialize (H a). specialize (W a). unfold Rmax.
        destruct (Rle_dec _ _), (Rle_dec _ _); fold (added rest) in *; lra.
      * rewrite mean_plus, mean_const by (apply proper_copies, proper_dmap, P). apply Rplus_le_compat_r.
        specialize (IH (t - u a)). eapply Rle_trans; [exact IH |]. apply Rplus_le_compat_r, Req_le, mean_ext.
        intros rest. f_equal. unfold added. simpl. ring.
    + rewrite !mean_plus, mean_const by exact P. lra.
Qed.

Lemma lies_below_weight {A} (c d : dist A) : lies_below c d -> mean c (fun _ => 1) <= mean d (fun _ => 1).
Proof.
  intros [_ H]. set (l := nodup same (map snd (c ++ d))).
  assert (N : NoDup l) by apply NoDup_nodup.
  assert (C : covers l c /\ covers l d) by (split; intros wa I; apply nodup_In, in_map, in_or_app; auto).
  rewrite (mean_masses c l), (mean_masses d l) by (exact N || apply C).
  apply total_le. intros a _. specialize (H a). lra.
Qed.

Section larger.

Context {A : Type} (P Q : dist A) (E : R) (c c' : dist A).
Hypothesis c_sub : sub_law c.
Hypothesis below_c : lies_below c' c.
Hypothesis at_most_1 : mean c (fun _ => 1) <= 1.

Definition everywhere : list A := nodup same (map snd (P ++ Q ++ c ++ c')).

Lemma everywhere_once : NoDup everywhere.
Proof. apply NoDup_nodup. Qed.

Lemma everywhere_covers d : incl d (P ++ Q ++ c ++ c') -> covers everywhere d.
Proof. intros H wa I. apply nodup_In, in_map, H, I. Qed.

Lemma covers_c : covers everywhere c.
Proof. apply everywhere_covers. intros x I. rewrite !in_app_iff. tauto. Qed.

Lemma covers_c' : covers everywhere c'.
Proof. apply everywhere_covers. intros x I. rewrite !in_app_iff. tauto. Qed.

Definition excess_at (a : A) : R := mass P a - E * mass Q a.

Lemma uncovered_everywhere (d : dist A) :
  uncovered P Q E d = total everywhere (fun a => if Req_EM_T (mass d a) 0 then Rmax 0 (excess_at a) else 0).
Proof.
  destruct (outcomes_cover P Q) as [CP CQ]. unfold uncovered, excess_at. symmetry.
  apply (total_longer (outcomes P Q) everywhere); [apply outcomes_NoDup | apply everywhere_once | |].
  - intros a I. apply nodup_In in I. apply nodup_In. rewrite !map_app, !in_app_iff in *. tauto.
  - intros a I. rewrite (mass_outside P _ a CP I), (mass_outside Q _ a CQ I), Rmult_0_r, Rminus_0_r, Rmax_left by lra.
    destruct (Req_EM_T _ _); reflexivity.
Qed.

Lemma mass_c'_nonneg a : 0 <= mass c' a.
Proof.
  apply total_nonneg. intros wa I. apply Rmult_le_pos; [apply (proj1 below_c), I |].
  unfold indicator. destruct (same _ _); lra.
Qed.

Lemma mass_c_nonneg a : 0 <= mass c a.
Proof. eapply Rle_trans; [apply mass_c'_nonneg | apply (proj2 below_c)]. Qed.

(** A draw from c, or none. *)
Definition drawn : dist (option A) := (1 - mean c (fun _ => 1), None) :: map (fun wa => (fst wa, Some (snd wa))) c.

Lemma mean_drawn f : mean drawn f = (1 - mean c (fun _ => 1)) * f None + mean c (fun a => f (Some a)).
Proof. unfold drawn, mean. simpl. rewrite total_map. reflexivity. Qed.

Lemma proper_drawn : proper drawn.
Proof.
  split.
  - intros wa [<- | I]; simpl; [lra |]. apply in_map_iff in I. destruct I as [va [<- I]]. simpl. apply c_sub, I.
  - rewrite mean_drawn. ring.
Qed.

Definition on_draw (f : A -> R) (o : option A) : R := match o with Some a => f a | None => 0 end.

(** The value where c' has mass, and what is paid elsewhere. *)
Definition kept (a : A) : R := if Req_EM_T (mass c' a) 0 then 0 else value_against P Q E c a.
Definition paid (a : A) : R := if Req_EM_T (mass c' a) 0 then Rmax 0 (value_against P Q E c a) else 0.

Lemma values_as_draws : same_law (values_against P Q E c) (dmap (on_draw (value_against P Q E c)) drawn).
Proof. intros f. rewrite mean_values_against, mean_dmap, mean_drawn. reflexivity. Qed.

Lemma paid_at_most : mean drawn (on_draw paid) + uncovered P Q E c <= uncovered P Q E c'.
Proof.
  rewrite mean_drawn, !uncovered_everywhere. simpl on_draw.
  rewrite Rmult_0_r, Rplus_0_l, (mean_masses c everywhere) by (apply everywhere_once || apply covers_c).
  rewrite <- total_plus. apply total_le. intros a _.
  unfold paid, value_against. fold (excess_at a). assert (H := proj2 below_c a). assert (H' := mass_c'_nonneg a).
  assert (M := Rmax_l 0 (excess_at a)).
  destruct (Req_EM_T (mass c' a) 0) as [Z' | N'], (Req_EM_T (mass c a) 0) as [Z | N]; try lra.
  - rewrite Z, Rmult_0_l. lra.
  - rewrite <- RmaxRmult, Rmult_0_r by lra. replace (mass c a * (excess_at a / mass c a)) with (excess_at a)
      by (field; exact N). lra.
Qed.

Lemma kept_increasing : increasing_convex (dmap (on_draw kept) drawn) (values_against P Q E c').
Proof.
  intros t. unfold stop_loss. rewrite mean_dmap, mean_drawn, mean_values_against. simpl on_draw.
  rewrite !(mean_masses c everywhere), !(mean_masses c' everywhere) by
    (apply everywhere_once || apply covers_c || apply covers_c').
  set (z := Rmax 0 (0 - t)). set (S := total everywhere (fun a => mass c a * 1)).
  set (S' := total everywhere (fun a => mass c' a * 1)).
  enough (total everywhere (fun a => mass c a * Rmax 0 (kept a - t) - z * (mass c a * 1)) <=
    total everywhere (fun a => mass c' a * Rmax 0 (value_against P Q E c' a - t) - z * (mass c' a * 1))) as H.
  { rewrite !total_minus, !total_scal in H. fold S S' in H. lra. }
  apply total_le. intros a _. unfold kept, value_against. fold (excess_at a).
  assert (H := proj2 below_c a). assert (H' := mass_c'_nonneg a).
  destruct (Req_EM_T (mass c' a) 0) as [Z | N]; [rewrite Z; fold z; lra |].
  rewrite <- !RmaxRmult by lra. rewrite !Rmult_0_r.
  replace (mass c a * (excess_at a / mass c a - t)) with (excess_at a - mass c a * t) by (field; lra).
  replace (mass c' a * (excess_at a / mass c' a - t)) with (excess_at a - mass c' a * t) by (field; lra).
  assert (X := Rmax_r 0 (excess_at a - mass c' a * t)). assert (X0 := Rmax_l 0 (excess_at a - mass c' a * t)).
  assert (Y : (mass c a - mass c' a) * - t <= (mass c a - mass c' a) * z).
  { apply Rmult_le_compat_l; [lra |]. unfold z. replace (- t) with (0 - t) by ring. apply Rmax_r. }
  assert (0 <= (mass c a - mass c' a) * z) by (apply Rmult_le_pos; [lra | apply Rmax_l]).
  assert (Rmax 0 (excess_at a - mass c a * t) <=
    Rmax 0 (excess_at a - mass c' a * t) + (mass c a - mass c' a) * z) by (apply Rmax_lub; lra).
  lra.
Qed.

Lemma bound_of_smaller n : (1 <= n)%nat -> reference_bound n P Q E c <= reference_bound n P Q E c'.
Proof.
  intros Hn. assert (N := lt_0_INR n ltac:(lia)). unfold reference_bound.
  rewrite (mean_excess_same_law n _ _ values_as_draws). assert (D := proper_drawn).
  assert (S : mean_excess n (dmap (on_draw (value_against P Q E c)) drawn) <=
    mean_excess n (dmap (on_draw kept) drawn) + mean drawn (on_draw paid)).
  { rewrite !mean_excess_as_sum. apply Rmult_le_reg_r with (INR n); [exact N |].
    rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite !Rmult_assoc, Rinv_l, !Rmult_1_r by lra.
    rewrite (Rmult_comm (mean drawn _)). apply copies_split; [exact (proj1 D) | | | exact (proj2 D)].
    - intros [a |]; simpl; [| lra]. unfold kept, paid. destruct (Req_EM_T _ _); [| lra].
      rewrite Rplus_0_l. apply Rmax_r.
    - intros [a |]; simpl; [| lra]. unfold paid. destruct (Req_EM_T _ _); [apply Rmax_l | lra]. }
  assert (C' : mean c' (fun _ => 1) <= 1)
    by (eapply Rle_trans; [apply lies_below_weight, below_c | exact at_most_1]).
  assert (I := mean_excess_increasing n _ _ (proj1 (proper_dmap _ _ D))
    (proj1 (proper_values_against P Q E c' (proj1 below_c) C')) kept_increasing).
  assert (U := paid_at_most). lra.
Qed.

End larger.

Theorem reference_bound_larger {A} n (P Q : dist A) E c c' :
  sub_law c -> mean c (fun _ => 1) <= 1 -> lies_below c' c -> (1 <= n)%nat ->
  reference_bound n P Q E c <= reference_bound n P Q E c'.
Proof. intros H1 H2 H3. apply bound_of_smaller; assumption. Qed.

Theorem reference_bound_falls {A} n0 n (P Q : dist A) E c :
  sub_law c -> mean c (fun _ => 1) <= 1 -> (1 <= n0 <= n)%nat ->
  reference_bound n P Q E c <= reference_bound n0 P Q E c.
Proof.
  intros H1 H2 Hn. apply Rplus_le_compat_l, mean_excess_falls_from; [| exact Hn].
  apply proper_values_against; assumption.
Qed.

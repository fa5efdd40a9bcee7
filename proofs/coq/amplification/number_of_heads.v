(** Independent coins, and one more of which there are two kinds: half-lines of the number of heads tell them apart.

    The number of heads of independent coins, each with a chance in [0, 1] of its own, is a program,
    [number_of_heads]. Let G be that of some coins, and let one more coin have the chance b or the chance a,
    0 <= a <= b <= 1. For every real E >= 0 and delta, and all events of the number of heads:

    - with b it is (E, delta)-below with a if and only if, for every integer m, the excess of "more than m heads"
      is at most delta, (b - E a) P[G = m] - (E - 1) P[G > m] <= delta ([two_rows_up]);
    - with a it is (E, delta)-below with b if and only if, for every integer m, that of "at most m heads" is,
      (E b - a) P[G = m] - (E - 1) P[G <= m] <= delta ([two_rows_down]).

    Idea: G is log-concave (log_concave_laws.v), so the ratio of the two laws grows (half_line.v).

    Source: worst data sets of shuffled randomized response; this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick half_line longer_shift log_concave_laws.
Import ListNotations.
Open Scope R_scope.

(** The number of heads of independent coins, as a program. *)
Fixpoint number_of_heads (ps : list R) : dist Z :=
  match ps with
  | [] => ret 0%Z
  | p :: rest =>
      bind (coin p) (fun head : bool => dmap (fun t => if head then (t + 1)%Z else t) (number_of_heads rest))
  end.

Lemma mean_heads_first p ps f :
  mean (number_of_heads (p :: ps)) f =
  p * mean (number_of_heads ps) (fun t => f (t + 1)%Z) + (1 - p) * mean (number_of_heads ps) f.
Proof. cbn [number_of_heads]. rewrite mean_bind, mean_coin, !mean_dmap. reflexivity. Qed.

Lemma proper_heads ps : (forall p, In p ps -> 0 <= p <= 1) -> proper (number_of_heads ps).
Proof.
  induction ps as [| p ps IH]; intros H; [apply proper_ret |].
  apply proper_bind; [apply proper_coin, H; left; reflexivity |]. intros head. apply proper_dmap, IH.
  intros q I. apply H. right. exact I.
Qed.

Lemma mass_Z (d : dist Z) t : mass d t = Pr d (Z.eqb t).
Proof.
  apply Pr_ext. intros i. destruct (same i t), (Z.eqb_spec t i); congruence.
Qed.

(** Its masses are those of log_concave_laws.v. *)
Lemma mass_heads ps t : mass (number_of_heads ps) t = coins ps t.
Proof.
  revert t. induction ps as [| p ps IH]; intros t; rewrite mass_Z.
  - simpl. rewrite Pr_ret. reflexivity.
  - unfold Pr. rewrite mean_heads_first. simpl coins. unfold with_coin. rewrite <- !IH, !mass_Z. unfold Pr.
    rewrite (mean_ext _ (fun u => indicator (Z.eqb t) (u + 1)%Z) (indicator (Z.eqb (t - 1)))); [ring |].
    intros u. unfold indicator. destruct (Z.eqb_spec t (u + 1)), (Z.eqb_spec (t - 1) u); try reflexivity; lia.
Qed.

(** No other number of heads than 0, 1, ..., all. *)
Lemma heads_range ps (f g : Z -> R) :
  (forall t, (0 <= t <= Z.of_nat (length ps))%Z -> f t = g t) ->
  mean (number_of_heads ps) f = mean (number_of_heads ps) g.
Proof.
  revert f g. induction ps as [| p ps IH]; intros f g H.
  - simpl. rewrite !mean_ret. apply H. simpl. lia.
  - rewrite !mean_heads_first. simpl length in H.
    rewrite (IH f g), (IH (fun t => f (t + 1)%Z) (fun t => g (t + 1)%Z)); [reflexivity | |];
      intros t Ht; apply H; lia.
Qed.

Lemma Pr_heads_never ps T :
  (forall t, (0 <= t <= Z.of_nat (length ps))%Z -> T t = false) -> Pr (number_of_heads ps) T = 0.
Proof.
  intros H. unfold Pr. rewrite (heads_range ps _ (fun _ => 0 * 0)).
  - rewrite mean_scal. ring.
  - intros t Ht. unfold indicator. rewrite H by exact Ht. ring.
Qed.

Lemma Pr_heads_always ps T :
  (forall p, In p ps -> 0 <= p <= 1) ->
  (forall t, (0 <= t <= Z.of_nat (length ps))%Z -> T t = true) -> Pr (number_of_heads ps) T = 1.
Proof.
  intros P H. rewrite <- (Pr_all _ (proper_heads ps P)). apply heads_range.
  intros t Ht. unfold indicator. rewrite H by exact Ht. reflexivity.
Qed.

(** ** Half-lines *)

(** One more coin with a larger chance: the ratio grows. *)
Lemma larger_chance_rising a b w :
  0 <= a <= b -> b <= 1 -> log_concave w -> rising (with_coin b w) (with_coin a w).
Proof.
  intros Ha Hb L s t H. unfold with_coin.
  assert (F := log_concave_far w 1 (s - 1)%Z (t - 1)%Z L ltac:(lia)). simpl in F.
  replace (t - 1 + 1)%Z with t in F by lia. replace (s - 1 + 1)%Z with s in F by lia.
  apply (Rmult_le_compat_l (b - a)) in F; [lra | lra].
Qed.

Section two_rows.

Variables (a b E delta : R) (ps : list R).
Hypothesis chances : 0 <= a <= b /\ b <= 1.
Hypothesis E_nonneg : 0 <= E.
Hypothesis others_chances : forall p, In p ps -> 0 <= p <= 1.

Let G := number_of_heads ps.

Lemma one_more_rising : rising (mass (number_of_heads (b :: ps))) (mass (number_of_heads (a :: ps))).
Proof.
  intros s t H. rewrite !mass_heads. simpl coins.
  apply larger_chance_rising; try apply chances; [| exact H]. apply coins_log_concave, others_chances.
Qed.

(** The excess of "more than m ones" for b against a. *)
Lemma excess_up m :
  Pr (number_of_heads (b :: ps)) (Z.ltb m) - E * Pr (number_of_heads (a :: ps)) (Z.ltb m) =
  (b - E * a) * Pr G (Z.eqb m) - (E - 1) * Pr G (Z.ltb m).
Proof.
  assert (Step : mean G (fun t => indicator (Z.ltb m) (t + 1)%Z) = Pr G (Z.eqb m) + Pr G (Z.ltb m)).
  { unfold Pr. rewrite <- mean_plus. apply mean_ext. intros t. unfold indicator.
    destruct (Z.ltb_spec m (t + 1)), (Z.eqb_spec m t), (Z.ltb_spec m t); try lia; ring. }
  unfold Pr in *. rewrite !mean_heads_first. fold G. rewrite Step. ring.
Qed.

(** The excess of "at most m ones" for a against b. *)
Lemma excess_down m :
  Pr (number_of_heads (a :: ps)) (at_most m) - E * Pr (number_of_heads (b :: ps)) (at_most m) =
  (E * b - a) * Pr G (Z.eqb m) - (E - 1) * Pr G (at_most m).
Proof.
  assert (Step : mean G (fun t => indicator (at_most m) (t + 1)%Z) = Pr G (at_most m) - Pr G (Z.eqb m)).
  { unfold Pr. rewrite <- mean_minus. apply mean_ext. intros t. unfold indicator, at_most.
    destruct (Z.leb_spec (t + 1) m), (Z.eqb_spec m t), (Z.leb_spec t m); try lia; ring. }
  unfold Pr in *. rewrite !mean_heads_first. fold G. rewrite Step. ring.
Qed.

Lemma proper_one_more p : 0 <= p <= 1 -> proper (number_of_heads (p :: ps)).
Proof.
  intros H. apply proper_heads. intros q [<- | I]; [exact H | apply others_chances, I].
Qed.

Theorem two_rows_up :
  below (number_of_heads (b :: ps)) (number_of_heads (a :: ps)) E delta <->
  forall m, (b - E * a) * Pr G (Z.eqb m) - (E - 1) * Pr G (Z.ltb m) <= delta.
Proof.
  rewrite half_lines_suffice; try apply proper_one_more; try lra; [| exact one_more_rising].
  assert (Shift : forall d m, Pr d (Z.leb m) = Pr d (Z.ltb (m - 1))).
  { intros d m. apply Pr_ext. intros t. destruct (Z.leb_spec m t), (Z.ltb_spec (m - 1) t); try reflexivity; lia. }
  split; intros H m.
  - rewrite <- excess_up. specialize (H (m + 1)%Z). rewrite !Shift in H.
    replace (m + 1 - 1)%Z with m in H by lia. lra.
  - rewrite !Shift. specialize (H (m - 1)%Z). rewrite <- excess_up in H. lra.
Qed.

Theorem two_rows_down :
  below (number_of_heads (a :: ps)) (number_of_heads (b :: ps)) E delta <->
  forall m, (E * b - a) * Pr G (Z.eqb m) - (E - 1) * Pr G (at_most m) <= delta.
Proof.
  rewrite half_lines_suffice_falling; try apply proper_one_more; try lra.
  - split; intros H m; specialize (H m); [rewrite <- excess_down | rewrite <- excess_down in H]; lra.
  - intros s t H. assert (R := one_more_rising s t H). lra.
Qed.

End two_rows.

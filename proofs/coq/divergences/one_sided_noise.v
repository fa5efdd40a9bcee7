(** One-sided noise: its least delta does not depend on eps.

    Y has the one-sided geometric law, P[Y = t] = (1 - x) x^t for t >= 0, 0 <= x < 1 (steps_one_sided.v). An
    integer query of sensitivity j >= 1 shows c + Y or d + Y for neighbours, abs(c - d) <= j. Proved, for all
    finite sets of outcomes, hence for all events:

    - at every e^eps = E >= 1 all these pairs are (E, delta)-below if and only if delta >= 1 - x^j
      ([one_sided_least_delta]);
    - so for no eps and no delta < 1 - x^j is such a query plus Y (eps, delta)-DP ([one_sided_never]).

    Idea: against c + Y + j, the outcomes below c + j are lost; above them the ratio is x^j <= 1. In the
    other order the excess is (1 - E x^j) times a mass, at most 1 - x^j in total.
    Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia FinFun.
From Exactdp Require Import reals sums masses shifts smooth_noise_privacy steps_one_sided.
Import ListNotations.
Open Scope R_scope.

(** The outcomes below j. *)
Definition lost_outcomes (j : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat j)).

Lemma lost_outcomes_once j : NoDup (lost_outcomes j).
Proof. apply Injective_map_NoDup; [intros a b; lia | apply seq_NoDup]. Qed.

Lemma in_lost_outcomes j t : In t (lost_outcomes j) <-> (0 <= t < j)%Z.
Proof.
  unfold lost_outcomes. rewrite in_map_iff. split.
  - intros [i [<- I]]. apply in_seq in I. lia.
  - intros H. exists (Z.to_nat t). split; [lia |]. apply in_seq. lia.
Qed.

Lemma total_lost x j : (0 <= j)%Z -> total (lost_outcomes j) (one_sided x) = 1 - x ^ Z.to_nat j.
Proof.
  intros _. unfold lost_outcomes. rewrite total_map. induction (Z.to_nat j) as [| n IH]; [simpl; ring |].
  rewrite total_seq_S, IH. unfold one_sided. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
  rewrite Nat2Z.id. simpl. ring.
Qed.

Section one_query.

Variables (x : R) (j : Z).
Hypothesis x_bounds : 0 <= x < 1.
Hypothesis j_positive : (0 <= j)%Z.

Let w := one_sided x.
Let lost := 1 - x ^ Z.to_nat j.

(** From j on, the one law is x^j times the other. *)
Lemma one_sided_ratio t : (j <= t)%Z -> w t = x ^ Z.to_nat j * shifted w j t.
Proof.
  intros H. unfold w, shifted, one_sided. rewrite !(proj2 (Z.ltb_ge _ _)) by lia.
  replace (Z.to_nat t) with (Z.to_nat j + Z.to_nat (t - j))%nat by lia. rewrite pow_add. ring.
Qed.

Lemma power_at_most_1 : 0 <= x ^ Z.to_nat j <= 1.
Proof. split; [apply pow_le; lra |]. rewrite <- (pow1 (Z.to_nat j)). apply pow_incr. lra. Qed.

Lemma shifted_not_negative t : 0 <= shifted w j t.
Proof. apply one_sided_nonneg, x_bounds. Qed.

Lemma forward_below E : 1 <= E -> mass_below w (shifted w j) E lost.
Proof.
  intros HE l N. assert (X := power_at_most_1).
  set (low := fun t => andb (Z.leb 0 t) (Z.ltb t j)).
  apply Rle_trans with (total l (fun t => E * shifted w j t + if low t then w t else 0)).
  - apply total_le. intros t _. assert (S := shifted_not_negative t). unfold low.
    assert (0 <= E * shifted w j t) by (apply Rmult_le_pos; lra).
    destruct (Z.leb_spec 0 t), (Z.ltb_spec t j); simpl; try lra.
    + rewrite one_sided_ratio by assumption.
      assert (x ^ Z.to_nat j * shifted w j t <= E * shifted w j t) by (apply Rmult_le_compat_r; lra). lra.
    + replace (w t) with 0; [lra |]. unfold w, one_sided. rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
    + replace (w t) with 0; [lra |]. unfold w, one_sided. rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
  - rewrite total_plus, total_scal, <- total_filter. apply Rplus_le_compat_l.
    unfold lost. rewrite <- total_lost by exact j_positive.
    apply total_incl; [apply NoDup_filter, N | | intros t _; apply one_sided_nonneg, x_bounds].
    intros t I. apply filter_In in I. destruct I as [_ I]. apply in_lost_outcomes. unfold low in I.
    apply andb_prop in I. destruct I as [I J]. apply Z.leb_le in I. apply Z.ltb_lt in J. lia.
Qed.

Lemma backward_below E : 1 <= E -> mass_below (shifted w j) w E lost.
Proof.
  intros HE l N. assert (X := power_at_most_1).
  apply Rle_trans with (total l (fun t => E * w t + lost * shifted w j t)).
  - apply total_le. intros t _. assert (S := shifted_not_negative t).
    destruct (Z_lt_le_dec t j) as [L | L].
    + replace (shifted w j t) with 0.
      * assert (0 <= w t) by (apply one_sided_nonneg, x_bounds).
        assert (0 <= E * w t) by (apply Rmult_le_pos; lra). lra.
      * unfold shifted, w, one_sided. rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
    + rewrite (one_sided_ratio t L). unfold lost.
      assert (0 <= (E - 1) * (x ^ Z.to_nat j * shifted w j t)); [| lra].
      apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; lra.
  - rewrite total_plus, !total_scal. apply Rplus_le_compat_l.
    rewrite <- (Rmult_1_r lost) at 2. apply Rmult_le_compat_l; [unfold lost; lra |].
    apply law_finite; [| exact N]. apply shifted_law, one_sided_law, x_bounds.
Qed.

(** What the other law never shows is lost at every E. *)
Lemma lost_at_every_E E delta : mass_below w (shifted w j) E delta -> lost <= delta.
Proof.
  intros H. specialize (H _ (lost_outcomes_once j)). unfold w in H.
  rewrite total_lost in H by exact j_positive.
  rewrite (total_ext _ (shifted _ j) (fun _ => 0)), total_zero in H; [unfold lost; lra |].
  intros t I. apply in_lost_outcomes in I. unfold shifted, one_sided.
  rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
Qed.

End one_query.

(** Ledger row one-sided-exact. *)
Theorem one_sided_least_delta x (j : Z) E delta :
  0 <= x < 1 -> (0 <= j)%Z -> 1 <= E ->
  ((forall c d, (Z.abs (c - d) <= j)%Z ->
    mass_below (shifted (one_sided x) c) (shifted (one_sided x) d) E delta) <->
   1 - x ^ Z.to_nat j <= delta).
Proof.
  intros Hx Hj HE. split.
  - intros H. apply (lost_at_every_E x j Hj E). apply below_shifted, H. lia.
  - intros H. apply shifts_both_orders.
    + intros t. apply one_sided_nonneg, Hx.
    + exact HE.
    + assert (X := power_at_most_1 x j Hx). lra.
    + intros i Hi. assert (M : 1 - x ^ Z.to_nat i <= delta).
      { eapply Rle_trans; [| exact H].
        replace (Z.to_nat j) with (Z.to_nat i + Z.to_nat (j - i))%nat by lia. rewrite pow_add.
        assert (X := power_at_most_1 x i Hx). assert (Y := power_at_most_1 x (j - i) Hx).
        assert (x ^ Z.to_nat i * x ^ Z.to_nat (j - i) <= x ^ Z.to_nat i * 1)
          by (apply Rmult_le_compat_l; lra). lra. }
      assert (P : forall t, 0 <= one_sided x t) by (intros t; apply one_sided_nonneg, Hx).
      split; (eapply mass_below_weaken; [| apply Rle_refl | exact M |]).
      * intros t. apply P.
      * apply forward_below; [exact Hx | lia | exact HE].
      * exact P.
      * apply backward_below; [exact Hx | lia | exact HE].
Qed.

(** Ledger row one-sided-never: no e^eps whatever. *)
Theorem one_sided_never x (j : Z) E delta :
  0 <= x < 1 -> (0 <= j)%Z -> delta < 1 - x ^ Z.to_nat j ->
  ~ mass_below (one_sided x) (shifted (one_sided x) j) E delta.
Proof. intros Hx Hj Hd H. apply lost_at_every_E in H; [lra | exact Hj]. Qed.

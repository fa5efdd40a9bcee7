(** What the programs accept of smooth and tail is true, for laws that are listed exactly.

    - [check_smooth_exact_sound]: smoothness, both verdicts, for all shifts up and down;
    - [check_tail_exact_sound]: the probability of an interval is on this side of a rational, both verdicts.

    Idea: the event of a shift up is that of the moved law against the law ([smooth_far]); a law has one probability of
    an interval.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals sums masses shifts smooth hockey_stick.
From ExactdpChecker Require Import claims witnesses kinds levels posed.
From ExactdpChecker Require Import exact_program aligned_pairs exact_laws noise_privacy_program shift_sound.
Import ListNotations.
Open Scope R_scope.

(** ** Smoothness *)

Lemma far_weaken {A} (P Q : A -> R) S R0 delta :
  (forall a, 0 <= Q a) -> S <= R0 -> far_below P Q S delta -> far_below P Q R0 delta.
Proof.
  intros Pos L H l N I. apply H; [exact N |]. intros a Ia. eapply Rle_trans; [| apply I, Ia].
  apply Rmult_le_compat_r; [apply Pos | exact L].
Qed.

(** In the words of smooth.v: up is backward, down forward. *)
Lemma smooth_far w E delta k : 0 < E ->
  (smooth w (ln E) delta k <-> forall j forward, (1 <= j <= k)%Z ->
    far_below (if forward : bool then w else shifted w j) (if forward then shifted w j else w) (E ^ Z.to_nat j) delta).
Proof.
  intros HE. assert (Power : forall j, exp (IZR (Z.abs j) * ln E) = E ^ Z.to_nat (Z.abs j)).
  { intros j. rewrite <- (exp_ln E HE) at 2. rewrite exp_power. f_equal. rewrite INR_IZR_INZ, Z2Nat.id by lia. ring. }
  split.
  - intros H j forward J l N I. destruct forward.
    + apply (H (- j)%Z); [lia | lia | exact N |]. intros y Iy. rewrite Power. replace (Z.abs (- j)) with j by lia.
      apply (I y Iy).
    + unfold shifted. rewrite <- (total_map (fun t => t - j)%Z l w). apply (H j); [lia | lia | |].
      * apply FinFun.Injective_map_NoDup; [intros x y X; lia | exact N].
      * intros y Iy. apply in_map_iff in Iy. destruct Iy as [t [<- It]]. rewrite Power.
        replace (Z.abs j) with j by lia. replace (t - j + j)%Z with t by lia. apply (I t It).
  - intros H j N0 J l N I. destruct (Z_lt_le_dec j 0) as [Neg | Pos].
    + apply (H (- j)%Z true ltac:(lia) l N). intros y Iy. specialize (I y Iy). rewrite Power in I. unfold shifted.
      replace (Z.abs j) with (- j)%Z in I by lia. replace (y - - j)%Z with (y + j)%Z by lia. exact I.
    + replace (total l w) with (total (map (fun t => t + j)%Z l) (shifted w j)).
      * apply (H j false ltac:(lia)).
        -- apply FinFun.Injective_map_NoDup; [intros x y X; lia | exact N].
        -- intros y Iy. apply in_map_iff in Iy. destruct Iy as [t [<- It]]. specialize (I t It). rewrite Power in I.
           replace (Z.abs j) with j in I by lia. unfold shifted. replace (t + j - j)%Z with t by lia. exact I.
      * rewrite total_map. apply total_ext. intros t _. unfold shifted. f_equal. lia.
Qed.

Theorem check_smooth_exact_sound nu k l delta proved shown :
  check_smooth_exact nu k l delta proved shown = true -> sound (Smooth nu k l delta) proved.
Proof.
  unfold check_smooth_exact. intros H. apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H.
  destruct H as [L Reach]. apply Z.leb_le in Reach. apply level_is_posed_sound in L.
  assert (Hd := level_delta _ _ L). assert (One : 1 <= ratio l) by apply L. unfold sound. cbn [well_posed holds].
  destruct proved, shown as [p | | | | | | | | | | j p | | | | | | | | | | | |]; try discriminate.
  - apply andb_true_iff in S. destruct S as [F W]. apply with_law_true in W. destruct W as [law [E W]].
    destruct (exact_law_pairs nu law E) as [NP D]. apply at_ratio_true in W. destruct W as [a [b [R P]]].
    destruct (below_ratio l p a b delta L F R) as [B [A Le]]. split; [exact (conj NP (conj Reach L)) |].
    apply smooth_far; [lra |]. intros j forward J. unfold smooth_at_ratio in P. rewrite all_shifts_iff in P.
    specialize (P j J). apply andb_true_iff in P.
    apply far_weaken with ((IZR a / IZR b) ^ Z.to_nat j).
    + intros t. destruct forward; apply D.
    + apply pow_incr. split; [| exact Le]. assert (X := fraction_at_least_1 a b B A). lra.
    + apply (far_iff law _ a b delta D B A Hd j forward ltac:(lia)). destruct forward; apply P.
  - apply andb_true_iff in S. destruct S as [S W]. apply andb_true_iff in S. destruct S as [F J].
    apply andb_true_iff in J. destruct J as [J1 J2]. apply Z.leb_le in J1. apply Z.leb_le in J2.
    apply with_law_true in W. destruct W as [law [E W]]. destruct (exact_law_pairs nu law E) as [NP D].
    apply at_ratio_true in W. destruct W as [a [b [R P]]]. apply negb_true_iff in P.
    destruct (above_ratio l p a b delta L R) as [B [A Le]]. split; [exact (conj NP (conj Reach L)) |]. intros Sm.
    assert (Far := proj1 (smooth_far _ (ratio l) _ k ltac:(lra)) Sm (Z.abs j) (Z.ltb j 0) ltac:(lia)).
    apply (far_weaken _ _ _ ((IZR a / IZR b) ^ Z.to_nat (Z.abs j))) in Far.
    + apply (far_iff law _ a b delta D B A Hd (Z.abs j) (Z.ltb j 0) J1) in Far. congruence.
    + intros t. destruct (Z.ltb j 0); apply D.
    + apply pow_incr. lra.
Qed.

(** ** Intervals *)

Lemma mass_of_unique {A} (D : A -> R) S p q : mass_of D S p -> mass_of D S q -> p = q.
Proof. apply is_lub_u. Qed.

Theorem check_tail_exact_sound nu first last below q proved shown :
  check_tail_exact nu first last below q proved shown = true -> sound (Tail nu first last below q) proved.
Proof.
  unfold check_tail_exact. destruct shown as [[| |] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate.
  intros W. apply with_law_true in W. destruct W as [law [E W]].
  destruct (exact_law_pairs nu law E) as [NP _]. destruct (interval_share law first last) as [[s T] |] eqn:Sh;
    [| discriminate].
  destruct (interval_share_sound nu law first last s T E Sh) as [HT M]. assert (TR := IZR_lt _ _ HT).
  unfold sound. cbn [well_posed holds]. split; [exact NP |].
  assert (C := compare_real s 1 T q (IZR s) ltac:(lia) HT ltac:(ring)). rewrite Z.mul_1_l in C.
  set (x := IZR s / IZR T) in *. assert (X : IZR s = x * IZR T) by (unfold x; field; lra).
  assert (Le : IZR s <= Q2R q * IZR T -> x <= Q2R q) by (intros Y; apply Rmult_le_reg_r with (IZR T); lra).
  assert (Ge : Q2R q * IZR T <= IZR s -> Q2R q <= x) by (intros Y; apply Rmult_le_reg_r with (IZR T); lra).
  assert (Lt : IZR s < Q2R q * IZR T -> x < Q2R q) by (intros Y; apply Rmult_lt_reg_r with (IZR T); lra).
  assert (Gt : Q2R q * IZR T < IZR s -> Q2R q < x) by (intros Y; apply Rmult_lt_reg_r with (IZR T); lra).
  destruct proved.
  - exists x. split; [exact M |]. destruct below, C; try discriminate; auto; try (apply Le; lra); apply Ge; lra.
  - intros [p [Mp B]]. rewrite (mass_of_unique _ _ _ _ Mp M) in B.
    destruct below, C as [C | C | C]; try discriminate; [specialize (Gt C) | specialize (Lt C)]; lra.
Qed.

(** The claim accuracy of a count plus noise that is listed exactly, both verdicts.

    A count c from least to most plus noise is estimated as weight (c + Y) + offset, or as 0 unless weight (c + Y)
    exceeds a threshold. [check_count_exact_sound]: what the program accepts is true: with probability at most beta the
    error exceeds alpha, for every count of the interval, or not so.

    Idea: one count is worst for every outcome of the noise (one_count.v); there the weights of the outcomes with an
    error above alpha are added up, and of a uniform law those without one are counted: they are two intervals. It is
    NoisyCount of exactdp/checker/accuracy.py where a witness has no bits.

    Source: docs/certificates.md, "one count is worst for every outcome of the noise". *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums masses one_count uniform_ends.
From ExactdpChecker Require Import claims witnesses kinds posed exact_program aligned_pairs listed_laws listed_noise.
From ExactdpChecker Require Import exact_laws noise_privacy_program shift_sound smooth_tail_sound.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

(** Whether the error at the count c exceeds alpha, all numbers over one denominator. *)
Definition is_wrong_at (weight offset alpha : Z) (threshold : option Z) (c y : Z) : bool :=
  if match threshold with Some tau => weight * (c + y) <=? tau | None => false end
  then alpha <? weight * Z.abs c
  else alpha <? Z.abs (weight * y + offset).

(** Moved into [least, most]: the least integer k with k weight > alpha. *)
Definition worst_count (weight alpha least most : Z) : Z := Z.min (Z.max (alpha / weight + 1) least) most.

(** The integers without an error above alpha: those in the first interval, which end above the cut, and those in the
    second one, which ends there. *)
Definition right_first (weight offset alpha : Z) (threshold : option Z) (c : Z) : option Z :=
  let low := - ((alpha + offset) / weight) in
  Some (match threshold with Some tau => Z.max low (tau / weight - c + 1) | None => low end).

Definition right_last (weight offset alpha : Z) : option Z := Some ((alpha - offset) / weight).

Definition cut_right (weight alpha : Z) (threshold : option Z) (c : Z) : option Z * option Z :=
  match threshold with
  | Some tau => if alpha <? weight * Z.abs c then (Some 1, Some 0) else (None, Some (tau / weight - c))
  | None => (Some 1, Some 0)
  end.

(** The weight of the outcomes with an error above alpha, and the total. *)
Definition wrong_share (law : exact_law) (weight offset alpha : Z) (threshold : option Z) (c : Z) : option (Z * Z) :=
  match law with
  | Listed l total => Some (sum_inside (is_wrong_at weight offset alpha threshold c) l 0, total)
  | Uniform low high =>
      let right := count_inside (right_first weight offset alpha threshold c) (right_last weight offset alpha) low high
        in
      let (first, last) := cut_right weight alpha threshold c in
      Some (high - low + 1 - right - count_inside first last low high, high - low + 1)
  | _ => None
  end.

Definition check_count_exact (nu : noise) (least most : Z) (weight offset : Q) (threshold : option Q) (alpha beta : Q)
    (proved : bool) (shown : witness) : bool :=
  match shown with
  | Simple Exactly =>
      (0 <=? least) && (least <=? most) && less 0 weight && at_most 0 alpha &&
      with_law nu (fun law =>
          let d := common_denominator (weight :: offset :: alpha :: match threshold with Some tau => [tau]
            | None => [] end) in
          let w := over d weight in let o := over d offset in let a := over d alpha in
          match wrong_share law w o a (option_map (over d) threshold) (worst_count w a least most) with
          | Some (wrong, total) =>
              let c := (wrong * Zpos (Qden beta) ?= Qnum beta * total) in
              if proved then is_at_most c else negb (is_at_most c)
          | None => false
          end)
  | _ => false
  end.

(** ** Its soundness *)

Open Scope R_scope.

Lemma is_wrong_at_iff d weight offset alpha threshold w o a tau c y :
  (0 < d)%Z -> 0 < weight -> IZR w = weight * IZR d -> IZR o = offset * IZR d -> IZR a = alpha * IZR d ->
  match threshold, tau with
  | Some t, Some t' => IZR t' = t * IZR d
  | None, None => True
  | _, _ => False
  end ->
  (is_wrong_at w o a tau c y = true <-> wrong weight offset alpha threshold c y).
Proof.
  intros Hd Hw W O A T. apply IZR_lt in Hd. unfold is_wrong_at, wrong.
  set (cut := match tau with Some t => Z.leb (w * (c + y)) t | None => false end).
  assert (Cut : cut = true <-> is_cut weight threshold c y).
  { unfold cut, is_cut. destruct threshold as [t |], tau as [t' |]; try contradiction;
      [| split; [discriminate | tauto]].
    rewrite Z.leb_le. split; intros H.
    - apply IZR_le in H. rewrite mult_IZR, W, T in H. apply Rmult_le_reg_r with (IZR d); [exact Hd |]. lra.
    - apply le_IZR. rewrite mult_IZR, W, T. apply Rmult_le_compat_r with (r := IZR d) in H; lra. }
  assert (Abs : forall z x, IZR z = x * IZR d -> (Z.ltb a (Z.abs z) = true <-> alpha < Rabs x)).
  { intros z x E. rewrite Z.ltb_lt. assert (X : IZR (Z.abs z) = Rabs x * IZR d).
    { rewrite abs_IZR, E, Rabs_mult, (Rabs_right (IZR d)) by lra. reflexivity. }
    split; intros H.
    - apply IZR_lt in H. rewrite A, X in H. apply Rmult_lt_reg_r with (IZR d); assumption.
    - apply lt_IZR. rewrite A, X. apply Rmult_lt_compat_r; assumption. }
  assert (Wp : (0 < w)%Z) by (apply lt_IZR; rewrite W; apply Rmult_lt_0_compat; assumption).
  assert (B1 : Z.ltb a (w * Z.abs c) = true <-> alpha < Rabs (0 - weight * IZR c)).
  { replace (w * Z.abs c)%Z with (Z.abs (- (w * c)))%Z by (rewrite Z.abs_opp, Z.abs_mul, (Z.abs_eq w) by lia;
      reflexivity).
    apply Abs. rewrite opp_IZR, mult_IZR, W. ring. }
  assert (B2 : Z.ltb a (Z.abs (w * y + o)) = true <-> alpha < Rabs (weight * IZR (c + y) + offset - weight * IZR c)).
  { apply Abs. rewrite plus_IZR, mult_IZR, W, O, plus_IZR. ring. }
  destruct cut; [rewrite B1 | rewrite B2]; assert (X := proj2 Cut); destruct Cut as [Y _]; intuition congruence.
Qed.

(** The least k with k weight > alpha. *)
Lemma least_wrong d weight alpha w a :
  (0 < d)%Z -> 0 < weight -> IZR w = weight * IZR d -> IZR a = alpha * IZR d ->
  weight * IZR (a / w + 1 - 1) <= alpha < weight * IZR (a / w + 1).
Proof.
  intros Hd Hw W A. apply IZR_lt in Hd.
  assert (Wp : (0 < w)%Z) by (apply lt_IZR; rewrite W; apply Rmult_lt_0_compat; assumption).
  replace (a / w + 1 - 1)%Z with (a / w)%Z by lia.
  assert (L := Z.mul_div_le a w Wp). assert (U := Z.mul_succ_div_gt a w Wp). unfold Z.succ in U.
  apply IZR_le in L. apply IZR_lt in U. rewrite mult_IZR, W in L. rewrite mult_IZR, W in U. rewrite A in L, U. split.
  - apply Rmult_le_reg_r with (IZR d); [exact Hd |]. lra.
  - apply Rmult_lt_reg_r with (IZR d); [exact Hd |]. lra.
Qed.

(** ** The share *)

Lemma at_most_quotient w x y : (0 < w)%Z -> (w * y <= x <-> y <= x / w)%Z.
Proof.
  intros Hw. split; intros H; [apply Z.div_le_lower_bound; assumption |].
  assert (L := Z.mul_div_le x w Hw). assert (w * y <= w * (x / w))%Z by (apply Z.mul_le_mono_nonneg_l; lia). lia.
Qed.

Lemma wrong_is_outside w o a tau c y : (0 < w)%Z ->
  let (first, last) := cut_right w a tau c in
  is_wrong_at w o a tau c y = negb (is_inside (right_first w o a tau c) (right_last w o a) y || is_inside first last y)
    /\
  ~ (is_inside (right_first w o a tau c) (right_last w o a) y = true /\ is_inside first last y = true).
Proof.
  intros Hw. assert (H := at_most_quotient w (a - o) y Hw). assert (L := at_most_quotient w (a + o) (- y) Hw).
  assert (Out : (a <? Z.abs (w * y + o))%Z = negb ((- ((a + o) / w) <=? y) && (y <=? (a - o) / w))%Z).
  { replace (w * - y)%Z with (- (w * y))%Z in L by ring.
    destruct (Z.ltb_spec a (Z.abs (w * y + o))), (Z.leb_spec (- ((a + o) / w)) y), (Z.leb_spec y ((a - o) / w));
      simpl; try reflexivity; exfalso; lia. }
  unfold cut_right, right_first, right_last, is_wrong_at, is_inside. destruct tau as [t |].
  - assert (K := at_most_quotient w t (c + y) Hw).
    assert (Cut : (w * (c + y) <=? t)%Z = (y <=? t / w - c)%Z).
    { destruct (Z.leb_spec (w * (c + y)) t), (Z.leb_spec y (t / w - c)); try reflexivity; exfalso; lia. }
    rewrite Cut, Out. generalize ((a - o) / w)%Z (- ((a + o) / w))%Z (t / w - c)%Z. clear. intros last first cut.
    destruct (a <? w * Z.abs c)%Z, (Z.leb_spec y cut), (Z.leb_spec first y), (Z.leb_spec y last),
      (Z.leb_spec (Z.max first (cut + 1)) y); try (exfalso; lia);
      destruct (Z.leb_spec 1 y), (Z.leb_spec y 0); simpl; try (exfalso; lia); intuition congruence.
  - rewrite Out. destruct (Z.leb_spec 1 y), (Z.leb_spec y 0); try (exfalso; lia); simpl; rewrite ?orb_false_r;
      split; try reflexivity; intuition congruence.
Qed.

Lemma wrong_share_sound nu law w o a tau c s T :
  (0 < w)%Z -> exact_law_of nu = Some law -> wrong_share law w o a tau c = Some (s, T) ->
  (0 < T)%Z /\ mass_of (noise_mass nu) (fun y => is_wrong_at w o a tau c y = true) (IZR s / IZR T).
Proof.
  intros Hw E S. destruct law as [l U | | | low high]; simpl in S; try discriminate.
  - injection S as <- <-. apply exact_law_listed in E. destruct E as [_ L]. split; [apply L |].
    apply (listed_share l U _ L).
  - destruct (cut_right w a tau c) as [first last] eqn:Cut. injection S as <- <-.
    destruct (exact_law_uniform nu low high E) as [NP Mass].
    set (r1 := is_inside (right_first w o a tau c) (right_last w o a)). set (r2 := is_inside first last).
    assert (Hi : (low <= high)%Z) by exact NP. split; [lia |].
    assert (Split : forall y, is_wrong_at w o a tau c y = negb (r1 y || r2 y) /\ ~ (r1 y = true /\ r2 y = true)).
    { intros y. assert (X := wrong_is_outside w o a tau c y Hw). rewrite Cut in X. exact X. }
    set (ys := integers_from low (Z.to_nat (high - low + 1))). set (D := noise_mass nu) in *.
    assert (Pos : forall y, 0 <= D y) by (intros y; rewrite Mass; apply uniform_nonneg, Hi).
    assert (Zero : forall y, ~ In y ys -> D y = 0).
    { intros y O. rewrite Mass. apply uniform_outside. intros I. apply O, in_run. lia. }
    assert (Event : forall R, mass_of D (fun y => R y = true) (total (filter R ys) D)).
    { intros R. apply (mass_of_finite_support Z.eq_dec); [exact Pos | apply run_NoDup | exact Zero]. }
    assert (Count : forall f g, total (filter (is_inside f g) ys) D =
      IZR (count_inside f g low high) / IZR (high - low + 1)).
    { intros f g. destruct (interval_share_sound nu (Uniform low high) f g _ _ E eq_refl) as [_ M].
      apply (mass_of_unique D (fun y => is_inside f g y = true)); [apply Event |].
      revert M. apply mass_of_ext. intros y. symmetry. apply is_inside_iff. }
    replace (IZR (high - low + 1 - _ - _) / _) with (total (filter (is_wrong_at w o a tau c) ys) D); [apply Event |].
    assert (All : total ys D = 1).
    { unfold ys. rewrite (total_run_const low _ (/ IZR (high - low + 1))).
      - rewrite INR_IZR_INZ, Z2Nat.id by lia. apply Rinv_r, not_0_IZR. lia.
      - intros t I. rewrite Mass. apply uniform_inside. lia. }
    assert (TR : 0 < IZR (high - low + 1)) by (apply (IZR_lt 0); lia).
    assert (X1 := Count (right_first w o a tau c) (right_last w o a)). assert (X2 := Count first last).
    fold r1 in X1. fold r2 in X2.
    transitivity (total ys D - total (filter r1 ys) D - total (filter r2 ys) D).
    + rewrite !total_filter, <- !total_minus. apply total_ext. intros y _. destruct (Split y) as [-> N].
      destruct (r1 y), (r2 y); simpl; try ring. exfalso. tauto.
    + rewrite All, X1, X2. set (N := (high - low + 1)%Z) in *. rewrite !minus_IZR. field. lra.
Qed.

Lemma share_of_every_count law w o a tau c s T c' :
  wrong_share law w o a tau c = Some (s, T) -> exists s', wrong_share law w o a tau c' = Some (s', T).
Proof.
  destruct law as [l U | | | low high]; simpl; intros H; try discriminate; [injection H as _ <-; eauto |].
  destruct (cut_right w a tau c). injection H as _ <-. destruct (cut_right w a tau c'). eauto.
Qed.

Theorem check_count_exact_sound nu least most weight offset threshold alpha beta proved shown :
  check_count_exact nu least most weight offset threshold alpha beta proved shown = true ->
  sound (CountAccuracy nu least most weight offset threshold alpha beta) proved.
Proof.
  unfold check_count_exact. destruct shown as [[| |] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate.
  rewrite !andb_true_iff. intros [[[[H0 HM] HW] HA] S].
  apply Z.leb_le in H0, HM. apply less_sound in HW. apply at_most_sound in HA.
  rewrite RMicromega.Q2R_0 in HW, HA. apply with_law_true in S. destruct S as [law [E S]].
  destruct (exact_law_pairs nu law E) as [NP _]. unfold sound. cbn [well_posed holds]. cbv zeta in S.
  set (qs := weight :: offset :: alpha :: match threshold with Some tau => [tau] | None => [] end) in *.
  set (d := common_denominator qs) in *. assert (Hd : (0 < d)%Z) by apply common_denominator_positive.
  assert (Over : forall q, In q qs -> IZR (over d q) = Q2R q * IZR d).
  { intros q I. apply over_value; [exact Hd | apply common_denominator_divides, I]. }
  assert (W : IZR (over d weight) = Q2R weight * IZR d) by (apply Over; simpl; auto).
  assert (O : IZR (over d offset) = Q2R offset * IZR d) by (apply Over; simpl; auto).
  assert (A : IZR (over d alpha) = Q2R alpha * IZR d) by (apply Over; simpl; auto).
  set (w := over d weight) in *. set (o := over d offset) in *. set (a := over d alpha) in *.
  set (tau := option_map (over d) threshold) in *.
  assert (Iff : forall c y, is_wrong_at w o a tau c y = true <->
    wrong (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) c y).
  { intros c y. apply (is_wrong_at_iff d); auto. unfold tau. destruct threshold as [t |]; simpl; [| exact I].
    apply Over. simpl. auto. }
  assert (Wp : (0 < w)%Z).
  { apply lt_IZR. rewrite W. apply Rmult_lt_0_compat; [exact HW | apply (IZR_lt 0), Hd]. }
  set (top := worst_count w a least most) in *.
  destruct (wrong_share law w o a tau top) as [[s T] |] eqn:Ws; [| discriminate].
  assert (Share : forall c u, wrong_share law w o a tau c = Some (u, T) -> mass_of (noise_mass nu)
    (wrong (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) c) (IZR u / IZR T)).
  { intros c u Wc. apply (mass_of_ext _ _ _ _ (Iff c)). apply (wrong_share_sound nu law w o a tau c u T Wp E Wc). }
  destruct (wrong_share_sound nu law w o a tau top s T Wp E Ws) as [HT _]. assert (TR := IZR_lt _ _ HT).
  assert (C := compare_real s 1 T beta (IZR s) ltac:(lia) HT ltac:(ring)). rewrite Z.mul_1_l in C.
  split; [exact (conj NP (conj (conj H0 HM) (conj HW HA))) |]. destruct proved.
  - intros c Hc. destruct (share_of_every_count law w o a tau top s T c Ws) as [u Wc]. exists (IZR u / IZR T).
    split; [apply Share, Wc |]. apply Rle_trans with (IZR s / IZR T).
    + apply (one_count_probability (Q2R weight) (Q2R offset) (Q2R alpha) (option_map Q2R threshold) least most HW
        (conj H0 HM) (a / w + 1) (least_wrong d _ _ w a Hd HW W A) (noise_mass nu) c _ _ Hc (Share c u Wc)).
      apply (Share top s Ws).
    + apply Rmult_le_reg_r with (IZR T); [exact TR |]. replace (IZR s / IZR T * IZR T) with (IZR s) by (field; lra).
      destruct C; try discriminate; lra.
  - intros Hold. destruct (Hold top) as [p [Mp B]].
    + unfold top, worst_count. lia.
    + rewrite (mass_of_unique _ _ _ _ Mp (Share top s Ws)) in B.
      apply Rmult_le_compat_r with (r := IZR T) in B; [| lra].
      replace (IZR s / IZR T * IZR T) with (IZR s) in B by (field; lra).
      destruct C; try discriminate; lra.
Qed.

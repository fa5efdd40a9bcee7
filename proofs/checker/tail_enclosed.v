(** Probabilities of events of enclosed laws, and the claim tail by enclosure: the programs and their soundness.

    [event_bounds v inside] adds up integers (i, i', o, o'): with w the enclosed law and c its unit, c times the
    probability of the event lies in [i, i'], and of its complement in [o, o'], where the weights that were not reached
    count on both sides ([event_bounds_sound]); for every event with a test. So the probability lies between i / (i +
    o') and i' / (i' + o) ([shares_sound]).

    With bits as the witness, [check_tail_enclosed] proves or refutes that P[first <= Y <= last] is at most, or at
    least, a probability ([check_tail_enclosed_sound]), for every noise law that has a window (noise_windows.v).

    The programs are event_probability, shares and the class Tail of exactdp/checker/. It rests on
    fixed_point_weights.shares_bound. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool FinFun.
From Exactdp Require Import sums masses fixed_point_weights.
From ExactdpChecker Require Import claims witnesses kinds posed outward windows noise_windows listed_places.
Import ListNotations.
Open Scope Z_scope.

Fixpoint event_sums (inside : Z -> bool) (cells : list (Z * Z)) (t i i' o o' : Z) : Z * Z * Z * Z :=
  match cells with
  | [] => (i, i', o, o')
  | (low, high) :: rest =>
      if inside t then event_sums inside rest (t + 1) (i + low) (i' + high) o o'
      else event_sums inside rest (t + 1) i i' (o + low) (o' + high)
  end.

Definition event_bounds (v : window) (inside : Z -> bool) : Z * Z * Z * Z :=
  let rest := under v + over v in event_sums inside (cells v) (first v) 0 rest 0 rest.

(** part / (part + other) is at most, or at least, q. *)
Definition share_at_most (part other : Z) (q : Q) : bool :=
  part * Zpos (Qden q) <=? Qnum q * Z.max 1 (part + other).
Definition share_at_least (part other : Z) (q : Q) : bool :=
  Qnum q * Z.max 1 (part + other) <=? part * Zpos (Qden q).

Definition from_to (low high : option Z) (t : Z) : bool :=
  match low with Some a => a <=? t | None => true end && match high with Some b => t <=? b | None => true end.

Definition check_tail_enclosed (nu : noise) (low high : option Z) (at_most : bool) (q : Q)
    (proved : bool) (shown : witness) : bool :=
  match shown with
  | Simple (Bits bits) =>
      match noise_window (Z.to_nat bits) nu with
      | Some v =>
          let '(i, i', o, o') := event_bounds v (from_to low high) in
          negb (i + o =? 0) &&
          match proved, at_most with
          | true, true => share_at_most i' o q
          | true, false => share_at_least i o' q
          | false, true => negb (share_at_most i o' q)
          | false, false => negb (share_at_least i' o q)
          end
      | None => false
      end
  | _ => false
  end.

Open Scope R_scope.

(** ** Events *)

Section events.

Variables (v : window) (w : Z -> R) (c : R) (inside : Z -> bool).
Hypothesis enclosed : encloses v w c.

Definition part_of (b : Z * Z -> Z) (T : Z -> bool) (cs : list (Z * Z)) (t : Z) : R :=
  total (combine (listed_from t (length cs)) cs) (fun tc => if T (fst tc) then IZR (b (snd tc)) else 0).

Lemma event_sums_are cs : forall t i i' o o',
  let '(a, a', b, b') := event_sums inside cs t i i' o o' in
  IZR a = IZR i + part_of fst inside cs t /\ IZR a' = IZR i' + part_of snd inside cs t /\
  IZR b = IZR o + part_of fst (fun t => negb (inside t)) cs t /\
  IZR b' = IZR o' + part_of snd (fun t => negb (inside t)) cs t.
Proof.
  induction cs as [| [low high] cs IH]; intros t i i' o o'.
  - simpl. unfold part_of. simpl. repeat split; ring.
  - assert (U : forall b T, part_of b T ((low, high) :: cs) t =
      (if T t then IZR (b (low, high)) else 0) + part_of b T cs (t + 1)).
    { intros b T. unfold part_of. change (length ((low, high) :: cs)) with (S (length cs)). rewrite listed_cons.
      reflexivity. }
    rewrite !U. cbn [event_sums fst snd]. destruct (inside t); cbn [negb];
    match goal with |- context [event_sums inside cs ?x ?p ?q ?r ?s] => specialize (IH x p q r s);
      destruct (event_sums inside cs x p q r s) as [[[a a'] b] b'] end;
    destruct IH as [-> [-> [-> ->]]]; rewrite !plus_IZR; repeat split; ring.
Qed.

Definition inner : list Z := listed_from (first v) (length (cells v)).

Lemma in_inner t : In t inner <-> (first v <= t <= last_place v)%Z.
Proof. unfold inner, last_place. rewrite in_listed, count_length. lia. Qed.

Lemma part_of_cells b T :
  part_of b T (cells v) (first v) = total inner (fun t => if T t then IZR (b (bounds_at v t)) else 0).
Proof.
  assert (G : forall cs t, (forall k, (k < length cs)%nat ->
      nth_error cs k = Some (bounds_at v (t + Z.of_nat k))) ->
    part_of b T cs t = total (listed_from t (length cs)) (fun t => if T t then IZR (b (bounds_at v t)) else 0)).
  { induction cs as [| x cs IH]; intros t H; [reflexivity |].
    assert (H0 := H 0%nat ltac:(simpl; lia)). simpl in H0. injection H0 as ->. rewrite Z.add_0_r.
    unfold part_of. cbn [length]. rewrite listed_cons. cbn [combine total fst snd]. f_equal.
    apply IH. intros k K. specialize (H (S k) ltac:(simpl; lia)). cbn [nth_error] in H. rewrite H. do 2 f_equal. lia. }
  apply G. intros k K. unfold bounds_at. rewrite (proj2 (Z.ltb_ge _ _)) by lia.
  replace (Z.to_nat (first v + Z.of_nat k - first v)) with k by lia.
  destruct (nth_error (cells v) k) eqn:E; [reflexivity | apply nth_error_None in E; lia].
Qed.

(** The probability of an event, in units of c. *)
Lemma event_enclosed T p : mass_of w (fun t => T t = true) p ->
  part_of fst T (cells v) (first v) <= c * p <= IZR (under v + over v) + part_of snd T (cells v) (first v).
Proof.
  intros [Up Least]. assert (C := unit_positive v w c enclosed). assert (B := bounds_everywhere v w c enclosed).
  assert (Pos := weights_nonneg v w c enclosed). rewrite !part_of_cells. split.
  - apply Rle_trans with (c * total (filter T inner) w).
    + rewrite total_filter, <- total_scal. apply total_le. intros t _. destruct (T t); [apply B | lra].
    + apply Rmult_le_compat_l; [lra |]. apply Up. exists (filter T inner). split; [apply NoDup_filter, listed_once |].
      split; [| reflexivity]. intros t I. apply filter_In in I. apply I.
  - apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, C |]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    apply Least. intros s [l [N [I ->]]]. apply Rmult_le_reg_l with c; [exact C |].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    set (before := fun t => (t <? first v)%Z). set (after := fun t => (last_place v <? t)%Z).
    set (between := fun t => negb (before t) && negb (after t)).
    replace (total l w) with (total (filter before l) w + total (filter after l) w + total (filter between l) w).
    2: { rewrite !total_filter, <- !total_plus. apply total_ext. intros t _. unfold between, before, after.
         assert (F := first_after_last v).
         destruct (Z.ltb_spec t (first v)), (Z.ltb_spec (last_place v) t); simpl; try lia; ring. }
    rewrite !Rmult_plus_distr_l, plus_IZR. apply Rplus_le_compat; [apply Rplus_le_compat |].
    + apply (sum_below v w c enclosed); [apply NoDup_filter, N |]. intros t J. apply filter_In in J. apply Z.ltb_lt, J.
    + apply (sum_above v w c enclosed); [apply NoDup_filter, N |]. intros t J. apply filter_In in J. apply Z.ltb_lt, J.
    + rewrite <- total_scal. apply Rle_trans with (total (filter T inner) (fun t => IZR (snd (bounds_at v t)))).
      * apply Rle_trans with (total (filter between l) (fun t => IZR (snd (bounds_at v t)))).
        -- apply total_le. intros t _. apply B.
        -- apply total_incl; [apply NoDup_filter, N | |].
           ++ intros t J. apply filter_In in J. destruct J as [J K]. apply filter_In. split; [| apply I, J].
              apply in_inner. unfold between, before, after in K. apply andb_true_iff in K. destruct K as [K1 K2].
              apply negb_true_iff, Z.ltb_ge in K1, K2. lia.
           ++ intros t _. destruct (B t) as [B1 B2]. lra.
      * rewrite total_filter. apply Rle_refl.
Qed.

Lemma complement_mass (T : Z -> bool) p q : mass_of w (fun t => T t = true) p ->
  mass_of w (fun t => negb (T t) = true) q ->
  p + q = 1.
Proof.
  intros [U1 L1] [U2 L2]. destruct (law_enclosed v w c enclosed) as [Pos [U L]]. apply Rle_antisym.
  - assert (X : p <= 1 - q); [| lra]. apply L1. intros s [l [N [I ->]]].
    assert (Y : q <= 1 - total l w); [| lra]. apply L2. intros s [m [M [J ->]]].
    assert (Z : total (l ++ m) w <= 1); [| rewrite total_app in Z; lra].
    apply U. exists (l ++ m). split; [| split; [trivial | reflexivity]].
    apply product_laws.disjoint_append; [exact N | exact M |]. intros t I1 I2. specialize (I t I1). specialize (J t I2).
    simpl in J. rewrite I in J. discriminate.
  - apply L. intros s [l [N [_ ->]]].
    replace (total l w) with (total (filter T l) w + total (filter (fun t => negb (T t)) l) w).
    2: { rewrite !total_filter, <- total_plus. apply total_ext. intros t _. destruct (T t); simpl; ring. }
    apply Rplus_le_compat; [apply U1 | apply U2]; eexists; (split; [apply NoDup_filter, N |]); (split; [| reflexivity]);
      intros t J; apply filter_In in J; apply J.
Qed.

Theorem shares_sound i i' o o' p :
  event_bounds v inside = (i, i', o, o') -> mass_of w (fun t => inside t = true) p ->
  share i o' <= p <= share i' o.
Proof.
  unfold event_bounds. intros E M.
  assert (S := event_sums_are (cells v) (first v) 0 (under v + over v) 0 (under v + over v)).
  rewrite E in S. destruct S as [Si [Si' [So So']]]. rewrite Rplus_0_l in Si, So.
  destruct (mass_exists w (fun t => negb (inside t) = true) (law_enclosed v w c enclosed)) as [q Mq].
  assert (One := complement_mass inside p q M Mq). assert (C := unit_positive v w c enclosed).
  assert (X := event_enclosed inside p M). assert (Y := event_enclosed (fun t => negb (inside t)) q Mq).
  rewrite <- Si, <- Si' in X. rewrite <- So, <- So' in Y.
  assert (Low : forall T, 0 <= part_of fst T (cells v) (first v)).
  { intros T. rewrite part_of_cells. apply total_nonneg. intros t _. destruct (T t); [| lra].
    destruct (bounds_everywhere v w c enclosed t) as [B1 B2]. lra. }
  replace p with (c * p / (c * p + c * q)) by (rewrite <- Rmult_plus_distr_l, One; field; lra).
  apply shares_bound.
  - apply le_IZR. rewrite Si. apply Low.
  - apply le_IZR. rewrite So. apply Low.
  - exact X.
  - exact Y.
  - rewrite <- Rmult_plus_distr_l, One. lra.
Qed.

End events.

(** ** Comparisons *)

Lemma cross_multiplied (x y d m : Z) :
  (0 < d)%Z -> (0 < m)%Z -> IZR x / IZR m - IZR y / IZR d = (IZR (x * d) - IZR (y * m)) / (IZR m * IZR d).
Proof.
  intros D M. apply (IZR_lt 0) in D. apply (IZR_lt 0) in M. rewrite !mult_IZR. field. lra.
Qed.

Lemma compared (x y d m : Z) : (0 < d)%Z -> (0 < m)%Z ->
  (IZR x / IZR m <= IZR y / IZR d <-> (x * d <= y * m)%Z) /\ (IZR y / IZR d <= IZR x / IZR m <-> (y * m <= x * d)%Z).
Proof.
  intros D M. assert (C := cross_multiplied x y d m D M). apply (IZR_lt 0) in D. apply (IZR_lt 0) in M.
  assert (P : 0 < / (IZR m * IZR d)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
  unfold Rdiv at 3 in C. split; split; intros H; try apply IZR_le in H; try apply le_IZR; nra.
Qed.

Lemma share_compare part other q : share part other <= Q2R q <-> share_at_most part other q = true.
Proof. unfold share_at_most. rewrite Z.leb_le. apply (compared part (Qnum q) (Zpos (Qden q))); lia. Qed.

Lemma share_compare_least part other q : Q2R q <= share part other <-> share_at_least part other q = true.
Proof. unfold share_at_least. rewrite Z.leb_le. apply (compared part (Qnum q) (Zpos (Qden q))); lia. Qed.

Lemma from_to_range low high t :
  from_to low high t = true <-> (forall a, low = Some a -> (a <= t)%Z) /\ (forall b, high = Some b -> (t <= b)%Z).
Proof.
  unfold from_to. rewrite andb_true_iff. split.
  - intros [A B]. split; intros x ->; apply Z.leb_le; assumption.
  - intros [A B]. split; [destruct low | destruct high]; try reflexivity; apply Z.leb_le; auto.
Qed.

Theorem check_tail_enclosed_sound nu low high at_most q proved shown :
  check_tail_enclosed nu low high at_most q proved shown = true -> sound (Tail nu low high at_most q) proved.
Proof.
  unfold check_tail_enclosed. destruct shown as [[| |bits] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate.
  destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate].
  destruct (event_bounds v (from_to low high)) as [[[i i'] o] o'] eqn:E. intros H.
  apply andb_true_iff in H. destruct H as [_ H]. destruct (noise_window_sound _ _ _ W) as [N [c C]].
  split; [exact N |]. cbn [holds].
  assert (Iff : forall p, mass_of (noise_mass nu) (fun t => from_to low high t = true) p <->
    mass_of (noise_mass nu) (fun t => (forall a, low = Some a -> (a <= t)%Z) /\ (forall b, high = Some b -> (t <= b)%Z))
      p).
  { intros p. split; apply mass_of_ext; intros t; [apply from_to_range | symmetry; apply from_to_range]. }
  assert (S := fun p => shares_sound v (noise_mass nu) c (from_to low high) C i i' o o' p E).
  destruct proved.
  - destruct (mass_exists (noise_mass nu) (fun t => from_to low high t = true) (law_enclosed _ _ _ C)) as [p Mp].
    exists p. split; [apply Iff, Mp |]. specialize (S p Mp). destruct at_most.
    + apply share_compare in H. lra.
    + apply share_compare_least in H. lra.
  - intros [p [Mp Hp]]. apply Iff in Mp. specialize (S p Mp). destruct at_most; apply negb_true_iff in H.
    + assert (X : share i o' <= Q2R q) by lra. apply share_compare in X. congruence.
    + assert (X : Q2R q <= share i' o) by lra. apply share_compare_least in X. congruence.
Qed.

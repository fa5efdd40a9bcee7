(** The result of likelihood_program.v is at most the divergence of the classes: [likelihood_below].

    For rational classes whose masses are not negative and whose reference masses sum to 1, every n >= 1, ratio >= 0,
    bits >= 0, and any other parameters of the witness: [likelihood_bound] is at most [class_bound] of n users at this
    ratio. Where classes have less than the masses of messages, [likelihood_less] is at most the difference that a tree of
    scores of these shows ([likelihood_less_below]). Idea: the leaf of the tree is the score of a class; likelihood_trees.v and class_tests.v. Source: this
    package. *)

From Coq Require Import Reals List ZArith QArith Qreals Qround Lra Lia Bool.
From Exactdp Require Import reals sums laws integer_polynomials losses_program mean_excess classes score_event
  least_values.
From ExactdpChecker Require Import class_tests likelihood_program likelihood_sound likelihood_trees.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

Section bound.

Variables (bits cut : Z) (limit : nat) (at_ratio step ratio : Q) (threshold : Z) (classes : list rational_class).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis ratio_nonneg : 0 <= Q2R ratio.
Hypothesis nonneg : forall k, In k classes ->
  0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\ 0 <= Q2R (under_reference k).
Hypothesis all : total classes (fun k => Q2R (under_reference k)) = 1.

Let some := filter covered classes.
Let by_mass (mass : rational_class -> Q) : dist rational_class := law_by (fun k => Q2R (mass k)) some.
Let score := score_of at_ratio step.
Let start : tree rational_class Z := leaf score.

Lemma floor_below q : IZR (Qnum q * 2 ^ bits / Zpos (Qden q)) <= Q2R q * IZR (2 ^ bits).
Proof.
  assert (D : (0 < Zpos (Qden q))%Z) by reflexivity. assert (X := Z.mul_div_le (Qnum q * 2 ^ bits) _ D).
  apply IZR_le in X. rewrite !mult_IZR in X. apply IZR_lt in D. unfold Q2R.
  apply Rmult_le_reg_l with (IZR (Zpos (Qden q))); [exact D |].
  replace (IZR (Zpos (Qden q)) * (IZR (Qnum q) * / IZR (Zpos (Qden q)) * IZR (2 ^ bits))) with (IZR (Qnum q) * IZR (2
    ^ bits))
    by (field; lra). exact X.
Qed.

Lemma some_nonneg (mass : rational_class -> Q) k :
  mass = under_first \/ mass = under_second \/ mass = under_reference -> In k some -> 0 <= Q2R (mass k).
Proof. intros M I. apply filter_In in I. destruct I as [I _]. destruct (nonneg k I) as [A [B C]].
  destruct M as [-> | [-> | ->]]; assumption. Qed.

Lemma mean_by_mass mass f : mean (by_mass mass) f = total some (fun k => Q2R (mass k) * f k).
Proof. unfold mean, by_mass, law_by. rewrite total_map. reflexivity. Qed.

Lemma positive_by_mass mass :
  mass = under_first \/ mass = under_second \/ mass = under_reference -> positive_law (by_mass mass).
Proof.
  intros M f F. rewrite mean_by_mass. apply total_nonneg. intros k I.
    apply Rmult_le_pos; [apply some_nonneg; assumption | apply F].
Qed.

Let scored := map (fun k => (score k, k)) some.

Lemma mass_at_value mass place :
  Q2R (sum_of (map (fun sk => mass (snd sk)) (filter (fun sk => (fst sk =? place)%Z) scored))) =
  total some (fun k => if (score k =? place)%Z then Q2R (mass k) else 0).
Proof. rewrite Q2R_sum_of, total_map, total_filter. unfold scored. rewrite total_map. reflexivity. Qed.

(** A score meets one place at most. *)
Lemma met_once (g : Z -> R) z low count :
  (forall y, 0 <= g y) -> total (seq 0 count) (fun i => if (z =? low + Z.of_nat i)%Z then g z else 0) <= g z.
Proof.
  intros G. induction count as [| count IH]; [simpl; apply G |]. rewrite total_seq_S.
  destruct (Z.eqb_spec z (low + Z.of_nat count)) as [E | N]; [| lra].
  rewrite (total_ext _ _ (fun _ => 0)); [rewrite total_zero; lra |]. intros i I. apply in_seq in I.
  destruct (Z.eqb_spec z (low + Z.of_nat i)) as [E' | _]; [lia | reflexivity].
Qed.

Lemma weighed_places (h : Z -> Z) low count f : forall from,
  weighed (low + Z.of_nat from) (map h (map (fun i => low + Z.of_nat i)%Z (seq from count))) f =
  total (seq from count) (fun i => IZR (h (low + Z.of_nat i)%Z) * f (low + Z.of_nat i)%Z).
Proof.
  induction count as [| count IH]; intros from; [reflexivity |]. cbn [seq map weighed total].
  replace (low + Z.of_nat from + 1)%Z with (low + Z.of_nat (S from))%Z by lia. rewrite IH. reflexivity.
Qed.

Lemma under_leaf mass low count D :
  mass = under_first \/ mass = under_second \/ mass = under_reference ->
  (forall f, (forall z, 0 <= f z) -> mean (by_mass mass) (fun k => f (score k)) <= mean D f) ->
  under bits low (map (mass_at bits scored mass) (map (fun i => low + Z.of_nat i)%Z (seq 0 count))) D.
Proof.
  intros M HD. split.
  - apply Forall_map, Forall_forall. intros z _. unfold mass_at.
    assert (N : 0 <= Q2R (sum_of (map (fun sk => mass (snd sk)) (filter (fun sk => (fst sk =? z)%Z) scored)))).
    { rewrite mass_at_value. apply total_nonneg. intros k I.
      destruct (score k =? z)%Z; [apply some_nonneg; assumption | lra]. }
    apply Z.div_pos; [| reflexivity]. apply Z.mul_nonneg_nonneg; [| apply Z.pow_nonneg; lia].
    rewrite <- Q2R_0 in N. apply Rle_Qle in N. unfold Qle in N. simpl in N. lia.
  - intros f F. assert (W := weighed_places (mass_at bits scored mass) low count f 0).
    replace (low + Z.of_nat 0)%Z with low in W by (simpl; lia). rewrite W. clear W.
    apply Rle_trans with (IZR (unit bits) * mean (by_mass mass) (fun k => f (score k))).
    2: { apply Rmult_le_compat_l; [apply IZR_le, Z.pow_nonneg; lia | apply HD, F]. }
    rewrite mean_by_mass, <- total_scal.
    apply Rle_trans with (total (seq 0 count) (fun i => total some (fun k =>
      IZR (2 ^ bits) * (Q2R (mass k) * (if (score k =? low + Z.of_nat i)%Z then f (score k) else 0))))).
    + apply total_le. intros i _. unfold mass_at. set (q := sum_of _).
      assert (B := floor_below q). unfold q in B at 3. rewrite mass_at_value in B. fold q in B.
      eapply Rle_trans; [apply Rmult_le_compat_r; [apply F | exact B] |]. apply Req_le.
      rewrite Rmult_assoc, (Rmult_comm (total _ _)), <- total_scal. apply total_ext. intros k _.
      destruct (Z.eqb_spec (score k) (low + Z.of_nat i)) as [-> | _]; ring.
    + rewrite total_swap. apply total_le. intros k I. rewrite !total_scal.
      apply Rmult_le_compat_l; [apply IZR_le, Z.pow_nonneg; lia |].
      apply Rmult_le_compat_l; [apply some_nonneg; assumption |]. apply met_once, F.
Qed.

Lemma good_leaf : good (by_mass under_first) (by_mass under_second) (by_mass under_reference) bits
  (leaf_of bits at_ratio step classes) start.
Proof.
  split; [| split]; apply under_leaf; auto; intros f _; apply Req_le; symmetry; apply mean_dmap.
Qed.

Lemma weighed_from low l (f : Z -> R) many :
  weighed low l (fun z => if (low + Z.of_nat many <=? z)%Z then 1 else 0) = IZR (z_sum (skipn many l)).
Proof.
  rewrite <- (firstn_skipn many l) at 1. rewrite weighed_app.
  rewrite (weighed_ext low (firstn many l) _ (fun _ => 0)).
  - rewrite weighed_const. destruct (Nat.le_gt_cases (length l) many) as [L | L].
    + rewrite (skipn_all2 l) by exact L. simpl. ring.
    + rewrite firstn_length_le by lia. rewrite (weighed_ext _ (skipn many l) _ (fun _ => 1)).
      * rewrite weighed_const. ring.
      * intros z Z. destruct (Z.leb_spec (low + Z.of_nat many) z); [reflexivity | lia].
  - intros z Z. assert (X := firstn_le_length many l). destruct (Z.leb_spec (low + Z.of_nat many) z); [| reflexivity].
    rewrite firstn_length in Z. lia.
Qed.

Lemma charge_value : Q2R (uncovered_charge ratio classes) = class_uncovered (Q2R ratio) (map real_class classes).
Proof. apply (charge_of_classes ratio classes). Qed.

Lemma likelihood_below_here n :
  Q2R (likelihood_bound bits cut limit at_ratio step ratio threshold n classes) <=
  class_bound (Pos.to_nat n) (Q2R ratio) (map real_class classes).
Proof.
  unfold likelihood_bound.
  assert (G := reached_good (by_mass under_first) (by_mass under_second) (by_mass under_reference) bits cut limit
    bits_nonneg
    (positive_by_mass _ (or_introl eq_refl)) (positive_by_mass _ (or_intror (or_introl eq_refl)))
    (positive_by_mass _ (or_intror (or_intror eq_refl))) _ start n eq_refl good_leaf).
  destruct G as [[t [Lt [G1 [G2 _]]]] _]. set (s := fst (reached bits cut limit _ n)) in *.
  unfold divergence. set (many := Z.to_nat (threshold - s_low s)).
  set (f := fun z => if (s_low s + Z.of_nat many <=? z)%Z then 1 else 0).
  assert (F : forall z, 0 <= f z <= 1) by (intros z; unfold f; destruct (_ <=? z)%Z; lra).
  assert (N : exists j, leaves t = S j) by (exists (pred (leaves t)); assert (X := leaves_positive t); lia).
  destruct N as [j Lj].
  assert (Cov : forall k, covered k = true <-> Q2R (under_reference k) <> 0) by (intros k; apply (covered_spec k)).
  assert (B := class_test (fun k => Q2R (under_first k)) (fun k => Q2R (under_second k)) (fun k => Q2R
    (under_reference k))
    covered classes (Q2R ratio) 0%Z t j f Cov (fun k I => proj2 (proj2 (nonneg k I))) all Lj F). cbv zeta in B.
  fold some in B. fold (by_mass under_first) (by_mass under_second) (by_mass under_reference) in B.
  rewrite <- Lj, Lt in B. eapply Rle_trans; [| exact B]. clear B.
  assert (W := differs_weight (fun k => Q2R (under_reference k)) covered classes t (by_mass under_second) Cov all).
  fold some in W. fold (by_mass under_reference) in W.
  assert (U : 0 < IZR (2 ^ bits)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (U1 := proj2 G1 f (fun z => proj1 (F z))).
  assert (U2 := proj2 G2 (fun z => 1 - f z) (fun z => ltac:(specialize (F z); lra))).
  unfold unit in U1, U2. unfold f in U1 at 1. rewrite weighed_from in U1 by exact (fun _ => 0).
  assert (S2 : weighed (s_low s) (s_second s) (fun z => 1 - f z) =
    IZR (z_sum (s_second s)) - IZR (z_sum (skipn many (s_second s)))).
  { rewrite <- (weighed_from (s_low s) (s_second s) f many). fold f.
    assert (X : forall l low, weighed low l (fun z => 1 - f z) = IZR (z_sum l) - weighed low l f).
    { induction l as [| w l IH]; intros low; simpl; [ring |]. rewrite IH, plus_IZR. unfold z_sum. ring. }
    apply X. }
  rewrite S2, mean_minus, W in U2.
  set (A := mean (differs_law (by_mass under_first) _ t) f) in *.
  set (Bq := mean (differs_law (by_mass under_second) _ t) f) in *.
  set (q := sum_of (map under_second (filter covered classes))).
  assert (Q1 : mean (by_mass under_second) (fun _ => 1) = Q2R q).
  { rewrite mean_by_mass. unfold q. rewrite Q2R_sum_of, total_map. apply total_ext. intros. ring. }
  rewrite Q1 in U2.
  set (c := (- (- (Qnum q * 2 ^ bits) / Zpos (Qden q)))%Z).
  assert (Ceil : Q2R q * IZR (2 ^ bits) <= IZR c).
  { unfold c. assert (D : (0 < Zpos (Qden q))%Z) by reflexivity.
    assert (X := Z.mul_div_le (- (Qnum q * 2 ^ bits)) _ D). apply IZR_le in X. rewrite mult_IZR, opp_IZR, mult_IZR in X.
    apply IZR_lt in D. rewrite opp_IZR. unfold Q2R. apply Rmult_le_reg_l with (IZR (Zpos (Qden q))); [exact D |].
    replace (IZR (Zpos (Qden q)) * (IZR (Qnum q) * / IZR (Zpos (Qden q)) * IZR (2 ^ bits))) with (IZR (Qnum q) * IZR
      (2 ^ bits))
      by (field; lra). lra. }
  replace (- (Qnum q * 2 ^ bits) / Zpos (Qden q))%Z with (- c)%Z by (unfold c; ring).
  replace (- - c - z_sum (s_second s))%Z with (c - z_sum (s_second s))%Z by ring.
  assert (QZ : forall z, Q2R (inject_Z z) = IZR z) by (intros z; unfold Q2R, inject_Z; simpl; field).
  assert (NZ : ~ (inject_Z (2 ^ bits) == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite QZ, Q2R_0 in Z; lra).
  rewrite Q2R_plus, Q2R_div, Q2R_minus, Q2R_mult, !QZ, plus_IZR, minus_IZR, charge_value by exact NZ.
  apply Rplus_le_compat; [apply Req_le; reflexivity |].
  apply Rmult_le_reg_r with (IZR (2 ^ bits)); [exact U |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  set (x := IZR (z_sum (skipn many (s_first s)))) in *. set (y := IZR (z_sum (skipn many (s_second s)))) in *.
  set (z := IZR (z_sum (s_second s))) in *.
  assert (Y : IZR (2 ^ bits) * Bq <= y + (IZR c - z)) by lra.
  assert (Y' := Rmult_le_compat_l _ _ _ ratio_nonneg Y). lra.
Qed.

End bound.

Theorem likelihood_below bits cut limit at_ratio step ratio threshold classes n :
  (0 <= bits)%Z -> 0 <= Q2R ratio ->
  (forall k, In k classes -> 0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\ 0 <= Q2R (under_reference k)) ->
  total classes (fun k => Q2R (under_reference k)) = 1 ->
  Q2R (likelihood_bound bits cut limit at_ratio step ratio threshold n classes) <=
  class_bound (Pos.to_nat n) (Q2R ratio) (map real_class classes).
Proof. intros. apply likelihood_below_here; assumption. Qed.

(** ** Classes that have less than the masses of messages *)

Lemma tree_weight {A S} (P C : dist A) (t : tree A S) : mean C (fun _ => 1) = 1 ->
  mean (differs_law P C t) (fun _ => 1) = mean P (fun _ => 1).
Proof.
  intros One. assert (O : forall u : tree A S, mean (others_law C u) (fun _ => 1) = 1).
  { induction u as [v | l IHl r IHr join]; cbn [others_law].
    - rewrite mean_dmap. exact One.
    - rewrite mean_bind, (mean_ext _ _ (fun _ => 1)); [exact IHl |]. intros a. rewrite mean_dmap. exact IHr. }
  induction t as [v | l IHl r IHr join]; cbn [differs_law]; [rewrite mean_dmap; reflexivity |].
  rewrite mean_bind, mean_coin, !mean_bind.
  rewrite (mean_ext (differs_law P C l) _ (fun _ => 1)) by (intros a; rewrite mean_dmap; apply O).
  rewrite (mean_ext (others_law C l) _ (fun _ => mean P (fun _ => 1) * 1)) by (intros a; rewrite mean_dmap, IHr; ring).
  rewrite mean_scal, IHl, O. ring.
Qed.

(** Scores of messages, under which each law has at least what the classes with these scores have. *)
Definition scored_less {A} (at_ratio step : Q) (P Q D : dist A) (classes : list rational_class) : Prop :=
  (forall k, In k classes ->
    0 <= Q2R (under_first k) /\ 0 <= Q2R (under_second k) /\ 0 <= Q2R (under_reference k)) /\
  exists v : A -> Z, forall mass_law, In mass_law [(under_first, P); (under_second, Q); (under_reference, D)] ->
    forall f, (forall z, 0 <= f z) ->
    total (filter covered classes) (fun k => Q2R (fst mass_law k) * f (score_of at_ratio step k)) <=
      mean (snd mass_law) (fun a => f (v a)).

(** The lists of the test are below the laws of a tree of these scores. *)
Theorem tree_of_less {A} (P Q D : dist A) bits cut limit at_ratio step classes n :
  (0 <= bits)%Z -> proper P -> proper Q -> proper D -> scored_less at_ratio step P Q D classes ->
  let s := fst (reached bits cut limit (leaf_of bits at_ratio step classes) n) in
  exists t : tree A Z, leaves t = Pos.to_nat n /\
    under bits (s_low s) (s_first s) (differs_law P D t) /\ under bits (s_low s) (s_second s) (differs_law Q D t).
Proof.
  intros Hb PP PQ PD [Nonneg [v Less]].
  assert (Pos : forall d : dist A, proper d -> positive_law d) by (intros d Pd g G; apply mean_nonneg; assumption).
  assert (Leaf : good P Q D bits (leaf_of bits at_ratio step classes) (leaf v)).
  { split; [| split]; cbn [leaf_of s_low s_first s_second s_others].
    - apply (under_leaf bits at_ratio step classes Nonneg under_first); [auto |]. intros f F.
      rewrite mean_by_mass. cbn [differs_law]. rewrite mean_dmap.
      apply (Less (under_first, P)); [left; reflexivity | exact F].
    - apply (under_leaf bits at_ratio step classes Nonneg under_second); [auto |]. intros f F.
      rewrite mean_by_mass. cbn [differs_law]. rewrite mean_dmap.
      apply (Less (under_second, Q)); [right; left; reflexivity | exact F].
    - apply (under_leaf bits at_ratio step classes Nonneg under_reference); [auto |]. intros f F.
      rewrite mean_by_mass. cbn [others_law]. rewrite mean_dmap.
      apply (Less (under_reference, D)); [right; right; left; reflexivity | exact F]. }
  destruct (reached_good P Q D bits cut limit Hb (Pos P PP) (Pos Q PQ) (Pos D PD) _ (leaf v) n eq_refl Leaf)
    as [[t [Lt [G1 [G2 _]]]] _].
  exists t. auto.
Qed.

Theorem likelihood_less_below {A} (P Q D : dist A) bits cut limit at_ratio step ratio threshold classes n :
  (0 <= bits)%Z -> 0 <= Q2R ratio -> proper P -> proper Q -> proper D -> scored_less at_ratio step P Q D classes ->
  exists (t : tree A Z) f, leaves t = Pos.to_nat n /\ (forall z, 0 <= f z <= 1) /\
    Q2R (likelihood_less bits cut limit at_ratio step ratio threshold n classes) <=
    mean (differs_law P D t) f - Q2R ratio * mean (differs_law Q D t) f.
Proof.
  intros Hb Hr PP PQ PD Less.
  destruct (tree_of_less P Q D bits cut limit at_ratio step classes n Hb PP PQ PD Less) as [t [Lt [G1 G2]]].
  unfold likelihood_less. set (s := fst (reached bits cut limit _ n)) in *.
  set (many := Z.to_nat (threshold - s_low s)).
  set (f := fun z => if (s_low s + Z.of_nat many <=? z)%Z then 1 else 0).
  assert (F : forall z, 0 <= f z <= 1) by (intros z; unfold f; destruct (_ <=? z)%Z; lra).
  exists t, f. split; [exact Lt |]. split; [exact F |].
  assert (U : 0 < IZR (2 ^ bits)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (U1 := proj2 G1 f (fun z => proj1 (F z))).
  assert (U2 := proj2 G2 (fun z => 1 - f z) (fun z => ltac:(specialize (F z); lra))).
  unfold unit in U1, U2. unfold f in U1 at 1. rewrite weighed_from in U1 by exact (fun _ => 0).
  assert (S2 : weighed (s_low s) (s_second s) (fun z => 1 - f z) =
    IZR (z_sum (s_second s)) - IZR (z_sum (skipn many (s_second s)))).
  { rewrite <- (weighed_from (s_low s) (s_second s) f many). fold f.
    assert (X : forall l low, weighed low l (fun z => 1 - f z) = IZR (z_sum l) - weighed low l f).
    { induction l as [| w l IH]; intros low; simpl; [ring |]. rewrite IH, plus_IZR. unfold z_sum. ring. }
    apply X. }
  rewrite S2, mean_minus, (tree_weight Q D t (proj2 PD)), (proj2 PQ) in U2.
  unfold divergence_less. fold many.
  assert (QZ : forall z, Q2R (inject_Z z) = IZR z) by (intros z; unfold Q2R, inject_Z; simpl; field).
  assert (NZ : ~ (inject_Z (2 ^ bits) == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite QZ, Q2R_0 in Z; lra).
  rewrite Q2R_div, Q2R_minus, Q2R_mult, !QZ, plus_IZR, minus_IZR by exact NZ.
  apply Rmult_le_reg_r with (IZR (2 ^ bits)); [exact U |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  set (x := IZR (z_sum (skipn many (s_first s)))) in *. set (y := IZR (z_sum (skipn many (s_second s)))) in *.
  set (z := IZR (z_sum (s_second s))) in *. set (A1 := mean (differs_law P D t) f) in *.
  set (B1 := mean (differs_law Q D t) f) in *.
  assert (Y : IZR (2 ^ bits) * B1 <= y + (IZR (2 ^ bits) - z)) by lra.
  assert (Y' := Rmult_le_compat_l _ _ _ Hr Y). lra.
Qed.

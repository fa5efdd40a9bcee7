(** Pairs of weights of laws with constant ratios.

    For integers 0 <= c < d and every j >= 1, [pairs_of] lists pairs that decide privacy and smoothness, in the sense of
    aligned_pairs.v, in both orders: of the law (1 - x) x^t on t >= 0 with x = c / d against itself moved by j
    ([one_sided_pairs]), and, for c > 0, of the law proportional to x^abs(t) ([two_sided_pairs]).

    Idea: the classes of steps_one_sided.v and steps_geometric.v, whose probabilities over one total the programs list,
    each from the one before with an exact division.

    Source: docs/certificates.md, "Constant ratios are one outcome". *)

From Coq Require Import ZArith Reals List Lra Lia Bool.
From Exactdp Require Import sums masses hockey_stick shifts smooth_noise_privacy geometric_noise steps.
From Exactdp Require Import steps_geometric steps_one_sided uniform_ends.
From ExactdpChecker Require Import exact_program aligned_pairs class_events.
Import ListNotations.
Open Scope R_scope.

(** ** Powers of c and d *)

Section powers.

Variables (c d : Z).
Hypothesis d_positive : (0 < d)%Z.

Lemma d_real : 0 < IZR d.
Proof. apply (IZR_lt 0), d_positive. Qed.

(** (d - c) c^i d^k. *)
Definition mixed (i k : nat) : Z := ((d - c) * (c ^ Z.of_nat i * d ^ Z.of_nat k))%Z.

Lemma mixed_real i k : IZR (mixed i k) = IZR d ^ (i + S k) * ((1 - IZR c / IZR d) * (IZR c / IZR d) ^ i).
Proof.
  unfold mixed. rewrite !mult_IZR, minus_IZR, <- !pow_IZR. assert (D := d_real).
  set (x := IZR c / IZR d). replace (IZR c) with (x * IZR d) by (unfold x; field; lra).
  rewrite Rpow_mult_distr, pow_add. simpl. ring.
Qed.

Lemma mixed_next i k : (mixed i (S k) / d * c = mixed (S i) k)%Z.
Proof.
  unfold mixed. rewrite !Nat2Z.inj_succ, !Z.pow_succ_r by lia.
  replace ((d - c) * (c ^ Z.of_nat i * (d * d ^ Z.of_nat k)))%Z
    with ((d - c) * (c ^ Z.of_nat i * d ^ Z.of_nat k) * d)%Z by ring.
  rewrite Z.div_mul by lia. ring.
Qed.

Lemma mixed_back i k : c <> 0%Z -> (mixed (S i) k / c * d = mixed i (S k))%Z.
Proof.
  intros N. unfold mixed. rewrite !Nat2Z.inj_succ, !Z.pow_succ_r by lia.
  replace ((d - c) * (c * c ^ Z.of_nat i * d ^ Z.of_nat k))%Z
    with ((d - c) * (c ^ Z.of_nat i * d ^ Z.of_nat k) * c)%Z by ring.
  rewrite Z.div_mul by exact N. ring.
Qed.

Lemma power_ratio (i : nat) : IZR (c ^ Z.of_nat i) = IZR d ^ i * (IZR c / IZR d) ^ i.
Proof.
  assert (D := d_real). rewrite <- pow_IZR, <- Rpow_mult_distr. f_equal. field. lra.
Qed.

Lemma first_steps_list k i seen :
  first_steps (S k) c d (mixed i k) seen =
  map (fun t => (mixed t (i + k - t), 0%Z)) (rev (seq i (S k))) ++ seen.
Proof.
  revert i seen. induction k as [| k IH]; intros i seen.
  - simpl. replace (i + 0 - i)%nat with 0%nat by lia. reflexivity.
  - cbn [first_steps] in IH |- *. rewrite mixed_next.
    destruct k as [| k].
    + cbn. replace (i + 1 - i)%nat with 1%nat by lia. replace (i + 1 - S i)%nat with 0%nat by lia. reflexivity.
    + specialize (IH (S i) ((mixed i (S (S k)), 0%Z) :: seen)). cbn [first_steps] in IH. cbn [first_steps]. rewrite IH.
      change (seq i (S (S (S k)))) with (i :: seq (S i) (S (S k))). cbn [rev]. rewrite map_app, <- app_assoc.
      replace (S i + S k)%nat with (i + S (S k))%nat by lia. f_equal. cbn [map app].
      replace (i + S (S k) - i)%nat with (S (S k)) by lia. reflexivity.
Qed.

Lemma middle_steps_list k i m seen : c <> 0%Z ->
  middle_steps k c d (mixed (S i) k) (mixed (S (k + m)) i) seen =
  map (fun t => (mixed (S t) (i + k - t), mixed (S (i + k + m - t)) t)) (rev (seq i (S k))) ++ seen.
Proof.
  intros N. revert i seen. induction k as [| k IH]; intros i seen.
  - cbn. replace (i + 0 - i)%nat with 0%nat by lia. replace (i + 0 + m - i)%nat with m by lia. reflexivity.
  - cbn [middle_steps]. rewrite mixed_next. replace (S k + m)%nat with (S (k + m)) by lia.
    rewrite mixed_back by exact N.
    rewrite IH. change (seq i (S (S k))) with (i :: seq (S i) (S k)). cbn [rev]. rewrite map_app, <- app_assoc.
    replace (S i + k)%nat with (i + S k)%nat by lia. f_equal. cbn [map app].
    replace (i + S k - i)%nat with (S k) by lia. replace (i + S k + m - i)%nat with (S (k + m)) by lia. reflexivity.
Qed.

End powers.

(** A list of pairs whose weights are the probabilities of classes. *)
Lemma classes_on (h : Z -> Z) (P Q P' Q' : Z -> R) (ks : list Z) (T : Z) (f g : Z -> Z) forward :
  law P -> law Q ->
  (forall b, mass_of P (fun a => h a = b) (P' b)) -> (forall b, mass_of Q (fun a => h a = b) (Q' b)) ->
  (forall a e, h a = h e -> P a * Q e = P e * Q a) ->
  NoDup ks -> (0 < T)%Z ->
  (forall b, In b ks -> IZR (f b) = IZR T * P' b) -> (forall b, In b ks -> IZR (g b) = IZR T * Q' b) ->
  (forall b, ~ In b ks -> P' b = 0) -> (forall b, ~ In b ks -> Q' b = 0) ->
  let pairs := ordered forward (map (fun b => (f b, g b)) ks) in
  measured pairs T (if forward then P else Q) (if forward then Q else P) /\
  located pairs T (if forward then P else Q) (if forward then Q else P).
Proof.
  intros LP LQ HP HQ HR N HT F G OP OQ. cbv zeta.
  assert (Pos : forall D D', (forall b, mass_of D (fun a => h a = b) (D' b)) -> forall b, 0 <= D' b).
  { intros D D' H b. destruct (H b) as [U _]. apply U. exists [].
    split; [constructor | split; [intros a [] | reflexivity]]. }
  unfold ordered. destruct forward; [| rewrite swap_map].
  - apply (classes_pairs h P Q P' Q'); auto.
    split; [apply (measured_on Z.eq_dec) | apply (located_on Z.eq_dec)]; eauto.
  - apply (classes_pairs h Q P Q' P'); auto.
    + intros a e E. rewrite (Rmult_comm (Q a)), (Rmult_comm (Q e)). symmetry. apply HR, E.
    + split; [apply (measured_on Z.eq_dec) | apply (located_on Z.eq_dec)]; eauto.
Qed.

(** ** One side *)

Definition nats (l : list nat) : list Z := map Z.of_nat l.

Lemma up_to_once k l : Permutation.Permutation l (seq 0 (S k)) ->
  NoDup (nats l) /\ forall a, In a (nats l) <-> (0 <= a <= Z.of_nat k)%Z.
Proof.
  intros H. split.
  - apply FinFun.Injective_map_NoDup; [intros x y E; lia |].
    apply (Permutation.Permutation_NoDup (Permutation.Permutation_sym H)), seq_NoDup.
  - intros a. unfold nats. rewrite in_map_iff. split.
    + intros [i [<- I]]. apply (Permutation.Permutation_in _ H), in_seq in I. lia.
    + intros B. exists (Z.to_nat a). split; [lia |].
      apply (Permutation.Permutation_in _ (Permutation.Permutation_sym H)), in_seq. lia.
Qed.

Section stepped.

Variables (c d : Z) (k : nat).
Hypothesis ratio_below_1 : (0 <= c < d)%Z.

Notation x := (IZR c / IZR d).
Notation j := (Z.of_nat (S k)).

Lemma x_below_1 : 0 <= x < 1.
Proof.
  destruct ratio_below_1 as [H1 H2]. apply IZR_le in H1. apply IZR_lt in H2. split.
  - apply Rmult_le_pos; [exact H1 | left; apply Rinv_0_lt_compat; lra].
  - apply Rmult_lt_reg_r with (IZR d); [lra |]. replace (x * IZR d) with (IZR c) by (field; lra). lra.
Qed.

Lemma d_pos : (0 < d)%Z.
Proof. lia. Qed.

Lemma top_total : IZR (d ^ j) = IZR d ^ S k.
Proof. rewrite <- pow_IZR. reflexivity. Qed.

Definition one_sided_first (a : Z) : Z :=
  if Z.eqb a j then (c ^ j)%Z else mixed c d (Z.to_nat a) (k - Z.to_nat a).

Definition one_sided_second (a : Z) : Z := if Z.eqb a j then (d ^ j)%Z else 0%Z.

Lemma one_sided_list :
  pairs_of (OneSided c d) j =
  (map (fun a => (one_sided_first a, one_sided_second a)) (nats (rev (seq 0 (S k)) ++ [S k])), (d ^ j)%Z).
Proof.
  unfold pairs_of. f_equal. rewrite Nat2Z.id.
  replace ((d - c) * d ^ (j - 1))%Z with (mixed c d 0 k).
  2: { unfold mixed. replace (j - 1)%Z with (Z.of_nat k) by lia. change (Z.of_nat 0) with 0%Z. rewrite Z.pow_0_r.
       ring. }
  rewrite (first_steps_list c d d_pos). unfold nats. rewrite map_map, map_app. f_equal.
  - apply map_ext_in. intros t I. apply in_rev, in_seq in I. unfold one_sided_first, one_sided_second.
    destruct (Z.eqb_spec (Z.of_nat t) j); [lia |]. rewrite Nat2Z.id. reflexivity.
  - unfold one_sided_first, one_sided_second. cbn [map]. rewrite Z.eqb_refl. reflexivity.
Qed.

Lemma one_sided_places :
  NoDup (nats (rev (seq 0 (S k)) ++ [S k])) /\ forall a, In a (nats (rev (seq 0 (S k)) ++ [S k])) <-> (0 <= a <= j)%Z.
Proof.
  apply up_to_once. rewrite (seq_S (S k)).
  apply Permutation.Permutation_app_tail, Permutation.Permutation_sym, Permutation.Permutation_rev.
Qed.

Lemma one_sided_weights b : (0 <= b <= j)%Z ->
  IZR (one_sided_first b) = IZR (d ^ j) * one_sided_P x j b /\ IZR (one_sided_second b) = IZR (d ^ j) * one_sided_Q j b.
Proof.
  intros Ib. assert (D := d_pos). split.
  - rewrite top_total. unfold one_sided_first, one_sided_P. destruct (Z.eqb_spec b j) as [-> | Nb].
    + rewrite (power_ratio c d D), Nat2Z.id. reflexivity.
    + destruct (Z.ltb_spec b j); [| lia]. unfold one_sided. destruct (Z.ltb_spec b 0); [lia |].
      rewrite (mixed_real c d D). replace (Z.to_nat b + S (k - Z.to_nat b))%nat with (S k) by lia. reflexivity.
  - unfold one_sided_second, one_sided_Q. destruct (Z.eqb_spec b j); ring.
Qed.

Lemma one_sided_pairs forward :
  let (pairs, T) := pairs_of (OneSided c d) j in
  measured (ordered forward pairs) T
    (if forward then one_sided x else shifted (one_sided x) j)
      (if forward then shifted (one_sided x) j else one_sided x) /\
  located (ordered forward pairs) T
    (if forward then one_sided x else shifted (one_sided x) j)
      (if forward then shifted (one_sided x) j else one_sided x).
Proof.
  rewrite one_sided_list. assert (X := x_below_1). assert (J : (1 <= j)%Z) by lia. assert (D := d_pos).
  destruct one_sided_places as [N I]. assert (L := one_sided_law x X).
  apply (classes_on (one_sided_step j) _ _ (one_sided_P x j) (one_sided_Q j)); try assumption.
  - apply shifted_law, L.
  - intros b. apply one_sided_classes_P; assumption.
  - intros b. apply one_sided_classes_Q; assumption.
  - apply one_sided_ratios; assumption.
  - apply Z.pow_pos_nonneg; lia.
  - intros b Ib. apply one_sided_weights, I, Ib.
  - intros b Ib. apply one_sided_weights, I, Ib.
  - intros b Ob. unfold one_sided_P. rewrite I in Ob. destruct (Z.eqb_spec b j); [lia |].
    destruct (Z.ltb_spec b j); [| reflexivity]. unfold one_sided. destruct (Z.ltb_spec b 0); [reflexivity | lia].
  - intros b Ob. unfold one_sided_Q. rewrite I in Ob. destruct (Z.eqb_spec b j); [lia | reflexivity].
Qed.

Lemma one_sided_classed :
  let (pairs, T) := pairs_of (OneSided c d) j in classed pairs T (one_sided x) (shifted (one_sided x) j).
Proof.
  rewrite one_sided_list. assert (X := x_below_1). assert (J : (1 <= j)%Z) by lia. assert (D := d_pos).
  assert (T0 : (0 < d ^ j)%Z) by (apply Z.pow_pos_nonneg; lia). assert (T1 := IZR_lt _ _ T0).
  destruct one_sided_places as [N I]. split; [exact T0 |].
  exists (one_sided_step j), (nats (rev (seq 0 (S k)) ++ [S k])), one_sided_first, one_sided_second.
  split; [exact N | split; [reflexivity |]]. intros b Ib. apply I in Ib. destruct (one_sided_weights b Ib) as [-> ->].
  split.
  - replace (IZR (d ^ j) * one_sided_P x j b / IZR (d ^ j)) with (one_sided_P x j b) by (set (z := one_sided_P x j b);
      field; lra).
    apply one_sided_classes_P; assumption.
  - replace (IZR (d ^ j) * one_sided_Q j b / IZR (d ^ j)) with (one_sided_Q j b) by (field; lra).
    apply one_sided_classes_Q; assumption.
Qed.

(** ** Both sides *)

Hypothesis c_positive : (0 < c)%Z.

Definition two_sided_first (a : Z) : Z :=
  if Z.eqb a 0 then (d ^ j)%Z else if Z.eqb a j then (c ^ j)%Z else mixed c d (Z.to_nat a) (k - Z.to_nat a).

Definition two_sided_second (a : Z) : Z :=
  if Z.eqb a 0 then (c ^ j)%Z else if Z.eqb a j then (d ^ j)%Z else mixed c d (S k - Z.to_nat a) (Z.to_nat a - 1).

Definition two_sided_total : Z := (d ^ j + c * d ^ (j - 1))%Z.

Lemma two_sided_list :
  pairs_of (TwoSided c d) j =
  (map (fun a => (two_sided_first a, two_sided_second a)) (nats (rev (seq 1 k) ++ [0%nat; S k])), two_sided_total).
Proof.
  unfold pairs_of. f_equal.
  assert (Ends : [(d ^ j, c ^ j); (c ^ j, d ^ j)]%Z =
    map (fun a => (two_sided_first a, two_sided_second a)) (nats [0%nat; S k])).
  { unfold nats, two_sided_first, two_sided_second. cbn [map]. rewrite !Z.eqb_refl.
    destruct (Z.eqb_spec j 0); [lia |]. reflexivity. }
  rewrite Ends. unfold nats. rewrite map_app, map_app. destruct (Z.eqb_spec j 1) as [E | E].
  - replace k with 0%nat by lia. reflexivity.
  - rewrite Nat2Z.id. destruct k as [| m] eqn:Ek; [lia |]. replace (S (S m) - 2)%nat with m by lia.
    replace ((d - c) * (c * d ^ (Z.of_nat (S (S m)) - 2)))%Z with (mixed c d 1 m).
    2: { unfold mixed. replace (Z.of_nat (S (S m)) - 2)%Z with (Z.of_nat m) by lia. change (Z.of_nat 1) with 1%Z.
         rewrite Z.pow_1_r. reflexivity. }
    replace ((d - c) * c ^ (Z.of_nat (S (S m)) - 1))%Z with (mixed c d (S (m + 0)) 0).
    2: { unfold mixed. replace (Z.of_nat (S (S m)) - 1)%Z with (Z.of_nat (S (m + 0))) by lia.
         change (Z.of_nat 0) with 0%Z.
         rewrite Z.pow_0_r. ring. }
    rewrite (middle_steps_list c d d_pos) by lia. f_equal.
    rewrite <- seq_shift, <- map_rev, !map_map. apply map_ext_in. intros t I. apply in_rev, in_seq in I.
    unfold two_sided_first, two_sided_second. rewrite Ek.
    destruct (Z.eqb_spec (Z.of_nat (S t)) 0); [lia |]. destruct (Z.eqb_spec (Z.of_nat (S t)) (Z.of_nat (S (S m))));
      [lia |].
    rewrite Nat2Z.id. f_equal; f_equal; lia.
Qed.

Lemma two_sided_total_real : IZR two_sided_total = IZR d ^ S k * (1 + x) /\ (0 < two_sided_total)%Z.
Proof.
  unfold two_sided_total. replace (j - 1)%Z with (Z.of_nat k) by lia. assert (D := d_pos). split.
  - rewrite plus_IZR, mult_IZR, top_total, <- pow_IZR. apply IZR_lt in D. simpl. field. lra.
  - assert (0 < d ^ j)%Z by (apply Z.pow_pos_nonneg; lia).
    assert (0 < d ^ Z.of_nat k)%Z by (apply Z.pow_pos_nonneg; lia). nia.
Qed.

Lemma x_positive : 0 < x < 1.
Proof. split; [| apply x_below_1]. apply Rdiv_lt_0_compat; apply (IZR_lt 0); assert (D := d_pos); lia. Qed.

Lemma two_sided_places :
  NoDup (nats (rev (seq 1 k) ++ [0%nat; S k])) /\ forall a, In a (nats (rev (seq 1 k) ++ [0%nat; S k])) <->
    (0 <= a <= j)%Z.
Proof.
  apply up_to_once. rewrite (seq_S (S k)). change (0 + S k)%nat with (S k).
  change (seq 0 (S k)) with (0%nat :: seq 1 k).
  change (rev (seq 1 k) ++ [0%nat; S k]) with (rev (seq 1 k) ++ [0%nat] ++ [S k]). rewrite app_assoc.
  apply Permutation.Permutation_app_tail. change (rev (seq 1 k) ++ [0%nat]) with (rev (0%nat :: seq 1 k)).
  apply Permutation.Permutation_sym, Permutation.Permutation_rev.
Qed.

Lemma two_sided_weights b : (0 <= b <= j)%Z ->
  IZR (two_sided_first b) = IZR two_sided_total * two_sided_P x j b /\
  IZR (two_sided_second b) = IZR two_sided_total * two_sided_Q x j b.
Proof.
  intros Ib. assert (D := d_pos). assert (X := x_positive). destruct two_sided_total_real as [-> _]. split.
  - unfold two_sided_first, two_sided_P, top.
    destruct (Z.eqb_spec b 0) as [-> | N0]; [rewrite top_total; set (z := IZR c / IZR d) in *; field; lra |].
    destruct (Z.eqb_spec b j) as [-> | Nb]; [rewrite (power_ratio c d D), Nat2Z.id; set (z := IZR c / IZR d) in *;
      field; lra |].
    rewrite (proj2 (Z.ltb_lt 0 b)), (proj2 (Z.ltb_lt b j)) by lia. cbn [andb]. rewrite (mixed_real c d D).
    replace (Z.to_nat b + S (k - Z.to_nat b))%nat with (S k) by lia. unfold geometric.
    replace (Z.abs_nat b) with (Z.to_nat b) by lia. set (z := IZR c / IZR d) in *. field. lra.
  - unfold two_sided_second, two_sided_Q, top.
    destruct (Z.eqb_spec b 0) as [-> | N0]; [rewrite (power_ratio c d D), Nat2Z.id; set (z := IZR c / IZR d) in *;
      field; lra |].
    destruct (Z.eqb_spec b j) as [-> | Nb]; [rewrite top_total; set (z := IZR c / IZR d) in *; field; lra |].
    rewrite (proj2 (Z.ltb_lt 0 b)), (proj2 (Z.ltb_lt b j)) by lia. cbn [andb]. rewrite (mixed_real c d D).
    replace (S k - Z.to_nat b + S (Z.to_nat b - 1))%nat with (S k) by lia. unfold geometric.
    replace (Z.abs_nat (b - j)) with (S k - Z.to_nat b)%nat by lia. set (z := IZR c / IZR d) in *. field. lra.
Qed.

Lemma two_sided_pairs forward :
  let (pairs, T) := pairs_of (TwoSided c d) j in
  measured (ordered forward pairs) T
    (if forward then geometric x else shifted (geometric x) j)
      (if forward then shifted (geometric x) j else geometric x) /\
  located (ordered forward pairs) T
    (if forward then geometric x else shifted (geometric x) j)
      (if forward then shifted (geometric x) j else geometric x).
Proof.
  rewrite two_sided_list. assert (J : (1 <= j)%Z) by lia. assert (X := x_positive).
  destruct two_sided_places as [N I]. assert (L := geometric_law x X). destruct two_sided_total_real as [TR TP].
  apply (classes_on (step j) _ _ (two_sided_P x j) (two_sided_Q x j)); try assumption.
  - apply shifted_law, L.
  - intros b. apply two_sided_classes_P; assumption.
  - intros b. apply two_sided_classes_Q; assumption.
  - apply two_sided_ratios; assumption.
  - intros b Ib. apply two_sided_weights, I, Ib.
  - intros b Ib. apply two_sided_weights, I, Ib.
  - intros b Ob. rewrite I in Ob. unfold two_sided_P. destruct (Z.eqb_spec b 0); [lia |]. destruct (Z.eqb_spec b j);
      [lia |].
    destruct (Z.ltb_spec 0 b), (Z.ltb_spec b j); try reflexivity. lia.
  - intros b Ob. rewrite I in Ob. unfold two_sided_Q. destruct (Z.eqb_spec b 0); [lia |]. destruct (Z.eqb_spec b j);
      [lia |].
    destruct (Z.ltb_spec 0 b), (Z.ltb_spec b j); try reflexivity. lia.
Qed.

Lemma two_sided_classed :
  let (pairs, T) := pairs_of (TwoSided c d) j in classed pairs T (geometric x) (shifted (geometric x) j).
Proof.
  rewrite two_sided_list. assert (J : (1 <= j)%Z) by lia. assert (X := x_positive).
  destruct two_sided_total_real as [_ T0]. assert (T1 := IZR_lt _ _ T0). destruct two_sided_places as [N I].
  split; [exact T0 |].
  exists (step j), (nats (rev (seq 1 k) ++ [0%nat; S k])), two_sided_first, two_sided_second.
  split; [exact N | split; [reflexivity |]]. intros b Ib. apply I in Ib. destruct (two_sided_weights b Ib) as [-> ->].
  split.
  - replace (IZR two_sided_total * two_sided_P x j b / IZR two_sided_total) with (two_sided_P x j b)
      by (set (z := two_sided_P x j b); field; lra).
    apply two_sided_classes_P; assumption.
  - replace (IZR two_sided_total * two_sided_Q x j b / IZR two_sided_total) with (two_sided_Q x j b)
      by (set (z := two_sided_Q x j b); field; lra).
    apply two_sided_classes_Q; assumption.
Qed.

End stepped.

(** What masses of disjoint events, merged by any places, tell of a pair of laws.

    For masses (p, q) of disjoint events of a pair of laws, p a lower bound under the first law and q an upper bound
    under the second one, in units of 2^-bits ([bounds_from]), what [merged_by] makes of them tells of the pair
    ([known_tells], [known_sensible]), whatever the places are.

    Source: docs/certificates.md, "Losses may be merged in an event". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool FMapPositive.
From Exactdp Require Import sums masses hockey_stick product_laws adaptive_composition fixed_point losses_program.
From Exactdp Require Import merged.
From ExactdpChecker Require Import kronecker merged_program merged_sound merged_runs.
Import ListNotations.
Open Scope R_scope.

Section known.

Context {A : Type}.
Variables (bits : nat) (P Q : A -> R) (label : A -> nat).
Hypothesis Q_nonneg : forall a, 0 <= Q a.

(** What the list says of the events "the label is i". *)
Definition bounds_from (first : nat) (masses : list (Z * Z)) : Prop :=
  forall i pq, nth_error masses i = Some pq ->
    (0 <= fst pq)%Z /\ (0 <= snd pq)%Z /\
    at_least P (fun a => label a = (first + i)%nat) (IZR (fst pq) / 2 ^ bits) /\
    at_most Q (fun a => label a = (first + i)%nat) (IZR (snd pq) / 2 ^ bits).

Definition chosen (sel : Z * Z -> bool) (first : nat) (masses : list (Z * Z)) (a : A) : Prop :=
  exists i pq, label a = (first + i)%nat /\ nth_error masses i = Some pq /\ sel pq = true.

Lemma bounds_rest first pq masses : bounds_from first (pq :: masses) -> bounds_from (S first) masses.
Proof. intros H i xy E. replace (S first + i)%nat with (first + S i)%nat by lia. apply (H (S i) xy E). Qed.

Lemma chosen_rest sel first pq masses a : chosen sel (S first) masses a -> chosen sel first (pq :: masses) a.
Proof. intros [i [xy [E H]]]. exists (S i), xy. split; [lia | exact H]. Qed.

Lemma at_least_nothing (D : A -> R) T : at_least D T 0.
Proof. intros c H. apply (H [] (NoDup_nil A)). intros a []. Qed.

Lemma chosen_least sel masses : forall first, bounds_from first masses ->
  at_least P (chosen sel first masses) (IZR (z_sum (map fst (filter sel masses))) / 2 ^ bits).
Proof.
  induction masses as [| pq masses IH]; intros first H.
  - simpl. unfold z_sum. simpl. unfold Rdiv. rewrite Rmult_0_l. apply at_least_nothing.
  - specialize (IH (S first) (bounds_rest _ _ _ H)). simpl filter. destruct (sel pq) eqn:S.
    + simpl map. change (z_sum (?x :: ?l)) with (x + z_sum l)%Z. rewrite plus_IZR, Rdiv_plus_distr.
      destruct (H O pq eq_refl) as [_ [_ [L _]]].
      apply (at_least_ext P (fun a => label a = (first + 0)%nat \/ chosen sel (Datatypes.S first) masses a)).
      * intros a [E | C]; [exists O, pq; auto | apply chosen_rest, C].
      * apply at_least_or; [| exact L | exact IH]. intros a E [i [xy [E2 _]]]. lia.
    + apply (at_least_ext P (chosen sel (Datatypes.S first) masses)); [intros a; apply chosen_rest | exact IH].
Qed.

Lemma chosen_most sel masses : forall first, bounds_from first masses ->
  at_most Q (chosen sel first masses) (IZR (z_sum (map snd (filter sel masses))) / 2 ^ bits).
Proof.
  induction masses as [| pq masses IH]; intros first H l N I.
  - destruct l as [| a l]; [simpl; unfold z_sum; simpl; lra |]. exfalso.
    destruct (I a (or_introl eq_refl)) as [[| i] [xy [_ [E _]]]]; discriminate.
  - specialize (IH (S first) (bounds_rest _ _ _ H)).
    set (here := fun a => Nat.eqb (label a) first).
    assert (Later : forall a, chosen sel first (pq :: masses) a -> label a <> first -> chosen sel (S first) masses a).
    { intros a [[| i] [xy [E [E2 E3]]]] Na; [lia |]. exists i, xy. split; [lia | auto]. }
    assert (Split : total l Q = total (filter here l) Q + total (filter (fun a => negb (here a)) l) Q).
    { rewrite !total_filter, <- total_plus. apply total_ext. intros a _. destruct (here a); simpl; ring. }
    assert (B : total (filter (fun a => negb (here a)) l) Q <= IZR (z_sum (map snd (filter sel masses))) / 2 ^ bits).
    { apply IH; [apply NoDup_filter, N |]. intros a J. apply filter_In in J. destruct J as [J Nh].
      apply Later; [apply I, J |]. apply negb_true_iff, Nat.eqb_neq in Nh. exact Nh. }
    simpl filter. destruct (sel pq) eqn:S.
    + simpl map. change (z_sum (?x :: ?l)) with (x + z_sum l)%Z. rewrite plus_IZR, Rdiv_plus_distr, Split.
      apply Rplus_le_compat; [| exact B]. destruct (H O pq eq_refl) as [_ [_ [_ M]]].
      apply M; [apply NoDup_filter, N |].
      intros a J. apply filter_In in J. destruct J as [_ J]. apply Nat.eqb_eq in J. lia.
    + rewrite Split. replace (filter here l) with (@nil A); [simpl; lra |]. symmetry.
      destruct (filter here l) as [| a r] eqn:F; [reflexivity |]. exfalso.
      assert (J : In a (filter here l)) by (rewrite F; left; reflexivity). apply filter_In in J. destruct J as [J Ha].
      apply Nat.eqb_eq in Ha. destruct (I a J) as [[| i] [xy [E [E2 E3]]]]; [| lia]. simpl in E2. congruence.
Qed.

Variable place : Z * Z -> Z.
Variable masses : list (Z * Z).
Hypothesis bounds : bounds_from 0 masses.

Let x := merged_by place masses.

Definition put (a : A) : merged.place :=
  match nth_error masses (label a) with
  | None => Left_out
  | Some pq => if (snd pq =? 0)%Z then Infinite else if is_small (fst pq) then Left_out else At (place pq)
  end.

Lemma fold_min l : forall m, (fold_left (fun m pq => Z.min m (place pq)) l m <= m)%Z /\
  forall pq, In pq l -> (fold_left (fun m pq => Z.min m (place pq)) l m <= place pq)%Z.
Proof.
  induction l as [| pq l IH]; intros m; simpl; [split; [lia | tauto] |]. destruct (IH (Z.min m (place pq))) as [I1 I2].
  split; [lia |]. intros xy [<- | I]; [lia | apply I2, I].
Qed.

Lemma fold_max l : forall m, (m <= fold_left (fun m pq => Z.max m (place pq)) l m)%Z /\
  forall pq, In pq l -> (place pq <= fold_left (fun m pq => Z.max m (place pq)) l m)%Z.
Proof.
  induction l as [| pq l IH]; intros m; simpl; [split; [lia | tauto] |]. destruct (IH (Z.max m (place pq))) as [I1 I2].
  split; [lia |]. intros xy [<- | I]; [lia | apply I2, I].
Qed.

Lemma at_key_fold low l : forall m key,
  at_key (fold_left (add_at place low) l m) key =
  (fst (at_key m key) + z_sum (map fst (filter (fun pq => Pos.eqb (key_of low (place pq)) key) l)),
   snd (at_key m key) + z_sum (map snd (filter (fun pq => Pos.eqb (key_of low (place pq)) key) l)))%Z.
Proof.
  induction l as [| pq l IH]; intros m key; simpl.
  - unfold z_sum. simpl. rewrite !Z.add_0_r. destruct (at_key m key). reflexivity.
  - rewrite IH. set (k := key_of low (place pq)).
    assert (E : at_key (add_at place low m pq) key =
      if Pos.eqb k key then (fst (at_key m key) + fst pq, snd (at_key m key) + snd pq)%Z else at_key m key).
    { unfold add_at. fold k. unfold at_key at 1. destruct (Pos.eqb_spec k key) as [-> | N].
      - rewrite PositiveMap.gss. reflexivity.
      - rewrite PositiveMap.gso by congruence. reflexivity. }
    rewrite E. destruct (Pos.eqb k key); [| reflexivity]. cbn [map fst snd].
    change (z_sum (?y :: ?r)) with (y + z_sum r)%Z. f_equal; lia.
Qed.

Lemma filter_twice {B} (f g : B -> bool) l : filter f (filter g l) = filter (fun b => g b && f b) l.
Proof. induction l as [| b l IH]; simpl; [reflexivity |]. destruct (g b); simpl;
  [destruct (f b); congruence | exact IH]. Qed.

Definition at_z (z : Z) (pq : Z * Z) : bool := is_finite pq && (place pq =? z)%Z.

Lemma put_at a z : put a = At z <-> chosen (at_z z) 0 masses a.
Proof.
  unfold put, chosen, at_z, is_finite. split.
  - destruct (nth_error masses (label a)) as [pq |] eqn:E; [| discriminate]. destruct (snd pq =? 0)%Z eqn:E1;
      [discriminate |].
    destruct (is_small (fst pq)) eqn:E2; [discriminate |]. intros H. injection H as <-. exists (label a), pq.
    split; [reflexivity | split; [exact E |]]. rewrite E1, E2, Z.eqb_refl. reflexivity.
  - intros [i [pq [E [N S]]]]. simpl in E. rewrite E, N. apply andb_true_iff in S. destruct S as [S1 S2].
    apply andb_true_iff in S1. destruct S1 as [S0 S1]. apply negb_true_iff in S0, S1. rewrite S0, S1.
    apply Z.eqb_eq in S2. rewrite S2. reflexivity.
Qed.

Lemma put_infinite a : put a = Infinite <-> chosen (fun pq => snd pq =? 0)%Z 0 masses a.
Proof.
  unfold put, chosen. split.
  - destruct (nth_error masses (label a)) as [pq |] eqn:E; [| discriminate]. destruct (snd pq =? 0)%Z eqn:E1.
    + intros _. exists (label a), pq. auto.
    + destruct (is_small (fst pq)); discriminate.
  - intros [i [pq [E [N S]]]]. simpl in E. rewrite E, N, S. reflexivity.
Qed.

Let low := lowest x.
Let count := length (firsts x).

Lemma count_value : count =
  Z.to_nat (fold_left (fun m pq => Z.max m (place pq)) (filter is_finite masses) 0%Z - low + 1).
Proof. unfold count, x, low, merged_by. cbn [firsts lowest]. rewrite !map_length, seq_length. reflexivity. Qed.

Lemma place_in_range pq : In pq (filter is_finite masses) -> In (place pq) (range low count).
Proof.
  intros I. assert (L := proj2 (fold_min (filter is_finite masses) 0%Z) pq I).
  assert (H := proj2 (fold_max (filter is_finite masses) 0%Z) pq I). apply in_map_iff.
  exists (Z.to_nat (place pq - low)). change (fold_left _ (filter is_finite masses) 0%Z) with low in L. split; [lia |].
  apply in_seq. rewrite count_value. lia.
Qed.

(** The list at a place. *)
Lemma at_place_value z :
  val (firsts x) low z = (if in_dec Z.eq_dec z (range low count) then IZR (z_sum (map fst (filter (at_z z) masses)))
    else 0) /\
  val (seconds x) low z = (if in_dec Z.eq_dec z (range low count) then IZR (z_sum (map snd (filter (at_z z) masses)))
    else 0).
Proof.
  unfold val. destruct (in_dec Z.eq_dec z (range low count)) as [I | I].
  - apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I. rewrite (proj2 (Z.leb_le _ _)) by lia.
    replace (Z.to_nat (low + Z.of_nat i - low)) with i by lia.
    assert (C := count_value). unfold x, merged_by. cbn [firsts seconds]. fold low.
    change (fold_left (fun m pq => Z.min m (place pq)) (filter is_finite masses) 0%Z) with low. rewrite <- C, !map_map.
    set (sums := fold_left (add_at place low) _ _).
    assert (V : at_key sums (key_of low (low + Z.of_nat i)) =
      (z_sum (map fst (filter (at_z (low + Z.of_nat i)) masses)),
        z_sum (map snd (filter (at_z (low + Z.of_nat i)) masses)))).
    { unfold sums. rewrite at_key_fold. unfold at_key. rewrite PositiveMap.gempty. cbn [fst snd]. rewrite !Z.add_0_l.
      replace (filter (fun pq => Pos.eqb (key_of low (place pq)) (key_of low (low + Z.of_nat i)))
        (filter is_finite masses))
        with (filter (at_z (low + Z.of_nat i)) masses); [reflexivity |].
      unfold at_z. rewrite <- filter_twice. apply filter_ext_in. intros pq J. apply place_in_range in J.
      apply in_range_low in J. unfold key_of. destruct (Z.eqb_spec (place pq) (low + Z.of_nat i)) as [-> | N].
      - symmetry. apply Pos.eqb_refl.
      - symmetry. apply Pos.eqb_neq. intros E. apply N. apply (f_equal Zpos) in E. rewrite !Z2Pos.id in E by lia. lia. }
    split.
    + rewrite (nth_indep _ 0%Z (fst (at_key sums (key_of low (low + Z.of_nat 0))))) by (rewrite map_length, seq_length;
        lia).
      rewrite (map_nth (fun i => fst (at_key sums (key_of low (low + Z.of_nat i))))), seq_nth by lia. simpl Nat.add.
      rewrite V. reflexivity.
    + rewrite (nth_indep _ 0%Z (snd (at_key sums (key_of low (low + Z.of_nat 0))))) by (rewrite map_length, seq_length;
        lia).
      rewrite (map_nth (fun i => snd (at_key sums (key_of low (low + Z.of_nat i))))), seq_nth by lia. simpl Nat.add.
      rewrite V. reflexivity.
  - destruct (Z.leb_spec low z) as [L | L]; [| split; reflexivity].
    assert (Out : (count <= Z.to_nat (z - low))%nat).
    { destruct (Nat.le_gt_cases count (Z.to_nat (z - low))) as [G | G]; [exact G |]. exfalso. apply I, in_map_iff.
      exists (Z.to_nat (z - low)). split; [lia | apply in_seq; lia]. }
    split; rewrite nth_overflow; try reflexivity; [exact Out |].
    replace (length (seconds x)) with count; [exact Out |]. unfold count, x, merged_by. cbn [firsts seconds].
    rewrite !map_length. reflexivity.
Qed.

Theorem known_tells : tells bits x P Q.
Proof.
  exists put. split; [apply range_once |]. split; [| split; [| split; [| split]]].
  - intros a H. apply put_infinite in H. destruct H as [i [pq [E [N S]]]]. apply Z.eqb_eq in S.
    destruct (bounds i pq N) as [_ [_ [_ M]]]. specialize (M [a] ltac:(constructor; [intros [] | constructor])
      ltac:(intros b [<- | []]; exact E)). rewrite S in M. simpl in M. specialize (Q_nonneg a). unfold Rdiv in M.
    rewrite Rmult_0_l in M. lra.
  - unfold x, merged_by. cbn [endless]. rewrite sum_of_value, Z.add_0_l.
    apply (at_least_ext P (chosen (fun pq => snd pq =? 0)%Z 0 masses)); [intros a; apply put_infinite |].
    apply chosen_least, bounds.
  - intros a z H. apply put_at in H. destruct H as [i [pq [_ [N S]]]]. unfold at_z in S. apply andb_true_iff in S.
    destruct S as [S1 S2]. apply Z.eqb_eq in S2. subst z. apply place_in_range, filter_In.
    split; [apply (nth_error_In _ _ N) | exact S1].
  - intros z. unfold at_place. fold low. destruct (at_place_value z) as [-> _]. destruct (in_dec Z.eq_dec z _).
    + apply (at_least_ext P (chosen (at_z z) 0 masses)); [intros a; apply put_at | apply chosen_least, bounds].
    + unfold Rdiv. rewrite Rmult_0_l. apply at_least_nothing.
  - intros z l N I. unfold at_place. fold low. destruct (at_place_value z) as [_ ->].
    destruct (in_dec Z.eq_dec z _) as [J | J].
    + apply (chosen_most (at_z z) masses 0 bounds l N). intros a Ia. apply put_at, I, Ia.
    + destruct l as [| a l]; [simpl; unfold Rdiv; rewrite Rmult_0_l; apply Rle_refl |]. exfalso. apply J.
      assert (H := I a (or_introl eq_refl)). apply put_at in H. destruct H as [i [pq [_ [Np S]]]]. unfold at_z in S.
      apply andb_true_iff in S. destruct S as [S1 S2]. apply Z.eqb_eq in S2. subst z.
      apply place_in_range, filter_In. split; [apply (nth_error_In _ _ Np) | exact S1].
Qed.

Lemma nonneg_selected sel : (0 <= z_sum (map fst (filter sel masses)))%Z /\
  (0 <= z_sum (map snd (filter sel masses)))%Z.
Proof.
  split; apply z_sum_nonneg, Forall_map, Forall_forall; intros pq I; apply filter_In in I; destruct I as [I _];
    apply In_nth_error in I; destruct I as [i E]; apply (bounds i pq E).
Qed.

Theorem known_sensible : sensible x.
Proof.
  split; [| split; [| split]].
  - unfold x, merged_by. cbn [firsts]. rewrite map_map. apply Forall_map, Forall_forall. intros i _.
    rewrite at_key_fold.
    unfold at_key. rewrite PositiveMap.gempty. cbn [fst]. rewrite Z.add_0_l, filter_twice. apply nonneg_selected.
  - unfold x, merged_by. cbn [seconds]. rewrite map_map. apply Forall_map, Forall_forall. intros i _.
    rewrite at_key_fold.
    unfold at_key. rewrite PositiveMap.gempty. cbn [snd]. rewrite Z.add_0_l, filter_twice. apply nonneg_selected.
  - unfold x, merged_by. cbn [firsts seconds]. rewrite !map_length. reflexivity.
  - intros E. apply (f_equal (@length Z)) in E. fold count in E. rewrite count_value in E. simpl in E.
    assert (L := proj1 (fold_min (filter is_finite masses) 0%Z)).
    assert (H := proj1 (fold_max (filter is_finite masses) 0%Z)).
    change (fold_left (fun m pq => Z.min m (place pq)) (filter is_finite masses) 0%Z) with low in L. lia.
Qed.

End known.

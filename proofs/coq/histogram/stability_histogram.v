(** The stability histogram: (eps, delta)-DP, with an error of each bin that does not depend on the number of bins.

    A curator adds two-sided geometric noise z of ratio a, 0 < a < 1, to the count c of every bin that is not empty, and
    releases c + z if it exceeds h, else 0; an empty bin is released as 0 ([release]). So the law of what is released of
    one bin has, at v, the probability of the z with release h c z = v ([is_released]), and that of all bins is the
    product ([product_mass]). Let s = a^h/(1 + a), which is P[z >= h].

    - [stability_histogram_private]: if s <= 1 - a, the released histograms of two data sets that differ in one record
      are (1/a^2, s)-below each other, on every set of outcomes: (2 ln(1/a), s)-DP;
    - [stability_histogram_error]: with A >= h the released count of a bin of any c users is more than A from c with
      probability at most 2 a^(A+1-h)/(1 + a); it is 0, and exact, for c = 0;
    - [stability_histogram_errors]: of n users and any number of bins, some bin's is more than A from it with
      probability at most n times that;
    - [stability_threshold]: for every a and delta > 0 some h has s <= delta and s <= 1 - a.

    Idea: for c >= 2 what is released of c users is a function of z, and that of c - 1 the same of z + 1. A user who was
    alone is seen with the probability s; in the other order 0 had the probability 1 - s >= a. The record that is
    replaced moves one bin down and one up, and deltas add up along the bins.
    Source: Bun, Nissim and Stemmer 2016, histograms by stability; the constants: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums masses product_laws smooth_complement markov_and_union composition privacy hockey_stick.
From Exactdp Require Import geometric_noise smooth_noise_privacy sensitivity steps steps_geometric.
Import ListNotations.
Open Scope R_scope.

Definition release (h c z : Z) : Z :=
  if Z.eqb c 0 then 0%Z else if Z.ltb h (c + z) then (c + z)%Z else 0%Z.

Definition is_released (a : R) (h c : Z) (P : Z -> R) : Prop :=
  forall v, mass_of (geometric a) (fun z => release h c z = v) (P v).

(** The law of independent releases. *)
Fixpoint product_mass (laws : list (Z -> R)) (v : list Z) : R :=
  match laws, v with
  | [], [] => 1
  | P :: laws', b :: v' => P b * product_mass laws' v'
  | _, _ => 0
  end.

(** ** Images of laws, and products *)

Lemma image_law {A B} (f : A -> B) (D : A -> R) (D' : B -> R) :
  law D -> (forall b, mass_of D (fun a => f a = b) (D' b)) -> law D'.
Proof.
  intros [Pos [U L]] H. split; [| split].
  - intros b. destruct (H b) as [UB _]. apply UB. exists []. split; [constructor | split; [intros a [] | reflexivity]].
  - intros s [l [N [_ ->]]]. destruct (mass_of_classes f D D' l Pos H N) as [_ Least].
    apply Least. intros s [m [Nm [_ ->]]]. apply U. exists m. auto.
  - intros b Hb. apply L. intros s [m [Nm [_ ->]]].
    destruct (without_repetitions (map f m)) as [u [Nu Hu]].
    apply Rle_trans with (total u D'); [| apply Hb; exists u; auto].
    destruct (mass_of_classes f D D' u Pos H Nu) as [UB _]. apply UB. exists m. split; [exact Nm |].
    split; [| reflexivity]. intros x I. apply Hu, in_map, I.
Qed.

Lemma product_zero_outside P laws : zero_outside pair_cons (product_mass (P :: laws)).
Proof. intros [| b v] H; [reflexivity |]. exfalso. apply (H (b, v)). reflexivity. Qed.

Lemma product_law laws : List.Forall law laws -> law (product_mass laws).
Proof.
  induction 1 as [| P laws L _ IH].
  - apply (law_of_finite_support (list_eq_dec Z.eq_dec) (product_mass []) [[]]).
    + intros [| b v]; simpl; lra.
    + constructor; [intros [] | constructor].
    + intros [| b v] H; [contradict H; left |]; reflexivity.
    + simpl. ring.
  - apply (law_on_image pair_cons); [exact pair_cons_injective | apply product_zero_outside |].
    exact (pair_law _ _ L IH).
Qed.

(** Factors multiply, and deltas add up. *)
Lemma product_below {J} (bins : list J) (P Q : J -> Z -> R) (E d : J -> R) :
  (forall j, law (P j)) -> (forall j, law (Q j)) -> (forall j, 0 <= E j) ->
  (forall j, mass_below (P j) (Q j) (E j) (d j)) ->
  mass_below (product_mass (map P bins)) (product_mass (map Q bins))
    (fold_right (fun j => Rmult (E j)) 1 bins) (total bins d).
Proof.
  intros LP LQ HE H. induction bins as [| j bins IH].
  - simpl. apply mass_below_pointwise. intros v. lra.
  - cbn [map fold_right total]. apply (mass_below_on_image pair_cons); try apply product_zero_outside.
    apply (composition (P j) (Q j) (product_mass (map P bins)) (product_mass (map Q bins))); auto.
    + apply product_law. apply Forall_map. apply Forall_forall. auto.
    + apply product_law. apply Forall_map. apply Forall_forall. auto.
    + clear - HE. induction bins as [| i bins IH]; simpl; [lra | apply Rmult_le_pos; auto].
Qed.

(** A factor of F >= 1 at one of distinct places. *)
Lemma one_factor (l : list nat) (x : nat) (F : R) : 1 <= F -> NoDup l ->
  0 < fold_right (fun j => Rmult (if Nat.eqb j x then F else 1)) 1 l <= F.
Proof.
  intros HF N. induction N as [| j l Hj N IH]; simpl; [lra |].
  destruct (Nat.eqb_spec j x) as [-> | _]; [| lra].
  assert (Out : fold_right (fun j => Rmult (if Nat.eqb j x then F else 1)) 1 l = 1); [| rewrite Out; lra].
  clear IH N. induction l as [| i l IH]; simpl; [reflexivity |].
  destruct (Nat.eqb_spec i x) as [-> | _]; [contradict Hj; left; reflexivity |].
  rewrite IH; [ring |]. intros I. apply Hj. right. exact I.
Qed.

Lemma two_factors (l : list nat) (e f : nat -> R) :
  fold_right (fun j => Rmult (e j * f j)) 1 l =
  fold_right (fun j => Rmult (e j)) 1 l * fold_right (fun j => Rmult (f j)) 1 l.
Proof. induction l as [| j l IH]; simpl; [ring | rewrite IH; ring]. Qed.

Lemma one_term (l : list nat) (x : nat) (s : R) : 0 <= s -> NoDup l ->
  total l (fun j => if Nat.eqb j x then s else 0) <= s.
Proof.
  intros Hs N. induction N as [| j l Hj N IH]; simpl; [lra |].
  destruct (Nat.eqb_spec j x) as [-> | _]; [| lra].
  rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |]. intros i I.
  destruct (Nat.eqb_spec i x) as [-> | _]; [contradiction | reflexivity].
Qed.

(** ** One bin *)

Section Bin.
  Variables (a : R) (h : Z).
  Hypotheses (Ha : 0 < a < 1) (Hh : (1 <= h)%Z).
  Let s := a ^ Z.to_nat h / (1 + a).
  Hypothesis Hs : s <= 1 - a.

  Lemma s_pos : 0 < s.
  Proof. apply Rdiv_lt_0_compat; [apply pow_lt; lra | lra]. Qed.

  Lemma one_over_a : 1 <= / a.
  Proof. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

  Lemma bin_exists c : exists P, is_released a h c P.
  Proof.
    set (sums v x := exists l, NoDup l /\ (forall z, In z l -> release h c z = v) /\ x = total l (geometric a)).
    assert (B : forall v, bound (sums v)).
    { intros v. exists 1. intros x [l [N [_ ->]]]. apply law_finite; [apply geometric_law, Ha | exact N]. }
    assert (I : forall v, exists x, sums v x).
    { intros v. exists 0, []. split; [constructor | split; [intros z [] | reflexivity]]. }
    exists (fun v => proj1_sig (completeness (sums v) (B v) (I v))). intros v.
    exact (proj2_sig (completeness (sums v) (B v) (I v))).
  Qed.

  Lemma bin_law c P : is_released a h c P -> law P.
  Proof. apply image_law, geometric_law, Ha. Qed.

  (** The probability that something in l is released. *)
  Lemma bin_event c P l : is_released a h c P -> NoDup l ->
    mass_of (geometric a) (fun z => In (release h c z) l) (total l P).
  Proof. intros H N. apply mass_of_classes; [apply geometric_law, Ha | exact H | exact N]. Qed.

  Lemma mass_at_most (T U : Z -> Prop) p q : (forall z, T z -> U z) ->
    mass_of (geometric a) T p -> mass_of (geometric a) U q -> p <= q.
  Proof.
    intros I [_ L] [U' _]. apply L. intros x [l [N [Hl ->]]]. apply U'. exists l. auto.
  Qed.

  (** One step of the noise. *)
  Lemma mass_moved (T : Z -> Prop) (k : Z) p q : (Z.abs k <= 1)%Z ->
    mass_of (geometric a) (fun z => T (z + k)%Z) p -> mass_of (geometric a) T q -> p <= / a * q.
  Proof.
    intros K Hp Hq. assert (Ia := one_over_a).
    assert (M : mass_of (fun z => geometric a (z - k)) T p).
    { destruct Hp as [U L]. split.
      - intros x [l [N [I ->]]]. apply U. exists (map (fun z => (z - k)%Z) l). split; [| split].
        + apply FinFun.Injective_map_NoDup; [intros y z E; lia | exact N].
        + intros z J. apply in_map_iff in J. destruct J as [y [<- J]]. replace (y - k + k)%Z with y by lia. apply I, J.
        + rewrite total_map. reflexivity.
      - intros b Hb. apply L. intros x [l [N [I ->]]]. apply Hb. exists (map (fun z => (z + k)%Z) l). split; [| split].
        + apply FinFun.Injective_map_NoDup; [intros y z E; lia | exact N].
        + intros z J. apply in_map_iff in J. destruct J as [y [<- J]]. apply I, J.
        + rewrite total_map. apply total_ext. intros z _. f_equal. lia. }
    rewrite <- (Rplus_0_r (/ a * q)).
    apply (mass_below_all_events (fun z => geometric a (z - k)) (geometric a) (/ a) 0 ltac:(lra)) with (T := T);
      [| exact M | exact Hq].
    apply mass_below_pointwise. intros z. replace (/ a) with ((/ a) ^ 1) by ring.
    apply geometric_move; [exact Ha | lia].
  Qed.

  Lemma large_bins c c' P Q : (1 <= c)%Z -> (1 <= c')%Z -> (Z.abs (c - c') <= 1)%Z ->
    is_released a h c P -> is_released a h c' Q -> mass_below P Q (/ a) 0.
  Proof.
    intros C C' K HP HQ l N. rewrite Rplus_0_r.
    apply (mass_moved (fun z => In (release h c' z) l) (c - c')); [exact K | | apply bin_event; assumption].
    apply (mass_of_ext _ (fun z => In (release h c z) l)); [| apply bin_event; assumption].
    intros z. unfold release. replace (c' + (z + (c - c')))%Z with (c + z)%Z by lia.
    destruct (Z.eqb_spec c 0), (Z.eqb_spec c' 0); try lia. tauto.
  Qed.

  Lemma seen : mass_of (geometric a) (fun z => (h <= z)%Z) s.
  Proof. apply (ray_above a Ha). lia. Qed.

  (** An empty bin is released as 0. *)
  Lemma empty_bin P l : is_released a h 0 P -> NoDup l -> total l P = if in_dec Z.eq_dec 0%Z l then 1 else 0.
  Proof.
    intros H N. assert (E := bin_event 0 P l H N). assert (L := geometric_law a Ha).
    destruct (in_dec Z.eq_dec 0%Z l) as [I | I].
    - apply (is_lub_u _ _ _ E). apply (mass_of_ext _ (fun _ => True)); [| apply L].
      intros z. unfold release. simpl. tauto.
    - apply (is_lub_u _ _ _ E). apply (mass_of_ext _ (fun _ => False)).
      + intros z. unfold release. simpl. tauto.
      + apply mass_of_zero. intros z [].
  Qed.

  Lemma alone_leaves P Q : is_released a h 1 P -> is_released a h 0 Q -> mass_below P Q (/ a) s.
  Proof.
    intros HP HQ l N. rewrite (empty_bin Q l HQ N). assert (Ia := one_over_a). assert (S0 := s_pos).
    assert (E := bin_event 1 P l HP N). destruct (in_dec Z.eq_dec 0%Z l) as [I | I].
    - assert (total l P <= 1) by (apply law_finite; [apply (bin_law 1), HP | exact N]). lra.
    - apply Rle_trans with s; [| lra].
      apply (mass_at_most (fun z => In (release h 1 z) l) (fun z => (h <= z)%Z)); [| exact E | exact seen].
      intros z J. unfold release in J. change (Z.eqb 1 0) with false in J. cbv iota in J. destruct (Z.ltb_spec h (1 + z)) as [G | G]; [lia | contradiction].
  Qed.

  Lemma first_comes P Q : is_released a h 0 P -> is_released a h 1 Q -> mass_below P Q (/ a) 0.
  Proof.
    intros HP HQ l N. rewrite (empty_bin P l HP N), Rplus_0_r. assert (Ia := one_over_a).
    assert (L := bin_law 1 Q HQ). assert (T0 : 0 <= total l Q) by (apply total_nonneg; intros; apply L).
    destruct (in_dec Z.eq_dec 0%Z l) as [I | I]; [| apply Rmult_le_pos; lra].
    assert (M := mass_of_complement _ _ _ (geometric_law a Ha) seen).
    assert (B : 1 - s <= total l Q).
    { apply (mass_at_most (fun z => ~ (h <= z)%Z) (fun z => In (release h 1 z) l)); [| exact M | apply bin_event; assumption].
      intros z G. unfold release. change (Z.eqb 1 0) with false. cbv iota. destruct (Z.ltb_spec h (1 + z)) as [G' | G']; [lia | exact I]. }
    replace 1 with (/ a * a) by (field; lra). apply Rmult_le_compat_l; lra.
  Qed.

  (** A count that falls, rises or stays. *)
  Lemma bin_falls c P Q : (0 <= c)%Z -> is_released a h (c + 1) P -> is_released a h c Q -> mass_below P Q (/ a) s.
  Proof.
    intros C HP HQ. destruct (Z.eq_dec c 0) as [-> | Z0]; [apply alone_leaves; assumption |].
    apply (mass_below_weaken P Q (/ a) 0); [apply (bin_law c), HQ | lra | left; apply s_pos |].
    apply (large_bins (c + 1) c); try lia; assumption.
  Qed.

  Lemma bin_rises c P Q : (0 <= c)%Z -> is_released a h c P -> is_released a h (c + 1) Q -> mass_below P Q (/ a) 0.
  Proof.
    intros C HP HQ. destruct (Z.eq_dec c 0) as [-> | Z0]; [apply first_comes; assumption |].
    apply (large_bins c (c + 1)); try lia; assumption.
  Qed.

  Lemma bin_stays c P Q : is_released a h c P -> is_released a h c Q -> mass_below P Q 1 0.
  Proof.
    intros HP HQ. apply mass_below_pointwise. intros v. rewrite (is_lub_u _ _ _ (HP v) (HQ v)). lra.
  Qed.

  (** ** All bins *)

  Lemma count_moved before x after j :
    Z.of_nat (count_occ Nat.eq_dec (before ++ x :: after) j) =
    (Z.of_nat (count_occ Nat.eq_dec (before ++ after) j) + (if Nat.eqb j x then 1 else 0))%Z.
  Proof.
    rewrite !count_occ_app. simpl. destruct (Nat.eq_dec x j) as [-> | N].
    - rewrite Nat.eqb_refl. lia.
    - destruct (Nat.eqb_spec j x); [congruence | lia].
  Qed.

  Lemma released_histograms_private (d : nat) (xs ys : list nat) (P Q : nat -> Z -> R) :
    neighbors xs ys ->
    (forall j, is_released a h (Z.of_nat (count_occ Nat.eq_dec xs j)) (P j)) ->
    (forall j, is_released a h (Z.of_nat (count_occ Nat.eq_dec ys j)) (Q j)) ->
    mass_below (product_mass (map P (seq 0 d))) (product_mass (map Q (seq 0 d))) (/ a * / a) s.
  Proof.
    intros [before x y after] HP HQ. assert (Ia := one_over_a). assert (S0 := s_pos).
    set (E := fun j => (if Nat.eqb j x then / a else 1) * (if Nat.eqb j y then / a else 1)).
    set (dl := fun j => if Nat.eqb j x then s else 0).
    assert (LQ : forall j, law (Q j)) by (intros j; apply (bin_law _ _ (HQ j))).
    assert (B : mass_below (product_mass (map P (seq 0 d))) (product_mass (map Q (seq 0 d)))
      (fold_right (fun j => Rmult (E j)) 1 (seq 0 d)) (total (seq 0 d) dl)).
    { apply product_below; [intros j; apply (bin_law _ _ (HP j)) | exact LQ | |].
      - intros j. unfold E. destruct (Nat.eqb j x), (Nat.eqb j y); nra.
      - intros j. specialize (HP j). specialize (HQ j). rewrite count_moved in HP, HQ.
        set (c := Z.of_nat (count_occ Nat.eq_dec (before ++ after) j)) in *. assert (C : (0 <= c)%Z) by (unfold c; lia).
        unfold E, dl. destruct (Nat.eqb j x), (Nat.eqb j y).
        + apply (mass_below_weaken (P j) (Q j) 1 0); [apply LQ | nra | lra | apply (bin_stays (c + 1)); assumption].
        + rewrite Z.add_0_r in HQ. rewrite Rmult_1_r. apply (bin_falls c); assumption.
        + rewrite Z.add_0_r in HP. rewrite Rmult_1_l. apply (bin_rises c); assumption.
        + rewrite Z.add_0_r in HP, HQ. rewrite Rmult_1_l. apply (bin_stays c); assumption. }
    apply (mass_below_weaken _ _ _ _ (/ a * / a) s) in B; [exact B | | |].
    - apply product_law, Forall_map, Forall_forall. auto.
    - unfold E. rewrite two_factors.
      assert (F := one_factor (seq 0 d) x (/ a) Ia (seq_NoDup d 0)). assert (G := one_factor (seq 0 d) y (/ a) Ia (seq_NoDup d 0)).
      apply Rmult_le_compat; lra.
    - apply one_term; [lra | apply seq_NoDup].
  Qed.
End Bin.

Theorem stability_histogram_private (eps : R) (h : Z) (d : nat) (xs ys : list nat) (P Q : nat -> Z -> R) :
  let a := exp (- (eps / 2)) in
  let s := a ^ Z.to_nat h / (1 + a) in
  0 < eps -> (1 <= h)%Z -> s <= 1 - a -> neighbors xs ys ->
  (forall j, is_released a h (Z.of_nat (count_occ Nat.eq_dec xs j)) (P j)) ->
  (forall j, is_released a h (Z.of_nat (count_occ Nat.eq_dec ys j)) (Q j)) ->
  law (product_mass (map P (seq 0 d))) /\
  forall (T : list Z -> Prop) p q,
  mass_of (product_mass (map P (seq 0 d))) T p -> mass_of (product_mass (map Q (seq 0 d))) T q ->
  p <= exp eps * q + s.
Proof.
  intros a s He Hh Hs N HP HQ. assert (Ha : 0 < a < 1) by (apply ratio_of_eps; lra). split.
  - apply product_law, Forall_map, Forall_forall. intros j _. apply (bin_law a h Ha _ _ (HP j)).
  - intros T p q Hp Hq. assert (E := exp_pos eps).
    assert (F : exp eps = / a * / a).
    { unfold a. rewrite exp_Ropp, Rinv_inv, <- exp_plus. f_equal. field. }
    rewrite F in *.
    apply (mass_below_all_events _ _ (/ a * / a) s (Rlt_le _ _ E)
      (released_histograms_private a h Ha Hh Hs d xs ys P Q N HP HQ) T); assumption.
Qed.

Theorem stability_histogram_error (a : R) (h c A : Z) (p : R) :
  0 < a < 1 -> (1 <= h <= A)%Z -> (0 <= c)%Z ->
  mass_of (geometric a) (fun z => (A < Z.abs (release h c z - c))%Z) p ->
  p <= 2 * a ^ Z.to_nat (A + 1 - h) / (1 + a) /\ (c = 0%Z -> p = 0).
Proof.
  intros Ha Hh Hc Hp. assert (Pos : 0 < a ^ Z.to_nat (A + 1 - h)) by (apply pow_lt; lra).
  destruct (Z.eq_dec c 0) as [-> | C0].
  - assert (p = 0).
    { apply (is_lub_u _ _ _ Hp), (mass_of_ext _ (fun _ => False)); [| apply mass_of_zero; intros z []].
      intros z. unfold release. simpl. split; [tauto | lia]. }
    subst p. split; [| reflexivity]. left. apply Rdiv_lt_0_compat; lra.
  - split; [| congruence].
    assert (Low := ray_below a Ha (A + 1 - h) ltac:(lia)). assert (High := ray_above a Ha (A + 1) ltac:(lia)).
    destruct (mass_exists (geometric a) (fun z => (z <= - (A + 1 - h))%Z \/ (A + 1 <= z)%Z) (geometric_law a Ha)) as [r Hr].
    assert (U := union_masses _ _ _ _ _ _ Low High Hr).
    assert (I : p <= r).
    { apply (mass_at_most a (fun z => (A < Z.abs (release h c z - c))%Z)
        (fun z => (z <= - (A + 1 - h))%Z \/ (A + 1 <= z)%Z)); [| exact Hp | exact Hr].
      intros z G. unfold release in G. destruct (Z.eqb_spec c 0); [lia |]. destruct (Z.ltb_spec h (c + z)); lia. }
    assert (F : a ^ Z.to_nat (A + 1) <= a ^ Z.to_nat (A + 1 - h)) by (apply power_falls; [exact Ha | lia]).
    assert (a ^ Z.to_nat (A + 1) / (1 + a) <= a ^ Z.to_nat (A + 1 - h) / (1 + a)).
    { apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | exact F]. }
    unfold Rdiv in *. lra.
Qed.

(** Some bin is bad. *)
Fixpoint some_bad {J} (bad : J -> Z -> Prop) (bins : list J) (v : list Z) : Prop :=
  match bins, v with
  | j :: bins', b :: v' => bad j b \/ some_bad bad bins' v'
  | _, _ => False
  end.

Lemma product_union {J} (bins : list J) (P : J -> Z -> R) (bad : J -> Z -> Prop) (e : J -> R) :
  (forall j, law (P j)) ->
  (forall j l, In j bins -> NoDup l -> (forall z, In z l -> bad j z) -> total l (P j) <= e j) ->
  forall l, NoDup l -> (forall v, In v l -> some_bad bad bins v) -> total l (product_mass (map P bins)) <= total bins e.
Proof.
  intros LP. induction bins as [| j bins IH]; intros H l N B.
  - destruct l as [| v l]; [simpl; lra | destruct (B v (or_introl eq_refl))].
  - cbn [map total]. destruct (pull_back pair_cons l N) as [m [Nm [I ->]]]; [| apply product_zero_outside].
    set (P2 := product_mass (map P bins)).
    assert (L2 : law P2) by (apply product_law, Forall_map, Forall_forall; auto).
    set (B1 := fun b => if decide (bad j b) then P j b else 0).
    set (B2 := fun v => if decide (some_bad bad bins v) then P2 v else 0).
    apply Rle_trans with (total m (fun x => pair_mass B1 P2 x + pair_mass (P j) B2 x)).
    + apply total_le. intros [b v] J1. destruct (B _ (I _ J1)) as [X | X]; unfold pair_mass, pair_cons, B1, B2; simpl;
        fold P2; assert (0 <= P j b * P2 v) by (apply Rmult_le_pos; [apply LP | apply L2]);
        destruct (decide (bad j b)), (decide (some_bad bad bins v)); try contradiction; lra.
    + apply total_pairs_le; auto; unfold B1, B2.
      * intros b. destruct (decide _); [apply LP | lra].
      * intros v. destruct (decide _); [apply L2 | lra].
      * intros u Nu.
        rewrite (total_ext u _ (fun b => if (if decide (bad j b) then true else false) then P j b else 0))
          by (intros b _; destruct (decide _); reflexivity).
        rewrite <- total_filter. apply H; [left; reflexivity | apply NoDup_filter, Nu |].
        intros z Z. apply filter_In in Z. destruct Z as [_ Z]. destruct (decide _); [assumption | discriminate].
      * intros u Nu.
        rewrite (total_ext u _ (fun v => if (if decide (some_bad bad bins v) then true else false) then P2 v else 0))
          by (intros v _; destruct (decide _); reflexivity).
        rewrite <- total_filter. apply IH; [intros i k Ii; apply H; right; exact Ii | apply NoDup_filter, Nu |].
        intros v V. apply filter_In in V. destruct V as [_ V]. destruct (decide _); [assumption | discriminate].
Qed.

(** The bins that hold a user are at most as many as the users. *)
Lemma held_bins (bins xs : list nat) s : 0 <= s -> NoDup bins ->
  total bins (fun j => if Nat.eqb (count_occ Nat.eq_dec xs j) 0 then 0 else s) <= INR (length xs) * s.
Proof.
  intros Hs N. rewrite <- total_const.
  apply Rle_trans with (total bins (fun j => total xs (fun x => if Nat.eq_dec x j then s else 0))).
  - apply total_le. intros j _. induction xs as [| x xs IH]; simpl; [lra |].
    assert (T : 0 <= total xs (fun x => if Nat.eq_dec x j then s else 0)).
    { apply total_nonneg. intros y _. destruct (Nat.eq_dec y j); lra. }
    destruct (Nat.eq_dec x j); simpl; lra.
  - rewrite total_swap. apply total_le. intros x _.
    rewrite (total_ext bins _ (fun j => if Nat.eqb j x then s else 0)); [apply one_term; assumption |].
    intros j _. destruct (Nat.eq_dec x j), (Nat.eqb_spec j x); congruence.
Qed.

Theorem stability_histogram_errors (a : R) (h A : Z) (d : nat) (xs : list nat) (P : nat -> Z -> R) (p : R) :
  0 < a < 1 -> (1 <= h <= A)%Z ->
  (forall j, is_released a h (Z.of_nat (count_occ Nat.eq_dec xs j)) (P j)) ->
  mass_of (product_mass (map P (seq 0 d)))
    (some_bad (fun j v => (A < Z.abs (v - Z.of_nat (count_occ Nat.eq_dec xs j)))%Z) (seq 0 d)) p ->
  p <= INR (length xs) * (2 * a ^ Z.to_nat (A + 1 - h) / (1 + a)).
Proof.
  intros Ha Hh HP [_ Least]. apply Least. intros x [l [N [B ->]]].
  set (s := 2 * a ^ Z.to_nat (A + 1 - h) / (1 + a)).
  assert (Hs : 0 <= s).
  { left. apply Rdiv_lt_0_compat; [| lra]. assert (0 < a ^ Z.to_nat (A + 1 - h)) by (apply pow_lt; lra). lra. }
  eapply Rle_trans; [| apply (held_bins (seq 0 d) xs s Hs (seq_NoDup d 0))].
  apply (product_union (seq 0 d) P _ _ (fun j => bin_law a h Ha _ _ (HP j))) with (2 := N) (3 := B).
  intros j u _ Nu Bad. set (c := Z.of_nat (count_occ Nat.eq_dec xs j)) in *.
  destruct (mass_exists (geometric a) (fun z => (A < Z.abs (release h c z - c))%Z) (geometric_law a Ha)) as [r Hr].
  destruct (stability_histogram_error a h c A r Ha Hh ltac:(unfold c; lia) Hr) as [E0 E1].
  assert (T : total u (P j) <= r).
  { apply (mass_at_most a (fun z => In (release h c z) u) (fun z => (A < Z.abs (release h c z - c))%Z)); [| apply (bin_event a h Ha c (P j) u (HP j) Nu) | exact Hr].
    intros z I. apply Bad, I. }
  destruct (Nat.eqb_spec (count_occ Nat.eq_dec xs j) 0) as [Z0 | _]; [| fold s in E0; lra].
  rewrite E1 in T; [exact T | unfold c; rewrite Z0; reflexivity].
Qed.

Theorem stability_threshold (a delta : R) : 0 < a < 1 -> 0 < delta ->
  exists h, (1 <= h)%Z /\ a ^ Z.to_nat h / (1 + a) <= delta /\ a ^ Z.to_nat h / (1 + a) <= 1 - a.
Proof.
  intros Ha Hd. destruct (pow_lt_1_zero a) with (y := Rmin delta (1 - a)) as [n Hn].
  - rewrite Rabs_right; lra.
  - apply Rmin_glb_lt; lra.
  - exists (Z.of_nat (S n)). split; [lia |]. rewrite Nat2Z.id. specialize (Hn (S n) ltac:(lia)).
    assert (P : 0 < a ^ S n) by (apply pow_lt; lra). rewrite Rabs_right in Hn by lra.
    assert (L := Rmin_l delta (1 - a)). assert (M := Rmin_r delta (1 - a)).
    assert (a ^ S n / (1 + a) <= a ^ S n); [| lra].
    apply Rmult_le_reg_r with (1 + a); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

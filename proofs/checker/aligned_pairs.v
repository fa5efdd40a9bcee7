(** Pairs of weights decide privacy and smoothness of two laws.

    - [measured pairs total P Q]: for every E >= 1 and delta >= 0, P is (E, delta)-below Q if and only if the positive
      parts of p - E q over all pairs (p, q) add up to at most delta times the total;
    - [located pairs total P Q]: for every R >= 1 and delta >= 0, all events on which P >= R Q have at most the
      probability delta under P if and only if the p with p >= R q add up to at most delta times the total.

    Both hold if the pairs are the weights on a finite set outside of which P is 0 ([measured_on], [located_on]); with
    both names of a pair exchanged for Q and P. Then the integer programs of exact_program.v say on which side of delta
    a divergence is ([compare_sound]), that a smaller e^eps will not do ([attained_ratio]), and the same for the
    smoothness event ([compare_far_sound]).

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals sums laws masses hockey_stick.
From ExactdpChecker Require Import exact_program.
Import ListNotations.
Open Scope R_scope.

(** The positive part. *)
Definition gap (E : R) (xy : Z * Z) : R := Rmax 0 (IZR (fst xy) - E * IZR (snd xy)).

(** p where p >= R q. *)
Definition kept (R0 : R) (xy : Z * Z) : R := if Rle_dec (R0 * IZR (snd xy)) (IZR (fst xy)) then IZR (fst xy) else 0.

Definition counted (pairs : list (Z * Z)) : Prop := forall xy, In xy pairs -> (0 <= fst xy)%Z /\ (0 <= snd xy)%Z.

Definition measured {A} (pairs : list (Z * Z)) (T : Z) (P Q : A -> R) : Prop :=
  (0 < T)%Z /\ counted pairs /\
  forall E delta, 1 <= E -> 0 <= delta -> (mass_below P Q E delta <-> total pairs (gap E) <= delta * IZR T).

(** All events on which P >= R Q are improbable under P. *)
Definition far_below {A} (P Q : A -> R) (R0 delta : R) : Prop :=
  forall l, NoDup l -> (forall a, In a l -> R0 * Q a <= P a) -> total l P <= delta.

Definition located {A} (pairs : list (Z * Z)) (T : Z) (P Q : A -> R) : Prop :=
  (0 < T)%Z /\ counted pairs /\
  forall R0 delta, 1 <= R0 -> 0 <= delta -> (far_below P Q R0 delta <-> total pairs (kept R0) <= delta * IZR T).

Definition swap (xy : Z * Z) : Z * Z := (snd xy, fst xy).

(** ** A finite set of outcomes *)

Section finite.

Context {A : Type} (eq_dec : forall a b : A, {a = b} + {a <> b}).
Variables (P Q : A -> R) (ks : list A) (T : Z) (f g : A -> Z).
Hypothesis once : NoDup ks.
Hypothesis T_positive : (0 < T)%Z.
Hypothesis P_nonneg : forall a, 0 <= P a.
Hypothesis Q_nonneg : forall a, 0 <= Q a.
Hypothesis f_is : forall a, In a ks -> IZR (f a) = IZR T * P a.
Hypothesis g_is : forall a, In a ks -> IZR (g a) = IZR T * Q a.
Hypothesis outside : forall a, ~ In a ks -> P a = 0.

Notation pairs := (map (fun a => (f a, g a)) ks).

Lemma T_real : 0 < IZR T.
Proof. apply (IZR_lt 0), T_positive. Qed.

Lemma counted_on : counted pairs.
Proof.
  intros xy I. apply in_map_iff in I. destruct I as [a [<- I]]. simpl. assert (H := T_real).
  split; apply le_IZR; [rewrite f_is by exact I | rewrite g_is by exact I]; apply Rmult_le_pos; auto; lra.
Qed.

Lemma Rmax_scaled c x : 0 < c -> Rmax 0 (c * x) = c * Rmax 0 x.
Proof.
  intros H. destruct (Rle_or_lt 0 x) as [L | L].
  - rewrite !Rmax_right; [reflexivity | exact L | apply Rmult_le_pos; lra].
  - rewrite !Rmax_left; [ring | lra |]. rewrite <- (Rmult_0_r c). apply Rmult_le_compat_l; lra.
Qed.

Lemma gaps E : total pairs (gap E) = IZR T * total ks (fun a => Rmax 0 (P a - E * Q a)).
Proof.
  rewrite total_map, <- total_scal. apply total_ext. intros a I. unfold gap. simpl.
  rewrite (f_is a I), (g_is a I), <- Rmax_scaled by exact T_real. f_equal. ring.
Qed.

Lemma total_within (h : A -> R) l :
  NoDup l -> (forall a, 0 <= h a) -> (forall a, ~ In a ks -> h a = 0) -> total l h <= total ks h.
Proof.
  intros N Pos Out. set (inside := fun a => if in_dec eq_dec a ks then true else false).
  replace (total l h) with (total (filter inside l) h).
  - apply total_incl; [apply NoDup_filter, N | | intros; apply Pos].
    intros a I. apply filter_In in I. destruct I as [_ I]. unfold inside in I.
    destruct (in_dec eq_dec a ks); [assumption | discriminate].
  - rewrite total_filter. apply total_ext. intros a _. unfold inside.
    destruct (in_dec eq_dec a ks) as [_ | I]; [reflexivity | symmetry; apply Out, I].
Qed.

Lemma measured_on : measured pairs T P Q.
Proof.
  split; [exact T_positive | split; [apply counted_on |]]. intros E delta HE Hd.
  rewrite gaps, mass_hockey_stick_iff, (Rmult_comm delta). assert (TR := T_real). split.
  - intros H. apply Rmult_le_compat_l; [lra |]. apply H, once.
  - intros H l N. apply Rmult_le_reg_l in H; [| exact TR]. eapply Rle_trans; [| exact H].
    apply total_within; [exact N | intros; apply Rmax_l |]. intros a I. rewrite (outside a I), Rmax_left;
      [reflexivity |].
    assert (0 <= E * Q a) by (apply Rmult_le_pos; [lra | apply Q_nonneg]). lra.
Qed.

Definition kept_mass (R0 : R) (a : A) : R := if Rle_dec (R0 * Q a) (P a) then P a else 0.

Lemma kept_masses R0 : total pairs (kept R0) = IZR T * total ks (kept_mass R0).
Proof.
  rewrite total_map, <- total_scal. apply total_ext. intros a I. unfold kept, kept_mass. simpl.
  rewrite (f_is a I), (g_is a I). assert (TR := T_real).
  destruct (Rle_dec (R0 * (IZR T * Q a)) (IZR T * P a)) as [L | L], (Rle_dec (R0 * Q a) (P a)) as [M | M]; try ring.
  - exfalso. apply M, Rmult_le_reg_l with (IZR T); lra.
  - exfalso. apply L. replace (R0 * (IZR T * Q a)) with (IZR T * (R0 * Q a)) by ring.
    apply Rmult_le_compat_l; lra.
Qed.

Lemma located_on : located pairs T P Q.
Proof.
  split; [exact T_positive | split; [apply counted_on |]]. intros R0 delta HR Hd.
  rewrite kept_masses, (Rmult_comm delta). assert (TR := T_real).
  set (T' := fun a => if Rle_dec (R0 * Q a) (P a) then true else false).
  assert (K : forall l, total l (kept_mass R0) = total (filter T' l) P).
  { intros l. rewrite total_filter. apply total_ext. intros a _. unfold kept_mass, T'.
    destruct (Rle_dec (R0 * Q a) (P a)); reflexivity. }
  split.
  - intros H. apply Rmult_le_compat_l; [lra |]. rewrite K. apply H; [apply NoDup_filter, once |].
    intros a I. apply filter_In in I. destruct I as [_ I]. unfold T' in I.
    destruct (Rle_dec (R0 * Q a) (P a)); [assumption | discriminate].
  - intros H l N I. apply Rmult_le_reg_l in H; [| exact TR]. eapply Rle_trans; [| exact H].
    rewrite (total_ext l P (kept_mass R0)).
    + apply total_within; [exact N | |].
      * intros a. unfold kept_mass. destruct (Rle_dec _ _); [apply P_nonneg | lra].
      * intros a O. unfold kept_mass. rewrite (outside a O). destruct (Rle_dec _ _); reflexivity.
    + intros a Ia. unfold kept_mass. destruct (Rle_dec (R0 * Q a) (P a)) as [_ | C]; [reflexivity |].
      exfalso. apply C, I, Ia.
Qed.

End finite.

Lemma swap_map {A} (f g : A -> Z) ks : map swap (map (fun a => (f a, g a)) ks) = map (fun a => (g a, f a)) ks.
Proof. rewrite map_map. reflexivity. Qed.

(** ** What the programs say *)

Definition ordered (forward : bool) (pairs : list (Z * Z)) : list (Z * Z) := if forward then pairs else map swap pairs.

Lemma sum_pairs_total f l sum : IZR (sum_pairs f l sum) = IZR sum + total l (fun xy => IZR (f (fst xy) (snd xy))).
Proof.
  revert sum. induction l as [| [x y] l IH]; intros sum; simpl; [ring |]. rewrite IH, plus_IZR. simpl. ring.
Qed.

Lemma sum_ordered forward f l :
  IZR (sum_pairs (in_order forward f) l 0) = total (ordered forward l) (fun xy => IZR (f (fst xy) (snd xy))).
Proof.
  rewrite sum_pairs_total, Rplus_0_l. unfold ordered, in_order. destruct forward; [reflexivity |].
  rewrite total_map. reflexivity.
Qed.

Lemma IZR_max x y : IZR (Z.max x y) = Rmax (IZR x) (IZR y).
Proof.
  destruct (Z.max_spec x y) as [[L ->] | [L ->]].
  - rewrite Rmax_right; [reflexivity |]. apply IZR_le. lia.
  - rewrite Rmax_left; [reflexivity |]. apply IZR_le. lia.
Qed.

Lemma divergence_real forward a b l :
  (0 < b)%Z -> IZR (divergence l forward a b) = IZR b * total (ordered forward l) (gap (IZR a / IZR b)).
Proof.
  intros Hb. apply IZR_lt in Hb. unfold divergence. rewrite sum_ordered, <- total_scal. apply total_ext.
  intros [x y] _. unfold excess, gap. simpl. rewrite IZR_max, minus_IZR, !mult_IZR, <- Rmax_scaled by exact Hb.
  f_equal. field. lra.
Qed.

(** p >= (a / b) q, by integers. *)
Lemma ratio_test a b x y :
  (0 < b)%Z -> (Z.leb (a * y) (b * x) = true <-> IZR a / IZR b * IZR y <= IZR x).
Proof.
  intros Hb. rewrite Z.leb_le. assert (R := IZR_lt _ _ Hb). split; intros H.
  - apply IZR_le in H. rewrite !mult_IZR in H. apply Rmult_le_reg_l with (IZR b); [exact R |].
    replace (IZR b * (IZR a / IZR b * IZR y)) with (IZR a * IZR y) by (field; lra). exact H.
  - apply le_IZR. rewrite !mult_IZR. apply Rmult_le_compat_l with (r := IZR b) in H; [| lra].
    replace (IZR b * (IZR a / IZR b * IZR y)) with (IZR a * IZR y) in H by (field; lra). exact H.
Qed.

Lemma far_real forward a b l :
  (0 < b)%Z -> IZR (sum_pairs (in_order forward (far a b)) l 0) = total (ordered forward l) (kept (IZR a / IZR b)).
Proof.
  intros Hb. rewrite sum_ordered. apply total_ext. intros [x y] _. unfold far, kept. simpl.
  destruct (Z.leb (a * y) (b * x)) eqn:L, (Rle_dec (IZR a / IZR b * IZR y) (IZR x)) as [M | M]; try reflexivity.
  - apply ratio_test in L; [contradiction | exact Hb].
  - apply ratio_test in M; [congruence | exact Hb].
Qed.

Lemma fraction_at_least_1 a b : (0 < b)%Z -> (b <= a)%Z -> 1 <= IZR a / IZR b.
Proof.
  intros Hb H. apply IZR_lt in Hb. apply IZR_le in H. apply Rmult_le_reg_r with (IZR b); [exact Hb |].
  replace (IZR a / IZR b * IZR b) with (IZR a) by (field; lra). lra.
Qed.

(** A comparison with delta of a sum over the total. *)
Lemma compare_real (s k T : Z) (delta : Q) x :
  (0 < k)%Z -> (0 < T)%Z -> IZR s = IZR k * x ->
  CompareSpec (x = Q2R delta * IZR T) (x < Q2R delta * IZR T) (Q2R delta * IZR T < x)
    (s * Zpos (Qden delta) ?= Qnum delta * (k * T))%Z.
Proof.
  intros Hk HT Hs. assert (K := IZR_lt _ _ Hk). assert (D : 0 < IZR (Zpos (Qden delta))) by (apply (IZR_lt 0); lia).
  assert (E : IZR (Qnum delta * (k * T)) = IZR k * IZR (Zpos (Qden delta)) * (Q2R delta * IZR T)).
  { unfold Q2R. rewrite !mult_IZR. field. lra. }
  assert (F : IZR (s * Zpos (Qden delta)) = IZR k * IZR (Zpos (Qden delta)) * x) by (rewrite mult_IZR, Hs; ring).
  assert (C : 0 < IZR k * IZR (Zpos (Qden delta))) by (apply Rmult_lt_0_compat; lra).
  destruct (Z.compare_spec (s * Zpos (Qden delta)) (Qnum delta * (k * T))) as [H | H | H]; constructor.
  - apply (f_equal IZR) in H. rewrite E, F in H. apply Rmult_eq_reg_l in H; lra.
  - apply IZR_lt in H. rewrite E, F in H. apply Rmult_lt_reg_l in H; lra.
  - apply IZR_lt in H. rewrite E, F in H. apply Rmult_lt_reg_l in H; lra.
Qed.

Section compared.

Context {A : Type} (P Q : A -> R) (law : exact_law) (j : Z) (forward : bool).
Let pairs := fst (pairs_of law j).
Let T := snd (pairs_of law j).

Variables (a b : Z) (delta : QArith_base.Q).
Hypothesis b_positive : (0 < b)%Z.
Hypothesis ratio_at_least_1 : (b <= a)%Z.
Hypothesis delta_nonneg : 0 <= Q2R delta.

Lemma compare_sound :
  measured (ordered forward pairs) T P Q ->
  (is_at_most (compare_divergence law j forward a b delta) = true <-> mass_below P Q (IZR a / IZR b) (Q2R delta)).
Proof.
  intros [HT [_ H]]. rewrite H by auto using fraction_at_least_1. unfold compare_divergence.
  fold pairs T in H. destruct (pairs_of law j) as [p t] eqn:Ep. unfold pairs, T in *. simpl in *.
  destruct (compare_real _ b t delta _ b_positive HT (divergence_real forward a b p b_positive)); simpl;
    split; intros; try discriminate; try reflexivity; lra.
Qed.

(** The divergence is delta: no smaller delta will do, and no smaller e^eps if Q(P >= E Q) is not 0. *)
Lemma attained_delta d :
  measured (ordered forward pairs) T P Q -> is_equal (compare_divergence law j forward a b delta) = true ->
  0 <= d < Q2R delta -> ~ mass_below P Q (IZR a / IZR b) d.
Proof.
  intros [HT [_ H]] C Hd B. apply H in B; [| auto using fraction_at_least_1 | lra]. unfold compare_divergence in C.
  unfold pairs, T in *. destruct (pairs_of law j) as [p t]. simpl in *.
  assert (TR := IZR_lt _ _ HT).
  destruct (compare_real _ b t delta _ b_positive HT (divergence_real forward a b p b_positive)); try discriminate.
  assert (d * IZR t < Q2R delta * IZR t) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

Lemma attained_ratio F :
  measured (ordered forward pairs) T P Q -> is_equal (compare_divergence law j forward a b delta) = true ->
  is_shown law j forward a b = true -> 1 <= F < IZR a / IZR b -> ~ mass_below P Q F (Q2R delta).
Proof.
  intros [HT [Pos H]] C S HF B. apply H in B; [| lra | exact delta_nonneg]. unfold compare_divergence in C.
  unfold is_shown in S. unfold pairs, T in *. destruct (pairs_of law j) as [p t]. simpl in *.
  destruct (compare_real _ b t delta _ b_positive HT (divergence_real forward a b p b_positive)) as [Eq | |];
    try discriminate.
  apply Z.ltb_lt, IZR_lt in S. rewrite sum_ordered in S.
  set (E := IZR a / IZR b) in *. set (l := ordered forward p) in *.
  assert (M : (E - F) * total l (fun xy => IZR (at_or_above a b (fst xy) (snd xy))) <=
    total l (gap F) - total l (gap E)).
  { rewrite <- total_scal, <- total_minus. apply total_le. intros [x y] I. destruct (Pos _ I) as [_ Y]. simpl in *.
    apply IZR_le in Y. unfold at_or_above, gap. simpl.
    assert (Less : F * IZR y <= E * IZR y) by (apply Rmult_le_compat_r; lra).
    destruct (Z.leb (a * y) (b * x)) eqn:L.
    - apply ratio_test in L; [| exact b_positive]. fold E in L. rewrite !Rmax_right by lra. lra.
    - rewrite Rmult_0_r. assert (Rmax 0 (IZR x - E * IZR y) <= Rmax 0 (IZR x - F * IZR y))
        by (apply Rle_max_compat_l; lra). lra. }
  assert (0 < (E - F) * total l (fun xy => IZR (at_or_above a b (fst xy) (snd xy)))) by (apply Rmult_lt_0_compat; lra).
  lra.
Qed.

Lemma compare_far_sound :
  (0 <= j)%Z -> located (ordered forward pairs) T P Q ->
  (is_at_most (compare_far law j forward a b delta) = true <->
   far_below P Q ((IZR a / IZR b) ^ Z.to_nat j) (Q2R delta)).
Proof.
  intros J [HT [_ H]]. unfold pairs, T in *. unfold compare_far. destruct (pairs_of law j) as [p t]. simpl in *.
  rewrite H; [| | exact delta_nonneg].
  2: { apply pow_R1_Rle, fraction_at_least_1; assumption. }
  assert (Hb : (0 < b ^ j)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (R := far_real forward (a ^ j) (b ^ j) p Hb).
  replace (IZR (a ^ j) / IZR (b ^ j)) with ((IZR a / IZR b) ^ Z.to_nat j) in R.
  2: { rewrite <- (Z2Nat.id j J) at 2 3. rewrite <- !pow_IZR. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv.
       reflexivity. }
  assert (R' : IZR (sum_pairs (in_order forward (far (a ^ j) (b ^ j))) p 0) =
    IZR 1 * total (ordered forward p) (kept ((IZR a / IZR b) ^ Z.to_nat j))) by (rewrite R; ring).
  replace (Qnum delta * t)%Z with (Qnum delta * (1 * t))%Z by ring.
  destruct (compare_real _ 1 t delta _ ltac:(lia) HT R'); simpl;
    split; intros; try discriminate; try reflexivity; lra.
Qed.

End compared.

(** The window of the sum of two independent numbers of heads: n1 trials of p1 and n2 of p2.

    [sum_window v1 v2] multiplies two windows like polynomials, the lower bounds and the upper ones, in one product of
    long integers each (kronecker.v). All weights outside the two windows have together at most [missing], in the unit
    that is the product of the two units; it is added to every upper bound. [sum_window_sound]: if v1 and v2 enclose two
    laws, and the masses of their sum are finite sums, then it encloses the law of the sum. [binomial_sum_window_sound]: so
    for two binomial laws, with the parameters of binomial_window.v; that law is log-concave
    ([binomial_sum_log_concave]).

    The program is the function [summed] of exactdp/checker/noise_laws.py. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool FinFun.
From Exactdp Require Import sums masses binomial integer_polynomials longer_shift log_concave_laws.
From ExactdpChecker Require Import claims laws_of_noise kronecker outward windows binomial_window.
From ExactdpChecker Require Import negative_binomial_window listed_places.
Import ListNotations.
Open Scope Z_scope.

Definition lows (v : window) : list Z := map fst (cells v).
Definition highs (v : window) : list Z := map snd (cells v).
Definition rest (v : window) : Z := under v + over v.

Definition missing (v1 v2 : window) : Z :=
  rest v1 * (sum_of (highs v2) 0 + rest v2) + rest v2 * sum_of (highs v1) 0.

Fixpoint raised (more : Z) (low high : list Z) : list (Z * Z) :=
  match low, high with
  | l :: low', h :: high' => (l, h + more) :: raised more low' high'
  | _, _ => []
  end.

(** A product of more bits is not made. *)
Definition most_bits_of_product : Z := 134217728.

Definition product_bits (v1 v2 : window) : Z :=
  (Z.log2 (sum_of (highs v1) 0 * sum_of (highs v2) 0) + 1) * (count (cells v1) + count (cells v2)).

Definition sum_window (v1 v2 : window) : option window :=
  match cells v1, cells v2 with
  | [], _ | _, [] => None
  | _, _ =>
      let m := missing v1 v2 in
      if most_bits_of_product <? product_bits v1 v2 then None
      else Some {| first := first v1 + first v2; under := m; over := m;
              cells := raised m (product_of (lows v1) (lows v2)) (product_of (highs v1) (highs v2)) |}
  end.

Definition binomial_sum_window (bits : nat) (n1 : Z) (p1 : real) (n2 : Z) (p2 : real) : option window :=
  match binomial_window bits n1 p1, binomial_window bits n2 p2 with
  | Some v1, Some v2 => sum_window v1 v2
  | _, _ => None
  end.

(** ** Coefficients of a product *)

Definition coefficient_at (l : list Z) (k : Z) : Z := if k <? 0 then 0 else nth (Z.to_nat k) l 0.

Lemma coefficient_cons a l k : coefficient_at (a :: l) k = if k =? 0 then a else coefficient_at l (k - 1).
Proof.
  unfold coefficient_at. destruct (Z.ltb_spec k 0), (Z.eqb_spec k 0), (Z.ltb_spec (k - 1) 0); try lia; try reflexivity.
  - subst k. reflexivity.
  - replace (Z.to_nat k) with (S (Z.to_nat (k - 1))) by lia. reflexivity.
Qed.

Lemma coefficient_nil k : coefficient_at [] k = 0.
Proof. unfold coefficient_at. destruct (k <? 0), (Z.to_nat k); reflexivity. Qed.

Lemma coefficient_beyond l k : (k < 0 \/ Z.of_nat (length l) <= k) -> coefficient_at l k = 0.
Proof.
  intros H. unfold coefficient_at. destruct (Z.ltb_spec k 0); [reflexivity |]. apply nth_overflow. lia.
Qed.

Lemma coefficient_add p : forall q k, coefficient_at (z_add p q) k = coefficient_at p k + coefficient_at q k.
Proof.
  induction p as [| a p IH]; intros [| b q] k; simpl z_add; rewrite ?coefficient_nil; try lia.
  rewrite !coefficient_cons, IH. destruct (k =? 0); lia.
Qed.

Lemma coefficient_scale c q : forall k, coefficient_at (z_scale c q) k = c * coefficient_at q k.
Proof.
  induction q as [| b q IH]; intros k; [change (z_scale c []) with (@nil Z); rewrite coefficient_nil; lia |].
  change (z_scale c (b :: q)) with (c * b :: z_scale c q). rewrite !coefficient_cons, IH.
  destruct (k =? 0); reflexivity.
Qed.

Open Scope R_scope.

(** The sum over the places of the first list. *)
Lemma coefficient_mul p q f : forall e t, total (listed_from e (length p))
    (fun x => IZR (coefficient_at p (x - e)) * IZR (coefficient_at q (t - x - f))) =
  IZR (coefficient_at (z_mul p q) (t - (e + f))).
Proof.
  induction p as [| a p IH]; intros e t; [simpl; rewrite coefficient_nil; reflexivity |].
  cbn [length]. rewrite listed_cons. cbn [total z_mul]. rewrite coefficient_add, coefficient_scale, !coefficient_cons,
    plus_IZR, mult_IZR.
  rewrite Z.sub_diag. cbn [Z.eqb]. replace (t - e - f)%Z with (t - (e + f))%Z by lia. f_equal.
  transitivity (IZR (coefficient_at (z_mul p q) (t - (e + f) - 1))).
  - replace (t - (e + f) - 1)%Z with (t - ((e + 1) + f))%Z by lia. rewrite <- IH. apply total_ext. intros x I.
    apply in_listed in I. rewrite coefficient_cons. destruct (Z.eqb_spec (x - e) 0); [lia |]. do 3 f_equal. lia.
  - destruct (Z.eqb_spec (t - (e + f)) 0) as [E | E]; [| reflexivity]. rewrite E. rewrite coefficient_beyond by lia.
    reflexivity.
Qed.

Lemma IZR_sum l : IZR (sum_of l 0) = total l IZR.
Proof.
  assert (X : forall s, IZR (sum_of l s) = IZR s + total l IZR).
  { induction l as [| a l IH]; intros s; simpl; [ring |]. rewrite IH, plus_IZR. ring. }
  rewrite X. ring.
Qed.

Lemma sum_of_places l : forall e, total l IZR =
  total (listed_from e (length l)) (fun x => IZR (coefficient_at l (x - e))).
Proof.
  induction l as [| a l IH]; intros e; [reflexivity |]. cbn [length]. rewrite listed_cons. cbn [total].
  rewrite coefficient_cons, Z.sub_diag. cbn [Z.eqb]. f_equal. rewrite (IH (e + 1)%Z). apply total_ext. intros x I.
  apply in_listed in I. rewrite coefficient_cons. destruct (Z.eqb_spec (x - e) 0); [lia |]. do 2 f_equal. lia.
Qed.

(** ** One window *)

Definition low_in (v : window) (t : Z) : Z := coefficient_at (lows v) (t - first v).
Definition high_in (v : window) (t : Z) : Z := coefficient_at (highs v) (t - first v).

Section one.

Variables (v : window) (w : Z -> R) (c : R).
Hypothesis enclosed : encloses v w c.

Lemma in_window t : (first v <= t <= last_place v)%Z ->
  0 <= IZR (low_in v t) <= c * w t /\ c * w t <= IZR (high_in v t).
Proof.
  intros H. destruct (bounds_everywhere v w c enclosed t) as [B1 B2]. revert B1 B2.
  unfold last_place in H. rewrite count_length in H. unfold bounds_at, low_in, high_in, coefficient_at, lows, highs.
  rewrite !(proj2 (Z.ltb_ge _ _)) by lia. set (k := Z.to_nat (t - first v)).
  assert (F : nth k (map fst (cells v)) 0%Z = fst (nth k (cells v) (0, 0)%Z))
    by exact (map_nth fst (cells v) (0, 0)%Z k).
  assert (S : nth k (map snd (cells v)) 0%Z = snd (nth k (cells v) (0, 0)%Z))
    by exact (map_nth snd (cells v) (0, 0)%Z k).
  rewrite F, S, (nth_error_nth' (cells v) (0, 0)%Z) by (unfold k; lia). intros B1 B2. split; assumption.
Qed.

Lemma out_of_window t : ~ (first v <= t <= last_place v)%Z -> low_in v t = 0%Z /\ high_in v t = 0%Z.
Proof.
  unfold last_place. rewrite count_length. intros H. unfold low_in, high_in.
  rewrite !coefficient_beyond; [auto | |]; unfold lows, highs; rewrite map_length; lia.
Qed.

Lemma low_holds t : 0 <= IZR (low_in v t) <= c * w t.
Proof.
  destruct (Z_le_dec (first v) t) as [H1 | H1]; [destruct (Z_le_dec t (last_place v)) as [H2 | H2] |].
  1: apply in_window; auto.
  all: rewrite (proj1 (out_of_window t ltac:(lia))); split; [lra |].
  all: apply Rmult_le_pos; [left; apply (unit_positive v w c enclosed) | apply (weights_nonneg v w c enclosed)].
Qed.

Lemma high_nonneg t : 0 <= IZR (high_in v t).
Proof.
  destruct (Z_le_dec (first v) t) as [H1 | H1]; [destruct (Z_le_dec t (last_place v)) as [H2 | H2] |].
  1: destruct (in_window t (conj H1 H2)); lra.
  all: rewrite (proj2 (out_of_window t ltac:(lia))); lra.
Qed.

Lemma rest_nonneg : 0 <= IZR (rest v).
Proof. destruct enclosed as [_ [_ [_ [U [O _]]]]]. apply IZR_le. unfold rest. lia. Qed.

(** The sum of the upper bounds of distinct outcomes, and of all others. *)
Lemma upper_list m : NoDup m -> c * total m w <= total m (fun t => IZR (high_in v t)) + IZR (rest v).
Proof.
  intros N. set (before := fun t => (t <? first v)%Z). set (after := fun t => (last_place v <? t)%Z).
  set (between := fun t => negb (before t) && negb (after t)).
  replace (total m w) with (total (filter before m) w + total (filter after m) w + total (filter between m) w).
  2: { rewrite !total_filter, <- !total_plus. apply total_ext. intros t _. unfold between, before, after.
       assert (F := first_after_last v).
       destruct (Z.ltb_spec t (first v)), (Z.ltb_spec (last_place v) t); simpl; try lia; ring. }
  unfold rest. rewrite !Rmult_plus_distr_l, plus_IZR.
  assert (A : c * total (filter before m) w <= IZR (under v)).
  { apply (sum_below v w c enclosed); [apply NoDup_filter, N |]. intros t J. apply filter_In in J. apply Z.ltb_lt, J. }
  assert (B : c * total (filter after m) w <= IZR (over v)).
  { apply (sum_above v w c enclosed); [apply NoDup_filter, N |]. intros t J. apply filter_In in J. apply Z.ltb_lt, J. }
  assert (C : c * total (filter between m) w <= total m (fun t => IZR (high_in v t))).
  { rewrite total_filter, <- total_scal. apply total_le. intros t _. destruct (between t) eqn:E.
    - unfold between, before, after in E. apply andb_true_iff in E. destruct E as [E1 E2].
      apply negb_true_iff, Z.ltb_ge in E1, E2. apply in_window. lia.
    - rewrite Rmult_0_r. apply high_nonneg. }
  lra.
Qed.

Lemma highs_total m : NoDup m -> total m (fun t => IZR (high_in v t)) <= IZR (sum_of (highs v) 0).
Proof.
  intros N. rewrite IZR_sum, (sum_of_places _ (first v)). fold (high_in v).
  set (inner := listed_from (first v) (length (highs v))).
  apply Rle_trans with (total (filter (fun t => if in_dec Z.eq_dec t inner then true else false) m) (fun t =>
    IZR (high_in v t))).
  - rewrite total_filter. apply Req_le, total_ext. intros t _. destruct (in_dec Z.eq_dec t inner) as [_ | O];
      [reflexivity |].
    rewrite (proj2 (out_of_window t ltac:(intros H; apply O, in_listed; unfold last_place in H;
      rewrite count_length in H;
      unfold highs; rewrite map_length; lia))). reflexivity.
  - apply total_incl; [apply NoDup_filter, N | | intros; apply high_nonneg].
    intros t I. apply filter_In in I. destruct I as [_ I]. destruct (in_dec Z.eq_dec t inner);
      [assumption | discriminate].
Qed.

End one.

(** ** The sum *)

Section sum.

Variables (v1 v2 : window) (w1 w2 summed : Z -> R) (c1 c2 : R).
Hypothesis enclosed1 : encloses v1 w1 c1.
Hypothesis enclosed2 : encloses v2 w2 c2.

(** At any places the sum is one over some outcomes. *)
Hypothesis sums : forall l, exists support, NoDup support /\ forall t, In t l ->
  summed t = total support (fun x => w1 x * w2 (t - x)%Z) /\ forall x, ~ In x support -> w1 x * w2 (t - x)%Z = 0.

Let weight := weights_nonneg.

Lemma moved_once x l : NoDup l -> NoDup (map (fun t => t - x)%Z l).
Proof. apply Injective_map_NoDup. intros s t H. lia. Qed.

Definition product_high (t : Z) : Z := coefficient_at (z_mul (highs v1) (highs v2)) (t - (first v1 + first v2)).
Definition product_low (t : Z) : Z := coefficient_at (z_mul (lows v1) (lows v2)) (t - (first v1 + first v2)).

Lemma product_high_is t : IZR (product_high t) =
  total (listed_from (first v1) (length (highs v1))) (fun x => IZR (high_in v1 x) * IZR (high_in v2 (t - x))).
Proof. unfold product_high. rewrite <- coefficient_mul. reflexivity. Qed.

Lemma summed_above l : NoDup l ->
  c1 * c2 * total l summed <= total l (fun t => IZR (product_high t)) + IZR (missing v1 v2).
Proof.
  intros N. destruct (sums l) as [support [once At]].
  assert (C1 := unit_positive _ _ _ enclosed1). assert (C2 := unit_positive _ _ _ enclosed2).
  assert (P1 := weight _ _ _ enclosed1). assert (P2 := weight _ _ _ enclosed2).
  assert (R1 := rest_nonneg _ _ _ enclosed1). assert (R2 := rest_nonneg _ _ _ enclosed2).
  assert (H1 := high_nonneg _ _ _ enclosed1). assert (H2 := high_nonneg _ _ _ enclosed2).
  set (U := fun x => c2 * total l (fun t => w2 (t - x)%Z)).
  set (V := fun x => total l (fun t => IZR (high_in v2 (t - x))) + IZR (rest v2)).
  set (top := IZR (sum_of (highs v2) 0) + IZR (rest v2)).
  assert (UV : forall x, U x <= V x).
  { intros x. unfold U, V. rewrite <- (total_map (fun t => t - x)%Z l w2),
      <- (total_map (fun t => t - x)%Z l (fun t => IZR (high_in v2 t))).
      apply upper_list with (1 := enclosed2), moved_once, N. }
  assert (VT : forall x, V x <= top).
  { intros x. unfold V, top. apply Rplus_le_compat_r.
    rewrite <- (total_map (fun t => t - x)%Z l (fun t => IZR (high_in v2 t))).
    apply highs_total with (1 := enclosed2), moved_once, N. }
  assert (V0 : forall x, 0 <= V x).
  { intros x. apply Rplus_le_le_0_compat; [apply total_nonneg; intros; apply H2 | exact R2]. }
  assert (T0 : 0 <= top) by (eapply Rle_trans; [apply (V0 0%Z) | apply VT]).
  set (inner := listed_from (first v1) (length (highs v1))).
  set (is_inner := fun x => if in_dec Z.eq_dec x inner then true else false).
  assert (Out : forall x, is_inner x = false -> high_in v1 x = 0%Z).
  { intros x E. unfold is_inner in E. destruct (in_dec Z.eq_dec x inner) as [| O]; [discriminate |].
    apply out_of_window. intros H. apply O, in_listed. unfold last_place in H. rewrite count_length in H.
    unfold highs. rewrite map_length. lia. }
  assert (In1 : forall x, is_inner x = true -> c1 * w1 x <= IZR (high_in v1 x)).
  { intros x E. unfold is_inner in E. destruct (in_dec Z.eq_dec x inner) as [I |]; [| discriminate].
    apply in_listed in I. unfold highs in I. rewrite map_length in I. apply (in_window v1 w1 c1 enclosed1).
    unfold last_place. rewrite count_length. lia. }
  replace (c1 * c2 * total l summed) with (total support (fun x => c1 * w1 x * U x)).
  2: { rewrite (total_ext l _ _ (fun t I => proj1 (At t I))), total_swap, <- total_scal. apply total_ext. intros x _.
       unfold U. rewrite total_scal. ring. }
  apply Rle_trans with (total (filter is_inner support) (fun x => IZR (high_in v1 x) * V x) +
    total (filter (fun x => negb (is_inner x)) support) (fun x => c1 * w1 x) * top).
  { rewrite <- total_scal_r, !total_filter, <- total_plus. apply total_le. intros x _.
    assert (W := P1 x). assert (CW : 0 <= c1 * w1 x) by (apply Rmult_le_pos; lra).
    specialize (UV x). specialize (VT x). specialize (V0 x). destruct (is_inner x) eqn:E; cbn [negb].
    - rewrite Rplus_0_r. apply Rle_trans with (c1 * w1 x * V x); [apply Rmult_le_compat_l; lra |].
      apply Rmult_le_compat_r; [exact V0 | apply In1, E].
    - rewrite Rplus_0_l. apply Rmult_le_compat_l; lra. }
  assert (Outer : total (filter (fun x => negb (is_inner x)) support) (fun x => c1 * w1 x) <= IZR (rest v1)).
  { rewrite total_scal. eapply Rle_trans; [apply (upper_list v1 w1 c1 enclosed1), NoDup_filter, once |].
    rewrite (total_ext _ _ (fun _ => 0)), total_zero; [lra |]. intros x I. apply filter_In in I. destruct I as [_ I].
    apply negb_true_iff in I. rewrite (Out x I). reflexivity. }
  assert (Inner : total (filter is_inner support) (fun x => IZR (high_in v1 x) * V x) <=
    total inner (fun x => IZR (high_in v1 x) * V x)).
  { apply total_incl; [apply NoDup_filter, once | | intros x _; apply Rmult_le_pos; [apply H1 | apply V0]].
    intros x I. apply filter_In in I. destruct I as [_ I]. unfold is_inner in I.
    destruct (in_dec Z.eq_dec x inner); [assumption | discriminate]. }
  assert (Split : total inner (fun x => IZR (high_in v1 x) * V x) =
    total l (fun t => IZR (product_high t)) + IZR (rest v2) * IZR (sum_of (highs v1) 0)).
  { rewrite (total_ext l _ _ (fun t _ => product_high_is t)). fold inner.
    rewrite total_swap, IZR_sum, (sum_of_places _ (first v1)).
    fold inner. rewrite <- total_scal, <- total_plus. apply total_ext. intros x _. unfold V. rewrite total_scal.
    change (coefficient_at (highs v1) (x - first v1)) with (high_in v1 x). ring. }
  unfold missing. rewrite plus_IZR, !mult_IZR, plus_IZR. fold top.
  assert (X : total (filter (fun x => negb (is_inner x)) support) (fun x => c1 * w1 x) * top <= IZR (rest v1) * top)
    by (apply Rmult_le_compat_r; assumption). lra.
Qed.

Lemma summed_below t : 0 <= IZR (product_low t) <= c1 * c2 * summed t.
Proof.
  destruct (sums [t]) as [support [once At]]. destruct (At t (or_introl eq_refl)) as [Is supported].
  assert (C1 := unit_positive _ _ _ enclosed1). assert (C2 := unit_positive _ _ _ enclosed2).
  assert (P1 := weight _ _ _ enclosed1). assert (P2 := weight _ _ _ enclosed2).
  assert (E : IZR (product_low t) =
    total (listed_from (first v1) (length (lows v1))) (fun x => IZR (low_in v1 x) * IZR (low_in v2 (t - x)))).
  { unfold product_low. rewrite <- coefficient_mul. reflexivity. }
  assert (L1 := low_holds _ _ _ enclosed1). assert (L2 := low_holds _ _ _ enclosed2). rewrite E. split.
  - apply total_nonneg. intros x _. apply Rmult_le_pos; [apply L1 | apply L2].
  - set (inner := listed_from _ _). apply Rle_trans with (total inner (fun x => c1 * c2 * (w1 x * w2 (t - x)%Z))).
    + apply total_le. intros x _. replace (c1 * c2 * (w1 x * w2 (t - x)%Z)) with (c1 * w1 x * (c2 * w2 (t - x)%Z))
        by ring.
      apply Rmult_le_compat; try apply L1; apply L2.
    + rewrite total_scal. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |]. rewrite Is.
      set (is_in := fun x => if in_dec Z.eq_dec x support then true else false).
      apply Rle_trans with (total (filter is_in inner) (fun x => w1 x * w2 (t - x)%Z)).
      * rewrite total_filter. apply Req_le, total_ext. intros x _. unfold is_in.
        destruct (in_dec Z.eq_dec x support) as [_ | O]; [reflexivity | apply supported, O].
      * apply total_incl; [apply NoDup_filter, listed_once | | intros x _; apply Rmult_le_pos; [apply P1 | apply P2]].
        intros x I. apply filter_In in I. destruct I as [_ I]. unfold is_in in I.
        destruct (in_dec Z.eq_dec x support); [assumption | discriminate].
Qed.

Lemma raised_nth m : forall low high k, length low = length high -> (k < length low)%nat ->
  nth_error (raised m low high) k = Some (nth k low 0, nth k high 0 + m)%Z.
Proof.
  induction low as [| l low IH]; intros [| h high] k H K; simpl in *; try lia. destruct k as [| k]; [reflexivity |].
  apply IH; lia.
Qed.

Lemma raised_length m : forall low high, length low = length high -> length (raised m low high) = length low.
Proof. induction low as [| l low IH]; intros [| h high] H; simpl in *; try lia. rewrite IH; lia. Qed.

Lemma entries_nonneg : Forall (fun m => 0 <= m)%Z (lows v1) /\ Forall (fun m => 0 <= m)%Z (highs v1) /\
  Forall (fun m => 0 <= m)%Z (lows v2) /\ Forall (fun m => 0 <= m)%Z (highs v2).
Proof.
  assert (X : forall v w c, encloses v w c -> Forall (fun m => 0 <= m)%Z (lows v) /\
    Forall (fun m => 0 <= m)%Z (highs v)).
  { intros v w c E. split; apply Forall_forall; intros m I; apply (In_nth _ _ 0%Z) in I; destruct I as [k [K <-]];
      apply le_IZR.
    - assert (L := low_holds v w c E (first v + Z.of_nat k)). unfold low_in, coefficient_at in L.
      rewrite (proj2 (Z.ltb_ge _ _)) in L by lia. replace (Z.to_nat (first v + Z.of_nat k - first v)) with k in L
        by lia. apply L.
    - assert (L := high_nonneg v w c E (first v + Z.of_nat k)). unfold high_in, coefficient_at in L.
      rewrite (proj2 (Z.ltb_ge _ _)) in L by lia. replace (Z.to_nat (first v + Z.of_nat k - first v)) with k in L
        by lia. apply L. }
  destruct (X _ _ _ enclosed1), (X _ _ _ enclosed2). auto.
Qed.

Theorem sum_window_sound v : law summed -> sum_window v1 v2 = Some v -> encloses v summed (c1 * c2).
Proof.
  intros L. unfold sum_window. destruct (cells v1) as [| x1 r1] eqn:N1; [discriminate |].
  destruct (cells v2) as [| x2 r2] eqn:N2; [discriminate |]. destruct (_ <? _)%Z; [discriminate |]. intros H.
  injection H as <-.
  assert (C1 := unit_positive _ _ _ enclosed1). assert (C2 := unit_positive _ _ _ enclosed2).
  assert (R1 := rest_nonneg _ _ _ enclosed1). assert (R2 := rest_nonneg _ _ _ enclosed2).
  destruct entries_nonneg as [L1 [H1 [L2 H2]]].
  assert (NE : lows v1 <> [] /\ highs v1 <> [] /\ lows v2 <> [] /\ highs v2 <> []).
  { unfold lows, highs. rewrite N1, N2. repeat split; discriminate. }
  destruct NE as [E1 [E2 [E3 E4]]]. rewrite !product_of_value by assumption.
  assert (Len : length (z_mul (lows v1) (lows v2)) = length (z_mul (highs v1) (highs v2))).
  { rewrite !z_mul_length by assumption. unfold lows, highs. rewrite !map_length. reflexivity. }
  assert (HL : length (z_mul (highs v1) (highs v2)) = pred (length (cells v1) + length (cells v2))).
  { rewrite z_mul_length by assumption. unfold highs. rewrite !map_length. reflexivity. }
  assert (M0 : 0 <= IZR (missing v1 v2)).
  { assert (S : forall v w c, encloses v w c -> 0 <= IZR (sum_of (highs v) 0)).
    { intros v w c E. eapply Rle_trans; [| apply (highs_total v w c E [] (NoDup_nil _))]. simpl. lra. }
    assert (S1 := S _ _ _ enclosed1). assert (S2 := S _ _ _ enclosed2). unfold missing.
    rewrite plus_IZR, !mult_IZR, plus_IZR. apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  assert (Mz : (0 <= missing v1 v2)%Z) by (apply le_IZR, M0).
  set (m := missing v1 v2) in *. set (p := z_mul (lows v1) (lows v2)) in *. set (q := z_mul (highs v1) (highs v2)) in *.
  assert (Outside : forall l, NoDup l ->
    (forall t, In t l -> t - (first v1 + first v2) < 0 \/ Z.of_nat (length q) <= t - (first v1 + first v2))%Z ->
    c1 * c2 * total l summed <= IZR m).
  { intros l N I. eapply Rle_trans; [apply (summed_above l N) |]. fold m.
    rewrite (total_ext _ _ (fun _ => 0)), total_zero; [lra |]. intros t It. unfold product_high. fold q.
    rewrite coefficient_beyond by (apply I, It). reflexivity. }
  unfold encloses, last_place, bounds_at. cbn [first cells windows.under windows.over].
  rewrite count_length, raised_length, Len by exact Len.
  split; [apply Rmult_lt_0_compat; assumption |]. split; [exact L |].
  split; [| split; [exact Mz | split; [exact Mz | split]]].
  - intros t Ht. rewrite (proj2 (Z.ltb_ge _ _)) by lia. rewrite raised_nth by (rewrite ?Len; lia || exact Len).
    assert (B := summed_below t). assert (A := summed_above [t] ltac:(repeat constructor; intros [])).
    simpl total in A. rewrite !Rplus_0_r in A. fold m in A. unfold product_low, coefficient_at in B.
    unfold product_high, coefficient_at in A. fold p in B. fold q in A.
    rewrite (proj2 (Z.ltb_ge _ _)) in A, B by lia. unfold around. cbn [fst snd]. rewrite plus_IZR. split; assumption.
  - intros l N I. apply Outside; [exact N |]. intros t It. specialize (I t It). lia.
  - intros l N I. apply Outside; [exact N |]. intros t It. specialize (I t It). lia.
Qed.

End sum.

Theorem binomial_sum_window_sound bits n1 p1 n2 p2 v :
  binomial_sum_window bits n1 p1 n2 p2 = Some v ->
  noise_posed (BinomialSum n1 p1 n2 p2) /\ exists c, encloses v (noise_mass (BinomialSum n1 p1 n2 p2)) c.
Proof.
  unfold binomial_sum_window. destruct (binomial_window bits n1 p1) as [v1 |] eqn:W1; [| discriminate].
  destruct (binomial_window bits n2 p2) as [v2 |] eqn:W2; [| discriminate]. intros H.
  destruct (binomial_window_sound _ _ _ _ W1) as [N1 [c1 E1]].
  destruct (binomial_window_sound _ _ _ _ W2) as [N2 [c2 E2]].
  assert (N : noise_posed (BinomialSum n1 p1 n2 p2)) by (split; assumption). split; [exact N |]. exists (c1 * c2).
  set (support := map Z.of_nat (seq 0 (S (Z.to_nat n1)))). cbn [noise_mass] in E1, E2.
  apply (sum_window_sound v1 v2 _ _ (noise_mass (BinomialSum n1 p1 n2 p2)) c1 c2 E1 E2).
  - intros l. exists support. split; [apply Injective_map_NoDup, seq_NoDup; exact Nat2Z.inj |]. intros t _. split.
    + unfold support. rewrite total_map. cbn [noise_mass]. apply total_ext. intros i _. rewrite binomial_of_nat. reflexivity.
    + intros x O. destruct (Req_dec (binomial (Z.to_nat n1) (value p1) x) 0) as [-> | Z0]; [ring |]. exfalso. apply O.
      apply binomial_support in Z0. apply in_map_iff. exists (Z.to_nat x). rewrite in_seq. split; lia.
  - apply noise_law, N.
  - exact H.
Qed.

(** ** It is log-concave *)

Lemma coins_sum p n qs t :
  coins (repeat p n ++ qs) t = total (seq 0 (S n)) (fun i => binom n p i * coins qs (t - Z.of_nat i)%Z).
Proof.
  revert t. induction n as [| n IH]; intros t.
  - simpl. rewrite binom_inside, choose_0 by lia. simpl. rewrite Z.sub_0_r. ring.
  - change (coins (repeat p (S n) ++ qs) t) with (with_coin p (coins (repeat p n ++ qs)) t). unfold with_coin.
    rewrite !IH.
    set (F := fun i => binom n p i * coins qs (t - Z.of_nat i)%Z).
    assert (Front : forall m f, total (seq 0 (S m)) f = f 0%nat + total (seq 0 m) (fun i => f (S i))).
    { intros m f. change (seq 0 (S m)) with (0%nat :: seq 1 m). cbn [total]. rewrite <- seq_shift, total_map.
      reflexivity. }
    assert (Last : total (seq 0 (S (S n))) F = total (seq 0 (S n)) F).
    { rewrite (seq_S (S n)), total_app. cbn [total Nat.add]. unfold F at 2. rewrite binom_outside by lia. ring. }
    rewrite Front in Last. rewrite (Front (S n)). rewrite binom_S_0.
    rewrite (total_ext (seq 0 (S n)) (fun i => binom (S n) p (S i) * coins qs (t - Z.of_nat (S i))%Z)
      (fun i => p * (binom n p i * coins qs (t - 1 - Z.of_nat i)%Z) + (1 - p) * F (S i))).
    2: { intros i _. unfold F. rewrite binom_S_S. replace (t - 1 - Z.of_nat i)%Z with (t - Z.of_nat (S i))%Z by lia.
         ring. }
    rewrite total_plus, !total_scal. unfold F in Last at 1. fold F. rewrite <- Last. ring.
Qed.

Lemma binomial_sum_log_concave n1 p1 n2 p2 :
  noise_posed (BinomialSum n1 p1 n2 p2) -> log_concave (noise_mass (BinomialSum n1 p1 n2 p2)).
Proof.
  intros [[_ [_ H1]] [_ [_ H2]]].
  apply (log_concave_ext (coins (repeat (value p1) (Z.to_nat n1) ++ repeat (value p2) (Z.to_nat n2)))).
  - intros t. rewrite coins_sum. cbn [noise_mass]. apply total_ext. intros i _. rewrite coins_binomial. reflexivity.
  - apply coins_log_concave. intros q I. apply in_app_or in I. destruct I as [I | I]; apply repeat_spec in I; subst q;
      assumption.
Qed.

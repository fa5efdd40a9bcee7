(** What the programs of merged_program.v say of pairs of laws.

    [tells x P Q]: there are places such that the masses of x are bounds for the pair (P, Q) of laws, in units of
    2^-bits, in the sense of merged.v. Proved: it holds of the products of two pairs ([merged_times_tells]), and it
    refutes a level ([merged_above_refutes]): if [merged_above X Y delta x] is true, with X, Y > 0, then P is not
    (X / Y, delta)-below Q.

    Idea: the theorems of merged.v, with the convolution of lists, rounded. Source: docs/certificates.md,
    "Losses may be merged in an event". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses product_laws fixed_point polynomials integer_polynomials losses_program merged.
From ExactdpChecker Require Import kronecker composition_program composition_equal merged_program.
Import ListNotations.
Open Scope R_scope.

(** ** Lists as functions on places *)

Definition val (l : list Z) (low z : Z) : R := if Z.leb low z then IZR (nth (Z.to_nat (z - low)) l 0%Z) else 0.

Lemma nth_z_add p : forall q i, nth i (z_add p q) 0%Z = (nth i p 0 + nth i q 0)%Z.
Proof.
  induction p as [| x p IH]; intros [| y q] [| i]; simpl; rewrite ?IH; try lia.
Qed.

Lemma nth_z_scale c q i : nth i (z_scale c q) 0%Z = (c * nth i q 0)%Z.
Proof. unfold z_scale. rewrite <- (Z.mul_0_r c) at 1. apply (map_nth (Z.mul c)). Qed.

Lemma convolved_lists p q low2 z : forall low1,
  convolved (range low1 (length p)) (val p low1) (val q low2) z = val (z_mul p q) (low1 + low2) z.
Proof.
  induction p as [| x p IH]; intros low1.
  - unfold convolved, val. simpl. destruct (Z.leb _ z); [destruct (Z.to_nat _); reflexivity | reflexivity].
  - assert (R : range low1 (length (x :: p)) = low1 :: range (low1 + 1) (length p)).
    { unfold range. simpl length. rewrite <- cons_seq. simpl map. f_equal; [lia |]. rewrite <- seq_shift, map_map.
      apply map_ext. intros i. lia. }
    rewrite R. unfold convolved. simpl total.
    rewrite (total_ext (range (low1 + 1) (length p)) _ (fun i => val p (low1 + 1) i * val q low2 (z - i))).
    2: { intros i I. apply in_map_iff in I. destruct I as [k [<- _]]. f_equal. unfold val.
      rewrite !(proj2 (Z.leb_le _ _)) by lia. replace (Z.to_nat (low1 + 1 + Z.of_nat k - low1)) with (S k) by lia.
      replace (Z.to_nat (low1 + 1 + Z.of_nat k - (low1 + 1))) with k by lia. reflexivity. }
    fold (convolved (range (low1 + 1) (length p)) (val p (low1 + 1)) (val q low2) z). rewrite IH.
    unfold val. rewrite Z.leb_refl, Z.sub_diag. cbn [Z.to_nat nth].
    destruct (Z.leb_spec low2 (z - low1)), (Z.leb_spec (low1 + low2) z), (Z.leb_spec (low1 + 1 + low2) z); try lia;
      try lra.
    + simpl z_mul. rewrite nth_z_add, nth_z_scale.
      replace (Z.to_nat (z - (low1 + low2))) with (S (Z.to_nat (z - (low1 + 1 + low2)))) by lia.
      replace (Z.to_nat (z - low1 - low2)) with (S (Z.to_nat (z - (low1 + 1 + low2)))) by lia.
      rewrite plus_IZR, mult_IZR. reflexivity.
    + simpl z_mul. rewrite nth_z_add, nth_z_scale.
      replace (Z.to_nat (z - (low1 + low2))) with O by lia. replace (Z.to_nat (z - low1 - low2)) with O by lia.
      cbn [nth]. rewrite plus_IZR, mult_IZR. reflexivity.
Qed.

Lemma val_nonneg l low z : Forall (fun m => (0 <= m)%Z) l -> 0 <= val l low z.
Proof.
  intros H. unfold val. destruct (Z.leb low z); [| lra]. destruct (nth_in_or_default (Z.to_nat (z - low)) l 0%Z)
    as [I | ->].
  - rewrite Forall_forall in H. apply IZR_le, H, I.
  - lra.
Qed.

Lemma val_window l low z first n :
  val (firstn n (skipn first l)) (low + Z.of_nat first) z =
  if (Z.leb (low + Z.of_nat first) z && Z.ltb z (low + Z.of_nat first + Z.of_nat n))%bool then val l low z else 0.
Proof.
  unfold val. destruct (Z.leb_spec (low + Z.of_nat first) z) as [L | L]; [| reflexivity]. simpl andb.
  rewrite (proj2 (Z.leb_le low z)) by lia. set (i := Z.to_nat (z - (low + Z.of_nat first))).
  destruct (Z.ltb_spec z (low + Z.of_nat first + Z.of_nat n)) as [K | K].
  - f_equal. replace (Z.to_nat (z - low)) with (first + i)%nat by lia.
    assert (In : (i < n)%nat) by lia. clearbody i. clear L K.
    assert (X : forall (m : list Z) e k, (e < k)%nat -> nth e (firstn k m) 0%Z = nth e m 0%Z).
    { induction m as [| x m IH]; intros [| e] [| k] H; simpl; try lia; try reflexivity. apply IH. lia. }
    assert (Y : forall (m : list Z) f e, nth e (skipn f m) 0%Z = nth (f + e) m 0%Z).
    { induction m as [| x m IH]; intros [| f] e; simpl; try reflexivity; [destruct e; reflexivity | apply IH]. }
    rewrite X, Y by exact In. reflexivity.
  - rewrite nth_overflow; [reflexivity |]. rewrite firstn_length. lia.
Qed.

Section bounds.

Variable bits : nat.

Definition at_place (l : list Z) (low z : Z) : R := val l low z / 2 ^ bits.

Definition sensible (x : merged) : Prop :=
  Forall (fun m => (0 <= m)%Z) (firsts x) /\ Forall (fun m => (0 <= m)%Z) (seconds x) /\
  length (firsts x) = length (seconds x) /\ firsts x <> [].

Definition tells {A} (x : merged) (P Q : A -> R) : Prop :=
  exists label, shown P Q label (range (lowest x) (length (firsts x))) (IZR (endless x) / 2 ^ bits)
    (at_place (firsts x) (lowest x)) (at_place (seconds x) (lowest x)).

Lemma shown_more {A} (P Q : A -> R) label js js' inf f s :
  NoDup js' -> incl js js' -> shown P Q label js inf f s -> shown P Q label js' inf f s.
Proof.
  intros N I [_ [Z0 [H [R [F S]]]]]. split; [exact N | split; [exact Z0 | split; [exact H |]]].
  split; [| split; assumption]. intros a j E. apply I, (R a j E).
Qed.

Lemma over_units l low z : val l low z / 2 ^ bits * (2 ^ bits * 2 ^ bits) = val l low z * 2 ^ bits.
Proof. assert (P := pow_two_positive bits). field. lra. Qed.

Lemma val_floor l low z : val (map (fun p => (p / two bits)%Z) l) low z <= val l low z / 2 ^ bits.
Proof.
  assert (P := pow_two_positive bits). unfold val. destruct (Z.leb low z); [| unfold Rdiv; rewrite Rmult_0_l; lra].
  rewrite <- (Z.div_0_l (two bits)) at 1 by (assert (X := two_positive bits); lia).
  rewrite (map_nth (fun p => (p / two bits)%Z)).
  rewrite <- IZR_two. apply floor_div_bounds, two_positive.
Qed.

Lemma val_ceiling l low z : val l low z / 2 ^ bits <= val (map (fun p => ceiling_div p (two bits)) l) low z.
Proof.
  assert (P := pow_two_positive bits). unfold val. destruct (Z.leb low z); [| unfold Rdiv; rewrite Rmult_0_l; lra].
  assert (E : ceiling_div 0 (two bits) = 0%Z) by (unfold ceiling_div; rewrite Z.div_0_l;
    [reflexivity | assert (X := two_positive bits); lia]).
  rewrite <- E at 2. rewrite (map_nth (fun p => ceiling_div p (two bits))).
  rewrite <- IZR_two. apply ceiling_div_above; [apply two_positive | apply Rle_refl].
Qed.

(** The program in terms of the products. *)
Lemma merged_times_window x y : sensible x -> sensible y ->
  exists first n,
    let p := map (fun z => (z / two bits)%Z) (z_mul (firsts x) (firsts y)) in
    let q := map (fun z => ceiling_div z (two bits)) (z_mul (seconds x) (seconds y)) in
    merged_times bits x y = {| lowest := lowest x + lowest y + Z.of_nat first; firsts := firstn n (skipn first p);
      seconds := firstn n (skipn first q);
      endless := endless x + endless y - ceiling_div (endless x * endless y) (two bits) |} /\
    (0 < n)%nat /\ (first + n <= length p)%nat /\ length p = length q.
Proof.
  intros [P1 [Q1 [L1 N1]]] [P2 [Q2 [L2 N2]]].
  assert (M1 : seconds x <> []) by (intros E; rewrite E in L1; destruct (firsts x); [congruence | discriminate]).
  assert (M2 : seconds y <> []) by (intros E; rewrite E in L2; destruct (firsts y); [congruence | discriminate]).
  unfold merged_times. rewrite !product_of_value by assumption.
  rewrite (map_ext _ _ (fun z => shifted_down_div z bits)), (map_ext _ _ (fun z => shifted_up_div z bits)).
  set (p := map _ (z_mul (firsts x) (firsts y))). set (q := map _ (z_mul (seconds x) (seconds y))).
  assert (Lp : length p = length q).
  { unfold p, q. rewrite !map_length, !z_mul_length by assumption. rewrite L1, L2. reflexivity. }
  assert (Np : (0 < length p)%nat).
  { unfold p. rewrite map_length, z_mul_length by assumption. destruct (firsts x); [congruence |].
    destruct (firsts y); [congruence |]. simpl. lia. }
  rewrite !without_small_equal, !rev_append_rev, !app_nil_r.
  rewrite skipn_rev, rev_involutive. set (back := small_ones (rev p)). set (last := (length p - back)%nat).
  set (first := small_ones (firstn last p)). cbn [Nat.add].
  assert (B := small_ones_below (rev p)). rewrite rev_length in B. fold back in B.
  assert (F := small_ones_below (firstn last p)). fold first in F. rewrite firstn_length_le in F by (unfold last; lia).
  exists first, (last - first)%nat. cbv beta zeta. split; [| split; [lia | split; [lia | exact Lp]]].
  f_equal.
  - rewrite skipn_firstn_comm. reflexivity.
  - rewrite skipn_length, firstn_length_le by (unfold last; lia). reflexivity.
Qed.

Lemma nonneg_map_floor l : Forall (fun m => (0 <= m)%Z) l ->
  Forall (fun m => (0 <= m)%Z) (map (fun p => (p / two bits)%Z) l).
Proof.
  intros H. apply Forall_map. revert H. apply Forall_impl. intros m Hm.
  apply Z.div_pos; [exact Hm | apply two_positive].
Qed.

Lemma nonneg_map_ceiling l : Forall (fun m => (0 <= m)%Z) l ->
  Forall (fun m => (0 <= m)%Z) (map (fun p => ceiling_div p (two bits)) l).
Proof. intros H. apply Forall_map. revert H. apply Forall_impl. intros m. apply ceiling_nonneg. Qed.

Lemma merged_times_sensible x y : sensible x -> sensible y -> sensible (merged_times bits x y).
Proof.
  intros Hx Hy. destruct (merged_times_window x y Hx Hy) as [first [n [E [N [L Lq]]]]]. cbv beta zeta in *. rewrite E.
  destruct Hx as [P1 [Q1 _]], Hy as [P2 [Q2 _]]. split; [| split; [| split]]; cbn [firsts seconds].
  - apply firstn_nonneg, skipn_nonneg, nonneg_map_floor, z_mul_nonneg; assumption.
  - apply firstn_nonneg, skipn_nonneg, nonneg_map_ceiling, z_mul_nonneg; assumption.
  - rewrite !firstn_length, !skipn_length, Lq. reflexivity.
  - intros C. apply (f_equal (@length Z)) in C. rewrite firstn_length, skipn_length in C. simpl in C. lia.
Qed.

Theorem merged_times_tells {A B} x y (P Q : A -> R) (K L : B -> R) :
  law P -> law Q -> law K -> law L -> sensible x -> sensible y -> tells x P Q -> tells y K L ->
  tells (merged_times bits x y) (pair_mass P K) (pair_mass Q L).
Proof.
  intros LP LQ LK LL Hx Hy [u U] [v V]. assert (Pow := pow_two_positive bits).
  destruct (merged_times_window x y Hx Hy) as [first [n [E [N [Len Lq]]]]]. cbv beta zeta in *.
  destruct Hx as [P1 [Q1 [L1 N1]]], Hy as [P2 [Q2 [L2 N2]]].
  set (p := map _ (z_mul (firsts x) (firsts y))) in *. set (q := map _ (z_mul (seconds x) (seconds y))) in *.
  set (low := (lowest x + lowest y)%Z).
  assert (F2 : forall j, 0 <= at_place (firsts y) (lowest y) j).
  { intros j. apply Rmult_le_pos; [apply val_nonneg, P2 | left; apply Rinv_0_lt_compat, Pow]. }
  assert (M := merged.merged_times P Q K L u v _ _ (range low (length p)) _ _ _ _ _ _ LP LQ LK LL
    F2 U V
    (range_once _ _)).
  assert (In_range : forall i j, In i (range (lowest x) (length (firsts x))) ->
    In j (range (lowest y) (length (firsts y))) ->
    In (i + j)%Z (range low (length p))).
  { intros i j I J. apply in_map_iff in I. destruct I as [a [<- I]]. apply in_map_iff in J. destruct J as [b [<- J]].
    apply in_seq in I, J. apply in_map_iff. exists (a + b)%nat. split; [unfold low; lia |]. apply in_seq.
    unfold p. rewrite map_length, z_mul_length by assumption. lia. }
  specialize (M In_range).
  assert (Conv : forall (l m : list Z) a b z, convolved (range a (length l)) (at_place l a) (at_place m b) z =
    val (z_mul l m) (a + b) z / 2 ^ bits / 2 ^ bits).
  { intros l m a b z. rewrite <- convolved_lists. unfold convolved, at_place. unfold Rdiv. rewrite <- !total_scal_r.
    apply total_ext. intros i _. ring. }
  apply merged_weaken with (inf' := IZR (endless (merged_times bits x y)) / 2 ^ bits) (f' := at_place p low)
    (s' := at_place q low) in M.
  - set (keep := fun z => (Z.leb (low + Z.of_nat first) z && Z.ltb z (low + Z.of_nat first + Z.of_nat n))%bool).
    apply (merged_window _ _ _ _ _ _ _ keep) in M. exists (windowed keep (label_times u v)).
    rewrite E in *. cbn [lowest firsts seconds endless] in *. fold low.
    apply (shown_more _ _ _ _ (range (low + Z.of_nat first) (length (firstn n (skipn first p))))) in M;
      [| apply range_once |].
    + revert M. apply merged_weaken; [apply Rle_refl | |]; intros j; unfold at_place; rewrite val_window; unfold keep;
        destruct (_ && _)%bool; unfold Rdiv; rewrite ?Rmult_0_l; apply Rle_refl.
    + intros j I. apply filter_In in I. destruct I as [_ I]. unfold keep in I. apply andb_true_iff in I.
      destruct I as [I1 I2]. apply Z.leb_le in I1. apply Z.ltb_lt in I2. apply in_map_iff.
      exists (Z.to_nat (j - (low + Z.of_nat first))). split; [lia |]. apply in_seq. rewrite firstn_length, skipn_length.
      lia.
  - rewrite E. cbn [endless]. rewrite minus_IZR, plus_IZR. unfold Rdiv. rewrite Rmult_minus_distr_r, Rmult_plus_distr_r.
    assert (C := ceiling_div_above (endless x * endless y) (two bits) _ (two_positive bits) (Rle_refl _)).
    rewrite mult_IZR, IZR_two in C. assert (V0 : 0 <= / 2 ^ bits) by (left; apply Rinv_0_lt_compat, Pow).
    apply (Rmult_le_compat_r (/ 2 ^ bits)) in C; [| exact V0]. unfold Rdiv in C. lra.
  - intros j. rewrite Conv. unfold at_place. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pow |].
    apply val_floor.
  - intros j. rewrite L1, Conv. unfold at_place. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Pow |].
    apply val_ceiling.
Qed.

(** ** The best event *)

Lemma best_value X Y p : forall q reached largest, length p = length q ->
  best X Y p q reached largest = largest \/
  exists k, (k <= length p)%nat /\ best X Y p q reached largest =
    (reached + z_sum (map (fun pq => fst pq * Y - snd pq * X)%Z (firstn k (combine p q))))%Z.
Proof.
  induction p as [| a p IH]; intros [| b q] reached largest H; try discriminate; [left; reflexivity |].
  simpl best. destruct (IH q (reached + a * Y - b * X)%Z (Z.max largest (reached + a * Y - b * X))) as [E | [k [K E]]];
    [simpl in H; lia | |].
  - rewrite E. destruct (Z.max_spec largest (reached + a * Y - b * X)) as [[_ ->] | [_ ->]];
      [right | left; reflexivity].
    exists 1%nat. split; [simpl; lia |]. simpl. unfold z_sum. simpl. lia.
  - right. exists (S k). split; [simpl; lia |]. rewrite E. cbn [combine firstn map fst snd].
    change (z_sum (?x :: ?l)) with (x + z_sum l)%Z. lia.
Qed.

End bounds.

(** The sum over the last places. *)
Lemma range_cons low n : range low (S n) = low :: range (low + 1) n.
Proof.
  unfold range. rewrite <- cons_seq. simpl map. f_equal; [lia |]. rewrite <- seq_shift, map_map. apply map_ext.
  intros i. lia.
Qed.

Lemma val_cons x l low z : (low + 1 <= z)%Z -> val (x :: l) low z = val l (low + 1) z.
Proof.
  intros H. unfold val. rewrite !(proj2 (Z.leb_le _ _)) by lia.
  replace (Z.to_nat (z - low)) with (S (Z.to_nat (z - (low + 1)))) by lia. reflexivity.
Qed.

Lemma in_range_low low n z : In z (range low n) -> (low <= z)%Z.
Proof. intros I. apply in_map_iff in I. destruct I as [i [<- _]]. lia. Qed.

Lemma last_places X Y p : forall q low m, length p = length q ->
  total (from (low + Z.of_nat m) (range low (length p))) (fun z => val p low z * IZR Y - val q low z * IZR X) =
  IZR (z_sum (map (fun pq => fst pq * Y - snd pq * X)%Z (skipn m (combine p q)))).
Proof.
  induction p as [| a p IH]; intros [| b q] low m H; try discriminate; [destruct m; reflexivity |].
  simpl length. rewrite range_cons. injection H as H.
  assert (Rest : forall k, total (from (low + 1 + Z.of_nat k) (range (low + 1) (length p)))
    (fun z => val (a :: p) low z * IZR Y - val (b :: q) low z * IZR X) =
    IZR (z_sum (map (fun pq => fst pq * Y - snd pq * X)%Z (skipn k (combine p q))))).
  { intros k. rewrite <- (IH q (low + 1)%Z k H). apply total_ext. intros z I. apply filter_In in I. destruct I as [I _].
    apply in_range_low in I. rewrite !val_cons by lia. reflexivity. }
  unfold from in *. cbn [filter]. destruct m as [| m].
  - rewrite (proj2 (Z.leb_le _ _)) by lia. cbn [total combine skipn map fst snd].
    change (z_sum (?x :: ?l)) with (x + z_sum l)%Z. rewrite plus_IZR. f_equal.
    + unfold val. rewrite Z.leb_refl, Z.sub_diag. cbn [Z.to_nat nth]. rewrite minus_IZR, !mult_IZR. reflexivity.
    + assert (R0 := Rest O). cbn [skipn] in R0. rewrite <- R0. f_equal. apply filter_ext_in. intros z I.
      apply in_range_low in I.
      rewrite !(proj2 (Z.leb_le _ _)) by lia. reflexivity.
  - rewrite (proj2 (Z.leb_gt _ _)) by lia. cbn [combine skipn]. rewrite <- (Rest m).
    replace (low + Z.of_nat (S m))%Z with (low + 1 + Z.of_nat m)%Z by lia. reflexivity.
Qed.

Lemma combine_rev {A B} (p : list A) : forall (q : list B), length p = length q -> combine (rev p) (rev q) =
  rev (combine p q).
Proof.
  assert (App : forall (u : list A) (v : list B) a b, length u = length v -> combine (u ++ [a]) (v ++ [b]) =
    combine u v ++ [(a, b)]).
  { induction u as [| x u IH]; intros [| y v] a b H; try discriminate; [reflexivity |]. simpl. f_equal. apply IH.
    simpl in H. lia. }
  induction p as [| a p IH]; intros [| b q] H; try discriminate; [reflexivity |]. simpl. injection H as H.
  rewrite App by (rewrite !rev_length; exact H). rewrite IH by exact H. reflexivity.
Qed.

Lemma z_sum_rev l : z_sum (rev l) = z_sum l.
Proof.
  assert (App : forall u v, z_sum (u ++ v) = (z_sum u + z_sum v)%Z).
  { induction u as [| m u IH]; intros v; [reflexivity |]. change (m + z_sum (u ++ v) = m + z_sum u + z_sum v)%Z.
    rewrite IH. lia. }
  induction l as [| m l IH]; [reflexivity |]. simpl rev. rewrite App, IH. unfold z_sum. simpl. lia.
Qed.

Theorem merged_above_refutes {A} bits X Y delta x (P Q : A -> R) :
  (0 <= X)%Z -> (0 < Y)%Z -> (forall a, 0 <= Q a) -> sensible x -> tells bits x P Q ->
  merged_above bits X Y delta x = true -> ~ mass_below P Q (IZR X / IZR Y) (Q2R delta).
Proof.
  intros HX HY HQ [_ [_ [Len _]]] [label T] H B. assert (Pow := pow_two_positive bits).
  apply IZR_le in HX. assert (Y0 := IZR_lt _ _ HY).
  assert (D : 0 < IZR (Zpos (Qden delta))) by (apply (IZR_lt 0); lia).
  set (E := IZR X / IZR Y) in *.
  assert (HE : 0 <= E) by (apply Rmult_le_pos; [exact HX | left; apply Rinv_0_lt_compat, Y0]).
  set (n := length (firsts x)) in *.
  assert (All : forall m, IZR (endless x) * IZR Y +
      IZR (z_sum (map (fun pq => fst pq * Y - snd pq * X)%Z (skipn m (combine (firsts x) (seconds x))))) <=
    Q2R delta * (IZR Y * 2 ^ bits)).
  { intros m. assert (X1 := merged_event P Q label _ _ _ _ (lowest x + Z.of_nat m) E (Q2R delta) HQ HE T B).
    rewrite <- (last_places X Y (firsts x) (seconds x) (lowest x) m Len). fold n.
    apply (Rmult_le_compat_r (IZR Y * 2 ^ bits)) in X1; [| apply Rmult_le_pos; lra].
    eapply Rle_trans; [| exact X1]. apply Req_le. rewrite Rmult_plus_distr_r. f_equal; [field; lra |].
    rewrite <- total_scal_r. apply total_ext. intros z _. unfold at_place, E. field. lra. }
  unfold merged_above in H. apply Z.ltb_lt, IZR_lt in H. rewrite !mult_IZR, plus_IZR, mult_IZR, IZR_two in H.
  set (top := best X Y _ _ _ _) in H.
  assert (Bad : IZR top + IZR (endless x) * IZR Y <= Q2R delta * (IZR Y * 2 ^ bits)).
  { unfold top. rewrite !rev_append_rev, !app_nil_r.
    destruct (best_value X Y (rev (firsts x)) (rev (seconds x)) 0 0) as [Z0 | [k [K V]]];
      [rewrite !rev_length; exact Len | |].
    - rewrite Z0. specialize (All (length (combine (firsts x) (seconds x)))). rewrite skipn_all in All. simpl in All.
      lra.
    - rewrite V, combine_rev, firstn_rev, map_rev, z_sum_rev, Z.add_0_l by exact Len.
      specialize (All (length (combine (firsts x) (seconds x)) - k)%nat). lra. }
  apply (Rmult_le_compat_r (IZR (Zpos (Qden delta)))) in Bad; [| lra]. unfold Q2R in Bad.
  replace (IZR (Qnum delta) * / IZR (Zpos (Qden delta)) * (IZR Y * 2 ^ bits) * IZR (Zpos (Qden delta)))
    with (IZR (Qnum delta) * (IZR Y * 2 ^ bits)) in Bad by (field; lra).
  lra.
Qed.

(** R^gap behind a shuffler: the whole curve of its least delta against e^eps, for 2 to 12 users.

    [gap_curve n] lists points (e^eps, delta) for n = 2 to 12: the first has e^eps = 1, the last delta = 0. The shuffled
    protocol of n users is (eps, delta)-DP, eps >= 0, if and only if delta is at least the value at e^eps of the polygon
    through them, which is 0 beyond the last ([gap_whole_curve]). The deltas of the points are computed from the laws of
    the numbers of ones ([gap_delta]); where the polygon bends is listed.

    Idea: for one pair of neighbouring data sets the least delta is a convex function of E = e^eps, the largest of the
    affine functions that events give. At the points all pairs are computed, so all lie below the polygon; and at one
    place between two neighbouring points one pair lies on the chord, so it does everywhere between them. Source: this package. *)

From Coq Require Import Reals List ZArith Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy bits polynomials integer_polynomials.
From Exactdp Require Import coefficientwise coefficientwise_check gap_local gap.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

(** The sum of the positive numbers. *)
Definition z_positive (p : list Z) : Z := fold_right (fun a s => Z.max 0 a + s)%Z 0%Z p.

(** All pairs of different neighbouring data sets of m + 1 users: one user's inputs, k of the others hold 1. In units
    of D^(m+1), the laws of the numbers of ones that they send. *)
Definition count_pairs (row : bool -> list Z) (m : nat) : list (list Z * list Z) :=
  flat_map (fun k =>
    let law x := z_count row (x :: sorted_bits m k) in
    let zero := law false in
    let one := law true in
    [(zero, one); (one, zero)]) (seq 0 (S m)).

(** In units of D^(m+1) / v, the largest delta of the pairs at e^eps = u/v. *)
Definition largest (pairs : list (list Z * list Z)) (u v : Z) : Z :=
  fold_right (fun pair best => Z.max (z_positive (z_excess v u (fst pair) (snd pair))) best) 0%Z pairs.

(** best: the largest at u/v. At the mediant of two points some pair's delta lies on their chord. *)
Fixpoint bends (pairs : list (list Z * list Z)) (u v best : Z) (points : list (Z * Z)) : bool :=
  match points with
  | [] => Z.eqb best 0
  | (u', v') :: rest =>
      let best' := largest pairs u' v' in
      Z.ltb 0 v' && Z.ltb (u * v') (u' * v) &&
      match find (fun pair => Z.eqb (z_positive (z_excess (v + v') (u + u') (fst pair) (snd pair))) (best + best')) pairs with
      | Some _ => bends pairs u' v' best' rest
      | None => false
      end
  end.

(** ** What it says *)

(** The least delta at e^eps = u/v, as [gap_whole_curve] shows. *)
Definition gap_delta (n : nat) (u v : Z) : R := IZR (largest (count_pairs gap_row (n - 1)) u v) / (IZR v * 80 ^ n).

(** The polygon through these points, and 0 beyond the last. *)
Fixpoint polygon (points : list (R * R)) (x : R) : R :=
  match points with
  | [] => 0
  | (x0, y0) :: rest =>
      match rest with
      | [] => 0
      | (x1, y1) :: _ => if Rle_dec x x1 then y0 + (y1 - y0) * (x - x0) / (x1 - x0) else polygon rest x
      end
  end.

(** e^eps of the points after e^eps = 1, for n = 2, ..., 12. *)
Definition gap_bends (n : nat) : list (Z * Z) := nth (n - 2) [
    [(5, 2)];
    [(491, 479); (325, 264); (125, 64)];
    [(925, 904); (10936, 7981); (128, 85); (8, 5)];
    [(2967, 2648); (50162, 40085); (5368, 3865); (792, 565); (128, 83); (8, 5)];
    [(395960, 394853); (40945, 40312); (4418967400, 3974243113); (946424, 809875); (16216, 13775);
      (13692824, 11002775); (588472, 469201); (344, 269); (40888, 30865); (272424, 205075); (1208, 825); (10168,
      6937); (64, 41); (8, 5)];
    [(1213792853240, 1186233665039); (2416, 2275); (12728, 11375); (25930488, 21921185); (182432, 153065);
      (20386336, 16327735); (92041, 73285); (938048, 729905); (4491291776, 3471513435); (283, 205); (1462, 1045);
      (504, 335); (448, 285); (8, 5)];
    [(22622, 22475); (4684, 4495); (4882, 4495); (5113, 4495); (236904376, 198508375); (1283528, 1067625);
      (122017096, 97529465); (251704, 200435); (320696, 250575); (92431462216, 71248555665); (173096, 132015);
      (211224, 157345); (13011848, 9631355); (154168, 107005); (742232, 512585); (3616, 2365); (1792, 1135); (8,
      5)];
    [(936, 935); (1312, 1275); (9496, 8925); (3288, 2975); (2056, 1785); (180594748, 150308305); (1865476,
      1541785); (2476436876, 1976732375); (2981408, 2373725); (379796, 297569); (100170452, 77012325); (59698336,
      45718791); (3978934, 3013355); (575648, 416885); (975712, 697355); (15392, 10405); (43584, 29411); (3608,
      2335); (768, 485); (8, 5)];
    [(46616, 45695); (47912, 45695); (3804, 3515); (19696, 17575); (265768, 228475); (6962152, 5763935);
      (1458616, 1199605); (22431570776, 17887366265); (252262736, 200793665); (10363544, 8135435); (24701702152,
      19020189985); (499448, 384065); (603841018504, 460408143835); (305896, 229665); (367464, 271285); (68925544,
      50534965); (759704, 531765); (1241704, 863435); (153496, 101965); (2151976, 1428955); (193, 124); (192,
      121); (8, 5)];
    [(688208, 678755); (140824, 135751); (103304, 96965); (106424, 96965); (109904, 96965); (795848,
      678755); (502479709, 414225175); (87293048, 71512675); (815681990552, 649943849975); (131166808, 104376175);
      (1964728, 1544491); (55063786328, 42480640175); (608007208, 464049475); (165496843841192, 125331735297875);
      (156274288, 116839783); (294020, 212543); (3400688, 2431325); (208477072, 148812535); (345452, 236185);
      (994852, 677923); (690008, 452855); (21208, 13555); (704, 443); (8, 5)];
    [(5456, 5405); (27812, 27025); (1138, 1081); (17512, 16215); (18008, 16215); (6184, 5405); (95686,
      81075); (2382949128, 1957502975); (1349288, 1101875); (1487686762088, 1184688067355); (16326406808,
      12988301105); (2273912, 1789445); (835565357208, 645939435505); (9134063528, 6999650255); (45341864,
      34422575); (1320845904119883176, 998042562459443855); (131774632, 97904485); (156647176, 114909805);
      (1098145688, 800284855); (34586024, 24321365); (57215576, 39954715); (7060504, 4746385); (11153384,
      7485615); (85896, 55885); (14128, 8995); (1408, 885); (8, 5)]
  ]%Z [].

Definition gap_curve (n : nat) : list (R * R) :=
  map (fun bend => (IZR (fst bend) / IZR (snd bend), gap_delta n (fst bend) (snd bend))) ((1, 1)%Z :: gap_bends n).

(** ** The divergence of a pair *)

(** The excess of event t. *)
Definition excess_of (pair : list Z * list Z) (E : R) (t : nat -> R) : R :=
  against (of_integers (fst pair)) t - E * against (of_integers (snd pair)) t.

Definition divergence (pair : list Z * list Z) (E : R) : R :=
  total (add (scale 1 (of_integers (fst pair))) (scale (- E) (of_integers (snd pair)))) (Rmax 0).

Lemma against_positive p : exists T, against p (indicator T) = total p (Rmax 0).
Proof.
  exists (fun i => if Rle_dec 0 (coefficient p i) then true else false).
  induction p as [| a p IH]; [reflexivity |]. cbn [against total]. rewrite <- IH. f_equal.
  unfold indicator, Rmax, coefficient. simpl. destruct (Rle_dec 0 a); ring.
Qed.

Lemma against_below p t : (forall i, 0 <= t i <= 1) -> against p t <= total p (Rmax 0).
Proof.
  revert t. induction p as [| a p IH]; intros t H; [simpl; lra |]. cbn [against total].
  apply Rplus_le_compat; [| apply IH; intros i; apply H]. specialize (H 0%nat). unfold Rmax. destruct (Rle_dec 0 a); nra.
Qed.

Lemma indicator_bounds {A} (T : A -> bool) a : 0 <= indicator T a <= 1.
Proof. unfold indicator. destruct (T a); lra. Qed.

Lemma excess_against pair E t : excess_of pair E t =
  against (add (scale 1 (of_integers (fst pair))) (scale (- E) (of_integers (snd pair)))) t.
Proof. unfold excess_of. rewrite against_add, !against_scale. ring. Qed.

Lemma divergence_above pair E T : excess_of pair E (indicator T) <= divergence pair E.
Proof. rewrite excess_against. apply against_below. intros i. apply indicator_bounds. Qed.

Lemma divergence_attained pair E : exists T, excess_of pair E (indicator T) = divergence pair E.
Proof.
  destruct (against_positive (add (scale 1 (of_integers (fst pair))) (scale (- E) (of_integers (snd pair))))) as [T H].
  exists T. rewrite excess_against. exact H.
Qed.

Lemma divergence_nonneg pair E : 0 <= divergence pair E.
Proof. apply total_nonneg. intros a _. apply Rmax_l. Qed.

Lemma divergence_convex pair E F x : E <= x <= F ->
  (F - E) * divergence pair x <= (F - x) * divergence pair E + (x - E) * divergence pair F.
Proof.
  intros H. destruct (divergence_attained pair x) as [T <-].
  assert (A := divergence_above pair E T). assert (B := divergence_above pair F T).
  apply (Rmult_le_compat_l (F - x)) in A; [| lra]. apply (Rmult_le_compat_l (x - E)) in B; [| lra].
  unfold excess_of in *. set (a := against _ _) in *. set (b := against (of_integers (snd pair)) _) in *.
  replace ((F - E) * (a - x * b)) with ((F - x) * (a - E * b) + (x - E) * (a - F * b)) by ring. lra.
Qed.

Lemma divergence_falls pair E F : nonneg (of_integers (snd pair)) -> E <= F -> divergence pair F <= divergence pair E.
Proof.
  intros N H. destruct (divergence_attained pair F) as [T <-]. eapply Rle_trans; [| apply (divergence_above pair E T)].
  unfold excess_of. assert (P := nonneg_against _ (indicator T) N (fun i => proj1 (indicator_bounds T i))). nra.
Qed.

(** What the program computes. *)
Lemma positive_integers p : total (of_integers p) (Rmax 0) = IZR (z_positive p).
Proof.
  induction p as [| a p IH]; [reflexivity |]. cbn [of_integers map total z_positive fold_right].
  fold (of_integers p) (z_positive p). rewrite plus_IZR, <- IH. f_equal.
  unfold Rmax. destruct (Rle_dec 0 (IZR a)) as [H | H].
  - apply le_IZR in H. f_equal. lia.
  - assert (a < 0)%Z by (apply lt_IZR; lra). rewrite Z.max_l by lia. reflexivity.
Qed.

Lemma total_scaled v p : 0 <= v -> total (scale v p) (Rmax 0) = v * total p (Rmax 0).
Proof.
  intros V. unfold scale. rewrite total_map, <- total_scal. apply total_ext. intros a _. unfold Rmax.
  destruct (Rle_dec 0 (v * a)), (Rle_dec 0 a); nra.
Qed.

Lemma scale_sum v c d p q : scale v (add (scale c p) (scale d q)) = add (scale (v * c) p) (scale (v * d) q).
Proof.
  revert q. induction p as [| a p IH]; intros [| b q]; simpl; try reflexivity.
  - f_equal; [ring |]. unfold scale. rewrite map_map. apply map_ext. intros x. ring.
  - f_equal; [ring |]. unfold scale. rewrite map_map. apply map_ext. intros x. ring.
  - f_equal; [ring | apply IH].
Qed.

Lemma divergence_computed pair u v : (0 < v)%Z ->
  IZR v * divergence pair (IZR u / IZR v) = IZR (z_positive (z_excess v u (fst pair) (snd pair))).
Proof.
  intros V. apply IZR_lt in V. rewrite <- positive_integers. unfold z_excess.
  rewrite of_integers_add, !of_integers_scale, opp_IZR. unfold divergence.
  rewrite <- total_scaled by lra. rewrite scale_sum. f_equal. f_equal; f_equal; field; lra.
Qed.

Lemma below_largest pairs u v pair : In pair pairs ->
  (z_positive (z_excess v u (fst pair) (snd pair)) <= largest pairs u v)%Z.
Proof.
  induction pairs as [| p pairs IH]; [intros [] |]. intros [-> | I]; simpl; [lia |]. specialize (IH I). lia.
Qed.

(** ** The polygon *)

(** A convex function that meets a chord between its ends is not below it. *)
Lemma touching_chord (g : R -> R) E F M y z x :
  (forall s t r, s <= r <= t -> (t - s) * g r <= (t - r) * g s + (r - s) * g t) ->
  E < M < F -> E <= x <= F -> g E <= y -> g F <= z -> (F - E) * g M = (F - M) * y + (M - E) * z ->
  (F - x) * y + (x - E) * z <= (F - E) * g x.
Proof.
  intros Convex HM Hx Hy Hz Touch. destruct (Rle_or_lt x M) as [L | L].
  - assert (K := Convex x F M ltac:(lra)). apply Rmult_le_reg_l with (F - M); [lra |].
    apply (Rmult_le_compat_l (F - E)) in K; [| lra].
    replace ((F - E) * ((F - x) * g M)) with ((F - x) * ((F - E) * g M)) in K by ring. rewrite Touch in K.
    apply (Rmult_le_compat_l ((F - E) * (M - x))) in Hz; [lra | apply Rmult_le_pos; lra].
  - assert (K := Convex E x M ltac:(lra)). apply Rmult_le_reg_l with (M - E); [lra |].
    apply (Rmult_le_compat_l (F - E)) in K; [| lra].
    replace ((F - E) * ((x - E) * g M)) with ((x - E) * ((F - E) * g M)) in K by ring. rewrite Touch in K.
    apply (Rmult_le_compat_l ((F - E) * (x - M))) in Hy; [lra | apply Rmult_le_pos; lra].
Qed.

Section Polygon.
  Variable pairs : list (list Z * list Z).
  Hypothesis pairs_nonneg : forall pair, In pair pairs -> nonneg (of_integers (snd pair)).

  Let value (u v : Z) : R := IZR (largest pairs u v) / IZR v.
  Let points (bs : list (Z * Z)) : list (R * R) :=
    map (fun b => (IZR (fst b) / IZR (snd b), value (fst b) (snd b))) bs.

  Lemma below_value pair u v : (0 < v)%Z -> In pair pairs -> divergence pair (IZR u / IZR v) <= value u v.
  Proof.
    intros V I. assert (B := below_largest pairs u v pair I). apply IZR_le in B.
    rewrite <- divergence_computed in B by exact V. apply IZR_lt in V. unfold value.
    apply Rmult_le_reg_l with (IZR v); [exact V |]. replace (IZR v * (IZR (largest pairs u v) / IZR v))
      with (IZR (largest pairs u v)) by (field; lra). exact B.
  Qed.

  Lemma polygon_right u v bs x : (0 < v)%Z -> bends pairs u v (largest pairs u v) bs = true -> IZR u / IZR v <= x ->
    (forall pair, In pair pairs -> divergence pair x <= polygon (points ((u, v) :: bs)) x) /\
    (polygon (points ((u, v) :: bs)) x = 0 \/
     exists pair, In pair pairs /\ polygon (points ((u, v) :: bs)) x <= divergence pair x).
  Proof.
    revert u v. induction bs as [| [u' v'] bs IH]; intros u v V B X.
    - simpl in *. apply Z.eqb_eq in B. split; [| left; reflexivity]. intros pair I.
      apply Rle_trans with (divergence pair (IZR u / IZR v)); [apply divergence_falls; [apply pairs_nonneg, I | exact X] |].
      eapply Rle_trans; [apply below_value; assumption |]. unfold value. rewrite B. unfold Rdiv. lra.
    - cbn [bends] in B. rewrite !Bool.andb_true_iff in B. destruct B as [[V' W] B].
      destruct (find _ pairs) as [pair |] eqn:C; [| discriminate]. apply find_some in C. destruct C as [I C].
      apply Z.ltb_lt in V'. apply Z.ltb_lt in W.
      change (points ((u, v) :: (u', v') :: bs)) with
        ((IZR u / IZR v, value u v) :: (IZR u' / IZR v', value u' v') :: points bs).
      assert (Less : IZR u / IZR v < IZR u' / IZR v').
      { apply IZR_lt in W. rewrite !mult_IZR in W. assert (P := IZR_lt _ _ V). assert (P' := IZR_lt _ _ V').
        apply Rmult_lt_reg_r with (IZR v * IZR v'); [apply Rmult_lt_0_compat; lra |].
        replace (IZR u / IZR v * (IZR v * IZR v')) with (IZR u * IZR v') by (field; lra).
        replace (IZR u' / IZR v' * (IZR v * IZR v')) with (IZR u' * IZR v) by (field; lra). exact W. }
      cbn [polygon]. destruct (Rle_dec x (IZR u' / IZR v')) as [R | R].
      2:{ apply (IH u' v' V' B). lra. }
      set (E := IZR u / IZR v) in *. set (F := IZR u' / IZR v') in *. set (y := value u v). set (z := value u' v').
      assert (Chord : (F - E) * (y + (z - y) * (x - E) / (F - E)) = (F - x) * y + (x - E) * z) by (field; lra).
      split.
      + intros other J. apply Rmult_le_reg_l with (F - E); [lra |]. rewrite Chord.
        eapply Rle_trans; [apply (divergence_convex other E F x); lra |].
        apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply below_value; assumption.
      + right. apply Z.eqb_eq in C. exists pair. split; [exact I |].
        assert (P := IZR_lt _ _ V). assert (P' := IZR_lt _ _ V').
        set (M := IZR (u + u') / IZR (v + v')).
        assert (V2 : IZR (v + v') = IZR v + IZR v') by apply plus_IZR.
        assert (Above : (IZR v + IZR v') * divergence pair M = IZR v * y + IZR v' * z).
        { rewrite <- V2. unfold M. rewrite divergence_computed, C, plus_IZR by lia. unfold y, z, value. field. lra. }
        assert (EM : (IZR v + IZR v') * (M - E) = IZR v' * (F - E))
          by (unfold M; rewrite V2, plus_IZR; unfold E, F; field; lra).
        assert (FM : (IZR v + IZR v') * (F - M) = IZR v * (F - E))
          by (unfold M; rewrite V2, plus_IZR; unfold E, F; field; lra).
        assert (E < M) by (apply Rmult_lt_reg_l with (IZR v + IZR v'); [lra |];
          assert (0 < IZR v' * (F - E)) by (apply Rmult_lt_0_compat; lra); lra).
        assert (M < F) by (apply Rmult_lt_reg_l with (IZR v + IZR v'); [lra |];
          assert (0 < IZR v * (F - E)) by (apply Rmult_lt_0_compat; lra); lra).
        assert (Touch : (F - E) * divergence pair M = (F - M) * y + (M - E) * z).
        { apply Rmult_eq_reg_l with (IZR v + IZR v'); [| lra].
          replace ((IZR v + IZR v') * ((F - E) * divergence pair M))
            with ((F - E) * ((IZR v + IZR v') * divergence pair M)) by ring.
          replace ((IZR v + IZR v') * ((F - M) * y + (M - E) * z))
            with ((IZR v + IZR v') * (F - M) * y + (IZR v + IZR v') * (M - E) * z) by ring.
          rewrite Above, EM, FM. ring. }
        apply Rmult_le_reg_l with (F - E); [lra |]. rewrite Chord.
        apply touching_chord with M; try lra; try (apply below_value; assumption).
        intros s t r L. apply divergence_convex, L.
  Qed.
End Polygon.

(** ** All data sets *)

Section Pairs.
Context (send : bool -> dist (list bool)) (L : nat) (D : R) (row : bool -> list Z).
Hypothesis send_proper : forall x, proper (send x).
Hypothesis rows : bit_rows send L D (fun x => of_integers (row x)).

Lemma in_count_pairs m x k : (k <= m)%nat ->
  In (z_count row (x :: sorted_bits m k), z_count row (negb x :: sorted_bits m k)) (count_pairs row m).
Proof.
  intros K. unfold count_pairs. apply in_flat_map. exists k. split; [apply in_seq; lia |].
  destruct x; simpl; auto.
Qed.

Lemma count_pairs_only m pair : In pair (count_pairs row m) -> exists x y k, (k <= m)%nat /\
  pair = (z_count row (x :: sorted_bits m k), z_count row (y :: sorted_bits m k)).
Proof.
  intros I. apply in_flat_map in I. destruct I as [k [K I]]. apply in_seq in K.
  destruct I as [<- | [<- | []]]; [exists false, true, k | exists true, false, k]; (split; [lia | reflexivity]).
Qed.

Lemma count_law xs f : D ^ length xs * mean (messages send xs) (fun u => f (ones u)) =
  against (of_integers (z_count row xs)) f.
Proof. rewrite (generating_function send L D _ rows), of_integers_count. reflexivity. Qed.

Lemma against_count_permutation xs ys f : Permutation xs ys ->
  against (of_integers (z_count row xs)) f = against (of_integers (z_count row ys)) f.
Proof.
  intros P. rewrite <- !of_integers_count. apply against_product_permutation, Permutation_map, P.
Qed.

Lemma dp_pairs m eps delta : 0 <= eps -> (
  shuffle_dp (S m) send eps delta <->
  forall pair, In pair (count_pairs row m) -> divergence pair (exp eps) <= D ^ S m * delta).
Proof.
  intros He. assert (DP : 0 < D ^ S m) by (apply pow_lt, rows). split.
  - intros H pair I. apply count_pairs_only in I. destruct I as [x [y [k [K ->]]]].
    destruct (divergence_attained (z_count row (x :: sorted_bits m k), z_count row (y :: sorted_bits m k))
      (exp eps)) as [T <-].
    assert (Ls : length (sorted_bits m k) = m) by (unfold sorted_bits; rewrite app_length, !repeat_length; lia).
    specialize (H (x :: sorted_bits m k) (y :: sorted_bits m k) (replace_one [] x y _) ltac:(simpl; lia)
      (fun u => T (ones u)) (counts_symmetric T)).
    unfold excess_of. cbn [fst snd]. rewrite <- !count_law. cbn [length]. rewrite Ls.
    apply (Rmult_le_compat_l (D ^ S m)) in H; [| lra]. unfold Pr in H.
    change (indicator (fun u => T (ones u))) with (fun u : list bool => indicator T (ones u)) in H. lra.
  - intros H xs ys N Len T Sy. inversion N as [before x y after E1 E2]. subst xs ys.
    rewrite app_length in Len. simpl in Len. set (others := before ++ after).
    assert (Lo : length others = m) by (unfold others; rewrite app_length; lia).
    assert (Move : forall z, Permutation (before ++ z :: after) (z :: sorted_bits m (ones others))).
    { intros z. apply Permutation_trans with (z :: others); [apply Permutation_sym, Permutation_middle |].
      rewrite <- Lo. apply perm_skip, permutation_sorted_bits. }
    assert (K : (ones others <= m)%nat) by (rewrite <- Lo; apply ones_le_length).
    assert (Zero : 0 <= delta).
    { apply Rmult_le_reg_l with (D ^ S m); [exact DP |]. rewrite Rmult_0_r.
      eapply Rle_trans; [apply divergence_nonneg | apply H, (in_count_pairs m true 0); lia]. }
    destruct (Bool.bool_dec y (negb x)) as [-> | Same].
    2:{ replace y with x by (destruct x, y; simpl in Same; congruence). assert (X := exp_ge_1 eps He).
        assert (P : 0 <= Pr (messages send (before ++ x :: after)) T)
          by (apply Pr_bounds, proper_messages, send_proper). nra. }
    specialize (H _ (in_count_pairs m x (ones others) K)).
    set (t := fun c => T (sorted_bits (S m * L) c)).
    assert (Law : forall z, D ^ S m * Pr (messages send (before ++ z :: after)) T =
      against (of_integers (z_count row (z :: sorted_bits m (ones others)))) (indicator t)).
    { intros z. rewrite <- (against_count_permutation _ _ _ (Move z)).
      assert (Lz : length (before ++ z :: after) = S m) by (rewrite app_length; simpl; lia).
      assert (A := symmetric_event send L D _ rows (before ++ z :: after) T Sy).
      rewrite Lz, of_integers_count in A. exact A. }
    apply Rmult_le_reg_l with (D ^ S m); [exact DP |]. rewrite Rmult_plus_distr_l.
    replace (D ^ S m * (exp eps * Pr (messages send (before ++ negb x :: after)) T))
      with (exp eps * (D ^ S m * Pr (messages send (before ++ negb x :: after)) T)) by ring.
    rewrite !Law. eapply Rle_trans; [| apply Rplus_le_compat_l, H].
    assert (A := divergence_above (z_count row (x :: sorted_bits m (ones others)),
      z_count row (negb x :: sorted_bits m (ones others))) (exp eps) t).
    unfold excess_of in A. cbn [fst snd] in A. lra.
Qed.

End Pairs.

(** ** R^gap *)

Lemma polygon_scaled c points x : c <> 0 ->
  polygon (map (fun b => (fst b, snd b / c)) points) x = polygon points x / c.
Proof.
  intros C. induction points as [| [x0 y0] rest IH]; [unfold Rdiv; simpl; ring |].
  destruct rest as [| [x1 y1] rest]; [unfold Rdiv; simpl; ring |]. cbn [map fst snd polygon] in *.
  destruct (Rle_dec x x1); [unfold Rdiv; ring | exact IH].
Qed.

Definition bends_at (n : nat) : bool :=
  let pairs := count_pairs gap_row (n - 1) in bends pairs 1 1 (largest pairs 1 1) (gap_bends n).

Lemma gap_bends_checked n : (2 <= n <= 12)%nat -> bends_at n = true.
Proof.
  intros H. assert (A : forallb (fun n => bends_at n) (seq 2 11) = true)
    by vm_cast_no_check (eq_refl true).
  rewrite forallb_forall in A. apply A, in_seq. lia.
Qed.

Theorem gap_whole_curve (n : nat) (eps delta : R) : (2 <= n <= 12)%nat -> 0 <= eps ->
  (shuffle_dp n gap_randomizer eps delta <-> polygon (gap_curve n) (exp eps) <= delta).
Proof.
  intros Hn He. assert (C := gap_bends_checked n Hn). destruct n as [| m]; [lia |].
  unfold bends_at in C. replace (S m - 1)%nat with m in * by lia.
  rewrite (dp_pairs gap_randomizer 4 80 gap_row gap_proper gap_rows) by exact He.
  assert (D : 0 < 80 ^ S m) by (apply pow_lt; lra).
  set (points := map (fun b => (IZR (fst b) / IZR (snd b),
    IZR (largest (count_pairs gap_row m) (fst b) (snd b)) / IZR (snd b)))
    ((1, 1)%Z :: gap_bends (S m))).
  assert (Scaled : polygon (gap_curve (S m)) (exp eps) = polygon points (exp eps) / 80 ^ S m).
  { rewrite <- polygon_scaled by lra. f_equal. unfold points, gap_curve. rewrite map_map. apply map_ext. intros b.
    cbn [fst snd]. f_equal. unfold gap_delta. replace (S m - 1)%nat with m by lia. unfold Rdiv.
    rewrite Rinv_mult. ring. }
  destruct (polygon_right (count_pairs gap_row m)) with (u := 1%Z) (v := 1%Z) (bs := gap_bends (S m)) (x := exp eps)
    as [Above Attained].
  { intros pair I. apply count_pairs_only in I. destruct I as [x [y [k [_ ->]]]]. cbn [snd].
    rewrite <- of_integers_count. apply (rows_nonneg gap_randomizer 4 80 _ gap_rows). }
  { lia. }
  { exact C. }
  { assert (X := exp_ge_1 eps He). lra. }
  fold points in Above, Attained. rewrite Scaled. split.
  - intros H. apply Rmult_le_reg_l with (80 ^ S m); [exact D |].
    replace (80 ^ S m * (polygon points (exp eps) / 80 ^ S m)) with (polygon points (exp eps)) by (field; lra).
    destruct Attained as [-> | [pair [I A]]].
    + eapply Rle_trans; [apply divergence_nonneg | apply H, (in_count_pairs gap_row m true 0); lia].
    + eapply Rle_trans; [exact A | apply H, I].
  - intros H pair I. eapply Rle_trans; [apply Above, I |].
    apply (Rmult_le_compat_l (80 ^ S m)) in H; [| lra].
    replace (80 ^ S m * (polygon points (exp eps) / 80 ^ S m)) with (polygon points (exp eps)) in H by (field; lra).
    exact H.
Qed.

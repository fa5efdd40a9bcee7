(** Smoothness of enclosed laws, both verdicts: the program and its soundness.

    [check_smooth_enclosed] bounds P[w(Y) >= e^(|j| eps) w(Y + j)]. An outcome lies inside the event, or outside, where
    the bounds of both weights show it or, if neither is small, the exact ratio of the two (exact_ratios.v); any other
    one is open and counts on both sides. To prove the claim the probability is bounded from above, for the shifts j and
    -j that are the worst (one of each for a log-concave law, all up to k else); to refute it from below, for the shift
    of the witness. What it accepts is [sound] ([check_smooth_enclosed_sound]), for every noise law that has a window,
    every level, k and delta.

    The program is the class Smooth of exactdp/checker/noise_privacy.py, with the same sums.
    It rests on longer_shift.longer_smooth. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool FinFun.
From Exactdp Require Import reals sums masses shifts smooth hockey_stick steps longer_shift fixed_point.
From Exactdp Require Import fixed_point_weights.
From ExactdpChecker Require Import claims witnesses kinds levels posed outward windows enclosed_divergences.
From ExactdpChecker Require Import noise_windows.
From ExactdpChecker Require Import shift_dp_enclosed tail_enclosed exact_ratios listed_places.
Import ListNotations.
Open Scope Z_scope.

(** Weights of at least this are not small. *)
Definition sharp : Z := two 16.

(** Whether b w >= a w' at an outcome t, from the bounds of its weight w and of the other one w'. *)
Definition decided (a b : Z) (exactly : Z -> option bool) (t : Z) (weight other : Z * Z) : option bool :=
  if a * snd other <=? b * fst weight then Some true
  else if b * snd weight <? a * fst other then Some false
  else if sharp <=? Z.min (fst weight) (fst other) then exactly t
  else None.

(** Place by place from t on: the bounds of what lies inside, and of what lies outside. *)
Fixpoint far_sums (a b : Z) (exactly : Z -> option bool) (t : Z) (ws os : list (Z * Z)) (i i' o o' : Z) :
  Z * Z * Z * Z :=
  match ws, os with
  | w :: ws', q :: os' =>
      match decided a b exactly t w q with
      | Some true => far_sums a b exactly (t + 1) ws' os' (i + fst w) (i' + snd w) o o'
      | Some false => far_sums a b exactly (t + 1) ws' os' i i' (o + fst w) (o' + snd w)
      | None => far_sums a b exactly (t + 1) ws' os' i (i' + snd w) o (o' + snd w)
      end
  | _, _ => (i, i', o, o')
  end.

(** By the exact ratio of the weights at t and at t - n. *)
Definition by_product (nu : noise) (a b : Z) (n : nat) (is_up : bool) (t : Z) : option bool :=
  match exact_product nu t n with
  | Some (x, d) => Some (if is_up then a * x <=? b * d else a * d <=? b * x)
  | None => None
  end.

(** For the shift j, or -j, and the ratio a / b to the power j. *)
Definition far_bounds (nu : noise) (v : window) (a b : Z) (j : Z) (is_up : bool) : Z * Z * Z * Z :=
  let n := Z.to_nat j in
  let a' := a ^ j in
  let b' := b ^ j in
  let exactly := by_product nu a' b' n is_up in
  if is_up then far_sums a' b' exactly (first v - 1) (moved v n) (here v n) 0 0 0 0
  else far_sums a' b' exactly (first v - 1) (here v n) (moved v n) 0 0 0 0.

Definition far_within (nu : noise) (v : window) (a b : Z) (delta : Q) (j : Z) (is_up : bool) : bool :=
  let '(i, i', o, o') := far_bounds nu v a b j is_up in negb (i + o =? 0) && share_at_most i' o delta.

Definition far_beyond (nu : noise) (v : window) (a b : Z) (delta : Q) (j : Z) (is_up : bool) : bool :=
  let '(i, i', o, o') := far_bounds nu v a b j is_up in negb (i + o =? 0) && negb (share_at_most i o' delta).

Definition smooth_within (nu : noise) (v : window) (a b : Z) (delta : Q) (j : Z) : bool :=
  far_within nu v a b delta j true && far_within nu v a b delta j false.

Definition check_smooth_enclosed (nu : noise) (k : Z) (l : level) (delta : Q) (proved : bool) (shown : witness) :
  bool :=
  level_is_posed l delta && (1 <=? k) &&
  match proved, shown with
  | true, Simple (Bits bits) =>
      match noise_window (Z.to_nat bits) nu, ratio_below l (Bits bits) with
      | Some v, Some (a, b) => (0 <=? a) && forallb (smooth_within nu v a b delta) (worst_shifts nu k)
      | _, _ => false
      end
  | false, By j (Bits bits) =>
      match noise_window (Z.to_nat bits) nu, ratio_above l (Bits bits) with
      | Some v, Some (a, b) =>
          negb (j =? 0) && (Z.abs j <=? k) && (0 <=? a) && far_beyond nu v a b delta (Z.abs j) (0 <? j)
      | _, _ => false
      end
  | _, _ => false
  end.

Open Scope R_scope.

Section far.

Variables (v : window) (w : Z -> R) (c : R) (j : nat) (s s' : Z) (a b : Z) (exactly : Z -> option bool).
Hypothesis enclosed : encloses v w c.
Hypothesis first_shift : (0 <= s <= Z.of_nat j)%Z.
Hypothesis second_shift : (0 <= s' <= Z.of_nat j)%Z.
Hypothesis positive : (0 < b)%Z.
Hypothesis nonneg : (0 <= a)%Z.

Definition is_far (t : Z) : Prop := IZR a * shifted w s' t <= IZR b * shifted w s t.

Hypothesis exact : forall t x, exactly t = Some x -> 0 < shifted w s t -> 0 < shifted w s' t ->
  if x then is_far t else ~ is_far t.

Definition place (t : Z) : option bool := decided a b exactly t (bounds_at v (t - s)) (bounds_at v (t - s')).
Definition is_inside (t : Z) : bool := match place t with Some true => true | _ => false end.
Definition is_outside (t : Z) : bool := match place t with Some false => true | _ => false end.
Definition low_at (t : Z) : R := IZR (fst (bounds_at v (t - s))).
Definition high_at (t : Z) : R := IZR (snd (bounds_at v (t - s))).

Lemma far_sums_are n : forall t i i' o o',
  let '(p, p', q, q') := far_sums a b exactly t (map (fun t => bounds_at v (t - s)) (listed_from t n))
    (map (fun t => bounds_at v (t - s')) (listed_from t n)) i i' o o' in
  IZR p = IZR i + total (filter is_inside (listed_from t n)) low_at /\
  IZR p' = IZR i' + total (filter (fun t => negb (is_outside t)) (listed_from t n)) high_at /\
  IZR q = IZR o + total (filter is_outside (listed_from t n)) low_at /\
  IZR q' = IZR o' + total (filter (fun t => negb (is_inside t)) (listed_from t n)) high_at.
Proof.
  induction n as [| n IH]; intros t i i' o o'; [simpl; repeat split; ring |]. rewrite listed_cons.
  cbn [map filter far_sums].
  fold (place t). assert (E1 : is_inside t = match place t with Some true => true | _ => false end) by reflexivity.
  assert (E2 : is_outside t = match place t with Some false => true | _ => false end) by reflexivity.
  rewrite E1, E2. destruct (place t) as [[|] |]; cbn [negb];
  match goal with |- context [far_sums a b exactly ?t ?x ?y ?p ?q ?r ?z] =>
    specialize (IH t p q r z); destruct (far_sums a b exactly t x y p q r z) as [[[p1 p2] p3] p4] end;
  destruct IH as [-> [-> [-> ->]]]; cbn [total]; unfold low_at, high_at; rewrite ?plus_IZR; repeat split; ring.
Qed.

Lemma bounds_at_both t : 0 <= IZR (fst (bounds_at v t)) <= c * w t /\ c * w t <= IZR (snd (bounds_at v t)).
Proof. apply (bounds_everywhere v w c enclosed). Qed.

Lemma place_inside t : is_inside t = true -> is_far t.
Proof.
  unfold is_inside, place, decided. assert (C := unit_positive v w c enclosed).
  assert (P := IZR_lt _ _ positive). assert (N := IZR_le _ _ nonneg).
  destruct (bounds_at_both (t - s)) as [[L0 L] U], (bounds_at_both (t - s')) as [[L0' L'] U'].
  destruct (Z.leb_spec (a * snd (bounds_at v (t - s'))) (b * fst (bounds_at v (t - s)))) as [H | _].
  - intros _. apply IZR_le in H. rewrite !mult_IZR in H. unfold is_far, shifted.
    apply Rmult_le_reg_l with c; [exact C |]. apply (Rmult_le_compat_l (IZR a)) in U'; [| lra].
    apply (Rmult_le_compat_l (IZR b)) in L; lra.
  - destruct (_ <? _)%Z; [discriminate |].
    destruct (Z.leb_spec sharp (Z.min (fst (bounds_at v (t - s))) (fst (bounds_at v (t - s'))))) as [M | _];
      [| discriminate].
    destruct (exactly t) as [[|] |] eqn:X; try discriminate. intros _.
    assert (S := two_positive 16). fold sharp in S.
    apply (exact t true X); unfold shifted; apply Rmult_lt_reg_l with c; try exact C; rewrite Rmult_0_r.
    + apply Rlt_le_trans with (IZR (fst (bounds_at v (t - s)))); [apply (IZR_lt 0); lia | exact L].
    + apply Rlt_le_trans with (IZR (fst (bounds_at v (t - s')))); [apply (IZR_lt 0); lia | exact L'].
Qed.

Lemma place_outside t : is_outside t = true -> ~ is_far t.
Proof.
  unfold is_outside, place, decided. assert (C := unit_positive v w c enclosed).
  assert (P := IZR_lt _ _ positive). assert (N := IZR_le _ _ nonneg).
  destruct (bounds_at_both (t - s)) as [[L0 L] U], (bounds_at_both (t - s')) as [[L0' L'] U'].
  destruct (_ <=? _)%Z; [discriminate |].
  destruct (Z.ltb_spec (b * snd (bounds_at v (t - s))) (a * fst (bounds_at v (t - s')))) as [H | _].
  - intros _ F. apply IZR_lt in H. rewrite !mult_IZR in H. unfold is_far, shifted in F.
    apply (Rmult_le_compat_l (IZR a)) in L'; [| lra]. apply (Rmult_le_compat_l (IZR b)) in U; [| lra].
    apply (Rmult_le_compat_l c) in F; lra.
  - destruct (Z.leb_spec sharp (Z.min (fst (bounds_at v (t - s))) (fst (bounds_at v (t - s'))))) as [M | _];
      [| discriminate].
    destruct (exactly t) as [[|] |] eqn:X; try discriminate. intros _.
    assert (S := two_positive 16). fold sharp in S.
    apply (exact t false X); unfold shifted; apply Rmult_lt_reg_l with c; try exact C; rewrite Rmult_0_r.
    + apply Rlt_le_trans with (IZR (fst (bounds_at v (t - s)))); [apply (IZR_lt 0); lia | exact L].
    + apply Rlt_le_trans with (IZR (fst (bounds_at v (t - s')))); [apply (IZR_lt 0); lia | exact L'].
Qed.

(** All places on a side are decided like one. *)
Lemma place_clip t : place (clip v j t) = place t.
Proof.
  assert (F := first_after_last v). assert (S := two_positive 16). fold sharp in S.
  assert (Small : forall x y u u', decided a b exactly x (0%Z, u) (0%Z, u') = decided a b exactly y (0%Z, u) (0%Z, u')).
  { intros x y u u'. unfold decided. cbn [fst snd]. rewrite (proj2 (Z.leb_gt sharp (Z.min 0 0))) by lia. reflexivity. }
  unfold clip, place. destruct (Z_lt_le_dec t (first v - 1)) as [L | L];
    [| destruct (Z_lt_le_dec (last_place v + 1 + Z.of_nat j) t) as [M | M]].
  - replace (Z.max _ _) with (first v - 1)%Z by lia. rewrite !bounds_below by lia. apply Small.
  - replace (Z.max _ _) with (last_place v + 1 + Z.of_nat j)%Z by lia. rewrite !bounds_above by lia. apply Small.
  - replace (Z.max _ _) with t by lia. reflexivity.
Qed.

(** The weights of distinct outcomes whose places are among some. *)
Lemma class_sum (T : Z -> bool) l :
  NoDup l -> (forall t, In t l -> T (clip v j t) = true) ->
  c * total l (shifted w s) <= total (filter T (places v j)) high_at.
Proof.
  intros N H. assert (C := unit_positive v w c enclosed). rewrite (total_by_class (clip v j)), <- total_scal.
  eapply Rle_trans; [| apply (total_incl (nodup same (map (clip v j) l)))].
  - apply total_le. intros x Ix. apply nodup_In, in_map_iff in Ix. destruct Ix as [t [<- It]].
    destruct (clip_bounds v w c j enclosed s s' (clip v j t) first_shift second_shift (clip_in_places v j t))
      as [_ [U _]].
    specialize (U (filter (in_class (clip v j) (clip v j t)) l) (NoDup_filter _ N)).
    apply Rmult_le_reg_l with (/ c); [apply Rinv_0_lt_compat, C |]. rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    rewrite Rmult_comm. apply U. intros x J. apply filter_In in J. destruct J as [_ E]. unfold in_class in E.
    destruct (same (clip v j x) (clip v j t)); [assumption | discriminate].
  - apply NoDup_nodup.
  - intros x Ix. apply nodup_In, in_map_iff in Ix. destruct Ix as [t [<- It]]. apply filter_In.
    split; [apply clip_in_places | apply H, It].
  - intros t _. destruct (bounds_at_both (t - s)) as [B1 B2]. unfold high_at. lra.
Qed.

Lemma low_sum (T : Z -> bool) :
  0 <= total (filter T (places v j)) low_at <= c * total (filter T (places v j)) (shifted w s).
Proof.
  split; [apply total_nonneg; intros t _; apply bounds_at_both |]. rewrite <- total_scal. apply total_le. intros t _.
  apply bounds_at_both.
Qed.

Variables (i i' o o' : Z).
Hypothesis sums : far_sums a b exactly (first v - 1) (map (fun t => bounds_at v (t - s)) (places v j))
  (map (fun t => bounds_at v (t - s')) (places v j)) 0 0 0 0 = (i, i', o, o').

Lemma sums_are :
  IZR i = total (filter is_inside (places v j)) low_at /\
  IZR i' = total (filter (fun t => negb (is_outside t)) (places v j)) high_at /\
  IZR o = total (filter is_outside (places v j)) low_at /\
  IZR o' = total (filter (fun t => negb (is_inside t)) (places v j)) high_at.
Proof.
  assert (S := far_sums_are (length (cells v) + j + 2) (first v - 1) 0 0 0 0).
  change (listed_from (first v - 1) (length (cells v) + j + 2)) with (places v j) in S. rewrite sums, !Rplus_0_l in S.
  exact S.
Qed.

Lemma far_above delta l :
  share_at_most i' o delta = true -> NoDup l -> (forall t, In t l -> is_far t) -> total l (shifted w s) <= Q2R delta.
Proof.
  intros H N I. apply share_compare in H. eapply Rle_trans; [| exact H]. clear H.
  destruct sums_are as [_ [Si [So _]]].
  assert (C := unit_positive v w c enclosed). set (X := total l (shifted w s)).
  assert (Out : forall t, In t l -> is_outside t = false).
  { intros t It. destruct (is_outside t) eqn:E; [| reflexivity]. exfalso. exact (place_outside t E (I t It)). }
  assert (X0 : 0 <= X) by (apply total_nonneg; intros; apply (weights_nonneg v w c enclosed)).
  assert (Inside : c * X <= IZR i').
  { rewrite Si. apply class_sum; [exact N |]. intros t It. unfold is_outside. rewrite place_clip. fold (is_outside t).
    rewrite (Out t It). reflexivity. }
  assert (L := low_sum is_outside). rewrite <- So in L.
  assert (Outside : IZR o <= c * (1 - X)).
  { eapply Rle_trans; [apply L |]. apply Rmult_le_compat_l; [lra |].
    assert (Z : total (l ++ filter is_outside (places v j)) (shifted w s) <= 1).
    { apply law_finite; [apply law_shifted, (law_enclosed v w c enclosed) |].
      apply product_laws.disjoint_append; [exact N | apply NoDup_filter, places_once |].
      intros t I1 I2. apply filter_In in I2. destruct I2 as [_ I2]. rewrite (Out t I1) in I2. discriminate. }
    rewrite total_app in Z. fold X in Z. lra. }
  assert (X1 : X <= 1).
  { apply law_finite; [apply law_shifted, (law_enclosed v w c enclosed) | exact N]. }
  assert (I0 : 0 <= c * X) by (apply Rmult_le_pos; lra). assert (Oz : (0 <= o)%Z) by (apply le_IZR, L).
  assert (Iz : (0 <= i')%Z) by (apply le_IZR; lra). unfold share. destruct (Z.eq_dec (i' + o) 0) as [E | E].
  - replace i' with 0%Z in * by lia. unfold Rdiv. rewrite Rmult_0_l. apply Rmult_le_reg_l with c; lra.
  - rewrite Z.max_r, plus_IZR by lia. assert (T : 0 < IZR i' + IZR o) by (rewrite <- plus_IZR; apply IZR_lt; lia).
    apply Rmult_le_reg_r with (IZR i' + IZR o); [exact T |].
    replace (IZR i' / (IZR i' + IZR o) * (IZR i' + IZR o)) with (IZR i') by (field; lra).
    assert (X * IZR o <= X * (c * (1 - X))) by (apply Rmult_le_compat_l; lra).
    assert (c * X * (1 - X) <= IZR i' * (1 - X)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma far_below delta :
  share_at_most i o' delta = false -> 0 <= Q2R delta <= 1 ->
  ~ (forall l, NoDup l -> (forall t, In t l -> is_far t) -> total l (shifted w s) <= Q2R delta).
Proof.
  intros H D All. destruct sums_are as [Si [_ [_ So]]]. set (d := Q2R delta) in *.
  assert (C := unit_positive v w c enclosed). assert (L := low_sum is_inside). rewrite <- Si in L.
  assert (Inside : IZR i <= c * d).
  { eapply Rle_trans; [apply L |]. apply Rmult_le_compat_l; [lra |]. apply All; [apply NoDup_filter, places_once |].
    intros t It. apply filter_In in It. apply place_inside, It. }
  assert (Outside : c * (1 - d) <= IZR o').
  { destruct (law_shifted w s (law_enclosed v w c enclosed)) as [_ [_ Least]].
    assert (X : 1 <= d + IZR o' / c).
    { apply Least. intros x [l [N [_ ->]]].
      replace (total l (shifted w s)) with (total (filter is_inside l) (shifted w s) +
        total (filter (fun t => negb (is_inside t)) l) (shifted w s)).
      2: { rewrite !total_filter, <- total_plus. apply total_ext. intros t _. destruct (is_inside t); simpl; ring. }
      apply Rplus_le_compat.
      - apply All; [apply NoDup_filter, N |]. intros t It. apply filter_In in It. apply place_inside, It.
      - apply Rmult_le_reg_l with c; [exact C |]. replace (c * (IZR o' / c)) with (IZR o') by (field; lra). rewrite So.
        apply class_sum; [apply NoDup_filter, N |]. intros t It. apply filter_In in It. destruct It as [_ It].
        unfold is_inside. rewrite place_clip. exact It. }
    apply (Rmult_le_compat_l c) in X; [| lra]. replace (c * (d + IZR o' / c)) with (c * d + IZR o') in X
      by (field; lra). lra. }
  assert (Z : share i o' <= d); [| apply share_compare in Z; congruence].
  assert (Oz : (0 <= o')%Z) by (apply le_IZR; eapply Rle_trans; [| exact Outside]; apply Rmult_le_pos; lra).
  assert (Iz : (0 <= i)%Z) by (apply le_IZR, L). unfold share. destruct (Z.eq_dec (i + o') 0) as [E | E].
  - replace i with 0%Z by lia. unfold Rdiv. rewrite Rmult_0_l. apply D.
  - rewrite Z.max_r, plus_IZR by lia. assert (T : 0 < IZR i + IZR o') by (rewrite <- plus_IZR; apply IZR_lt; lia).
    apply Rmult_le_reg_r with (IZR i + IZR o'); [exact T |].
    replace (IZR i / (IZR i + IZR o') * (IZR i + IZR o')) with (IZR i) by (field; lra).
    assert (d * (c * (1 - d)) <= d * IZR o') by (apply Rmult_le_compat_l; [apply D | exact Outside]).
    assert (IZR i * (1 - d) <= c * d * (1 - d)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

End far.

(** ** Both directions *)

Definition direction (j : Z) (is_up : bool) : Z := if is_up then j else (- j)%Z.

(** The outcomes with E^j w(y + j) <= w(y), of one of the two directions. *)
Definition far_at (w : Z -> R) (E : R) (j : Z) (y : Z) : Prop := E ^ Z.abs_nat j * w (y + j)%Z <= w y.

Section directions.

Variables (nu : noise) (v : window) (c : R) (a b : Z) (j : Z).
Let w := noise_mass nu.
Hypothesis posed : noise_posed nu.
Hypothesis enclosed : encloses v w c.
Hypothesis shift : (1 <= j)%Z.
Hypothesis nonneg : (0 <= a)%Z.
Hypothesis positive : (0 < b)%Z.

Definition shift_of (is_up : bool) : Z := if is_up then j else 0%Z.

Lemma far_bounds_are is_up : far_bounds nu v a b j is_up =
  far_sums (a ^ j) (b ^ j) (by_product nu (a ^ j) (b ^ j) (Z.to_nat j) is_up) (first v - 1)
    (map (fun t => bounds_at v (t - shift_of is_up)) (places v (Z.to_nat j)))
    (map (fun t => bounds_at v (t - shift_of (negb is_up))) (places v (Z.to_nat j))) 0 0 0 0.
Proof.
  unfold far_bounds. rewrite here_places, moved_places, Z2Nat.id by lia.
  assert (U : map (bounds_at v) (places v (Z.to_nat j)) = map (fun t => bounds_at v (t - 0)) (places v (Z.to_nat j))).
  { apply map_ext. intros t. f_equal. lia. }
  rewrite U. destruct is_up; reflexivity.
Qed.

Lemma powers : (0 < b ^ j)%Z /\ (0 <= a ^ j)%Z.
Proof. split; [apply Z.pow_pos_nonneg; lia | apply Z.pow_nonneg; exact nonneg]. Qed.

Lemma by_product_decides is_up t x : by_product nu (a ^ j) (b ^ j) (Z.to_nat j) is_up t = Some x ->
  0 < shifted w (shift_of is_up) t -> 0 < shifted w (shift_of (negb is_up)) t ->
  if x then is_far w (shift_of is_up) (shift_of (negb is_up)) (a ^ j) (b ^ j) t
  else ~ is_far w (shift_of is_up) (shift_of (negb is_up)) (a ^ j) (b ^ j) t.
Proof.
  unfold by_product. destruct (exact_product nu t (Z.to_nat j)) as [[y d] |] eqn:E; [| discriminate]. intros H.
  apply (f_equal (fun o => match o with Some z => z | None => false end)) in H.
  destruct (exact_product_sound nu posed _ _ _ _ E) as [D X]. rewrite Z2Nat.id in X by lia. apply IZR_lt in D.
  unfold is_far, shifted. fold w in X. set (A := IZR (a ^ j)). set (B := IZR (b ^ j)).
  destruct is_up; cbn [shift_of negb]; rewrite Z.sub_0_r; intros P Q.
  - assert (K : (a ^ j * y <= b ^ j * d)%Z <-> A * w t <= B * w (t - j)%Z).
    { assert (S : IZR d * (A * w t) = w (t - j)%Z * (A * IZR y)).
      { replace (IZR d * (A * w t)) with (A * (IZR d * w t)) by ring. rewrite X. ring. }
      split; intros L.
      - apply IZR_le in L. rewrite !mult_IZR in L. apply Rmult_le_reg_l with (IZR d); [exact D |]. rewrite S.
        replace (IZR d * (B * w (t - j)%Z)) with (w (t - j)%Z * (B * IZR d)) by ring. apply Rmult_le_compat_l;
          [lra | exact L].
      - apply le_IZR. rewrite !mult_IZR. apply Rmult_le_reg_l with (w (t - j)%Z); [exact P |]. fold A B. rewrite <- S.
        replace (w (t - j)%Z * (B * IZR d)) with (IZR d * (B * w (t - j)%Z)) by ring. apply Rmult_le_compat_l; lra. }
    destruct x; [apply K, Z.leb_le, H | rewrite <- K; apply Z.leb_gt in H; lia].
  - assert (K : (a ^ j * d <= b ^ j * y)%Z <-> A * w (t - j)%Z <= B * w t).
    { assert (S : IZR d * (B * w t) = w (t - j)%Z * (B * IZR y)).
      { replace (IZR d * (B * w t)) with (B * (IZR d * w t)) by ring. rewrite X. ring. }
      split; intros L.
      - apply IZR_le in L. rewrite !mult_IZR in L. apply Rmult_le_reg_l with (IZR d); [exact D |]. rewrite S.
        replace (IZR d * (A * w (t - j)%Z)) with (w (t - j)%Z * (A * IZR d)) by ring. apply Rmult_le_compat_l;
          [lra | exact L].
      - apply le_IZR. rewrite !mult_IZR. apply Rmult_le_reg_l with (w (t - j)%Z); [exact Q |]. fold A B. rewrite <- S.
        replace (w (t - j)%Z * (A * IZR d)) with (IZR d * (A * w (t - j)%Z)) by ring. apply Rmult_le_compat_l; lra. }
    destruct x; [apply K, Z.leb_le, H | rewrite <- K; apply Z.leb_gt in H; lia].
Qed.

Lemma shift_ranges is_up : (0 <= shift_of is_up <= Z.of_nat (Z.to_nat j))%Z.
Proof. destruct is_up; cbn [shift_of]; lia. Qed.

(** An outcome y of the law is y + j, or y, among the places. *)
Lemma far_places is_up y :
  is_far w (shift_of is_up) (shift_of (negb is_up)) (a ^ j) (b ^ j) (y + shift_of is_up)%Z <->
  IZR (a ^ j) * w (y + direction j is_up)%Z <= IZR (b ^ j) * w y.
Proof.
  unfold is_far, shifted. destruct is_up; cbn [shift_of negb direction].
  - replace (y + j - 0)%Z with (y + j)%Z by lia. replace (y + j - j)%Z with y by lia. reflexivity.
  - replace (y + 0 - j)%Z with (y + - j)%Z by lia. replace (y + 0 - 0)%Z with y by lia. reflexivity.
Qed.

Lemma total_moved s l : total l w = total (map (fun t => t + s)%Z l) (shifted w s).
Proof. rewrite total_map. apply total_ext. intros t _. unfold shifted. f_equal. lia. Qed.

Lemma power_ratio : IZR (a ^ j) = (IZR a / IZR b) ^ Z.abs_nat j * IZR (b ^ j).
Proof.
  assert (Ej : j = Z.of_nat (Z.abs_nat j)) by lia. remember (Z.abs_nat j) as n eqn:En. clear En.
  rewrite Ej, <- !pow_IZR.
  rewrite <- Rpow_mult_distr. f_equal. field. apply not_0_IZR. lia.
Qed.

Lemma abs_direction is_up : Z.abs_nat (direction j is_up) = Z.abs_nat j.
Proof. destruct is_up; cbn [direction]; lia. Qed.

Lemma far_within_sound E delta is_up :
  far_within nu v a b delta j is_up = true -> IZR a / IZR b <= E -> smooth_at w E (Q2R delta) (direction j is_up).
Proof.
  unfold far_within. rewrite far_bounds_are. destruct (far_sums _ _ _ _ _ _ _ _ _ _) as [[[i i'] o] o'] eqn:S.
  intros H HE. apply andb_true_iff in H. destruct H as [_ H]. destruct powers as [Pb Pa].
  assert (B := IZR_lt _ _ positive).
  assert (A := IZR_le _ _ nonneg). intros l N I. rewrite (total_moved (shift_of is_up)).
  apply (far_above v w c (Z.to_nat j) _ _ _ _ _ enclosed (shift_ranges is_up) (shift_ranges _) Pb Pa
    (by_product_decides is_up) i i' o o' S delta _ H).
  - apply Injective_map_NoDup; [intros x y X; lia | exact N].
  - intros t It. apply in_map_iff in It. destruct It as [y [<- Iy]]. apply far_places. specialize (I y Iy).
    rewrite abs_direction in I. rewrite power_ratio. assert (Bj := IZR_lt _ _ Pb).
    replace ((IZR a / IZR b) ^ Z.abs_nat j * IZR (b ^ j) * w (y + direction j is_up)%Z)
      with (IZR (b ^ j) * ((IZR a / IZR b) ^ Z.abs_nat j * w (y + direction j is_up)%Z)) by ring.
    apply Rmult_le_compat_l; [lra |]. eapply Rle_trans; [| exact I].
    apply Rmult_le_compat_r; [apply (weights_nonneg v w c enclosed) |]. apply pow_incr. split; [| exact HE].
    apply Rmult_le_pos; [exact A | left; apply Rinv_0_lt_compat, B].
Qed.

Lemma far_beyond_sound E delta is_up :
  far_beyond nu v a b delta j is_up = true -> 0 <= E <= IZR a / IZR b -> 0 <= Q2R delta <= 1 ->
  ~ smooth_at w E (Q2R delta) (direction j is_up).
Proof.
  unfold far_beyond. rewrite far_bounds_are. destruct (far_sums _ _ _ _ _ _ _ _ _ _) as [[[i i'] o] o'] eqn:S.
  intros H HE D Smooth. apply andb_true_iff in H. destruct H as [_ H]. apply negb_true_iff in H.
  destruct powers as [Pb Pa].
  apply (far_below v w c (Z.to_nat j) _ _ _ _ _ enclosed (shift_ranges is_up) (shift_ranges _) Pb Pa
    (by_product_decides is_up) i i' o o' S delta H D).
  intros l N I. set (m := map (fun t => t - shift_of is_up)%Z l).
  replace (total l (shifted w (shift_of is_up))) with (total m w).
  2: { unfold m. rewrite total_map. reflexivity. }
  apply Smooth; [apply Injective_map_NoDup; [intros x y X; lia | exact N] |].
  intros y Iy. apply in_map_iff in Iy. destruct Iy as [t [<- It]]. specialize (I t It).
  replace t with (t - shift_of is_up + shift_of is_up)%Z in I by lia. apply far_places in I.
  set (y := (t - shift_of is_up)%Z) in *. rewrite abs_direction. rewrite power_ratio in I. assert (Bj := IZR_lt _ _ Pb).
  apply Rle_trans with ((IZR a / IZR b) ^ Z.abs_nat j * w (y + direction j is_up)%Z).
  - apply Rmult_le_compat_r; [apply (weights_nonneg v w c enclosed) |]. apply pow_incr. exact HE.
  - apply Rmult_le_reg_l with (IZR (b ^ j)); [exact Bj |]. lra.
Qed.

End directions.

Theorem check_smooth_enclosed_sound nu k l delta proved shown :
  check_smooth_enclosed nu k l delta proved shown = true -> sound (Smooth nu k l delta) proved.
Proof.
  unfold check_smooth_enclosed. intros H. rewrite !andb_true_iff in H. destruct H as [[Hl Hk] H].
  apply level_is_posed_sound in Hl. apply Z.leb_le in Hk.
  assert (E0 : 0 < ratio l) by (destruct Hl; lra).
  assert (Power : forall j, exp (IZR (Z.abs j) * ln (ratio l)) = ratio l ^ Z.abs_nat j).
  { intros j. rewrite <- (exp_ln (ratio l) E0) at 2. rewrite exp_power, INR_IZR_INZ, Zabs2Nat.id_abs. f_equal. ring. }
  destruct proved.
  - destruct shown as [[| |bits] | | | | | | | | | | | | | | | | | | | | | |]; try discriminate H.
    destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate H].
    destruct (ratio_below l (Bits bits)) as [[a b] |] eqn:R; [| discriminate H].
    destruct (noise_window_sound _ _ _ W) as [N [c C]]. destruct (ratio_below_sound _ _ _ _ R) as [B RB].
    apply lt_IZR in B.
    rewrite andb_true_iff in H. destruct H as [Ha H]. apply Z.leb_le in Ha. rewrite forallb_forall in H.
    split; [exact (conj N (conj Hk Hl)) |]. cbn [holds].
    assert (Within : forall j, (1 <= j)%Z -> smooth_within nu v a b delta j = true ->
      smooth_at (noise_mass nu) (ratio l) (Q2R delta) j /\ smooth_at (noise_mass nu) (ratio l) (Q2R delta) (- j)).
    { intros j Hj S. unfold smooth_within in S. apply andb_true_iff in S. destruct S as [S1 S2]. split.
      - apply (far_within_sound nu v c a b j N C Hj Ha B (ratio l) delta true S1 RB).
      - apply (far_within_sound nu v c a b j N C Hj Ha B (ratio l) delta false S2 RB). }
    unfold worst_shifts in H. destruct (longest_suffices nu) eqn:LS.
    + apply (longer_smooth _ _ _ k (longest_suffices_sound nu LS N) Hk). rewrite exp_ln by exact E0.
      apply (Within k Hk (H k (or_introl eq_refl))).
    + intros j J0 J m Nm I. destruct (Within (Z.abs j)) as [S1 S2]; [lia | apply H, in_up_to; lia |].
      destruct (Z_lt_le_dec j 0) as [Neg | Nonneg].
      * replace (- Z.abs j)%Z with j in S2 by lia. apply S2; [exact Nm |]. intros y Iy. rewrite <- Power. apply I, Iy.
      * replace (Z.abs j) with j in S1 by lia. apply S1; [exact Nm |]. intros y Iy. rewrite <- Power. apply I, Iy.
  - destruct shown as [| | | | | | | | | | j [| |bits] | | | | | | | | | | | |]; try discriminate H.
    destruct (noise_window (Z.to_nat bits) nu) as [v |] eqn:W; [| discriminate H].
    destruct (ratio_above l (Bits bits)) as [[a b] |] eqn:R; [| discriminate H].
    destruct (noise_window_sound _ _ _ W) as [N [c C]]. destruct (ratio_above_sound _ _ _ _ R) as [B RB].
    apply lt_IZR in B.
    rewrite !andb_true_iff in H. destruct H as [[[J0 Jk] Ha] H]. apply negb_true_iff, Z.eqb_neq in J0.
    apply Z.leb_le in Jk, Ha.
    split; [exact (conj N (conj Hk Hl)) |]. cbn [holds]. intros Smooth.
    apply (far_beyond_sound nu v c a b (Z.abs j) N C ltac:(lia) Ha B (ratio l) delta _ H ltac:(lra) (proj2 Hl)).
    replace (direction (Z.abs j) (0 <? j)%Z) with j by (unfold direction; destruct (Z.ltb_spec 0 j); lia).
    intros m Nm I. apply (Smooth j J0 Jk m Nm). intros y Iy. rewrite Power. apply I, Iy.
Qed.

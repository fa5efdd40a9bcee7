(** Masses of the pairs of a run of noise.

    [noise_masses bits nu shift w] gives the masses of the pair that the witness w names, a shift and an order, for
    every noise law: exactly, from the pairs of weights of exact_program.v, which may be those of few classes of
    outcomes, or by enclosure, with as many bits as the witness says. [noise_masses_sound]: they are known of the run
    (known_masses.v).

    The methods masses and enclosed_masses of Run in exactdp/checker/composed.py are these programs.
    Source: docs/certificates.md, "composed". *)

From Coq Require Import ZArith QArith Qreals Reals List Lia Lra Bool.
From Exactdp Require Import sums masses shifts smooth_noise_privacy fixed_point uniform_ends.
From Exactdp Require Import steps_one_sided geometric_noise.
From ExactdpChecker Require Import claims witnesses posed exact_program aligned_pairs class_events listed_laws
  listed_noise
  stepped_laws exact_laws windows enclosed_divergences noise_windows known_masses.
From Exactdp Require Import merged.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

Definition rounded (bits : nat) (T : Z) (xy : Z * Z) :
  Z * Z := (lower_units bits T (fst xy), upper_units bits T (snd xy)).

(** Of the first law the lower bounds, over no less than all, and of the second one the upper bounds, over no more. *)
Fixpoint enclosed_masses (bits : nat) (most least : Z) (ps qs : list (Z * Z)) (seen : list (Z * Z)) : list (Z * Z) :=
  match ps, qs with
  | (p, _) :: ps', (_, q') :: qs' =>
      enclosed_masses bits most least ps' qs' ((lower_units bits most p, upper_units bits least q') :: seen)
  | _, _ => seen
  end.

Fixpoint sums_of_bounds (ps : list (Z * Z)) (least most : Z) : Z * Z :=
  match ps with
  | [] => (least, most)
  | (p, p') :: rest => sums_of_bounds rest (least + p) (most + p')
  end.

Definition window_masses (bits : nat) (v : window) (j : nat) (forward : bool) : option (list (Z * Z)) :=
  let here := here v j in
  let moved := moved v j in
  let (least, most) := sums_of_bounds here 0 0 in
  if 0 <? least then Some (if forward then enclosed_masses bits most least here moved []
                           else enclosed_masses bits most least moved here [])
  else None.

Definition noise_masses (bits : nat) (nu : noise) (shift : Z) (w : witness) : option (list (Z * Z)) :=
  match w with
  | ShiftOrder j forward p =>
      if (1 <=? j) && (j <=? shift) then
        match p with
        | Exactly =>
            match exact_law_of nu with
            | Some law => let (pairs, T) := pairs_of law j in Some (map (rounded bits T) (ordered forward pairs))
            | None => None
            end
        | Bits b =>
            match noise_window (Z.to_nat b) nu with
            | Some v => window_masses bits v (Z.to_nat j) forward
            | None => None
            end
        | _ => None
        end
      else None
  | _ => None
  end.

(** ** Exactly *)

Open Scope R_scope.

Lemma mass_at_least {A} (D : A -> R) S p : mass_of D S p -> at_least D S p.
Proof. intros [_ L] c Hc. apply L. intros s [l [N [I ->]]]. apply Hc; assumption. Qed.

Lemma mass_at_most {A} (D : A -> R) S p : mass_of D S p -> at_most D S p.
Proof. intros [U _] l N I. apply U. exists l. auto. Qed.

Lemma mass_nonneg {A} (D : A -> R) S p : mass_of D S p -> 0 <= p.
Proof. intros [U _]. apply U. exists []. split; [constructor | split; [intros a [] | reflexivity]]. Qed.

Lemma over_nonneg n T : (0 < T)%Z -> 0 <= IZR n / IZR T -> (0 <= n)%Z.
Proof.
  intros HT H. assert (T0 := IZR_lt _ _ HT). apply le_IZR. apply (Rmult_le_compat_r (IZR T)) in H; [| lra].
  replace (IZR n / IZR T * IZR T) with (IZR n) in H by (field; lra). lra.
Qed.

Lemma classed_known bits nu shift c d pairs T : run_posed (NoiseRun nu shift) -> (Z.abs (c - d) <= shift)%Z ->
  classed pairs T (shifted (noise_mass nu) c) (shifted (noise_mass nu) d) ->
  known_run bits (NoiseRun nu shift) (map (rounded bits T) pairs).
Proof.
  intros Posed Hcd [HT [h [ks [f [g [N [-> H]]]]]]]. rewrite map_map. cbn [rounded fst snd].
  assert (T0 := IZR_lt _ _ HT).
  apply (known_noise bits nu shift c d h ks (fun k => lower_units bits T (f k)) (fun k => upper_units bits T (g k))
    Posed Hcd N).
  intros k I. destruct (H k I) as [HP HQ].
  assert (F0 := over_nonneg _ _ HT (mass_nonneg _ _ _ HP)). assert (G0 := over_nonneg _ _ HT (mass_nonneg _ _ _ HQ)).
  split; [apply lower_units_nonneg; assumption | split; [apply upper_units_nonneg; assumption | split]].
  - apply (at_least_lower _ _ (IZR (f k) / IZR T)); [| apply mass_at_least, HP].
    apply lower_part; [exact HT |]. apply Req_le. field. lra.
  - apply (at_most_higher _ _ (IZR (g k) / IZR T)); [| apply mass_at_most, HQ].
    apply upper_part; [exact HT |]. apply Req_le. field. lra.
Qed.

Lemma classed_ext pairs T P Q P' Q' :
  (forall t, P t = P' t) -> (forall t, Q t = Q' t) -> classed pairs T P Q -> classed pairs T P' Q'.
Proof.
  intros EP EQ [HT [h [ks [f [g [N [-> H]]]]]]]. split; [exact HT |]. exists h, ks, f, g.
  split; [exact N | split; [reflexivity |]]. intros k I. destruct (H k I) as [A B].
  assert (Same : forall (D D' : Z -> R) S p, (forall t, D t = D' t) -> mass_of D S p -> mass_of D' S p).
  { intros D D' S p E [U L]. split.
    - intros s [l [Nl [Il ->]]]. apply U. exists l. split; [exact Nl | split; [exact Il |]]. symmetry. apply total_ext.
      auto.
    - intros x Hx. apply L. intros s [l [Nl [Il ->]]]. apply Hx. exists l. split; [exact Nl | split; [exact Il |]].
      apply total_ext. auto. }
  split; [apply (Same P) | apply (Same Q)]; assumption.
Qed.

Lemma mass_of_one (w : Z -> R) t : (forall s, 0 <= w s) -> mass_of w (fun s => s = t) (w t).
Proof.
  intros H. replace (w t) with (total [t] w) by (simpl; ring). apply (mass_of_ext w (fun s => In s [t])).
  - intros s. simpl. intuition congruence.
  - apply mass_of_finite; [exact H | constructor; [intros [] | constructor]].
Qed.

Lemma listed_classed l T v j : lists l T v -> law v -> classed (align j l l []) T v (shifted v j).
Proof.
  intros Lists L. destruct (listed_pairs l T v Lists j) as [ks [N [Al _]]]. destruct Lists as [_ [HT W]].
  assert (T0 := IZR_lt _ _ HT).
  split; [exact HT |]. exists (fun t => t), ks, (weight_at l), (fun t => weight_at l (t - j)).
  split; [exact N | split; [exact Al |]]. intros k _. rewrite !W. split.
  - replace (IZR T * v k / IZR T) with (v k) by (field; lra). apply mass_of_one, L.
  - replace (IZR T * v (k - j)%Z / IZR T) with (shifted v j k) by (unfold shifted; field; lra).
    apply mass_of_one. intros s. apply L.
Qed.

Lemma mass_of_run (w : Z -> R) (S : Z -> Prop) first count p : (forall t, 0 <= w t) ->
  (forall t, S t <-> (first <= t < first + Z.of_nat count)%Z) -> (forall t, S t -> w t = p) ->
  mass_of w S (INR count * p).
Proof.
  intros H HS V. rewrite <- (total_run_const first count p w) by (intros t I; apply V, HS, I).
  apply (mass_of_ext w (fun t => In t (integers_from first count))); [intros t; rewrite in_run, HS; reflexivity |].
  apply mass_of_finite; [exact H | apply run_NoDup].
Qed.

Lemma uniform_classed low high j : (low <= high)%Z -> (1 <= j)%Z ->
  let (pairs, T) := pairs_of (Uniform low high) j in
  classed pairs T (uniform_on low high) (shifted (uniform_on low high) j).
Proof.
  intros H J. cbn [pairs_of]. set (T := (high - low + 1)%Z). set (m := Z.min j T).
  assert (HT : (0 < T)%Z) by (unfold T; lia).
  assert (Pos := uniform_nonneg low high H). assert (Pos' : forall t, 0 <= shifted (uniform_on low high) j t)
    by (intros t; apply Pos).
  assert (In1 : forall t, (low <= t <= high)%Z -> uniform_on low high t = / IZR T) by apply uniform_inside.
  assert (Out := uniform_outside low high).
  set (h := fun t => if (Z.leb low t && Z.ltb t (low + m))%bool then 0%Z else
    if (Z.leb (low + m) t && Z.leb t high)%bool then 1%Z else
    if (Z.leb (high + j - m + 1) t && Z.leb t (high + j))%bool then 2%Z else 3%Z).
  assert (Cells : forall t, (h t = 0%Z <-> (low <= t < low + m)%Z) /\ (h t = 1%Z <-> (low + m <= t <= high)%Z) /\
    (h t = 2%Z <-> (high + j - m + 1 <= t <= high + j)%Z)).
  { intros t. unfold h, m, T in *. destruct (Z.leb_spec low t), (Z.ltb_spec t (low + Z.min j (high - low + 1))); simpl;
      destruct (Z.leb_spec (low + Z.min j (high - low + 1)) t), (Z.leb_spec t high); simpl;
      destruct (Z.leb_spec (high + j - Z.min j (high - low + 1) + 1) t), (Z.leb_spec t (high + j)); simpl; lia. }
  split; [exact HT |].
  exists h, [0; 1; 2]%Z, (fun k => if Z.eqb k 0 then m else if Z.eqb k 1 then T - m else 0)%Z,
    (fun k => if Z.eqb k 0 then 0 else if Z.eqb k 1 then T - m else m)%Z.
  split; [repeat constructor; simpl; intuition lia | split; [reflexivity |]].
  assert (Part : forall n, (0 <= n)%Z -> IZR n / IZR T = INR (Z.to_nat n) * / IZR T)
    by (intros n Hn; rewrite INR_IZR_INZ, Z2Nat.id by exact Hn; reflexivity).
  assert (None : 0 / IZR T = 0) by (unfold Rdiv; ring).
  intros k [<- | [<- | [<- | []]]]; cbn [Z.eqb Pos.eqb]; rewrite ?None, ?Part by (unfold m, T; lia); split.
  - apply (mass_of_run _ _ low); [exact Pos | intros t; rewrite (proj1 (Cells t)); unfold m, T; lia |].
    intros t I. apply Cells in I. apply In1. unfold m, T in I. lia.
  - apply mass_of_zero. intros t I. apply Cells in I. apply Out. unfold m, T in I. lia.
  - apply (mass_of_run _ _ (low + m)); [exact Pos | intros t; rewrite (proj1 (proj2 (Cells t))); unfold m, T; lia |].
    intros t I. apply Cells in I. apply In1. unfold m, T in I. lia.
  - apply (mass_of_run _ _ (low + m)); [exact Pos' | intros t; rewrite (proj1 (proj2 (Cells t))); unfold m, T; lia |].
    intros t I. apply Cells in I. apply In1. unfold m, T in I. lia.
  - apply mass_of_zero. intros t I. apply Cells in I. apply Out. unfold m, T in I. lia.
  - apply (mass_of_run _ _ (high + j - m + 1)); [exact Pos' | intros t; rewrite (proj2 (proj2 (Cells t))); unfold m, T;
      lia |].
    intros t I. apply Cells in I. apply In1. unfold m, T in I. lia.
Qed.

Theorem exact_law_classed nu law j : exact_law_of nu = Some law -> (1 <= j)%Z ->
  let (pairs, T) := pairs_of law j in classed pairs T (noise_mass nu) (shifted (noise_mass nu) j).
Proof.
  intros E J. destruct (exact_law_posed nu law E) as [P L]. destruct law as [l T | c d | c d | low high].
  - apply exact_law_listed in E. destruct E as [_ E]. apply listed_classed; [exact E |].
    apply laws_of_noise.noise_law, P.
  - destruct (exact_law_one_sided nu c d E) as [B ->]. replace j with (Z.of_nat (S (Z.to_nat j - 1))) by lia.
    apply one_sided_classed, B.
  - destruct (exact_law_two_sided nu c d E) as [B ->]. replace j with (Z.of_nat (S (Z.to_nat j - 1))) by lia.
    apply two_sided_classed; lia.
  - destruct (exact_law_uniform nu low high E) as [H ->]. apply uniform_classed; assumption.
Qed.

(** ** By enclosure *)

Lemma enclosed_masses_map bits most least (P Q : Z -> Z * Z) ks : forall seen,
  enclosed_masses bits most least (map P ks) (map Q ks) seen =
  rev (map (fun k => (lower_units bits most (fst (P k)), upper_units bits least (snd (Q k)))) ks) ++ seen.
Proof.
  induction ks as [| k ks IH]; intros seen; [reflexivity |]. cbn [map enclosed_masses].
  destruct (P k) as [p p'] eqn:EP, (Q k) as [q q'] eqn:EQ. rewrite IH. cbn [rev fst snd]. rewrite <- app_assoc.
  reflexivity.
Qed.

Lemma sums_of_bounds_value (P : Z -> Z * Z) ks : forall a b,
  IZR (fst (sums_of_bounds (map P ks) a b)) = IZR a + total ks (fun k => IZR (fst (P k))) /\
  IZR (snd (sums_of_bounds (map P ks) a b)) = IZR b + total ks (fun k => IZR (snd (P k))).
Proof.
  induction ks as [| k ks IH]; intros a b; [simpl; split; ring |]. cbn [map sums_of_bounds total].
  destruct (P k) as [p p'] eqn:EP. destruct (IH (a + p)%Z (b + p')%Z) as [-> ->]. rewrite !plus_IZR. cbn [fst snd].
  split; ring.
Qed.

Theorem window_masses_known bits v nu shift j forward c0 masses :
  noise_posed nu -> encloses v (noise_mass nu) c0 -> (1 <= j <= shift)%Z ->
  window_masses bits v (Z.to_nat j) forward = Some masses -> known_run bits (NoiseRun nu shift) masses.
Proof.
  intros Posed En Hj. assert (Reach : (1 <= shift)%Z) by lia. unfold window_masses. set (n := Z.to_nat j). rewrite here_places, moved_places.
  assert (S := sums_of_bounds_value (bounds_at v) (places v n) 0 0).
  destruct (sums_of_bounds (map (bounds_at v) (places v n)) 0 0) as [least most]. cbn [fst snd] in S.
  rewrite !Rplus_0_l in S.
  destruct S as [Least Most]. destruct (Z.ltb_spec 0 least) as [HL |]; [| discriminate].
  assert (Low := low_total v _ c0 n En). assert (High := high_total v _ c0 n En). rewrite <- Least in Low.
  rewrite <- Most in High.
  assert (C := unit_positive v _ c0 En). assert (HM : (0 < most)%Z) by (apply lt_IZR; lra).
  assert (B := bounds_everywhere v _ c0 En).
  assert (Known : forall s s', (0 <= s <= Z.of_nat n)%Z -> (0 <= s' <= Z.of_nat n)%Z ->
    known_run bits (NoiseRun nu shift) (map (fun k => (lower_units bits most (fst (bounds_at v (k - s))),
      upper_units bits least (snd (bounds_at v (k - s'))))) (rev (places v n)))).
  { intros s s' Hs Hs'.
    apply (known_noise bits nu shift s s' (clip v n) (rev (places v n))
      (fun k => lower_units bits most (fst (bounds_at v (k - s)))) (fun k =>
        upper_units bits least (snd (bounds_at v (k - s'))))
      (conj Posed Reach)); [unfold n in *; lia | apply NoDup_rev, places_once |].
    intros k I. apply in_rev in I. destruct (B (k - s)%Z) as [[B0 B1] _], (B (k - s')%Z) as [_ B4].
    destruct (clip_bounds v _ c0 n En s' s k Hs' Hs I) as [_ [Up _]].
    assert (Here : clip v n k = k) by (apply in_places in I; unfold clip; lia).
    assert (V := proj1 (laws_of_noise.noise_law nu Posed)). assert (W2 := V (k - s')%Z).
    assert (P2 : 0 <= c0 * noise_mass nu (k - s')) by (apply Rmult_le_pos; lra).
    split; [| split; [| split]].
    - apply lower_units_nonneg; [exact HM |]. apply le_IZR, B0.
    - apply upper_units_nonneg; [exact HL |]. apply le_IZR. lra.
    - intros x Hx. specialize (Hx [k] ltac:(constructor; [intros [] | constructor])). simpl in Hx.
      rewrite Rplus_0_r in Hx.
      eapply Rle_trans; [| apply Hx; intros u [<- | []]; exact Here].
      apply lower_part; [exact HM |]. eapply Rle_trans; [exact B1 |]. unfold shifted. apply Rmult_le_compat_r;
        [apply V | lra].
    - apply (at_most_higher _ _ (IZR (snd (bounds_at v (k - s'))) / c0)); [| exact Up].
      apply upper_part; [exact HL |]. assert (F : 0 <= IZR (snd (bounds_at v (k - s'))) / c0).
      { apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, C]. }
      apply Rle_trans with (c0 * (IZR (snd (bounds_at v (k - s'))) / c0)); [| apply Req_le; field; lra].
      apply Rmult_le_compat_r; lra. }
  intros E. injection E as <-.
  assert (Same : map (bounds_at v) (places v n) = map (fun t => bounds_at v (t - 0)) (places v n)).
  { apply map_ext. intros t. symmetry. apply unmoved. }
  destruct forward; rewrite Same, enclosed_masses_map, app_nil_r, <- map_rev; apply Known; unfold n; lia.
Qed.

Theorem noise_masses_known bits nu shift w masses :
  noise_masses bits nu shift w = Some masses -> known_run bits (NoiseRun nu shift) masses.
Proof.
  unfold noise_masses. destruct w; try discriminate. rename shift0 into j. destruct (_ && _)%bool eqn:G;
    [| discriminate].
  apply andb_true_iff in G. destruct G as [J1 J2]. apply Z.leb_le in J1, J2. destruct p as [| | b]; [| discriminate |].
  - destruct (exact_law_of nu) as [law |] eqn:E; [| discriminate]. assert (Posed := proj1 (exact_law_posed nu law E)).
    assert (X := exact_law_classed nu law j E J1). destruct (pairs_of law j) as [pairs T]. intros H. injection H as <-.
    apply (classed_in_order forward) in X.
    assert (Zero : forall t, noise_mass nu t = shifted (noise_mass nu) 0 t) by (intros t; symmetry; apply not_shifted).
    destruct forward; [apply (classed_known bits nu shift 0 j) | apply (classed_known bits nu shift j 0)];
      try exact (conj Posed (Z.le_trans _ _ _ J1 J2)); try lia; revert X; apply classed_ext; auto.
  - destruct (noise_window (Z.to_nat b) nu) as [v |] eqn:W; [| discriminate].
    destruct (noise_window_sound _ _ _ W) as [Posed [c0 C]]. apply (window_masses_known bits v nu shift j forward c0);
      [exact Posed | exact C | lia].
Qed.

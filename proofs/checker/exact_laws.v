(** What [exact_law_of] gives decides privacy, smoothness and intervals of a noise law.

    If [exact_law_of nu] is a law of exact_program.v, then the parameters of nu are in their domains and

    - [exact_law_pairs]: for every j >= 1 the pairs of [pairs_of] decide privacy and smoothness of Y and Y + j, in the
      sense of aligned_pairs.v, in both orders;
    - [interval_share_sound]: the share of an interval is its probability.

    Idea: listings (listed_laws.v), constant ratios (stepped_laws.v); a uniform law and the same moved have a run of
    outcomes each of its own, and are equal on the rest ([uniform_pairs]).

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Permutation Lra Lia Bool.
From Exactdp Require Import sums masses product_laws shifts geometric_noise steps_one_sided uniform_ends.
From ExactdpChecker Require Import claims posed exact_program aligned_pairs listed_laws listed_noise stepped_laws.
Import ListNotations.
Open Scope R_scope.

Definition decided_by (law : exact_law) (w : Z -> R) : Prop :=
  (forall t, 0 <= w t) /\ forall (j : Z) (forward : bool), (1 <= j)%Z -> let (pairs, T) := pairs_of law j in
  measured (ordered forward pairs) T (if forward then w else shifted w j) (if forward then shifted w j else w) /\
  located (ordered forward pairs) T (if forward then w else shifted w j) (if forward then shifted w j else w).

(** ** Uniform laws *)

(** Two laws of equal weights on runs: one of P alone, and one that they share. *)
Lemma runs_pairs (P Q : Z -> R) (first common : Z) (alone shared : nat) (T : Z) :
  T = (Z.of_nat alone + Z.of_nat shared)%Z -> (0 < T)%Z ->
  (first + Z.of_nat alone <= common \/ common + Z.of_nat shared <= first)%Z ->
  (forall t, 0 <= P t) -> (forall t, 0 <= Q t) ->
  (forall t, In t (integers_from first alone) -> P t = / IZR T /\ Q t = 0) ->
  (forall t, In t (integers_from common shared) -> P t = / IZR T /\ Q t = / IZR T) ->
  (forall t, ~ In t (integers_from first alone) -> ~ In t (integers_from common shared) -> P t = 0) ->
  let m := Z.of_nat alone in let pairs := [(m, 0); (T - m, T - m); (0, m)]%Z in
  measured pairs T P Q /\ located pairs T P Q.
Proof.
  intros ET HT Apart HP HQ A B O. cbv zeta. assert (TR : 0 < IZR T) by (apply (IZR_lt 0), HT).
  set (ks := integers_from first alone ++ integers_from common shared).
  set (g := fun t => if (Z.leb first t && Z.ltb t (first + Z.of_nat alone))%bool then 0%Z else 1%Z).
  assert (GA : forall t, In t (integers_from first alone) -> g t = 0%Z).
  { intros t I. apply in_run in I. unfold g. rewrite (proj2 (Z.leb_le _ _)), (proj2 (Z.ltb_lt _ _)) by lia.
    reflexivity. }
  assert (GB : forall t, In t (integers_from common shared) -> g t = 1%Z).
  { intros t I. apply in_run in I. unfold g. destruct (Z.leb_spec first t), (Z.ltb_spec t (first + Z.of_nat alone));
      simpl; try reflexivity; lia. }
  assert (N : NoDup ks).
  { apply disjoint_append; try apply run_NoDup. intros t I J. apply in_run in I. apply in_run in J. lia. }
  assert (F : forall t, In t ks -> IZR 1 = IZR T * P t).
  { intros t I. apply in_app_or in I. destruct I as [I | I]; [destruct (A t I) as [-> _] | destruct (B t I) as [-> _]];
      field; lra. }
  assert (G : forall t, In t ks -> IZR (g t) = IZR T * Q t).
  { intros t I. apply in_app_or in I. destruct I as [I | I].
    - rewrite (GA t I). destruct (A t I) as [_ ->]. ring.
    - rewrite (GB t I). destruct (B t I) as [_ ->]. field. lra. }
  assert (Zero : forall t, ~ In t ks -> P t = 0).
  { intros t I. apply O; intros J; apply I, in_or_app; auto. }
  assert (M := measured_on Z.eq_dec P Q ks T (fun _ => 1%Z) g N HT HP HQ F G Zero).
  assert (L := located_on Z.eq_dec P Q ks T (fun _ => 1%Z) g N HT HP HQ F G Zero).
  assert (Sum : forall H : Z * Z -> R, total (map (fun t => (1%Z, g t)) ks) H =
    INR alone * H (1%Z, 0%Z) + INR shared * H (1%Z, 1%Z)).
  { intros H. rewrite total_map. unfold ks. rewrite total_app.
    rewrite (total_run_const first alone (H (1%Z, 0%Z))) by (intros t I; rewrite GA by apply in_run, I; reflexivity).
    rewrite (total_run_const common shared (H (1%Z, 1%Z))) by (intros t I; rewrite GB by apply in_run, I; reflexivity).
    reflexivity. }
  assert (ES : IZR (T - Z.of_nat alone) = INR shared) by (rewrite INR_IZR_INZ; f_equal; lia).
  assert (EA : IZR (Z.of_nat alone) = INR alone) by (symmetry; apply INR_IZR_INZ).
  assert (PA := pos_INR alone). assert (PS := pos_INR shared).
  assert (C : counted [(Z.of_nat alone, 0); (T - Z.of_nat alone, T - Z.of_nat alone); (0, Z.of_nat alone)]%Z).
  { intros xy [<- | [<- | [<- | []]]]; simpl; lia. }
  split; (split; [exact HT | split; [exact C |]]).
  - destruct M as [_ [_ M]]. intros E delta HE Hd. rewrite M by assumption. rewrite Sum. unfold total, gap.
    cbn [fst snd].
    rewrite ES, EA. replace (IZR 1 - E * IZR 0) with 1 by ring.
    replace (INR alone - E * IZR 0) with (INR alone) by ring.
    assert (0 <= E * INR alone) by (apply Rmult_le_pos; lra).
    assert (1 * INR shared <= E * INR shared) by (apply Rmult_le_compat_r; lra).
    rewrite (Rmax_right 0 1), (Rmax_right 0 (INR alone)), (Rmax_left 0 (IZR 0 - _)), (Rmax_left 0 (IZR 1 - _)),
      (Rmax_left 0 (INR shared - _)) by lra. split; intros; lra.
  - destruct L as [_ [_ L]]. intros R0 delta HR Hd. rewrite L by assumption. rewrite Sum. unfold total, kept.
    cbn [fst snd].
    rewrite ES, EA, !Rmult_0_r, !Rmult_1_r.
    destruct (Rle_dec 0 1); [| lra]. destruct (Rle_dec 0 (INR alone)); [| lra].
    assert (X : INR shared * (if Rle_dec R0 1 then 1 else 0) =
      if Rle_dec (R0 * INR shared) (INR shared) then INR shared else 0).
    { destruct (Rle_dec R0 1) as [H | H], (Rle_dec (R0 * INR shared) (INR shared)) as [H' | H']; try ring.
      - exfalso. apply H'. assert (R0 * INR shared <= 1 * INR shared) by (apply Rmult_le_compat_r; lra). lra.
      - destruct (Req_dec (INR shared) 0) as [E | E]; [lra |]. exfalso. apply H.
        apply Rmult_le_reg_r with (INR shared); lra. }
    rewrite X. destruct (Rle_dec (R0 * INR alone) 0); split; intros; lra.
Qed.

Lemma uniform_pairs low high : (low <= high)%Z -> decided_by (Uniform low high) (uniform_on low high).
Proof.
  intros H. split; [apply uniform_nonneg, H |]. intros j forward J. unfold pairs_of. set (T := (high - low + 1)%Z).
  set (m := Z.min j T).
  assert (Pos := uniform_nonneg low high H). assert (Pos' : forall t, 0 <= shifted (uniform_on low high) j t)
    by (intros t; apply Pos).
  assert (In1 : forall t, (low <= t <= high)%Z -> uniform_on low high t = / IZR T) by apply uniform_inside.
  assert (Out := uniform_outside low high). unfold ordered. destruct forward.
  - replace m with (Z.of_nat (Z.to_nat m)) by (unfold m, T; lia).
    apply (runs_pairs _ _ low (low + m) (Z.to_nat m) (Z.to_nat (T - m))); try assumption; try (unfold m, T; lia);
      intros t I; try (apply in_run in I); unfold shifted.
    + split; [apply In1 | apply Out]; unfold m, T in *; lia.
    + split; apply In1; unfold m, T in *; lia.
    + intros I'. rewrite in_run in I, I'. apply Out. unfold m, T in *. lia.
  - replace m with (Z.of_nat (Z.to_nat m)) by (unfold m, T; lia). cbn [map swap fst snd].
    assert (X := runs_pairs (shifted (uniform_on low high) j) (uniform_on low high) (high + j - m + 1) (low + j)
      (Z.to_nat m) (Z.to_nat (T - m)) T). cbv zeta in X.
    destruct X as [[HT [C M]] [_ [_ L]]]; try assumption; try (unfold m, T; lia);
      try (intros t I; try (apply in_run in I); unfold shifted).
    + split; [apply In1 | apply Out]; unfold m, T in *; lia.
    + split; apply In1; unfold m, T in *; lia.
    + intros I'. rewrite in_run in I, I'. apply Out. unfold m, T in *. lia.
    + split; (split; [exact HT | split; [intros xy I; apply C; simpl in *; tauto |]]).
      * intros E delta HE Hd. rewrite M by assumption. unfold swap. simpl. split; intros; lra.
      * intros E delta HE Hd. rewrite L by assumption. unfold swap. simpl. split; intros; lra.
Qed.

(** ** All of them *)

Lemma exact_law_posed nu law : exact_law_of nu = Some law -> noise_posed nu /\ law_of nu = Some law.
Proof.
  unfold exact_law_of. destruct (noise_is_posed nu) eqn:P; [| discriminate]. intros E.
  split; [apply noise_is_posed_sound, P |]. destruct (law_of nu) as [[l T | | |] |]; try exact E; try discriminate.
  destruct (ascends l && Z.ltb 0 T)%bool; [exact E | discriminate].
Qed.

Lemma exact_law_uniform nu low high :
  exact_law_of nu = Some (Uniform low high) -> (low <= high)%Z /\ noise_mass nu = uniform_on low high.
Proof.
  intros E. destruct (exact_law_posed _ _ E) as [P L].
  destruct nu as [| | | | r p | p | e | | mu | lo hi]; simpl in L; try discriminate; try (destruct p; discriminate);
    try (destruct p1, p2; discriminate); try (destruct p; try discriminate; destruct (Z.eqb _ _); discriminate);
    try (destruct mu; try discriminate; destruct (Z.eqb _ _); discriminate); try (destruct e; discriminate).
  injection L as -> ->. split; [exact P | reflexivity].
Qed.

Lemma Q2R_parts q : Q2R q = IZR (Qnum q) / IZR (Zpos (Qden q)).
Proof. reflexivity. Qed.

Lemma exact_law_one_sided nu c d :
  exact_law_of nu = Some (OneSided c d) -> (0 <= c < d)%Z /\ noise_mass nu = one_sided (IZR c / IZR d).
Proof.
  intros E. destruct (exact_law_posed _ _ E) as [P L].
  destruct nu as [| | | | r p | p | e | | mu |]; simpl in L; try discriminate; try (destruct p; discriminate);
    try (destruct p1, p2; discriminate); try (destruct p; try discriminate; destruct (Z.eqb _ _); discriminate);
    try (destruct mu; try discriminate; destruct (Z.eqb _ _); discriminate); try (destruct e; discriminate).
  destruct p as [p | | | | | |]; try discriminate. destruct (Z.eqb (Qnum p) 0); [discriminate |].
  injection L as <- <-. simpl in P. destruct P as [_ B]. split; [| reflexivity].
  rewrite Q2R_parts in B. assert (D : 0 < IZR (Zpos (Qden p))) by (apply (IZR_lt 0); lia).
  assert (X : IZR (Qnum p) = IZR (Qnum p) / IZR (Zpos (Qden p)) * IZR (Zpos (Qden p))) by (field; lra).
  split; [apply le_IZR | apply lt_IZR]; rewrite X.
  - apply Rmult_le_pos; lra.
  - assert (Y := Rmult_lt_compat_r _ _ _ D (proj2 B)). lra.
Qed.

Lemma exact_law_two_sided nu c d :
  exact_law_of nu = Some (TwoSided c d) -> (0 < c < d)%Z /\ noise_mass nu = geometric (IZR c / IZR d).
Proof.
  intros E. destruct (exact_law_posed _ _ E) as [P L].
  destruct nu as [| | | | r p | p | e | | mu |]; simpl in L; try discriminate; try (destruct p; discriminate);
    try (destruct p1, p2; discriminate); try (destruct p; try discriminate; destruct (Z.eqb _ _); discriminate);
    try (destruct mu; try discriminate; destruct (Z.eqb _ _); discriminate).
  destruct e as [e | | | | | |]; try discriminate. injection L as <- <-. simpl in P. destruct P as [_ B].
  rewrite Q2R_parts in B. assert (D : 0 < IZR (Zpos (Qden e))) by (apply (IZR_lt 0); lia).
  assert (X : IZR (Qnum e) = IZR (Qnum e) / IZR (Zpos (Qden e)) * IZR (Zpos (Qden e))) by (field; lra).
  assert (Y := Rmult_lt_compat_r _ _ _ D B). assert (N : (Zpos (Qden e) < Qnum e)%Z) by (apply lt_IZR; lra).
  split; [lia |]. cbn [noise_mass value].
  replace (/ Q2R e) with (IZR (Zpos (Qden e)) / IZR (Qnum e)) by (rewrite Q2R_parts; field; lra). reflexivity.
Qed.

Theorem exact_law_pairs nu law : exact_law_of nu = Some law -> noise_posed nu /\ decided_by law (noise_mass nu).
Proof.
  intros E. destruct (exact_law_posed nu law E) as [P L]. split; [exact P |].
  destruct law as [l T | c d | c d | low high].
  - apply exact_law_listed in E. destruct E as [_ E]. split; [apply (listed_nonneg l T), E |].
    intros j forward _. apply listed_measured, E.
  - destruct (exact_law_one_sided nu c d E) as [B ->]. split; [apply one_sided_nonneg, x_below_1, B |].
    intros j forward J.
    replace j with (Z.of_nat (S (Z.to_nat j - 1))) by lia. apply (one_sided_pairs c d (Z.to_nat j - 1)), B.
  - destruct (exact_law_two_sided nu c d E) as [B ->].
    split; [intros t; left; apply geometric_pos, (x_positive c d); lia |]. intros j forward J.
    replace j with (Z.of_nat (S (Z.to_nat j - 1))) by lia. apply (two_sided_pairs c d (Z.to_nat j - 1)); lia.
  - destruct (exact_law_uniform nu low high E) as [H ->]. apply uniform_pairs, H.
Qed.

(** ** Intervals *)

Lemma is_inside_iff first last y :
  is_inside first last y = true <-> (forall a, first = Some a -> (a <= y)%Z) /\ (forall b, last = Some b -> (y <= b)%Z).
Proof.
  unfold is_inside. rewrite andb_true_iff. destruct first as [a |], last as [b |]; rewrite ?Z.leb_le;
    split; intros [H1 H2]; split; try (intros ? E; injection E as <-); try (intros ? E; discriminate); auto.
Qed.

Theorem interval_share_sound nu law first last s T :
  exact_law_of nu = Some law -> interval_share law first last = Some (s, T) ->
  (0 < T)%Z /\ mass_of (noise_mass nu)
    (fun y => (forall a, first = Some a -> (a <= y)%Z) /\ (forall b, last = Some b -> (y <= b)%Z)) (IZR s / IZR T).
Proof.
  intros E S. enough (X : (0 < T)%Z /\
    mass_of (noise_mass nu) (fun y => is_inside first last y = true) (IZR s / IZR T)).
  { destruct X as [HT X]. split; [exact HT |]. revert X. apply mass_of_ext. intros y. apply is_inside_iff. }
  destruct law as [l U | | | low high]; simpl in S; try discriminate.
  - injection S as <- <-. apply exact_law_listed in E. destruct E as [_ E]. split; [apply E |].
    apply listed_share, E.
  - injection S as <- <-. destruct (exact_law_uniform nu low high E) as [P ->]. split; [lia |].
    assert (N := run_NoDup low (Z.to_nat (high - low + 1))).
    set (start := match first with Some a => Z.max low a | None => low end).
    set (stop := match last with Some b => Z.min high b | None => high end).
    replace (IZR (count_inside first last low high) / IZR (high - low + 1))
      with (total (filter (is_inside first last) (integers_from low (Z.to_nat (high - low + 1))))
        (uniform_on low high)).
    + apply (mass_of_finite_support Z.eq_dec); [apply uniform_nonneg, P | exact N |].
      intros t O. apply uniform_outside. intros I. apply O, in_run. lia.
    + set (ins := integers_from start (Z.to_nat (count_inside first last low high))).
      replace (total (filter _ _) _) with (total ins (uniform_on low high)).
      * unfold ins. rewrite (total_run_const _ _ (/ IZR (high - low + 1))).
        -- rewrite INR_IZR_INZ, Z2Nat.id by (unfold count_inside; lia). reflexivity.
        -- intros t I. apply uniform_inside. unfold count_inside in I. fold start stop in I.
           assert (start >= low)%Z by (unfold start; destruct first; lia).
           assert (stop <= high)%Z by (unfold stop; destruct last; lia). lia.
      * apply total_permutation, NoDup_Permutation; [apply run_NoDup | apply NoDup_filter, N |]. intros t.
        rewrite filter_In. unfold ins. rewrite !in_run, is_inside_iff. unfold count_inside. fold start stop. split.
        -- intros I. assert (B : (start <= t <= stop)%Z) by lia. unfold start, stop in B.
           split; [destruct first, last; lia |]. split; intros z ->; lia.
        -- intros [I [F G]]. assert (B : (start <= t <= stop)%Z); [| lia]. unfold start, stop.
           destruct first as [a |], last as [b |]; try specialize (F _ eq_refl); try specialize (G _ eq_refl); lia.
Qed.

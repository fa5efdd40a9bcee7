(** The pairs of inputs of one randomizer with a dummy, told by any way to describe.

    [kinds_told]: the kinds of beside_kinds.v, and those of fair_bits.v for unary encoding whose dummy is fair bits that its own
    are not; those that have less than the masses of messages, or those that tell more. [kinds_told_right]: the latter
    bound what every pair of inputs shows beside every row. [kinds_told_attained]: each of the former is of inputs that
    there are, and exactly so where no numbers of ones are merged ([tells_fewer]).

    Source: docs/certificates.md, "Other families". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy hockey_stick events adding_a_user mean_excess hidden_message blanket classes.
From Exactdp Require Import shuffler absent_users least_values single_message k_ary_classes unary_classes subset_classes
  hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket described_pairs family_rows laws_of_noise
  laplace_table product_pairs.
From ExactdpChecker Require Import absence_laws away_rows participation_rows described_beside described_bounds told_most beside_kinds beside_kinds_checked
  fair_bits likelihood_program likelihood_bound.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.

(** ** The program *)

(** Unary encoding, where who is away sends fair bits and who is not others. *)
Definition fair_encoding (ra : randomizer * absence) : option (Z * Q * Q) :=
  match ra with
  | (Family (UnaryEncoding d p c), HiddenUniformly) => if Qeq_bool c (1 # 2) then None else Some (d, p, c)
  | _ => None
  end.

Definition kinds_told (less : bool) (ra : randomizer * absence) : option (list kind_beside) :=
  match fair_encoding ra with
  | Some (d, p, c) => Some (fair_kinds p c (few_inputs d) less)
  | None => kinds_beside ra
  end.

(** Whether some numbers of ones are not told. *)
Definition tells_fewer (ra : randomizer * absence) : bool :=
  match fair_encoding ra with
  | Some (d, _, c) => negb (all_ones_told c (few_inputs d))
  | None => false
  end.

Open Scope R_scope.

(** ** What is right *)

(** What is told exactly is told by any. *)
Lemma exactly_told_right (T : description) {A} (row : nat -> dist A) d U kinds full : describing T -> (0 < d)%nat ->
  (forall v, (v < d)%nat -> proper (row v)) -> proper U -> beside_right row d U kinds full -> told_right T row d U kinds.
Proof.
  intros De D Pr PU [[c [Below Each]] _]. exists c. split; [exact Below |]. intros x y X Y.
  destruct (Each x y X Y) as [k [K [Same [B O]]]]. exists k. repeat (split; [assumption |]).
  assert (Sub : forall v, (v < d)%nat -> sub_law (row v)) by (intros v V; exact (proj1 (Pr v V))). split.
  - apply (of_exact T De); auto; [exact (proj1 (Below x X)) | exact (proj1 PU)].
  - intros v V. destruct (O v V) as [o [J H]]. exists o. split; [exact J |].
    apply (of_exact T De); auto. exact (proj1 PU).
Qed.

Lemma exactly_told_attained (T : description) {A} (row : nat -> dist A) d U kinds : describing T ->
  (forall v, (v < d)%nat -> proper (row v)) -> proper U -> beside_right row d U kinds true -> told_attained T row d U kinds.
Proof.
  intros De Pr PU [_ At] k o K J. destruct (At eq_refl k o K J) as [x [y [v [[X [Y V]] H]]]]. exists x, y, v.
  split; [auto |]. assert (Sub : forall v, (v < d)%nat -> sub_law (row v)) by (intros w W; exact (proj1 (Pr w W))).
  apply (of_exact T De); auto. exact (proj1 PU).
Qed.

(** *** Of each randomizer *)

Lemma fair_shown d p c : (2 <= d)%Z ->
  let r := Family (UnaryEncoding d p c) in let show := fun m : list bool => seen (Patterns [m]) in
  (forall m m', show m = show m' -> m = m') /\
  (forall v, (v < Z.to_nat d)%nat -> same_law (dmap show (unary_encoding (Z.to_nat d) (Q2R p) (Q2R c) v)) (outcome r v)) /\
  same_law (dmap show (fair_dummy (Z.to_nat d))) (dummy r HiddenUniformly).
Proof.
  intros D r show. split; [| split].
  - intros m m' E. injection E. auto.
  - intros v V. exact (shown_alone Patterns d (unary_encoding (Z.to_nat d) (Q2R p) (Q2R c)) v V).
  - intros F. unfold r, show, fair_dummy. cbn [dummy uniform_message]. rewrite !mean_dmap. reflexivity.
Qed.

Section each.

Variables (r : randomizer) (a : absence) (less : bool) (kinds : list kind_beside).
Hypothesis is_posed : randomizer_posed r.
Hypothesis list_posed : randomizer_posed (listed_randomizer r).
Hypothesis dummy_posed : absence_posed r a.
Hypothesis is_hidden : hides a.
Hypothesis told : kinds_told less (r, a) = Some kinds.

Lemma outcomes_proper v : (v < input_count r)%nat -> proper (outcome r v).
Proof. intros _. apply proper_outcome, is_posed. Qed.

Lemma kinds_exact : fair_encoding (r, a) = None -> beside_right (outcome r) (input_count r) (dummy r a) kinds (is_full (r, a)).
Proof.
  intros F. unfold kinds_told in told. rewrite F in told. apply kinds_beside_right; assumption.
Qed.

Theorem kinds_told_right : less = false -> told_right (@describes_most) (outcome r) (input_count r) (dummy r a) kinds.
Proof.
  intros L. destruct (fair_encoding (r, a)) as [[[d p] c] |] eqn:F.
  - unfold kinds_told in told. rewrite F, L in told. injection told as <-.
    unfold fair_encoding in F. destruct r as [t | []]; try discriminate. destruct a; try discriminate.
    destruct (Qeq_bool other (1 # 2)); [discriminate |]. injection F as <- <- <-. rewrite fair_kinds_few. destruct is_posed as [D [C P]].
    destruct (fair_shown inputs one other D) as [Inj [Shown Du]].
    apply (told_right_renamed (@describes_most) (fun m => seen (Patterns [m])) (unary_encoding (Z.to_nat inputs) (Q2R one) (Q2R other))
      _ (Z.to_nat inputs) (fair_dummy (Z.to_nat inputs)) _ _ describing_most Inj); try assumption.
    + intros v _. assert (Pv : proper (unary_encoding (Z.to_nat inputs) (Q2R one) (Q2R other) v)) by (apply unary_proper; lra).
      exact (proj1 Pv).
    + apply fair_right; tauto || lia.
  - apply (exactly_told_right _ _ _ _ _ (is_full (r, a)) describing_most).
    + apply input_count_positive, is_posed.
    + exact outcomes_proper.
    + apply proper_dummy; assumption.
    + apply kinds_exact, F.
Qed.

Theorem kinds_told_attained : less = true -> is_full (r, a) = true ->
  told_attained (@describes_less) (outcome r) (input_count r) (dummy r a) kinds /\
  (tells_fewer (r, a) = false -> told_attained (@describes_beside) (outcome r) (input_count r) (dummy r a) kinds).
Proof.
  intros L Full. unfold tells_fewer. destruct (fair_encoding (r, a)) as [[[d p] c] |] eqn:F.
  - unfold kinds_told in told. rewrite F, L in told. injection told as <-.
    unfold fair_encoding in F. destruct r as [t | []]; try discriminate. destruct a; try discriminate.
    destruct (Qeq_bool other (1 # 2)); [discriminate |]. injection F as <- <- <-. rewrite fair_kinds_few. destruct is_posed as [D [C P]].
    destruct (fair_shown inputs one other D) as [Inj [Shown Du]]. split.
    + apply (told_attained_renamed (@describes_less) (fun m => seen (Patterns [m])) (unary_encoding (Z.to_nat inputs) (Q2R one) (Q2R other))
        _ (Z.to_nat inputs) (fair_dummy (Z.to_nat inputs)) _ _ describing_less Inj); try assumption.
      unfold told_attained. apply (fair_attained one other (Z.to_nat inputs) ltac:(lia) _ true).
      intros. apply (classes_told one other (Z.to_nat inputs) (conj C P) ltac:(lia) true); assumption.
    + intros All. rewrite all_ones_few in All. apply negb_false_iff in All.
      apply (told_attained_renamed (@describes_beside) (fun m => seen (Patterns [m])) (unary_encoding (Z.to_nat inputs) (Q2R one) (Q2R other))
        _ (Z.to_nat inputs) (fair_dummy (Z.to_nat inputs)) _ _ describing_exactly Inj); try assumption.
      unfold told_attained. apply (fair_attained one other (Z.to_nat inputs) ltac:(lia) _ true).
      intros. apply (exact_classes_told one other (Z.to_nat inputs) (conj C P) ltac:(lia) true); assumption.
  - assert (K := kinds_exact F). rewrite Full in K.
    split; [| intros _]; apply exactly_told_attained; try assumption; try apply describing_less; try apply describing_exactly;
      try exact outcomes_proper; apply proper_dummy; assumption.
Qed.

End each.

(** ** Of one randomizer *)

(** Beside others: each of the classes has less than the masses of messages, at any score. *)
Definition others_less {A} (row : nat -> dist A) (d : nat) (pair : input_pair) : Prop :=
  forall classes, In classes (of_others pair) ->
  exists x y v, (x < d)%nat /\ (y < d)%nat /\ (v < d)%nat /\
    forall at_ratio step, scored_less at_ratio step (row x) (row y) (row v) classes.

Lemma Q2R_over a b : Q2R (a / b) = Q2R a / Q2R b.
Proof.
  destruct (Req_dec (Q2R b) 0) as [Z | N]; [| apply Q2R_divided, N].
  assert (Bz : (b == 0)%Q) by (apply eqR_Qeq; rewrite Z, Q2R_0; reflexivity).
  assert (E : (a / b == 0)%Q) by (unfold Qdiv; rewrite Bz; unfold Qinv; simpl; ring).
  rewrite (Qeq_eqR _ _ E), Z, Q2R_0. unfold Rdiv. rewrite Rinv_0. ring.
Qed.

Lemma floor_real x : Qround.Qfloor x = (up (Q2R x) - 1)%Z.
Proof.
  assert (L := Qle_Rle _ _ (Qround.Qfloor_le x)). assert (U := Qlt_Rlt _ _ (Qround.Qlt_floor x)).
  rewrite Q2R_Z in L, U. rewrite plus_IZR in U.
  assert (T := tech_up (Q2R x) (Qround.Qfloor x + 1)). rewrite plus_IZR in T. specialize (T ltac:(lra) ltac:(lra)). lia.
Qed.

Section mixed.

Context {A : Type} (q : Q) (P Q D U P' Q' D' : dist A) (classes : list beside).
Hypothesis often : 0 < Q2R q < 1.
Hypothesis mixed_first : forall f, mean P' f = Q2R q * mean P f + (1 - Q2R q) * mean U f.
Hypothesis mixed_second : forall f, mean Q' f = Q2R q * mean Q f + (1 - Q2R q) * mean U f.
Hypothesis mixed_reference : forall f, mean D' f = Q2R q * mean D f + (1 - Q2R q) * mean U f.

Variables at_ratio step : QArith_base.Q.

Definition real_score (k : class) : Z :=
  (up ((first_mass k - Q2R at_ratio * second_mass k) / reference_mass k / Q2R step) - 1)%Z.

Lemma real_score_value k : score_of at_ratio step k = real_score (real_class k).
Proof.
  unfold score_of, real_score. rewrite floor_real. do 2 f_equal. rewrite !Q2R_over, Q2R_minus, Q2R_mult. reflexivity.
Qed.

Lemma mixed_score_free : scale_free (fun k => IZR (real_score (mixed_masses q k))).
Proof.
  intros c k C. f_equal. unfold real_score. f_equal. f_equal. f_equal.
  unfold mixed_masses, times_beside, times, first_mass, second_mass, reference_mass. cbn [fst snd].
  set (r := Q2R q * snd (fst k) + (1 - Q2R q) * snd k).
  replace (Q2R q * (c * snd (fst k)) + (1 - Q2R q) * (c * snd k)) with (c * r) by (unfold r; ring).
  destruct (Req_dec r 0) as [-> | N].
  - rewrite Rmult_0_r. unfold Rdiv. rewrite Rinv_0. ring.
  - field. split; [exact N | lra].
Qed.

Theorem mixed_scored_less : describes_less P Q D U classes -> scored_less at_ratio step P' Q' D' (map (mixed_class q) classes).
Proof.
  intros [Nn [_ [label Less]]].
  assert (Mixed : forall s k, In k classes -> 0 <= Q2R q * side_mass s (real_beside k) + (1 - Q2R q) * snd (real_beside k)).
  { intros s k I. assert (A0 := Nn s k I). assert (A1 := Nn Instead k I). cbn [side_mass] in A1.
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra. }
  assert (Value : forall k, Q2R (under_first (mixed_class q k)) = Q2R q * side_mass First (real_beside k) + (1 - Q2R q) * snd (real_beside k) /\
    Q2R (under_second (mixed_class q k)) = Q2R q * side_mass Second (real_beside k) + (1 - Q2R q) * snd (real_beside k) /\
    Q2R (under_reference (mixed_class q k)) = Q2R q * side_mass Others (real_beside k) + (1 - Q2R q) * snd (real_beside k)).
  { intros k. assert (E := mixed_real q k). unfold real_class in E at 1. injection E as E1 E2 E3. auto. }
  split.
  { intros k' I. apply in_map_iff in I. destruct I as [k [<- I]]. destruct (Value k) as [-> [-> ->]]. auto. }
  set (v := fun a => real_score (mixed_masses q (label a))). exists v.
  assert (Each : forall s (mass_of : rational_class -> QArith_base.Q) (law' : dist A),
    (forall k, Q2R (mass_of (mixed_class q k)) = Q2R q * side_mass s (real_beside k) + (1 - Q2R q) * snd (real_beside k)) ->
    (forall f, mean law' f = Q2R q * mean (side_law s P Q D U) f + (1 - Q2R q) * mean U f) ->
    forall f, (forall z, 0 <= f z) ->
    total (filter least_values.covered (map (mixed_class q) classes)) (fun k => Q2R (mass_of k) * f (score_of at_ratio step k)) <=
    mean law' (fun a => f (v a))).
  { intros s mass_of law' HM HL f F. set (g := fun k : class * R => f (real_score (mixed_masses q k))).
    assert (Gs : scale_free g).
    { intros c k C. unfold g. f_equal. apply eq_IZR, (mixed_score_free c k C). }
    apply Rle_trans with (total classes (fun k => (Q2R q * side_mass s (real_beside k) + (1 - Q2R q) * snd (real_beside k)) * g (real_beside k))).
    - rewrite total_filter, total_map. apply total_le. intros k I.
      assert (E : f (score_of at_ratio step (mixed_class q k)) = g (real_beside k))
        by (unfold g; rewrite real_score_value, mixed_real; reflexivity).
      rewrite E, HM. destruct (least_values.covered _); [apply Rle_refl |].
      apply Rmult_le_pos; [apply Mixed, I | apply F].
    - rewrite HL. rewrite (total_ext classes _ (fun k => Q2R q * (side_mass s (real_beside k) * g (real_beside k)) +
        (1 - Q2R q) * (side_mass Instead (real_beside k) * g (real_beside k)))) by (intros k _; cbn [side_mass]; ring).
      rewrite total_plus, !total_scal, <- !(total_map real_beside classes (fun k => side_mass _ k * g k)).
      apply Rplus_le_compat; apply Rmult_le_compat_l; try lra;
        [apply (Less s g (fun k => F _) Gs) | apply (Less Instead g (fun k => F _) Gs)]. }
  intros ml I. cbn [In] in I. destruct I as [<- | [<- | [<- | []]]]; cbn [fst snd].
  - apply (Each First); [intros k; apply Value | exact mixed_first].
  - apply (Each Second); [intros k; apply Value | exact mixed_second].
  - apply (Each Others); [intros k; apply Value | exact mixed_reference].
Qed.

End mixed.

Section one.

Context {A : Type} (row : nat -> dist A) (d : nat) (U : dist A) (kinds : list kind_beside) (q : Q).
Hypothesis often : 0 < Q2R q < 1.
Hypothesis rows_proper : forall v, (v < d)%nat -> proper (row v).
Hypothesis dummy_proper : proper U.

Let mixed (D : dist A) : dist (list A) := away (Q2R q) (sent D) (sent U).

Lemma mixed_proper D : proper D -> proper (mixed D).
Proof. intros P. apply proper_away; [lra | apply proper_sent, P | apply proper_sent, dummy_proper]. Qed.

Theorem kinds_pairs_most : told_right (@describes_most) row d U kinds -> pairs_most (fun x => mixed (row x)) d (kinds_pairs q kinds).
Proof.
  intros [c [Below Each]].
  assert (Mixed : forall (P Q D : dist A) classes, sub_law (mixed D) -> describes_most P Q D U classes ->
    weight (mixed D) = Q2R (sum_of (map under_reference (map (mixed_class q) classes))) /\
    tells_most (mixed P) (mixed Q) (mixed D) (map (mixed_class q) classes)).
  { intros P Q D classes S H. assert (H' := of_renamed _ describing_most _ _ (fun m : A => [m]) P Q D U classes single_injective H).
    split; [apply (mixed_weight q (sent P) (sent Q) (sent D) (sent U) (mixed P) (mixed Q) (mixed D) classes) |
      apply (mixed_tells_most q (sent P) (sent Q) (sent D) (sent U))]; try exact H'; try exact S; intros f; apply mean_away. }
  split; [intros v V; apply mixed_proper, rows_proper, V |]. exists (mixed c).
  assert (Below' : forall v, (v < d)%nat -> lies_below (mixed c) (mixed (row v)))
    by (intros v V; apply away_below; [lra | apply below_sent, Below, V | apply proper_sent, dummy_proper]).
  split; [exact Below' |]. intros x y X Y. destruct (Each x y X Y) as [k [K [Same [B O]]]].
  destruct (snd k) eqn:Eq.
  - left. intros f. unfold mixed, sent. rewrite !mean_away, !mean_dmap, (Same eq_refl). reflexivity.
  - right. eexists. split; [apply in_map, filter_In; split; [exact K | rewrite Eq; reflexivity] |]. cbn [of_blanket of_others].
    destruct (Mixed _ _ c _ (proj1 (Below' x X)) B) as [W T]. split; [exact W |]. split; [exact T |].
    intros v V. destruct (O v V) as [o [J H]]. exists (map (mixed_class q) o). split; [apply in_map, J |].
    apply (Mixed _ _ (row v) _ (proj1 (mixed_proper _ (rows_proper v V))) H).
Qed.

Theorem kinds_pairs_less pair : told_attained (@describes_less) row d U kinds -> In pair (kinds_pairs q kinds) ->
  others_less (fun x => mixed (row x)) d pair.
Proof.
  intros At I classes J. apply in_map_iff in I. destruct I as [k [<- I]]. apply filter_In in I. destruct I as [I _].
  cbn [of_others] in J. apply in_map_iff in J. destruct J as [o [<- J]].
  destruct (At k o I J) as [x [y [v [[X [Y V]] H]]]]. exists x, y, v. repeat (split; [assumption |]). intros at_ratio step.
  apply (mixed_scored_less q (sent (row x)) (sent (row y)) (sent (row v)) (sent U)); try exact often; try (intros f; apply mean_away).
  apply (of_renamed _ describing_less _ _ (fun m : A => [m])); [apply single_injective | exact H].
Qed.

Theorem kinds_pairs_attained pair : told_attained (@describes_beside) row d U kinds -> In pair (kinds_pairs q kinds) ->
  others_attained (fun x => mixed (row x)) d pair.
Proof.
  intros At I classes J. apply in_map_iff in I. destruct I as [k [<- I]]. apply filter_In in I. destruct I as [I _].
  cbn [of_others] in J. apply in_map_iff in J. destruct J as [o [<- J]].
  destruct (At k o I J) as [x [y [v [[X [Y V]] H]]]]. exists x, y, v. repeat (split; [assumption |]).
  apply described_tells; [exact (proj1 (mixed_proper _ (rows_proper v V))) |].
  apply (mixed_describes q (sent (row x)) (sent (row y)) (sent (row v)) (sent U)); try (intros f; apply mean_away).
  apply describes_beside_renamed; [apply single_injective | exact H].
Qed.

End one.

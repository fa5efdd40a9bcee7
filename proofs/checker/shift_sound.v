(** What the programs accept of shift_dp is true.

    - [check_shift_exact_sound]: a count plus noise that is listed exactly, both verdicts, all shifts and both orders,
      with "least": a smaller delta, or a smaller e^eps, will not do, or one that is named will;
    - [check_shift_pure_sound]: discrete Laplace noise by its ratio alone, without a listing.

    Idea: aligned_pairs.v decides a pair of laws at a rational; the level lies on the right side of it.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals sums masses shifts hockey_stick geometric_noise lipschitz.
From ExactdpChecker Require Import claims witnesses kinds levels posed.
From ExactdpChecker Require Import exact_program aligned_pairs exact_laws noise_privacy_program.
Import ListNotations.
Open Scope R_scope.

Lemma all_from_iff count j f :
  all_from count j f = true <-> forall i, (j <= i < j + Z.of_nat count)%Z -> f i = true.
Proof.
  revert j. induction count as [| count IH]; intros j.
  - split; [intros _ i I; lia | reflexivity].
  - cbn [all_from]. rewrite andb_true_iff, IH. split.
    + intros [H1 H2] i I. destruct (Z.eq_dec i j) as [-> | N]; [exact H1 | apply H2; lia].
    + intros H. split; [apply H; lia | intros i I; apply H; lia].
Qed.

Lemma all_shifts_iff most f : all_shifts most f = true <-> forall i, (1 <= i <= most)%Z -> f i = true.
Proof.
  unfold all_shifts. rewrite all_from_iff. split; intros H i I; apply H; lia.
Qed.

Lemma with_law_true nu f : with_law nu f = true -> exists law, exact_law_of nu = Some law /\ f law = true.
Proof. unfold with_law. destruct (exact_law_of nu) as [law |]; [eauto | discriminate]. Qed.

Lemma at_ratio_true r f : at_ratio r f = true -> exists a b, r = Some (a, b) /\ f a b = true.
Proof. unfold at_ratio. destruct r as [[a b] |]; [eauto | discriminate]. Qed.

Lemma fits_no_bits l p : fits l p = true -> forall b, p <> Bits b.
Proof. destruct l, p; simpl; intros H ? X; discriminate. Qed.

Section decided.

Variables (law : exact_law) (w : Z -> R) (a b : Z) (delta : Q).
Hypothesis decided : decided_by law w.
Hypothesis b_positive : (0 < b)%Z.
Hypothesis at_least_1 : (b <= a)%Z.
Hypothesis delta_nonneg : 0 <= Q2R delta.

Notation first forward j := (if forward : bool then w else shifted w j).
Notation second forward j := (if forward : bool then shifted w j else w).

Lemma order_measured j forward : (1 <= j)%Z ->
  measured (ordered forward (fst (pairs_of law j))) (snd (pairs_of law j)) (first forward j) (second forward j) /\
  located (ordered forward (fst (pairs_of law j))) (snd (pairs_of law j)) (first forward j) (second forward j).
Proof. intros J. assert (D := proj2 decided j forward J). destruct (pairs_of law j). exact D. Qed.

Lemma order_iff j forward : (1 <= j)%Z ->
  (is_at_most (compare_divergence law j forward a b delta) = true <->
   mass_below (first forward j) (second forward j) (IZR a / IZR b) (Q2R delta)).
Proof. intros J. apply compare_sound; try assumption. apply order_measured, J. Qed.

Lemma private_at_iff most :
  private_at law most a b delta = true <-> shift_private w most (IZR a / IZR b) (Q2R delta).
Proof.
  unfold private_at, shift_private. rewrite all_shifts_iff.
  split; intros H j J; specialize (H j J); [apply andb_true_iff in H | apply andb_true_iff]; destruct H as [F B]; split.
  - apply (order_iff j true ltac:(lia)), F.
  - apply (order_iff j false ltac:(lia)), B.
  - apply (order_iff j true ltac:(lia)), F.
  - apply (order_iff j false ltac:(lia)), B.
Qed.

Lemma private_in_order most E d j forward :
  (1 <= j <= most)%Z -> shift_private w most E d -> mass_below (first forward j) (second forward j) E d.
Proof. intros J H. destruct (H j J). destruct forward; assumption. Qed.

Lemma attained_least most j forward wanted :
  (1 <= j <= most)%Z -> attained law j forward a b delta wanted = true ->
  nothing_smaller wanted (shift_private w most) (IZR a / IZR b) (Q2R delta).
Proof.
  intros J H. apply andb_true_iff in H. destruct H as [E S]. destruct (order_measured j forward ltac:(lia)) as [M _].
  destruct wanted; simpl; [exact I | |].
  - intros d Hd P. apply (private_in_order most _ _ j forward J) in P. revert P.
    apply (attained_delta _ _ law j forward a b delta); assumption.
  - intros F HF P. apply (private_in_order most _ _ j forward J) in P. revert P.
    apply (attained_ratio _ _ law j forward a b delta); assumption.
Qed.

Lemma far_iff j forward : (1 <= j)%Z ->
  (is_at_most (compare_far law j forward a b delta) = true <->
   far_below (first forward j) (second forward j) ((IZR a / IZR b) ^ Z.to_nat j) (Q2R delta)).
Proof. intros J. apply compare_far_sound; try assumption; [lia |]. apply order_measured, J. Qed.

End decided.

(** A smaller ratio is stricter. *)
Lemma private_weaken w most F E d :
  (forall t, 0 <= w t) -> F <= E -> shift_private w most F d -> shift_private w most E d.
Proof.
  intros Pos L H j J. destruct (H j J) as [A B].
  split; [revert A | revert B]; apply mass_below_weaken; auto; try lra. intros t. apply Pos.
Qed.

Lemma level_delta l delta : level_posed l delta -> 0 <= Q2R delta.
Proof. intros [_ H]. lra. Qed.

Lemma below_ratio l p a b delta :
  level_posed l delta -> fits l p = true -> ratio_below l p = Some (a, b) ->
  (0 < b)%Z /\ (b <= a)%Z /\ IZR a / IZR b <= ratio l.
Proof.
  intros [H _] F E. destruct (ratio_below_at_least_1 l p a b E H (fits_no_bits l p F)) as [B A].
  split; [exact B | split; [exact A |]]. apply (ratio_below_sound l p), E.
Qed.

Lemma above_ratio l p a b delta :
  level_posed l delta -> ratio_above l p = Some (a, b) -> (0 < b)%Z /\ (b <= a)%Z /\ ratio l <= IZR a / IZR b.
Proof.
  intros [H _] E. destruct (ratio_above_sound l p a b E) as [B A].
  split; [apply lt_IZR, B | split; [| exact A]]. apply le_IZR. apply Rmult_le_reg_r with (/ IZR b);
    [apply Rinv_0_lt_compat, B |]. rewrite Rinv_r by lra. unfold Rdiv in A. lra.
Qed.

Lemma nothing_smaller_at_all l delta w P :
  least_fits l w = true -> has_smaller l delta w = false -> nothing_smaller w P (ratio l) (Q2R delta).
Proof.
  intros F H. destruct w; simpl in *; [exact I | |].
  - intros d Hd. exfalso. assert (L : less 0 delta = true); [| congruence]. apply less_sound.
    rewrite RMicromega.Q2R_0. lra.
  - destruct l as [E | eps]; [| discriminate]. intros G HG. exfalso. assert (L : less 1 E = true); [| congruence].
    apply less_sound. rewrite RMicromega.Q2R_1. simpl in HG. lra.
Qed.

Lemma rational_ratio q : IZR (Qnum q) / IZR (Zpos (Qden q)) = Q2R q.
Proof. reflexivity. Qed.

Lemma at_least_1_parts q : 1 <= Q2R q -> (Zpos (Qden q) <= Qnum q)%Z.
Proof.
  intros H. apply le_IZR. unfold Q2R in H. assert (D : 0 < IZR (Zpos (Qden q))) by (apply (IZR_lt 0); lia).
  apply Rmult_le_reg_r with (/ IZR (Zpos (Qden q))); [apply Rinv_0_lt_compat, D |]. rewrite Rinv_r; lra.
Qed.

Theorem check_shift_exact_sound nu shift l delta w proved shown :
  check_shift_exact nu shift l delta w proved shown = true -> sound (ShiftDP nu shift l delta w) proved.
Proof.
  unfold check_shift_exact. intros H. apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H.
  destruct H as [H LF]. apply andb_true_iff in H. destruct H as [L Reach]. apply Z.leb_le in Reach.
  apply level_is_posed_sound in L. assert (Hd := level_delta _ _ L).
  unfold sound. cbn [well_posed holds].
  destruct proved, shown as [p | | | q | | | | j forward p | | | | | | | | | | | | | | |]; try discriminate.
  - apply andb_true_iff in S. destruct S as [S W]. apply andb_true_iff in S. destruct S as [F N].
    apply negb_true_iff in N. apply with_law_true in W. destruct W as [law [E W]].
    destruct (exact_law_pairs nu law E) as [NP D]. apply at_ratio_true in W. destruct W as [a [b [R P]]].
    destruct (below_ratio l p a b delta L F R) as [B [A Le]]. split; [exact (conj NP (conj Reach L)) |]. split.
    + apply (private_at_iff law _ a b delta D B A Hd) in P. revert P. apply private_weaken; [| exact Le].
      apply D.
    + apply nothing_smaller_at_all; assumption.
  - apply andb_true_iff in S. destruct S as [S W]. apply andb_true_iff in S. destruct S as [S J].
    apply andb_true_iff in S. destruct S as [F HS]. apply andb_true_iff in J. destruct J as [J1 J2].
    apply Z.leb_le in J1. apply Z.leb_le in J2. apply with_law_true in W. destruct W as [law [E W]].
    destruct (exact_law_pairs nu law E) as [NP D]. apply at_ratio_true in W. destruct W as [a [b [R P]]].
    apply andb_true_iff in P. destruct P as [P At].
    destruct (below_ratio l p a b delta L F R) as [B [A Le]]. split; [exact (conj NP (conj Reach L)) |]. split.
    + apply (private_at_iff law _ a b delta D B A Hd) in P. revert P. apply private_weaken; [| exact Le].
      apply D.
    + destruct l as [E0 | eps]; [| destruct w; try discriminate; exact I].
      simpl in R. injection R as <- <-. cbn [ratio]. rewrite <- (rational_ratio E0).
      apply (attained_least law _ _ _ delta D B A Hd shift j forward); [lia | exact At].
  - destruct w; try discriminate; destruct l as [E0 | eps]; try discriminate;
      apply andb_true_iff in S; destruct S as [S W]; apply andb_true_iff in S; destruct S as [S1 S2];
      apply at_most_sound in S1; apply less_sound in S2; apply with_law_true in W; destruct W as [law [E P]];
      destruct (exact_law_pairs nu law E) as [NP D]; (split; [exact (conj NP (conj Reach L)) |]); intros [_ N]; simpl in N.
    + rewrite RMicromega.Q2R_0 in S1. apply (N (Q2R q)); [lra |]. rewrite <- (rational_ratio E0).
      apply (private_at_iff law (noise_mass nu)); try assumption; [reflexivity |].
      apply at_least_1_parts. apply L.
    + rewrite RMicromega.Q2R_1 in S1. apply (N (Q2R q)); [lra |]. rewrite <- (rational_ratio q).
      apply (private_at_iff law (noise_mass nu)); try assumption; [reflexivity |]. apply at_least_1_parts, S1.
  - apply andb_true_iff in S. destruct S as [S W]. apply andb_true_iff in S. destruct S as [F J].
    apply andb_true_iff in J. destruct J as [J1 J2]. apply Z.leb_le in J1. apply Z.leb_le in J2.
    apply with_law_true in W. destruct W as [law [E W]]. destruct (exact_law_pairs nu law E) as [NP D].
    apply at_ratio_true in W. destruct W as [a [b [R P]]]. apply negb_true_iff in P.
    destruct (above_ratio l p a b delta L R) as [B [A Le]]. split; [exact (conj NP (conj Reach L)) |]. intros [Priv _].
    apply (private_weaken _ _ _ (IZR a / IZR b)) in Priv; [| apply D | exact Le].
    apply (private_in_order _ _ _ _ j forward) in Priv; [| lia].
    apply (order_iff law _ a b delta D B A Hd j forward) in Priv; [congruence | lia].
Qed.

(** ** A Lipschitz law *)

Theorem check_shift_pure_sound nu shift l delta w proved shown :
  check_shift_pure nu shift l delta w proved shown = true -> sound (ShiftDP nu shift l delta w) proved.
Proof.
  unfold check_shift_pure. destruct proved, w, shown; try discriminate. intros H.
  apply andb_true_iff in H. destruct H as [H P]. apply andb_true_iff in H. destruct H as [L S].
  apply level_is_posed_sound in L. apply Z.leb_le in S. assert (Hd := level_delta _ _ L).
  unfold sound. cbn [well_posed holds nothing_smaller].
  assert (Raise : forall X, 1 < X -> X ^ Z.to_nat shift <= ratio l ->
    shift_private (geometric (/ X)) shift (ratio l) (Q2R delta)).
  { intros X HX HR j J. assert (Lip := discrete_laplace_lipschitz X HX).
    destruct (lipschitz_private _ X (Z.to_nat shift) (ratio l) j ltac:(lra) Lip HR ltac:(lia)) as [A B].
    split; [revert A | revert B]; apply mass_below_weaken; try lra; intros t; apply Lip. }
  unfold is_pure in P. destruct nu as [| | | | | | e | | |]; try discriminate.
  destruct e as [x | e | | | | |]; try (destruct l; discriminate).
  - destruct l as [E | eps]; [| discriminate]. apply andb_true_iff in P. destruct P as [X P].
    apply less_sound in X. rewrite RMicromega.Q2R_1 in X. split; [exact (conj (conj I X) (conj S L)) |].
    split; [| exact I]. apply Raise; [exact X |]. apply Z.leb_le, IZR_le in P. simpl.
    rewrite !mult_IZR in P. rewrite <- (Z2Nat.id shift ltac:(lia)), <- !pow_IZR in P. unfold Q2R.
    assert (D : 0 < IZR (Zpos (Qden x))) by (apply (IZR_lt 0); lia).
    assert (D' : 0 < IZR (Zpos (Qden E))) by (apply (IZR_lt 0); lia).
    rewrite Rpow_mult_distr, pow_inv. assert (Dn : 0 < IZR (Zpos (Qden x)) ^ Z.to_nat shift) by (apply pow_lt, D).
    apply Rmult_le_reg_r with (IZR (Zpos (Qden x)) ^ Z.to_nat shift * IZR (Zpos (Qden E)));
      [apply Rmult_lt_0_compat; assumption |].
    match goal with |- ?u * _ * (_ * ?v) <= ?s * _ * (?t * _) => replace (u * / t * (t * v)) with (u * v)
      by (field; lra);
      replace (s * / v * (t * v)) with (s * t) by (field; lra) end. exact P.
  - destruct e as [x | | | | | |]; try (destruct l; discriminate). destruct l as [E | eps]; [discriminate |].
    apply andb_true_iff in P. destruct P as [X P]. apply less_sound in X. rewrite RMicromega.Q2R_0 in X.
    apply at_most_sound in P. rewrite Q2R_mult in P. assert (One : 1 < exp (Q2R x)).
    { rewrite <- exp_0. apply exp_increasing, X. }
    split; [exact (conj (conj I One) (conj S L)) |]. split; [| exact I]. apply Raise; [exact One |].
    cbn [ratio value]. rewrite exp_power. apply exp_le. replace (INR (Z.to_nat shift)) with (Q2R (inject_Z shift));
      [lra |].
    unfold Q2R, inject_Z. cbn [Qnum Qden]. rewrite INR_IZR_INZ, Z2Nat.id by lia. field.
Qed.

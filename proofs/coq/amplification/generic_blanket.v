(** The closed forms of the blanket's bound for every locally private randomizer.

    Every proper randomizer of any number of messages, of any type, that is (eps0, 0)-DP as a local randomizer, with
    0 < eps < eps0 and an integer n >= 1 of users, is (eps, delta)-DP with a shuffler for delta =
    [hoeffding_bound] n gamma a b and for delta = [bennett_bound] n gamma a b+ s, where, with p = e^eps0 and E = e^eps,

      gamma = 1/p, a = E - 1, b = (E + 1) (p - 1/p), b+ = p (1 - E/p^2), s = p (E^2 + 1) - 2E/p^3

    ([generic_hoeffding], [generic_bennett]). These are the constants as printed in secondary sources.

    Idea: no least row is needed. The reference is 1/p times the row of the user who differs, which lies below every
    row; the values are 1 - E r with a ratio r of two rows, so they lie in [1 - E p, 1 - E/p], which is narrower than
    the printed range, and their second moment is at most 1 - 2E + E^2 p, which is less than the printed one.

    Source: BalleBellGasconNissim2019, section 5 (the constants as printed in secondary sources). *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy hockey_stick independence.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous blanket_moments
  blanket_hoeffding blanket_bennett.
Import ListNotations.
Open Scope R_scope.

(** ** A part of a row *)

Definition part_of {A} (d : dist A) (g : R) : dist A := map (fun wa => (g * fst wa, snd wa)) d.

Lemma mean_part_of {A} (d : dist A) g f : mean (part_of d g) f = g * mean d f.
Proof. unfold part_of, mean. rewrite total_map, <- total_scal. apply total_ext. intros. simpl. ring. Qed.

Lemma mass_part_of {A} (d : dist A) g a : mass (part_of d g) a = g * mass d a.
Proof. apply mean_part_of. Qed.

Lemma sub_law_part_of {A} (d : dist A) g : proper d -> 0 <= g -> sub_law (part_of d g).
Proof.
  intros [H _] G wa I. apply in_map_iff in I. destruct I as [vb [<- I]]. simpl.
  apply Rmult_le_pos; [exact G | apply H, I].
Qed.

Lemma weight_part_of {A} (d : dist A) g : proper d -> weight (part_of d g) = g.
Proof. intros [_ H]. unfold weight. rewrite mean_part_of, H. ring. Qed.

(** ** The row of the user who differs *)

Section Generic.

  Context {X M : Type} (R : X -> dist (list M)) (eps0 eps : Rdefinitions.R).
  Hypothesis R_proper : forall x, proper (R x).
  Hypothesis R_private : local_dp R eps0 0.
  Hypothesis eps_range : 0 < eps < eps0.

  Let p := exp eps0.
  Let E := exp eps.
  Let c (x : X) := part_of (R x) (/ p).

  Lemma levels : 1 < E < p.
  Proof. split; [rewrite <- exp_0 |]; apply exp_increasing, eps_range. Qed.

  Lemma mass_ratio x y m : mass (R x) m <= p * mass (R y) m.
  Proof. assert (H := R_private x y (fun b => if same b m then true else false)). unfold mass. fold p in H. lra. Qed.

  Lemma part_weight x : weight (c x) = / p.
  Proof. apply weight_part_of, R_proper. Qed.

  Lemma inverse_level : 0 < / p <= 1.
  Proof.
    assert (L := levels). split; [apply Rinv_0_lt_compat; lra |].
    rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
  Qed.

  Lemma part_below x v : lies_below (c x) (R v).
  Proof.
    assert (L := levels). assert (I := inverse_level). split; [apply sub_law_part_of; [apply R_proper | lra] |].
    intros m. unfold c. rewrite mass_part_of. assert (H := mass_ratio x v m).
    apply (Rmult_le_compat_l (/ p)) in H; [| lra]. rewrite <- Rmult_assoc, Rinv_l in H by lra. lra.
  Qed.

  Lemma part_covers x y : covers_rows (c x) (R x) (R y).
  Proof.
    assert (L := levels). intros m Z. unfold c in Z. rewrite mass_part_of in Z.
    assert (Zx : mass (R x) m = 0).
    { apply Rmult_integral in Z. destruct Z as [Z | Z]; [| exact Z]. assert (I := inverse_level). lra. }
    split; [exact Zx |]. assert (H := mass_ratio y x m). assert (N := mass_nonneg (R y) m (R_proper y)).
    rewrite Zx in H. lra.
  Qed.

  (** The values against the row of x. *)
  Lemma part_value x y m :
    covered (c x) m ->
    exists r, 0 <= r <= p /\ / p <= r /\ weight (c x) * value_against (R x) (R y) E (c x) m = 1 - E * r.
  Proof.
    assert (L := levels). intros C. unfold covered, c in C. rewrite mass_part_of in C.
    assert (Px : 0 < mass (R x) m).
    { assert (N := mass_nonneg (R x) m (R_proper x)). destruct N as [N | N]; [exact N |].
      exfalso. apply C. rewrite <- N. ring. }
    exists (mass (R y) m / mass (R x) m). assert (H := mass_ratio y x m). assert (H' := mass_ratio x y m).
    assert (N := mass_nonneg (R y) m (R_proper y)).
    split; [split |split].
    - apply Rle_mult_inv_pos; assumption.
    - apply Rmult_le_reg_r with (mass (R x) m); [exact Px |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - apply Rmult_le_reg_r with (mass (R x) m); [exact Px |]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply Rmult_le_reg_l with p; [lra |]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
    - rewrite part_weight. unfold value_against, c. rewrite mass_part_of. field. split; lra.
  Qed.

  Lemma part_hoeffding n :
    (1 <= n)%nat -> shuffle_dp n R eps (hoeffding_bound n (/ p) (E - 1) ((E + 1) * (p - / p))).
  Proof.
    intros Hn. assert (L := levels). assert (I := inverse_level).
    apply (blanket_dp n R (fun x _ => c x) E); [exact R_proper | intros x _ v; apply part_below | apply Rle_refl |].
    intros x y. rewrite <- (part_weight x).
    replace ((E + 1) * (p - weight (c x))) with (1 - E * p + (E + 1) * (p - / p) - (1 - E * p))
      by (rewrite part_weight; ring).
    apply reference_hoeffding; try apply R_proper; [apply (part_below x x) | rewrite part_weight; apply I |
      apply part_covers | exact Hn | apply L | |].
    - assert (0 < (E + 1) * (p - / p)) by (apply Rmult_lt_0_compat; lra). lra.
    - intros m C. destruct (part_value x y m C) as [r [[R0 R1] [R2 ->]]].
      assert (A : E * r <= E * p) by (apply Rmult_le_compat_l; lra).
      assert (B : E * / p <= E * r) by (apply Rmult_le_compat_l; lra). split; [lra |].
      replace (1 - E * p + (E + 1) * (p - / p)) with (1 - E * / p + (p - / p)) by ring. lra.
  Qed.

  Lemma part_second_moment x y :
    weight (c x) * mean (c x) (fun m => value_against (R x) (R y) E (c x) m ^ 2) <= 1 - 2 * E + E ^ 2 * p.
  Proof.
    assert (L := levels). assert (I := inverse_level).
    destruct (covering_reference (R x) (R y) (c x) E (R_proper x) (R_proper y) (proj1 (part_below x x))
      (part_covers x y))
      as [_ [M0 _]].
    set (V := value_against (R x) (R y) E (c x)) in *. set (g := weight (c x)).
    assert (Hg : g = / p) by apply part_weight.
    assert (Sq : mean (c x) (fun m => (g * V m) ^ 2) <=
      mean (c x) (fun m => (E * p - 1) * 1 + (2 - E * p) * g * V m)).
    { apply mean_le_covered; [apply (part_below x x) |]. intros m C.
      destruct (part_value x y m C) as [r [[R0 R1] [_ W]]].
      fold g in W. fold V in W. replace ((2 - E * p) * g * V m) with ((2 - E * p) * (g * V m)) by ring. rewrite W.
      assert (E * r * (E * r) <= E * r * (E * p)); [| lra].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | apply Rmult_le_compat_l; lra]. }
    rewrite mean_plus, !mean_scal, M0 in Sq. fold (weight (c x)) in Sq. fold g in Sq.
    rewrite (mean_ext (c x) _ (fun m => g * g * V m ^ 2)) in Sq by (intros; ring). rewrite mean_scal in Sq.
    assert (P : p * g = 1) by (rewrite Hg; apply Rinv_r; lra).
    apply (Rmult_le_compat_l p) in Sq; [| lra].
    replace (p * (g * g * mean (c x) (fun m => V m ^ 2))) with
      (p * g * (g * mean (c x) (fun m => V m ^ 2))) in Sq by ring.
    replace (p * ((E * p - 1) * g + (2 - E * p) * g * (1 - E))) with
      (p * g * ((E * p - 1) + (2 - E * p) * (1 - E))) in Sq by ring.
    rewrite P in Sq. lra.
  Qed.

  Lemma part_bennett n :
    (1 <= n)%nat ->
    shuffle_dp n R eps (bennett_bound n (/ p) (E - 1) (p * (1 - E / p ^ 2)) (p * (E ^ 2 + 1) - 2 * E / p ^ 3)).
  Proof.
    intros Hn. assert (L := levels). assert (I := inverse_level).
    assert (Cube : 2 * E / p ^ 3 <= 2 * E).
    { apply Rmult_le_reg_r with (p ^ 3); [apply pow_lt; lra |].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by (apply pow_nonzero; lra).
      apply Rmult_le_compat_l; [lra |]. apply pow_R1_Rle. lra. }
    apply (blanket_dp n R (fun x _ => c x) E); [exact R_proper | intros x _ v; apply part_below | apply Rle_refl |].
    intros x y. rewrite <- (part_weight x) at 1.
    apply reference_bennett; try apply R_proper; [apply (part_below x x) | rewrite part_weight; apply I |
      apply part_covers | exact Hn | apply L | | | |].
    - replace (p * (1 - E / p ^ 2)) with ((p * p - E) * / p) by (field; lra).
      apply Rmult_lt_0_compat; [nra | apply I].
    - assert (E * E * 1 <= E * E * p) by (apply Rmult_le_compat_l; nra). nra.
    - intros m C. destruct (part_value x y m C) as [r [_ [R2 ->]]].
      assert (B : E * / p <= E * r) by (apply Rmult_le_compat_l; lra).
      replace (p * (1 - E / p ^ 2)) with (p - E * / p) by (field; lra). lra.
    - eapply Rle_trans; [apply part_second_moment |]. nra.
  Qed.

End Generic.

Theorem generic_hoeffding {X M} (R : X -> dist (list M)) (eps0 eps : Rdefinitions.R) n :
  (forall x, proper (R x)) -> local_dp R eps0 0 -> 0 < eps < eps0 -> (1 <= n)%nat ->
  let p := exp eps0 in
  let E := exp eps in
  shuffle_dp n R eps (hoeffding_bound n (/ p) (E - 1) ((E + 1) * (p - / p))).
Proof. intros HR HL He. apply (part_hoeffding R eps0 eps HR HL He). Qed.

Theorem generic_bennett {X M} (R : X -> dist (list M)) (eps0 eps : Rdefinitions.R) n :
  (forall x, proper (R x)) -> local_dp R eps0 0 -> 0 < eps < eps0 -> (1 <= n)%nat ->
  let p := exp eps0 in
  let E := exp eps in
  shuffle_dp n R eps (bennett_bound n (/ p) (E - 1) (p * (1 - E / p ^ 2)) (p * (E ^ 2 + 1) - 2 * E / p ^ 3)).
Proof. intros HR HL He. apply (part_bennett R eps0 eps HR HL He). Qed.

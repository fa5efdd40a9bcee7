(** What the losses of the checker mean, and that their products are upper bounds.

    The integers of losses_program.v stand for the measure (loss_measures.v) with the mass m / 2^bits at
    rho^-j for the mass m at the place j, and the one at infinity ([meaning]). Proved, for every real
    rho > 1, every number of bits and masses that are not negative:

    - the result of [losses_times] is at least the product of the two measures, at every E >= 0
      ([losses_times_covers]);
    - so if losses are at least the measure of one run, [losses_power base k] is at least the product of k
      of these, and [losses_times] of such is at least the product of all runs of both ([covers_times],
      [covers_power]). With adaptive_composition.v this bounds every composition.

    Idea: max(0, 1 - E rho^-j) lies in [0, 1] and grows with j, so that moving masses up enlarges the
    divergence; and so does rounding up.

    The class Losses and the method Composed.prove of exactdp/checker/composed.py rest on it.
    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums fixed_point polynomials integer_polynomials losses_program loss_measures.
Import ListNotations.
Open Scope R_scope.

Section meaning.

Variables (rho : R) (bits : nat).
Hypothesis above_1 : 1 < rho.

Fixpoint atoms_from (first : Z) (l : list Z) : list (R * R) :=
  match l with
  | [] => []
  | m :: rest => (IZR m / 2 ^ bits, powerRZ rho (- first)) :: atoms_from (first + 1) rest
  end.

Definition meaning (a : losses) : measure :=
  {| infinite := IZR (at_infinity a) / 2 ^ bits; atoms := atoms_from (low a) (masses a) |}.

(** The weight of the loss ln rho^(first + i) at E. *)
Definition weight (E : R) (first : Z) (i : nat) : R :=
  Rmax 0 (1 - E * powerRZ rho (- (first + Z.of_nat i))).

Lemma total_atoms first l (g : R -> R) :
  total (atoms_from first l) (fun mr => fst mr * g (snd mr)) =
  against (of_integers l) (fun i => g (powerRZ rho (- (first + Z.of_nat i)))) / 2 ^ bits.
Proof.
  assert (P := pow_two_positive bits). revert first.
  induction l as [| m l IH]; intros first; cbn [atoms_from total of_integers map against fst snd].
  - field. lra.
  - rewrite IH. fold (of_integers l). replace (first + Z.of_nat 0)%Z with first by lia.
    rewrite (against_ext (of_integers l) _ (fun i => g (powerRZ rho (- (first + Z.of_nat (S i)))))).
    + field. lra.
    + intros i. do 3 f_equal. lia.
Qed.

Lemma divergence_meaning a E :
  divergence (meaning a) E =
  (IZR (at_infinity a) + against (of_integers (masses a)) (weight E (low a))) / 2 ^ bits.
Proof.
  unfold divergence. simpl.
  assert (H := total_atoms (low a) (masses a) (fun r => Rmax 0 (1 - E * r))). cbv beta in H.
  rewrite (total_ext _ (hinge E) (fun mr => fst mr * Rmax 0 (1 - E * snd mr))) by reflexivity.
  rewrite H. unfold weight, Rdiv. ring.
Qed.

Lemma of_integers_sum l : against (of_integers l) (fun _ => 1) = IZR (z_sum l).
Proof.
  induction l as [| m l IH]; simpl; [reflexivity |]. fold (of_integers l). rewrite IH, plus_IZR. ring.
Qed.

Lemma finite_mass_meaning a : finite_mass (meaning a) = IZR (z_sum (masses a)) / 2 ^ bits.
Proof.
  unfold finite_mass. rewrite (total_ext _ fst (fun mr => fst mr * 1)) by (intros; ring).
  assert (H := total_atoms (low a) (masses a) (fun _ => 1)). cbv beta in H.
  simpl atoms. rewrite H, of_integers_sum. reflexivity.
Qed.

Lemma nonnegative_meaning a : losses_nonneg a -> nonnegative (meaning a).
Proof.
  intros [HM HI]. assert (P := pow_two_positive bits). split; simpl.
  - apply Rmult_le_pos; [apply IZR_le, HI | left; apply Rinv_0_lt_compat, P].
  - generalize (low a). induction HM as [| m l Hm _ IH]; intros first mr; simpl; [tauto |].
    intros [<- | I]; [| apply (IH (first + 1)%Z mr I)]. simpl. split.
    + apply Rmult_le_pos; [apply IZR_le, Hm | left; apply Rinv_0_lt_compat, P].
    + left. apply powerRZ_lt. lra.
Qed.

(** ** Weights grow, and are at most 1 *)

Lemma weight_bounds E first i : 0 <= E -> 0 <= weight E first i <= 1.
Proof.
  intros HE. split; [apply Rmax_l |]. apply Rmax_lub; [lra |].
  assert (0 <= E * powerRZ rho (- (first + Z.of_nat i))); [| lra].
  apply Rmult_le_pos; [exact HE | left; apply powerRZ_lt; lra].
Qed.

Lemma weight_grows E first i j : 0 <= E -> (i <= j)%nat -> weight E first i <= weight E first j.
Proof.
  intros HE H. apply Rle_max_compat_l. apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l;
    [exact HE |].
  replace (- (first + Z.of_nat i))%Z with (- (first + Z.of_nat j) + Z.of_nat (j - i))%Z by lia.
  rewrite powerRZ_add by lra. rewrite <- pow_powerRZ.
  assert (0 < powerRZ rho (- (first + Z.of_nat j))) by (apply powerRZ_lt; lra).
  assert (1 <= rho ^ (j - i)) by (apply pow_R1_Rle; lra).
  rewrite <- (Rmult_1_r (powerRZ rho _)) at 1. apply Rmult_le_compat_l; lra.
Qed.

Lemma weight_later E first i n : weight E (first + Z.of_nat n) i = weight E first (n + i).
Proof. unfold weight. do 4 f_equal. lia. Qed.

(** ** Sums over parts *)

Lemma against_at_most l f c :
  Forall (fun m => (0 <= m)%Z) l -> (forall i, (i < length l)%nat -> f i <= c) ->
  against (of_integers l) f <= IZR (z_sum l) * c.
Proof.
  intros H. revert f. induction H as [| m l Hm _ IH]; intros f Hf; simpl; [lra |].
  rewrite plus_IZR, Rmult_plus_distr_r. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply IZR_le, Hm | apply Hf; simpl; lia].
  - apply IH. intros i Hi. apply Hf. simpl. lia.
Qed.

Lemma against_ceiling l f :
  (forall i, 0 <= f i) ->
  against (of_integers l) f <= 2 ^ bits * against (of_integers (map (fun x => ceiling_div x (two bits)) l)) f.
Proof.
  assert (P := pow_two_positive bits). revert f. induction l as [| m l IH]; intros f Hf; simpl; [lra |].
  rewrite Rmult_plus_distr_l, <- Rmult_assoc. apply Rplus_le_compat; [| apply IH; intros; apply Hf].
  apply Rmult_le_compat_r; [apply Hf |].
  assert (C := ceiling_div_above m (two bits) _ (two_positive bits) (Rle_refl _)). rewrite IZR_two in C.
  apply (Rmult_le_compat_l (2 ^ bits)) in C; [| lra].
  replace (2 ^ bits * (IZR m / 2 ^ bits)) with (IZR m) in C by (field; lra). exact C.
Qed.

(** Masses moved up at both ends. *)
Lemma against_trimmed l E start first last :
  0 <= E -> Forall (fun m => (0 <= m)%Z) l -> (first <= last <= length l)%nat -> (l <> [] ->
    first < last)%nat ->
  against (of_integers l) (weight E start) <=
  against (of_integers (raise_first (z_sum (firstn first l)) (firstn (last - first) (skipn first l))))
    (weight E (start + Z.of_nat first)) + IZR (z_sum (skipn last l)).
Proof.
  intros HE HP HL HN. destruct l as [| m0 l0]; [simpl in *|].
  { replace first with O by lia. replace last with O by lia. simpl.
      assert (X := weight_bounds E (start + 0) 0 HE).
    unfold of_integers. simpl. lra. }
  set (l := m0 :: l0) in *. specialize (HN ltac:(discriminate)).
  assert (Parts : l = firstn first l ++ firstn (last - first) (skipn first l) ++ skipn last l).
  { replace (skipn last l) with (skipn (last - first) (skipn first l)).
    - rewrite firstn_skipn. symmetry. apply firstn_skipn.
    - rewrite skipn_twice. f_equal. lia. }
  assert (LF : length (firstn first l) = first) by (apply firstn_length_le; lia).
  assert (LK : length (firstn (last - first) (skipn first l)) = (last - first)%nat).
  { apply firstn_length_le. rewrite skipn_length. lia. }
  rewrite Parts in HP at 1. apply Forall_app in HP. destruct HP as [PA HP]. apply Forall_app in HP.
  destruct HP as [PK PC]. rewrite Parts at 1.
  set (a := firstn first l) in *. set (k := firstn (last - first) (skipn first l)) in *.
  set (c := skipn last l) in *. unfold of_integers at 1. rewrite !map_app, !against_app, !map_length.
  fold (of_integers a) (of_integers k) (of_integers c).
  assert (A : against (of_integers a) (weight E start) <= IZR (z_sum a) * weight E start first).
  { apply against_at_most; [exact PA |]. intros i Hi. apply weight_grows; [exact HE | lia]. }
  assert (C : against (of_integers c) (fun i => weight E start (length a + (length k + i))) <=
    IZR (z_sum c) * 1).
  { apply against_at_most; [exact PC |]. intros i _. apply weight_bounds, HE. }
  rewrite (against_ext (of_integers k) _ (weight E (start + Z.of_nat first))).
  2: { intros i. rewrite weight_later, LF. reflexivity. }
  destruct k as [| m k']; [simpl in LK; lia |]. simpl raise_first. simpl against. rewrite plus_IZR.
  simpl in C. rewrite weight_later, Nat.add_0_r. lra.
Qed.

(** ** The product *)

Lemma divergence_times_meaning a b E :
  divergence (times (meaning a) (meaning b)) E * 2 ^ bits * 2 ^ bits =
  IZR (at_infinity a * (z_sum (masses b) + at_infinity b) + z_sum (masses a) * at_infinity b) +
  against (of_integers (z_mul (masses a) (masses b))) (weight E (low a + low b)).
Proof.
  assert (P := pow_two_positive bits). rewrite divergence_times.
  assert (H := total_atoms (low a) (masses a) (fun r => divergence (meaning b) (E * r))).
  cbv beta in H. simpl atoms. rewrite H. clear H.
  rewrite (against_ext (of_integers (masses a)) _ (fun i => / 2 ^ bits * (IZR (at_infinity b) * 1 +
    against (of_integers (masses b)) (fun j => weight E (low a + low b) (i + j))))).
  - rewrite against_times, against_plus, against_times, of_integers_sum.
    rewrite of_integers_mul, against_mul, divergence_at_0, finite_mass_meaning. simpl infinite.
    rewrite plus_IZR, !mult_IZR, plus_IZR. field. lra.
  - intros i. rewrite divergence_meaning.
    rewrite (against_ext (of_integers (masses b)) _ (fun j => weight E (low a + low b) (i + j))).
    + field. lra.
    + intros j. unfold weight. do 2 f_equal. rewrite Rmult_assoc, <- powerRZ_add by lra. do 2 f_equal. lia.
Qed.

Theorem losses_times_covers a b :
  losses_nonneg a -> losses_nonneg b ->
  at_most (times (meaning a) (meaning b)) (meaning (losses_times bits a b)).
Proof.
  intros [PA IA] [PB IB] E HE. assert (P := pow_two_positive bits).
  assert (D := divergence_times_meaning a b E). rewrite divergence_meaning. unfold losses_times.
  set (inf := (at_infinity a * _ + _)%Z) in *.
  set (l := map (fun x => ceiling_div x (two bits)) (z_mul (masses a) (masses b))).
  assert (T := trimmed_places l). destruct (trimmed l) as [first last]. cbn [low masses at_infinity].
  destruct T as [T1 T2].
  assert (PL := products_nonneg bits (masses a) (masses b) PA PB). fold l in PL.
  assert (X := against_trimmed l E (low a + low b) first last HE PL T1 T2).
  assert (C := against_ceiling (z_mul (masses a) (masses b)) (weight E (low a + low b))
    (fun i => proj1 (weight_bounds E _ i HE))). fold l in C.
  assert (I := ceiling_div_above inf (two bits) _ (two_positive bits) (Rle_refl _)). rewrite IZR_two in I.
  apply (Rmult_le_compat_l (2 ^ bits)) in I; [| lra].
  replace (2 ^ bits * (IZR inf / 2 ^ bits)) with (IZR inf) in I by (field; lra).
  apply (Rmult_le_compat_l (2 ^ bits)) in X; [| lra]. rewrite plus_IZR.
  apply Rmult_le_reg_r with (2 ^ bits); [exact P |]. apply Rmult_le_reg_r with (2 ^ bits); [exact P |].
  rewrite D. unfold Rdiv. rewrite (Rmult_assoc _ (/ 2 ^ bits)), Rinv_l, Rmult_1_r by lra. lra.
Qed.

(** ** All runs *)

(** [a] is at least the product of the measures. *)
Definition covers (a : losses) (nus : list measure) : Prop :=
  losses_nonneg a /\ at_most (product nus) (meaning a).

Lemma times_associates a b c E :
  nonnegative a -> nonnegative b -> nonnegative c -> 0 <= E ->
  divergence (times (times a b) c) E = divergence (times a (times b c)) E.
Proof.
  intros HA HB HC HE. rewrite times_commutes, divergence_exchange.
  apply Rle_antisym; apply times_at_most_r; try exact HA; try exact HE; intros F _; rewrite times_commutes;
    apply Rle_refl.
Qed.

Lemma product_app mus nus E :
  Forall nonnegative mus -> Forall nonnegative nus -> 0 <= E ->
  divergence (product (mus ++ nus)) E = divergence (times (product mus) (product nus)) E.
Proof.
  intros HM HN. revert E. induction HM as [| mu mus H HM IH]; intros E HE; simpl.
  - rewrite divergence_times. simpl. rewrite Rmult_0_l, !Rplus_0_l, Rmult_1_r, Rmult_1_l, Rplus_0_r.
    reflexivity.
  - rewrite times_associates; [| exact H | apply nonnegative_product, HM | apply nonnegative_product, HN |
      exact HE].
    apply Rle_antisym; apply times_at_most_r; try exact H; try exact HE; intros F HF; rewrite IH by exact HF;
      apply Rle_refl.
Qed.

(** No runs: all mass at the loss 0, as the checker starts. *)
Lemma covers_nothing : covers {| low := 0; masses := [two bits]; at_infinity := 0 |} [].
Proof.
  assert (P := pow_two_positive bits). assert (Q := two_positive bits). split.
  - split; simpl; [constructor; [lia | constructor] | lia].
  - intros E HE. unfold divergence, hinge. simpl. rewrite IZR_two. unfold Rdiv.
    rewrite Rinv_r by lra. lra.
Qed.

Lemma covers_times a b mus nus :
  Forall nonnegative mus -> Forall nonnegative nus -> covers a mus -> covers b nus ->
  covers (losses_times bits a b) (mus ++ nus).
Proof.
  intros HM HN [NA CA] [NB CB]. split; [apply losses_times_nonneg; assumption |].
  intros E HE. rewrite product_app by assumption.
  eapply Rle_trans; [| apply losses_times_covers; assumption].
  apply divergence_product_monotone; try assumption.
  - apply nonnegative_product, HM.
  - apply nonnegative_meaning, NB.
Qed.

Lemma covers_power a nu k :
  nonnegative nu -> covers a [nu] -> covers (losses_power bits a k) (repeat nu (Pos.to_nat k)).
Proof.
  intros HN H. assert (R : forall n, Forall nonnegative (repeat nu n)).
  { intros n. apply Forall_forall. intros x I. apply repeat_spec in I. rewrite I. exact HN. }
  induction k as [k IH | k IH |]; simpl losses_power.
  - replace (Pos.to_nat k~1) with (Pos.to_nat k + Pos.to_nat k + 1)%nat by lia. rewrite !repeat_app.
    apply covers_times; [| | apply covers_times |]; auto. rewrite <- repeat_app. apply R.
  - replace (Pos.to_nat k~0) with (Pos.to_nat k + Pos.to_nat k)%nat by lia. rewrite repeat_app.
    apply covers_times; auto.
  - exact H.
Qed.

End meaning.

(** How many messages a user sends for a sum of integers in almost one message.

    The program is that of almost_central.v, for n >= 1 users and numbers up to Delta >= 1. [almost_central_messages]:
    if the means of the laws G, W1, W2 and V_i are g, w1, w2 and v_i, a user with the number x sends on average one
    message, or none for x = 0, and 2 g + 2 w1 + 2 w2 + 6 (v_2 + ... + v_Delta) more.

    [almost_central_few_messages]: with G = NB(1/n, e^(-e0/Delta)), W1 = NB(r1/n, e^(-e1/(5 Delta))), W2 = NB(r2/n,
    e^(-e2/(10 Gamma))) and V_i = NB(r2/n, e^(-e2/(10 t_i))), e0, e1, e2, r1, r2 > 0, t_i = ceil(Gamma/i) and
    Gamma >= 1 it is at most 1 + (2 Delta/e0 + 10 r1 Delta/e1 + 20 r2 (Gamma (1 + 3 ln Delta) + 3 Delta)/e2)/n: nearly
    one, for large n.

    Idea: means add up; the mean of NB(r, e^-y) is at most r/y, and 1/i <= ln i - ln(i-1).
    Source: Ghazi, Kumar, Manurangsi, Pagh, Sinha 2021, section 3 (the protocol); the bound is this package's. *)

From Coq Require Import Reals List Arith ZArith Lra Lia.
From Exactdp Require Import reals sums laws masses infinite_sums countable_programs negative_binomial_mean.
From Exactdp Require Import bundled_noise zero_sum_multisets almost_central.
Import ListNotations.
Open Scope R_scope.

(** ** Means of what may be large *)

Lemma chain_total {A B} (D : A -> R) (K : A -> B -> R) (f : B -> R) (phi : A -> R) s :
  law D -> (forall a, law (K a)) -> (forall b, 0 <= f b) -> (forall a, sum_of (fun b => K a b * f b) (phi a)) ->
  sum_of (fun a => D a * phi a) s -> sum_of (fun b => chain D K b * f b) s.
Proof.
  intros LD LK F Inner Outer.
  apply (double_sum (fun a b => D a * (K a b * f b)) (fun a => D a * phi a) (fun b => chain D K b * f b)).
  - intros a b. apply Rmult_le_pos; [apply LD | apply Rmult_le_pos; [apply LK | apply F]].
  - intros a. apply sum_of_scal; [apply LD | apply Inner].
  - intros b. apply (sum_of_ext (fun a => f b * (D a * K a b))); [intros; ring |].
    rewrite Rmult_comm. apply sum_of_scal; [apply F |]. apply expectation_sum; [exact LD |].
    intros a. apply (law_unit (K a)), LK.
  - exact Outer.
Qed.

(** The mean of a number that is moved, and of a multiple. *)
Lemma affine_total {A} (D : A -> R) (f : A -> R) c k s : law D -> (forall a, 0 <= f a) -> 0 <= c -> 0 <= k ->
  sum_of (fun a => D a * f a) s -> sum_of (fun a => D a * (c + k * f a)) (c + k * s).
Proof.
  intros L F C K S. apply (sum_of_ext (fun a => c * D a + k * (D a * f a))); [intros; ring |].
  assert (One := sum_of_scal D c 1 C (proj2 (proj1 (law_sum_of D) L))). rewrite Rmult_1_r in One.
  apply sum_of_plus; [| | exact One | apply sum_of_scal; assumption].
  - intros a. apply Rmult_le_pos; [exact C | apply L].
  - intros a. apply Rmult_le_pos; [exact K | apply Rmult_le_pos; [apply L | apply F]].
Qed.

Definition length_of {M} (u : list M) : R := INR (length u).

Lemma length_of_nonneg {M} (u : list M) : 0 <= length_of u.
Proof. apply pos_INR. Qed.

Lemma length_times {M} z (m : list M) : length_of (times z m) = INR z * length_of m.
Proof.
  induction z as [| z IH]; [unfold length_of; simpl; ring |]. change (times (S z) m) with (m ++ times z m).
  rewrite S_INR. unfold length_of in *. rewrite app_length, plus_INR, IH. ring.
Qed.

Lemma prefixed_total {M} (E : list M -> R) (u : list M) s : law E -> sum_of (fun v => E v * length_of v) s ->
  sum_of (fun v => chain E (fun w => point (u ++ w)) v * length_of v) (length_of u + s).
Proof.
  intros L S. apply (chain_total E (fun w => point (u ++ w)) length_of (fun w => length_of u + length_of w)).
  - exact L.
  - intros w. apply point_law.
  - apply length_of_nonneg.
  - intros w. replace (length_of u + length_of w) with (length_of (u ++ w)).
    + apply point_sum, length_of_nonneg.
    + unfold length_of. rewrite app_length, plus_INR. reflexivity.
  - apply (sum_of_ext (fun w => E w * (length_of u + 1 * length_of w))); [intros; ring |].
    replace (length_of u + s) with (length_of u + 1 * s) by ring.
    apply affine_total; auto using length_of_nonneg. lra.
Qed.

(** Every part with the mean of its law. *)
Definition has_mean (D : nat -> R) (mu : R) : Prop := sum_of (fun t => D t * INR t) mu.

Lemma bundles_total {M} (l : list (noise_part M * R)) : part_laws (map fst l) ->
  Forall (fun one => has_mean (fst (fst one)) (snd one)) l ->
  sum_of (fun u => bundles (map fst l) u * length_of u) (total l (fun one => length_of (snd (fst one)) * snd one)).
Proof.
  induction l as [| [[D m] mu] rest IH]; intros L Mu.
  - cbn [map total bundles]. replace 0 with (length_of (@nil M)) by reflexivity. apply point_sum, length_of_nonneg.
  - inversion L as [| part parts L1 LR]; subst. inversion Mu as [| one ones M1 MR]; subst.
    cbn [map total fst snd bundles] in *.
    specialize (IH LR MR). set (s := total rest (fun one => length_of (snd (fst one)) * snd one)) in *.
    assert (LB := bundles_law (map fst rest) LR). assert (S0 := sum_of_nonneg _ _ IH).
    apply (chain_total D _ length_of (fun z => s + length_of m * INR z)).
    + exact L1.
    + intros z. apply chain_law; [exact LB | intros u; apply point_law].
    + apply length_of_nonneg.
    + intros z. replace (s + length_of m * INR z) with (length_of (times z m) + s) by (rewrite length_times; ring).
      apply prefixed_total; assumption.
    + rewrite Rplus_comm. apply affine_total; auto using length_of_nonneg, pos_INR.
Qed.

Lemma with_noise_total {X M} (own : X -> list M) (l : list (noise_part M * R)) x : part_laws (map fst l) ->
  Forall (fun one => has_mean (fst (fst one)) (snd one)) l ->
  sum_of (fun u => with_noise own (map fst l) x u * length_of u)
    (length_of (own x) + total l (fun one => length_of (snd (fst one)) * snd one)).
Proof. intros L Mu. apply prefixed_total; [apply bundles_law, L | apply bundles_total; assumption]. Qed.

(** ** The protocol *)

Theorem almost_central_messages (Delta x : nat) (G W1 W2 : nat -> R) (V : nat -> nat -> R)
  (g w1 w2 : R) (v : nat -> R) :
  law G -> law W1 -> law W2 -> (forall i, (2 <= i <= Delta)%nat -> law (V i)) ->
  has_mean G g -> has_mean W1 w1 -> has_mean W2 w2 -> (forall i, (2 <= i <= Delta)%nat -> has_mean (V i) (v i)) ->
  sum_of (fun u => almost_central Delta G W1 W2 V x u * INR (length u))
    (INR (Nat.min 1 (Nat.min x Delta)) + (2 * g + 2 * w1 + 2 * w2 + 6 * total (seq 2 (Delta - 1)) v)).
Proof.
  intros LG L1 L2 LV MG M1 M2 MV.
  set (l := [((G, [1]%Z), g); ((G, [-1]%Z), g); ((W1, [1; -1]%Z), w1); ((W2, [1; -1]%Z), w2)] ++
    flat_map (fun i => [((V i, multiset (Z.of_nat i)), v i);
      ((V i, multiset (- Z.of_nat i)), v i)]) (seq 2 (Delta - 1))).
  assert (E : map fst l = (G, [1]%Z) :: (G, [-1]%Z) :: cancelling Delta W1 W2 V).
  { unfold l, cancelling. rewrite map_app. cbn [map app fst]. do 4 f_equal.
    induction (seq 2 (Delta - 1)) as [| i k IH]; [reflexivity |]. cbn [flat_map app map fst]. rewrite IH. reflexivity. }
  assert (LP : part_laws (map fst l)).
  { rewrite E. constructor; [exact LG | constructor; [exact LG | apply cancelling_laws; assumption]]. }
  assert (Mu : Forall (fun one => has_mean (fst (fst one)) (snd one)) l).
  { apply Forall_app. split; [repeat (apply Forall_cons; [assumption |]); apply Forall_nil |].
    apply Forall_forall. intros one I. apply in_flat_map in I. destruct I as [i [I J]]. apply in_seq in I.
    destruct J as [<- | [<- | []]]; apply MV; lia. }
  unfold almost_central. rewrite <- E. assert (T := with_noise_total (fun x => own (Nat.min x Delta)) l x LP Mu).
  unfold length_of in T at 1. replace (INR (Nat.min 1 (Nat.min x Delta)) + _) with
    (length_of (own (Nat.min x Delta)) + total l (fun one => length_of (snd (fst one)) * snd one)); [exact T |].
  f_equal.
  - unfold length_of. f_equal. destruct (Nat.min x Delta); reflexivity.
  - unfold l. rewrite total_app, total_flat_map. cbn [total fst snd]. unfold length_of.
    rewrite (total_ext (seq 2 (Delta - 1)) _ (fun i => 6 * v i)).
    + rewrite total_scal. simpl. ring.
    + intros i _. cbn [total fst snd multiset length]. simpl. ring.
Qed.

(** The harmonic sum without its first term. *)
Lemma harmonic_ln Delta : (1 <= Delta)%nat -> total (seq 2 (Delta - 1)) (fun i => 1 / INR i) <= ln (INR Delta).
Proof.
  intros H. induction Delta as [| Delta IH]; [lia |]. destruct Delta as [| Delta]; [simpl; rewrite ln_1; lra |].
  replace (S (S Delta) - 1)%nat with (S Delta) by lia. replace (S Delta - 1)%nat with Delta in IH by lia.
  rewrite seq_S, total_app. specialize (IH ltac:(lia)). cbn [total]. replace (2 + Delta)%nat with (S (S Delta)) by lia.
  assert (P : 0 < INR (S Delta)) by (apply lt_0_INR; lia). rewrite (S_INR (S Delta)). set (d := INR (S Delta)) in *.
  assert (L : ln (d / (d + 1)) <= d / (d + 1) - 1).
  { assert (Q : 0 < d / (d + 1)) by (apply Rdiv_lt_0_compat; lra).
    assert (X := exp_ineq1_le (ln (d / (d + 1)))). rewrite exp_ln in X by exact Q. lra. }
  unfold Rdiv in L at 1. rewrite ln_mult, ln_Rinv in L by (try apply Rinv_0_lt_compat; lra).
  replace (d / (d + 1) - 1) with (- (1 / (d + 1))) in L by (field; lra). lra.
Qed.

Definition sides (Gamma i : nat) : nat := ((Gamma + i - 1) / i)%nat.

Lemma sides_enough Gamma i : (1 <= i)%nat -> (Gamma <= i * sides Gamma i)%nat.
Proof.
  intros H. unfold sides. assert (A := Nat.div_mod (Gamma + i - 1) i ltac:(lia)).
  assert (B := Nat.mod_upper_bound (Gamma + i - 1) i ltac:(lia)). lia.
Qed.

Lemma sides_least Gamma i : (1 <= i)%nat -> INR (sides Gamma i) <= INR Gamma * (1 / INR i) + 1.
Proof.
  intros H. assert (P : 0 < INR i) by (apply lt_0_INR; lia). apply Rmult_le_reg_l with (INR i); [exact P |].
  replace (INR i * (INR Gamma * (1 / INR i) + 1)) with (INR Gamma + INR i) by (field; lra).
  rewrite <- mult_INR, <- plus_INR. apply le_INR. unfold sides.
  assert (A := Nat.div_mod (Gamma + i - 1) i ltac:(lia)). lia.
Qed.

Lemma mean_at_most r y (n : nat) D mu : (1 <= n)%nat -> 0 < r -> 0 < y ->
  is_negative_binomial (r / INR n) (exp (- y)) D -> has_mean D mu -> mu <= r / y / INR n.
Proof.
  intros Hn Hr Hy ND M. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (R0 : 0 < r / INR n) by (apply Rdiv_lt_0_compat; lra).
  rewrite (sum_of_unique _ _ _ M (negative_binomial_mean _ _ D R0 (ratio_range y Hy) ND)).
  eapply Rle_trans; [apply (mean_by_exponent _ y R0 Hy) |]. right. field. lra.
Qed.

Lemma mean_exists r y (n : nat) D : (1 <= n)%nat -> 0 < r -> 0 < y ->
  is_negative_binomial (r / INR n) (exp (- y)) D -> exists mu, has_mean D mu.
Proof.
  intros Hn Hr Hy ND. assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (R0 : 0 < r / INR n) by (apply Rdiv_lt_0_compat; lra).
  exists (r / INR n * exp (- y) / (1 - exp (- y))). apply negative_binomial_mean; auto using ratio_range.
Qed.

Theorem almost_central_few_messages (n Delta Gamma x : nat) (e0 e1 e2 r1 r2 : R) (G W1 W2 : nat -> R)
  (V : nat -> nat -> R) :
  (1 <= n)%nat -> (1 <= Delta)%nat -> (1 <= Gamma)%nat -> 0 < e0 -> 0 < e1 -> 0 < e2 -> 0 < r1 -> 0 < r2 ->
  is_negative_binomial (1 / INR n) (exp (- (e0 / INR Delta))) G ->
  is_negative_binomial (r1 / INR n) (exp (- (e1 / (5 * INR Delta)))) W1 ->
  is_negative_binomial (r2 / INR n) (exp (- (e2 / (10 * INR Gamma)))) W2 ->
  (forall i, (2 <= i <= Delta)%nat ->
    is_negative_binomial (r2 / INR n) (exp (- (e2 / (10 * INR (sides Gamma i))))) (V i)) ->
  exists m, sum_of (fun u => almost_central Delta G W1 W2 V x u * INR (length u)) m /\
  m <= 1 + (2 * INR Delta / e0 + 10 * r1 * INR Delta / e1 +
    20 * r2 * (INR Gamma * (1 + 3 * ln (INR Delta)) + 3 * INR Delta) / e2) / INR n.
Proof.
  intros Hn HD HG He0 He1 He2 Hr1 Hr2 NG N1 N2 NV.
  assert (N : 0 < INR n) by (apply lt_0_INR; lia). assert (PD : 0 < INR Delta) by (apply lt_0_INR; lia).
  assert (PG : 0 < INR Gamma) by (apply lt_0_INR; lia).
  assert (PS : forall i, (2 <= i <= Delta)%nat -> 0 < INR (sides Gamma i)).
  { intros i Hi. apply lt_0_INR. assert (S := sides_enough Gamma i ltac:(lia)). destruct (sides Gamma i); lia. }
  assert (Y0 : 0 < e0 / INR Delta) by (apply Rdiv_lt_0_compat; lra).
  assert (Y1 : 0 < e1 / (5 * INR Delta)) by (apply Rdiv_lt_0_compat; lra).
  assert (Y2 : 0 < e2 / (10 * INR Gamma)) by (apply Rdiv_lt_0_compat; lra).
  assert (YV : forall i, (2 <= i <= Delta)%nat -> 0 < e2 / (10 * INR (sides Gamma i)))
    by (intros i Hi; specialize (PS i Hi); apply Rdiv_lt_0_compat; lra).
  destruct (mean_exists 1 _ n G Hn Rlt_0_1 Y0 NG) as [g MG]. destruct (mean_exists r1 _ n W1 Hn Hr1 Y1 N1) as [w1 M1].
  destruct (mean_exists r2 _ n W2 Hn Hr2 Y2 N2) as [w2 M2].
  set (v := fun i => let y := e2 / (10 * INR (sides Gamma i)) in r2 / INR n * exp (- y) / (1 - exp (- y))).
  assert (R2 : 0 < r2 / INR n) by (apply Rdiv_lt_0_compat; lra).
  assert (MV : forall i, (2 <= i <= Delta)%nat -> has_mean (V i) (v i)).
  { intros i Hi. apply negative_binomial_mean; [exact R2 | apply ratio_range, YV, Hi | apply NV, Hi]. }
  eexists. split; [exact (almost_central_messages Delta x G W1 W2 V g w1 w2 v (proj1 NG) (proj1 N1) (proj1 N2)
    (fun i Hi => proj1 (NV i Hi)) MG M1 M2 MV) |].
  assert (A0 := mean_at_most 1 _ n G g Hn Rlt_0_1 Y0 NG MG). assert (A1 := mean_at_most r1 _ n W1 w1 Hn Hr1 Y1 N1 M1).
  assert (A2 := mean_at_most r2 _ n W2 w2 Hn Hr2 Y2 N2 M2).
  assert (AV : total (seq 2 (Delta - 1)) v <= 10 * r2 / e2 * (INR Gamma * ln (INR Delta) + INR Delta) / INR n).
  { apply Rle_trans with (total (seq 2 (Delta - 1)) (fun i => 10 * r2 / e2 / INR n * (INR Gamma * (1 / INR i) + 1))).
    - apply total_le. intros i I. apply in_seq in I. assert (Hi : (2 <= i <= Delta)%nat) by lia.
      eapply Rle_trans; [apply (mean_at_most r2 _ n (V i) (v i) Hn Hr2 (YV i Hi) (NV i Hi) (MV i Hi)) |].
      specialize (PS i Hi). replace (r2 / (e2 / (10 * INR (sides Gamma i))) / INR n) with
        (10 * r2 / e2 / INR n * INR (sides Gamma i)) by (field; lra).
      apply Rmult_le_compat_l; [| apply sides_least; lia].
      left. apply Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat; lra | exact N].
    - rewrite total_scal, total_plus, total_scal, total_const, seq_length.
      replace (10 * r2 / e2 * (INR Gamma * ln (INR Delta) + INR Delta) / INR n) with
        (10 * r2 / e2 / INR n * (INR Gamma * ln (INR Delta) + INR Delta)) by (field; lra).
      apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; [apply Rdiv_lt_0_compat; lra | exact N] |].
      assert (H := harmonic_ln Delta HD). apply (Rmult_le_compat_l (INR Gamma)) in H; [| lra].
      assert (L := le_INR (Delta - 1) Delta ltac:(lia)). lra. }
  assert (One : INR (Nat.min 1 (Nat.min x Delta)) <= 1) by (change 1 with (INR 1); apply le_INR; lia).
  replace (1 / (e0 / INR Delta) / INR n) with (INR Delta / e0 / INR n) in A0 by (field; lra).
  replace (r1 / (e1 / (5 * INR Delta)) / INR n) with (5 * (r1 * INR Delta / e1 / INR n)) in A1 by (field; lra).
  replace (r2 / (e2 / (10 * INR Gamma)) / INR n) with (10 * (r2 * INR Gamma / e2 / INR n)) in A2 by (field; lra).
  replace (10 * r2 / e2 * (INR Gamma * ln (INR Delta) + INR Delta) / INR n) with
    (10 * (r2 * (INR Gamma * ln (INR Delta)) / e2 / INR n + r2 * INR Delta / e2 / INR n)) in AV by (field; lra).
  replace ((2 * INR Delta / e0 + 10 * r1 * INR Delta / e1 +
    20 * r2 * (INR Gamma * (1 + 3 * ln (INR Delta)) + 3 * INR Delta) / e2) / INR n) with
    (2 * (INR Delta / e0 / INR n) + 10 * (r1 * INR Delta / e1 / INR n) + 20 * (r2 * INR Gamma / e2 / INR n) +
    60 * (r2 * (INR Gamma * ln (INR Delta)) / e2 / INR n + r2 * INR Delta / e2 / INR n)) by (field; lra).
  lra.
Qed.

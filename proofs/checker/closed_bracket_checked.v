(** The kind shuffle_dp of k-ary response where the bracket is closed: [check_closed] accepts only what holds, or does
    not ([check_closed_sound]).

    Where no pair of counts lies between, data sets whose other users hold a third symbol are worst: the program adds up
    their divergence, in integers, over how often the two symbols of the pair are sent; what else is sent enters by its
    mean. For every k >= 3, e^eps0 and e^eps that are rational, and every number of users, proved and refuted.

    Idea: k_ary_worst.v and closing_program.v; the mean of a binomial number. Source: docs/certificates.md, "Closed
    brackets". *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Coq Require RMicromega.
From Exactdp Require Import reals sums laws privacy shuffler adding_a_user binomial atom_counts mean_excess k_ary_classes.
From Exactdp Require Import k_ary_ends closing closing_program k_ary_worst least_values pair_bound.
From ExactdpChecker Require Import claims witnesses kinds levels exact_program listed_noise.
From ExactdpChecker Require posed.
Import ListNotations.

(** ** The program *)

Definition sum_by (f : Z -> Z) (l : listing) : Z := fold_right (fun tx sum => snd tx * f (fst tx) + sum)%Z 0%Z l.

Section program.

Variables (k n : Z) (E e : Q).

Let u := Qnum E.
Let v := Zpos (Qden E).
Let x := Qnum e.
Let y := Zpos (Qden e).

(** Of E - e and E e - 1 over v y, of e - 1 over y, and of 1 - 2q over q. *)
Definition rise : Z := (u * y - x * v)%Z.
Definition fall : Z := (x * u - v * y)%Z.
Definition width : Z := ((x - y) * v)%Z.
Definition neither : Z := (u + (k - 3) * v)%Z.

(** v y neither times the mean of the sum of all values, if the two symbols are sent a and b times. *)
Definition gain (a b : Z) : Z :=
  let t := (a * rise - b * fall)%Z in
  if (t <=? 0)%Z then 0%Z else (neither * t - (n - a - b) * (v * width * (k - 2)))%Z.

Definition closed_total : Z :=
  sum_by (fun a => sum_by (gain a) (trials (n - a) (v # Z.to_pos (v + neither)))) (trials n (v # Z.to_pos (v + 1))).

(** The largest divergence, where it is known. *)
Definition closed_divergence : option Q :=
  if Qle_bool E e then Some 0%Q
  else if (width =? 0)%Z || k_ary_closing rise fall width n then
    Some (closed_total # Z.to_pos (n * (neither + 2 * v) ^ n * (v * y * neither)))
  else None.

End program.

Definition check_closed (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, shown with
  | Family (KAry k E), ReplaceOne, LeastNothing, ForAllDataSets ByClosedBracket p =>
      match (if proved then ratio_below l p else ratio_above l p) with
      | Some (X, Y) =>
          posed.randomizer_is_posed r && posed.level_is_posed l delta && (1 <=? n)%Z && (3 <=? k)%Z &&
          Qle_bool 1 (X # Z.to_pos Y) &&
          match closed_divergence k n E (X # Z.to_pos Y) with
          | Some d => if proved then Qle_bool d delta else negb (Qle_bool d delta)
          | None => false
          end
      | None => false
      end
  | _, _, _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

(** The mean of what else is sent. *)
Lemma mean_of_rest x y alpha beta m t :
  total (seq 0 (S m)) (fun r => C m r * (x ^ r * y ^ (m - r) * (t - INR r * alpha - INR (m - r) * beta))) =
  (x + y) ^ m * t - INR m * ((x + y) ^ (m - 1) * (x * alpha + y * beta)).
Proof.
  revert t. induction m as [| m IH]; intros t; [simpl; rewrite choose_0; ring |].
  rewrite pascal_sum.
  rewrite (total_ext _ (fun a => C m a * (x ^ S a * _ * _))
    (fun r => x * (C m r * (x ^ r * y ^ (m - r) * (t - alpha - INR r * alpha - INR (m - r) * beta))))).
  2: { intros r _. rewrite S_INR. replace (S m - S r)%nat with (m - r)%nat by lia. simpl pow. ring. }
  rewrite (total_ext _ (fun a => C m a * (x ^ a * _ * _))
    (fun r => y * (C m r * (x ^ r * y ^ (m - r) * (t - beta - INR r * alpha - INR (m - r) * beta))))).
  2: { intros r I. apply in_seq in I. replace (S m - r)%nat with (S (m - r)) by lia. rewrite S_INR. simpl pow. ring. }
  rewrite !total_scal, !IH, S_INR. simpl (S m - 1)%nat. rewrite Nat.sub_0_r. simpl pow.
  destruct m as [| m]; [simpl; ring |]. simpl (S m - 1)%nat. rewrite Nat.sub_0_r. simpl pow. ring.
Qed.

Lemma sum_by_value f l : IZR (sum_by f l) = summed_over l (fun t => IZR (f t)).
Proof.
  unfold sum_by, summed_over. induction l as [| [t x] l IH]; [reflexivity |]. cbn [fold_right total fst snd].
  rewrite plus_IZR, mult_IZR, IH. reflexivity.
Qed.

Lemma trials_powers N a b h : (0 < a)%Z -> (0 < b)%Z ->
  summed_over (trials (Z.of_nat N) (a # Z.to_pos (a + b))) h =
  total (seq 0 (S N)) (fun i => C N i * (IZR a ^ i * IZR b ^ (N - i)) * h (Z.of_nat i)).
Proof.
  intros A B. assert (Ar := IZR_lt _ _ A). assert (Br := IZR_lt _ _ B).
  assert (P : Q2R (a # Z.to_pos (a + b)) = IZR a / (IZR a + IZR b))
    by (unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id, plus_IZR by lia; reflexivity).
  rewrite trials_sum by (rewrite P; split; [left; apply Rdiv_lt_0_compat; lra |
    apply Rmult_le_reg_r with (IZR a + IZR b); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra]).
  unfold trials_total. cbn [Qden]. rewrite Z2Pos.id by lia. rewrite <- pow_IZR, plus_IZR, P, <- total_scal.
  apply total_ext. intros i I. apply in_seq in I. rewrite binom_inside by lia.
  replace (1 - IZR a / (IZR a + IZR b)) with (IZR b / (IZR a + IZR b)) by (field; lra).
  unfold Rdiv. rewrite !Rpow_mult_distr. assert (Z : (IZR a + IZR b) ^ N <> 0) by (apply pow_nonzero; lra).
  assert (O : (IZR a + IZR b) ^ N * ((/ (IZR a + IZR b)) ^ i * (/ (IZR a + IZR b)) ^ (N - i)) = 1).
  { rewrite <- pow_add. replace (i + (N - i))%nat with N by lia. rewrite pow_inv by lra. apply Rinv_r, Z. }
  transitivity ((IZR a + IZR b) ^ N * ((/ (IZR a + IZR b)) ^ i * (/ (IZR a + IZR b)) ^ (N - i)) *
    (C N i * (IZR a ^ i * IZR b ^ (N - i)) * h (Z.of_nat i))); [ring | rewrite O; ring].
Qed.

Section sound.

Context (k : nat) (n : nat) (E e : Q).
Hypothesis three : (3 <= k)%nat.
Hypothesis someone : (1 <= n)%nat.
Hypothesis E_1 : 1 < Q2R E.
Hypothesis e_1 : 1 <= Q2R e.

Let kz := Z.of_nat k.
Let V := IZR (Zpos (Qden E)).
Let Y := IZR (Zpos (Qden e)).
Let U := IZR (Qnum E).
Let X := IZR (Qnum e).
Let W := IZR (neither kz E).

Lemma numbers : 0 < V /\ 0 < Y /\ Q2R E = U / V /\ Q2R e = X / Y /\ V < U /\ Y <= X.
Proof.
  assert (V0 : 0 < V) by (apply IZR_lt; lia). assert (Y0 : 0 < Y) by (apply IZR_lt; lia).
  assert (HE : Q2R E = U / V) by reflexivity. assert (He : Q2R e = X / Y) by reflexivity.
  repeat split; try assumption.
  - apply Rmult_lt_reg_r with (/ V); [apply Rinv_0_lt_compat, V0 |]. rewrite Rinv_r by lra. unfold Rdiv in HE. lra.
  - apply Rmult_le_reg_r with (/ Y); [apply Rinv_0_lt_compat, Y0 |]. rewrite Rinv_r by lra. unfold Rdiv in He. lra.
Qed.

Lemma integers : IZR (rise E e) = V * Y * (Q2R E - Q2R e) /\ IZR (fall E e) = V * Y * (Q2R e * Q2R E - 1) /\
  IZR (width E e) = V * Y * (Q2R e - 1) /\ W = U + (INR k - 3) * V /\ 0 < W.
Proof.
  destruct numbers as [V0 [Y0 [-> [-> [UV _]]]]]. unfold rise, fall, width, W, neither, kz.
  rewrite ?plus_IZR, ?mult_IZR, ?minus_IZR, ?mult_IZR, ?minus_IZR, <- INR_IZR_INZ. fold U V X Y.
  assert (K := le_INR 3 k three). simpl in K.
  assert (0 <= (INR k - 3) * V) by (apply Rmult_le_pos; lra). repeat split; try (field; lra). lra.
Qed.

Lemma low_is : response_low k (Q2R E) = V / (W + 2 * V) /\ 0 < W + 2 * V.
Proof.
  destruct numbers as [V0 [_ [-> [_ [UV _]]]]]. destruct integers as [_ [_ [_ [Ww W0]]]]. split; [| lra].
  unfold response_low. rewrite Ww. field. split; [lra |].
  assert (K := le_INR 3 k three). simpl in K. assert (0 <= (INR k - 3) * V) by (apply Rmult_le_pos; lra). lra.
Qed.

Hypothesis closed : no_pair_between n (Q2R E) (Q2R e).

(** What one pair of counts adds. *)
Lemma gain_is a b : (a + b <= n)%nat ->
  let q := response_low k (Q2R E) in
  let m := (n - a - b)%nat in
  total (seq 0 (S m)) (fun r => C m r * ((Q2R E * q) ^ r * (INR (k - 3) * q) ^ (m - r) *
    Rmax 0 (INR a * (Q2R E - Q2R e) - INR b * (Q2R e * Q2R E - 1) - INR r * ((Q2R e - 1) / Q2R E) -
      INR (m - r) * (Q2R e - 1)))) =
  (W / (W + 2 * V)) ^ m * (IZR (gain kz (Z.of_nat n) E e (Z.of_nat a) (Z.of_nat b)) / (V * Y * W)).
Proof.
  intros L q m. destruct numbers as [V0 [Y0 [HE [He [UV XY]]]]]. destruct integers as [Ar [Br [Wd [Ww W0]]]].
  destruct low_is as [Lq D0]. set (t := INR a * (Q2R E - Q2R e) - INR b * (Q2R e * Q2R E - 1)).
  assert (T : IZR (Z.of_nat a * rise E e - Z.of_nat b * fall E e) = V * Y * t)
    by (rewrite minus_IZR, !mult_IZR, Ar, Br, <- !INR_IZR_INZ; unfold t; ring).
  unfold gain. destruct (Z.leb_spec (Z.of_nat a * rise E e - Z.of_nat b * fall E e) 0) as [N | P].
  - apply IZR_le in N. rewrite T in N. assert (t <= 0).
    { apply Rmult_le_reg_l with (V * Y); [apply Rmult_lt_0_compat; assumption | lra]. }
    rewrite (total_ext _ _ (fun _ => 0)), total_zero; [unfold Rdiv; ring |]. intros r _.
    rewrite Rmax_left; [ring |].
    assert (0 <= INR r * ((Q2R e - 1) / Q2R E)).
    { apply Rmult_le_pos; [apply pos_INR |]. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. }
    assert (0 <= INR (m - r) * (Q2R e - 1)) by (apply Rmult_le_pos; [apply pos_INR | lra]). lra.
  - apply IZR_lt in P. rewrite T in P. assert (T0 : 0 < t).
    { apply Rmult_lt_reg_l with (V * Y); [apply Rmult_lt_0_compat; assumption | lra]. }
    assert (Tm : (Q2R e - 1) * INR m <= t).
    { destruct (Rle_dec ((Q2R e - 1) * INR m) t) as [H | H]; [exact H | exfalso]. apply (closed a b L). fold m t. lra. }
    rewrite (total_ext _ _ (fun r => C m r * ((Q2R E * q) ^ r * (INR (k - 3) * q) ^ (m - r) *
      (t - INR r * ((Q2R e - 1) / Q2R E) - INR (m - r) * (Q2R e - 1))))).
    + rewrite mean_of_rest, (minus_IZR (neither kz E * _)), !mult_IZR, T, Wd. fold V W.
      rewrite (minus_INR k 3) by lia. rewrite !minus_IZR, <- !INR_IZR_INZ. unfold kz. rewrite <- INR_IZR_INZ.
      replace (INR n - INR a - INR b) with (INR m) by (unfold m; rewrite !minus_INR by lia; reflexivity).
      replace (Q2R E * q + (INR k - INR 3) * q) with (W / (W + 2 * V))
        by (unfold q; rewrite Lq, HE, Ww; simpl INR; field; lra).
      replace (Q2R E * q * ((Q2R e - 1) / Q2R E) + (INR k - INR 3) * q * (Q2R e - 1))
        with ((INR k - 2) * (Q2R e - 1) * (V / (W + 2 * V))) by (unfold q; rewrite Lq; simpl INR; field; lra).
      destruct m as [| m']; [simpl; field; lra |]. replace (S m' - 1)%nat with m' by lia.
      rewrite <- !tech_pow_Rmult. set (z := (W / (W + 2 * V)) ^ m'). field. lra.
    + intros r I. apply in_seq in I. rewrite Rmax_right; [reflexivity |]. fold t.
      assert (R1 : INR r * ((Q2R e - 1) / Q2R E) <= INR r * (Q2R e - 1)).
      { apply Rmult_le_compat_l; [apply pos_INR |]. apply Rmult_le_reg_r with (Q2R E); [lra |].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
      assert (R2 : INR m = INR r + INR (m - r)) by (rewrite minus_INR by lia; ring). rewrite R2 in Tm. lra.
Qed.

Theorem closed_total_is :
  k_ary_lower_sum n k (Q2R E) (Q2R e) =
  IZR (closed_total kz (Z.of_nat n) E e) / (INR n * ((W + 2 * V) ^ n * (V * Y * W))).
Proof.
  destruct numbers as [V0 [Y0 _]]. destruct integers as [_ [_ [_ [_ W0]]]]. destruct low_is as [Lq D0].
  assert (N0 : 0 < INR n) by (apply lt_0_INR; lia).
  unfold closed_total. rewrite sum_by_value, trials_powers by lia.
  unfold k_ary_lower_sum, sum_over_counts. cbv zeta.
  assert (D : (W + 2 * V) ^ n <> 0) by (apply pow_nonzero; lra).
  unfold Rdiv. replace (/ (INR n * ((W + 2 * V) ^ n * (V * Y * W))))
    with (/ ((W + 2 * V) ^ n * (V * Y * W)) * / INR n) by (field; repeat split; lra || exact D).
  rewrite <- Rmult_assoc. f_equal. rewrite <- total_scal_r. apply total_ext. intros a A. apply in_seq in A.
  replace (Z.of_nat n - Z.of_nat a)%Z with (Z.of_nat (n - a)) by lia.
  rewrite sum_by_value, trials_powers by (try lia; apply lt_IZR; exact W0). fold V W.
  rewrite !pow1, Rmult_1_r, <- total_scal, <- total_scal_r. apply total_ext. intros b B. apply in_seq in B.
  rewrite (total_ext _ _ (fun r => C n a * C (n - a) b * (response_low k (Q2R E) ^ a * response_low k (Q2R E) ^ b) *
    (C (n - a - b) r * ((Q2R E * response_low k (Q2R E)) ^ r * (INR (k - 3) * response_low k (Q2R E)) ^ (n - a - b - r) *
    Rmax 0 (INR a * (Q2R E - Q2R e) - INR b * (Q2R e * Q2R E - 1) - INR r * ((Q2R e - 1) * / Q2R E) -
      INR (n - a - b - r) * (Q2R e - 1)))))) by (intros; ring).
  assert (G := gain_is a b ltac:(lia)). cbv zeta in G. unfold Rdiv in G. rewrite total_scal, G, Lq. unfold Rdiv. rewrite !Rpow_mult_distr, !pow_inv by lra.
  replace ((W + 2 * V) ^ n) with ((W + 2 * V) ^ a * (W + 2 * V) ^ b * (W + 2 * V) ^ (n - a - b))
    by (rewrite <- !pow_add; f_equal; lia).
  field. repeat split; try lra; apply pow_nonzero; lra.
Qed.

End sound.

Lemma ln_at_least_0 x : 1 <= x -> 0 <= ln x.
Proof. intros [H | <-]; [left; rewrite <- ln_1; apply ln_increasing; lra | rewrite ln_1; lra]. Qed.

Section decided.

Context (k : nat) (n : nat) (E e : Q) (delta : Rdefinitions.R).
Hypothesis three : (3 <= k)%nat.
Hypothesis someone : (1 <= n)%nat.
Hypothesis E_1 : 1 < Q2R E.
Hypothesis e_1 : 1 <= Q2R e.
Hypothesis delta_0 : 0 <= delta.

Lemma nothing_beyond : Q2R E <= Q2R e -> k_ary_upper_sum n k (Q2R E) (Q2R e) = 0.
Proof.
  intros L. unfold k_ary_upper_sum, sum_over_counts. cbv zeta.
  rewrite (total_ext _ _ (fun _ => 0)), total_zero; [unfold Rdiv; ring |]. intros a _.
  rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |]. intros b _.
  rewrite (total_ext _ _ (fun _ => 0)), total_zero; [reflexivity |]. intros r _.
  rewrite Rmax_left; [ring |]. assert (A := pos_INR a). assert (B := pos_INR b). assert (C0 := pos_INR r).
  assert (0 <= INR b * (Q2R e * Q2R E - 1)) by (apply Rmult_le_pos; nra).
  assert (0 <= INR r * (Q2R e - 1)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma closed_divergence_right d :
  closed_divergence (Z.of_nat k) (Z.of_nat n) E e = Some d ->
  (shuffle_dp n (one_message (k_ary_records k (Q2R E))) (ln (Q2R e)) delta <-> Q2R d <= delta).
Proof.
  unfold closed_divergence. destruct (Qle_bool E e) eqn:L.
  - intros [= <-]. rewrite Q2R_0. apply Qle_bool_R in L. split; [intros _; exact delta_0 | intros _].
    apply k_ary_upper; try lra; try lia; [apply ln_at_least_0, e_1 |].
    rewrite exp_ln, nothing_beyond by lra. exact delta_0.
  - apply Qle_bool_R_false in L. destruct (_ || _)%bool eqn:Closed; [| discriminate]. intros [= <-].
    destruct (numbers k n E e three someone E_1 e_1) as [V0 [Y0 [HE [He [UV XY]]]]].
    destruct (integers k n E e three someone E_1 e_1) as [Ar [Br [Wd [Ww W0]]]].
    destruct (low_is k n E e three someone E_1 e_1) as [_ D0].
    set (V := IZR (Zpos (Qden E))) in *. set (Y := IZR (Zpos (Qden e))) in *.
    assert (VY : 0 < V * Y) by (apply Rmult_lt_0_compat; assumption).
    assert (Pairs : no_pair_between n (Q2R E) (Q2R e)).
    { apply orb_true_iff in Closed. destruct Closed as [Z | Closed].
      - apply Z.eqb_eq in Z. rewrite Z in Wd. intros a b _ [A B].
        assert (O : Q2R e - 1 = 0) by (apply Rmult_eq_reg_l with (V * Y); lra). rewrite O, Rmult_0_l in B. lra.
      - destruct (Req_dec (Q2R e) 1) as [One | More].
        + intros a b _ [A B]. assert (O : Q2R e - 1 = 0) by lra. rewrite O, Rmult_0_l in B. lra.
        + apply (k_ary_closing_correct (rise E e) (fall E e) (width E e) n _ _ (V * Y)); try assumption; try (symmetry; assumption);
            apply lt_IZR; rewrite ?Ar, ?Br, ?Wd; apply Rmult_lt_0_compat; try assumption; nra. }
    rewrite k_ary_worst by (try assumption; try lra; try (rewrite exp_ln by lra; exact Pairs);
      apply ln_at_least_0, e_1).
    rewrite exp_ln, (closed_total_is k n E e three someone E_1 e_1 Pairs) by lra.
    assert (Same : IZR (closed_total (Z.of_nat k) (Z.of_nat n) E e) /
        (INR n * ((IZR (neither (Z.of_nat k) E) + 2 * V) ^ n * (V * Y * IZR (neither (Z.of_nat k) E)))) =
      Q2R (closed_total (Z.of_nat k) (Z.of_nat n) E e # Z.to_pos (Z.of_nat n * (neither (Z.of_nat k) E + 2 * Zpos (Qden E)) ^ Z.of_nat n *
        (Zpos (Qden E) * Zpos (Qden e) * neither (Z.of_nat k) E)))).
    { unfold Q2R. cbn [Qnum Qden].
      assert (Den : INR n * ((IZR (neither (Z.of_nat k) E) + 2 * V) ^ n * (V * Y * IZR (neither (Z.of_nat k) E))) =
        IZR (Z.of_nat n * (neither (Z.of_nat k) E + 2 * Zpos (Qden E)) ^ Z.of_nat n *
          (Zpos (Qden E) * Zpos (Qden e) * neither (Z.of_nat k) E))).
      { rewrite !mult_IZR, <- pow_IZR, plus_IZR, mult_IZR, <- INR_IZR_INZ. fold V Y. ring. }
      rewrite Den. unfold Rdiv. rewrite Z2Pos.id; [reflexivity |]. apply lt_IZR. rewrite <- Den.
      apply Rmult_lt_0_compat; [apply lt_0_INR; lia |]. apply Rmult_lt_0_compat; [apply pow_lt, D0 |].
      apply Rmult_lt_0_compat; assumption. }
    unfold V, Y in *. rewrite Same. reflexivity.
Qed.

End decided.

Lemma dp_of_renamed {X Y M} n (R : Y -> dist (list M)) (S : X -> dist (list M)) (f : X -> Y) eps delta :
  (forall x, S x = R (f x)) -> shuffle_dp n R eps delta -> shuffle_dp n S eps delta.
Proof.
  intros H D. assert (Same : forall xs, messages S xs = messages R (map f xs)).
  { induction xs as [| x xs IH]; [reflexivity |]. simpl. rewrite H, IH. reflexivity. }
  intros xs ys N L T Sym. rewrite !Same. destruct N as [before x y after]. rewrite !map_app. simpl map.
  apply D; [constructor | | exact Sym]. rewrite <- L, !app_length. simpl. rewrite !map_length. reflexivity.
Qed.

(** Inputs beyond the last one stand for it, or for their remainders: the same is said of both. *)
Lemma inputs_or_records k n E eps delta : (2 <= k)%Z ->
  (shuffle_dp n (on_inputs k (k_ary_response (Z.to_nat k) E)) eps delta <->
   shuffle_dp n (one_message (k_ary_records (Z.to_nat k) E)) eps delta).
Proof.
  intros K. split; intros D.
  - refine (dp_of_renamed n _ _ (fun x => (x mod Z.to_nat k)%nat) eps delta _ D). intros x.
    unfold on_inputs, one_message, k_ary_records. rewrite Nat.min_l; [reflexivity |].
    assert (L := Nat.mod_upper_bound x (Z.to_nat k) ltac:(lia)). lia.
  - refine (dp_of_renamed n _ _ (fun x => Nat.min x (Z.to_nat k - 1)) eps delta _ D). intros x.
    unfold on_inputs, one_message, k_ary_records. rewrite Nat.mod_small by lia. reflexivity.
Qed.

Lemma dp_at_more {X M} n (R : X -> dist (list M)) E F delta :
  (forall x, proper (R x)) -> 0 < E <= F -> shuffle_dp n R (ln E) delta -> shuffle_dp n R (ln F) delta.
Proof.
  intros Pr HE D xs ys N L T S. specialize (D xs ys N L T S). rewrite exp_ln in * by lra.
  assert (P := proj1 (Pr_bounds _ T (proper_messages R ys Pr))). nra.
Qed.

Theorem check_closed_sound r n s nb l delta w proved shown :
  check_closed r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_closed. destruct r as [| f]; [discriminate |]. destruct f as [k E | | | | |]; try discriminate.
  destruct nb, w, shown as [| | | | [| | |] p | | | | | | | | | | | | | | | | | |]; try discriminate.
  destruct (if proved then ratio_below l p else ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  set (e := (X # Z.to_pos Y)%Q). rewrite !andb_true_iff. intros [[[[[P L] N] K] One] H].
  apply posed.randomizer_is_posed_sound in P. apply posed.level_is_posed_sound in L.
  apply Z.leb_le in N, K. apply Qle_bool_R in One. rewrite RMicromega.Q2R_1 in One.
  split; [simpl; auto |]. destruct P as [_ E1]. destruct L as [L1 [L2 L3]].
  destruct (closed_divergence k n E e) as [d |] eqn:D; [| discriminate].
  rewrite <- (Z2Nat.id k), <- (Z2Nat.id n) in D by lia.
  assert (Right := closed_divergence_right (Z.to_nat k) (Z.to_nat n) E e (Q2R delta) ltac:(lia) ltac:(lia) E1 One L2 d D).
  rewrite <- inputs_or_records in Right by lia.
  assert (Proper : forall x, proper (on_inputs k (k_ary_response (Z.to_nat k) (Q2R E)) x)).
  { intros x. apply proper_dmap, k_ary_proper; [lra | lia]. }
  assert (Bounds : if proved then Q2R e <= ratio l else ratio l <= Q2R e).
  { destruct proved; [destruct (ratio_below_sound l p X Y Ratio) as [R1 R2] |
      destruct (ratio_above_sound l p X Y Ratio) as [R1 R2]]; unfold Q2R, e; cbn [Qnum Qden];
      rewrite Z2Pos.id by (apply lt_IZR; exact R1); exact R2. }
  cbn [holds for_program]. destruct proved.
  - apply Qle_bool_R, Right in H. split; [| exact I]. intros m M. apply (adding_users (Z.to_nat n)).
    + destruct s; simpl in M; lia.
    + exact Proper.
    + apply (dp_at_more _ _ (Q2R e)); [exact Proper | lra | exact H].
  - apply negb_true_iff, Qle_bool_R_false in H. intros [All _]. specialize (All (Z.to_nat n)). simpl in All.
    assert (Dp : shuffle_dp (Z.to_nat n) (on_inputs k (k_ary_response (Z.to_nat k) (Q2R E))) (ln (ratio l)) (Q2R delta))
      by (apply All; destruct s; simpl; lia).
    apply (dp_at_more _ _ _ (Q2R e)) in Dp; [| exact Proper | lra]. apply Right in Dp. lra.
Qed.

(** Sums of integers in almost one message, as a program of the shuffle model: privacy and error.

    n >= 1 users hold a number from 0 to Delta >= 1 each; a larger one counts as Delta. A user sends his number as one
    message, unless it is 0, and draws z from G, G, W1, W2 and twice from V_i for 2 <= i <= Delta, each of which sends z
    times the bundle {1}, {-1}, {1, -1}, {1, -1}, the multiset of i and that of -i (zero_sum_multisets.v); the estimate
    is the sum of all messages ([almost_central]). Let G be NB(1/n, p), W1 NB(r1/n, q1), V_i NB(r_i/n, q_i), W2 any law.

    - [almost_central_private]: with e^(-e0/Delta) <= p < 1, r1 at least 3 and 3 ln(1/b1), e^(-e1/(5 Delta)) <= q1 < 1,
      r_i at least 3 and 3 ln(1/b2), e^(-e2/(10 t_i)) <= q_i < 1 and t_i >= Gamma/i it is (e0 + e1 + e2, b1 +
      2 (Delta - 1) b2)-DP behind a shuffler, for e0 > 0, 0 < e1 <= 1, 0 < e2 <= 1/2, b1, b2 > 0, if Gamma is at least
      2/3 of the spread of all numbers up to Delta (zero_sum_multisets.v);
    - [printed_width]: so is Gamma >= Delta (k + 1), k >= ln Delta;
    - [almost_central_error], [almost_central_tail]: whatever the laws but G are, and on every data set, the error of
      the estimate is z with probability (1-p)/(1+p) p^abs(z), and k or more, k >= 1, with 2 p^k/(1+p).

    Idea: if x becomes y, c_i(y) - c_i(x) multisets of i more are seen, and of the counts of 1 and -1 one moves by
    abs(y - x) more than the other: G hides that, and W1 that both move. The spread of x is at most Delta times the
    logarithm of Delta to the base 2, rounded up, and ln 2 >= 2/3.
    Source: Ghazi, Kumar, Manurangsi, Pagh, Sinha 2021, section 3 (the protocol); the proof is this package's. *)

From Coq Require Import Reals List Arith ZArith Lra Lia FinFun Permutation FunctionalExtensionality.
From Exactdp Require Import reals sums laws privacy masses infinite_sums hockey_stick logarithm geometric_noise.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_mean negative_binomial_sums.
From Exactdp Require Import negative_binomial_privacy counting_programs correlated_counting.
From Exactdp Require Import bundled_noise zero_sum_multisets moved_bundles.
Import ListNotations.
Open Scope R_scope.

(** ** The protocol *)

Definition cancelling (Delta : nat) (W1 W2 : nat -> R) (V : nat -> nat -> R) : list (noise_part Z) :=
  (W1, [1; -1]%Z) :: (W2, [1; -1]%Z) ::
  flat_map (fun i => [(V i, multiset (Z.of_nat i)); (V i, multiset (- Z.of_nat i))]) (seq 2 (Delta - 1)).

Definition almost_central (Delta : nat) (G W1 W2 : nat -> R) (V : nat -> nat -> R) : nat -> list Z -> R :=
  with_noise (fun x => own (Nat.min x Delta)) ((G, [1]%Z) :: (G, [-1]%Z) :: cancelling Delta W1 W2 V).

Lemma cancelling_laws Delta W1 W2 V : law W1 -> law W2 -> (forall i, (2 <= i <= Delta)%nat -> law (V i)) ->
  part_laws (cancelling Delta W1 W2 V).
Proof.
  intros L1 L2 LV. constructor; [exact L1 | constructor; [exact L2 |]]. apply Forall_forall. intros part I.
  apply in_flat_map in I. destruct I as [i [I J]]. apply in_seq in I.
  destruct J as [<- | [<- | []]]; apply LV; lia.
Qed.

Lemma cancelling_zero Delta W1 W2 V : Forall (fun part => added (snd part) = 0%Z) (cancelling Delta W1 W2 V).
Proof.
  constructor; [reflexivity | constructor; [reflexivity |]]. apply Forall_forall. intros part I.
  apply in_flat_map in I. destruct I as [i [_ [<- | [<- | []]]]]; apply multiset_adds_to_0.
Qed.

Lemma added_own Delta xs : added (flat_map (fun x => own (Nat.min x Delta)) xs) = Z.of_nat (clipped_sum Delta xs).
Proof.
  induction xs as [| x xs IH]; [reflexivity |]. cbn [flat_map]. rewrite added_app, IH.
  change (clipped_sum Delta (x :: xs)) with (Nat.min x Delta + clipped_sum Delta xs)%nat.
  rewrite Nat2Z.inj_add. f_equal. destruct (Nat.min x Delta); cbn [own added fold_right]; lia.
Qed.

(** ** The error *)

Section Difference.
  Variables (p : R) (G : nat -> R).
  Hypotheses (Hp : 0 < p < 1) (HG : is_negative_binomial 1 p G).

  (** A mean of the difference of two draws. *)
  Let over (F : Z -> R) : R := expectation G (fun g => expectation G (fun h => F (Z.of_nat g - Z.of_nat h)%Z)).

  Let EB (f : nat -> R) : unit_valued f -> 0 <= expectation G f <= 1.
  Proof. intros U. apply expectation_bounds; [apply HG | exact U]. Qed.

  Lemma over_ext F F' : unit_valued F -> (forall z, F z = F' z) -> over F = over F'.
  Proof.
    intros U E. apply expectation_ext; [apply HG | intros g; apply EB; intros h; apply U |]. intros g.
    apply expectation_ext; [apply HG | intros h; apply U | intros h; apply E].
  Qed.

  Lemma over_plus F F' : unit_valued F -> unit_valued F' -> unit_valued (fun z => F z + F' z) ->
    over (fun z => F z + F' z) = over F + over F'.
  Proof.
    intros U U' B.
    assert (S : forall g, expectation G (fun h => F (Z.of_nat g - Z.of_nat h)%Z + F' (Z.of_nat g - Z.of_nat h)%Z) =
      expectation G (fun h => F (Z.of_nat g - Z.of_nat h)%Z) + expectation G (fun h => F' (Z.of_nat g - Z.of_nat h)%Z)).
    { intros g. apply (expectation_plus G (proj1 HG) (fun h => F (Z.of_nat g - Z.of_nat h)%Z)
        (fun h => F' (Z.of_nat g - Z.of_nat h)%Z)); intros h; [apply U | apply U' | apply B]. }
    unfold over. rewrite <- expectation_plus; [| apply HG | | |].
    - apply expectation_ext; [apply HG | intros g; apply EB; intros h; apply B | exact S].
    - intros g. apply EB. intros h. apply U.
    - intros g. apply EB. intros h. apply U'.
    - intros g. rewrite <- S. apply EB. intros h. apply B.
  Qed.

  Lemma over_opp F : unit_valued F -> over F = over (fun z => F (- z)%Z).
  Proof.
    intros U. unfold over. rewrite expectation_swap; [| apply HG | apply HG | intros g h; apply U].
    apply expectation_ext; [apply HG | intros g; apply EB; intros h; apply U |]. intros g.
    apply expectation_ext; [apply HG | intros h; apply U |]. intros h. f_equal. lia.
  Qed.

  Let from (k : nat) (z : Z) : R := if Z.leb (Z.of_nat k) z then 1 else 0.

  Lemma from_unit k : unit_valued (from k).
  Proof. intros z. unfold from. destruct (Z.leb _ _); lra. Qed.

  Lemma over_from k : over (from k) = p ^ k / (1 + p).
  Proof.
    rewrite <- (one_side p G Hp HG k). unfold over.
    rewrite expectation_swap; [| apply HG | apply HG | intros g h; apply from_unit].
    apply expectation_ext; [apply HG | intros g; apply EB; intros h; apply from_unit |]. intros h.
    apply expectation_ext; [apply HG | intros g; apply from_unit |]. intros g. unfold from.
    destruct (Z.leb_spec (Z.of_nat k) (Z.of_nat g - Z.of_nat h)), (Nat.leb_spec (h + k) g); lia || reflexivity.
  Qed.

  Lemma over_point z : over (fun y => if Z.eqb y z then 1 else 0) = geometric p z.
  Proof.
    assert (U : forall z, unit_valued (fun y => if Z.eqb y z then 1 else 0)) by (intros w y; destruct (Z.eqb y w); lra).
    assert (Up : forall k : nat, over (fun y => if Z.eqb y (Z.of_nat k) then 1 else 0) = (1 - p) / (1 + p) * p ^ k).
    { intros k. assert (E : over (from k) = over (fun y => if Z.eqb y (Z.of_nat k) then 1 else 0) + over (from (S k))).
      { rewrite <- over_plus; [| apply U | apply from_unit |].
        - apply over_ext; [apply from_unit |]. intros y. unfold from.
          destruct (Z.leb_spec (Z.of_nat k) y), (Z.eqb_spec y (Z.of_nat k)), (Z.leb_spec (Z.of_nat (S k)) y);
            lia || ring.
        - intros y. unfold from. destruct (Z.eqb_spec y (Z.of_nat k)), (Z.leb_spec (Z.of_nat (S k)) y); lia || lra. }
      rewrite !over_from in E. simpl pow in E.
      replace ((1 - p) / (1 + p) * p ^ k) with (p ^ k / (1 + p) - p * p ^ k / (1 + p)) by (field; lra). lra. }
    unfold geometric. rewrite <- Up. destruct (Z.le_ge_cases 0 z) as [P | P].
    - apply over_ext; [apply U |]. intros y. replace (Z.of_nat (Z.abs_nat z)) with z by lia. reflexivity.
    - rewrite over_opp by apply U. apply over_ext; [intros y; apply (U z (- y)%Z) |]. intros y.
      destruct (Z.eqb_spec (- y) z), (Z.eqb_spec y (Z.of_nat (Z.abs_nat z))); lia || reflexivity.
  Qed.

  Lemma over_tail k : (1 <= k)%nat -> over (fun y => if Z.leb (Z.of_nat k) (Z.abs y) then 1 else 0) =
    2 * p ^ k / (1 + p).
  Proof.
    intros Hk. assert (U := from_unit k). assert (U' : unit_valued (fun y => from k (- y)%Z)) by (intros y; apply U).
    assert (E : forall y, (if Z.leb (Z.of_nat k) (Z.abs y) then 1 else 0) = from k y + from k (- y)%Z).
    { intros y. unfold from. destruct (Z.leb_spec (Z.of_nat k) (Z.abs y)), (Z.leb_spec (Z.of_nat k) y),
        (Z.leb_spec (Z.of_nat k) (- y)); lia || ring. }
    rewrite (over_ext _ (fun y => from k y + from k (- y)%Z));
      [| intros y; destruct (Z.leb (Z.of_nat k) (Z.abs y)); lra | exact E].
    rewrite over_plus; [| exact U | exact U' | intros y; rewrite <- E; destruct (Z.leb (Z.of_nat k) (Z.abs y)); lra].
    rewrite <- over_opp by exact U. rewrite over_from. field. lra.
  Qed.
End Difference.

Section Error.
  Variables (n Delta : nat) (p : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R) (xs : list nat).
  Hypotheses (Hn : (1 <= n)%nat) (Hp : 0 < p < 1) (Len : length xs = n).
  Hypotheses (NG : is_negative_binomial (1 / INR n) p G) (L1 : law W1) (L2 : law W2).
  Hypothesis LV : forall i, (2 <= i <= Delta)%nat -> law (V i).

  Let error (u : list Z) : Z := (added u - Z.of_nat (clipped_sum Delta xs))%Z.

  Lemma error_mean (F : Z -> R) : unit_valued F ->
    expectation (sent (almost_central Delta G W1 W2 V) xs) (fun u => F (error u)) =
    expectation (shares G n) (fun g => expectation (shares G n) (fun h => F (Z.of_nat g - Z.of_nat h)%Z)).
  Proof.
    intros U. unfold error, almost_central. assert (LC := cancelling_laws Delta W1 W2 V L1 L2 LV).
    rewrite (zero_sum_error (fun x => own (Nat.min x Delta)) G (cancelling Delta W1 W2 V) xs
      (fun s => F (s - Z.of_nat (clipped_sum Delta xs))%Z) (proj1 NG) LC (cancelling_zero Delta W1 W2 V))
      by (intros z; apply U).
    rewrite Len, added_own. assert (LS := shares_law G n (proj1 NG)).
    apply expectation_ext; [exact LS | intros g; apply expectation_bounds; [exact LS | intros h; apply U] |]. intros g.
    apply expectation_ext; [exact LS | intros h; apply U |]. intros h. f_equal. ring.
  Qed.

  Lemma error_mass z :
    expectation (sent (almost_central Delta G W1 W2 V) xs) (indicator (fun u => Z.eqb (error u) z)) = geometric p z.
  Proof.
    unfold indicator. rewrite (error_mean (fun y => if Z.eqb y z then 1 else 0)) by (intros y; destruct (Z.eqb y z);
      lra).
    apply over_point; [exact Hp |]. apply negative_binomial_divisible; assumption.
  Qed.

  Lemma error_tail k : (1 <= k)%nat ->
    expectation (sent (almost_central Delta G W1 W2 V) xs)
      (indicator (fun u => Z.leb (Z.of_nat k) (Z.abs (error u)))) = 2 * p ^ k / (1 + p).
  Proof.
    intros Hk. unfold indicator. rewrite (error_mean (fun y => if Z.leb (Z.of_nat k) (Z.abs y) then 1 else 0))
      by (intros y; destruct (Z.leb (Z.of_nat k) (Z.abs y)); lra).
    apply over_tail; [exact Hp | | exact Hk]. apply negative_binomial_divisible; assumption.
  Qed.
End Error.

Theorem almost_central_error (n Delta : nat) (p : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R)
  (xs : list nat) (z : Z) :
  (1 <= n)%nat -> 0 < p < 1 -> length xs = n ->
  is_negative_binomial (1 / INR n) p G -> law W1 -> law W2 -> (forall i, (2 <= i <= Delta)%nat -> law (V i)) ->
  let error u := (added u - Z.of_nat (clipped_sum Delta xs))%Z in
  expectation (sent (almost_central Delta G W1 W2 V) xs) (indicator (fun u => Z.eqb (error u) z)) = geometric p z.
Proof. intros Hn Hp Len NG L1 L2 LV. apply (error_mass n); assumption. Qed.

Theorem almost_central_tail (n Delta : nat) (p : R) (G W1 W2 : nat -> R) (V : nat -> nat -> R)
  (xs : list nat) (k : nat) :
  (1 <= n)%nat -> 0 < p < 1 -> length xs = n ->
  is_negative_binomial (1 / INR n) p G -> law W1 -> law W2 -> (forall i, (2 <= i <= Delta)%nat -> law (V i)) ->
  (1 <= k)%nat ->
  let error u := (added u - Z.of_nat (clipped_sum Delta xs))%Z in
  expectation (sent (almost_central Delta G W1 W2 V) xs)
    (indicator (fun u => Z.leb (Z.of_nat k) (Z.abs (error u)))) = 2 * p ^ k / (1 + p).
Proof. intros Hn Hp Len NG L1 L2 LV Hk. apply (error_tail n); assumption. Qed.

(** ** Privacy *)

Lemma hides_negative_binomial h b r p D c : 0 < h -> INR (Z.abs_nat c) * h <= 1 / 2 -> 0 < b -> 3 <= r ->
  3 * ln (1 / b) <= r -> exp (- (3 * h / 10)) <= p < 1 -> is_negative_binomial r p D ->
  hides D c (INR (Z.abs_nat c) * h) b.
Proof.
  intros Ph Hh Pb Hr Hb Hp N. apply hides_masses; [apply N |].
  destruct (Nat.eq_dec (Z.abs_nat c) 0) as [E | E].
  - replace c with 0%Z by lia. intros l _. simpl INR. rewrite Rmult_0_l, exp_0. lra.
  - apply (negative_binomial_moved h b r p (Z.abs_nat c) D); auto; lia.
Qed.

Lemma hides_by_Delta e1 b r p (Delta : nat) D c : (1 <= Delta)%nat -> 0 < e1 <= 1 -> 0 < b -> 3 <= r ->
  3 * ln (1 / b) <= r -> exp (- (e1 / (5 * INR Delta))) <= p < 1 -> is_negative_binomial r p D ->
  (Z.abs c <= Z.of_nat Delta)%Z -> hides D c e1 b.
Proof.
  intros HD He Pb Hr Hb Hp N K. apply hides_masses; [apply N |].
  apply (negative_binomial_below e1 b r p Delta D); auto. lia.
Qed.

(** The sum over all i of real numbers. *)
Lemma total_sum_to Delta f : total (seq 2 (Delta - 1)) (fun i => IZR (f (Z.of_nat i))) = IZR (sum_to Delta f).
Proof.
  unfold sum_to. induction (seq 2 (Delta - 1)) as [| i l IH]; cbn [total fold_right]; [reflexivity |].
  rewrite IH, plus_IZR. reflexivity.
Qed.

Lemma sum_to_le Delta f g : (forall i, (2 <= i <= Z.of_nat Delta)%Z -> (f i <= g i)%Z) ->
  (sum_to Delta f <= sum_to Delta g)%Z.
Proof.
  intros H. unfold sum_to. assert (I : forall i, In i (seq 2 (Delta - 1)) -> (f (Z.of_nat i) <= g (Z.of_nat i))%Z).
  { intros i I. apply in_seq in I. apply H. lia. }
  clear H. induction (seq 2 (Delta - 1)) as [| i l IH]; cbn [fold_right]; [lia |].
  assert (A := I i (or_introl eq_refl)). assert (B := IH (fun j J => I j (or_intror J))). lia.
Qed.

Lemma sum_to_term Delta f i : (2 <= i <= Delta)%nat -> (forall j, (2 <= j)%Z -> (0 <= f j)%Z) ->
  (f (Z.of_nat i) <= sum_to Delta f)%Z.
Proof.
  intros H P. rewrite <- (sum_to_single Delta i f H). apply sum_to_le. intros j J. specialize (P j ltac:(lia)).
  destruct (Z.eqb_spec j (Z.of_nat i)); lia.
Qed.

Section Private.
  Variables (n Delta Gamma : nat) (e0 e1 e2 b1 b2 p r1 q1 : R) (r q : nat -> R) (t : nat -> nat).
  Variables (G W1 W2 : nat -> R) (V : nat -> nat -> R).
  Hypotheses (Hn : (1 <= n)%nat) (HD : (1 <= Delta)%nat).
  Hypotheses (He0 : 0 < e0) (He1 : 0 < e1 <= 1) (He2 : 0 < e2 <= 1 / 2) (Hb1 : 0 < b1) (Hb2 : 0 < b2).
  Hypotheses (Hp : exp (- (e0 / INR Delta)) <= p < 1).
  Hypotheses (Hr1 : 3 <= r1) (Hl1 : 3 * ln (1 / b1) <= r1) (Hq1 : exp (- (e1 / (5 * INR Delta))) <= q1 < 1).
  Hypothesis Hr : forall i, (2 <= i <= Delta)%nat -> 3 <= r i /\ 3 * ln (1 / b2) <= r i.
  Hypothesis Ht : forall i, (2 <= i <= Delta)%nat -> (Gamma <= i * t i)%nat.
  Hypothesis Hq : forall i, (2 <= i <= Delta)%nat -> exp (- (e2 / (10 * INR (t i)))) <= q i < 1.
  Hypothesis Wide : forall x, (x <= Delta)%nat -> (2 * spread x <= 3 * Z.of_nat Gamma)%Z.
  Hypotheses (NG : is_negative_binomial (1 / INR n) p G) (N1 : is_negative_binomial (r1 / INR n) q1 W1) (L2 : law W2).
  Hypothesis NV : forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r i / INR n) (q i) (V i).

  Section Change.
    (** A user's number is x in the one data set and y in the other. *)
    Variables x y : nat.
    Hypotheses (Hx : (x <= Delta)%nat) (Hy : (y <= Delta)%nat).

    Definition change (i : Z) : Z := (coefficient x i - coefficient y i)%Z.

    Let k : Z := (Z.of_nat x - Z.of_nat y)%Z.
    Let h (i : nat) : R := e2 / (3 * INR (t i)).

    Lemma change_ones : (change 1 - change (-1))%Z = k.
    Proof. assert (A := coefficient_ones x). assert (B := coefficient_ones y). unfold change, k. lia. Qed.

    Lemma change_bounds : (Z.abs (change 1) <= Z.of_nat Delta)%Z /\ (Z.abs (change (-1)) <= Z.of_nat Delta)%Z.
    Proof.
      assert (A := coefficient_ones x). assert (B := coefficient_ones y). unfold change.
      assert (C := coefficient_signs x 1 ltac:(lia)). assert (D := coefficient_signs y 1 ltac:(lia)).
      change (- (1))%Z with (-1)%Z in *. lia.
    Qed.

    Lemma change_sum : (sum_to Delta (fun i => i * (Z.abs (change i) + Z.abs (change (- i)))) <= 3 * Z.of_nat Gamma)%Z.
    Proof.
      assert (A := Wide x Hx). assert (B := Wide y Hy).
      apply Z.le_trans with (spread x + spread y)%Z; [| lia].
      rewrite <- (spread_is Delta x Hx), <- (spread_is Delta y Hy), <- sum_to_plus. apply sum_to_le. intros i Hi.
      assert (C := coefficient_signs x i ltac:(lia)). assert (D := coefficient_signs y i ltac:(lia)).
      rewrite <- Z.mul_add_distr_l. apply Z.mul_le_mono_nonneg_l; [lia |]. unfold change. lia.
    Qed.

    Lemma Gamma_positive i : (2 <= i <= Delta)%nat -> 0 < INR Gamma.
    Proof.
      intros Hi. apply lt_0_INR. assert (A := Wide 2 ltac:(lia)). change (spread 2) with 2%Z in A. lia.
    Qed.

    Lemma t_positive i : (2 <= i <= Delta)%nat -> 0 < INR (t i).
    Proof.
      intros Hi. assert (A := INR_lt 0 Gamma (Gamma_positive i Hi)). apply lt_0_INR. specialize (Ht i Hi).
      destruct (t i); lia.
    Qed.

    (** What the multisets of i and -i lose together. *)
    Lemma loss_at i : (2 <= i <= Delta)%nat ->
      0 < h i /\ h i * IZR (Z.abs (change (Z.of_nat i)) + Z.abs (change (- Z.of_nat i))) <=
      e2 / (3 * INR Gamma) * IZR (Z.of_nat i * (Z.abs (change (Z.of_nat i)) + Z.abs (change (- Z.of_nat i)))).
    Proof.
      intros Hi. assert (T := t_positive i Hi). assert (PG := Gamma_positive i Hi). assert (M := le_INR _ _ (Ht i Hi)).
      rewrite mult_INR in M. assert (I : 0 < INR i) by (apply lt_0_INR; lia).
      split; [apply Rdiv_lt_0_compat; lra |]. rewrite mult_IZR, <- INR_IZR_INZ.
      set (s := IZR (Z.abs (change (Z.of_nat i)) + Z.abs (change (- Z.of_nat i)))).
      assert (S : 0 <= s) by (apply IZR_le; lia). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [exact S |].
      unfold h. apply Rmult_le_reg_r with (3 * INR (t i) * INR Gamma); [apply Rmult_lt_0_compat; lra |].
      replace (e2 / (3 * INR (t i)) * (3 * INR (t i) * INR Gamma)) with (e2 * INR Gamma) by (field; lra).
      replace (e2 / (3 * INR Gamma) * INR i * (3 * INR (t i) * INR Gamma)) with (e2 * (INR i * INR (t i)))
        by (field; lra).
      apply Rmult_le_compat_l; lra.
    Qed.

    Lemma all_losses : total (seq 2 (Delta - 1)) (fun i =>
      h i * IZR (Z.abs (change (Z.of_nat i)) + Z.abs (change (- Z.of_nat i)))) <= e2.
    Proof.
      destruct (le_lt_dec Delta 1) as [D1 | D1].
      { replace (Delta - 1)%nat with O by lia. simpl. lra. }
      assert (PG := Gamma_positive 2 ltac:(lia)).
      apply Rle_trans with (total (seq 2 (Delta - 1)) (fun i => e2 / (3 * INR Gamma) *
        IZR (Z.of_nat i * (Z.abs (change (Z.of_nat i)) + Z.abs (change (- Z.of_nat i)))))).
      - apply total_le. intros i I. apply in_seq in I. apply loss_at. lia.
      - rewrite total_scal, (total_sum_to Delta (fun i => i * (Z.abs (change i) + Z.abs (change (- i))))%Z).
        assert (C := IZR_le _ _ change_sum). rewrite mult_IZR, <- INR_IZR_INZ in C.
        apply (Rmult_le_compat_l (e2 / (3 * INR Gamma))) in C; [| left; apply Rdiv_lt_0_compat; lra].
        eapply Rle_trans; [exact C |]. right. field. lra.
    Qed.

    Lemma one_loss i : (2 <= i <= Delta)%nat ->
      INR (Z.abs_nat (change (Z.of_nat i))) * h i <= 1 / 2 /\ INR (Z.abs_nat (change (- Z.of_nat i))) * h i <= 1 / 2.
    Proof.
      intros Hi. destruct (loss_at i Hi) as [Ph L]. assert (PG := Gamma_positive i Hi).
      assert (T := sum_to_term Delta (fun i => i * (Z.abs (change i) + Z.abs (change (- i))))%Z i Hi).
      specialize (T ltac:(intros j J; apply Z.mul_nonneg_nonneg; lia)). cbv beta in T. assert (C := change_sum).
      assert (U := IZR_le _ _ (Z.le_trans _ _ _ T C)). rewrite (mult_IZR 3), <- INR_IZR_INZ in U.
      apply (Rmult_le_compat_l (e2 / (3 * INR Gamma))) in U; [| left; apply Rdiv_lt_0_compat; lra].
      replace (e2 / (3 * INR Gamma) * (3 * INR Gamma)) with e2 in U by (field; lra).
      assert (Abs : forall z, INR (Z.abs_nat z) = IZR (Z.abs z)) by (intros z; rewrite INR_IZR_INZ; f_equal; lia).
      rewrite !Abs, plus_IZR in *. assert (A := IZR_le _ _ (Z.abs_nonneg (change (Z.of_nat i)))).
      assert (B := IZR_le _ _ (Z.abs_nonneg (change (- Z.of_nat i)))).
      rewrite Rmult_plus_distr_l in L. assert (A' := Rmult_le_pos _ _ (Rlt_le _ _ Ph) A).
      assert (B' := Rmult_le_pos _ _ (Rlt_le _ _ Ph) B). lra.
    Qed.

    Definition of_multisets (i : nat) : list moved :=
      let by_so (c : Z) := INR (Z.abs_nat c) * h i in
      [Moved (shares (V i) n, multiset (Z.of_nat i)) (change (Z.of_nat i)) (by_so (change (Z.of_nat i))) b2;
       Moved (shares (V i) n, multiset (- Z.of_nat i)) (change (- Z.of_nat i)) (by_so (change (- Z.of_nat i))) b2].

    (** The counts of 1 and of -1: one of them moves by abs(k) more. *)
    Definition of_ones : list moved :=
      let up := Z.max k 0 in let down := Z.max (- k) 0 in
      let both := if Z.leb 0 k then change (-1) else change 1 in
      [Moved (shares G n, [1]%Z) up (INR (Z.to_nat up) * (e0 / INR Delta)) 0;
       Moved (shares G n, [-1]%Z) down (INR (Z.to_nat down) * (e0 / INR Delta)) 0;
       Moved (shares W1 n, [1; -1]%Z) both e1 b1; Moved (shares W2 n, [1; -1]%Z) 0%Z 0 0].

    Definition all_moved : list moved := of_ones ++ flat_map of_multisets (seq 2 (Delta - 1)).

    Lemma G_hides_up c : (0 <= c)%Z -> hides (shares G n) c (INR (Z.to_nat c) * (e0 / INR Delta)) 0.
    Proof.
      intros Hc. assert (S := negative_binomial_divisible 1 p G n Hn NG).
      assert (PD : 0 < INR Delta) by (apply lt_0_INR; lia).
      assert (PE : 0 < e0 / INR Delta) by (apply Rdiv_lt_0_compat; lra).
      replace c with (Z.of_nat (Z.to_nat c)) at 1 by lia. apply hides_up; [apply S | lra |]. intros z.
      assert (X := exp_pos (- (e0 / INR Delta))). rewrite (geometric_shares_steps p (shares G n)); [| lra | exact S].
      apply Rmult_le_compat_r; [apply S |].
      replace (exp (e0 / INR Delta)) with (/ exp (- (e0 / INR Delta))) by (rewrite exp_Ropp, Rinv_inv; reflexivity).
      apply Rinv_le_contravar; lra.
    Qed.

    Lemma all_hidden : Forall is_hidden all_moved.
    Proof.
      assert (SG := negative_binomial_divisible 1 p G n Hn NG).
      assert (S1 := negative_binomial_divisible r1 q1 W1 n Hn N1).
      apply Forall_app. split.
      - unfold of_ones. cbv zeta. repeat apply Forall_cons; [| | | | apply Forall_nil]; split;
          cbn [part fst by_so_many loss lost].
        + apply SG.
        + apply G_hides_up. lia.
        + apply SG.
        + apply G_hides_up. lia.
        + apply S1.
        + apply (hides_by_Delta e1 b1 r1 q1 Delta); auto. destruct change_bounds as [A B].
          destruct (Z.leb 0 k); assumption.
        + apply shares_law, L2.
        + apply hides_nothing, shares_law, L2.
      - apply Forall_forall. intros one I. apply in_flat_map in I. destruct I as [i [I J]]. apply in_seq in I.
        assert (Hi : (2 <= i <= Delta)%nat) by lia. assert (S := negative_binomial_divisible _ _ _ n Hn (NV i Hi)).
        destruct (one_loss i Hi) as [A B]. destruct (loss_at i Hi) as [Ph _]. destruct (Hr i Hi) as [R3 RL].
        assert (T := t_positive i Hi). assert (Qi : exp (- (3 * h i / 10)) <= q i < 1).
        { replace (3 * h i / 10) with (e2 / (10 * INR (t i))) by (unfold h; field; lra). apply Hq, Hi. }
        destruct J as [<- | [<- | []]]; (split; cbn [part fst by_so_many loss lost]; [apply S |]);
          apply (hides_negative_binomial (h i) b2 (r i) (q i)); assumption.
    Qed.

    Lemma all_parts : map part all_moved = pooled n ((G, [1]%Z) :: (G, [-1]%Z) :: cancelling Delta W1 W2 V).
    Proof.
      unfold all_moved, of_ones, cancelling, pooled. cbv zeta. rewrite map_app. cbn [map app fst snd part].
      do 4 f_equal.
      induction (seq 2 (Delta - 1)) as [| i l IH]; [reflexivity |]. cbn [flat_map app map of_multisets fst snd part].
      rewrite IH. reflexivity.
    Qed.

    Lemma moves_multisets l m : moves (flat_map of_multisets l) m =
      fold_right (fun i s => change (Z.of_nat i) * counts (multiset (Z.of_nat i)) m +
        change (- Z.of_nat i) * counts (multiset (- Z.of_nat i)) m + s)%Z 0%Z l.
    Proof.
      induction l as [| i l IH]; [reflexivity |]. cbn [flat_map]. rewrite moves_app, IH.
      unfold moves, of_multisets. cbn [fold_right part by_so_many snd]. ring.
    Qed.

    Lemma all_moves m : moves all_moved m = (counts (own x) m - counts (own y) m)%Z.
    Proof.
      rewrite <- (written Delta x m Hx), <- (written Delta y m Hy), <- combined_minus. fold change.
      unfold all_moved. rewrite moves_app, moves_multisets. unfold combined, sum_to. f_equal. assert (K := change_ones).
      unfold moves, of_ones. cbv zeta. cbn [fold_right part by_so_many snd].
      assert (C1 : counts [1]%Z m = one 1 m) by apply (counts_own 1 m).
      assert (C2 : counts [-1]%Z m = one (-1) m).
      { unfold counts, one. cbn [count_occ]. destruct (Z.eq_dec (-1) m), (Z.eqb_spec (-1) m); simpl; lia. }
      change [1; -1]%Z with ([1] ++ [-1])%Z. rewrite counts_app, C1, C2.
      destruct (Z.leb_spec 0 k) as [P | P].
      - replace (Z.max k 0) with (change 1 - change (-1))%Z by lia. replace (Z.max (- k) 0) with 0%Z by lia. ring.
      - replace (Z.max k 0) with 0%Z by lia. replace (Z.max (- k) 0) with (change (-1) - change 1)%Z by lia. ring.
    Qed.

    Lemma all_lost : total all_moved loss <= e0 + e1 + e2 /\ total all_moved lost <= b1 + 2 * INR (Delta - 1) * b2.
    Proof.
      assert (PD : 0 < INR Delta) by (apply lt_0_INR; lia).
      unfold all_moved. rewrite !total_app, !total_flat_map. unfold of_ones. cbv zeta. cbn [total loss lost]. split.
      - assert (A : total (seq 2 (Delta - 1)) (fun i => total (of_multisets i) loss) <= e2).
        { eapply Rle_trans; [| apply all_losses]. right. apply total_ext. intros i _. cbn [total of_multisets loss].
          rewrite plus_IZR, !INR_IZR_INZ, !Zabs2Nat.id_abs. ring. }
        assert (B : INR (Z.to_nat (Z.max k 0)) * (e0 / INR Delta) + INR (Z.to_nat (Z.max (- k) 0)) * (e0 / INR Delta) <=
          e0).
        { rewrite <- Rmult_plus_distr_r, <- plus_INR. apply Rle_trans with (INR Delta * (e0 / INR Delta)).
          - apply Rmult_le_compat_r; [left; apply Rdiv_lt_0_compat; lra | apply le_INR; unfold k; lia].
          - right. field. lra. }
        lra.
      - rewrite (total_ext _ _ (fun _ => 2 * b2)), total_const, seq_length
          by (intros i _; cbn [total of_multisets lost]; ring).
        lra.
    Qed.
  End Change.

  Lemma private_program :
    countable_dp n (almost_central Delta G W1 W2 V) (e0 + e1 + e2) (b1 + 2 * INR (Delta - 1) * b2).
  Proof.
    intros xs ys Near Len T Sym. destruct Near as [before x y after].
    set (own' := fun x => own (Nat.min x Delta)).
    assert (LV : forall i, (2 <= i <= Delta)%nat -> law (V i)) by (intros i Hi; apply (NV i Hi)).
    assert (LC := cancelling_laws Delta W1 W2 V (proj1 N1) L2 LV).
    set (parts := (G, [1]%Z) :: (G, [-1]%Z) :: cancelling Delta W1 W2 V).
    assert (LP : part_laws parts) by (constructor; [apply NG | constructor; [apply NG | exact LC]]).
    assert (LQ := pooled_laws n parts LP).
    assert (Form : forall zs, length zs = n -> expectation (sent (almost_central Delta G W1 W2 V) zs) (indicator T) =
      seen (pooled n parts) (at_counts T) (counts (flat_map own' zs))).
    { intros zs Lz. unfold almost_central. fold own' parts.
      rewrite sent_bundles; [| exact LP | intros u; apply indicator_bounds |].
      - rewrite Lz. apply bundles_seen; assumption.
      - intros u v P. unfold indicator. rewrite (Sym u v P). reflexivity. }
    rewrite !Form by (rewrite !app_length in *; exact Len).
    set (x' := Nat.min x Delta). set (y' := Nat.min y Delta).
    assert (Hx : (x' <= Delta)%nat) by (unfold x'; lia). assert (Hy : (y' <= Delta)%nat) by (unfold y'; lia).
    assert (B := moved_bundles (all_moved x' y') (at_counts T) (all_hidden x' y' Hx Hy) (at_counts_unit T)
      (counts (flat_map own' (before ++ y :: after)))).
    rewrite all_parts in B. fold parts in B.
    replace (fun i => (counts (flat_map own' (before ++ y :: after)) i + moves (all_moved x' y') i)%Z) with
      (counts (flat_map own' (before ++ x :: after))) in B.
    2:{ extensionality i. rewrite all_moves by assumption. rewrite !flat_map_app. cbn [flat_map]. rewrite !counts_app.
        unfold own'. fold x' y'. ring. }
    destruct (all_lost x' y' Hx Hy) as [E D]. eapply Rle_trans; [exact B |].
    apply Rplus_le_compat; [| exact D]. apply Rmult_le_compat_r; [apply seen_unit; [exact LQ | apply at_counts_unit] |].
    apply exp_le, E.
  Qed.
End Private.

Theorem almost_central_private (n Delta Gamma : nat) (e0 e1 e2 b1 b2 p r1 q1 : R) (r q : nat -> R) (t : nat -> nat)
  (G W1 W2 : nat -> R) (V : nat -> nat -> R) :
  (1 <= n)%nat -> (1 <= Delta)%nat -> 0 < e0 -> 0 < e1 <= 1 -> 0 < e2 <= 1 / 2 -> 0 < b1 -> 0 < b2 ->
  exp (- (e0 / INR Delta)) <= p < 1 ->
  3 <= r1 -> 3 * ln (1 / b1) <= r1 -> exp (- (e1 / (5 * INR Delta))) <= q1 < 1 ->
  (forall i, (2 <= i <= Delta)%nat -> 3 <= r i /\ 3 * ln (1 / b2) <= r i) ->
  (forall i, (2 <= i <= Delta)%nat -> (Gamma <= i * t i)%nat) ->
  (forall i, (2 <= i <= Delta)%nat -> exp (- (e2 / (10 * INR (t i)))) <= q i < 1) ->
  (forall x, (x <= Delta)%nat -> (2 * spread x <= 3 * Z.of_nat Gamma)%Z) ->
  is_negative_binomial (1 / INR n) p G -> is_negative_binomial (r1 / INR n) q1 W1 -> law W2 ->
  (forall i, (2 <= i <= Delta)%nat -> is_negative_binomial (r i / INR n) (q i) (V i)) ->
  countable_dp n (almost_central Delta G W1 W2 V) (e0 + e1 + e2) (b1 + 2 * INR (Delta - 1) * b2).
Proof. intros. apply (private_program n Delta Gamma e0 e1 e2 b1 b2 p r1 q1 r q t); assumption. Qed.

(** ** The printed width *)

Lemma ln_2_lower : 2 / 3 <= ln 2.
Proof. assert (L := ln_lower 1 ltac:(lra)). replace (1 + 1) with 2 in L by ring. lra. Qed.

Theorem printed_width (Delta k Gamma x : nat) : (1 <= Delta)%nat -> ln (INR Delta) <= INR k ->
  (Delta * (k + 1) <= Gamma)%nat -> (x <= Delta)%nat -> (2 * spread x <= 3 * Z.of_nat Gamma)%Z.
Proof.
  intros HD Hk HG Hx. destruct (le_lt_dec Delta 1) as [D1 | D1]; [rewrite spread_small by lia; lia |].
  destruct (Nat.log2_up_spec Delta D1) as [Low Up]. set (j := Nat.log2_up Delta) in *.
  assert (J : (1 <= j)%nat) by (assert (0 < j)%nat by (apply Nat.log2_up_pos; lia); lia).
  assert (S := spread_bound j x ltac:(lia)).
  assert (M : (2 * j <= 3 * k + 2)%nat).
  { apply INR_le. rewrite plus_INR, !mult_INR. change (INR 2) with 2. replace (INR 3) with 3 by (simpl; ring).
    apply lt_INR in Low. rewrite pow_INR in Low. change (INR 2) with 2 in Low.
    assert (L : INR (pred j) * ln 2 < ln (INR Delta)).
    { rewrite <- ln_pow by lra. apply ln_increasing; [apply pow_lt; lra | exact Low]. }
    assert (P : INR (pred j) = INR j - 1) by (rewrite <- Nat.sub_1_r, minus_INR by lia; reflexivity).
    assert (L2 := ln_2_lower). assert (N := pos_INR (pred j)).
    assert (INR (pred j) * (2 / 3) <= INR (pred j) * ln 2) by (apply Rmult_le_compat_l; lra). lra. }
  assert (A : (x * j <= Delta * j)%nat) by (apply Nat.mul_le_mono_r; exact Hx).
  assert (B : (Delta * (2 * j) <= Delta * (3 * k + 2))%nat) by (apply Nat.mul_le_mono_l; exact M).
  assert (C : (Delta * (3 * k + 2) <= 3 * (Delta * (k + 1)))%nat).
  { replace (3 * (Delta * (k + 1)))%nat with (Delta * (3 * k + 3))%nat by ring. apply Nat.mul_le_mono_l. lia. }
  nia.
Qed.

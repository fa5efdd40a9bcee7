(** The closed forms of the blanket's bound for k-ary randomized response.

    k >= 2 inputs, and an integer larger than k - 1 stands for its remainder; the own input is sent with the probability
    p / (p + k - 1), every other message with 1 / (p + k - 1), p = e^eps0. For 0 < eps < eps0, E = e^eps and every
    integer n >= 1 of users it is (eps, delta)-DP with a shuffler for delta = [hoeffding_bound] n gamma a b and for
    delta = [bennett_bound] n gamma a b+ s ([k_ary_hoeffding], [k_ary_bennett]), where

      gamma = k / (p + k - 1), a = E - 1, b = (1 - gamma) k (E + 1), b+ = gamma (1 - E) + (1 - gamma) k,
      s = gamma (2 - gamma) (E - 1)^2 + (1 - gamma)^2 k (E^2 + 1).

    These are the exact range, maximum and second moment of L = gamma (P - E Q) / c, with the greatest blanket,
    1 / (p + k - 1) for every message: L is k / (p + k - 1) times p - E, 1 - E p, or 1 - E.

    Source: BalleBellGasconNissim2019, section 5. *)

From Coq Require Import Reals List Lra Lia PeanoNat.
From Exactdp Require Import reals sums laws privacy hockey_stick independence single_message.
From Exactdp Require Import adding_a_user mean_excess hidden_message blanket homogeneous blanket_moments
  blanket_hoeffding blanket_bennett classes supports k_ary_classes.
Import ListNotations.
Open Scope R_scope.

Section KAry.

  Context (k : nat) (eps0 eps : R).
  Hypothesis two_inputs : (2 <= k)%nat.
  Hypothesis eps_range : 0 < eps < eps0.

  Let p := exp eps0.
  Let E := exp eps.
  Let low := response_low k p.
  Let gamma := INR k / (p + INR k - 1).

  Definition response (x : nat) : dist nat := k_ary_response k (exp eps0) (x mod k).

  (** The blanket. *)
  Let c : dist nat := blanket_of (counting (seq 0 k)) (p * low) low (fun _ => false).

  Lemma k_ary_levels : 1 < E < p.
  Proof. split; [unfold E; rewrite <- exp_0 |]; apply exp_increasing, eps_range. Qed.

  Lemma k_at_least_2 : 2 <= INR k.
  Proof. apply (le_INR 2), two_inputs. Qed.

  Lemma low_positive : 0 < low.
  Proof. assert (L := k_ary_levels). apply response_low_positive; [lia | lra]. Qed.

  Lemma input_below x : (x mod k < k)%nat.
  Proof. apply Nat.mod_upper_bound. lia. Qed.

  Lemma response_scheme :
    scheme (k_ary_response k p) k (counting (seq 0 k)) (fun v m => Nat.eqb m v) (p * low) low.
  Proof. assert (L := k_ary_levels). apply k_ary_scheme; [lia | lra]. Qed.

  Lemma proper_response x : proper (response x).
  Proof. assert (L := k_ary_levels). apply k_ary_proper; [fold p; lra | apply input_below]. Qed.

  Lemma mean_c f : mean c f = low * total (seq 0 k) f.
  Proof. unfold c. rewrite mean_blanket_of, mean_counting. apply total_scal. Qed.

  Lemma weight_c : weight c = gamma.
  Proof.
    unfold weight. rewrite mean_c, total_const, seq_length. unfold gamma, low, response_low, Rdiv. ring.
  Qed.

  Lemma c_below v : lies_below c (response v).
  Proof.
    apply (blanket_lies_below (k_ary_response k p) k _ _ (p * low) low response_scheme);
      [discriminate | apply input_below].
  Qed.

  Let drawn (m : nat) : R := mass (counting (seq 0 k)) m.

  Lemma mass_c m : mass c m = low * drawn m.
  Proof. apply (mass_density c (counting (seq 0 k)) (fun _ => low)). intros f. apply mean_blanket_of. Qed.

  Lemma mass_response x m : mass (response x) m = (if Nat.eqb m (x mod k) then p * low else low) * drawn m.
  Proof.
    destruct response_scheme as [_ [_ D]].
    apply (mass_density _ _ (fun m => if Nat.eqb m (x mod k) then p * low else low)).
    intros f. apply (D (x mod k)%nat (input_below x)).
  Qed.

  Lemma c_covers x y : covers_rows c (response x) (response y).
  Proof.
    intros m Z. rewrite mass_c in Z. apply Rmult_integral in Z. assert (L := low_positive).
    destruct Z as [Z | Z]; [lra |]. rewrite !mass_response, Z. split; ring.
  Qed.

  Lemma response_value x y m :
    covered c m -> (x mod k <> y mod k)%nat ->
    value_against (response x) (response y) E c m =
    if Nat.eqb m (x mod k) then p - E else if Nat.eqb m (y mod k) then 1 - E * p else 1 - E.
  Proof.
    intros C N. unfold covered in C. rewrite mass_c in C. assert (L := low_positive).
    unfold value_against. rewrite mass_c, !mass_response.
    destruct (Nat.eqb_spec m (x mod k)), (Nat.eqb_spec m (y mod k)); try congruence; field;
      (split; [intros Z; apply C; rewrite Z; ring | lra]).
  Qed.

  Lemma gamma_range : 0 < gamma <= 1.
  Proof.
    rewrite <- weight_c. split; [| apply (weight_below c (response 0)); [apply proper_response | apply c_below]].
    rewrite weight_c. unfold gamma. assert (L := k_ary_levels). assert (K := k_at_least_2).
    apply Rdiv_lt_0_compat; lra.
  Qed.

  (** A pair of inputs is enough. *)
  Lemma response_dp n delta :
    (1 <= n)%nat ->
    (forall x y, (x mod k <> y mod k)%nat -> reference_bound n (response x) (response y) E c <= delta) ->
    shuffle_dp n (one_message response) eps delta.
  Proof.
    intros Hn H. assert (L := k_ary_levels).
    assert (B : forall x y others, (x mod k <> y mod k)%nat -> S (length others) = n ->
      shuffle_below (one_message response) (x :: others) (y :: others) E delta).
    { intros x y others N Ln T Sy.
      assert (X := blanket_bound_one_message response c x y others E proper_response (proj1 (c_below x))
        (fun v _ => c_below v) T Sy).
      rewrite Ln in X. specialize (H x y N). lra. }
    apply (shuffle_dp_first n (one_message response) E); [intros v; apply proper_dmap, proper_response | |].
    1: apply Rle_refl.
    intros x y others Ln. destruct (Nat.eq_dec (x mod k) (y mod k)) as [Same | N]; [| apply B; assumption].
    assert (D : 0 <= delta).
    { assert (X := B 0%nat 1%nat others). rewrite !Nat.mod_small in X by lia.
      specialize (X ltac:(lia) Ln (fun _ => false)).
      assert (Z : forall d : dist (list nat), Pr d (fun _ => false) = 0).
      { intros d. unfold Pr, indicator, mean. rewrite (total_ext d _ (fun _ => 0)); [apply total_zero | intros; ring]. }
      rewrite !Z in X. specialize (X (fun u v _ => eq_refl)). lra. }
    intros T _. replace (messages (one_message response) (y :: others)) with
      (messages (one_message response) (x :: others)).
    - assert (P := Pr_bounds (messages (one_message response) (x :: others)) T
        (proper_messages _ _ (fun v => proper_dmap _ _ (proper_response v)))). nra.
    - apply messages_of_laws. simpl. f_equal. unfold one_message, response. rewrite Same. reflexivity.
  Qed.

  Lemma response_hoeffding n :
    (1 <= n)%nat ->
    shuffle_dp n (one_message response) eps (hoeffding_bound n gamma (E - 1) ((1 - gamma) * INR k * (E + 1))).
  Proof.
    intros Hn. apply response_dp; [exact Hn |]. intros x y N. assert (L := k_ary_levels). assert (G := gamma_range).
    assert (K := k_at_least_2). assert (PE : 0 < (p - 1) * (E - 1)) by (apply Rmult_lt_0_compat; lra).
    replace ((1 - gamma) * INR k * (E + 1)) with (gamma * (p - E) - gamma * (1 - E * p))
      by (unfold gamma; field; lra).
    rewrite <- weight_c.
    apply reference_hoeffding; try apply proper_response; [apply (c_below 0) |
      rewrite weight_c; apply G | apply c_covers |
      exact Hn | apply L | |].
    - rewrite weight_c. apply Rmult_lt_compat_l; [apply G | nra].
    - intros m C. rewrite (response_value x y m C N), weight_c.
      destruct (Nat.eqb m (x mod k)); [| destruct (Nat.eqb m (y mod k))]; split; apply Rmult_le_compat_l; nra.
  Qed.

  Lemma response_bennett n :
    (1 <= n)%nat ->
    shuffle_dp n (one_message response) eps (bennett_bound n gamma (E - 1) (gamma * (1 - E) + (1 - gamma) * INR k)
      (gamma * (2 - gamma) * (E - 1) ^ 2 + (1 - gamma) ^ 2 * INR k * (E ^ 2 + 1))).
  Proof.
    intros Hn. apply response_dp; [exact Hn |]. intros x y N. assert (L := k_ary_levels). assert (G := gamma_range).
    assert (K := k_at_least_2).
    replace (gamma * (1 - E) + (1 - gamma) * INR k) with (gamma * (p - E)) by (unfold gamma; field; lra).
    rewrite <- weight_c at 1.
    apply reference_bennett; try apply proper_response; [apply (c_below 0) |
      rewrite weight_c; apply G | apply c_covers |
      exact Hn | apply L | | | |].
    - apply Rmult_lt_0_compat; lra.
    - assert (0 < gamma * (2 - gamma) * (E - 1) ^ 2).
      { apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | apply pow_lt; lra]. }
      assert (0 <= (1 - gamma) ^ 2 * INR k * (E ^ 2 + 1)); [| lra].
      apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0 | lra] |]. assert (X := pow2_ge_0 E). lra.
    - intros m C. rewrite (response_value x y m C N), weight_c. apply Rmult_le_compat_l; [lra |].
      destruct (Nat.eqb m (x mod k)); [lra | destruct (Nat.eqb m (y mod k)); nra].
    - right. rewrite weight_c.
      rewrite (mean_ext_mass c _ (fun m => if Nat.eqb m (x mod k) then (p - E) ^ 2 else
        if Nat.eqb m (y mod k) then (1 - E * p) ^ 2 else (1 - E) ^ 2)).
      + rewrite mean_c, (total_seq_two k (x mod k) (y mod k) _ ((p - E) ^ 2) ((1 - E * p) ^ 2) ((1 - E) ^ 2)
          (input_below x) (input_below y) N (fun m => eq_refl)).
        rewrite minus_INR by lia. unfold gamma, low, response_low. simpl INR. field. lra.
      + intros m C. rewrite (response_value x y m C N).
        destruct (Nat.eqb m (x mod k)); [| destruct (Nat.eqb m (y mod k))]; reflexivity.
  Qed.

End KAry.

Theorem k_ary_hoeffding (k n : nat) (eps0 eps : R) :
  (2 <= k)%nat -> (1 <= n)%nat -> 0 < eps < eps0 ->
  let E := exp eps in
  let gamma := INR k / (exp eps0 + INR k - 1) in
  shuffle_dp n (one_message (response k eps0)) eps (hoeffding_bound n gamma (E - 1) ((1 - gamma) * INR k * (E + 1))).
Proof. intros Hk Hn He. apply (response_hoeffding k eps0 eps Hk He n Hn). Qed.

Theorem k_ary_bennett (k n : nat) (eps0 eps : R) :
  (2 <= k)%nat -> (1 <= n)%nat -> 0 < eps < eps0 ->
  let E := exp eps in
  let gamma := INR k / (exp eps0 + INR k - 1) in
  shuffle_dp n (one_message (response k eps0)) eps (bennett_bound n gamma (E - 1)
    (gamma * (1 - E) + (1 - gamma) * INR k)
    (gamma * (2 - gamma) * (E - 1) ^ 2 + (1 - gamma) ^ 2 * INR k * (E ^ 2 + 1))).
Proof. intros Hk Hn He. apply (response_bennett k eps0 eps Hk He n Hn). Qed.

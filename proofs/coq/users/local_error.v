(** No private local protocol counts n bits with an error below the order of sqrt(n).

    n >= 1 users hold a bit each and answer in turns as in local_randomized_response.v, each by a randomizer that is
    (eps, 0)-DP for eps > 0 and may depend on what was said. Any program estimates the number of ones from the list
    of all messages. Let s^2 = n e^eps/(e^eps + 1)^2. Whatever the protocol and the estimate:

    - [local_squared_error]: for some data set the mean squared error is at least s^2;
    - [local_error]: for every theta in [0, 1] there is a data set on which the error is at least sqrt(theta) s with
      a probability of at least (1 - theta)^2/(3 + 2/s + 1/s^2);
    - [local_error_constant]: for n >= 36 (e^eps + 1)^2/e^eps there is one on which it is at least
      sqrt(n e^eps)/(2 (e^eps + 1)) with a probability of at least 1/6.

    Proof. The estimate is made from the answers y of randomized response. Let the bits be drawn uniformly. Given y
    they are independent, each with the variance e^eps/(e^eps + 1)^2, so that for any number a the square
    Z = (S - a)^2, S their sum, has the mean A = b^2 + s^2, b = E[S] - a, and E[Z^2] <= 3 A^2 + 4 abs(b) s^2 + s^2,
    at most C A^2 with C = 3 + 2/s + 1/s^2. For every k >= 0 the indicator of Z >= theta s^2 is at least
    2 k (Z - theta s^2) - k^2 Z^2, and with k = (1 - theta)/(C A) the mean of that is (1 - theta)^2/C or more.
    What holds in the mean over all data sets holds for one of them.
    Source: this package; that the order is sqrt(n) is folklore. *)

From Coq Require Import Reals List Lra Lia Classical_Prop.
From Exactdp Require Import reals sums laws privacy bits single_message local_simulation local_randomized_response.
Import ListNotations.
Open Scope R_scope.

(** ** The bits, given the answers *)

(** Uniform bits and the answers of randomized response: either may be drawn first. *)
Lemma answers_first E n (F : list bool -> list bool -> R) :
  total (strings n) (fun xs => mean (reports (randomized_response E) xs) (fun ys => F xs ys)) =
  total (strings n) (fun ys => mean (reports (randomized_response E) ys) (fun xs => F xs ys)).
Proof.
  revert F. induction n as [| n IH]; intros F; [simpl; rewrite !mean_reports_none; reflexivity |].
  set (p := E / (E + 1)). set (q := 1 / (E + 1)).
  assert (L : forall x (G : list bool -> list bool -> R), total (strings n) (fun xs =>
      mean (reports (randomized_response E) (x :: xs)) (G xs)) =
    p * total (strings n) (fun xs => mean (reports (randomized_response E) xs) (fun ys => G xs (x :: ys))) +
    q * total (strings n) (fun xs => mean (reports (randomized_response E) xs) (fun ys => G xs (negb x :: ys)))).
  { intros x G. rewrite <- !total_scal, <- total_plus. apply total_ext. intros xs _.
    rewrite mean_reports_first, mean_randomized_response. reflexivity. }
  cbn [strings]. rewrite !total_app, !total_map.
  rewrite (L false (fun xs ys => F (false :: xs) ys)), (L true (fun xs ys => F (true :: xs) ys)).
  rewrite (L false (fun ys xs => F xs (false :: ys))), (L true (fun ys xs => F xs (true :: ys))).
  cbn [negb].
  rewrite (IH (fun xs ys => F (false :: xs) (false :: ys))), (IH (fun xs ys => F (false :: xs) (true :: ys))).
  rewrite (IH (fun xs ys => F (true :: xs) (false :: ys))), (IH (fun xs ys => F (true :: xs) (true :: ys))). ring.
Qed.

Section moments.

Variable E : R.
Hypothesis E_positive : 0 < E.

Let p := E / (E + 1).
Let v := E / (E + 1) ^ 2.

Lemma variance_is : v = p * (1 - p).
Proof. unfold v, p. field. lra. Qed.

(** The mean of the sum, and its third central moment, given the answers. *)
Definition posterior_mean (ys : list bool) : R := total ys (fun y : bool => if y then p else 1 - p).
Definition posterior_skew (ys : list bool) : R :=
  total ys (fun y : bool => if y then v * (1 - 2 * p) else v * (2 * p - 1)).

Lemma mean_posterior_first y ys (f : R -> R) :
  mean (reports (randomized_response E) (y :: ys)) (fun xs => f (INR (ones xs))) =
  (if y then p else 1 - p) * mean (reports (randomized_response E) ys) (fun xs => f (INR (ones xs) + 1)) +
  (if y then 1 - p else p) * mean (reports (randomized_response E) ys) (fun xs => f (INR (ones xs))).
Proof.
  rewrite mean_reports_first, mean_randomized_response.
  replace (1 / (E + 1)) with (1 - p) by (unfold p; field; lra). fold p.
  assert (S : mean (reports (randomized_response E) ys) (fun xs => f (INR (ones (true :: xs)))) =
    mean (reports (randomized_response E) ys) (fun xs => f (INR (ones xs) + 1))).
  { apply mean_ext. intros xs. cbn [ones]. rewrite S_INR. reflexivity. }
  destruct y; cbn [negb]; rewrite S; [reflexivity | apply Rplus_comm].
Qed.

Lemma second_moment ys c :
  mean (reports (randomized_response E) ys) (fun xs => (INR (ones xs) + c) ^ 2) =
  (posterior_mean ys + c) ^ 2 + INR (length ys) * v.
Proof.
  revert c. induction ys as [| y ys IH]; intros c.
  - rewrite mean_reports_none. unfold posterior_mean. simpl. ring.
  - rewrite (mean_posterior_first y ys (fun z => (z + c) ^ 2)), IH.
    rewrite (mean_ext _ _ (fun xs => (INR (ones xs) + (1 + c)) ^ 2)) by (intros xs; ring). rewrite IH.
    unfold posterior_mean. cbn [total length]. rewrite S_INR, variance_is.
    set (m := total ys _). destruct y; ring.
Qed.

Lemma fourth_moment ys c :
  let b := posterior_mean ys + c in let w := INR (length ys) * v in
  mean (reports (randomized_response E) ys) (fun xs => (INR (ones xs) + c) ^ 4) =
  b ^ 4 + 6 * b ^ 2 * w + 4 * b * posterior_skew ys + 3 * w ^ 2 + w * (1 - 6 * v).
Proof.
  revert c. induction ys as [| y ys IH]; intros c; cbv zeta.
  - rewrite mean_reports_none. unfold posterior_mean, posterior_skew. simpl. ring.
  - rewrite (mean_posterior_first y ys (fun z => (z + c) ^ 4)), IH.
    rewrite (mean_ext _ _ (fun xs => (INR (ones xs) + (1 + c)) ^ 4)) by (intros xs; ring). rewrite IH. cbv zeta.
    unfold posterior_mean, posterior_skew. cbn [total length]. rewrite S_INR, variance_is.
    set (m := total ys _). set (k := total ys _). destruct y; ring.
Qed.

Lemma p_range : 0 < p < 1.
Proof.
  unfold p. split; [apply Rdiv_lt_0_compat; lra |]. apply Rmult_lt_reg_r with (E + 1); [lra |]. field_simplify; lra.
Qed.

Lemma v_range : 0 < v.
Proof. rewrite variance_is. assert (P := p_range). apply Rmult_lt_0_compat; lra. Qed.

Lemma skew_bound ys : Rabs (posterior_skew ys) <= INR (length ys) * v.
Proof.
  assert (P := p_range). assert (V := v_range). unfold posterior_skew. induction ys as [| y ys IH].
  - simpl. rewrite Rabs_R0. lra.
  - cbn [total length]. rewrite S_INR. eapply Rle_trans; [apply Rabs_triang |].
    replace ((INR (length ys) + 1) * v) with (v + INR (length ys) * v) by ring. apply Rplus_le_compat; [| exact IH].
    assert (v * p <= v * 1) by (apply Rmult_le_compat_l; lra). assert (0 <= v * p) by (apply Rmult_le_pos; lra).
    apply Rabs_le. destruct y; lra.
Qed.

(** ** Anti-concentration *)

Definition spread (n : nat) : R := sqrt (INR n * v).

Lemma spread_squared n : spread n * spread n = INR n * v.
Proof. apply sqrt_sqrt, Rmult_le_pos; [apply pos_INR | left; apply v_range]. Qed.

Definition fourth_factor (s : R) : R := 3 + 2 / s + 1 / s ^ 2.

Lemma fourth_moment_bound ys a : (1 <= length ys)%nat ->
  let s := spread (length ys) in let A := (posterior_mean ys + a) ^ 2 + s ^ 2 in
  mean (reports (randomized_response E) ys) (fun xs => (INR (ones xs) + a) ^ 4) <= fourth_factor s * A ^ 2.
Proof.
  intros L s A. rewrite fourth_moment. cbv zeta. set (b := posterior_mean ys + a) in *.
  assert (V := v_range). assert (Q := spread_squared (length ys)). fold s in Q. rewrite <- Q.
  assert (N : 1 <= INR (length ys)) by (change 1 with (INR 1); apply le_INR, L).
  assert (S : 0 < s) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra).
  assert (K := skew_bound ys). rewrite <- Q in K. set (k := posterior_skew ys) in *.
  assert (A1 : s * s <= A) by (unfold A; assert (0 <= b ^ 2) by apply pow2_ge_0; simpl in *; lra).
  assert (B : 4 * b * k <= 2 * s * A).
  { apply Rle_trans with (4 * Rabs b * Rabs k).
    - rewrite !Rmult_assoc, <- Rabs_mult. apply Rmult_le_compat_l; [lra | apply Rle_abs].
    - apply Rle_trans with (4 * Rabs b * (s * s)).
      + apply Rmult_le_compat_l; [assert (X := Rabs_pos b); lra | exact K].
      + replace (4 * Rabs b * (s * s)) with (2 * s * (2 * Rabs b * s)) by ring.
        apply Rmult_le_compat_l; [lra |]. unfold A. rewrite <- (pow2_abs b).
        assert (X := pow2_ge_0 (Rabs b - s)). simpl in *. lra. }
  assert (C : 2 * s * A <= 2 / s * A ^ 2).
  { replace (2 * s * A) with (2 / s * A * (s * s)) by (field; lra).
    replace (2 / s * A ^ 2) with (2 / s * A * A) by (field; lra).
    apply Rmult_le_compat_l; [| exact A1]. apply Rmult_le_pos; [apply Rlt_le, Rdiv_lt_0_compat; lra |].
    assert (0 <= s * s) by (apply Rmult_le_pos; lra). lra. }
  assert (W : s * s <= 1 / s ^ 2 * A ^ 2).
  { replace (s * s) with (1 / s ^ 2 * (s * s) ^ 2) at 1 by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; [lra | apply pow_lt, S] |].
    apply pow_incr. split; [apply Rmult_le_pos; lra | exact A1]. }
  assert (T : b ^ 4 + 6 * b ^ 2 * (s * s) + 3 * (s * s) ^ 2 <= 3 * A ^ 2).
  { unfold A. assert (X := pow2_ge_0 (b ^ 2)). replace (3 * (b ^ 2 + s ^ 2) ^ 2) with
      (3 * (b ^ 2) ^ 2 + 6 * b ^ 2 * (s * s) + 3 * (s * s) ^ 2) by ring.
    replace (b ^ 4) with ((b ^ 2) ^ 2) by ring. lra. }
  assert (Y : 0 <= s * s * v) by (apply Rmult_le_pos; [apply Rmult_le_pos |]; lra).
  unfold fourth_factor. lra.
Qed.

(** The sum is rarely near a number, given the answers. *)
Lemma rarely_near ys a theta : (1 <= length ys)%nat -> 0 <= theta <= 1 ->
  let s := spread (length ys) in
  (1 - theta) ^ 2 / fourth_factor s <=
  Pr (reports (randomized_response E) ys) (fun xs => Rleb (sqrt theta * s) (Rabs (a - INR (ones xs)))).
Proof.
  intros L Ht s. assert (V := v_range). assert (Q := spread_squared (length ys)). fold s in Q.
  assert (N : 1 <= INR (length ys)) by (change 1 with (INR 1); apply le_INR, L).
  assert (S : 0 < s) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra).
  assert (F := fourth_moment_bound ys (- a) L). assert (M := second_moment ys (- a)). cbv zeta in F. fold s in F.
  rewrite <- Q in M. replace (s ^ 2) with (s * s) in F by ring.
  set (A := (posterior_mean ys + - a) ^ 2 + s * s) in *. set (C := fourth_factor s) in *.
  assert (S2 : 0 < s * s) by (apply Rmult_lt_0_compat; exact S).
  assert (HA : s * s <= A) by (unfold A; assert (B2 := pow2_ge_0 (posterior_mean ys + - a)); lra).
  assert (HC : 0 < C).
  { unfold C, fourth_factor. assert (0 < 2 / s) by (apply Rdiv_lt_0_compat; lra).
    assert (0 < 1 / s ^ 2) by (apply Rdiv_lt_0_compat; [lra | apply pow_lt, S]). lra. }
  assert (PR : forall ys, proper (reports (randomized_response E) ys)).
  { intros zs. apply proper_messages. intros x. apply proper_dmap, proper_randomized_response, E_positive. }
  set (k := (1 - theta) / (C * A)).
  assert (K : 0 <= k) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra]).
  apply Rle_trans with (mean (reports (randomized_response E) ys) (fun xs =>
    2 * k * (INR (ones xs) + - a) ^ 2 - (2 * k * (theta * (s * s)) + k ^ 2 * (INR (ones xs) + - a) ^ 4))).
  - rewrite mean_minus, mean_plus, !mean_scal, mean_const, M by apply PR.
    apply Rle_trans with (2 * k * A - (2 * k * (theta * A) + k ^ 2 * (C * A ^ 2))).
    + right. unfold k. field. lra.
    + assert (X1 : k ^ 2 * mean (reports (randomized_response E) ys) (fun xs => (INR (ones xs) + - a) ^ 4) <=
        k ^ 2 * (C * A ^ 2)) by (apply Rmult_le_compat_l; [apply pow2_ge_0 | exact F]).
      assert (X2 : 2 * k * (theta * (s * s)) <= 2 * k * (theta * A)).
      { apply Rmult_le_compat_l; [lra |]. apply Rmult_le_compat_l; lra. }
      lra.
  - apply mean_le; [apply PR |]. intros xs. unfold indicator. set (z := INR (ones xs)).
    set (Z := (z + - a) ^ 2). replace ((z + - a) ^ 4) with (Z ^ 2) by (unfold Z; ring).
    assert (HZ : 0 <= Z) by apply pow2_ge_0.
    assert (KT : 0 <= 2 * k * (theta * (s * s))) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
    destruct (Rleb _ _) eqn:B.
    + assert (X := pow2_ge_0 (1 - k * Z)). simpl in *. lra.
    + assert (Near : Z <= theta * (s * s)).
      { apply Rnot_lt_le. intros Far. assert (~ sqrt theta * s <= Rabs (a - z)) as No.
        { intros Y. apply Rleb_true in Y. congruence. }
        apply No. apply Rsqr_incr_0_var; [| apply Rabs_pos]. rewrite <- Rsqr_abs. unfold Rsqr.
        replace (sqrt theta * s * (sqrt theta * s)) with (sqrt theta * sqrt theta * (s * s)) by ring.
        rewrite sqrt_sqrt by lra. unfold Z in Far. simpl in Far. lra. }
      assert (X : 2 * k * Z <= 2 * k * (theta * (s * s))) by (apply Rmult_le_compat_l; lra).
      assert (Y : 0 <= k ^ 2 * Z ^ 2) by (apply Rmult_le_pos; apply pow2_ge_0). lra.
Qed.

End moments.

(** ** The theorems *)

(** Some term is at least the mean. *)
Lemma some_term_above {A} (l : list A) f c : l <> [] -> INR (length l) * c <= total l f -> exists a, In a l /\ c <= f a.
Proof.
  intros NE H. apply NNPP. intros No. assert (B : forall a, In a l -> f a < c).
  { intros a I. apply Rnot_le_lt. intros G. apply No. exists a. auto. }
  clear No. revert NE H B. induction l as [| a l IH]; intros NE H B; [apply NE; reflexivity |].
  assert (B0 := B a (or_introl eq_refl)). rewrite (S_INR (length l) : INR (length (a :: l)) = _) in H. simpl in H.
  destruct l as [| d l]; [simpl in H; lra |]. apply IH; [discriminate | lra | intros e I; apply B; right; exact I].
Qed.

Lemma strings_some n : strings n <> [].
Proof.
  intros E. assert (I := strings_all (repeat true n)). rewrite repeat_length, E in I. exact I.
Qed.

(** A loss that is at least c in the mean over the bits, given any answers and any estimate, is so on a data set. *)
Lemma some_data_set {M} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps
    (loss : Rdefinitions.R -> Rdefinitions.R -> Rdefinitions.R) c :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) ->
  (forall ys a, length ys = n ->
    c <= mean (reports (randomized_response (exp eps)) ys) (fun xs => loss a (INR (ones xs)))) ->
  exists xs, length xs = n /\ c <= mean (bind (in_turns R [] xs) estimate) (fun a => loss a (INR (ones xs))).
Proof.
  intros HR HE He P H. destruct (local_protocols_simulated R eps HR He P) as [K [PK Sim]].
  destruct (some_term_above (strings n)
    (fun xs => mean (bind (in_turns R [] xs) estimate) (fun a => loss a (INR (ones xs)))) c) as [xs [I L]].
  - apply strings_some.
  - rewrite <- total_const.
    rewrite (total_ext (strings n) (fun xs => mean (bind (in_turns R [] xs) estimate) (fun a => loss a (INR (ones xs))))
      (fun xs => mean (reports (randomized_response (exp eps)) xs) (fun ys =>
        mean (bind (K ys) estimate) (fun a => loss a (INR (ones xs)))))).
    + rewrite answers_first. apply total_le. intros ys I. rewrite mean_swap.
      rewrite <- (mean_const (bind (K ys) estimate) c) by (apply proper_bind; [apply PK | exact HE]).
      apply mean_le; [apply proper_bind; [apply PK | exact HE] |]. intros a. apply H, strings_length, I.
    + intros xs _. rewrite mean_bind, (Sim xs), mean_bind. apply mean_ext. intros ys. symmetry. apply mean_bind.
  - exists xs. split; [apply strings_length, I | exact L].
Qed.

Theorem local_squared_error {M} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) ->
  exists xs, length xs = n /\
  INR n * exp eps / (exp eps + 1) ^ 2 <=
  mean (bind (in_turns R [] xs) estimate) (fun a => (a - INR (ones xs)) ^ 2).
Proof.
  intros HR HE He P. apply (some_data_set R estimate n eps (fun a z => (a - z) ^ 2)); auto.
  intros ys a L. rewrite (mean_ext _ _ (fun xs => (INR (ones xs) + - a) ^ 2)) by (intros xs; ring).
  rewrite second_moment by apply exp_pos. rewrite L. unfold Rdiv. rewrite Rmult_assoc.
  assert (X := pow2_ge_0 (posterior_mean (exp eps) ys + - a)). lra.
Qed.

Theorem local_error {M} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps theta :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> (1 <= n)%nat -> 0 <= theta <= 1 ->
  let s := sqrt (INR n * (exp eps / (exp eps + 1) ^ 2)) in
  exists xs, length xs = n /\
  (1 - theta) ^ 2 / (3 + 2 / s + 1 / s ^ 2) <=
  Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (sqrt theta * s) (Rabs (a - INR (ones xs)))).
Proof.
  intros HR HE He P Hn Ht s.
  apply (some_data_set R estimate n eps (fun a z => if Rleb (sqrt theta * s) (Rabs (a - z)) then 1 else 0)); auto.
  intros ys a L. assert (B := rarely_near (exp eps) (exp_pos eps) ys a theta). rewrite L in B.
  apply B; assumption.
Qed.

Theorem local_error_constant {M} (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) n eps :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> 0 < eps ->
  (forall said, local_dp (R said) eps 0) -> 36 * (exp eps + 1) ^ 2 / exp eps <= INR n ->
  exists xs, length xs = n /\
  1 / 6 <= Pr (bind (in_turns R [] xs) estimate)
    (fun a => Rleb (sqrt (INR n * exp eps) / (2 * (exp eps + 1))) (Rabs (a - INR (ones xs)))).
Proof.
  intros HR HE He P Hn. assert (X := exp_pos eps). set (e := exp eps) in *.
  assert (N0 : 0 < INR n).
  { eapply Rlt_le_trans; [| exact Hn]. apply Rdiv_lt_0_compat; [| exact X].
    apply Rmult_lt_0_compat; [lra | apply pow_lt; lra]. }
  destruct (local_error R estimate n eps (1 / 4) HR HE He P) as [xs [L B]]; [apply INR_lt; simpl; lra | lra |].
  exists xs. split; [exact L |]. fold e in B. set (s := sqrt (INR n * (e / (e + 1) ^ 2))) in B.
  assert (S : sqrt (INR n * e) / (e + 1) = s).
  { unfold s. replace (INR n * (e / (e + 1) ^ 2)) with (INR n * e / (e + 1) ^ 2) by (field; lra).
    rewrite sqrt_div_alt by (apply pow_lt; lra). rewrite sqrt_pow2 by lra. reflexivity. }
  assert (S6 : 6 <= s).
  { unfold s. replace 6 with (sqrt (6 * 6)) by (rewrite sqrt_square; lra). apply sqrt_le_1_alt.
    apply (Rmult_le_compat_r (e / (e + 1) ^ 2)) in Hn; [| apply Rlt_le, Rdiv_lt_0_compat; [lra | apply pow_lt; lra]].
    replace (36 * (e + 1) ^ 2 / e * (e / (e + 1) ^ 2)) with 36 in Hn by (field; lra). lra. }
  assert (Q : sqrt (1 / 4) * s = sqrt (INR n * e) / (2 * (e + 1))).
  { replace (1 / 4) with (1 / 2 * (1 / 2)) by field. rewrite sqrt_square by lra. rewrite <- S. field. lra. }
  rewrite Q in B. eapply Rle_trans; [| exact B].
  assert (I6 : / s <= / 6) by (apply Rinv_le_contravar; lra).
  assert (I0 : 0 < / s) by (apply Rinv_0_lt_compat; lra).
  assert (I36 : / s * / s <= / 6 * / 6) by (apply Rmult_le_compat; lra).
  replace (3 + 2 / s + 1 / s ^ 2) with (3 + 2 * / s + / s * / s) by (field; lra).
  apply Rmult_le_reg_r with (3 + 2 * / s + / s * / s).
  - assert (0 < / s * / s) by (apply Rmult_lt_0_compat; exact I0). lra.
  - assert (0 < / s * / s) by (apply Rmult_lt_0_compat; exact I0). unfold Rdiv.
    rewrite (Rmult_assoc ((1 - 1 * / 4) ^ 2)), Rinv_l by lra. lra.
Qed.

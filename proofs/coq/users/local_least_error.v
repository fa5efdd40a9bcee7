(** The least mean error of a local protocol for a sum of one, two or three bits.

    n users hold a bit each and answer in turns, each with a randomizer that is (eps, 0)-DP, eps > 0, and may depend
    on what was said; an estimate of the sum is drawn from what they said (local_randomized_response.v). With
    E = e^eps, [local_least_error] says of n = 1, 2 and 3 what the least mean error in the worst data set is:

    - 1/(E+1) for n = 1 and 2/(E+1) for n = 2;
    - (3 (E+1)^2 - 3 E (E-1) t)/(E+1)^3 with t = (4E+2)/(E^3+5E^2-E+1) for n = 3:

    every protocol has that on some data set, and one has no more on any.

    Idea: every protocol is an estimate from n answers of randomized response, of which S are ones. Below: a prior, 1/2
    on none and on all for n <= 2, and for n = 3 proportional to E^3+2E^2+2E+1 on none and all and to 3E(E-1) on one and
    two ones; given the answers the first slope of the mean of abs(a - k) is at least 0 where S <= 1, so that a = 0 is
    best, and mirrored. Above: S itself; for n = 3, where S = 1, 0 with probability t and else 1, and mirrored.
    Source: this package. *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws privacy bits local_simulation local_randomized_response local_overlap.
Import ListNotations.
Open Scope R_scope.

Section Protocol.
  Context {M : Type}.
  Variables (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R).

  (** The mean error on a data set. *)
  Definition mean_error (xs : list bool) : Rdefinitions.R :=
    mean (bind (in_turns R [] xs) estimate) (fun a => Rabs (a - INR (ones xs))).
End Protocol.

(** A protocol of such users. *)
Definition private_in_turns {M} (eps : R) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) :=
  (forall said x, proper (R said x)) /\ (forall said, proper (estimate said)) /\
  (forall said, local_dp (R said) eps 0).

Definition least_error (eps : R) (n : nat) (least : R) : Prop :=
  (forall (M : Type) (R : list M -> bool -> dist M) estimate, private_in_turns eps R estimate ->
    exists xs, length xs = n /\ least <= mean_error R estimate xs) /\
  (exists (R : list bool -> bool -> dist bool) estimate, private_in_turns eps R estimate /\
    forall xs, length xs = n -> mean_error R estimate xs <= least).

(** ** Estimates and their distances *)

Section Estimate.
  Variable d : dist R.
  Hypothesis d_proper : proper d.
  Let far k := mean d (fun a => Rabs (a - INR k)).

  Lemma far_weighted w0 w1 w2 w3 c :
    (forall a, c <= w0 * Rabs (a - INR 0) + w1 * Rabs (a - INR 1) + w2 * Rabs (a - INR 2) + w3 * Rabs (a - INR 3)) ->
    c <= w0 * far 0 + w1 * far 1 + w2 * far 2 + w3 * far 3.
  Proof.
    intros H. unfold far. rewrite <- !mean_scal, <- !mean_plus, <- (mean_const d c d_proper).
    apply mean_le; [exact d_proper | exact H].
  Qed.

  Lemma far_from_both (n : nat) : INR n <= far 0 + far n.
  Proof.
    apply Rle_trans with (mean d (fun _ => INR n)); [rewrite mean_const; [lra | exact d_proper] |].
    unfold far. rewrite <- mean_plus. apply mean_le; [exact d_proper |]. intros a. change (INR 0) with 0. assert (X := Rabs_triang (a - 0) (- (a - INR n))). rewrite Rabs_Ropp in X.
    assert (Y := Rle_abs (a - 0 + - (a - INR n))). lra.
  Qed.

  Ltac three := intros a; simpl INR;
    assert (X0 := Rle_abs (a - 0)); assert (Y0 := Rle_abs (- (a - 0)));
    assert (X1 := Rle_abs (a - 1)); assert (Y1 := Rle_abs (- (a - 1)));
    assert (X2 := Rle_abs (a - (1 + 1))); assert (Y2 := Rle_abs (- (a - (1 + 1))));
    assert (X3 := Rle_abs (a - (1 + 1 + 1))); assert (Y3 := Rle_abs (- (a - (1 + 1 + 1))));
    assert (P0 := Rabs_pos (a - 0)); assert (P3 := Rabs_pos (a - (1 + 1 + 1)));
    rewrite Rabs_Ropp in Y0, Y1, Y2, Y3.

  Lemma far_low w0 w1 w2 w3 : 0 <= w1 -> 0 <= w2 -> 0 <= w3 -> w1 + w2 + w3 <= w0 ->
    w1 + 2 * w2 + 3 * w3 <= w0 * far 0 + w1 * far 1 + w2 * far 2 + w3 * far 3.
  Proof.
    intros H1 H2 H3 H. apply far_weighted. three.
    assert (w1 * (1 - Rabs (a - 0)) <= w1 * Rabs (a - 1)) by (apply Rmult_le_compat_l; lra).
    assert (w2 * (2 - Rabs (a - 0)) <= w2 * Rabs (a - (1 + 1))) by (apply Rmult_le_compat_l; lra).
    assert (w3 * (3 - Rabs (a - 0)) <= w3 * Rabs (a - (1 + 1 + 1))) by (apply Rmult_le_compat_l; lra).
    assert ((w1 + w2 + w3) * Rabs (a - 0) <= w0 * Rabs (a - 0)) by (apply Rmult_le_compat_r; lra). lra.
  Qed.

  Lemma far_high w0 w1 w2 w3 : 0 <= w0 -> 0 <= w1 -> 0 <= w2 -> w0 + w1 + w2 <= w3 ->
    3 * w0 + 2 * w1 + w2 <= w0 * far 0 + w1 * far 1 + w2 * far 2 + w3 * far 3.
  Proof.
    intros H0 H1 H2 H. apply far_weighted. three. set (z := Rabs (a - (1 + 1 + 1))) in *.
    assert (w0 * (3 - z) <= w0 * Rabs (a - 0)) by (apply Rmult_le_compat_l; lra).
    assert (w1 * (2 - z) <= w1 * Rabs (a - 1)) by (apply Rmult_le_compat_l; lra).
    assert (w2 * (1 - z) <= w2 * Rabs (a - (1 + 1))) by (apply Rmult_le_compat_l; lra).
    assert ((w0 + w1 + w2) * z <= w3 * z) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
End Estimate.

(** ** Below: every protocol is an estimate from randomized response *)

Lemma by_answers {M} eps (R : list M -> bool -> dist M) estimate : 0 < eps -> private_in_turns eps R estimate ->
  exists from : list bool -> dist Rdefinitions.R, (forall ys, proper (from ys)) /\
  forall xs, mean_error R estimate xs =
    mean (reports (randomized_response (exp eps)) xs) (fun ys => mean (from ys) (fun a => Rabs (a - INR (ones xs)))).
Proof.
  intros He [HR [HE P]]. destruct (local_protocols_simulated R eps HR He P) as [K [PK S]].
  exists (fun ys => bind (K ys) estimate). split; [intros ys; apply proper_bind; auto |].
  intros xs. unfold mean_error. rewrite mean_bind, S, mean_bind. apply mean_ext. intros ys. rewrite mean_bind.
  reflexivity.
Qed.

(** A prior with a large mean has a data set with a large value. *)
Lemma in_prior (prior : dist (list bool)) (n : nat) (value : list bool -> R) c :
  proper prior -> (forall wa, In wa prior -> length (snd wa) = n) -> c <= mean prior value ->
  exists xs, length xs = n /\ c <= value xs.
Proof.
  intros P L H. destruct (some_outcome_above prior value c P H) as [wa [I V]]. exists (snd wa). split; [apply L, I | exact V].
Qed.

Lemma mean_reports_same {X A} (R : X -> dist A) said xs f :
  mean (in_turns (fun _ => R) said xs) f = mean (reports R xs) (fun ys => f (said ++ ys)).
Proof.
  revert said f. induction xs as [| x xs IH]; intros said f.
  - rewrite mean_reports_none, app_nil_r. simpl. apply mean_ret.
  - rewrite mean_reports_first. simpl. rewrite mean_bind. apply mean_ext. intros a. rewrite IH.
    apply mean_ext. intros ys. rewrite <- app_assoc. reflexivity.
Qed.

Section Level.
  Variable eps : R.
  Hypothesis He : 0 < eps.
  Let E := exp eps.
  Let q := 1 / (E + 1).
  Let p := E / (E + 1).

  Lemma level : 1 < E /\ 0 < q < p /\ p = E * q /\ p + q = 1.
  Proof.
    assert (H := exp_increasing 0 eps He). rewrite exp_0 in H. fold E in H. split; [exact H |].
    assert (Q : 0 < q) by (apply Rdiv_lt_0_compat; lra). assert (PQ : p = E * q) by (unfold p, q; field; lra).
    split; [split; [exact Q | rewrite PQ; nra] |]. split; [exact PQ | unfold p, q; field; lra].
  Qed.

  Lemma first_answer x xs f :
    mean (reports (randomized_response E) (x :: xs)) f =
    p * mean (reports (randomized_response E) xs) (fun ys => f (x :: ys)) +
    q * mean (reports (randomized_response E) xs) (fun ys => f (negb x :: ys)).
  Proof. rewrite mean_reports_first, mean_randomized_response. reflexivity. Qed.

  Ltac expand := repeat rewrite first_answer; rewrite !mean_reports_none; cbn [negb].

  Lemma three_answers x y z f : mean (reports (randomized_response E) [x; y; z]) f =
    p * (p * (p * f [x; y; z] + q * f [x; y; negb z]) + q * (p * f [x; negb y; z] + q * f [x; negb y; negb z])) +
    q * (p * (p * f [negb x; y; z] + q * f [negb x; y; negb z]) +
         q * (p * f [negb x; negb y; z] + q * f [negb x; negb y; negb z])).
  Proof. expand. reflexivity. Qed.

  Let from_response (estimate : list bool -> dist R) := mean_error (fun _ => randomized_response E) estimate.

  Lemma response_in_turns (estimate : list bool -> dist R) :
    (forall ys, proper (estimate ys)) -> private_in_turns eps (fun _ => randomized_response E) estimate.
  Proof.
    intros H. assert (L := level). split; [intros _ x; apply proper_randomized_response; lra |].
    split; [exact H |]. intros _. apply randomized_response_private. lra.
  Qed.

  Lemma from_response_error estimate xs : from_response estimate xs =
    mean (reports (randomized_response E) xs) (fun ys => mean (estimate ys) (fun a => Rabs (a - INR (ones xs)))).
  Proof.
    unfold from_response, mean_error. rewrite mean_bind, mean_reports_same. reflexivity.
  Qed.

  Lemma least_of_one : least_error eps 1 (1 / (E + 1)).
  Proof.
    destruct level as [HE [Q [PQ One]]]. fold q. split.
    - intros M R estimate P. destruct (by_answers eps R estimate He P) as [from [PF S]].
      apply (in_prior [(1 / 2, [false]); (1 / 2, [true])]).
      + split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; lra].
      + intros wa [<- | [<- | []]]; reflexivity.
      + unfold mean. cbn [total fst snd]. rewrite !S. fold E. expand. cbn [ones].
        assert (X := far_from_both (from [false]) (PF _) 1). assert (Y := far_from_both (from [true]) (PF _) 1).
        set (a0 := mean (from [false]) (fun a => Rabs (a - INR 0))) in *.
        set (a1 := mean (from [false]) (fun a => Rabs (a - INR 1))) in *.
        set (b0 := mean (from [true]) (fun a => Rabs (a - INR 0))) in *.
        set (b1 := mean (from [true]) (fun a => Rabs (a - INR 1))) in *. simpl INR in X, Y.
        assert (A0 : 0 <= a0) by (apply mean_nonneg; [apply PF | intros; apply Rabs_pos]).
        assert (B1 : 0 <= b1) by (apply mean_nonneg; [apply PF | intros; apply Rabs_pos]).
        assert (q * a0 <= p * a0) by (apply Rmult_le_compat_r; lra).
        assert (q * b1 <= p * b1) by (apply Rmult_le_compat_r; lra).
        assert (q * 1 <= q * (a0 + a1)) by (apply Rmult_le_compat_l; lra).
        assert (q * 1 <= q * (b0 + b1)) by (apply Rmult_le_compat_l; lra). lra.
    - exists (fun _ => randomized_response E), (fun ys => ret (INR (ones ys))).
      split; [apply response_in_turns; intros; apply proper_ret |].
      intros [| x [| y xs]] L; try discriminate. fold from_response. rewrite from_response_error. expand.
      rewrite !mean_ret. destruct x; cbn [ones negb]; simpl INR; unfold Rabs; repeat destruct (Rcase_abs _); lra.
  Qed.

  Lemma least_of_two : least_error eps 2 (2 / (E + 1)).
  Proof.
    destruct level as [HE [Q [PQ One]]]. replace (2 / (E + 1)) with (2 * q) by (unfold q; field; lra). split.
    - intros M R estimate P. destruct (by_answers eps R estimate He P) as [from [PF S]].
      apply (in_prior [(1 / 2, [false; false]); (1 / 2, [true; true])]).
      + split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; lra].
      + intros wa [<- | [<- | []]]; reflexivity.
      + unfold mean. cbn [total fst snd]. rewrite !S. fold E. expand. cbn [ones].
        assert (Both := fun ys => far_from_both (from ys) (PF ys) 2).
        assert (Pos : forall ys k, 0 <= mean (from ys) (fun a => Rabs (a - INR k))).
        { intros ys k. apply mean_nonneg; [apply PF | intros; apply Rabs_pos]. }
        assert (QQ : 0 < q * q) by (apply Rmult_lt_0_compat; lra).
        assert (PP : q * q <= p * p) by (apply Rmult_le_compat; lra).
        assert (PQ0 : 0 < p * q) by (apply Rmult_lt_0_compat; lra).
        assert (X1 := Both [false; false]). assert (X2 := Both [false; true]).
        assert (X3 := Both [true; false]). assert (X4 := Both [true; true]).
        assert (Z1 := Pos [false; false] 0%nat). assert (Z4 := Pos [true; true] 2%nat).
        set (a0 := mean (from [false; false]) (fun a => Rabs (a - INR 0))) in *.
        set (a2 := mean (from [false; false]) (fun a => Rabs (a - INR 2))) in *.
        set (b0 := mean (from [false; true]) (fun a => Rabs (a - INR 0))) in *.
        set (b2 := mean (from [false; true]) (fun a => Rabs (a - INR 2))) in *.
        set (c0 := mean (from [true; false]) (fun a => Rabs (a - INR 0))) in *.
        set (c2 := mean (from [true; false]) (fun a => Rabs (a - INR 2))) in *.
        set (d0 := mean (from [true; true]) (fun a => Rabs (a - INR 0))) in *.
        set (d2 := mean (from [true; true]) (fun a => Rabs (a - INR 2))) in *.
        simpl INR in X1, X2, X3, X4.
        assert (q * q * a0 <= p * p * a0) by (apply Rmult_le_compat_r; lra).
        assert (q * q * d2 <= p * p * d2) by (apply Rmult_le_compat_r; lra).
        assert (q * q * (1 + 1) <= q * q * (a0 + a2)) by (apply Rmult_le_compat_l; lra).
        assert (q * q * (1 + 1) <= q * q * (d0 + d2)) by (apply Rmult_le_compat_l; lra).
        assert (p * q * (1 + 1) <= p * q * (b0 + b2)) by (apply Rmult_le_compat_l; lra).
        assert (p * q * (1 + 1) <= p * q * (c0 + c2)) by (apply Rmult_le_compat_l; lra).
        replace (2 * q) with (2 * (q * q) + 2 * (p * q)); [lra |].
        replace (2 * (q * q) + 2 * (p * q)) with (2 * q * (p + q)) by ring. rewrite One. ring.
    - exists (fun _ => randomized_response E), (fun ys => ret (INR (ones ys))).
      split; [apply response_in_turns; intros; apply proper_ret |].
      intros [| x [| y [| z xs]]] L; try discriminate. fold from_response. rewrite from_response_error. expand.
      rewrite !mean_ret. replace q with (1 - p) by lra.
      destruct x, y; cbn [ones negb]; simpl INR; unfold Rabs; repeat destruct (Rcase_abs _); nra.
  Qed.

  (** *** Three users *)

  Let scale := E ^ 3 + 5 * E ^ 2 - E + 1.
  Let t := (4 * E + 2) / scale.
  Let least := (3 * (E + 1) ^ 2 - 3 * E * (E - 1) * t) / (E + 1) ^ 3.
  Let o := (E ^ 3 + 2 * E ^ 2 + 2 * E + 1) / (2 * scale).
  Let i := E * (E - 1) / (2 * scale).

  Lemma scale_pos : 0 < scale.
  Proof. destruct level as [HE _]. unfold scale. assert (0 < E * (E - 1)) by (apply Rmult_lt_0_compat; lra). nra. Qed.

  Lemma prior_weights : 0 < o /\ 0 < i /\ 2 * o + 6 * i = 1.
  Proof.
    destruct level as [HE _]. assert (S := scale_pos).
    split; [apply Rdiv_lt_0_compat; [assert (0 < E ^ 3) by (apply pow_lt; lra); nra | lra] |].
    split; [apply Rdiv_lt_0_compat; [nra | lra] |]. unfold o, i. field_simplify; [| lra].
    unfold scale. field. unfold scale in S. lra.
  Qed.

  Lemma first_slope : 3 * i * p ^ 2 * q + 3 * i * p * q ^ 2 + o * q ^ 3 <= o * p ^ 3.
  Proof.
    destruct level as [HE [Q [PQ _]]]. assert (S := scale_pos). rewrite PQ.
    assert (C : 0 < q ^ 3 / (2 * scale)) by (apply Rdiv_lt_0_compat; [apply pow_lt; lra | lra]).
    assert (Square : 0 <= (E - 1) * (E + 1) * ((E ^ 2 + E + 1) ^ 2 - 3 * E ^ 2)).
    { apply Rmult_le_pos; [apply Rmult_le_pos; lra |]. assert (3 * E <= E ^ 2 + E + 1) by nra. nra. }
    assert (0 <= q ^ 3 / (2 * scale) * ((E - 1) * (E + 1) * ((E ^ 2 + E + 1) ^ 2 - 3 * E ^ 2)))
      by (apply Rmult_le_pos; lra).
    replace (q ^ 3 / (2 * scale) * ((E - 1) * (E + 1) * ((E ^ 2 + E + 1) ^ 2 - 3 * E ^ 2)))
      with (o * (E * q) ^ 3 - (3 * i * (E * q) ^ 2 * q + 3 * i * (E * q) * q ^ 2 + o * q ^ 3)) in H
      by (unfold o, i; field; lra). lra.
  Qed.

  Lemma second_slope : i * (p ^ 3 + 2 * p * q ^ 2) + i * (2 * p ^ 2 * q + q ^ 3) + o * p * q ^ 2 = o * p ^ 2 * q.
  Proof. destruct level as [_ [_ [PQ _]]]. assert (S := scale_pos). rewrite PQ. unfold o, i. field. lra. Qed.

  Lemma value_of_three :
    2 * (3 * i * p ^ 2 * q + 2 * (3 * i * p * q ^ 2) + 3 * (o * q ^ 3)) +
    6 * (i * (p ^ 3 + 2 * p * q ^ 2) + 2 * (i * (2 * p ^ 2 * q + q ^ 3)) + 3 * (o * p * q ^ 2)) = least.
  Proof.
    destruct level as [HE _]. assert (S := scale_pos). unfold least, t, o, i, p, q, scale in *. field. lra.
  Qed.

  Lemma far_three (G : nat -> list bool -> R) :
    let err k xs := mean (reports (randomized_response E) xs) (G k) in
    (forall ys, ones ys = 0%nat -> 3 * i * p ^ 2 * q + 2 * (3 * i * p * q ^ 2) + 3 * (o * q ^ 3) <=
      o * p ^ 3 * G 0%nat ys + 3 * i * p ^ 2 * q * G 1%nat ys + 3 * i * p * q ^ 2 * G 2%nat ys + o * q ^ 3 * G 3%nat ys) ->
    (forall ys, ones ys = 1%nat ->
      i * (p ^ 3 + 2 * p * q ^ 2) + 2 * (i * (2 * p ^ 2 * q + q ^ 3)) + 3 * (o * p * q ^ 2) <=
      o * p ^ 2 * q * G 0%nat ys + i * (p ^ 3 + 2 * p * q ^ 2) * G 1%nat ys +
      i * (2 * p ^ 2 * q + q ^ 3) * G 2%nat ys + o * p * q ^ 2 * G 3%nat ys) ->
    (forall ys, ones ys = 2%nat ->
      3 * (o * p * q ^ 2) + 2 * (i * (2 * p ^ 2 * q + q ^ 3)) + i * (p ^ 3 + 2 * p * q ^ 2) <=
      o * p * q ^ 2 * G 0%nat ys + i * (2 * p ^ 2 * q + q ^ 3) * G 1%nat ys +
      i * (p ^ 3 + 2 * p * q ^ 2) * G 2%nat ys + o * p ^ 2 * q * G 3%nat ys) ->
    (forall ys, ones ys = 3%nat -> 3 * (o * q ^ 3) + 2 * (3 * i * p * q ^ 2) + 3 * i * p ^ 2 * q <=
      o * q ^ 3 * G 0%nat ys + 3 * i * p * q ^ 2 * G 1%nat ys + 3 * i * p ^ 2 * q * G 2%nat ys + o * p ^ 3 * G 3%nat ys) ->
    least <= o * err 0%nat [false; false; false] + (i * err 1%nat [true; false; false] +
      (i * err 1%nat [false; true; false] + (i * err 1%nat [false; false; true] +
      (i * err 2%nat [true; true; false] + (i * err 2%nat [true; false; true] +
      (i * err 2%nat [false; true; true] + (o * err 3%nat [true; true; true] + 0))))))).
  Proof.
    intros err F0 F1 F2 F3. rewrite <- value_of_three. unfold err. rewrite !three_answers. cbn [negb].
    assert (A := F0 [false; false; false] eq_refl). assert (B1 := F1 [true; false; false] eq_refl).
    assert (B2 := F1 [false; true; false] eq_refl). assert (B3 := F1 [false; false; true] eq_refl).
    assert (C1 := F2 [true; true; false] eq_refl). assert (C2 := F2 [true; false; true] eq_refl).
    assert (C3 := F2 [false; true; true] eq_refl). assert (D := F3 [true; true; true] eq_refl).
    clear F0 F1 F2 F3. lra.
  Qed.

  (** The answer to S ones. *)
  Definition answer_to (s : nat) : dist R :=
    match s with
    | O => ret 0
    | S O => [(t, 0); (1 - t, 1)]
    | S (S O) => [(t, 3); (1 - t, 2)]
    | _ => ret 3
    end.

  Lemma t_range : 0 <= t <= 1.
  Proof.
    destruct level as [HE _]. assert (S := scale_pos). unfold t. split.
    - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, S].
    - apply Rmult_le_reg_r with scale; [exact S |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      unfold scale. assert (0 <= (E - 1) * (E ^ 2 + 6 * E + 1)) by (apply Rmult_le_pos; nra). nra.
  Qed.

  Lemma proper_answer s : proper (answer_to s).
  Proof.
    assert (T := t_range). destruct s as [| [| [| s]]]; try apply proper_ret;
      (split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; lra]).
  Qed.

  Ltac numbers := unfold answer_to; rewrite ?mean_ret; unfold mean; cbn [total fst snd]; simpl INR;
    unfold Rabs; repeat destruct (Rcase_abs _); lra.

  Lemma answer_error k : (k <= 3)%nat ->
    let far s := mean (answer_to s) (fun a => Rabs (a - INR k)) in
    far 0%nat = INR k /\ far 3%nat = 3 - INR k /\
    far 1%nat = match k with O => 1 - t | S O => t | S (S O) => 1 + t | _ => 2 + t end /\
    far 2%nat = match k with O => 2 + t | S O => 1 + t | S (S O) => t | _ => 1 - t end.
  Proof.
    intros K far. unfold far. destruct k as [| [| [| [| k]]]]; [| | | | lia];
      (split; [numbers | split; [numbers | split; numbers]]).
  Qed.

  Lemma risk_of_none : 3 * p ^ 2 * q * (1 - t) + 3 * p * q ^ 2 * (2 + t) + 3 * q ^ 3 = least.
  Proof.
    destruct level as [HE _]. assert (S := scale_pos). unfold least, t, p, q, scale in *. field. lra.
  Qed.

  Lemma risk_of_one :
    p ^ 2 * q * 1 + (p ^ 3 + 2 * p * q ^ 2) * t + (2 * p ^ 2 * q + q ^ 3) * (1 + t) + p * q ^ 2 * 2 = least.
  Proof.
    destruct level as [HE _]. assert (S := scale_pos). unfold least, t, p, q, scale in *. field. lra.
  Qed.

  Lemma least_of_three : least_error eps 3 least.
  Proof.
    destruct level as [HE [Q [PQ One]]]. destruct prior_weights as [O [I Sum]]. split.
    - intros M R estimate P. destruct (by_answers eps R estimate He P) as [from [PF S]].
      apply (in_prior [(o, [false; false; false]); (i, [true; false; false]); (i, [false; true; false]);
        (i, [false; false; true]); (i, [true; true; false]); (i, [true; false; true]); (i, [false; true; true]);
        (o, [true; true; true])]).
      + split.
        * intros wa W. simpl in W. repeat (destruct W as [<- | W]; [simpl; lra |]). contradiction.
        * unfold mean. simpl. lra.
      + intros wa W. simpl in W. repeat (destruct W as [<- | W]; [reflexivity |]). contradiction.
      + unfold mean at 1. cbn [total fst snd]. rewrite !S. fold E. cbn [ones].
        assert (PP : 0 < p ^ 2 * q) by (apply Rmult_lt_0_compat; [apply pow_lt |]; lra).
        assert (QQ : 0 < p * q ^ 2) by (apply Rmult_lt_0_compat; [| apply pow_lt]; lra).
        assert (P3 : 0 < p ^ 3) by (apply pow_lt; lra). assert (Q3 : 0 < q ^ 3) by (apply pow_lt; lra).
        assert (A1 : 0 <= i * (p ^ 2 * q)) by (apply Rmult_le_pos; lra).
        assert (A2 : 0 <= i * (p * q ^ 2)) by (apply Rmult_le_pos; lra).
        assert (A3 : 0 <= o * (p * q ^ 2)) by (apply Rmult_le_pos; lra).
        assert (A4 : 0 <= o * q ^ 3) by (apply Rmult_le_pos; lra).
        assert (A5 : 0 <= i * p ^ 3) by (apply Rmult_le_pos; lra).
        assert (A6 : 0 <= i * q ^ 3) by (apply Rmult_le_pos; lra).
        assert (S1 := first_slope). assert (S2 := second_slope).
        apply (far_three (fun k ys => mean (from ys) (fun a => Rabs (a - INR k)))).
        * intros ys _. apply far_low; [apply PF | lra | lra | lra | lra].
        * intros ys _. apply far_low; [apply PF | lra | lra | lra | lra].
        * intros ys _. apply far_high; [apply PF | lra | lra | lra | lra].
        * intros ys _. apply far_high; [apply PF | lra | lra | lra | lra].
    - exists (fun _ => randomized_response E), (fun ys => answer_to (ones ys)).
      split; [apply response_in_turns; intros; apply proper_answer |].
      intros [| x [| y [| z [| w xs]]]] L; try discriminate. fold from_response. rewrite from_response_error. expand.
      assert (N := risk_of_none). assert (W := risk_of_one).
      assert (K := answer_error (ones [x; y; z])).
      destruct x, y, z; cbn [ones negb] in *; destruct (K ltac:(lia)) as [K0 [K3 [K1 K2]]]; rewrite K0, K3, K1, K2;
        simpl INR; lra.
  Qed.
End Level.

Theorem local_least_error (eps : R) : 0 < eps ->
  let E := exp eps in
  let t := (4 * E + 2) / (E ^ 3 + 5 * E ^ 2 - E + 1) in
  least_error eps 1 (1 / (E + 1)) /\ least_error eps 2 (2 / (E + 1)) /\
  least_error eps 3 ((3 * (E + 1) ^ 2 - 3 * E * (E - 1) * t) / (E + 1) ^ 3).
Proof.
  intros He E t. split; [apply least_of_one, He |]. split; [apply least_of_two, He | apply least_of_three, He].
Qed.

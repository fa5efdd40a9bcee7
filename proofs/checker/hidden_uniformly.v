(** Hidden by uniform messages, a family of supports is the same family with another e^eps0. *)
From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool.
From Exactdp Require Import reals sums laws hockey_stick events independence privacy shuffler single_message.
From Exactdp Require Import adding_a_user mean_excess hidden_message classes least_values absent_users generic_blanket supports tilted_program.
From Exactdp Require Import k_ary_classes unary_classes subset_classes hadamard_classes hashing_classes.
From ExactdpChecker Require Import claims blanket_program matrix_blanket family_blanket family_rows at_most_one_message.
From ExactdpChecker Require Import away_rows participation_rows absence_laws.
From ExactdpChecker Require Import opaque_rationals.
Import ListNotations.
Open Scope R_scope.

Definition ratio_of (f : family) : Q :=
  match f with
  | KAry _ E0 | SubsetSelection _ _ E0 | Hadamard _ E0 | LocalHashing _ _ E0 => E0
  | _ => 1
  end.

Definition with_ratio (f : family) (E : Q) : family :=
  match f with
  | KAry k _ => KAry k E
  | SubsetSelection d w _ => SubsetSelection d w E
  | Hadamard d _ => Hadamard d E
  | LocalHashing d g _ => LocalHashing d g E
  | _ => f
  end.

(** The mass of all messages, of families whose uniform message has the law of their measure. *)
Definition all_mass (f : family) : option Q :=
  match f with
  | KAry k _ => Some (inject_Z k)
  | SubsetSelection _ _ _ => Some 1%Q
  | Hadamard d _ => Some (inject_Z (2 ^ (Z.log2 d + 1)))
  | LocalHashing _ g _ => Some (inject_Z g)
  | _ => None
  end.

Definition hidden_ratio (q U : Q) (s : supported) : Q :=
  let rest := ((1 - q) / U)%Q in Qred ((q * high_density s + rest) / (q * low_density s + rest)).

Definition hidden_family (f : family) (q : Q) : option family :=
  match supports_of f, all_mass f with
  | Some s, Some U => Some (with_ratio f (hidden_ratio q U s))
  | _, _ => None
  end.

Lemma messages_same_law {X M} (R S : X -> dist (list M)) xs : (forall x, same_law (R x) (S x)) ->
  same_law (messages R xs) (messages S xs).
Proof.
  intros H. induction xs as [| x xs IH]; intros f; [reflexivity |]. cbn [messages]. rewrite !mean_bind, H.
  apply mean_ext. intros u. rewrite !mean_bind. apply IH.
Qed.

Lemma hidden_scheme {M} (row row' : nat -> dist M) d u supports high low high' low' (unif : dist M) U q v :
  scheme row d u supports high low -> scheme row' d u supports high' low' ->
  (forall f, mean unif f = mean u f / U) -> high' = q * high + (1 - q) / U -> low' = q * low + (1 - q) / U ->
  (v < d)%nat -> same_law (sent (row' v)) (away q (sent (row v)) (sent unif)).
Proof.
  intros [_ [_ S]] [_ [_ S']] H H1 H2 V f. rewrite mean_away_sent. unfold sent. rewrite !mean_dmap, S, S', H by exact V.
  unfold Rdiv. rewrite (Rmult_comm (mean u _)), <- !mean_scal, <- mean_plus. apply mean_ext. intros m. unfold density.
  destruct (supports v m); rewrite ?H1, ?H2; unfold Rdiv; ring.
Qed.

Lemma uniform_counting {M} (l : list M) f : mean (uniform l) f = mean (counting l) f / INR (length l).
Proof. rewrite mean_uniform, mean_counting. unfold Rdiv. apply Rmult_comm. Qed.

Lemma ratio_solved q H L r : 0 < q < 1 -> 0 < L <= H -> 0 < r ->
  let E := (q * H + r) / (q * L + r) in 1 <= E /\ E * (q * L + r) = q * H + r /\ (L < H -> 1 < E).
Proof.
  intros Q HL R. cbv zeta. assert (P : 0 < q * L + r) by nra. split; [| split].
  - apply Rmult_le_reg_r with (q * L + r); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
  - field. lra.
  - intros K. apply Rmult_lt_reg_r with (q * L + r); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** Responses to k symbols, or buckets, of another e^eps0. *)
Lemma response_hidden k E0 q : (2 <= k)%Z -> 1 < Q2R E0 -> 0 < Q2R q < 1 ->
  let low := (1 / (E0 + inject_Z k - 1))%Q in let rest := ((1 - q) / inject_Z k)%Q in let n := Z.to_nat k in
  let E := Qred ((q * (E0 * low) + rest) / (q * low + rest)) in
  1 < Q2R E /\ response_low n (Q2R E) = Q2R q * response_low n (Q2R E0) + (1 - Q2R q) / INR n /\
  Q2R E * response_low n (Q2R E) = Q2R q * (Q2R E0 * response_low n (Q2R E0)) + (1 - Q2R q) / INR n.
Proof.
  intros K HE Hq. cbv zeta. set (n := Z.to_nat k). assert (Kn : IZR k = INR n) by (apply Z_nat; lia).
  assert (K2 : 2 <= INR n) by (rewrite <- Kn; apply IZR_le; lia).
  assert (L := response_low_value k E0 ltac:(lia) ltac:(lra)). fold n in L. set (low := response_low n (Q2R E0)) in *.
  assert (L0 : 0 < low) by (apply response_low_positive; unfold n; lia || lra).
  assert (One : low * (Q2R E0 + INR n - 1) = 1) by (unfold low, response_low; field; lra).
  assert (R0 : 0 < (1 - Q2R q) / INR n) by (apply Rdiv_lt_0_compat; lra).
  destruct (ratio_solved (Q2R q) (Q2R E0 * low) low _ Hq ltac:(nra) R0) as [E1 [E2 E3]]. cbv zeta in *.
  match goal with |- context [Qred ?e] => set (E := Qred e) end.
  assert (Ev : Q2R E = (Q2R q * (Q2R E0 * low) + (1 - Q2R q) / INR n) / (Q2R q * low + (1 - Q2R q) / INR n)).
  { unfold E. rewrite Q2R_red, Q2R_divided; rewrite !Q2R_plus, !Q2R_mult, L, (Q2R_divided (1 - q)), Q2R_minus, Q2R_1,
      Q2R_Z, Kn by (rewrite Q2R_Z; lra); [reflexivity | nra]. }
  rewrite <- Ev in *. assert (Ebig : 1 < Q2R E) by (apply E3; nra).
  assert (Low' : response_low n (Q2R E) = Q2R q * low + (1 - Q2R q) / INR n).
  { unfold response_low. apply Rmult_eq_reg_r with (Q2R E + INR n - 1); [| lra]. rewrite Rinv_l by lra.
    replace ((Q2R q * low + (1 - Q2R q) / INR n) * (Q2R E + INR n - 1)) with
      (Q2R E * (Q2R q * low + (1 - Q2R q) / INR n) + (INR n - 1) * (Q2R q * low + (1 - Q2R q) / INR n)) by ring.
    rewrite E2. replace (Q2R q * (Q2R E0 * low) + (1 - Q2R q) / INR n + (INR n - 1) * (Q2R q * low + (1 - Q2R q) / INR n))
      with (Q2R q * (low * (Q2R E0 + INR n - 1)) + (1 - Q2R q)) by (field; lra). rewrite One. ring. }
  split; [exact Ebig |]. split; [exact Low' | rewrite Low'; exact E2].
Qed.

(** The families, with what their programs have. *)
Theorem hidden_uniformly f f' q (P : forall M, (list M -> answer) -> (list nat -> dist (list M)) -> Prop) :
  family_posed f -> 0 < Q2R q < 1 -> hidden_family f q = Some f' ->
  (forall M show (V V' : list nat -> dist (list M)), (forall xs, same_law (V xs) (V' xs)) -> P M show V -> P M show V')
    ->
  family_posed f' /\
  (for_program (Family f') (fun M show R => P M show (messages R)) <-> for_absence (Family f) q HiddenUniformly (fun M
    show V => P M show V)).
Proof.
  intros Posed Hq H Same.
  assert (Both : forall M show (R S : nat -> dist (list M)), (forall x, same_law (R x) (S x)) ->
    (P M show (messages R) <-> P M show (messages S))).
  { intros M show R S L. split; apply Same; intros xs f0; [| symmetry]; apply messages_same_law, L. }
  destruct f as [k E0 | | d w E0 | d E0 | d g E0 |]; try discriminate; unfold hidden_family in H;
    cbn [supports_of all_mass with_ratio] in H; injection H as <-; unfold hidden_ratio; cbn [high_density low_density];
    cbn [for_program for_absence family_posed] in *; unfold on_inputs.
  - destruct Posed as [K HE]. destruct (response_hidden k E0 q K HE Hq) as [Ebig [Low' High']]. cbv zeta in *.
    match goal with |- context [Qred ?e] => set (E := Qred e) in * end. set (k' := Z.to_nat k) in *.
    set (low := response_low k' (Q2R E0)) in *.
    split; [split; [exact K | exact Ebig] |]. apply Both. intros x.
    apply (hidden_scheme _ _ k' (counting (seq 0 k')) (fun v m => Nat.eqb m v) (Q2R E0 * low) low
      (Q2R E * response_low k' (Q2R E)) (response_low k' (Q2R E)) _ (INR k')).
    + apply k_ary_scheme; unfold k'; lia || lra.
    + apply k_ary_scheme; unfold k'; lia || lra.
    + intros f0. rewrite uniform_counting, seq_length. reflexivity.
    + exact High'.
    + exact Low'.
    + unfold k'. lia.
  - destruct Posed as [K HE]. set (d' := Z.to_nat d). set (w' := Z.to_nat w).
    assert (L := subset_low_value d w E0 K HE). fold d' w' in L. set (low := subset_low d' w' (Q2R E0)) in *.
    assert (Dn : IZR d = INR d') by (apply Z_nat; lia). assert (Wn : IZR w = INR w') by (apply Z_nat; lia).
    assert (W1 : 1 <= INR w') by (rewrite <- Wn; apply IZR_le; lia).
    assert (WD : INR w' < INR d') by (rewrite <- Wn, <- Dn; apply IZR_lt; lia).
    assert (Den : 0 < INR w' * Q2R E0 + INR d' - INR w') by nra.
    assert (L0 : 0 < low) by (apply Rdiv_lt_0_compat; lra).
    assert (One : low * (INR w' * Q2R E0 + INR d' - INR w') = INR d') by (unfold low, subset_low; field; lra).
    destruct (ratio_solved (Q2R q) (Q2R E0 * low) low (1 - Q2R q) Hq ltac:(nra) ltac:(lra)) as [E1 [E2 E3]]. cbv zeta in *.
    match goal with |- context [Qred ?e] => set (E := Qred e) end.
    assert (Ev : Q2R E = (Q2R q * (Q2R E0 * low) + (1 - Q2R q)) / (Q2R q * low + (1 - Q2R q))).
    { unfold E. rewrite Q2R_red, Q2R_divided; rewrite !Q2R_plus, !Q2R_mult, L, (Q2R_divided (1 - q)), Q2R_minus, Q2R_1 by (rewrite Q2R_1; lra);
        [f_equal; field | nra]. }
    rewrite <- Ev in *. assert (Ebig : 1 < Q2R E) by (apply E3; nra).
    assert (Low' : subset_low d' w' (Q2R E) = Q2R q * low + (1 - Q2R q)).
    { unfold subset_low. assert (Den' : 0 < INR w' * Q2R E + INR d' - INR w') by nra.
      apply Rmult_eq_reg_r with (INR w' * Q2R E + INR d' - INR w'); [| lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      replace ((Q2R q * low + (1 - Q2R q)) * (INR w' * Q2R E + INR d' - INR w')) with
        (INR w' * (Q2R E * (Q2R q * low + (1 - Q2R q))) + (INR d' - INR w') * (Q2R q * low + (1 - Q2R q))) by ring.
      rewrite E2. replace (INR w' * (Q2R q * (Q2R E0 * low) + (1 - Q2R q)) + (INR d' - INR w') * (Q2R q * low + (1 - Q2R q)))
        with (Q2R q * (low * (INR w' * Q2R E0 + INR d' - INR w')) + (1 - Q2R q) * INR d') by ring. rewrite One. ring. }
    split; [split; [exact K | exact Ebig] |]. apply Both. intros x.
    apply (hidden_scheme _ _ d' (uniform (subsets d' w')) has_member (Q2R E0 * low) low
      (Q2R E * subset_low d' w' (Q2R E)) (subset_low d' w' (Q2R E)) _ 1).
    + apply subset_scheme; unfold d', w'; lia || lra.
    + apply subset_scheme; unfold d', w'; lia || lra.
    + intros f0. unfold Rdiv. rewrite Rinv_1. ring.
    + rewrite Low', E2. field.
    + rewrite Low'. field.
    + unfold d'. lia.
  - destruct Posed as [K HE]. set (d' := Z.to_nat d). set (C := 2 ^ hadamard_digits d').
    assert (Cn : IZR (2 ^ (Z.log2 d + 1)) = C) by (apply columns_value; lia).
    assert (C0 : 0 < C) by (apply pow_lt; lra).
    assert (L := hadamard_low_value d E0 K HE). fold d' in L. set (low := hadamard_low d' (Q2R E0)) in *.
    assert (One : low * (C * (Q2R E0 + 1)) = 2) by (unfold low, hadamard_low; fold C; field; split; lra).
    assert (L0 : 0 < low) by (apply low_positive; lra).
    assert (R0 : 0 < (1 - Q2R q) / C) by (apply Rdiv_lt_0_compat; lra).
    destruct (ratio_solved (Q2R q) (Q2R E0 * low) low _ Hq ltac:(nra) R0) as [E1 [E2 E3]]. cbv zeta in *.
    match goal with |- context [Qred ?e] => set (E := Qred e) end.
    assert (Ev : Q2R E = (Q2R q * (Q2R E0 * low) + (1 - Q2R q) / C) / (Q2R q * low + (1 - Q2R q) / C)).
    { unfold E. rewrite Q2R_red, Q2R_divided; rewrite !Q2R_plus, !Q2R_mult, L, (Q2R_divided (1 - q)), Q2R_minus, Q2R_1, Q2R_Z, Cn by (rewrite Q2R_Z; lra);
        [reflexivity | nra]. }
    rewrite <- Ev in *. assert (Ebig : 1 < Q2R E) by (apply E3; nra).
    assert (Low' : hadamard_low d' (Q2R E) = Q2R q * low + (1 - Q2R q) / C).
    { unfold hadamard_low. fold C. apply Rmult_eq_reg_r with (C * (Q2R E + 1)); [| nra]. unfold Rdiv at 1.
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra.
      replace ((Q2R q * low + (1 - Q2R q) / C) * (C * (Q2R E + 1))) with
        (C * (Q2R E * (Q2R q * low + (1 - Q2R q) / C)) + C * (Q2R q * low + (1 - Q2R q) / C)) by ring.
      rewrite E2. replace (C * (Q2R q * (Q2R E0 * low) + (1 - Q2R q) / C) + C * (Q2R q * low + (1 - Q2R q) / C))
        with (Q2R q * (low * (C * (Q2R E0 + 1))) + 2 * (1 - Q2R q)) by (field; lra). rewrite One. ring. }
    split; [split; [exact K | exact Ebig] |]. apply Both. intros x.
    apply (hidden_scheme _ _ d' (counting (bit_patterns (hadamard_digits d'))) (hadamard_supports d') (Q2R E0 * low) low
      (Q2R E * hadamard_low d' (Q2R E)) (hadamard_low d' (Q2R E)) _ C).
    + apply hadamard_scheme. lra.
    + apply hadamard_scheme. lra.
    + intros f0. rewrite uniform_counting. f_equal. unfold C. rewrite <- total_bit_patterns_1, total_const. ring.
    + rewrite Low', E2. reflexivity.
    + exact Low'.
    + unfold d'. lia.
  - destruct Posed as [D [K HE]]. destruct (response_hidden g E0 q K HE Hq) as [Ebig [Low' High']]. cbv zeta in *.
    match goal with |- context [Qred ?e] => set (E := Qred e) in * end. set (d' := Z.to_nat d). set (k' := Z.to_nat g) in *.
    set (low := response_low k' (Q2R E0)) in *.
    split; [split; [exact D | split; [exact K | exact Ebig]] |]. apply Both. intros x.
    apply (hidden_scheme _ _ d' (hash_measure d' k') hash_supports (Q2R E0 * low) low
      (Q2R E * response_low k' (Q2R E)) (response_low k' (Q2R E)) _ (INR k')).
    + apply hashing_scheme; unfold d', k'; lia || lra.
    + apply hashing_scheme; unfold d', k'; lia || lra.
    + intros f0. rewrite mean_bind, mean_hash_measure. unfold Rdiv. rewrite Rmult_comm, <- mean_scal. apply mean_ext.
      intros h. rewrite mean_dmap, mean_uniform, seq_length. unfold Rdiv. reflexivity.
    + exact High'.
    + exact Low'.
    + unfold d'. lia.
Qed.

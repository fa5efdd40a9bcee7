(** The rows of proofs/published_bounds.py at real numbers of users, computed by the kernel.

    Both listed data sets of the variation-ratio reduction can be told apart by as much as a mean excess, and by no more
    (telling_pair.v); the protocol's least delta is at least that of the data sets where all others hold one input,
    a third one of k-ary response, and of Hadamard response the one whose row is the product of the two. walked_excess.v
    bounds the first from above and the second from below. Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws privacy mean_excess classes variation_ratio telling_pair least_values.
From ExactdpChecker Require Import claims witnesses levels blanket_program family_blanket family_rows.
From ExactdpChecker Require Import likelihood_checked walked_excess.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** The claim that n users of a family are (eps, 10^-6)-DP. *)
Definition shuffled (f : family) (n : Z) (E : Q) : claim :=
  ShuffleDP (Family f) n ThisNumber ReplaceOne (ExpEps (Qred E)) (1 # 1000000) LeastNothing.

(** Whether delta of the pair is at most 10^-6, and that of the family above it, where all others hold one input. *)
Definition instance_shown (f : family) (who : others) (w p : Q) (n : Z) (E : Q) : bool :=
  match supports_of f with
  | Some supported =>
      match classes_of_others f supported who with
      | Some classes =>
          match least_values E classes with
          | (charge, [(v2, w2); (v4, w4); (v3, w3); (v1, w1)]) =>
              let rest := Qred (1 - 2 * w) in
              let h := Qred (w3 / rest) in
              let s := {| users := n; chance := w; high_value := v1; low_value := v2;
                rest_value := Qred (h * v3 + (1 - h) * v4); share := h; rise := Qred (v3 - v4) |} in
              posed.family_is_posed f && (1 <=? n)%Z && Qle_bool 1 E && Qle_bool 0 charge && classes_are_laws classes
                &&
              negb (Qle_bool w 0) && negb (Qle_bool rest 0) && Qle_bool 0 p && Qle_bool (p * w + w) 1 &&
              Qeq_bool w1 w && Qeq_bool w2 w && Qeq_bool (w3 + w4) rest && Qeq_bool v1 (p - E) && Qeq_bool v2 (1 - p
                * E) &&
              Qeq_bool (rest_value s * rest) ((1 - E) * (1 - p * w - w)) &&
              match walked 48 72 40 s with
              | Some (most, least) =>
                  Qle_bool most (inject_Z n * (1 # 1000000)) && negb (Qle_bool least (inject_Z n * (1 # 1000000)))
              | None => false
              end
          | _ => false
          end
      | None => false
      end
  | None => false
  end.

Lemma instance_shown_sound f who w p n E :
  instance_shown f who w p n E = true ->
  pair_dp (Z.to_nat n) (Q2R w) (Q2R p) (Q2R E) (1 / 10 ^ 6) /\ ~ holds (shuffled f n E).
Proof.
  unfold instance_shown. destruct (supports_of f) as [supported |] eqn:S; [| discriminate].
  destruct (classes_of_others f supported who) as [classes |] eqn:Cl; [| discriminate].
  destruct (least_values E classes) as [charge values] eqn:L.
  destruct values as [| [v2 w2] [| [v4 w4] [| [v3 w3] [| [v1 w1] [|]]]]]; try discriminate.
  set (rest := Qred (1 - 2 * w)). set (h := Qred (w3 / rest)).
  set (s := {| users := n; chance := w; high_value := v1; low_value := v2;
    rest_value := Qred (h * v3 + (1 - h) * v4); share := h; rise := Qred (v3 - v4) |}).
  destruct (walked 48 72 40 s) as [[most least] |] eqn:Wk; [| rewrite andb_false_r; discriminate]. intros H.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  assert (Posed := posed.family_is_posed_sound f H).
  repeat match goal with
  | T : (_ <=? _)%Z = true |- _ => apply Z.leb_le in T
  | T : (_ && _)%bool = true |- _ => apply andb_true_iff in T; destruct T
  | T : negb _ = true |- _ => apply negb_true_iff in T; apply Qle_bool_R_false in T
  | T : Qle_bool _ _ = true |- _ => apply Qle_bool_R in T
  | T : Qeq_bool _ _ = true |- _ => apply Qeq_bool_R in T
  end.
  assert (Rest : Q2R rest = 1 - 2 * Q2R w).
  { unfold rest. rewrite Q2R_red, Q2R_minus, Q2R_mult, Q2R_1. replace (Q2R 2) with 2 by (unfold Q2R; simpl; lra).
    reflexivity. }
  repeat match goal with
  | T : context [Q2R (_ + _)] |- _ => rewrite Q2R_plus in T
  | T : context [Q2R (_ - _)] |- _ => rewrite Q2R_minus in T
  | T : context [Q2R (_ * _)] |- _ => rewrite Q2R_mult in T
  end.
  rewrite ?Q2R_1, ?Q2R_0, ?Rest in *.
  replace (Q2R (1 # 1000000)) with (1 / 10 ^ 6) in * by (unfold Q2R; simpl; lra).
  assert (N : (1 <= Z.to_nat n)%nat) by lia. assert (NR := lt_0_INR _ N).
  assert (Nn : Q2R (inject_Z n) = INR (Z.to_nat n)) by (rewrite Q2R_Z, INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
  apply walked_sound in Wk. cbn [users chance high_value low_value rest_value share rise s] in Wk.
  destruct Wk as [High Low]. rewrite Nn in *.
  set (r := Q2R w) in *. set (e := Q2R E) in *.
  assert (HH : Q2R h * (1 - 2 * r) = Q2R w3).
  { unfold h. rewrite Q2R_red, Q2R_divided, Rest by (rewrite Rest; lra). field. lra. }
  set (v := Q2R (Qred (h * v3 + (1 - h) * v4))) in *.
  assert (HV : v = Q2R h * Q2R v3 + (1 - Q2R h) * Q2R v4).
  { unfold v. rewrite Q2R_red, Q2R_plus, !Q2R_mult, Q2R_minus, Q2R_1. reflexivity. }
  rewrite (Q2R_red (v3 - v4)), Q2R_minus in Low. split.
  - apply (pair_dp_iff _ _ _ _ _ v); try assumption; try (split; lra). unfold values_of_pair. rewrite <- H3, <- H2.
    apply Rmult_le_reg_l with (INR (Z.to_nat n)); [exact NR |]. lra.
  - set (mu := mean_excess (Z.to_nat n) _) in Low.
    assert (Above : 1 / 10 ^ 6 < mu) by (apply Rmult_lt_reg_l with (INR (Z.to_nat n)); [exact NR | lra]).
    assert (Laws : Forall (fun k => 0 <= Q2R (under_reference k)) classes /\ total classes (fun k => Q2R
      (under_reference k)) = 1).
    { unfold classes_are_laws in H11. apply andb_true_iff in H11. destruct H11 as [A B]. split.
      - apply Forall_forall. intros k I. rewrite forallb_forall in A. specialize (A k I).
        repeat (apply andb_true_iff in A; destruct A as [? A]). apply Qle_bool_R in A. rewrite Q2R_0 in A. exact A.
      - apply Qeq_bool_R in B. rewrite Q2R_sum_of, Q2R_1, total_map in B. exact B. }
    assert (Exact := least_values_exact E classes (Z.to_nat n) (proj1 Laws) (Req_le _ _ (proj2 Laws)) N).
    rewrite L in Exact. cbn [fst snd] in Exact.
    assert (Same : mean_excess (Z.to_nat n) (least_values.table_law [(v2, w2); (v4, w4); (v3, w3); (v1, w1)]) = mu).
    { apply mean_excess_same_law. intros g. unfold mean, least_values.table_law. simpl. rewrite HV, H6, H5.
      replace (Q2R h * Q2R v3 + (1 - Q2R h) * Q2R v4 + (Q2R v3 - Q2R v4) * (1 - Q2R h)) with (Q2R v3) by ring.
      replace (Q2R h * Q2R v3 + (1 - Q2R h) * Q2R v4 + - ((Q2R v3 - Q2R v4) * Q2R h)) with (Q2R v4) by ring.
      replace ((1 - 2 * r) * Q2R h) with (Q2R w3) by lra. replace ((1 - 2 * r) * (1 - Q2R h)) with (Q2R w4) by lra.
        ring. }
    rewrite Same in Exact.
    assert (Ratio : ratio (ExpEps (Qred E)) = e) by (simpl; apply Q2R_red).
    assert (K := family_not_private f supported who classes (Z.to_nat n) e e (1 / 10 ^ 6) Posed S Cl N ltac:(lra)).
    specialize (K ltac:(unfold e in *; lra)). unfold shuffled. cbn [holds]. rewrite Ratio.
    replace (Q2R (1 # 1000000)) with (1 / 10 ^ 6) by (unfold Q2R; simpl; lra).
    unfold shuffle_dp_holds, private. destruct f; cbn [for_program] in *; intros [D _]; apply K, (D (Z.to_nat n)
      eq_refl).
Qed.

(** ** The rows *)

Definition claimed_variation_ratio_thousand : claim := shuffled (KAry 4 (7389 # 1000)) 1000 1.4206.

Definition row_variation_ratio_thousand : Prop := ~ (
  reduced_dp (Z.to_nat 1000) 4 (7389 / 1000) (14206 / 10000) (1 / 10 ^ 6) ->
  holds (ShuffleDP (Family (KAry 4 (7389 # 1000))) 1000 ThisNumber ReplaceOne (ExpEps (7103 # 5000)) (1 # 1000000)
    LeastNothing)).

(** The number of inputs, e^eps0, the number of users, and e^eps. *)
Definition instance (inputs : Z) (p : Q) (n : Z) (E : Q) : Z * Q * Z * Q := (inputs, p, n, E).

Definition responses : list (Z * Q * Z * Q) := [
  instance 4 (7389 # 1000) 1000 1.4206; instance 4 (7389 # 1000) 10000 1.107332;
  instance 4 (7389 # 1000) 100000 1.03001087; instance 16 (7389 # 1000) 1000 1.2584;
  instance 16 (7389 # 1000) 10000 1.06981; instance 16 (7389 # 1000) 100000 1.0197116;
  instance 100 (7389 # 1000) 1000 1.10643; instance 100 (7389 # 1000) 10000 1.029638;
  instance 100 (7389 # 1000) 100000 1.00839355; instance 4 55 1000 5.815; instance 4 55 10000 1.498326;
  instance 16 55 1000 3.991; instance 16 55 10000 1.43816; instance 16 55 100000 1.110958;
  instance 100 55 1000 2.147; instance 100 55 10000 1.26522; instance 100 55 100000 1.0713122].

Definition hadamard_responses : list (Z * Q * Z * Q) := [
  instance 15 3 1000 1.12253; instance 15 3 10000 1.0342383; instance 15 3 100000 1.00970611;
  instance 15 (7389 # 1000) 1000 1.3084; instance 15 (7389 # 1000) 10000 1.08198;
  instance 15 (7389 # 1000) 100000 1.0230826].

Definition claimed_variation_ratio_real_sizes : claim :=
  Conjunction (map (fun '(k, p, n, E) => Not (shuffled (KAry k p) n E)) responses ++
    map (fun '(d, p, n, E) => Not (shuffled (Hadamard d p) n E)) hadamard_responses) [].

Definition row_variation_ratio_real_sizes : Prop :=
  let fails f w p n E :=
    pair_dp (Z.to_nat n) w (Q2R p) (Q2R E) (1 / 10 ^ 6) /\
    ~ holds (ShuffleDP (Family f) n ThisNumber ReplaceOne (ExpEps (Qred E)) (1 # 1000000) LeastNothing) in
  each (fun '(k, p, n, E) => fails (KAry k p) (/ (Q2R p + IZR k - 1)) p n E) responses /\
  each (fun '(d, p, n, E) => fails (Hadamard d p) (/ (2 * (Q2R p + 1))) p n E) hadamard_responses.

Definition telling_response (k : Z) (p : Q) : Q := Qred (1 / (p + inject_Z k - 1)).
Definition telling_hadamard (p : Q) : Q := Qred (1 / (2 * (p + 1))).

Lemma responses_computed :
  forallb (fun '(k, p, n, E) => instance_shown (KAry k p) OfThird (telling_response k p) p n E) responses = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma hadamard_responses_computed :
  forallb (fun '(d, p, n, E) => instance_shown (Hadamard d p) OfXor (telling_hadamard p) p n E) hadamard_responses =
    true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma each_shown {A} (shown : A -> bool) (P : A -> Prop) l :
  (forall a, shown a = true -> P a) -> forallb shown l = true -> each P l.
Proof.
  intros H. induction l as [| a l IH]; [exact (fun _ => I) |]. simpl. intros S. apply andb_true_iff in S.
  split; [apply H, S | apply IH, S].
Qed.

Lemma posed_of_shown f who w p n E : instance_shown f who w p n E = true -> family_posed f.
Proof.
  unfold instance_shown. intros H. destruct (supports_of f); [| discriminate].
  destruct (classes_of_others _ _ _); [| discriminate]. destruct (least_values _ _) as [charge values].
  destruct values as [| [? ?] [| [? ?] [| [? ?] [| [? ?] [|]]]]]; try discriminate.
  repeat (apply andb_true_iff in H; destruct H as [H _]). apply posed.family_is_posed_sound, H.
Qed.

Opaque instance_shown.

Theorem row_variation_ratio_real_sizes_holds : row_variation_ratio_real_sizes.
Proof.
  split.
  - refine (each_shown _ _ responses _ responses_computed). intros [[[k p] n] E] H.
    destruct (instance_shown_sound _ _ _ _ _ _ H) as [A B]. split; [| exact B].
    replace (/ (Q2R p + IZR k - 1)) with (Q2R (telling_response k p)); [exact A |].
    destruct (posed_of_shown _ _ _ _ _ _ H) as [K P]. assert (2 <= IZR k) by (apply IZR_le, K).
    assert (D : Q2R (p + inject_Z k - 1) = Q2R p + IZR k - 1) by (rewrite Q2R_minus, Q2R_plus, Q2R_Z, Q2R_1;
      reflexivity).
    unfold telling_response. rewrite Q2R_red, Q2R_divided, D, Q2R_1 by (rewrite D; lra). unfold Rdiv. ring.
  - refine (each_shown _ _ hadamard_responses _ hadamard_responses_computed). intros [[[d p] n] E] H.
    destruct (instance_shown_sound _ _ _ _ _ _ H) as [A B]. split; [| exact B].
    replace (/ (2 * (Q2R p + 1))) with (Q2R (telling_hadamard p)); [exact A |].
    destruct (posed_of_shown _ _ _ _ _ _ H) as [_ P].
    assert (D : Q2R (2 * (p + 1)) = 2 * (Q2R p + 1)) by (rewrite Q2R_mult, Q2R_plus, Q2R_1; f_equal; unfold Q2R;
      simpl; lra).
    unfold telling_hadamard. rewrite Q2R_red, Q2R_divided, D, Q2R_1 by (rewrite D; lra). unfold Rdiv. ring.
Qed.

Theorem row_variation_ratio_thousand_holds : row_variation_ratio_thousand.
Proof.
  assert (C := responses_computed). cbn [forallb responses] in C. apply andb_true_iff in C. destruct C as [C _].
  unfold instance in C. apply instance_shown_sound in C. destruct C as [A B]. intros H.
  apply B. unfold shuffled. change (Qred 1.4206) with (7103 # 5000)%Q. apply H. clear B H. apply reduced_pair_iff.
  replace (Q2R (telling_response 4 (7389 # 1000))) with (/ (7389 / 1000 + INR 4 - 1)) in A.
  - replace (Q2R (7389 # 1000)) with (7389 / 1000) in A by (unfold Q2R; simpl; lra).
    replace (Q2R 1.4206) with (14206 / 10000) in A by (unfold Q2R; simpl; lra). exact A.
  - unfold telling_response. rewrite Q2R_red. unfold Q2R. simpl. lra.
Qed.

(** The rows of proofs/published_bounds.py at real numbers of users, computed by the kernel.

    Both listed data sets of the variation-ratio reduction can be told apart by as much as a mean excess, and by no
      more
    (label_divergence.v); the protocol's least delta is at least that of the data sets where all others hold one
      input, a
    third one of k-ary response, and of Hadamard response the one whose row is the product of the two. walked_excess.v
    bounds the first from above and the second from below. Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums laws privacy adding_a_user mean_excess classes single_message label_reduction.
From Exactdp Require Import label_divergence variation_ratio least_values.
From ExactdpChecker Require Import claims witnesses levels blanket_program family_blanket family_rows
  likelihood_checked.
From ExactdpChecker Require Import walked_excess.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope R_scope.

(** ** The pair and the protocol *)

(** The messages of the pair, None being the one that does not tell: of the user who differs, of his neighbour, and of
    each of the others. *)
Definition telling_messages (w p : R) (r : role) : dist (option bool) :=
  match r with
  | differs => [(p * w, Some false); (w, Some true); (1 - p * w - w, None)]
  | neighbour => [(w, Some false); (p * w, Some true); (1 - p * w - w, None)]
  | bystander => [(w, Some false); (w, Some true); (1 - w - w, None)]
  end.

(** The shuffled messages of n users are (E, delta)-indistinguishable. *)
Definition pair_dp (n : nat) (w p E delta : R) : Prop :=
  let view r := messages (one_message (telling_messages w p)) (r :: repeat bystander (n - 1)) in
  forall T, symmetric T ->
  Pr (view differs) T <= E * Pr (view neighbour) T + delta /\
  Pr (view neighbour) T <= E * Pr (view differs) T + delta.

(** Both listed data sets may be told apart by as much as the mean excess, and not by more. *)
Lemma pair_dp_by_excess n w p E delta v :
  (1 <= n)%nat -> 0 < w -> 0 <= p -> 2 * w < 1 -> p * w + w <= 1 -> v * (1 - 2 * w) = (1 - E) * (1 - p * w - w) ->
  mean_excess n [(w, p - E); (w, 1 - p * E); (1 - 2 * w, v)] <= delta -> pair_dp n w p E delta.
Proof.
  intros Hn W P W2 PW V M. set (blank := (1 - p * w - w) / (1 - 2 * w)).
  assert (B : (1 - 2 * w) * blank = 1 - p * w - w) by (unfold blank; field; lra).
  assert (VB : v = blank - E * blank).
  { apply Rmult_eq_reg_r with (1 - 2 * w); [| lra]. rewrite V.
    replace ((blank - E * blank) * (1 - 2 * w)) with ((1 - E) * ((1 - 2 * w) * blank)) by ring. rewrite B.
      reflexivity. }
  assert (Law : forall r, proper (telling_messages w p r) /\ forall f, mean (telling_messages w p r) f =
    match r with differs => p * w | _ => w end * f (Some false) + match r with neighbour => p * w | _ => w end * f
      (Some true) +
    match r with bystander => 1 - w - w | _ => 1 - p * w - w end * f None).
  { assert (0 <= p * w) by (apply Rmult_le_pos; lra). intros r. split; [split |].
    - destruct r; intros wa [<- | [<- | [<- | []]]]; simpl; lra.
    - destruct r; unfold mean; simpl; ring.
    - intros f. destruct r; unfold mean; simpl; ring. }
  set (ratio := fun (r : role) (a : option bool) => match r, a with
    | differs, Some false => p | neighbour, Some true => p | _, Some _ => 1 | _, None => blank end).
  assert (Tilted : forall r, r <> bystander -> same_law (telling_messages w p r) (tilted (telling_messages w p
    bystander) (ratio r))).
  { intros r R f. rewrite mean_tilted, (proj2 (Law r)), (proj2 (Law bystander)).
    replace (1 - w - w) with (1 - 2 * w) by ring.
    destruct r; [| | congruence]; cbn [ratio]; rewrite <- B; ring. }
  assert (C : sub_law (telling_messages w p bystander) /\ mean (telling_messages w p bystander) (fun _ => 1) <= 1).
  { destruct (proj1 (Law bystander)) as [A A']. split; [exact A | lra]. }
  assert (Order : forall x y, x <> bystander -> y <> bystander -> x <> y ->
    shuffle_below (one_message (telling_messages w p)) (x :: repeat bystander (n - 1)) (y :: repeat bystander (n -
      1)) E delta).
  { intros x y Hx Hy Hxy.
    refine (label_reduction (one_message (telling_messages w p)) (fun i => ret [i]) (telling_messages w p x)
      (telling_messages w p y)
      (telling_messages w p bystander) x y [] (repeat bystander (n - 1)) E _ _ _ _ _ _).
    - intros i. apply proper_ret.
    - intros f. reflexivity.
    - intros f. reflexivity.
    - intros z J. apply repeat_spec in J. subst z. split; [apply proper_dmap, Law |].
      split; [| intros a; apply Rle_refl]. intros wa J. apply (proper_dmap (fun i => [i]) _ (proj1 (Law bystander))),
        J.
    - replace (length ([] ++ x :: repeat bystander (n - 1))) with n by (simpl; rewrite repeat_length; lia).
      apply (label_divergence _ _ _ (ratio x) (ratio y) E C); [apply Tilted, Hx | apply Tilted, Hy | exact Hn |].
      rewrite (mean_excess_same_law n _ [(w, p - E); (w, 1 - p * E); (1 - 2 * w, v)]); [exact M |].
      intros f. rewrite mean_label_values, !(proj2 (Law bystander)), VB. unfold mean. simpl total.
      destruct x, y; try congruence; cbn [ratio]; replace (p - E * 1) with (p - E) by ring;
        replace (E * p) with (p * E) by ring; ring. }
  intros T S. split; apply Order; discriminate || exact S.
Qed.

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
  - apply (pair_dp_by_excess _ _ _ _ _ v); try assumption; try lra. rewrite <- H3, <- H2.
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

Lemma pair_of_response n k p E delta : pair_dp n (/ (p + INR k - 1)) p E delta -> reduced_dp n k p E delta.
Proof.
  assert (Same : forall r, variation_ratio.reduced k p r = telling_messages (/ (p + INR k - 1)) p r) by (intros [];
    reflexivity).
  assert (Sent : forall l, messages (one_message (variation_ratio.reduced k p)) l = messages (one_message
    (telling_messages (/ (p + INR k - 1)) p)) l).
  { induction l as [| r l IH]; [reflexivity |]. simpl. rewrite IH. unfold one_message at 1 3. rewrite Same.
    reflexivity. }
  intros H T S. rewrite !Sent. exact (H T S).
Qed.

Theorem row_variation_ratio_thousand_holds : row_variation_ratio_thousand.
Proof.
  assert (C := responses_computed). cbn [forallb responses] in C. apply andb_true_iff in C. destruct C as [C _].
  unfold instance in C. apply instance_shown_sound in C. destruct C as [A B]. intros H.
  apply B. unfold shuffled. change (Qred 1.4206) with (7103 # 5000)%Q. apply H. clear B H. apply pair_of_response.
  replace (Q2R (telling_response 4 (7389 # 1000))) with (/ (7389 / 1000 + INR 4 - 1)) in A.
  - replace (Q2R (7389 # 1000)) with (7389 / 1000) in A by (unfold Q2R; simpl; lra).
    replace (Q2R 1.4206) with (14206 / 10000) in A by (unfold Q2R; simpl; lra). exact A.
  - unfold telling_response. rewrite Q2R_red. unfold Q2R. simpl. lra.
Qed.

(** The claim [two_message_dp]: a table whose users send exactly one of two messages; both verdicts.

    PROVED is accepted where the search for the worst pair of data sets, in both orders, finds no excess above delta at
    a rational that is at most e^eps; REFUTED where one event of one pair, named by the witness, has an excess above
    delta at a rational that is at least e^eps. [check_two_message_dp_sound]: then the claim holds, or does not, for
    any n >= 1 and both scopes.

    Idea: the two programs and their proofs are two_message_checked.v and two_message_event.v of the development; here
    the messages 0 and 1 of a table are named false and true, and its least and greatest chance of the message 1 found.
    The class TwoMessages of exactdp/checker/two_messages.py is this program. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Permutation Bool.
From ExactdpChecker Require Import claims witnesses kinds levels posed views swept_views.
From Exactdp Require Import sums reals laws privacy adding_a_user bit_messages two_message_checked two_message_event.
Import ListNotations.
Open Scope Z_scope.

(** ** The program *)

Definition sends_one (o : Q * list nat) : bool :=
  match snd o with
  | [_] => true
  | _ => false
  end.

Definition sends_one_of_two (t : table) : bool :=
  Nat.eqb (message_types t) 2 && forallb (forallb sends_one) (rows t).

(** The message 1 in place of [true]. *)
Definition is_1 (u : list nat) : bool :=
  match u with
  | [1%nat] => true
  | _ => false
  end.

Definition weight_of_1 (D : Z) (row : list (Q * list nat)) : Z :=
  fold_right (fun o s => (if is_1 (snd o) then over D (fst o) else 0) + s) 0 row.

Definition least_of (first : Z) (l : list Z) : Z := fold_left Z.min l first.

Definition greatest_of (first : Z) (l : list Z) : Z := fold_left Z.max l first.

(** The least and the greatest chance of the message 1, over a denominator that shares no divisor with both. *)
Definition chances (t : table) : Z * Z * Z :=
  let D := denominator t in
  match map (weight_of_1 D) (rows t) with
  | [] => (0, 0, D)
  | w :: rest =>
      let A := least_of w rest in
      let B := greatest_of w rest in
      let g := Z.gcd D (Z.gcd A B) in
      (A / g, B / g, D / g)
  end.

Definition check_two_message_dp (t : table) (n : Z) (l : level) (delta : Q) (proved : bool) (w : witness) : bool :=
  table_is_posed t && (1 <=? n) && level_is_posed l delta && sends_one_of_two t &&
  let '(A, B, D) := chances t in
  let N := Z.to_nat (n - 1) in
  match proved, w with
  | true, Simple p =>
      match ratio_below l p with
      | Some (X, Y) => (1 <=? Y) && (Y <=? X) && decided A B D X Y (Qnum delta) (Zpos (Qden delta)) N
      | None => false
      end
  | false, MessageEvent message holders above p =>
      match ratio_above l p with
      | Some (X, Y) =>
          (1 <=? Y) && (Y <=? X) && (0 <=? holders) && (holders <? n) && (0 <=? above) && (above <? n) &&
          let k := Z.to_nat holders in
          let event := fun A B => event_above A B D X Y (Qnum delta) (Zpos (Qden delta)) N k (Z.to_nat above) in
          if message =? 1 then event A B else if message =? 0 then event (D - B) (D - A) else false
      | None => false
      end
  | _, _ => false
  end.

(** ** Messages as bits *)

Open Scope R_scope.

Definition named (b : bool) : nat := if b then 1%nat else 0%nat.

Definition send (t : table) (x : nat) : dist bool :=
  map (fun o => (Q2R (fst o), is_1 (snd o))) (entry (rows t) [] x).

Section bits.

Variable t : table.
Hypothesis posed : table_posed t.
Hypothesis one_of_two : sends_one_of_two t = true.

Lemma outcome_is_bit x o : In o (entry (rows t) [] x) -> snd o = [named (is_1 (snd o))].
Proof.
  intros I. unfold sends_one_of_two in one_of_two. apply andb_true_iff in one_of_two. destruct one_of_two as [T O].
  apply Nat.eqb_eq in T. rewrite forallb_forall in O. destruct posed as [_ H].
  destruct (entry_in (rows t) [] x) as [E | J]; [rewrite E in I; destruct I |].
  specialize (O _ J). rewrite forallb_forall in O. specialize (O o I). destruct (H _ J) as [M _].
  destruct (M o I) as [_ M'].  rewrite T in M'. unfold sends_one in O. destruct (snd o) as [| m [| m' u]];
    try discriminate.
  specialize (M' m (or_introl eq_refl)). destruct m as [| [| m]]; [reflexivity | reflexivity | lia].
Qed.

Lemma row_of_bits x f : mean (table_law t x) f = mean (one_message (send t) x) (fun u => f (map named u)).
Proof.
  unfold one_message. rewrite mean_dmap. unfold mean, table_law, row_law, send. rewrite !total_map.
  apply total_ext. intros o I. cbn [fst snd map]. rewrite (outcome_is_bit x o I) at 1. reflexivity.
Qed.

Lemma messages_of_bits xs f :
  mean (messages (table_law t) xs) f = mean (messages (one_message (send t)) xs) (fun u => f (map named u)).
Proof.
  revert f. induction xs as [| x xs IH]; intros f; [simpl; rewrite !mean_ret; reflexivity |].
  rewrite !mean_messages_first, row_of_bits. apply mean_ext. intros mine. rewrite IH. apply mean_ext. intros others.
  rewrite map_app. reflexivity.
Qed.

Lemma private_of_bits n eps delta :
  shuffle_dp n (table_law t) eps delta <-> shuffle_dp n (one_message (send t)) eps delta.
Proof.
  assert (E : forall xs T,
    Pr (messages (table_law t) xs) T = Pr (messages (one_message (send t)) xs) (fun u => T (map named u)))
    by (intros xs T; apply messages_of_bits).
  split; intros H xs ys NB L T S.
  - specialize (H xs ys NB L (fun u => T (map (Nat.eqb 1) u))). rewrite !E in H.
    assert (I : forall u, T (map (Nat.eqb 1) (map named u)) = T u).
    { intros u. f_equal. rewrite map_map. rewrite <- (map_id u) at 2. apply map_ext. intros []; reflexivity. }
    rewrite !(Pr_ext _ _ _ I) in H. apply H. intros u v P. apply S, Permutation_map, P.
  - rewrite !E. apply (H xs ys NB L (fun u => T (map named u))). intros u v P. apply S, Permutation_map, P.
Qed.

Lemma send_proper x : proper (send t x).
Proof.
  destruct (row_proper t posed x) as [P M]. unfold table_law, row_law in P, M. unfold send. split.
  - intros wa I. apply in_map_iff in I. destruct I as [o [<- I]]. apply (P (Q2R (fst o), snd o)).
    apply in_map_iff. exists o. auto.
  - apply eq_trans with (2 := M). unfold mean. rewrite !total_map. reflexivity.
Qed.

Let D := denominator t.
Let weights := map (weight_of_1 D) (rows t).

Lemma chance_of_row x : chance (send t x) = IZR (entry weights 0%Z x) / IZR D.
Proof.
  unfold weights. change 0%Z with (weight_of_1 D []). rewrite entry_map.
  assert (DP := IZR_lt _ _ (denominator_positive t)). fold D in DP.
  assert (H : forall o, In o (entry (rows t) [] x) -> (Zpos (Qden (fst o)) | D)%Z).
  { intros o I. apply common_denominator_divides.
    destruct (entry_in (rows t) [] x) as [E | J]; [rewrite E in I; destruct I |].
    apply in_flat_map. eexists. split; [exact J | apply in_map, I]. }
  unfold chance, Pr, mean, send, indicator. rewrite total_map. cbn [fst snd].
  induction (entry (rows t) [] x) as [| o row IH]; cbn [total weight_of_1 fold_right].
  - unfold Rdiv. ring.
  - fold (weight_of_1 D row). rewrite IH by (intros o' I; apply H; right; exact I). rewrite plus_IZR.
    destruct (is_1 (snd o)); [rewrite over_value by (try apply H; try apply denominator_positive; left; reflexivity) |];
      field; lra.
Qed.

Lemma least_of_spec l first :
  (In (least_of first l) (first :: l)) /\ forall w, In w (first :: l) -> (least_of first l <= w)%Z.
Proof.
  unfold least_of. revert first.
  induction l as [| a l IH]; intros first; simpl; [split; [auto | intros w [<- | []]; lia] |].
  destruct (IH (Z.min first a)) as [I L]. split.
  - destruct I as [<- | I]; [| auto]. destruct (Z.min_spec first a) as [[_ ->] | [_ ->]]; auto.
  - intros w J. assert (M := L (Z.min first a) (or_introl eq_refl)). destruct J as [<- | [<- | J]]; [lia | lia |].
    apply L. right. exact J.
Qed.

Lemma greatest_of_spec l first :
  (In (greatest_of first l) (first :: l)) /\ forall w, In w (first :: l) -> (w <= greatest_of first l)%Z.
Proof.
  unfold greatest_of. revert first.
  induction l as [| a l IH]; intros first; simpl; [split; [auto | intros w [<- | []]; lia] |].
  destruct (IH (Z.max first a)) as [I L]. split.
  - destruct I as [<- | I]; [| auto]. destruct (Z.max_spec first a) as [[_ ->] | [_ ->]]; auto.
  - intros w J. assert (M := L (Z.max first a) (or_introl eq_refl)). destruct J as [<- | [<- | J]]; [lia | lia |].
    apply L. right. exact J.
Qed.

Lemma entry_of_place {A} (l : list A) none a : In a l -> exists x, entry l none x = a.
Proof.
  intros I. apply (In_nth l a (last l none)) in I. destruct I as [x [_ E]]. exists x. exact E.
Qed.

(** What the theorems on two messages ask for. *)
Lemma chances_sound A B d :
  chances t = (A, B, d) ->
  (0 < d)%Z /\ exists lo hi, (forall u, chance (send t lo) <= chance (send t u) <= chance (send t hi)) /\
  chance (send t lo) = IZR A / IZR d /\ chance (send t hi) = IZR B / IZR d.
Proof.
  unfold chances. fold D. fold weights. assert (DP := denominator_positive t). fold D in DP.
  assert (Rows : weights <> []).
  { unfold weights. destruct posed as [N _]. destruct (rows t); [congruence | discriminate]. }
  assert (W := chance_of_row). destruct weights as [| w rest] eqn:EW; [congruence |].
  destruct (least_of_spec rest w) as [LI LL]. destruct (greatest_of_spec rest w) as [GI GL].
  destruct (entry_of_place _ 0%Z _ LI) as [lo Elo]. destruct (entry_of_place _ 0%Z _ GI) as [hi Ehi].
  set (a := least_of w rest) in *. set (b := greatest_of w rest) in *. set (g := Z.gcd D (Z.gcd a b)).
  intros H. injection H as HA HB Hd.
  assert (g0 : (0 < g)%Z).
  { assert (X := Z.gcd_nonneg D (Z.gcd a b)). fold g in X. assert (g <> 0)%Z; [| lia].
    intros Z0. apply Z.gcd_eq_0_l in Z0. lia. }
  assert (GD : (g | D)%Z) by apply Z.gcd_divide_l.
  assert (GA : (g | a)%Z) by (eapply Z.divide_trans; [apply Z.gcd_divide_r | apply Z.gcd_divide_l]).
  assert (GB : (g | b)%Z) by (eapply Z.divide_trans; [apply Z.gcd_divide_r | apply Z.gcd_divide_r]).
  clearbody g. destruct GD as [D' ED], GA as [a' Ea], GB as [b' Eb].
  assert (Ha : A = a') by (rewrite <- HA, Ea, Z.div_mul; lia).
  assert (Hb : B = b') by (rewrite <- HB, Eb, Z.div_mul; lia).
  assert (HD : d = D') by (rewrite <- Hd, ED, Z.div_mul; lia).
  clear HA HB Hd. subst a' b' D'. assert (d0 : (0 < d)%Z) by nia. split; [exact d0 |].
  assert (gR := IZR_lt _ _ g0). assert (DR := IZR_lt _ _ d0). assert (DPR := IZR_lt _ _ DP).
  exists lo, hi. split; [| split].
  - intros u. rewrite !W, Elo, Ehi. assert (I : In (entry (w :: rest) 0%Z u) (w :: rest)).
    { unfold entry. destruct (nth_in_or_default u (w :: rest) (last (w :: rest) 0%Z)) as [J | ->]; [exact J |].
      clear. revert w. induction rest as [| c l IH]; intros w; [left; reflexivity | right; apply IH]. }
    assert (I0 : 0 < / IZR D) by (apply Rinv_0_lt_compat, DPR).
    split; apply Rmult_le_compat_r; try lra; apply IZR_le; [apply LL, I | apply GL, I].
  - rewrite W, Elo, Ea, ED, !mult_IZR. field. lra.
  - rewrite W, Ehi, Eb, ED, !mult_IZR. field. lra.
Qed.

End bits.

Theorem check_two_message_dp_sound t n s l delta proved w :
  check_two_message_dp t n l delta proved w = true -> sound (TwoMessageDP t n s l delta) proved.
Proof.
  unfold check_two_message_dp, sound. intros H. apply andb_true_iff in H. destruct H as [H C].
  apply andb_true_iff in H. destruct H as [H O]. apply andb_true_iff in H. destruct H as [H L].
  apply andb_true_iff in H. destruct H as [T N]. apply table_is_posed_sound in T. apply Z.leb_le in N.
  apply level_is_posed_sound in L. split; [simpl; auto |]. simpl. destruct L as [L1 L2].
  destruct (chances t) as [[A B] D] eqn:EC. destruct (chances_sound t T A B D EC) as [DP [lo [hi [Ext [ELo EHi]]]]].
  assert (Chances : (0 <= A <= B /\ B <= D)%Z).
  { assert (DR := IZR_lt _ _ DP).
    assert (Z1 : forall x y : Z, IZR x / IZR D <= IZR y / IZR D -> (x <= y)%Z).
    { intros x y I. apply le_IZR. apply (Rmult_le_compat_r (IZR D)) in I; [| lra].
      unfold Rdiv in I. rewrite !Rmult_assoc, Rinv_l, !Rmult_1_r in I by lra. exact I. }
    destruct (chance_bounds (send t lo) (send_proper t T lo)) as [B0 _].
    destruct (chance_bounds (send t hi) (send_proper t T hi)) as [_ B1]. specialize (Ext lo).
    rewrite ELo, EHi in *. assert (Z0 : IZR 0 / IZR D = 0) by (unfold Rdiv; ring).
    assert (ZD : IZR D / IZR D = 1) by (field; lra). repeat split; apply Z1; lra. }
  assert (Dt : (0 <= Qnum delta)%Z).
  { destruct L2 as [L2 _]. rewrite <- RMicromega.Q2R_0 in L2. apply Rle_Qle in L2. unfold Qle in L2. simpl in L2. lia. }
  assert (NN : S (Z.to_nat (n - 1)) = Z.to_nat n) by lia.
  destruct proved, w as [p | | | | | | | | | | message holders above p | | | | | | | | | | | |]; try discriminate.
  - destruct (ratio_below l p) as [[X Y] |] eqn:R; [| discriminate]. apply andb_true_iff in C. destruct C as [C De].
    apply andb_true_iff in C. destruct C as [HY HX]. apply Z.leb_le in HY, HX.
    destruct (ratio_below_sound l p X Y R) as [_ LR]. split; [| exact I]. intros n' HS.
    apply (private_of_bits t T O).
    apply (two_message_proved A B D X Y (Qnum delta) (Zpos (Qden delta)) (Z.to_nat (n - 1)) Chances DP (conj HY HX)
      Dt eq_refl (send t) lo hi (send_proper t T) Ext ELo EHi n' (ln (ratio l)) De).
    + rewrite exp_ln by lra. exact LR.
    + rewrite NN. destruct s; simpl in HS; lia.
  - destruct (ratio_above l p) as [[X Y] |] eqn:R; [| discriminate].
    destruct (ratio_above_sound l p X Y R) as [_ LR].
    repeat match goal with H : _ && _ = true |- _ => apply andb_true_iff in H; destruct H end.
    repeat match goal with
    | H : (_ <=? _)%Z = true |- _ => apply Z.leb_le in H
    | H : (_ <? _)%Z = true |- _ => apply Z.ltb_lt in H
    end.
    intros [All _]. assert (P : private (table_law t) ReplaceOne (Z.to_nat n) (ratio l) (Q2R delta))
      by (apply All; destruct s; simpl; lia).
    apply (private_of_bits t T O) in P. rewrite <- NN in P. revert P.
    assert (LE : exp (ln (ratio l)) <= IZR X / IZR Y) by (rewrite exp_ln by lra; exact LR).
    destruct (message =? 1)%Z; [| destruct (message =? 0)%Z; [| discriminate]].
    + eapply two_message_event; try eassumption; try apply send_proper; try assumption; try lia.
    + eapply two_message_event_other; try eassumption; try apply send_proper; try assumption; try lia.
Qed.

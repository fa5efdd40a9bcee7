(** The kind shuffle_dp, refuted by an event, for tables: [check_event] accepts only what does not hold
    ([check_event_sound]). The event is that the summed scores of all messages reach a threshold, on two data sets that
    differ in one user. For every table, any number of messages, n >= 1, any level and delta.

    Idea: the order does not change the sum (score_event.v); scored_sums.v bounds its law. Source:
    docs/certificates.md. *)

From Coq Require Import Reals List ZArith QArith Qreals Lra Lia Bool Permutation.
From Exactdp Require Import reals sums laws privacy adding_a_user integer_polynomials losses_program least_values.
From ExactdpChecker Require Import claims witnesses kinds levels views compared_views.
From ExactdpChecker Require Import likelihood_program likelihood_sound likelihood_trees likelihood_bound scored_sums.
From ExactdpChecker Require posed table_laws.
Import ListNotations.
Open Scope R_scope.

(** ** The program *)

(** Lower bounds, in units of 2^-bits, of the probability that the sum reaches the threshold, and that it does not. *)
Definition reaching (s : scored_law) (threshold : Z) : Z :=
  z_sum (skipn (Z.to_nat (threshold - score_low s)) (score_weights s)).

Definition not_reaching (s : scored_law) (threshold : Z) : Z :=
  z_sum (firstn (Z.to_nat (threshold - score_low s)) (score_weights s)).

(** p - X / Y q is more than delta, for the bounds p and q over 2^bits. *)
Definition event_exceeds (bits p q X Y : Z) (delta : Q) : bool :=
  (Qnum delta * (Y * 2 ^ bits) <? (p * Y - X * q) * Zpos (Qden delta))%Z.

Definition check_event (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, proved, shown with
  | Table t, ReplaceOne, LeastNothing, false, Event test p =>
      match ratio_above l p, event_threshold test with
      | Some (X, Y), Some threshold =>
          let bits := event_bits test in
          let place x := Z.to_nat x in
          posed.table_is_posed t && posed.level_is_posed l delta && (1 <=? n)%Z && (0 <=? bits)%Z && (0 <=? X)%Z &&
          Nat.eqb (length (event_others test)) (length (rows t)) && forallb (Z.leb 0) (event_others test) &&
          (z_sum (event_others test) =? n - 1)%Z &&
          (let others := with_others bits t (scores test) 0 (event_others test) (nobody bits) in
           let first := plus bits others (one_user bits t (scores test) (place (event_first test))) in
           let second := plus bits others (one_user bits t (scores test) (place (event_second test))) in
           event_exceeds bits (reaching first threshold) (2 ^ bits - not_reaching second threshold) X Y delta)
      | _, _ => false
      end
  | _, _, _, _, _ => false
  end.

(** ** Soundness *)

Section bounds.

Context {X M : Type} (bits : Z) (R : X -> dist (list M)) (score : list M -> Z) (threshold : Z).
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis rows_proper : forall x, proper (R x).

Definition reaches_it (u : list M) : bool := Z.leb threshold (score u).

Lemma weighed_upto low l (many : nat) :
  weighed low l (fun z => if (low + Z.of_nat many <=? z)%Z then 0 else 1) = IZR (z_sum (firstn many l)).
Proof.
  assert (A := weighed_from low l (fun _ => 0) many).
  assert (B : weighed low l (fun z => 1 * 1) = IZR (z_sum l)) by (rewrite weighed_const; ring).
  assert (C : z_sum l = (z_sum (firstn many l) + z_sum (skipn many l))%Z).
  { clear. revert many. induction l as [| w l IH]; intros [| many]; simpl; try lia.
    change (fold_right Z.add 0%Z l) with (z_sum l). rewrite (IH many). unfold z_sum. lia. }
  rewrite C, plus_IZR, <- A in B.
  assert (D : weighed low l (fun _ => 1 * 1) = weighed low l (fun z => if (low + Z.of_nat many <=? z)%Z then 0 else 1) +
    weighed low l (fun z => if (low + Z.of_nat many <=? z)%Z then 1 else 0)).
  { clear. generalize (low + Z.of_nat many)%Z. intros m. revert low. induction l as [| w l IH]; intros low; simpl;
      [ring |].
    rewrite IH. destruct (m <=? low)%Z; ring. }
  lra.
Qed.

Lemma reaching_below s us :
  sums bits R score s us -> IZR (reaching s threshold) <= IZR (2 ^ bits) * Pr (messages R us) reaches_it.
Proof.
  intros [N U]. unfold reaching. set (many := Z.to_nat _).
  set (f := fun z => if (score_low s + Z.of_nat many <=? z)%Z then 1 else 0).
  rewrite <- (weighed_from (score_low s) (score_weights s) (fun _ => 0) many). fold f.
  assert (F : forall z, 0 <= f z) by (intros z; unfold f; destruct (_ <=? z)%Z; lra).
  eapply Rle_trans; [apply U, F |]. unfold unit. apply Rmult_le_compat_l; [apply IZR_le, Z.pow_nonneg; lia |].
  rewrite mean_sum. unfold Pr. apply mean_le; [apply proper_messages, rows_proper |]. intros u.
  unfold f, indicator, reaches_it.
  destruct (Z.leb_spec (score_low s + Z.of_nat many) (score u)), (Z.leb_spec threshold (score u)); try lra.
  unfold many in *. lia.
Qed.

(** Sums below the threshold are in the list's first places, unless the list begins above it. *)
Lemma not_reaching_below s us :
  sums bits R score s us ->
  IZR (not_reaching s threshold) <= IZR (2 ^ bits) * (1 - Pr (messages R us) reaches_it).
Proof.
  intros [N U]. unfold not_reaching. set (many := Z.to_nat _).
  assert (One : Pr (messages R us) reaches_it <= 1) by (apply Pr_bounds, proper_messages, rows_proper).
  assert (P2 : 0 <= IZR (2 ^ bits)) by (apply IZR_le, Z.pow_nonneg; lia).
  destruct (Z.le_gt_cases (score_low s) threshold) as [L | L].
  - rewrite <- weighed_upto with (low := score_low s).
    set (f := fun z => if (score_low s + Z.of_nat many <=? z)%Z then 0 else 1).
    assert (F : forall z, 0 <= f z) by (intros z; unfold f; destruct (_ <=? z)%Z; lra).
    eapply Rle_trans; [apply U, F |]. unfold unit. apply Rmult_le_compat_l; [exact P2 |]. rewrite mean_sum.
    assert (T : mean (messages R us) (fun _ => 1) = 1) by apply (proper_messages _ us rows_proper).
    rewrite <- T. unfold Pr. rewrite <- mean_minus. apply mean_le; [apply proper_messages, rows_proper |].
    intros u. unfold f, indicator, reaches_it.
    destruct (Z.leb_spec (score_low s + Z.of_nat many) (score u)), (Z.leb_spec threshold (score u));
      try lra.
    unfold many in *. lia.
  - replace many with 0%nat by (unfold many; lia). cbn. apply Rmult_le_pos; lra.
Qed.

(** If the event has a probability above what is claimed. *)
Lemma event_refutes first second xs ys (A B : Z) (delta : Q) F :
  (forall u v, Permutation u v -> score u = score v) -> sums bits R score first xs -> sums bits R score second ys ->
  0 <= F -> 0 < IZR B -> F <= IZR A / IZR B -> (0 <= A)%Z ->
  event_exceeds bits (reaching first threshold) (2 ^ bits - not_reaching second threshold) A B delta = true ->
  ~ shuffle_below R xs ys F (Q2R delta).
Proof.
  intros Order G1 G2 F0 R1 R2 A0 H K. apply Z.ltb_lt, IZR_lt in H. rename H into E.
  assert (B1 := reaching_below first _ G1). assert (B2 := not_reaching_below second _ G2).
  assert (S : symmetric reaches_it) by (intros u v Pm; unfold reaches_it; rewrite (Order u v Pm); reflexivity).
  specialize (K reaches_it S).
  set (a := Pr (messages R xs) reaches_it) in *. set (b := Pr (messages R ys) reaches_it) in *.
  assert (Hb : 0 <= b) by (apply Pr_bounds, proper_messages, rows_proper).
  assert (U : 0 < IZR (2 ^ bits)) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (HX : 0 <= IZR A) by (apply IZR_le; assumption).
  assert (K' : a * IZR B <= IZR A * b + Q2R delta * IZR B).
  { assert (F * b <= IZR A / IZR B * b) by (apply Rmult_le_compat_r; assumption).
    assert (IZR A / IZR B * b * IZR B = IZR A * b) by (field; lra). nra. }
  assert (Den : 0 < IZR (Zpos (Qden delta))) by (apply IZR_lt; lia).
  rewrite !mult_IZR, minus_IZR, !mult_IZR, minus_IZR in E.
  set (p1 := IZR (reaching first threshold)) in *. set (q1 := IZR (not_reaching second threshold)) in *.
  assert (C1 : p1 * IZR B <= IZR (2 ^ bits) * a * IZR B) by (apply Rmult_le_compat_r; lra).
  assert (C2 : IZR A * (IZR (2 ^ bits) * b) <= IZR A * (IZR (2 ^ bits) - q1)) by (apply Rmult_le_compat_l; lra).
  assert (C3 : IZR (2 ^ bits) * (a * IZR B) <= IZR (2 ^ bits) * (IZR A * b + Q2R delta * IZR B))
    by (apply Rmult_le_compat_l; lra).
  assert (C4 : p1 * IZR B - IZR A * (IZR (2 ^ bits) - q1) <= IZR (2 ^ bits) * (Q2R delta * IZR B)) by lra.
  apply (Rmult_le_compat_r (IZR (Zpos (Qden delta)))) in C4; [| lra].
  assert (C5 : IZR (2 ^ bits) * (Q2R delta * IZR B) * IZR (Zpos (Qden delta)) =
    IZR (Qnum delta) * (IZR B * IZR (2 ^ bits)))
    by (unfold Q2R; field; lra).
  lra.
Qed.

End bounds.

Lemma data_set_length counts : forallb (Z.leb 0) counts = true -> forall x,
  Z.of_nat (length (data_set_from x counts)) = z_sum counts.
Proof.
  induction counts as [| c counts IH]; intros H x; [reflexivity |]. simpl in H. apply andb_true_iff in H.
  destruct H as [C H].
  apply Z.leb_le in C. cbn [data_set_from]. rewrite app_length, repeat_length, Nat2Z.inj_add, Z2Nat.id, (IH H)
    by exact C.
  reflexivity.
Qed.

Theorem check_event_sound r n s nb l delta w proved shown :
  check_event r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_event. intros H. destruct r as [t |]; [| discriminate]. destruct nb, w, proved; try discriminate.
  destruct shown; try discriminate. destruct (ratio_above l p) as [[X Y] |] eqn:Ratio; [| discriminate].
  destruct (event_threshold test) as [threshold |]; [| discriminate]. cbv zeta in H.
  set (bits := event_bits test) in *. set (others := with_others _ _ _ _ _ _) in *.
  repeat (apply andb_true_iff in H; destruct H as [H ?]).
  repeat match goal with K : (_ <=? _)%Z = true |- _ => apply Z.leb_le in K end.
  match goal with K : (_ =? _)%Z = true |- _ => apply Z.eqb_eq in K; rename K into Count end.
  match goal with K : forallb (Z.leb 0) _ = true |- _ => rename K into Nonneg end.
  match goal with K : event_exceeds _ _ _ _ _ _ = true |- _ => rename K into B end.
  match goal with K : posed.level_is_posed _ _ = true |- _ => apply posed.level_is_posed_sound in K;
    rename K into L end.
  apply posed.table_is_posed_sound in H. split; [simpl; auto |]. destruct L as [L1 _].
  destruct (ratio_above_sound l p X Y Ratio) as [R1 R2].
  assert (P := table_laws.proper_table t H). intros [D _].
  assert (Scope : in_scope s (Z.to_nat n) (Z.to_nat n)) by (destruct s; simpl; lia). specialize (D _ Scope).
  set (us := data_set_from 0 (event_others test)).
  assert (Len : length us = Z.to_nat (n - 1)) by (apply Nat2Z.inj; unfold us; rewrite data_set_length by exact Nonneg;
    lia).
  assert (Bits : (0 <= bits)%Z) by assumption.
  assert (G : scored bits t (scores test) others us)
    by (apply (scored_others bits t (scores test) Bits P (event_others test) 0 (nobody bits) []); apply scored_nobody;
      exact Bits).
  set (first := plus _ _ _) in B. 
  set (second := plus bits others (one_user bits t (scores test) (Z.to_nat (event_second test)))) in B.
  set (x := Z.to_nat (event_first test)) in *. set (y := Z.to_nat (event_second test)) in *.
  assert (G1 : scored bits t (scores test) first (us ++ [x]))
    by (apply scored_plus; [exact Bits | exact P | exact G | apply scored_one; assumption]).
  assert (G2 : scored bits t (scores test) second (us ++ [y]))
    by (apply scored_plus; [exact Bits | exact P | exact G | apply scored_one; assumption]).
  refine (event_refutes bits (table_law t) (sum_of (scores test)) threshold Bits P first second _ _ X Y delta (ratio l)
    (sum_of_permutation (scores test)) G1 G2 _ R1 R2 _ B _); [lra | assumption |].
  intros T S. rewrite <- (exp_ln (ratio l)) by lra. apply (D _ _ (replace_one us x y [])); [| exact S].
  rewrite app_length, Len. simpl. lia.
Qed.

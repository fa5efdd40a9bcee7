(** sample_threshold_dp, both verdicts: the programs and their soundness.

    [check_sampled] goes over the numbers N of holders from threshold - 1, carrying P[X = b] and P[X > b] of N trials as
    integers over the N-th power of the rate's denominator, once for each order ([split]), and compares both divergences
    with delta; beyond the holders of the witness a tail has to be small, by logarithms of 256 bits ([is_beyond]). A
    refutation goes on to one number of holders, and shows that one of its divergences is above delta. For every rate,
    threshold, number of users and level: what it accepts is [sound] ([check_sampled_sound]).

    The programs are the class SampleThreshold of exactdp/checker/sampling.py, with the same integers. A quotient that
    is not exact, and a place that moves by more than 1, end the check. It rests on sampled_counts.v.
    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals laws privacy hockey_stick bits bit_messages binomial sample_and_threshold dropped_counts sampled_counts fixed_point.
From ExactdpChecker Require Import claims witnesses kinds levels posed enclosed_reals.
Import ListNotations.
Open Scope Z_scope.

(** ** The programs *)

(** Of N trials: P[X = place] and P[X > place]. *)
Record split : Type := { place : Z; at_place : Z; above : Z }.

Definition exact_quotient (x y : Z) : option Z :=
  let k := x / y in if (0 <? y) && (k * y =? x) then Some k else None.

Section program.

(** The rate is h / d, stay = d - h; the last number that is dropped; the ratio a / b. *)
Variables (h d last a b : Z).
Let stay := d - h.

(** The same at this place, which is the same one or the next. *)
Definition moved (n to_ : Z) (s : split) : option split :=
  if to_ =? place s then Some s
  else if to_ =? place s + 1 then
    match exact_quotient (at_place s * (n - place s) * h) (to_ * stay) with
    | Some x => Some {| place := to_; at_place := x; above := above s - x |}
    | None => None
    end
  else None.

(** The same of one trial more. *)
Definition one_more (n : Z) (s : split) : option split :=
  match exact_quotient (at_place s * (n + 1) * stay) (n + 1 - place s) with
  | Some x => Some {| place := place s; at_place := x; above := above s * d + h * at_place s |}
  | None => None
  end.

(** N, the splits of both orders, and the N-th power of d. *)
Record holders_of : Type := { number : Z; more : split; fewer : split; whole : Z }.

Definition placed (s : holders_of) : option holders_of :=
  let m := number s + 1 in
  match moved (number s) (Z.max last (m * (d * a - stay * b) / (d * a))) (more s),
        moved (number s) (Z.max last (ceiling_div (m * (d * b - stay * a)) (d * b) - 1)) (fewer s) with
  | Some p, Some q => Some {| number := number s; more := p; fewer := q; whole := whole s |}
  | _, _ => None
  end.

Definition next (s : holders_of) : option holders_of :=
  match one_more (number s) (more s), one_more (number s) (fewer s) with
  | Some p, Some q => Some {| number := number s + 1; more := p; fewer := q; whole := whole s * d |}
  | _, _ => None
  end.

(** Both divergences, over b d whole. *)
Definition more_lost (s : holders_of) : Z := b * h * at_place (more s) - (a - b) * d * above (more s).
Definition fewer_lost (s : holders_of) : Z :=
  a * h * at_place (fewer s) - (a - b) * d * (whole s - above (fewer s)).

Definition is_within (delta : Q) (s : holders_of) (lost : Z) : bool :=
  lost * Zpos (Qden delta) <=? Qnum delta * (b * (whole s * d)).

Fixpoint all_within (delta : Q) (left : nat) (s : holders_of) : bool :=
  match left with
  | O => true
  | S rest =>
      match placed s with
      | Some s =>
          is_within delta s (more_lost s) && is_within delta s (fewer_lost s) &&
          match next s with Some s' => all_within delta rest s' | None => false end
      | None => false
      end
  end.

Fixpoint reached (left : nat) (s : holders_of) : option holders_of :=
  match placed s with
  | Some s =>
      match left with
      | O => Some s
      | S rest => match next s with Some s' => reached rest s' | None => None end
      end
  | None => None
  end.

Definition first_holders : holders_of :=
  let s := {| place := last; at_place := h ^ last; above := 0 |} in
  {| number := last; more := s; fewer := s; whole := d ^ last |}.

(** Integers around 2^256 ln(x / y). *)
Definition log_bits : nat := 256.

Definition log_around (x y : Z) : option (Z * Z) :=
  if y <=? x then enclose log_bits (Logarithm (Rational (x # Z.to_pos y)))
  else
    match enclose log_bits (Logarithm (Rational (y # Z.to_pos x))) with
    | Some (low, high) => Some (- high, - low)
    | None => None
    end.

(** trials KL(x/y || rate) >= ln(u/v), for 0 < x/y < 1. *)
Definition is_tail (trials x y u v : Z) : bool :=
  (0 <? x) && (x <? y) && (0 <? u) && (0 <? v) &&
  match log_around (x * d) (y * h), log_around ((y - x) * d) (y * stay), log_around u v with
  | Some (k, _), Some (l, _), Some (_, m) => y * m <=? trials * (x * k + (y - x) * l)
  | _, _, _ => false
  end.

(** From so many trials on. *)
Definition is_beyond (trials : Z) (delta : Q) : bool :=
  let x := Qnum delta in
  let y := Zpos (Qden delta) in
  let s := d * b - stay * a in
  (0 <? x) && (0 <? trials) && is_tail trials (d * a - stay * b) (d * a) y x &&
  (if 0 <? s then
     let gain := is_tail trials in
     let large := trials * s <=? last * (d * b) in
     let p := if large then last else s in
     let q := if large then trials else d * b in
     (p * d <=? h * q) && negb (p * d =? h * q) && gain p q (s * y) (stay * b * x)
   else true).

End program.

Definition rate_is_posed (q : Q) : bool := (0 <? Qnum q) && (Qnum q <? Zpos (Qden q)).

Definition check_sampled (q : Q) (tau : Z) (users : option Z) (l : level) (delta : Q) (proved : bool) (w : witness) : bool :=
  let h := Qnum q in
  let d := Zpos (Qden q) in
  rate_is_posed q && (1 <=? tau) && match users with Some u => 1 <=? u | None => true end && level_is_posed l delta &&
  match proved, w with
  | true, Outcome holders p =>
      match ratio_below l p with
      | Some (a, b) =>
          let is_all := match users with Some u => u <=? holders | None => false end in
          let scanned := match users with Some u => Z.min u holders | None => holders end in
          (0 <=? holders) && (0 <? b) && (b <=? a) && (is_all || is_beyond h d (tau - 1) a b (holders + 1) delta) &&
          all_within h d (tau - 1) a b delta (Z.to_nat (scanned - (tau - 1))) (first_holders h d (tau - 1))
      | None => false
      end
  | false, ShiftOrder holders is_more p =>
      match ratio_above l p with
      | Some (a, b) =>
          match users with Some u => holders + 1 <=? u | None => true end && (tau - 1 <=? holders) && (0 <? b) &&
          match reached h d (tau - 1) a b (Z.to_nat (holders - (tau - 1))) (first_holders h d (tau - 1)) with
          | Some s => negb (is_within d b delta s (if is_more then more_lost h d a b s else fewer_lost h d a b s))
          | None => false
          end
      | None => false
      end
  | _, _ => false
  end.

(** ** Soundness *)

Open Scope R_scope.

Lemma exact_quotient_sound x y k : exact_quotient x y = Some k -> (0 < y)%Z /\ (k * y = x)%Z.
Proof.
  unfold exact_quotient. destruct (_ && _) eqn:G; [| discriminate]. apply andb_true_iff in G. destruct G as [G1 G2].
  apply Z.ltb_lt in G1. apply Z.eqb_eq in G2. intros H. injection H as <-. auto.
Qed.

Lemma log_around_sound x y c : (0 < x)%Z -> (0 < y)%Z -> log_around x y = Some c ->
  encloses_number log_bits c (ln (IZR x / IZR y)).
Proof.
  intros Hx Hy. assert (X := IZR_lt _ _ Hx). assert (Y := IZR_lt _ _ Hy).
  assert (V : forall u v, (0 < v)%Z -> value (Logarithm (Rational (u # Z.to_pos v))) = ln (IZR u / IZR v)).
  { intros u v H. cbn [value]. unfold Q2R. cbn [Qnum Qden]. rewrite Z2Pos.id by exact H. reflexivity. }
  unfold log_around. destruct (y <=? x)%Z.
  - intros H. apply enclose_sound in H. rewrite V in H by exact Hy. apply H.
  - destruct (enclose log_bits _) as [[l u] |] eqn:H; [| discriminate]. intros K. injection K as <-.
    apply enclose_sound in H. rewrite V in H by exact Hx. destruct H as [_ [L U]]. cbn [fst snd] in *.
    replace (ln (IZR x / IZR y)) with (- ln (IZR y / IZR x)).
    2:{ rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; assumption). f_equal. field. lra. }
    split; cbn [fst snd]; rewrite opp_IZR; lra.
Qed.

Section sound.

Variables (h d last a b : Z).
Hypotheses (Hh : (0 < h < d)%Z) (Hlast : (0 <= last)%Z) (Hb : (0 < b <= a)%Z).
Let q := IZR h / IZR d.
Let L := IZR a / IZR b.
Let tau := Z.to_nat (last + 1).

Lemma positive : 0 < IZR h /\ 0 < IZR d /\ 0 < IZR b /\ 0 < IZR a.
Proof. repeat split; apply (IZR_lt 0); lia. Qed.

Lemma q_range : 0 < q < 1.
Proof.
  destruct positive as [H [D _]]. split; [apply Rdiv_lt_0_compat; assumption |]. unfold q.
  apply Rmult_lt_reg_r with (IZR d); [exact D |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  rewrite Rmult_1_r, Rmult_1_l. apply IZR_lt. lia.
Qed.

Lemma h_is : IZR h = IZR d * q.
Proof. destruct positive as [_ [D _]]. unfold q. field. lra. Qed.

Lemma stay_is : IZR (d - h) = IZR d * (1 - q).
Proof. rewrite minus_IZR, h_is. ring. Qed.

Lemma L_at_least_1 : 1 <= L.
Proof.
  destruct positive as [_ [_ [B _]]]. unfold L. apply Rmult_le_reg_r with (IZR b); [exact B |].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r, Rmult_1_l. apply IZR_le. lia.
Qed.

Lemma a_is : IZR a = IZR b * L.
Proof. destruct positive as [_ [_ [B _]]]. unfold L. field. lra. Qed.

Definition split_is (n : nat) (s : split) : Prop :=
  (0 <= place s)%Z /\ IZR (at_place s) = IZR d ^ n * binom n q (Z.to_nat (place s)) /\
  IZR (above s) = IZR d ^ n * chance_above q n (Z.to_nat (place s)).

Lemma moved_sound n t s s' : split_is n s -> moved h d (Z.of_nat n) t s = Some s' -> split_is n s' /\ place s' = t.
Proof.
  intros [P [A O]]. unfold moved. destruct (Z.eqb_spec t (place s)) as [-> | _].
  { intros H. injection H as <-. repeat split; assumption. }
  destruct (Z.eqb_spec t (place s + 1)) as [-> | _]; [| discriminate].
  destruct (exact_quotient _ _) as [x |] eqn:X; [| discriminate]. intros H. injection H as <-.
  apply exact_quotient_sound in X. destruct X as [_ X]. set (j := Z.to_nat (place s)) in *.
  assert (J : (place s = Z.of_nat j)%Z) by (unfold j; lia). rewrite J in *.
  assert (Q := q_range). destruct positive as [_ [D _]]. unfold split_is. cbn [place at_place above].
  replace (Z.to_nat (Z.of_nat j + 1)) with (S j) by lia.
  assert (Is : IZR x = IZR d ^ n * binom n q (S j)).
  { apply (f_equal IZR) in X. rewrite !mult_IZR, (minus_IZR (Z.of_nat n)), plus_IZR, <- !INR_IZR_INZ, A, h_is, stay_is in X.
    assert (R := binom_ratio n q j). rewrite S_INR in R. assert (N := pos_INR j).
    apply Rmult_eq_reg_r with ((INR j + 1) * (IZR d * (1 - q)));
      [| apply Rgt_not_eq, Rmult_lt_0_compat; [lra | apply Rmult_lt_0_compat; lra]].
    rewrite X. transitivity (IZR d ^ n * IZR d * (binom n q j * (INR n - INR j) * q)); [ring |]. rewrite <- R. ring. }
  repeat split; [lia | exact Is |]. rewrite minus_IZR, O, Is, (over_step q n j). ring.
Qed.

Lemma one_more_sound n s s' : split_is n s -> one_more h d (Z.of_nat n) s = Some s' ->
  split_is (S n) s' /\ place s' = place s.
Proof.
  intros [P [A O]]. unfold one_more.
  destruct (exact_quotient _ _) as [x |] eqn:X; [| discriminate]. intros H. injection H as <-.
  apply exact_quotient_sound in X. destruct X as [Pos X]. set (j := Z.to_nat (place s)) in *.
  assert (J : (place s = Z.of_nat j)%Z) by (unfold j; lia).
  assert (Q := q_range). destruct positive as [_ [D _]]. unfold split_is. cbn [place at_place above]. fold j.
  assert (Is : IZR x = IZR d ^ S n * binom (S n) q j).
  { apply IZR_lt in Pos. rewrite J in X, Pos. apply (f_equal IZR) in X.
    rewrite !mult_IZR, (minus_IZR (Z.of_nat n + 1)), plus_IZR, <- !INR_IZR_INZ, A, stay_is in X.
    rewrite minus_IZR, plus_IZR, <- !INR_IZR_INZ in Pos.
    assert (R := binom_one_more n q j). rewrite S_INR in R.
    apply Rmult_eq_reg_r with (INR n + 1 - INR j); [| lra]. rewrite X. simpl pow.
    transitivity (IZR d * IZR d ^ n * ((INR n + 1) * (1 - q) * binom n q j)); [ring |]. rewrite <- R. ring. }
  repeat split; [exact P | exact Is |]. rewrite plus_IZR, !mult_IZR, O, A, h_is, (over_one_more q n j). simpl pow. ring.
Qed.

Definition holders_are (n : nat) (s : holders_of) : Prop :=
  number s = Z.of_nat n /\ split_is n (more s) /\ split_is n (fewer s) /\ IZR (whole s) = IZR d ^ n.

Definition well_placed (n : nat) (s : holders_of) : Prop :=
  holders_are n s /\
  place (more s) = Z.max last (Z.of_nat (S n) * (d * a - (d - h) * b) / (d * a)) /\
  place (fewer s) = Z.max last (ceiling_div (Z.of_nat (S n) * (d * b - (d - h) * a)) (d * b) - 1).

Lemma placed_sound n s s' : holders_are n s -> placed h d last a b s = Some s' -> well_placed n s'.
Proof.
  intros [N [M [F W]]]. unfold placed. rewrite N.
  replace (Z.of_nat n + 1)%Z with (Z.of_nat (S n)) by lia.
  destruct (moved _ _ _ _ (more s)) as [p |] eqn:P1; [| discriminate].
  destruct (moved _ _ _ _ (fewer s)) as [r |] eqn:P2; [| discriminate]. intros H. injection H as <-.
  destruct (moved_sound _ _ _ _ M P1) as [M' E1]. destruct (moved_sound _ _ _ _ F P2) as [F' E2].
  repeat split; try apply M'; try apply F'; try exact W; cbn [more fewer number]; [exact E1 | exact E2].
Qed.

Lemma next_sound n s s' : holders_are n s -> next h d s = Some s' -> holders_are (S n) s'.
Proof.
  intros [N [M [F W]]]. unfold next. rewrite N.
  destruct (one_more _ _ _ (more s)) as [p |] eqn:P1; [| discriminate].
  destruct (one_more _ _ _ (fewer s)) as [r |] eqn:P2; [| discriminate]. intros H. injection H as <-.
  destruct (one_more_sound _ _ _ M P1) as [M' _]. destruct (one_more_sound _ _ _ F P2) as [F' _].
  split; [cbn [number]; lia |]. split; [exact M' |]. split; [exact F' |]. cbn [whole]. rewrite mult_IZR, W. simpl. ring.
Qed.

Lemma first_sound : holders_are (Z.to_nat last) (first_holders h d last).
Proof.
  destruct positive as [_ [D _]].
  assert (Pw : forall x, IZR (x ^ last) = IZR x ^ Z.to_nat last).
  { intros x. rewrite pow_IZR, Z2Nat.id by exact Hlast. reflexivity. }
  assert (S : split_is (Z.to_nat last) {| place := last; at_place := h ^ last; above := 0 |}).
  { split; [exact Hlast |]. cbn [place at_place above]. split.
    - rewrite Pw, h_is, binom_inside, choose_n, Nat.sub_diag, Rpow_mult_distr by lia. simpl. ring.
    - rewrite over_none by lia. ring. }
  unfold first_holders. split; [cbn [number]; lia |]. split; [exact S |]. split; [exact S |]. apply Pw.
Qed.

(** *** What the sums say *)

Section at_n.

Variables (n : nat) (s : holders_of) (delta : Q) (xs ys : list bool).
Hypotheses (placed_well : well_placed n s) (Hx : ones xs = S n) (Hy : ones ys = n).

Lemma whole_positive : 0 < IZR (b * (whole s * d)).
Proof.
  destruct placed_well as [[_ [_ [_ W]]] _]. destruct positive as [_ [D [B _]]]. rewrite !mult_IZR, W.
  apply Rmult_lt_0_compat; [exact B |]. apply Rmult_lt_0_compat; [apply pow_lt |]; exact D.
Qed.

Lemma is_within_spec lost v : IZR lost = v * IZR (b * (whole s * d)) ->
  (is_within d b delta s lost = true <-> v <= Q2R delta).
Proof.
  intros E. assert (W := whole_positive). unfold is_within. rewrite Z.leb_le.
  assert (D := IZR_lt 0 (Zpos (Qden delta)) ltac:(lia)). unfold Q2R.
  assert (K : IZR (lost * Zpos (Qden delta)) = v * IZR (Zpos (Qden delta)) * IZR (b * (whole s * d)))
    by (rewrite mult_IZR, E; ring).
  split; intros H.
  - apply IZR_le in H. rewrite K, (mult_IZR (Qnum delta)) in H. apply Rmult_le_reg_r in H; [| exact W].
    apply Rmult_le_reg_r with (IZR (Zpos (Qden delta))); [exact D |]. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply le_IZR. rewrite K, (mult_IZR (Qnum delta)). apply Rmult_le_compat_r; [lra |].
    apply (Rmult_le_compat_r (IZR (Zpos (Qden delta)))) in H; [| lra]. rewrite Rmult_assoc, Rinv_l in H by lra. lra.
Qed.

Let threshold := sample_and_threshold q tau.

Lemma more_spec : is_within d b delta s (more_lost h d a b s) = true <->
  below (threshold xs) (threshold ys) L (Q2R delta).
Proof.
  assert (Q := q_range). destruct positive as [_ [D [B A]]].
  destruct placed_well as [[_ [[P [At Ab]] [_ W]]] [Pl _]]. set (j := Z.to_nat (place (more s))) in *.
  set (u := (d * a - (d - h) * b)%Z) in *.
  assert (DA : (0 < d * a)%Z) by nia.
  destruct (floor_div_bounds (Z.of_nat (S n) * u) (d * a) DA) as [F1 F2].
  assert (Rho : IZR (Z.of_nat (S n) * u) / IZR (d * a) = INR (S n) * (1 - (1 - q) / L)).
  { unfold u. rewrite mult_IZR, <- INR_IZR_INZ, minus_IZR, !mult_IZR, stay_is, a_is. assert (L1 := L_at_least_1). field.
    repeat split; lra. }
  rewrite Rho in F1, F2.
  assert (J : Z.of_nat j = Z.max last (Z.of_nat (S n) * u / (d * a))) by (unfold j; rewrite Pl; lia).
  unfold threshold. rewrite (more_iff q Q n L L_at_least_1 tau xs ys Hx Hy j (Q2R delta)).
  - apply is_within_spec. unfold more_lost.
    rewrite minus_IZR, !mult_IZR, minus_IZR, At, Ab, h_is, a_is, W. ring.
  - unfold tau. lia.
  - intros T. replace (INR j) with (IZR (Z.of_nat (S n) * u / (d * a))); [exact F1 |].
    rewrite INR_IZR_INZ. f_equal. unfold tau in T. lia.
  - apply Rle_trans with (IZR (Z.of_nat (S n) * u / (d * a)) + 1); [lra |].
    rewrite S_INR, INR_IZR_INZ. apply Rplus_le_compat_r, IZR_le. lia.
Qed.

Lemma fewer_spec : 0 <= Q2R delta -> (is_within d b delta s (fewer_lost h d a b s) = true <->
  below (threshold ys) (threshold xs) L (Q2R delta)).
Proof.
  intros D0. assert (Q := q_range). destruct positive as [_ [D [B A]]].
  destruct placed_well as [[_ [_ [[P [At Ab]] W]]] [_ Pl]]. set (j := Z.to_nat (place (fewer s))) in *.
  set (u := (d * b - (d - h) * a)%Z) in *.
  assert (DB : (0 < d * b)%Z) by nia.
  assert (F1 := ceiling_div_above (Z.of_nat (S n) * u) (d * b) _ DB (Rle_refl _)).
  assert (F2 : IZR (ceiling_div (Z.of_nat (S n) * u) (d * b)) - 1 <= IZR (Z.of_nat (S n) * u) / IZR (d * b)).
  { unfold ceiling_div. destruct (floor_div_bounds (- (Z.of_nat (S n) * u)) (d * b) DB) as [_ F].
    rewrite opp_IZR. rewrite opp_IZR in F. unfold Rdiv in *. lra. }
  assert (Rho : IZR (Z.of_nat (S n) * u) / IZR (d * b) = INR (S n) * (1 - (1 - q) * L)).
  { unfold u. rewrite mult_IZR, <- INR_IZR_INZ, minus_IZR, !mult_IZR, stay_is, a_is. field. repeat split; lra. }
  rewrite Rho in F1, F2. set (c := ceiling_div (Z.of_nat (S n) * u) (d * b)) in *.
  assert (J : Z.of_nat j = Z.max last (c - 1)) by (unfold j; rewrite Pl; lia).
  unfold threshold. rewrite (fewer_iff q Q n L tau xs ys Hx Hy j (Q2R delta)).
  - rewrite (is_within_spec _ (L * q * binom n q j - (L - 1) * (1 - chance_above q n j))); [tauto |]. unfold fewer_lost.
    rewrite minus_IZR, !mult_IZR, !minus_IZR, At, Ab, h_is, a_is, W. ring.
  - unfold tau. lia.
  - intros T. replace (INR j) with (IZR c - 1); [exact F2 |].
    rewrite INR_IZR_INZ, <- minus_IZR. f_equal. unfold tau in T. lia.
  - apply Rle_trans with (IZR c); [exact F1 |]. rewrite S_INR, INR_IZR_INZ, <- plus_IZR. apply IZR_le. lia.
Qed.

End at_n.

(** *** All numbers of holders *)

Variable delta : Q.
Hypothesis delta_nonneg : 0 <= Q2R delta.

Definition safe (n : nat) : Prop := forall xs ys, ones xs = S n -> ones ys = n ->
  below (sample_and_threshold q tau xs) (sample_and_threshold q tau ys) L (Q2R delta) /\
  below (sample_and_threshold q tau ys) (sample_and_threshold q tau xs) L (Q2R delta).

Lemma all_within_sound left : forall n s, holders_are n s -> all_within h d last a b delta left s = true ->
  forall k, (n <= k < n + left)%nat -> safe k.
Proof.
  induction left as [| left IH]; intros n s HA H k K; [lia |]. cbn [all_within] in H.
  destruct (placed h d last a b s) as [s1 |] eqn:P1; [| discriminate]. assert (WP := placed_sound _ _ _ HA P1).
  rewrite !andb_true_iff in H. destruct H as [[H1 H2] H3]. destruct (next h d s1) as [s2 |] eqn:N; [| discriminate].
  destruct (Nat.eq_dec k n) as [-> | NK].
  - intros xs ys Hx Hy. split; [apply (more_spec n s1 delta xs ys WP Hx Hy), H1 |].
    apply (fewer_spec n s1 delta xs ys WP Hx Hy delta_nonneg), H2.
  - apply (IH (S n) s2); [apply (next_sound n s1); [apply WP | exact N] | exact H3 | lia].
Qed.

Lemma reached_sound left : forall n s s', holders_are n s -> reached h d last a b left s = Some s' ->
  well_placed (n + left) s'.
Proof.
  induction left as [| left IH]; intros n s s' HA H; cbn [reached] in H;
    destruct (placed h d last a b s) as [s1 |] eqn:P1; try discriminate; assert (WP := placed_sound _ _ _ HA P1).
  - injection H as <-. rewrite Nat.add_0_r. exact WP.
  - destruct (next h d s1) as [s2 |] eqn:N; [| discriminate]. replace (n + S left)%nat with (S n + left)%nat by lia.
    apply (IH (S n) s2); [apply (next_sound n s1); [apply WP | exact N] | exact H].
Qed.

Lemma few_safe n : (Z.of_nat n < last)%Z -> safe n.
Proof.
  intros H xs ys Hx Hy. apply (no_holders q n L L_at_least_1 tau xs ys Hx Hy); [unfold tau; lia | exact delta_nonneg].
Qed.

Lemma is_tail_sound trials x y u v : is_tail h d trials x y u v = true -> (0 < trials)%Z -> forall m, (trials <= Z.of_nat m)%Z ->
  0 < IZR x / IZR y < 1 /\ exp (- (INR m * coin_divergence (IZR x / IZR y) q)) <= IZR v / IZR u.
Proof.
  unfold is_tail. intros H Ht m Hm. rewrite !andb_true_iff in H. destruct H as [[[[X Y] U] V] H].
  apply Z.ltb_lt in X, Y, U, V.
  destruct (log_around (x * d) (y * h)) as [[k k'] |] eqn:K1; [| discriminate].
  destruct (log_around ((y - x) * d) (y * (d - h))) as [[l l'] |] eqn:K2; [| discriminate].
  destruct (log_around u v) as [[r r'] |] eqn:K3; [| discriminate]. apply Z.leb_le in H.
  apply log_around_sound in K1; [| nia | nia]. apply log_around_sound in K2; [| nia | nia].
  apply log_around_sound in K3; [| lia | lia]. destruct K1 as [K1 _], K2 as [K2 _], K3 as [_ K3]. cbn [fst snd] in *.
  assert (Q := q_range). destruct positive as [Ph [D _]].
  assert (X' := IZR_lt _ _ X). assert (Y' := IZR_lt _ _ Y). assert (U' := IZR_lt _ _ U). assert (V' := IZR_lt _ _ V).
  set (p := IZR x / IZR y).
  assert (P : 0 < p < 1).
  { split; [apply Rdiv_lt_0_compat; lra |]. unfold p. apply Rmult_lt_reg_r with (IZR y); [lra |].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; [exact P |]. assert (Xp : IZR x = IZR y * p) by (unfold p; field; lra).
  replace (IZR (x * d) / IZR (y * h)) with (p / q) in K1 by (rewrite !mult_IZR, Xp, h_is; field; repeat split; lra).
  replace (IZR ((y - x) * d) / IZR (y * (d - h))) with ((1 - p) / (1 - q)) in K2
    by (rewrite !mult_IZR, stay_is, minus_IZR, Xp; field; repeat split; lra).
  assert (T := pow_lt 2 log_bits ltac:(lra)). set (unit := 2 ^ log_bits) in *.
  apply IZR_le in H. rewrite !mult_IZR, plus_IZR, !mult_IZR, minus_IZR, Xp in H.
  assert (Ht' := IZR_lt _ _ Ht). apply IZR_le in Hm. rewrite <- INR_IZR_INZ in Hm.
  assert (KL : ln (IZR u / IZR v) <= IZR trials * coin_divergence p q).
  { apply Rmult_le_reg_l with (IZR y * unit); [apply Rmult_lt_0_compat; lra |]. unfold coin_divergence.
    apply Rle_trans with (IZR y * IZR r'); [rewrite Rmult_assoc; apply Rmult_le_compat_l; lra |].
    eapply Rle_trans; [exact H |].
    replace (IZR y * unit * (IZR trials * (p * ln (p / q) + (1 - p) * ln ((1 - p) / (1 - q)))))
      with (IZR trials * (IZR y * p * (unit * ln (p / q)) + (IZR y - IZR y * p) * (unit * ln ((1 - p) / (1 - q))))) by ring.
    apply Rmult_le_compat_l; [lra |]. apply Rplus_le_compat; apply Rmult_le_compat_l; try assumption; nra. }
  assert (N := coin_divergence_nonneg p q P Q).
  replace (IZR v / IZR u) with (exp (- ln (IZR u / IZR v))).
  2:{ rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; assumption). field. lra. }
  apply exp_le, Ropp_le_contravar. eapply Rle_trans; [exact KL |]. apply Rmult_le_compat_r; assumption.
Qed.

Lemma proper_threshold zs : proper (sample_and_threshold q tau zs).
Proof.
  assert (Q := q_range). unfold sample_and_threshold. apply proper_dmap, proper_messages. intros x.
  apply proper_one_message. destruct x; [apply proper_coin; lra | apply proper_ret].
Qed.

Lemma is_beyond_sound trials n : is_beyond h d last a b trials delta = true -> (trials <= Z.of_nat (S n))%Z -> safe n.
Proof.
  unfold is_beyond. intros H Hn. rewrite !andb_true_iff in H. destruct H as [[[X T] H1] H2].
  apply Z.ltb_lt in X, T. set (x := Qnum delta) in *. set (y := Zpos (Qden delta)) in *. set (s := (d * b - (d - h) * a)%Z) in *.
  assert (Q := q_range). assert (L1 := L_at_least_1). destruct positive as [Ph [D [B A]]].
  assert (X' := IZR_lt _ _ X). assert (Y' : 0 < IZR y) by (apply (IZR_lt 0); unfold y; lia).
  assert (De : Q2R delta = IZR x / IZR y) by reflexivity.
  destruct (is_tail_sound _ _ _ _ _ H1 T (S n) Hn) as [_ E1].
  replace (IZR (d * a - (d - h) * b) / IZR (d * a)) with (1 - (1 - q) / L) in E1
    by (rewrite minus_IZR, !mult_IZR, stay_is, a_is; field; repeat split; lra).
  intros xs ys Hx Hy. split.
  - apply (below_weaken _ _ L L (exp (- (INR (S n) * coin_divergence (1 - (1 - q) / L) q))));
      [apply proper_threshold | lra | rewrite De; exact E1 |]. apply many_bound; assumption.
  - assert (Gain : IZR s = IZR d * IZR b * (1 - (1 - q) * L)) by (unfold s; rewrite minus_IZR, !mult_IZR, stay_is, a_is; ring).
    assert (DB : 0 < IZR d * IZR b) by (apply Rmult_lt_0_compat; assumption).
    destruct (Z.ltb_spec 0 s) as [S0 | S0].
    + apply IZR_lt in S0 as S0'. rewrite Gain in S0'.
      assert (G : (1 - q) * L < 1) by (apply Rmult_lt_reg_l with (IZR d * IZR b); lra).
      set (p := if (trials * s <=? last * (d * b))%Z then last else s) in *.
      set (r := if (trials * s <=? last * (d * b))%Z then trials else (d * b)%Z) in *.
      rewrite !andb_true_iff in H2. destruct H2 as [[H2 _] H3]. apply Z.leb_le, IZR_le in H2. rewrite !mult_IZR, h_is in H2.
      destruct (is_tail_sound _ _ _ _ _ H3 T (S n) Hn) as [[P0 P1] E2].
      assert (R0 : 0 < IZR r).
      { apply (IZR_lt 0). unfold r. destruct (_ <=? _)%Z; [exact T | nia]. }
      assert (Pr : IZR p = IZR p / IZR r * IZR r) by (field; lra). set (z := IZR p / IZR r) in *.
      assert (Zq : z <= q).
      { apply Rmult_le_reg_r with (IZR r * IZR d); [apply Rmult_lt_0_compat; assumption |]. rewrite Pr in H2. lra. }
      assert (Sz : 1 - (1 - q) * L <= z).
      { unfold z, p, r. destruct (Z.leb_spec (trials * s) (last * (d * b))) as [C | _].
        - apply IZR_le in C. rewrite !mult_IZR, Gain in C. assert (T' := IZR_lt _ _ T).
          apply Rmult_le_reg_r with (IZR trials * (IZR d * IZR b)); [apply Rmult_lt_0_compat; assumption |].
          replace (IZR last / IZR trials * (IZR trials * (IZR d * IZR b))) with (IZR last * (IZR d * IZR b)) by (field; lra). lra.
        - rewrite Gain, mult_IZR. right. field. lra. }
      apply (below_weaken _ _ L L ((1 / (1 - q) - L) * exp (- (INR (S n) * coin_divergence z q))));
        [apply proper_threshold | lra | | apply many_fewer_bound; assumption || lra].
      assert (Gp : 0 <= 1 / (1 - q) - L).
      { apply Rmult_le_reg_l with (1 - q); [lra |]. rewrite Rmult_minus_distr_l.
        replace ((1 - q) * (1 / (1 - q))) with 1 by (field; lra). lra. }
      eapply Rle_trans; [apply Rmult_le_compat_l; [exact Gp | exact E2] |]. rewrite De, !mult_IZR, Gain, stay_is. right.
      field. repeat split; lra.
    + apply IZR_le in S0. rewrite Gain in S0.
      apply (below_weaken _ _ L L 0); [apply proper_threshold | lra | exact delta_nonneg |].
      apply (low_rate q Q n L L1 tau xs ys Hx Hy).
      apply Rmult_le_reg_l with (IZR d * IZR b); lra.
Qed.

End sound.

Lemma rate_is_posed_sound q : rate_is_posed q = true -> (0 < Qnum q < Zpos (Qden q))%Z /\ 0 < Q2R q < 1.
Proof.
  unfold rate_is_posed. intros H. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.ltb_lt in H1, H2.
  split; [lia |]. apply (q_range (Qnum q) (Zpos (Qden q)) 0 1 1); lia.
Qed.

Theorem check_sampled_sound q tau users l delta proved w :
  check_sampled q tau users l delta proved w = true -> sound (SampleThresholdDP q tau users l delta) proved.
Proof.
  unfold check_sampled. intros H. rewrite !andb_true_iff in H. destruct H as [[[[Hq Ht] Hu] Hl] H].
  apply rate_is_posed_sound in Hq. destruct Hq as [Hh Q]. apply Z.leb_le in Ht. apply level_is_posed_sound in Hl.
  assert (Posed : well_posed (SampleThresholdDP q tau users l delta)).
  { split; [exact Q |]. split; [exact Ht |]. split; [| exact Hl]. intros u ->. apply Z.leb_le, Hu. }
  split; [exact Posed |]. destruct Hl as [E1 [D0 D1]]. set (h := Qnum q) in *. set (d := Zpos (Qden q)) in *.
  assert (Last : (0 <= tau - 1)%Z) by lia. replace (Q2R q) with (IZR h / IZR d) in * by reflexivity.
  assert (Tau : Z.to_nat tau = Z.to_nat (tau - 1 + 1)) by (f_equal; lia).
  destruct proved.
  - destruct w; try discriminate H. destruct (ratio_below l p) as [[a b] |] eqn:R; [| discriminate H].
    destruct (ratio_below_sound _ _ _ _ R) as [_ RB]. rewrite !andb_true_iff in H. destruct H as [[[[H0 Hb] Hab] HB] HW].
    apply Z.leb_le in H0, Hab. apply Z.ltb_lt in Hb. assert (AB : (0 < b <= a)%Z) by lia.
    assert (Safe : forall n, (forall u, users = Some u -> (Z.of_nat (S n) <= u)%Z) -> safe h d (tau - 1) a b delta n).
    { intros n Un. destruct (Z_lt_le_dec (Z.of_nat n) (tau - 1)) as [C | C]; [apply few_safe; assumption |].
      set (scanned := match users with Some u => Z.min u k | None => k end) in *.
      destruct (Z_lt_le_dec (Z.of_nat n) scanned) as [C' | C'].
      - apply (all_within_sound h d (tau - 1) a b Hh Last AB delta D0 _ _ _ (first_sound h d (tau - 1) a b Hh Last AB) HW). lia.
      - apply orb_true_iff in HB. destruct HB as [HB | HB].
        + destruct users as [u |]; [| discriminate HB]. apply Z.leb_le in HB. specialize (Un u eq_refl). unfold scanned in C'. lia.
        + apply (is_beyond_sound h d (tau - 1) a b Hh Last AB delta D0 (k + 1) n HB). unfold scanned in C'.
          destruct users as [u |]; [specialize (Un u eq_refl) |]; lia. }
    cbn [holds]. intros xs ys O U. rewrite O in U. destruct (Safe (ones ys) U xs ys O eq_refl) as [S1 S2].
    cbv zeta. rewrite Tau. split; [revert S1 | revert S2]; apply below_weaken; try exact RB; try lra;
      apply (proper_threshold h d (tau - 1) a b Hh Last AB).
  - destruct w; try discriminate H. destruct (ratio_above l p) as [[a b] |] eqn:R; [| discriminate H].
    destruct (ratio_above_sound _ _ _ _ R) as [_ RA]. rewrite !andb_true_iff in H. destruct H as [[[Hus Hs] Hb] H].
    apply Z.leb_le in Hs. apply Z.ltb_lt in Hb.
    assert (AB : (0 < b <= a)%Z).
    { split; [exact Hb |]. apply le_IZR. apply IZR_lt in Hb. apply Rmult_le_reg_r with (/ IZR b); [apply Rinv_0_lt_compat, Hb |].
      rewrite Rinv_r by lra. fold (IZR a / IZR b). lra. }
    destruct (reached h d (tau - 1) a b _ _) as [s |] eqn:S; [| discriminate H].
    apply (reached_sound h d (tau - 1) a b Hh Last AB) with (n := Z.to_nat (tau - 1)) in S; [| apply (first_sound h d (tau - 1) a b Hh Last AB)].
    replace (Z.to_nat (tau - 1) + Z.to_nat (shift - (tau - 1)))%nat with (Z.to_nat shift) in S by lia.
    apply negb_true_iff in H. cbn [holds]. intros Holds.
    set (n := Z.to_nat shift) in *. set (xs := repeat true (Datatypes.S n)). set (ys := repeat true n).
    assert (Ox : forall m, ones (repeat true m) = m) by (induction m as [| m IH]; simpl; [reflexivity | rewrite IH; reflexivity]).
    destruct (Holds xs ys) as [B1 B2].
    { unfold xs, ys. rewrite !Ox. reflexivity. }
    { intros u ->. apply Z.leb_le in Hus. unfold xs. rewrite Ox. unfold n. lia. }
    cbv zeta in B1, B2. rewrite Tau in B1, B2. destruct forward.
    + apply (below_weaken _ _ _ (IZR a / IZR b) _ (Q2R delta) (proper_threshold h d (tau - 1) a b Hh Last AB ys) RA (Rle_refl _)) in B1.
      apply (more_spec h d (tau - 1) a b Hh Last AB n s delta xs ys S) in B1; [congruence | apply Ox | apply Ox].
    + apply (below_weaken _ _ _ (IZR a / IZR b) _ (Q2R delta) (proper_threshold h d (tau - 1) a b Hh Last AB xs) RA (Rle_refl _)) in B2.
      apply (fewer_spec h d (tau - 1) a b Hh Last AB n s delta xs ys S) in B2; [congruence | apply Ox | apply Ox | exact D0].
Qed.

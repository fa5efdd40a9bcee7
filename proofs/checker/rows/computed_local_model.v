(** The rows of proofs/local_model.py whose tails the kernel computes.

    *Lower bounds.* At e^eps = 3, with h + d of 2 h users holding 1, the answers of randomized response have the law Bin(h + d, 3/4) +
    Bin(h - d, 1/4) of claims.v. What is computed is that fewer than h of them are ones with probability 1/20 or more
    ([shown]): the windows of the two laws are multiplied, but of the product only the sum up to a place is made. By
    divergences/overlapping_answers.v the answers for h - d and h + d ones then overlap by 1/10, and by
    users/local_overlap.v some data set is missed by d or more with half that probability.

    *Words.* The number of messages of zsum is the count and Bin(n, 1 - gamma). That one more moves it by little at
    eps = 1/2 is computed ([noise_computed]), and P^hist has twice that by histogram/histogram.v. A bin that somebody
    holds errs by more than a hundredth of the users only if more than n/100 of its n coins are silent, which is
    computed too, and an empty bin never does. Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import reals sums laws privacy masses hockey_stick binomial integer_polynomials bits log_concave_laws longer_shift.
From Exactdp Require Import chernoff histogram histogram_bin_error histogram_accuracy zsum_noise.
From Exactdp Require Import local_simulation local_randomized_response local_overlap overlapping_answers.
From Exactdp Require infinite_sums.
From ExactdpChecker Require Import claims witnesses laws_of_noise kronecker outward windows binomial_window binomial_sum_window.
From ExactdpChecker Require Import shift_dp_enclosed tail_enclosed.
Import ListNotations.
Open Scope Z_scope.

(** ** Sums of coefficients of a product *)

Fixpoint firsts (k : nat) (l : list Z) : Z :=
  match k, l with
  | S k, a :: l => a + firsts k l
  | _, _ => 0
  end.

Fixpoint product_firsts (k : nat) (p q : list Z) : Z :=
  match k, p with
  | S k', a :: p => a * firsts k q + product_firsts k' p q
  | _, _ => 0
  end.

Lemma firsts_add p : forall k q, firsts k (z_add p q) = firsts k p + firsts k q.
Proof. induction p as [| a p IH]; intros [| k] [| b q]; simpl; try rewrite IH; lia. Qed.

Lemma firsts_scale c p : forall k, firsts k (z_scale c p) = c * firsts k p.
Proof.
  induction p as [| a p IH]; intros [| k]; simpl; try lia. change (map (Z.mul c) p) with (z_scale c p). rewrite IH. lia.
Qed.

Lemma firsts_mul p q : forall k, firsts k (z_mul p q) = product_firsts k p q.
Proof.
  induction p as [| a p IH]; intros [| k]; try reflexivity.
  change (z_mul (a :: p) q) with (z_add (z_scale a q) (0 :: z_mul p q)).
  rewrite firsts_add, firsts_scale. change (firsts (S k) (0 :: z_mul p q)) with (firsts k (z_mul p q)).
  rewrite IH. reflexivity.
Qed.

Lemma firsts_places l k e : IZR (firsts k l) =
  total (map (fun i => e + Z.of_nat i) (seq 0 k)) (fun t => IZR (coefficient_at l (t - e))).
Proof.
  rewrite total_map. revert l e. induction k as [| k IH]; intros l e; [destruct l; reflexivity |].
  change (seq 0 (S k)) with (0%nat :: seq 1 k). cbn [total]. rewrite <- seq_shift, total_map.
  replace (e + Z.of_nat 0 - e) with 0 by lia. destruct l as [| a l].
  - rewrite !coefficient_nil, (total_ext _ _ (fun _ => 0%R)), total_zero; [simpl; ring |].
    intros i _. rewrite coefficient_nil. reflexivity.
  - cbn [firsts]. rewrite plus_IZR, (IH l e). change (coefficient_at (a :: l) 0) with a. f_equal. apply total_ext.
    intros i _. rewrite coefficient_cons. destruct (Z.eqb_spec (e + Z.of_nat (S i) - e) 0); [lia |]. do 2 f_equal. lia.
Qed.

(** ** The tail *)

(** P[Bin(n1, p1) + Bin(n2, p2) < h] >= q, computed. *)
Definition shown (bits : nat) (n1 : Z) (p1 : real) (n2 : Z) (p2 : real) (h : Z) (q : Q) : bool :=
  match binomial_window bits n1 p1, binomial_window bits n2 p2 with
  | Some v1, Some v2 =>
      Qnum q * ((sum_of (highs v1) 0 + rest v1) * (sum_of (highs v2) 0 + rest v2)) <=?
      Zpos (Qden q) * product_firsts (Z.to_nat (h - (first v1 + first v2))) (lows v1) (lows v2)
  | _, _ => false
  end.

Open Scope R_scope.

Lemma unit_below v w c : encloses v w c -> c <= IZR (sum_of (highs v) 0 + rest v).
Proof.
  intros E. assert (L := proj1 (proj2 E)). assert (C := proj1 E).
  rewrite <- (Rmult_1_r c). destruct (proj1 (infinite_sums.law_sum_of w) L) as [P S].
  apply (infinite_sums.bound_by_finite_sums w); [lra | exact S |]. intros m N. rewrite plus_IZR.
  eapply Rle_trans; [apply (upper_list v w c E m N) |]. apply Rplus_le_compat_r, (highs_total v w c E m N).
Qed.

Lemma shown_sound bits n1 p1 n2 p2 h q :
  shown bits n1 p1 n2 p2 h q = true -> (0 <= q)%Q -> holds (Tail (BinomialSum n1 p1 n2 p2) None (Some (h - 1)%Z) false q).
Proof.
  unfold shown. destruct (binomial_window bits n1 p1) as [v1 |] eqn:W1; [| discriminate].
  destruct (binomial_window bits n2 p2) as [v2 |] eqn:W2; [| discriminate]. intros B Q0. apply Z.leb_le in B.
  destruct (binomial_window_sound _ _ _ _ W1) as [N1 [c1 E1]].
  destruct (binomial_window_sound _ _ _ _ W2) as [N2 [c2 E2]].
  assert (C1 := proj1 E1). assert (C2 := proj1 E2).
  assert (L : law (noise_mass (BinomialSum n1 p1 n2 p2))) by (apply noise_law; split; assumption).
  destruct (mass_exists _ (fun y => (forall a, @None Z = Some a -> (a <= y)%Z) /\
    (forall b, Some (h - 1)%Z = Some b -> (y <= b)%Z)) L) as [p M].
  exists p. split; [exact M |]. destruct M as [Up _]. cbv iota.
  set (f := (first v1 + first v2)%Z) in *. set (k := Z.to_nat (h - f)) in *.
  set (places := map (fun i => (f + Z.of_nat i)%Z) (seq 0 k)).
  set (support := map Z.of_nat (seq 0 (S (Z.to_nat n1)))).
  assert (Sum : total places (noise_mass (BinomialSum n1 p1 n2 p2)) <= p).
  { apply Up. exists places. split; [apply FinFun.Injective_map_NoDup; [intros i j; lia | apply seq_NoDup] |].
    split; [| reflexivity]. intros y I. apply in_map_iff in I. destruct I as [i [<- I]]. apply in_seq in I.
    split; [discriminate |]. intros b Hb. injection Hb as <-. unfold k in I. lia. }
  assert (Low : IZR (product_firsts k (lows v1) (lows v2)) <= c1 * c2 * p).
  { rewrite <- firsts_mul, (firsts_places _ k f).
    apply Rle_trans with (total places (fun t => c1 * c2 * noise_mass (BinomialSum n1 p1 n2 p2) t)).
    - apply total_le. intros t _.
      apply (summed_below v1 v2 (binomial (Z.to_nat n1) (value p1)) (binomial (Z.to_nat n2) (value p2)));
        [exact E1 | exact E2 |].
      intros l. exists support. split; [apply FinFun.Injective_map_NoDup, seq_NoDup; exact Nat2Z.inj |]. intros y _. split.
      + unfold support. rewrite total_map. cbn [noise_mass]. apply total_ext. intros i _. rewrite binomial_of_nat. reflexivity.
      + intros x O. destruct (Req_dec (binomial (Z.to_nat n1) (value p1) x) 0) as [-> | Z0]; [ring |].
        exfalso. apply O. apply binomial_support in Z0. apply in_map_iff. exists (Z.to_nat x). rewrite in_seq.
        split; lia.
    - rewrite total_scal. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact Sum]. }
  apply IZR_le in B. rewrite !mult_IZR in B.
  assert (U1 := unit_below _ _ _ E1). assert (U2 := unit_below _ _ _ E2).
  assert (Top : c1 * c2 <= IZR (sum_of (highs v1) 0 + rest v1) * IZR (sum_of (highs v2) 0 + rest v2))
    by (apply Rmult_le_compat; lra).
  assert (P : 0 < c1 * c2) by (apply Rmult_lt_0_compat; lra).
  assert (Qn : 0 <= IZR (Qnum q)) by (apply IZR_le; unfold Qle in Q0; simpl in Q0; lia).
  assert (Qd : 0 < IZR (Zpos (Qden q))) by (apply IZR_lt; lia).
  unfold Q2R. apply Rmult_le_reg_l with (c1 * c2 * IZR (Zpos (Qden q))); [apply Rmult_lt_0_compat; lra |].
  replace (c1 * c2 * IZR (Zpos (Qden q)) * (IZR (Qnum q) * / IZR (Zpos (Qden q)))) with (IZR (Qnum q) * (c1 * c2))
    by (field; lra).
  apply (Rmult_le_compat_l (IZR (Qnum q))) in Top; [| exact Qn].
  apply (Rmult_le_compat_l (IZR (Zpos (Qden q)))) in Low; [| lra]. lra.
Qed.

(** ** The row *)

Definition answers_tail (users error : Z) : claim :=
  Tail (BinomialSum (users / 2 + error) (Rational (3 # 4)) (users / 2 - error) (Rational (1 # 4)))
    None (Some (users / 2 - 1)%Z) false (1 # 20).

Definition errors : list (Z * Z) := [(100, 13); (10000, 141); (1000000, 1423)]%Z.

Definition claimed_local_lower_bound : claim :=
  Conjunction (map (fun '(users, error) => answers_tail users error) errors) [].

Lemma tails_computed : forallb (fun '(users, error) => shown 40 (users / 2 + error) (Rational (3 # 4))
  (users / 2 - error) (Rational (1 # 4)) (users / 2) (1 # 20)) errors = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma claimed_local_lower_bound_holds : holds claimed_local_lower_bound.
Proof.
  unfold claimed_local_lower_bound. assert (C := proj1 (forallb_forall _ _) tails_computed).
  assert (Each : forall users error, In (users, error) errors -> holds (answers_tail users error)).
  { intros users error I. apply (shown_sound 40); [exact (C _ I) | discriminate]. }
  exact (conj (Each 100 13 (or_introl eq_refl))%Z (conj (Each 10000 141 (or_intror (or_introl eq_refl)))%Z
    (conj (Each 1000000 1423 (or_intror (or_intror (or_introl eq_refl))))%Z I))).
Qed.

Lemma map_repeat_chance b k : map (chance_of_1 3) (repeat b k) = repeat (chance_of_1 3 b) k.
Proof. induction k as [| k IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

(** From the tail to the error. *)
Lemma error_from_tail (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R)
    (eps : Rdefinitions.R) (users error : Z) :
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> exp eps = 3 ->
  (forall said, local_dp (R said) eps 0) -> (0 < error <= users / 2)%Z -> (users mod 2 = 0)%Z ->
  holds (answers_tail users error) ->
  exists xs, length xs = Z.to_nat users /\
  1 / 20 <= Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (IZR error) (Rabs (a - INR (ones xs)))).
Proof.
  intros HR HE E3 HP Err Even [p [[_ Least] Tail]]. cbv iota in Tail.
  set (h := Z.to_nat (users / 2)). set (d := Z.to_nat error).
  assert (Hd : (d <= h)%nat) by (unfold d, h; lia).
  assert (Users : users = (2 * (users / 2))%Z) by (rewrite (Z.div_mod users 2) at 1 by lia; lia).
  assert (Low : 1 / 20 <= Pr (answers_sum 3 (2 * h) (h + d)) (fun s => Nat.ltb s h)).
  { replace (1 / 20) with (Q2R (1 # 20)) by (unfold Q2R; simpl; lra). eapply Rle_trans; [exact Tail |]. apply Least.
    intros s [l [N [I ->]]]. unfold Pr. rewrite answers_mean by (lra || lia).
    set (v := coins (map (chance_of_1 3) (sorted_bits (2 * h) (h + d)))).
    assert (Mass : forall t, noise_mass (BinomialSum (users / 2 + error) (Rational (3 # 4)) (users / 2 - error)
      (Rational (1 # 4))) t = v t).
    { intros t. unfold v, sorted_bits. rewrite map_app, !map_repeat_chance.
      replace (2 * h - (h + d))%nat with (h - d)%nat by lia. rewrite coins_sum. cbn [noise_mass].
      replace (Z.to_nat (users / 2 + error)) with (h + d)%nat by (unfold h, d; lia).
      replace (Z.to_nat (users / 2 - error)) with (h - d)%nat by (unfold h, d; lia).
      assert (V1 : value (Rational (3 # 4)) = chance_of_1 3 true) by (unfold chance_of_1; simpl; unfold Q2R; simpl; lra).
      assert (V2 : value (Rational (1 # 4)) = chance_of_1 3 false) by (unfold chance_of_1; simpl; unfold Q2R; simpl; lra).
      rewrite V1, V2. apply total_ext. intros i _. rewrite coins_binomial. reflexivity. }
    rewrite (total_ext l _ v) by (intros; apply Mass).
    assert (Pos : forall t, 0 <= v t) by (intros t; apply law_of_nonneg; lra).
    apply Rle_trans with (total (map Z.of_nat (seq 0 h)) v).
    - set (inside := fun t => (0 <=? t)%Z).
      replace (total l v) with (total (filter inside l) v).
      + apply total_incl; [apply NoDup_filter, N | | intros; apply Pos].
        intros t J. apply filter_In in J. destruct J as [J T]. apply Z.leb_le in T. destruct (I t J) as [_ B].
        specialize (B _ eq_refl). apply in_map_iff. exists (Z.to_nat t). rewrite in_seq. unfold h. split; lia.
      + rewrite total_filter. apply total_ext. intros t _. unfold inside.
        destruct (Z.leb_spec 0 t) as [T | T]; [reflexivity |]. symmetry. apply coins_outside. left. exact T.
    - rewrite total_map. replace (S (2 * h)) with (h + S h)%nat by lia. rewrite seq_app, total_app.
      rewrite (total_ext (seq 0 h) _ (fun s => v (Z.of_nat s) * indicator (fun s => Nat.ltb s h) s)).
      + assert (0 <= total (seq (0 + h) (S h)) (fun s => v (Z.of_nat s) * indicator (fun s => Nat.ltb s h) s)); [| lra].
        apply total_nonneg. intros s _. apply Rmult_le_pos; [apply Pos | apply indicator_bounds].
      + intros s J. apply in_seq in J. unfold indicator. rewrite (proj2 (Nat.ltb_lt s h)) by lia. ring. }
  assert (Positive : 0 < eps).
  { apply Rnot_le_lt. intros N. apply exp_le in N. rewrite exp_0 in N. lra. }
  destruct (local_overlap R estimate eps (2 * h) (h - d) (2 * d) 1 (fun _ => 1 / 10)) as [xs [Len [_ Far]]];
    try assumption; try (unfold d; lia); try lia.
  { intros j J. replace j with 0%nat by lia. rewrite E3. replace (h - d + 0 * (2 * d))%nat with (h - d)%nat by lia.
    replace (h - d + 1 * (2 * d))%nat with (h + d)%nat by lia.
    intros T. assert (B := middle_overlap 3 h d ltac:(lra) Hd T). lra. }
  exists xs. split; [rewrite Len; unfold h; lia |].
  replace (IZR error) with (INR (2 * d) / 2).
  - eapply Rle_trans; [| exact Far]. simpl. lra.
  - rewrite mult_INR, (INR_IZR_INZ d). unfold d. rewrite Z2Nat.id by lia. simpl. lra.
Qed.

Definition row_local_lower_bound : Prop :=
  forall (M : Type) (R : list M -> bool -> dist M) (estimate : list M -> dist Rdefinitions.R) (eps : Rdefinitions.R),
  (forall said x, proper (R said x)) -> (forall said, proper (estimate said)) -> exp eps = 3 ->
  (forall said, local_dp (R said) eps 0) ->
  forall users error, In (users, error) [(100, 13); (10 ^ 4, 141); (10 ^ 6, 1423)]%Z ->
  exists xs, length xs = Z.to_nat users /\
  1 / 20 <= Pr (bind (in_turns R [] xs) estimate) (fun a => Rleb (IZR error) (Rabs (a - INR (ones xs)))).

Theorem row_local_lower_bound_holds : row_local_lower_bound.
Proof.
  intros M R estimate eps HR HE E3 HP users error I.
  destruct claimed_local_lower_bound_holds as [A [B [C _]]].
  destruct I as [H | [H | [H | []]]]; injection H as <- <-;
    [apply (error_from_tail M R estimate eps 100 13) | apply (error_from_tail M R estimate eps (10 ^ 4) 141)
    | apply (error_from_tail M R estimate eps (10 ^ 6) 1423)]; try assumption; try reflexivity; split; reflexivity || discriminate.
Qed.

(** ** Words *)

Definition word_noise : claim :=
  ShiftDP (Binomial 15000 (Rational (19869 # 20000))) 1 (Eps (1 # 2)) (1 # 2000000) LeastNothing.
Definition word_tail : claim := Tail (Binomial 15000 (Rational (131 # 20000))) (Some 151%Z) None true (1 # 1500000).

Definition claimed_separation_shuffled_words : claim := Conjunction [word_noise; word_tail] [].

Lemma noise_computed : holds word_noise.
Proof.
  apply (check_shift_enclosed_sound _ _ _ _ _ true (Simple (Bits 72))). vm_cast_no_check (eq_refl true).
Qed.

Lemma tail_computed : holds word_tail.
Proof.
  apply (check_tail_enclosed_sound _ _ _ _ _ true (Simple (Bits 70))). vm_cast_no_check (eq_refl true).
Qed.

Definition row_separation_shuffled_words : Prop :=
  forall n d : nat, INR n = 15000 ->
  let gamma := 131 / 20000 in
  shuffle_dp n (histogram_randomizer d gamma) 1 (1 / 10 ^ 6) /\
  forall xs, length xs = n ->
  Pr (messages (histogram_randomizer d gamma) xs)
    (fun y => existsb (fun j => Rltb (1 / 100) (histogram_error n gamma xs y j)) (seq 0 d)) <= 1 / 100.

Theorem row_separation_shuffled_words_holds : row_separation_shuffled_words.
Proof.
  intros n d Hn gamma. assert (N : n = Z.to_nat 15000).
  { rewrite INR_IZR_INZ in Hn. apply eq_IZR in Hn. lia. }
  split.
  - destruct noise_computed as [H _]. cbn [noise_mass value ratio] in H. rewrite <- N in H.
    replace (Q2R (19869 # 20000)) with (1 - gamma) in H by (unfold gamma, Q2R; simpl; lra).
    replace (exp (Q2R (1 # 2))) with (exp (1 / 2)) in H by (f_equal; unfold Q2R; simpl; lra).
    replace (Q2R (1 # 2000000)) with (1 / 2000000) in H by (unfold Q2R; simpl; lra).
    replace 1 with (2 * (1 / 2)) at 1 by lra. replace (1 / 10 ^ 6) with (2 * (1 / 2000000)) by lra.
    apply histogram_privacy; [unfold gamma; lra .. |]. rewrite <- (ln_exp (1 / 2)).
    apply zsum_of_shift; [unfold gamma; lra | apply exp_ge_1; lra | lra | |];
      destruct (H 1%Z ltac:(lia)); assumption.
  - intros xs L. change (fun y => existsb _ (seq 0 d)) with (some_error_above n d gamma (1 / 100) xs).
    replace (1 / 100) with ((1 + 69 / 131) * gamma) at 1 by (unfold gamma; lra).
    eapply Rle_trans; [apply (histogram_of_tail n d gamma (69 / 131) (1 / 1500000) xs); try (unfold gamma; lra) |
      rewrite Hn; lra]; [lia | exact L |].
    destruct tail_computed as [p [[Up _] Q]]. cbv iota in Q.
    replace (Q2R (1 # 1500000)) with (1 / 1500000) in Q by (unfold Q2R; simpl; lra). eapply Rle_trans; [| exact Q].
    cbn [noise_mass value] in Up. rewrite <- N in Up.
    replace (Q2R (131 # 20000)) with gamma in Up by (unfold gamma, Q2R; simpl; lra).
    apply Up. exists (filter (fun y => (151 <=? y)%Z) (map Z.of_nat (seq 0 (S n)))).
    split; [apply NoDup_filter, FinFun.Injective_map_NoDup, seq_NoDup; exact Nat2Z.inj |]. split.
    + intros y I. apply filter_In in I. destruct I as [_ I]. apply Z.leb_le in I.
      split; [intros a Ha; injection Ha as <-; exact I | discriminate].
    + rewrite Pr_flips, total_filter, total_map. apply total_ext. intros w _. rewrite binomial_of_nat.
      assert (Same : Rltb ((1 + 69 / 131) * (INR n * gamma)) (INR w) = (151 <=? Z.of_nat w)%Z); [| rewrite Same; reflexivity].
      rewrite Hn. replace ((1 + 69 / 131) * (15000 * gamma)) with (IZR 150) by (unfold gamma; lra).
      rewrite INR_IZR_INZ. destruct (Z.leb_spec 151 (Z.of_nat w)) as [B | B].
      * apply Rltb_true, IZR_lt. lia.
      * apply Bool.not_true_is_false. intros X. apply Rltb_true, lt_IZR in X. lia.
Qed.

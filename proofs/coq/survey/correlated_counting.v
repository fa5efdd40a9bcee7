(** Counting in private with correlated noise, as a program of the shuffle model.

    n >= 1 users hold a bit each. Of two geometric laws' shares and one of a negative binomial law each draws g, h and w,
    and sends g + w messages true, one more for the bit 1, and h + w messages false ([correlated]); the estimate is the
    number of messages true less that of messages false. The shares D1 have the law NB(1/n, e^-e1), e1 > 0, and D2 the
    law NB(r/n, p), 0 < e2 <= 1, delta > 0, r >= 3, r >= 3 ln(1/delta), e^(-e2/5) <= p < 1.

    - [correlated_private]: behind a shuffler it is (e1 + e2, delta)-DP, for all n;
    - [correlated_error]: on every data set the error is k or more, k >= 1, with probability 2 a^k/(1 + a), a = e^-e1,
      as that of the discrete Laplace mechanism with e1; w falls out.

    Idea: all that is to be seen are the numbers c + G + W and H + W of messages, with G, H and W the sums of the shares.
    For c + 1 in place of c either G is one larger, which is e^e1 times less likely, or W and H are: (c + 1) + G + W
    and (H + 1) + W are c + G + (W + 1) and H + (W + 1).
    Source: Ghazi, Kumar, Manurangsi, Pagh 2020, section 3 (the protocol); the proof is this package's. *)

From Coq Require Import Reals List Arith ZArith Lra Lia FinFun Permutation.
From Exactdp Require Import reals sums laws privacy masses infinite_sums post_processing hockey_stick bits shuffler.
From Exactdp Require Import countable_programs noise_on_naturals negative_binomial_mean negative_binomial_law.
From Exactdp Require Import negative_binomial_sums negative_binomial_privacy bit_messages local_overlap counting_programs.
Import ListNotations.
Open Scope R_scope.

(** ** The protocol *)

Definition bit (x : bool) : nat := if x then 1 else 0.
Definition falses (u : list bool) : nat := (length u - ones u)%nat.

Definition correlated (D1 D2 : nat -> R) (x : bool) : list bool -> R :=
  chain D1 (fun g => chain D1 (fun h => chain D2 (fun w =>
    point (repeat true (bit x + g + w) ++ repeat false (h + w))))).

Lemma ones_true k : ones (repeat true k) = k.
Proof. induction k as [| k IH]; simpl; congruence. Qed.

Lemma ones_false k : ones (repeat false k) = 0%nat.
Proof. induction k as [| k IH]; simpl; congruence. Qed.

Lemma falses_app u v : falses (u ++ v) = (falses u + falses v)%nat.
Proof.
  unfold falses. rewrite app_length, ones_app. assert (A := ones_le_length u). assert (B := ones_le_length v). lia.
Qed.

Section Counts.
  Variables D1 D2 : nat -> R.
  Hypotheses (L1 : law D1) (L2 : law D2).

  Lemma correlated_law x : law (correlated D1 D2 x).
  Proof. repeat (apply chain_law; [assumption | intros ?]). apply point_law. Qed.

  (** A mean over the three draws. *)
  Definition drawn (G W : nat -> R) (f : nat -> nat -> nat -> R) : R :=
    expectation G (fun g => expectation G (fun h => expectation W (fun w => f g h w))).

  Lemma correlated_mean x f : unit_valued f -> expectation (correlated D1 D2 x) f =
    drawn D1 D2 (fun g h w => f (repeat true (bit x + g + w) ++ repeat false (h + w))).
  Proof.
    intros F. unfold correlated, drawn.
    assert (PL : forall p : list bool, law (point p)) by (intros; apply point_law).
    rewrite expectation_chain; [| exact L1 | intros; repeat (apply chain_law; [assumption | intros ?]); apply PL | exact F].
    apply expectation_ext; [exact L1 | |].
    { intros g. apply expectation_bounds; [repeat (apply chain_law; [assumption | intros ?]); apply PL | exact F]. }
    intros g. rewrite expectation_chain; [| exact L1 | intros; apply chain_law; [assumption | intros; apply PL] | exact F].
    apply expectation_ext; [exact L1 | |].
    { intros h. apply expectation_bounds; [apply chain_law; [assumption | intros; apply PL] | exact F]. }
    intros h. rewrite expectation_chain; [| exact L2 | intros; apply PL | exact F].
    apply expectation_ext; [exact L2 | |].
    { intros w. apply expectation_bounds; [apply PL | exact F]. }
    intros w. apply expectation_point, F.
  Qed.

  Lemma drawn_bounds G W f : law G -> law W -> (forall g h w, 0 <= f g h w <= 1) -> 0 <= drawn G W f <= 1.
  Proof.
    intros LG LW F. apply expectation_bounds; [exact LG |]. intros g. apply expectation_bounds; [exact LG |]. intros h.
    apply expectation_bounds; [exact LW |]. intros w. apply F.
  Qed.

  Lemma drawn_ext G W f f' : law G -> law W -> (forall g h w, 0 <= f g h w <= 1) -> (forall g h w, f g h w = f' g h w) ->
    drawn G W f = drawn G W f'.
  Proof.
    intros LG LW F E. unfold drawn.
    assert (B1 : forall g h, unit_valued (fun w => f g h w)) by (intros g h w; apply F).
    assert (B2 : forall g, unit_valued (fun h => expectation W (fun w => f g h w)))
      by (intros g h; apply expectation_bounds; auto).
    apply expectation_ext; [exact LG | intros g; apply expectation_bounds; auto |]. intros g.
    apply expectation_ext; [exact LG | apply B2 |]. intros h.
    apply expectation_ext; [exact LW | apply B1 |]. intros w. apply E.
  Qed.

  (** All messages, by their numbers: the shares add up. *)
  Lemma counts_law xs F : (forall p m, 0 <= F p m <= 1) ->
    expectation (sent (correlated D1 D2) xs) (fun u => F (ones u) (falses u)) =
    drawn (shares D1 (length xs)) (shares D2 (length xs)) (fun g h w => F (ones xs + g + w) (h + w))%nat.
  Proof.
    revert F. induction xs as [| x xs IH]; intros F HF.
    - cbn [length shares]. unfold drawn. simpl sent. rewrite expectation_point by apply HF.
      repeat (rewrite expectation_no_noise; [| intros ?; try apply HF;
        repeat (apply expectation_bounds; [apply law_no_noise | intros ?]); apply HF]). reflexivity.
    - assert (S1 := shares_law D1 (length xs) L1). assert (S2 := shares_law D2 (length xs) L2).
      set (G := shares D1 (length xs)) in *. set (W := shares D2 (length xs)) in *.
      rewrite sent_cons; [| apply correlated_law | intros u; apply HF].
      assert (Inner : forall u, expectation (sent (correlated D1 D2) xs) (fun v => F (ones (u ++ v)) (falses (u ++ v))) =
        drawn G W (fun g h w => F (ones u + (ones xs + g + w)) (falses u + (h + w)))%nat).
      { intros u. rewrite <- (IH (fun p m => F (ones u + p) (falses u + m))%nat) by (intros; apply HF).
        apply expectation_ext; [apply sent_law, correlated_law | intros v; apply HF |].
        intros v. rewrite ones_app, falses_app. reflexivity. }
      rewrite (expectation_ext _ (correlated_law x) _ _ (fun u => expectation_bounds _ (sent_law _ xs correlated_law) _
        (fun v => HF (ones (u ++ v)) (falses (u ++ v)))) Inner).
      rewrite correlated_mean by (intros u; apply drawn_bounds; auto).
      cbn [length shares]. fold G W.
      set (H := fun g h w g' h' w' => F (ones (x :: xs) + (g + g') + (w + w'))%nat ((h + h') + (w + w'))%nat).
      assert (HH : forall g h w g' h' w', 0 <= H g h w g' h' w' <= 1) by (intros; apply HF).
      rewrite (drawn_ext D1 D2 _ (fun g h w => drawn G W (fun g' h' w' => H g h w g' h' w'))); try assumption.
      2:{ intros. apply drawn_bounds; auto. }
      2:{ intros g h w. apply drawn_ext; auto. intros g' h' w'. unfold H.
          rewrite ones_app, falses_app, ones_true, ones_false. unfold falses.
          rewrite !repeat_length, ones_true, ones_false. simpl ones. destruct x; unfold bit; f_equal; lia. }
      unfold drawn.
      assert (U : forall f : nat -> nat -> nat -> R, (forall a b c, 0 <= f a b c <= 1) ->
        forall a b, unit_valued (f a b)) by (intros f Hf a b c; apply Hf).
      assert (EB : forall (D : nat -> R) (f : nat -> R), law D -> (forall a, 0 <= f a <= 1) -> 0 <= expectation D f <= 1)
        by (intros D f LD Hf; apply expectation_bounds; assumption).
      (* the mean over all six draws, in the order of the right side *)
      transitivity (expectation D1 (fun g => expectation G (fun g' => expectation D1 (fun h => expectation G (fun h' =>
        expectation D2 (fun w => expectation W (fun w' => H g h w g' h' w'))))))).
      + apply expectation_ext; [exact L1 | intros g; repeat (apply EB; [assumption | intros ?]); apply HH |]. intros g.
        transitivity (expectation D1 (fun h => expectation G (fun g' => expectation G (fun h' =>
          expectation D2 (fun w => expectation W (fun w' => H g h w g' h' w')))))).
        * apply expectation_ext; [exact L1 | intros h; repeat (apply EB; [assumption | intros ?]); apply HH |]. intros h.
          rewrite expectation_swap; [| assumption | assumption | intros w g'; repeat (apply EB; [assumption | intros ?]); apply HH].
          apply expectation_ext; [exact S1 | intros g'; repeat (apply EB; [assumption | intros ?]); apply HH |]. intros g'.
          apply expectation_swap; [assumption | assumption | intros w h'; repeat (apply EB; [assumption | intros ?]); apply HH].
        * apply expectation_swap; [assumption | assumption | intros h g'; repeat (apply EB; [assumption | intros ?]); apply HH].
      + symmetry. rewrite expectation_convolved; [| assumption | assumption | intros i; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF].
        apply expectation_ext; [exact L1 | intros g; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF |]. intros g.
        apply expectation_ext; [exact S1 | intros g'; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF |]. intros g'.
        rewrite expectation_convolved; [| assumption | assumption | intros i; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF].
        apply expectation_ext; [exact L1 | intros h; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF |]. intros h.
        apply expectation_ext; [exact S1 | intros h'; repeat (apply EB; [auto using convolved_law | intros ?]); apply HF |]. intros h'.
        rewrite expectation_convolved; [reflexivity | assumption | assumption | intros w; apply HF].
  Qed.
  (** Behind the shuffler there is nothing else to be seen. *)
  Lemma event_counts xs T : symmetric T -> expectation (sent (correlated D1 D2) xs) (indicator T) =
    drawn (shares D1 (length xs)) (shares D2 (length xs))
      (fun g h w => indicator T (repeat true (ones xs + g + w) ++ repeat false (h + w))).
  Proof.
    intros Sym.
    rewrite <- (counts_law xs (fun p m => indicator T (repeat true p ++ repeat false m))) by (intros; apply indicator_bounds).
    apply expectation_ext; [apply sent_law, correlated_law | intros u; apply indicator_bounds |].
    intros u. unfold falses, indicator. rewrite (Sym u (sorted_bits (length u) (ones u)) (permutation_sorted_bits u)).
    reflexivity.
  Qed.
End Counts.

(** ** Privacy *)

Section Private.
  Variables (G W : nat -> R) (E1 E2 delta : R).
  Hypotheses (LG : law G) (LW : law W) (HE1 : 1 <= E1) (HE2 : 1 <= E2) (Hd : 0 <= delta).
  Hypothesis G_steps : forall t, G t <= E1 * G (S t).
  Hypothesis W_moved : mass_below (after 0 W) (after 1 W) E2 delta.
  Variable F : nat -> nat -> R.
  Hypothesis F_range : forall p m, 0 <= F p m <= 1.

  Let seen (c : nat) : R := drawn G W (fun g h w => F (c + g + w)%nat (h + w)%nat).

  Lemma one_up f : unit_valued f -> expectation G (fun t => f (S t)) <= E1 * expectation G f.
  Proof.
    intros U. rewrite <- (expectation_after_1 G f LG U). apply expectation_compare; auto using law_after; [lra |].
    intros [| t]; unfold after; simpl.
    - rewrite Rmult_0_l. apply Rmult_le_pos; [lra | apply Rmult_le_pos; [apply LG | apply U]].
    - rewrite Nat.sub_0_r, <- Rmult_assoc. apply Rmult_le_compat_r; [apply U | apply G_steps].
  Qed.

  Lemma W_mean f : unit_valued f -> expectation W f <= E2 * expectation W (fun t => f (S t)) + delta.
  Proof.
    intros U. assert (B := expectation_below (after 0 W) (after 1 W) E2 delta f (law_after 0 W LW) (law_after 1 W LW)
      ltac:(lra) W_moved U). rewrite !expectation_after in B by assumption. exact B.
  Qed.

  Let EB (D : nat -> R) (f : nat -> R) : law D -> (forall a, 0 <= f a <= 1) -> 0 <= expectation D f <= 1.
  Proof. intros L U. apply expectation_bounds; assumption. Qed.

  Lemma more_below c : seen (S c) <= E1 * seen c.
  Proof.
    unfold seen, drawn.
    set (X := fun t => expectation G (fun h => expectation W (fun w => F (c + t + w)%nat (h + w)%nat))).
    assert (U : unit_valued X) by (intros t; repeat (apply EB; [assumption | intros ?]); apply F_range).
    apply Rle_trans with (expectation G (fun g => X (S g))); [| apply one_up, U]. right.
    apply expectation_ext; [exact LG | intros g; repeat (apply EB; [assumption | intros ?]); apply F_range |]. intros g.
    unfold X. apply expectation_ext; [exact LG | intros h; repeat (apply EB; [assumption | intros ?]); apply F_range |].
    intros h. apply expectation_ext; [exact LW | intros w; apply F_range |]. intros w. f_equal. lia.
  Qed.

  (** The draws in another order. *)
  Let beside (c w : nat) : R := expectation G (fun g => expectation G (fun h => F (c + g + w)%nat (h + w)%nat)).

  Lemma seen_by_w c : seen c = expectation W (beside c).
  Proof.
    unfold seen, drawn, beside.
    rewrite (expectation_swap W G) by (assumption || (intros w g; repeat (apply EB; [assumption | intros ?]); apply F_range)).
    apply expectation_ext; [exact LG | intros g; repeat (apply EB; [assumption | intros ?]); apply F_range |]. intros g.
    apply expectation_swap; [assumption | assumption | intros h w; apply F_range].
  Qed.

  Lemma beside_range c : unit_valued (beside c).
  Proof. intros w. unfold beside. repeat (apply EB; [assumption | intros ?]). apply F_range. Qed.

  Lemma beside_step c w : beside c (S w) <= E1 * beside (S c) w.
  Proof.
    unfold beside.
    apply expectation_compare; [exact LG | exact LG | | | lra |];
      try (intros g; repeat (apply EB; [assumption | intros ?]); apply F_range).
    intros g. apply Rle_trans with (G g * (E1 * expectation G (fun h => F (S c + g + w)%nat (h + w)%nat))); [| right; ring].
    apply Rmult_le_compat_l; [apply LG |].
    eapply Rle_trans; [| apply (one_up (fun h => F (S c + g + w)%nat (h + w)%nat)); intros h; apply F_range]. right.
    apply expectation_ext; [exact LG | intros h; apply F_range |]. intros h. f_equal; lia.
  Qed.

  Lemma fewer_below c : seen c <= E1 * E2 * seen (S c) + delta.
  Proof.
    rewrite !seen_by_w. eapply Rle_trans; [apply (W_mean (beside c)), beside_range |].
    apply Rplus_le_compat_r. rewrite (Rmult_comm E1), Rmult_assoc. apply Rmult_le_compat_l; [lra |].
    apply expectation_compare; auto using beside_range; [intros w; apply beside_range | lra |].
    intros w. apply Rle_trans with (W w * (E1 * beside (S c) w)); [| right; ring].
    apply Rmult_le_compat_l; [apply LW | apply beside_step].
  Qed.

  Lemma seen_near c d : (c <= S d)%nat -> (d <= S c)%nat -> seen c <= E1 * E2 * seen d + delta.
  Proof.
    intros C D. assert (P : forall e, 0 <= seen e) by (intros e; unfold seen; refine (proj1 (drawn_bounds G W _ LG LW _)); intros g h w; apply F_range).
    assert (E12 : E1 <= E1 * E2) by nra. specialize (P d).
    destruct (Nat.lt_trichotomy c d) as [L | [-> | L]].
    - replace d with (S c) in * by lia. apply fewer_below.
    - assert (1 * seen d <= E1 * E2 * seen d) by (apply Rmult_le_compat_r; lra). lra.
    - replace c with (S d) by lia. assert (M := more_below d).
      assert (E1 * seen d <= E1 * E2 * seen d) by (apply Rmult_le_compat_r; lra). lra.
  Qed.
End Private.

Lemma geometric_shares_steps a D : 0 < a -> is_negative_binomial 1 a D -> forall t, D t = / a * D (S t).
Proof.
  intros A [_ Rec] t. specialize (Rec t). assert (P := pos_INR t).
  apply Rmult_eq_reg_l with (a * (INR t + 1)); [| apply Rgt_not_eq, Rmult_lt_0_compat; lra].
  replace (a * (INR t + 1) * (/ a * D (S t))) with ((INR t + 1) * D (S t)) by (field; lra). rewrite Rec. ring.
Qed.

Theorem correlated_private (n : nat) (e1 e2 delta r p : R) (D1 D2 : nat -> R) :
  (1 <= n)%nat -> 0 < e1 -> 0 < e2 <= 1 -> 0 < delta -> 3 <= r -> 3 * ln (1 / delta) <= r ->
  exp (- (e2 / 5)) <= p < 1 ->
  is_negative_binomial (1 / INR n) (exp (- e1)) D1 -> is_negative_binomial (r / INR n) p D2 ->
  countable_dp n (correlated D1 D2) (e1 + e2) delta.
Proof.
  intros Hn H1 H2 Hd Hr Hr' Hp N1 N2 xs ys Near Len T Sym.
  assert (S1 := negative_binomial_divisible 1 _ D1 n Hn N1). assert (S2 := negative_binomial_divisible r _ D2 n Hn N2).
  set (F := fun p m => indicator T (repeat true p ++ repeat false m)).
  assert (FR : forall p m, 0 <= F p m <= 1) by (intros; apply indicator_bounds).
  assert (Form : forall zs, length zs = n -> expectation (sent (correlated D1 D2) zs) (indicator T) =
    drawn (shares D1 n) (shares D2 n) (fun g h w => F (ones zs + g + w) (h + w))%nat)
    by (intros zs <-; apply event_counts; [apply N1 | apply N2 | exact Sym]).
  assert (Len' : length ys = n).
  { rewrite <- Len. inversion Near as [before x y after E1 E2]. rewrite !app_length. reflexivity. }
  rewrite !Form by assumption. rewrite exp_plus.
  assert (A := exp_pos (- e1)).
  apply (seen_near (shares D1 n) (shares D2 n) (exp e1) (exp e2) delta (proj1 S1) (proj1 S2)).
  - apply exp_ge_1. lra.
  - apply exp_ge_1. lra.
  - lra.
  - intros t. right. rewrite (geometric_shares_steps (exp (- e1)) (shares D1 n) A S1 t).
    rewrite exp_Ropp, Rinv_inv. reflexivity.
  - apply (moved_masses (shares D2 n) 0 1). assert (B := negative_binomial_below e2 delta r p 1 (shares D2 n) 0 1 ltac:(lia) H2 Hd Hr Hr').
    simpl (INR 1) in B. rewrite Rmult_1_r in B. exact (B Hp S2 ltac:(simpl; lia)).
  - exact FR.
  - inversion Near as [before x y after E1 E2]. rewrite !ones_app. destruct x, y; simpl; lia.
  - inversion Near as [before x y after E1 E2]. rewrite !ones_app. destruct x, y; simpl; lia.
Qed.

(** ** Its error *)

Section Error.
  Variables (a : R) (G : nat -> R).
  Hypotheses (Ha : 0 < a < 1) (HG : is_negative_binomial 1 a G).

  Lemma rising_weight_1 t : rising_weight 1 t = 1.
  Proof. induction t as [| t IH]; [reflexivity |]. simpl. rewrite IH. assert (P := pos_INR t). field. lra. Qed.

  Lemma geometric_mass t : G t = (1 - a) * a ^ t.
  Proof.
    assert (N := negative_binomial_exists 1 a ltac:(lra) ltac:(lra)).
    rewrite (negative_binomial_unique 1 a G (negative_binomial 1 a) HG N t). unfold negative_binomial.
    rewrite Rmult_1_l, exp_ln, rising_weight_1 by lra. ring.
  Qed.

  Lemma geometric_tail m : expectation G (fun g => if Nat.leb m g then 1 else 0) = a ^ m.
  Proof.
    apply expectation_is. apply (sum_of_ext (fun g => a ^ m * after m G g)).
    - intros g. unfold after. destruct (Nat.ltb_spec g m), (Nat.leb_spec m g); try lia; [ring |].
      rewrite !geometric_mass, Rmult_1_r. replace (a ^ g) with (a ^ m * a ^ (g - m)); [ring |].
      rewrite <- pow_add. f_equal. lia.
    - assert (S := sum_of_scal _ (a ^ m) 1 ltac:(apply pow_le; lra) (proj2 (proj1 (law_sum_of _) (law_after m G (proj1 HG))))).
      rewrite Rmult_1_r in S. exact S.
  Qed.

  Lemma one_side k : expectation G (fun h => expectation G (fun g => if Nat.leb (h + k) g then 1 else 0)) = a ^ k / (1 + a).
  Proof.
    assert (Unit : forall m, unit_valued (fun g => if Nat.leb m g then 1 else 0)) by (intros m g; destruct (Nat.leb m g); lra).
    rewrite (expectation_ext G (proj1 HG) _ (fun h => a ^ (h + k))).
    2:{ intros h. apply expectation_bounds; [apply HG | apply Unit]. }
    2:{ intros h. apply geometric_tail. }
    apply expectation_is. assert (A2 : 0 < a * a < 1) by nra.
    destruct (negative_binomial_exists 1 (a * a) ltac:(lra) ltac:(lra)) as [L Rec].
    assert (M : forall t, negative_binomial 1 (a * a) t = (1 - a * a) * (a * a) ^ t).
    { intros t. unfold negative_binomial. rewrite Rmult_1_l, exp_ln, rising_weight_1 by lra. ring. }
    apply (sum_of_ext (fun t => a ^ k / (1 + a) * negative_binomial 1 (a * a) t)).
    - intros t. rewrite M, geometric_mass, pow_add, Rpow_mult_distr. field. lra.
    - assert (C : 0 <= a ^ k / (1 + a)) by (apply Rle_mult_inv_pos; [apply pow_le; lra | lra]).
      assert (S := sum_of_scal _ _ 1 C (proj2 (proj1 (law_sum_of _) L))). rewrite Rmult_1_r in S. exact S.
  Qed.
End Error.

Theorem correlated_error (n : nat) (e1 : R) (D1 D2 : nat -> R) (xs : list bool) (k : nat) :
  0 < e1 -> length xs = n -> (1 <= n)%nat -> (1 <= k)%nat ->
  is_negative_binomial (1 / INR n) (exp (- e1)) D1 -> law D2 ->
  let far u := Z.leb (Z.of_nat k) (Z.abs (Z.of_nat (ones u) - Z.of_nat (falses u) - Z.of_nat (ones xs))) in
  expectation (sent (correlated D1 D2) xs) (indicator far) = 2 * exp (- e1) ^ k / (1 + exp (- e1)).
Proof.
  intros H1 Len Hn Hk N1 L2 far. set (a := exp (- e1)).
  assert (Ha : 0 < a < 1).
  { split; [apply exp_pos |]. unfold a. rewrite <- exp_0. apply exp_increasing. lra. }
  assert (S1 := negative_binomial_divisible 1 _ D1 n Hn N1). fold a in S1. assert (LG := proj1 S1).
  assert (S2 := shares_law D2 n L2).
  set (F := fun p m => if Z.leb (Z.of_nat k) (Z.abs (Z.of_nat p - Z.of_nat m - Z.of_nat (ones xs))) then 1 else 0).
  assert (FR : forall p m, 0 <= F p m <= 1) by (intros p m; unfold F; destruct (Z.leb _ _); lra).
  transitivity (expectation (sent (correlated D1 D2) xs) (fun u => F (ones u) (falses u))).
  { apply expectation_ext; [apply sent_law, correlated_law; [apply N1 | exact L2] | intros u; apply indicator_bounds | reflexivity]. }
  rewrite (counts_law D1 D2 (proj1 N1) L2 xs F FR), Len. set (G := shares D1 n) in *.
  set (above := fun g h : nat => if Nat.leb (h + k) g then 1 else 0).
  assert (AR : forall g h, 0 <= above g h <= 1) by (intros g h; unfold above; destruct (Nat.leb _ _); lra).
  assert (Split : forall g h w, F (ones xs + g + w)%nat (h + w)%nat = above g h + above h g).
  { intros g h w. unfold F, above.
    destruct (Z.leb_spec (Z.of_nat k) (Z.abs (Z.of_nat (ones xs + g + w) - Z.of_nat (h + w) - Z.of_nat (ones xs)))),
      (Nat.leb_spec (h + k) g), (Nat.leb_spec (g + k) h); try lia; ring. }
  assert (Both : forall g h, 0 <= above g h + above h g <= 1) by (intros g h; rewrite <- (Split g h 0%nat); apply FR).
  rewrite (drawn_ext G (shares D2 n) _ (fun g h _ => above g h + above h g)) by (assumption || (intros; apply FR) || apply Split).
  unfold drawn.
  assert (EB : forall f : nat -> R, (forall t, 0 <= f t <= 1) -> 0 <= expectation G f <= 1)
    by (intros f U; apply expectation_bounds; assumption).
  transitivity (expectation G (fun g => expectation G (fun h => above g h) + expectation G (fun h => above h g))).
  { apply expectation_ext; [exact LG | |].
    - intros g. apply EB. intros h. apply expectation_bounds; [exact S2 | intros w; apply Both].
    - intros g. rewrite <- expectation_plus by (assumption || (intros h; apply AR) || (intros h; apply Both)).
      apply expectation_ext; [exact LG | intros h; apply expectation_bounds; [exact S2 | intros w; apply Both] |].
      intros h. apply expectation_is. apply (sum_of_ext (fun t => (above g h + above h g) * shares D2 n t)); [intros; ring |].
      assert (S := sum_of_scal _ _ 1 (proj1 (Both g h)) (proj2 (proj1 (law_sum_of _) S2))). rewrite Rmult_1_r in S. exact S. }
  rewrite expectation_plus; [| exact LG | intros g; apply EB; intros h; apply AR | intros g; apply EB; intros h; apply AR |].
  2:{ intros g. rewrite <- expectation_plus by (assumption || (intros h; apply AR) || (intros h; apply Both)).
      apply EB. intros h. apply Both. }
  rewrite expectation_swap by (assumption || (intros g h; apply AR)).
  assert (One := one_side a G Ha S1 k). fold (above 0%nat) in One.
  change (expectation G (fun h => expectation G (fun g => above g h)) = a ^ k / (1 + a)) in One.
  rewrite One. field. lra.
Qed.

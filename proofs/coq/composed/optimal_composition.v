(** The composition of T mechanisms that are (eps, delta)-DP: the optimal bound.

    Let E0 >= 1 be a real number, e^eps, and 0 <= delta <= 1. Two laws, finite or infinite, that are
    (E0, delta)-below each other are dominated by a measure of losses with two atoms and one at infinity,
    [response_losses]: with probability delta the loss is infinite, else it is ln E0 with probability
    E0/(1 + E0) and - ln E0 otherwise ([response_dominates]). Hence T mechanisms of such pairs, each of which is
    chosen with all answers before it in sight, have answers that are (E, composed_delta T)-below for every
    E >= 0 and every T ([optimal_composition]), where

      composed_delta T = 1 - (1-delta)^T + (1-delta)^T sum_(i<=T) C(T,i) max(0, E0^(T-i) - E E0^i) / (1 + E0)^T.

    This is the least bound there is: T independent runs of randomized response of a bit that tells the bit with
    probability delta, else answers it truly with probability E0/(1 + E0), are such mechanisms
    ([response_is_private]), and no smaller number bounds their divergence at E ([optimal_composition_attained]),
    for all T, E0 >= 1, delta in [0, 1] and E >= 0.

    Idea: the divergence of the measure is the broken line through the values at 0, 1/E0 and E0 that every such
    pair is below; products of measures are adaptive_composition.v.

    Source: KairouzOhViswanath2017, section 3 (there for eps' of the form (T - 2i) eps). *)

From Coq Require Import Reals List Lra Lia.
From Exactdp Require Import reals sums laws masses hockey_stick hockey_stick_curve binomial.
From Exactdp Require Import loss_measures adaptive_composition corners.
Import ListNotations.
Open Scope R_scope.

(** ** One run *)

Definition response_losses (E0 delta : R) : measure :=
  {| infinite := delta;
     atoms := [((1 - delta) * (E0 / (1 + E0)), / E0); ((1 - delta) * / (1 + E0), E0)] |}.

(** All pairs of laws that are (E0, delta)-below each other. *)
Definition private_pairs {A} (E0 delta : R) : mechanism A := fun P Q =>
  law P /\ law Q /\ mass_below P Q E0 delta /\ mass_below Q P E0 delta.

Section response.

Variables (E0 delta : R).
Hypothesis above_1 : 1 <= E0.
Hypothesis chance : 0 <= delta <= 1.

Lemma response_nonnegative : nonnegative (response_losses E0 delta).
Proof.
  assert (0 < / E0) by (apply Rinv_0_lt_compat; lra). assert (0 < / (1 + E0)) by (apply Rinv_0_lt_compat; lra).
  split; [apply chance |]. intros mr [<- | [<- | []]]; simpl; split; try lra.
  - apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; lra.
  - apply Rmult_le_pos; lra.
Qed.

Lemma response_at_0 : divergence (response_losses E0 delta) 0 = 1.
Proof. rewrite divergence_at_0. unfold finite_mass. simpl. field. lra. Qed.

Theorem response_dominates {A} : dominates (response_losses E0 delta) (@private_pairs A E0 delta).
Proof.
  assert (P0 : 0 < / E0) by (apply Rinv_0_lt_compat; lra).
  assert (Q0 : E0 * / E0 = 1) by (apply Rinv_r; lra).
  assert (L0 : / E0 <= 1) by (apply Rmult_le_reg_l with E0; lra).
  apply dominates_at_corners.
  - apply response_nonnegative.
  - intros mr [<- | [<- | []]]; simpl; lra.
  - right. symmetry. apply response_at_0.
  - intros P Q [LP [LQ [H1 H2]]]. split; [exact LP | split; [exact LQ |]].
    intros c [<- | [<- | []]]; simpl.
    + rewrite Rinv_inv. intros l N. eapply Rle_trans; [apply (H1 l N) |].
      apply Rplus_le_compat_l. unfold divergence. assert (X := response_nonnegative).
      assert (0 <= total (atoms (response_losses E0 delta)) (hinge E0)); [| simpl in *; lra].
      apply total_nonneg. intros mr I. apply hinge_nonneg, (proj2 X mr I).
    + intros l N. eapply Rle_trans;
        [apply (other_order P Q (/ E0) delta LP LQ P0 ltac:(rewrite Rinv_inv; exact H2) l N) |].
      apply Rplus_le_compat_l. unfold divergence, hinge. simpl.
      rewrite (Rmax_left 0 (1 - / E0 * E0)) by lra.
      rewrite Rmax_right; [apply Req_le; field; lra |].
      assert (/ E0 * / E0 <= 1 * 1) by (apply Rmult_le_compat; lra). lra.
Qed.

(** ** T runs *)

(** What T finite losses exceed ln E by, of which i are - ln E0 and the others ln E0; times (1 + E0)^T. *)
Definition composed_excess (T : nat) (E : R) (i : nat) : R := Rmax 0 (E0 ^ (T - i) - E * E0 ^ i).

Definition composed_delta (T : nat) (E : R) : R :=
  1 - (1 - delta) ^ T +
  (1 - delta) ^ T * (total (seq 0 (S T)) (fun i => C T i * composed_excess T E i) / (1 + E0) ^ T).

(** The losses of T runs, none of them infinite: the product by its first factor, as a program with T coins. *)
Fixpoint finite_part (T : nat) (E : R) : R :=
  match T with
  | O => Rmax 0 (1 - E)
  | S T => E0 / (1 + E0) * finite_part T (E * / E0) + / (1 + E0) * finite_part T (E * E0)
  end.

Lemma product_finite_part T E :
  divergence (product (repeat (response_losses E0 delta) T)) E =
  1 - (1 - delta) ^ T + (1 - delta) ^ T * finite_part T E.
Proof.
  assert (At0 : forall T, divergence (product (repeat (response_losses E0 delta) T)) 0 = 1).
  { clear T. intros T. induction T as [| T IH].
    - unfold divergence, hinge. simpl. rewrite Rmult_0_l, Rmax_right by lra. ring.
    - change (repeat _ (S T)) with (response_losses E0 delta :: repeat (response_losses E0 delta) T).
      simpl product. rewrite divergence_times, IH. simpl. rewrite !Rmult_0_l, IH. field. lra. }
  revert E. induction T as [| T IH]; intros E.
  - unfold divergence, hinge. simpl. rewrite Rmult_1_r. ring.
  - change (repeat _ (S T)) with (response_losses E0 delta :: repeat (response_losses E0 delta) T).
    simpl product. rewrite divergence_times, At0. cbn [atoms infinite response_losses total fst snd].
    rewrite !IH. simpl. field. lra.
Qed.

Lemma finite_part_coins T E :
  finite_part T E = mean (flips T (/ (1 + E0))) (fun i => Rmax 0 (1 - E * (E0 ^ i / E0 ^ (T - i)))).
Proof.
  assert (Bound : forall T f g, (forall i, (i <= T)%nat -> f i = g i) ->
    mean (flips T (/ (1 + E0))) f = mean (flips T (/ (1 + E0))) g).
  { clear. intros T f g H. rewrite !mean_flips. apply total_ext. intros i I. apply in_seq in I.
    rewrite H by lia. reflexivity. }
  revert E. induction T as [| T IH]; intros E.
  - simpl. rewrite mean_ret. simpl. f_equal. field.
  - cbn [flips finite_part]. rewrite mean_bind, mean_coin, !mean_dmap, !IH. rewrite Rplus_comm. f_equal.
    + f_equal. apply Bound. intros i Hi. simpl. f_equal. field. apply pow_nonzero. lra.
    + replace (1 - / (1 + E0)) with (E0 / (1 + E0)) by (field; lra). f_equal.
      apply Bound. intros i Hi. f_equal. replace (S T - i)%nat with (S (T - i)) by lia. simpl. field.
      split; [apply pow_nonzero |]; lra.
Qed.

Lemma finite_part_formula T E :
  finite_part T E = total (seq 0 (S T)) (fun i => C T i * composed_excess T E i) / (1 + E0) ^ T.
Proof.
  rewrite finite_part_coins, mean_flips.
  transitivity (total (seq 0 (S T)) (fun i => C T i * composed_excess T E i * / (1 + E0) ^ T));
    [| apply total_scal_r].
  apply total_ext. intros i I. apply in_seq in I. rewrite binom_inside by lia. unfold composed_excess.
  assert (P1 : 0 < E0 ^ (T - i)) by (apply pow_lt; lra). assert (P2 : 0 < E0 ^ i) by (apply pow_lt; lra).
  replace (E0 ^ (T - i) - E * E0 ^ i) with (E0 ^ (T - i) * (1 - E * (E0 ^ i / E0 ^ (T - i)))) by (field; lra).
  rewrite <- (Rmult_0_r (E0 ^ (T - i))) at 2. rewrite RmaxRmult by lra.
  replace (1 - / (1 + E0)) with (E0 * / (1 + E0)) by (field; lra).
  rewrite Rpow_mult_distr, !pow_inv.
  replace ((1 + E0) ^ T) with ((1 + E0) ^ i * (1 + E0) ^ (T - i)) by (rewrite <- pow_add; f_equal; lia).
  field. split; apply pow_nonzero; lra.
Qed.

Lemma product_composed T E :
  divergence (product (repeat (response_losses E0 delta) T)) E = composed_delta T E.
Proof. rewrite product_finite_part, finite_part_formula. reflexivity. Qed.

Theorem optimal_composition {A} T (mechanisms : list (mechanism A)) P Q E :
  length mechanisms = T -> (forall M, In M mechanisms -> forall P Q, M P Q -> private_pairs E0 delta P Q) ->
  played mechanisms P Q -> 0 <= E -> mass_below P Q E (composed_delta T E).
Proof.
  intros HT H HP HE. rewrite <- product_composed.
  set (pairs := map (fun M => (response_losses E0 delta, M)) mechanisms).
  replace (repeat (response_losses E0 delta) T) with (map fst pairs).
  - apply adaptive_composition; [| unfold pairs; rewrite map_map, map_id; exact HP | exact HE].
    intros x I. apply in_map_iff in I. destruct I as [M [<- I]].
    destruct (@response_dominates A) as [D1 [D2 D3]]. split; [exact D1 | split; [exact D2 |]].
    intros P' Q' HM. apply D3, (H M I), HM.
  - unfold pairs. rewrite map_map. simpl. rewrite <- HT. clear. induction mechanisms; simpl; congruence.
Qed.

(** ** Randomized response attains it *)

(** An answer tells the bit (first component true), or speaks for a bit. *)
Definition response (bit : bool) (answer : bool * bool) : R :=
  match answer with
  | (true, b) => if Bool.eqb b bit then delta else 0
  | (false, b) => (1 - delta) * (if Bool.eqb b bit then E0 / (1 + E0) else / (1 + E0))
  end.

Fixpoint responses (T : nat) (bit : bool) : list (bool * bool) -> R :=
  match T with
  | O => nothing
  | S T => then_all (response bit) (fun _ => responses T bit)
  end.

Definition answers : list (bool * bool) := [(true, true); (true, false); (false, true); (false, false)].

Fixpoint all_answers (T : nat) : list (list (bool * bool)) :=
  match T with
  | O => [[]]
  | S T => flat_map (fun a => map (cons a) (all_answers T)) answers
  end.

Lemma answer_nonneg bit a : 0 <= response bit a.
Proof.
  assert (0 < / (1 + E0)) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= E0 / (1 + E0)) by (apply Rmult_le_pos; lra).
  destruct a as [[|] b]; simpl; destruct (Bool.eqb b bit); try lra; apply Rmult_le_pos; lra.
Qed.

Lemma response_law bit : law (response bit).
Proof.
  assert (D : forall a b : bool * bool, {a = b} + {a <> b}) by (intros; repeat decide equality).
  apply (law_of_finite_support D (response bit) answers).
  - apply answer_nonneg.
  - repeat constructor; simpl; intuition discriminate.
  - intros [[|] [|]] N; exfalso; apply N; simpl; auto.
  - destruct bit; simpl; field; lra.
Qed.

Theorem response_is_private : private_pairs E0 delta (response true) (response false) /\
  private_pairs E0 delta (response false) (response true).
Proof.
  assert (I0 : 0 < / (1 + E0)) by (apply Rinv_0_lt_compat; lra).
  assert (X : forall b, mass_below (response b) (response (negb b)) E0 delta).
  { intros b. apply mass_hockey_stick_iff. intros l N.
    apply Rle_trans with (total answers (fun a => Rmax 0 (response b a - E0 * response (negb b) a))).
    - apply total_incl; [exact N | | intros; apply Rmax_l].
      intros [[|] [|]] _; simpl; auto.
    - assert (Y : (1 - delta) * (E0 / (1 + E0)) - E0 * ((1 - delta) * / (1 + E0)) = 0) by (field; lra).
      assert (Z : (1 - delta) * / (1 + E0) - E0 * ((1 - delta) * (E0 / (1 + E0))) <= 0).
      { replace ((1 - delta) * / (1 + E0) - E0 * ((1 - delta) * (E0 / (1 + E0))))
          with (- ((1 - delta) * ((E0 ^ 2 - 1) * / (1 + E0)))) by (field; lra).
        assert (0 <= (1 - delta) * ((E0 ^ 2 - 1) * / (1 + E0))); [| lra].
        apply Rmult_le_pos; [lra |]. apply Rmult_le_pos; nra. }
      assert (W : 0 - E0 * delta <= 0).
      { assert (0 <= E0 * delta) by (apply Rmult_le_pos; lra). lra. }
      destruct b; simpl; rewrite Y, (Rmax_right 0 (delta - E0 * 0)), (Rmax_left 0 0),
        (Rmax_left 0 ((1 - delta) * / (1 + E0) - _)), (Rmax_left 0 (0 - _)) by lra; lra. }
  assert (L := response_law). split; (split; [apply L | split; [apply L |]]).
  - exact (conj (X true) (X false)).
  - exact (conj (X false) (X true)).
Qed.

Lemma responses_played T bit bit' (M : mechanism (bool * bool)) :
  M (response bit) (response bit') -> played (repeat M T) (responses T bit) (responses T bit').
Proof.
  intros H. induction T as [| T IH]; simpl; [apply played_none |].
  apply played_next with (M := M) (rest := repeat M T); [reflexivity | exact H | intros _; exact IH].
Qed.

Lemma all_answers_once T : NoDup (all_answers T).
Proof.
  assert (Inj : forall a (l : list (list (bool * bool))), NoDup l -> NoDup (map (cons a) l)).
  { intros a l N. apply FinFun.Injective_map_NoDup; [intros u v E; congruence | exact N]. }
  induction T as [| T IH]; simpl; [repeat constructor; intros [] |]. rewrite app_nil_r.
  repeat apply product_laws.disjoint_append; try apply Inj, IH; intros s I J;
    repeat (apply in_app_or in J; destruct J as [J | J]);
    apply in_map_iff in I; destruct I as [u [<- _]]; apply in_map_iff in J; destruct J as [v [E _]]; discriminate.
Qed.

Lemma responses_nonneg T bit s : 0 <= responses T bit s.
Proof.
  revert s. induction T as [| T IH]; intros [| a s]; simpl; try lra.
  apply Rmult_le_pos; [apply answer_nonneg | apply IH].
Qed.

(** One answer before others, whose excess at F is D F. *)
Lemma answer_then (rest : list (list (bool * bool))) (K L : list (bool * bool) -> R) (D : R -> R) E :
  (forall s, 0 <= K s) -> (forall s, 0 <= L s) ->
  (forall F, 0 <= F -> total rest (fun s => Rmax 0 (K s - F * L s)) = D F) -> 0 <= E ->
  total (flat_map (fun a => map (cons a) rest) answers)
    (fun s => Rmax 0 (then_all (response true) (fun _ => K) s - E * then_all (response false) (fun _ => L) s)) =
  delta * D 0 + total (atoms (response_losses E0 delta)) (fun x => fst x * D (E * snd x)).
Proof.
  intros HK HL HD HE. rewrite total_flat_map. cbn [answers total]. rewrite !total_map. cbn [then_all].
  assert (Step : forall p q, 0 < p -> 0 <= q ->
    total rest (fun s => Rmax 0 (p * K s - E * (q * L s))) = p * D (E * (q / p))).
  { intros p q Hp Hq. rewrite <- HD.
    - rewrite <- total_scal. apply total_ext. intros s _.
      replace (p * K s - E * (q * L s)) with (p * (K s - E * (q / p) * L s)) by (field; lra).
      rewrite <- (Rmult_0_r p) at 1. apply RmaxRmult. lra.
    - apply Rmult_le_pos; [exact HE |]. apply Rmult_le_pos; [exact Hq |]. left. apply Rinv_0_lt_compat, Hp. }
  assert (Zero : forall q, 0 <= q -> total rest (fun s => Rmax 0 (0 * K s - E * (q * L s))) = 0).
  { intros q Hq. transitivity (total rest (fun _ => 0)); [| apply total_zero].
    apply total_ext. intros s _. apply Rmax_left.
    assert (0 <= E * (q * L s)); [| lra].
    apply Rmult_le_pos; [exact HE |]. apply Rmult_le_pos; [exact Hq | apply HL]. }
  assert (I0 : 0 < / (1 + E0)) by (apply Rinv_0_lt_compat; lra).
  cbn [response Bool.eqb atoms response_losses total fst snd]. rewrite (Zero delta) by lra.
  assert (Told : total rest (fun s => Rmax 0 (delta * K s - E * (0 * L s))) = delta * D 0).
  { destruct (Rle_lt_or_eq_dec 0 delta (proj1 chance)) as [X | X].
    - rewrite Step by lra. f_equal. f_equal. unfold Rdiv. ring.
    - rewrite <- X. rewrite Zero by lra. ring. }
  rewrite Told. destruct (Rle_lt_or_eq_dec delta 1 (proj2 chance)) as [X | X].
  - rewrite !Step; try (apply Rmult_lt_0_compat; try lra; apply Rmult_lt_0_compat; lra);
      try (apply Rmult_le_pos; try lra; apply Rmult_le_pos; lra).
    replace ((1 - delta) * / (1 + E0) / ((1 - delta) * (E0 / (1 + E0)))) with (/ E0) by (field; lra).
    replace ((1 - delta) * (E0 / (1 + E0)) / ((1 - delta) * / (1 + E0))) with E0 by (field; lra). ring.
  - rewrite X. replace (1 - 1) with 0 by ring. rewrite !Rmult_0_l, !Zero by lra. ring.
Qed.

Lemma responses_excess T E :
  0 <= E ->
  total (all_answers T) (fun s => Rmax 0 (responses T true s - E * responses T false s)) =
  divergence (product (repeat (response_losses E0 delta) T)) E.
Proof.
  revert E. induction T as [| T IH]; intros E HE.
  - unfold divergence, hinge. simpl. rewrite !Rmult_1_r, Rmult_1_l. ring.
  - change (repeat _ (S T)) with (response_losses E0 delta :: repeat (response_losses E0 delta) T).
    simpl product. rewrite divergence_times.
    apply (answer_then (all_answers T)); [apply responses_nonneg | apply responses_nonneg | exact IH | exact HE].
Qed.

Theorem optimal_composition_attained T :
  played (repeat (private_pairs E0 delta) T) (responses T true) (responses T false) /\
  forall E d, 0 <= E -> mass_below (responses T true) (responses T false) E d -> composed_delta T E <= d.
Proof.
  split; [apply responses_played, response_is_private |].
  intros E d HE H. rewrite <- product_composed, <- responses_excess by exact HE.
  apply (mass_hockey_stick_iff (responses T true) (responses T false) E d); [exact H | apply all_answers_once].
Qed.

End response.

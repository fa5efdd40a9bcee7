(** Rows of proofs/small_sizes.py whose claim, for every value of a parameter, the kernel computes.

    The least delta of two and of three users of 3-ary randomized response is a claim of the proved checker at all
    e^eps0 = p from 1 to 8 ([ternary_computed]). That of the published pair is a mean excess (telling_pair.v) of few
    values: the terms that are not negative become so one after the other as p grows. Where the one is below the other
    is left to polynomials. Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia PeanoNat.
From Exactdp Require Import sums laws privacy single_message mean_excess multivariate box_inequality variation_ratio.
From Exactdp Require Import telling_pair.
From ExactdpChecker Require Import claims witnesses closed_bracket_checked.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope Q_scope.

(** ** The least delta of the protocol *)

Definition polynomial_in_p (coefficients : list (Q * nat)) : rational_poly := map (fun ck => (fst ck, [snd ck]))
  coefficients.

Definition p_plus_2 : rational_poly := polynomial_in_p [(2, 0%nat); (1, 1%nat)].
Definition likely : rational_function := Quotient (polynomial_in_p [(1, 1%nat)]) p_plus_2.
Definition rare : rational_function := Quotient (polynomial_in_p [(1, 0%nat)]) p_plus_2.

Definition ternary : functional_table :=
  {| function_messages := 3; function_rows := [
    [(likely, [0]); (rare, [1]); (rare, [2])];
    [(rare, [0]); (likely, [1]); (rare, [2])];
    [(rare, [0]); (rare, [1]); (likely, [2])]] |}%nat.

(** For all p from 1 to 8 delta at e^eps = 3/2 is the largest of 0 and these quotients. *)
Definition least_claim (n : Z) (bottom : list (Q * nat)) (tops : list (list (Q * nat))) : claim :=
  ForAll [[112%Z]] [{| from := 1; from_closed := true; to := 8; to_closed := true |}]
    (PointShuffle ternary n ThisNumber ReplaceOne (Constant (3 # 2))
      (Constant 0 :: map (fun top => Quotient (polynomial_in_p top) (polynomial_in_p bottom)) tops) LeastDelta).

Definition ternary_of_two : claim := least_claim 2 [(8, 0%nat); (8, 1%nat); (2, 2%nat)]
  [[(-3 # 1, 1%nat); (2, 2%nat)]; [(-4 # 1, 0%nat); (-1 # 1, 1%nat); (2, 2%nat)]].

Definition ternary_of_three : claim := least_claim 3 [(16, 0%nat); (24, 1%nat); (12, 2%nat); (2, 3%nat)]
  [[(-3 # 1, 2%nat); (2, 3%nat)]; [(-3 # 1, 0%nat); (-2 # 1, 1%nat); (-1 # 1, 2%nat); (2, 3%nat)];
   [(-4 # 1, 0%nat); (-6 # 1, 1%nat); (1, 2%nat); (2, 3%nat)]; [(-8 # 1, 0%nat); (-5 # 1, 1%nat); (1, 2%nat); (2,
     3%nat)]].

Definition claimed_small_ternary_response_every_eps0 : claim := Conjunction [ternary_of_two; ternary_of_three] [].

(** The cells, and for each quotient two data sets with an event that reaches it. *)
Definition cells_of_p : tree :=
  Cut 0 4 (Cut 0 2 (Cut 0 (3 # 2) (Leaf [] 0 0) (Leaf [] 0 0)) (Leaf [] 0 0)) (Leaf [] 0 0).

Definition reaches (first second : list Z) (event : list (list Z)) : reached_event :=
  {| reached_first := first; reached_second := second; reached_counts := event |}.

Definition ternary_witness : witness := Parts [
  OfFunctions (OnCells cells_of_p (ReachedViews [
    reaches [2; 0; 0] [1; 1; 0] []; reaches [2; 0; 0] [1; 1; 0] [[2; 0; 0]];
    reaches [1; 1; 0] [1; 0; 1] [[0; 2; 0]; [1; 1; 0]]]%Z));
  OfFunctions (OnCells cells_of_p (ReachedViews [
    reaches [3; 0; 0] [2; 1; 0] []; reaches [3; 0; 0] [2; 1; 0] [[3; 0; 0]];
    reaches [2; 1; 0] [1; 1; 1] [[2; 1; 0]; [3; 0; 0]];
    reaches [2; 1; 0] [2; 0; 1] [[0; 3; 0]; [1; 2; 0]; [2; 1; 0]];
    reaches [2; 1; 0] [2; 0; 1] [[0; 2; 1]; [0; 3; 0]; [1; 2; 0]; [2; 1; 0]]]%Z))].

Lemma ternary_computed : holds claimed_small_ternary_response_every_eps0.
Proof.
  apply (holds_by ternary_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Open Scope R_scope.

(** The largest of these and 0. *)
Definition largest (l : list R) : R := fold_right Rmax 0 l.

Lemma largest_nonneg l : 0 <= largest l.
Proof. induction l as [| x l IH]; simpl; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

Lemma largest_left l : largest l = fold_left Rmax l 0.
Proof.
  assert (X : forall l s, 0 <= s -> fold_left Rmax l s = Rmax s (largest l)).
  { induction l0 as [| x l0 IH]; intros s S; simpl; [rewrite Rmax_left; lra |].
    rewrite IH, Rmax_assoc; [reflexivity |]. eapply Rle_trans; [exact S | apply Rmax_l]. }
  rewrite X, Rmax_right; [reflexivity | apply largest_nonneg | lra].
Qed.

(** The positive part of y and n draws of three values. *)
Fixpoint excess_of (w a b s c : R) (n : nat) (y : R) : R :=
  match n with
  | O => Rmax 0 y
  | S m => w * excess_of w a b s c m (y + a) + w * excess_of w a b s c m (y + b) + s * excess_of w a b s c m (y + c)
  end.

Lemma mean_excess_of_three w a b s c n :
  mean_excess n [(w, a); (w, b); (s, c)] = excess_of w a b s c n 0 / INR n.
Proof.
  unfold mean_excess. f_equal.
  assert (X : forall y, mean (copies [(w, a); (w, b); (s, c)] n) (fun l => Rmax 0 (y + total l (fun v => v))) =
    excess_of w a b s c n y).
  { induction n as [| n IH]; intros y.
    - rewrite mean_copies_none. simpl total. rewrite Rplus_0_r. reflexivity.
    - assert (Y : forall d, mean (copies [(w, a); (w, b); (s, c)] n) (fun rest => Rmax 0 (y + total (d :: rest) (fun
      v => v))) =
        excess_of w a b s c n (y + d)).
      { intros d. rewrite <- IH. apply mean_ext. intros rest. f_equal. simpl total. ring. }
      rewrite mean_copies_first. unfold mean at 1. cbn [total fst snd excess_of]. cbn [total] in Y. rewrite !Y. ring.
        }
  rewrite <- X. apply mean_ext. intros l. rewrite Rplus_0_l. reflexivity.
Qed.

(** Terms of which each is negative where the one before is. *)
Lemma sums_of_rising t1 t2 t3 t4 :
  (0 <= t2 -> 0 <= t1) -> (0 <= t3 -> 0 <= t2) -> (0 <= t4 -> 0 <= t3) ->
  largest [t1; t1 + t2; t1 + t2 + t3; t1 + t2 + t3 + t4] = Rmax 0 t1 + Rmax 0 t4 + Rmax 0 t2 + Rmax 0 t3.
Proof.
  intros H1 H2 H3.
  assert (Q : forall t, 0 <= Rmax 0 t /\ t <= Rmax 0 t) by (intros; split; [apply Rmax_l | apply Rmax_r]).
  destruct (Q t1), (Q t2), (Q t3), (Q t4). unfold largest. cbn [fold_right]. apply Rle_antisym.
  - repeat apply Rmax_lub; lra.
  - set (L := Rmax t1 _). assert (L1 : t1 <= L) by apply Rmax_l.
    assert (L2 : t1 + t2 <= L) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]).
    assert (L3 : t1 + t2 + t3 <= L) by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; apply Rmax_r]).
    assert (L5 : Rmax (t1 + t2 + t3 + t4) 0 <= L) by (eapply Rle_trans; [apply Rmax_r | eapply Rle_trans; apply
      Rmax_r]).
    assert (L4 := Rmax_l (t1 + t2 + t3 + t4) 0). assert (L0 := Rmax_r (t1 + t2 + t3 + t4) 0).
    unfold Rmax at 1 2 3 4.
    destruct (Rle_dec 0 t1), (Rle_dec 0 t4), (Rle_dec 0 t2), (Rle_dec 0 t3); lra.
Qed.

Section At.

Context (p : R).
Hypothesis p_inside : 1 <= p <= 8.

Lemma eval_in_p coefficients : eval (real_poly (polynomial_in_p coefficients)) [p] =
  total coefficients (fun ck => Q2R (fst ck) * p ^ snd ck).
Proof.
  unfold eval, real_poly, polynomial_in_p. rewrite !total_map. apply total_ext. intros [c k] _. simpl. ring.
Qed.

Lemma likely_at : function_at [p] likely = p / (p + INR 3 - 1) * 1 /\ function_at [p] rare = 1 / (p + INR 3 - 1) * 1.
Proof.
  assert (D : eval (real_poly p_plus_2) [p] = p + INR 3 - 1) by (unfold p_plus_2; rewrite eval_in_p; unfold Q2R;
    simpl; field).
  unfold likely, rare, function_at. rewrite !D, !eval_in_p. unfold Q2R. simpl. split; field; lra.
Qed.

Lemma ternary_is_response : (forall x, one_message (k_ary 3 p) x = table_at ternary [p] (x mod 3)) /\
  (forall x, table_at ternary [p] x = one_message (k_ary 3 p) (Nat.min x 2)).
Proof.
  destruct likely_at as [L R].
  assert (Rows : forall x, one_message (k_ary 3 p) x = table_at ternary [p] (x mod 3)).
  { intros x. unfold one_message, k_ary. assert (M := Nat.mod_upper_bound x 3 ltac:(discriminate)).
    destruct (x mod 3)%nat as [| [| [| y]]]; [| | | lia]; unfold table_at, ternary, entry; cbn -[function_at INR
      Rplus Rminus Rdiv Rmult];
      rewrite L, R; reflexivity. }
  split; [exact Rows |]. intros x. rewrite Rows. destruct x as [| [| [| x]]]; try reflexivity.
  replace (Nat.min (S (S (S x))) 2) with 2%nat by lia. unfold table_at, entry. rewrite !nth_overflow by (simpl; lia).
    reflexivity.
Qed.

Lemma same_privacy n eps delta :
  shuffle_dp n (table_at ternary [p]) eps delta <-> shuffle_dp n (one_message (k_ary 3 p)) eps delta.
Proof.
  destruct ternary_is_response as [A B].
  split; [apply (dp_of_renamed n _ _ (fun x => (x mod 3)%nat)), A | apply (dp_of_renamed n _ _ (fun x => Nat.min x
    2)), B].
Qed.

(** delta is at least 0, so that a smaller one is between 0 and the least. *)
Lemma least_is n bottom tops delta :
  (1 <= n)%Z -> holds (least_claim n bottom tops) ->
  let least := largest_at [p] (Constant 0 :: map (fun top => Quotient (polynomial_in_p top) (polynomial_in_p bottom))
    tops) in
  shuffle_dp (Z.to_nat n) (one_message (k_ary 3 p)) (ln (3 / 2)) delta <-> least <= delta.
Proof.
  intros N1 H least. assert (Box : in_box (map real_interval [{| from := 1; from_closed := true; to := 8; to_closed
    := true |}]) [p]).
  { constructor; [| constructor]. unfold in_interval. simpl. unfold Q2R. simpl. lra. }
  destruct (H [p] Box) as [_ [_ [D Least]]]. cbn [nothing_smaller] in Least.
  assert (E : ln (function_at [p] (Constant (3 # 2))) = ln (3 / 2)) by (f_equal; simpl; unfold Q2R; simpl; lra).
  fold least in D, Least. unfold private in D, Least. rewrite E in D. specialize (D (Z.to_nat n) eq_refl). apply
    same_privacy in D.
  split.
  - intros G. apply Rnot_lt_le. intros L. assert (Zero : 0 <= delta).
    { specialize (G _ _ (replace_one [] 0%nat 0%nat (repeat 0%nat (Z.to_nat n - 1)))). simpl app in G.
      specialize (G ltac:(simpl; rewrite repeat_length; lia) (fun _ => false) (fun _ _ _ => eq_refl)).
      assert (None : forall d : dist (list nat), Pr d (fun _ => false) = 0).
      { intros d. unfold Pr. rewrite (mean_ext d _ (fun _ => 0 * 0)) by (intros; unfold indicator; ring). rewrite
        mean_scal. ring. }
      rewrite !None in G. lra. }
    apply (Least delta (conj Zero L)). exists (Z.to_nat n). split; [reflexivity |]. rewrite E. apply same_privacy, G.
  - intros L xs ys N Len T S. specialize (D xs ys N Len T S). lra.
Qed.


Lemma ternary_least delta :
  (shuffle_dp 2 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta) /\
  (shuffle_dp 3 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5
      * p - 8] /
      (2 * (p + 2) ^ 3) <= delta).
Proof.
  destruct ternary_computed as [A [B _]].
  assert (F : forall top bottom, function_at [p] (Quotient (polynomial_in_p top) (polynomial_in_p bottom)) =
    total top (fun ck => Q2R (fst ck) * p ^ snd ck) / total bottom (fun ck => Q2R (fst ck) * p ^ snd ck))
    by (intros; unfold function_at; rewrite !eval_in_p; reflexivity).
  assert (Over : forall d a b, 0 < d -> Rmax (a / d) (b / d) = Rmax a b / d).
  { intros d a b D. unfold Rdiv. rewrite !(Rmult_comm _ (/ d)), RmaxRmult; [reflexivity | left; apply
    Rinv_0_lt_compat, D]. }
  assert (None : forall d, Q2R 0 = 0 / d) by (intros; unfold Q2R; simpl; unfold Rdiv; rewrite !Rmult_0_l;
    reflexivity).
  assert (P2 : 0 < 2 * (p + 2) ^ 2) by (apply Rmult_lt_0_compat, pow_lt; lra).
  assert (P3 : 0 < 2 * (p + 2) ^ 3) by (apply Rmult_lt_0_compat, pow_lt; lra).
  assert (Two := least_is 2 _ _ delta ltac:(lia) A). assert (Three := least_is 3 _ _ delta ltac:(lia) B).
  cbn zeta in Two, Three. cbn [largest_at map fold_left] in Two, Three. rewrite !F in Two. rewrite !F in Three.
  cbn [total fst snd] in Two, Three.
  rewrite !largest_left. split.
  - change (Z.to_nat 2) with 2%nat in Two. rewrite Two. clear Two Three.
    match goal with |- context [Rmax (Rmax _ (_ / ?d)) (_ / _)] => replace d with (2 * (p + 2) ^ 2) by (unfold Q2R;
      simpl; field) end.
    cbn [function_at]. rewrite (None (2 * (p + 2) ^ 2)), !Over by exact P2. cbn [fold_left].
    match goal with |- Rmax (Rmax 0 ?a) ?b / _ <= _ <-> Rmax (Rmax 0 ?a') ?b' / _ <= _ =>
      replace a with a' by (unfold Q2R; simpl; field); replace b with b' by (unfold Q2R; simpl; field) end.
        reflexivity.
  - change (Z.to_nat 3) with 3%nat in Three. rewrite Three. clear Two Three.
    match goal with |- context [Rmax (Rmax _ (_ / ?d)) (_ / _)] => replace d with (2 * (p + 2) ^ 3) by (unfold Q2R;
      simpl; field) end.
    cbn [function_at]. rewrite (None (2 * (p + 2) ^ 3)), !Over by exact P3. cbn [fold_left].
    match goal with |- Rmax (Rmax (Rmax (Rmax 0 ?a) ?b) ?c) ?d / _ <= _ <-> Rmax (Rmax (Rmax (Rmax 0 ?a') ?b') ?c')
      ?d' / _ <= _ =>
      replace a with a' by (unfold Q2R; simpl; field); replace b with b' by (unfold Q2R; simpl; field);
      replace c with c' by (unfold Q2R; simpl; field); replace d with d' by (unfold Q2R; simpl; field) end.
        reflexivity.
Qed.

(** ** The pair *)

Lemma pair_by_excess n delta : (1 <= n)%nat ->
  (reduced_dp n 3 p (3 / 2) delta <->
   mean_excess n [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] <= delta).
Proof.
  intros N. assert (W : 0 < / (p + 2)) by (apply Rinv_0_lt_compat; lra).
  assert (W3 : / (p + 2) <= / 3) by (apply Rinv_le_contravar; lra).
  assert (U : (p + 2) * / (p + 2) = 1) by (apply Rinv_r; lra).
  rewrite reduced_pair_iff. replace (p + INR 3 - 1) with (p + 2) by (simpl; lra).
  apply (pair_dp_iff n (/ (p + 2)) p (3 / 2) delta (- / (2 * p)) N); [split; lra |].
  set (w := / (p + 2)) in *. replace (1 - 2 * w) with (p * w) by lra. replace (1 - p * w - w) with w by lra. field.
    lra.
Qed.

Lemma pair_of_two delta :
  reduced_dp 2 3 p (3 / 2) delta <-> largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta.
Proof.
  rewrite pair_by_excess by lia.
  enough (E : mean_excess 2 [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] =
    largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2)) by (rewrite E; reflexivity).
  rewrite mean_excess_of_three. cbn [excess_of]. set (c := - / (2 * p)).
  assert (PC : p * c = - / 2) by (unfold c; field; lra). assert (C : c < 0) by nra.
  repeat match goal with |- context [Rmax 0 ?e] => rewrite (Rmax_left 0 e) by lra end.
  repeat match goal with |- context [Rmax 0 (0 + ?x + ?y)] =>
    first [replace (0 + x + y) with (2 * p - 3) by lra | replace (0 + x + y) with (p - 3 / 2 + c) by lra] end.
  assert (B : 2 * p * Rmax 0 (p - 3 / 2 + c) = Rmax 0 (2 * p ^ 2 - 3 * p - 1)).
  { rewrite <- RmaxRmult by lra. f_equal; [ring |].
    replace (2 * p * (p - 3 / 2 + c)) with (2 * p ^ 2 - 3 * p + 2 * (p * c)) by field. rewrite PC. field. }
  set (w := / (p + 2)). assert (W : 1 - 2 * w = p * w) by (unfold w; field; lra). rewrite W.
  transitivity (w * w * (Rmax 0 (2 * p - 3) + 2 * p * Rmax 0 (p - 3 / 2 + c)) / 2); [simpl INR; field |]. rewrite B.
  transitivity (w * w * largest [2 * p - 3; 2 * p ^ 2 - p - 4] / 2); [| unfold w; field; lra]. do 2 f_equal.
  unfold largest, Rmax. cbn [fold_right]. repeat destruct (Rle_dec _ _); nra.
Qed.

Lemma pair_of_three delta :
  reduced_dp 3 3 p (3 / 2) delta <->
  largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] /
    (2 * (p + 2) ^ 3) <= delta.
Proof.
  rewrite pair_by_excess by lia. set (L := largest _).
  enough (E : mean_excess 3 [(/ (p + 2), p - 3 / 2); (/ (p + 2), 1 - p * (3 / 2)); (1 - 2 * / (p + 2), - / (2 * p))] =
    L / (2 * (p + 2) ^ 3)) by (rewrite E; reflexivity).
  rewrite mean_excess_of_three. cbn [excess_of]. set (c := - / (2 * p)).
  assert (PC : p * c = - / 2) by (unfold c; field; lra). assert (C : c < 0) by nra.
  repeat match goal with |- context [Rmax 0 ?e] => rewrite (Rmax_left 0 e) by lra end.
  repeat match goal with |- context [Rmax 0 (0 + ?x + ?y + ?z)] =>
    first [replace (0 + x + y + z) with (3 * p - 9 / 2) by lra | replace (0 + x + y + z) with (p / 2 - 2) by lra |
      replace (0 + x + y + z) with (2 * p - 3 + c) by lra | replace (0 + x + y + z) with (p - 3 / 2 + 2 * c) by lra]
        end.
  set (w := / (p + 2)). assert (W : 1 - 2 * w = p * w) by (unfold w; field; lra). rewrite W.
  assert (A : 2 / 3 * Rmax 0 (3 * p - 9 / 2) = Rmax 0 (2 * p - 3)) by (rewrite <- RmaxRmult by lra; f_equal; field).
  assert (D : 2 * Rmax 0 (p / 2 - 2) = Rmax 0 (p - 4)) by (rewrite <- RmaxRmult by lra; f_equal; field).
  assert (B : 2 * p * Rmax 0 (2 * p - 3 + c) = Rmax 0 (4 * p ^ 2 - 6 * p - 1)).
  { rewrite <- RmaxRmult by lra. f_equal; [ring |].
    replace (2 * p * (2 * p - 3 + c)) with (4 * p ^ 2 - 6 * p + 2 * (p * c)) by field. rewrite PC. field. }
  assert (G : 2 * p ^ 2 * Rmax 0 (p - 3 / 2 + 2 * c) = Rmax 0 (2 * p ^ 3 - 3 * p ^ 2 - 2 * p)).
  { rewrite <- RmaxRmult by nra. f_equal; [ring |].
    replace (2 * p ^ 2 * (p - 3 / 2 + 2 * c)) with (2 * p ^ 3 - 3 * p ^ 2 + 4 * p * (p * c)) by field. rewrite PC.
      field. }
  transitivity (w * w * w * (2 / 3 * Rmax 0 (3 * p - 9 / 2) + 2 * Rmax 0 (p / 2 - 2) + 2 * p * Rmax 0 (2 * p - 3 + c)
    +
    2 * p ^ 2 * Rmax 0 (p - 3 / 2 + 2 * c)) / 2); [simpl INR; field |]. rewrite A, D, B, G.
  transitivity (w * w * w * L / 2); [| unfold w; field; lra]. do 2 f_equal.
  assert (H1 : 0 <= 4 * p ^ 2 - 6 * p - 1 -> 0 <= 2 * p - 3) by nra.
  assert (H2 : 0 <= 2 * p ^ 3 - 3 * p ^ 2 - 2 * p -> 0 <= 4 * p ^ 2 - 6 * p - 1).
  { intros H. assert (2 <= p); [| nra]. apply Rnot_lt_le. intros X. nra. }
  assert (H3 : 0 <= p - 4 -> 0 <= 2 * p ^ 3 - 3 * p ^ 2 - 2 * p) by nra.
  set (t1 := 2 * p - 3) in *. set (t2 := 4 * p ^ 2 - 6 * p - 1) in *. set (t3 := 2 * p ^ 3 - 3 * p ^ 2 - 2 * p) in *.
  set (t4 := p - 4) in *.
  assert (Sums : L = largest [t1; t1 + t2; t1 + t2 + t3; t1 + t2 + t3 + t4])
    by (unfold L, t1, t2, t3, t4; f_equal; f_equal; f_equal; [ring | f_equal; [ring | f_equal; ring]]).
  rewrite Sums. clear - H1 H2 H3. symmetry. apply sums_of_rising; assumption.
Qed.

(** ** Where the pair's is less *)

Lemma below_another d P X (pair protocol : R -> Prop) :
  0 < d -> (forall delta, pair delta <-> P / d <= delta) -> (forall delta, protocol delta <-> X / d <= delta) ->
  (exists delta, pair delta /\ ~ protocol delta) <-> P < X.
Proof.
  intros D HP HX. assert (I := Rinv_0_lt_compat _ D). split.
  - intros [delta [A B]]. apply HP in A. rewrite HX in B. apply Rnot_le_lt in B.
    apply Rmult_lt_reg_r with (/ d); [exact I |]. fold (P / d) (X / d). lra.
  - intros L. exists (P / d). split; [apply HP; lra |]. rewrite HX. apply Rlt_not_le.
    apply Rmult_lt_compat_r; assumption.
Qed.

Lemma numbers_of_two :
  largest [2 * p - 3; 2 * p ^ 2 - p - 4] < largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] <-> 3 / 2 < p < 2.
Proof.
  set (P := largest [2 * p - 3; _]). assert (P0 : 0 <= P) by apply largest_nonneg.
  assert (P2 : 2 * p ^ 2 - p - 4 <= P) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]). split.
  - intros L. assert (X : ~ largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] <= P) by lra.
    destruct (Rlt_dec (3 / 2) p) as [A | A], (Rlt_dec p 2) as [B | B]; try (split; assumption); exfalso; apply X;
      unfold largest; cbn [fold_right]; repeat apply Rmax_lub; try assumption; nra.
  - intros [A B]. apply Rlt_le_trans with (p * (2 * p - 3)); [| apply Rmax_l].
    unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; nra.
Qed.

Lemma numbers_of_three :
  largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] <
  largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 *
    p - 8] <->
  3 / 2 < p /\ 2 * p ^ 2 - 4 * p - 1 < 0.
Proof.
  set (P := largest [2 * p - 3; _; _; _]). assert (P0 : 0 <= P) by apply largest_nonneg.
  assert (P3 : 2 * p ^ 3 + p ^ 2 - 6 * p - 4 <= P)
    by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; apply Rmax_r]).
  assert (P4 : 2 * p ^ 3 + p ^ 2 - 5 * p - 8 <= P)
    by (eapply Rle_trans; [apply Rmax_l | eapply Rle_trans; [| apply Rmax_r]; eapply Rle_trans; apply Rmax_r]). split.
  - intros L.
    assert (X : ~ largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4;
      2 * p ^ 3 + p ^ 2 - 5 * p - 8] <= P) by lra.
    destruct (Rlt_dec (3 / 2) p) as [A | A].
    + split; [exact A |]. apply Rnot_le_lt. intros B. apply X. unfold largest. cbn [fold_right].
      assert (2 <= p) by nra. repeat apply Rmax_lub; try assumption; eapply Rle_trans; try exact P3; nra.
    + exfalso. apply X. unfold largest. cbn [fold_right].
      assert (0 <= p * (3 / 2 - p)) by (apply Rmult_le_pos; lra). repeat apply Rmax_lub; try assumption; nra.
  - intros [A B]. destruct (Rlt_dec p 2) as [C | C].
    + apply Rlt_le_trans with (p ^ 2 * (2 * p - 3)); [| apply Rmax_l].
      assert (0 < (2 - p) * (2 - p) * (2 * p + 1)) by (repeat apply Rmult_lt_0_compat; lra).
      assert (0 < (p - 1) * (p + 1) * (2 * p - 3)) by (repeat apply Rmult_lt_0_compat; lra).
      assert (0 < (2 - p) * (4 * p + 2)) by (apply Rmult_lt_0_compat; lra).
      unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; lra || nra.
    + apply Rlt_le_trans with (2 * p ^ 3 - p ^ 2 - 2 * p - 3); [| eapply Rle_trans; [apply Rmax_l | apply Rmax_r]].
      assert (p < 5 / 2) by nra. assert (0 <= (p - 2) * (5 / 2 - p)) by (apply Rmult_le_pos; lra).
      assert (0 <= (p - 2) * (p - 2) * p) by (repeat apply Rmult_le_pos; lra).
      unfold P, largest. cbn [fold_right]. repeat apply Rmax_lub_lt; nra.
Qed.

End At.

(** ** The rows *)

Definition row_small_ternary_response_every_eps0 : Prop :=
  forall p delta : R, 1 <= p <= 8 ->
  (shuffle_dp 2 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta) /\
  (shuffle_dp 3 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5
      * p - 8] /
      (2 * (p + 2) ^ 3) <= delta).

Theorem row_small_ternary_response_every_eps0_holds : row_small_ternary_response_every_eps0.
Proof. intros p delta H. apply ternary_least, H. Qed.

Definition row_small_variation_ratio : Prop :=
  forall p : R, 1 <= p <= 8 ->
  let below n := exists delta, reduced_dp n 3 p (3 / 2) delta /\ ~ shuffle_dp n (one_message (k_ary 3 p)) (ln (3 /
    2)) delta in
  (forall delta, reduced_dp 2 3 p (3 / 2) delta <->
    largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta) /\
  (forall delta, reduced_dp 3 3 p (3 / 2) delta <->
    largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] /
      (2 * (p + 2) ^ 3) <= delta) /\
  (below 2%nat <-> 3 / 2 < p < 2) /\ (below 3%nat <-> 3 / 2 < p /\ 2 * p ^ 2 - 4 * p - 1 < 0).

Theorem row_small_variation_ratio_holds : row_small_variation_ratio.
Proof.
  intros p H below. assert (P : forall k, 0 < 2 * (p + 2) ^ k) by (intros; apply Rmult_lt_0_compat, pow_lt; lra).
  split; [intros delta; apply pair_of_two, H |]. split; [intros delta; apply pair_of_three, H |]. split.
  - rewrite <- (numbers_of_two p H). apply (below_another _ _ _ _ _ (P 2%nat)); intros delta.
    + apply pair_of_two, H.
    + apply (proj1 (ternary_least p H delta)).
  - rewrite <- (numbers_of_three p H). apply (below_another _ _ _ _ _ (P 3%nat)); intros delta.
    + apply pair_of_three, H.
    + apply (proj2 (ternary_least p H delta)).
Qed.

(** The number of heads of coins of two kinds, in integers, and how it changes from place to place and coin to coin.

    Coins have chances c/D with integers c and D. [weight D cs t] is D^|cs| times the probability that t of the coins
    cs show heads, and [weight_above D cs m] that of more than m heads, both as integers ([weight_means],
    [weight_above_means]). For k coins of chance B/D and j of chance A/D, all integers A, B, D, k >= 0, j >= 0, let
    G(t) and T(m) be these numbers, N = k + j, and G' and T' those with one more of the coins at B/D and one less at
    A/D, j >= 1. With W(m) = B (N - m) G(m) - (D - B) (m + 1) G(m + 1), every integer m and t:

    - [one_place_further]: (D - A) (D - B) (t + 1) G(t + 1) =
      (k B (D - A) + j A (D - B) - ((D - A) B + (D - B) A) t) G(t) + A B (N - t + 1) G(t - 1);
    - [one_coin_changed]: W(m) is j times an integer V, for which A G'(m) = B G(m) - V,
      (D - A) G'(m + 1) = (D - B) G(m + 1) + V and D T'(m) = D T(m) + V.

    So from G(m), G(m + 1) and T(m) the next ones follow by a few products with small numbers and exact divisions,
    without a sum over coins. For 0 < A < B < D all weights at 0, ..., N are positive ([weight_positive]), they are
    log-concave, and changing a coin moves them up ([weights_log_concave], [changed_coin_moves_up]).

    Idea: one more coin of chance p turns W into its own mixture plus (B/D - p) times the weights; the rest is
    algebra. Source: contiguous relations of sums of two binomials; this form is this package's. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import reals sums laws hockey_stick half_line longer_shift log_concave_laws number_of_heads.
Import ListNotations.

Open Scope Z_scope.

Fixpoint weight (D : Z) (cs : list Z) (t : Z) : Z :=
  match cs with
  | [] => if t =? 0 then 1 else 0
  | c :: rest => (D - c) * weight D rest t + c * weight D rest (t - 1)
  end.

Fixpoint weight_above (D : Z) (cs : list Z) (m : Z) : Z :=
  match cs with
  | [] => if m <? 0 then 1 else 0
  | c :: rest => (D - c) * weight_above D rest m + c * weight_above D rest (m - 1)
  end.

(** k coins of the one kind and j of the other. *)
Definition kinds (A B : Z) (k j : nat) : list Z := repeat B k ++ repeat A j.

(** ** Any coins *)

Lemma weight_outside D cs t : t < 0 \/ Z.of_nat (length cs) < t -> weight D cs t = 0.
Proof.
  revert t. induction cs as [| c cs IH]; intros t H; simpl in *.
  - destruct (Z.eqb_spec t 0); [lia | reflexivity].
  - rewrite !IH by lia. ring.
Qed.

Lemma weight_above_step D cs m : weight_above D cs (m - 1) = weight_above D cs m + weight D cs m.
Proof.
  revert m. induction cs as [| c cs IH]; intros m; simpl.
  - destruct (Z.ltb_spec (m - 1) 0), (Z.ltb_spec m 0), (Z.eqb_spec m 0); lia.
  - rewrite !IH. ring.
Qed.

Lemma weight_above_all D cs m : m < 0 -> weight_above D cs m = D ^ Z.of_nat (length cs).
Proof.
  revert m. induction cs as [| c cs IH]; intros m H.
  - simpl. destruct (Z.ltb_spec m 0); [reflexivity | lia].
  - simpl length. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. simpl. rewrite !IH by lia. ring.
Qed.

Lemma weight_middle D u c v t : weight D (u ++ c :: v) t = weight D (c :: u ++ v) t.
Proof.
  revert t. induction u as [| d u IH]; intros t; [reflexivity |]. simpl in *. rewrite !IH. ring.
Qed.

Lemma weight_above_middle D u c v t : weight_above D (u ++ c :: v) t = weight_above D (c :: u ++ v) t.
Proof.
  revert t. induction u as [| d u IH]; intros t; [reflexivity |]. simpl in *. rewrite !IH. ring.
Qed.

Lemma weight_positive D cs t :
  (forall c, In c cs -> 0 < c < D) -> 0 <= t <= Z.of_nat (length cs) -> 0 < weight D cs t.
Proof.
  revert t. induction cs as [| c cs IH]; intros t H Ht.
  - simpl in *. replace t with 0 by lia. reflexivity.
  - assert (C := H c (or_introl eq_refl)).
    assert (P : forall s, 0 <= s <= Z.of_nat (length cs) -> 0 < weight D cs s).
    { intros s Hs. apply IH; [intros d I; apply H; right; exact I | exact Hs]. }
    assert (NN : forall s, 0 <= weight D cs s).
    { intros s. destruct (Z_lt_le_dec s 0); [rewrite weight_outside by lia; lia |].
      destruct (Z_lt_le_dec (Z.of_nat (length cs)) s); [rewrite weight_outside by lia; lia |].
      specialize (P s). lia. }
    simpl length in Ht. simpl. assert (N0 := NN t). assert (N1 := NN (t - 1)).
    destruct (Z.eq_dec t 0) as [-> | T].
    + assert (Q := P 0 ltac:(lia)). nia.
    + assert (Q := P (t - 1) ltac:(lia)). nia.
Qed.

Lemma weight_nonneg D cs t : (forall c, In c cs -> 0 < c < D) -> 0 <= weight D cs t.
Proof.
  intros H. destruct (Z_lt_le_dec t 0); [rewrite weight_outside by lia; lia |].
  destruct (Z_lt_le_dec (Z.of_nat (length cs)) t); [rewrite weight_outside by lia; lia |].
  assert (P := weight_positive D cs t H). lia.
Qed.

(** ** What they mean *)

Section meaning.

Open Scope R_scope.

Variable D : Z.
Hypothesis D_positive : (0 < D)%Z.

Let chance_of (c : Z) : R := IZR c / IZR D.

Lemma weight_coins cs t : IZR (weight D cs t) = IZR D ^ length cs * coins (map chance_of cs) t.
Proof.
  assert (P := IZR_lt _ _ D_positive). revert t. induction cs as [| c cs IH]; intros t.
  - simpl. destruct (Z.eqb t 0); ring.
  - cbn [weight length map coins fold_right]. fold (coins (map chance_of cs)). unfold with_coin.
    rewrite plus_IZR, !mult_IZR, minus_IZR, !IH. unfold chance_of. simpl pow. field. lra.
Qed.

Theorem weight_means cs t :
  IZR (weight D cs t) = IZR D ^ length cs * Pr (number_of_heads (map chance_of cs)) (Z.eqb t).
Proof. rewrite weight_coins, <- mass_heads, mass_Z. reflexivity. Qed.

Theorem weight_above_means cs m :
  IZR (weight_above D cs m) = IZR D ^ length cs * Pr (number_of_heads (map chance_of cs)) (Z.ltb m).
Proof.
  assert (P := IZR_lt _ _ D_positive). revert m. induction cs as [| c cs IH]; intros m.
  - simpl. rewrite Pr_ret. unfold indicator. destruct (Z.ltb m 0); ring.
  - cbn [weight_above length map]. unfold Pr. rewrite mean_heads_first.
    rewrite (mean_ext _ (fun t => indicator (Z.ltb m) (t + 1)%Z) (indicator (Z.ltb (m - 1)))).
    2: { intros t. unfold indicator. destruct (Z.ltb_spec m (t + 1)), (Z.ltb_spec (m - 1) t); try reflexivity; lia. }
    rewrite plus_IZR, !mult_IZR, minus_IZR, !IH. unfold Pr, chance_of. simpl pow. field. lra.
Qed.

(** The ratio of neighbouring weights falls. *)
Lemma weights_log_concave cs s t :
  (forall c, In c cs -> (0 < c < D)%Z) -> (s <= t)%Z ->
  (weight D cs s * weight D cs (t + 1) <= weight D cs (s + 1) * weight D cs t)%Z.
Proof.
  intros H L. assert (P := IZR_lt _ _ D_positive).
  assert (C : log_concave (coins (map chance_of cs))).
  { apply coins_log_concave. intros p I. apply in_map_iff in I. destruct I as [c [<- I]].
    destruct (H c I) as [C0 C1]. apply IZR_lt in C0, C1. unfold chance_of.
    assert (0 < / IZR D) by (apply Rinv_0_lt_compat, P). split; [apply Rmult_le_pos; lra |].
    apply Rmult_le_reg_r with (IZR D); [exact P |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  destruct C as [_ C]. specialize (C s t L). apply le_IZR. rewrite !mult_IZR, !weight_coins.
  assert (Q : 0 < IZR D ^ length cs) by (apply pow_lt, P).
  apply (Rmult_le_compat_l (IZR D ^ length cs * IZR D ^ length cs)) in C; [lra |].
  left. apply Rmult_lt_0_compat; exact Q.
Qed.

End meaning.

(** ** Two kinds *)

Section two_kinds_of_coins.

Variables A B D : Z.

Let crossing (cs : list Z) (m : Z) : Z :=
  B * (Z.of_nat (length cs) - m) * weight D cs m - (D - B) * (m + 1) * weight D cs (m + 1).

Lemma crossing_first c cs m :
  crossing (c :: cs) m = (D - c) * crossing cs m + c * crossing cs (m - 1) + D * (B - c) * weight D cs m.
Proof.
  unfold crossing. cbn [weight length]. rewrite Nat2Z.inj_succ.
  replace (m + 1 - 1) with m by ring. replace (m - 1 + 1) with m by ring. unfold Z.succ. ring.
Qed.

Lemma crossing_kinds k j m :
  crossing (kinds A B k j) m = Z.of_nat j * (D * (B - A) * weight D (kinds A B k (pred j)) m).
Proof.
  revert m. unfold kinds. induction k as [| k IHk]; intros m.
  - simpl. revert m. induction j as [| j IH]; intros m.
    + unfold crossing. simpl. destruct (Z.eqb_spec m 0), (Z.eqb_spec (m + 1) 0); lia.
    + simpl repeat. rewrite crossing_first, !IH, Nat2Z.inj_succ. simpl pred.
      destruct j as [| j]; [cbn [pred repeat]; change (Z.of_nat 0) with 0; unfold Z.succ; ring |].
      cbn [pred repeat weight]. unfold Z.succ. ring.
  - simpl repeat. simpl app. rewrite crossing_first, !IHk. cbn [weight]. ring.
Qed.

Theorem one_coin_changed k j m :
  let G := weight D (kinds A B k (S j)) in
  let G' := weight D (kinds A B (S k) j) in
  let V := D * (B - A) * weight D (kinds A B k j) m in
  B * (Z.of_nat (k + S j) - m) * G m - (D - B) * (m + 1) * G (m + 1) = Z.of_nat (S j) * V /\
  B * G m - V = A * G' m /\
  (D - B) * G (m + 1) + V = (D - A) * G' (m + 1) /\
  D * weight_above D (kinds A B k (S j)) m + V = D * weight_above D (kinds A B (S k) j) m.
Proof.
  intros G G' V. split; [| unfold G, G', V, kinds; simpl repeat; simpl app].
  - assert (C := crossing_kinds k (S j) m). unfold crossing in C.
    replace (length (kinds A B k (S j))) with (k + S j)%nat in C; [exact C |].
    unfold kinds. rewrite app_length, !repeat_length. reflexivity.
  - rewrite !weight_middle, weight_above_middle. cbn [weight weight_above].
    rewrite !weight_above_step. replace (m + 1 - 1) with m by ring. repeat split; ring.
Qed.

Theorem one_place_further k j t :
  let G := weight D (kinds A B k j) in
  (D - A) * (D - B) * (t + 1) * G (t + 1) =
  (Z.of_nat k * B * (D - A) + Z.of_nat j * A * (D - B) - ((D - A) * B + (D - B) * A) * t) * G t +
  A * B * (Z.of_nat (k + j) - t + 1) * G (t - 1).
Proof.
  intros G. assert (C := crossing_kinds k j t). assert (C1 := crossing_kinds k j (t - 1)).
  assert (L : length (kinds A B k j) = (k + j)%nat) by (unfold kinds; rewrite app_length, !repeat_length; reflexivity).
  assert (M : Z.of_nat j * G t = Z.of_nat j *
    ((D - A) * weight D (kinds A B k (pred j)) t + A * weight D (kinds A B k (pred j)) (t - 1))).
  { destruct j as [| j]; [simpl; ring |]. f_equal. unfold G, kinds. simpl repeat. rewrite weight_middle. reflexivity. }
  unfold crossing in C, C1. rewrite L, Nat2Z.inj_add in *. fold G in C, C1.
  replace (t - 1 + 1) with t in C1 by ring.
  apply (f_equal (Z.mul (D - A))) in C. apply (f_equal (Z.mul A)) in C1.
  apply (f_equal (Z.mul (D * (B - A)))) in M.
  set (K := Z.of_nat k) in *. set (J := Z.of_nat j) in *.
  set (u := weight D (kinds A B k (pred j)) t) in *. set (v := weight D (kinds A B k (pred j)) (t - 1)) in *.
  assert (E : D * (B - A) * (J * G t) = (D - A) * (J * (D * (B - A) * u)) + A * (J * (D * (B - A) * v)))
    by (rewrite M; ring).
  rewrite <- C, <- C1 in E. lia.
Qed.

End two_kinds_of_coins.

(** Coins with larger chances: the ratios of neighbouring weights are larger. *)
Lemma changed_coin_moves_up A B D k j t :
  0 < A -> A <= B -> B < D ->
  weight D (kinds A B (S k) j) t * weight D (kinds A B k (S j)) (t + 1) <=
  weight D (kinds A B (S k) j) (t + 1) * weight D (kinds A B k (S j)) t.
Proof.
  intros HA HAB HB. unfold kinds. simpl repeat. simpl app. rewrite !weight_middle. cbn [weight].
  replace (t + 1 - 1) with t by ring. set (M := weight D (repeat B k ++ repeat A j)).
  assert (C : M (t - 1) * M (t + 1) <= M (t - 1 + 1) * M t).
  { apply weights_log_concave; [lia | | lia]. intros c I. apply in_app_or in I.
    destruct I as [I | I]; apply repeat_spec in I; lia. }
  replace (t - 1 + 1) with t in C by ring.
  assert (E : 0 <= D * (B - A) * (M t * M t - M (t - 1) * M (t + 1))).
  { apply Z.mul_nonneg_nonneg; [apply Z.mul_nonneg_nonneg |]; lia. }
  lia.
Qed.

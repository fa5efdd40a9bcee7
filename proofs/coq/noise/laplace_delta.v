(** Laplace noise: its least delta at every eps.

    The hockey-stick divergence at e^eps of two Laplace laws of scale b > 0, around c and d, is the integral of
    max(0, p - e^eps q) over the line, p and q their densities (laplace_noise.v): an improper one of Riemann.

    - [laplace_least_delta]: with a query of sensitivity s > 0 it is max(0, 1 - e^((eps - s/b)/2)) for c = 0,
      d = s, and at most that for all c and d with abs(c - d) <= s, at every eps >= 0.

    Idea: for c <= d the ratio of the densities falls in t, and is e^eps at (c + d - b eps)/2. If d - c <= b eps
    there is nothing above it; else it lies between c and d, and the excess has antiderivatives up to c, and
    from c to it. For d <= c the line is mirrored.
    Source: this package. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Exactdp Require Import reals laplace_noise exponential_noise.
Open Scope R_scope.

Definition laplace_excess (b eps c d t : R) : R := Rmax 0 (laplace b c t - exp eps * laplace b d t).

Lemma line_integral_mirrored (f : R -> R) v :
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) v ->
  is_RInt_gen (fun t => f (- t)) (Rbar_locally m_infty) (Rbar_locally p_infty) v.
Proof.
  intros H P HP. destruct (H P HP) as [Q S [M HM] [N HN] HQS].
  apply (Filter_prod _ _ _ (fun s => S (- s)) (fun t => Q (- t))).
  - exists (- N). intros s Hs. apply HN. lra.
  - exists (- M). intros t Ht. apply HM. lra.
  - intros s t Hs Ht. destruct (HQS (- t) (- s) Ht Hs) as [I [HI PI]]. simpl in HI |- *. exists I. split; [| exact PI].
    apply is_RInt_swap, is_RInt_comp_opp, is_RInt_opp in HI. rewrite opp_opp in HI.
    apply (is_RInt_ext (fun x => opp (opp (f (- x))))); [| exact HI].
    intros x _. apply opp_opp.
Qed.

Lemma laplace_mirrored b z t : laplace b z (- t) = laplace b (- z) t.
Proof.
  unfold laplace. replace (- t - z) with (- (t - - z)) by ring. rewrite Rabs_Ropp. reflexivity.
Qed.

Lemma laplace_before b z t : t <= z -> laplace b z t = exp ((t - z) / b) / (2 * b).
Proof.
  intros H. unfold laplace. rewrite Rabs_left1 by lra. rewrite Ropp_involutive. reflexivity.
Qed.

Lemma laplace_behind b z t : z <= t -> laplace b z t = exp (- (t - z) / b) / (2 * b).
Proof. intros H. unfold laplace. rewrite Rabs_right by lra. reflexivity. Qed.

(** Nothing is above e^eps times the other. *)
Lemma laplace_no_excess b eps c d t : 0 < b -> Rabs (c - d) <= b * eps -> laplace_excess b eps c d t = 0.
Proof.
  intros Hb H. apply Rmax_left. assert (L := laplace_ratio b c d t Hb). assert (P := laplace_pos b d t Hb).
  assert (exp (Rabs (c - d) / b) * laplace b d t <= exp eps * laplace b d t); [| lra].
  apply Rmult_le_compat_r; [lra |]. apply exp_le. apply Rmult_le_reg_l with b; [exact Hb |].
  replace (b * (Rabs (c - d) / b)) with (Rabs (c - d)) by (field; lra). exact H.
Qed.

Lemma laplace_excess_apart b eps c d :
  0 < b -> 0 <= eps -> b * eps < d - c ->
  is_RInt_gen (laplace_excess b eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (1 - exp ((eps - (d - c) / b) / 2)).
Proof.
  intros Hb He L. set (turn := (c + d - b * eps) / 2). set (E := exp eps).
  assert (BE : 0 <= b * eps) by (apply Rmult_le_pos; lra).
  assert (C : c < turn) by (unfold turn; lra). assert (D : turn < d) by (unfold turn; lra).
  set (k := 1 - E * exp ((c - d) / b)).
  assert (K : 0 <= k <= 1).
  { unfold k, E. rewrite <- exp_plus. assert (X := exp_pos (eps + (c - d) / b)). split; [| lra].
    assert (exp (eps + (c - d) / b) <= exp 0); [| rewrite exp_0 in *; lra]. apply exp_le.
    apply Rmult_le_reg_l with b; [exact Hb |].
    replace (b * (eps + (c - d) / b)) with (b * eps + (c - d)) by (field; lra). lra. }
  assert (Before : forall t, t <= c -> laplace_excess b eps c d t = k * (exp ((t - c) / b) / (2 * b))).
  { intros t Ht. unfold laplace_excess. rewrite !laplace_before by lra. fold E.
    replace ((t - d) / b) with ((c - d) / b + (t - c) / b) by (field; lra). rewrite exp_plus.
    replace (exp ((t - c) / b) / (2 * b) - E * (exp ((c - d) / b) * exp ((t - c) / b) / (2 * b)))
      with (k * (exp ((t - c) / b) / (2 * b))) by (unfold k; field; lra).
    apply Rmax_right, Rmult_le_pos; [apply K |]. left. apply Rdiv_lt_0_compat; [apply exp_pos | lra]. }
  assert (Order : forall t, c <= t <= d ->
    laplace b c t - E * laplace b d t = (exp (- (t - c) / b) - exp (eps + (t - d) / b)) / (2 * b)).
  { intros t Ht. rewrite laplace_behind, laplace_before by lra. unfold E. rewrite exp_plus. field. lra. }
  assert (Same : forall t, - (t - c) / b - (eps + (t - d) / b) = 2 * (turn - t) / b).
  { intros t. unfold turn. field. lra. }
  assert (Between : forall t, c < t < turn ->
    laplace_excess b eps c d t = (exp (- (t - c) / b) - exp (eps + (t - d) / b)) / (2 * b)).
  { intros t Ht. unfold laplace_excess. fold E. rewrite Order by lra. apply Rmax_right.
    apply Rmult_le_pos; [| left; apply Rinv_0_lt_compat; lra].
    assert (exp (eps + (t - d) / b) <= exp (- (t - c) / b)); [| lra]. apply exp_le.
    assert (0 <= 2 * (turn - t) / b); [| specialize (Same t); lra].
    apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Hb]. }
  assert (Behind : forall t, turn < t -> laplace_excess b eps c d t = 0).
  { intros t Ht. unfold laplace_excess. fold E. apply Rmax_left. destruct (Rle_or_lt t d) as [Td | Td].
    - rewrite Order by lra.
      assert (exp (- (t - c) / b) <= exp (eps + (t - d) / b)).
      { apply exp_le. assert (2 * (turn - t) / b <= 0); [| specialize (Same t); lra].
        apply Ropp_le_cancel. rewrite Ropp_0. replace (- (2 * (turn - t) / b)) with (2 * (t - turn) / b) by (field; lra).
        apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Hb]. }
      assert (0 <= (exp (eps + (t - d) / b) - exp (- (t - c) / b)) / (2 * b)).
      { apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. }
      unfold Rdiv in *. lra.
    - rewrite !laplace_behind by lra.
      assert (X : exp (- (t - c) / b) <= exp (- (t - d) / b)).
      { apply exp_le. unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Hb | lra]. }
      assert (Y := exp_ge_1 eps He). fold E in Y. assert (Z := exp_pos (- (t - d) / b)).
      assert (exp (- (t - c) / b) / (2 * b) <= E * (exp (- (t - d) / b) / (2 * b))); [| lra].
      unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |]. nra. }
  set (V := 1 - exp ((eps - (d - c) / b) / 2)). intros P HP.
  destruct HP as [eta HP].
  apply (Filter_prod _ _ _ (fun s => s < c /\ b * ln (/ eta) < c - s) (fun t => turn < t)).
  { exists (Rmin c (c - b * ln (/ eta))). intros s Hs.
    assert (X := Rmin_l c (c - b * ln (/ eta))). assert (Y := Rmin_r c (c - b * ln (/ eta))). split; lra. }
  { exists turn. auto. }
  intros s t [Hs Hs'] Ht. simpl. exists (V - k * exp ((s - c) / b) / 2). split.
  - set (f := laplace_excess b eps c d). set (F1 := fun x => k * exp ((x - c) / b) / 2).
    set (F2 := fun x => - (exp (- (x - c) / b) + exp (eps + (x - d) / b)) / 2).
    replace (V - k * exp ((s - c) / b) / 2) with (plus (plus (minus (F1 c) (F1 s)) (minus (F2 turn) (F2 c))) 0).
    + apply (is_RInt_Chasles f s turn t); [apply (is_RInt_Chasles f s c turn) |].
      * apply (is_RInt_ext (fun x => k * (exp ((x - c) / b) / (2 * b)))).
        -- intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry. apply Before. lra.
        -- apply (is_RInt_derive F1); intros x _; unfold F1.
           ++ auto_derive; [exact I |]. unfold Rdiv, Rminus. field. lra.
           ++ apply (ex_derive_continuous (fun x => k * (exp ((x - c) / b) / (2 * b)))). auto_derive. exact I.
      * apply (is_RInt_ext (fun x => (exp (- (x - c) / b) - exp (eps + (x - d) / b)) / (2 * b))).
        -- intros x Hx. rewrite Rmin_left, Rmax_right in Hx by lra. symmetry. apply Between. lra.
        -- apply (is_RInt_derive F2); intros x _; unfold F2.
           ++ auto_derive; [exact I |]. unfold Rdiv, Rminus. field. lra.
           ++ apply (ex_derive_continuous (fun x => (exp (- (x - c) / b) - exp (eps + (x - d) / b)) / (2 * b))).
              auto_derive. exact I.
      * apply integral_of_nothing; [lra |]. intros x Hx. apply Behind. lra.
    + unfold plus, minus, opp, F1, F2, V. simpl. unfold plus, opp. simpl.
      replace ((c - c) / b) with 0 by (field; lra). replace (- (c - c) / b) with 0 by (field; lra).
      replace (- (turn - c) / b) with ((eps - (d - c) / b) / 2) by (unfold turn; field; lra).
      replace (eps + (turn - d) / b) with ((eps - (d - c) / b) / 2) by (unfold turn; field; lra).
      rewrite exp_0, exp_plus. unfold k, E. field.
  - apply HP. unfold ball. simpl. unfold AbsRing_ball, abs, minus, plus, opp. simpl.
    replace (V - k * exp ((s - c) / b) / 2 + - V) with (- (k * (exp ((s - c) / b) / 2))) by field.
    assert (T := small_tail b eta Hb (cond_pos eta) (c - s) Hs').
    replace (- (c - s) / b) with ((s - c) / b) in T by (field; lra).
    assert (X := exp_pos ((s - c) / b)).
    assert (0 <= k * (exp ((s - c) / b) / 2)) by (apply Rmult_le_pos; lra).
    assert (k * (exp ((s - c) / b) / 2) <= 1 * (exp ((s - c) / b) / 2)) by (apply Rmult_le_compat_r; lra).
    rewrite Rabs_Ropp, Rabs_right; lra.
Qed.

Lemma laplace_divergence b eps c d :
  0 < b -> 0 <= eps ->
  is_RInt_gen (laplace_excess b eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (Rmax 0 (1 - exp ((eps - Rabs (c - d) / b) / 2))).
Proof.
  intros Hb He.
  assert (Scaled : forall v, b * (eps - v / b) = b * eps - v) by (intros v; field; lra).
  destruct (Rle_or_lt (Rabs (c - d)) (b * eps)) as [L | L].
  - rewrite Rmax_left.
    + intros P HP. apply (Filter_prod _ _ _ (fun _ => True) (fun _ => True)); [exists 0; auto | exists 0; auto |].
      intros s t _ _. simpl. exists 0. split; [| apply locally_singleton, HP].
      apply (is_RInt_ext (fun _ => 0)); [intros x _; symmetry; apply laplace_no_excess; assumption |].
      assert (I := is_RInt_const s t (zero : R)). unfold scal in I. simpl in I. unfold mult, zero in I. simpl in I.
      rewrite Rmult_0_r in I. exact I.
    + assert (exp 0 <= exp ((eps - Rabs (c - d) / b) / 2)); [| rewrite exp_0 in *; lra]. apply exp_le.
      assert (0 <= eps - Rabs (c - d) / b); [| lra].
      apply Rmult_le_reg_l with b; [exact Hb |]. rewrite Scaled. lra.
  - assert (E : (eps - Rabs (c - d) / b) / 2 <= 0).
    { assert (eps - Rabs (c - d) / b <= 0); [| lra]. apply Rmult_le_reg_l with b; [exact Hb |].
      rewrite Scaled. lra. }
    rewrite Rmax_right by (apply exp_le in E; rewrite exp_0 in E; lra).
    destruct (Rle_or_lt c d) as [O | O].
    + rewrite Rabs_left1 in * by lra. replace (- (c - d)) with (d - c) in * by ring.
      apply laplace_excess_apart; assumption.
    + rewrite Rabs_right in * by lra. replace (c - d) with (- d - - c) in * by ring.
      assert (M := laplace_excess_apart b eps (- c) (- d) Hb He ltac:(lra)).
      apply line_integral_mirrored in M.
      eapply is_RInt_gen_ext; [| exact M].
      apply (Filter_prod _ _ _ (fun _ => True) (fun _ => True)); [exists 0; auto | exists 0; auto |].
      intros s t _ _ x _. unfold laplace_excess. rewrite !laplace_mirrored, !Ropp_involutive. reflexivity.
Qed.

(** Ledger row laplace-delta. *)
Theorem laplace_least_delta b s eps :
  0 < b -> 0 < s -> 0 <= eps ->
  is_RInt_gen (laplace_excess b eps 0 s) (Rbar_locally m_infty) (Rbar_locally p_infty)
    (Rmax 0 (1 - exp ((eps - s / b) / 2))) /\
  forall c d, Rabs (c - d) <= s -> exists delta,
  is_RInt_gen (laplace_excess b eps c d) (Rbar_locally m_infty) (Rbar_locally p_infty) delta /\
  delta <= Rmax 0 (1 - exp ((eps - s / b) / 2)).
Proof.
  intros Hb Hs He. split.
  - assert (D := laplace_divergence b eps 0 s Hb He). rewrite Rabs_left1 in D by lra.
    replace (- (0 - s)) with s in D by ring. exact D.
  - intros c d H. exists (Rmax 0 (1 - exp ((eps - Rabs (c - d) / b) / 2))). split; [apply laplace_divergence; assumption |].
    apply Rle_max_compat_l. assert (exp ((eps - s / b) / 2) <= exp ((eps - Rabs (c - d) / b) / 2)); [| lra].
    apply exp_le. assert (Rabs (c - d) / b <= s / b); [| lra].
    unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, Hb | exact H].
Qed.

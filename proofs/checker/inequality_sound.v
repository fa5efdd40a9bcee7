(** What the programs for the claim [inequality] accept is true.

    [terms_show_it_sound]: the inequality holds, for all real values of any number of variables. Proof: at a point
    where the hypotheses hold each term is a product of numbers that are not negative, and positive if its powers are
    of strict hypotheses only; and the conclusion is the sum of the terms, because the difference has no coefficient
    left. [point_refutes_sound]: it does not hold. [check_inequality_sound]: both, as a claim.

    Source: arithmetic/handelman.v for the same argument on expanded real polynomials. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate handelman.
From ExactdpChecker Require Import claims witnesses kinds posed keyed_sums z_polynomials inequality_program.
Import ListNotations.
Open Scope R_scope.

(** ** Terms *)

(** The value of a polynomial over a denominator. *)
Definition fraction (t : Z * z_poly) (x : list R) : R := z_eval (snd t) x / IZR (fst t).

Lemma cleared_value p x : fraction (clear p) x = eval (real_poly p) x.
Proof.
  unfold fraction. rewrite eval_clear. assert (H := IZR_lt _ _ (clear_positive p)). field. lra.
Qed.

Lemma expand_sound hypotheses x : (forall g, In g hypotheses -> satisfied (real_condition g) x) ->
  forall powers p d is_positive d' p' is_positive',
  expand p d is_positive (map cleared hypotheses) powers = Some (d', p', is_positive') -> (0 < d)%Z ->
  (0 < d')%Z /\ exists m, 0 <= m /\ fraction (d', p') x = fraction (d, p) x * m /\
    (is_positive' = true -> is_positive = true /\ 0 < m).
Proof.
  induction hypotheses as [| [g is_strict] hypotheses IH]; intros H [| k powers] p d b d' p' b' E D;
    cbn [expand map] in E; try discriminate.
  - injection E as <- <- <-. split; [exact D |]. exists 1. split; [lra |]. split; [ring |]. intros B.
    split; [exact B | lra].
  - unfold cleared in E at 1. cbn [fst snd] in E. destruct (clear g) as [c q] eqn:C.
    assert (Pc := clear_positive g). rewrite C in Pc. simpl in Pc.
    assert (V := cleared_value g x). rewrite C in V.
    assert (Hg := H (g, is_strict) (or_introl eq_refl)). unfold satisfied in Hg. simpl in Hg.
    assert (K : (0 < c ^ Z.of_nat k)%Z) by (apply Z.pow_pos_nonneg; lia).
    destruct (IH ltac:(intros h I; apply H; right; exact I) _ _ _ _ _ _ _ E) as [D' [m [M [F P]]]];
      [apply Z.mul_pos_pos; assumption |].
    split; [exact D' |]. exists (fraction (c, q) x ^ k * m). rewrite V.
    assert (N : 0 <= eval (real_poly g) x) by (destruct is_strict; lra).
    split; [apply Rmult_le_pos; [apply pow_le, N | exact M] |]. split.
    + rewrite F. unfold fraction at 1 2. simpl. rewrite eval_times_power, mult_IZR, <- pow_IZR, <- V.
      unfold fraction. simpl. unfold Rdiv. rewrite !Rpow_mult_distr, pow_inv. apply IZR_lt in Pc, D.
      assert (IZR c ^ k <> 0) by (apply pow_nonzero; lra). field. split; lra.
    + intros B. destruct (P B) as [Q Pm]. apply andb_true_iff in Q. destruct Q as [Q S]. split; [exact Q |].
      apply Rmult_lt_0_compat; [| exact Pm]. apply orb_true_iff in S. destruct S as [-> | S].
      * apply pow_lt, Hg.
      * apply Nat.eqb_eq in S. subst k. simpl. lra.
Qed.

(** A positive denominator, a value that is not negative, or positive where the flag says so. *)
Definition good (x : list R) (t : Z * z_poly * bool) : Prop :=
  (0 < fst (fst t))%Z /\ 0 <= fraction (fst t) x /\ (snd t = true -> 0 < fraction (fst t) x).

Lemma expand_all_sound variables hypotheses x : (forall g, In g hypotheses -> satisfied (real_condition g) x) ->
  forall terms done expanded, (forall t, In t done -> good x t) ->
  expand_all variables (map cleared hypotheses) terms done = Some expanded -> forall t, In t expanded -> good x t.
Proof.
  intros H. induction terms as [| [c powers] terms IH]; intros done expanded G E; simpl in E.
  - injection E as <-. exact G.
  - destruct (Z.ltb_spec 0 (Qnum c)) as [C |]; [| discriminate].
    destruct (expand _ _ _ _ _) as [[[d p] b] |] eqn:T; [| discriminate]. revert E. apply IH.
    intros t [<- | I]; [| apply G, I]. destruct (expand_sound hypotheses x H _ _ _ _ _ _ _ T) as [D [m [M [F P]]]];
      [lia |].
    assert (X : 0 < fraction (Z.pos (Qden c), [(Qnum c, repeat 0%nat variables)]) x).
    { unfold fraction. simpl. change (z_eval _ x) with (eval (constant variables (IZR (Qnum c))) x).
      rewrite eval_constant. apply Rdiv_lt_0_compat; apply IZR_lt; lia. }
    unfold good. simpl. rewrite F. split; [exact D |]. split.
    + apply Rmult_le_pos; [left; exact X | exact M].
    + intros B. apply Rmult_lt_0_compat; [exact X | apply P, B].
Qed.

Lemma lcm_of_terms (terms : list (Z * z_poly)) l :
  (0 < l)%Z -> (forall t, In t terms -> (0 < fst t)%Z) ->
  let d := fold_left (fun l t => Z.lcm l (fst t)) terms l in
  (0 < d)%Z /\ (l | d)%Z /\ forall t, In t terms -> (fst t | d)%Z.
Proof.
  revert l. induction terms as [| t terms IH]; intros l L H; simpl.
  - split; [exact L |]. split; [apply Z.divide_refl | intros t []].
  - assert (P := H t (or_introl eq_refl)). assert (X := Z.lcm_nonneg l (fst t)).
    assert (Y : Z.lcm l (fst t) <> 0%Z) by (rewrite Z.lcm_eq_0; lia).
    destruct (IH (Z.lcm l (fst t)) ltac:(lia)) as [A [B C]]; [intros u I; apply H; right; exact I |].
    split; [exact A |]. split; [eapply Z.divide_trans; [apply Z.divide_lcm_l | exact B] |].
    intros u [<- | I]; [eapply Z.divide_trans; [apply Z.divide_lcm_r | exact B] | apply C, I].
Qed.

Lemma added_value terms x :
  (forall t, In t terms -> (0 < fst t)%Z) ->
  (0 < fst (added terms))%Z /\ fraction (added terms) x = total terms (fun t => fraction t x).
Proof.
  intros H. unfold added, fraction at 1. cbn [fst snd]. rewrite fast_map_map, eval_sum, total_map.
  destruct (lcm_of_terms terms 1 ltac:(lia) H) as [D [_ V]]. set (d := fold_left _ terms 1%Z) in *.
  split; [exact D |].
  rewrite (total_ext terms _ (fun t => IZR d * fraction t x)), total_scal.
  - apply IZR_lt in D. field. lra.
  - intros t I. specialize (H t I). rewrite eval_shift. destruct (V t I) as [e E]. unfold fraction.
    rewrite E, Z.div_mul, mult_IZR by lia. simpl. apply IZR_lt in H. field. lra.
Qed.

Lemma adds_up_to_0_sound terms x :
  (forall t, In t terms -> (0 < fst t)%Z) -> adds_up_to_0 terms = true -> total terms (fun t => fraction t x) = 0.
Proof.
  intros H Z. apply (is_zero_polynomial _ x) in Z. destruct (added_value terms x H) as [_ <-]. unfold fraction.
  rewrite Z. unfold Rdiv. ring.
Qed.

Lemma existsb_positive x (expanded : list (Z * z_poly * bool)) :
  (forall t, In t expanded -> good x t) -> 0 <= total expanded (fun t => fraction (fst t) x) /\
  (existsb snd expanded = true -> 0 < total expanded (fun t => fraction (fst t) x)).
Proof.
  intros G. assert (N : forall t, In t expanded -> 0 <= fraction (fst t) x) by (intros t I; apply (G t I)).
  split; [apply total_nonneg, N |]. intros E. apply existsb_exists in E. destruct E as [t [I B]].
  apply (total_positive _ _ t N I). apply (G t I), B.
Qed.

Theorem terms_show_it_sound variables hypotheses conclusion terms :
  terms_show_it variables hypotheses conclusion terms = true ->
  inequality (map real_condition hypotheses) (real_condition conclusion).
Proof.
  unfold terms_show_it. intros T x Hx.
  assert (H : forall g, In g hypotheses -> satisfied (real_condition g) x) by (intros g I; apply Hx, in_map, I).
  destruct (expand_all _ _ _ _) as [expanded |] eqn:E; [| discriminate].
  assert (G := expand_all_sound variables hypotheses x H terms [] expanded ltac:(intros t []) E).
  assert (V := cleared_value (fst conclusion) x). assert (D := clear_positive (fst conclusion)).
  destruct (clear (fst conclusion)) as [d f]. apply andb_true_iff in T. destruct T as [T S].
  apply (adds_up_to_0_sound _ x) in T.
  - rewrite fast_map_map in T. simpl in T. rewrite total_map in T. unfold fraction at 1 in T. simpl in T.
    rewrite eval_shift in T. unfold fraction at 1 in V. simpl in V. destruct (existsb_positive x expanded G) as [A B].
    unfold satisfied. simpl.
    assert (X : eval (real_poly (fst conclusion)) x = total expanded (fun t => fraction (fst t) x)).
    { rewrite <- V. simpl in T. lra. }
    rewrite X. destruct (snd conclusion); [apply B, S | exact A].
  - intros t [<- | I]; [exact D |]. rewrite fast_map_map in I. apply in_map_iff in I. destruct I as [u [<- I]].
    apply (G u I).
Qed.

(** ** Points *)

(** The m-th powers of all denominators. *)
Fixpoint scaling (m : nat) (x : list Q) : Z :=
  match x with
  | [] => 1
  | q :: x' => Zpos (Qden q) ^ Z.of_nat m * scaling m x'
  end.

Lemma scaling_positive m x : (0 < scaling m x)%Z.
Proof.
  induction x as [| q x IH]; simpl; [lia |]. apply Z.mul_pos_pos; [apply Z.pow_pos_nonneg; lia | exact IH].
Qed.

Lemma scaled_monomial_value m e x :
  length e = length x -> forallb (fun i => Nat.leb i m) e = true ->
  IZR (scaled_monomial m e x) = IZR (scaling m x) * monomial e (map Q2R x).
Proof.
  revert x. induction e as [| i e IH]; intros [| q x] L H; try discriminate L; [simpl; ring |].
  simpl in H. apply andb_true_iff in H. destruct H as [Hi H]. apply Nat.leb_le in Hi. injection L as L.
  simpl. rewrite !mult_IZR, (IH x L H), <- !pow_IZR.
  assert (E : IZR (Z.pos (Qden q)) ^ m = IZR (Z.pos (Qden q)) ^ (m - i) * IZR (Z.pos (Qden q)) ^ i).
  { rewrite <- pow_add. f_equal. lia. }
  rewrite E. unfold Q2R. rewrite Rpow_mult_distr, pow_inv.
  assert (IZR (Z.pos (Qden q)) ^ i <> 0) by (apply pow_nonzero, not_0_IZR; lia). field. assumption.
Qed.

Lemma scaled_terms_value m p x :
  forallb (fun ce => Nat.eqb (length (snd ce)) (length x) && forallb (fun i => Nat.leb i m) (snd ce)) p = true ->
  IZR (fold_left (fun s ce => s + fst ce * scaled_monomial m (snd ce) x)%Z p 0%Z) =
  IZR (scaling m x) * z_eval p (map Q2R x).
Proof.
  intros F. rewrite z_eval_total, <- total_scal. rewrite forallb_forall in F.
  assert (X : forall s, IZR (fold_left (fun s ce => s + fst ce * scaled_monomial m (snd ce) x)%Z p s) =
    IZR s + total p (fun ce => IZR (scaling m x) * (IZR (fst ce) * monomial (snd ce) (map Q2R x)))).
  { induction p as [| ce p IH]; intros s; simpl; [ring |].
    rewrite IH by (intros c I; apply F; right; exact I). rewrite plus_IZR, mult_IZR.
    specialize (F ce (or_introl eq_refl)). apply andb_true_iff in F. destruct F as [L F]. apply Nat.eqb_eq in L.
    rewrite (scaled_monomial_value m (snd ce) x L F). ring. }
  rewrite X. ring.
Qed.

Lemma scaled_value_sound p x v :
  scaled_value p x = Some v -> exists s, 0 < s /\ IZR v = s * z_eval p (map Q2R x).
Proof.
  unfold scaled_value. set (m := fold_left _ p 0%nat). destruct (forallb _ p) eqn:F; [| discriminate].
  intros E. injection E as <-. exists (IZR (scaling m x)). split; [apply IZR_lt, scaling_positive |].
  apply scaled_terms_value, F.
Qed.

Lemma holds_at_sound g x b :
  holds_at g x = Some b -> (b = true <-> satisfied (real_condition g) (map Q2R x)).
Proof.
  unfold holds_at. destruct (scaled_value _ x) as [v |] eqn:V; [| discriminate]. intros E. injection E as <-.
  destruct (scaled_value_sound _ _ _ V) as [s [S W]]. rewrite eval_clear in W.
  assert (D := IZR_lt _ _ (clear_positive (fst g))). set (y := eval (real_poly (fst g)) (map Q2R x)) in *.
  assert (P : 0 < s * IZR (fst (clear (fst g)))) by (apply Rmult_lt_0_compat; assumption).
  set (r := s * IZR (fst (clear (fst g)))) in *. assert (W' : IZR v = r * y) by (rewrite W; unfold r; ring).
  unfold satisfied. simpl. fold y. destruct (snd g).
  - rewrite Z.ltb_lt. split; intros H.
    + apply IZR_lt in H. rewrite W' in H. apply (Rmult_lt_reg_l r); [exact P | lra].
    + apply lt_IZR. rewrite W'. apply Rmult_lt_0_compat; assumption.
  - rewrite Z.leb_le. split; intros H.
    + apply IZR_le in H. rewrite W' in H. apply (Rmult_le_reg_l r); [exact P | lra].
    + apply le_IZR. rewrite W'. apply Rmult_le_pos; lra.
Qed.

Theorem point_refutes_sound variables hypotheses conclusion x :
  point_refutes (length variables) hypotheses conclusion x = true ->
    ~ holds (Inequality variables hypotheses conclusion).
Proof.
  unfold point_refutes. intros H C. apply andb_true_iff in H. destruct H as [H N]. apply andb_true_iff in H.
  destruct H as [L H]. apply Nat.eqb_eq in L. rewrite forallb_forall in H.
  destruct (holds_at conclusion x) as [b |] eqn:B; [| discriminate]. apply holds_at_sound in B.
  assert (b = true); [| subst b; discriminate]. apply B, C; [rewrite map_length; exact L |].
  intros g I. specialize (H g I). destruct (holds_at g x) as [c |] eqn:G; [| discriminate].
  apply (holds_at_sound g x c G), H.
Qed.

Theorem check_inequality_sound variables hypotheses conclusion proved w :
  check_inequality variables hypotheses conclusion proved w = true ->
  sound (Inequality variables hypotheses conclusion) proved.
Proof.
  unfold check_inequality, sound. intros H. split; [exact I |]. destruct proved, w; try discriminate.
  - intros x _ Hx. apply (terms_show_it_sound _ _ _ _ H). intros g J. apply in_map_iff in J.
    destruct J as [h [<- J]]. apply Hx, J.
  - destruct p; try discriminate. apply (point_refutes_sound _ _ _ _ H).
Qed.

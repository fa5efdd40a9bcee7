(** What a leaf of a tree of a box inequality shows.

    [composed_value]: the lines put in place of the variables; [exp_quotient_sound]: bounds of exponentials;
    [taylor_value]: Taylor sums and the next term, over one denominator; [term_below_sound]: on the unit cube the
    polynomials of [term_below] add up to at most the term P e^U. Hence [leaf_shows_sound]: what a leaf accepts holds at
    every point of its box. Any number of variables and terms.

    Idea: as in arithmetic/exponential_on_cube.v and box_inequality.v, here of values at points. Source: these files. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums reals exponential fixed_point exponential_fixed_point multivariate bernstein.
From Exactdp Require Import exponential_on_cube box_inequality.
From ExactdpChecker Require Import claims witnesses posed levels keyed_sums z_polynomials inequality_program.
From ExactdpChecker Require Import inequality_sound.
From ExactdpChecker Require Import bernstein_checked box_program.
Import ListNotations.
Open Scope R_scope.

(** ** Exponentials *)

Lemma exp_quotient_sound bits a b low high e : (0 < b)%Z -> exp_quotient bits a b = Some (low, high, e) ->
  (0 < e)%Z /\ (0 <= low)%Z /\ IZR low / IZR e <= exp (IZR a / IZR b) <= IZR high / IZR e.
Proof.
  unfold exp_quotient. intros B H. assert (B' := IZR_lt _ _ B). destruct (Z.eqb_spec a 0) as [-> | _].
  - injection H as <- <- <-. split; [lia |]. split; [lia |]. replace (0 / IZR b) with 0 by (field; lra). rewrite exp_0.
    lra.
  - destruct (_ && _); [| discriminate]. destruct (Z.leb_spec 0 (fst (exp_bounds bits (fixed_below a b bits))))
      as [L |];
      [| discriminate].
    injection H as <- <- <-. assert (P := two_bits_positive bits). split; [apply lt_IZR, P |]. split; [exact L |].
    split.
    + apply exp_above_fixed. unfold fixed_below. destruct (floor_div_bounds (a * two bits) b B) as [F _].
      rewrite mult_IZR in F. apply Rmult_le_reg_r with (IZR (two bits)); [exact P |].
      replace (IZR (a * two bits / b) / IZR (two bits) * IZR (two bits)) with (IZR (a * two bits / b)) by (field; lra).
      replace (IZR a / IZR b * IZR (two bits)) with (IZR a * IZR (two bits) / IZR b) by (field; lra). exact F.
    + apply exp_below_fixed. apply Rmult_le_reg_r with (IZR (two bits)); [exact P |].
      replace (IZR (ceiling_div (a * two bits) b) / IZR (two bits) * IZR (two bits))
        with (IZR (ceiling_div (a * two bits) b)) by (field; lra).
      apply ceiling_div_above; [exact B |]. rewrite mult_IZR. apply Req_le. field. lra.
Qed.

(** ** Polynomials over denominators *)

Definition positive_fraction (t : Z * z_poly) : Prop := (0 < fst t)%Z.

Lemma fraction_times d p e q x : (0 < d)%Z -> (0 < e)%Z ->
  fraction ((d * e)%Z, times p q) x = fraction (d, p) x * fraction (e, q) x.
Proof.
  intros D E. unfold fraction. cbn [fst snd]. rewrite eval_times, mult_IZR. apply IZR_lt in D, E. field. lra.
Qed.

Lemma expand_value x lines : (forall l, In l lines -> positive_fraction l) ->
  forall e p d b d' p' b', expand p d b (map (fun l => (l, false)) lines) e = Some (d', p', b') -> (0 < d)%Z ->
  (0 < d')%Z /\ fraction (d', p') x = fraction (d, p) x * monomial e (map (fun l => fraction l x) lines).
Proof.
  induction lines as [| [c q] lines IH]; intros H [| k e] p d b d' p' b' E D; cbn [expand map] in E; try discriminate.
  - injection E as <- <- <-. split; [exact D |]. simpl. ring.
  - assert (Pc := H (c, q) (or_introl eq_refl)). unfold positive_fraction in Pc. simpl in Pc.
    assert (K : (0 < c ^ Z.of_nat k)%Z) by (apply Z.pow_pos_nonneg; lia).
    destruct (IH ltac:(intros l I; apply H; right; exact I) _ _ _ _ _ _ _ E) as [D' V];
      [apply Z.mul_pos_pos; assumption |].
    split; [exact D' |]. rewrite V. cbn [map monomial]. rewrite <- Rmult_assoc. f_equal.
    unfold fraction. cbn [fst snd]. rewrite eval_times_power, mult_IZR, <- pow_IZR.
    unfold Rdiv. rewrite Rpow_mult_distr, pow_inv. apply IZR_lt in Pc, D.
    assert (IZR c ^ k <> 0) by (apply pow_nonzero; lra). field. split; lra.
Qed.

Lemma all_some_sound {A} (l : list (option A)) : forall done r,
  all_some l done = Some r -> exists m, r = rev done ++ m /\ Forall2 (fun o a => o = Some a) l m.
Proof.
  induction l as [| [a |] l IH]; intros done r H; cbn [all_some] in H; try discriminate.
  - injection H as <-. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. split; [reflexivity | constructor].
  - destruct (IH _ _ H) as [m [E F]]. exists (a :: m). split; [| constructor; [reflexivity | exact F]].
    rewrite E. simpl. rewrite <- app_assoc. reflexivity.
Qed.

Lemma all_some_map {A B} (f : A -> option B) l r : all_some (map f l) [] = Some r ->
  Forall2 (fun a b => f a = Some b) l r.
Proof.
  intros H. apply all_some_sound in H. destruct H as [m [E F]]. simpl in E. subst r. revert m F.
  induction l as [| a l IH]; intros m F; inversion F; subst; constructor; auto.
Qed.

Lemma z_eval_filter (f : Z * list nat -> bool) p x :
  z_eval p x = z_eval (filter f p) x + z_eval (filter (fun ce => negb (f ce)) p) x.
Proof.
  rewrite !z_eval_total, !total_filter, <- total_plus. apply total_ext. intros ce _. destruct (f ce); simpl; ring.
Qed.

Lemma no_zeros_value p x : z_eval (no_zeros p) x = z_eval p x.
Proof.
  rewrite (z_eval_filter (fun ce => negb (fst ce =? 0)%Z) p). unfold no_zeros.
  rewrite (z_eval_total (filter (fun ce => negb (negb _)) p)), total_filter.
  rewrite (total_ext p (fun a => if negb _ then _ else 0) (fun _ => 0)), total_zero; [ring |].
  intros ce _. destruct (Z.eqb_spec (fst ce) 0) as [-> |]; simpl; ring.
Qed.

(** ** The lines in place of the variables *)

Section at_a_point.

Variables (lines : list (Z * z_poly)) (x : list R).
Hypothesis lines_positive : forall l, In l lines -> positive_fraction l.

Definition on_lines : list R := map (fun l => fraction l x) lines.

Lemma composed_value v p d q :
  composed v (map (fun l => (l, false)) lines) p = Some (d, q) ->
  (0 < d)%Z /\ fraction (d, q) x = eval (real_poly p) on_lines.
Proof.
  unfold composed. destruct (all_some _ []) as [terms |] eqn:A; [| discriminate].
  apply all_some_map in A. intros E.
  assert (T : (forall t, In t terms -> (0 < fst t)%Z) /\
    total terms (fun t => fraction t x) = eval (real_poly p) on_lines).
  { clear E. induction A as [| [c e] [d' q'] p terms H _ [IP IV]]; [split; [intros t [] | reflexivity] |].
    unfold composed_term in H. destruct (expand _ _ _ _ _) as [[[d1 q1] b1] |] eqn:X; [| discriminate].
    injection H as <- <-. destruct (expand_value x lines lines_positive _ _ _ _ _ _ _ X) as [D V]; [simpl; lia |].
    split; [intros t [<- | I]; [exact D | apply IP, I] |]. cbn [total]. rewrite V, IV.
    unfold real_poly, eval. cbn [map total fst snd]. f_equal. fold on_lines. f_equal.
    unfold fraction. cbn [fst snd]. change (z_eval _ x) with (eval (constant v (IZR (Qnum c))) x).
    rewrite eval_constant. reflexivity. }
  destruct T as [T V]. destruct (added_value terms x T) as [D W]. destruct (added terms) as [d1 q1].
  injection E as <- <-.
  split; [exact D |]. rewrite <- V, <- W. unfold fraction. cbn [fst snd]. rewrite no_zeros_value. reflexivity.
Qed.

(** ** Taylor sums *)

Lemma taylor_value d p u : (0 < d)%Z -> z_eval p x = IZR d * u ->
  forall left k total term den dt total' term',
  taylor left (Z.of_nat k) d p total term den = (dt, total', term') -> (0 < den)%Z ->
  z_eval total x = IZR den * taylor_sum u k -> z_eval term x = IZR den * taylor_term u k ->
  (0 < dt)%Z /\ z_eval total' x = IZR dt * taylor_sum u (k + left) /\
    z_eval term' x = IZR dt * taylor_term u (k + left).
Proof.
  intros D P. induction left as [| left IH]; intros k total term den dt total' term' E N ST TT; cbn [taylor] in E.
  - injection E as <- <- <-. rewrite Nat.add_0_r. auto.
  - replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) in E by lia. replace (k + S left)%nat with (S k + left)%nat by lia.
    assert (K : IZR (Z.of_nat (S k)) = INR (S k)) by (symmetry; apply INR_IZR_INZ).
    assert (NK : INR (S k) <> 0) by (apply not_0_INR; lia).
    apply (IH _ _ _ _ _ _ _ E).
    + apply Z.mul_pos_pos; [exact N | apply Z.mul_pos_pos; [exact D | lia]].
    + rewrite eval_shift. cbn [monomial]. unfold z_eval at 1. fold (z_eval (merge compare_exponents total term) x).
      rewrite z_eval_weight, weight_merge by apply compare_exponents_eq.
      rewrite <- !z_eval_weight, ST, TT, taylor_sum_S, !mult_IZR.
      ring.
    + rewrite eval_times, TT, P, !mult_IZR, K, taylor_term_S. field. exact NK.
Qed.

End at_a_point.

(** ** One term *)

Lemma constant_monomial e x : forallb (Nat.eqb 0) e = true -> monomial e x = 1.
Proof.
  revert x. induction e as [| i e IH]; intros x H; [reflexivity |]. cbn [forallb] in H. apply andb_true_iff in H.
  destruct H as [I H]. apply Nat.eqb_eq in I. subst i. destruct x as [| a x]; [reflexivity |]. simpl.
  rewrite IH by exact H. ring.
Qed.

Lemma coefficients_total p : IZR (coefficients p) = total p (fun ce => IZR (fst ce)).
Proof.
  unfold coefficients.
  assert (X : forall s, IZR (fold_left (fun s ce => s + fst ce)%Z p s) = IZR s + total p (fun ce => IZR (fst ce))).
  { induction p as [| ce p IH]; intros s; simpl; [ring |]. rewrite IH, plus_IZR. ring. }
  rewrite X. ring.
Qed.

Lemma constants_value p x : z_eval (filter is_constant p) x = IZR (coefficients (filter is_constant p)).
Proof.
  rewrite z_eval_total, coefficients_total, !total_filter. apply total_ext. intros ce _.
  destruct (is_constant ce) eqn:E; [| reflexivity]. rewrite (constant_monomial _ x E). ring.
Qed.

Section on_the_cube.

Variable t : list R.
Hypothesis in_cube : Forall in_unit t.

Lemma positive_terms_nonneg p : 0 <= z_eval (filter (fun ce => 0 <? fst ce)%Z p) t.
Proof.
  rewrite z_eval_total. apply total_nonneg. intros ce I. apply filter_In in I. destruct I as [_ P].
  apply Z.ltb_lt, IZR_lt in P. apply Rmult_le_pos; [lra | apply monomial_in_unit, in_cube].
Qed.

Lemma other_terms_nonpos p : z_eval (filter (fun ce => negb (0 <? fst ce)%Z) p) t <= 0.
Proof.
  rewrite z_eval_total, <- (total_zero (filter (fun ce => negb (0 <? fst ce)%Z) p)). apply total_le.
  intros ce I. apply filter_In in I. destruct I as [_ P]. apply negb_true_iff, Z.ltb_ge, IZR_le in P.
  destruct (monomial_in_unit (snd ce) t in_cube) as [M _].
  rewrite <- (Rmult_0_l (monomial (snd ce) t)). apply Rmult_le_compat_r; assumption.
Qed.

Lemma largest_bound p : z_eval p t <= IZR (coefficients (filter (fun ce => 0 <? fst ce)%Z p)).
Proof.
  rewrite z_eval_total, coefficients_total, total_filter. apply total_le. intros ce _.
  destruct (monomial_in_unit (snd ce) t in_cube) as [M0 M1]. destruct (Z.ltb_spec 0 (fst ce)) as [P | P].
  - apply IZR_lt in P. rewrite <- (Rmult_1_r (IZR (fst ce))) at 2. apply Rmult_le_compat_l; lra.
  - apply IZR_le in P. rewrite <- (Rmult_0_l (monomial (snd ce) t)). apply Rmult_le_compat_r; assumption.
Qed.

Lemma largest_nonneg p : 0 <= IZR (coefficients (filter (fun ce => 0 <? fst ce)%Z p)).
Proof.
  rewrite coefficients_total. apply total_nonneg. intros ce I. apply filter_In in I. destruct I as [_ P].
  apply Z.ltb_lt, IZR_lt in P. lra.
Qed.

(** The two bounds of an exponential, for the two signs before it. *)
Lemma signed_bound p n l h c u T W :
  0 <= p -> n <= 0 -> 0 <= l <= exp c -> exp c <= h -> T <= exp u -> exp u <= T + W ->
  p * (l * T) + n * (h * (T + W)) <= (p + n) * exp (c + u).
Proof.
  intros P N [L0 L] H LT UT. rewrite exp_plus. assert (X := exp_pos c). assert (Y := exp_pos u).
  rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [exact P |]. apply Rle_trans with (l * exp u); [apply Rmult_le_compat_l; assumption |].
    apply Rmult_le_compat_r; lra.
  - apply Rmult_le_compat_neg_l; [exact N |]. apply Rmult_le_compat; lra.
Qed.

Variable lines : list (Z * z_poly).
Hypothesis lines_positive : forall l, In l lines -> positive_fraction l.

Lemma term_below_sound v K bits pu l :
  Nat.Even K -> term_below v (map (fun l => (l, false)) lines) K bits pu = Some l ->
  (forall f, In f l -> (0 < fst f)%Z) /\
  total l (fun f => fraction f t) <=
  eval (real_poly (fst pu)) (on_lines lines t) * exp (eval (real_poly (snd pu)) (on_lines lines t)).
Proof.
  intros HK. unfold term_below. destruct (composed v _ (fst pu)) as [[ds shape] |] eqn:S; [| discriminate].
  destruct (composed v _ (snd pu)) as [[d power] |] eqn:U; [| discriminate].
  set (rest := filter (fun ce => negb (is_constant ce)) power).
  set (largest := coefficients (filter (fun ce => 0 <? fst ce)%Z rest)).
  destruct (exp_quotient bits (coefficients (filter is_constant power)) d) as [[[low high] e] |] eqn:C;
    [| discriminate].
  destruct (exp_quotient bits largest d) as [[[w factor] f] |] eqn:F; [| discriminate].
  destruct (taylor K 0 d rest [] (one v) 1) as [[dt total0] term] eqn:T. intros E. injection E as <-.
  destruct (composed_value lines t lines_positive _ _ _ _ S) as [DS <-].
  destruct (composed_value lines t lines_positive _ _ _ _ U) as [D <-].
  destruct (exp_quotient_sound _ _ _ _ _ _ D C) as [E0 [L0 [L H]]].
  destruct (exp_quotient_sound _ _ _ _ _ _ D F) as [F0 [_ [_ X]]].
  assert (D' := IZR_lt _ _ D). assert (E' := IZR_lt _ _ E0). assert (F' := IZR_lt _ _ F0).
  set (u := z_eval rest t / IZR d). set (c := IZR (coefficients (filter is_constant power)) / IZR d) in *.
  destruct (taylor_value t d rest u D ltac:(unfold u; field; lra) K 0 [] (one v) 1 dt total0 term T ltac:(lia))
    as [DT [VT VW]].
  { unfold taylor_sum. change (z_eval [] t) with 0. simpl. ring. }
  { rewrite eval_one. unfold taylor_term. simpl. field. }
  rewrite Nat.add_0_l in VT, VW. assert (DT' := IZR_lt _ _ DT). assert (DS' := IZR_lt _ _ DS).
  assert (HU : u <= IZR largest / IZR d).
  { unfold u, Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, D' | apply largest_bound]. }
  assert (HM : 0 <= IZR largest / IZR d).
  { apply Rmult_le_pos; [apply largest_nonneg | left; apply Rinv_0_lt_compat, D']. }
  assert (LT := taylor_sum_even_below_exp u K HK).
  assert (UT := exp_below_taylor_sum_even u _ (IZR factor / IZR f) K HK HU ltac:(rewrite Rmax_right by exact HM;
    exact X)).
  assert (V : fraction (d, power) t = c + u).
  { unfold fraction, c, u. cbn [fst snd]. rewrite (z_eval_filter is_constant power t), constants_value. fold rest.
    field. lra. }
  rewrite V. set (p := z_eval (filter (fun ce => 0 <? fst ce)%Z shape) t).
  set (n := z_eval (filter (fun ce => negb (0 <? fst ce)%Z) shape) t).
  assert (VS : fraction (ds, shape) t = p / IZR ds + n / IZR ds).
  { unfold fraction. cbn [fst snd]. rewrite (z_eval_filter (fun ce => 0 <? fst ce)%Z shape t). fold p n. field. lra. }
  rewrite VS. split.
  - intros g [<- | [<- | []]]; cbn [fst]; repeat apply Z.mul_pos_pos; assumption.
  - cbn [total]. rewrite Rplus_0_r.
    rewrite (fraction_times ds _ (dt * e) _ t DS) by (apply Z.mul_pos_pos; assumption).
    rewrite (fraction_times ds _ (dt * f * e) _ t DS) by (repeat apply Z.mul_pos_pos; assumption).
    assert (A : fraction ((dt * e)%Z, shift low [] total0) t = IZR low / IZR e * taylor_sum u K).
    { unfold fraction. cbn [fst snd]. rewrite eval_shift, VT, mult_IZR. simpl. field. lra. }
    assert (B : fraction ((dt * f * e)%Z,
      shift high [] (merge compare_exponents (shift f [] total0) (shift factor [] term))) t =
      IZR high / IZR e * (taylor_sum u K + IZR factor / IZR f * (u ^ K / INR (fact K)))).
    { unfold fraction. cbn [fst snd]. rewrite eval_shift, z_eval_weight, weight_merge by apply compare_exponents_eq.
      rewrite <- !z_eval_weight, !eval_shift, VT, VW, !mult_IZR. unfold taylor_term. cbn [monomial]. field.
      split; [apply INR_fact_neq_0 | repeat split; lra]. }
    rewrite A, B. unfold fraction. cbn [fst snd]. fold p n. apply signed_bound; try assumption.
    + apply Rmult_le_pos; [apply positive_terms_nonneg | left; apply Rinv_0_lt_compat, DS'].
    + assert (N := other_terms_nonpos shape). fold n in N. assert (I := Rinv_0_lt_compat _ DS'). unfold Rdiv.
      rewrite <- (Rmult_0_l (/ IZR ds)). apply Rmult_le_compat_r; lra.
    + split; [| exact L]. apply Rmult_le_pos; [apply IZR_le, L0 | left; apply Rinv_0_lt_compat, E'].
Qed.

End on_the_cube.

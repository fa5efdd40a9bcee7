(** What the programs for the claim [box_inequality] accept is true.

    [leaf_shows_sound] and [tree_shows_sound]: the sum of the P e^U is >= 0, or > 0, at every point of the box, each end
    closed or open. [point_fails_sound]: it is not, at a point of the box. [check_box_sound]: both, as a claim.

    Idea: the box is the image of the unit cube under the lines of a corner; a point of a box that is cut lies in one of
    its parts. Source: arithmetic/box_inequality.v, arithmetic/bernstein.v. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums exponential_fixed_point multivariate bernstein box_inequality.
From ExactdpChecker Require Import claims witnesses kinds posed levels keyed_sums z_polynomials inequality_program.
From ExactdpChecker Require Import inequality_sound bernstein_checked box_program box_leaves.
Import ListNotations.
Open Scope R_scope.

(** ** Leaves *)

Lemma in_variable_value v i first last t :
  positive_fraction (in_variable v i first last) /\
  fraction (in_variable v i first last) t = eval (line v i (Q2R first, Q2R last)) t.
Proof.
  split; [apply clear_positive |]. unfold in_variable. rewrite cleared_value. unfold line, real_poly, eval.
  cbn [map total fst snd]. rewrite Q2R_minus. reflexivity.
Qed.

Lemma z_lines_value v box : forall i corners t,
  (forall l, In l (z_lines v i box corners) -> positive_fraction l) /\
  map (fun l => fraction l t) (z_lines v i box corners) =
  map (fun l => eval l t) (lines_from v i (map real_interval box) corners).
Proof.
  induction box as [| b box IH]; intros i [| c corners] t; try (split; [intros l [] | reflexivity]).
  cbn [z_lines map lines_from]. destruct (IH (S i) corners t) as [P E]. unfold oriented.
  assert (X := in_variable_value v i (from b) (to b) t). assert (Y := in_variable_value v i (to b) (from b) t).
  split.
  - intros l [<- | I]; [destruct c; [apply X | apply Y] | apply P, I].
  - rewrite E. f_equal. destruct c; [apply X | apply Y].
Qed.

Lemma ends_of_value box : forall corners, ends_of box corners = cube_ends (map real_interval box) corners.
Proof.
  induction box as [| b box IH]; intros [| c corners]; try reflexivity. cbn [ends_of map cube_ends]. rewrite IH.
  destruct c; reflexivity.
Qed.

Definition real_terms (terms : list (rational_poly * rational_poly)) : list (poly * poly) :=
  map (fun pu => (real_poly (fst pu), real_poly (snd pu))) terms.

Lemma leaf_shows_sound box terms is_strict corners K bits :
  Forall not_empty (map real_interval box) -> leaf_shows box terms is_strict corners K bits = true ->
  box_inequality (map real_interval box) (real_terms terms) is_strict.
Proof.
  unfold leaf_shows. intros N H x Hx. apply andb_true_iff in H. destruct H as [H B]. apply andb_true_iff in H.
  destruct H as [H HK]. apply andb_true_iff in H. destruct H as [L K2]. apply Nat.eqb_eq in L. apply Z.leb_le in K2.
  assert (EK : Nat.Even (Z.to_nat K)).
  { apply Z.even_spec in HK. destruct HK as [j J]. exists (Z.to_nat j). lia. }
  destruct (all_some _ []) as [below |] eqn:A; [| discriminate]. apply all_some_map in A.
  assert (Lc : length corners = length (map real_interval box)) by (rewrite map_length; exact L).
  destruct (from_cube_onto _ corners x Lc N Hx) as [t [T ->]].
  assert (Lt : length t = length (map real_interval box)).
  { rewrite (in_ends_length _ _ T). clear -Lc. revert corners Lc. generalize (map real_interval box) as b.
    induction b as [| i b IH]; intros [| c corners] L; try discriminate; simpl; [reflexivity |].
    injection L as L. rewrite (IH corners L). reflexivity. }
  destruct (z_lines_value (length box) box 0 corners t) as [P E].
  assert (O : on_lines (z_lines (length box) 0 box corners) t = from_cube (map real_interval box) corners t).
  { unfold on_lines. rewrite E, <- (map_length real_interval box). apply eval_lines; assumption. }
  assert (V : (forall f, In f (concat below) -> (0 < fst f)%Z) /\
    total (concat below) (fun f => fraction f t) <=
    value_of_terms (real_terms terms) (from_cube (map real_interval box) corners t)).
  { rewrite <- O. clear B. unfold value_of_terms, real_terms. induction A as [| pu l terms below F _ [IP IV]].
    - split; [intros f [] | simpl; lra].
    - destruct (term_below_sound t (in_ends_unit _ _ T) _ P _ _ _ _ _ EK F) as [Q W]. cbn [concat map total fst snd].
      split; [intros f I; apply in_app_or in I; destruct I; auto |]. rewrite total_app.
      apply Rplus_le_compat; assumption. }
  destruct V as [Q V].
  rewrite ends_of_value in B. destruct (bernstein_shows_sound _ _ _ t B T) as [G S].
  destruct (added_value _ t Q) as [D W]. rewrite <- W in V. unfold fraction in V. apply IZR_lt in D.
  assert (I := Rinv_0_lt_compat _ D).
  assert (0 <= z_eval (snd (added (concat below))) t / IZR (fst (added (concat below)))) by (apply Rmult_le_pos; lra).
  destruct is_strict; [| lra]. specialize (S eq_refl).
  assert (0 < z_eval (snd (added (concat below))) t / IZR (fst (added (concat below))))
    by (apply Rmult_lt_0_compat; lra).
  lra.
Qed.

(** ** Trees *)

Lemma replace_at_value box k i :
  map real_interval (replace_at box k i) = replace_nth (map real_interval box) k (real_interval i).
Proof. revert k. induction box as [| b box IH]; intros [| k]; simpl; try reflexivity. rewrite IH. reflexivity. Qed.

Lemma tree_shows_sound terms is_strict t : forall box,
  Forall not_empty (map real_interval box) -> tree_shows box terms is_strict t = true ->
  box_inequality (map real_interval box) (real_terms terms) is_strict.
Proof.
  induction t as [corners K bits | k a low_part IHl high_part IHh]; intros box N H; cbn [tree_shows] in H.
  - apply (leaf_shows_sound _ _ _ _ _ _ N H).
  - destruct (nth_error box (Z.to_nat k)) as [i |] eqn:E; [| discriminate].
    apply andb_true_iff in H. destruct H as [H HH]. apply andb_true_iff in H. destruct H as [H HL].
    apply andb_true_iff in H. destruct H as [_ H]. apply andb_true_iff in H. destruct H as [A B].
    apply less_sound in A, B. apply (map_nth_error real_interval) in E.
    apply IHl in HL; [apply IHh in HH |]; rewrite ?replace_at_value in *; try (apply replace_not_empty; assumption).
    intros x Hx. destruct (in_box_cut _ x (Z.to_nat k) _ (Q2R a) E Hx) as [J | J]; [apply HL, J | apply HH, J].
Qed.

(** ** Points *)

Lemma in_rational_box_sound box : forall x,
  in_rational_box box x = true -> in_box (map real_interval box) (map Q2R x).
Proof.
  unfold in_box. induction box as [| i box IH]; intros [| q x] H; try discriminate; constructor;
    cbn [in_rational_box] in H;
    apply andb_true_iff in H; destruct H as [I H]; [| apply IH, H].
  unfold in_rational_interval in I. apply andb_true_iff in I. destruct I as [A B].
  unfold in_interval, real_interval. simpl.
  destruct (from_closed i), (to_closed i);
    (apply at_most_sound in A || apply less_sound in A); (apply at_most_sound in B || apply less_sound in B);
    (split; [lra |]); split; intros E; try reflexivity; exfalso; lra.
Qed.

Lemma scaling_fold m x : fold_left (fun s r => s * Zpos (Qden r) ^ Z.of_nat m)%Z x 1%Z = inequality_sound.scaling m x.
Proof.
  assert (X : forall s, fold_left (fun s r => s * Zpos (Qden r) ^ Z.of_nat m)%Z x s =
    (s * inequality_sound.scaling m x)%Z).
  { induction x as [| q x IH]; intros s; simpl; [ring |]. rewrite IH. ring. }
  rewrite X. ring.
Qed.

Lemma value_at_sound p x a b : value_at p x = Some (a, b) ->
  (0 < b)%Z /\ IZR a / IZR b = eval (real_poly p) (map Q2R x).
Proof.
  unfold value_at. assert (V := eval_clear p (map Q2R x)). assert (D := clear_positive p). destruct (clear p) as [d q].
  cbn [fst snd] in V, D. rewrite scaling_fold. set (m := fold_left _ q 0%nat).
  destruct (scaled_value q x) as [v |] eqn:S; [| discriminate]. intros E. injection E as <- <-.
  unfold scaled_value in S. fold m in S. destruct (forallb _ q) eqn:F; [| discriminate]. injection S as <-.
  assert (P := inequality_sound.scaling_positive m x). split; [apply Z.mul_pos_pos; assumption |].
  rewrite (scaled_terms_value m q x F), V, mult_IZR. apply IZR_lt in D, P. field. lra.
Qed.

Lemma term_above_sound x bits pu a b : term_above x bits pu = Some (a, b) ->
  (0 < b)%Z /\ eval (real_poly (fst pu)) (map Q2R x) * exp (eval (real_poly (snd pu)) (map Q2R x)) <= IZR a / IZR b.
Proof.
  unfold term_above. destruct (value_at (fst pu) x) as [[p q] |] eqn:P; [| discriminate].
  destruct (value_at (snd pu) x) as [[c d] |] eqn:U; [| discriminate].
  destruct (exp_quotient bits c d) as [[[low high] e] |] eqn:E; [| discriminate]. intros H. injection H as <- <-.
  destruct (value_at_sound _ _ _ _ P) as [Q <-]. destruct (value_at_sound _ _ _ _ U) as [D <-].
  destruct (exp_quotient_sound _ _ _ _ _ _ D E) as [E0 [_ [L G]]]. split; [apply Z.mul_pos_pos; assumption |].
  apply IZR_lt in Q, E0. rewrite !mult_IZR.
  replace (IZR p * IZR (if (0 <? p)%Z then high else low) / (IZR q * IZR e))
    with (IZR p / IZR q * (IZR (if (0 <? p)%Z then high else low) / IZR e)) by (field; lra).
  assert (I := Rinv_0_lt_compat _ Q). destruct (Z.ltb_spec 0 p) as [S | S].
  - apply IZR_lt in S. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact G].
  - apply IZR_le in S. apply Rmult_le_compat_neg_l; [| exact L]. unfold Rdiv. rewrite <- (Rmult_0_l (/ IZR q)).
    apply Rmult_le_compat_r; lra.
Qed.

Lemma sum_of_quotients above : (forall t : Z * Z, In t above -> (0 < snd t)%Z) ->
  forall a b, (0 < b)%Z ->
  let s := fold_left (fun s t : Z * Z => (fst s * snd t + fst t * snd s, snd s * snd t)%Z) above (a, b) in
  (0 < snd s)%Z /\ IZR (fst s) / IZR (snd s) = IZR a / IZR b + total above (fun t => IZR (fst t) / IZR (snd t)).
Proof.
  induction above as [| [c d] above IH]; intros H a b B; cbn [fold_left].
  - split; [exact B | simpl; ring].
  - assert (D := H (c, d) (or_introl eq_refl)). cbn [fst snd] in *.
    destruct (IH (fun t I => H t (or_intror I)) (a * d + c * b)%Z (b * d)%Z ltac:(apply Z.mul_pos_pos; assumption))
      as [P E].
    split; [exact P |]. rewrite E. cbn [total fst snd]. rewrite plus_IZR, !mult_IZR. apply IZR_lt in B, D. field. lra.
Qed.

Lemma point_fails_sound box terms is_strict x bits :
  point_fails box terms is_strict x bits = true ->
    ~ box_inequality (map real_interval box) (real_terms terms) is_strict.
Proof.
  unfold point_fails. intros H C. apply andb_true_iff in H. destruct H as [I H].
  specialize (C _ (in_rational_box_sound _ _ I)). destruct (all_some _ []) as [above |] eqn:A; [| discriminate].
  apply all_some_map in A.
  assert (V : (forall t, In t above -> (0 < snd t)%Z) /\
    value_of_terms (real_terms terms) (map Q2R x) <= total above (fun t => IZR (fst t) / IZR (snd t))).
  { clear H C. unfold value_of_terms, real_terms. induction A as [| pu [a b] terms above F _ [IP IV]].
    - split; [intros t [] | simpl; lra].
    - destruct (term_above_sound _ _ _ _ _ F) as [Q W]. cbn [map total fst snd].
      split; [intros t [<- | J]; [exact Q | apply IP, J] | apply Rplus_le_compat; assumption]. }
  destruct V as [Q V]. destruct (sum_of_quotients above Q 0 1 ltac:(lia)) as [P E].
  set (s := fold_left _ above (0%Z, 1%Z)) in *. apply IZR_lt in P. replace (0 / 1) with 0 in E by field.
  assert (J := Rinv_0_lt_compat _ P). destruct is_strict.
  - apply Z.leb_le, IZR_le in H. assert (IZR (fst s) / IZR (snd s) <= 0); [| lra].
    unfold Rdiv. rewrite <- (Rmult_0_l (/ IZR (snd s))). apply Rmult_le_compat_r; lra.
  - apply Z.ltb_lt, IZR_lt in H. assert (IZR (fst s) / IZR (snd s) < 0); [| lra].
    unfold Rdiv. rewrite <- (Rmult_0_l (/ IZR (snd s))). apply Rmult_lt_compat_r; lra.
Qed.

Theorem check_box_sound variables box terms is_strict proved w :
  check_box variables box terms is_strict proved w = true -> sound (BoxInequality variables box terms is_strict) proved.
Proof.
  unfold check_box, sound. intros H. apply andb_true_iff in H. destruct H as [H C]. apply andb_true_iff in H.
  destruct H as [L N]. apply Nat.eqb_eq in L.
  assert (E : Forall not_empty (map real_interval box)).
  { apply Forall_forall. intros i I. apply in_map_iff in I. destruct I as [b [<- I]]. rewrite forallb_forall in N.
    specialize (N b I). apply less_sound in N. exact N. }
  split; [split; assumption |].
  destruct proved, w as [| | | | | | | | | | | | | | | | x [| |] | t | | | | |]; try discriminate.
  - apply (tree_shows_sound _ _ _ _ E C).
  - apply (point_fails_sound _ _ _ _ _ C).
Qed.

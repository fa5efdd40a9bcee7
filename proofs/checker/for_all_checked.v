(** The claim [for_all]: a claim whose probabilities and bounds are functions of parameters, at all points of a box.

    PROVED is accepted where every cell that a tree of cuts leaves shows the claim, and a least delta also by events
    that reach it on the whole box ([check_cells]). REFUTED is accepted for a point at which the plain claim, with the
    values of the functions ([plain_at]), is refuted by a witness of its own kind ([check_point]); or where some
    probability or bound is out of order ([is_none_at]).

    Source: docs/soundness.md, "for_all"; exactdp/checker/for_all.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool FunctionalExtensionality.
From Exactdp Require Import sums laws privacy masses shifts smooth binomial multivariate box_inequality.
From Exactdp Require Import adding_a_user moved_bystanders.
From ExactdpChecker Require Import claims witnesses kinds posed views keyed_sums z_polynomials.
From ExactdpChecker Require Import box_program box_leaves box_sound.
From ExactdpChecker Require noise_masses.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells tables_of_parameters coefficients.
From ExactdpChecker Require Import positive_parts views_on_cells noise_on_cells.
Import ListNotations.
Open Scope Z_scope.

(** ** The program for cells *)

Definition is_some {A} (l : list A) : bool := match l with [] => false | _ => true end.

Definition points_posed (v : nat) (c : claim_at_points) : bool :=
  match c with
  | PointShuffle t n _ _ _ deltas _ => table_adds_up v t && (1 <=? n) && is_some deltas
  | PointShift nu reach _ deltas _ => noise_adds_up v nu && (1 <=? reach) && is_some deltas
  | PointSmooth nu reach _ _ => noise_adds_up v nu && (1 <=? reach)
  | PointTail nu _ _ _ _ => noise_adds_up v nu
  | PointEqual nu nu' => noise_adds_up v nu && noise_adds_up v nu'
  end.

Definition cell_shows (c : claim_at_points) (cell : list rational_interval) : bool :=
  match c with
  | PointShuffle t n _ nb E deltas _ => views_shown cell t (Z.to_nat n) nb E deltas
  | PointShift nu shift E deltas _ => shifts_shown cell nu shift E deltas
  | PointSmooth nu k E delta => smooth_shown cell nu k E delta
  | PointTail nu first last at_most probability => tail_shown cell nu first last at_most probability
  | PointEqual nu nu' => equal_shown cell nu nu'
  end.

Definition least_shown (box : list rational_interval) (c : claim_at_points) (r : reached) : bool :=
  match c, r with
  | PointShuffle t n ThisNumber nb E deltas LeastDelta, ReachedViews entries =>
      reached_shown box t (Z.to_nat n) nb E deltas entries
  | PointShift nu shift E deltas LeastDelta, ReachedShifts entries => shifts_reached box nu shift E deltas entries
  | PointShuffle _ _ _ _ _ _ LeastNothing, NothingReached | PointShift _ _ _ _ LeastNothing, NothingReached => true
  | PointSmooth _ _ _ _, NothingReached | PointTail _ _ _ _ _, NothingReached | PointEqual _ _, NothingReached => true
  | _, _ => false
  end.

Definition check_cells (box : list rational_interval) (c : claim_at_points) (cells : tree) (r : reached) : bool :=
  on_cells (cell_shows c) box cells && least_shown box c r.

(** ** The program for a point *)

Definition noise_of (x : list Q) (nu : functional_noise) : option noise :=
  match nu with
  | FunctionalFinite weights =>
      option_map (fun qs => Finite (filter (fun kq : Z * Q => negb (Qnum (snd kq) =? 0)) (combine (map fst weights) qs)))
        (all_some (map (fun kf => value_of x (snd kf)) weights) [])
  | FunctionalView t histogram weights => option_map (fun t => View t histogram weights) (table_of x t)
  | FunctionalBinomial n p => option_map (fun q => Binomial n (Rational q)) (value_of x p)
  end.

Definition larger (p q : Q) : Q := if at_most p q then q else p.

Definition largest_of_values (x : list Q) (fs : list rational_function) : option Q :=
  match all_some (map (value_of x) fs) [] with
  | Some (q :: qs) => Some (fold_left larger qs q)
  | _ => None
  end.

Definition plain_at (x : list Q) (c : claim_at_points) : option claim :=
  match c with
  | PointShuffle t n s nb E deltas w =>
      match table_of x t, value_of x E, largest_of_values x deltas with
      | Some t, Some e, Some d => Some (ShuffleDP (Table t) n s nb (ExpEps e) d w)
      | _, _, _ => None
      end
  | PointShift nu shift E deltas w =>
      match noise_of x nu, value_of x E, largest_of_values x deltas with
      | Some nu, Some e, Some d => Some (ShiftDP nu shift (ExpEps e) d w)
      | _, _, _ => None
      end
  | PointSmooth nu k E delta =>
      match noise_of x nu, value_of x E, value_of x delta with
      | Some nu, Some e, Some d => Some (Smooth nu k (ExpEps e) d)
      | _, _, _ => None
      end
  | PointTail nu first last at_most probability =>
      match noise_of x nu, value_of x probability with
      | Some nu, Some q => Some (Tail nu first last at_most q)
      | _, _ => None
      end
  | PointEqual nu nu' =>
      match noise_of x nu, noise_of x nu' with
      | Some nu, Some nu' => Some (EqualLaws nu nu')
      | _, _ => None
      end
  end.

Definition numerator_is (test : Z -> bool) (p : rational_poly) (x : list Q) : bool :=
  match value_at p x with
  | Some (a, _) => test a
  | None => false
  end.

Definition below_0 : rational_poly -> list Q -> bool := numerator_is (fun a => a <? 0).

Definition has_no_value (x : list Q) (f : rational_function) : bool :=
  numerator_is (fun a => a <=? 0) (bottom_of (length x) f) x.

Definition is_no_chance (x : list Q) (f : rational_function) : bool := has_no_value x f || below_0 (top_of (length x) f) x.

(** top - bottom, and the other way round. *)
Definition excess_of (v : nat) (f : rational_function) : rational_poly :=
  top_of v f ++ map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) (bottom_of v f).

Definition shortfall_of (v : nat) (f : rational_function) : rational_poly :=
  bottom_of v f ++ map (fun ce : Q * list nat => ((- fst ce)%Q, snd ce)) (top_of v f).

Definition is_no_level (x : list Q) (E : rational_function) (deltas : list rational_function) : bool :=
  existsb (has_no_value x) (E :: deltas) || below_0 (excess_of (length x) E) x ||
  is_some deltas && forallb (fun f => below_0 (top_of (length x) f) x) deltas.

Definition is_no_noise (x : list Q) (nu : functional_noise) : bool :=
  match nu with
  | FunctionalFinite weights => existsb (is_no_chance x) (map snd weights)
  | FunctionalView t _ _ => existsb (is_no_chance x) (functions_of t)
  | FunctionalBinomial _ p => is_no_chance x p || below_0 (shortfall_of (length x) p) x
  end.

Definition is_none_at (x : list Q) (c : claim_at_points) : bool :=
  match c with
  | PointShuffle t _ _ _ E deltas _ => existsb (is_no_chance x) (functions_of t) || is_no_level x E deltas
  | PointShift nu _ E deltas _ => is_no_noise x nu || is_no_level x E deltas
  | PointSmooth nu _ E delta => is_no_noise x nu || is_no_level x E [delta]
  | PointTail nu _ _ at_most probability =>
      is_no_noise x nu || has_no_value x probability ||
      below_0 (if at_most then top_of (length x) probability else shortfall_of (length x) probability) x
  | PointEqual nu nu' => is_no_noise x nu || is_no_noise x nu'
  end.

Definition check_point (plain : claim -> bool -> witness -> bool) (box : list rational_interval) (c : claim_at_points)
    (x : list Q) (w : option witness) : bool :=
  in_rational_box box x &&
  match w with
  | None => is_none_at x c
  | Some w => match plain_at x c with Some p => plain p false w | None => false end
  end.

(** ** Cells *)

Open Scope R_scope.

Lemma points_posed_sound v c : points_posed v c = true -> posed_at_points c.
Proof.
  destruct c as [t n s nb E deltas w | nu shift E deltas w | nu k E delta | nu first last m q | nu nu'];
    cbn [points_posed posed_at_points]; intros H;
    repeat match goal with K : _ && _ = true |- _ => apply andb_true_iff in K; destruct K end;
    repeat match goal with
    | K : table_adds_up _ _ = true |- _ => apply table_adds_up_sound in K
    | K : noise_adds_up _ _ = true |- _ => apply noise_adds_up_sound in K
    | K : (_ <=? _)%Z = true |- _ => apply Z.leb_le in K
    end; repeat match goal with |- _ /\ _ => split end; try assumption; destruct deltas; discriminate.
Qed.

Lemma cell_shows_sound c cell : posed_at_points c -> is_box cell -> cell_shows c cell = true ->
  forall x, in_box (map real_interval cell) x ->
  match c with
  | PointShuffle t n s nb E deltas _ =>
      (forall f, In f (functions_of t) -> is_chance x f) /\ level_at x E deltas /\
      private (table_at t x) nb (Z.to_nat n) (function_at x E) (largest_at x deltas)
  | PointShift nu shift E deltas _ =>
      noise_chances nu x /\ level_at x E deltas /\
      shift_private (noise_mass_at nu x) shift (function_at x E) (largest_at x deltas)
  | _ => holds_at x c
  end.
Proof.
  intros Posed N H x Hx. destruct (functions_on_sound cell x N Hx) as [u [U F]].
  destruct c as [t n s nb E deltas w | nu shift E deltas w | nu k E delta | nu first last m q | nu nu'];
    cbn [cell_shows] in H; cbn [holds_at]; cbn [posed_at_points] in Posed.
  - destruct Posed as [Posed [Hn Some_delta]]. unfold views_shown in H.
    destruct (functions_on cell (functions_of t)) as [g |] eqn:G; [| discriminate].
    destruct (level_of cell E deltas) as [l |] eqn:L; [| discriminate].
    apply andb_true_iff in H. destruct H as [H S]. apply andb_true_iff in H. destruct H as [H B].
    apply andb_true_iff in H. destruct H as [C LS]. rewrite forallb_forall in C.
    assert (Ch : forall f, In f (functions_of t) -> is_chance x f)
      by (intros f I; apply (chance_shown_sound cell f N (C f I) x Hx)).
    assert (EA := level_shown_sound cell x E deltas N Hx LS).
    destruct (sweep_private cell x u t (Z.to_nat n) nb E deltas (at_cell_nonneg _ _ U) F EA Posed ltac:(lia) Ch g G l L B S)
      as [D0 P].
    split; [exact Ch |]. split; [unfold level_at; tauto | exact P].
  - destruct Posed as [Posed _]. apply (shifts_shown_sound cell x u U F N Hx nu shift E deltas Posed H).
  - apply (smooth_shown_sound cell x u U F N Hx nu k E delta (proj1 Posed) (proj2 Posed) H).
  - apply (tail_shown_sound cell x u U F N Hx nu first last m q Posed H).
  - apply (equal_shown_sound cell x u F N Hx nu nu' (proj1 Posed) (proj2 Posed) H).
Qed.

Theorem check_cells_sound box c cells r : is_box box -> posed_at_points c -> check_cells box c cells r = true ->
  for_all_holds box c.
Proof.
  intros N Posed H x Hx. unfold check_cells in H. apply andb_true_iff in H. destruct H as [H Least].
  assert (X := on_cells_sound (cell_shows c) _ cells box
    (fun cell _ Nc T => cell_shows_sound c cell Posed Nc T) N H x Hx). cbv beta in X. clear H.
  destruct (functions_on_sound box x N Hx) as [u [U F]].
  destruct c as [t n s nb E deltas w | nu shift E deltas w | nu k E delta | nu first last m q | nu nu'];
    try exact X; cbn [holds_at] in *; destruct X as [C [L P]]; split; try exact C; (split; [exact L |]).
  - cbn [posed_at_points] in Posed. destruct Posed as [Posed [Hn Some_delta]].
    assert (All : forall n', in_scope s (Z.to_nat n) n' ->
      private (table_at t x) nb n' (function_at x E) (largest_at x deltas)).
    { intros n' HS. destruct s; [rewrite HS; exact P |]. cbn [in_scope] in HS.
      assert (Pr := proper_table_at t x Posed C). destruct nb.
      - apply (adding_users (Z.to_nat n)); [lia | exact Pr | exact P].
      - apply (adding_users_add_or_remove (Z.to_nat n)); [lia | exact Pr | exact P]. }
    split; [exact All |]. destruct w; try exact I; cbn [least_shown] in Least.
    + destruct s; [| destruct r; discriminate]. destruct r as [| entries |]; try discriminate. intros d Hd [n' [-> Q]].
      destruct L as [LE [L1 [LV _]]].
      apply (reached_sound box x u t (Z.to_nat n) nb E deltas F (conj LE (conj L1 LV)) ltac:(lia) C Some_delta
        entries Least d Hd Q).
    + destruct s, r; discriminate.
  - cbn [posed_at_points] in Posed. destruct Posed as [Posed [_ Some_delta]]. split; [exact P |].
    destruct w; try exact I; cbn [least_shown] in Least; destruct r as [| entries | entries]; try discriminate.
    intros d Hd. destruct L as [LE [L1 [LV _]]].
    apply (shifts_reached_sound box x u F nu shift E deltas entries Posed Some_delta C (conj LE (conj L1 LV)) Least d Hd).
Qed.

(** ** The plain claim at a point *)

Lemma noise_of_mass x nu nu' : noise_of x nu = Some nu' -> noise_mass nu' = noise_mass_at nu (map Q2R x).
Proof.
  intros H. apply functional_extensionality. intros k.
  destruct nu as [weights | t histogram weights | n p]; cbn [noise_of] in H.
  - destruct (all_some _ []) as [qs |] eqn:A; [| discriminate]. cbn [option_map] in H. injection H as <-.
    apply all_some_map in A. cbn [noise_mass noise_mass_at]. rewrite total_filter.
    transitivity (total (combine (map fst weights) qs) (fun kq => if Z.eqb (fst kq) k then Q2R (snd kq) else 0)).
    + apply total_ext. intros a _. destruct (Z.eqb_spec (Qnum (snd a)) 0) as [E | N]; cbn [negb]; [| reflexivity].
      destruct (Z.eqb (fst a) k); [| reflexivity]. unfold Q2R. rewrite E. ring.
    + induction A as [| kf q weights qs V _ IH]; [reflexivity |]. apply value_of_sound in V. destruct V as [_ V].
      cbn [map combine total fst snd]. rewrite IH, V. reflexivity.
  - destruct (table_of x t) as [t' |] eqn:T; [| discriminate]. cbn [option_map] in H. injection H as <-.
    cbn [noise_mass noise_mass_at]. apply (same_laws_messages _ _ (table_of_law x t t' T)).
  - destruct (value_of x p) as [q |] eqn:V; [| discriminate]. cbn [option_map] in H. injection H as <-.
    apply value_of_sound in V. destruct V as [_ V]. cbn [noise_mass noise_mass_at value]. rewrite V. reflexivity.
Qed.

Lemma larger_value p q : Q2R (larger p q) = Rmax (Q2R p) (Q2R q).
Proof.
  unfold larger. destruct (at_most p q) eqn:A.
  - apply at_most_sound in A. rewrite Rmax_right; [reflexivity | exact A].
  - rewrite Rmax_left; [reflexivity |]. apply Rnot_lt_le. intros L. apply Rlt_le, at_most_sound in L. congruence.
Qed.

Lemma largest_of_values_sound x fs q : largest_of_values x fs = Some q -> Q2R q = largest_at (map Q2R x) fs.
Proof.
  unfold largest_of_values. destruct (all_some _ []) as [[| p qs] |] eqn:A; try discriminate. intros H.
  injection H as <-. apply all_some_map in A. inversion A as [| f ? fs' ? V A']. subst. cbn [largest_at].
  apply value_of_sound in V. destruct V as [_ <-]. clear A. revert p. induction A' as [| g r gs rs V _ IH]; intros p;
    [reflexivity |]. cbn [fold_left]. rewrite IH, larger_value. apply value_of_sound in V. destruct V as [_ ->].
  reflexivity.
Qed.

Lemma plain_at_holds x c p : plain_at x c = Some p -> holds_at (map Q2R x) c -> holds p.
Proof.
  destruct c as [t n s nb E deltas w | nu shift E deltas w | nu k E delta | nu first last m q | nu nu'];
    cbn [plain_at holds_at]; intros H A.
  - destruct (table_of x t) as [t' |] eqn:T; [| discriminate]. destruct (value_of x E) as [e |] eqn:VE; [| discriminate].
    destruct (largest_of_values x deltas) as [d |] eqn:VD; [| discriminate]. injection H as <-.
    apply value_of_sound in VE. destruct VE as [_ VE]. apply largest_of_values_sound in VD.
    cbn [holds for_program ratio]. rewrite VE, VD. destruct A as [_ [_ [P Least]]].
    split; [intros n' S; apply (table_of_private x t t' _ _ _ _ T), (P n' S) |].
    destruct w; [exact I | |].
    + intros f Hf [n' [S Q]]. apply (Least f Hf). exists n'. split; [exact S |].
      apply (table_of_private x t t' _ _ _ _ T), Q.
    + intros f Hf [n' [S Q]]. apply (Least f Hf). exists n'. split; [exact S |].
      apply (table_of_private x t t' _ _ _ _ T), Q.
  - destruct (noise_of x nu) as [nu' |] eqn:N; [| discriminate]. destruct (value_of x E) as [e |] eqn:VE; [| discriminate].
    destruct (largest_of_values x deltas) as [d |] eqn:VD; [| discriminate]. injection H as <-.
    apply value_of_sound in VE. destruct VE as [_ VE]. apply largest_of_values_sound in VD.
    cbn [holds ratio]. rewrite (noise_of_mass x nu nu' N), VE, VD. apply A.
  - destruct (noise_of x nu) as [nu' |] eqn:N; [| discriminate]. destruct (value_of x E) as [e |] eqn:VE; [| discriminate].
    destruct (value_of x delta) as [d |] eqn:VD; [| discriminate]. injection H as <-.
    apply value_of_sound in VE, VD. destruct VE as [_ VE], VD as [_ VD].
    cbn [holds ratio]. rewrite (noise_of_mass x nu nu' N), VE, VD. apply A.
  - destruct (noise_of x nu) as [nu' |] eqn:N; [| discriminate]. destruct (value_of x q) as [r |] eqn:V; [| discriminate].
    injection H as <-. apply value_of_sound in V. destruct V as [_ V]. cbn [holds].
    rewrite (noise_of_mass x nu nu' N), V. apply A.
  - destruct (noise_of x nu) as [mu |] eqn:N; [| discriminate]. destruct (noise_of x nu') as [mu' |] eqn:N'; [| discriminate].
    injection H as <-. cbn [holds]. rewrite (noise_of_mass x nu mu N), (noise_of_mass x nu' mu' N'). apply A.
Qed.

(** ** What is out of order at a point *)

Lemma numerator_sign test p x : numerator_is test p x = true ->
  exists a b, test a = true /\ (0 < b)%Z /\ eval (real_poly p) (map Q2R x) = IZR a / IZR b.
Proof.
  unfold numerator_is. destruct (value_at p x) as [[a b] |] eqn:V; [| discriminate]. intros H.
  apply value_at_sound in V. destruct V as [B E]. exists a, b. auto.
Qed.

Lemma below_0_sound p x : below_0 p x = true -> eval (real_poly p) (map Q2R x) < 0.
Proof.
  intros H. apply numerator_sign in H. destruct H as [a [b [A [B ->]]]]. apply Z.ltb_lt, IZR_lt in A. apply IZR_lt in B.
  apply Rmult_lt_reg_r with (IZR b); [exact B |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma has_no_value_sound x f : has_no_value x f = true -> ~ has_value (map Q2R x) f.
Proof.
  intros H V. unfold has_value in V. apply numerator_sign in H. destruct H as [a [b [A [B E]]]].
  rewrite bottom_of_at in E. rewrite E in V. apply Z.leb_le, IZR_le in A. apply IZR_lt in B.
  assert (I := Rinv_0_lt_compat _ B). unfold Rdiv in V. assert (IZR a * / IZR b <= 0); [| lra].
  rewrite <- (Rmult_0_l (/ IZR b)). apply Rmult_le_compat_r; lra.
Qed.

(** The sign of a function is that of its top. *)
Lemma negative_top v x f : has_value x f -> eval (real_poly (top_of v f)) x < 0 -> function_at x f < 0.
Proof.
  intros V T. rewrite (function_quotient v), bottom_of_at. unfold has_value in V.
  apply Rmult_lt_reg_r with (bottom_at x f); [exact V |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma is_no_chance_sound x f : is_no_chance x f = true -> ~ is_chance (map Q2R x) f.
Proof.
  unfold is_no_chance. intros H [V C]. apply orb_true_iff in H. destruct H as [H | H].
  - apply (has_no_value_sound x f H V).
  - apply below_0_sound in H. apply (negative_top _ _ _ V) in H. lra.
Qed.

Lemma no_chance_among x fs : existsb (is_no_chance x) fs = true -> ~ (forall f, In f fs -> is_chance (map Q2R x) f).
Proof.
  intros H C. apply existsb_exists in H. destruct H as [f [I H]]. apply (is_no_chance_sound x f H), C, I.
Qed.

Lemma excess_below v x f : has_value x f -> eval (real_poly (excess_of v f)) x < 0 -> function_at x f < 1.
Proof.
  intros V H. unfold excess_of, real_poly in H. rewrite map_app, eval_app, negated_terms, bottom_of_at in H.
  fold (real_poly (top_of v f)) in H. rewrite (function_quotient v), bottom_of_at. unfold has_value in V.
  apply Rmult_lt_reg_r with (bottom_at x f); [exact V |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma shortfall_below v x f : has_value x f -> eval (real_poly (shortfall_of v f)) x < 0 -> 1 < function_at x f.
Proof.
  intros V H. unfold shortfall_of, real_poly in H. rewrite map_app, eval_app, negated_terms in H.
  fold (real_poly (bottom_of v f)) in H. rewrite bottom_of_at in H. rewrite (function_quotient v), bottom_of_at.
  unfold has_value in V. apply Rmult_lt_reg_r with (bottom_at x f); [exact V |]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma is_no_level_sound x E deltas : is_no_level x E deltas = true -> ~ level_at (map Q2R x) E deltas.
Proof.
  unfold is_no_level, level_at. intros H [VE [E1 [VD D0]]]. apply orb_true_iff in H. destruct H as [H | H];
    [apply orb_true_iff in H; destruct H as [H | H] |].
  - apply existsb_exists in H. destruct H as [f [I H]]. apply (has_no_value_sound x f H). destruct I as [<- | I]; auto.
  - apply below_0_sound in H. apply (excess_below _ _ _ VE) in H. lra.
  - apply andb_true_iff in H. destruct H as [S H]. rewrite forallb_forall in H.
    destruct (largest_of (map Q2R x) deltas) as [f [I F]]; [destruct deltas; discriminate |].
    specialize (H f I). apply below_0_sound in H. apply (negative_top _ _ _ (VD f I)) in H. lra.
Qed.

Lemma is_no_noise_sound x nu : is_no_noise x nu = true -> ~ noise_chances nu (map Q2R x).
Proof.
  destruct nu as [weights | t histogram weights | n p]; cbn [is_no_noise noise_chances]; intros H C.
  - apply (no_chance_among x _ H C).
  - apply (no_chance_among x _ H C).
  - destruct C as [C P1]. apply orb_true_iff in H. destruct H as [H | H]; [apply (is_no_chance_sound x p H C) |].
    apply below_0_sound in H. apply (shortfall_below _ _ _ (proj1 C)) in H. lra.
Qed.

(** No event has a probability above 1. *)
Lemma noise_at_most_1 nu x : functional_noise_posed nu -> noise_chances nu x -> forall l, NoDup l ->
  total l (noise_mass_at nu x) <= 1.
Proof.
  destruct nu as [weights | t histogram weights | n p]; cbn [functional_noise_posed noise_chances noise_mass_at];
    intros Posed C l N.
  - rewrite total_swap. destruct Posed as [_ One]. rewrite <- (One x).
    + rewrite total_map. apply total_le. intros kf I. assert (F : 0 <= function_at x (snd kf)) by (apply C, in_map, I).
      destruct (in_dec Z.eq_dec (fst kf) l) as [J | J].
      * rewrite (total_ext l _ (fun k => if Z.eq_dec (fst kf) k then function_at x (snd kf) else 0)).
        -- right. apply (total_single Z.eq_dec l (fst kf)); assumption.
        -- intros k _. destruct (Z.eqb_spec (fst kf) k), (Z.eq_dec (fst kf) k); congruence.
      * rewrite (total_ext l _ (fun _ => 0)), total_zero; [exact F |]. intros k K.
        destruct (Z.eqb_spec (fst kf) k) as [<- | _]; [contradiction | reflexivity].
    + intros f I. destruct (C f I) as [V _]. unfold has_value in V. lra.
  - destruct Posed as [Posed _]. assert (P := proper_messages (table_at t x) (data_set histogram) (proper_table_at t x Posed C)).
    set (d := messages (table_at t x) (data_set histogram)) in *.
    set (h := fold_right (fun m => Z.add (nth m weights 0%Z)) 0%Z).
    rewrite <- (mean_const d 1 P). unfold Pr, mean. rewrite total_swap. apply total_le. intros wu I.
    rewrite total_scal. apply Rmult_le_compat_l; [apply (proj1 P), I |]. unfold indicator. fold (h (snd wu)).
    destruct (in_dec Z.eq_dec (h (snd wu)) l) as [J | J].
    + rewrite (total_ext l _ (fun k => if Z.eq_dec (h (snd wu)) k then 1 else 0)).
      * right. apply (total_single Z.eq_dec l (h (snd wu))); assumption.
      * intros k _. destruct (Z.eqb_spec (h (snd wu)) k), (Z.eq_dec (h (snd wu)) k); congruence.
    + rewrite (total_ext l _ (fun _ => 0)), total_zero; [lra |]. intros k K.
      destruct (Z.eqb_spec (h (snd wu)) k) as [<- | _]; [contradiction | reflexivity].
  - destruct C as [[_ C0] C1]. apply law_finite; [apply binomial_law; lra | exact N].
Qed.

Lemma is_none_at_sound x c : posed_at_points c -> is_none_at x c = true -> ~ holds_at (map Q2R x) c.
Proof.
  destruct c as [t n s nb E deltas w | nu shift E deltas w | nu k E delta | nu first last m q | nu nu'];
    cbn [is_none_at holds_at posed_at_points]; intros Posed H A; apply orb_true_iff in H; destruct H as [H | H].
  - apply (no_chance_among x _ H), A.
  - apply (is_no_level_sound x E deltas H), A.
  - apply (is_no_noise_sound x nu H), A.
  - apply (is_no_level_sound x E deltas H), A.
  - apply (is_no_noise_sound x nu H), A.
  - apply (is_no_level_sound x E [delta] H), A.
  - apply orb_true_iff in H. destruct A as [C [V _]]. destruct H as [H | H].
    + apply (is_no_noise_sound x nu H), C.
    + apply (has_no_value_sound x q H), V.
  - destruct A as [C [V [p [M P]]]]. destruct m; apply below_0_sound in H.
    + apply (negative_top _ _ _ V) in H. assert (Z := noise_masses.mass_nonneg _ _ _ M). lra.
    + apply (shortfall_below _ _ _ V) in H. assert (p <= 1); [| lra]. apply M. intros r [l [N [_ ->]]].
      apply noise_at_most_1; assumption.
  - apply (is_no_noise_sound x nu H), A.
  - apply (is_no_noise_sound x nu' H), A.
Qed.

Theorem check_point_sound plain box c x w : (forall c proved w, plain c proved w = true -> sound c proved) ->
  posed_at_points c -> check_point plain box c x w = true -> ~ for_all_holds box c.
Proof.
  intros Plain Posed H A. unfold check_point in H. apply andb_true_iff in H. destruct H as [I H].
  apply in_rational_box_sound in I. specialize (A _ I). destruct w as [w |].
  - destruct (plain_at x c) as [p |] eqn:P; [| discriminate]. apply Plain in H. destruct H as [_ H].
    apply H, (plain_at_holds x c p P A).
  - apply (is_none_at_sound x c Posed H A).
Qed.

(** ** The kind *)

Definition check_for_all (plain : claim -> bool -> witness -> bool) (parameters : list name)
    (box : list rational_interval) (c : claim_at_points) (proved : bool) (w : witness) : bool :=
  Nat.eqb (length box) (length parameters) && forallb is_open_interval box && points_posed (length box) c &&
  match proved, w with
  | true, OfFunctions (OnCells cells events) => check_cells box c cells events
  | false, OfFunctions (AtPoint x v) => check_point plain box c x v
  | _, _ => false
  end.

Theorem check_for_all_sound plain parameters box c proved w :
  (forall c proved w, plain c proved w = true -> sound c proved) ->
  check_for_all plain parameters box c proved w = true -> sound (ForAll parameters box c) proved.
Proof.
  unfold check_for_all, sound. intros Plain H. apply andb_true_iff in H. destruct H as [H C]. apply andb_true_iff in H.
  destruct H as [H P]. apply andb_true_iff in H. destruct H as [L N]. apply Nat.eqb_eq in L.
  apply open_intervals in N. apply points_posed_sound in P. split; [cbn [well_posed]; auto |]. cbn [holds].
  destruct proved, w; try discriminate; destruct w; try discriminate.
  - apply (check_cells_sound box c cells events N P C).
  - apply (check_point_sound plain box c point w Plain P C).
Qed.

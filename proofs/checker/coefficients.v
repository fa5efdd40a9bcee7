(** The coefficients of functions on a cell, and positive parts of coefficients.

    On a cell each parameter is x = low s + high t with s = 1 - t. A polynomial times powers of the s + t, which are 1,
    is one whose terms have the same degree in each s, t: its coefficients are those of the Bernstein form times
    positive numbers, and at every point of the cell it has the value of the polynomial, for s, t >= 0
    ([functions_on_sound]). Of many such polynomials and bounds, [below_shown] decides that the sum of the positive
    parts is at most one of the bounds: coefficient by coefficient, or event by event where few have coefficients of
    both signs ([below_shown_sound]).

    Source: docs/soundness.md, "for_all"; exactdp/checker/cells.py; the class PackedLevel of
    exactdp/checker/symbolic_claims.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate bernstein box_inequality.
From ExactdpChecker Require Import claims posed keyed_sums z_polynomials inequality_program inequality_sound.
From ExactdpChecker Require Import bernstein_checked box_program box_leaves.
From ExactdpChecker Require Import functions_of_parameters laws_of_parameters cells.
Import ListNotations.
Open Scope Z_scope.

(** ** On a cell *)

Definition unit_term (v i : nat) (c : Z) : z_poly :=
  if c =? 0 then [] else [(c, box_inequality.unit_exponents v i)].

(** The powers of low s + high t times those of s + t, up to the degree d, over a denominator. *)
Definition column (w i d : nat) (b : rational_interval) : list z_poly :=
  let q := Z.lcm (Zpos (Qden (from b))) (Zpos (Qden (to b))) in
  let line := unit_term w (S (i + i)) (over q (to b)) ++ unit_term w (i + i) (over q (from b)) in
  let whole := unit_term w (S (i + i)) q ++ unit_term w (i + i) q in
  map (fun e => times_power (times_power (one w) line e) whole (d - e)) (seq 0 (S d)).

Fixpoint columns (w i : nat) (ds : list nat) (box : list rational_interval) : list (list z_poly) :=
  match ds, box with
  | d :: ds', b :: box' => column w i d b :: columns w (S i) ds' box'
  | _, _ => []
  end.

Fixpoint term_on (w : nat) (cols : list (list z_poly)) (e : list nat) : z_poly :=
  match cols, e with
  | col :: cols', k :: e' => times (nth k col []) (term_on w cols' e')
  | _, _ => one w
  end.

Definition poly_on (w : nat) (cols : list (list z_poly)) (p : z_poly) : z_poly :=
  sum compare_exponents (fast_map (fun ce => shift (fst ce) [] (term_on w cols (snd ce))) p).

Definition group_on (box : list rational_interval) (g : group) : option group :=
  let v := length box in
  let ds := degrees v (concat (bottom g :: tops g)) in
  let w := (v + v)%nat in
  let cols := columns w 0 ds box in
  if Nat.eqb (length ds) v && (form_size ds <=? most_coefficients) &&
     forallb (forallb (fun ce => within (snd ce) ds)) (bottom g :: tops g)
  then Some {| tops := map (poly_on w cols) (tops g); bottom := poly_on w cols (bottom g) |}
  else None.

Definition functions_on (box : list rational_interval) (fs : list rational_function) : option group :=
  group_on box (group_of (length box) (map (parts (length box)) fs)).

(** ** The value of the coefficients *)

Open Scope R_scope.

(** 1 - t and t for each parameter. *)
Definition ends_at (t : list R) : list R := flat_map (fun a => [1 - a; a]) t.

Lemma ends_at_nth t : forall i, (i < length t)%nat ->
  nth (i + i) (ends_at t) 0 = 1 - nth i t 0 /\ nth (S (i + i)) (ends_at t) 0 = nth i t 0.
Proof.
  induction t as [| a t IH]; intros i L; [simpl in L; lia |]. destruct i as [| i]; [split; reflexivity |].
  cbn [length] in L. destruct (IH i ltac:(lia)) as [A B]. replace (S i + S i)%nat with (S (S (i + i))) by lia.
  cbn [ends_at flat_map app nth]. fold (ends_at t). auto.
Qed.

Lemma ends_at_length t : length (ends_at t) = (length t + length t)%nat.
Proof. induction t as [| a t IH]; [reflexivity |]. cbn [ends_at flat_map app length]. fold (ends_at t). lia. Qed.

Lemma unit_term_at u i c : (i < length u)%nat -> z_eval (unit_term (length u) i c) u = IZR c * nth i u 0.
Proof.
  intros L. unfold unit_term. destruct (Z.eqb_spec c 0) as [-> | N]; [change (z_eval [] u) with 0; ring |].
  rewrite z_eval_cons. change (z_eval [] u) with 0.
  replace (monomial (unit_exponents (length u) i) u) with (nth i u 0); [ring |].
  destruct (nth_split u 0 L) as [before [after [E B]]]. set (a := nth i u 0) in *. clearbody a. subst u i.
  rewrite app_length. symmetry. apply monomial_unit.
Qed.

Lemma z_eval_app p q u : z_eval (p ++ q) u = z_eval p u + z_eval q u.
Proof. rewrite !z_eval_total. apply total_app. Qed.

(** The denominator of an interval. *)
Definition scale_of (b : rational_interval) : Z := Z.lcm (Zpos (Qden (from b))) (Zpos (Qden (to b))).

Lemma scale_positive b : (0 < scale_of b)%Z.
Proof.
  unfold scale_of. assert (N := Z.lcm_nonneg (Zpos (Qden (from b))) (Zpos (Qden (to b)))).
  assert (Z.lcm (Zpos (Qden (from b))) (Zpos (Qden (to b))) <> 0%Z); [| lia]. rewrite Z.lcm_eq_0. lia.
Qed.

Lemma column_at t i d b k : (i < length t)%nat -> (k <= d)%nat ->
  z_eval (nth k (column (length (ends_at t)) i d b) []) (ends_at t) =
  IZR (scale_of b) ^ d * on_line (Q2R (from b), Q2R (to b)) (nth i t 0) ^ k.
Proof.
  intros L K. unfold column. set (f := fun e => times_power _ _ _).
  rewrite (nth_indep _ [] (f 0%nat)) by (rewrite map_length, seq_length; lia). rewrite map_nth, seq_nth by lia.
  unfold f. cbn [plus]. clear f. fold (scale_of b). assert (S := scale_positive b).
  rewrite !eval_times_power, eval_one, !z_eval_app, !unit_term_at by (rewrite ends_at_length; lia).
  destruct (ends_at_nth t i L) as [A B]. rewrite A, B. unfold on_line. cbn [fst snd].
  rewrite !over_value by (try exact S; try apply Z.divide_lcm_r; apply Z.divide_lcm_l).
  set (q := IZR (scale_of b)) in *. set (a := nth i t 0).
  replace (Q2R (to b) * q * a + Q2R (from b) * q * (1 - a)) with (q * (Q2R (from b) + (Q2R (to b) - Q2R (from b)) * a))
    by ring.
  replace (q * a + q * (1 - a)) with q by ring. rewrite Rpow_mult_distr.
  replace (q ^ d) with (q ^ k * q ^ (d - k)) by (rewrite <- pow_add; f_equal; lia). ring.
Qed.

Lemma columns_at box : forall ds (before t : list R), length t = length box -> length ds = length box ->
  exists K, 0 < K /\ forall e, within e ds = true ->
  z_eval (term_on (length (ends_at (before ++ t))) (columns (length (ends_at (before ++ t))) (length before) ds box) e)
    (ends_at (before ++ t)) =
  K * monomial e (map (fun bt => on_line (Q2R (from (fst bt)), Q2R (to (fst bt))) (snd bt)) (combine box t)).
Proof.
  induction box as [| b box IH]; intros [| d ds] before [| a t] Lt Ld; try discriminate.
  - exists 1. split; [lra |]. intros [| k e] H; [| discriminate]. cbn [columns term_on]. rewrite eval_one. simpl. ring.
  - injection Lt as Lt. injection Ld as Ld. destruct (IH ds (before ++ [a]) t Lt Ld) as [K [P H]].
    rewrite <- app_assoc in H. cbn [app] in H. exists (IZR (scale_of b) ^ d * K).
    assert (S := IZR_lt _ _ (scale_positive b)).
    split; [apply Rmult_lt_0_compat; [apply pow_lt, S | exact P] |].
    intros [| k e] W; [discriminate |]. cbn [within] in W. apply andb_true_iff in W. destruct W as [W1 W2].
    apply Nat.leb_le in W1. cbn [columns term_on]. rewrite eval_times, column_at by
      (try exact W1; rewrite app_length; simpl; lia).
    rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
    replace (Datatypes.S (length before)) with (length (before ++ [a])) by (rewrite app_length; simpl; lia).
    rewrite (H e W2). cbn [combine map monomial fst snd]. ring.
Qed.

Lemma poly_on_at w cols p u (value : list nat -> R) :
  (forall ce, In ce p -> z_eval (term_on w cols (snd ce)) u = value (snd ce)) ->
  z_eval (poly_on w cols p) u = total p (fun ce => IZR (fst ce) * value (snd ce)).
Proof.
  intros H. unfold poly_on. rewrite fast_map_map, eval_sum, total_map. apply total_ext. intros ce I.
  rewrite eval_shift, (H ce I). simpl monomial. ring.
Qed.

Definition nonneg (u : list R) : Prop := forall e, 0 <= monomial e u.

Lemma nonneg_ends t : Forall in_unit t -> nonneg (ends_at t).
Proof.
  intros H e. assert (X : forall a, In a (ends_at t) -> 0 <= a).
  { intros a I. apply in_flat_map in I. destruct I as [c [I J]]. rewrite Forall_forall in H. specialize (H c I).
    unfold in_unit in H. destruct J as [<- | [<- | []]]; lra. }
  revert e X. generalize (ends_at t) as u. induction u as [| a u IH]; intros [| i e] X; simpl; try lra.
  apply Rmult_le_pos; [apply pow_le, X; left; reflexivity | apply IH; intros; apply X; right; assumption].
Qed.

(** u is 1 - t and t for a point t of the unit cube, each end of which belongs to it where that of the cell does. *)
Definition at_cell (box : list rational_interval) (u : list R) : Prop :=
  exists t, Forall2 in_ends (map (fun b => (from_closed b, to_closed b)) box) t /\ u = ends_at t.

Lemma at_cell_nonneg box u : at_cell box u -> nonneg u.
Proof. intros [t [T ->]]. apply nonneg_ends, (in_ends_unit _ _ T). Qed.

(** One point for all groups of functions. *)
Theorem cell_point box x : is_box box -> in_box (map real_interval box) x ->
  exists u, at_cell box u /\ forall g g', group_on box g = Some g' ->
  exists K, 0 < K /\ z_eval (bottom g') u = K * z_eval (bottom g) x /\
    Forall2 (fun top top' => z_eval top' u = K * z_eval top x) (tops g) (tops g').
Proof.
  intros N Hx. set (corners := map (fun _ => true) box).
  destruct (from_cube_onto (map real_interval box) corners x) as [t [T E]];
    [unfold corners; rewrite !map_length; reflexivity | exact N | exact Hx |].
  assert (Lt : length t = length box).
  { rewrite (in_ends_length _ _ T). unfold corners. clear. induction box as [| b box IH]; simpl; congruence. }
  assert (X : x = map (fun bt => on_line (Q2R (from (fst bt)), Q2R (to (fst bt))) (snd bt)) (combine box t)).
  { rewrite E. unfold corners. clear -Lt. revert t Lt. induction box as [| b box IH]; intros [| a t] L; try discriminate;
      [reflexivity |]. injection L as L. cbn [map from_cube combine fst snd]. rewrite (IH t L). reflexivity. }
  exists (ends_at t). split.
  { exists t. split; [| reflexivity]. clear -T. unfold corners in T. revert t T. induction box as [| b box IH]; intros t T;
      inversion T; subst; constructor; [assumption | apply IH; assumption]. }
  intros g g' H. unfold group_on in H.
  destruct (_ && _) eqn:G; [| discriminate]. injection H as <-. apply andb_true_iff in G. destruct G as [G W].
  apply andb_true_iff in G. destruct G as [G _]. apply Nat.eqb_eq in G. set (ds := degrees _ _) in *.
  destruct (columns_at box ds [] t Lt G) as [K [P C]]. cbn [app length] in C. rewrite ends_at_length, Lt in C.
  rewrite forallb_forall in W. exists K. split; [exact P |].
  assert (V : forall p, In p (bottom g :: tops g) ->
    z_eval (poly_on (length box + length box) (columns (length box + length box) 0 ds box) p) (ends_at t) =
    K * z_eval p x).
  { intros p I. specialize (W p I). rewrite forallb_forall in W.
    rewrite (poly_on_at _ _ p _ (fun e => K * monomial e x)).
    - rewrite z_eval_total, <- total_scal. apply total_ext. intros ce _. ring.
    - intros ce J. rewrite X. apply C, (W ce J). }
  cbn [bottom tops]. split; [apply V; left; reflexivity |].
  assert (VT := fun p I => V p (or_intror I)). clear -VT. revert VT. generalize (poly_on (length box + length box)
    (columns (length box + length box) 0 ds box)) as h. induction (tops g) as [| p l IH]; intros h V; constructor;
    [apply V; left; reflexivity | apply IH; intros; apply V; right; assumption].
Qed.

Lemma tops_over fs v x b ts : (forall f, In f fs -> has_value x f) ->
  Forall2 (fun q top => fraction (snd q) x <> 0 -> z_eval top x = quotient_at x q * b) (map (parts v) fs) ts ->
  Forall2 (fun f top => z_eval top x = function_at x f * b) fs ts.
Proof.
  revert ts. induction fs as [| f fs IH]; intros ts V G; inversion G as [| ? ? ? ? A G']; subst; constructor.
  - destruct (parts_at v f x) as [_ [B C]]. rewrite <- B. apply A. rewrite C. specialize (V f (or_introl eq_refl)).
    unfold has_value in V. lra.
  - apply IH; [intros; apply V; right |]; assumption.
Qed.

Lemma scaled_tops fs ts ts' x u b K : Forall2 (fun f top => z_eval top x = function_at x f * b) fs ts ->
  Forall2 (fun top top' => z_eval top' u = K * z_eval top x) ts ts' ->
  Forall2 (fun f top => z_eval top u = function_at x f * (K * b)) fs ts'.
Proof.
  intros F T. revert fs F. induction T as [| p p' l l' A _ IH]; intros fs F; inversion F as [| ? ? ? ? D F']; subst;
    constructor; [rewrite A, D; ring | apply IH, F'].
Qed.

(** Functions of which all have a value, on one bottom. *)
Corollary functions_on_sound box x : is_box box -> in_box (map real_interval box) x ->
  exists u, at_cell box u /\ forall fs g, functions_on box fs = Some g -> (forall f, In f fs -> has_value x f) ->
  0 < z_eval (bottom g) u /\ Forall2 (fun f top => z_eval top u = function_at x f * z_eval (bottom g) u) fs (tops g).
Proof.
  intros N Hx. destruct (cell_point box x N Hx) as [u [U H]]. exists u. split; [exact U |]. intros fs g G V.
  destruct (H _ _ G) as [K [P [B T]]]. set (qs := map (parts (length box)) fs) in *.
  set (g0 := group_of (length box) qs) in *.
  assert (Q : forall q, In q qs -> quotient_posed q /\ 0 < fraction (snd q) x).
  { intros q I. apply in_map_iff in I. destruct I as [f [<- I]]. destruct (parts_at (length box) f x) as [A [_ C]].
    rewrite C. split; [exact A | apply V, I]. }
  assert (B0 : 0 < z_eval (bottom g0) x) by (apply group_bottom_positive; intros q I; apply Q, I).
  split; [rewrite B; apply Rmult_lt_0_compat; assumption |].
  assert (G0 := group_value (length box) qs x (fun q I => proj1 (Q q I))). fold g0 in G0. rewrite B. clear B G H.
  assert (F : Forall2 (fun f top => z_eval top x = function_at x f * z_eval (bottom g0) x) fs (tops g0)).
  { apply (tops_over fs (length box)); assumption. }
  exact (scaled_tops _ _ _ _ _ _ _ F T).
Qed.

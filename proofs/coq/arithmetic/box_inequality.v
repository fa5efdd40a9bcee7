(** Inequalities on a box, by cuts and Bernstein forms.

    The claim of the checker's kind [box_inequality]: on a whole box, the product of one interval
    low < high per variable, each end closed or open, the sum of the (polynomial) e^(polynomial) is >= 0,
    or > 0 if the claim is strict. The proof that it accepts ([BoxInequality.prove], [check],
    [check_leaf]) is a tree:

    - a cut divides the box at a number strictly inside an interval; the number is a closed end of both
      parts;
    - at a leaf, x = first + (last - first) t with t in [0, 1] per variable, where first is a corner of
      the box; each polynomial and exponent is expanded in t, each exponential bounded
      (exponential_on_cube.v), and the Bernstein form of the polynomial below the sum shows its sign
      (bernstein.v).

    Here: an accepted tree proves the claim, for any number of variables, any real ends and coefficients
    ([box_inequality_proved]). Source: this package, docs/certificates.md. *)

From Coq Require Import Reals List Bool Lra Lia Arith.
From Exactdp Require Import sums reals multivariate handelman bernstein exponential_on_cube.
Import ListNotations.
Open Scope R_scope.

Record interval : Type := { low : R; low_closed : bool; high : R; high_closed : bool }.

Definition in_interval (i : interval) (x : R) : Prop :=
  low i <= x <= high i /\ (x = low i -> low_closed i = true) /\ (x = high i -> high_closed i = true).

Definition in_box (box : list interval) (x : list R) : Prop := Forall2 in_interval box x.

Definition not_empty (i : interval) : Prop := low i < high i.

(** The sum of the P e^U. *)
Definition value_of_terms (terms : list (poly * poly)) (x : list R) : R :=
  total terms (fun pu => eval (fst pu) x * exp (eval (snd pu) x)).

Definition box_inequality (box : list interval) (terms : list (poly * poly)) (is_strict : bool) : Prop :=
  forall x, in_box box x -> if is_strict then 0 < value_of_terms terms x else 0 <= value_of_terms terms x.

(** ** The box as a cube *)

(** An interval seen from its low end (true) or its high end: first and last, and which are closed. *)
Definition oriented (i : interval) (corner : bool) : R * R :=
  if corner then (low i, high i) else (high i, low i).

Definition oriented_ends (i : interval) (corner : bool) : bool * bool :=
  if corner then (low_closed i, high_closed i) else (high_closed i, low_closed i).

Definition on_line (ends : R * R) (t : R) : R := fst ends + (snd ends - fst ends) * t.

Lemma on_line_onto i corner x :
  not_empty i -> in_interval i x ->
  exists t, in_ends (oriented_ends i corner) t /\ x = on_line (oriented i corner) t.
Proof.
  intros N [B [L H]]. unfold not_empty in N.
  exists ((x - fst (oriented i corner)) / (snd (oriented i corner) - fst (oriented i corner))).
  split; [| unfold on_line; field; destruct corner; simpl; lra].
  unfold in_ends, oriented, oriented_ends. destruct corner; simpl.
  - set (t := (x - low i) / (high i - low i)).
    assert (E : x = low i + (high i - low i) * t) by (unfold t; field; lra).
    repeat split.
    + apply Rmult_le_reg_l with (high i - low i); lra.
    + apply Rmult_le_reg_l with (high i - low i); lra.
    + intros Z. apply L. rewrite Z in E. lra.
    + intros Z. apply H. rewrite Z in E. lra.
  - set (t := (x - high i) / (low i - high i)).
    assert (E : x = high i - (high i - low i) * t) by (unfold t; field; lra).
    repeat split.
    + apply Rmult_le_reg_l with (high i - low i); lra.
    + apply Rmult_le_reg_l with (high i - low i); lra.
    + intros Z. apply H. rewrite Z in E. lra.
    + intros Z. apply L. rewrite Z in E. lra.
Qed.

(** Every point of the box comes from one of the cube. *)
Fixpoint from_cube (box : list interval) (corners : list bool) (t : list R) : list R :=
  match box, corners, t with
  | i :: box', c :: corners', s :: t' => on_line (oriented i c) s :: from_cube box' corners' t'
  | _, _, _ => []
  end.

Fixpoint cube_ends (box : list interval) (corners : list bool) : list (bool * bool) :=
  match box, corners with
  | i :: box', c :: corners' => oriented_ends i c :: cube_ends box' corners'
  | _, _ => []
  end.

Lemma from_cube_onto box corners x :
  length corners = length box -> Forall not_empty box -> in_box box x ->
  exists t, Forall2 in_ends (cube_ends box corners) t /\ x = from_cube box corners t.
Proof.
  intros L N H. revert corners L N.
  induction H as [| i a box x Hi _ IH]; intros [| c corners] L N; try discriminate L.
  - exists []. split; [constructor | reflexivity].
  - injection L as L. inversion_clear N as [| ? ? Ni Nb].
    destruct (on_line_onto i c a Ni Hi) as [s [S E]]. destruct (IH corners L Nb) as [t [T F]].
    exists (s :: t). split; [constructor; assumption | simpl; rewrite <- E, <- F; reflexivity].
Qed.

(** ** The variables as polynomials in t *)

(** The exponents of the i-th variable. *)
Fixpoint unit_exponents (v i : nat) : list nat :=
  match v, i with
  | O, _ => []
  | S v', O => 1%nat :: repeat O v'
  | S v', S i' => O :: unit_exponents v' i'
  end.

Definition line (v i : nat) (ends : R * R) : poly :=
  [(fst ends, repeat 0%nat v); (snd ends - fst ends, unit_exponents v i)].

Fixpoint lines_from (v i : nat) (box : list interval) (corners : list bool) : list poly :=
  match box, corners with
  | b :: box', c :: corners' => line v i (oriented b c) :: lines_from v (S i) box' corners'
  | _, _ => []
  end.

Lemma monomial_zero v t : monomial (repeat 0%nat v) t = 1.
Proof. generalize (eval_constant v 1 t). unfold eval, constant. simpl. lra. Qed.

Lemma monomial_unit before s t :
  monomial (unit_exponents (length before + S (length t)) (length before)) (before ++ s :: t) = s.
Proof.
  induction before as [| b before IH]; simpl.
  - rewrite monomial_zero. ring.
  - rewrite IH. ring.
Qed.

Lemma eval_lines_from box corners before t :
  length corners = length box -> length t = length box ->
  map (fun l => eval l (before ++ t))
    (lines_from (length before + length t) (length before) box corners) = from_cube box corners t.
Proof.
  revert corners before t. induction box as [| i box IH]; intros [| c corners] before [| s t] Lc Lt;
    try discriminate; try reflexivity.
  injection Lc as Lc. injection Lt as Lt. simpl. f_equal.
  - unfold eval, line, on_line. simpl.
    rewrite monomial_zero, monomial_unit. ring.
  - specialize (IH corners (before ++ [s]) t Lc Lt). rewrite <- app_assoc, app_length in IH. simpl in IH.
    rewrite <- IH. rewrite <- !plus_n_Sm, <- plus_n_O. reflexivity.
Qed.

Definition lines (box : list interval) (corners : list bool) : list poly :=
  lines_from (length box) 0 box corners.

Lemma eval_lines box corners t :
  length corners = length box -> length t = length box ->
  map (fun l => eval l t) (lines box corners) = from_cube box corners t.
Proof. intros Lc Lt. unfold lines. rewrite <- Lt. apply (eval_lines_from box corners [] t Lc Lt). Qed.

(** ** Trees *)

Inductive tree : Type :=
  | leaf (corners : list bool) (K : nat) (enclosed : list enclosed_term) (ds : list nat) (below : poly)
  | cut (variable : nat) (at_ : R) (low_part high_part : tree).

(** The term P e^U in the variable t, expanded, with an enclosure of its exponential. *)
Definition expands (v : nat) (moved : list poly) (pu : poly * poly) (f : enclosed_term) : Prop :=
  same_coefficients (shape f) (compose v (fst pu) moved) /\
  same_coefficients (constant v (constant_part f) ++ exponent f) (compose v (snd pu) moved) /\
  enclosure_holds f.

Definition leaf_accepts terms is_strict box corners K enclosed ds below : Prop :=
  length corners = length box /\ Nat.Even K /\
  Forall2 (expands (length box) (lines box corners)) terms enclosed /\
  same_coefficients below (flat_map (lower_polynomial (length box) K) enclosed) /\
  bernstein_accepts ds (cube_ends box corners) is_strict below.

Definition below_cut (i : interval) (a : R) : interval :=
  {| low := low i; low_closed := low_closed i; high := a; high_closed := true |}.
Definition above_cut (i : interval) (a : R) : interval :=
  {| low := a; low_closed := true; high := high i; high_closed := high_closed i |}.

Fixpoint replace_nth (box : list interval) (k : nat) (i : interval) : list interval :=
  match box, k with
  | [], _ => []
  | _ :: box', O => i :: box'
  | j :: box', S k' => j :: replace_nth box' k' i
  end.

Fixpoint accepts (terms : list (poly * poly)) (is_strict : bool) (box : list interval) (t : tree) : Prop :=
  match t with
  | leaf corners K enclosed ds below => leaf_accepts terms is_strict box corners K enclosed ds below
  | cut k a low_part high_part =>
      exists i, nth_error box k = Some i /\ low i < a < high i /\
      accepts terms is_strict (replace_nth box k (below_cut i a)) low_part /\
      accepts terms is_strict (replace_nth box k (above_cut i a)) high_part
  end.

(** ** Soundness *)

Lemma value_above terms v K moved enclosed t :
  Nat.Even K -> Forall in_unit t -> Forall2 (expands v moved) terms enclosed ->
  eval (flat_map (lower_polynomial v K) enclosed) t <=
  value_of_terms terms (map (fun l => eval l t) moved).
Proof.
  intros HK T. unfold value_of_terms. rewrite eval_flat_map.
  induction 1 as [| pu f terms enclosed [S [U F]] _ IH]; simpl; [lra |].
  apply Rplus_le_compat; [| exact IH].
  rewrite <- !(eval_compose v), <- (same_eval _ _ t S), <- (same_eval _ _ t U), eval_app, eval_constant.
  apply lower_polynomial_below; assumption.
Qed.

Lemma leaf_sound terms is_strict box corners K enclosed ds below :
  Forall not_empty box -> leaf_accepts terms is_strict box corners K enclosed ds below ->
  box_inequality box terms is_strict.
Proof.
  intros N [L [HK [E [S B]]]] x Hx.
  destruct (from_cube_onto box corners x L N Hx) as [t [T ->]].
  assert (Lt : length t = length box).
  { rewrite (in_ends_length _ _ T). clear -L. revert corners L.
    induction box as [| i box IH]; intros [| c corners] L; try discriminate; simpl; [reflexivity |].
    injection L as L. rewrite (IH corners L). reflexivity. }
  destruct (bernstein_sound ds _ is_strict below t B T) as [P Q].
  assert (V := value_above terms _ K _ enclosed t HK (in_ends_unit _ _ T) E).
  rewrite <- (same_eval _ _ t S), eval_lines in V by assumption.
  destruct is_strict; [specialize (Q eq_refl) |]; lra.
Qed.

(** A point of a box that is cut lies in one of the parts. *)
Lemma in_box_cut box x k i a :
  nth_error box k = Some i -> in_box box x ->
  in_box (replace_nth box k (below_cut i a)) x \/ in_box (replace_nth box k (above_cut i a)) x.
Proof.
  intros K H. revert k K. induction H as [| j b box x Hj H IH]; intros [| k] K; try discriminate K.
  - injection K as ->. simpl. unfold in_interval in Hj.
    destruct (Rle_or_lt b a); [left | right]; constructor; try exact H;
      unfold in_interval; simpl; repeat split; try tauto; lra.
  - simpl. destruct (IH k K) as [J | J]; [left | right]; constructor; assumption.
Qed.

Lemma replace_not_empty box k i :
  Forall not_empty box -> not_empty i -> Forall not_empty (replace_nth box k i).
Proof.
  intros H Hi. revert k. induction H as [| j box Hj H IH]; intros [| k]; simpl; constructor; auto.
Qed.

Theorem box_inequality_proved terms is_strict box t :
  Forall not_empty box -> accepts terms is_strict box t -> box_inequality box terms is_strict.
Proof.
  revert box. induction t as [corners K enclosed ds below | k a low_part IHl high_part IHh];
    intros box N A; simpl in A.
  - exact (leaf_sound _ _ _ _ _ _ _ _ N A).
  - destruct A as [i [Hk [Ha [Al Ah]]]]. intros x Hx.
    destruct (in_box_cut box x k i a Hk Hx) as [J | J].
    + apply (IHl (replace_nth box k (below_cut i a))); [| exact Al | exact J].
      apply replace_not_empty; [exact N | exact (proj1 Ha)].
    + apply (IHh (replace_nth box k (above_cut i a))); [| exact Ah | exact J].
      apply replace_not_empty; [exact N | exact (proj2 Ha)].
Qed.

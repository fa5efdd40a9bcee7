(** Signs of functions on the cells of a box, and their values at rational points.

    [on_cells] goes through the cells that a tree of cuts leaves; [chances_shown] decides, by Bernstein forms, that
    functions have a value that is at least 0 on a cell. [value_of] is the value at a rational point.

    Source: exactdp/checker/cells.py. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia Bool.
From Exactdp Require Import sums multivariate bernstein box_inequality.
From ExactdpChecker Require Import claims witnesses posed keyed_sums z_polynomials.
From ExactdpChecker Require Import box_program box_leaves box_sound.
From ExactdpChecker Require Import functions_of_parameters.
Import ListNotations.
Open Scope Z_scope.

(** ** Cells *)

Definition low_part (i : rational_interval) (a : Q) : rational_interval :=
  {| from := from i; from_closed := from_closed i; to := a; to_closed := true |}.

Definition high_part (i : rational_interval) (a : Q) : rational_interval :=
  {| from := a; from_closed := true; to := to i; to_closed := to_closed i |}.

Fixpoint on_cells (test : list rational_interval -> bool) (box : list rational_interval) (t : tree) : bool :=
  match t with
  | Leaf _ _ _ => test box
  | Cut k a low high =>
      match nth_error box (Z.to_nat k) with
      | Some i =>
          (0 <=? k) && (less (from i) a && less a (to i)) &&
          on_cells test (replace_at box (Z.to_nat k) (low_part i a)) low &&
          on_cells test (replace_at box (Z.to_nat k) (high_part i a)) high
      | None => false
      end
  end.

(** The sign of a polynomial on a cell. *)
Definition sign_shown (box : list rational_interval) (is_strict : bool) (p : rational_poly) : bool :=
  leaf_shows box [(p, [])] is_strict (map (fun _ => true) box) 2 16.

Definition has_value_shown (box : list rational_interval) (f : rational_function) : bool :=
  match f with
  | Quotient _ b => sign_shown box true b
  | _ => true
  end.

Definition chance_shown (box : list rational_interval) (f : rational_function) : bool :=
  has_value_shown box f && sign_shown box false (top_of (length box) f).

(** ** What they show *)

Open Scope R_scope.

Definition is_box (box : list rational_interval) : Prop := Forall not_empty (map real_interval box).

Lemma open_intervals box : forallb is_open_interval box = true -> is_box box.
Proof.
  intros H. apply Forall_forall. intros i I. apply in_map_iff in I. destruct I as [b [<- I]]. rewrite forallb_forall in H.
  specialize (H b I). apply less_sound in H. exact H.
Qed.

Lemma on_cells_sound test (P : list R -> Prop) t : forall box,
  (forall cell, length cell = length box -> is_box cell -> test cell = true ->
    forall x, in_box (map real_interval cell) x -> P x) ->
  is_box box -> on_cells test box t = true -> forall x, in_box (map real_interval box) x -> P x.
Proof.
  induction t as [corners K bits | k a low IHl high IHh]; intros box Test N H x Hx; cbn [on_cells] in H.
  - apply (Test box eq_refl N H x Hx).
  - destruct (nth_error box (Z.to_nat k)) as [i |] eqn:E; [| discriminate].
    repeat (apply andb_true_iff in H; destruct H as [H ?]).
    match goal with K : less _ _ && less _ _ = true |- _ => apply andb_true_iff in K; destruct K as [A B] end.
    apply less_sound in A, B. apply (map_nth_error real_interval) in E.
    assert (L : forall k i, length (replace_at box k i) = length box).
    { clear. induction box as [| j box IH]; intros [| k] i; simpl; congruence. }
    assert (Part : forall part, Q2R (from part) < Q2R (to part) -> is_box (replace_at box (Z.to_nat k) part)).
    { intros part O. unfold is_box. rewrite replace_at_value. apply replace_not_empty; [exact N | exact O]. }
    assert (Small : forall part cell, length cell = length (replace_at box (Z.to_nat k) part) -> is_box cell ->
      test cell = true -> forall x, in_box (map real_interval cell) x -> P x).
    { intros part cell S. rewrite L in S. apply Test, S. }
    destruct (in_box_cut _ x (Z.to_nat k) _ (Q2R a) E Hx) as [J | J].
    + apply (IHl _ (Small (low_part i a)) (Part (low_part i a) A) H1). rewrite replace_at_value. exact J.
    + apply (IHh _ (Small (high_part i a)) (Part (high_part i a) B) H0). rewrite replace_at_value. exact J.
Qed.

Lemma sign_shown_sound box is_strict p : is_box box -> sign_shown box is_strict p = true ->
  forall x, in_box (map real_interval box) x ->
  if is_strict then 0 < eval (real_poly p) x else 0 <= eval (real_poly p) x.
Proof.
  intros N H x Hx. assert (S := leaf_shows_sound _ _ _ _ _ _ N H x Hx). unfold value_of_terms, real_terms in S.
  cbn [map total fst snd] in S. change (eval (real_poly []) x) with 0 in S. rewrite exp_0 in S.
  destruct is_strict; lra.
Qed.

Lemma has_value_shown_sound box f : is_box box -> has_value_shown box f = true ->
  forall x, in_box (map real_interval box) x -> has_value x f.
Proof.
  intros N H x Hx. unfold has_value. destruct f; simpl; try lra. apply (sign_shown_sound box true bottom N H x Hx).
Qed.

Lemma chance_shown_sound box f : is_box box -> chance_shown box f = true ->
  forall x, in_box (map real_interval box) x -> is_chance x f.
Proof.
  intros N H x Hx. unfold chance_shown in H. apply andb_true_iff in H. destruct H as [B T].
  assert (V := has_value_shown_sound box f N B x Hx). split; [exact V |].
  apply (sign_shown_sound box false _ N T x) in Hx. simpl in Hx. rewrite (function_quotient (length box)).
  rewrite bottom_of_at. unfold has_value in V. apply Rmult_le_pos; [exact Hx |]. apply Rlt_le, Rinv_0_lt_compat, V.
Qed.

(** ** Values at a point *)

Open Scope Z_scope.

Definition ratio_of (a b : Z) : option Q :=
  if 0 <? b then Some (Qred (a # Z.to_pos b)) else if b <? 0 then Some (Qred (- a # Z.to_pos (- b))) else None.

Definition value_of (x : list Q) (f : rational_function) : option Q :=
  match value_at (top_of (length x) f) x, value_at (bottom_of (length x) f) x with
  | Some (a, b), Some (c, d) => ratio_of (a * d) (b * c)
  | _, _ => None
  end.

Lemma ratio_of_sound a b q : ratio_of a b = Some q -> IZR b <> 0%R /\ Q2R q = (IZR a / IZR b)%R.
Proof.
  assert (Reduced : forall c d, Q2R (Qred (c # d)) = (IZR c / IZR (Zpos d))%R).
  { intros c d. rewrite (Qeq_eqR _ _ (Qred_correct (c # d))). reflexivity. }
  unfold ratio_of. destruct (Z.ltb_spec 0 b) as [B | B]; [| destruct (Z.ltb_spec b 0) as [C | C]]; intros H;
    try discriminate H; apply (f_equal (option_map Q2R)) in H; cbn [option_map] in H; rewrite Reduced, Z2Pos.id in H by lia;
    assert (E := f_equal (fun o => match o with Some r => r | None => 0%R end) H); cbv beta iota in E; rewrite <- E;
    (split; [apply not_0_IZR; lia |]).
  - reflexivity.
  - apply IZR_lt in C. rewrite !opp_IZR. field. lra.
Qed.

Lemma value_of_sound x f q : value_of x f = Some q ->
  bottom_at (map Q2R x) f <> 0%R /\ Q2R q = function_at (map Q2R x) f.
Proof.
  unfold value_of. destruct (value_at (top_of _ f) x) as [[a b] |] eqn:A; [| discriminate].
  destruct (value_at (bottom_of _ f) x) as [[c d] |] eqn:B; [| discriminate]. intros H.
  apply value_at_sound in A, B. destruct A as [Pb Ea], B as [Pd Ec]. apply ratio_of_sound in H. destruct H as [N ->].
  rewrite (function_quotient (length x)), <- (bottom_of_at (length x)), <- Ea, <- Ec.
  apply IZR_lt in Pb, Pd. rewrite !mult_IZR in *. assert (IZR c <> 0%R).
  { intros E. apply N. rewrite E. ring. }
  split; [| field; lra]. apply Rmult_integral_contrapositive_currified; [assumption |]. apply Rinv_neq_0_compat. lra.
Qed.

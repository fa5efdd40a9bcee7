(** The programs for the claim [inequality]: Handelman's certificates, and points where an inequality fails.

    [terms_show_it] accepts a list of terms if each has a positive coefficient and one power for each hypothesis, and
    their sum, expanded, is the conclusion; if the conclusion is strict, some term must have powers of strict
    hypotheses only. Everything is over the least common multiple of the denominators. [point_refutes] accepts a
    rational point where every hypothesis holds and the conclusion does not, by the signs of their values times a
    positive integer.

    Source: exactdp/checker/inequalities.py. *)

From Coq Require Import ZArith QArith List Bool.
From ExactdpChecker Require Import claims witnesses keyed_sums z_polynomials.
Import ListNotations.
Open Scope Z_scope.

(** ** Proved by terms *)

(** A denominator, the polynomial over it, and whether the condition is strict. *)
Definition cleared (g : rational_condition) : Z * z_poly * bool := (clear (fst g), snd g).

(** The term over its denominator, and whether it is positive where the hypotheses hold. *)
Fixpoint expand (p : z_poly) (d : Z) (is_positive : bool) (hypotheses : list (Z * z_poly * bool)) (powers : list nat) :
  option (Z * z_poly * bool) :=
  match hypotheses, powers with
  | [], [] => Some (d, p, is_positive)
  | (c, g, is_strict) :: hypotheses', k :: powers' =>
      expand (times_power p g k) (d * c ^ Z.of_nat k) (is_positive && (is_strict || Nat.eqb k 0)) hypotheses' powers'
  | _, _ => None
  end.

Fixpoint expand_all (variables : nat) (hypotheses : list (Z * z_poly * bool)) (terms : list (Q * list nat))
    (done : list (Z * z_poly * bool)) : option (list (Z * z_poly * bool)) :=
  match terms with
  | [] => Some done
  | (c, powers) :: terms' =>
      if 0 <? Qnum c then
        match expand [(Qnum c, repeat 0%nat variables)] (Zpos (Qden c)) true hypotheses powers with
        | Some term => expand_all variables hypotheses terms' (term :: done)
        | None => None
        end
      else None
  end.

(** The sum of polynomials over denominators, over the least common one. *)
Definition added (terms : list (Z * z_poly)) : Z * z_poly :=
  let d := fold_left (fun l t => Z.lcm l (fst t)) terms 1 in
  (d, sum compare_exponents (fast_map (fun t => shift (d / fst t) [] (snd t)) terms)).

(** It is 0 at every point. *)
Definition adds_up_to_0 (terms : list (Z * z_poly)) : bool := is_zero (snd (added terms)).

Definition terms_show_it (variables : nat) (hypotheses : list rational_condition) (conclusion : rational_condition)
    (terms : list (Q * list nat)) : bool :=
  match expand_all variables (map cleared hypotheses) terms [] with
  | Some expanded =>
      let (d, f) := clear (fst conclusion) in
      adds_up_to_0 ((d, shift (-1) [] f) :: fast_map fst expanded) &&
      (negb (snd conclusion) || existsb snd expanded)
  | None => false
  end.

(** ** Refuted by a point *)

(** x_1^e_1 x_2^e_2 ... times the m-th powers of all denominators. *)
Fixpoint scaled_monomial (m : nat) (e : list nat) (x : list Q) : Z :=
  match e, x with
  | i :: e', q :: x' => Qnum q ^ Z.of_nat i * Zpos (Qden q) ^ Z.of_nat (m - i) * scaled_monomial m e' x'
  | _, _ => 1
  end.

(** The value at a point, times a positive integer; none where a term has not one exponent for each variable. *)
Definition scaled_value (p : z_poly) (x : list Q) : option Z :=
  let m := fold_left (fun m ce => fold_left Nat.max (snd ce) m) p 0%nat in
  if forallb (fun ce => Nat.eqb (length (snd ce)) (length x) && forallb (fun i => Nat.leb i m) (snd ce)) p
  then Some (fold_left (fun s ce => s + fst ce * scaled_monomial m (snd ce) x) p 0) else None.

Definition holds_at (g : rational_condition) (x : list Q) : option bool :=
  match scaled_value (snd (clear (fst g))) x with
  | Some v => Some (if snd g then 0 <? v else 0 <=? v)
  | None => None
  end.

Definition point_refutes (variables : nat) (hypotheses : list rational_condition) (conclusion : rational_condition)
    (x : list Q) : bool :=
  Nat.eqb (length x) variables &&
  forallb (fun g => match holds_at g x with Some b => b | None => false end) hypotheses &&
  match holds_at conclusion x with Some b => negb b | None => false end.

(** ** The kind *)

Definition check_inequality (variables : list name) (hypotheses : list rational_condition)
    (conclusion : rational_condition) (proved : bool) (w : witness) : bool :=
  match proved, w with
  | true, HandelmanTerms terms => terms_show_it (length variables) hypotheses conclusion terms
  | false, Point x Exactly => point_refutes (length variables) hypotheses conclusion x
  | _, _ => false
  end.

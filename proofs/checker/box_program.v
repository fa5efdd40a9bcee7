(** The programs for the claim [box_inequality]: Bernstein forms on the leaves of a tree, and points where it fails.

    A polynomial is a pair of a positive denominator and an integer polynomial. On a leaf the variables are put on
    lines over the unit cube, seen from a corner ([z_lines], [composed]); each exponential is bounded by its Taylor sum
    and the next term, times bounds of its constant factor ([term_below]); the sum of the lower bounds must have a
    Bernstein form that shows its sign. A point refutes by upper bounds of the exponentials.

    Source: exactdp/checker/boxes.py. *)

From Coq Require Import ZArith QArith List Bool.
From Exactdp Require Import fixed_point exponential_fixed_point box_inequality.
From ExactdpChecker Require Import claims witnesses posed levels keyed_sums z_polynomials inequality_program.
From ExactdpChecker Require Import bernstein_checked.
Import ListNotations.
Open Scope Z_scope.

(** ** Exponentials *)

(** Bounds of e^(a / b), as numerators over one denominator; those of e^0 are 1. *)
Definition exp_quotient (bits : nat) (a b : Z) : option (Z * Z * Z) :=
  if a =? 0 then Some (1, 1, 1)
  else
    let low := fixed_below a b bits in
    let high := ceiling_div (a * two bits) b in
    let most := 4096 * two bits in
    if (- most <=? low) && (high <=? most) then
      let below := fst (exp_bounds bits low) in
      if 0 <=? below then Some (below, snd (exp_bounds bits high), two bits) else None
    else None.

(** ** Leaves *)

Definition in_variable (v i : nat) (first last : Q) : Z * z_poly :=
  clear [(first, repeat 0%nat v); ((last - first)%Q, box_inequality.unit_exponents v i)].

Fixpoint z_lines (v i : nat) (box : list rational_interval) (corners : list bool) : list (Z * z_poly) :=
  match box, corners with
  | b :: box', c :: corners' =>
      (if c then in_variable v i (from b) (to b) else in_variable v i (to b) (from b)) :: z_lines v (S i) box' corners'
  | _, _ => []
  end.

Fixpoint ends_of (box : list rational_interval) (corners : list bool) : list (bool * bool) :=
  match box, corners with
  | b :: box', c :: corners' =>
      (if c then (from_closed b, to_closed b) else (to_closed b, from_closed b)) :: ends_of box' corners'
  | _, _ => []
  end.

Definition no_zeros (p : z_poly) : z_poly := filter (fun ce => negb (fst ce =? 0)) p.

(** One term with the lines in place of its variables. *)
Definition composed_term (v : nat) (lines : list (Z * z_poly * bool)) (ce : Q * list nat) : option (Z * z_poly) :=
  option_map fst
    (expand [(Qnum (fst ce), repeat 0%nat v)] (Zpos (Qden (fst ce))) true lines (snd ce)).

Fixpoint all_some {A} (l : list (option A)) (done : list A) : option (list A) :=
  match l with
  | [] => Some (rev' done)
  | Some a :: rest => all_some rest (a :: done)
  | None :: _ => None
  end.

Definition composed (v : nat) (lines : list (Z * z_poly * bool)) (p : rational_poly) : option (Z * z_poly) :=
  match all_some (map (composed_term v lines) p) [] with
  | Some terms => let (d, q) := added terms in Some (d, no_zeros q)
  | None => None
  end.

Definition is_constant (ce : Z * list nat) : bool := forallb (Nat.eqb 0) (snd ce).

Definition coefficients (p : z_poly) : Z := fold_left (fun s ce => s + fst ce) p 0.

(** Below the denominator: the sum over j < k of u^j / j!, and u^k / k!, for u = p / d. *)
Fixpoint taylor (left : nat) (k d : Z) (p total term : z_poly) (denominator : Z) : Z * z_poly * z_poly :=
  match left with
  | O => (denominator, total, term)
  | S less =>
      taylor less (k + 1) d p (shift (d * (k + 1)) [] (merge compare_exponents total term)) (times term p)
        (denominator * (d * (k + 1)))
  end.

(** Two polynomials whose sum is at most the term on the unit cube. *)
Definition term_below (v : nat) (lines : list (Z * z_poly * bool)) (K bits : nat) (pu : rational_poly * rational_poly) :
  option (list (Z * z_poly)) :=
  match composed v lines (fst pu), composed v lines (snd pu) with
  | Some (ds, shape), Some (d, power) =>
      let rest := filter (fun ce => negb (is_constant ce)) power in
      let largest := coefficients (filter (fun ce => 0 <? fst ce) rest) in
      match exp_quotient bits (coefficients (filter is_constant power)) d, exp_quotient bits largest d with
      | Some (low, high, e), Some (_, factor, f) =>
          let '(dt, total, term) := taylor K 0 d rest [] (one v) 1 in
          let lower := shift low [] total in
          let upper := shift high [] (merge compare_exponents (shift f [] total) (shift factor [] term)) in
          Some [(ds * (dt * e), times (filter (fun ce => 0 <? fst ce) shape) lower);
                (ds * (dt * f * e), times (filter (fun ce => negb (0 <? fst ce)) shape) upper)]
      | _, _ => None
      end
  | _, _ => None
  end.

Definition leaf_shows (box : list rational_interval) (terms : list (rational_poly * rational_poly)) (is_strict : bool)
    (corners : list bool) (K bits : Z) : bool :=
  let v := length box in
  let lines := map (fun l => (l, false)) (z_lines v 0 box corners) in
  Nat.eqb (length corners) v && (2 <=? K) && Z.even K &&
  match all_some (map (term_below v lines (Z.to_nat K) (Z.to_nat bits)) terms) [] with
  | Some below => bernstein_shows (ends_of box corners) is_strict (snd (added (concat below)))
  | None => false
  end.

(** ** Trees *)

Fixpoint replace_at (box : list rational_interval) (k : nat) (i : rational_interval) : list rational_interval :=
  match box, k with
  | [], _ => []
  | _ :: box', O => i :: box'
  | j :: box', S k' => j :: replace_at box' k' i
  end.

Fixpoint tree_shows (box : list rational_interval) (terms : list (rational_poly * rational_poly)) (is_strict : bool)
    (t : tree) : bool :=
  match t with
  | Leaf corner_high K bits => leaf_shows box terms is_strict (map negb corner_high) K bits
  | Cut k a low_part high_part =>
      match nth_error box (Z.to_nat k) with
      | Some i =>
          (0 <=? k) && (less (from i) a && less a (to i)) &&
          tree_shows (replace_at box (Z.to_nat k)
            {| from := from i; from_closed := from_closed i; to := a; to_closed := true |}) terms is_strict low_part &&
          tree_shows (replace_at box (Z.to_nat k)
            {| from := a; from_closed := true; to := to i; to_closed := to_closed i |}) terms is_strict high_part
      | None => false
      end
  end.

(** ** Points *)

Definition in_rational_interval (i : rational_interval) (x : Q) : bool :=
  (if from_closed i then at_most (from i) x else less (from i) x) &&
  (if to_closed i then at_most x (to i) else less x (to i)).

Fixpoint in_rational_box (box : list rational_interval) (x : list Q) : bool :=
  match box, x with
  | [], [] => true
  | i :: box', q :: x' => in_rational_interval i q && in_rational_box box' x'
  | _, _ => false
  end.

(** The value at a point, as a numerator and a positive denominator. *)
Definition value_at (p : rational_poly) (x : list Q) : option (Z * Z) :=
  let (d, q) := clear p in
  let m := fold_left (fun m ce => fold_left Nat.max (snd ce) m) q 0%nat in
  option_map (fun v => (v, d * fold_left (fun s r => s * Zpos (Qden r) ^ Z.of_nat m) x 1)) (scaled_value q x).

(** An upper bound of the term. *)
Definition term_above (x : list Q) (bits : nat) (pu : rational_poly * rational_poly) : option (Z * Z) :=
  match value_at (fst pu) x, value_at (snd pu) x with
  | Some (a, b), Some (c, d) =>
      match exp_quotient bits c d with
      | Some (low, high, e) => Some (a * (if 0 <? a then high else low), b * e)
      | None => None
      end
  | _, _ => None
  end.

Definition point_fails (box : list rational_interval) (terms : list (rational_poly * rational_poly)) (is_strict : bool)
    (x : list Q) (bits : Z) : bool :=
  in_rational_box box x &&
  match all_some (map (term_above x (Z.to_nat bits)) terms) [] with
  | Some above =>
      let a := fst (fold_left (fun s t => (fst s * snd t + fst t * snd s, snd s * snd t)) above (0, 1)) in
      if is_strict then a <=? 0 else a <? 0
  | None => false
  end.

(** ** The kind *)

Definition is_open_interval (i : rational_interval) : bool := less (from i) (to i).

Definition check_box (variables : list name) (box : list rational_interval)
    (terms : list (rational_poly * rational_poly)) (is_strict proved : bool) (w : witness) : bool :=
  Nat.eqb (length box) (length variables) && forallb is_open_interval box &&
  match proved, w with
  | true, BoxTree t => tree_shows box terms is_strict t
  | false, Point x (Bits bits) => point_fails box terms is_strict x bits
  | _, _ => false
  end.

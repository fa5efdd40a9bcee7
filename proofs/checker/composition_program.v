(** Compositions of many runs: programs on integers that prove a level.

    A composition is proved with a privacy curve for each run: deltas d_0, ..., d_J in units of 2^-bits at numbers
    E_j <= rho^j, rho = a / b > 1. [curve_losses] makes masses of losses on the lattice of the powers of rho from it,
    [times] multiplies those of two independent runs, [total_losses] takes every run as often as it is made, and
    [bound] is what all of them have at e^eps at most. The steps and the roundings are those of the class Losses of
    exactdp/checker/composed.py. Each program passes over its lists once; what they compute, by definitions that are
    slower and simpler, is shown in composition_equal.v.

    Source: docs/certificates.md, "A privacy curve on a lattice composes". *)

From Coq Require Import ZArith QArith List.
From Exactdp Require Import fixed_point losses_program.
From ExactdpChecker Require Import kronecker.
Import ListNotations.
Open Scope Z_scope.

(** ** From a curve to losses *)

Section lattice.

Variables (bits : nat) (a b : Z).

(** The masses at the losses ln rho^j, j >= 1: [previous] and [d] are d_(j-1) and d_j, [rest] what follows. *)
Fixpoint bends (previous d : Z) (rest : list Z) : list Z :=
  match rest with
  | [] => [ceiling_div (Z.max 0 (- (a * (d - previous)))) (a - b)]
  | next :: later => ceiling_div (Z.max 0 (b * (next - d) - a * (d - previous))) (a - b) :: bends d next later
  end.

(** The masses at the losses ln rho^-j, put before [after] with the lowest loss first; [inverse] is 2^bits rho^-j. *)
Fixpoint mirrored (inverse : Z) (above after : list Z) : list Z :=
  match above with
  | [] => after
  | m :: later =>
      let next := ceiling_div (inverse * b) a in mirrored next later (ceiling_div (m * next) (two bits) :: after)
  end.

Definition curve_losses (curve : list Z) : losses :=
  match curve with
  | [] => {| low := 0; masses := []; at_infinity := 0 |}
  | d0 :: rest =>
      let d1 := match rest with [] => d0 | d :: _ => d end in
      let above := match rest with [] => [] | d :: later => bends d0 d later end in
      let zero := ceiling_div (Z.max 0 ((a - b) * two bits + 2 * b * d1 - (a + b) * d0)) (a - b) in
      {| low := - Z.of_nat (length above); masses := mirrored (two bits) above (zero :: above);
         at_infinity := last curve 0 |}
  end.

(** 2^64 times numbers E_j <= rho^j, for j = 0, 1, ... *)
Fixpoint powers (power : Z) (count : nat) : list Z :=
  match count with
  | O => []
  | S n => power :: powers (power * a / b) n
  end.

(** ** Independent runs *)

(** The small entries at the front are left out, but one entry is kept: what is kept, the sum of the others, and how
    many they are. *)
Fixpoint without_small (l : list Z) (sum : Z) (count : nat) : list Z * Z * nat :=
  match l with
  | m :: (_ :: _) as rest => if is_small m then without_small rest (sum + m) (S count) else (l, sum, count)
  | _ => (l, sum, count)
  end.

Definition times (x y : losses) : losses :=
  let products := reversed_map (fun p => ceiling_div p (two bits)) (product_of (masses x) (masses y)) [] in
  let inf := at_infinity x * (sum_of (masses y) 0 + at_infinity y) + sum_of (masses x) 0 * at_infinity y in
  let '(kept, above, _) := without_small products 0 O in
  let '(kept, below, first) := without_small (rev_append kept []) 0 O in
  {| low := low x + low y + Z.of_nat first; masses := raise_first below kept;
     at_infinity := ceiling_div inf (two bits) + above |}.

(** By squaring, along the binary digits. *)
Fixpoint power (base : losses) (exponent : positive) : losses :=
  match exponent with
  | xH => base
  | xO e => let half := power base e in times half half
  | xI e => let half := power base e in times (times half half) base
  end.

Definition total_losses (runs : list (list Z * positive)) : losses :=
  fold_left (fun so_far run => times so_far (power (curve_losses (fst run)) (snd run))) runs
    {| low := 0; masses := [two bits]; at_infinity := 0 |}.

(** ** The divergence *)

(** Whether X / Y = rho^j, for an X of at most 4096 bits; those of as many bits are compared. *)
Definition is_power (X Y j : Z) : bool :=
  let length := Z.log2 a + 1 in
  let size := Z.log2 X + 1 in
  if (j * (length - 1) <? size) && (size <=? Z.min 4096 (j * length)) then X * b ^ j =? Y * a ^ j else false.

Fixpoint lowered (inverse : Z) (steps : nat) : Z :=
  match steps with
  | O => inverse
  | S n => lowered (inverse * b / a) n
  end.

(** The sum over the places j, j + 1, ... of mass times 2^(2 fine) max(0, 1 - E rho^-j), from above; [number] is
    2^fine E and [inverse] is 2^fine rho^-(j-1), both from below; [one] is 2^(2 fine), and whether rho^j = E is asked
    only where the term is below [small]. *)
Fixpoint excesses (one small number X Y : Z) (inverse j : Z) (l : list Z) (sum : Z) : Z :=
  match l with
  | [] => sum
  | m :: rest =>
      let next := inverse * b / a in
      let excess := one - number * next in
      let counted := if excess <=? 0 then false else if 0 <? excess / small then true else negb (is_power X Y j) in
      excesses one small number X Y next (j + 1) rest (if counted then sum + m * excess else sum)
  end.

(** The divergence at E = X / Y is at most this many units of 2^-(bits + 2 fine). *)
Definition bound (fine : nat) (X Y : Z) (x : losses) : Z :=
  let divisor := Z.gcd X Y in
  let X := X / divisor in
  let Y := Y / divisor in
  let start := Z.max 1 (low x) in
  let one := two (2 * fine) in
  excesses one (two (2 * fine - 16)) (X * two fine / Y) X Y (lowered (two fine) (Z.to_nat (start - 1))) start
    (skipn (Z.to_nat (start - low x)) (masses x)) (at_infinity x * one).

(** That the composition has a divergence of at most delta at E = X / Y. *)
Definition composition_below (X Y : Z) (delta : Q) (runs : list (list Z * positive)) : bool :=
  (Zpos (Qden delta) <=? Qnum delta) ||
  (let fine := (bits + 64)%nat in
   bound fine X Y (total_losses runs) * Zpos (Qden delta) <=? Qnum delta * two (bits + 2 * fine)).

End lattice.

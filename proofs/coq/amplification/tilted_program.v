(** The integer program by which the checker bounds the mean excess of n copies of a law of values.

    A measure is a list of weights at consecutive places of a lattice, in units of 2^-scale, and one number for all
    that was cut. The weights are tilted: at the place j of the level i, which stands for the value j h 2^i, a weight is
    rho^(j 2^i) times a mass or more, where rho = 1 + T / 2^64 and h is the step. The tilt of a level is known between
    two integers over 2^fine. Here is the program alone, step by step with the roundings of the class Tilt ([next],
    [inverse], [power]), of the class Measure ([of_values], [normalised], [times], [halved], [positive_part]) and of
    Lattice.mean_positive_part with its method shortened ([reached], [shortened], [mean_positive_part]) of
    exactdp/checker/blanket.py. What limits the size or the time of a check is left out: it can only refuse.

    A fraction is a pair of a numerator and a positive denominator; a law of values is a list of fractions with
    fractions as their masses, in ascending order. The result is a fraction too. That it is an upper bound is proved in
    tilted_sound.v. *)

From Coq Require Import List ZArith Lia.
From Exactdp Require Import fixed_point integer_polynomials losses_program.
Import ListNotations.
Open Scope Z_scope.

Definition fraction : Type := (Z * Z)%type.

(** A value and its mass. *)
Definition atom : Type := (fraction * fraction)%type.

(** value / 2^bits, rounded up. *)
Definition up (value : Z) (bits : nat) : Z := shifted_up value bits.

(** ** Tilts *)

Record tilt : Type := { fine : nat; level : nat; tilt_low : Z; tilt_high : Z }.

Definition tilt_bits : nat := 64.
Definition cut_bits : nat := 48.

Definition first_tilt (T : Z) (bits : nat) : tilt :=
  let rho := two (bits + tilt_bits) + T * two bits in
  {| fine := bits + tilt_bits; level := 0; tilt_low := rho; tilt_high := rho |}.

Definition next (t : tilt) : tilt :=
  {| fine := fine t; level := S (level t); tilt_low := tilt_low t * tilt_low t / two (fine t);
     tilt_high := up (tilt_high t * tilt_high t) (fine t) |}.

Definition inverse (t : tilt) : Z := ceiling_div (two (2 * fine t)) (tilt_low t).

(** Along the binary digits of the exponent; the first digit leaves the factor as it is. *)
Fixpoint power_of (precision : nat) (factor : Z) (exponent : positive) : Z :=
  match exponent with
  | xH => factor
  | xO e => let half := power_of precision factor e in up (half * half) precision
  | xI e => let half := power_of precision factor e in up (up (half * half) precision * factor) precision
  end.

Definition power (t : tilt) (place : Z) : Z :=
  match place with
  | Z0 => two (fine t)
  | Zpos e => power_of (fine t) (tilt_high t) e
  | Zneg e => power_of (fine t) (inverse t) e
  end.

(** ** Measures *)

Record measure : Type := { start : Z; weights : list Z; lost : Z; units : Z }.

Definition bit_length (z : Z) : Z := if z <=? 0 then 0 else Z.log2 z + 1.

(** How many coefficients at the front are below the limit. *)
Fixpoint leading (limit : Z) (l : list Z) : nat :=
  match l with
  | [] => O
  | w :: rest => if w <? limit then S (leading limit rest) else O
  end.

Fixpoint index_of (z : Z) (l : list Z) : nat :=
  match l with
  | [] => O
  | w :: rest => if w =? z then O else S (index_of z rest)
  end.

(** The place of the first coefficient that is kept, and how many are. *)
Definition kept (l : list Z) (limit : Z) : nat * nat :=
  let first := leading limit l in
  if Nat.eqb first (length l) then (index_of (fold_right Z.max 0 l) l, 1%nat)
  else let rest := skipn first l in (first, (length rest - leading limit (rev rest))%nat).

Definition normalised (bits : nat) (m : measure) : measure :=
  let total := z_sum (weights m) + lost m in
  let extra := Z.to_nat (bit_length total - Z.of_nat bits) in
  let l := map (fun w => up w extra) (weights m) in
  let (first, many) := kept l (two (bits - cut_bits)) in
  let rest := skipn first l in
  {| start := start m + Z.of_nat first; weights := firstn many rest;
     lost := up (lost m) extra + z_sum (firstn first l) + z_sum (skipn many rest);
     units := units m - Z.of_nat extra |}.

Definition times (bits : nat) (a b : measure) : measure :=
  let mine := z_sum (weights a) in
  let others := z_sum (weights b) in
  normalised bits
    {| start := start a + start b; weights := z_mul (weights a) (weights b);
       lost := mine * lost b + lost a * others + lost a * lost b; units := units a + units b |}.

(** The weights of the even places of l, the first of which is raised by [carry]; those of odd places are divided. *)
Fixpoint halves (t : tilt) (carry : Z) (l : list Z) : list Z :=
  match l with
  | [] => [carry]
  | [even] => [carry + even]
  | even :: odd :: rest =>
    (carry + even + ceiling_div (odd * two (fine t)) (2 * tilt_low t))
    :: halves t (up (odd * tilt_high t) (fine t + 1)) rest
  end.

Definition halved (t : tilt) (m : measure) : measure :=
  let odd := start m mod 2 in
  {| start := (start m - odd) / 2; weights := halves t 0 (if odd =? 0 then weights m else 0 :: weights m);
     lost := lost m; units := units m |}.

(** ** The lattice *)

Section lattice.

Variables (step : fraction) (bits limit : nat) (values : list atom).

(** Of t = value / (step 2^level) the floor, and its fraction as a numerator and a denominator. *)
Definition whole (v : fraction) (i : nat) : Z := snd v * (fst step * two i).
Definition place (v : fraction) (i : nat) : Z := fst v * snd step / whole v i.
Definition rest (v : fraction) (i : nat) : Z := (fst v * snd step) mod whole v i.

Fixpoint add_at (i : nat) (x : Z) (l : list Z) : list Z :=
  match l, i with
  | [], _ => []
  | w :: l', O => (w + x) :: l'
  | w :: l', S i' => w :: add_at i' x l'
  end.

(** One share of an atom, put at a place. *)
Definition put (t : tilt) (low : Z) (a : atom) (at_place share : Z) (l : list Z) : list Z :=
  if share =? 0 then l
  else add_at (Z.to_nat (at_place - low))
    (ceiling_div (fst (snd a) * share * power t at_place) (snd (snd a) * whole (fst a) (level t) * two tilt_bits)) l.

Definition put_atom (t : tilt) (low : Z) (l : list Z) (a : atom) : list Z :=
  let at_place := place (fst a) (level t) in
  let share := rest (fst a) (level t) in
  put t low a (at_place + 1) share (put t low a at_place (whole (fst a) (level t) - share) l).

Definition first_place_of (t : tilt) : Z :=
  match values with [] => 0 | a :: _ => place (fst a) (level t) end.

Definition last_place_of (t : tilt) : Z :=
  match values with
  | [] => 0
  | a :: _ => let v := fst (last values a) in
    place v (level t) + (if 0 <? rest v (level t) then 1 else 0)
  end.

Definition of_values (t : tilt) : measure :=
  let low := first_place_of t in
  let none := repeat 0 (Z.to_nat (last_place_of t - low + 1)) in
  normalised bits
    {| start := low; weights := fold_left (put_atom t low) values none; lost := 0; units := Z.of_nat bits |}.

(** While a measure is too long it goes to the next level; each time it gets shorter, from four places on. *)
Fixpoint shortened_in (steps : nat) (m : measure) (t : tilt) : measure * tilt :=
  match steps with
  | O => (m, t)
  | S s => if Nat.leb (length (weights m)) limit then (m, t) else shortened_in s (halved t m) (next t)
  end.

Definition shortened (m : measure) (t : tilt) : measure * tilt := shortened_in (length (weights m)) m t.

Variable T : Z.

(** By binary powering along the digits of the number of copies. *)
Fixpoint reached (n : positive) : measure * tilt :=
  match n with
  | xH => let t := first_tilt T bits in shortened (of_values t) t
  | xO k => let (m, t) := reached k in shortened (times bits m m) t
  | xI k => let (m, t) := reached k in
    let (m', t') := shortened (times bits m m) t in
    shortened (times bits m' (of_values t')) t'
  end.

(** The sum of place * weight * power, where the powers go on by the inverse. *)
Fixpoint weighted (t : tilt) (at_place weight : Z) (l : list Z) : Z :=
  match l with
  | [] => 0
  | w :: rest => at_place * w * weight + weighted t (at_place + 1) (up (weight * inverse t) (fine t)) rest
  end.

(** The mean of the positive part of a measure. *)
Definition positive_part (t : tilt) (m : measure) : fraction :=
  let from := Z.max 1 (start m) in
  let one := two (fine t) in
  let sum := weighted t from (power t (- from)) (skipn (Z.to_nat (from - start m)) (weights m)) in
  let margin := (tilt_low t - one) * 2718281828 in
  ((sum * margin + one * (lost m * tilt_low t * 10 ^ 9)) * fst step * two (level t) * 2 ^ Z.max 0 (- units m),
   one * margin * snd step * 2 ^ Z.max 0 (units m)).

Definition mean_positive_part (n : positive) : fraction :=
  let (m, t) := reached n in
  let (up, down) := positive_part t m in (up, down * Zpos n).

End lattice.

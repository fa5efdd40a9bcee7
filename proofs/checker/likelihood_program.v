(** A likelihood test: the program.

    It is the class Likelihood of exactdp/checker/likelihood.py, with the methods [merged], [clamped], [doubled],
    [joined], [shortened], [leaf] and [laws], and [divergence] of exactdp/checker/scores.py, step by step. Every class
    of messages has a score, an integer; the users' messages in random order are the leaves of the tree of binary
    powering from 1 to n. The law of a node is held three times, as lower bounds in units of 2^-bits: with the user who
    differs holding the first input, the second one, and without him. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Qround List Bool.
From Exactdp Require Import integer_polynomials losses_program least_values.
From ExactdpChecker Require kronecker.
Import ListNotations.
Open Scope Z_scope.

(** Lower bounds at the places s_low, s_low + 1, ... *)
Record sums : Type := { s_low : Z; s_first : list Z; s_second : list Z; s_others : list Z }.

(** The places 2i and 2i + 1 become i. *)
Fixpoint in_twos (l : list Z) : list Z :=
  match l with
  | a :: b :: rest => (a + b) :: in_twos rest
  | _ => l
  end.

Definition merged_law (low : Z) (l : list Z) : list Z := in_twos (if low mod 2 =? 0 then l else 0 :: l).

Definition merged (s : sums) : sums :=
  {| s_low := s_low s / 2; s_first := merged_law (s_low s) (s_first s);
     s_second := merged_law (s_low s) (s_second s); s_others := merged_law (s_low s) (s_others s) |}.

(** How many places at the front have at most so many bits; one is left. *)
Fixpoint rare (cut : Z) (l : list Z) : nat :=
  match l with
  | [] => O
  | w :: rest =>
    match rest with
    | [] => O
    | _ => if Z.shiftr w cut =? 0 then S (rare cut rest) else O
    end
  end.

Definition add_first (x : Z) (l : list Z) : list Z :=
  match l with
  | [] => []
  | w :: rest => (w + x) :: rest
  end.

Fixpoint add_last (x : Z) (l : list Z) : list Z :=
  match l with
  | [] => []
  | [w] => [w + x]
  | w :: rest => w :: add_last x rest
  end.

(** What lies outside the places from start to before end goes to the nearest of them. *)
Definition clamped_law (start many : nat) (l : list Z) : list Z :=
  let rest := skipn start l in
  if (Nat.leb 1 many && Nat.leb (start + many) (length l))%bool then
    add_first (z_sum (firstn start l)) (add_last (z_sum (skipn many rest)) (firstn many rest))
  else [].

Definition clamped (cut : Z) (s : sums) : sums :=
  let last := (length (s_others s) - rare cut (rev_append (s_others s) []))%nat in
  let start := rare cut (firstn last (s_others s)) in
  let many := (last - start)%nat in
  {| s_low := s_low s + Z.of_nat start; s_first := clamped_law start many (s_first s);
     s_second := clamped_law start many (s_second s); s_others := clamped_law start many (s_others s) |}.

Section test.

Variables (bits cut : Z) (limit : nat).

Definition lowered (l : list Z) : list Z := map (fun w => Z.shiftr w bits) l.

(** Of lists without negative entries. *)
Definition product (p q : list Z) : list Z :=
  match p, q with
  | [], _ | _, [] => []
  | _, _ => kronecker.product_of p q
  end.

Definition square (p : list Z) : list Z :=
  match p with
  | [] => []
  | _ => kronecker.square_of p
  end.

(** A node of two that are alike: the user who differs is in either of them. *)
Definition doubled (s : sums) : sums :=
  clamped cut {| s_low := 2 * s_low s; s_first := lowered (product (s_others s) (s_first s));
                 s_second := lowered (product (s_others s) (s_second s));
                 s_others := lowered (square (s_others s)) |}.

Definition joined_law (users : Z) (differs others leaf_differs leaf_others : list Z) : list Z :=
  let whole := (users + 1) * 2 ^ bits in
  map (fun w => w / whole) (z_add (z_scale users (product differs leaf_others)) (product others leaf_differs)).

(** A node of [users] and a leaf: the user who differs is the leaf once in users + 1. *)
Definition joined (users : Z) (s leaf : sums) : sums :=
  clamped cut
    {| s_low := s_low s + s_low leaf;
       s_first := joined_law users (s_first s) (s_others s) (s_first leaf) (s_others leaf);
       s_second := joined_law users (s_second s) (s_others s) (s_second leaf) (s_others leaf);
       s_others := lowered (product (s_others s) (s_others leaf)) |}.

(** Both merged until the first is short enough. *)
Fixpoint shortened_in (steps : nat) (s leaf : sums) : sums * sums :=
  match steps with
  | O => (s, leaf)
  | S rest => if Nat.leb (length (s_others s)) limit then (s, leaf) else shortened_in rest (merged s) (merged leaf)
  end.

Definition shortened (s leaf : sums) : sums * sums := shortened_in (length (s_others s)) s leaf.

(** Along the binary digits of the number of users. *)
Fixpoint reached (leaf : sums) (n : positive) : sums * sums :=
  match n with
  | xH => shortened leaf leaf
  | xO k => let (s, l) := reached leaf k in shortened (doubled s) l
  | xI k =>
      let (s, l) := reached leaf k in
      let (s', l') := shortened (doubled s) l in
      shortened (joined (2 * Zpos k) s' l') l'
  end.

(** *** One message *)

Definition score_of (at_ratio step : Q) (k : rational_class) : Z :=
  Qfloor ((under_first k - at_ratio * under_second k) / under_reference k / step).

(** The floor of 2^bits times the masses of the classes with this score. *)
Definition mass_at (scored : list (Z * rational_class)) (mass : rational_class -> Q) (place : Z) : Z :=
  let q := sum_of (map (fun sk => mass (snd sk)) (filter (fun sk => fst sk =? place) scored)) in
  Qnum q * 2 ^ bits / Zpos (Qden q).

Definition leaf_of (at_ratio step : Q) (classes : list rational_class) : sums :=
  let scored := map (fun k => (score_of at_ratio step k, k)) (filter covered classes) in
  let scores := map fst scored in
  let low := match scores with [] => 0 | a :: rest => fold_left Z.min rest a end in
  let high := match scores with [] => 0 | a :: rest => fold_left Z.max rest a end in
  let places := map (fun i => low + Z.of_nat i) (seq 0 (Z.to_nat (high - low + 1))) in
  {| s_low := low; s_first := map (mass_at scored under_first) places;
     s_second := map (mass_at scored under_second) places; s_others := map (mass_at scored under_reference) places |}.

(** A lower bound of the divergence, by the event that the sum is at least the threshold or a message is one that
    others cannot send. *)
Definition divergence (ratio : Q) (threshold : Z) (classes : list rational_class) (s : sums) : Q :=
  let start := Z.to_nat (threshold - s_low s) in
  let seconds := sum_of (map under_second (filter covered classes)) in
  let missing := - (- (Qnum seconds * 2 ^ bits) / Zpos (Qden seconds)) - z_sum (s_second s) in
  let first := z_sum (skipn start (s_first s)) in
  let second := z_sum (skipn start (s_second s)) + missing in
  (uncovered_charge ratio classes + (inject_Z first - ratio * inject_Z second) / inject_Z (2 ^ bits))%Q.

(** The same where classes have less than the masses of messages: nothing is known to be sent by one alone, and all that
    the second input has more may be in the event. *)
Definition divergence_less (ratio : Q) (threshold : Z) (s : sums) : Q :=
  let start := Z.to_nat (threshold - s_low s) in
  let missing := 2 ^ bits - z_sum (s_second s) in
  let first := z_sum (skipn start (s_first s)) in
  let second := z_sum (skipn start (s_second s)) + missing in
  ((inject_Z first - ratio * inject_Z second) / inject_Z (2 ^ bits))%Q.

Definition likelihood_bound (at_ratio step ratio : Q) (threshold : Z) (n : positive) (classes : list rational_class)
  : Q :=
  divergence ratio threshold classes (fst (reached (leaf_of at_ratio step classes) n)).

Definition likelihood_less (at_ratio step ratio : Q) (threshold : Z) (n : positive) (classes : list rational_class) : Q :=
  divergence_less ratio threshold (fst (reached (leaf_of at_ratio step classes) n)).

End test.

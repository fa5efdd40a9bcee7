(** Compositions of many runs: programs on integers that refute a level, by one event.

    A run gives a list of masses (p, q) of disjoint events of one pair of laws: p at most the probability under the
    first law, q at least that under the second one, in units of 2^-bits. [merged_of] puts each of them into a place, by
    the quotient p / q on the lattice of the powers of a / b; [merged_times] multiplies those of two independent runs,
    rounds and leaves out places of little mass at either end; [best] is the largest value over all events "at this
    place or above, or where the second law has no mass". The steps and the roundings are those of the class Merged of
    exactdp/checker/composed.py. Any places would be right: merged_sound.v.

    Source: docs/certificates.md, "Losses may be merged in an event". *)

From Coq Require Import ZArith List FMapPositive.
From Exactdp Require Import fixed_point losses_program.
From ExactdpChecker Require Import kronecker composition_program.
Import ListNotations.
Open Scope Z_scope.

Record merged : Type := { lowest : Z; firsts : list Z; seconds : list Z; endless : Z }.

(** ** Places *)

Inductive search : Type :=
  | Nowhere
  | Branch (lower : search) (place power : Z) (higher : search).

(** The numbers of a list, which ascend, with their places from [place] on; and what does not fit the depth. *)
Fixpoint search_tree (depth : nat) (place : Z) (l : list Z) : search * Z * list Z :=
  match depth with
  | O => (Nowhere, place, l)
  | S d =>
      match search_tree d place l with
      | (lower, here, []) => (lower, here, [])
      | (lower, here, power :: later) =>
          let '(higher, next, rest) := search_tree d (here + 1) later in (Branch lower here power higher, next, rest)
      end
  end.

(** The last place of a number that is at most x. *)
Fixpoint last_at_most (t : search) (x best : Z) : Z :=
  match t with
  | Nowhere => best
  | Branch lower place power higher => if power <=? x then last_at_most higher x place else last_at_most lower x best
  end.

(** 2^64 rho^j from below, for j = 0, 1, ..., as long as it is at most [most]. *)
Fixpoint powers_up_to (a b most : Z) (power : Z) (count : nat) : list Z :=
  match count with
  | O => []
  | S n => if power <=? most then power :: powers_up_to a b most (power * a / b) n else []
  end.

Definition is_finite (pq : Z * Z) : bool := negb (snd pq =? 0) && negb (is_small (fst pq)).

(** 2^64 times the quotient of the larger by the smaller one. *)
Definition quotient_of (pq : Z * Z) : Z := Z.max (fst pq) (snd pq) * two 64 / Z.min (fst pq) (snd pq).

Definition place_in (t : search) (pq : Z * Z) : Z :=
  let ratio := quotient_of pq in
  let j := last_at_most t (ratio + ratio / two 32) 0 in
  if snd pq <=? fst pq then j else - j.

Definition places_of (a b : Z) (masses : list (Z * Z)) : search :=
  let most := Z.min (two 128) (2 * fold_left (fun m pq => Z.max m (quotient_of pq)) masses 0) in
  let numbers := powers_up_to a b most (two 64) (Z.to_nat 1000000) in
  fst (fst (search_tree 20 0 numbers)).

(** ** The masses at each place *)

Definition at_key (m : PositiveMap.t (Z * Z)) (key : positive) : Z * Z :=
  match PositiveMap.find key m with
  | Some pq => pq
  | None => (0, 0)
  end.

Definition key_of (low place : Z) : positive := Z.to_pos (place - low + 1).

Definition add_at (place : Z * Z -> Z) (low : Z) (m : PositiveMap.t (Z * Z)) (pq : Z * Z) : PositiveMap.t (Z * Z) :=
  let key := key_of low (place pq) in
  let old := at_key m key in
  PositiveMap.add key (fst old + fst pq, snd old + snd pq) m.

Definition merged_by (place : Z * Z -> Z) (masses : list (Z * Z)) : merged :=
  let finite := filter is_finite masses in
  let low := fold_left (fun m pq => Z.min m (place pq)) finite 0 in
  let high := fold_left (fun m pq => Z.max m (place pq)) finite 0 in
  let sums := fold_left (add_at place low) finite (PositiveMap.empty (Z * Z)) in
  let at_places := map (fun i => at_key sums (key_of low (low + Z.of_nat i))) (seq 0 (Z.to_nat (high - low + 1))) in
  {| lowest := low; firsts := map fst at_places; seconds := map snd at_places;
     endless := sum_of (map fst (filter (fun pq => snd pq =? 0) masses)) 0 |}.

Definition merged_of (a b : Z) (masses : list (Z * Z)) : merged :=
  merged_by (place_in (places_of a b (filter is_finite masses))) masses.

(** ** Independent runs *)

Section runs.

Variable bits : nat.

Definition merged_times (x y : merged) : merged :=
  let first := map (fun p => shifted_down p bits) (product_of (firsts x) (firsts y)) in
  let second := map (fun p => shifted_up p bits) (product_of (seconds x) (seconds y)) in
  let '(kept, _, above) := without_small (rev_append first []) 0 O in
  let '(kept, _, below) := without_small (rev_append kept []) 0 O in
  {| lowest := lowest x + lowest y + Z.of_nat below; firsts := kept;
     seconds := firstn (length kept) (skipn below second);
     endless := endless x + endless y - ceiling_div (endless x * endless y) (two bits) |}.

Fixpoint merged_power (base : merged) (exponent : positive) : merged :=
  match exponent with
  | xH => base
  | xO e => let half := merged_power base e in merged_times half half
  | xI e => let half := merged_power base e in merged_times (merged_times half half) base
  end.

Definition merged_total (runs : list (merged * positive)) : merged :=
  fold_left (fun so_far run => merged_times so_far (merged_power (fst run) (snd run))) runs
    {| lowest := 0; firsts := [two bits]; seconds := [two bits]; endless := 0 |}.

(** The largest sum of p Y - q X over the places from one on; both lists with the highest place first. *)
Fixpoint best (X Y : Z) (p q : list Z) (reached largest : Z) : Z :=
  match p, q with
  | x :: p', y :: q' => let now := reached + x * Y - y * X in best X Y p' q' now (Z.max largest now)
  | _, _ => largest
  end.

(** That the divergence at X / Y is above delta. *)
Definition merged_above (X Y : Z) (delta : QArith_base.Q) (x : merged) : bool :=
  QArith_base.Qnum delta * (Y * two bits) <?
  (best X Y (rev_append (firsts x) []) (rev_append (seconds x) []) 0 0 + endless x * Y) * Zpos (QArith_base.Qden delta).

End runs.

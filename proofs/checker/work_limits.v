(** What is too large to be checked, before the work begins: the limits of the Python checker, by its names.

    No theorem depends on this file: what is too large is not accepted, whatever else may be said of it. The numbers
    are in exactdp/checker/limits.py, from which the OCaml program has them; a [limits] is given to every function.
    The measures of a blanket are made here as tilted_program.v makes them, one step at a time, and each step is looked
    at before it is taken. Source: docs/certificates.md, "Limits". *)

From Coq Require Import ZArith QArith List Bool.
From Exactdp Require Import least_values tilted_program pair_bound fixed_point phases_fixed_point node_program.
From ExactdpChecker Require Import claims witnesses levels views compared_views swept_views view_accuracy_checked.
From ExactdpChecker Require Import family_rows swap_checked any_checked blanket_program likelihood_program likelihood_checked two_message_dp_checked.
From ExactdpChecker Require Import laplace_table participation_checked composed_checked inequality_program bernstein_checked box_program.
From ExactdpChecker Require Import scored_sums classes_of_users classes_swap loops outward windows enclosed_reals binomial_window walked_naturals.
From ExactdpChecker Require Import binomial_sum_window negative_binomial_window counting_checked z_polynomials.
From ExactdpChecker Require Import functions_of_parameters test_masses product_pairs product_checked.
From ExactdpChecker Require Import absent_product_checked away_runs members_of_classes.
Import ListNotations.
Open Scope Z_scope.

Record limits : Type := {
  most_total_bits : Z; most_steps : Z; most_places : Z; most_power : Z; most_power_bits : Z; most_scale : Z;
  most_slot_bits : Z; most_product_bits : Z; most_terms_added : Z; most_held_bits : Z; most_curve_bits : Z;
  most_window : Z; most_work : Z; most_phase_bits : Z }.

Section limited.

Variable most : limits.

(** ** Views *)

Definition long_view (n whole : Z) : bool := most_total_bits most <? n * bit_length whole.

(** A sweep over all data sets, of all numbers of users up to n with the one who differs. *)
Definition long_sweep (t : table) (n : Z) : bool :=
  let m := Z.to_nat n in
  let ends := distinct (listings t (packing t m)) in
  (1 <? Z.of_nat (length ends)) && negb (few_views (denominator t) m (map snd (classes t m)) (pred m)).

Definition long_accuracy (t : table) (n : Z) (a : analyzer) (values : list Q) (alpha : Q) : bool :=
  let rows := numbered 0 (listings t (keys (scaled_of a values alpha))) in
  negb (few_views (denominator t) (Z.to_nat n) (map snd rows) (Z.to_nat n)).

(** ** Measures on a lattice *)

Definition longest (l : list Z) : Z := bit_length (fold_left Z.max l 0).

(** [tilted_program] multiplies every two coefficients, where the Python checker takes one product of decimals: so a
    product may be dearer here, and its price is that of so many products of two numbers. *)
Definition large_product (k l : list Z) : bool :=
  let short := if Nat.leb (length k) (length l) then k else l in
  let terms := Z.of_nat (length (filter (fun w => negb (w =? 0)) short)) in
  let size := Z.of_nat (length k + length l) - 1 in
  let bits := longest k + longest l + bit_length size in
  (most_work most <? Z.of_nat (length k) * Z.of_nat (length l) * (1 + longest k * (512 + longest l) / 2 ^ 19)) ||
  (most_terms_added most <? terms) && ((most_slot_bits most <? bits) || (most_product_bits most <? bits * size)).

(** A power is not made where its bits are known to be too many. *)
Definition large_power (t : tilt) (place : Z) : bool :=
  (most_power most <? Z.abs place) ||
  (most_power_bits most <? Z.max 0 place * (bit_length (tilt_high t) - 1 - Z.of_nat (fine t))) ||
  (most_power_bits most <? bit_length (power t place)).

Section lattice.

Variables (step : fraction) (bits limit : nat) (values : list atom).

Definition measured (t : tilt) : option measure :=
  let low := first_place_of step values t in
  let high := last_place_of step values t in
  if (most_places most <=? high - low) || large_power t low || large_power t high then None
  else Some (of_values step bits values t).

Definition multiplied (a b : measure) : option measure :=
  if large_product (tilted_program.weights a) (tilted_program.weights b) then None else Some
    (tilted_program.times bits a b).

Fixpoint shorten (steps : nat) (m : measure) (t : tilt) : option (measure * tilt) :=
  match steps with
  | O => Some (m, t)
  | S s =>
      if Nat.leb (length (tilted_program.weights m)) limit then Some (m, t)
      else let above := next t in
        if most_power_bits most <? bit_length (tilt_high above) then None else shorten s (halved t m) above
  end.

Definition shortest (m : option measure) (t : tilt) : option (measure * tilt) :=
  match m with
  | Some m => shorten (length (tilted_program.weights m)) m t
  | None => None
  end.

Fixpoint walked (T : Z) (n : positive) : option (measure * tilt) :=
  match n with
  | xH => let t := first_tilt T bits in shortest (measured t) t
  | xO k =>
      match walked T k with
      | Some (m, t) => shortest (multiplied m m) t
      | None => None
      end
  | xI k =>
      match walked T k with
      | Some (m, t) =>
          match shortest (multiplied m m) t with
          | Some (m', t') =>
              match measured t' with
              | Some one => shortest (multiplied m' one) t'
              | None => None
              end
          | None => None
          end
      | None => None
      end
  end.

Definition large_walk (T : Z) (n : positive) : bool :=
  match walked T n with
  | Some (m, t) => (most_scale most <? Z.abs (units m)) || large_power t (- Z.max 1 (start m))
  | None => true
  end.

End lattice.

(** The laws that [all_below] bounds, with their steps and tilts. *)
Fixpoint large_laws {P} (law_of : P -> charged_law) (bits limit : nat) (n : positive) (pairs : list P)
    (known : list charged_law) (bounds : list (Q * Z)) : bool :=
  match pairs, bounds with
  | one :: more, (step, T) :: others =>
      let law := law_of one in
      if existsb (same_charged law) known then large_laws law_of bits limit n more known bounds
      else if Qle_bool (fst (last (snd law) (0, 0)%Q)) 0 then large_laws law_of bits limit n more (law :: known) bounds
      else large_walk (fraction_of step) bits limit (atoms_of (snd law)) T n ||
        large_laws law_of bits limit n more (law :: known) others
  | _, _ => false
  end.

Definition large_blanket (r : randomizer) (E : Q) (bits limit : nat) (n : positive) (bounds : list (Q * Z)) : bool :=
  let of_matrix matrix :=
    large_laws (fun pair => least_values E (classes_of_rows (least_row matrix) pair)) bits limit n
      (different_pairs matrix) [] bounds in
  match r with
  | Table t => of_matrix (matrix_of_table (ordered_table t))
  | Family (ClippedLaplace top r) => of_matrix (matrix_of_laplace (Z.to_nat top) r)
  | Family f =>
      match supports_of f with
      | Some s => large_laws (fun classes => least_values E classes) bits limit n [family_classes s] [] bounds
      | None => false
      end
  end.

(** ** Likelihood tests: the places of a message, and the first product *)

Fixpoint merged_length (steps : nat) (length limit : Z) : Z :=
  match steps with
  | O => length
  | S s => if length <=? limit then length else merged_length s (length / 2 + 1) limit
  end.

Definition large_test (test : likelihood) (n : Z) (classes : list rational_class) : bool :=
  let scores := map (score_of (at_ratio test) (test_step test)) (filter covered classes) in
  match scores with
  | [] => false
  | a :: rest =>
      let length := fold_left Z.max rest a - fold_left Z.min rest a + 1 in
      (most_places most <? length) ||
      ((1 <? n) && (most_held_bits most <?
        8 * merged_length 64 length (test_length test) * (2 * test_bits test + 1024)))
  end.

(** ** Events: the places of a sum of scores, which is made as scored_sums.v makes it *)

Section events.

Variables (bits : Z) (t : table) (keys : list Z).

Definition long_row (x : nat) : bool :=
  match entry (listings t keys) [] x with
  | [] => false
  | (from, _) :: _ as law => most_places most <=? fst (last law (0, 0)) - from
  end.

Definition one_measured (x : nat) : option scored_law := if long_row x then None else Some (one_user bits t keys x).

Definition summed (s s' : option scored_law) : option scored_law :=
  match s, s' with
  | Some s, Some s' =>
      let (k, l) := (score_weights s, score_weights s') in
      if (most_places most <? Z.of_nat (length k + length l) - 1) || large_product k l then None
      else Some (scored_sums.plus bits s s')
  | _, _ => None
  end.

Definition trimmed (s : option scored_law) : option scored_law := option_map scored_sums.kept s.

Fixpoint copied (one : option scored_law) (users : positive) : option scored_law :=
  match users with
  | xH => one
  | xO k => let s := copied one k in trimmed (summed s s)
  | xI k => let s := copied one k in trimmed (summed (trimmed (summed s s)) one)
  end.

Fixpoint summed_others (x : nat) (counts : list Z) (law : option scored_law) : option scored_law :=
  match counts with
  | [] => law
  | Zpos users :: rest => summed_others (S x) rest (trimmed (summed law (copied (one_measured x) users)))
  | _ :: rest => summed_others (S x) rest law
  end.

Definition large_event (ends : list Z) (law : option scored_law) : bool :=
  existsb (fun x => match summed law (one_measured (Z.to_nat x)) with Some _ => false | None => true end) ends.

End events.

(** Of classes of users, all of whom run tables. *)
Definition large_class_event (bits : Z) (keys : list Z) (classes : list (randomizer * Z)) (own : nat) (ends : list Z)
    (others : list (list Z)) : bool :=
  let law := fold_left (fun law (co : randomizer * Z * list Z) =>
    match fst (fst co) with Table t => summed_others bits t keys 0 (snd co) law | Family _ => law end)
    (combine classes others) (Some (nobody bits)) in
  match nth_error classes own with
  | Some (Table t, _) => large_event bits t keys ends law
  | _ => false
  end.

(** ** Windows: the weights of a summand to one side of its start *)

Definition most_side (bits : nat) : Z := Z.min (most_window most) (most_product_bits most / (2 * Z.of_nat bits)).

Definition long_side (ratio : Z -> option (Z * Z * Z)) (next : Z -> Z) (start : Z) (bits : nat) : bool :=
  match run (Z.to_pos (most_side bits + 1)) (outward.step ratio next (two (2 * bits)) 0 1) (start, two bits, two bits, []) with
  | inl _ => true
  | inr _ => false
  end.

Definition long_window (bits : nat) (n : Z) (p : real) : bool :=
  match parameter bits p with
  | Some (l, h, d) =>
      let start := Z.min n ((n + 1) * l / d) in
      let ratio := binomial_ratio n (odds l h d) in
      is_chance p l h d &&
      (long_side (up_naturals ratio (Some n)) Z.succ start bits || long_side (down_naturals ratio) Z.pred start bits)
  | None => false
  end.

Definition bits_of_window (w : witness) : option nat :=
  match w with Simple (Bits b) | ShiftOrder _ _ (Bits b) | By _ (Bits b) => Some (Z.to_nat b) | _ => None end.

(** A sum is a product of two windows, which are made whole. *)
Definition long_sum (nu : noise) (w : witness) : bool :=
  match nu, bits_of_window w with
  | BinomialSum n1 p1 n2 p2, Some b => long_window b n1 p1 || long_window b n2 p2
  | _, _ => false
  end.

Definition large_sum (nu : noise) (w : witness) : bool :=
  match nu, bits_of_window w with
  | BinomialSum n1 p1 n2 p2, Some b =>
      match binomial_window b n1 p1, binomial_window b n2 p2 with
      | Some v1, Some v2 => most_product_bits most <? product_bits v1 v2
      | _, _ => false
      end
  | _, _ => false
  end.

(** Of the ratios of a law on 0, 1, 2, ... *)
Definition long_naturals (ratio : Z -> Z * Z * Z) (start : Z) (bits : nat) : bool :=
  long_side (up_naturals ratio None) Z.succ start bits || long_side (down_naturals ratio) Z.pred start bits.

Definition long_noise (bits : nat) (p1 : real) (parts : list (real * real)) : bool :=
  existsb (fun rp =>
    match parameter bits (fst rp), parameter bits (snd rp) with
    | Some (rl, rh, rd), Some (l, h, d) => (0 <? rl) && is_below_1 (snd rp) l h d &&
        long_naturals (nb_ratio rl rh rd l h d) (Z.max 0 ((rl - rd) * l / (rd * (d - l)))) bits
    | _, _ => false
    end) parts ||
  match parameter bits p1 with
  | Some (l, h, d) => (0 <? l) && (h <? d) && long_naturals (fun _ => (l * l, h * h, d * d)) 0 bits
  | None => false
  end.

(** One of the products of windows, or a sum that is multiplied again. *)
Fixpoint large_sums (bits : nat) (v : window) (others : list (option window)) : bool :=
  match others with
  | Some v' :: rest =>
      let size := windows.count (cells v) + windows.count (cells v') - 1 in
      let slot := longest (highs v) + longest (highs v') + bit_length size in
      (most_slot_bits most <? slot) || (most_product_bits most <? slot * size) ||
      match sum_window v v', rest with
      | Some s, _ :: _ => (most_side bits <? size - size / 2) || large_sums bits s rest
      | _, _ => false
      end
  | _ => false
  end.

Definition large_noise (bits : nat) (p1 : real) (parts : list (real * real)) : bool :=
  match parameter bits p1, map (fun rp => negative_binomial_window bits (fst rp) (snd rp)) parts with
  | Some (l, h, d), Some v :: others => large_sums bits v (others ++ [squared_window bits l h d])
  | _, _ => false
  end.

(** ** Sampled counts *)

Definition long_sample (q : Q) (tau : Z) (users : option Z) (w : witness) : bool :=
  let scanned holders := match users with Some u => Z.min u holders | None => holders end in
  let last := match w with Outcome m _ => scanned m | ShiftOrder n _ _ => n + 1 | _ => 0 end in
  (tau <=? last) && long_view last (Zpos (Qden q)).

(** ** Compositions *)

(** Whether one of the numbers of a curve, in units of 2^-64, is too long. *)
Fixpoint long_curve (a b power : Z) (count : nat) : bool :=
  match count with
  | O => false
  | S rest => (most_curve_bits most <? bit_length power) || long_curve a b (power * a / b) rest
  end.

(** ** Boxes *)

Fixpoint large_tree (box : list rational_interval) (terms : list (rational_poly * rational_poly)) (t : tree) : bool :=
  match t with
  | Leaf corner_high K bits =>
      let v := length box in
      let lines := map (fun l => (l, false)) (z_lines v 0 box (map negb corner_high)) in
      match all_some (map (term_below v lines (Z.to_nat K) (Z.to_nat bits)) terms) [] with
      | Some below => most_coefficients <? form_size (degrees v (snd (added (concat below))))
      | None => false
      end
  | Cut k a low_part high_part =>
      match nth_error box (Z.to_nat k) with
      | Some i =>
          large_tree (replace_at box (Z.to_nat k) {| from := from i; from_closed := from_closed i; to := a;
            to_closed := true |})
            terms low_part ||
          large_tree (replace_at box (Z.to_nat k) {| from := a; from_closed := true; to := to i;
            to_closed := to_closed i |})
            terms high_part
      | None => false
      end
  end.

(** ** Every kind *)

Definition outcomes_at_least (nu : noise) : Z :=
  match nu with
  | Finite l => Z.of_nat (length l)
  | DiscreteUniform low high => high - low + 1
  | _ => 0
  end.

Definition large_shuffle_dp (r : randomizer) (n : Z) (l : level) (proved : bool) (w : witness) : bool :=
  match w, r with
  | ForAllDataSets (ByBlanket bits limit bounds) p, _ =>
      match ratio_below l p with
      | Some (X, Y) =>
          large_blanket r (Qred (X # Z.to_pos Y)) (Z.to_nat bits) (Z.to_nat limit) (Z.to_pos n) bounds
      | None => false
      end
  | Likelihood test _, Family f =>
      match supports_of f with
      | Some s =>
          match classes_of_others f s (other_users test) with
          | Some classes => large_test test n classes
          | None => false
          end
      | None => false
      end
  | Simple _, _ | Smaller _, _ | TwoDataSets _ _ _, _ | Event _ _, _ =>
      match listed_randomizer r, w with
      | Table t, Event test _ =>
          large_event (event_bits test) t (scores test) [event_first test; event_second test]
            (summed_others (event_bits test) t (scores test) 0 (event_others test) (Some (nobody (event_bits test))))
      | Table t, TwoDataSets _ _ _ => long_view n (denominator t)
      | Table t, _ => long_view n (denominator t) || (proved && long_sweep t n)
      | Family _, _ => false
      end
  | _, _ => false
  end.

(** ** Functions of parameters *)

(** The largest exponents of functions over one bottom. *)
Definition degrees_of (v : nat) (fs : list rational_function) : list Z :=
  let g := group_of v (map (parts v) fs) in map Z.of_nat (degrees v (concat (bottom g :: tops g))).

Definition places_of (ds : list Z) : Z := fold_left (fun s d => s * (d + 1)) ds 1.

Fixpoint sums (l m : list Z) : list Z :=
  match l, m with
  | a :: l', b :: m' => a + b :: sums l' m'
  | _, _ => []
  end.

(** How many multisets of so many of r rows there are. *)
Definition multisets_of (users r : Z) : Z :=
  fold_left (fun s i => s * (users + Z.of_nat i) / Z.of_nat i) (seq 1 (Z.to_nat (r - 1))) 1.

(** The users of a law, what is seen of them at least, and its functions. *)
Definition shown_users (nu : functional_noise) : Z * Z * list rational_function :=
  match nu with
  | FunctionalFinite weights => (1, Z.of_nat (length weights), map snd weights)
  | FunctionalView t histogram _ => let n := fold_left Z.add histogram 0 in (n, n + 1, functions_of t)
  | FunctionalBinomial n p => (n, n + 1, [p])
  end.

(** The forms on a cell have too many coefficients, or laws of them are made in too many steps. *)
Definition large_cells (v : nat) (c : claim_at_points) : bool :=
  let large steps n fs others :=
    let form := places_of (fold_left sums (map (degrees_of v) others) (map (Z.mul n) (degrees_of v fs))) in
    (most_coefficients <? form) || (most_work most <? steps * form) in
  let large_law nu others := let '(n, outcomes, fs) := shown_users nu in large (n * outcomes) n fs others in
  match c with
  | PointShuffle t n _ _ E deltas _ =>
      large (multisets_of (n - 1) (Z.of_nat (length (function_rows t))) * n) n (functions_of t) [[E]; deltas]
  | PointShift nu _ E deltas _ => large_law nu [[E]; deltas]
  | PointSmooth nu k E delta => large_law nu ([delta] :: repeat [E] (Z.to_nat (Z.min k 64)))
  | PointTail nu _ _ _ probability => large_law nu [[probability]]
  | PointEqual nu nu' => large_law nu [] || large_law nu' []
  end.

(** Of the five, that which is tested. *)
Definition any_tested (E0 : Q) (test : likelihood) : list (list rational_class) :=
  match pair_tested test with
  | Some (_, place) => firstn 1 (skipn (Z.to_nat place) (map divided (rational_basics E0)))
  | None => []
  end.

(** The test of a run of a composition. *)
Definition large_pair (r : claims.run) (w : witness) : bool :=
  match w with
  | Likelihood test _ =>
      let large n classes := match classes with Some classes => large_test test n classes | None => false end in
      match r with
      | RandomizerRun rand n _ => large n (classes_of_run rand test)
      | ProductRun of n => large n (tested_classes of test)
      | AnyRun E0 n => existsb (large_test test n) (any_tested E0 test)
      | ParticipationRun rand q a n =>
          match as_one_randomizer rand q a with
          | Some one => large n (classes_of_run one test)
          | None => large n (absence_classes rand q a test)
          end
      | AbsentProductRun of q a n => large n (joint_classes of q a test)
      | NoiseRun _ _ => false
      end
  | _ => false
  end.

(** Of users of one randomizer, where there is one, and of classes as of members. *)
Definition as_plain_claim (c : claim) : claim :=
  match c with
  | ClassesDP classes who l delta => MembersDP (never_away classes) who l delta
  | _ => as_one_claim c
  end.

(** The blankets, or the test, of pairs of inputs. *)
Definition large_pairs (pairs : option (list input_pair)) (n : Z) (l : level) (w : witness) : bool :=
  match w, pairs with
  | ForAllDataSets (ByBlanket bits limit bounds) p, Some pairs =>
      match ratio_below l p with
      | Some (X, Y) => large_laws (fun classes => least_values (Qred (X # Z.to_pos Y)) classes) (Z.to_nat bits)
          (Z.to_nat limit) (Z.to_pos n) (map of_blanket pairs) [] bounds
      | None => false
      end
  | Likelihood test _, Some pairs =>
      match classes_beside pairs (pair_tested test) with Some classes => large_test test n classes | None => false end
  | _, _ => false
  end.

Definition is_too_large (c : claim) (proved : bool) (w : witness) : bool :=
  match as_plain_claim c with
  | ShuffleDP r n _ _ l _ _ => large_shuffle_dp r n l proved w
  | AnyShuffleDP E0 n _ _ _ =>
      match w with
      | Likelihood test _ => existsb (large_test test n) (any_tested E0 test)
      | _ => false
      end
  | ProductDP of n _ l _ =>
      match w with
      | ForAllDataSets (ByBlanket bits limit bounds) p =>
          match ratio_below l p with
          | Some (X, Y) => large_laws (fun classes => least_values (Qred (X # Z.to_pos Y)) classes) (Z.to_nat bits)
              (Z.to_nat limit) (Z.to_pos n) (map blanket_chosen (kinds_chosen of)) [] bounds
          | None => false
          end
      | Likelihood test _ => match tested_classes of test with Some classes => large_test test n classes | None => false end
      | _ => false
      end
  | MembersDP classes _ _ _ =>
      match w with
      | Event test _ =>
          match event_classes test, plain_classes (listed_members classes) with
          | Some (own, _, others), Some plain => large_class_event (event_bits test) (scores test) plain (Z.to_nat own)
              [event_first test; event_second test] others
          | _, _ => false
          end
      | _ => false
      end
  | CountingDP p1 parts _ _ => match bits_of_window w with Some b => long_noise b p1 parts | None => false end
  | SampleThresholdDP q tau users _ _ => long_sample q tau users w
  | ParticipationDP r q a n _ l _ => large_pairs (pairs_of_away r q a (negb proved)) n l w
  | AbsentProductDP of q a n _ l _ => large_pairs (absent_pairs of q a (tested_place proved w)) n l w
  | NeverDP t n _ _ => long_view n (denominator t)
  | ShiftDP nu _ _ _ _ | Smooth nu _ _ _ | Tail nu _ _ _ _ | CountAccuracy nu _ _ _ _ _ _ _ => long_sum nu w
  | TwoMessageDP t n _ _ _ => let '(_, _, whole) := chances t in long_view n whole
  | Accuracy t n histogram a values alpha _ =>
      long_view n (denominator t) ||
      match proved, histogram with
      | true, None => long_accuracy t n a values alpha
      | _, _ => false
      end
  | EqualLaws nu nu' =>
      match nu, nu' with
      | DiscreteUniform _ _, DiscreteUniform _ _ => false
      | _, _ => proved && (most_steps most <? 4 * (outcomes_at_least nu + outcomes_at_least nu'))
      end
  | Composed runs _ _ =>
      match w with
      | Pairs _ _ pairs _ => existsb (fun rw => large_pair (fst (fst rw)) (snd rw)) (combine runs pairs)
      | Curves ratio _ curves _ =>
          existsb (fun curve => long_curve (Qnum ratio) (Zpos (Qden ratio)) (2 ^ 64) (length (fst curve))) curves
      | _ => false
      end
  | ForAll _ box c => proved && large_cells (length box) c
  | _ => false
  end.

(** A value of a swap whose exponential or phase is not made. *)
Definition long_value (p : plan) (value : Q) : bool :=
  negb (is_short (plan_tilt p * value)) ||
  (most_phase_bits most <? Z.of_nat (angle_bits (Qred (plan_step p * plan_tilt p * value)))).

Definition long_swap (pairs : list input_pair) (E : Q) (plans : list swap_plan) (places : list Z) : bool :=
  existsb (fun pi : input_pair * Z =>
    match nth_error plans (Z.to_nat (snd pi)) with
    | Some s => existsb (fun classes => existsb (fun vm => long_value (plan_of s) (fst vm)) (value_table E classes))
        match swap_stages s with
        | [] => [of_blanket (fst pi)]
        | _ => (if swap_own s then [own_of (fst pi)] else []) ++ of_others (fst pi)
        end
    | None => false
    end) (combine pairs places).

(** For each class that may have the user who differs, its users beside those who are counted on, and the pairs. *)
Fixpoint pairs_of_classes (classes : list (member * Z)) (owns : list nat) (used : list (list Z)) :
    list (nat * list input_pair) :=
  match owns, used with
  | own :: owns', one :: used' =>
      let one := map Z.to_nat one in
      (match nth_error classes own with
       | Some (m, n) =>
           if is_alone own one then (Z.to_nat n, match pairs_of_member m with Some pairs => pairs | None => [] end)
           else
             match m, tables_at classes own one with
             | Always (Table t), Some tables =>
                 let some := filter (fun tk : table * nat => negb (Nat.eqb (snd tk) 0)) tables in
                 (S (fold_right Init.Nat.add O (map snd some)),
                  map (fun pair : mixed_pair => {| of_blanket := fst pair; of_others := concat (snd pair) |})
                    (mixed_pairs (ordered_table t) (map fst tables) (map fst some)))
             | _, _ => (O, [])
             end
       | None => (O, [])
       end) :: pairs_of_classes classes owns' used'
  | _, _ => []
  end.

(** What is looked at only where a check failed. *)
Definition was_too_large (c : claim) (proved : bool) (w : witness) : bool :=
  match as_plain_claim c, w with
  | BoxInequality _ box terms _, BoxTree t => proved && large_tree box terms t
  | CountingDP p1 parts _ _, Simple (Bits b) => large_noise (Z.to_nat b) p1 parts
  | (ShiftDP nu _ _ _ _ | Smooth nu _ _ _ | Tail nu _ _ _ _ | CountAccuracy nu _ _ _ _ _ _ _), _ => large_sum nu w
  | ShuffleDP r _ _ _ l _ _, ForAllDataSets (BySwap _ plans places _) q =>
      match ratio_below l q, pairs_of (listed_randomizer r) with
      | Some (X, Y), Some pairs => long_swap pairs (Qred (X # Z.to_pos Y)) plans places
      | _, _ => false
      end
  | ParticipationDP r c a _ _ l _, ForAllDataSets (BySwap _ plans places _) q =>
      match ratio_below l q, pairs_of_away r c a (negb proved) with
      | Some (X, Y), Some pairs => long_swap pairs (Qred (X # Z.to_pos Y)) plans places
      | _, _ => false
      end
  | AbsentProductDP of c a _ _ l _, ForAllDataSets (BySwap _ plans places _) q =>
      match ratio_below l q, absent_pairs of c a None with
      | Some (X, Y), Some pairs => long_swap pairs (Qred (X # Z.to_pos Y)) plans places
      | _, _ => false
      end
  | MembersDP classes who l _, ForAllDataSets (BySwap _ plans places used) q =>
      match ratio_below l q with
      | Some (X, Y) => long_swap (flat_map snd (pairs_of_classes (listed_members classes) (differing classes who) used))
          (Qred (X # Z.to_pos Y)) plans places
      | None => false
      end
  | AnyShuffleDP E0 _ _ l _, ForAllDataSets (BySwap _ plans places _) q =>
      match ratio_below l q with
      | Some (X, Y) => long_swap [any_pair E0] (Qred (X # Z.to_pos Y)) plans places
      | None => false
      end
  | ProductDP of _ _ l _, ForAllDataSets (BySwap _ plans places _) q =>
      match ratio_below l q with
      | Some (X, Y) => long_swap (product_pairs of) (Qred (X # Z.to_pos Y)) plans places
      | None => false
      end
  | _, _ => false
  end.

End limited.

(** In a conjunction and a negation, of the parts that are shown. *)
Section parts.

Variable test : claim -> bool -> witness -> bool.

Fixpoint in_any_part (c : claim) (proved : bool) (w : witness) : bool :=
  match c with
  | Conjunction parts _ =>
      let fix any l ws :=
        match l, ws with
        | part :: l', v :: ws' => in_any_part part true v || any l' ws'
        | _, _ => false
        end in
      let fix at_place l i v :=
        match l with
        | [] => false
        | part :: l' => if i =? 0 then in_any_part part false v else at_place l' (Z.pred i) v
        end in
      match proved, w with
      | true, Parts ws => any parts ws
      | false, PartWitness i v => at_place parts i v
      | _, _ => false
      end
  | Not inner => in_any_part inner (negb proved) w
  | _ => test c proved w
  end.

End parts.

Definition too_large_before (most : limits) : claim -> bool -> witness -> bool := in_any_part (is_too_large most).

Definition too_large_after (most : limits) : claim -> bool -> witness -> bool := in_any_part (was_too_large most).

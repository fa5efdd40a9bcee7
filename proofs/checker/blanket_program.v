(** Privacy by a blanket: the program.

    It is the method Lattice.check of exactdp/checker/blanket.py: for every ordered pair of inputs with different rows
    the classes of its outcomes against what all rows have in common become a law of values and a charge
    (least_values.v), and the mean excess of n values is bounded by the integer program of tilted_program.v. A law that
    is known already is not bounded again; each new one that has a positive value takes the next step and tilt of the
    witness, and none may be left over.

    A randomizer is given as classes by its pairs: [matrix_is_below] of a table or of the clipped Laplace law, whose
    probabilities are listed; [family_classes] of a family with one kind of pair, by the patterns of supports.v. That
    acceptance proves privacy is in blanket_sound.v. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Bool.
From Exactdp Require Import least_values tilted_program pair_bound supports.
From ExactdpChecker Require Import claims witnesses levels.
From ExactdpChecker Require posed.
Import ListNotations.
Open Scope Q_scope.

(** ** Laws of values *)

(** What is charged, and the values in ascending order with their masses. *)
Definition charged_law : Type := (Q * least_values.table)%type.

Definition same_number (p q : Q) : bool := Z.eqb (Qnum p) (Qnum q) && Pos.eqb (Qden p) (Qden q).

Fixpoint same_table (l m : least_values.table) : bool :=
  match l, m with
  | [], [] => true
  | (v, w) :: l', (v', w') :: m' => same_number v v' && same_number w w' && same_table l' m'
  | _, _ => false
  end.

Definition same_charged (a b : charged_law) : bool := same_number (fst a) (fst b) && same_table (snd a) (snd b).

(** The bound of a law by one step and tilt is at most delta. *)
Definition law_is_below (bits limit : nat) (n : positive) (delta : Q) (law : charged_law) (step : Q) (T : Z) : bool :=
  posed.positive step && (1 <=? T)%Z &&
  (let (a, b) := mean_positive_part (fraction_of step) bits limit (atoms_of (snd law)) T n in
   Qle_bool (fst law + (a # Z.to_pos b)) delta).

Fixpoint all_below {P} (law_of : P -> charged_law) (bits limit : nat) (n : positive) (delta : Q)
    (pairs : list P) (known : list charged_law) (bounds : list (Q * Z)) : bool :=
  match pairs with
  | [] => match bounds with [] => true | _ => false end
  | one :: more =>
    let law := law_of one in
    if existsb (same_charged law) known then all_below law_of bits limit n delta more known bounds
    else if Qle_bool (fst (last (snd law) (0, 0))) 0 then
      Qle_bool (fst law) delta && all_below law_of bits limit n delta more (law :: known) bounds
    else match bounds with
      | [] => false
      | (step, T) :: others =>
        law_is_below bits limit n delta law step T && all_below law_of bits limit n delta more (law :: known) others
      end
  end.

(** ** Randomizers whose probabilities are listed *)

(** Column by column: of the two rows and the reference. *)
Definition classes_of_rows (reference : list Q) (pair : list Q * list Q) : list rational_class :=
  combine (combine (fst pair) (snd pair)) reference.

Definition least_number (p q : Q) : Q := if Qle_bool p q then p else q.

Fixpoint least_row (rows : list (list Q)) : list Q :=
  match rows with
  | [] => []
  | [row] => row
  | row :: more => map (fun pq => least_number (fst pq) (snd pq)) (combine row (least_row more))
  end.

Fixpoint same_row (l m : list Q) : bool :=
  match l, m with
  | [], [] => true
  | p :: l', q :: m' => Qeq_bool p q && same_row l' m'
  | _, _ => false
  end.

(** In lexicographic order. *)
Definition different_pairs (matrix : list (list Q)) : list (list Q * list Q) :=
  filter (fun pair => negb (same_row (fst pair) (snd pair))) (list_prod matrix matrix).

Definition matrix_is_below (matrix : list (list Q)) (E : Q) (bits limit : nat) (n : positive) (delta : Q)
    (bounds : list (Q * Z)) : bool :=
  let reference := least_row matrix in
  all_below (fun pair => least_values E (classes_of_rows reference pair)) bits limit n delta
    (different_pairs matrix) [] bounds.

(** *** Tables *)

Definition same_outcome : forall u v : list nat, {u = v} + {u <> v} := list_eq_dec Nat.eq_dec.

Definition ordered_table (t : claims.table) : claims.table :=
  {| message_types := message_types t; rows := map (map (fun o => (fst o, in_order (snd o)))) (rows t) |}.

Definition outcomes_of (t : claims.table) : list (list nat) := nodup same_outcome (map snd (concat (rows t))).

Definition probability (row : list (Q * list nat)) (u : list nat) : Q :=
  sum_of (map fst (filter (fun o => if same_outcome (snd o) u then true else false) row)).

Definition matrix_of_table (t : claims.table) : list (list Q) :=
  let outcomes := outcomes_of t in map (fun row => map (probability row) outcomes) (rows t).

(** *** The clipped Laplace law *)

Fixpoint power_of (q : Q) (k : nat) : Q :=
  match k with
  | O => 1
  | S j => q * power_of q j
  end.

Definition laplace_probability (top : nat) (r : Q) (x y : nat) : Q :=
  let distance := Z.to_nat (Z.abs (Z.of_nat x - Z.of_nat y)) in
  Qred (if (Nat.eqb y 0 || Nat.eqb y top) then power_of r distance / (1 + r) else power_of r distance * (1 - r) / (1
    + r)).

Definition matrix_of_laplace (top : nat) (r : Q) : list (list Q) :=
  map (fun x => map (laplace_probability top r x) (seq 0 (S top))) (seq 0 (S top)).

Definition rows_sum_to_1 (matrix : list (list Q)) : bool := forallb (fun row => Qeq_bool (sum_of row) 1) matrix.

(** ** Families of supports *)

(** Which of two or three inputs a message supports: the masses of the patterns; and what messages of all have. *)
Record supported : Type := {
  high_density : Q; low_density : Q; pair_mass : list bool -> Q; third_mass : list bool -> Q; of_everyone : Q }.

(** Independent bits that are 1 with this probability; the masses times a scale. *)
Definition independent (chance scale : Q) (bits : list bool) : Q :=
  fold_right (fun (b : bool) rest => (if b then chance else 1 - chance) * rest) scale bits.

Definition one_of (k : Z) (length : Z) (bits : list bool) : Q :=
  match count_occ bool_dec bits true with
  | O => inject_Z (Z.max 0 (k - length))
  | S O => 1
  | _ => 0
  end.

(** a (a - 1) ... (a - i + 1) *)
Fixpoint falling (a : Z) (i : nat) : Z :=
  match i with
  | O => 1
  | S j => a * falling (a - 1) j
  end%Z.

Definition subset_mass (d w : Z) (bits : list bool) : Q :=
  let k := count_occ bool_dec bits true in
  inject_Z (falling w k * falling (d - w) (length bits - k)) / inject_Z (falling d (length bits)).

Definition product_mass (mass : Q) (bits : list bool) : Q :=
  match bits with
  | [x; y; z] => if Bool.eqb z (negb (xorb x y)) then mass else 0
  | _ => 0
  end.

(** Up to this many bits the probability of messages that support every input is written out. *)
Definition split_bits : Z := 4096.

Definition supports_of (f : family) : option supported :=
  match f with
  | KAry k E0 =>
      let low := 1 / (E0 + inject_Z k - 1) in
      Some {| high_density := E0 * low; low_density := low; pair_mass := one_of k 2; third_mass := one_of k 3;
              of_everyone := 0 |}
  | UnaryEncoding d p q =>
      let short := (Z.eqb d 2 || (d * bit_length (Zpos (Qden q)) <=? split_bits)%Z)%bool in
      Some {| high_density := p / q; low_density := (1 - p) / (1 - q); pair_mass := independent q 1;
              third_mass := independent q 1; of_everyone := if short then power_of q (Z.to_nat d) else 0 |}
  | SubsetSelection d w E0 =>
      let low := inject_Z d / (inject_Z w * E0 + inject_Z d - inject_Z w) in
      Some {| high_density := E0 * low; low_density := low; pair_mass := subset_mass d w;
              third_mass := subset_mass d w; of_everyone := 0 |}
  | Hadamard d E0 =>
      let columns := inject_Z (2 ^ (Z.log2 d + 1)) in
      let low := 2 / (columns * (E0 + 1)) in
      Some {| high_density := E0 * low; low_density := low; pair_mass := independent (1 # 2) columns;
              third_mass := independent (1 # 2) columns; of_everyone := 1 |}
  | LocalHashing d g E0 =>
      let low := 1 / (E0 + inject_Z g - 1) in
      let short := (Z.eqb d 2 || ((d - 1) * bit_length g <=? split_bits)%Z)%bool in
      Some {| high_density := E0 * low; low_density := low; pair_mass := independent (1 / inject_Z g) (inject_Z g);
              third_mass := independent (1 / inject_Z g) (inject_Z g);
              of_everyone := if short then power_of (1 / inject_Z g) (Z.to_nat (d - 1)) else 0 |}
  | ClippedLaplace _ _ => None
  end.

Definition reduced (k : Q * Q * Q) : rational_class := (Qred (fst (fst k)), Qred (snd (fst k)), Qred (snd k)).

Definition family_classes (s : supported) : list rational_class :=
  let high := high_density s in
  let low := low_density s in
  let both := pair_mass s [true; true] - of_everyone s in
  map reduced
    [(both * high, both * high, both * low);
     (pair_mass s [true; false] * high, pair_mass s [true; false] * low, pair_mass s [true; false] * low);
     (pair_mass s [false; true] * low, pair_mass s [false; true] * high, pair_mass s [false; true] * low);
     (pair_mass s [false; false] * low, pair_mass s [false; false] * low, pair_mass s [false; false] * low);
     (of_everyone s * high, of_everyone s * high, of_everyone s * high)].

(** ** The program *)

Definition randomizer_is_below (r : randomizer) (E : Q) (bits limit : nat) (n : positive) (delta : Q)
    (bounds : list (Q * Z)) : bool :=
  match r with
  | Table t => matrix_is_below (matrix_of_table (ordered_table t)) E bits limit n delta bounds
  | Family (ClippedLaplace top r) =>
      let matrix := matrix_of_laplace (Z.to_nat top) r in
      rows_sum_to_1 matrix && matrix_is_below matrix E bits limit n delta bounds
  | Family f =>
      match supports_of f with
      | Some s =>
          let classes := family_classes s in
          forallb (fun k => Qle_bool 0 (under_reference k)) classes &&
          Qle_bool (sum_of (map under_reference classes)) 1 &&
          all_below (fun classes => least_values E classes) bits limit n delta [classes] [] bounds
      | None => false
      end
  end.

Definition check_blanket (r : randomizer) (n : Z) (nb : neighboring) (l : claims.level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match nb, w, proved, shown with
  | ReplaceOne, LeastNothing, true, ForAllDataSets (ByBlanket bits limit bounds) p =>
      match ratio_below l p with
      | Some (X, Y) =>
          posed.randomizer_is_posed r && posed.level_is_posed l delta && (1 <=? n)%Z &&
          randomizer_is_below r (Qred (X # Z.to_pos Y)) (Z.to_nat bits) (Z.to_nat limit) (Z.to_pos n) delta bounds
      | None => false
      end
  | _, _, _, _ => false
  end.

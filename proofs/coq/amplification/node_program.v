(** The bound of the swap for one row of the others, as the checker computes it: a program on integers.

    It is what exactdp/checker/swap.py makes of a plan and of one row: a table of values with their masses, the tilt,
      the
    smoothing, the step, the number of nodes and the ends of the stages. Integers are in units of 2^-bits, rounded up
    where nothing else is said. That acceptance proves the bound is in node_sound.v. Source: this package
    (docs/certificates.md, "By the swap bound"). *)

From Coq Require Import ZArith QArith Qround List Bool.
From Exactdp Require Import fixed_point exponential_fixed_point logarithm_fixed_point phases_fixed_point.
From Exactdp Require Import least_values tilted_program.
Import ListNotations.
Open Scope Z_scope.

Record plan : Type :=
  { plan_tilt : Q; plan_smoothing : Q; plan_step : Q; plan_nodes : nat; plan_ends : list nat }.

(** ** Numbers *)

Definition largest_exponent : Z := 4096.
Definition most_nodes : nat := Z.to_nat 16384.
Definition phase_bits : nat := 64.

Definition floor_shift (q : Q) (bits : nat) : Z := Qnum q * two bits / Zpos (Qden q).
Definition ceiling_shift (q : Q) (bits : nat) : Z := ceiling_div (Qnum q * two bits) (Zpos (Qden q)).

(** At least e^q; e^q with q far below 0 is taken for a larger one. *)
Definition exp_above (q : Q) (bits : nat) : Z :=
  snd (exp_bounds bits (Z.max (ceiling_shift q bits) (- largest_exponent * two bits))).

(** Around e^q. *)
Definition exp_around (q : Q) (bits : nat) : Z * Z :=
  let floor := floor_shift q bits in
  if floor <? - largest_exponent * two bits then (0, exp_above q bits)
  else let (low, high) := exp_bounds bits floor in (low, high + high / two (bits - 1) + 1).

Fixpoint power_below (bits : nat) (base : Z) (exponent : positive) : Z :=
  match exponent with
  | xH => base
  | xO e => let half := power_below bits base e in shifted_down (half * half) bits
  | xI e => let half := power_below bits base e in shifted_down (shifted_down (half * half) bits * base) bits
  end.

(** At least the power. *)
Definition power_above (bits : nat) (base : Z) (exponent : nat) : Z :=
  match Z.of_nat exponent with Zpos e => power_of bits base e | _ => two bits end.

(** ** Nodes *)

Definition squared_number (k : nat) : Z := Z.of_nat k * Z.of_nat k.

Definition fall_at (p : plan) (bits : nat) : nat -> Z :=
  let width := Qred (plan_smoothing p * plan_step p) in
  let falling := Qred (width * width / 2) in
  fun k => exp_above (Qred (- (falling * inject_Z (squared_number k)))) bits.

(** Twice the weight of each node but the first. *)
Definition node_weight (p : plan) (bits : nat) (k : nat) : Z :=
  let a := Qnum (plan_step p) in
  let b := Zpos (Qden (plan_step p)) in
  ceiling_div (fall_at p bits k * (a * b) * (match k with O => 1 | _ => 2 end)) (b * b + a * a * squared_number k).

Definition node_weights (p : plan) (bits : nat) : list Z := map (node_weight p bits) (seq 0 (S (plan_nodes p))).

Definition nodes_beyond (p : plan) (bits : nat) : Z :=
  ceiling_div (2 * fall_at p bits (plan_nodes p) * Zpos (Qden (plan_step p)))
    (Qnum (plan_step p) * Z.of_nat (plan_nodes p)).

(** Below 2 pi. *)
Definition twice_pi : Q := 314159265358979 # 50000000000000.

(** In units of 1. *)
Definition front (p : plan) (bits : nat) : Q :=
  Qred ((exp_above (Qred (plan_smoothing p * plan_smoothing p / 2)) bits # Z.to_pos (two bits)) /
    (twice_pi * plan_tilt p))%Q.

(** ** Rows *)

(** A value, and its mass times e^(tilt value), from below and from above. *)
Definition tilted_value (tilt : Q) (bits : nat) (vm : Q * Q) : Q * (Z * Z) :=
  let (low, high) := exp_around (Qred (tilt * fst vm)) bits in
  let (a, b) := (Qnum (snd vm), Zpos (Qden (snd vm))) in
  (fst vm, (a * low / b, ceiling_div (a * high) b)).

Definition z_total {A} (f : A -> Z) (l : list A) : Z := fold_right (fun a s => f a + s) 0 l.

Definition moment_of (tilted : list (Q * (Z * Z))) : Z := z_total (fun t => snd (snd t)) tilted.
Definition excess_of_masses (tilted : list (Q * (Z * Z))) : Z :=
  moment_of tilted - z_total (fun t => fst (snd t)) tilted.

(** A mass, the phase of one node, and that of this one. *)
Definition rotor : Type := (Z * (Z * Z) * (Z * Z))%type.

Definition rotor_of (p : plan) (fine : nat) (t : Q * (Z * Z)) : rotor :=
  (snd (snd t), unit_number fine (Qred (plan_step p * plan_tilt p * fst t)), (two fine, 0)).

Definition turned (fine : nat) (r : rotor) : rotor :=
  (fst (fst r), snd (fst r), rotated fine (snd r) (snd (fst r))).

(** At least abs(M(tilt + iy)) at this node. *)
Definition size_above (bits : nat) (moment slack : Z) (rotors : list rotor) : Z :=
  let fine := (bits + phase_bits)%nat in
  let x := z_total (fun r => fst (fst r) * fst (snd r)) rotors in
  let y := z_total (fun r => fst (fst r) * snd (snd r)) rotors in
  Z.min moment (up (Z.sqrt (x * x + y * y) + 1) fine + slack).

Fixpoint sizes_above (count : nat) (bits : nat) (moment slack : Z) (rotors : list rotor) : list Z :=
  match count with
  | O => []
  | S count' => size_above bits moment slack rotors ::
      sizes_above count' bits moment slack (map (turned (bits + phase_bits)) rotors)
  end.

(** ** Stages *)

(** What each stage weighs at least, and what is left of H. *)
Fixpoint stage_weights (bits : nat) (low high before : Z) (ends : list nat) : list Z * Z :=
  match ends with
  | [] => ([], before)
  | t :: more =>
    let below := match Z.of_nat t with Zpos e => power_below bits low e | _ => two bits end in
    let (weights, left) := stage_weights bits low high (power_above bits high t) more in
    (before - below :: weights, left)
  end.

(** For each number r of users, from the smallest, the nodes with the power r/2 of their shares. *)
Fixpoint sums_of_nodes (bits : nat) (weights : list Z) (rest : Z) (shares terms : list Z) (done : nat)
    (halves : list nat) : list Z :=
  match halves with
  | [] => []
  | h :: more =>
    let terms' := map (fun ts => if fst ts =? 1 then 1
      else up (fst ts * power_above bits (snd ts) (h - done)) bits) (combine terms shares) in
    up (z_total (fun wt => fst wt * snd wt) (combine weights terms')) bits + rest ::
      sums_of_nodes bits weights rest shares terms' h more
  end.

(** The sum over the stages of weight, power and nodes over r. *)
Definition moved (bits : nat) (halves : list nat) (weights powers sums : list Z) : Z :=
  z_total (fun x => ceiling_div (fst (fst (fst x)) * snd (fst (fst x)) * snd (fst x)) (2 * Z.of_nat (snd x)))
    (combine (combine (combine weights powers) sums) halves).

(** ** The bound *)

Definition is_short (q : Q) : bool := Qle_bool q (inject_Z largest_exponent).

Definition in_limits (p : plan) (bits : nat) (tilted : list (Q * (Z * Z))) : bool :=
  forallb (fun t => Nat.leb (angle_bits (Qred (plan_step p * plan_tilt p * fst t))) (bits + phase_bits)) tilted.

(** The stages of n users, the one who differs among them, with half the number that hide. *)
Fixpoint rises (before : nat) (ends : list nat) (n : nat) : bool :=
  match ends with
  | [] => true
  | t :: more => Nat.ltb before t && Nat.leb t (n - 2) && Nat.even (n - t) && rises t more n
  end.

Definition halves_of (p : plan) (n : nat) : list nat := map (fun t => Nat.div2 (n - t)) (plan_ends p).

Definition plan_is_good (p : plan) (bits n : nat) : bool :=
  (0 <? Qnum (plan_tilt p)) && (0 <? Qnum (plan_smoothing p)) && (0 <? Qnum (plan_step p)) &&
  Nat.leb 1 (plan_nodes p) && Nat.leb (plan_nodes p) most_nodes && Nat.leb 8 bits && Nat.leb 3 n &&
  is_short (plan_smoothing p * plan_smoothing p / 2) &&
  match plan_ends p with [] => false | _ => rises 0 (plan_ends p) n end.

(** With the chances of the stages, and what is left, the powers and the sums of the nodes: at most delta. *)
Definition stages_within (bits : nat) (halves : list nat) (chances : list Z * Z) (before alone delta charge : Q)
    (logarithm : Z) (sums : list Z) : bool :=
  let one := two bits in
  let (weights, left) := chances in
  forallb (Z.leb 0) sums && Qle_bool (alone * (left # Z.to_pos one) + charge * (z_total (fun w => w) weights # Z.to_pos one) +
    before * (moved bits halves weights
      (map (fun h => exp_above (logarithm * Z.of_nat h # Z.to_pos one) bits) halves) sums # Z.to_pos (two (3 * bits))))
    delta.

(** What a mass gamma of the common law leaves of each stage. *)
Definition chances_of (p : plan) (bits : nat) (gamma : Q) : list Z * Z :=
  stage_weights bits (floor_shift (Qred (1 - gamma)) bits) (ceiling_shift (Qred (1 - gamma)) bits) (two bits) (plan_ends p).

(** A number of a square above 0 whose powers are not too large. *)
Definition square_is_good (bits : nat) (halves : list nat) (square logarithm : Z) : bool :=
  (0 <? square) && (logarithm * Z.of_nat (hd O halves) <=? largest_exponent * two bits).

(** The sums where all nodes may have the size of the first, and of what they are. *)
Definition quick_sums (nodes : list Z) (rest : Z) (halves : list nat) : list Z :=
  map (fun _ => z_total (fun w => w) nodes + rest) halves.

Definition sums_of_shares (bits : nat) (nodes : list Z) (rest : Z) (halves : list nat) (shares : list Z) : list Z :=
  rev (sums_of_nodes bits nodes rest shares (map (fun _ => two bits) nodes) O (rev halves)).

(** At least abs(M(tilt + iy)) at all nodes. *)
Definition sizes_of_row (p : plan) (bits : nat) (tilted : list (Q * (Z * Z))) : list Z :=
  let moment := moment_of tilted in
  sizes_above (S (plan_nodes p)) bits moment (excess_of_masses tilted + up moment bits + 1)
    (map (rotor_of p (bits + phase_bits)) tilted).

(** With the values of a row that is never sent from without a mass, its charge, the mass gamma of the common law, and
    H: at most delta. *)
Definition row_is_below_with (p : plan) (bits n : nat) (nodes : list Z) (rest : Z) (before : Q)
    (gamma alone delta charge : Q) (values : least_values.table) : bool :=
  let halves := halves_of p n in
  let chances := chances_of p bits gamma in
  let tilted := map (tilted_value (plan_tilt p) bits) values in
  let moment := moment_of tilted in
  let square := up (moment * moment) bits in
  let logarithm := snd (log_bounds square bits) in
  let within := stages_within bits halves chances before alone delta charge logarithm in
  forallb (fun v => is_short (plan_tilt p * fst v)) values && forallb (Z.leb 0) (fst chances) &&
  square_is_good bits halves square logarithm &&
  (within (quick_sums nodes rest halves) ||
   in_limits p bits tilted &&
   within (sums_of_shares bits nodes rest halves
     (map (fun size => Z.min (two bits) (ceiling_div (size * size) square)) (sizes_of_row p bits tilted)))).

(** What depends on the plan alone is made once. *)
Definition row_is_below (p : plan) (bits n : nat) : Q -> Q -> Q -> Q -> least_values.table -> bool :=
  row_is_below_with p bits n (node_weights p bits) (nodes_beyond p bits) (front p bits).

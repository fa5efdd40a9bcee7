(** The witnesses of docs/certificates.md, as the reader passes them to the programs.

    One constructor for each form of a witness. A witness says where to look; nothing is believed because it stands in
    one, so that nothing here is trusted. Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List.
From ExactdpChecker Require Import claims.

(** How e^eps and the weights are bounded: not at all, by a Taylor sum of so many terms, or with so many bits. *)
Inductive precision : Type := Exactly | TaylorTerms (K : Z) | Bits (b : Z).

(** Who the other users are in a likelihood test: weights of the inputs of a table, or one of four words. *)
Inductive others : Type := Weighted (weights : list Q) | OfFirst | OfSecond | OfThird | OfXor.

Record likelihood : Type := {
  pair_tested : option (Z * Z);  (* the two inputs, of a table *)
  other_users : others; test_bits : Z; test_length : Z; at_ratio : Q; test_step : Q; cut_bits : Z;
  test_threshold : option Z  (* none in a pair of a composition *) }.

Record event : Type := {
  event_first : Z; event_second : Z; event_others : list Z; scores : list Z; event_threshold : option Z;
    event_bits : Z;
  (* of classes of users: that of the user who differs, the cuts, and what the others of each class hold *)
  event_classes : option (Z * list Z * list (list Z)) }.

(** Of a swap: a tilt, a smoothing, the step and the number of nodes, the ends of the stages, and whether the user who
    differs keeps a slot of his own. *)
Record swap_plan : Type := {
  swap_tilt : Q; swap_smoothing : Q; swap_step : Q; swap_nodes : Z; swap_stages : list Z; swap_own : bool }.

(** What bounds all data sets at once: laws on a lattice, plans with a place of one for each pair of inputs, or, of two
    messages, all counts. *)
Inductive bound_of_all : Type :=
  | ByBlanket (bits length : Z) (bounds : list (Q * Z))
  | BySwap (bits : Z) (plans : list swap_plan) (places : list Z) (used : list (list Z))  (* the classes counted on *)
  | ByTwoMessages
  | ByClosedBracket  (* what is known to be worst, which refutes as well *).

Inductive tree : Type :=
  | Leaf (corner_high : list bool) (taylor bits : Z)
  | Cut (variable : Z) (place : Q) (low high : tree).

(** Events that reach a delta at all points: outcomes of two neighbouring data sets, as counts of each message, or
    integers that a law and the law moved have. *)
Record reached_event : Type := { reached_first : list Z; reached_second : list Z; reached_counts : list (list Z) }.

Record reached_shift : Type := { reached_by : Z; is_forward : bool; reached_integers : list Z }.

Inductive reached : Type :=
  | NothingReached
  | ReachedViews (entries : list reached_event)
  | ReachedShifts (entries : list reached_shift).

Inductive witness : Type :=
  | Simple (p : precision)                                  (* {}, terms or bits *)
  | TwoDataSets (first second : list Z) (p : precision)
  | Vertex (x y bystander : Z) (outcome functional : list Z)
  | Smaller (q : Q)
  | ForAllDataSets (bound : bound_of_all) (p : precision)
  | Likelihood (test : likelihood) (p : precision)
  | Event (test : event) (p : precision)
  | ShiftOrder (shift : Z) (forward : bool) (p : precision)
  | Pure                                                     (* {"pure": "yes"} *)
  | MessageEvent (message holders above : Z) (p : precision) (* of two messages *)
  | By (shift : Z) (p : precision)                           (* smooth; split_and_mix: so many coefficients *)
  | OfDataSet (histogram : list Z)                           (* accuracy *)
  | Outcome (k : Z) (p : precision)                          (* equal_laws *)
  | OfInput (x : Z)                                          (* additive_view *)
  | Counts (outcome : list Z)                                (* zero_estimate *)
  | HandelmanTerms (terms : list (Q * list nat))             (* inequality *)
  | Point (point : list Q) (p : precision)
  | BoxTree (t : tree)
  | Curves (ratio : Q) (bits : Z) (curves : list (list Z * curve_witness)) (p : precision)
  | Pairs (ratio : Q) (bits : Z) (pairs : list witness) (p : precision)
  | Parts (parts : list witness)
  | PartWitness (part : Z) (w : witness)
  | OfFunctions (w : functions_witness)                      (* for_all, monotone *)

(** The deltas of a run are proved by one witness for all of them, or by one for each. *)
with curve_witness : Type :=
  | ForAllLevels (w : witness)
  | ForEachLevel (ws : list witness)

(** Of claims with functions of parameters. *)
with functions_witness : Type :=
  | OnCells (cells : tree) (events : reached)
  | AtPoint (point : list Q) (w : option witness)
  | ByChannel (channel : list (list rational_function)) (cells : tree)
  | TwoLevels (low_point high_point : list Q) (nb : neighboring) (n : Z) (E delta : Q) (proof refutation : witness).

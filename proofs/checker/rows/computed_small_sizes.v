(** Rows of proofs/small_sizes.py whose claim, for every value of a parameter, the kernel computes.

    Each claim lists, for some numbers of users, functions of which the largest is the least delta, or one that is
    enough, at all values of the parameters (least_of_functions.v); its table is the law of a program
    (programs_as_tables.v). Claims and witnesses are those of the certificates. Where the published pair's delta is
    below the protocol's is left to polynomials (pair_of_few_users.v). Source: this package. *)

From Coq Require Import ZArith QArith Qreals Reals List Lra Lia PeanoNat Permutation.
From Exactdp Require Import sums laws privacy single_message adding_a_user bits variation_ratio zsum gap_local.
From Exactdp Require Import complement.
From ExactdpChecker Require Import claims witnesses least_of_functions programs_as_tables pair_of_few_users.
From ExactdpComputed Require Import by_computation.
Import ListNotations.
Open Scope Q_scope.

(** ** Claims and witnesses *)

Definition order : rational_function := Constant (3 # 2).

Definition of_gamma (t : functional_table) : Z * list rational_function -> claim :=
  on_box [[103; 97; 109; 109; 97]%Z] [(0, 1)] t order LeastDelta.

(** *** zsum *)

Definition zsum_sizes : list (Z * list rational_function) := [
  (1%Z, map of_powers [[1; -1 # 1]; [0; 1]]);
  (2%Z, map of_powers [[1; -2 # 1; 1]; [0; 2; -5 # 2]; [-1 # 2; 3; -5 # 2]; [0; 0; 1]]);
  (3%Z, map of_powers [[1; -3 # 1; 3; -1 # 1]; [0; 3; -15 # 2; 4]; [-1 # 2; 9 # 2; -15 # 2; 7 # 2]; [0; 0; 3; -7 # 2];
    [-1 # 2; 0; 9 # 2; -4 # 1]; [0; 0; 0; 1]]);
  (4%Z, map of_powers [[1; -4 # 1; 6; -4 # 1; 1]; [-1 # 2; 6; -15 # 1; 14; -9 # 2]; [0; 0; 0; 4; -9 # 2];
    [0; 0; 0; 0; 1]]);
  (5%Z, map of_powers [[1; -5 # 1; 10; -10 # 1; 5; -1 # 1]; [-1 # 2; 15 # 2; -25 # 1; 35; -45 # 2; 11 # 2];
    [0; 0; 0; 10; -45 # 2; 12]; [-1 # 2; 0; 15; -40 # 1; 75 # 2; -12 # 1]; [0; 0; 0; 0; 5; -11 # 2];
    [0; 0; 0; 0; 0; 1]])].

Definition claimed_small_zsum : claim := Conjunction (map (of_gamma zsum_table) zsum_sizes) [].

Definition zsum_witness : witness := Parts [
  reached_at [] [reaches [0; 1] [1; 0] [[2]]; reaches [1; 0] [0; 1] [[0]]]%Z;
  reached_at [1 # 2] [reaches [1; 1] [2; 0] [[3]]; reaches [2; 0] [1; 1] [[0]; [1]];
    reaches [1; 1] [2; 0] [[2]; [3]]; reaches [2; 0] [1; 1] [[0]]]%Z;
  reached_at [1 # 2] [reaches [2; 1] [3; 0] [[4]]; reaches [3; 0] [2; 1] [[0]; [1]; [2]];
    reaches [2; 1] [3; 0] [[3]; [4]]; reaches [3; 0] [2; 1] [[0]; [1]]; reaches [2; 1] [3; 0] [[2]; [3]; [4]];
    reaches [3; 0] [2; 1] [[0]]]%Z;
  reached_at [1 # 2; 1 # 3; 1 # 5; 1 # 4; 2 # 3; 4 # 5; 3 # 4] [reaches [3; 1] [4; 0] [[5]];
    reaches [3; 1] [4; 0] [[4]; [5]]; reaches [4; 0] [3; 1] [[0]; [1]]; reaches [4; 0] [3; 1] [[0]]]%Z;
  reached_at [1 # 2; 1 # 3; 1 # 5; 2 # 3; 4 # 5] [reaches [4; 1] [5; 0] [[6]]; reaches [4; 1] [5; 0] [[5]; [6]];
    reaches [5; 0] [4; 1] [[0]; [1]; [2]]; reaches [4; 1] [5; 0] [[4]; [5]; [6]]; reaches [5; 0] [4; 1] [[0]; [1]];
    reaches [5; 0] [4; 1] [[0]]]%Z].

(** *** Randomized response that sends a uniform symbol with probability gamma *)

Definition binary_sizes : list (Z * list rational_function) := [
  (1%Z, map of_powers [[1; -5 # 4]; [0]]);
  (2%Z, map of_powers [[1; -7 # 4; 5 # 8]; [0]]);
  (3%Z, map of_powers [[1; -9 # 4; 3 # 2; -5 # 16]; [0]]);
  (4%Z, map of_powers [[1; -11 # 4; 21 # 8; -17 # 16; 5 # 32]; [0]]);
  (5%Z, map of_powers [[1; -13 # 4; 4; -19 # 8; 11 # 16; -5 # 64]; [0]]);
  (6%Z, map of_powers [[1; -15 # 4; 45 # 8; -35 # 8; 15 # 8; -27 # 64; 5 # 128];
    [1; -4 # 1; 57 # 8; -15 # 2; 37 # 8; -3 # 2; 25 # 128]; [0]]);
  (7%Z, map of_powers [[1; -17 # 4; 15 # 2; -115 # 16; 65 # 16; -87 # 64; 1 # 4; -5 # 256];
    [1; -9 # 2; 75 # 8; -95 # 8; 75 # 8; -141 # 32; 143 # 128; -15 # 128]; [0]]);
  (8%Z, map of_powers [[1; -19 # 4; 77 # 8; -175 # 16; 245 # 32; -217 # 64; 119 # 128; -37 # 256; 5 # 512];
    [1; -5 # 1; 95 # 8; -35 # 2; 535 # 32; -163 # 16; 485 # 128; -25 # 32; 35 # 512]; [0]]);
  (9%Z, map of_powers [[1; -21 # 4; 12; -63 # 4; 105 # 8; -231 # 32; 21 # 8; -39 # 64; 21 # 256; -5 # 1024];
    [1; -11 # 2; 117 # 8; -49 # 2; 875 # 32; -651 # 32; 1267 # 128; -193 # 64; 267 # 512; -5 # 128];
    [-1 # 2; 6; -45 # 2; 42; -735 # 16; 63 # 2; -441 # 32; 15 # 4; -297 # 512; 5 # 128]; [0]]);
  (10%Z, map of_powers
    [[1; -23 # 4; 117 # 8; -87 # 4; 21; -441 # 32; 399 # 64; -123 # 64; 99 # 256; -47 # 1024; 5 # 2048];
    [1; -6 # 1; 141 # 8; -33 # 1; 42; -147 # 4; 1407 # 64; -141 # 16; 579 # 256; -43 # 128; 45 # 2048];
    [1; -25 # 4; 20; -335 # 8; 1925 # 32; -3857 # 64; 2695 # 64; -1285 # 64; 3175 # 512; -285 # 256; 45 # 512];
    [-1 # 2; 27 # 4; -225 # 8; 237 # 4; -1197 # 16; 1953 # 32; -2121 # 64; 765 # 64; -1413 # 512; 379 # 1024;
      -45 # 2048];
    [0]])].

Definition claimed_small_binary_response : claim :=
  Conjunction (map (of_gamma (symbols_table 2 (of_powers [1; -1 # 2]) (of_powers [0; 1 # 2]))) binary_sizes) [].

Definition binary_witness : witness := Parts [
  reached_at [] [reaches [1; 0] [0; 1] [[1; 0]]; reaches [1; 0] [0; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [2; 0] [1; 1] [[2; 0]]; reaches [2; 0] [1; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [3; 0] [2; 1] [[3; 0]]; reaches [3; 0] [2; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [4; 0] [3; 1] [[4; 0]]; reaches [4; 0] [3; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [5; 0] [4; 1] [[5; 0]]; reaches [5; 0] [4; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [6; 0] [5; 1] [[6; 0]]; reaches [5; 1] [4; 2] [[5; 1]; [6; 0]];
    reaches [6; 0] [5; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [7; 0] [6; 1] [[7; 0]]; reaches [6; 1] [5; 2] [[6; 1]; [7; 0]];
    reaches [7; 0] [6; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [8; 0] [7; 1] [[8; 0]]; reaches [7; 1] [6; 2] [[7; 1]; [8; 0]];
    reaches [8; 0] [7; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5] [reaches [9; 0] [8; 1] [[9; 0]]; reaches [8; 1] [7; 2] [[8; 1]; [9; 0]];
    reaches [9; 0] [8; 1] [[8; 1]; [9; 0]]; reaches [9; 0] [8; 1] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5; 3 # 4; 5 # 7] [reaches [10; 0] [9; 1] [[10; 0]];
    reaches [9; 1] [8; 2] [[9; 1]; [10; 0]]; reaches [8; 2] [7; 3] [[8; 2]; [9; 1]; [10; 0]];
    reaches [10; 0] [9; 1] [[9; 1]; [10; 0]]; reaches [10; 0] [9; 1] []]%Z].

Definition ternary_sizes : list (Z * list rational_function) := [
  (1%Z, map of_powers [[1; -7 # 6]; [0]]);
  (2%Z, map of_powers [[1; -3 # 2; 1 # 3]; [1; -11 # 6; 7 # 9]; [0]]);
  (3%Z, map of_powers [[1; -11 # 6; 5 # 6; -5 # 27]; [1; -11 # 6; 7 # 9; -2 # 27]; [1; -13 # 6; 13 # 9; -19 # 54];
    [1; -5 # 2; 2; -14 # 27]; [0]]);
  (4%Z, map of_powers [[1; -13 # 6; 3 # 2; -35 # 54; 10 # 81]; [1; -13 # 6; 4 # 3; -11 # 54; -13 # 162];
    [1; -5 # 2; 20 # 9; -26 # 27; 14 # 81]; [1; -17 # 6; 3; -41 # 27; 26 # 81];
    [1; -19 # 6; 11 # 3; -50 # 27; 28 # 81]; [0]])].

Definition claimed_small_ternary_response : claim :=
  Conjunction (map (of_gamma (symbols_table 3 (of_powers [1; -2 # 3]) (of_powers [0; 1 # 3]))) ternary_sizes) [].

Definition ternary_witness : witness := Parts [
  reached_at [] [reaches [1; 0; 0] [0; 1; 0] [[1; 0; 0]]; reaches [1; 0; 0] [0; 1; 0] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5; 7 # 8; 5 # 6; 6 # 7] [reaches [1; 1; 0] [1; 0; 1] [[0; 2; 0]; [1; 1; 0]];
    reaches [2; 0; 0] [1; 1; 0] [[2; 0; 0]]; reaches [2; 0; 0] [1; 1; 0] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5; 3 # 4; 7 # 8; 5 # 6; 6 # 7] [
    reaches [2; 1; 0] [2; 0; 1] [[0; 2; 1]; [0; 3; 0]; [1; 2; 0]; [2; 1; 0]];
    reaches [2; 1; 0] [2; 0; 1] [[0; 3; 0]; [1; 2; 0]; [2; 1; 0]]; reaches [2; 1; 0] [1; 1; 1] [[2; 1; 0]; [3; 0; 0]];
    reaches [3; 0; 0] [2; 1; 0] [[3; 0; 0]]; reaches [3; 0; 0] [2; 1; 0] []]%Z;
  reached_at [1 # 2; 2 # 3; 4 # 5; 3 # 4; 5 # 7; 9 # 13; 7 # 8; 5 # 6; 9 # 11; 17 # 21; 29 # 36; 6 # 7] [
    reaches [3; 1; 0] [3; 0; 1] [[0; 3; 1]; [0; 4; 0]; [1; 2; 1]; [1; 3; 0]; [2; 2; 0]; [3; 1; 0]];
    reaches [3; 1; 0] [3; 0; 1] [[0; 3; 1]; [0; 4; 0]; [1; 3; 0]; [2; 2; 0]; [3; 1; 0]];
    reaches [2; 2; 0] [2; 1; 1] [[0; 4; 0]; [1; 3; 0]; [2; 2; 0]]; reaches [3; 1; 0] [2; 1; 1] [[3; 1; 0]; [4; 0; 0]];
    reaches [4; 0; 0] [3; 1; 0] [[4; 0; 0]]; reaches [4; 0; 0] [3; 1; 0] []]%Z].

(** *** The complement *)

Definition both_flipped : list (rational_function * list nat) :=
  let one := of_powers [0; 1; -1 # 1] in
  [(one, [0; 0]%nat); (of_powers [1; -2 # 1; 2], [0; 1]%nat); (one, [1; 1]%nat)].

Definition flip_claim : Z * list rational_function -> claim :=
  on_box [[112]%Z] [(0, 1)] (symbols_table 2 one_less parameter) order LeastDelta.

Definition flip_sizes : list (Z * list rational_function) := [
  (1%Z, map of_powers [[1; -5 # 2]; [-3 # 2; 5 # 2]; [0]])].

Definition claimed_small_complement : claim :=
  Conjunction ([whatever_is_held [(Constant 1, [0; 1]%nat)]; whatever_is_held both_flipped] ++
    map flip_claim flip_sizes) [].

Definition complement_witness : witness := Parts [
  enough_at [];
  enough_at [];
  reached_at [] [reaches [1; 0] [0; 1] [[1; 0]]; reaches [1; 0] [0; 1] [[0; 1]]; reaches [1; 0] [0; 1] []]%Z].

(** *** R^gap *)

Definition claimed_small_gap_one_user : claim :=
  on_box [[113]; [115]; [69]]%Z [(0, 1); (0, 1); (1, 1000)] (gap_of_q_s [0%nat]) (Polynomial [(1, [0; 0; 1]%nat)])
    LeastDelta (1%Z, [of_q_s [0%nat] [(1, (1, 0)%nat)]]).

Definition gap_one_user_witness : witness :=
  OfFunctions (OnCells (cells_at []) (ReachedViews [reaches [1; 0] [0; 1] [[2; 2]]]%Z)).

Definition two_private : claim :=
  on_box [[113]; [115]]%Z [(0, 1 # 2); (1 # 10, 1 # 4)] (gap_of_q_s [])
    (Quotient [(1, [0; 1]%nat); (1, [1; 0]%nat); (-1 # 1, [1; 1]%nat)] [(1, [0; 1]%nat)]) LeastNothing
    (2%Z, [Constant 0]).

Definition two_closer : claim :=
  on_box [[113]; [115]; [117]]%Z [(1 # 10, 1 # 2); (1 # 10, 1 # 4); (0, 1 # 100)] (gap_of_q_s [0%nat])
    (Quotient [(1, [0; 1; 0]%nat); (-1 # 1, [0; 1; 1]%nat); (1, [1; 0; 0]%nat); (-1 # 1, [1; 1; 0]%nat)]
      [(1, [0; 1; 0]%nat)]) LeastDelta (2%Z, [Polynomial [(1, [0; 1; 1]%nat); (-1 # 1, [0; 2; 1]%nat)]]).

Definition claimed_small_gap_two_users : claim := Conjunction [two_private; two_closer] [].

Definition gap_two_users_witness : witness := Parts [
  enough_at [];
  reached_at [] [reaches [1; 1] [0; 2] [[3; 5]; [5; 3]]]%Z].

Definition gap_sizes : list (Z * list rational_function) := [
  (2%Z, map of_powers [[0]; [-2 # 25; 16 # 25]; [-17 # 100; -17 # 100; 67 # 50]]);
  (3%Z, map of_powers [[0]; [-6 # 125; 61 # 250]; [-6 # 125; 0; -219 # 250; 481 # 250]])].

Definition claimed_small_gap : claim :=
  Conjunction (map (on_box [[113]%Z] [(0, 1)] gap_of_q order LeastDelta) gap_sizes) [].

Definition gap_witness : witness := Parts [
  reached_at [1 # 2; 1 # 3; 1 # 5; 1 # 8] [reaches [2; 0] [1; 1] []; reaches [1; 1] [0; 2] [[3; 5]; [5; 3]];
    reaches [2; 0] [1; 1] [[4; 4]]]%Z;
  reached_at [1 # 2; 1 # 3; 2 # 3] [reaches [3; 0] [2; 1] []; reaches [1; 2] [0; 3] [[6; 6]];
    reaches [3; 0] [2; 1] [[6; 6]]]%Z].

(** *** k-ary response in e^eps0 = p *)

Definition of_ratio (w : least) (sized : nat * (Z * list rational_function)) : claim :=
  on_box [[112]%Z] [(1, 8)] (ratio_table (fst sized)) order w (snd sized).

Definition clones_sizes : list (Z * list rational_function) := [
  (1%Z, Constant 0 :: map (over [2; 2]) [[-3 # 1; 2]]);
  (2%Z, Constant 0 :: map (over [0; 4; 4]) [[3; -8 # 1; 4]]);
  (3%Z, Constant 0 :: map (over [0; 0; 8; 8]) [[-3 # 1; 14; -20 # 1; 8]; [-7 # 1; 15; -20 # 1; 8]]);
  (4%Z, Constant 0 :: map (over [0; 0; 0; 16; 16]) [[3; -20 # 1; 48; -48 # 1; 16]; [-4 # 1; -17 # 1; 48; -48 # 1; 16];
    [20; -47 # 1; 54; -48 # 1; 16]])].

Definition claimed_small_clones : claim :=
  Conjunction (map (of_ratio LeastNothing) (list_prod [2; 3]%nat clones_sizes)) [].

Definition stronger_sizes : list (Z * list rational_function) := [
  (1%Z, Constant 0 :: map (over [2; 2]) [[-3 # 1; 2]]);
  (2%Z, Constant 0 :: map (over [2; 4; 2]) [[0; -3 # 1; 2]]);
  (3%Z, Constant 0 :: map (over [2; 6; 6; 2]) [[0; 0; -3 # 1; 2]; [-4 # 1; 1; -3 # 1; 2]]);
  (4%Z, Constant 0 :: map (over [2; 8; 12; 8; 2]) [[0; 0; 0; -3 # 1; 2]; [-7 # 1; 3; 0; -3 # 1; 2];
    [5; -12 # 1; 3; -3 # 1; 2]])].

Definition claimed_small_stronger_clones : claim :=
  Conjunction (map (of_ratio LeastNothing) (list_prod [2; 3]%nat stronger_sizes)) [].

(** For each of two tables. *)
Definition clones_witness : witness :=
  let size := enough_at [4; 2; 3 # 2] in Parts (repeat size 8).

Definition blanket_sizes : list (Z * list rational_function) := [
  (1%Z, Constant 0 :: map (over [4; 2]) [[-3 # 1; 2]]);
  (2%Z, Constant 0 :: map (over [8; 8; 2]) [[0; -3 # 1; 2]; [-4 # 1; -1 # 1; 2]]);
  (3%Z, Constant 0 :: map (over [16; 24; 12; 2]) [[0; 0; -3 # 1; 2]; [-7 # 1; 4; -3 # 1; 2]; [1; -8 # 1; 1; 2];
    [-4 # 1; -6 # 1; 1; 2]; [-8 # 1; -5 # 1; 1; 2]]);
  (4%Z, Constant 0 :: map (over [32; 64; 48; 16; 2]) [[0; 0; 0; -3 # 1; 2]; [-10 # 1; 6; 0; -3 # 1; 2];
    [11; -27 # 1; 12; -3 # 1; 2]; [-13 # 1; 9; -12 # 1; 3; 2]; [-20 # 1; 12; -12 # 1; 3; 2];
    [-5 # 1; -9 # 1; -6 # 1; 3; 2]; [-11 # 1; -7 # 1; -6 # 1; 3; 2]; [1; -22 # 1; -3 # 1; 3; 2];
    [-14 # 1; -19 # 1; -3 # 1; 3; 2]])].

Definition claimed_small_blanket : claim :=
  Conjunction (map (of_ratio LeastNothing) (list_prod [3%nat] blanket_sizes)) [].

Definition blanket_witness : witness := Parts [
  enough_at [];
  enough_at [4; 2; 3 # 2];
  enough_at [4; 2; 3 # 2];
  enough_at [4; 2; 3 # 2; 5 # 3]].

Definition ratio_sizes : list (Z * list rational_function) := [
  (2%Z, Constant 0 :: map (over [8; 8; 2]) [[0; -3 # 1; 2]; [-4 # 1; -1 # 1; 2]]);
  (3%Z, Constant 0 :: map (over [16; 24; 12; 2]) [[0; 0; -3 # 1; 2]; [-3 # 1; -2 # 1; -1 # 1; 2];
    [-4 # 1; -6 # 1; 1; 2]; [-8 # 1; -5 # 1; 1; 2]])].

Definition claimed_small_ternary_response_every_eps0 : claim :=
  Conjunction (map (of_ratio LeastDelta) (list_prod [3%nat] ratio_sizes)) [].

Definition ratio_witness : witness := Parts [
  reached_at [4; 2; 3 # 2] [reaches [2; 0; 0] [1; 1; 0] []; reaches [2; 0; 0] [1; 1; 0] [[2; 0; 0]];
    reaches [1; 1; 0] [1; 0; 1] [[0; 2; 0]; [1; 1; 0]]]%Z;
  reached_at [4; 2; 3 # 2] [reaches [3; 0; 0] [2; 1; 0] []; reaches [3; 0; 0] [2; 1; 0] [[3; 0; 0]];
    reaches [2; 1; 0] [1; 1; 1] [[2; 1; 0]; [3; 0; 0]]; reaches [2; 1; 0] [2; 0; 1] [[0; 3; 0]; [1; 2; 0]; [2; 1; 0]];
    reaches [2; 1; 0] [2; 0; 1] [[0; 2; 1]; [0; 3; 0]; [1; 2; 0]; [2; 1; 0]]]%Z].

Definition beyond_E (sized : nat * (Z * list rational_function)) : claim :=
  on_box [[69]; [118]]%Z [(1, 1000); (0, 1000)] (beyond_table (fst sized)) (Polynomial [(1, [1; 0]%nat)]) LeastNothing
    (snd sized).

Definition beyond_sizes : list (Z * list rational_function) := [
  (1%Z, [Quotient [(1, [0; 1]%nat)] (E_plus_v_plus 1)]);
  (2%Z, [Quotient [(1, [0; 2]%nat); (1, [1; 1]%nat)]
    [(1, [0; 0]%nat); (2, [0; 1]%nat); (1, [0; 2]%nat); (2, [1; 0]%nat); (2, [1; 1]%nat); (1, [2; 0]%nat)]])].

Definition claimed_small_stronger_clones_every_eps : claim :=
  Conjunction (map beyond_E (list_prod [2; 3]%nat beyond_sizes)) [].

Definition beyond_witness : witness := Parts (repeat (enough_at []) 4).

(** ** What the kernel computes *)

Lemma zsum_computed : holds claimed_small_zsum.
Proof.
  apply (holds_by zsum_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma complement_computed : holds claimed_small_complement.
Proof.
  apply (holds_by complement_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma gap_one_user_computed : holds claimed_small_gap_one_user.
Proof.
  apply (holds_by gap_one_user_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma gap_two_users_computed : holds claimed_small_gap_two_users.
Proof.
  apply (holds_by gap_two_users_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma gap_computed : holds claimed_small_gap.
Proof.
  apply (holds_by gap_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma clones_computed : holds claimed_small_clones.
Proof.
  apply (holds_by clones_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma stronger_computed : holds claimed_small_stronger_clones.
Proof.
  apply (holds_by clones_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma blanket_computed : holds claimed_small_blanket.
Proof.
  apply (holds_by blanket_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma ratio_computed : holds claimed_small_ternary_response_every_eps0.
Proof.
  apply (holds_by ratio_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma beyond_computed : holds claimed_small_stronger_clones_every_eps.
Proof.
  apply (holds_by beyond_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma ternary_computed : holds claimed_small_ternary_response.
Proof.
  apply (holds_by ternary_witness).
  vm_cast_no_check (eq_refl true).
Qed.

Lemma binary_computed : holds claimed_small_binary_response.
Proof.
  apply (holds_by binary_witness).
  vm_cast_no_check (eq_refl true).
Qed.

(** ** From the claims to the programs *)

Open Scope R_scope.

Lemma order_is x : function_at x order = 3 / 2.
Proof. reflexivity. Qed.

Section of_ratios.

Context (w : least) (ks : list nat) (sizes : list (Z * list rational_function)) (p : R).
Hypothesis computed : holds (Conjunction (map (of_ratio w) (list_prod ks sizes)) []).
Hypothesis inside : 1 <= p <= 8.

Lemma ratio_inside : in_ends [(1, 8)]%Q [p].
Proof. inside_ends. Qed.

Lemma ratio_claimed k : In k ks ->
  forall sized, In sized sizes -> holds (on_box [[112]%Z] [(1, 8)]%Q (ratio_table k) order w sized).
Proof. intros K sized S. apply (holds_each _ _ _ computed (k, sized)), in_prod; assumption. Qed.

Lemma bounded_response k n deltas : In k ks -> (0 < k)%nat -> In (n, deltas) (values_at sizes [p]) ->
  shuffle_dp n (one_message (k_ary k p)) (ln (3 / 2)) (largest deltas).
Proof.
  intros K K0. apply (bounded_by_functions _ _ _ _ _ _ _ _ _ (ratio_claimed k K) ratio_inside (order_is _)).
  apply ratio_same; [exact K0 | lra].
Qed.

Lemma least_response k n deltas delta : In k ks -> (0 < k)%nat -> w = LeastDelta ->
  forallb (fun sized => 1 <=? fst sized)%Z sizes = true -> In (n, deltas) (values_at sizes [p]) ->
  (shuffle_dp n (one_message (k_ary k p)) (ln (3 / 2)) delta <-> largest deltas <= delta).
Proof.
  intros K K0 W. apply (least_of_functions _ _ _ _ _ _ _ _ _ (ratio_claimed k K) ratio_inside (order_is _));
    [| exact W].
  apply ratio_same; [exact K0 | lra].
Qed.

End of_ratios.

Lemma unit_inside v : 0 <= v <= 1 -> in_ends [(0, 1)]%Q [v].
Proof. intros H. inside_ends. Qed.

(** The values that the claim lists are those of the row. *)
Ltac listed sizes :=
  match goal with |- In _ ?l -> In _ ?k => replace k with l; [exact (fun I => I) |] end; symmetry;
    unfold sizes; equal_values.

(** ** The rows *)

Definition row_small_zsum : Prop :=
  forall gamma delta : R, 0 <= gamma <= 1 -> forall n deltas,
  In (n, deltas) [
    (1%nat, [1 - gamma; gamma]);
    (2%nat, [(1 - gamma) ^ 2; gamma * (4 - 5 * gamma) / 2; (1 - gamma) * (5 * gamma - 1) / 2; gamma ^ 2]);
    (3%nat, [(1 - gamma) ^ 3; gamma * (6 - 15 * gamma + 8 * gamma ^ 2) / 2; (7 * gamma - 1) * (1 - gamma) ^ 2 / 2;
      gamma ^ 2 * (6 - 7 * gamma) / 2; (1 - gamma) * (8 * gamma ^ 2 - gamma - 1) / 2; gamma ^ 3]);
    (4%nat, [(1 - gamma) ^ 4; (9 * gamma - 1) * (1 - gamma) ^ 3 / 2; gamma ^ 3 * (8 - 9 * gamma) / 2; gamma ^ 4]);
    (5%nat, [(1 - gamma) ^ 5; (11 * gamma - 1) * (1 - gamma) ^ 4 / 2;
      gamma ^ 3 * (20 - 45 * gamma + 24 * gamma ^ 2) / 2;
      (1 - gamma) ^ 3 * (24 * gamma ^ 2 - 3 * gamma - 1) / 2; gamma ^ 4 * (10 - 11 * gamma) / 2; gamma ^ 5])] ->
  (shuffle_dp n (zsum_randomizer gamma) (ln (3 / 2)) delta <-> largest deltas <= delta).

Theorem row_small_zsum_holds : row_small_zsum.
Proof.
  intros gamma delta H n deltas I.
  apply (least_of_functions _ _ _ _ _ _ _ _ _ (holds_each _ _ _ zsum_computed) (unit_inside _ H) (order_is _)
    (zsum_same gamma)); [reflexivity | reflexivity |].
  revert I. listed zsum_sizes.
Qed.

Definition row_small_binary_response : Prop :=
  forall gamma delta : R, 0 <= gamma <= 1 -> forall n deltas,
  let all_zeros n := (4 - 5 * gamma) * (2 - gamma) ^ (n - 1) / 2 ^ (n + 1) in
  In (n, deltas) [
    (1%nat, [all_zeros 1%nat; 0]); (2%nat, [all_zeros 2%nat; 0]); (3%nat, [all_zeros 3%nat; 0]);
    (4%nat, [all_zeros 4%nat; 0]); (5%nat, [all_zeros 5%nat; 0]);
    (6%nat, [all_zeros 6%nat; (2 - gamma) ^ 3 * (16 - 40 * gamma + 42 * gamma ^ 2 - 25 * gamma ^ 3) / 128; 0]);
    (7%nat, [all_zeros 7%nat; (2 - gamma) ^ 4 * (8 - 20 * gamma + 23 * gamma ^ 2 - 15 * gamma ^ 3) / 128; 0]);
    (8%nat, [all_zeros 8%nat; (2 - gamma) ^ 5 * (16 - 40 * gamma + 50 * gamma ^ 2 - 35 * gamma ^ 3) / 512; 0]);
    (9%nat, [all_zeros 9%nat; (2 - gamma) ^ 6 * (8 - 20 * gamma + 27 * gamma ^ 2 - 20 * gamma ^ 3) / 512;
      (2 - gamma) ^ 7 * (17 * gamma - 2 - 20 * gamma ^ 2) / 512; 0]);
    (10%nat, [all_zeros 10%nat; (2 - gamma) ^ 7 * (16 - 40 * gamma + 58 * gamma ^ 2 - 45 * gamma ^ 3) / 2048;
      (2 - gamma) ^ 5 *
        (16 - 60 * gamma + 130 * gamma ^ 2 - 175 * gamma ^ 3 + 120 * gamma ^ 4 - 45 * gamma ^ 5) / 512;
      (2 - gamma) ^ 8 * (38 * gamma - 4 - 45 * gamma ^ 2) / 2048; 0])] ->
  (shuffle_dp n (one_message (sometimes_uniform 2 gamma)) (ln (3 / 2)) delta <-> largest deltas <= delta).

Theorem row_small_binary_response_holds : row_small_binary_response.
Proof.
  intros gamma delta H n deltas all_zeros I.
  apply (least_of_functions _ _ _ _ _ _ _ _ _ (holds_each _ _ _ binary_computed) (unit_inside _ H) (order_is _));
    [apply uniform_same; [lia | |]; values; simpl INR; field | reflexivity | reflexivity |].
  revert I. unfold all_zeros. cbn [Nat.sub Nat.add]. listed binary_sizes.
Qed.

Definition row_small_ternary_response : Prop :=
  forall gamma delta : R, 0 <= gamma <= 1 -> forall n deltas,
  In (n, deltas) [
    (1%nat, [(6 - 7 * gamma) / 6; 0]);
    (2%nat, [(6 - 9 * gamma + 2 * gamma ^ 2) / 6; (3 - 2 * gamma) * (6 - 7 * gamma) / 18; 0]);
    (3%nat, [(54 - 99 * gamma + 45 * gamma ^ 2 - 10 * gamma ^ 3) / 54;
      (54 - 99 * gamma + 42 * gamma ^ 2 - 4 * gamma ^ 3) / 54;
      (54 - 117 * gamma + 78 * gamma ^ 2 - 19 * gamma ^ 3) / 54; (6 - 7 * gamma) * (3 - 2 * gamma) ^ 2 / 54; 0]);
    (4%nat, [(162 - 351 * gamma + 243 * gamma ^ 2 - 105 * gamma ^ 3 + 20 * gamma ^ 4) / 162;
      (162 - 351 * gamma + 216 * gamma ^ 2 - 33 * gamma ^ 3 - 13 * gamma ^ 4) / 162;
      (162 - 405 * gamma + 360 * gamma ^ 2 - 156 * gamma ^ 3 + 28 * gamma ^ 4) / 162;
      (3 - 2 * gamma) * (54 - 117 * gamma + 84 * gamma ^ 2 - 26 * gamma ^ 3) / 162;
      (6 - 7 * gamma) * (3 - 2 * gamma) ^ 3 / 162; 0])] ->
  (shuffle_dp n (one_message (sometimes_uniform 3 gamma)) (ln (3 / 2)) delta <-> largest deltas <= delta).

Theorem row_small_ternary_response_holds : row_small_ternary_response.
Proof.
  intros gamma delta H n deltas I.
  apply (least_of_functions _ _ _ _ _ _ _ _ _ (holds_each _ _ _ ternary_computed) (unit_inside _ H) (order_is _));
    [apply uniform_same; [lia | |]; values; simpl INR; field | reflexivity | reflexivity |].
  revert I. listed ternary_sizes.
Qed.

Definition row_small_complement : Prop :=
  forall p : R, 0 <= p <= 1 ->
  (forall n, (1 <= n)%nat -> shuffle_dp n (flipped_pair p) 0 0 /\ shuffle_dp n (each_flipped p) 0 0) /\
  forall delta,
  local_dp (flipped_pair p) (ln (3 / 2)) delta <-> largest [(2 - 5 * p) / 2; (5 * p - 3) / 2; 0] <= delta.

Theorem row_small_complement_holds : row_small_complement.
Proof.
  intros p H. assert (Part := holds_part _ _ complement_computed).
  assert (One := Part _ (or_introl eq_refl)). assert (Two := Part _ (or_intror (or_introl eq_refl))).
  assert (Flip : forall sized, In sized flip_sizes -> holds (flip_claim sized))
    by (intros sized S; apply Part, in_or_app; right; apply in_map, S).
  assert (Swap : forall F : list nat -> R, orderless F -> F [1; 0]%nat = F [0; 1]%nat)
    by (intros F O; apply O; constructor).
  split; [intros n N; split | intros delta].
  - refine (whatever_private p _ _ (Nat.ltb 0) Nat.b2n Nat.b2n (Nat.ltb 0) n One H N bits_back (bits_place _) _).
    intros i F O. unfold flipped_pair, complement_randomizer. rewrite mean_bind, mean_coin, !mean_ret.
    destruct (Nat.ltb 0 i); cbn -[Rplus Rmult]; rewrite Swap by exact O; unfold Q2R; simpl; field.
  - refine (whatever_private p _ _ (Nat.ltb 0) Nat.b2n Nat.b2n (Nat.ltb 0) n Two H N bits_back (bits_place _) _).
    intros i F O. unfold each_flipped. rewrite mean_bind, mean_coin, !mean_dmap, !mean_coin.
    unfold both_flipped. destruct (Nat.ltb 0 i); cbn -[Rplus Rmult function_at of_powers]; rewrite (Swap F O); values;
      field.
  - rewrite flipped_alone by exact H.
    apply (least_of_functions _ _ _ _ _ _ _ _ _ Flip (unit_inside _ H) (order_is _)
      (fun n eps delta => conj (fun D => D) (fun D => D)) 1%nat); [reflexivity | reflexivity |].
    left. unfold flip_sizes. equal_values.
Qed.

Definition row_small_gap_one_user : Prop :=
  (forall q s E delta : R, 0 <= q <= 1 -> 0 <= s <= 1 -> 1 <= E <= 1000 ->
    (shuffle_dp 1 (weighted_gap q s) (ln E) delta <-> q <= delta)) /\
  forall n eps delta, shuffle_dp n (weighted_gap (3 / 8) (1 / 5)) eps delta <-> shuffle_dp n gap_randomizer eps delta.

Theorem row_small_gap_one_user_holds : row_small_gap_one_user.
Proof.
  split; [| exact weighted_gap_uniform]. intros q s E delta Q S HE.
  replace q with (largest [q]) at 2 by (simpl; rewrite Rmax_left; lra).
  apply (least_of_functions [[113]; [115]; [69]]%Z [(0, 1); (0, 1); (1, 1000)]%Q (gap_of_q_s [0%nat])
    (Polynomial [(1%Q, [0; 0; 1]%nat)]) LeastDelta [(1%Z, [of_q_s [0%nat] [(1%Q, (1, 0)%nat)]])] [q; s; E]).
  - intros sized [<- | []]. exact gap_one_user_computed.
  - inside_ends.
  - values. field.
  - apply gap_same; unfold of_q_s; values; field.
  - reflexivity.
  - reflexivity.
  - left. unfold of_q_s. equal_values.
Qed.

Definition row_small_gap_two_users : Prop :=
  (forall q s : R, 0 <= q <= 1 / 2 -> 1 / 10 <= s <= 1 / 4 ->
    shuffle_dp 2 (weighted_gap q s) (ln (1 - q + q / s)) 0) /\
  forall q s u delta : R, 1 / 10 <= q <= 1 / 2 -> 1 / 10 <= s <= 1 / 4 -> 0 < u <= 1 / 100 ->
  0 < u * s * (1 - s) /\
  (shuffle_dp 2 (weighted_gap q s) (ln (1 - q + q / s - u)) delta <-> u * s * (1 - s) <= delta).

Theorem row_small_gap_two_users_holds : row_small_gap_two_users.
Proof.
  destruct gap_two_users_computed as [Private [Closer _]]. split; [intros q s Q S | intros q s u delta Q S U; split].
  - replace 0 with (largest [0]) by (simpl; apply Rmax_left; lra).
    apply (bounded_by_functions [[113]; [115]]%Z [(0, 1 # 2); (1 # 10, 1 # 4)]%Q (gap_of_q_s [])
      (Quotient [(1, [0; 1]%nat); (1, [1; 0]%nat); (-1 # 1, [1; 1]%nat)]%Q [(1%Q, [0; 1]%nat)]) LeastNothing
      [(2%Z, [Constant 0])] [q; s]).
    + intros sized [<- | []]. exact Private.
    + inside_ends.
    + values. field. lra.
    + apply gap_same; unfold of_q_s; values; field.
    + left. equal_values.
  - repeat apply Rmult_lt_0_compat; lra.
  - replace (u * s * (1 - s)) with (largest [u * s * (1 - s)])
      by (simpl; apply Rmax_left, Rlt_le; repeat apply Rmult_lt_0_compat; lra).
    apply (least_of_functions [[113]; [115]; [117]]%Z [(1 # 10, 1 # 2); (1 # 10, 1 # 4); (0, 1 # 100)]%Q
      (gap_of_q_s [0%nat])
      (Quotient [(1, [0; 1; 0]%nat); (-1 # 1, [0; 1; 1]%nat); (1, [1; 0; 0]%nat); (-1 # 1, [1; 1; 0]%nat)]%Q
        [(1%Q, [0; 1; 0]%nat)]) LeastDelta [(2%Z, [Polynomial [(1, [0; 1; 1]%nat); (-1 # 1, [0; 2; 1]%nat)]%Q])]
      [q; s; u]).
    + intros sized [<- | []]. exact Closer.
    + inside_ends.
    + values. field. lra.
    + apply gap_same; unfold of_q_s; values; field.
    + reflexivity.
    + reflexivity.
    + left. equal_values.
Qed.

Definition row_small_gap : Prop :=
  forall q delta : R, 0 <= q <= 1 -> forall n deltas,
  In (n, deltas) [
    (2%nat, [0; 2 * (8 * q - 1) / 25; (134 * q ^ 2 - 17 * q - 17) / 100]);
    (3%nat, [0; (61 * q - 12) / 250; (481 * q ^ 3 - 219 * q ^ 2 - 12) / 250])] ->
  (shuffle_dp n (weighted_gap q (1 / 5)) (ln (3 / 2)) delta <-> largest deltas <= delta).

Theorem row_small_gap_holds : row_small_gap.
Proof.
  intros q delta H n deltas I.
  apply (least_of_functions _ _ gap_of_q _ _ _ _ _ _ (holds_each _ _ _ gap_computed) (unit_inside _ H) (order_is _));
    [apply gap_same; unfold parameter; values; field | reflexivity | reflexivity |].
  revert I. listed gap_sizes.
Qed.

Definition row_small_clones : Prop :=
  forall p : R, 1 <= p <= 8 -> forall n deltas,
  In (n, deltas) [
    (1%nat, [0; (2 * p - 3) / (2 * (p + 1))]);
    (2%nat, [0; (2 * p - 3) * (2 * p - 1) / (4 * p * (p + 1))]);
    (3%nat, [0; (2 * p - 3) * (2 * p - 1) ^ 2 / (8 * p ^ 2 * (p + 1));
      (8 * p ^ 3 - 20 * p ^ 2 + 15 * p - 7) / (8 * p ^ 2 * (p + 1))]);
    (4%nat, [0; (2 * p - 3) * (2 * p - 1) ^ 3 / (16 * p ^ 3 * (p + 1));
      (16 * p ^ 4 - 48 * p ^ 3 + 48 * p ^ 2 - 17 * p - 4) / (16 * p ^ 3 * (p + 1));
      (16 * p ^ 4 - 48 * p ^ 3 + 54 * p ^ 2 - 47 * p + 20) / (16 * p ^ 3 * (p + 1))])] ->
  shuffle_dp n (one_message (k_ary 2 p)) (ln (3 / 2)) (largest deltas) /\
  shuffle_dp n (one_message (k_ary 3 p)) (ln (3 / 2)) (largest deltas).

Theorem row_small_clones_holds : row_small_clones.
Proof.
  intros p H n deltas I. assert (L : In (n, deltas) (values_at clones_sizes [p])) by (revert I; listed clones_sizes).
  split; apply (bounded_response _ _ _ p clones_computed H _ _ _); simpl; auto; lia.
Qed.

Definition row_small_stronger_clones : Prop :=
  forall p : R, 1 <= p <= 8 -> forall n deltas,
  In (n, deltas) [
    (1%nat, [0; (2 * p - 3) / (2 * (p + 1))]);
    (2%nat, [0; p * (2 * p - 3) / (2 * (p + 1) ^ 2)]);
    (3%nat, [0; p ^ 2 * (2 * p - 3) / (2 * (p + 1) ^ 3); (2 * p ^ 3 - 3 * p ^ 2 + p - 4) / (2 * (p + 1) ^ 3)]);
    (4%nat, [0; p ^ 3 * (2 * p - 3) / (2 * (p + 1) ^ 4); (2 * p ^ 4 - 3 * p ^ 3 + 3 * p - 7) / (2 * (p + 1) ^ 4);
      (2 * p ^ 4 - 3 * p ^ 3 + 3 * p ^ 2 - 12 * p + 5) / (2 * (p + 1) ^ 4)])] ->
  shuffle_dp n (one_message (k_ary 2 p)) (ln (3 / 2)) (largest deltas) /\
  shuffle_dp n (one_message (k_ary 3 p)) (ln (3 / 2)) (largest deltas).

Theorem row_small_stronger_clones_holds : row_small_stronger_clones.
Proof.
  intros p H n deltas I. assert (L : In (n, deltas) (values_at stronger_sizes [p]))
    by (revert I; listed stronger_sizes).
  split; apply (bounded_response _ _ _ p stronger_computed H _ _ _); simpl; auto; lia.
Qed.

Definition row_small_stronger_clones_every_eps : Prop :=
  forall E p : R, 1 <= E <= 1000 -> 0 <= p - E <= 1000 -> forall n k, In n [1; 2]%nat -> In k [2; 3]%nat ->
  shuffle_dp n (one_message (k_ary k p)) (ln E) ((p - E) * p ^ (n - 1) / (p + 1) ^ n).

Theorem row_small_stronger_clones_every_eps_holds : row_small_stronger_clones_every_eps.
Proof.
  intros E p HE V n k N K. replace p with (E + (p - E)) by lra. replace (E + (p - E) - E) with (p - E) by lra.
  revert V. generalize (p - E). clear p. intros v V.
  set (delta := v * _ / _). assert (D : 0 <= delta).
  { unfold delta. apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le; lra] |].
    left. apply Rinv_0_lt_compat, pow_lt. lra. }
  replace delta with (largest [delta]) by (simpl; apply Rmax_left, D).
  assert (Claimed : forall sized, In sized beyond_sizes -> holds (on_box [[69]; [118]]%Z [(1, 1000); (0, 1000)]%Q
    (beyond_table k) (Polynomial [(1%Q, [1; 0]%nat)]) LeastNothing sized))
    by (intros sized S; exact (holds_each _ _ _ beyond_computed (k, sized) (in_prod _ _ _ _ K S))).
  apply (bounded_by_functions _ _ _ _ _ _ [E; v] _ _ Claimed).
  - inside_ends.
  - values. field.
  - apply beyond_same; [destruct K as [<- | [<- | []]]; lia | lra | lra].
  - unfold beyond_sizes, E_plus_v_plus, delta.
    destruct N as [<- | [<- | []]]; [left | right; left]; cbn [Nat.sub]; equal_values; repeat split; nra.
Qed.

Definition row_small_blanket : Prop :=
  forall p : R, 1 <= p <= 8 -> forall n deltas,
  In (n, deltas) [
    (1%nat, [0; (2 * p - 3) / (2 * (p + 2))]);
    (2%nat, [0; p * (2 * p - 3) / (2 * (p + 2) ^ 2); (2 * p ^ 2 - p - 4) / (2 * (p + 2) ^ 2)]);
    (3%nat, [0; p ^ 2 * (2 * p - 3) / (2 * (p + 2) ^ 3); (2 * p ^ 3 - 3 * p ^ 2 + 4 * p - 7) / (2 * (p + 2) ^ 3);
      (2 * p ^ 3 + p ^ 2 - 8 * p + 1) / (2 * (p + 2) ^ 3); (2 * p ^ 3 + p ^ 2 - 6 * p - 4) / (2 * (p + 2) ^ 3);
      (2 * p ^ 3 + p ^ 2 - 5 * p - 8) / (2 * (p + 2) ^ 3)]);
    (4%nat, [0; p ^ 3 * (2 * p - 3) / (2 * (p + 2) ^ 4); (2 * p ^ 4 - 3 * p ^ 3 + 6 * p - 10) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 - 3 * p ^ 3 + 12 * p ^ 2 - 27 * p + 11) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 12 * p ^ 2 + 9 * p - 13) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 12 * p ^ 2 + 12 * p - 20) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 6 * p ^ 2 - 9 * p - 5) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 6 * p ^ 2 - 7 * p - 11) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 3 * p ^ 2 - 22 * p + 1) / (2 * (p + 2) ^ 4);
      (2 * p ^ 4 + 3 * p ^ 3 - 3 * p ^ 2 - 19 * p - 14) / (2 * (p + 2) ^ 4)])] ->
  shuffle_dp n (one_message (k_ary 3 p)) (ln (3 / 2)) (largest deltas).

Theorem row_small_blanket_holds : row_small_blanket.
Proof.
  intros p H n deltas I. apply (bounded_response _ _ _ p blanket_computed H); [simpl; auto | lia |].
  revert I. listed blanket_sizes.
Qed.

Definition row_small_ternary_response_every_eps0 : Prop :=
  forall p delta : R, 1 <= p <= 8 ->
  (shuffle_dp 2 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p * (2 * p - 3); 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta) /\
  (shuffle_dp 3 (one_message (k_ary 3 p)) (ln (3 / 2)) delta <->
    largest [p ^ 2 * (2 * p - 3); 2 * p ^ 3 - p ^ 2 - 2 * p - 3; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5
      * p - 8] /
      (2 * (p + 2) ^ 3) <= delta).

Theorem row_small_ternary_response_every_eps0_holds : row_small_ternary_response_every_eps0.
Proof.
  intros p delta H.
  assert (Least : forall n l d, 0 < d -> In (n, 0 :: map (fun a => a / d) l) (values_at ratio_sizes [p]) ->
    (shuffle_dp n (one_message (k_ary 3 p)) (ln (3 / 2)) delta <-> largest l / d <= delta)).
  { intros n l d D I. rewrite <- (largest_over d l D).
    rewrite (least_response _ _ _ p ratio_computed H 3 n _ delta) by (try exact I; simpl; auto; lia).
    cbn [largest fold_right]. fold (largest (map (fun a => a / d) l)).
    rewrite Rmax_right by apply largest_nonneg. reflexivity. }
  split; apply Least; try (apply Rmult_lt_0_compat, pow_lt; lra); [left | right; left];
    unfold ratio_sizes; equal_values.
Qed.

Definition row_small_variation_ratio : Prop :=
  forall p : R, 1 <= p <= 8 ->
  let below n := exists delta, reduced_dp n 3 p (3 / 2) delta /\ ~ shuffle_dp n (one_message (k_ary 3 p)) (ln (3 /
    2)) delta in
  (forall delta, reduced_dp 2 3 p (3 / 2) delta <->
    largest [2 * p - 3; 2 * p ^ 2 - p - 4] / (2 * (p + 2) ^ 2) <= delta) /\
  (forall delta, reduced_dp 3 3 p (3 / 2) delta <->
    largest [2 * p - 3; 4 * p ^ 2 - 4 * p - 4; 2 * p ^ 3 + p ^ 2 - 6 * p - 4; 2 * p ^ 3 + p ^ 2 - 5 * p - 8] /
      (2 * (p + 2) ^ 3) <= delta) /\
  (below 2%nat <-> 3 / 2 < p < 2) /\ (below 3%nat <-> 3 / 2 < p /\ 2 * p ^ 2 - 4 * p - 1 < 0).

Theorem row_small_variation_ratio_holds : row_small_variation_ratio.
Proof.
  intros p H below. assert (P : forall k, 0 < 2 * (p + 2) ^ k) by (intros; apply Rmult_lt_0_compat, pow_lt; lra).
  split; [intros delta; apply pair_of_two, H |]. split; [intros delta; apply pair_of_three, H |]. split.
  - rewrite <- (numbers_of_two p H). apply (below_another _ _ _ _ _ (P 2%nat)); intros delta.
    + apply pair_of_two, H.
    + apply (proj1 (row_small_ternary_response_every_eps0_holds p delta H)).
  - rewrite <- (numbers_of_three p H). apply (below_another _ _ _ _ _ (P 3%nat)); intros delta.
    + apply pair_of_three, H.
    + apply (proj2 (row_small_ternary_response_every_eps0_holds p delta H)).
Qed.

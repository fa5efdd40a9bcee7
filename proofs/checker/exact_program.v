(** Laws that are listed exactly, and the checks of shift_dp, smooth and tail on them: programs on integers.

    A [listing] is a list of outcomes, ascending, with weights, integers over one total. A law on the integers that
    has one is [Listed]; a law of constant ratios, and a uniform law, against itself moved have few pairs of weights
    ([pairs_of]) although they have no listing, or a long one. Everything that is compared is a sum over such pairs:

    - [excess]: the positive part of P - E Q, for E = a / b times b: their sum is the divergence;
    - [at_or_above]: Q where P >= E Q: if the sum is not 0, a smaller e^eps has a larger divergence;
    - [far]: P where P >= E Q, for smoothness.

    Nothing is believed of what is computed here but what exact_sound.v and the files before it prove. The programs are
    those of exactdp/checker/finite_laws.py, divergences.py, neighboring_laws.py and noise_privacy.py.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith List Bool.
From ExactdpChecker Require Import claims posed.
Import ListNotations.
Open Scope Z_scope.

(** ** Listings *)

Definition listing : Type := list (Z * Z).  (* outcome, weight *)

Fixpoint ascends_from (k : Z) (l : listing) : bool :=
  match l with
  | [] => true
  | (t, x) :: rest => (k <? t) && (0 <=? x) && ascends_from t rest
  end.

(** The outcomes ascend, and no weight is negative. *)
Definition ascends (l : listing) : bool :=
  match l with
  | [] => true
  | (t, x) :: rest => (0 <=? x) && ascends_from t rest
  end.

(** The pairs of weights (l at t, m at t - j), for every t of either support, the largest t first. *)
Fixpoint align (j : Z) (l : listing) : listing -> list (Z * Z) -> list (Z * Z) :=
  fix go (m : listing) (seen : list (Z * Z)) :=
    match l, m with
    | [], [] => seen
    | [], (_, y) :: m' => go m' ((0, y) :: seen)
    | (_, x) :: l', [] => align j l' [] ((x, 0) :: seen)
    | (t, x) :: l', (u, y) :: m' =>
        match t ?= u + j with
        | Lt => align j l' m ((x, 0) :: seen)
        | Gt => go m' ((0, y) :: seen)
        | Eq => align j l' m' ((x, y) :: seen)
        end
    end.

(** The sum of two listings, the second one moved by j and multiplied by a factor. *)
Fixpoint add_moved (j factor : Z) (l : listing) : listing -> listing :=
  fix go (m : listing) :=
    match l, m with
    | _, [] => l
    | [], (u, y) :: m' => (u + j, factor * y) :: go m'
    | (t, x) :: l', (u, y) :: m' =>
        match t ?= u + j with
        | Lt => (t, x) :: add_moved j factor l' m
        | Gt => (u + j, factor * y) :: go m'
        | Eq => (t, x + factor * y) :: add_moved j factor l' m'
        end
    end.

(** The sum of two independent outcomes. *)
Fixpoint convolve_onto (l m sums : listing) : listing :=
  match l with
  | [] => sums
  | (t, x) :: rest => convolve_onto rest m (add_moved t x sums m)
  end.

Definition convolve (l m : listing) : listing := convolve_onto l m [].

(** C(n, i) a^i b^(n-i) from i on, each from the one before with an exact division; left = n - i. *)
Fixpoint binomial_from (left : nat) (n a b i weight : Z) : listing :=
  match left with
  | O => [(i, weight)]
  | S rest => (i, weight) :: binomial_from rest n a b (i + 1) (weight * ((n - i) * a) / ((i + 1) * b))
  end.

(** Of n trials of probability a / (a + b), over the total (a + b)^n. *)
Definition binomial_listing (n a b : Z) : listing :=
  if b =? 0 then [(n, a ^ n)] else binomial_from (Z.to_nat n) n a b 0 (b ^ n).

(** ** Rationals over a common denominator *)

Definition listing_over (d : Z) (weights : list (Z * Q)) : listing :=
  map (fun tq => (fst tq, over d (snd tq))) weights.

Fixpoint sum_weights (l : listing) (sum : Z) : Z :=
  match l with
  | [] => sum
  | (_, x) :: rest => sum_weights rest (sum + x)
  end.

(** ** The laws *)

Inductive exact_law : Type :=
  | Listed (l : listing) (total : Z)
  | OneSided (c d : Z)  (* ratio c / d, for t >= 0 *)
  | TwoSided (c d : Z)  (* the same, for abs t *)
  | Uniform (low high : Z).

(** The sum of the weights of all messages that one user sends, with its probability over d. *)
Definition row_listing (d : Z) (weights : list Z) (row : list (Q * list nat)) : listing :=
  map (fun o => (fold_right (fun m => Z.add (nth m weights 0)) 0 (snd o), over d (fst o))) row.

(** The sum over all users. *)
Fixpoint users_listing (rows : list listing) (users : list nat) : listing :=
  match users with
  | [] => [(0, 1)]
  | x :: rest => convolve (entry rows [] x) (users_listing rows rest)
  end.

Definition trials (n : Z) (p : Q) : listing := binomial_listing n (Qnum p) (Zpos (Qden p) - Qnum p).

Definition trials_total (n : Z) (p : Q) : Z := Zpos (Qden p) ^ n.

Definition point : listing := [(0, 1)].

(** The law, if it is listed exactly. *)
Definition law_of (nu : noise) : option exact_law :=
  match nu with
  | Finite weights =>
      let d := common_denominator (map snd weights) in Some (Listed (listing_over d weights) d)
  | View t histogram weights =>
      let d := common_denominator (map fst (concat (rows t))) in let users := data_set histogram in
      Some (Listed (users_listing (map (row_listing d weights) (rows t)) users) (d ^ Z.of_nat (length users)))
  | Binomial n (Rational p) => Some (Listed (trials n p) (trials_total n p))
  | BinomialSum n1 (Rational p1) n2 (Rational p2) =>
      Some (Listed (convolve (trials n1 p1) (trials n2 p2)) (trials_total n1 p1 * trials_total n2 p2))
  | NegativeBinomial _ (Rational p) => if Qnum p =? 0 then Some (Listed point 1) else None
  | Geometric (Rational p) =>
      Some (if Qnum p =? 0 then Listed point 1 else OneSided (Qnum p) (Zpos (Qden p)))
  | DiscreteLaplace (Rational e) => Some (TwoSided (Zpos (Qden e)) (Qnum e))
  | Poisson (Rational mu) => if Qnum mu =? 0 then Some (Listed point 1) else None
  | DiscreteUniform low high => Some (Uniform low high)
  | _ => None
  end.

(** The same, where its parameters lie in their domains, and the listing ascends. *)
Definition exact_law_of (nu : noise) : option exact_law :=
  if noise_is_posed nu then
    match law_of nu with
    | Some (Listed l total) => if ascends l && (0 <? total) then Some (Listed l total) else None
    | other => other
    end
  else None.

(** ((d-c) c^i d^k, (d-c) c^k d^i), for i from 1 and k down to 0; both weights are given. *)
Fixpoint middle_steps (k : nat) (c d up down : Z) (seen : list (Z * Z)) : list (Z * Z) :=
  match k with
  | O => (up, down) :: seen
  | S rest => middle_steps rest c d (up / d * c) (down / c * d) ((up, down) :: seen)
  end.

(** ((d-c) c^i d^k, 0), for i from 0 and k down to 1. *)
Fixpoint first_steps (k : nat) (c d weight : Z) (seen : list (Z * Z)) : list (Z * Z) :=
  match k with
  | O => seen
  | S rest => first_steps rest c d (weight / d * c) ((weight, 0) :: seen)
  end.

(** The pairs of weights of Y and Y + j, for j >= 1, and their total. *)
Definition pairs_of (law : exact_law) (j : Z) : list (Z * Z) * Z :=
  match law with
  | Listed l total => (align j l l [], total)
  | OneSided c d => (first_steps (Z.to_nat j) c d ((d - c) * d ^ (j - 1)) [(c ^ j, d ^ j)], d ^ j)
  | TwoSided c d =>
      let ends := [(d ^ j, c ^ j); (c ^ j, d ^ j)] in
      (if j =? 1 then ends
       else middle_steps (Z.to_nat j - 2) c d ((d - c) * (c * d ^ (j - 2))) ((d - c) * (c ^ (j - 1))) ends,
       d ^ j + c * d ^ (j - 1))
  | Uniform low high =>
      let count := high - low + 1 in let moved := Z.min j count in
      ([(moved, 0); (count - moved, count - moved); (0, moved)], count)
  end.

(** ** Sums over pairs *)

Fixpoint sum_pairs (f : Z -> Z -> Z) (l : list (Z * Z)) (sum : Z) : Z :=
  match l with
  | [] => sum
  | (x, y) :: rest => sum_pairs f rest (sum + f x y)
  end.

Definition excess (a b x y : Z) : Z := Z.max 0 (b * x - a * y).
Definition at_or_above (a b x y : Z) : Z := if a * y <=? b * x then y else 0.
Definition far (a b x y : Z) : Z := if a * y <=? b * x then x else 0.

(** Forward: Y against Y + j; otherwise the other way round. *)
Definition in_order (forward : bool) (f : Z -> Z -> Z) (x y : Z) : Z := if forward then f x y else f y x.

Definition divergence (pairs : list (Z * Z)) (forward : bool) (a b : Z) : Z :=
  sum_pairs (in_order forward (excess a b)) pairs 0.

(** The divergence at a / b compared with delta. *)
Definition compare_divergence (law : exact_law) (j : Z) (forward : bool) (a b : Z) (delta : Q) : comparison :=
  let (pairs, total) := pairs_of law j in
  divergence pairs forward a b * Zpos (Qden delta) ?= Qnum delta * (b * total).

Definition is_at_most (c : comparison) : bool := match c with Gt => false | _ => true end.
Definition is_equal (c : comparison) : bool := match c with Eq => true | _ => false end.

(** Of j, j + 1, ..., so many. *)
Fixpoint all_from (count : nat) (j : Z) (f : Z -> bool) : bool :=
  match count with
  | O => true
  | S rest => f j && all_from rest (j + 1) f
  end.

Definition all_shifts (most : Z) (f : Z -> bool) : bool := all_from (Z.to_nat most) 1 f.

Definition private_at (law : exact_law) (most a b : Z) (delta : Q) : bool :=
  all_shifts most (fun j =>
    is_at_most (compare_divergence law j true a b delta) && is_at_most (compare_divergence law j false a b delta)).

(** Q where P >= E Q is not 0. *)
Definition is_shown (law : exact_law) (j : Z) (forward : bool) (a b : Z) : bool :=
  0 <? sum_pairs (in_order forward (at_or_above a b)) (fst (pairs_of law j)) 0.

(** P[w(Y) >= (a/b)^j w(Y - j)], forward, or of Y + j, compared with delta. *)
Definition compare_far (law : exact_law) (j : Z) (forward : bool) (a b : Z) (delta : Q) : comparison :=
  let (pairs, total) := pairs_of law j in
  sum_pairs (in_order forward (far (a ^ j) (b ^ j))) pairs 0 * Zpos (Qden delta) ?= Qnum delta * total.

Definition smooth_at_ratio (law : exact_law) (k a b : Z) (delta : Q) : bool :=
  all_shifts k (fun j =>
    is_at_most (compare_far law j true a b delta) && is_at_most (compare_far law j false a b delta)).

(** ** Probabilities of intervals *)

Definition is_inside (first last : option Z) (t : Z) : bool :=
  (match first with Some a => a <=? t | None => true end) && (match last with Some b => t <=? b | None => true end).

Fixpoint sum_inside (T : Z -> bool) (l : listing) (sum : Z) : Z :=
  match l with
  | [] => sum
  | (t, x) :: rest => sum_inside T rest (if T t then sum + x else sum)
  end.

(** How many integers from low to high are inside. *)
Definition count_inside (first last : option Z) (low high : Z) : Z :=
  let start := match first with Some a => Z.max low a | None => low end in
  let stop := match last with Some b => Z.min high b | None => high end in
  Z.max 0 (stop - start + 1).

(** The weight of an interval, and the total. *)
Definition interval_share (law : exact_law) (first last : option Z) : option (Z * Z) :=
  match law with
  | Listed l total => Some (sum_inside (is_inside first last) l 0, total)
  | Uniform low high => Some (count_inside first last low high, high - low + 1)
  | _ => None
  end.

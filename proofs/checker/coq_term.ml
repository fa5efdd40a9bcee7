(* A certificate as terms of Coq, so that the kernel computes what the extracted program does. *)

open Proved
open Printf

(* Coq reads long decimals slowly. *)
let digits n =
  if Integer.numbits n <= Integer.to_int Limits.max_decimal_bits then Integer.to_string n else Integer.format "%#x" n

let integer n = sprintf "(%s)%%Z" (digits n)

let natural n = sprintf "%s%%nat" (digits n)

let positive n = sprintf "%s%%positive" (digits n)

let rational r = sprintf "(Qmake %s %s)" (integer r.qnum) (positive r.qden)

let list entry entries = "[" ^ String.concat "; " (List.map entry entries) ^ "]"

let pair first second (a, b) = sprintf "(%s, %s)" (first a) (second b)

let bool b = if b then "true" else "false"

let option entry = function
  | None -> "None"
  | Some a -> sprintf "(Some %s)" (entry a)

let rec real = function
  | Rational r -> sprintf "(Rational %s)" (rational r)
  | Exponential x -> sprintf "(Exponential %s)" (real x)
  | Logarithm x -> sprintf "(Logarithm %s)" (real x)
  | Inverse x -> sprintf "(Inverse %s)" (real x)
  | Plus (x, y) -> sprintf "(Plus %s %s)" (real x) (real y)
  | Times (x, y) -> sprintf "(Times %s %s)" (real x) (real y)
  | Power (x, k) -> sprintf "(Power %s %s)" (real x) (natural k)

let table t =
  sprintf "{| message_types := %s; rows := %s |}" (natural t.message_types)
    (list (list (pair rational (list natural))) t.rows)

let absence = function
  | Counted -> "Counted"
  | Listed -> "Listed"
  | HiddenUniformly -> "HiddenUniformly"
  | Hidden chances -> sprintf "(Hidden %s)" (list rational chances)
  | HiddenByInput z -> sprintf "(HiddenByInput %s)" (integer z)

let family = function
  | KAry (k, e) -> sprintf "(KAry %s %s)" (integer k) (rational e)
  | UnaryEncoding (d, p, r) -> sprintf "(UnaryEncoding %s %s %s)" (integer d) (rational p) (rational r)
  | SubsetSelection (d, w, e) -> sprintf "(SubsetSelection %s %s %s)" (integer d) (integer w) (rational e)
  | Hadamard (d, e) -> sprintf "(Hadamard %s %s)" (integer d) (rational e)
  | LocalHashing (d, g, e) -> sprintf "(LocalHashing %s %s %s)" (integer d) (integer g) (rational e)
  | ClippedLaplace (top, r) -> sprintf "(ClippedLaplace %s %s)" (integer top) (rational r)

let randomizer = function
  | Table t -> sprintf "(Table %s)" (table t)
  | Family f -> sprintf "(Family %s)" (family f)

let joint_absence = function
  | AllCounted -> "AllCounted"
  | AllListed -> "AllListed"
  | AllHidden dummies -> sprintf "(AllHidden %s)" (list absence dummies)

let member = function
  | Always r -> sprintf "(Always %s)" (randomizer r)
  | Sometimes (r, q, a) -> sprintf "(Sometimes %s %s %s)" (randomizer r) (rational q) (absence a)
  | AlwaysAll of_them -> sprintf "(AlwaysAll %s)" (list randomizer of_them)
  | SometimesAll (of_them, q, a) ->
      sprintf "(SometimesAll %s %s %s)" (list randomizer of_them) (rational q) (joint_absence a)

let weights = list (pair integer rational)

let noise = function
  | Finite w -> sprintf "(Finite %s)" (weights w)
  | View (t, histogram, w) -> sprintf "(View %s %s %s)" (table t) (list integer histogram) (list integer w)
  | Binomial (n, p) -> sprintf "(Binomial %s %s)" (integer n) (real p)
  | BinomialSum (n1, p1, n2, p2) -> sprintf "(BinomialSum %s %s %s %s)" (integer n1) (real p1) (integer n2) (real p2)
  | NegativeBinomial (r, p) -> sprintf "(NegativeBinomial %s %s)" (real r) (real p)
  | Geometric p -> sprintf "(Geometric %s)" (real p)
  | DiscreteLaplace e -> sprintf "(DiscreteLaplace %s)" (real e)
  | DiscreteGaussian s -> sprintf "(DiscreteGaussian %s)" (rational s)
  | Poisson mu -> sprintf "(Poisson %s)" (real mu)
  | DiscreteUniform (low, high) -> sprintf "(DiscreteUniform %s %s)" (integer low) (integer high)

let level = function
  | ExpEps e -> sprintf "(ExpEps %s)" (rational e)
  | Eps eps -> sprintf "(Eps %s)" (rational eps)

let scope = function ThisNumber -> "ThisNumber" | AllFromIt -> "AllFromIt"

let neighboring = function ReplaceOne -> "ReplaceOne" | AddOrRemoveOne -> "AddOrRemoveOne"

let least = function LeastNothing -> "LeastNothing" | LeastDelta -> "LeastDelta" | LeastExpEps -> "LeastExpEps"

let run = function
  | NoiseRun (nu, shift) -> sprintf "NoiseRun %s %s" (noise nu) (integer shift)
  | RandomizerRun (r, n, nb) -> sprintf "RandomizerRun %s %s %s" (randomizer r) (integer n) (neighboring nb)
  | ProductRun (of_them, n) -> sprintf "ProductRun %s %s" (list randomizer of_them) (integer n)
  | AnyRun (e, n) -> sprintf "AnyRun %s %s" (rational e) (integer n)
  | ParticipationRun (r, q, a, n) ->
      sprintf "ParticipationRun %s %s %s %s" (randomizer r) (rational q) (absence a) (integer n)
  | AbsentProductRun (of_them, q, a, n) ->
      sprintf "AbsentProductRun %s %s %s %s" (list randomizer of_them) (rational q) (joint_absence a) (integer n)

let analyzer a =
  sprintf "{| weights := %s; offset := %s; zero_unless_above := %s |}" (list rational a.weights) (rational a.offset)
    (option rational a.zero_unless_above)

let poly = list (pair rational (list natural))

let condition = pair poly bool

let interval i =
  sprintf "{| from := %s; from_closed := %s; to := %s; to_closed := %s |}" (rational i.from) (bool i.from_closed)
    (rational i.to0) (bool i.to_closed)

let assumption = function
  | Markov -> "Markov"
  | Independence -> "Independence"
  | UnionBound -> "UnionBound"
  | PostProcessing -> "PostProcessing"
  | BasicComposition -> "BasicComposition"
  | Taylor -> "Taylor"
  | MonotoneConvergence -> "MonotoneConvergence"

let rational_function = function
  | Constant r -> sprintf "(Constant %s)" (rational r)
  | Polynomial p -> sprintf "(Polynomial %s)" (poly p)
  | Quotient (top, bottom) -> sprintf "(Quotient %s %s)" (poly top) (poly bottom)

let functional_table t =
  sprintf "{| function_messages := %s; function_rows := %s |}" (natural t.function_messages)
    (list (list (pair rational_function (list natural))) t.function_rows)

let functional_noise = function
  | FunctionalFinite w -> sprintf "(FunctionalFinite %s)" (list (pair integer rational_function) w)
  | FunctionalView (t, histogram, w) ->
      sprintf "(FunctionalView %s %s %s)" (functional_table t) (list integer histogram) (list integer w)
  | FunctionalBinomial (n, p) -> sprintf "(FunctionalBinomial %s %s)" (integer n) (rational_function p)

let at_points = function
  | PointShuffle (t, n, s, nb, e, deltas, w) ->
      sprintf "(PointShuffle %s %s %s %s %s %s %s)" (functional_table t) (integer n) (scope s) (neighboring nb)
        (rational_function e) (list rational_function deltas) (least w)
  | PointShift (nu, shift, e, deltas, w) ->
      sprintf "(PointShift %s %s %s %s %s)" (functional_noise nu) (integer shift) (rational_function e)
        (list rational_function deltas) (least w)
  | PointSmooth (nu, k, e, delta) ->
      sprintf "(PointSmooth %s %s %s %s)" (functional_noise nu) (integer k) (rational_function e)
        (rational_function delta)
  | PointTail (nu, first, last, at_most, p) ->
      sprintf "(PointTail %s %s %s %s %s)" (functional_noise nu) (option integer first) (option integer last)
        (bool at_most) (rational_function p)
  | PointEqual (a, b) -> sprintf "(PointEqual %s %s)" (functional_noise a) (functional_noise b)

let rec claim = function
  | ShuffleDP (r, n, s, nb, l, delta, w) ->
      sprintf "(ShuffleDP %s %s %s %s %s %s %s)" (randomizer r) (integer n) (scope s) (neighboring nb) (level l)
        (rational delta) (least w)
  | AnyShuffleDP (e, n, s, l, delta) ->
      sprintf "(AnyShuffleDP %s %s %s %s %s)" (rational e) (integer n) (scope s) (level l) (rational delta)
  | ParticipationDP (r, q, a, n, s, l, delta) ->
      sprintf "(ParticipationDP %s %s %s %s %s %s %s)" (randomizer r) (rational q) (absence a) (integer n) (scope s) (level l)
        (rational delta)
  | ClassesDP (classes, who, l, delta) ->
      sprintf "(ClassesDP %s %s %s %s)" (list (pair randomizer integer) classes) (option integer who) (level l) (rational delta)
  | MembersDP (classes, who, l, delta) ->
      sprintf "(MembersDP %s %s %s %s)" (list (pair member integer) classes) (option integer who) (level l)
        (rational delta)
  | AbsentProductDP (of_them, q, a, n, s, l, delta) ->
      sprintf "(AbsentProductDP %s %s %s %s %s %s %s)" (list randomizer of_them) (rational q) (joint_absence a)
        (integer n) (scope s) (level l) (rational delta)
  | ProductDP (of_them, n, s, l, delta) ->
      sprintf "(ProductDP %s %s %s %s %s)" (list randomizer of_them) (integer n) (scope s) (level l) (rational delta)
  | TwoMessageDP (t, n, s, l, delta) ->
      sprintf "(TwoMessageDP %s %s %s %s %s)" (table t) (integer n) (scope s) (level l) (rational delta)
  | CountingDP (p1, parts, l, delta) ->
      sprintf "(CountingDP %s %s %s %s)" (real p1) (list (pair real real) parts) (level l) (rational delta)
  | SampleThresholdDP (q, tau, users, l, delta) ->
      sprintf "(SampleThresholdDP %s %s %s %s %s)" (rational q) (integer tau) (option integer users) (level l)
        (rational delta)
  | NeverDP (t, n, nb, below) -> sprintf "(NeverDP %s %s %s %s)" (table t) (integer n) (neighboring nb) (rational below)
  | SplitAndMix (n, q, m, d) -> sprintf "(SplitAndMix %s %s %s %s)" (integer n) (integer q) (integer m) (rational d)
  | ShiftDP (nu, shift, l, delta, w) ->
      sprintf "(ShiftDP %s %s %s %s %s)" (noise nu) (integer shift) (level l) (rational delta) (least w)
  | Smooth (nu, k, l, delta) -> sprintf "(Smooth %s %s %s %s)" (noise nu) (integer k) (level l) (rational delta)
  | Tail (nu, first, last, at_most, p) ->
      sprintf "(Tail %s %s %s %s %s)" (noise nu) (option integer first) (option integer last) (bool at_most)
        (rational p)
  | Composed (runs, l, delta) ->
      sprintf "(Composed %s %s %s)" (list (pair run positive) runs) (level l) (rational delta)
  | Accuracy (t, n, histogram, a, values, alpha, beta) ->
      sprintf "(Accuracy %s %s %s %s %s %s %s)" (table t) (integer n) (option (list integer) histogram) (analyzer a)
        (list rational values) (rational alpha) (rational beta)
  | CountAccuracy (nu, a, b, w, offset, threshold, alpha, beta) ->
      sprintf "(CountAccuracy %s %s %s %s %s %s %s %s)" (noise nu) (integer a) (integer b) (rational w)
        (rational offset)
        (option rational threshold) (rational alpha) (rational beta)
  | EqualLaws (a, b) -> sprintf "(EqualLaws %s %s)" (noise a) (noise b)
  | AdditiveView (t, base, shifts) -> sprintf "(AdditiveView %s %s %s)" (table t) (weights base) (list integer shifts)
  | ZeroEstimate (t, w, threshold, x) ->
      sprintf "(ZeroEstimate %s %s %s %s)" (table t) (list rational w) (rational threshold) (natural x)
  | Inequality (names, hypotheses, conclusion) ->
      sprintf "(Inequality %s %s %s)" (list (list integer) names) (list condition hypotheses) (condition conclusion)
  | BoxInequality (names, box, terms, strict) ->
      sprintf "(BoxInequality %s %s %s %s)" (list (list integer) names) (list interval box)
        (list (pair poly poly) terms)
        (bool strict)
  | ForAll (names, box, c) ->
      sprintf "(ForAll %s %s %s)" (list (list integer) names) (list interval box) (at_points c)
  | Monotone (names, box, moved, falls, t) ->
      sprintf "(Monotone %s %s %s %s %s)" (list (list integer) names) (list interval box) (natural moved) (bool falls)
        (functional_table t)
  | Conjunction (parts, assumed) -> sprintf "(Conjunction %s %s)" (list claim parts) (list assumption assumed)
  | Not inner -> sprintf "(Not %s)" (claim inner)

let precision = function
  | Exactly -> "Exactly"
  | TaylorTerms k -> sprintf "(TaylorTerms %s)" (integer k)
  | Bits b -> sprintf "(Bits %s)" (integer b)

let others = function
  | Weighted w -> sprintf "(Weighted %s)" (list rational w)
  | OfFirst -> "OfFirst"
  | OfSecond -> "OfSecond"
  | OfThird -> "OfThird"
  | OfXor -> "OfXor"

let likelihood t =
  sprintf
    "{| pair_tested := %s; other_users := %s; test_bits := %s; test_length := %s; \
     at_ratio := %s; test_step := %s; cut_bits := %s; test_threshold := %s |}"
    (option (pair integer integer) t.pair_tested) (others t.other_users) (integer t.test_bits) (integer t.test_length)
    (rational t.at_ratio) (rational t.test_step) (integer t.cut_bits) (option integer t.test_threshold)

let event t =
  sprintf
    "{| event_first := %s; event_second := %s; event_others := %s; \
     scores := %s; event_threshold := %s; event_bits := %s; event_classes := %s |}"
    (integer t.event_first) (integer t.event_second) (list integer t.event_others) (list integer t.scores)
    (option integer t.event_threshold) (integer t.event_bits)
    (option (pair (pair integer (list integer)) (list (list integer))) t.event_classes)

let rec tree = function
  | Leaf (corners, taylor, bits) -> sprintf "(Leaf %s %s %s)" (list bool corners) (integer taylor) (integer bits)
  | Cut (variable, place, low, high) ->
      sprintf "(Cut %s %s %s %s)" (integer variable) (rational place) (tree low) (tree high)

let swap_plan s =
  sprintf "(Build_swap_plan %s %s %s %s %s %s)" (rational s.swap_tilt) (rational s.swap_smoothing) (rational s.swap_step)
    (integer s.swap_nodes) (list integer s.swap_stages) (bool s.swap_own)

let reached_event e =
  sprintf "{| reached_first := %s; reached_second := %s; reached_counts := %s |}" (list integer e.reached_first)
    (list integer e.reached_second) (list (list integer) e.reached_counts)

let reached_shift e =
  sprintf "{| reached_by := %s; is_forward := %s; reached_integers := %s |}" (integer e.reached_by) (bool e.is_forward)
    (list integer e.reached_integers)

let reached = function
  | NothingReached -> "NothingReached"
  | ReachedViews entries -> sprintf "(ReachedViews %s)" (list reached_event entries)
  | ReachedShifts entries -> sprintf "(ReachedShifts %s)" (list reached_shift entries)

let rec witness = function
  | Simple p -> sprintf "(Simple %s)" (precision p)
  | TwoDataSets (a, b, p) -> sprintf "(TwoDataSets %s %s %s)" (list integer a) (list integer b) (precision p)
  | Vertex (x, y, z, outcome, functional) ->
      sprintf "(Vertex %s %s %s %s %s)" (integer x) (integer y) (integer z) (list integer outcome)
        (list integer functional)
  | Smaller r -> sprintf "(Smaller %s)" (rational r)
  | ForAllDataSets (ByBlanket (bits, length, bounds), p) ->
      sprintf "(ForAllDataSets (ByBlanket %s %s %s) %s)" (integer bits) (integer length)
        (list (pair rational integer) bounds) (precision p)
  | ForAllDataSets (ByClosedBracket, p) -> sprintf "(ForAllDataSets ByClosedBracket %s)" (precision p)
  | ForAllDataSets (ByTwoMessages, p) -> sprintf "(ForAllDataSets ByTwoMessages %s)" (precision p)
  | ForAllDataSets (BySwap (bits, plans, places, used), p) ->
      sprintf "(ForAllDataSets (BySwap %s %s %s %s) %s)" (integer bits) (list swap_plan plans) (list integer places)
        (list (list integer) used) (precision p)
  | Likelihood (t, p) -> sprintf "(Likelihood %s %s)" (likelihood t) (precision p)
  | Event (t, p) -> sprintf "(Event %s %s)" (event t) (precision p)
  | ShiftOrder (shift, forward, p) -> sprintf "(ShiftOrder %s %s %s)" (integer shift) (bool forward) (precision p)
  | Pure -> "Pure"
  | MessageEvent (message, holders, above, p) ->
      sprintf "(MessageEvent %s %s %s %s)" (integer message) (integer holders) (integer above) (precision p)
  | By (k, p) -> sprintf "(By %s %s)" (integer k) (precision p)
  | OfDataSet histogram -> sprintf "(OfDataSet %s)" (list integer histogram)
  | Outcome (k, p) -> sprintf "(Outcome %s %s)" (integer k) (precision p)
  | OfInput x -> sprintf "(OfInput %s)" (integer x)
  | Counts outcome -> sprintf "(Counts %s)" (list integer outcome)
  | HandelmanTerms terms -> sprintf "(HandelmanTerms %s)" (list (pair rational (list natural)) terms)
  | Point (point, p) -> sprintf "(Point %s %s)" (list rational point) (precision p)
  | BoxTree t -> sprintf "(BoxTree %s)" (tree t)
  | Curves (rho, bits, curves, p) ->
      sprintf "(Curves %s %s %s %s)" (rational rho) (integer bits) (list (pair (list integer) curve) curves)
        (precision p)
  | Pairs (rho, bits, pairs, p) ->
      sprintf "(Pairs %s %s %s %s)" (rational rho) (integer bits) (list witness pairs) (precision p)
  | Parts parts -> sprintf "(Parts %s)" (list witness parts)
  | PartWitness (i, w) -> sprintf "(PartWitness %s %s)" (integer i) (witness w)
  | OfFunctions w -> sprintf "(OfFunctions %s)" (of_functions w)

and of_functions = function
  | OnCells (cells, events) -> sprintf "(OnCells %s %s)" (tree cells) (reached events)
  | AtPoint (point, w) -> sprintf "(AtPoint %s %s)" (list rational point) (option witness w)
  | ByChannel (channel, cells) -> sprintf "(ByChannel %s %s)" (list (list rational_function) channel) (tree cells)
  | TwoLevels (low, high, nb, n, e, delta, proof, refutation) ->
      sprintf "(TwoLevels %s %s %s %s %s %s %s %s)" (list rational low) (list rational high) (neighboring nb) (integer n)
        (rational e) (rational delta) (witness proof) (witness refutation)

and curve = function
  | ForAllLevels w -> sprintf "(ForAllLevels %s)" (witness w)
  | ForEachLevel ws -> sprintf "(ForEachLevel %s)" (list witness ws)

(* Which integers Coq computes with: those of its library, or the machine's (big/big_program.v). *)
type integers = Binary | Primitive

(* The files that a theorem needs, and its proof from what the kernel computes. Coq compiles all that the program calls
   before it runs it: a shift of noise that is compared exactly needs little of it. It is computed once, by [Qed]. *)
let needed_and_proof integers claimed verdict shown =
  let exactly = function
    | Exactly | TaylorTerms _ -> true
    | Bits _ -> false in
  match (claimed, shown) with
  | ShiftDP (nu, shift, l, delta, w), (Simple p | ShiftOrder (_, _, p)) when exactly p ->
      let given =
        sprintf "%s %s %s %s %s %s by_witness" (noise nu) (integer shift) (level l) (rational delta) (least w)
          (bool verdict) in
      let files, theorem =
        match integers with
        | Binary -> ("noise_privacy_program shift_sound", "check_shift_exact_sound")
        | Primitive -> ("big_program", "big_check_shift_exact_sound") in
      ( "claims witnesses kinds " ^ files,
        [ sprintf "  apply (established_true stated %s), (established_simple stated %s I)." (bool verdict)
          (bool verdict);
          sprintf "  apply (%s %s)." theorem given ] )
  | _ when integers = Primitive ->
      raise (Refusal.Not_covered "this claim on primitive integers, only for shift_dp of laws that are listed exactly")
  | _ ->
      ( "claims witnesses checked",
        [ sprintf "  apply (check_sound {| claimed := stated; verdict := %s; shown := by_witness |})."
          (bool verdict) ] )

(* The file whose theorem is that the claim holds, or does not; its proof is a computation of the kernel. *)
let certificate integers claimed verdict shown =
  let needed, proof = needed_and_proof integers claimed verdict shown in
  String.concat "\n"
    ([ "(** A certificate as a theorem: its proof is what the checker of exactdp computes, here in \
      Coq's virtual machine. *)";
      "";
      "From Coq Require Import ZArith QArith List.";
      sprintf "From ExactdpChecker Require Import %s." needed;
      "Import ListNotations.";
      "";
      sprintf "Definition stated : claim :=\n  %s." (claim claimed);
      "";
      sprintf "Definition by_witness : witness :=\n  %s." (witness shown);
      "";
      sprintf "Theorem certified : %s stated." (if verdict then "holds" else "~ holds");
      "Proof." ]
    @ proof
    @ [ "  vm_cast_no_check (eq_refl true).";
        "Qed.";
      "";
      "Print Assumptions certified.";
      "" ])

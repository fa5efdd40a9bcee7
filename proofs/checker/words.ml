(* The claim in words, those of the Python checker, from the value that was checked. *)

open Proved
open Printf

let bits = Integer.numbits

(* The number itself where it is short, else seven digits of it, cut, and its size. *)
let show_fraction top bottom =
  let magnitude = Integer.abs top in
  let is_whole = Integer.equal bottom Integer.one in
  if max (bits magnitude) (bits bottom) <= 64 then
    if is_whole then Integer.to_string top else Integer.to_string top ^ "/" ^ Integer.to_string bottom
  else
    let length =
      if is_whole then sprintf "%d bits" (bits magnitude) else sprintf "%d/%d bits" (bits magnitude) (bits bottom) in
    let ten = Integer.of_int 10 in
    let digits exponent =
      let up = Integer.pow ten (max (6 - exponent) 0) and down = Integer.pow ten (max (exponent - 6) 0) in
      Integer.div (Integer.mul magnitude up) (Integer.mul bottom down) in
    let floor_div a b = if a >= 0 then a / b else -((b - 1 - a) / b) in
    let rec settled exponent =
      if Integer.geq (digits exponent) (Integer.pow ten 7) then settled (exponent + 1) else exponent in
    let exponent = settled (floor_div ((bits magnitude - bits bottom) * 30103) 100000 - 2) in
    let shown = Integer.to_int (digits exponent) in
    let sign = if Integer.sign top < 0 then "-" else "" in
    sprintf "%s%d.%06de%d (%s)" sign (shown / 1000000) (shown mod 1000000) exponent length

let integer n = show_fraction n Integer.one

let rational r = show_fraction r.qnum r.qden

let joined separator show entries = String.concat separator (List.map show entries)

let vector entries = "[" ^ joined ", " integer entries ^ "]"

let text = Json.text

let short_id characters = String.sub (Sha256.digest (text characters)) 0 12

let rec addends = function
  | Plus (x, y) -> addends x @ [ y ]
  | x -> [ x ]

let rec factors = function
  | Times (x, y) -> factors x @ [ y ]
  | x -> [ x ]

let rec real = function
  | Rational r -> rational r
  | Exponential x -> sprintf "e^(%s)" (real x)
  | Logarithm x -> sprintf "ln(%s)" (real x)
  | Inverse x -> sprintf "(1 / %s)" (real x)
  | Plus _ as x -> sprintf "(%s)" (joined " + " real (addends x))
  | Times _ as x -> sprintf "(%s)" (joined " * " real (factors x))
  | Power (x, k) -> sprintf "%s^%s" (real x) (Integer.to_string k)

let row number outcomes =
  joined ", " (fun (probability, send) -> sprintf "(%s) %s" (joined " " Integer.to_string send) (number probability))
    outcomes

(* Short ones are written out, others stand by their id. *)
let rows_words number id is_short rows =
  let outcomes = List.fold_left (fun sum row -> sum + List.length row) 0 rows in
  let sent = List.fold_left (List.fold_left (fun sum (_, send) -> sum + List.length send)) 0 rows in
  let words =
    if is_short outcomes sent then
      String.concat "; " (List.mapi (fun x outcomes -> sprintf "%d: %s" x (row number outcomes)) rows)
    else sprintf "table %s, inputs: %d, outcomes: %d" (id ()) (List.length rows) outcomes in
  sprintf "randomizer {%s}" words

let table t =
  rows_words rational (fun () -> short_id (table_text t)) (fun outcomes sent -> sent + outcomes <= 16) t.rows

let family f =
  let words =
    match f with
    | KAry (k, e) -> sprintf "k-ary, inputs = %s, e^eps0 = %s" (integer k) (rational e)
    | UnaryEncoding (d, p, r) ->
        sprintf "unary-encoding, inputs = %s, one = %s, other = %s" (integer d) (rational p) (rational r)
    | SubsetSelection (d, w, e) ->
        sprintf "subset-selection, inputs = %s, size = %s, e^eps0 = %s" (integer d) (integer w) (rational e)
    | Hadamard (d, e) -> sprintf "hadamard, inputs = %s, e^eps0 = %s" (integer d) (rational e)
    | LocalHashing (d, g, e) ->
        sprintf "local-hashing, inputs = %s, buckets = %s, e^eps0 = %s" (integer d) (integer g) (rational e)
    | ClippedLaplace (top, r) -> sprintf "clipped-discrete-laplace, top = %s, ratio = %s" (integer top) (rational r) in
  sprintf "randomizer {%s}" words

let randomizer = function
  | Table t -> table t
  | Family f -> family f

let any e = sprintf "randomizers whose rows all lie within the factor %s of each other" (rational e)

(* Each without what stands around the braces. *)
let product of_them =
  let inner words =
    let start = String.index words '{' + 1 in
    String.sub words start (String.length words - start - 1) in
  sprintf "randomizer {product of %s}" (joined "; " (fun r -> inner (randomizer r)) of_them)

let participation r q a =
  let instead =
    match a with
    | Counted -> " or sending nothing"
    | Listed -> ", beside a list of who does"
    | HiddenUniformly -> " and else a dummy, uniform"
    | Hidden chances -> sprintf " and else a dummy with the probabilities %s" (joined ", " rational chances)
    | HiddenByInput z -> sprintf " and else a dummy of the input %s" (Integer.to_string z) in
  sprintf "%s, taking part with probability %s%s" (randomizer r) (rational q) instead

let listed number id weights =
  let words =
    if List.length weights <= 8 then joined ", " (fun (k, p) -> sprintf "%s: %s" (integer k) (number p)) weights
    else sprintf "table %s, outcomes: %d" (id ()) (List.length weights) in
  sprintf "law {%s}" words

let finite weights = listed rational (fun () -> short_id (weights_text weights)) weights

let binomial n p = sprintf "Bin(%s, %s)" (Integer.to_string n) (real p)

let summed weights randomizer histogram =
  sprintf "law of the message weights %s summed, %s, data set %s" (vector weights) randomizer (vector histogram)

let noise = function
  | Finite weights -> finite weights
  | View (t, histogram, weights) -> summed weights (table t) histogram
  | Binomial (n, p) -> binomial n p
  | BinomialSum (n1, p1, n2, p2) -> sprintf "%s + %s" (binomial n1 p1) (binomial n2 p2)
  | NegativeBinomial (r, p) -> sprintf "NB(%s, %s)" (real r) (real p)
  | Geometric p -> sprintf "Geometric(%s)" (real p)
  | DiscreteLaplace e -> sprintf "DiscreteLaplace(%s)" (real e)
  | DiscreteGaussian s -> sprintf "DiscreteGaussian(%s)" (rational s)
  | Poisson mu -> sprintf "Poisson(%s)" (real mu)
  | DiscreteUniform (low, high) -> sprintf "DiscreteUniform(%s, %s)" (integer low) (integer high)

let parameter = function
  | ExpEps e -> "e^eps = " ^ rational e
  | Eps eps -> "eps = " ^ rational eps

let level_words level delta least =
  let nothing_smaller =
    match least with
    | LeastNothing -> ""
    | LeastDelta -> ", no smaller delta"
    | LeastExpEps -> ", no smaller e^eps" in
  sprintf "(%s, delta = %s)-DP, both orders%s" (parameter level) (rational delta) nothing_smaller

let view randomizer n scope neighboring =
  let users = match scope with ThisNumber -> "n = " | AllFromIt -> "every n >= " in
  let neighbors = match neighboring with ReplaceOne -> "replace one" | AddOrRemoveOne -> "add or remove one" in
  sprintf "shuffled %s, %s%s, %s" randomizer users (Integer.to_string n) neighbors

let count noise_words shift =
  let shifts = if Integer.equal shift Integer.one then "shift 1" else "shifts 1 to " ^ Integer.to_string shift in
  sprintf "count + %s, %s" noise_words shifts

let run (run, times) =
  let mechanism =
    match run with
    | NoiseRun (nu, shift) -> count (noise nu) shift
    | RandomizerRun (r, n, neighboring) -> view (randomizer r) n ThisNumber neighboring
    | ProductRun (of_them, n) -> view (product of_them) n ThisNumber ReplaceOne
    | AnyRun (e, n) -> view (any e) n ThisNumber ReplaceOne
    | ParticipationRun (r, q, a, n) -> view (participation r q a) n ThisNumber ReplaceOne in
  sprintf "%s x (%s)" (Integer.to_string times) mechanism

let unless = function
  | None -> ""
  | Some tau -> sprintf " (0 unless above %s before the offset)" (rational tau)

(* The first entries of a list. *)
let rec first count = function
  | entry :: rest when count > 0 -> entry :: first (count - 1) rest
  | _ -> []

let poly names p =
  let term (coefficient, exponents) =
    let factor name e =
      if Integer.equal e Integer.zero then None
      else if Integer.equal e Integer.one then Some name
      else Some (name ^ "^" ^ Integer.to_string e) in
    String.concat "*" (rational coefficient :: List.filter_map Fun.id (List.map2 factor names exponents)) in
  let more = if List.length p > 12 then sprintf " + ... (%d terms)" (List.length p) else "" in
  if p = [] then "0" else joined " + " term (first 12 p) ^ more

let sign strict = if strict then ">" else ">="

let condition names (p, strict) = sprintf "%s %s 0" (poly names p) (sign strict)

let interval name i =
  let left = if i.from_closed then "[" else "(" and right = if i.to_closed then "]" else ")" in
  sprintf "%s in %s%s, %s%s" name left (rational i.from) (rational i.to0) right

let in_box names box = sprintf "for all %s" (String.concat ", " (List.map2 interval names box))

let tail noise_words first last at_most probability =
  let low = match first with None -> "" | Some a -> integer a ^ " <= " in
  let high = match last with None -> "" | Some b -> " <= " ^ integer b in
  sprintf "Y = %s: P[%sY%s] %s %s" noise_words low high (if at_most then "<=" else ">=") probability

let same = sprintf "%s and %s are the same law"

let is_one = function
  | [ (c, exponents) ] ->
      Integer.equal c.qnum Integer.one && Integer.equal c.qden Integer.one
      && List.for_all (Integer.equal Integer.zero) exponents
  | _ -> false

let quotient names = function
  | Constant r -> rational r
  | Polynomial p -> poly names p
  | Quotient (top, bottom) when is_one bottom -> poly names top
  | Quotient (top, bottom) -> sprintf "(%s)/(%s)" (poly names top) (poly names bottom)

let functional_table names t =
  let is_short outcomes sent = outcomes <= 8 && sent <= 8 in
  rows_words (quotient names) (fun () -> short_id (functional_table_text t)) is_short t.function_rows

let functional_noise names = function
  | FunctionalFinite weights ->
      listed (quotient names) (fun () -> short_id (functional_weights_text weights)) weights
  | FunctionalView (t, histogram, weights) -> summed weights (functional_table names t) histogram
  | FunctionalBinomial (n, p) -> sprintf "Bin(%s, %s)" (Integer.to_string n) (quotient names p)

let functional_level names exp_eps deltas least =
  let shown = List.map (quotient names) deltas in
  let largest = match shown with [ delta ] -> delta | _ -> sprintf "max(%s)" (String.concat ", " shown) in
  sprintf "e^eps = %s, delta = %s%s" (quotient names exp_eps) largest (if least = LeastDelta then ", the least" else "")

let at_points names = function
  | PointShuffle (t, n, scope, neighboring, exp_eps, deltas, least) ->
      sprintf "%s: (%s)-DP, both orders" (view (functional_table names t) n scope neighboring)
        (functional_level names exp_eps deltas least)
  | PointShift (nu, shift, exp_eps, deltas, least) ->
      sprintf "%s: (%s)-DP, both orders" (count (functional_noise names nu) shift)
        (functional_level names exp_eps deltas least)
  | PointSmooth (nu, k, exp_eps, delta) ->
      sprintf "%s is (%s, k = %s)-smooth" (functional_noise names nu)
        (functional_level names exp_eps [ delta ] LeastNothing) (Integer.to_string k)
  | PointTail (nu, first, last, at_most, probability) ->
      tail (functional_noise names nu) first last at_most (quotient names probability)
  | PointEqual (a, b) -> same (functional_noise names a) (functional_noise names b)

let rec claim = function
  | ShuffleDP (r, n, scope, neighboring, level, delta, least) ->
      sprintf "%s: %s" (view (randomizer r) n scope neighboring) (level_words level delta least)
  | AnyShuffleDP (e, n, scope, level, delta) ->
      sprintf "%s: %s" (view (any e) n scope ReplaceOne) (level_words level delta LeastNothing)
  | ParticipationDP (r, q, a, n, scope, level, delta) ->
      sprintf "%s: %s" (view (participation r q a) n scope ReplaceOne) (level_words level delta LeastNothing)
  | ClassesDP (classes, who, level, delta) ->
      let of_class (r, n) = sprintf "%s of %s" (Integer.to_string n) (randomizer r) in
      let one = match who with
        | Some j when List.length classes > 1 -> sprintf " in class %s" (Integer.to_string j)
        | _ -> "" in
      sprintf "shuffled classes of users {%s}, replace one%s: %s" (joined "; " of_class classes) one
        (level_words level delta LeastNothing)
  | ProductDP (of_them, n, scope, level, delta) ->
      sprintf "%s: %s" (view (product of_them) n scope ReplaceOne) (level_words level delta LeastNothing)
  | TwoMessageDP (t, n, scope, level, delta) ->
      sprintf "%s: %s" (view (table t) n scope ReplaceOne) (level_words level delta LeastNothing)
  | CountingDP (p1, parts, level, delta) ->
      let own = noise (Geometric p1) and common = joined " + " (fun (r, p) -> noise (NegativeBinomial (r, p))) parts in
      sprintf "sum of bits + %s + W messages +1 and %s + W messages -1, W ~ %s, any number of users, replace one: %s" own
        own common (level_words level delta LeastNothing)
  | SampleThresholdDP (rate, threshold, users, level, delta) ->
      let most n = sprintf "at most %s holders" (integer n) in
      sprintf "number of holders of an item, sampled with probability %s, dropped below %s, %s, one more or fewer: %s"
        (rational rate) (Integer.to_string threshold) (Option.fold ~none:"any number of holders" ~some:most users)
        (level_words level delta LeastNothing)
  | NeverDP (t, n, neighboring, below) ->
      sprintf "%s: not (eps, delta)-DP for any finite eps and any delta < %s"
        (view (table t) n ThisNumber neighboring) (rational below)
  | SplitAndMix (n, q, m, distance) ->
      sprintf "split and mix of n = %s users, %s shares of integers modulo %s: \
               the views of two inputs with one sum are within a distance of %s"
        (Integer.to_string n) (Integer.to_string m) (integer q) (rational distance)
  | ShiftDP (nu, shift, level, delta, least) ->
      sprintf "%s: %s" (count (noise nu) shift) (level_words level delta least)
  | Smooth (nu, k, level, delta) ->
      sprintf "%s is (%s, delta = %s, k = %s)-smooth" (noise nu) (parameter level) (rational delta)
        (Integer.to_string k)
  | Tail (nu, first, last, at_most, probability) -> tail (noise nu) first last at_most (rational probability)
  | Composed (runs, level, delta) ->
      sprintf "%s, composed adaptively: %s" (joined " and " run runs) (level_words level delta LeastNothing)
  | Accuracy (t, n, histogram, a, values, alpha, beta) ->
      let users = match histogram with None -> "every data set" | Some h -> "data set " ^ vector h in
      let estimate =
        sprintf "estimate of the summed values [%s] from the message weights [%s] + %s%s" (joined ", " rational values)
          (joined ", " rational a.weights) (rational a.offset) (unless a.zero_unless_above) in
      sprintf "shuffled %s, n = %s, %s, %s: P[error > %s] <= %s" (table t) (Integer.to_string n) users estimate
        (rational alpha) (rational beta)
  | CountAccuracy (nu, least, most, weight, offset, threshold, alpha, beta) ->
      let counts =
        if Integer.equal least most then integer least else sprintf "every c from %s to %s" (integer least)
          (integer most) in
      sprintf "c = %s, Y = %s, estimate %s (c + Y) + %s%s: P[|estimate - %s c| > %s] <= %s" counts (noise nu)
        (rational weight) (rational offset) (unless threshold) (rational weight) (rational alpha) (rational beta)
  | EqualLaws (a, b) -> same (noise a) (noise b)
  | AdditiveView (t, base, shifts) ->
      sprintf "shuffled %s, every n >= 1, every data set: the view is the sum of the shifts %s plus \
               n independent copies of %s"
        (table t) (vector shifts) (finite base)
  | ZeroEstimate (t, weights, threshold, input) ->
      sprintf
        "shuffled %s, every n >= 1: if all users hold %s, the mean over users of the message weights [%s] is \
         at most %s, certainly"
        (table t) (Integer.to_string input) (joined ", " rational weights) (rational threshold)
  | Inequality (variables, hypotheses, conclusion) ->
      let names = List.map (fun name -> text (name_text name)) variables in
      let all = if names = [] then "" else sprintf "for all real %s: " (String.concat ", " names) in
      let given = joined " and " (condition names) hypotheses in
      sprintf "%s%s%s" all (if given = "" then "" else sprintf "if %s then " given) (condition names conclusion)
  | BoxInequality (variables, box, terms, strict) ->
      let names = List.map (fun name -> text (name_text name)) variables in
      let term (p, exponent) =
        if exponent = [] then sprintf "(%s)" (poly names p) else sprintf "(%s) e^(%s)" (poly names p)
          (poly names exponent) in
      let sum = if terms = [] then "0" else joined " + " term terms in
      sprintf "%s: %s %s 0" (in_box names box) sum (sign strict)
  | ForAll (parameters, box, c) ->
      let names = List.map (fun name -> text (name_text name)) parameters in
      sprintf "%s: %s" (in_box names box) (at_points names c)
  | Monotone (parameters, box, moved, falls, t) ->
      let names = List.map (fun name -> text (name_text name)) parameters in
      sprintf "%s: shuffled %s, every n >= 1, both relations: the worst delta at every e^eps never %s as %s rises"
        (in_box names box) (functional_table names t) (if falls then "rises" else "falls")
        (List.nth names (Integer.to_int moved))
  | Conjunction (parts, _) -> joined " AND " (fun part -> sprintf "(%s)" (claim part)) parts
  | Not inner -> sprintf "NOT (%s)" (claim inner)

let assumption = function
  | Markov -> "Markov's inequality"
  | Independence -> "the mean of a product of independent variables is the product of their means"
  | UnionBound -> "a union bound"
  | PostProcessing -> "post-processing does not raise a divergence"
  | BasicComposition -> "basic composition"
  | Taylor -> "Taylor's theorem with Lagrange's remainder"
  | MonotoneConvergence -> "limits of increasing sequences pass into sums of non-negative terms"

(* What the conjunctions in a claim are said to assume. *)
let rec assumed = function
  | Conjunction (parts, facts) -> List.map assumption facts @ List.concat_map assumed parts
  | Not inner -> assumed inner
  | _ -> []

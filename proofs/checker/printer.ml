(* A claim as JSON, from the value that was checked: what was read is compared with this, so that a reader that takes
   one claim for another is found out, and the id that is printed is that of the claim which was checked. *)

open Proved
open Json

let of_integer n =
  let bits = Integer.numbits n in
  if bits <= Integer.to_int Limits.max_decimal_bits then Text (Integer.to_string n)
  else Text ((if Integer.sign n < 0 then "-0x" else "0x") ^ Integer.format "%x" (Integer.abs n))

let written = function
  | Text text -> text
  | _ -> assert false

(* An integer where the denominator is 1. *)
let of_rational r =
  if Integer.equal r.qden Integer.one then of_integer r.qnum
  else Text (written (of_integer r.qnum) ^ "/" ^ written (of_integer r.qden))

let of_list entry entries = List (List.map entry entries)

let of_choice yes no choice = Text (if choice then yes else no)

let rec addends = function
  | Plus (x, y) -> addends x @ [ y ]
  | x -> [ x ]

let rec factors = function
  | Times (x, y) -> factors x @ [ y ]
  | x -> [ x ]

let rec of_real = function
  | Rational r -> of_rational r
  | Exponential x -> Object [ ("exp", of_real x) ]
  | Logarithm x -> Object [ ("log", of_real x) ]
  | Inverse x -> Object [ ("inverse", of_real x) ]
  | Plus _ as x -> Object [ ("sum", of_list of_real (addends x)) ]
  | Times _ as x -> Object [ ("product", of_list of_real (factors x)) ]
  | Power (x, k) -> Object [ ("power", List [ of_real x; of_integer k ]) ]

let of_outcome (probability, send) = Object [ ("send", of_list of_integer send); ("prob", of_rational probability) ]

let of_table t = Object [ ("messages", of_integer t.message_types); ("rows", of_list (of_list of_outcome) t.rows) ]

let of_family family =
  let named name fields = Object (("family", Text name) :: fields) in
  let inputs d = ("inputs", of_integer d) and exp_eps0 e = ("exp_eps0", of_rational e) in
  match family with
  | KAry (k, e) -> named "k-ary" [ inputs k; exp_eps0 e ]
  | UnaryEncoding (d, p, r) -> named "unary-encoding" [ inputs d; ("one", of_rational p); ("other", of_rational r) ]
  | SubsetSelection (d, w, e) -> named "subset-selection" [ inputs d; ("size", of_integer w); exp_eps0 e ]
  | Hadamard (d, e) -> named "hadamard" [ inputs d; exp_eps0 e ]
  | LocalHashing (d, g, e) -> named "local-hashing" [ inputs d; ("buckets", of_integer g); exp_eps0 e ]
  | ClippedLaplace (top, r) -> named "clipped-discrete-laplace" [ ("top", of_integer top); ("ratio", of_rational r) ]

let of_randomizer = function
  | Table t -> of_table t
  | Family f -> of_family f

let of_weights = of_list (fun (k, probability) -> List [ of_integer k; of_rational probability ])

let of_noise noise =
  let named name fields = Object (("family", Text name) :: fields) in
  match noise with
  | Finite weights -> named "finite" [ ("weights", of_weights weights) ]
  | View (t, histogram, weights) ->
      let fields = [ ("dataset", of_list of_integer histogram); ("weights", of_list of_integer weights) ] in
      named "view" (("randomizer", of_table t) :: fields)
  | Binomial (n, p) -> named "binomial" [ ("n", of_integer n); ("p", of_real p) ]
  | BinomialSum (n1, p1, n2, p2) ->
      named "binomial-sum" [ ("n1", of_integer n1); ("p1", of_real p1); ("n2", of_integer n2); ("p2", of_real p2) ]
  | NegativeBinomial (r, p) -> named "negative-binomial" [ ("r", of_real r); ("p", of_real p) ]
  | Geometric p -> named "geometric" [ ("p", of_real p) ]
  | DiscreteLaplace e -> named "discrete-laplace" [ ("exp_eps", of_real e) ]
  | DiscreteGaussian s -> named "discrete-gaussian" [ ("sigma_squared", of_rational s) ]
  | Poisson mu -> named "poisson" [ ("mu", of_real mu) ]
  | DiscreteUniform (low, high) -> named "discrete-uniform" [ ("low", of_integer low); ("high", of_integer high) ]

let of_level level delta =
  (match level with
   | ExpEps e -> ("exp_eps", of_rational e)
   | Eps eps -> ("eps", of_rational eps))
  :: [ ("delta", of_rational delta) ]

let of_scope = function
  | ThisNumber -> Text "this n"
  | AllFromIt -> Text "all n from n"

let of_neighboring = function
  | ReplaceOne -> Text "replace-one"
  | AddOrRemoveOne -> Text "add-or-remove-one"

let of_least = function
  | LeastNothing -> Text "none"
  | LeastDelta -> Text "delta"
  | LeastExpEps -> Text "exp_eps"

let of_run (run, times) =
  let times = ("times", of_integer times) in
  match run with
  | NoiseRun (noise, shift) -> Object [ ("law", of_noise noise); ("shift", of_integer shift); times ]
  | RandomizerRun (r, n, neighboring) ->
      Object [ ("randomizer", of_randomizer r); ("n", of_integer n); ("neighbors", of_neighboring neighboring); times ]

let of_end infinite = function
  | None -> Text infinite
  | Some k -> of_integer k

let of_threshold = function
  | None -> Text "none"
  | Some tau -> of_rational tau

let name_text codes = String.concat "" (List.map (fun code -> String.make 1 (Char.chr (Integer.to_int code))) codes)

let of_name codes = Text (name_text codes)

let of_poly = of_list (fun (coefficient, exponents) -> List [ of_rational coefficient; of_list of_integer exponents ])

let of_condition (poly, strict) = Object [ ("polynomial", of_poly poly); ("strict", of_choice "yes" "no" strict) ]

let of_interval i =
  let end_of = of_choice "closed" "open" in
  Object
    [ ("low", of_rational i.from); ("low_end", end_of i.from_closed);
      ("high", of_rational i.to0); ("high_end", end_of i.to_closed) ]

let of_assumption = function
  | Markov -> Text "markov"
  | Independence -> Text "independence"
  | UnionBound -> Text "union"
  | PostProcessing -> Text "post-processing"
  | BasicComposition -> Text "composition"
  | Taylor -> Text "taylor"
  | MonotoneConvergence -> Text "monotone-convergence"

let rec of_claim claim =
  let kind name fields = Object (("kind", Text name) :: fields) in
  match claim with
  | ShuffleDP (r, n, scope, neighboring, level, delta, least) ->
      kind "shuffle_dp"
        ([ ("randomizer", of_randomizer r); ("n", of_integer n); ("scope", of_scope scope);
           ("neighbors", of_neighboring neighboring); ("least", of_least least) ] @ of_level level delta)
  | TwoMessageDP (t, n, scope, level, delta) ->
      kind "two_message_dp"
        ([ ("randomizer", of_table t); ("n", of_integer n); ("scope", of_scope scope) ] @ of_level level delta)
  | NeverDP (t, n, neighboring, delta_below) ->
      kind "never_dp"
        [ ("randomizer", of_table t); ("n", of_integer n); ("neighbors", of_neighboring neighboring);
          ("delta_below", of_rational delta_below) ]
  | ShiftDP (noise, shift, level, delta, least) ->
      kind "shift_dp"
        ([ ("law", of_noise noise); ("shift", of_integer shift); ("least", of_least least) ] @ of_level level delta)
  | Smooth (noise, k, level, delta) ->
      kind "smooth" ([ ("law", of_noise noise); ("k", of_integer k) ] @ of_level level delta)
  | Tail (noise, first, last, at_most, probability) ->
      kind "tail"
        [ ("law", of_noise noise); ("from", of_end "-infinity" first); ("to", of_end "infinity" last);
          ("bound", of_choice "at most" "at least" at_most); ("probability", of_rational probability) ]
  | Composed (runs, level, delta) -> kind "composed" (("runs", of_list of_run runs) :: of_level level delta)
  | Accuracy (t, n, histogram, analyzer, values, alpha, beta) ->
      let dataset = match histogram with None -> Text "worst" | Some h -> of_list of_integer h in
      kind "accuracy"
        [ ("randomizer", of_table t); ("n", of_integer n); ("dataset", dataset);
          ("weights", of_list of_rational analyzer.weights); ("offset", of_rational analyzer.offset);
          ("zero_unless_above", of_threshold analyzer.zero_unless_above); ("values", of_list of_rational values);
          ("alpha", of_rational alpha); ("beta", of_rational beta) ]
  | CountAccuracy (noise, least, most, weight, offset, threshold, alpha, beta) ->
      kind "accuracy"
        [ ("law", of_noise noise); ("least", of_integer least); ("most", of_integer most);
          ("weight", of_rational weight);
          ("offset", of_rational offset); ("zero_unless_above", of_threshold threshold); ("alpha", of_rational alpha);
          ("beta", of_rational beta) ]
  | EqualLaws (first, second) -> kind "equal_laws" [ ("first", of_noise first); ("second", of_noise second) ]
  | AdditiveView (t, base, shifts) ->
      kind "additive_view"
        [ ("randomizer", of_table t); ("base", of_weights base); ("shifts", of_list of_integer shifts) ]
  | ZeroEstimate (t, weights, threshold, input) ->
      kind "zero_estimate"
        [ ("randomizer", of_table t); ("weights", of_list of_rational weights);
          ("zero_unless_above", of_rational threshold); ("input", of_integer input) ]
  | Inequality (variables, hypotheses, conclusion) ->
      kind "inequality"
        [ ("variables", of_list of_name variables); ("hypotheses", of_list of_condition hypotheses);
          ("conclusion", of_condition conclusion) ]
  | BoxInequality (variables, box, terms, strict) ->
      let of_term (poly, exponent) = Object [ ("polynomial", of_poly poly); ("exponent", of_poly exponent) ] in
      kind "box_inequality"
        [ ("variables", of_list of_name variables); ("box", of_list of_interval box); ("terms", of_list of_term terms);
          ("strict", of_choice "yes" "no" strict) ]
  | Conjunction (parts, assumed) ->
      let assuming = if assumed = [] then [] else [ ("assuming", of_list of_assumption assumed) ] in
      kind "conjunction" (("claims", of_list of_claim parts) :: assuming)
  | Not inner -> kind "not" [ ("claim", of_claim inner) ]

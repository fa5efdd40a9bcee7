(* From a witness in JSON to the one that the programs get, by the claim and the verdict. Nothing is believed because it
   stands in a witness: a mistake here makes the checker refuse, and never accept, more. *)

open Refusal
open Proved
open Fields
open Claim_reader

let keys_of value = List.map fst (fields_of "the witness" value)

let is_in key value = List.mem key (keys_of value)

let exactly keys value = read_object "the witness" keys value

(** {1 Precision} *)

let read_bits fields = Bits (all fields "bits" (read_integer "bits" Limits.min_precision Limits.max_precision))

let terms_keys = function
  | ExpEps _ -> []
  | Eps _ -> [ "terms" ]

let read_terms level fields =
  match level with
  | ExpEps _ -> Exactly
  | Eps eps ->
      let terms = all fields "terms" (read_integer "terms" one Limits.max_terms) in
      if Integer.gt (Integer.mul terms (Integer.of_int (size eps + 10))) Limits.max_taylor_bits then
        malformed "a Taylor sum of more than %s bits" (Integer.to_string Limits.max_taylor_bits);
      TaylorTerms terms

(* With the key bits by enclosure, and else exactly. *)
let read_precision level fields = if has "bits" fields then read_bits fields else read_terms level fields

let precision_keys level value = if is_in "bits" value then [ "bits" ] else terms_keys level

let bits_keys value = if is_in "bits" value then [ "bits" ] else []

let read_bits_or_none fields = if has "bits" fields then read_bits fields else Exactly

let is_rational = function
  | Rational _ -> true
  | _ -> false

let is_zero = function
  | Rational r -> Integer.sign r.qnum = 0
  | _ -> false

(* Whether a law is checked exactly where a witness has no bits; [moved] if it is compared with itself, moved. *)
let rec is_exact moved = function
  | Finite _ | View _ | DiscreteUniform _ -> true
  | Binomial (n, Rational p) ->
      let bits = Integer.mul n (Integer.of_int (Integer.numbits p.qden)) in
      Integer.leq n Limits.max_trials && Integer.leq bits Limits.max_total_bits
  | BinomialSum (n1, p1, n2, p2) -> is_exact moved (Binomial (n1, p1)) && is_exact moved (Binomial (n2, p2))
  | Geometric p -> is_zero p || (moved && is_rational p)
  | NegativeBinomial (_, p) -> is_zero p
  | DiscreteLaplace e -> moved && is_rational e
  | Poisson mu -> is_zero mu
  | Binomial _ | DiscreteGaussian _ -> false

let is_enclosed = function
  | Finite _ | View _ | DiscreteUniform _ -> false
  | _ -> true

(* Whether the ratio of neighbouring weights is (A t + B) / (t + 1), with rational A and B. *)
let is_linear = function
  | Geometric p -> is_rational p
  | NegativeBinomial (r, p) -> is_rational r && is_rational p
  | Poisson mu -> is_rational mu
  | _ -> false

let too_large what = malformed "the check is too large: beyond %s" what

(* The sum of two binomial variables is made of as many products as there are pairs of outcomes, of so many bits. *)
let check_products n1 (p1 : q) n2 (p2 : q) =
  let bits n (p : q) = Integer.mul n (Integer.of_int (Integer.numbits p.qden)) in
  let first = bits n1 p1 and second = bits n2 p2 in
  let both = Integer.add first second in
  if Integer.gt both Limits.max_total_bits then
    malformed "the weights of the law have more than %s bits" (Integer.to_string Limits.max_total_bits);
  let steps = Integer.mul (Integer.succ n1) (Integer.succ n2) in
  let cost = Integer.div (Integer.mul both (Integer.add (Integer.of_int 512) second))
    (Integer.pow (Integer.of_int 2) 19) in
  if Integer.gt steps Limits.max_steps || Integer.gt (Integer.mul steps (Integer.succ cost)) Limits.max_work then
    too_large "MAX_WORK or MAX_STEPS";
  if Integer.gt (Integer.mul steps both) Limits.max_law_bits then
    malformed "a law of more than %s bits" (Integer.to_string Limits.max_law_bits)

(* What is listed exactly, moved by at most [moved] if it is. *)
let check_size moved = function
  | View (_, _, weights) ->
      let is_long w = Integer.gt (Integer.of_int (Integer.numbits w)) Limits.max_decimal_bits in
      if List.exists is_long weights then
        malformed "a weight of more than %s bits" (Integer.to_string Limits.max_decimal_bits)
  | BinomialSum (n1, Rational p1, n2, Rational p2) -> check_products n1 p1 n2 p2
  | (Geometric (Rational q) | DiscreteLaplace (Rational q)) as noise ->
      let d = match noise with Geometric _ -> q.qden | _ -> q.qnum in
      let bits most = Integer.mul (Integer.succ most) (Integer.of_int (Integer.numbits d)) in
      if Option.fold ~none:false ~some:(fun most -> Integer.gt (bits most) Limits.max_bits) moved then
        malformed "the weights of the law have more than %s bits" (Integer.to_string Limits.max_bits)
  | _ -> ()

let check_form moved noise has_bits =
  if not has_bits then check_size moved noise;
  if has_bits && not (is_enclosed noise) then malformed "this law is checked exactly: the witness has 'bits'";
  if (not has_bits) && not (is_exact (moved <> None) noise) then malformed
    "this law is checked by enclosure: the witness has no 'bits'"

let check_form_of moved noise value = check_form moved noise (is_in "bits" value)

(** {1 Pairs and tests of views} *)

let one_rational = whole one

(* Whether a claim says that something is least, and anything is smaller than that. *)
let has_smaller least level delta =
  match (least, level) with
  | LeastDelta, _ -> Integer.sign delta.qnum > 0
  | LeastExpEps, ExpEps e -> compare_rationals e one_rational <> 0
  | _ -> false

let inputs_of = function
  | Table t -> Some (inputs t)
  | Family (ClippedLaplace (top, _)) -> Some (Integer.to_int top + 1)
  | Family _ -> None

let messages_of = function
  | Table t -> messages t
  | Family (ClippedLaplace (top, _)) -> Integer.to_int top + 1
  | Family _ -> 0

let listed_inputs r =
  match inputs_of r with
  | Some k -> k
  | None -> malformed "a family is proved by a blanket and refuted by a likelihood test: its views are not listed"

let read_pair r precision fields =
  let k = listed_inputs r in
  let first = all fields "first" (read_counts "first" k) in
  TwoDataSets (first, all fields "second" (read_counts "second" k), precision)

let read_sum_bits fields = all fields "bits" (read_integer "bits" Limits.min_sum_bits Limits.max_sum_bits)

let read_length fields = all fields "length" (read_integer "length" Limits.min_length Limits.max_length)

let read_step where value =
  let step = read_short where value in
  if Integer.sign step.qnum <= 0 then malformed "the step of the lattice is not positive";
  step

let read_threshold_of_test fields =
  let threshold = all fields "threshold" (read_any_integer "threshold") in
  if Integer.gt (Integer.of_int (Integer.numbits threshold)) Limits.max_score_bits then
    malformed "a threshold of more than %s bits" (Integer.to_string Limits.max_score_bits);
  threshold

let read_input r key fields = all fields key (read_integer key zero (Integer.of_int (listed_inputs r - 1)))

(* Which other users a likelihood test of a family may have: a third input needs to be there. *)
let words_of_family r =
  let at_least least d = Integer.geq d (Integer.of_int least) in
  let third = ("third", OfThird) in
  let more =
    match r with
    | Family (Hadamard (d, _)) ->
        (if at_least 4 d then [ third ] else []) @ if at_least 3 d then [ ("xor", OfXor) ] else []
    | Family (KAry (d, _) | UnaryEncoding (d, _, _) | SubsetSelection (d, _, _) | LocalHashing (d, _, _)) ->
        if at_least 3 d then [ third ] else []
    | _ -> [] in
  [ ("first", OfFirst); ("second", OfSecond) ] @ more

let is_supports r = inputs_of r = None

let check_one_message = function
  | Table t when List.exists (List.exists (fun (_, send) -> List.length send > 1)) t.rows ->
      malformed "a likelihood test needs users who send at most one message each"
  | _ -> ()

(* [who] reads the pair that is tested, with these keys, and what the others hold. *)
let read_likelihood_of who keys more value =
  let fields = read_object "the likelihood" ([ "others"; "bits"; "length"; "at"; "step"; "cut" ] @ keys @ more) value in
  let at_ratio = all fields "at" (read_short "at") in
  if Integer.sign at_ratio.qnum < 0 then malformed "at is negative";
  let test_bits = read_sum_bits fields in
  let cut_bits = all fields "cut" (read_integer "cut" one test_bits) in
  let test_step = all fields "step" (read_step "step") in
  let test_length = read_length fields in
  let pair_tested, other_users = who fields in
  let test_threshold = if more = [] then None else Some (read_threshold_of_test fields) in
  { pair_tested; other_users; test_bits; test_length; at_ratio; test_step; cut_bits; test_threshold }

let read_likelihood r =
  if is_supports r then
    read_likelihood_of (fun fields -> (None, all fields "others" (read_choice "others" (words_of_family r)))) []
  else
    let who fields =
      let pair = (read_input r "first" fields, read_input r "second" fields) in
      let weight = read_rational_from "a weight of others" zero in
      let weights = List.map weight (all fields "others" (read_entries "others" (listed_inputs r))) in
      check_sum "others" weights;
      check_one_message r;
      (Some pair, Weighted weights) in
    read_likelihood_of who [ "first"; "second" ]

(* The places of a pair, and of a row that the others may have beside it, if these are there. *)
let read_likelihood_of_pair are_there more value =
  let who fields =
    let place key = all fields key (read_integer_from key zero) in
    let pair = place "pair" in
    (Some (pair, place "others"), OfThird) in
  let test = read_likelihood_of who [ "pair" ] more value in
  if not (are_there test) then malformed "there is no such pair of inputs, or no such row of the others beside it";
  test

let one_of_five test =
  match test.pair_tested with
  | Some (pair, row) -> Integer.sign pair = 0 && Integer.lt row (Integer.of_int 5)
  | None -> false

let is_of_product of_them test = tested_classes of_them test <> None

let is_power_of_2 n = Integer.equal n (Integer.shift_left Integer.one (Integer.numbits n - 1))

(* Whether a test may refute by the classes of users who may be away. *)
let check_tested r a =
  match (a, r) with
  | HiddenByInput _, Family (Hadamard (d, _)) when not (Integer.equal d (Integer.of_int 2) || is_power_of_2 (Integer.succ d)) ->
      malformed "no test refutes by classes that bound those of inputs"
  | HiddenUniformly, Family (UnaryEncoding (d, _, _))
    when Integer.gt d (Integer.add Limits.max_fair_bits (Integer.of_int 2)) ->
      malformed "no test refutes by the numbers of ones of so many bits"
  | _ -> ()

(* The place of a pair of those of a randomizer of parts, and that of a row that the others may have beside it. *)
let read_likelihood_of_pairs pairs more value =
  let who fields =
    let place key = all fields key (read_integer key zero Limits.max_list) in
    let pair = place "pair" in
    (Some (pair, place "others"), OfThird) in
  let test = read_likelihood_of who [ "pair" ] more value in
  (match pairs test with
   | Some pairs when classes_beside pairs test.pair_tested = None ->
       malformed "no such row beside such a pair of inputs"
   | _ -> ());
  test

let read_likelihood_away r q a more value =
  if a = Listed then check_one_message r;
  check_tested r a;
  read_likelihood_of_pairs (fun _ -> pairs_of_away r q a true) more value

let read_likelihood_together of_them q a more value =
  (match a with AllHidden dummies -> List.iter2 check_tested of_them dummies | _ -> ());
  read_likelihood_of_pairs (fun test -> absent_pairs of_them q a test.pair_tested) more value

let read_score value =
  let score = read_any_integer "a score" value in
  if Integer.gt (Integer.of_int (Integer.numbits score)) Limits.max_score_bits then
    malformed "a score of more than %s bits" (Integer.to_string Limits.max_score_bits);
  score

let read_event r more value =
  if is_supports r then malformed "an event needs a table";
  let fields = read_object "the event" ([ "first"; "second"; "others"; "scores"; "bits" ] @ more) value in
  let event_first = read_input r "first" fields in
  let event_second = read_input r "second" fields in
  let count = read_integer "others" zero Limits.max_family_users in
  let event_others = List.map count (all fields "others" (read_entries "others" (listed_inputs r))) in
  let scores = List.map read_score (all fields "scores" (read_entries "scores" (messages_of r))) in
  let event_bits = all fields "bits" (read_integer "bits" Limits.min_precision Limits.max_sum_bits) in
  let event_threshold = if more = [] then None else Some (read_threshold_of_test fields) in
  { event_first; event_second; event_others; scores; event_threshold; event_bits; event_classes = None }

let not_alike () = malformed "classes that are looked at together run tables of as many messages"

(* Tables that share their messages, or families of which so many inputs are told apart. *)
let check_alike = function
  | first :: _ as runs when not (List.exists is_supports runs || List.exists (fun r -> messages_of r <> messages_of first) runs) -> ()
  | _ -> not_alike ()

(* Of families of one name, with the same messages; cuts are of the numbers of ones of unary encoding. *)
let read_cuts runs fields =
  let kind = function
    | Family (KAry (d, _)) -> ("k-ary", d, zero)
    | Family (UnaryEncoding (d, _, _)) -> ("unary-encoding", d, zero)
    | Family (SubsetSelection (d, w, _)) -> ("subset-selection", d, w)
    | Family (Hadamard (d, _)) -> ("hadamard", d, zero)
    | Family (LocalHashing (d, g, _)) -> ("local-hashing", d, g)
    | _ -> ("", zero, zero) in
  let (name, inputs, _) as first = kind (List.hd runs) in
  if List.exists (fun r -> kind r <> first) runs then malformed "families that are tested together have the same messages";
  let cuts = all fields "cuts" (read_list "cuts" zero Limits.max_factors) in
  let cuts = List.map (read_integer "a cut" one Limits.max_family_inputs) cuts in
  let rec rise = function a :: (b :: _ as more) -> Integer.lt a b && rise more | _ -> true in
  if not (rise cuts) then malformed "the cuts do not rise";
  if cuts <> [] && name <> "unary-encoding" then malformed "cuts are of the numbers of ones of unary encoding";
  if cuts <> [] && Integer.gt (Integer.sub inputs (Integer.of_int 3)) Limits.max_fair_bits then
    malformed "no test refutes by the numbers of ones of so many bits";
  cuts

let read_class_event classes who value =
  let runs = List.map fst classes in
  let are_families = List.for_all is_supports runs in
  let keys = [ "first"; "second"; "others"; "scores"; "bits"; "user_class"; "threshold" ] in
  let fields = read_object "the event" (keys @ if are_families then [ "cuts" ] else []) value in
  let own = all fields "user_class" (read_integer "user_class" zero Limits.max_factors) in
  if not (List.mem own (differing classes who)) then malformed "the claim is not about a user of this class";
  let event_bits = all fields "bits" (read_integer "bits" Limits.min_precision Limits.max_sum_bits) in
  let cuts = if are_families then read_cuts runs fields else (check_alike runs; []) in
  let table = List.nth runs (Integer.to_int own) in
  let rows = function Family f when are_families -> Integer.to_int (rows_told f) | r -> listed_inputs r in
  let told = match table with
    | Family f when are_families -> (1 lsl Integer.to_int (told_inputs f)) * if cuts = [] then 1 else List.length cuts + 1
    | r -> messages_of r in
  let count = read_integer "others" zero Limits.max_family_users in
  let held r value = List.map count (read_entries "others" (rows r) value) in
  let others = List.map2 held runs (all fields "others" (read_entries "others" (List.length runs))) in
  let place key = all fields key (read_integer key zero (Integer.of_int (rows table - 1))) in
  let event_first = place "first" in
  let event_second = place "second" in
  let scores = List.map read_score (all fields "scores" (read_entries "scores" told)) in
  let event_threshold = Some (read_threshold_of_test fields) in
  let least = List.fold_left Integer.min (List.hd scores) scores and most = List.fold_left Integer.max (List.hd scores) scores in
  if are_families && Integer.geq (Integer.sub most least) Limits.max_places then too_large "MAX_PLACES";
  { event_first; event_second; event_others = []; scores; event_threshold; event_bits;
    event_classes = Some ((own, cuts), others) }

let read_test r precision more fields =
  if has "likelihood" fields then Likelihood (all fields "likelihood" (read_likelihood r more), precision)
  else Event (all fields "event" (read_event r more), precision)

let test_key value = if is_in "likelihood" value then Some "likelihood" else if is_in "event" value then Some "event"
  else None

let read_blanket value =
  let fields = read_object "the blanket" [ "bits"; "length"; "bounds" ] value in
  let bound value =
    match read_entries "a bound" 2 value with
    | [ step; tilt ] ->
        let step = read_step "a step" step in
        (step, read_integer "a tilt" one Limits.max_tilt tilt)
    | _ -> assert false in
  let bits = read_sum_bits fields in
  let length = read_length fields in
  ByBlanket (bits, length, List.map bound (all fields "bounds" (read_list "bounds" zero Limits.max_list)))

let rec check_rising what = function
  | t :: (u :: _ as more) -> if Integer.geq t u then malformed "%s do not rise" what; check_rising what more
  | _ -> ()

let read_plan value =
  let swap_own = is_in "own_stages" value in
  let key = if swap_own then "own_stages" else "stages" in
  let fields = read_object "a plan" [ "tilt"; "smoothing"; "step"; "nodes"; key ] value in
  let positive key =
    let number = all fields key (read_short key) in
    if Integer.sign number.qnum <= 0 then malformed "a tilt, a smoothing or a step is not positive";
    number in
  let swap_tilt = positive "tilt" in
  let swap_smoothing = positive "smoothing" in
  let swap_step = positive "step" in
  let stages = all fields key (read_list key (if swap_own then one else zero) Limits.max_stages) in
  let swap_stages = List.map (read_integer_from "a stage" one) stages in
  check_rising "the stages" swap_stages;
  let swap_nodes = all fields "nodes" (read_integer "nodes" one Limits.max_nodes) in
  { swap_tilt; swap_smoothing; swap_step; swap_nodes; swap_stages; swap_own }

let read_used value =
  let used = List.map (read_integer_from "a class of users" zero) (read_list "used" one Limits.max_factors value) in
  check_rising "the classes that are used" used;
  used

let read_swap of_classes value =
  let fields = read_object "the swap" ([ "bits"; "plans"; "pairs" ] @ if of_classes then [ "used" ] else []) value in
  let plans = List.map read_plan (all fields "plans" (read_list "plans" one Limits.max_plans)) in
  let last = Integer.of_int (List.length plans - 1) in
  let places = all fields "pairs" (read_list "pairs" zero Limits.max_list) in
  let places = List.map (read_integer "a place of a plan" zero last) places in
  let used = if of_classes then all fields "used" (read_list "used" zero Limits.max_factors) else [] in
  BySwap (read_sum_bits fields, plans, places, List.map read_used used)

(* Of the plans that are used. *)
let check_stages n of_any = function
  | ForAllDataSets (BySwap (_, plans, places, _), _) ->
      let check place plan =
        let slots = if plan.swap_own then Integer.succ n else n in
        let fits t = Integer.leq t (Integer.sub slots (Integer.of_int 2)) && Integer.is_even (Integer.sub slots t) in
        if List.mem (Integer.of_int place) places then
          if plan.swap_stages = [] && (of_any || Integer.leq n one) then
            malformed "a plan without stages is for two users or more, and not for the family any"
          else if not (List.for_all fits plan.swap_stages) then
            malformed "a stage of the plan does not leave an even number, of 2 or more" in
      List.iteri check plans
  | _ -> ()

(* For each class that may have the user who differs, those that are counted on: it alone, or tables; and the stages of
   the plans of its pairs. *)
let check_classes classes who = function
  | ForAllDataSets (BySwap (bits, plans, places, used), precision) as shown ->
      let classes = listed_members classes in
      let owns = differing classes who in
      if List.length used <> List.length owns then malformed "used has not as many entries as there are classes of users";
      let run j = match List.nth_opt classes (Integer.to_int j) with
        | Some (Always r, _) -> r
        | Some _ -> not_alike ()
        | None -> malformed "a class that is used is none" in
      List.iter2 (fun own one -> if one <> [ own ] then check_alike (List.map run (own :: one))) owns used;
      let rec first n = function l :: more when n > 0 -> l :: first (n - 1) more | _ -> [] in
      let rec rest n = function _ :: more when n > 0 -> rest (n - 1) more | l -> l in
      let check places ((n, pairs), (own, one)) =
        let mine = first (List.length pairs) places in
        let with_own place = (List.nth plans (Integer.to_int place)).swap_own in
        if one <> [ own ] && List.exists with_own mine then malformed "a slot of his own needs others who run one randomizer";
        check_stages n false (ForAllDataSets (BySwap (bits, plans, mine, []), precision));
        rest (List.length pairs) places in
      ignore (List.fold_left check places (List.combine (pairs_of_classes classes owns used) (List.combine owns used)));
      shown
  | shown -> shown

(** {1 Privacy} *)

let orders = [ ("forward", true); ("backward", false) ]

let read_shift_order most precision fields =
  let shift = all fields "shift" (read_integer "shift" one most) in
  ShiftOrder (shift, all fields "order" (read_choice "order" orders), precision)

let read_vertex r fields =
  let k = Integer.of_int (listed_inputs r - 1) and m = messages_of r in
  let user = read_integer "a user of the witness" zero k in
  match List.map user (all fields "differing" (read_entries "differing" 2)) with
  | [ x; y ] ->
      let z = all fields "bystander" user in
      let outcome = all fields "outcome" (read_integers "outcome" m) in
      Vertex (x, y, z, outcome, all fields "functional" (read_integers "functional" m))
  | _ -> assert false

let read_smaller least value =
  let fields = exactly [ "smaller" ] value in
  match least with
  | LeastNothing -> malformed "'smaller' refutes only claims that something is least"
  | LeastDelta -> Smaller (all fields "smaller" (read_rational_from "smaller" zero))
  | LeastExpEps -> Smaller (all fields "smaller" (read_rational_from "smaller" one))

let check_test_allowed neighboring least =
  if neighboring <> ReplaceOne || least <> LeastNothing then
    malformed "this is a witness for replace-one and with 'least' none"

let two_messages_of r fields keys =
  let sends_one_of_two = match r with Table t -> sends_one_of_two t | Family _ -> messages_of r = 2 in
  if not sends_one_of_two then malformed "the users do not send exactly one of two messages each";
  all fields "two_messages" (read_object "the two messages" keys)

let read_message_event n precision fields =
  let message = all fields "message" (read_integer "message" zero one) in
  let holders = all fields "holders" (read_integer "holders" zero (Integer.pred n)) in
  MessageEvent (message, holders, all fields "above" (read_integer "above" zero (Integer.pred n)), precision)

(* Of k-ary response of three symbols or more: proved and refuted alike. *)
let read_closed_bracket r level neighboring least value =
  let fields = exactly ("closed_bracket" :: terms_keys level) value in
  check_test_allowed neighboring least;
  let precision = read_terms level fields in
  ignore (all fields "closed_bracket" (read_object "the closed bracket" []));
  match r with
  | Family (KAry (k, _)) when Integer.geq k (Integer.of_int 3) -> ForAllDataSets (ByClosedBracket, precision)
  | _ -> malformed "a closed bracket is one of k-ary response of three symbols or more"

(* A blanket or a swap. *)
let read_bound_of_all level value =
  let key, read = if is_in "blanket" value then ("blanket", read_blanket) else ("swap", read_swap false) in
  let fields = exactly (key :: terms_keys level) value in
  let precision = read_terms level fields in
  ForAllDataSets (all fields key read, precision)

(* By the bounds that these keys name, or refuted by a test of one of the pairs that there are. *)
let bounded_or_tested keys (n, level) are_there proved value =
  if proved then begin
    if not (List.exists (fun key -> is_in key value) keys) then
      malformed "what is claimed is proved by %s" (String.concat " or " keys);
    let shown = read_bound_of_all level value in
    check_stages n (keys = [ "swap" ]) shown;
    shown
  end
  else
    let fields = exactly ("likelihood" :: terms_keys level) value in
    let precision = read_terms level fields in
    Likelihood (all fields "likelihood" (read_likelihood_of_pair are_there [ "threshold" ]), precision)

let product_dp (of_them, n, level) = bounded_or_tested [ "blanket"; "swap" ] (n, level) (is_of_product of_them)

let any_dp (n, level) = bounded_or_tested [ "swap" ] (n, level) one_of_five

let shuffle_dp (r, n, scope, neighboring, level, delta, least) proved value =
  match (proved, test_key value) with
  | _ when is_in "closed_bracket" value -> read_closed_bracket r level neighboring least value
  | true, _ when is_in "blanket" value || is_in "swap" value ->
      check_test_allowed neighboring least;
      read_bound_of_all level value
  | true, _ when is_in "two_messages" value ->
      let fields = exactly ("two_messages" :: terms_keys level) value in
      check_test_allowed neighboring least;
      let precision = read_terms level fields in
      ignore (two_messages_of r fields []);
      ForAllDataSets (ByTwoMessages, precision)
  | true, _ when has_smaller least level delta ->
      if scope = AllFromIt then
        read_vertex r (exactly ([ "differing"; "bystander"; "outcome"; "functional" ] @ terms_keys level) value)
      else
        let fields = exactly ([ "first"; "second" ] @ terms_keys level) value in
        read_pair r (read_terms level fields) fields
  | true, _ ->
      let fields = exactly (terms_keys level) value in
      ignore (listed_inputs r);
      Simple (read_terms level fields)
  | false, _ when is_in "smaller" value -> read_smaller least value
  | false, Some key ->
      let fields = exactly (key :: terms_keys level) value in
      check_test_allowed neighboring least;
      read_test r (read_terms level fields) [ "threshold" ] fields
  | false, None when is_in "two_messages" value ->
      let fields = exactly ("two_messages" :: terms_keys level) value in
      check_test_allowed neighboring least;
      let event = two_messages_of r fields [ "message"; "holders"; "above" ] in
      read_message_event n (read_terms level fields) event
  | false, None ->
      let fields = exactly ([ "first"; "second" ] @ terms_keys level) value in
      read_pair r (read_terms level fields) fields

(* By pairs of inputs of their own. *)
let by_pairs read_test level proved value =
  let key, read =
    if not proved then ("likelihood", fun value -> Likelihood (read_test [ "threshold" ] value, Exactly))
    else if is_in "blanket" value then ("blanket", fun value -> ForAllDataSets (read_blanket value, Exactly))
    else ("swap", fun value -> ForAllDataSets (read_swap false value, Exactly)) in
  let fields = exactly (key :: terms_keys level) value in
  let precision = read_terms level fields in
  match all fields key read with
  | Likelihood (test, _) -> Likelihood (test, precision)
  | ForAllDataSets (bound, _) -> ForAllDataSets (bound, precision)
  | shown -> shown

(* Classes of users, which are told apart where each runs a table or a family. *)
let classes_dp classes who level proved value =
  let read key of_value =
    let fields = exactly (key :: terms_keys level) value in
    let precision = read_terms level fields in
    (all fields key of_value, precision) in
  if proved && is_in "swap" value then
    let swap, precision = read "swap" (read_swap true) in
    check_classes classes who (ForAllDataSets (swap, precision))
  else if (not proved) && is_in "event" value then
    match plain_classes (listed_members classes) with
    | Some plain ->
        let event, precision = read "event" (read_class_event plain who) in
        Event (event, precision)
    | None -> not_alike ()
  else malformed "privacy of classes of users is proved by a swap, and refuted by an event"

(* Users who may be away, as those of the randomizer that they run then, or by pairs of inputs of their own. *)
let participation (r, q, a, n, scope, level, delta) proved value =
  match as_one_randomizer r q a with
  | Some one -> shuffle_dp (one, n, scope, ReplaceOne, level, delta, LeastNothing) proved value
  | None -> by_pairs (read_likelihood_away r q a) level proved value

(* Only discrete Laplace laws are pure, where e^eps and the law's parameter are of one form. *)
let check_pure noise level least =
  match (noise, level) with
  | _ when least <> LeastNothing -> malformed "'pure' proves privacy without 'least'"
  | DiscreteLaplace (Rational _), ExpEps _ | DiscreteLaplace (Exponential (Rational _)), Eps _ -> ()
  | DiscreteLaplace _, _ -> malformed "'pure' compares e^eps of rational eps, or rationals"
  | _ -> malformed "'pure' proves privacy of discrete Laplace laws"

let shift_dp (noise, shift, level, delta, least) proved value =
  let exact () =
    if is_in "bits" value && least <> LeastNothing then malformed "'least' is checked exactly";
    check_form_of (Some shift) noise value in
  match proved with
  | true when is_in "pure" value ->
      ignore (all (exactly [ "pure" ] value) "pure" (read_choice "pure" [ ("yes", ()) ]));
      check_pure noise level least;
      Pure
  | true ->
      let attained =
        if has_smaller least level delta && not (is_in "bits" value) then [ "shift"; "order" ] else [] in
      let fields = exactly (attained @ precision_keys level value) value in
      exact ();
      let precision = read_precision level fields in
      if attained = [] then Simple precision else read_shift_order shift precision fields
  | false when is_in "smaller" value ->
      check_form (Some shift) noise false;
      read_smaller least value
  | false ->
      let fields = exactly ([ "shift"; "order" ] @ precision_keys level value) value in
      exact ();
      read_shift_order shift (read_precision level fields) fields

(** {1 Compositions} *)

(* The witness of a run at a level of the lattice: of a claim with e^eps given and nothing least. *)
let read_level_witness run value =
  let level = ExpEps one_rational in
  match run with
  | NoiseRun (noise, shift) -> shift_dp (noise, shift, level, one_rational, LeastNothing) true value
  | RandomizerRun (r, n, neighboring) ->
      shuffle_dp (r, n, ThisNumber, neighboring, level, one_rational, LeastNothing) true value
  | ProductRun (of_them, n) -> product_dp (of_them, n, level) true value
  | AnyRun (_, n) -> any_dp (n, level) true value
  | ParticipationRun (r, q, a, n) -> participation (r, q, a, n, ThisNumber, level, one_rational) true value
  | AbsentProductRun (of_them, q, a, _) -> by_pairs (read_likelihood_together of_them q a) level true value

let read_curve bits run value =
  let fields = read_object "a curve" [ "deltas"; "witness" ] value in
  let delta = read_integer "a delta" zero (Integer.shift_left one (Integer.to_int bits)) in
  let deltas = List.map delta (all fields "deltas" (read_list "deltas" one Limits.max_list)) in
  let witness = List.assoc "witness" fields in
  if is_in "levels" witness then
    let levels = read_entries "levels" (List.length deltas) (List.assoc "levels" (exactly [ "levels" ] witness)) in
    (deltas, ForEachLevel (List.map (read_level_witness run) levels))
  else begin
    ignore (exactly (bits_keys witness) witness);
    (deltas, ForAllLevels (read_level_witness run witness))
  end

let rec read_pair_of_run run value =
  match run with
  | NoiseRun (noise, shift) ->
      let fields = exactly ([ "shift"; "order" ] @ bits_keys value) value in
      check_form_of (Some shift) noise value;
      read_shift_order shift (read_bits_or_none fields) fields
  | RandomizerRun (r, _, neighboring) -> (
      match test_key value with
      | Some key ->
          check_test_allowed neighboring LeastNothing;
          read_test r Exactly [] (exactly [ key ] value)
      | None -> read_pair r Exactly (exactly [ "first"; "second" ] value))
  | ProductRun _ | AnyRun _ ->
      let are_there = match run with ProductRun (of_them, _) -> is_of_product of_them | _ -> one_of_five in
      let fields = exactly [ "likelihood" ] value in
      Likelihood (all fields "likelihood" (read_likelihood_of_pair are_there []), Exactly)
  | ParticipationRun (r, q, a, _) -> (
      match as_one_randomizer r q a with
      | Some one -> read_pair_of_run (RandomizerRun (one, Integer.one, ReplaceOne)) value
      | None ->
          Likelihood (all (exactly [ "likelihood" ] value) "likelihood" (read_likelihood_away r q a []), Exactly))
  | AbsentProductRun (of_them, q, a, _) ->
      Likelihood (all (exactly [ "likelihood" ] value) "likelihood" (read_likelihood_together of_them q a []), Exactly)

let composed (runs, level) proved value =
  let key = if proved then "curves" else "pairs" in
  let fields = exactly ([ "ratio"; "precision"; key ] @ terms_keys level) value in
  let rho = all fields "ratio" (read_short "ratio") in
  if compare_rationals rho one_rational <= 0 then malformed "the ratio of the lattice is not above 1";
  let bits = all fields "precision" (read_integer "precision" Limits.min_precision Limits.max_precision) in
  let entries = all fields key (read_entries key (List.length runs)) in
  let mechanisms = List.map fst runs in
  let precision = read_terms level fields in
  if proved then Curves (rho, bits, List.map2 (read_curve bits) mechanisms entries, precision)
  else Pairs (rho, bits, List.map2 read_pair_of_run mechanisms entries, precision)

(** {1 Inequalities} *)

let read_handelman hypotheses value =
  let term value =
    let fields = read_object "a term" [ "coefficient"; "powers" ] value in
    let coefficient = all fields "coefficient" (read_short "the coefficient of a term") in
    if Integer.sign coefficient.qnum <= 0 then rejected "a term has a coefficient that is not positive";
    let powers = all fields "powers" (read_integers "the powers of a term" (List.length hypotheses)) in
    let sum = List.fold_left Integer.add zero powers in
    if List.exists (fun k -> Integer.sign k < 0) powers || Integer.gt sum Limits.max_degree then
      malformed "the powers of a term are negative, or sum to more than %s" (Integer.to_string Limits.max_degree);
    (coefficient, powers) in
  HandelmanTerms (List.map term (all (exactly [ "terms" ] value) "terms" (read_list "terms" zero Limits.max_list)))

let read_point dimension fields =
  List.map (read_short "a coordinate of the point") (all fields "point" (read_entries "point" dimension))

let read_box_bits fields = all fields "bits" (read_integer "bits" Limits.min_precision Limits.max_box_precision)

let rec read_tree dimension value =
  if is_in "variable" value then
    let fields = read_object "a cut" [ "variable"; "at"; "low"; "high" ] value in
    let variable = all fields "variable" (read_integer "variable" zero (Integer.of_int (dimension - 1))) in
    let place = all fields "at" (read_short "at") in
    let low = all fields "low" (read_tree dimension) in
    Cut (variable, place, low, all fields "high" (read_tree dimension))
  else
    let fields = read_object "a leaf" [ "corner"; "taylor"; "bits" ] value in
    let corner = read_choice "a corner" [ ("low", false); ("high", true) ] in
    let corners = List.map corner (all fields "corner" (read_entries "corner" dimension)) in
    let taylor = all fields "taylor" (read_integer "taylor" (Integer.of_int 2) Limits.max_box_terms) in
    let bits = read_box_bits fields in
    if Integer.is_odd taylor then malformed "taylor is odd";
    Leaf (corners, taylor, bits)

(** {1 Functions of parameters} *)

let rec read_cells dimension value =
  if is_in "variable" value then
    let fields = read_object "a cut" [ "variable"; "at"; "low"; "high" ] value in
    let variable = all fields "variable" (read_integer "variable" zero (Integer.of_int (dimension - 1))) in
    let place = all fields "at" (read_short "at") in
    let low = all fields "low" (read_cells dimension) in
    Cut (variable, place, low, all fields "high" (read_cells dimension))
  else begin
    ignore (read_object "a leaf" [] value);
    Leaf ([], zero, zero)
  end

let check_distinct entries =
  if List.length (List.sort_uniq compare entries) < List.length entries then
    malformed "an outcome of the event is there twice"

let read_reached_event t n value =
  let fields = read_object "an entry of reached" [ "first"; "second"; "event" ] value in
  let users key = all fields key (read_counts key (List.length t.function_rows)) in
  let reached_first = users "first" in
  let reached_second = users "second" in
  let outcome = read_counts "an outcome" (Integer.to_int t.function_messages) in
  let reached_counts = List.map outcome (all fields "event" (read_list "event" zero Limits.max_list)) in
  let most = Integer.mul n (most_of t) in
  if List.exists (fun counts -> Integer.gt (List.fold_left Integer.add zero counts) most) reached_counts then
    malformed "an outcome of the event has more messages than n users send";
  check_distinct reached_counts;
  { reached_first; reached_second; reached_counts }

let read_reached_shift most value =
  let fields = read_object "an entry of reached" [ "shift"; "order"; "event" ] value in
  let reached_by = all fields "shift" (read_integer "shift" one most) in
  let is_forward = all fields "order" (read_choice "order" orders) in
  let listed = all fields "event" (read_list "event" zero Limits.max_list) in
  let reached_integers = List.map (read_any_integer "an outcome") listed in
  check_distinct reached_integers;
  { reached_by; is_forward; reached_integers }

let read_on_cells dimension c value =
  let with_events deltas read =
    let fields = exactly [ "cells"; "reached" ] value in
    let entries = all fields "reached" (read_entries "reached" (List.length deltas)) in
    let events = read entries in
    OnCells (all fields "cells" (read_cells dimension), events) in
  match c with
  | PointShuffle (t, n, _, _, _, deltas, LeastDelta) ->
      with_events deltas (fun entries -> ReachedViews (List.map (read_reached_event t n) entries))
  | PointShift (_, shift, _, deltas, LeastDelta) ->
      with_events deltas (fun entries -> ReachedShifts (List.map (read_reached_shift shift) entries))
  | _ -> OnCells (read_cells dimension value, NothingReached)

(* A point of the box. *)
let read_inside key box fields =
  let point = List.map (read_short "a coordinate of the point") (all fields key (read_entries key (List.length box))) in
  if not (in_rational_box box point) then rejected "the point of the witness lies outside the box";
  point

(* The plain claim at a point, read as one that stands in a file. *)
let plain_claim claim = Claim_reader.read (Json.of_read (Json.read (text_of claim)))

let has_values = function
  | Some claim -> claim
  | None -> malformed "a function of the parameters has the bottom 0 at the point of the witness"

let read_at_point box c read value =
  let fields = exactly ("point" :: (if is_in "witness" value then [ "witness" ] else [])) value in
  let point = read_inside "point" box fields in
  let shown inner = read (plain_claim (has_values (plain_at point c))) false inner in
  AtPoint (point, Option.map shown (List.assoc_opt "witness" fields))

let read_by_channel box t value =
  let fields = exactly [ "channel"; "cells" ] value in
  let messages = Integer.to_int t.function_messages and variables = List.length box + 1 in
  let row value =
    List.map (read_function "an entry of the channel" variables) (read_entries "a row of the channel" messages value) in
  let channel = List.map row (all fields "channel" (read_entries "channel" messages)) in
  ByChannel (channel, all fields "cells" (read_cells variables))

let read_two_levels box t falls read value =
  let keys = [ "low"; "high"; "proof"; "refutation"; "neighbors"; "n"; "exp_eps"; "delta" ] in
  let fields = exactly keys value in
  let low = read_inside "low" box fields in
  let high = read_inside "high" box fields in
  let nb = all fields "neighbors" (read_choice "neighbors" neighborings) in
  let n = all fields "n" (read_integer "n" one Limits.max_users) in
  let e = all fields "exp_eps" (read_rational_from "exp_eps" one) in
  let delta = all fields "delta" (read_rational "delta" zero one) in
  let shown point proved key =
    let plain = plain_claim (at_level (has_values (table_of point t)) nb n e delta) in
    all fields key (read plain proved) in
  let proof = shown (if falls then low else high) true "proof" in
  TwoLevels (low, high, nb, n, e, delta, proof, shown (if falls then high else low) false "refutation")

(** {1 Every kind} *)

let check_size reached most =
  if Integer.compare reached most > 0 then
    malformed "the check is too large: %s is beyond the limit of %s" (Integer.to_string reached) (Integer.to_string most)

let nothing value = ignore (exactly [] value); Simple Exactly

let bits_or_nothing value = Simple (read_bits_or_none (exactly (bits_keys value) value))

let rec read claim proved value =
  ignore (fields_of "the witness" value);
  match (claim, proved) with
  | ShuffleDP (r, n, scope, neighboring, level, delta, least), _ ->
      let shown = shuffle_dp (r, n, scope, neighboring, level, delta, least) proved value in
      check_stages n false shown;
      shown
  | ParticipationDP (r, q, a, n, scope, level, delta), _ ->
      let shown = participation (r, q, a, n, scope, level, delta) proved value in
      check_stages n false shown;
      shown
  | ProductDP (of_them, n, _, level, _), _ -> product_dp (of_them, n, level) proved value
  | AnyShuffleDP (_, n, _, level, _), _ -> any_dp (n, level) proved value
  | AbsentProductDP (of_them, q, a, n, _, level, _), _ ->
      let shown = by_pairs (read_likelihood_together of_them q a) level proved value in
      check_stages n false shown;
      shown
  | ClassesDP (classes, who, level, _), _ -> classes_dp (never_away classes) who level proved value
  | MembersDP (members, who, level, _), _ -> classes_dp members who level proved value
  | TwoMessageDP (_, _, _, level, _), true -> Simple (read_terms level (exactly (terms_keys level) value))
  | TwoMessageDP (_, n, _, level, _), false ->
      let fields = exactly ([ "message"; "holders"; "above" ] @ terms_keys level) value in
      read_message_event n (read_terms level fields) fields
  | CountingDP _, _ -> Simple (read_bits_or_none (exactly [ "bits" ] value))
  | SampleThresholdDP (_, _, _, level, _), true ->
      let fields = exactly ("holders" :: terms_keys level) value in
      Outcome (all fields "holders" (read_integer "holders" zero Limits.max_users), read_terms level fields)
  | SampleThresholdDP (_, _, users, level, _), false ->
      let fields = exactly ([ "holders"; "order" ] @ terms_keys level) value in
      let most = Option.fold ~none:Limits.max_users ~some:(fun u -> min Limits.max_users (Integer.pred u)) users in
      let holders = all fields "holders" (read_integer "holders" zero most) in
      let is_more = all fields "order" (read_choice "order" [ ("more", true); ("fewer", false) ]) in
      ShiftOrder (holders, is_more, read_terms level fields)
  | NeverDP (t, _, _, _), true -> read_pair (Table t) Exactly (exactly [ "first"; "second" ] value)
  | NeverDP _, false -> nothing value
  | SplitAndMix (n, _, m, _), true ->
      let fields = exactly [ "length"; "bits" ] value in
      let length = all fields "length" (read_integer "length" (Integer.of_int 2) Limits.max_coefficients) in
      let shown = By (length, read_bits fields) in
      let most = Integer.add one length in
      let stubs = Integer.mul m (if Integer.compare n (Integer.add length most) <= 0 then n else most) in
      check_size (Integer.mul stubs (Integer.of_int (Integer.numbits stubs))) Limits.max_bits;
      shown
  | SplitAndMix (n, q, m, _), false ->
      let fields = exactly [ "first"; "second" ] value in
      check_size q Limits.max_messages;
      check_size n Limits.max_users;
      let shares = Integer.to_int m and modulus = Integer.to_int q in
      let read key = all fields key (read_counts key modulus) in
      let first = read "first" in
      let shown = TwoDataSets (first, read "second", Exactly) in
      check_size (Integer.mul n (Integer.of_int ((shares - 1) * Integer.numbits q))) Limits.max_total_bits;
      let rec views k = (* m + k out of k *)
        if k = 0 then one
        else Integer.div (Integer.mul (views (k - 1)) (Integer.of_int (shares + k))) (Integer.of_int k) in
      check_size (views (modulus - 1)) Limits.max_sums;
      shown
  | ShiftDP (noise, shift, level, delta, least), _ -> shift_dp (noise, shift, level, delta, least) proved value
  | Smooth (noise, k, level, _), true ->
      let fields = exactly (precision_keys level value) value in
      check_form_of (Some k) noise value;
      Simple (read_precision level fields)
  | Smooth (noise, k, level, _), false ->
      let fields = exactly ("by" :: precision_keys level value) value in
      check_form_of (Some k) noise value;
      let by = all fields "by" (read_integer "by" (Integer.neg k) k) in
      if Integer.sign by = 0 then malformed "by is 0";
      By (by, read_precision level fields)
  | Tail (noise, _, _, _, _), _ | CountAccuracy (noise, _, _, _, _, _, _, _), _ ->
      let read = bits_or_nothing value in
      check_form_of None noise value;
      read
  | Composed (runs, level, _), _ -> composed (runs, level) proved value
  | Accuracy (t, n, None, _, _, _, _), false ->
      OfDataSet (all (exactly [ "dataset" ] value) "dataset" (read_users (inputs t) n))
  | Accuracy _, _ -> nothing value
  | EqualLaws (first, second), true ->
      let read = nothing value in
      if first <> second && not (is_linear first && is_linear second) then
        List.iter (fun noise -> check_form None noise false) [ first; second ];
      read
  | EqualLaws (first, second), false ->
      let fields = exactly ("outcome" :: bits_keys value) value in
      List.iter (fun noise -> check_form None noise (is_in "bits" value && is_enclosed noise)) [ first; second ];
      let outcome = all fields "outcome" (read_any_integer "outcome") in
      Outcome (outcome, if is_enclosed first || is_enclosed second then read_bits_or_none fields else Exactly)
  | AdditiveView _, true -> nothing value
  | AdditiveView (_, _, shifts), false ->
      let last = Integer.of_int (List.length shifts - 1) in
      OfInput (all (exactly [ "input" ] value) "input" (read_integer "input" zero last))
  | ZeroEstimate _, true -> nothing value
  | ZeroEstimate (t, _, _, _), false ->
      Counts (all (exactly [ "outcome" ] value) "outcome" (read_integers "outcome" (messages t)))
  | Inequality (_, hypotheses, _), true -> read_handelman hypotheses value
  | Inequality (names, _, _), false -> Point (read_point (List.length names) (exactly [ "point" ] value), Exactly)
  | BoxInequality (names, _, _, _), true -> BoxTree (read_tree (List.length names) value)
  | BoxInequality (names, _, _, _), false ->
      let fields = exactly [ "point"; "bits" ] value in
      let bits = read_box_bits fields in
      Point (read_point (List.length names) fields, Bits bits)
  | ForAll (names, _, c), true -> OfFunctions (read_on_cells (List.length names) c value)
  | ForAll (_, box, c), false -> OfFunctions (read_at_point box c read value)
  | Monotone (_, box, _, _, t), true -> OfFunctions (read_by_channel box t value)
  | Monotone (_, box, _, falls, t), false -> OfFunctions (read_two_levels box t falls read value)
  | Conjunction (parts, _), true ->
      let entries = all (exactly [ "parts" ] value) "parts" (read_entries "parts" (List.length parts)) in
      Parts (List.map2 (fun part entry -> read part true entry) parts entries)
  | Conjunction (parts, _), false ->
      let fields = exactly [ "part"; "witness" ] value in
      let last = List.length parts - 1 in
      let place = all fields "part" (read_integer "part" zero (Integer.of_int last)) in
      PartWitness (place, all fields "witness" (read (List.nth parts (Integer.to_int place)) false))
  | Not inner, _ -> read inner (not proved) value

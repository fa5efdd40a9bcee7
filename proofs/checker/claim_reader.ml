(* From a claim in JSON to the claim that the checker decides. What is read is printed again and compared (main.ml), so
   that a mistake here cannot turn one claim into another one unseen. *)

open Refusal
open Proved
open Fields

let zero = Integer.zero

let one = Integer.one

let all fields key read = read (List.assoc key fields)

(** {1 Reals and noise laws} *)

let rec read_real where value =
  match value with
  | Json.Text _ -> Rational (read_any_rational where value)
  | _ -> (
      match fields_of where value with
      | [ (name, inner) ] -> (
          let terms make =
            match List.map (read_real where) (read_list where (Integer.of_int 2) Limits.max_parts inner) with
            | first :: rest -> List.fold_left make first rest
            | [] -> assert false in
          match name with
          | "exp" -> Exponential (read_real where inner)
          | "log" -> Logarithm (read_real where inner)
          | "inverse" -> Inverse (read_real where inner)
          | "sum" -> terms (fun x y -> Plus (x, y))
          | "product" -> terms (fun x y -> Times (x, y))
          | "power" -> (
              match read_entries where 2 inner with
              | [ base; exponent ] ->
                  Power (read_real where base, read_integer where (Integer.of_int 2) Limits.max_terms exponent)
              | _ -> assert false)
          | _ -> malformed "%s has the key '%s', which is no operation" where name)
      | _ -> malformed "%s has not one key" where)

(* About a real and the binary logarithm of its magnitude: exponentials and products that are too large are refused
   before anything is computed with them. *)
let rec magnitude where value =
  let of_float x = (x, Float.log2 (Float.abs x)) in
  let limited ((_, bits) as reached) =
    if bits > float_of_int (Integer.to_int Limits.max_bits) then
      malformed "%s has a product of more than %s bits" where (Integer.to_string Limits.max_bits);
    reached in
  match value with
  | Rational r ->
      let bits z = float_of_int (Integer.numbits z) in
      (Q.to_float (Q.make r.qnum r.qden), bits r.qnum -. bits r.qden)
  | Exponential x ->
      let power, _ = magnitude where x in
      if Float.abs power > float_of_int (Integer.to_int Limits.max_exponent) then
        malformed "%s has an exponential of more than %s" where (Integer.to_string Limits.max_exponent);
      (Float.exp power, power /. Float.log 2.)
  | Logarithm x -> let _, bits = magnitude where x in of_float (bits *. Float.log 2.)
  | Inverse x -> let value, bits = magnitude where x in (1. /. value, -. bits)
  | Plus (x, y) ->
      let first, bits = magnitude where x and second, more = magnitude where y in
      (first +. second, Float.max bits more +. 1.)
  | Times (x, y) ->
      let first, bits = magnitude where x and second, more = magnitude where y in
      limited (first *. second, bits +. more)
  | Power (x, n) ->
      let value, bits = magnitude where x and n = Integer.to_float n in
      limited (Float.pow value n, bits *. n)

(* A real in a domain, which a rational is checked to lie in: above [low] and below [high], or at an end. *)
let read_parameter fields key low high ends =
  let where = "the " ^ key ^ " of the law" in
  let x = all fields key (read_real where) in
  (match x with
   | Rational r ->
       let above = compare_rationals r (whole low) > 0 in
       let below = match high with Some h -> compare_rationals r (whole h) < 0 | None -> true in
       if not ((above && below) || List.exists (fun e -> compare_rationals r (whole e) = 0) ends) then
         malformed "%s is outside its domain" where
   | _ -> ignore (magnitude where x));
  x

let read_row read_probability messages x value =
  let where = Printf.sprintf "row %d" x in
  let seen = Hashtbl.create 64 in
  let outcome entry =
    let fields = read_object ("an outcome of " ^ where) [ "send"; "prob" ] entry in
    let message = read_integer ("a message in " ^ where) zero (Integer.pred messages) in
    let send = List.map message (all fields "send" (read_list ("send in " ^ where) zero Limits.max_sent)) in
    let key = String.concat " " (List.map Integer.to_string send) in
    if Hashtbl.mem seen key then malformed "%s has the same tuple of messages twice" where;
    Hashtbl.add seen key ();
    (all fields "prob" (read_probability ("a probability in " ^ where)), send) in
  let row = List.map outcome (read_list where one Limits.max_list value) in
  row

let read_rows read_probability messages value =
  let rows = List.mapi (read_row read_probability messages) (read_list "rows" one Limits.max_inputs value) in
  let outcomes = List.fold_left (fun sum row -> sum + List.length row) 0 rows in
  if Integer.gt (Integer.mul messages (Integer.of_int outcomes)) Limits.max_steps then
    malformed "more than %s counts in the rows of the randomizer" (Integer.to_string Limits.max_steps);
  rows

let read_table value =
  let fields = read_object "the randomizer" [ "messages"; "rows" ] value in
  let message_types = all fields "messages" (read_integer "messages" zero Limits.max_messages) in
  let rows = read_rows read_probability message_types (List.assoc "rows" fields) in
  ignore (common_denominator "the randomizer" (List.concat_map (List.map fst) rows));
  List.iteri (fun x row -> check_sum (Printf.sprintf "row %d" x) (List.map fst row)) rows;
  { message_types; rows }

let inputs t = List.length t.rows

let messages t = Integer.to_int t.message_types

let read_listed read_probability where value =
  let entry value =
    match read_entries ("an entry of " ^ where) 2 value with
    | [ k; p ] -> (read_any_integer ("an outcome of " ^ where) k, read_probability ("a probability of " ^ where) p)
    | _ -> assert false in
  let weights = List.map entry (read_list where one Limits.max_list value) in
  let rec ascend = function
    | (a, _) :: ((b, _) :: _ as rest) ->
        if Integer.geq a b then malformed "the outcomes of %s do not ascend" where else ascend rest
    | _ -> () in
  ascend weights;
  weights

let read_weights where value =
  let weights = read_listed read_probability where value in
  check_sum where (List.map snd weights);
  weights

let read_noise value =
  let fields = fields_of "the law" value in
  let exactly keys = ignore (read_object "the law" ("family" :: keys) value) in
  let trials key = all fields key (read_integer ("the " ^ key ^ " of the law") zero Limits.max_walked) in
  let chance key = read_parameter fields key zero (Some one) [ zero; one ] in
  let below_one key = read_parameter fields key zero (Some one) [ zero ] in
  match List.assoc_opt "family" fields with
  | Some (Json.Text "finite") -> exactly [ "weights" ]; Finite (all fields "weights" (read_weights "the law"))
  | Some (Json.Text "view") ->
      exactly [ "randomizer"; "dataset"; "weights" ];
      let t = all fields "randomizer" read_table in
      let histogram = all fields "dataset" (read_counts "dataset" (inputs t)) in
      View (t, histogram, all fields "weights" (read_integers "weights" (messages t)))
  | Some (Json.Text "binomial") ->
      exactly [ "n"; "p" ];
      let n = trials "n" in
      Binomial (n, chance "p")
  | Some (Json.Text "binomial-sum") ->
      exactly [ "n1"; "p1"; "n2"; "p2" ];
      let n1 = trials "n1" in
      let p1 = chance "p1" in
      let n2 = trials "n2" in
      BinomialSum (n1, p1, n2, chance "p2")
  | Some (Json.Text "negative-binomial") ->
      exactly [ "r"; "p" ];
      let r = read_parameter fields "r" zero None [] in
      NegativeBinomial (r, below_one "p")
  | Some (Json.Text "geometric") -> exactly [ "p" ]; Geometric (below_one "p")
  | Some (Json.Text "discrete-laplace") -> exactly [ "exp_eps" ];
      DiscreteLaplace (read_parameter fields "exp_eps" one None [])
  | Some (Json.Text "discrete-gaussian") ->
      exactly [ "sigma_squared" ];
      let s = all fields "sigma_squared" (read_rational_from "the sigma_squared of the law" zero) in
      if Integer.sign s.qnum = 0 then malformed "the sigma_squared of the law is 0";
      DiscreteGaussian s
  | Some (Json.Text "poisson") -> exactly [ "mu" ]; Poisson (read_parameter fields "mu" zero None [ zero ])
  | Some (Json.Text "discrete-uniform") ->
      exactly [ "low"; "high" ];
      let low = all fields "low" (read_any_integer "the low of the law") in
      let high = all fields "high" (read_any_integer "the high of the law") in
      if Integer.gt low high then malformed "the low of the law is above its high";
      if Integer.gt (Integer.of_int (Integer.numbits (Integer.succ (Integer.sub high low)))) Limits.max_bits then
        malformed "the number of outcomes of the law has more than %s bits" (Integer.to_string Limits.max_bits);
      DiscreteUniform (low, high)
  | _ -> malformed "family is none of those of noise laws"

(** {1 Randomizers} *)

let read_family value =
  let fields = fields_of "the randomizer" value in
  let exactly keys = ignore (read_object "the randomizer" ("family" :: keys) value) in
  let two = Integer.of_int 2 in
  let inputs () = all fields "inputs" (read_integer "inputs" two Limits.max_family_inputs) in
  let above key low high =
    let r = all fields key (read_short key) in
    if compare_rationals r low <= 0 || (match high with Some h -> compare_rationals r h >= 0 | None -> false) then
      malformed "%s is outside its range" key;
    r in
  let exp_eps0 () = above "exp_eps0" (whole one) None in
  match List.assoc_opt "family" fields with
  | Some (Json.Text "k-ary") ->
      exactly [ "inputs"; "exp_eps0" ];
      let k = inputs () in
      KAry (k, exp_eps0 ())
  | Some (Json.Text "unary-encoding") ->
      exactly [ "inputs"; "one"; "other" ];
      let d = inputs () in
      let p = above "one" (whole zero) (Some (whole one)) in
      UnaryEncoding (d, p, above "other" (whole zero) (Some p))
  | Some (Json.Text "subset-selection") ->
      exactly [ "inputs"; "size"; "exp_eps0" ];
      let d = inputs () in
      let w = all fields "size" (read_integer "size" one (Integer.pred d)) in
      SubsetSelection (d, w, exp_eps0 ())
  | Some (Json.Text "hadamard") ->
      exactly [ "inputs"; "exp_eps0" ];
      let d = inputs () in
      Hadamard (d, exp_eps0 ())
  | Some (Json.Text "local-hashing") ->
      exactly [ "inputs"; "buckets"; "exp_eps0" ];
      let d = inputs () in
      let g = all fields "buckets" (read_integer "buckets" two Limits.max_buckets) in
      LocalHashing (d, g, exp_eps0 ())
  | Some (Json.Text "clipped-discrete-laplace") ->
      exactly [ "top"; "ratio" ];
      let top = all fields "top" (read_integer "top" one (Integer.pred Limits.max_inputs)) in
      let ratio = above "ratio" (whole zero) (Some (whole one)) in
      if Integer.gt (Integer.mul top (Integer.of_int (Integer.numbits ratio.qden))) Limits.max_bits then
        malformed "the common denominator of the randomizer has more than %s bits" (Integer.to_string Limits.max_bits);
      ClippedLaplace (top, ratio)
  | _ -> malformed "family is none of those of randomizers"

let family_of value = List.assoc_opt "family" (fields_of "the randomizer" value)

(* Several randomizers at once: tables and families that stand for themselves. *)
let read_product value =
  let fields = read_object "the randomizer" [ "family"; "of" ] value in
  let factor value =
    match family_of value with
    | None -> Table (read_table value)
    | Some (Json.Text ("any" | "product" | "participation")) ->
        malformed "a factor of a product is a table or a family, but not any, product or participation"
    | Some _ -> Family (read_family value) in
  List.map factor (all fields "of" (read_list "of" one Limits.max_factors))

let read_any value =
  let fields = read_object "the randomizer" [ "family"; "exp_eps0" ] value in
  let e = all fields "exp_eps0" (read_short "exp_eps0") in
  if compare_rationals e (whole one) <= 0 then malformed "exp_eps0 is not above 1";
  e

(* How many users there are, of whom one may be replaced. *)
let read_family_users fields =
  ignore (all fields "neighbors" (read_choice "neighbors" [ ("replace-one", ReplaceOne) ]));
  all fields "n" (read_integer "n" one Limits.max_family_users)

let neighborings = [ ("replace-one", ReplaceOne); ("add-or-remove-one", AddOrRemoveOne) ]

(* The randomizer, the number of users and the neighbours of a claim or a run. *)
let read_view fields =
  if has "family" (fields_of "the randomizer" (List.assoc "randomizer" fields)) then begin
    let family = all fields "randomizer" read_family in
    let n = all fields "n" (read_integer "n" one Limits.max_family_users) in
    (Family family, n, all fields "neighbors" (read_choice "neighbors" [ ("replace-one", ReplaceOne) ]))
  end
  else begin
    let neighboring = all fields "neighbors" (read_choice "neighbors" neighborings) in
    let n = all fields "n" (read_integer "n" one Limits.max_users) in
    (Table (all fields "randomizer" read_table), n, neighboring)
  end

(** {1 Levels} *)

let level_key fields = if has "exp_eps" fields then "exp_eps" else "eps"

let leasts = [ ("none", LeastNothing); ("delta", LeastDelta); ("exp_eps", LeastExpEps) ]

let read_level fields least =
  let delta = all fields "delta" (read_rational "delta" zero one) in
  if has "exp_eps" fields then (ExpEps (all fields "exp_eps" (read_rational_from "exp_eps" one)), delta)
  else begin
    if least <> LeastNothing then malformed "'least' needs exp_eps";
    (Eps (all fields "eps" (read_rational "eps" zero Limits.max_eps)), delta)
  end

let scopes = [ ("this n", ThisNumber); ("all n from n", AllFromIt) ]

(** {1 Polynomials} *)

let is_name name =
  let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') in
  let is_inside c = is_letter c || (c >= '0' && c <= '9') || c = '_' in
  name <> "" && String.length name <= 32 && is_letter name.[0] && for_all is_inside name

let read_names ?(least = zero) most value =
  let names = List.map (read_text "a variable") (read_list "variables" least most value) in
  if List.length (List.sort_uniq compare names) < List.length names || not (List.for_all is_name names) then
    malformed "the variables are not distinct names of at most 32 letters, digits and _";
  List.map (fun name -> List.map (fun c -> Integer.of_int (Char.code c)) (List.of_seq (String.to_seq name))) names

let read_poly where variables value =
  let seen = Hashtbl.create 64 in
  let term value =
    match read_entries ("a term of " ^ where) 2 value with
    | [ coefficient; powers ] ->
        let exponent = read_integer ("an exponent of " ^ where) zero Limits.max_degree in
        let exponents = List.map exponent (read_entries ("the exponents of " ^ where) variables powers) in
        let key = String.concat " " (List.map Integer.to_string exponents) in
        if Hashtbl.mem seen key then malformed "%s has the same exponents twice" where;
        Hashtbl.add seen key ();
        let c = read_short ("a coefficient of " ^ where) coefficient in
        if Integer.sign c.qnum = 0 then malformed "a coefficient of %s is 0" where;
        (c, exponents)
    | _ -> assert false in
  List.map term (read_list where zero Limits.max_list value)

let read_condition where variables value =
  let fields = read_object where [ "polynomial"; "strict" ] value in
  let poly = all fields "polynomial" (read_poly where variables) in
  (poly, all fields "strict" (read_choice ("strict of " ^ where) yes_no))

let read_interval value =
  let fields = read_object "an interval of the box" [ "low"; "low_end"; "high"; "high_end" ] value in
  let end_of key = all fields key (read_choice key [ ("closed", true); ("open", false) ]) in
  let from = all fields "low" (read_short "low") in
  let from_closed = end_of "low_end" in
  let to0 = all fields "high" (read_short "high") in
  let to_closed = end_of "high_end" in
  if compare_rationals from to0 >= 0 then malformed "an interval of the box is empty";
  { from; from_closed; to0; to_closed }

(** {1 Claims} *)

let read_end key infinite = function
  | Json.Text text when text = infinite -> None
  | value -> Some (read_any_integer key value)

let read_threshold = function
  | Json.Text "none" -> None
  | value -> Some (read_any_rational "zero_unless_above" value)

let read_users inputs n value =
  let users = read_counts "dataset" inputs value in
  let sum = List.fold_left Integer.add zero users in
  if not (Integer.equal sum n) then
    malformed "dataset has %s users, not n = %s" (Integer.to_string sum) (Integer.to_string n);
  users

let assumptions =
  [ ("markov", Markov); ("independence", Independence); ("union", UnionBound); ("post-processing", PostProcessing);
    ("composition", BasicComposition); ("taylor", Taylor); ("monotone-convergence", MonotoneConvergence) ]

(* Distinct, in the order of the table. *)
let read_assumptions value =
  let names = List.mapi (fun i (name, meaning) -> (name, (i, meaning))) assumptions in
  let most = Integer.of_int (List.length names) in
  let read = List.map (read_choice "assuming" names) (read_list "assuming" one most value) in
  let places = List.map fst read in
  if places <> List.sort_uniq compare places then malformed "assuming names a fact twice, or out of order";
  List.map snd read

(* A dummy of the users of a table who send one message each, also of the last family, or of another family. *)
let read_dummy r value =
  let of_table count =
    match value with
    | Json.Text "uniform" -> HiddenUniformly
    | _ ->
        let chance = read_rational_from "a probability of the dummy" zero in
        let chances = List.map chance (read_entries "dummy" count value) in
        check_sum "dummy" chances;
        Hidden chances in
  match r with
  | Table t when List.exists (List.exists (fun (_, send) -> List.length send <> 1)) t.rows ->
      malformed "a dummy hides users of a table who send one message each"
  | Table t -> of_table (messages t)
  | Family (ClippedLaplace (top, _)) -> of_table (Integer.to_int top + 1)
  | Family f -> (
      match value with
      | Json.Text "uniform" -> HiddenUniformly
      | _ ->
          let stated = read_object "the dummy" [ "input" ] value in
          HiddenByInput (all stated "input" (read_integer "input" zero (Integer.pred (inputs_of f)))))

(* Users who take part with one probability: who does not sends nothing, or a dummy; or one for each of several
   randomizers. *)
type sometimes =
  | Alone of randomizer * q * absence
  | Together of randomizer list * q * joint_absence

let read_sometimes value =
  let ways = [ ("counted", Some (Counted, AllCounted)); ("listed", Some (Listed, AllListed)); ("hidden", None) ] in
  let way = read_choice "absence" ways (try List.assoc "absence" (fields_of "the randomizer" value)
    with Not_found -> malformed "the randomizer has no absence") in
  let keys = [ "family"; "absence"; "probability"; "of" ] @ if way = None then [ "dummy" ] else [] in
  let stated = read_object "the randomizer" keys value in
  let q = all stated "probability" (read_short "probability") in
  if compare_rationals q (whole zero) <= 0 || compare_rationals q (whole one) >= 0 then
    malformed "the probability is not between 0 and 1";
  let inner = List.assoc "of" stated in
  let alone r =
    let absence = match way with Some (absence, _) -> absence | None -> all stated "dummy" (read_dummy r) in
    (match as_one_randomizer r q absence with
     | Some (Table t) -> ignore (common_denominator "the randomizer" (List.concat_map (List.map fst) t.rows))
     | _ -> ());
    Alone (r, q, absence) in
  match List.assoc_opt "family" (fields_of "the randomizer" inner) with
  | None -> alone (Table (read_table inner))
  | Some (Json.Text "product") ->
      let of_them = read_product inner in
      let dummies value = List.map2 read_dummy of_them (read_entries "dummy" (List.length of_them) value) in
      let absence = match way with Some (_, absence) -> absence | None -> AllHidden (all stated "dummy" dummies) in
      Together (of_them, q, absence)
  | Some (Json.Text ("any" | "participation")) ->
      malformed "who may be away runs a table, or a family but any and participation"
  | Some _ -> alone (Family (read_family inner))

let read_run value =
  let is_view = has "randomizer" (fields_of "a run" value) in
  let keys = if is_view then [ "randomizer"; "n"; "neighbors" ] else [ "law"; "shift" ] in
  let fields = read_object "a run" ("times" :: keys) value in
  let times = all fields "times" (read_integer "times" one Limits.max_runs) in
  let family = if is_view then family_of (List.assoc "randomizer" fields) else None in
  if family = Some (Json.Text "product") then
    let of_them = all fields "randomizer" read_product in
    (ProductRun (of_them, read_family_users fields), times)
  else if family = Some (Json.Text "any") then
    let e = all fields "randomizer" read_any in
    (AnyRun (e, read_family_users fields), times)
  else if family = Some (Json.Text "participation") then
    match all fields "randomizer" read_sometimes with
    | Alone (r, q, absence) -> (ParticipationRun (r, q, absence, read_family_users fields), times)
    | Together (of_them, q, absence) -> (AbsentProductRun (of_them, q, absence, read_family_users fields), times)
  else if is_view then
    let r, n, neighboring = read_view fields in
    (RandomizerRun (r, n, neighboring), times)
  else
    let noise = all fields "law" read_noise in
    (NoiseRun (noise, all fields "shift" (read_integer "shift" one Limits.max_shift)), times)

(* Classes of users: what each runs, a table, a family or a product, who may be away, and how many they are. *)
let read_classes fields level delta =
  let of_class value =
    let stated = read_object "a class of users" [ "randomizer"; "n" ] value in
    let n = all stated "n" (read_integer "n" one Limits.max_family_users) in
    let randomizer = fields_of "the randomizer" (List.assoc "randomizer" stated) in
    match List.assoc_opt "family" randomizer with
    | None -> (Always (Table (all stated "randomizer" read_table)), n)
    | Some (Json.Text "any") -> malformed "a class of users runs no family any"
    | Some (Json.Text "participation") when List.assoc_opt "absence" randomizer = Some (Json.Text "listed") ->
        malformed "nobody in a class of users is listed"
    | Some (Json.Text "product") -> (AlwaysAll (all stated "randomizer" read_product), n)
    | Some (Json.Text "participation") -> (
        match all stated "randomizer" read_sometimes with
        | Alone (r, q, absence) -> (Sometimes (r, q, absence), n)
        | Together (of_them, q, absence) -> (SometimesAll (of_them, q, absence), n))
    | _ -> (Always (Family (all stated "randomizer" read_family)), n) in
  let classes = List.map of_class (all fields "classes" (read_list "classes" one Limits.max_factors)) in
  let places = List.mapi (fun i _ -> (string_of_int i, Some (Integer.of_int i))) classes in
  let who = all fields "user_class" (read_choice "user_class" (("any", None) :: places)) in
  ignore (all fields "neighbors" (read_choice "neighbors" [ ("replace-one", ReplaceOne) ]));
  let always (member, n) = match member with Always r -> Some (r, n) | _ -> None in
  match List.filter_map always classes with
  | plain when List.length plain = List.length classes -> ClassesDP (plain, who, level, delta)
  | _ -> MembersDP (classes, who, level, delta)

let read_shuffle_dp value =
  let fields = fields_of "the claim" value in
  if has "classes" fields then begin
    let keys = [ "kind"; "classes"; "user_class"; "neighbors"; level_key fields; "delta"; "least" ] in
    ignore (read_object "the claim" keys value);
    let least = all fields "least" (read_choice "least" leasts) in
    let level, delta = read_level fields least in
    if least <> LeastNothing then malformed "of classes of users nothing is claimed to be least: 'least' is none";
    read_classes fields level delta
  end
  else
  let keys = [ "kind"; "randomizer"; "n"; "scope"; "neighbors"; level_key fields; "delta"; "least" ] in
  ignore (read_object "the claim" keys value);
  let least = all fields "least" (read_choice "least" leasts) in
  let level, delta = read_level fields least in
  let scope = all fields "scope" (read_choice "scope" scopes) in
  let of_family () =
    if least <> LeastNothing then malformed "of a family nothing is claimed to be least: 'least' is none" in
  match family_of (List.assoc "randomizer" fields) with
  | Some (Json.Text "product") ->
      of_family ();
      let of_them = all fields "randomizer" read_product in
      ProductDP (of_them, read_family_users fields, scope, level, delta)
  | Some (Json.Text "any") ->
      of_family ();
      let e = all fields "randomizer" read_any in
      AnyShuffleDP (e, read_family_users fields, scope, level, delta)
  | Some (Json.Text "participation") ->
      of_family ();
      (match all fields "randomizer" read_sometimes with
       | Alone (r, q, absence) -> ParticipationDP (r, q, absence, read_family_users fields, scope, level, delta)
       | Together (of_them, q, absence) ->
           AbsentProductDP (of_them, q, absence, read_family_users fields, scope, level, delta))
  | _ ->
  let r, n, neighboring = read_view fields in
  (match r with Family _ -> of_family () | Table _ -> ());
  let at_zero = least = LeastExpEps && Integer.sign delta.qnum = 0 && neighboring = ReplaceOne in
  if scope = AllFromIt && least <> LeastNothing && not at_zero then
    malformed "with the scope 'all n from n', 'least' is none, or exp_eps for replace-one and delta 0";
  ShuffleDP (r, n, scope, neighboring, level, delta, least)

let read_two_message_dp value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "randomizer"; "n"; "scope"; level_key fields; "delta" ] value);
  let level, delta = read_level fields LeastNothing in
  let scope = all fields "scope" (read_choice "scope" scopes) in
  let t = all fields "randomizer" read_table in
  if messages t <> 2 || List.exists (List.exists (fun (_, send) -> List.length send <> 1)) t.rows then
    malformed "the users do not send exactly one of two messages each";
  TwoMessageDP (t, all fields "n" (read_integer "n" one Limits.max_users), scope, level, delta)

let read_counting_dp value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "p1"; "noise"; level_key fields; "delta" ] value);
  let level, delta = read_level fields LeastNothing in
  let p1 = read_parameter fields "p1" zero (Some one) [] in
  let part value =
    match read_noise value with
    | NegativeBinomial (r, p) -> (r, p)
    | _ -> malformed "a law of the noise is not negative binomial" in
  CountingDP (p1, List.map part (all fields "noise" (read_list "noise" one Limits.max_summands)), level, delta)

let read_sample_threshold_dp value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "rate"; "threshold"; "users"; level_key fields; "delta" ] value);
  let level, delta = read_level fields LeastNothing in
  let rate = all fields "rate" (read_rational "rate" zero one) in
  if Integer.sign rate.qnum = 0 || compare_rationals rate (whole one) = 0 then malformed "rate is not between 0 and 1";
  let users =
    match List.assoc "users" fields with
    | Json.Text "any" -> None
    | value -> Some (read_integer_from "users" one value) in
  SampleThresholdDP (rate, all fields "threshold" (read_integer "threshold" one Limits.max_users), users, level, delta)

let read_never_dp value =
  let fields = read_object "the claim" [ "kind"; "randomizer"; "n"; "neighbors"; "delta_below" ] value in
  let neighboring = all fields "neighbors" (read_choice "neighbors" neighborings) in
  let n = all fields "n" (read_integer "n" one Limits.max_users) in
  let t = all fields "randomizer" read_table in
  NeverDP (t, n, neighboring, all fields "delta_below" (read_probability "delta_below"))

let read_split_and_mix value =
  let fields = read_object "the claim" [ "kind"; "n"; "modulus"; "messages"; "distance" ] value in
  let number key least most = all fields key (read_integer key (Integer.of_int least) most) in
  let n = number "n" 1 Limits.max_walked in
  let modulus = number "modulus" 2 (Integer.shift_left one (Integer.to_int Limits.max_modulus_bits)) in
  SplitAndMix (n, modulus, number "messages" 3 Limits.max_shares, all fields "distance" (read_rational "distance" zero one))

let read_shift_dp value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "law"; "shift"; level_key fields; "delta"; "least" ] value);
  let noise = all fields "law" read_noise in
  let shift = all fields "shift" (read_integer "shift" one Limits.max_shift) in
  let least = all fields "least" (read_choice "least" leasts) in
  let level, delta = read_level fields least in
  ShiftDP (noise, shift, level, delta, least)

let read_smooth value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "law"; "k"; level_key fields; "delta" ] value);
  let level, delta = read_level fields LeastNothing in
  let noise = all fields "law" read_noise in
  Smooth (noise, all fields "k" (read_integer "k" one Limits.max_shift), level, delta)

let read_tail value =
  let fields = read_object "the claim" [ "kind"; "law"; "from"; "to"; "bound"; "probability" ] value in
  let first = all fields "from" (read_end "from" "-infinity") in
  let last = all fields "to" (read_end "to" "infinity") in
  let at_most = all fields "bound" (read_choice "bound" [ ("at most", true); ("at least", false) ]) in
  let noise = all fields "law" read_noise in
  Tail (noise, first, last, at_most, all fields "probability" (read_rational "it" zero one))

let read_composed value =
  let fields = fields_of "the claim" value in
  ignore (read_object "the claim" [ "kind"; "runs"; level_key fields; "delta" ] value);
  let runs = List.map read_run (all fields "runs" (read_list "runs" one Limits.max_parts)) in
  let level, delta = read_level fields LeastNothing in
  Composed (runs, level, delta)

let read_accuracy value =
  let keys = [ "kind"; "randomizer"; "n"; "dataset"; "weights"; "offset"; "zero_unless_above"; "values"; "alpha";
    "beta" ] in
  let fields = read_object "the claim" keys value in
  let t = all fields "randomizer" read_table in
  let n = all fields "n" (read_integer "n" one Limits.max_users) in
  let weights = all fields "weights" (read_rationals "weights" (messages t)) in
  let values = all fields "values" (read_rationals "values" (inputs t)) in
  let offset = all fields "offset" (read_any_rational "offset") in
  let alpha = all fields "alpha" (read_rational_from "alpha" zero) in
  let zero_unless_above = all fields "zero_unless_above" read_threshold in
  ignore (common_denominator "the analyzer" (weights @ values @ Option.to_list zero_unless_above @ [ offset; alpha ]));
  let histogram =
    match List.assoc "dataset" fields with
    | Json.Text "worst" -> None
    | users -> Some (read_users (inputs t) n users) in
  let beta = all fields "beta" (read_rational "beta" zero one) in
  Accuracy (t, n, histogram, { weights; offset; zero_unless_above }, values, alpha, beta)

let read_count_accuracy value =
  let keys = [ "kind"; "law"; "least"; "most"; "weight"; "offset"; "zero_unless_above"; "alpha"; "beta" ] in
  let fields = read_object "the claim" keys value in
  let least = all fields "least" (read_integer_from "least" zero) in
  let weight = all fields "weight" (read_rational_from "weight" zero) in
  if Integer.sign weight.qnum = 0 then malformed "weight is 0";
  let noise = all fields "law" read_noise in
  let most = all fields "most" (read_integer_from "most" least) in
  let offset = all fields "offset" (read_any_rational "offset") in
  let threshold = all fields "zero_unless_above" read_threshold in
  let alpha = all fields "alpha" (read_rational_from "alpha" zero) in
  CountAccuracy (noise, least, most, weight, offset, threshold, alpha,
    all fields "beta" (read_rational "beta" zero one))

let read_equal_laws value =
  let fields = read_object "the claim" [ "kind"; "first"; "second" ] value in
  let first = all fields "first" read_noise in
  EqualLaws (first, all fields "second" read_noise)

let read_additive_view value =
  let fields = read_object "the claim" [ "kind"; "randomizer"; "base"; "shifts" ] value in
  let t = all fields "randomizer" read_table in
  if messages t <> 1 then malformed "the randomizer of an additive view has one message type";
  let shifts = List.map (read_integer_from "a shift" zero) (all fields "shifts" (read_entries "shifts" (inputs t))) in
  AdditiveView (t, all fields "base" (read_weights "the base"), shifts)

let read_zero_estimate value =
  let fields = read_object "the claim" [ "kind"; "randomizer"; "weights"; "zero_unless_above"; "input" ] value in
  let t = all fields "randomizer" read_table in
  let weights = all fields "weights" (read_rationals "weights" (messages t)) in
  let threshold = all fields "zero_unless_above" (read_any_rational "zero_unless_above") in
  ignore (common_denominator "the weights" (threshold :: weights));
  ZeroEstimate (t, weights, threshold, all fields "input" (read_integer "input" zero (Integer.of_int (inputs t - 1))))

let read_inequality value =
  let fields = read_object "the claim" [ "kind"; "variables"; "hypotheses"; "conclusion" ] value in
  let names = all fields "variables" (read_names Limits.max_variables) in
  let condition where = read_condition where (List.length names) in
  let hypotheses = all fields "hypotheses" (read_list "hypotheses" zero Limits.max_list) in
  let hypotheses = List.mapi (fun i -> condition (Printf.sprintf "hypothesis %d" i)) hypotheses in
  Inequality (names, hypotheses, all fields "conclusion" (condition "the conclusion"))

let read_box_inequality value =
  let fields = read_object "the claim" [ "kind"; "variables"; "box"; "terms"; "strict" ] value in
  let names = all fields "variables" (read_names Limits.max_box_variables) in
  let variables = List.length names in
  let box = List.map read_interval (all fields "box" (read_entries "box" variables)) in
  let term value =
    let fields = read_object "a term" [ "polynomial"; "exponent" ] value in
    let poly = all fields "polynomial" (read_poly "a polynomial" variables) in
    (poly, all fields "exponent" (read_poly "an exponent" variables)) in
  let terms = List.map term (all fields "terms" (read_list "terms" zero Limits.max_list)) in
  BoxInequality (names, box, terms, all fields "strict" (read_choice "strict" yes_no))

(** {1 Functions of parameters} *)

let read_function where variables value =
  let written = read_poly where variables in
  let nonempty p = if p = [] then malformed "%s has an empty polynomial: 0 is written as a number" where else p in
  match value with
  | Json.Object _ ->
      let fields = read_object where [ "top"; "bottom" ] value in
      let top = all fields "top" written in
      let bottom = all fields "bottom" written in
      Quotient (nonempty top, nonempty bottom)
  | Json.List _ -> Polynomial (nonempty (written value))
  | Json.Text _ -> Constant (read_short where value)

let read_positive variables where value =
  match read_function where variables value with
  | Constant r when Integer.sign r.qnum = 0 -> malformed "%s is 0" where
  | f -> f

let check_functions variables where functions =
  if not (adds_up (Integer.of_int variables) functions) then malformed "%s does not sum to 1 identically" where

let read_functional_table variables value =
  let fields = read_object "the randomizer" [ "messages"; "rows" ] value in
  let function_messages = all fields "messages" (read_integer "messages" zero Limits.max_messages) in
  let function_rows = all fields "rows" (read_rows (read_positive variables) function_messages) in
  List.iteri (fun x row -> check_functions variables (Printf.sprintf "row %d" x) (List.map fst row)) function_rows;
  { function_messages; function_rows }

let read_functional_noise variables value =
  let fields = fields_of "the law" value in
  let exactly keys = ignore (read_object "the law" ("family" :: keys) value) in
  match List.assoc_opt "family" fields with
  | Some (Json.Text "finite") ->
      exactly [ "weights" ];
      let weights = all fields "weights" (read_listed (read_positive variables) "the law") in
      check_functions variables "the law" (List.map snd weights);
      FunctionalFinite weights
  | Some (Json.Text "view") ->
      exactly [ "randomizer"; "dataset"; "weights" ];
      let t = all fields "randomizer" (read_functional_table variables) in
      let histogram = all fields "dataset" (read_counts "dataset" (List.length t.function_rows)) in
      FunctionalView (t, histogram, all fields "weights" (read_integers "weights" (Integer.to_int t.function_messages)))
  | Some (Json.Text "binomial") ->
      exactly [ "n"; "p" ];
      let n = all fields "n" (read_integer "the n of the law" zero Limits.max_trials) in
      FunctionalBinomial (n, all fields "p" (read_function "p" variables))
  | _ -> malformed "family is none of those of laws with functions"

(* A function, or the largest of several. *)
let read_deltas variables value =
  match value with
  | Json.Object [ ("max", listed) ] ->
      List.map (read_function "delta" variables) (read_list "max" (Integer.of_int 2) Limits.max_deltas listed)
  | _ -> [ read_function "delta" variables value ]

let read_at_points variables value =
  let fields = fields_of "the claim" value in
  let exactly keys = ignore (read_object "the claim" ("kind" :: keys) value) in
  let least () = all fields "least" (read_choice "least" [ ("none", LeastNothing); ("delta", LeastDelta) ]) in
  let read_fn key = all fields key (read_function key variables) in
  let law key = all fields key (read_functional_noise variables) in
  let reach key = all fields key (read_integer key one Limits.max_shift) in
  match List.assoc_opt "kind" fields with
  | Some (Json.Text "shuffle_dp") ->
      exactly [ "randomizer"; "n"; "scope"; "neighbors"; "least"; "exp_eps"; "delta" ];
      let least = least () in
      let exp_eps = read_fn "exp_eps" in
      let deltas = all fields "delta" (read_deltas variables) in
      let scope = all fields "scope" (read_choice "scope" scopes) in
      if scope = AllFromIt && least = LeastDelta then
        malformed "for all parameters, delta is the least for 'this n' only";
      let neighboring = all fields "neighbors" (read_choice "neighbors" neighborings) in
      let n = all fields "n" (read_integer "n" one Limits.max_users) in
      PointShuffle (all fields "randomizer" (read_functional_table variables), n, scope, neighboring, exp_eps, deltas,
        least)
  | Some (Json.Text "shift_dp") ->
      exactly [ "law"; "shift"; "least"; "exp_eps"; "delta" ];
      let least = least () in
      let exp_eps = read_fn "exp_eps" in
      let deltas = all fields "delta" (read_deltas variables) in
      let shift = reach "shift" in
      PointShift (law "law", shift, exp_eps, deltas, least)
  | Some (Json.Text "smooth") ->
      exactly [ "law"; "k"; "exp_eps"; "delta" ];
      let exp_eps = read_fn "exp_eps" in
      let delta = read_fn "delta" in
      let nu = law "law" in
      PointSmooth (nu, reach "k", exp_eps, delta)
  | Some (Json.Text "tail") ->
      exactly [ "law"; "from"; "to"; "bound"; "probability" ];
      let first = all fields "from" (read_end "from" "-infinity") in
      let last = all fields "to" (read_end "to" "infinity") in
      let at_most = all fields "bound" (read_choice "bound" [ ("at most", true); ("at least", false) ]) in
      let nu = law "law" in
      PointTail (nu, first, last, at_most, read_fn "probability")
  | Some (Json.Text "equal_laws") ->
      exactly [ "first"; "second" ];
      let first = law "first" in
      PointEqual (first, law "second")
  | _ -> malformed "kind is none that a claim for all parameters can have"

let read_parameters most fields =
  let names = all fields "parameters" (read_names ~least:one most) in
  (names, List.map read_interval (all fields "box" (read_entries "box" (List.length names))))

let read_for_all value =
  let fields = read_object "the claim" [ "kind"; "parameters"; "box"; "claim" ] value in
  let names, box = read_parameters Limits.max_box_variables fields in
  ForAll (names, box, all fields "claim" (read_at_points (List.length names)))

let read_monotone value =
  let keys = [ "kind"; "parameters"; "box"; "parameter"; "delta"; "randomizer" ] in
  let fields = read_object "the claim" keys value in
  let names, box = read_parameters (Integer.pred Limits.max_box_variables) fields in
  let moved = all fields "parameter" (read_integer "parameter" zero (Integer.of_int (List.length names - 1))) in
  let falls = all fields "delta" (read_choice "delta" [ ("falls", true); ("rises", false) ]) in
  Monotone (names, box, moved, falls, all fields "randomizer" (read_functional_table (List.length names)))

let rec read value =
  let fields = fields_of "the claim" value in
  match List.assoc_opt "kind" fields with
  | Some (Json.Text kind) -> (
      match kind with
      | "shuffle_dp" -> read_shuffle_dp value
      | "two_message_dp" -> read_two_message_dp value
      | "counting_dp" -> read_counting_dp value
      | "sample_threshold_dp" -> read_sample_threshold_dp value
      | "never_dp" -> read_never_dp value
      | "split_and_mix" -> read_split_and_mix value
      | "shift_dp" -> read_shift_dp value
      | "smooth" -> read_smooth value
      | "tail" -> read_tail value
      | "composed" -> read_composed value
      | "accuracy" -> if has "law" fields then read_count_accuracy value else read_accuracy value
      | "equal_laws" -> read_equal_laws value
      | "additive_view" -> read_additive_view value
      | "zero_estimate" -> read_zero_estimate value
      | "inequality" -> read_inequality value
      | "box_inequality" -> read_box_inequality value
      | "conjunction" -> read_conjunction value
      | "not" -> Not (read (List.assoc "claim" (read_object "the claim" [ "kind"; "claim" ] value)))
      | "for_all" -> read_for_all value
      | "monotone" -> read_monotone value
      | _ -> malformed "kind is '%s', which is none" kind)
  | _ -> malformed "the claim has no kind"

and read_conjunction value =
  let fields = fields_of "the claim" value in
  let assuming = if has "assuming" fields then [ "assuming" ] else [] in
  ignore (read_object "the claim" ([ "kind"; "claims" ] @ assuming) value);
  let assumed = if assuming = [] then [] else all fields "assuming" read_assumptions in
  Conjunction (List.map read (all fields "claims" (read_list "claims" one Limits.max_parts)), assumed)

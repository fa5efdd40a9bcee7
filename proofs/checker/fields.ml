(* Objects, lists, words and numbers of a document, each with the one spelling of the format; docs/certificates.md. *)

open Refusal
open Proved

let fields_of where = function
  | Json.Object fields -> fields
  | _ -> malformed "%s is not an object" where

let has key fields = List.mem_assoc key fields

(* The fields of an object that has exactly these keys. *)
let read_object where keys value =
  let fields = fields_of where value in
  let named = List.sort compare (List.map fst fields) in
  if named <> List.sort compare keys then
    malformed "%s has the keys %s, not %s" where (String.concat ", " named)
      (String.concat ", " (List.sort compare keys));
  fields

let read_list where at_least at_most value =
  match value with
  | Json.List entries ->
      let length = Integer.of_int (List.length entries) in
      if Integer.lt length at_least || Integer.gt length at_most then
        malformed "%s has %s entries, outside %s to %s" where (Integer.to_string length) (Integer.to_string at_least)
          (Integer.to_string at_most);
      entries
  | _ -> malformed "%s is not a list" where

let read_entries where length value = read_list where (Integer.of_int length) (Integer.of_int length) value

let read_text where = function
  | Json.Text text -> text
  | _ -> malformed "%s is not a string" where

(* One of some words, each with what it means. *)
let read_choice where choices value =
  let word = read_text where value in
  match List.assoc_opt word choices with
  | Some meaning -> meaning
  | None -> malformed "%s is '%s', not one of %s" where word (String.concat ", " (List.map fst choices))

let check_range where low high number =
  if Integer.lt number low || (match high with Some h -> Integer.gt number h | None -> false) then
    malformed "%s is outside its range" where

(* Every character of a text. *)
let for_all test text = List.for_all test (List.of_seq (String.to_seq text))

let is_decimal digits =
  digits = "0"
  || (digits <> "" && digits.[0] <> '0' && String.length digits <= 78
      && for_all (fun c -> c >= '0' && c <= '9') digits)

let is_hexadecimal digits =
  String.length digits > 2 && String.sub digits 0 2 = "0x" && digits.[2] <> '0'
  && for_all
       (fun c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))
       (String.sub digits 2 (String.length digits - 2))

(* Decimal up to 256 bits, lowercase hexadecimal above: every integer has one spelling. *)
let parse_integer where written =
  let is_negative = written <> "" && written.[0] = '-' in
  let digits = if is_negative then String.sub written 1 (String.length written - 1) else written in
  let bits = Integer.numbits in
  let short = Integer.to_int Limits.max_decimal_bits in
  let magnitude =
    if is_decimal digits && written <> "-0" then
      let n = Integer.of_string digits in
      if bits n <= short then Some n else None
    else if is_hexadecimal digits then begin
      if Integer.gt (Integer.of_int (4 * (String.length digits - 2))) Limits.max_bits then
        malformed "%s has more than %s bits" where (Integer.to_string Limits.max_bits);
      let n = Integer.of_string digits in
      if bits n > short then Some n else None
    end
    else None
  in
  match magnitude with
  | Some n -> if is_negative then Integer.neg n else n
  | None -> malformed "%s is not an integer as this format writes it" where

let read_any_integer where value = parse_integer where (read_text where value)

let read_integer where low high value =
  let number = read_any_integer where value in
  check_range where low (Some high) number;
  number

let read_integer_from where low value =
  let number = read_any_integer where value in
  check_range where low None number;
  number

let read_any_rational where value =
  match String.split_on_char '/' (read_text where value) with
  | [ top ] -> { qnum = parse_integer where top; qden = Integer.one }
  | top :: rest ->
      let qnum = parse_integer where top and qden = parse_integer where (String.concat "/" rest) in
      if Integer.lt qden (Integer.of_int 2) then malformed "%s has a denominator below 2" where;
      if not (Integer.equal (Integer.gcd qnum qden) Integer.one) then malformed "%s is not in lowest terms" where;
      { qnum; qden }
  | [] -> malformed "%s is empty" where

let whole n = { qnum = n; qden = Integer.one }

let compare_rationals a b = Integer.compare (Integer.mul a.qnum b.qden) (Integer.mul b.qnum a.qden)

let read_rational_from where low value =
  let r = read_any_rational where value in
  if compare_rationals r (whole low) < 0 then malformed "%s is below %s" where (Integer.to_string low);
  r

let read_rational where low high value =
  let r = read_rational_from where low value in
  if compare_rationals r (whole high) > 0 then malformed "%s is above %s" where (Integer.to_string high);
  r

let size r = max (Integer.numbits r.qnum) (Integer.numbits r.qden)

(* A rational of which products are taken. *)
let read_short where value =
  let r = read_any_rational where value in
  if size r > Integer.to_int Limits.max_inequality_bits then
    malformed "%s has more than %s bits" where (Integer.to_string Limits.max_inequality_bits);
  r

let read_probability where value =
  let r = read_rational where Integer.zero Integer.one value in
  if Integer.sign r.qnum = 0 then malformed "%s is 0" where;
  r

let read_integers where length value = List.map (read_any_integer where) (read_entries where length value)

let read_counts where length value =
  List.map (read_integer where Integer.zero Limits.max_users) (read_entries where length value)

let read_rationals where length value = List.map (read_any_rational where) (read_entries where length value)

let yes_no = [ ("yes", true); ("no", false) ]

(* That rationals have a common denominator of a length that is allowed; it is returned. *)
let common_denominator where rationals =
  List.fold_left
    (fun d r ->
      let d = Integer.lcm d r.qden in
      if Integer.gt (Integer.of_int (Integer.numbits d)) Limits.max_bits then
        malformed "the common denominator of %s has more than %s bits" where (Integer.to_string Limits.max_bits);
      d)
    Integer.one rationals

let check_sum where rationals =
  let d = common_denominator where rationals in
  let add sum r = Integer.add sum (Integer.mul r.qnum (Integer.divexact d r.qden)) in
  if not (Integer.equal (List.fold_left add Integer.zero rationals) d) then malformed "%s does not sum to 1" where

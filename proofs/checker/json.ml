(* The subset of JSON that a certificate is written in: objects, lists and strings, in ASCII without backslashes. *)

open Refusal

type t =
  | Text of string
  | List of t list
  | Object of (string * t) list

let is_space c = c = ' ' || c = '\t' || c = '\n' || c = '\r'

let parse text =
  let length = String.length text in
  if length > Integer.to_int Limits.max_file_bytes then malformed "longer than %s bytes"
    (Integer.to_string Limits.max_file_bytes);
  String.iter (fun c -> if c = '\\' || Char.code c > 127 then malformed "a certificate is ASCII without backslashes")
    text;
  let place = ref 0 in
  let rec skip () = if !place < length && is_space text.[!place] then (incr place; skip ()) in
  let next () = skip (); if !place < length then text.[!place] else malformed "not JSON: it ends too early" in
  let expect c =
    if next () <> c then malformed "not JSON: at %d there is no %c" !place c;
    incr place
  in
  let string () =
    expect '"';
    let first = !place in
    while !place < length && text.[!place] <> '"' do
      if Char.code text.[!place] < 32 then malformed "not JSON: a control character in a string";
      incr place
    done;
    if !place = length then malformed "not JSON: a string without an end";
    incr place;
    String.sub text first (!place - first - 1)
  in
  let entries close entry =
    incr place;
    if next () = close then (incr place; [])
    else
      let rec more reached =
        let reached = entry () :: reached in
        match next () with
        | ',' -> incr place; more reached
        | c when c = close -> incr place; List.rev reached
        | _ -> malformed "not JSON: at %d there is neither a comma nor an end" !place
      in
      more []
  in
  let rec value depth =
    let first = next () in
    if (first = '[' || first = '{') && depth > Integer.to_int Limits.max_depth then
      malformed "nested deeper than %s" (Integer.to_string Limits.max_depth);
    match first with
    | '"' -> Text (string ())
    | '[' -> List (entries ']' (fun () -> value (depth + 1)))
    | '{' -> Object (distinct (entries '}' (fun () -> pair (depth + 1))))
    | '-' | '0' .. '9' -> malformed "a JSON number; numbers are strings here"
    | _ -> malformed "not JSON, or a constant; there are objects, lists and strings here"
  and pair depth =
    skip ();
    let key = string () in
    expect ':';
    (key, value depth)
  and distinct fields =
    let keys = List.sort compare (List.map fst fields) in
    let rec twice = function
      | a :: (b :: _ as rest) -> a = b || twice rest
      | _ -> false
    in
    if twice keys then malformed "a key stands twice in one object";
    fields
  in
  let read = value 1 in
  skip ();
  if !place < length then malformed "not JSON: something follows it";
  read

(* The one spelling of a value whose id is taken: sorted keys, no spaces. *)
let canonical value =
  let buffer = Buffer.create 1024 in
  let quote text = Buffer.add_char buffer '"'; Buffer.add_string buffer text; Buffer.add_char buffer '"' in
  let joined write entries =
    List.iteri (fun i entry -> if i > 0 then Buffer.add_char buffer ','; write entry) entries
  in
  let rec write = function
    | Text text -> quote text
    | List entries -> Buffer.add_char buffer '['; joined write entries; Buffer.add_char buffer ']'
    | Object fields ->
        Buffer.add_char buffer '{';
        joined
          (fun (key, inner) -> quote key; Buffer.add_char buffer ':'; write inner)
          (List.sort (fun (a, _) (b, _) -> compare a b) fields);
        Buffer.add_char buffer '}'
  in
  write value;
  Buffer.contents buffer

let id value = Sha256.digest (canonical value)

(* The first schema that can say a document: a document that says what only a later one can say is malformed. *)

open Refusal

let names =
  [ "exactdp-certificate-1"; "exactdp-certificate-2"; "exactdp-certificate-3"; "exactdp-certificate-4" ]

let fourth = 3

let first_kinds =
  [ "shuffle_dp"; "never_dp"; "shift_dp"; "additive_view"; "zero_estimate"; "inequality"; "conjunction"; "not" ]

let first_families = [ "finite"; "binomial" ]

let third_families =
  [ "discrete-uniform"; "k-ary"; "unary-encoding"; "subset-selection"; "hadamard"; "local-hashing";
    "clipped-discrete-laplace" ]

let third_kinds =
  [ "two_message_dp"; "counting_dp"; "sample_threshold_dp"; "split_and_mix"; "for_all"; "monotone" ]

let third_keys = [ "blanket"; "likelihood"; "event"; "levels" ]

let fourth_families = [ "any"; "product"; "participation"; "laplace" ]

let fourth_keys = [ "swap"; "two_messages"; "classes"; "closed_bracket" ]

let second_keys = [ "assuming"; "bits"; "exp"; "log"; "inverse"; "sum"; "product"; "power" ]

let rec first = function
  | Json.Text _ -> 0
  | Json.List entries -> List.fold_left (fun place entry -> max place (first entry)) 0 entries
  | Json.Object fields ->
      let says key names =
        match List.assoc_opt key fields with
        | Some (Json.Text word) -> List.mem word names
        | Some _ -> false
        | None -> false in
      let says_or_absent key names = (not (List.mem_assoc key fields)) || says key names in
      let has keys = List.exists (fun (key, _) -> List.mem key keys) fields in
      let here =
        if says "family" fourth_families || has fourth_keys then fourth
        else if says "family" third_families || has third_keys || says "kind" third_kinds then 2
        else if says_or_absent "kind" first_kinds && says_or_absent "family" first_families &&
          not (has second_keys) then 0
        else 1 in
      List.fold_left (fun place (_, inner) -> max place (first inner)) here fields

(* What there is no proved program for: real messages. *)
let rec is_real = function
  | Json.Text _ -> false
  | Json.List entries -> List.exists is_real entries
  | Json.Object fields ->
      List.assoc_opt "family" fields = Some (Json.Text "laplace") || List.exists (fun field -> is_real (snd field)) fields

let check document schema =
  match List.find_opt (fun (name, _) -> name = schema) (List.mapi (fun i name -> (name, i)) names) with
  | None -> malformed "schema is none that is known"
  | Some (_, place) ->
      let needed = first document in
      if place < needed then
        malformed "a document of the schema %s says what only %s can say" schema (List.nth names needed)
      else if place = fourth then
        if needed < fourth then malformed "a document of the schema %s says nothing that needs it" schema
        else if is_real document then raise (Not_covered "the family laplace: its messages are no list")

(* The values that the reader of json_reader.v reads, with OCaml's texts, for the readers of claims and witnesses. *)

type t =
  | Text of string
  | List of t list
  | Object of (string * t) list

let characters text = List.of_seq (String.to_seq text)

let text characters = String.of_seq (List.to_seq characters)

let read bytes =
  match Proved.read_json Limits.max_depth bytes with
  | Proved.Read value -> value
  | Proved.Refused reason -> Refusal.malformed "%s" (text reason)

let rec of_read = function
  | Proved.Text letters -> Text (text letters)
  | Proved.Array entries -> List (List.map of_read entries)
  | Proved.Fields fields -> Object (List.map (fun (key, value) -> (text key, of_read value)) fields)

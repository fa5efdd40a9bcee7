(* How a check ends without a verdict. *)

exception Malformed of string

exception Rejected of string

exception Not_covered of string

let malformed format = Printf.ksprintf (fun reason -> raise (Malformed reason)) format

let rejected format = Printf.ksprintf (fun reason -> raise (Rejected reason)) format

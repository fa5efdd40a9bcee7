(* Zarith's integers, under a name that the extracted modules do not take. *)
include Z

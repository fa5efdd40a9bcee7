(* SHA-256 (FIPS 180-4) of a string, in lowercase hexadecimal. *)

let first_primes count =
  let rec is_prime n d = d * d > n || (n mod d <> 0 && is_prime n (d + 1)) in
  let rec from n left =
    if left = 0 then [] else if is_prime n 2 then n :: from (n + 1) (left - 1) else from (n + 1) left in
  from 2 count

(* The first 32 bits after the point of the root of this degree. *)
let fraction_of_root degree n =
  let shifted = Integer.shift_left (Integer.of_int n) (32 * degree) in
  let root = if degree = 2 then Integer.sqrt shifted else Integer.root shifted 3 in
  Integer.to_int (Integer.logand root (Integer.of_int 0xffffffff))

let constants = Array.of_list (List.map (fraction_of_root 3) (first_primes 64))

let initial = Array.of_list (List.map (fraction_of_root 2) (first_primes 8))

let mask = 0xffffffff

let rotated x by = ((x lsr by) lor (x lsl (32 - by))) land mask

let compress state block =
  let w = Array.make 64 0 in
  for t = 0 to 15 do
    w.(t) <- Int32.to_int (String.get_int32_be block (4 * t)) land mask
  done;
  for t = 16 to 63 do
    let a = w.(t - 15) and b = w.(t - 2) in
    let s0 = rotated a 7 lxor rotated a 18 lxor (a lsr 3) in
    let s1 = rotated b 17 lxor rotated b 19 lxor (b lsr 10) in
    w.(t) <- (w.(t - 16) + s0 + w.(t - 7) + s1) land mask
  done;
  let v = Array.copy state in
  for t = 0 to 63 do
    let e = v.(4) and a = v.(0) in
    let s1 = rotated e 6 lxor rotated e 11 lxor rotated e 25 in
    let choice = (e land v.(5)) lxor (lnot e land mask land v.(6)) in
    let first = v.(7) + s1 + choice + constants.(t) + w.(t) in
    let s0 = rotated a 2 lxor rotated a 13 lxor rotated a 22 in
    let majority = (a land v.(1)) lxor (a land v.(2)) lxor (v.(1) land v.(2)) in
    Array.blit (Array.sub v 0 7) 0 v 1 7;
    v.(4) <- (v.(4) + first) land mask;
    v.(0) <- (first + s0 + majority) land mask
  done;
  Array.mapi (fun i h -> (h + v.(i)) land mask) state

let digest text =
  let length = String.length text in
  let padding = String.make (((119 - (length mod 64)) mod 64) + 1) '\000' |> Bytes.of_string in
  Bytes.set padding 0 '\x80';
  let tail = Bytes.create 8 in
  Bytes.set_int64_be tail 0 (Int64.of_int (8 * length));
  let padded = String.concat "" [ text; Bytes.to_string padding; Bytes.to_string tail ] in
  let state = ref initial in
  for block = 0 to (String.length padded / 64) - 1 do
    state := compress !state (String.sub padded (64 * block) 64)
  done;
  String.concat "" (Array.to_list (Array.map (Printf.sprintf "%08x") !state))

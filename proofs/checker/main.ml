(* The proved checker as a program: one line for each file, as the Python checker writes it.

   proved-checker FILE...           checks certificates
   proved-checker --coq FILE        writes the certificate as a term of Coq, for a theorem of the kernel
   proved-checker --coq-big FILE    the same, computed with Coq's primitive integers

   The exit status is the largest of those of the files: 0 verified, 1 the check failed, 2 malformed or too large,
   3 a kind or a witness for which there is no proved program. *)

open Refusal

let read_file path =
  let most = Integer.to_int Limits.max_file_bytes in
  match (Unix.stat path).Unix.st_kind with
  | Unix.S_REG ->
      let channel = open_in_bin path in
      Fun.protect
        ~finally:(fun () -> close_in channel)
        (fun () ->
          let length = in_channel_length channel in
          if length > most then malformed "longer than %d bytes" most;
          really_input_string channel length)
  | _ -> malformed "not a regular file"
  | exception Unix.Unix_error (error, _, _) -> malformed "cannot be read: %s" (Unix.error_message error)
  | exception Sys_error reason -> malformed "cannot be read: %s" reason

(* Of lists of characters, as Coq's texts are. *)
let digest text = Json.characters (Sha256.digest (Json.text text))

(* The certificate in what was read as JSON. It is a proposal: claim_file.v compares the claim with the one that stands
   there, and checks it. *)
let certificate_in read =
  let document = Json.of_read read in
  let fields = Fields.read_object "the document" [ "schema"; "claim"; "claim_id"; "verdict"; "witness" ] document in
  let field key = List.assoc key fields in
  Schemas.check document (Fields.read_text "schema" (field "schema"));
  let verdict = Fields.read_choice "verdict" [ ("PROVED", true); ("REFUTED", false) ] (field "verdict") in
  let claimed = Claim_reader.read (field "claim") in
  if not (Proved.stated_in read claimed verdict) then
    malformed "the claim that was read is not the one that stands there";
  ignore (Fields.fields_of "the witness" (field "witness"));
  if Fields.read_text "claim_id" (field "claim_id") <> Json.text (digest (Proved.claim_stated read)) then
    rejected "claim_id is not the sha256 of the claim";
  { Proved.claimed; verdict; shown = Witness_reader.read claimed verdict (field "witness") }

let too_large_for what = malformed "the check is too large: beyond %s" what

(* The programs make many short-lived numbers. *)
let () =
  Gc.set { (Gc.get ()) with Gc.minor_heap_size = 1 lsl 20; major_heap_increment = 1 lsl 22; space_overhead = 400 }

let guarded check =
  let seconds = float_of_int (Integer.to_int Limits.max_seconds) in
  let words = Integer.to_int Limits.max_memory / 8 in
  let watch = Gc.create_alarm (fun () ->
    if (Gc.quick_stat ()).Gc.heap_words > words then too_large_for "the memory there is") in
  Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> too_large_for "the time there is"));
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = seconds });
  Fun.protect
    ~finally:(fun () ->
      ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; it_value = 0. });
      Gc.delete_alarm watch)
    check

let limits_of_work =
  { Proved.most_total_bits = Limits.max_total_bits; most_steps = Limits.max_steps; most_places = Limits.max_places;
    most_power = Limits.max_power; most_power_bits = Limits.max_power_bits; most_scale = Limits.max_scale;
    most_slot_bits = Limits.max_slot_bits; most_product_bits = Limits.max_product_bits;
    most_terms_added = Limits.max_terms_added; most_held_bits = Limits.max_held_bits;
    most_curve_bits = Limits.max_inequality_bits; most_window = Limits.max_window;
    most_work = Limits.max_work; most_phase_bits = Limits.max_phase_bits }

(* A limit of the work, which refuses what might be true. *)
let within_limits too_large { Proved.claimed; verdict; shown } =
  if too_large limits_of_work claimed verdict shown then too_large_for "a limit of this kind of claim"

let refused ({ Proved.claimed; verdict; shown } as certificate) =
  within_limits Proved.too_large_after certificate;
  if Proved.is_covered claimed verdict shown then rejected "the check failed"
  else raise (Not_covered ("this witness for the claim: " ^ Json.text (Proved.words_of digest claimed)))

let verified path () =
  let bytes = Json.characters (read_file path) in
  let proposed = ref None in
  let propose read =
    let certificate = certificate_in read in
    within_limits Proved.too_large_before certificate;
    proposed := Some certificate;
    certificate in
  match Proved.checked_file propose digest Limits.max_depth bytes with
  | Some line -> Json.text line
  | None -> refused (match !proposed with Some certificate -> certificate | None -> certificate_in (Json.read bytes))

let report path =
  let quoted = "'" ^ String.escaped path ^ "'" in
  match guarded (verified path) with
  | line -> (0, line)
  | exception Rejected reason -> (1, Printf.sprintf "REJECTED %s: %s" quoted reason)
  | exception Malformed reason -> (2, Printf.sprintf "MALFORMED %s: %s" quoted reason)
  | exception Not_covered what -> (3, Printf.sprintf "NOT COVERED %s: there is no proved program for %s" quoted what)
  | exception Stack_overflow ->
      (2, Printf.sprintf "MALFORMED %s: the check is too large: beyond the stack there is" quoted)
  | exception Out_of_memory ->
      (2, Printf.sprintf "MALFORMED %s: the check is too large: beyond the memory there is" quoted)
  | exception (Integer.Overflow | Failure _ | Invalid_argument _) ->
      (2, Printf.sprintf "MALFORMED %s: the check is too large: numbers beyond what this machine holds" quoted)

(* Each file of several in a process of its own: what one takes is not missing for the next, and a signal ends one
   alone. *)
let report_apart path =
  flush_all ();
  let input, output = Unix.pipe () in
  match Unix.fork () with
  | 0 ->
      Unix.close input;
      let channel = Unix.out_channel_of_descr output in
      let status, line = report path in
      output_string channel line;
      close_out channel;
      Unix._exit status
  | child -> (
      Unix.close output;
      let channel = Unix.in_channel_of_descr input in
      let line = try input_line channel with End_of_file -> "" in
      close_in channel;
      match snd (Unix.waitpid [] child) with
      | Unix.WEXITED status when line <> "" -> (status, line)
      | _ -> (2, Printf.sprintf "MALFORMED '%s': the check is too large: a signal ended it" (String.escaped path)))

(* The extracted programs go into themselves as often as a list is long: once more, with the stack that is allowed. *)
let with_stack () =
  let mark = "EXACTDP_PROVED_CHECKER_STACK" in
  if Sys.getenv_opt mark = None && Sys.file_exists "/bin/sh" then begin
    Unix.putenv mark "set";
    let script = "ulimit -s 1000000 2>/dev/null || ulimit -s \"$(ulimit -H -s)\" 2>/dev/null; exec \"$0\" \"$@\"" in
    let arguments = Array.append [| "sh"; "-c"; script;
      Sys.executable_name |] (Array.sub Sys.argv 1 (Array.length Sys.argv - 1)) in
    try Unix.execv "/bin/sh" arguments with Unix.Unix_error _ -> ()
  end

let usage () =
  prerr_endline "usage: proved-checker FILE... | proved-checker --coq FILE | proved-checker --coq-big FILE";
  exit 2

let () =
  with_stack ();
  match List.tl (Array.to_list Sys.argv) with
  | [] -> usage ()
  | [ ("--coq" | "--coq-big") as asked; path ] -> (
      let integers = if asked = "--coq" then Coq_term.Binary else Coq_term.Primitive in
      match
        let { Proved.claimed; verdict; shown } = certificate_in (Json.read (Json.characters (read_file path))) in
        Coq_term.certificate integers claimed verdict shown
      with
      | term -> print_string term
      | exception (Malformed reason | Rejected reason) -> prerr_endline reason; exit 2
      | exception Not_covered what -> prerr_endline ("there is no proved program for " ^ what); exit 3)
  | [ path ] ->
      let status, line = report path in
      print_endline line;
      exit status
  | paths ->
      let status =
        List.fold_left
          (fun status path ->
            let reached, line = report_apart path in
            print_endline line;
            max status reached)
          0 paths in
      exit status

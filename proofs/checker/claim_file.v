(** From the bytes of a file to the line that is printed.

    [checked_file propose digest most bytes] reads the bytes as JSON ([read_json]), takes the certificate that is
    proposed for it, compares its claim and its verdict with those that stand there, and checks it. How the certificate
    was found is of no matter: [propose] is whatever reads claims and witnesses. The line has the verdict, the first
    characters of the digest of the claim's canonical text, and the claim in words. Proved ([checked_file_sound]): if
    there is a line, then the claim whose canonical text is that of the file's claim, and whose words are those of the
    line, holds where the line says PROVED, and does not hold where it says REFUTED.

    A sum of sums, and a product of products, is one in the canonical text ([flattened]).

    Source: docs/certificates.md. *)

From Coq Require Import List Ascii String Bool.
From ExactdpChecker Require Import claims claim_text claim_words witnesses kinds checked json_reader.
Import ListNotations.
Open Scope string_scope.

Fixpoint flattened (value : json) : json :=
  match value with
  | Text _ => value
  | Array entries => Array (map flattened entries)
  | Fields fields =>
      match fields, map (fun f => (fst f, flattened (snd f))) fields with
      | [_], [(name, Array (first :: rest))] =>
          match first with
          | Fields [(inner, Array terms)] =>
              if ((name =? "sum") || (name =? "product")) && (inner =? name)
              then Fields [(name, Array (terms ++ rest)%list)]
              else Fields [(name, Array (first :: rest))]
          | _ => Fields [(name, Array (first :: rest))]
          end
      | _, flat => Fields flat
      end
  end.

(** With sorted keys. *)
Fixpoint in_order (value : json) : json :=
  match value with
  | Text _ => value
  | Array entries => Array (map in_order entries)
  | Fields fields => object (map (fun f => (fst f, in_order (snd f))) fields)
  end.

(** The text whose digest is the id. *)
Definition canonical (value : json) : string := written (in_order value) "".

Definition states (value : json) (c : claim) : bool := canonical (flattened value) =? text_of c.

Definition verdict_text (proved : bool) : string := if proved then "PROVED" else "REFUTED".

Fixpoint field_of (key : string) (fields : list field) : option json :=
  match fields with
  | [] => None
  | f :: rest => if fst f =? key then Some (snd f) else field_of key rest
  end.

Definition claim_in (document : json) : option json :=
  match document with
  | Fields fields => field_of "claim" fields
  | _ => None
  end.

Definition stated_in (document : json) (c : claim) (proved : bool) : bool :=
  match document with
  | Fields fields =>
      match field_of "claim" fields, field_of "verdict" fields with
      | Some value, Some (Text word) => states value c && (word =? verdict_text proved)
      | _, _ => false
      end
  | _ => false
  end.

(** The canonical text of the claim that stands there, whose digest is its id. *)
Definition claim_stated (document : json) : string :=
  match claim_in document with
  | Some value => canonical value
  | None => ""
  end.

Definition rests_on (c : claim) : string :=
  let facts := map (fun a => "assumed: " ++ assumption_words a) (assumed c) in
  "[" ++ String.concat "; " ("by the theorem check_sound" :: facts) ++ "]".

Definition checked_file (propose : json -> certificate) (digest : string -> string) (most : nat) (bytes : string) :
    option string :=
  match read_json most bytes with
  | Read document =>
      let c := propose document in
      match claim_in document with
      | Some value =>
          if stated_in document (claimed c) (verdict c) && check c
          then Some (verdict_text (verdict c) ++ " " ++ short_id digest (canonical value) ++ " " ++
            words_of digest (claimed c) ++ " " ++ rests_on (claimed c))
          else None
      | None => None
      end
  | Refused _ => None
  end.

Theorem checked_file_sound propose digest most bytes line :
  checked_file propose digest most bytes = Some line ->
  exists fields value proved c,
    read_json most bytes = Read (Fields fields) /\ field_of "claim" fields = Some value /\
    field_of "verdict" fields = Some (Text (verdict_text proved)) /\
    text_of c = canonical (flattened value) /\
    line = verdict_text proved ++ " " ++ short_id digest (canonical value) ++ " " ++ words_of digest c ++ " " ++
      rests_on c /\
    if proved then holds c else ~ holds c.
Proof.
  unfold checked_file, stated_in. destruct (read_json most bytes) as [document | reason]; [| discriminate].
  set (c := propose document). destruct document as [| | fields]; try discriminate. cbn [claim_in].
  destruct (field_of "claim" fields) as [value |] eqn:V; [| discriminate].
  destruct (field_of "verdict" fields) as [[word | |] |] eqn:W; try discriminate.
  destruct (states value (claimed c) && (word =? verdict_text (verdict c)) && check c)%bool eqn:E; [| discriminate].
  intros H. injection H as H. rewrite !andb_true_iff in E. destruct E as [[S T] C]. apply String.eqb_eq in S, T.
  subst word. exists fields, value, (verdict c), (claimed c).
  repeat split; try assumption; [symmetry; exact S | symmetry; exact H | apply check_sound, C].
Qed.

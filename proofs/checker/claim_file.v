(** From the bytes of a file to the verdict.

    [establishes most bytes c] reads the bytes as JSON ([read_json]), compares the claim and the verdict that stand there
    with those of the certificate [c], and checks [c]. How [c] was found is of no matter: whatever reads claims and witnesses
    proposes it. Proved ([establishes_sound]): if it answers true, the claim whose canonical text is that of the file's claim
    holds where the file says PROVED, and does not hold where it says REFUTED.

    A sum of sums, and a product of products, is one in the canonical text ([flattened]). Source: docs/certificates.md. *)

From Coq Require Import List Ascii String Bool.
From ExactdpChecker Require Import claims claim_text witnesses kinds checked json_reader.
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
              if ((name =? "sum") || (name =? "product")) && (inner =? name) then Fields [(name, Array (terms ++ rest)%list)]
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
  match document with
  | Fields fields => match field_of "claim" fields with Some value => canonical value | None => "" end
  | _ => ""
  end.

Definition establishes (most : nat) (bytes : string) (c : certificate) : bool :=
  match read_json most bytes with
  | Read document => stated_in document (claimed c) (verdict c) && check c
  | Refused _ => false
  end.

Theorem establishes_sound most bytes c :
  establishes most bytes c = true ->
  exists fields value,
    read_json most bytes = Read (Fields fields) /\ field_of "claim" fields = Some value /\
    field_of "verdict" fields = Some (Text (verdict_text (verdict c))) /\
    text_of (claimed c) = canonical (flattened value) /\
    if verdict c then holds (claimed c) else ~ holds (claimed c).
Proof.
  unfold establishes, stated_in. destruct (read_json most bytes) as [document | reason]; [| discriminate].
  rewrite andb_true_iff. intros [S C]. destruct document as [| | fields]; try discriminate.
  destruct (field_of "claim" fields) as [value |] eqn:V; [| discriminate].
  destruct (field_of "verdict" fields) as [[word | |] |] eqn:W; try discriminate.
  rewrite andb_true_iff in S. destruct S as [S T]. apply String.eqb_eq in S, T. subst word.
  exists fields, value. split; [reflexivity |]. split; [exact V |]. split; [exact W |].
  split; [symmetry; exact S | apply check_sound, C].
Qed.

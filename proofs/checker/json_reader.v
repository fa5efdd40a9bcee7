(** Reading the subset of JSON that a certificate is written in: objects, lists and texts, in ASCII without backslashes.

    [read_json most bytes] reads one value that is nested at most [most] deep, with spaces between its signs, whose objects
    have no key twice; for anything else it says why not. It goes over the bytes once, with the lists and objects that are
    still open in a stack. Proved ([read_written]): what [written] of claim_text.v writes is read as it was.

    Source: docs/certificates.md. *)

From Coq Require Import List Ascii String Arith Bool Lia Permutation Mergesort Orders.
From ExactdpChecker Require Import claim_text.
Import ListNotations.
Open Scope string_scope.

Inductive answer (A : Type) : Type :=
  | Read (value : A)
  | Refused (reason : string).
Arguments Read {A} value.
Arguments Refused {A} reason.

(** ** Signs *)

Definition quote : ascii := """"%char.

Definition is_space (c : ascii) : bool :=
  (Ascii.eqb c " " || Ascii.eqb c "009" || Ascii.eqb c "010" || Ascii.eqb c "013")%char.

(** Of a text: no control character, nothing above 127, no quote and no backslash. *)
Definition is_plain (c : ascii) : bool :=
  match c with Ascii _ _ _ _ _ b5 b6 b7 => negb b7 && (b5 || b6) end && negb (Ascii.eqb c quote) &&
  negb (Ascii.eqb c "\").

Fixpoint plain (s : string) : bool :=
  match s with
  | EmptyString => true
  | String c rest => is_plain c && plain rest
  end.

(** ** Keys *)

Module KeyOrder <: TotalLeBool.
  Definition t := string.
  Definition leb (a b : string) : bool := negb (String.ltb b a).
  Theorem leb_total a b : leb a b = true \/ leb b a = true.
  Proof.
    unfold leb, String.ltb. rewrite (String.compare_antisym b a). destruct (String.compare a b); auto.
  Qed.
End KeyOrder.

Module KeySort := Sort KeyOrder.

Fixpoint neighbours_differ (keys : list string) : bool :=
  match keys with
  | a :: (b :: _) as rest => negb (a =? b) && neighbours_differ rest
  | _ => true
  end.

Definition distinct (keys : list string) : bool := neighbours_differ (KeySort.sort keys).

(** ** One sign after the other *)

(** An open list or object with what it has so far, the last first; an object has the key whose value is due as well. *)
Inductive frame : Type :=
  | InArray (entries : list json)
  | InFields (fields : list field) (key : string).

Inductive mode : Type :=
  | AtValue (may_end : bool)  (* of the first entry of a list, which may have none *)
  | AtKey (may_end : bool)
  | AtColon
  | After (value : json)
  | InText (letters : list ascii)
  | InKey (letters : list ascii).

Definition letters_of (letters : list ascii) : string := string_of_list_ascii (rev letters).

Definition closed_fields (stack : list frame) (fields : list field) : answer (list frame * mode) :=
  if distinct (map fst fields) then Read (stack, After (Fields (rev fields)))
  else Refused "a key stands twice in one object".

Definition opened (most : nat) (stack : list frame) (f : frame) (m : mode) : answer (list frame * mode) :=
  if (List.length stack <? most)%nat then Read (f :: stack, m) else Refused "nested deeper than the limit".

Definition letter (c : ascii) (stack : list frame) (m : mode) : answer (list frame * mode) :=
  if is_plain c then Read (stack, m)
  else Refused "a text has a control character, a backslash or what is not ASCII".

Definition step (most : nat) (stack : list frame) (m : mode) (c : ascii) : answer (list frame * mode) :=
  match m, stack with
  | InText letters, _ =>
      if Ascii.eqb c quote then Read (stack, After (Text (letters_of letters))) else letter c stack (InText (c :: letters))
  | InKey letters, InFields fields _ :: rest =>
      if Ascii.eqb c quote then Read (InFields fields (letters_of letters) :: rest, AtColon)
      else letter c stack (InKey (c :: letters))
  | _, _ =>
      if is_space c then Read (stack, m) else
      match m, stack with
      | AtValue may_end, _ =>
          if Ascii.eqb c quote then Read (stack, InText [])
          else if Ascii.eqb c "[" then opened most stack (InArray []) (AtValue true)
          else if Ascii.eqb c "{" then opened most stack (InFields [] "") (AtKey true)
          else match may_end, stack with
               | true, InArray [] :: rest =>
                   if Ascii.eqb c "]" then Read (rest, After (Array [])) else Refused "not JSON: no value where one is due"
               | _, _ => Refused "not JSON, a number or a constant; there are objects, lists and texts here"
               end
      | AtKey may_end, InFields fields _ :: rest =>
          if Ascii.eqb c quote then Read (stack, InKey [])
          else if may_end && Ascii.eqb c "}" then closed_fields rest fields
          else Refused "not JSON: no key where one is due"
      | AtColon, _ => if Ascii.eqb c ":" then Read (stack, AtValue false) else Refused "not JSON: no colon after a key"
      | After value, InArray entries :: rest =>
          if Ascii.eqb c "," then Read (InArray (value :: entries) :: rest, AtValue false)
          else if Ascii.eqb c "]" then Read (rest, After (Array (rev (value :: entries))))
          else Refused "not JSON: neither a comma nor the end of a list"
      | After value, InFields fields key :: rest =>
          if Ascii.eqb c "," then Read (InFields ((key, value) :: fields) "" :: rest, AtKey false)
          else if Ascii.eqb c "}" then closed_fields rest ((key, value) :: fields)
          else Refused "not JSON: neither a comma nor the end of an object"
      | _, _ => Refused "not JSON: something follows it"
      end
  end.

Fixpoint run (most : nat) (stack : list frame) (m : mode) (bytes : string) : answer json :=
  match bytes with
  | EmptyString => match stack, m with [], After value => Read value | _, _ => Refused "not JSON: it ends too early" end
  | String c rest =>
      match step most stack m c with
      | Read (stack', m') => run most stack' m' rest
      | Refused reason => Refused reason
      end
  end.

Definition read_json (most : nat) (bytes : string) : answer json := run most [] (AtValue false) bytes.

(** ** What is written is read *)

(** A value may be nested in so many others. *)
Fixpoint readable (most depth : nat) (value : json) : Prop :=
  match value with
  | Text s => plain s = true
  | Array entries =>
      (depth < most)%nat /\ (fix all l := match l with [] => True | a :: rest => readable most (S depth) a /\ all rest end) entries
  | Fields fields =>
      (depth < most)%nat /\ NoDup (map fst fields) /\
      (fix all l := match l with
                    | [] => True
                    | f :: rest => plain (fst f) = true /\ readable most (S depth) (snd f) /\ all rest
                    end) fields
  end.

Section Induction.

Variable P : json -> Prop.
Hypothesis text : forall s, P (Text s).
Hypothesis entries : forall l, Forall P l -> P (Array l).
Hypothesis fields : forall l, Forall (fun f => P (snd f)) l -> P (Fields l).

Fixpoint json_parts (value : json) : P value :=
  match value with
  | Text s => text s
  | Array l =>
      entries l ((fix go l : Forall P l :=
        match l with [] => Forall_nil _ | a :: rest => Forall_cons a (json_parts a) (go rest) end) l)
  | Fields l =>
      fields l ((fix go l : Forall (fun f => P (snd f)) l :=
        match l with [] => Forall_nil _ | f :: rest => Forall_cons f (json_parts (snd f)) (go rest) end) l)
  end.

End Induction.

Section Written.

Variable most : nat.

Lemma plain_letters s stack m letters rest :
  plain s = true ->
  (forall l c, is_plain c = true -> step most stack (m l) c = Read (stack, m (c :: l))) ->
  run most stack (m letters) (s ++ rest) = run most stack (m (rev (list_ascii_of_string s) ++ letters)%list) rest.
Proof.
  revert letters. induction s as [| c s IH]; intros letters H S; [reflexivity |].
  simpl in H. apply andb_true_iff in H. destruct H as [H1 H2]. simpl. rewrite S by exact H1. rewrite IH by assumption.
  rewrite <- app_assoc. reflexivity.
Qed.

Lemma letters_back s : letters_of (rev (list_ascii_of_string s) ++ [])%list = s.
Proof. unfold letters_of. rewrite app_nil_r, rev_involutive. apply string_of_list_ascii_of_string. Qed.

Lemma plain_is_no_quote c : is_plain c = true -> Ascii.eqb c quote = false.
Proof. unfold is_plain. rewrite !andb_true_iff, !negb_true_iff. intuition. Qed.

Lemma a_text_read s stack rest :
  plain s = true -> run most stack (AtValue false) (quoted s rest) = run most stack (After (Text s)) rest.
Proof.
  intros H. unfold quoted. cbn [run]. simpl step. cbv beta iota.
  rewrite (plain_letters s stack InText []) by (try exact H; intros l c C; cbn [step];
    rewrite (plain_is_no_quote c C); unfold letter; rewrite C; reflexivity).
  cbn [run step]. cbv beta iota. rewrite letters_back. reflexivity.
Qed.

Lemma a_key_read s fields key stack first rest :
  plain s = true ->
  run most (InFields fields key :: stack) (AtKey first) (quoted s (String ":" rest)) =
  run most (InFields fields s :: stack) (AtValue false) rest.
Proof.
  intros H. unfold quoted. cbn [run]. simpl step. cbv beta iota.
  rewrite (plain_letters s (InFields fields key :: stack) InKey []) by (try exact H; intros l c C; cbn [step];
    rewrite (plain_is_no_quote c C); unfold letter; rewrite C; reflexivity).
  cbn [run step]. cbv beta iota. rewrite letters_back. reflexivity.
Qed.

Lemma distinct_keys keys : NoDup keys -> distinct keys = true.
Proof.
  intros H. unfold distinct. assert (N : NoDup (KeySort.sort keys))
    by (apply (Permutation_NoDup (KeySort.Permuted_sort keys)), H).
  induction (KeySort.sort keys) as [| a l IH]; [reflexivity |]. inversion N as [| ? ? A B]; subst.
  destruct l as [| b l]; [reflexivity |].
  change (negb (a =? b) && neighbours_differ (b :: l) = true). rewrite (IH B), andb_true_r. apply negb_true_iff, String.eqb_neq.
  intros ->. apply A. left. reflexivity.
Qed.

(** A value that may end where an entry may. *)
Lemma first_entry value rest entries stack :
  run most (InArray entries :: stack) (AtValue true) (written value rest) =
  run most (InArray entries :: stack) (AtValue false) (written value rest).
Proof. destruct value; reflexivity. Qed.

Theorem written_read value : forall stack rest,
  readable most (List.length stack) value ->
  run most stack (AtValue false) (written value rest) = run most stack (After value) rest.
Proof.
  induction value as [s | l IH | l IH] using json_parts; intros stack rest H.
  - apply a_text_read, H.
  - destruct H as [D A]. cbn [written run]. cbn [step]. simpl is_space. cbn [Ascii.eqb].
    replace (opened most stack (InArray []) (AtValue true)) with (Read (InArray [] :: stack, AtValue true))
      by (unfold opened; destruct (Nat.ltb_spec (List.length stack) most); [reflexivity | lia]).
    simpl step. cbv beta iota. unfold opened. destruct (Nat.ltb_spec (List.length stack) most) as [_ |]; [| lia].
    destruct l as [| a l].
    + reflexivity.
    + destruct A as [A1 A2]. inversion IH as [| ? ? I1 I2]; subst.
      assert (Go : forall b m es, Forall (fun v => forall stack rest, readable most (List.length stack) v ->
          run most stack (AtValue false) (written v rest) = run most stack (After v) rest) (b :: m) ->
        (fix all l := match l with [] => True | a :: rest => readable most (S (List.length stack)) a /\ all rest end) (b :: m) ->
        run most (InArray es :: stack) (AtValue false) (separated written (b :: m) (String "]" rest)) =
        run most stack (After (Array (rev es ++ b :: m))) rest).
      { intros b m. revert b. induction m as [| b' m IHm]; intros b es F R.
        - inversion F as [| ? ? F1 _]; subst. destruct R as [R1 _]. cbn [separated]. rewrite F1 by exact R1.
          cbn [run step is_space]. simpl. reflexivity.
        - inversion F as [| ? ? F1 F2]; subst. destruct R as [R1 R2].
          change (separated written (b :: b' :: m) (String "]" rest)) with
            (written b (String "," (separated written (b' :: m) (String "]" rest)))).
          rewrite F1 by exact R1. cbn [run]. simpl step. cbv beta iota. rewrite (IHm b' (b :: es) F2 R2). simpl rev.
          rewrite <- app_assoc. reflexivity. }
      rewrite <- (app_nil_l (a :: l)). change (@nil json) with (rev (@nil json)).
      rewrite <- (Go a l [] IH (conj A1 A2)). simpl app.
      destruct l as [| b l]; cbn [separated]; apply first_entry.
  - destruct H as [D [N A]]. cbn [written run]. simpl step. cbv beta iota. unfold opened.
    destruct (Nat.ltb_spec (List.length stack) most) as [_ |]; [| lia].
    destruct l as [| a l].
    + reflexivity.
    + assert (Go : forall m b fs first key, Forall (fun f => forall stack rest, readable most (List.length stack) (snd f) ->
          run most stack (AtValue false) (written (snd f) rest) = run most stack (After (snd f)) rest) (b :: m) ->
        (fix all l := match l with
                      | [] => True
                      | f :: rest => plain (fst f) = true /\ readable most (S (List.length stack)) (snd f) /\ all rest
                      end) (b :: m) ->
        NoDup (map fst (rev fs ++ b :: m)) ->
        run most (InFields fs key :: stack) (AtKey first)
          (separated (fun f rest => quoted (fst f) (String ":" (written (snd f) rest))) (b :: m) (String "}" rest)) =
        run most stack (After (Fields (rev fs ++ b :: m))) rest).
      { induction m as [| b' m IHm]; intros b fs first key F R K.
        - inversion F as [| ? ? F1 _]; subst. destruct R as [R0 [R1 _]]. cbn [separated].
          rewrite a_key_read by exact R0. rewrite F1 by exact R1. cbn [run]. simpl step. cbv beta iota. unfold closed_fields.
          rewrite distinct_keys.
          + simpl. destruct b. reflexivity.
          + apply (Permutation_NoDup (l := map fst (rev fs ++ [b]))); [| exact K].
            rewrite map_app, map_rev. simpl. rewrite <- Permutation_cons_append. apply perm_skip.
            symmetry. apply Permutation_rev.
        - inversion F as [| ? ? F1 F2]; subst. destruct R as [R0 [R1 R2]].
          change (separated (fun f rest => quoted (fst f) (String ":" (written (snd f) rest))) (b :: b' :: m)
            (String "}" rest)) with (quoted (fst b) (String ":" (written (snd b) (String ","
            (separated (fun f rest => quoted (fst f) (String ":" (written (snd f) rest))) (b' :: m) (String "}" rest)))))).
          rewrite a_key_read by exact R0. rewrite F1 by exact R1. cbn [run]. simpl step. cbv beta iota.
          rewrite (IHm b' ((fst b, snd b) :: fs) false "" F2 R2).
          + simpl rev. rewrite <- app_assoc. destruct b. reflexivity.
          + simpl rev. rewrite <- app_assoc. destruct b. exact K. }
      apply (Go l a [] true ""); assumption.
Qed.

Theorem read_written value : readable most 0 value -> read_json most (written value "") = Read value.
Proof. intros H. unfold read_json. rewrite written_read by exact H. reflexivity. Qed.

End Written.

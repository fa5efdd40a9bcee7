(** The clipped discrete Laplace family is a table.

    [laplace_table top r] lists its rows, with rational probabilities; [listed_randomizer] puts this table in the place
    of the family, and leaves every other randomizer alone. Its program is the family's, on every input
    ([laplace_table_law]), so that a statement about programs holds of one if it holds of the other
    ([for_listed_program]): for every top >= 1 and 0 < r < 1. So what is proved, or refuted, of the table is so of the
    family ([sound_if_listed]).

    Idea: the weights of both are the same numbers. Source: docs/certificates.md, "families". *)

From Coq Require Import ZArith QArith Reals List Bool Lia FunctionalExtensionality.
From Exactdp Require Import laws privacy.
From ExactdpChecker Require Import claims kinds blanket_program matrix_blanket.
From ExactdpChecker Require posed.
Import ListNotations.

Definition laplace_table (top : Z) (r : Q) : claims.table :=
  let inputs := seq 0 (S (Z.to_nat top)) in
  {| message_types := S (Z.to_nat top);
     rows := map (fun x => map (fun y => (laplace_probability (Z.to_nat top) r x y, [y])) inputs) inputs |}.

Definition is_listed (r : randomizer) : bool :=
  match r with
  | Table _ | Family (ClippedLaplace _ _) => true
  | Family _ => false
  end.

Definition listed_randomizer (r : randomizer) : randomizer :=
  match r with
  | Family (ClippedLaplace top ratio) => Table (laplace_table top ratio)
  | _ => r
  end.

Lemma each_renamed {A B} (h : A -> B) (d : dist A) : dmap h d = map (fun wa => (fst wa, h (snd wa))) d.
Proof.
  induction d as [| [w a] d IH]; [reflexivity |]. cbn [map]. rewrite <- IH. unfold dmap, bind, ret. simpl.
  rewrite Rmult_1_r. reflexivity.
Qed.

Theorem laplace_table_law top r :
  family_posed (ClippedLaplace top r) ->
  table_law (laplace_table top r) = on_inputs (top + 1) (clipped_laplace (Z.to_nat top) (Q2R r)).
Proof.
  intros [T Hr]. apply functional_extensionality. intros x. unfold table_law, laplace_table. cbn [rows].
  rewrite entry_place by discriminate. rewrite map_length, seq_length.
  unfold on_inputs. replace (Z.to_nat (top + 1) - 1)%nat with (S (Z.to_nat top) - 1)%nat by lia.
  set (input := Nat.min x (S (Z.to_nat top) - 1)). assert (L : (input < S (Z.to_nat top))%nat) by (unfold input; lia).
  set (f := fun x => map _ (seq 0 (S (Z.to_nat top)))). rewrite (nth_indep _ [] (f 0%nat)) by
    (rewrite map_length, seq_length; exact L).
  rewrite map_nth, seq_nth by exact L. unfold one_message. rewrite laplace_listed by exact Hr.
  rewrite each_renamed.
  unfold f, row_law, listed. rewrite !map_map. reflexivity.
Qed.

Theorem for_listed_program r statement :
  randomizer_posed r -> for_program (listed_randomizer r) statement <-> for_program r statement.
Proof.
  destruct r as [t | f]; [reflexivity |]. destruct f; try reflexivity. intros P. cbn [listed_randomizer for_program].
  rewrite laplace_table_law by exact P. reflexivity.
Qed.

Theorem sound_if_listed r n s nb l delta w proved :
  posed.randomizer_is_posed r = true ->
  sound (ShuffleDP (listed_randomizer r) n s nb l delta w) proved -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  intros P [[_ W] H]. apply posed.randomizer_is_posed_sound in P. split; [split; assumption |].
  cbn [holds] in *. destruct proved; rewrite for_listed_program in H by exact P; exact H.
Qed.

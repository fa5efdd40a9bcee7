(** The claim [shuffle_dp], of tables and of families: all its programs in one place.

    A blanket or a swap proves it, and a likelihood test refutes it, of tables and of the families whose messages form
    classes, and of k-ary response a closed bracket does both. Every other witness is one for a table, or for the family
    that is listed as a table. [check_shuffle_dp_sound]: what is accepted holds, or does not, for every
    randomizer, number of users, level and witness.

    Source: docs/certificates.md. *)

From Coq Require Import ZArith QArith Bool.
From ExactdpChecker Require Import claims witnesses kinds laplace_table.
From ExactdpChecker Require Import blanket_program blanket_checked swap_checked likelihood_checked mixed_others_checked
  closed_bracket_checked.
From ExactdpChecker Require Import event_checked two_message_dp_checked.
From ExactdpChecker Require Import swept_views_checked vertex_checked.
From ExactdpChecker Require posed.

(** Of two messages it is the claim two_message_dp, with its witnesses. *)
Definition check_two_messages (r : randomizer) (n : Z) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  match r, nb, w, proved, shown with
  | Table t, ReplaceOne, LeastNothing, true, ForAllDataSets ByTwoMessages p =>
      check_two_message_dp t n l delta true (Simple p)
  | Table t, ReplaceOne, LeastNothing, false, MessageEvent _ _ _ _ => check_two_message_dp t n l delta false shown
  | _, _, _, _, _ => false
  end.

Definition check_listed (r : randomizer) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  check_swept_views r n s nb l delta w proved shown || check_vertex r n s nb l delta w proved shown ||
  check_mixed_others r n nb l delta w proved shown || check_event r n nb l delta w proved shown ||
  check_swap r n nb l delta w proved shown || check_two_messages r n nb l delta w proved shown.

Definition check_shuffle_dp (r : randomizer) (n : Z) (s : scope) (nb : neighboring) (l : level) (delta : Q) (w : least)
    (proved : bool) (shown : witness) : bool :=
  check_blanket r n nb l delta w proved shown || check_family_test r n nb l delta w proved shown ||
  check_closed r n nb l delta w proved shown ||
  posed.randomizer_is_posed r && check_listed (listed_randomizer r) n s nb l delta w proved shown.

(** Whether there is a program for this form of a witness. No theorem depends on it. *)
Definition has_shuffle_dp_program (r : randomizer) (proved : bool) (shown : witness) : bool :=
  match shown with
  | ForAllDataSets ByClosedBracket _ => true
  | ForAllDataSets _ _ => proved
  | Likelihood _ _ => negb proved
  | Event _ _ | MessageEvent _ _ _ _ => is_listed r && negb proved
  | Simple _ | TwoDataSets _ _ _ | Smaller _ | Vertex _ _ _ _ _ => is_listed r
  | _ => false
  end.

Lemma check_two_messages_sound r n s nb l delta w proved shown :
  check_two_messages r n nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_two_messages. destruct r as [t |], nb, w, proved; try discriminate; destruct shown; try discriminate.
  - destruct bound; try discriminate. exact (check_two_message_dp_sound t n s l delta true (Simple p)).
  - exact (check_two_message_dp_sound t n s l delta false _).
Qed.

Lemma check_listed_sound r n s nb l delta w proved shown :
  check_listed r n s nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_listed. repeat apply sound_either.
  - apply check_swept_views_sound.
  - apply check_vertex_sound.
  - apply check_mixed_others_sound.
  - apply check_event_sound.
  - apply check_swap_sound.
  - apply check_two_messages_sound.
Qed.

Theorem check_shuffle_dp_sound r n s nb l delta w proved shown :
  check_shuffle_dp r n s nb l delta w proved shown = true -> sound (ShuffleDP r n s nb l delta w) proved.
Proof.
  unfold check_shuffle_dp. repeat apply sound_either.
  - apply check_blanket_sound.
  - apply check_family_test_sound.
  - apply check_closed_sound.
  - intros H. apply andb_true_iff in H. destruct H as [P H]. apply (sound_if_listed _ _ _ _ _ _ _ _ P).
    apply check_listed_sound in H. exact H.
Qed.

(** Users with equal rows are interchangeable, and a data set is its histogram.

    The row of an input x is what the shuffler lets through of the messages that R sends for x: the means
    of all functions of the messages that do not look at their order. Proved, for records of any type, any
    number of messages per user and any number of users:

    - data sets of which one arises from the other by permuting the users and by exchanging inputs with
      equal rows show every symmetric event with the same probability ([equal_rows], and for the
      comparison of two data sets [equal_rows_below]); inputs with the same number of users each are a
      case of it ([same_histogram]);
    - two data sets that differ only between inputs with equal rows are (E, delta)-below each other for
      every E >= 1 and delta >= 0 ([equal_rows_private]): their divergence is 0.

    Idea: users act independently, so that an orderless mean over the messages of all is an iterated mean
    over the users, and each of these may be exchanged for one over an equal row.

    The functions View.pairs, View.pair and distinct of exactdp/checker/ rest on it; what
    View.pairs has to sweep over is in moved_bystanders.v. Source: docs/certificates.md. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Exactdp Require Import reals sums laws privacy hockey_stick adding_a_user.
Import ListNotations.
Open Scope R_scope.

(** The shuffler cannot tell the two laws apart. *)
Definition same_row {M} (P Q : dist (list M)) : Prop :=
  forall f : list M -> Rdefinitions.R, orderless f -> mean P f = mean Q f.

Lemma same_row_refl {M} (P : dist (list M)) : same_row P P.
Proof. intros f _. reflexivity. Qed.

Lemma same_row_sym {M} (P Q : dist (list M)) : same_row P Q -> same_row Q P.
Proof. intros H f F. symmetry. apply H, F. Qed.

Lemma same_row_trans {M} (P Q S : dist (list M)) : same_row P Q -> same_row Q S -> same_row P S.
Proof. intros H K f F. rewrite (H f F). apply K, F. Qed.

Lemma same_row_Pr {M} (P Q : dist (list M)) T : same_row P Q -> symmetric T -> Pr P T = Pr Q T.
Proof. intros H S. apply H, orderless_indicator, S. Qed.

(** ** Data sets *)

(** Every user holds an input with the same row as the user at his place in the other data set. *)
Definition equal_users {X M} (R : X -> dist (list M)) : list X -> list X -> Prop :=
  Forall2 (fun x y => same_row (R x) (R y)).

Lemma equal_users_refl {X M} (R : X -> dist (list M)) xs : equal_users R xs xs.
Proof. induction xs; constructor; [apply same_row_refl | assumption]. Qed.

Lemma equal_users_messages {X M} (R : X -> dist (list M)) xs ys :
  equal_users R xs ys -> same_row (messages R xs) (messages R ys).
Proof.
  induction 1 as [| x y xs ys H _ IH]; intros f F; [reflexivity |].
  rewrite !mean_messages_first.
  rewrite (mean_ext (R x) _ (fun mine => mean (messages R ys) (fun others => f (mine ++ others)))).
  - apply H. intros u v P. apply mean_ext. intros others. apply F, Permutation_app_tail, P.
  - intros mine. apply IH, orderless_app, F.
Qed.

(** The users may be permuted as well. *)
Theorem equal_rows {X M} (R : X -> dist (list M)) xs us ys :
  Permutation xs us -> equal_users R us ys ->
  forall T, symmetric T -> Pr (messages R xs) T = Pr (messages R ys) T.
Proof.
  intros P H T S. apply same_row_Pr; [| exact S].
  apply same_row_trans with (messages R us); [| apply equal_users_messages, H].
  intros f F. apply messages_permutation; assumption.
Qed.

(** A data set is its histogram. *)
Lemma same_histogram {X M} (R : X -> dist (list M)) xs ys :
  (forall x, count_occ same xs x = count_occ same ys x) ->
  forall T, symmetric T -> Pr (messages R xs) T = Pr (messages R ys) T.
Proof.
  intros H. apply equal_rows with ys; [| apply equal_users_refl].
  apply (Permutation_count_occ same), H.
Qed.

Lemma equal_rows_below {X M} (R : X -> dist (list M)) xs xs' us ys ys' vs E delta :
  Permutation xs us -> equal_users R us xs' -> Permutation ys vs -> equal_users R vs ys' ->
  shuffle_below R xs' ys' E delta -> shuffle_below R xs ys E delta.
Proof.
  intros PX HX PY HY H T S.
  rewrite (equal_rows R xs us xs' PX HX T S), (equal_rows R ys vs ys' PY HY T S). apply H, S.
Qed.

Lemma equal_rows_private {X M} (R : X -> dist (list M)) xs us ys E delta :
  (forall x, proper (R x)) -> Permutation xs us -> equal_users R us ys -> 1 <= E -> 0 <= delta ->
  shuffle_below R xs ys E delta.
Proof.
  intros HR P H HE Hd T S. rewrite (equal_rows R xs us ys P H T S).
  apply below_refl; [apply proper_messages, HR | exact HE | exact Hd].
Qed.

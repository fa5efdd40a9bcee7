(** R^gap behind a shuffler with few users: the exact epsilon is infinite for n = 1, ln(5/2) for n = 2 and
    ln(125/64) for n = 3 (and ln(8/5) for n >= 4, see gap.v).

    n = 1: "exactly two ones" has probability 3/8 under input 0 and 0 under input 1.
    n = 2: input 0 and 1 against 1 and 1 have three ones of eight with probabilities that are as 5 to 2.
    n = 3: inputs 0, 1, 1 against 1, 1, 1 have six ones of twelve with probabilities as 125 to 64.
    No outcome has a larger ratio: the coefficientwise check, with one bystander and with two. Hence also
    the one bound for every n >= 2, ln(5/2); and ln(8/5) is too small for n = 3, so that n >= 4 in gap.v
    cannot be improved.

    Source: Balcer and Cheu 2020, section 4; the numbers: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws privacy integer_polynomials.
From Exactdp Require Import coefficientwise coefficientwise_check gap_local gap.
Import ListNotations.
Open Scope R_scope.

(** One user: no eps will do. *)
Theorem gap_1 : forall eps, ~ shuffle_dp 1 gap_randomizer eps 0.
Proof. intros eps. apply gap_one_user. lra. Qed.

(** The checks with one and with two bystanders. *)
Lemma gap_checked_2 : checked [false; true] gap_row 1 5 2 = true.
Proof. vm_compute. reflexivity. Qed.

Lemma gap_checked_3 : checked [false; true] gap_row 2 125 64 = true.
Proof. vm_compute. reflexivity. Qed.

(** The shuffled protocol is private for a finite eps as soon as there are two users. *)
Theorem gap_finite : forall n, (2 <= n)%nat -> shuffle_dp n gap_randomizer (ln (5 / 2)) 0.
Proof.
  intros n Hn.
  apply (checked_privacy gap_randomizer 4 80 gap_row gap_rows [false; true] 1 5 2);
    [lia | lia | exact all_inputs | exact gap_checked_2 | lia].
Qed.

Lemma gap_2 : exact_epsilon 2 gap_randomizer (ln (5 / 2)).
Proof.
  split; [apply gap_finite; lia |].
  apply (checked_attained gap_randomizer 4 80 gap_row gap_rows 5 2 [false; true] [true; true] 3);
    [lia | lia | exact (replace_one [] false true [true]) |].
  vm_compute. split; congruence.
Qed.

Lemma gap_3 : exact_epsilon 3 gap_randomizer (ln (125 / 64)).
Proof.
  split.
  - apply (checked_privacy gap_randomizer 4 80 gap_row gap_rows [false; true] 2 125 64);
      [lia | lia | exact all_inputs | exact gap_checked_3 | lia].
  - apply (checked_attained gap_randomizer 4 80 gap_row gap_rows 125 64
             [false; true; true] [true; true; true] 6);
      [lia | lia | exact (replace_one [] false true [true; true]) |].
    vm_compute. split; congruence.
Qed.

(** The exact epsilon of n = 2 and n = 3 under one name. *)
Theorem gap_small_n :
  exact_epsilon 2 gap_randomizer (ln (5 / 2)) /\ exact_epsilon 3 gap_randomizer (ln (125 / 64)).
Proof. split; [exact gap_2 | exact gap_3]. Qed.

(** Three users are not enough for ln(8/5). *)
Theorem gap_3_not_yet : ~ shuffle_dp 3 gap_randomizer (ln (8 / 5)) 0.
Proof. apply gap_3. apply ln_increasing; lra. Qed.

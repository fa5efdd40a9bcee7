(** R^gap behind a shuffler: the exact epsilon is ln(8/5) for every n >= 4.

    Each of n users sends his four bits (see gap_local.v) and the analyzer sees 4 n bits in a random
    order. Both parts are proved: the protocol is ln(8/5)-DP, with delta = 0, for every n >= 4, for all
    data sets and all events, and it is not eps-DP for any smaller eps, for every n >= 1.

    Upper bound. In units of 1/80 the number of ones of a user has the law A = (5, 20, 30, 20, 5) with
    input 0 and B = (8, 32, 0, 32, 8) with input 1. By the coefficientwise argument it is enough that
    (8 row(y) - 5 row(x)) G has no negative coefficient for both inputs x and y and the product G of the
    rows of any three bystanders. Three are needed: with two the bound is false (gap_small_n.v).

    Lower bound. If all n users have input 0, all 4 n bits are 0 with probability (1/16)^n; if one of
    them has input 1, with probability (1/10) (1/16)^(n-1). The ratio is 8/5.

    Source: Balcer and Cheu 2020, section 4; the numbers: this package. *)

From Coq Require Import Reals List ZArith Lra Lia.
From Exactdp Require Import sums laws privacy bits polynomials integer_polynomials.
From Exactdp Require Import coefficientwise coefficientwise_check gap_local.
Import ListNotations.
Open Scope R_scope.

(** The law of the number of ones of one user, times 80. *)
Definition gap_row (x : bool) : list Z := if x then [8; 32; 0; 32; 8]%Z else [5; 20; 30; 20; 5]%Z.

Lemma gap_rows : bit_rows gap_randomizer 4 80 (fun x => of_integers (gap_row x)).
Proof.
  split; [lra |]. split; [exact gap_four_bits |]. split.
  - intros x. apply nonneg_of_integers. destruct x; reflexivity.
  - intros [|] f; [rewrite gap_mean_1 | rewrite gap_mean_0]; simpl; field.
Qed.

Lemma all_inputs (x : bool) : In x [false; true].
Proof. destruct x; simpl; auto. Qed.

(** The check: both inputs of the one user, and all inputs of three bystanders. *)
Lemma gap_checked : checked [false; true] gap_row 3 8 5 = true.
Proof. vm_compute. reflexivity. Qed.

Theorem gap_private : forall n, (4 <= n)%nat -> shuffle_dp n gap_randomizer (ln (8 / 5)) 0.
Proof.
  intros n Hn.
  apply (checked_privacy gap_randomizer 4 80 gap_row gap_rows [false; true] 3 8 5);
    [lia | lia | exact all_inputs | exact gap_checked | lia].
Qed.

(** All bits 0 is possible with every data set. *)
Lemma gap_no_ones xs : 0 < coefficient (product (map (fun x => of_integers (gap_row x)) xs)) 0.
Proof.
  rewrite coefficient_product_0. induction xs as [| x xs IH]; [simpl; lra |].
  cbn [map fold_right]. apply Rmult_lt_0_compat; [| exact IH].
  rewrite coefficient_of_integers. apply IZR_lt. destruct x; reflexivity.
Qed.

Lemma gap_not_better : forall n, (1 <= n)%nat ->
  forall eps, eps < ln (8 / 5) -> ~ shuffle_dp n gap_randomizer eps 0.
Proof.
  intros n Hn. set (others := repeat false (n - 1)).
  apply (coefficientwise_attained gap_randomizer 4 80 _ gap_rows n (8 / 5)
           (true :: others) (false :: others) 0).
  - lra.
  - exact (replace_one [] true false others).
  - unfold others. simpl. rewrite repeat_length. lia.
  - apply gap_no_ones.
  - assert (P := gap_no_ones others). rewrite coefficient_product_0 in P.
    rewrite !coefficient_product_0. cbn [map fold_right]. rewrite !coefficient_of_integers. simpl nth. lra.
Qed.

(** The least eps, for every n >= 4. *)
Theorem gap_all_n : forall n, (4 <= n)%nat -> exact_epsilon n gap_randomizer (ln (8 / 5)).
Proof.
  intros n Hn. split; [apply gap_private, Hn | apply gap_not_better; lia].
Qed.

(** In particular the privacy is never perfect, however many users there are. *)
Lemma gap_not_perfect : forall n, (1 <= n)%nat -> ~ shuffle_dp n gap_randomizer 0 0.
Proof.
  intros n Hn. apply gap_not_better; [exact Hn |]. rewrite <- ln_1. apply ln_increasing; lra.
Qed.

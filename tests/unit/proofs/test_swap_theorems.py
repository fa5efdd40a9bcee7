"""The kernel's theorems on swapped messages, each on a concrete case: inside Coq, and against enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import pytest

from exactdp.proofs.privacy_blanket import BUNDLES, INNER, ZEROS, least, mean_excess
from exactdp.proofs.swap_bounds import divergence, five_tables, shared_excess, swapped, values_of
from tests.unit.proofs.changed_statements import build, compiled, needs_coq
from tests.unit.proofs.test_blanket_theorems import excess

INSTANCES = """
From Coq Require Import Reals List Lra Lia Permutation ZArith.
From Exactdp Require Import reals sums laws shuffler privacy hockey_stick independence adding_a_user mean_excess
  homogeneous uniform_subsets swapped_messages swapped_stages wave_bounds lattice_waves swap_vertices five_randomizers
  class_vertices generic_blanket hidden_message absent_users.
Import ListNotations.
Open Scope R_scope.

(* Binary response with e^eps0 = 3, and half of it as what all rows share. *)
Definition answer (b : bool) : dist (list bool) := [(3 / 4, [b]); (1 / 4, [negb b])].
Definition shared : dist (list bool) := [(1 / 4, [true]); (1 / 4, [false])].

Lemma answer_proper b : proper (answer b).
Proof. split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; lra]. Qed.

Lemma shared_below b : lies_below shared (answer b).
Proof.
  split; [intros wa [<- | [<- | []]]; simpl; lra |]. intros a. unfold mass, Pr, mean.
  assert (T := indicator_bounds (fun c : list bool => if same c a then true else false)).
  destruct b; simpl; assert (X := T [true]); assert (Y := T [false]); lra.
Qed.

Goal hockey_stick (bind (messages answer [true; true; false]) shuffler)
  (bind (messages answer [false; true; false]) shuffler) 2 <=
  in_stages_of (answer true) (answer false) shared 2 [1%nat] (map answer [true; false]).
Proof.
  apply (swap_bound_shuffled answer shared true false [true; false] 2 [1%nat]).
  - intros; apply answer_proper.
  - apply (shared_below true).
  - intros; apply shared_below.
  - simpl. lia.
Qed.

(* One fair coin with the values 1 and -1, against one wave of q = 1/2. *)
Definition fair : dist R := [(1 / 2, 1); (1 / 2, -1)].

Goal mean (draws [fair]) (fun l => Rmax 0 (sum_of_values l)) <=
  total (lattice_waves 1 (/ 2) 1) (fun w => size w * product_over [fair] (modulus w)).
Proof.
  apply (lattice_majorant 1 (/ 2) 1); [lra | lra | lia | |].
  - constructor; [split; [intros wa [<- | [<- | []]]; simpl; lra | unfold mean; simpl; lra] | constructor].
  - apply (sums_on_lattice 1 1); [| simpl; lia]. intros L [<- | []] wa [<- | [<- | []]].
    + exists 1%Z. split; [simpl; lra | lia].
    + exists (-1)%Z. split; [simpl; lra | lia].
Qed.

Goal size (lattice_wave 1 (/ 2) 1 1 0) = / 2.
Proof.
  rewrite lattice_wave_size by (lra || lia). unfold turn. simpl INR.
  replace (2 * PI * 0 / 1) with 0 by field. rewrite cos_0. field.
Qed.

(* Of any two users of any (ln 2)-DP randomizer, in no stage. *)
Goal forall (X M : Type) (R : X -> dist (list M)),
  (forall v, proper (R v)) -> local_dp R (ln 2) 0 -> shuffle_dp 2 R 0 (1 / 3).
Proof.
  intros X M R HR HD.
  assert (P : exp (ln 2) = 2) by (apply exp_ln; lra).
  apply (every_randomizer 2 R (ln 2) 1 [] (fun _ _ => True) (fun _ => [])).
  - lia.
  - rewrite <- ln_1. apply ln_increasing; lra.
  - exact HR.
  - exact HD.
  - rewrite exp_0. lra.
  - exact I.
  - intros t [].
  - intros b _. rewrite P. simpl. rewrite Rmax_right; lra.
Qed.

(* The first of the five, by two users. *)
Goal mean_excess 1 (basic_law 1 (nth 0 (basics 2) [])) = 1 / 3.
Proof.
  unfold mean_excess, copies, mean. simpl. unfold scale, third. simpl.
  rewrite Rmax_right by lra. rewrite Rmax_left by lra. field.
Qed.

(* It attains its number with a second user. *)
Goal let view := fun (u : list nat) m => count_occ same u m in
  hockey_stick (dmap view (messages (one_message (three_rows (nth 0 (basics 2) []))) [0%nat; 2%nat]))
    (dmap view (messages (one_message (three_rows (nth 0 (basics 2) []))) [1%nat; 2%nat])) 1 =
  mean_excess 2 (basic_law 1 (nth 0 (basics 2) [])).
Proof.
  intros view. apply (basic_attains 2 ltac:(lra) view 1 (nth 0 (basics 2) []) 2);
    [left; reflexivity | apply complete_view_counts | lia].
Qed.

(* One stage of two others, with the step of one's own slot. *)
Goal view_of (answer true) (answer false) 2 [answer true; answer false]
    (fun l => indicator (fun u : list (list bool) => if In_dec same [true] u then true else false) l) <=
  in_steps 1 2 (hockey_stick (answer true) (answer false) 2) (own_stops shared) (own_goes_on shared)
    (fun r => over_subsets r [answer true; answer false]
      (fun s => shared_excess (answer true) (answer false) 2 (part_of shared (/ weight shared) :: s))).
Proof.
  apply (swap_with_own_slot (answer true) (answer false) 2 shared).
  all: try (apply shared_below; exact true).
  - unfold weight, shared, mean. simpl. lra.
  - simpl. lia.
  - repeat (apply Forall_cons; [split; [apply answer_proper | apply shared_below] |]). apply Forall_nil.
  - split; [| intros; apply indicator_bounds]. intros u v S. unfold indicator.
    destruct (In_dec same [true] u) as [U | U], (In_dec same [true] v) as [V | V]; try reflexivity; exfalso.
    + apply V, (Permutation_in _ S U).
    + apply U, (Permutation_in _ (Permutation_sym S) V).
Qed.

(* Three users of two classes, and the waves of one fair coin. *)
Goal exists rows, Forall2 (fun class v => In v class) [[answer true; answer false]; [answer true]] rows /\\
  squares (answer true) (answer false) 2 (fun _ => fair) (lattice_waves 1 (/ 2) 1) 1
    (concat [[answer true; answer false]; [answer true]]) <=
  squares (answer true) (answer false) 2 (fun _ => fair) (lattice_waves 1 (/ 2) 1) 1
    (alike_classes [[answer true; answer false]; [answer true]] rows).
Proof.
  apply (class_vertices (answer true) (answer false) 2 (fun _ => fair) (lattice_waves 1 (/ 2) 1) 1 []
    [[answer true; answer false]; [answer true]]). repeat constructor; discriminate.
Qed.

(* Half of the users are away, and send a dummy that says true. *)
Goal lies_below (away (1 / 2) shared (ret [true])) (away (1 / 2) (answer false) (ret [true])).
Proof. apply away_below; [lra | apply shared_below | apply proper_ret]. Qed.
"""


@needs_coq
def test_the_theorems_apply_to_concrete_cases(tmp_path):
    built = build(
        ["amplification/class_vertices.v", "amplification/five_randomizers.v", "amplification/absent_users.v"]
    )
    assert compiled(tmp_path, INSTANCES, built) is None


@pytest.mark.parametrize("table", [ZEROS, INNER, BUNDLES], ids=["zeros", "inner", "bundles"])
@pytest.mark.parametrize("order", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_swap_bound(table, order):
    """For every pair and all two others, with c the least of the rows that these hold, and every list of ends."""
    for (x, y), others in product(permutations(range(3), 2), combinations_with_replacement(range(3), 2)):
        rows = [table[v] for v in others]
        exact = excess(dict(enumerate(table)), x, y, others, order)
        for ends in ((), (1,), (2,), (1, 2)):
            assert exact <= swapped((table[x], table[y]), order, rows, least(tuple(rows)), ends)


@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("users", [1, 2, 3])
def test_each_of_the_five_attains_its_number(ratio, users):
    for rows in five_tables(ratio):
        for order in (Fraction(1), (1 + ratio) / 2):
            law = values_of(*rows[:2], order, rows[2])
            table = dict(enumerate(rows))
            assert excess(table, 0, 1, [2] * (users - 1), order) == mean_excess(law, users)
            assert divergence(*rows[:2], order) <= max(Fraction(0), (ratio - order) / (ratio + 1))
            assert shared_excess(*rows[:2], order, [rows[2]] * users) == mean_excess(law, users)

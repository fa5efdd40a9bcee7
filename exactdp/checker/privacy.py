"""The claims shuffle_dp and never_dp, and privacy of exactly listed pairs of laws.

Trusted for: a claim is proved only if it holds for every pair, and refuted only by one where it fails.

It rests on these facts, with their theorems of the Coq kernel:

- adding a user is post-processing: adding_a_user.adding_a_user, adding_a_user.convolution_hockey_stick,
  adding_a_user.adding_users, moved_bystanders.adding_users_add_or_remove
- an event below forbids smaller e^eps: events.event_forbids_smaller, events.event_forbids_smaller_infinite
- others who hold a third symbol are worst where the bracket is closed: k_ary_worst.k_ary_worst
- a vertex outcome arises in one way: vertex.vertex_outcome, vertex.vertex_forbids_smaller,
  vertex.vertex_not_private
- means over subsets are at most powers of the mean: uniform_subsets.maclaurin,
  wave_bounds.subsets_below_waves, wave_bounds.classes_bound, class_vertices.class_vertices,
  class_vertices.classes_vertex_bound
- what Q cannot show is lost at every e^eps: events.lost, events.lost_exactly, events.never_private
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from .blanket import Lattice
from .budget import Work, malformed, rejected, size
from .densities import SPREAD_KEYS
from .divergences import Level, compare_divergence, level_keys
from .facts import A_VERTEX, ADDING, AN_EVENT, CLOSED, LOST, SUBSETS_MEAN, Facts
from .families import Family, closed_divergence
from .neighboring_laws import ClassesView, FamilyView, Shift, View, read_view
from .reading import (
    Object,
    any_object,
    read_choice,
    read_integer,
    read_integers,
    read_list,
    read_object,
    read_probability,
    show,
)
from .swap import Swap
from .two_messages import TwoMessages
from .view_tests import TESTS, named_test, read_test


class Privacy(NamedTuple):
    """Every pair of laws of the mechanism has a divergence of at most delta."""

    mechanism: View | FamilyView | ClassesView | Shift
    level: Level

    @classmethod
    def read_shuffle(cls, claim: Object, work: Work) -> Privacy:
        of = ["classes", "user_class"] if "classes" in claim else ["randomizer", "n", "scope"]
        read_object(claim, "the claim", ["kind", *of, "neighbors", *level_keys(claim)])
        level = Level.read(claim)
        what = "a family" if "randomizer" in claim else "classes of users"
        is_listed = "randomizer" in claim and "family" not in any_object(claim["randomizer"], "the randomizer")
        if level.least != "none" and not is_listed:
            malformed(f"of {what} nothing is claimed to be least: 'least' is none")
        if "classes" in claim:
            return cls(ClassesView.read(claim, work), level)
        all_n = read_choice(claim["scope"], "scope", ["this n", "all n from n"]) == "all n from n"
        view = read_view(claim, work, all_n)
        if all_n and level.least != "none" and (level.least, level.delta, view.neighbors) != LEAST_FOR_ALL_N:
            malformed("with the scope 'all n from n', 'least' is none, or exp_eps for replace-one and delta 0")
        return cls(view, level)

    @property
    def words(self) -> str:
        return f"{self.mechanism.words}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        if (name := next((name for name in BOUNDS if name in witness), None)) is not None:
            return self.prove_for_all(name, witness, work)
        view = self.mechanism if isinstance(self.mechanism, View) and self.mechanism.all_n else None
        attained: Sequence[str] = ()
        if self.level.has_smaller:
            attained = VERTEX_KEYS if view else self.mechanism.keys
        read_object(witness, "the witness", [*self.level.terms_keys, *attained])
        ratio = self.level.below(witness, work)
        facts = self.bound_all(self.level, ratio, work) + ([ADDING] if view else []) + self.level.facts
        if attained and view:
            check_vertex(view, ratio, witness, work)
            facts.append(A_VERTEX)
        elif attained:
            facts += self.check_attained(witness, ratio, work)
        return facts

    def prove_for_all(self, name: str, witness: Object, work: Work) -> Facts:
        """Over all data sets at once: every ordered pair of inputs has a bound of at most delta."""
        read_object(witness, "the witness", [*self.level.terms_keys, name])
        view = self.of_users(BOUNDS[name])
        ratio, delta = self.level.below(witness, work), self.level.delta
        if name == "two_messages":
            read_object(witness[name], "the two messages", [])
            return self.of_two_messages().prove(self.terms(witness), work)
        said = witness[name]
        if isinstance(view, FamilyView):
            view, said = view.with_cells(said, SPREAD_KEYS if name == "swap" else SPREAD_KEYS[:1])
        if name == "swap":
            swap = Swap.read(said, isinstance(view, ClassesView))
            facts = swap.check(view.around(swap.used, work), ratio, delta, work)
            if isinstance(view, ClassesView) and swap.used != [(own,) for own in view.differing]:
                facts.append(SUBSETS_MEAN)
        elif isinstance(view, ClassesView):
            malformed("privacy of classes of users is proved by a swap")
        elif name == "closed_bracket":
            if self.closed(witness, ratio, work) > delta:
                rejected(f"the divergence exceeds delta = {show(delta)}")
            facts = [CLOSED]
        else:
            facts = Lattice.read(said).check(view.blankets(work), view.n, ratio, delta, work)
        return [*view.witness_facts, *facts, *([ADDING] if view.all_n else []), *self.level.facts]

    def of_users(self, what: str) -> View | FamilyView | ClassesView:
        """The view, if all data sets may be bounded, or tested, at once."""
        if isinstance(self.mechanism, Shift) or self.mechanism.neighbors != "replace-one" or self.level.least != "none":
            malformed(f"{what} is a witness for replace-one and with 'least' none")
        return self.mechanism

    def closed(self, witness: Object, ratio: Fraction, work: Work) -> Fraction:
        """The divergence of the worst data sets of k-ary response, where these are known."""
        read_object(witness["closed_bracket"], "the closed bracket", [])
        if not (isinstance(self.mechanism, FamilyView) and isinstance(self.mechanism.family, Family)):
            malformed("a closed bracket is one of k-ary response")
        return closed_divergence(self.mechanism.family, self.mechanism.n, ratio, work)

    def of_two_messages(self) -> TwoMessages:
        if not isinstance(self.mechanism, View):
            malformed("two messages are those of a table")
        return TwoMessages.of(self.mechanism.randomizer, self.mechanism.n, self.mechanism.all_n, self.level)

    def terms(self, witness: Object) -> Object:
        return {key: witness[key] for key in self.level.terms_keys}

    def bound_all(self, level: Level, ratio: Fraction, work: Work) -> Facts:
        for pairs, total, words in self.mechanism.pairs(ratio, work):
            if compare_divergence(pairs, total, ratio, level.delta)[0] > 0:
                rejected(f"the divergence exceeds delta = {show(level.delta)}: {' '.join(map(str, words))}")
        return list(self.mechanism.bound_facts)

    def check_attained(self, witness: Object, ratio: Fraction, work: Work) -> Facts:
        """This pair has divergence delta exactly; for the least e^eps, *an event below* it as well."""
        pairs, total = self.mechanism.pair(witness, ratio, work)
        sign, at_least = compare_divergence(pairs, total, ratio, self.level.delta)
        if sign != 0:
            rejected("the divergence of the witness is not delta")
        if self.level.least == "exp_eps" and at_least == 0:
            rejected("Q(P >= E Q) = 0 for the witness, so a smaller e^eps may do")
        return [AN_EVENT] if self.level.least == "exp_eps" else []

    def refute(self, witness: Object, work: Work) -> Facts:
        """One divergence above delta; or, where a parameter is claimed to be least, a smaller one that will do."""
        if "smaller" in witness:
            read_object(witness, "the witness", ["smaller"])
            level = self.level.smaller(witness)
            return self.bound_all(level, level.below(witness, work), work)
        if not set(TESTS).isdisjoint(witness):
            return self.refute_by_test(witness, work)
        read_object(witness, "the witness", [*self.mechanism.keys, *self.level.terms_keys])
        ratio = self.level.above(witness, work)
        pairs, total = self.mechanism.pair(witness, ratio, work)
        if compare_divergence(pairs, total, ratio, self.level.delta)[0] <= 0:
            rejected("the divergence of the witness is not above delta")
        return [*self.mechanism.witness_facts, *self.level.facts]

    def refute_by_test(self, witness: Object, work: Work) -> Facts:
        """A test of the view that tells two neighbouring data sets apart by more than delta."""
        name = named_test(witness)
        read_object(witness, "the witness", [name, *self.level.terms_keys])
        view = self.of_users("a test of the view")
        if name == "two_messages":
            fields = read_object(witness[name], "the two messages", ["message", "holders", "above"])
            return self.of_two_messages().refute({**fields, **self.terms(witness)}, work)
        ratio = self.level.above(witness, work)
        if name == "closed_bracket":
            if self.closed(witness, ratio, work) <= self.level.delta:
                rejected("the divergence of the witness is not above delta")
            return [*view.witness_facts, CLOSED, *self.level.facts]
        laws, facts, threshold = read_test(witness, view, work)
        if laws.divergence(threshold, ratio, work) <= self.level.delta:
            rejected(f"the divergence of the witness is not shown to be above delta = {show(self.level.delta)}")
        return [*facts, *self.level.facts]


BOUNDS = {
    "blanket": "a blanket",
    "swap": "a swap",
    "two_messages": "the worst of all counts",
    "closed_bracket": "a closed bracket",
}
"""The keys of a witness, one of which bounds every data set, with what it is."""
LEAST_FOR_ALL_N = ("exp_eps", Fraction(0), "replace-one")
"""What alone is known to be least at every number of users: by a vertex outcome."""
VERTEX_KEYS = ("differing", "bystander", "outcome", "functional")
"""The keys of the witness of such an outcome."""


def check_vertex(view: View, exp_eps: Fraction, witness: Object, work: Work) -> None:
    """*A vertex outcome arises in one way*, at every number of users: its ratio is always exp_eps."""
    rows = view.randomizer.rows
    ends = [*read_list(witness["differing"], "differing", 2, 2), witness["bystander"]]
    at_x, at_y, at_z = (rows[read_integer(end, "a user of the witness", 0, len(rows) - 1)] for end in ends)
    outcome = read_integers(witness["outcome"], "outcome", view.randomizer.messages)
    functional = read_integers(witness["functional"], "functional", view.randomizer.messages)
    longest = max([view.randomizer.denominator.bit_length(), *(entry.bit_length() for entry in functional)])
    work.spend(len(functional) * (2 + len(at_x) + len(at_y) + len(at_z)), longest, size(exp_eps))
    if outcome not in at_y or outcome not in at_z or at_x.get(outcome, 0) != exp_eps * at_y[outcome]:
        rejected("the outcome of the witness does not have the ratio exp_eps, or the bystander does not show it")
    top = sum(w * v for w, v in zip(functional, outcome))
    for other in {*at_x, *at_y, *at_z} - {outcome}:
        if sum(w * u for w, u in zip(functional, other)) >= top:
            rejected("the outcome of the witness is not the only one where the functional is largest")


class NeverDP(NamedTuple):
    """For no finite eps and no delta < delta_below is the protocol (eps, delta)-DP."""

    view: View
    delta_below: Fraction

    @classmethod
    def read(cls, claim: Object, work: Work) -> NeverDP:
        read_object(claim, "the claim", ["kind", "randomizer", "n", "neighbors", "delta_below"])
        return cls(View.read(claim, work), read_probability(claim["delta_below"], "delta_below"))

    @property
    def words(self) -> str:
        return f"{self.view.words}: not (eps, delta)-DP for any finite eps and any delta < {show(self.delta_below)}"

    def prove(self, witness: Object, work: Work) -> Facts:
        """*What Q cannot show is lost*: this pair has P(Q = 0) >= delta_below."""
        read_object(witness, "the witness", self.view.keys)
        pairs, total = self.view.pair(witness, None, work)
        if compare_divergence(pairs, total, None, self.delta_below)[0] < 0:
            rejected("P(Q = 0) is below delta_below for the witness")
        return [*self.view.witness_facts, LOST]

    def refute(self, witness: Object, work: Work) -> Facts:
        """Every pair has P(Q = 0) < delta_below, which is its divergence at all large e^eps."""
        read_object(witness, "the witness", [])
        for pairs, total, words in self.view.pairs(None, work):
            if compare_divergence(pairs, total, None, self.delta_below)[0] >= 0:
                rejected(f"P(Q = 0) is not below delta_below: {' '.join(map(str, words))}")
        return [*self.view.bound_facts, LOST]

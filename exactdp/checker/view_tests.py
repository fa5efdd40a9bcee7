"""Witnesses that name a test of the view, whose probabilities on two neighbouring data sets bound a divergence.

Trusted for: the two data sets are neighbours, of the users and of the randomizer that the claim speaks of.

It rests on these facts, with their theorems of the Coq kernel:

- random other users are a mixture of data sets: random_others.random_others_mixture,
  random_others.random_others_test
- sums of scores in random order are a test: score_event.random_order_test, score_event.tree_in_random_order
- a sum of scores is an event: score_event.score_law, score_event.score_event
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from .budget import Work, malformed
from .densities import SPREAD_KEYS, Laplace
from .facts import IN_ORDER, RANDOM_OTHERS, SCORES, Facts
from .families import Family
from .finite_laws import Randomizer
from .likelihood import Likelihood
from .limits import MAX_FACTORS, MAX_FAMILY_INPUTS, MAX_LIST, MAX_SCORE_BITS, MAX_SUM_BITS, MIN_PRECISION
from .neighboring_laws import ClassesView, FamilyView, View
from .pair_classes import Class, Columns
from .reading import (
    Object,
    as_weights,
    common_denominator,
    read_integer,
    read_list,
    read_object,
    read_rational,
    read_text,
)
from .scores import BoundedLaws, ScoredEvent
from .user_pairs import Composite

LIKELIHOOD_KEYS = ["others", "bits", "length", "at", "step", "cut"]
END_KEYS = ["first", "second"]
EVENT_KEYS = [*END_KEYS, "others", "scores", "bits"]


PAIR_TESTS = ("likelihood", "event")
"""The keys of a witness, one of which gives a test, and so a pair of a run."""
TESTS = (*PAIR_TESTS, "two_messages", "closed_bracket")
"""And those of a test of two messages, and of a closed bracket, which are of one claim."""


def named_test(witness: Object) -> str:
    """Which test a witness has."""
    return next(name for name in TESTS if name in witness)


def read_test(witness: Object, view: View | FamilyView | ClassesView, work: Work) -> tuple[BoundedLaws, Facts, int]:
    """What the test of a witness says of two data sets; what it rests on; and its threshold."""
    fields, view = read_fields(witness, view, ["threshold"])
    threshold = read_integer(fields["threshold"], "threshold")
    if threshold.bit_length() > MAX_SCORE_BITS:
        malformed(f"a threshold of more than {MAX_SCORE_BITS} bits")
    return (*laws_of_test(fields, view, work), threshold)


def read_pair(pair: Object, view: View | FamilyView, work: Work) -> tuple[BoundedLaws, Facts]:
    """The same without a threshold: what is known of every value of the test."""
    return laws_of_test(*read_fields(pair, view, []), work)


def read_fields(
    witness: Object, view: View | FamilyView | ClassesView, more: list[str]
) -> tuple[Object, View | FamilyView | ClassesView]:
    """The fields of the test, but for the cells of real messages, which the view has then."""
    name = named_test(witness)
    said = witness[name]
    keys = EVENT_KEYS if name == "event" else [*LIKELIHOOD_KEYS, *END_KEYS]
    if isinstance(view, ClassesView):
        if name != "event":
            malformed("privacy of classes of users is refuted by an event")
        keys = [*EVENT_KEYS, "user_class", *(["cuts"] if view.has_families else [])]
    if isinstance(view, FamilyView):
        if name == "event":
            malformed("an event needs a table")
        keys = [*LIKELIHOOD_KEYS, *(["pair"] if isinstance(view.family, Composite) else [])]
        view, said = view.with_cells(said, SPREAD_KEYS[:1])
    return read_object(said, f"the {name}", [*keys, *more]), view


def laws_of_test(fields: Object, view: View | FamilyView | ClassesView, work: Work) -> tuple[BoundedLaws, Facts]:
    """The laws of the test on both data sets."""
    if isinstance(view, ClassesView):
        own, every = read_integer(fields["user_class"], "user_class", 0, MAX_FACTORS), range(len(view.classes))
        if own not in view.differing:
            malformed(f"the claim is not about a user of class {own}")
        bits = read_integer(fields["bits"], "bits", MIN_PRECISION, MAX_SUM_BITS)
        cuts = [
            read_integer(cut, "a cut", 1, MAX_FAMILY_INPUTS)
            for cut in read_list(fields.get("cuts", []), "cuts", 0, MAX_FACTORS)
        ]
        if cuts != sorted(set(cuts)):
            malformed("the cuts do not rise")
        tables = view.tested(tuple(cuts), bits, work)
        others = read_list(fields["others"], "others", len(tables), len(tables))
        laws = event_laws(fields, tables[own], others, tables, view.users(own, every), work)
        return laws, [*view.witness_facts, SCORES]
    if "scores" in fields and isinstance(view, View):
        table = view.randomizer
        laws = event_laws(fields, table, [fields["others"]], [table], [view.n - 1], work)
        return laws, [*view.witness_facts, SCORES]
    likelihood, random, are_exact = Likelihood.read(fields), list[str](), True
    if isinstance(view, FamilyView):
        classes = classes_of_family(fields, view.family, work)
        are_exact = not isinstance(view.family, Composite) or view.family.list_less is None
    else:
        classes, random = classes_of_table(fields, view.randomizer, work), [RANDOM_OTHERS]
    return likelihood.laws(classes, view.n, work, are_exact), [*view.witness_facts, *random, IN_ORDER]


def event_laws(
    fields: Object,
    own: Randomizer,
    others: Sequence[object],
    tables: Sequence[Randomizer],
    users: Sequence[int],
    work: Work,
) -> BoundedLaws:
    """Of a sum of scores, beside so many other users of each table."""
    return ScoredEvent.read(fields, own, others, tables).laws(own, tables, users, work)


def classes_of_family(fields: Object, family: Family | Composite | Laplace, work: Work) -> list[Class]:
    """Of a pair of inputs, against the row that all others have."""
    if not isinstance(family, Composite):
        held = read_text(fields["others"], "others")
        return family.binned(held, work) if isinstance(family, Laplace) else family.others(held)
    if family.has_bundles:
        refuse_bundles()
    pair, others = (read_integer(fields[key], key, 0, MAX_LIST) for key in ("pair", "others"))
    return family.beside(pair, others, work)


def refuse_bundles() -> NoReturn:
    malformed("a likelihood test needs users who send at most one message each")


def classes_of_table(fields: Object, randomizer: Randomizer, work: Work) -> list[Class]:
    """Of the two inputs of a witness, against the row of a user whose input is random with its weights."""
    inputs = len(randomizer.rows)
    first, second = (read_integer(fields[key], key, 0, inputs - 1) for key in ("first", "second"))
    weights = [
        read_rational(weight, "a weight of others", 0)
        for weight in read_list(fields["others"], "others", inputs, inputs)
    ]
    as_weights(weights, common_denominator(weights, "others", work), "others")
    work.spend(sum(map(len, randomizer.rows)), 64 * randomizer.messages)
    if any(sum(outcome) > 1 for row in randomizer.rows for outcome in row):
        refuse_bundles()
    return Columns.of(randomizer, work).weighted(first, second, weights, work)

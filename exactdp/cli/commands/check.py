"""``check``: is this randomizer valid, and what can be asked of it. The JSON is described in docs/json.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.options import (
    answer_options,
    limit_option,
    neighbors_option,
    option_of,
    options,
    target_arguments,
    typed_classes,
    typed_target,
)
from exactdp.cli.output import HONEST_USERS, Fact, Report, answer, columns, count, printable
from exactdp.cli.progress_bars import working
from exactdp.cli.subjects import UsersOfClasses, noise_facts, questions
from exactdp.cli.values import BITS, USERS, or_limit, refuse
from exactdp.errors import TooLargeError
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw


@click.command("check")
@options(target_arguments)
@option_of(USERS, "N", "-n", "--users", help="Number of users to size up; default 100.")
@options(neighbors_option, limit_option, answer_options)
def check_command(users: int | None, neighbors: xdp.Neighbors | None, limit: int | None, **named: str | None) -> Report:
    """Say whether a randomizer is valid, and which questions it can be asked, at which cost, up to which n.

    Of a randomizer: its inputs, messages and local epsilon, and a table with a line for each question: the engine that
    answers, its work at n users, and the largest n. Of a noise law: its support, mean and variance, whether it is
    log-concave, and whether answers can be exact.
    """
    if (classes := typed_classes(named)) is not None:
        return _classes_report(classes, {"users": users, "neighbors": neighbors, "limit": limit, "user_class": None})
    target = typed_target(named)
    if isinstance(target, NoiseLaw):
        refuse(target, {"-n": users, "--neighbors": neighbors, "--limit": limit})
        return _noise_report(target)
    return _protocol_report(target, users or 100, neighbors or xdp.Neighbors.REPLACE_ONE, or_limit(limit))


def _noise_report(noise: NoiseLaw) -> Report:
    """Report on a noise law."""
    law = noise.law
    with working(f"checking {noise.title}"):
        (named, parameters, support, *further), engine = noise_facts(noise), xdp.shift_profile(law).engine
    reach = "rational, so answers are exact up to a length" if law.is_exact else "enclosed, to any accuracy"
    if law.is_rational and not law.is_exact:
        reach = "rational but too long to be built: enclosed, to any accuracy"
    ends = " ".join(end or "none" for end in support.data.values())
    return answer(
        Fact("valid", True, cells={}),
        named.said("law", f"{noise.title} is valid"),
        parameters,
        Fact(cells={"valid": True}),
        replace(support, cells={"support": ends}),
        *(replace(fact, cells=None) for fact in further),
        Fact("exact", law.is_exact, "probabilities", reach),
        Fact("engine", engine, "engine", engine),
    )


def _classes_report(target: ClassesTarget, typed: dict[str, Any]) -> Report:
    """Report on classes of users: what each runs, with its local epsilon."""
    users = UsersOfClasses.of(target, typed)
    each = [_local(randomizer) for randomizer, _ in target.protocol.randomizer]
    listed: Any = next(fact.data for fact in users.facts if fact.name == "classes")
    rows = [
        [str(place), title, eps_text(eps)] for place, (title, eps) in enumerate(zip(target.titles, each, strict=True))
    ]
    inputs = list(map(str, target.protocol.records)) if len(target.protocol.records) <= _MOST_LISTED else None
    return answer(
        Fact("randomizer", target.name, "randomizer", f"{printable(target.name)} is valid"),
        Fact("valid", True),
        Fact("inputs", inputs, "inputs", _listed(inputs, target.protocol.records[:3])),
        *(fact for fact in users.facts if fact.name in ("n", "n_counts")),
        Fact(
            "classes",
            [{**one, "local_epsilon": eps_json(eps)} for one, eps in zip(listed, each, strict=True)],
            cells={"classes": [f"{title}, local eps {eps}" for _, title, eps in rows]},
        ),
        Fact("neighbors", users.neighbors.value, "neighbours", f"{users.neighbors.value}, who stays in his class"),
        Fact("engine", users.profile.engine, "engine", users.profile.engine),
        notes=["", *columns([("class", "users", "local epsilon"), *rows]), "", users.note],
    )


def _protocol_report(target: ProtocolTarget, n: int, relation: xdp.Neighbors, most: int) -> Report:
    """Report on a protocol of n users: its table, where it has one, and what it can be asked."""
    with working(f"checking {printable(target.name)}"):
        table = _table_data(target)
        asked = questions(target, n, relation, most)
    first, inputs, messages, sent = asked[0], table["inputs"], table["messages"], table["messages_per_user"]
    family = target.family
    some = family.inputs[:3] if family else range(3)
    listed = family.input_space if family and not some else _listed(inputs, some)
    heads = ("question", "engine", f"cost at n = {n}", "largest n")
    rows = [(", ".join(reach.commands), reach.engine, reach.cost_line, reach.largest_line) for reach in asked]
    return answer(
        Fact("randomizer", target.name, "randomizer", f"{printable(target.name)} is valid"),
        Fact("valid", True),
        Fact("inputs", inputs, "inputs", listed),
        Fact("messages", messages, "messages", _messages_line(target, messages)),
        Fact("messages_per_user", sent, "messages per user", sent),
        _eps("local_epsilon", table, "local epsilon", "there is no table"),
        _eps("preshuffle_local_epsilon", table, "after a pre-shuffle", "no table, or too many orderings"),
        Fact("n", count(n)),
        Fact("neighbors", relation.value, "neighbours", f"{relation.value}, limit = {most}"),
        Fact("engine", first.engine),
        Fact("pairs", count(first.pairs)),
        Fact("outcomes", count(first.outcomes)),
        Fact("within_limit", first.within),
        Fact("limit", count(most)),
        Fact("largest_n", count(first.largest)),
        after=[Fact("questions", [reach.data for reach in asked])],
        notes=["", *columns([heads, *rows]), "", HONEST_USERS],
    )


def _eps(name: str, table: dict[str, Any], label: str, otherwise: str) -> Fact:
    eps = table[name]
    text = f"not computed: {otherwise}" if eps is None else eps_text(eps)
    return Fact(name, None if eps is None else eps_json(eps), label, text)


_MOST_LISTED: Final = 1000
"""Most bins that are named one by one."""
_EPSILONS: Final = ("local_epsilon", "preshuffle_local_epsilon")
"""Fields of the table that are an eps, and no text."""


def _table_data(target: ProtocolTarget) -> dict[str, Any]:
    """Return what is known of the table of one user; null if there is none."""
    randomizer = target.randomizer()
    if randomizer is None and target.family is not None:
        return _family_data(target.family)
    one: Any = target.build(1)
    if one.is_noisy_count and randomizer is None:
        names = {"inputs": _numbered(max(one.shift + 1, one.bins)), "messages": _numbered(one.bins)}
        return {**names, "messages_per_user": "any", **dict.fromkeys(_EPSILONS)}
    if not one.is_shuffled_randomizer and randomizer is None:
        names = {"inputs": list(map(str, one.records)), "messages": list(map(str, one.alphabet))}
        most = one.communication().most
        return {**names, "messages_per_user": "any" if most is None else f"0 to {most}", **dict.fromkeys(_EPSILONS)}
    assert randomizer is not None  # a shuffled randomizer whose table is refused is that of a family
    lengths = [len(send) for row in randomizer.rows for send, _ in row]
    return {
        "inputs": list(map(str, randomizer.inputs)),
        "messages": list(map(str, randomizer.alphabet)),
        "messages_per_user": f"{min(lengths)} to {max(lengths)}" if min(lengths) < max(lengths) else str(lengths[0]),
        "local_epsilon": randomizer.local_epsilon(),
        "preshuffle_local_epsilon": _preshuffled(randomizer),
    }


def _family_data(family: FamilyRandomizer) -> dict[str, Any]:
    """Return what is known of a family that has no table: each user sends one of too many messages to list."""
    return {
        "inputs": list(map(str, family.inputs)) if len(family.inputs) <= _MOST_LISTED else None,
        "messages": None,
        "messages_per_user": str(family.messages_per_user),
        **dict.fromkeys(_EPSILONS, _local(family)),
    }


def _local(randomizer: UserRandomizer) -> xdp.LogRational | xdp.Interval:
    """Return a local eps that can be shown."""
    eps = randomizer.local_epsilon()
    return eps if isinstance(eps, xdp.LogRational) else enclose_real(eps, relative_bits=BITS)


def _messages_line(target: ProtocolTarget, labels: list[str] | None) -> str:
    if labels is None and target.family is not None:
        return target.family.message_space[0]
    return _listed(labels)


def _numbered(many: int) -> list[str] | None:
    """Return the labels 0, 1, ...; None for more than are worth listing."""
    return list(map(str, range(many))) if many <= _MOST_LISTED else None


def _preshuffled(randomizer: xdp.Randomizer) -> xdp.LogRational | None:
    try:
        return randomizer.preshuffle().local_epsilon()
    except TooLargeError:
        return None


def _listed(labels: list[str] | None, first: Iterable[object] = range(3)) -> str:
    """Return labels for reading; of more than are listed the first ones."""
    if labels is None:
        return f"more than {_MOST_LISTED}: {', '.join(map(str, first))}, ..."
    shown = ", ".join(map(printable, labels[:12])) + (", ..." if len(labels) > 12 else "")
    return f"{len(labels)}: {shown}" if labels else "none"

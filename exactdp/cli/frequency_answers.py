"""``accuracy`` of a randomizer: how much estimated numbers of holders of its inputs err, and what estimates them."""

from __future__ import annotations

import os
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli.options import named_target
from exactdp.cli.output import HONEST_USERS, Fact, Report, answer, exact_fact, number_fact, printable, users_facts
from exactdp.mechanisms.documents import NAME as STANDARD_INPUT
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text, number_text
from exactdp.protocols.accuracy.frequency_errors import (
    estimates_of,
    frequency_error,
    questions,
    users_needed,
    worst_variance,
)
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.targets import ProtocolTarget, given_by_name, known
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.saving import root

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from exactdp.mechanisms.family import UserRandomizer

_MOST_WEIGHTS: Final = 1000
"""Most weights of messages that are listed."""


def is_file(text: str) -> bool:
    """Whether a text is read as a file: one that is there, or standard input."""
    return not text.startswith("@") and (text == STANDARD_INPUT or os.path.lexists(text))


def is_by_name(text: str, by_options: Container[str]) -> bool:
    """Whether a protocol takes its parameters by its name alone: all randomizers, but randomized response of bits."""
    named = f"@{text.removeprefix('@')}"
    entry, _ = known(name_of(named))
    if (entry.calibrated_as or entry.name) not in by_options:
        return True
    return bool(entry.randomizer) and bool({"inputs", "exp-eps0", "eps0"} & {*given_by_name(named)})


def named_protocol(text: str) -> tuple[str, str, Callable[[int], Any]]:
    """Return the name of a protocol with rational parameters, the unit of its estimate, and what makes it for n users.

    A family is kept where its table is small.
    """
    is_read = is_file(text)
    target = named_target(text if is_read else f"@{text.removeprefix('@')}")
    assert isinstance(target, ProtocolTarget)  # the registry has no error of a noise law
    target = target.in_fractions()
    family = target.family
    unit = "holders" if is_read else known(name_of(f"@{text.removeprefix('@')}"))[0].unit
    return target.name, unit, target.build if family is None else partial(ShuffleProtocol, family)


def frequency_answer(
    name: str, randomizer: UserRandomizer, n: int | None, error: Fraction | None, beta: Fraction, simultaneous: bool
) -> Report:
    """Return the answer for so many users, or for as many as are needed for an error.

    Args:
        name: of the randomizer with its parameters, or of its file.
        randomizer: what each user runs.
        n: number of users; None where the error is given.
        error: a share of the users.
        beta: probability of a larger error.
        simultaneous: whether the largest error of all inputs is asked.
    """
    parts, subject = questions(randomizer), list[Fact]()
    short_name = "" if is_file(name) else name_of(name)
    is_product = len(parts) > 1
    if is_product and short_name:
        of = given_by_name(name)["of"]
        subject = [Fact("of", of, "of", of)]
    else:
        subject = [Fact("randomizer", name)]
    if n is None:
        share = as_fraction(error, name="error")
        n = users_needed(randomizer, error=share, beta=beta, simultaneous=simultaneous)
        words = f"{n}, so that the error is at most {number_text(share)} of them; every larger number is enough too"
        subject.append(Fact("error", exact_text(share), "users needed", words))
    alpha, theorem = frequency_error(randomizer, n, beta, simultaneous=simultaneous)
    variance = worst_variance(randomizer, n)
    level = "exact" if isinstance(alpha, Fraction) else "enclosure"
    reason = theorem if level == "exact" else f"two proved ends, the upper one by {theorem}"
    one = "an input of the worst question" if is_product else "an input"
    shown = printable(short_name if is_product and short_name else name)
    return answer(
        Fact("protocol" if short_name else "", short_name, "protocol", f"{shown}, n = {n}"),
        *users_facts(n),
        Fact("bins"),
        *subject,
        exact_fact("beta", beta),
        Fact("simultaneous", simultaneous),
        Fact("unit", "holders"),
        number_fact("variance", variance, ""),
        number_fact("standard_deviation", root(variance), "standard deviation"),
        number_fact(
            "alpha", alpha, text=f"{number_text(alpha)}, holders of {'all inputs together' if simultaneous else one}"
        ),
        Fact("published"),
        Fact("factor"),
        Fact("level", level, "evidence", f"{level}: {reason}"),
        Fact("reason", reason),
        rows=_questions(parts, n, beta) if is_product else _weights(randomizer),
        notes=[HONEST_USERS],
    )


def _questions(parts: Sequence[UserRandomizer], n: int, beta: Fraction) -> list[tuple[Fact, ...]]:
    return [
        (
            Fact("question", number, "question", str(number)),
            number_fact("standard_deviation", root(worst_variance(part, n)), "standard deviation"),
            number_fact("alpha", frequency_error(part, n, beta).alpha),
        )
        for number, part in enumerate(parts, start=1)
    ]


def _weights(randomizer: Any) -> list[tuple[Fact, ...]]:
    listed = [
        (one.value, message, weight)
        for one in estimates_of(randomizer)
        for message, weight in (*one.weights, ("each user", one.offset))
        if weight
    ]
    return [
        (
            Fact("input", value, "input", printable(value)),
            Fact("message", message, "message", printable(message)),
            Fact("weight", exact_text(weight), "counts for", number_text(weight)),
        )
        for value, message, weight in listed[:_MOST_WEIGHTS]
    ]

"""``delta``, ``epsilon``, ``curve`` and ``law``: questions with an exact or enclosed answer.

JSON of ``delta`` (all numbers are strings; see :mod:`exactdp.cli.numerals`)::

    {"randomizer": "gap.toml", "n": "3", "n_counts": "users who follow the protocol", "neighbors": "replace-one",
     "engine": "pairwise scan", "exp_eps": "3/2",         or "eps": "1", or "eps": "ln(2)"
     "delta": {"exact": "87/2000", "lo": "0.0435", "hi": "0.0435"},
     "worst_pair": {"first": {"0": "1", "1": "2"}, "second": {"1": "3"}, "exp_eps": "3/2"},
     "level": "certificate"}

``exact`` is null where only an enclosure is known: for a rational eps other than 0. ``worst_pair`` is null where no
pair is worse than another: delta is 0, or eps is 0. Its ``exp_eps`` is where the pair was found: for a rational eps a
fraction just below e^eps, and in the answer of ``epsilon`` one at or just below the answer. ``level`` is "certificate"
where the standard-library checker has confirmed the number, and "enclosure" where it was not asked (too large for it)
or the answer is an interval.

``epsilon`` has "delta": "1/100" and "epsilon": {"exact": "ln(3/2)", "exp_eps": "3/2", "lo", "hi"} instead (0 and
infinity are "0" and "infinity"); ``curve`` a list "points" of {"exp_eps" or "eps", "delta", "worst_pair", "level"};
``law`` {"randomizer", "n", "n_counts", "dataset", "messages", "law": [{"counts": ["1", "2"], "prob": {...}}, ...],
"level"}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import click

from exactdp.cli import arguments
from exactdp.cli.arguments import Order, Target
from exactdp.cli.failures import HOLDS
from exactdp.cli.numerals import eps_json, eps_text, exact_text, number_json, number_text
from exactdp.cli.output import HONEST_USERS, Report, columns, deliver, printable
from exactdp.cli.progress import working
from exactdp.cli.question import CONFIRM_BUDGET, EVIDENCE, Answer, Question, pair_text
from exactdp.errors import InvalidDataSetError, InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_fraction, as_integer, as_probability, short

if TYPE_CHECKING:
    from exactdp.laws.finite import Law

__all__ = ["curve_command", "delta_command", "epsilon_command", "law_command"]

_MAX_BITS: Final = 10_000
_MAX_POINTS: Final = 10_000


@click.command("delta")
@arguments.randomized
@arguments.populated
@arguments.leveled
@click.option("--relative-bits", metavar="BITS", help="Relative accuracy of an enclosure, 2^-BITS; default 53.")
@arguments.neighboring
@arguments.limited
@arguments.delivered
def delta_command(
    target: Target,
    users: str,
    eps: str | None,
    exp_eps: str | None,
    relative_bits: str | None,
    neighbors: str,
    limit: str | None,
    form: str,
    output: str | None,
) -> int:
    """The least delta at an eps, over all neighbouring data sets and both orders.

    With --exp-eps the answer is an exact fraction; with --eps it is an interval that contains the truth.
    """
    order = Order.read(eps, exp_eps)
    bits = None if relative_bits is None else _bounded(relative_bits, "relative_bits", _MAX_BITS)
    question = Question.read(target, users, neighbors, limit)
    with working(question.work):
        answer = Answer.of(question, order, bits, budget=CONFIRM_BUDGET)
    lines = [
        ("privacy", order.text),
        ("delta", number_text(answer.delta)),
        ("worst pair", pair_text(answer.pair)),
        ("evidence", EVIDENCE[answer.level]),
    ]
    cells = {**question.cells, **answer.cells}
    report = Report(
        lambda: question.lines(lines),
        lambda: {**question.data, **answer.data(bits)},
        lambda: [list(cells), list(cells.values())],
    )
    deliver(report, form=form, output=output)
    return HOLDS


@click.command("epsilon")
@arguments.randomized
@arguments.populated
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@arguments.neighboring
@arguments.limited
@arguments.delivered
def epsilon_command(
    target: Target, users: str, delta: str, neighbors: str, limit: str | None, form: str, output: str | None
) -> int:
    """The least eps at a delta, over all neighbouring data sets and both orders.

    The answer is exact: 0, ln(p/q), or infinity where no eps is enough.
    """
    allowed = as_probability(delta, name="delta")
    question = Question.read(target, users, neighbors, limit)
    with working(question.work):
        eps, pair = question.epsilon(allowed)
        exp_eps = None if eps.is_infinite else eps.argument
        level = question.confirmed(budget=CONFIRM_BUDGET, exp_eps=exp_eps, delta=allowed, least="exp_eps")
    lines = [
        ("delta", number_text(allowed)),
        ("epsilon", eps_text(eps)),
        ("worst pair", pair_text(pair)),
        ("evidence", EVIDENCE[level]),
    ]
    found = eps_json(eps)
    first, second = ("", "") if pair is None else pair.texts
    cells = {**question.cells, "delta": exact_text(allowed), "exp_eps": found["exp_eps"]}
    cells |= {"eps_lo": found["lo"], "eps_hi": found["hi"], "first": first, "second": second, "level": level}
    worst = None if pair is None else pair.data
    report = Report(
        lambda: question.lines(lines),
        lambda: {
            **question.data,
            "delta": exact_text(allowed),
            "epsilon": found,
            "worst_pair": worst,
            "level": level,
        },
        lambda: [list(cells), list(cells.values())],
    )
    deliver(report, form=form, output=output)
    return HOLDS


@click.command("curve")
@arguments.randomized
@arguments.populated
@click.option("--eps-from", metavar="EPS", help="First eps of the grid; default 0.")
@click.option("--eps-to", metavar="EPS", help="Last eps of the grid.")
@click.option("--points", metavar="K", help="Number of points of the grid; default 11.")
@click.option("--exp-eps-grid", metavar="E,E,...", help="Values of e^eps instead, for exact answers: 1,3/2,2.")
@arguments.neighboring
@arguments.limited
@arguments.delivered
def curve_command(
    target: Target,
    users: str,
    eps_from: str | None,
    eps_to: str | None,
    points: str | None,
    exp_eps_grid: str | None,
    neighbors: str,
    limit: str | None,
    form: str,
    output: str | None,
) -> int:
    """delta on a grid of eps, or of e^eps, over all neighbouring data sets and both orders."""
    if exp_eps_grid is not None and (eps_from, eps_to, points) == (None, None, None):
        orders = [Order.read(None, value.strip()) for value in exp_eps_grid.split(",")]
    elif exp_eps_grid is None and eps_to is not None:
        orders = _eps_grid("0" if eps_from is None else eps_from, eps_to, "11" if points is None else points)
    else:
        raise InvalidValueError("one grid is needed. Write --eps-to 2 --points 11, or --exp-eps-grid 1,3/2,2.")
    question = Question.read(target, users, neighbors, limit)
    with working(f"{question.work}, at {len(orders)} points"):
        answers = [Answer.of(question, order, None, budget=CONFIRM_BUDGET // len(orders)) for order in orders]
    report = Report(
        lambda: [*columns(_curve_rows(answers)), "", *question.lines([])],
        lambda: {**question.data, "points": [answer.data() for answer in answers]},
        lambda: [list(answers[0].cells), *(list(answer.cells.values()) for answer in answers)],
    )
    deliver(report, form=form, output=output)
    return HOLDS


def _eps_grid(start: str, stop: str, points: str) -> list[Order]:
    """Return evenly spaced orders from one eps to another, both included."""
    first, last = (as_fraction(text, name=name) for text, name in ((start, "eps-from"), (stop, "eps-to")))
    count = _bounded(points, "points", _MAX_POINTS)
    if not 0 <= first <= last:
        raise InvalidValueError(
            f"eps-from={exact_text(first)} and eps-to={exact_text(last)} are no grid. Give 0 <= eps-from <= eps-to."
        )
    step = (last - first) / max(1, count - 1)
    return [Order.read(exact_text(first + k * step), None) for k in range(count)]


def _curve_rows(answers: Sequence[Answer]) -> list[tuple[str, ...]]:
    name = "e^eps" if answers[0].order.name == "exp_eps" else "eps"
    rows: list[tuple[str, ...]] = [(name, "delta", "worst pair", "level")]
    for answer in answers:
        pair = "none" if answer.pair is None else pair_text(answer.pair)
        rows.append((answer.order.shown, number_text(answer.delta), pair, answer.level))
    return rows


def _bounded(text: str, name: str, limit: int) -> int:
    """Return an integer from 1 to ``limit``."""
    value = as_integer(text, name=name, at_least=1)
    if value > limit:
        raise TooLargeError(f"{name}={short(value)} is more than the limit of {limit}. Use a smaller number.")
    return value


@click.command("law")
@arguments.randomized
@click.option("--dataset", metavar="DATA", required=True, help="Users per input: 0=3,1=2.")
@click.option("-n", "--users", metavar="N", help="Number of users; by default, as many as the data set has.")
@arguments.delivered
def law_command(target: Target, dataset: str, users: str | None, form: str, output: str | None) -> int:
    """The exact law of the shuffled view of one data set: the counts of each message."""
    from exactdp.models.dataset import histogram
    from exactdp.protocol import ShuffleProtocol

    inputs = target.randomizer.inputs
    counts = histogram(arguments.read_dataset(dataset, inputs), inputs)
    if not sum(counts):
        raise InvalidDataSetError("the data set is empty. Give at least one user: --dataset INPUT=COUNT.")
    n = sum(counts) if users is None else as_integer(users, name="n", at_least=1)
    people = dict(zip(inputs, counts, strict=True))
    protocol = ShuffleProtocol(target.randomizer, n)
    with working(f"law of the view of {n} users"):
        law = protocol.law(people)
    messages = list(map(str, target.randomizer.alphabet))
    held = {value: count for value, count in people.items() if count}
    title = f"{printable(target.name)}, n = {n}, data set {arguments.write_dataset(held)}"
    report = Report(
        lambda: [
            title,
            "",
            *columns([(*map(printable, messages), "probability"), *_law_rows(law, number_text)]),
            "",
            HONEST_USERS,
        ],
        lambda: {
            "randomizer": target.name,
            "n": str(n),
            "n_counts": "users who follow the protocol",
            "dataset": {str(value): str(count) for value, count in held.items()},
            "messages": messages,
            "law": [{"counts": list(map(str, counts)), "prob": number_json(p)} for counts, p in law.items()],
            "level": "enclosure",
        },
        lambda: [(*messages, "prob"), *_law_rows(law, exact_text)],
    )
    deliver(report, form=form, output=output)
    return HOLDS


def _law_rows(law: Law, show: Callable[[Fraction], str]) -> Iterator[tuple[str, ...]]:
    return ((*map(str, counts), show(p)) for counts, p in law.items())

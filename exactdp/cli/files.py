"""``check`` and ``init``: is this randomizer valid and what can be asked of it; and a file to start from.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli import arguments
from exactdp.cli.arguments import Noise, Target
from exactdp.cli.failures import HOLDS
from exactdp.cli.numerals import eps_json, eps_text
from exactdp.cli.output import Report, cell, columns, count, deliver, printable
from exactdp.cli.progress import Work, size_of, working
from exactdp.errors import InvalidFileError, TooLargeError
from exactdp.whole_file import write_whole

if TYPE_CHECKING:
    from exactdp.engines.planner import ShufflePairs
    from exactdp.engines.scan import PairwiseScan
    from exactdp.models.neighbors import Neighbors
    from exactdp.models.randomizer import Randomizer
    from exactdp.privacy.epsilon import LogRational

__all__ = ["TEMPLATE", "check_command", "init_command"]

TEMPLATE: Final = """\
# A randomizer: what each user runs. One [[row]] for each input a user can hold.
# Every row lists what is sent and with which exact probability; the probabilities of a row sum to 1.
#   send  the messages, as a list of texts: ["a"], several ["a", "b"], or [] for none
#   prob  an exact number as text: "1/4", "0.25" and "25e-2" are the same
#
# Questions to ask of this file:
#   exactdp check FILE
#   exactdp delta FILE --users 100 --exp-eps 2
#   exactdp epsilon FILE --users 100 --delta 1/1000000
#   exactdp certify FILE --users 10 --exp-eps 2 --delta 1/10 --output certificate.json

name = "an answer that is sometimes a coin, and sometimes silence"

[[row]]
input = "no"
messages = [
    {send = ["0"], prob = "1/2"},
    {send = ["1"], prob = "1/4"},
    {send = [], prob = "1/4"},
]

[[row]]
input = "yes"
messages = [
    {send = ["0"], prob = "1/4"},
    {send = ["1"], prob = "1/2"},
    {send = [], prob = "1/4"},
]
"""

_FAR: Final = 10**6
"""The largest number of users is searched up to here."""
_NO_LIMIT: Final = 10**100


@click.command("init")
@click.argument("path", default="randomizer.toml")
@click.option("--force", is_flag=True, help="Overwrite the file if it exists.")
def init_command(path: str, force: bool) -> int:
    """Write a commented randomizer file, PATH or randomizer.toml, that every command can read."""
    if path.lower().endswith(".json"):
        raise InvalidFileError(f"{path} would be read as JSON, and the template is TOML. Name a .toml file.")
    if os.path.lexists(path) and not os.path.isdir(path) and not force:
        raise InvalidFileError(f"{path} exists. Name another file, or overwrite it with --force.")
    quoted = shlex.quote(path)
    write_whole(path, TEMPLATE.replace("FILE", quoted) if path.isprintable() else TEMPLATE)
    print(f"wrote {printable(path)}\nnext: exactdp check {quoted}")
    return HOLDS


@dataclass(frozen=True, slots=True)
class Reach:
    """The engine for a randomizer, its work at n users, whether it starts on that, and the largest n it starts on."""

    engine: str
    work: Work | None
    within: bool
    largest: int | None

    @classmethod
    def of(cls, randomizer: Randomizer, n: int, neighbors: Neighbors, limit: int) -> Reach:
        """Let the planner, or the engine itself, say how far it goes."""
        from exactdp.engines.planner import ShufflePairs
        from exactdp.engines.scan import PairwiseScan

        engine = ShufflePairs(randomizer, 1, neighbors, _NO_LIMIT).plan()
        if not isinstance(engine, PairwiseScan):
            work = size_of(ShufflePairs(randomizer, n, neighbors, limit).plan())
            return cls(engine.name, work, True, None)
        if _plans_far(ShufflePairs(randomizer, _FAR, neighbors, limit)):
            planned = ShufflePairs(randomizer, n, neighbors, _NO_LIMIT).plan()
            within = not isinstance(planned, PairwiseScan) or _size(engine, n, limit) is not None
            return cls(planned.name, size_of(planned), within, None)
        largest = _largest(engine, limit) if engine.structure.pairs else None
        return cls(engine.name, _size(engine, n, _NO_LIMIT), _size(engine, n, limit) is not None, largest)


def _plans_far(pairs: ShufflePairs) -> bool:
    """Whether the planner has an engine for so many users."""
    try:
        pairs.plan()
    except TooLargeError:
        return False
    return True


def _size(engine: PairwiseScan, n: int, limit: int) -> Work | None:
    """Return the work at n users, or None where the engine refuses to start on it."""
    try:
        return size_of(replace(engine, users=n, limit=limit))
    except TooLargeError:
        return None


def _largest(engine: PairwiseScan, limit: int) -> int | None:
    """Return the largest n that the engine starts on, None for no end in sight; the work grows with n."""
    low, high = 0, 1
    while _size(engine, high, limit) is not None:
        low, high = high, 2 * high
        if high > _FAR:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _size(engine, middle, limit) is None else (middle, high)
    return low


@click.command("check")
@arguments.randomized
@click.option("-n", "--users", metavar="N", help="Number of users to size up; default 100.")
@arguments.neighboring
@arguments.limited
@arguments.delivered
def check_command(
    target: Target | Noise, users: str | None, neighbors: str | None, limit: str | None, form: str, output: str | None
) -> int:
    """Say whether a randomizer is valid, its inputs, messages and local epsilon, and which engine serves it.

    Of a noise law: its support, mean and variance, whether it is log-concave, and whether answers can be exact.
    """
    if isinstance(target, Noise):
        arguments.refuse(target, {"-n": users, "--neighbors": neighbors, "--limit": limit})
        report = _noise_report(target)
    else:
        n = arguments.read_users("100" if users is None else users, target)
        report = _randomizer_report(target, n, arguments.read_neighbors(neighbors), arguments.read_limit(limit))
    deliver(report, form=form, output=output)
    return HOLDS


def _noise_report(noise: Noise) -> Report:
    """Report on a noise law."""
    from exactdp.cli.laws import noise_data, noise_lines
    from exactdp.protocol import shift_profile

    law = noise.law
    with working(f"checking {noise.title}"):
        (_, title), *lines = noise_lines(noise)
        data = {"valid": True, **noise_data(noise), "exact": law.is_exact, "engine": shift_profile(law).engine}
    reach = "rational, so answers are exact up to a length" if law.is_exact else "enclosed, to any accuracy"
    if law.is_rational and not law.is_exact:
        reach = "rational but too long to be built: enclosed, to any accuracy"
    lines = [("law", f"{title} is valid"), *lines, ("probabilities", reach), ("engine", data["engine"])]
    cells = noise.cells | {name: cell(value) for name, value in data.items() if name not in noise.data}
    cells |= {"support": "{} {}".format(*(end or "none" for end in data["support"].values()))}
    return Report(lambda: columns(lines), lambda: data, lambda: [list(cells), list(cells.values())])


def _randomizer_report(target: Target, n: int, relation: Neighbors, most: int) -> Report:
    """Report on a randomizer of n users."""
    randomizer, neighbors = target.randomizer, relation.value
    with working(f"checking {printable(target.name)}"):
        local, shuffled = randomizer.local_epsilon(), _preshuffled(randomizer)
        reach = Reach.of(randomizer, n, relation, most)
    lengths = [len(send) for row in randomizer.rows for send, _ in row]
    sizes = f"{min(lengths)} to {max(lengths)}" if min(lengths) < max(lengths) else str(lengths[0])
    size = reach.engine if reach.work is None else str(reach.work)
    fits = "" if reach.within else f", beyond limit={most}"
    lines = [
        ("randomizer", f"{printable(target.name)} is valid"),
        ("inputs", _listed(randomizer.inputs)),
        ("messages", _listed(randomizer.alphabet)),
        ("messages per user", sizes),
        ("local epsilon", eps_text(local)),
        ("after a pre-shuffle", "not computed: too many orderings" if shuffled is None else eps_text(shuffled)),
        ("engine", f"{size} at n = {n}{fits}"),
        ("largest n", f"{f'beyond {_FAR}' if reach.largest is None else reach.largest} ({neighbors}, limit={most})"),
    ]
    data: dict[str, Any] = {
        "randomizer": target.name,
        "valid": True,
        "inputs": list(map(str, randomizer.inputs)),
        "messages": list(map(str, randomizer.alphabet)),
        "messages_per_user": sizes,
        "local_epsilon": eps_json(local),
        "preshuffle_local_epsilon": None if shuffled is None else eps_json(shuffled),
        "n": count(n),
        "neighbors": neighbors,
        "engine": reach.engine,
        "pairs": None if reach.work is None or reach.work.pairs is None else count(reach.work.pairs),
        "outcomes": None if reach.work is None or reach.work.outcomes is None else count(reach.work.outcomes),
        "within_limit": reach.within,
        "limit": count(most),
        "largest_n": None if reach.largest is None else count(reach.largest),
    }
    return Report(lambda: columns(lines), lambda: data, lambda: [list(data), list(map(cell, data.values()))])


def _preshuffled(randomizer: Randomizer) -> LogRational | None:
    try:
        return randomizer.preshuffle().local_epsilon()
    except TooLargeError:
        return None


def _listed(labels: tuple[Any, ...]) -> str:
    shown = ", ".join(map(printable, labels[:12])) + (", ..." if len(labels) > 12 else "")
    return f"{len(labels)}: {shown}" if labels else "none"

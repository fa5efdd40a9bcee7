"""``refute``: the least instance at which an amplification bound promises too much, or how loose it is.

The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from exactdp.cli.failures import HOLDS, REFUTED
from exactdp.cli.options import TARGET, answer_format, certificate_option, file_option, option_of, options
from exactdp.cli.output import Fact, Report, answer, count, number_data, number_fact, printable, value_data
from exactdp.cli.progress_bars import Counter, working
from exactdp.cli.values import Typed, refuse_given
from exactdp.errors import InvalidValueError
from exactdp.files.atomic_file import write_whole
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import decimal_text, exact_text
from exactdp.numbers.interval import Interval

if TYPE_CHECKING:
    from exactdp.studies.counterexamples.comparison import Comparison, Summary
    from exactdp.studies.counterexamples.refutation import Refutation

_MEANING: Final = (
    "Refuted means: the lower proved end of the exact delta is above what is promised. n counts the users who follow "
    "the protocol."
)
_CALLED: Final = (
    "The function was asked with eps0 rounded up and delta or eps rounded down to a float; the float that it answers "
    "is taken exactly."
)
_LABELS: Final = {"grid": "on the grid", "sizes": "real sizes"}
_RATIO_DIGITS: Final = 4
_MOST_USERS: Final = 1000
"""Most numbers of users of a grid."""


def _users(text: str, name: str) -> list[int]:
    users: set[int] = set()
    for part in text.split(",") if text else ():
        ends = [as_integer(as_fraction(end, name="users"), name="users", at_least=1) for end in part.split("..", 1)]
        if not 0 <= ends[-1] - ends[0] < _MOST_USERS:
            raise InvalidValueError(f"users={part} is not 1 to {_MOST_USERS} numbers. Write the smaller one first.")
        users |= set(range(ends[0], ends[-1] + 1))
    return sorted(users)


def _numbers(text: str, name: str, above: int) -> list[Fraction]:
    numbers = [as_fraction(part, name=name) for part in text.split(",")] if text else []
    for number in numbers:
        if number <= above or (name == "delta" and number > 1):
            repair = "Pass numbers above 0 and at most 1" if name == "delta" else f"Pass numbers above {above}"
            raise InvalidValueError(f"{name}={exact_text(number)} is out of range. {repair}.")
    return sorted(numbers, reverse=name == "delta")


_SECONDS: Final = Typed(as_fraction, "call-seconds")


@click.command("refute")
@click.argument("formula", required=False)
@click.option("--gives", type=click.Choice(["eps", "delta"]), help="eps at a delta (default), or delta at an eps.")
@click.option("--where", metavar="RELATION", multiple=True, help="Where it is promised, as 'n >= 10'; repeatable.")
@click.option("--python", metavar="MODULE:FUNCTION", help="Ask function(n, eps0, delta), or (n, eps0, eps), instead.")
@option_of(_SECONDS, "S", "--call-seconds", help="End a call of the function after so many seconds; default 10.")
@file_option("--csv", "table", help="Promises in rows, with n, eps0, delta and eps, instead.")
@option_of(TARGET, "NAME", "--randomizer", multiple=True, help="any (default), k-ary, or a family; repeatable.")
@option_of(Typed(_users), "LIST", "-n", "--users", help="Numbers of users of the grid, as 1..12,20.")
@option_of(Typed(_numbers, above=1), "LIST", "--exp-eps0", help="e^eps0 of the grid, as 2,3.")
@option_of(Typed(_numbers, above=0), "LIST", "--delta", help="delta of the grid, as 1/10,1e-6.")
@option_of(Typed(_numbers, above=1), "LIST", "--exp-eps", help="e^eps of the grid, with --gives delta.")
@click.option("--no-sizes", is_flag=True, help="Leave out 10^3 to 10^6 users.")
@certificate_option(help="Write the certificate into FILE.")
@options(answer_format)
def refute_command(table: str | None, python: str | None, file: str | None, **typed: Any) -> Report:
    """The least instance at which an amplification bound promises too much, or how loose it is.

    FORMULA is the eps that n shuffled users of every eps0-DP randomizer are said to have at delta, in n, eps0, E =
    e^eps0 and delta, or with --gives delta the delta at eps; of numbers, + - * / ^ ( ), sqrt, ln, exp, erfc, min, max:

    \b
      exactdp refute 'eps0*sqrt(ln(1/delta)/n)' -o refuted.json

    Instances come by n, then e^eps0, then 1/delta. Then the promised eps is compared with the true one at real sizes.
    A family is named without its eps0, as @unary-encoding:inputs=16. A function of --python runs in a process of its
    own, whose time and (on Linux) memory are limited and whose output goes nowhere.

    Exit status: 0 not refuted, 1 refuted.
    """
    from exactdp.studies.counterexamples import promises, refutation

    given = [name for name, value in (("FORMULA", typed["formula"]), ("--python", python), ("--csv", table)) if value]
    if len(given) != 1:
        raise InvalidValueError(
            f"{' and '.join(given) or 'no promise'} given. Give one of FORMULA, --python MODULE:FUNCTION or --csv FILE."
        )
    gives = typed["gives"] or "eps"
    randomizers = refutation.scope_of(typed["randomizer"] or ("any",))
    watch = Counter("refute")
    seen = partial(watch, words=" instances")
    failures: list[str] = []
    with working("refuting"):
        if table is not None:
            _refuse(typed, "--csv", ("gives", "where", "call_seconds", "users", "exp_eps0", "delta", "exp_eps"))
            rows = promises.read_promises(table)
            found = refutation.refute_rows(rows, name=printable(table), randomizers=randomizers, watch=seen)
        else:
            at = "exp_eps" if gives == "delta" else "delta"
            _refuse(typed, f"--gives {gives}", ("delta" if gives == "delta" else "exp_eps",))
            grid: dict[str, Any] = {
                "randomizers": randomizers,
                "users": typed["users"] or refutation.USERS,
                "exp_eps0": typed["exp_eps0"] or refutation.EXP_EPS0,
                "levels": typed[at] or [],
                "sizes": () if typed["no_sizes"] else refutation.SIZES,
                "watch": seen,
            }
            if python is not None:
                _refuse(typed, "--python", ("where",))
                with promises.CalledFunction(python, typed["call_seconds"] or Fraction(promises.SECONDS)) as call:
                    found = refutation.refute(promises.promised_by(python, gives, call, failures), **grid)
            else:
                _refuse(typed, "a formula", ("call_seconds",))
                promise = promises.promised_by_formula(typed["formula"], gives, typed["where"])
                found = refutation.refute(promise, **grid)
        certificate = found.certificate
        if file is not None and certificate is not None:
            write_whole(file, certificate.to_json())
    watch.end()
    return _report(found, gives, list(typed["where"]), failures, file, is_called=python is not None)


def _refuse(typed: dict[str, Any], beside: str, names: Sequence[str]) -> None:
    refuse_given({name: typed[name] for name in names}, f"beside {beside}")


def _report(
    found: Refutation, gives: str, where: list[str], failures: list[str], file: str | None, *, is_called: bool
) -> Report:
    counts = f"{found.search.tried} instances, {found.search.skipped} without a promise"
    instance = None if found.instance is None else {name: value_data(value) for name, value in found.instance.items()}
    is_on_grid = found.search.counterexample is not None
    verdict = f"not refuted: {counts}"
    if instance is not None:
        place = "the least instance of this grid" if is_on_grid else "at real sizes, not on this grid"
        verdict = f"refuted, {place}; looked at {counts}"
    certificate, least = found.certificate, found.least
    written = file if certificate is not None else None
    lines = [f"{name} = {value}" for name, value in (instance or {}).items()] + found.explanation
    said = [Fact(label=" ", text=line) for line in lines]
    unmade = "none" if least is None else "none: the checker cannot state it"
    claim_id = None if certificate is None else certificate.claim.digest()
    return answer(
        Fact("promise", found.promise, "promise", f"{gives} = {printable(found.promise)}"),
        Fact("gives", gives),
        Fact("where", where, "where" if where else "", "; ".join(map(printable, where))),
        Fact("grid", found.stated, "grid", found.stated),
        Fact("found", instance is not None, "answer", verdict),
        Fact("instance", instance, cells={"instance": [f"{a}={b}" for a, b in (instance or {}).items()]}),
        *said,
        Fact("explanation", found.explanation),
        Fact("tried", count(found.search.tried)),
        Fact("skipped", count(found.search.skipped)),
        Fact("failed", count(len(failures))),
        Fact("failures", failures[:1]),
        *(Fact(label="failed", text=f"{len(failures)} calls; the first: {line}") for line in failures[:1]),
        Fact("claim_id", claim_id, "claim id" if claim_id else "", claim_id or ""),
        Fact("file", written, "certificate" if least is not None else "", _place(certificate, written, unmade)),
        *_loose("grid", found.looseness, "delta over the exact delta"),
        *_loose("sizes", found.looseness_at_sizes, "promised eps over the upper end of the true one"),
        rows=[_size(one) for one in found.sizes],
        listed="sizes",
        notes=[_MEANING, *([_CALLED] if is_called else [])],
        status=HOLDS if instance is None else REFUTED,
    )


def _place(certificate: object, written: str | None, unmade: str) -> str:
    if certificate is None:
        return unmade
    return "-o FILE writes it" if written is None else f"{printable(written)} (`exactdp verify` re-checks it)"


def _loose(name: str, found: Summary | None, ratio: str) -> list[Fact]:
    """Return how many instances are held and refuted, and the ratios."""
    ratios = [None if found is None else getattr(found, f"{part}_ratio") for part in ("median", "largest")]
    counts = {part: 0 if found is None else getattr(found, part) for part in ("held", "between", "below")}
    held = f"{counts['held']} hold, {counts['between']} between the ends, {counts['below']} refuted"
    words = ["none" if value is None else decimal_text(value, _RATIO_DIGITS, up=False) for value in ratios]
    text = f"{held}; {ratio}: median {words[0]}, largest {words[1]}"
    data = {**counts, "median_ratio": _number(ratios[0]), "largest_ratio": _number(ratios[1])}
    cells = {f"{name}_{part}": value for part, value in data.items()}
    return [Fact(f"on_{name}", data, "" if found is None else _LABELS[name], text, cells)]


def _number(value: Fraction | None) -> dict[str, str | None] | None:
    data = number_data(value)
    return None if data is None else {**data, "exact": None}


def _size(one: Comparison) -> list[Fact]:
    """Return the row of one comparison at a real size."""
    from exactdp.studies.counterexamples.refutation import eps_end

    case = one.case
    assert case is not None
    verdict = "refuted" if one.is_below else "holds" if one.holds else "between"
    low, high = (eps_end(one.exact, up=up) for up in (False, True))
    return [
        Fact("randomizer", case.label, "at", case.label),
        Fact("delta", exact_text(one.delta or 0), "delta", exact_text(one.delta or 0)),
        number_fact("promised_eps", _interval(one.published), "promised eps", eps_end(one.published, up=True)),
        number_fact("true_eps", _interval(one.exact), "true eps", f"{low} to {high}"),
        Fact("verdict", verdict, "verdict", verdict),
    ]


def _interval(value: Fraction | Interval) -> Interval:
    return value if isinstance(value, Interval) else Interval.around(value, relative_bits=53)

"""``compose``: what many runs cost together, at an eps or at a delta. The JSON is described in docs/json.md."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.completion import laws
from exactdp.cli.options import (
    OneOfFew,
    file_option,
    named_target,
    option_of,
    privacy_level_options,
    times_option,
    width_option,
)
from exactdp.cli.output import Fact, count
from exactdp.cli.progress_bars import working
from exactdp.cli.question import Answer, Least, Stated, TwoEnds, question
from exactdp.cli.subjects import Subject, UsersOfClasses
from exactdp.cli.typed_claims import claim_of_target
from exactdp.cli.values import PROBABILITY, Typed, TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.files.atomic_file import write_whole
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import decimal_text, ends, exact_text, is_written_out, short
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift

_NOTIONS: Final[dict[str, Any]] = {"adaptive": "adaptive", "non-adaptive": "non-adaptive", "same-data": "same data"}
"""What is typed -> the notion as the library names it."""
_MEANING: Final = {
    "adaptive": "each run's neighbouring data sets are chosen after seeing the runs before",
    "non-adaptive": "each run's neighbouring data sets are chosen before the first run",
    "same data": "all runs are on one pair of neighbouring data sets",
}
"""What each notion says, for reading."""
_GAP: Final = "no: the width may be a gap between the notion and the data sets that were tried"
"""What is said of an interval that no accuracy closes."""


_ENDS: Final = "enclosure: both ends are proved and enclosed by the engine, not re-checked"
"""What stands behind an interval that no certificate states."""
_RAISED: Final = (Fraction(1, 1000), Fraction(3, 100))
"""Shares by which an upper end is raised for a certificate, whose sums are rounded and whose curves are coarser."""
_DIGITS: Final = 3
"""And to so many digits."""
_NAMING: Final = Fraction(1, 4)
"""A bracket so wide tells which data sets attain its lower end."""


def _read_other(text: str, name: str) -> tuple[NoiseLaw, int]:
    """Return a noise law and its runs."""
    count, star, law = text.rpartition("*")
    target = named_target(law) if ":" in law else None
    if not isinstance(target, NoiseLaw):
        raise InvalidValueError(f"--with {short(text)!r} is no noise law. Write --with 5*@poisson:mu=300.")
    return target, as_integer(count, name="the number of runs of --with", at_least=1) if star else 1


_OTHER: Final = Typed(_read_other, offers=laws)
_RUNS: Final = (
    times_option(help="Number of runs; default 1."),
    option_of(_OTHER, "[K*]LAW", "--with", "others", multiple=True, help="K more runs of this noise; repeatable."),
    click.option("--notion", type=OneOfFew(list(_NOTIONS)), default="adaptive", show_default=True),
)
_FURTHER: Final = (
    option_of(PROBABILITY, "D", "--delta", help="Instead of an eps: the least eps at this delta in [0, 1]."),
    width_option(help="Width of an interval over its upper end; default 1/1000."),
    file_option("--certificate", "file", help="Write a certificate of the upper end."),
)


@question("compose", _RUNS, privacy_level_options, _FURTHER)
def compose_command(subject: Subject, typed: dict[str, Any]) -> Answer:
    """The least delta at an eps, or the least eps at a delta, of K runs together: composition.

    A bracket of the notion asked for: in "adaptive", the default, each run's data sets may depend on the answers seen
    before. Exact with --exp-eps where the privacy loss takes two values, and for few runs of small protocols. With
    `--with 5*@poisson:mu=300` different mechanisms are composed; the query is of the same sensitivity --shift.

    --certificate states adaptive runs at the upper end, a little raised; exit
    status 3, and no file, where there is none.
    """
    eps, exp_eps, delta, width = map(typed.get, ("eps", "exp_eps", "delta", "relative_width"))
    if delta is not None and (eps, exp_eps) != (None, None):
        raise InvalidValueError("--delta asks for an eps, and one is given too. Leave out --eps and --exp-eps.")
    if delta is None and (eps, exp_eps) == (None, None):
        raise InvalidValueError("one of --eps, --exp-eps and --delta is needed. Write --eps 1, or --delta 1e-6.")
    file = typed["file"]
    if file is not None and typed["notion"] != "adaptive":
        raise InvalidValueError(f"--certificate states adaptive runs, and notion={typed['notion']}. Leave out one.")
    if file == "-":
        raise InvalidValueError("certificate=- is stdout, where the answer goes. Name a file.")
    if file is not None and isinstance(subject, UsersOfClasses):
        raise InvalidValueError("no claim states several runs of classes of users. Leave out --certificate.")
    asked = TypedLevel.one_of(eps, exp_eps) if delta is None else delta
    times = typed["times"] or 1
    others = [(noise, k, read_shift(typed["shift"], noise)) for noise, k in typed["others"]]
    if file is not None:
        _claim(typed, times, others, {"eps": 1, "delta": 1})  # what no claim states is refused before it is computed
    parts = [subject.profile.compose(times)]
    parts += [xdp.shift_profile(noise.law, shift=shift).compose(k) for noise, k, shift in others]
    profile = xdp.compose(*parts, notion=_NOTIONS[typed["notion"]])
    with working(f"composition of {profile.times} runs"):
        if isinstance(asked, Fraction):
            least = Least(asked, profile.epsilon(asked, relative_width=width))
        else:
            least = Least(asked, profile.delta(**asked.keywords, relative_width=width))
        ends = _ends(profile, least, width)
    is_exact = not isinstance(least.value, xdp.Interval) or is_written_out(least.value)
    level = "exact" if is_exact else "enclosure"
    is_on_integers = all(noise.law.is_on_integers for noise, *_ in others)
    is_certifiable = subject.profile.is_tight and subject.has_claim and is_on_integers
    evidence = f"{level}: {least.support}; `certify --times` proves a bound" if is_certifiable else _ENDS
    named = [{**noise.data, "shift": exact_text(shift), "times": count(k)} for noise, k, shift in others]
    runs = [
        Fact("times", count(times), "runs", str(times)),
        Fact("with", named, cells={"with": " ".join(f"{k}*{noise.name}" for noise, k, _ in others)}),
        *(Fact(label=f"and {k} x", text=f"{noise.title}, shift {short(shift)}") for noise, k, shift in others),
        Fact("notion", profile.notion, "notion", f"{profile.notion}: {_MEANING[profile.notion]}"),
        Fact("exact", profile.is_exact, cells={}),
        Fact("tight", profile.is_tight),
        Fact("relative_width", exact_text(width or Fraction(1, 1000)), cells={}),
    ]
    behind = [*([] if ends is None else ends.facts), *([] if profile.is_tight else [Fact(label="tight", text=_GAP)])]
    stated = None if file is None else _certified(typed, least, others, times, file)
    return Answer(subject, least, behind, level, evidence, ends, profile, runs, stated=stated)


def _claim(
    typed: dict[str, Any], times: int, others: list[tuple[NoiseLaw, int, int | Fraction]], level: dict[str, Any]
) -> xdp.Claim:
    """Return the claim that all runs have a level together."""
    from exactdp.claims.target_claims import noise_claim

    claims = [claim_of_target({**typed, "all_n": None}, level, times).claim]
    claims += [noise_claim(noise, int(shift), level, times=k) for noise, k, shift in others]
    return xdp.Claim.from_data({**claims[0].data, "runs": [run for one in claims for run in one.data["runs"]]})


def _certified(
    typed: dict[str, Any], least: Least, others: list[tuple[NoiseLaw, int, int | Fraction]], times: int, file: str
) -> Stated:
    """Write the certificate of the upper end, raised a little, or more where that is not enough."""
    upper = least.value.enclose() if isinstance(least.value, xdp.LogRational) else least.value
    high = ends(upper)[1]
    high = high.fraction() if isinstance(high, Dyadic) else high
    for share in _RAISED:
        at = as_fraction(decimal_text(high * (1 + share), _DIGITS, up=True), name="the upper end")
        if isinstance(least.asked, Fraction):
            level = {"eps": at, "delta": least.asked}
        else:
            level = {**least.asked.keywords, "delta": min(at, Fraction(1))}
        with working(f"certifying {times + sum(k for _, k, _ in others)} runs"):
            certificate = xdp.certify(_claim(typed, times, others, level))
        if certificate.verdict is xdp.Verdict.REFUTED:
            raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
        if certificate.level == "certificate":
            write_whole(file, certificate.to_json())
            break
    return Stated(certificate, level, file)


def _ends(profile: xdp.ComposedProfile, least: Least, width: Fraction | None) -> TwoEnds | None:
    """Return the two proved ends of an interval that need not close; None where there is no such interval."""
    if profile.is_tight or not isinstance(least.value, xdp.Interval):
        return None
    if isinstance(least.asked, Fraction):
        at_lower_end = profile.bracket(eps=least.value.lo, relative_width=_NAMING)
        return TwoEnds.of_runs(least.value, at_lower_end, is_eps=True)
    ends = profile.bracket(**least.asked.keywords, relative_width=width)
    return TwoEnds.of_runs(least.value, ends, is_eps=False)

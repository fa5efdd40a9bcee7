"""``compose``: what many runs cost together, at an eps or at a delta. The JSON is described in docs/json.md."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.failures import HOLDS
from exactdp.cli.options import options, output_options, privacy_level_options, subject_arguments
from exactdp.cli.output import Report, columns, count, deliver, number_cells, records
from exactdp.cli.progress import working
from exactdp.cli.question import PrivacyQuestion
from exactdp.cli.subjects import TypedSubject
from exactdp.cli.targets import read_target
from exactdp.cli.typed_noise import NoiseLaw
from exactdp.cli.values import TypedLevel
from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, is_written_out, number_json, number_text, short
from exactdp.numbers.interval import Interval
from exactdp.privacy.epsilon import eps_json, eps_text

__all__ = ["compose_command"]

_NOTIONS: Final = {"adaptive": "adaptive", "non-adaptive": "non-adaptive", "same-data": "same data"}
"""What is typed -> the notion as the library names it."""
_MEANING: Final = {
    "adaptive": "each run's neighbouring data sets are chosen after seeing the runs before",
    "non-adaptive": "each run's neighbouring data sets are chosen before the first run",
    "same data": "all runs are on one pair of neighbouring data sets",
}
"""What each notion says, for reading."""
_GAP: Final = "no: the width may be a gap between the notion and the data sets that were tried"
"""What is said of an interval that no accuracy closes."""


@click.command("compose")
@options(subject_arguments)
@click.option("--times", metavar="K", help="Number of runs; default 1.")
@click.option(
    "--with", "others", metavar="[K*]LAW", multiple=True, help="K more runs, with this noise law; repeatable."
)
@click.option("--notion", type=click.Choice(list(_NOTIONS)), default="adaptive", show_default=True)
@options(privacy_level_options)
@click.option("--delta", metavar="D", help="Instead of an eps: the least eps at this delta in [0, 1].")
@click.option("--relative-width", metavar="W", help="Width of an interval over its upper end; default 1/1000.")
@options(output_options)
def compose_command(others: tuple[str, ...], notion: str, form: str, output: str | None, **typed: str | None) -> int:
    """The least delta at an eps, or the least eps at a delta, of K runs together: composition.

    A bracket of the notion asked for: in "adaptive", the default, each run's data sets may depend on the answers seen
    before. Exact with --exp-eps where the privacy loss takes two values, and for few runs of small protocols. With
    `--with 5*@poisson:mu=300` different mechanisms are composed; the query is of the same sensitivity --shift.
    """
    what = TypedSubject.read(typed)
    eps, exp_eps, delta, relative_width = map(typed.get, ("eps", "exp_eps", "delta", "relative_width"))
    if delta is not None and (eps, exp_eps) != (None, None):
        raise InvalidValueError("--delta asks for an eps, and one is given too. Leave out --eps and --exp-eps.")
    if delta is None and (eps, exp_eps) == (None, None):
        raise InvalidValueError("one of --eps, --exp-eps and --delta is needed. Write --eps 1, or --delta 1e-6.")
    asked = TypedLevel.read(eps, exp_eps) if delta is None else as_probability(delta, name="delta")
    width = None if relative_width is None else as_fraction(relative_width, name="relative_width")
    runs = _Runs.read(what, typed["times"], others, _NOTIONS[notion])
    with working(f"composition of {runs.profile.times} runs"):
        answer = _Composed.of(runs, asked, width)
    deliver(answer.report(), form=form, output=output)
    return HOLDS


@dataclass(frozen=True, slots=True)
class _Runs:
    """What is composed."""

    question: PrivacyQuestion
    times: int
    others: tuple[tuple[NoiseLaw, int], ...]
    profile: xdp.ComposedProfile

    @classmethod
    def read(cls, what: TypedSubject, times: str | None, others: tuple[str, ...], notion: Any) -> _Runs:
        """Return the runs of the subject and of the noise laws after --with."""
        question = PrivacyQuestion.read(what)
        count = as_integer("1" if times is None else times, name="times", at_least=1)
        listed = tuple(_read_other(text) for text in others)
        shift = as_integer("1" if what.shift is None else what.shift, name="shift", at_least=1)
        parts = [question.profile.compose(count)]
        parts += [xdp.shift_profile(noise.law, shift=shift).compose(k) for noise, k in listed]
        return cls(question, count, listed, xdp.compose(*parts, notion=notion))

    @property
    def shift(self) -> str:
        """The sensitivity of the other mechanisms' query."""
        shift = self.question.subject.data.get("shift", "1")
        return str(shift)


def _read_other(text: str) -> tuple[NoiseLaw, int]:
    """Return a noise law and its runs."""
    count, star, law = text.rpartition("*")
    target = read_target(law) if ":" in law else None
    if not isinstance(target, NoiseLaw):
        raise InvalidValueError(f"--with {short(text)!r} is no noise law. Write --with 5*@poisson:mu=300.")
    return target, as_integer(count, name="the number of runs of --with", at_least=1) if star else 1


@dataclass(frozen=True, slots=True)
class _Composed:
    """What is asked, a level of privacy or a delta, and its answer, the least delta or eps."""

    runs: _Runs
    asked: TypedLevel | Fraction
    width: Fraction | None
    value: Any

    @classmethod
    def of(cls, runs: _Runs, asked: TypedLevel | Fraction, width: Fraction | None) -> _Composed:
        """Compute the answer."""
        if isinstance(asked, Fraction):
            return cls(runs, asked, width, runs.profile.epsilon(asked, relative_width=width))
        return cls(runs, asked, width, runs.profile.delta(**asked.keywords, relative_width=width))

    def report(self) -> Report:
        """Return the answer in its three forms."""
        return Report(self._text, self._data, self._table)

    def _text(self) -> list[str]:
        question, profile = self.runs.question, self.runs.profile
        lines = [question.subject.line, ("runs", str(self.runs.times))]
        lines += [(f"and {k} x", f"{noise.title}, shift {self.runs.shift}") for noise, k in self.runs.others]
        lines.append(("notion", f"{profile.notion}: {_MEANING[profile.notion]}"))
        if isinstance(self.asked, Fraction):
            lines += [("delta", number_text(self.asked)), ("epsilon", eps_text(self.value))]
        else:
            lines += [("privacy", self.asked.text), ("delta", number_text(self.value))]
        if not profile.is_tight:
            lines.append(("tight", _GAP))
        lines.append(("evidence", f"{self._level}: {self._evidence}; `certify --times` proves a bound"))
        return [*columns([*lines, ("engine", f"composition of {question.profile.engine}")]), question.subject.note]

    @property
    def _level(self) -> str:
        return "exact" if not isinstance(self.value, Interval) or is_written_out(self.value) else "enclosure"

    @property
    def _evidence(self) -> str:
        is_wide = isinstance(self.value, Interval) and not self.value.is_point
        return "an interval that contains the truth" if is_wide else "computed by the engine"

    def _data(self) -> dict[str, Any]:
        profile = self.runs.profile
        if isinstance(self.asked, Fraction):
            answer = {"delta": exact_text(self.asked), "epsilon": eps_json(self.value)}
        else:
            answer = {self.asked.name: self.asked.shown, "delta": number_json(self.value)}
        return {
            **self.runs.question.data,
            "times": count(self.runs.times),
            "with": [{**noise.data, "shift": self.runs.shift, "times": count(k)} for noise, k in self.runs.others],
            "notion": profile.notion,
            "exact": profile.is_exact,
            "tight": profile.is_tight,
            "relative_width": exact_text(self.width or Fraction(1, 1000)),
            **answer,
            "level": self._level,
        }

    def _table(self) -> list[list[str]]:
        profile = self.runs.profile
        cells = {
            **self.runs.question.cells,
            "times": self.runs.times,
            "with": " ".join(f"{k}*{noise.name}" for noise, k in self.runs.others),
            "notion": profile.notion,
            "tight": profile.is_tight,
        }
        if isinstance(self.asked, Fraction):
            eps = eps_json(self.value)
            cells |= {"delta": exact_text(self.asked), "exp_eps": eps["exp_eps"], **number_cells("eps", eps)}
        else:
            cells |= {self.asked.name: self.asked.shown}
            cells |= number_cells("delta", number_json(self.value), exact=True)
        return records({**cells, "level": self._level})

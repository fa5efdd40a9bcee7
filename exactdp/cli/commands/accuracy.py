"""``accuracy``: the least error that the worst data set exceeds with probability beta or less, and a published bound.

The published alpha is the theorem's where --eps and --delta choose gamma, else the closed form for every beta. The JSON
is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

import exactdp as xdp
from exactdp.cli.frequency_answers import frequency_answer, is_by_name, is_file, named_protocol
from exactdp.cli.options import (
    OneOf,
    answer_options,
    one_of,
    option_of,
    options,
    privacy_level_options,
    target_option,
    with_parameters,
)
from exactdp.cli.output import (
    HONEST_USERS,
    Fact,
    Report,
    answer,
    count,
    exact_fact,
    number_fact,
    printable,
    users_facts,
)
from exactdp.cli.progress_bars import working
from exactdp.cli.question import confirm
from exactdp.cli.values import COUNT, EXACT, PROBABILITY, USERS, WHOLE, Typed, TypedLevel, refuse_given
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.exact import as_fraction, as_integer
from exactdp.numbers.formats import exact_text, number_text
from exactdp.numbers.real import read_parameter
from exactdp.protocols.named_protocols import ENTRIES, measured
from exactdp.protocols.naming.name_grammar import name_of

if TYPE_CHECKING:
    from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold


class _Measured(OneOf):
    """A protocol whose least error is a theorem, or a file of a randomizer."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return value if is_file(value) else super().convert(value, param, ctx)


_PROTOCOL: Final = _Measured(measured(), one_of(measured()).also)
_LITTLE: Final = 1 - Fraction(1, 2**40)
"""A claim with alpha times this is refuted, so that alpha is the least one but for a part of 10^12."""
_MOST_WALKED_USERS: Final = 10**9
"""With more users the checker takes minutes to walk through the noise of a count."""
_MOST_CHECKED_USERS: Final = 50
"""Most users of randomized response whose accuracy is also certified: the checker lists the view of each data set."""


Alpha: TypeAlias = "Fraction | xdp.Interval"


def _said(exact: str, enclosed: str) -> Callable[[Alpha], tuple[str, str]]:
    """Return what says the level of a number by its type, and why it is exact or enclosed."""
    return lambda alpha: ("exact", exact) if isinstance(alpha, Fraction) else ("enclosure", enclosed)


_BY_THEOREM: Final = _said(
    "by the protocol's own theorem; the checker is not asked", "by the protocol's own theorem, enclosed"
)

_OF_NUMBERS: Final = _said("", "two proved ends, but that the constant of Berry and Esseen's theorem is cited")


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, read: of every protocol the same, but for what is published and what the checker can be asked."""

    name: str
    n: int
    beta: Fraction
    unit: str
    """Of the estimate."""
    alpha: Callable[[], Alpha]
    """Computes the optimal accuracy."""
    parameters: tuple[Fact, ...] = ()
    """What the noise is given by."""
    published: Callable[[], tuple[xdp.Interval | None, str]] = lambda: (None, "none is known here")
    """Returns the published alpha, or None and why there is none."""
    evidence: Callable[[Alpha], tuple[str, str]] = _BY_THEOREM
    """Returns the level of alpha, and why."""
    bins: int | None = None
    simultaneous: bool = False

    def report(self) -> Report:
        """Compute the answer."""
        from exactdp.studies.calibration.savings import factor

        alpha, (published, source) = self.alpha(), self.published()
        level, reason = self.evidence(alpha)
        ratio = factor(published, alpha)
        bins = "" if self.bins is None else f", {self.bins} bins"
        what = "all bins together" if self.simultaneous else self.unit if self.bins is None else "one bin"
        return answer(
            Fact("protocol", self.name, "protocol", f"{self.name}, n = {self.n}{bins}"),
            *users_facts(self.n),
            Fact("bins", count(self.bins)),
            *self.parameters,
            exact_fact("beta", self.beta),
            Fact("simultaneous", self.simultaneous),
            Fact("unit", self.unit),
            number_fact("alpha", alpha, text=f"{number_text(alpha)}, {what}"),
            number_fact(
                "published", published, text=source if published is None else f"{number_text(published)}, {source}"
            ),
            number_fact("factor", ratio, "published / alpha"),
            Fact("level", level, "evidence", f"{level}: {reason}"),
            Fact("reason", reason),
            notes=[HONEST_USERS],
        )


_Typed: TypeAlias = "Mapping[str, Any]"
"""Name of an option -> what is typed, None where it is left out; ``simultaneous`` is a flag."""


@dataclass(frozen=True, slots=True)
class _ByOptions:
    """A protocol that is asked by options of its own: which have a meaning for it, and what reads them."""

    options: tuple[str, ...]
    read: Callable[[str, int, Fraction, _Typed], _Question]
    """From its name, n, beta and what is typed."""

    def question(self, name: str, typed: _Typed) -> _Question:
        """Return what is asked, or refuse what has no meaning."""
        for option in sorted(typed.keys() - {"users", "beta", *self.options}):
            owners = [other for other, one in _BY_OPTIONS.items() if option in one.options and option not in _SHARED]
            repair = "Leave it out: it belongs to {}.".format(*owners) if owners else "Leave it out."
            refuse_given({option: typed[option]}, f"for {name}", repair)
        return self.read(name, typed["users"], typed["beta"], typed)


@click.command("accuracy")
@click.argument("protocol", type=_PROTOCOL, metavar="PROTOCOL")
@option_of(USERS, "N", "-n", "--users", help="Number of users.")
@option_of(
    EXACT, "A", "--error", help="Of a randomizer, in place of -n: an error, as a share of the users that are needed."
)
@option_of(PROBABILITY, "G", "--gamma", help="Probability of no dummy, or of a random answer.")
@option_of(
    Typed(read_parameter), "P", "--p1", help="Of sums with messages +1 and -1: ratio of the noise of each: exp(-1/2)."
)
@option_of(WHOLE, "L", "--levels", help="Of split-and-mix: numbers in [0, 1] are rounded to multiples of 1/L.")
@options((target_option("--rate", EXACT), target_option("--threshold", COUNT)))
@options(privacy_level_options)
@option_of(PROBABILITY, "D", "--delta", help="With --eps: gamma, or p1, is the theorem's for (eps, delta).")
@option_of(PROBABILITY, "B", "--beta", required=True, help="Probability of a larger error, in [0, 1].")
@option_of(Typed(as_integer, at_least=2), "D", "--bins", help="Number of bins of the histogram.")
@option_of(COUNT, "B", "--bound", help="Of almost-central with --eps: the largest number of a user; default 1.")
@click.option("--simultaneous", is_flag=True, help="The largest error of all bins or inputs, not of one.")
@options(answer_options)
def accuracy_command(protocol: str, simultaneous: bool, **typed: Any) -> Report:
    """The least alpha that the error exceeds with probability at most beta, on the worst data set.

    PROTOCOL is zsum, histogram, randomized-response (of bits), correlated-counting, almost-central, split-and-mix
    (numbers in [0, 1] with noise of --eps), sample-and-threshold. alpha is in the unit of the estimate: the mean for
    the first two, for the others the sum. It is printed beside the published bound.

    Or it is a randomizer: a family by its name, as @unary-encoding:inputs=20,eps0=2, a file, or '@product:of=(NAME:...;
    ...)' with a line for each question. Then alpha is that of the unbiased estimate of the number of holders of an
    input; its standard deviation is printed, and what each message counts for. With --error in the place of -n the
    answer says how many users are needed. Of a number, as @piecewise:eps0=2, alpha is that of the sum of all.
    """
    if is_file(protocol) or is_by_name(protocol, tuple(_BY_OPTIONS)):
        with working(f"accuracy of {printable(protocol)}"):
            return _answer_named(protocol, simultaneous, typed)
    refuse_given({"error": typed.pop("error")}, f"for {protocol}", "Leave it out, and write -n 1000.")
    if typed["users"] is None:
        raise InvalidValueError(f"{protocol} needs -n, the number of users. Write -n 1000.")
    protocol, typed = with_parameters(_PROTOCOL, protocol, typed)
    question = _BY_OPTIONS[protocol].question(protocol, {**typed, "simultaneous": simultaneous})
    with working(f"optimal accuracy of {protocol} for n = {question.n}"):
        return question.report()


def _read_level(typed: _Typed, what: str) -> dict[str, Any]:
    """Return the eps and the delta at which a theorem chooses noise."""
    if typed["delta"] is None:
        raise InvalidValueError(f"--eps needs --delta, for {what}. Write --delta 1e-6.")
    return {"eps": TypedLevel.one_of(typed["eps"], typed["exp_eps"]).for_theorems, "delta": typed["delta"]}


def _is_by_theorem(typed: _Typed) -> bool:
    return any(typed[option] is not None for option in _LEVEL)


def _read_gamma(name: str, n: int, beta: Fraction, typed: _Typed, *, has_theorem: bool = True) -> _Question:
    from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma

    gamma, bins = typed["gamma"], typed["bins"]
    if "bins" in _BY_OPTIONS[name].options and bins is None:
        raise InvalidValueError(f"{name} needs --bins, the number of bins. Write --bins 100.")
    by_theorem = _is_by_theorem(typed)
    if (gamma is None) is not by_theorem or (by_theorem and not has_theorem):
        instead = ", or --eps and --delta for the theorem's gamma, and not both" if has_theorem else ""
        raise InvalidValueError(f"{name} needs --gamma{instead}. Write --gamma 1/8.")
    simultaneous = bool(typed["simultaneous"])
    if gamma is not None:
        return _with_gamma(name, n, gamma, beta, bins, simultaneous)
    target = _read_level(typed, "the theorem's gamma")
    return _with_gamma(name, n, zsum_rounded_gamma(n, **target), beta, bins, simultaneous, target)


def _with_gamma(
    name: str,
    n: int,
    gamma: Fraction,
    beta: Fraction,
    bins: int | None,
    simultaneous: bool,
    target: dict[str, Any] | None = None,
) -> _Question:
    """Return the question about bits, or a histogram, with gamma: the theorem's for ``target``, an eps and a delta.

    The error in one bin of a histogram is that of zsum.
    """
    from exactdp.protocols.accuracy.optimal import histogram_optimum
    from exactdp.protocols.accuracy.response import response_accuracy_bound

    is_response = name == "randomized-response"
    protocol = xdp.protocols.k_ary(n, 2, gamma=gamma) if is_response else xdp.protocols.zsum(n, gamma=gamma)

    def alpha() -> Alpha:
        if bins is not None and simultaneous:
            return histogram_optimum(n, bins, gamma, beta)
        return xdp.optimal_accuracy(protocol, beta=beta)

    def published() -> tuple[xdp.Interval | None, str]:
        from exactdp import bounds

        if not 0 < beta < 1 or gamma == 0:
            return None, "none: it is for beta and gamma between 0 and 1"
        if is_response:
            return response_accuracy_bound(n, gamma / 2, beta), "Hoeffding's inequality"
        if target is not None:
            theorem = bounds.histogram_theorem_accuracy if simultaneous else bounds.zsum_theorem_accuracy
            try:
                return theorem(n, **target, beta=beta), "the theorem's, for this eps"
            except HypothesisError:  # beta is below the theorem's; the closed form is for every beta
                pass
        closed = bounds.histogram_accuracy if simultaneous else bounds.zsum_accuracy
        return closed(n, gamma=gamma, beta=beta), "the closed form for every beta"

    def evidence(least: Alpha) -> tuple[str, str]:
        if not isinstance(least, Fraction):
            return "enclosure", "the theorem for all bins, or all data sets, and enclosed tails"
        if simultaneous:
            return "exact", "no claim is about all bins together, so the checker is not asked"
        if is_response and n > _MOST_CHECKED_USERS:
            return "exact", f"the checker is asked up to {_MOST_CHECKED_USERS} users"
        if n > _MOST_WALKED_USERS:
            return "exact", f"the checker, which walks through the noise, is asked up to {_MOST_WALKED_USERS} users"
        asked: dict[str, Any] = {"beta": beta, **({"values": {0: 0, 1: 1}} if is_response else {})}
        claims = [xdp.Claim.accuracy(protocol, alpha=least, **asked)]
        if least:
            claims.append(xdp.Claim.negation(xdp.Claim.accuracy(protocol, alpha=least * _LITTLE, **asked)))
        if confirm(xdp.Claim.conjunction(*claims)):
            return "certificate", "alpha is enough, and (1 - 2^-40) alpha is not"
        return "exact", "beyond the checker"

    unit, noise = ENTRIES[name].unit, (exact_fact("gamma", gamma),)
    return _Question(name, n, beta, unit, alpha, noise, published, evidence, bins, simultaneous)


def _answer_named(text: str, simultaneous: bool, typed: _Typed) -> Report:
    """Return the answer about a randomizer, or about a protocol whose parameters are in its name."""
    others = {name: value for name, value in typed.items() if name not in ("users", "beta", "error")}
    refuse_given(others, f"for {text}")
    beta, n, error = typed["beta"], typed["users"], typed["error"]
    if (n is None) is (error is None):
        raise InvalidValueError(f"{text} needs -n or --error, and not both. Write -n 1000.")
    name, unit, build = named_protocol(text)
    protocol = build(1)
    if protocol.is_shuffled_randomizer and protocol.estimates_several:
        return frequency_answer(name, protocol.numeric_randomizer, n, error, beta, simultaneous)
    refuse_given({"error": error, "simultaneous": simultaneous and not protocol.estimates_several}, f"for {text}")

    def alpha() -> Alpha:
        return xdp.optimal_accuracy(build(n), beta=beta, simultaneous=simultaneous)

    if protocol.is_shuffled_randomizer and protocol.analyzer is None:
        given, evidence = (Fact("randomizer", name, "randomizer", name),), _OF_NUMBERS
        return _Question(name_of(name), n, beta, unit, alpha, given, evidence=evidence).report()
    return _Question(name, n, beta, unit, alpha, simultaneous=simultaneous).report()


def _read_sampled(name: str, n: int, beta: Fraction, typed: _Typed) -> _Question:
    rate, threshold = given = typed["rate"], typed["threshold"]
    if (None in given) is not _is_by_theorem(typed) or (given != (None, None) and None in given):
        raise InvalidValueError(
            f"{name} needs --rate and --threshold, or --eps and --delta for the published ones, and not both. "
            "Write --rate 1/8 --threshold 20."
        )
    if rate is not None and threshold is not None:
        return _sampled(name, xdp.protocols.sample_and_threshold(n, rate=rate, threshold=threshold), beta)
    target = _read_level(typed, "the published threshold")
    return _sampled(name, xdp.protocols.sample_and_threshold_from_theorem(n, **target), beta)


def _sampled(name: str, protocol: SampleAndThreshold, beta: Fraction) -> _Question:
    """Return the question about the count of one symbol, whatever the others are."""
    threshold = str(protocol.threshold)
    return _Question(
        name,
        protocol.n,
        beta,
        "sum",
        lambda: xdp.optimal_accuracy(protocol, beta=beta),
        (exact_fact("rate", protocol.rate), Fact("threshold", threshold, "threshold", threshold)),
        lambda: (None, "none: no bound for all numbers of holders is published"),
        _said(
            "the worst of all numbers of holders; the checker is not asked",
            "two proved ends, of all numbers of holders",
        ),
    )


def _read_ratio(name: str, n: int, beta: Fraction, typed: _Typed, *, of_theorem: Callable[..., Any]) -> _Question:
    """Return the question with the p1 that is typed, or with that of the theorem for n, eps and delta."""
    if (typed["p1"] is None) is not _is_by_theorem(typed):
        raise InvalidValueError(
            f"{name} needs --p1, or --eps and --delta for the theorem's p1, and not both. Write --p1 1/2."
        )
    if typed["p1"] is None:
        return _correlated(name, n, of_theorem(n, typed["bound"], **_read_level(typed, "the theorem's p1")), beta)
    refuse_given({"bound": typed["bound"]}, f"for {name} with --p1")
    return _correlated(name, n, typed["p1"], beta)


def _ratio_of_counting(n: int, bound: None, **level: Any) -> Fraction | xdp.Real:
    return xdp.protocols.correlated_counting_from_theorem(n, **level).p1


def _ratio_of_sums(n: int, bound: int | None, **level: Any) -> Fraction | xdp.Real:
    return xdp.protocols.almost_central_sum(n, bound=bound or 1, **level).p


def _correlated(name: str, n: int, p1: Fraction | xdp.Real, beta: Fraction) -> _Question:
    """Return the question about sums whose error has one law on every data set, which depends on p1 alone."""
    written = exact_text(p1) if isinstance(p1, Fraction) else str(p1)
    return _Question(
        name,
        n,
        beta,
        "sum",
        lambda: xdp.optimal_accuracy(xdp.protocols.correlated_counting(n, p1=p1, p2=Fraction(1, 2), r=1), beta=beta),
        (Fact("p1", written, "p1", number_text(p1) if isinstance(p1, Fraction) else written),),
        lambda: (None, "none: alpha is a quantile of the published law of the error"),
        lambda _: (
            ("exact", "no claim states this protocol, so the checker is not asked")
            if isinstance(p1, Fraction)
            else ("enclosure", "enclosed tails of discrete Laplace noise")
        ),
    )


def _read_sum(name: str, n: int, beta: Fraction, typed: _Typed) -> _Question:
    if missing := [option for option in _BY_OPTIONS[name].options if typed[option] is None]:
        raise InvalidValueError(f"{name} needs --{missing[0]}. Write --levels 1000 --eps 1.")
    levels, eps = typed["levels"], as_fraction(typed["eps"].shown, name="eps")
    return _Question(
        name,
        n,
        beta,
        "sum",
        lambda: xdp.optimal_accuracy(  # it does not depend on the number of messages
            xdp.protocols.fixed_point_sum(n, levels=levels, eps=eps, messages=3), beta=beta
        ),
        (exact_fact("eps", eps), Fact("levels", count(levels), "levels", str(levels))),
        lambda: (None, f"none; rounding alone errs by up to {number_text(Fraction(n, 2 * levels))}"),
        lambda _: ("enclosure", "the worst rounding by a theorem, and enclosed tails of discrete Laplace noise"),
    )


_LEVEL: Final = ("eps", "exp_eps", "delta")
_SHARED: Final = ("gamma", *_LEVEL)
"""Options that belong to no protocol alone."""
_BY_OPTIONS: Final = {
    "zsum": _ByOptions(("gamma", *_LEVEL), _read_gamma),
    "histogram": _ByOptions(("gamma", *_LEVEL, "bins", "simultaneous"), _read_gamma),
    "randomized-response": _ByOptions(("gamma", *_LEVEL), partial(_read_gamma, has_theorem=False)),
    "correlated-counting": _ByOptions(("p1", *_LEVEL), partial(_read_ratio, of_theorem=_ratio_of_counting)),
    "almost-central": _ByOptions(("p1", *_LEVEL, "bound"), partial(_read_ratio, of_theorem=_ratio_of_sums)),
    "split-and-mix": _ByOptions(("levels", "eps"), _read_sum),
    "sample-and-threshold": _ByOptions(("rate", "threshold", *_LEVEL), _read_sampled),
}
"""Name -> how it was asked before there was a grammar of names."""

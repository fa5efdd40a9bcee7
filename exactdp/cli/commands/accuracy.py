"""``accuracy``: the least error that the worst data set exceeds with probability beta or less, and a published bound.

The published alpha is the theorem's where --eps and --delta choose gamma, else the closed form for every beta. The JSON
is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import click

import exactdp as xdp
from exactdp.cli.options import answer_options, one_of, options, privacy_level_options, target_option, with_parameters
from exactdp.cli.output import HONEST_USERS, Report, columns, count, counted_users, flat, number_data, records
from exactdp.cli.progress_bars import working
from exactdp.cli.question import confirm
from exactdp.cli.values import TypedLevel
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, number_text
from exactdp.numbers.real import read_parameter
from exactdp.protocols.named_protocols import ENTRIES, measured
from exactdp.protocols.naming.name_grammar import name_of
from exactdp.protocols.naming.populations import read_population
from exactdp.protocols.naming.targets import ProtocolTarget, known, read_target

if TYPE_CHECKING:
    from exactdp.protocols.thresholded.sample_and_threshold_protocol import SampleAndThreshold

_CORRELATED: Final = "correlated-counting"
_ALMOST_CENTRAL: Final = "almost-central"
_SPLIT: Final = "split-and-mix"
_SAMPLED: Final = "sample-and-threshold"
_PROTOCOL: Final = one_of(measured())
"""The protocols whose optimal accuracy is a theorem."""
_LITTLE: Final = 1 - Fraction(1, 2**40)
"""A claim with alpha times this is refuted, so that alpha is the least one but for a part of 10^12."""
_MOST_WALKED_USERS: Final = 10**9
"""With more users the checker takes minutes to walk through the noise of a count."""
_MOST_CHECKED_USERS: Final = 50
"""Most users of randomized response whose accuracy is also certified: the checker lists the view of each data set."""


_Parameter: TypeAlias = tuple[str, str, int | str | None]
"""A parameter of a protocol: its name, for reading, and as JSON data."""


@dataclass(frozen=True, slots=True)
class _AccuracyQuestion:
    """What is asked, read."""

    name: str
    n: int
    gamma: Fraction
    beta: Fraction
    bins: int | None
    simultaneous: bool
    target: dict[str, Any] | None = None
    """The eps and the delta that gamma is the theorem's for."""

    @property
    def parameters(self) -> tuple[_Parameter, ...]:
        """What the noise is given by."""
        return (("gamma", number_text(self.gamma), exact_text(self.gamma)),)

    @property
    def unit(self) -> str:
        """The unit of the estimate."""
        return ENTRIES[self.name].unit

    def protocol(self) -> xdp.AdditiveProtocol | xdp.ShuffleProtocol:
        """The protocol; for the error in one bin of a histogram that of zsum."""
        if self.name == "randomized-response":
            return xdp.protocols.k_ary(self.n, 2, gamma=self.gamma)
        return xdp.protocols.zsum(self.n, gamma=self.gamma)

    def alpha(self) -> Fraction | xdp.Interval:
        """The optimal accuracy."""
        from exactdp.protocols.accuracy.optimal import histogram_optimum

        if self.bins is not None and self.simultaneous:
            return histogram_optimum(self.n, self.bins, self.gamma, self.beta)
        return xdp.optimal_accuracy(self.protocol(), beta=self.beta)

    def published(self) -> tuple[xdp.Interval | None, str]:
        """The published alpha, or None and why there is none."""
        from exactdp import bounds
        from exactdp.protocols.accuracy.response import response_accuracy_bound

        if not 0 < self.beta < 1 or self.gamma == 0:
            return None, "none: it is for beta and gamma between 0 and 1"
        if self.name == "randomized-response":
            return response_accuracy_bound(self.n, self.gamma / 2, self.beta), "Hoeffding's inequality"
        if self.target is not None:
            theorem = bounds.histogram_theorem_accuracy if self.simultaneous else bounds.zsum_theorem_accuracy
            try:
                return theorem(self.n, **self.target, beta=self.beta), "the theorem's, for this eps"
            except HypothesisError:  # beta is below the theorem's; the closed form is for every beta
                pass
        closed = bounds.histogram_accuracy if self.simultaneous else bounds.zsum_accuracy
        return closed(self.n, gamma=self.gamma, beta=self.beta), "the closed form for every beta"

    def level(self, alpha: Fraction | xdp.Interval) -> tuple[str, str]:
        """What stands behind alpha, and why."""
        if not isinstance(alpha, Fraction):
            return "enclosure", "the theorem for all bins, or all data sets, and enclosed tails"
        if self.simultaneous:
            return "exact", "no claim is about all bins together, so the checker is not asked"
        if self.name == "randomized-response" and self.n > _MOST_CHECKED_USERS:
            return "exact", f"the checker is asked up to {_MOST_CHECKED_USERS} users"
        if self.n > _MOST_WALKED_USERS:
            return "exact", f"the checker, which walks through the noise, is asked up to {_MOST_WALKED_USERS} users"
        asked: dict[str, Any] = {"beta": self.beta}
        if self.name == "randomized-response":
            asked["values"] = {0: 0, 1: 1}
        claims = [xdp.Claim.accuracy(self.protocol(), alpha=alpha, **asked)]
        if alpha:
            claims.append(xdp.Claim.negation(xdp.Claim.accuracy(self.protocol(), alpha=alpha * _LITTLE, **asked)))
        if confirm(xdp.Claim.conjunction(*claims)):
            return "certificate", "alpha is enough, and (1 - 2^-40) alpha is not"
        return "exact", "beyond the checker"


@dataclass(frozen=True, slots=True)
class _CorrelatedQuestion:
    """The same of correlated counting and almost central sums, whose error has one law on every data set."""

    name: str
    n: int
    p1: Fraction | xdp.Real
    beta: Fraction

    bins = None
    simultaneous = False
    unit = "sum"

    @property
    def parameters(self) -> tuple[_Parameter, ...]:
        """What the noise is given by."""
        written = exact_text(self.p1) if isinstance(self.p1, Fraction) else str(self.p1)
        return (("p1", number_text(self.p1) if isinstance(self.p1, Fraction) else written, written),)

    def alpha(self) -> Fraction | xdp.Interval:
        """The optimal accuracy, which depends on p1 alone."""
        protocol = xdp.protocols.correlated_counting(self.n, p1=self.p1, p2=Fraction(1, 2), r=1)
        return xdp.optimal_accuracy(protocol, beta=self.beta)

    def published(self) -> tuple[None, str]:
        """None, and why."""
        return None, "none: alpha is a quantile of the published law of the error"

    def level(self, alpha: Fraction | xdp.Interval) -> tuple[str, str]:
        """What stands behind alpha, and why."""
        if isinstance(self.p1, Fraction):
            return "exact", "no claim states this protocol, so the checker is not asked"
        return "enclosure", "enclosed tails of discrete Laplace noise"


@dataclass(frozen=True, slots=True)
class _SumQuestion:
    """The same of sums of numbers in [0, 1] by split and mix: rounding, noise, and no other error."""

    n: int
    levels: int
    eps: Fraction
    beta: Fraction

    name = _SPLIT
    bins = None
    simultaneous = False
    unit = "sum"

    @property
    def parameters(self) -> tuple[_Parameter, ...]:
        """What the protocol is given by."""
        return ("eps", number_text(self.eps), exact_text(self.eps)), ("levels", str(self.levels), count(self.levels))

    def alpha(self) -> Fraction | xdp.Interval:
        """The optimal accuracy over all numbers in [0, 1]; it does not depend on the number of messages."""
        protocol = xdp.protocols.fixed_point_sum(self.n, levels=self.levels, eps=self.eps, messages=3)
        return xdp.optimal_accuracy(protocol, beta=self.beta)

    def published(self) -> tuple[None, str]:
        """None, and why."""
        return None, f"none; rounding alone errs by up to {number_text(Fraction(self.n, 2 * self.levels))}"

    def level(self, alpha: Fraction | xdp.Interval) -> tuple[str, str]:
        """What stands behind alpha, and why."""
        return "enclosure", "the worst rounding by a theorem, and enclosed tails of discrete Laplace noise"


@dataclass(frozen=True, slots=True)
class _SampledQuestion:
    """The same of sample and threshold: the count of one symbol, whatever the others are."""

    protocol: SampleAndThreshold
    beta: Fraction

    name = _SAMPLED
    bins = None
    simultaneous = False
    unit = "sum"

    @property
    def n(self) -> int:
        """The number of users."""
        return self.protocol.n

    @property
    def parameters(self) -> tuple[_Parameter, ...]:
        """What the protocol is given by."""
        rate, threshold = self.protocol.rate, str(self.protocol.threshold)
        return ("rate", number_text(rate), exact_text(rate)), ("threshold", threshold, threshold)

    def alpha(self) -> Fraction | xdp.Interval:
        """The optimal accuracy."""
        return xdp.optimal_accuracy(self.protocol, beta=self.beta)

    def published(self) -> tuple[None, str]:
        """None, and why."""
        return None, "none: no bound for all numbers of holders is published"

    def level(self, alpha: Fraction | xdp.Interval) -> tuple[str, str]:
        """What stands behind alpha, and why."""
        if isinstance(alpha, Fraction):
            return "exact", "the worst of all numbers of holders; the checker is not asked"
        return "enclosure", "two proved ends, of all numbers of holders"


@dataclass(frozen=True, slots=True)
class _NamedQuestion:
    """The same of any other protocol that has a least error, by its name with its parameters."""

    name: str
    n: int
    protocol: Any
    beta: Fraction
    unit: str

    bins = None
    simultaneous = False
    parameters: tuple[_Parameter, ...] = ()

    def alpha(self) -> Fraction | xdp.Interval:
        """The optimal accuracy."""
        return xdp.optimal_accuracy(self.protocol, beta=self.beta)

    def published(self) -> tuple[None, str]:
        """None, and why."""
        return None, "none is known here"

    def level(self, alpha: Fraction | xdp.Interval) -> tuple[str, str]:
        """What stands behind alpha, and why."""
        if isinstance(alpha, Fraction):
            return "exact", "by the protocol's own theorem; the checker is not asked"
        return "enclosure", "by the protocol's own theorem, enclosed"


_Question: TypeAlias = _AccuracyQuestion | _CorrelatedQuestion | _SumQuestion | _SampledQuestion | _NamedQuestion
_BY_OPTIONS: Final = ("zsum", "histogram", "randomized-response", _CORRELATED, _ALMOST_CENTRAL, _SPLIT, _SAMPLED)
"""What is asked by options of its own."""


@click.command("accuracy")
@click.argument("protocol", callback=_PROTOCOL, metavar="PROTOCOL")
@click.option("-n", "--users", metavar="N", required=True, help="Number of users.")
@click.option("--gamma", metavar="G", help="Probability of no dummy, or of a random answer.")
@click.option("--p1", metavar="P", help="Of sums with messages +1 and -1: ratio of the noise of each: exp(-1/2).")
@click.option("--levels", metavar="L", help="Of split-and-mix: numbers in [0, 1] are rounded to multiples of 1/L.")
@options((target_option("--rate"), target_option("--threshold")))
@options(privacy_level_options)
@click.option("--delta", metavar="D", help="With --eps: gamma, or p1, is the theorem's for (eps, delta).")
@click.option("--beta", metavar="B", required=True, help="Probability of a larger error, in [0, 1].")
@click.option("--bins", metavar="D", help="Number of bins of the histogram.")
@click.option("--bound", metavar="B", help="Of almost-central with --eps: the largest number of a user; default 1.")
@click.option("--simultaneous", is_flag=True, help="The largest error of all bins, instead of that of one.")
@options(answer_options)
def accuracy_command(protocol: str, simultaneous: bool, **typed: str | None) -> Report:
    """The least alpha that the error exceeds with probability at most beta, on the worst data set.

    PROTOCOL is zsum, histogram, randomized-response (of bits), correlated-counting, almost-central, split-and-mix
    (numbers in [0, 1] with noise of --eps) or sample-and-threshold. alpha is in the unit of the estimate: the mean for
    the first two, for the others the sum, or the number of holders. It is printed beside the published bound.
    """
    entry, _ = known(name_of(f"@{protocol.removeprefix('@')}"))
    if _PROTOCOL.also.get(entry.name, entry.name) not in _BY_OPTIONS:
        named = _read_named(entry.unit, f"@{protocol.removeprefix('@')}", simultaneous, typed)
        with working(f"optimal accuracy of {named.name} for n = {named.n}"):
            return _report(named, named.alpha())
    protocol, typed = with_parameters(_PROTOCOL, protocol, typed)
    owners = {"bound": _ALMOST_CENTRAL, "levels": _SPLIT, "rate": _SAMPLED, "threshold": _SAMPLED}
    if wrong := [option for option, owner in owners.items() if typed[option] is not None and protocol != owner]:
        raise InvalidValueError(
            f"--{wrong[0]} has no meaning for {protocol}. Leave it out: it belongs to {owners[wrong[0]]}."
        )
    question: _Question
    if protocol == _SPLIT:
        question = _read_sum(simultaneous, typed)
    elif protocol == _SAMPLED:
        question = _read_sampled(simultaneous, typed)
    elif protocol in (_CORRELATED, _ALMOST_CENTRAL):
        question = _read_correlated(protocol, simultaneous, typed)
    else:
        question = _read(protocol, simultaneous, typed)
    with working(f"optimal accuracy of {protocol} for n = {question.n}"):
        return _report(question, question.alpha())


def _read(name: str, simultaneous: bool, typed: Mapping[str, str | None]) -> _AccuracyQuestion:
    from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_rounded_gamma

    gamma, eps, exp_eps, delta, bins = map(typed.get, ("gamma", "eps", "exp_eps", "delta", "bins"))
    for option, owner in (("p1", _CORRELATED), ("bound", _ALMOST_CENTRAL)):
        if typed[option] is not None:
            raise InvalidValueError(f"--{option} has no meaning for {name}. Leave it out: it belongs to {owner}.")
    n = read_population(typed["users"])
    failure = as_probability(typed["beta"], name="beta")
    if name != "histogram" and (bins is not None or simultaneous):
        option = "--simultaneous" if bins is None else "--bins"
        raise InvalidValueError(f"{option} has no meaning for {name}. Leave it out: it belongs to histogram.")
    if name == "histogram" and bins is None:
        raise InvalidValueError("histogram needs --bins, the number of bins. Write --bins 100.")
    size = None if bins is None else as_integer(bins, name="bins", at_least=2)
    has_theorem, by_theorem = name != "randomized-response", (eps, exp_eps, delta) != (None, None, None)
    if (gamma is None) is not by_theorem or (by_theorem and not has_theorem):
        instead = ", or --eps and --delta for the theorem's gamma, and not both" if has_theorem else ""
        raise InvalidValueError(f"{name} needs --gamma{instead}. Write --gamma 1/8.")
    if gamma is not None:
        return _AccuracyQuestion(name, n, as_probability(gamma, name="gamma"), failure, size, simultaneous)
    if delta is None:
        raise InvalidValueError("--eps needs --delta, for the theorem's gamma. Write --delta 1e-6.")
    level = TypedLevel.read(eps, exp_eps).for_theorems
    target: dict[str, Any] = {"eps": level, "delta": as_probability(delta, name="delta")}
    return _AccuracyQuestion(name, n, zsum_rounded_gamma(n, **target), failure, size, simultaneous, target)


def _read_named(unit: str, text: str, simultaneous: bool, typed: Mapping[str, str | None]) -> _NamedQuestion:
    wrong = {f"--{name.replace('_', '-')}": value for name, value in typed.items() if name not in ("users", "beta")}
    wrong["--simultaneous"] = "" if simultaneous else None
    if superfluous := [option for option, value in wrong.items() if value is not None]:
        raise InvalidValueError(f"{superfluous[0]} has no meaning for {text}. Leave it out.")
    n, failure = read_population(typed["users"]), as_probability(typed["beta"], name="beta")
    target = read_target(text)
    assert isinstance(target, ProtocolTarget)
    return _NamedQuestion(target.name, n, target.build(n), failure, unit)


def _read_sampled(simultaneous: bool, typed: Mapping[str, str | None]) -> _SampledQuestion:
    wrong = {f"--{name}": typed[name] for name in ("gamma", "bins", "p1")}
    wrong["--simultaneous"] = "" if simultaneous else None
    if superfluous := [option for option, text in wrong.items() if text is not None]:
        raise InvalidValueError(f"{superfluous[0]} has no meaning for {_SAMPLED}. Leave it out.")
    rate, threshold, delta = typed["rate"], typed["threshold"], typed["delta"]
    given, by_theorem = (rate, threshold), (typed["eps"], typed["exp_eps"], delta)
    n, failure = read_population(typed["users"]), as_probability(typed["beta"], name="beta")
    if (None in given) is (by_theorem == (None, None, None)) or (given != (None, None) and None in given):
        raise InvalidValueError(
            f"{_SAMPLED} needs --rate and --threshold, or --eps and --delta for the published ones, and not both. "
            "Write --rate 1/8 --threshold 20."
        )
    if rate is not None and threshold is not None:
        count_from = as_integer(threshold, name="threshold", at_least=1)
        return _SampledQuestion(xdp.protocols.sample_and_threshold(n, rate=rate, threshold=count_from), failure)
    if delta is None:
        raise InvalidValueError("--eps needs --delta, for the published threshold. Write --delta 1e-6.")
    level = TypedLevel.read(typed["eps"], typed["exp_eps"]).for_theorems
    return _SampledQuestion(xdp.protocols.sample_and_threshold_from_theorem(n, eps=level, delta=delta), failure)


def _read_correlated(name: str, simultaneous: bool, typed: Mapping[str, str | None]) -> _CorrelatedQuestion:
    p1, eps, exp_eps, delta = map(typed.get, ("p1", "eps", "exp_eps", "delta"))
    wrong = {"--gamma": typed["gamma"], "--bins": typed["bins"], "--simultaneous": "" if simultaneous else None}
    if name == _CORRELATED or p1 is not None:
        wrong["--bound"] = typed["bound"]
    if superfluous := [option for option, text in wrong.items() if text is not None]:
        raise InvalidValueError(f"{superfluous[0]} has no meaning for {name}. Leave it out.")
    n, failure = read_population(typed["users"]), as_probability(typed["beta"], name="beta")
    if (p1 is None) is ((eps, exp_eps, delta) == (None, None, None)):
        raise InvalidValueError(
            f"{name} needs --p1, or --eps and --delta for the theorem's p1, and not both. Write --p1 1/2."
        )
    if p1 is not None:
        return _CorrelatedQuestion(name, n, read_parameter(p1, name="p1"), failure)
    if delta is None:
        raise InvalidValueError("--eps needs --delta, for the theorem's p1. Write --delta 1e-6.")
    level = TypedLevel.read(eps, exp_eps).for_theorems
    if name == _ALMOST_CENTRAL:
        bound = as_integer(typed["bound"] or "1", name="bound", at_least=1)
        ratio = xdp.protocols.almost_central_sum(n, bound=bound, eps=level, delta=delta).p
    else:
        ratio = xdp.protocols.correlated_counting_from_theorem(n, eps=level, delta=delta).p1
    return _CorrelatedQuestion(name, n, ratio, failure)


def _read_sum(simultaneous: bool, typed: Mapping[str, str | None]) -> _SumQuestion:
    given = {f"--{name.replace('_', '-')}": typed[name] for name in ("gamma", "p1", "bins", "exp_eps", "delta")}
    wrong = {**given, "--simultaneous": "" if simultaneous else None}
    if superfluous := [option for option, text in wrong.items() if text is not None]:
        raise InvalidValueError(f"{superfluous[0]} has no meaning for {_SPLIT}. Leave it out.")
    n, failure = read_population(typed["users"]), as_probability(typed["beta"], name="beta")
    if missing := [name for name in ("levels", "eps") if typed[name] is None]:
        raise InvalidValueError(f"{_SPLIT} needs --{missing[0]}. Write --levels 1000 --eps 1.")
    return _SumQuestion(n, as_integer(typed["levels"], name="levels"), as_fraction(typed["eps"], name="eps"), failure)


def _report(question: _Question, alpha: Fraction | xdp.Interval) -> Report:
    from exactdp.studies.calibration.savings import factor

    (published, source), (level, reason) = question.published(), question.level(alpha)
    ratio = factor(published, alpha)
    bins = "" if question.bins is None else f", {question.bins} bins"
    what = "all bins together" if question.simultaneous else "one bin" if question.bins is not None else question.unit
    lines = [
        ("protocol", f"{question.name}, n = {question.n}{bins}"),
        *((name, shown) for name, shown, _ in question.parameters),
        ("beta", number_text(question.beta)),
        ("alpha", f"{number_text(alpha)}, {what}"),
        ("published", source if published is None else f"{number_text(published)}, {source}"),
        ("published / alpha", "none" if ratio is None else number_text(ratio)),
        ("evidence", f"{level}: {reason}"),
    ]
    data = {
        "protocol": question.name,
        **counted_users(question.n),
        "bins": count(question.bins),
        **{name: written for name, _, written in question.parameters},
        "beta": exact_text(question.beta),
        "simultaneous": question.simultaneous,
        "unit": question.unit,
        "alpha": number_data(alpha),
        "published": number_data(published),
        "factor": number_data(ratio),
        "level": level,
        "reason": reason,
    }
    numbers = ("alpha", "published", "factor")
    return Report(lambda: [*columns(lines), HONEST_USERS], lambda: data, lambda: records(flat(data, ends=numbers)))

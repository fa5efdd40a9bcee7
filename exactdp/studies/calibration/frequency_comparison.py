"""Protocols that count the holders of many inputs, compared at one (eps, delta): noise, messages and error of each.

Every protocol is given the least noise that is shown enough. Where delta is known to any accuracy that is the least on
a grid (``least``); where it lies between two proved ends it is what the upper end shows safe (``enough``), and a little
less may be. Errors are those of the estimated number of holders, in users: of one input on the worst data set, and of
all inputs together. For these the union over the inputs is enough, at beta/d for each, and the error of one is never
more: two ends, where no better theorem is at hand.

Cost: 18 s for all at 10^6 users and 1000 inputs, 15 s at 10^4 and 100, a minute at 10^9 and 1000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.laws.poisson import Poisson
from exactdp.mechanisms.dummies_family import BallsIntoBins
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.protocols.accuracy.optimal import histogram_optimum, optimal_accuracy
from exactdp.protocols.flooded.flooding_protocol import Flooding
from exactdp.protocols.interface import Protocol
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.protocols.zsum_and_histogram.histogram_protocol import histogram, histogram_from_theorem
from exactdp.studies.calibration.frequency_families import mixed_flooding_family
from exactdp.studies.calibration.grid_search import calibrate
from exactdp.studies.calibration.local_families import LocalFamily, local_family
from exactdp.studies.calibration.two_ended_search import TwoEndedSearch

Number: TypeAlias = Fraction | Interval

_INTERVAL_BITS: Final = 64
"""Ends are rounded outward to more digits than are shown."""

_DELTA_BITS: Final = 20
"""Accuracy of the privacy that is printed."""

_MOST_INPUTS: Final = 10**5
"""The messages of local hashing with more are too many to be counted."""

_QUICK: Final = 10**5
"""Most pairs times outcomes that are scanned exactly: a dozen times for each row."""

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Sent:
    """What one user sends: expected messages, the most of them or None, and the bits of one."""

    messages: Fraction
    most: int | None
    bits: int


@dataclass(frozen=True, slots=True)
class FrequencyRow:
    """One protocol at (eps, delta).

    Args:
        name: what the protocol is called.
        choice: how its noise was chosen: "least", "enough" (by a proved upper end) or "theorem".
        parameter: what is chosen, and its value.
        delta: the privacy at eps that is really there: exact or enclosed; between two ends the interval of both.
        communication: messages of one user, and the bits of one.
        error: the least error of one input that the worst data set exceeds with probability at most beta, in users.
        simultaneous: the same of all inputs together.
        reason: why there is no answer, in one line; then the numbers are None.
    """

    name: str
    choice: str
    parameter: tuple[str, Fraction] | None
    delta: Number | None
    communication: Sent | None
    error: Number | None
    simultaneous: Number | None
    reason: str = ""

    @property
    def levels(self) -> dict[str, str]:
        """What stands behind each number: "exact" or "enclosure"."""
        numbers = {"delta": self.delta, "error": self.error, "simultaneous": self.simultaneous}
        return {
            name: "exact" if isinstance(number, Fraction) else "enclosure"
            for name, number in numbers.items()
            if number is not None
        }


@dataclass(frozen=True, slots=True)
class _Question:
    n: int
    d: int
    level: PrivacyLevel
    delta: Fraction
    beta: Fraction

    @property
    def asked(self) -> dict[str, Any]:
        return {**self.level.keywords, "delta": self.delta, "n": self.n, "inputs": self.d}

    def row(
        self, name: str, choice: str, parameter: tuple[str, Fraction], protocol: Protocol, together: Number, sent: Any
    ) -> FrequencyRow:
        """Return a row of a protocol whose error of one input is to be asked."""
        delta = protocol.privacy_profile(limit=_QUICK).delta(**self.level.keywords, relative_bits=_DELTA_BITS)
        unit = self.n if name.startswith("histogram") else 1
        error = optimal_accuracy(protocol, beta=self.beta)
        return FrequencyRow(name, choice, parameter, delta, sent, _times(error, unit), _times(together, unit))


def compare_frequencies(
    n: int,
    d: int,
    *,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    beta: Exact = "1/20",
    only: Iterable[str] | None = None,
) -> tuple[FrequencyRow, ...]:
    """Return what each protocol for frequencies of d inputs sends, and how much it errs, at one (eps, delta).

    Args:
        n: number of users who follow the protocol, at least 1.
        d: number of inputs, 2 to 10^5.
        eps, exp_eps: one of eps >= 0 and e^eps >= 1.
        delta: in (0, 1).
        beta: probability of a larger error, in (0, 1).
        only: names of the rows that are wanted, of ``FREQUENCY_PROTOCOLS``; None for all.

    Returns:
        Rows of the histogram protocol (by its theorem too), k-ary response, unary encoding (symmetric, optimized),
        subset selection, Hadamard response, local hashing, balls into bins, mixed dummies, flooding, and random answers
        among half of that noise. Where one is out of reach its row has the reason.

    >>> for row in compare_frequencies(10**4, 20, eps=1, delta="1e-6", only=("balls into bins", "flooding")):
    ...     print(row.name, float(row.communication.messages) < 2, round(float(row.error)))
    balls into bins False 43
    flooding True 13

    Cost: see the module's docstring.
    """
    question = _Question(
        as_integer(n, name="n", at_least=1),
        as_integer(d, name="d", at_least=2),
        read_privacy_level(eps=eps, exp_eps=exp_eps),
        as_probability(delta, name="delta"),
        as_probability(beta, name="beta"),
    )
    if question.d > _MOST_INPUTS:
        raise TooLargeError(f"d={short(question.d)} is more than the limit of {_MOST_INPUTS} inputs. Use fewer.")
    wanted = tuple(_ENTRIES) if only is None else tuple(only)
    if unknown := [name for name in wanted if name not in _ENTRIES]:
        raise InvalidValueError(f"only={short(unknown[0])!r} is no row. The rows are {', '.join(_ENTRIES)}.")
    return tuple(_answered(name, _ENTRIES[name], question) for name in wanted)


def _answered(name: str, make: Callable[[_Question, str], FrequencyRow], question: _Question) -> FrequencyRow:
    try:
        return make(question, name)
    except ExactDPError as error:
        return FrequencyRow(name, "", None, None, None, None, None, " ".join(str(error).split()))


# --- Entries --------------------------------------------------------------------------------------------------------


def _histogram(question: _Question, name: str) -> FrequencyRow:
    calibration = calibrate("histogram", **question.asked)
    return _histogram_row(question, name, "least", calibration.parameter)


def _histogram_theorem(question: _Question, name: str) -> FrequencyRow:
    """Return the theorem's protocol: it is (2 eps, 2 delta)-DP with the eps and delta of one bin."""
    level = question.level.keywords
    eps: Any = (
        Fraction(level["eps"]) / 2 if "eps" in level and not isinstance(level["eps"], LogRational) else _half(level)
    )
    protocol = histogram_from_theorem(question.n, question.d, eps=eps, delta=question.delta / 2)
    assert protocol.analyzer is not None
    return _histogram_row(question, name, "theorem", 1 + protocol.analyzer.offset)


def _half(level: dict[str, Any]) -> Fraction:
    """Return a rational number just below half of an eps whose e^eps is given: the promise is kept."""
    eps = level["eps"] if "eps" in level else LogRational(level["exp_eps"])
    return Fraction(eps.enclose(64).lo) / 2


def _histogram_row(question: _Question, name: str, choice: str, gamma: Fraction) -> FrequencyRow:
    n, d = question.n, question.d
    sent = Sent(exact_answer(1 + d * (1 - gamma)), 1 + d, _bits_of(d))
    together = histogram_optimum(n, d, gamma, question.beta)
    return question.row(name, choice, ("gamma", gamma), histogram(n, d, gamma=gamma), together, sent)


def _searched(question: _Question, known: LocalFamily) -> Fraction:
    """Return the value with the least noise that the upper end shows safe."""
    return TwoEndedSearch(known, question.n, question.level, question.delta, None, _QUICK).safe_value()


def _family_row(
    question: _Question, name: str, choice: str, parameter: tuple[str, Fraction], family: FamilyRandomizer
) -> FrequencyRow:
    """Return the row of a family; of all inputs together the errors lie between that of one and that of the union."""
    protocol = ShuffleProtocol(family, question.n)
    both = (optimal_accuracy(protocol, beta=beta) for beta in (question.beta, question.beta / question.d))
    sent = Sent(Fraction(family.messages_per_user), family.messages_per_user, family.message_bits)
    return question.row(name, choice, parameter, protocol, _between(*both), sent)


def _answers(kind: str, **options: Any) -> Callable[[_Question, str], FrequencyRow]:
    """Return the entry of a family of random answers."""

    def make(question: _Question, name: str) -> FrequencyRow:
        known = local_family(kind, {"inputs": question.d, **options})
        assert known.stated is not None
        value = _searched(question, known)
        return _family_row(question, name, "enough", (known.family.parameter, value), known.stated(value))

    return make


def _balls(question: _Question, name: str) -> FrequencyRow:
    dummies = calibrate("balls-into-bins", **question.asked).parameter
    family = BallsIntoBins(question.d, dummies=int(dummies))
    return _family_row(question, name, "least", ("dummies", dummies), family)


def _flooding(question: _Question, name: str) -> FrequencyRow:
    mean = calibrate("flooding", **question.asked).parameter
    protocol = Flooding(question.n, question.d, noise=Poisson(mean))
    together = optimal_accuracy(protocol, beta=question.beta, simultaneous=True)
    return question.row(name, "least", ("mean", mean), protocol, together, _sent(protocol))


def _mixed_flooding(question: _Question, name: str) -> FrequencyRow:
    """Return the entry of random answers among half the noise that is enough without them."""
    noise = Poisson(calibrate("flooding", **question.asked).parameter * _HALF)
    value = _searched(question, mixed_flooding_family(question.n, question.d, noise))
    protocol = Flooding(question.n, question.d, noise=noise, exp_eps0=value)
    together = optimal_accuracy(protocol, beta=question.beta, simultaneous=True)
    return question.row(name, "enough", ("exp_eps0", value), protocol, together, _sent(protocol))


_ENTRIES: Final[dict[str, Callable[[_Question, str], FrequencyRow]]] = {
    "histogram protocol": _histogram,
    "histogram protocol, by its theorem": _histogram_theorem,
    "k-ary response": _answers("randomized-response"),
    "unary encoding": _answers("unary-encoding"),
    "unary encoding, optimized": _answers("unary-encoding", optimized=True),
    "subset selection": _answers("subset-selection"),
    "Hadamard response": _answers("hadamard-response"),
    "local hashing": _answers("local-hashing"),
    "balls into bins": _balls,
    "mixed dummies": _answers("mixed-dummies", dummies=1),
    "flooding": _flooding,
    "mixed flooding": _mixed_flooding,
}


def _bits_of(symbols: int) -> int:
    return max(1, (symbols - 1).bit_length())


def _sent(protocol: Flooding) -> Sent:
    communication = protocol.communication()
    assert isinstance(communication.messages, Fraction)
    return Sent(communication.messages, communication.most, communication.bits)


FREQUENCY_PROTOCOLS: Final = tuple(_ENTRIES)
"""The names of all rows."""


def _times(number: Number, unit: int) -> Number:
    if isinstance(number, Fraction):
        return exact_answer(number * unit)
    return Interval.between(number.lo * unit, number.hi * unit, bits=_INTERVAL_BITS)


def _between(one: Number, union: Number) -> Interval:
    """Return the interval from the error of one input to that of the union."""
    low = one if isinstance(one, Fraction) else one.lo
    high = union if isinstance(union, Fraction) else union.hi
    return Interval.between(low, max(low, high), bits=_INTERVAL_BITS)

"""Unary encoding: one bit for each of d inputs, each flipped on its own (RAPPOR and its optimized form).

The message is a vector of d bits. The bit of the own input is one with probability p, every other bit with probability
f; the bits are independent.

* *Symmetric* (basic one-time RAPPOR): f = 1 - p, p = s / (1 + s), where s is sqrt(E) if that is rational, else the
  largest multiple of 2^-53 with s^2 <= E. So e^eps0 is s^2, never more than E = e^eps0 as asked for.
* *Optimized*: p = 1/2 and f = 1 / (E + 1): of all p and f with this eps0 the least variance for inputs that nobody
  holds.

*Supports.* A message supports the inputs whose bits are one. Under u every bit is one with probability f; the densities
are a = p / f and b = (1 - p) / (1 - f). The message of ones only supports every input; its mass under u is f^d.

*Rounded e^eps0 (optimized).* With E' <= E, f grows and p stays: both likelihood ratios p / f and (1 - f) / (1 - p) of
a bit fall, so each bit at E' is a bit at E through a binary channel, the same for all bits.

*Beside fair bits*, the uniform message, a message is told apart by the bits of the inputs named and by the number of
ones j among the N others. The ratio of the fair to the own mass of j is t_j = 2^-N/(f^j (1-f)^(N-j)), which rises in j
for f < 1/2. All rows, and that of fair bits, are mixtures of the two laws of j: where one experiment of two laws tells
more than another, a channel leads from it to the other.

* Fewer classes that tell less: counts between cuts are one class. With tails x of the own law rounded up and y of the
  fair law rounded down, the points (x, y) lie below the curve of all half-lines; where the chain of them from (0, 0) to
  (1, 1) is concave, it bounds a smaller set than that of all tests, and its segments are the classes.
* Fewer classes that tell more: a vector (own, fair) of masses is a sum of multiples of others between whose ratios its
  own lies. So the counts between two cuts are split into two classes at ratios around theirs, and what is left by
  rounding down, and beyond the cuts, into a class of own bits alone and one of fair bits alone.

Source: ErlingssonPihurKorolova2014, section 2 (basic one-time RAPPOR); WangBlockiLiJha2017, section 4.2 (optimized);
Blackwell1953, Theorem 12 (experiments of two laws, as printed in secondary sources).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from math import isqrt
from typing import Any, ClassVar, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.binomial import Binomial
from exactdp.mechanisms.family import (
    UNIFORM,
    Drawn,
    ExpEps0,
    FamilyRandomizer,
    SupportSource,
    check_symbols,
    exact_eps0,
    rational_of,
    read_exp_eps0,
    read_inputs,
    small_table,
)
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.support_family import Patterns, SupportFamily, independent_bits, is_short_power
from exactdp.numbers.balls import enclose_real, floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real

_ROOT_BITS: Final = 53
"""The root of e^eps0 is a multiple of 2^-53, as a float of a sampler holds it."""

_MOST_COUNTS: Final = 64
"""Most numbers of ones that are classes of their own beside fair bits."""
_MOST_POWERS: Final = 2**14
"""Most bits whose law is written out."""
_CLASSES: Final = 32
"""About so many classes around where both laws are as likely."""
_NEAR: Final = 5
"""Up to this logarithm of their ratio counts are told apart."""
_MASS_BITS: Final = 96
"""Accuracy of masses of classes."""
_TINY: Final = 2**12
"""Tails below 2 to minus this are rounded up to it."""
_LEAST_MASS: Final = Fraction(1, 2**40)
"""Cuts are not looked for beyond one between which and the next there is less."""


class IndependentBits(SupportFamily):
    """One bit for each input, independent: that of the own input is one with one probability, the others with another.

    What both probabilities are is left to subclasses.
    """

    __slots__ = ()

    name: ClassVar[str] = "unary-encoding"
    claim_fields: ClassVar[Mapping[str, str]] = {"inputs": "d", "one": "keep", "other": "noise"}
    sends_tuples = True

    d: int

    @property
    def title(self) -> str:
        """RAPPOR, where both bits are flipped alike."""
        called = "RAPPOR" if self.keep + self.noise == 1 else "Unary encoding"
        return f"{called}, {self.input_space} choices"

    @property
    @abstractmethod
    def keep(self) -> Fraction:
        """p: how likely the bit of the own input is one."""

    @property
    @abstractmethod
    def noise(self) -> Fraction:
        """f: how likely each other bit is one."""

    @property
    def joint_kind(self) -> str:
        return self.name

    @property
    def message_space(self) -> tuple[str, int | None]:
        return f"2^{self.d}", 2**self.d if self.d <= 64 else None

    @property
    def symbols(self) -> int:
        check_symbols(self.d, self.message_space[0])
        return int(2**self.d)

    @property
    def bit_chances(self) -> tuple[Fraction, Fraction]:
        return self.keep, self.noise

    @property
    def densities(self) -> tuple[Fraction, Fraction]:
        p, f = self.keep, self.noise
        return p / f, (1 - p) / (1 - f)

    @property
    def least_is_exact(self) -> bool:
        return is_short_power(self.noise, self.d)

    @property
    def everyone(self) -> Fraction:
        return self.noise**self.d if self.least_is_exact else Fraction(0)

    @relies_on("unary_classes.unary_blanket", "unary_classes.unary_others")
    def patterns(self, labels: Sequence[int]) -> Patterns:
        return independent_bits(self.noise, len(labels))

    def supports(self, message: Any, value: int) -> bool:
        return bool(message[value])

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        return source.independent(*self.support_probabilities)

    def _beside_uniform(self, labels: tuple[int, ...], tells_more: bool | None) -> PairTable:
        high, low = self.densities
        counts, fair = _counts_of_ones(self.noise, self.d - len(labels), tells_more), Fraction(1, 2 ** len(labels))
        rows = []
        for bits, mass in self.patterns(labels).items():
            row = [high if bit else low for bit in bits]
            densities = (*row[:2], low, *row)
            rows += [[*(mass * own * density for density in densities), fair * other] for own, other in counts]
        return PairTable.merged(labels[0], labels[1], (*labels, None), rows)

    def telling_beside(self, dummy: Any) -> Iterable[tuple[Fraction, ...]]:
        if dummy != UNIFORM:
            return SupportFamily.telling_beside(self, dummy)
        if self.d > _MOST_POWERS:
            raise TooLargeError(
                f"the local eps beside fair bits has about {self.d * _ROOT_BITS} bits; the limit is d={_MOST_POWERS}. "
                "Use fewer inputs."
            )
        p, f, likely = self.keep, self.noise, max(self.noise, 1 - self.noise)
        return [(p * (1 - f), f * (1 - p), Fraction(1, 4) / (2 * likely) ** (self.d - 2))]

    def _table(self) -> Randomizer:
        p, f = self.keep, self.noise
        others = [f**ones * (1 - f) ** (self.d - 1 - ones) for ones in range(self.d)]
        chances = [[own * chance for chance in others] for own in (1 - p, p)]  # by the own bit and the ones beside it
        messages = [(bits, sum(bits)) for bits in product((0, 1), repeat=self.d)]
        return Randomizer(
            {x: {(bits,): chances[bits[x]][ones - bits[x]] for bits, ones in messages} for x in self.inputs}
        )


@dataclass(frozen=True, slots=True, init=False)
class UnaryEncoding(IndependentBits):
    """Unary encoding as a family; the arguments are those of ``unary_encoding``.

    >>> UnaryEncoding(10**6, exp_eps0=9).keep, UnaryEncoding(10**6, exp_eps0=9, optimized=True).noise
    (Fraction(3, 4), Fraction(1, 10))
    """

    d: int
    exp_eps0: ExpEps0
    optimized: bool

    def __init__(self, d: int, *, exp_eps0: Exact | Real, optimized: bool = False) -> None:
        if not isinstance(optimized, bool):
            raise InvalidValueError(f"optimized={optimized!r} is no bool. Pass True or False.")
        set_fields(self, d=read_inputs(d, name="d"), exp_eps0=read_exp_eps0(exp_eps0), optimized=optimized)

    @property
    def is_rational(self) -> bool:
        return not self.optimized or isinstance(self.exp_eps0, Fraction)

    @property
    def keep(self) -> Fraction:
        """p: how likely the bit of the own input is one."""
        if self.optimized:
            return Fraction(1, 2)
        root = root_of(self.exp_eps0)
        return root / (1 + root)

    @property
    def noise(self) -> Fraction:
        """f: how likely each other bit is one."""
        self.need_rational("its law")
        return 1 / (rational_of(self.exp_eps0) + 1) if self.optimized else 1 - self.keep

    @property
    def published_beta(self) -> Fraction | None:
        return None if self.optimized else 2 * self.keep - 1  # p = s / (1 + s)

    def local_epsilon(self) -> LogRational | Real:
        return exact_eps0(self.exp_eps0) if self.optimized else LogRational(root_of(self.exp_eps0) ** 2)


@dataclass(frozen=True, slots=True, init=False)
class StatedBits(IndependentBits):
    """Unary encoding with both probabilities given, 0 < f < p < 1: as claims state it.

    >>> StatedBits(4, keep="3/4", noise="1/4").local_epsilon()
    LogRational('9')
    """

    d: int
    keep: Fraction
    noise: Fraction

    def __init__(self, d: int, *, keep: Exact, noise: Exact) -> None:
        p, f = as_probability(keep, name="keep"), as_probability(noise, name="noise")
        if not 0 < f < p < 1:
            raise InvalidValueError(f"noise={short(f)}, keep={short(p)}: 0 < noise < keep < 1 is needed.")
        set_fields(self, d=read_inputs(d, name="d"), keep=p, noise=f)

    @property
    def is_rational(self) -> bool:
        return True

    def local_epsilon(self) -> LogRational:
        p, f = self.keep, self.noise
        return LogRational(p * (1 - f) / (f * (1 - p)))


def _counts_of_ones(noise: Fraction, bits: int, tells_more: bool | None) -> list[tuple[Fraction, Fraction]]:
    """Return masses of classes of the number of ones among so many bits: of own noise, and of fair bits."""
    less = min(noise, 1 - noise)  # zeros are counted where ones are the likelier
    if not bits or 2 * less == 1:
        return [(Fraction(1), Fraction(1))]
    own, fair = Binomial(bits, less), Binomial(bits, "1/2")
    if tells_more is None:
        if bits > _MOST_COUNTS:
            raise TooLargeError(
                f"{bits} bits beside fair ones make as many classes for each pattern; the limit is {_MOST_COUNTS}. "
                "Ask .at_least() or .at_most() for fewer ones that tell more or less."
            )
        return [(own.exact_pmf(ones), fair.exact_pmf(ones)) for ones in range(bits + 1)]
    cuts = _cuts(less, bits)
    tails = [[law.sf(cut - 1, relative_bits=_MASS_BITS) for law in (own, fair)] for cut in cuts]
    if tells_more:
        return _telling_more(cuts, tails, own, fair)
    points = [(Fraction(1), Fraction(1)), *((_high(x), y.lo) for x, y in tails), (Fraction(0), Fraction(0))]
    cells = [(x - right, y - up) for (x, y), (right, up) in pairwise(points)]
    is_concave = all(min(cell) > 0 for cell in cells) and all(
        one[1] * other[0] < other[1] * one[0] for one, other in pairwise(cells)
    )
    return cells if is_concave else [(Fraction(1), Fraction(1))]


def _cuts(noise: Fraction, bits: int) -> list[int]:
    """Return the first counts of classes but the first, around where both laws are as likely."""
    step, total = _log((1 - noise) / noise), bits * _log(2 * (1 - noise))
    middle, reach = min(max(int(total / step), 1), bits), int(_NEAR / step) + 1
    size = max(1, 2 * reach // _CLASSES)
    own, fair = Binomial(bits, noise), Binomial(bits, "1/2")
    cuts = [middle]
    for sign, last in ((1, min(bits, middle + reach)), (-1, max(1, middle - reach))):
        for cut in range(middle + sign * size, last + sign, sign * size):
            near = cuts[-1] if sign > 0 else cuts[0]
            between = [abs(_high(law.cdf(cut)) - _high(law.cdf(near))) for law in (own, fair)]
            if max(between) < _LEAST_MASS:
                break
            cuts = [*cuts, cut] if sign > 0 else [cut, *cuts]
    return cuts


def _telling_more(
    cuts: Sequence[int], tails: Sequence[Sequence[Interval]], own: Binomial, fair: Binomial
) -> list[tuple[Fraction, Fraction]]:
    """Return classes that the counts between cuts are split into, and the two at the ends."""
    cells = list[tuple[Fraction, Fraction]]()
    for (first, one), (after, other) in pairwise(zip(cuts, tails, strict=True)):
        laws = [[law.pmf(ones, relative_bits=_MASS_BITS) for law in (own, fair)] for ones in (first, after - 1)]
        if after == first + 1:
            cells.append((laws[0][0].lo, laws[0][1].lo))
            continue
        low, high = laws[0][1].lo / laws[0][0].hi, laws[1][1].hi / laws[1][0].lo
        (u, d), (most_u, most_d) = (
            [x.lo - y.hi for x, y in zip(one, other, strict=True)],
            [x.hi - y.lo for x, y in zip(one, other, strict=True)],
        )
        near, far = max(high * u - most_d, Fraction(0)), max(d - low * most_u, Fraction(0))
        cells += [(part / (high - low), ratio * part / (high - low)) for part, ratio in ((near, low), (far, high))]
    cells = [(_short(x), _short(y)) for x, y in cells]
    rest = [1 - sum(column, Fraction(0)) for column in zip(*cells, (Fraction(0), Fraction(0)), strict=True)]
    return [*cells, (rest[0], Fraction(0)), (Fraction(0), rest[1])]


def _high(tail: Interval) -> Fraction:
    """Return an upper end of a tail, however small that is."""
    return tail.hi if tail.upper.magnitude > -_TINY else Fraction(1, 2**_TINY)


def _short(mass: Fraction) -> Fraction:
    """Return a mass rounded down."""
    return Fraction(int(mass * 2**_MASS_BITS), 2**_MASS_BITS)


def _log(number: Fraction) -> Fraction:
    """Return about the logarithm of a number above 1."""
    return enclose_real(Real.log(number), relative_bits=_MASS_BITS).lo


def root_of(exp_eps0: ExpEps0) -> Fraction:
    """Return sqrt(E) if it is rational, else the largest multiple of 2^-53 below it."""
    if isinstance(exp_eps0, Fraction):
        root = Fraction(isqrt(exp_eps0.numerator), isqrt(exp_eps0.denominator))
        if root**2 == exp_eps0:
            return root
    return Fraction(isqrt(floor_real(exp_eps0 * 4**_ROOT_BITS)), 2**_ROOT_BITS)


def unary_encoding(d: int, *, exp_eps0: Exact | Real, optimized: bool = False) -> Randomizer | FamilyRandomizer:
    """Return unary encoding of d inputs: d bits in one message, the own bit one with probability p, the others with f.

    Args:
        d: number of inputs 0, ..., d-1, from 2 to 10^9.
        exp_eps0: E = e^eps0, exact and at least 1, or irrational as "exp(1/2)".
        optimized: p = 1/2, f = 1 / (E + 1); else f = 1 - p, p = s / (1 + s) with s = sqrt(E), rounded down to a
            multiple of 2^-53 where it is irrational: then eps0 is ln(s^2), a little less than asked for.

    Returns:
        A ``Randomizer`` whose message is a tuple of d bits, for d up to 12; else the family ``UnaryEncoding``, which
        answers for any d, and for irrational E too.

    >>> unary_encoding(2, exp_eps0=9).table()[0][((1, 0),)], unary_encoding(1000, exp_eps0=9).local_epsilon()
    (Fraction(9, 16), LogRational('9'))

    Source: ErlingssonPihurKorolova2014, section 2; WangBlockiLiJha2017, section 4.2.
    """
    return small_table(UnaryEncoding(d, exp_eps0=exp_eps0, optimized=optimized))

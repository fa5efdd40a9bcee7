"""Where zsum's delta rises as gamma grows, and a proof that it stays below a target from some gamma on.

zsum hides a bit among W ~ Bin(n, g) silent users. With E = e^eps, b(t) = P[W = t] and h_a(g) = P[W <= a] -
E P[W <= a-1], the divergence of one order is delta_1(g) = max_a h_a(g), attained at a = floor((n+1) g / (g + E(1-g))),
and of the other delta_2(g) = delta_1(1-g). delta = max(delta_1, delta_2) is *not* monotone on (0, 1/2]. (Both are
theorems: zsum_closed_form and zsum_delta_not_monotone in proofs/coq/zsum/zsum_closed_form.v.)

*Rises of delta_1.* At fixed a, dh_a/dg = b(a) (E a/g - (n-a)/(1-g)). So delta_1 rises exactly on [g_a, g'_a],
g_a = E a / (n-a+1+E a), g'_a = E a / (n-a+E a), a = 1, 2, ..., and falls between. At g_a the bracket is 1/(1-g_a), and
it falls in g: the rise is at most (g'_a - g_a) max b(a) / (1-g_a) <= E a max b(a) / ((n-a) (n+1)).
*Rises of delta_2.* They are delta_1's falls, read backwards: on [c/(c + E(n-c+1)), c/(c + E(n-c))], c = 1, 2, ..., each
at most E c max b(c) / ((n-c+1) (c + E(n-c))).
*The weights.* By Stirling's formula C(N, k) <= sqrt(N / (2 pi k (N-k))) e^(N H(k/N)). If (n-a)(E-1) >= 1 then g_a >=
a/n, b(a) falls in g from there, and with N = n+1, x = a/N, for which g_a = E x / (1-x+E x), max b(a) =
P[Bin(N, g_a) = a] E / (g_a + E(1-g_a)) <= 2 sqrt(N / (2 pi a (N-a))) e^(-F(a)), F(a) = N ln(1 + (E-1) a/N) - a eps,
where g_a <= 1/2. Otherwise b(a) <= sqrt(n / (2 pi a (n-a))). For delta_2 b(c) rises to its value at the right end,
at most sqrt(n / (2 pi c (n-c))) e^(-G(c)), G(c) = n ln(1 + (E-1)(n-c)/n) - (n-c) eps. F and G are concave: on a
range of a or c they are at least their smaller end value. (e^(-F) is Chernoff's bound, which falls in g up to 1/2.)

*The proof of safety.* Between two points delta_i grows by at most the sum of the rises between them. So from a point
where delta is below the target many local maxima are passed at once; where no bound reaches the next one, delta is
evaluated there. In the end 1/2 is reached, where delta_1 may still be rising: it is evaluated too.

Source: BalcerCheu2020, section 3.1 (of the protocol, while the theorems are this page's).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.caching import cached_property
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.laws.tails import ends, root_above
from exactdp.numbers.balls import enclose_real, floor_real
from exactdp.numbers.epsilon import PrivacyLevel
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.protocol import shift_profile

_MARGINS: Final = (60, 200, 800)
"""Local maxima are known to delta times 2 to minus this."""

_MAX_EVALUATIONS: Final = 20_000
"""Most local maxima at which delta is evaluated one by one."""
_ROOT_BITS: Final = 32
"""Bounds of e^eps and of roots are this close, which costs a bound of a rise next to nothing."""


@dataclass(frozen=True)
class LocalMaxima:
    """The local maxima of one of the two divergences: their places, and how much it rises on the way to them."""

    n: int
    level: PrivacyLevel
    backward: bool
    """False: of delta_1, True: of delta_2."""

    @cached_property
    def _eps(self) -> Real:
        return Real.log(self.level.real)

    @cached_property
    def _most(self) -> Fraction:
        """An upper bound of E."""
        return self.level.exp_eps or self.level.enclose(_ROOT_BITS).hi

    @cached_property
    def _least(self) -> Fraction:
        """A lower bound of E."""
        return self.level.exp_eps or self.level.enclose(_ROOT_BITS).lo

    def first_after(self, gamma: Fraction) -> int:
        """Return the number of the first local maximum beyond gamma."""
        ratio = self.level.real
        if self.backward:
            return floor_real(self.n * gamma * ratio / (1 - gamma + gamma * ratio)) + 1
        return floor_real(self.n * gamma / (gamma + (1 - gamma) * ratio)) + 1

    @cached_property
    def last(self) -> int:
        """The number of the last local maximum up to gamma = 1/2."""
        top = self.level.real if self.backward else Real(1)
        return floor_real(self.n * top / (1 + self.level.real))

    def place(self, number: int, bits: int) -> Fraction:
        """Return the place of a local maximum, exactly for a rational E, else to ``bits`` bits."""
        ratio = self.level.exp_eps or self.level.enclose(bits + 8).lo
        rest = self.n - number
        return number / (number + ratio * rest) if self.backward else ratio * number / (rest + ratio * number)

    def rise(self, first: int, last: int) -> Fraction:
        """Return a bound of the rise before each of the local maxima from ``first`` to ``last``."""
        n, most = self.n, self._most
        if self.backward:
            factor = most * last / ((n - last + 1) * (last + self._least * (n - last)))
            trials, decays = n, [self._decay(n - c, n) for c in (first, last)]
        elif (n - last) * (self._least - 1) >= 1:
            factor = 2 * most * last / ((n - last) * (n + 1))
            trials, decays = n + 1, [self._decay(a, n + 1) for a in (first, last)]
        else:
            factor, trials, decays = most * last / ((n - last) * (n + 1)), n, [Fraction(1)]
        spread = min(first * (trials - first), last * (trials - last))
        return factor * root_above(Fraction(trials, 6 * spread), _ROOT_BITS) * max(decays)

    def _decay(self, k: int, trials: int) -> Fraction:
        """Return an upper bound of e^(k eps) / (1 + (E-1) k / trials)^trials, at most 1."""
        if self.level.real == Real(1):
            return Fraction(1)
        growth = Real.log(1 + (self.level.real - 1) * Fraction(k, trials))
        return ends(enclose_real(Real.exp(k * self._eps - trials * growth), relative_bits=16))[1]


def unsafe_points(n: int, level: PrivacyLevel, delta: Fraction, start: Fraction, value: Fraction) -> Iterator[Fraction]:
    """Yield, in two rising sequences, points beyond ``start`` and up to 1/2 at local maxima of delta above the target.

    Each lies within a relative 2^-60 or less of the local maximum. If nothing is yielded, and delta(1/2) is at most
    the target, then delta is at most the target on all of [start, 1/2].

    Args:
        n: number of users.
        level: e^eps.
        delta: the target.
        start: a gamma in (0, 1/2] at which delta is at most the target.
        value: an upper bound of delta there, at most the target.

    Raises:
        TooLargeError: where more than 20000 local maxima would have to be evaluated.
        UndecidedError: where a local maximum and the target are too close.

    Source: BalcerCheu2020, section 3.1 (the proof is in the module docstring).
    """
    for backward in (False, True):
        maxima, known, passed = LocalMaxima(n, level, backward), value, 0
        number, above = maxima.first_after(start), False
        while number <= maxima.last:
            skipped = 0 if above else _safe_ones(maxima, number, known, delta)
            number += skipped
            if number > maxima.last:
                break
            passed += 1
            if passed > _MAX_EVALUATIONS:
                raise TooLargeError(
                    f"more than {_MAX_EVALUATIONS} local maxima of delta above gamma={short(start)} would have to be "
                    f"evaluated for n={short(n)}. Use a larger eps, or fewer users."
                )
            looked = number - 1 if skipped else number
            place, known, above = _evaluate(maxima, looked, delta)
            if above:
                yield place
            number = looked + 1


def _safe_ones(maxima: LocalMaxima, first: int, value: Fraction, delta: Fraction) -> int:
    """Return for how many local maxima from ``first`` on the bound of the rises alone is enough."""

    def is_safe(count: int) -> bool:
        return value + count * maxima.rise(first, first + count - 1) <= delta

    limit, best, count = maxima.last - first + 1, 0, 1
    while count <= limit and is_safe(count):
        best, count = count, 2 * count
    return limit if best and is_safe(limit) else best


def _evaluate(maxima: LocalMaxima, number: int, delta: Fraction) -> tuple[Fraction, Fraction, bool]:
    """Return the place of a local maximum, an upper bound of the divergence there, and whether it is above delta.

    |dh_a/dg| <= n E, so a place known to delta 2^-m / (n E) gives the maximum to delta 2^-m.
    """
    scale = (maxima.n * maxima._most / delta).__ceil__().bit_length()
    for margin in _MARGINS:
        place = maxima.place(number, scale + margin)
        slack = Fraction(0) if maxima.level.exp_eps is not None else delta / 2**margin
        profile = shift_profile(Binomial(maxima.n, place))
        if (answer := judged(profile, maxima.level, delta, margin + 4, slack)) is not None:
            return place, answer[0], not answer[1]
    raise UndecidedError(
        f"delta at its local maximum near gamma={short(place)} and delta={short(delta)} agree to {_MARGINS[-1]} bits. "
        "Use another delta."
    )


def judged(
    profile: PrivacyProfile, level: PrivacyLevel, target: Fraction, bits: int, slack: Fraction = Fraction(0)
) -> tuple[Fraction, bool] | None:
    """Return about the profile's delta, and whether with ``slack`` it is at most the target; None where that is open.

    What is returned is not below delta where that holds.
    """
    delta: Interval = profile.delta(**level.keywords, relative_bits=bits)
    lower, upper = ends(delta)
    if upper + slack <= target or lower > target:
        return (upper, False) if lower > target else (upper + slack, True)
    if level.exp_eps is None or not profile.is_exact:
        return None
    exact = profile.exact_delta(exp_eps=level.exp_eps)
    return exact, exact <= target

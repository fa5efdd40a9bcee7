"""Sums of numbers in [0, 1] by split and mix: fixed point, noise that all users share, and shares modulo q.

A user with x in [0, 1] rounds it to k / L, k = floor(L x + 1/2), adds a share A - B of the noise to k, with A and B
from NB(1/n, a), a = e^(-eps/L), and splits the result modulo q into m shares. The view is the multiset of all shares.
The noise of n users adds up to discrete Laplace noise Z of e^(eps/L), and the sum of the view is K + Z modulo q, with K
the sum of the k.

*Estimate.* Let s = floor((q - 1 - n L) / 2) >= 0. The residue is read as the number congruent to it in
{-s, ..., q - 1 - s}, which is K + Z for every data set while abs(Z) <= s, and divided by L.

*Error.* Unless abs(Z) > s the estimate errs by (Z + R) / L, with R = K - L sum x_i. Each k - L x_i is in (-1/2, 1/2],
and for every R in that range times n there are inputs; inputs that are multiples of 1/L have R = 0.

*Privacy.* A neighbour changes K by at most L, so the noisy sum is eps-DP. What the view shows beside its sum is bounded
by :mod:`exactdp.protocols.mixing.component_bound`, and :mod:`exactdp.protocols.mixing.split_and_mix_privacy` puts both
together.

*Optimal accuracy:* the worst inputs, rounding and noise together. The estimate errs by (Z + R) / L unless the noise
leaves the modulus, with R anywhere in (-n/2, n/2] and Z symmetric, falling from 0 on. It errs by more than t / L where
Z is outside [-t - R, t - R]. Let R >= 0, as Z is symmetric. As R grows an integer leaves the interval at its upper end,
just after R = t - M, or enters at its lower end, at R = N - t, and what leaves is at least as likely as what enters
next, for it is no further from 0. So the worst R is n/2, or just before the last entry. With M = floor(t - n/2) and N =
floor(t + n/2) the integers left are -N, ..., M, or without -N if there is an R between: where t - M - 1 < N - t. Both
change at multiples of 1/2 alone, where they are continuous from the right: the least t is such a multiple.

The noise leaves the modulus with probability at most w, so the least t is between those for beta + w and beta - w.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.theorems import relies_on
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.laws.tails import least_integer, normal_guess, outside_at_most
from exactdp.mechanisms.randomizer import Communication
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.protocols.interface import Protocol
from exactdp.protocols.mixing.component_bound import split_and_mix_distance
from exactdp.protocols.mixing.split_and_mix_privacy import NoisySplitAndMix
from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix, split_and_mix
from exactdp.protocols.protocol import shift_profile

_WRAP_BITS: Final = 64
"""The modulus leaves so much room for noise that it goes beyond with a probability of less than 2 to minus this."""
MAX_LEVELS: Final = 10**6
"""The largest sensitivity of a query whose profile is computed."""


@dataclass(frozen=True, slots=True)
class FixedPointSum(Protocol):
    """Noisy sums of numbers in [0, 1]; made by :func:`fixed_point_sum`.

    >>> protocol = fixed_point_sum(1000, levels=1000, eps=1, messages=12)
    >>> protocol.modulus == 2**21, protocol.rounded("0.12345"), protocol.rounding_error
    (True, 123, Fraction(1, 2))
    """

    is_profiled = False

    n: int
    levels: int
    eps: Fraction
    modulus: int
    messages: int

    def __post_init__(self) -> None:
        levels, eps = as_integer(self.levels, name="levels", at_least=1), as_fraction(self.eps, name="eps")
        if eps <= 0:
            raise InvalidValueError(f"eps={short(eps)} is not above 0. Pass the eps of the noisy sum.")
        if levels > MAX_LEVELS:
            raise TooLargeError(f"levels={short(levels)} is more than the limit of {MAX_LEVELS}. Use fewer.")
        split = split_and_mix(self.n, modulus=self.modulus, messages=self.messages)
        if split.modulus <= split.n * levels:
            raise InvalidValueError(
                f"modulus={short(split.modulus)} is not above n * levels = {short(split.n * levels)}, the largest sum. "
                "Pass a larger modulus, or none."
            )
        set_fields(self, n=split.n, levels=levels, eps=eps, modulus=split.modulus, messages=split.messages)

    @property
    def split(self) -> SplitAndMix:
        """How users send their noisy numbers."""
        return split_and_mix(self.n, modulus=self.modulus, messages=self.messages)

    @property
    def inputs(self) -> range:
        """The rounded numbers k, of which data sets of ``sample`` consist."""
        return range(self.levels + 1)

    @property
    def noise(self) -> DiscreteLaplace:
        """The law of Z, what is added to the sum in units of 1/levels."""
        return DiscreteLaplace(Real.exp(self.eps / self.levels))

    @property
    def share(self) -> NegativeBinomial:
        """The law of A and B: a user adds their difference."""
        return NegativeBinomial(Fraction(1, self.n), Real.exp(-self.eps / self.levels))

    @property
    def room(self) -> int:
        """s: as much noise as never makes the residue be read wrongly."""
        return (self.modulus - 1 - self.n * self.levels) // 2

    @property
    def wrap_probability(self) -> Interval:
        """The probability of more noise than that, enclosed."""
        tail = self.noise.sf(self.room)
        return Interval.between(2 * tail.lo, 2 * tail.hi, bits=_WRAP_BITS)

    @property
    def rounding_error(self) -> Fraction:
        """n / (2 levels): the most by which rounding changes the sum."""
        return exact_answer(Fraction(self.n, 2 * self.levels))

    def rounded(self, x: Exact) -> int:
        """Return the k for which k / levels is nearest to x in [0, 1], the larger one of two."""
        value = as_fraction(x, name="x")
        if not 0 <= value <= 1:
            raise InvalidValueError(f"x={short(value)} is not in [0, 1]. Scale the inputs to this range.")
        return (self.levels * value + Fraction(1, 2)).__floor__()

    def estimate(self, counts: Sequence[int] | Mapping[int, int]) -> Fraction:
        """Return the estimate of the sum, from how often each residue was sent."""
        return self.decoded(self.split.estimate(counts))

    def decoded(self, residue: int) -> Fraction:
        """Return the estimate of the sum, from the sum of all shares modulo q."""
        value = as_integer(residue, name="residue") % self.modulus
        return exact_answer(Fraction(value - self.modulus * (value >= self.modulus - self.room), self.levels))

    def communication(self) -> Communication:
        """Return what one user sends: m residues modulo q, whatever his number."""
        return self.split.communication()

    @relies_on("simulator.simulator_bound", "noisy_sum.noisy_split_private")
    def privacy_profile(self) -> NoisySplitAndMix:
        """Return the privacy of the whole, between two proved ends: ``delta``, ``epsilon`` and ``bracket``.

        Cost: 20 ms.
        """
        noisy_sum = shift_profile(self.noise, shift=self.levels)
        return NoisySplitAndMix(noisy_sum, self.split.distance_bound(simulator=True), self.wrap_probability)

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the optimal accuracy of the sum over all reals in [0, 1], for 0 < beta < 1."""
        failure = as_probability(beta, name="beta")
        if failure in (0, 1):
            raise InvalidValueError(f"beta={short(failure)} is not between 0 and 1. Pass such a beta.")
        return exact_answer(fixed_point_accuracy(self, failure))

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view: every user's noise, and every share."""
        from exactdp.protocols.mixing.shares import Shares
        from exactdp.protocols.sampling.views import padded_counts

        held = padded_counts(dataset, self.inputs, self.n, len(self.split.inputs))
        return Shares.of_noisy(held, self.messages, self.share, nearest=nearest)


def fixed_point_sum(n: int, *, levels: int, eps: Exact, messages: int, modulus: int | None = None) -> FixedPointSum:
    """Return noisy sums of numbers in [0, 1] by split and mix.

    Args:
        n: number of users who follow the protocol, at least 1.
        levels: L, from 1 to 10^6: inputs are rounded to multiples of 1/L.
        eps: of the noisy sum, above 0, exact; the noise is discrete Laplace of e^(eps/L).
        messages: m, at least 2.
        modulus: q, above n L; by default the least power of two that noise leaves with probability below 2^-64.

    >>> protocol = fixed_point_sum(10**4, levels=100, eps=1, messages=8)
    >>> protocol.privacy_profile().delta(eps=1)
    Interval[9.334442...e-11, 9.334442...e-11]

    Source: BalleBellGasconNissim2020 (the protocol and its noise); IshaiKushilevitzOstrovskySahai2006 (the shares).
    """
    users, parts = as_integer(n, name="n", at_least=1), as_integer(levels, name="levels", at_least=1)
    level = as_fraction(eps, name="eps")
    if modulus is None and level > 0:
        reach = (_WRAP_BITS * parts / level).__ceil__()  # more than the logarithm needs, as ln 2 < 1
        modulus = 1 << (users * parts + 2 * reach).bit_length()
    return FixedPointSum(users, parts, level, 2 if modulus is None else modulus, messages)


@relies_on("split_and_mix_laplace.laplace_split_private")
def fixed_point_sum_from_theorem(
    n: int, *, eps: Exact, delta: Exact, levels: int | None = None, modulus: int | None = None
) -> FixedPointSum:
    """Return noisy sums of numbers in [0, 1] with the fewest messages that are proved to be (eps, delta)-DP.

    The noisy sum is eps-DP, and m is the least one with (1 + e^eps) eta <= delta, eta the bound by components.

    Args:
        n: number of users who follow the protocol, at least 2.
        eps: above 0, exact.
        delta: in (0, 1), exact.
        levels: by default n, so that rounding changes the sum by at most 1/2, but no more than 10^6.
        modulus: as :func:`fixed_point_sum`.

    >>> fixed_point_sum_from_theorem(10**6, eps=1, delta="1e-9").messages
    7

    Source: BalleBellGasconNissim2020 (the protocol, the theorem is exactdp.protocols.mixing.split_and_mix_privacy's).
    """
    target = NamedTheorem("The theorem of noisy split and mix").read_target(
        eps=as_fraction(eps, name="eps"), delta=delta, largest_eps=None, strict_delta=True
    )
    users = as_integer(n, name="n", at_least=2)
    made = fixed_point_sum(
        users, levels=min(users, MAX_LEVELS) if levels is None else levels, eps=eps, messages=3, modulus=modulus
    )
    goal = Real(target.delta) / (1 + target.exp_eps)
    least = enclose_real(goal, relative_bits=_WRAP_BITS).lo
    messages = next(
        m
        for m in count(3)
        if split_and_mix_distance(users, modulus=made.modulus, messages=m, simulator=True).upper.compare(least) <= 0
    )
    return FixedPointSum(users, made.levels, made.eps, made.modulus, messages)


# --- the error --------------------------------------------------------------------------------------------------------


def fixed_point_accuracy(protocol: FixedPointSum, beta: Fraction, *, on_grid: bool = False) -> Fraction | Interval:
    """Return the least alpha that the error of the sum exceeds with probability at most ``beta``, for 0 < beta < 1.

    Args:
        protocol: the sum.
        beta: probability of a larger error.
        on_grid: for inputs that are multiples of 1/levels; else for all reals in [0, 1].

    Exact but where a larger error is as likely as beta to within the probability that the noise leaves the modulus.
    """
    wraps = protocol.wrap_probability.hi
    most = _least(protocol, beta - wraps, on_grid) if beta > wraps else None
    if most is None:
        raise InvalidValueError(
            f"beta={short(beta)} is below the probability that the noise leaves modulus={short(protocol.modulus)}. "
            "Pass a larger modulus or beta."
        )
    least = _least(protocol, min(Fraction(1), beta + wraps), on_grid)
    low, high = Fraction(least, 2 * protocol.levels), Fraction(most, 2 * protocol.levels)
    return low if low == high else Interval.between(low, high, bits=_WRAP_BITS)


def _least(protocol: FixedPointSum, beta: Fraction, on_grid: bool) -> int:
    """Return the least 2 t, t a multiple of 1/2, that is enough."""
    noise, users = protocol.noise, 0 if on_grid else protocol.n

    def holds(twice: int) -> bool:
        above, below = (twice - users) // 2, (twice + users) // 2  # M and N
        return outside_at_most(noise, -(below - (below + above + 1 > twice and not on_grid)), above, beta)

    return least_integer(holds, 2 * normal_guess(noise, beta / 2) + users, above=-1, high=None)

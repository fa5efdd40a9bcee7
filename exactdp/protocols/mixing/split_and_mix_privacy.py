"""Split and mix of noisy inputs: the privacy of the noisy sum, and of everything else that the view shows.

Each user adds noise to his input before he splits it. Let the sum of the noisy inputs be (eps, delta')-DP, E = e^eps,
and let every view be within eta of the simulator, which draws a view from the sum alone, in total variation.

*Theorem.* The view is (eps, delta' + (1 + E) eta)-DP.

*Proof.* A view of noisy inputs is a mixture of views of inputs, each within eta of the simulator at its sum; so it is
within eta of the simulator at the noisy sum, whatever joint law the users' noise has. Let P, P' be the views of two
neighbouring data sets and S, S' the simulated ones. S and S' are made from the noisy sums, so that
S(A) <= E S'(A) + delta' for every event A. Hence

    P(A) <= S(A) + eta <= E S'(A) + delta' + eta <= E (P'(A) + eta) + delta' + eta.

The sum of the view is the noisy sum modulo q, a function of the noisy sum over the integers: privacy of noise on the
integers, such as the discrete Laplace law, holds modulo any q, however often it wraps around.

*From below.* The view shows the noisy sum modulo q. Where it is read as an integer, all is right but with probability
w at most; so if the noisy sum is not (eps, delta'')-DP for a delta'' the view is not for delta'' - (1 + E) w.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational, read_privacy_level
from exactdp.numbers.exact import Exact, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.numbers.real import Real
from exactdp.privacy.attained import Bracket
from exactdp.privacy.profile import PrivacyProfile

_BITS: Final = 64
"""Accuracy of e^eps and of the sum: eta is known to 20 bits."""
_STEP_BITS: Final = 40
"""e^eps is raised by a factor of 1 + 2 to minus this, and by twice as much in each further step, until the bound holds:
more than one or two are taken only where eta is nearly too large."""


@dataclass(frozen=True, slots=True)
class NoisySplitAndMix:
    """Split and mix whose inputs carry noise; made by ``SplitAndMix.with_noise``."""

    noisy_sum: PrivacyProfile
    simulator_distance: Interval
    """Contains a bound of eta."""
    wrap_probability: Interval | None = None
    """Contains w; None where it is not known, and nothing is said from below."""

    def delta(self, *, eps: Exact | LogRational | None = None, exp_eps: Exact | None = None) -> Interval:
        """Enclose the theorem's delta at eps, or 1 where that is smaller: the view is (eps, its upper end)-DP.

        Args:
            eps: at least 0, a rational number or a finite LogRational.
            exp_eps: e^eps, a rational number of at least 1.
        """
        level = read_privacy_level(eps=eps, exp_eps=exp_eps)
        central = fraction_ends(self.noisy_sum.delta(**level.keywords, relative_bits=_BITS))
        factors = fraction_ends(level.enclose(_BITS))
        etas = fraction_ends(self.simulator_distance)
        ends = [min(Fraction(1), own + (1 + up) * eta) for own, up, eta in zip(central, factors, etas, strict=True)]
        return Interval.between(*ends, bits=_BITS)

    def bracket(self, *, eps: Exact | LogRational | None = None, exp_eps: Exact | None = None) -> Bracket:
        """Return two proved ends of delta: what the noisy sum alone gives away, and the theorem's.

        Arguments as :meth:`delta`.
        """
        level, upper = read_privacy_level(eps=eps, exp_eps=exp_eps), self.delta(eps=eps, exp_eps=exp_eps)
        least, said = Fraction(0), None
        if self.wrap_probability is not None:
            central = fraction_ends(self.noisy_sum.delta(**level.keywords, relative_bits=_BITS))[0]
            least = max(least, central - (1 + level.enclose(_BITS).hi) * self.wrap_probability.hi)
            said = "two data sets whose sums differ by the most that one user changes" if least else None
        lower = Interval.around(least, relative_bits=_BITS)
        return Bracket(lower, upper, said, "the noisy sum, and split and mix by components", False)

    def epsilon(self, delta: Exact) -> LogRational:
        """Return an eps for which the view is (eps, delta)-DP by the theorem.

        Where eta is small beside delta it is above the least one by a part in 10^11.

        Args:
            delta: in [0, 1], exact.

        Raises:
            HypothesisError: where (1 + e^eps) eta leaves nothing of delta at any eps that the noise allows.
        """
        budget, eta = as_probability(delta, name="delta"), self.simulator_distance.hi
        factor = Fraction(1)
        for step in range(_STEP_BITS):
            left = budget - (1 + factor) * eta
            needed = None if left < 0 else _argument(self.noisy_sum.epsilon(left))
            if needed is None:
                break
            if needed <= factor:
                return LogRational(factor)
            factor = needed * (1 + Fraction(2**step, 2**_STEP_BITS)) if eta else needed
        raise HypothesisError(
            f"The privacy of the whole needs (1 + e^eps) eta < delta, but eta={self.simulator_distance} and "
            f"delta={short(budget)} at an eps that the noise allows. Use more messages, or a larger delta."
        )


def _argument(eps: LogRational | Interval) -> Fraction | None:
    """Return a number of at least e^eps, None for an infinite one."""
    if isinstance(eps, LogRational):
        return None if eps.is_infinite else eps.argument
    return enclose_real(Real.exp(eps.hi), relative_bits=_BITS).hi


def read_noisy_sum(profile: object) -> PrivacyProfile:
    """Return the profile of the noisy sum, or refuse what is none."""
    if not isinstance(profile, PrivacyProfile):
        raise InvalidValueError(
            f"noisy_sum has the type {type(profile).__name__}. Pass the profile of the sum with its noise, such as "
            'shift_profile(DiscreteLaplace("exp(1/10)"), shift=5).'
        )
    return profile

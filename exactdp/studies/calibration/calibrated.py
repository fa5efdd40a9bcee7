"""What a calibration answers: the value that holds, the value that fails, and what is proved of the values beyond."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.claims.certificate import Certificate
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.real import Real
from exactdp.protocols.interface import Protocol


@dataclass(frozen=True, slots=True)
class Calibration:
    """The least noise on a grid: the least value of a parameter that is noise, the largest one of e^eps0.

    Where delta is known between two proved ends only, ``parameter`` is private by the upper end, ``open_at`` is not
    known to be, and ``fails_at`` is refuted by the lower end; elsewhere ``open_at`` is ``fails_at``. There the
    certificates are of ``holds_at`` and of ``tenth_more``, where delta is not as near as beside ``parameter``.

    Args:
        parameter: its value, a multiple of ``grid`` beyond the least value of the domain.
        name: what the parameter is called.
        grid: the step.
        protocol: the protocol with this value.
        holds: the certificate of (eps, delta)-DP at ``holds_at``; None where no claim states the randomizer.
        fails: the certificate that ``fails_at``, or between two ends ``tenth_more``, is not (eps, delta)-DP; None as
            ``holds``, and where nothing is refuted.
        fails_at: the next value of the grid with less noise that is proved not to be (eps, delta)-DP; None where none
            in the domain was proved so.
        scope: what is proved of the values with more noise: "and every larger value up to 1/2", "and every larger
            value", "and every smaller value" of e^eps0, the same of the grid alone, or "local": nothing.
        open_at: the next value of the grid with less noise; None where ``parameter`` is the end of the domain.
        holds_at: ``parameter``, or where delta is known between two ends the value with the least noise that an upper
            end which certificates can state shows private, or if that is very near the target very little more noise.
        tenth_more: where delta is known between two ends, a value with an eps0 that is a tenth more, or very little
            more than that; None where the lower end does not refute it, or no claim states it.
        monotone: the certificate that delta never rises as the parameter grows, for every n and e^eps: with ``holds``
            it proves the ``scope``. Of randomized response, by its flip probability or by gamma with fewer than 16
            inputs; elsewhere None, where the docstrings of ``exactdp.studies.calibration`` prove the scope.
    """

    parameter: Fraction
    name: str
    grid: Fraction
    protocol: Protocol
    holds: Certificate | None
    fails: Certificate | None
    fails_at: Fraction | None
    scope: str
    open_at: Fraction | None
    holds_at: Fraction
    tenth_more: Fraction | None
    monotone: Certificate | None = None

    @property
    def is_least(self) -> bool:
        """Whether it is proved that no less noise on the grid next to this value is enough."""
        return self.fails_at == self.open_at

    @property
    def gamma(self) -> Fraction | None:
        """The gamma of ``protocols.k_ary`` (twice the flip probability), of k-ary response or ``protocols.zsum``."""
        if self.name == "flip":
            return exact_answer(2 * self.parameter)
        return self.parameter if self.name == "gamma" else None

    @property
    def local_epsilon(self) -> LogRational | Real | None:
        """The eps0 of one user's randomizer alone, without the shuffler; None for noise on a count."""
        return self.protocol.local_epsilon

    @property
    def level(self) -> str:
        """What stands behind the verdicts on ``holds_at`` and on ``fails_at``, or between two ends on ``tenth_more``
        where there is one: "certificate" where the checker has verified them, else "enclosure"."""
        is_refuted = self.fails_at is not None if self.is_least else self.tenth_more is not None
        wanted = [self.holds, self.fails] if is_refuted else [self.holds]
        checked = all(one is not None and one.level == "certificate" for one in wanted)
        return "certificate" if checked else "enclosure"

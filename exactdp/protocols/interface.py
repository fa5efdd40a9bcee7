"""What a protocol answers for itself: its privacy, its error, its draws, and how a claim states it.

``optimal_accuracy``, ``sample``, ``simulate``, ``Claim.shuffle_dp`` and ``calibrate`` ask a :class:`Protocol` and know
no single one: a new protocol is one class that answers what it can. What it leaves out is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import Exact

if TYPE_CHECKING:
    from exactdp.mechanisms.lattice_randomizer import LatticeRandomizer
    from exactdp.mechanisms.randomizer import Randomizer
    from exactdp.numbers.epsilon import LogRational
    from exactdp.numbers.interval import Interval
    from exactdp.numbers.real import Real
    from exactdp.protocols.saving import Calibrated, Savings


class Statement(NamedTuple):
    """How a claim of (eps, delta)-DP states a protocol."""

    kind: str
    """The constructor of ``Claim``."""
    arguments: Mapping[str, Any]
    """What it takes beside eps, exp_eps and delta."""


class Protocol:
    """A protocol for its users, or a mechanism that answers in their place."""

    __slots__ = ()

    is_shuffled_randomizer: ClassVar[bool] = False
    """Whether the view counts the messages of n users of one randomizer, and nothing else."""
    is_profiled: ClassVar[bool] = True
    """Whether :meth:`privacy_profile` returns a ``PrivacyProfile``."""
    is_noisy_count: ClassVar[bool] = False
    """Whether the view is a true count plus independent noise, for each bin."""

    @property
    def parts(self) -> tuple[Protocol, ...]:
        """What is seen of each question alone, where users answer several in one message; else none."""
        return ()

    @property
    def estimates_several(self) -> bool:
        """Whether one release holds the estimates of several bins, whose largest error may be asked."""
        return False

    @property
    def records(self) -> Sequence[Any]:
        """What a user's record can be."""
        raise InvalidValueError(f"the records of a {type(self).__name__} are not listed. Ask for its accuracy or eps.")

    @property
    def absence_words(self) -> str:
        """Who may be away and what is seen of it, as the end of a sentence about n users; empty for nobody."""
        return ""

    def privacy_profile(self, *args: Any, **options: Any) -> Any:
        """Return the profile over all neighbouring data sets, both orders, or what bounds it."""
        raise InvalidValueError(
            f"a {type(self).__name__} has no privacy profile. Pass a protocol that has one, as protocols.zsum(...)."
        )

    def reduction(self, neighbors: Any) -> tuple[Protocol, Any]:
        """Return the protocol and the relation by which a claim states this one: itself, unless another says all."""
        return self, neighbors

    def accuracy(self, beta: Exact, *, simultaneous: bool = False) -> Fraction | Interval:
        """Return the least alpha with sup over data sets of P[|error| > alpha] <= beta, as ``optimal_accuracy`` does.

        Args:
            beta: probability of a larger error, exact, in [0, 1].
            simultaneous: of several estimates, the largest error rather than that of one.
        """
        raise no_theorem(self)

    def plan(self, dataset: Any, *, nearest: bool) -> Any:
        """Return what has to be drawn for one view of a data set: ``columns`` and ``draw(rng, size)``."""
        raise InvalidValueError(
            f"protocol has the type {type(self).__name__}. Pass a ShuffleProtocol or an AdditiveProtocol."
        )

    def of_each_user(self) -> tuple[Randomizer | LatticeRandomizer, int]:
        """Return what a single user runs, and the number of users, all of whose messages ``simulate`` counts."""
        raise InvalidValueError(
            f"protocol has the type {type(self).__name__}. Pass a ShuffleProtocol: its randomizer runs per user."
        )

    @property
    def local_epsilon(self) -> LogRational | Real | None:
        """The eps0 of one user's randomizer alone, without the shuffler; None where no randomizer is shuffled."""
        return None

    @property
    def table(self) -> Randomizer | None:
        """The randomizer of :attr:`is_shuffled_randomizer`, where it was given as a table; else None."""
        return None

    def released(self, counts: Any) -> Any:
        """Return what is shown of message counts: all, unless the shuffler drops some."""
        return counts

    def savings(self, found: Calibrated) -> Savings:
        """Return what a calibration that found this protocol saves against its theorem, or the noise alone."""
        from exactdp.protocols.saving import Savings

        return Savings.without_theorem(found, "no theorem gives constants for this noise at one (eps, delta).")

    @property
    def statement(self) -> Statement | None:
        """How a claim of (eps, delta)-DP for replace-one neighbours states it; None where no claim does."""
        return None


def no_theorem(protocol: object) -> InvalidValueError:
    """Return the refusal of an error whose worst data set no theorem gives."""
    return InvalidValueError(
        f"protocol has the type {type(protocol).__name__}. Pass protocols.zsum(...), protocols.histogram(...) or "
        "protocols.k_ary(...)."
    )

"""Claims about a count of sampled holders that is dropped below a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Final

from exactdp.checker.limits import MAX_TOTAL_BITS, MAX_USERS
from exactdp.claims.encoding import JsonObject, write_integer, write_rational
from exactdp.claims.statement import Decision, Level, Statement, Verdict, level_of, undecided
from exactdp.errors import InvalidValueError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer, as_probability
from exactdp.numbers.formats import short

if TYPE_CHECKING:
    from exactdp.protocols.thresholded.sampled_count_laws import Place, SampledCounts

_LOOKED_AT: Final = 2000
"""Numbers of holders that are looked at for a refutation where no tail bound ends the scan: a part of a second."""
_TERMS: Final = (16, 32, 64, 128, 256, 512)
"""Terms of the series of e^eps that are tried."""


@dataclass(frozen=True, slots=True)
class SampleThresholdDP(Statement, kind="sample_threshold_dp"):
    """A count of sampled holders, dropped below a threshold, is (eps, delta)-DP where one holder comes or goes.

    Whatever the number of holders is, or as long as there are at most ``users``.
    """

    rate: Fraction
    threshold: int
    users: Annotated[int | None, "any"]
    level: Level
    delta: Fraction

    @classmethod
    def of(
        cls,
        *,
        rate: Exact,
        threshold: int,
        users: int | None = None,
        eps: Exact | LogRational | None = None,
        exp_eps: Exact | None = None,
        delta: Exact,
    ) -> SampleThresholdDP:
        """The number of sampled holders of an item, 0 below a threshold, is (eps, delta)-DP, one holder more or fewer.

        Args:
            rate: the probability with which each holder is sampled, between 0 and 1.
            threshold: the least number that is released, at least 1.
            users: the most holders that there can be; None claims it for any number of them.
            eps, exp_eps, delta: as in :meth:`shuffle_dp`.

        >>> from exactdp import Claim
        >>> Claim.sample_threshold_dp(rate="1/8", threshold=20, exp_eps=2, delta="1e-10").kind
        'sample_threshold_dp'
        """
        level, bound = level_of(eps, exp_eps, delta, None)
        probability = as_probability(rate, name="rate")
        if probability in (0, 1):
            raise InvalidValueError(
                f"rate={write_rational(probability)} samples none or all. Pass one between 0 and 1."
            )
        least = as_integer(threshold, name="threshold", at_least=1)
        most = None if users is None else as_integer(users, name="users", at_least=1)
        return cls(probability, least, most, level, bound)

    def decide(self, executor: Executor | None = None) -> Decision:
        """Decide by the divergences of all numbers of holders, up to where a tail bound shows the rest harmless."""
        start = self.threshold - 1
        if self.users is not None and self.users <= start:
            holders = write_integer(min(self.users, MAX_USERS))
            words = "So few users never reach the threshold."
            return self.first_verified(Verdict.PROVED, words, _witnesses(self, [{"holders": holders}]))
        if self.delta == 0:
            return _refuted(self, [(start, "more")])
        end = _enough(self)
        longest = MAX_TOTAL_BITS // self.rate.denominator.bit_length()
        is_whole = end is not None and end <= longest
        last = end if is_whole and end is not None else min(start + _LOOKED_AT, longest, self.users or longest)
        scan = _counts(self).scanned(last, self.delta)
        if scan.above:
            return _refuted(self, scan.above)
        if not is_whole:
            return undecided("The holders are too many to be looked at, one number after the other.")
        words = f"The worst number of holders is {scan.worst}, of delta {scan.delta}."
        proof = self.first_verified(Verdict.PROVED, words, _witnesses(self, [{"holders": write_integer(last)}]))
        if not scan.open or proof.witness is not None:
            return proof
        refutation = _refuted(self, scan.open)
        if refutation.witness is not None:
            return refutation
        return undecided(f"The divergence and delta = {short(self.delta)} are too close.")


def _refuted(claim: SampleThresholdDP, places: Sequence[Place]) -> Decision:
    """Return the refutation by one of these numbers of holders."""
    n, order = places[0]
    pair = f"{n + 1} holders against {n}" if order == "more" else f"{n} holders against {n + 1}"
    words = f"{pair} have a delta above {short(claim.delta)}."
    pairs: list[JsonObject] = [{"holders": write_integer(n), "order": order} for n, order in places]
    return claim.first_verified(Verdict.REFUTED, words, _witnesses(claim, pairs))


def _witnesses(claim: SampleThresholdDP, plain: list[JsonObject]) -> Iterator[JsonObject]:
    """The witnesses, with terms of the series of e^eps where the claim needs them."""
    if claim.level.exp_eps is not None:
        yield from plain
    else:
        yield from ({**witness, "terms": str(terms)} for terms in _TERMS for witness in plain)


def _counts(claim: SampleThresholdDP) -> SampledCounts:
    from exactdp.protocols.thresholded.sampled_count_laws import SampledCounts

    return SampledCounts(claim.rate, claim.threshold, claim.level.real)


def _enough(claim: SampleThresholdDP) -> int | None:
    """Return a number of holders from which on a tail bound is below delta, or all users; None if it is too large."""
    counts, end = _counts(claim), claim.threshold
    while not counts.is_harmless(end + 1, claim.delta):
        if claim.users is not None and end >= claim.users:
            break
        end *= 2
        if end > MAX_USERS:
            if claim.users is not None and claim.users <= MAX_USERS:
                break
            return None
    low, high = claim.threshold, end
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if counts.is_harmless(middle + 1, claim.delta) else (middle + 1, high)
    spare = low + 2  # the checker rounds, and e^eps is not exactly what it takes
    return spare if claim.users is None else min(spare, claim.users)

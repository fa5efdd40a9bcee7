"""The claim about what a name stands for: n users of a protocol, or a query that noise hides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from exactdp.checker.limits import MAX_USERS
from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certificate_of, certify
from exactdp.claims.claim import Claim, Run
from exactdp.claims.kinds.composed import Composed
from exactdp.claims.randomizer_specs import has_family_spec
from exactdp.errors import NotCheckableError, TooLargeError
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.mechanisms.dataset import Neighbors
from exactdp.numbers.exact import as_fraction
from exactdp.privacy.attained import is_at_most
from exactdp.protocols.naming.targets import ProtocolTarget
from exactdp.protocols.naming.typed_noise import NoiseLaw
from exactdp.protocols.protocol import ShuffleProtocol


def users_claim(
    target: ProtocolTarget,
    n: int,
    level: Mapping[str, Any],
    *,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
    all_n: bool = False,
    times: int | None = None,
) -> Claim:
    """Return the claim that n users of a protocol have (eps, delta)-DP.

    Args:
        target: a randomizer, or a protocol that is a count plus noise: then neighbours replace one user, at this n.
        n: number of users.
        level: the eps and the delta, by the names that claims give them.
        neighbors: which data sets are neighbours.
        all_n: for every number of users from n on.
        times: of so many runs together; None for one.

    Raises:
        NotCheckableError: where no claim states the protocol.
        TooLargeError: where its table is too large for a claim.
    """
    if target.table is None:
        stated, relation = target.build(n).reduction(neighbors)
        if stated.is_shuffled_randomizer:
            return protocol_claim(stated, level, neighbors=relation, all_n=all_n, times=times)
        return _noisy_count_claim(target, n, level, times)
    protocol = _shuffle_protocol(target, n, neighbors)
    return protocol_claim(protocol, level, neighbors=neighbors, all_n=all_n, times=times)


def protocol_claim(
    protocol: Any, level: Mapping[str, Any], *, neighbors: Neighbors, all_n: bool, times: int | None
) -> Claim:
    """Return the claim that a shuffled randomizer has (eps, delta)-DP, or so many runs of it."""
    if times is not None:
        return Claim.composed((protocol, times), **level, neighbors=neighbors)
    return Claim.shuffle_dp(protocol, all_n_from=protocol.n if all_n else None, **level, neighbors=neighbors)


def has_many_bins(target: ProtocolTarget, n: int, neighbors: Neighbors) -> bool:
    """Whether a protocol is several bins, each a count plus the same noise, and its views are too many to be listed."""
    protocol: Any = target.build(n)
    if not protocol.is_noisy_count or protocol.bins == 1 or neighbors is not Neighbors.REPLACE_ONE:
        return False
    table = target.randomizer()
    return table is None or n > MAX_USERS or not ShuffleProtocol(table, n).privacy_profile().is_tight


def bins_claim(protocol: Any, level: Mapping[str, Any], times: int | None = None) -> Claim:
    """Return the claim that two adaptive runs of one bin, or twice as many as runs, have (eps, delta)-DP."""
    return Claim.composed(Run(protocol.noise, 2 * (times or 1), 1), **level)


def certified_by_bins(protocol: Any, level: Mapping[str, Any], times: int | None = None) -> Certificate:
    """Return the certificate of many bins, of which a replaced user moves one up and one down, or of many runs.

    All other bins are as they were, with noise of their own. So the views are those of two runs of one bin, on data
    sets that are neighbours in it: where two adaptive runs of a bin are (eps, delta)-DP, so are all bins together, how
    many there may be. That is certified. Two adaptive runs may have a slightly larger delta, so that nothing is refuted
    by them as such: where the engine finds that delta is larger, the certificate is that two runs are not private, one
    on a pair and one on the same pair in the other order. These a user moves who leaves one bin for another.
    """
    certificate = certify(bins_claim(protocol, level, times))
    if certificate.verdict is Verdict.PROVED:
        return replace(certificate, reason=f"{certificate.reason} {_BY_BINS}")
    verdict, reason = Verdict.UNDECIDED, f"Not by its bins, {2 * (times or 1)} runs of one: {certificate.reason}"
    if times is None:
        asked = {name: value for name, value in level.items() if name != "delta"}
        private = protocol.privacy_profile().delta(**asked)
        order = is_at_most(private, as_fraction(level["delta"], name="delta"))
        if order is not None:
            verdict, reason = Verdict.PROVED if order else Verdict.REFUTED, f"{reason} The worst delta is {private}."
        if order is False:
            gap = (private if isinstance(private, Fraction) else private.lo) - as_fraction(level["delta"], name="delta")
            statement = Composed.of(*[Run(protocol.noise, 1, 1)] * 2, **level)
            refuted = statement.refuted_by_turns(gap, f"The worst delta is {private}. {_BY_TURNS}")
            if refuted.witness is not None:
                return certificate_of(Claim.from_data(statement.data), refuted)
    return Certificate(certificate.claim, verdict, "enclosure" if verdict is not Verdict.UNDECIDED else "none", reason)


_BY_TURNS: Final = (
    "Certified are two runs of one bin, on two data sets and on the same in the other order: the two bins that a "
    "replaced user moves. The others tell nothing."
)
_BY_BINS: Final = (
    "Certified are two adaptive runs of one bin in place of all bins: a replaced user moves one up and one down, and "
    "no other bin."
)


def noise_claim(noise: NoiseLaw, shift: int, level: Mapping[str, Any], *, times: int | None = None) -> Claim:
    """Return the claim that a query of sensitivity ``shift`` plus noise has (eps, delta)-DP, or many such queries."""
    return _shift_claim(noise.on_integers, shift, level, times)


def _shuffle_protocol(target: ProtocolTarget, n: int, neighbors: Neighbors) -> ShuffleProtocol:
    """Return what is claimed about: the table where views are listed, else the family with its parameters."""
    table, family = target.randomizer(), target.family
    if table is None and family is None:
        repair = "Use fewer inputs."
        if target.build(n).is_noisy_count:
            repair = "Use at most 10 bins, or certify @zsum, one bin."
        raise TooLargeError(f"{target.name} has no table, of which a claim could be made. {repair}")
    replaces = neighbors is Neighbors.REPLACE_ONE
    if family is not None and (table is None or (replaces and has_family_spec(family))):
        stated = ShuffleProtocol(family, n)
        if table is None or n > MAX_USERS or not stated.privacy_profile().is_tight:
            return stated
    assert table is not None
    return ShuffleProtocol(table, n)


def _noisy_count_claim(target: ProtocolTarget, n: int, level: Mapping[str, Any], times: int | None) -> Claim:
    """Return the claim about a protocol that is a count plus noise."""
    protocol = target.build(n)
    claim = Claim.of_protocol(protocol, **level)
    if claim is None:
        raise NotCheckableError(
            f"no claim states {target.name}, so that there is no certificate of it yet. "
            "Ask delta and epsilon, which enclose them without one."
        )
    if times is None:
        return claim
    if (stated := protocol.statement) is None or stated.kind != "shift_dp":
        raise NotCheckableError(
            f"no claim states many runs of {target.name}, so that there is no certificate of it yet. "
            "Leave out --times, or ask `exactdp compose`."
        )
    return _shift_claim(stated.arguments["law"], stated.arguments["shift"], level, times)


def _shift_claim(noise: Law | LatticeLaw, shift: int, level: Mapping[str, Any], times: int | None) -> Claim:
    """Return the claim about a query of some sensitivity plus noise, or about many runs of it."""
    if times is None:
        return Claim.shift_dp(noise, shift=shift, **level)
    return Claim.composed(Run(noise, times, shift), **level)

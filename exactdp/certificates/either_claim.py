"""Of one of two messages from each user, the same statement is a claim of two kinds: the one that has a certificate.

``shuffle_dp`` lists the views of some hundred users; beyond, a blanket proves it and a test refutes it, for up to 10^6
users, where delta is not close to the worst one. ``two_message_dp`` goes through all data sets, at any delta.
"""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Final

from exactdp.certificates.certificate import Certificate
from exactdp.certificates.certify import certify
from exactdp.certificates.claim import Claim
from exactdp.certificates.claimed_views import sends_one_of_two
from exactdp.certificates.cost import view_work
from exactdp.certificates.encoding import Table
from exactdp.certificates.kinds import ShuffleDP, TwoMessageDP
from exactdp.models.neighbors import Neighbors

_FAST: Final = 2 * 10**7
"""Units of work for which views are listed, though going through all data sets is faster: some two seconds."""


def certify_either(claim: Claim, *, executor: Executor | None = None) -> Certificate:
    """Decide a claim, or the same statement as a claim of two messages where that one has a certificate sooner.

    Args:
        claim: what to decide. A ``shuffle_dp`` claim about few users, and one that has a certificate by a blanket or a
            test, stays what it is.
        executor: as for ``certify``.
    """
    other = of_two_messages(claim)
    if other is None:
        return certify(claim, executor=executor)
    first = certify(other if _lists_slowly(claim) else claim, executor=executor)
    if first.level != "enclosure":
        return first
    second = certify(claim if first.claim == other else other, executor=executor)
    return second if second.level == "certificate" else first


def of_two_messages(claim: Claim) -> Claim | None:
    """Return the ``two_message_dp`` claim that states the same, if there is one."""
    stated = claim.statement
    if not isinstance(stated, ShuffleDP) or stated.least is not None:
        return None
    view = stated.mechanism
    if view.neighbors is not Neighbors.REPLACE_ONE or not isinstance(view.randomizer, Table):
        return None
    if not sends_one_of_two(view.randomizer):
        return None
    same = TwoMessageDP(view.randomizer, view.n, stated.all_n, stated.level, stated.delta)
    return Claim.from_data(same.encode())


def _lists_slowly(claim: Claim) -> bool:
    """Whether the checker of a claim of a table lists its views, in more than some seconds."""
    stated = claim.statement
    assert isinstance(stated, ShuffleDP)
    view = stated.mechanism
    assert isinstance(view.randomizer, Table)
    work = view_work(view.randomizer.randomizer(), view.n, view.neighbors)
    return work is not None and work > _FAST

"""Binary randomized response of n users, shuffled: exactdp, and dp-accounting with what exactdp hands to it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import exactdp as xdp
from exactdp.exchange import pair_to_dp_accounting
from tests.peers.answers import Proved, rows, two_numbers

USERS = 1000
PAIR_STEP = "1/8192"
"""Of one pair, which costs no more on a fine grid."""
UP_TO = "1/2"
"""From here on delta, below 10^-58, counts as lost."""
ASKED = ((1, "1/8"), (10, "1/2"), (100, "2"))
STEP = "1/512"
"""The distance of losses: a power of two, so that every loss is a float. At each the least delta is asked for."""


def shuffled_rows() -> Iterator[tuple[str, ...]]:
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, exp_eps0=3), USERS)
    profile = protocol.privacy_profile()
    for times, eps in ASKED:
        level = float(Fraction(eps))
        composed = profile if times == 1 else profile.compose(times)
        proved = Proved.of(lambda composed=composed, eps=eps: composed.delta(eps=eps))

        def of_pair(side: bool, times: int = times, level: float = level) -> float:
            worst = profile.worst_pair(exp_eps="9/8")
            laws = protocol.law(worst.first), protocol.law(worst.second)
            return _delta(pair_to_dp_accounting(*laws, discretization=PAIR_STEP, pessimistic=side), times, level)

        def of_profile(side: bool, times: int = times, level: float = level) -> float:
            below = {"discretization": PAIR_STEP, "pessimistic": False, "exp_eps": "9/8"}
            asked: Any = {"discretization": STEP, "up_to": UP_TO} if side else below
            return _delta(profile.to_dp_accounting(**asked), times, level)

        answers = [
            two_numbers("dp-accounting, told the pair that is worst at e^eps = 9/8", of_pair),
            two_numbers("dp-accounting, told `to_dp_accounting()`, optimistic and pessimistic", of_profile),
        ]
        runs = "once" if times == 1 else f"{times} times"
        yield from rows(f"n = {USERS}, e^eps0 = 3, {runs}, eps = {eps}", proved, answers)


def _delta(losses: Any, times: int, eps: float) -> float:
    return float((losses.self_compose(times) if times > 1 else losses).get_delta_for_epsilon(eps))

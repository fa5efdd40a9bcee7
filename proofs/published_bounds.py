"""Published amplification bounds against real pairs of data sets: one, as secondary sources quote it, is not a bound.

Let p = e^eps0, E = e^eps. k-ary randomized response answers truthfully with probability p / (p + k - 1), and with each
other symbol with probability 1 / (p + k - 1).

The bounds. Each is the hockey-stick divergence at E of a pair of laws of two counts (a, b). The user who differs sends
0 with probability u p, 1 with probability u, and else nothing that tells; in the other law 0 and 1 change places. Each
of the other n - 1 users sends 0 with probability r, 1 with probability r. a and b are the numbers of zeros and ones.
The clones of 2021 have u = 1 / (p + 1) and r = 1 / (2p), the stronger clones of 2023 u = r = 1 / (p + 1), and the
variation-ratio reduction with the parameters of k-ary randomized response p = q = e^eps0 and beta = (p - 1) /
(p + k - 1), as printed in secondary sources, has u = r = 1 / (p + k - 1). For n = 2 this last number is

    delta'(E) = [ (p - E)_+ + ((p + k - 3)(p - E) - (k - 2)(E - 1))_+ ] / (p + k - 1)^2.

That the numbers are the bounds: the sum over all (a, b) is carried out here from this definition, with exact numbers,
and compared with what exactdp.bounds computes in its own way; a row whose numbers differ is not decided. For 1000
users and more, where the list is too long, it is an integral over the pair's transform, with which the finite sum, that
shares no code with it, has to agree up to 1000 users.

Statement.

1. delta' is not an upper bound of delta: for every k >= 3 and p > 1, and all (p + 1) / 2 < E < p, it is below the
   divergence p (p - E) / (p + k - 1)^2 of a real pair: both users hold one symbol, or one of them holds another.
2. For n users and E close to p the exact delta is p^(n-1) times the published one: no constant repairs it.
3. The bounds from clones, 2021 and 2023, hold for k-ary randomized response.
4. The stronger one also where the worst of 200 users' data sets is far from both ends.
5. Of a thousand users with 4-ary response and e^eps0 = 7389/1000 the published number is at most 10^-6 at an e^eps at
   which the protocol is not (eps, 10^-6)-DP; and so at every instance at which docs/published-bounds.md finds the
   number of k-ary response or of Hadamard response below the proved ends. For Hadamard response beta is
   (p - 1) / (2 (p + 1)) and u = r = 1 / (2 (p + 1)).

Proof. 1: for users (x, x) against (x, x') the outcome {x, x} has probability p^2 / (p + k - 1)^2 against
p / (p + k - 1)^2. Subtract delta' without its (.)_+: if the second part is 0 the rest is (p - 1)(p - E) > 0, else it is
(k - 2)(2E - p - 1) > 0; both are polynomial inequalities, for all k, p, E. The gap: from the
counts of the two telling messages one has to simulate the others' remaining messages, but theirs and that of the user
who differs have different laws where beta < (p - 1) / (p + 1). 2: close to p one message of the pair is likelier than
E times, and one of the others outweighs it, so both numbers are one term. 3 and 4: proofs/clone_bounds.py. All of them
exactly at the instances of each row, too. 5: the
published number falls with e^eps, so what it promises for delta = 10^-6 is no more than this e^eps; the others of the
refuting pair all hold one input, and a test of the view tells the two data sets apart. The kernel computes both: who
sends a telling message takes a step of a fair walk, and each number is the mean of what the walk exceeds a barrier by
(proofs/checker/rows/computed_published_bounds.v).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, lcm
from typing import Any, Final, TypeAlias

from exactdp import Claim, Exact, Interval, ShuffleProtocol
from exactdp.claims.claim import Condition
from exactdp.errors import InvalidValueError
from exactdp.numbers.formats import short
from exactdp.privacy.amplification.clones import clones_delta, stronger_clones_delta
from exactdp.privacy.amplification.variation_ratio import (
    VariationRatio,
    family_parameters,
    response_parameters,
    variation_ratio_delta,
)
from exactdp.proofs.row_files import decides
from exactdp.randomizers import HadamardResponse, KAryResponse
from exactdp.studies.counterexamples.catalogue import SEARCHES, run_search
from exactdp.studies.counterexamples.comparison import response_case

_SIZES: Final = (3, 4, 5)
"""The numbers of symbols of the instances."""
_RATIOS: Final = (Fraction(3, 2), Fraction(2), Fraction(3))
"""The e^eps0 of the instances."""
_USERS: Final = (2, 3, 4, 5, 6)
"""The numbers of users of the instances."""
_BITS: Final = 20
"""Accuracy of an enclosed number: those that are compared with 10^-6 are 4 parts in a million and more below it."""
_LARGEST_SUM: Final = 1000
"""Up to so many users the finite sum takes milliseconds."""
INTERIOR: Final = ((200, Fraction(49), Fraction(21, 20)),)
"""(n, e^eps0, e^eps) of bits whose worst data set is no end."""
TARGET: Final = Fraction(1, 10**6)
"""delta of the instances at real sizes."""
Instance = tuple[int, str, int, str]
"""A number of inputs, e^eps0, a number of users, and e^eps between what is promised and what some data set needs."""
RESPONSES: Final[tuple[Instance, ...]] = (
    (4, "7389/1000", 1000, "1.4206"),
    (4, "7389/1000", 10000, "1.107332"),
    (4, "7389/1000", 100000, "1.03001087"),
    (16, "7389/1000", 1000, "1.2584"),
    (16, "7389/1000", 10000, "1.06981"),
    (16, "7389/1000", 100000, "1.0197116"),
    (100, "7389/1000", 1000, "1.10643"),
    (100, "7389/1000", 10000, "1.029638"),
    (100, "7389/1000", 100000, "1.00839355"),
    (4, "55", 1000, "5.815"),
    (4, "55", 10000, "1.498326"),
    (16, "55", 1000, "3.991"),
    (16, "55", 10000, "1.43816"),
    (16, "55", 100000, "1.110958"),
    (100, "55", 1000, "2.147"),
    (100, "55", 10000, "1.26522"),
    (100, "55", 100000, "1.0713122"),
)
"""Of k-ary response: all that docs/published-bounds.md finds below."""
HADAMARD: Final[tuple[Instance, ...]] = (
    (15, "3", 1000, "1.12253"),
    (15, "3", 10000, "1.0342383"),
    (15, "3", 100000, "1.00970611"),
    (15, "7389/1000", 1000, "1.3084"),
    (15, "7389/1000", 10000, "1.08198"),
    (15, "7389/1000", 100000, "1.0230826"),
)
"""Of Hadamard response: all that it finds below."""
NUMBERS: Final = {
    "users": _USERS,
    "users_of_clones": _USERS[:4],
    "sizes": _SIZES[:2],
    "ratios": _RATIOS,
    "interior": INTERIOR,
    "thousand": RESPONSES[0][3],
    "responses": RESPONSES,
    "hadamard": HADAMARD,
}
"""The numbers that the rows quote."""


def published(n: int, k: int, exp_eps0: Fraction, exp_eps: Fraction) -> Fraction:
    """Return the published variation-ratio delta of k-ary randomized response.

    >>> published(2, 3, Fraction(4), Fraction(3))
    Fraction(1, 12)
    """
    share = 1 / (exp_eps0 + k - 1)
    bound = variation_ratio_delta(n, response_parameters(k, exp_eps0=exp_eps0), exp_eps=exp_eps)
    return _agreed("the variation-ratio delta", bound, pair_divergence(n, exp_eps0, share, share, exp_eps))


def _exact(value: Fraction | Interval) -> Fraction:
    if isinstance(value, Interval):
        raise InvalidValueError(f"{value!r} is not exact. Pass a rational e^eps.")
    return value


@cache
def pair_divergence(n: int, p: Fraction, u: Fraction, r: Fraction, exp_eps: Fraction) -> Fraction:
    """Return the divergence of the pair of two counts, by listing them.

    >>> pair_divergence(2, Fraction(4), Fraction(1, 6), Fraction(1, 6), Fraction(3))
    Fraction(1, 12)
    """
    scale = lcm(u.denominator, (u * p).denominator, (1 - u - u * p).denominator)
    likely, rare, silent = (int(chance * scale) for chance in (u * p, u, 1 - u - u * p))
    tell, rest = r.numerator, r.denominator - 2 * r.numerator
    powers: list[int] = [tell**m * rest ** (n - 1 - m) for m in range(n)]

    def others(a: int, b: int) -> int:
        """Their weight of a zeros and b ones, times a common denominator."""
        if min(a, b, n - 1 - a - b) < 0:
            return 0
        return comb(n - 1, a + b) * comb(a + b, a) * powers[a + b]

    excess = 0
    for a, b in product(range(n + 1), repeat=2):
        if a + b > n:
            continue
        zero, one, none = others(a - 1, b), others(a, b - 1), others(a, b)
        first = likely * zero + rare * one + silent * none
        second = rare * zero + likely * one + silent * none
        excess += max(0, exp_eps.denominator * first - exp_eps.numerator * second)
    return Fraction(excess, exp_eps.denominator * scale * r.denominator ** (n - 1))


def _agreed(name: str, bound: Fraction | Interval, defined: Fraction) -> Fraction:
    """The number of exactdp.bounds, if it is the one that the definition gives."""
    number = _exact(bound)
    if number != defined:
        raise InvalidValueError(f"{name} is {short(number)}, and {short(defined)} by its definition.")
    return number


@cache
def least_counterexample() -> Mapping[str, Any]:
    """Return the least n, k, e^eps0 and e^eps at which the published delta is below the exact one."""
    return run_search(SEARCHES["variation-ratio-response"]).least


def _protocol(n: int, k: int, exp_eps0: Fraction) -> ShuffleProtocol:
    return ShuffleProtocol(response_case(n, k, exp_eps0).randomizer, n)


@decides("variation-ratio-as-quoted")
def _as_quoted() -> Claim:
    at = least_counterexample()
    protocol = _protocol(at["n"], at["k"], at["exp_eps0"])
    return Claim.shuffle_dp(protocol, exp_eps=at["exp_eps"], delta=published(**at))


_P: Final = (1, 0, 0)
_E: Final = (0, 1, 0)
_K: Final = (0, 0, 1)
_ONE: Final = (0, 0, 0)
"""The powers of p, E and k in a monomial; this one is 1."""
_Polynomial: TypeAlias = dict[tuple[int, ...], Exact]
_BELOW: Final[_Polynomial] = {_P: 1, _E: -1}
"""p - E."""
_ABOVE: Final[_Polynomial] = {_E: 2, _P: -1, _ONE: -1}
"""2E - p - 1."""
_DOMAIN: Final = (
    Condition(_BELOW, strict=True),
    Condition(_ABOVE, strict=True),
    Condition({_K: 1, _ONE: -3}),
)
"""E < p, E > (p + 1) / 2, k >= 3; together they make p > 1."""


@decides("variation-ratio-two-users")
def _two_users() -> Claim:
    """The real pair's p (p - E) exceeds (p - E), and (p - E) + (p + k - 3)(p - E) - (k - 2)(E - 1)."""
    first: _Polynomial = {(2, 0, 0): 1, (1, 1, 0): -1, _P: -1, _E: 1}
    second: _Polynomial = {(0, 1, 1): 2, (1, 0, 1): -1, _K: -1, _E: -4, _P: 2, _ONE: 2}
    names = ["p", "E", "k"]
    inequalities = (
        Claim.inequality(names, hypotheses=_DOMAIN, conclusion=Condition(conclusion, strict=True))
        for conclusion in (first, second)
    )
    real = (
        Claim.shuffle_dp(
            _protocol(2, k, ratio), exp_eps=order, delta=ratio * (ratio - order) / (ratio + k - 1) ** 2, least="delta"
        )
        for k in _SIZES
        for ratio in _RATIOS
        for order in _close(ratio)
    )
    return Claim.conjunction(*inequalities, *real)


def _close(ratio: Fraction) -> tuple[Fraction, ...]:
    """e^eps so close to e^eps0 that one outcome of two users is left."""
    return tuple(ratio - (ratio - 1) / parts for parts in (10, 100))


@decides("variation-ratio-factor")
def _factor() -> Iterator[Claim]:
    for n, ratio in product(_USERS, _RATIOS):
        order = ratio - (ratio - 1) / 1000
        delta = ratio ** (n - 1) * published(n, 3, ratio, order)
        yield Claim.shuffle_dp(_protocol(n, 3, ratio), exp_eps=order, delta=delta, least="delta")


@decides("clones-response")
def _clones() -> Iterator[Claim]:
    for n, k, ratio in product(_USERS[:4], (2, *_SIZES[:2]), _RATIOS):
        for order in (Fraction(1), (ratio + 1) / 2, *_close(ratio)):
            for delta in both_clones(n, ratio, order):
                yield Claim.shuffle_dp(_protocol(n, k, ratio), exp_eps=order, delta=delta)


def both_clones(n: int, exp_eps0: Fraction, exp_eps: Fraction) -> tuple[Fraction, Fraction]:
    """Return the clones bounds of 2021 and 2023.

    >>> both_clones(2, Fraction(3), Fraction(2))
    (Fraction(5, 24), Fraction(3, 16))
    """
    share, copied = 1 / (exp_eps0 + 1), 1 / (2 * exp_eps0)
    first = clones_delta(n, exp_eps0=exp_eps0, exp_eps=exp_eps)
    second = stronger_clones_delta(n, exp_eps0=exp_eps0, exp_eps=exp_eps)
    return (
        _agreed("the clones delta", first, pair_divergence(n, exp_eps0, share, copied, exp_eps)),
        _agreed("the stronger clones delta", second, pair_divergence(n, exp_eps0, share, share, exp_eps)),
    )


@decides("clones-interior")
def _interior() -> Iterator[Claim]:
    for n, ratio, order in INTERIOR:
        yield Claim.shuffle_dp(_protocol(n, 2, ratio), exp_eps=order, delta=both_clones(n, ratio, order)[1])


@decides("variation-ratio-thousand")
def _thousand() -> Claim:
    return _promised(KAryResponse, RESPONSES[0])


@decides("variation-ratio-real-sizes")
def _real_sizes() -> Iterator[Claim]:
    for family, instances in ((KAryResponse, RESPONSES), (HadamardResponse, HADAMARD)):
        for instance in instances:
            yield Claim.negation(_promised(family, instance))


def _promised(family: type[KAryResponse | HadamardResponse], instance: Instance) -> Claim:
    """Claim that an instance is (eps, 10^-6)-DP, at an e^eps at which the published number is at most 10^-6."""
    inputs, exp_eps0, users, exp_eps = instance
    randomizer = family(inputs, exp_eps0=exp_eps0)
    delta = published_of_pair(users, family_parameters(randomizer), Fraction(exp_eps))
    if not delta <= TARGET:
        raise InvalidValueError(f"the published delta is in {delta}, and not at most {TARGET}.")
    return Claim.shuffle_dp(ShuffleProtocol(randomizer, users), exp_eps=exp_eps, delta=TARGET)


def published_of_pair(users: int, parameters: VariationRatio, exp_eps: Fraction) -> Interval:
    """Enclose the published delta by an integral; up to 1000 users only if the finite sum agrees.

    >>> published_of_pair(1000, response_parameters(4, exp_eps0="7389/1000"), Fraction("1.4206"))
    Interval[..., ...]
    """
    enclosed = variation_ratio_delta(users, parameters, exp_eps=exp_eps, relative_bits=_BITS)
    assert isinstance(enclosed, Interval)
    if users <= _LARGEST_SUM:
        exact = _exact(variation_ratio_delta(users, parameters, exp_eps=exp_eps))
        if exact not in enclosed:
            raise InvalidValueError(f"the variation-ratio delta is {short(exact)}, and {enclosed} by its definition.")
    return enclosed

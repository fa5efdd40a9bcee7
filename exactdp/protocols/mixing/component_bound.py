"""Split and mix: how far the views of two inputs with the same sum are apart, for any number of users.

Each of n users splits an element of an abelian group of order q, such as Z_q, into m shares that are uniform among
those with this sum; the view V(x) is the multiset of all nm shares. It shows the sum. How much more it shows is its
total variation distance to the simulator U_s, the multiset of nm uniform elements with the sum s of x, which is drawn
from the sum alone.

*Theorem.* Let C be the number of components of the random graph on n left and n right points with m stubs each, the
left stubs matched at random with the right ones, and c(q) = E[q^(C-1)] - 1. Then for all x and x' with the sum s

    TV(V(x), U_s) <= sqrt(c(q)) / 2,        TV(V(x), V(x')) <= sqrt((c(q) + c(2)) / 2) <= sqrt(c(q)).

*Average case.* Let C' be the components of the same graph with the i-th left and the i-th right point made one, and c'
as above. For X uniform, and X' uniform among the inputs with the sum of X,

    E TV(V(X), U_sum(X)) <= sqrt(c'(q)) / 2,        E TV(V(X), V(X')) <= sqrt(c'(q) / 2).

*Proof.* The multiset is as good as its uniformly ordered sequence y, and y is drawn by a uniform bijection b from the
shares to the places. Its density against uniform sequences is f_x(y) = q^n Pr_b[the n sums of shares are x], since n
(m-1) shares are free. So E_y f_x f_x' = q^(2n) Pr[2n equations hold] with two independent bijections and a uniform y:
an equation for each left point (a user of the first bijection) and for each right point (of the second), and each y_j
is in one left and one right equation, an edge of the graph. Along a spanning forest every equation but one in each
component is solved by its own unknown; the last of a component holds iff its left sums of x equal its right sums of
x'. So the probability is q^-(2n-C) where that is so in all components, else 0, and E_y f_x f_x' = E[q^C; consistent].
The sequences with the sum s are a q-th part, on which V(x) has the density f_x / q, and U_s the density 1: relative to
U_s, E[(f/q)(f'/q)] = E[q^(C-1); consistent]. Hence chi^2(V(x), U_s) <= c(q), and TV is at most half the root of chi^2.
For two inputs, a connected graph is consistent, as the sums of x and x' agree, so that
E (f_x - f_x')^2 / q^2 <= 2 E[q^(C-1)] - 2 Pr[C = 1] = 2 c(q) + 2 Pr[C > 1] <= 2 c(q) + 2 c(2). For a uniform x the x_i
are unknowns too, each in the left and in the right equation i: an edge more, and all equations homogeneous; so the
mean of chi^2 is E[q^(C'-1)] - 1 exactly. X and X' are independent given their sum, and the mean of f_X given the sum
is the density of U_s, so that E (f_X - f_X')^2 / q^2 = 2 c'(q). The root is concave.

*m shuffles.* Where the j-th shares of all users are shuffled for themselves, the view shows more, and the same holds
with m random matchings of the points: C has the components of m - 1 random permutations, C' of m. These numbers are
larger by about m^m / m!.

*Size.* :mod:`exactdp.protocols.mixing.components` has the generating function of C and its proved tail. Isolated points
make c(q) about (q-1) (m! / m^m) n^-(m-2), and c'(q) a further 1/n: worst-case security costs one message more than the
average case. For m = 2 the bound says nothing as n grows, and indeed the view shows more and more.

*Published constants.* Security of sigma bits is a distance of at most 2^-sigma. In the average case it is published for
sigma = ((m-1) (log2 n - log2 e) - log2 q) / 2, m >= 3 and n >= 19. Since m shares of x are m - 1 shares of x - u beside
a uniform u, and x - U is uniform, TV(V_m(x), V_m(x')) is at most twice the average case to the simulator with m - 1
messages; by the published number and the triangle inequality this is the worst case here, one bit and one message more.
The average-case number itself is no bound of the worst case (proofs/split_and_mix.py).

Source: BalleBellGasconNissim2020 (the protocol's average case, as printed in secondary sources);
GhaziManurangsiPaghVelingker2020 (the same order for the worst case).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, product
from typing import Final

from exactdp.errors import HypothesisError, TooLargeError
from exactdp.numbers.balls import compare_reals, enclose_with_root
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_integer, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.protocols.mixing.components import Structure, component_excess, component_mean, least_excess

_THEOREM: Final = NamedTheorem("The bound by components")
_PUBLISHED: Final = NamedTheorem("The published number")
_BITS: Final = 20
"""Relative accuracy unless more is asked for: six digits, as for the ends of brackets."""
_LEAST_PUBLISHED_USERS: Final = 19
"""The published number is stated from so many users on."""
_TRIVIAL: Final = 4
"""From here on half the root is at least 1, which every distance is at most."""
_MAX_USERS: Final = 10**18
"""As many users as any question of the package may have."""
_MAX_MESSAGES: Final = 10**3
"""Most messages of a user: a thousand give a thousand bits of security to two users."""
_MAX_MODULUS_BITS: Final = 2**12
"""Longest modulus, in bits."""
_MAX_SIGMA: Final = 2**12
"""Most bits of security that are asked for."""


def component_colourings(
    n: int, *, modulus: int, messages: int, average: bool = False, separate: bool = False
) -> Fraction:
    """Return E[q^C] exactly, C the components of the module's random graph.

    Args:
        n: number of users, at least 1, and few enough for all coefficients.
        modulus: q, at least 2.
        messages: m, at least 2.
        average: whether the inputs are uniform, so that the i-th left and right points are one.
        separate: whether the j-th messages are shuffled for themselves.

    >>> component_colourings(3, modulus=2, messages=3, separate=True), component_colourings(3, modulus=2, messages=3)
    (Fraction(8, 3), Fraction(31, 14))

    Source: BalleBellGasconNissim2020 (the protocol, the bound is the module docstring's).
    """
    users, order, structure = _read(n, modulus, messages, average, separate)
    return exact_answer(component_mean(structure, users, order))


def split_and_mix_excess(
    n: int,
    *,
    modulus: int,
    messages: int,
    average: bool = False,
    separate: bool = False,
    relative_bits: int = _BITS,
) -> Interval | None:
    """Enclose E[q^(C-1)] - 1, the bound of chi^2 to the simulator; None where it is 4 or more, which bounds nothing.

    Arguments as :func:`component_colourings`, for n to 10^18; its relative width is 2^-relative_bits, or what is proved
    with a thousand coefficients.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> split_and_mix_excess(10**6, modulus=2**32, messages=10)
    Interval[1.5585647...e-42, 1.5585647...e-42]

    Cost: 10 ms for n = 10^6 and m = 10, and for n = 10^9 with a modulus near n^(m-2).

    Source: BalleBellGasconNissim2020 (the protocol, the bound is the module docstring's).
    """
    users, order, structure = _read(n, modulus, messages, average, separate)
    _check_messages(structure)
    bits = as_relative_bits(relative_bits)
    return component_excess(structure, users, order, relative_bits=bits, enough=_TRIVIAL)


def split_and_mix_distance(
    n: int,
    *,
    modulus: int,
    messages: int,
    average: bool = False,
    separate: bool = False,
    simulator: bool = False,
    relative_bits: int = _BITS,
) -> Interval:
    """Enclose the theorem's bound of the total variation distance, or 1 where it exceeds 1.

    Args:
        n: number of users who follow the protocol, 1 to 10^18.
        modulus: q, at least 2.
        messages: m, at least 3, or 2 in the average case.
        average: for uniform inputs, in the mean; else for all.
        separate: whether the j-th messages are shuffled for themselves.
        simulator: from a view to the simulator; else between the views of two inputs with the same sum.
        relative_bits: relative accuracy, as :func:`split_and_mix_excess`.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> split_and_mix_distance(10**4, modulus=2**32, messages=12) < Fraction(1, 2**40)
    True

    Source: BalleBellGasconNissim2020 (the protocol, the bound is the module docstring's).
    """
    users, order, structure = _read(n, modulus, messages, average, separate)
    _check_messages(structure)
    bits = as_relative_bits(relative_bits)
    excess = component_excess(structure, users, order, relative_bits=bits + 2, enough=_TRIVIAL)
    if excess is None:
        return _point(1)
    squares = _no_more(excess)
    if simulator or average:
        return _root(squares, Fraction(1, 4 if simulator else 2), bits)
    binary = component_excess(structure, users, 2, relative_bits=bits + 2, enough=_TRIVIAL)
    assert binary is not None  # at most that of a larger modulus
    low, high = (one + other for one, other in zip(squares, _no_more(binary), strict=True))
    return _root((low, high), Fraction(1, 2), bits)


def split_and_mix_messages(
    n: int, *, modulus: int, sigma: int, average: bool = False, separate: bool = False, simulator: bool = False
) -> int:
    """Return the least m for which :func:`split_and_mix_distance` is at most 2^-sigma.

    Args:
        n: number of users who follow the protocol, 2 to 10^18; a single user is his sum.
        modulus: q, at least 2.
        sigma: bits of security, an integer of at least 1.
        average, separate, simulator: as for the distance.

    Raises:
        TooLargeError: for more than 1000 messages.

    >>> split_and_mix_messages(10**4, modulus=2**32, sigma=40)
    10

    Cost: 10 ms for this, and for sums below 2^59 of 10^9 users.

    Source: BalleBellGasconNissim2020 (the protocol, the bound is the module docstring's).
    """
    users, order, bits = _read_goal(n, modulus, sigma)
    for messages in range(2 if average else 3, _MAX_MESSAGES + 1):
        structure = Structure(messages, separate=bool(separate), average=bool(average))
        if least_excess(structure, users, order) > Fraction(4, 4**bits):  # the root of a quarter is above 2^-sigma
            continue
        distance = split_and_mix_distance(
            users, modulus=order, messages=messages, average=average, separate=separate, simulator=simulator
        )
        if distance.upper.compare(Fraction(1, 2**bits)) <= 0:
            return messages
    raise TooLargeError(
        f"sigma={bits} at n={short(users)} needs more than {_MAX_MESSAGES} messages, the limit. "
        "Ask for more users, or a smaller sigma."
    )


def published_split_and_mix_distance(
    n: int, *, modulus: int, messages: int, average: bool = False, relative_bits: int = _BITS
) -> Interval:
    """Enclose the published number: in the average case sqrt(q (e/n)^(m-1)), else 2 sqrt(q (e/n)^(m-2)).

    Args:
        n: number of users, at least 19.
        modulus: q, at least 2.
        messages: m, at least 3 in the average case, else at least 4.
        average: for uniform inputs, in the mean.
        relative_bits: relative accuracy.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> published_split_and_mix_distance(10**4, modulus=2**32, messages=12) < Fraction(1, 2**40)
    True

    Source: BalleBellGasconNissim2020 (as printed in secondary sources).
    """
    square = _published_square(*_read_published(n, modulus, messages, average), average)
    return enclose_with_root(Real(0), Real(1), square, relative_bits=as_relative_bits(relative_bits))


def published_split_and_mix_messages(n: int, *, modulus: int, sigma: int, average: bool = False) -> int:
    """Return the least m for which the published number is at most 2^-sigma, at least 3 or 4 as it needs.

    Arguments as :func:`split_and_mix_messages`, for n of at least 19.

    >>> published_split_and_mix_messages(10**4, modulus=2**32, sigma=40)
    12

    Source: BalleBellGasconNissim2020 (as printed in secondary sources).
    """
    users, order, bits = _read_goal(n, modulus, sigma)
    _check_published_users(users)
    goal = Fraction(1, 4**bits)
    least = next(
        messages
        for messages in count(3 if average else 4)
        if compare_reals(_published_square(users, order, messages, average), goal) <= 0
    )
    return least


@dataclass(frozen=True, slots=True)
class MessageCount:
    """How many messages of split and mix are enough for one number of users, in one regime.

    ``average`` and ``simulator`` are as for :func:`split_and_mix_distance`; ``proved`` is the least m of the bound by
    components, ``published`` that of the published number, None where none is stated.
    """

    users: int
    average: bool
    simulator: bool
    proved: int
    published: int | None


def split_and_mix_message_counts(users: Iterable[int], *, modulus: int, sigma: int) -> tuple[MessageCount, ...]:
    """Return the least numbers of messages for a distance of 2^-sigma, in all regimes, beside the published ones.

    Args:
        users: numbers of users, each 2 to 10^18.
        modulus: q, at least 2.
        sigma: bits of security.

    >>> counts = split_and_mix_message_counts([100, 10**4, 10**9], modulus=2**32, sigma=40)
    >>> [(row.users, row.proved, row.published) for row in counts if not row.average and not row.simulator]
    [(100, 16, 24), (10000, 10, 12), (1000000000, 6, 7)]

    Source: BalleBellGasconNissim2020 (as printed in secondary sources, the bound is the module docstring's).
    """
    rows = list[MessageCount]()
    for n in users:
        for average, simulator in product((False, True), repeat=2):
            proved = split_and_mix_messages(n, modulus=modulus, sigma=sigma, average=average, simulator=simulator)
            published = None
            if not simulator:
                with suppress(HypothesisError):
                    published = published_split_and_mix_messages(n, modulus=modulus, sigma=sigma, average=average)
            rows.append(MessageCount(n, average, simulator, proved, published))
    return tuple(rows)


def _published_square(users: int, order: int, messages: int, average: bool) -> Real:
    power = messages - 1 if average else messages - 2
    return (1 if average else 4) * order * Fraction(1, users**power) * Real.exp(Fraction(power))


def _no_more(excess: Interval) -> tuple[Fraction, Fraction]:
    """Return the ends, or where they are larger what bounds nothing."""
    most = Fraction(_TRIVIAL)
    return excess.lo, most if excess.upper.compare(most) >= 0 else excess.hi


def _root(squares: tuple[Fraction, Fraction], factor: Fraction, bits: int) -> Interval:
    """Enclose sqrt(factor * square) between the ends of the square, or 1 where that is smaller."""
    ends = [
        enclose_with_root(Real(0), Real(1), Real(min(Fraction(1), factor * end)), relative_bits=bits + 16)
        if end
        else _point(0)
        for end in squares
    ]
    return Interval(ends[0].lower, min(ends[1].upper, Dyadic.of(1), key=Dyadic.fraction))


def _point(value: int) -> Interval:
    return Interval(Dyadic.of(value), Dyadic.of(value))


def _read(n: object, modulus: object, messages: object, average: bool, separate: bool) -> tuple[int, int, Structure]:
    users, order = _read_users(n), _read_order(modulus)
    number = as_integer(messages, name="messages", at_least=2)
    if number > _MAX_MESSAGES:
        raise TooLargeError(f"messages={short(number)} is more than the limit of {_MAX_MESSAGES}. Use fewer.")
    return users, order, Structure(number, separate=bool(separate), average=bool(average))


def _check_messages(structure: Structure) -> None:
    _THEOREM.require(
        structure.growth >= 1,
        "m >= 3 in the worst case",
        f"messages={structure.messages}",
        "Pass at least 3 messages.",
    )


def _read_users(n: object) -> int:
    users = as_integer(n, name="n", at_least=1)
    if users > _MAX_USERS:
        raise TooLargeError(f"n={short(users)} is more than the limit of 10^18. Use fewer users.")
    return users


def _read_order(modulus: object) -> int:
    order = as_integer(modulus, name="modulus", at_least=2)
    if order.bit_length() > _MAX_MODULUS_BITS:
        raise TooLargeError(f"modulus={short(order)} is longer than the limit of {_MAX_MODULUS_BITS} bits. Use less.")
    return order


def _read_goal(n: object, modulus: object, sigma: object) -> tuple[int, int, int]:
    users, order = _read_users(n), _read_order(modulus)
    _THEOREM.require(users >= 2, "n >= 2", f"n={users}", "A single user is his sum: pass at least 2 users.")
    bits = as_integer(sigma, name="sigma", at_least=1)
    if bits > _MAX_SIGMA:
        raise TooLargeError(f"sigma={short(bits)} is more than the limit of {_MAX_SIGMA}. Use less.")
    return users, order, bits


def _read_published(n: object, modulus: object, messages: object, average: bool) -> tuple[int, int, int]:
    users, order, _ = _read_goal(n, modulus, 1)
    _check_published_users(users)
    number, least = as_integer(messages, name="messages"), 3 if average else 4
    _PUBLISHED.require(number >= least, f"m >= {least}", f"messages={short(number)}", f"Pass at least {least}.")
    return users, order, number


def _check_published_users(users: int) -> None:
    _PUBLISHED.require(
        users >= _LEAST_PUBLISHED_USERS,
        f"n >= {_LEAST_PUBLISHED_USERS}",
        f"n={users}",
        f"Pass at least {_LEAST_PUBLISHED_USERS} users.",
    )

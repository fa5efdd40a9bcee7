"""Views of split and mix modulo 2: the number of ones among all shares, by one generating function.

A user with the bit 0 sends evenly many ones, with the bit 1 oddly many: by ((1+z)^m + (1-z)^m) / 2^m = E(z) and
((1+z)^m - (1-z)^m) / 2^m = O(z). The view of k ones among n bits has the generating function E^(n-k) O^k. With
E = e(z^2) and O = z o(z^2), two views with a and a + d ones, d even, differ by z^a o^a e^(n-a-d) (e^d - w^(d/2) o^d) at
w = z^2: half the sum of its absolute coefficients is their total variation distance.

*Which pairs can be the worst.* With a, b = ((1+-z)/2)^m the view of k ones is (a+b)^(n-k) (a-b)^k, the sum over j of
K_j(k) a^(n-j) b^j, K_j(k) = [t^j] (1+t)^(n-k) (1-t)^k. It has coefficients at one parity only, where those of
a^(n-j) b^j and a^j b^(n-j) agree up to the sign that K_j(k) and K_(n-j)(k) differ by; so it is twice the sum over
j < n/2, and once j = n/2, restricted to that parity. Divided by the weights of U, the simulator, the restricted
a^(n-j) b^j are half of Krawtchouk polynomials, orthogonal under U with the mean square 1 / binom(mn, mj) (for j = n/2
twice that). K_1(k) = n - 2k, and |K_j| <= binom(n, j). So two views with d more ones in one of them are at most

    2 d T + R,   T = the sum of |[z^y] a^(n-1) b| over y of the parity,   R^2 = sum over 2 <= j <= n/2 of
                                                                               binom(n, j)^2 / binom(mn, mj)

apart, by the triangle inequality for j = 1 and Cauchy and Schwarz for the others. Only pairs for which this exceeds the
distance of the first pair are compared.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, isqrt
from typing import Final

from flint import fmpz_poly

from exactdp.errors import TooLargeError
from exactdp.numbers.formats import about
from exactdp.numbers.rationals import ratio

_MAX_BITS: Final = 2**31
"""Most bits of all coefficients of one view: a quarter of a gigabyte."""
_MAX_PAIRS: Final = 2**33
"""Most bits of the coefficients of all pairs that are compared: some ten seconds."""
_MAX_ONES: Final = 10**4
"""Most shares of all users where the worst pair is looked for: R takes a second."""
_GRID: Final = 2**64
"""R is rounded up to a multiple of its inverse, far below any distance that is looked for."""


def parity_distance(users: int, messages: int, first: int, second: int) -> Fraction:
    """Return the total variation distance of the views of ``first`` and ``second`` ones, both even or both odd.

    >>> parity_distance(2, 3, 0, 2)
    Fraction(1, 4)
    """
    few, many = sorted((first, second))
    if (messages - 1) * users * messages * users > 2 * _MAX_BITS:
        raise TooLargeError(
            f"the view of n={about(users)} users with messages={about(messages)} has coefficients of more than "
            f"{_MAX_BITS} bits together, the limit. Use fewer users, or the bound for any number of users."
        )
    even, odd = parity_polynomials(messages)
    gap = many - few
    difference = even**gap - (odd**gap).left_shift(gap // 2)
    return _half_sum(difference * even ** (users - many) * odd**few, users, messages)


def worst_parity_distance(users: int, messages: int) -> tuple[Fraction, int, int]:
    """Return the largest distance of two views with the same sum, and its two numbers of ones, the first if several.

    >>> worst_parity_distance(3, 3)
    (Fraction(9, 64), 0, 2)
    """
    if users * messages > _MAX_ONES:
        raise TooLargeError(
            f"n={about(users)} users with messages={about(messages)} send more shares than the limit of {_MAX_ONES} "
            "among which the worst pair is looked for. Ask for the distance of one pair, or use fewer users."
        )
    many = users - users % 2
    worst, pair = parity_distance(users, messages, 0, many), (0, many)
    slope, rest = parity_slope(users, messages)
    _check_pairs(users, messages, many - int((worst - rest) / slope))
    gap = many
    while gap > 0 and slope * gap + rest > worst:
        for few in range(users - gap + 1):
            distance = parity_distance(users, messages, few, few + gap)
            if distance > worst:
                worst, pair = distance, (few, few + gap)
        gap -= 2
    return worst, *pair


def _check_pairs(users: int, messages: int, gaps: int) -> None:
    """Refuse to compare the pairs of views whose numbers of ones are as far apart, but for ``gaps``, as possible."""
    pairs = (max(0, gaps) // 2 + 1) ** 2
    if pairs * messages * (messages - 1) * users**2 > _MAX_PAIRS:
        raise TooLargeError(
            f"the worst pair of n={users} users with messages={messages} is one of {pairs}, and to compare them takes "
            f"more than the limit of {_MAX_PAIRS} bits. Ask for the distance of one pair, or use fewer users."
        )


def parity_slope(users: int, messages: int) -> tuple[Fraction, Fraction]:
    """Return 2 T, the larger one of the two parities, and an upper bound of R that is near it."""
    signs = fmpz_poly([1, 1]) ** (messages * (users - 1)) * fmpz_poly([1, -1]) ** messages
    coefficients = [abs(int(c)) for c in signs.coeffs()]
    total = max(sum(coefficients[0::2]), sum(coefficients[1::2]))
    square = sum(
        comb(users, j) ** 2 * _GRID**2 // comb(messages * users, messages * j) + 1 for j in range(2, users // 2 + 1)
    )
    rest = Fraction(isqrt(square) + 1, _GRID)
    return Fraction(total, 1 << (messages * users - 1)), rest


def parity_polynomials(messages: int) -> tuple[fmpz_poly, fmpz_poly]:
    """Return 2^(m-1) e and 2^(m-1) o as polynomials in w."""
    even, odd = ([comb(messages, j) for j in range(start, messages + 1, 2)] for start in (0, 1))
    return fmpz_poly(even), fmpz_poly(odd)


def _half_sum(difference: fmpz_poly, users: int, messages: int) -> Fraction:
    return ratio(int(sum(abs(c) for c in difference.coeffs())), 2 << (messages - 1) * users)

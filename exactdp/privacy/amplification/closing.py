"""When both ends of k-ary randomized response are equal: the closing condition of
``exactdp.privacy.amplification.amplification``.

With integers a, b >= 0 and t(a, b) = a (E0 - E) - b (E E0 - 1), the bracket is closed if none has
0 < t < (E - 1)(n - a - b). The bound falls and t rises with a, so for each b only the least a with t > 0 matters. That
least t depends on b through a residue: with E0 - E = u g and E E0 - 1 = w g, g their greatest common divisor, it is
repeated after u values of b, and the bound falls with b, so that the first u values decide.

Accepted by the kernel: this program (closing_program.k_ary_closing_correct); both ends are then equal, and only then
(closing_exactly.k_ary_closes_exactly), and no data set is worse than those whose other users all hold a third input
(k_ary_worst.k_ary_worst).
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Final

from exactdp.evidence.theorems import relies_on
from exactdp.mechanisms.pair_table import PairTable

_MOST_STEPS: Final = 10**5
"""More values of b are not looked through: the bracket is then not known to be closed."""


@relies_on("closing_program.k_ary_closing_correct", "closing_exactly.k_ary_closes_exactly", "k_ary_worst.k_ary_worst")
def k_ary_bracket_closes(exp_eps0: Fraction, exp_eps: Fraction, users: int) -> bool:
    """Whether the bracket of k-ary response, k >= 3, at e^eps > 1 is known to be closed, for e^eps0 > e^eps.

    >>> k_ary_bracket_closes(Fraction(7), Fraction(2), 5), k_ary_bracket_closes(Fraction(3), Fraction(2), 6)
    (True, False)
    """
    if not 1 < exp_eps < exp_eps0:
        return False
    common = exp_eps.denominator**2 * exp_eps0.denominator**2
    rise, fall, width = (int(v * common) for v in (exp_eps0 - exp_eps, exp_eps * exp_eps0 - 1, exp_eps - 1))
    divisor = gcd(rise, fall)
    repeated = rise // divisor
    for b in range(min(users, repeated) + 1):
        if b == _MOST_STEPS:
            return False
        a = b * fall // rise + 1
        if a + b > users:
            break
        if a * rise - b * fall < width * (users - a - b):
            return False
    return True


def k_ary_exp_eps0(table: PairTable) -> Fraction | None:
    """Return e^eps0 if the classes of a pair are those of k-ary response, k >= 3, with a third input; else None."""
    telling = [c for c in table.classes if c.first != c.second]
    rest = [c for c in table.classes if c.first == c.second]
    if len(telling) != 2 or (telling[0].first, telling[0].second) != (telling[1].second, telling[1].first):
        return None
    right, wrong = max(telling[0].first, telling[1].first), min(telling[0].first, telling[1].first)
    if not wrong or any(c.least != min(c.first, c.second) for c in table.classes):
        return None
    masses = sum((c.first for c in rest), Fraction(0))
    for place in range(len(table.others)):
        own = [c for c in rest if c.others[place] != c.least]
        is_third = all(c.others[place] == wrong for c in telling)
        if is_third and [(c.least, c.others[place]) for c in own] == [(wrong, right)] and masses % wrong == 0:
            return right / wrong
    return None

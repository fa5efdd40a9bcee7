"""The domain of the closed clones bounds: with ln(4/delta), as in the authors' program, not ln(2/delta) as printed."""

import math
from fractions import Fraction

import mpmath
import pytest

from exactdp.errors import HypothesisError
from exactdp.privacy.amplification.clones import (
    clones_delta,
    clones_exp_eps,
    stronger_clones_delta,
    stronger_clones_exp_eps,
)
from tests.together import together

RATIOS = tuple(map(Fraction, ("3/2", "2", "3", "8")))
DELTAS = tuple(map(Fraction, ("1", "1/2", "1/10", "1/1000")))


def closed_form(n, p, delta):
    """The clones bound, by its formula."""
    return 1 + (p - 1) / (p + 1) * (8 * mpmath.sqrt(p * mpmath.log(4 / delta) / n) + 8 * p / n)


def stronger_form(n, p, delta):
    """The stronger clones bound, by its formula."""
    return 1 + (p - 1) * (4 * mpmath.sqrt(2 * mpmath.log(4 / delta) / ((p + 1) * n)) + 4 / mpmath.mpf(n))


BOUNDS = {
    "clones": (closed_form, clones_exp_eps, clones_delta, lambda p: 16 * p),
    "stronger clones": (stronger_form, stronger_clones_exp_eps, stronger_clones_delta, lambda p: 8 * (p + 1)),
}


def least_users(scale, p, delta, constant):
    return math.ceil(mpmath.mpf(str(float(scale(p)))) * mpmath.log(constant / mpmath.mpf(str(float(delta)))))


@together("name", BOUNDS)
@together("p", RATIOS)
@together("delta", DELTAS)
def test_both_domains_against_the_exact_pair(name, p, delta):
    """At the first n of the printed domain, and at the first of the program's, the pair's delta is far below delta."""
    formula, bound, pair, scale = BOUNDS[name]
    for constant in (2, 4):
        n = least_users(scale, p, delta, constant)
        order = Fraction(math.floor(formula(n, mpmath.mpf(float(p)), mpmath.mpf(float(delta))) * 10**6), 10**6)
        assert pair(n, exp_eps0=p, exp_eps=order) < delta / 100
        if constant == 4:
            assert bound(n, exp_eps0=p, delta=delta).lo >= order
        else:
            with pytest.raises(HypothesisError, match=r"ln\(4/delta\)"):
                bound(n, exp_eps0=p, delta=delta)


def test_the_domain_ends_where_the_program_has_it():
    """16 e^eps0 ln(4/delta) = 287.5... and 8 (e^eps0 + 1) ln(4/delta) = 191.7... at e^eps0 = 3, delta = 1/100."""
    assert clones_exp_eps(288, exp_eps0=3, delta="1/100") > 1
    assert stronger_clones_exp_eps(192, exp_eps0=3, delta="1/100") > 1
    for bound, n in ((clones_exp_eps, 287), (stronger_clones_exp_eps, 191)):
        with pytest.raises(HypothesisError, match=f"n={n} and the right side is"):
            bound(n, exp_eps0=3, delta="1/100")

"""Nodes, ceilings and searches of two-message events, against every event of small protocols by exact sums."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import mpmath
import pytest
from flint import arb

from exactdp.numbers.balls import precision, rational_ball
from exactdp.numbers.real import Real
from exactdp.privacy.two_messages import balls_of_rows, worst_half_lines
from exactdp.privacy.two_messages.balls_of_rows import Nodes, Tilt, TwoRates, ceiling
from exactdp.privacy.two_messages.two_messages import half_line_masses
from tests.oracles import high_precision

PROTOCOLS = [
    (24, Fraction(1, 4), Fraction(3, 4), Fraction(101, 100)),
    (24, Fraction(1, 7), Fraction(1, 3), Fraction(11, 10)),
    (24, Fraction(49, 100), Fraction(51, 100), Fraction(1001, 1000)),
    (24, Fraction(1, 10), Fraction(9, 10), Fraction(3)),
    (24, Fraction(3, 5), Fraction(4, 5), Fraction(5, 4)),
]
BITS = 60


def rational(ball: arb) -> Fraction:
    mantissa, exponent = map(int, ball.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


@cache
def heights(others: int, low: Fraction, high: Fraction, exp_eps: Fraction) -> list[Fraction]:
    """The largest P(T > m) - E Q(T > m) over m, for every k."""
    found = []
    for k in range(others + 1):
        masses = [half_line_masses(others, k, low, high, m) for m in range(others + 1)]
        found.append(max(p - exp_eps * q for p, q in masses))
    return found


def nodes_of(others: int, low: Fraction, high: Fraction, exp_eps: Fraction, bits: int = BITS) -> Nodes:
    tilt = Tilt.of(TwoRates(others, Real(low), Real(high), Real(exp_eps)))
    assert tilt is not None
    return Nodes.of(tilt, bits, range(others + 1))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_a_ceiling_is_above_every_event_of_a_range(protocol):
    others, truth = protocol[0], heights(*protocol)
    with precision(150):
        tilt = nodes_of(*protocol).tilt
        for first in range(0, others + 1, 3):
            for last in range(first, others + 1, 4):
                bound = rational(ceiling(tilt, range(first, last + 1)).upper())
                assert max(truth[first : last + 1]) <= bound


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_events_one_by_one(protocol):
    """F(k, m) near the middle, where the nodes serve, to the accuracy that they promise, and hardly less."""
    others, low, high, exp_eps = protocol
    for bits in (8, BITS):
        with precision(200):
            nodes = nodes_of(*protocol, bits)
            scales = [nodes.tilt.alpha * rho_free(nodes, k) for k in range(others + 1)]
        for k in range(0, others + 1, 4):
            with precision(200):
                middle = int(float(nodes.tilt.mean(k).mid()))
            for m in range(max(0, middle - 1), min(others, middle + 2) + 1):
                p, q = half_line_masses(others, k, low, high, m)
                with precision(200):
                    ball = nodes.value(k, m)
                    lower, upper = rational(ball.lower()), rational(ball.upper())
                assert lower <= p - exp_eps * q <= upper
                with precision(200):
                    error = scales[k] * (-m * nodes.tilt.log_rho).exp() * arb(2) ** (1 - bits)
                    assert upper - lower <= rational(error.upper()) * Fraction(1001, 1000)


def rho_free(nodes: Nodes, k: int) -> arb:
    """Z_k."""
    tilt = nodes.tilt
    return (k * tilt.log_scale_high + (tilt.others - k) * tilt.log_scale_low).exp()


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_a_search_of_some_k_finds_their_largest(protocol):
    others, truth = protocol[0], heights(*protocol)
    with precision(200):
        nodes = nodes_of(*protocol)
        for ks in (range(others + 1), range(3, 9), range(7, 8), range(others - 2, others + 1)):
            top, events = worst_half_lines._search_among(nodes, ks).largest()
            best = max(truth[k] for k in ks)
            assert rational(top.lower()) <= best <= rational(top.upper())
            assert {k for k in ks if truth[k] == best} <= {event.k for event in events} <= set(ks)


@pytest.mark.parametrize("k", [0, 90, 300])
def test_exact_masses_of_many_steps(k):
    """Trees of several levels: sums of the weights of 300 users, as integers over one denominator."""
    others, low, high = 300, Fraction(2, 7), Fraction(3, 5)
    law = [1]
    for chance in [high] * k + [low] * (others - k):
        one, none = int(35 * chance), 35 - int(35 * chance)
        law = [x * none + y * one for x, y in zip([*law, 0], [0, *law], strict=True)]
    for m in (0, 40, 120, 150, 200, 299):
        above = Fraction(sum(law[m + 1 :]), 35**others)
        point = Fraction(law[m], 35**others)
        assert half_line_masses(others, k, low, high, m) == (above + high * point, above + low * point)


@pytest.mark.parametrize("t", [5, 60, 300])
@pytest.mark.parametrize(("least", "largest"), [(Fraction(1, 100), Fraction(1, 2)), (9, 9), (10**6, 10**7)])
def test_as_many_nodes_as_the_proof_asks_for(t, least, largest):
    """d >= L/3 + sqrt(L^2/9 + 2 L v), D = min(d + 3, N + 1), and J = D or 1 - cos(theta_J) >= L/u; hardly more."""
    with precision(200):
        for others in (3, 10**9):
            reach, last = balls_of_rows._reach(
                others, rational_ball(Fraction(least)), rational_ball(Fraction(largest)), t
            )
            with high_precision.sixty_digits():
                length = (t + 4) * mpmath.log(2)
                spread = length / 3 + mpmath.sqrt(length**2 / 9 + 2 * length * high_precision.number(largest))
                assert reach == others + 1 or spread + 3 <= reach <= spread + 5
                angle = 2 * mpmath.pi * last / (2 * reach + 1)
                assert last <= reach
                if last < reach:
                    assert 1 - mpmath.cos(angle) >= length / high_precision.number(least)
                    before = 2 * mpmath.pi * (last - 1) / (2 * reach + 1)
                    assert 1 - mpmath.cos(before) <= length / high_precision.number(least)


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_the_tilted_law_is_that_of_the_definition(protocol):
    """Its mean and variance in fractions, and Z_k rho^-mu_k, of which every F(k, m) is at most alpha rho times."""
    others, low, high, exp_eps = protocol
    alpha = high - exp_eps * low
    rho = 1 + (exp_eps - 1) / alpha
    tilted_chances = [p * rho / (1 - p + p * rho) for p in (low, high)]
    with precision(150):
        tilt = Tilt.of(TwoRates(others, Real(low), Real(high), Real(exp_eps)))
        assert tilt is not None
        for k in (0, 5, others):
            mean = (others - k) * tilted_chances[0] + k * tilted_chances[1]
            variance = sum(n * p * (1 - p) for n, p in zip((others - k, k), tilted_chances, strict=True))
            total = (1 - low + low * rho) ** (others - k) * (1 - high + high * rho) ** k
            scale = rational_ball(alpha * total) * (-rational_ball(mean) * rational_ball(rho).log()).exp()
            assert tilt.mean(k).overlaps(rational_ball(mean))
            assert tilt.variance(k).overlaps(rational_ball(variance))
            assert tilt.scale(k).overlaps(scale)
            assert float(tilt.variance(k).rad()) < 1e-30
        assert tilt.rho.overlaps(rational_ball(rho))

"""What the envelope of two-message events says, against every event of small protocols by exact sums."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from flint import arb

from exactdp.kernel.balls import precision
from exactdp.kernel.two_messages import envelope as envelopes
from exactdp.kernel.two_messages import worst_half_lines
from exactdp.kernel.two_messages.envelope import Envelope
from exactdp.kernel.two_messages.masses import half_line_masses
from exactdp.kernel.two_messages.nodes import Nodes, Tilt, TwoRates
from exactdp.numbers.real import Real

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
def test_bounds_of_all_that_is_below_or_above(protocol):
    others, truth = protocol[0], heights(*protocol)
    with precision(150):
        envelope = Envelope(nodes_of(*protocol))
        for k in range(others + 1):
            below, above = rational(envelope.below(k).upper()), rational(envelope.above(k).upper())
            assert below >= max(truth[: k + 1])
            assert above >= max(truth[k:])
            if 0 < k <= envelope.rising_to:
                assert below <= max(truth[: k + 1]) * 3
            if envelope.falling_from <= k < others:
                assert above <= max(truth[k:]) * 3
        assert 0 <= envelope.rising_to <= others
        assert 0 <= envelope.falling_from <= others
        rising, falling = truth[: envelope.rising_to + 1], truth[envelope.falling_from :]
        # a monotone T makes H monotone but for where the best m lies between integers
        assert all(a <= b * Fraction(11, 10) for a, b in pairwise(rising))
        assert all(a >= b * Fraction(10, 11) for a, b in pairwise(falling))


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_a_bracket_without_a_search(protocol):
    """From an event at either end, with m below the mean of the tilted law, to the envelope of all."""
    others, low, high, exp_eps = protocol
    rho = 1 + (exp_eps - 1) / (high - exp_eps * low)
    attained = [Fraction(0)]
    for k, chance in ((0, low), (others, high)):
        p, q = half_line_masses(others, k, low, high, int(others * chance * rho / (1 - chance + chance * rho)))
        attained.append(p - exp_eps * q)
    with precision(150):
        below, above = (rational(end) for end in Envelope(nodes_of(*protocol)).bracket())
    assert max(attained) * (1 - Fraction(1, 2**30)) <= below <= max(attained)
    assert max(heights(*protocol)) <= above <= (high - exp_eps * low) * (1 + Fraction(1, 2**30))


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


def test_signs_are_proved_or_not():
    assert [envelopes._sign(ball) for ball in (arb(2, 1), arb(1, 2), arb(0), arb(-2, 1), arb(-1, 2))] == [
        1,
        0,
        0,
        -1,
        0,
    ]
    for parts in (1, 3, 8):
        pieces = envelopes._divided(parts)
        assert len(pieces) == parts
        for i, piece in enumerate(pieces):
            assert piece.contains(arb(2 * i - parts) / parts)
            assert piece.contains(arb(2 * i + 2 - parts) / parts)
            assert abs(float(piece.rad()) - 1 / parts) < 1e-6

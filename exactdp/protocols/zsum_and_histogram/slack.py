"""What each step of the published chain for zsum gives away, at the theorem's noise and in noise.

The chain (:mod:`exactdp.protocols.zsum_and_histogram.zsum_theorem`) bounds the exact hockey-stick divergence of zsum
four times over. Each row of the table is one of its links: its delta at the theorem's noise, and the noise mu = n gamma
at which it would itself reach the target delta. Links further down are smaller, and need less noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.binomial import Binomial
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import DEFAULT_RELATIVE_BITS, Exact, as_relative_bits
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.interval import Interval
from exactdp.privacy.hypotheses import NamedTheorem, Target
from exactdp.privacy.smoothness import smoothness_delta
from exactdp.protocols.protocol import shift_profile
from exactdp.protocols.zsum_and_histogram.smooth_theorems import lemma_three_delta
from exactdp.protocols.zsum_and_histogram.zsum_theorem import (
    GRID,
    published_delta,
    read_zsum_target,
    refined_delta,
    refined_zsum_noise,
    zsum_noise,
    zsum_rounded_gamma,
)

_STEP_BITS: Final = 20
"""The exact rows are bisected until a step is this small against the noise, if the grid of 2^-53 allows it."""

_DECIDING_BITS: Final = (64, 256, 1024)

MAX_USERS: Final = 10**18
"""Beyond, the theorem's gamma is a few steps of 2^-53, and the exact rows say nothing."""

MAX_SLACK_BITS: Final = 4096
"""Most relative bits of the table."""

_AtGamma = Callable[[Fraction, int], Interval]


@dataclass(frozen=True, slots=True)
class SlackRow:
    """One link of the chain.

    Args:
        name: what bounds delta.
        delta: its value at the theorem's noise.
        needed: contains a noise mu = n gamma at which the link passes from more than the target delta to at most the
            target delta; the link holds at the upper end. For the closed forms it contains the least such mu.
        ratio: contains the theorem's mu, with gamma rounded up, over the needed mu; None where less than one step of
            the grid is needed.
        step: for the exact links, the step of the grid of gamma: ``needed`` is n gamma - n step, where the link
            fails, to n gamma, where it holds.
    """

    name: str
    delta: Interval
    needed: Interval
    ratio: Interval | None
    step: Fraction | None = None

    def __post_init__(self) -> None:
        set_fields(self, step=exact_answer(self.step))


def zsum_slack(
    n: int, *, eps: Exact | LogRational, delta: Exact, relative_bits: int = DEFAULT_RELATIVE_BITS
) -> tuple[SlackRow, ...]:
    """Return what each step of the zsum theorem's proof gives away, from the closed form to the exact divergence.

    The rows, with mu = n gamma and a = tanh(eps/2): (1) the published closed form 2 e^(-eps^2 mu / 50); (2) the same
    with the real constant, 2 e^(-a^2 mu / 10); (3) Lemma 3's e^(-a^2 mu / 8) + e^(-a^2 mu / (8 + 2a)); (4) the exact
    probability that Bin(n, gamma) is not smooth at k = 1; (5) the exact hockey-stick divergence.

    The noise that a closed form needs is the root of a function that falls in mu. The noise that an exact row needs is
    *local*: at gamma the row holds, at gamma - step it fails, both proved by enclosures, but that it holds for every
    larger gamma is not proved. Neither quantity is proved to fall in gamma at fixed n, and the smoothness does not: it
    jumps up where its integer threshold moves, and crosses the target delta more than once. gamma and step are
    multiples of 2^-53, the step at most 2^-20 gamma where the grid allows it.

    Args:
        n: number of users who follow the protocol, from ``zsum_least_n(eps=eps, delta=delta)`` to 10^18.
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1), exact; delta = 1 needs no noise.
        relative_bits: relative accuracy of each ``delta`` and of the noise of the closed forms, at most 4096.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.
        TooLargeError: for n and relative_bits above their limits.

    >>> for row in zsum_slack(10**6, eps=1, delta="1e-6"):
    ...     print(f"{row.name}: {float(row.delta):.3g} there, needs {float(row.needed):.2f}")
    published closed form: 1e-06 there, needs 725.43
    closed form, real constant: 3.74e-07 there, needs 679.40
    Lemma 3: 3.28e-08 there, needs 584.91
    exact smoothness: 8.16e-86 there, needs 44.19
    exact hockey-stick: 4.79e-88 there, needs 34.07

    Cost: 0.3 s at n = 10^6 and at n = 10^9.

    Source: BalcerCheu2020, section 3.1; GhaziGolowichKumarPaghVelingker2021, section 4.
    """
    users, target = read_zsum_target(NamedTheorem("The zsum theorem"), n, eps=eps, delta=delta)
    if target.delta == 1:
        raise InvalidValueError("delta=1 holds without any noise. Pass delta below 1.")
    bits = as_relative_bits(relative_bits)
    if users > MAX_USERS:
        raise TooLargeError(f"n={short(users)} is more than the limit of {MAX_USERS} users. Use a smaller n.")
    if bits > MAX_SLACK_BITS:
        raise TooLargeError(f"relative_bits={bits} is more than the table's limit of {MAX_SLACK_BITS}. Ask for fewer.")
    gamma = zsum_rounded_gamma(users, eps=eps, delta=delta)
    mu = users * gamma
    closed = (
        ("published closed form", published_delta(mu, target), enclose_real(zsum_noise(target), relative_bits=bits)),
        (
            "closed form, real constant",
            refined_delta(mu, target),
            enclose_real(refined_zsum_noise(target), relative_bits=bits),
        ),
        ("Lemma 3", lemma_three_delta(mu, target.alpha), _lemma_three_noise(target, bits)),
    )
    exact: tuple[tuple[str, _AtGamma], ...] = (
        ("exact smoothness", lambda g, b: smoothness_delta(Binomial(users, g), k=1, eps=target.given, relative_bits=b)),
        ("exact hockey-stick", lambda g, b: shift_profile(Binomial(users, g)).delta(eps=target.given, relative_bits=b)),
    )
    return tuple(
        SlackRow(name, enclose_real(value, relative_bits=bits), needed, _ratio(mu, needed))
        for name, value, needed in closed
    ) + tuple(_exact_row(name, at_gamma, users, gamma, target.delta, bits) for name, at_gamma in exact)


def _lemma_three_noise(target: Target, relative_bits: int) -> Interval:
    """Bisect Lemma 3's delta, which falls in mu, between the roots of 2 e^(-a^2 mu/8) and 2 e^(-a^2 mu / (8 + 2a))."""
    alpha = target.alpha
    least = target.log_two_over_delta / alpha**2
    low = enclose_real(8 * least, relative_bits=relative_bits).lo
    high = enclose_real((8 + 2 * alpha) * least, relative_bits=relative_bits).hi
    while (high - low) * 2**relative_bits > low:
        middle = (low + high) / 2
        if compare_reals(lemma_three_delta(middle, alpha), target.delta) <= 0:
            high = middle
        else:
            low = middle
    return Interval.between(low, high, bits=relative_bits + 8)


def _exact_row(
    name: str, at_gamma: _AtGamma, users: int, gamma: Fraction, delta: Fraction, relative_bits: int
) -> SlackRow:
    def holds(units: int) -> bool:
        """Decide at gamma = units * 2^-53; without noise the views of neighbours are disjoint and delta is 1."""
        return units > 0 and _at_most(at_gamma, units * GRID, delta)

    high, step = _bracket(holds, int(gamma / GRID))
    low = high - step
    bits = max(64, high.bit_length() + users.bit_length())  # the ends are dyadic, and kept as they are
    needed = Interval.between(users * low * GRID, users * high * GRID, bits=bits)
    return SlackRow(name, at_gamma(gamma, relative_bits), needed, _ratio(users * gamma, needed), step * GRID)


def _bracket(holds: Callable[[int], bool], start: int) -> tuple[int, int]:
    """Return (high, step) with ``holds(high)`` and not ``holds(high - step)``, both multiples of the step."""
    power = start.bit_length() - 1
    if holds(1 << power):
        while power and holds(1 << (power - 1)):
            power -= 1
        high, low = 1 << power, (1 << power) >> 1
    else:
        low, high = 1 << power, 1 << (power + 1)
        if not holds(high):
            raise UndecidedError(f"no noise up to gamma={short(high * GRID)} is enough, against the theorem.")
    step = max(1, low >> _STEP_BITS)
    while high - low > step:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high, step


def _at_most(at_gamma: _AtGamma, gamma: Fraction, delta: Fraction) -> bool:
    for bits in _DECIDING_BITS:
        if (order := at_gamma(gamma, bits).compare(delta)) is not None:
            return order <= 0
    raise UndecidedError(
        f"the row at gamma={short(gamma)} and delta={short(delta)} agree to {_DECIDING_BITS[-1]} bits. "
        "Use another delta."
    )


def _ratio(mu: Fraction, needed: Interval) -> Interval | None:
    if needed.lo == 0:
        return None
    return Interval.between(mu / needed.hi, mu / needed.lo, bits=DEFAULT_RELATIVE_BITS)

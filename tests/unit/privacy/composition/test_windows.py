"""Windows of noise laws: what is outside them is counted, all of it, and on the side that is sound."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from exactdp import (
    Binomial,
    DiscreteGaussian,
    DiscreteLaplace,
    Geometric,
    Law,
    NegativeBinomial,
    Poisson,
    hockey_stick_divergence,
)
from exactdp.numbers.balls import precision, rational_ball
from exactdp.privacy.composition.losses import WORKING_BITS, LossPair, Window, dominating_measure
from tests.together import together

STEP = Fraction(1, 8)
WINDOWS = {
    "both ends cut off": (Binomial(40, "1/3"), 9, 16),
    "the lower end kept": (Binomial(40, "1/3"), 0, 14),
    "the upper end kept": (Binomial(40, "1/3"), 12, 40),
    "a law that falls faster and faster": (Poisson("7/2"), 1, 6),
    "a constant ratio": (Geometric("2/3"), 0, 5),
    "two constant ratios": (DiscreteLaplace("3/2"), -4, 5),
    "no bound of the ratios": (DiscreteGaussian(4), -3, 3),
    "a log-convex law": (NegativeBinomial("1/2", "2/3"), 0, 6),
}


def pairs(name: str, shift: int) -> tuple[LossPair, LossPair]:
    law, first, last = WINDOWS[name]
    return Window(law.enclosed, first, last, law.tail_ratio, law.is_log_concave).pairs(shift)


def is_one(mass: arb) -> bool:
    return bool(mass.overlaps(arb(1))) and float(mass.rad()) < 1e-20


@together("shift", [1, 3])
@together("name", WINDOWS)
def test_no_mass_is_lost(name: str, shift: int) -> None:
    """The outcomes of the window, the mass at infinity, what is hidden and what is raised are all of P."""
    with precision(WORKING_BITS):
        for pair in pairs(name, shift):
            atoms = sum((p for p, _, _ in pair.atoms), arb(0))
            raised = sum((mass for mass, _ in pair.raised), arb(0))
            assert is_one(atoms + pair.infinite + pair.hidden + raised)


@pytest.mark.parametrize("name", WINDOWS)
def test_a_measure_that_dominates_has_all_of_the_mass(name: str) -> None:
    with precision(WORKING_BITS):
        for pair in pairs(name, 1):
            measure = dominating_measure([pair], rational_ball(STEP), None)
            assert float(sum(measure.masses.values(), measure.infinite).upper()) >= 1 - 1e-15
            assert not measure.infinite.upper() < (pair.infinite + pair.hidden).lower()


@pytest.mark.parametrize("name", ["both ends cut off", "the lower end kept", "the upper end kept"])
@pytest.mark.parametrize("shift", [1, 2])
def test_a_measure_dominates_the_whole_law(name: str, shift: int) -> None:
    """Its profile is nowhere below the divergence of the law itself, of which the window is a part."""
    law, _, _ = WINDOWS[name]
    exact = [law.exact_pmf(t) for t in range(41)]
    whole = Law({t: p for t, p in enumerate(exact) if p})
    moved = Law({t + shift: p for t, p in enumerate(exact) if p})
    with precision(WORKING_BITS):
        measures = [dominating_measure([pair], rational_ball(STEP), None) for pair in pairs(name, shift)]
        for measure, (p, q) in zip(measures, [(whole, moved), (moved, whole)], strict=True):
            for exp_eps in (Fraction(1), Fraction(3, 2), Fraction(4)):
                bound = measure.infinite
                for j, mass in measure.masses.items():
                    excess = 1 - rational_ball(exp_eps) / (rational_ball(STEP) * j).exp()
                    if excess > 0:
                        bound += mass * excess
                delta = hockey_stick_divergence(p, q, exp_eps=exp_eps)
                assert not bound < rational_ball(delta) * (1 - arb(2) ** -60)


def test_losses_beyond_the_window_of_a_log_convex_law_are_below_its_last() -> None:
    """Of Y + 1 against Y the loss is ln(w(t-1) / w(t)) = ln(t / ((t - 1/2) p)), which falls to ln(1/p)."""
    last = WINDOWS["a log-convex law"][2]
    with precision(WORKING_BITS):
        forward, backward = pairs("a log-convex law", 1)
        ((_, highest),) = forward.raised
        assert highest.overlaps(rational_ball(Fraction(2, 3)).log())
        assert forward.hidden == backward.hidden == 0
        ((_, bound),) = backward.raised
        losses = [rational_ball(Fraction(2 * t, 2 * t - 1) * Fraction(3, 2)).log() for t in (last, last + 1)]
        assert bound.overlaps(losses[0])
        assert bound > losses[1]


@pytest.mark.parametrize("name", WINDOWS)
def test_a_window_shorter_than_the_shift_has_no_atoms_and_hides_the_rest(name: str) -> None:
    with precision(WORKING_BITS):
        for pair in pairs(name, 60):
            assert pair.atoms == ()
            raised = sum((mass for mass, _ in pair.raised), arb(0))
            assert is_one(pair.infinite + pair.hidden + raised)

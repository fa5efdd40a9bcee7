"""Counts, samples and shares that ask for much: wide noise in many parts, long parameters, many holders and terms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificates.claims import PROVED, REFUTED, counting, document, mixed, negative_binomial, sampled
from tests.certificates.shapes import LONGEST, Document, Grown, close_to_one, odd, shape, spelt
from tests.certificates.shapes_of_tests import SHAPES

__all__ = ["SHAPES"]


def spread(grown: Grown) -> str:
    """A ratio close to 1, whose law is wide."""
    return spelt(1 - Fraction(1, grown(10**6, 2)))


@shape
def counts_of_wide_noise(grown: Grown) -> Document:
    shapes = grown.one_of(str(grown(10**6)), f"1/{grown(10**6, 2)}")
    noise = [negative_binomial(shapes, spread(grown)) for _ in range(grown(8))]
    claim = counting(spread(grown), *noise, exp_eps=spelt(close_to_one(grown(60))), delta="1/2")
    return document(claim, grown.one_of(PROVED, REFUTED), {"bits": str(grown(2**14, 16))})


@shape
def counts_of_long_parameters(grown: Grown) -> Document:
    def real(bits: int) -> Any:
        part = spelt(Fraction(odd(bits - 2), odd(bits)))
        return grown.one_of(part, {"product": [part] * grown(40, 2)}, {"power": [part, str(grown(1000, 2))]})

    noise = [negative_binomial(spelt(Fraction(odd(grown(LONGEST)), odd(grown(LONGEST)))), real(grown(LONGEST, 4)))]
    eps = {"eps": spelt(Fraction(1, odd(grown(LONGEST))))}
    level: dict[str, str] = grown.one_of({"exp_eps": spelt(close_to_one(grown(LONGEST)))}, eps)
    claim = counting(real(grown(LONGEST, 4)), *noise, **level, delta=f"1/{spelt(odd(grown(LONGEST)))}")
    return document(claim, grown.one_of(PROVED, REFUTED), {"bits": str(grown(2**14, 16))})


@shape
def samples_of_many_holders(grown: Grown) -> Document:
    claim = sampled(f"1/{2 ** grown(64)}", grown(10**6), spelt(close_to_one(grown(100))), "1/2")
    if grown.one_of(True, False):
        return document(claim, REFUTED, {"holders": str(grown(10**6)), "order": grown.one_of("more", "fewer")})
    return document({**claim, "users": str(grown(10**6))}, PROVED, {"holders": str(grown(10**6))})


@shape
def samples_of_long_numbers(grown: Grown) -> Document:
    """Rates, levels and bounds as long as they may be; few holders, or as many as fit."""
    bits = grown(LONGEST, 4)
    rate = spelt(Fraction(odd(bits - 2), odd(bits)))
    delta = f"1/{spelt(odd(grown(LONGEST)))}"
    holders = grown(2**22 // bits + 1)
    witness = {"holders": str(holders)}
    if grown.one_of(True, False):
        eps = min(Fraction(64), Fraction(odd(grown(2000)), odd(grown(2000)) << grown(10)))
        claim = sampled(rate, grown(holders), eps=spelt(eps), delta=delta)
        return document(claim, PROVED, {**witness, "terms": str(grown(300))})
    claim = sampled(rate, grown(holders), spelt(close_to_one(grown(LONGEST))), delta)
    return document(claim, PROVED, witness)


@shape
def splits_of_many_shares(grown: Grown) -> Document:
    """Coefficients, precision and modulus as long as they may be."""
    messages = grown(1000, 3)
    fit = max(2, min(512, 2**18 // (20 * messages)))
    claim = mixed(grown(10**18), 2 ** grown(4096), messages, "1/2")
    return document(claim, PROVED, {"length": str(grown(fit, 2)), "bits": str(grown(2**14, 16))})


@shape
def splits_that_are_listed(grown: Grown) -> Document:
    """Views of two inputs, of many users or of many values."""
    modulus = grown(40, 2)
    messages, n = grown.one_of(3, grown(1000, 3)), grown(10**4)
    first, second = [0] * modulus, [0] * modulus
    first[0], second[modulus // 2] = n, n
    if n * (modulus // 2) % modulus:
        first[modulus // 2], first[0] = 1, n - 1
        second[modulus // 2], second[0] = n, 0
    witness = {"first": list(map(str, first)), "second": list(map(str, second))}
    return document(mixed(n, modulus, messages, "0"), REFUTED, witness)

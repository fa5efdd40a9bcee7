"""The numbers of the second checker, against Python's."""

from __future__ import annotations

import math
import random
import shutil
import subprocess
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest

from tests.certificates.in_node import MODULES, computed

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="there is no node")


def pairs_of_numbers() -> list[tuple[int, int]]:
    """Short and long ones, with and without a common factor, neighbours, powers of 2, and Fibonacci's."""
    rng, found = random.Random(5), [(0, 0), (0, 7), (7, 0), (1, 2**4000), (2**300, 2**300)]
    for bits in (20, 60, 110, 250, 300, 900, 1000, 2000, 5000):
        for shared in (0, bits // 3, bits):
            a, b = rng.getrandbits(bits), rng.getrandbits(rng.randrange(bits) + 1)
            g = rng.getrandbits(shared) + 1
            found += [(a * g, b * g), (a, a + 1), (2**bits - 1, 2 ** (bits // 2) + 1), (a * g, g)]
        x, y = 1, 1
        while y.bit_length() < bits:
            x, y = y, x + y
        found += [(x, y), (3 * y, 3 * x)]
    return found


def test_the_gcd_of_long_numbers() -> None:
    pairs = pairs_of_numbers()
    asked = [[hex(a), hex(b)] for a, b in pairs]
    found = computed("([a, b]) => [r.gcd(BigInt(a), BigInt(b)), r.gcd(BigInt(b), -BigInt(a))]", asked)
    assert [[int(g, 16) for g in each] for each in found] == [[math.gcd(a, b)] * 2 for a, b in pairs]


def test_the_gcd_of_numbers_with_a_long_quotient_in_the_middle() -> None:
    """After the first divisions the rest has less than half the bits of the number before it: no step halves them."""
    rng, pairs = random.Random(5), []
    for common, quotient, rest in [(700, 900, 40), (2000, 5000, 64), (20000, 30000, 300)]:
        divisor = rng.getrandbits(common) | 1 << common
        x, y = divisor * rng.getrandbits(8), divisor
        for bits in (quotient, rest, rest):
            x, y = x + y * (rng.getrandbits(bits) | 1 << bits), x
            x, y = max(x, y), min(x, y)
        pairs.append((x, y))
    asked = [[hex(a), hex(b)] for a, b in pairs]
    answers = computed("([a, b]) => [r.gcd(BigInt(a), BigInt(b)), r.gcd(BigInt(b), -BigInt(a))]", asked)
    assert [[int(g, 16) for g in both] for both in answers] == [[math.gcd(a, b)] * 2 for a, b in pairs]


def test_the_bits_of_a_number() -> None:
    numbers = [0, 1, 2, 3, *(2**k + d for k in (31, 32, 52, 53, 54, 64, 1000) for d in (-1, 0, 1))]
    found = computed("(a) => [r.bitLength(BigInt(a)), r.bitLength(-BigInt(a))]", [hex(n) for n in numbers])
    assert found == [[n.bit_length()] * 2 for n in numbers]


@pytest.mark.parametrize("function", ["exponential", "logarithm"])
def test_bounds_hold_what_they_enclose(function: str) -> None:
    """A unit in the last place wide, or two, about the value to 400 digits."""
    rng = random.Random(7)
    numbers = [Fraction(rng.getrandbits(40) + 1, rng.getrandbits(38) + 1) for _ in range(8)]
    numbers += [
        Fraction(1),
        Fraction(1, 3),
        Fraction(2**200 + 1, 2**200),
        Fraction(2**60),
        Fraction(10**30 + 7, 10**30),
    ]
    if function == "exponential":
        numbers = [x if x < 300 else x / 2**60 for x in numbers] + [-x for x in numbers if x < 300]
    asked = [[hex(abs(x.numerator)), hex(x.denominator), x < 0, bits] for x in numbers for bits in (16, 200, 900)]
    found = computed(
        f"([n, d, less, bits]) => r.{function}({{ n: less ? -BigInt(n) : BigInt(n), d: BigInt(d) }}, bits)", asked
    )
    with localcontext() as context:
        context.prec = 420
        for (n, d, less, bits), ends in zip(asked, found, strict=True):
            x = Decimal(int(n, 16)) / int(d, 16) * (-1 if less else 1)
            value = (x.exp() if function == "exponential" else x.ln()) * 2**bits
            low, high = (int(end.replace("0x-", "-0x"), 16) for end in ends)
            assert low <= value <= high, (x, bits)
            assert high - low <= 2


@pytest.mark.slow
@pytest.mark.parametrize("version", ["v3", "v4"])
def test_the_second_checker_answers_a_corpus_as_its_folders_say(version: str) -> None:
    """All of it, in seconds; the older ones take longer, and are read by ``--expect`` as well."""
    checker = MODULES.parent / "second_checker.mjs"
    command = ["node", str(checker), "--expect", str(checker.parent / version)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 3
    assert all(line.endswith(" agreed, 0 disagreed, 0 not covered") for line in done.stdout.splitlines())

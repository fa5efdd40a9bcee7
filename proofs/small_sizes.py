"""Few users, for all values of the parameters: the exact delta as a formula, with certificates for whole boxes.

A claim says that delta of n users is at every point of a box exactly the largest of some functions of the parameters,
or at most that. Exactly means that each function is the excess of a named event of a named pair of data sets, so that
no smaller delta will do anywhere. The functions are written here once, and the rows quote them.

Where a published number lies below delta, and where not, is an inequality between the numerators.

The published numbers. At n users the bounds from clones of 2021 and 2023 and the variation-ratio reduction are the
divergence of a pair of laws of two counts (proofs/published_bounds.py), and the blanket bound of k-ary response is the
mean excess of its labels (proofs/clone_bounds.py): a sum of max(0, a - E b) over finitely many outcomes. In p = e^eps0,
at a fixed E, each a - E b is a quotient of polynomials, and the sum is the largest over all sets of outcomes of the sum
over the set. Each of the functions listed here is the sum over one set, so that the largest of them is at most the
number. It is the number where the outcomes with a > E b are one of the sets listed. The sets change only where a = E b
for one of the outcomes, and all those that occur in [1, 8] are listed; the tests compare at a point of each piece, and
at random ones, with the numbers of exactdp.bounds. Of the variation-ratio reduction the kernel
proves it, with what follows (proofs/checker/rows/computed_small_sizes.v). That the others are bounds the kernel
computes, as it does the least deltas, but not that they are the published numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from exactdp import Claim, ShuffleProtocol
from exactdp.proofs.row_files import decides
from exactdp.symbolic import SymbolicRandomizer, randomized_response, zsum_randomizer

Functions = tuple[str, ...]
"""delta is the largest of these."""

ORDER: Final = "3/2"
"""e^eps of the rows that have one."""
LARGEST_RATIO: Final = 8
"""The rows about e^eps0 go from 1 up to it."""
LARGEST_ORDER: Final = 1000
"""The rows about every e^eps go up to it."""

ZSUM: Final[Mapping[int, Functions]] = {
    1: ("1 - gamma", "gamma"),
    2: ("(1 - gamma)^2", "gamma*(4 - 5*gamma)/2", "(1 - gamma)*(5*gamma - 1)/2", "gamma^2"),
    3: (
        "(1 - gamma)^3",
        "gamma*(6 - 15*gamma + 8*gamma^2)/2",
        "(7*gamma - 1)*(1 - gamma)^2/2",
        "gamma^2*(6 - 7*gamma)/2",
        "(1 - gamma)*(8*gamma^2 - gamma - 1)/2",
        "gamma^3",
    ),
    4: ("(1 - gamma)^4", "(9*gamma - 1)*(1 - gamma)^3/2", "gamma^3*(8 - 9*gamma)/2", "gamma^4"),
    5: (
        "(1 - gamma)^5",
        "(11*gamma - 1)*(1 - gamma)^4/2",
        "gamma^3*(20 - 45*gamma + 24*gamma^2)/2",
        "(1 - gamma)^3*(24*gamma^2 - 3*gamma - 1)/2",
        "gamma^4*(10 - 11*gamma)/2",
        "gamma^5",
    ),
}
"""n -> delta of zsum at e^eps = 3/2; reached where all users hold 0 or all but one do."""
_ALL_ZEROS: Final = "(4 - 5*gamma)*(2 - gamma)^{}/{}"
"""delta of binary response where all hold one bit, or all but one; up to n = 5 no other pair is worse."""
BINARY: Final[Mapping[int, Functions]] = {
    **{n: (_ALL_ZEROS.format(n - 1, 2 ** (n + 1)), "0") for n in range(1, 6)},
    6: (_ALL_ZEROS.format(5, 128), "(2 - gamma)^3*(16 - 40*gamma + 42*gamma^2 - 25*gamma^3)/128", "0"),
    7: (_ALL_ZEROS.format(6, 256), "(2 - gamma)^4*(8 - 20*gamma + 23*gamma^2 - 15*gamma^3)/128", "0"),
    8: (_ALL_ZEROS.format(7, 512), "(2 - gamma)^5*(16 - 40*gamma + 50*gamma^2 - 35*gamma^3)/512", "0"),
    9: (
        _ALL_ZEROS.format(8, 1024),
        "(2 - gamma)^6*(8 - 20*gamma + 27*gamma^2 - 20*gamma^3)/512",
        "(2 - gamma)^7*(17*gamma - 2 - 20*gamma^2)/512",
        "0",
    ),
    10: (
        _ALL_ZEROS.format(9, 2048),
        "(2 - gamma)^7*(16 - 40*gamma + 58*gamma^2 - 45*gamma^3)/2048",
        "(2 - gamma)^5*(16 - 60*gamma + 130*gamma^2 - 175*gamma^3 + 120*gamma^4 - 45*gamma^5)/512",
        "(2 - gamma)^8*(38*gamma - 4 - 45*gamma^2)/2048",
        "0",
    ),
}
"""n -> delta of binary randomized response at e^eps = 3/2."""
TERNARY: Final[Mapping[int, Functions]] = {
    1: ("(6 - 7*gamma)/6", "0"),
    2: ("(6 - 9*gamma + 2*gamma^2)/6", "(3 - 2*gamma)*(6 - 7*gamma)/18", "0"),
    3: (
        "(54 - 99*gamma + 45*gamma^2 - 10*gamma^3)/54",
        "(54 - 99*gamma + 42*gamma^2 - 4*gamma^3)/54",
        "(54 - 117*gamma + 78*gamma^2 - 19*gamma^3)/54",
        "(6 - 7*gamma)*(3 - 2*gamma)^2/54",
        "0",
    ),
    4: (
        "(162 - 351*gamma + 243*gamma^2 - 105*gamma^3 + 20*gamma^4)/162",
        "(162 - 351*gamma + 216*gamma^2 - 33*gamma^3 - 13*gamma^4)/162",
        "(162 - 405*gamma + 360*gamma^2 - 156*gamma^3 + 28*gamma^4)/162",
        "(3 - 2*gamma)*(54 - 117*gamma + 84*gamma^2 - 26*gamma^3)/162",
        "(6 - 7*gamma)*(3 - 2*gamma)^3/162",
        "0",
    ),
}
"""n -> delta of 3-ary randomized response at e^eps = 3/2.

The one with the factor 6 - 7 gamma is reached where all users hold one symbol and a neighbour where one holds another;
the first, from n = 2 on, where all but one hold 0 and this one 1, and a neighbour where it holds 2.
"""
EVERY_ORDER: Final = {**dict.fromkeys((1, 2), "1"), **dict.fromkeys((3, 4, 5), ORDER), **dict.fromkeys((6, 8, 10), "2")}
"""n -> the least e^eps from which binary response has the one formula."""
ONE_FLIP: Final[Functions] = ("(2 - 5*p)/2", "(5*p - 3)/2", "0")
"""delta of a bit that is flipped with probability p, at e^eps = 3/2."""
GAP: Final[Mapping[int, Functions]] = {
    2: ("0", "2*(8*q - 1)/25", "(134*q^2 - 17*q - 17)/100"),
    3: ("0", "(61*q - 12)/250", "(481*q^3 - 219*q^2 - 12)/250"),
}
"""n -> delta of R^gap at e^eps = 3/2, s = 1/5."""
_RATIO: Final = "1 - q + q/s"
"""The least e^eps of two users of R^gap."""
CLONES: Final[Mapping[int, Functions]] = {
    1: ("0", "(2*p - 3)/(2*(p + 1))"),
    2: ("0", "(2*p - 3)*(2*p - 1)/(4*p*(p + 1))"),
    3: ("0", "(2*p - 3)*(2*p - 1)^2/(8*p^2*(p + 1))", "(8*p^3 - 20*p^2 + 15*p - 7)/(8*p^2*(p + 1))"),
    4: (
        "0",
        "(2*p - 3)*(2*p - 1)^3/(16*p^3*(p + 1))",
        "(16*p^4 - 48*p^3 + 48*p^2 - 17*p - 4)/(16*p^3*(p + 1))",
        "(16*p^4 - 48*p^3 + 54*p^2 - 47*p + 20)/(16*p^3*(p + 1))",
    ),
}
"""n -> the bound from clones of 2021 at e^eps = 3/2."""
STRONGER: Final[Mapping[int, Functions]] = {
    1: ("0", "(2*p - 3)/(2*(p + 1))"),
    2: ("0", "p*(2*p - 3)/(2*(p + 1)^2)"),
    3: ("0", "p^2*(2*p - 3)/(2*(p + 1)^3)", "(2*p^3 - 3*p^2 + p - 4)/(2*(p + 1)^3)"),
    4: (
        "0",
        "p^3*(2*p - 3)/(2*(p + 1)^4)",
        "(2*p^4 - 3*p^3 + 3*p - 7)/(2*(p + 1)^4)",
        "(2*p^4 - 3*p^3 + 3*p^2 - 12*p + 5)/(2*(p + 1)^4)",
    ),
}
"""n -> that of 2023; for binary response it is the blanket bound too."""
BLANKET: Final[Mapping[int, Functions]] = {
    1: ("0", "(2*p - 3)/(2*(p + 2))"),
    2: ("0", "p*(2*p - 3)/(2*(p + 2)^2)", "(2*p^2 - p - 4)/(2*(p + 2)^2)"),
    3: (
        "0",
        "p^2*(2*p - 3)/(2*(p + 2)^3)",
        "(2*p^3 - 3*p^2 + 4*p - 7)/(2*(p + 2)^3)",
        "(2*p^3 + p^2 - 8*p + 1)/(2*(p + 2)^3)",
        "(2*p^3 + p^2 - 6*p - 4)/(2*(p + 2)^3)",
        "(2*p^3 + p^2 - 5*p - 8)/(2*(p + 2)^3)",
    ),
    4: (
        "0",
        "p^3*(2*p - 3)/(2*(p + 2)^4)",
        "(2*p^4 - 3*p^3 + 6*p - 10)/(2*(p + 2)^4)",
        "(2*p^4 - 3*p^3 + 12*p^2 - 27*p + 11)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 12*p^2 + 9*p - 13)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 12*p^2 + 12*p - 20)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 6*p^2 - 9*p - 5)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 6*p^2 - 7*p - 11)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 3*p^2 - 22*p + 1)/(2*(p + 2)^4)",
        "(2*p^4 + 3*p^3 - 3*p^2 - 19*p - 14)/(2*(p + 2)^4)",
    ),
}
"""n -> the blanket bound of 3-ary response at e^eps = 3/2."""
EXACT: Final[Mapping[int, Functions]] = {
    2: ("0", "p*(2*p - 3)", "2*p^2 - p - 4"),
    3: ("0", "p^2*(2*p - 3)", "2*p^3 - p^2 - 2*p - 3", "2*p^3 + p^2 - 6*p - 4", "2*p^3 + p^2 - 5*p - 8"),
}
"""n -> 2 (p + 2)^n times delta of 3-ary response at e^eps = 3/2."""
PUBLISHED: Final[Mapping[int, Functions]] = {
    2: ("0", "2*p - 3", "2*p^2 - p - 4"),
    3: ("0", "2*p - 3", "4*p^2 - 4*p - 4", "2*p^3 + p^2 - 6*p - 4", "2*p^3 + p^2 - 5*p - 8"),
}
"""n -> 2 (p + 2)^n times the variation-ratio number."""
_ENDS: Final = {2: "p - 2", 3: "2*p^2 - 4*p - 1"}
"""n -> what is below 0 for 3/2 < p exactly where the published number is below delta."""
_ABOVE: Final = {2: (("3/2 < p", 1),), 3: (("3/2 < p <= 19/10", 1), ("19/10 <= p", 2))}
"""n -> the parts of that interval, and the entry of EXACT which is there above all of PUBLISHED."""


def _said(text: str) -> str:
    """A formula as statements write it."""
    return text.replace("*", " ").replace(") (", ")(")


def _listed(functions: Mapping[int, Functions]) -> str:
    return "; ".join(f"n = {n}: {', '.join(map(_said, listed))}" for n, listed in functions.items())


NUMBERS: Final = {
    "order": ORDER,
    "largest_order": LARGEST_ORDER,
    "largest_ratio": LARGEST_RATIO,
    "every_order": "; ".join(f"n = {n}: E in [{lowest}, {LARGEST_ORDER}]" for n, lowest in EVERY_ORDER.items()),
    "zsum": _listed(ZSUM),
    "binary": _listed(BINARY),
    "ternary": _listed(TERNARY),
    "one_flip": ", ".join(map(_said, ONE_FLIP)),
    "gap": _listed(GAP),
    "ratio": _RATIO,
    "clones": _listed(CLONES),
    "stronger": _listed(STRONGER),
    "blanket": _listed(BLANKET),
    "exact": _listed(EXACT),
    "published": _listed(PUBLISHED),
}
"""The formulas and numbers that the rows quote."""


def _claim(
    randomizer: SymbolicRandomizer,
    n: int,
    delta: str | Sequence[str],
    *,
    exp_eps: str = ORDER,
    least: str | None = "delta",
) -> Claim:
    """For all parameters of the randomizer's box delta of n users is the largest of these, or at most that."""
    given: Any = delta if isinstance(delta, str) else list(delta)
    inner = Claim.shuffle_dp(ShuffleProtocol(randomizer, n), exp_eps=exp_eps, delta=given, least=least)
    return Claim.for_all(dict(zip(randomizer.parameters, randomizer.box, strict=True)), inner)


@decides("small-zsum")
def _zsum() -> Iterator[Claim]:
    for n, functions in ZSUM.items():
        yield _claim(zsum_randomizer(gamma=(0, 1)), n, functions)


@decides("small-binary-response")
def _binary() -> Iterator[Claim]:
    for n, functions in BINARY.items():
        yield _claim(randomized_response(2, gamma=(0, 1)), n, functions)


@decides("small-ternary-response")
def _ternary() -> Iterator[Claim]:
    for n, functions in TERNARY.items():
        yield _claim(randomized_response(3, gamma=(0, 1)), n, functions)


def _flips(lie: str, box: Mapping[str, tuple[Any, Any]]) -> SymbolicRandomizer:
    rows = {x: {(y,): f"1 - ({lie})" if x == y else lie for y in (0, 1)} for x in (0, 1)}
    return SymbolicRandomizer(rows, dict(box))


@decides("small-binary-response-every-eps")
def _binary_every_order() -> Iterator[Claim]:
    """gamma is 2 t/(E + 1) up to t = 1, where delta becomes 0, and the rest of the way to 1 beyond."""
    for n, lowest in EVERY_ORDER.items():
        orders = (lowest, LARGEST_ORDER)
        small = _flips("t/(E + 1)", {"t": (0, 1), "E": orders})
        yield _claim(small, n, f"(1 - t)*(1 - t/(E + 1))^{n - 1}", exp_eps="E")
        large = _flips("1/(E + 1) + r*(E - 1)/(2*(E + 1))", {"r": (0, 1), "E": orders})
        yield _claim(large, n, "0", exp_eps="E")


@decides("small-complement")
def _complement() -> Iterator[Claim]:
    """The two messages of a flipped bit; two messages, each flipped by itself; and the first alone in a known order."""
    for zeros, mixed in (("0", "1"), ("p*(1 - p)", "p^2 + (1 - p)^2")):
        sent = {(0, 0): zeros, (0, 1): mixed, (1, 1): zeros}
        row = {bundle: chance for bundle, chance in sent.items() if chance != "0"}
        shuffled = ShuffleProtocol(SymbolicRandomizer({0: row, 1: row}, {"p": (0, 1)}), 1)
        inner = Claim.shuffle_dp(shuffled, exp_eps=1, delta=0, all_n_from=1)
        yield Claim.for_all({"p": (0, 1)}, inner)
    yield _claim(_flips("p", {"p": (0, 1)}), 1, ONE_FLIP)


def gap_weights(q: str, s: str) -> dict[int, dict[tuple[int, ...], str]]:
    """Return the rows of R^gap with these weights, with the bits of a string as messages."""
    few = {0: f"({s})/2", 1: f"(1 - {s})/2", 3: f"(1 - {s})/2", 4: f"({s})/2"}
    second = {(0,) * (4 - ones) + (1,) * ones: weight for ones, weight in few.items()}
    first = {bits: f"(1 - {q})*({weight})" for bits, weight in second.items()}
    return {0: {**first, (0, 0, 1, 1): q}, 1: second}


@decides("small-gap-one-user")
def _gap_one_user() -> Claim:
    box = {"q": (0, 1), "s": (0, 1), "E": (1, LARGEST_ORDER)}
    return _claim(SymbolicRandomizer(gap_weights("q", "s"), box), 1, "q", exp_eps="E")


@decides("small-gap-two-users")
def _gap_two_users() -> Iterator[Claim]:
    box: dict[str, tuple[Any, Any]] = {"q": (0, "1/2"), "s": ("1/10", "1/4")}
    yield _claim(SymbolicRandomizer(gap_weights("q", "s"), box), 2, "0", exp_eps=_RATIO, least=None)
    closer = {**box, "q": ("1/10", "1/2"), "u": (0, "1/100")}
    yield _claim(SymbolicRandomizer(gap_weights("q", "s"), closer), 2, "u*s*(1 - s)", exp_eps=f"{_RATIO} - u")


@decides("small-gap")
def _gap() -> Iterator[Claim]:
    for n, functions in GAP.items():
        yield _claim(SymbolicRandomizer(gap_weights("q", "1/5"), {"q": (0, 1)}), n, functions)


def response(k: int, ratio: str, box: Mapping[str, tuple[Any, Any]]) -> SymbolicRandomizer:
    """Return k-ary randomized response with e^eps0 a function of parameters."""
    total = f"({ratio} + {k - 1})"
    rows = {x: {(y,): f"({ratio})/{total}" if x == y else f"1/{total}" for y in range(k)} for x in range(k)}
    return SymbolicRandomizer(rows, dict(box))


def _bounded(k: int, bounds: Mapping[int, Functions]) -> Iterator[Claim]:
    for n, functions in bounds.items():
        yield _claim(response(k, "p", {"p": (1, LARGEST_RATIO)}), n, functions, least=None)


@decides("small-clones")
def _clones() -> Iterator[Claim]:
    for k in (2, 3):
        yield from _bounded(k, CLONES)


@decides("small-stronger-clones")
def _stronger_clones() -> Iterator[Claim]:
    for k in (2, 3):
        yield from _bounded(k, STRONGER)


@decides("small-stronger-clones-every-eps")
def _stronger_every_order() -> Iterator[Claim]:
    """e^eps0 is E + v."""
    for k in (2, 3):
        for n in (1, 2):
            box = {"E": (1, LARGEST_ORDER), "v": (0, LARGEST_ORDER)}
            bound = f"v*(E + v)^{n - 1}/(E + v + 1)^{n}"
            yield _claim(response(k, "E + v", box), n, bound, exp_eps="E", least=None)


@decides("small-blanket")
def _blanket() -> Iterator[Claim]:
    yield from _bounded(3, BLANKET)


def over_denominator(n: int, numerators: Functions) -> Functions:
    """Return the functions of EXACT or PUBLISHED with their denominator."""
    return tuple(f"({numerator})/(2*(p + 2)^{n})" for numerator in numerators)


def _exact() -> Iterator[Claim]:
    for n, numerators in EXACT.items():
        yield _claim(response(3, "p", {"p": (1, LARGEST_RATIO)}), n, over_denominator(n, numerators))


@decides("small-ternary-response-every-eps0")
def _ternary_every_ratio() -> Iterator[Claim]:
    yield from _exact()


@decides("small-variation-ratio")
def _variation_ratio() -> Iterator[Claim]:
    """Where it is below; and where not, each function of delta is at most one of the published number.

    Entry n - 1 of EXACT and entry n of PUBLISHED differ by a negative multiple of the polynomial of _ENDS: nothing is
    left to show of these two.
    """
    yield from _exact()
    for n, end in _ENDS.items():
        above, number = EXACT[n][n - 1], PUBLISHED[n][n]
        for part, entry in _ABOVE[n]:
            for other in PUBLISHED[n]:
                if (EXACT[n][entry], other) != (above, number):
                    yield Claim.inequality(f"{EXACT[n][entry]} > {other}", where=[part, f"{end} < 0"])
        for function in EXACT[n][1:]:
            yield Claim.inequality(f"{function} <= 0", where="1 <= p <= 3/2")
            if function not in (above, *PUBLISHED[n]):
                yield Claim.inequality(f"{function} <= {number}", where=["p >= 3/2", f"{end} >= 0"])

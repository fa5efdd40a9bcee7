"""The amplification bounds that people use, each put to the test: does it hold, by what, where, and how loose is it.

A bound is a member of :data:`BOUNDS`: what it promises, of which randomizers, on which condition, and where it is
stated, the program at a named commit where it was read there. No program of others is run: every formula and every
algorithm is transcribed here, and enclosed. Bounds whose statement could not be read are not in the list.

A bound *holds* by the kernel-checked theorems that are named; else it is put to the test on a stated grid, and at six
numbers of users: *nothing found* says that none of these refutes it. It is *refuted* where a randomizer in its scope is
proved to exceed it; then the least instance of the grid has a certificate.

*Decomposition by FFT.* For a blanket c below all rows, delta <= (1/n) E[max(0, G_1 + ... + G_n)], G = (P - e^eps Q)/c
with probability c, else 0. The program moves every value of G up to the next multiple of (e^eps0 - 1)/1200, so that its
number, without the errors of its floating point, is that mean of another law on few values, which is enclosed here
(:class:`~exactdp.privacy.amplification.positive_part.Mixture`). For k-ary response c is the least entry of the rows.
For every eps0-DP randomizer the program has the values e^eps0 - e^eps and 1 - e^(eps + eps0), each with probability
e^-eps0/2. These are the values of the stronger clones, where both have probability 1/(e^eps0 + 1), with the smaller
probabilities of the clones of 2021, for which the values are 2 e^eps0/(e^eps0 + 1) times as large: E[G] is not 1 -
e^eps, as it is for every blanket.

*Piecewise.* With z = e^(eps0/2), the windows of the inputs -1 and 1 of the piecewise randomizer each have the
probability z/(z + 1) under their own input, and length 1/(z + 1) of the whole. For z >= 2 the window of 0 lies between
them. So an observer who sees only in which window a message is, or in none, sees k-ary response of k = z + 1 inputs
with the same e^eps0, of which the last is nobody's: what k-ary response with users of the first three inputs exceeds,
the piecewise randomizer does. The published beta of both is 1 - e^(-eps0/2).

Source: ErlingssonFeldmanMironovRaghunathanTalwarThakurta2019, Theorem 7; BalleBellGasconNissim2019, section 5;
FeldmanMcMillanTalwar2021, Theorem 3.1; FeldmanMcMillanTalwar2023, Theorem 3.2; LiuZhaoXiongLiuChen2023;
WangPengLiWenLiYuWangYang2024, sections 4 and 5; ChenCaoGe2024, abstract; SuChengWang2025.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any, Final

from exactdp.errors import HypothesisError, InvalidValueError, meant
from exactdp.evidence.theorems import theorems_of
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.privacy.amplification.blanket import bennett_blanket_delta, hoeffding_blanket_delta
from exactdp.privacy.amplification.clones import clones_delta, stronger_clones_delta
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from exactdp.privacy.amplification.variation_ratio import VariationRatio, variation_ratio_delta
from exactdp.studies.counterexamples.comparison import (
    AT_EPS,
    Bound,
    ComparedProtocol,
    Promise,
    family_variation_ratio,
)
from exactdp.studies.counterexamples.promises import FORMULAS, promised_by_formula
from exactdp.studies.counterexamples.refutation import ANY, Refutation, listed, refute

SIZES: Final = tuple(10**j for j in range(2, 8))
SIZE_DELTA: Final = Fraction(1, 10**6)
_USERS: Final = (2, 20, 100)
_RATIOS: Final = (Fraction(3, 2), Fraction(55))
_DELTAS: Final = (Fraction(1, 10), SIZE_DELTA)
_LEVELS: Final = (Fraction(11, 10), Fraction(10))
_BITS: Final = 24
"""Accuracy of a delta that is promised on the grid."""
_STEPS: Final = 1200
"""Steps from 0 to e^eps0 - 1 of the lattice on which a decomposition is computed."""
_SQUARE_OF_E: Final = Fraction(7389, 1000)
"""Stands for e^2."""
RESPONSE: Final = "@randomized-response:inputs=4"

GRID: Final = (
    f"n = {listed(_USERS)}; e^eps0 = {listed(_RATIOS)}; delta = {listed(_DELTAS)}, or e^eps = {listed(_LEVELS)} where "
    "delta is promised; then delta = 1/1000000 at six numbers of users"
)
"""What a bound is put to, in words."""


@dataclass(frozen=True, slots=True)
class BoundInUse:
    """What is promised of the randomizers in a scope, on a condition; where it is stated; what proves it."""

    name: str
    year: int
    source: str
    condition: str
    promise: Promise = field(repr=False)
    theorems: tuple[str, ...] = ()
    """Of the kernel, each as ``file.theorem``; none where it is only put to the test."""
    scope: str = ANY[0]
    exp_eps0: Fraction = _SQUARE_OF_E
    """Of the comparison at six sizes."""
    searched: tuple[str, tuple[Fraction, ...]] | None = None
    """The randomizer and the e^eps0 of the grid, where they are not those of the scope; no e^eps0: no grid."""

    def tried(self, watch: Callable[[int], None] | None = None) -> Refutation:
        """Return what the grid and the six sizes say."""
        scope, ratios = self.searched or (self.scope, _RATIOS)
        return refute(
            self.promise,
            randomizers=(scope,),
            users=_USERS if ratios else (),
            exp_eps0=ratios,
            levels=_LEVELS if self.promise.gives_delta else _DELTAS,
            sizes=SIZES,
            at_sizes=((self.scope, self.exp_eps0),),
            watch=watch,
        )


def _at_eps(name: str, bound: Bound) -> Promise:
    return Promise(name, True, lambda case, exp_eps: bound(case, exp_eps, relative_bits=_BITS), bound)


# --- What is transcribed --------------------------------------------------------------------------------------------


def decomposition_delta(
    n: int,
    values: Sequence[tuple[Fraction, Fraction]],
    *,
    exp_eps0: Fraction,
    steps: int = _STEPS,
    relative_bits: int = _BITS,
) -> Interval:
    """Enclose (1/n) E[max(0, G_1 + ... + G_n)] for values of G moved up to a lattice, with their probabilities.

    Args:
        n: number of users, at least 1.
        values: the values of G that are not 0, with their probabilities.
        exp_eps0: e^eps0, above 1; the lattice has so many ``steps`` from 0 to e^eps0 - 1.
        relative_bits: relative accuracy.

    >>> decomposition_delta(2, [(Fraction(1), Fraction(1, 4)), (Fraction(-2), Fraction(1, 4))], exp_eps0=Fraction(3))
    Interval[0.1875, 0.1875]

    Source: SuChengWang2025 (as its program computes it).
    """
    step = (exp_eps0 - 1) / steps
    raised = [(-(-value // step) * step, weight) for value, weight in values]
    atoms = tuple(Atom(w, w * max(v, Fraction(0)), w * max(-v, Fraction(0))) for v, w in raised if v)
    return Mixture((), atoms).divergence(n, Real(1), relative_bits=relative_bits)


def _decomposition_of_response(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Interval:
    if case.k is None:
        raise HypothesisError(f"The bound needs k-ary randomized response, but the case is {case.label}. Pass another.")
    ratio, share = case.exp_eps0, 1 / (case.exp_eps0 + case.k - 1)
    values = [(ratio - exp_eps, share), (1 - exp_eps, (case.k - 2) * share), (1 - exp_eps * ratio, share)]
    return decomposition_delta(case.n, values, exp_eps0=ratio, **bits)


def _decomposition_of_any(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Interval:
    ratio = case.exp_eps0
    values = [(ratio - exp_eps, 1 / (2 * ratio)), (1 - exp_eps * ratio, 1 / (2 * ratio))]
    return decomposition_delta(case.n, values, exp_eps0=ratio, **bits)


def _by_root(case: ComparedProtocol, exp_eps: Fraction, **bits: int) -> Fraction | Interval:
    """Return the variation-ratio delta with beta = 1 - e^(-eps0/2)."""
    ratio = case.exp_eps0
    root = Fraction(isqrt(ratio.numerator), isqrt(ratio.denominator))
    if root**2 != ratio:
        raise HypothesisError(f"e^eps0={short(ratio)} is no square. Pass the square of a rational number.")
    return variation_ratio_delta(case.n, VariationRatio(ratio, 1 - 1 / root, ratio), exp_eps=exp_eps, **bits)


# --- The list -------------------------------------------------------------------------------------------------------

_BALLE: Final = "BalleBellGasconNissim2019, section 5; BorjaBalle/amplification-by-shuffling at 1778a0dd1640"
_ERLINGSSON: Final = "ErlingssonFeldmanMironovRaghunathanTalwarThakurta2019, Theorem 7, as quoted"
_WANG: Final = "WangPengLiWenLiYuWangYang2024, section {}, as quoted; wangsw/PrivacyAmplification at 34ca048932dc"
_SU: Final = (
    "SuChengWang2025; Optimal-amplification-bound/Decomposition-Based-Optimal-Bounds-for-Shuffle-DP at d3b769dca7f9"
)
_CLONES: Final = "8*sqrt(E*ln(4/delta)/n) + 8*E/n"
_INSIDE: Final = "0 < eps < eps0"
_SMALL: Final = Fraction(3, 2)
_NINE: Final = Fraction(9)


def _formula(name: str, year: int, source: str, text: str, *where: str, gives: str = "eps", **more: Any) -> BoundInUse:
    condition = "; ".join(where) or "none"
    return BoundInUse(name, year, source, condition, promised_by_formula(text, gives, where), **more)


def _published(name: str, year: int, source: str, condition: str, proof: object = None, **more: Any) -> BoundInUse:
    """Return a bound that :mod:`exactdp.bounds` has; ``proof`` is the function that relies on the kernel."""
    promise = _at_eps(name, AT_EPS[name]) if name in AT_EPS else Promise.published(name)
    return BoundInUse(name, year, source, condition, promise, _kernel(proof, name), **more)


def _kernel(proof: Any, name: str) -> tuple[str, ...]:
    """Return the theorems behind a function, of k-ary response or of every randomizer where it has one for each."""
    found = theorems_of(proof) if proof else ()
    if not name.endswith("generic") and any(".k_ary" in theorem for theorem in found):
        return tuple(theorem for theorem in found if ".k_ary" in theorem)
    return tuple(theorem for theorem in found if ".k_ary" not in theorem and not theorem.endswith("_divergence"))


def _family(name: str, scope: str) -> BoundInUse:
    promise = _at_eps(name, family_variation_ratio)
    return BoundInUse(name, 2024, _WANG.format(4), "none", promise, scope=scope)


_LISTED: Final = (
    _formula(
        "sequential-shuffling-any",
        2019,
        _ERLINGSSON,
        "2*E^2*(E-1)*sqrt(2*ln(1/delta)/n) + 2*E^2*(E-1)*(exp(2*E^2*(E-1)/n) - 1)",
        "n >= 2",
        exp_eps0=_SMALL,
    ),
    _formula(
        "sequential-shuffling-refined",
        2019,
        _ERLINGSSON,
        "E^2*(E-1)*sqrt(8*ln(1/delta)/n) + 6*E^4*(E-1)^2/n",
        "eps0 <= ln(n/4)/3",
        exp_eps0=_SMALL,
    ),
    _formula(
        "sequential-shuffling",
        2019,
        f"{_ERLINGSSON}; BorjaBalle/amplification-by-shuffling at 1778a0dd1640",
        FORMULAS["sequential-shuffling"].text,
        *FORMULAS["sequential-shuffling"].where,
        exp_eps0=_SMALL,
    ),
    _published("hoeffding-blanket-generic", 2019, _BALLE, _INSIDE, hoeffding_blanket_delta),
    _published("bennett-blanket-generic", 2019, _BALLE, _INSIDE, bennett_blanket_delta),
    _published("hoeffding-blanket", 2019, _BALLE, _INSIDE, hoeffding_blanket_delta, scope=RESPONSE),
    _published("bennett-blanket", 2019, _BALLE, _INSIDE, bennett_blanket_delta, scope=RESPONSE),
    _formula(
        "aidotnet-program",
        2019,
        "ooples/AiDotNet at 18a57ad46839, src/FederatedLearning/Privacy/ShuffleModelDP.cs",
        "min(eps0*sqrt(ln(1/delta)/n), (1 - 1/n)*ln(1 + (E-1)/n) + eps0/n)",
        "n >= 2",
    ),
    _published(
        "clones", 2021, "FeldmanMcMillanTalwar2021, Theorem 3.1 and Appendix E, as quoted", "none", clones_delta
    ),
    _formula(
        "clones-closed",
        2021,
        "FeldmanMcMillanTalwar2021, Theorem 3.1, as quoted",
        FORMULAS["clones-closed-in-words"].text,
        *FORMULAS["clones-closed-in-words"].where,
    ),
    _formula(
        "clones-closed-program",
        2021,
        "apple/ml-shuffling-amplification at 993d285a5461",
        f"ln(1 + (E-1)*({_CLONES})*(1 + {_CLONES})/(E*(1 + {_CLONES}) + 1))",
        "eps0 <= ln(n/(16*ln(4/delta)))",
    ),
    _formula(
        "opendp-program",
        2021,
        "opendp/opendp at ca7470ad3c9b, rust/opendp/src/meas/shuffle.rs, one row changed",
        f"2*ln(1 + (E-1)/(E+1)*({_CLONES}))",
        "eps0 <= ln(n/(16*ln(2/delta)))",
    ),
    _published(
        "stronger-clones",
        2023,
        "FeldmanMcMillanTalwar2023, Theorem 3.2, as quoted",
        "none",
        stronger_clones_delta,
    ),
    _published(
        "stronger-clones-closed",
        2023,
        "FeldmanMcMillanTalwar2023, Theorem 3.2, as quoted",
        "eps0 <= ln(n/(8*ln(4/delta)) - 1)",
    ),
    _formula(
        "personalised-closed",
        2023,
        "LiuZhaoXiongLiuChen2023; yixuanLL/HPS at ddd02eb84d1f; here with one eps0 for all",
        "ln(1 + (E-1)/(E+1)*(8*sqrt(E*ln(4/delta)/(n-1)) + 8*E/(n-1)))",
        "n - 1 >= 16*E*ln(4/delta)",
    ),
    _formula(
        "personalised-gaussian",
        2024,
        'ChenCaoGe2024, abstract ("approximately"); here with one eps0 for all',
        "erfc((eps/sqrt(2*(E+1)/(n-1)) - sqrt(2*(E+1)/(n-1))/2)/sqrt(2))/2"
        " - exp(eps)*erfc((eps/sqrt(2*(E+1)/(n-1)) + sqrt(2*(E+1)/(n-1))/2)/sqrt(2))/2",
        "n >= 2",
        gives="delta",
    ),
    _published("stronger-clones-refined", 2024, _WANG.format(5), "n > 8*(E+1)*ln(4/delta)"),
    _published("variation-ratio-response", 2024, _WANG.format(4), "none", scope=RESPONSE),
    _published("variation-ratio-closed", 2024, _WANG.format(5), "n > 8*ln(4/delta)/r, r < 1/2", scope=RESPONSE),
    _family("variation-ratio-unary-encoding", "@unary-encoding:inputs=16"),
    _family("variation-ratio-subset-selection", "@subset-selection:inputs=16"),
    _family("variation-ratio-local-hashing", "@local-hashing:inputs=16"),
    _family("variation-ratio-hadamard", "@hadamard-response:inputs=15"),
    BoundInUse(
        "variation-ratio-piecewise",
        2024,
        _WANG.format(4),
        "none",
        _at_eps("variation-ratio-piecewise", _by_root),
        scope="@piecewise",
        exp_eps0=_NINE,
        searched=(RESPONSE, (_NINE,)),
    ),
    BoundInUse(
        "variation-ratio-metric",
        2024,
        f"{_WANG.format(4)}; here between the ends of [0, 1], at the distance eps0",
        "p = e^d(x, x'), q = e^(the largest distance), beta = (p - 1)/(p + 1)",
        _at_eps("variation-ratio-metric", AT_EPS["stronger-clones"]),
        ("stronger_clones.clones_of_ratio",),
        scope="@laplace-randomizer",
        exp_eps0=_NINE,
        searched=("@laplace-randomizer", ()),
    ),
    BoundInUse(
        "variation-ratio-metric-laplace",
        2024,
        f"{_WANG.format(4)}; here between the ends of [0, 1], at the distance eps0",
        "none",
        _at_eps("variation-ratio-metric-laplace", _by_root),
        scope="@laplace-randomizer",
        exp_eps0=_NINE,
        searched=("@laplace-randomizer", ()),
    ),
    BoundInUse(
        "decomposition-fft-generic",
        2025,
        _SU,
        _INSIDE,
        _at_eps("decomposition-fft-generic", _decomposition_of_any),
    ),
    BoundInUse(
        "decomposition-fft-response",
        2025,
        _SU,
        _INSIDE,
        _at_eps("decomposition-fft-response", _decomposition_of_response),
        ("blanket.blanket_bound_one_message",),
        scope=RESPONSE,
    ),
)

BOUNDS: Final = {bound.name: bound for bound in _LISTED}
"""The bounds that are put to the test, by name, in the order of their years."""


def chosen(names: Sequence[str]) -> list[BoundInUse]:
    """Return the bounds of some names, or all of them where none is given."""
    for name in names:
        if name not in BOUNDS:
            raise InvalidValueError(
                f"there is no bound {name!r}. {meant(name, list(BOUNDS))}docs/published-bounds.md lists all names."
            )
    return [BOUNDS[name] for name in BOUNDS if not names or name in names]

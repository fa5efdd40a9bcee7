"""The families of noise laws: what a claim and the command line call each of them, and the numbers that make one.

This is the one list of lattice laws. Claims are written and read by it, ``@poisson:mu=10`` is read by it, and a test
compares it with what the certificate checker, which imports nothing, knows by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.discrete_uniform import DiscreteUniform
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson

__all__ = ["FAMILIES", "LawFamily", "Parameter", "family_of"]


class Parameter(Enum):
    """What a parameter of a law may be."""

    INTEGER = "integer"
    RATIONAL = "rational"
    REAL = "real"
    """A rational number, or a Real such as e^(1/5)."""


@dataclass(frozen=True, slots=True)
class LawFamily:
    """A family of laws.

    ``fields`` are its parameters in the order in which ``law`` takes them, and its attributes; ``example`` is what
    follows ``@name:`` on the command line, and ``words`` how a claim shows a law of the family.
    """

    name: str
    law: type[LatticeLaw]
    fields: Mapping[str, Parameter]
    example: str
    words: str
    is_checked: bool = True
    """Whether the certificate checker knows the family; a law of another is claimed by the list of its weights."""


_WHOLE, _RATIO, _REAL = Parameter

FAMILIES: Final = {
    family.name: family
    for family in (
        LawFamily("binomial", Binomial, {"n": _WHOLE, "p": _RATIO}, "n=1000000,p=1/1000", "Bin({n}, {p})"),
        LawFamily(
            "binomial-sum",
            BinomialSum,
            {"n1": _WHOLE, "p1": _RATIO, "n2": _WHOLE, "p2": _RATIO},
            "n1=300,p1=3/4,n2=700,p2=1/4",
            "Bin({n1}, {p1}) + Bin({n2}, {p2})",
        ),
        LawFamily("negative-binomial", NegativeBinomial, {"r": _REAL, "p": _REAL}, "r=42,p=exp(-1/5)", "NB({r}, {p})"),
        LawFamily("geometric", Geometric, {"p": _REAL}, "p=1/2", "Geometric({p})"),
        LawFamily(
            "discrete-laplace", DiscreteLaplace, {"exp_eps": _REAL}, "exp_eps=exp(1/5)", "DiscreteLaplace({exp_eps})"
        ),
        LawFamily(
            "discrete-gaussian",
            DiscreteGaussian,
            {"sigma_squared": _RATIO},
            "sigma_squared=100",
            "DiscreteGaussian({sigma_squared})",
        ),
        LawFamily(
            "discrete-uniform",
            DiscreteUniform,
            {"low": _WHOLE, "high": _WHOLE},
            "low=0,high=9",
            "DiscreteUniform({low}, {high})",
            is_checked=False,
        ),
        LawFamily("poisson", Poisson, {"mu": _REAL}, "mu=1000", "Poisson({mu})"),
    )
}
"""Name -> family."""


def family_of(law: object) -> LawFamily | None:
    """Return the family that a law is of; None where it is of none.

    >>> family_of(Binomial(3, "1/2")).name
    'binomial'
    """
    return next((family for family in FAMILIES.values() if family.law is type(law)), None)

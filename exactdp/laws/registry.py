"""The families of noise laws: what a claim and the command line call each of them, and the numbers that make one.

``FAMILIES`` is the one list of lattice laws. Claims are written and read by it, ``@poisson:mu=10`` is read by it, the
help of the command line and the names of :mod:`exactdp.laws` are made from it, and a test compares it with what the
certificate checker, which imports nothing, knows by itself. A law is imported when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from exactdp.numbers.frozen import set_fields

if TYPE_CHECKING:  # for those who import the laws from exactdp.laws
    from exactdp.laws.binomial import Binomial as Binomial
    from exactdp.laws.binomial_sum import BinomialSum as BinomialSum
    from exactdp.laws.discrete_gaussian import DiscreteGaussian as DiscreteGaussian
    from exactdp.laws.discrete_laplace import DiscreteLaplace as DiscreteLaplace
    from exactdp.laws.discrete_uniform import DiscreteUniform as DiscreteUniform
    from exactdp.laws.laplace import Laplace as Laplace
    from exactdp.laws.negative_binomial import Geometric as Geometric
    from exactdp.laws.negative_binomial import NegativeBinomial as NegativeBinomial
    from exactdp.laws.poisson import Poisson as Poisson


class Parameter(Enum):
    """What a parameter of a law may be."""

    INTEGER = "integer"
    RATIONAL = "rational"
    REAL = "real"
    """A rational number, or a Real such as e^(1/5)."""


_LETTERS: Final = {
    **dict.fromkeys(("N", "L", "H"), Parameter.INTEGER),
    **dict.fromkeys(("P", "S"), Parameter.RATIONAL),
    **dict.fromkeys(("R", "A", "E", "MU", "B"), Parameter.REAL),
}
"""What stands for a value in the help of the command line -> what the value may be."""


@dataclass(frozen=True, slots=True)
class LawFamily:
    """A family of laws.

    ``home`` is where its class is, as ``module:name``. ``usage`` has its parameters in the order in which the class
    takes them, which are its attributes too, each with a letter for its value; ``example`` is what may follow
    ``@name:`` on the command line, and ``words`` how a claim shows a law of the family: like the class unless given.
    """

    name: str
    home: str
    usage: str
    example: str
    words: str = ""
    summary: str = ""
    """The law in a line."""
    helps: str = ""
    """What each parameter is, between semicolons."""
    is_listed_if_short: bool = False
    """Whether claims state a short law of the family by the list of its weights, which an older schema can say."""

    def __post_init__(self) -> None:
        if not self.words:
            shown = ", ".join(f"{{{name}}}" for name in self.fields)
            set_fields(self, words=f"{self.home.partition(':')[2]}({shown})")

    @property
    def law(self) -> type[Any]:
        """The class."""
        law: type[Any] = resolve_name(self.home)
        return law

    @property
    def letters(self) -> dict[str, str]:
        """Parameter -> the letter of its value."""
        return dict(entry.split("=") for entry in self.usage.split(","))

    @property
    def says(self) -> dict[str, str]:
        """Parameter -> what it is."""
        return dict(zip(self.letters, self.helps.split("; "), strict=True))

    @property
    def fields(self) -> dict[str, Parameter]:
        """Parameter -> what its value may be."""
        return {name: _LETTERS[letter] for name, letter in self.letters.items()}


FAMILIES: Final = {
    family.name: family
    for family in (
        LawFamily(
            "binomial",
            "exactdp.laws.binomial:Binomial",
            "n=N,p=P",
            "n=1000000,p=1/1000",
            "Bin({n}, {p})",
            summary="how many of N coins fall on the side of chance P",
            helps="number of coins; chance of each, in [0, 1]",
        ),
        LawFamily(
            "binomial-sum",
            "exactdp.laws.binomial_sum:BinomialSum",
            "n1=N,p1=P,n2=N,p2=P",
            "n1=300,p1=3/4,n2=700,p2=1/4",
            "Bin({n1}, {p1}) + Bin({n2}, {p2})",
            summary="the sum of two independent binomial numbers",
            helps="number of the first coins; chance of each; number of the second coins; chance of each",
        ),
        LawFamily(
            "negative-binomial",
            "exactdp.laws.negative_binomial:NegativeBinomial",
            "r=R,p=A",
            "r=42,p=exp(-1/5)",
            "NB({r}, {p})",
            summary="P(t) proportional to C(R+t-1, t) P^t",
            helps="shape, above 0; ratio, in [0, 1)",
        ),
        LawFamily(
            "geometric",
            "exactdp.laws.negative_binomial:Geometric",
            "p=A",
            "p=1/2",
            summary="P(t) = (1 - P) P^t, t >= 0",
            helps="ratio, in [0, 1)",
        ),
        LawFamily(
            "discrete-laplace",
            "exactdp.laws.discrete_laplace:DiscreteLaplace",
            "exp_eps=E",
            "exp_eps=exp(1/5)",
            summary="P(t) proportional to E^-|t|",
            helps="e^eps of the noise at sensitivity 1, above 1",
        ),
        LawFamily(
            "discrete-gaussian",
            "exactdp.laws.discrete_gaussian:DiscreteGaussian",
            "sigma_squared=S",
            "sigma_squared=100",
            summary="P(t) proportional to e^(-t^2/(2 S))",
            helps="sigma^2, above 0",
        ),
        LawFamily(
            "discrete-uniform",
            "exactdp.laws.discrete_uniform:DiscreteUniform",
            "low=L,high=H",
            "low=0,high=9",
            summary="every integer from L to H alike",
            helps="the least number; the largest number",
            is_listed_if_short=True,
        ),
        LawFamily(
            "poisson",
            "exactdp.laws.poisson:Poisson",
            "mu=MU",
            "mu=1000",
            summary="P(t) = e^-MU MU^t / t!",
            helps="mean, above 0",
        ),
    )
}
"""Name -> family."""

CONTINUOUS: Final = {
    "laplace": LawFamily(
        "laplace",
        "exactdp.laws.laplace:Laplace",
        "scale=B",
        "scale=10",
        summary="density e^(-|t|/B) / (2 B), on the real line",
        helps="scale, above 0",
    )
}
"""Name -> family of laws on the real line, of which there are no claims."""


def family_of(law: object) -> LawFamily | None:
    """Return the family that a law is of; None where it is of none.

    >>> from exactdp.laws import Binomial
    >>> family_of(Binomial(3, "1/2")).name
    'binomial'
    """
    home = f"{type(law).__module__}:{type(law).__qualname__}"
    return next((family for family in FAMILIES.values() if family.home == home), None)

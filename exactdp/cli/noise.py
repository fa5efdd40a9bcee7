"""Noise laws on the command line: ``@poisson:mu=10``, and the query of some sensitivity that such noise hides.

A parameter is an exact number as everywhere, or, where the law takes irrational ones, ``exp(X)`` or ``ln(X)`` with an
exact X.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from exactdp.cli import arguments
from exactdp.cli.arguments import Asked
from exactdp.cli.lengths import probability_bits
from exactdp.cli.subjects import UNCHECKED, Advice, Worst
from exactdp.cli.targets import Noise
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_fraction, as_integer, function_call, short
from exactdp.numbers.formats import exact_text

if TYPE_CHECKING:
    from exactdp.certificates.claim import Claim
    from exactdp.engines.worst import DataSet
    from exactdp.laws.lattice import LatticeLaw
    from exactdp.numbers.real import Real
    from exactdp.profile import PrivacyProfile

__all__ = ["FAMILIES", "NoisyQuery", "read_noise"]


class Family(NamedTuple):
    """A family of laws: its name in :mod:`exactdp.laws`, its parameters, which may be irrational, and an example."""

    law: str
    parameters: tuple[str, ...]
    irrational: tuple[str, ...]
    example: str


FAMILIES: Final = {
    "@binomial": Family("Binomial", ("n", "p"), (), "n=1000000,p=1/1000"),
    "@binomial-sum": Family("BinomialSum", ("n1", "p1", "n2", "p2"), (), "n1=300,p1=3/4,n2=700,p2=1/4"),
    "@negative-binomial": Family("NegativeBinomial", ("r", "p"), ("r", "p"), "r=42,p=exp(-1/5)"),
    "@geometric": Family("Geometric", ("p",), ("p",), "p=1/2"),
    "@discrete-laplace": Family("DiscreteLaplace", ("exp_eps",), ("exp_eps",), "exp_eps=exp(1/5)"),
    "@discrete-gaussian": Family("DiscreteGaussian", ("sigma_squared",), (), "sigma_squared=100"),
    "@poisson": Family("Poisson", ("mu",), ("mu",), "mu=1000"),
}
"""What is typed before the colon -> the family of laws."""

_LARGEST: Final = 10**30
"""Parameters beyond, and exponents of exp(X), are refused: probabilities leave every range that can be printed."""


_MOST_LISTED: Final = 2000
"""Most outcomes of a claim's law."""

MAX_SHIFT: Final = 10**6
"""The largest sensitivity, as in the library."""


def read_noise(text: str) -> Noise:
    """Return the law of ``@family:name=value,...``."""
    from exactdp import laws

    name, _, listed = text.partition(":")
    family = FAMILIES[name]
    usage = f"Write {name}:{','.join(f'{key}={key.upper()}' for key in family.parameters)}, for example "
    usage += f"{name}:{family.example}."
    values: dict[str, Fraction | Real] = {}
    for entry in listed.split(",") if listed else ():
        key, equals, value = (part.strip() for part in entry.partition("="))
        if not equals:
            raise InvalidValueError(f"{name} has the entry {short(entry)!r} without a value. {usage}")
        if key not in family.parameters:
            raise InvalidValueError(f"{name} has no parameter {short(key)!r}. {usage}")
        if key in values:
            raise InvalidValueError(f"{name} has the parameter {key} twice. {usage}")
        values[key] = _number(value, key, name, irrational=key in family.irrational)
    if missing := [key for key in family.parameters if key not in values]:
        raise InvalidValueError(f"{name} lacks the parameter {' and '.join(missing)}. {usage}")
    law = getattr(laws, family.law)(**{key: values[key] for key in family.parameters})
    return Noise(text, law, family.law, {key: _text(values[key]) for key in family.parameters})


def _number(text: str, key: str, name: str, *, irrational: bool) -> Fraction | Real:
    """Return a parameter: exact, or exp or ln of an exact number."""
    from exactdp.numbers.real import read_parameter

    called = function_call(text)
    if called is None:
        return _bounded(as_fraction(text, name=key), key)
    function, argument = called
    _bounded(as_fraction(argument, name=f"the argument of {function} in {key}"), key)
    value = read_parameter(text, name=key)
    if not isinstance(value, Fraction) and not irrational:
        raise InvalidValueError(f"{key}={short(text)} is irrational, and {name} takes an exact {key}. Write 1/4.")
    return value


def _bounded(value: Fraction, key: str) -> Fraction:
    if abs(value) > _LARGEST:
        raise TooLargeError(f"{key}={short(value)} is beyond the limit of 10^30. Use a smaller number.")
    return value


def _text(value: Fraction | Real) -> str:
    """Return a parameter as it is read."""
    if isinstance(value, Fraction):
        return exact_text(value)
    if value.rest is None:
        return f"exp({exact_text(value.exponent)})"
    return f"ln({exact_text(value.rest.terms[0].coefficient)})"


@dataclass(frozen=True, slots=True)
class NoisyQuery:
    """A query of sensitivity ``shift`` that noise hides: what a question about a law is about."""

    noise: Noise
    shift: int
    profile: PrivacyProfile

    @classmethod
    def read(cls, asked: Asked, noise: Noise) -> NoisyQuery:
        """Return the query."""
        from exactdp.protocol import shift_profile

        arguments.refuse(noise, {"-n": asked.users, "--neighbors": asked.neighbors, "--limit": asked.limit})
        shift = as_integer("1" if asked.shift is None else asked.shift, name="shift", at_least=1)
        if shift > MAX_SHIFT:
            raise TooLargeError(f"shift={short(shift)} is more than the limit of {MAX_SHIFT}. Use a smaller shift.")
        return cls(noise, shift, shift_profile(noise.law, shift=shift))

    @property
    def data(self) -> dict[str, Any]:
        """The fields that every answer's JSON begins with."""
        return {**self.noise.data, "shift": str(self.shift), "orders": "both"}

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        return {**self.noise.cells, "shift": str(self.shift), "orders": "both"}

    @property
    def line(self) -> tuple[str, str]:
        """What is asked about, for reading."""
        return "noise", f"{self.noise.title}, shift {self.shift}, both orders"

    @property
    def note(self) -> str:
        """What every answer says of its meaning."""
        return "shift is the most by which one person's data can change the query."

    @property
    def advice(self) -> Advice:
        """How the worst order and the evidence are named."""
        return Advice("worse_order", "worse order", "none: neither order is worse", UNCHECKED)

    @property
    def work(self) -> str:
        """The engine: it reads tails, and visits no outcomes."""
        return self.profile.engine

    def worst(self, first: DataSet, second: DataSet, exp_eps: str) -> Worst:
        """Return the worse order: in the data set of the noise as it is nobody contributes the shift."""
        orders = ("noise", f"noise + {self.shift}")
        names = orders if first[-1] == 0 else orders[::-1]
        return Worst(*names, names, exp_eps)

    def claim(self, *, exp_eps: Fraction | None, delta: Fraction, least: str, budget: int) -> Claim | None:
        """Return the claim that an exact answer makes; None where the checker would take too long, or cannot."""
        from exactdp.certificates.claim import Claim

        steps = _checker_steps(self.noise.law, self.shift)
        if exp_eps is None or steps is None or steps > budget:
            return None
        return Claim.shift_dp(self.noise.law, shift=self.shift, exp_eps=exp_eps, delta=delta, least=least)


def _checker_steps(law: LatticeLaw, shift: int) -> int | None:
    """Return a bound of what the checker does for one exact claim; None for laws that it does not list.

    It lists finite laws, a sum of two after multiplying them, and geometric and discrete Laplace laws up to ``shift``,
    beyond which a ratio is constant.
    """
    from exactdp.laws import BinomialSum, DiscreteLaplace, Geometric

    if not law.is_exact:
        return None
    if isinstance(law, Geometric | DiscreteLaplace):
        outcomes, last = 2 * shift + 1, shift
    elif law.low is not None and law.high is not None and law.high - law.low < _MOST_LISTED:
        outcomes, last = law.high - law.low + 1, law.high
    else:
        return None
    products = law.n1 * law.n2 // 4 if isinstance(law, BinomialSum) else 0
    return (shift * outcomes + products) * (1 + probability_bits(law, last) // 512)

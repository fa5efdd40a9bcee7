"""Noise laws by name: ``@poisson:mu=10``, and on the real line ``@laplace:scale=10``.

A parameter is an exact number as everywhere, or, where the law takes irrational ones, ``exp(X)`` or ``ln(X)`` with an
exact X.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import InvalidValueError, TooLargeError, meant
from exactdp.laws.registry import CONTINUOUS, FAMILIES, Parameter
from exactdp.mechanisms.named_randomizers import RANDOMIZERS
from exactdp.numbers.exact import as_fraction, as_integer, function_call
from exactdp.numbers.formats import exact_text, short
from exactdp.protocols.naming.name_grammar import key_of, name_of, parse

if TYPE_CHECKING:
    from exactdp.laws.laplace import Laplace
    from exactdp.laws.lattice import LatticeLaw
    from exactdp.numbers.real import Real


_LARGEST: Final = 10**30
"""Parameters beyond, and exponents of exp(X), are refused: probabilities leave every range that can be printed."""

_MAX_SHIFT: Final = 10**6
"""The largest sensitivity of an integer query, as in the library."""


@dataclass(frozen=True, slots=True)
class NoiseLaw:
    """A noise law, what the user calls it, and its family and parameters as they are printed."""

    name: str
    law: LatticeLaw | Laplace
    family: str
    parameters: dict[str, str]

    @property
    def on_integers(self) -> LatticeLaw:
        """The law, where it is one on the integers; else it is refused with the discrete law to write."""
        from exactdp.laws.lattice import LatticeLaw

        if isinstance(self.law, LatticeLaw):
            return self.law
        raise InvalidValueError(
            f"{self.title} is continuous, and this question is about integers. Ask delta, epsilon, curve or compose of "
            "it, or write discrete noise: @discrete-laplace:exp_eps=exp(1/10)."
        )

    @property
    def title(self) -> str:
        """The law for reading: ``Binomial(1000000, 1/1000)``."""
        return f"{self.family}({', '.join(short(value) for value in self.parameters.values())})"

    @property
    def data(self) -> dict[str, Any]:
        """The law as JSON data."""
        return {"law": self.family, "parameters": self.parameters}

    @property
    def cells(self) -> dict[str, str]:
        """The law as cells of CSV."""
        listed = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return {"law": self.family, "parameters": listed}


def read_noise(text: str) -> NoiseLaw:
    """Return the law of ``@family:name=value,...``, whose @ may be left out."""
    family = (FAMILIES | CONTINUOUS)[name_of(text)]
    name, usage = (
        f"@{family.name}",
        f"Write @{family.name}:{family.usage}, for example @{family.name}:{family.example}.",
    )
    named = parse(text, usage)
    fields = {key_of(field): field for field in family.fields}
    values: dict[str, Fraction | Real] = {}
    for typed, value in named.given:
        if value is None:
            raise InvalidValueError(f"{name} has the entry {short(typed)!r} without a value. {usage}")
        if typed not in fields:
            other = RANDOMIZERS.get(f"{family.name}-randomizer")
            is_other = other is not None and typed in map(key_of, other.keys)
            near = f"That is one of @{other.name}. " if other and is_other else meant(typed, family.fields)
            raise InvalidValueError(f"{name} has no parameter {short(typed)!r}. {near}{usage}")
        key = fields[typed]
        values[key] = _number(value, key, name, irrational=family.fields[key] is Parameter.REAL)
    if missing := [key for key in family.fields if key not in values]:
        raise InvalidValueError(f"{name} lacks the parameter {' and '.join(missing)}. {usage}")
    build: Callable[..., LatticeLaw | Laplace] = family.law
    law = build(**{key: values[key] for key in family.fields})
    return NoiseLaw(
        f"@{text.removeprefix('@')}", law, family.law.__name__, {key: _text(values[key]) for key in family.fields}
    )


def read_count_noise(text: str, *, name: str) -> NoiseLaw:
    """Return a law on the integers, whose @ may be left out; ``name`` is what it is for."""
    if name_of(text) not in FAMILIES:
        laws = [f"@{law}" for law in FAMILIES]
        near = meant(f"@{name_of(text)}", laws)
        raise InvalidValueError(f"{name}={short(text)} names no law. {near}The laws are {', '.join(laws)}.")
    return read_noise(text)


def read_shift(given: str | Fraction | None, noise: NoiseLaw) -> int | Fraction:
    """Return a sensitivity: an integer of at least 1, or of a real query an exact number above 0; by default 1."""
    if given is None:
        return 1
    if noise.law.is_on_integers:
        shift = as_integer(given, name="shift", at_least=1)
        if shift > _MAX_SHIFT:
            raise TooLargeError(f"shift={short(shift)} is more than the limit of {_MAX_SHIFT}. Use a smaller shift.")
        return shift
    number = as_fraction(given, name="shift")
    if number <= 0:
        raise InvalidValueError(f"shift={short(number)} is not above 0. Write the sensitivity of the query, as 1/2.")
    return _bounded(number, "shift")


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

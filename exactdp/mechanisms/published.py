"""The families by the names under which they are asked for.

Files, claims and the command line read the registry: the number of inputs and e^eps0 make a family of every kind but
one, which has no e^eps0; a few take one more option.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from exactdp.errors import InvalidValueError, meant
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.named_randomizers import FAMILIES
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real


def family_of(kind: str, *, inputs: Exact, exp_eps0: Exact | Real | None = None, **options: Any) -> FamilyRandomizer:
    """Return the family of a kind.

    Args:
        kind: one of ``exactdp.mechanisms.named_randomizers.FAMILIES``.
        inputs: number of inputs, at least 2.
        exp_eps0: e^eps0, at least 1; may be irrational, as "exp(1/2)". Not for a kind without.
        options: what the kind takes beside, for example ``optimized=True``; None stands for its default, of dummies 1.

    Raises:
        InvalidValueError: for an unknown kind, an option that the kind does not take, and a missing exp_eps0.

    >>> family_of("local-hashing", inputs=10**6, exp_eps0=3, buckets=2)
    LocalHashing(d=1000000, exp_eps0=Fraction(3, 1), buckets=2)
    """
    if kind not in FAMILIES:
        near = meant(str(kind), FAMILIES)
        raise InvalidValueError(f"there is no kind {short(str(kind))!r}. {near}The kinds are {', '.join(FAMILIES)}.")
    parameters = FAMILIES[kind].by_name
    given = {name: value for name, value in {"exp_eps0": exp_eps0, **options}.items() if value is not None}
    known = {one.argument for name, one in parameters.items() if name not in ("inputs", "top", "gamma")}
    if strange := sorted(given.keys() - known):
        takes = ", ".join(sorted(known - {"exp_eps0"})) or "no option beside inputs and exp_eps0"
        raise InvalidValueError(f"{kind} does not take {strange[0]}. It takes {takes}.")
    if "exp_eps0" in known and exp_eps0 is None:
        raise InvalidValueError(f"{kind} needs exp_eps0. Pass e^eps0, for example exp_eps0=3.")
    if "dummies" in known:
        given["dummies"] = as_integer(given.get("dummies", 1), name="dummies")
    size = as_integer(inputs, name="inputs", at_least=2)
    place = {"top": size - 1} if "top" in parameters else {parameters["inputs"].argument: size}
    family: FamilyRandomizer = resolve_name(FAMILIES[kind].randomizer)(**place, **given)
    return family

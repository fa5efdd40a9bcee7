"""A name or a file with one number free as a family: one eps0, e^eps0, gamma or sigma, or a factor of every eps0.

What is proved of larger and smaller values is in :mod:`exactdp.studies.calibration.local_families`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.mechanisms.family import FamilyRandomizer
from exactdp.mechanisms.gaussian_family import SIGMA_RANGE
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.protocols.naming.free_numbers import FACTOR, SIGMA, FreeNumber, is_plain
from exactdp.protocols.one_parameter_families import Family
from exactdp.studies.calibration.local_families import GAUSSIAN, LOCAL_NAMES, LocalFamily, local_family

_LARGEST_EPS0: Final = 32
"""Beyond, one message in 10^13 is random."""


def free_family(text: str, n: int | None) -> tuple[LocalFamily, int]:
    """Return the family of a name or a file with a free number, and the number of users."""
    free = FreeNumber.read(text)
    users = free.users(n)
    if users is None:
        raise InvalidValueError(f"{short(text)} needs n, the number of users who follow the protocol. Pass n=1000.")
    key, probe = free.key, Fraction(2)
    domain: tuple[Fraction, Fraction | None]
    if key == "gamma":
        domain, probe = (Fraction(0), Fraction(1)), Fraction(1, 2)
    elif key == "exp-eps0":
        domain = (Fraction(1), None)
    elif key == SIGMA:
        domain = SIGMA_RANGE
    else:
        most = max(free.eps0s) if key == FACTOR else Fraction(1)
        if most <= 0:
            raise InvalidValueError(f"{short(text)} gives no eps0 above 0, of which a factor could be looked for.")
        largest = Fraction(_LARGEST_EPS0)
        while largest * most > _LARGEST_EPS0:
            largest /= 2
        domain = (Fraction(0), largest)
        probe = min(largest, probe)
    target = free.target(probe)
    is_noise = key in ("gamma", SIGMA)
    families = [] if key == "gamma" else list(_channels(free))
    proved = len({*free.texts}) == 1 and is_plain(free.texts[0]) and all(one.family.monotone for one in families)
    least = None
    if not is_noise and key != "exp-eps0":
        least = min((one for one in free.eps0s if one > 0), default=Fraction(1)) if key == FACTOR else Fraction(1)

    def stated(value: Fraction) -> FamilyRandomizer:
        found = free.target(value)
        assert found is not None
        assert found.family is not None, "as of the first value"
        return found.in_fractions().family or found.family

    made = LocalFamily(
        Family(free.protocol, key.replace("-", "_"), domain, proved, weakens=not is_noise),
        any(one.rounds_roots for one in families),
        stated if target is not None and target.family is not None else None,
        first=next((one.first for one in families), None),
        least_eps0=least,
    )
    return made, as_integer(users, name="n", at_least=1)


def _channels(free: FreeNumber) -> list[LocalFamily]:
    """Return the families of the randomizers whose number is free; one of which nothing is known is local."""
    found = []
    for entry, given in free.leaves():
        if not (free.key == FACTOR and "eps0" in given) and "?" not in given.values():
            continue
        if entry.name not in (*LOCAL_NAMES, GAUSSIAN):
            found.append(LocalFamily(Family(free.protocol, free.key, (0, None), False)))
            continue
        options: dict[str, Any] = {
            name: value for name, value in given.items() if name not in ("eps0", "exp-eps0", "gamma", "sigma", "top")
        }
        if "top" in given:
            options["inputs"] = str(int(given["top"]) + 1)
        if options.get("optimized"):
            options["optimized"] = True if options["optimized"] == "true" else None
        found.append(local_family(entry.name, options))
    return found

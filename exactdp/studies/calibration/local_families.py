"""Families of randomizers by their e^eps0, k-ary response by its gamma, Gaussian noise by its sigma: what is proved.

*Monotone.* If each message of the member with the smaller e^eps0 is that of the member with the larger one after a
channel that does not depend on the data, the shuffled view of the former is that of the latter after the channel on
every message of the multiset: every divergence falls, or stays. The files of ``exactdp.randomizers`` name the channel:
a message is replaced, with a fixed probability, by a uniformly random one (k-ary response, subset selection of one
size, Hadamard response, of local hashing with one number of buckets the bucket alone), or each bit goes through one
binary channel (unary encoding). Repeated messages go through it one by one. Beside k-ary response, dummies go through
it too (mixed dummies): they are uniformly random before and after.

* *Symmetric unary encoding* keeps each bit with probability p = s/(1 + s). From p to p' with 1/2 <= p' <= p, flip again
  with probability (p - p')/(2p - 1). s is sqrt(E) rounded down to a multiple of 2^-53, or sqrt(E) itself where that is
  rational: so s might fall while E grows by very little. From E to E + g, on a grid of the step g, the root grows by
  at least g / (2 sqrt(E + g)); where that is 2^-53 or more, s(E) <= sqrt(E) <= sqrt(E + g) - 2^-53 < s(E + g). So the
  scope is every smaller value of the grid, and on finer grids it is local.
* *Clipped discrete Laplace.* r falls, or stays, as e^eps0 grows. From r to r', r < r' < 1: where the end t was sent,
  the noisy number before clipping was t + j with probability (1 - r) r^j whatever the input was, because the tail of
  the noise is geometric; likewise at 0. Draw it so, add G - G', and clip. G and G' are independent, with the generating
  function ((1 - r')/(1 - r)) (1 - r z)/(1 - r' z), of a number that is 0 or else geometric; noise of ratio r plus
  G - G' has ratio r', as the generating functions say. For r' = 1 the rows are equal.
* *Any randomizer.* Whatever is eps0'-DP is eps0-DP for every larger eps0: the supremum is over more randomizers. So it
  is beside a delta0 that stays.

* *Gaussian noise*, where sigma grows: of larger deviation it is the smaller one plus independent Gaussian noise, a
  channel on each message that is sent as it is. An upper end holds for such messages, and with them for the words of
  every range and every larger sigma. A lower end is one of such messages too: of a smaller sigma it refutes these.

*Parts of others.* The channel of each randomizer whose number is free acts on its part of a product's message, and on
every message of a repetition, by itself; parts that do not change keep theirs. So it is with a factor of all eps0.
Users of several classes whose channels differ send messages that do not say which channel is theirs: so it is proved
where all run the same, else the answer is local (:mod:`exactdp.studies.calibration.free_family`).

Where e^eps0 must be rational, beside a table, it is rounded down to a multiple of 2^-53, which keeps the order. Of
symmetric unary encoding the root of e^eps0 is rounded down too: from eps0 to eps0 + g it grows by g/2 or more, less
2^-54 by the first rounding; where g is at least 3 2^-53 it is then 2^-53 larger or more, and its rounded value does not
fall. So the scope is every smaller value of the grid. Certificates are of the randomizer with e^eps0 rounded down.

*Local.* By default the size of subset selection and the buckets of local hashing change with e^eps0, and the messages
with them: no channel is known. Of a callable nothing is known.

Source: WangBlockiLiJha2017, section 4 (the families and what changes with eps0).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import Any, Final, cast

from exactdp.claims.certificate import Certificate
from exactdp.errors import InvalidValueError
from exactdp.mechanisms.any_randomizer_family import any_randomizer
from exactdp.mechanisms.clipped_discrete_laplace_family import clipped_discrete_laplace
from exactdp.mechanisms.family import FamilyRandomizer, family_of, small_table
from exactdp.mechanisms.gaussian_family import SIGMA_RANGE, gaussian
from exactdp.mechanisms.hadamard_response_family import hadamard_response
from exactdp.mechanisms.k_ary_family import KAryResponse
from exactdp.mechanisms.local_hashing_family import local_hashing
from exactdp.mechanisms.named_randomizers import RANDOMIZERS
from exactdp.mechanisms.repetition import repeat
from exactdp.mechanisms.subset_selection_family import subset_selection
from exactdp.mechanisms.support_family import MANY_USERS
from exactdp.mechanisms.unary_encoding_family import unary_encoding
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real
from exactdp.protocols.one_parameter_families import Built, Family
from exactdp.studies.calibration.monotone_claims import gamma_certificate

ANY: Final = "any-randomizer"

RESPONSE: Final = "randomized-response"

LOCAL_NAMES: Final = tuple(name for name, entry in RANDOMIZERS.items() if "exp-eps0" in entry.by_name)
"""What can be calibrated by its local eps0."""

NUMBERS: Final = tuple(name for name, entry in RANDOMIZERS.items() if [*entry.by_name] == ["exp-eps0"] and name != ANY)
"""Of a number: whose only parameter is e^eps0."""

LOCAL_BUILDERS: Final[dict[Callable[..., object], str]] = {
    unary_encoding: "unary-encoding",
    subset_selection: "subset-selection",
    hadamard_response: "hadamard-response",
    local_hashing: "local-hashing",
    clipped_discrete_laplace: "clipped-discrete-laplace",
    any_randomizer: ANY,
    **{resolve_name(RANDOMIZERS[name].randomizer): name for name in NUMBERS},
}
"""What a user may pass in the place of a name."""

_VARIADIC: Final = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

_ROOT_BITS: Final = 53
"""Roots of e^eps0 are multiples of 2^-53."""

_TENTH_BITS: Final = 32
"""Of a larger e^eps0."""

_ORDERED: Final = ("laplace-randomizer", "duchi")
"""Those of a number of which less privacy with a larger e^eps0 is proved."""

_DENSITY_DOMAIN: Final = (Fraction(65, 64), Fraction(2**20))
"""Of e^eps0 = 1 there is no such noise; grids begin near it."""

GAUSSIAN: Final = "gaussian"

_PINNED: Final = {"subset-selection": "size", "local-hashing": "buckets"}
"""The option without which the messages change with e^eps0."""


@dataclass(frozen=True, slots=True)
class LocalFamily:
    """A family of randomizers; with ``rounds_roots`` only the values of a grid are ordered, if it is not very fine."""

    family: Family
    rounds_roots: bool = False
    stated: Callable[[Fraction], FamilyRandomizer] | None = None
    """The randomizer of a value by its parameters, as a claim may hold it; None where there is no such family."""
    exp_eps0: Callable[[Fraction], Fraction] | None = None
    """e^eps0 of a value of a family that can be stated, and at once the value that has a given e^eps0."""
    monotone: Callable[[], Certificate | None] | None = None
    """Makes the certificate that delta never rises as the parameter grows."""
    first: Fraction | None = None
    """How far from the least value the search begins, where upper ends take long: lower ends are asked first, which may
    refute at once. None for an end of the domain."""
    least_eps0: Fraction | None = None
    """Where the parameter is an eps0 or a factor of several: the least that it multiplies, of an eps0 itself 1."""

    def tenth_more(self, value: Fraction) -> Fraction | None:
        """Return a value whose eps0 is larger by a tenth, or by very little more; None where that is not known."""
        if self.least_eps0 is not None:
            return value * Fraction(11, 10)
        if self.exp_eps0 is None or value in (0, 1):
            return None
        power = Real.exp(Real.log(self.exp_eps0(value)) * Fraction(11, 10))
        return self.exp_eps0(Dyadic.above(enclose_real(power, relative_bits=_TENTH_BITS).hi, _TENTH_BITS).fraction())

    def scope(self, largest: Fraction, grid: Fraction) -> str:
        """Return what is proved of the values with more noise than one that holds, none of them above ``largest``."""
        family = self.family
        is_fine = grid**2 * 4**_ROOT_BITS < 4 * largest
        if self.least_eps0 is not None:
            is_fine = grid * self.least_eps0 * 2**_ROOT_BITS < 3
        if not family.monotone or (self.rounds_roots and is_fine):
            return "local"
        if family.weakens:
            return "and every smaller value" + (" of the grid" if self.rounds_roots else "")
        end = family.domain[1]
        return "and every larger value" + ("" if end is None else f" up to {short(end)}")


def local_family(name: str, options: Mapping[str, Any]) -> LocalFamily:
    """Return a family of randomizers by its name.

    Args:
        name: one of ``LOCAL_NAMES``, or ``GAUSSIAN``.
        options: ``inputs`` (of those that have a number of them), ``times`` (runs of the randomizer on one input), and
            ``optimized``, ``size``, ``buckets``, ``dummies`` or ``delta0`` where the family takes it; None stands for
            the default.
    """
    given = {option: value for option, value in options.items() if value is not None}
    times = given.pop("times", None)
    if name == GAUSSIAN:
        made = Family(lambda value, n: gaussian(sigma=value, **given), "sigma", SIGMA_RANGE, monotone=True)
        return LocalFamily(made, first=Fraction(1))
    if name in (ANY, *NUMBERS):
        taken = {"delta0": given.pop("delta0")} if name == ANY and "delta0" in given else {}
        if strange := sorted({*given, *(() if times is None else ("times",))}):
            why = "no option: its inputs are the numbers of an interval"
            if name == ANY:
                why = "delta0 alone: it is every randomizer"
            raise InvalidValueError(f"{name} does not take {strange[0]}. It takes {why}.")
        if name != ANY:
            build = resolve_name(RANDOMIZERS[name].randomizer)
            made = Family(
                lambda value, n: build(exp_eps0=value), "exp_eps0", _DENSITY_DOMAIN, name in _ORDERED, weakens=True
            )
            return LocalFamily(made)
        every = _rising(lambda exp_eps0: any_randomizer(exp_eps0=exp_eps0, **taken), monotone=True)
        if taken:
            return LocalFamily(every)  # no claim states a delta0
        return LocalFamily(every, False, lambda value: any_randomizer(exp_eps0=value), lambda value: value)
    if "inputs" not in given:
        raise InvalidValueError(f"{name} needs inputs, the number of inputs of the randomizer. Pass inputs=10.")
    if times is not None:
        as_integer(times, name="times", at_least=1)
    family_of(name, exp_eps0=2, **given)  # refuses bad options at once

    def repeated(randomizer: FamilyRandomizer) -> Built:
        return small_table(randomizer, MANY_USERS) if times is None else repeat(randomizer, times)

    if name == RESPONSE:
        size = as_integer(given["inputs"], name="inputs", at_least=2)
        response = Family(lambda gamma, n: repeated(KAryResponse(size, gamma=gamma)), "gamma", (0, 1), True)
        if times is not None:
            return LocalFamily(response)
        # E = 1 + k (1 - gamma)/gamma, and gamma = k/(E + k - 1)
        return LocalFamily(
            response,
            stated=lambda gamma: KAryResponse(size, gamma=gamma),
            exp_eps0=lambda value: 1 + size * (1 - value) / value if value < 1 else size / (value + size - 1),
            monotone=lambda: gamma_certificate(size),
        )
    pinned = name not in _PINNED or _PINNED[name] in given
    roots = name == "unary-encoding" and not given.get("optimized")
    rising = _rising(lambda exp_eps0: repeated(family_of(name, exp_eps0=exp_eps0, **given)), monotone=pinned)
    if times is not None:
        return LocalFamily(rising, roots)
    return LocalFamily(rising, roots, lambda value: family_of(name, exp_eps0=value, **given), lambda value: value)


def callable_family(build: Callable[..., Any]) -> LocalFamily:
    """Return the family of a callable of one exact parameter, of which more is less noise: e^eps0, from 1 on."""
    name = getattr(build, "__name__", type(build).__name__)
    try:
        parameters = list(signature(build).parameters.values())
    except (TypeError, ValueError):  # some built-in callables do not say
        parameters = []
    if len([one for one in parameters if one.default is one.empty and one.kind not in _VARIADIC]) != 1:
        raise InvalidValueError(
            f"{name} is no callable of one parameter. Pass one that makes a randomizer from e^eps0, a Family, or one "
            f"of {', '.join(LOCAL_NAMES)} with inputs."
        )

    def built(value: Fraction, n: int | None) -> Built:
        made = build(value)
        if n is not None and getattr(made, "n", n) != n:
            raise InvalidValueError(
                f"{name} makes a protocol of n={short(made.n)} users, but n={short(n)} is asked about. "
                "Pass a callable that makes a randomizer from e^eps0, or a protocol of the n that is asked about."
            )
        return cast(Built, made)

    return LocalFamily(Family(built, parameters[0].name, (1, None), False, weakens=True))


def _rising(build: Callable[[Fraction], Built], *, monotone: bool) -> Family:
    return Family(lambda value, n: build(value), "exp_eps0", (1, None), monotone, weakens=True)

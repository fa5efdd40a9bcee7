"""Calibration: the least noise on a grid that is private enough, with certificates for it and for one step less.

That noise holds at a value and fails one grid step below does not make it the least, nor every larger value safe, where
delta is not proved to fall as the parameter grows. So the scope says what is proved of larger values: for a monotone
family all of them hold; for zsum, whose delta does rise in places, all of them up to 1/2 by the finite check of
:mod:`exactdp.studies.calibration.zsum_safety`; elsewhere nothing, and the scope is "local".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pkgutil import resolve_name
from typing import Any, Final

from exactdp.claims.certificate import Certificate, Verdict
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.errors import InvalidValueError, TooLargeError, UndecidedError
from exactdp.laws.tails import DECIDING_BITS
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, PrivacyLevel, read_privacy_level
from exactdp.numbers.exact import Exact, as_fraction, as_integer, as_probability
from exactdp.numbers.exact_fraction import exact_answer
from exactdp.numbers.formats import short
from exactdp.privacy.amplification.guesses import Excess, log_ratio
from exactdp.privacy.engine import ManyUsersError
from exactdp.privacy.planner import engine_of
from exactdp.privacy.profile import PrivacyProfile
from exactdp.progress import Progress, one_step, progress_callback
from exactdp.protocols.interface import Protocol
from exactdp.protocols.k_ary_protocol import response_family
from exactdp.protocols.named_protocols import with_family
from exactdp.protocols.naming.free_numbers import is_free
from exactdp.protocols.one_parameter_families import Family
from exactdp.protocols.zsum_and_histogram.zsum_protocol import zsum_family
from exactdp.studies.calibration.calibrated import Calibration
from exactdp.studies.calibration.free_family import free_family
from exactdp.studies.calibration.frequency_families import FREQUENCY_NAMES, frequency_family
from exactdp.studies.calibration.local_families import (
    LOCAL_BUILDERS,
    LOCAL_NAMES,
    RESPONSE,
    LocalFamily,
    callable_family,
    local_family,
)
from exactdp.studies.calibration.monotone_claims import flip_certificate
from exactdp.studies.calibration.two_ended_search import TwoEndedSearch
from exactdp.studies.calibration.zsum_safety import judged, unsafe_points

DEFAULT_GRID: Final = Fraction(1, 2**40)

LOCAL: Final = "local"

FAMILIES: Final = with_family()
"""Name -> what has a family of its own, from the table of names."""

WHOLE: Final = ("threshold",)
"""Parameters that are integers."""

_OPTIONS: Final = frozenset({"inputs", "optimized", "size", "buckets", "dummies", "times"})
"""What calibrated randomizers may be given beside their parameter."""

_MANY_USERS: Final = 10**4
"""From so many users on a pair that is far above the target is looked at before all pairs."""

_BEYOND: Final = 16
"""What is judged lies so much farther, as a share, than where delta should meet the target."""

_SLOW: Final = 3
"""So often a line may fail to halve the distance of the two ends."""

_LARGEST: Final = 2**64
"""The largest value of a parameter without an end that is tried."""


def calibrate(
    family: Family | str | Callable[..., Any],
    *,
    n: int | None = None,
    eps: Exact | LogRational | None = None,
    exp_eps: Exact | None = None,
    delta: Exact,
    grid: Exact | None = None,
    certificates: bool = True,
    rounds: Exact = 1,
    progress: Progress | None = None,
    **options: Any,
) -> Calibration:
    """Return the least noise on the grid that is (eps, delta)-DP, and the next value with less noise that fails.

    Args:
        family: a ``Family``, or one of "zsum" (gamma, the least safe one: all larger ones up to 1/2 hold too),
            "randomized-response" (the flip probability of a bit; with ``inputs`` the gamma of k-ary response),
            "counting" (r of the negative binomial noise NB(r, e^(-eps/5)) for a query of sensitivity 1),
            "correlated-counting" (r, with p1 = e^(-eps/2) and p2 = e^(-eps/10), or with ``share`` in (0, 1) in the
            place of 1/2 p1 = e^(-(1 - share) eps) and p2 = e^(-share eps / 5)), "almost-central" (sums of bits: r from
            1 on, with the theorem's ratios), "discrete-gaussian" (sigma^2, local), "sample-and-threshold" of one
            symbol (the least threshold at a ``rate``, or the largest rate at a ``threshold``); "histogram" (gamma,
            local), "balls-into-bins" (dummies of a user) and "flooding" (mean number of a user's noise messages), each
            with ``inputs``; or "unary-encoding", "subset-selection", "hadamard-response", "local-hashing",
            "clipped-discrete-laplace" and "any-randomizer", of which the largest e^eps0 is looked for.
            Or a name or a file, as ``exactdp delta`` reads it, with one number left open by a ``?``, as
            "@product:of=(krr:inputs=4,eps0=?; sue:inputs=10,eps0=2)", or without one the factor of every eps0 in it,
            of products and of the classes of users of a file.
            In the place of a name its builder: ``protocols.zsum``, ``protocols.k_ary``, ``NegativeBinomial``,
            ``DiscreteGaussian``, or a function of ``exactdp.randomizers``. Any other callable is one of e^eps0 >= 1
            that returns a randomizer or a protocol: the largest one is looked for, local.
        n: number of users who follow the protocol, for shuffled randomizers, zsum, and families that use it.
        eps, exp_eps: one of eps >= 0 and e^eps >= 1.
        delta: in [0, 1).
        grid: the step, exact and above 0; of a bounded domain it divides the length. By default 2^-40, 1 for
            thresholds, and for e^eps0, rates and gamma of k-ary response a power of two, about 10^-5 of the distance
            from the least value.
        certificates: False leaves ``holds`` and ``fails`` None, which is faster: the level is enclosure.
        rounds: how many adaptive runs on the same users have (eps, delta)-DP together. Of several no certificates are
            made, delta is above 0, and the step is by default 10^-3 of the distance from the least value, or of it.
        progress: a callback for the values that were tried, of about how many; see :mod:`exactdp.progress`.
        options: of named families: ``inputs``, ``optimized``, ``size``, ``buckets``, ``dummies``, ``slots``, and
            ``times`` for several runs on one input; of "sample-and-threshold" ``rate`` or ``threshold``.

    Where delta is known between two proved ends, the value is safe by the upper end, ``open_at`` beside it is not known
    to be, and ``fails_at`` is refuted by the lower end. Of the randomizers that a claim can hold, ``holds`` certifies
    the value, or one with more noise where certificates need it: they state a blanket, which may be above the upper
    end. ``fails`` certifies that a tenth more eps0 is not private, where the lower end says so.

    Raises:
        InvalidValueError: where no value of the domain is enough, and for bad arguments.
        TooLargeError: where a verdict is beyond the engines.
        UndecidedError: where a delta on the way agrees with the target to 1024 bits.

    >>> from exactdp import protocols
    >>> calibration = calibrate(protocols.zsum, n=1000, eps=1, delta="1e-6")
    >>> calibration.parameter, calibration.scope, calibration.level
    (Fraction(..., 1099511627776), 'and every larger value up to 1/2', 'certificate')

    Cost: 1 s for zsum of 20000 users at eps = 1, delta = 1e-6; 2 s for unary encoding of 1000 inputs of 10^5 users.

    Source: BalcerCheu2020, section 3.1 (of zsum, while the theorems are this package's).
    """
    level = read_privacy_level(eps=eps, exp_eps=exp_eps)
    target = as_probability(delta, name="delta")
    if target == 1:
        raise InvalidValueError("delta=1 holds without any noise. Pass delta below 1.")
    step = None if grid is None else as_fraction(grid, name="grid")
    if step is not None and step <= 0:
        raise InvalidValueError(f"grid={short(step)} is not above 0. Pass a step such as 1/1024.")
    if not isinstance(certificates, bool):
        raise InvalidValueError(f"certificates={short(repr(certificates))} is no bool. Pass True or False.")
    runs = as_integer(rounds, name="rounds", at_least=1)
    if runs > 1:
        if target == 0:
            raise InvalidValueError(
                "delta=0 is not searched for several rounds: their eps adds up. Ask for one, at eps/K."
            )
        found, users = _of_runs(family, n, level, options)
        whole = found.family.parameter in (*WHOLE, "dummies")
        with progress_callback(progress):
            step = step or (Fraction(1) if whole else None)
            return TwoEndedSearch(found, users, level, target, step, certifies=False, rounds=runs).run()
    if family in FREQUENCY_NAMES:
        users = as_integer(_needed(family, n), name="n", at_least=1)
        by_frequency = frequency_family(family, users, options)
        default = Fraction(1) if by_frequency.parameter == "dummies" else DEFAULT_GRID
        with progress_callback(progress):
            search = _Search(by_frequency, users, level, target, step or default, certificates)
            search.check_grid()
            return search.calibration(*search.run())
    two_ended = _two_ended(family, n, options)
    if two_ended is not None:
        with progress_callback(progress):
            return TwoEndedSearch(*two_ended, level, target, step, certifies=certificates).run()
    plain, many = _family(family, n, level, options)
    named = FAMILIES.get(_name(family))
    if target == 0 and named is not None and named.never_pure:
        raise InvalidValueError(named.never_pure)
    if named is not None and plain.parameter in WHOLE:
        step = step or Fraction(1)
        if step.denominator > 1:
            raise InvalidValueError(
                f"grid={short(step)} is no integer, as {plain.parameter}s are. Pass a step such as 1."
            )
    with progress_callback(progress):
        if plain.weakens or (plain is family and _has_two_ends(plain, many, step or DEFAULT_GRID)):
            return TwoEndedSearch(LocalFamily(plain), many, level, target, step, certifies=certificates).run()
        search = _Search(plain, many, level, target, step or DEFAULT_GRID, certificates)
        search.check_grid()
        index, scope = search.run()
        return search.calibration(index, scope)


def _of_runs(
    family: Any, n: int | None, level: PrivacyLevel, options: dict[str, Any]
) -> tuple[LocalFamily, int | None]:
    """Return the family of which several runs are asked about, whatever it is called, and the number of users."""
    if family in FREQUENCY_NAMES:
        users = as_integer(_needed(family, n), name="n", at_least=1)
        return LocalFamily(frequency_family(family, users, options)), users
    if (two_ended := _two_ended(family, n, options)) is not None:
        return two_ended
    plain, many = _family(family, n, level, options)
    return LocalFamily(plain), many


def _two_ended(family: Any, n: int | None, options: dict[str, Any]) -> tuple[LocalFamily, int] | None:
    """Return what is searched by two ends: a name or a file with a free number, or randomizers by their e^eps0."""
    if isinstance(family, str) and is_free(family):
        if options:
            raise InvalidValueError(f"{next(iter(options))} has no meaning beside {short(family)}, which says it all.")
        return free_family(family, n)
    known = _local_family(family, options)
    return None if known is None else (known, as_integer(_needed(family, n), name="n", at_least=1))


def _local_family(family: object, options: dict[str, Any]) -> LocalFamily | None:
    """Return a family of randomizers by a name or a callable; None for all others, which take no options."""
    name = family
    if callable(family) and not isinstance(family, Family):
        name = (
            next((listed for build, listed in LOCAL_BUILDERS.items() if build is family), None) or _name(family) or None
        )
        if name is None and not options:
            return callable_family(family)
    if name == RESPONSE and not options:
        return None
    if isinstance(name, str) and name in LOCAL_NAMES:
        if strange := sorted(options.keys() - _OPTIONS):
            raise InvalidValueError(f"{strange[0]} is no option. The options are {', '.join(sorted(_OPTIONS))}.")
        return local_family(name, options)
    taken = FAMILIES[name].family_options if isinstance(name, str) and name in FAMILIES else ()
    if further := sorted(options.keys() - set(taken)):
        owners = next(
            (owner for owner, entry in FAMILIES.items() if further[0] in entry.family_options),
            "randomizers such as unary-encoding",
        )
        raise InvalidValueError(f"{further[0]} has no meaning for this family. Leave it out: it belongs to {owners}.")
    return None


def _name(family: object) -> str:
    """Return the name of a family that is given by its name, or by what builds its protocols; else nothing."""
    if isinstance(family, str):
        return family
    called = getattr(family, "__name__", "")
    for name, entry in FAMILIES.items():
        for path in filter(None, (entry.protocol, entry.law, *entry.builders)):
            if path.rpartition(":")[2] == called and resolve_name(path) is family:
                return name
    return ""


def _needed(family: object, n: Any) -> Any:
    if n is None:
        named = short(family) if isinstance(family, str) else getattr(family, "__name__", type(family).__name__)
        raise InvalidValueError(f"{named} needs n, the number of users who follow the protocol. Pass n=1000.")
    return n


def _family(family: object, n: object, level: PrivacyLevel, options: Mapping[str, Any]) -> tuple[Family, int | None]:
    """Return the family and the number of users."""
    if isinstance(family, Family):
        return family, None if n is None else as_integer(n, name="n", at_least=1)
    name = _name(family)
    if name not in FAMILIES:
        given = short(family) if isinstance(family, str) else getattr(family, "__name__", type(family).__name__)
        raise InvalidValueError(
            f"family={given!r} is unknown. Pass a Family, or one of "
            f"{', '.join(dict.fromkeys((*FAMILIES, *FREQUENCY_NAMES, *LOCAL_NAMES)))}."
        )
    if FAMILIES[name].noise_depends_on_n:
        _needed(family, n)
    elif n is not None:
        raise InvalidValueError(f"n={n!r} has no meaning for {name}: its noise does not depend on n. Leave it out.")
    return family_named(name, level, **options), None if n is None else as_integer(n, name="n", at_least=1)


def family_named(name: str, level: PrivacyLevel, **options: Any) -> Family:
    """Return the family of a name at a level of privacy, on which ratios of noise may depend."""
    family: Family = resolve_name(FAMILIES[name].family)(level, **options)
    return family


def _has_two_ends(family: Family, n: int | None, step: Fraction) -> bool:
    """Whether delta is known between two ends only, at a value amid the domain of a family that a user made."""
    least, largest = family.domain
    half = Fraction(1) if largest is None else (largest - least) / 2
    try:
        return not family.protocol(least + half // step * step, n).privacy_profile().is_tight
    except TooLargeError:
        return False


@dataclass(slots=True)
class _Search:
    """One question: indices count grid steps from the least value of the domain."""

    family: Family
    n: int | None
    level: PrivacyLevel
    delta: Fraction
    grid: Fraction
    certifies: bool = True
    tried: int = 0
    left: int = 1
    """Values that are still to be tried, about: each halves the distance of two ends."""
    excess: dict[int, Excess] = field(default_factory=dict)
    """ln(delta) - ln(target), about, by index."""
    width: int = 0
    """How far apart the two ends were when they had last come near by a half."""
    wide: int = 0
    """How often they have not since."""
    undecided: list[int] = field(default_factory=list)
    failing: int = -1

    def value(self, index: int) -> Fraction:
        """The parameter at an index."""
        return self.family.domain[0] + index * self.grid

    def build(self, value: Fraction) -> Protocol:
        """The protocol at a value."""
        return self.family.protocol(value, self.n)

    def holds(self, index: int) -> bool:
        """Whether the protocol at an index is proved to be (eps, delta)-DP."""
        return self._sign(index) == -1

    def _sign(self, index: int) -> int | None:
        """Return -1 where the protocol at an index is (eps, delta)-DP, 1 where it is not, None where that is open.

        Open only for a monotone family whose delta is no more than bracketed.
        """
        protocol = self.build(self.value(index))
        try:
            self.tried, self.left = self.tried + 1, max(1, self.left - 1)
            with one_step(self.tried, self.tried + self.left):
                upper, holds = _bound(protocol.privacy_profile(), self.level, self.delta)
        except ManyUsersError as error:
            if not self.family.monotone:
                raise
            if (sign := error.bracket.compare(self.delta)) is None:
                self.undecided.append(index)
            return sign
        if self.delta and 0 < upper < 1:
            self.excess[index] = log_ratio(upper, self.delta)
        return -1 if holds else 1

    def _between(self, low: int, high: int) -> int:
        """Return an index between: where the logarithm of delta, nearly linear in it, would meet the target.

        What is judged lies a little beyond, towards the farther end, so that both ends come near; where they do not,
        it is the middle.
        """
        self.left = (high - low).bit_length()
        above, below = self.excess.get(low), self.excess.get(high)
        if not self.family.monotone or (self.n or 0) < _MANY_USERS or not above or not below or not above > 0 > below:
            return _round_middle(low, high)
        self.wide += 1
        if not self.width or 2 * (high - low) <= self.width:
            self.width, self.wide = high - low, 0
        if self.wide > _SLOW:
            return _round_middle(low, high)
        place = low + round((high - low) * (above / (above - below)))
        to_low, to_high = place - low, high - place
        beyond = 1 + min(to_low, to_high) // _BEYOND
        return min(max(place + (beyond if to_low < to_high else -beyond), low + 1), high - 1)

    def check_grid(self) -> None:
        """Refuse a grid that misses the end of the domain."""
        least, largest = self.family.domain
        if largest is not None and ((largest - least) / self.grid).denominator != 1:
            raise InvalidValueError(
                f"grid={short(self.grid)} does not divide the domain from {short(least)} to {short(largest)}. "
                "Pass a step such as 1/1024."
            )

    def run(self) -> tuple[int, str]:
        """Return the index of the least noise, and the scope."""
        top = self._top()
        if self.holds(0):
            return 0, self._monotone_scope() if self.family.monotone else LOCAL
        if self.family == zsum_family(self.level):
            return self._least_safe(top)
        index = _crossing(self.holds, 0, top, self._between)
        if self.undecided:  # some values are neither proved to hold nor to fail: what fails is below them
            self.failing = _crossing(lambda i: self._sign(i) != 1, 0, index, _round_middle) - 1
        return index, self._monotone_scope() if self.family.monotone else LOCAL

    def _monotone_scope(self) -> str:
        largest = self.family.domain[1]
        return "and every larger value" if largest is None else f"and every larger value up to {short(largest)}"

    def _top(self) -> int:
        """Return an index that holds: the last one, or one found by doubling."""
        least, largest = self.family.domain
        if largest is not None:
            top = int((largest - least) / self.grid)
            if self.holds(top):
                return top
            delta, _ = _bound(self.build(largest).privacy_profile(), self.level, self.delta)
            raise InvalidValueError(
                f"no {self.family.parameter} up to {short(largest)} is known to be enough: at {short(largest)} delta "
                f"is about {Dyadic.above(delta, 32).decimal(4, up=True)}. Use a larger n, eps or delta."
            )
        top = max(1, (1 / self.grid).__ceil__())
        while not self.holds(top):
            top *= 2
            if top * self.grid > _LARGEST:
                raise InvalidValueError(
                    f"no {self.family.parameter} up to 2^64 is enough for delta={short(self.delta)}. "
                    "Use a larger eps or delta."
                )
        return top

    # --- zsum -------------------------------------------------------------------------------------------------------

    def _least_safe(self, top: int) -> tuple[int, str]:
        """Return the least index from which on every index holds, and whether all values between hold too.

        After each crossing the local maxima beyond it are checked. Beside one that is above delta, the indices next to
        it are the worst of their rise and of their fall; where one of them fails, the last crossing is beyond it.
        """
        assert self.n is not None
        low = 0
        while True:
            index = _crossing(self.holds, low, top, self._between)
            start = self.value(index)
            value, _ = _bound(self.build(start).privacy_profile(), self.level, self.delta)
            scope, failing = _ZSUM_SCOPE, None
            try:
                for place in unsafe_points(self.n, self.level, self.delta, start, min(value, self.delta)):
                    scope, near = _ZSUM_GRID_SCOPE, int(place / self.grid)
                    beside = [i for i in range(near - 1, near + 3) if index < i < top and not self.holds(i)]
                    if beside:
                        failing = beside[-1]
                        break
            except TooLargeError:
                return index, LOCAL
            if failing is None:
                return index, scope
            low = failing

    # --- The result -------------------------------------------------------------------------------------------------

    def calibration(self, index: int, scope: str) -> Calibration:
        """Return the result, with its two certificates where they are wanted."""
        with one_step(max(1, self.tried), None):
            return self._certified_at(index, scope)

    def _certified_at(self, index: int, scope: str) -> Calibration:
        protocol = self.build(self.value(index))
        holds = _certified(self._claim(protocol), Verdict.PROVED)
        fails = fails_at = open_at = None
        if index:
            open_at = exact_answer(self.value(index - 1))
            fails_at = exact_answer(self.value(self.failing if self.undecided else index - 1))
            fails = _certified(self._claim(self.build(fails_at)), Verdict.REFUTED)
        value, grid = exact_answer(self.value(index)), exact_answer(self.grid)
        name = self.family.parameter
        monotone = flip_certificate() if self.certifies and self.family == response_family(self.level) else None
        return Calibration(value, name, grid, protocol, holds, fails, fails_at, scope, open_at, value, None, monotone)

    def _claim(self, protocol: Protocol) -> Claim | None:
        """Return the claim that a protocol is (eps, delta)-DP; None where no claim states it, or none is wanted."""
        if not self.certifies or self.family.parameter == "dummies":
            return None
        return Claim.of_protocol(protocol, **self.level.keywords, delta=self.delta)


_ZSUM_SCOPE: Final = "and every larger value up to 1/2"
_ZSUM_GRID_SCOPE: Final = "and every larger value of the grid up to 1/2, but not every value between them"


def _bound(profile: PrivacyProfile, level: PrivacyLevel, delta: Fraction) -> tuple[Fraction, bool]:
    """Return about the profile's delta, not below it where it holds, and whether it is at most the target."""
    engine = engine_of(profile.source)
    least = engine.lower_bound(level.real, DECIDING_BITS[0])
    if least is not None and least.compare(delta) == 1:
        return least.lo, False
    for bits in DECIDING_BITS:
        if (answer := judged(profile, level, delta, bits)) is not None:
            return answer
    raise UndecidedError(
        f"the divergence and delta={short(delta)} agree to {DECIDING_BITS[-1]} bits. Use another delta or grid."
    )


def _crossing(holds: Callable[[int], bool], low: int, high: int, between: Callable[[int, int], int]) -> int:
    """Return an index that holds with one below it that does not, from ``low``, which does not, to ``high``."""
    while high - low > 1:
        middle = between(low, high)
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _round_middle(low: int, high: int) -> int:
    """Return an index between, with few bits while the two are far apart: their arithmetic, or geometric, middle."""
    if high > 4 * low:
        bits = (low.bit_length() + high.bit_length()) // 2
        return min(1 << bits, high - 1)  # above low, which has fewer than ``bits`` bits
    middle, kept = (low + high) // 2, max(0, (high - low).bit_length() - 3)
    return middle >> kept << kept  # above low: 2^kept is at most a quarter of the distance, or 1


def _certified(claim: Claim | None, verdict: Verdict) -> Certificate | None:
    if claim is None:
        return None
    certificate = certify(claim)
    if certificate.verdict is Verdict.UNDECIDED:
        raise UndecidedError(f"the verdict at the calibrated noise: {certificate.reason} Use another delta or grid.")
    if certificate.verdict is not verdict:
        raise RuntimeError(
            f"the claim at the calibrated noise, or one step below, is {certificate.verdict.value}: "
            f"{certificate.reason} This is a defect."
        )
    return certificate

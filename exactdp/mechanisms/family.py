"""Families of randomizers: parameters in place of a table, for message spaces that nobody lists.

A family knows its inputs, its local eps and, for every ordered pair of inputs up to symmetry, the classes of messages
that the two inputs and the others tell apart (``exactdp.mechanisms.pair_table``): few, however many messages there are.
Its table is built where it is small.

*Irrational e^eps0.* Where e^eps0 is written as an irrational number there are no exact classes, and a family offers its
members at a rational e^eps0 beside it. In each file a proof stands that the member with the smaller e^eps0 is the one
with the larger whose messages go, one by one, through a channel that does not depend on the data. That channel commutes
with the shuffler, so of every divergence of shuffled views ``at_least`` (e^eps0 rounded up) gives an upper end and
``at_most`` a lower one.

*Draws.* A view is drawn as the number of messages that support each input; for k-ary response and the clipped discrete
Laplace, whose messages are inputs, that is the whole view. A family says how its supports depend on each other, with
exact probabilities, to a :class:`SupportSource`; who draws is for :mod:`exactdp.sampling` to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from exactdp.errors import InexactNumberError, InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.named_randomizers import FAMILIES
from exactdp.mechanisms.pair_table import PairTable
from exactdp.mechanisms.randomizer import Communication, Randomizer
from exactdp.numbers.balls import compare_reals, enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real, read_parameter

if TYPE_CHECKING:
    from exactdp.mechanisms.linear_estimate import LinearEstimate

Drawn = TypeVar("Drawn", covariant=True)
"""Draws of one view."""


class SupportSource(Protocol[Drawn]):
    """A source of views of n users whose inputs it knows."""

    def independent(self, likely: Fraction, unlikely: Fraction) -> Drawn:
        """Every input is supported on its own: with one probability by its holders, with another by all others."""
        ...

    def subsets(self, size: int, common: Fraction) -> Drawn:
        """A uniformly random subset of ``size`` inputs; with probability 1 - ``common`` of those with the own input."""
        ...

    def signs(self, columns: int, common: Fraction) -> Drawn:
        """A uniformly random column of Sylvester's matrix; with probability 1 - ``common`` of those with own plus."""
        ...

    def among_dummies(self, common: Fraction, dummies: int) -> Drawn:
        """One input, uniform with probability ``common``, else the own one; and ``dummies`` uniform inputs."""
        ...

    def rows(self, rows: Iterable[Sequence[Fraction]]) -> Drawn:
        """One input, with the probabilities of the own row."""
        ...

    def repeated(self, times: int) -> SupportSource[Drawn]:
        """Return a source in which every user sends so many messages."""
        ...

    def present(self, chance: Fraction, family: FamilyRandomizer, away: tuple[FamilyRandomizer, int] | None) -> Drawn:
        """Each user sends a message of the family with one probability, else one of an input, by its place, or none."""
        ...


UNIFORM: Final = "uniform"
"""A dummy that is a uniformly random message."""
INPUT: Final = "input"
"""A dummy that is a message of one input: ("input", x)."""

MAX_ENTRIES: Final = 65_536
"""Most entries, inputs times messages, of a table that is built."""

MAX_INPUTS: Final = 10**9
"""Most inputs of a family."""

_MAX_SYMBOL_BITS: Final = 2 * 10**5
"""Bits of the largest number of different messages that is written out; binomial coefficients of more take seconds."""

ExpEps0: TypeAlias = Fraction | Real
"""e^eps0 as it is kept: a Fraction, or a Real where it is written as an irrational number."""

Parameter: TypeAlias = int | bool | ExpEps0 | None

Member = TypeVar("Member", bound="FamilyRandomizer")


class SupportChances(NamedTuple):
    """How many of the messages of n users support an input, given who holds it: a sum of independent binomial counts.

    Each user sends ``own`` messages of one law, and ``dummies`` that are drawn whatever he holds.
    """

    likely: Fraction
    """How likely an own message supports the input that the user holds."""
    unlikely: Fraction
    """How likely it supports an input that he does not hold."""
    own: int = 1
    dummies: int = 0
    share: Fraction = Fraction(0)
    """How likely a dummy supports an input."""


class EstimateSizes(NamedTuple):
    """How far the unbiased estimate of a number, which is the message but for a factor, lies from it: X the difference.

    ``most`` and ``skew`` are bounds for every input.
    """

    low: Fraction
    """E X^2 of some input is at least this, ..."""
    high: Fraction
    """... and of every input at most this."""
    most: Fraction | None
    """What X is at most, or M of :func:`exactdp.laws.tails.enough_reach`; None where every input has the same X."""
    skew: Fraction
    """What E abs(X)^3 / E X^2 is at most; 0 for a normal X."""


class FamilyRandomizer(ABC):
    """A randomizer known by its family and parameters: frozen, hashable and picklable, as a table is.

    ``ShuffleProtocol`` takes it as it takes a ``Randomizer``. Two families are equal where their parameters are.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]  # every subclass is a dataclass

    name: ClassVar[str]
    """What the family is called: ``"k-ary"``, ``"unary-encoding"``, ..."""
    claim_fields: ClassVar[Mapping[str, str]] = {}
    """Field of a claim about the family -> the parameter that it holds; empty where no claim states the family."""
    sends_tuples: ClassVar[bool] = False
    """Whether a message is a tuple, and no category."""
    sends_numbers: ClassVar[bool] = False
    """Whether a message is an integer, and no tuple."""
    is_checked_by_table: ClassVar[bool] = False
    """Whether the checker lists the outcomes of the table, and knows no classes of messages."""

    @property
    def claim_refusal(self) -> str:
        """Why no claim states this member, though its family is stated; empty where that is not known."""
        return ""

    @classmethod
    def stated(cls, **parameters: Any) -> FamilyRandomizer:
        """Return the member that a claim states by these parameters."""
        return cls(**parameters)

    def word_of(self, other: int, first: int, second: int) -> str:
        """Return what a witness about two inputs calls the one that all others hold."""
        return "first" if other == first else "second" if other == second else "third"

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters, by the names under which the constructor takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    @abstractmethod
    def inputs(self) -> Sequence[Any]:
        """What a user can hold; a ``range`` where the inputs are numbered."""

    @abstractmethod
    def local_epsilon(self) -> LogRational | Real:
        """Return the least eps for which the randomizer alone is eps-DP, exactly.

        A ``LogRational``; where e^eps is irrational, eps itself as a ``Real``.
        """

    @abstractmethod
    def pair_tables(self) -> tuple[PairTable, ...]:
        """Return ordered pairs up to symmetry: every ordered pair of distinct inputs has the table of one of them.

        Up to symmetry means that only the labels differ. ``others`` names the two inputs and one input of each
        further kind; an input of no kind named here has the joint classes of one that is.

        Raises:
            InvalidValueError: where e^eps0 is irrational; ask ``at_least`` or ``at_most``.
        """

    def dummy_tables(self, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
        """Return ordered pairs up to symmetry that leaves a dummy's law as it is: the last of ``others``, no input.

        Args:
            dummy: "uniform", or ("input", x) (:mod:`exactdp.mechanisms.absence_family`).
            tells_more: where the classes are too many, True for fewer ones from which a channel leads to them, False
                for fewer ones to which one leads; None for all.
        """
        raise InvalidValueError(f"{self!r} has no classes beside a dummy. Pass a table, or users who are not hidden.")

    def telling_beside(self, dummy: Any) -> Iterable[tuple[Fraction, ...]]:
        """Return (P, Q, dummy) of classes, with those whose ratio may be the largest where a dummy is mixed in."""
        tables = self.dummy_tables(dummy, None)
        return ((c.first, c.second, c.others[-1]) for table in tables for c in table.classes)

    @property
    def dummy_inputs(self) -> Sequence[Any]:
        """The inputs of which a dummy may be a message."""
        return self.inputs

    def dummy_row(self, dummy: Any) -> Any:
        """Return a dummy as the table takes it: as it is, but for products."""
        return dummy

    @property
    def title(self) -> str:
        """What people call it, and how many inputs there are."""
        return f"{self.name.replace('-', ' ').capitalize().replace('laplace', 'Laplace')}, {self.input_space} choices"

    @property
    def input_space(self) -> str:
        """How many different inputs there are, in words."""
        return str(len(self.inputs))

    @property
    @abstractmethod
    def message_space(self) -> tuple[str, int | None]:
        """How many different messages a user may send: in words, and as a number unless that is beyond 10^30."""

    @property
    def messages_per_user(self) -> int:
        """How many messages a user sends; the classes are those of all of them together."""
        return 1

    @property
    def may_send_nothing(self) -> bool:
        """Whether a user may send no message, so that their number says less than how many users there are."""
        return False

    @property
    def single(self) -> FamilyRandomizer:
        """The family of which users send one message, or what they repeat."""
        return self

    @property
    def original(self) -> FamilyRandomizer:
        """The family that is run, where users run it in another way."""
        return self

    @property
    def joint_kind(self) -> Hashable:
        """What families have in common of which :mod:`exactdp.mechanisms.joint_classes` knows classes in common."""
        return self

    @property
    def parts(self) -> tuple[UserRandomizer, ...]:
        """What answers each question, where a message is a tuple of answers; none where it answers one."""
        return ()

    @property
    def support_chances(self) -> SupportChances | None:
        """What counts of the messages that support an input are made of; None where messages support none."""
        return None

    @property
    def estimate_sizes(self) -> EstimateSizes | None:
        """How far the estimate of a number lies from it; None where the input is none."""
        return None

    def linear_estimates(self) -> tuple[LinearEstimate, ...]:
        """Return the unbiased estimate of how many users hold an input, one of each kind; of the table if not said."""
        from exactdp.mechanisms.linear_estimate import LinearEstimate

        chances = self.support_chances
        return self.table().linear_estimates() if chances is None else (LinearEstimate.of_supports(*chances),)

    def supports(self, message: Any, value: int) -> bool:
        """Return whether a message, as a user of ``table()`` sends it, supports an input: itself, if not said."""
        return bool(message == value)

    @property
    def pairs_by(self) -> str:
        """What amplification compares two inputs by: a name of :mod:`exactdp.privacy.planner`."""
        return "classes"

    @property
    def response_size(self) -> int | None:
        """k of k-ary randomized response, about which more is published than about other families; else None."""
        return None

    @property
    def bit_chances(self) -> tuple[Fraction, Fraction] | None:
        """How likely the bit of the own input is one, and each other, of vectors of independent bits; else None."""
        return None

    @property
    def published_beta(self) -> Fraction | None:
        """The published total variation distance of two rows, at a rational e^eps0 above 1; None where there is none.

        Source: WangPengLiWenLiYuWangYang2024, section 4 (as printed in secondary sources: the authors' program and the
        table on its page).
        """
        return None

    @property
    def symbols(self) -> int:
        """How many different single messages there are; TooLargeError beyond 2^200000."""
        words, count = self.message_space
        if count is None:
            raise InvalidValueError(
                f"{self!r} stands for randomizers that send {words} messages. Ask about one of them."
            )
        return count

    @property
    def message_bits(self) -> int:
        """The bits of one message, at least 1."""
        return self.communication().bits

    def communication(self) -> Communication:
        """Return what one user sends: as many messages whatever the input is.

        >>> from exactdp.randomizers import BallsIntoBins, UnaryEncoding
        >>> UnaryEncoding(1000, exp_eps0=9).communication().bits, BallsIntoBins(1000, dummies=2).communication()
        (1000, Communication(messages=Fraction(3, 1), most=3, symbols=1000))
        """
        return Communication(Fraction(self.messages_per_user), self.messages_per_user, self.symbols)

    @abstractmethod
    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        """Return how many messages support each input, in a view drawn from the source."""

    @abstractmethod
    def _table(self) -> Randomizer:
        """Return the table, of whatever size."""

    def _with(self: Member, exp_eps0: Fraction) -> Member:
        """Return the member with another e^eps0 and what else this one has."""
        return type(self)(**{**self.parameters, "exp_eps0": exp_eps0})

    @property
    def is_rational(self) -> bool:
        """Whether all probabilities are rational, so that tables and classes are exact."""
        return not isinstance(self.parameters["exp_eps0"], Real)

    @property
    def least_is_exact(self) -> bool:
        """Whether the least probabilities of the classes are the exact minimum, not a smaller number that is short."""
        return True

    def lower_families(self) -> tuple[FamilyRandomizer, ...]:
        """Return randomizers whose divergences are at most this one's: itself, if it is one randomizer."""
        return (self,)

    def at_least(self: Member, bits: int = 53) -> Member:
        """Return this family, or where e^eps0 is irrational the member at a rational number above it.

        Args:
            bits: the rational number exceeds e^eps0 by at most 2^-bits of it; at least 1.

        Every hockey-stick divergence of shuffled views of this randomizer is at most that of the member returned.
        """
        return self if self.is_rational else self._with(self._end(bits, up=True))

    def at_most(self: Member, bits: int = 53) -> Member:
        """Return this family, or where e^eps0 is irrational the member at a rational number below it, at least 1."""
        return self if self.is_rational else self._with(self._end(bits, up=False))

    def _end(self, bits: int, *, up: bool) -> Fraction:
        exp_eps0 = self.parameters["exp_eps0"]
        assert isinstance(exp_eps0, Real)
        enclosed = enclose_real(exp_eps0, relative_bits=as_integer(bits, name="bits", at_least=1))
        return enclosed.hi if up else max(Fraction(1), enclosed.lo)

    @property
    def has_small_table(self) -> bool:
        """Whether ``table()`` builds the table: rational numbers, at most 65,536 entries."""
        count = self.message_space[1]
        return self.is_rational and count is not None and len(self.inputs) * count <= MAX_ENTRIES

    def table(self) -> Randomizer:
        """Return the same randomizer as a table.

        Raises:
            TooLargeError: for more than 65,536 entries, inputs times messages.
            InvalidValueError: where e^eps0 is irrational, so that no table of exact numbers exists.
        """
        self.need_rational("a table")
        if not self.has_small_table:
            raise TooLargeError(
                f"the table has {len(self.inputs)} inputs and {self.message_space[0]} messages, more than the limit of "
                f"{MAX_ENTRIES} entries. Ask questions that read classes of messages, or use fewer inputs."
            )
        return self._table()

    @property
    def tabulated(self) -> Randomizer:
        """The table; the errors are those of ``table()``."""
        return self.table()

    def listed(self, users: int = 1) -> Randomizer | None:
        """Return the table; None where it is too large, or the views of so many users are beyond every list."""
        return self.table() if self.has_small_table else None

    @property
    def family(self) -> FamilyRandomizer:
        """The family: this one, where a table has none."""
        return self

    @property
    def density(self) -> Any:
        """The family, where it sends real numbers, or None."""
        return None

    def need_rational(self, wanted: str) -> None:
        """Refuse where e^eps0 is irrational; ``wanted`` is what does not exist."""
        if not self.is_rational:
            raise InvalidValueError(
                f"exp_eps0={self.parameters['exp_eps0']} is irrational, so {wanted} in exact numbers does not exist. "
                "Ask .at_least(bits) or .at_most(bits) for it, the members at a rational e^eps0 above and below."
            )


class DerivedFamily(FamilyRandomizer):
    """Users who run a family in another way: with its parameters, inputs and messages, and rational where it is."""

    __slots__ = ()

    base: FamilyRandomizer

    @property
    def parameters(self) -> dict[str, Parameter]:
        return self.base.parameters

    @property
    def inputs(self) -> Sequence[Any]:
        return self.base.inputs

    @property
    def message_space(self) -> tuple[str, int | None]:
        return self.base.message_space

    @property
    def least_is_exact(self) -> bool:
        return self.base.least_is_exact

    @property
    def original(self) -> FamilyRandomizer:
        return self.base

    def supports(self, message: Any, value: int) -> bool:
        return self.base.supports(message, value)

    @property
    def symbols(self) -> int:
        return self.base.symbols

    @property
    def is_rational(self) -> bool:
        return self.base.is_rational


UserRandomizer: TypeAlias = Randomizer | FamilyRandomizer
"""What a user runs: a table, or a family. Either says what it is to who must list it, compare its inputs or name it."""


def small_table(family: FamilyRandomizer, users: int = 1) -> UserRandomizer:
    """Return the table where it is ``listed`` for so many users, else the family."""
    return family.listed(users) or family


def check_symbols(bits: int, words: str) -> None:
    """Refuse a number of different messages that has up to so many bits, where that is beyond 200,000."""
    if bits > _MAX_SYMBOL_BITS:
        raise TooLargeError(
            f"{words} different messages have up to {short(bits)} bits each, more than the limit of "
            f"{_MAX_SYMBOL_BITS}. Use fewer inputs."
        )


def read_exp_eps0(value: Exact | Real) -> ExpEps0:
    """Return e^eps0 >= 1: a Fraction, or a Real where it is written as an irrational number, as "exp(1/2)".

    >>> read_exp_eps0("3/2"), read_exp_eps0("exp(1/2)")
    (Fraction(3, 2), Real[e^(1/2)])
    """
    if isinstance(value, LogRational):
        raise InexactNumberError(
            f"exp_eps0={value} is an eps0, not its exponential. Pass exp_eps0={short(value.argument)}."
            if not value.is_infinite
            else "exp_eps0=infinity is not a number. Pass e^eps0, a finite number of at least 1."
        )
    number = read_parameter(value, name="exp_eps0")
    if compare_reals(number, Fraction(1)) < 0:
        raise InvalidValueError(
            f"exp_eps0={short(number) if isinstance(number, Fraction) else number} is below 1. "
            "Pass e^eps0, a number of at least 1."
        )
    return number


def exact_eps0(exp_eps0: ExpEps0) -> LogRational | Real:
    """Return eps0 from e^eps0: a LogRational, or a Real where e^eps0 is irrational."""
    return LogRational(exp_eps0) if isinstance(exp_eps0, Fraction) else Real.log(exp_eps0)


def rational_of(exp_eps0: ExpEps0 | None) -> Fraction:
    """Return e^eps0 of a member that has passed ``need_rational``."""
    assert isinstance(exp_eps0, Fraction)
    return exp_eps0


def read_inputs(value: Exact, *, name: str) -> int:
    """Return a number of inputs from 2 to 10^9, or refuse it."""
    inputs = as_integer(value, name=name, at_least=2)
    if inputs > MAX_INPUTS:
        raise TooLargeError(f"{name}={short(inputs)} is more than the limit of {MAX_INPUTS} inputs. Use fewer.")
    return inputs


def family_of(kind: str, *, inputs: Exact, exp_eps0: Exact | Real | None = None, **options: Any) -> FamilyRandomizer:
    """Return the family of a kind, by the name that files, claims and the command line know.

    The number of inputs and e^eps0 make a family of every kind but one, which has no e^eps0, and a few take one
    option more.

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

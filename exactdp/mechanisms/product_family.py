"""Products: one user answers several questions in one message, each by a randomizer of its own.

An input is a tuple with an entry for each question, and so is a message. The answers are independent given the entries.
A neighbour replaces the whole tuple: what is protected is one person.

*Classes.* The row of a tuple of entries is the product of the rows of its entries. So where the messages of each
question are cut into classes on which the rows named are proportional, tuples of classes are classes of messages, and
probabilities multiply. The least probability over all inputs is the product of the least ones, for entries are chosen
one by one. A question whose entry both inputs share has the classes of that entry and of the others', with equal P and
Q.

*Pairs.* Up to symmetry, a pair of tuples is for each question a pair of different entries of a kind that its randomizer
names, or an entry that both share. Questions of equal randomizers can be exchanged, so multisets of such choices are
enough: five questions of k-ary response have five kinds of pairs. Of the others' inputs it is the same.

*Dummies* have a part for each question, and their row is one more factor beside the others'.

*Local eps.* The largest ratio of two products is the product of the largest ratios.

*Rounded e^eps0.* The channels of the randomizers act on the parts of a message one by one.

Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 2 (several local randomizers on one record, while
the classes are this page's).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, combinations_with_replacement, permutations
from itertools import product as every_tuple
from math import comb, gcd, prod
from operator import mul
from typing import Any, ClassVar, Final, TypeAlias, overload

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.absence_family import listed_dummy
from exactdp.mechanisms.density_family import DensityFamily
from exactdp.mechanisms.density_product_family import DensityProduct
from exactdp.mechanisms.family import (
    MAX_ENTRIES,
    MAX_INPUTS,
    Drawn,
    FamilyRandomizer,
    Parameter,
    SupportSource,
    UserRandomizer,
    small_table,
)
from exactdp.mechanisms.pair_table import Bundles, MessageClass, PairTable, every_pair_table
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import common_denominator
from exactdp.numbers.formats import about
from exactdp.numbers.frozen import set_fields
from exactdp.numbers.real import Real

_MAX_FACTORS: Final = 64
"""Most questions of one user."""
_KEPT: Final = 4
"""Products whose tables are kept: one question asks for them again and again."""
_MAX_PAIRS: Final = 1024
"""Most kinds of pairs of inputs."""
_DUMMY: Final = object()
"""What stands for a dummy among inputs."""
_MAX_WORK: Final = 2**21
"""Most probabilities of classes of all pairs: some seconds."""


_Ratios: TypeAlias = Counter[tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class _Choice:
    """Two entries of one question, equal or not, and classes of its messages, as integers (P, Q, c, R_v ...).

    Beside a dummy ``others`` has its law at the end, which nobody holds.
    """

    first: Any
    second: Any
    others: tuple[Any, ...]
    vectors: tuple[tuple[int, ...], ...]
    scale: int
    dummies: int = 0

    @property
    def kinds(self) -> int:
        """How many kinds of third entries there are."""
        return len(self.others) - self.dummies

    @classmethod
    def of(cls, table: PairTable, dummies: int = 0) -> _Choice:
        """Different entries."""
        rows = [(c.first, c.second, c.least, *c.others) for c in table.classes]
        scale = common_denominator((p for row in rows for p in row), name="the probabilities of the classes")
        vectors = tuple(tuple(p.numerator * (scale // p.denominator) for p in row) for row in rows)
        return cls(table.first, table.second, table.others, vectors, scale, dummies)

    def shared(self) -> _Choice:
        """The first of the entries for both, beside one other entry of each kind."""
        own = self.others.index(self.first) + 3
        dummy = list(range(3 + self.kinds, 3 + len(self.others)))
        kinds: dict[frozenset[Any], int] = {}
        for place in range(3, self.kinds + 3):
            merged: dict[tuple[int, ...], int] = {}
            for vector in self.vectors:
                scaled = (vector[own], vector[2], vector[place], *(vector[at] for at in dummy))
                merged[scaled] = merged.get(scaled, 0) + 1
            kinds.setdefault(frozenset(merged.items()), place)
        places = [*kinds.values(), *dummy]
        table = PairTable.of_integers(
            self.first,
            self.first,
            [self.others[place - 3] for place in places],
            [(v[own], v[own], v[2], *(v[place] for place in places)) for v in self.vectors],
            self.scale,
        )
        return _Choice.of(table, self.dummies)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _ProductTable(PairTable):
    """The classes of two tuples, beside one of each kind of third tuples; they are listed where all are asked for.

    Beside one input of all others few are told apart: classes of the first questions are merged before those of the
    next come in.
    """

    chosen: tuple[_Choice, ...]
    kinds: tuple[tuple[int, ...], ...]
    """Of the others: what each holds, of ``others`` of each choice."""
    listed: list[PairTable]
    """The table with its classes, once they were asked for."""
    known: dict[tuple[int, ...], _Ratios]
    """What the first questions tell apart, by the columns of R."""

    def __init__(self, chosen: tuple[_Choice, ...]) -> None:
        kinds = [(0,) * len(chosen), tuple(int(one.first != one.second) for one in chosen)]  # the two inputs themselves
        alike = _alike(chosen)
        for each in every_tuple(*(combinations_with_replacement(range(chosen[at[0]].kinds), len(at)) for at in alike)):
            held = dict(zip(chain(*alike), chain(*each), strict=True))
            kinds.append(tuple(held[place] for place in range(len(chosen))))
        if chosen[0].dummies:
            kinds.append(tuple(one.kinds for one in chosen))
        distinct = tuple(dict.fromkeys(kinds))
        others = (tuple(one.others[kind] for one, kind in zip(chosen, each, strict=True)) for each in distinct)
        first, second = (tuple(getattr(one, name) for one in chosen) for name in ("first", "second"))
        set_fields(self, first=first, second=second, others=tuple(others), chosen=chosen, kinds=distinct)
        set_fields(self, listed=[], known={(): Counter([(1, 1, 1)])})

    @property  # type: ignore[misc]
    def classes(self) -> tuple[MessageClass, ...]:
        if not self.listed:
            self.listed.append(self._of(self.others, self._vectors()))
        return self.listed[0].classes

    def _vectors(self) -> Iterator[list[int]]:
        columns = [(place,) * len(self.chosen) for place in range(3)]
        columns += [tuple(kind + 3 for kind in each) for each in self.kinds]
        for cell in every_tuple(*(one.vectors for one in self.chosen)):
            yield [prod(vector[at] for vector, at in zip(cell, column, strict=True)) for column in columns]

    def beside(self, place: int | None) -> tuple[MessageClass, ...]:
        columns = (2,) * len(self.chosen) if place is None else tuple(kind + 3 for kind in self.kinds[place])
        ratios = self._merged(columns)
        return self._of((), ([p * times for p in ratio] for ratio, times in ratios.items())).classes

    def _merged(self, columns: tuple[int, ...]) -> _Ratios:
        """Return (P, Q, R) in lowest terms -> multiple, of the first questions; R is in one column of each."""
        if columns not in self.known:
            found: _Ratios = Counter()
            vectors = Counter((v[0], v[1], v[columns[-1]]) for v in self.chosen[len(columns) - 1].vectors)
            for (ratio, many), (vector, alike) in every_tuple(self._merged(columns[:-1]).items(), vectors.items()):
                row = tuple(map(mul, ratio, vector))
                if factor := gcd(*row):
                    found[tuple(p // factor for p in row)] += factor * many * alike
            self.known[columns] = found
        return self.known[columns]

    def _of(self, others: Sequence[Any], vectors: Iterable[Sequence[int]]) -> PairTable:
        scale = prod(one.scale for one in self.chosen)
        return PairTable.of_integers(self.first, self.second, others, vectors, scale)

    def __eq__(self, other: object) -> bool:
        return PairTable(self.first, self.second, self.others, self.classes) == other

    def __hash__(self) -> int:
        return hash((self.first, self.second, self.others, self.classes))


class _Tuples(Sequence[tuple[Any, ...]]):
    """All tuples of entries, the last one counting fastest; none is made before it is asked for."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self.parts = tuple(parts)

    def __len__(self) -> int:
        return prod(map(len, self.parts))

    @overload
    def __getitem__(self, place: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, place: slice) -> list[tuple[Any, ...]]: ...
    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        rest = range(len(self))[place]
        entries = []
        for part in reversed(self.parts):
            rest, entry = divmod(rest, len(part))
            entries.append(part[entry])
        return tuple(reversed(entries))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return every_tuple(*self.parts)

    def __contains__(self, value: object) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.parts)
            and all(entry in part for entry, part in zip(value, self.parts, strict=True))
        )


@dataclass(frozen=True, slots=True, init=False)
class Product(FamilyRandomizer):
    """Several questions that a user answers in one message; the arguments are those of ``product``.

    >>> from exactdp.randomizers import KAryResponse
    >>> five = Product(*[KAryResponse(20, exp_eps0=7)] * 5)
    >>> len(five.inputs), five.local_epsilon(), len(five.pair_tables())
    (3200000, LogRational('16807'), 5)
    """

    name: ClassVar[str] = "product"

    factors: tuple[UserRandomizer, ...]

    def __init__(self, *factors: UserRandomizer) -> None:
        set_fields(self, factors=_read_factors(factors))

    @property
    def parts(self) -> tuple[UserRandomizer, ...]:
        return tuple(one.family or _answers(one.tabulated) for one in self.factors)

    @property
    def parameters(self) -> dict[str, Parameter]:
        irrational = (one.family.parameters for one in self.factors if one.family is not None and not one.is_rational)
        return next(irrational, {})

    @property
    def inputs(self) -> Sequence[tuple[Any, ...]]:
        return _Tuples([factor.inputs for factor in self.factors])

    @property
    def message_space(self) -> tuple[str, int | None]:
        spaces = [part.message_space for part in self.parts]
        counts = [count for _, count in spaces if count is not None]
        known = len(counts) == len(spaces) and prod(counts) < 10**30
        return " x ".join(words for words, _ in spaces), prod(counts) if known else None

    @property
    def symbols(self) -> int:
        each = [(part.communication().symbols, part.communication().most or 1) for part in self.parts]
        return prod(comb(symbols + sent - 1, sent) for symbols, sent in each)  # a multiset of so many messages

    @property
    def is_rational(self) -> bool:
        return all(factor.is_rational for factor in self.factors)

    @property
    def least_is_exact(self) -> bool:
        return all(factor.least_is_exact for factor in self.factors)

    def local_epsilon(self) -> LogRational | Real:
        each = [part.local_epsilon() for part in self.parts]
        ratios = [eps.argument for eps in each if isinstance(eps, LogRational) and not eps.is_infinite]
        reals = [eps for eps in each if isinstance(eps, Real)]
        if len(ratios) + len(reals) < len(each):
            return LogRational(None)
        total = LogRational(prod(ratios, start=Fraction(1)))
        return sum(reals, start=Real.log(Real(total.argument))) if reals else total

    def pair_tables(self) -> tuple[PairTable, ...]:
        self.need_rational("the classes")
        return _kept_tables(self, None, None)

    def dummy_tables(self, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
        self.need_rational("the classes")
        return _kept_tables(self, dummy, tells_more)

    def dummy_row(self, dummy: Any) -> Any:
        if dummy is None:
            return None
        each = [
            _answers(_with_dummy(factor, part), factor.tabulated).table()[_DUMMY]
            for factor, part in zip(self.factors, dummy, strict=True)
        ]
        return tuple(
            ((tuple(answer for (answer,), _ in sent),), prod((p for _, p in sent), start=Fraction(1)))
            for sent in every_tuple(*(law.items() for law in each))
        )

    def _listed_tables(self, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
        chosen = self._chosen(dummy, tells_more)
        classes = max((prod(len(one.vectors) for one in each) for each in chosen), default=0)
        if classes > MAX_ENTRIES or (work := sum(map(_work, chosen))) > _MAX_WORK:
            size = f"{about(classes)} classes of messages" if classes > MAX_ENTRIES else f"{about(work)} of them in all"
            raise TooLargeError(
                f"the product has {size}, beside each kind of other inputs and for each of {len(chosen)} kinds of "
                f"pairs; the limits are {MAX_ENTRIES} and {_MAX_WORK}. Use fewer questions, or smaller tables."
            )
        return tuple(map(_ProductTable, chosen))

    def _chosen(self, dummy: Any, tells_more: bool | None) -> list[tuple[_Choice, ...]]:
        """Return a choice for each factor, not all of them shared, up to the exchange of equal factors."""
        places: dict[tuple[UserRandomizer, Any], list[int]] = {}
        for place, factor in enumerate(zip(self.factors, dummy or (None,) * len(self.factors), strict=True)):
            places.setdefault(factor, []).append(place)
        choices = {factor: _choices(*factor, tells_more) for factor in places}
        if (
            kinds := prod(comb(len(choices[factor]) + len(at) - 1, len(at)) for factor, at in places.items())
        ) > _MAX_PAIRS:
            raise TooLargeError(
                f"a product of {len(self.factors)} questions has {about(kinds)} kinds of pairs of inputs, more than "
                f"the limit of {_MAX_PAIRS}. Use families, of which few pairs stand for all, or fewer questions."
            )
        found = []
        for chosen in every_tuple(
            *(combinations_with_replacement(choices[factor], len(at)) for factor, at in places.items())
        ):
            each = dict(zip(chain(*places.values()), chain(*chosen), strict=True))
            if any(one.first != one.second for one in each.values()):
                found.append(tuple(each[place] for place in range(len(self.factors))))
        return found

    def at_least(self, bits: int = 53) -> Product:
        return self if self.is_rational else Product(*(one.at_least(bits) for one in self.factors))

    def at_most(self, bits: int = 53) -> Product:
        return self if self.is_rational else Product(*(one.at_most(bits) for one in self.factors))

    def drawn(self, source: SupportSource[Drawn]) -> Drawn:
        raise InvalidValueError(
            f"a product of {len(self.factors)} questions has no inputs that single messages support. Draw the answers "
            "to each question by themselves, from its own randomizer: .parts has them."
        )

    def _table(self) -> Randomizer:
        rows: dict[Any, dict[tuple[Any, ...], Fraction]] = {}
        for entries in every_tuple(*(_answers(part.tabulated).table().items() for part in self.parts)):
            law: dict[tuple[Any, ...], Fraction] = {}
            for sent in every_tuple(*(row.items() for _, row in entries)):
                law[(tuple(answer for (answer,), _ in sent),)] = prod((p for _, p in sent), start=Fraction(1))
            rows[tuple(value for value, _ in entries)] = law
        return Randomizer(rows)


@lru_cache(maxsize=_KEPT)
def _kept_tables(made: Product, dummy: Any, tells_more: bool | None) -> tuple[PairTable, ...]:
    return made._listed_tables(dummy, tells_more)


def product(*factors: UserRandomizer) -> UserRandomizer:
    """Return the randomizer of one user who answers several questions in one message.

    Args:
        factors: a randomizer for each question, 1 to 64, tables or families; in the inputs and the messages, which are
            tuples, they stand in this order. A question to which a user may send several or no messages has the
            tuple of them as its part of the message, in an order that tells nothing.

    Returns:
        A ``Randomizer`` where it has at most 65,536 entries; else the family ``Product``. Beside one factor that sends
        a real number the family ``DensityProduct``: delta and eps between two proved ends, an input is the
        number and the input of all else.

    Raises:
        InvalidValueError: for no factors, and what is no randomizer.
        TooLargeError: for more than 10^9 inputs.

    >>> from exactdp.randomizers import randomized_response
    >>> two = product(randomized_response(2, exp_eps0=3), randomized_response(2, exp_eps0=9))
    >>> two.table()[0, 1][((0, 1),)], two.local_epsilon()
    (Fraction(27, 40), LogRational('27'))

    Cost: five questions of twenty choices have 1024 classes of messages, and both ends of eps at n = 300,000 take some
    seconds.

    Source: KasiviswanathanLeeNissimRaskhodnikovaSmith2011, section 2.
    """
    return _with_a_number(factors) or small_table(Product(*factors))


def product_of(factors: Sequence[UserRandomizer]) -> Product | DensityProduct:
    """Return the family of a list, also where its table is small."""
    return _with_a_number(factors) or Product(*factors)


def _with_a_number(factors: Sequence[UserRandomizer]) -> DensityProduct | None:
    """Return the product where one factor sends a real number; None where none does."""
    numbers = [one.family for one in factors if isinstance(one, DensityFamily)]
    if not numbers or not isinstance(numbers[0], DensityFamily):
        return None
    if len(numbers) > 1 or len(factors) == 1:
        raise InvalidValueError(
            f"{len(numbers)} of {len(factors)} factors send real numbers, and cells of messages are known for one "
            "beside others that have inputs. Pass one of them, and duchi or clipped_discrete_laplace for other numbers."
        )
    rest = [one for one in factors if not isinstance(one, DensityFamily)]
    made = Product(*rest)
    return DensityProduct(numbers[0], rest[0] if len(rest) == 1 else small_table(made))


def _read_factors(given: Sequence[Any]) -> tuple[UserRandomizer, ...]:
    if not 1 <= len(given) <= _MAX_FACTORS:
        raise InvalidValueError(f"a product of {len(given)} randomizers is given. Pass 1 to {_MAX_FACTORS}.")
    for place, factor in enumerate(given):
        if not isinstance(factor, UserRandomizer):
            raise InvalidValueError(
                f"factor {place} has the type {type(factor).__name__}. Pass a Randomizer or a family of randomizers."
            )
        if factor.family is not None and factor.family.lower_families() != (factor,):
            raise InvalidValueError(f"factor {place}, {factor!r}, stands for many randomizers. Pass one of them.")
        if not factor.inputs:
            raise InvalidValueError(f"factor {place}, {factor!r}, has no list of inputs. Pass a randomizer that has.")
        if len(factor.inputs) < 2:
            raise InvalidValueError(f"factor {place} has one input, and asks nothing. Leave it out.")
    if (count := prod(len(factor.inputs) for factor in given)) > MAX_INPUTS:
        raise TooLargeError(
            f"the product has {about(count)} inputs, more than the limit of {MAX_INPUTS}. Use fewer questions."
        )
    return tuple(given)


def _with_dummy(factor: UserRandomizer, dummy: Any) -> Randomizer:
    """Return the table of a factor with the law of a dummy as that of one more input."""
    table, family = factor.tabulated, factor.family
    return Randomizer({**table.table(), _DUMMY: listed_dummy(table, family.dummy_row(dummy) if family else dummy)})


def _beside_dummy(factor: UserRandomizer, dummy: Any, tells_more: bool | None) -> Iterable[PairTable]:
    """Return the tables of pairs, with the law of a dummy at the end of the others'."""
    family = factor.family
    if family is not None and family.pairs_by == "classes":
        return family.dummy_tables(dummy, tells_more)
    both = Bundles.of(_with_dummy(factor, dummy))
    bundles = replace(both, least=tuple(map(min, zip(*both.rows[:-1], strict=True))))
    distinct = list({both.rows[place]: place for place in reversed(range(len(factor.inputs)))}.values())[::-1]
    named = [factor.inputs[place] for place in distinct]
    pairs = permutations(named, 2) if len(named) > 1 else [(named[0], named[0])]
    return [bundles.pair(*pair, [*dict.fromkeys((*pair, *named)), _DUMMY]) for pair in pairs]


def _answers(table: Randomizer, of: Randomizer | None = None) -> Randomizer:
    """Return the table of which a user sends one message: the tuple of all messages, where not all rows send one.

    ``of`` says what is usual where the table has a dummy, which may send something else.
    """
    sends_one = all(len(send) == 1 for row in (of or table).rows for send, _ in row)
    if sends_one and of is None:
        return table
    rows: dict[Any, dict[tuple[Any, ...], Fraction]] = {}
    for value, row in zip(table.inputs, table.rows, strict=True):
        law = rows.setdefault(value, {})
        for send, p in row:
            sent = tuple(table.alphabet[message] for message in sorted(send))
            answer = (sent[0] if sends_one and len(sent) == 1 else sent,)
            law[answer] = law.get(answer, Fraction(0)) + p
    return Randomizer(rows)


def _choices(factor: UserRandomizer, dummy: Any, tells_more: bool | None) -> list[_Choice]:
    """Return pairs of different entries of each kind, and entries that two inputs share, of each kind."""
    family = factor.family
    if dummy is None:
        tables = tuple(every_pair_table(factor.tabulated)) if family is None else family.pair_tables()
        different = list(map(_Choice.of, tables))
    else:
        different = [_Choice.of(table, 1) for table in _beside_dummy(factor, dummy, tells_more)]
    if not different:  # all rows are equal, and tell nothing
        return [_Choice(factor.inputs[0], factor.inputs[0], (factor.inputs[0],), ((1, 1, 1, 1),), 1)]
    return [*different, *{one.first: one.shared() for one in reversed(different)}.values()]


def _alike(chosen: Sequence[_Choice]) -> list[list[int]]:
    """Return the places of each choice: these questions can be exchanged."""
    places: dict[int, list[int]] = {}
    for place, one in enumerate(chosen):
        places.setdefault(id(one), []).append(place)
    return list(places.values())


def _work(chosen: Sequence[_Choice]) -> int:
    """Return how many probabilities the classes of a pair have."""
    others = prod(comb(chosen[at[0]].kinds + len(at) - 1, len(at)) for at in _alike(chosen))
    return others * prod(len(one.vectors) for one in chosen)

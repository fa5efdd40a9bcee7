"""What a question is about, from its name: a randomizer file, a named protocol, or a noise law.

A name begins with ``@``, which may be left out: then a file of that name comes first, and stderr says so. Parameters
stand behind the name (:mod:`exactdp.protocols.naming.name_grammar`), or in options of the command line; the registry
(:mod:`exactdp.protocols.named_protocols`) says which there are, and what is made from them. What a file names is looked
for beside it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError, TooLargeError, meant
from exactdp.mechanisms.documents import NAME as STANDARD_INPUT
from exactdp.mechanisms.family import MAX_INPUTS, FamilyRandomizer, small_table
from exactdp.mechanisms.named_randomizers import EPS0, EXP_EPS0, RANDOMIZERS, Entry, Parameter, Value
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.mechanisms.randomizer_files import ClassEntry, read_class_entries, read_questions
from exactdp.numbers.exact import as_fraction, as_integer, function_call
from exactdp.numbers.formats import exact_text, short
from exactdp.protocols.named_protocols import NAMES, OPTIONS, find
from exactdp.protocols.naming.name_grammar import MAX_DEPTH, Named, inside, key_of, name_of, parse, parts_of
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_noise

if TYPE_CHECKING:
    from exactdp.protocols.interface import Protocol
    from exactdp.protocols.protocol import ShuffleProtocol
    from exactdp.protocols.user_classes_protocol import UserClassesProtocol

Files: TypeAlias = tuple[Path, ...]
"""Files that are being read, of which each names the next."""

_MOST_EPS0: Final = 1000
"""Above, e^eps0 is no number that anybody tells from infinity."""
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,15}")
"""A label that is the text of a number."""
_OF_OTHERS: Final = (Value.RANDOMIZER, Value.RANDOMIZERS)
"""Values that name other randomizers."""
_GRID_BITS: Final = 53
"""A rational e^eps0 in the place of an irrational one is a multiple of 2^-53."""


@dataclass(frozen=True, slots=True)
class ProtocolTarget:
    """A protocol of any number of users, and what the user calls it.

    ``table`` builds the randomizer, or refuses to; None if a user's messages are no finite table.
    """

    name: str
    table: Callable[[], Randomizer] | None
    build: Callable[[Any], Protocol]
    """Takes n, or of a shuffled randomizer the law of n."""
    family: FamilyRandomizer | None = None
    """What the randomizer is a member of, where it is known by its parameters."""
    rational: Callable[[], ProtocolTarget] | None = None
    """Makes the same with a rational e^eps0, where an eps0 is given whose e^eps0 is not."""

    def in_fractions(self) -> ProtocolTarget:
        """Return the target with rational probabilities: where an eps0 is given, with an e^eps0 just below."""
        return self if self.rational is None else self.rational()

    def randomizer(self) -> Randomizer | None:
        """Return the table, or None if there is none in exact numbers or it is too large."""
        try:
            return None if self.table is None else self.table()
        except (TooLargeError, InvalidValueError):
            return None

    @classmethod
    def of(cls, name: str, randomizer: Randomizer) -> ProtocolTarget:
        """The target of one randomizer."""
        return cls(name, lambda: randomizer, lambda n: _shuffled(randomizer, n))

    @classmethod
    def of_family(cls, name: str, family: FamilyRandomizer) -> ProtocolTarget:
        """The target of a family: its table where that is small."""
        randomizer = small_table(family)
        return cls(name, family.table, lambda n: _shuffled(randomizer, n), family)


@dataclass(frozen=True, slots=True)
class ClassesTarget:
    """Classes of users, of whom each runs a randomizer of his own, and what the user calls them."""

    name: str
    protocol: UserClassesProtocol
    entries: tuple[ClassEntry, ...]
    """What the file says of each class."""
    names: tuple[str | None, ...]
    """Of what each class runs the name with its parameters; None where a file says what it is."""

    @property
    def titles(self) -> list[str]:
        """Each class for reading."""
        away = ["" if one.participation == 1 else f" who take part with {one.participation}" for one in self.entries]
        names = [one.of if one.of.isprintable() else repr(one.of) for one in self.entries]
        return [f"{one.users} users of {name}{q}" for one, name, q in zip(self.entries, names, away, strict=True)]


def _shuffled(randomizer: Randomizer | FamilyRandomizer, n: Any) -> ShuffleProtocol:
    from exactdp.protocols.protocol import ShuffleProtocol

    return ShuffleProtocol(randomizer, n)


# --- What is read ---------------------------------------------------------------------------------------------------


def read_target(text: str, given: Mapping[str, str] | None = None, *, within: Files = ()) -> ProtocolTarget | NoiseLaw:
    """Return the randomizer of a file or of a named protocol with its parameters, or a noise law.

    Args:
        text: a file, or a name with parameters.
        given: further parameters as options, with their values as texts; that of a flag is empty.
        within: the files in which the text stands.
    """
    options, text = dict(given or {}), spelled(text, within)
    name = name_of(text)
    if not text.startswith("@"):
        if not os.path.lexists(_beside(text, within)) and (near := _meant(name)):
            raise InvalidValueError(f"{short(name)!r} is no file and no name. {near.rstrip()}")
        _refuse_options(text, options, ())
        return _of_file(text, within)
    entry, _ = known(name)
    _refuse_options(text, options, () if entry.law else entry.keys)
    if entry.law:
        return read_noise(text)
    typed = given_by_name(text)
    if both := [key for key in typed if f"--{key}" in options]:
        raise InvalidValueError(
            f"@{name} has the parameter {both[0]} in the name and as the option --{both[0]}. Leave out the option."
        )
    chosen = typed | {option.removeprefix("--"): value or "true" for option, value in options.items()}
    is_as_options = ":" not in text and all(f"--{key}" in OPTIONS for key in chosen)
    return _made(entry, chosen, is_as_options=is_as_options, within=within)


def read_classes(text: str, given: Mapping[str, str] | None = None, *, rational: bool = False) -> ClassesTarget | None:
    """Return the classes of users of a file; None where the text names something else.

    Where a class runs a published randomizer, whose inputs and messages are numbers, so are those of files, and beside
    a table its probabilities must be rational.

    Args:
        text: a file, or a name with parameters.
        given: parameters of names as options, which are refused.
        rational: whether probabilities must be rational; e^eps0 is rounded down where it is not.
    """
    if spelled(text).startswith("@") or (not os.path.lexists(text) and text != STANDARD_INPUT):
        return None
    entries = read_class_entries(text)
    if entries is None:
        return None
    from exactdp.protocols.user_classes_protocol import UserClassesProtocol

    _refuse_options(text, given or {}, ())
    within, names = (Path(text).resolve(),), list[str | None]()
    run = list[tuple[Randomizer | FamilyRandomizer, int]]()
    try:
        for number, entry in enumerate(entries):
            target, of = _nested(entry.of, within, rational), spelled(entry.of, within)
            is_named = of.startswith("@") and not file_in(known(name_of(of))[0], given_by_name(of), within)
            names.append(target.name if is_named else None)
            run.append((_randomizer_of(RANDOMIZERS["repeat"].by_name["of"], target), entry.users))
            if rational:
                entries[number] = replace(entry, of=target.name.removeprefix("@"))
    except ExactDPError as error:
        raise InvalidFileError(f"{text}: class {number}: {error}") from None
    if not rational and are_mixed([one for one, _ in run]):
        return read_classes(text, given, rational=True)
    users = [users for _, users in run]
    try:
        made = UserClassesProtocol(
            list(zip(labelled_alike([one for one, _ in run]), users, strict=True)),
            participation=[entry.participation for entry in entries],
        )
    except ExactDPError as error:
        raise InvalidFileError(f"{text}: class: {error}") from None
    return ClassesTarget(text, made, tuple(entries), tuple(names))


def are_mixed(run: Sequence[Randomizer | FamilyRandomizer]) -> bool:
    """Whether a table is beside a family with an irrational e^eps0, which is then rounded down."""
    families = [one.family for one in run if one.family is not None]
    return len(families) < len(run) and not all(one.is_rational for one in families)


def labelled_alike(run: Sequence[Randomizer | FamilyRandomizer]) -> list[Randomizer | FamilyRandomizer]:
    """Return what classes of users run, where one has numbers for labels with numbers in the tables of files too."""
    if all(isinstance(label, str) for one in run for label in one.inputs[:1]):
        return list(run)
    return [_numbered(one.tabulated) if one.family is None else one for one in run]


def read_randomizer(text: str, *, within: Files = (), rational: bool = False) -> Randomizer | FamilyRandomizer:
    """Return what one user runs, by a name or a file; ``rational`` as of :func:`read_classes`."""
    target = _nested(text, within, rational)
    if (made := _of_one_user(target)) is not None:
        return made
    raise InvalidValueError(
        f"{short(target.name)} is no randomizer of one user. Write one, as randomized-response:inputs=4,eps0=1, or a "
        "file."
    )


def _numbered(table: Randomizer) -> Randomizer:
    """Return the table of a file with numbers for labels, as published randomizers have them: 0 for "0"."""

    def number(label: Any) -> Any:
        return int(label) if isinstance(label, str) and _NUMBER.fullmatch(label) else label

    rows = table.table().items()
    return Randomizer({number(x): {tuple(map(number, sent)): p for sent, p in law.items()} for x, law in rows})


def known(name: str) -> tuple[Entry, str]:
    """Return what a name stands for, with the parameters that it says, or refuse it."""
    found = find(name)
    if found is None:
        raise InvalidValueError(
            f"{short('@' + name)!r} names nothing. {_meant(name)}`exactdp protocols` lists all names; a file has no @."
        )
    return found


def given_by_name(text: str) -> dict[str, str]:
    """Return the parameters that stand behind a name or are said by it, in the order of its entry, as texts."""
    entry, said = known(name_of(text))
    named = parse(text, how(entry))
    typed = _typed(entry, named)
    for key, value in _typed(entry, parse(f"{entry.name}:{said}")).items() if said else ():
        if key in typed:
            raise InvalidValueError(
                f"@{named.name} says {key}={value} itself. Leave out {key}, or write @{entry.name}."
            )
        typed[key] = value
    return {key: typed[key] for key in entry.keys if key in typed}


def _typed(entry: Entry, named: Named) -> dict[str, str]:
    """Return the texts of parameters, of which all are known."""
    keys = {key_of(key): key for key in entry.keys}
    typed: dict[str, str] = {}
    for key, value in named.given:
        is_flag = key in entry.by_name and entry.by_name[key].value is Value.FLAG
        if value is None and not is_flag:
            raise InvalidValueError(f"@{named.name} has the entry {short(key)!r} without a value. {how(entry)}")
        if key not in keys:
            raise InvalidValueError(f"@{named.name} has no parameter {short(key)!r}. {meant(key, keys)}{how(entry)}")
        typed[keys[key]] = "true" if value is None else value
    return typed


def how(entry: Entry) -> str:
    """Return how a name is written with its parameters."""
    return (
        f"Write {entry.usage}."
        if entry.usage == entry.example
        else f"Write {entry.usage}, for example {entry.example}."
    )


def _refuse_options(text: str, options: Mapping[str, str], keys: Sequence[str]) -> None:
    if superfluous := [option for option in OPTIONS if option in options and option.removeprefix("--") not in keys]:
        owners = _listed([f"@{name}" for name in OPTIONS[superfluous[0]].owners])
        raise InvalidValueError(
            f"{superfluous[0]} has no meaning for {short(text)}. Leave it out: it belongs to {owners}."
        )


def spelled(text: str, within: Files = ()) -> str:
    """Return the text with the @ that may be left out of a name; a file of that name comes first."""
    return f"@{text}" if _lacks_its_sign(text) and not os.path.lexists(_beside(text, within)) else text


def _beside(text: str, within: Files) -> str:
    """Return the path of a file that is named in a file, or by the user."""
    return str(within[-1].parent / text) if within else text


def _lacks_its_sign(text: str) -> bool:
    return not text.startswith("@") and name_of(text) in NAMES


def file_in(entry: Entry, given: Mapping[str, str], within: Files = ()) -> str | None:
    """Return the first file that the values of an entry's parameters name, also one within another name."""
    held = [text for key, text in given.items() if key in entry.by_name and entry.by_name[key].value in _OF_OTHERS]
    for name in (spelled(part, within) for text in held for part in parts_of(text)):
        found = file_in(known(name_of(name))[0], given_by_name(name), within) if name.startswith("@") else name
        if found:
            return found
    return None


def is_name_and_file(text: str) -> bool:
    """Whether a text without @ is a name, and is read as the file of this name that is there."""
    return _lacks_its_sign(text) and os.path.lexists(text)


def _meant(name: str) -> str:
    return meant(f"@{name}", [f"@{known}" for known in NAMES])


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


# --- What is made ---------------------------------------------------------------------------------------------------


def _of_file(text: str, within: Files, *, rational: bool = False) -> ProtocolTarget:
    """Return the randomizer of a file: a table, or a product of what the file names."""
    path = _beside(text, within)
    here = Path(path).resolve()
    if here in within:
        raise InvalidValueError(f"{short(text)} is a file that names this one, and would hold itself. Leave it out.")
    names = read_questions(path)
    if names is None:
        return ProtocolTarget.of(text, Randomizer.from_file(path))
    if len(within) == MAX_DEPTH:
        raise TooLargeError(f"{path} is named by more than {MAX_DEPTH - 1} files in turn. Use fewer.")
    place, factors = "", list[Randomizer | FamilyRandomizer]()
    try:
        for number, name in enumerate(names, start=1):
            place = f" of entry {number}:"
            target = _nested(name, (*within, here), rational)
            factors.append(_randomizer_of(RANDOMIZERS["product"].by_name["of"], target))
        place = ""
        made = _target(RANDOMIZERS["product"], text, {"factors": factors})
    except ExactDPError as error:
        raise InvalidFileError(f"{path}: product:{place} {error}") from None
    return made if rational else _rational_too(made, lambda: _of_file(text, within, rational=True))


def _made(
    entry: Entry, given: Mapping[str, str], *, is_as_options: bool, within: Files = (), rational: bool = False
) -> ProtocolTarget:
    """Return what an entry makes from the texts of its parameters."""
    chosen = with_exp_eps0(entry, given)
    for one in entry.needed:
        other = entry.instead(one.name)
        if one.name not in chosen and other not in chosen:
            _refuse_missing(entry, one, other, chosen, is_as_options=is_as_options)
        if one.name in chosen and other in chosen:
            raise InvalidValueError(f"@{entry.name} is given {one.name} and {other}. Leave out one of them.")
    values, texts = dict[str, Any](entry.fixed), dict[str, str]()
    for key, one in entry.by_name.items():
        if key in chosen or one.is_titled:
            values[one.argument], texts[key] = _value(one, chosen.get(key, one.default), within, rational)
    if is_as_options:
        title = _options_title(entry, texts)
    else:
        shown = {key: text for key, text in texts.items() if key in chosen}
        if EPS0.name in given and chosen[EXP_EPS0.name].startswith("exp("):
            shown = {EPS0.name if key == EXP_EPS0.name else key: text for key, text in shown.items()}
            shown[EPS0.name] = given[EPS0.name]
        title = f"@{Named(entry.name, tuple(shown.items()))}"
    target = _target(entry, title, {name: value for name, value in values.items() if value is not None})
    if EPS0.name in given and chosen[EXP_EPS0.name].startswith("exp("):
        below = with_exp_eps0(entry, given, rational=True)
        return replace(target, rational=lambda: _made(entry, below, is_as_options=False))
    if rational or not any(one.value in _OF_OTHERS for one in entry.parameters):
        return target
    return _rational_too(target, lambda: _made(entry, given, is_as_options=is_as_options, within=within, rational=True))


def _rational_too(target: ProtocolTarget, again: Callable[[], ProtocolTarget]) -> ProtocolTarget:
    """Return what is made of other randomizers; ``again`` makes it of those at a rational e^eps0."""
    return target if target.family is None or target.family.is_rational else replace(target, rational=again)


def _target(entry: Entry, title: str, values: dict[str, Any]) -> ProtocolTarget:
    if not entry.protocol:
        made = resolve_name(entry.randomizer)(**values)
        return (ProtocolTarget.of if isinstance(made, Randomizer) else ProtocolTarget.of_family)(title, made)
    build = resolve_name(entry.protocol)
    build(1, **values)  # refuses bad numbers at once
    table = None if not entry.randomizer else lambda: resolve_name(entry.randomizer)(**values)
    return ProtocolTarget(title, table, lambda n: build(n, **values))


def _options_title(entry: Entry, texts: Mapping[str, str]) -> str:
    """Return the name with its options, as 0.2.0 wrote it."""
    first = [key for key in texts if entry.by_name[key].is_titled]
    typed = [(key, texts[key]) for key in (*first, *(key for key in texts if key not in first))]
    flags = [key for key, one in entry.by_name.items() if one.value is Value.FLAG]
    return " ".join([f"@{entry.name}", *(f"--{key}" if key in flags else f"--{key} {text}" for key, text in typed)])


def _refuse_missing(entry: Entry, one: Parameter, other: str, given: Mapping[str, str], *, is_as_options: bool) -> None:
    """Say which parameter is missing, and how it is written in the form that was begun."""
    if not (given and is_as_options):
        either = f" or {other}" if other else ""
        raise InvalidValueError(f"@{entry.name} needs {one.name}{either}. {how(entry)}")
    either = f" or --{other}" if other and f"--{other}" in OPTIONS else ""
    example = " ".join(f"{need.option} {given.get(need.name, need.example)}" for need in entry.needed)
    raise InvalidValueError(f"@{entry.name} needs {one.option}{either}. Write @{entry.name} {example}.")


def _value(one: Parameter, text: str, within: Files, rational: bool) -> tuple[Any, str]:
    """Return the value of a parameter as its maker takes it, and the text by which it is shown."""
    if one.value is Value.FLAG:
        if text not in ("true", "false"):
            raise InvalidValueError(f"{one.name}={short(text)} is not true or false. Write {one.name}=true.")
        return (text == "true") or None, text
    if one.value in (Value.LAW, Value.RANDOMIZER, Value.RANDOMIZERS):
        held = inside(text)
        if held is None:
            raise InvalidValueError(
                f"{one.name}={short(text)} is not in parentheses. Write {one.name}={one.example}, without an @ inside."
            )
        if one.value is Value.RANDOMIZERS:
            if not held:
                raise InvalidValueError(f"{one.name}=() names no randomizer. Write {one.name}={one.example}.")
            targets = [_nested(part, within, rational) for part in parts_of(text)]
            shown = "; ".join(target.name.removeprefix("@") for target in targets)
            return [_randomizer_of(one, target) for target in targets], f"({shown})"
        if len(parts_of(text)) > 1:
            raise InvalidValueError(f"{one.name}={short(text)} is a list. Write one, as {one.name}={one.example}.")
        target = _nested(held, within, rational)
        shown = f"({target.name.removeprefix('@')})"
        return (_law_of(one, target) if one.value is Value.LAW else _randomizer_of(one, target)), shown
    if inside(text) is not None:
        raise InvalidValueError(
            f"{one.name}={short(text)} is in parentheses, and is {one.value.value}. Write {one.example}."
        )
    if one.value is Value.MEAN:
        from exactdp.laws.poisson import Poisson

        return Poisson(text), text
    if one.value is not Value.INTEGER:
        return text, text
    number = as_integer(text, name=one.name, at_least=one.least)
    if one.name == "inputs" and number > MAX_INPUTS:
        raise TooLargeError(f"inputs={short(number)} is more than the limit of {MAX_INPUTS} inputs. Use fewer.")
    return number, str(number) if one.is_titled else text


def _nested(text: str, within: Files, rational: bool) -> ProtocolTarget | NoiseLaw:
    """Return what a value names, with a rational e^eps0 where that is asked for."""
    target = read_target(text, within=within)
    return target.in_fractions() if rational and isinstance(target, ProtocolTarget) else target


def _law_of(one: Parameter, target: ProtocolTarget | NoiseLaw) -> Any:
    if isinstance(target, NoiseLaw):
        return target.on_integers
    raise InvalidValueError(f"{one.name}=({short(target.name)}) is no noise law. Write {one.name}={one.example}.")


def _randomizer_of(one: Parameter, target: ProtocolTarget | NoiseLaw) -> Randomizer | FamilyRandomizer:
    if (made := _of_one_user(target)) is not None:
        return made
    raise InvalidValueError(
        f"{one.name}=({short(target.name)}) is no randomizer of one user. Write {one.name}={one.example}."
    )


def _of_one_user(target: ProtocolTarget | NoiseLaw) -> Randomizer | FamilyRandomizer | None:
    if isinstance(target, ProtocolTarget) and target.family is not None:
        return target.family
    return target.table() if isinstance(target, ProtocolTarget) and target.table is not None else None


def with_exp_eps0(entry: Entry, given: Mapping[str, str], *, rational: bool = False) -> dict[str, str]:
    """Return the parameters with e^eps0 in the place of eps0.

    ``rational`` asks for the largest multiple of 2^-53 that is not above it, which some entries always need.
    """
    if EPS0.name not in given:
        return dict(given)
    if EXP_EPS0.name in given:
        raise InvalidValueError(f"@{entry.name} is given eps0 and exp-eps0. Leave out one of them: e^eps0 = exp(eps0).")
    text = given[EPS0.name]
    called = function_call(text)
    if called is not None and called[0] == "ln":
        power = exact_text(as_fraction(called[1], name="the argument of ln in eps0"))
    else:
        eps0 = as_fraction(text, name=EPS0.name)
        if eps0 < 0 or eps0 > _MOST_EPS0:
            raise InvalidValueError(f"eps0={short(eps0)} is not from 0 to {_MOST_EPS0}. Write eps0=1.")
        power = f"exp({exact_text(eps0)})" if eps0 else "1"
        if eps0 and (rational or entry.by_name[EXP_EPS0.name].value is Value.EXACT):
            power = exact_text(power_below(eps0))
    return {key: value for key, value in given.items() if key != EPS0.name} | {EXP_EPS0.name: power}


def power_below(eps0: Fraction) -> Fraction:
    """Return the largest multiple of 2^-53 that is at most e^eps0, of a rational eps0 above 0."""
    from exactdp.numbers.balls import enclose_real
    from exactdp.numbers.real import Real

    bits = 4 * _GRID_BITS
    while True:
        power = enclose_real(Real.exp(eps0), relative_bits=bits)
        low, high = (floor(end * 2**_GRID_BITS) for end in (power.lo, power.hi))
        if low == high:
            return Fraction(low, 2**_GRID_BITS)
        bits *= 2

"""The grid of a sweep, from a TOML file: every randomizer and noise law at every n, eps and delta.

    certify = true                        # certificates too; false unless said

    [[randomizer]]
    name = "binary"                       # the rows are called so; by default, what it is
    protocol = "randomized-response"      # a named protocol, or a randomizer file beside this one
    gamma = ["1/10", "1/5", "1/2"]        # its parameters: one value, or a list; or, behind the name, in its grammar:
                                          # "randomized-response:gamma=(1/10; 1/5; 1/2)"

    [[noise]]
    law = "@discrete-laplace"             # for a query that noise hides
    exp_eps = ["2", "exp(1/10)"]
    shift = [1, 2]                        # sensitivities of the query; 1 unless said

    [grid]
    users = [100, 200, "@binomial:n=1000,p=9/10"]
    eps = ["1/10", "1/4"]                 # asks for the least delta; so does exp_eps
    delta = ["1e-6"]                      # asks for the least eps
    neighbors = ["replace-one"]
    runs = [1, 10]                        # composed adaptively

Beside the parameters participation, absence and dummy say who may be away, each one value or a list, as in the shell.
A file with classes of users says itself how many there are; user_class = ["worst", 0, 1] says which are asked about.
Numbers are exact: integers, or text. What is wrong is refused before anything is computed, with its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Final

from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError, TooLargeError, nearest
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.documents import FloatText, expect_keys, parse_toml, read_at, read_text, refuse, shown
from exactdp.mechanisms.named_randomizers import EPS0, Value
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.epsilon import read_privacy_level
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, short
from exactdp.protocols.named_protocols import LAWS, MECHANISMS, NAMES, OPTIONS, find
from exactdp.protocols.naming.name_grammar import MAX_TEXT, key_of, name_of, parse, parts_of
from exactdp.protocols.naming.populations import few_enough, read_participants, with_absence
from exactdp.protocols.naming.targets import (
    ClassesTarget,
    ProtocolTarget,
    file_in,
    given_by_name,
    read_classes,
    read_target,
)
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_noise, read_shift
from exactdp.protocols.protocol import read_user_class
from exactdp.studies.sweep.sweep_question import (
    ASKED,
    AWAY,
    CLASSES,
    USER_CLASS,
    Question,
    Target,
    classes_text,
    table_text,
)

_TOP: Final = ("certify", "randomizer", "noise", "grid")
_AXES: Final = ("users", "eps", "exp_eps", "delta", "neighbors", "runs")
_NEIGHBORS: Final = tuple(relation.value for relation in (*Neighbors, Neighbors.REPLACE_BY_ZEROS))
_IN_A_LIST: Final = (Value.INTEGER, Value.EXACT, Value.REAL, Value.EPS, Value.MEAN)
"""What may stand in a list of values behind a name, as gamma=(1/10; 1/5)."""
_WORST: Final = "worst"
"""The class of users that is worst."""
_MOST_BYTES: Final = 2**20
"""Largest spec: a grid is short."""
_UNREADABLE: Final = "not readable as TOML: {}. Write numbers as short strings."
_MOST_QUESTIONS: Final = 10**7
"""Most questions of one sweep: their texts take some gigabytes."""


@dataclass(frozen=True, slots=True)
class Subject:
    """One randomizer or noise law at one choice of its parameters."""

    name: str
    kind: str
    subject: str
    options: tuple[tuple[str, str], ...]
    shift: str | None
    target: Target
    users: str | None = None
    """How many there are, where a file of classes says it."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """A grid of questions, and whether each answer is certified too.

    >>> sweep = read_sweep('''
    ... randomizer = [{name = "binary", protocol = "@randomized-response", gamma = ["1/10", "1/5"]}]
    ... grid = {users = [100, 1000], eps = ["1/2", 1]}
    ... ''')
    >>> len(sweep), next(iter(sweep))
    (8, ('binary', Question(kind='protocol', subject='@randomized-response', ..., at='1/2', ...)))
    """

    subjects: tuple[Subject, ...]
    users: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    """What is given, and at which number: ("eps", "1/2")."""
    neighbors: tuple[str, ...]
    runs: tuple[int, ...]
    certify: bool

    def __iter__(self) -> Iterator[tuple[str, Question]]:
        """Yield the name of what it is about and the question: those with the same profile one after another."""
        for one in self.subjects:
            for count, relation, runs, (asked, at) in product(*self._users(one), self.runs, self.levels):
                about = (one.kind, one.subject, one.options, count, asked, at)
                yield one.name, Question(*about, neighbors=relation, shift=one.shift, runs=runs)

    def __len__(self) -> int:
        each = (map(len, self._users(one)) for one in self.subjects)
        return sum(map(prod, each)) * len(self.runs) * len(self.levels)

    def _users(self, one: Subject) -> tuple[Sequence[str | None], Sequence[str | None]]:
        """Return the numbers of users and the neighbouring relations at which one is asked about."""
        if isinstance(one.target, NoiseLaw):
            return (None,), (None,)
        return self.users if one.users is None else (one.users,), self.neighbors


def read_sweep_file(path: str | Path) -> Sweep:
    """Return the sweep of a file; names of randomizer files are read from its directory on.

    Raises:
        InvalidFileError: for what cannot be read, with the file and the place in it.
        TooLargeError: for more than 10^7 questions.
    """
    text = read_text(path, limit=_MOST_BYTES)
    try:
        return read_sweep(text, folder=Path(path).parent)
    except TooLargeError as error:
        raise TooLargeError(f"{path}: {error}") from None
    except ExactDPError as error:
        raise InvalidFileError(f"{path}: {error}") from None


def read_sweep(text: str, *, folder: str | Path = ".") -> Sweep:
    """Return the sweep of a text; ``folder`` is where its randomizer files are."""
    try:
        data = parse_toml(text, unreadable=_UNREADABLE)
    except RecursionError as error:
        raise InvalidFileError(_UNREADABLE.format(error)) from None
    expect_keys(data, required=set(), allowed=_TOP, where="the file")
    certify = data.get("certify", False)
    if not isinstance(certify, bool):
        refuse("certify", f"is {shown(certify)}", "write certify = true, or leave it out")
    _check_size(data)
    subjects = [
        one
        for kind, read in (("randomizer", _randomizers), ("noise", _laws))
        for number, entry in enumerate(_entries(data, kind), start=1)
        for one in read(entry, f"[[{kind}]] {number}", Path(folder))
    ]
    if not subjects:
        refuse("the file", "has no [[randomizer]] and no [[noise]]", 'write [[randomizer]] and protocol = "@zsum"')
    sweep = _grid(data.get("grid"), tuple(subjects), certify)
    seen: set[str] = set()
    for one in subjects:
        known = repr((one.kind, one.subject, one.options, one.shift))
        if known in seen:
            refuse(one.name, "asks the same questions twice", "leave out what repeats: one entry, or one value")
        seen.add(known)
    return sweep


def _check_size(data: Mapping[str, Any]) -> None:
    """Refuse a grid of too many questions by the lengths of its lists, before any value is read."""
    grid = data.get("grid")
    lengths = {axis: _length(listed) for axis, listed in grid.items()} if isinstance(grid, dict) else {}
    noise, protocols = (
        sum(prod(map(_length, one.values())) for one in _entries(data, kind)) for kind in ("noise", "randomizer")
    )
    users, relations, runs = (lengths.get(axis, 1) for axis in ("users", "neighbors", "runs"))
    levels = sum(lengths.get(asked, 0) for asked in ASKED) or 1
    if (questions := (noise + protocols * users * relations) * runs * levels) > _MOST_QUESTIONS:
        raise TooLargeError(f"the grid has {questions} questions, above the limit of 10^7. Make several sweeps of it.")


def _length(value: Any) -> int:
    """Return how many values a key has; behind a name there may be lists too."""
    if isinstance(value, str):
        return prod(part.count(";") + 1 for part in value[:MAX_TEXT].split(","))
    return max(1, len(value)) if isinstance(value, list) else 1


# --- Randomizers and noise ------------------------------------------------------------------------------------------


def _entries(data: Mapping[str, Any], kind: str) -> list[dict[str, Any]]:
    entries = data.get(kind, [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        refuse(kind, "is no list of tables", f"write [[{kind}]], in two pairs of brackets, before each")
    return entries


def _randomizers(entry: dict[str, Any], where: str, folder: Path) -> Iterator[Subject]:
    """Yield a protocol at every choice of its parameters, and of who may be away."""
    given = {option: _values(entry[key], f"{where}, {key}") for option, key in AWAY.items() if key in entry}
    chosen = [tuple(zip(given, values, strict=True)) for values in product(*given.values())]
    for one in _all_present({key: value for key, value in entry.items() if f"--{key}" not in AWAY}, where, folder):
        for away in chosen:
            assert isinstance(one.target, ProtocolTarget)
            if away and one.users is not None:
                key = AWAY[away[0][0]]
                refuse(where, f"has {key} beside a file with classes", "participation is a key of each [[class]]")
            if away:
                read_at(where, with_absence, one.target.build(1), {AWAY[option]: value for option, value in away})
            yield replace(one, options=(*one.options, *away))


def _all_present(entry: dict[str, Any], where: str, folder: Path) -> Iterator[Subject]:
    protocol, name = _text(entry, "protocol", where, '"@randomized-response"'), _name(entry, where)
    given = {key: value for key, value in entry.items() if key not in ("name", "protocol")}
    if not protocol.startswith("@") and (find(name_of(protocol)) is None or (folder / protocol).exists()):
        if (classes := read_at(where, read_classes, str(folder / protocol))) is not None:
            yield from _classes(classes, given, where, name or protocol)
            return
        if given:
            refuse(where, f"has {shown(sorted(given)[0])} beside a file", "a file has no parameters: leave it out")
        randomizer = read_at(where, Randomizer.from_file, folder / protocol)
        yield Subject(
            name or protocol, "table", table_text(randomizer), (), None, ProtocolTarget.of(protocol, randomizer)
        )
        return
    found = find(name_of(protocol))
    if found is None or found[0].law:
        hint = "the protocols are " + ", ".join(f"@{known}" for known in MECHANISMS)
        if near := nearest(name_of(protocol), NAMES):
            hint = f"did you mean @{near[0]}" + (", a [[noise]]" if near[0] in LAWS else "")
        refuse(where, f"protocol = {shown(protocol)} names nothing", hint)
    known = found[0]
    called = f"@{name_of(protocol)}"
    for key, text in read_at(where, given_by_name, protocol).items():
        if key in map(key_of, given):
            refuse(where, f"has {key} in protocol and by itself", "leave out one of them")
        parts = parts_of(text) if known.by_name.get(key, EPS0).value in _IN_A_LIST else [text]
        is_flag = key in known.by_name and known.by_name[key].value is Value.FLAG
        given[key] = [part == "true" for part in parts] if is_flag else parts
    for key in given:
        if key_of(key) not in known.keys:
            keys = [one.replace("-", "_") for one in known.keys]
            near, takes = nearest(key, keys), ", ".join(keys) or "no parameters"
            hint = f"did you mean {near[0]}" if near else f"it takes {takes}"
            if key == "certify":
                hint = "it is for the whole sweep: write it above the first [[randomizer]]"
            refuse(where, f"has {shown(key)}, which {called} does not take", hint)
    protocol = f"@{known.name}"
    values = {_option(key): _chosen(_option(key), value, f"{where}, {key}") for key, value in given.items()}
    ordered = [f"--{key}" for key in known.keys if f"--{key}" in values]  # one order, however the entry is written
    for chosen in product(*(values[option] for option in ordered)):
        options = tuple((o, value) for o, value in zip(ordered, chosen, strict=True) if value != _NO)
        place = ", ".join([where, *(f"{o.removeprefix('--')} = {short(value)}" for o, value in options)])
        target = read_at(place, read_target, protocol, dict(options))
        if file := file_in(known, {o.removeprefix("--"): value for o, value in options}):
            refuse(place, f"names the file {shown(file)}", "a store knows a question by its text: write a name")
        yield Subject(name or protocol, "protocol", protocol, options, None, target)


def _classes(classes: ClassesTarget, given: dict[str, Any], where: str, name: str) -> Iterator[Subject]:
    """Yield classes of users of a file, and which of them the user who differs is of."""
    asked = _values(given.pop("user_class", _WORST), f"{where}, user_class")
    if given:
        hint = "beside a file with classes there is user_class alone: leave it out"
        refuse(where, f"has {shown(sorted(given)[0])} beside a file", hint)
    users = str(read_at(where, few_enough, classes.protocol.n))
    subject, protocol = read_at(where, classes_text, classes), classes.protocol
    target = ProtocolTarget(name, None, lambda n: protocol)
    for one in asked:
        if one != _WORST:
            read_at(f"{where}, user_class", read_user_class, one, len(classes.entries))
        yield Subject(name, CLASSES, subject, () if one == _WORST else ((USER_CLASS, one),), None, target, users)


def _laws(entry: dict[str, Any], where: str, folder: Path) -> Iterator[Subject]:
    """Yield a noise law at every choice of its parameters, and every sensitivity of the query."""
    law, name = _text(entry, "law", where, '"@poisson"'), _name(entry, where)
    if name_of(law) not in LAWS:
        near = nearest(name_of(law), LAWS)
        hint = f"did you mean @{near[0]}" if near else "the laws are " + ", ".join(f"@{known}" for known in LAWS)
        refuse(where, f"law = {shown(law)} names no law", hint)
    given = {key: value for key, value in entry.items() if key not in ("name", "law", "shift")}
    for key, text in read_at(where, parse, law).given:
        if key in map(key_of, given):
            refuse(where, f"has {key} in law and by itself", "leave out one of them")
        given[key] = parts_of(text or "")
    law = f"@{name_of(law)}"
    values = {key: _values(value, f"{where}, {key}") for key, value in given.items()}
    shifts = _values(entry.get("shift", 1), f"{where}, shift")
    for chosen in product(*values.values()):
        listed = ",".join(f"{key}={value}" for key, value in zip(values, chosen, strict=True))
        noise = read_at(where, read_noise, f"{law}:{listed}" if listed else law)
        for shift in shifts:
            read_at(f"{where}, shift", read_shift, shift, noise)
            yield Subject(name or law, "noise", canonical_law(noise), (), shift, noise)


def canonical_law(noise: NoiseLaw) -> str:
    """Return a law as it is read, the same text however it was written."""
    listed = ",".join(f"{key}={value}" for key, value in noise.parameters.items())
    return f"{noise.name.partition(':')[0]}:{listed}"


# --- The grid -------------------------------------------------------------------------------------------------------


def _grid(grid: Any, subjects: tuple[Subject, ...], certify: bool) -> Sweep:
    if not isinstance(grid, dict):
        refuse("the file", "has no [grid]", 'write [grid], users = [100, 1000] and eps = ["1/2", "1"]')
    expect_keys(grid, required=set(), allowed=_AXES, where="[grid]")
    protocols = [one.target for one in subjects if isinstance(one.target, ProtocolTarget) and one.users is None]
    axes = {axis: _values(grid[axis], f"[grid], {axis}") for axis in _AXES if axis in grid}
    if protocols and "users" not in axes:
        refuse("[grid]", "lacks users", "write users = [100, 1000]")
    if not protocols and "users" in axes and (said := [one for one in subjects if one.users is not None]):
        refuse("[grid]", f"has users, but {said[0].name} says itself that they are {said[0].users}", "leave it out")
    strict = sorted(protocols, key=lambda target: target.table is not None)[:1]  # one without a table takes fewer laws
    users = [_users(count, target) for count in axes.get("users", ()) for target in strict]
    levels = [(asked, _level(asked, at)) for asked in ASKED for at in axes.get(asked, ())]
    if not levels:
        refuse("[grid]", "has neither eps nor delta", 'write eps = ["1/2", "1"], or delta = ["1e-6"]')
    relations = axes.get("neighbors", [_NEIGHBORS[0]])
    for relation in relations:
        if relation not in _NEIGHBORS:
            near = nearest(relation, _NEIGHBORS)
            hint = f"did you mean {near[0]}" if near else f"write {' or '.join(_NEIGHBORS)}"
            refuse("[grid], neighbors", f"has {shown(relation)}", hint)
    runs = [read_at("[grid], runs", as_integer, k, name="runs", at_least=1) for k in axes.get("runs", ["1"])]
    for axis, listed in (("users", users), ("eps or delta", levels), ("neighbors", relations), ("runs", runs)):
        _once(listed, f"[grid], {axis}")
    return Sweep(subjects, tuple(users), tuple(levels), tuple(relations), tuple(runs), certify)


def _users(text: str, target: ProtocolTarget) -> str:
    """Return the canonical text of a number of users, or of the law of how many take part."""
    users = read_at("[grid], users", read_participants, text, target)
    return str(users) if isinstance(users, int) else canonical_law(users)


def _level(asked: str, text: str) -> str:
    """Return the canonical text of an eps, e^eps or delta."""

    def read() -> Fraction:
        if asked == "delta":
            return as_probability(text, name="delta")
        value = as_fraction(text, name=asked)
        read_privacy_level(**{"eps": None, "exp_eps": None, asked: value})
        return value

    return exact_text(read_at(f"[grid], {asked}", read))


# --- Values and refusals --------------------------------------------------------------------------------------------

_NO: Final = "\0"
"""A flag that is false: the option is left out."""


def _chosen(option: str, value: Any, where: str) -> list[str]:
    """Return the values of an option as texts: of a flag "" for true, which is given without a value."""
    if option not in OPTIONS or OPTIONS[option].letter is not None:
        return _values(value, where)
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(isinstance(one, bool) for one in listed):
        refuse(where, f"has {shown(value)}", "write true or false")
    _once(listed, where)
    return ["" if one else _NO for one in listed]


def _values(value: Any, where: str) -> list[str]:
    """Return a value or a list of values as texts: exact numbers in lowest terms, other text as it stands."""
    listed = value if isinstance(value, list) else [value]
    if not listed:
        refuse(where, "is an empty list", "write at least one value, or leave the key out")
    texts = [_value(one, where) for one in listed]
    _once(texts, where)
    return texts


def _once(values: Sequence[Any], where: str) -> None:
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            refuse(where, f"has {shown(value)} twice", "leave out one of them")
        seen.add(value)


def _value(value: Any, where: str) -> str:
    if isinstance(value, FloatText):
        refuse(where, f"has the float {short(str(value))}", f'write it as text: "{short(str(value))}"')
    if isinstance(value, bool):
        refuse(where, f"has {str(value).lower()}", 'write numbers or text: 100, "1/2"')
    if isinstance(value, int):
        return exact_text(value)
    if not isinstance(value, str):
        refuse(where, f"has {shown(value)}", 'write numbers or text: 100, "1/2"')
    text = value.strip()
    try:
        return exact_text(as_fraction(text, name="value"))
    except (InvalidValueError, TooLargeError):
        return text  # exp(1/2), a law, a word: read where its meaning is known


def _option(key: str) -> str:
    return "--" + key_of(key)


def _name(entry: Mapping[str, Any], where: str) -> str | None:
    return _text(entry, "name", where, '"binary"') if "name" in entry else None


def _text(entry: Mapping[str, Any], key: str, where: str, example: str) -> str:
    if key not in entry:
        near = nearest(key, entry)
        hint = f"did you mean it by {near[0]}" if near else f"write {key} = {example}"
        refuse(where, f"lacks {key}", hint)
    value = entry[key]
    if not isinstance(value, str) or isinstance(value, FloatText) or not value.strip():
        refuse(where, f"has {key} = {shown(value)}", f"write text: {key} = {example}")
    return value.strip()

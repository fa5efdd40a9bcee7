"""Deployments from TOML files: ``TEMPLATE`` shows every key, and docs/deployments.md says what each means.

Nothing is guessed: what is missing, unknown or misspelt is refused in one line with the number of the line, the key,
the reason and the repair. Numbers are exact, integers or text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from exactdp.errors import ExactDPError, InvalidFileError, nearest
from exactdp.mechanisms.absence_family import HIDDEN
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.documents import FloatText, parse_toml, read_at, read_text, refuse, shown
from exactdp.mechanisms.family import UserRandomizer, small_table
from exactdp.numbers.exact import as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.protocols.naming.populations import read_dummy
from exactdp.protocols.naming.targets import are_mixed, labelled_alike, read_randomizer
from exactdp.studies.deployment.deployment import (
    ALWAYS,
    MODELS,
    NEIGHBORS,
    SHUFFLINGS,
    UNITS,
    Deployment,
    Participation,
    Question,
    Release,
    UserClass,
    WholeProtocol,
    check_absence,
    check_mixing,
    read_budget,
    read_delta,
)

TEMPLATE: Final = """\
# A deployment: who is asked what, how often, and what is promised. One command says what the whole gives away:
#   exactdp audit FILE
# and one writes the certificates, the answer and a page to read:
#   exactdp audit FILE --output FOLDER
# Numbers are exact: integers, or text as "9/10", "0.9" and "1e-7".

name = "Telemetry, a year of weeks"
delta = "1e-7"                          # of the whole
unit = "person"                         # all that one person ever sends is replaced; or "round": what he sends in one
# honest = "1"                          # the share of all people who follow the protocol, on whom alone is counted
# neighbors = "replace-by-zeros"        # of sums: one vector is zeros in one of the data sets, flipped like all others
# source = "https://..."                # where it says what is deployed and promised

[budget]                                # optional: the eps that is promised for the whole
eps = "1"

[[class]]                               # who: people with the same client; which class somebody is of is public
name = "v1"
n = 200_000
# honest = "19/20"                      # of this class

[[class]]
name = "v2"
n = 100_000

[participation]                         # one coin for each person and round, shared by all questions of the round
model = "counted"                       # always; counted: how many messages there are is seen; listed: who takes part
                                        # is public; hidden: who is away sends a dummy
probability = "9/10"                    # with counted, listed and hidden
# dummy = "uniform"                     # with hidden; or "input:0", the answer of that input; or of one question there

[[question]]
name = "search engine"
randomizer = "rappor:inputs=20,eps0=2"  # for all: a name with its parameters, or a randomizer file beside this one

[[question]]
name = "start page"
randomizer = { v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }

[[question]]                            # or protocol = "sample-and-threshold:rate=1/8,threshold=20": of all together
name = "language"
randomizer = "rappor:inputs=20,eps0=2"

[[question]]
name = "region"
randomizer = "rappor:inputs=20,eps0=2"

[[question]]
name = "device"
randomizer = "rappor:inputs=20,eps0=2"

[[release]]                             # several compose
questions = ["search engine", "start page", "language", "region", "device"]
as = "separate"                         # each question shuffled by itself; or "together": one message; or "sums"
times = 52                              # rounds: the same people, whose answers may change; later rounds may depend on
                                        # what was seen
# eps = "1"                             # what is promised for this release alone
"""
"""A valid file that shows every key; FILE stands for its name, FOLDER for that of the answers."""


def _either(known: Sequence[str]) -> str:
    return " or ".join(f'"{one}"' for one in known)


_TOP: Final = (
    "name",
    "delta",
    "unit",
    "honest",
    "neighbors",
    "source",
    "budget",
    "class",
    "participation",
    "question",
    "release",
)
_REPAIRS: Final = {
    "name": 'write name = "..."',
    "delta": 'write delta = "1e-7", of the whole',
    "unit": 'write unit = "person" or unit = "round"',
    "class": "write [[class]] with name and n before each class of people",
    "participation": f"write [participation] and model = {_either(MODELS)}",
    "question": "write [[question]] with name and randomizer before each question",
    "release": "write [[release]] with questions, as and times before each release",
    "n": "write n = 200_000, the number of people",
    "model": f"write model = {_either(MODELS)}",
    "probability": 'write probability = "9/10", that somebody takes part in a round',
    "randomizer": 'write randomizer = "rappor:inputs=20,eps0=2", or a table with one for each class',
    "questions": 'write questions = ["search engine"], the names of what is asked in a round',
    "as": f"write as = {_either(SHUFFLINGS)}",
    "times": "write times = 52, the number of rounds",
    "eps": 'write eps = "1"',
    "dummy": 'write dummy = "uniform" in [participation], or in each question',
}
"""Key -> what repairs a file without it."""

_MOST_BYTES: Final = 2**20
"""Largest file: a deployment is short."""

Step = str | int
Place = tuple[Step, ...]
Read = TypeVar("Read")

_HEADER: Final = re.compile(r"\s*(\[\[?)([^\[\]]+)\]")
_KEY: Final = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*[=.]""")
_FENCES: Final = ('"""', "'''")


def read_deployment(path: str | Path) -> Deployment:
    """Return the deployment of a TOML file; files of randomizers are named from its directory on.

    Raises:
        InvalidFileError: for what cannot be read, with the file, the line, the key and the repair.
    """
    text = read_text(path, limit=_MOST_BYTES)
    try:
        return _Reader(_Lines.of(text), Path(path).resolve()).deployment(parse_toml(text))
    except (ExactDPError, RecursionError) as error:
        reason = "it is nested too deeply." if isinstance(error, RecursionError) else str(error)
        raise InvalidFileError(f"{path}: {reason}") from None


def read_run(specs: Sequence[str], *, within: tuple[Path, ...] = ()) -> list[UserRandomizer]:
    """Return what the people of each class run: a small table as a table where all run the same, as of one name.

    Args:
        specs: names with parameters, and files.
        within: the file that names them.
    """
    run = [read_randomizer(spec, within=within) for spec in specs]
    if are_mixed(run):
        run = [read_randomizer(spec, within=within, rational=True) for spec in specs]
    if len(set(specs)) == 1 and run[0].family is not None:
        return [small_table(run[0].family)] * len(specs)
    return list(labelled_alike(run))


@dataclass(frozen=True, slots=True)
class _Lines:
    """In which line of a text each key is: ("class", 1, "n") is n of the second class."""

    first: Mapping[Place, int]

    @classmethod
    def of(cls, text: str) -> _Lines:
        """Return the lines of keys and headers as they are usually written; what stands inside a value has its line."""
        found: dict[Place, int] = {}
        counts: dict[str, int] = {}
        here: Place = ()
        fence = ""
        depth = 0
        for number, line in enumerate(text.splitlines(), start=1):
            if fence:
                fence = "" if fence in line else fence
                continue
            plain = re.sub(r'"(?:\\.|[^"\\])*"' + r"|'[^']*'", '""', line).partition("#")[0]
            if not depth and (header := _HEADER.match(line)):
                steps = [_unquoted(step) for step in header[2].split(".")]
                if header[1] == "[[":
                    counts[steps[0]] = counts.get(steps[0], -1) + 1
                here = tuple(part for step in steps for part in ((step, counts[step]) if step in counts else (step,)))
                found.setdefault(here, number)
                found.setdefault(here[:1], number)
                continue
            if not depth and (key := _KEY.match(line)):
                found.setdefault((*here, _unquoted(key[1])), number)
            fence = next((one for one in _FENCES if line.count(one) % 2), "")
            depth += 0 if fence else sum(map(plain.count, "[{")) - sum(map(plain.count, "]}"))
        return cls(found)

    def of_key(self, path: Place) -> int:
        """Return the line of a key, or of what it stands in."""
        return next((self.first[path[:k]] for k in range(len(path), 0, -1) if path[:k] in self.first), 1)


def _unquoted(step: str) -> str:
    return step.strip().strip("\"'")


@dataclass(frozen=True, slots=True)
class _Reader:
    """What is read of one file."""

    lines: _Lines
    path: Path

    def deployment(self, data: Mapping[str, Any]) -> Deployment:
        self.check_keys(data, (), _TOP, ("name", "delta", "unit", "class", "participation", "question", "release"))
        name = self.text(data, (), "name")
        delta = self.number(data, (), "delta", read_delta)
        unit = self.choice(data, (), "unit", UNITS)
        budget = None
        if "budget" in data:
            self.check_keys(data["budget"], ("budget",), ("eps",), ("eps",))
            budget = self.number(data["budget"], ("budget",), "eps", read_budget)
        honest = self.number(data, (), "honest", _honest) if "honest" in data else 1
        classes = [self.user_class(one, at, honest) for one, at in self.tables(data, "class")]
        self.check_names([one.name for one in classes], "class")
        participation, dummy = self.participation(data["participation"])
        questions = [self.question(one, at, classes, participation, dummy) for one, at in self.tables(data, "question")]
        self.check_names([one.name for one in questions], "question")
        releases = [self.release(one, at, questions) for one, at in self.tables(data, "release")]
        asked = {one for release in releases for one in release.questions}
        for number, question in enumerate(questions):
            if question.name not in asked:
                self.refuse(("question", number, "name"), "is asked in no release", "name it in one, or leave it out")
        source = self.text(data, (), "source") if "source" in data else ""
        parts = [classes, participation, questions, releases, source]
        if "neighbors" in data:
            parts.append(Neighbors(self.choice(data, (), "neighbors", NEIGHBORS)))
        return self.at(("neighbors",)[: len(parts) - 5], Deployment, name, delta, unit, budget, *parts)

    def user_class(self, data: Mapping[str, Any], at: Place, honest: Any) -> UserClass:
        self.check_keys(data, at, ("name", "n", "honest"), ("name", "n"))
        name, n = self.text(data, at, "name"), self.number(data, at, "n", _people)
        share = self.number(data, at, "honest", _honest) if "honest" in data else honest
        return self.at((*at, "n"), UserClass, name, n, share)

    def participation(self, data: Any) -> tuple[Participation, Any]:
        at: Place = ("participation",)
        self.check_keys(data, at, ("model", "probability", "dummy"), ("model",))
        model = self.choice(data, at, "model", MODELS)
        if model != ALWAYS and "probability" not in data:
            self.refuse((*at, "probability"), f"is missing beside model = {model}", _REPAIRS["probability"])
        if model != HIDDEN and "dummy" in data:
            self.refuse((*at, "dummy"), f"is given beside model = {model}, where nobody sends one", "leave it out")
        probability = self.number(data, at, "probability", _honest) if "probability" in data else 1
        dummy = self.text(data, at, "dummy") if "dummy" in data else None
        return self.at((*at, "probability"), Participation, model, probability), dummy

    def question(
        self,
        data: Mapping[str, Any],
        at: Place,
        classes: Sequence[UserClass],
        participation: Participation,
        dummy: str | None,
    ) -> Question:
        runs = "protocol" if "protocol" in data else "randomizer"
        self.check_keys(data, at, ("name", "randomizer", "protocol", "inputs", "dummy"), ("name", runs))
        name, where = self.text(data, at, "name"), (*at, runs)
        run: Sequence[Any]
        if runs == "protocol":
            if "randomizer" in data:
                self.refuse(where, "is given beside randomizer", "keep one of them")
            specs = [self.text(data, at, runs)] * len(classes)
            run = [self.at(where, WholeProtocol, specs[0])] * len(classes)
        else:
            specs = self.specs(data["randomizer"], where, [one.name for one in classes])
            run = self.at(where, read_run, specs, within=(self.path,))
        if "inputs" in data:
            inputs = self.number(data, at, "inputs", _inputs)
            for spec, one in zip(specs, run, strict=True):
                if len(one.inputs) != inputs:
                    self.refuse(
                        (*at, "inputs"),
                        f"is {inputs}, and {short(spec)} has {short(len(one.inputs))} inputs",
                        "let the randomizer and its question have the same inputs",
                    )
        question = self.at(where, Question, name, specs, run)
        if participation.model == HIDDEN:
            key = (*at, "dummy") if "dummy" in data else ("participation", "dummy")
            typed = self.text(data, at, "dummy") if "dummy" in data else dummy
            if typed is None:
                self.refuse((*at, "dummy"), "is missing, and who is away is hidden", _REPAIRS["dummy"])
            question = replace(question, dummy=self.at(key, read_dummy, run[0], typed))
            self.at(key, check_absence, question, participation)
        elif "dummy" in data:
            words = f"is given beside model = {participation.model}, where nobody sends one"
            self.refuse((*at, "dummy"), words, "leave it out")
        else:
            self.at(where, check_absence, question, participation)
        return question

    def specs(self, given: Any, at: Place, classes: Sequence[str]) -> list[str]:
        """Return for each class the text of what its people run."""
        if isinstance(given, str) and not isinstance(given, FloatText):
            if not given.strip():
                self.refuse(at, "is empty", _REPAIRS["randomizer"])
            return [given.strip()] * len(classes)
        if not isinstance(given, Mapping):
            self.refuse(at, f"is {shown(given)}, no text and no table", _REPAIRS["randomizer"])
        if unknown := [key for key in given if key not in classes]:
            near = nearest(unknown[0], classes)
            hint = f"did you mean {near[0]}" if near else f"the classes are {', '.join(classes)}"
            self.refuse((*at, unknown[0]), f"names {shown(unknown[0])}, which is no class", hint)
        if missing := [name for name in classes if name not in given]:
            self.refuse(at, f"has none for the class {missing[0]}", f'add {missing[0]} = "rappor:inputs=20,eps0=2"')
        return [self.text(given, at, name) for name in classes]

    def release(self, data: Mapping[str, Any], at: Place, questions: Sequence[Question]) -> Release:
        self.check_keys(data, at, ("questions", "as", "times", "eps"), ("questions", "as", "times"))
        asked, where, known = data["questions"], (*at, "questions"), [one.name for one in questions]
        if not isinstance(asked, list) or not asked or not all(_is_text(name) for name in asked):
            self.refuse(where, f"is {shown(asked)}, no list of names", _REPAIRS["questions"])
        for name in asked:
            if name not in known:
                near = nearest(name, known)
                hint = f"did you mean {near[0]}" if near else f"the questions are {', '.join(known)}"
                self.refuse(where, f"names {shown(name)}, which is no question", hint)
        shuffling = self.choice(data, at, "as", SHUFFLINGS)
        times = self.number(data, at, "times", _times)
        eps = self.number(data, at, "eps", read_budget) if "eps" in data else None
        release = self.at(where, Release, asked, shuffling, times, eps)
        self.at((*at, "as"), check_mixing, release, questions)
        return release

    # --- What every table needs -------------------------------------------------------------------------------------

    def tables(self, data: Mapping[str, Any], kind: str) -> list[tuple[Mapping[str, Any], Place]]:
        listed = data[kind]
        if not isinstance(listed, list) or not listed or not all(isinstance(one, Mapping) for one in listed):
            self.refuse((kind,), "is no list of tables", f"write [[{kind}]], in two pairs of brackets, before each")
        return [(one, (kind, number)) for number, one in enumerate(listed)]

    def check_keys(self, data: Any, at: Place, allowed: Sequence[str], required: Sequence[str]) -> None:
        if not isinstance(data, Mapping):
            self.refuse(at, f"is {shown(data)}, no table", f"write [{at[0]}] on a line, and below it its keys")
        for key in data:
            if key not in allowed:
                near = nearest(key, allowed)
                hint = f"did you mean {near[0]}" if near else f"the keys are {', '.join(allowed)}"
                if not at and key == "n":
                    hint = "write it in a [[class]], which also has a name"
                self.refuse((*at, key), "is no key here", hint)
        for key in required:
            if key not in data:
                self.refuse((*at, key), "is missing", _REPAIRS[key])

    def check_names(self, names: Sequence[str], kind: str) -> None:
        for number, name in enumerate(names):
            if name in names[:number]:
                self.refuse((kind, number, "name"), f"repeats {shown(name)}", f"give each {kind} a name of its own")

    def text(self, data: Mapping[str, Any], at: Place, key: str) -> str:
        value = data[key]
        if not _is_text(value):
            self.refuse((*at, key), f"is {shown(value)}, no text", f'write {key} = "..."')
        return str(value).strip()

    def choice(self, data: Mapping[str, Any], at: Place, key: str, known: Sequence[str]) -> str:
        value = data[key]
        if value not in known:
            near = nearest(value, known) if isinstance(value, str) else []
            hint = f"did you mean {near[0]}" if near else f"write {_either(known)}"
            self.refuse((*at, key), f"is {shown(value)}", hint)
        return str(value)

    def number(self, data: Mapping[str, Any], at: Place, key: str, read: Callable[[Any], Read]) -> Read:
        value = data[key]
        if isinstance(value, FloatText):
            text = short(str(value))
            self.refuse((*at, key), f"is the float {text}", f'write it as text: {key} = "{text}"')
        if isinstance(value, bool) or not isinstance(value, int | str):
            self.refuse((*at, key), f"is {shown(value)}, no number", 'write an integer or a text as "1/2"')
        return self.at((*at, key), read, value)

    def at(self, at: Place, read: Callable[..., Read], *given: Any, **named: Any) -> Read:
        """Return what is read, or refuse it with its place."""
        return read_at(self.place(at), read, *given, **named)

    def refuse(self, at: Place, what: str, repair: str) -> NoReturn:
        """Raise the error of a place in the file."""
        refuse(self.place(at), what, repair)

    def place(self, at: Place) -> str:
        """Return a place for reading: the line, the table and the key."""
        line = f"line {self.lines.of_key(at)}"
        if not at:
            return line
        if len(at) > 1 and isinstance(at[1], int):
            table, keys = f"[[{at[0]}]] {at[1] + 1}", at[2:]
        else:
            table, keys = (f"[{at[0]}]", at[1:]) if len(at) > 1 else ("", at)
        return ", ".join([line, *([table] if table else []), *(".".join(map(str, keys)) for _ in keys[:1])])


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not isinstance(value, FloatText) and bool(value.strip())


def _people(value: Any) -> int:
    return as_integer(value, name="n", at_least=1)


def _inputs(value: Any) -> int:
    return as_integer(value, name="inputs", at_least=2)


def _times(value: Any) -> int:
    return as_integer(value, name="times", at_least=1)


def _honest(value: Any) -> Any:
    return as_probability(value, name="the share")

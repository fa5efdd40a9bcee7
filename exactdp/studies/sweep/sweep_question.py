"""One question of a sweep, written down once: two texts are equal only if the questions are.

A question is about n users of a named protocol, of a randomizer's table, of classes with a randomizer each, or about a
query that noise hides; of one run or of many; and asks for the least delta at an eps, or for the least eps at a delta.
Its canonical text is JSON with sorted keys, numbers in lowest terms and nothing that depends on the machine: a worker
far away reads it, and a store knows by it what is answered.

>>> asked = Question("protocol", "@randomized-response", (("--gamma", "1/4"),), "1000", "eps", "1/2")
>>> asked.text
'{"asked":"eps","at":"1/2","kind":"protocol",...,"subject":"@randomized-response","users":"1000"}'
>>> Question.read(asked.text) == asked, asked.title
(True, '@randomized-response --gamma 1/4')
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, TypeAlias

from exactdp.errors import ExactDPError, InvalidFileError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.mechanisms.documents import refuse, shown
from exactdp.mechanisms.family import UserRandomizer
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.formats import exact_text
from exactdp.privacy.composition.composed import ComposedProfile
from exactdp.privacy.profile import PrivacyProfile
from exactdp.protocols.naming.populations import ABSENCE, read_participants, with_absence
from exactdp.protocols.naming.targets import ClassesTarget, ProtocolTarget, read_target
from exactdp.protocols.naming.typed_noise import NoiseLaw, read_shift
from exactdp.protocols.protocol import shift_profile
from exactdp.protocols.user_classes_protocol import UserClassesProtocol

Target: TypeAlias = ProtocolTarget | NoiseLaw

ASKED: Final = {"eps": "delta", "exp_eps": "delta", "delta": "eps"}
"""What is given -> what is asked for."""
AWAY: Final = {f"--{name}": name for name in ABSENCE}
"""The options that say who may be away."""
CLASSES: Final = "classes"
"""The kind of what is asked of users in classes."""
USER_CLASS: Final = "--user-class"
"""The option that says of which class the user who differs is; without it, of the worst."""
_KEPT_TARGETS: Final = 64
"""Protocols that a process keeps ready: neighbouring questions mostly have the same one."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question; numbers are exact text, as in the canonical form.

    Args:
        kind: "protocol", "table", "classes" or "noise".
        subject: the name of a protocol or a noise law with its parameters, or the rows of a table, or classes, as JSON.
        options: of a named protocol, in order; and of users who may be away, the last; of classes, which one is asked.
        users: their number, or the law of how many take part; None for noise.
        asked: "eps" or "exp_eps", at which the least delta is asked for, or "delta", at which the least eps is.
        at: the number that ``asked`` names.
        neighbors: which data sets are neighbours; None for noise.
        shift: the sensitivity of the query that noise hides; None for users.
        runs: how many runs together, at least 1.
    """

    kind: str
    subject: str
    options: tuple[tuple[str, str], ...]
    users: str | None
    asked: str
    at: str
    neighbors: str | None = Neighbors.REPLACE_ONE.value
    shift: str | None = None
    runs: int = 1

    @classmethod
    def read(cls, text: str) -> Question:
        """Return the question of a canonical text."""
        try:
            data: dict[str, Any] = json.loads(text)
            options = tuple((str(name), str(value)) for name, value in data.pop("options"))
            runs = int(data.pop("runs"))
            if data["asked"] not in ASKED or not all(isinstance(value, str | None) for value in data.values()):
                raise ValueError
            return cls(options=options, runs=runs, **data)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidFileError(f"{text[:60]!r} is no question of a sweep. Ask it by a spec again.") from None

    @property
    def text(self) -> str:
        """The canonical text."""
        data = {name: getattr(self, name) for name in _FIELDS} | {"runs": str(self.runs)}
        return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    @property
    def key(self) -> str:
        """What a store knows the question by: the SHA-256 of its canonical text."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def title(self) -> str:
        """What it is about, for reading; the rows of a table, and classes, are named by their hash."""
        subject = self.subject
        if self.is_of_file:
            subject = f"{self.kind} {sha256(subject.encode()).hexdigest()[:12]}"
        return " ".join([subject, *(f"{name} {value}".rstrip() for name, value in self.options)])

    @property
    def is_of_file(self) -> bool:
        """Whether its subject is what a file says, and no name."""
        return self.kind in ("table", CLASSES)

    @property
    def answer(self) -> str:
        """What is asked for: "delta" or "eps"."""
        return ASKED[self.asked]

    @property
    def about(self) -> tuple[object, ...]:
        """What the profile depends on that answers: questions with the same one belong together."""
        return self.kind, self.subject, self.options, self.users, self.neighbors, self.shift, self.runs

    @property
    def order(self) -> tuple[Any, ...]:
        """A key to sort by, the same everywhere: by what it is about, numbers by their size."""
        options = tuple((name, _ordered(value)) for name, value in self.options)
        users, shift = _ordered(self.users or ""), _ordered(self.shift or "")
        rest = (self.neighbors or "", shift, self.runs, users, self.asked, as_fraction(self.at, name=self.asked))
        return self.kind, self.subject, options, *rest

    def target(self) -> Target:
        """Return what it is about."""
        options = tuple(one for one in self.options if one[0] not in (*AWAY, USER_CLASS))
        return _target(self.kind, self.subject, options)

    @property
    def away(self) -> dict[str, str]:
        """Who may be away, as it is typed; empty where all users take part."""
        return {AWAY[name]: value for name, value in self.options if name in AWAY}

    @property
    def user_class(self) -> int | None:
        """The class of the user who differs; None for the worst, and where there are no classes."""
        return next((int(value) for name, value in self.options if name == USER_CLASS), None)

    def profile(self) -> PrivacyProfile | ComposedProfile:
        """Return the profile that answers.

        Raises:
            ExactDPError: where nothing answers: beyond a limit, or too few users for a theorem.
        """
        target = self.target()
        if isinstance(target, NoiseLaw):
            one = shift_profile(target.law, shift=read_shift(self.shift, target))
        else:
            users = read_participants(self.users or "", target)
            protocol = with_absence(target.build(users if isinstance(users, int) else users.law), self.away)
            which: dict[str, Any] = {} if self.user_class is None else {"user_class": self.user_class}
            one = protocol.privacy_profile(neighbors=Neighbors(self.neighbors), **which)
        return one if self.runs == 1 else one.compose(self.runs)


_FIELDS: Final = tuple(field.name for field in fields(Question))


def _ordered(text: str) -> tuple[bool, Fraction, str]:
    """Return a key by which numbers come first and by size."""
    try:
        return False, as_fraction(text, name="option"), ""
    except ExactDPError:
        return True, Fraction(0), text


@lru_cache(_KEPT_TARGETS)
def _target(kind: str, subject: str, options: tuple[tuple[str, str], ...]) -> Target:
    if kind == "table":
        return ProtocolTarget.of("table", _table(json.loads(subject)))
    if kind != CLASSES:
        return read_target(subject, dict(options))
    classes = json.loads(subject)
    run = [(_run_by(one["of"]), int(one["users"])) for one in classes]
    protocol = UserClassesProtocol(run, participation=[one["participation"] for one in classes])
    return ProtocolTarget("classes of users", None, lambda n: protocol)


def _run_by(of: Any) -> UserRandomizer:
    """Return what a class runs, from its name or its rows."""
    target = ProtocolTarget.of("table", _table(of)) if isinstance(of, list) else read_target(of)
    assert isinstance(target, ProtocolTarget)
    made = target.family or target.randomizer()
    assert made is not None
    return made


def _table(rows: Any) -> Randomizer:
    return Randomizer({row["input"]: {tuple(one["send"]): one["prob"] for one in row["messages"]} for row in rows})


def table_text(randomizer: Randomizer) -> str:
    """Return the table of a randomizer of a file as canonical JSON: its rows and messages in their order.

    >>> table_text(Randomizer({"a": {("0",): "1/2", (): "1/2"}}))
    '[{"input":"a","messages":[{"prob":"1/2","send":["0"]},{"prob":"1/2","send":[]}]}]'
    """
    return _json(_rows(randomizer))


def classes_text(target: ClassesTarget) -> str:
    """Return classes of users of a file as canonical JSON, which changes with what any class runs.

    Each has its users, how likely they take part, and what they run: the name of a randomizer, or the rows of a table.
    """
    each = []
    listed = zip(target.entries, target.names, target.protocol.randomizer, strict=True)
    for place, (entry, name, (randomizer, _)) in enumerate(listed):
        of: Any = name or _rows_of_texts(randomizer)
        if of is None:
            refuse(
                f"{target.name}: class {place}",
                f"has of = {shown(entry.of)}, which names files and is no table of texts",
                "a store knows a question by its text: write what it runs as a name without files",
            )
        each.append({"of": of, "users": str(entry.users), "participation": exact_text(entry.participation)})
    return _json(each)


def _rows_of_texts(randomizer: UserRandomizer) -> list[dict[str, Any]] | None:
    """Return the rows of a table whose labels are texts or numbers; None of what is no such table."""
    if not isinstance(randomizer, Randomizer):
        return None
    labels = (*randomizer.inputs, *randomizer.alphabet)
    return _rows(randomizer) if all(isinstance(label, str | int) for label in labels) else None


def _rows(randomizer: Randomizer) -> list[dict[str, Any]]:
    return [
        {
            "input": name,
            "messages": [{"send": list(sent), "prob": exact_text(weight)} for sent, weight in law.items()],
        }
        for name, law in randomizer.table().items()
    ]


def _json(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

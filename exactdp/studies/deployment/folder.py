"""The folder of an audit: what was found, as data, with a certificate of everything that claims can state.

    FOLDER/answer.json          the answer, and of each certificate its file, the id and the words of its claim
    FOLDER/certificates/*.json  re-checked by the checker, with nothing else
    FOLDER/index.html           the page, where a painter of it is given

*What has a certificate.* Each question asked once, whoever of one class differs. Where all classes run the same, and
everybody always takes part, a release over all its rounds, and several; where people may be away, one round of a
release of one question, or of all in one message. What a coin that questions share makes of several, and rounds of
people who may be away, are computed by the engine: no claim states the first, and a search for the second takes
minutes.

*Which number.* A claim is rational: the eps proved is the upper end rounded up, and the one refuted the lower end
rounded down; of many runs each is five per cent further out. A randomizer with an irrational e^eps0 is stated at a
rational number above it, which tells more, where eps is proved, and at one below it where it is refuted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from exactdp import Neighbors, __version__, compose, protocols
from exactdp.claims.certificate import Certificate
from exactdp.claims.certify import certify
from exactdp.claims.claim import Claim
from exactdp.claims.statement import Verdict
from exactdp.errors import ExactDPError, InvalidFileError
from exactdp.files.atomic_file import write_whole
from exactdp.mechanisms.absence_family import COUNTED, HIDDEN, LISTED
from exactdp.mechanisms.documents import parse_json, read_text
from exactdp.mechanisms.family import FamilyRandomizer, UserRandomizer
from exactdp.numbers.epsilon import LogRational, eps_json
from exactdp.numbers.exact import Exact
from exactdp.numbers.formats import exact_text
from exactdp.numbers.interval import Interval
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.protocols.protocol import ShuffleProtocol
from exactdp.studies.deployment.deployment import (
    ALWAYS,
    PERSON,
    ROUND,
    SUMS,
    TOGETHER,
    Deployment,
    Question,
    Release,
)

ANSWER: Final = "answer.json"
PAGE: Final = "index.html"
CERTIFICATES: Final = "certificates"
SCHEMA: Final = "exactdp-output-1"
"""As of all answers."""

_UP: Final = tuple(map(Fraction, ("1", "101/100", "21/20", "5/4")))
"""Shares of the upper end that are tried one after another, until one has a certificate."""
_DOWN: Final = tuple(map(Fraction, ("1", "99/100", "19/20", "4/5")))
_DIGITS: Final = 10**4
"""An eps is claimed to so much of itself."""
_WIDTH: Final = Fraction(1, 100)
"""Relative width of the eps of many runs that is claimed."""
_PARTS: Final = (1, 4, 10)
"""Twentieths of all rounds after which the eps of each class is shown, beside the first round and the last."""
_MOST_BYTES: Final = 2**24
"""Largest answer that is read again."""

Run = tuple[Any, int]
"""A protocol, and how often."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A certificate as an answer lists it."""

    file: str
    claim_id: str
    statement: str


Curve = Sequence[tuple[Fraction, LogRational | Interval]]
"""Of deltas, the least eps at each."""
Growth = Sequence[tuple[int, Sequence[LogRational | Interval]]]
"""Of numbers of rounds, the eps of each class after so many."""


UNLISTED: Final = Listed("", "", "")
"""Stands for what an answer does not list."""


def growth(audit: Any) -> Growth:
    """Return the eps of each class after some of the rounds; of several releases each has its share of them."""
    deployment: Deployment = audit.deployment
    last = max(one.times for one in deployment.releases)
    if deployment.unit == ROUND:
        classes = tuple(part.epsilon for part in audit.classes)
        return [(rounds, classes) for rounds in sorted({1, last})]
    asked = sorted({1, last, *(ceil(last * Fraction(part, 20)) for part in _PARTS)})
    parts = {part.profile: part for part in audit.classes}
    found = []
    for done, rounds in enumerate(asked, start=1):
        known = {
            profile: part.epsilon if rounds == last else part.after(Fraction(rounds, last))
            for profile, part in parts.items()
        }
        found.append((rounds, tuple(known[part.profile] for part in audit.classes)))
        report_progress(done, len(asked))
    return found


def answer_data(audit: Any, curve: Curve = ()) -> dict[str, Any]:
    """Return what an audit found, as JSON data."""
    deployment: Deployment = audit.deployment
    classes = zip(deployment.classes, audit.users, audit.classes, strict=True)
    return {
        "name": deployment.name,
        "delta": exact_text(audit.delta),
        "unit": deployment.unit,
        "neighbors": deployment.neighbors.value,
        "source": deployment.source,
        "n_counts": "users who follow the protocol",
        "participation": {
            "model": deployment.participation.model,
            "probability": exact_text(deployment.participation.probability),
        },
        "eps": eps_json(audit.epsilon),
        "level": level_of(audit.epsilon),
        "attained_by": audit.attained_by,
        "theorem": audit.theorem,
        "budget": None if deployment.budget is None else exact_text(deployment.budget),
        "budget_holds": audit.budget_holds,
        "releases": [
            {
                "questions": list(one.questions),
                "as": one.shuffling,
                "times": one.times,
                **_part(part),
                "promised": None if one.eps is None else exact_text(one.eps),
                "promise_holds": holds,
            }
            for one, part, holds in zip(deployment.releases, audit.releases, audit.promises_hold, strict=True)
        ],
        "questions": [
            {"randomizers": list(one.specs), **_part(part)}
            for one, part in zip(deployment.questions, audit.questions, strict=True)
        ],
        "classes": [
            {"n": one.n, "honest": exact_text(one.honest), "users": users, **_part(part)}
            for one, users, part in classes
        ],
        "curve": [{"delta": exact_text(delta), "eps": eps_json(eps)} for delta, eps in curve],
    }


def level_of(epsilon: LogRational | Interval) -> str:
    """Return what stands behind an eps of the engine."""
    return "exact" if isinstance(epsilon, LogRational) else "enclosure"


def _part(part: Any) -> dict[str, Any]:
    return {
        "name": part.name,
        "eps": eps_json(part.epsilon),
        "level": level_of(part.epsilon),
        "attained_by": part.attained_by,
        "theorem": part.theorem,
    }


# --- What claims can state ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a claim is about: runs of shuffled protocols, by randomizers that tell more, and by such that tell less."""

    about: str
    more: tuple[Run, ...]
    less: tuple[Run, ...]
    user_class: int | None = None
    neighbors: Neighbors = Neighbors.REPLACE_ONE

    def profile(self, runs: Sequence[Run]) -> tuple[Any, dict[str, Any]]:
        """Return the profile of runs, and how narrow its eps is asked."""
        (protocol, times), *others = runs
        if not others and times == 1:
            named: dict[str, Any] = {} if self.user_class is None else {"user_class": self.user_class}
            return protocol.privacy_profile(neighbors=self.neighbors, **named), {}
        parts = [each.privacy_profile().compose(k) for each, k in runs]
        return compose(*parts), {"relative_width": _WIDTH}

    def claim(self, runs: Sequence[Run], eps: Fraction, delta: Exact) -> Claim:
        (protocol, times), *others = runs
        if not others and times == 1:
            near, place = self.neighbors, self.user_class
            return Claim.shuffle_dp(protocol, eps=eps, delta=delta, neighbors=near, user_class=place)
        return Claim.composed(*runs, eps=eps, delta=delta)


def _subjects(deployment: Deployment) -> Iterator[_Subject | tuple[str, str]]:
    """Yield what claims may state, or why they do not; what else they do not state is refused where it is tried."""
    for question in deployment.questions:
        yield from _of_question(deployment, question)
    whole = list[tuple[tuple[Run, ...], tuple[Run, ...]]]()
    for release in deployment.releases:
        rounds = (1, release.times) if deployment.unit == PERSON else (1,)
        for times in sorted(set(rounds)):
            about = release.name if times == release.times else f"{', '.join(release.questions)}, one round"
            try:
                both = _runs(deployment, release, times)
            except ExactDPError as error:
                yield about, str(error)
                continue
            if both is not None:
                yield _Subject(about, *both)
                whole += [both] if times == release.times else []
    if deployment.unit == PERSON and len(whole) == len(deployment.releases) > 1:
        more, less = (tuple(run for both in whole for run in both[side]) for side in (0, 1))
        yield _Subject("the whole", more, less)


def _of_question(deployment: Deployment, question: Question) -> Iterator[_Subject | tuple[str, str]]:
    """Yield a question that is asked once, for each class of the person who differs."""
    way, users = deployment.participation.model, [one.users for one in deployment.classes]
    if question.is_protocol or deployment.mixing(question.name) == SUMS:
        first = question.randomizers[0]
        whole = first.at(sum(users)) if question.is_protocol else protocols.aggregate(first, sum(users))
        if question.is_protocol or deployment.by_zeros:
            yield _Subject(f"{question.name}, once", ((whole, 1),), ((whole, 1),), None, deployment.neighbors)
            return
        if not isinstance(whole, ShuffleProtocol):  # the sums of k-ary response are its shuffled view
            yield f"{question.name}, once", "No claim states sums in which a vector is replaced by another."
            return
    more, less = (_sides(question, up) for up in (True, False))
    names = [one.name for one in deployment.classes]
    if len(set(question.randomizers)) == 1:
        both = [((_shuffled(deployment, question, side[0], sum(users)), 1),) for side in (more, less)]
        yield _Subject(f"{question.name}, once", both[0], both[1])
        return
    if way != LISTED:
        try:
            whole = [((_of_classes(deployment, question, side, users), 1),) for side in (more, less)]
        except ExactDPError:
            whole = []  # of messages of which nothing in common is known: each class is told apart, and by itself
        if whole:
            for place, name in enumerate(names):
                yield _Subject(f"{question.name}, once, of {name}", whole[0], whole[1], place)
            return
    for place, name in enumerate(names):
        both = [((_shuffled(deployment, question, side[place], users[place]), 1),) for side in (more, less)]
        yield _Subject(f"{question.name}, once, {name} by itself", both[0], both[1])


def _runs(deployment: Deployment, release: Release, often: int) -> tuple[tuple[Run, ...], tuple[Run, ...]] | None:
    """Return so many rounds of a release as runs; None where they are no runs of shuffled randomizers."""
    asked = [deployment.question(name) for name in release.questions]
    if release.shuffling == SUMS or any(len(set(one.randomizers)) > 1 or one.is_protocol for one in asked):
        return None
    n = sum(one.users for one in deployment.classes)
    if deployment.participation.probability < 1 and (often > 1 or (len(asked) > 1 and release.shuffling != TOGETHER)):
        return None  # the questions of a round share a coin
    if release.shuffling == TOGETHER and len(asked) > 1:
        from exactdp.mechanisms.product_family import product, product_of

        dummy = tuple(one.dummy for one in asked) if deployment.participation.model == HIDDEN else None
        parts = ([_sides(one, up)[0] for one in asked] for up in (True, False))
        joint = [product(*each) if dummy is None else product_of(each) for each in parts]
        more, less = (((_protocol(deployment, one, n, dummy), often),) for one in joint)
        return more, less
    each = [tuple((_shuffled(deployment, one, _sides(one, up)[0], n), often) for one in asked) for up in (True, False)]
    return each[0], each[1]


def _sides(question: Question, up: bool) -> list[UserRandomizer]:
    """Return randomizers with rational probabilities that tell at least as much, or at most."""
    return [
        (one.at_least() if up else one.at_most()) if isinstance(one, FamilyRandomizer) else one
        for one in question.randomizers
    ]


def _shuffled(deployment: Deployment, question: Question, one: UserRandomizer, n: int) -> Any:
    return _protocol(deployment, one, n, question.dummy)


def _protocol(deployment: Deployment, one: UserRandomizer, n: int, dummy: Any) -> Any:
    way = deployment.participation
    if way.model == ALWAYS or way.probability == 1:
        return ShuffleProtocol(one, n)
    return ShuffleProtocol(one, n, participation=way.probability, absence=way.model, dummy=dummy)


def _of_classes(deployment: Deployment, question: Question, run: Sequence[UserRandomizer], users: Sequence[int]) -> Any:
    way, pairs = deployment.participation, tuple(zip(run, users, strict=True))
    absence = COUNTED if way.model == ALWAYS else way.model
    return ShuffleProtocol(pairs, participation=way.probability, absence=absence, dummy=question.dummy)


# --- Certificates ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Certified:
    """A certificate, and what it is about."""

    about: str
    end: str
    eps: Fraction
    certificate: Certificate


def _certificates(deployment: Deployment, delta: Fraction) -> tuple[list[_Certified], list[tuple[str, str]]]:
    """Return the certificates of a deployment, each claim once, and of what there is none with the reason."""
    found: dict[str, _Certified] = {}
    missing: list[tuple[str, str]] = []
    seen: dict[tuple[Any, ...], str] = {}
    subjects = list(_subjects(deployment))
    for done, subject in enumerate(subjects, start=1):
        if isinstance(subject, tuple):
            missing.append(subject)
            continue
        is_once = len(subject.more) == 1 and subject.more[0][1] == 1
        for end, runs, each in (("upper", subject.more, _UP), ("lower", subject.less, _DOWN)):
            shares = each if is_once else each[2:3]  # a search about many runs takes a minute
            key = (end, runs, subject.user_class)
            if key in seen:
                continue
            seen[key] = subject.about
            try:
                one = _certified(subject, end, runs, shares, delta)
            except ExactDPError as error:
                missing.append((f"{subject.about}, {end} end", str(error)))
                continue
            if isinstance(one, str):
                missing.append((f"{subject.about}, {end} end", one))
            else:
                found.setdefault(one.certificate.claim.digest(), one)
        report_progress(done, len(subjects))
    return list(found.values()), missing


def _certified(
    subject: _Subject, end: str, runs: Sequence[Run], shares: Sequence[Fraction], delta: Fraction
) -> _Certified | str:
    """Return the certificate of an end of eps, or why there is none."""
    profile, width = subject.profile(runs)
    eps = profile.epsilon(delta, **width)
    if isinstance(eps, LogRational):
        if eps.is_infinite:
            return "no eps is enough"
        eps = eps.enclose(53)
    is_upper = end == "upper"
    limit = eps.hi if is_upper else eps.lo
    if limit <= 0:
        return "eps is 0" if is_upper else "nothing is below eps = 0"
    reason = ""
    for share in shares:
        tried = _rounded(limit * share, up=is_upper)
        certificate = certify(subject.claim(runs, tried, delta))
        if certificate.witness is not None:
            wanted = Verdict.PROVED if is_upper else Verdict.REFUTED
            if certificate.verdict is wanted:
                return _Certified(subject.about, end, tried, certificate)
        reason = certificate.reason
    return reason


def _rounded(value: Fraction, *, up: bool) -> Fraction:
    """Return a fraction of few digits, not below or not above a positive one."""
    scale = Fraction(1)
    while value * scale < _DIGITS:
        scale *= 10
    scaled = value * scale
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    return Fraction(whole) / scale


# --- The folder -----------------------------------------------------------------------------------------------------


def save(
    audit: Any,
    folder: str | Path,
    *,
    page: Callable[[Any, Mapping[str, Any], Growth], str] | None = None,
    data: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the certificates of an audit, its answer, and its page; return the answer as data.

    Args:
        audit: of a deployment.
        folder: is made, or is empty.
        page: paints the page from the audit, its answer, and how eps grows; without it there is none.
        data: the answer, if it is there already.
        progress: is told how far each stage is.

    Raises:
        InvalidFileError: for a folder with something in it, and one that cannot be written.
    """
    target = new_folder(folder)
    with progress_callback(progress):
        answer = {"schema": SCHEMA, "version": __version__, "command": "audit", **(data or answer_data(audit))}
        grown = growth(audit)
        certificates, missing = _certificates(audit.deployment, audit.delta)
    entries, texts = [], {}
    for number, one in enumerate(certificates, start=1):
        name = f"{CERTIFICATES}/{number:02}-{_file_name(one.about)}-{one.end}.json"
        texts[name] = one.certificate.to_json()
        entries.append(_entry(name, one, texts[name]))
    answer["growth"] = [{"rounds": rounds, "eps": list(map(eps_json, classes))} for rounds, classes in grown]
    answer["certificates"] = entries
    answer["not_certified"] = [{"about": about, "reason": reason} for about, reason in missing]
    painted = None if page is None else page(audit, answer, grown)
    if painted is not None:
        texts[PAGE] = painted
    _write(target, {**texts, ANSWER: json.dumps(answer, indent=2) + "\n"})
    return answer


def _write(target: Path, texts: Mapping[str, str]) -> None:
    """Write all texts beside the folder, and only then into it: no part of them stands there for the whole."""
    whole = target.absolute()
    beside = whole.with_name(f".{whole.name}.partial")
    try:
        rmtree(beside, ignore_errors=True)
        (beside / CERTIFICATES).mkdir(parents=True)
        for name, text in texts.items():
            write_whole(beside / name, text)
        if whole.is_dir():
            for name in dict.fromkeys(name.partition("/")[0] for name in (CERTIFICATES, *texts)):
                (beside / name).rename(whole / name)
        else:
            beside.rename(whole)
    except OSError as error:
        raise InvalidFileError(f"{target} cannot be made: {error.strerror}. Name another folder.") from None
    finally:
        rmtree(beside, ignore_errors=True)


def new_folder(folder: str | Path) -> Path:
    """Return a folder that is empty, or that can be made; refuse any other."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InvalidFileError(f"{folder} is no folder. Name a new folder: --output audit.")
    if not target.exists() and not target.absolute().parent.is_dir():
        raise InvalidFileError(f"{folder} is in a folder that does not exist. Make it, or name another one.")
    if target.is_dir() and any(target.iterdir()):
        raise InvalidFileError(
            f"{folder} is not empty, and files of another audit are not mixed in. Name a new folder."
        )
    return target


def _entry(name: str, one: _Certified, text: str) -> dict[str, Any]:
    from exactdp.checker.documents import verify_text

    checked = verify_text(text)
    return {
        "file": name,
        "about": one.about,
        "end": one.end,
        "verdict": one.certificate.verdict.name,
        "eps": exact_text(one.eps),
        "claim_id": checked.claim_id,
        "statement": checked.words,
        "rests_on": list(checked.facts),
    }


def _file_name(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:60] or "claim"


def is_folder(path: str | Path) -> bool:
    """Whether a path is a folder with the answer of an audit."""
    return Path(path, ANSWER).is_file()


def listed(folder: str | Path) -> list[Listed]:
    """Return the certificates that the answer in a folder lists.

    Raises:
        InvalidFileError: where the answer is not one.
    """
    path = Path(folder, ANSWER)
    try:
        data = parse_json(read_text(path, limit=_MOST_BYTES))
        entries = [Listed(one["file"], one["claim_id"], one["statement"]) for one in data["certificates"]]
        if data["command"] != "audit":
            raise ValueError("the answer of another command")
    except (ExactDPError, ValueError, KeyError, TypeError, RecursionError):
        raise InvalidFileError(f"{path} is no answer of an audit. Write the folder again.") from None
    inner = re.compile(rf"{CERTIFICATES}/[a-z0-9-]+\.json")
    for one in entries:
        words = (one.file, one.claim_id, one.statement)
        if not all(isinstance(value, str) for value in words) or not inner.fullmatch(one.file):
            raise InvalidFileError(f"{path} is no answer of an audit. Write the folder again.")
    return entries

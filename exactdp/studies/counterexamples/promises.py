"""What somebody promises, as it is given: a formula, a function of Python, or rows of a table.

A formula is enclosed, so that its number is below another only where that is proved. A function is asked with floats
and answers with one, which is taken exactly as the number that it is. It is asked at floats that ask no more of it than
the question does: eps0 rounded up, delta and eps rounded down, so that what it promises there it promises here.

The process of a function
-------------------------

A function is called in a process of its own: a child that reads questions and writes answers, one a line, through
copies of its standard input and output, which are closed to everybody else there. What is printed goes nowhere. A call
that has no answer in time ends the child and all that it started, and another child takes its place; where the system
limits the memory of a process (Linux, macOS in part), a call that wants more fails like any other. An exception is a
promise of nothing at this point, and is told in one line.
"""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from math import inf, isfinite, nextafter
from threading import Timer
from typing import Any, Final

from exactdp.errors import HypothesisError, InvalidFileError, InvalidValueError, WorkersLostError
from exactdp.files.spreadsheets import read_cell
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import short
from exactdp.numbers.interval import Interval
from exactdp.numbers.real import Real
from exactdp.studies.counterexamples.comparison import ComparedProtocol, Promise
from exactdp.symbolic.formulas import read_condition, read_formula

GIVES: Final = ("eps", "delta")
"""What a promise gives, at the other one."""
SECONDS: Final = 10
"""Of a call."""
MEMORY: Final = 4 * 2**30
"""Bytes of the address space of a function's process."""
_SILENT: Final = 3
"""So many calls without an answer end the search."""
_BITS: Final = 80
_ZERO: Final = Fraction(0)
_MOST_ROWS: Final = 10_000


def at_of(gives: str) -> str:
    """Return the name of what a promise is made at."""
    if gives not in GIVES:
        raise InvalidValueError(f"gives={short(gives)!r} is no answer. Write eps, for eps at delta, or delta.")
    return "delta" if gives == "eps" else "eps"


def promised_by_formula(text: str, gives: str, where: Sequence[str] = ()) -> Promise:
    """Return what a formula promises in n, eps0, E = e^eps0 and delta, or eps, where all the conditions are proved.

    >>> from exactdp.studies.counterexamples.comparison import response_case
    >>> promise = promised_by_formula("eps0*sqrt(ln(1/delta)/n)", "eps")
    >>> promise.says(response_case(8, 2, Fraction(2)), Fraction(1, 1000))
    Interval[1.904260099, 1.904260100]
    """
    names = ("n", "eps0", "E", at_of(gives))
    conditions = [read_condition(condition, names) for condition in where]
    formula = read_formula(text, names)
    is_eps = gives == "eps"
    at_least_nothing = (formula.within("min", "eps0") if is_eps else formula).within("max", _ZERO)
    said = at_least_nothing.within("exp") if is_eps else at_least_nothing

    def says(case: ComparedProtocol, at: Fraction) -> Interval:
        given: dict[str, Fraction | Real] = {"n": Fraction(case.n), "E": case.exp_eps0, "eps0": Real.log(case.exp_eps0)}
        given[names[-1]] = at if is_eps else Real.log(at)
        if not all(condition.is_proved(given) for condition in conditions):
            raise HypothesisError(f"{case.label} is outside of the conditions. Pass another case.")
        value = said.enclose(given)
        if value is None:
            raise HypothesisError(f"{short(text)} has no finite value for {case.label}. Pass another case.")
        return value

    return Promise(text, not is_eps, says)


@dataclass(frozen=True, slots=True)
class StoredFormula:
    """A formula for eps at delta that stands in a theorem or in programs, and where it is promised."""

    text: str
    where: tuple[str, ...] = ()

    @property
    def promise(self) -> Promise:
        """What it promises."""
        return promised_by_formula(self.text, "eps", self.where)


_CLOSED_FORM: Final = "ln(1 + (E-1)/(E+1)*(8*sqrt(E*ln(4/delta)/n) + 8*E/n))"

FORMULAS: Final = {
    "sequential-shuffling": StoredFormula(
        "12*eps0*sqrt(ln(1/delta)/n)", ("n >= 1000", "0 < eps0 < 1/2", "0 < delta < 1/100")
    ),
    "clones-closed-in-words": StoredFormula(_CLOSED_FORM, ("eps0 <= ln(n/(16*ln(2/delta)))",)),
    "in-code-without-constant": StoredFormula("eps0*sqrt(ln(1/delta)/n)"),
    "in-code-without-root-of-E": StoredFormula("ln(1 + (E-1)/(E+1)*8*sqrt(2*ln(4/delta)/n))"),
    "in-code-without-delta": StoredFormula("E*sqrt(ln(n)/n)"),
    "in-code-without-condition": StoredFormula(_CLOSED_FORM),
}
"""Formulas for every eps0-DP randomizer, by name: two of theorems, and four that stand in programs."""


# --- Functions ------------------------------------------------------------------------------------------------------


def promised_by(
    name: str, gives: str, call: Callable[[int, float, float], Any], failures: list[str] | None = None
) -> Promise:
    """Return what ``call(n, eps0, delta)``, or ``call(n, eps0, eps)``, promises; None, infinity and NaN are nothing.

    ``failures`` are told of every exception, in one line.
    """
    is_eps = at_of(gives) == "delta"

    def says(case: ComparedProtocol, at: Fraction) -> Fraction | Interval:
        eps0 = LogRational(case.exp_eps0).enclose(_BITS)
        point = at if is_eps else LogRational(at).enclose(_BITS).lo
        asked = (case.n, _float(eps0.hi, up=True), _float(point, up=False))
        try:
            answer = call(*asked)
            value = answer if answer is None or isinstance(answer, int) else float(answer)
        except WorkersLostError:
            raise
        except Exception as error:  # noqa: BLE001  whatever a function does
            line = f"{error_line(error)} at ({', '.join(map(str, asked))})"
            if failures is not None:
                failures.append(line)
            raise HypothesisError(f"{name} failed: {line}. Pass another case.") from None
        if value is None or not isfinite(value):
            raise HypothesisError(f"{name} promises nothing for {case.label}. Pass another case.")
        return _power(Fraction(value), case.exp_eps0) if is_eps else max(_ZERO, Fraction(value))

    return Promise(name, not is_eps, says)


def error_line(error: BaseException) -> str:
    """Return an exception as one line."""
    if isinstance(error, _AnsweredError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200].removesuffix(": ")


def _float(value: Fraction, *, up: bool) -> float:
    near = float(value)
    if (Fraction(near) < value) if up else (Fraction(near) > value):
        return nextafter(near, inf if up else -inf)
    return near


class _AnsweredError(Exception):
    """What a function's process says of an exception."""


@dataclass(slots=True)
class CalledFunction:
    """``module:function``, called in a process of its own; a context that ends it."""

    name: str
    seconds: Fraction = Fraction(SECONDS)
    memory: int = MEMORY
    _child: subprocess.Popen[str] | None = None
    _silent: int = 0
    _is_late: bool = False

    def __post_init__(self) -> None:
        module, colon, function = self.name.partition(":")
        if not (colon and function.isidentifier() and all(part.isidentifier() for part in module.split("."))):
            raise InvalidValueError(
                f"{short(self.name)!r} names no function. Write module:function, with the module in this folder or "
                "installed."
            )

    def __enter__(self) -> CalledFunction:
        """Start the process; InvalidValueError where the function cannot be loaded there."""
        self._answer(None)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def __call__(self, *asked: float) -> Any:
        """Return what the function answers; an exception, of the function or of a call without an answer, is raised.

        WorkersLostError comes from the third call without an answer.
        """
        if self._child is None:
            self._answer(None)
        kind, value = self._answer(asked)
        if kind == "failed":
            raise _AnsweredError(value)
        return value if value is None or isinstance(value, int) else float.fromhex(value)

    def _answer(self, question: Sequence[float] | None) -> tuple[str, Any]:
        """Return what the child says to a question, or after it has started."""
        if question is None:
            self._child, self._is_late = self._started(), False
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        watch = Timer(float(self.seconds), self._end_late)
        watch.start()
        try:
            if question is not None:
                with suppress(BrokenPipeError):
                    child.stdin.write(json.dumps(question) + "\n")
                    child.stdin.flush()
            line = child.stdout.readline()
        finally:
            watch.cancel()
        if line.endswith("\n"):
            kind, value = json.loads(line)
            if kind == "load":
                self._end()
                raise InvalidValueError(
                    f"{self.name} cannot be loaded: {value}. Name a function that can be imported in this folder."
                )
            return kind, value
        self._end()
        self._silent += 1
        why = f"no answer in {short(self.seconds)} s" if self._is_late else "its process ended without an answer"
        if question is None or self._silent == _SILENT:
            when = "when it was loaded" if question is None else f"at {self._silent} calls"
            raise WorkersLostError(f"{self.name}: {why}, {when}. Let it return None where it promises nothing.")
        return "failed", why

    def _started(self) -> subprocess.Popen[str]:
        code = f"from {__name__} import serve; serve()"
        return subprocess.Popen(
            [sys.executable, "-c", code, self.name, str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def _end_late(self) -> None:
        self._is_late = True
        self._end(wait=False)

    def _end(self, *, wait: bool = True) -> None:
        child = self._child
        if child is None:
            return
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        child.kill()
        if wait:
            self._child = None
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()


def serve() -> None:
    """Answer questions about the function that the arguments name, until there are no more: the child's whole life."""
    name, memory = sys.argv[1], int(sys.argv[2])
    questions, answers = (os.fdopen(os.dup(number), mode) for number, mode in ((0, "r"), (1, "w")))
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nowhere, number)
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        module, function = name.split(":")
        call, answer = getattr(import_module(module), function), ["ready", None]
    except BaseException as error:  # noqa: BLE001  whatever a module does when it is loaded
        call, answer = None, ["load", error_line(error)]
    while True:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
        if not (question := questions.readline()) or call is None:
            break
        answer = _answered(call, json.loads(question))


def _answered(call: Callable[..., Any], asked: Sequence[float]) -> list[Any]:
    try:
        value = call(*asked)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return ["value", value]
        return ["value", float(value).hex()]
    except BaseException as error:  # noqa: BLE001  whatever a function does, SystemExit too
        return ["failed", error_line(error)]


# --- Rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PromisedRow:
    """A row of a table: that n users of an eps0-DP randomizer are (eps, delta)-DP."""

    n: int
    exp_eps0: Fraction
    said: Fraction | Interval
    """e^eps."""
    delta: Fraction
    line: int

    def __str__(self) -> str:
        return f"line {self.line}"

    @property
    def promise(self) -> Promise:
        """The promise of this row alone."""
        return Promise(str(self), False, lambda case, at: self.said)


def read_promises(path: str) -> list[PromisedRow]:
    """Return the promises of a CSV file, with columns n, eps0 or exp_eps0, delta, and eps or exp_eps; least first.

    Numbers are read exactly; e^eps0 of an eps0 is rounded down to a multiple of 2^-53, which asks less.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidFileError(f"{short(path)} cannot be read: {error_line(error)}. Name a CSV file.") from None
    rows = csv.DictReader(io.StringIO(text))
    heads = [read_cell(head).strip() for head in rows.fieldnames or ()]
    rows.fieldnames = heads
    for wanted in (("n",), ("eps0", "exp_eps0"), ("delta",), ("eps", "exp_eps")):
        if sum(name in heads for name in wanted) != 1:
            raise InvalidFileError(
                f"{short(path)} needs one column {' or '.join(wanted)}. Write a first line n,eps0,delta,eps."
            )
    read = []
    for row in rows:
        if rows.line_num - 1 > _MOST_ROWS:
            raise InvalidFileError(f"{short(path)} has more than {_MOST_ROWS} rows. Split it.")
        try:
            read.append(_row({name: read_cell(row[name] or "").strip() for name in heads}, rows.line_num))
        except InvalidValueError as error:
            raise InvalidFileError(f"{short(path)}, line {rows.line_num}: {error}") from None
    if not read:
        raise InvalidFileError(f"{short(path)} has no row. Write a promise a line below n,eps0,delta,eps.")
    return sorted(read, key=lambda row: (row.n, row.exp_eps0, -row.delta, row.line))


def _row(cells: Mapping[str, str], line: int) -> PromisedRow:
    from exactdp.protocols.naming.targets import power_below

    n = as_integer(as_fraction(cells["n"], name="n"), name="n", at_least=1)
    if "exp_eps0" in cells:
        exp_eps0 = as_fraction(cells["exp_eps0"], name="exp_eps0")
    else:
        eps0 = as_fraction(cells["eps0"], name="eps0")
        exp_eps0 = power_below(eps0) if eps0 > 0 else Fraction(1)
    if exp_eps0 <= 1:
        raise InvalidValueError(f"e^eps0={short(exp_eps0)} is not above 1. Leave the row out.")
    delta = as_probability(cells["delta"], name="delta")
    if "exp_eps" in cells:
        return PromisedRow(n, exp_eps0, max(Fraction(1), as_fraction(cells["exp_eps"], name="exp_eps")), delta, line)
    return PromisedRow(n, exp_eps0, _power(as_fraction(cells["eps"], name="eps"), exp_eps0), delta, line)


def _power(eps: Fraction, exp_eps0: Fraction) -> Fraction | Interval:
    """Return e^eps, from 1 to e^eps0: beyond the former more is promised, and the latter needs no promise."""
    if eps >= LogRational(exp_eps0).enclose(_BITS).hi:
        return exp_eps0
    return enclose_real(Real.exp(max(_ZERO, eps)), relative_bits=_BITS)

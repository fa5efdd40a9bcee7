"""Who answers the questions of a study: this process, several, or those of a cluster; what is answered is the same.

A study is a list of questions, each a value that can be hashed and sent to a process, and a function that answers one
and depends on nothing else. A sweep, a survey, a choice of families, the grids of published bounds, the parts of the
report and the rows of the ledger are studies.

Questions that are about the same travel together, a few at a time, and a worker sends back what it has every half
second. So often answers are kept: a process that is killed loses no more work than that, the answers under way, and no
row. A worker that is killed takes down the pool of this machine: what was under way is then asked again, one at a time,
and a question whose worker is ended three times is left out. A cluster looks after its workers itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Final, Generic, NoReturn, TypeAlias, TypeVar

from exactdp.errors import WorkersLostError
from exactdp.progress import progress_callback, report_progress

Asked = TypeVar("Asked", bound=Hashable)
Said = TypeVar("Said")
Coming: TypeAlias = Generator[list[tuple[Asked, Said]], None, None]
"""Questions with their answers, as they come."""

_TOGETHER: Final = (8, 32)
"""Most questions that travel together, of few and of very many: then each is short, and a scheduler has less to do."""
_MANY: Final = 10**5
_WAITING: Final = 512
"""Batches that a cluster is given at once: enough for a few hundred workers, few enough to be held in memory."""
_KEPT_EVERY: Final = 500_000_000
"""Nanoseconds between two transactions, and those after which a worker sends what it has."""
_DEATHS: Final = 3
"""After so many ended workers a question is left out."""
_RENEWALS: Final = 30
"""So many pools in a row that answer nothing are no accident."""
_KEPT: Final = "What was answered is kept: the same sweep goes on from there."


def _raise(question: object, why: BaseException) -> NoReturn:
    raise why


@dataclass(frozen=True, slots=True)
class Study(Generic[Asked, Said]):
    """Questions, what answers one of them, and how many were answered before.

    Args:
        questions: each of them once.
        answer: a function of a module, or a partial of one, which each process loads.
        about: what a question is about; those with the same one next to each other travel together. None for none.
        before: of the whole study, those that a store holds and that are not asked.

    >>> list(Study([9, -4, 1], abs).in_order())
    [9, 4, 1]
    """

    questions: Sequence[Asked]
    answer: Callable[[Asked], Said]
    about: Callable[[Asked], Hashable] | None = None
    before: int = 0

    def answers(
        self,
        *,
        jobs: int = 1,
        executor: Executor | None = None,
        leave_out: Callable[[Asked, BaseException], object] = _raise,
    ) -> Coming[Asked, Said]:
        """Yield questions with their answers as they come, a list at a time; every second one, which may be empty.

        Whoever stops before the end closes the iterator, which ends the processes.

        Args:
            jobs: processes of this machine, at least 1; 1 for this one.
            executor: instead, any executor; it is not shut down.
            leave_out: is told of a question without an answer, and why; by default it raises that.

        Raises:
            WorkersLostError: where an executor is lost or shut down.
        """
        many = len(self.questions)
        together = 1 if self.about is None else _TOGETHER[many >= _MANY]
        batches = _batches(self.questions, self.about, max(1, min(together, many // (4 * jobs))))
        if executor is not None:
            yield from _Crew(self.answer, leave_out, executor, None, _WAITING).answers(batches)
        elif jobs == 1 or many < 2:
            for question in self.questions:
                try:
                    (said,) = begun(self.answer, [question])
                except Exception as error:  # noqa: BLE001  a defect in one answer must not take the others with it
                    leave_out(question, error)
                else:
                    yield [(question, said)]
        else:
            with _Processes(jobs, self.answer) as pool:
                yield from _Crew(self.answer, leave_out, pool.pool, pool.renewed, 2 * jobs).answers(batches)

    def in_order(self, jobs: int = 1) -> Iterator[Said]:
        """Yield the answers in the order of the questions, which may repeat, as they come from ``jobs`` processes."""
        known: dict[Asked, Said] = {}
        with closing(replace(self, questions=list(dict.fromkeys(self.questions))).answers(jobs=jobs)) as coming:
            for question in self.questions:
                while question not in known:
                    known.update(next(coming))
                yield known[question]

    def keep(self, put: Callable[[list[tuple[Asked, Said]]], object], **how: Any) -> int:
        """Put answers into a store every half second, and tell how far it is; return how many came.

        Whatever ends this, what has come is put. ``how`` are the arguments of :meth:`answers`.
        """
        waiting: list[tuple[Asked, Said]] = []
        came, kept_at, coming = 0, time.monotonic_ns(), self.answers(**how)
        try:
            for some in coming:
                waiting += some
                if waiting and time.monotonic_ns() - kept_at >= _KEPT_EVERY:
                    put(waiting)
                    waiting, kept_at = [], time.monotonic_ns()
                if some:
                    came += len(some)
                    report_progress(self.before + came, self.before + len(self.questions))
        finally:
            coming.close()
            if waiting:
                put(waiting)
        return came


def _batches(
    questions: Sequence[Asked], about: Callable[[Asked], Hashable] | None, at_most: int
) -> Iterator[tuple[Asked, ...]]:
    """Yield questions about the same together, a few at a time."""
    for _, same in groupby(questions, key=about):
        while batch := tuple(islice(same, at_most)):
            yield batch


def begun(answer: Callable[[Asked], Said], questions: Sequence[Asked]) -> list[Said]:
    """Answer questions, in order, until half a second has passed: at least the first. What a worker runs."""
    began, said = time.monotonic_ns(), list[Said]()
    with progress_callback(silent):  # whoever counts answers is not told of the steps of one
        for question in questions:
            said.append(answer(question))
            if time.monotonic_ns() - began >= _KEPT_EVERY:
                break
    return said


def silent(done: int, total: int | None) -> None:
    """Hear of a piece of work, and say nothing."""


# --- Executors ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Crew(Generic[Asked, Said]):
    """An executor at work: which batches are under way, and which are to be asked again, one question at a time."""

    answer: Callable[[Asked], Said]
    leave_out: Callable[[Asked, BaseException], object]
    executor: Executor
    renewed: Callable[[], Executor] | None
    """Makes a new executor where the last is broken; None where it belongs to somebody else."""
    window: int
    waiting: dict[Future[list[Said]], tuple[Asked, ...]] = field(default_factory=dict)
    rests: deque[tuple[Asked, ...]] = field(default_factory=deque)
    """Of batches that took a worker too long."""
    suspects: deque[Asked] = field(default_factory=deque)
    alone: Future[list[Said]] | None = None
    """A suspect under way, beside which nothing is, so that it is known who is to blame."""
    deaths: dict[Asked, int] = field(default_factory=dict)
    is_broken: bool = False
    renewals: int = 0
    """Since the last answer."""

    def answers(self, batches: Iterator[tuple[Asked, ...]]) -> Coming[Asked, Said]:
        """Answer all batches."""
        try:
            while self._submit(batches) or self.waiting:
                done, _ = wait(self.waiting, timeout=_KEPT_EVERY // 10**9 + 1, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=_is_lost):  # answers first: what is lost may end the study
                    batch = self.waiting.pop(future)
                    yield list(zip(batch, self._finished(future, batch), strict=False))
                yield []
        finally:
            for future in self.waiting:
                future.cancel()

    def _submit(self, batches: Iterator[tuple[Asked, ...]]) -> bool:
        """Hand out batches up to the window; return False where there is nothing left to hand out."""
        if self.is_broken:
            if self.waiting:
                return True
            self._renew()
        while self.alone is None and len(self.waiting) < self.window:
            if self.suspects:
                if not self.waiting:
                    self.alone = self._hand_out((self.suspects.popleft(),))
                return True
            batch = self.rests.popleft() if self.rests else next(batches, None)
            if batch is None:
                return False
            self._hand_out(batch)
        return True

    def _hand_out(self, batch: tuple[Asked, ...]) -> Future[list[Said]] | None:
        try:
            future = self.executor.submit(begun, self.answer, batch)
        except BrokenExecutor as error:
            self._ask_again(batch, error, is_alone=False)
            return None
        except RuntimeError as error:
            raise WorkersLostError(f"the executor takes no more work: {error}. {_KEPT}") from None
        self.waiting[future] = batch
        return future

    def _finished(self, future: Future[list[Said]], batch: tuple[Asked, ...]) -> list[Said]:
        """Return the answers to the first questions of a batch."""
        is_alone = future is self.alone
        if is_alone:
            self.alone = None
        try:
            said = future.result()
        except (BrokenExecutor, CancelledError) as error:
            self._ask_again(batch, error, is_alone=is_alone)
        except Exception as error:  # noqa: BLE001  a worker's defect, or a cluster's word that its workers were killed
            if len(batch) == 1:
                self.leave_out(batch[0], error)
            else:
                self.suspects += batch
        else:
            self.renewals = 0
            if rest := batch[len(said) :]:
                self.rests.append(rest)
            return said
        return []

    def _ask_again(self, batch: tuple[Asked, ...], error: BaseException, *, is_alone: bool) -> None:
        """Ask again what was under way when a worker was lost; leave out what was alone with it too often."""
        if self.renewed is None:
            raise WorkersLostError(f"the executor is lost: {type(error).__name__}: {error}. {_KEPT}") from None
        self.is_broken = True
        for question in batch:
            self.deaths[question] = self.deaths.get(question, 0) + is_alone
            if self.deaths[question] >= _DEATHS:
                self.leave_out(question, error)
            else:
                self.suspects.append(question)

    def _renew(self) -> None:
        self.renewals += 1
        if self.renewed is None or self.renewals > _RENEWALS:
            raise WorkersLostError(f"processes end before they answer, {_RENEWALS} times in a row. {_KEPT}")
        self.executor, self.is_broken = self.renewed(), False


def _is_lost(future: Future[Any]) -> bool:
    return future.cancelled() or future.exception() is not None


class _Processes:
    """A pool of processes on this machine that ends with its owner, and is made anew when one of them is killed.

    Each holds the reading end of a pipe that nobody writes to: it is at its end when the owner closes it or is killed.
    """

    def __init__(self, jobs: int, answer: Callable[..., object]) -> None:
        self.jobs = jobs
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self.context = multiprocessing.get_context(method)
        if method == "forkserver":
            module = getattr(answer, "func", answer).__module__
            self.context.set_forkserver_preload([module])  # each process begins with it loaded
        self.pool = self._made()

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is not None:
            self.lifeline.close()  # they end at once, whatever they compute
        self._end()

    def renewed(self) -> Executor:
        """Return a new pool in place of the broken one."""
        self._end()
        self.pool = self._made()
        return self.pool

    def _made(self) -> ProcessPoolExecutor:
        self.theirs, self.lifeline = self.context.Pipe(duplex=False)
        return ProcessPoolExecutor(self.jobs, self.context, _begin, (self.theirs,))

    def _end(self) -> None:
        self.pool.shutdown(cancel_futures=True)
        self.lifeline.close()
        self.theirs.close()


def _begin(lifeline: Connection) -> None:
    """Begin a worker: it leaves interrupts to its owner, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.poll(None)
    finally:
        os._exit(1)

"""Who answers the questions of a sweep: this process, several, or those of a cluster; what is answered is the same.

Questions with the same profile travel together, a few at a time, and a worker sends back what it has every half second.
So often answers are kept: a process that is killed loses no more work than that, the answers under way, and no row. A
worker that is killed takes down the pool of this machine: what was under way is then asked again, one at a time, and a
question whose worker is ended three times is left out and named in the end. A cluster looks after its workers itself:
those of Dask are an executor too, with the extra ``distributed``.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from concurrent.futures.process import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby, islice
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, Final

from exactdp.errors import InvalidValueError, WorkersLostError
from exactdp.numbers.exact import as_integer
from exactdp.progress import Progress, progress_callback, report_progress
from exactdp.studies.sweep.sweep_answers import AnsweredRow, answered_rows
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import Sweep
from exactdp.studies.sweep.sweep_store import SweepStore

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

Batch = tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep has done: questions of the spec, those answered before and now, and those left out with why."""

    questions: int
    before: int
    now: int
    left_out: tuple[tuple[Question, str], ...]


def answer_sweep(
    sweep: Sweep,
    store: SweepStore,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Swept:
    """Answer what is not in the store yet, and keep it there.

    Args:
        sweep: the grid, made by ``read_sweep_file``.
        store: where answers are kept; what is there is not asked again.
        jobs: processes of this machine; 1 for this one. A program that asks for more protects its own beginning by
            ``if __name__ == "__main__":``, because each process imports it.
        executor: instead, any executor of ``concurrent.futures``: ``Client(address).get_executor()`` of Dask, for one.
            Its workers have this package in the same version. It is not shut down.
        progress: told of answered questions; see :mod:`exactdp.progress`.

    Raises:
        WorkersLostError: where an executor is lost or shut down; what was answered is kept.

    >>> from exactdp.studies.sweep.sweep_spec import read_sweep
    >>> sweep = read_sweep('randomizer = [{protocol = "@gap"}]\\ngrid = {users = [5, 6], exp_eps = [1, 2]}')
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, SweepStore(f"{folder}/store.sqlite") as store:
    ...     first, second = answer_sweep(sweep, store), answer_sweep(sweep, store)
    ...     print(first.now, second.now, [row.answer.lower for row in store.rows()])
    4 0 ['...', ..., '...']

    Cost: about 2 ms for each question beside its answer, and of whoever asks 0.08 ms.
    """
    processes = as_integer(jobs, name="jobs", at_least=1)
    if executor is not None and not isinstance(executor, Executor):
        raise InvalidValueError(f"executor has the type {type(executor).__name__}. Pass one of concurrent.futures.")
    with progress_callback(progress):
        store.ask(sweep)
        missing = list(store.missing(sweep, certify=sweep.certify))
        before = len(sweep) - len(missing)
        keeper = _Keeper(store, before, len(sweep))
        together = _TOGETHER[len(missing) >= _MANY]
        batches = _batches(missing, at_most=max(1, min(together, len(missing) // (4 * processes))))
        try:
            if executor is not None:
                _Crew(keeper, sweep.certify, executor, None, _WAITING).answer(batches)
            elif processes == 1 or len(missing) < 2:
                _answer_here(keeper, missing, sweep.certify)
            else:
                with _Processes(processes) as pool:
                    _Crew(keeper, sweep.certify, pool.pool, pool.renewed, 2 * processes).answer(batches)
        finally:
            keeper.keep()
    return Swept(len(sweep), before, keeper.done - before, tuple(keeper.left_out))


def _batches(questions: Iterable[Question], at_most: int) -> Iterator[Batch]:
    """Yield questions with the same profile together, a few at a time."""
    for _, same in groupby(questions, key=lambda question: question.about):
        while batch := tuple(islice(same, at_most)):
            yield batch


@dataclass(slots=True)
class _Keeper:
    """Keeps answers every half second, and tells how far it is."""

    store: SweepStore
    done: int
    total: int
    rows: list[AnsweredRow] = field(default_factory=list)
    left_out: list[tuple[Question, str]] = field(default_factory=list)
    kept_at: int = field(default_factory=time.monotonic_ns)

    def take(self, rows: Iterable[AnsweredRow]) -> None:
        """Take answers."""
        for row in rows:
            self.rows.append(row)
            self.done += 1
        self.look()
        report_progress(self.done, self.total)

    def look(self) -> None:
        """Keep what is there, if it is time."""
        if self.rows and time.monotonic_ns() - self.kept_at >= _KEPT_EVERY:
            self.keep()

    def keep(self) -> None:
        """Keep what is there."""
        if self.rows:
            self.store.put(self.rows)
            self.rows.clear()
        self.kept_at = time.monotonic_ns()

    def leave_out(self, question: Question, why: BaseException) -> None:
        """Take note of a question without an answer."""
        self.left_out.append((question, f"{type(why).__name__}: {why}"))


def _answer_here(keeper: _Keeper, questions: Iterable[Question], certify: bool) -> None:
    for question in questions:
        try:
            rows = answered_rows([question.text], certify)
        except Exception as error:  # noqa: BLE001  a defect in one answer must not take the others with it
            keeper.leave_out(question, error)
        else:
            keeper.take(rows)


def begun_rows(texts: Sequence[str], certify: bool) -> list[AnsweredRow]:
    """Answer questions, in order, until half a second has passed: at least the first. What a worker runs."""
    began, rows = time.monotonic_ns(), list[AnsweredRow]()
    for text in texts:
        rows += answered_rows([text], certify)
        if time.monotonic_ns() - began >= _KEPT_EVERY:
            break
    return rows


# --- Executors ------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Crew:
    """An executor at work: which batches are under way, and which are to be asked again, one question at a time."""

    keeper: _Keeper
    certify: bool
    executor: Executor
    renewed: Callable[[], Executor] | None
    """Makes a new executor where the last is broken; None where it belongs to somebody else."""
    window: int
    waiting: dict[Future[Any], Batch] = field(default_factory=dict)
    rests: deque[Batch] = field(default_factory=deque)
    """Of batches that took a worker too long."""
    suspects: deque[Question] = field(default_factory=deque)
    alone: Future[Any] | None = None
    """A suspect under way, beside which nothing is, so that it is known who is to blame."""
    deaths: dict[Question, int] = field(default_factory=dict)
    is_broken: bool = False
    renewals: int = 0
    """Since the last answer."""

    def answer(self, batches: Iterator[Batch]) -> None:
        """Answer all batches."""
        try:
            while self._submit(batches) or self.waiting:
                done, _ = wait(self.waiting, timeout=_KEPT_EVERY // 10**9 + 1, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=_is_lost):  # answers first: what is lost may end the sweep
                    self._finish(future, self.waiting.pop(future))
                self.keeper.look()
        finally:
            for future in self.waiting:
                future.cancel()

    def _submit(self, batches: Iterator[Batch]) -> bool:
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

    def _hand_out(self, batch: Batch) -> Future[Any] | None:
        try:
            future = self.executor.submit(begun_rows, [question.text for question in batch], self.certify)
        except BrokenExecutor as error:
            self._ask_again(batch, error, is_alone=False)
            return None
        except RuntimeError as error:
            raise WorkersLostError(f"the executor takes no more work: {error}. {_KEPT}") from None
        self.waiting[future] = batch
        return future

    def _finish(self, future: Future[Any], batch: Batch) -> None:
        is_alone = future is self.alone
        if is_alone:
            self.alone = None
        try:
            rows = future.result()
        except (BrokenExecutor, CancelledError) as error:
            self._ask_again(batch, error, is_alone=is_alone)
        except Exception as error:  # noqa: BLE001  a worker's defect, or a cluster's word that its workers were killed
            if len(batch) == 1:
                self.keeper.leave_out(batch[0], error)
            else:
                self.suspects += batch
        else:
            self.renewals = 0
            if rest := batch[len(rows) :]:
                self.rests.append(rest)
            self.keeper.take(rows)

    def _ask_again(self, batch: Batch, error: BaseException, *, is_alone: bool) -> None:
        """Ask again what was under way when a worker was lost; leave out what was alone with it too often."""
        if self.renewed is None:
            raise WorkersLostError(f"the executor is lost: {type(error).__name__}: {error}. {_KEPT}") from None
        self.is_broken = True
        for question in batch:
            self.deaths[question] = self.deaths.get(question, 0) + is_alone
            if self.deaths[question] >= _DEATHS:
                self.keeper.leave_out(question, error)
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

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self.context = multiprocessing.get_context(method)
        if method == "forkserver":
            self.context.set_forkserver_preload([__name__])  # each process begins with it loaded
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


_WAIT: Final = 10
"""Seconds for a scheduler to answer."""


@contextmanager
def cluster_executor(address: str) -> Iterator[Executor]:
    """Yield the executor of the scheduler at an address, as "tcp://10.0.0.1:8786"; its workers have this package.

    Raises:
        InvalidValueError: where Dask is not installed.
        WorkersLostError: where no scheduler answers.
    """
    try:
        client_class = import_module("distributed").Client
    except ImportError:
        raise InvalidValueError(
            "a cluster needs the extra distributed, which is not installed. Run: pip install 'exactdp[distributed]'."
        ) from None
    try:
        client = client_class(address, timeout=_WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersLostError(
            f"no scheduler answers at {address}: {error}. Start one, `dask scheduler`, and give its address."
        ) from None
    with client:
        yield client.get_executor(pure=False)

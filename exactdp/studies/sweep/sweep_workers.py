"""The answers to a sweep: what its store does not hold yet, by this process, several, or those of a cluster.

Dask's executor is one as any other, with the extra ``distributed``; its workers are its own care.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Final

from exactdp.errors import InvalidValueError, WorkersLostError
from exactdp.numbers.exact import as_integer
from exactdp.progress import Progress, progress_callback
from exactdp.studies.study_workers import answers, keep
from exactdp.studies.sweep.sweep_answers import answered_row
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import Sweep
from exactdp.studies.sweep.sweep_store import SweepStore


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
    left_out: list[tuple[Question, str]] = []

    def leave_out(question: Question, why: BaseException) -> None:
        left_out.append((question, f"{type(why).__name__}: {why}"))

    with progress_callback(progress):
        store.ask(sweep)
        missing = list(store.missing(sweep, certify=sweep.certify))
        before, answer = len(sweep) - len(missing), partial(answered_row, certify=sweep.certify)
        about = attrgetter("about")
        coming = answers(missing, answer, jobs=processes, executor=executor, about=about, leave_out=leave_out)
        done = keep(coming, lambda rows: store.put([row for _, row in rows]), before, len(sweep))
    return Swept(len(sweep), before, done - before, tuple(left_out))


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

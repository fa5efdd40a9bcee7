"""Whoever answers, the export has the same bytes: this process, others, those that are killed, and a cluster."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from exactdp.errors import InvalidValueError, WorkersLostError
from exactdp.files.spreadsheets import csv_lines
from exactdp.studies import study_workers
from exactdp.studies.sweep import sweep_store
from exactdp.studies.sweep.sweep_answers import AnsweredRow
from exactdp.studies.sweep.sweep_question import Question
from exactdp.studies.sweep.sweep_spec import Sweep, read_sweep
from exactdp.studies.sweep.sweep_store import SweepStore, Swept, answer_sweep, cluster_executor, csv_rows

ROOT = Path(__file__).resolve().parents[4]
SPEC = """
[[randomizer]]
name = "binary"
protocol = "@randomized-response"
gamma = ["1/10", "1/2"]
[[randomizer]]
protocol = "@local-hashing"
inputs = 100
exp_eps0 = 3
[[noise]]
law = "@poisson"
mu = 30
[grid]
users = [5, 30]
eps = ["1/4", "1"]
exp_eps = [2, 3]
"""
SMALL = 'randomizer = [{protocol = "@gap"}]\ngrid = {users = [3, 4, 5], exp_eps = [2, "3/2", 3], delta = "1/9"}'


def sweep(text: str = SPEC) -> Sweep:
    return read_sweep(text)


def exported(path: Path) -> str:
    with SweepStore(path, create=False) as store:
        return "".join(csv_lines(csv_rows(store.rows())))


def answer(path: Path, text: str = SPEC, **how: Any) -> Swept:
    with SweepStore(path) as store:
        return answer_sweep(sweep(text), store, **how)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The export of a sweep that nothing has disturbed."""
    path = tmp_path_factory.mktemp("plain") / "store.sqlite"
    assert answer(path) == Swept(28, 0, 28, ())
    return exported(path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.sqlite"


def test_the_order_of_answers_leaves_no_trace(path: Path, plain: str) -> None:
    """A process that has answered other questions before, in another order, gives the same bytes."""
    backwards = replace(sweep(), subjects=sweep().subjects[::-1], levels=sweep().levels[::-1], users=("30", "5"))
    with SweepStore(path) as store:
        assert answer_sweep(backwards, store).now == 28
    assert exported(path) == plain
    assert len(plain.splitlines()) == 29


class _Stopped(Exception):
    pass


def test_a_sweep_that_is_stopped_goes_on(path: Path, plain: str) -> None:
    def stop(done: int, total: int | None) -> None:
        if done % 10 == 9:
            raise _Stopped

    for expected in (9, 19):
        with pytest.raises(_Stopped):
            answer(path, progress=stop)
        with SweepStore(path) as store:
            assert store.counts().answered == expected
    assert answer(path) == Swept(28, 19, 9, ())
    assert answer(path) == Swept(28, 28, 0, ())
    assert exported(path) == plain


def test_two_sweeps_into_one_store_do_no_harm(path: Path, plain: str) -> None:
    """A second sweep answers everything while the first has answered a few."""

    def beside(done: int, total: int | None) -> None:
        if done == 5:
            assert answer(path, progress=lambda done, total: None).now >= 23

    assert answer(path, progress=beside) == Swept(28, 0, 28, ())
    assert exported(path) == plain


def test_any_executor_answers(path: Path, plain: str) -> None:
    seen: list[tuple[int, int | None]] = []
    with ThreadPoolExecutor(2) as executor:
        answer(path, executor=executor, progress=lambda done, total: seen.append((done, total)))
        assert executor.submit(int).result() == 0  # it is not shut down
    assert exported(path) == plain
    assert seen[-1] == (28, 28)
    with pytest.raises(InvalidValueError, match="executor has the type int"):
        answer(path, executor=3)


def test_processes_answer(path: Path, plain: str) -> None:
    assert answer(path, jobs=2) == Swept(28, 0, 28, ())
    assert exported(path) == plain


@pytest.mark.slow
def test_processes_answer_and_one_of_them_is_killed(path: Path, plain: str) -> None:
    killed: list[int] = []

    def kill(done: int, total: int | None) -> None:
        if not killed:
            victim = active_children()[0]
            assert victim.pid is not None
            killed.append(victim.pid)
            os.kill(victim.pid, signal.SIGTERM)

    assert answer(path, jobs=2, progress=kill) == Swept(28, 0, 28, ())
    assert killed
    assert exported(path) == plain


# --- Executors that break -------------------------------------------------------------------------------------------


class _Breaking(Executor):
    """Answers at once; breaks for good when it is given a question that is in ``deadly``."""

    def __init__(self, deadly: Callable[[Question], bool]) -> None:
        self.deadly, self.is_broken, self.batches = deadly, False, list[int]()

    def submit(self, work: Any, /, *given: Any, **named: Any) -> Future[Any]:
        _, questions = given
        if self.is_broken:
            raise BrokenProcessPool("a process is gone")
        future: Future[Any] = Future()
        self.batches.append(len(questions))
        if any(map(self.deadly, questions)):
            self.is_broken = True
            future.set_exception(BrokenProcessPool("a process is gone"))
        else:
            future.set_result(work(*given, **named))
        return future


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[Question], bool]], list[_Breaking]]]:
    """A function of what is deadly: pools of this machine break so; returns the list of pools made."""

    def arrange(deadly: Callable[[Question], bool]) -> list[_Breaking]:
        made: list[_Breaking] = []

        class Pools:
            def __init__(self, jobs: int, answer: object) -> None:
                self.pool = self.renewed()

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *raised: object) -> None:
                pass

            def renewed(self) -> _Breaking:
                made.append(_Breaking(deadly))
                return made[-1]

        monkeypatch.setattr(study_workers, "_Processes", Pools)
        return made

    return arrange


def test_a_deadly_question_is_left_out_and_no_other(path: Path, broken: Callable[..., list[_Breaking]]) -> None:
    poison = [question for _, question in sweep(SMALL)][4]
    made = broken(lambda question: question == poison)
    swept = answer(path, SMALL, jobs=2)
    assert swept == Swept(12, 0, 11, ((poison, "BrokenProcessPool: a process is gone"),))
    assert len(made) == 5  # one that breaks with its batch, three with the question alone, and one for the rest
    with SweepStore(path) as store:
        assert list(store.missing(sweep(SMALL), certify=False)) == [poison]


def test_pools_that_answer_nothing_are_given_up(path: Path, broken: Callable[..., list[_Breaking]]) -> None:
    broken(lambda question: True)
    text = SMALL.replace("[3, 4, 5]", "[3, 4, 5, 6, 7, 8, 9]")
    with pytest.raises(WorkersLostError, match="processes end before they answer, 30 times in a row"):
        answer(path, text, jobs=2)


def test_an_executor_of_others_that_breaks_is_named_and_answers_are_kept(path: Path) -> None:
    last = list(sweep(SMALL))[-1][1]
    with pytest.raises(WorkersLostError, match=r"the executor is lost: BrokenProcessPool.*goes on from there"):
        answer(path, SMALL, executor=_Breaking(lambda question: question == last))
    with SweepStore(path) as store:
        assert 0 < store.counts().answered < 12
    shut = ThreadPoolExecutor(1)
    shut.shutdown()
    with pytest.raises(WorkersLostError, match="the executor takes no more work"):
        answer(path, SMALL, executor=shut)
    assert issubclass(BrokenProcessPool, BrokenExecutor)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_defect_in_one_answer_takes_no_other_with_it(
    path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    wrong = list(sweep(SMALL))[5][1]
    work = sweep_store.answered_row

    def answered(question: Question, *, certify: bool) -> Any:
        if question == wrong:
            raise ZeroDivisionError("a defect")
        return work(question, certify=certify)

    monkeypatch.setattr(sweep_store, "answered_row", answered)
    if threads:
        with ThreadPoolExecutor(threads) as executor:
            swept = answer(path, SMALL, executor=executor)
    else:
        swept = answer(path, SMALL)
    assert swept == Swept(12, 0, 11, ((wrong, "ZeroDivisionError: a defect"),))


def test_a_worker_sends_what_it_has_every_half_second(path: Path, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 10**15, study_workers._KEPT_EVERY))
    monkeypatch.setattr(study_workers.time, "monotonic_ns", lambda: next(now))
    assert len(study_workers.begun(str, [1, 2, 3])) == 1
    whole = _Breaking(lambda question: False)
    answer(path, executor=whole)
    assert exported(path) == plain
    assert len(whole.batches) == 28  # each row on a journey of its own


# --- A system that cannot fork ---


@pytest.mark.parametrize(("methods", "used"), [(["spawn"], "spawn"), (["fork", "spawn", "forkserver"], "forkserver")])
def test_processes_begin_as_the_system_can(methods: list[str], used: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_workers.multiprocessing, "get_all_start_methods", lambda: methods)
    with study_workers._Processes(1, str) as pool:
        assert pool.context.get_start_method() == used


@pytest.mark.slow  # two processes import everything anew
def test_spawned_processes_answer_the_same(path: Path, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_workers.multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert answer(path, jobs=2).now == 28
    assert exported(path) == plain


def test_the_page_says_how_many_questions_a_cluster_takes_together(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions of 22 ms, very many: of a batch of 32 a worker answers 23, and the other 9 travel again."""
    eps = ", ".join(f'"{k}/99"' for k in range(320))
    asked = sweep(f'randomizer = [{{protocol = "@gap"}}]\ngrid = {{users = [3], eps = [{eps}]}}')
    row = sweep_store.answered_row(next(iter(sweep(SMALL)))[1], certify=False)
    clock, batches = [0], list[int]()

    def answered(question: Question, *, certify: bool) -> AnsweredRow:
        clock[0] += 22_000_000
        return replace(row, key=question.key)

    class Counting(Executor):
        def submit(self, run: Any, /, *given: Any, **named: Any) -> Future[Any]:
            future = Future[Any]()
            future.set_result(run(*given))
            batches.append(len(future.result()))
            return future

    monkeypatch.setattr(sweep_store, "answered_row", answered)
    monkeypatch.setattr(study_workers, "_MANY", 1)
    monkeypatch.setattr(study_workers.time, "monotonic_ns", lambda: clock[0])
    with SweepStore(path) as store:
        assert answer_sweep(asked, store, executor=Counting()).now == 320
    assert sorted(set(batches)) == [9, 23]
    assert sum(batches) // len(batches) == 16
    assert (
        "4 ms for a batch, of the client and the scheduler together; 16 in one" in (ROOT / "docs/sweep.md").read_text()
    )


# --- Whole processes ------------------------------------------------------------------------------------------------

_SLOW = """
import sys, time
from exactdp.studies import study_workers
from exactdp.studies.sweep import sweep_store
from exactdp.studies.sweep.sweep_answers import AnsweredRow
from exactdp.studies.sweep.sweep_store import SweepStore
from exactdp.studies.sweep.sweep_spec import read_sweep

def slowly(done, total):
    time.sleep(0.3)

if __name__ == "__main__":
    with SweepStore(sys.argv[1]) as store:
        sweep_store.answer_sweep(read_sweep(sys.argv[2]), store, jobs=int(sys.argv[3]), progress=slowly)
"""


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed as POSIX does it")
def test_a_sweep_that_is_killed_goes_on_and_leaves_no_process(
    path: Path, plain: str, tmp_path: Path, jobs: int
) -> None:
    script = tmp_path / "slow.py"
    script.write_text(_SLOW)
    words = [sys.executable, str(script), str(path), SPEC, str(jobs)]
    sweeping = subprocess.Popen(words, env=os.environ | {"PYTHONPATH": str(ROOT)}, start_new_session=True)
    answered = 0
    for _ in range(600):
        time.sleep(0.05)
        if path.exists() and path.stat().st_size:
            with SweepStore(path) as store:
                answered = store.counts().answered
        if answered:
            break
    sweeping.kill()
    sweeping.wait()
    with SweepStore(path) as store:
        assert 0 < store.counts().answered < 28
    assert answer(path).questions == 28
    assert exported(path) == plain
    if jobs > 1 and Path("/proc").is_dir():
        assert _ends(sweeping.pid)


def _ends(session: int) -> bool:
    """Whether all processes of a session end within some seconds."""
    for _ in range(100):
        if not any(_session(folder) == session for folder in Path("/proc").iterdir() if folder.name.isdecimal()):
            return True
        time.sleep(0.3)
    return False


def _session(folder: Path) -> int | None:
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[3]) if fields[0] != "Z" else None


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Dask and its dependencies
def test_a_cluster_answers_and_its_workers_are_killed(path: Path, plain: str) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        killed: list[int] = []

        def kill(done: int, total: int | None) -> None:
            if done > 4 and len(killed) < 2:
                killed.append(list(cluster.workers.values())[len(killed)].pid)
                os.kill(killed[-1], signal.SIGKILL)

        with cluster_executor(cluster.scheduler_address) as executor:
            assert answer(path, executor=executor, progress=kill) == Swept(28, 0, 28, ())
        assert len(set(killed)) == 2
    assert exported(path) == plain


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InvalidValueError, match="needs the extra distributed, which is not installed"),
        cluster_executor("x"),
    ):
        pass


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("exactdp.studies.sweep.sweep_store._WAIT", 1)
    address = "tcp://127.0.0.1:9"
    with pytest.raises(WorkersLostError, match=f"no scheduler answers at {address}"), cluster_executor(address):
        pass

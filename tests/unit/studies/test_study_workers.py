"""Answers come in the order of the questions, whoever gives them, and what has come is kept, whatever ends the rest."""

import os
import signal
from functools import partial
from operator import floordiv
from pathlib import Path

import pytest

from exactdp.progress import progress_callback, report_progress
from exactdp.studies.study_workers import Study


def told(question: int) -> int:
    """Say how far a step of one answer is."""
    report_progress(question, 1000)
    return question + 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_come_in_order_and_steps_of_one_are_not_told(jobs: int) -> None:
    heard: list[int] = []
    with progress_callback(lambda done, total: heard.append(done)):
        assert list(Study([5, 3, 9, 1], told).in_order(jobs)) == [6, 4, 10, 2]
    assert heard == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_defect_ends_what_no_one_else_answers_for(jobs: int) -> None:
    coming = Study([4, 0, 3], partial(floordiv, 12)).in_order(jobs)
    assert next(coming) == 3
    with pytest.raises(ZeroDivisionError):
        list(coming)


def test_what_has_come_is_kept_whatever_ends_the_rest() -> None:
    kept: list[tuple[int, int]] = []
    told_of: list[tuple[int, int | None]] = []
    study = Study([4, 3, 0, 2], partial(floordiv, 12), before=7)
    with progress_callback(lambda done, total: told_of.append((done, total))), pytest.raises(ZeroDivisionError):
        study.keep(kept.extend)
    assert kept == [(4, 3), (3, 4)]
    assert told_of == [(8, 11), (9, 11)]


def dies_once(place: str, question: int) -> int:
    """End the process at the first question of 2."""
    if question == 2 and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return -question


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed as POSIX does it")
def test_a_process_that_is_killed_is_replaced(tmp_path: Path) -> None:
    assert list(Study([1, 2, 3, 4], partial(dies_once, str(tmp_path / "died"))).in_order(2)) == [-1, -2, -3, -4]

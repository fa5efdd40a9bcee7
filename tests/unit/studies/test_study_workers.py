"""Answers come in the order of the questions, whoever gives them, and what has come is kept, whatever ends the rest."""

import os
import signal
from functools import partial
from operator import floordiv
from pathlib import Path

import pytest

from exactdp.progress import progress_callback, report_progress
from exactdp.studies.study_workers import answers, in_order, keep


def told(question: int) -> int:
    """Say how far a step of one answer is."""
    report_progress(question, 1000)
    return question + 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_come_in_order_and_steps_of_one_are_not_told(jobs: int) -> None:
    heard: list[int] = []
    with progress_callback(lambda done, total: heard.append(done)):
        assert list(in_order([5, 3, 9, 1], told, jobs)) == [6, 4, 10, 2]
    assert heard == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_defect_ends_what_no_one_else_answers_for(jobs: int) -> None:
    coming = in_order([4, 0, 3], partial(floordiv, 12), jobs)
    assert next(coming) == 3
    with pytest.raises(ZeroDivisionError):
        list(coming)


def test_what_has_come_is_kept_whatever_ends_the_rest() -> None:
    kept: list[tuple[int, int]] = []
    told_of: list[tuple[int, int | None]] = []
    coming = answers([4, 3, 0, 2], partial(floordiv, 12))
    with progress_callback(lambda done, total: told_of.append((done, total))), pytest.raises(ZeroDivisionError):
        keep(coming, kept.extend, 7, 11)
    assert kept == [(4, 3), (3, 4)]
    assert told_of == [(8, 11), (9, 11)]
    assert list(coming) == []  # closed


def dies_once(place: str, question: int) -> int:
    """End the process at the first question of 2."""
    if question == 2 and not Path(place).exists():
        Path(place).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return -question


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a process is killed as POSIX does it")
def test_a_process_that_is_killed_is_replaced(tmp_path: Path) -> None:
    assert list(in_order([1, 2, 3, 4], partial(dies_once, str(tmp_path / "died")), 2)) == [-1, -2, -3, -4]

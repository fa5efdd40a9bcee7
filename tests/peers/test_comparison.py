"""docs/comparison.md: how an answer lies beside proved ends, and the tables as the command prints them."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.peers import published_scripts, real_questions
from tests.peers.answers import HEAD, Answer, Proved, differences, rows, table
from tests.peers.compare import PAGE, REAL, stored_table

ROOT = PAGE.parents[1]
ENDS = (Fraction(1, 10), Fraction(2, 10))
PROGRAMS = os.environ.get("EXACTDP_PUBLISHED_PROGRAMS", "")


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (None, 0.25, "above, by 25 %"),
        (None, 0.5, "above, by a factor of 2.5"),
        (None, 0.15, "between the ends"),
        (None, 0.05, "**below** the lower end, by 50 %"),
        (0.01, 0.05, "**below** the lower end, by 50 %"),
        (0.05, 0.25, "encloses them"),
        (0.15, 0.25, "above, by 25 %; its lower number between the ends"),
        (0.3, 0.5, "above, by a factor of 2.5; its lower number too"),
        (None, float("inf"), "no number"),
        (None, 0.2, "equal, but for rounding"),
        (0.05, 0.2, "the upper number is equal, but for rounding"),
    ],
)
def test_an_answer_lies_beside_the_ends(lower, upper, said):
    assert Answer("tool", upper, lower, 0).beside(ENDS) == said


def test_a_table_that_says_something_else_is_seen():
    answers = [Answer("tool", 0.25, 0.05, 0), Answer("other", 0.05, None, 2)]
    stored = table(rows("q", Proved(ENDS, 0), answers))
    assert (
        differences(stored, table(rows("q", Proved(ENDS, 3), [Answer("tool", 0.25000001, 0.05, 9), answers[1]]))) == []
    )
    for ends, first in (
        (ENDS, Answer("tool", 0.251, 0.05, 0)),
        (ENDS, Answer("tool", 0.25, 0.1501, 0)),
        (ENDS, Answer("tool", 0.25, None, 0)),
        ((Fraction(1, 10), Fraction(2000001, 10**7)), answers[0]),
    ):
        assert len(differences(stored, table(rows("q", Proved(ends, 0), [first, answers[1]])))) == 1
    assert differences(stored, stored[:-1]) == ["5 lines, not 4"]


@pytest.mark.parametrize("name", ["noise", "shuffled", "scripts", *REAL])
def test_a_table_of_the_page_has_an_answer_of_exactdp_for_every_question(name):
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in stored_table(name)]
    assert tuple(lines[0]) == HEAD
    assert {len(cells) for cells in lines} == {len(HEAD)}
    assert all((cells[1] == "exactdp") == (cells[0] != "") for cells in lines[2:])


def test_the_page_names_the_commits_of_the_programs():
    page = PAGE.read_text(encoding="utf-8")
    for program in (
        published_scripts.VARIATION_RATIO,
        published_scripts.CLONES,
        published_scripts.BLANKET,
        real_questions.DECOMPOSITION,
        real_questions.SHUFFLED_GAUSSIAN,
    ):
        assert program.repository in page
        assert program.commit in page


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"clone https://github.com/apple/ml-shuffling-amplification into it"):
        published_scripts.loaded(tmp_path, published_scripts.CLONES)


def printed(*arguments):
    """The lines of one table, as the command prints it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.peers.compare", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [line for line in done.stdout.splitlines() if line.startswith("|")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["noise", "shuffled"])
@pytest.mark.skipif(not (find_spec("dp_accounting") and find_spec("opendp")), reason="needs the extra peers")
def test_the_page_has_what_the_command_prints(name):
    assert differences(stored_table(name), printed(name)) == []


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0.04, "no promise: the lower end is above it, by a factor of 2.5"),
        (0.15, "no promise: between the ends"),
        (0.25, "no promise: above, by 25 %"),
    ],
)
def test_a_reference_is_no_promise(number, said):
    assert real_questions.Reference("tool", number, None, 0).beside(ENDS) == said


@pytest.mark.slow
def test_the_page_has_what_exactdp_says_of_laplace_noise():
    assert differences(real_questions.own(stored_table("laplace")), table(real_questions.laplace_rows())) == []


@pytest.mark.slow
def test_the_page_has_what_exactdp_says_of_gaussian_noise_of_a_million_users():
    printed = table(real_questions.gaussian_rows(users=(10**6,)))
    stored = real_questions.own(stored_table("gaussian"))
    start = next(k for k, line in enumerate(stored) if line.startswith(printed[2][: printed[2].index(" | exactdp")]))
    assert differences(stored[start : start + len(printed) - 2], printed[2:]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", list(REAL))
@pytest.mark.skipif(not Path(PROGRAMS or "-").is_dir(), reason="needs the programs in EXACTDP_PUBLISHED_PROGRAMS")
def test_the_page_has_what_programs_say_of_real_numbers(name):
    assert differences(stored_table(name), printed(name, "--scripts", PROGRAMS)) == []


@pytest.mark.slow
@pytest.mark.skipif(not Path(PROGRAMS or "-").is_dir(), reason="needs the programs in EXACTDP_PUBLISHED_PROGRAMS")
def test_the_page_has_what_the_published_programs_say():
    assert differences(stored_table("scripts"), printed("--scripts", PROGRAMS)) == []

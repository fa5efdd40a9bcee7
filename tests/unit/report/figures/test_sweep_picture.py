"""The picture of a sweep: its data are the rows of the store, and what cannot be told apart is refused."""

from fractions import Fraction
from pathlib import Path

import pytest

from exactdp.errors import InvalidValueError
from exactdp.numbers.interval import Interval
from exactdp.report.figures.sweep_picture import sweep_picture
from exactdp.studies.sweep.sweep_spec import read_sweep
from exactdp.studies.sweep.sweep_store import StoredRow, SweepStore, answer_sweep

RANDOMIZER = '[[randomizer]]\nname = "bit"\nprotocol = "@randomized-response"\ngamma = ["1/4", "1/2"]\n'


def rows(text: str, folder: Path) -> list[StoredRow]:
    with SweepStore(folder / "store.sqlite") as store:
        answer_sweep(read_sweep(text), store)
        return list(store.rows())


def test_a_panel_for_each_eps_and_a_line_for_each_parameter(tmp_path: Path) -> None:
    picture = sweep_picture(rows(RANDOMIZER + '[grid]\nusers = [5, 50, 500]\neps = ["1/4", 1]', tmp_path))
    table = picture.table
    assert list(dict.fromkeys(table.column("panel"))) == ["ε = 1/4", "ε = 1"]
    assert set(table.column("line")) == {"bit, gamma = 1/4", "bit, gamma = 1/2"}
    assert sorted(set(table.column("n")), key=str) == [5, 50, 500]
    assert len(table.rows) == 12
    for row in table.rows:
        assert isinstance(row[3], Interval)
    assert picture.title == "The least δ of 12 questions"
    svg = picture.svg()
    assert all(text in svg for text in ("ε = 1/4", "bit, gamma = 1/2", "number of users n", "least δ"))


def test_at_one_n_answers_are_drawn_against_what_was_given(tmp_path: Path) -> None:
    picture = sweep_picture(rows(RANDOMIZER + '[grid]\nusers = 20\ndelta = ["1e-2", "1e-4", 1]', tmp_path))
    assert set(picture.table.column("delta")) == {Fraction(1, 100), Fraction(1, 10**4)}  # at delta = 1 eps is 0
    assert set(picture.table.column("panel")) == {"n = 20"}
    assert "least ε" in picture.svg()


@pytest.mark.slow
def test_noise_is_named_by_its_parameters_shift_and_runs(tmp_path: Path) -> None:
    noise = '[[noise]]\nlaw = "@poisson"\nmu = 50\nshift = 2\n[grid]\nruns = 3\nexp_eps = [2, 3]'
    table = sweep_picture(rows(noise, tmp_path)).table
    assert set(table.column("line")) == {"@poisson, mu=50, shift = 2, 3 runs"}
    assert table.column("exp_eps") == (2, 3)


@pytest.mark.parametrize(
    ("grid", "said"),
    [
        ("users = [5, 6]\neps = 1\ndelta = '1/9'", "some rows ask for delta and some for eps. Choose one kind"),
        ("users = 5\neps = 1\nexp_eps = 2", "some rows are given eps and some e^eps. Choose one kind"),
        (
            "users = [5, 6]\nexp_eps = [1, '5/4', '4/3', '3/2', '5/3', '7/4', 2]",
            "would have 7 panels with 2 lines",
        ),
        ("users = [5, 6]\nexp_eps = 1000", "no row has a finite positive answer"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(grid: str, said: str, tmp_path: Path) -> None:
    text = RANDOMIZER.replace('"1/4", ', '"1/3", ')
    with pytest.raises(InvalidValueError) as refused:
        sweep_picture(rows(f"{text}[grid]\n{grid}", tmp_path))
    assert said in str(refused.value)

"""Figure data on disk: exact numbers come back as they went, and bad paths are refused without a file."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactdp
from exactdp.errors import InvalidFileError
from exactdp.numbers.interval import Interval
from exactdp.report.figures import data
from exactdp.report.figures.data import DataTable, write_data
from tests.expensive import one_in

THIRD = Interval.around(Fraction(1, 3), relative_bits=53)
TABLE = DataTable(
    ("n", "delta", "name"),
    ((10, Fraction(1, 4), "exact"), (20, THIRD, None), (30, None, "none, really")),
    (("protocol", "zsum"),),
)


def test_json_keeps_exact_numbers(tmp_path: Path) -> None:
    write_data(tmp_path / "a.json", TABLE)
    read = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert read["about"] == {"protocol": "zsum"}
    assert set(read["versions"]) == {"exactdp", "python-flint"}
    assert [row["delta"] and row["delta"]["exact"] for row in read["rows"]] == ["1/4", None, None]
    ends = read["rows"][1]["delta"]
    assert Fraction(ends["lo"]) <= THIRD.lo <= THIRD.hi <= Fraction(ends["hi"])
    assert read["rows"][0]["n"]["exact"] == "10"
    assert read["rows"][2]["name"] == "none, really"


def test_the_version_is_that_of_the_code_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout may run beside an older copy that is installed, whose record says another version."""
    monkeypatch.setattr(data, "version", lambda name: f"installed {name}")
    write_data(tmp_path / "a.json", TABLE)
    versions = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["versions"]
    assert versions == {"exactdp": exactdp.__version__, "python-flint": "installed python-flint"}


def test_csv_has_ends_and_the_parameters_in_every_row(tmp_path: Path) -> None:
    write_data(tmp_path / "a.csv", TABLE)
    with open(tmp_path / "a.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["n"] for row in rows] == ["10", "20", "30"]
    assert {row["protocol"] for row in rows} == {"zsum"}
    assert rows[0]["delta_lo"] == rows[0]["delta_hi"] == "0.25"
    assert Fraction(rows[1]["delta_lo"]) <= THIRD.lo < Fraction(1, 3) < THIRD.hi <= Fraction(rows[1]["delta_hi"])
    assert rows[2]["delta_lo"] == rows[2]["delta_hi"] == rows[1]["name"] == ""
    assert rows[2]["name"] == "none, really"


@one_in(2)
@given(st.lists(st.fractions(), min_size=1, max_size=5))
def test_every_fraction_comes_back(values: list[Fraction]) -> None:
    from exactdp.report.figures.data import json_text

    rows = json.loads(json_text(DataTable(("x",), tuple((value,) for value in values))))["rows"]
    assert [Fraction(row["x"]["exact"]) for row in rows] == values


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_the_same_bytes_every_time(name: str, tmp_path: Path) -> None:
    write_data(tmp_path / name, TABLE)
    first = (tmp_path / name).read_bytes()
    write_data(tmp_path / name, TABLE)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.xlsx", "Data is written as .csv or .json"),
        ("a", "name the file so"),
        ("no/a.csv", "does not exist. Make it"),
    ],
)
def test_bad_paths_are_refused(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=said):
        write_data(tmp_path / name, TABLE)
    assert list(tmp_path.iterdir()) == []

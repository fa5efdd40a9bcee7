"""What an experiment writes: the same bytes in another process, exact numbers that come back, and all files or none."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest

import exactdp as xdp
from exactdp.errors import InvalidFileError
from exactdp.report.experiments import EXPERIMENTS, write_finding
from exactdp.report.experiments.drawn import Sampled
from exactdp.report.experiments.histogram_error import HistogramError
from exactdp.report.figures.picture import Picture

SUFFIXES = ("csv", "json", "svg", "png")
PROGRAM = """
import sys
from fractions import Fraction
from exactdp.report.experiments import EXPERIMENTS, write_finding
from exactdp.report.experiments.three_models import Case
few = {
    "zsum-error": {"grid": ((Fraction(1), 10**4), (Fraction(1), 10**9))},
    "histogram-error": {"grid": ((2, 10**6), (1000, 10**6))},
    "randomized-response": {"grid": ((3, 10**4), (Fraction(9, 7), 10**4))},
    "central": {"grid": (1, 10)},
    "models": {"grid": (Case("n", 200, Fraction(1), Fraction(1, 100)),)},
}
for name, experiment in EXPERIMENTS.items():
    write_finding(experiment.function(seed=11, draws=300, **few.get(name, {})), sys.argv[1], name)
"""


@pytest.fixture(scope="module")
def finding() -> HistogramError:
    return HistogramError.run(seed=11, draws=900, grid=((2, 10**5), (100, 10**5)))


@pytest.mark.slow
def test_every_experiment_writes_the_same_bytes_in_another_process(tmp_path: Path):
    places = []
    for k in (1, 2):
        places.append(tmp_path / str(k))
        places[-1].mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": str(k)}
        command = [sys.executable, "-c", PROGRAM, str(places[-1])]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    names = sorted(f"{name}.{suffix}" for name in EXPERIMENTS for suffix in SUFFIXES)
    for place in places:
        assert sorted(path.name for path in place.iterdir()) == names
    for name in names:
        assert (places[0] / name).read_bytes() == (places[1] / name).read_bytes(), name


def test_another_seed_draws_other_numbers(finding: HistogramError):
    other = HistogramError.run(seed=12, draws=900, grid=((2, 10**5), (100, 10**5)))
    assert [p.failures for p in other.points] != [p.failures for p in finding.points]
    assert [p.failure for p in other.points] == [p.failure for p in finding.points]


def test_json_and_csv_give_the_numbers_back(finding: HistogramError, tmp_path: Path):
    write_finding(finding, tmp_path, "histogram-error")
    data = json.loads((tmp_path / "histogram-error.json").read_text())
    rows = list(csv.DictReader(io.StringIO((tmp_path / "histogram-error.csv").read_text())))
    assert data["about"]["seed"] == "11"
    assert {"numpy version", "python version"} <= set(data["about"])
    assert data["versions"]["exactdp"] == xdp.__version__
    assert len(data["rows"]) == len(rows) == len(finding.points)
    for point, read, line in zip(finding.points, data["rows"], rows, strict=True):
        for each in fields(point):
            value = getattr(point, each.name)
            ends = [value.low, value.high] if isinstance(value, Sampled) else [value]
            names = [f"{each.name}_low", f"{each.name}_high"] if isinstance(value, Sampled) else [each.name]
            for name, end in zip(names, ends, strict=True):
                number = read[name]
                if isinstance(end, xdp.Interval):
                    assert Fraction(number["lo"]) <= end.lo <= end.hi <= Fraction(number["hi"])
                    assert (line[f"{name}_lo"], line[f"{name}_hi"]) == (number["lo"], number["hi"])
                else:
                    assert Fraction(number["exact"]) == end
                    assert Fraction(line.get(name) or line[f"{name}_lo"]) == end


def test_a_failure_on_the_way_leaves_no_file(finding: HistogramError, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def draw(self: Picture, path: Path, **_: object) -> None:
        raise RuntimeError(f"no {path.suffix}")

    monkeypatch.setattr(Picture, "draw", draw)
    with pytest.raises(RuntimeError, match=r"no \.svg"):
        write_finding(finding, tmp_path, "histogram-error")
    assert list(tmp_path.iterdir()) == []


def test_old_files_are_replaced_whole_and_a_directory_in_the_way_is_refused(finding: HistogramError, tmp_path: Path):
    (tmp_path / "x.csv").write_text("old")
    paths = write_finding(finding, tmp_path, "x")
    assert [path.suffix[1:] for path in paths] == list(SUFFIXES)
    assert "old" not in (tmp_path / "x.csv").read_text()
    before = (tmp_path / "x.csv").read_bytes()
    (tmp_path / "x.svg").unlink()
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(InvalidFileError, match=r"x\.svg is a directory\. Remove it, or name another directory\."):
        write_finding(finding, tmp_path, "x")
    assert (tmp_path / "x.csv").read_bytes() == before


def test_a_directory_is_made_in_its_parent_only(finding: HistogramError, tmp_path: Path):
    write_finding(finding, tmp_path / "new", "x")
    assert len(list((tmp_path / "new").iterdir())) == 4
    with pytest.raises(InvalidFileError, match="is in a directory that does not exist"):
        write_finding(finding, tmp_path / "lost" / "new", "x")
    with pytest.raises(InvalidFileError, match="is no directory"):
        write_finding(finding, tmp_path / "new" / "x.csv", "x")


def test_the_picture_says_what_the_numbers_are(finding: HistogramError):
    picture = finding.picture()
    last = finding.points[-1].least
    assert f"{last} users at d = 100, the theorem’s 1655" in picture.title
    assert picture.caption.startswith("n = 100000 users, the theorem's noise for ε = 1 and δ = 10⁻⁶.")
    assert picture.caption.endswith("1800 views of all bins 0 empty bins had an estimate.")
    assert picture.table == finding.table()

"""The pytest plugin, in runs of its own: seeds, pins, workers, and what it loads."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp.errors import InvalidFileError
from exactdp.testing import assert_not_refuted
from exactdp.testing.plugin import Pin, add_pins, read_pins
from exactdp.testing.session import SeededFailureError, Session, begin, current, end

ROOT = Path(__file__).resolve().parents[3]
TESTS = '''
import pytest
from exactdp import Binomial
from exactdp.testing import assert_samples_match

LAW = Binomial(9, "1/2")

def wrong(size, rng):
    """Wrong under one seed: its first number is told."""
    import numpy as np
    is_seven = rng.random() == np.random.default_rng(7).random()
    return rng.binomial(9, 0.9 if is_seven else 0.5, size)

def test_wrong():
    assert_samples_match(wrong, LAW, size=500)

def test_right():
    assert_samples_match(lambda size, rng: rng.binomial(9, 0.5, size), LAW, size=500)

def test_expected():
    with pytest.raises(AssertionError):
        assert_samples_match(lambda size, rng: rng.binomial(9, 0.9, size), LAW, size=500)

@pytest.mark.xfail(strict=True)
def test_known():
    assert_samples_match(lambda size, rng: rng.binomial(9, 0.9, size), LAW, size=500)
'''


def run(folder, *options):
    """Run pytest in a folder, with this plugin and no other but xdist."""
    command = [sys.executable, "-m", "pytest", "-p", "exactdp.testing.plugin", "-p", "no:cacheprovider", *options]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT)}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_sampler.py").write_text(TESTS)
    return tmp_path


@pytest.mark.slow
def test_a_failing_seed_is_pinned_by_a_worker_and_tried_first_afterwards(project):
    first = run(project, "-p", "xdist", "-n", "1", "--exactdp-seed=7")
    assert "exactdp: --exactdp-seed=7" in first.stdout
    assert "1 failed, 2 passed, 1 xfailed" in first.stdout
    assert "exactdp: pinned 1 seed in exactdp-pins, to be tried first." in first.stdout
    assert (project / "exactdp-pins").read_text() == (
        "# Seeds that failed before; exactdp tries them first. Delete a line to forget it.\n"
        '{"test": "test_sampler.py::test_wrong", "assertion": "assert_samples_match", "seed": 7}\n'
    )
    again = run(project)
    assert "1 failed, 2 passed, 1 xfailed" in again.stdout
    assert "seed=7, pinned because it failed before." in again.stdout
    assert "exactdp: " not in again.stdout  # no header, no new pin


def test_without_a_file_every_seed_is_that_of_the_session(project):
    with (project / "pytest.ini").open("a") as file:
        file.write("exactdp_pins =\n")
    done = run(project, "--exactdp-seed=7", "-k", "wrong")
    assert "seed=7, the seed of the session." in done.stdout
    assert not (project / "exactdp-pins").exists()


def test_bad_options_and_files_are_usage_errors(project):
    done = run(project, "--exactdp-seed=-1")
    assert done.returncode == 4
    assert "--exactdp-seed=-1 is no seed. Pass an integer from 0 to 2^64 - 1, or 'random'." in done.stderr
    (project / "exactdp-pins").write_text("# a remark\n\n{}\n")
    done = run(project)
    assert done.returncode == 4
    assert "exactdp-pins: line 3 is no pin. Delete it, or write {" in done.stderr


def test_a_session_that_does_not_use_it_loads_no_library_and_no_engine(tmp_path):
    loaded = (
        "import sys\n"
        "def test_loaded():\n"
        "    rooms = {n for n in sys.modules if n.startswith('exactdp')}\n"
        "    assert rooms == {'exactdp', 'exactdp.errors', 'exactdp.testing', 'exactdp.testing.plugin',\n"
        "                     'exactdp.testing.session'}\n"
        "    assert not {'numpy', 'flint', 'hypothesis', 'sympy', 'matplotlib'} & sys.modules.keys()\n"
    )
    (tmp_path / "test_nothing.py").write_text(loaded)
    done = run(tmp_path, "--exactdp-seed=random")
    assert "1 passed" in done.stdout, done.stdout
    assert "exactdp: --exactdp-seed=" in done.stdout


# --- In this process ---------------------------------------------------------------------------------------------


def test_pins_of_a_file_are_kept_and_added_to(tmp_path):
    path = tmp_path / "exactdp-pins"
    assert read_pins(path) == []
    first, second = Pin("a.py::t[ü b]", "assert_not_refuted", 2**64 - 1), Pin("a.py::t", "assert_samples_match", 0)
    assert add_pins(path, [first, first]) == [first]
    path.write_text(path.read_text().rstrip("\n") + "\n# mine")
    assert add_pins(path, [first, second]) == [second]
    assert read_pins(path) == [first, second]
    assert "\n# mine\n" in path.read_text()


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"test": 1, "assertion": "a", "seed": 1}',
        '{"test": "t", "assertion": "a", "seed": "1"}',
        '{"test": "t", "assertion": "a", "seed": -1}',
        '{"test": "t", "assertion": "a", "seed": 1, "more": 1}',
    ],
)
def test_a_line_that_is_no_pin_is_refused(line, tmp_path):
    path = tmp_path / "exactdp-pins"
    path.write_text(f"{line}\n")
    with pytest.raises(InvalidFileError, match="exactdp-pins: line 1 is no pin"):
        read_pins(path)


def test_pinned_seeds_come_first_and_once():
    session = Session(seed=3, pins={("t", "a"): [5, 3, 7]}, test="t")
    assert [seed for seed, _ in session.seeds("a", None)] == [5, 7, 3]
    assert [seed for seed, _ in session.seeds("a", 9)] == [5, 3, 7, 9]
    assert [seed for seed, _ in session.seeds("b", None)] == [3]


def test_the_seed_of_the_session_is_what_samplers_get():
    seen = []

    def sampler(size, rng):
        seen.append(int(rng.integers(2**60)))
        return [0] * size

    begin(Session(seed=11))
    try:
        assert_not_refuted(sampler, sampler, exp_eps=1, delta=0, size=2)
        assert_not_refuted(sampler, sampler, exp_eps=1, delta=0, size=2, seed=11)
    finally:
        end()
    assert seen[:2] == seen[2:]
    assert seen[0] != seen[1]
    assert current().seed == 0


def test_a_failure_can_be_sent_between_processes():
    sent = pickle.loads(pickle.dumps(SeededFailureError("why", "assert_not_refuted", 3)))
    assert (str(sent), sent.assertion, sent.seed) == ("why", "assert_not_refuted", 3)

"""`sample` on the command line: its draws are the library's in every form, and a refusal leaves nothing behind."""

import csv
import io
import json
import stat
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import exactdp as xdp
from exactdp import ShuffleProtocol, protocols
from exactdp.cli.commands import sample as command
from exactdp.cli.main import cli
from exactdp.sampling import sample

GAP = "sample @gap --dataset 0=5,1=5"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def run(line: str) -> Result:
    return CliRunner().invoke(cli, line.split())


def output(line: str) -> str:
    result = run(line)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def table(line: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(output(f"{line} --format csv"))))


def drawn(protocol, dataset, size, seed, **more):
    return sample(protocol, dataset, size=size, rng=np.random.default_rng(seed), **more).tolist()


# --- What is printed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["", " --jobs 2"])
def test_the_draws_are_the_librarys(jobs):
    header, *rows = table(f"{GAP} --size 1000 --seed 7{jobs}")
    assert header == ["0", "1"]
    assert [list(map(int, row)) for row in rows] == drawn(protocols.gap(10), {0: 5, 1: 5}, 1000, 7)


def test_the_three_forms_hold_the_same_draws():
    line = f"{GAP} --size 5 --seed 3"
    data, rows, text = json.loads(output(f"{line} --format json")), table(line), output(line).splitlines()
    assert [list(map(str, row)) for row in data["draws"]] == rows[1:]
    assert [each.split() for each in text[2:8]] == rows
    assert text[0] == "@gap, n = 10, data set 0=5,1=5"
    assert text[-1] == "5 draws with seed 3, in floats: to look at, never the support of a claim."
    about = {name: value for name, value in data.items() if name != "draws"}
    assert about == {
        "schema": "exactdp-output-1",
        "version": xdp.__version__,
        "command": "sample",
        "randomizer": "@gap",
        "n": 10,
        "n_counts": "users who follow the protocol",
        "dataset": {"0": 5, "1": 5},
        "messages": ["0", "1"],
        "size": 5,
        "seed": "3",
        "bit_generator": "PCG64",
        "numpy": np.__version__,
        "level": "float",
    }


def test_a_noise_law():
    line = "sample @binomial-sum:n1=300,p1=3/4,n2=700,p2=1/4 --size 4 --seed 2"
    data = json.loads(output(f"{line} --format json"))
    assert (data["law"], data["messages"]) == ("BinomialSum", ["k"])
    assert data["parameters"] == {"n1": "300", "p1": "3/4", "n2": "700", "p2": "1/4"}
    law = xdp.AdditiveProtocol(xdp.BinomialSum(300, "3/4", 700, "1/4"))
    assert [list(map(int, row)) for row in data["draws"]] == drawn(law, [], 4, 2)


def test_noise_with_the_nearest_float():
    rows = table("sample @geometric:p=exp(-1/5) --size 6 --seed 2 --nearest")[1:]
    law = xdp.AdditiveProtocol(xdp.Geometric(xdp.Real.exp("-1/5")))
    assert [list(map(int, row)) for row in rows] == drawn(law, [], 6, 2, nearest=True)


def test_a_billion_users():
    rows = table("sample @randomized-response --gamma 1/2 --dataset 0=1000000000 --size 3 --seed 1")[1:]
    flip = ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), 10**9)
    assert [list(map(int, row)) for row in rows] == drawn(flip, {0: 10**9}, 3, 1)


def test_a_file_with_labels_that_need_quotes():
    Path("labels.toml").write_text(
        '[[row]]\ninput = "a,b"\nmessages = [ {send = ["x,y"], prob = "1/2"}, {send = ["z\\n"], prob = "1/2"} ]\n'
    )
    line = ["sample", "labels.toml", "--dataset", '{"a,b": 4}', "--size", "2", "--seed", "1", "--format"]
    result = CliRunner().invoke(cli, [*line, "csv"])
    assert next(csv.reader(io.StringIO(result.stdout))) == ["x,y", "z\n"]
    assert json.loads(CliRunner().invoke(cli, [*line, "json"]).stdout)["messages"] == ["x,y", "z\n"]
    assert "'z\\n'" in CliRunner().invoke(cli, [*line, "text"]).stdout


def test_without_a_seed_the_fresh_one_is_said_and_draws_the_same():
    first, second = run(f"{GAP} --size 20 --format csv"), run(f"{GAP} --size 20 --format csv")
    assert first.stdout != second.stdout
    seed = first.stderr.removeprefix("seed=").split(";")[0]
    assert first.stderr == f"seed={seed}; --seed {seed} draws the same numbers again.\n"
    again = run(f"{GAP} --size 20 --format csv --seed {seed}")
    assert (again.stdout, again.stderr) == (first.stdout, "")


def test_a_file_is_written_whole(tmp_path: Path):
    Path("old.csv").write_text("old")
    Path("old.csv").chmod(0o640)
    for name in ("old.csv", "new.csv"):
        result = run(f"{GAP} --size 9 --seed 1 --format csv -o {name}")
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {name}\n")
        assert Path(name).read_text() == output(f"{GAP} --size 9 --seed 1 --format csv")
    assert stat.S_IMODE(Path("old.csv").stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "old.csv"]


def test_what_is_no_regular_file_is_written_to():
    assert run(f"{GAP} --size 9 --seed 1 -o /dev/null").stderr == "wrote /dev/null\n"


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json"])
def test_memory_does_not_grow_with_the_size(form):
    """140,000 draws are 10 MB as Python lists, and more as text; a few strips of 65536 are held at a time."""
    line = f"sample @poisson:mu=100 --seed 1 --format {form} -o draws"
    output(f"{line} --size 1")
    tracemalloc.start()
    try:
        output(f"{line} --size 70000")
        small = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        output(f"{line} --size 140000")
        large = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert large < 1.3 * small < 64 * 2**20
    assert Path("draws").stat().st_size > 140_000 * 3


# --- Interruptions and progress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left on device")])
def test_an_interruption_leaves_the_old_file(error, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    blocks = command._blocks

    def broken(*given):
        yield next(blocks(*given))
        raise error

    monkeypatch.setattr(command, "_blocks", broken)
    Path("draws.csv").write_text("old")
    result = run(f"{GAP} --size 100000 --seed 1 --format csv -o draws.csv")
    assert result.exit_code in (2, 130)
    assert result.stderr.startswith("error: ")
    assert Path("draws.csv").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["draws.csv"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stdout", "stderr", "output", "shown"),
    [
        (io.StringIO, Terminal, None, True),
        (Terminal, Terminal, "file", True),
        (Terminal, Terminal, None, False),  # the draws themselves run through this terminal
        (Terminal, Terminal, "-", False),
        (io.StringIO, io.StringIO, None, False),
    ],
)
def test_progress_is_shown_to_a_terminal_after_a_second(stdout, stderr, output, shown, monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(command, "monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stdout", stdout())
    monkeypatch.setattr("sys.stderr", said := stderr())
    blocks = [np.zeros((4, 1), np.int64)] * 3
    assert list(command._progress(iter(blocks), 12, output)) == blocks
    assert said.getvalue() == ("\r8 of 12 draws\r12 of 12 draws\r" + " " * 16 + "\r" if shown else "")


# --- What is refused -------------------------------------------------------------------------------------------------

DIGITS = "is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces."
REFUSED = {
    "sample @gap --size 3": "@gap needs --dataset, the users per input. Write --dataset 0=3,1=2.",
    "sample @gap --dataset 0=0 --size 3": "the data set is empty. Give at least one user: --dataset INPUT=COUNT.",
    "sample @gap --dataset 2=1 --size 3": "the data set holds the unknown input '2'. The inputs are 0, 1.",
    "sample @gap --dataset 0=-1 --size 3": "count of '0'=-1 is below 0. Pass count of '0' of at least 0.",
    "sample @gap --dataset 0=2 -n 3 --size 3": "the data set has 2 users, but the protocol has n=3. "
    "Give one input for each user.",
    "sample @gap --dataset 0=1e16 --size 3": "the data set has 10000000000000000 users, more than the limit of 2^53. "
    "Use fewer.",
    "sample @gap --dataset 0=9e15 --size 3": "36000000000000000 messages of one kind are more than the limit of 2^53. "
    "Use fewer users.",
    "sample @poisson:mu=1 --dataset 0=1 --size 3": "--dataset has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "sample @poisson:mu=1 -n 1 --size 3": "-n has no meaning for @poisson:mu=1. Leave it out: "
    "it belongs to randomizers.",
    "sample @poisson:mu=1": "Missing option '--size'. See 'exactdp sample --help'.",
    "sample @poisson:mu=1 --size 0": "size=0 is below 1. Pass size of at least 1.",
    "sample @poisson:mu=1 --size 1/2": "size=1/2 is not an integer. Pass a whole number.",
    "sample @poisson:mu=1 --size ten": f"size='ten' {DIGITS}",
    "sample @poisson:mu=1 --size 10001": "size=10001 draws are more than the limit of 10000 for text. "
    "Write --format csv or json, which have none.",
    "sample @poisson:mu=1 --size 3 --seed -1": "seed=-1 is below 0. Pass seed of at least 0.",
    "sample @poisson:mu=1 --size 3 --seed 1e39": "seed has 130 bits, more than 128. Use a smaller seed.",
    "sample @poisson:mu=1 --size 3 --jobs 0": "jobs=0 is below 1. Pass jobs of at least 1.",
    "sample @poisson:mu=1 --size 3 --jobs 65": "jobs=65 is more than the limit of 64. Use a smaller number.",
    "sample @poisson:mu=1/3 --size 3": "mu=1/3 of Poisson('1/3') is not a float, so that the noise drawn is not this "
    "law's. Round it to a multiple of 2^-53, or take the nearest float: nearest=True, or --nearest.",
    "sample @geometric:p=exp(-1e-20) --nearest --size 3": "p=e^(-1/100000000000000000000) of "
    "Geometric(Real[e^(-1/100000000000000000000)]) is no float, and the nearest is 1, where this is another law. "
    "Use a parameter that is farther from it.",
    "sample @poisson:mu=1e20 --size 3": "Poisson('100000000000000000000') has the mean 1e+20, more than the limit of "
    "2^53. Use less noise.",
    "sample @poisson:mu=1 --size 3 -o absent/file": "absent/file is in a directory that does not exist. "
    "Make it, or name another file.",
    "sample @poisson:mu=1 --size 3 -o .": ". is a directory. Name a file.",
}


@pytest.mark.parametrize("line", REFUSED)
def test_the_message(line, tmp_path: Path):
    result = run(line)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {REFUSED[line]}\n"
    assert list(tmp_path.iterdir()) == []


# --- Estimates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "dataset", "truth"),
    [
        ("krr:inputs=3,exp-eps0=4", "0=3000,2=1000", [3000, 0, 1000]),
        ("unary-encoding:inputs=4,exp-eps0=9", "0=3000,3=1000", [3000, 0, 0, 1000]),
        ("subset-selection:inputs=4,size=3,exp-eps0=9", "0=3000,2=1000", [3000, 0, 1000, 0]),
        ("hadamard-response:inputs=3,exp-eps0=9", "1=4000", [0, 4000, 0]),
        ("local-hashing:inputs=9,exp-eps0=9", "0=3000,8=1000", [3000, 0, 0, 0, 0, 0, 0, 0, 1000]),
        ("clipped-discrete-laplace:top=2,exp-eps0=9", "0=3000,1=1000", [3000, 1000, 0]),
        ("mixed-dummies:inputs=3,exp-eps0=9,dummies=1", "0=3000,1=1000", [3000, 1000, 0]),
    ],
)
def test_estimates_are_right_on_average_and_as_far_off_as_accuracy_says(name, dataset, truth):
    _, *rows = table(f"sample {name} --dataset {dataset} --size 4000 --seed 5 --estimates")
    found = np.array(rows, np.float64)
    said = json.loads(output(f"accuracy {name} -n 4000 --beta 1/20 --format json"))
    deviation = float(said["standard_deviation"]["hi"])
    assert np.all(abs(found.mean(axis=0) - truth) < 5 * deviation / len(found) ** 0.5)
    assert np.all(found.std(axis=0) < 1.1 * deviation)
    assert np.all(np.mean(abs(found - truth) > float(said["alpha"]["hi"]), axis=0) < 0.07)


def test_estimates_of_a_product_stand_beside_each_other():
    words = ["sample", "@product:of=(krr:inputs=40,exp-eps0=3; krr:inputs=900,eps0=2)", "--dataset", '{"(1, 2)": 5000}']
    result = CliRunner().invoke(cli, [*words, *["--size", "1", "--seed", "1", "--estimates", "--format", "csv"]])
    head, row = csv.reader(io.StringIO(result.stdout))
    assert (len(head), head[0], head[-1], len(row)) == (940, "question 1: 0", "question 2: 899", 940)
    assert [abs(float(row[1]) - 5000) < 1000, abs(float(row[42]) - 5000) < 1500] == [True, True]


def test_what_estimates_nothing_is_refused():
    for line, words in (
        ("sample @poisson:mu=3 --size 1", "is of the holders"),
        ("sample clipped-discrete-laplace:top=300,exp-eps0=9 --dataset 0=5 --size 1", "too large for weights"),
        ("sample @complement --dataset 0=5 --size 1", "do not tell the inputs apart"),
    ):
        result = run(f"{line} --estimates")
        assert result.exit_code == 2
        assert words in result.stderr

"""Nothing that a file can do may hurt: shapes that ask for much are answered, soon and in little room."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp.checker.claims import KINDS
from exactdp.claims.bare_checker import bare_checker
from tests.certificates import hostile
from tests.certificates.shapes import SHAPES, Grown, text_of

needs_node = pytest.mark.skipif("second" not in hostile.checkers(), reason="there is no node")
needs_posix = pytest.mark.skipif(os.name != "posix", reason="pipes, /dev and limits of a process are POSIX")
# Each of these ran for minutes or took gigabytes: the price of one step was not asked.
AUDIT = {
    "a_window_that_never_falls": "REJECTED",
    "a_table_of_long_weights": "MALFORMED",
    "outcomes_of_many_bits": "MALFORMED",
    "four_windows": "MALFORMED",
    "a_power_of_a_long_ratio": "MALFORMED",
    "a_power_of_a_long_eps": "MALFORMED",
    "many_parts_with_an_exponential": "MALFORMED",
    "millions_of_exponents": "MALFORMED",
    "sums_of_shared_outcomes": "MALFORMED",
    "weights_over_a_long_denominator": "MALFORMED",
}
SLOW = {
    "outcomes_of_many_bits",
    "sums_of_shared_outcomes",
    "many_parts_with_an_exponential",
    "millions_of_exponents",
    "weights_over_a_long_denominator",
}  # seconds each
# What is beyond these was never in question: a fifth of the limits of one file, for a suite that runs often.
SECONDS, BYTES = 20, 4 * 10**8


def written(name: str, folder: Path, share: float = 1.0) -> Path:
    file = folder / f"{name}.json"
    file.write_text(text_of(SHAPES[name](Grown(share))), encoding="ascii")
    return file


@needs_posix
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in AUDIT])
def test_a_shape_of_the_audit_is_refused_before_it_grows(name: str, tmp_path: Path) -> None:
    answer = hostile.asked("first", written(name, tmp_path))
    assert answer.faults == []
    assert answer.line.split()[0] == AUDIT[name]
    assert answer.seconds < (hostile.SECONDS if name in SLOW else SECONDS)
    assert answer.bytes < BYTES


@needs_posix
@needs_node
@pytest.mark.parametrize(
    ("name", "share", "word"),
    [
        pytest.param("a_window_that_never_falls", 1.0, "MALFORMED", marks=pytest.mark.slow),
        ("a_window_that_never_falls", 0.15, "NOT COVERED"),  # the upper weights are longer than the bits asked for
        ("four_windows", 1.0, "MALFORMED"),
        pytest.param("sums_of_shared_outcomes", 1.0, "MALFORMED", marks=pytest.mark.slow),
        pytest.param("outcomes_of_many_bits", 1.0, "NOT COVERED", marks=pytest.mark.slow),
        pytest.param("a_power_of_a_long_eps", 1.0, "MALFORMED", marks=pytest.mark.slow),  # a gcd of 2^18 bits took 15 s
    ],
)
def test_the_second_checker_refuses_them_too(name: str, share: float, word: str, tmp_path: Path) -> None:
    answer = hostile.asked("second", written(name, tmp_path, share))
    assert answer.faults == []
    assert answer.word == word
    assert answer.seconds < SECONDS / 2
    assert answer.bytes < BYTES


def test_a_file_is_drawn_again_by_its_number() -> None:
    drawn = list(hostile.drawn(2 * len(SHAPES), 3))
    assert drawn == list(hostile.drawn(2 * len(SHAPES), 3))
    assert {name for name, _ in drawn} == set(SHAPES)
    assert hostile.text_of_shape(*drawn[0]) == hostile.text_of_shape(*drawn[0])


def test_every_kind_of_claim_is_drawn() -> None:
    claims = [build(Grown(0.1, random.Random(seed)))["claim"] for build in SHAPES.values() for seed in range(8)]
    assert {claim["kind"] for claim in claims} == set(KINDS)


def test_of_100_files_so_many_have_grown_far() -> None:
    """Every shape takes its turn, in both of the ways in which a file grows far."""
    far = 2 * len(SHAPES)
    drawn = list(hostile.drawn(100 * far, 1, 1))
    kinds = [sum(number % hostile.KINDS == kind for _, number in drawn) for kind in range(3)]
    assert kinds[0] == 99 * far
    assert abs(kinds[1] - len(SHAPES)) <= 1
    for kind in (1, 2):
        assert {name for name, number in drawn if number % hostile.KINDS == kind} == set(SHAPES)
    assert {name for name, number in hostile.drawn(240, 1, 30) if number % hostile.KINDS} == set(SHAPES)
    assert hostile.grown(6).share <= hostile.MODERATE
    assert hostile.grown(7).share >= hostile.MODERATE
    assert hostile.grown(8).share == 1


def test_faults_are_seen() -> None:
    good = hostile.Answer("first", 2, "MALFORMED x\n", "", 1.0, 10**8)
    assert good.faults == []
    for bad in (
        good._replace(status=-9),
        good._replace(status=3),
        good._replace(line=""),
        good._replace(errors="Traceback"),
        good._replace(seconds=120.5),
        good._replace(bytes=10**9 + 1),
        good._replace(line="MALFORMED x: the check is too large: beyond 110 s\n"),
        good._replace(checker="second", line="MALFORMED x\nMALFORMED x\n"),
        good._replace(checker="second", status=3, line="NOT COVERED more time than this checker takes\n"),
        good._replace(checker="second", status=3, line="NOT COVERED this checker failed: no such thing\n"),
    ):
        assert len(bad.faults) == 1, bad
    priced = good._replace(checker="second", status=3, line="NOT COVERED more work than this checker does\n")
    assert priced.faults == []


FIRST = """
import sys, time
def main(paths, begin):
    begin()
    BODY
    print("MALFORMED it")
    return 2
def limit_the_process():
    return tuple
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], limit_the_process()))
"""
SECOND = """
function judge() {
  BODY
  return { word: "MALFORMED", text: "it" };
}
if (process.send) process.on("message", () => process.send(judge()));
else {
  const { word, text } = judge();
  console.log(word + " " + text);
  process.exitCode = { MALFORMED: 2, "NOT COVERED": 3 }[word];
}
"""


def run_with(name: str, body: str, folder: Path, patch: pytest.MonkeyPatch) -> int:
    """The exit status of a run that asks nothing but this checker, with limits that are soon reached."""
    file = folder / {"first": "checker.py", "second": "checker.mjs"}[name]
    file.write_text({"first": FIRST, "second": SECOND}[name].replace("BODY", body))
    patch.setattr(hostile, "CHECKERS", {name: [*hostile.CHECKERS[name][:-1], str(file)]})
    patch.setattr(hostile, "JUDGE", ["node", str(file)])
    patch.setattr(hostile, "BYTES", 2 * 10**8)
    return hostile.main(["--files", "1"])


BAD = {
    "first": {
        "for ever": "while True: pass",
        "asleep": "time.sleep(1000)",
        "large": "b'x' * (3 * 10**8)",
        "traceback": "1 / 0",
        "killed": "import os; os.kill(os.getpid(), 9)",
        "net": "print('MALFORMED it: the check is too large: beyond 110 s'); return 2",
        "status": "print('MALFORMED it'); return 1",
        "two lines": "print('MALFORMED it')",
    },
    "second": {
        "for ever": "for (;;);",
        "large": 'Buffer.alloc(3e8, "x");',
        "ended": "process.exit(1);",
        "net": 'return { word: "NOT COVERED", text: "more memory than this checker takes" };',
    },
}


RUNS = [
    pytest.param(name, what, marks=[pytest.mark.slow] * (what == "for ever"))
    for name in hostile.checkers()
    for what in BAD[name]
]


@needs_posix
@pytest.mark.slow
@pytest.mark.parametrize(("name", "what"), RUNS)
def test_a_run_fails_where_a_checker_does(
    name: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if what == "for ever":
        monkeypatch.setattr(hostile, "SECONDS", 0)
    if what == "asleep":
        monkeypatch.setattr(hostile, "PATIENCE", 0.3)
    assert run_with(name, BAD[name][what], tmp_path, monkeypatch) == 1
    assert f", the {name} checker " in capsys.readouterr().out


@needs_posix
@pytest.mark.parametrize("name", hostile.checkers())
def test_a_run_passes_where_a_checker_answers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_with(name, "", tmp_path, monkeypatch) == 0


# --- What is no file, and where nothing can be written --------------------------------------------------------------


def answered(name: str, *paths: str, out: str | None = None) -> subprocess.CompletedProcess[str]:
    command = " ".join(f"'{word}'" for word in [*hostile.CHECKERS[name], *paths])
    return subprocess.run(f"{command} {out or ''}", shell=True, capture_output=True, text=True, check=False, timeout=60)


@needs_posix
@pytest.mark.parametrize("name", hostile.checkers())
def test_a_named_pipe_is_refused(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    done = answered(name, str(pipe))
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.startswith("MALFORMED ")
    assert done.stdout.endswith("not a regular file\n")


@needs_posix
@pytest.mark.parametrize("name", hostile.checkers())
@pytest.mark.parametrize("out", ["> /dev/full", "| true; exit ${PIPESTATUS[0]}"])
def test_where_nothing_can_be_written_the_status_says_so(name: str, out: str, tmp_path: Path) -> None:
    if "full" in out and not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    file = str(written("deep_and_broad", tmp_path, 0.1))
    command = " ".join(f"'{word}'" for word in [*hostile.CHECKERS[name], *[file] * 300])
    done = subprocess.run(["bash", "-c", f"{command} {out}"], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("the answer cannot be written: ")
    assert done.stderr.count("\n") == 1


# --- The net under the prices ---------------------------------------------------------------------------------------

NET = """
import runpy, sys
checker = runpy.run_path(sys.argv[1])
checker["limit_the_process"].__globals__.update(MAX_SECONDS=0.3, MAX_MEMORY=int(sys.argv[2]), MAX_WORK=10**15)
checker["main"].__globals__.update(MAX_HELD_BITS=2**40, MAX_STEPS=10**15)
sys.exit(checker["main"](sys.argv[3:], checker["limit_the_process"]()))
"""


@needs_posix
@pytest.mark.skipif(sys.platform == "darwin", reason="this system does not hold a process to its address space")
@pytest.mark.parametrize(
    ("shape", "memory", "reason"),
    [
        ("a_noisy_count", 10**9, "the check is too large: beyond 0.3 s"),
        pytest.param(
            "weights_over_a_long_denominator",
            2 * 10**8,
            "the check is too large: beyond the memory there is",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_a_price_missed_is_refused_all_the_same(shape: str, memory: int, reason: str, tmp_path: Path) -> None:
    file = str(written(shape, tmp_path, 0.93))
    if "memory" in reason:
        net = NET.replace("MAX_SECONDS=0.3", "MAX_SECONDS=60")
    else:
        net = NET
    bare = tmp_path / "checker.py"
    bare.write_text(bare_checker(), encoding="ascii")
    command = [sys.executable, "-I", "-S", "-c", net, str(bare), str(memory), file, file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout.splitlines() == [f"MALFORMED {file!a}: {reason}"] * 2


REFUSING = """
import os, resource, runpy, signal, sys
def refuse(*_):
    raise ValueError("current limit exceeds maximum limit")
resource.setrlimit = refuse
checker = runpy.run_path(sys.argv[1])
begin = checker["limit_the_process"]()
print(begin.func is signal.setitimer)
os.name = "nt"
print(checker["limit_the_process"]() is tuple)
sys.exit(checker["main"](sys.argv[2:], begin))
"""


@needs_posix
def test_a_system_without_such_limits_has_the_prices(tmp_path: Path) -> None:
    """Where memory cannot be limited there is the time, and elsewhere neither; files are answered all the same."""
    bare = tmp_path / "checker.py"
    bare.write_text(bare_checker(), encoding="ascii")
    file = str(next((Path(__file__).parents[2] / "certificates" / "v1" / "correct").glob("*.json")))
    command = [sys.executable, "-I", "-S", "-c", REFUSING, str(bare), file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, answer = done.stdout.splitlines()
    assert (first, second, answer.split()[0] in ("PROVED", "REFUTED")) == ("True", "True", True)

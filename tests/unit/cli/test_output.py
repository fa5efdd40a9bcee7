"""Files that are whole or untouched, numbers that are whole or short, and lines that line up."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from exactdp.cli.dataset_view import read_dataset
from exactdp.cli.main import cli
from exactdp.cli.output import columns, printable
from exactdp.files.atomic_file import write_whole
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import LogRational, eps_json
from exactdp.numbers.formats import decimal_text, exact_text, number_json, number_text
from exactdp.numbers.interval import Interval
from tests.expensive import one_in

# --- Files ----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_and_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "answer"
    write_whole(target, "old\n")
    write_whole(target, "new\n")
    assert target.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [target]


def test_a_new_file_has_the_usual_permissions_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    target, usual = tmp_path / "answer", tmp_path / "usual"
    usual.write_text("")
    write_whole(target, "x")
    assert target.stat().st_mode == usual.stat().st_mode
    target.chmod(0o640)
    write_whole(target, "y")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_is_followed_and_a_device_stays_a_device(tmp_path: Path) -> None:
    target, link = tmp_path / "answer", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_whole(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    write_whole(os.devnull, "gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("broken", ["replace", "fsync", "chmod"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str, error: BaseException
) -> None:
    target = tmp_path / "answer"
    target.write_text("old\n")

    def interrupted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(os, broken, interrupted)
    result = CliRunner().invoke(cli, ["delta", "@gap", "-n", "2", "--exp-eps", "2", "-o", str(target)])
    assert target.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [target]
    assert result.stdout == ""
    if isinstance(error, KeyboardInterrupt):
        assert (result.exit_code, result.stderr) == (130, "error: interrupted. Nothing was written.\n")
    else:
        assert result.exit_code == 2
        assert result.stderr == (
            "error: the output cannot be written: No space left on device. "
            "Name another file with -o, or free some space.\n"
        )


def test_an_interruption_while_the_text_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is half in the temporary file when the interruption comes."""
    target = tmp_path / "answer"
    target.write_text("old\n")
    opened = os.fdopen

    def fdopen(*args: object, **kwargs: object) -> object:
        stream = opened(*args, **kwargs)  # type: ignore[call-overload]
        write = stream.write

        def half(text: str) -> None:
            write(text[: len(text) // 2])
            stream.flush()
            raise KeyboardInterrupt

        stream.write = half
        return stream

    monkeypatch.setattr(os, "fdopen", fdopen)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, "new\n" * 1000)
    assert target.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [target]


# --- Numbers --------------------------------------------------------------------------------------------------------

fractions = st.fractions(min_value=-(10**6), max_value=10**6) | st.builds(
    Fraction, st.integers(-(2**20000), 2**20000), st.integers(1, 2**20000)
)


@one_in(2)
@given(fractions, st.integers(1, 40))
def test_decimals_are_on_the_stated_side_and_close(value: Fraction, digits: int) -> None:
    low, high = (Fraction(decimal_text(value, digits, up=up)) for up in (False, True))
    assert low <= value <= high
    assert high - low <= 2 * abs(value) / Fraction(10) ** (digits - 1)


@one_in(2)
@given(fractions)
def test_json_holds_the_whole_fraction(value: Fraction) -> None:
    number = number_json(value)
    assert number["exact"] is not None
    top, _, bottom = number["exact"].partition("/")
    assert Fraction(int(top, 0), int(bottom or "1", 0)) == value
    assert Fraction(number["lo"] or "") <= value <= Fraction(number["hi"] or "")


@one_in(2)
@given(fractions)
def test_text_is_short(value: Fraction) -> None:
    assert len(number_text(value)) <= 60


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1), "1"),
        (Fraction(1, 4), "1/4 (0.25)"),
        (Fraction(1, 3), "1/3 (0.3333334)"),
        (Fraction(1, 10**20), "1e-20 (1/21 digits)"),
        (Fraction(1, 2**700_000), "1.007014e-210721 (about 1/210721 digits)"),
        (Interval(Dyadic.of(0), Dyadic.of(0)), "0"),
        (Interval.around(Fraction(1, 3), relative_bits=53), "[0.3333333333, 0.3333333334]"),
        (Interval(Dyadic.of(1, -(10**9)), Dyadic.of(1, -(10**9))), "[2.167797967e-301029996, 2.167797968e-301029996]"),
    ],
)
def test_numbers_for_reading(value: Fraction | Interval, text: str) -> None:
    assert number_text(value) == text


def test_more_bits_give_more_decimals() -> None:
    third = Interval.around(Fraction(1, 3), relative_bits=500)
    number = number_json(third, relative_bits=500)
    assert number["exact"] is None
    assert Fraction(number["hi"] or "") - Fraction(number["lo"] or "") < Fraction(1, 2**495)


def test_every_eps_in_json() -> None:
    assert set(eps_json(LogRational(None)).values()) == {"infinity"}
    assert eps_json(LogRational(1)) == {"exact": "0", "exp_eps": "1", "lo": "0", "hi": "0"}
    half = eps_json(LogRational("3/2"))
    assert (half["exact"], half["exp_eps"]) == ("ln(3/2)", "3/2")
    assert half["lo"].startswith("0.405465108108164")
    assert half["lo"] < half["hi"]


def test_long_integers_are_in_hexadecimal() -> None:
    assert exact_text(10**4000) == "1" + "0" * 4000
    assert exact_text(-(16**5000)) == "-0x1" + "0" * 5000


# --- Text -----------------------------------------------------------------------------------------------------------

labels = st.text(min_size=0, max_size=5)


@one_in(2)
@given(st.dictionaries(labels, st.integers(0, 10**6), max_size=4))
def test_a_data_set_reads_back(dataset: dict[str, int]) -> None:
    assert read_dataset(write_dataset(dataset), tuple(dataset)) == dataset
    json.dumps(dataset)


@pytest.mark.parametrize(
    ("label", "shown"), [("a", "a"), (0, "0"), ("", "''"), ("a\x1b[2J", "'a\\x1b[2J'"), ("é", "é"), ("a\nb", "'a\\nb'")]
)
def test_labels_cannot_move_the_cursor(label: object, shown: str) -> None:
    assert printable(label) == shown


def test_columns_line_up() -> None:
    assert columns([("a", "bb"), ("ccc", "d")]) == ["a    bb", "ccc  d"]


# --- Signals --------------------------------------------------------------------------------------------------------

SLOW_WRITER = """
import os, pathlib, signal, sys
from exactdp.files.atomic_file import write_whole

signal.signal(getattr(signal, sys.argv[2]), signal.SIG_DFL)  # these tests may run where it is ignored

def parts():
    yield "half"
    print(*os.listdir(sys.argv[1]), flush=True)
    signal.raise_signal(getattr(signal, sys.argv[2]))
    yield "never"

write_whole(pathlib.Path(sys.argv[1]) / "answer", parts())
"""


@pytest.mark.skipif(os.name != "posix", reason="elsewhere these signals do not exist, or end a process at once")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_that_ends_the_process_leaves_no_half_file(tmp_path: Path, name: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SLOW_WRITER, tmp_path, name], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout.split()[0].endswith(".part")
    assert ended.stderr == ""
    assert ended.returncode == -getattr(signal, name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no such signal")
def test_a_signal_that_the_program_handles_is_left_to_it(tmp_path: Path) -> None:
    seen: list[int] = []

    def parts() -> Iterator[str]:
        yield "one"
        signal.raise_signal(signal.SIGHUP)
        yield " two"

    old = signal.signal(signal.SIGHUP, lambda number, frame: seen.append(number))
    try:
        write_whole(tmp_path / "answer", parts())
    finally:
        signal.signal(signal.SIGHUP, old)
    assert seen == [signal.SIGHUP]
    assert (tmp_path / "answer").read_text() == "one two"


def test_signals_are_as_before_after_a_file_is_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "answer", "x")
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


# --- Python's limit on conversions ----------------------------------------------------------------------------------


@pytest.fixture
def _few_digits() -> Iterator[None]:
    """As with PYTHONINTMAXSTRDIGITS=640, the least that Python allows."""
    old = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    yield
    sys.set_int_max_str_digits(old)


@pytest.mark.usefixtures("_few_digits")
@pytest.mark.parametrize(
    "command",
    [
        "delta @randomized-response --gamma {long} -n 20 --exp-eps 2 --format json",
        "delta @randomized-response --gamma 1/3 -n 20 --exp-eps {exp_eps}",
        "delta @randomized-response --gamma 1/3 -n 900 --exp-eps 3/2 --format json",
        "epsilon @randomized-response --gamma 1/3 -n 900 --delta {long} --format csv",
        "law @binomial:n=1000,p=1/3 --from 400 --to 401 --format json",
        "curve @zsum --gamma 1/8 -n 1000 --exp-eps-grid 1,3/2",
        "delta @binomial:n=100,p={long} --exp-eps 2",
        "delta @binomial:n={huge},p=1/3 --exp-eps 2",
        "delta @randomized-response --gamma 1/3 -n {huge} --exp-eps 2",
    ],
)
def test_a_low_limit_of_conversions_is_no_bug(command: str) -> None:
    text = command.format(long="0." + "3" * 3000, exp_eps="1." + "3" * 3000, huge="7" * 3000)
    done = CliRunner().invoke(cli, text.split())
    assert "bug" not in done.stderr
    assert done.exit_code in (0, 2)
    assert (done.exit_code == 0) == (done.stderr == "" or "error" not in done.stderr)

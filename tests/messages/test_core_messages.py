"""The exact words of every error of the core: what, where, why and the repair."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import exactdp as xdp
from exactdp import Randomizer, ShuffleProtocol, errors, randomized_response
from exactdp.mechanisms.dataset import histogram
from exactdp.mechanisms.documents import MAX_FILE_BYTES
from exactdp.numbers import balls, epsilon, exact
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.exact import as_fraction
from tests.messages import golden

COIN = xdp.Law({0: "1/2", 1: "1/2"})
FLIP = randomized_response(2, gamma="1/2")
LONG_CHANCE = Fraction(10**999 + 7, 10**1000)


def read(name: str, content: bytes | None = None) -> Randomizer:
    """A randomizer from a file with these bytes, or from a folder of that name."""
    if content is None:
        Path(name).mkdir(exist_ok=True)
    else:
        Path(name).write_bytes(content)
    return Randomizer.from_file(name)


NAMES = {
    **{name: getattr(xdp, name) for name in xdp.__all__},
    **{name: getattr(module, name) for module in (exact, balls, epsilon) for name in vars(module) if name[0] != "_"},
    "COIN": COIN,
    "Decimal": Decimal,
    "Dyadic": Dyadic,
    "ESTIMATING": ShuffleProtocol(FLIP, 3, analyzer=xdp.Analyzer({1: 1})),
    "FLIP": FLIP,
    "Fraction": Fraction,
    "LONG": Randomizer({x: {(x,): 1 - LONG_CHANCE, (): LONG_CHANCE} for x in range(2)}),
    "LONG_CHANCE": LONG_CHANCE,
    "MIXED": ShuffleProtocol(randomized_response(4, gamma="1/2"), 3000),
    "PROTOCOL": ShuffleProtocol(FLIP, 3),
    "SILENT": Randomizer({0: {(0,): "1/2", (): "1/2"}, 1: {(0,): "1/4", (): "3/4"}}),
    "THIRD": xdp.Interval.around(Fraction(1, 3), relative_bits=10),
    "UNEVEN": Randomizer({0: {(0,): "1/2", (1,): "1/4", (): "1/4"}, 1: {(0,): "1/4", (1,): "1/4", (2,): "1/2"}}),
    "histogram": histogram,
    "protocols": xdp.protocols,
    "read": read,
}
"""What the questions of core.txt name."""


def prepare(folder: Path) -> None:
    """Write nothing: each question writes its own file."""


def said(question: str) -> str:
    """What an expression is refused with."""
    with pytest.raises((errors.ExactDPError, TypeError)) as raised:
        eval(question, dict(NAMES))
    return f"{type(raised.value).__name__}: {raised.value}"


def test_the_messages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert golden.differences("core", said) == []


@pytest.mark.parametrize(
    ("randomizer", "n", "limit"),
    [
        (FLIP, 3, 3),
        (Randomizer({x: {(m,): f"{1 + (x == m)}/4" for m in range(3)} for x in range(3)}), 10**6, 10**8),
        (randomized_response(2, gamma=LONG_CHANCE), 3000, 10**30),
    ],
    ids=["limit", "users", "digits"],
)
def test_one_message_is_answered_where_the_scan_is_refused(randomizer, n, limit):
    profile = ShuffleProtocol(randomizer, n).privacy_profile(limit=limit)
    assert not profile.is_tight
    assert profile.delta(exp_eps="101/100").lo > 0


BROKEN = [
    ("broken.toml", b"[[row]\n", "broken.toml: not valid TOML: "),
    ("broken.json", b"{", "broken.json: not valid JSON: "),
    ("number.json", b'{"row": ' + b"1" * 5000 + b"}", "number.json: a number is too long: "),
]


@pytest.mark.parametrize(("name", "content", "beginning"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_message_about_broken_text(name, content, beginning, tmp_path, monkeypatch):
    """What follows the beginning is the parser's and depends on the version of Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(errors.InvalidFileError) as raised:
        Randomizer.from_file(name)
    assert str(raised.value).startswith(beginning)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_message_about_a_float_that_is_no_number(value):
    """The repair must not be a text that is refused as well."""
    with pytest.raises(errors.ExactDPError) as raised:
        as_fraction(value, name="eps")
    assert f'"{value!r}"' not in str(raised.value)


def test_message_about_a_float_of_another_library():
    """The repair shows the number, not the constructor of the type."""
    import numpy

    with pytest.raises(errors.InexactNumberError) as raised:
        as_fraction(numpy.float64(0.5), name="eps")
    assert '"0.5" for the decimal number' in str(raised.value)


def test_message_about_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.InvalidFileError) as raised:
        Randomizer.from_file("missing.toml")
    assert str(raised.value) == "missing.toml cannot be read: No such file or directory. Name a readable file."


def test_message_about_a_large_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "large.toml").open("wb") as stream:
        stream.truncate(10 * MAX_FILE_BYTES)
    with pytest.raises(errors.TooLargeError) as raised:
        Randomizer.from_file("large.toml")
    assert str(raised.value) == "large.toml is larger than the limit of 10485760 bytes. Use a smaller file."


def test_every_message_names_a_repair():
    """It ends as a sentence does: what is wrong, and what to do."""
    for message in golden.entries("core").values():
        assert message.startswith(("TypeError", "InvalidFileError")) or message.endswith((".", ")"))


def test_another_message_is_seen():
    known = golden.entries("core")
    other = next(iter(known))
    (seen,) = golden.differences("core", lambda question: "other" if question == other else known[question])
    assert seen.startswith(other)

"""How far pieces of work are, on stderr, while they are printed on stdout."""

import sys
from collections.abc import Iterator
from time import sleep

import pytest

from exactdp.cli import progress_bars
from exactdp.cli.progress_bars import Bar, Counter, watched


def test_the_line_is_away_while_a_piece_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    for piece in watched("proofs", ["a", "b"], 2):
        sys.stderr.write(f"({piece})")
    first, second = "proofs: [############............] 1 of 2", "proofs: [########################] 2 of 2"
    assert capsys.readouterr().err == f"(a)\r{first}\r{' ' * len(first)}\r(b)\r{second}\n"


def test_a_long_piece_is_not_silent(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stderr is no terminal, and before anything is known of how long the rest takes."""

    def pieces() -> Iterator[int]:
        sleep(0.4)
        yield 1

    monkeypatch.setattr(Counter, "_EVERY", 0.05)
    monkeypatch.setattr(Bar, "AGAIN", 0.1)
    assert list(watched("proofs", pieces(), 3)) == [1]
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "proofs: nothing finished yet, after 0 s"
    assert lines[-1] == "proofs: done"


def test_what_ends_early_leaves_nothing_behind(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counter, "_EVERY", 0.05)
    monkeypatch.setattr(Bar, "AGAIN", 0.1)
    coming = watched("proofs", iter([1, 2]), 2)
    next(coming)
    coming.close()
    capsys.readouterr()
    sleep(0.3)
    assert capsys.readouterr().err == ""


def test_work_without_pieces_is_not_silent_in_a_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_bars, "_AGAIN", 0.2)
    with progress_bars.working("calibrating"):
        sleep(1.6)
    first, *others = capsys.readouterr().err.splitlines()
    assert first == "calibrating ..."
    assert others[:2] == ["calibrating: 1 s so far"] * 2
    sleep(0.3)
    assert capsys.readouterr().err == ""


def test_no_line_of_a_log_is_more_than_five_seconds_late() -> None:
    assert progress_bars._AGAIN < 5
    assert Counter._EVERY + Bar.AGAIN <= 5


def test_a_bar_without_an_end_says_how_long_it_has_taken(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("exactdp.cli.progress_bars.monotonic", lambda: now[0])
    monkeypatch.setattr("exactdp.progress.monotonic", lambda: now[0])
    bar = Bar("calibrating", "values")
    for step, total in ((3, 12), (9, None)):
        now[0] += 10
        bar(step, total)
    assert capsys.readouterr().err.splitlines() == [
        "calibrating: 3 of 12 values, about 90 s left",
        "calibrating: 9 values, 20 s so far",
    ]

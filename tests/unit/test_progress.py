"""Every long call says how far it is, and ends when its listener says so."""

import io
import sys
import types

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidValueError
from exactdp.progress import ProgressLine, progress_callback, report_progress, with_progress

TERNARY = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/3"), 9)
PAIR = TERNARY.pair_profile({0: 9}, {0: 8, 1: 1})
NOISE = xdp.shift_profile(xdp.Binomial(150, "1/3"))


def bound(n):
    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/2"), n)
    return xdp.Claim.shuffle_dp(protocol, exp_eps=2, delta="1/4")


FEW = xdp.ShuffleProtocol(xdp.randomized_response(3, gamma="1/2"), 5)
NOISE_WITHOUT_END = xdp.shift_profile(xdp.DiscreteLaplace(2))


CALLS = {
    "delta": lambda **p: TERNARY.privacy_profile().delta(exp_eps="7/5", **p),
    "delta of one pair": lambda **p: PAIR.delta(exp_eps="7/5", **p),
    "exact_delta": lambda **p: TERNARY.privacy_profile().exact_delta(exp_eps="8/5", **p),
    "epsilon": lambda **p: TERNARY.privacy_profile().epsilon("1/77", **p),
    "epsilon of noise": lambda **p: NOISE.epsilon("1/77", **p),
    "exact_epsilon": lambda **p: TERNARY.privacy_profile().exact_epsilon("1/78", **p),
    "worst_pair": lambda **p: TERNARY.privacy_profile().worst_pair(exp_eps="9/5", **p),
    "tradeoff": lambda **p: TERNARY.privacy_profile().tradeoff(**p),
    "tradeoff of runs": lambda **p: NOISE.compose(2).tradeoff(relative_width="1/4", **p),
    "renyi": lambda **p: FEW.privacy_profile(limit=1).renyi("21/10", **p),
    "zcdp": lambda **p: NOISE_WITHOUT_END.zcdp(**p),
    "composed delta": lambda **p: NOISE.compose(3).delta(eps="1/3", **p),
    "composed epsilon": lambda **p: NOISE.compose(3).epsilon("1/7", relative_width="1/4", **p),
    "certify": lambda **p: xdp.certify(xdp.Claim.shuffle_dp(TERNARY, exp_eps="6/5", delta="1/2"), **p),
    "calibrate": lambda **p: xdp.calibrate("randomized-response", n=20, eps=1, delta="1/100", grid="1/64", **p),
    "optimal_accuracy": lambda **p: xdp.optimal_accuracy(protocols.k_ary(50, 2, gamma="1/3"), beta="1/10", **p),
    "is_private": lambda **p: xdp.is_private(TERNARY, exp_eps="13/5", delta="1/50", **p),
    "find_counterexample": lambda **p: xdp.find_counterexample(bound, {"n": range(2, 5)}, **p),
}


class Stopped(Exception):
    """What a listener raises."""


@pytest.mark.parametrize("name", CALLS)
def test_a_call_tells_its_listener_and_can_be_stopped(name):
    call = CALLS[name]

    def stop(done, total):
        raise Stopped(done, total)

    with pytest.raises(Stopped) as stopped:
        call(progress=stop)
    done, total = stopped.value.args
    assert done >= 1
    assert total is None or total >= done
    seen = []
    answer = call(progress=lambda *at: seen.append(at))
    assert seen, "the work that was stopped is done again, not remembered half-done"
    assert all(done >= 1 and (total is None or done <= total) for done, total in seen)
    assert call() == answer
    report_progress(1)  # nobody listens any more


def test_the_innermost_listener_is_told():
    outer, inner = [], []
    with progress_callback(lambda *at: outer.append(at)):
        with progress_callback(None):
            report_progress(1, 2)
        with progress_callback(lambda *at: inner.append(at)):
            assert list(with_progress("ab", 2)) == ["a", "b"]
        report_progress(2, 2)
    assert (outer, inner) == ([(1, 2), (2, 2)], [(1, 2), (2, 2)])


def test_a_listener_is_a_function():
    with pytest.raises(InvalidValueError, match=r"progress has the type int\. Pass a function of two arguments"):
        TERNARY.privacy_profile().delta(exp_eps=2, progress=3)


def test_a_line_is_rewritten_in_its_place_and_leaves_nothing_of_a_longer_one(monkeypatch):
    now, shown = [0.0], io.StringIO()
    monkeypatch.setattr("exactdp.progress.monotonic", lambda: now[0])
    with ProgressLine("scan", stream=shown) as line:
        for done, at in ((1, 2), (2, 4), (2, 4.1), (4, 8), (1, 20), (3, 30)):  # the last two are a new stage
            now[0] = at
            line(done, 4 if done < 3 or at < 10 else None)
    screen, *rest = shown.getvalue().split("\r")
    assert (screen, rest[-1][-1]) == ("", "\n")
    assert [text.rstrip() for text in rest] == [
        "scan: [######..................] 1 of 4, about 6 s left",
        "scan: [############............] 2 of 4, about 4 s left",
        "scan: [########################] 4 of 4",
        "scan: [######..................] 1 of 4",
        "scan: [########################] 3 of 3",
    ]
    assert len(rest[2]) == len(rest[1]), "the shorter line covers the longer one"
    assert all(text.isprintable() for text in rest[:-1]), "no escape sequence, as in any notebook"


def test_a_line_is_a_listener_of_every_long_call():
    shown = io.StringIO()
    with ProgressLine("trade-off", stream=shown) as line:
        TERNARY.privacy_profile().tradeoff(progress=line)
    *_, last = shown.getvalue().split("\r")
    done, total = last.rsplit("] ", 1)[1].split(" of ")
    assert int(done) == int(total)


def test_in_a_notebook_the_output_of_the_cell_holds_one_line(monkeypatch, capsys):
    outputs = []

    class Handle:
        def update(self, bundle, *, raw):
            outputs[-1] = (bundle["text/plain"], raw)

    def display(bundle, *, raw, display_id):
        assert display_id is True
        outputs.append((bundle["text/plain"], raw))
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    with ProgressLine("scan") as line:
        for done in range(1, 301):
            line(done, 300)
    assert outputs == [("scan: [########################] 300 of 300", True)]
    assert capsys.readouterr() == ("", "")
    del shell.kernel  # IPython at a terminal
    with ProgressLine("scan") as line:
        line(1, 2)
    assert len(outputs) == 1
    assert capsys.readouterr().err == "\rscan: [############............] 1 of 2\n"


@pytest.mark.parametrize("columns", [12, 30, 45, 200])
def test_a_line_is_never_wider_than_its_terminal(columns, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", str(columns))
    shown = Terminal()
    with ProgressLine("trade-off", stream=shown) as line:
        for done in range(1, 4):
            line(done, 3)
    drawn = shown.getvalue().removesuffix("\n").split("\r")[1:]
    assert max(map(len, drawn)) < columns
    assert ("[" in drawn[-1]) == (columns > 25)

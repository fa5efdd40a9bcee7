"""Formulas put to the test: wrong ones are refuted where and as they are known to be, right ones are not."""

import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.cli.main import cli
from exactdp.errors import InvalidFileError, InvalidValueError, WorkersLostError
from exactdp.privacy.amplification.clones import clones_exp_eps
from exactdp.studies.counterexamples.comparison import Promise, response_case
from exactdp.studies.counterexamples.promises import (
    CalledFunction,
    PromisedRow,
    promised_by,
    promised_by_formula,
    read_promises,
)
from exactdp.studies.counterexamples.refutation import (
    DELTAS,
    EXP_EPS0,
    RESPONSES,
    USERS,
    Refutation,
    case_of,
    refute,
    refute_rows,
)
from exactdp.testing import assert_amplification_bound

CLOSED_FORM = "ln(1 + (E-1)/(E+1)*(8*sqrt(E*ln(4/delta)/n) + 8*E/n))"
CONDITION = "eps0 <= ln(n/(16*ln(2/delta)))"
WRONG = {
    "eps0*sqrt(ln(1/delta)/n)": (8, 2, "1/1000", 0.64409, 0.0018678),
    "ln(1 + (E-1)/(E+1)*8*sqrt(2*ln(4/delta)/n))": (15, 8, "1/100", 1.8812, 0.030731),
    "E*sqrt(ln(n)/n)": (30, 3, "1e-6", 1.01013, 1.5123e-5),
    CLOSED_FORM: (50, 20, "1/100", 2.71473, 0.021363),
}
"""Formula -> an instance that is known to refute it: n, e^eps0, delta, what is promised, the exact delta there."""
RIGHT = (
    ("eps0", "eps", ""),
    ("(E - exp(eps))/(E + 1)", "delta", ""),
    (CLOSED_FORM, "eps", CONDITION),
    ("ln(1 + (E-1)*(4*sqrt(2*ln(4/delta)/((E+1)*n)) + 4/n))", "eps", "eps0 <= ln(n/(8*ln(2/delta)) - 1)"),
    (
        "ln(1 + (E-1)/(E+1)*(sqrt(16*(E+1)*ln(4/delta)/(n-1)) + 2*(E+1)/(n-1)))",
        "eps",
        "n > max(1, 8*(E+1)*ln(4/delta))",
    ),
    ("12*eps0*sqrt(ln(1/delta)/n)", "eps", "eps0 < 1/2"),
)
"""Formulas of theorems: what they give, and their condition."""


@pytest.mark.parametrize("formula", WRONG)
def test_a_wrong_formula_is_refuted_where_it_is_known_to_be(formula: str) -> None:
    n, ratio, delta, promised, exact = WRONG[formula]
    at: dict[str, Any] = {"exp_eps0": [Fraction(ratio)], "levels": [Fraction(delta)], "sizes": ()}
    found = refute(promised_by_formula(formula, "eps"), users=[n], randomizers=RESPONSES[:1], **at)
    assert found.least is not None
    assert found.instance == {"n": n, "exp_eps0": ratio, "delta": Fraction(delta), "randomizer": RESPONSES[0]}
    assert math.log(found.least.exp_eps.hi) == pytest.approx(promised, rel=1e-4)
    assert float(found.least.exact.lo) == pytest.approx(exact, rel=1e-4)
    assert found.certificate is not None
    assert xdp.verify(found.certificate) is xdp.Verdict.REFUTED
    statement = found.certificate.claim.statement
    assert statement.delta >= Fraction(delta)


@pytest.mark.parametrize("formula", WRONG)
def test_a_wrong_formula_is_found_from_its_text_alone_and_no_smaller_instance_fails(formula: str) -> None:
    known = WRONG[formula]
    promise = promised_by_formula(formula, "eps")
    found = refute(promise, sizes=())
    at = found.instance
    assert at is not None
    assert at["n"] <= known[0]
    assert found.certificate is not None
    assert xdp.verify(found.certificate) is xdp.Verdict.REFUTED
    for n in USERS:  # by the exact delta of two members in fractions, in another loop
        for ratio in EXP_EPS0:
            for delta in DELTAS:
                if n > 6 or (n, ratio, -delta) >= (at["n"], at["exp_eps0"], -at["delta"]):
                    continue
                level = promise.says(case_of("@any-randomizer", n, ratio), delta).hi
                for k in (2, 3):
                    exact = response_case(n, k, ratio).profile().delta(exp_eps=max(Fraction(1), level))
                    assert exact <= delta


@pytest.mark.parametrize(("formula", "gives", "condition"), RIGHT)
def test_a_right_formula_is_not_refuted(formula: str, gives: str, condition: str) -> None:
    promise = promised_by_formula(formula, gives, [condition] if condition else [])
    found = refute(promise, users=[1, 3, 30, 100, 1000] if condition else [1, 3, 30], sizes=[10**4])
    assert not found.is_refuted
    assert found.certificate is None
    assert found.looseness is not None
    assert found.looseness.below == 0
    assert found.looseness_at_sizes is None or found.looseness_at_sizes.least_ratio >= 1
    assert found.looseness_at_sizes is not None or formula.startswith("12*")  # real sizes begin at eps0 = ln 3


def test_a_formula_says_what_the_published_bound_says() -> None:
    promise = promised_by_formula(CLOSED_FORM, "eps", [CONDITION])
    said = promise.says(case_of("@any-randomizer", 10**4, Fraction(3)), Fraction(1, 10**6))
    published = clones_exp_eps(10**4, exp_eps0=3, delta=Fraction(1, 10**6))
    assert said.lo <= published.hi
    assert published.lo <= said.hi


def test_a_delta_is_refuted_too_and_only_above_what_is_promised() -> None:
    at: dict[str, Any] = {
        "users": [2],
        "exp_eps0": [Fraction(4)],
        "levels": [Fraction(3)],
        "randomizers": RESPONSES[1:2],
        "sizes": (),
    }
    exact = Fraction(1, 9)
    found = refute(promised_by_formula("1/9 - 1e-9", "delta"), **at)
    assert found.instance == {"n": 2, "exp_eps0": 4, "exp_eps": 3, "randomizer": RESPONSES[1]}
    assert found.certificate is not None
    assert exact - Fraction(1, 10**9) <= found.certificate.claim.statement.delta < exact
    assert not refute(promised_by_formula("1/9", "delta"), **at).is_refuted
    assert not refute(promised_by_formula("sqrt(1/81)", "delta"), **at).is_refuted


@settings(max_examples=25)
@given(
    n=st.integers(1, 8),
    k=st.sampled_from((2, 3)),
    ratio=st.fractions(Fraction(5, 4), 9, max_denominator=6),
    part=st.fractions(0, 1, max_denominator=8).filter(lambda x: x < 1),
    slack=st.sampled_from((6, 7)),
)
def test_the_exact_delta_is_a_right_promise_and_a_little_less_a_wrong_one(
    n: int, k: int, ratio: Fraction, part: Fraction, slack: int
) -> None:
    """Both forms: the exact delta at an e^eps, promised as it is, and less a millionth of it."""
    level = 1 + (ratio - 1) * part
    exact = response_case(n, k, ratio).profile().exact_delta(exp_eps=level)
    randomizer = f"@randomized-response:inputs={k}"
    for share, is_refuted in ((Fraction(1), False), (1 - Fraction(1, 10**slack), True)):
        at: dict[str, Any] = {"users": [n], "exp_eps0": [ratio], "randomizers": [randomizer], "sizes": ()}
        deltas = Promise("exact", True, lambda case, at, share=share: exact * share)
        levels = Promise("exact", False, lambda case, at: level)
        assert refute(deltas, levels=[level], **at).is_refuted is is_refuted
        assert refute(levels, levels=[exact * share], **at).is_refuted is is_refuted


def test_what_is_refuted_at_real_sizes_alone_is_certified_there() -> None:
    promise = promised_by_formula("eps0*min(1, 10/sqrt(n))", "eps", ["n >= 1000"])
    found = refute(promise, users=[5], sizes=[1000])
    assert found.search.tried == 0
    assert found.instance is not None
    assert found.instance["n"] == 1000
    assert found.certificate is not None
    assert xdp.verify(found.certificate) is xdp.Verdict.REFUTED


def test_a_promise_of_nothing_is_an_error() -> None:
    with pytest.raises(InvalidValueError, match=r"promises nothing at any instance of n = 2;.*no finite value"):
        refute(promised_by_formula("1/(n-2)", "eps"), users=[2], sizes=())


# --- Functions and rows ---------------------------------------------------------------------------------------------

MODULE = """
import math, os, subprocess, sys, time
print("loaded")

def wrong(n, eps0, delta):
    print("noise"); sys.stderr.write("x" * 100000); os.write(1, b"[1, 2]\\n")
    return eps0 * math.sqrt(math.log(1 / delta) / n)

def hangs_once(n, eps0, delta):
    if n == 2 and eps0 > 1:
        time.sleep(1000)
    return eps0 * math.sqrt(math.log(1 / delta) / n)

def hangs(n, eps0, delta):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    time.sleep(1000)

def eats(n, eps0, delta):
    return len(bytearray(10**12))

def leaves(n, eps0, delta):
    sys.exit("gone")

def fails(n, eps0, delta):
    raise KeyError("two\\nlines")

def nothing(n, eps0, delta):
    return None if n == 1 else math.nan if n == 2 else math.inf
"""
GRID: dict[str, Any] = {
    "users": [1, 2, 3],
    "exp_eps0": [Fraction(2), Fraction(5)],
    "levels": [Fraction(1, 10)],
    "sizes": (),
}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "shipped.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "shipped"


def called(name: str, seconds: int = 20, **grid: Any) -> tuple[Refutation, list[str]]:
    failures: list[str] = []
    with CalledFunction(name, Fraction(seconds)) as call:
        return refute(promised_by(name, "eps", call, failures), **{**GRID, **grid}), failures


def test_a_function_and_its_rows_are_refuted_where_the_formula_is(
    module: str, capfd: pytest.CaptureFixture[str]
) -> None:
    by_formula = refute(promised_by_formula("eps0*sqrt(ln(1/delta)/n)", "eps"), **GRID)
    found, failures = called(f"{module}:wrong")
    assert (found.instance, failures) == (by_formula.instance, [])
    assert capfd.readouterr() == ("", "")
    lines = ["n,exp_eps0,delta,eps"]
    for n in (3, 2, 1):
        for ratio in (5, 2):
            lines.append(f"{n},{ratio},0.1,{math.log(ratio) * math.sqrt(math.log(10) / n)!r}")
    Path("promises.csv").write_text("\n".join(lines), encoding="utf-8")
    rows = refute_rows(read_promises("promises.csv"), name="promises.csv")
    assert rows.instance is not None
    row = rows.instance["promise"]
    assert isinstance(row, PromisedRow)
    at = by_formula.instance
    assert at is not None
    assert (row.n, row.exp_eps0, row.delta, row.line) == (at["n"], at["exp_eps0"], at["delta"], 2)
    ids = {one.certificate.claim.digest() for one in (by_formula, found, rows) if one.certificate is not None}
    assert len(ids) == 1


def test_a_call_without_an_answer_is_skipped_and_the_third_ends_the_search(module: str) -> None:
    found, failures = called(f"{module}:hangs_once", seconds=1)
    assert [line.partition(" at ")[0] for line in failures] == ["no answer in 1 s"]
    assert found.search.skipped == 1
    assert found.instance == {"n": 3, "exp_eps0": 5, "delta": Fraction(1, 10), "randomizer": "@any-randomizer"}
    with pytest.raises(WorkersLostError, match="hangs: no answer in 1 s, at 3 calls"):
        called(f"{module}:hangs", seconds=1)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param(
            "eats", "MemoryError", marks=pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
        ),
        ("leaves", "SystemExit: gone"),
        ("fails", r"KeyError: 'two\\nlines'"),
        ("nothing", "promises nothing for"),
    ],
)
def test_what_a_function_does_is_one_line(module: str, name: str, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message) as refused:
        called(f"{module}:{name}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent:f", "cannot be loaded: ModuleNotFoundError: No module named 'absent'"),
        ("shipped:g", "cannot be loaded: AttributeError"),
        ("os; x", "names no function"),
    ],
)
def test_what_is_no_function_is_refused(module: str, name: str, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        called(name)


def test_floats_ask_no_more_than_the_question_and_are_taken_exactly() -> None:
    asked: list[tuple[int, float, float]] = []

    def call(n: int, eps0: float, delta: float) -> float:
        asked.append((n, eps0, delta))
        return 0.1

    said = promised_by("call", "eps", call).says(case_of("@any-randomizer", 4, Fraction(3)), Fraction(1, 10))
    (n, eps0, delta) = asked[0]
    log3 = xdp.LogRational(3).enclose(200)
    assert n == 4
    assert Fraction(eps0) >= log3.hi
    assert Fraction(math.nextafter(eps0, 0)) < log3.lo
    assert Fraction(delta) <= Fraction(1, 10) < Fraction(math.nextafter(delta, 1))
    assert isinstance(said, xdp.Interval)
    assert said.lo < Fraction(1105170918075647631, 10**18) < said.hi + Fraction(1, 10**15)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "needs one column n"),
        ("n,eps0,delta\n1,1,1/2", "needs one column eps or exp_eps"),
        ("n,eps0,delta,eps\n", "has no row"),
        ("n,eps0,delta,eps\n1,1,2,1", "line 2: delta=2"),
        ("n,eps0,delta,eps\n1,-1,1/2,1", "line 2: e^eps0=1 is not above 1"),
        ("n,eps0,delta,eps\n1,1,1/2", "line 2: eps"),
        ("n,eps0,delta,eps\nx,1,1/2,1", "line 2: n='x'"),
    ],
)
def test_what_is_no_table_of_promises_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFileError) as refused:
        read_promises(str(tmp_path / "p.csv"))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_stored_bounds_go_through_the_same_comparison() -> None:
    """The bound that `search` refutes, by `refute`, at the least instance that `search` finds."""
    found = refute(
        Promise.published("variation-ratio-response"),
        users=[2],
        exp_eps0=[Fraction(4)],
        levels=[Fraction(3)],
        randomizers=RESPONSES[1:2],
        sizes=(),
    )
    assert found.instance == {"n": 2, "exp_eps0": 4, "exp_eps": 3, "randomizer": RESPONSES[1]}
    assert found.least is not None
    assert found.least.published == Fraction(1, 12)
    assert not refute(Promise.published("stronger-clones"), users=[1, 2, 3, 20], sizes=()).is_refuted


# --- For other people's tests, and the shell ------------------------------------------------------------------------


def test_an_assertion_for_repositories_that_ship_a_formula() -> None:
    def wrong(n: int, eps0: float, delta: float) -> float:
        return eps0 * math.sqrt(math.log(1 / delta) / n)

    with pytest.raises(AssertionError, match=r"fails at n=3, exp_eps0=5, delta=1/10, randomizer=@any-randomizer:"):
        assert_amplification_bound(wrong, users=range(1, 5))
    assert_amplification_bound(lambda n, eps0, delta: eps0, users=range(1, 5))
    assert_amplification_bound(CLOSED_FORM, users=[1, 2, 10])
    with pytest.raises(InvalidValueError, match="ZeroDivisionError"):
        assert_amplification_bound(lambda n, eps0, delta: 1 / 0, users=[1])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["refute", *arguments])


def test_the_command_writes_a_certificate_that_verifies(tmp_path: Path) -> None:
    file = tmp_path / "refuted.json"
    grid = ["--no-sizes", "-n", "1..3", "--exp-eps0", "2,5", "--delta", "1/10"]
    done = run("eps0*sqrt(ln(1/delta)/n)", *grid, "-o", str(file))
    assert done.exit_code == 1
    assert "refuted, the least instance of this grid; looked at 6 instances" in done.stdout
    assert xdp.verify(str(file)) is xdp.Verdict.REFUTED
    assert run("eps0", *grid).exit_code == 0
    assert "not refuted: 6 instances" in run("eps0", *grid).stdout
    assert run("eps0", *grid, "--format", "csv").stdout.count("\n") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no promise given. Give one of FORMULA, --python MODULE:FUNCTION or --csv FILE."),
        (["eps0", "--csv", "x.csv"], "FORMULA and --csv given."),
        (["eps0 +"], "at its end, a number, a name or a bracket is missing"),
        (["eps", "--gives", "eps"], "this name stands for nothing. The names are n, eps0, E, delta."),
        (["eps0", "--exp-eps", "2"], "--exp-eps has no meaning beside --gives eps. Leave it out."),
        (["eps0", "-n", "1..5000"], "users=1..5000 is not 1 to 1000 numbers"),
        (["eps0", "-n", "5..1"], "users=5..1"),
        (["eps0", "--exp-eps0", "1"], "exp_eps0=1 is out of range"),
        (["eps0", "--delta", "0"], "delta=0 is out of range"),
        (["eps0", "--no-sizes", "--randomizer", "nosuch"], "'@nosuch' names nothing"),
        (["eps0", "--no-sizes", "--randomizer", "zsum"], "@zsum has no parameter 'exp-eps0'"),
        (["--csv", "absent.csv"], "absent.csv cannot be read"),
        (["eps0", "-o", "-"], "output=- is stdout"),
        (["eps0", "--call-seconds", "2"], "--call-seconds has no meaning beside a formula"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1

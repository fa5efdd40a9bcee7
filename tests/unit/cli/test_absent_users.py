"""Users who may be away, as they are typed: the answers of the library, the model in every form, and refusals."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import exactdp as xdp
from exactdp.randomizers import UnaryEncoding
from tests.unit.cli.checked_answers import answered, run

HALF = xdp.randomized_response(2, gamma="1/2")
FLIP = "@randomized-response:gamma=1/2"


@pytest.mark.parametrize(
    ("typed", "way", "dummy", "words"),
    [
        ("", "counted", None, "nobody learns who is away"),
        ("--absence counted", "counted", None, "nobody learns who is away"),
        ("--absence hidden --dummy uniform", "hidden", "uniform", "a uniformly random message"),
        ("--dummy input:1", "hidden", ("input", 1), "a message of the input 1"),
        ("--dummy 0=1/3,1=2/3", "hidden", {0: "1/3", 1: "2/3"}, "a dummy of a stated law"),
    ],
)
def test_an_exact_answer(typed: str, way: str, dummy: Any, words: str) -> None:
    line = f"delta {FLIP} -n 4 --participation 1/2 {typed} --exp-eps 3/2"
    data = answered(line)
    asked = xdp.ShuffleProtocol(HALF, 4, participation="1/2", absence=way, dummy=dummy)
    assert Fraction(data["delta"]["exact"]) == asked.privacy_profile().delta(exp_eps="3/2")
    assert data["level"] == "certificate"
    said = run(line).stdout
    assert words in data["n_counts"]
    assert said.count(words) == 2  # where it is said what is asked, and whom n counts
    assert words in run(f"{line} --explain").stdout.rpartition("Computed was")[2]


@pytest.mark.slow
def test_two_ends_of_an_eps_and_runs() -> None:
    line = "epsilon @unary-encoding:inputs=1000,exp-eps0=7 -n 100000 --participation 9/10 --absence listed --delta 1e-6"
    eps = xdp.ShuffleProtocol(UnaryEncoding(1000, exp_eps0=7), 10**5, participation="9/10", absence="listed")
    found = eps.privacy_profile().epsilon("1e-6")
    data = answered(line)
    low, high = (Fraction(data["epsilon"][side]) for side in ("lo", "hi"))
    assert found.lo - Fraction(1, 10**15) < low <= found.lo <= found.hi <= high < found.hi + Fraction(1, 10**15)
    assert "who takes part is public" in data["n_counts"]
    assert "nobody learns" in run(f"compose {FLIP} -n 4 --participation 1/2 --exp-eps 2 --times 2").stdout
    assert "nobody learns" in run(f"curve {FLIP} -n 4 --participation 1/2 --exp-eps-grid 1,2").stdout


def test_views_and_draws() -> None:
    law = answered(f"law {FLIP} --dataset 0=1,1=1 --participation 1/2")
    asked = xdp.ShuffleProtocol(HALF, 2, participation="1/2").law([0, 1])
    assert {tuple(row["counts"]): Fraction(row["prob"]["exact"]) for row in law["law"]} == dict(asked.items())
    drawn = answered(f"sample {FLIP} --dataset 0=3,1=2 --participation 1/2 --size 50 --seed 3")
    assert "nobody learns" in drawn["n_counts"]
    assert any(sum(row) < 5 for row in drawn["draws"])
    plain = answered(f"sample {FLIP} --dataset 0=3,1=2 --size 50 --seed 3")
    assert plain["n_counts"] == "users who follow the protocol"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (f"delta {FLIP} -n 4 --absence listed --exp-eps 2", "Give a participation, as 9/10"),
        (f"delta {FLIP} -n 4 --participation 1/2 --absence hidden --exp-eps 2", "Give a dummy: uniform"),
        (f"delta {FLIP} -n 4 --participation 2 --exp-eps 2", "outside [0, 1]"),
        (f"delta {FLIP} -n 4 --participation 0 --exp-eps 2", "leaves nobody"),
        (f"delta {FLIP} -n 4 --participation 1/2 --dummy 0=1/2 --exp-eps 2", "sums to 1/2"),
        (f"delta {FLIP} -n 4 --participation 1/2 --dummy 0=1/2,7=1/2 --exp-eps 2", "unknown message '7'"),
        (f"delta {FLIP} -n 4 --participation 1/2 --dummy 0=1/2,0=1/2 --exp-eps 2", "twice"),
        (f"delta {FLIP} -n 4 --participation 1/2 --dummy 0=1/2,1 --exp-eps 2", "without a probability"),
        (f"delta {FLIP} -n 4 --participation 1/2 --dummy input:7 --exp-eps 2", "7"),
        ("delta @krr:inputs=500,gamma=1/2 -n 4 --participation 1/2 --dummy 0=1 --exp-eps 2", "are not listed"),
        ("delta @poisson:mu=3 --participation 1/2 --exp-eps 2", "has no meaning"),
        ("delta @gap --users @binomial:n=3,p=1/2 --participation 1/2 --exp-eps 2", "with a random n"),
        ("delta @histogram:gamma=1/8,bins=3 -n 5 --participation 1/2 --exp-eps 2", "each run a randomizer"),
    ],
)
def test_what_is_refused(typed: str, message: str) -> None:
    result = run(typed)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


TABLE = """
[[row]]
input = "a"
messages = [{send = ["0", "0"], prob = "1/2"}, {send = ["0", "1"], prob = "1/2"}]

[[row]]
input = "b"
messages = [{send = ["0", "1"], prob = "1/4"}, {send = ["1", "1"], prob = "3/4"}]
"""


def pasted(line: str) -> list[str]:
    """The lines that an answer offers, as arguments."""
    said = run(line).stdout.splitlines()
    return [text.strip().removeprefix("exactdp ") for text in said if text.startswith("  exactdp ")]


@pytest.mark.parametrize(
    "line",
    [
        f"delta {FLIP} -n 20 --exp-eps 3/2",
        pytest.param("epsilon @randomized-response:inputs=3,exp-eps0=3 -n 9 --delta 1/10", marks=pytest.mark.slow),
        f"compose {FLIP} -n 8 --times 2 --exp-eps 2",
        f"curve {FLIP} -n 6 --exp-eps-grid 1,2",
    ],
)
def test_where_messages_are_counted_the_answer_says_what_people_do(line: str) -> None:
    """Each line that is offered runs, and its answer is of the model that it names, and not infinite."""
    asked = f"{line} --neighbors add-or-remove-one"
    first, second, third = pasted(asked)
    assert "--absence hidden --dummy uniform" in first
    assert "--absence counted" in second
    assert "@poisson:mu=" in third
    for offered, words in ((first, "random"), (second, "nobody learns who is away"), (third, "takes part for sure")):
        data, said = answered(offered), run(offered).stdout
        assert "infinity" not in said
        assert words in said
        assert data["command"] == line.split()[0]
    assert [one["shell"].removeprefix("exactdp ") for one in answered(asked)["instead"]] == [first, second, third]
    assert "instead" not in answered(line)


def test_only_what_is_answered_is_offered(tmp_path: Path) -> None:
    """Users of a table who are away send as one of its inputs does, where there is no uniform message."""
    file = tmp_path / "two.toml"
    file.write_text(TABLE)
    offered = pasted(f"delta {file} -n 5 --exp-eps 2 --neighbors add-or-remove-one")
    assert all(answered(one)["delta"]["exact"] != "1" for one in offered)
    assert ["--dummy" in one for one in offered] == [True, False, False]
    ours = f"delta {FLIP} -n 5 --exp-eps 2 --participation 1/3 --dummy input:0 --neighbors add-or-remove-one"
    assert "--participation 1/3 --absence hidden --dummy input:0" in pasted(ours)[0]


def test_nothing_is_offered_where_the_number_of_messages_does_not_tell(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text(TABLE.replace('["0", "0"]', "[]"))
    assert pasted(f"delta {file} -n 4 --exp-eps 2 --neighbors add-or-remove-one") == []

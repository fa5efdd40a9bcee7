"""``security``: what is printed is what the library says, as text, JSON and CSV."""

import json
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

import exactdp as xdp
from exactdp.bounds import split_and_mix_distance, split_and_mix_messages
from exactdp.cli.main import cli

COMMAND = "security split-and-mix -n 1000 --modulus 65536"
NOISE = "--messages 9 --noise @discrete-laplace:exp_eps=2 --shift 3"


def run(command: str) -> str:
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 0, result.stderr
    return result.stdout


def answer(command: str) -> Any:
    return json.loads(run(f"{command} --format json"))


def test_distances_are_those_of_the_library() -> None:
    rows = answer(f"{COMMAND} --messages 9")["rows"]
    for row, regime in zip(rows, ({}, {"simulator": True}, {"average": True}), strict=False):
        bound = split_and_mix_distance(1000, modulus=65536, messages=9, **regime)
        assert Fraction(row["distance"]["lo"]) <= bound.lo <= bound.hi <= Fraction(row["distance"]["hi"])
    assert [row["published"] is None for row in rows] == [False, True, False, True]


def test_messages_are_those_of_the_library() -> None:
    rows = answer(f"{COMMAND} --sigma 30")["rows"]
    assert rows[0]["messages"] == split_and_mix_messages(1000, modulus=65536, sigma=30)
    assert rows[0]["published"] > rows[0]["messages"]
    few = answer("security split-and-mix -n 18 --modulus 2 --sigma 30")["rows"]
    assert [row["published"] for row in few] == [None] * 4


@pytest.mark.parametrize("asked", ["--eps 1", "--exp-eps 4"])
def test_delta_of_the_whole(asked: str) -> None:
    whole = answer(f"{COMMAND} {NOISE} {asked}")["whole"]
    noisy = xdp.protocols.split_and_mix(1000, modulus=65536, messages=9).with_noise(
        xdp.shift_profile(xdp.DiscreteLaplace(2), shift=3)
    )
    bound = noisy.delta(eps=1) if asked == "--eps 1" else noisy.delta(exp_eps=4)
    assert Fraction(whole["delta"]["lo"]) <= bound.lo <= bound.hi <= Fraction(whole["delta"]["hi"])


def test_eps_of_the_whole() -> None:
    whole = answer(f"{COMMAND} {NOISE} --delta 1/100")["whole"]
    back = answer(f"{COMMAND} {NOISE} --exp-eps {whole['eps']['exp_eps']}")["whole"]
    assert Fraction(99, 10000) < Fraction(back["delta"]["hi"]) <= Fraction(1, 100)


def test_text_and_csv() -> None:
    text = run(f"{COMMAND} {NOISE} --delta 1/100")
    assert "noise     DiscreteLaplace(2), shift 3" in text
    assert "enough by the theorem" in text
    table = [line.split(",") for line in run(f"{COMMAND} {NOISE} --delta 1/100 --format csv").splitlines()]
    assert table[0][-6:] == ["inputs", "between", "distance_lo", "distance_hi", "published_lo", "published_hi"]
    assert {len(row) for row in table} == {len(table[0])}
    assert len(table) == 5
    assert run(f"{COMMAND} --sigma 9 --format csv").splitlines()[0].endswith("sigma,inputs,between,messages,published")

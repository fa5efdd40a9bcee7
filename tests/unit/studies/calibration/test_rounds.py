"""Calibration for adaptive rounds: against the composition itself, exactly where that is exact."""

from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.errors import InvalidValueError
from exactdp.studies.calibration import two_ended_search
from tests.unit.cli.checked_answers import answered, run

TARGET = Fraction(1, 100)


def gaussian(sigma_squared, times):
    """The composed delta at eps = 1 of rounds of discrete Gaussian noise, closely enclosed."""
    return xdp.shift_profile(xdp.DiscreteGaussian(sigma_squared)).compose(times).delta(eps=1, relative_width="1/100000")


@pytest.mark.parametrize("times", [2, 5])
def test_that_many_rounds_hold_and_one_step_less_fails(times):
    """Of symmetric noise one pair is worst, so that both ends meet."""
    found = xdp.calibrate("discrete-gaussian", eps=1, delta=TARGET, grid="1/16", rounds=times)
    assert gaussian(found.parameter, times).hi <= TARGET
    assert found.open_at == found.fails_at == found.parameter - Fraction(1, 16)
    assert gaussian(found.open_at, times).lo > TARGET
    assert gaussian(found.parameter, times + 1).lo > TARGET
    assert found.scope == "local"
    assert (found.holds, found.fails, found.level) == (None, None, "enclosure")


def test_more_rounds_need_more_noise_and_one_is_the_usual_answer():
    asked = {"eps": 1, "delta": TARGET, "grid": "1/16"}
    one = xdp.calibrate("discrete-gaussian", certificates=False, **asked)
    found = [xdp.calibrate("discrete-gaussian", certificates=False, rounds=k, **asked).parameter for k in (1, 2, 4)]
    assert found[0] == one.parameter
    assert found == sorted(set(found))


@pytest.mark.slow
@pytest.mark.parametrize("guess", [None, (Fraction(1), Fraction(1, 2)), (Fraction(1, 1000), Fraction(1, 10**4))])
def test_a_wrong_guess_costs_time_alone(monkeypatch, guess):
    asked = {"eps": 1, "delta": TARGET, "grid": "1/16", "rounds": 3}
    found = xdp.calibrate("discrete-gaussian", **asked).parameter
    monkeypatch.setattr(two_ended_search, "one_of_runs", lambda eps, delta, times: guess)
    assert xdp.calibrate("discrete-gaussian", **asked).parameter == found


def test_where_ends_differ_the_parameter_holds_and_what_fails_is_refuted():
    found = xdp.calibrate("randomized-response", n=30, exp_eps=3, delta=TARGET, grid="1/256", rounds=3)
    for flip, side in ((found.parameter, "upper"), (found.fails_at, "lower")):
        made = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma=2 * flip), 30)
        end = getattr(made.privacy_profile().compose(3).bracket(exp_eps=3, relative_width="1/32"), side)
        assert (end.hi <= TARGET) if side == "upper" else (end.lo > TARGET)
    assert found.fails_at <= found.open_at == found.parameter - Fraction(1, 256)
    assert found.scope == "and every larger value up to 1/2"


@pytest.mark.slow
def test_the_largest_eps0_between_two_ends():
    asked = {"inputs": 3, "n": 400, "eps": 1, "delta": "1e-3", "rounds": 4, "grid": "1/16"}
    found = xdp.calibrate("hadamard-response", **asked)
    for value, side in ((found.parameter, "upper"), (found.fails_at, "lower")):
        made = xdp.randomizers.hadamard_response(3, exp_eps0=value)
        runs = xdp.ShuffleProtocol(made, 400).privacy_profile().compose(4)
        end = getattr(runs.bracket(eps=1, relative_width="1/64"), side)
        assert (end.hi <= Fraction(1, 1000)) if side == "upper" else (end.lo > Fraction(1, 1000))
    assert found.parameter < found.open_at <= found.fails_at
    assert found.scope == "and every smaller value"


def test_what_is_refused():
    asked = {"n": 30, "exp_eps": 3}
    with pytest.raises(InvalidValueError, match="delta=0 is not"):
        xdp.calibrate("randomized-response", delta=0, rounds=2, **asked)
    with pytest.raises(InvalidValueError, match="rounds=0"):
        xdp.calibrate("randomized-response", delta="1/2", rounds=0, **asked)
    line = "calibrate randomized-response -n 30 --exp-eps 3 --delta 1/100 --times 2"
    assert "Leave out -o" in run(f"{line} -o none.json").stderr
    counting = "calibrate correlated-counting -n 30 --eps 1 --delta 1/100 --times 2 --share best"
    assert "--share best compares single runs" in run(counting).stderr


def test_the_shell_says_the_same_and_its_line_asks_again():
    line = "calibrate discrete-gaussian --eps 1 --delta 1/100 --grid 1/4 --times 2"
    data, said = answered(line), run(f"{line} --explain").stdout
    found = xdp.calibrate("discrete-gaussian", eps=1, delta=TARGET, grid="1/4", rounds=2)
    assert Fraction(data["parameter"]["exact"]) == found.parameter
    assert data["times"] == 2
    assert "2 adaptive rounds" in said
    assert "in 2 adaptive rounds together" in said
    again = answered(data["paste"]["shell"].removeprefix("exactdp "))
    assert Fraction(again["delta"]["hi"]) <= TARGET
    assert again["times"] == 2
    python = eval(data["paste"]["python"], {"xdp": xdp})
    assert python.lo <= Fraction(again["delta"]["hi"])
    assert Fraction(again["delta"]["lo"]) <= python.hi
    assert "times" not in answered(line.replace(" --times 2", ""))

"""Each step of the scan of all data sets, and of the bracket, by its definition in exact fractions."""

from collections.abc import Callable
from fractions import Fraction
from math import comb

import pytest

import exactdp as xdp
from exactdp import protocols
from exactdp.errors import InvalidValueError
from exactdp.protocols.accuracy import response as response_accuracy
from exactdp.protocols.accuracy.response import CountModel, _enough, _moments, _Scan, count_bracket, response_bracket
from tests.thinned import thinned
from tests.together import together

MODELS = [CountModel(5, Fraction(3, 4), Fraction(1, 4)), CountModel(6, Fraction(2, 3), Fraction(1, 6))]
TINY = Fraction(1, 2**150)


def binomial(n: int, p: Fraction) -> list[Fraction]:
    return [comb(n, t) * p**t * (1 - p) ** (n - t) for t in range(n + 1)]


def masses_of(model: CountModel, k: int) -> list[Fraction]:
    """The law of the count with k holders, by convolution."""
    first, second = binomial(k, model.likely), binomial(model.n - k, model.unlikely)
    found = [Fraction(0)] * (model.n + 1)
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            found[i + j] += p * q
    return found


def steps(model: CountModel, beta: Fraction) -> list[tuple[int, list[int], list[Fraction], Fraction, _Scan]]:
    """Every k with the scan's masses, the true ones, and the mean."""
    scan = _Scan(model, beta, 200)
    found, masses = [], scan._first()
    for k in range(model.n + 1):
        masses = scan._next(masses) if k else masses
        mean = k * model.likely + (model.n - k) * model.unlikely
        found.append((k, masses, masses_of(model, k), mean, scan))
    return found


def outside(masses: list[Fraction], mean: Fraction, reach: Fraction) -> Fraction:
    return sum((p for t, p in enumerate(masses) if abs(t - mean) > reach), Fraction(0))


@pytest.mark.parametrize("model", MODELS)
def test_what_is_enough_and_the_least_that_is(model: CountModel) -> None:
    for k, masses, true, mean, _ in steps(model, Fraction(1, 2)):
        reaches = sorted({abs(t - mean) for t in range(model.n + 1)})
        for reach in [*reaches, reaches[0] / 2, reaches[-1] + 1]:
            beta = outside(true, mean, reach)
            for target in (beta - TINY, beta):
                if not 0 < target < 1:
                    continue
                scan = _Scan(model, target, 200)
                assert scan._is_enough(masses, k, reach) == (target == beta)
                expected = next(reach for reach in reaches if outside(true, mean, reach) <= target)
                assert scan._least(masses, k) == expected


@pytest.mark.parametrize("model", MODELS)
def test_the_exact_probability_outside_a_window(model: CountModel) -> None:
    for k, _, true, _, scan in steps(model, Fraction(1, 2)):
        for low in range(model.n + 1):
            for high in range(model.n + 1):
                inside = sum(true[low : high + 1], Fraction(0))
                assert scan._outside(k, low, high) == 1 - inside


def test_nothing_is_enough_for_a_window_without_an_outcome() -> None:
    model = MODELS[0]
    for k, masses, _, mean, _ in steps(model, Fraction(1, 2)):
        if mean.denominator > 1:
            assert not _Scan(model, 1 - TINY, 200)._is_enough(masses, k, Fraction(1, 8))


@pytest.mark.parametrize("k", [2, 3])
def test_each_data_set_that_can_be_worst_is_looked_at_once(k: int) -> None:
    """Of two inputs k and n - k users mirror each other."""
    seen: list[tuple[int, int | None]] = []
    xdp.optimal_accuracy(protocols.k_ary(7, k, gamma="1/2"), beta="1/20", progress=lambda *done: seen.append(done))
    assert seen == [(i, len(seen)) for i in range(1, len(seen) + 1)]
    assert len(seen) == (4 if k == 2 else 8)


def test_the_scan_answers_for_as_many_users_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_accuracy, "MAX_SCANNED", 12)
    assert isinstance(xdp.optimal_accuracy(protocols.k_ary(12, 2, gamma="1/2"), beta="1/20"), Fraction)
    assert isinstance(xdp.optimal_accuracy(protocols.k_ary(13, 2, gamma="1/2"), beta="1/20"), xdp.Interval)


def test_who_sends_the_truth_makes_no_error() -> None:
    for n in (5, 10**6):
        assert xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma=0), beta="1/20") == 0


@pytest.mark.parametrize(
    "rows", [{0: {0: "1/2", 7: "1/2"}, 1: {1: "1/2", 7: "1/2"}}, {0: {7: 1}, 1: {7: "1/3", 1: "2/3"}}]
)
def test_a_counted_message_is_an_input_too(rows: dict[int, dict[int, object]]) -> None:
    """Where 7 is counted and nobody holds 7 there are no holders."""
    randomizer = xdp.Randomizer({x: {(sent,): p for sent, p in row.items()} for x, row in rows.items()})
    protocol = xdp.ShuffleProtocol(randomizer, 3, analyzer=xdp.Analyzer({7: 2}))
    with pytest.raises(InvalidValueError, match="not randomized response with its unbiased estimate"):
        xdp.optimal_accuracy(protocol, beta="1/20")


ROWS = {
    "mirrored": ("9/10", "1/2"),
    "q0 = 0": ("1/2", 0),
    "q0 = 0, unlikely": ("1/5", 0),
    "q1 = 1": (1, "1/3"),
    "the truth": (1, 0),
    "narrow": ("3/5", "1/2"),
}


@together("named", ROWS)
@together("beta", [0, "1/100", "1/20", "1/2", 1])
def test_any_two_probabilities_against_every_data_set(named: str, beta: object) -> None:
    """Of 1 the share q1 of holders' messages, q0 of the others': the least error of the worst data set."""
    n, (likely, unlikely) = 5, map(Fraction, ROWS[named])
    rows = {0: {(1,): unlikely, (0,): 1 - unlikely}, 1: {(1,): likely, (0,): 1 - likely}}
    weight = 1 / (likely - unlikely)
    analyzer = xdp.Analyzer({1: weight}, offset=-n * unlikely * weight)
    protocol = xdp.ShuffleProtocol(xdp.Randomizer(rows), n, analyzer=analyzer)
    worst = Fraction(0)
    for k in range(n + 1):
        law = protocol.estimate_law([0] * (n - k) + [1] * k).map(lambda estimate, k=k: abs(estimate - k))
        errors = [Fraction(0), *sorted(error for error, _ in law.items())]
        worst = max(worst, next(e for e in errors if sum(p for f, p in law.items() if f > e) <= Fraction(beta)))
    assert xdp.optimal_accuracy(protocol, beta=beta) == worst


@pytest.mark.parametrize("n", thinned([30, 2, 100], every=3))
@pytest.mark.parametrize("pair", [("55/70", "1/70"), ("9/10", "1/2"), ("1/2", 0), ("1/10", "1/11"), (1, "1/3")])
@pytest.mark.parametrize("beta", ["1/3", "1/20", "1e-9"])
def test_the_bracket_of_any_two_probabilities_contains_the_scan(n: int, pair: tuple[object, object], beta: str) -> None:
    model = CountModel(n, *map(Fraction, pair))
    assert Fraction(response_accuracy.response_accuracy(model, Fraction(beta))) in count_bracket(model, Fraction(beta))


def test_beyond_the_scan_any_alphabet_has_a_bracket() -> None:
    found = xdp.optimal_accuracy(protocols.k_ary(10**6, 16, gamma="16/70"), beta="1e-6")
    assert isinstance(found, xdp.Interval)
    assert found.lo < found.hi < found.lo * Fraction(23, 20)


# --- The bracket ----------------------------------------------------------------------------------------------------


def partial(n: int, p: Fraction, place: int, power: int) -> Fraction:
    return sum(((t - place) ** power * mass for t, mass in enumerate(binomial(n, p)) if t > place), Fraction(0))


@pytest.mark.parametrize("n", [1, 2, 3, 7])
@pytest.mark.parametrize("flip", [Fraction(1, 4), Fraction(2, 5)])
def test_partial_moments(n: int, flip: Fraction) -> None:
    for place in range(1, n + 1):
        first, second = _moments(n, flip, place, 100)
        assert abs(first - partial(n, flip, place, 1)) < Fraction(1, 2**60)
        truth = partial(n, flip, place, 2)
        assert truth <= second < truth + Fraction(1, 2**60)


def enough(n: int, flip: Fraction, place: int, beta: Fraction) -> Callable[[Fraction], bool]:
    """Whether the theorem proves, with this c, that an a is enough."""
    second, c = partial(n, flip, place, 2), place - n * flip
    return lambda a: a > c and 2 * second <= beta * (a - c) ** 2


@pytest.mark.parametrize("beta", thinned([Fraction(1, 3), Fraction(1, 20), Fraction(1, 10**6)], every=2))
@pytest.mark.parametrize(("n", "flip"), [(8, Fraction(1, 4)), (25, Fraction(1, 10)), (30, Fraction(2, 5))])
def test_the_upper_end_is_enough_and_the_best_of_all_places(n: int, flip: Fraction, beta: Fraction) -> None:
    start = int(n * flip) + 1
    found = response_bracket(n, flip, beta).hi * (1 - 2 * flip)
    assert any(enough(n, flip, place, beta)(found) for place in range(start, n + 1))
    less = found * (1 - Fraction(1, 10**15))
    exact = xdp.optimal_accuracy(protocols.k_ary(n, 2, gamma=2 * flip), beta=beta) * (1 - 2 * flip)
    assert less < exact or not any(enough(n, flip, place, beta)(less) for place in range(start, n + 1))


@pytest.mark.parametrize("place", [3, 5, 7])
def test_an_a_for_one_place_is_the_least_that_is_proved(place: int) -> None:
    n, flip, beta = 8, Fraction(1, 4), Fraction(1, 20)
    found = _enough(n, flip, place, beta, 100)
    is_enough = enough(n, flip, place, beta)
    assert is_enough(found)
    assert not is_enough(found * (1 - Fraction(1, 2**50)))

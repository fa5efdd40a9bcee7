"""The rows of the survey: errors against laws of their own, privacy against the engine, and what is refused."""

import math
import pickle
from fractions import Fraction
from math import comb, exp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, dlaplace, norm, poisson

from exactdp import local_lower_bound, protocols
from exactdp.bounds import stronger_clones_delta
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.evidence.levels import LEVELS
from exactdp.numbers.interval import Interval, fraction_ends
from exactdp.protocols.mixing.component_bound import component_colourings
from exactdp.studies.survey.bounded_sums import clones_exp_eps0, split_and_mix_least, split_and_mix_published
from exactdp.studies.survey.error_curves import (
    HISTOGRAMS,
    LEAST,
    MODELS,
    NOISES,
    PUBLISHED,
    TASKS,
    Row,
    Stated,
    Unanswered,
    read_question,
    read_row,
    row_data,
)
from exactdp.studies.survey.measured import CURVES, Survey, chosen, survey

ASKED: dict[str, Any] = {"eps": "1/2", "delta": "1e-2", "inputs": 4, "bound": 3}
N = 100
CHEAP = (
    "bit sums",
    "discrete Laplace",
    "split and mix",
    "histogram protocol",
    "local",
)
COARSE = ("sample and threshold",)  # whole thresholds may be more than is needed, so their eps is told
QUESTION = read_question(N, **ASKED)


def test_the_published_noise_of_one_message_is_that_of_the_clones() -> None:
    """Not of the better bound that this package proves: a percent more of e^eps0 is more than they allow."""
    exp_eps0 = clones_exp_eps0(read_question(1000, eps="1/2", delta="1e-4"))
    within, beyond = (
        stronger_clones_delta(1000, exp_eps0=exp_eps0 * share, eps="1/2") for share in (1, Fraction(101, 100))
    )
    assert within.hi <= Fraction(1, 10**4) < beyond.lo


@pytest.fixture(scope="module")
def answered() -> Survey:
    return survey(QUESTION, only=CHEAP)


def row_of(answered: Survey, key: str) -> Row:
    row = answered.rows[key][N]
    assert isinstance(row, Row), row
    return row


def test_every_curve_has_its_place_and_one_name() -> None:
    assert len({curve.key for curve in CURVES}) == len(CURVES)
    for curve in CURVES:
        assert (curve.task in TASKS, curve.model in MODELS, curve.noise in NOISES) == (True, True, True)
        assert pickle.loads(pickle.dumps(curve)) == curve
    assert {curve.task for curve in CURVES} == set(TASKS)


@pytest.mark.slow
def test_every_row_is_private_enough_and_says_its_levels(answered: Survey) -> None:
    rows = [(curve, answered.rows[curve.key][N]) for curve in answered.curves]
    assert sum(isinstance(row, Row) for _, row in rows) > 25
    for curve, row in rows:
        if isinstance(row, Unanswered):
            assert "\n" not in row.reason
            assert "Use" in row.reason or "Pass" in row.reason
            continue
        assert row.delta is not None
        assert fraction_ends(row.delta.value)[1] <= QUESTION.delta, curve
        told = curve.system in COARSE or (curve.noise != LEAST and curve.system != "split and mix")
        assert (row.eps is not None) == told, curve
        if row.eps is not None:
            assert fraction_ends(row.eps.value)[0] <= QUESTION.eps
        numbers = [row.delta, row.error, row.messages, *(value for _, value in row.parameters)]
        assert all(number.level in LEVELS for number in numbers)
        assert all((number.level == "prose") == (curve.noise == PUBLISHED) for _, number in row.parameters)
        assert read_row(row_data(row)) == row


def test_errors_are_quantiles_of_laws_computed_elsewhere(answered: Survey) -> None:
    def least(row: Row, tail: Any) -> None:
        reach = row.error.value
        assert isinstance(reach, Fraction)
        assert tail(float(reach)) <= 0.05 < tail(float(reach) - 1)

    least(row_of(answered, "bit sums: discrete Laplace, pure"), lambda t: 2 * dlaplace.sf(t, 0.5))
    least(row_of(answered, "bounded sums: discrete Laplace, pure"), lambda t: 2 * dlaplace.sf(t, 0.5 / 3))
    least(row_of(answered, "histograms: discrete Laplace, pure"), lambda t: 2 * dlaplace.sf(t, 0.25))
    least(row_of(answered, "bit sums: correlated counting, theorem"), lambda t: 2 * dlaplace.sf(t, 0.25))
    silent = row_of(answered, "bit sums: zsum, least noise")
    gamma = float(dict(silent.parameters)["gamma"].value)
    least(silent, lambda t: binom.sf(t, N, gamma))
    noisy = row_of(answered, "bit sums: Poisson counting, least noise")
    mu, reach = float(dict(noisy.parameters)["mu"].value), float(noisy.error.value)
    assert poisson.sf(mu + reach, mu) + poisson.cdf(mu - reach - 1e-9, mu) == pytest.approx(0.05, abs=0.02)


def test_local_response_errs_as_listed(answered: Survey) -> None:
    row = row_of(answered, "bit sums: local randomized response, pure")
    flip, gap = 1 / (1 + exp(0.5)), (exp(0.5) - 1) / (exp(0.5) + 1)
    reach = float(row.error.value) * gap

    def failing(most: float) -> float:
        return max(
            sum(
                comb(k, i) * comb(N - k, j) * (1 - flip) ** (i + N - k - j) * flip ** (k - i + j)
                for i in range(k + 1)
                for j in range(N - k + 1)
                if abs(i + j - k * (1 - flip) - (N - k) * flip) > most
            )
            for k in range(N // 2 + 1)
        )

    assert failing(reach + 1e-7) <= 0.05 < failing(reach - 1e-7)


def test_no_local_protocol_is_below_the_bound(answered: Survey) -> None:
    best, response = (
        fraction_ends(row_of(answered, f"bit sums: {name}, pure").error.value)
        for name in ("best of all local protocols", "local randomized response")
    )
    assert best[0] == local_lower_bound(N, eps="1/2", beta="1/20", points=9).error <= best[1]
    assert abs(best[1] - min(Fraction(N, 2), response[1])) < Fraction(1, 2**40)


def test_the_wrap_around_of_split_and_mix_costs_no_error(answered: Survey) -> None:
    for task in ("bit sums", "bounded sums"):
        central = row_of(answered, f"{task}: discrete Laplace, pure")
        mixed = row_of(answered, f"{task}: split and mix, least noise")
        assert mixed.error == central.error
        modulus = dict(mixed.parameters)["modulus"].value
        assert isinstance(modulus, Fraction)
        assert modulus > (3 if task == "bounded sums" else 1) * N
        assert mixed.bits == int(modulus).bit_length() - 1
        assert mixed.messages == Stated(Fraction(mixed.most or 0), "exact")


@settings(max_examples=20)
@given(
    n=st.integers(19, 50),
    bound=st.integers(1, 5),
    eps=st.fractions(Fraction(1, 8), 2, max_denominator=8),
    beta=st.sampled_from(["1/2", "1/20", "1/1000"]),
    least=st.booleans(),
)
def test_split_and_mix_is_within_its_theorem(n: int, bound: int, eps: Fraction, beta: str, least: bool) -> None:
    """Of row split-and-mix-laplace, in floats: delta, and the error with h half of the residues beyond the sums."""
    question = read_question(n, eps=eps, delta="1e-3", beta=beta)
    answer = (split_and_mix_least if least else split_and_mix_published)(question, bound)
    p, messages, modulus = exp(-eps / bound), int(answer.parameters["messages"]), int(answer.parameters["modulus"])
    excess = component_colourings(n, modulus=modulus, messages=messages) / modulus - 1
    assert isinstance(answer.delta, Interval)
    assert float(answer.delta) == pytest.approx((1 + exp(eps)) * float(excess) ** 0.5 / 2)
    h = (modulus - n * bound) // 2
    last = min(h + 1, modulus - h - n * bound)
    low, high = (int(end) for end in fraction_ends(answer.error))
    assert high + 1 <= last
    assert 2 * p ** (high + 1) / (1 + p) <= float(question.beta) < 2 * (p**low - p**last) / (1 + p)


def test_a_billion_users_are_answered_though_the_wrap_around_is_unthinkable() -> None:
    for curve in chosen(["split and mix"]):
        row = curve.row(read_question(10**9, **ASKED).at(10**9, with_privacy=False))
        assert isinstance(row, Row), row
        assert row.error.value == (6 if curve.task == "bit sums" else 18)


@pytest.mark.slow
@pytest.mark.parametrize(("users", "is_least"), [(100, False), (10**7, True)])
def test_gaussian_messages_err_by_a_normal_quantile(users: int, is_least: bool) -> None:
    """Of all users' noise together; at the end of the family the row says that less noise is not bounded."""
    (curve,) = chosen(["bounded sums: Gaussian, least noise"])
    row = curve.row(read_question(users, **ASKED))
    assert isinstance(row, Row), row
    sigma = dict(row.parameters)["sigma"].value
    assert float(row.error.value) == pytest.approx(3 * float(sigma) * math.sqrt(users) * norm.ppf(0.975), rel=1e-8)
    assert row.delta is not None
    assert fraction_ends(row.delta.value)[1] <= Fraction(ASKED["delta"])
    assert (sigma == Fraction(1, 2)) == is_least == ("no smaller sigma" in row.remark)
    assert row.bits is None


def test_messages(answered: Survey) -> None:
    theorem = row_of(answered, "bit sums: correlated counting, theorem")
    noise = protocols.correlated_counting_from_theorem(N, eps="1/2", delta="1e-2").noise_messages
    assert isinstance(theorem.messages.value, Interval)
    assert float(theorem.messages.value) == pytest.approx(1 + float(noise))
    histogram = row_of(answered, "histograms: histogram protocol, least noise")
    gamma = dict(histogram.parameters)["gamma"].value
    assert float(histogram.messages.value) == pytest.approx(1 + 4 * (1 - float(gamma)))
    assert histogram.most == 5


def test_questions_that_are_refused() -> None:
    for change, message in (
        ({"eps": 0}, "eps=0 is not above 0"),
        ({"delta": 0}, "delta=0 is not strictly"),
        ({"delta": 1}, "delta=1 is not strictly"),
        ({"beta": 1}, "beta=1 is not strictly"),
        ({"inputs": 1}, "inputs=1 is below"),
        ({"bound": 0}, "bound=0 is below"),
    ):
        with pytest.raises(InvalidValueError, match=message):
            read_question(N, **{**ASKED, **change})
    with pytest.raises(TooLargeError, match="limit of 10"):
        read_question(10**19, **ASKED)
    with pytest.raises(InvalidValueError, match="names no task, model or protocol"):
        chosen(["zsun"])
    with pytest.raises(InvalidValueError, match="users do not rise"):
        survey(QUESTION, [5, 5], only=["zsum"])


def test_a_name_chooses_a_task_a_model_a_protocol_or_a_curve() -> None:
    assert {curve.task for curve in chosen(["histograms"])} == {HISTOGRAMS}
    assert {curve.model for curve in chosen(["central"])} == {"central"}
    assert [curve.name for curve in chosen(["bit sums: zsum, theorem"])] == ["zsum, theorem"]
    assert len(chosen()) == len(CURVES)


def test_fewer_users_than_a_theorem_needs_leave_a_reason() -> None:
    row = survey(read_question(10, **ASKED), only=["bit sums: zsum, theorem"]).rows["bit sums: zsum, theorem"][10]
    assert isinstance(row, Unanswered)
    assert row.reason.startswith("The zsum theorem needs n >= ")
    assert read_row(row_data(row)) == row

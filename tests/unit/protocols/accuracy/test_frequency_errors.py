"""Estimated frequencies of tables and families: against the law of every view, exact tails, and simulated views."""

from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest
from click.testing import CliRunner

from exactdp import ShuffleProtocol, optimal_accuracy
from exactdp.cli.main import cli
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.tails import BERNSTEIN, BERRY_ESSEEN, enough_reach, reached
from exactdp.mechanisms.linear_estimate import LinearEstimate
from exactdp.mechanisms.randomizer import Randomizer
from exactdp.numbers.interval import fraction_ends
from exactdp.protocols.accuracy.frequency_errors import SCANNED, frequency_error, users_needed, worst_variance
from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    HadamardResponse,
    KAryResponse,
    LocalHashing,
    MixedDummies,
    Product,
    SubsetSelection,
    UnaryEncoding,
)
from exactdp.sampling import sample

UNEVEN = Randomizer({0: {(0,): "1/2", (1,): "1/2"}, 1: {(0,): "1/3", (1,): "1/2", (2,): "1/6"}, 2: {(2,): 1}})
WIDE = Randomizer(
    {"a": {("u",): "1/2", ("v",): "1/4", ("w",): "1/4"}, "b": {("u",): "1/8", ("v",): "1/2", ("w",): "3/8"}}
)
BUNDLES = Randomizer({"a": {(): "1/2", ("m",): "1/4", ("m", "m"): "1/4"}, "b": {("m",): "1/2", ("m", "m"): "1/2"}})
YES_NO = Randomizer({"yes": {("y",): "3/4", ("n",): "1/4"}, "no": {("y",): "1/4", (): "3/4"}})
TABLES = [UNEVEN, WIDE, BUNDLES, YES_NO, ClippedDiscreteLaplace(3, exp_eps0=9).table()]
FAMILIES = [
    KAryResponse(3, exp_eps0=4),
    UnaryEncoding(3, exp_eps0=9),
    UnaryEncoding(3, exp_eps0=9, optimized=True),
    SubsetSelection(4, exp_eps0=2),
    HadamardResponse(3, exp_eps0=4),
    pytest.param(LocalHashing(3, exp_eps0=2), marks=pytest.mark.slow),
    *(ClippedDiscreteLaplace(top, exp_eps0=9) for top in (1, 2, 4)),
]


def mistakes(table, estimate, value, n):
    """Return the law of the error of one estimate on every data set of n users, from the law of the view."""
    weights = dict(estimate.weights)
    listed = [weights.get(str(message), F(0)) for message in table.alphabet]
    for held in combinations_with_replacement(table.inputs, n):
        truth = held.count(value)
        yield table_law(table, held).map(
            lambda view, truth=truth: (
                sum(w * c for w, c in zip(listed, view, strict=True)) + n * estimate.offset - truth
            )
        )


def table_law(table, held):
    return ShuffleProtocol(table, len(held)).law(held)


def spread(law):
    return sum(error**2 * p for error, p in law.items())


def quantile(law, beta):
    """Return the least size of an error that is exceeded with probability at most beta."""
    sizes = law.map(abs)
    return next(a for a in sorted(sizes) if sum(p for size, p in sizes.items() if size > a) <= beta)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("n", [1, 3])
def test_estimates_of_tables_are_unbiased_and_their_errors_are_those_of_every_view(table, n):
    variance, worst = F(0), {beta: F(0) for beta in (F(1, 20), F(1, 2))}
    for estimate, value in zip(table.linear_estimates(), table.inputs, strict=True):
        for law in mistakes(table, estimate, value, n):
            assert law.mean() == 0
            variance = max(variance, spread(law))
            worst = {beta: max(least, quantile(law, beta)) for beta, least in worst.items()}
    assert worst_variance(table, n) == variance
    for beta, least in worst.items():
        low, high = fraction_ends(frequency_error(table, n, beta).alpha)
        assert low <= least <= high
        assert optimal_accuracy(ShuffleProtocol(table, n), beta=beta) == frequency_error(table, n, beta).alpha


def test_a_wrong_weight_is_seen():
    estimate = UNEVEN.linear_estimates()[0]
    (message, weight), *rest = estimate.weights
    wrong = LinearEstimate(estimate.value, ((message, weight + F(1, 100)), *rest), estimate.offset, estimate.scores)
    assert any(law.mean() != 0 for law in mistakes(UNEVEN, wrong, 0, 2))


@pytest.mark.parametrize("family", FAMILIES)
def test_estimates_of_families_are_unbiased_with_the_variance_of_every_view(family):
    """The estimate is stated without the table: messages that support an input, or that are near it."""
    table = family.table()
    variance = F(0)
    for stated in family.linear_estimates():
        if stated.value == "any":
            weight = stated.weights[0][1]
            weights = tuple((str(m), weight * family.supports(m, 0)) for m in table.alphabet)
            stated = LinearEstimate("0", weights, stated.offset, stated.scores)
        for law in mistakes(table, stated, int(stated.value), 2):
            assert law.mean() == 0
            variance = max(variance, spread(law))
    assert worst_variance(family, 2) == variance


@pytest.mark.parametrize("top", range(1, 8))
def test_the_closed_form_of_the_clipped_laplace_is_least_squares(top):
    family = ClippedDiscreteLaplace(top, exp_eps0=9)
    solved = family.table().linear_estimates()
    for stated in family.linear_estimates():
        other, weights = solved[int(stated.value)], dict(stated.weights)
        assert dict(other.weights) == {message: weights.get(message, 0) for message, _ in other.weights}
        assert [max(getattr(t, name) for t in stated.terms) for name in ("most", "skew", "variance")] == [
            max(getattr(t, name) for t in other.terms) for name in ("most", "skew", "variance")
        ]
    assert max(one.worst.variance for one in solved) == worst_variance(family, 1)


@pytest.mark.parametrize("table", [WIDE, BUNDLES, UnaryEncoding(3, exp_eps0=9).table()])
def test_no_other_unbiased_weights_have_less_variance_on_even_data(table):
    """Adding what is 0 in the mean under every input, in any direction, adds variance; and the sum of all is n."""
    for estimate, value in zip(table.linear_estimates(), table.inputs, strict=True):
        base = dict(estimate.weights)
        even = sum(score.variance for score in estimate.scores)
        for first in range(len(table.alphabet)):
            for second in range(first):
                shift = null_vector(table, first, second)
                if shift is None:
                    continue
                moved = {m: base[str(m)] + shift[i] for i, m in enumerate(table.alphabet)}
                total = F(0)
                for x, row in table.table().items():
                    scores = [(sum(moved[m] for m in sent) + estimate.offset + shift[-1], p) for sent, p in row.items()]
                    assert sum(s * p for s, p in scores) == (x == value)
                    total += sum(s**2 * p for s, p in scores) - (x == value)
                assert total > even


def null_vector(table, first, second):
    """Return a change of two weights, and of others that make up for it, with mean 0 under every input; None for 0."""
    from exactdp.numbers.rationals import reduced_rows

    size = len(table.alphabet)
    means = [
        [sum((p * sent.count(m) for sent, p in row.items()), F(0)) for m in table.alphabet] + [F(1)]
        for row in table.table().values()
    ]
    rows, leading = reduced_rows(means)
    free = [place for place in range(size + 1) if place not in leading]
    if second >= len(free) or first >= size:
        return None
    shift = [F(0)] * (size + 1)
    shift[free[second]] = F(1, 7)
    for row, place in zip(rows, leading, strict=True):
        shift[place] = -row[free[second]] / 7
    sent = {sum((shift[table.alphabet.index(m)] for m in s), shift[-1]) for row in table.table().values() for s in row}
    return shift if sent != {0} else None


@pytest.mark.parametrize("table", [UNEVEN, WIDE])
def test_the_estimates_of_all_inputs_sum_to_the_number_of_users(table):
    for weights in zip(*(estimate.weights for estimate in table.linear_estimates()), strict=True):
        assert sum(weight for _, weight in weights) == 1


def test_rows_that_depend_on_each_other_are_refused():
    mixed = Randomizer({"a": {(0,): 1}, "b": {(1,): 1}, "both": {(0,): "1/3", (1,): "2/3"}})
    with pytest.raises(InvalidValueError) as refused:
        mixed.linear_estimates()
    assert str(refused.value) == (
        "the messages do not tell the inputs apart: the mean row of 'both' is 1/3 times that of 'a' + 2/3 times that "
        "of 'b', so no estimate of frequencies is unbiased. Merge such inputs, or change a row."
    )
    with pytest.raises(InvalidValueError, match="has equal rows"):
        ClippedDiscreteLaplace(3, exp_eps0=1).linear_estimates()
    with pytest.raises(InvalidValueError, match="has equal rows"):
        frequency_error(KAryResponse(3, exp_eps0=1), 9, "1/20")
    many = Randomizer({x: {(y,): F(1, 300) for y in range(300)} for x in range(300)})
    with pytest.raises(TooLargeError, match="beyond the limit"):
        many.linear_estimates()


# --- Deviations -----------------------------------------------------------------------------------------------------


def outside(law, reach):
    """Return P[|Y - E Y| > reach], enclosed from above."""
    low, high = (law.mean - reach).__ceil__(), (law.mean + reach).__floor__()
    return law.cdf(low - 1).hi + law.sf(high).hi


@pytest.mark.parametrize("beta", [F(1, 20), F(1, 1000)])
@pytest.mark.parametrize(("likely", "unlikely"), [(F(1, 2), F(1, 10)), (F(3, 4), F(1, 4)), (F(1, 3), F(1, 50))])
def test_both_ends_hold_of_binomial_counts_with_any_number_of_holders(beta, likely, unlikely):
    n = 40_000
    chances = likely, unlikely
    spread = n * max(p * (1 - p) for p in chances)
    far, skew = max(max(p, 1 - p) for p in chances), max(p**2 + (1 - p) ** 2 for p in chances)
    enough = enough_reach(spread, far, skew, beta)
    assert enough.theorem == (BERRY_ESSEEN if beta == F(1, 20) else BERNSTEIN)
    for holders in range(0, n + 1, 2500):
        law = BinomialSum(holders, likely, n - holders, unlikely)
        assert outside(law, enough.error) <= beta
        least = reached(law.variance, skew, beta)
        assert outside(law, least) > beta or least == 0
    assert outside(BinomialSum(n, max(chances, key=lambda p: p * (1 - p)), 0, F(1, 2)), enough.error * F(7, 10)) > beta


def test_ends_at_the_edge_are_tight_to_what_the_theorem_says():
    """At 10^8 users both ends are within a thousandth of the normal quantile 1.959964."""
    half, beta = F(1, 2), F(1, 20)
    high, low = enough_reach(10**8 * half**2, half, half, beta).error, reached(10**8 * half**2, half, beta)
    assert 0.999 < float(low) / 1.959964 / 5000 < 1 < float(high) / 1.959964 / 5000 < 1.001


def test_simulated_errors_of_the_clipped_laplace_and_of_a_table():
    """20,000 views of the worst data set: an error above the upper end is as rare as beta, above the lower is not."""
    beta, size, n = F(1, 20), 20_000, 20_000
    for randomizer, held in ((ClippedDiscreteLaplace(4, exp_eps0=9), 2), (UNEVEN, None)):
        table, alpha = randomizer.tabulated, frequency_error(randomizer, n, beta).alpha
        estimates = table.linear_estimates()
        worst = max(estimates, key=lambda one: one.worst.variance)
        people = {x: n if str(x) == worst.worst.held else 0 for x in table.inputs}
        assert held is None or people[held] == n
        views = sample(ShuffleProtocol(table, n), people, size=size, rng=np.random.default_rng(7))
        errors = views @ np.array([float(w) for _, w in worst.weights]) - n * (worst.value == worst.worst.held)
        deviation = float(worst_variance(randomizer, n)) ** 0.5
        assert abs(errors.std() / deviation - 1) < 5 / (2 * size) ** 0.5
        noise = 5 * (0.05 * 0.95 / size) ** 0.5
        low, high = map(float, fraction_ends(alpha))
        assert np.mean(abs(errors) > high) < 0.05 + noise
        assert np.mean(abs(errors) > low) > 0.05 - noise
        assert high / low < 1.2


# --- Questions ------------------------------------------------------------------------------------------------------


def test_all_inputs_together_are_the_union_and_not_less_than_one():
    for randomizer, inputs in ((KAryResponse(20, exp_eps0=7), 20), (UNEVEN, 3)):
        one, union = frequency_error(randomizer, 5000, "1/20"), frequency_error(randomizer, 5000, F(1, 20 * inputs))
        together = frequency_error(randomizer, 5000, "1/20", simultaneous=True)
        assert together.theorem == f"the union over all inputs, and {union.theorem}"
        assert fraction_ends(together.alpha) == (fraction_ends(one.alpha)[0], fraction_ends(union.alpha)[1])
        protocol = ShuffleProtocol(randomizer, 5000)
        assert optimal_accuracy(protocol, beta="1/20", simultaneous=True) == together.alpha


def test_a_product_has_the_errors_of_its_worst_question():
    first, second = KAryResponse(4, exp_eps0=3), ClippedDiscreteLaplace(4, exp_eps0=9)
    both, errors = Product(first, second), [frequency_error(one, 10**4, "1/20") for one in (first, second)]
    assert frequency_error(both, 10**4, "1/20") == errors[1]
    assert worst_variance(both, 7) == max(worst_variance(first, 7), worst_variance(second, 7))
    together = frequency_error(both, 10**4, "1/20", simultaneous=True).alpha
    assert together.hi == max(fraction_ends(frequency_error(one, 10**4, F(1, 180)).alpha)[1] for one in (first, second))


def test_certain_answers_and_certain_errors():
    sure = Randomizer({x: {(x,): 1} for x in range(3)})
    assert frequency_error(sure, 50, "1/20").alpha == 0
    assert users_needed(sure, error="1/100", beta="1/20") == 1
    assert frequency_error(UNEVEN, 50, 1).alpha == 0
    assert frequency_error(UNEVEN, 3, 0).alpha == max(
        quantile(law, 0)
        for estimate, value in zip(UNEVEN.linear_estimates(), UNEVEN.inputs, strict=True)
        for law in mistakes(UNEVEN, estimate, value, 3)
    )
    assert frequency_error(KAryResponse(3, exp_eps0=4), 50, "1/20").theorem == SCANNED


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("randomizer", [KAryResponse(20, exp_eps0=7), UNEVEN, MixedDummies(5, exp_eps0=9, dummies=2)])
def test_as_many_users_as_are_needed_are_enough_and_one_less_is_not_shown_so(randomizer, simultaneous):
    n = users_needed(randomizer, error="1/50", beta="1/20", simultaneous=simultaneous)
    ends = [
        fraction_ends(frequency_error(randomizer, users, "1/20", simultaneous=simultaneous).alpha)[1]
        for users in (n - 1, n)
    ]
    assert ends[1] <= F(n, 50)
    if randomizer is UNEVEN:
        assert ends[0] > F(n - 1, 50)
    assert n < users_needed(randomizer, error="1/60", beta="1/20", simultaneous=simultaneous)


def test_what_is_asked_of_users_is_refused():
    response = KAryResponse(20, exp_eps0=7)
    for error, beta, words in ((2, "1/20", "is not a share"), ("1/2", 0, "strictly between")):
        with pytest.raises(InvalidValueError, match=words):
            users_needed(response, error=error, beta=beta)
    with pytest.raises(TooLargeError, match="more than 10\\^18 users"):
        users_needed(response, error=F(1, 10**12), beta="1/20")


def run(*words):
    return CliRunner().invoke(cli, ["accuracy", *words, "--beta", "1/20"])


@pytest.mark.slow
def test_the_shell_answers_of_names_products_and_files(tmp_path):
    (tmp_path / "own.toml").write_text(
        '[[row]]\ninput = "yes"\nmessages = [{send = ["y"], prob = "3/4"}, {send = ["n"], prob = "1/4"}]\n'
        '[[row]]\ninput = "no"\nmessages = [{send = ["y"], prob = "1/4"}, {send = [], prob = "3/4"}]\n'
    )
    answer = run(str(tmp_path / "own.toml"), "--error", "1/100")
    assert "enough too" in answer.stdout
    assert "holders of an input" in answer.stdout
    answer = run("unary-encoding:inputs=20,exp-eps0=9", "-n", "100000", "--simultaneous")
    assert "all inputs together" in answer.stdout
    assert "that support the input  2" in answer.stdout
    answer = run("@randomized-response:inputs=4,eps0=1", "-n", "1000")
    assert "exact: the worst of all data sets" in answer.stdout
    for words, said in (
        (("unary-encoding:inputs=20,exp-eps0=9",), "needs -n or --error"),
        (("unary-encoding:inputs=20,exp-eps0=9", "-n", "9", "--gamma", "1/2"), "--gamma has no meaning"),
        (("zsum", "--gamma", "1/8", "--error", "1/9"), "--error has no meaning"),
        (("zsum", "--gamma", "1/8"), "needs -n"),
        (("any-randomizer:exp-eps0=3", "-n", "9"), "is not known"),
    ):
        refused = run(*words)
        assert refused.exit_code == 2
        assert said in refused.stderr

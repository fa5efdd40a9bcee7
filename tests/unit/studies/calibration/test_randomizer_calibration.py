"""The largest e^eps0 of randomizers: judged again by brackets, and each claimed order by an exact channel."""

from fractions import Fraction
from itertools import product
from math import inf

import pytest

import exactdp as xdp
from exactdp import randomizers
from exactdp.errors import InvalidValueError
from exactdp.evidence.levels import LEVELS
from exactdp.numbers.epsilon import read_privacy_level
from exactdp.privacy.amplification.guesses import marks_ahead
from exactdp.protocols.one_parameter_families import Family
from exactdp.randomizers import (
    ClippedDiscreteLaplace,
    KAryResponse,
    UnaryEncoding,
    hadamard_response,
    local_hashing,
    randomized_response,
    subset_selection,
    unary_encoding,
)
from exactdp.studies.calibration.local_families import local_family
from exactdp.studies.calibration.two_ended_search import TwoEndedSearch

CASES = [
    ("unary-encoding", {"inputs": 1000}, "and every smaller value of the grid"),
    ("unary-encoding", {"inputs": 1000, "optimized": True}, "and every smaller value"),
    ("subset-selection", {"inputs": 1000}, "local"),
    ("subset-selection", {"inputs": 1000, "size": 20}, "and every smaller value"),
    ("hadamard-response", {"inputs": 1000}, "and every smaller value"),
    ("local-hashing", {"inputs": 1000}, "local"),
    ("local-hashing", {"inputs": 1000, "buckets": 8}, "and every smaller value"),
    ("clipped-discrete-laplace", {"inputs": 4}, "and every smaller value"),
    ("any-randomizer", {}, "and every smaller value"),
    ("randomized-response", {"inputs": 300}, "and every larger value up to 1"),
]


QUICK = {"randomized-response"}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        pytest.param("unary-encoding", {"inputs": 20}, marks=pytest.mark.slow),
        pytest.param("hadamard-response", {"inputs": 50}, marks=pytest.mark.slow),
        ("any-randomizer", {}),
    ],
)
def test_at_delta_0_the_local_eps_decides_every_value(name, options):
    """The view of one message of each user shows as large a ratio as the randomizer: no value is left open."""
    answer = xdp.calibrate(name, n=1000, exp_eps=3, delta=0, grid=Fraction(1, 2**16) if options else None, **options)
    family = local_family(name, options).family
    below, above = (
        family.protocol(value, 1000).randomizer.local_epsilon() for value in (answer.parameter, answer.open_at)
    )
    assert below <= xdp.LogRational(3) < above
    assert answer.fails_at == answer.open_at == answer.parameter + answer.grid


@pytest.mark.parametrize(
    ("name", "options", "scope"),
    [pytest.param(*case, marks=[] if case[0] in QUICK else pytest.mark.slow) for case in CASES],
)
def test_the_upper_end_is_safe_and_the_lower_end_refutes(name, options, scope):
    n, eps, delta = 20000, Fraction(1, 2), Fraction(1, 10**6)
    answer = xdp.calibrate(name, n=n, eps=eps, delta=delta, **options)
    family = local_family(name, options).family

    def ends(value):
        return family.protocol(value, n).privacy_profile().bracket(eps=eps)

    def stated(value):  # by what certificates can state
        return family.protocol(value, n).privacy_profile().checkable.bracket(eps=eps)

    assert answer.protocol == family.protocol(answer.parameter, n)
    assert ends(answer.parameter).upper.hi <= delta < ends(answer.open_at).upper.hi
    assert ends(answer.fails_at).lower.lo > delta
    less = answer.grid if family.weakens else -answer.grid
    assert answer.open_at == answer.parameter + less
    assert (answer.fails_at - answer.open_at) / less >= 0
    assert ends(answer.fails_at - less).lower.lo <= delta
    assert answer.scope == scope
    assert (answer.level, xdp.verify(answer.holds)) == ("certificate", xdp.Verdict.PROVED)
    more_noise = answer.parameter - answer.holds_at
    assert more_noise / less >= 0
    assert stated(answer.holds_at).upper.hi <= delta
    assert more_noise / less <= 256 or stated(answer.holds_at + more_noise / 8).upper.lo > delta
    if answer.tenth_more is not None:
        assert xdp.verify(answer.fails) is xdp.Verdict.REFUTED
        below, above = (
            float(family.protocol(v, n).randomizer.local_epsilon()) for v in (answer.parameter, answer.tenth_more)
        )
        assert 1.1 * below - 1e-6 <= above <= 1.1 * below + 1e-6
    assert answer.is_least is (answer.fails_at == answer.open_at)


@pytest.mark.parametrize(("name", "options", "scope"), CASES)
def test_what_is_proved(name, options, scope):
    assert local_family(name, options).scope(Fraction(100), Fraction(1, 2**20)) == scope


@pytest.mark.parametrize(("n", "exp_eps"), [(1, Fraction(3, 2)), (4, Fraction(2))])
def test_small_n_against_every_grid_point(n, exp_eps):
    """Where the engines are exact there is nothing between the ends, and both verdicts have certificates."""
    grid = Fraction(1, 8)
    values = [1 + i * grid for i in range(40)]
    deltas = [
        xdp.ShuffleProtocol(hadamard_response(3, exp_eps0=v), n).privacy_profile().delta(exp_eps=exp_eps)
        for v in values
    ]
    assert deltas == sorted(deltas)
    for target in (deltas[9], deltas[20], (deltas[20] + deltas[21]) / 2):
        safe = max(value for value, delta in zip(values, deltas, strict=True) if delta <= target)
        answer = xdp.calibrate("hadamard-response", inputs=3, n=n, exp_eps=exp_eps, delta=target, grid=grid)
        assert (answer.parameter, answer.open_at, answer.fails_at) == (safe, safe + grid, safe + grid)
        assert (xdp.verify(answer.holds), xdp.verify(answer.fails)) == (xdp.Verdict.PROVED, xdp.Verdict.REFUTED)
        assert answer.level in LEVELS
        assert answer.is_least


def test_the_usual_grid_is_fine_beside_the_answer():
    for n in (2, 40):
        answer = xdp.calibrate("randomized-response", inputs=2, n=n, eps=1, delta="1e-3")
        assert 2**-17 < answer.grid / answer.parameter <= 2**-16
        assert (1 - answer.parameter) / answer.grid == int((1 - answer.parameter) / answer.grid)


def test_a_callable_is_a_family_of_which_nothing_is_proved():
    named = xdp.calibrate("unary-encoding", inputs=50, n=3000, eps=1, delta="1e-6", grid="1")
    by_call = xdp.calibrate(lambda rate: UnaryEncoding(50, exp_eps0=rate), n=3000, eps=1, delta="1e-6", grid="1")
    by_builder = xdp.calibrate(unary_encoding, inputs=50, n=3000, eps=1, delta="1e-6", grid="1")
    assert by_builder == named
    assert hash(by_builder) == hash(named)
    assert (by_call.name, by_call.scope) == ("rate", "local")
    assert (by_call.parameter, by_call.fails_at) == (named.parameter, named.fails_at)
    assert named.local_epsilon == named.protocol.randomizer.local_epsilon()


def test_a_family_of_a_user_with_two_ends_and_an_end_of_its_domain():
    noisy = Family(lambda gamma, n: KAryResponse(300, gamma=gamma), "gamma", (0, 1), True)
    named = xdp.calibrate("randomized-response", inputs=300, n=3000, eps=2, delta="1e-3", grid="1/16")
    same = xdp.calibrate(noisy, n=3000, eps=2, delta="1e-3", grid="1/16")
    assert (same.parameter, same.open_at, same.fails_at) == (named.parameter, named.open_at, named.fails_at)
    assert (same.holds, same.tenth_more, named.level) == (None, None, "certificate")
    short = Family(lambda e, n: KAryResponse(300, exp_eps0=e), "E", (1, 9), True, weakens=True)
    answer = xdp.calibrate(short, n=20000, eps=1, delta="1e-6")
    assert (answer.parameter, answer.open_at, answer.fails_at) == (9, None, None)
    assert answer.is_least
    useless = Family(lambda e, n: KAryResponse(300, exp_eps0=e), "E", (50, 90), True, weakens=True)
    with pytest.raises(InvalidValueError, match=r"no E is known to be enough: at E=50 delta may be 0\.1347"):
        xdp.calibrate(useless, n=2, exp_eps=2, delta="1e-9")


def test_repetitions():
    answer = xdp.calibrate("randomized-response", inputs=2, times=2, n=6, exp_eps=2, delta="1/10", grid="1/32")
    twice = [
        xdp.ShuffleProtocol(randomizers.repeat(randomized_response(2, gamma=g), 2), 6)
        for g in (answer.parameter, answer.open_at)
    ]
    deltas = [protocol.privacy_profile().delta(exp_eps=2) for protocol in twice]
    assert deltas[0] <= Fraction(1, 10) < deltas[1]


def view_of(rows):
    law = {(): Fraction(1)}
    for row in rows:
        longer = {}
        for (seen, p), (sent, q) in product(law.items(), row.items()):
            view = tuple(sorted((*seen, *sent)))
            longer[view] = longer.get(view, 0) + p * q
        law = longer
    return law


def largest_delta(users, exp_eps):
    """The definition: users, each with a table of his own, of whom one holds something else."""
    found = Fraction(0)
    for held in product(*users):
        first = view_of(table[x] for table, x in zip(users, held, strict=True))
        for place, table in enumerate(users):
            for other in table:
                replaced = (*held[:place], other, *held[place + 1 :])
                second = view_of(one[x] for one, x in zip(users, replaced, strict=True))
                excess = (p - exp_eps * second.get(view, 0) for view, p in first.items())
                found = max(found, sum(max(Fraction(0), p) for p in excess))
    return found


def bit(exp_eps0):
    return {x: {(y,): Fraction(exp_eps0 if x == y else 1) / (exp_eps0 + 1) for y in (0, 1)} for x in (0, 1)}


def two_bits(exp_eps0):
    rows = bit(exp_eps0), bit(2)
    return {
        (x, y): {((*a, *b),): p * q for (a, p), (b, q) in product(rows[0][x].items(), rows[1][y].items())}
        for x, y in product((0, 1), repeat=2)
    }


def half_away(exp_eps0, dummy):
    return {
        x: {sent: row.get(sent, Fraction(0)) / 2 + dummy.get(sent, Fraction(0)) / 2 for sent in {*row, *dummy}}
        for x, row in bit(exp_eps0).items()
    }


DUMMY = {(0,): Fraction(1, 4), (1,): Fraction(3, 4)}
MADE = {
    "product": (
        lambda e: xdp.ShuffleProtocol(
            randomizers.product(randomized_response(2, exp_eps0=e), randomized_response(2, exp_eps0=2)), 3
        ),
        lambda e: [two_bits(e)] * 3,
    ),
    "counted": (
        lambda e: xdp.ShuffleProtocol(randomized_response(2, exp_eps0=e), 4, participation="1/2"),
        lambda e: [half_away(e, {(): Fraction(1)})] * 4,
    ),
    "hidden": (
        lambda e: xdp.ShuffleProtocol(
            randomized_response(2, exp_eps0=e),
            4,
            participation="1/2",
            absence="hidden",
            dummy={message: p for (message,), p in DUMMY.items()},
        ),
        lambda e: [half_away(e, DUMMY)] * 4,
    ),
    "classes": (
        lambda e: xdp.ShuffleProtocol(
            ((randomized_response(2, exp_eps0=e), 2), (randomized_response(2, exp_eps0=2), 2))
        ),
        lambda e: [bit(e)] * 2 + [bit(2)] * 2,
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_whatever_makes_a_protocol_of_exp_eps0_is_calibrated(name):
    """The value holds, and the one that is refuted fails, by the definition."""
    build, users = MADE[name]
    exp_eps, delta = Fraction(3, 2), Fraction(1, 10)
    answer = xdp.calibrate(build, n=build(1).n, exp_eps=exp_eps, delta=delta, grid="1/8")
    assert answer.protocol == build(answer.parameter)
    assert answer.scope == "local"
    if name == "classes":
        assert (answer.level, answer.holds, answer.fails) == ("enclosure", None, None)
    else:
        assert (answer.level, xdp.verify(answer.holds)) == ("certificate", xdp.Verdict.PROVED)
    assert 1 < answer.parameter < answer.open_at <= answer.fails_at < answer.parameter + 1
    assert largest_delta(users(answer.parameter), exp_eps) <= delta < largest_delta(users(answer.fails_at), exp_eps)


@pytest.mark.parametrize(
    ("family", "options", "message"),
    [
        ("unary-encoding", {"n": 9}, "unary-encoding needs inputs, the number of inputs of the randomizer"),
        ("unary-encoding", {"inputs": 9}, "unary-encoding needs n, the number of users"),
        ("unary-encoding", {"inputs": 9, "n": 9, "size": 2}, "unary-encoding does not take size"),
        ("unary-encoding", {"inputs": 9, "n": 9, "width": 2}, "width is no option"),
        ("any-randomizer", {"n": 9, "times": 2}, "any-randomizer does not take times"),
        ("hadamard-response", {"inputs": 3, "n": 9, "times": 0}, "times=0 is below"),
        ("zsum", {"inputs": 3, "n": 9}, "inputs has no meaning for this family"),
        ("hadamard-response", {"inputs": 3, "n": 9, "grid": 0}, "grid=0 is not above 0"),
        ("randomized-response", {"inputs": 3, "n": 9, "grid": "3/10"}, "grid=3/10 does not divide the domain"),
        ("nothing", {"n": 9}, "family='nothing' is unknown"),
        (lambda e, f: 3, {"n": 9}, "is no callable of one parameter"),
        (lambda e: 3, {"n": 9}, "the family builds a int, which is no protocol that is calibrated"),
        (Family(lambda e, n: KAryResponse(3, exp_eps0=e), "E", (1, 2), True, weakens=True), {}, "it needs n"),
    ],
)
def test_bad_input(family, options, message):
    with pytest.raises(InvalidValueError, match=message):
        xdp.calibrate(family, eps=1, delta="1e-3", **options)


# --- What is proved as eps0 grows: rows at the smaller one are rows at the larger one times a channel -----------------


def rows_of(randomizer):
    table = randomizer.table() if isinstance(randomizer, xdp.Randomizer) else randomizer.table().table()
    return [dict(row) for row in table.values()]


def through(row, channel):
    """The law of the message after the channel, a function from a message to a law."""
    law = {}
    for message, p in row.items():
        for other, q in channel(message).items():
            law[other] = law.get(other, 0) + p * q
    return {message: p for message, p in law.items() if p}


def is_channel(channel, messages):
    return all(sum(channel(m).values()) == 1 and min(channel(m).values()) >= 0 for m in messages)


SMALL, LARGE = Fraction(2), Fraction(9, 2)


def replaced(messages, share, among=lambda message, messages: messages):
    """A message is kept, or with probability ``share`` drawn anew among some."""

    def channel(message):
        drawn = among(message, messages)
        return {
            other: (1 - share) * (other == message) + share * Fraction(other in drawn, len(drawn)) for other in messages
        }

    return channel


def share_of(low, high):
    """By how much the difference of likelihoods shrinks: the share that is not replaced is their quotient."""
    before, after = (max(abs(rows[0][m] - rows[1][m]) for m in rows[0]) for rows in (high, low))
    return 1 - after / before


@pytest.mark.parametrize(
    ("make", "among"),
    [
        (lambda e: randomized_response(4, exp_eps0=e), None),
        (lambda e: subset_selection(4, exp_eps0=e, size=2), None),
        (lambda e: hadamard_response(3, exp_eps0=e), None),
        (
            lambda e: local_hashing(2, exp_eps0=e, buckets=3),
            lambda message, messages: [m for m in messages if m[0][0] == message[0][0]],
        ),
    ],
    ids=["k-ary", "subset", "hadamard", "hashing"],
)
def test_a_smaller_eps0_is_a_message_replaced(make, among):
    low, high = rows_of(make(SMALL)), rows_of(make(LARGE))
    messages = list(high[0])
    channel = replaced(messages, share_of(low, high), *([] if among is None else [among]))
    assert is_channel(channel, messages)
    assert [through(row, channel) for row in high] == low


def test_dummies_are_uniform_after_the_channel_of_k_ary_response():
    """So mixed dummies at the smaller eps0 are those at the larger one, each message through the channel."""
    low, high = (randomized_response(4, exp_eps0=e) for e in (SMALL, LARGE))
    channel = replaced([(m,) for m in range(4)], share_of(rows_of(low), rows_of(high)))
    uniform = {(m,): Fraction(1, 4) for m in range(4)}
    assert through(uniform, channel) == uniform


@pytest.mark.parametrize("optimized", [False, True])
def test_a_smaller_eps0_is_each_bit_through_one_channel(optimized):
    low, high = (UnaryEncoding(3, exp_eps0=e, optimized=optimized) for e in (Fraction(9, 4), Fraction(9)))
    # P[1 | own], P[1 | other] at the larger e^eps0 to those at the smaller one: two equations for the two rows
    (p, f), (p2, f2) = (high.keep, high.noise), (low.keep, low.noise)
    stays = (p2 * (1 - f) - f2 * (1 - p)) / (p - f)
    comes = (p * f2 - f * p2) / (p - f)
    assert 0 <= comes <= stays <= 1

    def channel(message):
        (bits,) = message
        chances = [stays if bit else comes for bit in bits]
        law = {}
        for sent in product((0, 1), repeat=3):
            weight = Fraction(1)
            for bit, chance in zip(sent, chances, strict=True):
                weight *= chance if bit else 1 - chance
            law[(sent,)] = weight
        return law

    assert [through(row, channel) for row in rows_of(high)] == rows_of(low)


def test_roots_that_are_rounded_rise_on_a_grid_that_is_not_very_fine():
    above = Fraction(121, 100)
    near = above + Fraction(1, 2**70)
    assert UnaryEncoding(2, exp_eps0=near).keep < UnaryEncoding(2, exp_eps0=above).keep  # so no scope off the grid
    known = local_family("unary-encoding", {"inputs": 2})
    assert known.scope(Fraction(4), Fraction(1, 2**50)) == "and every smaller value of the grid"
    assert known.scope(Fraction(4), Fraction(1, 2**51)) == "and every smaller value of the grid"
    assert known.scope(Fraction(4), Fraction(1, 2**52)) == "local"


def solved(matrix, right):
    """The matrix K with matrix K = right, by elimination in fractions."""
    size = len(matrix)
    rows = [[*a, *b] for a, b in zip(matrix, right, strict=True)]
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[size:] for row in rows]


@pytest.mark.parametrize("top", [1, 2, 4])
@pytest.mark.parametrize("smaller", [Fraction(1), Fraction(11, 10), Fraction(3)])
def test_the_clipped_laplace_with_more_noise_is_that_with_less_through_a_channel(top, smaller):
    low, high = (list(ClippedDiscreteLaplace(top, exp_eps0=e).rows()) for e in (smaller, Fraction(5)))
    channel = solved(high, low)
    assert all(sum(row) == 1 and min(row) >= 0 for row in channel)
    assert min(map(min, solved(low, high))) < 0 if smaller > 1 else True  # the other way there is none


def safe_search(name: str, options: dict[str, object], n: int) -> TwoEndedSearch:
    level = read_privacy_level(eps=1, exp_eps=None)
    return TwoEndedSearch(local_family(name, options), n, level, Fraction(1, 10**6), None, certifies=False)


def test_the_safe_value_alone_asks_for_no_lower_end() -> None:
    alone, whole = (safe_search("unary-encoding", {"inputs": 20}, 1000) for _ in range(2))
    assert alone.safe_value() == whole.run().parameter
    assert {place for _, place in alone.judged} == {1}
    assert len(alone.profiles) < len(whole.profiles)


def test_where_the_end_stays_where_it_is_the_strides_grow() -> None:
    """Dummies alone are enough: all 2^64 are safe, which is seen in far less than 32 strides."""
    search = safe_search("mixed-dummies", {"inputs": 4, "dummies": 4}, 3000)
    assert search.safe_value() == 2**64 + 1
    assert len(search.profiles) <= 12


@pytest.mark.parametrize(
    ("excess", "before", "marks", "ahead"),
    [(-10.0, -20.0, 2, 2), (-100.0, -101.0, 2, 200), (-5.0, -5.0, 2, 2**20), (-inf, -3.0, 2, 0), (-3.0, inf, 2, 0)],
)
def test_marks_that_an_end_is_ahead_of_its_target(excess: float, before: float, marks: int, ahead: int) -> None:
    assert marks_ahead(excess, before, marks) == ahead

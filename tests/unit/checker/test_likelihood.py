"""Tests of the view that refute: their bounds against all sequences of messages, and against enclosed divergences."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import pytest

from exactdp import Real
from exactdp.checker import likelihood
from exactdp.checker.budget import MalformedCertificateError, Work
from exactdp.checker.enclosed_laws import multiplied, multiply_lists
from exactdp.checker.likelihood import Likelihood
from exactdp.checker.scores import BoundedLaws, ScoredEvent
from exactdp.privacy.amplification.positive_part import Mixture
from exactdp.privacy.amplification.tilted import Atom
from tests.oracles.positive_parts import divergence
from tests.together import together

F = Fraction


def third(k, exp_eps0):
    """The classes of k-ary response where the others all hold a third input."""
    p, q = F(exp_eps0, exp_eps0 + k - 1), F(1, exp_eps0 + k - 1)
    return [(p, q, q), (q, p, q), (q, q, p), *([((k - 3) * q,) * 3] if k > 3 else [])]


def random_classes(draw, zeros=True):
    size = draw.randint(2, 4)
    rows = [[draw.choice([0] * zeros + [1, 2, 3, draw.randint(1, 30)]) for _ in range(size)] for _ in range(3)]
    for row in rows:
        row[draw.randrange(size)] += 1
    return list(zip(*([F(w, sum(row)) for w in row] for row in rows), strict=True))


def best(test, ratio):
    """The largest lower bound of the divergence, over all thresholds."""
    thresholds = range(test.low, test.low + len(test.first) + 1)
    return max(test.divergence(threshold, ratio, Work()) for threshold in thresholds)


def by_sequences(classes, n, at, step):
    """The probabilities of every sum of scores where the user who differs is any of n, his message being one that the
    others can send: over all sequences of messages and all his places."""
    law = Counter(), Counter()
    scores = [((p - at * q) / r / step).__floor__() if r else None for p, q, r in classes]
    sent = [m for m, (_, _, r) in enumerate(classes) if r]
    for messages in product(sent, repeat=n):
        place = sum(scores[m] for m in messages)
        for user in range(n):
            others = prod(classes[m][2] for i, m in enumerate(messages) if i != user)
            for side in (0, 1):
                law[side][place] += classes[messages[user]][side] * others / n
    return law


@together("seed", range(30))
def test_every_sequence_of_messages(seed):
    """No floor is a ceiling, the user who differs is as probable at every place, and what the second law lacks is
    counted: each bound lies on its side of the truth, and near it."""
    draw = Random(seed)
    classes, n = random_classes(draw), draw.randint(1, 5)
    at, step = draw.choice([F(1), F(3, 2), F(3)]), draw.choice([F(1), F(1, 3), F(2, 7)])
    test = Likelihood(at, step, 64, 2**17, 1).laws(classes, n, Work())
    first, second = by_sequences(classes, n, at, step)
    error = F(n * len(test.first), 2**60)
    for law, bounds in ((first, test.first), (second, test.second)):
        assert law.keys() <= set(range(test.low, test.low + len(bounds)))
        for place, bound in enumerate(bounds, test.low):
            assert law[place] - error <= F(bound, 2**64) <= law[place]
    assert sum(test.second) + test.missing >= test.total * 2**64
    assert test.total == sum(second.values())
    assert test.apart == [(p, q) for p, q, r in classes if not r]
    for ratio in (F(1), F(2)):
        for threshold in range(test.low - 1, test.low + len(test.first) + 2):
            truth = sum(max(F(0), p - ratio * q) for p, q in test.apart)
            truth += sum(p for place, p in first.items() if place >= threshold)
            truth -= ratio * sum(q for place, q in second.items() if place >= threshold)
            assert truth - 2 * error < test.divergence(threshold, ratio, Work()) <= truth


@pytest.mark.slow
@together("seed", range(20))
def test_below_the_divergence_and_near_it(seed):
    """Of few and of many users, on few places: merged and clamped sums are a test as well."""
    draw = Random(seed)
    classes, n, ratio = random_classes(draw), draw.choice([1, 2, 3, 7, 12, 20, 33]), draw.choice([F(1), F(5, 4), F(2)])
    truth = divergence(classes, n, ratio)
    for length, near, slack in ((16, F(1, 3), F(1, 10**4)), (1024, F(19, 20), F(1, 10**6))):
        test = Likelihood(ratio, F(1, 64), 96, length, 56).laws(classes, n, Work())
        assert len(test.first) <= length
        assert truth * near - slack <= best(test, ratio) <= truth
    coarse = Likelihood(F(1), F(3), 64, 16, 60).laws(classes, n, Work())
    assert best(coarse, ratio) <= truth


TRUTHS = [
    (10**4, F(7, 5), 512, F(1, 80)),
    (10**6, F(103, 100), 1024, F(1, 400)),
    (10**9, F(1001, 1000), 1024, F(1, 250)),
]


@pytest.mark.parametrize(("n", "ratio", "length", "loss"), TRUTHS[::2])
def test_below_the_enclosed_divergence_of_many_users(n, ratio, length, loss):
    check_many_users(n, ratio, length, loss)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "ratio"), [truth[:2] for truth in TRUTHS])
def test_nearer_with_more_places(n, ratio):
    check_many_users(n, ratio, 4096, F(1, 4000))


def check_many_users(n, ratio, length, loss):
    classes = third(16, 55)
    truth = Mixture((), tuple(Atom(r, p, q) for p, q, r in classes)).divergence(n, Real(ratio), relative_bits=20)
    work = Work()
    bound = best(Likelihood(ratio, F(1, 20), 96, length, 62).laws(classes, n, work), ratio)
    assert (1 - loss) * truth.lower.fraction() <= bound < truth.lower.fraction()
    assert 2 * 10**8 - work.left < 2 * 10**7


def test_merged_and_clamped():
    """Odd places go down, also below 0; what is clamped is kept."""
    sums = likelihood.Sums(-3, [1, 2, 3, 4], [5, 6, 7, 8], [1, 16, 32, 2])
    assert sums.merged() == (-2, [1, 5, 4], [5, 13, 8], [1, 48, 2])
    assert sums.clamped(2) == (-2, [3, 7], [11, 15], [17, 34])
    assert sums.clamped(1) == (-2, [3, 3, 4], [11, 7, 8], [17, 32, 2])
    assert sums.clamped(9) == (-3, [10], [26], [51])


def test_a_pair_that_one_user_decides():
    """A message that the others never send counts apart, with the true e^eps; one that they may send does not."""
    classes = [(F(1, 2), F(1, 8), F(0)), (F(1, 4), F(1, 2), F(0)), (F(1, 4), F(3, 8), F(1))]
    test = Likelihood(F(1), F(1), 64, 16, 1).laws(classes, 9, Work())
    assert test.apart == [(F(1, 2), F(1, 8)), (F(1, 4), F(1, 2))]
    assert test.divergence(5, F(2), Work()) <= F(1, 4) < test.divergence(5, F(2), Work()) + F(1, 2**60)


def test_masses_of_a_test():
    """In other units, rounded to their sides, each second mass with all that is missing."""
    test = BoundedLaws(4, [5, 8], [3, 2], 4, F(1, 2), [(F(1, 3), F(1, 7))])
    assert test.missing == 3
    assert test.masses(3, Work()) == [(2, 3), (4, 3), (2, 2)]
    assert test.masses(5, Work()) == [(10, 12), (16, 10), (10, 5)]


@together("seed", range(20))
def test_products_of_lists_term_by_term(seed):
    """As one product of decimals has them, whichever of the two is sparse."""
    draw = Random(seed)
    first = [draw.getrandbits(draw.choice([0, 60])) for _ in range(draw.randint(1, 40))]
    second = [draw.choice([0, 0, 0, draw.getrandbits(70)]) for _ in range(draw.randint(1, 40))]
    for one, other in ((first, second), (second, first), (first, first)):
        assert multiplied(one, other, Work()) == multiply_lists(one, other, Work())


# --- Events ----------------------------------------------------------------------------------------------------------


def view_of(rows, users, scores):
    """The law of the sum of the scores of all messages, from every combination of outcomes."""
    law = {0: F(1)}
    for x in users:
        reached = Counter()
        for (place, chance), (sent, probability) in product(law.items(), rows[x].items()):
            reached[place + sum(s * c for s, c in zip(scores, sent, strict=True))] += chance * probability
        law = reached
    return law


def random_rows(draw, messages, denominator):
    """For each of three inputs the probabilities, over this denominator, of some count vectors of several messages."""
    rows = []
    for _ in range(3):
        outcomes = {tuple(draw.randint(0, 2) for _ in range(messages)) for _ in range(3)}
        cuts = sorted(draw.sample(range(1, denominator), len(outcomes) - 1))
        parts = zip([0, *cuts], [*cuts, denominator], strict=True)
        rows.append({sent: F(high - low, denominator) for sent, (low, high) in zip(outcomes, parts, strict=True)})
    return rows


class Table:
    """As the checker reads one."""

    def __init__(self, rows, denominator):
        self.denominator = denominator
        self.rows = [{sent: int(p * denominator) for sent, p in row.items()} for row in rows]


@together("seed", range(25))
def test_events_of_several_messages(seed):
    """Against every combination of outcomes: users of all inputs, scores of either sign, several messages a user."""
    draw = Random(seed)
    rows = random_rows(draw, 2, 30)
    scores = (draw.randint(-3, 3), draw.randint(-3, 3))
    others = tuple(draw.randint(0, 3) for _ in range(3))
    ends = tuple(draw.sample(range(3), 2))
    users = [x for x, many in enumerate(others) for _ in range(many)]
    table = Table(rows, 30)
    test = ScoredEvent(ends, [others], scores, 64).laws(table, [table], [len(users)], Work())
    laws = [view_of(rows, [*users, end], scores) for end in ends]
    for law, bounds in zip(laws, (test.first, test.second), strict=True):
        assert law.keys() <= set(range(test.low, test.low + len(bounds)))
        for place, bound in enumerate(bounds, test.low):
            assert law.get(place, 0) - F(100, 2**48) <= F(bound, 2**64) <= law.get(place, 0)
    for threshold in range(test.low - 1, test.low + len(test.first) + 2):
        truth = sum(p for place, p in laws[0].items() if place >= threshold)
        truth -= 2 * sum(q for place, q in laws[1].items() if place >= threshold)
        assert truth - F(1, 2**40) < test.divergence(threshold, F(2), Work()) <= truth


def test_limits_of_scores():
    table = Table([{(1, 0): F(1, 2), (0, 1): F(1, 2)}, {(1, 0): F(1, 4), (0, 1): F(3, 4)}], 4)
    for top, is_refused in ((2**17, False), (2**18 - 1, False), (2**18, True)):
        event = ScoredEvent((0, 1), [(0, 0)], (0, top), 16)
        if is_refused:
            with pytest.raises(MalformedCertificateError, match="places"):
                event.laws(table, [table], [0], Work())
        else:
            assert len(event.laws(table, [table], [0], Work()).first) == top + 1

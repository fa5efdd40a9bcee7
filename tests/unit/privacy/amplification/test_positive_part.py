"""U_n(L) = E[max(0, L_1 + ... + L_n)]/n against exact fractions, at any n and any accuracy."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from flint import arb

from exactdp import Real
from exactdp.errors import TooLargeError
from exactdp.mechanisms.pair_table import PairTable
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.interval import Interval
from exactdp.privacy.amplification import positive_part, tilted
from exactdp.privacy.amplification import tilted_contour as contour_module
from exactdp.privacy.amplification.positive_part import Mixture, blanket_mixture
from exactdp.privacy.amplification.tilted import Atom, sign_at
from exactdp.privacy.amplification.wide_intervals import WideIntervals
from exactdp.randomizers import KAryResponse
from tests.oracles import positive_parts as exact
from tests.thinned import thinned

F = Fraction


def response(k, exp_eps0):
    (table,) = KAryResponse(k, exp_eps0=exp_eps0).pair_tables()
    return table


def blanket(k, exp_eps0):
    return blanket_mixture(response(k, exp_eps0))


def third(k, exp_eps0):
    """The divergence of data sets whose other users all hold a third input."""
    table = response(k, exp_eps0)
    rows = [(c.first, c.second, c.others[table.others.index(2)]) for c in table.classes]
    return blanket_mixture(PairTable.merged(0, 1, (), rows))


def columns_of(mixture):
    charged = [(p, q, F(0)) for p, q in mixture.charges]
    return charged + [(atom.first, atom.second, atom.weight) for atom in mixture.atoms]


def mixture_of(columns):
    """What (P, Q, c) say, nothing merged."""
    charges = tuple((p, q) for p, q, c in columns if not c)
    return Mixture(charges, tuple(Atom(c, p, q) for p, q, c in columns if c))


def is_narrow(interval, bits):
    return (interval.hi - interval.lo) * 2**bits <= interval.lo


def check(mixture, copies, exp_eps, bits=20):
    truth = exact.divergence(columns_of(mixture), copies, exp_eps)
    found = mixture.divergence(copies, Real(exp_eps), relative_bits=bits)
    assert truth in found, (mixture, copies, exp_eps, bits)
    assert is_narrow(found, bits)
    assert mixture.bound(copies, Real(exp_eps)).upper.fraction() >= truth
    return truth


def to_digits(interval, digits, text):
    """Whether both ends are the number of the text, to all its digits."""
    unit = F(10) ** -digits
    return all(abs(end - F(text)) <= unit for end in (interval.lo, interval.hi))


BLANKETS = [
    (3, 3, "3/2", 6, "0.080032", 6),
    (3, 3, "2", 6, "0.029568", 6),
    (3, 7, "3", 8, "0.138632812473684", 15),
    (4, 3, "3/2", 5, "0.0760030864197531", 16),
    (4, 7, "2", 5, "0.27938", 5),
    (3, 3, "2", 5, "0.04032", 5),
    (3, 3, "5/4", 30, "0.0230402442652827", 16),
    (4, 5, "3/2", 40, "0.0186743748021945", 16),
    (3, 3, "11/10", 100, "0.0173141550589353048", 19),
    (3, 3, "13/10", 100, "0.00100855024858910769", 20),
    (4, 7, "5/4", 300, "0.00587677244050149329", 20),
    (3, 3, "11/10", 1000, "0.000120334229369240898", 21),
]
THIRDS = [
    (3, 3, "3/2", 6, "0.079648", 6),
    (3, 3, "2", 6, "0.02592", 5),
    (3, 7, "3", 8, "0.135703251357984", 15),
    (4, 3, "3/2", 5, "0.0752957818930041", 16),
    (4, 7, "2", 5, "0.27938", 5),
    (3, 3, "5/4", 30, "0.0229260788118338", 16),
    (4, 5, "3/2", 40, "0.0185099892856151", 16),
    (3, 3, "11/10", 100, "0.0172978188738861716", 19),
    (3, 3, "13/10", 100, "0.000988794127334403663", 21),
    (3, 3, "11/10", 1000, "0.000119962386772904308", 21),
]


@pytest.mark.parametrize(("made", "rows"), [(blanket, BLANKETS), (third, THIRDS)])
def test_values_of_an_independent_program_to_all_their_digits(made, rows):
    for k, exp_eps0, exp_eps, n, text, digits in rows:
        found = made(k, exp_eps0).divergence(n, Real(F(exp_eps)), relative_bits=80)
        assert to_digits(found, digits, text), (k, exp_eps0, exp_eps, n, text, found)


@pytest.mark.parametrize("made", [blanket, third])
@pytest.mark.parametrize(
    ("k", "exp_eps0", "exp_eps", "n"), thinned([(3, 3, "11/10", 1000), (4, 5, "3/2", 40), (5, 4, "2", 200)], every=2)
)
def test_powers_of_the_generating_function(made, k, exp_eps0, exp_eps, n):
    for bits in (3, 20, 64):
        check(made(k, exp_eps0), n, F(exp_eps), bits)


def test_an_irrational_level_and_response_between_two_rational_members():
    """k = 4, eps0 = 2, eps = 1/5, n = 1000, others on a third input: a sum in mpmath.

    Its digits are 4.1415226555092802498865819e-4. Without a lattice the cost grows like 2^(bits/2).
    """
    family, level = KAryResponse(4, exp_eps0="exp(2)"), Real.exp(F(1, 5))
    ends = []
    for member in (family.at_most(100), family.at_least(100)):
        ends.append(third(4, member.exp_eps0).divergence(1000, level, relative_bits=22))
    around = Interval(ends[0].lower, ends[1].upper)
    assert F("4.1415226555092802498865819e-4") in around
    assert is_narrow(around, 20)


def random_columns(draw):
    """P, Q and c <= min(P, Q) on up to five messages, with zeros of each kind."""
    messages = draw.randint(1, 5)
    rows = []
    for _ in range(2):
        weights = [draw.choice([0, 1, 1, 2, 3, draw.randint(1, 20)]) for _ in range(messages)]
        weights[draw.randrange(messages)] += 1
        rows.append([F(weight, sum(weights)) for weight in weights])
    shares = [draw.choice([F(0), F(1), F(1, 2), F(1, 7)]) for _ in range(messages)]
    return [(p, q, min(p, q) * share) for (p, q), share in zip(zip(*rows, strict=True), shares, strict=True)]


LEVELS = [F(1), F(1), F(21, 20), F(3, 2), F(7, 3), F(2), F(40)]


def check_random(seeds, monkeypatch):
    """Small n by all counts of values; the contour too, by forbidding the package to sum over counts."""
    seen = 0
    monkeypatch.setattr(positive_part, "MOST_NODES", 2**12)
    for seed in seeds:
        draw = random.Random(seed)
        mixture = mixture_of(random_columns(draw))
        copies, level, counted = draw.randint(1, 6), draw.choice(LEVELS), draw.choice([False, True])
        bits = draw.choice([3, 20, 40, 200]) if counted else draw.choice([2, 8])
        with monkeypatch.context() as patch, suppress(*[] if counted else [TooLargeError]):
            (by_counts if counted else by_contours)(patch)
            seen += check(mixture, copies, level, bits) > 0
    return seen


def test_random_laws_by_all_counts_of_values(monkeypatch):
    assert check_random(range(120), monkeypatch) > 70


@pytest.mark.slow
def test_many_random_laws(monkeypatch):
    assert check_random(range(1000, 5000), monkeypatch) > 2500


def test_counts_powers_and_sequences_agree():
    """Of the oracle: three ways to the same fraction."""
    for seed in range(8):
        columns = random_columns(random.Random(seed))
        law = [(c, (p - q) / c) for p, q, c in columns if c]
        law.append((1 - sum((c for c, _ in law), F(0)), F(0)))
        for copies in (1, 2, 4):
            values = {way(law, copies) for way in (exact.by_sequences, exact.by_counts, exact.by_powers)}
            assert len(values) == 1


def by_contours(monkeypatch):
    """No sum of more than two copies is taken over counts: contours must do."""
    for name, value in {"_FEW_STEPS": -1, "_MOST_STEPS": -1, "_NODES_OF_CONTOUR": 2**20}.items():
        monkeypatch.setattr(positive_part, name, value)


def by_counts(monkeypatch):
    """No contour is tried."""
    monkeypatch.setattr(positive_part, "_FEW_STEPS", 2**22)


@pytest.fixture
def contour(monkeypatch):
    """No sum is taken over counts."""
    by_contours(monkeypatch)


def test_ties(contour):
    """Values 1, -1 and 0: the sum is 0 with a large probability; at t > 0 the smoothing must not count it."""
    columns = [(F(1, 4), F(1, 8), F(1, 8)), (F(1, 8), F(1, 4), F(1, 8))]
    for copies in (1, 2, 3, 50, 400):
        for bits in (10, 24):
            check(mixture_of(columns), copies, F(1), bits)


def test_the_sum_is_0_almost_surely(contour):
    """Where L is 0 with a probability near 1, most of the smoothing's gap is at S = 0 and is known."""
    tiny = F(1, 10**9)
    columns = [(3 * tiny, tiny, tiny), (tiny, 3 * tiny, tiny)]
    for copies, bits in ((1, 20), (2, 20), (10**9, 14)):
        found = mixture_of(columns).divergence(copies, Real.exp(F(1, 3)), relative_bits=bits)
        below = mixture_of(columns).divergence(copies, Real(F(2**60, 1)), relative_bits=20)
        assert is_narrow(found, bits)
        assert not below.hi
    for copies in (1, 2):
        check(mixture_of(columns), copies, F(4, 3))


def test_charges_alone_and_nothing_at_all():
    nothing = Mixture((), ()).divergence(5, Real(1), relative_bits=20)
    assert nothing.is_point
    assert not nothing.hi
    assert not mixture_of([(F(1, 4), F(1, 2), F(1, 4)), (F(1), F(1), F(0))]).divergence(9, Real(2), relative_bits=8).hi
    charged = Mixture(((F(1, 3), F(0)), (F(1, 4), F(1, 4))), ()).divergence(10**18, Real(F(1, 1)), relative_bits=20)
    assert F(1, 3) in charged
    assert is_narrow(charged, 20)


@pytest.mark.parametrize("copies", [1, 2, 9, 60])
def test_a_mean_that_is_positive(contour, copies):
    """Messages that only one user sends leave an L with a positive mean."""
    columns = [(F(1, 2), F(1, 8), F(1, 4)), (F(1, 4), F(1, 4), F(1, 4)), (F(1, 4), F(5, 8), F(0))]
    assert sum(p - q for p, q, c in columns if c) > 0
    for level in (F(1), F(5, 4), F(3)):
        check(mixture_of(columns), copies, level)


def test_values_below_1e_minus_300():
    truth = check(blanket(3, 3), 1000, F(5, 2), 30)
    assert 0 < truth < F(1, 10**60)
    tiny = blanket(16, 55).divergence(10**6, Real(3), relative_bits=30)
    assert 0 < tiny.hi < F(1, 10**300)
    assert is_narrow(tiny, 30)


NESTED = [(3, 3, "11/10", 10**3), (16, 55, "103/100", 10**6), (16, 55, "7/5", 10**4), (100, 8, "1001/1000", 10**9)]


@pytest.mark.parametrize(("k", "exp_eps0", "exp_eps", "n"), thinned(NESTED, every=2))
def test_enclosures_to_more_bits_nest(k, exp_eps0, exp_eps, n):
    mixture, level = blanket(k, exp_eps0), Real(F(exp_eps))
    found = [mixture.divergence(n, level, relative_bits=bits) for bits in (5, 15, 30)]
    for coarse, fine in pairwise(found):
        assert coarse.lower <= fine.lower
        assert fine.upper <= coarse.upper


@pytest.mark.parametrize("exponent", [0, 1, 3, 6, 9, 12, 18])
def test_any_number_of_copies(exponent):
    """U_n falls in n; at sqrt(n) (E - 1) fixed it is about 1/sqrt(n)."""
    n = 10**exponent
    level = Real(1 + F(4, 10 ** (exponent // 2)))
    found = [blanket(16, 55).divergence(copies, level, relative_bits=20) for copies in (n, n + 1)]
    assert is_narrow(found[0], 20)
    assert found[1].lower <= found[0].upper
    assert F(1, 10) < found[0].lo * 10 ** (exponent // 2) < 10


@pytest.mark.parametrize("n", [10**3, 10**6])
def test_an_irrational_level_lies_between_rational_ones(n):
    mixture = third(4, F(739, 100))
    root = Real.exp(F(1, 50))
    around = [mixture.divergence(n, Real(1 + F(w, 10**9)), relative_bits=16) for w in (20201340, 20201341)]
    found = mixture.divergence(n, root, relative_bits=16)
    assert around[1].lower <= found.lower
    assert found.upper <= around[0].upper


@pytest.mark.parametrize("copies", [3, 1000])
@pytest.mark.parametrize("excess", ["1e-30", "1e-9"])
def test_levels_beside_1_are_as_fast_and_right(copies, excess):
    """At E = 1 + w the values are nearly on the lattice of E = 1."""
    mixture, level = blanket(4, 5), 1 + F(excess)
    found = mixture.divergence(copies, Real(level), relative_bits=20)
    at_one = mixture.divergence(copies, Real(1), relative_bits=24)
    assert at_one.lo - F(excess) - at_one.hi / 2**20 <= found.lo <= at_one.hi
    assert is_narrow(found, 20)
    if copies == 3:
        assert exact.divergence(columns_of(mixture), copies, level) in found


def test_the_limit_at_infinite_eps():
    columns = [(F(1, 2), F(0), F(1, 4)), (F(1, 4), F(1, 2), F(1, 4)), (F(1, 4), F(0), F(0)), (F(0), F(1, 2), F(0))]
    mixture = mixture_of(columns)
    for copies in (1, 2, 5):
        assert mixture.limit(copies) == exact.divergence(columns, copies, F(10**6))
    assert mixture.limit(10**9) == F(1, 4)


# What must fail if a part of the proof is lost.


def wrong(mixture, copies, exp_eps, bits=8):
    """Whether an enclosure misses the truth."""
    truth = exact.divergence(columns_of(mixture), copies, exp_eps)
    return truth not in mixture.divergence(copies, Real(exp_eps), relative_bits=bits)


SMOOTHED = (blanket(3, F(31, 10)), 20, F(1001, 1000))
"""A lattice so fine that the sum is smoothed."""


def test_the_truth_is_found_where_the_perturbed_miss_it(contour):
    assert not wrong(*SMOOTHED)
    assert not wrong(blanket(3, 3), 60, F(11, 10))


def test_half_the_mass_of_an_atom_lost(contour):
    mixture, copies, level = SMOOTHED
    first, *rest = mixture.atoms
    halved = replace(mixture, atoms=(replace(first, weight=first.weight / 2, first=first.first / 2), *rest))
    found = halved.divergence(copies, Real(level), relative_bits=8)
    assert exact.divergence(columns_of(mixture), copies, level) not in found


def test_one_copy_less():
    mixture, copies, level = SMOOTHED
    assert exact.divergence(columns_of(mixture), copies, level) not in mixture.divergence(
        copies - 1, Real(level), relative_bits=8
    )


def test_the_gap_of_smoothing_forgotten(contour, monkeypatch):
    """The enclosure is then E[T_+] itself, which is above E[S_+]."""
    monkeypatch.setattr(contour_module.Contour, "_sums", without_density(contour_module.Contour._sums))
    assert wrong(*SMOOTHED, bits=6)


def without_density(sums):
    def changed(contour):
        value, density = sums(contour)
        return value, 0 * density

    return changed


def test_copies_of_the_contour_forgotten(contour, monkeypatch):
    """Between a goal that is never reached and none at all lies what the terms with j != 0 are charged for."""
    mixture, copies, level = blanket(3, 3), 60, F(11, 10)
    monkeypatch.setattr(contour_module, "_nearest", shorter(contour_module._nearest))
    assert not wrong(mixture, copies, level, bits=3)
    aliases = contour_module.Contour._aliases
    monkeypatch.setattr(contour_module.Contour, "_aliases", lambda contour: aliases(contour) / 2**40)
    assert wrong(mixture, copies, level, bits=3)


def shorter(nearest):
    """Periods of a third the length: aliases matter then."""

    def changed(*arguments):
        exponent, period = nearest(*arguments)
        return exponent, period / 3

    return changed


def test_a_positive_mean_not_kept(contour, monkeypatch):
    columns = [(F(1, 2), F(1, 8), F(1, 4)), (F(1, 4), F(1, 4), F(1, 4)), (F(1, 4), F(5, 8), F(0))]
    mixture = mixture_of(columns)
    assert not wrong(mixture, 9, F(1))
    opposite = tilted.FewValues.opposite
    monkeypatch.setattr(tilted.FewValues, "opposite", lambda law: replace(opposite(law), values=law.values))
    assert wrong(mixture, 9, F(1))


# Floats and saddles choose; they never decide.


@pytest.mark.parametrize("seed", range(4))
def test_any_saddle_gives_a_proof(contour, monkeypatch, seed):
    """Tilts up to a factor of 3 beside the best one: valid, perhaps refused, never wrong."""
    draw = random.Random(seed)
    saddle = tilted.FewValues.saddle

    def moved(law, copies):
        factor = arb(F(draw.randint(20, 300), 100).numerator) / 100
        return law.tilted((saddle(law, copies).tilt * factor).mid())

    monkeypatch.setattr(tilted.FewValues, "saddle", moved)
    mixture, copies, level = SMOOTHED if seed % 2 else (blanket(3, 3), 60, F(11, 10))
    truth = exact.divergence(columns_of(mixture), copies, level)
    try:
        assert truth in mixture.divergence(copies, Real(level), relative_bits=6)
    except TooLargeError:
        assert seed  # a tilt may be too bad to be of use: at least one seed is not


@pytest.mark.parametrize("says", [True, False])
def test_what_floats_say_of_an_interval_only_chooses(monkeypatch, says):
    mixture = blanket(7, 3)
    usual = mixture.divergence(1000, Real(2), relative_bits=20)
    monkeypatch.setattr(WideIntervals, "holds", lambda self, first, last: says)
    other = mixture.divergence(1000, Real(2), relative_bits=20)
    assert usual.lo <= other.hi
    assert other.lo <= usual.hi


def test_half_of_the_bounds_are_not_evaluated(monkeypatch):
    """Those that floats see above 1 would have been of no use."""
    bound, useless = contour_module.Contour._bound, []

    def counted(self, first, last):
        value = bound(self, first, last)
        useless.append(value is contour_module._USELESS)
        return value

    monkeypatch.setattr(contour_module.Contour, "_bound", counted)
    blanket(7, 3).divergence(10**4, Real(2), relative_bits=20)
    assert useless
    assert sum(useless) <= len(useless) / 10


def test_signs_beside_an_irrational_level():
    level = Real.exp(Fraction(1, 2))
    for bits in (20, 63, 66, 100):
        ends = level_ends(level, bits)
        assert [sign_at(end, Fraction(1), level) for end in ends] == [-1, 1]
        assert [sign_at(3 * end, Fraction(3), level) for end in ends] == [-1, 1]
    assert [sign_at(Fraction(p), Fraction(0), level) for p in (0, 1)] == [0, 1]


def level_ends(level, bits):
    interval = enclose_real(level, relative_bits=bits)
    return interval.lo, interval.hi

"""The histogram protocol: parts i to iv of its theorem, the correction of simultaneous accuracy, and what was printed.

zsum in each of d bins: a user with the record x sends x and, for each bin j independently, a dummy j with probability
1 - gamma. The count of bin j is n_j + Bin(n, 1-gamma), independently over the bins, n_j being the number of records in
it; the estimates are of the frequencies n_j/n. Lambda = ln(2/delta), gamma = 50 Lambda/(eps^2 n), mu = n gamma.

Theorem. For eps in (0, 1], delta in (0, 1), n >= 100 Lambda/eps^2 and every d >= 2:
i. (2 eps, 2 delta)-DP under replacement. ii. In each bin P[error > alpha] <= (delta/2)^25 < delta^25 for
alpha = gamma (1 + 1.2808 eps) <= 114.04 Lambda/(eps^2 n). iii. P[some error > alpha] <= n (delta/2)^25, so at most beta
for every beta >= n delta^25; for any beta in (0, 1) with alpha = gamma (1 + h), h^2 = L (2 + h), L = ln(n/beta)/mu.
iv. A user sends at most d + 1 messages.

Proof. i. A replaced record moves two bins by one each, which are zsum (proofs/zsum_privacy.py) on the bits 1[x = j];
basic composition. ii. A bin is zsum on these bits: with z_i = 1 for the other bins, the generating function of a row
is that of zsum's row. iii. By proofs/zsum_accuracy.py an error above (1 + h) gamma in bin j implies n_j > (1 + h) mu
and an event of probability at most e^(-mu h^2/(2 + h)). So few bins can err: their number Q has Q (1 + h) mu <= n, and
(1 + h) mu >= mu >= 50 ln 2 > 1 makes Q <= n. Union bound over these Q bins. Empty bins have error 0. iv. One dummy at
most for each bin, and the record.

Uncorrected. The notes claim iii for beta > delta^25. It fails for every constant: let K > n alpha not depend on n, and
give K users to each of floor(n/K) bins. One of them errs if W >= K, which has a probability of at least q =
(mu/K)^K e^(-2 mu) for every n >= 2 mu: C(n, K) >= (n/K)^K, and 1 - gamma >= e^(-2 gamma) for gamma <= 1/2. Bins are
independent, so none errs with probability at most (1 - q)^m, m = floor(n/K), below any 1 - beta for large n. The alpha
above is of this kind: it is right for each bin at every beta >= delta^25, and wrong for all of them at once.

Assumed: what the two files above assume, independence of the bins, a union bound, and basic composition.

Data sets on which one alpha fails for many bins. An alpha that is right for one bin, P[error > alpha] <= delta^25, is
wrong for many: K > n alpha users in each of floor(n/K) bins ("Uncorrected"). The first instances in the order of their
searches stand here, at eps = 1 and delta = 1/2: for the least such alpha, and for the theorem's own, with the noise of
zsum's theorem from its formula.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import ceil, comb, floor
from typing import Final, NamedTuple

from exactdp import Binomial, Claim, DiscreteLaplace, ExactDPError, Real, ShuffleProtocol
from exactdp.claims.encoding import MessageSum
from exactdp.numbers.balls import enclose_real
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import decimal, equal, implies, positive_on, variables
from exactdp.proofs.zsum_accuracy import DEVIATION, LN_2, below_ln_2
from exactdp.protocols import histogram_randomizer, zsum, zsum_randomizer
from exactdp.protocols.zsum_and_histogram import zsum_theorem
from exactdp.protocols.zsum_and_histogram.zsum_theorem import zsum_least_n
from exactdp.studies.counterexamples.search import search

DELTA: Final = Fraction(1, 2)
"""The delta of the instances."""
_GRID: Final = 2**53
"""gamma is a multiple of 1 over this."""
_CENTRAL: Final = (2, 20, Fraction(1, 10**6))
"""e^(eps/2), the threshold and delta of the central histogram of the certificate."""


def _ceiling(value: Real) -> int:
    """The least integer of at least this irrational number."""
    low, high = (ceil(end) for end in _ends(value))
    if low != high:
        raise ExactDPError(f"value={value!r} is too close to an integer. Enclose it with more bits.")
    return low


def _ends(value: Real) -> tuple[Fraction, Fraction]:
    enclosure = enclose_real(value, relative_bits=200)
    return enclosure.lo, enclosure.hi


def noise(n: int, delta: Fraction) -> Fraction:
    """gamma = 50 ln(2/delta)/n at eps = 1, rounded up to a multiple of 2^-53, where n >= 100 ln(2/delta).

    Evaluated here from the definition, and compared with what the package computes.
    """
    level = Real.log(2 / delta)
    least, gamma = _ceiling(100 * level), Fraction(_ceiling(50 * level * Fraction(_GRID, n)), _GRID)
    for name, own, bound in (
        ("least n", least, zsum_theorem.zsum_least_n(eps=1, delta=delta)),
        ("gamma", gamma, zsum_theorem.zsum_rounded_gamma(n, eps=1, delta=delta)),
    ):
        if own != bound:
            raise ExactDPError(
                f"the theorem's {name} at n={n}, eps=1, delta={delta} is {own} by its formula, and {bound} by "
                "exactdp.bounds. One of the two is wrong."
            )
    return gamma


class Instance(NamedTuple):
    """Each of m bins has K users, K > n alpha, and errs by more than alpha with a probability above ``one_bin``."""

    n: int
    gamma: Fraction
    alpha: Fraction
    users_per_bin: int
    bins: int
    one_bin: Fraction

    @property
    def failure(self) -> Fraction:
        """A lower bound of the probability that some bin errs: qm/(1 + qm), as (1 - q)^m <= e^-qm <= 1/(1 + qm)."""
        expected = self.one_bin * self.bins
        return expected / (1 + expected)


def _least_reach(n: int, gamma: Fraction) -> int:
    """The least K with P[W >= K] <= delta^25: an error of (K - 1)/n is right for one bin, at every beta > delta^25."""
    silent, whole = gamma.numerator, gamma.denominator
    reach, tail, most = n + 1, 0, floor(whole**n * DELTA**25)
    while (tail := tail + comb(n, reach - 1) * silent ** (reach - 1) * (whole - silent) ** (n - reach + 1)) <= most:
        reach -= 1
    return reach


def _one_bin(n: int) -> Instance:
    gamma = noise(n, DELTA)
    reach = _least_reach(n, gamma)
    tail = Binomial(n, gamma).exact_sf(reach - 1)
    return Instance(n, gamma, Fraction(reach - 1, n), reach, n // reach, Fraction(floor(tail * 2**60), 2**60))


@cache
def one_bin_instance() -> Instance:
    """Return the first n at which the least alpha of one bin fails for floor(n/K) bins of K users; eps = 1."""
    least = zsum_theorem.zsum_least_n(eps=1, delta=DELTA)
    return _one_bin(**search(lambda n: _one_bin(n).failure <= DELTA**25, n=range(least, 3 * least)).least)


def _theorem(bits: int) -> Instance:
    n = 2**bits
    gamma = noise(n, DELTA)
    alpha = gamma * (1 + DEVIATION)
    reach = floor(n * alpha) + 1
    tail = Binomial(n, gamma).sf(reach - 1).lo if reach <= n else Fraction(0)
    return Instance(n, gamma, alpha, reach, n // reach, Fraction(floor(tail * 2**120), 2**120))


@cache
def theorem_instance() -> Instance:
    """Return the first power of two n at which gamma (1 + 1.2808 eps), right for one bin, fails so; eps = 1."""
    return _theorem(**search(lambda bits: _theorem(bits).failure <= DELTA**25, bits=range(8, 60)).least)


_GAMMAS: Final = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
"""The gammas of the tables."""
_ORDERS: Final = (Fraction(3, 2), Fraction(2))
"""The e^eps of the tables."""
NUMBERS: Final = {
    "deviation": decimal(DEVIATION),
    "central_order": _CENTRAL[0] ** 2,
    "central_threshold": _CENTRAL[1],
    "central_delta": _CENTRAL[2],
}
"""The numbers that the rows quote."""


# --- Parts i, ii, iv ------------------------------------------------------------------------------------------------


@decides("histogram-privacy")
def _privacy() -> Claim:
    """The noise of one bin at the least n for delta = 1/4, and two bins that share what is lost."""
    first, second, delta = variables("first second delta")
    n = zsum_least_n(eps=1, delta=Fraction(1, 4))
    one_bin = Claim.shift_dp(Binomial(n, noise(n, Fraction(1, 4))), eps=1, delta=Fraction(1, 4))
    both = implies(first <= delta, second <= delta, then=first + second <= 2 * delta)
    return Claim.conjunction(one_bin, both, assuming=("composition",))


@decides("histogram-privacy-from-zsum")
def _privacy_from_zsum() -> Iterator[Claim]:
    """On tables: zsum's delta, and twice that for the histogram with the square of e^eps."""
    for n, gamma, order in product((1, 2, 3), _GAMMAS, _ORDERS):
        bits = zsum(n, gamma=gamma)
        delta = bits.privacy_profile().exact_delta(exp_eps=order)
        yield Claim.shift_dp(bits.noise, exp_eps=order, delta=delta)
        for d in (2, 3):
            protocol = ShuffleProtocol(histogram_randomizer(d, gamma=gamma), n)
            yield Claim.shuffle_dp(protocol, exp_eps=order**2, delta=min(Fraction(1), 2 * delta))


@decides("histogram-bin-is-zsum")
def _bin_is_zsum() -> Iterator[Claim]:
    """Another bin's factor g + (1 - g) z is 1 at z = 1; and tables, bin by bin, against zsum on the bits 1[x = j]."""
    g, z, p, r = variables("g z p r")
    yield implies(g <= 1, equal(z, 1), equal(r, g + (1 - g) * z), then=equal(r, 1))
    yield implies(p >= 0, equal(r, 1), then=equal(p * r, p))
    for gamma, (d, held) in product(_GAMMAS, ((2, (1, 2)), (3, (2, 0, 1)), (4, (1, 1, 0, 1)))):
        protocol = ShuffleProtocol(histogram_randomizer(d, gamma=gamma), sum(held))
        for j in range(d):
            one_bin = MessageSum(protocol, dict(enumerate(held)), {i: int(i == j) for i in range(d)})
            bits = ShuffleProtocol(zsum_randomizer(gamma=gamma), sum(held))
            yield Claim.equal_laws(one_bin, MessageSum(bits, {0: sum(held) - held[j], 1: held[j]}, {1: 1}))


@decides("histogram-messages")
def _messages() -> Iterator[Claim]:
    """m dummies for d bins so far, then one more bin; and tables of d bins: d + 1 messages, and sometimes so many."""
    m, d, z = variables("m d z")
    yield implies(m <= d, z <= 1, then=m + z <= d + 1)
    for bins in range(2, 7):
        table, weights = histogram_randomizer(bins, gamma="1/3"), dict.fromkeys(range(bins), 1)
        yield Claim.negation(Claim.zero_estimate(table, weights=weights, zero_unless_above=bins, all_hold=0))
        yield Claim.zero_estimate(table, weights=weights, zero_unless_above=bins + 1, all_hold=0)


@decides("histogram-empty-bins")
def _empty_bins() -> Iterator[Claim]:
    """m messages j of n users without j, then one more; and tables, for each record but j."""
    m, n, z = variables("m n z")
    yield implies(m <= n, z <= 1, then=m + z <= n + 1)
    for gamma, d in product(_GAMMAS, (2, 3, 4)):
        table = histogram_randomizer(d, gamma=gamma)
        for j, x in permutations(range(d), 2):
            weights = {i: int(i == j) for i in range(d)}
            yield Claim.zero_estimate(table, weights=weights, zero_unless_above=1, all_hold=x)


# --- Part iii -------------------------------------------------------------------------------------------------------


def _counting() -> Claim:
    """Q bins of more than (1 + h) mu users: Q <= n, and Q f <= n f for the bound f of one; v = 1/eps^2."""
    q, n, reach, k, total, f, m, lam, v, h, b = variables("q n reach k total f m lam v h b")
    return Claim.conjunction(
        implies(q * reach <= total, k >= reach, then=(q + 1) * reach <= total + k),
        below_ln_2(),
        implies(v >= 1, lam >= LN_2, equal(m, 50 * lam * v), then=m >= 1),
        implies(m >= 1, h >= 0, then=(1 + h) * m >= 1),
        implies(q >= 0, reach >= 1, q * reach <= n, then=q <= n),
        implies(q <= n, f >= 0, n * f <= b, then=q * f <= b),
    )


def _one_bin_at_the_least_n() -> Claim:
    """P[error > gamma (1 + 1.2808 eps)] <= (delta/2)^25 for zsum, at the least n for delta = 1/2 and eps = 1."""
    n = zsum_least_n(eps=1, delta=DELTA)
    gamma = noise(n, DELTA)
    return Claim.accuracy(zsum(n, gamma=gamma), alpha=gamma * (1 + DEVIATION), beta=(DELTA / 2) ** 25)


@decides("histogram-simultaneous", "histogram-error-without-bins")
def _simultaneous() -> Claim:
    return Claim.conjunction(_one_bin_at_the_least_n(), _counting(), assuming=("union",))


@decides("histogram-simultaneous-every-beta", assuming=("union",))
def _simultaneous_every_beta() -> Iterator[Claim]:
    """mu h^2/(2 + h) = ln(n/beta) =: b, so that n e^-b = beta: with v = 1/(2 + h), mu h^2 v = b."""
    m, h, v, rate, b = variables("m h v rate b")
    yield _counting()
    yield implies(rate >= 0, v > 0, equal(h**2, rate * (2 + h)), equal(v * (2 + h), 1), then=equal(h**2 * v, rate))
    yield implies(m >= 0, equal(h**2 * v, rate), equal(b, rate * m), then=equal(m * h**2 * v, b))


@decides("histogram-every-constant-fails", assuming=("independence",))
def _every_constant() -> Iterator[Claim]:
    """C(n, k) >= (n/k)^k factor by factor, 1 - g >= e^(-2 g), and m >= n/k - 1 bins so that q m is above any r."""
    n, k, i, g, q, m, r = variables("n k i g q m r")
    yield implies(i >= 0, k <= n, then=k * (n - i) >= n * (k - i))
    yield positive_on({"g": (0, Fraction(1, 2))}, (1 - g, 0), (-1, -2 * g))
    yield implies(q > 0, m * k >= n - k, q * n > k * (q + r), then=q * (m * k) > r * k)


# --- The uncorrected claim at instances -----------------------------------------------------------------------------


def _beta(at: Instance) -> Fraction:
    """A number between delta^25 and the probability of failure."""
    return Fraction(floor((at.failure + DELTA**25) / 2 * 2**60), 2**60)


def _bins_that_err(at: Instance) -> Binomial:
    return Binomial(at.bins, at.one_bin)


def _one_bin_errs(at: Instance) -> Claim:
    """P[error > alpha] > one_bin in a bin of K users."""
    data_set = {1: at.users_per_bin, 0: at.n - at.users_per_bin}
    return Claim.negation(Claim.accuracy(zsum(at.n, gamma=at.gamma), alpha=at.alpha, beta=at.one_bin, dataset=data_set))


def _uncorrected(at: Instance) -> Claim:
    return Claim.conjunction(
        _one_bin_errs(at), Claim.tail(_bins_that_err(at), low=1, at_most=_beta(at)), assuming=("independence",)
    )


@decides("histogram-simultaneous-printed")
def _uncorrected_one_bin() -> Claim:
    return _uncorrected(one_bin_instance())


@decides("histogram-simultaneous-printed-constant")
def _uncorrected_theorem() -> Claim:
    return _uncorrected(theorem_instance())


@decides("histogram-one-bin-alpha-fails", assuming=("independence",))
def _fails_for_bins() -> Iterator[Claim]:
    at = one_bin_instance()
    yield Claim.accuracy(zsum(at.n, gamma=at.gamma), alpha=at.alpha, beta=DELTA**25)
    yield _one_bin_errs(at)
    yield Claim.tail(_bins_that_err(at), low=1, at_least=_beta(at))


# --- The printed chain ----------------------------------------------------------------------------------------------


def _empty_bin_is_exact(n: int) -> MessageSum:
    """The count of bin 1 of 2 where all n users hold 0; at most n makes its estimate 0, and c~ - c = 0."""
    return MessageSum(ShuffleProtocol(histogram_randomizer(2, gamma="1/2"), n), {0: n, 1: 0}, {0: 0, 1: 1})


def _certain(n: int, at_most: Fraction) -> Claim:
    """P[exists j: c~_j - c_j <= alpha] <= this, where one of two bins is empty: the event holds with certainty."""
    return Claim.tail(_empty_bin_is_exact(n), high=n, at_most=at_most)


@decides("histogram-index-printed")
def _printed_index() -> Claim:
    return _certain(2, Fraction(1, 4))


@decides("histogram-chain-printed")
def _printed_chain() -> Claim:
    return _certain(1, Fraction(1, 2))


@decides("histogram-chain-equality-printed")
def _equality_printed() -> Claim:
    """beta/n = beta for n >= 1, that is beta = n beta."""
    n, b = variables("n b")
    return implies(n >= 1, b > 0, b < 1, then=equal(b, n * b))


@decides("histogram-index")
def _index() -> Claim:
    """For each j, P[error > alpha] = f < delta^25 = t, so f <= beta/n for beta >= n delta^25; r = 1/n."""
    f, t, n, b, r = variables("f t n b r")
    step = implies(r > 0, t >= 0, f < t, equal(n * r, 1), b >= n * t, then=f <= b * r)
    return Claim.conjunction(_one_bin_at_the_least_n(), step)


@decides("histogram-chain", assuming=("union",))
def _chain() -> Iterator[Claim]:
    """The sum over |Q| = q <= n bins of at most f = beta/n each, s, is at most beta."""
    q, n, f, s, b, t = variables("q n f s b t")
    yield implies(s <= q * f, t <= f, then=s + t <= (q + 1) * f)
    yield implies(q <= n, f >= 0, equal(n * f, b), s <= q * f, then=s <= b)


@decides("histogram-central-error")
def _central() -> Iterator[Claim]:
    """One bin: its noise, who is seen alone, and an error of ten more than the threshold. All of it is in Coq."""
    exp_noise, threshold, delta = _CENTRAL
    noise = DiscreteLaplace(exp_noise)
    yield Claim.shift_dp(noise, shift=1, exp_eps=exp_noise, delta=0)
    yield Claim.tail(noise, low=threshold, at_most=delta)
    yield Claim.tail(noise, high=-11, at_most=Fraction(1, 2**11))

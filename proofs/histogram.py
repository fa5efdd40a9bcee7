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
(mu/K)^K e^(-7 mu/5) for every n >= 2 mu: C(n, K) >= (n/K)^K, and 1 - gamma >= e^(-7 gamma/5) for gamma <= 1/2. Bins are
independent, so none errs with probability at most (1 - q)^m <= e^(-q m), m = floor(n/K), below any 1 - beta for large
n. Already the least alpha that is right for one bin is wrong for two.

Assumed: what the two files above assume, independence of the bins, a union bound, and basic composition.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb, floor
from typing import Final, NamedTuple

from exactdp.bounds.zsum_theorem import zsum_least_n, zsum_rounded_gamma
from exactdp.certificates.certificate import Verdict
from exactdp.certificates.claim import Claim
from exactdp.certificates.spelling import MessageSum
from exactdp.laws.binomial import Binomial
from exactdp.proofs.algebra import decimal, equal, implies, positive_on, variables
from exactdp.proofs.ledger import ProofRow
from exactdp.proofs.zsum import closed_form_delta
from exactdp.proofs.zsum_accuracy import (
    DEVIATION,
    deterministic,
    exponential_above_line,
    power_of_delta,
    silent_tail,
    smaller_than_delta,
    upper_tail,
)
from exactdp.proofs.zsum_privacy import ASSUMED, privacy
from exactdp.protocol import ShuffleProtocol
from exactdp.protocols.histogram_protocol import histogram_randomizer
from exactdp.protocols.zsum_protocol import zsum, zsum_randomizer
from exactdp.search import Rationals, search

__all__ = ["ROWS", "Instance", "one_bin_instance", "theorem_instance"]

_TOPIC: Final = "histogram"
_SOURCE: Final = "BalcerCheu2020, section 3.2; proof: this package, proofs/histogram.py"
_LN_2: Final = Fraction("0.693")
_GAMMAS: Final = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
_ORDERS: Final = (Fraction(3, 2), Fraction(2))
_DELTA: Final = Fraction(1, 2)


# --- Parts i, ii, iv ------------------------------------------------------------------------------------------------


def _privacy() -> Claim:
    """Bits b, c of one bin before and after; their sums over the bins are 1, so that the moves sum to at most 2."""
    b, c = variables("b c")
    moves = implies(b >= 0, c >= 0, then=(c - b <= b + c, b - c <= b + c))
    return Claim.conjunction(privacy(), moves, assuming=(*ASSUMED, "composition"))


def _privacy_instances() -> Claim:
    return Claim.conjunction(
        *(
            Claim.shuffle_dp(
                ShuffleProtocol(histogram_randomizer(d, gamma=gamma), n),
                exp_eps=order**2,
                delta=min(Fraction(1), 2 * closed_form_delta(n, gamma, order)),
            )
            for d, n, gamma, order in product((2, 3), (1, 2, 3), _GAMMAS, _ORDERS)
        )
    )


def _bin_is_zsum() -> Claim:
    """Another bin's factor g + (1 - g) z is 1 at z = 1; and tables, bin by bin, against zsum on the bits 1[x = j]."""
    g, z, p, r = variables("g z p r")
    one = implies(g <= 1, *equal(z, 1), *equal(r, g + (1 - g) * z), then=equal(r, 1))
    unchanged = implies(p >= 0, *equal(r, 1), then=equal(p * r, p))
    return Claim.conjunction(one, unchanged, *(claim for gamma in _GAMMAS for claim in _bins(gamma)))


def _bins(gamma: Fraction) -> list[Claim]:
    claims = []
    for d, held in ((2, (1, 2)), (3, (2, 0, 1)), (4, (1, 1, 0, 1))):
        protocol = ShuffleProtocol(histogram_randomizer(d, gamma=gamma), sum(held))
        for j in range(d):
            one_bin = MessageSum(protocol, dict(enumerate(held)), {i: int(i == j) for i in range(d)})
            bits = ShuffleProtocol(zsum_randomizer(gamma=gamma), sum(held))
            claims.append(Claim.equal_laws(one_bin, MessageSum(bits, {0: sum(held) - held[j], 1: held[j]}, {1: 1})))
    return claims


def _messages() -> Claim:
    """m dummies for d bins so far, then one more bin; and tables of d bins: d + 1 messages, and sometimes so many."""
    m, d, z = variables("m d z")
    tables = []
    for bins in range(2, 7):
        table = histogram_randomizer(bins, gamma="1/3")
        for most in (bins, bins + 1):
            bounded = Claim.zero_estimate(
                table, weights=dict.fromkeys(range(bins), 1), zero_unless_above=most, all_hold=0
            )
            tables.append(bounded if most > bins else Claim.negation(bounded))
    return Claim.conjunction(
        implies(m <= d, z <= 1, then=m + z <= d + 1), implies(m <= d, then=m + 1 <= d + 1), *tables
    )


def _empty_bins() -> Claim:
    """m messages j of n users without j, then one more; and tables, for each record but j."""
    m, n, z = variables("m n z")
    tables = (
        Claim.zero_estimate(
            histogram_randomizer(d, gamma=gamma),
            weights={i: int(i == j) for i in range(d)},
            zero_unless_above=1,
            all_hold=x,
        )
        for gamma in _GAMMAS
        for d in (2, 3, 4)
        for j in range(d)
        for x in range(d)
        if x != j
    )
    return Claim.conjunction(implies(m <= n, z <= 1, then=m + z <= n + 1), *tables)


# --- Part iii -------------------------------------------------------------------------------------------------------


def _counting() -> Claim:
    """Q bins of more than (1 + h) mu users: Q <= n, and Q f <= n f for the bound f of one; v = 1/eps^2."""
    q, n, reach, k, total, f, m, lam, v, h, b = variables("q n reach k total f m lam v h b")
    return Claim.conjunction(
        implies(q * reach <= total, k >= reach, then=(q + 1) * reach <= total + k),
        positive_on({"lam": (0, _LN_2)}, (2, 0), (-1, lam), strict=True),
        implies(v >= 1, lam >= _LN_2, *equal(m, 50 * lam * v), then=m >= 1),
        implies(m >= 1, h >= 0, then=(1 + h) * m >= 1),
        implies(q >= 0, reach >= 1, q * reach <= n, then=q <= n),
        implies(q <= n, f >= 0, n * f <= b, then=q * f <= b),
    )


def _simultaneous() -> Claim:
    return Claim.conjunction(
        deterministic(),
        upper_tail(),
        power_of_delta(),
        smaller_than_delta(),
        _counting(),
        assuming=("markov", "independence", "union"),
    )


def _simultaneous_every_beta() -> Claim:
    """mu h^2/(2 + h) = ln(n/beta) =: b, so that n e^-b = beta: with c = e^-b, n c = beta. v = 1/(2 + h)."""
    m, h, v, rate, b = variables("m h v rate b")
    return Claim.conjunction(
        deterministic(),
        upper_tail(),
        _counting(),
        implies(rate >= 0, v > 0, *equal(h**2, rate * (2 + h)), *equal(v * (2 + h), 1), then=equal(h**2 * v, rate)),
        implies(m >= 0, *equal(h**2 * v, rate), *equal(b, rate * m), then=equal(m * h**2 * v, b)),
        assuming=("markov", "independence", "union"),
    )


def _every_constant() -> Claim:
    """The bound q of one bin, and n so large that m >= n/K - 1 independent bins err with more than 1 - e^-r."""
    n, k, i, g, q, m, r = variables("n k i g q m r")
    return Claim.conjunction(
        deterministic(),
        implies(i >= 0, k <= n, then=k * (n - i) >= n * (k - i)),
        positive_on({"g": (0, Fraction(1, 2))}, (1 - g, 0), (-1, -7 * g / 5)),
        exponential_above_line(),
        implies(q > 0, m * k >= n - k, q * n > k * (q + r), then=q * (m * k) > r * k),
        assuming=("independence",),
    )


# --- The uncorrected claim at instances -----------------------------------------------------------------------------


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
    reach, tail, most = n + 1, 0, floor(whole**n * _DELTA**25)
    while (tail := tail + comb(n, reach - 1) * silent ** (reach - 1) * (whole - silent) ** (n - reach + 1)) <= most:
        reach -= 1
    return reach


def _one_bin(n: int) -> Instance:
    gamma = zsum_rounded_gamma(n, eps=1, delta=_DELTA)
    reach = _least_reach(n, gamma)
    tail = silent_tail(n, gamma, reach, n)
    return Instance(n, gamma, Fraction(reach - 1, n), reach, n // reach, Fraction(floor(tail * 2**60), 2**60))


@cache
def one_bin_instance() -> Instance:
    """Return the least n at which the least alpha of one bin fails for floor(n/K) bins of K users; eps = 1."""
    least = zsum_least_n(eps=1, delta=_DELTA)
    found = search(lambda n: _one_bin(n).failure <= _DELTA**25, n=range(least, 3 * least)).counterexample
    assert found is not None
    return _one_bin(found["n"])


def _theorem(bits: int) -> Instance:
    n = 2**bits
    gamma = zsum_rounded_gamma(n, eps=1, delta=_DELTA)
    alpha = gamma * (1 + DEVIATION)
    reach = floor(n * alpha) + 1
    tail = Binomial(n, gamma).sf(reach - 1).lo if reach <= n else Fraction(0)
    return Instance(n, gamma, alpha, reach, n // reach, Fraction(floor(tail * 2**120), 2**120))


@cache
def theorem_instance() -> Instance:
    """Return the least power of two n at which gamma (1 + 1.2808 eps), right for one bin, fails so; eps = 1."""
    found = search(lambda bits: _theorem(bits).failure <= _DELTA**25, bits=range(8, 60)).counterexample
    assert found is not None
    return _theorem(found["bits"])


def _beta(at: Instance) -> Fraction:
    """A number between delta^25 and the probability of failure."""
    return Fraction(floor((at.failure + _DELTA**25) / 2 * 2**60), 2**60)


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


def _fails_for_bins(at: Instance) -> Claim:
    return Claim.conjunction(
        Claim.accuracy(zsum(at.n, gamma=at.gamma), alpha=at.alpha, beta=_DELTA**25),
        _one_bin_errs(at),
        Claim.tail(_bins_that_err(at), low=1, at_least=_beta(at)),
        assuming=("independence",),
    )


# --- The printed chain ----------------------------------------------------------------------------------------------


def _empty_bin_is_exact(n: int) -> MessageSum:
    """The count of bin 1 of 2 where all n users hold 0; at most n makes its estimate 0, and c~ - c = 0."""
    return MessageSum(ShuffleProtocol(histogram_randomizer(2, gamma="1/2"), n), {0: n, 1: 0}, {0: 0, 1: 1})


def _small_probability(power: int) -> Claim:
    """P[exists j: c~_j - c_j <= alpha] <= beta/n^power, at the least n and beta: the event holds with certainty."""
    found = search(lambda n, beta: beta / n**power >= 1, n=range(1, 4), beta=Rationals(0, 1, 4)).counterexample
    assert found is not None
    n, beta = found["n"], found["beta"]
    return Claim.tail(_empty_bin_is_exact(n), high=n, at_most=beta / n**power)


def _equality_printed() -> Claim:
    """beta/n = beta for n >= 1, that is beta = n beta."""
    n, b = variables("n b")
    return implies(n >= 1, b > 0, b < 1, then=equal(b, n * b))


def _index() -> Claim:
    """For each j, P[error > alpha] <= (delta/2)^25 = f <= beta/n for beta >= n delta^25; t = delta^25, r = 1/n."""
    f, t, n, b, r = variables("f t n b r")
    step = implies(r > 0, t >= 0, f < t, *equal(n * r, 1), b >= n * t, then=f <= b * r)
    return Claim.conjunction(
        deterministic(), upper_tail(), power_of_delta(), smaller_than_delta(), step, assuming=("markov", "independence")
    )


def _chain() -> Claim:
    """The sum over |Q| = q <= n bins of at most f = beta/n each, s, is at most beta."""
    q, n, f, s, b, t = variables("q n f s b t")
    return Claim.conjunction(
        implies(s <= q * f, t <= f, then=s + t <= (q + 1) * f),
        implies(q <= n, f >= 0, *equal(n * f, b), s <= q * f, then=s <= b),
        assuming=("union",),
    )


def _row(
    name: str,
    statement: str,
    domain: str,
    claim: Callable[[], Claim],
    note: str,
    as_printed: str,
    theorems: tuple[str, ...] = (),
) -> ProofRow:
    """A row; its statement as printed where that is false, which is then refuted."""
    return ProofRow(
        f"{_TOPIC}-{name}",
        _TOPIC,
        statement,
        domain,
        _SOURCE,
        claim,
        notes=(note,),
        as_printed=as_printed,
        expected=Verdict.REFUTED if as_printed == "false" else Verdict.PROVED,
        theorems=theorems,
    )


def _prose(name: str, statement: str, note: str, as_printed: str, reading: str) -> ProofRow:
    return ProofRow.prose(
        f"{_TOPIC}-{name}",
        _TOPIC,
        statement,
        source="BalcerCheu2020, section 3.2",
        entry=note,
        as_printed=as_printed,
        reading=reading,
    )


_THEOREM: Final = "eps in (0, 1], delta in (0, 1), all n >= 100 ln(2/delta)/eps^2, all d >= 2, every data set"
_ALPHA: Final = f"gamma (1 + {decimal(DEVIATION)} eps)"
_WHERE: Final = "eps = 1, delta = 1/2; gamma rounded up to a multiple of 2^-53; floor(n/K) bins of K users"

ROWS: Final = (
    _prose(
        "relabelling",
        "The user's messages for bin j are the scalar product m_j = j R(b_j).",
        "51",
        "corrected",
        "Each of the x + z copies that zsum's randomizer sends for the bit b_j is relabelled j; there is no product.",
    ),
    _prose(
        "stray-output",
        "The analyzer of the histogram outputs c* - p if c* > 1, else 0.",
        "52",
        "false",
        "c* is not defined there: the line belongs to zsum's analyzer, which the histogram's runs in each bin.",
    ),
    _row(
        "privacy",
        "Part i: the histogram protocol is (2 eps, 2 delta)-DP under replacement.",
        "eps in (0, 1], delta in (0, 1], all n >= 100 ln(2/delta)/eps^2, all d >= 2",
        _privacy,
        "53",
        "corrected",
        theorems=("histogram_privacy_theorem.histogram_privacy_theorem",),
    ),
    _row(
        "privacy-instances",
        "Part i on tables: with zsum's exact delta(E), the shuffled protocol is (2 eps, 2 delta)-DP.",
        f"d = 2, 3; n = 1, 2, 3; gamma = {', '.join(map(str, _GAMMAS))}; E = e^eps = {', '.join(map(str, _ORDERS))}",
        _privacy_instances,
        "53",
        "corrected",
        theorems=("histogram.histogram_privacy",),
    ),
    _row(
        "bin-is-zsum",
        "Part ii: the count of bin j is that of zsum on the bits 1[x = j], so its error is bounded as zsum's is.",
        "every gamma in [0, 1] and d by generating functions; tables with d = 2, 3, 4, n = 3, "
        f"gamma = {', '.join(map(str, _GAMMAS))}",
        _bin_is_zsum,
        "58",
        "true",
        theorems=("histogram.histogram_one_bin", "histogram_bin_error.histogram_one_bin_error"),
    ),
    _row(
        "messages",
        "Part iv: a user sends at most d + 1 messages, and sometimes so many.",
        "all d >= 1; tables with d = 2 to 6, gamma = 1/3, for both",
        _messages,
        "58",
        "true",
        theorems=("histogram_messages.histogram_messages", "histogram_messages.histogram_messages_attained"),
    ),
    _row(
        "empty-bins",
        "If no user holds j, the estimate of bin j is exactly 0 with certainty.",
        "all n >= 1, all d, gamma in [0, 1]; tables with d = 2, 3, 4, "
        f"gamma = {', '.join(map(str, _GAMMAS))}, all users with one record",
        _empty_bins,
        "55",
        "corrected",
        theorems=("histogram_bin_error.histogram_empty_bins",),
    ),
    _row(
        "simultaneous",
        f"Part iii: P[exists j: error of bin j > {_ALPHA}] <= n (delta/2)^25, so at most beta for beta >= n delta^25.",
        _THEOREM,
        _simultaneous,
        "54",
        "corrected",
        theorems=("histogram_accuracy_theorem.histogram_simultaneous",),
    ),
    _row(
        "simultaneous-every-beta",
        "Part iii: P[exists j: error of bin j > gamma (1 + h)] <= beta, h >= 0, h^2 = L (2 + h), L = ln(n/beta)/mu.",
        "beta in (0, 1); " + _THEOREM,
        _simultaneous_every_beta,
        "54",
        "corrected",
        theorems=("histogram_accuracy_theorem.histogram_simultaneous_every_beta",),
    ),
    _row(
        "simultaneous-printed",
        "An alpha that is right for one bin at every beta > delta^25 bounds the errors of all bins at every such beta.",
        "the least n at which it fails: " + _WHERE + " for the least such alpha = (K - 1)/n; n exact",
        lambda: _uncorrected(one_bin_instance()),
        "54",
        "false",
    ),
    _row(
        "simultaneous-printed-constant",
        f"{_ALPHA} = {decimal(100 * (1 + DEVIATION))} ln(1/delta)/(eps^2 n) at eps = 1, delta = 1/2, right for one bin "
        "at every beta > delta^25, bounds the errors of all bins at every such beta.",
        "the least power of two n at which it fails: " + _WHERE + ", K the least integer above n alpha",
        lambda: _uncorrected(theorem_instance()),
        "54",
        "false",
    ),
    _row(
        "one-bin-alpha-fails",
        "The least alpha that is right for one bin at every beta > delta^25 is wrong for all bins at some of these.",
        "the instance of histogram-simultaneous-printed",
        lambda: _fails_for_bins(one_bin_instance()),
        "54",
        "corrected",
    ),
    _row(
        "every-constant-fails",
        "For every C the errors of all bins exceed C ln(1/delta)/(eps^2 n) with probability above beta for large n.",
        "all C > 0, eps in (0, 1], delta in (0, 1), beta in (0, 1); bins of K > C ln(1/delta)/eps^2 users",
        _every_constant,
        "54",
        "corrected",
    ),
    _row(
        "index-printed",
        "With probability beta/n there is a j with c~_j - c_j <= alpha.",
        "the least n >= 1 and beta in (0, 1) with a denominator up to 4; d = 2, gamma = 1/2, every alpha >= 0",
        lambda: _small_probability(1),
        "56",
        "false",
        theorems=("histogram_chain.histogram_chain_printed",),
    ),
    _row(
        "index",
        f"For each fixed j, P[abs(c~_j - c_j) > {_ALPHA}] <= (delta/2)^25 <= beta/n.",
        "beta >= n delta^25; " + _THEOREM,
        _index,
        "56",
        "corrected",
        theorems=("histogram_accuracy_theorem.histogram_index",),
    ),
    _row(
        "chain-printed",
        "P[exists j: c~_j - c_j <= alpha] <= beta.",
        "the least n >= 1 and beta in (0, 1) with a denominator up to 4; d = 2, gamma = 1/2, every alpha >= 0",
        lambda: _small_probability(0),
        "57",
        "false",
        theorems=("histogram_chain.histogram_chain_printed",),
    ),
    _row(
        "chain-equality-printed",
        "beta/n = beta.",
        "n >= 1, beta in (0, 1)",
        _equality_printed,
        "57",
        "false",
    ),
    _row(
        "chain",
        "P[exists j: abs(c~_j - c_j) > alpha] <= sum over |Q| <= n bins of beta/n <= beta.",
        "all n >= 1, beta >= 0, all Q",
        _chain,
        "57",
        "corrected",
        theorems=(
            "histogram_chain.histogram_chain",
            "histogram_chain.histogram_chain_nonempty",
        ),
    ),
)

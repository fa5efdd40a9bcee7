"""The geometric mechanism is optimal for one count under pure DP: for every prior and monotone loss.

Statement. A count i in {0, ..., n} of sensitivity 1, a mechanism x with x_ir = P[output r | count i] for r in
{0, ..., n}, and 0 < a < 1, e^eps = 1/a. It is eps-DP: x_ir >= a x_jr for neighbouring i, j. G is the truncated
geometric mechanism: i plus noise with P[k] = (1-a)/(1+a) a^abs(k), clamped to {0, ..., n}.

1. n = 1, any set of outputs: every eps-DP mechanism is a post-processing of G. So G is optimal for every user.
2. n = 2: for every eps-DP mechanism x there is a post-processing y of G whose error abs(r - i) is stochastically no
   larger, at every count i. So for every prior and every loss l(i, r) that grows with abs(r - i), and for the worst
   count too, some post-processing of G has the least expected loss.
3. n = 3: for the listed a, priors and losses the least expected loss over all eps-DP mechanisms is attained by G after
   a remapping of its outputs.
4. For every n >= 1 the same as for n = 2, and the post-processing depends on neither prior nor loss.
5. Not so for (eps, delta)-DP with delta > 0: truncated noise has a smaller error; nor without the remapping.

In 2 and 3 an output outside {0, ..., n} can be clamped first, which moves it towards i.

Proof. A column of x is (x_0r, x_1r, ...). The columns of G are multiples of (1, a) and (a, 1) for n = 1, and of
(1, a, a^2), (a, 1, a) and (a^2, a, 1) for n = 2. 1: (1-a^2) (u, v) = (u - av) (1, a) + (v - au) (a, 1), and the sums
over r of the coefficients are what makes a post-processing.
2: likewise (1-a^2) (u, v, w) = t0 (1, a, a^2) + t1 (a, 1, a) + t2 (a^2, a, 1) with t0 = u - av, t2 = w - av and
t1 = (1+a^2) v - a (u+w). Privacy says t0, t2 >= 0, so x is a post-processing of G iff no column has t1 < 0. Let T_r be
t1 of column r. T_0 + T_1 + T_2 = (1-a)^2 > 0. Mass moved from x_1r to x_1q lowers T_r and raises T_q by 1 + a^2 times
as much; as long as T_r >= 0 and T_q <= 0, t0 and t2 stay >= 0 in both columns (*the middle row*).
  If T_1 < 0, the other columns have enough to fill T_1, and whichever else is negative: x_11 grows.
  If T_1 >= 0 > T_0, fill T_0 from column 2 as long as T_2 > 0. If T_0 is still negative, T_2 is <= 0: lower x_20 until
  T_0 = 0, and raise x_21 (*an end row*); if T_2 < 0, lower x_02 and raise x_01 likewise. Now T_0 = T_2 = 0, so T_1 =
  (1-a)^2, and no t0 or t2 became negative. If T_1 >= 0 > T_2, the mirror image.
x_00, x_11, x_22 did not fall and x_02, x_20 did not rise: the error is stochastically no larger at every count.
3: a mechanism is the table of its 16 probabilities: rows sum to 1, and entries of neighbouring counts are within the
factor a, so none is negative; its expected loss is linear in them. Linear programming duality: a combination of the
constraints (Handelman's certificate of degree 1, which is Farkas') shows that no eps-DP mechanism is below the least
loss of the remappings of G, which are finitely many. G is the table of the law of i plus noise, each tail added to its
end.
4: of the private tables whose error is stochastically no larger than that of x at every count take one with the least
sum of mean errors. Call column r light in the gap (i, i+1) if x_ir > a x_jr, j = i+1, and heavy if x_jr > a x_ir. No
light column k is right of a heavy one q: for 2i <= q + k move a part of column k to column q in all rows up to i, else
one of q to k in all rows from i + 1 on; the table stays private and errs less. So each gap has a column c_i left of
which all fall by the factor a, and right of which all rise. If c_i were left of c_(i-1), the light mass 1 - a of one
gap and the heavy one of the other were on different columns, 2 (1-a) <= 1 - a^2. So t1 >= 0 in every column but one,
and in that one too, as they sum to (1-a)^2. All of it is in Coq.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, pairwise, product
from typing import Final

from exactdp import Claim, DiscreteLaplace, Law, Randomizer, ShuffleProtocol, shift_profile
from exactdp.proofs.least import searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import Expression, Relation, equal, implies, variables
from exactdp.studies.counterexamples.search import Rationals

_USERS: Final = 3
"""The number of users of the instances."""
_RATIOS: Final = (Fraction(1, 4), Fraction(1, 2), Fraction(2, 3))
"""The e^-eps of the instances."""
LOSSES: Final[dict[str, Callable[[int], int]]] = {
    "abs(r-i)": lambda d: d,
    "(r-i)^2": lambda d: d * d,
    "1[r != i]": lambda d: int(d > 0),
}
"""Monotone losses, by name: of the distance between output and count."""
_PRIORS: Final = ((1, 1, 1, 1), (4, 3, 2, 1), (1, 0, 0, 1))
"""Weights of the counts 0, 1, 2, 3."""
NUMBERS: Final = {
    "users": _USERS,
    "ratios": _RATIOS,
    "priors": tuple(":".join(map(str, prior)) for prior in _PRIORS),
    "losses": tuple(LOSSES),
}
"""The numbers that the rows quote."""

Table = Sequence[Sequence[Fraction]]


# --- One user: every private mechanism is a post-processing -----------------------------------------------------------


@decides("geometric-one-user", assuming=["post-processing"])
def _one_user() -> Iterator[Claim]:
    """1: a column (u, v), its coefficients, and their sum from the rows' sums, each 1."""
    a, u, v, r, s = variables("a u v r s")
    first, second = u - a * v, v - a * u
    yield implies(equal(r, first), equal(s, a * second), then=equal(r + s, (1 - a**2) * u))
    yield implies(equal(r, a * first), equal(s, second), then=equal(r + s, (1 - a**2) * v))
    yield implies(u >= a * v, equal(r, first), then=r >= 0)
    yield implies(v >= a * u, equal(s, second), then=s >= 0)
    for coefficient in (first, second):
        yield implies(a > 0, equal(u, 1), equal(v, 1), equal(r, coefficient), then=equal(r, 1 - a))


# --- Two users: a post-processing with a smaller error ----------------------------------------------------------------


def _coefficients(a: Expression, column: Sequence[Expression]) -> tuple[Expression, Expression, Expression]:
    """t0, t1 and t2 of a column."""
    u, v, w = column
    return u - a * v, (1 + a**2) * v - a * (u + w), w - a * v


def _column_is_a_mixture() -> Iterator[Claim]:
    """(1-a^2) (u, v, w) in terms of the columns of G, r, s and t for the three parts of an entry; then the sums.

    The rows of a mechanism sum to 1, so the sums over the columns are U = 1 of u, V = 1 of v, S = 2 of u + w. b: a^2.
    """
    a, b, u, v, w, r, s, t, U, V, S = variables("a b u v w r s t U V S")
    yield implies(a > 0, equal(U, 1), equal(V, 1), then=equal(U - a * V, 1 - a))
    yield implies(a > 0, b > 0, equal(V, 1), equal(S, 2), then=equal((1 + b) * V - a * S, 1 - 2 * a + b))
    for i, entry in enumerate((u, v, w)):
        parts = [a ** abs(i - j) * t_j for j, t_j in enumerate(_coefficients(a, (u, v, w)))]
        named = map(equal, (r, s, t), parts)
        yield implies(*named, then=equal(r + s + t, (1 - a**2) * entry))


def _middle_row() -> list[Claim]:
    """z in place of v: where v < z and t1 stays <= 0, and where z < v; t2 is the mirror image of t0."""
    a, u, v, w, z = variables("a u v w z")
    joined = implies(a > 0, u >= a * v, v >= a * w, then=u >= a**2 * w)
    filled = implies(a > 0, u >= a**2 * w, (1 + a**2) * z <= a * (u + w), then=(1 + a**2) * (u - a * z) >= 0)
    drained = implies(a > 0, u >= a * v, z <= v, then=u - a * z >= 0)
    return [joined, filled, drained]


def _end_row() -> Iterator[Claim]:
    """z in place of w, chosen so that t1 becomes 0 in an outer column; and the middle one, whose u or w grows to z."""
    a, u, v, w, z = variables("a u v w z")
    inside = (a > 0, a < 1)
    lowered = (*inside, equal(a * z, (1 + a**2) * v - a * u))
    _, before, _ = _coefficients(a, (u, v, w))
    _, _, end = _coefficients(a, (u, v, z))
    yield implies(*lowered, before <= 0, then=a * (w - z) >= 0)
    yield implies(*lowered, v >= a * u, then=a * end >= 0)
    yield implies(*inside, w >= a * v, z >= w, then=z - a * v >= 0)


def _stays_private_when_filled() -> Claim:
    """After some filling, z >= v, the outer column still has z >= a u, which the end row needs."""
    a, u, v, z = variables("a u v z")
    return implies(v >= a * u, z >= v, then=z >= a * u)


def _enough_to_fill() -> Iterator[Claim]:
    """The sum D of T_0, T_1, T_2 is positive: what column 1 lacks the others have, and with both at 0 it has all."""
    a, X, Y, Z = variables("a X Y Z")
    total = (a > 0, a < 1, equal(X + Y + Z, (1 - a) ** 2))
    yield implies(*total, Y < 0, then=X + Z > -Y)
    yield implies(*total, equal(X, 0), equal(Z, 0), then=Y >= 0)


def _smaller_loss() -> Iterator[Claim]:
    """At count 0, with losses k <= o <= m, and at count 1, with o <= m: x before, y after. Count 2 mirrors count 0."""
    k, o, m, x0, x1, x2, y0, y1, y2 = variables("k o m x0 x1 x2 y0 y1 y2")
    rows = (equal(x0 + x1 + x2, 1), equal(y0 + y1 + y2, 1))
    end = (o >= k, m >= o, y0 >= x0, y2 <= x2)
    middle = (m >= o, y1 >= x1)
    x1_of, y1_of = 1 - x0 - x2, 1 - y0 - y2
    yield implies(*rows, y0 >= x0, y2 <= x2, then=y1 + y2 <= x1 + x2)
    yield implies(*end, then=k * y0 + o * y1_of + m * y2 <= k * x0 + o * x1_of + m * x2)
    yield implies(*middle, then=o * y1 + m * (1 - y1) <= o * x1 + m * (1 - x1))


@decides("geometric-two-users", assuming=["post-processing"])
def optimality_for_two() -> Iterator[Claim]:
    """Return the steps of 2, for all 0 < a < 1, every prior and every monotone loss."""
    yield from _column_is_a_mixture()
    yield from _middle_row()
    yield from _end_row()
    yield _stays_private_when_filled()
    yield from _enough_to_fill()
    yield from _smaller_loss()


# --- Any number of users --------------------------------------------------------------------------------------------


@decides("geometric-optimal", assuming=["post-processing"])
def _any_users() -> Iterator[Claim]:
    """4: what is moved, m of u; the order of the columns; t1 where a column falls, falls from v on, rises up to v."""
    a, d, m, u, v, w = variables("a d m u v w")
    yield implies(u - a * w >= m, equal(d * u, m), then=(1 - d) * u >= a * w)
    yield implies(w - a * v >= m, a <= 1, m >= 0, then=w >= a * (v + m))
    yield implies(a < 1, then=2 * (1 - a) > 1 - a**2)
    _, inner, _ = _coefficients(a, (u, v, w))
    yield implies(a > 0, equal(v, a * u), equal(w, a * v), then=equal(inner, 0))
    yield implies(a > 0, v >= a * u, equal(w, a * v), then=inner >= 0)
    yield implies(a > 0, v >= a * w, equal(u, a * v), then=inner >= 0)


# --- Three users: linear programming duality --------------------------------------------------------------------------


def geometric_table(n: int, a: Fraction) -> list[list[Fraction]]:
    """Return G: the law of the output for each count.

    >>> [[str(p) for p in row] for row in geometric_table(1, Fraction(1, 2))]
    [['2/3', '1/3'], ['1/3', '2/3']]
    """
    ends = {0, n}
    return [
        [a ** abs(i - r) * (Fraction(1) if r in ends else 1 - a) / (1 + a) for r in range(n + 1)] for i in range(n + 1)
    ]


def _weights(prior: Sequence[int], loss: Callable[[int], int]) -> list[list[Fraction]]:
    """prior(i) * loss(abs(r - i))."""
    total = sum(prior)
    return [[Fraction(p * loss(abs(i - r)), total) for r in range(len(prior))] for i, p in enumerate(prior)]


def best_remapping(table: Table, weights: Table) -> tuple[Fraction, tuple[int, ...]]:
    """Return the least expected loss of all remappings of a mechanism's outputs, and the first that has it."""
    outputs = range(len(table[0]))
    best = []
    for r in outputs:
        losses = [sum((w[q] * row[r] for w, row in zip(weights, table, strict=True)), Fraction(0)) for q in outputs]
        best.append(min((loss, q) for q, loss in enumerate(losses)))
    return sum((loss for loss, _ in best), Fraction(0)), tuple(q for _, q in best)


def _unknown_table(n: int) -> list[list[Expression]]:
    return [list(variables(" ".join(f"x{i}{r}" for r in range(n + 1)))) for i in range(n + 1)]


@cache
def _is_private(n: int, a: Fraction) -> tuple[Relation, ...]:
    """The unknown table of n users is eps-DP, e^eps = 1/a, and its rows sum to 1."""
    table = _unknown_table(n)
    sums = (equal(sum(row), 1) for row in table)
    pairs = (pair for first, second in pairwise(table) for pair in zip(first, second, strict=True))
    return (*sums, *chain.from_iterable((x >= a * y, y >= a * x) for x, y in pairs))


def _loss(table: Sequence[Sequence[Expression]], weights: Table) -> Expression:
    terms = (x * w for row, line in zip(table, weights, strict=True) for x, w in zip(row, line, strict=True))
    return sum(terms)


def expected_loss_is_at_least(value: Fraction, weights: Table, a: Fraction) -> Claim:
    """Return the claim that every eps-DP mechanism has at least this expected loss, e^eps = 1/a."""
    n = len(weights) - 1
    return implies(*_is_private(n, a), then=_loss(_unknown_table(n), weights) >= value)


def _is_attained(value: Fraction, remapping: Sequence[int], weights: Table, a: Fraction) -> Claim:
    """G has this loss after the remapping."""
    n = len(weights) - 1
    table = _unknown_table(n)
    rows = zip(table, geometric_table(n, a), strict=True)
    entries = (equal(x, p) for row, line in rows for x, p in zip(row, line, strict=True))
    remapped = [[line[remapping[r]] for r in range(n + 1)] for line in weights]
    return implies(*entries, then=_loss(table, remapped) <= value)


def _geometric_is_private(a: Fraction) -> Iterator[Claim]:
    """G is eps-DP for n = 3: each pair of neighbouring counts, in both orders."""
    table = geometric_table(_USERS, a)
    for k in range(_USERS):
        pair = Randomizer({i: {(r,): p for r, p in enumerate(table[i])} for i in (k, k + 1)})
        yield Claim.pure_dp(ShuffleProtocol(pair, 1), exp_eps=1 / a)


@decides("geometric-three-users")
def _three_users() -> Iterator[Claim]:
    for a in _RATIOS:
        yield from _geometric_is_private(a)
    for a, prior, loss in product(_RATIOS, _PRIORS, LOSSES.values()):
        weights = _weights(prior, loss)
        value, remapping = best_remapping(geometric_table(_USERS, a), weights)
        yield expected_loss_is_at_least(value, weights, a)
        yield _is_attained(value, remapping, weights, a)


# --- Where it fails ---------------------------------------------------------------------------------------------------


def _error_as_it_is(a: Fraction, prior: Fraction) -> tuple[Fraction, Table]:
    """The expected error of G on the counts {0, 1}, and the weights of the errors."""
    table = geometric_table(1, a)
    return (1 - prior) * table[0][1] + prior * table[1][0], [[Fraction(0), 1 - prior], [prior, Fraction(0)]]


@searched_over(a=Rationals(0, 1, 10), prior=Rationals(0, 1, 10))
def least_without_remapping(a: Fraction, prior: Fraction) -> bool:
    """Return the first a and prior of the count 1, of {0, 1}, at which G as it is does not have the least error."""
    value, weights = _error_as_it_is(a, prior)
    return best_remapping(geometric_table(1, a), weights)[0] == value


@decides("geometric-without-remapping-printed")
def _without_remapping() -> Claim:
    """The expected error of G as it is would be the least."""
    a, prior = least_without_remapping().at("a", "prior")
    return expected_loss_is_at_least(*_error_as_it_is(a, prior), a)


def truncated_noise(exp_eps: Fraction, reach: int) -> Law:
    """Return two-sided geometric noise, conditioned to be at most ``reach`` in absolute value.

    >>> truncated_noise(Fraction(2), 1).prob(0)
    Fraction(1, 2)
    """
    weights = {k: exp_eps ** -abs(k) for k in range(-reach, reach + 1)}
    total = sum(weights.values(), Fraction(0))
    return Law({k: w / total for k, w in weights.items()})


def _upper_tail(exp_eps: Fraction, k: int) -> Fraction:
    """P[Y >= k] of two-sided geometric noise, k >= 1."""
    return exp_eps ** (1 - k) / (exp_eps + 1)


@searched_over(reach=range(1, 4), exp_eps=Rationals(1, 4, 4), delta=Rationals(0, 1, 10))
def least_truncation(reach: int, exp_eps: Fraction, delta: Fraction) -> bool:
    """Return the first reach, e^eps and delta for which truncated noise is (eps, delta)-DP and has a smaller error."""
    noise = truncated_noise(exp_eps, reach)
    is_private = shift_profile(noise).exact_delta(exp_eps=exp_eps) <= delta
    tails = [sum((noise.prob(j) for j in range(k, reach + 1)), Fraction(0)) for k in range(1, reach + 1)]
    return not (is_private and all(t < _upper_tail(exp_eps, k) for k, t in enumerate(tails, 1)))


@decides("geometric-delta-printed")
def _truncation_is_not_better() -> Claim:
    """Not all of: it is (eps, delta)-DP, it never exceeds its reach, and each of its tails is the smaller one."""
    reach, exp_eps, delta = least_truncation().at("reach", "exp_eps", "delta")
    noise = truncated_noise(exp_eps, reach)
    claims = [
        Claim.shift_dp(noise, exp_eps=exp_eps, delta=delta),
        Claim.tail(noise, low=reach + 1, at_most=0),
        Claim.tail(noise, high=-reach - 1, at_most=0),
    ]
    for k in range(1, reach + 1):
        tail = sum((noise.prob(j) for j in range(k, reach + 1)), Fraction(0))
        between = (tail + _upper_tail(exp_eps, k)) / 2
        for low, high in ((k, None), (None, -k)):
            claims.append(Claim.tail(noise, low=low, high=high, at_most=between))
            claims.append(Claim.tail(DiscreteLaplace(exp_eps), low=low, high=high, at_least=between))
    return Claim.negation(Claim.conjunction(*claims))

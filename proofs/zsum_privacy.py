"""zsum: the privacy theorem for all its parameters, where sqrt(5) comes from, and the printed steps around it.

Theorem. Let eps in (0, 1], delta in (0, 1], Lambda = ln(2/delta), n >= 100 Lambda/eps^2 an integer and gamma =
50 Lambda/(eps^2 n). zsum of n users is (eps, delta)-DP under replacement.

Proof. Put E = e^eps, alpha = tanh(eps/2) = (E - 1)/(E + 1), mu = n gamma = 50 Lambda/eps^2.
1. *gamma.* n >= 2 mu, which is what "n >=" is for: it says gamma <= 1/2 and nothing else, mu does not depend on n.
2. *alpha.* 0 < alpha < 1 and (1 + alpha) = E (1 - alpha). On (0, 1], 5 (E - 1)^2 > eps^2 (E + 1)^2: alpha >
eps/sqrt(5).
3. *One step.* With s = sqrt(5), mu alpha >= 10 s Lambda/eps >= 10 s ln 2 > 15.49 >= 2, which is Lemma 3's hypothesis k
<= alpha mu/2 at k = 1. (delta <= 1 makes Lambda >= ln 2 > 0.693.)
4. *Lemma 3 at k = 1.* W ~ Bin(n, gamma), w(y) = P[W = y]. For (1 - alpha) mu + 1 <= y <= (1 + alpha) mu - 1 both
w(y)/w(y+1) = (1-gamma)(y+1)/(gamma (n-y)) and w(y)/w(y-1) = gamma (n-y+1)/((1-gamma) y) are below (1 + alpha)/(1 -
alpha) = E; here y < n and y > 0, so that no denominator vanishes. This interval contains [(1 - alpha/2) mu, (1 +
alpha/2) mu] because alpha mu >= 2. Outside is a mass of at most e^(-alpha^2 mu/8) + e^(-alpha^2 mu/(8 + 2 alpha)), by
the tails of proofs/zsum_accuracy.py with h = t = alpha/2. (Lemma 3 for every k: proofs/binomial_smoothness.py.)
5. *The sum.* With X = alpha^2 mu/10 both exponents exceed X, and e^x grows, so the sum is below 2 e^-X.
6. *delta.* alpha^2 >= eps^2/5 gives X >= eps^2 mu/50 = Lambda, and 2 e^-Lambda = delta.
7. *Lemma 2 in one coordinate.* The view is n + sum x_i - W (proofs/zsum.py), and neighbours shift it by one. Off the
set of step 4 the likelihood ratio of the two views is below E; on it the mass is at most delta. So P[T] <= E Q[T] +
delta.

The real constant. tanh(x/2)/x falls, because sinh x > x, so eps = 1 decides: alpha >= eps/sqrt(s) on (0, 1] iff s >=
1/tanh(1/2)^2 = 4.682694376..., and 5 is the least integer. With s = 4 it fails at every eps, since tanh x < x. So "the
smallest integer such that alpha > 0" cannot be meant: s does not occur in alpha > 0, which holds on (0, 1].
Steps 3 to 7 with alpha in place of eps/sqrt(5) prove that mu = 10 coth(eps/2)^2 Lambda is enough, for every eps > 0
where n >= 2 mu. (`exactdp.report.figures.calibration_curves.draw_alpha` draws both differences with their bands.)

Lemma 3's hypothesis is sufficient, not necessary: where alpha mu < 2, its delta is above 2 e^(-1/4) > 1.

Assumed: Markov's inequality and independence (the tails), a union bound (their sum), post-processing (view and count).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp import Claim, ShuffleProtocol
from exactdp.claims.claim import Span
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import decimal, equal, implies, positive_on, variables
from exactdp.proofs.zsum_accuracy import LN_2, below_ln_2, exponential_above_line, lower_tail, upper_tail
from exactdp.protocols import zsum_randomizer

_EPS: Final = Span(0, 1, False, True)
"""The eps of the theorem, (0, 1]."""
ASSUMED: Final = ("markov", "independence", "union", "post-processing")
"""What the theorem assumes."""
_BELOW: Final = Fraction("4.68269437")
"""Below 1/tanh(1/2)^2."""
_ABOVE: Final = Fraction("4.682694377")
"""Above it."""
NUMBERS: Final = {"below": decimal(_BELOW), "above": decimal(_ABOVE)}
"""The numbers that the rows quote."""


# --- Steps 1 to 3 ---------------------------------------------------------------------------------------------------


@decides("zsum-least-users")
def least_users() -> Iterator[Claim]:
    """gamma = 50 t r <= 1/2 iff n >= 100 t, and n gamma = 50 t; r = 1/n, t = Lambda/eps^2."""
    n, r, g, t = variables("n r g t")
    given = (n > 0, t > 0, equal(n * r, 1), equal(g, 50 * t * r))
    half = Fraction(1, 2)
    yield implies(*given, r > 0, n >= 100 * t, then=g <= half)
    yield implies(*given, g <= half, then=n >= 100 * t)
    yield implies(*given, then=equal(n * g, 50 * t))


def alpha_range() -> Claim:
    """0 < alpha < 1 and 1 + alpha = E (1 - alpha); e for E, r = 1/(E + 1)."""
    (x,) = variables("x")
    a, e, r = variables("a e r")
    given = (e > 1, r > 0, equal(r * (e + 1), 1), equal(a, (e - 1) * r))
    return Claim.conjunction(
        positive_on({"x": _EPS}, (1, x), (-1, 0), strict=True),
        implies(*given, then=a > 0),
        implies(*given, then=a < 1),
        implies(*given, then=equal(1 + a, e * (1 - a))),
    )


def alpha_above(s: Fraction | int) -> Claim:
    """s (E - 1)^2 > eps^2 (E + 1)^2 on (0, 1]: tanh(eps/2) > eps/sqrt(s)."""
    (x,) = variables("x")
    return positive_on({"x": _EPS}, (s - x**2, 2 * x), (-2 * s - 2 * x**2, x), (s - x**2, 0), strict=True)


def _alpha_squared() -> Claim:
    """From 5 p^2 > q^2, p = E - 1, q = eps (E + 1): 5 alpha^2 > eps^2, and s alpha > eps.

    With r = 1/(E + 1): alpha = p r, eps = q r. z is sqrt(5) alpha.
    """
    a, x, p, q, r, z = variables("a x p q r z")
    return Claim.conjunction(
        implies(r > 0, 5 * p**2 > q**2, then=5 * (p * r) ** 2 > (q * r) ** 2),
        implies(z > 0, x > 0, z <= x, equal(z**2, 5 * a**2), then=5 * a**2 <= x**2),
    )


@decides("zsum-noise-level")
def noise_level() -> Iterator[Claim]:
    """Step 3: mu alpha = q >= 10 s Lambda/eps >= 10 s ln 2 >= 15.49; t = Lambda/eps, 50 t = mu eps."""
    a, m, x, s, lam, t, q = variables("a m x s lam t q")
    low = Fraction("2.236")
    yield below_ln_2()
    yield implies(s > 0, s <= low, then=s**2 < 5)
    yield implies(m > 0, s * a >= x, equal(m * x, 50 * t), then=s * a * m >= 50 * t)
    yield implies(s > 0, q >= 0, equal(s**2, 5), s * q >= 50 * t, then=q >= 10 * s * t)
    yield implies(x <= 1, t > 0, equal(t * x, lam), then=t >= lam)
    yield implies(s >= low, t >= LN_2, then=10 * s * t >= Fraction("15.49"))


# --- Steps 4 to 6 ---------------------------------------------------------------------------------------------------


def lemma3_one_step() -> Claim:
    """Step 4: the two ratios in the interval, with p = (1 + alpha) mu and q = (1 - alpha) mu, so that E = p/q.

    As gamma = mu/n, w(y)/w(y+1) < E is b (y+1) < e (n-y) with b = (n-mu) q, e = mu p, and w(y)/w(y-1) < E is
    e' (n-y+1) < f y with e' = mu q, f = (n-mu) p. Both follow from their cases y+1 = p and y-1 = q without the 1.
    """
    n, m, y, a, p, q, c, b, e, f = variables("n m y a p q c b e f")
    ends = (equal(p, (1 + a) * m), equal(q, (1 - a) * m))
    mean, wide = (p + q) / 2, (p > q, n >= p + q)
    return Claim.conjunction(
        implies(a < 1, m > 0, equal(q, (1 - a) * m), then=q > 0),
        implies(a > 0, m > 0, *ends, then=p > q),
        implies(n >= 2 * m, *ends, then=n >= p + q),
        implies(*wide, then=(n - mean) * q <= mean * (n - p)),
        implies(p > 0, c * q <= m * (n - p), then=(c * q) * p <= (m * p) * (n - p)),
        implies(b >= 0, e > 0, b * p <= e * (n - p), y + 1 <= p, then=b * (y + 1) < e * (n - y)),
        implies(*wide, then=mean * (n - q) <= (n - mean) * p),
        implies(q > 0, m * (n - q) <= c * p, then=(m * q) * (n - q) <= (c * p) * q),
        implies(e >= 0, f > 0, e * (n - q) <= f * q, y >= q + 1, then=e * (n - y + 1) < f * y),
        implies(q > 0, *wide, y + 1 <= p, then=y < n),
        implies(q > 0, y >= q + 1, then=y > 0),
        implies(*ends, a * m >= 2, y <= (1 + a / 2) * m, then=y + 1 <= p),
        implies(*ends, a * m >= 2, y >= (1 - a / 2) * m, then=y >= q + 1),
        upper_tail(),
        lower_tail(),
    )


def tail_exponents() -> Claim:
    """h^2/(2 + h) = alpha^2/(8 + 2 alpha) for h = alpha/2: z (2 + h) = h^2 iff z (8 + 2 alpha) = alpha^2."""
    a, h, z = variables("a h z")
    given = (a > 0, h > 0, z > 0, equal(2 * h, a))
    by_h, by_alpha = equal(z * (2 + h), h**2), equal(z * (8 + 2 * a), a**2)
    return Claim.conjunction(implies(*given, by_h, then=by_alpha), implies(*given, by_alpha, then=by_h))


@decides("zsum-delta-sum")
def delta_sum() -> Iterator[Claim]:
    """Step 5: with f = e^(X - first exponent) and g = e^(X - second one), both below 1, e^-X (f + g) < 2 e^-X."""
    a, m, z, x, d, f, g = variables("a m z x d f g")
    second = (z > 0, equal(z * (8 + 2 * a), a**2 * m))
    yield implies(a > 0, m > 0, then=a**2 * m / 8 > a**2 * m / 10)
    yield implies(*second, a < 1, then=z > a**2 * m / 10)
    yield positive_on({"d": Span(0, 1, False, True)}, (1, 0), (-1, -d), strict=True)
    yield implies(f > 0, f < 1, g > 0, g < 1, then=f * g < 1)
    yield implies(x > 0, f < 1, g < 1, then=x * f + x * g < 2 * x)


@decides("zsum-delta-level")
def delta_level() -> Iterator[Claim]:
    """Step 6: alpha^2 mu/10 >= eps^2 mu/50 = Lambda. And e^x does not fall, as 1 <= 1 + x <= e^x for x >= 0."""
    a, x, m, lam = variables("a x m lam")
    yield implies(m >= 0, 5 * a**2 >= x**2, then=a**2 * m / 10 >= x**2 * m / 50)
    yield implies(m >= 0, 5 * a**2 >= x**2, equal(m * x**2, 50 * lam), then=a**2 * m / 10 >= lam)
    yield exponential_above_line()


@decides("zsum-privacy", assuming=ASSUMED)
def privacy() -> Iterator[Claim]:
    """The theorem: steps 1 to 6."""
    yield least_users()
    yield alpha_range()
    yield alpha_above(5)
    yield _alpha_squared()
    yield noise_level()
    yield lemma3_one_step()
    yield tail_exponents()
    yield delta_sum()
    yield delta_level()


@decides("zsum-one-smooth")
def _one_smooth() -> Claim:
    return Claim.conjunction(lemma3_one_step(), tail_exponents(), assuming=ASSUMED[:3])


@decides("zsum-one-step-needs")
def _one_step() -> Iterator[Claim]:
    """k <= alpha gamma n/2 at k = 1; and where it fails, both exponents are below 1/4, and 2 e^(-1/4) > 1."""
    n, g, k, a, m, z, d = variables("n g k a m z d")
    quarter = Fraction(1, 4)
    yield implies(equal(k, 1), k <= a * g * n / 2, then=n * a * g >= 2)
    yield implies(equal(k, 1), n * a * g >= 2, then=k <= a * g * n / 2)
    yield implies(a > 0, a < 1, m > 0, a * m < 2, then=a**2 * m / 8 < quarter)
    yield implies(a > 0, z > 0, m > 0, equal(z * (8 + 2 * a), a**2 * m), then=z <= a**2 * m / 8)
    yield positive_on({"d": (0, quarter)}, (2, -d), (-1, 0), strict=True)


@decides("zsum-privacy-refined", assuming=ASSUMED)
def _refined() -> Iterator[Claim]:
    """mu alpha^2 = 10 Lambda: mu alpha >= 10 Lambda > 2, and both exponents of step 5 are above Lambda."""
    a, m, lam, e, r, x = variables("a m lam e r x")
    given = (e > 1, r > 0, equal(r * (e + 1), 1), equal(a, (e - 1) * r))
    yield implies(*given, then=a > 0)
    yield implies(*given, then=a < 1)
    yield implies(*given, then=equal(1 + a, e * (1 - a)))
    yield below_ln_2()
    yield implies(a > 0, a < 1, m > 0, lam >= LN_2, equal(m * a**2, 10 * lam), then=m * a > 2)
    yield lemma3_one_step()
    yield tail_exponents()
    yield delta_sum()
    yield implies(equal(m * a**2, 10 * lam), x > a**2 * m / 10, then=x > lam)


# --- The choice of sqrt(5) ------------------------------------------------------------------------------------------


@decides("zsum-sqrt5-criterion-printed")
def _alpha_positive_printed() -> Claim:
    """That alpha > 0 fails at some eps in (0, 1], as it would have to for s = 4."""
    (x,) = variables("x")
    return Claim.negation(positive_on({"x": _EPS}, (1, x), (-1, 0), strict=True))


@decides("zsum-sqrt5-reversed-printed")
def _reversed_printed() -> Claim:
    """eps^2 (E + 1)^2 >= 5 (E - 1)^2 on [0, 1]."""
    (x,) = variables("x")
    return positive_on({"x": (0, 1)}, (x**2 - 5, 2 * x), (2 * x**2 + 10, x), (x**2 - 5, 0))


@decides("zsum-sqrt4")
def _sqrt4() -> Claim:
    return alpha_above(4)


@decides("zsum-sqrt5-direction")
def _sqrt5_direction() -> Claim:
    return Claim.conjunction(alpha_range(), alpha_above(5), _alpha_squared())


@decides("zsum-sqrt5")
def _sqrt5() -> Claim:
    """s = 5 works; with s = 4 it fails at every eps, as 2 (E - 1) < eps (E + 1), and so with every smaller s.

    In the last part a and x are the squares of alpha and eps.
    """
    a, x, s, t = variables("a x s t")
    below = positive_on({"x": _EPS}, (x - 2, x), (x + 2, 0), strict=True)
    smaller = implies(a > 0, s <= t, t * a < x, then=s * a < x)
    return Claim.conjunction(alpha_above(5), below, smaller)


@decides("zsum-sqrt-threshold")
def _threshold() -> Claim:
    (x,) = variables("x")
    sinh_above_x = positive_on({"x": _EPS}, (1, x), (-1, -x), (-2 * x, 0), strict=True)
    return Claim.conjunction(alpha_above(_ABOVE), Claim.negation(alpha_above(_BELOW)), sinh_above_x)


@decides("zsum-ends")
def _eps_zero() -> Claim:
    """At eps = 0 no mu = gamma n has mu eps^2 = 50 Lambda > 0; with delta = 0 no finite eps is enough."""
    m, x, lam = variables("m x lam")
    impossible = implies(lam > 0, equal(x, 0), m >= 0, then=m * x**2 < 50 * lam)
    gammas = (Fraction(1, 8), Fraction(1, 3), Fraction(1, 2))
    never = (
        Claim.never_dp(ShuffleProtocol(zsum_randomizer(gamma=g), n), delta_below=(1 - g) ** n)
        for g in gammas
        for n in range(1, 9)
    )
    return Claim.conjunction(impossible, *never)

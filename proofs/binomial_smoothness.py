"""Lemma 3: the binomial law is smooth, with the step from products to alpha inequalities in full.

Statement. Let n >= 1, 0 < gamma <= 1/2, 0 < alpha < 1 and k an integer with 1 <= k <= alpha gamma n / 2. Then Bin(n,
gamma) is (eps, delta, k)-smooth with eps = ln((1 + alpha) / (1 - alpha)) and

    delta = e^(-alpha^2 gamma n / 8) + e^(-alpha^2 gamma n / (8 + 2 alpha)).

The notes print k <= alpha gamma / 2, which no k >= 1 satisfies, and closed ends of gamma and alpha, at which k, eps or
delta make no sense.

Proof. D(y) = P[Y = y], mu = gamma n, G = [(1 - alpha) mu + k, (1 + alpha) mu - k]. Polynomial steps hold for real n.

1. Ratios. D(y) gamma (n - y) = D(y+1) (1 - gamma) (y+1), because C(n,y) (n-y) = C(n,y+1) (y+1). So for k' >= 1

       D(y) / D(y+k')  = product over i = 1..k' of ((1-gamma) / gamma) (y+i) / (n-y-i+1),
       D(y) / D(y-k')  = product over i = 0..k'-1 of (gamma / (1-gamma)) (n-y+i+1) / (y-i).

2. Upwards, for y in G and 1 <= i <= k: y+i <= (1+alpha) mu, so that n-y-i+1 > 0 and the factor is below
   (1+alpha) (1-gamma) / (1-gamma-alpha gamma), which is at most (1+alpha) / (1-alpha), since gamma <= 1 - gamma.
3. Downwards, for y in G and 0 <= i <= k-1: y-i >= (1-alpha) mu + 1 > 0, so that the factor is below
   (1-gamma+alpha gamma) / ((1-gamma) (1-alpha)), which is at most (1+alpha) / (1-alpha).
4. A product of j >= 1 positive numbers below E is below E^j, by induction. So on G no ratio reaches e^(abs(k') eps).
5. G contains [(1-alpha/2) mu, (1+alpha/2) mu], because k <= alpha mu / 2. (This is all that the condition on k is for.)
6. Chernoff's bounds, for every h > 0, every h in (0, 1) below: P[Y >= (1+h) mu] <= e^(-h^2 mu / (2+h)) and
   P[Y <= (1-h) mu] <= e^(-h^2 mu / 2). By Markov's inequality and independence the first is at most
   (1+gamma h)^n (1+h)^(-(1+h) mu), the second (1-gamma h)^n (1-h)^(-(1-h) mu), and 1+x <= e^x. It remains that
   (1+h) ln(1+h) - h >= h^2/(2+h): with h = 2u/(2-u), 0 <= u < 2, this is u <= ln(1+h), or (2-u) e^u <= 2+u;
   (1-h) ln(1-h) + h >= h^2/2: with 1-h = e^-v, v >= 0, this is v <= sinh v; it passes from v to 2v.
7. P[ratio >= e^(abs(k') eps)] <= P[Y in G and ratio ...] + P[Y outside G] <= 0 + delta, with h = alpha/2 in 6.

Assumed: Markov's inequality, the mean of a product of independent variables, the union bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from exactdp import Binomial, Claim
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import equal, implies, positive_on, variables


def good_set(n: Any, gamma: Any, alpha: Any, k: Any) -> tuple[Any, Any]:
    """Return the ends of G, of numbers or of variables.

    >>> good_set(100, Fraction(1, 2), Fraction(1, 2), 1)
    (Fraction(26, 1), Fraction(74, 1))
    """
    return (1 - alpha) * gamma * n + k, (1 + alpha) * gamma * n - k


def _slack(gamma: Any, alpha: Any) -> Any:
    """(1-gamma-alpha gamma) - (1-gamma) (1-alpha), and alike downwards: where gamma <= 1/2 enters."""
    return alpha * (1 - 2 * gamma)


# --- Ratios of neighbouring probabilities ---------------------------------------------------------------------------


@decides("lemma3-ratio")
def _ratio() -> Iterator[Claim]:
    """Step 1, with D(y) = c w (1-gamma), D(y+1) = d w gamma and w = gamma^y (1-gamma)^(n-y-1)."""
    n, y, gamma, c, d, total, f, g, w = variables("n y gamma c d total f g w")
    factorials = (equal(c * g * (n - y) * f, total), equal(d * (y + 1) * g * f, total))
    yield implies(*factorials, then=equal(f * g * (c * (n - y) - d * (y + 1)), 0))
    yield implies(
        w * gamma * (1 - gamma) >= 0,
        equal(c * (n - y), d * (y + 1)),
        then=equal(c * w * (1 - gamma) * gamma * (n - y), d * w * gamma * (1 - gamma) * (y + 1)),
    )


@decides("lemma3-step-up")
def _upward() -> Iterator[Claim]:
    """Step 2."""
    n, gamma, alpha, y, i, k = variables("n gamma alpha y i k")
    _, last = good_set(n, gamma, alpha, k)
    mu = gamma * n
    domain = (gamma > 0, alpha > 0, alpha < 1, 2 * gamma <= 1)
    inside = (y >= 0, i >= 1, i <= k, y <= last)
    rest = n - y - i + 1
    sharp = 1 - gamma - alpha * gamma
    yield implies(*domain, then=(_slack(gamma, alpha) >= 0, sharp > 0, (1 - gamma) * (1 - alpha) <= sharp))
    yield implies(i <= k, y <= last, then=y + i <= (1 + alpha) * mu)
    yield implies(n > 0, sharp > 0, *inside[2:], then=rest > 0)
    yield implies(gamma > 0, alpha > 0, *inside[2:], then=(y + i) * sharp < (1 + alpha) * gamma * rest)
    yield implies(
        gamma > 0,
        alpha > 0,
        _slack(gamma, alpha) >= 0,
        *inside,
        then=(1 - alpha) * (1 - gamma) * (y + i) < (1 + alpha) * gamma * rest,
    )


@decides("lemma3-step-down")
def _downward() -> Iterator[Claim]:
    """Step 3."""
    n, gamma, alpha, y, i, k = variables("n gamma alpha y i k")
    first, _ = good_set(n, gamma, alpha, k)
    mu = gamma * n
    domain = (gamma > 0, alpha > 0, alpha < 1, 2 * gamma <= 1)
    inside = (i <= k - 1, y >= first)
    rest = n - y + i + 1
    sharp = 1 - gamma + alpha * gamma
    below = (1 - alpha) * gamma
    yield implies(*domain, then=(_slack(gamma, alpha) >= 0, below > 0, below < 1, sharp <= (1 + alpha) * (1 - gamma)))
    yield implies(*inside, then=y - i >= (1 - alpha) * mu + 1)
    yield implies(n > 0, below > 0, *inside, then=y - i > 0)
    yield implies(below < 1, *inside, then=below * rest < sharp * (y - i))
    yield implies(
        below < 1,
        _slack(gamma, alpha) >= 0,
        y - i > 0,
        *inside,
        then=(1 - alpha) * gamma * rest < (1 + alpha) * (1 - gamma) * (y - i),
    )


def _products() -> Claim:
    """Step 4: from r < b and a factor below E to r * factor < b E; r is the product, b = E^j."""
    r, b, factor, order = variables("r b factor E")
    return implies(r > 0, r < b, factor > 0, factor < order, then=r * factor < b * order)


# --- Where Y lies ---------------------------------------------------------------------------------------------------


@decides("lemma3-good-set")
def _contains() -> Iterator[Claim]:
    """Step 5; the window has half the width of [(1-alpha) mu, (1+alpha) mu]."""
    n, gamma, alpha, y, k = variables("n gamma alpha y k")
    first, last = good_set(n, gamma, alpha, k)
    mu = gamma * n
    half = alpha * mu / 2
    yield implies(k <= half, y >= mu - half, y <= mu + half, then=(y >= first, y <= last))
    yield implies(then=equal(2 * ((mu + half) - (mu - half)), (1 + alpha) * mu - (1 - alpha) * mu))


def _exponential() -> Iterator[Claim]:
    """1 + x <= e^x for every real x (e is e^x); its n-th power (a^n <= b^n to n + 1); e^-s falls in s."""
    (x,), (e, a, b, u, v, d, g) = variables("x"), variables("e a b u v d g")
    yield positive_on({"x": (-1, 1)}, (1, x), (-1 - x, 0))
    yield implies(e >= 1 + x, x >= 0, then=e * e >= 1 + 2 * x)
    yield implies(e > 0, x < -1, then=e > 1 + x)
    yield implies(a >= 0, b >= a, u >= 0, v >= u, then=b * v >= a * u)
    yield implies(a >= 0, d >= 0, g >= 1 + d, then=a * g >= a)


@decides("chernoff-upper", assuming=["markov", "independence"])
def _chernoff_upper() -> Iterator[Claim]:
    """Step 6 upwards: L is ln(1+h), and the last line has h = alpha/2."""
    u, h, log, mu, gain, alpha = variables("u h L mu gain alpha")
    yield from _exponential()
    yield positive_on({"u": (0, 2)}, (2 + u, 0), (u - 2, u))
    yield implies(h >= 0, log >= u, equal((2 + h) * u, 2 * h), then=(2 + h) * log >= 2 * h)
    yield implies(h >= 0, (2 + h) * log >= 2 * h, then=((1 + h) * log - h) * (2 + h) >= h * h)
    yield implies(mu >= 0, gain >= h, then=mu * gain >= mu * h)
    yield implies(
        alpha >= 0,
        (2 + alpha / 2) * log >= alpha,
        then=((1 + alpha / 2) * log - alpha / 2) * (8 + 2 * alpha) >= alpha * alpha,
    )


@decides("chernoff-lower", assuming=["markov", "independence"])
def _chernoff_lower() -> Iterator[Claim]:
    """Step 6 downwards: v is -ln(1-h), S = sinh v, C = cosh v; sinh 2v = 2 S C and cosh 2v = 1 + 2 S^2."""
    v, h, sinh, cosh, mu, gain, alpha = variables("v h S C mu gain alpha")
    yield from _exponential()
    yield positive_on({"v": (0, 1)}, (1, v), (-1, -v), (-2 * v, 0))
    yield positive_on({"v": (0, 1)}, (1, v), (1, -v), (-2, 0))
    yield implies(v >= 0, sinh >= v, cosh >= 1, then=2 * sinh * cosh >= 2 * v)
    yield implies(v >= 0, sinh >= v, then=1 + 2 * sinh * sinh >= 1)
    yield implies(h < 1, sinh >= v, equal(2 * (1 - h) * sinh, 1 - (1 - h) ** 2), then=h - (1 - h) * v >= h * h / 2)
    yield implies(mu >= 0, gain >= h, then=mu * gain >= mu * h)
    yield implies(then=equal((alpha / 2) ** 2 / 2, alpha * alpha / 8))


@decides("lemma3-outside", assuming=["markov", "independence", "union"])
def _outside() -> Iterator[Claim]:
    """Steps 5 and 6: what lies outside G lies outside the window."""
    n, gamma, alpha, y, k = variables("n gamma alpha y k")
    first, last = good_set(n, gamma, alpha, k)
    mu = gamma * n
    low, high, both, a, b = variables("low high both a b")
    union = implies(both <= low + high, low <= a, high <= b, then=both <= a + b)
    window = (k <= alpha * mu / 2,)
    yield _chernoff_upper()
    yield _chernoff_lower()
    yield implies(*window, y < first, then=y < (1 - alpha / 2) * mu)
    yield implies(*window, y > last, then=y > (1 + alpha / 2) * mu)
    yield union


@decides("lemma3-total-probability")
def _total_probability() -> Iterator[Claim]:
    """Step 7: a = P[A and Y in G] = c P[Y in G] with c = P[A | Y in G], b = P[A and Y outside G] <= P[Y outside G]."""
    a, b, c, inside, outside, delta = variables("a b c inside outside delta")
    given = (equal(a, c * inside), c >= 0, inside <= 1, b <= outside)
    yield implies(*given, then=a + b <= c + outside)
    yield implies(equal(a, 0), b <= outside, outside <= delta, then=a + b <= delta)
    yield _upward()
    yield _downward()
    yield _products()


@decides("lemma3", assuming=["markov", "independence", "union"])
def _lemma() -> Iterator[Claim]:
    yield _ratio()
    yield _contains()
    yield _total_probability()
    yield _outside()


# --- The ends of the parameters ------------------------------------------------------------------------------------


@decides("lemma3-ends")
def _ends() -> Iterator[Claim]:
    """At the closed ends: no k, no eps, or a delta of 2; inside them e^eps is above 1; gamma = 3/4 is too large.

    Bin(18, 3/4) has a smaller delta for alpha = 9/10 and k = 6 than the last two lines say.
    """
    n, gamma, alpha, k, x, order = variables("n gamma alpha k x E")
    large, wide, less = Fraction(3, 4), Fraction(9, 10), Fraction(6, 10)
    ends = [(alpha * gamma * n / 2).subs(end, 0) for end in (alpha, gamma)]
    yield implies(alpha > 0, alpha < 1, order > 0, equal(order * (1 - alpha), 1 + alpha), then=order > 1)
    yield Claim.negation(implies(alpha >= 0, alpha <= 1, then=1 - alpha > 0))
    yield from (implies(k >= 1, then=k > end) for end in ends)
    yield positive_on({"x": (0, 1)}, (1, 0 * x), (1, 0 * x), (-2, 0))
    yield Claim.negation(Claim.smooth(Binomial(18, large), k=6, exp_eps=(1 + wide) / (1 - wide), delta=less))
    yield positive_on({"x": (0, 1)}, (less, 0), *((-1, e + 0 * x) for e in exponents(18, large, wide)))


def exponents(n: int, gamma: Fraction, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """Return the two exponents of Lemma 3's delta = e^first + e^second.

    >>> exponents(100, Fraction(1, 2), Fraction(1, 2))
    (Fraction(-25, 16), Fraction(-25, 18))
    """
    return -(alpha**2) * gamma * n / 8, -(alpha**2) * gamma * n / (8 + 2 * alpha)


@decides("lemma3-reach-is-void")
def _reach() -> Claim:
    """No k >= 1 satisfies what is printed."""
    gamma, alpha, k = variables("gamma alpha k")
    return implies(alpha > 0, alpha < 1, gamma > 0, 2 * gamma <= 1, k >= 1, then=k > alpha * gamma / 2)


@decides("lemma3-as-printed")
def _void() -> Claim:
    """Above 1 no k is in reach, and from 0 down no k' has 1 <= k' <= k."""
    k = variables("k")
    k, step = variables("k step")
    return Claim.conjunction(_reach(), implies(k <= 0, step >= 1, then=step > k))

"""Binary sums by randomized response: the estimate, its error, and the privacy theorem for both branches of lambda.

Statement. n users hold bits x_i with the sum s. With probability lambda/n, 0 <= lambda < n, a user sends a fair coin,
else his bit; the estimate is T = (n/(n-lambda)) (sum y - lambda/2). Let f = lambda/(2n) and x = 1 - lambda/n.

1. E[T] = s, and Var[T] = (n/(n-lambda))^2 n f (1-f), where n f (1-f) = (lambda/2) (1 - lambda/(2n)).
2. With l = ln(2/beta), 0 < beta < 1: if lambda >= 8 l/9, then abs(T - s) <= (n/(n-lambda)) sqrt(2 lambda l) with
   probability at least 1 - beta.
3. Let eps > 0, alpha = tanh(eps/2), t = alpha/x. If t >= 1, the protocol is eps-DP. If t < 1, it is
   (eps, delta)-DP with delta = 2 x e^(2t) exp(-(n-1) (1-x) (1 - e^(-t^2/2))), and the same with alpha in place of t.
4. Let 0 < eps <= 1, 0 < delta < 1, L = ln(4/delta). It is (eps, delta)-DP if 64 L/eps^2 <= lambda <= n/3, and if
   eps <= sqrt(192 L/n) and lambda = n - eps n^(3/2) / sqrt(432 L).
5. If lambda > 0, then T < 0 and T > n with positive probability. With K ones among the answers y, K/n is a most likely
   P[y_i = 1] in [0, 1]; T/n, or the nearer of 0 and 1, is a most likely P[x_i = 1], if that is the same for all
   users; and y is the most likely data set if the bits are fixed.

Proof. 1: y_i is a bit with the mean m_i = x x_i + lambda/(2n); sum up user by user. m (1-m) = f (1-f) for x_i^2 = x_i.
2: the centred y_i has, up to its sign, the moment generating function e^(-hf) (1 + f (e^h - 1)) at h; by 1 + z <= e^z
it and that of -y_i are at most exp(f (e^h - 1 - h)), as e^h - e^-h >= 2h. With v = n f, l = v r^2 and e^h = 1 + 2r (so
h <= 7/5) Markov's inequality at 2 v r gives exp(v (2r - h - 2rh)) <= exp(-v r^2) = beta/2 for either tail.
3: reveal who of the others tossed a coin, and the bits of the rest: by post-processing that only helps to tell the data
sets apart. What is left is the one message plus the sum B ~ Bin(s, 1/2) of the s coins. Let a, b be the probabilities
of B = j and B + 1 = j. Then P = ((1+x) a + (1-x) b)/2, Q = ((1-x) a + (1+x) b)/2. With e^eps = (1+tx)/(1-tx) the excess
(1-tx) (P - e^eps Q) is x ((1-t) a - (1+t) b). It is at most 0 if t >= 1, and on the window abs(j - s/2) <= u =
ts/2 - 1, where a/b is at most (1+t)/(1-t); elsewhere P - e^eps Q <= x a. The window of alpha does as well, as x <= 1.
The other order is the mirror image. P[abs(B - s/2) > u] <= 2 e^(-2u^2/s) <= 2 e^(2t) e^(-t^2 s/2): the moment
generating function is cosh(h/2)^s <= e^(h^2 s/8), coefficient by coefficient, and h = 4u/s. If u < 0 the bound is at
least 1. The mean of q^s, q = e^(-t^2/2), over s ~ Bin(n-1, 1-x) is (1 - (1-x) (1-q))^(n-1), and 1 - z <= e^-z.
4: tanh(eps/2) >= 9 eps/20, 1 - e^-y >= 3y/4 for y <= 1/2, and L > 1 as 4 > e. The exponent M (1-q), M = (n-1) (1-x), is
at least 24 L/5 in the first branch, where n > 192 and t <= 3/4, and 10 L in the second one, where x <= 2/3 and n > 87
unless t >= 1. The published second branch asks for eps > sqrt(3456) L/n as well; that is not needed.
5: all answers can be 0, and then n T is -lambda/2 times a positive number; and so for 1. A string with K ones has the
probability L(q) = q^K (1-q)^(n-K); by 1 + z <= e^z, L(q)/L(r) is at most e^w with w = K (q-r)/r + (n-K) (r-q)/(1-r), so
at most 1 if (q-r) (K - n r) <= 0. P[y_i = 1] is between f and 1 - f, and is K/n at T/n. An answer is right with the
probability 1 - f > 1/2.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from exactdp import Binomial, Claim, ShuffleProtocol
from exactdp.errors import InvalidValueError
from exactdp.proofs.least import searched_over
from exactdp.proofs.row_files import decides
from exactdp.proofs.steps import at_least, equal, implies, positive_on, variables
from exactdp.protocols import k_ary
from exactdp.studies.counterexamples.search import Rationals


def _cancel() -> Claim:
    """A positive factor cancels: from y > 0 and y p <= y q follows p <= q; else the hypotheses contradict each other.

    Steps below keep such factors.
    """
    y, p, q = variables("y p q")
    return implies(
        y > 0, y * p <= y * q, p > q, then=at_least(0, 0, strict=True)
    )  # the hypotheses contradict each other


# --- 1 and 2: the estimate ------------------------------------------------------------------------------------------


@decides("rr-sum-unbiased")
def _unbiased() -> Claim:
    """m is one user's mean, e and s the sums over j users; then the estimate T from the mean of all n."""
    n, lam, s, e, j, m, x, t = variables("n lam s e j m x T")
    one = equal(n * m, (n - lam) * x + lam / 2)
    so_far = equal(n * e, (n - lam) * s + j * lam / 2)
    step = implies(one, so_far, then=equal(n * (e + m), (n - lam) * (s + x) + (j + 1) * lam / 2))
    whole = (equal(n * e, (n - lam) * s + n * lam / 2), equal((n - lam) * t, n * (e - lam / 2)))
    return Claim.conjunction(step, implies(*whole, then=equal((n - lam) * t, (n - lam) * s)), _cancel())


@decides("rr-sum-variance", assuming=["independence"])
def _variance() -> Iterator[Claim]:
    """m (1-m) = f (1-f) for m = f + (1-2f) x with a bit x, and n f (1-f) = (lambda/2) (1 - lambda/(2n))."""
    x, f, n, lam, v = variables("x f n lam v")
    m = f + (1 - 2 * f) * x
    yield implies(equal(x * x, x), 2 * f <= 1, then=equal(m * (1 - m), f * (1 - f)))
    total = (equal(lam, 2 * n * f), equal(v, n * f * (1 - f)), n >= 0, lam >= 0, f >= 0)
    yield implies(*total, then=equal(4 * n * v, lam * (2 * n - lam)))


def _product_step() -> Claim:
    """One factor more keeps a product of bounds: from 0 <= m <= g and 0 <= M <= G follows m M <= g G."""
    m, g, big_m, big_g = variables("m g M G")
    return implies(m >= 0, m <= g, big_m >= 0, big_m <= big_g, then=m * big_m <= g * big_g)


@decides("rr-sum-accuracy", assuming=["markov", "independence", "union"])
def _accuracy() -> Iterator[Claim]:
    """v is lambda/2 = n f, and l = v r^2 is ln(2/beta)."""
    z, h, f, g, r, v, log, tail = variables("z h f g r v l tail")
    highest = Fraction(7, 5)
    half, quarter = Fraction(1, 2), Fraction(-1, 4)
    yield positive_on({"z": (-1, 2)}, (1, z), (-1 - z, 0))
    yield positive_on({"h": (0, highest)}, (1, h), (-1, -h), (-2 * h, 0))
    yield positive_on({"h": (0, highest)}, (5, 0), (-1, h), strict=True)
    yield implies(f >= 0, 2 * f <= 1, g >= 1, g <= 5, then=f * (g - 1) <= 2)
    yield implies(f >= 0, 2 * f <= 1, g >= 0, then=f * (g - 1) >= -1)
    yield _product_step()
    # e^h = 1 + 2r: the exponent v (e^h - 1 - h) - 2 v r h is at most -v r^2, for 0 <= r <= 3/2.
    yield positive_on({"h": (0, highest)}, (h + half, h), (-1, h), (1 + quarter, 0), (quarter, 2 * h))
    yield implies(v >= 0, (1 + 2 * r) * h - 2 * r >= r**2, then=v * (2 * r - h) - 2 * v * r * h <= -v * r**2)
    yield implies(equal(log, v * r**2), 9 * v >= 4 * log, then=v * 9 >= v * 4 * r**2)
    yield implies(4 * r**2 <= 9, 2 * r > 3, then=at_least(0, 0, strict=True))
    yield positive_on({"h": (0, 1)}, (-4, 0), (1, highest), strict=True)
    yield implies(
        equal(log, v * r**2), equal(tail, 2 * v * r), tail >= 0, v >= 0, r >= 0, then=equal(tail**2, 4 * v * log)
    )
    yield _cancel()


# --- 3: privacy -----------------------------------------------------------------------------------------------------


def _excess() -> Iterator[Claim]:
    """(1-tx) (P - e^eps Q) = x ((1-t) a - (1+t) b), where it is not positive, and at most x (1-tx) a elsewhere."""
    x, t, a, b, y = variables("x t a b y")
    p, q = ((1 + x) * a + (1 - x) * b) / 2, ((1 - x) * a + (1 + x) * b) / 2
    no_excess = (1 + t * x) * q >= (1 - t * x) * p
    yield implies(x >= 0, (1 + t) * b >= (1 - t) * a, then=no_excess)
    yield implies(t >= 1, a >= 0, b >= 0, then=(1 + t) * b >= (1 - t) * a)
    yield implies(x >= 0, t >= 0, b >= 0, then=(1 - t * x) * p - (1 + t * x) * q <= x * (1 - t) * a)
    yield implies(t >= 0, x <= 1, y >= 0, then=y * (1 - t) <= y * (1 - t * x))


def _plain_excess() -> Iterator[Claim]:
    """The same with alpha in place of t, r for alpha: as x <= 1, the window of alpha is enough."""
    x, r, a, b, c = variables("x r a b c")
    p, q = ((1 + x) * a + (1 - x) * b) / 2, ((1 - x) * a + (1 + x) * b) / 2
    shared = r * (a + b) * (1 - x) >= 0
    yield implies(r >= 0, c >= 0, x <= 1, then=r * c * (1 - x) >= 0)
    yield implies(x >= 0, shared, (1 + r) * b >= (1 - r) * a, then=(1 + r) * q >= (1 - r) * p)
    yield implies(x >= 0, r >= 0, b >= 0, shared, then=(1 - r) * p - (1 + r) * q <= x * (1 - r) * a)


def _window() -> Iterator[Claim]:
    """Ratios of Bin(s, 1/2) at j: j w(j) = (s-j+1) w(j-1) and (s-j) w(j) = (j+1) w(j+1), written w and w1."""
    s, j, w, w1, t = variables("s j w w1 t")
    low, high = 2 * j >= s * (1 - t) + 2, 2 * j <= s * (1 + t) - 2
    rest = (t <= 1, t >= 0, w1 >= 0)
    down, up = equal(j * w, (s - j + 1) * w1), equal((s - j) * w, (j + 1) * w1)
    yield implies(low, t <= 1, s >= 0, then=j > 0)
    yield implies(high, t <= 1, s >= 0, then=j < s)
    yield implies(down, low, *rest, then=j * (1 - t) * w <= j * (1 + t) * w1)
    yield implies(up, high, *rest, then=(s - j) * (1 - t) * w <= (s - j) * (1 + t) * w1)
    yield _cancel()


def _tail() -> Iterator[Claim]:
    """P[abs(B - s/2) > u] <= 2 e^z, s z = -2 u^2, and z <= 2t - t^2 s/2 for u = ts/2 - 1."""
    k, c, d, h, s, u, z, t = variables("k c d h s u z t")
    exponent = (equal(z, h * h * s / 8 - h * u), equal(h * s, 4 * u), s >= 0)
    # The next coefficients c of cosh y and d of e^(y^2/2), where the present ones are in order.
    yield implies((2 * k + 1) * (2 * k + 2) * c <= 2 * (k + 1) * d, k >= 0, c >= 0, then=(k + 1) * c <= (k + 1) * d)
    yield _product_step()
    yield implies(*exponent, then=equal(s * z, -2 * u * u))
    yield implies(equal(s * z, -2 * (t * s / 2 - 1) ** 2), then=s * z <= s * (2 * t - t * t * s / 2))
    yield implies(t * s <= 2, t >= 0, s >= 0, then=2 * t - t * t * s / 2 >= 0)


def _mean_over_coins() -> Iterator[Claim]:
    """The mean t of q^s with one user more, where b bounds t and y is (1-x) q; then 1 - z <= e^-z."""
    x, q, z, t, b, y = variables("x q z t b y")
    yield implies(x >= 0, y >= 0, b - t >= 0, then=x * t + y * t <= b * (x + y))
    yield implies(x >= 0, x <= 1, q >= 0, q <= 1, then=((1 - x) * (1 - q) >= 0, (1 - x) * (1 - q) <= 1))
    yield positive_on({"z": (0, 1)}, (1, -z), (z - 1, 0))


_FACTS: Final = ("markov", "independence", "union", "post-processing", "monotone-convergence")
"""What both bounds assume."""


@decides("rr-sum-privacy", assuming=_FACTS)
def _bound() -> Iterator[Claim]:
    yield from (*_excess(), *_window(), *_tail(), *_mean_over_coins())


@decides("rr-sum-privacy-plain", assuming=_FACTS)
def _plain_bound() -> Iterator[Claim]:
    yield from (*_plain_excess(), *_window(), *_tail(), *_mean_over_coins())


# --- 4: the two branches --------------------------------------------------------------------------------------------


def _constants() -> Iterator[Claim]:
    """9 eps/20 <= tanh(eps/2) <= 1/2 for eps <= 1, 1 - e^-y >= 3y/4, L > 1; w stands for e^eps."""
    e, y, al, w = variables("eps y alpha w")
    tanh = equal(al * (w + 1), w - 1)
    yield positive_on({"eps": (0, 1)}, (20 - 9 * e, e), (-20 - 9 * e, 0))
    yield implies(tanh, 20 * (w - 1) >= 9 * e * (w + 1), then=(w + 1) * 20 * al >= (w + 1) * 9 * e)
    yield positive_on({"y": (0, 1)}, (3, 0), (-1, y))
    yield implies(tanh, w <= 3, then=(w + 1) * 2 * al <= w + 1)
    yield positive_on({"y": (0, Fraction(1, 2))}, (1 - 3 * y / 4, 0), (-1, -y))
    yield positive_on({"y": (0, 1)}, (4, 0), (-1, 1), strict=True)


def _last_step() -> Iterator[Claim]:
    """The bound is 2 x W d/4 with W = e^(2t - G + L), d = delta: at most d where W <= 1.

    G = M (1-q), where 8 (1-q) >= 3 t^2.
    """
    x, d, big_w, m, q, t = variables("x d W M q t")
    yield implies(x >= 0, x <= 1, big_w >= 0, then=x * big_w <= big_w)
    yield implies(x * big_w <= big_w, big_w <= 1, d >= 0, then=2 * x * big_w * d <= 4 * d)
    yield implies(m >= 0, 8 * (1 - q) >= 3 * t * t, then=8 * m * (1 - q) >= 3 * m * t * t)


@decides("rr-sum-first-branch", assuming=["taylor"])
def _first_branch() -> Iterator[Claim]:
    """From 3: alpha is t x; M = (n-1) (1-x) = (n-1) lambda/n."""
    n, lam, e, big_l, m, t, x, g = variables("n lam eps L M t x G")
    enough = lam * e**2 >= 64 * big_l
    yield from _constants()
    yield implies(lam >= 0, e >= 0, e <= 1, then=lam * e**2 <= lam)
    yield implies(lam * e**2 <= lam, enough, 3 * lam <= n, big_l > 1, then=n > 192)
    yield implies(2 * t * x <= 1, 3 * x >= 2, t >= 0, then=4 * t <= 3)
    yield implies(20 * t * x >= 9 * e, x <= 1, t >= 0, then=20 * t >= 9 * e)
    yield implies(equal(n * m, (n - 1) * lam), lam >= 0, n > 192, then=192 * n * m >= 191 * n * lam)
    yield implies(t >= 0, 192 * m >= 191 * lam, then=192 * m * t**2 >= 191 * lam * t**2)
    yield implies(e >= 0, 20 * t >= 9 * e, lam >= 0, then=400 * lam * t**2 >= 81 * lam * e**2)
    yield implies(
        192 * m * t**2 >= 191 * lam * t**2,
        400 * lam * t**2 >= 81 * lam * e**2,
        enough,
        big_l >= 0,
        8 * g >= 3 * m * t**2,
        then=5 * g >= 24 * big_l,
    )
    yield implies(5 * g >= 24 * big_l, 4 * t <= 3, big_l > 1, then=2 * t - g + big_l < 0)
    yield from _last_step()


@decides("rr-sum-second-branch", assuming=["taylor"])
def _second_branch() -> Iterator[Claim]:
    """From 3: lambda = n (1-x), so that 432 L x^2 = eps^2 n; alpha is t x, and M = (n-1) (1-x)."""
    n, e, big_l, m, t, x, g = variables("n eps L M t x G")
    weight = equal(432 * big_l * x**2, e**2 * n)
    amount = 400 * n * t**2 >= 81 * 432 * big_l
    yield from _constants()
    yield implies(weight, e**2 * n <= 192 * big_l, then=big_l * 9 * x**2 <= big_l * 4)
    yield implies(9 * x**2 <= 4, 3 * x > 2, then=at_least(0, 0, strict=True))
    yield implies(e >= 0, 20 * t * x >= 9 * e, then=400 * (t * x) ** 2 >= 81 * e**2)
    yield implies(n >= 0, 400 * (t * x) ** 2 >= 81 * e**2, then=400 * n * (t * x) ** 2 >= 81 * n * e**2)
    yield implies(
        weight, 400 * n * (t * x) ** 2 >= 81 * n * e**2, then=x**2 * 400 * n * t**2 >= x**2 * 81 * 432 * big_l
    )
    yield implies(x > 0, then=x**2 > 0)
    yield implies(t >= 0, t <= 1, n >= 0, then=n * t**2 <= n)
    yield implies(n * t**2 <= n, amount, big_l > 1, then=n > 87)
    yield implies(n > 87, 3 * x <= 2, then=261 * (n - 1) * (1 - x) >= 86 * n)
    yield implies(261 * m >= 86 * n, t >= 0, then=261 * m * t**2 >= 86 * n * t**2)
    yield implies(261 * m * t**2 >= 86 * n * t**2, amount, 8 * g >= 3 * m * t**2, big_l >= 0, then=g >= 10 * big_l)
    yield implies(g >= 10 * big_l, t <= 1, big_l > 1, then=2 * t - g + big_l < 0)
    yield from _last_step()


# --- What the printed equations and the printed equivalence say ------------------------------------------------------


def _summation(n: int, share: Fraction) -> ShuffleProtocol:
    """n users with lambda = n * share, and the estimate of the sum."""
    return k_ary(n, 2, gamma=share)


@searched_over(n=range(1, 3), ones=range(3), lam=Rationals(0, 2, 4))
def least_error(n: int, ones: int, lam: Fraction) -> bool:
    """The first n, sum and lambda at which the estimate is not always the sum."""
    if ones > n or lam >= n:
        raise InvalidValueError(f"ones={ones}, lam={lam} is outside the statement. Pass ones <= n, lam < n.")
    protocol = _summation(n, lam / n)
    return all(protocol.estimate(counts) == ones for counts in protocol.law({0: n - ones, 1: ones}))


@decides("rr-sum-equation")
def _equation() -> Claim:
    n, ones, lam = least_error().at("n", "ones", "lam")
    data_set, values = {0: n - ones, 1: ones}, {0: 0, 1: 1}
    protocol = _summation(n, lam / n)
    return Claim.accuracy(protocol, alpha=0, beta=0, dataset=data_set, values=values)


# --- 5: likelihood --------------------------------------------------------------------------------------------------


@decides("rr-sum-range")
def _out_of_range() -> Iterator[Claim]:
    """T at K = 0 and K = n; then n = 10 users who hold 0, lambda = 2: no answer is 1 with probability (9/10)^10."""
    n, lam, t = variables("n lam T")
    for ones, beyond in ((0, 0), (n, n)):
        estimate = equal((n - lam) * t, n * (ones - lam / 2))
        sign = -1 if ones == 0 else 1
        yield implies(n >= 1, lam > 0, estimate, then=sign * (n - lam) * (t - beyond) > 0)
    yield Claim.tail(Binomial(10, "1/10"), high=0, at_least=Fraction(9, 10) ** 10)


@decides("rr-sum-likelihood", assuming=["taylor"])
def _most_likely() -> Iterator[Claim]:
    """The exponent w of L(q)/L(r), times r (1-r); where it is not positive; and P[y_i = 1] for a share of bits."""
    n, k, q, r, f, lam, share = variables("n k q r f lam share")
    exponent = k * (q - r) * (1 - r) + (n - k) * (r - q) * r
    yield implies(then=equal(exponent, (q - r) * (k - n * r)))
    for order in ((q <= r, n * r <= k), (q >= r, n * r >= k)):
        yield implies(*order, then=exponent <= 0)
    one = f + (1 - 2 * f) * share
    yield implies(share >= 0, equal(2 * n * f, lam), then=equal(2 * n * one, lam + 2 * (n - lam) * share))
    yield implies(2 * f < 1, share >= 0, share <= 1, then=(one >= f, one <= 1 - f))

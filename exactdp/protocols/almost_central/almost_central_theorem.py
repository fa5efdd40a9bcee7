"""Sums of integers from 0 to Delta in almost one message: the constants, and why they are enough.

Let eps > 0, 0 < delta <= 1, 0 < g < 1, e* = (1-g) eps, e1 = e2 = min(1, g eps) / 2. The noise of all users together is
G1, G2 geometric of ratio e^(-e*/Delta), W = NB(r1, e^(-e1/(5 Delta))) + NB(r2, e^(-e2/(10 t_1))) with the shape
r1 = 3 (1 + ln(2/delta)), and Z_i = NB(r2, e^(-e2/(10 t_i))) for 2 <= abs(i) <= Delta with the shape
r2 = 3 (1 + ln(2 (2 Delta - 1) / delta)), where t_i = ceil(Gamma / abs(i)). Let S be the largest sum over abs(i) >= 2
of abs(i c_i(x)), x <= Delta (:mod:`exactdp.protocols.almost_central.zero_sum_views`). As printed in public code,
Gamma = Delta (ceil(ln Delta) + 1), which is below S at Delta = 17 and from Delta = 65 on. It is enough, by the theorem;
here Gamma is the larger one of that and S. Lemma and theorem are proved in Coq (proofs/coq/survey/almost_central.v).

**Lemma.** Let Z ~ NB(r, p) with r >= 3 (1 + ln(1/b)), 0 < b <= 1, and p >= e^(-3h/10), and let d be an integer,
1 <= d <= T, where h T <= 1/2. Then H_E(Z || Z+d) <= b and H_E(Z+d || Z) = 0 for E = e^(d h). *Proof.* It is enough to
show it for p = e^(-3h/10), because a larger p is the lemma for a smaller h. With w the weights,
w(s) / w(s-1) = p (r+s-1) / s falls in s, to p. It is at most e^h from a = p (r-1) / (e^h - p) on, so w(t) / w(t-d) <= E
for t >= a + d - 1, and the first divergence is at most P[Z < a + d]. With u = e^(3h/10) and v = 1 / (u-1) = E[Z] / r:
a <= r v (u-1) / (u^(13/3) - 1) <= 3 r v / 13, and, because u - 1 <= (3h/10) e^(3/20), v >= (20 T / 3) e^(-3/20) and so
3 v >= 17 T: r v >= 17 d. So a + d <= c r v, c = 3/13 + 1/17, and Chernoff's bound is e^(r f), where
f = ln(q) + c v ln(q/c), q = (1 + c v) / (1 + v), falls in v, as its derivative is c (1 - q/c + ln(q/c)), and is below
-1/3 at v = 17/3: r f <= -(1 + ln(1/b)) <= ln(b). In the other order w(t-d) / w(t) <= p^-d = e^(3dh/10) <= E. QED.

**Theorem.** The sum is (eps, delta)-DP at every n and Delta, if Gamma >= 2S/3. *Proof.* By
:mod:`exactdp.protocols.almost_central.zero_sum_views` the losses of a user's change from x to y are those of D moved by
k = y - x, of M moved by an integer between -Delta and Delta that D determines, and of the Z_i moved by d_i = c_i(y) -
c_i(x), all independent. D's is at most abs(k) e*/Delta <= e*. M is NB(r1, e^(-e1/(5 Delta))) plus independent noise: by
the lemma with h = e1/Delta, T = Delta, b = delta/2 its divergence is at most delta/2 at e^e1. For Z_i take h = e2/(3
t_i), T = 3 t_i / 2 and b = delta / (2 (2 Delta - 1)): abs(d_i) <= T, because c_i(x) and c_i(y) have one sign and abs(i
c_i) <= S <= 3 Gamma / 2. The sum of abs(d_i) e2/(3 t_i) is at most e2/(3 Gamma) times the sums of abs(i c_i(x)) and of
abs(i c_i(y)), at most e2. Composition adds up to e* + e1 + e2 <= eps and delta/2 + (2 Delta - 2) delta / (2 (2 Delta -
1)) <= delta. QED.

*The printed width* is at least 2S/3. x is written by halving it again and again: the numbers after j halvings add up to
x in absolute value, and none is above 1 once 2^j >= x. So S <= Delta ceil(log2 Delta) <= Delta (ln Delta / ln 2 + 1),
which is at most 3/2 Delta (ceil(ln Delta) + 1), because ln 2 >= 2/3.

Source: GhaziKumarManurangsiPaghSinha2021, section 3 (of the protocol and of the form of its constants, through public
code, while the theorem and its proof are this page's).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.numbers.balls import compare_reals, floor_real
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.protocols.almost_central.zero_sum_views import spread


@dataclass(frozen=True, slots=True)
class AlmostCentralNoise:
    """The parameters of a sum in almost one message, of all users together.

    Args:
        p: ratio of the noise of the messages +1, and of that of -1.
        common: (shape, ratio) of each part of the number of pairs {1, -1}.
        multisets: (shape, ratio) of the multisets of i and of -i, for i = 2, ..., bound.
    """

    p: Real
    common: tuple[tuple[Real, Real], ...]
    multisets: tuple[tuple[Real, Real], ...]


def almost_central_noise(
    bound: int, *, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2"
) -> AlmostCentralNoise:
    """Return the constants of the theorem for (eps, delta)-DP, proved in the module docstring.

    Args:
        bound: Delta, the largest input, an integer of at least 1.
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        share: of eps, what is left for the noise that cancels: more of it sends fewer messages, and errs more.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> almost_central_noise(1, eps=1, delta="1/50").common[0]
    (Real[3 (1 + ln(100))], Real[e^(-1/20)])

    Source: GhaziKumarManurangsiPaghSinha2021, section 3.
    """
    theorem = NamedTheorem("The theorem of almost central sums")
    target = theorem.read_target(eps=eps, delta=delta, largest_eps=None)
    part, most = as_fraction(share, name="share"), as_integer(bound, name="bound", at_least=1)
    theorem.require(0 < part < 1, "0 < share < 1", f"share={short(part)}", "Pass share between 0 and 1.")
    cancelling = part * target.eps
    each = (Real(1) if compare_reals(cancelling, Fraction(1)) > 0 else cancelling) / 2
    width = reach(most)
    sides = [-(-width // i) for i in range(1, most + 1)]
    first, other = (3 * (1 + Real.log(times / target.delta)) for times in (2, 2 * (2 * most - 1)))
    ratios = [Real.exp(0 - each / (10 * side)) for side in sides]
    return AlmostCentralNoise(
        Real.exp(0 - (1 - part) * target.eps / most),
        ((first, Real.exp(0 - each / (5 * most))), (other, ratios[0])),
        tuple((other, ratio) for ratio in ratios[1:]),
    )


def reach(bound: int) -> int:
    """Return Gamma: bound (ceil(ln bound) + 1) as printed, or S, if that is more.

    >>> reach(1), reach(16), reach(17)
    (1, 64, 70)
    """
    logarithm = 0 if bound == 1 else floor_real(Real.log(bound)) + 1
    return max(bound * (logarithm + 1), spread(bound))

"""How many uniform messages are enough: the theorem of flooding with Poisson numbers.

Each of n users sends a Poisson number of mean m of messages that are uniform over d bins. Let lambda = n m/d, E = e^eps
and t = tanh(eps/2). Who moves from one bin to another takes A + 1 and B messages there to A and B + 1, A and B
independent Poisson numbers of mean lambda. The chance of (i, j) in the first case is i/j times that in the second, so
for every s > 0 at most

    P[A + 1 > E B] <= e^s E[e^(s A)] E[e^(-s E B)] = exp(s + lambda (e^s + e^(-s E) - 2))

is lost. For s = t (1 - t) is s E = t (1 + t), and e^s + e^(-s E) = 2 e^(-t^2) cosh t <= 2 e^(-t^2/2), which is at most
2 - t^2 (1 - t^2/4). So it is (eps, delta)-DP where lambda t^2 (1 - t^2/4) >= ln(1/delta) + t (1 - t): row
flooding-frequencies of the ledger.

Source: LiLiuFengHuangHuLiuRenQin2020, the protocol pureDUMP (of a fixed number, while the theorem is this package's).
"""

from __future__ import annotations

from fractions import Fraction

from exactdp.evidence.theorems import relies_on
from exactdp.laws.poisson import Poisson
from exactdp.mechanisms.family import read_inputs
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.exact import Exact
from exactdp.numbers.real import Real
from exactdp.privacy.hypotheses import NamedTheorem
from exactdp.protocols.counting.counting_protocol import rounded_up
from exactdp.protocols.flooded.flooding_protocol import Flooding, flooding


@relies_on("flooding.flooding_private")
def flooding_from_theorem(n: int, d: int, *, eps: Exact | LogRational, delta: Exact) -> Flooding:
    """Return flooding with Poisson numbers of the theorem's mean for (eps, delta)-DP, rounded up to a float.

    The mean is d (ln(1/delta) + t (1 - t)) / (n t^2 (1 - t^2/4)), t = tanh(eps/2), about 4 d ln(1/delta) / (n eps^2)
    where eps is small (module docstring); less is enough, and `exactdp calibrate flooding` finds it.

    Args:
        n: number of users who follow the protocol, at least 1.
        d: number of inputs, 2 to 10^9.
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.

    Raises:
        HypothesisError: where the theorem does not apply, naming the hypothesis.

    >>> protocol = flooding_from_theorem(10**6, 1000, eps=1, delta="1e-6")
    >>> f"{float(protocol.noise.mean):.4f}", protocol.privacy_profile().delta(eps=1)
    ('0.0696', Interval[1.770506729e-9, 1.770506730e-9])

    Source: LiLiuFengHuangHuLiuRenQin2020, the protocol pureDUMP (of fixed numbers).
    """
    theorem = NamedTheorem("The theorem of flooding")
    users, inputs = theorem.read_users(n), read_inputs(d, name="d")
    target = theorem.read_target(eps=eps, delta=delta, largest_eps=None)
    t = target.alpha
    enough = (Real.log(1 / target.delta) + t * (1 - t)) / (t * t * (1 - t * t / 4))
    return flooding(users, inputs, noise=Poisson(rounded_up(enough * Fraction(inputs, users))))

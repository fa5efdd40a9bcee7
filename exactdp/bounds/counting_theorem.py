"""Noise that n users share for a count: the negative binomial and the Poisson mechanism.

An integer query of sensitivity Delta plus one of these laws is (eps, delta)-DP. Both laws are infinitely divisible, so
every user can draw a share of the noise and send it as messages of one symbol.

*Why the negative binomial law is enough for Delta = 1 and eps <= 1.* Let r = 3 (1 + ln(1/delta)), p = e^(-0.2 eps),
W ~ NB(r, p), w its weights, E = e^eps, v = p / (1-p), so that E[W] = r v. As r >= 1, w(t-1) / w(t) = t / (p (r+t-1))
<= 1/p < E: in this order the divergence is 0. In the other, w(t) / w(t-1) falls in t, and the divergence is at most
P[W <= a] with a = p (r-1) / (E - p). Here a <= E[W] / 6, because (1-p) / (E-p) = (u - 1) / (u^6 - 1), u = e^(0.2 eps).
Chernoff's bound at c = 1/6 of the mean is P[W <= c r v] <= e^(r f) with

    f = ln(q) + c v ln(q/c),  q = (1 + c v) / (1 + v),

and f falls in v: df/dv = c ln(q/c) + c - q <= 0. As v >= 1 / (e^0.2 - 1), f <= -0.66, so r f <= -1.98 (1 + ln(1/delta))
<= ln(delta).

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from exactdp.bounds.hypotheses import NamedTheorem
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.numbers.exact import Exact, as_integer
from exactdp.numbers.real import Real
from exactdp.privacy.epsilon import LogRational


def negative_binomial_mechanism(*, eps: Exact | LogRational, delta: Exact, sensitivity: int = 1) -> NegativeBinomial:
    """Return NB(r, p) with r = 3 (1 + ln(1/delta)) and p = e^(-0.2 eps / Delta), for (eps, delta)-DP.

    Proved here for Delta = 1 and eps <= 1 (module docstring); for larger Delta as printed in the source, and checked
    by this package's tests at single parameters only.

    Args:
        eps: in (0, 1], a rational number or a LogRational.
        delta: in (0, 1], exact.
        sensitivity: Delta, the largest change of the query, an integer of at least 1.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> negative_binomial_mechanism(eps=1, delta="1/100")
    NegativeBinomial(Real[3 (1 + ln(100))], Real[e^(-1/5)])

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    target = NamedTheorem("The negative binomial mechanism").read_target(eps=eps, delta=delta)
    change = as_integer(sensitivity, name="sensitivity", at_least=1)
    return NegativeBinomial(3 * (1 + Real.log(1 / target.delta)), Real.exp(-target.eps / (5 * change)))


def poisson_mechanism(*, eps: Exact | LogRational, delta: Exact, sensitivity: int = 1) -> Poisson:
    """Return the Poisson law of mean 16 ln(10/delta) / (1 - e^(-eps/Delta))^2 + 2 Delta / (1 - e^(-eps/Delta)).

    The mean is as printed in secondary sources; the source's own text was not at hand. It is checked by this package's
    tests at single parameters only: ask for the exact profile before relying on it.

    Args:
        eps: above 0, a rational number or a LogRational.
        delta: in (0, 1], exact.
        sensitivity: Delta, the largest change of the query, an integer of at least 1.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> poisson_mechanism(eps=1, delta="1/100").mean
    Interval[..., ...]

    Source: GhaziKumarManurangsiPagh2020, section 3 (through secondary sources).
    """
    target = NamedTheorem("The Poisson mechanism").read_target(eps=eps, delta=delta, largest_eps=None)
    change = as_integer(sensitivity, name="sensitivity", at_least=1)
    gap = 1 - (1 / target.exp_eps if change == 1 else Real.exp(-target.eps / change))
    return Poisson(16 * Real.log(10 / target.delta) / gap**2 + 2 * change / gap)

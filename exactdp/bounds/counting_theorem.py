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

*Correlated noise.* Split eps = e1 + e2 with e2 = g eps <= 1, 0 < g < 1, and take p1 = e^(-e1), p2 = e^(-e2/5) and the
same r. By the theorem of :mod:`exactdp.engines.correlated_counts`, at E = e^eps >= 1/p1 delta is the larger one of
H_F(Y || Y+1) / (1 + p1), F = e^e2, and p1 H_G(Y+1 || Y) / (1 + p1), G = e^(eps + e1), where Y is W ~ NB(r, p2) plus
independent noise: processing W further raises neither divergence. Of W they are at most delta, as shown above for e2 in
the place of eps, and 0, since G >= F. So private counting with correlated noise is (eps, delta / (1 + p1))-DP.

Source: GhaziKumarManurangsiPagh2020, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from exactdp.bounds.hypotheses import NamedTheorem
from exactdp.kernel.balls import compare_reals
from exactdp.laws.negative_binomial import NegativeBinomial
from exactdp.laws.poisson import Poisson
from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.numbers.formats import short
from exactdp.numbers.real import Real
from exactdp.privacy.epsilon import LogRational


@dataclass(frozen=True, slots=True)
class CorrelatedNoise:
    """The parameters of private counting with correlated noise."""

    p1: Real
    """Ratio of the noise of each count."""
    p2: Real
    """Ratio of the noise of both counts."""
    r: Real
    """Shape of the noise of both counts."""


def correlated_counting_noise(*, eps: Exact | LogRational, delta: Exact, share: Exact = "1/2") -> CorrelatedNoise:
    """Return p1 = e^(-(1 - share) eps), p2 = e^(-share eps / 5) and r = 3 (1 + ln(1/delta)), for (eps, delta)-DP.

    Proved for every share with share * eps <= 1 (module docstring), at every number of users.

    Args:
        eps: above 0, a rational number or a LogRational; share * eps is at most 1.
        delta: in (0, 1], exact.
        share: of eps, what is left for the noise of both counts: more of it sends fewer messages, and errs more.

    Raises:
        HypothesisError: names the hypothesis that fails.

    >>> correlated_counting_noise(eps=1, delta="1/100")
    CorrelatedNoise(p1=Real[e^(-1/2)], p2=Real[e^(-1/10)], r=Real[3 (1 + ln(100))])

    Source: GhaziKumarManurangsiPagh2020, section 3.
    """
    theorem = NamedTheorem("The theorem of correlated counting")
    target = theorem.read_target(eps=eps, delta=delta, largest_eps=None)
    part = as_fraction(share, name="share")
    theorem.require(0 < part < 1, "0 < share < 1", f"share={short(part)}", "Pass share between 0 and 1.")
    theorem.require(
        compare_reals(part * target.eps, Fraction(1)) <= 0,
        "share * eps <= 1",
        f"share={short(part)} and eps={target.given if isinstance(target.given, LogRational) else short(target.given)}",
        "Pass a smaller share or eps.",
    )
    return CorrelatedNoise(
        Real.exp(-(1 - part) * target.eps), Real.exp(-part * target.eps / 5), 3 * (1 + Real.log(1 / target.delta))
    )


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

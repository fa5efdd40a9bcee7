"""One value of each public frozen class, and what was stored of them: ``python -m tests.contract.values`` adds to it.

``pickles/NAME.pickle`` was made by the version that first had the class, and is never written anew: a value that
somebody has kept loads for ever. ``names.json`` holds the names of the front door and of each public package, and the
parameters of each that can be called.
"""

import inspect
import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import sympy

import exactdp as xdp
from exactdp import bounds, deployment, exchange, protocols, randomizers, symbolic

FOLDER = Path(__file__).resolve().parent
PICKLES = FOLDER / "pickles"
NAMES = FOLDER / "names.json"
PACKAGES = (
    "exactdp",
    "exactdp.bounds",
    "exactdp.deployment",
    "exactdp.exchange",
    "exactdp.laws",
    "exactdp.proofs",
    "exactdp.protocols",
    "exactdp.randomizers",
    "exactdp.reference",
    "exactdp.sampling",
    "exactdp.symbolic",
    "exactdp.testing",
)


OTHER_NAMES = {"OpenClaim": "Claim"}
"""What a class was called under which values were kept -> its name now."""


def _response() -> xdp.Randomizer:
    return xdp.randomized_response(2, gamma="1/2")


def _flips() -> symbolic.SymbolicRandomizer:
    return symbolic.randomized_response(2, gamma=("1/10", "9/10"))


def _symbolic() -> symbolic.SymbolicProfile:
    return symbolic.profile(xdp.ShuffleProtocol(_flips(), 2))


def _delta() -> symbolic.SymbolicDelta:
    return _symbolic().delta(exp_eps=2)


def _events() -> Any:
    p, q = sympy.symbols("p q")
    table = {0: {("no",): 1 - p, ("yes",): p}, 1: {("no",): q, ("yes",): 1 - q}}
    box = {p: ("1/4", "1/3"), q: ("1/4", "1/3")}
    return symbolic.profile(xdp.ShuffleProtocol(symbolic.randomizer(table, box), 2)).delta(exp_eps=2)


def _cross_check() -> xdp.CrossCheck:
    asked = xdp.ShuffleProtocol(_response(), 4).privacy_profile()
    return replace(xdp.cross_check(asked, exp_eps=2), seconds=0.0)


def _claim() -> xdp.Claim:
    return xdp.Claim.shuffle_dp(xdp.ShuffleProtocol(_response(), 3), exp_eps=2, delta="1/2")


def _calibration() -> xdp.Calibration:
    return xdp.calibrate("randomized-response", n=10, exp_eps=3, delta="1/10", grid="1/4")


VALUES: dict[str, Callable[[], Any]] = {
    "AdditiveProtocol": lambda: xdp.AdditiveProtocol(xdp.Binomial(10, "1/2"), shift=1),
    "Analyzer": lambda: xdp.Analyzer({0: 0, 1: 2}, offset="1/2"),
    "Binomial": lambda: xdp.Binomial(10, "1/3"),
    "BinomialSum": lambda: xdp.BinomialSum(10, "1/3", 5, "1/2"),
    "Bracket": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile().bracket(exp_eps=2),
    "Calibration": _calibration,
    "Certificate": lambda: xdp.certify(_claim()),
    "Claim": _claim,
    "ComposedProfile": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile().compose(3),
    "CrossCheck": _cross_check,
    "DiscreteGaussian": lambda: xdp.DiscreteGaussian("9/2"),
    "DiscreteLaplace": lambda: xdp.DiscreteLaplace("3/2"),
    "DiscreteUniform": lambda: xdp.DiscreteUniform(-3, 4),
    "ExactFraction": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile().delta(exp_eps=2),
    "ExponentialMechanism": lambda: xdp.exponential_mechanism({"x": {"a": 1, "b": 0}, "y": {"a": 0, "b": 1}}, eps=1),
    "Family": lambda: xdp.Family(protocols.zsum, "gamma", (0, "1/2"), monotone=True),
    "Geometric": lambda: xdp.Geometric("1/3"),
    "Interval": lambda: xdp.Binomial(10, "1/3").pmf(3),
    "Laplace": lambda: xdp.Laplace("3/2"),
    "Law": lambda: xdp.Law({(0, 1): "1/4", (1, 0): "3/4"}),
    "LogRational": lambda: xdp.LogRational("3/2"),
    "NegativeBinomial": lambda: xdp.NegativeBinomial("5/2", "1/3"),
    "Neighbors": lambda: xdp.Neighbors.ADD_OR_REMOVE_ONE,
    "OpenClaim": lambda: xdp.OpenClaim.shuffle_dp(xdp.ShuffleProtocol(_flips(), 2), exp_eps=2, delta="1/2"),
    "Poisson": lambda: xdp.Poisson("7/2"),
    "PrivacyDecision": lambda: xdp.is_private(xdp.ShuffleProtocol(_response(), 4), exp_eps=2, delta="1/2", reason=True),
    "PrivacyProfile": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile(),
    "Randomizer": _response,
    "Real": lambda: xdp.Real("1/2", exponent="1/3"),
    "Sensitivity": lambda: xdp.sensitivity(sum, (0, 1), 2),
    "ShuffleProtocol": lambda: xdp.ShuffleProtocol(_response(), 4),
    "TradeoffBounds": lambda: xdp.shift_profile(xdp.DiscreteLaplace("exp(1/2)")).tradeoff(),
    "TradeoffFunction": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile().tradeoff(),
    "Verdict": lambda: xdp.Verdict.UNDECIDED,
    "WorstPair": lambda: xdp.ShuffleProtocol(_response(), 4).privacy_profile().worst_pair(exp_eps=2),
    "bounds.CorrelatedNoise": lambda: bounds.correlated_counting_noise(eps=1, delta="1/1000000"),
    "bounds.PrivacyBound": lambda: bounds.PrivacyBound(Fraction(1), Fraction(1, 1000)),
    "bounds.SlackRow": lambda: bounds.zsum_slack(10**5, eps=1, delta="1/1000")[0],
    "bounds.SmoothnessBound": lambda: bounds.binomial_smoothness_bound(10**6, gamma="1/4", k=1, alpha="1/2"),
    "bounds.VariationRatio": lambda: bounds.VariationRatio(3, "1/2", 3),
    "deployment.Deployment": lambda: deployment.Deployment(
        "Two rounds",
        Fraction(1, 100),
        "person",
        Fraction(1),
        (VALUES["deployment.UserClass"](),),
        VALUES["deployment.Participation"](),
        (VALUES["deployment.Question"](),),
        (VALUES["deployment.Release"](),),
    ),
    "deployment.Participation": lambda: deployment.Participation("counted", Fraction(9, 10)),
    "deployment.Question": lambda: deployment.Question("a", ("krr:inputs=2,gamma=1/2",), (_response(),)),
    "deployment.Release": lambda: deployment.Release(("a",), "separate", 2),
    "deployment.UserClass": lambda: deployment.UserClass("v1", 20, Fraction(19, 20)),
    "exchange.GridLoss": lambda: exchange.GridLoss(
        Fraction(1, 2), -1, (Fraction(1, 2), Fraction(1, 2)), Fraction(0), True
    ),
    "exchange.LossDistribution": lambda: exchange.LossDistribution(VALUES["exchange.GridLoss"]()),
    "protocols.Aggregate": lambda: protocols.aggregate(randomizers.UnaryEncoding(1000, exp_eps0=9), 50),
    "protocols.AlmostCentralRealSum": lambda: protocols.almost_central_real_sum(50, bound=2, eps=1, delta="1/1000"),
    "protocols.AlmostCentralSum": lambda: protocols.almost_central_sum(50, bound=2, eps=1, delta="1/1000"),
    "protocols.CorrelatedCounting": lambda: protocols.correlated_counting(50, p1="1/2", p2="1/3", r="1/2"),
    "protocols.FixedPointSum": lambda: protocols.fixed_point_sum(50, levels=10, eps="1/2", modulus=1009, messages=20),
    "protocols.Flooding": lambda: protocols.flooding(50, 4, noise=xdp.Binomial(100, "1/2")),
    "protocols.SampleAndThreshold": lambda: protocols.sample_and_threshold(50, rate="1/2", threshold=5),
    "protocols.SplitAndMix": lambda: protocols.split_and_mix(50, modulus=101, messages=4),
    "protocols.StabilityHistogram": lambda: protocols.stability_histogram(50, 9, eps=1, delta="1/100"),
    "randomizers.AnyRandomizer": lambda: randomizers.any_randomizer(exp_eps0=3),
    "randomizers.BallsIntoBins": lambda: randomizers.BallsIntoBins(1000, dummies=2),
    "randomizers.ClippedDiscreteLaplace": lambda: randomizers.ClippedDiscreteLaplace(1000, exp_eps0=3),
    "randomizers.HadamardResponse": lambda: randomizers.HadamardResponse(1000, exp_eps0=3),
    "randomizers.GaussianRandomizer": lambda: randomizers.gaussian(sigma=1, delta0="1e-12"),
    "randomizers.LaplaceRandomizer": lambda: randomizers.laplace(exp_eps0=3),
    "randomizers.DuchiRandomizer": lambda: randomizers.DuchiRandomizer(exp_eps0=3),
    "randomizers.HybridRandomizer": lambda: randomizers.hybrid(exp_eps0=3),
    "randomizers.StaircaseRandomizer": lambda: randomizers.staircase(exp_eps0=3),
    "randomizers.PiecewiseRandomizer": lambda: randomizers.piecewise(exp_eps0=3),
    "randomizers.KAryResponse": lambda: randomizers.KAryResponse(1000, exp_eps0=3),
    "randomizers.LocalHashing": lambda: randomizers.LocalHashing(1000, exp_eps0=3),
    "randomizers.MixedDummies": lambda: randomizers.MixedDummies(1000, exp_eps0=3, dummies=2),
    "randomizers.Product": lambda: randomizers.Product(*[randomizers.KAryResponse(20, exp_eps0=7)] * 5),
    "randomizers.Repetition": lambda: randomizers.repeat(randomizers.KAryResponse(1000, exp_eps0=3), 2),
    "randomizers.RoundedRandomizer": lambda: randomizers.from_floats([[0.75, 0.25], [0.25, 0.75]], exp_eps0=2),
    "randomizers.SubsetSelection": lambda: randomizers.SubsetSelection(1000, exp_eps0=3),
    "randomizers.UnaryEncoding": lambda: randomizers.UnaryEncoding(1000, exp_eps0=4),
    "symbolic.DeltaPiece": lambda: _delta().pieces[0],
    "symbolic.EventPolynomials": _events,
    "symbolic.FormulaProof": lambda: symbolic.prove_formula(
        _flips(), "(1 - gamma/2)^(n-1) * (1 - 3*gamma/2)", exp_eps=2, most=3
    ),
    "symbolic.Span": lambda: symbolic.Span(0, 1, low_is_closed=False),
    "symbolic.SymbolicDelta": _delta,
    "symbolic.SymbolicLaw": lambda: xdp.ShuffleProtocol(_flips(), 2).law((0, 1)),
    "symbolic.SymbolicProfile": _symbolic,
    "symbolic.SymbolicRandomizer": _flips,
}


def names() -> dict[str, dict[str, str]]:
    """Return, for each public package, its names, and the parameters of each that can be called."""
    return {package: _signatures(package) for package in PACKAGES}


def _signatures(package: str) -> dict[str, str]:
    module = import_module(package)
    listed = dir(module) if package == "exactdp" else getattr(module, "__all__", ())
    return {name: _signature(getattr(module, name)) for name in sorted(listed)}


def _signature(value: Any) -> str:
    """Return the parameters with their defaults, which read the same in every Python; annotations do not."""
    if isinstance(value, ModuleType) or not callable(value):
        return "module" if isinstance(value, ModuleType) else "value"
    if isinstance(value, type) and issubclass(value, Enum | Exception | Fraction):
        return f"{value.__mro__[1].__name__}: {', '.join(getattr(value, '__members__', ()))}".removesuffix(": ")
    found = inspect.signature(value)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def public_classes() -> set[str]:
    """Return the names of the frozen classes of the public packages, as ``VALUES`` has them."""
    found: dict[type, str] = {}
    for package in PACKAGES:
        module = import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, type) and not issubclass(value, Exception) and not inspect.isabstract(value):
                found.setdefault(value, f"{package}.{name}".removeprefix("exactdp."))
    return {*OTHER_NAMES, *(name for value, name in found.items() if not value.__module__.startswith("exactdp.proofs"))}


if __name__ == "__main__":
    PICKLES.mkdir(exist_ok=True)
    for name, make in VALUES.items():
        place = PICKLES / f"{name}.pickle"
        if not place.exists():
            place.write_bytes(pickle.dumps(make(), protocol=4))
    NAMES.write_text(json.dumps(names(), indent=1, sort_keys=True) + "\n", encoding="utf-8")

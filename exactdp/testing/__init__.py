"""For your own tests: strategies for exact privacy, and a test of samplers against exact laws.

The Hypothesis strategies draw probabilities, laws, randomizers, protocols and neighbouring data sets; the package's own
tests use nothing else. All are small by default, so that an exact computation over all data sets takes milliseconds,
and their awkward cases come often: zero probabilities, equal rows, mixtures of rows, users who send nothing, numbers of
messages that vary. They need hypothesis: ``pip install 'exactdp[testing]'``.

>>> from hypothesis import given
>>> from exactdp.testing import exp_epsilons, protocols
>>> @given(protocol=protocols(max_users=3), exp_eps=exp_epsilons())
... def test_delta_is_a_probability(protocol, exp_eps):
...     assert 0 <= protocol.privacy_profile().delta(exp_eps=exp_eps) <= 1
>>> test_delta_is_a_probability()

``assert_samples_match`` compares the draws of any sampler with an exact law; it needs no hypothesis.

>>> from exactdp import Binomial
>>> from exactdp.testing import assert_samples_match
>>> assert_samples_match(lambda size, rng: rng.binomial(9, 0.5, size), Binomial(9, "1/2"), size=1000, seed=1)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import ExactDPError
from exactdp.testing.samples import assert_samples_match

if TYPE_CHECKING:
    from exactdp.testing.strategies import (
        exact_laws,
        exp_epsilons,
        neighboring_pairs,
        probabilities,
        randomizers,
    )
    from exactdp.testing.strategies import shuffle_protocols as protocols

__all__ = [
    "MissingHypothesisError",
    "assert_samples_match",
    "exact_laws",
    "exp_epsilons",
    "neighboring_pairs",
    "probabilities",
    "protocols",
    "randomizers",
]

_STRATEGIES: Final = {name: name for name in __all__ if name[0].islower() and name != "assert_samples_match"} | {
    "protocols": "shuffle_protocols"
}
"""Strategy -> its name in exactdp.testing.strategies, which is imported when the first one is asked for."""


class MissingHypothesisError(ExactDPError, ImportError):
    """hypothesis is not installed; the message says which pip line installs it."""


def __getattr__(name: str) -> Any:
    if name not in _STRATEGIES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        strategies = import_module("exactdp.testing.strategies")
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise MissingHypothesisError(
            "exactdp.testing needs hypothesis, which is not installed. Run: pip install 'exactdp[testing]'",
            name="hypothesis",
        ) from None
    return getattr(strategies, _STRATEGIES[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""For your own tests: exact privacy, samplers against exact laws, black boxes, and strategies for Hypothesis.

``assert_shuffle_dp`` and ``assert_dp_curve`` fail where a protocol is less private than is said, with the pair of data
sets, the event and the exact value:

>>> from exactdp import randomized_response
>>> from exactdp.testing import assert_shuffle_dp
>>> assert_shuffle_dp(randomized_response(2, gamma="1/2"), 100, eps=1, delta="1e-6")

``assert_amplification_bound`` fails where a formula for the privacy of shuffled answers promises more than some
randomizer has, at the least instance of a grid.

``assert_samples_match`` compares the draws of any sampler with an exact law, and ``samples_needed`` says how many draws
find every wrong law; ``assert_not_refuted`` looks at two samplers of a black box.

>>> from exactdp import Binomial
>>> from exactdp.testing import assert_samples_match
>>> assert_samples_match(lambda size, rng: rng.binomial(9, 0.5, size), Binomial(9, "1/2"), size=1000, seed=1)

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

With pytest comes a plugin, which names seeds and remembers those that failed: docs/testing.md. Nothing is loaded before
it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from exactdp.errors import ExactDPError

if TYPE_CHECKING:
    from exactdp.testing.amplification_bounds import assert_amplification_bound
    from exactdp.testing.black_box import assert_not_refuted
    from exactdp.testing.g_tests import samples_needed, total_variation_found
    from exactdp.testing.privacy_assertions import assert_dp_curve, assert_shuffle_dp
    from exactdp.testing.samples import assert_samples_match
    from exactdp.testing.strategies import exact_laws, exp_epsilons, neighboring_pairs, probabilities, randomizers
    from exactdp.testing.strategies import shuffle_protocols as protocols

__all__ = [
    "MissingHypothesisError",
    "assert_amplification_bound",
    "assert_dp_curve",
    "assert_not_refuted",
    "assert_samples_match",
    "assert_shuffle_dp",
    "exact_laws",
    "exp_epsilons",
    "neighboring_pairs",
    "probabilities",
    "protocols",
    "randomizers",
    "samples_needed",
    "total_variation_found",
]

_HOMES: Final = {
    "assert_amplification_bound": "amplification_bounds",
    "assert_dp_curve": "privacy_assertions",
    "assert_not_refuted": "black_box",
    "assert_samples_match": "samples",
    "assert_shuffle_dp": "privacy_assertions",
    "samples_needed": "g_tests",
    "total_variation_found": "g_tests",
}
"""Name -> the file of this package that it is in; all others are strategies."""


class MissingHypothesisError(ExactDPError, ImportError):
    """hypothesis is not installed; the message says which pip line installs it."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _HOMES:
        return getattr(import_module(f"exactdp.testing.{_HOMES[name]}"), name)
    try:
        strategies = import_module("exactdp.testing.strategies")
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise MissingHypothesisError(
            "exactdp.testing needs hypothesis, which is not installed. Run: pip install 'exactdp[testing]'",
            name="hypothesis",
        ) from None
    return getattr(strategies, "shuffle_protocols" if name == "protocols" else name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

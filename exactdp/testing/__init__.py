"""Hypothesis strategies for exact privacy: probabilities, laws, randomizers, protocols and neighbouring data sets.

For your own property tests; the package's own tests use nothing else. All strategies are small by default, so that an
exact computation over all data sets takes milliseconds, and their awkward cases come often: zero probabilities, equal
rows, mixtures of rows, users who send nothing, numbers of messages that vary.

Needs hypothesis: ``pip install 'exactdp[testing]'``.

>>> from hypothesis import given
>>> from exactdp.testing import exp_epsilons, protocols
>>> @given(protocol=protocols(max_users=3), exp_eps=exp_epsilons())
... def test_delta_is_a_probability(protocol, exp_eps):
...     assert 0 <= protocol.privacy_profile().delta(exp_eps=exp_eps) <= 1
>>> test_delta_is_a_probability()
"""

from __future__ import annotations

from exactdp.errors import ExactDPError

__all__ = [
    "MissingHypothesisError",
    "exact_laws",
    "exp_epsilons",
    "neighboring_pairs",
    "probabilities",
    "protocols",
    "randomizers",
]


class MissingHypothesisError(ExactDPError, ImportError):
    """hypothesis is not installed; the message says which pip line installs it."""


try:
    from exactdp.testing.strategies import (
        exact_laws,
        exp_epsilons,
        neighboring_pairs,
        probabilities,
        randomizers,
    )
    from exactdp.testing.strategies import shuffle_protocols as protocols
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    raise MissingHypothesisError(
        "exactdp.testing needs hypothesis, which is not installed. Run: pip install 'exactdp[testing]'",
        name="hypothesis",
    ) from None

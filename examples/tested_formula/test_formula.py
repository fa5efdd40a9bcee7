"""The formula that is shipped promises no more than is true, and the copy without its condition does."""

import pytest

from exactdp.testing import assert_amplification_bound
from shipped_formula import amplified_epsilon, without_its_condition

USERS = (1, 2, 5, 20, 50, 1000)


def test_what_is_shipped_is_not_refuted():
    assert_amplification_bound(amplified_epsilon, users=USERS)


def test_the_copy_is_refuted():
    with pytest.raises(AssertionError, match="the bound fails at n=20, exp_eps0=55, delta=1/10"):
        assert_amplification_bound(without_its_condition, users=USERS)

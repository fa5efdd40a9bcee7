"""A formula in n and the parameters, proved equal to delta for each n from 1 to the size that fits."""

from __future__ import annotations

from typing import Any, Final

from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.mechanisms.neighbors import Neighbors
from exactdp.numbers.exact import as_integer
from exactdp.symbolic.formula_answers import SIZE, FormulaProof
from exactdp.symbolic.functions_of_parameters import FunctionLike
from exactdp.symbolic.symbolic_profiles import SymbolicProfile
from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer

DEFAULT_MOST: Final = 10
"""Users up to which a formula is proved unless more is asked for."""


def prove_formula(
    randomizer: SymbolicRandomizer,
    formula: FunctionLike,
    *,
    exp_eps: FunctionLike,
    most: int = DEFAULT_MOST,
    neighbors: Neighbors = Neighbors.REPLACE_ONE,
) -> FormulaProof:
    """Say for which n a formula is delta of the shuffled randomizer on its whole box, from n = 1 on.

    Args:
        randomizer: a table of functions of parameters, none of them called n.
        formula: in the parameters and n: a SymPy expression, in which sums and binomial coefficients over n may occur,
            or text in the grammar, in which n may be in powers.
        exp_eps: e^eps, as ``SymbolicProfile.delta`` takes it.
        most: the largest n; fewer where a limit is met before, which the answer says.
        neighbors: which data sets are neighbours.

    Returns:
        The sizes for which it is proved identically, up to ``most`` or to the first at which it is refuted by a point;
        those of them for which the checker has verified a certificate are named.

    >>> from exactdp.symbolic import randomized_response
    >>> response = randomized_response(2, gamma=("1/10", "1/2"))
    >>> print(prove_formula(response, "(1 - gamma/2)^(n-1) * (1 - 3*gamma/2)", exp_eps=2, most=5))
    proved for n = 1, 2, 3, 4, 5 (certificate)

    Cost: of each n as ``SymbolicProfile.delta``, and a certificate, 0.1 s for binary randomized response of 8 users.
    """
    if SIZE in randomizer.parameters:
        raise InvalidValueError("a parameter is called n, which stands for the number of users. Give it another name.")
    proved: tuple[int, ...] = ()
    certified: tuple[int, ...] = ()
    for n in range(1, as_integer(most, name="most", at_least=1) + 1):
        try:
            delta: Any = SymbolicProfile(randomizer, n, neighbors).delta(exp_eps=exp_eps)
        except TooLargeError as error:
            if not proved:
                raise
            return FormulaProof(proved, None, f"No more: {error}", certified)
        answer = delta.prove_equal(formula)
        proved, certified = proved + answer.proved, certified + answer.certified
        if not answer.holds:
            return FormulaProof(proved, answer.counterexample, certified=certified)
    return FormulaProof(proved, None, certified=certified)

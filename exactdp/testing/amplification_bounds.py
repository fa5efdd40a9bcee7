"""Does a formula for the privacy of shuffled answers hold? An assertion for repositories that ship one.

The search is that of ``exactdp refute`` (:mod:`exactdp.studies.counterexamples.refutation`): its grid, its order, and a
certificate of what it finds. The function is called in the process of the test, with no limit of time or memory; that
of ``exactdp refute --python`` has a process of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from exactdp.numbers.exact import Exact, as_fraction, as_integer
from exactdp.studies.counterexamples.promises import promised_by, promised_by_formula
from exactdp.studies.counterexamples.refutation import EXP_EPS0, USERS, refute, scope_of


def assert_amplification_bound(
    function: Callable[[int, float, float], Any] | str,
    *,
    gives: str = "eps",
    randomizers: Sequence[str] = ("any",),
    users: Sequence[int] = USERS,
    exp_eps0: Sequence[Exact] = EXP_EPS0,
    levels: Sequence[Exact] | None = None,
    sizes: Sequence[int] = (),
) -> None:
    """Raise AssertionError where n shuffled eps0-DP answers are less private than a bound says.

    Passing means that no randomizer in scope is proved to exceed the bound on the grid: it is no proof of the bound.

    Args:
        function: called with n and the floats eps0 and delta, it returns eps; with ``gives="delta"`` it is called with
            n, eps0 and eps and returns delta. The float that it returns is taken exactly. None, infinity, NaN and
            exceptions promise nothing. Or a formula, as text: see ``exactdp refute``.
        gives: "eps" or "delta".
        randomizers: "any" for every eps0-DP randomizer, "k-ary", or families without eps0, as
            "@unary-encoding:inputs=16".
        users, exp_eps0, levels: the grid, exact; levels of delta, or of e^eps where delta is given.
        sizes: also these numbers of users, 10^3 and more, at one delta.

    Raises:
        AssertionError: with the least instance at which the bound fails, what it promises there, and what is true.
        InvalidValueError: where it promises nothing on the whole grid.

    >>> assert_amplification_bound("eps0", users=[1, 2, 3])
    >>> assert_amplification_bound(lambda n, eps0, delta: eps0 / n, users=[1, 2, 3], exp_eps0=[2])
    Traceback (most recent call last):
    AssertionError: the bound fails at n=2, exp_eps0=2, delta=1/10, randomizer=@any-randomizer:
      promised eps [0.3465735902, 0.3465735903] at most; there the exact delta is [0.1301747639, 0.1301748488]
    ...

    Cost: 0.05 s for each instance at which less than eps0 is promised to every randomizer.

    Source: BartheOlmedo2013, Theorem 1.
    """
    __tracebackhide__ = True
    if isinstance(function, str):
        promise = promised_by_formula(function, gives)
    else:
        promise = promised_by(getattr(function, "__name__", "the function"), gives, function)
    found = refute(
        promise,
        randomizers=scope_of(randomizers),
        users=sorted(as_integer(n, name="users", at_least=1) for n in users),
        exp_eps0=sorted(as_fraction(ratio, name="exp_eps0") for ratio in exp_eps0),
        levels=None if levels is None else _in_order(levels, gives),
        sizes=sizes,
    )
    if found.instance is not None:
        at = ", ".join(f"{name}={value}" for name, value in found.instance.items())
        claim = "none" if found.certificate is None else found.certificate.claim.digest()
        certificate = f"claim id of the certificate: {claim} (`exactdp refute -o` writes it)"
        lines = [f"the bound fails at {at}:", *found.explanation, certificate]
        raise AssertionError("\n  ".join(lines))


def _in_order(levels: Sequence[Exact], gives: str) -> list[Any]:
    """Return levels from those that ask the least on."""
    return sorted((as_fraction(level, name="levels") for level in levels), reverse=gives == "eps")

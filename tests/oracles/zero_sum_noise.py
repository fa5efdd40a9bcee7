"""The law of the counts of all messages under zero-sum noise: every draw up to a cut, and no basis."""

from itertools import product
from math import comb


def noise_counts(
    p: float, common: list[tuple[int, float]], multisets: list[tuple[int, float]], cut: int
) -> tuple[dict[tuple[int, ...], float], float]:
    """Return the counts of 1, ..., bound, -1, ..., -bound that are noise, and the mass that the cut leaves out."""
    bound = len(multisets) + 1
    order = [*range(1, bound + 1), *range(-1, -bound - 1, -1)]
    sources = [(1, p, [1]), (1, p, [-1]), *((r, q, [1, -1]) for r, q in common)]
    for i, (r, q) in enumerate(multisets, start=2):
        half, rest = i // 2, i - i // 2
        sources += [(r, q, [i, -half, -rest]), (r, q, [-i, half, rest])]
    law: dict[tuple[int, ...], float] = {}
    for draws in product(range(cut), repeat=len(sources)):
        weight, counts = 1.0, dict.fromkeys(order, 0)
        for times, (r, q, messages) in zip(draws, sources, strict=True):
            weight *= comb(r + times - 1, times) * (1 - q) ** r * q**times
            for message in messages:
                counts[message] += times
        key = tuple(counts.values())
        law[key] = law.get(key, 0.0) + weight
    return law, 1 - sum(law.values())


def divergence(law: dict[tuple[int, ...], float], first: int, second: int, exp_eps: float) -> float:
    """Return the hockey-stick divergence of the counts with one message more, ``first`` or ``second``; 0 is none."""

    def with_message(message: int) -> dict[tuple[int, ...], float]:
        return {(*v[: message - 1], v[message - 1] + 1, *v[message:]) if message else v: w for v, w in law.items()}

    both = with_message(first), with_message(second)
    return sum(max(0.0, weight - exp_eps * both[1].get(v, 0.0)) for v, weight in both[0].items())

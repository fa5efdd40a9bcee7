"""Pairs of laws that a claim speaks about: how the engines know them, and how the checker is told of one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from exactdp.certificates.encoding import read_integer, read_noise, read_randomizer, write_integer
from exactdp.engines.engine import WorstEvent
from exactdp.engines.planner import AdditivePairs, ShufflePairs, Source, worst_event
from exactdp.models.neighbors import Neighbors

__all__ = ["Pairs", "shift_pairs", "shuffle_pairs"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of laws: how the engine knows them, and how the checker is told of one."""

    source: Source
    executor: Executor | None
    witness: Callable[[tuple[int, ...], tuple[int, ...]], dict[str, Any]]
    words: Callable[[tuple[int, ...], tuple[int, ...]], str]

    def worst(self, exp_eps: Fraction | None) -> WorstEvent:
        """Return the worst event at e^eps, or at infinity."""
        return worst_event(self.source, exp_eps, self.executor)


def shuffle_pairs(data: Mapping[str, Any], executor: Executor | None = None) -> Pairs:
    source = ShufflePairs(read_randomizer(data["randomizer"]), read_integer(data["n"]), Neighbors(data["neighbors"]))
    return Pairs(
        source,
        executor,
        lambda first, second: {"first": list(map(write_integer, first)), "second": list(map(write_integer, second))},
        lambda first, second: f"the pair {list(first)} against {list(second)}",
    )


def shift_pairs(data: Mapping[str, Any]) -> Pairs:
    reach = read_integer(data["shift"])
    source = AdditivePairs(read_noise(data["law"]), reach, 1, 1, Neighbors.REPLACE_ONE)

    def moved(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, str]:
        """The pair of counts 0 and j, in the order of a shift by j."""
        by = max(first.index(1), second.index(1))
        return by, "forward" if first[0] else "backward"

    def witness(first: tuple[int, ...], second: tuple[int, ...]) -> dict[str, Any]:
        by, order = moved(first, second)
        return {"shift": write_integer(by), "order": order}

    return Pairs(source, None, witness, lambda first, second: "shift {} ({})".format(*moved(first, second)))

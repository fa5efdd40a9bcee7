"""Split and mix: how far apart two views with the same sum can be, against the number of users and of messages.

Against n, for bits in three messages: the exact distance of the worst pair, the bound by components, which every pair
keeps, and the number that is published for uniform inputs. That number falls as 1/n, the worst pair only as its root,
so from some n on it is below a real pair: it is no bound of the worst case. Against m: the distance, by
both bounds here and as published; sigma bits of security are one of at most 2^-sigma.

Source: BalleBellGasconNissim2020 (the published numbers, as printed in secondary sources).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log10
from typing import Any

import exactdp as xdp
from exactdp import bounds
from exactdp.mechanisms.dataset import write_dataset
from exactdp.numbers.formats import power_of_ten
from exactdp.numbers.interval import fraction_ends
from exactdp.report.figures.chart import Area, Axis, Chart, Line, Note, Panel, Rule, lines_of, one_panel
from exactdp.report.figures.data import DataTable, power_words
from exactdp.report.figures.picture import Picture


def mix_distances(users: Sequence[int], *, messages: int = 3) -> DataTable:
    """Return the exact distance of the worst pair for bits, the pair, and both bounds, for each number of users.

    >>> table = mix_distances([173, 174])
    >>> [(n, published < worst) for n, worst, _, _, _, published in table.rows]
    [(173, False), (174, True)]

    Cost: 30 ms at n = 174, rising with its cube.

    Source: BalleBellGasconNissim2020 (the published number, as printed in secondary sources).
    """
    rows = []
    for n in users:
        protocol = xdp.protocols.split_and_mix(n, modulus=2, messages=messages)
        worst = protocol.worst_pair()
        published = bounds.published_split_and_mix_distance(n, modulus=2, messages=messages, average=True)
        pair = write_dataset(worst.first), write_dataset(worst.second)
        rows.append((n, Fraction(worst.distance), *pair, protocol.distance_bound(), published))
    names = ("n", "worst_distance", "first", "second", "bound_by_components", "published_average_case")
    return DataTable.of(names, rows, modulus=2, messages=messages)


def mix_users_picture(users: Sequence[int], *, name: str = "mix-users") -> Picture:
    """Return the picture of the three distances against n, and of the ratio of two of them."""
    table = mix_distances(users)
    pairs: list[Any] = [(row[1], row[-1]) for row in table.rows]
    ends = [(fraction_ends(worst), fraction_ends(published)) for worst, published in pairs]
    ratios = [low / high for (low, _), (_, high) in ends]
    wrong = next((n for n, ratio in zip(users, ratios, strict=True) if ratio > 1), None)
    x = Axis("n, users", is_log=True, ticks=[(n, str(n)) for n in (20, 50, 100, 200, 500, 1000)])
    above = lines_of(
        table,
        "n",
        ("worst_distance", "exact, worst pair", 0),
        ("bound_by_components", "bound by components", 2),
        ("published_average_case", "published, uniform inputs", 1),
    )
    below: list[Line | Area | Rule | Note] = [Line(users, ratios, color=0), Rule(Fraction(1))]
    if wrong is not None:
        last = users.index(wrong)
        over = [Fraction(1), *ratios[last:]]
        below += [
            Area([users[last], *users[last:]], [1] * len(over), over, color=1, hatch="////"),
            Line([wrong], [1], color="ink", form="none", marker="X", size=9, layer=6),
            Note(wrong, 1, f"n = {wrong}", ha="right", dx=-6, dy=12),
        ]
    title = (
        "The average case is above the worst pair at each of these n"
        if wrong is None
        else f"The average case is no worst case: at n\u00a0=\u00a0{wrong} a pair is further apart"
    )
    return Picture(
        name,
        title,
        "Bits in three messages of a user: statistical distance of views with the same sum. Below: above 1 the "
        "published number is no bound.",
        table,
        Chart(
            (
                Panel(above, x, Axis("statistical distance", is_log=True), height=2.6),
                Panel(tuple(below), x, Axis("worst pair over the published", is_log=True), height=2.0),
            ),
            is_shared=True,
        ),
    )


def mix_security(n: int, *, modulus: int, messages: Sequence[int]) -> DataTable:
    """Return bounds of the distance for m >= 4 messages: of all inputs and of uniform ones, here and as published.

    >>> table = mix_security(10**4, modulus=2**32, messages=[10])
    >>> [float(bound) < 2**-40 for bound in table.rows[0][1:]]
    [True, True, False, False]

    Source: BalleBellGasconNissim2020 (the published numbers, as printed in secondary sources).
    """
    asked: list[tuple[Any, bool]] = [
        (bound, average)
        for bound in (bounds.split_and_mix_distance, bounds.published_split_and_mix_distance)
        for average in (False, True)
    ]
    rows = [
        (m, *(bound(n, modulus=modulus, messages=m, average=average) for bound, average in asked)) for m in messages
    ]
    names = ("messages", "worst_case", "average_case", "published_worst_case", "published_average_case")
    return DataTable.of(names, rows, n=n, modulus=modulus)


def mix_security_picture(
    n: int, *, modulus: int, sigma: int, messages: Sequence[int], name: str = "mix-messages"
) -> Picture:
    """Return the picture of the distance against the messages, and how many are enough for ``sigma`` bits."""
    table, users = mix_security(n, modulus=modulus, messages=messages), power_words(log10(n))
    least, printed = (
        few(n, modulus=modulus, sigma=sigma, average=False)
        for few in (bounds.split_and_mix_messages, bounds.published_split_and_mix_messages)
    )
    wanted, words = Fraction(1, 2**sigma), power_of_ten(-sigma).replace("10", "2", 1)
    shown = lines_of(
        table,
        "messages",
        ("worst_case", "all inputs", 0),
        ("average_case", "uniform inputs", 2),
        ("published_worst_case", "all inputs, published", 1),
        ("published_average_case", "uniform inputs, published", 3),
    )
    return Picture(
        name,
        f"{sigma} bits of security at n = {users}: {least} messages are enough, {printed} as published",
        f"Bounds of the statistical distance of two views with the same sum, modulo {_order(modulus)}; {sigma} bits "
        f"are a distance of at most {words} (the line).",
        table,
        one_panel(
            *shown,
            Rule(wanted),
            Note(messages[-1], wanted, f"{sigma} bits", ha="right", va="bottom"),
            x=Axis("m, messages of a user", ticks="whole"),
            y=Axis("statistical distance", is_log=True, high=1),
        ),
    )


def _order(modulus: int) -> str:
    exponent = modulus.bit_length() - 1
    return power_of_ten(exponent).replace("10", "2", 1) if modulus == 2**exponent else str(modulus)

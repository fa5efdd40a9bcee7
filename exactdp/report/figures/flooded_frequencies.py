"""Three ways to hide one message among uniform ones: random numbers of them, fixed numbers, and random answers as well.

The number of uniform messages of all users together is what hides a user's own. Flooding draws it from a Poisson law,
of which n users hold equal shares, so the least mean of all together is the same at every n, and so is the error. Balls
into bins sends a whole number of dummies from each user, at least one: with many users that is far more noise than is
needed. Mixed dummies send one dummy and a random answer in the place of the input.

Source: LiLiuFengHuangHuLiuRenQin2020.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from exactdp.errors import InvalidValueError
from exactdp.report.figures.chart import Axis, Chart, Panel, lines_of
from exactdp.report.figures.data import Cell, DataTable, Number, number_words
from exactdp.report.figures.picture import Picture
from exactdp.studies.calibration.frequency_comparison import compare_frequencies


def flooded_frequencies(
    d: int, *, eps: Fraction, delta: Fraction, users: Sequence[int], mixed: Sequence[int] = ()
) -> DataTable:
    """Return errors of one input and expected messages beside the own at each n; of mixed dummies the error at some.

    Flooding is asked once: neither its noise of all users together nor its error depends on n.

    >>> table = flooded_frequencies(10, eps=Fraction(1), delta=Fraction(1, 1000), users=[100, 1000])
    >>> float(table.rows[0][2]) < 2, table.column("balls_messages")
    (True, (2, 1))

    Source: LiLiuFengHuangHuLiuRenQin2020.
    """

    def row(name: str, n: int) -> tuple[Number, Fraction]:
        found = compare_frequencies(n, d, eps=eps, delta=delta, only=(name,))[0]
        if found.error is None or found.parameter is None:
            raise InvalidValueError(f"{name} of {n} users has no answer: {found.reason}")
        return found.error, found.parameter[1]

    error, noise = row("flooding", users[0])
    rows: list[tuple[Cell, ...]] = []
    for n in users:
        balls, dummies = row("balls into bins", n)
        cloaked = row("mixed dummies", n)[0] if n in mixed else None
        rows.append((n, error, users[0] * noise / n, balls, int(dummies), cloaked))
    names = ("n", "flooding_error", "flooding_messages", "balls_error", "balls_messages", "mixed_error")
    return DataTable.of(names, rows, inputs=d, eps=eps, delta=delta, beta="1/20")


def flooding_picture(table: DataTable, *, name: str = "flooding-error") -> Picture:
    """Return the picture of the error of one input, and of what a user sends beside his own message, against n."""
    about = {word: number_words(Fraction(value)) for word, value in table.about}
    (error,), last = set(table.numbers("flooding_error")), table.numbers("n")[-1] or 0
    beside = number_words(table.numbers("flooding_messages")[-1] or 0, 3)
    x = Axis("number of users n", is_log=True)
    errors = lines_of(
        table,
        "n",
        ("flooding_error", "flooding", 0),
        ("balls_error", "balls into bins", 1),
        ("mixed_error", "mixed dummies, between two ends", 2),
    )
    sent = lines_of(table, "n", ("flooding_messages", "flooding", 0), ("balls_messages", "balls into bins", 1))
    return Picture(
        name,
        f"Flooding errs by {number_words(error or 0, 3)} users at every n; at n\u00a0=\u00a0{number_words(last)} a "
        f"user adds {beside} messages",
        f"Frequencies of {about['inputs']} inputs at ε = {about['eps']} and δ = {about['delta']}; the worst data set "
        "exceeds the error with probability at most 1/20.",
        table,
        Chart(
            (
                Panel(errors, x, Axis("error of one input, in users", is_log=True), height=2.3),
                Panel(sent, x, Axis("expected messages beside the own", is_log=True), height=2.3),
            ),
            is_shared=True,
        ),
    )

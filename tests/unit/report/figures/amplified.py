"""Curves of eps against n that were typed, not computed: the shapes that a picture must stand."""

from fractions import Fraction

from exactdp.numbers.interval import Interval
from exactdp.report.figures.amplification_curves import AmplificationCurves, AmplificationPoint

NAMES = ("stronger clones", "clones", "variation ratio", "Bennett", "Hoeffding")


def between(low: str, high: str) -> Interval:
    """An interval of typed ends."""
    return Interval.between(Fraction(low), Fraction(high), bits=40)


def typed(
    subject: str,
    ends: list[tuple[str, str] | None],
    exact: list[str | None],
    bounds: dict[str, list[str]] | None = None,
) -> AmplificationCurves:
    """Curves at n = 10, 1000, 10^5, ... with these ends, exact values and promises."""
    points = tuple(
        AmplificationPoint(
            10 ** (2 * k + 1),
            None if pair is None else between(*pair),
            None if value is None else between(value, value),
        )
        for k, (pair, value) in enumerate(zip(ends, exact, strict=True))
    )
    lines = tuple((name, tuple(between(v, v) for v in values)) for name, values in (bounds or {}).items())
    return AmplificationCurves(subject, Fraction(1, 10**6), None if bounds is None else Fraction(7), points, lines)


TOGETHER = typed(
    "all lines together",
    [("1.94", "1.95"), ("0.2", "0.21"), ("0.02", "0.021")],
    ["1.945", None, None],
    {name: ["1.945", "0.205", "0.0205"] for name in NAMES},
)
APART = typed(
    "lines far apart",
    [("1.9", "1.95"), ("0.2", "0.4"), ("0.001", "0.02")],
    [None, None, None],
    {name: ["1.95", f"0.{k + 2}", f"0.0{k + 3}"] for k, name in enumerate(NAMES)},
)
REFUTED = typed(
    "a bound below",
    [("1.9", "1.95"), ("0.2", "0.21")],
    ["1.92", None],
    {"variation ratio": ["1.91", "0.199"], "clones": ["1.95", "0.3"]},
)
EXACT_ALONE = typed("exact alone", [None, None, None], ["0.5", "0.05", None])
WITHOUT_BOUNDS = typed("ends alone", [None, ("0.2", "0.5"), ("0.02", "0.05")], [None, None, None])

PROMISED_ZERO = typed(
    "a promise of 0",
    [("1.9", "1.95"), ("0.01", "0.3"), ("0", "0.1")],
    [None, None, "0"],
    {"clones": ["1.95", "0", "0"], "variation ratio": ["0", "0", "0"], "Bennett": ["1.95", "0.5", "0.1"]},
)

AMPLIFIED = (TOGETHER, APART, REFUTED, PROMISED_ZERO, EXACT_ALONE, WITHOUT_BOUNDS)

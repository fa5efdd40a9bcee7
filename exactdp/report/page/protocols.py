"""The protocols' pages: what each protocol is, its tables of exact numbers, and the rows of the ledger about it.

What is said of a protocol stands in protocols.md, for the report and for the site.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from exactdp.errors import InvalidValueError
from exactdp.report.page import protocol_tables as tables
from exactdp.report.page.cells import NumberTable


@dataclass(frozen=True, slots=True)
class ProtocolPage:
    """A protocol as the report presents it.

    Args:
        key: as :data:`exactdp.report.figures.gallery.FIGURES` names the page.
        name: as a heading.
        description: what users send and what is estimated, in ASCII mathematics; an empty line ends a paragraph.
        sources: as in the ledger.
        topics, rows: which rows of the ledger are about it: whole topics, and single rows by id.
        tables: compute its numbers.
        experiments: their names, and their draws on the page.
    """

    key: str
    name: str
    description: str
    sources: str
    topics: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    tables: tuple[Callable[[], NumberTable], ...] = ()
    experiments: tuple[tuple[str, int], ...] = ()


def _texts() -> dict[str, tuple[str, str, str]]:
    """Return the name, the description and the sources of each page by its key, as protocols.md has them."""
    found = {}
    text = files("exactdp.report.page").joinpath("protocols.md").read_text("utf-8")
    for part in text.split("\n# ")[1:]:
        head, *paragraphs, sources = (" ".join(each.split("\n")) for each in part.strip().split("\n\n"))
        name, _, key = head.removesuffix("}").rpartition(" {#")
        found[key] = name, "\n\n".join(paragraphs), sources.removeprefix("Sources: ")
    return found


_TEXTS: Final = _texts()


def _page(key: str, **shown: Any) -> ProtocolPage:
    return ProtocolPage(key, *_TEXTS[key], **shown)


_, AMPLIFICATION, AMPLIFICATION_SOURCES = _TEXTS["amplification"]
"""How the ends are to be read, and the sources of the ends and of the published bounds."""

PROTOCOLS: Final = (
    _page(
        "zsum",
        topics=("zsum",),
        tables=(tables.zsum_noise, tables.zsum_accuracy, tables.zsum_slack),
        experiments=(("zsum-error", 20_000),),
    ),
    _page(
        "histogram",
        topics=("histogram",),
        tables=(tables.histogram_privacy, tables.histogram_accuracy),
        experiments=(("histogram-error", 4_000),),
    ),
    _page("flooding", tables=(tables.flooding_comparison,)),
    _page(
        "randomized-response",
        topics=("single message", "published-bounds", "adding a user"),
        tables=(tables.response_amplification, tables.response_noise),
        experiments=(("randomized-response", 20_000),),
    ),
    _page("complement", topics=("complement",), tables=(tables.complement_privacy,)),
    _page("gap", topics=("gap",), tables=(tables.gap_privacy,)),
    _page("binary-sums", topics=("binary sums",), tables=(tables.binary_sum_noise,)),
    _page(
        "counting",
        topics=("one-sided noise", "Laplace noise"),
        rows=("geometric-one-user", "geometric-optimal", "geometric-three-users"),
        tables=(tables.counting_laws, tables.counting_calibration),
        experiments=(("central", 4_000),),
    ),
    _page(
        "correlated-counting",
        rows=("survey-messages",),
        tables=(tables.correlated_counting_noise,),
        experiments=(("correlated-counting", 20_000),),
    ),
    _page(
        "split-and-mix",
        topics=("split and mix",),
        tables=(tables.split_and_mix_messages, tables.split_and_mix_distances),
        experiments=(("split-and-mix", 5_000),),
    ),
    _page(
        "almost-central",
        topics=("almost central sums",),
        tables=(tables.almost_central_noise, tables.almost_central_bounds),
    ),
    _page(
        "sample-and-threshold",
        topics=("sample and threshold",),
        rows=("sampling-equivalence", "sampling-no-simulation"),
        tables=(tables.sampling_thresholds, tables.sampling_at_equal_error),
    ),
    _page(
        "stability-histogram",
        rows=("histogram-central-error", "separation", "separation-local-words", "separation-shuffled-words"),
        tables=(tables.central_histograms,),
    ),
    _page("aggregate", tables=(tables.aggregated_bits,)),
    _page("amplification"),
    _page("survey", topics=("survey",), experiments=(("models", 20_000),)),
)
"""The pages, in the order of the report."""


def protocols_of(row: str, topic: str) -> tuple[str, ...]:
    """Return the keys of the pages that a row of the ledger belongs to.

    >>> protocols_of("zsum-view", "zsum"), protocols_of("geometric-one-user", "survey")
    (('zsum',), ('counting', 'survey'))
    """
    return tuple(page.key for page in PROTOCOLS if topic in page.topics or row in page.rows)


def protocol_table(key: str, index: int) -> NumberTable:
    """Compute one table of a page, by the page's key and its place there; up to ten seconds.

    >>> protocol_table("complement", 0).rows[0][1]
    LogRational(None)
    """
    pages = {page.key: page for page in PROTOCOLS}
    if key not in pages:
        raise InvalidValueError(f"there is no page {key!r}. The pages are {', '.join(pages)}.")
    return pages[key].tables[index]()

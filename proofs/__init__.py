"""The ledger: for each lemma or theorem a file with its proof and the claims that decide it, and one with its rows.

``rows()`` lists what is stated; ``check(row)`` decides it by its stored certificate, ``check_from_scratch(row)`` by one
that is made anew. A verdict comes only from the standard-library checker on the certificate of the row's claim, never
from the record in the row.
"""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.proofs.ledger import Outcome, ProofRow, check, check_from_scratch
from exactdp.proofs.row_files import rows_by_id, rows_of

_TOPICS: Final = (
    "definitions",
    "noise_definitions",
    "smooth_definition",
    "smooth_laws",
    "smooth_noise_privacy",
    "binomial_smoothness",
    "binomial_smoothness_printed",
    "zsum",
    "zsum_privacy",
    "zsum_accuracy",
    "histogram",
    "complement",
    "gap",
    "single_message",
    "adding_a_user",
    "pure_dp_facts",
    "composed_privacy",
    "binary_sums",
    "sampled_sums",
    "dropped_counts",
    "split_and_mix",
    "local_model",
    "shared_counts",
    "correlated_reduction",
    "almost_central",
    "survey",
    "hoeffding",
    "geometric",
    "published_bounds",
    "worst_data_set",
    "clone_bounds",
    "order",
    "response_ends",
    "privacy_blanket",
    "swap_bounds",
    "small_sizes",
)
"""The files of the ledger, each NAME.py with its rows/NAME.toml, in its order."""

RENAMED: Final[Mapping[str, str]] = {
    "pure-mean-and-histogram-printed": "pure-histogram-from-sum",
    "survey-laplace-integers-printed": "survey-laplace-integers-rounded",
    "variation-ratio-as-published": "variation-ratio-as-quoted",
    "variation-ratio-every-size": "variation-ratio-two-users",
}
"""Old id -> new id: until 0.4 a row answers to its old id as well, with a line on stderr."""

__all__ = ["RENAMED", "Outcome", "ProofRow", "check", "check_from_scratch", "renamed", "row", "rows"]


def rows() -> tuple[ProofRow, ...]:
    """Return every row of the ledger, topic by topic.

    >>> from exactdp.proofs import rows
    >>> [row.id for row in rows() if row.topic == "complement"]
    ['complement-view', 'complement-local', 'complement-preshuffle']
    """
    return tuple(_by_id().values())


def row(name: str) -> ProofRow:
    """Return the row with this id; one of ``RENAMED`` answers to its old id too, with a FutureWarning.

    >>> from exactdp.proofs import row
    >>> row("complement-view").expected
    <Verdict.PROVED: 'PROVED'>
    """
    if name in RENAMED:
        warnings.warn(renamed(name), FutureWarning, stacklevel=2)
    new = RENAMED.get(name, name)
    if new not in _by_id():
        raise InvalidValueError(f"there is no proof {name!r}. `exactdp prove --list` names all {len(_by_id())}.")
    return _by_id()[new]


def renamed(old: str) -> str:
    """Say that a row has another id.

    >>> renamed("variation-ratio-as-published")
    'variation-ratio-as-published is now variation-ratio-as-quoted; the old id goes away with exactdp 0.4.'
    """
    return f"{old} is now {RENAMED[old]}; the old id goes away with exactdp 0.4."


@cache
def _by_id() -> dict[str, ProofRow]:
    return rows_by_id({name: rows_of(name) for name in _TOPICS})


def _pickled(proof: ProofRow) -> tuple[Callable[[str], ProofRow], tuple[str]]:
    """Return how another process gets a row: by its id, because the function that makes its claim cannot be sent."""
    return row, (proof.id,)


copyreg.pickle(ProofRow, _pickled)

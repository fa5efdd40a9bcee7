"""The ledger: one file for each lemma or theorem, with its statement, its source, and the claim that decides it.

``rows()`` lists what is stated; ``check(row)`` decides it. A verdict comes only from the standard-library checker on
the certificate of the row's claim, never from the record in the row.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from importlib import import_module
from typing import Final

from exactdp.errors import InvalidValueError
from exactdp.proofs.ledger import Outcome, ProofRow, check

_MODULES: Final = (
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
    "binary_sums",
    "sampled_sums",
    "survey",
    "hoeffding",
    "geometric",
    "published_bounds",
)
"""The files of the ledger, in its order."""

__all__ = ["Outcome", "ProofRow", "check", "row", "rows"]


def rows() -> tuple[ProofRow, ...]:
    """Return every row of the ledger, topic by topic.

    >>> from exactdp.proofs import rows
    >>> [row.id for row in rows() if row.topic == "complement"]
    ['complement-view', 'complement-local', 'complement-preshuffle']
    """
    return tuple(row for name in _MODULES for row in import_module(f"{__name__}.{name}").ROWS)


def row(name: str) -> ProofRow:
    """Return the row with this id.

    >>> from exactdp.proofs import row
    >>> row("complement-view").expected
    <Verdict.PROVED: 'PROVED'>
    """
    by_id = {row.id: row for row in rows()}
    if name not in by_id:
        raise InvalidValueError(f"there is no proof {name!r}. `exactdp prove --list` names all {len(by_id)}.")
    return by_id[name]


def _by_id(proof: ProofRow) -> tuple[Callable[[str], ProofRow], tuple[str]]:
    """Return how another process gets a row: by its id, because the function that makes its claim cannot be sent."""
    return row, (proof.id,)


copyreg.pickle(ProofRow, _by_id)

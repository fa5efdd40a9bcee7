"""The ledger: one file for each lemma or theorem, with its statement, its source, and the claim that decides it.

``rows()`` lists what is stated; ``check(row)`` decides it. A verdict comes only from the standard-library checker on
the certificate of the row's claim, never from the record in the row.
"""

from __future__ import annotations

from exactdp.errors import InvalidValueError
from exactdp.proofs.ledger import Outcome, ProofRow, check

__all__ = ["Outcome", "ProofRow", "check", "row", "rows"]


def rows() -> tuple[ProofRow, ...]:
    """Return every row of the ledger, topic by topic.

    >>> from exactdp.proofs import rows
    >>> [row.id for row in rows() if row.topic == "complement"]
    ['complement-view', 'complement-local', 'complement-preshuffle']
    """
    from exactdp.proofs import adding_a_user, complement, gap, single_message, zsum

    return tuple(row for module in (complement, gap, single_message, zsum, adding_a_user) for row in module.ROWS)


def row(name: str) -> ProofRow:
    """Return the row with this id.

    >>> from exactdp.proofs import row
    >>> row("complement-view").expected
    <Verdict.PROVED: 'PROVED'>
    """
    found = {each.id: each for each in rows()}
    if name not in found:
        raise InvalidValueError(f"there is no proof {name!r}. `exactdp prove --list` names all {len(found)}.")
    return found[name]

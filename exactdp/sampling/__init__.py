"""Draws of shuffled views with NumPy: for accuracy at sizes that nobody enumerates, never the support of a claim.

``sample`` and ``sample_blocks`` draw the counts of the view at a cost that does not grow with the number of users;
``simulate`` runs every user and a real shuffle, for small n, as their reference.
"""

from __future__ import annotations

from exactdp.laws.intervals import clopper_pearson
from exactdp.protocols.sampling.blocks import sample, sample_blocks, seeded, shuffled_messages, simulate

__all__ = ["clopper_pearson", "sample", "sample_blocks", "seeded", "shuffled_messages", "simulate"]

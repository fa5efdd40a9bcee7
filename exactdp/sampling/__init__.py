"""Draws of shuffled views with NumPy: for accuracy at sizes that nobody enumerates, never the support of a claim.

``sample`` and ``sample_blocks`` draw the counts of the view at a cost that does not grow with the number of users;
``simulate`` runs every user and a real shuffle, for small n, as their reference. ``rounded_messages`` draws from random
bits alone, exactly.
"""

from __future__ import annotations

from exactdp.laws.intervals import clopper_pearson
from exactdp.protocols.sampling.blocks import sample, sample_blocks, seeded, shuffled_messages, simulate
from exactdp.protocols.sampling.rounded_messages import rounded_messages

__all__ = ["clopper_pearson", "rounded_messages", "sample", "sample_blocks", "seeded", "shuffled_messages", "simulate"]

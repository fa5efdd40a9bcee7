"""The second opinion: what the engines answer, computed again by short sums in mpmath.

Each file but :mod:`exactdp.reference.second_opinion` takes plain numbers, dictionaries and tables, and imports nothing
of the package: it is written to be read beside the definition, not to be fast. They work at the precision that the
caller sets (``mpmath.workdps``); what they return are good digits, not proofs. The tests use them as oracles, and
``exactdp.cross_check`` compares an answer with them.
"""

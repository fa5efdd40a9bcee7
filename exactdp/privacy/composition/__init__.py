"""Many runs: k-fold composition of one mechanism, and the composition of different ones.

``law_pairs.py`` is an ordered pair of laws, finite or a window of a noise law; ``mechanisms.py`` says which pairs a
source has and what dominates them all; ``bracket.py`` closes a bracket; ``composed.py`` is what users hold. Where pairs
are too many, ``profile_pairs.py`` makes some that bound them from points, and ``bracket.py`` asks for more points.
``renyi.py`` has the Rényi divergences and zCDP of the same pairs, of one run or many.
The theorems stand where they are used: dominating measures in :mod:`exactdp.privacy.composition.losses`, both bounds of
a product in :mod:`exactdp.privacy.composition.powers`, pairs from points in
:mod:`exactdp.privacy.composition.profile_pairs`, and the three notions in
:mod:`exactdp.privacy.composition.composed`."""

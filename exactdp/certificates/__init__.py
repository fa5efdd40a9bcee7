"""Does it prove or does it check: claims as data, the prover, and the checker that shares no code with it.

Nothing is imported here, so that ``python -m exactdp.certificates.verify`` loads the standard library only.
"""

"""The only rooms with FLINT: balls, packed integer polynomials, binary splitting.

Ints, Fractions and Intervals cross the border of this package; balls and FLINT integers never do.
"""

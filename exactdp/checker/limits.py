"""What a certificate may ask for: the limits of the format, and those of the work and the memory of one check.

Trusted for: nothing. A larger limit makes no false claim true; it only lets a check ask for more time or room.
"""

from __future__ import annotations

MAX_FILE_BYTES = 2**22
MAX_DEPTH = 32
MAX_BITS = 2**18  # of an integer, and of a common denominator
MAX_DECIMAL_BITS = 256
MAX_TOTAL_BITS = 2**22  # of the common denominator of a law of n users or trials
MAX_TAYLOR_BITS = 2**16
MAX_INEQUALITY_BITS = 4096
MAX_USERS = 10**6
MAX_TRIALS = 20_000
MAX_INPUTS = 256
MAX_MESSAGES = 256
MAX_SENT = 4096
MAX_LIST = 10**6
MAX_WALKED = 10**18  # trials of a binomial that is enclosed
MIN_PRECISION = 16
MAX_PRECISION = 2**14  # of fixed-point numbers, in bits
MAX_EXPONENT = 4096
MAX_PRODUCT_BITS = 2**27  # of all coefficients of a product of two polynomials
MAX_SLOT_BITS = 2**16  # of one coefficient of such a product
MAX_DIGITS = 600  # of a decimal that Python converts at once
DOMAIN_BITS = 256  # with which the parameters of a law are shown to lie in their domains
SHARP_BITS = 16  # of enclosed weights that are compared exactly where they leave a ratio open
MAX_BOX_VARIABLES = 6
MAX_BOX_TERMS = 64
MAX_BOX_PRECISION = 1024
MAX_BERNSTEIN = 20_000
MAX_LAW_BITS = 2**33  # of the products that make the weights of a law
MAX_HELD_BITS = 2**31  # of numbers that are held at once
MAX_WINDOW = 2 * 10**5  # weights of a summand of two binomials, to each side
MAX_EPS = 64
MAX_TERMS = 1000
MAX_SHIFT = 1000
MAX_VARIABLES = 16
MAX_DEGREE = 64
MAX_PARTS = 1000
MAX_WORK = 2 * 10**8  # in short products, of which the dearest was measured to take half a microsecond
MAX_STEPS = 4 * 10**6  # of them in one convolution, so that no law is longer
MAX_SUMS = 2**14  # that are listed to see that a sweep is too long
MAX_RUNS = 10**6
MAX_MEMORY = 10**9  # bytes of the process, and seconds of its time for one file, should a price be too low
MAX_SECONDS = 110
LATTICE_BITS = 64  # of the numbers just below the powers of a lattice ratio, where a curve is checked
TRIM_BITS = 16  # losses at either end of a lattice that weigh less are moved, or not counted

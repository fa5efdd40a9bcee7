"""What a certificate may ask for: the limits of the format, and those of the work and the memory of one check.

Trusted for: nothing. A larger limit makes no false claim true; it only lets a check ask for more time or room.
"""

from __future__ import annotations

# --- Of a file, and of any number in it

MAX_FILE_BYTES = 2**22
"""4 MiB: more is not read."""
MAX_DEPTH = 32
"""Objects and lists in each other: the JSON reader calls itself for each."""
MAX_LIST = 10**6
"""Entries of a list, of which a file of MAX_FILE_BYTES cannot hold many more."""
MAX_DECIMAL_BITS = 256
"""Above these an integer is hexadecimal, which is read in linear time."""
MAX_BITS = 2**18
"""Of an integer, and of a common denominator: a product of two takes milliseconds."""

# --- Of randomizers and data sets

MAX_USERS = 10**6
"""The users of a view that is listed; a view of so many different users is beyond MAX_WORK."""
MAX_INPUTS = 256
MAX_MESSAGES = 256
"""A randomizer is written as a table, of at most 65 536 probabilities where each user sends one message."""
MAX_SENT = 4096
"""The messages of one user, which are counted one by one."""
MAX_TOTAL_BITS = 2**22
"""Of the common denominator of a law of n users or trials: each weight may be as long."""

# --- Of families of randomizers, and of their sums on a lattice

MAX_FAMILY_USERS = 10**12
"""The users of a family: its classes are few, and what is added up are lattices of some thousand places."""
MAX_FAMILY_INPUTS = 10**9
MAX_BUCKETS = 2**64
"""Numbers that only enter a few products of rationals."""
MAX_SPLIT_BITS = 4096
"""Of the mass of messages that support every input; where it has more, it is left out of the blanket."""
MAX_COUNTS = 64
MAX_FAIR_BITS = 2**14
"""Of so many bits all numbers of ones are told from fair bits, and of so many those that are not rare."""
MIN_SUM_BITS = 64
MAX_SUM_BITS = 4096
"""Bits of the coefficients of a measure on a lattice."""
MIN_LENGTH = 16
MAX_LENGTH = 2**17
"""Places of such a measure that is not halved."""
MAX_PLACES = 2**18
"""Of a law of values, when it is put on the lattice."""
TILT_BITS = 64
MAX_TILT = 2**72 - 1
"""A tilt is 1 + T / 2^64 for each step of the lattice: from just above 1 to 257."""
MAX_POWER = 2**20
MAX_POWER_BITS = 2**14
"""The places to which a tilt is raised, and the bits of the power, or of the tilt of a level."""
MAX_SCALE = 2**18
"""Bits by which a tilted measure may be larger or smaller than 1."""
CUT_BITS = 48
"""By so many bits a coefficient at either end is shorter than the sum of all, so that it is cut."""

MAX_FACTORS = 64
"""Of a product of randomizers; and classes of users."""
MAX_PLANS = 2**12
MAX_NODES = 2**14
MAX_STAGES = 1000
"""Of a swap bound: choices of a tilt, nodes on a line, and how many users are given up at the end of each stage."""
MAX_PHASE_BITS = 20
"""Of a phase, whose accuracy is that of its halves."""

MAX_SCORE_BITS = 64
"""Of a score of a message, and of a threshold: the sum over all users is a place of a list."""

# --- Of laws on the integers

MAX_TRIALS = 20_000
"""Of a binomial law that is listed, each weight made from the one before; longer ones are enclosed."""
MAX_WALKED = 10**18
"""Trials of a binomial that is enclosed: what is walked are its outcomes of some weight, as far as MAX_WORK goes."""
MAX_LAW_BITS = 2**33
"""Of the products that make the weights of a law in one convolution: a gigabyte, added up as they are made."""
MAX_WINDOW = 2 * 10**5
"""Weights of a summand of two binomials, to each side: their product is one product of decimals."""
MIN_PRECISION = 16
MAX_PRECISION = 2**14
"""Bits of fixed-point numbers: from a weight that is cut at 2^-16 to a delta of 10^-4900."""
MAX_SUMMANDS = 8
"""Laws whose sum is the noise of two counts: a protocol has one or two."""
MAX_SHARES = 1000
MAX_MODULUS_BITS = 4096
"""Of split and mix: a thousand shares hide the sum of two users as well as a thousand bits."""
MAX_COEFFICIENTS = 512
"""Of the series whose power counts colourings; each is about as long as the weights of so many users."""
MAX_EXPONENT = 4096
"""Of e^x in fixed point, which then has less than 6000 bits before the point."""
DOMAIN_BITS = 256
"""With which the parameters of a law are shown to lie in their domains, where nothing else asks for a precision."""
SHARP_BITS = 16
"""Enclosed weights of more bits are compared exactly where they leave a ratio open; lighter ones may be left open."""

# --- Of privacy levels, shifts and compositions

MAX_EPS = 64
"""A likelihood ratio of 10^27: a guarantee beyond it says little."""
MAX_TERMS = 1000
"""Of a Taylor sum of e^eps, which needs some hundreds at MAX_EPS; also the largest power of a real parameter."""
MAX_TAYLOR_BITS = 2**16
"""Of such a sum, by which every weight of a law is multiplied."""
MAX_SHIFT = 1000
"""Shifts of noise that are compared one by one."""
MAX_PARTS = 1000
"""Parts of a conjunction, mechanisms of a composition, terms of a real parameter."""
MAX_RUNS = 10**6
"""Of one mechanism, which are composed by repeated squaring."""
LATTICE_BITS = 64
"""Of the numbers just below the powers of a lattice ratio, where a curve is checked."""
TRIM_BITS = 16
"""Losses at either end of a lattice that weigh less are moved, or not counted: 2^16 units, of some 2^50 or more."""

# --- Of inequalities

MAX_VARIABLES = 16
MAX_DEGREE = 64
"""Of a polynomial, and of the product of hypotheses in one term."""
MAX_INEQUALITY_BITS = 4096
"""Of a number there, since products of these are taken."""
MAX_BOX_VARIABLES = 6
MAX_BOX_TERMS = 64
"""Of the Taylor sums on a leaf of a box: a leaf that needs more is cut."""
MAX_BOX_PRECISION = 1024
"""Bits of an exponential there."""
MAX_DELTAS = 16
MAX_UNCERTAIN = 6
MAX_BERNSTEIN = 20_000
"""Coefficients of a Bernstein form: the product of all degrees plus 1."""

# --- Of products of lists

MAX_PRODUCT_BITS = 2**27
"""Of all coefficients of a product of two polynomials: a decimal of 40 million digits, multiplied in some seconds."""
MAX_SLOT_BITS = 2**16
"""Of one coefficient of such a product."""
MAX_TERMS_ADDED = 16
"""Terms of a list that are multiplied one by one: of more, the product of decimals is faster."""
MAX_DIGITS = 600
"""Of a decimal that Python converts at once: below every setting of its limit, which begins at 640."""

# --- Of the work and the memory of one check

MAX_WORK = 2 * 10**8
"""In short products, of which the dearest was measured to take half a microsecond: less than two minutes."""
MAX_STEPS = 4 * 10**6
"""Of them in one convolution, so that no law is longer."""
MAX_SUMS = 2**14
"""That are listed to see that a sweep is too long."""
MAX_HELD_BITS = 2**31
"""Of numbers that are held at once: a quarter of a gigabyte."""
MAX_MEMORY = 10**9
MAX_SECONDS = 110
"""Bytes of the process, and seconds of its time for one file, should a price be too low."""

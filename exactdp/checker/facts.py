"""The facts that a verified certificate rests on, in the words that are printed.

docs/soundness.md proves each under these words. The files that use a fact name its theorems in the Coq development.

Trusted for: saying what a check rests on.
"""

from __future__ import annotations

THE_VIEW = "the view is the multiset of messages"
EQUAL_ROWS = "users with equal rows are interchangeable"
MOVED = "moving both views leaves their divergence"
ADDING = "adding a user is post-processing"
TAYLOR = "Taylor sums bound e^eps"
FALLS = "the divergence falls as e^eps grows"
AN_EVENT_IS_BELOW = "an event is below a divergence"
AN_EVENT = "an event below forbids smaller e^eps"
A_VERTEX = "a vertex outcome arises in one way"
LOST = "what Q cannot show is lost at every e^eps"
SHIFT_DOWN = "a shift down is a shift up in the other order"
SHIFTS_ADD = "shifts add up"
A_MEAN = "a mean is at most the largest term"
FIXED_POINT = "fixed-point weights with directed rounding"
GEOMETRIC = "a falling ratio leaves a geometric remainder"
SERIES = "exponentials and logarithms by series"
STEPS = "constant ratios are one outcome"
UNIFORM = "a uniform law differs from itself at its ends"
LIPSCHITZ = "a Lipschitz law is pure"
LONGER = "a longer shift moves a log-concave law further"
ONE_COUNT = "one count is worst for every outcome of the noise"
TWO_POINTS = "two points decide a linear ratio"
BERNSTEIN = "a Bernstein form shows the sign on a cube"
POSITIVE_PARTS = "positive parts of coefficients bound positive parts"
CHANNEL = "a channel on every message does not raise a divergence"
ON_CUBE = "Taylor sums bound e^u on a cube"
CURVE = "a privacy curve on a lattice composes"
MERGED = "losses may be merged in an event"
PRODUCTS = "products of non-negative numbers are non-negative"
BLANKET = "a privacy blanket bounds every data set"
SPREAD = "a mean-preserving spread raises the mean of a convex function"
SWAP = "swapped messages bound every data set"
OWN_SLOT = "who differs may keep a slot of his own"
VERTEX = "of sums of one user's values each the worst has equal ones"
NODES = "nodes of a positive-definite function add up to its integral or more"
PRODUCT = "the classes of a product are products of classes"
AWAY = "who is away adds a message, a dummy or a name on a list"
FEWER_COUNTS = "fewer numbers of ones may tell more"
FIVE = "five randomizers bound every one"
SUBSETS_MEAN = "means over subsets are at most powers of the mean"
CUT = "what is cut of a tilted measure is charged"
K_ARY = "the messages of k-ary response form classes"
UNARY = "the messages of unary encoding form classes"
SUBSETS = "the messages of subset selection form classes"
HADAMARD = "the messages of Hadamard response form classes"
HASHING = "the messages of local hashing form classes"
LAPLACE_CELLS = "the messages of Laplace noise form cells"
RANDOM_OTHERS = "random other users are a mixture of data sets"
CLOSED = "others who hold a third symbol are worst where the bracket is closed"
IN_ORDER = "sums of scores in random order are a test"
SCORES = "a sum of scores is an event"
CORRELATED = "correlated counts differ by one law and its shift"
ONE_MORE = "one holder more shows in half-lines of a sampled count"
MANY_HOLDERS = "many holders are told apart by a tail alone"
COMPONENTS = "components bound how far split and mix is from its sum"
ONE_COMPONENT = "most points fall into one component"
EXTREME_POINTS = "of two messages the extreme rows alone count"
ONE_OF_TWO = "counts of one of two messages differ in half-lines"
NEXT_COUNTS = "counts of one of two messages follow from each other"
EXCLUDED = "a message that an input excludes gives away its row"
ASSUMED = {
    "markov": "Markov's inequality",
    "independence": "the mean of a product of independent variables is the product of their means",
    "union": "a union bound",
    "post-processing": "post-processing does not raise a divergence",
    "composition": "basic composition",
    "taylor": "Taylor's theorem with Lagrange's remainder",
    "monotone-convergence": "limits of increasing sequences pass into sums of non-negative terms",
}
"""What a conjunction may assume, by the name in the file and in words."""
Facts = list[str]

"""What a distribution is: finite laws as integers over one denominator, and the binomial law at any n."""

from exactdp.laws.binomial import Binomial
from exactdp.laws.finite import Law

__all__ = ["Binomial", "Law"]

"""What a distribution is: finite and exact, or a lattice law of any size."""

from exactdp.laws.binomial import Binomial
from exactdp.laws.binomial_sum import BinomialSum
from exactdp.laws.discrete_gaussian import DiscreteGaussian
from exactdp.laws.discrete_laplace import DiscreteLaplace
from exactdp.laws.discrete_uniform import DiscreteUniform
from exactdp.laws.finite import Law
from exactdp.laws.lattice import LatticeLaw
from exactdp.laws.negative_binomial import Geometric, NegativeBinomial
from exactdp.laws.poisson import Poisson

__all__ = [
    "Binomial",
    "BinomialSum",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "DiscreteUniform",
    "Geometric",
    "LatticeLaw",
    "Law",
    "NegativeBinomial",
    "Poisson",
]

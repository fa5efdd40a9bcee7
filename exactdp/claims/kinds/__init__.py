"""Every kind of claim: a file says all of it, under the name of the checker's file that reads and checks it."""

from exactdp.claims.kinds.accuracy import Accuracy, CountAccuracy, Tail, ViewAccuracy, ZeroEstimate
from exactdp.claims.kinds.boxes import BoxInequality
from exactdp.claims.kinds.composed import Composed
from exactdp.claims.kinds.conjunction import Conjunction, Negation
from exactdp.claims.kinds.counting import CountingDP
from exactdp.claims.kinds.equal_laws import AdditiveView, EqualLaws
from exactdp.claims.kinds.for_all import ForAll
from exactdp.claims.kinds.inequalities import Inequality
from exactdp.claims.kinds.mixing import SplitAndMix
from exactdp.claims.kinds.monotone import Monotone
from exactdp.claims.kinds.noise_privacy import ShiftDP, Smooth
from exactdp.claims.kinds.privacy import NeverDP, ShuffleDP
from exactdp.claims.kinds.sampling import SampleThresholdDP
from exactdp.claims.kinds.two_messages import TwoMessageDP
from exactdp.claims.kinds.user_classes import ClassesDP

__all__ = [
    "Accuracy",
    "AdditiveView",
    "BoxInequality",
    "ClassesDP",
    "Composed",
    "Conjunction",
    "CountAccuracy",
    "CountingDP",
    "EqualLaws",
    "ForAll",
    "Inequality",
    "Monotone",
    "Negation",
    "NeverDP",
    "SampleThresholdDP",
    "ShiftDP",
    "ShuffleDP",
    "Smooth",
    "SplitAndMix",
    "Tail",
    "TwoMessageDP",
    "ViewAccuracy",
    "ZeroEstimate",
]

"""Every kind of claim, and the two that are made of other claims: conjunction and not.

Trusted for: a conjunction is proved by all of its parts and refuted by one; not exchanges the two verdicts.

It rests on these facts, with their theorems of the Coq kernel:

- Markov's inequality: laws.markov, markov_and_union.markov_masses
- the mean of a product of independent variables is the product of their means: independence.independent_mean,
  independence.independent_means, independence.independent_mean_masses
- a union bound: laws.Pr_or, markov_and_union.union_masses
- post-processing does not raise a divergence: post_processing.post_processing,
  post_processing.post_processing_hockey_stick, post_processing.post_processing_masses
- basic composition: hockey_stick.below_bind, composition.adaptive_releases
- Taylor's theorem with Lagrange's remainder: no theorem of the kernel yet
- limits of increasing sequences pass into sums of non-negative terms: monotone_convergence.monotone_convergence,
  infinite_sums.double_sum
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from .accuracy import Tail, ZeroEstimate, read_accuracy
from .boxes import BoxInequality
from .budget import Work, malformed
from .composed import Composed
from .counting import Counting
from .equal_laws import AdditiveView, EqualLaws
from .facts import ASSUMED, Facts
from .for_all import ForAll
from .inequalities import Inequality
from .limits import MAX_PARTS
from .mixing import SplitAndMix
from .monotone import Monotone
from .noise_privacy import ShiftPrivacy, Smooth
from .privacy import NeverDP, Privacy
from .reading import Object, any_object, read_choice, read_integer, read_list, read_object
from .sampling import SampleThreshold
from .two_messages import TwoMessages


class Statement(Protocol):
    """A claim that has been read. Either check returns its lemmas, or raises."""

    @property
    def words(self) -> str: ...

    def prove(self, witness: Object, work: Work) -> Facts: ...

    def refute(self, witness: Object, work: Work) -> Facts: ...


class Conjunction(NamedTuple):
    """All of the claims."""

    parts: list[Statement]
    assumed: Facts

    @classmethod
    def read(cls, claim: Object, work: Work) -> Conjunction:
        names = list(ASSUMED)
        read_object(claim, "the claim", ["kind", "claims", *(["assuming"] if "assuming" in claim else [])])
        listed = read_list(claim["assuming"], "assuming", 1, len(names)) if "assuming" in claim else []
        places = [names.index(read_choice(name, "assuming", names)) for name in listed]
        if places != sorted(set(places)):
            malformed("assuming names a fact twice, or out of order")
        parts = [read_claim(part, work) for part in read_list(claim["claims"], "claims", 1, MAX_PARTS)]
        return cls(parts, [f"assumed: {ASSUMED[names[i]]}" for i in places])

    @property
    def words(self) -> str:
        return " AND ".join(f"({part.words})" for part in self.parts)

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["parts"])
        part_witnesses = read_list(witness["parts"], "parts", len(self.parts), len(self.parts))
        facts = list(self.assumed)
        for part, part_witness in zip(self.parts, part_witnesses):
            facts += part.prove(any_object(part_witness, "a part of the witness"), work)
        return facts

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["part", "witness"])
        part = self.parts[read_integer(witness["part"], "part", 0, len(self.parts) - 1)]
        return part.refute(any_object(witness["witness"], "the witness of the part"), work)


class Negation(NamedTuple):
    """The claim is false."""

    inner: Statement

    @classmethod
    def read(cls, claim: Object, work: Work) -> Negation:
        read_object(claim, "the claim", ["kind", "claim"])
        return cls(read_claim(claim["claim"], work))

    @property
    def words(self) -> str:
        return f"NOT ({self.inner.words})"

    def prove(self, witness: Object, work: Work) -> Facts:
        return self.inner.refute(witness, work)

    def refute(self, witness: Object, work: Work) -> Facts:
        return self.inner.prove(witness, work)


KINDS: dict[str, Callable[[Object, Work], Statement]] = {
    "shuffle_dp": Privacy.read_shuffle,
    "two_message_dp": TwoMessages.read,
    "never_dp": NeverDP.read,
    "shift_dp": ShiftPrivacy.read,
    "counting_dp": Counting.read,
    "sample_threshold_dp": SampleThreshold.read,
    "split_and_mix": SplitAndMix.read,
    "composed": Composed.read,
    "smooth": Smooth.read,
    "tail": Tail.read,
    "accuracy": read_accuracy,
    "equal_laws": EqualLaws.read,
    "additive_view": AdditiveView.read,
    "zero_estimate": ZeroEstimate.read,
    "inequality": Inequality.read,
    "box_inequality": BoxInequality.read,
    "for_all": ForAll.read,
    "monotone": Monotone.read,
    "conjunction": Conjunction.read,
    "not": Negation.read,
}


def read_claim(value: object, work: Work) -> Statement:
    claim = any_object(value, "the claim")
    return KINDS[read_choice(claim.get("kind"), "kind", list(KINDS))](claim, work)

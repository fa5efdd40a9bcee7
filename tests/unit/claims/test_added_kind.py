"""A kind of claim that lives here alone, as docs/architecture.md says that one is added."""

import json
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import pytest

from exactdp import Claim, Verdict, certify, verify
from exactdp.checker import claims
from exactdp.checker.budget import Work, rejected
from exactdp.checker.reading import Object, read_integer, read_list, read_object, read_rational
from exactdp.claims import statement
from exactdp.claims.claim import _made_by
from exactdp.claims.encoding import write_integer
from exactdp.claims.statement import Decision, Statement, proved, refuted
from exactdp.errors import CertificateRejectedError, InvalidValueError
from exactdp.numbers.exact import Exact, as_fraction


class Checked(NamedTuple):
    """The claim as the checker reads it."""

    numbers: list[Fraction]
    bound: Fraction

    @classmethod
    def read(cls, claim: Object, work: Work) -> "Checked":
        read_object(claim, "the claim", ["kind", "numbers", "bound"])
        listed = read_list(claim["numbers"], "numbers", 1, 100)
        return cls([read_rational(x, "a number") for x in listed], read_rational(claim["bound"], "bound"))

    @property
    def words(self) -> str:
        return f"each of {len(self.numbers)} numbers is at most {self.bound}"

    def prove(self, witness: Object, work: Work) -> list[str]:
        read_object(witness, "the witness", [])
        return rejected("a number is above") if max(self.numbers) > self.bound else []

    def refute(self, witness: Object, work: Work) -> list[str]:
        read_object(witness, "the witness", ["place"])
        place = read_integer(witness["place"], "place", 0, len(self.numbers) - 1)
        return [] if self.numbers[place] > self.bound else rejected("this number is not above")


@pytest.fixture(autouse=True)
def at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the kind for one test."""
    monkeypatch.setattr(statement, "_KINDS", dict(statement._KINDS))
    monkeypatch.setitem(claims.KINDS, "at_most", Checked.read)

    @dataclass(frozen=True, slots=True)
    class AtMost(Statement, kind="at_most"):
        """Numbers are at most a bound."""

        numbers: tuple[Fraction, ...]
        bound: Fraction

        @classmethod
        def of(cls, *numbers: Exact, bound: Exact) -> "AtMost":
            """Each of the numbers is at most the bound."""
            if not numbers:
                raise InvalidValueError("no numbers given. Pass at least one.")
            listed = tuple(as_fraction(number, name="a number") for number in numbers)
            return cls(listed, as_fraction(bound, name="bound"))

        def decide(self, executor: Executor | None = None) -> Decision:
            """Decide by the largest number."""
            place = max(range(len(self.numbers)), key=self.numbers.__getitem__)
            if self.numbers[place] > self.bound:
                return refuted(f"Number {place} is above.", place=write_integer(place))
            return proved("None is above.")

    monkeypatch.setattr(Claim, "at_most", _made_by(AtMost.of), raising=False)


def test_a_claim_of_the_kind_is_certified_and_checked() -> None:
    for bound, verdict in (("1/2", Verdict.PROVED), ("1/3", Verdict.REFUTED)):
        claim = Claim.at_most("1/4", "1/2", bound=bound)  # type: ignore[attr-defined]
        certificate = certify(claim)
        assert (certificate.verdict, certificate.level, verify(certificate)) == (verdict, "certificate", verdict)
        assert claim.statement.bound == Fraction(bound)
        assert certify(Claim.negation(claim)).verdict is not verdict
        assert certify(Claim.conjunction(claim, claim)).verdict is verdict


def test_a_wrong_witness_is_rejected_and_what_is_no_claim_refused() -> None:
    certificate = certify(Claim.at_most("1/4", "1/2", bound="1/3"))  # type: ignore[attr-defined]
    with pytest.raises(CertificateRejectedError, match="this number is not above"):
        verify(replace(certificate, witness=json.dumps({"place": "0"})))
    with pytest.raises(InvalidValueError, match="Pass at least one"):
        Claim.at_most(bound=1)  # type: ignore[attr-defined]

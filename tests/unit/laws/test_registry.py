"""The one list of noise laws, and what reads it: claims, the command line, the sampler; a law of one's own is added."""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from click.testing import CliRunner
from flint import arb

import exactdp as xdp
from exactdp import laws
from exactdp.checker import noise_laws
from exactdp.checker.budget import Work
from exactdp.claims import encoding
from exactdp.cli.main import cli
from exactdp.errors import NotCheckableError
from exactdp.laws.lattice import Drawn, LatticeLaw, Primitives
from exactdp.laws.registry import CONTINUOUS, FAMILIES, LawFamily, family_of
from exactdp.numbers.balls import rational_ball
from exactdp.numbers.real import Real
from exactdp.protocols.named_protocols import ENTRIES, of_law
from tests.interfaces import test_laws

VALUES = {
    "n": "7",
    "p": "1/3",
    "n1": "4",
    "p1": "1/2",
    "n2": "5",
    "p2": "2/7",
    "r": "9/2",
    "exp_eps": "7/3",
    "sigma_squared": "5/2",
    "mu": "11/4",
    "low": "-2",
    "high": "5",
}


def test_every_law_has_a_family():
    named = {getattr(laws, name) for name in laws.__all__} - {laws.Law, laws.LatticeLaw}
    assert {family.law for family in (FAMILIES | CONTINUOUS).values()} == named
    assert {law.__name__ for law in named} <= set(xdp.__all__)
    assert [family.name for family in FAMILIES.values()] == list(FAMILIES)
    assert family_of(xdp.Law({0: 1})) is None


@pytest.mark.parametrize("name", FAMILIES)
def test_the_checker_knows_the_same_families(name):
    """It has a list of its own, which nothing here fills."""
    family, (keys, _) = FAMILIES[name], noise_laws.FAMILIES[name]
    assert keys == list(family.fields)
    written = {"family": name, **{key: VALUES[key] for key in keys}}
    assert noise_laws.Noise.read(written, Work()).words == family.words.format(**VALUES)
    assert encoding.write_noise(encoding.read_noise(written)) == written


def test_the_checker_knows_no_other_families():
    assert noise_laws.FAMILIES.keys() == {"finite", "view", *FAMILIES}


def test_the_command_line_names_every_family():
    shown = CliRunner().invoke(cli, ["protocols"]).output
    for family in (FAMILIES | CONTINUOUS).values():
        assert f"  @{family.name} " in shown
        asked = CliRunner().invoke(cli, ["protocols", family.name]).output
        assert all(f"\n{name}={letter} " in asked for name, letter in family.letters.items())
        assert list(ENTRIES[family.name].by_name) == list(family.fields) == list(family.says)


# --- A law of one's own ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Balls:
    p: Fraction
    low, high, lost_bits = -1, 1, 0

    def pmf(self, k: int) -> arb:
        return rational_ball(self.p if k else 1 - 2 * self.p)

    def cdf(self, k: int) -> arb:
        return sum((self.pmf(t) for t in range(-1, min(k, 1) + 1)), arb(0))

    def sf(self, k: int) -> arb:
        return 1 - self.cdf(k)


@dataclass(frozen=True)
class Nudge(LatticeLaw):
    """-1 and 1 with probability p each, else 0; log-concave, because p <= 1/3."""

    p: Fraction

    low, high, mode = -1, 1, 0
    mean = Fraction(0)
    is_log_concave = is_rational = is_symmetric = True
    tail_ratio = None

    @property
    def variance(self) -> Fraction:
        return 2 * self.p

    @property
    def enclosed(self) -> _Balls:
        return _Balls(self.p)

    def ratio(self, t: int, u: int) -> Real:
        return Real(self._exact_pmf(t) / self._exact_pmf(u))

    def _exact_pmf(self, k: int) -> Fraction:
        return {-1: self.p, 0: 1 - 2 * self.p, 1: self.p}.get(k, Fraction(0))

    def _exact_cdf(self, k: int) -> Fraction:
        return sum((self._exact_pmf(t) for t in range(-1, k + 1)), Fraction(0))

    def drawn(self, source: Primitives[Drawn]) -> Drawn:
        half = Fraction(1, 2)  # of p = 1/4 alone: the difference of two fair coins
        assert self.p == Fraction(1, 4)
        return source.minus(source.binomial(1, half), source.binomial(1, half))


@pytest.fixture
def nudge(monkeypatch):
    family = LawFamily("nudge", f"{__name__}:Nudge", "p=P", "p=1/4")
    monkeypatch.setitem(FAMILIES, "nudge", family)
    monkeypatch.setitem(ENTRIES, "nudge", of_law(family))
    return Nudge(Fraction(1, 4))


@pytest.mark.parametrize("check", test_laws.INTERFACE)
def test_a_law_of_ones_own_keeps_the_interface(nudge, check):
    test_laws.INTERFACE[check](nudge)


def test_a_law_of_ones_own_is_decided_without_the_checker(nudge):
    """The checker, which does not know the family, is not deceived, and the claim is decided by the engine alone."""
    certificate = xdp.certify(xdp.Claim.shift_dp(nudge, shift=1, exp_eps=2, delta="1/4"))
    assert (certificate.verdict, certificate.level) == (xdp.Verdict.PROVED, "enclosure")
    with pytest.raises(NotCheckableError):
        certificate.to_json()


def test_a_law_of_ones_own_is_on_the_command_line(nudge):
    result = CliRunner().invoke(cli, ["law", "@nudge:p=1/4", "--format", "json"])
    assert result.exit_code == 0, result.output
    missing = CliRunner().invoke(cli, ["law", "@nudge:q=1"])
    assert missing.exit_code == 2
    assert "Write @nudge:p=P, for example @nudge:p=1/4." in missing.output

"""The API reference has an entry for what is promised, for what is public, and for what the pages use."""

from collections.abc import Iterator
from importlib import import_module

import pytest

import exactdp
from exactdp import errors
from tools.docs_site.api_pages import Entry, _used_on_pages, api_pages, attribute_words, entries, package_names
from tools.docs_site.stage import ROOT, SiteError

PROMISED = """
Randomizer Randomizer.inputs Randomizer.alphabet Randomizer.local_epsilon Randomizer.preshuffle Randomizer.from_file
randomized_response ShuffleProtocol ShuffleProtocol.law ShuffleProtocol.privacy_profile ShuffleProtocol.estimate
AdditiveProtocol AdditiveProtocol.law AdditiveProtocol.privacy_profile AdditiveProtocol.estimate Analyzer Neighbors
Neighbors.REPLACE_ONE Neighbors.ADD_OR_REMOVE_ONE Law Law.prob Law.items Law.support Law.mean Law.map Exact Binomial
BinomialSum NegativeBinomial Geometric DiscreteLaplace DiscreteGaussian Poisson Binomial.mode Binomial.mean
Binomial.variance laws.LatticeLaw laws.LatticeLaw.pmf laws.LatticeLaw.cdf laws.LatticeLaw.sf laws.LatticeLaw.quantile
laws.LatticeLaw.exact_pmf laws.LatticeLaw.exact_cdf laws.LatticeLaw.exact_sf hockey_stick_divergence
total_variation_distance PrivacyProfile PrivacyProfile.delta PrivacyProfile.epsilon PrivacyProfile.is_exact
PrivacyProfile.worst_pair PrivacyProfile.tradeoff PrivacyProfile.compose PrivacyProfile.bracket Bracket Bracket.lower
Bracket.upper Bracket.attained_by Bracket.theorem Bracket.is_closed WorstPair compose shift_profile smoothness_delta
LogRational LogRational.argument LogRational.is_infinite LogRational.enclose Interval Interval.lo Interval.hi
Interval.compare Claim Claim.digest Claim.shuffle_dp Claim.shift_dp Claim.smooth Claim.accuracy Claim.tail
Claim.pure_dp Claim.inequality Claim.equal_laws Claim.composed Claim.conjunction Claim.for_all certify Certificate
Certificate.verdict Certificate.level Certificate.claim Certificate.to_json Certificate.save Certificate.load Verdict
Verdict.PROVED Verdict.REFUTED Verdict.UNDECIDED verify calibrate Calibration Calibration.parameter Calibration.holds
Calibration.fails Calibration.scope Family optimal_accuracy find_counterexample is_private sample sample_blocks
cross_check ExactDPError errors.UndecidedError errors.TooLargeError errors.NotCheckableError
errors.CertificateRejectedError errors.MalformedCertificateError errors.InvalidLawError protocols.zsum
protocols.zsum_from_theorem protocols.histogram protocols.histogram_from_theorem protocols.complement protocols.gap
protocols.cheu_binary_sum protocols.private_counting protocols.one_sided_counting protocols.split_and_mix
protocols.SplitAndMix.total_variation protocols.sample_and_threshold protocols.correlated_counting
protocols.correlated_counting_from_theorem protocols.almost_central_sum randomizers.unary_encoding
randomizers.subset_selection randomizers.hadamard_response randomizers.local_hashing
randomizers.clipped_discrete_laplace randomizers.repeat randomizers.any_randomizer randomizers.FamilyRandomizer
randomizers.FamilyRandomizer.local_epsilon randomizers.FamilyRandomizer.table symbolic.randomizer symbolic.profile
symbolic.SymbolicProfile.delta testing.assert_shuffle_dp testing.assert_dp_curve testing.assert_samples_match
testing.assert_not_refuted
"""
"""Names that outside scripts call exactly so; what they mean does not change."""


def missing(names: list[str], found: list[Entry]) -> Iterator[str]:
    """The names, below exactdp, that have no entry and are no public member of a class that has one."""
    by_address = {entry.address.removeprefix("exactdp."): entry.value for entry in found}
    by_value = {id(entry.value) for entry in found}
    for name in names:
        owner, _, member = name.rpartition(".")
        is_member = owner in by_address and (
            member in vars(by_address[owner]) or member in getattr(by_address[owner], "__annotations__", {})
        )
        handed = getattr(import_module(f"exactdp.{owner}"), member, None) if owner.islower() and owner else None
        if name not in by_address and not is_member and id(handed) not in by_value:
            yield name


def test_every_promised_name_has_an_entry() -> None:
    found = entries()
    assert list(missing(PROMISED.split(), found)) == []
    without = [entry for entry in found if entry.name not in ("Bracket", "zsum")]
    wrong = ["PrivacyProfile.no_such", "no_such", "laws.Binomial.no_such"]
    assert list(missing(["Law", "Bracket", "Bracket.lower", "protocols.zsum", *wrong], without)) == [
        "Bracket", "Bracket.lower", "protocols.zsum", *wrong
    ]  # fmt: skip


def test_every_public_name_is_described_once() -> None:
    described = [
        line.partition(":: ")[2]
        for page in api_pages()
        for line in page.text.splitlines()
        if line.startswith((".. auto", ".. py:data"))
    ]
    assert len(described) == len(set(described))
    places = {id(entry.value): entry.address for entry in entries()}
    for package in [exactdp, *(import_module(name) for name in package_names())]:
        for name in set(getattr(package, "__all__", ())) - {"protocols"}:
            assert places[id(getattr(package, name))] in described, f"{package.__name__}.{name}"
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and kind.__module__ == errors.__name__]
    assert {places[id(kind)] for kind in kinds} <= set(described)


def test_what_a_page_imports_from_deep_down_is_described() -> None:
    used = {entry.address for entry in _used_on_pages(ROOT)}
    assert {"exactdp.studies.sweep.sweep_store.SweepStore", "exactdp.studies.survey.measured.survey"} <= used
    assert used <= {entry.address for entry in entries()} | {
        f"{entry.value.__module__}.{entry.name}" for entry in entries() if hasattr(entry.value, "__module__")
    } | {"exactdp.report.experiments.EXPERIMENTS"}
    assert not any(address.startswith("exactdp.cli") for address in used)


def test_a_value_is_described_by_the_words_below_it_and_refused_without() -> None:
    words = attribute_words(Entry("exactdp", "exactdp.Exact", exactdp.Exact))
    assert words[0].startswith("What is read as an exact number")
    with pytest.raises(SiteError, match=r"^exactdp\.NoSuch has an entry in the API reference and no words\."):
        attribute_words(Entry("exactdp", "exactdp.NoSuch", 1))


def test_a_name_of_another_page_and_an_inherited_method_lead_there() -> None:
    pages = {page.title: page.text for page in api_pages()}
    assert ":: exactdp.laws.Binomial\n" not in pages["exactdp.laws"]
    assert "`Binomial <exactdp.Binomial>`" in pages["exactdp.laws"]
    assert "`pmf <exactdp.laws.LatticeLaw.pmf>`" in pages["exactdp"]
    assert "`variance <exactdp.laws.LatticeLaw.variance>`" not in pages["exactdp"]
    assert "`protocols <exactdp.protocols>`" in pages["exactdp"]

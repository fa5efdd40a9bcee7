"""The bounds that people use: transcribed right, proved by what is named, refuted where they are, and on their page."""

import json
import math
import re
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf, ncdf

import exactdp as xdp
from exactdp.cli.main import cli
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.interval import fraction_ends
from exactdp.studies.counterexamples import bounds_in_use
from exactdp.studies.counterexamples.bounds_in_use import BOUNDS, BoundInUse, chosen, decomposition_delta
from exactdp.studies.counterexamples.comparison import Promise, response_case
from exactdp.studies.counterexamples.refutation import case_of

ROOT = Path(__file__).resolve().parents[4]
MILLIONTH = Fraction(1, 10**6)
numbers = st.fractions(Fraction(1, 4), 4, max_denominator=8)


def by_listing(n: int, values: list[tuple[Fraction, Fraction]]) -> Fraction:
    """The mean of the positive part of n copies over n, summand by summand."""
    total = Fraction(0)
    for one in product([*values, (Fraction(0), 1 - sum(weight for _, weight in values))], repeat=n):
        total += prod((w for _, w in one), start=Fraction(1)) * max(Fraction(0), sum((v for v, _ in one), Fraction(0)))
    return total / n


@settings(max_examples=30, deadline=None)
@given(numbers, numbers, numbers, st.integers(1, 4), st.sampled_from([3, 7, 1200]))
def test_a_decomposition_is_its_definition(gain: Fraction, loss: Fraction, ratio: Fraction, n: int, steps: int) -> None:
    """By listing, with the values on the lattice; and it is no less than without the lattice."""
    exp_eps0 = 1 + ratio
    values = [(gain, Fraction(1, 3)), (-loss, Fraction(1, 5))]
    found = decomposition_delta(n, values, exp_eps0=exp_eps0, steps=steps, relative_bits=60)
    step = ratio / steps
    raised = [(math.ceil(value / step) * step, weight) for value, weight in values]
    low, high = fraction_ends(found)
    assert low <= by_listing(n, raised) <= high
    assert high >= by_listing(n, values)


@pytest.mark.parametrize(("k", "ratio", "n", "exp_eps"), [(2, 3, 60, "6/5"), (4, 7, 100, "3/2"), (16, 3, 50, "11/10")])
def test_a_decomposition_is_what_a_fourier_transform_gives(k: int, ratio: int, n: int, exp_eps: str) -> None:
    """In floating point, by powers of the transform of the law on the lattice: another way to the same number."""
    case, level = response_case(n, k, Fraction(ratio)), Fraction(exp_eps)
    (low, high) = fraction_ends(BOUNDS["decomposition-fft-response"].promise.says(case, level))
    share, step = 1 / (ratio + k - 1), Fraction(ratio - 1, 1200)
    places = [math.ceil(value / step) for value in (ratio - level, 1 - level, 1 - level * ratio)]
    size = 1 << (n * (max(places) - min(places))).bit_length()
    law = np.zeros(size)
    for place, weight in zip((*places, 0), (share, (k - 2) * share, share, 1 - k * share), strict=True):
        law[place - min(places)] += weight
    sums = np.fft.irfft(np.fft.rfft(law) ** n, size)
    values = (np.arange(size) + n * min(places)) * float(step)
    by_transform = float(np.maximum(values, 0) @ sums) / n
    assert float(low) == pytest.approx(by_transform, rel=1e-6)
    assert float(high) == pytest.approx(by_transform, rel=1e-6)


def test_the_windows_of_piecewise_show_k_ary_response() -> None:
    """The masses of the windows of -1, 1, 0 and of the rest, from the densities, for e^(eps0/2) = 2, 3 and 4."""
    for z in (2, 3, 4):
        half = Fraction(z + 1, z - 1)  # messages lie in [-C, C]
        windows = [(-half, Fraction(-1)), (Fraction(1), half), (-(half - 1) / 2, (half - 1) / 2)]
        height = 1 / ((half - 1) + (2 * half - (half - 1)) / z**2)  # of the density in the own window
        assert windows[0][1] <= windows[2][0] <= windows[2][1] <= windows[1][0]
        rest = 2 * half - sum(high - low for low, high in windows)
        for own in range(3):
            masses = [(high - low) * height / (1 if i == own else z**2) for i, (low, high) in enumerate(windows)]
            kept, others = Fraction(z**2, z**2 + z), Fraction(1, z**2 + z)  # of k-ary response, k = z + 1
            assert masses == [kept if i == own else others for i in range(3)]
            assert rest * height / z**2 == (z - 2) * others


def test_formulas_of_programs_are_what_the_programs_compute() -> None:
    """In floats, statement by statement as the programs have it."""
    for n, ratio, delta in ((10**4, 3.0, 1e-6), (10**6, 20.0, 1e-8), (10**5, 1.5, 1e-2)):
        case, eps0 = case_of("@any-randomizer", n, Fraction(ratio)), math.log(ratio)
        a = 8 * math.sqrt(ratio * math.log(4 / delta)) / math.sqrt(n) + 8 * ratio / n
        closed = math.log(1 + (1 - math.exp(-eps0)) / (1 + math.exp(-eps0 - math.log(1 + a))) * a)
        asymptotic = eps0 * math.sqrt(math.log(1 / delta) / n)
        by_name = {
            "clones-closed-program": closed,
            "opendp-program": 2 * math.log(1 + math.expm1(eps0) / (ratio + 1) * a),
            "aidotnet-program": min((1 - 1 / n) * math.log(1 + (ratio - 1) / n) + eps0 / n, asymptotic),
        }
        for name, eps in by_name.items():
            low, high = fraction_ends(BOUNDS[name].promise.says(case, Fraction(delta)))
            assert math.log(low) == pytest.approx(min(eps, eps0), rel=1e-7), name
            assert math.log(high) == pytest.approx(min(eps, eps0), rel=1e-7), name


def test_the_first_and_simpler_forms_of_sequential_shuffling() -> None:
    """The theorem derives its two simpler forms from the first, within their conditions."""
    for n, ratio, delta in ((1000, 1.5, 1e-3), (10**5, 1.2, 1e-6), (10**7, 1.6, 1e-9)):
        case = case_of("@any-randomizer", n, Fraction(ratio))
        ends = [
            BOUNDS[f"sequential-shuffling{name}"].promise.says(case, Fraction(delta))
            for name in ("-any", "-refined", "")
        ]
        first, refined, simple = (fraction_ends(end)[1] for end in ends)
        assert first <= refined <= simple
    with pytest.raises(HypothesisError, match="outside of the conditions"):
        BOUNDS["sequential-shuffling"].promise.says(case_of("@any-randomizer", 10, Fraction(3)), MILLIONTH)


def test_a_gaussian_mechanism_has_the_delta_of_the_formula() -> None:
    for n, ratio, exp_eps in ((50, 3, "3/2"), (1000, 20, "11/10"), (10**6, 55, "101/100")):
        found = BOUNDS["personalised-gaussian"].promise.says(
            case_of("@any-randomizer", n, Fraction(ratio)), Fraction(exp_eps)
        )
        with mp.workdps(40):
            mu, level = (
                mp.sqrt(mpf(2) * (ratio + 1) / (n - 1)),
                mpf(Fraction(exp_eps).numerator) / Fraction(exp_eps).denominator,
            )
            eps = mp.log(level)
            delta = ncdf(-eps / mu + mu / 2) - level * ncdf(-eps / mu - mu / 2)
            low = fraction_ends(found)[0]
            assert abs(mpf(low.numerator) / low.denominator / delta - 1) < mpf(10) ** -15


def test_every_bound_has_a_source_and_its_theorems_are_those_of_the_kernel() -> None:
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / "exactdp" / "references.bib").read_text("utf-8"), re.MULTILINE)
    for bound in BOUNDS.values():
        cited = re.findall(r"\b[A-Z]\w+\d{4}\b", bound.source)
        programs = re.findall(r"[\w.-]+/[\w.-]+ at [0-9a-f]{12}", bound.source)
        assert cited or programs, bound.name
        assert set(cited) <= set(keys), bound.name
        assert bound.condition
        for theorem in bound.theorems:
            file, _, name = theorem.partition(".")
            text = (ROOT / "proofs" / "coq").rglob(f"{file}.v")
            assert any(re.search(rf"^Theorem {name}\b", path.read_text("utf-8"), re.MULTILINE) for path in text), (
                theorem
            )
    assert [bound.year for bound in BOUNDS.values()] == sorted(bound.year for bound in BOUNDS.values())


def test_names_are_known() -> None:
    assert [bound.name for bound in chosen(["clones", "hoeffding-blanket"])] == ["hoeffding-blanket", "clones"]
    with pytest.raises(InvalidValueError, match=r"there is no bound .clone.\. Did you mean clones"):
        chosen(["clone"])


@pytest.mark.slow
def test_what_is_refuted_has_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds_in_use, "SIZES", (100,))
    names = (
        *("aidotnet-program", "personalised-gaussian", "variation-ratio-response", "variation-ratio-unary-encoding"),
        *("variation-ratio-piecewise", "decomposition-fft-generic"),
    )
    asked = [part for name in names for part in ("--only", name)]
    done = CliRunner().invoke(
        cli, ["search", "bounds-in-use", *asked, "--certificates", str(tmp_path), "--format", "json"]
    )
    assert done.exit_code == 1, done.stderr
    rows = {row["bound"]: row for row in json.loads(done.stdout)["rows"]}
    assert set(rows) == set(names)
    for name, row in rows.items():
        certificate = xdp.Certificate.load(tmp_path / f"{name}.json")
        assert xdp.verify(certificate) is xdp.Verdict.REFUTED
        assert row["verdict"] == "refuted"
        assert row["by"] == [certificate.claim.digest()]
        assert row["instance"]["n"] <= 100
    assert rows["variation-ratio-piecewise"]["instance"]["randomizer"] == bounds_in_use.RESPONSE
    assert rows["variation-ratio-piecewise"]["looseness"][0]["verdict"] == "below"


@pytest.mark.slow
def test_a_hundredth_of_a_bound_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a verdict can be another one than is printed."""
    monkeypatch.setattr(bounds_in_use, "SIZES", ())
    whole = BOUNDS["clones"]
    part = Promise("part", True, lambda case, exp_eps: fraction_ends(whole.promise.says(case, exp_eps))[1] / 100)
    found = BoundInUse("part", 2021, "", "none", part).tried()
    assert found.is_refuted
    assert not whole.tried().is_refuted


@pytest.mark.parametrize(("form", "start"), [("markdown", "| bound | year |"), ("csv", "bound,year,")])
def test_the_table_for_pages_and_spreadsheets(form: str, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds_in_use, "SIZES", (100,))
    monkeypatch.setattr(bounds_in_use, "_USERS", (2,))
    done = CliRunner().invoke(cli, ["search", "bounds-in-use", "--only", "aidotnet-program", "--format", form])
    assert done.exit_code == 1, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(start)
    assert "aidotnet-program" in lines[-1]
    assert "ooples/AiDotNet at 18a57ad46839" in lines[-1]
    assert {line.count("|") for line in lines} == {lines[0].count("|")}


@pytest.mark.parametrize("more", [["gaps-noise", "--only", "clones"], ["bounds-in-use", "--large"]])
def test_options_that_have_no_meaning_are_refused(more: list[str]) -> None:
    done = CliRunner().invoke(cli, ["search", *more])
    assert done.exit_code == 2
    assert "eave " in done.stderr

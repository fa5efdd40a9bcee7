"""Claims for whole boxes of parameters, and which way a delta moves: against the exact engine, and tampered with."""

from __future__ import annotations

import json
import pickle
import random
from fractions import Fraction
from itertools import product
from math import comb

import pytest
import sympy

from exactdp import Binomial, Claim, OpenClaim, Poisson, ShuffleProtocol, Verdict, certify, verify
from exactdp.checker.boxes import End
from exactdp.checker.budget import CertificateRejectedError, MalformedCertificateError, Work
from exactdp.checker.cells import Cell, Packing
from exactdp.checker.documents import verify_text
from exactdp.claims.encoding import MessageSum
from exactdp.claims.open_claims import Trials
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.symbolic import Span, SymbolicRandomizer
from tests.certificates import claims
from tests.together import together

FLIP = SymbolicRandomizer({0: {(0,): "1 - p", (1,): "p"}, 1: {(0,): "p", (1,): "1 - p"}}, {"p": (0, "1/2")})
TURN = SymbolicRandomizer(
    {x: {(x,): "1 - a - b", ((x + 1) % 3,): "a", ((x + 2) % 3,): "b"} for x in range(3)},
    {"a": ("1/10", "1/3"), "b": ("1/10", "1/3")},
)
ZSUM = SymbolicRandomizer({0: {(): "p", (0,): "1 - p"}, 1: {(0,): "p", (0, 0): "1 - p"}}, {"p": (0, "1/2")})
TINY = Fraction(1, 10**12)


def decided(box, claim):
    """The certificate of a claim for a box, checked from its text."""
    certificate = certify(Claim.for_all(box, claim))
    assert certificate.level == "certificate", certificate.reason
    assert verify_text(certificate.to_json()).verdict == certificate.verdict.value
    return certificate


def delta_at(randomizer, n, exp_eps, neighbors=Neighbors.REPLACE_ONE, **point):
    """The exact engine's worst delta at a point."""
    return ShuffleProtocol(randomizer.at(**point), n).privacy_profile(neighbors=neighbors).delta(exp_eps=exp_eps)


def refuted_at(certificate):
    """The point at which a claim is refuted."""
    assert certificate.verdict is Verdict.REFUTED
    return [Fraction(x) for x in json.loads(certificate.witness)["point"]]


def test_zero_over_a_function_is_written_as_zero():
    told = [
        Claim.for_all({"p": (0, "1/2")}, OpenClaim.shift_dp({0: 1}, exp_eps=1, delta=["p", zero]))
        for zero in ("0", "0/(1 + p)")
    ]
    assert told[0] == told[1]


# --- Privacy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("randomizer", "n"), [(FLIP, 3), (ZSUM, 2)])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_the_worst_delta_of_a_box_is_met_from_both_sides(randomizer, n, neighbors):
    """At its ends, by 10^-12: at random points of the box the exact engine has nothing against what is proved."""
    rng, exp_eps = random.Random(5), Fraction(3, 2)
    low, high = Fraction(1, 10), Fraction(2, 5)
    points = [low, high, *(Fraction(rng.randrange(100, 401), 1000) for _ in range(20))]
    deltas = [delta_at(randomizer, n, exp_eps, neighbors, p=p) for p in points]
    worst = max(deltas)
    assert worst == max(deltas[:2])
    protocol, box = ShuffleProtocol(randomizer, n), {"p": (low, high)}
    for delta, verdict in ((worst, Verdict.PROVED), (worst - TINY, Verdict.REFUTED)):
        claim = OpenClaim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, neighbors=neighbors)
        assert decided(box, claim).verdict is verdict


def test_an_exact_formula_is_proved_and_less_is_refuted():
    """delta = (1 - p)(1 - 2p) at n = 2, e^eps = 1, also given by SymPy."""
    import sympy

    p = sympy.Symbol("p")
    protocol, formula = ShuffleProtocol(FLIP, 2), (1 - p) * (1 - 2 * p)
    for k in range(1, 6):
        at = Fraction(k, 11)
        assert delta_at(FLIP, 2, 1, p=at) == (1 - at) * (1 - 2 * at)
    proved = decided({p: (0, "1/2")}, OpenClaim.shuffle_dp(protocol, exp_eps=1, delta=formula))
    assert proved.verdict is Verdict.PROVED
    assert proved.claim == Claim.for_all(
        {"p": (0, "1/2")}, OpenClaim.shuffle_dp(protocol, exp_eps=1, delta="(1-p)*(1-2*p)")
    )
    less = OpenClaim.shuffle_dp(protocol, exp_eps=1, delta=formula - sympy.Rational(1, 10**12) * p)
    (place,) = refuted_at(decided({"p": (0, "1/2")}, less))
    assert 0 < place <= Fraction(1, 2)


def test_two_parameters_and_e_eps_as_a_parameter():
    rng = random.Random(7)
    points = [(Fraction(rng.randrange(10, 33), 100), Fraction(rng.randrange(10, 33), 100)) for _ in range(12)]
    corners = list(product(*[(Fraction(1, 10), Fraction(1, 3))] * 2))
    worst = max(delta_at(TURN, 2, 2, a=a, b=b) for a, b in corners)
    assert all(delta_at(TURN, 2, 2, a=a, b=b) <= worst for a, b in points)
    box, protocol = {"a": ("1/10", "1/3"), "b": ("1/10", "1/3")}, ShuffleProtocol(TURN, 2)
    assert decided(box, OpenClaim.shuffle_dp(protocol, exp_eps=2, delta=worst)).verdict is Verdict.PROVED
    a, b = refuted_at(decided(box, OpenClaim.shuffle_dp(protocol, exp_eps=2, delta=worst - TINY)))
    assert delta_at(TURN, 2, 2, a=a, b=b) > worst - TINY
    every_ratio = OpenClaim.shuffle_dp(ShuffleProtocol(FLIP, 1), exp_eps="E", delta="1 - (1 + E)*p")
    assert decided({"p": (0, "1/4"), "E": (1, 3)}, every_ratio).verdict is Verdict.PROVED
    assert decided({"p": (0, "1/3"), "E": (1, 3)}, every_ratio).verdict is Verdict.REFUTED
    for_all_n = OpenClaim.shuffle_dp(ShuffleProtocol(FLIP, 1), exp_eps="E", delta="1 - (1 + E)*p", all_n_from=1)
    assert decided({"p": (0, "1/4"), "E": (1, 3)}, for_all_n).verdict is Verdict.PROVED


def test_a_maximum_at_an_irrational_point_is_met_from_both_sides():
    """P[Y in {1, 2}] of Bin(4, p) is largest where 2 = 6 p + 2 p^2 - ... ; by 10^-12, above and below."""

    def mass(p):
        return 4 * p * (1 - p) ** 3 + 6 * p**2 * (1 - p) ** 2

    low, high = Fraction(1, 4), Fraction(1, 2)
    for _ in range(80):
        third = (high - low) / 3
        low, high = (low, high - third) if mass(low + third) > mass(high - third) else (low + third, high)
    largest = Fraction(round(mass(low) * 10**15), 10**15)
    for bound, verdict in ((largest + TINY, Verdict.PROVED), (largest - TINY, Verdict.REFUTED)):
        claim = OpenClaim.tail(Trials(4, "p"), low=1, high=2, at_most=bound)
        certificate = decided({"p": (0, 1)}, claim)
        assert certificate.verdict is verdict
        if verdict is Verdict.REFUTED:
            assert mass(refuted_at(certificate)[0]) > bound


def test_a_maximum_at_a_rational_point_is_cut_there():
    certificate = decided({"p": (0, 1)}, OpenClaim.tail(Trials(3, "p"), low=2, high=2, at_most="4/9"))
    assert certificate.verdict is Verdict.PROVED
    assert '"at":"2/3"' in certificate.witness


# --- The other kinds ------------------------------------------------------------------------------------------------

THREE = {-1: "p", 0: "1 - 2*p", 1: "p"}
ZEROS = MessageSum(ShuffleProtocol(ZSUM, 3), [0, 0, 0], {0: 1})
NARROW = {"p": ("1/3", "2/5")}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (OpenClaim.shift_dp(THREE, exp_eps=2, delta="p"), Verdict.PROVED),
        (OpenClaim.shift_dp(THREE, exp_eps=2, delta="p - 1/1000000000000"), Verdict.REFUTED),
        (OpenClaim.shift_dp(THREE, shift=3, exp_eps="2 + p", delta=1), Verdict.PROVED),
        (OpenClaim.shift_dp(MessageSum(ShuffleProtocol(ZSUM, 2), [0, 1], {0: 1}), exp_eps=2, delta=1), Verdict.PROVED),
        (OpenClaim.smooth(THREE, k=2, exp_eps="3/2", delta="2*p"), Verdict.PROVED),
        (OpenClaim.smooth(THREE, k=1, exp_eps=2, delta="p"), Verdict.REFUTED),  # at p = 2/5, where the ratio is 2
        (OpenClaim.tail(THREE, low=1, at_most="p"), Verdict.PROVED),
        (OpenClaim.tail(THREE, high=0, at_least="1 - p"), Verdict.PROVED),
        (OpenClaim.tail(THREE, low=0, at_most="1 - p - 1/1000000000000"), Verdict.REFUTED),
        (OpenClaim.equal_laws(ZEROS, Trials(3, "1 - p")), Verdict.PROVED),
        (OpenClaim.equal_laws(ZEROS, Trials(3, "p")), Verdict.REFUTED),
        (OpenClaim.equal_laws(Binomial(2, "1/2"), {0: "1/4", 1: "p + 1/2 - p", 2: "1/4"}), Verdict.PROVED),
        (OpenClaim.equal_laws({0: "p/(1 + p)", 1: "1/(1 + p)"}, {0: "1 - 1/(1 + p)", 1: "1/(p + 1)"}), Verdict.PROVED),
    ],
    ids=lambda value: getattr(value, "kind", str(value)),
)
def test_each_kind_is_decided(claim, verdict):
    assert decided(NARROW, claim).verdict is verdict


def test_the_open_end_of_a_box_is_left_out():
    claim = OpenClaim.smooth(THREE, k=1, exp_eps=2, delta="p")
    assert decided({"p": Span("1/3", "2/5", True, False)}, claim).verdict is Verdict.PROVED


def test_what_is_false_at_an_irrational_point_alone_is_not_decided():
    """p^2 (1 - p^2) <= 1/4 with equality at the root of 1/2, and a bound that is not below."""
    law = {0: "p^2*(1 - p^2)", 1: "1 - p^2*(1 - p^2)"}
    certificate = certify(Claim.for_all({"p": (0, 1)}, OpenClaim.tail(law, high=0, at_most="1/4")))
    assert certificate.verdict is Verdict.UNDECIDED
    assert "neither a proof nor a point" in certificate.reason


# --- One way --------------------------------------------------------------------------------------------------------


def moved(randomizer, **changes):
    """The certificate of which way a delta moves, checked from its text."""
    certificate = certify(Claim.monotone(randomizer, **changes))
    assert certificate.level == "certificate", certificate.reason
    assert verify_text(certificate.to_json()).verdict == certificate.verdict.value
    return certificate.verdict


def test_randomized_response_and_channels_between_two_messages_move_one_way():
    response = {x: {(y,): "E/(E + 2)" if x == y else "1/(E + 2)" for y in range(3)} for x in range(3)}
    sided = SymbolicRandomizer({0: {(0,): "1 - a", (1,): "a"}, 1: {(1,): 1}}, {"a": (0, 1)})
    pairs = SymbolicRandomizer(
        {0: {(0, 0): "(1 - a)^2", (0, 1): "2*a*(1 - a)", (1, 1): "a^2"}, 1: {(1, 1): 1}}, {"a": (0, 1)}
    )
    for randomizer, rises in (
        (FLIP, False),
        (SymbolicRandomizer(response, {"E": Span(1, 8, False)}), True),
        (sided, False),
        (pairs, False),
    ):
        assert moved(randomizer, rises=rises) is Verdict.PROVED
        assert moved(randomizer, rises=not rises) is Verdict.REFUTED
    assert moved(SymbolicRandomizer(FLIP.table(), {"p": (0, "3/4")})) is Verdict.REFUTED


def test_one_of_two_parameters_moves():
    table = {0: {(0,): "1 - a", (1,): "a"}, 1: {(0,): "b", (1,): "1 - b"}}
    randomizer = SymbolicRandomizer(table, {"a": (0, "2/5"), "b": (0, "2/5")})
    assert moved(randomizer, parameter="a") is Verdict.PROVED
    assert moved(randomizer, parameter="b", rises=True) is Verdict.REFUTED
    with pytest.raises(InvalidValueError, match=r"c is no parameter. The parameters are a, b"):
        Claim.monotone(randomizer, "c")


# --- What the checker sees --------------------------------------------------------------------------------------------


def test_the_coefficients_on_a_cell_are_those_of_the_bernstein_form():
    """x = (low + high z)/(1 + z), and the coefficient of z^k is comb(d, k) times that of Bernstein and one factor."""
    rng = random.Random(3)
    for _ in range(20):
        low = Fraction(rng.randrange(-9, 9), rng.randrange(1, 9))
        high, degree = low + Fraction(rng.randrange(1, 9), rng.randrange(1, 9)), rng.randrange(4)
        polynomial = {(k,): rng.randrange(-9, 9) for k in range(degree + 1)}
        cell = Cell([(End(low, True), End(high, True))])
        packing = Packing(cell, (degree,), cell.norm([polynomial], (degree,), Work()).bit_length(), Work())
        found = packing.unpack(packing.pack([polynomial], (degree,), Work())[0])
        scale = cell.ends[0][2] ** degree
        for z in (Fraction(0), Fraction(1), Fraction(3, 7)):
            value = sum(c * z**k for k, c in enumerate(found)) / (1 + z) ** degree
            assert value == scale * sum(c * ((low + high * z) / (1 + z)) ** e for (e,), c in polynomial.items())
        places, terms = range(degree + 1), polynomial.items()
        in_t = [sum(comb(e, k) * low ** (e - k) * (high - low) ** k * c for (e,), c in terms if e >= k) for k in places]
        bernstein = [sum(Fraction(comb(k, i), comb(degree, i)) * in_t[i] for i in range(k + 1)) for k in places]
        assert found == [scale * comb(degree, k) * b for k, b in enumerate(bernstein)]


def test_a_tampered_certificate_is_not_verified():
    """Each number of a witness, and each of the claim, changed a little: nothing false is verified."""
    claim = Claim.for_all({"p": (0, 1)}, OpenClaim.tail(Trials(3, "p"), low=2, high=2, at_most="4/9"))
    certificate = certify(claim)
    data, witness = claim.data, json.loads(certificate.witness)
    changed = [
        ({**data, "box": [{**data["box"][0], "high": "2"}]}, witness),
        ({**data, "claim": {**data["claim"], "probability": "443/1000"}}, witness),
        ({**data, "claim": {**data["claim"], "bound": "at least"}}, witness),
        ({**data, "claim": {**data["claim"], "from": "1"}}, witness),
        ({**data, "claim": {**data["claim"], "law": claims.binomial(2, data["claim"]["law"]["p"])}}, witness),
        (data, {}),
        (data, {**witness, "at": "3/2"}),
        (data, {**witness, "high": witness["high"] or {"cut": "1"}, "low": {"x": "1"}}),
        (data, {**witness, "variable": "1"}),
    ]
    for false, given in changed:
        with pytest.raises((CertificateRejectedError, MalformedCertificateError)):
            verify_text(json.dumps(claims.document(false, "PROVED", given)))
    with pytest.raises(CertificateRejectedError):
        verify_text(json.dumps(claims.document(data, "REFUTED", {"point": ["2/3"], "witness": {}})))


@pytest.mark.parametrize("given", [(Claim, 0), ("text", 0)])
def test_for_all_takes_claims_alone(given):
    with pytest.raises(InvalidValueError, match=r"Pass a Claim, as Claim.shuffle_dp makes"):
        Claim.for_all({"p": (0, 1)}, given[0])


MADE = [
    lambda: Claim.shuffle_dp(ShuffleProtocol(FLIP, 3), exp_eps="1 + p", delta=["p", "1 - 2*p"], least="delta"),
    lambda: Claim.shift_dp({0: "p", 1: "1 - p"}, exp_eps=2, delta=sympy.Symbol("p") / 2),
    lambda: Claim.smooth(Trials(3, "p"), k=2, exp_eps=2, delta="1/2"),
    lambda: Claim.tail(MessageSum(ShuffleProtocol(ZSUM, 2), [0, 1], {0: 1}), low=1, at_most=1),
    lambda: Claim.equal_laws(Trials(3, "1 - p"), Binomial(3, "1/2")),
]


@together("made", MADE)
def test_a_claim_with_parameters_is_none_before_they_have_values(made):
    """It is a value all the same: written, read and kept."""
    claim = made()
    assert Claim.from_data(claim.data) == pickle.loads(pickle.dumps(claim)) == claim
    assert Claim.from_data(claim.data).statement == claim.statement
    for question in (certify, Claim.to_sympy, lambda claim: certify(Claim.conjunction(claim))):
        with pytest.raises(InvalidValueError, match=r'Claim.for_all\({"p": \(low, high\)}, claim\)'):
            question(claim)


def test_a_claim_without_parameters_may_stand_in_a_box():
    closed = Claim.shift_dp(Binomial(10, "1/2"), exp_eps=2, delta="1/4")
    assert certify(Claim.for_all({"p": (0, 1)}, closed)).verdict is certify(closed).verdict is Verdict.PROVED
    with pytest.raises(InvalidValueError, match="family is 'poisson'"):
        Claim.for_all({"p": (0, 1)}, Claim.shift_dp(Poisson(10), exp_eps=2, delta=1))
    with pytest.raises(InvalidValueError, match="kind is 'inequality'"):
        Claim.for_all({"p": (0, 1)}, Claim.inequality("x <= 1", where="x <= 0"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"eps": 1, "delta": "p"}, "Pass exp_eps"),
        ({"delta": "p"}, "exp_eps"),
        ({"exp_eps": 1, "delta": "1 - *p"}, "at character 5"),
        ({"exp_eps": 1, "delta": "1/(p - p)"}, "divides by 0"),
        ({"exp_eps": "inf", "delta": "1/2"}, "is not a number"),
        ({"exp_eps": 1, "delta": 0.5 * sympy.Symbol("p")}, "has been rounded"),
    ],
)
def test_numbers_that_are_none_are_refused_at_once(given, message):
    with pytest.raises(ExactDPError, match=message):
        Claim.shift_dp(Binomial(2, "1/2"), **given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Claim.for_all({}, OpenClaim.tail(THREE, at_most=1)), "the box is empty"),
        (lambda: Claim.for_all({"p": (1, 0)}, OpenClaim.tail(THREE, at_most=1)), "is empty. Give low < high"),
        (lambda: Claim.for_all({"q": (0, 1)}, OpenClaim.tail(THREE, at_most=1)), "contains p, which has no interval"),
        (lambda: Claim.for_all({"p": (0, 1)}, OpenClaim.tail(THREE, at_most="1/p")), "at_most divides by 0 on the box"),
        (lambda: OpenClaim.tail(THREE), "neither of at_most and at_least given"),
        (lambda: OpenClaim.tail({"a": "p"}, at_most=1), "the law is a dict that is not listed by integers"),
        (lambda: Claim.monotone(FLIP.at(p="1/4")), "Pass a SymbolicRandomizer"),
    ],
)
def test_what_is_no_claim_is_refused(make, message):
    with pytest.raises(InvalidValueError, match=message):
        make()


def test_a_law_that_is_none_somewhere_is_refuted_there():
    """p above 1/2 leaves a negative probability."""
    certificate = decided({"p": (0, 1)}, OpenClaim.tail(THREE, at_most=1))
    assert refuted_at(certificate)[0] > Fraction(1, 2)
    assert verify(certificate) is Verdict.REFUTED

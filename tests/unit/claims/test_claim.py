"""Claims as data: what the constructors say, and what they refuse."""

import json
import pickle
from fractions import Fraction
from typing import Any

import pytest

from exactdp import (
    AdditiveProtocol,
    Analyzer,
    Binomial,
    Claim,
    Interval,
    Law,
    LogRational,
    NegativeBinomial,
    Neighbors,
    Randomizer,
    Real,
    ShuffleProtocol,
    Verdict,
    certify,
    protocols,
    randomized_response,
)
from exactdp.checker.budget import Work
from exactdp.checker.claims import read_claim
from exactdp.checker.reading import read_integer, read_rational, sha256
from exactdp.claims.claim import Condition, Span
from exactdp.claims.encoding import write_integer, write_rational
from exactdp.errors import InexactNumberError, InvalidValueError
from exactdp.protocols import correlated_counting
from exactdp.randomizers import UnaryEncoding
from tests.together import together

LABELLED = Randomizer({"no": {("b", "a"): "1/3", (): "2/3"}, "yes": {("a",): "0.5", ("c", "c"): "1/2"}})
PROTOCOL = ShuffleProtocol(LABELLED, 3)
NOISE = Binomial(2, "1/2")
COUNT = AdditiveProtocol(NOISE, n=3, analyzer=Analyzer({0: 1}))
COUNTS = Randomizer({"no": {(): "1/8", ("x",): "7/8"}, "yes": {("x",): "1/8", ("x", "x"): "7/8"}})
CLAIMS = [
    Claim.shuffle_dp(PROTOCOL, exp_eps=2, delta="1/4"),
    Claim.shuffle_dp(PROTOCOL, eps="1/2", delta="1/4", neighbors=Neighbors.ADD_OR_REMOVE_ONE, all_n_from=2),
    Claim.shuffle_dp(PROTOCOL, eps=LogRational("5/2"), delta=0, all_n_from=2, least="exp_eps"),
    Claim.never_dp(PROTOCOL, delta_below="1/3"),
    Claim.shift_dp(Binomial(10, "1/3"), shift=2, exp_eps=2, delta="1e-3", least="delta"),
    Claim.shift_dp(Law({-1: "1/2", 3: "1/2"}), eps=1, delta=1),
    Claim.additive_view(COUNTS, {0: "1/8", 1: "7/8"}, {"yes": 1, "no": 0}),
    Claim.zero_estimate(COUNTS, weights={"x": 1}, zero_unless_above=1, all_hold="no"),
    Claim.inequality(["x"], hypotheses=[{(1,): 1}], conclusion=Condition({(2,): 1, (0,): "1/2"}, strict=True)),
]
CLAIMS += [
    Claim.shuffle_dp(correlated_counting(9, p1="1/2", p2=Real.exp("-1/10"), r=20), eps=1, delta="1/10"),
    Claim.counting_dp(p1="1/3", noise=[NegativeBinomial("5/2", "2/3"), NegativeBinomial(3, "1/2")], exp_eps=4, delta=1),
    Claim.two_message_dp(ShuffleProtocol(randomized_response(2, gamma="1/2"), 9), exp_eps=2, delta="1/20"),
    Claim.sample_threshold_dp(rate="1/8", threshold=20, exp_eps=2, delta="1e-10"),
    Claim.sample_threshold_dp(rate="1/4", threshold=3, users=4, eps="2/5", delta="1/64"),
    Claim.split_and_mix(10, modulus=7, messages=4, distance="1/10"),
]
CLAIMS += [Claim.conjunction(*CLAIMS), Claim.negation(CLAIMS[0])]


@together("claim", CLAIMS, ids=lambda claim: claim.kind)
def test_the_checker_reads_every_claim_and_agrees_about_its_id(claim: Claim) -> None:
    statement = read_claim(json.loads(claim.to_json()), Work())
    assert statement.words
    assert sha256(claim.data) == claim.digest()
    assert claim.kind == claim.data["kind"]


@together("claim", CLAIMS, ids=lambda claim: claim.kind)
def test_claims_are_values(claim: Claim) -> None:
    again = pickle.loads(pickle.dumps(claim))
    assert again == claim == Claim.from_data(claim.data)
    assert hash(again) == hash(claim)
    assert len(set(CLAIMS)) == len(CLAIMS)
    claim.data["kind"] = "changed"
    assert claim.data["kind"] != "changed"
    with pytest.raises(AttributeError):
        claim.text = ""  # type: ignore[misc]


def test_inputs_and_messages_are_indices_in_the_order_of_the_table() -> None:
    data = CLAIMS[0].data
    assert data["randomizer"] == {
        "messages": "3",
        "rows": [
            [{"send": ["0", "1"], "prob": "1/3"}, {"send": [], "prob": "2/3"}],
            [{"send": ["1"], "prob": "1/2"}, {"send": ["2", "2"], "prob": "1/2"}],
        ],
    }
    renamed = Randomizer({0: {(5, 7): "1/3", (): "2/3"}, 1: {(7,): "0.5", (9, 9): "1/2"}})
    assert Claim.shuffle_dp(ShuffleProtocol(renamed, 3), exp_eps="2.0", delta="0.25") == CLAIMS[0]


def test_scope_and_level_are_as_given() -> None:
    data = CLAIMS[1].data
    assert (data["n"], data["scope"], data["neighbors"]) == ("2", "all n from n", "add-or-remove-one")
    assert (data["eps"], data["delta"], data["least"]) == ("1/2", "1/4", "none")
    assert CLAIMS[2].data["exp_eps"] == "5/2"
    assert Claim.shuffle_dp(PROTOCOL, eps=0, delta=0) == Claim.shuffle_dp(PROTOCOL, exp_eps=1, delta=0)
    assert CLAIMS[6].data["shifts"] == ["0", "1"]
    assert CLAIMS[7].data["input"] == "0"


@pytest.mark.parametrize(
    "value", [0, 1, -1, 2**256 - 1, 2**256, -(2**256) + 1, -(2**256), 3**500, 10**5000], ids=lambda v: v.bit_length()
)
def test_integers_have_the_spelling_that_the_checker_reads(value: int) -> None:
    assert read_integer(write_integer(value), "it") == value
    assert ("x" in write_integer(value)) == (value.bit_length() > 256)
    assert read_rational(write_rational(Fraction(value, 7)), "it") == Fraction(value, 7)


CORRELATED = correlated_counting(9, p1="1/2", p2="1/2", r=2)
REFUSED: list[tuple[Any, type[Exception], str]] = [
    (
        lambda: Claim.shuffle_dp(CORRELATED, exp_eps=2, delta=0, all_n_from=9),
        InvalidValueError,
        (
            "a claim about counts without a table is one of (eps, delta)-DP for replace-one neighbours. "
            "Leave out all_n_from, least and neighbors."
        ),
    ),
    (
        lambda: Claim.counting_dp(p1=1, noise=[NegativeBinomial(2, "1/2")], exp_eps=2, delta=0),
        InvalidValueError,
        "p1=1 is not between 0 and 1. Pass the ratio of a geometric noise.",
    ),
    (
        lambda: Claim.counting_dp(p1="1/2", noise=[], exp_eps=2, delta=0),
        InvalidValueError,
        "noise=() is no list of 1 to 8 negative binomial laws. Pass [NegativeBinomial(r, p)].",
    ),
    (
        lambda: Claim.counting_dp(p1="1/2", noise=[Binomial(2, "1/2")], exp_eps=2, delta=0),  # type: ignore[list-item]
        InvalidValueError,
        "noise=(Binomial(2, '1/2'),) is no list of 1 to 8 negative binomial laws. Pass [NegativeBinomial(r, p)].",
    ),
    (
        lambda: Claim.sample_threshold_dp(rate=1, threshold=2, exp_eps=2, delta=0),
        InvalidValueError,
        "rate=1 samples none or all. Pass one between 0 and 1.",
    ),
    (
        lambda: Claim.sample_threshold_dp(rate="1/2", threshold=0, exp_eps=2, delta=0),
        InvalidValueError,
        "threshold=0 is below 1. Pass threshold of at least 1.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, delta=0),
        InvalidValueError,
        "neither of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=1, exp_eps=2, delta=0),
        InvalidValueError,
        "both of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, exp_eps="1/2", delta=0),
        InvalidValueError,
        "exp_eps=1/2 is below 1. Pass e^eps, a number of at least 1.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=-1, delta=0),
        InvalidValueError,
        "eps=-1 is below 0. Pass an eps of at least 0.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=LogRational(None), delta=0),
        InvalidValueError,
        "eps is infinite, so e^eps is not a number. Ask .is_infinite first.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=1, delta=2),
        InvalidValueError,
        "delta=2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=0.5, delta=0),  # type: ignore[arg-type]
        InexactNumberError,
        (
            "eps=0.5 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a string: "
            '"0.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, eps=1, delta=0, least="delta"),
        InvalidValueError,
        "least='delta' with eps=1, where e^eps is transcendental. Pass exp_eps, or a LogRational.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, exp_eps=2, delta=0, least="eps"),
        InvalidValueError,
        "least='eps' is none of None, 'delta' and 'exp_eps'. Pass one of them.",
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, exp_eps=2, delta="1/2", all_n_from=2, least="exp_eps"),
        InvalidValueError,
        (
            "least='exp_eps' with all_n_from=2 and delta=1/2: the least value may depend on n. Claim it for one n, or "
            "exp_eps with delta=0."
        ),
    ),
    (
        lambda: Claim.shuffle_dp(
            PROTOCOL,
            exp_eps=2,
            delta=0,
            all_n_from=2,
            least="exp_eps",
            neighbors=Neighbors.ADD_OR_REMOVE_ONE,
        ),
        InvalidValueError,
        (
            "least='exp_eps' with all_n_from=2 and neighbors=add-or-remove-one: only a protocol that "
            "sends nothing is pure DP there. Claim it for one n."
        ),
    ),
    (
        lambda: Claim.shuffle_dp(PROTOCOL, exp_eps=2, delta=0, all_n_from=0),
        InvalidValueError,
        "all_n_from=0 is below 1. Pass all_n_from of at least 1.",
    ),
    (
        lambda: Claim.shuffle_dp(AdditiveProtocol(Binomial(2, "1/2")), exp_eps=2, delta=0),  # type: ignore[arg-type]
        InvalidValueError,
        (
            "protocol is a AdditiveProtocol, without a randomizer. Pass a ShuffleProtocol; for a count plus noise "
            "claim Claim.shift_dp(noise, shift=...)."
        ),
    ),
    (
        lambda: Claim.shuffle_dp(
            ShuffleProtocol(UnaryEncoding(100, exp_eps0=3), 10), exp_eps=2, delta=0, least="delta"
        ),
        InvalidValueError,
        (
            "the randomizer unary-encoding has no table of at most 65536 entries, and this claim needs one: of a "
            "family it is claimed that it is (eps, delta)-DP for replace-one neighbours, with least=None. Use "
            "fewer inputs."
        ),
    ),
    (
        lambda: Claim.never_dp(PROTOCOL, delta_below=0),
        InvalidValueError,
        "delta_below=0 leaves no delta. Pass a number in (0, 1].",
    ),
    (
        lambda: Claim.shift_dp(Binomial(2, "1/2"), shift=0, exp_eps=2, delta=0),
        InvalidValueError,
        "shift=0 is below 1. Pass shift of at least 1.",
    ),
    (
        lambda: Claim.shift_dp(Law({"a": 1}), exp_eps=2, delta=0),
        InvalidValueError,
        "the law has outcomes that are not ints. Map it to ints: law.map(f).",
    ),
    (
        lambda: Claim.shift_dp(3, exp_eps=2, delta=0),  # type: ignore[arg-type]
        InvalidValueError,
        "law is a int. Pass a Law on integers, or Binomial, Poisson, ...",
    ),
    (
        lambda: Claim.additive_view(LABELLED, {0: 1}, {"no": 0, "yes": 0}),
        InvalidValueError,
        "the randomizer has 3 messages. An additive view has one message type.",
    ),
    (
        lambda: Claim.additive_view(COUNTS, {0: 1}, {"no": 0}),
        InvalidValueError,
        "shifts has no value for the input 'yes'. Give one for every input.",
    ),
    (
        lambda: Claim.additive_view(COUNTS, {0: 1}, {"no": 0, "yes": 0, "maybe": 0}),
        InvalidValueError,
        "shifts names the unknown input 'maybe'. The inputs are ('no', 'yes').",
    ),
    (
        lambda: Claim.zero_estimate(COUNTS, weights={}, zero_unless_above=1, all_hold="no"),
        InvalidValueError,
        "weights has no value for the message 'x'. Give one for every message.",
    ),
    (
        lambda: Claim.zero_estimate(COUNTS, weights={"x": 1}, zero_unless_above=1, all_hold=0),
        InvalidValueError,
        "all_hold=0 is unknown. The inputs are ('no', 'yes').",
    ),
    (
        lambda: Claim.inequality(["x", "x"], hypotheses=[], conclusion={}),
        InvalidValueError,
        "variables=['x', 'x'] are not distinct names. Use letters, digits and _, at most 32, a letter first.",
    ),
    (
        lambda: Claim.inequality(["x"], hypotheses=[], conclusion={(1, 2): 1}),
        InvalidValueError,
        "the exponents (1, 2) are not one for each of the 1 variables.",
    ),
    *[
        (make, InvalidValueError, message)
        for make, message in (
            (lambda: Claim.tail(NOISE, low=1), "neither of at_most and at_least given. Pass one."),
            (lambda: Claim.tail(NOISE, at_most=1, at_least=1), "both of at_most and at_least given. Pass one."),
            (lambda: Claim.tail(NOISE, at_most=2), "at_most=2 is outside [0, 1]. Pass a probability."),
            (lambda: Claim.smooth(NOISE, eps=1, delta=0, k=0), "k=0 is below 1. Pass k of at least 1."),
            (
                lambda: Claim.accuracy(PROTOCOL, alpha=1, beta=1),
                "the protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).",
            ),
            (lambda: Claim.accuracy(COUNT, alpha=-1, beta=1), "alpha=-1 is below 0. Pass an error of at least 0."),
            (
                lambda: Claim.accuracy(COUNT, alpha=1, beta=1, values={0: 1}),
                (
                    "an accuracy claim about a noisy count takes no values, and an analyzer of one positive weight, of "
                    "the message 0: the truth is this weight times the true count. Pass Analyzer({0: weight})."
                ),
            ),
            (
                lambda: Claim.accuracy(AdditiveProtocol(NOISE, analyzer=Analyzer({0: 1})), alpha=1, beta=1),
                "the protocol has no n, so there is no largest count. Pass AdditiveProtocol(..., n=n).",
            ),
            (
                lambda: Claim.box_inequality({"x": (1, 0)}, []),
                "the interval of x from 1 to 0 is empty. Give low < high.",
            ),
            (
                lambda: Claim.box_inequality({"x": Span(0, 1, "open")}, []),  # type: ignore[arg-type]
                "an end of the interval of x is closed: 'open'. Pass True or False.",
            ),
            (
                lambda: Claim.box_inequality({"x": 3}, []),  # type: ignore[dict-item]
                "the interval of x is no pair. Pass (low, high), or a Span with open ends.",
            ),
            (
                lambda: Claim.box_inequality({"x": (0, 1)}, [{(1,): 1}]),  # type: ignore[list-item]
                "a term is no pair. Pass (polynomial, exponent), with {} for the exponent 0.",
            ),
            (
                lambda: Claim.conjunction(CLAIMS[0], assuming=["luck"]),
                (
                    "assuming='luck' is unknown. The facts are markov, independence, union, post-processing, "
                    "composition, taylor, monotone-convergence."
                ),
            ),
            (
                lambda: Claim.negation(3),  # type: ignore[arg-type]
                "a claim has the type int. Pass a Claim, as Claim.shuffle_dp makes.",
            ),
        )
    ],
    (lambda: Claim.conjunction(), InvalidValueError, "no claims given. A conjunction has at least one."),
]


@together(("make", "kind", "message"), REFUSED, ids=[message[:40] for _, _, message in REFUSED])
def test_what_is_no_claim_is_refused(make: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [
        (protocols.almost_central_sum(1000, bound=1, eps=4, delta="1e-2"), "counting_dp"),
        (protocols.sample_and_threshold(1000, rate="1/8", threshold=20), "sample_threshold_dp"),
        (protocols.correlated_counting(1000, p1="1/2", p2="9/10", r=20), "counting_dp"),
    ],
)
def test_protocols_without_a_table_are_claimed_by_their_counts(protocol: Any, kind: str) -> None:
    delta = protocol.privacy_profile().delta(exp_eps=4, relative_bits=30)
    least = delta.hi if isinstance(delta, Interval) else delta
    claim = Claim.shuffle_dp(protocol, exp_eps=4, delta=least * Fraction(1001, 1000))
    assert (claim.kind, certify(claim).verdict) == (kind, Verdict.PROVED)
    assert certify(Claim.shuffle_dp(protocol, exp_eps=4, delta=least * Fraction(999, 1000))).verdict is Verdict.REFUTED


def test_wider_sums_and_several_symbols_are_no_claim() -> None:
    for protocol in (
        protocols.almost_central_sum(9, bound=2, eps=1, delta="1e-6"),
        protocols.sample_and_threshold(9, rate="1/8", threshold=2, symbols=3),
    ):
        with pytest.raises(InvalidValueError, match=r"no claim of \(eps, delta\)-DP states"):
            Claim.shuffle_dp(protocol, exp_eps=2, delta="1/2")

"""The prover: decides claims with the exact engines, and finds the witnesses that let the checker see it.

Each kind of claim has one function here, from the claim's data to a decision. Nothing here is trusted: a decision is
written down as a certificate only after the checker, which shares no code with the engines, has verified it.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from operator import add, mul
from pathlib import Path
from typing import Any, Final

from exactdp.certificates import verify as checker
from exactdp.certificates.box_claims import decide_box
from exactdp.certificates.certificate import Certificate, Verdict, canonical
from exactdp.certificates.claim import Claim
from exactdp.certificates.composed_claims import decide_composed
from exactdp.certificates.decision import Decision, proved, refuted, undecided
from exactdp.certificates.encoding import (
    read_integer,
    read_noise,
    read_rational,
    write_integer,
    write_rational,
)
from exactdp.certificates.neighbor_pairs import Pairs, shift_pairs, shuffle_pairs
from exactdp.certificates.noise_claims import (
    claimed_level,
    compared,
    decide_accuracy,
    decide_equal_laws,
    decide_smooth,
    decide_tail,
    enclosed_shift,
    is_listed,
)
from exactdp.engines.engine import WorstEvent
from exactdp.engines.planner import engine_of
from exactdp.errors import CertificateRejectedError, InvalidValueError, MalformedCertificateError
from exactdp.inequalities.handelman import MAX_DEGREE, Inequality, counterexample, handelman_terms
from exactdp.kernel.two_messages.worst_half_lines import ManyUsersError
from exactdp.numbers.exact import short
from exactdp.numbers.interval import Interval
from exactdp.patience import Progress, counted, reported
from exactdp.profile import PrivacyProfile
from exactdp.theorems import relies_on

__all__ = ["certify", "check", "verify"]

_FIRST_TERMS: Final = 8
_PAIR_BITS: Final = (4, 16, 64, 256, 1024, 4096)
_SEPARATION_STEPS: Final = 100_000
_CHECKS_KEPT: Final = 256


@relies_on("hockey_stick.certificate_proves", "hockey_stick.certificate_refutes")
def certify(claim: Claim, *, executor: Executor | None = None, progress: Progress | None = None) -> Certificate:
    """Decide a claim and return the certificate.

    Args:
        claim: what to decide.
        executor: where given, the parts of a conjunction, the data sets of an accuracy claim and the pairs of a claim
            about a shuffled randomizer are decided through it; the result is the same.
        progress: told of finished pieces of work in this process; see :mod:`exactdp.patience`.

    Returns:
        a certificate at level "certificate" whenever the standard-library checker has verified it; at level
        "enclosure" where the engine decided a claim that is beyond the checker's limits; UNDECIDED, with the reason,
        where no proof of either side was found.

    Raises:
        TooLargeError: for work beyond the engine's limit, before it starts.

    >>> from exactdp.laws import Binomial
    >>> certificate = certify(Claim.shift_dp(Binomial(2, "1/2"), exp_eps=2, delta="1/5"))
    >>> certificate.verdict, certificate.reason
    (<Verdict.REFUTED: 'REFUTED'>, 'shift 1 (forward) has delta 1/4.')
    """
    if not isinstance(claim, Claim):
        raise InvalidValueError(f"claim has the type {type(claim).__name__}. Pass a Claim, as Claim.shuffle_dp makes.")
    with reported(progress):
        decision = _decide(claim.data, executor)
    if decision.verdict is Verdict.UNDECIDED:
        return Certificate(claim, decision.verdict, "none", decision.reason)
    if decision.witness is None:
        return Certificate(claim, decision.verdict, "enclosure", decision.reason)
    certificate = Certificate(claim, decision.verdict, "certificate", decision.reason, canonical(decision.witness))
    try:
        check(certificate)
    except MalformedCertificateError as error:
        reason = f"{decision.reason} Beyond the checker: {error}"
        return Certificate(claim, decision.verdict, "enclosure", reason)
    except CertificateRejectedError as error:
        raise RuntimeError(
            f"the checker disagrees with the engine about {claim!r}: {error} This is a defect."
        ) from error
    return certificate


def verify(certificate: Certificate | str | Path) -> Verdict:
    """Re-check a certificate, or the file at a path, with the standard-library checker; return its verdict.

    Raises:
        CertificateRejectedError: where the check fails.
        MalformedCertificateError: where it is no certificate of this schema, or beyond a limit of the checker.

    >>> from exactdp.laws import Binomial
    >>> verify(certify(Claim.shift_dp(Binomial(2, "1/2"), exp_eps=2, delta="1/4")))
    <Verdict.PROVED: 'PROVED'>
    """
    return Verdict(check(certificate).verdict)


def check(certificate: Certificate | str | Path) -> checker.Result:
    """Return all that the checker says: verdict, claim id, the claim in words, and the facts it rests on.

    Raises as ``verify``. The last results are kept by the text of the certificate; a file is always read again.
    """
    if isinstance(certificate, Certificate):
        return _check_text(certificate.to_json(), repr(certificate.claim))
    if not isinstance(certificate, str | Path):
        raise InvalidValueError(f"certificate is a {type(certificate).__name__}. Pass a Certificate or a path.")
    try:
        text = checker.read_file(str(certificate))
    except checker.MalformedCertificateError as error:
        raise MalformedCertificateError(f"{certificate}: {error}.") from None
    return _check_text(text, str(certificate))


@lru_cache(maxsize=_CHECKS_KEPT)
def _check_text(text: str, name: str) -> checker.Result:
    try:
        return checker.verify_text(text)
    except checker.MalformedCertificateError as error:
        raise MalformedCertificateError(f"{name}: {error}.") from None
    except checker.CertificateRejectedError as error:
        raise CertificateRejectedError(f"{name}: {error}.") from None


# --- Levels of privacy ----------------------------------------------------------------------------------------------


def _decide_shift(data: dict[str, Any]) -> Decision:
    """Decide exactly what the checker lists, else by enclosures, else exactly where delta may be met."""
    law = read_noise(data["law"])
    decision = undecided("A least value is decided exactly, and this law is beyond it.")
    if law.lattice is not None and data["least"] == "none" and not is_listed(law, by_steps=True):
        decision = enclosed_shift(data, law.lattice)
    if law.is_exact and decision.verdict is Verdict.UNDECIDED:
        return _decide_level(data, shift_pairs(data))
    return decision


def _decide_shuffle(data: dict[str, Any], executor: Executor | None) -> Decision:
    pairs = shuffle_pairs(data, executor)
    is_enclosed = data["least"] == "none" and not engine_of(pairs.source).is_exact
    decision = (_decide_enclosed if is_enclosed else _decide_level)(data, pairs)
    if data["scope"] == "this n" or decision.verdict is not Verdict.PROVED:
        return decision
    if data["least"] == "none" or data["exp_eps"] == "1":
        return replace(decision, reason=f"{decision.reason} Adding a user is post-processing.")
    vertex = _vertex(data["randomizer"], read_rational(data["exp_eps"]))
    if vertex is None:
        return undecided(
            "The e^eps is the least at this n, but no outcome was found that proves it for every larger n."
        )
    return proved(f"{decision.reason} One outcome has this ratio at every n.", **vertex)


def _decide_enclosed(data: dict[str, Any], pairs: Pairs) -> Decision:
    """Decide by enclosures of delta over all pairs, where exact masses are too long to be built."""
    profile, delta = PrivacyProfile(pairs.source), read_rational(data["delta"])

    def value(bits: int) -> Interval:
        try:
            found = profile.delta(**claimed_level(data), relative_bits=bits)
            assert isinstance(found, Interval)
            return found
        except ManyUsersError as error:
            if error.bracket.compare(delta) is None:
                raise
            return error.bracket

    try:
        sign, found = compared(value, delta)
    except ManyUsersError as error:
        return undecided(str(error))
    if sign is None:
        return undecided(f"The divergence {found} and delta = {short(delta)} are too close.")
    verdict = Verdict.REFUTED if sign > 0 else Verdict.PROVED
    return Decision(verdict, None, f"The worst delta is in {found}, by ball arithmetic.")


def _decide_level(data: dict[str, Any], pairs: Pairs) -> Decision:
    if "eps" in data:
        return _decide_eps(read_rational(data["eps"]), read_rational(data["delta"]), pairs)
    exp_eps, delta = read_rational(data["exp_eps"]), read_rational(data["delta"])
    worst = pairs.worst(exp_eps)
    found = max(Fraction(0), worst.delta(exp_eps))
    at_worst = pairs.witness(worst.first, worst.second)
    if found > delta:
        return refuted(f"{pairs.words(worst.first, worst.second)} has delta {short(found)}.", **at_worst)
    if data["least"] == "delta" and found < delta:
        return refuted(f"delta = {short(found)} is enough.", smaller=write_rational(found))
    if data["least"] == "exp_eps" and exp_eps > 1:
        return _decide_least_exp_eps(exp_eps, delta, pairs)
    witness = at_worst if data["least"] == "delta" and delta > 0 else {}
    return proved(f"The worst delta is {short(found)}{_at(found, pairs, worst)}.", **witness)


def _at(found: Fraction, pairs: Pairs, worst: WorstEvent) -> str:
    """Where the worst delta is, if it is positive."""
    return f", at {pairs.words(worst.first, worst.second)}" if found else ""


def _decide_least_exp_eps(exp_eps: Fraction, delta: Fraction, pairs: Pairs) -> Decision:
    """Decide whether an e^eps that is enough is the least one.

    Just below the least e^eps the worst event T has Q(T) > 0 and its line meets delta there, so that its pair has
    divergence delta, and T lies in {P >= E Q}.
    """
    needed = PrivacyProfile(pairs.source).exact_epsilon(delta).argument
    if needed < exp_eps:
        return refuted(f"e^eps = {short(needed)} is enough.", smaller=write_rational(needed))
    for bits in _PAIR_BITS:
        event = pairs.worst(max(Fraction(1), exp_eps * (1 - Fraction(1, 2**bits))))
        if event.delta(exp_eps) == delta and event.mass_second > 0:
            words = pairs.words(event.first, event.second)
            return proved(f"{words} allows no smaller e^eps.", **pairs.witness(event.first, event.second))
    return undecided("The e^eps is the least, but no single pair was found that proves it.")


def _decide_eps(eps: Fraction, delta: Fraction, pairs: Pairs) -> Decision:
    """Decide by more and more terms of the Taylor series, each time with one search for the worst event.

    With L <= e^eps <= U: delta(L) <= delta proves. The worst event T at L refutes if P(T) - U Q(T) > delta.
    """
    terms = _FIRST_TERMS + 2 * int(eps)
    while terms <= checker.MAX_TERMS:
        below, above = _taylor_bounds(eps, terms)
        worst = pairs.worst(below)
        found = max(Fraction(0), worst.delta(below))
        if found <= delta:
            return proved(f"The worst delta is at most {short(found)}{_at(found, pairs, worst)}.", terms=str(terms))
        if worst.delta(above) > delta:
            witness = pairs.witness(worst.first, worst.second)
            words = pairs.words(worst.first, worst.second)
            return refuted(f"{words} has a delta above {short(delta)}.", terms=str(terms), **witness)
        terms *= 2
    return undecided(f"The divergence and delta = {short(delta)} are too close for {checker.MAX_TERMS} Taylor terms.")


@relies_on("exponential.taylor_sum_below_exp", "exponential.exp_below_taylor_sum")
def _taylor_bounds(eps: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Return the partial sum of e^eps, and that plus a geometric bound of the rest, for terms + 1 > eps."""
    total, term = Fraction(0), Fraction(1)
    for k in range(1, terms + 1):
        total += term
        term *= eps / k
    return total, total + term / (1 - eps / (terms + 1))


def _vertex(table: dict[str, Any], exp_eps: Fraction) -> dict[str, Any] | None:
    """Return an outcome of two rows with this ratio that is a vertex of both, as a witness for every n.

    If a third row served as the bystander, so would the second one: its outcomes are fewer.
    """
    laws = [_count_law(row, read_integer(table["messages"])) for row in table["rows"]]
    for (x, first), (y, second) in permutations(enumerate(laws), 2):
        for outcome in sorted(first.keys() & second.keys()):
            if first[outcome] == exp_eps * second[outcome]:
                functional = _separating(outcome, first.keys() | second.keys())
                if functional is not None:
                    return {
                        "differing": [write_integer(x), write_integer(y)],
                        "bystander": write_integer(y),
                        "outcome": list(map(write_integer, outcome)),
                        "functional": list(map(write_integer, functional)),
                    }
    return None


def _count_law(row: list[dict[str, Any]], messages: int) -> dict[tuple[int, ...], Fraction]:
    law: dict[tuple[int, ...], Fraction] = {}
    for entry in row:
        counts = [0] * messages
        for message in map(read_integer, entry["send"]):
            counts[message] += 1
        law[tuple(counts)] = law.get(tuple(counts), Fraction(0)) + read_rational(entry["prob"])
    return law


def _separating(outcome: tuple[int, ...], outcomes: Set[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return an integer functional that is largest at ``outcome`` alone, by the perceptron rule; None without success.

    The rule ends wherever there is such a functional; the bound on its steps only saves time.
    """
    gaps = [tuple(a - b for a, b in zip(outcome, other, strict=True)) for other in sorted(outcomes - {outcome})]
    functional = (0,) * len(outcome)
    for _ in range(_SEPARATION_STEPS):
        wrong = next((gap for gap in gaps if sum(map(mul, functional, gap)) <= 0), None)
        if wrong is None:
            return functional
        functional = tuple(map(add, functional, wrong))
    return None


# --- The other kinds ------------------------------------------------------------------------------------------------


def _decide_never(data: dict[str, Any], executor: Executor | None) -> Decision:
    pairs, bound = shuffle_pairs(data, executor), read_rational(data["delta_below"])
    worst = pairs.worst(None)
    reason = f"The largest P(Q = 0) is {short(worst.mass_first)}, at {pairs.words(worst.first, worst.second)}."
    if worst.mass_first < bound:
        return refuted(reason)
    return proved(reason, **pairs.witness(worst.first, worst.second))


def _decide_additive(data: dict[str, Any]) -> Decision:
    base = {read_integer(k): read_rational(p) for k, p in data["base"]}
    for x, row in enumerate(data["randomizer"]["rows"]):
        moved = {(k + read_integer(data["shifts"][x]),): p for k, p in base.items()}
        if _count_law(row, 1) != moved:
            return refuted(f"Row {x} is not the base moved by {data['shifts'][x]}.", input=write_integer(x))
    return proved("Every row is the base moved by its shift.")


def _decide_zero(data: dict[str, Any]) -> Decision:
    weights, bound = list(map(read_rational, data["weights"])), read_rational(data["zero_unless_above"])
    row = data["randomizer"]["rows"][read_integer(data["input"])]
    for outcome in sorted(_count_law(row, len(weights))):
        if sum(map(mul, weights, outcome)) > bound:
            return refuted(f"The outcome {list(outcome)} is above.", outcome=list(map(write_integer, outcome)))
    return proved("No outcome is above.")


def _decide_inequality(data: dict[str, Any]) -> Decision:
    hypotheses, conclusion = [_condition(h) for h in data["hypotheses"]], _condition(data["conclusion"])
    size = len(data["variables"])
    terms = handelman_terms(hypotheses, conclusion, size, degrees=range(3))
    if terms is None and (point := counterexample(hypotheses, conclusion, size)) is not None:
        shown = ", ".join(f"{name} = {short(v)}" for name, v in zip(data["variables"], point, strict=True))
        return refuted(f"It fails at {shown}.", point=list(map(write_rational, point)))
    terms = terms or handelman_terms(hypotheses, conclusion, size, degrees=range(3, MAX_DEGREE + 1))
    if terms is None:
        return undecided("No combination of products of the hypotheses of low degree was found, and no counterexample.")
    listed = [{"coefficient": write_rational(c), "powers": list(map(write_integer, powers))} for powers, c in terms]
    return proved(f"The conclusion is a sum of {len(listed)} products of hypotheses.", terms=listed)


def _decide_conjunction(data: dict[str, Any], executor: Executor | None) -> Decision:
    each = (map if executor is None else executor.map)(_decide, data["claims"])
    decisions = list(counted(each, len(data["claims"])))
    for i, decision in enumerate(decisions):
        if decision.verdict is Verdict.REFUTED:
            inner = decision.witness
            witness = None if inner is None else {"part": write_integer(i), "witness": inner}
            return Decision(Verdict.REFUTED, witness, f"Part {i}: {decision.reason}")
    for i, decision in enumerate(decisions):
        if decision.verdict is Verdict.UNDECIDED:
            return undecided(f"Part {i}: {decision.reason}")
    for i, decision in enumerate(decisions):
        if decision.witness is None:
            return Decision(Verdict.PROVED, None, f"Part {i}: {decision.reason}")
    return proved(f"All {len(decisions)} parts are proved.", parts=[decision.witness for decision in decisions])


def _decide_not(data: dict[str, Any], executor: Executor | None) -> Decision:
    inner = _decide(data["claim"], executor)
    turned = {Verdict.PROVED: Verdict.REFUTED, Verdict.REFUTED: Verdict.PROVED}.get(inner.verdict, inner.verdict)
    return Decision(turned, inner.witness, inner.reason)


def _decide(data: dict[str, Any], executor: Executor | None = None) -> Decision:
    kind = data["kind"]
    if kind in _DECIDE_IN_PARTS:
        return _DECIDE_IN_PARTS[kind](data, executor)
    return _DECIDE[kind](data)


_DECIDE_IN_PARTS: Final[dict[str, Callable[[dict[str, Any], Executor | None], Decision]]] = {
    "conjunction": _decide_conjunction,
    "not": _decide_not,
    "accuracy": decide_accuracy,
    "shuffle_dp": _decide_shuffle,
    "never_dp": _decide_never,
}

_DECIDE: Final[dict[str, Callable[[dict[str, Any]], Decision]]] = {
    "shift_dp": _decide_shift,
    "composed": decide_composed,
    "smooth": decide_smooth,
    "tail": decide_tail,
    "equal_laws": decide_equal_laws,
    "additive_view": _decide_additive,
    "zero_estimate": _decide_zero,
    "inequality": _decide_inequality,
    "box_inequality": decide_box,
}


def _condition(condition: dict[str, Any]) -> Inequality:
    terms = {tuple(map(read_integer, exponents)): read_rational(c) for c, exponents in condition["polynomial"]}
    return Inequality(terms, condition["strict"] == "yes")

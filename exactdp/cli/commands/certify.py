"""``certify``: a claim about a protocol or noise, or an inequality between polynomials, with a certificate.

A verdict without a certificate, of the engine alone, is no success of ``certify`` unless --allow-enclosure accepts it,
and is never written. The JSON is described in docs/json.md.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.cli.explanation import of_claim
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.options import (
    TARGET,
    absence_options,
    answer_format,
    certificate_option,
    explain_option,
    level_options,
    neighbors_option,
    options,
    shift_option,
    target_options,
    times_option,
    user_class_option,
    users_option,
)
from exactdp.cli.output import Fact, Report, answer, count, exact_fact, printable
from exactdp.cli.progress_bars import working
from exactdp.cli.typed_claims import TypedClaim, claim_of_n, claim_of_target
from exactdp.cli.values import PARTICIPANTS, Text, Typed, TypedLevel, refuse_given
from exactdp.errors import InvalidValueError
from exactdp.files.atomic_file import write_whole
from exactdp.mechanisms.documents import NAME as STANDARD_INPUT
from exactdp.numbers.exact import as_probability
from exactdp.numbers.formats import short
from exactdp.protocols.naming.typed_noise import NoiseLaw

_EVIDENCE: Final = {
    "certificate": "certificate: verified by the standard-library checker",
    "enclosure": "enclosure: decided by the engine, not certified",
    "none": "none",
}
"""What is said of each level."""
_UNWRITTEN: Final = {
    "certificate": "not written (-o FILE writes it)",
    "enclosure": "none: the checker has not confirmed this verdict",
    "none": "none: there is no verdict to confirm",
}
"""Why there is no file, at each level."""


def _of_privacy(typed: Mapping[str, Any]) -> TypedClaim:
    """Return the claim that what RANDOMIZER names is (eps, delta)-DP, in one run or in many."""
    if typed["randomizer"] is None:
        raise click.UsageError("Missing argument 'RANDOMIZER', or --inequality.")
    if _has_parameters(typed["randomizer"]):
        return _of_box(typed["randomizer"], typed)
    given = (typed[name] and TypedLevel.read(typed[name], name) for name in ("eps", "exp_eps"))
    level, times = TypedLevel.one_of(*given), typed["times"]
    if typed["delta"] is None:
        raise click.UsageError("Missing option '--delta'.")
    delta = as_probability(typed["delta"], name="delta")
    if typed["all_n"] and times is not None:
        raise InvalidValueError("--all-n and --times are given. Claim many runs at one number of users.")
    typed_claim = claim_of_target(typed, {**level.keywords, "delta": delta}, times)
    runs, words = ([], "") if times is None else ([Fact("times", count(times))], f"{times} adaptive runs: ")
    facts = [*typed_claim.facts, *runs, level.fact, exact_fact("delta", delta)]
    return replace(typed_claim, words=words + typed_claim.words, facts=facts)


def _has_parameters(name: str) -> bool:
    """Whether this is a file of a randomizer with parameters."""
    from exactdp.symbolic.symbolic_randomizer import has_parameters

    is_file = name.endswith((".toml", ".json")) and os.path.isfile(name)
    return not name.startswith("@") and (is_file or name == STANDARD_INPUT) and has_parameters(name)


def _of_box(name: str, typed: Mapping[str, Any]) -> TypedClaim:
    """Return the claim that a randomizer with parameters is (eps, delta)-DP on its whole box."""
    from exactdp.symbolic.symbolic_randomizer import SymbolicRandomizer, interval_text

    taken = {"randomizer", "users", "exp_eps", "delta", "all_n", "neighbors"}
    others = {option: value for option, value in typed.items() if option not in taken}
    where = f"for {short(name)}, a randomizer with parameters"
    refuse_given({"eps": others.pop("eps")}, where, "Write --exp-eps 2 for e^eps = 2.")
    refuse_given(others, where)
    exp_eps, delta, all_n = typed["exp_eps"], typed["delta"], bool(typed["all_n"])
    if exp_eps is None or delta is None:
        raise click.UsageError(f"Missing option '--{'exp-eps' if exp_eps is None else 'delta'}'.")
    randomizer, neighbors = SymbolicRandomizer.from_file(name), typed["neighbors"] or xdp.Neighbors.REPLACE_ONE
    if (n := typed["users"]) is None or isinstance(n, NoiseLaw):
        raise InvalidValueError(f"{short(name)} needs -n, the number of users who follow the protocol. Write -n 3.")
    protocol = xdp.ShuffleProtocol(randomizer, n)
    level = {"exp_eps": exp_eps, "delta": delta}
    inner = xdp.Claim.shuffle_dp(protocol, **level, neighbors=neighbors, all_n_from=n if all_n else None)
    claim = xdp.Claim.for_all(dict(zip(randomizer.parameters, randomizer.box, strict=True)), inner)
    box = {p: interval_text(side) for p, side in zip(randomizer.parameters, randomizer.box, strict=True)}
    ranges = ", ".join(f"{parameter} in {side}" for parameter, side in box.items())
    typed_claim = claim_of_n(claim, name, n, neighbors, all_n=all_n)
    facts = [
        *typed_claim.facts,
        Fact("box", box, "for all", ranges, {"box": ranges}),
        Fact("exp_eps", exp_eps, "e^eps", printable(exp_eps)),
        Fact("delta", delta, "delta", printable(delta)),
    ]
    return replace(typed_claim, facts=facts, work=f"certifying a box for n = {n}")


def _of_polynomials(inequality: str | None, where: Sequence[str], typed: Mapping[str, Any]) -> TypedClaim:
    """Return the claim of an inequality, for all real values of its variables that satisfy the hypotheses."""
    if inequality is None:
        raise InvalidValueError("--where says for which values an inequality is claimed. Write --inequality 'x <= 1'.")
    others = {"RANDOMIZER" if name == "randomizer" else name: value for name, value in typed.items()}
    refuse_given(others, "for --inequality, which is a claim by itself")
    claim = xdp.Claim.inequality(inequality, where=where)
    given = f", where {'; '.join(map(printable, where))}" if where else ""
    words = f"{printable(inequality)}{given}"
    facts = [Fact("inequality", inequality), Fact("where", list(where))]
    return TypedClaim(claim, words, facts, "For all real values of the variables.", "certifying an inequality")


@click.command("certify")
@click.argument("randomizer", type=TARGET, required=False)
@options(target_options, users_option(type=Typed(PARTICIPANTS.read)), shift_option, level_options(Text()))
@click.option("--delta", metavar="D", help="delta in [0, 1].")
@click.option("--all-n", is_flag=True, default=None, help="Claim it for every number of users from N on.")
@times_option(help="Claim it for K runs together, composed adaptively.")
@options(*absence_options, user_class_option, neighbors_option)
@click.option("--inequality", metavar="RELATION", help="Claim this, as 'x*(1-x) <= 1/4', in the place of privacy.")
@click.option("--where", metavar="RELATION", multiple=True, help="Where it is claimed, as '0 <= x <= 1'; repeatable.")
@options(explain_option, answer_format)
@click.option(
    "--allow-enclosure", is_flag=True, help="Succeed too where the engine decides the claim without a certificate."
)
@certificate_option(help="Write the certificate into FILE.")
def certify_command(
    allow_enclosure: bool,
    explain: bool,
    file: str | None,
    inequality: str | None,
    where: tuple[str, ...],
    **typed: Any,
) -> Report:
    """Prove or refute (eps, delta)-DP: of the shuffled protocol, or of a query plus a noise law.

    Both orders, over all neighbouring data sets or all shifts up to the sensitivity. With -o the certificate is written
    for either verdict; `exactdp verify` re-checks it. Where the views are too many to be listed, a bound proves
    and a test refutes, of a table for up to 10^6 users, and of a family, a product, @any-randomizer, users who may be
    away and classes of users for up to 10^12. Of one of two messages all data sets are compared, for up to some 10^4
    users. Where a claim that says the same is certified in place of the asked one, the reason says which.

    Of a file with [parameters] it is claimed for all of them, as `docs/randomizer-files.md` says; then E and D may be
    functions of these, such as '1 - 3*p'.

    With --inequality, an inequality between polynomials with rational coefficients, in place of RANDOMIZER.

    Exit status: 0 proved and 1 refuted, with a certificate; 3 undecided, or decided by the engine alone, without a
    certificate: then nothing is written. With --allow-enclosure the latter are 0 and 1 too.
    """
    if inequality is None and not where:
        typed_claim = _of_privacy(typed)
    else:
        typed_claim = _of_polynomials(inequality, where, typed)
    if allow_enclosure and file is not None:
        raise InvalidValueError(
            "--allow-enclosure accepts a verdict without a certificate, and -o asks for one. Leave out one of them."
        )
    return _certified(typed_claim, file, allow_enclosure=allow_enclosure, explain=explain)


def _certified(typed_claim: TypedClaim, file: str | None, *, allow_enclosure: bool, explain: bool) -> Report:
    """Return what is found of the claim; its certificate is written, if there is one."""
    with working(typed_claim.work):
        certificate = typed_claim.certificate()
        written = file if certificate.witness is not None else None
        if written is not None:
            write_whole(written, certificate.to_json())
    verdict, level, claim_id = certificate.verdict.name, certificate.level, certificate.claim.digest()
    is_uncertified = level == "enclosure" and not allow_enclosure
    absent = "" if file is None else f", and {printable(file)} is not written"
    uncertified = (
        f"{verdict} by the engine alone: there is no certificate{absent}. "
        "--allow-enclosure accepts this; a smaller claim has a certificate."
    )
    report = answer(
        Fact(label="claim", text=typed_claim.words),
        *typed_claim.facts,
        Fact("verdict", verdict, "verdict", verdict),
        Fact(label="reason", text=certificate.reason),
        Fact("level", level, "evidence", _EVIDENCE[level]),
        Fact("claim_kind", certificate.claim.kind),
        Fact("claim_id", claim_id, "claim id", claim_id),
        Fact("in_place_of", None if certificate.claim == typed_claim.claim else typed_claim.claim.digest()),
        Fact("reason", certificate.reason),
        Fact("file", written, "certificate", _UNWRITTEN[level] if written is None else printable(written)),
        notes=[typed_claim.note],
        status=UNDECIDED if is_uncertified else {"PROVED": HOLDS, "REFUTED": REFUTED}.get(verdict, UNDECIDED),
    )
    report = replace(report, remarks=[uncertified] if is_uncertified else [])
    said = [fact for fact in typed_claim.facts if fact.label]
    numbers = " and ".join(fact.text if fact.label == "privacy" else f"{fact.label} = {fact.text}" for fact in said)
    words = f"{typed_claim.words}, with {numbers}" if numbers else typed_claim.words
    return of_claim(words, certificate).on(report) if explain else report

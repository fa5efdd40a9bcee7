"""``certify`` and ``verify``: claims about a protocol with a certificate, and certificates re-checked.

JSON of ``certify``: {"randomizer", "n", "n_counts", "scope": "this n" or "all n from n", "neighbors", "exp_eps" or
"eps", "delta", "verdict": "PROVED", "REFUTED" or "UNDECIDED", "level", "claim_id", "reason", "file"}; ``reason``
says in words what was found, with inputs as indices, and ``file`` is null unless a certificate was written.

JSON of ``verify``: a list of {"file", "status": "VERIFIED", "REJECTED" or "MALFORMED", "verdict", "claim_id",
"statement", "rests_on": [...], "reason"}. What is said about a claim comes from the checker, which rebuilds it from the
numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from exactdp.cli import arguments
from exactdp.cli.arguments import Noise, Order, Target
from exactdp.cli.failures import BAD_INPUT, HOLDS, REFUTED, UNDECIDED
from exactdp.cli.numerals import exact_text, number_text
from exactdp.cli.output import FORMATS, HONEST_USERS, Report, columns, deliver, printable
from exactdp.cli.progress import working
from exactdp.errors import ExactDPError, InvalidValueError
from exactdp.numbers.exact import as_probability, short
from exactdp.whole_file import write_whole

if TYPE_CHECKING:
    from exactdp.certificates.claim import Claim

__all__ = ["certify_command", "confirm", "verify_command"]


def confirm(claim: Claim) -> str:
    """Return "certificate" where the checker proves the claim that an engine's answer makes, else "enclosure"."""
    from exactdp.certificates.certificate import Verdict
    from exactdp.certificates.certify import certify

    certificate = certify(claim)
    if certificate.verdict is Verdict.REFUTED:
        raise AssertionError(f"an answer is refuted by its own certificate: {certificate.reason}")
    return "certificate" if certificate.level == "certificate" else "enclosure"


@click.command("certify")
@arguments.randomized
@arguments.populated
@arguments.leveled
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@click.option("--all-n", is_flag=True, help="Claim it for every number of users from N on.")
@arguments.neighboring
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write the certificate into FILE.")
def certify_command(
    target: Target | Noise,
    users: str | None,
    eps: str | None,
    exp_eps: str | None,
    delta: str,
    all_n: bool,
    neighbors: str | None,
    form: str,
    output: str | None,
) -> int:
    """Prove or refute that the shuffled protocol is (eps, delta)-DP.

    Exit status: 0 proved, 1 refuted, 3 undecided. With -o the certificate is written for either verdict;
    `exactdp verify` re-checks it.
    """
    from exactdp.certificates.certificate import Verdict
    from exactdp.certificates.certify import certify
    from exactdp.certificates.claim import Claim
    from exactdp.protocol import ShuffleProtocol

    if isinstance(target, Noise):
        raise InvalidValueError(
            f"{short(target.name)} is a noise law, and certify takes a randomizer. "
            "Ask for delta or epsilon, or write certify(Claim.shift_dp(...)) in Python."
        )
    if output == "-":
        raise InvalidValueError("output=- is stdout, where the answer goes. Name a file for the certificate.")
    order = Order.read(eps, exp_eps)
    bound = as_probability(delta, name="delta")
    n = arguments.read_users(users, target)
    relation = arguments.read_neighbors(neighbors)
    protocol = ShuffleProtocol(target.randomizer, n)
    level: dict[str, Any] = {**order.keywords, "delta": bound, "all_n_from": n if all_n else None}
    claim = Claim.shuffle_dp(protocol, neighbors=relation, **level)
    with working(f"certifying for n = {n}"):
        certificate = certify(claim)
        document = (
            certificate.to_json() if output is not None and certificate.verdict is not Verdict.UNDECIDED else None
        )
    if output is not None and document is not None:
        write_whole(output, document if document.endswith("\n") else document + "\n")
    data = {
        "randomizer": target.name,
        "n": str(n),
        "n_counts": "users who follow the protocol",
        "scope": "all n from n" if all_n else "this n",
        "neighbors": relation.value,
        order.name: order.shown,
        "delta": exact_text(bound),
        "verdict": certificate.verdict.name,
        "level": certificate.level,
        "claim_id": claim.digest(),
        "reason": certificate.reason,
        "file": None if document is None else output,
    }
    scope = f"every n >= {n}" if all_n else f"n = {n}"
    lines = [
        ("claim", f"{printable(target.name)} is (eps, delta)-DP for {scope}, neighbours: {relation.value}"),
        ("privacy", order.text),
        ("delta", number_text(bound)),
        ("verdict", certificate.verdict.name),
        ("reason", certificate.reason),
        ("evidence", certificate.level),
        ("claim id", claim.digest()),
    ]
    lines.append(("certificate", "not written (-o FILE writes it)" if document is None else printable(output)))
    report = Report(
        lambda: [*columns(lines), HONEST_USERS],
        lambda: data,
        lambda: [list(data), [str(cell or "") for cell in data.values()]],
    )
    deliver(report, form=form, output=None)
    return {Verdict.PROVED: HOLDS, Verdict.REFUTED: REFUTED}.get(certificate.verdict, UNDECIDED)


@click.command("verify")
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@arguments.delivered
def verify_command(files: tuple[str, ...], form: str, output: str | None) -> int:
    """Re-check certificates with the checker, which uses the standard library only.

    Exit status: 0 all verified, 1 some rejected, 2 some malformed or beyond a limit. A certificate of a refutation that
    checks is verified too: its line says REFUTED.
    """
    checked = []
    for path in files:
        with working(f"checking {printable(path)}"):
            checked.append(_check(path))
    report = Report(
        lambda: [_line(entry) for entry in checked],
        lambda: checked,
        lambda: [
            list(checked[0]),
            *(["; ".join(c) if isinstance(c, list) else str(c or "") for c in entry.values()] for entry in checked),
        ],
    )
    deliver(report, form=form, output=output)
    statuses = {"VERIFIED": HOLDS, "REJECTED": REFUTED, "MALFORMED": BAD_INPUT}
    return max(statuses[entry["status"]] for entry in checked)


def _check(path: str) -> dict[str, Any]:
    """Return what the checker says of one file."""
    from exactdp.certificates.verify import CertificateRejectedError, MalformedCertificateError, verify_file

    entry: dict[str, Any] = {"file": path, "status": "VERIFIED", "verdict": None, "claim_id": None, "statement": None}
    entry |= {"rests_on": [], "reason": None}
    try:
        result = verify_file(path)
    except CertificateRejectedError as error:
        return entry | {"status": "REJECTED", "reason": str(error)}
    except (MalformedCertificateError, ExactDPError) as error:
        return entry | {"status": "MALFORMED", "reason": str(error)}
    found = {"verdict": result.verdict, "claim_id": result.claim_id, "statement": result.words}
    return entry | found | {"rests_on": list(result.facts)}


def _line(entry: dict[str, Any]) -> str:
    if entry["status"] != "VERIFIED":
        return f"{entry['status']} {printable(entry['file'])}: {entry['reason']}"
    facts = "; ".join(entry["rests_on"]) or "arithmetic alone"
    return f"{entry['verdict']} {printable(entry['file'])}: {entry['statement']} [rests on: {facts}]"

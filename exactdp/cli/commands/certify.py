"""``certify``: a claim about a protocol or noise, with a certificate.

A verdict without a certificate, of the engine alone, is no success of ``certify`` unless --allow-enclosure accepts it,
and is never written. The JSON is described in docs/json.md.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.atomic_file import write_whole
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.noise_laws import Noise
from exactdp.cli.options import (
    format_option,
    neighbors_option,
    options,
    privacy_level_options,
    shift_option,
    target_arguments,
    users_option,
)
from exactdp.cli.output import HONEST_USERS, Report, columns, count, counted_users, deliver, printable, records
from exactdp.cli.progress import working
from exactdp.cli.subjects import Asked, NoisyQuery
from exactdp.cli.targets import Target
from exactdp.cli.values import NEIGHBORS, TypedLevel, read_neighbors, read_users, refuse
from exactdp.errors import InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_integer, as_probability
from exactdp.numbers.formats import exact_text, number_text

if TYPE_CHECKING:
    from exactdp.laws.lattice import LatticeLaw

__all__ = ["certify_command"]


@dataclass(frozen=True, slots=True)
class _Claimed:
    """A claim of the command line, and what is said of it."""

    claim: xdp.Claim
    words: str
    """The claim for reading."""
    data: dict[str, Any]
    """The fields that the JSON begins with."""
    cells: dict[str, Any]
    """The cells that the row of CSV begins with."""
    note: str
    """What the answer says of its meaning."""
    work: str
    """What is shown while it is decided."""


@click.command("certify")
@options(target_arguments, users_option, shift_option, privacy_level_options)
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@click.option("--all-n", is_flag=True, help="Claim it for every number of users from N on.")
@click.option("--times", metavar="K", help="Claim it for K runs together, composed adaptively.")
@options(neighbors_option, format_option)
@click.option(
    "--allow-enclosure", is_flag=True, help="Succeed too where the engine decides the claim without a certificate."
)
@click.option("-o", "--output", metavar="FILE", help="Write the certificate into FILE.")
def certify_command(all_n: bool, form: str, allow_enclosure: bool, output: str | None, **typed: str | None) -> int:
    """Prove or refute (eps, delta)-DP: of the shuffled protocol, or of a query plus a noise law.

    Both orders, over all neighbouring data sets or all shifts up to the sensitivity. With -o the certificate is written
    for either verdict; `exactdp verify` re-checks it.

    Exit status: 0 proved and 1 refuted, with a certificate; 3 undecided, or decided by the engine alone, without a
    certificate: then nothing is written. With --allow-enclosure the latter are 0 and 1 too.
    """
    what = Asked.read(typed)
    if allow_enclosure and output is not None:
        raise InvalidValueError(
            "--allow-enclosure accepts a verdict without a certificate, and -o asks for one. Leave out one of them."
        )
    if output == "-":
        raise InvalidValueError("output=- is stdout, where the answer goes. Name a file for the certificate.")
    privacy_level = TypedLevel.read(typed["eps"], typed["exp_eps"])
    bound = as_probability(typed["delta"], name="delta")
    times = typed["times"]
    runs = None if times is None else as_integer(times, name="times", at_least=1)
    if all_n and runs is not None:
        raise InvalidValueError("--all-n and --times are given. Claim many runs at one number of users.")
    if isinstance(what.target, Noise):
        claimed = _noise_claim(what, what.target, privacy_level, bound, all_n=all_n, times=runs)
    else:
        claimed = _users_claim(what, what.target, privacy_level, bound, all_n=all_n, times=runs)
    with working(claimed.work):
        certificate = xdp.certify(claimed.claim)
        written = None if output is None else _write(certificate, output)
    deliver(_report(claimed, privacy_level, bound, certificate, written), form=form, output=None)
    if certificate.level == "enclosure" and not allow_enclosure:
        _say_uncertified(certificate, output)
        return UNDECIDED
    return {"PROVED": HOLDS, "REFUTED": REFUTED}.get(certificate.verdict.name, UNDECIDED)


def _say_uncertified(certificate: xdp.Certificate, output: str | None) -> None:
    """Say on stderr why a verdict is no success."""
    absent = "" if output is None else f", and {printable(output)} is not written"
    print(
        f"{certificate.verdict.name} by the engine alone: there is no certificate{absent}. "
        "--allow-enclosure accepts this; a smaller claim has a certificate.",
        file=sys.stderr,
    )


def _users_claim(
    what: Asked, target: Target, privacy_level: TypedLevel, delta: Fraction, *, all_n: bool, times: int | None
) -> _Claimed:
    """Return the claim about n users of a randomizer, about n users and more, or about many runs."""
    refuse(target, {"--shift": what.shift})
    n = read_users(what.users, target)
    relation = read_neighbors(what.neighbors)
    if target.table is None:
        return _counted_claim(target, n, what, privacy_level, delta, all_n=all_n, times=times)
    randomizer = target.randomizer()
    if randomizer is None:
        raise TooLargeError(
            f"{target.name} has no table, of which a claim could be made. "
            "Use at most 10 bins, or certify @zsum, one bin."
        )
    protocol = xdp.ShuffleProtocol(randomizer, n)
    level: dict[str, Any] = {**privacy_level.keywords, "delta": delta, "neighbors": relation}
    if times is None:
        claim = xdp.Claim.shuffle_dp(protocol, all_n_from=n if all_n else None, **level)
    else:
        claim = xdp.Claim.composed((protocol, times), **level)
    data = _user_data(target, n, "all n from n" if all_n else "this n", relation.value, times)
    scope = f"every n >= {n}" if all_n else f"n = {n}"
    return _Claimed(
        claim,
        f"{_often(times)}{printable(target.name)} is (eps, delta)-DP for {scope}, neighbours: {relation.value}",
        data,
        data,
        HONEST_USERS,
        f"certifying for n = {n}",
    )


def _counted_claim(
    target: Target, n: int, what: Asked, privacy_level: TypedLevel, delta: Fraction, *, all_n: bool, times: int | None
) -> _Claimed:
    """Return the claim about a protocol that is a count plus noise."""
    protocol = target.build(n)
    assert isinstance(protocol, xdp.AdditiveProtocol)
    if all_n or what.neighbors not in (None, NEIGHBORS[0]):
        option = "--all-n" if all_n else f"--neighbors {what.neighbors}"
        raise InvalidValueError(
            f"{option} has no meaning for {target.name}, whose noise belongs to n users. Leave it out."
        )
    data = _user_data(target, n, "this n", NEIGHBORS[0], times)
    words = f"{_often(times)}{printable(target.name)} is (eps, delta)-DP for n = {n}, neighbours: {NEIGHBORS[0]}"
    claim = _shift_claim(protocol.noise, protocol.shift, privacy_level, delta, times)
    return _Claimed(claim, words, data, data, HONEST_USERS, f"certifying for n = {n}")


def _user_data(target: Target, n: int, scope: str, neighbors: str, times: int | None) -> dict[str, Any]:
    """Return the fields that the JSON about users of a randomizer begins with."""
    return {
        "randomizer": target.name,
        **counted_users(n),
        "scope": scope,
        "neighbors": neighbors,
        **_runs(times),
    }


def _shift_claim(
    noise: xdp.Law | LatticeLaw, shift: int, privacy_level: TypedLevel, delta: Fraction, times: int | None
) -> xdp.Claim:
    """Return the claim about a query of some sensitivity plus noise, or about many runs of it."""
    from exactdp.certificates.claim import Run

    level: dict[str, Any] = {**privacy_level.keywords, "delta": delta}
    if times is None:
        return xdp.Claim.shift_dp(noise, shift=shift, **level)
    return xdp.Claim.composed(Run(noise, times, shift), **level)


def _runs(times: int | None) -> dict[str, Any]:
    """Return the field of many runs."""
    return {} if times is None else {"times": count(times)}


def _often(times: int | None) -> str:
    """Return the words for many runs, before what is run."""
    return "" if times is None else f"{times} adaptive runs: "


def _noise_claim(
    what: Asked, noise: Noise, privacy_level: TypedLevel, delta: Fraction, *, all_n: bool, times: int | None
) -> _Claimed:
    """Return the claim about a query that noise hides, or about many such queries."""
    refuse(noise, {"--all-n": "" if all_n else None})
    query = NoisyQuery.read(what, noise)
    return _Claimed(
        _shift_claim(noise.law, query.shift, privacy_level, delta, times),
        f"{_often(times)}a query of sensitivity {query.shift} plus {noise.title} is (eps, delta)-DP, both orders",
        {**query.data, **_runs(times)},
        {**query.cells, **_runs(times)},
        query.note,
        f"certifying {noise.title}",
    )


def _write(certificate: xdp.Certificate, output: str) -> str | None:
    """Write the certificate of a verdict into the file and return its name; None, and no file, where there is none."""
    if certificate.witness is None:
        return None
    write_whole(output, certificate.to_json())
    return output


_EVIDENCE: Final = {
    "certificate": "certificate: verified by the standard-library checker",
    "enclosure": "enclosure: decided by the engine, not certified",
    "none": "none",
}


def _report(
    claimed: _Claimed, privacy_level: TypedLevel, delta: Fraction, certificate: xdp.Certificate, written: str | None
) -> Report:
    """Report the verdict, what stands behind it, and where the certificate is."""
    verdict, level, claim_id = certificate.verdict.name, certificate.level, certificate.claim.digest()
    unwritten = {
        "certificate": "not written (-o FILE writes it)",
        "enclosure": "none: the checker has not confirmed this verdict",
        "none": "none: there is no verdict to confirm",
    }
    lines = [
        ("claim", claimed.words),
        ("privacy", privacy_level.text),
        ("delta", number_text(delta)),
        ("verdict", verdict),
        ("reason", certificate.reason),
        ("evidence", _EVIDENCE[level]),
        ("claim id", claim_id),
        ("certificate", unwritten[level] if written is None else printable(written)),
    ]
    found = {
        privacy_level.name: privacy_level.shown,
        "delta": exact_text(delta),
        "verdict": verdict,
        "level": level,
        "claim_id": claim_id,
        "reason": certificate.reason,
        "file": written,
    }
    cells = {**claimed.cells, **found}
    return Report(
        lambda: [*columns(lines), claimed.note],
        lambda: {**claimed.data, **found},
        lambda: records(cells),
    )

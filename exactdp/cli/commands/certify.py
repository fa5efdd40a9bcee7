"""``certify``: a claim about a protocol or noise, with a certificate.

A verdict without a certificate, of the engine alone, is no success of ``certify`` unless --allow-enclosure accepts it,
and is never written. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import click

import exactdp as xdp
from exactdp.atomic_file import write_whole
from exactdp.cli.failures import HOLDS, REFUTED, UNDECIDED
from exactdp.cli.options import (
    answer_format,
    neighbors_option,
    options,
    privacy_level_options,
    shift_option,
    target_arguments,
    typed_target,
    users_option,
)
from exactdp.cli.output import HONEST_USERS, Report, columns, count, counted_users, printable, records
from exactdp.cli.progress import working
from exactdp.cli.subjects import NoisyQuery
from exactdp.cli.values import TypedLevel, read_neighbors, read_users, refuse
from exactdp.errors import InvalidValueError
from exactdp.naming.targets import ProtocolTarget
from exactdp.naming.typed_noise import NoiseLaw
from exactdp.numbers.exact import as_integer, as_probability
from exactdp.numbers.formats import exact_text, number_text, short

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


@dataclass(frozen=True, slots=True)
class _AskedClaim:
    """What is to be claimed: of one number of users or of all from it on, of one run or of many."""

    typed: Mapping[str, str | None]
    level: dict[str, Any]
    """The eps and the delta, as claims take them."""
    all_n: bool
    times: int | None

    def claimed(self, target: ProtocolTarget | NoiseLaw) -> _Claimed:
        """Return the claim."""
        claimed = self._of_noise(target) if isinstance(target, NoiseLaw) else self._of_users(target)
        if self.times is None:
            return claimed
        data, cells = ({**named, "times": count(self.times)} for named in (claimed.data, claimed.cells))
        return replace(claimed, words=f"{self.times} adaptive runs: {claimed.words}", data=data, cells=cells)

    def _of_noise(self, noise: NoiseLaw) -> _Claimed:
        """Return the claim about a query that noise hides, or about many such queries."""
        from exactdp.certificates.claimed_targets import noise_claim

        refuse(noise, {"--all-n": "" if self.all_n else None})
        query = NoisyQuery.read(noise, self.typed)
        words = f"a query of sensitivity {query.shift} plus {noise.title} is (eps, delta)-DP, both orders"
        claim = noise_claim(noise, int(query.shift), self.level, times=self.times)
        return _Claimed(claim, words, query.named, query.named_cells, query.note, f"certifying {noise.title}")

    def _of_users(self, target: ProtocolTarget) -> _Claimed:
        """Return the claim about n users of a randomizer, about n users and more, or about many runs."""
        from exactdp.certificates.claimed_targets import users_claim

        refuse(target, {"--shift": self.typed["shift"]})
        users, neighbors = self.typed["users"], read_neighbors(self.typed["neighbors"])
        if users is not None and users.startswith("@"):
            raise InvalidValueError(
                f"users={short(users)}: n is random, and no certificate speaks of that. Write -n 1000 for one n, or -n "
                "1000 --all-n for every n from there on."
            )
        n = read_users(users, target)
        if target.table is None and (self.all_n or neighbors is not xdp.Neighbors.REPLACE_ONE):
            option = "--all-n" if self.all_n else f"--neighbors {neighbors.value}"
            raise InvalidValueError(
                f"{option} has no meaning for {target.name}, whose noise belongs to n users. Leave it out."
            )
        claim = users_claim(target, n, self.level, neighbors=neighbors, all_n=self.all_n, times=self.times)
        scope, some_n = ("all n from n", f"every n >= {n}") if self.all_n else ("this n", f"n = {n}")
        words = f"{printable(target.name)} is (eps, delta)-DP for {some_n}, neighbours: {neighbors.value}"
        data = {"randomizer": target.name, **counted_users(n), "scope": scope, "neighbors": neighbors.value}
        return _Claimed(claim, words, data, data, HONEST_USERS, f"certifying for n = {n}")


@click.command("certify")
@options(target_arguments, users_option, shift_option, privacy_level_options)
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@click.option("--all-n", is_flag=True, help="Claim it for every number of users from N on.")
@click.option("--times", metavar="K", help="Claim it for K runs together, composed adaptively.")
@options(neighbors_option, answer_format)
@click.option(
    "--allow-enclosure", is_flag=True, help="Succeed too where the engine decides the claim without a certificate."
)
@click.option("-o", "--output", "file", metavar="FILE", help="Write the certificate into FILE.")
def certify_command(all_n: bool, allow_enclosure: bool, file: str | None, **typed: str | None) -> Report:
    """Prove or refute (eps, delta)-DP: of the shuffled protocol, or of a query plus a noise law.

    Both orders, over all neighbouring data sets or all shifts up to the sensitivity. With -o the certificate is written
    for either verdict; `exactdp verify` re-checks it. Where the views are too many to be listed, a bound by a blanket
    proves and a test refutes, of a table for up to 10^6 users, and for up to 10^12 of @randomized-response,
    @unary-encoding, @subset-selection, @hadamard-response, @local-hashing and @clipped-discrete-laplace. Of one of two
    messages from each user all data sets are compared, at any delta, for up to some 10^4 users.

    Exit status: 0 proved and 1 refuted, with a certificate; 3 undecided, or decided by the engine alone, without a
    certificate: then nothing is written. With --allow-enclosure the latter are 0 and 1 too.
    """
    target = typed_target(typed)
    if allow_enclosure and file is not None:
        raise InvalidValueError(
            "--allow-enclosure accepts a verdict without a certificate, and -o asks for one. Leave out one of them."
        )
    if file == "-":
        raise InvalidValueError("output=- is stdout, where the answer goes. Name a file for the certificate.")
    privacy_level = TypedLevel.read(typed["eps"], typed["exp_eps"])
    bound = as_probability(typed["delta"], name="delta")
    times = typed["times"]
    runs = None if times is None else as_integer(times, name="times", at_least=1)
    if all_n and runs is not None:
        raise InvalidValueError("--all-n and --times are given. Claim many runs at one number of users.")
    asked = {**privacy_level.keywords, "delta": bound}
    claimed = _AskedClaim(typed, asked, all_n, runs).claimed(target)
    from exactdp.certificates.either_claim import certify_either

    with working(claimed.work):
        certificate = certify_either(claimed.claim)
        written = file if certificate.witness is not None else None
        if written is not None:
            write_whole(written, certificate.to_json())
    verdict, level, claim_id = certificate.verdict.name, certificate.level, certificate.claim.digest()
    lines = [
        ("claim", claimed.words),
        ("privacy", privacy_level.text),
        ("delta", number_text(bound)),
        ("verdict", verdict),
        ("reason", certificate.reason),
        ("evidence", _EVIDENCE[level]),
        ("claim id", claim_id),
        ("certificate", _UNWRITTEN[level] if written is None else printable(written)),
    ]
    decided = {
        privacy_level.name: privacy_level.shown,
        "delta": exact_text(bound),
        "verdict": verdict,
        "level": level,
        "claim_id": claim_id,
        "reason": certificate.reason,
        "file": written,
    }
    is_uncertified = level == "enclosure" and not allow_enclosure
    absent = "" if file is None else f", and {printable(file)} is not written"
    uncertified = (
        f"{verdict} by the engine alone: there is no certificate{absent}. "
        "--allow-enclosure accepts this; a smaller claim has a certificate."
    )
    return Report(
        lambda: [*columns(lines), claimed.note],
        lambda: {**claimed.data, **decided},
        lambda: records({**claimed.cells, **decided}),
        UNDECIDED if is_uncertified else {"PROVED": HOLDS, "REFUTED": REFUTED}.get(verdict, UNDECIDED),
        [uncertified] if is_uncertified else [],
    )

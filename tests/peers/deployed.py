"""Prints what was deployed, and what it gives: `python -m tests.peers.deployed [FILE ...] [--write]`.

Of each deployment of examples/deployments/ with a source what that promises, what is proved, and the certificates. With
--write the sections of docs/deployed.md are replaced.
"""

from __future__ import annotations

import argparse
import re
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from exactdp import deployment
from exactdp.cli.commands.audit import UNITS
from exactdp.deployment import Deployment, Release
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import number_text
from exactdp.numbers.interval import Interval
from exactdp.studies.deployment.audit import Audit, Part
from exactdp.studies.deployment.folder import _certificates

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "deployed.md"
FOLDER = ROOT / "examples" / "deployments"
NAMES = (
    "dap_sums",
    "dap_zeros",
    "dap_shuffled",
    "nebula",
    "attribution_reporting",
    "count_mean_sketch",
    "basic_rappor",
)
"""In the order of the page."""
HEAD = ("what", "promised eps", "proved eps", "promised over proved", "certificates")
_ADDRESS = re.compile(r"https://[^ ,;]+")
_MIXED = {
    "sums": "the sums of the bits are seen",
    "separate": "the messages are shuffled",
}


def marker(name: str) -> str:
    """The line of the page after which the section of a file stands, and an empty line."""
    return f"<!-- printed by: python -m tests.peers.deployed {name} -->"


def stored(name: str) -> str:
    """The section of the page, without its marker."""
    return PAGE.read_text("utf-8").partition(f"{marker(name)}\n\n")[2].partition("<!--")[0].strip()


def section(name: str) -> str:
    """What is printed of a file."""
    deployed = deployment.read(FOLDER / f"{name}.toml")
    return "\n".join([*_facts(name, deployed), "", *_table(deployed)])


def _facts(name: str, deployed: Deployment) -> list[str]:
    users = ", ".join(f"{one.users:,} {one.name}" for one in deployed.classes)
    zeros = ", by zeros" if deployed.by_zeros else ""
    run = "; ".join(f"{one.name}: `{one.specs[0]}`" for one in deployed.questions)
    seen = {_MIXED[one.shuffling] for one in deployed.releases}
    whole = any(one.is_protocol for one in deployed.questions)
    return [
        f"## {deployed.name}",
        "",
        f"- *File:* [{name}.toml](../examples/deployments/{name}.toml)",
        f"- *Source:* {_ADDRESS.sub(lambda found: f'<{found[0]}>', deployed.source)}",
        f"- *Run by {users}:* {run}",
        f"- *Seen:* {'what the protocol releases' if whole else '; '.join(sorted(seen))}, once",
        f"- *Replaced:* {UNITS[deployed.unit]}{zeros}",
        f"- *Delta:* {number_text(deployed.delta)}",
    ]


def _table(deployed: Deployment) -> list[str]:
    audit = deployed.audit()
    certified, missing = _certificates(deployed, deployed.delta)
    lines = [f"| {' | '.join(HEAD)} |", "| --- " * len(HEAD) + "|"]
    notes: dict[str, list[str]] = {}
    for release, part in zip(deployed.releases, audit.releases, strict=True):
        (name,) = release.questions
        about = f"{name}, once"
        claims = [
            f"eps = {number_text(one.eps)} {'proved' if one.end == 'upper' else 'refuted'}: "
            f"`{one.certificate.claim.digest()[:16]}`"
            for one in certified
            if one.about == about
        ]
        lines.append(f"| {' | '.join([name, *_numbers(release, part, audit), '; '.join(claims) or 'none'])} |")
        ends_by = f"the lower end is attained by {part.attained_by}; the upper end: {part.theorem}."
        without = [
            f"no certificate of {what.removeprefix(about).replace(', ', 'the ') or 'an end'}: {why.rpartition('. ')[2]}"
            for what, why in missing
            if what.startswith(about)
        ]
        for note in (ends_by, *without):
            notes.setdefault(note, []).append(name)
    return [*lines, "", *(f"- *{', '.join(names)}:* {text}" for text, names in notes.items())]


def _numbers(release: Release, part: Part, audit: Audit) -> list[str]:
    low, high = ends(part.epsilon)
    proved = f"{_rounded(low)} to {_rounded(high, up=True)}" if low < high else _rounded(low)
    if release.eps is None:
        return ["nothing of this view", proved, ""]
    holds = audit.promises_hold[audit.deployment.releases.index(release)]
    verdict = {True: "holds", False: "refuted", None: "open"}[holds]
    return [f"{_rounded(release.eps)}: {verdict}", proved, f"{float(release.eps / high):.4g}"]


def ends(epsilon: LogRational | Interval) -> tuple[Fraction, Fraction]:
    """Both ends of an eps."""
    known = epsilon.enclose(53) if isinstance(epsilon, LogRational) else epsilon
    return known.lo, known.hi


def _rounded(value: Fraction, *, up: bool = False) -> str:
    """A positive number in seven digits, not above it or not below it."""
    places = 7 - len(str(int(value))) if value >= 1 else 7
    scaled = value * 10**places
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    return f"{Decimal(whole).scaleb(-places):f}".rstrip("0").rstrip(".")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.peers.deployed", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FILE", help=f"of {', '.join(NAMES)}; all without one")
    parser.add_argument("--write", action="store_true", help="put what is printed into docs/deployed.md")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in NAMES]:
        parser.error(f"{unknown[0]!r} is no deployment with a source. Choose of {', '.join(NAMES)}.")
    for name in asked.names or NAMES:
        printed = section(name)
        sys.stdout.write(f"{printed}\n\n")
        sys.stdout.flush()
        if asked.write:
            page = PAGE.read_text("utf-8")
            old = stored(name)
            PAGE.write_text(page.replace(f"{marker(name)}\n\n{old}", f"{marker(name)}\n\n{printed}"), encoding="utf-8")


if __name__ == "__main__":
    main()

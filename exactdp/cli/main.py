"""The command ``exactdp``: a group whose commands are imported when they are called."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, Final

import click

from exactdp import __version__
from exactdp.cli.failures import fail, patient
from exactdp.cli.wrapping import PageContext, with_page
from exactdp.errors import meant

COMMANDS: Final = {
    "prove": "Run the proofs that ship with exactdp and print their verdicts.",
    "check": "Say whether a randomizer or noise law is valid, and what can be asked of it.",
    "init": "Write a randomizer file to start from.",
    "protocols": "The names of randomizers, protocols and noise laws, and what each of them takes.",
    "delta": "The least delta at an eps, of a protocol or of noise.",
    "epsilon": "The least eps at a delta, of a protocol or of noise.",
    "curve": "delta on a grid of eps.",
    "compose": "The least delta or eps of many runs together.",
    "renyi": "The Rényi divergence of an order, or rho of zCDP, of one run or many.",
    "law": "The exact law of the shuffled view of one data set, or of noise.",
    "slack": "What each step of a published theorem's proof gives away.",
    "accuracy": "The least error that the worst data set exceeds with probability beta.",
    "survey": "Every protocol for the same task, at the same eps and delta: what it sends, its privacy and error.",
    "audit": "What a whole deployment gives away, from one file: its guarantee, certificates and a page.",
    "choose": "Which family of randomizers: all at equal privacy by error, or at equal error by privacy.",
    "sweep": "A grid of questions answered into a file of SQLite, on one machine or a cluster, resumable.",
    "security": "How far views of split and mix are apart, or how many messages are enough.",
    "calibrate": "The least noise that is enough, and what it saves against the published one.",
    "search": "The least counterexample to a statement, or what published bounds give away.",
    "refute": "The least instance at which an amplification bound promises too much, or how loose it is.",
    "certify": "Prove or refute (eps, delta)-DP, of a protocol or of noise, and write a certificate.",
    "verify": "Re-check certificates with the standard-library checker.",
    "sample": "Draws of the shuffled view of one data set, or of noise.",
    "report": "The ledger, the protocols and the figures as one HTML file.",
    "experiment": "An accuracy experiment: draws beside exact numbers, with its data and its figure.",
}
"""Command -> its line in the help. Its module is named like it."""
_ASKED: Final = "_EXACTDP_COMPLETE"
"""Is set by a shell that asks what could be typed."""


class _Commands(click.Group):
    """The group: loads a command only to run it, and ends every failure in :func:`fail`."""

    context_class = PageContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"exactdp.cli.commands.{cmd_name}"), f"{cmd_name}_command")
        if cmd_name not in ("init", "sweep"):  # of sweep, each of its two has the option
            patient(command)
        with_page(command)
        return _completed(command) if getattr(ctx, "resilient_parsing", False) else command  # some ask with no context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = meant(args[0], COMMANDS)
            listed = f"The commands are {', '.join(COMMANDS)}."
            raise click.UsageError(f"{args[0]!r} is no command. {near or listed}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> int:
        try:
            status = super().invoke(ctx)
            sys.stdout.flush()
        except (KeyboardInterrupt, BrokenPipeError) as error:  # click would print about these itself
            return fail(error)
        return int(status or 0)

    def main(self, *args: Any, **settings: Any) -> Any:
        if reconfigure := getattr(sys.stdout, "reconfigure", None):
            reconfigure(errors="backslashreplace")
        if _ASKED in os.environ:
            import_module("exactdp.cli.completion")  # knows how bash breaks words
        is_alone, run = settings.pop("standalone_mode", True), super().main
        try:
            status: Any = run(*args, **{"prog_name": "exactdp", **settings, "standalone_mode": False})
        except Exception as error:  # noqa: BLE001  the last line of defence: a sentence and a status, never a traceback
            status = fail(error)
        if is_alone:
            sys.exit(status)
        return status


def _completed(command: click.Command) -> click.Command:
    """Return the command for a shell that asks what could be typed."""
    from exactdp.cli.completion import with_completion

    return with_completion(command)


@click.group(
    "exactdp",
    cls=_Commands,
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="exactdp")
def cli() -> None:
    """Exact, certified privacy of shuffle-model protocols.

    RANDOMIZER is a TOML or JSON file (`exactdp init` writes one), - for standard input, or a name with its parameters,
    whose @ may be left out; but then a file of that name comes first:

    \b
      @zsum:gamma=1/8                       a protocol
      @unary-encoding:inputs=10,eps0=1      what one user runs
      @poisson:mu=10                        a noise law

    `exactdp protocols` lists all names, and `exactdp protocols zsum` says what one of them takes. What stands inside of
    another has parentheses and no @: '@repeat:times=3,of=(zsum:gamma=1/8)'.

    Numbers are exact: 3, 100_000, 1/4, 0.25 or 25e-2, and some may be exp(X) or ln(X) with an exact X. n counts the
    users who follow the protocol: with fewer of them there is less privacy.

    delta, epsilon, curve, compose, renyi, law, check and certify also take a noise law, for an integer query of
    sensitivity --shift plus noise; with @laplace, which no certificate states, the query is real, and so is --shift.

    Data go to stdout, messages and progress to stderr. Exit status: 0 answered or proved, 1 refuted or rejected, 2 bad
    input, too large, or not answered within --timeout SECONDS, 3 undecided or without a certificate.
    """


def main() -> None:
    """Run the command line on ``sys.argv`` and exit with its status."""
    cli.main()

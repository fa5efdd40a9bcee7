"""``epsilon``: the least eps at a delta, exact or enclosed. The JSON is described in docs/json.md."""

from __future__ import annotations

import click

from exactdp.cli.options import (
    answer_options,
    cross_check_option,
    exact_option,
    explain_option,
    options,
    subject_arguments,
    typed_target,
)
from exactdp.cli.output import Report
from exactdp.cli.progress_bars import working
from exactdp.cli.question import least_eps
from exactdp.cli.subjects import read_subject
from exactdp.numbers.exact import as_probability


@click.command("epsilon")
@options(subject_arguments)
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@options(exact_option, cross_check_option, explain_option, answer_options)
def epsilon_command(delta: str, exact: bool, cross_check: bool, explain: bool, **typed: str | None) -> Report:
    """The least eps at a delta, in both orders: over all neighbouring data sets, or for a query plus a noise law.

    The answer is exact, 0, ln(p/q) or infinity where no eps is enough, where probabilities are rational and p/q has at
    most about 79,000 digits; otherwise it is an interval that contains the truth.
    """
    target, allowed = typed_target(typed), as_probability(delta, name="delta")
    subject = read_subject(target, typed, exact=exact)
    with working(subject.work):
        answer = least_eps(subject, allowed, exact=exact)
    report = answer.cross_checked(cross_check).report()
    return answer.explanation().on(report) if explain else report

"""``delta``: the least delta at an eps, exact or enclosed.

An answer is exact for a rational e^eps and rational probabilities, unless its fraction has more than about 79,000
digits and --exact does not ask for it. The JSON is described in docs/json.md.
"""

from __future__ import annotations

import click

from exactdp.cli.options import (
    answer_options,
    cross_check_option,
    exact_option,
    explain_option,
    options,
    privacy_level_options,
    relative_bits_option,
    subject_arguments,
    typed_target,
)
from exactdp.cli.output import Report
from exactdp.cli.progress_bars import working
from exactdp.cli.question import least_delta
from exactdp.cli.subjects import read_subject
from exactdp.cli.values import BITS, TypedLevel, read_bits


@click.command("delta")
@options(
    subject_arguments,
    privacy_level_options,
    relative_bits_option,
    exact_option,
    cross_check_option,
    explain_option,
    answer_options,
)
def delta_command(exact: bool, cross_check: bool, explain: bool, **typed: str | None) -> Report:
    """The least delta at an eps, in both orders: over all neighbouring data sets, or for a query plus a noise law.

    With --exp-eps the answer is an exact fraction where probabilities are rational and it has at most about 79,000
    digits; otherwise, and with --eps, it is an interval that contains the truth.
    """
    target = typed_target(typed)
    privacy_level = TypedLevel.read(typed["eps"], typed["exp_eps"])
    bits = None if typed["relative_bits"] is None else read_bits(typed["relative_bits"])
    subject = read_subject(target, typed, exact=exact)
    with working(subject.work):
        answer = least_delta(subject, privacy_level, bits, exact=exact)
    report = answer.cross_checked(cross_check).report(bits or BITS)
    return answer.explanation().on(report) if explain else report

"""``delta``: the least delta at an eps, exact or enclosed.

An answer is exact for a rational e^eps and rational probabilities, unless its fraction has more than about 79,000
digits and --exact does not ask for it. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from typing import Any

from exactdp.cli.options import exact_option, privacy_level_options, relative_bits_option
from exactdp.cli.progress_bars import working
from exactdp.cli.question import Answer, least_delta, question
from exactdp.cli.subjects import Subject
from exactdp.cli.values import TypedLevel


@question("delta", privacy_level_options, relative_bits_option, exact_option)
def delta_command(subject: Subject, typed: dict[str, Any]) -> Answer:
    """The least delta at an eps, in both orders: over all neighbouring data sets, or for a query plus a noise law.

    With --exp-eps the answer is an exact fraction where probabilities are rational and it has at most about 79,000
    digits; otherwise, and with --eps, it is an interval that contains the truth.
    """
    level = TypedLevel.one_of(typed["eps"], typed["exp_eps"])
    with working(subject.work):
        return least_delta(subject, level, typed["relative_bits"], exact=typed["exact"])

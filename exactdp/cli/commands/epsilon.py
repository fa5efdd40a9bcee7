"""``epsilon``: the least eps at a delta, exact or enclosed. The JSON is described in docs/json.md."""

from __future__ import annotations

from typing import Any, Final

from exactdp.cli.options import exact_option, option_of
from exactdp.cli.progress_bars import working
from exactdp.cli.question import Answer, least_eps, question
from exactdp.cli.subjects import Subject
from exactdp.cli.values import PROBABILITY

_DELTA: Final = option_of(PROBABILITY, "D", "--delta", required=True, help="delta in [0, 1].")


@question("epsilon", _DELTA, exact_option)
def epsilon_command(subject: Subject, typed: dict[str, Any]) -> Answer:
    """The least eps at a delta, in both orders: over all neighbouring data sets, or for a query plus a noise law.

    The answer is exact, 0, ln(p/q) or infinity where no eps is enough, where probabilities are rational and p/q has at
    most about 79,000 digits; otherwise it is an interval that contains the truth.
    """
    with working(subject.work):
        return least_eps(subject, typed["delta"], exact=typed["exact"])

"""``epsilon``: the least eps at a delta, exact or enclosed. The JSON is described in docs/json.md."""

from __future__ import annotations

import click

import exactdp as xdp
from exactdp.cli.failures import HOLDS
from exactdp.cli.options import exact_option, options, output_options, subject_arguments
from exactdp.cli.output import Report, deliver, number_cells, records
from exactdp.cli.progress import working
from exactdp.cli.question import CONFIRM_BUDGET, PrivacyQuestion
from exactdp.cli.subjects import TypedSubject
from exactdp.numbers.exact import as_probability
from exactdp.numbers.formats import exact_text, number_text
from exactdp.privacy.epsilon import eps_json, eps_text

__all__ = ["epsilon_command"]


@click.command("epsilon")
@options(subject_arguments)
@click.option("--delta", metavar="D", required=True, help="delta in [0, 1].")
@options(exact_option, output_options)
def epsilon_command(delta: str, exact: bool, form: str, output: str | None, **typed: str | None) -> int:
    """The least eps at a delta, in both orders: over all neighbouring data sets, or for a query plus a noise law.

    The answer is exact, 0, ln(p/q) or infinity where no eps is enough, where probabilities are rational and p/q has at
    most about 79,000 digits; otherwise it is an interval that contains the truth.
    """
    what, allowed = TypedSubject.read(typed), as_probability(delta, name="delta")
    question = PrivacyQuestion.read(what, exact=exact)
    level = "enclosure"
    with working(question.subject.work):
        eps, worst = question.epsilon(allowed)
        if isinstance(eps, xdp.LogRational):
            exp_eps = None if eps.is_infinite else eps.argument
            level = question.confirmed(budget=CONFIRM_BUDGET, exp_eps=exp_eps, delta=allowed, least="exp_eps")
    lines = [
        ("delta", number_text(allowed)),
        ("epsilon", eps_text(eps)),
        question.worst_line(worst),
        question.evidence(level, eps),
    ]
    numbers = eps_json(eps)
    first, second = (None, None) if worst is None else worst.texts
    cells = {**question.cells, "delta": exact_text(allowed), "exp_eps": numbers["exp_eps"]}
    cells |= {**number_cells("eps", numbers), "first": first, "second": second, "level": level}
    report = Report(
        lambda: question.lines(lines),
        lambda: {
            **question.data,
            "delta": exact_text(allowed),
            "epsilon": numbers,
            question.subject.words.key: None if worst is None else worst.data,
            "level": level,
        },
        lambda: records(cells),
    )
    deliver(report, form=form, output=output)
    return HOLDS

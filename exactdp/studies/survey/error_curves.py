"""The curves of the survey: a protocol with a way to choose its noise, as a function of the number of users.

A curve has a task, a model of trust, the name of the protocol and how its noise is chosen. It answers a question by an
``Answer``; where it cannot, the error that it raises is the reason. All curves are in
:mod:`exactdp.studies.survey.all_curves`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from exactdp.errors import ExactDPError
from exactdp.patience import reported
from exactdp.studies.survey.rows import Answer, Row, Unanswered, row_of
from exactdp.studies.survey.survey_question import Question

BITS: Final = "bit sums"
SUMS: Final = "bounded sums"
HISTOGRAMS: Final = "histograms"
TASKS: Final = {
    BITS: "how many of n users hold a 1; the error is that of the number of users",
    SUMS: "the sum of n numbers from 0 to the bound; the error is that of the sum",
    HISTOGRAMS: "how many of n users hold one input, whichever it is; the error is that of one bin, in users",
}
"""Task -> what is estimated, and the unit of its error."""

CENTRAL: Final = "central"
LOCAL: Final = "local"
ONE_MESSAGE: Final = "shuffled, one message"
MESSAGES: Final = "shuffled, several messages"
MODELS: Final = {
    CENTRAL: "a curator sees all records and adds noise",
    ONE_MESSAGE: "users send one message each, and a shuffler hides who sent it",
    MESSAGES: "users send several messages, or a random number of them, to the shuffler",
    LOCAL: "no one is trusted: what a user sends is private by itself",
}
"""Model -> whom the users trust."""

PUBLISHED: Final = "theorem"
LEAST: Final = "least noise"
PURE: Final = "pure"
NOISES: Final = {
    PUBLISHED: "the noise that a published theorem asks for at eps and delta",
    LEAST: "the least noise, on a grid, that is (eps, delta)-private by the exact divergence or its upper end",
    PURE: "the noise of pure eps-privacy, with delta = 0",
}
"""How the noise is chosen -> what that means."""

Answering: TypeAlias = Callable[[Question], Answer]


@dataclass(frozen=True, slots=True)
class Curve:
    """A protocol with a way to choose its noise."""

    task: str
    model: str
    system: str
    noise: str
    answer: Answering

    @property
    def name(self) -> str:
        """What the curve is called, within its task."""
        return f"{self.system}, {self.noise}"

    @property
    def key(self) -> str:
        """What the curve is called in a store."""
        return f"{self.task}: {self.name}"

    def row(self, question: Question) -> Row | Unanswered:
        """Return the row at the number of users of a question, or why there is none."""
        try:
            with reported(silent):  # who waits for a survey counts rows, not the pieces of each
                return self._row(question)
        except ExactDPError as error:
            return Unanswered(question.n, " ".join(str(error).split()))

    def _row(self, question: Question) -> Row:
        return row_of(
            question.n,
            self.answer(question),
            eps=question.eps,
            delta=question.delta,
            with_privacy=question.with_privacy,
        )


def silent(done: int, total: int | None) -> None:
    """Hear of a piece of work, and say nothing."""

"""The survey itself: every chosen curve at every number of users, in processes, with finished rows kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import pairwise

from exactdp.errors import InvalidValueError
from exactdp.numbers.exact import as_integer
from exactdp.patience import Progress, reported, told
from exactdp.studies.survey.all_curves import CURVES, chosen
from exactdp.studies.survey.error_curves import Curve
from exactdp.studies.survey.rows import Row, Unanswered
from exactdp.studies.survey.store import Store
from exactdp.studies.survey.survey_question import Question


@dataclass(frozen=True, slots=True)
class Survey:
    """Rows of curves at rising numbers of users: ``rows[curve.key][n]``."""

    question: Question
    users: tuple[int, ...]
    curves: tuple[Curve, ...]
    rows: dict[str, dict[int, Row | Unanswered]]

    def row(self, curve: Curve, n: int) -> Row | None:
        """Return the row of a curve; None where it has no answer."""
        row = self.rows[curve.key][n]
        return row if isinstance(row, Row) else None

    def of_task(self, task: str) -> list[Curve]:
        """Return the curves of a task that have an answer somewhere."""
        return [one for one in self.curves if one.task == task and any(self.row(one, n) for n in self.users)]


def survey(
    question: Question,
    users: Sequence[int] | None = None,
    *,
    only: Sequence[str] = (),
    store: Store | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Survey:
    """Return what every protocol sends, how private it is and how large its error, at each number of users.

    Args:
        question: made by ``read_question``.
        users: rising numbers of users; by default that of the question.
        only: tasks, models, protocols or curves by name; all for none.
        store: where finished rows are kept, and found again.
        jobs: processes, at least 1.
        progress: told of finished rows; see :mod:`exactdp.patience`.

    >>> from exactdp.studies.survey.survey_question import read_question
    >>> asked = read_question(1000, eps="1/2", delta="1e-6")
    >>> for curve in (answered := survey(asked, only=["correlated counting", "discrete Laplace"])).curves:
    ...     row = answered.row(curve, 1000)
    ...     print(curve.name, "|", row.error.value, row.error.level, "|", row.delta.value)
    discrete Laplace, pure | 6 exact | 0
    correlated counting, theorem | 12 exact | [5.264405463e-23, 5.264405464e-23]
    correlated counting, least noise | 12 exact | [9.999999999e-7, 0.000001000000000]
    discrete Laplace, pure | 60 exact | 0
    discrete Laplace, pure | 12 exact | 0

    Cost: 11 s at 10^4 users, 45 s at 10^9.

    Source: GhoshRoughgardenSundararajan2012, section 2; GhaziKumarManurangsiPagh2020, section 3.
    """
    sizes = tuple(as_integer(n, name="users", at_least=1) for n in (users or (question.n,)))
    if any(second <= first for first, second in pairwise(sizes)):
        raise InvalidValueError("users do not rise. Pass each number of users once, from the least to the largest.")
    curves, kept = chosen(only), store or Store()
    work = [(curve, _at(question, n)) for n in sizes for curve in curves]
    with reported(progress):
        answer_all(work, kept, as_integer(jobs, name="jobs", at_least=1))
    rows = {curve.key: {n: _kept(kept, curve, _at(question, n)) for n in sizes} for curve in curves}
    return Survey(question, sizes, tuple(curves), rows)


def answer_all(work: Sequence[tuple[Curve, Question]], store: Store, jobs: int) -> None:
    """Answer what is not in the store yet, and keep it there."""
    missing = [(curve, question) for curve, question in work if store.get(curve.key, question) is None]
    done = len(work) - len(missing)
    for curve, question, row in _answers(missing, jobs):
        store.put(curve.key, question, row)
        done += 1
        told(done, len(work))


def _at(question: Question, n: int) -> Question:
    return question.at(n, with_privacy=question.with_privacy)


def _kept(store: Store, curve: Curve, question: Question) -> Row | Unanswered:
    row = store.get(curve.key, question)
    assert row is not None
    return row


def _answers(work: Sequence[tuple[Curve, Question]], jobs: int) -> Iterator[tuple[Curve, Question, Row | Unanswered]]:
    """Yield rows as they are finished."""
    if jobs == 1 or len(work) < 2:
        for curve, question in work:
            yield curve, question, curve.row(question)
        return
    by_key = {curve.key: curve for curve in CURVES}
    with ProcessPoolExecutor(jobs) as executor:
        waiting: dict[Future[Row | Unanswered], tuple[Curve, Question]] = {
            executor.submit(_row, curve.key, question): (by_key[curve.key], question) for curve, question in work
        }
        try:
            for future in as_completed(waiting):
                yield *waiting[future], future.result()
        finally:
            executor.shutdown(cancel_futures=True)


def _row(key: str, question: Question) -> Row | Unanswered:
    return next(curve for curve in CURVES if curve.key == key).row(question)

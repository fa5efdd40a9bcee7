"""A question about a protocol of n users, and its answers with the pair that is worst and the evidence behind them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, prod
from typing import TYPE_CHECKING, Any, Final

from exactdp.cli import arguments
from exactdp.cli.arguments import Order, Target
from exactdp.cli.numerals import exact_text, number_json
from exactdp.cli.output import HONEST_USERS, columns, printable
from exactdp.cli.progress import Work, work_of

if TYPE_CHECKING:
    from exactdp.engines.worst import WorstEvent
    from exactdp.models.neighbors import Neighbors
    from exactdp.numbers.interval import Interval
    from exactdp.privacy.epsilon import LogRational
    from exactdp.profile import PrivacyProfile
    from exactdp.protocol import ShuffleProtocol

__all__ = ["CONFIRM_BUDGET", "EVIDENCE", "Answer", "Pair", "Question", "pair_text"]

CONFIRM_BUDGET: Final = 3 * 10**5
"""Steps of the checker, plain Python, that a query spends on confirming its answers: less than a second."""

EVIDENCE: Final = {
    "certificate": "certificate: confirmed by the standard-library checker",
    "enclosure": "enclosure: computed by the engine, not re-checked (`exactdp certify` asks the checker)",
}
"""The level of an answer, in words."""

_PAIR_STEPS: Final = (32, 64, 128, 256, 1024, 4096)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring data sets in the worse order, and the e^eps at which they were found worst."""

    first: dict[Any, int]
    second: dict[Any, int]
    exp_eps: Fraction | None

    @property
    def data(self) -> dict[str, Any]:
        """The pair as JSON data."""
        return {
            "first": {str(label): str(count) for label, count in self.first.items()},
            "second": {str(label): str(count) for label, count in self.second.items()},
            "exp_eps": "infinity" if self.exp_eps is None else exact_text(self.exp_eps),
        }

    @property
    def texts(self) -> tuple[str, str]:
        """The two data sets as ``--dataset`` reads them."""
        return arguments.write_dataset(self.first), arguments.write_dataset(self.second)


@dataclass(frozen=True, slots=True)
class Question:
    """A randomizer, n users, the neighbouring relation, and the profile that answers."""

    target: Target
    protocol: ShuffleProtocol
    neighbors: Neighbors
    profile: PrivacyProfile
    work: Work

    @classmethod
    def read(cls, target: Target, users: str, neighbors: str, limit: str | None) -> Question:
        """Return the question; TooLargeError where the engine's work is beyond the limit."""
        from exactdp.numbers.exact import as_integer
        from exactdp.protocol import ShuffleProtocol

        protocol = ShuffleProtocol(target.randomizer, as_integer(users, name="n", at_least=1))
        relation = arguments.read_neighbors(neighbors)
        profile = protocol.privacy_profile(neighbors=relation, limit=arguments.read_limit(limit))
        return cls(target, protocol, relation, profile, work_of(profile))

    @property
    def data(self) -> dict[str, str]:
        """The fields that every answer's JSON begins with."""
        return {
            "randomizer": self.target.name,
            "n": str(self.protocol.n),
            "n_counts": "users who follow the protocol",
            "neighbors": self.neighbors.value,
            "engine": self.work.engine,
        }

    @property
    def cells(self) -> dict[str, str]:
        """The cells that every answer's row of CSV begins with."""
        return {name: value for name, value in self.data.items() if name != "n_counts"}

    def lines(self, answer: list[tuple[str, str]]) -> list[str]:
        """Return an answer as text: what was asked, labelled lines, what was computed."""
        asked = f"{printable(self.target.name)}, n = {self.protocol.n}, neighbours: {self.neighbors.value}"
        return [*columns([("protocol", asked), *answer, ("engine", str(self.work))]), HONEST_USERS]

    def delta(self, order: Order, relative_bits: int | None) -> tuple[Fraction | Interval, Pair | None]:
        """Return the least delta at ``order``, and a pair of data sets that attains it."""
        bits = relative_bits or 53
        if order.exact is not None:
            exact = self.profile.exact_delta(exp_eps=order.exact)
            pair = self._pair(order.exact) if exact else None
            if relative_bits is None:
                return exact, pair
            return self.profile.delta(exp_eps=order.exact, relative_bits=bits), pair
        assert order.eps is not None
        enclosed = self.profile.delta(eps=order.eps, relative_bits=bits)
        if (direct := self._direct_pair(order, bits)) is not None:
            return enclosed, direct
        return enclosed, None if enclosed.upper.mantissa == 0 else self._pair(self._just_below(order, bits))

    def epsilon(self, delta: Fraction) -> tuple[LogRational, Pair | None]:
        """Return the least eps at ``delta``, and a pair of data sets that allows no smaller one."""
        from exactdp.engines.planner import worst_event

        eps = self.profile.exact_epsilon(delta)
        if eps.is_infinite:
            return eps, self._pair(None)
        if eps.argument == 1:
            return eps, None
        for bits in _PAIR_STEPS:  # just below e^eps the worst line is the one that meets delta there
            below = max(Fraction(1), eps.argument * (1 - Fraction(1, 2**bits)))
            if worst_event(self.profile.source, below).delta(eps.argument) == delta:
                return eps, self._pair(below)
        return eps, None

    def confirmed(self, *, budget: int, exp_eps: Fraction | None, delta: Fraction, least: str) -> str:
        """Return "certificate" where the checker confirms the least level, "enclosure" where it is too large for it.

        ``exp_eps`` None is an infinite eps: no finite eps has this delta.
        """
        from exactdp.certificates.claim import Claim
        from exactdp.cli.certificates import confirm
        from exactdp.engines.planner import worst_event

        if _checker_steps(self.protocol) > budget:
            return "enclosure"
        if exp_eps is None:
            limit = worst_event(self.profile.source, None).mass_first
            return confirm(Claim.never_dp(self.protocol, delta_below=limit, neighbors=self.neighbors))
        protocol, neighbors = self.protocol, self.neighbors
        return confirm(Claim.shuffle_dp(protocol, exp_eps=exp_eps, delta=delta, neighbors=neighbors, least=least))

    def _just_below(self, order: Order, bits: int) -> Fraction | None:
        """Return a fraction just below an irrational e^eps, or None where it is above every likelihood ratio."""
        from exactdp.engines.planner import engine_of
        from exactdp.privacy.epsilon import ExpEps

        assert order.eps is not None
        if order.eps > engine_of(self.profile.source).ratio_bits:
            return None
        return ExpEps(None, order.eps).enclose(bits + 16).lo

    def _direct_pair(self, order: Order, bits: int) -> Pair | None:
        """Return the worst pair of an engine that knows it without exact masses."""
        from exactdp.engines.planner import engine_of
        from exactdp.models.dataset import labelled
        from exactdp.privacy.epsilon import ExpEps

        exp_eps = ExpEps(None, order.eps)
        below = self._just_below(order, bits)
        worst = None if below is None else engine_of(self.profile.source).enclosed_worst(exp_eps.real, 16)
        if worst is None:
            return None
        inputs = self.target.randomizer.inputs
        return Pair(labelled(worst.first, inputs), labelled(worst.second, inputs), below)

    def _pair(self, exp_eps: Fraction | None) -> Pair | None:
        """Return the worst pair at ``exp_eps`` (None: infinity)."""
        from exactdp.engines.planner import worst_event
        from exactdp.models.dataset import labelled

        event: WorstEvent = worst_event(self.profile.source, exp_eps)
        if event.first == event.second:
            return None
        inputs = self.target.randomizer.inputs
        return Pair(labelled(event.first, inputs), labelled(event.second, inputs), exp_eps)


@dataclass(frozen=True, slots=True)
class Answer:
    """The least delta at one order, the pair that attains it, and the level of evidence."""

    order: Order
    delta: Fraction | Interval
    pair: Pair | None
    level: str

    @classmethod
    def of(cls, question: Question, order: Order, relative_bits: int | None, *, budget: int) -> Answer:
        """Answer the question at ``order``, and let the checker confirm an exact answer within the budget."""
        delta, pair = question.delta(order, relative_bits)
        level = "enclosure"
        if isinstance(delta, Fraction):
            level = question.confirmed(budget=budget, exp_eps=order.exact, delta=delta, least="delta")
        return cls(order, delta, pair, level)

    def data(self, relative_bits: int | None = None) -> dict[str, Any]:
        """The answer as JSON data."""
        return {
            self.order.name: self.order.shown,
            "delta": number_json(self.delta, relative_bits=relative_bits or 53),
            "worst_pair": None if self.pair is None else self.pair.data,
            "level": self.level,
        }

    @property
    def cells(self) -> dict[str, str]:
        """The answer as cells of CSV."""
        number = number_json(self.delta)
        first, second = ("", "") if self.pair is None else self.pair.texts
        return {
            self.order.name: self.order.shown,
            "delta": number["exact"] or "",
            "delta_lo": number["lo"] or "",
            "delta_hi": number["hi"] or "",
            "first": first,
            "second": second,
            "level": self.level,
        }


def pair_text(pair: Pair | None) -> str:
    """Return a pair for reading."""
    return "none: no pair is worse than another" if pair is None else " against ".join(pair.texts)


def _checker_steps(protocol: ShuffleProtocol) -> int:
    """Return a bound of what the checker does for one claim: it visits every data set and assumes nothing."""
    randomizer, n = protocol.randomizer, protocol.n
    inputs = len(randomizer.inputs)
    sent = {tuple(sorted(send)) for row in randomizer.rows for send, _ in row}
    ranges = [n * max(send.count(message) for send in sent) + 1 for message in range(len(randomizer.alphabet))]
    if len(set(map(len, sent))) == 1:  # the total is known, so one count follows from the others
        ranges = sorted(ranges)[:-1]
    outcomes = min(prod(ranges), comb(n + len(sent) - 1, n))
    bits = n * lcm(*(p.denominator for row in randomizer.rows for _, p in row)).bit_length()
    return comb(n + inputs - 2, n - 1) * outcomes * (inputs**2 + len(sent)) * (1 + bits // 512)

"""The claim sample_threshold_dp: holders of an item are sampled, and a count below the threshold is dropped.

Trusted for: the divergences of neighbouring numbers of holders, and that beyond the scan none is above delta.

It rests on these facts, with their theorems of the Coq kernel:

- one holder more shows in half-lines of a sampled count: sampled_counts.more_holders, sampled_counts.fewer_holders
- many holders are told apart by a tail alone: sampled_counts.many_holders, sampled_counts.many_fewer_holders
- exponentials and logarithms by series: exponential_fixed_point.exp_enclosed, logarithm_fixed_point.log_enclosed
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .divergences import Level
from .facts import MANY_HOLDERS, ONE_MORE, SERIES, Facts
from .limits import DOMAIN_BITS, MAX_TOTAL_BITS, MAX_USERS
from .reading import Object, read_choice, read_integer, read_object, read_rational, show
from .reals import log_fractions

ORDERS = ["more", "fewer"]


class SampleThreshold(NamedTuple):
    """X 1[X >= threshold], X ~ Bin(N, rate), is (eps, delta)-DP between N and N + 1, for every N below ``users``."""

    rate: Fraction
    threshold: int
    users: int | None
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> SampleThreshold:
        name = "exp_eps" if "exp_eps" in claim else "eps"
        read_object(claim, "the claim", ["kind", "rate", "threshold", "users", name, "delta"])
        rate = read_rational(claim["rate"], "rate", 0, 1)
        if rate in (0, 1):
            malformed(f"rate is {show(rate)}, not between 0 and 1")
        users = None if claim["users"] == "any" else read_integer(claim["users"], "users", 1)
        level = Level.read({**claim, "least": "none"})
        return cls(rate, read_integer(claim["threshold"], "threshold", 1, MAX_USERS), users, level)

    @property
    def words(self) -> str:
        holders = "any number of holders" if self.users is None else f"at most {show(Fraction(self.users))} holders"
        sampled = f"sampled with probability {show(self.rate)}, dropped below {self.threshold}"
        return f"number of holders of an item, {sampled}, {holders}, one more or fewer: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["holders", *self.level.terms_keys])
        holders = read_integer(witness["holders"], "holders", 0, MAX_USERS)
        ratio, delta = self.level.below(witness, work), self.level.delta
        is_all = self.users is not None and self.users <= holders
        if not is_all:
            self.check_beyond(holders + 1, ratio, work)
        scanned = holders if self.users is None else min(holders, self.users)
        for n, losses, whole in self.losses(scanned, ratio, work):
            for order, loss in zip(ORDERS, losses):
                if loss * delta.denominator > delta.numerator * whole:
                    rejected(f"{NOT_SHOWN} delta = {show(delta)} for {n} holders, {order}")
        return [ONE_MORE, *([] if is_all else [MANY_HOLDERS, SERIES]), *self.level.facts]

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["holders", "order", *self.level.terms_keys])
        most = MAX_USERS if self.users is None else min(MAX_USERS, self.users - 1)
        holders = read_integer(witness["holders"], "holders", 0, most)
        order, delta = ORDERS.index(read_choice(witness["order"], "order", ORDERS)), self.level.delta
        loss, total = 0, 1
        for _, losses, whole in self.losses(holders + 1, self.level.above(witness, work), work):
            loss, total = losses[order], whole
        if loss * delta.denominator <= delta.numerator * total:
            rejected(f"the divergence of the witness is not above delta = {show(delta)}")
        return [ONE_MORE, *self.level.facts]

    def losses(self, end: int, ratio: Fraction, work: Work) -> Iterator[tuple[int, tuple[int, int], int]]:
        """N from the threshold less 1 (nothing is lost below) to before ``end``, both divergences, and their total."""
        sent, whole = self.rate.numerator, self.rate.denominator
        up, down = ratio.numerator, ratio.denominator
        last, bits = self.threshold - 1, whole.bit_length()
        if end <= last:
            return
        if end * bits > MAX_TOTAL_BITS:
            malformed(f"the check is too large: {end} holders, whose weights have more than {MAX_TOTAL_BITS} bits")
        work.spend(8, size(ratio) + bits, size(ratio) + bits)
        rises, falls = 1 - (1 - self.rate) / ratio, 1 - (1 - self.rate) * ratio
        start = work.power(self.rate, last)
        more = fewer = Split(last, last, start.numerator, 0)
        total = start.denominator
        for n in range(last, end):
            longest = (n + 1) * bits + size(rises)
            work.spend(32, longest, 64 + 2 * bits + size(ratio) + size(self.level.delta))
            more = more.moved(max(last, (n + 1) * rises.numerator // rises.denominator), self.rate)
            fewer = fewer.moved(max(last, -((n + 1) * -falls.numerator // falls.denominator) - 1), self.rate)
            first = down * sent * more.at - (up - down) * whole * more.above
            second = up * sent * fewer.at - (up - down) * whole * (total - fewer.above)
            total *= whole
            yield n, (first, max(0, second)), down * total
            more, fewer = more.with_one_more(self.rate), fewer.with_one_more(self.rate)

    def check_beyond(self, trials: int, ratio: Fraction, work: Work) -> None:
        """*Many holders are told apart by a tail alone*: from so many trials on, no divergence exceeds delta."""
        rate, delta = self.rate, self.level.delta
        if delta == 0:
            rejected(f"{NOT_SHOWN} delta = 0 for many holders")
        work.spend(64, 2 * size(rate) + 2 * size(ratio) + size(delta), 2 * size(rate) + 2 * size(ratio) + size(delta))
        rises, falls, gain = 1 - (1 - rate) / ratio, 1 - (1 - rate) * ratio, 1 / (1 - rate) - ratio
        bounds = [(rises, 1 / delta)]
        if gain > 0:
            bounds.append((max(Fraction(self.threshold - 1, trials), falls), gain / delta))
            if bounds[1][0] >= rate:
                rejected("so few holders are no tail")
        for share, factor in bounds:
            parts = [log_fractions(x, DOMAIN_BITS, work)[0] for x in (share / rate, (1 - share) / (1 - rate))]
            exponent = share * parts[0] + (1 - share) * parts[1]
            if trials * exponent < log_fractions(factor, DOMAIN_BITS, work)[1]:
                rejected(f"{NOT_SHOWN} delta = {show(delta)} for many holders")


class Split(NamedTuple):
    """Of N trials, over the N-th power of the rate's denominator: P[X = last] and P[X > last]."""

    trials: int
    last: int
    at: int
    above: int

    def moved(self, last: int, rate: Fraction) -> Split:
        """The same at another place, the one above at most."""
        if last == self.last:
            return self
        stay = rate.denominator - rate.numerator
        at = self.at * (self.trials - self.last) * rate.numerator // (last * stay)
        return self._replace(last=last, at=at, above=self.above - at)

    def with_one_more(self, rate: Fraction) -> Split:
        """The same of one trial more."""
        stay, trials = rate.denominator - rate.numerator, self.trials + 1
        at = self.at * trials * stay // (trials - self.last)
        return Split(trials, self.last, at, self.above * rate.denominator + rate.numerator * self.at)

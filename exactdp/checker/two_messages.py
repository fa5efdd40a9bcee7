"""The claim two_message_dp: every user sends exactly one of two messages, and the worst of all data sets is found.

The view is how often one of the messages is sent. Let 0 < a < b < 1 be the least and the greatest probability of it,
over all inputs, a = A/D and b = B/D. Of N = n - 1 other users k hold the input of b and the rest that of a: they send
the message m times with a probability that is an integer, the weight of m, over D^N. The weights of m and of m + 1, and
D times the sum of those above m, lead by exact divisions to the same three numbers of m + 1, and of k + 1.

Trusted for: the divergence of the worst pair of data sets, in both orders; and of one event that is named.

It rests on these facts, with their theorems of the Coq kernel:

- the view is the multiset of messages: shuffler.shuffle_dp_iff_shuffled
- of two messages the extreme rows alone count: mixture_rows.mixtures_dropped, two_messages.two_messages_private
- counts of one of two messages differ in half-lines: number_of_heads.two_rows_up, number_of_heads.two_rows_down,
  exchanged_messages.down_is_up, two_message_program.scan_decides
- counts of one of two messages follow from each other: head_weights.one_place_further, head_weights.one_coin_changed,
  two_message_checked.two_message_decided, two_message_event.two_message_event,
  two_message_event.two_message_event_other
- a message that an input excludes gives away its row: exchanged_messages.excluded_message
- adding a user is post-processing: adding_a_user.adding_a_user, adding_a_user.convolution_hockey_stick,
  adding_a_user.adding_users, moved_bystanders.adding_users_add_or_remove
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from typing import NamedTuple

from .budget import NOT_SHOWN, Work, malformed, rejected, size
from .divergences import Level
from .facts import ADDING, EXCLUDED, EXTREME_POINTS, NEXT_COUNTS, ONE_OF_TWO, THE_VIEW, Facts
from .finite_laws import Randomizer
from .limits import MAX_TOTAL_BITS, MAX_USERS
from .neighboring_laws import view_words
from .reading import Object, read_choice, read_integer, read_object, show


class Coins(NamedTuple):
    """One message is sent with probability ``low`` / ``whole`` at least and ``high`` / ``whole`` at most."""

    low: int
    high: int
    whole: int

    @classmethod
    def of(cls, randomizer: Randomizer, message: int) -> Coins:
        chances = [row.get((0, 1) if message else (1, 0), 0) for row in randomizer.rows]
        common = gcd(randomizer.denominator, min(chances), max(chances))
        return cls(min(chances) // common, max(chances) // common, randomizer.denominator // common)

    @property
    def tells(self) -> bool:
        """Whether some input excludes a message that another one sends."""
        return self.low == 0 or self.high == self.whole

    @property
    def bits(self) -> int:
        return self.whole.bit_length()

    def excess(self, ratio: Fraction) -> tuple[int, int]:
        """b - E a, and that plus E - 1, over the denominators of b and of E."""
        up, down = ratio.numerator, ratio.denominator
        alpha = down * self.high - up * self.low
        return alpha, alpha + (up - down) * self.whole


class Counts(NamedTuple):
    """Of ``others`` users, k with the greatest probability: the weights of m and m + 1 over whole^others, and whole
    times the sum of those above m."""

    coins: Coins
    others: int
    k: int
    m: int
    at: int
    following: int
    above: int

    @classmethod
    def none_sent(cls, coins: Coins, others: int, k: int) -> Counts:
        """m = 0, for a greatest probability below 1."""
        low, high, whole = coins
        rest, left = whole - low, whole - high
        at = left**k * rest ** (others - k)
        following = at // left * k * high if k else 0
        following += at // rest * (others - k) * low if others > k else 0
        return cls(coins, others, k, 0, at, following, whole * (whole**others - at))

    def one_further(self) -> Counts:
        """m + 1 in place of m."""
        low, high, whole = self.coins
        rest, left, k, m = whole - low, whole - high, self.k, self.m
        slope = k * high * rest + (self.others - k) * low * left - (rest * high + left * low) * (m + 1)
        reached = slope * self.following + low * high * (self.others - m) * self.at
        reached //= rest * left * (m + 2)
        return self._replace(m=m + 1, at=self.following, following=reached, above=self.above - whole * self.following)

    def one_more_holder(self) -> Counts:
        """k + 1 in place of k, for a least probability above 0."""
        low, high, whole = self.coins
        left, m = whole - high, self.m
        moved = (high * (self.others - m) * self.at - left * (m + 1) * self.following) // (self.others - self.k)
        at, following = (high * self.at - moved) // low, (left * self.following + moved) // (whole - low)
        return self._replace(k=self.k + 1, at=at, following=following, above=self.above + moved)


class TwoMessages(NamedTuple):
    """A shuffled randomizer whose users send one of two messages is (eps, delta)-DP, for n users, or n and more."""

    randomizer: Randomizer
    n: int
    all_n: bool
    level: Level

    @classmethod
    def read(cls, claim: Object, work: Work) -> TwoMessages:
        name = "exp_eps" if "exp_eps" in claim else "eps"
        read_object(claim, "the claim", ["kind", "randomizer", "n", "scope", name, "delta"])
        level = Level.read({**claim, "least": "none"})
        all_n = read_choice(claim["scope"], "scope", ["this n", "all n from n"]) == "all n from n"
        randomizer = Randomizer.read(claim["randomizer"], work)
        return cls.of(randomizer, read_integer(claim["n"], "n", 1, MAX_USERS), all_n, level)

    @classmethod
    def of(cls, randomizer: Randomizer, n: int, all_n: bool, level: Level) -> TwoMessages:
        if randomizer.messages != 2 or any(sum(sent) != 1 for row in randomizer.rows for sent in row):
            malformed("the users do not send exactly one of two messages each")
        return cls(randomizer, n, all_n, level)

    @property
    def words(self) -> str:
        return f"{view_words(self.randomizer.words, self.n, self.all_n, 'replace-one')}: {self.level.words}"

    def prove(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", self.level.terms_keys)
        ratio, delta = self.level.below(witness, work), self.level.delta
        orders = [Coins.of(self.randomizer, message) for message in (1, 0)]
        if orders[0].tells:
            if orders[0].high - orders[0].low > delta * orders[0].whole:
                rejected(f"{NOT_SHOWN} delta = {show(delta)}: a message is excluded")
        else:
            for message, coins in zip((1, 0), orders[: 2 if orders[1] != orders[0] else 1]):
                self.check_order(message, coins, ratio, work)
        facts = [EXCLUDED] if orders[0].tells else [ONE_OF_TWO, NEXT_COUNTS]
        return [THE_VIEW, EXTREME_POINTS, *facts, *([ADDING] if self.all_n else []), *self.level.facts]

    def check_order(self, message: int, coins: Coins, ratio: Fraction, work: Work) -> None:
        """The data set with more senders of this message against the one with fewer: every k, at its worst m."""
        alpha, _ = coins.excess(ratio)
        if alpha <= 0:
            return
        self.pay(2 * self.n, coins, ratio, work)
        most, delta = self.most(coins, ratio, self.n), self.level.delta
        up, down = ratio.numerator, ratio.denominator
        for counts in worst_counts(coins, self.n - 1, ratio):
            if alpha * counts.at - (up - down) * counts.above > most:
                others = f"{counts.k} of {self.n - 1} others likely to send {message}, more than {counts.m} times"
                rejected(f"{NOT_SHOWN} delta = {show(delta)}: {others}")

    def refute(self, witness: Object, work: Work) -> Facts:
        read_object(witness, "the witness", ["message", "holders", "above", *self.level.terms_keys])
        message = read_integer(witness["message"], "message", 0, 1)
        k = read_integer(witness["holders"], "holders", 0, self.n - 1)
        m = read_integer(witness["above"], "above", 0, self.n - 1)
        ratio, coins, others = self.level.above(witness, work), Coins.of(self.randomizer, message), self.n - 1
        alpha, _ = coins.excess(ratio)
        if coins.high == coins.whole:  # the holders always send it, so that the rest is counted
            coins, others, k, m = coins._replace(high=coins.low), others - k, 0, m - k
        self.pay(max(0, m), coins, ratio, work)
        is_above = False
        if coins.low < coins.whole and m >= 0:
            counts = Counts.none_sent(coins, others, k)
            for _ in range(m):
                counts = counts.one_further()
            loss = alpha * counts.at - (ratio.numerator - ratio.denominator) * counts.above
            is_above = loss > self.most(coins, ratio, others + 1)
        if not is_above:
            rejected(f"the event of the witness is not above delta = {show(self.level.delta)}")
        return [THE_VIEW, NEXT_COUNTS, *self.level.facts]

    def most(self, coins: Coins, ratio: Fraction, users: int) -> int:
        """delta, rounded down, over the denominator of what is compared with it."""
        delta = self.level.delta
        return delta.numerator * ratio.denominator * int(coins.whole**users) // delta.denominator

    def pay(self, steps: int, coins: Coins, ratio: Fraction, work: Work) -> None:
        """For three powers, and for products and exact divisions by short numbers in each of the steps."""
        bits = self.n * coins.bits
        if bits > MAX_TOTAL_BITS:
            malformed(f"the weights of the view have more than {MAX_TOTAL_BITS} bits")
        bits += size(ratio) + size(self.level.delta)
        work.spend(64, bits, 512)
        work.spend(2, bits, size(ratio) + size(self.level.delta))
        work.spend(2 * steps, bits, 4 * (2 * coins.bits + size(ratio) + 2 * self.n.bit_length()))


def worst_counts(coins: Coins, others: int, ratio: Fraction) -> Iterator[Counts]:
    """For every k an m whose event {more than m} is worst: it does not fall from one k to the next."""
    alpha, beta = coins.excess(ratio)
    counts = Counts.none_sent(coins, others, 0)
    for k in range(others + 1):
        while alpha * counts.at < beta * counts.following:
            counts = counts.one_further()
        yield counts
        if k < others:
            counts = counts.one_more_holder()

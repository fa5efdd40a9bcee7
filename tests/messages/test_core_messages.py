"""The exact words of every error of the core: what, where, why and the repair."""

from decimal import Decimal
from fractions import Fraction

import pytest

from exactdp import (
    AdditiveProtocol,
    Analyzer,
    Binomial,
    Interval,
    Law,
    LogRational,
    Neighbors,
    Randomizer,
    ShuffleProtocol,
    errors,
    hockey_stick_divergence,
    protocols,
    randomized_response,
)
from exactdp.mechanisms.dataset import histogram
from exactdp.mechanisms.documents import MAX_FILE_BYTES
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.epsilon import read_privacy_level
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.real import Real
from tests.together import together

THIRD = Interval.around(Fraction(1, 3), relative_bits=10)
COIN = Law({0: "1/2", 1: "1/2"})
FLIP = randomized_response(2, gamma="1/2")
PROTOCOL = ShuffleProtocol(FLIP, 3)
ESTIMATING = ShuffleProtocol(FLIP, 3, analyzer=Analyzer({1: 1}))
SILENT = Randomizer({0: {(0,): "1/2", (): "1/2"}, 1: {(0,): "1/4", (): "3/4"}})
UNEVEN = Randomizer(
    {
        0: {(0,): "1/2", (1,): "1/4", (): "1/4"},
        1: {(0,): "1/4", (1,): "1/4", (2,): "1/2"},
    }
)
LONG_CHANCE = Fraction(10**999 + 7, 10**1000)
LONG = Randomizer({x: {(x,): 1 - LONG_CHANCE, (): LONG_CHANCE} for x in range(2)})


MIXED = ShuffleProtocol(randomized_response(4, gamma="1/2"), 3000)

MESSAGES = [
    (
        lambda: as_fraction(True, name="gamma"),
        errors.InexactNumberError,
        "gamma=True is a bool, not a number. Pass 1 if you mean it.",
    ),
    (
        lambda: as_fraction(0.25, name="gamma"),
        errors.InexactNumberError,
        (
            "gamma=0.25 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or "
            'a string: "0.25" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: as_fraction([1], name="gamma"),
        errors.InexactNumberError,
        ("gamma has the type list, which is not an exact number. Pass an int, a Fraction, a Decimal or a string."),
    ),
    (
        lambda: as_fraction("1__000", name="gamma"),
        errors.InvalidValueError,
        "gamma='1__000' is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces.",
    ),
    (
        lambda: as_fraction("", name="gamma"),
        errors.InvalidValueError,
        "gamma='' is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces.",
    ),
    (
        lambda: as_fraction("x" * 100, name="gamma"),
        errors.InvalidValueError,
        (
            "gamma='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...(100 characters)' is not a number. "
            "Write ASCII digits as 3, 100_000, 1/4, 0.25 or 25e-2, without spaces."
        ),
    ),
    (
        lambda: as_fraction("1/0", name="gamma"),
        errors.InvalidValueError,
        "gamma='1/0' has the denominator 0. Write a denominator of at least 1.",
    ),
    (
        lambda: as_fraction(Decimal("NaN"), name="gamma"),
        errors.InvalidValueError,
        "gamma=NaN is not finite. Pass a finite rational number.",
    ),
    (
        lambda: as_fraction(Decimal("-Infinity"), name="gamma"),
        errors.InvalidValueError,
        "gamma=-Infinity is not finite. Pass a finite rational number.",
    ),
    (
        lambda: as_fraction("1" * 4001, name="gamma"),
        errors.TooLargeError,
        "gamma has 4001 digits, more than the limit of 4000. Use a shorter number.",
    ),
    (
        lambda: as_fraction("1e4000", name="gamma"),
        errors.TooLargeError,
        "gamma has 4001 digits, more than the limit of 4000. Use a shorter number.",
    ),
    (
        lambda: as_fraction("1e999999999", name="gamma"),
        errors.TooLargeError,
        "gamma='1e999999999' has an exponent beyond the limit of 4000 digits. Use a shorter number.",
    ),
    (
        lambda: as_fraction(1 << 2**28, name="gamma"),
        errors.TooLargeError,
        "gamma has more than 268435456 bits, the limit. Use a shorter number.",
    ),
    (
        lambda: as_integer("3/2", name="n"),
        errors.InvalidValueError,
        "n=3/2 is not an integer. Pass a whole number.",
    ),
    (
        lambda: as_integer(0, name="n", at_least=1),
        errors.InvalidValueError,
        "n=0 is below 1. Pass n of at least 1.",
    ),
    (
        lambda: as_probability("5/4", name="beta"),
        errors.InvalidValueError,
        "beta=5/4 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: Dyadic.of(1, -(10**7)).fraction(),
        errors.TooLargeError,
        (
            "a Fraction of this number needs about 10000000 bits, more than the limit of 1000000. "
            "Compare or print the interval itself."
        ),
    ),
    (
        lambda: Interval(Dyadic.of(1), Dyadic.of(0)),
        errors.InvalidValueError,
        "lower=Dyadic(mantissa=1, exponent=0) is above upper=Dyadic(mantissa=0, exponent=0). Swap the ends.",
    ),
    (
        lambda: Fraction(1, 3) > THIRD,
        errors.UndecidedError,
        "Interval[0.3332519531, 0.3334960938] < Fraction(1, 3) is not proved. Ask for more relative_bits.",
    ),
    (
        lambda: THIRD >= THIRD,
        errors.UndecidedError,
        (
            "Interval[0.3332519531, 0.3334960938] >= Interval[0.3332519531, 0.3334960938] is not "
            "proved. Ask for more relative_bits."
        ),
    ),
    (
        lambda: bool(THIRD),
        errors.UndecidedError,
        "the truth value of Interval[0.3332519531, 0.3334960938] is not defined. Compare it: interval > 0.",
    ),
    (
        lambda: THIRD < 0.5,
        errors.InexactNumberError,
        "'<' is not defined between Interval and float. Pass an Interval, a Fraction or an int.",
    ),
    (
        lambda: enclose_real(Real.exp(1), relative_bits=2**24),
        errors.TooLargeError,
        "relative_bits=16777232 needs more than the limit of 16777216 bits. Ask for fewer.",
    ),
    (
        lambda: Law({}),
        errors.InvalidLawError,
        "the probabilities sum to 0, not 1. Make them sum to 1.",
    ),
    (
        lambda: Law({"a": "1/2", "b": "3/8"}),
        errors.InvalidLawError,
        "the probabilities sum to 7/8, not 1. Make them sum to 1.",
    ),
    (
        lambda: Law({"a": "3/2", "b": "-1/2"}),
        errors.InvalidLawError,
        "the probability of 'b' is -1/2, below 0. Give probabilities of at least 0.",
    ),
    (
        lambda: Law({"a": 0.5}),
        errors.InexactNumberError,
        (
            "probability of 'a'=0.5 is a float and has been rounded already. Pass an int, a Fraction, "
            'a Decimal or a string: "0.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: Law({"a": 1}).mean(),
        errors.InvalidValueError,
        "the outcome 'a' is no number. Map it first: law.map(f).",
    ),
    (
        lambda: Binomial(-1, "1/2"),
        errors.InvalidValueError,
        "n=-1 is below 0. Pass n of at least 0.",
    ),
    (
        lambda: Binomial(3, "3/2"),
        errors.InvalidValueError,
        "p=3/2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: Binomial(2 * 10**6, "1/2").exact_cdf(0),
        errors.TooLargeError,
        "n=2000000 trials are more than the limit of 1000000 for exact probabilities. Use a smaller n.",
    ),
    (
        lambda: hockey_stick_divergence(COIN, COIN, exp_eps="-1/2"),
        errors.InvalidValueError,
        "exp_eps=-1/2 is below 0. Pass e^eps, a number of at least 0.",
    ),
    (
        lambda: LogRational("1/2"),
        errors.InvalidValueError,
        "argument=1/2 is below 1, so its logarithm is no eps. Pass e^eps >= 1.",
    ),
    (
        lambda: LogRational(None).argument,
        errors.InvalidValueError,
        "eps is infinite, so e^eps is not a number. Ask .is_infinite first.",
    ),
    (
        lambda: read_privacy_level(eps=None, exp_eps=None),
        errors.InvalidValueError,
        "neither of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.",
    ),
    (
        lambda: read_privacy_level(eps=1, exp_eps=2),
        errors.InvalidValueError,
        "both of eps and exp_eps given. Pass one: eps=..., or exp_eps=... for e^eps.",
    ),
    (
        lambda: read_privacy_level(eps=-1, exp_eps=None),
        errors.InvalidValueError,
        "eps=-1 is below 0. Pass an eps of at least 0.",
    ),
    (
        lambda: read_privacy_level(eps=None, exp_eps="1/2"),
        errors.InvalidValueError,
        "exp_eps=1/2 is below 1. Pass e^eps, a number of at least 1.",
    ),
    (
        lambda: read_privacy_level(eps=0.5, exp_eps=None),
        errors.InexactNumberError,
        (
            "eps=0.5 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or a "
            'string: "0.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: PROTOCOL.privacy_profile().tradeoff()("3/2"),
        errors.InvalidValueError,
        "type_one_error=3/2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: Randomizer({}),
        errors.InvalidRandomizerError,
        "the table is empty. Give at least one row: input -> {messages: probability}.",
    ),
    (
        lambda: Randomizer({"a": {}}),
        errors.InvalidRandomizerError,
        "row 'a' is empty. Give its messages: {('m',): 1}, or {(): 1} for none.",
    ),
    (
        lambda: Randomizer({"a": {"m": 1}}),
        errors.InvalidRandomizerError,
        "row 'a' has the messages 'm', which are not a tuple. Write ('m',) for one message.",
    ),
    (
        lambda: Randomizer({"a": {("m",): "-1/2", (): "3/2"}}),
        errors.InvalidRandomizerError,
        "row 'a' gives the messages ('m',) the probability -1/2, below 0. Give probabilities of at least 0.",
    ),
    (
        lambda: Randomizer({"b": {("x",): "1/2", ("y",): "3/8"}}),
        errors.InvalidRandomizerError,
        ("row 'b' of the randomizer sums to 7/8, not 1 (messages ('x',): 1/2, ('y',): 3/8). Make it sum to 1."),
    ),
    (
        lambda: Randomizer({"b": {(i,): "1/8" for i in range(5)}}),
        errors.InvalidRandomizerError,
        (
            "row 'b' of the randomizer sums to 5/8, not 1 (messages (0,): 1/8, (1,): 1/8, (2,): 1/8, "
            "(3,): 1/8, ...). Make it sum to 1."
        ),
    ),
    (
        lambda: Randomizer({"b": {("x",): 0.5}}),
        errors.InexactNumberError,
        (
            "probability of ('x',) in row 'b'=0.5 is a float and has been rounded already. Pass an "
            'int, a Fraction, a Decimal or a string: "0.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: Randomizer({0: {tuple(range(12)): 1}}).preshuffle(),
        errors.TooLargeError,
        (
            "12 messages of one user have 479001600 orderings, the limit is 100000. The "
            "shuffled view does not need preshuffle()."
        ),
    ),
    (
        lambda: randomized_response(1, gamma="1/2"),
        errors.InvalidValueError,
        "k=1 is below 2. Pass k of at least 2.",
    ),
    (
        lambda: randomized_response(2, gamma="-1/2"),
        errors.InvalidValueError,
        "gamma=-1/2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: protocols.k_ary(3, 2, gamma=1),
        errors.InvalidValueError,
        "gamma=1 leaves no information about the inputs. Pass gamma below 1.",
    ),
    (
        lambda: protocols.k_ary(3, 2, gamma="1/2", symbol=7),
        errors.InvalidValueError,
        "symbol=7 is not one of 0, ..., 1.",
    ),
    (
        lambda: protocols.zsum(0, gamma="1/2"),
        errors.InvalidValueError,
        "n=0 is below 1. Pass n of at least 1.",
    ),
    (
        lambda: Analyzer({"m": 0.5}),
        errors.InexactNumberError,
        (
            "weight of 'm'=0.5 is a float and has been rounded already. Pass an int, a Fraction, a "
            'Decimal or a string: "0.5" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: Analyzer({"m": 1}).estimate({"m": -1}),
        errors.InvalidValueError,
        "the count of message 'm' is -1. Give an int of at least 0.",
    ),
    (
        lambda: Analyzer({"m": 1}).estimate({"m": 1.0}),
        errors.InvalidValueError,
        "the count of message 'm' is 1.0. Give an int of at least 0.",
    ),
    (
        lambda: histogram("abd", ("a", "b")),
        errors.InvalidDataSetError,
        "the data set holds the unknown input 'd'. The inputs are 'a', 'b'.",
    ),
    (
        lambda: histogram({"a": -1}, ("a", "b")),
        errors.InvalidDataSetError,
        "the count of 'a' is -1, below 0. Give counts of at least 0.",
    ),
    (
        lambda: histogram({"a": "1/2"}, ("a", "b")),
        errors.InvalidValueError,
        "dataset['a']=1/2 is not an integer. Pass a whole number.",
    ),
    (
        lambda: histogram("ab", ("a", "b"), users=3),
        errors.InvalidDataSetError,
        "the data set has 2 users, but the protocol has n=3. Give one input for each user.",
    ),
    (
        lambda: histogram([12], tuple(range(12))),
        errors.InvalidDataSetError,
        "the data set holds the unknown input 12. The inputs are 0, 1, 2, 3, 4, 5, 6, 7, ....",
    ),
    (
        lambda: ShuffleProtocol("rr", 3),
        errors.InvalidValueError,
        (
            "randomizer has the type str. Pass a Randomizer, as Randomizer(table) or from_file(path), or a family of "
            "exactdp.randomizers."
        ),
    ),
    (
        lambda: ShuffleProtocol(FLIP, 0),
        errors.InvalidValueError,
        "n=0 is below 1. Pass n of at least 1.",
    ),
    (
        lambda: ShuffleProtocol(FLIP, -3),
        errors.InvalidValueError,
        "n=-3 is below 1. Pass n of at least 1.",
    ),
    (
        lambda: PROTOCOL.law([0, 1]),
        errors.InvalidDataSetError,
        "the data set has 2 users, but the protocol has n=3. Give one input for each user.",
    ),
    (
        lambda: PROTOCOL.law([0, 1, 2]),
        errors.InvalidDataSetError,
        "the data set holds the unknown input 2. The inputs are 0, 1.",
    ),
    (
        lambda: PROTOCOL.estimate([1, 2]),
        errors.InvalidValueError,
        "this protocol has no analyzer. Pass ShuffleProtocol(..., analyzer=Analyzer(...)).",
    ),
    (
        lambda: ESTIMATING.estimate([1, 2, 3]),
        errors.InvalidValueError,
        "counts has 3 entries for an alphabet of 2 messages. Give one for each.",
    ),
    (
        lambda: ESTIMATING.estimate({5: 1}),
        errors.InvalidValueError,
        "counts names the unknown message 5. The messages are (0, 1).",
    ),
    (
        lambda: PROTOCOL.privacy_profile(neighbors="replace-one"),
        errors.InvalidValueError,
        (
            "neighbors='replace-one' is no neighbouring relation. Pass Neighbors.REPLACE_ONE or "
            "Neighbors.ADD_OR_REMOVE_ONE."
        ),
    ),
    (
        lambda: ShuffleProtocol(SILENT, 3).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE, limit=3),
        errors.ScanTooLargeError,
        (
            "pairwise scan: 48 steps (12 pairs times 4 outcomes), the limit is 3; even n=1 is beyond it. Use fewer "
            "users or messages. Else pass limit=48, or ask for one pair: pair_profile(first, second)."
        ),
    ),
    (
        lambda: PROTOCOL.privacy_profile(limit=0),
        errors.InvalidValueError,
        "limit=0 is below 1. Pass limit of at least 1.",
    ),
    (
        lambda: PROTOCOL.pair_profile({0: 2}, {0: 1, 1: 1}),
        errors.InvalidDataSetError,
        "the larger data set has 2 users, but the protocol has n=3. Give one input for each user.",
    ),
    (
        lambda: PROTOCOL.pair_profile({0: 3}, {0: 1, 1: 2}),
        errors.InvalidDataSetError,
        "the data sets differ in 2 users and are no neighbours. Give two data sets that differ in one user.",
    ),
    (
        lambda: PROTOCOL.pair_profile({0: 3}, {0: 3}),
        errors.InvalidDataSetError,
        "the data sets differ in 0 users and are no neighbours. Give two data sets that differ in one user.",
    ),
    (
        lambda: PROTOCOL.privacy_profile().delta(eps=-1),
        errors.InvalidValueError,
        "eps=-1 is below 0. Pass an eps of at least 0.",
    ),
    (
        lambda: PROTOCOL.privacy_profile().delta(eps=1, relative_bits=0),
        errors.InvalidValueError,
        "relative_bits=0 is below 1. Pass relative_bits of at least 1.",
    ),
    (
        lambda: PROTOCOL.privacy_profile().epsilon("3/2"),
        errors.InvalidValueError,
        "delta=3/2 is outside [0, 1]. Pass a probability.",
    ),
    (
        lambda: PROTOCOL.privacy_profile().epsilon(0.1),
        errors.InexactNumberError,
        (
            "delta=0.1 is a float and has been rounded already. Pass an int, a Fraction, a Decimal or "
            'a string: "0.1" for the decimal number, "p/q" for a ratio.'
        ),
    ),
    (
        lambda: ShuffleProtocol(randomized_response(5, gamma="1/2"), 150).law([0] * 150),
        errors.TooLargeError,
        ("the law of 150 users has up to 519885601 outcomes, the limit is 10000000. Use fewer users."),
    ),
    (
        lambda: ShuffleProtocol(UNEVEN, 10**6).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE),
        errors.ScanTooLargeError,
        (
            "pairwise scan: about 2.7e24 steps (4000000 pairs times about 6.7e17 outcomes), the limit is "
            "100000000; the largest n here is 77. Use fewer users or messages. Else ask for one pair: "
            "pair_profile(first, second)."
        ),
    ),
    (
        lambda: (
            ShuffleProtocol(randomized_response(4, gamma="1/2"), 3000)
            .pair_profile({0: 1000, 1: 2000}, {0: 1001, 1: 1999})
            .delta(exp_eps=2)
        ),
        errors.TooLargeError,
        (
            "one pair: a law of 27027009001 outcomes takes about 2.4e14 bits, the limit is "
            "4294967296. Use fewer users or fewer messages."
        ),
    ),
    (
        lambda: ShuffleProtocol(LONG, 3000).privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE, limit=10**30),
        errors.TooLargeError,
        (
            "pairwise scan: one exact law takes about 9e13 bits (9006001 slots of 9965824), the limit is "
            "4294967296. Use fewer users or shorter numbers."
        ),
    ),
    (
        lambda: AdditiveProtocol(7),
        errors.InvalidLawError,
        "noise has the type int. Pass a Law on integers, or Binomial, Poisson, ...",
    ),
    (
        lambda: AdditiveProtocol(Law({"a": 1})),
        errors.InvalidLawError,
        "noise has outcomes that are not ints. Map it to ints: law.map(f).",
    ),
    (
        lambda: AdditiveProtocol(COIN, shift=0),
        errors.InvalidValueError,
        "shift=0 is below 1. Pass shift of at least 1.",
    ),
    (
        lambda: AdditiveProtocol(COIN, shift=2, bins=2),
        errors.InvalidValueError,
        "shift=2 with bins=2. With several bins a record counts once: shift=1.",
    ),
    (
        lambda: AdditiveProtocol(COIN, bins=21).law([0]),
        errors.TooLargeError,
        (
            "the joint law of bins=21 has 2^21 outcomes, more than the limit of 1000000. The bins are "
            "independent: ask for one bin."
        ),
    ),
    (
        lambda: AdditiveProtocol(COIN, bins=2).privacy_profile(limit=8),
        errors.TooLargeError,
        (
            "joint shift: two bins have 9 outcomes, the limit is 8. Use noise with fewer outcomes, "
            "or one bin and basic composition."
        ),
    ),
    (
        lambda: AdditiveProtocol(COIN).estimate(3),
        errors.InvalidValueError,
        "this protocol has no analyzer. Pass AdditiveProtocol(..., analyzer=Analyzer(...)).",
    ),
    (
        lambda: AdditiveProtocol(COIN, analyzer=Analyzer({0: 1})).estimate([1, 2]),
        errors.InvalidValueError,
        "counts has 2 entries for bins=1. Give one for each bin.",
    ),
    (
        lambda: protocols.zsum(3, gamma="1/2").privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE),
        errors.InvalidValueError,
        (
            "neighbors=add-or-remove-one is not defined here: the noise belongs to n=3 users. Use the "
            "ShuffleProtocol of the randomizer, where a user leaves with his noise."
        ),
    ),
]


@pytest.mark.parametrize(
    ("randomizer", "n", "limit"),
    [
        (FLIP, 3, 3),
        (Randomizer({x: {(m,): f"{1 + (x == m)}/4" for m in range(3)} for x in range(3)}), 10**6, 10**8),
        (randomized_response(2, gamma=LONG_CHANCE), 3000, 10**30),
    ],
    ids=["limit", "users", "digits"],
)
def test_one_message_is_answered_where_the_scan_is_refused(randomizer, n, limit):
    profile = ShuffleProtocol(randomizer, n).privacy_profile(limit=limit)
    assert not profile.is_tight
    assert profile.delta(exp_eps="101/100").lo > 0


@together(("call", "error", "message"), MESSAGES, ids=[message[:50] for _, _, message in MESSAGES])
def test_message(call, error, message):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value) == message
    assert type(raised.value) is error


FILES = [
    (
        "directory",
        None,
        "directory is a directory. Name a file.",
    ),
    (
        "latin.toml",
        b"\xff",
        "latin.toml is not UTF-8 text (byte 0). Save it as UTF-8.",
    ),
    (
        "twice.json",
        b'{"row": 1, "row": 2}',
        "twice.json: the key 'row' appears twice in one object. Keep one of them.",
    ),
    (
        "deep.json",
        b"[" * 100000,
        "deep.json: it is nested too deeply. Write one list of rows",
    ),
    (
        "list.json",
        b"[]",
        "list.json: the file is [], not a table. Repair: use the keys row.",
    ),
    (
        "empty.toml",
        b"",
        "empty.toml: the file lacks the key 'row'. Repair: add row = ....",
    ),
    (
        "norows.toml",
        b"row = []\n",
        "norows.toml: row must be a list of at least one row. Repair: write [[row]] before each row.",
    ),
    (
        "unknown.toml",
        b'rows = 1\n[[row]]\ninput = "a"\nmessages = []\n',
        "unknown.toml: the file has the unknown key 'rows'. Repair: did you mean row.",
    ),
    (
        "other.toml",
        b'seed = 1\n[[row]]\ninput = "a"\nmessages = []\n',
        "other.toml: the file has the unknown key 'seed'. Repair: the keys are description, name, row.",
    ),
    (
        "boxes.toml",
        b'parametrs = {}\n[[row]]\ninput = "a"\nmessages = []\n',
        "boxes.toml: the file has the unknown key 'parametrs'. Repair: did you mean parameters.",
    ),
    (
        "lacks.toml",
        b'[[row]]\ninput = "a"\n',
        "lacks.toml: row 1 lacks the key 'messages'. Repair: add messages = ....",
    ),
    (
        "nomessages.toml",
        b'[[row]]\ninput = "a"\nmessages = []\n',
        (
            "nomessages.toml: row 'a' has no messages. Repair: write messages = [ {send = [\"m\"], prob "
            '= "1"} ], with send = [] for none.'
        ),
    ),
    (
        "label.toml",
        b'[[row]]\ninput = 0\nmessages = [ {send = [], prob = "1"} ]\n',
        'label.toml: row 1: input 0 is not a string. Repair: write it in quotes: "0".',
    ),
    (
        "send.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = "m", prob = "1"} ]\n',
        (
            "send.toml: row 'a', messages entry 1 has a send that is not a list. Repair: write send = "
            '["m"], or send = [] for no message.'
        ),
    ),
    (
        "message.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = [1.5], prob = "1"} ]\n',
        ("message.toml: row 'a', messages entry 1: send '1.5' is not a string. Repair: write it in quotes: \"0\"."),
    ),
    (
        "float.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = ["m"], prob = 0.5} ]\n',
        ("float.toml: row 'a', messages entry 1 prob = 0.5 is a float. Repair: write it as a string: prob = \"0.5\"."),
    ),
    (
        "nan.json",
        b'{"row": [{"input": "a", "messages": [{"send": [], "prob": NaN}]}]}',
        ("nan.json: row 'a', messages entry 1 prob = NaN is not a number. Repair: write a string: prob = \"1/2\"."),
    ),
    (
        "bool.json",
        b'{"row": [{"input": "a", "messages": [{"send": [], "prob": true}]}]}',
        ("bool.json: row 'a', messages entry 1 prob = True is not a number. Repair: write a string: prob = \"1/2\"."),
    ),
    (
        "word.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = ["m"], prob = "half"} ]\n',
        (
            "word.toml: row 'a', messages entry 1: prob='half' is not a number. Write ASCII digits as "
            "3, 100_000, 1/4, 0.25 or 25e-2, without spaces."
        ),
    ),
    (
        "sendtwice.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = ["m"], prob = "1/2"}, {send = ["m"], prob = "1/2"} ]\n',
        ("sendtwice.toml: row 'a', messages entry 2 repeats the messages ['m']. Repair: add the two probabilities."),
    ),
    (
        "inputtwice.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = [], prob = 1} ]\n' * 2,
        "inputtwice.toml: row 2 repeats the input 'a'. Repair: keep one row for each input.",
    ),
    (
        "sum.toml",
        b'[[row]]\ninput = "a"\nmessages = [ {send = ["m"], prob = "7/8"} ]\n',
        "sum.toml: row 'a' of the randomizer sums to 7/8, not 1 (messages ('m',): 7/8). Make it sum to 1.",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), FILES, ids=[name for name, _, _ in FILES])
def test_message_about_a_file(name, content, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if content is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(errors.ExactDPError) as raised:
        Randomizer.from_file(name)
    assert str(raised.value) == message


BROKEN = [
    ("broken.toml", b"[[row]\n", "broken.toml: not valid TOML: "),
    ("broken.json", b"{", "broken.json: not valid JSON: "),
    ("number.json", b'{"row": ' + b"1" * 5000 + b"}", "number.json: a number is too long: "),
]


@pytest.mark.parametrize(("name", "content", "beginning"), BROKEN, ids=[name for name, _, _ in BROKEN])
def test_message_about_broken_text(name, content, beginning, tmp_path, monkeypatch):
    """What follows the beginning is the parser's and depends on the version of Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(errors.InvalidFileError) as raised:
        Randomizer.from_file(name)
    assert str(raised.value).startswith(beginning)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_message_about_a_float_that_is_no_number(value):
    """The repair must not be a text that is refused as well."""
    with pytest.raises(errors.ExactDPError) as raised:
        as_fraction(value, name="eps")
    assert f'"{value!r}"' not in str(raised.value)


def test_message_about_a_float_of_another_library():
    """The repair shows the number, not the constructor of the type."""
    import numpy

    with pytest.raises(errors.InexactNumberError) as raised:
        as_fraction(numpy.float64(0.5), name="eps")
    assert '"0.5" for the decimal number' in str(raised.value)


def test_message_about_a_missing_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.InvalidFileError) as raised:
        Randomizer.from_file("missing.toml")
    assert str(raised.value) == "missing.toml cannot be read: No such file or directory. Name a readable file."


def test_message_about_a_large_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with (tmp_path / "large.toml").open("wb") as stream:
        stream.truncate(10 * MAX_FILE_BYTES)
    with pytest.raises(errors.TooLargeError) as raised:
        Randomizer.from_file("large.toml")
    assert str(raised.value) == "large.toml is larger than the limit of 10485760 bytes. Use a smaller file."


def test_every_message_names_a_repair():
    """Two sentences at least: what is wrong, and what to do."""
    for _, error, message in MESSAGES:
        assert error is TypeError or message.rstrip().endswith((".", ")"))

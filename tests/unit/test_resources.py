"""What would be slow or large is refused before it starts, and what is kept is bounded by its bytes."""

import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import exactdp as xdp
from exactdp.caching import bounded_cache
from exactdp.errors import ExactDPError, InvalidFileError, TooLargeError
from exactdp.numbers.exact import as_fraction, common_denominator
from exactdp.privacy.engine import _kept_event

F = Fraction
PRIME_LIKE = [10**3899 + 2 * i + 1 for i in range(400)]  # consecutive odd numbers: hardly a common factor

SLOW = {
    "k of a Poisson law": lambda: xdp.smoothness_delta(xdp.Poisson(10), k=10**19, exp_eps="3/2"),
    "k of a geometric law": lambda: xdp.smoothness_delta(xdp.Geometric("1/2"), k=10**19, eps="1/10"),
    "k of an even law": lambda: xdp.smoothness_delta(xdp.DiscreteLaplace("3/2"), k=10**19, exp_eps=2),
    "k of a log-convex law": lambda: xdp.smoothness_delta(xdp.NegativeBinomial("1/2", "1/3"), k=10**19, exp_eps=2),
    "k times long digits": lambda: xdp.smoothness_delta(xdp.Poisson(10), k=10**5, exp_eps=1 + F(1, 10**3000)),
    "coprime denominators in a row": lambda: xdp.Randomizer({0: {(i,): F(1, d) for i, d in enumerate(PRIME_LIKE)}}),
    "coprime denominators of rows": lambda: shuffled_coprime_rows(),
    "coprime denominators of a law": lambda: xdp.Law({i: F(1, d) for i, d in enumerate(PRIME_LIKE)}),
}


def shuffled_coprime_rows():
    table = {i: {(0,): F(1, d), (1,): 1 - F(1, d)} for i, d in enumerate(PRIME_LIKE)}
    return xdp.ShuffleProtocol(xdp.Randomizer(table), 2).privacy_profile()


@pytest.mark.parametrize("named", SLOW)
def test_what_would_be_slow_is_refused_at_once(named):
    began = time.process_time()
    with pytest.raises(TooLargeError, match=r"limit\b.*Use "):
        SLOW[named]()
    assert time.process_time() - began < 5


def test_a_k_beyond_the_support_is_answered_like_one_just_beyond_it():
    law = xdp.Binomial(20, "1/2")
    assert xdp.smoothness_delta(law, k=10**19, exp_eps=2) == xdp.smoothness_delta(law, k=21, exp_eps=2) == 1
    assert xdp.smoothness_delta(law, k=20, exp_eps=2) < 1


@pytest.mark.parametrize("key", ["a.{}", '"a".{}', "'a' . {}", "[a.{}", "x = {{ a.{}"])
def test_a_key_of_many_parts_is_refused_at_once(key, tmp_path):
    path = tmp_path / "long.toml"
    path.write_text("\n" + key.format(".".join(["b"] * 200_000)) + " = 1\n")
    began = time.process_time()
    with pytest.raises(InvalidFileError, match=r"long.toml: line 2 has a key of more than 64 parts\. Repair: "):
        xdp.Randomizer.from_file(path)
    assert time.process_time() - began < 5


def test_dots_in_labels_are_no_key(tmp_path):
    path = tmp_path / "dots.toml"
    label = ".".join(["b"] * 500)
    path.write_text(f'[[row]]\ninput = "{label}"\nmessages = [{{send = ["{label}"], prob = "1"}}]\n')
    assert xdp.Randomizer.from_file(path).inputs == (label,)


def test_common_denominators():
    assert common_denominator([], name="x") == 1
    assert common_denominator([F(1, 4), F(1, 6), F(3)], name="x") == 12
    assert common_denominator([F(1, 3**20_000), F(1, 2 * 3**20_000)], name="x") == 2 * 3**20_000
    with pytest.raises(TooLargeError, match="x need a common denominator of more than 262144 bits"):
        common_denominator([F(1, d) for d in PRIME_LIKE[:30]], name="x")


def test_kept_answers_are_bounded_by_bytes_and_by_number():
    calls = []

    @bounded_cache(size=len, entries=3, limit=100)
    def repeat(text, *, times=1):
        """Repeat a text."""
        calls.append(text)
        return text * times

    assert repeat.__doc__ == "Repeat a text."
    assert [repeat("a", times=60), repeat("b", times=30), repeat("a", times=60)] == ["a" * 60, "b" * 30, "a" * 60]
    assert calls == ["a", "b"]
    assert repeat.kept_bytes == 90
    repeat("c", times=40)  # b is the one not used for longest, and a must go too
    assert repeat.kept_bytes == 100
    repeat("b", times=30)
    assert calls == ["a", "b", "c", "b"]
    assert repeat.kept_bytes == 70
    for text in "defg":
        repeat(text)
    assert repeat.kept_bytes == 3
    assert repeat("x", times=101) == "x" * 101
    assert repeat.kept_bytes == 0
    repeat("d")
    repeat.cache_clear()
    assert repeat.kept_bytes == 0


def test_threads_that_ask_at_once_are_answered_and_what_is_kept_stays_bounded():
    @bounded_cache(size=lambda answer: answer % 7, entries=16, limit=40)
    def same(number):
        return number

    def ask(first):
        return [same((first * step) % 50) for step in range(3000)] == [(first * step) % 50 for step in range(3000)]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(1, 9)))
    for number in range(100, 132):  # whatever the threads have miscounted is summed anew by then
        same(number)
        assert len(same._answers) <= 16
    assert same.kept_bytes <= 40


def test_events_are_kept_up_to_so_many_bytes(monkeypatch):
    _kept_event.cache_clear()
    profile = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/3"), 3000).privacy_profile()
    values = [profile.delta(exp_eps=1 + F(1, i)) for i in range(1, 12)]
    size = _kept_event.kept_bytes
    assert size > 11 * 2000
    monkeypatch.setattr(_kept_event, "_limit", size // 3)
    assert values == [profile.delta(exp_eps=1 + F(1, i)) for i in range(1, 12)]
    profile.delta(exp_eps=3)  # a new answer: only one that is added makes another go
    assert 0 < _kept_event.kept_bytes <= size // 3
    _kept_event.cache_clear()


@pytest.mark.parametrize("digits", [1, 511, 512, 513, 639, 4000])
def test_long_decimals_are_read_in_pieces(digits):
    text = ("1234567890" * 400)[:digits]
    assert as_fraction(text, name="x") == int(text)
    assert as_fraction(f"0.{text[1:] or 0}", name="x") == F(int(text[1:] or 0), 10 ** max(1, digits - 1))
    assert as_fraction(f"{text}/1{'0' * (digits - 1)}", name="x") == F(int(text), 10 ** (digits - 1))
    with pytest.raises(ExactDPError, match="the denominator 0"):
        as_fraction(f"{text}/{'0' * digits}", name="x")


def test_one_long_denominator_is_no_refusal():
    long = F(1, 2 ** (2**19))
    assert xdp.Randomizer({0: {(0,): long, (1,): 1 - long}}).rows[0][0][1] == long

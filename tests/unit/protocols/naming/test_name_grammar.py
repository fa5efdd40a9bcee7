"""The grammar of names: what is written is read back, what is wrong is refused in words, and at once."""

from collections.abc import Callable
from fractions import Fraction
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactdp as xdp
from exactdp.errors import ExactDPError, InvalidValueError, TooLargeError
from exactdp.numbers.exact import as_fraction
from exactdp.numbers.real import Real
from exactdp.protocols.named_protocols import ENTRIES, MECHANISMS
from exactdp.protocols.naming.name_grammar import MAX_DEPTH, MAX_TEXT, Named, inside, key_of, parse, parts_of, split
from exactdp.protocols.naming.targets import given_by_name, read_target
from exactdp.randomizers import KAryResponse, UnaryEncoding
from tests.expensive import one_in

WORDS = st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5})?", fullmatch=True)
SCALARS = st.one_of(
    st.fractions().map(str), st.integers().map(str), st.sampled_from(["exp(-1/5)", "ln(3/2)", "1e-6", "a b", "true"])
)


def names(values: st.SearchStrategy[str | None]) -> st.SearchStrategy[Named]:
    return st.builds(
        lambda name, entries: Named(name, tuple(entries.items())),
        WORDS,
        st.dictionaries(WORDS, values, max_size=4),
    )


NESTED = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        names(inner).map(lambda named: f"({named})"),
        st.lists(names(inner).map(str), min_size=2, max_size=3).map(lambda parts: f"({'; '.join(parts)})"),
    ),
    max_leaves=8,
)


@given(names(st.one_of(st.none(), NESTED)))
@one_in(12)
def test_what_is_written_is_read_back(named: Named) -> None:
    assert parse(str(named)) == parse(f"@{named}") == named
    for _, value in named.given:
        if value is not None and (held := inside(value)) is not None and ";" not in held:
            assert str(parse(held)) == held


@given(st.lists(names(SCALARS).map(str), min_size=1, max_size=4))
@one_in(3)
def test_lists_are_read_back(parts: list[str]) -> None:
    assert parts_of(f"({'; '.join(parts)})") == parts
    assert split(";".join(parts), ";") == parts


@one_in(2)
@given(names(SCALARS))
def test_spaces_and_underscores_change_nothing(named: Named) -> None:
    spaced = ", ".join(f"{key.replace('-', '_')} = {value}" for key, value in named.given)
    assert parse(f"@{named.name}: {spaced}") == named


PIECES = st.lists(
    st.sampled_from(
        [*ENTRIES, "@", ":", ",", "=", "(", ")", ";", "inputs", "eps0", "of", "times", "3", "exp(", "\0", "é"]
    ),
    max_size=40,
).map("".join)


def refusal(read: Callable[[str], object], text: str) -> str:
    """What is said of a text; nothing of one that is read. Another exception than the package's own goes through."""
    try:
        read(text)
    except ExactDPError as error:
        return str(error)
    return ""


@settings(deadline=None)
@given(PIECES | st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    for read in (parse, given_by_name):
        assert len(refusal(read, f"@{text}")) < 700


@settings(deadline=None)
@given(st.sampled_from(list(MECHANISMS)), PIECES)
def test_a_name_with_anything_behind_it_is_read_or_refused(name: str, text: str) -> None:
    assert len(refusal(read_target, f"@{name}:{text}")) < 700


@pytest.mark.parametrize(
    "text",
    [
        "@repeat:times=3,of=" + "(repeat:times=1,of=" * 3000 + "gap" + ")" * 3000,
        "@repeat:of=" + "(" * 10**6,
        "@zsum:gamma=" + "9" * 10**6,
        "@zsum:" + "gamma=1/8," * 900,
        "@zsum:" + ",".join(f"a{i}=1" for i in range(1500)),
        "@repeat:times=2,of=(" + ";" * 9000 + ")",
        "@" + "a" * 9000,
        "@unary-encoding:inputs=3,eps0=" + "9" * 5000,
        "@unary-encoding:inputs=3,eps0=1e-4000",
        "@flooding:inputs=3,mean=1,eps0=1e-3000",
        "@zsum:gamma=1e999999999",
        "@repeat:times=" + "(" * 17 + ")" * 17,
    ],
    ids=lambda text: text[:24],
)
def test_hostile_names_are_refused_at_once(text: str) -> None:
    began = process_time()
    with pytest.raises((InvalidValueError, TooLargeError)) as refused:
        read_target(text)
    assert process_time() - began < 2
    assert len(str(refused.value)) < 500


def test_the_deepest_name_is_read() -> None:
    text = "gap"
    for _ in range(MAX_DEPTH):
        text = f"repeat:times=1,of=({text})"
    target = read_target(f"@{text}")
    assert target.name == f"@{text}"
    with pytest.raises(TooLargeError, match=f"more than {MAX_DEPTH} parentheses"):
        read_target(f"@repeat:times=1,of=({text})")
    assert len(text) < MAX_TEXT


REFUSED = {
    "@zsm:gamma=1/8": "'@zsm' names nothing. Did you mean @zsum? `exactdp protocols` lists all names; a file has no @.",
    "@rapor:inputs=3": "'@rapor' names nothing. Did you mean @rappor? `exactdp protocols` lists all names; a file has "
    "no @.",
    "@zsum:gama=1/8": "@zsum has no parameter 'gama'. Did you mean gamma? Write @zsum:gamma=G, for example "
    "@zsum:gamma=1/8.",
    "@zsum:gamma": "@zsum has the entry 'gamma' without a value. Write @zsum:gamma=G, for example @zsum:gamma=1/8.",
    "@zsum:gamma=": "@zsum has no value after gamma=. Write @zsum:gamma=G, for example @zsum:gamma=1/8.",
    "@zsum:=1/8": "@zsum has an entry without a name: '=1/8'. Write @zsum:gamma=G, for example @zsum:gamma=1/8.",
    "@zsum:gamma=1/8,gamma=1/4": "@zsum has the parameter gamma twice. Write @zsum:gamma=G, for example "
    "@zsum:gamma=1/8.",
    "@any-randomizer:exp-eps0=3,exp_eps0=3": "@any-randomizer has the parameter exp_eps0 twice. Write "
    "@any-randomizer:exp-eps0=E,[delta0=D0], for example @any-randomizer:exp-eps0=3.",
    "@zsum:gamma=(1/8": "'@zsum:gamma=(1/8' has a parenthesis that is not closed. Write @zsum:gamma=G, for example "
    "@zsum:gamma=1/8.",
    "@zsum:gamma=1/8)": "'@zsum:gamma=1/8)' closes a parenthesis that is not open. Write @zsum:gamma=G, for example "
    "@zsum:gamma=1/8.",
    "@zsum:gamma=(1/8; 1/4)": "gamma=(1/8; 1/4) is in parentheses, and is an exact number. Write 1/8.",
    "@gap:x=1": "@gap has no parameter 'x'. Write @gap.",
    "@repeat:times=3,of=gap": "of=gap is not in parentheses. Write of=(randomized-response:inputs=4,eps0=1), without "
    "an @ inside.",
    "@repeat:times=3,of=(poisson:mu=1)": "of=(@poisson:mu=1) is no randomizer of one user. Write "
    "of=(randomized-response:inputs=4,eps0=1).",
    "@repeat:times=3,of=(sample-and-threshold:rate=1/2,threshold=3)": "of=(@sample-and-threshold:rate=1/2,threshold=3) "
    "is no randomizer of one user. Write of=(randomized-response:inputs=4,eps0=1).",
    "@repeat:times=3,of=(zsm:gamma=1/8)": "'zsm' is no file and no name. Did you mean @zsum?",
    "@repeat:times=3,of=(gap; zsum:gamma=1/8)": "of=(gap; zsum:gamma=1/8) is a list. Write one, as "
    "of=(randomized-response:inputs=4,eps0=1).",
    "@repeat:times=0,of=(gap)": "times=0 is below 1. Pass times of at least 1.",
    "@flooding:inputs=3,mean=1,noise=(poisson:mu=1)": "@flooding is given mean and noise. Leave out one of them.",
    "@flooding:inputs=3,noise=(gap)": "noise=(@gap) is no noise law. Write noise=(binomial:n=2,p=1/4).",
    "@flooding:inputs=3": "@flooding needs mean or noise. Write @flooding:inputs=K,[exp-eps0=E],mean=M|"
    "noise=(LAW:...), for example @flooding:inputs=10,mean=1/2.",
    "@unary-encoding:inputs=3,eps0=1,exp-eps0=3": "@unary-encoding is given eps0 and exp-eps0. Leave out one of them: "
    "e^eps0 = exp(eps0).",
    "@unary-encoding:inputs=3,eps0=-1": "eps0=-1 is not from 0 to 1000. Write eps0=1.",
    "@unary-encoding:inputs=3,eps0=exp(1)": "eps0='exp(1)' is irrational where an exact number is needed. Pass a "
    "rational number.",
    "@unary-encoding:inputs=3,eps0=1,optimized=maybe": "optimized=maybe is not true or false. Write optimized=true.",
    "@oue:inputs=3,eps0=1,optimized=false": "@oue says optimized=true itself. Leave out optimized, or write "
    "@unary-encoding.",
    "@randomized-response:gamma=1/8,eps0=1": "@randomized-response is given gamma and exp-eps0. Leave out one of them.",
    "@poisson:mu=1,mu=2": "@poisson has the parameter mu twice. Write @poisson:mu=MU, for example @poisson:mu=1000.",
}


@pytest.mark.parametrize("text", REFUSED)
def test_the_message(text: str) -> None:
    with pytest.raises(ExactDPError) as refused:
        read_target(text)
    assert str(refused.value) == REFUSED[text]


def test_a_parameter_has_one_form() -> None:
    with pytest.raises(InvalidValueError) as refused:
        read_target("@zsum:gamma=1/8", {"--gamma": "1/8"})
    assert str(refused.value) == (
        "@zsum has the parameter gamma in the name and as the option --gamma. Leave out the option."
    )
    mixed = read_target("@unary-encoding:inputs=3", {"--exp-eps0": "3"})
    assert mixed.name == "@unary-encoding:inputs=3,exp-eps0=3"


SAME = {
    "krr:inputs=4,exp_eps0=3": ("@randomized-response", {"--inputs": "4", "--exp-eps0": "3"}),
    "@grr:gamma=1/8": ("@randomized-response", {"--gamma": "1/8"}),
    "@oue:inputs=5,exp-eps0=3": ("@unary-encoding", {"--inputs": "5", "--exp-eps0": "3", "--optimized": ""}),
    "@unary-encoding:inputs=5,exp-eps0=3,optimized": (
        "@unary-encoding",
        {"--inputs": "5", "--exp-eps0": "3", "--optimized": ""},
    ),
    "@unary-encoding:inputs=5,exp-eps0=3,optimized=false": ("@unary-encoding", {"--inputs": "5", "--exp-eps0": "3"}),
    "@unary-encoding:inputs=5,eps0=ln(3)": ("@rappor", {"--inputs": "5", "--exp-eps0": "3"}),
    "@histogram:gamma=1/8,bins=2": ("@histogram", {"--gamma": "1/8", "--bins": "2"}),
    "@counting:r=3,p=1/2": ("@one-sided-counting", {"--r": "3", "--p": "1/2"}),
    "@almost-central:bound=1,for_eps=1,for-delta=1/9": (
        "@almost-central",
        {"--bound": "1", "--for-eps": "1", "--for-delta": "1/9"},
    ),
    "@flooding:inputs=4,noise=(poisson:mu=3)": ("@flooding", {"--inputs": "4", "--mean": "3"}),
}


@pytest.mark.parametrize("text", SAME)
def test_both_forms_are_one_protocol(text: str) -> None:
    name, options = SAME[text]
    one, other = read_target(text), read_target(name, options)
    assert one.build(7) == other.build(7)
    assert one.family == other.family
    assert (":" in one.name, ":" in other.name) == (True, False)


def test_eps0_is_irrational_where_it_may_be_and_rounded_down_where_not() -> None:
    kept: Any = read_target("@unary-encoding:inputs=3,eps0=2")
    assert kept.family == UnaryEncoding(3, exp_eps0="exp(2)")
    assert kept.name == "@unary-encoding:inputs=3,eps0=2"
    rounded: Any = kept.in_fractions()
    assert rounded.name.startswith("@unary-encoding:inputs=3,exp-eps0=")
    power = as_fraction(rounded.name.rpartition("=")[2], name="exp-eps0")
    assert rounded.family == UnaryEncoding(3, exp_eps0=power)
    assert power * 2**53 == int(power * 2**53)
    assert xdp.LogRational(power).enclose(200).hi < 2 < xdp.LogRational(power + Fraction(1, 2**53)).enclose(200).lo
    needed: Any = read_target("@flooding:inputs=3,mean=1,eps0=2")
    assert needed.name == f"@flooding:inputs=3,exp-eps0={power},mean=1"
    assert needed.build(5).exp_eps0 == power
    assert read_target("@krr:inputs=3,eps0=0").family == KAryResponse(3, exp_eps0=1)
    assert Real.exp(2) == kept.family.parameters["exp_eps0"]


def test_keys_are_compared_without_regard_to_hyphens() -> None:
    assert key_of(" exp_eps0 ") == "exp-eps0"
    one, other = (read_target(f"@discrete-laplace:{key}=2") for key in ("exp_eps", "exp-eps"))
    assert one.law == other.law

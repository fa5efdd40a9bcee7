"""The limits, the work that is paid for, and the spelling of numbers and documents."""

from __future__ import annotations

import contextlib
import decimal
import io
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.certificates.probes.common import Checker, probe, refuses

CORPUS = Path(__file__).resolve().parents[1]

LIMITS = {
    "MAX_COUNTS": 64,
    "MAX_FAIR_BITS": 2**14,
    "MAX_FACTORS": 64,
    "MAX_PLANS": 4096,
    "MAX_NODES": 2**14,
    "MAX_STAGES": 1000,
    "MAX_PHASE_BITS": 20,
    "MAX_FILE_BYTES": 2**22,
    "MAX_DEPTH": 32,
    "MAX_BITS": 2**18,
    "MAX_DECIMAL_BITS": 256,
    "MAX_TOTAL_BITS": 2**22,
    "MAX_TAYLOR_BITS": 2**16,
    "MAX_INEQUALITY_BITS": 4096,
    "MAX_USERS": 10**6,
    "MAX_TRIALS": 20_000,
    "MAX_INPUTS": 256,
    "MAX_MESSAGES": 256,
    "MAX_SENT": 4096,
    "MAX_LIST": 10**6,
    "MAX_WALKED": 10**18,
    "MIN_PRECISION": 16,
    "MAX_PRECISION": 2**14,
    "MAX_EXPONENT": 4096,
    "MAX_PRODUCT_BITS": 2**27,
    "MAX_SLOT_BITS": 2**16,
    "MAX_DIGITS": 600,
    "SHARP_BITS": 16,
    "MAX_BOX_VARIABLES": 6,
    "MAX_BOX_TERMS": 64,
    "MAX_BOX_PRECISION": 1024,
    "MAX_DELTAS": 16,
    "MAX_UNCERTAIN": 6,
    "MAX_BERNSTEIN": 20_000,
    "MAX_LAW_BITS": 2**33,
    "MAX_HELD_BITS": 2**31,
    "MAX_SUMS": 2**14,
    "MAX_MEMORY": 10**9,
    "MAX_SECONDS": 110,
    "MAX_SUMMANDS": 8,
    "MAX_SHARES": 1000,
    "MAX_MODULUS_BITS": 4096,
    "MAX_COEFFICIENTS": 512,
    "MAX_WINDOW": 2 * 10**5,
    "MAX_EPS": 64,
    "MAX_TERMS": 1000,
    "MAX_SHIFT": 1000,
    "MAX_VARIABLES": 16,
    "MAX_DEGREE": 64,
    "MAX_PARTS": 1000,
    "MAX_WORK": 2 * 10**8,
    "MAX_STEPS": 4 * 10**6,
    "MAX_FAMILY_USERS": 10**12,
    "MAX_FAMILY_INPUTS": 10**9,
    "MAX_BUCKETS": 2**64,
    "MAX_SPLIT_BITS": 4096,
    "MIN_SUM_BITS": 64,
    "MAX_SUM_BITS": 4096,
    "MIN_LENGTH": 16,
    "MAX_LENGTH": 2**17,
    "MAX_PLACES": 2**18,
    "TILT_BITS": 64,
    "MAX_TILT": 2**72 - 1,
    "MAX_POWER": 2**20,
    "MAX_POWER_BITS": 2**14,
    "MAX_SCALE": 2**18,
    "CUT_BITS": 48,
    "MAX_SCORE_BITS": 64,
    "MAX_TERMS_ADDED": 16,
    "MAX_RUNS": 10**6,
    "LATTICE_BITS": 64,
    "TRIM_BITS": 16,
}


@probe
def limits(checker: Checker) -> None:
    """The limits are those of the format page."""
    names = [
        name
        for name in dir(checker)
        if name.startswith(("MAX_", "MIN_", "SHARP_", "LATTICE_", "TRIM_", "TILT_", "CUT_"))
    ]
    assert {name: getattr(checker, name) for name in names if name not in dir(decimal)} == LIMITS


@probe
def limits_include_their_ends(checker: Checker) -> None:
    def table(n: int, bits: int) -> str:
        return refuses(checker, lambda: checker.Table.binomial(n, Fraction(1, 2**bits - 1)))

    assert (table(16384, 256), table(16384, 257)) == ("nothing", "MalformedCertificateError")
    assert table(20_000, 2) == "nothing"

    def steps(bits: int) -> str:
        noise = checker.Noise.read({"family": "geometric", "p": f"1/{hex(2**bits - 1)}"}, checker.Work())
        return refuses(checker, lambda: noise.exact(511, checker.Work()))

    assert (steps(512), steps(513)) == ("nothing", "MalformedCertificateError")
    coin = checker.Randomizer(1, 2, [{(0,): 1, (1,): 1}], "")
    assert refuses(checker, lambda: checker.sum_rows(coin, [2**256 - 1])) == "nothing"
    assert refuses(checker, lambda: checker.sum_rows(coin, [2**256])) == "MalformedCertificateError"
    rows = checker.sum_rows(coin, [1])
    long = message(checker, lambda: checker.sum_law(rows, [2**21 + 1], coin, checker.Work()))
    assert long == "the weights of the view have more than 4194304 bits"

    def product(*factors: str) -> str:
        real = checker.Real.read({"product": list(factors)}, "x")
        return message(checker, lambda: real.enclose(16, checker.Work()))

    half, rest = hex(2 ** (2**17)), hex(2 ** (2**17 - 18))
    assert product(half, rest) == product(f"-{half}", rest) == ""
    assert product(half, half) == product(f"-{half}", half) == "a product of more than 262144 bits"


@probe
def randomizers_are_bounded(checker: Checker) -> None:
    outcomes = [{"send": [str(i), str(j)], "prob": "1/16384"} for i in range(128) for j in range(128)]
    wide = {"messages": "256", "rows": [outcomes]}
    assert message(checker, lambda: checker.Randomizer.read(wide, checker.Work())).startswith(
        "more than 4000000 counts"
    )
    shown = {"messages": "1", "rows": [[{"send": [], "prob": "1/2"}, {"send": ["0"] * 14, "prob": "1/2"}]]}
    assert checker.Randomizer.read(shown, checker.Work()).words.startswith("randomizer {0: () 1/2")
    shown["rows"][0][1]["send"].append("0")  # type: ignore[index]
    assert checker.Randomizer.read(shown, checker.Work()).words.startswith("randomizer {table ")
    assert checker.Randomizer.read(shown, checker.Work()).base(7) > 7 * 15


@probe
def work_is_paid_for(checker: Checker) -> None:
    """Each unit is one product of short numbers; longer numbers cost in proportion to school multiplication."""
    for steps, bits, factor, cost in (
        (10, 1, 64, 10),
        (10, 2**14, 64, 10 * (1 + 2**14 * 576 // 2**19)),
        (3, 2**19, 512, 3 * 1025),
    ):
        work = checker.Work()
        work.spend(steps, bits, factor)
        assert checker.MAX_WORK - work.left == cost
    work = checker.Work()
    assert refuses(checker, lambda: work.spend(checker.MAX_STEPS, 1)) == "nothing"
    assert refuses(checker, lambda: work.spend(checker.MAX_STEPS + 1, 1)) == "MalformedCertificateError"
    work.left = 10
    assert refuses(checker, lambda: work.expect(10, 1)) == "nothing"
    assert refuses(checker, lambda: work.expect(11, 1)) == "MalformedCertificateError"
    assert refuses(checker, lambda: work.expect(3, 2**11)) == "nothing"
    assert refuses(checker, lambda: work.expect(3, 2**12)) == "MalformedCertificateError"
    assert refuses(checker, lambda: work.spend(10, 1)) == "nothing"
    assert refuses(checker, lambda: work.spend(1, 1)) == "MalformedCertificateError"


@probe
def shown_numbers(checker: Checker) -> None:
    for top, bottom in ((10**40, 1), (-(10**40), 3), (2**90 + 1, 7), (5, 3**90), (2**64, 2**300 + 1), (10**25 - 1, 1)):
        value = Fraction(top, bottom)
        words = checker.show(value)
        digits, exponent = words.split(" ")[0].split("e")
        shown = Fraction(digits) * Fraction(10) ** int(exponent)
        assert shown * value > 0
        assert 0 <= abs(value) - abs(shown) < Fraction(10) ** (int(exponent) - 6)
        assert 1 <= abs(Fraction(digits)) < 10
        assert words.endswith(f"{abs(top if bottom == 1 else value.numerator).bit_length()} bits)") or "/" in words
    assert checker.show(Fraction(2**64 - 1)) == str(2**64 - 1)
    assert checker.show(Fraction(2**64)).endswith("(65 bits)")


def message(checker: Checker, call: Callable[[], Any]) -> str:
    """What the checker says when it declines, else nothing."""
    try:
        call()
    except (checker.MalformedCertificateError, checker.CertificateRejectedError) as error:
        return str(error)
    return ""


@probe
def integers_have_one_spelling(checker: Checker) -> None:
    edge = 2**256
    for value in (0, 1, -1, 9, 10, edge - 1, 1 - edge, 2**255, 2**255 - 1):
        assert checker.parse_integer(str(value), "x") == value
        assert value == 0 or refuses(checker, lambda v=value: checker.parse_integer(hex(v), "x")) != "nothing"
    for value in (edge, -edge, edge + 1, 2**300, 2**257 - 1, 16**65536 - 1, -(16**65536) + 1):
        assert checker.parse_integer(hex(value), "x") == value
    for value in (edge, -edge, 10**77 * 2, 10**78 - 1):
        assert (value < edge and value > -edge) == (
            refuses(checker, lambda v=value: checker.parse_integer(str(v), "x")) == "nothing"
        )
    assert message(checker, lambda: checker.parse_integer("0x1" + "0" * 65536, "x")) == "x has more than 262144 bits"
    wrong = ["", "-", "+1", "01", "-0", "00", "0x0", "0X1f", "0x", "1_0", " 1", "1 ", "0xg" + "1" * 70, "1" * 79, "٣"]
    for text in wrong:
        said = message(checker, lambda t=text: checker.parse_integer(t, "x"))
        assert said == f"x is {text[:40]!r}, not an integer as this format writes it"


@probe
def rationals_are_in_lowest_terms(checker: Checker) -> None:
    assert checker.read_rational("3/4", "x") == Fraction(3, 4)
    assert checker.read_rational("-3/2", "x") == Fraction(-3, 2)
    for text, said in (
        ("3/1", "x has a denominator below 2"),
        ("3/0", "x has a denominator below 2"),
        ("3/-4", "x has a denominator below 2"),
        ("2/4", "x is not in lowest terms"),
        ("0/2", "x is not in lowest terms"),
    ):
        assert message(checker, lambda t=text: checker.read_rational(t, "x")) == said
    assert checker.read_rational("0", "x", 0, 1) == 0
    assert checker.read_rational("1", "x", 0, 1) == 1
    assert message(checker, lambda: checker.read_rational("-1/9", "x", 0, 1)) == "x is -1/9, outside 0 to 1"
    assert message(checker, lambda: checker.read_rational("10/9", "x", 0)) == ""
    assert message(checker, lambda: checker.read_rational("-1", "x", 0)) == "x is -1, outside 0 to infinity"
    assert message(checker, lambda: checker.read_probability("0", "x")) == "x is 0"
    longest = hex(2**4096 - 1)
    assert checker.read_short(longest, "x") == 2**4096 - 1
    assert message(checker, lambda: checker.read_short(hex(2**4096), "x")) == "x has more than 4096 bits"


@probe
def denominators_stay_short(checker: Checker) -> None:
    assert checker.common_denominator([], "x", checker.Work()) == 1
    assert checker.common_denominator([Fraction(1, 4), Fraction(1, 6)], "x", checker.Work()) == 12
    assert checker.common_denominator([Fraction(1, 2 ** (2**18 - 1))], "x", checker.Work()) == 2 ** (2**18 - 1)
    long = [Fraction(1, 2 ** (2**18))]
    assert "has more than 262144 bits" in message(
        checker, lambda: checker.common_denominator(long, "x", checker.Work())
    )
    assert checker.as_weights([Fraction(1, 4), Fraction(3, 4)], 8, "x") == [2, 6]
    off = [Fraction(1, 4), Fraction(1, 4)]
    assert message(checker, lambda: checker.as_weights(off, 4, "x")) == "x sums to 1/2, not 1"


@probe
def shapes_are_exact(checker: Checker) -> None:
    keys = [f"key{i}" for i in range(90)]
    said = message(checker, lambda: checker.read_object(dict.fromkeys(keys), "x", ["a"]))
    assert said == f"x has the keys {sorted(keys)}, not ['a']"[:300]
    assert message(checker, lambda: checker.read_choice("b" * 60, "x", ["a"])) == f"x is {'b' * 40!r}, not one of a"
    assert message(checker, lambda: checker.refuse_number("1" * 60)) == (
        f"the JSON number {'1' * 20}; numbers are strings here"
    )
    assert checker.read_list([1, 2], "x", 2, 2) == [1, 2]
    for length in (1, 3):
        wrong = [0] * length
        assert message(checker, lambda w=wrong: checker.read_list(w, "x", 2, 2)) == (
            f"x has {length} entries, outside 2 to 2"
        )
    assert checker.canonical({"b": ["1"], "a": "2"}) == '{"a":"2","b":["1"]}'


@probe
def documents_are_bounded(checker: Checker) -> None:
    def nested(depth: int) -> str:
        return '{"x":' * (depth - 1) + "{}" + "}" * (depth - 1)

    assert "nested" not in message(checker, lambda: checker.read_document(nested(32)))
    assert message(checker, lambda: checker.read_document(nested(33))) == "nested deeper than 32"
    assert "nested" not in message(checker, lambda: checker.read_document("[]" * 40))
    strings = '{"x":"' + "[" * 50 + '"}'
    assert "nested" not in message(checker, lambda: checker.read_document(strings))
    full = "{}" + " " * (2**22 - 2)
    assert "longer" not in message(checker, lambda: checker.read_document(full))
    assert message(checker, lambda: checker.read_document(full + " ")) == "longer than 4194304 bytes"
    for constant in ("true", "false", "null"):
        unread = f'{{"x": [{{"y": {constant}}}]}}'
        assert (
            message(checker, lambda w=unread: checker.refuse_constants(w)) == "true, false and null are no values here"
        )
    checker.refuse_constants('{"null": "true"}')


@probe
def numbers_are_shown_to_seven_digits(checker: Checker) -> None:
    for exponent in range(-60, 61):
        for digits in (1_000_000, 1_234_567, 9_999_999):
            value = Fraction(digits) * Fraction(10) ** (exponent - 6) * (1 + Fraction(1, 10**30))
            words = checker.show(value)
            if "e" in words:
                assert words.startswith(f"{digits // 10**6}.{digits % 10**6:06}e{exponent} ("), (
                    words,
                    digits,
                    exponent,
                )
                assert checker.show(-value) == "-" + words
    assert checker.show(Fraction(-1, 2**70)).startswith("-8.470329e-22 (1/71 bits)")
    assert checker.show(Fraction(1, 2**64)) != str(Fraction(1, 2**64))
    assert checker.show(Fraction(1, 2**64 - 1)) == str(Fraction(1, 2**64 - 1))


@probe
def files_are_read_to_the_limit(checker: Checker) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long"
        path.write_bytes(b" " * (checker.MAX_FILE_BYTES + 9))
        assert len(checker.read_file(str(path))) == checker.MAX_FILE_BYTES + 1


@probe
def the_worst_file_is_the_status(checker: Checker) -> None:
    """One line for each file, as it is read, and the usage where there is none."""
    good, wrong, broken = (
        str(min((CORPUS / "v2" / folder).glob("*.json"))) for folder in ("correct", "incorrect", "malformed")
    )
    for files, status in (([good], 0), ([good, wrong, good], 1), ([broken, wrong, good], 2), ([], 2)):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            assert checker.main(files) == status
        assert out.getvalue().splitlines() == [checker.report(file)[1] for file in files]
        assert err.getvalue() == ("" if files else "usage: python verify.py FILE...\n")

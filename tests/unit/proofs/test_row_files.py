"""Files of rows are read strictly, and the numbers in their words come from Python."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from exactdp import proofs
from exactdp.claims.certificate import Verdict
from exactdp.claims.claim import Claim
from exactdp.errors import InvalidValueError
from exactdp.proofs.row_files import decides, read_rows, rows_by_id, rows_of
from exactdp.proofs.steps import implies, variables
from tests.together import together

FOLDER = Path(proofs.__file__).parent
SHARED = 'topic = "gap"\nsource = "this package"\n'
ROW = '[[row]]\nid = "a"\nstatement = "x > 0."\ndomain = "all x > 0"\n'
PROSE = '[[row]]\nid = "words"\nstatement = "It is so."\ndomain = "prose"\nreading = "It is not."\n'


def claim() -> Claim:
    (x,) = variables("x")
    return implies(x > 0, then=x >= 0)


def read(text, claims=("a",), **numbers):
    return read_rows("rows/it.toml", SHARED + text, dict.fromkeys(claims, claim), numbers)


def test_a_row_has_what_its_file_says_on_top_and_what_it_says_itself():
    own = 'notes = [7, 8]\nas_printed = "true"\ntheorems = ["laws.markov"]\n'
    row, words = read(f'{ROW}{own}{PROSE}source = "mine"\n')
    assert (row.id, row.topic, row.source, row.domain, row.notes) == (
        "a",
        "gap",
        "this package",
        "all x > 0",
        ("7", "8"),
    )
    assert (row.as_printed, row.expected, row.theorems) == ("true", Verdict.PROVED, ("laws.markov",))
    assert (row.reading, row.steps) == ("", "")
    assert row.claim is claim
    assert (words.source, words.claim, words.expected, words.reading) == ("mine", None, None, "It is not.")


def test_the_verdict_that_is_expected():
    for said, verdict in (
        ("", Verdict.PROVED),
        ('as_printed = "corrected"', Verdict.PROVED),
        ('as_printed = "false"', Verdict.REFUTED),
        ('as_printed = "corrected"\nexpected = "REFUTED"', Verdict.REFUTED),
    ):
        assert read(ROW + said)[0].expected is verdict


def test_a_name_in_braces_is_filled_and_mathematics_is_left():
    words = '[words]\nnear = "close to ${limit}"\n'
    text = ROW.replace("x > 0.", "x in {0, ${limit}}, {limit} and ${near}; $$1; k = ${ks}; (n, p) = ${pairs}.")
    pairs = ((2, Fraction(1, 2)), (3, Fraction(1, 3)))
    (row,) = read(words + text, limit=Fraction(8, 5), ks=(1, 2, 3), pairs=pairs)
    wanted = "x in {0, 8/5}, {limit} and close to 8/5; $1; k = 1, 2, 3; (n, p) = (2, 1/2), (3, 1/3)."
    assert row.statement == wanted


@together(
    ("text", "claims", "message"),
    [
        (ROW + "reason = 1\n", "a", r"rows/it\.toml, row a: no row has the key 'reason'\. The keys are id, topic, "),
        ('[word]\nx = ""\n' + ROW, "a", r"row a: no row has the key 'word'\."),
        (ROW.replace('domain = "all x > 0"', ""), "a", r"rows/it\.toml, row a: the key 'domain' is missing\. Add it"),
        (ROW.replace('id = "a"', ""), "a", r"rows/it\.toml, row number 1: the key 'id' is missing\. Add it"),
        (ROW, "ab", r"rows/it\.toml, row b: a function decides it, and the file does not state it\. Add it\."),
        (ROW + PROSE, "", r"rows/it\.toml, row a: no function decides it\. Mark one with @decides, or set domain="),
        (PROSE, ("words",), r"rows/it\.toml, row words: domain='prose', and a function decides it\. Name the domain"),
        (ROW + "notes = 7\n", "a", r"row a: notes=7 is not a list of int\. Write a list of int\."),
        (ROW + 'theorems = ["a", 2]\n', "a", r"row a: theorems=\['a', 2\] is not a list of str\."),
        (ROW + "reading = 2\n", "a", r"row a: reading=2 is not a text\. Write a text\."),
        (ROW + 'as_printed = "no"\n', "a", r"row a: as_printed='no' is not one of true, corrected, false\. Write one"),
        (ROW + 'expected = "proved"\n', "a", r"row a: expected='proved' is not one of PROVED, REFUTED, UNDECIDED\."),
        (
            ROW.replace("x > 0.", "${y} > 0."),
            "a",
            r"row a: \$\{y\} is neither in \[words\] nor in NUMBERS\. Known: z\.",
        ),
        (ROW.replace("x > 0.", "$ > 0."), "a", r"row a: Invalid placeholder .* write \$\$ for the sign\."),
        (
            PROSE.replace("reading", "steps"),
            "",
            r"words: prose has a reading, and no expected, prop, steps, theorems or claim_id\.",
        ),
        (
            PROSE + 'expected = "PROVED"\n',
            "",
            r"words: prose has a reading, and no expected, prop, steps, theorems or claim_id\.",
        ),
        ('[words]\nz = "2"\n' + ROW, "a", r"rows/it\.toml, \[words\] z: it is in NUMBERS, or it is not a text\."),
        ("[words]\nw = 2\n" + ROW, "a", r"rows/it\.toml, \[words\] w: it is in NUMBERS, or it is not a text\."),
        ("[[row\n", "", r"rows/it\.toml is no TOML: .* \(at line 3, .*\)\. Mend the line\."),
        ('[words]\nw = "${v}"\n' + ROW, "a", r"rows/it\.toml, \[words\] w: \$\{v\} is neither in"),
    ],
)
def test_what_is_refused_and_why(text, claims, message):
    with pytest.raises(InvalidValueError, match=message):
        read(text, claims, z=1)


def test_no_two_rows_have_one_id():
    rows = read(ROW)
    for files in ({"it": rows * 2}, {"other": rows, "it": rows}):
        with pytest.raises(InvalidValueError, match=r"^proofs/rows/it\.toml, row a: another row has this id\. Rename"):
            rows_by_id(files)


def test_a_function_that_yields_claims_makes_their_conjunction():
    @decides("c")
    def several():
        yield claim()
        yield Claim.negation(claim())

    assert several() == Claim.conjunction(claim(), Claim.negation(claim()))


def test_one_function_decides_a_row():
    mine = decides("a", "b")
    assert mine(claim)() == claim()
    with pytest.raises(InvalidValueError, match=r"test_row_files: two functions decide row 'a'\. One must\."):
        mine(claim)


def test_every_file_of_rows_is_read_and_every_phrase_is_used():
    assert sorted(path.stem for path in FOLDER.glob("rows/*")) == sorted(proofs._TOPICS)
    for name in proofs._TOPICS:
        assert rows_of(name)
        text = (FOLDER / "rows" / f"{name}.toml").read_text("utf-8")
        module = (FOLDER / f"{name}.py").read_text("utf-8")
        block = re.search(r"^NUMBERS: Final = (\{.*?\})$", module, re.MULTILINE | re.DOTALL)
        phrases = re.findall(r'"(\w+)": ', block[1]) if block else []
        if "[words]" in text:
            phrases += re.findall(r"^(\w+) = ", text.split("[words]")[1].split("[[row]]")[0], re.MULTILINE)
        assert [phrase for phrase in phrases if f"${{{phrase}}}" not in text] == []

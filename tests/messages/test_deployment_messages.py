"""Every refusal of a deployment's file, word for word: one line with the line number, the key, reason and repair."""

import os
import re
from pathlib import Path

import pytest

from exactdp import deployment
from exactdp.errors import InvalidFileError
from tests.together import together

VALID = """\
name = "Weeks"
delta = "1e-7"
unit = "person"

[budget]
eps = "1"

[[class]]
name = "v1"
n = 200_000

[[class]]
name = "v2"
n = 100_000

[participation]
model = "counted"
probability = "9/10"

[[question]]
name = "search engine"
randomizer = "rappor:inputs=20,eps0=2"

[[question]]
name = "start page"
randomizer = { v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }

[[release]]
questions = ["search engine", "start page"]
as = "separate"
times = 52
"""

WRONG = [
    ('name = "Weeks"\n', "", 'line 1, name is missing. Repair: write name = "...".'),
    ('name = "Weeks"', "name = 7", 'line 1, name is 7, no text. Repair: write name = "...".'),
    ('name = "Weeks"', 'nmae = "Weeks"', "line 1, nmae is no key here. Repair: did you mean name."),
    ('delta = "1e-7"', "delta = 1e-7", 'line 2, delta is the float 1e-7. Repair: write it as text: delta = "1e-7".'),
    ('delta = "1e-7"', 'delta = "1"', 'line 2, delta: delta=1 is not between 0 and 1. Give delta = "1e-7".'),
    (
        'delta = "1e-7"',
        'delta = "one"',
        (
            "line 2, delta: delta='one' is not a number. Write ASCII digits as 3, 100_000, 1/4, 0.25 or "
            "25e-2, without spaces."
        ),
    ),
    ('delta = "1e-7"\n', "", 'line 1, delta is missing. Repair: write delta = "1e-7", of the whole.'),
    ('unit = "person"', 'unit = "user"', 'line 3, unit is \'user\'. Repair: write "person" or "round".'),
    ('unit = "person"\n', "", 'line 1, unit is missing. Repair: write unit = "person" or unit = "round".'),
    (
        'unit = "person"',
        'unit = "person"\nn = 300_000',
        "line 4, n is no key here. Repair: write it in a [[class]], which also has a name.",
    ),
    (
        'unit = "person"',
        'unit = "person"\nunit = "round"',
        "not valid TOML: Cannot overwrite a value (at line 4, column 15). Mend that line.",
    ),
    (
        'unit = "person"',
        'unit = "person"\nhonest = "3/2"',
        "line 4, honest: the share=3/2 is outside [0, 1]. Pass a probability.",
    ),
    ('eps = "1"', 'eps = "0"', 'line 6, [budget], eps: eps=0 is not above 0. Give eps = "1".'),
    ('eps = "1"', 'epsilon = "1"', "line 6, [budget], epsilon is no key here. Repair: did you mean eps."),
    ('[budget]\neps = "1"', "[budget]", 'line 5, [budget], eps is missing. Repair: write eps = "1".'),
    (
        '[budget]\neps = "1"\n',
        'budget = "1"\n',
        "line 5, budget is '1', no table. Repair: write [budget] on a line, and below it its keys.",
    ),
    (
        '[[class]]\nname = "v1"\nn = 200_000',
        '[class]\nname = "v1"\nn = 200_000',
        "not valid TOML: Cannot overwrite a value (at line 12, column 8). Mend that line.",
    ),
    (
        'name = "v2"',
        'name = "v1"',
        "line 13, [[class]] 2, name repeats 'v1'. Repair: give each class a name of its own.",
    ),
    ("n = 100_000\n", "", "line 12, [[class]] 2, n is missing. Repair: write n = 200_000, the number of people."),
    ("n = 100_000", "n = 0", "line 14, [[class]] 2, n: n=0 is below 1. Pass n of at least 1."),
    ("n = 100_000", "n = 1e5", 'line 14, [[class]] 2, n is the float 1e5. Repair: write it as text: n = "1e5".'),
    (
        "n = 100_000",
        "n = true",
        'line 14, [[class]] 2, n is True, no number. Repair: write an integer or a text as "1/2".',
    ),
    (
        "n = 100_000",
        'n = 10\nhonest = "1/20"',
        "line 14, [[class]] 2, n: honest=1/20 of n=10 is nobody to count on. Give more people, or a larger share.",
    ),
    (
        "n = 100_000",
        'n = 100_000\nhonnest = "19/20"',
        "line 15, [[class]] 2, honnest is no key here. Repair: did you mean honest.",
    ),
    (
        '[participation]\nmodel = "counted"\nprobability = "9/10"\n',
        "",
        (
            'line 1, participation is missing. Repair: write [participation] and model = "always" or '
            '"counted" or "listed" or "hidden".'
        ),
    ),
    (
        'model = "counted"',
        'model = "count"',
        "line 17, [participation], model is 'count'. Repair: did you mean counted.",
    ),
    (
        'model = "counted"\n',
        "",
        (
            'line 16, [participation], model is missing. Repair: write model = "always" or "counted" or '
            '"listed" or "hidden".'
        ),
    ),
    (
        'probability = "9/10"\n',
        "",
        (
            "line 16, [participation], probability is missing beside model = counted. Repair: write "
            'probability = "9/10", that somebody takes part in a round.'
        ),
    ),
    (
        'probability = "9/10"',
        'probability = "0"',
        (
            "line 18, [participation], probability: probability=0 leaves nobody who takes part. Give a "
            "probability above 0."
        ),
    ),
    (
        'probability = "9/10"',
        "probability = 0.9",
        'line 18, [participation], probability is the float 0.9. Repair: write it as text: probability = "0.9".',
    ),
    (
        'model = "counted"',
        'model = "always"',
        (
            "line 18, [participation], probability: probability=9/10 beside model=always, where everybody "
            "takes part. Leave it out, or choose counted, listed or hidden."
        ),
    ),
    (
        'model = "counted"',
        'model = "hidden"',
        (
            "line 20, [[question]] 1, dummy is missing, and who is away is hidden. Repair: write dummy = "
            '"uniform" in [participation], or in each question.'
        ),
    ),
    (
        'probability = "9/10"',
        'probability = "9/10"\ndummy = "uniform"',
        (
            "line 19, [participation], dummy is given beside model = counted, where nobody sends one. "
            "Repair: leave it out."
        ),
    ),
    (
        'model = "counted"\nprobability = "9/10"',
        'model = "hidden"\nprobability = "9/10"\ndummy = "unifrom"',
        (
            "line 19, [participation], dummy: dummy='unifrom' is unknown. Did you mean uniform? Pass "
            'dummy="uniform", dummy=("input", x), or of a table dummy={message: probability}.'
        ),
    ),
    (
        'model = "counted"\nprobability = "9/10"',
        'model = "hidden"\nprobability = "9/10"\ndummy = "input:21"',
        "line 19, [participation], dummy: dummy names 21, which is no input. Pass one of the inputs.",
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomiser = "rappor:inputs=20,eps0=2"',
        "line 22, [[question]] 1, randomiser is no key here. Repair: did you mean randomizer.",
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rapor:inputs=20,eps0=2"',
        "line 22, [[question]] 1, randomizer: 'rapor' is no file and no name. Did you mean @rappor?",
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rappor:inputs=20"',
        (
            "line 22, [[question]] 1, randomizer: @unary-encoding needs exp-eps0. Write "
            "@unary-encoding:inputs=K,exp-eps0=E,[optimized=true], for example "
            "@unary-encoding:inputs=10,exp-eps0=3."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rappor:inputs=20,eps0=-2"',
        "line 22, [[question]] 1, randomizer: eps0=-2 is not from 0 to 1000. Write eps0=1.",
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "discrete-laplace:exp-eps=2"',
        (
            "line 22, [[question]] 1, randomizer: @discrete-laplace:exp-eps=2 is no randomizer of one user. "
            "Write one, as randomized-response:inputs=4,eps0=1, or a file."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "absent.toml"',
        (
            "line 22, [[question]] 1, randomizer: absent.toml cannot be read: No such file or directory. "
            "Name a readable file."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        "randomizer = 20",
        (
            "line 22, [[question]] 1, randomizer is 20, no text and no table. Repair: write randomizer = "
            '"rappor:inputs=20,eps0=2", or a table with one for each class.'
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rappor:inputs=20,eps0=2"\ninputs = 12',
        (
            "line 23, [[question]] 1, inputs is 12, and rappor:inputs=20,eps0=2 has 20 inputs. Repair: let "
            "the randomizer and its question have the same inputs."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rappor:inputs=20,eps0=2"\ndummy = "uniform"',
        "line 23, [[question]] 1, dummy is given beside model = counted, where nobody sends one. Repair: leave it out.",
    ),
    (
        'v2 = "krr:inputs=20,eps0=3/2"',
        'v2 = "krr:inputs=12,eps0=3/2"',
        (
            "line 26, [[question]] 2, randomizer: the question 'start page' has 20 inputs by "
            "'rappor:inputs=20,eps0=2' and 12 inputs by 'krr:inputs=12,eps0=3/2'. Let all classes answer "
            "the same question."
        ),
    ),
    (
        ', v2 = "krr:inputs=20,eps0=3/2"',
        "",
        'line 26, [[question]] 2, randomizer has none for the class v2. Repair: add v2 = "rappor:inputs=20,eps0=2".',
    ),
    (
        'v2 = "krr',
        'v3 = "krr',
        "line 26, [[question]] 2, randomizer.v3 names 'v3', which is no class. Repair: the classes are v1, v2.",
    ),
    (
        'name = "start page"',
        'name = "search engine"',
        "line 25, [[question]] 2, name repeats 'search engine'. Repair: give each question a name of its own.",
    ),
    (
        'questions = ["search engine", "start page"]',
        'questions = ["search engin", "start page"]',
        (
            "line 29, [[release]] 1, questions names 'search engin', which is no question. Repair: did you "
            "mean search engine."
        ),
    ),
    (
        'questions = ["search engine", "start page"]',
        'questions = ["search engine", "search engine"]',
        "line 29, [[release]] 1, questions: the question 'search engine' is there twice in one release. Keep one.",
    ),
    (
        'questions = ["search engine", "start page"]',
        'questions = ["search engine"]',
        "line 25, [[question]] 2, name is asked in no release. Repair: name it in one, or leave it out.",
    ),
    (
        'questions = ["search engine", "start page"]',
        'questions = "search engine"',
        (
            "line 29, [[release]] 1, questions is 'search engine', no list of names. Repair: write "
            'questions = ["search engine"], the names of what is asked in a round.'
        ),
    ),
    ('as = "separate"', 'as = "seperate"', "line 30, [[release]] 1, as is 'seperate'. Repair: did you mean separate."),
    (
        'as = "separate"\n',
        "",
        'line 28, [[release]] 1, as is missing. Repair: write as = "separate" or "together" or "sums".',
    ),
    ("times = 52", "times = 0", "line 31, [[release]] 1, times: times=0 is below 1. Pass times of at least 1."),
    (
        "times = 52",
        'times = "fifty"',
        (
            "line 31, [[release]] 1, times: times='fifty' is not a number. Write ASCII digits as 3, "
            "100_000, 1/4, 0.25 or 25e-2, without spaces."
        ),
    ),
    (
        "times = 52",
        "times = 52\nrounds = 52",
        "line 32, [[release]] 1, rounds is no key here. Repair: the keys are questions, as, times, eps.",
    ),
    ('unit = "person"', 'unit = "person"\nsource = 7', 'line 4, source is 7, no text. Repair: write source = "...".'),
    (
        'unit = "person"',
        'unit = "person"\nneighbors = "replace-by-zeroes"',
        "line 4, neighbors is 'replace-by-zeroes'. Repair: did you mean replace-by-zeros.",
    ),
    (
        'unit = "person"',
        'unit = "person"\nneighbors = "replace-by-zeros"',
        (
            'line 4, neighbors: neighbors=replace-by-zeros is of sums of all people. Write as = "sums" and model = '
            '"always", or leave neighbors out.'
        ),
    ),
    (
        VALID,
        VALID.replace('unit = "person"', 'unit = "person"\nneighbors = "replace-by-zeros"')
        .replace('model = "counted"\nprobability = "9/10"', 'model = "always"')
        .replace('as = "separate"', 'as = "sums"')
        .replace('{ v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }', '"krr:inputs=20,eps0=3/2"'),
        (
            "line 4, neighbors: neighbors=replace-by-zeros is of sums of vectors, and the sums of "
            "krr:inputs=20,eps0=3/2 of the question 'start page' are a histogram, where no input is zeros. Ask it by "
            "rappor:inputs=...,eps0=..., or leave neighbors out."
        ),
    ),
    (
        'as = "separate"',
        'as = "sums"',
        (
            "line 30, [[release]] 1, as: the question 'start page' is released as \"sums\", and its classes run "
            "different randomizers, whose sums nothing is known of. Let all classes run the same, or release it as = "
            '"separate".'
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'protocol = "sample-and-treshold:rate=1/8,threshold=20"',
        (
            "line 22, [[question]] 1, protocol: '@sample-and-treshold' names nothing. Did you mean "
            "@sample-and-threshold? `exactdp protocols` lists all names; a file has no @."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'protocol = "discrete-laplace:exp-eps=2"',
        (
            "line 22, [[question]] 1, protocol: protocol=discrete-laplace:exp-eps=2 is a noise law, no protocol of "
            "people. Give one, as sample-and-threshold:rate=1/8,threshold=20."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'protocol = "krr:inputs=4,eps0=1"',
        (
            "line 22, [[question]] 1, protocol: protocol=krr:inputs=4,eps0=1 is a shuffled randomizer. Give it as "
            "randomizer."
        ),
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'randomizer = "rappor:inputs=20,eps0=2"\nprotocol = "sample-and-threshold:rate=1/8,threshold=20"',
        "line 23, [[question]] 1, protocol is given beside randomizer. Repair: keep one of them.",
    ),
    (
        'randomizer = "rappor:inputs=20,eps0=2"',
        'protocol = "sample-and-threshold:rate=1/8,threshold=20"',
        ('line 22, [[question]] 1, protocol: a protocol has its own view of who takes part. Write model = "always".'),
    ),
    (
        "times = 52",
        'times = 52\neps = "-1"',
        'line 32, [[release]] 1, eps: eps=-1 is not above 0. Give eps = "1".',
    ),
    ("[[release]]", "[[releases]]", "line 28, releases is no key here. Repair: did you mean release."),
    ('as = "separate"', "as = separate", "not valid TOML: Invalid value (at line 30, column 6). Mend that line."),
]
"""What is written in the place of what, and what is said of it."""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("wrong.toml")


@together("right, wrong, said", WRONG)
def test_refusals(file: Path, right: str, wrong: str, said: str) -> None:
    assert VALID.count(right) >= 1
    file.write_text(VALID.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(InvalidFileError) as refused:
        deployment.read(file)
    message = str(refused.value).replace(f"{file.resolve().parent}{os.sep}", "")
    assert message == f"wrong.toml: {said}"
    assert "\n" not in message
    assert re.search(r"\bline [1-9]", message)


def test_valid(file: Path) -> None:
    file.write_text(VALID, encoding="utf-8")
    assert len(deployment.read(file).questions) == 2
    assert len(WRONG) >= 40


def test_the_line_is_that_of_the_key_wherever_it_stands(file: Path) -> None:
    """Behind lists of several lines, texts of several lines, keys in quotes, and tables in brackets of their own."""
    listed = VALID.replace('["search engine", "start page"]', '[\n  "search engine",\n  "start page", # ]\n]')
    quoted = listed.replace("times = 52", '"times" = 0').replace("unit", "# unit = [\nunit")
    file.write_text(quoted, encoding="utf-8")
    number = quoted.split("\n").index('"times" = 0') + 1
    with pytest.raises(InvalidFileError, match=f"line {number}, .*times"):
        deployment.read(file)
    table = VALID.replace(
        'randomizer = { v1 = "rappor:inputs=20,eps0=2", v2 = "krr:inputs=20,eps0=3/2" }',
        '[question.randomizer]\nv1 = "rappor:inputs=20,eps0=2"\nv2 = 7',
    )
    file.write_text(table, encoding="utf-8")
    number = table.split("\n").index("v2 = 7") + 1
    with pytest.raises(InvalidFileError, match=f"line {number}, .*randomizer.v2"):
        deployment.read(file)

"""What a notebook shows: sound HTML and LaTeX for every value, whatever its labels and however large its numbers."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from time import process_time

import pytest

import exactdp as xdp
from exactdp.numbers.dyadic import Dyadic
from exactdp.numbers.formats import decimal_text
from exactdp.numbers.notebook import MAX_ROWS, label_latex, label_text, text_latex
from exactdp.privacy.engine import Engine
from tests.together import together

TAGS = {"caption", "div", "p", "sup", "table", "tbody", "td", "th", "thead", "tr"}


class Page(HTMLParser):
    """Reads HTML, and refuses tags that are open, unknown or ill-nested, heads without a scope, other attributes."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.captions: list[str] = []
        self.words = ""
        self.feed(source)
        self.close()
        assert not self.open, f"still open: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, f"the tag {tag}"
        allowed = [[("scope", "row")], [("scope", "col")]] if tag == "th" else [[]]
        assert attrs in allowed, f"the attributes of {tag}: {attrs}"
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another tag"

    def handle_data(self, data: str) -> None:
        self.words += data
        if self.open[-1:] == ["caption"]:
            self.captions.append(data)
        elif self.rows and {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data

    @property
    def facts(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self.rows if len(row) == 2}


def check_latex(source: str) -> str:
    """Return the formula between its two dollars; its braces, \\left and \\right, and environments must be balanced."""
    assert re.fullmatch(r"\$[^$].*\$", source, re.DOTALL), "no formula between two dollars"
    formula = source[1:-1]
    bare = re.sub(r"\\\\|\\[{}$&#_%]", "", formula)
    assert "$" not in bare, "a dollar inside"
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0, "a brace closes nothing"
    assert depth == 0, "a brace is open"
    assert len(re.findall(r"\\left\b", formula)) == len(re.findall(r"\\right\b", formula)), "\\left and \\right"
    assert re.findall(r"\\begin\{(\w+)\}", formula) == re.findall(r"\\end\{(\w+)\}", formula), "environments"
    return formula


FLIP = xdp.randomized_response(2, gamma="1/2")
HOSTILE = "<script>alert('x')</script>&\"$}{\\_^~%#\n\u202e\ud800"
LONG = Fraction(3**6000, 7**4000)
SMALL_CLAIM = xdp.Claim.shuffle_dp(xdp.ShuffleProtocol(FLIP, 4), exp_eps=2, delta="1/8")

VALUES = {
    "law": xdp.Law(dict.fromkeys(range(1, 7), "1/6")),
    "law of one outcome": xdp.Law({(): 1}),
    "law of count vectors": xdp.ShuffleProtocol(FLIP, 30).law({0: 30}),
    "law with hostile labels": xdp.Law({HOSTILE: "1/2", (HOSTILE, 0): "1/4", None: "1/4"}),
    "law of a long probability": xdp.Law({0: LONG, 1: 1 - LONG}),
    "law of long outcomes": xdp.Law({10**5000: "1/2", (-(10**400000), 1): "1/2"}),
    "law of long tuples": xdp.Law({tuple(range(100)): 1}),
    "interval": xdp.Interval.around(Fraction(1, 3), relative_bits=53),
    "point": xdp.Interval.around(0, relative_bits=53),
    "interval of negative numbers": xdp.Interval.around(Fraction(-1, 3 * 10**30), relative_bits=53),
    "interval around 1e-100000000": xdp.Interval(Dyadic.of(1, -332192810), Dyadic.of(3, -332192810)),
    "interval around 1e+100000000": xdp.Interval(Dyadic.of(1, 332192810), Dyadic.of(3, 332192810)),
    "eps": xdp.LogRational("3/2"),
    "eps of a long fraction": xdp.LogRational(1 / LONG),
    "eps 0": xdp.LogRational(1),
    "infinite eps": xdp.LogRational(None),
    "profile": xdp.ShuffleProtocol(FLIP, 10).privacy_profile(),
    "profile with infinite eps": xdp.protocols.zsum(5, gamma="1/4").privacy_profile(),
    "profile of an unchecked size": xdp.ShuffleProtocol(FLIP, 10**6).privacy_profile(),
    "profile of one pair": xdp.ShuffleProtocol(FLIP, 10).pair_profile({0: 10}, {0: 9, 1: 1}),
    "profile of one user less": xdp.ShuffleProtocol(FLIP, 9).privacy_profile(neighbors=xdp.Neighbors.ADD_OR_REMOVE_ONE),
    "profile of silence": xdp.ShuffleProtocol(xdp.Randomizer({HOSTILE: {(): 1}}), 3).privacy_profile(),
    "profile of noise": xdp.shift_profile(xdp.Binomial(10**9, "1/1000"), shift=2),
    "profile of finite noise": xdp.shift_profile(xdp.Law({0: "1/2", 1: "1/2"})),
    "certificate": xdp.certify(SMALL_CLAIM),
    "certificate of a refutation": xdp.certify(xdp.Claim.shift_dp(xdp.Binomial(2, "1/2"), exp_eps=2, delta=0)),
    "certificate without a proof": xdp.Certificate(SMALL_CLAIM, xdp.Verdict.UNDECIDED, "none", HOSTILE),
}
NOISE = [xdp.Binomial(10**9, "1/1000"), xdp.DiscreteGaussian("1/1000000"), xdp.Poisson(xdp.Real.exp("1/7"))]


@together("name", VALUES)
def test_every_value_is_sound_html_and_latex_and_quick(name: str) -> None:
    value, began = VALUES[name], process_time()
    page, formula = Page(value._repr_html_()), check_latex(value._repr_latex_())
    assert process_time() - began < 2
    assert page.words.strip()
    assert formula.strip()
    assert len(page.words) < 4000
    assert len(formula) < 4000


@pytest.mark.parametrize("law", NOISE, ids=repr)
def test_noise_is_sound_html(law: xdp.Binomial) -> None:
    page = Page(law._repr_html_())
    assert page.captions == [repr(law)]
    assert page.facts["mode"] == str(law.mode)


# --- What they say --------------------------------------------------------------------------------------------------


def test_a_law_lists_its_outcomes() -> None:
    page = Page(VALUES["law"]._repr_html_())
    assert page.captions == ["A law with 6 outcomes"]
    assert page.rows[0] == ["outcome", "probability", "decimal, rounded up"]
    assert page.rows[1:] == [[str(face), "1/6", "0.1666667"] for face in range(1, 7)]
    assert r"6 & \frac{1}{6} \end{array}" in check_latex(VALUES["law"]._repr_latex_())
    law = VALUES["law of count vectors"]
    page = Page(law._repr_html_())
    assert page.captions == [f"A law with 31 outcomes, the first {MAX_ROWS} of them listed"]
    assert len(page.rows) == 1 + MAX_ROWS
    assert page.rows[1] == ["(0, 30)", f"1/{4**30}", "8.673618 × 10-19"]
    assert r"\vdots & \text{31 outcomes}" in law._repr_latex_()


def test_labels_are_escaped() -> None:
    source = VALUES["law with hostile labels"]._repr_html_()
    assert "<script" not in source
    assert "&lt;script&gt;" in source
    assert "\ud800" not in source
    assert "\u202e" not in source
    assert label_text(HOSTILE) in Page(source).words
    latex = VALUES["law with hostile labels"]._repr_latex_()
    assert "<" not in latex
    assert r"\textless{}script\textgreater{}" in latex
    certificate = replace(VALUES["certificate"], reason=HOSTILE)
    assert "<script" not in certificate._repr_html_()
    assert "\ud800" not in certificate._repr_html_()


def test_a_hostile_claim_is_shown_and_not_believed(tmp_path) -> None:
    """A file may say anything: nothing of it is run, and nothing is computed from it."""
    fields = {
        "<script>": "1",
        "kind": "<u>$}",
        "n": "9" * 5000,
        "delta": "1/0x<",
        "eps": ["<b>"],
        "law": {"<i>": "<u>"},
    }
    document = json.loads(VALUES["certificate"].to_json())
    for claim in (fields, {}, {str(i): str(i) for i in range(1000)}):
        path = tmp_path / "claim.json"
        path.write_text(json.dumps({**document, "claim": claim}), encoding="utf-8")
        read = xdp.Certificate.load(path)
        assert Page(read._repr_html_()).facts["found"] == "read from a file"
        for certificate in (read, replace(read, claim=xdp.Claim.from_data({**claim, "\ud800": HOSTILE}))):
            page = Page(certificate._repr_html_())
            assert len(page.rows) <= MAX_ROWS + 6
            assert "\ud800" not in page.words
            check_latex(certificate._repr_latex_())
    assert page.facts["claim: further fields"] == str(1001 - MAX_ROWS)


def test_long_numbers_are_shortened() -> None:
    page = Page(VALUES["law of a long probability"]._repr_html_())
    assert page.rows[1][1] == f"{str(LONG.numerator)[:12]}...(2863 digits)/{str(LONG.denominator)[:12]}...(3381 digits)"
    assert page.rows[1][2] == "2.164554 × 10-518"
    assert r"2.164554 \times 10^{-518}\ \text{(2863/3381 digits)}" in VALUES["law of a long probability"]._repr_latex_()
    assert "(3381/2863 digits)" in VALUES["eps of a long fraction"]._repr_html_()
    page = Page(VALUES["law of long outcomes"]._repr_html_())
    assert [row[0] for row in page.rows[1:]] == ["100000000000...(5001 digits)", "((about 400000 digits), 1)"]
    assert repr(VALUES["law of long outcomes"]).startswith("Law({100000000000...(5001 digits): 1/2")


def test_an_interval_has_powers_of_ten() -> None:
    interval = VALUES["interval around 1e-100000000"]
    low, high = interval.decimals(10)
    assert (low[-11:], high[-11:]) == ("e-100000001", "e-100000000")
    low, high = low[:-11], high[:-11]
    assert interval._repr_html_() == f"[{low} × 10<sup>-100000001</sup>, {high} × 10<sup>-100000000</sup>]"
    assert interval._repr_latex_() == (
        rf"$\left[{low} \times 10^{{-100000001}},\, {high} \times 10^{{-100000000}}\right]$"
    )
    assert "10^{100000000}" in VALUES["interval around 1e+100000000"]._repr_latex_()
    assert VALUES["point"]._repr_html_() == "[0, 0]"


def test_eps_is_exact_and_enclosed() -> None:
    assert VALUES["eps"]._repr_html_() == "ln(3/2) ∈ [0.4054651081, 0.4054651082]"
    assert (
        VALUES["eps"]._repr_latex_() == r"$\ln\left(\frac{3}{2}\right) \in \left[0.4054651081,\, 0.4054651082\right]$"
    )
    assert (VALUES["eps 0"]._repr_html_(), VALUES["eps 0"]._repr_latex_()) == ("0", "$0$")
    assert (VALUES["infinite eps"]._repr_html_(), VALUES["infinite eps"]._repr_latex_()) == ("∞", r"$\infty$")


def test_a_profile_says_whose_it_is() -> None:
    page = Page(VALUES["profile"]._repr_html_())
    assert page.facts["of"] == "a shuffled randomizer (inputs: 2, messages: 2), n = 10 users who follow it"
    assert page.facts["over"] == "all replace-one pairs of data sets, both orders"
    assert ["2", "19683/1048576", "0.01877118"] in page.rows
    assert "Least eps with delta = 0: ln(3)" in page.words
    assert "Least eps with delta = 0: ∞" in Page(VALUES["profile of finite noise"]._repr_html_()).words
    assert "one pair of data sets" in Page(VALUES["profile of one pair"]._repr_html_()).facts["over"]
    assert "add-or-remove-one" in Page(VALUES["profile of one user less"]._repr_html_()).facts["over"]
    page = Page(VALUES["profile of noise"]._repr_html_())
    assert page.facts["of"] == "a count plus Binomial(1000000000, '1/1000')"
    assert "sensitivity 2" in page.facts["over"]
    assert page.facts["engine"].endswith("enclosed to the accuracy asked for")
    assert r"e^{\varepsilon}" in VALUES["profile"]._repr_latex_()


def test_a_profile_searches_only_where_it_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a search was started")

    monkeypatch.setattr(Engine, "worst", refuse)
    monkeypatch.setattr(Engine, "delta", refuse)
    assert len(Page(VALUES["profile of an unchecked size"]._repr_html_()).captions) == 1
    with pytest.raises(AssertionError, match="a search was started"):
        xdp.ShuffleProtocol(FLIP, 7).privacy_profile()._repr_html_()


def test_a_certificate_says_what_it_rests_on() -> None:
    page = Page(VALUES["certificate"]._repr_html_())
    assert page.facts["verdict"] == "PROVED"
    assert page.facts["rests on"].startswith("certificate: exactdp.verify re-checks it")
    assert page.facts["claim: kind"] == "shuffle_dp"
    assert page.facts["claim: exp_eps"] == "2"
    assert page.facts["claim id"] == SMALL_CLAIM.digest()
    assert VALUES["certificate"]._repr_latex_() == (
        r"$\text{PROVED (certificate): shuffle\_dp},\ n = 4,\ e^{\varepsilon} = 2,\ \delta = \frac{1}{8}$"
    )
    page = Page(VALUES["certificate without a proof"]._repr_html_())
    assert (page.facts["verdict"], page.facts["rests on"]) == ("UNDECIDED", "none: neither side was proved")
    assert "REFUTED" in VALUES["certificate of a refutation"]._repr_latex_()


# --- Decimals and labels --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("digits", [1, 7, 20])
def test_decimals_are_rounded_up(digits: int) -> None:
    values = [Fraction(1, 3), Fraction(2, 3), Fraction(-1, 3), Fraction(10**30, 7), Fraction(1), LONG, -1 / LONG]
    tiny = Fraction(1, 3**20000)
    for value in [*values, tiny, Fraction(1, 4) + tiny, Fraction(1, 4) - tiny, Fraction(0)]:
        shown = Fraction(decimal_text(value, digits, up=True))
        assert value <= shown <= value + abs(value) * Fraction(2, 10 ** (digits - 1))
    assert decimal_text(Fraction(1, 10), up=True) == "0.1"


def test_words_in_latex() -> None:
    assert text_latex("a_b {1} \\ 50%") == r"\text{a\_b \{1\} \textbackslash{} 50\%}"
    assert label_latex(True) == r"\text{True}"
    assert label_latex(10**30) == r"\text{100000000000...(31 digits)}"
    check_latex(f"${text_latex(HOSTILE)}$")


@pytest.mark.parametrize("name", [name for name in VALUES if name.startswith(("interval", "point", "eps", "infinite"))])
def test_formulas_of_numbers_are_set_by_another_program(name: str) -> None:
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    assert parser.parse(VALUES[name]._repr_latex_()).width > 0
    with pytest.raises(ValueError, match=r"ParseException|Expected"):
        parser.parse(r"$\left[1$")


# --- The checks of this file fail where they should -----------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><th>x</th></tr></table>",
        "<table><tr><td>x</tr></td></table>",
        "<table>",
        "</table>",
        "<script>1</script>",
        "<p onclick='x'>1</p>",
        "<td><b>x</b></td>",
    ],
)
def test_unsound_html_is_refused(source: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        Page(source)


@pytest.mark.parametrize(
    "source",
    ["x", "$$", "$x", r"$\frac{1}{2$", "$}{$", r"$\left[1, 2]$", r"$\begin{array} 1$", "$a$b$", r"$\text{a\}$"],
)
def test_unsound_latex_is_refused(source: str) -> None:
    with pytest.raises(AssertionError):
        check_latex(source)


def test_showing_a_value_loads_no_printer() -> None:
    program = (
        "import sys, exactdp as xdp; xdp.Law({0: 1})._repr_html_(); xdp.LogRational(2)._repr_latex_();"
        "sys.exit(bool({'jinja2', 'rich', 'numpy', 'matplotlib', 'sympy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0

"""What the checker read, as the page sets it: every formula is well-formed, and nothing is left out."""

import re
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

import exactdp as xdp
from exactdp import Claim, proofs
from exactdp.checker.budget import Work
from exactdp.checker.claims import read_claim
from exactdp.report.page.typesetting import MOST_CHARACTERS, set_claim
from exactdp.symbolic.box import Span

BOX = Claim.box_inequality({"eps": (0, 1)}, [({(0,): 1}, {(1,): -1}), ({(0,): -1, (1,): 1}, {})])
SUM = "eps*x1 - 2*y^3 < x1/3"


def page_of(claim: Claim) -> Markup:
    return set_claim(read_claim(claim.data, Work()).words, claim.statement)


def read(html: str) -> str:
    """The text, with powers after ^ and fractions in a line; the page must be well-formed without an HTML parser."""

    def said(node: ElementTree.Element) -> str:
        inner = [said(child) for child in node]
        if node.tag == "msup":
            return f"{inner[0]}^{inner[1]}{node.tail or ''}"
        if node.tag == "mfrac":
            return f"{inner[0]}/{inner[1]}{node.tail or ''}"
        return (node.text or "") + "".join(inner) + (node.tail or "")

    return said(ElementTree.fromstring(f"<p>{html}</p>")).replace("\u2062", "")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        (Claim.inequality("1 > 0"), "1>0"),
        (Claim.inequality("x >= -1", where="alpha >= 1"), "for all real α, x: if α−1≥0 then x+1≥0"),
        (Claim.inequality(SUM), "for all real ε, x1, y: −εx1+x1/3+2y^3>0"),
        (BOX, "for all real ε: if ε≥0 and ε≤1 then ε−1+e^−ε≥0"),
        (Claim.negation(Claim.inequality("x > 0")), "NOT (for all real x: x>0)"),
        (
            Claim.inequality("a + b + c + d + e2 - 1/2*f*g >= 2"),
            "for all real a, b, c, d, e2, f, g: a + b + c + d + e2 − fg/2 − 2 ≥ 0",
        ),
    ],
)
def test_an_inequality_is_set(claim: Claim, text: str) -> None:
    assert read(page_of(claim)) == text


def test_a_conjunction_keeps_the_words_of_its_other_parts() -> None:
    noise = Claim.shift_dp(xdp.Binomial(2, "1/2"), exp_eps=2, delta="1/4")
    step = Claim.inequality("x^2 >= 0")
    words = read(set_claim(read_claim(noise.data, Work()).words, noise.statement))
    html = page_of(Claim.conjunction(step, Claim.conjunction(noise, Claim.negation(noise))))
    assert read(html) == f"(for all real x: x^2≥0) AND ({words}) AND (NOT ({words}))"


def test_the_ends_of_a_range_are_no_brackets_of_parts() -> None:
    """What the checker says of [0, 2) has a bracket that nothing opens."""
    open_ended = [
        Claim.box_inequality({"u": span}, [({(1,): 1}, {})])
        for span in (Span(0, 2, high_is_closed=False), Span(0, 2, low_is_closed=False))
    ]
    words = [read_claim(claim.data, Work()).words for claim in open_ended]
    assert [part in text for part, text in zip((" in [0, 2): ", " in (0, 2]: "), words, strict=True)] == [True, True]
    html = page_of(Claim.conjunction(*open_ended, Claim.inequality("x^2 >= 0")))
    parts = [*open_ended, Claim.inequality("x^2 >= 0")]
    assert read(html) == " AND ".join(f"({read(page_of(part))})" for part in parts)


def test_of_a_long_claim_the_beginning_is_set_and_its_length_said() -> None:
    step = Claim.inequality("x^2 >= 0")
    words = read_claim(Claim.conjunction(*[step] * 100).data, Work()).words
    text = read(page_of(Claim.conjunction(*[step] * 100)))
    shown = text.count("for all real x: x^2≥0")
    assert shown * len("for all real x: 1*x^2 >= 0") <= MOST_CHARACTERS < len(words)
    assert text.endswith(f"(for all real x: x^2≥0) ... ({len(words)} characters; the certificate has all of it)")
    many = page_of(Claim.inequality("x >= 0", where=[f"x >= {k}" for k in range(100)]))
    assert "<math" not in many
    assert many.endswith("characters; the certificate has all of it)")


@pytest.mark.parametrize(
    "name", ["chernoff-upper", "dp-from-ratio", "hoeffding-lemma", "lemma3-ends", "gap-any-weights"]
)
def test_formulas_of_rows_are_well_formed_and_say_what_is_claimed(name: str) -> None:
    claim = proofs.row(name).claim
    assert claim is not None
    html = page_of(claim())
    assert read(html)
    assert not re.search(r"&(?!#|amp;|lt;|gt;)", html)
    assert html.count("<math") > 5

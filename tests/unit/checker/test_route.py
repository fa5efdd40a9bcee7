"""docs/checker.md and the docstrings of the checker: what a referee is told about each file is true of it."""

import ast
import importlib
import re
from pathlib import Path

from exactdp.checker import facts
from exactdp.claims.theorems_behind import THEOREMS_BEHIND, facts_of
from tests.certificates import route
from tests.certificates.bare import SOURCES
from tests.together import together

NAMED = {name: value for name, value in vars(facts).items() if name.isupper() and isinstance(value, str)}
FACTS = {*NAMED.values(), *facts.ASSUMED.values()}
FILES = [path for path in SOURCES if path.stem not in ("__init__", "facts")]


def said(source: Path) -> dict[str, tuple[str, ...]]:
    """The facts at the top of a file, each with the theorems named there."""
    return dict(facts_of(source.read_text(encoding="utf-8")))


def test_the_pages_have_the_counts() -> None:
    for path, written in ((route.PAGE, route.page), (route.README, route.readme), (route.PROVED, route.proved)):
        text = path.read_text(encoding="utf-8")
        assert text == written(text), "python -m tests.certificates.route writes it"


def test_every_source_of_the_proved_program_is_named_on_its_page() -> None:
    """A count that is wrong is written anew, and the page names what the program is linked from."""
    text = route.PROVED.read_text(encoding="utf-8")
    assert route.proved(text.replace("[main.ml](main.ml): ", "[main.ml](main.ml): 1")) == text
    assert {path.name for path in route.PROVED.parent.glob("*.ml")} <= set(re.findall(r"\[(\w+\.ml)\]\(\1\)", text))


def test_lines_of_code_are_counted() -> None:
    assert route.lines_of_code('"""A.\n\nB."""\n\n# C\nx = [\n    1,  # D\n]\n') == 3


@together("source", FILES, ids=lambda source: source.stem)
def test_each_file_names_the_facts_that_it_returns(source: Path) -> None:
    used = {node.id for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)}
    returned = {NAMED[name] for name in used & NAMED.keys()}
    returned |= set(facts.ASSUMED.values()) if "ASSUMED" in used else set()
    assert returned <= said(source).keys()


@together("source", FILES, ids=lambda source: source.stem)
def test_each_file_names_the_theorems_behind_its_facts(source: Path) -> None:
    for fact, theorems in said(source).items():
        assert fact in FACTS
        assert theorems == THEOREMS_BEHIND.get(fact, ())  # in each file that names the fact


def test_what_a_file_says_is_read() -> None:
    head = "It rests on these facts, with their theorems of the Coq kernel:\n\n"
    listed = "- a sum is one: a.sum,\n  a.one\n- a guess: no theorem of the kernel yet\n"
    assert dict(facts_of(f'"""Sums.\n\n{head}{listed}"""\n')) == {"a sum is one": ("a.sum", "a.one"), "a guess": ()}
    assert dict(facts_of('"""Sums."""\n')) == {}


def test_every_fact_is_named_by_a_file() -> None:
    assert {fact for source in FILES for fact in said(source)} == FACTS


def test_the_functions_that_the_statements_name_are_there() -> None:
    text = (route.ROOT / "proofs" / "coq" / "STATEMENTS.md").read_text(encoding="utf-8")
    named = set(re.findall(r"exactdp\.checker\.(\w+)\.(\w+)(?:\.(\w+))?", text))
    assert len(named) > 50
    for file, name, method in named:
        holder = getattr(importlib.import_module(f"exactdp.checker.{file}"), name)
        assert not method or hasattr(holder, method), f"{file}.{name}.{method}"
    assert "certificates.verify" not in text

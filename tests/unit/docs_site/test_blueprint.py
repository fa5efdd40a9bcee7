"""The blueprint of the proofs: what a proof uses, as the sources say and as Coq says."""

from __future__ import annotations

import doctest
import re

from exactdp.proofs.development import file_of, files
from tests.unit.proofs.changed_statements import build, needs_coq
from tools.docs_site import blueprint
from tools.docs_site.blueprint import among, blueprint_page, reached, statement, uses

A = "Lemma one : 1 = 1. Proof. trivial. Qed.\nTheorem two : 2 = 2. Proof. exact one. Qed.\n"


def test_the_examples_run():
    assert doctest.testmod(blueprint).failed == 0


def test_names_are_those_that_coq_finds():
    """The file's own earlier names first, then the last file required; a comment and a later name are no use."""
    later = "From Exactdp Require Import a b.\nLemma three : 3 = 3. (* two *) Proof. exact one. Qed.\n"
    texts = {"a": A, "b": "Lemma one : 1 = 1.\n", "c": later, "d": later + "Lemma one : 1 = 1. exact a.two. Qed.\n"}
    used = uses(texts)
    assert used["a.two"] == {"a.one"}
    assert used["c.three"] == used["d.three"] == {"b.one"}
    assert used["d.one"] == {"a.two"}
    assert reached(used, "d.one") == {"a.two", "a.one"}


def test_the_page_states_every_main_theorem_and_what_it_stands_on():
    main, words, graph = blueprint.blueprint()
    page = blueprint_page().text
    for name, sentence in main.items():
        assert sentence in page
        assert statement(name) in page
        assert all(f"| {words[below]} |" in page for below in reached(graph, name) & words.keys())
    assert page.count("<svg") > len(main)


def test_an_arrow_that_others_imply_is_left_out():
    assert among({"a": {"b", "c"}, "b": {"c"}, "c": set()}, {"a", "b", "c"})["a"] == {"b"}


@needs_coq
def test_what_is_read_is_what_coq_notes():
    """Coq writes into its .glob files which names it found where; between two theorems they are those of one proof."""
    _, _, graph = blueprint.blueprint()
    file = "amplification/swapped_stages.v"
    folder = build([file])
    noted, current = {}, ""
    for line in (folder / file).with_suffix(".glob").read_text("utf-8").splitlines():
        if begins := re.match(r"(?:prf|thm) \S+ <> (\S+)", line):
            current = f"swapped_stages.{begins[1]}"
            noted[current] = set()
        elif (found := re.match(r"R\S+ Exactdp\.\w+\.(\w+) <> (\S+) thm", line)) and current:
            noted[current].add(f"{found[1]}.{found[2]}")
    assert noted
    assert all(file_of(name) in files().values() for name in noted)
    assert {name: set(graph[name]) for name in noted} == {n: found - {n} for n, found in noted.items()}

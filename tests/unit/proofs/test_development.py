"""The Coq development as the code sees it: names, axioms, sources, and what stands without Coq."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import pytest

import exactdp
from exactdp.certificates.theorems_behind import THEOREMS_BEHIND
from exactdp.proofs import rebuilding, rows
from exactdp.proofs.development import Theorem, read_axioms, theorems
from exactdp.theorems import RELIANCE, relies_on

ROOT = Path(__file__).parents[3]
COQ = ROOT / "proofs" / "coq"
SOURCES = sorted(COQ.glob("**/*.v"))
DEVELOPED = [path for path in SOURCES if path.parent == COQ]
STANDARD = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
EVERYWHERE = {"sums", "reals", "laws", "privacy", "masses"}
FORBIDDEN = {"Admitted", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "admit"}
FORBIDDEN |= {"Interval", "PrimFloat", "PrimInt63", "Uint63"}


def without_comments(text):
    depth, kept = 0, []
    for part in re.split(r"(\(\*|\*\))", text):
        depth += {"(*": 1, "*)": -1}.get(part, 0)
        if depth == 0 and part != "*)":
            kept.append(part)
    return "".join(kept)


def stated(text):
    return re.findall(r"^Theorem ([\w']+)", without_comments(text), re.MULTILINE)


def required(text):
    return {name for line in re.findall(r"From Exactdp Require Import ([^.]*)\.", text) for name in line.split()}


def everything_below(name, needs):
    return needs[name].union(*(everything_below(each, needs) for each in needs[name]))


def unknown(names):
    return sorted(set(names) - set(theorems()))


def test_axioms_are_read_as_coq_prints_them():
    printed = (
        "== a.closed\nClosed under the global context\n"
        "== a.open\nAxioms:\nM.one : forall P : Prop,\n  {P} + {~ P}\nN.two\n  : nat\n"
    )
    assert read_axioms(printed) == {
        "a.closed": Theorem("a.closed", ()),
        "a.open": Theorem("a.open", ("M.one", "N.two")),
    }
    together = read_axioms("== rows.a.x\n== rows.a.y\nAxioms:\nM.one : nat\n== b.z\nClosed under the global context\n")
    assert {name: each.axioms for name, each in together.items()} == {
        "rows.a.x": ("M.one",),
        "rows.a.y": ("M.one",),
        "b.z": (),
    }


def test_only_the_standard_axioms_of_the_reals():
    assert {axiom for each in theorems().values() for axiom in each.axioms} <= STANDARD


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(COQ)))
def test_a_source_hides_nothing(path):
    words = set(re.findall(r"[A-Za-z]\w*", without_comments(path.read_text("utf-8"))))
    assert not words & FORBIDDEN


def test_the_search_for_hidden_assumptions_can_find_some():
    text = "(* Axiom in words. *) Lemma a : True. Admitted."
    assert set(re.findall(r"\w+", without_comments(text))) & FORBIDDEN == {"Admitted"}


def test_every_source_is_built():
    listed = [line for line in (COQ / "_CoqProject").read_text("utf-8").splitlines() if line.endswith(".v")]
    assert sorted(listed) == sorted(str(path.relative_to(COQ)) for path in SOURCES)


def test_the_record_has_every_theorem_and_no_other():
    sources = {path: ".".join(path.relative_to(COQ).with_suffix("").parts) for path in SOURCES}
    assert sorted(theorems()) == sorted(
        f"{name}.{each}" for path, name in sources.items() for each in stated(path.read_text())
    )


def test_every_theorem_is_explained_once():
    explained = re.findall(r"^\| `([\w.']+)` \|", (COQ / "STATEMENTS.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(name for name in theorems() if not name.startswith("rows."))


def test_the_words_name_only_rows_that_exist_and_each_row_that_a_theorem_states():
    text = (COQ / "STATEMENTS.md").read_text("utf-8")
    named = set(re.findall(r"\brows? ([a-z0-9]+(?:-[a-z0-9]+)+|lemma[23])\b", text))
    assert named <= {row.id for row in rows()}
    lines = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    silent = [row.id for row in rows() if row.theorems and not any(row.id in lines[name] for name in row.theorems)]
    assert silent == []


def test_the_picture_shows_what_the_sources_require():
    needs = {path.stem: required(path.read_text("utf-8")) for path in DEVELOPED}
    picture = (COQ / "README.md").read_text("utf-8").partition("```mermaid")[2]
    nodes = re.findall(r"^    (\w+)$", picture, re.MULTILINE)
    assert sorted(nodes) == sorted(needs)
    expected = set()
    for name, direct in needs.items():
        implied = {far for near in direct for far in everything_below(near, needs)}
        drawn = direct - implied - (set() if name in EVERYWHERE else EVERYWHERE)
        expected |= {(near, name) for near in drawn}
    assert set(re.findall(r"^  (\w+) --> (\w+)$", picture, re.MULTILINE)) == expected


def test_checks_and_rows_name_theorems_that_exist():
    for module in pkgutil.walk_packages(exactdp.__path__, "exactdp."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    assert len(RELIANCE) > 10
    assert unknown(name for names in RELIANCE.values() for name in names) == []
    assert unknown(name for names in THEOREMS_BEHIND.values() for name in names) == []
    assert unknown(name for row in rows() for name in row.theorems) == []


def test_a_name_that_does_not_exist_is_found():
    @relies_on("lemma3.lemma4")
    def check():
        return 1

    name = f"{check.__module__}.{check.__qualname__}"
    try:
        assert check() == 1
        assert unknown(RELIANCE[name]) == ["lemma3.lemma4"]
    finally:
        del RELIANCE[name]


def test_a_rebuild_says_what_differs(monkeypatch, tmp_path):
    """With another program in the place of make, which writes an empty record."""
    make = tmp_path / "make"
    make.write_text(
        "#!/bin/sh\nfor a; do case $a in BUILD=*) mkdir -p ${a#BUILD=}; : >${a#BUILD=}/AXIOMS;; esac; done\n"
    )
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert rebuilding.rebuild().startswith("AXIOMS.expected differs from what Coq prints, first at ")
    make.write_text("#!/bin/sh\necho 'Error: no.' >&2\nexit 2\n")
    assert rebuilding.rebuild() == "the development does not compile: Error: no."


def test_a_rebuild_of_one_theorem_compiles_what_it_needs_and_says_how_far_it_is(monkeypatch, tmp_path):
    """With other programs in the place of make and coqc, which say what they are asked."""
    name, seen = "gap.gap_all_n", []
    (tmp_path / "make").write_text(
        f"#!/bin/sh\necho $@ >{tmp_path}/asked\nmkdir -p ${{4#BUILD=}}\necho COQC sums.v\necho COQC gap.v\n"
    )
    (tmp_path / "coqc").write_text(f"#!/bin/sh\ncat audit_some.v >{tmp_path}/printed\ncat {tmp_path}/axioms\n")
    for program in ("make", "coqc"):
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    axioms = "\n".join(["Axioms:", *(f"{axiom} : Prop" for axiom in theorems()[name].axioms)])
    (tmp_path / "axioms").write_text(f"== {name}\n{axioms}\n")
    assert rebuilding.rebuild([name], lambda *said: seen.append(said)) == ""
    files = rebuilding.files_behind([name])
    assert seen == [(1, len(files), "sums.v"), (2, len(files), "gap.v")]
    assert (tmp_path / "asked").read_text().endswith(" all TARGETS=gap.vo\n")


def test_the_files_behind_a_theorem_are_all_that_they_require():
    files = rebuilding.files_behind(["gap.gap_all_n", "privacy_curve.x"])
    assert (
        {"gap.v", "sums.v", "coefficientwise_check.v", "adaptive_composition.v"}
        <= set(files)
        < {path.name for path in SOURCES}
    )
    for file in files:
        text = " ".join((COQ / file).read_text("utf-8").split())
        required = re.findall(r"From Exactdp Require Import (.*?)\. ", text)
        assert {f"{module}.v" for line in required for module in line.split()} <= set(files)


@pytest.mark.slow
@pytest.mark.skipif(bool(rebuilding.missing_programs()), reason="Coq is not installed (Debian: coq libcoq-coquelicot)")
def test_coq_accepts_one_theorem_by_itself():
    seen = []
    assert rebuilding.rebuild(["gap.gap_all_n"], lambda *said: seen.append(said[:2])) == ""
    assert seen == [(k + 1, len(seen)) for k in range(len(rebuilding.files_behind(["gap.gap_all_n"])))]


def test_a_machine_without_coq(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert rebuilding.missing_programs() == ("coqc", "coq_makefile", "make")

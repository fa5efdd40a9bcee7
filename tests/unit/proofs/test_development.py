"""The Coq development as the code sees it: names, axioms, sources, and what stands without Coq."""

from __future__ import annotations

import pkgutil
import re
import subprocess
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

import exactdp
from exactdp.claims.theorems_behind import THEOREMS_BEHIND
from exactdp.evidence.theorems import RELIANCE, relies_on
from exactdp.proofs import development, rows
from exactdp.proofs.development import CHECKER, Theorem, changed_source, file_of, read_axioms, theorems
from tests.together import together
from tests.unit.proofs.changed_statements import build, needs_coq

ROOT = Path(__file__).parents[3]
COQ = ROOT / "proofs" / "coq"
SOURCES = sorted(COQ.glob("**/*.v"))
DEVELOPED = [path for path in SOURCES if path.parent.name != "rows"]
MAIN = (COQ / "MAIN.md").read_text("utf-8")
STANDARD = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
}
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


def folders_needed(sources):
    """For each folder, the others that its files require; of a mapping from path to text."""
    folder_of = {Path(path).stem: Path(path).parent.name for path in sources}
    needs = {folder: set() for folder in folder_of.values()}
    for path, text in sources.items():
        folder = Path(path).parent.name
        needs[folder] |= {folder_of[name] for name in required(text)} - {folder}
    return needs


def everything_below(folder, needs, trail=()):
    """All folders that a folder needs; an error where it needs itself."""
    assert folder not in trail, f"a circle of folders: {(*trail, folder)}"
    return needs[folder].union(*(everything_below(near, needs, (*trail, folder)) for near in needs[folder]))


def unknown(names):
    return sorted(set(names) - set(theorems()))


def test_axioms_are_read_as_coq_prints_them():
    """What Coq prints goes through the legend; a theorem of which it prints nothing has no axioms to be read."""
    printed = (
        "== a.closed\nClosed under the global context\n"
        "== a.open\nAxioms:\nM.one : forall P : Prop,\n  {P} + {~ P}\nN.two\n  : nat\n"
        "== rows.a.x\n== rows.a.y\nAxioms:\nN.two : nat\n"
    )
    sorting = ["awk", "-f", str(COQ / "legend")]
    record = subprocess.run(sorting, input=printed, capture_output=True, text=True, check=True).stdout
    assert record.splitlines()[:2] == ["1 = M.one : forall P : Prop, {P} + {~ P}", "2 = N.two : nat"]
    assert {name: theorem.axioms for name, theorem in read_axioms(record).items()} == {
        "a.closed": (),
        "a.open": ("M.one", "N.two"),
        "rows.a.y": ("N.two",),
    }
    assert read_axioms(record)["a.open"] == Theorem("a.open", ("M.one", "N.two"))


def test_the_axioms_of_every_theorem_are_printed_by_themselves():
    listed = [str(path.relative_to(COQ)) for path in SOURCES]
    asked = subprocess.run(["sh", str(COQ / "audit"), *listed], cwd=COQ, capture_output=True, text=True, check=True)
    pattern = r'^Goal True\. idtac "== (\S+)"\. Abort\. Print Assumptions Exactdp(\S+)\.$'
    printed = re.findall(pattern, asked.stdout, re.MULTILINE)
    assert sorted(name for name, _ in printed) == sorted(theorems())
    for name, full in printed:
        folder = Path(file_of(name)).parent.name
        assert full == (f"R{name[1:]}" if folder == "rows" else f".{folder}.{name}")


def together_of(tmp_path, record, printed):
    """What `merge` makes of three theorems, of which the record has some, and of what Coq prints; None if it fails."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.v").write_text("Theorem b : x.\nTheorem c : y.\nTheorem d : z.\n")
    (tmp_path / "record").write_text(record)
    asking = ["sh", str(COQ / "audit"), "-t", "record", "folder/a.v"]
    asked = subprocess.run(asking, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "together.v").write_text(asked)
    sorting = ["awk", "-f", str(COQ / "legend")]
    said = subprocess.run(sorting, input=printed, capture_output=True, text=True, check=True).stdout
    (tmp_path / "TOGETHER").write_text(said)
    merging = ["awk", "-f", str(COQ / "merge"), "TOGETHER", "together.v"]
    merged = subprocess.run(merging, cwd=tmp_path, capture_output=True, text=True, check=False)
    return asked, merged.stdout if merged.returncode == 0 else None


@pytest.mark.parametrize("third", ["Closed under the global context", "Axioms:\nN.two : P"])
@pytest.mark.parametrize("more", ["", "N.two : P\n"])
def test_theorems_that_assume_the_same_are_printed_together(third, more, tmp_path):
    """The record has b and c, which assume M.one; d is new; where b or c assumes more, it is refused."""
    record = "1 = M.one : P\n2 = N.two : P\n\na.b: 1\na.c: 1\n"
    printed = f"== a.d\n{third}\n== 1\nAxioms:\nM.one : P\n{more}"
    asked, merged = together_of(tmp_path, record, printed)
    assert asked.count("Print Assumptions") == 2
    assert asked.count("let _ := @Exactdp.folder.a.") == 2
    if more:
        assert merged is None
    else:
        assert merged.endswith(f"\na.b: 1\na.c: 1\na.d: {'none' if 'Closed' in third else '2'}\n")
        assert read_axioms(merged)["a.c"] == Theorem("a.c", ("M.one",))


def test_the_example_for_readers_is_short_and_shown_whole():
    example = (COQ / "examples" / "own_randomizer.v").read_text("utf-8")
    assert f"```text\n{example}```" in (COQ / "README.md").read_text("utf-8")
    assert len(example.splitlines()) <= 40


def test_the_package_of_other_developments_is_made_by_the_makefile():
    package, makefile = ((COQ / name).read_text("utf-8") for name in ("coq-exactdp.opam", "Makefile"))
    assert re.findall(r'\[make "(install|-j%\{jobs\}%)" "BUILD=', package) == ["-j%{jobs}%", "install"]
    assert "\ninstall: all\n" in makefile
    assert set(re.findall(r"^-Q \w+ (\w+)", (COQ / "_CoqProject").read_text("utf-8"), re.MULTILINE)) == {
        "Exactdp",
        "ExactdpRows",
    }


def test_the_record_speaks_of_the_sources_as_they_are():
    """After a change of a source: ``make -C proofs/coq axioms``, or ``-C proofs/checker``."""
    assert (changed_source(COQ), changed_source(CHECKER)) == ("", "")
    for folder, own in ((COQ, SOURCES), (CHECKER, [*CHECKER.glob("rows/*.v"), *CHECKER.glob("*.v")])):
        recorded = re.findall(r"  (\S+)$", (folder / "SOURCES.expected").read_text("utf-8"), re.MULTILINE)
        sources = {str(path.relative_to(folder)) for path in own} - {"extract.v"}
        assert {path for path in recorded if not path.startswith("../coq/")} == sources | {"_CoqProject"}


@pytest.mark.parametrize("change", ["a byte", "a file", "a byte below another folder"])
def test_a_change_since_coq_compiled_a_source_is_found(change, tmp_path):
    for name in ("coq", "checker"):
        (tmp_path / name / "rows").mkdir(parents=True)
    for folder, file in (("coq", "one.v"), ("coq", "rows/two.v"), ("checker", "three.v")):
        (tmp_path / folder / file).write_text(file)
    listed = {"coq": ["one.v", "rows/two.v"], "checker": ["three.v", "../coq/one.v"]}
    for name, paths in listed.items():
        record = "".join(f"{sha256((tmp_path / name / p).read_bytes()).hexdigest()}  {p}\n" for p in paths)
        (tmp_path / name / "SOURCES.expected").write_text(record)
    folder = tmp_path / ("checker" if "below" in change else "coq")
    if change == "a file":
        (folder / "rows" / "two.v").unlink()
    else:
        (tmp_path / "coq" / "one.v").write_text("One.v")
    assert changed_source(folder) == ("proofs/coq/rows/two.v" if change == "a file" else "proofs/coq/one.v")


def test_only_the_standard_axioms_of_the_reals():
    assert {axiom for each in theorems().values() for axiom in each.axioms} <= STANDARD


@together("path", SOURCES, ids=lambda path: str(path.relative_to(COQ)))
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
    sources = {path: f"rows.{path.stem}" if path.parent.name == "rows" else path.stem for path in SOURCES}
    assert len(set(sources.values())) == len(SOURCES)
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


def test_the_picture_shows_what_the_folders_require():
    needs = folders_needed({path: path.read_text("utf-8") for path in DEVELOPED})
    picture = (COQ / "README.md").read_text("utf-8").partition("```mermaid")[2]
    assert sorted(re.findall(r"^  (\w+)$", picture, re.MULTILINE)) == sorted(needs)
    expected = set()
    for folder, direct in needs.items():
        implied = {far for near in direct for far in everything_below(near, needs)}
        expected |= {(near, folder) for near in direct - implied}
    assert set(re.findall(r"^  (\w+) --> (\w+)$", picture, re.MULTILINE)) == expected


def test_a_circle_of_folders_is_seen():
    needs = folders_needed(
        {
            "one/a.v": "From Exactdp Require Import b.",
            "two/b.v": "From Exactdp Require Import c.",
            "one/c.v": "",
        }
    )
    with pytest.raises(AssertionError, match="a circle of folders"):
        everything_below("one", needs)


def test_main_names_theorems_that_exist_where_they_stand():
    lines = re.findall(r"^\| `([\w.']+)` \| .* \| \[(\S+)\]\((\S+)\) \| ([\d ]+|none) \|$", MAIN, re.MULTILINE)
    assert 10 <= len(lines) <= 15
    assert len(MAIN.splitlines()) <= 50
    legend = dict(re.findall(r"^(\d)\. `([\w.]+)`", MAIN, re.MULTILINE))
    for name, shown, path, numbers in lines:
        assert shown == path == theorems()[name].source.removeprefix("proofs/coq/")
        axioms = () if numbers == "none" else tuple(legend[number] for number in numbers.split())
        assert axioms == theorems()[name].axioms


def test_checks_and_rows_name_theorems_that_exist():
    for module in pkgutil.walk_packages(exactdp.__path__, "exactdp."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    assert len(RELIANCE) > 10
    assert unknown(name for names in RELIANCE.values() for name in names) == []
    assert unknown(name for names in THEOREMS_BEHIND.values() for name in names) == []
    assert unknown(name for row in rows() for name in row.theorems) == []


def test_a_name_that_does_not_exist_is_found():
    @relies_on("binomial_smoothness.lemma4")
    def check():
        return 1

    name = f"{check.__module__}.{check.__qualname__}"
    try:
        assert check() == 1
        assert unknown(RELIANCE[name]) == ["binomial_smoothness.lemma4"]
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
    first = min(theorems())
    assert development.rebuild() == (
        f"proofs/coq/AXIOMS.expected differs from what Coq prints, first at {first}: "
        f"{', '.join(theorems()[first].axioms)}; Coq: nothing"
    )
    make.write_text("#!/bin/sh\necho 'Error: no.' >&2\nexit 2\n")
    assert development.rebuild() == "the development does not compile: Error: no."


def test_a_rebuild_begins_with_whether_the_record_speaks_of_these_sources(monkeypatch, tmp_path):
    """Nothing is compiled for it: there is no program."""
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "SOURCES.expected").write_text(f"{'0' * 64}  one.v\n")
    assert development.rebuild(["gap.gap_all"]) == (
        "gap.gap_all is not in the record of Coq's kernel. `make -C proofs/coq axioms` writes it anew."
    )
    monkeypatch.setattr(development, "FOLDER", tmp_path)
    said = f"proofs/{tmp_path.name}/one.v is not the file that the record of Coq's kernel speaks of: it is out of date."
    assert development.rebuild().startswith(said)
    assert development.rebuild(["gap.gap_all_n"]).startswith(said)


@pytest.mark.parametrize("printed", [1, 3, 4, None])
def test_other_axioms_than_the_recorded_ones_are_named(printed, monkeypatch, tmp_path):
    """The row rests on three of the four; with another program in the place of coqc, which prints another number."""
    name, axioms = "rows.gap.row_gap_local_holds", sorted(STANDARD)
    (tmp_path / "make").write_text("#!/bin/sh\nmkdir -p ${4#BUILD=}\n")
    (tmp_path / "coqc").write_text(f"#!/bin/sh\ncat {tmp_path}/axioms\n")
    for program in ("make", "coqc"):
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    chosen = [axiom for axiom in axioms if axiom != "Classical_Prop.classic"]
    recorded, found = ", ".join(chosen), (chosen[:1] if printed == 1 else chosen if printed == 3 else axioms)
    below = "\n".join(["Axioms:", *(f"{axiom} : Prop" for axiom in found)]) if printed else ""
    (tmp_path / "axioms").write_text(f"== {name}\n{below}\n")
    said = f"proofs/coq/AXIOMS.expected differs from what Coq prints, first at {name}: {recorded}; Coq: "
    wanted = "" if printed == 3 else said + (", ".join(found) if printed else "nothing")
    assert development.rebuild([name]) == wanted


def test_a_rebuild_of_one_theorem_compiles_what_it_needs_and_says_how_far_it_is(monkeypatch, tmp_path):
    """With other programs in the place of make and coqc, which say what they are asked."""
    name, seen = "gap.gap_all_n", []
    (tmp_path / "make").write_text(
        f"#!/bin/sh\necho $@ >{tmp_path}/asked\nmkdir -p ${{4#BUILD=}}\n"
        "echo COQC base/sums.v\necho COQC separations/gap.v\n"
    )
    (tmp_path / "coqc").write_text(f"#!/bin/sh\ncat audit_some.v >{tmp_path}/printed\ncat {tmp_path}/axioms\n")
    for program in ("make", "coqc"):
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    axioms = "\n".join(["Axioms:", *(f"{axiom} : Prop" for axiom in theorems()[name].axioms)])
    (tmp_path / "axioms").write_text(f"== {name}\n{axioms}\n")
    assert development.rebuild([name], lambda *said: seen.append(said)) == ""
    files = development.files_behind([name])
    assert seen == [(1, len(files), "base/sums.v"), (2, len(files), "separations/gap.v")]
    assert (tmp_path / "asked").read_text().endswith(" all TARGETS=separations/gap.vo\n")


def test_the_files_behind_a_theorem_are_all_that_they_require():
    files = development.files_behind(["gap.gap_all_n", "privacy_curve.x"])
    stems = {Path(file).stem for file in files}
    assert {"gap", "sums", "coefficientwise_check", "adaptive_composition"} <= stems < {path.stem for path in SOURCES}
    for file in files:
        text = " ".join((COQ / file).read_text("utf-8").split())
        assert {
            name for line in re.findall(r"From Exactdp Require Import (.*?)\. ", text) for name in line.split()
        } <= stems


@needs_coq
def test_coq_prints_the_recorded_axioms_of_one_row_of_every_file(tmp_path):
    """As of ``exactdp prove ID --kernel``; of the row with the fewest, where the rows of a file differ."""
    rows_of = {}
    for name, theorem in theorems().items():
        if name.startswith("rows."):
            rows_of.setdefault(theorem.source, []).append(theorem)
    chosen = {min(each, key=lambda theorem: len(theorem.axioms)) for each in rows_of.values()}
    assert len(chosen) == len(list(COQ.glob("rows/*.v")))
    built = build(sorted(file_of(theorem.name) for theorem in chosen))
    assert development.print_axioms(tmp_path, sorted(theorem.name for theorem in chosen), built) == ""
    assert set(read_axioms((tmp_path / "AXIOMS").read_text("utf-8")).values()) == chosen


@needs_coq
def test_coq_accepts_one_theorem_by_itself():
    seen = []
    assert development.rebuild(["gap.gap_all_n"], lambda *said: seen.append(said[:2])) == ""
    assert seen == [(k + 1, len(seen)) for k in range(len(development.files_behind(["gap.gap_all_n"])))]


def test_a_machine_without_coq(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert development.missing_programs() == ("coqc", "coq_makefile", "make", "awk")


def test_each_decided_row_below_the_kernel_has_its_reason():
    listed = (COQ / "README.md").read_text("utf-8").partition("## What the kernel does not decide yet")[2]
    named = [row for line in listed.splitlines()[4:] for row in line.split("|")[1].strip().split(", ")]
    below = [row.id for row in rows() if row.claim is not None and row.proposition is None]
    assert sorted(named) == sorted(below)
    assert len(below) <= 25

"""The blueprint of the proofs: what the main theorems of the Coq development stand on, drawn, with every statement.

Which theorem a proof uses is read from the sources: the names of lemmas and theorems in the statement and the proof,
each found as Coq finds it, in the file itself first and then in the files it requires, the last one first. An arrow
leads from a theorem to one that stands on it, through lemmas or directly; arrows that others imply are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Final

from exactdp.proofs.development import FOLDER, file_of, files
from tools.docs_site.graph import graph_svg
from tools.docs_site.stage import Page

_PART: Final = re.compile(
    r"^ *(Theorem|Lemma|Corollary|Definition|Fixpoint|Inductive|Record|Example|Let|Section|End|Hypothesis|Hypotheses|"
    r"Context|Variables?|Notation|Local|Ltac|Arguments|From|Open) *([\w']*)",
    re.MULTILINE,
)
"""What begins a sentence of a file that is no step of a proof."""
_PROVED: Final = ("Theorem", "Lemma", "Corollary")
_NAME: Final = re.compile(r"(?:\b[A-Za-z]\w*\.)?\b[A-Za-z_][\w']*")
_REQUIRE: Final = re.compile(r"From Exactdp Require (?:Import|Export)?([^.]*)\.")

_ABOUT: Final = (
    "What the [main theorems](MAIN.md) of the Coq development stand on. An arrow leads from a theorem to one whose "
    "proof uses it, through lemmas or directly; arrows that others imply are left out. It is made from the sources."
)

Graph = Mapping[str, Set[str]]
"""Name -> the names that its proof uses."""


def proofs_of(text: str) -> list[tuple[str, str]]:
    """Return what a file proves, in its order: name, and statement with proof.

    >>> proofs_of("Lemma a : 1 = 1. (* b *)\\nProof. trivial. Qed.\\nDefinition c := 1.\\n")
    [('a', ' : 1 = 1. \\nProof. trivial. Qed.\\n')]
    """
    text = _without_comments(text)
    parts = list(_PART.finditer(text))
    ends = [part.start() for part in parts[1:]] + [len(text)]
    return [(p[2], text[p.end() : end]) for p, end in zip(parts, ends, strict=True) if p[1] in _PROVED]


def uses(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return what each lemma and theorem of these files uses, by ``file.name``.

    >>> uses({"x": "Lemma a : 1 = 1.", "y": "From Exactdp Require Import x.\\nLemma b : 1 = 1. exact a."})["y.b"]
    frozenset({'x.a'})
    """
    proved = {file: proofs_of(text) for file, text in texts.items()}
    names = {file: {name for name, _ in proofs} for file, proofs in proved.items()}
    used: dict[str, frozenset[str]] = {}
    for file, proofs in proved.items():
        required = [name for found in _REQUIRE.findall(_without_comments(texts[file])) for name in found.split()]
        earlier: set[str] = set()
        for name, body in proofs:
            found = {_resolved(word, file, earlier, required, names) for word in _NAME.findall(body)}
            used[f"{file}.{name}"] = frozenset(found - {"", f"{file}.{name}"})
            earlier.add(name)
    return used


def _resolved(word: str, file: str, earlier: Set[str], required: list[str], names: Mapping[str, Set[str]]) -> str:
    """The ``file.name`` that a word of a proof stands for, "" if it is none."""
    module, _, name = word.rpartition(".")
    if module and name in names.get(module, ()):
        return word
    name = module or name
    if name in earlier:
        return f"{file}.{name}"
    return next((f"{other}.{name}" for other in reversed(required) if name in names.get(other, ())), "")


def reached(graph: Graph, start: str) -> set[str]:
    """Return all that a theorem stands on."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph.get(waiting.pop(), frozenset()) - found
        found |= new
        waiting += new
    return found


def among(graph: Graph, kept: Set[str]) -> dict[str, set[str]]:
    """Return the graph of some names: through all others, without what other arrows imply.

    >>> among({"a": {"b", "d"}, "b": {"c"}, "c": {"d"}}, {"a", "c", "d"})
    {'a': {'c'}, 'c': {'d'}, 'd': set()}
    """
    below = {name: reached(graph, name) & kept for name in sorted(kept)}
    return {name: {b for b in found if not any(b in below[c] for c in found)} for name, found in below.items()}


def pieces(graph: Graph) -> list[dict[str, Set[str]]]:
    """Return the parts of a graph that no arrow joins, without names that stand alone.

    >>> pieces({"a": {"b"}, "b": set(), "c": set()})
    [{'a': {'b'}, 'b': set()}]
    """
    joined: list[set[str]] = []
    for name, below in graph.items():
        touched = [part for part in joined if part & {name, *below}]
        joined = [part for part in joined if part not in touched] + [{name, *below}.union(*touched)]
    return [{name: graph[name] for name in graph if name in part} for part in joined if len(part) > 1]


@lru_cache(maxsize=1)
def blueprint() -> tuple[dict[str, str], dict[str, str], dict[str, frozenset[str]]]:
    """Return the main theorems in words, all theorems in words, and what each proof of the development uses."""
    main = dict(re.findall(r"^\| `([\w.']+)` \| (.*?) \| \[", (FOLDER / "MAIN.md").read_text("utf-8"), re.MULTILINE))
    row = r"^\| `([\w.']+)` \| (.*?) \| .* \|$"
    words = dict(re.findall(row, (FOLDER / "STATEMENTS.md").read_text("utf-8"), re.MULTILINE))
    sources = {file: (FOLDER / path).read_text("utf-8") for file, path in files().items()}
    return main, words, uses(sources)


def blueprint_page() -> Page:
    """Return the page: all main theorems with what several of them share, then each by itself, then every statement."""
    main, words, graph = blueprint()
    behind = {name: reached(graph, name) & words.keys() for name in main}
    resting = Counter(name for found in behind.values() for name in found)
    common = [name for name, times in resting.items() if times > len(main) / 2]
    shared = {name for name, times in resting.items() if times > 1} - set(common)
    which = f"but for {', '.join(map(_linked, common))}, on which most rest"
    text = [
        "# Blueprint of the main theorems",
        _ABOUT,
        "## What they share",
        f"The main theorems that share some, below the theorems that at least two of them rest on, {which}.",
        *(_drawn(piece, f"blueprint-{i}") for i, piece in enumerate(pieces(among(graph, main.keys() | shared)))),
    ]
    for name, sentence in main.items():
        file = file_of(name)
        text += [f"## {_short(name)}", f"{sentence} [{file}]({file})", f"```text\n{statement(name)}\n```"]
        text += [f"It stands on {len(reached(graph, name))} lemmas, of which {len(behind[name])} are theorems."]
        text += [_drawn(among(graph, {name, *behind[name]}), f"blueprint-{_short(name)}")]
    everything = sorted(set().union(*behind.values()) | main.keys(), key=list(words).index)
    rows = "\n".join(f"| {_linked(name)} | {words[name]} |" for name in everything)
    text += ["## Every statement", f"| theorem | what it says |\n| --- | --- |\n{rows}"]
    return Page("proofs/coq/BLUEPRINT", "Blueprint of the main theorems", "\n\n".join(text) + "\n")


def statement(name: str) -> str:
    """Return what a theorem states, in Coq's words."""
    text = (FOLDER / file_of(name)).read_text("utf-8")
    found = re.search(rf"^Theorem {re.escape(_short(name))}\b.*?\.$(?=\nProof)", text, re.MULTILINE | re.DOTALL)
    assert found, f"{name} is not stated as a theorem"
    return found[0]


def _drawn(graph: Graph, name: str) -> str:
    arrows = "\n".join(f"  {_short(b)} --> {_short(a)}" for a, found in graph.items() for b in sorted(found))
    return f"```{{raw}} html\n{graph_svg(arrows, name)}\n```"


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _linked(name: str) -> str:
    return f"[`{name}`](STATEMENTS.md#{re.sub(r'[^a-z0-9_]', '', file_of(name).lower())})"


def _without_comments(text: str) -> str:
    depth, kept = 0, []
    for part in re.split(r"(\(\*|\*\))", text):
        depth += {"(*": 1, "*)": -1}.get(part, 0)
        if depth == 0 and part != "*)":
            kept.append(part)
    return "".join(kept)

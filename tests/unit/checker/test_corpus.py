"""The corpora: what every checker of a schema must verify, reject and refuse, and with which words."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from exactdp.certificates import verify
from exactdp.checker.claims import KINDS
from tests.certificates import bare, claims, corpus_v4, make_corpus
from tests.certificates.answers import answer
from tests.unit.checker import oracle

ROOT = Path(__file__).resolve().parents[3]
VERIFY = ROOT / "exactdp" / "certificates" / "verify.py"
checker = bare.checker()
CORPUS = ROOT / "tests" / "certificates"
CORRECT, INCORRECT, MALFORMED = (
    [path for version in make_corpus.VERSIONS for path in sorted((CORPUS / version / folder).glob("*.json"))]
    for folder in ("correct", "incorrect", "malformed")
)
STATUS = {"correct": 0, "incorrect": 1, "malformed": 2}
MESSAGES: dict[str, dict[str, dict[str, str]]] = json.loads(
    (Path(__file__).parent / "messages.json").read_text(encoding="utf-8")
)
REQUESTS: dict[str, str] = json.loads((Path(__file__).parent / "requests.json").read_text(encoding="utf-8"))
WORK: dict[str, int] = json.loads((Path(__file__).parent / "work.json").read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    return path.relative_to(CORPUS).with_suffix("").as_posix()


def documents(version: str) -> list[Any]:
    return [json.loads(path.read_text(encoding="ascii")) for path in CORRECT if path.parts[-3] == version]


@pytest.mark.parametrize("version", make_corpus.VERSIONS)
def test_the_corpus_is_what_its_script_writes(version: str) -> None:
    folder = CORPUS / version
    written = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert written == make_corpus.files(version)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_the_corpus_is_rich_enough(version: str) -> None:
    found = documents(version)
    kinds = oracle.FIRST_KINDS if version == "v1" else set(checker.KINDS) - set(checker.THIRD_KINDS)
    assert len(found) >= {"v1": 20, "v2": 40}[version]
    assert {d["claim"]["kind"] for d in found} == kinds
    assert {(d["claim"]["kind"], d["verdict"]) for d in found} >= {
        (kind, verdict) for kind in kinds for verdict in ("PROVED", "REFUTED") if (kind, verdict) != ("not", "PROVED")
    }
    incorrect = [path for path in INCORRECT if path.parts[-3] == version]
    assert len(incorrect) >= {"v1": 40, "v2": 60}[version]
    assert sum(_is_sealed(path) for path in incorrect) >= len(incorrect) / 2
    assert len(MESSAGES[version]["malformed"]) >= 60


def _is_sealed(path: Path) -> bool:
    document = json.loads(path.read_text(encoding="ascii"))
    return bool(document["claim_id"] == checker.sha256(document["claim"]))


def test_the_second_corpus_has_every_law_real_and_fact() -> None:
    """Every family under every kind that speaks of noise, exactly and by enclosure, and every operation of a real."""
    text = "".join(path.read_text(encoding="ascii") for path in CORRECT if path.parts[-3] == "v2")
    for word in ("exp", "log", "inverse", "sum", "product", "power", "assuming", "pure", "variable", "taylor", "eps"):
        assert f'"{word}"' in text
    for word in ("open", "closed", "worst", "-infinity", "infinity", "at least", "monotone-convergence"):
        assert f'"{word}"' in text
    seen = {
        (d["claim"]["kind"], d["claim"]["law"]["family"], d["verdict"], "bits" in d["witness"])
        for d in documents("v2")
        if "law" in d["claim"]
    }
    exact = {"finite", "view", "binomial", "binomial-sum", "geometric", "discrete-laplace"}
    enclosed = {"binomial", "binomial-sum", "negative-binomial", "geometric", "discrete-gaussian", "poisson"}
    assert {family for kind, family, _, bits in seen if kind == "shift_dp" and not bits} >= exact
    assert {family for kind, family, _, bits in seen if kind == "shift_dp" and bits} >= enclosed
    assert {family for _, family, _, bits in seen if bits} == enclosed | {"discrete-laplace"}
    for kind in ("shift_dp", "smooth", "tail", "accuracy"):
        assert {(verdict, bits) for k, _, verdict, bits in seen if k == kind} >= {
            (verdict, bits) for verdict in ("PROVED", "REFUTED") for bits in (False, True)
        }


def test_the_third_corpus_has_the_new_law_in_every_claim_about_noise() -> None:
    """PROVED and REFUTED, small and large; and no document of an older schema has it."""
    kinds = {"shift_dp", "smooth", "tail", "accuracy", "equal_laws", "composed"}
    seen = [(d["claim"]["kind"], d["verdict"]) for d in documents("v3") if "discrete-uniform" in json.dumps(d)]
    assert set(seen) >= {(kind, verdict) for kind in kinds for verdict in ("PROVED", "REFUTED")}
    incorrect = [path for path in INCORRECT if path.parts[-3] == "v3"]
    wrong = {json.loads(path.read_text(encoding="ascii"))["claim"]["kind"] for path in incorrect}
    assert wrong >= kinds
    assert sum(_is_sealed(path) for path in incorrect) == len(incorrect) - 4
    for version in ("v1", "v2"):
        assert "discrete-uniform" not in json.dumps(documents(version))


def test_the_third_corpus_has_the_new_kinds() -> None:
    """PROVED and REFUTED, alone and in other claims, with eps and e^eps."""
    seen = {(d["claim"]["kind"], d["verdict"], "eps" in d["claim"]) for d in documents("v3")}
    verdicts = ("PROVED", "REFUTED")
    assert seen >= {("split_and_mix", verdict, False) for verdict in verdicts}
    assert seen >= {
        (kind, verdict, eps)
        for kind in ("two_message_dp", "counting_dp", "sample_threshold_dp")
        for verdict in verdicts
        for eps in (True, False)
    }
    inner = json.dumps([d["claim"] for d in documents("v3") if d["claim"]["kind"] in ("conjunction", "not")])
    assert all(f'"{kind}"' in inner for kind in checker.THIRD_KINDS)


PARTS = ("every twelfth file", pytest.param("the others", marks=pytest.mark.slow))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("version", make_corpus.VERSIONS)
def test_correct_certificates_are_verified_and_true(version: str, part: str) -> None:
    files = {path: place for place, path in enumerate(CORRECT) if path.parts[-3] == version}
    chosen = [path for path, place in files.items() if (place % 12 == 0) == (part == "every twelfth file")]
    wrong = {name_of(path): found for path in chosen if (found := wrong_with(path))}
    assert len(chosen) >= 4
    assert wrong == {}


def wrong_with(path: Path) -> list[str]:
    """What the checker says otherwise than the certificate does, and what the oracle says against it."""
    result = verify.verify_file(str(path))
    document = json.loads(path.read_text(encoding="ascii"))
    if (result.claim_id, result.verdict) != (document["claim_id"], document["verdict"]):
        return [f"verified as {result}"]
    # no messages at all, or so many users that it takes seconds
    if int(document["claim"].get("n", "1")) >= 10**6:
        return []
    return oracle.objections(document)


Told = tuple[int, str | None, int | None, str | None]
"""A status, the words beside it, the work of a check and the digest of its requests."""


def recorded(version: str, folder: str, part: str) -> dict[str, Told]:
    """What each file of a part of a folder is to be answered: with which words, and at which price, which decides what
    is within the limits, as each part of it does."""
    paths = [path for path in [*CORRECT, *INCORRECT, *MALFORMED] if path.parts[-3:-1] == (version, folder)]
    paths = [path for place, path in enumerate(paths) if (place % 3 == 0) == (part == "every third file")]
    words = MESSAGES[version][folder]
    return {
        name: (STATUS[folder], words.get(path.stem), WORK.get(name), REQUESTS.get(name))
        for path in paths
        for name in [name_of(path)]
    }


def told(name: str) -> Told:
    """What the checker answers about a file, without the name and the place of the file."""
    status, line, work, requests = answer(checker, CORPUS / f"{name}.json")
    return status, line.split(" ", 2)[2] if status == 0 else line.split("': ", 1)[1], work, requests


def changed(before: dict[str, Told], now: dict[str, Told]) -> list[str]:
    """Every file that is answered otherwise, and what of the answer is other."""
    return [
        f"{name}: {what} {new!r}, not {old!r}"
        for name in sorted(before)
        for what, old, new in zip(("status", "words", "work", "requests"), before[name], now[name], strict=True)
        if old != new
    ]


@pytest.mark.parametrize("part", ["every third file", pytest.param("the others", marks=pytest.mark.slow)])
@pytest.mark.parametrize("folder", STATUS)
@pytest.mark.parametrize("version", make_corpus.VERSIONS)
def test_every_file_has_its_status_and_its_words(version: str, folder: str, part: str) -> None:
    """The prices are written anew by ``python -m tests.certificates.answers``."""
    before = recorded(version, folder, part)
    now = {name: told(name) for name in before}
    assert len(before) >= 5
    if now != before:
        pytest.fail("\n".join(["files are answered otherwise:", *changed(before, now)]))
    assert all(words.isascii() and words.isprintable() for _, words, _, _ in now.values())


def test_each_file_that_is_answered_otherwise_is_named() -> None:
    """Whatever of the answer has changed, and wherever."""
    before = recorded("v1", "incorrect", "every third file")
    names = sorted(before)
    now = {**before, names[0]: (2, *before[names[0]][1:]), names[-1]: (1, "no", None, "0")}
    assert changed(before, before) == []
    assert changed(before, now) == [
        f"{names[0]}: status 2, not 1",
        *(
            f"{names[-1]}: {what} {new!r}, not {old!r}"
            for what, old, new in zip(
                ("words", "work", "requests"), before[names[-1]][1:], ("no", None, "0"), strict=True
            )
        ),
    ]


def test_every_pinned_message_has_a_file() -> None:
    pinned = {
        f"{v}/{folder}/{stem}" for v, folders in MESSAGES.items() for folder in folders for stem in folders[folder]
    }
    files = {name_of(path) for path in [*CORRECT, *INCORRECT, *MALFORMED]}
    assert files == pinned


def test_every_reason_is_in_the_corpus_or_pinned_below() -> None:
    """Each call of ``malformed`` or ``rejected`` in the checker is reached by a file or by a test of this module."""
    reasons = [
        node.args[0]
        for source in bare.SOURCES
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("malformed", "rejected")
    ]
    said = [message for pins in MESSAGES.values() for f in ("incorrect", "malformed") for message in pins[f].values()]
    said += [
        "cannot be read: Is a directory",
        "not a regular file",
        "the check is too large: beyond 110 s",
        *(message for _, message in UNUSUAL),
    ]
    missing = [ast.unparse(r) for r in reasons if not any(re.fullmatch(_pattern(r), m) for m in said)]
    assert missing == []


def _pattern(reason: ast.expr) -> str:
    """The message as a regular expression, with anything where a value is filled in."""
    if isinstance(reason, ast.Subscript):
        return _pattern(reason.value) + ".*"
    if isinstance(reason, ast.JoinedStr):
        return "".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".*" for p in reason.values)
    assert isinstance(reason, ast.Constant)
    return re.escape(str(reason.value))


def _sealed(claim: object, verdict: str = "PROVED", witness: object = None) -> str:
    return claims.write(claims.document(claim, verdict, {} if witness is None else witness))


def _prime_rows(bits: int) -> dict[str, object]:
    """A randomizer whose rows have long coprime denominators."""
    return _rare_messages(2**bits - 1, 2**bits + 1, 2**bits, 3**bits)


def _rare_messages(*denominators: int) -> dict[str, object]:
    return {
        "messages": "1",
        "rows": [
            [{"send": ["0"], "prob": f"1/{hex(d)}"}, {"send": [], "prob": f"{hex(d - 1)}/{hex(d)}"}]
            for d in denominators
        ],
    }


MANY_OUTCOMES = [{"send": [str(i), str(j)], "prob": "1/16384"} for i in range(128) for j in range(128)]
WIDE_ROW = [{"send": ["0"] * i + ["1"] * j, "prob": "1/2116"} for i in range(46) for j in range(46)]
LONG_CLASSES = corpus_v4.classes(
    (_prime_rows(43_000), 5), (_rare_messages(5**60_000), 5), exp_eps="2", delta="1", user_class="0"
)
BESIDE_BOTH = corpus_v4.swap(corpus_v4.plan("1", "1", 1, "2"), used="0 1")
LONG_EPS = f"{hex(2**300 + 1)}/{hex(2**300)}"
UNUSUAL = [
    (
        re.sub(
            r'("bits": )"\d+"',
            r"\1null",
            (CORPUS / "v2/correct/equal_laws_bits_of_two_lists.json").read_text("ascii"),
        ),
        "true, false and null are no values here",
    ),
    (
        _sealed(claims.shuffle(delta=f"1/0x1{'0' * 65536}")),
        "delta has more than 262144 bits",
    ),
    (
        _sealed(claims.shuffle(_prime_rows(90_000), delta="1")),
        "the common denominator of the randomizer has more than 262144 bits",
    ),
    (
        claims.write(claims.document(LONG_CLASSES, "PROVED", BESIDE_BOTH, "exactdp-certificate-4")),
        "the common denominator of the tables has more than 262144 bits",
    ),
    (
        _sealed(claims.shuffle(_prime_rows(300), n=10_000, delta="1")),
        "the weights of the view have more than 4194304 bits",
    ),
    (
        _sealed(claims.shift(claims.binomial(20_000, f"1/{hex(2**300)}"), delta="1")),
        "beyond 20000 trials or 4194304 bits a binomial law is checked by enclosure only",
    ),
    (
        _sealed(claims.shuffle(eps=LONG_EPS, delta="1"), witness={"terms": "1000"}),
        "a Taylor sum of more than 65536 bits",
    ),
    (
        _sealed(claims.inequality([], claims.condition((f"1/{hex(2**4096)}", "1"))), witness={"terms": []}),
        "a coefficient of the conclusion has more than 4096 bits",
    ),
    (
        _sealed(claims.shuffle({"messages": "256", "rows": [MANY_OUTCOMES]})),
        "more than 4000000 counts in the rows of the randomizer",
    ),
    (
        _sealed(claims.shuffle({"messages": "2", "rows": [WIDE_ROW, [{"send": [], "prob": "1"}]]}, delta="1")),
        "the check is too large: beyond MAX_WORK = 200000000 or MAX_STEPS = 4000000",
    ),
    (
        _sealed(
            claims.tail(claims.poisson({"product": [{"exp": "-11"}, "281474976710656"]}), "0", "1", "at most", "1"),
            witness={"bits": "16"},
        ),
        "16 bits do not show that the weights fall",
    ),
    (
        _sealed(claims.tail(claims.binomial_sum(20_000, f"1/{2**200 + 1}", 0, "1/2"), "0", "1", "at most", "1")),
        "the check is too large: 20001 numbers of 4020000 bits, beyond MAX_HELD_BITS = 2147483648",
    ),
    (
        _sealed(claims.tail(claims.uniform(-(2**262143), 2**262143), "0", "1", "at most", "1")),
        "the number of outcomes of the law has more than 262144 bits",
    ),
    (" " * (2**22 + 1), "longer than 4194304 bytes"),
]


@pytest.mark.parametrize(("text", "message"), UNUSUAL, ids=[message[:40] for _, message in UNUSUAL])
def test_what_is_too_large_for_a_corpus_is_refused(text: str, message: str) -> None:
    with pytest.raises((checker.MalformedCertificateError, checker.CertificateRejectedError)) as caught:
        checker.verify_text(text)
    assert str(caught.value) == message


def test_the_work_that_is_shown_is_the_work_that_is_compared() -> None:
    """Not the steps before they are weighted, which are fewer than the limit that they are said to exceed."""
    work = checker.Work()
    work.expect(checker.MAX_WORK, 0)
    for steps, bits in ((checker.MAX_WORK + 1, 0), (10**6, 10**6)):
        with pytest.raises(checker.MalformedCertificateError) as caught:
            work.expect(steps, bits)
        shown, limit = re.findall("[0-9]+", str(caught.value))
        assert int(shown) > int(limit) == checker.MAX_WORK


# --- What a verified certificate rests on ----------------------------------------------------------------------------

FORWARD, BACKWARD = {"shift": "1", "order": "forward"}, {"shift": "1", "order": "backward"}
ALL_ONE = {"first": ["1", "0"], "second": ["0", "1"]}
GEOMETRIC, LAPLACE = claims.geometric("1/2"), claims.laplace("2")
VIEWS, NOISE = claims.views(claims.RESPONSE, 1, 2), claims.run(LAPLACE, 2)
OF_A_VIEW = [checker.THE_VIEW, checker.EQUAL_ROWS]
RESTS: dict[str, tuple[Any, str, dict[str, Any], list[str]]] = {
    "smooth_geometric_eps": (
        claims.smooth(GEOMETRIC, eps="9/10", delta="1/2"),
        "PROVED",
        {"terms": "9"},
        [checker.LONGER, checker.STEPS, checker.TAYLOR],
    ),
    "smooth_laplace_eps_refuted": (
        claims.smooth(LAPLACE, eps="1/2", delta="1/2"),
        "REFUTED",
        {"by": "1", "terms": "9"},
        [checker.STEPS, checker.TAYLOR],
    ),
    "smooth_laplace": (claims.smooth(LAPLACE, delta="2/3"), "PROVED", {}, [checker.LONGER, checker.STEPS]),
    "smooth_binomial_eps": (
        claims.smooth(claims.COIN, eps="1/2", delta="1"),
        "PROVED",
        {"terms": "9"},
        [checker.LONGER, checker.TAYLOR],
    ),
    "shift_geometric_refuted": (claims.shift(GEOMETRIC), "REFUTED", FORWARD, [checker.STEPS]),
    "shift_laplace_refuted": (claims.shift(LAPLACE, "1", "1/4"), "REFUTED", BACKWARD, [checker.STEPS]),
    "shift_laplace_eps_refuted": (
        claims.shift(LAPLACE, eps="1/2", delta="1/10"),
        "REFUTED",
        {**BACKWARD, "terms": "9"},
        [checker.STEPS, checker.TAYLOR, checker.FALLS],
    ),
    "shift_binomial_refuted": (claims.shift(claims.COIN, delta="1/5"), "REFUTED", FORWARD, []),
    "composed_views_refuted": (
        claims.composed(VIEWS),
        "REFUTED",
        claims.lattice("3", 40, pairs=[ALL_ONE]),
        [checker.MERGED, *OF_A_VIEW],
    ),
    "composed_laplace_refuted": (
        claims.composed(NOISE, delta="1/8"),
        "REFUTED",
        claims.lattice("2", 40, pairs=[FORWARD]),
        [checker.MERGED, checker.STEPS],
    ),
    "composed_both_refuted": (
        claims.composed(NOISE, VIEWS),
        "REFUTED",
        claims.lattice("2", 40, pairs=[BACKWARD, ALL_ONE]),
        [checker.MERGED, checker.STEPS, *OF_A_VIEW],
    ),
    "composed_binomial_refuted": (
        claims.composed(claims.run(claims.COIN, 2)),
        "REFUTED",
        claims.lattice("2", 40, pairs=[FORWARD]),
        [checker.MERGED],
    ),
    "composed_laplace_bits_refuted": (
        claims.composed(NOISE, delta="1/8"),
        "REFUTED",
        claims.lattice("2", 40, pairs=[{**FORWARD, "bits": "64"}]),
        [checker.MERGED, checker.FIXED_POINT, checker.GEOMETRIC],
    ),
    "accuracy_of_a_data_set": (claims.view_accuracy(2, ["1", "1"], "2", "0"), "PROVED", {}, OF_A_VIEW),
    "accuracy_of_every_data_set": (claims.view_accuracy(2, "worst", "2", "0"), "PROVED", {}, OF_A_VIEW),
    "accuracy_refuted": (claims.view_accuracy(2, ["1", "1"], "0", "0"), "REFUTED", {}, OF_A_VIEW),
    "accuracy_of_the_worst_refuted": (
        claims.view_accuracy(2, "worst", "0", "0"),
        "REFUTED",
        {"dataset": ["1", "1"]},
        OF_A_VIEW,
    ),
    "shuffle_refuted": (claims.shuffle(delta="1/8"), "REFUTED", claims.WORKED, OF_A_VIEW),
    "never": (claims.never(claims.COMPLEMENT_LOCAL, 1, "1"), "PROVED", ALL_ONE, [*OF_A_VIEW, checker.LOST]),
}


@pytest.mark.parametrize("name", RESTS)
def test_a_check_names_all_that_it_rests_on(name: str) -> None:
    claim, verdict, witness, facts = RESTS[name]
    assert checker.verify_text(_sealed(claim, verdict, witness)).facts == tuple(facts)


# --- The checker alone, in a checkout -------------------------------------------------------------------------------


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the checker of this checkout in an interpreter that sees neither this package nor any other."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(VERIFY), *arguments], capture_output=True, text=True, cwd=cwd, check=False
    )


@pytest.mark.slow
def test_the_checker_answers_with_one_line_for_each_file(tmp_path: Path) -> None:
    done = run(*map(str, CORRECT), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [checker.report(str(path))[1] for path in CORRECT]


def test_the_checker_runs_without_the_package_above_it(tmp_path: Path) -> None:
    """A copy of two folders is enough, where exactdp/__init__.py would fail if it were run."""
    for folder in ("certificates", "checker"):
        (tmp_path / "exactdp" / folder).mkdir(parents=True)
    for source in [VERIFY, *bare.SOURCES]:
        (tmp_path / source.relative_to(ROOT)).write_bytes(source.read_bytes())
    (tmp_path / "exactdp" / "__init__.py").write_text("raise SystemExit('the package is run')")
    copied = tmp_path / "exactdp" / "certificates" / "verify.py"
    for options in (["-I", "-S"], []):
        command = [sys.executable, *options, str(copied), str(CORRECT[0])]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == checker.report(str(CORRECT[0]))[1] + "\n"


def test_the_worst_file_decides_the_exit_status(tmp_path: Path) -> None:
    good, wrong, no_certificate = str(CORRECT[0]), str(INCORRECT[0]), str(MALFORMED[0])
    assert run(good, wrong, good, cwd=tmp_path).returncode == 1
    done = run(no_certificate, wrong, good, cwd=tmp_path)
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["MALFORMED", "REJECTED", "REFUTED"]


def test_a_file_that_cannot_be_read_is_malformed(tmp_path: Path) -> None:
    missing = tmp_path / "missing\nPROVED.json"
    done = run(str(missing), str(tmp_path), "", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout.splitlines() == [
        f"MALFORMED {str(missing)!a}: cannot be read: No such file or directory",
        f"MALFORMED {str(tmp_path)!a}: cannot be read: Is a directory",
        "MALFORMED '': cannot be read: No such file or directory",
    ]


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="there is no /dev/zero")
def test_an_endless_file_is_refused() -> None:
    assert checker.report("/dev/zero") == (2, "MALFORMED '/dev/zero': not a regular file")


def test_without_files_it_says_how_to_use_it(tmp_path: Path) -> None:
    done = run(cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "usage: python verify.py FILE...\n")


@pytest.mark.parametrize("source", [VERIFY, *bare.SOURCES], ids=lambda source: source.stem)
def test_the_source_is_python_3_9(source: Path) -> None:
    ast.parse(source.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_the_example_of_the_format_page_is_verified(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    certificate = re.search(r"```json\n(.*?)```", page, re.DOTALL)
    assert certificate
    path = tmp_path / "example.json"
    path.write_text(certificate[1], encoding="ascii")
    status, line = checker.report(str(path))
    assert status == 0
    assert f"```\n{line}\n```" in page


def test_the_pages_name_every_lemma_kind_and_limit() -> None:
    proofs = (ROOT / "docs" / "soundness.md").read_text(encoding="utf-8").lower()
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8").lower()
    for text in (proofs, page):  # one section for each kind
        titles = " ".join(re.findall(r"^#+ (.*)$", text, re.MULTILINE)).split()
        assert KINDS.keys() <= set(titles)
    tree = ast.parse((bare.SOURCES[0].parent / "facts.py").read_text(encoding="utf-8"))
    named = {
        t.id: n.value for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)
    }
    lemmas = [str(v.value) for v in named.values() if isinstance(v, ast.Constant) and " " in str(v.value)]
    assert len(lemmas) == 60
    for lemma in lemmas:
        assert f"**{lemma.lower()}" in proofs, lemma
    limits = page[page.index("## limits") : page.index("## an example")]
    for spelt in (
        "4 mib",
        "32",
        "2^18",
        "2^22",
        "10^6",
        "20 000",
        "256",
        "4096",
        "64",
        "1000",
        "16",
        "4 * 10^6",
        "2 * 10^8",
    ):
        assert spelt in limits

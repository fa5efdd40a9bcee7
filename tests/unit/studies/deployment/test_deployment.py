"""What is deployed, as data and as a file: what is refused, and that the example is what `init` writes."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from exactdp import Neighbors, deployment, protocols
from exactdp.cli.main import cli
from exactdp.deployment import Deployment, Participation, Question, Release, UserClass
from exactdp.errors import InvalidFileError, InvalidValueError, TooLargeError
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.interval import Interval
from exactdp.randomizers import randomized_response
from exactdp.studies.deployment.audit import is_within
from exactdp.studies.deployment.deployment import WholeProtocol
from tests.together import together

ROOT = Path(__file__).resolve().parents[4]
EXAMPLE = "examples/deployments/telemetry.toml"
FLIP = randomized_response(2, gamma="1/2")
WIDE = randomized_response(3, gamma="1/2")
ASKED = Question("a", ("flip",), (FLIP,))


def deployed(**changed: Any) -> Deployment:
    given: dict[str, Any] = {
        "name": "two",
        "delta": "1/100",
        "unit": "person",
        "budget": 1,
        "classes": [UserClass("all", 3)],
        "participation": Participation("always"),
        "questions": [ASKED],
        "releases": [Release(("a",), "separate", 2)],
    }
    return Deployment(**given | changed)


def test_numbers_are_read_once() -> None:
    made = deployed()
    assert (made.delta, made.budget, made.classes) == (Fraction(1, 100), Fraction(1), (UserClass("all", 3),))
    assert made.question("a") is ASKED


@together(
    "changed, error, said",
    [
        ({"name": " "}, InvalidValueError, "the name of a deployment"),
        ({"name": "a\nb"}, InvalidValueError, "on one line"),
        ({"delta": 0}, InvalidValueError, "is not between 0 and 1"),
        ({"delta": 1}, InvalidValueError, "is not between 0 and 1"),
        ({"unit": "day"}, InvalidValueError, "Give one of person, round"),
        ({"budget": 0}, InvalidValueError, "is not above 0"),
        ({"classes": []}, InvalidValueError, "has no class"),
        ({"classes": [UserClass("all", 1)] * 2}, InvalidValueError, "'all' is there twice"),
        ({"questions": []}, InvalidValueError, "has no question"),
        ({"questions": [Question("a", ("f", "f"), (FLIP, FLIP))]}, InvalidValueError, "2 randomizers for 1 classes"),
        ({"questions": [Question("a", ("f",), (FLIP,), "uniform")]}, InvalidValueError, "everybody takes part"),
        ({"participation": Participation("hidden", "1/2")}, InvalidValueError, "needs what is sent in place"),
        ({"releases": [Release(("b",), "separate", 1)]}, InvalidValueError, "'b', which is no question"),
        ({"questions": [ASKED, Question("b", ("f",), (FLIP,))]}, InvalidValueError, "no release asks"),
        ({"releases": [Release(("a",), "separate", 1)] * 65}, TooLargeError, "above the limit of 64"),
    ],
)
def test_refusals(changed: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        deployed(**changed)


@together(
    "make, said",
    [
        (lambda: UserClass("v", 10, Fraction(1, 20)), "is nobody to count on"),
        (lambda: Participation("often"), "Give one of always"),
        (lambda: Participation("always", Fraction(1, 2)), "everybody takes part"),
        (lambda: Participation("counted", Fraction(0)), "leaves nobody"),
        (lambda: Question("a", ("f", "w"), (FLIP, WIDE)), "Let all classes answer the same question"),
        (lambda: Question("a", ("f",), ()), "0 randomizers and 1 texts"),
        (lambda: Release((), "separate", 1), "has no question"),
        (lambda: Release(("a", "a"), "separate", 1), "is there twice in one release"),
        (lambda: Release(("a",), "mixed", 1), "Give one of separate"),
        (lambda: Release(("a",), "separate", 0), "below 1"),
    ],
)
def test_parts_refuse(make: Any, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        make()


def test_the_honest_are_rounded_down() -> None:
    assert UserClass("v", 10, Fraction(19, 20)).users == 9
    assert UserClass("v", 20, Fraction(19, 20)).users == 19


def test_the_example_is_what_init_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples/deployments").mkdir(parents=True)
    written = CliRunner().invoke(cli, ["init", "--deployment", EXAMPLE])
    assert (written.exit_code, written.stdout) == (0, f"wrote {EXAMPLE}\nnext: exactdp audit {EXAMPLE}\n")
    assert Path(EXAMPLE).read_text("utf-8") == (ROOT / EXAMPLE).read_text("utf-8")
    read = deployment.read(EXAMPLE)
    assert [len(one.inputs) for one in read.questions] == [20] * 5
    assert read.releases == (Release(tuple(one.name for one in read.questions), "separate", 52),)
    assert CliRunner().invoke(cli, ["init", "--deployment", "--kind", "oue"]).exit_code == 2


def test_a_randomizer_is_a_file_beside_the_deployment(tmp_path: Path) -> None:
    own = (
        '[[row]]\ninput = "0"\nmessages = [ {send = ["0"], prob = "3/4"}, {send = ["1"], prob = "1/4"} ]\n'
        '[[row]]\ninput = "1"\nmessages = [ {send = ["0"], prob = "1/4"}, {send = ["1"], prob = "3/4"} ]\n'
    )
    for name in ("own", "other"):
        (tmp_path / f"{name}.toml").write_text(
            own.replace("3/4", "5/8").replace("1/4", "3/8") if name == "other" else own, encoding="utf-8"
        )
    text = (
        'name = "own"\ndelta = "1/10"\nunit = "round"\nhonest = "1/2"\n'
        'class = [{name = "a", n = 4}, {name = "b", n = 9}]\n'
        'participation = {model = "hidden", probability = "1/2"}\n'
        '[[question]]\nname = "q"\nrandomizer = {a = "own.toml", b = "other.toml"}\ndummy = "0=1/2,1=1/2"\n'
        '[[release]]\nquestions = ["q"]\nas = "together"\ntimes = 1\n'
    )
    file = tmp_path / "deployed.toml"
    file.write_text(text, encoding="utf-8")
    read = deployment.read(file)
    assert [one.users for one in read.classes] == [2, 4]
    table, named = read.questions[0].randomizers
    assert list(table.inputs) == list(named.inputs) == ["0", "1"]
    assert (read.budget, read.questions[0].dummy) == (None, {"0": "1/2", "1": "1/2"})
    text = text.replace("other.toml", "krr:inputs=2,exp-eps0=3").replace('dummy = "0=1/2,1=1/2"', 'dummy = "uniform"')
    file.write_text(text, encoding="utf-8")
    assert [list(one.inputs) for one in deployment.read(file).questions[0].randomizers] == [[0, 1], [0, 1]]


WHOLE = """\
name = "whole"
delta = "1/1000"
unit = "round"
class = [{name = "a", n = 40}, {name = "b", n = 50}]
participation = {model = "always"}
[[question]]
name = "q"
%s
[[release]]
questions = ["q"]
as = "%s"
times = 3
eps = "%s"
"""


def test_a_protocol_is_audited_as_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "whole.toml"
    spec = "sample-and-threshold:rate=1/4,threshold=3"
    file.write_text(WHOLE % (f'protocol = "{spec}"', "separate", "1/10"), encoding="utf-8")
    read = deployment.read(file)
    profile = protocols.sample_and_threshold(90, rate="1/4", threshold=3).privacy_profile()
    audit = read.audit()
    assert audit.epsilon == profile.epsilon("1/1000")
    assert (audit.promises_hold, list(read.questions[0].inputs)) == ((False,), [0, 1])
    with pytest.raises(InvalidValueError, match="Give all classes the same"):
        Question("q", (spec, spec), (WholeProtocol(spec), WholeProtocol("sample-and-threshold:rate=1/2,threshold=3")))
    file.write_text(WHOLE % (f'protocol = "{spec}"', "sums", "1"), encoding="utf-8")
    with pytest.raises(InvalidFileError, match=r"line 11, \[\[release\]\] 1, as: .* a view of its own"):
        deployment.read(file)


def test_a_vector_becomes_zeros_in_sums_and_has_certificates(tmp_path: Path) -> None:
    file = tmp_path / "whole.toml"
    made = WHOLE.replace('unit = "round"', 'unit = "round"\nneighbors = "replace-by-zeros"\nsource = "a table"')
    file.write_text(made % ('randomizer = "rappor:inputs=5,eps0=3"', "sums", "1"), encoding="utf-8")
    read = deployment.read(file)
    audit = read.audit()
    sums = protocols.aggregate(read.questions[0].randomizers[0], 90)
    assert audit.epsilon == sums.privacy_profile(neighbors=Neighbors.REPLACE_BY_ZEROS).epsilon("1/1000")
    answer = audit.save(tmp_path / "folder")
    assert (answer["source"], answer["neighbors"]) == ("a table", "replace-by-zeros")
    assert [one["verdict"] for one in answer["certificates"]] == ["PROVED", "REFUTED"]
    low, high = (Fraction(answer["certificates"][k]["eps"]) for k in (1, 0))
    proved = audit.epsilon.enclose(53)
    assert low <= proved.lo <= proved.hi <= high < low * Fraction(11, 10)
    file.write_text(made.replace("by-zeros", "one") % ('randomizer = "rappor:inputs=5,eps0=3"', "sums", "1"), "utf-8")
    replaced = deployment.read(file).audit()
    assert replaced.epsilon == sums.privacy_profile().epsilon("1/1000")
    assert replaced.profile.delta(eps=high).lo > Fraction(1, 1000)
    assert replaced.save(tmp_path / "other")["certificates"] == []
    assert CliRunner().invoke(cli, ["verify", str(tmp_path / "folder")]).exit_code == 0


@together(
    "ends, said",
    [((1, 2), True), ((1, 3), None), ((2, 3), None), ((Fraction(5, 2), 3), False), ((Fraction(1, 2), 1), True)],
)
def test_a_promise_between_the_ends_is_open(ends: tuple[Fraction, Fraction], said: bool | None) -> None:
    assert is_within(Interval.between(*map(Fraction, ends), bits=64), Fraction(2)) is said
    assert is_within(LogRational(Fraction(7)), Fraction(2)) is True
    assert is_within(LogRational(Fraction(8)), Fraction(2)) is False

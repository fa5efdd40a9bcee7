"""Names of protocols and laws: with and without @, beside files of the same name, and in every command."""

import json
import shlex
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import exactdp as xdp
from exactdp.checker import documents
from exactdp.checker.budget import Work
from exactdp.checker.limits import MAX_WORK
from exactdp.claims.checks import checked
from exactdp.claims.cost import view_work
from exactdp.cli.main import cli
from exactdp.errors import TooLargeError
from exactdp.mechanisms.dataset import Neighbors
from exactdp.privacy.shuffle.view_law import view_outcomes
from exactdp.protocols.named_protocols import ENTRIES, OPTIONS
from exactdp.sampling import sample, seeded

QUESTIONS = {
    "delta": "NAME -n 5 --exp-eps 2",
    "epsilon": "NAME -n 5 --delta 1/2",
    "curve": "NAME -n 5 --exp-eps-grid 1,2",
    "compose": "NAME -n 5 --times 2 --exp-eps 2",
    "check": "NAME -n 5",
    "certify": "NAME -n 2 --exp-eps 2 --delta 1",
    "law": "NAME --dataset 0=1,1=1",
    "sample": "NAME --dataset 0=1,1=1 --size 2 --seed 1",
}
PROTOCOLS = {
    "zsum": "zsum --gamma 1/8",
    "randomized-response": "randomized-response --gamma 1/2 --inputs 3",
    "binary-sum": "binary-sum --gamma 1/2",
    "histogram": "histogram --gamma 1/8 --bins 2",
    "gap": "gap",
    "complement": "complement",
}


def run(command: str) -> Result:
    return CliRunner().invoke(cli, command.split())


def answer(command: str) -> Any:
    result = run(f"{command} --format json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_name_needs_no_at_sign(command: str) -> None:
    for name in PROTOCOLS.values() if command == "delta" else ("zsum --gamma 1/8",):
        plain = answer(f"{command} {QUESTIONS[command].replace('NAME', name)}")
        assert plain == answer(f"{command} {QUESTIONS[command].replace('NAME', '@' + name)}")


@pytest.mark.parametrize(
    "command",
    [
        "delta poisson:mu=10 --eps 1",
        "accuracy zsum -n 100 --gamma 1/8 --beta 1/20",
        "accuracy binary-sum -n 10 --gamma 1/8 --beta 1/20",
        "slack zsum -n 2000 --eps 1 --delta 1e-3 --relative-bits 20",
        "calibrate zsum -n 100 --eps 1 --delta 1/10 --grid 1/16",
        "calibrate one-sided-counting --eps 1 --delta 1/10 --grid 1/2",
    ],
)
def test_laws_and_families_need_no_at_sign(command: str) -> None:
    first, name, *rest = command.split()
    assert answer(command) == answer(" ".join([first, f"@{name}", *rest]))


@pytest.mark.parametrize("command", QUESTIONS)
def test_both_forms_of_parameters_have_one_answer(command: str) -> None:
    asked = f"{command} {QUESTIONS[command]}"
    named, optional = (answer(asked.replace("NAME", name)) for name in ("zsum:gamma=1/8", "zsum --gamma 1/8"))
    assert (named.pop("randomizer"), optional.pop("randomizer")) == ("@zsum:gamma=1/8", "@zsum --gamma 1/8")
    assert named == optional


@pytest.mark.parametrize(
    ("named", "optional"),
    [
        pytest.param(
            "calibrate @omega-subset:inputs=100,size=4 -n 1000 --eps 1 --delta 1e-6 --grid 1",
            "calibrate subset-selection --inputs 100 --size 4",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "calibrate krr:inputs=4 -n 40 --eps 1 --delta 1e-2",
            "calibrate randomized-response --inputs 4",
            marks=pytest.mark.slow,
        ),
        (
            "calibrate sample-and-threshold:rate=1/4 -n 9 --eps 1 --delta 1e-2",
            "calibrate @sample-and-threshold --rate 1/4",
        ),
        ("accuracy @zsum:gamma=1/8 -n 99 --beta 1/20", "accuracy zsum --gamma 1/8"),
        ("accuracy binary-sum:gamma=1/8 -n 9 --beta 1/20", "accuracy binary-sum --gamma 1/8"),
        ("accuracy histogram:gamma=1/8,bins=9 -n 99 --beta 1/20", "accuracy histogram --gamma 1/8 --bins 9"),
        ("security @split-and-mix:modulus=9,messages=5 -n 9", "security split-and-mix --modulus 9 --messages 5"),
    ],
)
def test_parameters_behind_a_name_are_those_of_every_command(named: str, optional: str) -> None:
    rest = named.split()[2:]
    assert answer(named) == answer(" ".join([optional, *rest]))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("unary-encoding:inputs=2,optimized=true", "--kind unary-encoding --inputs 2 --optimized"),
        ("@oue:inputs=2,exp-eps0=3", "--kind unary-encoding --inputs 2 --optimized"),
        ("grr:eps0=ln(2)", "--kind randomized-response --exp-eps0 2"),
        ("balls-into-bins:inputs=2,dummies=1", "--kind balls-into-bins --inputs 2"),
    ],
)
def test_a_kind_has_its_parameters_behind_it(kind: str, options: str) -> None:
    assert run(f"init - --kind {kind}").stdout == run(f"init - {options}").stdout != ""


REFUSED = {
    "delta @laplace:exp_eps0=3 --exp-eps 2": "@laplace has no parameter 'exp-eps0'. That is one of "
    "@laplace-randomizer. Write @laplace:scale=B, for example @laplace:scale=10.",
    "delta @krr:inputs=3,exp-eps0=3 -n 9 --exp-eps 2 --participation 1/2 --dummy uniform/0": "dummy=uniform/0 is "
    "unknown. Did you mean uniform? Give uniform, input:0 for the row of an input, or of a table 0=1/2,1=1/2.",
    "accuracy zsum:gamma=1/8,bins=3 -n 9 --beta 1/20": "@zsum has no parameter 'bins'. Write @zsum:gamma=G, for "
    "example @zsum:gamma=1/8.",
    "accuracy @zsum:gamma=1/8 --gamma 1/8 -n 9 --beta 1/20": "@zsum has the parameter gamma in the name and as the "
    "option --gamma. Leave out the option.",
    "calibrate @rappor:inputs=3,exp-eps0=3 -n 9 --eps 1 --delta 0": "@rappor: this command takes no exp-eps0. Leave it "
    "out.",
    "calibrate @rappor:inputs=3,optimized=1 -n 9 --eps 1 --delta 0": "optimized=1 is not true or false. Write "
    "optimized=true.",
    "init - --kind @oue:inputs=2,eps0=1,exp-eps0=3": "@unary-encoding is given eps0 and exp-eps0. Leave out one of "
    "them: e^eps0 = exp(eps0).",
    "init - --kind @oue:inputs=2 --inputs 2": "@oue has the parameter inputs in the name and as the option --inputs. "
    "Leave out the option.",
    "init - --kind orr": "there is no kind 'orr'. The kinds are randomized-response, unary-encoding, subset-selection, "
    "hadamard-response, local-hashing, clipped-discrete-laplace, balls-into-bins, mixed-dummies.",
    "protocols zsm": "'@zsm' names nothing. Did you mean @zsum? `exactdp protocols` lists all names; a file has no @.",
    "delta @zsum:gamma=1/8 -n poison:mu=3 --eps 1": "n='poison:mu=3' is not a number. Write ASCII digits as 3, "
    "100_000, 1/4, 0.25 or 25e-2, without spaces.",
    "delta @zsum:gamma=1/8 -n @poison:mu=3 --eps 1": "users=@poison:mu=3 names no law. Did you mean @poisson? The laws "
    "are @binomial, @binomial-sum, @negative-binomial, @geometric, @discrete-laplace, @discrete-gaussian, "
    "@discrete-uniform, @poisson.",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_is_wrong_with_a_name_is_said(command: str) -> None:
    refused = run(command)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"error: {REFUSED[command]}\n"


def test_a_random_number_of_users_needs_no_at_sign() -> None:
    asked = "delta @gap --exp-eps 2 -n"
    plain, named = answer(f"{asked} binomial:n=3,p=1/2"), answer(f"{asked} @binomial:n=3,p=1/2")
    assert plain["delta"] == named["delta"]


def test_the_rational_number_that_is_taken_is_shown() -> None:
    power = "24484106059472293/9007199254740992"
    for command in ("law NAME --dataset 0=1", "sample NAME --dataset 0=1 --size 1 --seed 1"):
        shown = answer(command.replace("NAME", "@unary-encoding:inputs=2,eps0=1"))["randomizer"]
        assert shown == f"@unary-encoding:inputs=2,exp-eps0={power}"
    asked = "certify @oue:inputs=2,eps0=1 -n 4 --eps 1 --delta 1/2"
    assert answer(asked)["randomizer"] == f"@unary-encoding:inputs=2,exp-eps0={power},optimized=true"


SECONDS = {"subset-selection", "unary-encoding"}
"""Names whose examples take long."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SECONDS)) for name in ENTRIES])
def test_the_example_of_every_name_runs(name: str) -> None:
    said = answer(f"protocols {name}")["shell"]
    assert f"example     {said}\n" in run(f"protocols {name}").stdout
    assert CliRunner().invoke(cli, shlex.split(said)[1:]).exit_code == 0


def test_the_help_of_queries_and_the_names_fit_a_screen() -> None:
    assert len(run("protocols").stdout.splitlines()) <= 45
    for command in QUESTIONS:
        shown = run(f"{command} --help").stdout
        assert len(shown.splitlines()) <= (60 if command == "certify" else 50)
        assert not ({*OPTIONS} - {"--size"}) & set(shown.split())


def test_a_file_of_the_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("init gap").exit_code == 0
    asked = run("check gap --format json")
    assert json.loads(asked.stdout)["inputs"] == ["no", "yes"]
    assert asked.stderr.splitlines()[0] == "gap is read as the file of this name; @gap is the name."
    named = run("check @gap --format json")
    assert (json.loads(named.stdout)["inputs"], "is read" in named.stderr) == (["0", "1"], False)


def test_categories_and_inputs_are_one_option() -> None:
    asked = "3 -n 4 --gamma 1/2 --exp-eps 2"
    old, new = (answer(f"delta @randomized-response --{name} {asked}") for name in ("categories", "inputs"))
    assert old == new
    assert old["randomizer"] == "@randomized-response --inputs 3 --gamma 1/2"


def test_a_binary_sum_is_binary_randomized_response() -> None:
    asked = "--gamma 1/4 -n 8 --exp-eps 2"
    found = answer(f"delta @binary-sum {asked}")["delta"]
    assert found == answer(f"delta @randomized-response {asked}")["delta"]
    assert _fraction(found) == xdp.protocols.cheu_binary_sum(8, lam=2).privacy_profile().delta(exp_eps=2)


def test_the_histogram_is_that_of_the_library() -> None:
    protocol = xdp.protocols.histogram(6, 3, gamma="1/4")
    found = answer("delta @histogram --gamma 1/4 --bins 3 -n 6 --exp-eps 3")
    assert xdp.protocols.histogram(6, 3, gamma="1/4").privacy_profile().delta(exp_eps=3) == _fraction(found["delta"])
    assert found["worst_pair"]["first"] == {"0": 6}
    law = answer("law @histogram --gamma 1/4 --bins 3 --dataset 0=4,2=2")["law"]
    assert sum(_fraction(row["prob"]) for row in law) == 1
    assert {tuple(row["counts"]) for row in law} == set(protocol.law({0: 4, 2: 2}).support)
    draws = answer("sample @histogram --gamma 1/4 --bins 3 --dataset 0=4,2=2 --size 3 --seed 1")
    assert (draws["messages"], len(draws["draws"][0])) == (["0", "1", "2"], 3)
    assert answer("certify @histogram --gamma 1/4 --bins 3 -n 2 --exp-eps 2 --delta 1")["level"] == "certificate"


def test_a_histogram_of_a_billion_bins_is_answered_and_checked() -> None:
    name = "@histogram --gamma 1/100 --bins 1000000000 -n 1000000"
    found = answer(f"delta {name} --eps 1")["delta"]
    assert found == answer(f"delta {name.replace('1000000000', '2')} --eps 1")["delta"]
    assert answer(f"check {name}")["inputs"] is None
    assert "inputs               more than 1000: 0, 1, 2, ..." in run(f"check {name}").stdout


def test_one_sided_counting_is_that_of_the_library() -> None:
    profile = xdp.protocols.private_counting(50, r=3, p="1/2").privacy_profile()
    name = "@one-sided-counting --r 3 --p 1/2 -n 50"
    assert _fraction(answer(f"delta {name} --exp-eps 2")["delta"]) == profile.delta(exp_eps=2)
    claimed = answer(f"certify {name} --exp-eps 2 --delta 1/2")
    assert (claimed["verdict"], claimed["level"], claimed["n"]) == ("PROVED", "certificate", 50)
    assert [each["engine"] for each in answer(f"check {name}")["questions"]] == ["shift", "checker: enclosed weights"]


def test_correlated_counting_is_that_of_the_library() -> None:
    protocol = xdp.protocols.correlated_counting(50, p1="1/2", p2="3/4", r=20)
    name = "@correlated-counting --p1 1/2 --p2 3/4 --r 20"
    for question in ("--exp-eps 2", "--eps 1/3"):
        level = {"exp_eps": 2} if "exp" in question else {"eps": "1/3"}
        exact = protocol.privacy_profile().delta(**level)
        found = answer(f"delta {name} -n 50 {question}")["delta"]
        assert Fraction(found["lo"]) <= exact.hi
        assert exact.lo <= Fraction(found["hi"])
    assert "not re-checked (`exactdp certify` asks the checker)" in run(f"delta {name} -n 50 --eps 1").stdout
    for delta, verdict in (("1/2", "PROVED"), ("1e-9", "REFUTED")):
        claimed = json.loads(run(f"certify {name} -n 50 --exp-eps 2 --delta {delta} --format json").stdout)
        assert (claimed["verdict"], claimed["level"], claimed["n"]) == (verdict, "certificate", 50)
    draws = answer(f"sample {name} --dataset 0=20,1=30 --size 3 --seed 1")
    assert draws["messages"] == ["1", "-1"]
    drawn = sample(protocol, {0: 20, 1: 30}, size=3, rng=seeded(1))
    assert draws["draws"] == drawn.tolist()
    least = answer("calibrate correlated-counting -n 50 --eps 1 --delta 1e-6 --grid 1/16")
    assert (least["scope"], least["level"]) == ("and every larger value", "certificate")
    again = answer(least["paste"]["shell"].removeprefix("exactdp ").replace("'", ""))["delta"]
    assert Fraction(again["hi"]) <= Fraction(1, 10**6)
    error = answer("accuracy correlated-counting -n 50 --eps 1 --delta 1e-6 --beta 1/20")
    by_theorem = xdp.protocols.correlated_counting_from_theorem(50, eps=1, delta="1e-6")
    assert Fraction(error["alpha"]["exact"]) == xdp.optimal_accuracy(by_theorem, beta="1/20")


def test_sample_and_threshold_is_that_of_the_library() -> None:
    protocol = xdp.protocols.sample_and_threshold(30, rate="1/4", threshold=3, symbols=2)
    name = "@sample-and-threshold --rate 1/4 --threshold 3 --symbols 2"
    exact = protocol.privacy_profile(neighbors=Neighbors.ADD_OR_REMOVE_ONE)
    asked = answer(f"delta {name} -n 30 --exp-eps 2 --neighbors add-or-remove-one")
    assert _fraction(asked["delta"]) == exact.delta(exp_eps=2)
    replaced = answer(f"epsilon {name} -n 30 --delta 1/100")
    assert replaced["engine"] == "sample and threshold of two symbols"
    draws = answer(f"sample {name} --dataset 1=20,2=10 --size 3 --seed 1")
    assert draws["messages"] == ["1", "2"]
    assert draws["draws"] == sample(protocol, {1: 20, 2: 10}, size=3, rng=seeded(1)).tolist()
    law = answer(f"law {name} --dataset 0=1,1=2,2=3")["law"]
    assert {tuple(row["counts"]): _fraction(row["prob"]) for row in law} == {
        (0, 0): Fraction(63, 64),
        (0, 3): Fraction(1, 64),
    }
    least = answer("calibrate sample-and-threshold --rate 1/4 -n 30 --eps 1 --delta 1e-3")
    again = answer(least["paste"]["shell"].removeprefix("exactdp "))["delta"]
    assert Fraction(again["hi"]) <= Fraction(1, 1000)
    error = answer("accuracy sample-and-threshold -n 30 --eps 1 --delta 1e-6 --beta 1/20")
    by_theorem = xdp.protocols.sample_and_threshold_from_theorem(30, eps=1, delta="1e-6")
    assert _fraction(error["alpha"]) == xdp.optimal_accuracy(by_theorem, beta="1/20")
    assert answer("check @sample-and-threshold --rate 1/2 --threshold 2 -n 5")["messages_per_user"] == "0 to 1"


def _fraction(number: dict[str, str]) -> Fraction:
    return Fraction(number["exact"])


# --- What a table can be asked --------------------------------------------------------------------------------------


def test_check_says_which_questions_at_which_cost_up_to_which_n() -> None:
    said = run("check @gap -n 20").stdout.splitlines()
    rows = {line.split("  ")[0].strip(): line for line in said[said.index("") + 1 :] if "  " in line}
    assert list(rows) == ["question", "delta, epsilon, curve, compose", "certify", "law", "sample"]
    assert rows["question"].endswith("largest n")
    assert "40 pairs of data sets x 81 outcomes" in rows["delta, epsilon, curve, compose"]
    for asked in answer("check @gap -n 20")["questions"]:
        assert asked["within_limit"] is True
        assert asked["largest_n"] is None or int(asked["largest_n"]) > 20


def test_a_law_is_refused_just_beyond_its_largest_n() -> None:
    table = "@histogram --gamma 1/8 --bins 5"
    (largest,) = [
        each["largest_n"] for each in answer(f"check {table} -n 2")["questions"] if each["commands"] == ["law"]
    ]
    randomizer = xdp.protocols.histogram_randomizer(5, gamma="1/8")
    assert view_outcomes(randomizer, largest) <= 10**7
    with pytest.raises(TooLargeError):
        xdp.ShuffleProtocol(randomizer, largest + 1).law({0: largest + 1})


def test_a_law_lists_what_can_occur() -> None:
    """Two users of 20 messages have 210 multisets of messages, and 3^19 vectors of counts up to 2."""
    law = answer("law @randomized-response --inputs 20 --exp-eps0 3 --dataset 0=1,1=1")["law"]
    assert len(law) == 210
    assert all(sum(map(int, row["counts"])) == 2 for row in law)
    assert sum(_fraction(row["prob"]) for row in law) == 1


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("n", [1, 3, 9])
def test_the_checker_does_no_more_work_than_is_said(
    n: int, neighbors: Neighbors, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[Work] = []

    class Counted(Work):
        def __init__(self) -> None:
            super().__init__()
            spent.append(self)

    monkeypatch.setattr(documents, "Work", Counted)
    checked.cache_clear()  # a check that another test asked for would not be counted
    for randomizer in (
        xdp.protocols.gap_randomizer(),
        xdp.protocols.zsum_randomizer(gamma="1/8"),
        xdp.randomized_response(3, gamma="1/5"),
        xdp.protocols.histogram_randomizer(2, gamma="1/8"),
    ):
        said = view_work(randomizer, n, neighbors)
        for delta in ("1/1000", "99/100"):
            claim = xdp.Claim.shuffle_dp(
                xdp.ShuffleProtocol(randomizer, n), eps="1/3", delta=delta, neighbors=neighbors
            )
            assert xdp.certify(claim).level == "certificate"
            assert said is not None
            assert MAX_WORK - spent[-1].left <= said
            assert view_work(randomizer, n, neighbors, most=said - 1) is None


def test_almost_central_is_that_of_the_library() -> None:
    protocol = xdp.protocols.almost_central_sum(50, bound=1, eps=1, delta="1e-6")
    name = "@almost-central --bound 1 --for-eps 1 --for-delta 1e-6"
    profile = protocol.privacy_profile()
    delta = answer(f"delta {name} -n 50 --eps 1/2")["delta"]
    assert Fraction(delta["lo"]) <= profile.delta(eps="1/2").hi
    assert profile.delta(eps="1/2").lo <= Fraction(delta["hi"])
    least = answer("calibrate almost-central -n 50 --eps 1 --delta 1e-6 --grid 1/16")
    assert (least["scope"], least["level"]) == ("and every larger value", "certificate")
    again = answer(least["paste"]["shell"].removeprefix("exactdp "))["delta"]
    assert Fraction(again["hi"]) <= Fraction(1, 10**6)
    error = answer("accuracy almost-central -n 50 --eps 1 --delta 1e-6 --bound 3 --beta 1/20")
    wide = xdp.protocols.almost_central_sum(50, bound=3, eps=1, delta="1e-6")
    assert Fraction(error["alpha"]["exact"]) == xdp.optimal_accuracy(wide, beta="1/20")

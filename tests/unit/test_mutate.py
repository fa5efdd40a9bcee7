"""The mutants of ``python -m tests.mutate``: each is one change of code that runs."""

import ast
import os
from types import SimpleNamespace

import pytest

from exactdp.numbers import exact
from tests import mutate


@pytest.mark.slow
@pytest.mark.parametrize("room", ["numbers", "privacy"])
def test_every_room_has_a_sample_of_different_code(room: str) -> None:
    chosen = mutate.sample(room, 10, seed=1)
    assert chosen == mutate.sample(room, 10, seed=1) != mutate.sample(room, 10, seed=2)
    assert len(chosen) == len(set(chosen)) == 10
    for mutant in chosen:
        original = (mutate.ROOT / mutant.path).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(original)), mutant.change


@pytest.mark.parametrize("room", list(mutate.TESTS))
def test_every_room_has_code_and_tests(room: str) -> None:
    assert list((mutate.ROOT / "exactdp" / room).rglob("*.py"))
    assert [folder for folder in mutate.TESTS[room] if not (mutate.ROOT / folder).exists()] == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a < b", {"a <= b"}),
        ("a + b", {"a - b", "a"}),
        ("-a", {"a"}),
        ("a and b", {"a", "b"}),
        ("a if b else c", {"a", "c"}),
        ("1", {"2"}),
        ("True", {"False"}),
        ("x.upper", {"x.lower"}),
        ("max", {"min"}),
        ("'text'", set()),
    ],
)
def test_the_changes_of_an_expression(code: str, found: set[str]) -> None:
    node = ast.parse(code, mode="eval").body
    assert {ast.unparse(changed) for changed in mutate.changes(node)} == found


def test_annotations_and_messages_are_left_alone() -> None:
    places = mutate.Places()
    places.visit(ast.parse("def f(x: int | None = 1) -> int | None:\n    raise ValueError(f'{x + 2}')\n"))
    assert places.found == []


def test_an_expression_knows_its_function_or_its_constant() -> None:
    places = mutate.Places()
    places.visit(
        ast.parse("LIMIT: Final = 2\nclass A:\n    x: int = 3\n    @one(4)\n    def f(self):\n        return 5\n")
    )
    found = [(ast.unparse(node), function, constant) for node, function, constant in places.found]
    assert found == [("LIMIT", None, "LIMIT"), ("2", None, "LIMIT"), ("5", ("A.f", 4), None)]


def test_an_exchanged_function_and_constant_are_seen_where_they_are_used() -> None:
    """In a child process, for nothing is put back."""
    package = mutate.Package("numbers")
    by_change = {(m.function, m.constant, m.change): m for m in mutate.mutants("numbers") if "exact.py" in m.path}
    digits = next(m for (_, constant, change), m in by_change.items() if constant == "MAX_DIGITS" and "4001" in change)
    limits = [
        m
        for (function, _, change), m in by_change.items()
        if function is not None and function[0] == "_limit_digits" and "digits >= MAX_DIGITS" in change
    ]
    for mutant in (digits, *limits):
        assert package.reached(mutant)
        assert not package.is_equivalent(mutant)
        if not (child := os.fork()):
            package.exchange(mutant)
            try:
                exact.as_fraction("1" * (4001 if mutant is digits else 4000), name="x")
                os._exit(1)
            except exact.TooLargeError:
                os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == (1 if mutant is digits else 2)


class Item:
    """A collected test that passes, or fails."""

    def __init__(self, name: str, runner: mutate.Runner, *, fails: bool) -> None:
        def run(item: Item, nextitem: None) -> None:
            runner.pytest_runtest_logreport(SimpleNamespace(failed=fails, nodeid=name))

        self.nodeid = name
        self.config = SimpleNamespace(hook=SimpleNamespace(pytest_runtest_protocol=run))


@pytest.mark.slow
def test_a_test_that_fails_without_a_change_judges_no_mutant(capfd: pytest.CaptureFixture[str]) -> None:
    runner = mutate.Runner("numbers", [], 20, 15, 1)
    items = [Item("good", runner, fails=False), Item("bad", runner, fails=True), Item("fine", runner, fails=False)]
    seen = runner._without_change(items, mutate.Package("numbers"))
    assert [item.nodeid for item, _ in seen] == ["good", "fine"]
    assert "left out, for it fails without any change: bad" in capfd.readouterr().out


@pytest.mark.slow
def test_survivors_of_a_run_are_found_again_wherever_their_lines_are(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = mutate.sample("privacy", 12, seed=3)
    lines = [f"survived (all tests pass): {m.path}:{m.line + 7}: {m.what}" for m in chosen[:5]]
    lines += ["50 of 300 mutants after 7 s", f"survived (all tests pass): {chosen[0].path}:1: in nothing: 1  ->  2: 2"]
    lines.append("survived (no test of the room calls it): exactdp/numbers/real.py:1: in Real: 1  ->  2: 2")
    found = mutate.survivors("privacy", "\n".join(lines))
    assert set(chosen[:5]) <= set(found)
    assert {(m.path, m.what) for m in found} == {(m.path, m.what) for m in chosen[:5]}
    assert capfd.readouterr().out.splitlines() == [
        f"no such change any more: {chosen[0].path}: in nothing: 1  ->  2: 2"
    ]


def test_a_survivor_is_named_by_its_function_its_change_and_its_line() -> None:
    for mutant in mutate.sample("studies/calibration", 10, seed=4):
        assert mutant.function is None or f"in {mutant.function[0]}: " in mutant.what
        assert f"{mutant.change}: " in mutant.what
        assert mutant.source.splitlines()[mutant.line - 1].strip() in mutant.what

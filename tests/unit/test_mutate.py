"""The mutants of ``python -m tests.mutate``: each is one change of code that runs."""

import ast

import pytest

from tests import mutate


@pytest.mark.parametrize("room", ["numbers", "privacy"])
def test_every_room_has_a_sample_of_different_code(room: str) -> None:
    chosen = mutate.sample(room, 10, seed=1)
    assert chosen == mutate.sample(room, 10, seed=1) != mutate.sample(room, 10, seed=2)
    assert len(chosen) == len(set(chosen)) == 10
    for mutant in chosen:
        original = (mutate.ROOT / mutant.path).read_text(encoding="utf-8")
        assert ast.dump(ast.parse(mutant.source)) != ast.dump(ast.parse(original)), mutant.change
    for folder in mutate.TESTS[room]:
        assert (mutate.ROOT / folder).exists()


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
    assert [ast.unparse(node) for node in places.found] == ["1"]

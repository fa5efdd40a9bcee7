"""docs/architecture.md and the floors in CONTRIBUTING.md, compared with the imports and with what is called."""

import re
import sys
from pathlib import Path
from types import FrameType

import exactdp as xdp
from tests.test_architecture import DOOR, FLOORS, ROOT, Tree, _room, _within, this_tree
from tests.together import together

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def stands_on(tree: Tree) -> dict[str, set[str]]:
    """For each room, the other rooms that its files import from, at any depth; the front door is no room."""
    needs: dict[str, set[str]] = {room: set() for floor in FLOORS for room in floor}
    for module in tree.modules.values():
        if module.name != DOOR:
            targets = [i.target for i in tree.imports(module) if i.when != "types" and i.target != DOOR]
            needs[module.room] |= {_room(target) for target in targets if _within(target, DOOR)} - {module.room}
    return needs


def arrows(tree: Tree) -> dict[str, set[str]]:
    """The same without the rooms that others imply."""
    needs = stands_on(tree)

    def below(room: str) -> set[str]:
        return needs[room].union(*map(below, needs[room]))

    return {room: direct - {far for near in direct for far in below(near)} for room, direct in needs.items()}


def floors_in_words() -> str:
    """The floors as CONTRIBUTING.md names them, from the ground up."""
    named = [" and ".join(", ".join(f"`{room}`" for room in floor).rsplit(", ", 1)) for floor in FLOORS]
    return "; ".join(named)


def test_the_picture_is_that_of_the_imports() -> None:
    drawn = re.findall(r"^  (\w+) --> (\w+)$", PAGE, re.MULTILINE)
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) == {(room, other) for room, others in arrows(this_tree()).items() for other in others}


def test_an_arrow_too_many_and_an_implied_one_are_told_apart(tmp_path: Path) -> None:
    sources = {
        "numbers/a.py": "",
        "laws/b.py": "from exactdp.numbers import a",
        "mechanisms/c.py": "def f():\n    from exactdp.numbers import a\n    from exactdp.laws import b",
    }
    for name, source in sources.items():
        path = tmp_path / "exactdp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    assert stands_on(Tree.read(tmp_path))["mechanisms"] == {"numbers", "laws"}
    assert arrows(Tree.read(tmp_path))["mechanisms"] == {"laws"}


def test_the_table_has_the_floors() -> None:
    rows = [tuple(re.findall(r"`(\w+)`", row)) for row in re.findall(r"^\| (`.*?) \| ", PAGE, re.MULTILINE)]
    assert rows == list(reversed(FLOORS))


def test_contributing_names_the_floors() -> None:
    """Where this fails, put the sentence that it expects into CONTRIBUTING.md."""
    assert floors_in_words() in " ".join((ROOT / "CONTRIBUTING.md").read_text("utf-8").split())


def test_a_number_goes_the_way_of_the_page() -> None:
    """The functions are called in the order in which the page names them."""
    way = re.findall(r"^\d+\. `([\w.]+)`: ", PAGE, re.MULTILINE)
    called: list[str] = []

    def watch(frame: FrameType, event: str, argument: object) -> None:
        name = f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"
        if event == "call" and len(called) < len(way) and name == way[len(called)]:
            called.append(name)

    protocol = xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="1/4"), 1000)
    sys.setprofile(watch)
    try:
        delta = protocol.privacy_profile().delta(exp_eps="3/2")
    finally:
        sys.setprofile(None)
    assert 0 < delta < 1
    assert called == way
    assert len(way) > 5


@together("floor", FLOORS, ids="-".join)
def test_a_room_is_on_one_floor(floor: tuple[str, ...]) -> None:
    assert all(sum(room in other for other in FLOORS) == 1 for room in floor)

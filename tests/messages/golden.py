"""What is refused, word for word: one file of questions and of what is said of them for each room, ``ROOM.txt``.

The lines of a question begin with a mark of the room, and the next line is the answer; a line that begins with # or is
empty separates. ``python -m tests.messages.golden`` writes what is said today into all files: read the change.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MARKS = {"cli": ("$",), "core": (">>>",), "deployment": ("-", "+")}
"""Room -> what the lines of its questions begin with."""
Answer = Callable[[str], str]
"""Question, as its lines without their marks where there is only one -> what is said of it, on one line."""


def blocks(room: str) -> Iterator[tuple[list[str], str, list[str]]]:
    """Yield the lines of each question, its answer, and the lines that stand before it."""
    before, question = list[str](), list[str]()
    for line in (FOLDER / f"{room}.txt").read_text(encoding="utf-8").splitlines():
        if line.split(" ")[0] in MARKS[room]:
            question.append(line)
        elif question:
            yield question, line, before
            before, question = [], []
        else:
            before.append(line)


def text_of(question: list[str]) -> str:
    """A question as its room asks it."""
    return "\n".join(question) if question[0][0] in "-+" else question[0].partition(" ")[2]


def entries(room: str) -> dict[str, str]:
    """Question -> what is said of it."""
    return {text_of(question): said for question, said, _ in blocks(room)}


def differences(room: str, answer: Answer) -> list[str]:
    """Return the questions of which something else is said, with both."""
    answers = ((question, said, answer(question)) for question, said in entries(room).items())
    return [f"{question}\n  is said: {now}\n  expected: {said}" for question, said, now in answers if now != said]


def write(room: str, answer: Answer) -> None:
    """Write what is said today into the file of a room."""
    lines = [line for question, _, before in blocks(room) for line in (*before, *question, answer(text_of(question)))]
    (FOLDER / f"{room}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Write all files anew."""
    for room in MARKS:
        module = import_module(f"tests.messages.test_{room}_messages")
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            module.prepare(Path(folder))
            write(room, module.said)
            os.chdir(FOLDER)


if __name__ == "__main__":
    main()

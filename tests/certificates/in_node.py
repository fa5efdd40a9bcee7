"""Functions of the second checker, called from Python."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

MODULES = Path(__file__).resolve().parent / "second_checker"


def computed(expression: str, arguments: list[Any], *modules: str) -> list[Any]:
    """What a JavaScript function of one argument makes of each; its long integers are returned as texts.

    It may use ``r``, which is reading.mjs, and the further ``modules`` by their names.
    """
    imports = {"r": "reading", **{name: name for name in modules}}
    program = "".join(
        f"import * as {name} from {json.dumps((MODULES / f'{file}.mjs').as_uri())};" for name, file in imports.items()
    )
    program += f"""
        const answers = JSON.parse(process.argv[1]).map({expression});
        const spelt = (_, value) => (typeof value === "bigint" ? "0x" + value.toString(16) : value);
        console.log(JSON.stringify(answers, spelt));
    """
    command = ["node", "--input-type=module", "--eval", program, json.dumps(arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return list(json.loads(done.stdout))

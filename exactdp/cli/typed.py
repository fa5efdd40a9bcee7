"""The command as it was typed, for what is written to say how it was made."""

from __future__ import annotations

import os
import shlex

import click
from click.core import ParameterSource


def typed_command(*written: str) -> str:
    """Return the running command with what was typed, as a line for a shell.

    Args:
        written: parameters that name files to write. Their folders are left out: where a file was put is no part of
            how it was made.
    """
    context = click.get_current_context()
    words = ["exactdp", context.command.name or ""]
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        for one in value if isinstance(value, tuple) else (value,):
            option = max(parameter.opts, key=len) if isinstance(parameter, click.Option) else ""
            text = "" if isinstance(one, bool) else os.path.basename(one) if name in written else str(one)
            words += filter(None, (option, text))
    return shlex.join(words)

"""What a calibrated parameter is in other words, and the lines that ask about it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from fractions import Fraction

from exactdp.cli.values import TypedLevel
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import exact_text
from exactdp.protocols.named_protocols import ENTRIES, with_family


def response_eps0(flip: Fraction) -> LogRational:
    """Return eps0 of one answer that is flipped with this probability, at most 1/2: e^eps0 = (1 - flip) / flip.

    >>> response_eps0(Fraction(1, 4)), response_eps0(Fraction(0))
    (LogRational('3'), LogRational(None))
    """
    return LogRational((1 - flip) / flip if flip else None)


def pasted(
    family: str,
    parameter: tuple[str, Fraction],
    options: Mapping[str, str],
    users: str | None,
    privacy_level: TypedLevel,
    share: Fraction | None = None,
) -> dict[str, str] | None:
    """Return a command and a line of Python (after ``import exactdp as xdp``) that give delta at the parameter.

    None if no name says it: an irrational noise law. ``share`` is that of eps which a family of two noises splits.

    >>> pasted("zsum", ("gamma", Fraction(1, 8)), {}, "100", TypedLevel.read("1", "eps"))["shell"]
    'exactdp delta @zsum --gamma 1/8 --users 100 --eps 1'
    """
    entry, (name, number) = with_family().get(family) or ENTRIES[family], parameter
    value, eps, share = exact_text(number), privacy_level.eps, Fraction(1, 2) if share is None else share
    if entry.again and all(f"{{{option}}}" in entry.again[0] for option in options if option != "share"):
        parts = {"double": 2 * number}
        if eps is not None:
            parts |= {"eps": eps, "fifth": eps / 5, "own": eps * (1 - share), "shared": eps * share / 5}
        said = {part: exact_text(one) for part, one in parts.items()} | {"value": value, "users": users, **options}
        said[name] = value
        if not (number or entry.may_be_zero):
            return None
        try:
            subject, profile = (text.format_map(said) for text in entry.again)
        except KeyError:  # a part of an eps that is irrational
            return None
        return _asking(subject, profile, privacy_level)
    if family not in with_family() or options:
        return _of_randomizer(family, {**options, name: value}, users, privacy_level)
    if not (number or entry.may_be_zero) or [one.name for one in entry.needed] != [entry.calibrated_by]:
        return None
    subject = f"@{entry.name}:{entry.calibrated_by}={value} --users {users}"
    module, _, made = entry.protocol.partition(":")
    argument = entry.by_name[entry.calibrated_by].argument
    profile = f'__import__("{module}", fromlist=["{made}"]).{made}({users}, {argument}="{value}").privacy_profile()'
    return _asking(subject, profile, privacy_level)


def _of_randomizer(
    family: str, options: Mapping[str, str], users: str | None, privacy_level: TypedLevel
) -> dict[str, str]:
    """Return the same lines for a randomizer with its options, the last of which is calibrated."""
    *given, (parameter, value) = options.items()
    typed = [f"--{name.replace('_', '-')} {text}".rstrip() for name, text in options.items()]
    call = [text for name, text in given if name in ("inputs", "top")]
    call += [f"{name}={text or True}" for name, text in given if name not in ("inputs", "top")]
    call.append(f'{parameter}="{value}"')
    made = f"xdp.randomizers.{family.replace('-', '_')}({', '.join(call)})"
    subject = " ".join([f"@{family}", *typed, f"--users {users}"])
    return _asking(subject, f"xdp.ShuffleProtocol({made}, {users}).privacy_profile()", privacy_level)


def pasted_named(name: str, users: str, privacy_level: TypedLevel) -> dict[str, str]:
    """Return the same lines for a name with its calibrated number."""
    home = '__import__("exactdp.protocols.naming.targets", fromlist=["read_target"])'
    profile = f"{home}.read_target({name!r}).build({users}).privacy_profile()"
    return _asking(f"{shlex.quote(name)} --users {users}", profile, privacy_level)


def pasted_runs(lines: dict[str, str], times: int) -> dict[str, str]:
    """Return the same lines about so many adaptive runs together."""
    shell = lines["shell"].replace("exactdp delta ", "exactdp compose ", 1)
    return {
        "shell": f"{shell} --times {times}",
        "python": lines["python"].replace(".delta(", f".compose({times}).delta("),
    }


def _asking(subject: str, profile: str, privacy_level: TypedLevel) -> dict[str, str]:
    name, shown = privacy_level.name, privacy_level.shown
    if name == "eps" and shown.startswith("ln("):
        name, shown = "exp_eps", shown[3:-1]
    return {
        "shell": f"exactdp delta {subject} --{name.replace('_', '-')} {shown}",
        "python": f'{profile}.delta({name}="{shown}")',
    }

"""What a calibrated parameter is in other words, and the lines that ask about it again."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import TYPE_CHECKING

from exactdp.cli.values import TypedLevel
from exactdp.numbers.epsilon import LogRational
from exactdp.numbers.formats import exact_text
from exactdp.protocols.named_protocols import with_family

if TYPE_CHECKING:
    from exactdp.studies.calibration.calibrated import Calibration


def response_eps0(flip: Fraction) -> LogRational:
    """Return eps0 of one answer that is flipped with this probability, at most 1/2: e^eps0 = (1 - flip) / flip.

    >>> response_eps0(Fraction(1, 4)), response_eps0(Fraction(0))
    (LogRational('3'), LogRational(None))
    """
    return LogRational((1 - flip) / flip if flip else None)


def pasted(
    family: str,
    parameter: Fraction,
    users: str | None,
    privacy_level: TypedLevel,
    share: Fraction = Fraction(1, 2),
) -> dict[str, str] | None:
    """Return a command and a line of Python (after ``import exactdp as xdp``) that give delta at the parameter.

    None if no name says it: an irrational noise law. ``share`` is that of eps which a family of two noises splits.

    >>> pasted("zsum", Fraction(1, 8), "100", TypedLevel.read("1", "eps"))["shell"]
    'exactdp delta @zsum --gamma 1/8 --users 100 --eps 1'
    """
    value = exact_text(parameter)
    if family == "zsum":
        subject = f"@zsum --gamma {value} --users {users}"
        profile = f'xdp.protocols.zsum({users}, gamma="{value}").privacy_profile()'
    elif family == "randomized-response":
        gamma = exact_text(2 * parameter)
        subject = f"@randomized-response --gamma {gamma} --users {users}"
        profile = f'xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="{gamma}"), {users}).privacy_profile()'
    elif not parameter and not with_family()[family].may_be_zero:
        return None
    elif with_family()[family].again:
        if (eps := privacy_level.eps) is None:
            return None
        parts = {"eps": eps, "fifth": eps / 5, "own": eps * (1 - share), "shared": eps * share / 5}
        said = {"value": value, "users": users, **{name: exact_text(part) for name, part in parts.items()}}
        subject, profile = (text.format_map(said) for text in with_family()[family].again)
    elif family != "discrete-gaussian":
        entry = with_family()[family]
        if [one.name for one in entry.needed] != [entry.calibrated_by]:
            return None
        subject = f"@{entry.name}:{entry.calibrated_by}={value} --users {users}"
        module, _, name = entry.protocol.partition(":")
        argument = entry.by_name[entry.calibrated_by].argument
        profile = f'__import__("{module}", fromlist=["{name}"]).{name}({users}, {argument}="{value}").privacy_profile()'
    else:
        subject = f"@discrete-gaussian:sigma_squared={value}"
        profile = f'xdp.shift_profile(xdp.DiscreteGaussian("{value}"))'
    return _asking(subject, profile, privacy_level)


def pasted_local(
    family: str, calibration: Calibration, options: dict[str, str], users: str, privacy_level: TypedLevel
) -> dict[str, str]:
    """Return the same lines for a randomizer with its options and its calibrated parameter."""
    parameter, value = calibration.name, exact_text(calibration.parameter)
    typed = " ".join(f"--{name} {text}".rstrip() for name, text in options.items())
    subject = " ".join([f"@{family}", *([typed] if typed else []), f"--{parameter.replace('_', '-')} {value}"])
    if family in ("histogram", "flooding"):
        inputs = options["inputs"]
        noise = f'gamma="{value}"' if family == "histogram" else f'noise=xdp.Poisson("{value}")'
        bins = "bins" if family == "histogram" else "inputs"
        profile = f"xdp.protocols.{family}({users}, {inputs}, {noise}).privacy_profile()"
        shell = f"@{family} --{bins} {inputs} --{parameter} {value} --users {users}"
        return _asking(shell, profile, privacy_level)
    given = [options[name] for name in ("inputs", "top") if name in options]
    given += [f"{name}={text or True}" for name, text in options.items() if name not in ("inputs", "top")]
    call = ", ".join([*given, f'{parameter}="{value}"'])
    profile = f"xdp.ShuffleProtocol(xdp.randomizers.{family.replace('-', '_')}({call}), {users}).privacy_profile()"
    return _asking(f"{subject} --users {users}", profile, privacy_level)


def pasted_sampled(
    calibration: Calibration, options: dict[str, str], users: str | None, privacy_level: TypedLevel
) -> dict[str, str]:
    """Return the same lines for sample and threshold with its calibrated parameter."""
    values = {**options, calibration.name: exact_text(calibration.parameter)}
    rate, threshold = values["rate"], values["threshold"]
    subject = f"@sample-and-threshold --rate {rate} --threshold {threshold} --users {users}"
    protocol = f'xdp.protocols.sample_and_threshold({users}, rate="{rate}", threshold={threshold})'
    return _asking(subject, f"{protocol}.privacy_profile()", privacy_level)


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

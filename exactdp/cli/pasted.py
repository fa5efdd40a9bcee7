"""What a calibrated parameter is in other words, and the lines that ask about it again."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exactdp.cli.values import TypedLevel
from exactdp.numbers.formats import exact_text
from exactdp.privacy.epsilon import LogRational

__all__ = ["Pasted", "pasted", "response_eps0"]

_EXPONENT: Final = "exp(-{})"
"""How an irrational ratio is typed."""


@dataclass(frozen=True, slots=True)
class Pasted:
    """A command and a line of Python (after ``import exactdp as xdp``) that give delta at the calibrated parameter."""

    shell: str
    python: str


def response_eps0(flip: Fraction) -> LogRational:
    """Return eps0 of one answer that is flipped with this probability, at most 1/2: e^eps0 = (1 - flip) / flip.

    >>> response_eps0(Fraction(1, 4)), response_eps0(Fraction(0))
    (LogRational('3'), LogRational(None))
    """
    return LogRational((1 - flip) / flip if flip else None)


def pasted(family: str, parameter: Fraction, users: str | None, privacy_level: TypedLevel) -> Pasted | None:
    """Return the lines for a family of ``exactdp calibrate``; None if no name says it: an irrational noise law.

    >>> pasted("zsum", Fraction(1, 8), "100", TypedLevel.read("1", None)).shell
    'exactdp delta @zsum --gamma 1/8 --users 100 --eps 1'
    """
    level = f'{privacy_level.name}="{privacy_level.shown}"'
    asked = f"--{privacy_level.name.replace('_', '-')} {privacy_level.shown}"
    value = exact_text(parameter)
    if privacy_level.name == "eps" and privacy_level.shown.startswith("ln("):
        level, asked = f'exp_eps="{privacy_level.shown[3:-1]}"', f"--exp-eps {privacy_level.shown[3:-1]}"
    if family == "zsum":
        protocol = f'xdp.protocols.zsum({users}, gamma="{value}")'
        return Pasted(f"exactdp delta @zsum --gamma {value} --users {users} {asked}", _delta(protocol, level))
    if family == "randomized-response":
        gamma = exact_text(2 * parameter)
        protocol = f'xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="{gamma}"), {users})'
        command = f"exactdp delta @randomized-response --gamma {gamma} --users {users} {asked}"
        return Pasted(command, _delta(protocol, level))
    if not parameter or (family == "counting" and privacy_level.eps is None):
        return None
    if family == "counting":
        assert privacy_level.eps is not None
        ratio = _EXPONENT.format(exact_text(privacy_level.eps / 5))
        law = f'xdp.NegativeBinomial("{value}", "{ratio}")'
        return Pasted(f"exactdp delta '@negative-binomial:r={value},p={ratio}' {asked}", _noise(law, level))
    law = f'xdp.DiscreteGaussian("{value}")'
    return Pasted(f"exactdp delta @discrete-gaussian:sigma_squared={value} {asked}", _noise(law, level))


def _delta(protocol: str, level: str) -> str:
    return f"{protocol}.privacy_profile().delta({level})"


def _noise(law: str, level: str) -> str:
    return f"xdp.shift_profile({law}).delta({level})"

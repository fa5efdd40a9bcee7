"""``security``: how far two views of split and mix with the same sum can be apart, or how many messages are enough.

Beside what is proved here stands the published number of the same regime. With a noise law on the inputs it says how
private the whole is. The JSON is described in docs/json.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.completion import laws
from exactdp.cli.options import (
    answer_options,
    one_of,
    option_of,
    options,
    privacy_level_options,
    shift_option,
    target_option,
    with_parameters,
)
from exactdp.cli.output import HONEST_USERS, Fact, Report, answer, cell, count, number_fact, users_facts
from exactdp.cli.progress_bars import working
from exactdp.cli.values import COUNT, EXACT, USERS, WHOLE, Typed, TypedLevel
from exactdp.errors import HypothesisError, InvalidValueError
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.exact import as_integer
from exactdp.numbers.formats import exact_text, number_json, number_text
from exactdp.protocols.naming.typed_noise import read_count_noise

if TYPE_CHECKING:
    from exactdp.protocols.mixing.split_and_mix_protocol import SplitAndMix

_REGIMES: Final[tuple[tuple[str, str, dict[str, bool]], ...]] = (
    ("all", "two views", {}),
    ("all", "view and simulator", {"simulator": True}),
    ("uniform", "two views", {"average": True}),
    ("uniform", "view and simulator", {"average": True, "simulator": True}),
)
"""Which inputs, and between what the distance is; as the functions of exactdp.bounds take it."""
_DIGITS: Final = 7
"""As many as in all text."""
_NOTE: Final = (
    "Two views of data sets with the same sum, in total variation; the simulator knows the sum alone. The published",
    "number is stated for the mean over uniform inputs, and for all inputs follows with one message less and twice it.",
)
"""What the text says of the regimes."""


_LEVEL: Final = Fact("level", "enclosure")

_NAMED: Final = one_of(("split-and-mix",))


@click.command("security")
@click.argument("protocol", type=_NAMED, metavar="PROTOCOL")
@option_of(USERS, "N", "-n", "--users", required=True, help="Number of users who follow the protocol.")
@options((target_option("--modulus", Typed(as_integer, at_least=2)), target_option("--messages", WHOLE)))
@option_of(COUNT, "S", "--sigma", help="Bits of security asked for: how many messages make the distance 2^-S?")
@option_of(
    Typed(read_count_noise, offers=laws),
    "LAW",
    "--noise",
    help="Law of all users' noise together, as @discrete-laplace:exp_eps=2.",
)
@options(shift_option, privacy_level_options)
@option_of(EXACT, "D", "--delta", help="With --noise: the eps of the whole at this delta.")
@options(answer_options)
def security_command(protocol: str, **typed: Any) -> Report:
    """How far two views with the same sum are apart, or how many messages are enough. PROTOCOL is split-and-mix.

    With --messages the bound of the distance, with --sigma the least number of messages whose bound is 2^-S: proved
    here, by the components of a random graph, and as published. With --messages and --noise also the privacy of the
    whole, for inputs that carry noise: delta at --eps or --exp-eps, or eps at --delta.
    """
    protocol, typed = with_parameters(_NAMED, protocol, typed)
    users, modulus, messages, sigma = (typed[name] for name in ("users", "modulus", "messages", "sigma"))
    if modulus is None:
        raise InvalidValueError("--modulus is needed. Write --modulus 4294967296 for sums below 2^32.")
    if (messages is None) == (sigma is None):
        given = "neither is given" if messages is None else "both are given"
        raise InvalidValueError(
            f"one of --messages and --sigma is needed, and {given}. Write --messages 10, or --sigma 40."
        )
    title = f"{protocol} --modulus {modulus}, n = {users}"
    asked = title if messages is None else f"{title}, --messages {messages}"
    facts = [Fact("protocol", protocol, "protocol", asked), *users_facts(users), Fact("modulus", count(modulus))]
    with working(f"security of {title}"):
        if messages is None:
            _refuse_noise(typed)
            return _enough(facts, users, modulus, sigma)
        made = xdp.protocols.split_and_mix(users, modulus=modulus, messages=messages)
        return _distances([*facts, Fact("messages", count(made.messages))], made, _whole(made, typed))


def _enough(facts: list[Fact], users: int, modulus: int, sigma: int) -> Report:
    """Return the least numbers of messages."""
    from exactdp.protocols.mixing.component_bound import split_and_mix_message_counts

    rows = [
        [
            *_regime("uniform" if row.average else "all", "view and simulator" if row.simulator else "two views"),
            Fact("messages", row.proved, "messages", _text(row.proved)),
            Fact("published", row.published, "published", _text(row.published)),
        ]
        for row in split_and_mix_message_counts([users], modulus=modulus, sigma=sigma)
    ]
    asked = Fact("sigma", count(sigma), "distance", f"at most 2^-{sigma}")
    return answer(*facts, asked, rows=rows, after=[_LEVEL], notes=_notes())


def _distances(facts: list[Fact], made: SplitAndMix, whole: tuple[dict[str, Any], list[Fact]] | None) -> Report:
    """Return the bounds of the distances, and the privacy of the whole where there is noise."""
    from exactdp.protocols.mixing.component_bound import published_split_and_mix_distance

    rows = []
    for inputs, between, regime in _REGIMES:
        numbers = {"modulus": made.modulus, "messages": made.messages}
        published = _published(published_split_and_mix_distance, regime, made.n, **numbers)
        distance = made.distance_bound(**regime)
        bounds = [
            number_fact("distance", distance, text=_text(distance)),
            number_fact("published", published, text=_text(published)),
        ]
        rows.append([*_regime(inputs, between), *bounds])
    data, lines = ([], []) if whole is None else ([Fact("whole", whole[0])], whole[1])
    return answer(*facts, *lines, rows=rows, after=[*data, _LEVEL], notes=_notes())


def _regime(inputs: str, between: str) -> tuple[Fact, Fact]:
    return Fact("inputs", inputs, "inputs", inputs), Fact("between", between, "between", between)


def _whole(made: SplitAndMix, typed: Mapping[str, Any]) -> tuple[dict[str, Any], list[Fact]] | None:
    """Return the privacy of noisy inputs, as JSON data, and as lines with columns of CSV."""
    if typed["noise"] is None:
        _refuse_noise(typed)
        return None
    noise, shift = typed["noise"], as_integer(1 if typed["shift"] is None else typed["shift"], name="shift", at_least=1)
    noisy = made.with_noise(xdp.shift_profile(noise.on_integers, shift=shift))
    cells = {**noise.cells, "shift": str(shift)}
    line = Fact(label="noise", text=f"{noise.title}, shift {shift}", cells=cells)
    data = {**noise.data, "shift": count(shift)}
    if typed["delta"] is not None:
        if typed["eps"] is not None or typed["exp_eps"] is not None:
            raise InvalidValueError("--delta is given with an eps. Leave out one of them.")
        delta = typed["delta"]
        eps = noisy.epsilon(delta)
        least = eps_json(eps)
        asked = Fact(label="delta", text=number_text(delta), cells={"delta": exact_text(delta)})
        enough = Fact(label="eps", text=f"{eps_text(eps)}, enough by the theorem", cells={"eps_hi": least["hi"]})
        return {**data, "delta": exact_text(delta), "eps": least}, [line, asked, enough]
    level = TypedLevel.one_of(typed["eps"], typed["exp_eps"])
    bound = noisy.delta(**level.keywords)
    number = number_json(bound)
    asked = Fact(label="privacy", text=level.text, cells={level.name: level.shown})
    enough = Fact(label="delta", text=f"{_text(bound)}, enough by the theorem", cells={"delta_hi": number["hi"]})
    return {**data, level.name: level.shown, "delta": number}, [line, asked, enough]


def _published(function: Callable[..., Any], regime: Mapping[str, bool], users: int, **parameters: int) -> Any:
    """Return the published number of a regime; None where none is stated."""
    if regime.get("simulator"):
        return None
    try:
        return function(users, average=regime.get("average", False), **parameters)
    except HypothesisError:
        return None


def _refuse_noise(typed: Mapping[str, Any]) -> None:
    for name in ("noise", "shift", "eps", "exp_eps", "delta"):
        if typed[name] is not None:
            option = f"--{name.replace('_', '-')}"
            raise InvalidValueError(f"{option} has a meaning beside {_needed(name)} only. Leave it out.")


def _needed(name: str) -> str:
    return "--messages" if name == "noise" else "--messages and --noise"


def _text(value: object) -> str:
    return "[{}, {}]".format(*value.decimals(_DIGITS)) if isinstance(value, xdp.Interval) else cell(value) or "-"


def _notes() -> tuple[str, ...]:
    return (*_NOTE, HONEST_USERS)

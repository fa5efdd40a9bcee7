"""What is known of a noise law, for reading and as JSON data."""

from __future__ import annotations

from typing import Any

from exactdp.cli.targets import Noise
from exactdp.numbers.exact import short
from exactdp.numbers.formats import exact_text, number_json, number_text

__all__ = ["noise_data", "noise_lines"]


def noise_lines(noise: Noise) -> list[tuple[str, str]]:
    """Return what is known of a noise law as labelled lines."""
    law = noise.law
    return [
        ("law", noise.title),
        ("support", _support(law.low, law.high)),
        ("log-concave", "yes" if law.is_log_concave else "no"),
        ("mean", number_text(law.mean)),
        ("variance", number_text(law.variance)),
        ("mode", short(law.mode)),
    ]


def _support(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return "all integers" if low is high else f"{low} and more" if high is None else f"{high} and less"
    return f"{low} alone" if low == high else f"{low} to {high}"


def noise_data(noise: Noise) -> dict[str, Any]:
    """Return what is known of a noise law as JSON data."""
    law = noise.law
    return {
        **noise.data,
        "support": {name: None if end is None else str(end) for name, end in (("low", law.low), ("high", law.high))},
        "log_concave": law.is_log_concave,
        "mean": number_json(law.mean),
        "variance": number_json(law.variance),
        "mode": exact_text(law.mode),
    }

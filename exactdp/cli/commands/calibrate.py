"""``calibrate``: the least noise on a grid that is private enough, and what it saves against a published constant.

(eps, delta)-DP holds at the parameter and fails one step of the grid less; the scope says what is proved of the values
with more noise. One certificate is of the conjunction of both claims. Where delta is known between two ends, the upper
one shows the parameter safe, and the lower one says how far one could go at most. The JSON is described in
docs/json.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import click

import exactdp as xdp
from exactdp.cli.explanation import Explanation, of_calibration
from exactdp.cli.options import (
    answer_format,
    certificate_option,
    explain_option,
    free_number,
    one_of,
    option_of,
    options,
    privacy_level_options,
    randomizer_options,
    target_option,
    times_option,
    with_parameters,
)
from exactdp.cli.output import (
    HONEST_USERS,
    Fact,
    Report,
    answer,
    columns,
    count,
    ends_text,
    exact_fact,
    number_data,
    number_fact,
    printable,
    users_facts,
)
from exactdp.cli.pasted import pasted, pasted_named, pasted_runs, response_eps0
from exactdp.cli.progress_bars import Bar
from exactdp.cli.values import EXACT, PROBABILITY, USERS, Typed, TypedLevel, as_typed, refuse_given
from exactdp.errors import InvalidValueError, NotCheckableError
from exactdp.files.atomic_file import write_whole
from exactdp.numbers.balls import enclose_real
from exactdp.numbers.epsilon import eps_json, eps_text
from exactdp.numbers.exact import as_fraction, as_integer, as_probability
from exactdp.numbers.formats import exact_text, number_json, number_text, short
from exactdp.protocols.named_protocols import calibrated, with_family

if TYPE_CHECKING:
    from exactdp.studies.calibration.counting_shares import CountingShares
    from exactdp.studies.calibration.savings import Saving, Savings


_LOCAL: Final = calibrated("local_families")
"""Randomizers of which the largest e^eps0 is looked for."""
_SAMPLED: Final = "sample-and-threshold"
_FREQUENCIES: Final = calibrated("frequency_families")
"""Counts of the holders of many inputs, by their noise."""
_FAMILY: Final = one_of((*with_family(), *_FREQUENCIES, *_LOCAL), is_free=True)
"""The families that the library calibrates by name, beside names and files with a free number."""
_OPTIONS: Final = ("inputs", "top", "optimized", "size", "buckets", "dummies", "rate", "threshold")
"""What randomizers take beside their parameter, as @names do."""
_DIGITS: Final = 7
"""As many as in all text: enough to tell two answers apart."""
_VALUES: Final = ("open_at", "fails_at", "holds_at", "tenth_more")
"""Values of the parameter, as the JSON names them."""
_NOTES: Final = (
    "n gamma is the number of users who send no dummy, on average, and the scale of the error. Less noise sends",
    "slightly more: a user sends 1 - gamma dummies on average.",
)
"""What the text says of the numbers of zsum."""


@dataclass(frozen=True, slots=True)
class _Calibrated:
    """A calibration, and what was asked."""

    family: str
    options: dict[str, str]
    """The options of a randomizer that are given, as they are typed; a flag is empty text."""
    users: str | None
    privacy_level: TypedLevel
    delta: Fraction
    beta: Fraction
    calibration: xdp.Calibration
    saved: Savings
    share: Fraction | None
    """Of correlated counting, the share of eps for the noise of both counts, where one is asked for."""
    shares: CountingShares | None
    """What was compared, where the best share was asked for."""
    certificate: xdp.Certificate | None
    """Of both claims together, where the checker reaches both."""
    file: str | None
    times: int = 1
    """Adaptive runs on the same users."""
    run: tuple[str, ...] = ()
    """Where a name or a file leaves a number free: what everyone, or each class of users, runs with it."""
    is_file: bool = False
    """Whether it is a file."""

    @property
    def pasted(self) -> dict[str, str] | None:
        """The lines that ask about the parameter again."""
        lines = self._pasted
        return lines if lines is None or self.times == 1 else pasted_runs(lines, self.times)

    @property
    def _pasted(self) -> dict[str, str] | None:
        if self.run:
            return None if self.is_file else pasted_named(self.run[0], str(self.users), self.privacy_level)
        parameter = self.calibration.name, self.calibration.parameter
        return pasted(self.family, parameter, self.options, self.users, self.privacy_level, self.share)

    @property
    def head(self) -> str:
        """What is calibrated, for reading."""
        titled = " ".join([self.family, *(f"--{name} {value}".rstrip() for name, value in self.options.items())])
        return titled if self.users is None else f"{titled}, n = {self.users}"

    @property
    def is_local(self) -> bool:
        """Whether it is a randomizer that is calibrated by e^eps0, or k-ary response by gamma."""
        return bool(self.run) or self.family in _LOCAL or "inputs" in self.options


def _read_beta(text: str, name: str) -> Fraction:
    beta = as_probability(text, name=name)
    if not 0 < beta < 1:
        raise InvalidValueError(f"beta={text} is not between 0 and 1. Pass a number inside (0, 1).")
    return beta


_BETA: Final = Typed(_read_beta)
_SHARE: Final = Typed(lambda text, name: text if text == "best" else as_fraction(text, name=name))


@click.command("calibrate")
@click.argument("family", type=_FAMILY, metavar="FAMILY")
@option_of(USERS, "N", "-n", "--users", help="Number of users who follow the protocol.")
@options(privacy_level_options)
@option_of(PROBABILITY, "D", "--delta", required=True, help="Target delta in [0, 1).")
@option_of(
    EXACT,
    "STEP",
    "--grid",
    help="Step of the parameter; default 2^-40, of randomizers a relative 2^-16, of sigma 2^-10.",
)
@options(randomizer_options)
@option_of(
    _SHARE,
    "S",
    "--share",
    help="Of correlated-counting: the share of eps for the noise of both counts, in (0, 1); default 1/2. 'best': of "
    "1/16, ..., 15/16 the one with the fewest messages.",
)
@options((target_option("--rate"), target_option("--threshold")))
@times_option(help="Adaptive rounds that hold together, on the same users; default 1.")
@option_of(_BETA, "B", "--beta", default="1/20", show_default=True, help="Probability of an error above alpha.")
@options(explain_option, answer_format)
@certificate_option(help="Write the certificate of both verdicts into FILE.")
def calibrate_command(
    family: str, delta: Fraction, beta: Fraction, grid: Fraction | None, file: str | None, explain: bool, **typed: Any
) -> Report:
    """The least noise on a grid that is (eps, delta)-DP; one step less is not.

    FAMILY is zsum (gamma: the least one from which on every larger one up to 1/2 is private too), randomized-response
    (the flip probability of a bit; with --inputs the gamma of k-ary response), counting (r of negative binomial noise),
    correlated-counting (r, with p1 = e^(-eps/2) and p2 = e^(-eps/10), or by --share), almost-central (r, for bits),
    discrete-gaussian (sigma^2; local: larger values are not proved) or sample-and-threshold of one symbol (the
    threshold at a --rate, or the largest rate at a --threshold). With -o the certificate is written; `exactdp verify`
    re-checks it.

    Of histogram (gamma; local), balls-into-bins (dummies of a user) and flooding (mean number of a user's uniform
    messages, a Poisson one), each with --inputs, it is the least noise; no certificate states these protocols.

    Of unary-encoding, subset-selection, hadamard-response, local-hashing, clipped-discrete-laplace, mixed-dummies and
    any-randomizer the answer is the largest e^eps0 that a proved upper end of delta shows safe, and the first one that
    a proved lower end refutes. With -o the certificate says that the first is safe, and where the lower end refutes it
    that a tenth more eps0 is not.

    FAMILY may leave any number open, with eps0=?, exp-eps0=?, gamma=? or sigma=?: '@product:of=(krr:inputs=4,eps0=?;
    sue:inputs=9,eps0=2)'. Without a ? one factor of all eps0 is found, also of a file with [[product]] or [[class]].

    With --times the K rounds together are (eps, delta)-DP, each on data that may depend on the answers before it; no
    certificate is made of these.
    """
    from exactdp.studies.calibration.savings import of_parameter, savings

    free = free_number(family)
    if free is None:
        family, typed = with_parameters(_FAMILY, family, typed)
    privacy_level, times = TypedLevel.one_of(typed["eps"], typed["exp_eps"]), typed["times"] or 1
    if times > 1 and file is not None:
        raise InvalidValueError(
            "--times is about rounds, of which no certificate is made here. Leave out -o; `exactdp certify --times` "
            "makes one of a claim."
        )
    if times > 1 and typed["share"] == "best":
        raise InvalidValueError("--share best compares single runs. Give a share beside --times, as 1/2.")
    given = {name: "" if name == "optimized" else str(typed[name]) for name in _OPTIONS if typed[name] is not None}
    n, users = typed["users"], next(iter(as_typed("users")), None)
    if free is not None:
        named = {name: typed[name] for name in (*_OPTIONS, "share")}
        refuse_given(named, f"beside {short(family)}, which says it all")
    if free is not None and free.entries:
        users = str(free.users(n))
        if file is not None:
            raise NotCheckableError(
                "no claim states all classes of users together. Leave out -o; `exactdp certify --user-class` makes a "
                "certificate of one."
            )
    sharing = [name for name, entry in with_family().items() if "share" in entry.family_options]
    if family not in sharing:
        refuse_given({"share": typed["share"]}, f"for {family}", f"Leave it out: it belongs to {sharing[0]}.")
    bar = Bar(f"calibrating {printable(family)}" + ("" if users is None else f" for n = {users}"), "values")
    with bar.kept_alive():
        keywords = {} if free is not None else _keywords(family, given)
        shares = _compared(family, n, privacy_level, delta, beta) if typed["share"] == "best" else None
        share = typed["share"] if shares is None else shares.fewest.share
        if share is not None:
            keywords, given = keywords | {"share": share}, given | {"share": exact_text(share)}
        asked: dict[str, Any] = {
            "delta": delta,
            "grid": grid,
            "rounds": times,
            "progress": bar,
            **privacy_level.keywords,
        }
        calibration = xdp.calibrate(family, n=n, **asked, **keywords)
        if times > 1 or free is not None:
            saved = of_parameter(calibration, "rounds were asked about" if times > 1 else "its parts are named")
        else:
            saved = savings(calibration, eps=privacy_level.for_theorems, delta=delta, beta=beta, share=share)
        certificate = _both(calibration)
    if file is not None:
        _write(calibration, certificate, file)
    rest = calibration, saved, share, shares, certificate, file, times
    calibrated = _Calibrated(family, given, users, privacy_level, delta, beta, *rest)
    if free is not None:
        calibrated = replace(calibrated, run=free.at(calibration.parameter), is_file=bool(free.within))
    report = _report(calibrated)
    return _explanation(calibrated).on(report) if explain else report


def _explanation(found: _Calibrated) -> Explanation:
    """Say what was computed, by which engine, and what proves it; the families' texts prove what grows with them."""
    from exactdp.protocols import one_parameter_families
    from exactdp.studies.calibration import frequency_families, local_families, zsum_safety

    asked = f"(eps, delta)-DP for {found.privacy_level.text} and delta = {number_text(found.delta)}, of {found.head}"
    if found.times > 1:
        asked += f", in {found.times} adaptive rounds together"
    proved = local_families if found.is_local else one_parameter_families
    if found.family == "zsum":
        proved = zsum_safety
    elif found.family in _FREQUENCIES:
        proved = frequency_families
    return of_calibration(asked, found.calibration, found.certificate, proved)


def _compared(family: str, n: int | None, level: TypedLevel, delta: Fraction, beta: Fraction) -> CountingShares:
    """Return what is compared of all shares of a grid."""
    from exactdp.studies.calibration.counting_shares import counting_shares

    if n is None:
        raise InvalidValueError(f"{family} needs n, the number of users who follow the protocol. Write -n 1000.")
    return counting_shares(n, **level.keywords, delta=delta, beta=beta)


def _keywords(family: str, options: dict[str, str]) -> dict[str, Any]:
    """Return the options as the library takes them; --top is the largest input of the clipped Laplace."""
    if family == _SAMPLED:
        if superfluous := [name for name in options if name not in ("rate", "threshold")]:
            raise InvalidValueError(f"{_SAMPLED}: {superfluous[0]} has no meaning. Leave out --{superfluous[0]}.")
        return dict(options)
    given: dict[str, Any] = {name: True if name == "optimized" else value for name, value in options.items()}
    if (family == "clipped-discrete-laplace") != ("top" in given):
        wrong = (
            "top has no meaning" if "top" in given else "inputs has no meaning" if "inputs" in given else "needs top"
        )
        raise InvalidValueError(
            f"{family}: {wrong}. Give --top T to clipped-discrete-laplace, --inputs K to the other randomizers."
        )
    if "top" in given:
        if "inputs" in given:
            raise InvalidValueError(f"{family}: inputs has no meaning beside top. Leave out --inputs.")
        given["inputs"] = as_integer(given.pop("top"), name="top", at_least=1) + 1
    return given


def _both(calibration: xdp.Calibration) -> xdp.Certificate | None:
    """Return one certificate of both verdicts, and of larger values where there is one; None beyond the checker."""
    from exactdp.claims.certify import conjoined

    if calibration.level != "certificate" or calibration.holds is None:
        return None
    parts = [part for part in (calibration.holds, calibration.fails, calibration.monotone) if part is not None]
    certificate = conjoined(*parts)
    return certificate if certificate.level == "certificate" else None


def _write(calibration: xdp.Calibration, certificate: xdp.Certificate | None, file: str) -> None:
    """Write the certificate; NotCheckableError beyond the checker."""
    holds, fails = calibration.holds, calibration.fails
    if holds is None or (fails is None and calibration.is_least and calibration.fails_at is not None):
        is_shuffled = calibration.protocol.is_shuffled_randomizer
        by = "two proved ends of delta, of a randomizer" if is_shuffled else "enclosures, of a protocol"
        raise NotCheckableError(f"the verdicts are by {by} that no certificate states. Leave out -o.")
    beyond = holds if holds.level != "certificate" or fails is None else fails
    write_whole(file, (certificate or beyond).to_json())  # beyond the checker this raises, and says why


def _report(asked: _Calibrated) -> Report:
    calibration, saved, users = asked.calibration, asked.saved, asked.users
    is_local = asked.is_local
    less = "no value with less noise is in the domain" if calibration.open_at is None else _step(calibration)
    gamma = None if asked.family == "zsum" else calibration.gamma
    eps0 = calibration.local_epsilon if is_local or gamma is not None else None
    again = asked.pasted
    facts = [
        Fact("family", None if asked.run else asked.family, "family", asked.head),
        Fact("options", asked.options),
        *users_facts(None if users is None else as_integer(users, name="n")),
        asked.privacy_level.fact,
        exact_fact("delta", asked.delta),
        *([Fact("times", count(asked.times), "rounds", f"{asked.times} adaptive rounds")] if asked.times > 1 else []),
        Fact("beta", exact_text(asked.beta), "" if is_local else "beta", number_text(asked.beta)),
        Fact("grid", exact_text(calibration.grid)),
        Fact(
            "parameter",
            {"name": calibration.name, **number_json(calibration.parameter)},
            calibration.name,
            number_text(calibration.parameter),
            {"parameter": exact_text(calibration.parameter)},
        ),
        *([Fact("run", list(asked.run))] if asked.run else []),
        *(Fact(label="run", text=printable(one)) for one in asked.run),
        *_response_lines(asked),
        Fact(label="grid", text=number_text(calibration.grid)),
        *(Fact(name, number_data(getattr(calibration, name)), cells={}) for name in _VALUES),
        Fact("gamma", None if gamma is None else exact_text(gamma), cells={}),
        Fact("eps0", eps_json(eps0) if isinstance(eps0, xdp.LogRational) else None, cells={}),
        Fact("paste", again, cells={}),
        Fact("scope", calibration.scope, "holds", f"{_here(calibration)}; {less}"),
        *_open_lines(calibration),
        *_certified_lines(calibration),
        Fact("level", calibration.level, "evidence", _evidence(calibration)),
        Fact(label="certificate", text=_place(asked)),
    ]
    shares, share_lines = ([], []) if asked.shares is None else _compared_shares(asked.shares)
    notes = [] if again is None else ["To ask again:", *(f"  {line}" for line in again.values()), ""]
    notes += [f"No theorem is compared: {saved.note}"] if saved.note and not is_local else []
    notes += _NOTES if asked.family == "zsum" else ()
    return answer(
        *facts,
        rows=[_row(row, is_local) for row in saved.rows],
        after=[
            *shares,
            Fact("note", saved.note),
            Fact("claim_id", None if asked.certificate is None else asked.certificate.claim.digest()),
            Fact("file", asked.file),
        ],
        notes=[*([""] if is_local else share_lines), *notes, *([] if users is None else [HONEST_USERS])],
    )


def _row(row: Saving, is_local: bool) -> list[Fact]:
    """Return what is saved; of randomizers nothing published is compared, for reading."""
    numbers = [
        number_fact(name, getattr(row, name), "" if is_local else label, _shown(getattr(row, name)))
        for name, label in (("theorem", "theorem"), ("exact", "exact"), ("factor", "theorem / exact"))
    ]
    return [Fact("name", row.name, "" if is_local else " ", row.name), *numbers]


def _compared_shares(shares: CountingShares) -> tuple[list[Fact], list[str]]:
    """Return the shares that were compared, as JSON data and for reading."""
    heads = {"share": "share", "r": "r", "noise_messages": "noise messages of a user", "alpha": "alpha"}
    rows = [(row.share, row.calibration.parameter, row.noise_messages, row.alpha) for row in shares.rows]
    data = [dict(zip(heads, (exact_text(share), *map(number_data, numbers)), strict=True)) for share, *numbers in rows]
    lines = [(exact_text(share), *map(_shown, numbers)) for share, *numbers in rows]
    return [Fact("shares", data)], [*columns([tuple(heads.values()), *lines]), ""]


def _here(calibration: xdp.Calibration) -> str:
    return "local: here" if calibration.scope == "local" else f"here, {calibration.scope}"


def _step(calibration: xdp.Calibration) -> str:
    """Say what is known one step of the grid away, with less noise."""
    assert calibration.open_at is not None
    step = "one step less" if calibration.open_at < calibration.parameter else "one step more"
    return f"{step} is not" if calibration.is_least else f"{step} is not known to be enough"


def _open_lines(calibration: xdp.Calibration) -> list[Fact]:
    """Return how far one could go at most, where that is further than one step."""
    if calibration.is_least:
        return []
    if calibration.fails_at is None:
        return [Fact(label="refuted", text="nothing in the domain")]
    beyond = "larger" if calibration.fails_at > calibration.parameter else "smaller"
    here = "local: here" if calibration.scope == "local" else f"here, and every {beyond} value"
    grid = " of the grid" if "of the grid" in calibration.scope else ""
    return [Fact(label="refuted", text=f"{number_text(calibration.fails_at)}: {here}{grid}")]


def _evidence(calibration: xdp.Calibration) -> str:
    """Return what stands behind the answer, which may be better than what certificates can state."""
    if calibration.level != "certificate" or calibration.holds_at == calibration.parameter:
        return calibration.level
    return f"enclosure; certificate, of what is certified{' and refuted' if calibration.fails else ''} above"


def _certified_lines(calibration: xdp.Calibration) -> list[Fact]:
    """Return the values that the certificate speaks of, where they are not the parameter and its neighbour."""
    lines = []
    if calibration.holds_at != calibration.parameter and calibration.holds is not None:
        certified = f"{number_text(calibration.holds_at)}, with more noise: what certificates can state"
        lines.append(Fact(label="certified", text=certified))
    if calibration.tenth_more is not None:
        lines.append(Fact(label="refuted", text=f"{number_text(calibration.tenth_more)}, with a tenth more eps0"))
    return lines


def _response_lines(asked: _Calibrated) -> list[Fact]:
    """Return randomized response in the other words that are in use."""
    if asked.is_local:
        eps0 = asked.calibration.local_epsilon
        return [] if eps0 is None else [Fact(label="eps0", text=f"{_eps0_text(eps0)}, of one user's message alone")]
    if asked.family != "randomized-response":
        return []
    flip = asked.calibration.parameter
    return [
        Fact(label="gamma", text=f"{number_text(2 * flip)}, the probability of a random answer"),
        Fact(label="eps0", text=f"{eps_text(response_eps0(flip))}, of one answer alone"),
    ]


def _eps0_text(eps0: xdp.LogRational | xdp.Real) -> str:
    return eps_text(eps0) if isinstance(eps0, xdp.LogRational) else number_text(enclose_real(eps0, relative_bits=53))


def _place(asked: _Calibrated) -> str:
    if asked.file is not None:
        return printable(asked.file)
    if asked.times > 1:
        return "none: of rounds together none is made here"
    return "none: beyond the checker" if asked.certificate is None else "not written (-o FILE writes it)"


def _shown(value: Fraction | xdp.Interval | None) -> str:
    return ends_text(value, _DIGITS, "none")

"""What randomizers are called, and what each is made from: names, parameters, examples, and paths as text.

One table is read by files, claims, the command line, its completion and the pages. It is strings alone, so that it is
loaded in no time; ``exactdp.protocols.named_protocols`` adds protocols and noise laws. A test builds every entry from
its example, and compares the table with what ``exactdp.randomizers`` and ``exactdp.protocols`` define.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Value(Enum):
    """What the value of a parameter is."""

    INTEGER = "an integer"
    EXACT = "an exact number"
    REAL = "an exact number, exp(X) or ln(X)"
    EPS = "an exact number, or ln(X)"
    FLAG = "true or false"
    MEAN = "the mean of a Poisson law"
    LAW = "a noise law in parentheses"
    RANDOMIZER = "a randomizer in parentheses"
    RANDOMIZERS = "randomizers in parentheses, with ; between"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: ``letter`` stands for its value, ``default`` says in words what is taken without it.

    Empty without a default: then it is needed, or what stands ``instead_of`` it.
    """

    name: str
    value: Value
    letter: str
    help: str
    example: str
    default: str = ""
    least: int | None = None
    passed_as: str = ""
    """What the parameter is called in Python, where that is another name."""
    instead_of: str = ""
    """The parameter that need not be given beside this one."""
    has_option: bool = True
    """Whether the command line has it as an option too."""
    is_titled: bool = False
    """Whether titles begin with it, also where it has its default."""

    @property
    def option(self) -> str:
        """What is typed before the value of the option."""
        return f"--{self.name}"

    @property
    def argument(self) -> str:
        """What it is called in Python."""
        return self.passed_as or self.name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Entry:
    """What has a name: a randomizer, a protocol or a noise law.

    ``randomizer``, ``protocol`` and ``law`` are what makes it from its parameters, as ``module:name``; a protocol is
    made from n too. ``theorems`` are paths of the same form, ``page`` is a page of the documentation.
    """

    name: str
    summary: str
    page: str
    parameters: tuple[Parameter, ...] = ()
    theorems: tuple[str, ...] = ()
    randomizer: str = ""
    protocol: str = ""
    law: str = ""
    fixed: tuple[tuple[str, int], ...] = ()
    """What it is made from beside its parameters."""
    aliases: tuple[tuple[str, str], ...] = ()
    """Other names, each with the parameters that it says at once."""
    calibrated_by: str = ""
    """What ``calibrate`` looks for; empty where it does not."""
    family: str = ""
    """What makes its ``Family`` from a level of privacy, as ``module:name``."""
    family_options: tuple[str, ...] = ()
    """What that takes beside the level."""
    again: tuple[str, ...] = ()
    """The name and the line of Python that ask about a calibrated {value}, or its {double}, again: with {users}, the
    options that are given, as {inputs}, and of a rational eps {eps}, its {fifth}, of a share {own} and {shared}."""
    may_be_zero: bool = False
    """Whether so little as 0 may be enough of what is calibrated."""
    builders: tuple[str, ...] = ()
    """What a user may pass to ``calibrate`` in the place of the name, beside what makes it."""
    noise_depends_on_n: bool = True
    """Whether a calibration needs the number of users."""
    never_pure: str = ""
    """Why delta = 0 is never reached; empty where it may be."""
    calibration: str = ""
    """The file of exactdp/studies/calibration that knows how, where it is one of many like it."""
    calibrated_as: str = ""
    """What ``calibrate`` calls it, where that is another name."""
    from_theorem: str = ""
    """What makes it from n, eps and delta with the noise of its theorem."""
    sums_bits: str = ""
    """The model of trust in which ``survey`` compares it with other sums of bits, where any protocol is asked alike."""
    shown: tuple[str, ...] = ()
    """The parameters that such a row of a survey shows."""
    unit: str = ""
    """What the least error that ``accuracy`` finds is an error of; empty where it does not."""

    @property
    def kind(self) -> str:
        """Which of the three it is."""
        return "law" if self.law else "randomizer" if self.randomizer and not self.protocol else "protocol"

    @property
    def by_name(self) -> dict[str, Parameter]:
        """Parameter name -> parameter."""
        return {parameter.name: parameter for parameter in self.parameters}

    @property
    def keys(self) -> tuple[str, ...]:
        """What may stand before a "=": the parameters, and eps0 where there is an e^eps0."""
        names = tuple(self.by_name)
        return (*names, EPS0.name) if EXP_EPS0.name in names else names

    @property
    def needed(self) -> tuple[Parameter, ...]:
        """The parameters without a default, of which another one may stand in the place of some."""
        return tuple(one for one in self.parameters if not one.default and not one.instead_of)

    def instead(self, name: str) -> str:
        """Return what may be given in the place of a parameter; empty for nothing."""
        return next((one.name for one in self.parameters if one.instead_of == name), "")

    @property
    def example(self) -> str:
        """The name with the parameters that it needs, as it is typed."""
        given = ",".join(f"{one.name}={one.example}" for one in self.needed)
        return f"@{self.name}:{given}" if given else f"@{self.name}"

    @property
    def usage(self) -> str:
        """The name with all its parameters: those in brackets may be left out."""
        listed = []
        for one in self.parameters:
            if not one.instead_of:
                other = self.instead(one.name)
                typed = f"{one.name}={one.letter}" + (f"|{other}={self.by_name[other].letter}" if other else "")
                listed.append(f"[{typed}]" if one.default else typed)
        return f"@{self.name}:{','.join(listed)}" if listed else f"@{self.name}"


def table(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return name -> entry."""
    return {entry.name: entry for entry in entries}


INPUTS: Final = Parameter("inputs", Value.INTEGER, "K", "number of inputs", "10", least=2, passed_as="d")
EXP_EPS0: Final = Parameter("exp-eps0", Value.REAL, "E", "e^eps0 of one user's messages, at least 1", "3")
EPS0: Final = Parameter("eps0", Value.EPS, "EPS0", "eps0 itself: e^eps0 = exp(EPS0)", "1", has_option=False)
"""Goes with every ``EXP_EPS0``, and is never written in an entry."""
DUMMIES: Final = Parameter("dummies", Value.INTEGER, "S", "uniform messages of a user beside the own one", "2")
GAMMA: Final = Parameter("gamma", Value.EXACT, "G", "probability of a random answer, in [0, 1]", "1/8")

_PAGE: Final = "docs/amplification.md"
_LOCAL: Final = "local_families"
_FAMILIES: Final = "exactdp.mechanisms"


def _of_a_number(name: str, summary: str, stem: str = "", maker: str = "") -> Entry:
    """Return the entry of a randomizer of one number, whose only parameter is e^eps0."""
    stem = stem or name
    home = f"{_FAMILIES}.{stem}_family"
    return Entry(
        name,
        summary,
        _PAGE,
        (EXP_EPS0,),
        (f"{home}:{stem.capitalize()}Randomizer",),
        f"{home}:{maker or stem}",
        calibrated_by="exp-eps0",
        calibration=_LOCAL,
        unit="sum",
    )


RANDOMIZERS: Final = table(
    (
        Entry(
            "randomized-response",
            "the own value, or with probability G a uniformly random one",
            _PAGE,
            (
                GAMMA,
                Parameter("inputs", Value.INTEGER, "K", "number of inputs", "10", "2", 2, "k", is_titled=True),
                Parameter("exp-eps0", Value.REAL, "E", EXP_EPS0.help, "3", instead_of="gamma"),
            ),
            ("exactdp.bounds:response_gamma",),
            f"{_FAMILIES}.k_ary_family:KAryResponse",
            aliases=(("krr", ""), ("grr", "")),
            calibrated_by="gamma",
            family="exactdp.protocols.k_ary_protocol:response_family",
            again=(
                "@randomized-response --gamma {double} --users {users}",
                'xdp.ShuffleProtocol(xdp.randomized_response(2, gamma="{double}"), {users}).privacy_profile()',
            ),
            may_be_zero=True,
            builders=("exactdp.protocols:k_ary", "exactdp.protocols:randomized_response"),
            unit="sum",
        ),
        Entry(
            "unary-encoding",
            "K bits, each flipped: basic RAPPOR, or optimized",
            _PAGE,
            (INPUTS, EXP_EPS0, Parameter("optimized", Value.FLAG, "true", "p = 1/2, f = 1/(E + 1)", "true", "false")),
            (f"{_FAMILIES}.unary_encoding_family:UnaryEncoding",),
            f"{_FAMILIES}.unary_encoding_family:UnaryEncoding",
            aliases=(("rappor", ""), ("sue", ""), ("oue", "optimized=true")),
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "subset-selection",
            "a subset of W inputs, likelier with the own one in it",
            _PAGE,
            (
                INPUTS,
                EXP_EPS0,
                Parameter("size", Value.INTEGER, "W", "members of a subset", "2", "max(1, floor(K/(E + 1) + 1/2))"),
            ),
            (f"{_FAMILIES}.subset_selection_family:SubsetSelection",),
            f"{_FAMILIES}.subset_selection_family:SubsetSelection",
            aliases=(("omega-subset", ""),),
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "hadamard-response",
            "a column where the own row of Hadamard's matrix is 1, likelier",
            _PAGE,
            (INPUTS, EXP_EPS0),
            (f"{_FAMILIES}.hadamard_response_family:HadamardResponse",),
            f"{_FAMILIES}.hadamard_response_family:HadamardResponse",
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "local-hashing",
            "a random hash, and randomized response of the own bucket",
            _PAGE,
            (
                INPUTS,
                EXP_EPS0,
                Parameter("buckets", Value.INTEGER, "G", "number of buckets", "4", "floor(E + 3/2)"),
            ),
            (f"{_FAMILIES}.local_hashing_family:LocalHashing",),
            f"{_FAMILIES}.local_hashing_family:LocalHashing",
            aliases=(("olh", ""),),
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "clipped-discrete-laplace",
            "a number 0 to T with discrete Laplace noise, clipped",
            _PAGE,
            (Parameter("top", Value.INTEGER, "T", "the inputs are 0, ..., T", "10", least=1), EXP_EPS0),
            (f"{_FAMILIES}.clipped_discrete_laplace_family:ClippedDiscreteLaplace",),
            f"{_FAMILIES}.clipped_discrete_laplace_family:ClippedDiscreteLaplace",
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "balls-into-bins",
            "the own value, and S uniformly random ones",
            "docs/which-protocol.md",
            (INPUTS, DUMMIES),
            (f"{_FAMILIES}.dummies_family:BallsIntoBins",),
            f"{_FAMILIES}.dummies_family:BallsIntoBins",
            calibrated_by="dummies",
            calibration="frequency_families",
            unit="holders",
        ),
        Entry(
            "mixed-dummies",
            "randomized response, and S uniformly random values",
            "docs/which-protocol.md",
            (INPUTS, EXP_EPS0, DUMMIES),
            (f"{_FAMILIES}.dummies_family:MixedDummies",),
            f"{_FAMILIES}.dummies_family:MixedDummies",
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
            unit="holders",
        ),
        Entry(
            "any-randomizer",
            "every randomizer of one message that is eps0-DP: the worst of them",
            _PAGE,
            (
                EXP_EPS0,
                Parameter("delta0", Value.EXACT, "D0", "delta0 of a user's messages", "1e-12", "0", has_option=False),
            ),
            (f"{_FAMILIES}.any_randomizer_family:AnyRandomizer",),
            f"{_FAMILIES}.any_randomizer_family:any_randomizer",
            calibrated_by="exp-eps0",
            calibration=_LOCAL,
        ),
        _of_a_number("laplace-randomizer", "a number from 0 to 1 plus Laplace noise, a real number", "laplace"),
        _of_a_number("piecewise", "a number from -1 to 1 as one in a window around it, a real number"),
        _of_a_number("staircase", "a number from 0 to 1 plus the noise of least mean size, a real number"),
        _of_a_number("duchi", "a number from -1 to 1 as one of the two ends", maker="DuchiRandomizer"),
        _of_a_number("hybrid", "a number from -1 to 1, piecewise or by Duchi's randomizer"),
        Entry(
            "gaussian",
            "a number from 0 to 1 plus Gaussian noise, a real number",
            _PAGE,
            (
                Parameter("sigma", Value.EXACT, "S", "the deviation of the noise", "1", has_option=False),
                Parameter("delta0", Value.EXACT, "D0", "how likely it is out of range", "1e-12", has_option=False),
            ),
            (f"{_FAMILIES}.gaussian_family:GaussianRandomizer",),
            f"{_FAMILIES}.gaussian_family:gaussian",
            unit="sum",
        ),
        Entry(
            "repeat",
            "a randomizer that a user runs K times on the one input",
            _PAGE,
            (
                Parameter("times", Value.INTEGER, "K", "how often, 1 to 10,000", "3", least=1, has_option=False),
                Parameter(
                    "of",
                    Value.RANDOMIZER,
                    "(NAME:...)",
                    "the randomizer",
                    "(randomized-response:inputs=4,eps0=1)",
                    passed_as="randomizer",
                    has_option=False,
                ),
            ),
            (f"{_FAMILIES}.repetition:Repetition",),
            f"{_FAMILIES}.repetition:repeat",
            unit="holders",
        ),
        Entry(
            "product",
            "several questions that one user answers in one message",
            _PAGE,
            (
                Parameter(
                    "of",
                    Value.RANDOMIZERS,
                    "(NAME:...; ...)",
                    "a randomizer for each question, by its name or its file",
                    "(randomized-response:inputs=4,eps0=1; randomized-response:inputs=3,eps0=2)",
                    passed_as="factors",
                    has_option=False,
                ),
            ),
            (f"{_FAMILIES}.product_family:Product",),
            f"{_FAMILIES}.product_family:product_of",
            unit="holders",
        ),
    )
)
"""Name -> randomizer, in the order in which they are listed."""

FAMILIES: Final = {
    name: entry for name, entry in RANDOMIZERS.items() if "inputs" in entry.by_name or "top" in entry.by_name
}
"""Those that a number of inputs, and e^eps0, make a member of: ``exactdp.mechanisms.family.family_of``."""

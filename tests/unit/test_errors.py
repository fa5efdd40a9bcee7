"""Every error is an ExactDPError and the built-in exception of its kind."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from exactdp import ExactDPError, errors

ROOT = Path(__file__).parents[2]
KINDS = {
    "CertificateRejectedError": ValueError,
    "ExactDPError": Exception,
    "HypothesisError": ValueError,
    "InexactNumberError": TypeError,
    "InvalidDataSetError": ValueError,
    "InvalidFileError": ValueError,
    "InvalidLawError": ValueError,
    "InvalidRandomizerError": ValueError,
    "InvalidValueError": ValueError,
    "MalformedCertificateError": ValueError,
    "NotCheckableError": ValueError,
    "ScanTooLargeError": OverflowError,
    "TooLargeError": OverflowError,
    "UndecidedError": ArithmeticError,
    "WorkersLostError": RuntimeError,
}


def test_all_errors_are_listed():
    kinds = {name: kind for name, kind in vars(errors).items() if isinstance(kind, type)}
    defined = [name for name, kind in kinds.items() if kind.__module__ == errors.__name__]
    assert sorted([*KINDS, "FloatUnderflowWarning"]) == sorted(defined)


def test_what_warns_is_a_warning_that_programs_know():
    assert issubclass(errors.FloatUnderflowWarning, RuntimeWarning)


@pytest.mark.parametrize("name", KINDS)
def test_kinds(name):
    error = getattr(errors, name)
    assert issubclass(error, ExactDPError)
    assert issubclass(error, KINDS[name])
    assert error.__doc__


def test_testing_without_hypothesis_says_what_to_install():
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "from exactdp import ExactDPError\n"
        "try:\n"
        "    from exactdp.testing import protocols\n"
        "except ImportError as error:\n"
        "    assert isinstance(error, ExactDPError) and error.name == 'hypothesis'\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    expected = "exactdp.testing needs hypothesis, which is not installed. Run: pip install 'exactdp[testing]'\n"
    assert done.stdout == expected


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_has_its_place_on_a_page_that_is_there(name):
    kind = getattr(errors, name)
    path, _, anchor = kind.__new__(kind).page.partition("#")
    assert anchor in anchors((ROOT / path).read_text("utf-8"))


def test_an_error_that_others_derive_leads_to_the_kind_that_it_is():
    class Own(errors.TooLargeError):
        pass

    assert Own("too large").page == errors.TooLargeError("too large").page == "docs/errors.md#toolargeerror"


def test_the_page_has_no_kind_that_is_not_there():
    assert anchors((ROOT / errors.PAGE).read_text("utf-8")) == {name.lower() for name in KINDS}


def anchors(text):
    """The places on a page that links lead to: headings in small letters, as GitHub and MyST say them."""
    heads = [line[3:].lower() for line in text.splitlines() if line.startswith("## ")]
    return {re.sub(r"[^\w -]", "", head).replace(" ", "-") for head in heads}

"""Every error is an ExactDPError and the built-in exception of its kind."""

import subprocess
import sys

import pytest

from exactdp import ExactDPError, errors

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
    defined = [name for name, kind in vars(errors).items() if getattr(kind, "__module__", "") == errors.__name__]
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

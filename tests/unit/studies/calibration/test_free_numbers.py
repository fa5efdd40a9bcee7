"""Calibration of products, repetitions and classes of users by one number that their names or files leave free."""

import json
from fractions import Fraction as F

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp import calibrate, verify
from exactdp.cli.main import cli
from exactdp.errors import ExactDPError, InvalidFileError, InvalidValueError
from exactdp.protocols.naming.free_numbers import FreeNumber, is_free, scaled
from exactdp.protocols.naming.targets import read_classes, read_target
from exactdp.studies.calibration.free_family import free_family

TWO = "@product:of=(krr:inputs=3,eps0=1; oue:inputs=4,eps0=2)"
ASKED = {"eps": 1, "delta": "1e-5", "certificates": False}
CLASSES = """
[[class]]
of = "krr:inputs=3,eps0=1"
users = 3000
[[class]]
of = "krr:inputs=3,eps0=2"
users = 2000
participation = "9/10"
"""


def ask(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def slow(case):
    return pytest.param(*case, marks=pytest.mark.slow)


def ends_of(text, n):
    return read_target(text).build(n).privacy_profile().bracket(eps=1)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        slow((TWO, "@product:of=(krr:inputs=3,eps0={}; oue:inputs=4,eps0={})")),
        slow((TWO.replace("=1;", "=?;"), "@product:of=(krr:inputs=3,eps0={}; oue:inputs=4,eps0=2)")),
        slow(("@repeat:times=2,of=(krr:inputs=3,exp-eps0=?)", "@repeat:times=2,of=(krr:inputs=3,exp-eps0={})")),
        ("@product:of=(krr:inputs=3,gamma=?; krr:inputs=2,gamma=1/4)",) * 2,
    ],
)
def test_what_is_found_is_private_and_what_is_refuted_is_not(text, filled):
    """Beside the two values the brackets of the filled names are asked, which read no free number."""
    found = calibrate(text, n=4000, **ASKED)
    filled = filled.replace("gamma=?", "gamma={}")
    by_factor = found.name == "factor"

    def at(value):
        return ends_of(filled.format(*((value, 2 * value) if by_factor else (value,))), 4000)

    assert at(found.parameter).upper.hi <= F(1, 10**5) < at(found.open_at).upper.hi
    assert at(found.fails_at).lower.lo > F(1, 10**5)
    assert abs(found.fails_at / found.parameter - 1) < F(1, 50) or text.startswith("@repeat")
    assert found.scope.startswith("and every")
    assert FreeNumber.read(text).at(F(1, 3)) == (filled.format(*(["1/3", "2/3"] if by_factor else ["1/3"])),)


@pytest.mark.slow
def test_classes_of_a_file_have_one_factor_and_their_users(tmp_path):
    path = tmp_path / "classes.toml"
    path.write_text(CLASSES)
    found = calibrate(str(path), **ASKED)
    assert (found.name, found.scope, found.protocol.n) == ("factor", "local", 5000)

    def bracket(factor):
        scaled_file = tmp_path / "scaled.toml"
        scaled_file.write_text(CLASSES.replace("eps0=1", f"eps0={factor}").replace("eps0=2", f"eps0={2 * factor}"))
        return read_classes(str(scaled_file)).protocol.privacy_profile().bracket(eps=1)

    assert bracket(found.parameter).upper.hi <= F(1, 10**5) < bracket(found.open_at).upper.hi
    assert bracket(found.fails_at).lower.lo > F(1, 10**5)
    with pytest.raises(InvalidValueError, match="how many users each class has"):
        calibrate(str(path), n=5000, **ASKED)


def test_scopes_are_what_channels_prove():
    for text, scope in (
        ("@product:of=(sue:inputs=3,eps0=?; krr:inputs=2,eps0=1)", "and every smaller value of the grid"),
        ("@product:of=(hadamard-response:inputs=3,eps0=?; krr:inputs=2,eps0=1)", "and every smaller value"),
        ("@product:of=(olh:inputs=3,eps0=?; krr:inputs=2,eps0=1)", "local"),
        ("@aggregate:of=(krr:inputs=3,eps0=?)", "local"),
    ):
        assert free_family(text, 2000)[0].scope(F(2), F(1, 2**16)) == scope, text
    roots = free_family("@sue:inputs=3,eps0=?", 2000)[0]
    assert [roots.scope(F(2), F(k, 2**53)) for k in (2, 3)] == ["local", "and every smaller value of the grid"]


@pytest.mark.slow
def test_runs_together_and_certificates(tmp_path):
    """As one class of users, a product has what a claim states; of rounds together no certificate is made."""
    file = tmp_path / "c.json"
    text = "@product:of=(krr:inputs=2,eps0=?; krr:inputs=3,eps0=1)"
    answer = ask(
        "calibrate", text, "-n", 500, "--eps", 1, "--delta", "1e-3", "--grid", "1/16", "-o", file, "--format", "json"
    )
    data = json.loads(answer.stdout)
    assert (data["family"], data["parameter"]["name"], data["level"]) == (None, "eps0", "certificate")
    assert verify(str(file)).value == "PROVED"
    again = ask(*data["paste"]["shell"].split("'")[0].split()[1:], *data["run"], "--users", 500, "--eps", 1)
    assert again.exit_code == 0
    alone = "@krr:inputs=3,eps0=?"
    one, several = (calibrate(alone, n=2000, rounds=k, grid="1/16", **ASKED) for k in (1, 3))
    assert several.parameter < one.parameter
    runs = read_target(alone.replace("?", str(several.parameter))).build(2000).privacy_profile().compose(3)
    assert runs.delta(eps=1, relative_width="1/16").hi <= F(101, 10**7)


@settings(max_examples=25)
@given(st.fractions(0, 10, max_denominator=50), st.fractions(0, 4, max_denominator=20))
def test_a_factor_scales_every_eps0(eps0, factor):
    text = f"@product:of=(krr:inputs=3,eps0={eps0}; oue:inputs=4, eps0 = 1)"
    assert FreeNumber.read(scaled(text, factor)).eps0s == [eps0 * factor, factor] if eps0 * factor else True
    assert scaled("@krr:inputs=3,exp-eps0=2", factor) is None


def test_wrong_inputs_are_refused_with_the_repair(tmp_path):
    table = tmp_path / "table.toml"
    table.write_text('[[row]]\ninput = "0"\nmessages = [ {send = ["m"], prob = "1"} ]\n')
    for text, kind, words in (
        ("@product:of=(krr:inputs=3,exp-eps0=2)", InvalidValueError, "leave one number open: eps0=?"),
        ("@product:of=(krr:inputs=3,gamma=1/2; krr:inputs=3,eps0=1)", InvalidValueError, "gives gamma=1/2"),
        ("@product:of=(krr:inputs=?,eps0=1)", InvalidValueError, "? stands for one number"),
        ("@product:of=(krr:inputs=3,eps0=?; krr:inputs=3,gamma=?)", InvalidValueError, "? stands for one number"),
        ("@product:of=(krr:inputs=3,eps0=?", InvalidValueError, "eps0=?' has a parenthesis that is not closed"),
        ("nosuch.toml", InvalidFileError, "cannot be read"),
        ("@product:of=(krr:inputs=3,eps0=-?)", InvalidValueError, "? stands for one number"),
        ("@product:of=(krr:inputs=3,eps0=0)", InvalidValueError, "no eps0 above 0"),
        (str(table), InvalidFileError, "leave no number free"),
    ):
        with pytest.raises(kind) as caught:
            calibrate(text, n=1000, **ASKED)
        assert words in str(caught.value), text
        assert "\n" not in str(caught.value)
    with pytest.raises(InvalidValueError, match="needs n"):
        calibrate(TWO, **ASKED)
    with pytest.raises(ExactDPError, match="which says it all"):
        calibrate(TWO, n=1000, inputs=3, **ASKED)
    refused = ask("calibrate", TWO, "-n", 1000, "--eps", 1, "--delta", "1e-5", "--inputs", 4)
    assert refused.exit_code == 2
    assert "--inputs has no meaning" in refused.stderr
    classes = tmp_path / "classes.toml"
    classes.write_text(CLASSES)
    refused = ask("calibrate", classes, "--eps", 1, "--delta", "1e-5", "-o", tmp_path / "c.json")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "no claim states all classes" in refused.stderr


def test_names_of_families_are_no_free_numbers():
    assert not any(map(is_free, ("zsum", "@zsum:gamma=1/8", "unary-encoding", "@krr:inputs=4", "@nosuch:of=(a)")))
    assert all(map(is_free, (TWO, "@krr:inputs=4,gamma=?", "repeat:times=2,of=(krr:inputs=4,eps0=?)")))

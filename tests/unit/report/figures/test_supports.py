"""The supports of R^gap: the laws against products of polynomials, and what is impossible."""

from fractions import Fraction

import pytest

from exactdp.errors import TooLargeError
from exactdp.report.figures.supports import gap_supports, supports_picture

FOUND = gap_supports(1, 2, 3)


def _product(a: list[int], b: list[int]) -> list[int]:
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


@pytest.mark.parametrize("position", [0, 1, 2])
def test_the_laws_are_products(position: int) -> None:
    n, _, laws = FOUND.panels[position]
    assert len(laws) == n + 1
    for k, law in enumerate(laws):
        expected = [1]
        for user in range(n):
            expected = _product(expected, [1, 4, 0, 4, 1] if user < k else [1, 4, 6, 4, 1])
        total = 10**k * 16 ** (n - k)
        assert law == tuple(Fraction(x, total) for x in expected)


def test_only_one_user_can_be_betrayed() -> None:
    missing = {
        (n, k, ones) for n, _, laws in FOUND.panels for k, law in enumerate(laws) for ones, p in enumerate(law) if not p
    }
    assert missing == {(1, 1, 2)}
    assert [eps.is_infinite for _, eps, _ in FOUND.panels] == [True, False, False]
    assert [eps.argument for _, eps, _ in FOUND.panels[1:]] == [Fraction(5, 2), Fraction(125, 64)]


def test_the_picture_says_what_cannot_be() -> None:
    picture = supports_picture(FOUND)
    text = picture.svg()
    assert text.count(">cannot be<") == 1
    assert "one user: least ε is infinite" in text
    assert "least ε = ln(125/64)" in text
    assert ">cannot be<" not in supports_picture(gap_supports(2)).svg()
    assert len(picture.table.rows) == sum((n + 1) * (4 * n + 1) for n in (1, 2, 3))


def test_too_many_users_are_refused() -> None:
    with pytest.raises(TooLargeError, match="limit of 5"):
        gap_supports(6)

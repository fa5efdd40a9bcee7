"""What the files about changed statements share."""

import pytest

from tests.unit.proofs.changed_statements import build


@pytest.fixture(scope="module")
def built(request):
    """The folder with what the changed files of a module need, compiled."""
    return build(request.module.CHANGES)

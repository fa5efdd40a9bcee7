"""What the files about changed statements share."""

import pytest

from exactdp.proofs.development import files
from tests.unit.proofs.changed_statements import build


@pytest.fixture(scope="module")
def built(request):
    """The folder with what the changed files of a module need, compiled."""
    return build(files()[change.file] for change in request.module.CHANGES.values())

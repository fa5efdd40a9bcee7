"""The workers of a Dask cluster as an executor: the extra ``distributed``."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from typing import Final

from exactdp.errors import InvalidValueError, WorkersLostError

_WAIT: Final = 10
"""Seconds for a scheduler to answer."""


@contextmanager
def cluster_executor(address: str) -> Iterator[Executor]:
    """Yield the executor of the scheduler at an address, as "tcp://10.0.0.1:8786"; its workers have this package.

    Raises:
        InvalidValueError: where Dask is not installed.
        WorkersLostError: where no scheduler answers.
    """
    try:
        client_class = import_module("distributed").Client
    except ImportError:
        raise InvalidValueError(
            "a cluster needs the extra distributed, which is not installed. Run: pip install 'exactdp[distributed]'."
        ) from None
    try:
        client = client_class(address, timeout=_WAIT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise WorkersLostError(
            f"no scheduler answers at {address}: {error}. Start one, `dask scheduler`, and give its address."
        ) from None
    with client:
        yield client.get_executor(pure=False)

from __future__ import annotations

import os

import pytest

from tachograph.util.cores import THREADS

BEFORE = {name: os.environ.get(name) for name in THREADS}


@pytest.fixture(autouse=True)
def threads_as_before():
    """Dask limits the threads of the process that starts its workers; other tests should not see it."""
    yield
    for name, value in BEFORE.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

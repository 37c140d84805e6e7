"""How many of the host's cores a driver that computes on them takes.

Each such driver reads a variable of its own, once, when it is loaded.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .host import cores

__all__ = ["THREAD_VARIABLES", "advice", "limited"]

#: The variable that limits the threads of a platform's driver.
THREAD_VARIABLES = {
    "Portable Computing Language": "POCL_MAX_PTHREAD_COUNT",
    "Intel(R) OpenCL": "DPCPP_CPU_NUM_CUS",
    "rusticl": "LP_NUM_THREADS",
}


@contextmanager
def limited(threads: int | None) -> Iterator[None]:
    """Let drivers that this block loads use ``threads`` threads, at most one for each core and by
    default half of the cores; a number that the user has set stays.
    """
    count = min(threads or max(1, cores() // 2), cores())
    ours = {name: str(count) for name in THREAD_VARIABLES.values() if name not in os.environ}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


def advice(platform: str, threads: int) -> str:
    """Say how the user can set the number of threads."""
    variable = THREAD_VARIABLES.get(platform)
    if variable is None:
        return "the driver has no setting for that that is known here"
    return f"set {variable}={threads} before Python starts"

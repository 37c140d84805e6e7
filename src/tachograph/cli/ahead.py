"""Compiling an algorithm's loops in another process while this one compiles and runs those that read.

Numba compiles one loop at a time in a process, and a first ``tacho run`` has as much to compile for
reading the graph as for the algorithm. Where there is a second core, both are done at once: the other
process leaves what it compiles on disk, from where it is loaded here. For algorithms whose loops do not
depend on the type of weights, which is known only when the graph has been read.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numpy as np

__all__ = ["ahead", "exercise"]

# the module with the loop ``walk`` of each algorithm
MODULES = {
    "bfs": "tachograph.kernels.bfs.search",
    "components": "tachograph.kernels.components.afforest",
}


@contextmanager
def ahead(name: str) -> Iterator[None]:
    """Around reading a graph: compile the loops of the algorithm ``name``, if they never were."""
    from ..kernels.runtime.launch import kept_on_disk, threads_available

    module = MODULES.get(name)
    if module is None or threads_available() < 2:
        yield
        return
    if kept_on_disk(import_module(module).walk) is not False:
        yield
        return
    nothing = subprocess.DEVNULL
    call = f"from {__name__} import exercise; exercise({name!r})"
    other = subprocess.Popen(
        [sys.executable, "-c", call], stdin=nothing, stdout=nothing, stderr=nothing
    )
    try:
        yield
        other.wait()
    finally:
        other.kill()  # the graph could not be read
        other.wait()


def exercise(name: str) -> None:
    """Run the algorithm ``name`` on a graph that needs no loops to be made."""
    from ..algorithms.bfs import bfs
    from ..algorithms.components import connected_components
    from ..graph.graph import Graph

    pair = Graph(np.array([0, 1, 2]), np.array([1, 0], np.int32), directed=False)
    if name == "bfs":
        bfs(pair, 0)
    else:
        connected_components(pair)

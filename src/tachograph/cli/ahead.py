"""Compiling an algorithm's loops in another process while this one compiles and runs those that read.

Numba compiles one loop at a time in a process, and a first ``tacho run`` has as much to compile for
reading the graph as for the algorithm. Where there is a second core, both are done at once: the other
process leaves what it compiles on disk, from where it is loaded here. This is for algorithms whose
loops do not depend on the type of weights, which is known only when the graph has been read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module

import numpy as np

from ..util.errors import TachographError
from ..util.executor import Local, Work
from ..util.names import ALIASES
from .warm import quiet

__all__ = ["ahead", "exercise"]

#: The module with the loop ``walk`` of each algorithm.
MODULES = {
    "bfs": "tachograph.kernels.bfs.search",
    "connected_components": "tachograph.kernels.components",
}


@contextmanager
def ahead(name: str) -> Iterator[None]:
    """Compile the loops of the algorithm ``name`` while the block reads a graph, if they never were."""
    from ..kernels.runtime.launch import kept_on_disk, threads_available

    task = ALIASES.get(name, name)
    module = MODULES.get(task)
    cores = threads_available()
    if module is None or cores < 2 or kept_on_disk(import_module(module).walk) is not False:
        yield
        return
    with Local(1, threads=cores, apart=True) as other:
        outcomes = other.perform(Work(exercise), [{"name": task}])
        yield
        with suppress(TachographError):  # if it could not start, the loops are compiled here
            list(outcomes)


def exercise(name: str) -> None:
    """Run the algorithm ``name`` on a graph that needs no loops to be made."""
    from ..algorithms.bfs import bfs
    from ..algorithms.components import connected_components
    from ..graph.graph import Graph

    quiet()
    pair = Graph(np.array([0, 1, 2]), np.array([1, 0], np.int32), directed=False)
    if name == "bfs":
        bfs(pair, 0)
    else:
        connected_components(pair)

"""Rehearse the tour on a small graph, in a process for each core, so that all is compiled before it.

The small graph has the same types as the one to come, so exactly the loops are compiled that are used.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import typer

from ... import __version__
from ...graph.generate import kronecker
from ...graph.graph import Graph
from ...journal import content_key, journal
from ...util.errors import TachographError
from ..warm import quiet, spread
from .accelerators import accelerators
from .paths import paths
from .rounds import flow, independent_set
from .search import search
from .setting import Setting, Skip
from .similarity import similarity
from .welcome import welcome

__all__ = ["prepare"]

KIND = "rehearsal"
SCALE = 13  # just large enough for teams of workers
#: What takes longest to compile comes first.
STEPS: dict[str, Callable[[Setting], object]] = {
    "accelerators": accelerators,
    "paths": paths,
    "search": search,
    "similarity": similarity,
    "flow": flow,
    "independent set": independent_set,
}


def prepare(directed: bool, weights: str | None) -> bool:
    """Have the loops for such a graph compiled; whether that had to be done."""
    from ...kernels.runtime.launch import KERNELS

    if not KERNELS:  # nowhere to keep what is compiled
        return False
    where = os.environ.get("NUMBA_CACHE_DIR", "")
    key = content_key(__version__, __file__, where, directed, weights)
    if journal().get(KIND, key) is not None:
        return False
    typer.echo("compiling what the tour uses, once per machine ...", err=True)
    for _ in spread(_rehearse, [[(name, directed, weights) for name in STEPS]], _begin):
        pass
    journal().put(KIND, key, {})
    return True


def _begin() -> None:
    """What a process of the pool does first; what it measures is not worth keeping."""
    quiet()
    os.environ["TACHOGRAPH_JOURNAL"] = "off"


def _rehearse(name: str, directed: bool, weights: str | None) -> None:
    setting = Setting(small(directed, weights), "rehearsal")
    with suppress(Skip, TachographError):
        welcome(setting)
        STEPS[name](setting)


def small(directed: bool, weights: str | None) -> Graph:
    """A small graph of that kind."""
    graph = kronecker(SCALE, rng=1, weights=True)
    if weights == "int32" and not directed:
        return graph
    source, target, values = graph.to_edges()
    assert values is not None
    kept = None if weights is None else values.astype(np.dtype(weights))
    return Graph.from_edges(source, target, kept, n=graph.n, directed=directed)
